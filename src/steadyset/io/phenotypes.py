"""What is known of the samples, from a file of its own: a column per fact, as text until it is asked for."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

from steadyset.errors import Argument, InputError
from steadyset.io.columns import NULLS
from steadyset.io.labels import some_names
from steadyset.io.series_matrix import SeriesHeader, is_series_matrix, read_series_header
from steadyset.io.sheets import read_sheet
from steadyset.io.table_files import NO_TEXT, read_table

DECIMAL = re.compile(r"[+-]?[0-9]+(,[0-9]+)?")


class Phenotypes(Mapping[str, Sequence[Any]]):
    """Columns by name; numbers where all values are, None for what is missing."""

    def __init__(self, columns: Mapping[str, Sequence[Any]], notes: Sequence[str] = ()) -> None:
        self.texts = {
            name: ["" if value is None else str(value).strip() for value in columns[name]] for name in columns
        }
        self.columns, self.notes = columns, list(notes)

    @classmethod
    def of_series(cls, header: SeriesHeader) -> Phenotypes:
        """Those of the header of a series matrix."""
        return cls(header.columns)

    def __getitem__(self, name: str) -> list[Any]:
        if name not in self.columns and name.removesuffix(":ch1") in self.columns:  # as R's GEOquery calls it
            name = name.removesuffix(":ch1")
        values = typed_values(self.columns[name])
        if _has_decimal_commas(values):
            note = f"{name!r} has decimal commas"
            if note not in self.notes:
                self.notes.append(note)
            return typed_values([None if value is None else value.replace(",", ".") for value in values])
        return values

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


def read_phenotypes(path: Path, *, sheet: str | int | None, max_gb: float) -> Phenotypes:
    """A table in any form that is read, or the header of a series matrix."""
    if is_series_matrix(path):
        return Phenotypes.of_series(read_series_header(path, max_gb))
    if path.suffix.lower() in NO_TEXT:
        table = read_table(path, labels=False, max_gb=max_gb)
        _refuse_repeated(path, table.column_names)
        return Phenotypes({name: table.column(name).to_pylist() for name in table.column_names})
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


def typed_values(values: Sequence[Any]) -> list[Any]:
    """Texts as whole numbers or numbers where all of them are, None for what is missing; other values as they are."""
    if not all(isinstance(value, str) or value is None for value in values):
        return list(values)
    texts = ["" if value is None else value.strip() for value in values]
    known = [text for text in texts if text not in NULLS]
    for kind in (int, float):
        numbers = _all_as(kind, known)
        if numbers is not None:
            return [None if text in NULLS else next(numbers) for text in texts]
    return without_marks(texts)


def without_marks(values: Sequence[Any]) -> list[Any]:
    """Values of a column that is not all numbers, None for the marks of what is missing.

    A "-" is none of them: among texts it may be a class, beside "+".
    """
    return [None if isinstance(value, str) and value in NULLS and value != "-" else value for value in values]


def _has_decimal_commas(values: Sequence[Any]) -> bool:
    """Whether all values are numbers with a comma where a point is expected; three digits may be thousands."""
    known = [value for value in values if value is not None]
    if not all(isinstance(value, str) and DECIMAL.fullmatch(value) for value in known):
        return False
    return any("," in value and len(value.partition(",")[2]) != 3 for value in known)


def _all_as(kind: type[int] | type[float], texts: Sequence[str]) -> Iterator[Any] | None:
    """The numbers that texts are; None where one of them is none, and where there is no text."""
    try:
        return iter([kind(text) for text in texts]) if texts and not any("_" in text for text in texts) else None
    except ValueError:
        return None


def _refuse_repeated(path: Path, names: Sequence[str]) -> None:
    repeated = [name for place, name in enumerate(names) if name in names[:place]]
    if repeated:
        raise InputError(f"{path} has more than one column called {some_names(repeated)}; rename them.")
