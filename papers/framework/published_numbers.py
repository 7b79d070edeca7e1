"""What a paper prints: the cells of its tables, what its text says about its figures, and the verdicts we recorded.

The contents of a paper are one JSON object:

    {"paper": "title, year", "reference": "Nogueira 2018",
     "left_out": {"Figures 1.1 to 1.3": "They explain definitions."},
     "items": {"table-6.6": {"title": "...", "page": 123, "digits": 2, "given": {"n_runs": 100},
                             "cells": [{"row": "sonar", "column": "JMI", "value": 0.71}],
                             "claims": [{"claim": "falls", "text": "Stability falls with redundancy.", "page": 120}],
                             "expected": [{"row": "sonar", "verdict": "refuted", "reason": "..."}]}}}

`digits` are the decimals that are printed; a cell may have its own. `given` holds what the paper states of its setting.
`expected` lists the cells and claims whose verdict is neither reproduced nor consistent, each with its reason;
`version` ("fast", "large" or "full") limits an entry to one of them. `left_out` says what is not among the items, and
why.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from papers.framework.files import read_json
from papers.framework.verdicts import Verdict
from steadyset import InputError

FOLDER = Path(__file__).parents[1]
VERSIONS = ("fast", "large", "full")
PAPER_KEYS = {"paper", "reference", "items", "left_out"}
ITEM_KEYS = {"title", "page", "digits", "given", "cells", "claims", "expected"}
CELL_KEYS = {"row", "column", "value", "digits", "page"}
CLAIM_KEYS = {"claim", "text", "page"}
EXPECTED_KEYS = {"row", "column", "claim", "verdict", "reason", "version"}


@dataclass(frozen=True)
class Cell:
    """A number or a word in a table; `digits` decimals are printed, None for words and exact numbers."""

    row: str
    column: str
    value: float | str
    digits: int | None = None

    @property
    def what(self) -> str:
        return ", ".join(part for part in (self.row, self.column) if part)

    @property
    def text(self) -> str:
        """As it is printed."""
        if isinstance(self.value, str):
            return self.value
        return f"{self.value:.{self.digits}f}" if self.digits is not None else f"{self.value:g}"


@dataclass(frozen=True)
class Claim:
    """Something that the text says, in our words."""

    name: str
    text: str
    page: int | None = None

    @property
    def what(self) -> str:
        return self.text if self.page is None else f"{self.text.removesuffix('.')} (p. {self.page})."


@dataclass(frozen=True)
class Expected:
    """The recorded verdict of some cells or claims; None matches all."""

    verdict: Verdict
    reason: str
    row: str | None = None
    column: str | None = None
    claim: str | None = None
    version: str | None = None

    def fits(self, what: Cell | Claim) -> bool:
        """Whether it speaks of this cell or claim."""
        if isinstance(what, Claim):
            return self.claim == what.name
        return self.claim is None and self.row in (None, what.row) and self.column in (None, what.column)


@dataclass(frozen=True)
class PublishedItem:
    """A table or a figure as it is published."""

    name: str
    title: str
    page: int | None = None
    given: Mapping[str, Any] = field(default_factory=dict)
    cells: tuple[Cell, ...] = ()
    claims: tuple[Claim, ...] = ()
    expected: tuple[Expected, ...] = ()

    def cell(self, row: str, column: str) -> Cell:
        """One cell."""
        for cell in self.cells:
            if (cell.row, cell.column) == (row, column):
                return cell
        raise InputError(f"{self.name} has no cell in the row {row!r} and the column {column!r}.")

    def claim(self, name: str) -> Claim:
        """One claim."""
        for claim in self.claims:
            if claim.name == name:
                return claim
        raise InputError(f"{self.name} has no claim called {name!r}.")

    def parts(self) -> tuple[Cell | Claim, ...]:
        """Everything that is compared."""
        return (*self.cells, *self.claims)

    def rows(self) -> list[str]:
        """The names of the rows, in their order."""
        return list(dict.fromkeys(cell.row for cell in self.cells))

    def columns(self) -> list[str]:
        """The names of the columns, in their order."""
        return list(dict.fromkeys(cell.column for cell in self.cells))

    def expectation(self, what: Cell | Claim, version: str) -> Expected | None:
        """The recorded verdict where there is one; the first entry that fits counts."""
        return next((one for one in self.expected if one.fits(what) and one.version in (None, version)), None)


@dataclass(frozen=True)
class PublishedPaper:
    """A paper: its title, whom it cites as, its items by name, and what is left out, with the reason."""

    name: str
    title: str
    reference: str
    items: Mapping[str, PublishedItem]
    left_out: Mapping[str, str] = field(default_factory=dict)


def read_paper(path: Path) -> PublishedPaper:
    """The contents of a JSON file."""
    return paper_of(path.stem, read_json(path), str(path))


def paper_of(name: str, contents: Any, where: str) -> PublishedPaper:
    """A paper from its contents; what is not as it has to be is told with its place."""
    told = _mapping(contents, where, PAPER_KEYS, needed={"paper", "items"})
    items = _mapping(told["items"], f"{where}: items")
    left_out = _mapping(told.get("left_out", {}), f"{where}: left_out")
    return PublishedPaper(
        name,
        _text(told["paper"], f"{where}: paper"),
        _text(told.get("reference", ""), f"{where}: reference", empty=True),
        {key: _item(key, one, f"{where}: {key}") for key, one in items.items()},
        {key: _text(why, f"{where}: left_out: {key}") for key, why in left_out.items()},
    )


def _item(name: str, contents: Any, where: str) -> PublishedItem:
    told = _mapping(contents, where, ITEM_KEYS, needed={"title"})
    digits = _count(told.get("digits"), f"{where}: digits")
    cells = tuple(_cell(one, digits, f"{where}: cell {i}") for i, one in _numbered(told, "cells", where))
    claims = tuple(_claim(one, f"{where}: claim {i}") for i, one in _numbered(told, "claims", where))
    expected = tuple(_expected(one, f"{where}: expected {i}") for i, one in _numbered(told, "expected", where))
    if not cells and not claims:
        raise InputError(f"{where} has neither cells nor claims; there is nothing to compare.")
    _refuse_twice([(cell.row, cell.column) for cell in cells], f"{where}: the cell")
    _refuse_twice([claim.name for claim in claims], f"{where}: the claim")
    parts: list[Cell | Claim] = [*cells, *claims]
    for place, one in enumerate(expected, 1):
        if not any(one.fits(part) for part in parts):
            raise InputError(f"{where}: expected {place} fits no cell and no claim.")
    page = _count(told.get("page"), f"{where}: page")
    given = _mapping(told.get("given", {}), f"{where}: given")
    return PublishedItem(name, _text(told["title"], f"{where}: title"), page, given, cells, claims, expected)


def _cell(contents: Any, digits: int | None, where: str) -> Cell:
    told = _mapping(contents, where, CELL_KEYS, needed={"row", "column", "value"})
    value = told["value"]
    if not isinstance(value, str) and (isinstance(value, bool) or not isinstance(value, (int, float))):
        raise InputError(f"{where}: value must be a number or a text (got {value!r}).")
    decimals = _count(told.get("digits"), f"{where}: digits") if "digits" in told else digits
    row, column = (_text(told[key], f"{where}: {key}", empty=True) for key in ("row", "column"))
    if isinstance(value, str):
        return Cell(row, column, value)
    return Cell(row, column, float(value), decimals)


def _claim(contents: Any, where: str) -> Claim:
    told = _mapping(contents, where, CLAIM_KEYS, needed={"claim", "text"})
    page = _count(told.get("page"), f"{where}: page")
    return Claim(_text(told["claim"], f"{where}: claim"), _text(told["text"], f"{where}: text"), page)


def _expected(contents: Any, where: str) -> Expected:
    told = _mapping(contents, where, EXPECTED_KEYS, needed={"verdict", "reason"})
    if told["verdict"] not in set(Verdict):
        raise InputError(f"{where}: verdict must be one of {', '.join(Verdict)} (got {told['verdict']!r}).")
    if told.get("version") not in (None, *VERSIONS):
        raise InputError(
            f"{where}: version must be {', '.join(VERSIONS[:-1])} or {VERSIONS[-1]} (got {told['version']!r})."
        )
    parts = {key: _text(told[key], f"{where}: {key}") for key in ("row", "column", "claim", "version") if key in told}
    return Expected(Verdict(told["verdict"]), _text(told["reason"], f"{where}: reason"), **parts)


def _mapping(
    contents: Any, where: str, known: set[str] | None = None, needed: set[str] | None = None
) -> Mapping[str, Any]:
    if not isinstance(contents, Mapping):
        raise InputError(f"{where} must be an object with names (got {contents!r}).")
    missing = sorted((needed or set()) - contents.keys())
    if missing:
        raise InputError(f"{where} lacks {', '.join(missing)}.")
    unknown = sorted(contents.keys() - known) if known is not None else []
    if unknown:
        raise InputError(f"{where} has the unknown key {unknown[0]!r}; known are {', '.join(sorted(known or ()))}.")
    return contents


def _numbered(told: Mapping[str, Any], key: str, where: str) -> list[tuple[int, Any]]:
    parts = told.get(key, [])
    if not isinstance(parts, list | tuple):
        raise InputError(f"{where}: {key} must be a list (got {parts!r}).")
    return list(enumerate(parts, 1))


def _text(value: Any, where: str, *, empty: bool = False) -> str:
    if not isinstance(value, str) or not (value or empty):
        raise InputError(f"{where} must be a text (got {value!r}).")
    return value


def _count(value: Any, where: str) -> int | None:
    if value is None:
        return None
    if isinstance(value, bool) or not isinstance(value, int) or value < 0:
        raise InputError(f"{where} must be a whole number of at least 0 (got {value!r}).")
    return int(value)


def _refuse_twice(names: list[Any], what: str) -> None:
    for name in names:
        if names.count(name) > 1:
            told = " / ".join(name) if isinstance(name, tuple) else name
            raise InputError(f"{what} {told!r} occurs twice; expected once.")
