"""Values in one file, what is known of the samples (`Phenotypes`) in another: joined by the names of the samples."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from steadyset.foundation.errors import Argument, InputError
from steadyset.io.data.plain_tables import IDENTIFIER, first_text
from steadyset.io.data.sources import (
    GENES_IN_ROWS,
    LEAST_SHARE,
    UNNAMED,
    Roles,
    Source,
    as_written,
    distinct_names,
    labels_or_numbers,
    without_marks,
)
from steadyset.io.files import File
from steadyset.io.formats.columns import Columns, is_text
from steadyset.io.formats.record import FORMATS, annotated_format, is_typed
from steadyset.io.formats.series_matrix import ACCESSION, SeriesHeader, read_series_header
from steadyset.io.formats.sheets import read_sheet
from steadyset.io.formats.tables import TableFile
from steadyset.io.labels import some_names

MARKS = re.compile(r"[^0-9a-z]+")
WHOLE = re.compile(r"([0-9]+)(\.0)?")
LEAST_PREFIX = 4  # characters
FIRST = "its first column"
HEADER = "the header"  # the axis of genes in rows


@dataclass(frozen=True)
class Match:
    """Which place of the second list each name of the first has; None where it has none."""

    axis: str  # which names of the data were matched
    column: str  # which column of the other file names its rows
    places: list[int | None]
    loose: bool  # whether spelling was disregarded

    @property
    def count(self) -> int:
        return sum(place is not None for place in self.places)


def best_match(axes: Mapping[str, Sequence[str]], columns: Mapping[str, Sequence[str]]) -> Match | None:
    """The names of the data and the column of the other file that agree most often; None where nothing agrees.

    Exact agreement goes before agreement in `plain_form`, and what comes first before what comes later.
    """
    best: Match | None = None
    most = 0  # distinct names that agree
    for loose in (False, True):
        forms = {name: _forms(values, loose) for name, values in columns.items()}
        for axis, names in axes.items():
            own = _forms(names, loose)
            if loose and len(set(own)) < len(set(names)):
                continue
            for column, found in forms.items():
                if loose and len(set(found)) < len(set(columns[column])):
                    continue
                common = set(own) & set(found)
                common.discard("")
                if len(common) > most:
                    most = len(common)
                    place = {name: i for i, name in reversed(list(enumerate(found)))}
                    places = [place[name] if name in common else None for name in own]
                    best = Match(axis, column, places, loose)
    return best


def plain_form(name: str) -> str:
    """A name without what differs between tools: case, marks, R's leading X, zeros before a number."""
    marked = MARKS.sub(".", name.strip().casefold()).strip(".")
    if re.match(r"x\.?[0-9]", marked):
        marked = marked[1:].lstrip(".")
    number = WHOLE.fullmatch(marked)
    return str(int(number[1])) if number and len(number[1]) < 20 else marked


def repeated_names(names: Sequence[str]) -> list[str]:
    """Names that occur more than once."""
    return [name for name, often in Counter(names).items() if often > 1]


def unlike_samples(names: Sequence[str], columns: Mapping[str, Sequence[str]]) -> str:
    """Why samples do not match, where that can be seen: the names of one file are the beginnings of the others."""
    own = [plain_form(name) for name in names]
    for column, values in columns.items():
        theirs = [plain_form(value) for value in values]
        if _begin(theirs, own):
            return f"; those in {column!r} are the beginnings of those in the data: cut the longer ones"
        if _begin(own, theirs):
            return f"; those in the data are the beginnings of those in {column!r}: cut the longer ones"
    return ""


def _begin(short: Sequence[str], long: Sequence[str]) -> bool:
    """Whether most of the long names begin with one of the short ones."""
    starts = {name for name in short if len(name) >= LEAST_PREFIX}
    lengths = {len(start) for start in starts}
    return 2 * sum(any(name[:n] in starts and len(name) > n for n in lengths) for name in long) > len(long)


def _forms(names: Sequence[str], loose: bool) -> list[str]:
    return [plain_form(name) if loose else name for name in names]


def join_table(
    table: Columns, known: Phenotypes, path: File, samples: File, roles: Roles, *, transpose: bool | None
) -> Source:
    """The rows, or the columns, of a table with what the other file knows of them."""
    _refuse_divided(table, known, path, samples, roles)
    columns = _roles_in(known, roles, str(samples))
    axes = _axes(table, transpose)
    match = best_match(axes, known.texts)
    if transpose is not True and (match is None or match.count < LEAST_SHARE * len(match.places)):
        match = best_match(axes | _numbered_rows(table), known.texts)
    if match is None:
        raise _nothing_matches(axes, known, path, samples, transpose)
    if match.axis != HEADER:
        source = _samples_in_rows(table, match.axis)
    else:
        source, places = _genes_in_rows(table, match, path)
        match = replace(match, places=places)
    source.notes[:0] = table.notes
    return _join(source, columns, known, match, path, samples)


