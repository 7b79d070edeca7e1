"""What is known of the samples, from a file of its own: a column per fact, as text until it is asked for."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from typing import Any

from steadyset.foundation.errors import Argument, InputError
from steadyset.io.data.sources import is_known
from steadyset.io.files import File
from steadyset.io.formats.columns import NULLS
from steadyset.io.formats.csv_files import THOUSANDS
from steadyset.io.formats.record import FORMATS, annotated_format, is_typed
from steadyset.io.formats.series_matrix import SeriesHeader, read_series_header
from steadyset.io.formats.sheets import read_sheet
from steadyset.io.formats.tables import TableFile
from steadyset.io.formats.workbook_process import cell_text
from steadyset.io.labels import some_names
from steadyset.tasks import MAX_CLASSES

COMMA, POINT = ",", "."
DECIMAL = re.compile(r"[+-]?([0-9]+(,[0-9]*)?|,[0-9]+)([eE][+-]?[0-9]+)?")  # a number with a comma, or without a sign
CODE = re.compile(r"[+-]?0[0-9]+")  # nobody writes a quantity so
WHOLE = re.compile(r"[+-]?[0-9]+")
WHOLE_WITH_POINT = re.compile(r"[+-]?[0-9]+\.0*")
MOST_DIGITS = 15  # that a number is sure to keep


class Phenotypes(Mapping[str, Sequence[Any]]):
    """Columns by name; numbers where all values are, None for what is missing.

    `typed`: the file itself says what is a number, so that its texts are none. `texts` are the cells as written, by
    which samples are matched.
    """

    def __init__(self, columns: Mapping[str, Sequence[Any]], notes: Sequence[str] = (), *, typed: bool = False) -> None:
        self.texts = {name: as_written(columns[name]) for name in columns}
        self.columns, self.notes, self.typed = columns, list(notes), typed

    @classmethod
    def of_series(cls, header: SeriesHeader) -> Phenotypes:
        """Those of the header of a series matrix."""
        return cls(header.columns)

    def __getitem__(self, name: str) -> list[Any]:
        own = self._own(name)
        if self.typed:
            return without_marks(self.columns[own])
        values, notes = labels_or_numbers(self.texts[own], own)
        self.notes += [note for note in notes if note not in self.notes]
        return values

    def labels(self, name: str) -> list[Any]:
        """The cells of a column as they are written, None for what is missing: groups are never numbers."""
        return without_marks(self.texts[self._own(name)])

    def _own(self, name: str) -> str:
        shorter = name.removesuffix(":ch1")  # as R's GEOquery calls it
        return shorter if name not in self.columns and shorter in self.columns else name

    def turned(self, names: Sequence[str]) -> Phenotypes:
        """One row per sample, where the file has one column per sample and these names in its first column."""
        first, *samples = self.columns
        facts = self.texts[first]
        if not samples or not set(names) <= set(facts) or set(names) & set(samples) or len(set(facts)) < len(facts):
            return self
        columns = {fact: [self.texts[sample][row] for sample in samples] for row, fact in enumerate(facts)}
        return Phenotypes({"header": samples, **columns}, [*self.notes, "the file of samples has them in columns"])

    def __iter__(self) -> Iterator[str]:
        return iter(self.columns)

    def __len__(self) -> int:
        return len(self.columns)


def read_phenotypes(path: File, *, sheet: str | int | None, max_gb: float) -> Phenotypes:
    """A table in any form that is read, or the header of a series matrix."""
    if annotated_format(path) is FORMATS["GEO"]:
        return Phenotypes.of_series(read_series_header(path, max_gb))
    if is_typed(path.name):
        table, _ = TableFile(path, max_gb=max_gb).arrow(labels=False)
        _refuse_repeated(path, table.column_names)
        return Phenotypes({name: table.column(name).to_pylist() for name in table.column_names}, typed=True)
    with _of_samples():
        found = read_sheet(path, sheet=sheet, max_gb=max_gb)
    header, *rows = found.rows
    names = [name.strip() for name in header]
    _refuse_repeated(path, [name for name in names if name])
    long = next((place for place, row in enumerate(rows, 2) if len(row) > len(names)), None)
    if long is not None:
        raise InputError(f"{path} has more cells in row {long} than names in its header.")
    if not rows:
        raise InputError(f"{path} has no rows below its header.")
    filled = [[*row, *[""] * (len(names) - len(row))] for row in rows]
    columns = {name: [row[place] for row in filled] for place, name in enumerate(names)}
    return Phenotypes(columns, [f"{path.name} {note}" for note in found.notes])


@contextmanager
def _of_samples() -> Iterator[None]:
    """Errors over a sheet speak of the argument that chooses it."""
    try:
        yield
    except InputError as error:
        sheet = (part for part in error.args if isinstance(part, Argument) and part.name == "sheet")
        names = {id(part): replace(part, name="samples_sheet") for part in sheet}
        raise InputError(*(names.get(id(part), part) for part in error.args)) from None


def as_written(values: Iterable[Any]) -> list[str]:
    """Cells as text, "" for none: as they stand in a text file, 12 for the 12.0 of a column with types."""
    return ["" if not is_known(value) else cell_text(value).strip() for value in values]


def labels_or_numbers(texts: Sequence[str], name: str, decimal: str | None = None) -> tuple[list[Any], list[str]]:
    """A target as it is written: numbers where all cells are, else labels; None for what is missing. And what to say.

    Codes stay labels: whole numbers with leading zeros, or with more digits than a number keeps. `decimal` is the sign
    that numbers beside it have; None where there are none.
    """
    cells = [text.strip() for text in texts]
    known = [cell for cell in cells if cell not in NULLS]
    notes: list[str] = []
    numbers = known
    if decimal == COMMA or _has_commas(known):
        if decimal == POINT or (decimal == COMMA and _as_numbers([cell for cell in known if POINT in cell])):
            odd = next(cell for cell in known if (COMMA if decimal == POINT else POINT) in cell)
            raise InputError(
                f"the target {name!r} holds {odd!r}, and other columns have decimal "
                f"{'points' if decimal == POINT else 'commas'}; save the file with one of them."
            )
        if _has_commas(known):
            _refuse_thousands(known, name, decimal)
            numbers = [cell.replace(COMMA, POINT) for cell in known]
            notes = [f"{name!r} has decimal commas"] if decimal is None else []
    found = _as_numbers(numbers)
    if found is None:
        return without_marks(cells), []
    code = next((cell for cell in numbers if CODE.fullmatch(cell) or _is_too_long(cell)), None)
    if code is not None:
        why = "leading zeros" if CODE.fullmatch(code) else "more digits than a number keeps"
        return without_marks(cells), [f"{name!r} is read as labels, as {code!r} has {why}"]
    _refuse_two_spellings(dict(zip(numbers, found, strict=True)), name, len(texts))
    value = iter(found)
    return [None if cell in NULLS else next(value) for cell in cells], notes


def without_marks(values: Sequence[Any]) -> list[Any]:
    """Values of a column that is not all numbers, None for the marks of what is missing.

    A "-" is none of them: among texts it may be a class, beside "+".
    """
    return [None if isinstance(value, str) and value in NULLS and value != "-" else value for value in values]


def _has_commas(known: Sequence[str]) -> bool:
    """Whether all cells are numbers, some of them with a comma where a point is expected."""
    return any(COMMA in cell for cell in known) and all(map(DECIMAL.fullmatch, known))


def _refuse_thousands(known: Sequence[str], name: str, decimal: str | None) -> None:
    """Commas that may separate thousands, all of them, and nothing beside that says otherwise."""
    commas = [cell for cell in known if COMMA in cell]
    if decimal is None and all(map(THOUSANDS.fullmatch, commas)):
        raise InputError(
            f"the target {name!r} holds {commas[0]!r}, which may have a decimal comma or a separator of thousands; "
            "save it with decimal points and without such separators."
        )


def _refuse_two_spellings(found: Mapping[str, float], name: str, n_rows: int) -> None:
    """Few values of which two are one number, as 1.1 and 1.10: two labels, or one number typed in two ways.

    Programs write 1.0 for 1, and a quantity with many values is no label.
    """
    if len(found) > min(MAX_CLASSES, n_rows / 2):
        return
    seen: dict[float, str] = {}
    for cell, value in found.items():
        plain = cell.partition(POINT)[0] if WHOLE_WITH_POINT.fullmatch(cell) else cell
        if seen.setdefault(value, plain) != plain:
            raise InputError(
                f"the target {name!r} holds {seen[value]!r} and {cell!r}, which are one number and may be two labels; "
                "write them in one way, or as words."
            )


def _is_too_long(cell: str) -> bool:
    return WHOLE.fullmatch(cell) is not None and len(cell.lstrip("+-0")) > MOST_DIGITS


def _as_numbers(texts: Sequence[str]) -> list[Any] | None:
    """The numbers that texts are, whole ones where all are; None where one of them is none, and without any text."""
    for kind in (int, float):
        try:
            return [kind(text) for text in texts] if texts and not any("_" in text for text in texts) else None
        except ValueError:
            continue
    return None


def _refuse_repeated(path: File, names: Sequence[str]) -> None:
    repeated = [name for place, name in enumerate(names) if name in names[:place]]
    if repeated:
        raise InputError(f"{path} has more than one column called {some_names(repeated)}; rename them.")