def join_series(source: Source, known: Phenotypes, path: File, samples: File, roles: Roles) -> Source:
    """The samples of a series matrix with what another file knows of them."""
    columns = _roles_in(known, roles, str(samples))
    axes = {HEADER: source.rows or []}
    match = best_match(axes, known.texts)
    if match is None:
        raise _nothing_matches(axes, known, path, samples, None)
    return _join(source, columns, known, match, path, samples)


def join_own_header(source: Source, known: Phenotypes, path: File, roles: Roles) -> Source:
    """The samples of a series matrix with what its own header knows of them."""
    place = {name: i for i, name in enumerate(known.texts[ACCESSION])}
    order = [place[name] for name in source.rows or ()]
    found = _roles_in(known, roles, f"the header of {path}")
    columns = {name: [values[i] for i in order] for name, values in found.items()}
    return replace(source, columns=columns, joined=" from its header")


def _roles_in(known: Phenotypes, roles: Roles, where: str) -> dict[str, list[Any]]:
    """The target, and the groups as they are written."""
    columns = roles.of(known, where)
    return columns if roles.groups is None else columns | {roles.groups: known.labels(roles.groups)}


def _join(
    source: Source, columns: Mapping[str, list[Any]], known: Phenotypes, match: Match, path: File, samples: File
) -> Source:
    """The rows of the source that the other file knows, in their order."""
    rows = source.rows or []
    _refuse_repeated(rows, match, known, path, samples)
    pairs = [(row, place) for row, place in enumerate(match.places) if place is not None]
    if len(pairs) < max(2, LEAST_SHARE * len(rows)):
        raise _too_few(rows, match, known, path, samples)
    notes = _notes(rows, known, match, path, samples)
    others = [name for name in known if name and name not in (*columns, match.column)]
    if others:
        notes.append(f"not used as features: {some_names(others)} of {samples.name}")
    return replace(
        source.with_rows([row for row, _ in pairs]),
        columns={name: [values[place] for _, place in pairs] for name, values in columns.items()},
        notes=[*known.notes, *source.notes, *notes],
        joined=f" from {samples.name}, joined by {repr(match.column) if match.column else FIRST}",
    )


def _refuse_divided(table: Columns, known: Phenotypes, path: File, samples: File, roles: Roles) -> None:
    """Target and groups stand in one file, that of the samples."""
    for name in roles.names:
        if name not in known and name in table.names:
            raise InputError(f"{samples} has no column {name!r}, which {path} has; put it there, or all into one file.")


def _axes(table: Columns, transpose: bool | None) -> dict[str, list[str]]:
    """The lists of names that the samples may be: columns that name rows, and the header."""
    axes: dict[str, list[str]] = {}
    if transpose is not True:
        axes |= _cells(table, list(table.others))
    if transpose is not False:
        axes[HEADER] = [name.strip() for name in table.names]
    return axes


def _numbered_rows(table: Columns) -> dict[str, list[str]]:
    """Samples whose names read as numbers, if all differ: in the first column, in the first of whole numbers (counts
    may look so, too), or in one that is called like an identifier."""
    numeric = table.numeric.tolist()
    called = [f for f in numeric if f == 0 or IDENTIFIER.match(table.names[f])]
    found = _cells(table, sorted({*called, *(numeric[i] for i in np.flatnonzero(table.whole)[:1].tolist())}))
    return {name: cells for name, cells in found.items() if len(set(cells)) == table.n_rows}


def _cells(table: Columns, places: Sequence[int]) -> dict[str, list[str]]:
    """The cells of columns as they are written, by the names of the columns."""
    wanted = [f for f in places if f not in table.others or not is_text(table.others[f].type)]
    assert table.again is not None
    again = table.again([table.names[f] for f in wanted]).others if wanted else {}
    return {table.names[f]: as_written((again[f] if f in wanted else table.others[f]).to_pylist()) for f in places}


def _genes_in_rows(table: Columns, match: Match, path: File) -> tuple[Source, list[int | None]]:
    """Columns that are samples become rows, with their places in the other file; another column names the features."""
    samples = {f for f, place in enumerate(match.places) if place is not None}
    texts = [table.names[f] for f in table.others if f in samples]
    if texts:
        odd = first_text(table.others[table.names.index(texts[0])])
        raise InputError(
            f"{path} has samples with something other than numbers ({texts[0]!r} holds {odd!r}); remove such rows."
        )
    rest = [f for f in range(len(table.names)) if f not in samples]
    naming = next((f for f in rest if f == 0 or f in table.others), None)
    notes: list[str] = []
    renamed: list[str] = []
    if naming is None:
        features = [f"row {i}" for i in range(1, table.n_rows + 1)]
        notes.append("the rows have no names and are called 'row 1', 'row 2', ...")
    else:
        features, renamed = distinct_names([name or UNNAMED for name in _row_names(table, naming)])
        heading = table.names[naming]
        notes.append(f"features named by {f'the column {heading!r}' if heading else 'the first column'}")
        aside = [table.names[f] for f in rest if f != naming and f in table.others]
        if aside:
            notes.append(f"left out: {some_names(aside)} (neither samples nor the names of the features)")
    columns = [i for i, f in enumerate(table.numeric.tolist()) if f != naming]
    X = np.ascontiguousarray(table.X[:, columns].T)
    own = table.numeric[columns].tolist()
    rows = [table.names[f] for f in own]
    source = Source(X, features, {}, rows, [*notes, *renamed], layout=GENES_IN_ROWS)
    return source, [match.places[f] for f in own]


def _row_names(table: Columns, place: int) -> list[str]:
    return _cells(table, [place])[table.names[place]]


def _samples_in_rows(table: Columns, axis: str) -> Source:
    place = table.names.index(axis)
    rows = _row_names(table, place)
    texts = {table.names[f]: column for f, column in table.others.items() if f != place}
    kept = [i for i, f in enumerate(table.numeric.tolist()) if f != place]
    names = [table.names[f] for f in table.numeric[kept].tolist()]
    return Source(table.X[:, kept], names, {}, rows, [], texts=texts, whole=table.whole[kept])


def _refuse_repeated(rows: Sequence[str], match: Match, known: Phenotypes, path: File, samples: File) -> None:
    used = {place for place in match.places if place is not None}
    theirs = known.texts[match.column]
    mine = [name for name, place in zip(rows, match.places, strict=True) if place is not None]
    again = [name for name in repeated_names(theirs) if theirs.index(name) in used]
    for found, where in ((repeated_names(mine), f"{path} has samples"), (again, f"{samples} has rows")):
        if found:
            raise InputError(f"{where} of the same name ({some_names(found)}); expected one of each name.")


def _too_few(rows: Sequence[str], match: Match, known: Phenotypes, path: File, samples: File) -> InputError:
    missing = [name for name, place in zip(rows, match.places, strict=True) if place is None]
    why = unlike_samples(missing, {match.column: known.texts[match.column]})
    return InputError(
        f"{samples} knows {match.count} of the {len(rows)} samples of {path} by {match.column!r}; expected at least "
        f"half of them, and two. It does not know {some_names(missing)}{why}."
    )


def _notes(rows: Sequence[str], known: Phenotypes, match: Match, path: File, samples: File) -> list[str]:
    notes = []
    theirs, places = known.texts[match.column], match.places
    if match.loose:
        mine, other = next((rows[i], theirs[p]) for i, p in enumerate(places) if p is not None and rows[i] != theirs[p])
        notes.append(f"names matched without regard to case, marks and R's leading X: {mine!r} is {other!r}")
    without = [name for name, place in zip(rows, places, strict=True) if place is None]
    one = "column" if match.axis == HEADER else "row"
    if without:
        notes.append(f"left out, because {samples.name} does not know them: {_counted(without, one)} of {path.name}")
    used = {place for place in places if place is not None}
    unused = [name for i, name in enumerate(theirs) if i not in used]
    if unused:
        notes.append(f"without values in {path.name}: {_counted(unused, 'sample')} of {samples.name}")
    return notes


def _counted(names: Sequence[str], one: str) -> str:
    return f"{len(names)} {one if len(names) == 1 else f'{one}s'} ({some_names(names)})"


def _nothing_matches(
    axes: Mapping[str, Sequence[str]], known: Phenotypes, path: File, samples: File, transpose: bool | None
) -> InputError:
    axis = HEADER if HEADER in axes else next(iter(axes), None)
    told = f"; {path.name} has {some_names([name for name in axes[axis] if name])} in {axis}" if axis else ""
    texts = [name for name in known if name]
    hint = "".join(unlike_samples([name for name in names if name], known.texts) for names in axes.values())
    turn: tuple[str | Argument, ...] = ()
    if transpose is False:
        turn = ("; if genes are in rows, leave out ", Argument("transpose", False))
    first = known.texts[texts[0]] if texts else []
    return InputError(
        f"No column of {samples} holds the names of the samples of {path}{told}, and {samples.name} has "
        f"{some_names(first)} in {texts[0] if texts else 'its first column'!r}{hint}",
        *turn,
        ".",
    )


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
        _refuse_columns_of_one_name(path, table.column_names)
        return Phenotypes({name: table.column(name).to_pylist() for name in table.column_names}, typed=True)
    with _of_samples():
        found = read_sheet(path, sheet=sheet, max_gb=max_gb)
    header, *rows = found.rows
    names = [name.strip() for name in header]
    _refuse_columns_of_one_name(path, [name for name in names if name])
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


def _refuse_columns_of_one_name(path: File, names: Sequence[str]) -> None:
    repeated = [name for place, name in enumerate(names) if name in names[:place]]
    if repeated:
        raise InputError(f"{path} has more than one column called {some_names(repeated)}; rename them.")
