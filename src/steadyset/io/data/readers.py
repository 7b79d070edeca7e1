"""Readers of data: a table that holds everything itself, or values in one file and the samples in another.

A table has one row per observation, or one column with the target in a row. What is known of samples (`Phenotypes`) is
joined by their names.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import numpy as np

from steadyset.foundation.errors import Argument, Complaints, InputError, MissingTargetError
from steadyset.io.data import sources
from steadyset.io.data.genes_in_rows import genes_in_rows
from steadyset.io.data.sources import Roles, Source
from steadyset.io.files import File
from steadyset.io.formats.columns import NULLS, Columns, is_text
from steadyset.io.formats.record import FORMATS, annotated_format, is_typed
from steadyset.io.formats.series_matrix import ACCESSION, read_series_header
from steadyset.io.formats.tables import TableFile, read_sheet
from steadyset.io.labels import SHOWN, several, some_names, trimmed_name
from steadyset.kernels.arrays import Floats
from steadyset.tasks import MAX_CLASSES

if TYPE_CHECKING:
    import pyarrow as pa

IDENTIFIER = re.compile(
    r"(?i)^(?!.*(acid|lipid|oid|fluid|solid|covid)$)"  # quantities whose names happen to end in id
    r"(id|index|rownames?|run|.*[ _-]?(id|number|nr)|(patient|sample|subject|case)[ _-]?\w*)$"
)
# Whose rows belong together where its values repeat.
SOMEBODY = re.compile(
    r"(?i)^(id|.*[ _.-]id|(.*[ _.-])?(patient|subject|participant|proband|person|individual|donor|animal|mouse)s?"
    r"([ _.-]?(id|nr|no|number|code|#))?#?)$"
)
# Where rows were measured, or together with which others.
PLACES = (
    "center|centre|site|hospital|clinic|institution|institute|inst|batch|plate|lab|laboratory|study|cohort|run|lane|"
    "country|flowcell|scanner"
)
PLACE = re.compile(rf"(?i)^(.*[ _.-])?({PLACES})s?([ _.-]?(id|nr|no|num|number|code|name|#))?#?$")
WITH_POINT = re.compile(r"[+-]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][+-]?[0-9]+)?")
QUANTITY = re.compile(r"[<>~≤≥]?\s*[+-]?[0-9]*[.,]?[0-9]+\s*[%a-zA-Zµ/]{0,6}")  # a number, perhaps with its unit
MAX_PLACE = 10_000  # a larger whole number is a count or a measurement
FEW = 200  # columns of numbers among which a target is looked for


def read_plain(file: TableFile, roles: Roles, drop: Sequence[str], keep: Sequence[str]) -> Source:
    """One row per observation: the columns that were named, and the others as features."""
    path, named = file.file, list(roles.names)
    table = file.columns(apart=[*named, *drop])
    notes, rows = list(table.notes), None
    left_out = set(drop)
    if table.names[0] == "" and "" not in drop:  # the row names of a frame
        left_out.add("")
        notes.append("left out: the first column, which has no name")
        rows = None if 0 not in table.others else sources.as_written(table.others[0].to_pylist())
    if not roles.targets:
        raise missing_target_of(table, path)
    _check_names(table, [*named, *drop, *keep], path, left_out, roles.targets[0])
    no_features = {*named, *left_out}
    if table.n_rows < 2:
        raise InputError(f"{path} has {'no rows' if table.n_rows == 0 else 'one row only'} below its header.")
    if all(name in no_features for name in table.names):
        raise InputError(f"{path} has no columns left to select from.")
    texts = {table.names[f]: column for f, column in table.others.items() if table.names[f] not in no_features}
    naming = None if rows is not None else _naming(table, texts, keep)
    if naming is not None:
        rows = sources.as_written(texts.pop(naming).to_pylist())
        notes.append(f"the column {naming!r} names the rows, as every row has its own text there; it is no feature")
    X, names, whole = table.X, [table.names[f] for f in table.numeric], table.whole
    if left_out.intersection(names):
        kept = [f for f, name in enumerate(names) if name not in left_out]
        X, names, whole = X[:, kept], [names[f] for f in kept], whole[kept]
    if drop:
        notes.append(f"left out: {some_names(drop)}")
    columns = {name: sources.without_marks(table.others[table.names.index(name)].to_pylist()) for name in named}
    if table.decimal is not None:
        others = (X[:, f] for f in np.flatnonzero(~whole))
        fractions = table.decimal == sources.COMMA or any((x[np.isfinite(x)] % 1).any() for x in others)
        beside = table.decimal if fractions else None
        for name in roles.targets:
            columns[name], told = sources.labels_or_numbers(sources.as_written(columns[name]), name, beside)
            notes += told
    return Source(X, names, columns, rows, notes, texts=texts, dropped=frozenset(drop), whole=whole)


def read_transposed(file: TableFile, roles: Roles) -> Source:
    """One column per observation; the first column names the rows, one of which is the target."""
    path = file.file
    if is_typed(path.name):
        told = f"{path} has columns of one kind each, so that no row can be the target; put it into another file, "
        raise InputError(told, Argument("samples", ...), ".")
    found = read_sheet(path, sheet=file.sheet, delimiter=file.delimiter, max_gb=file.max_gb)
    header, *body = found.rows
    width = max(map(len, found.rows))
    ragged = next((place for place, row in enumerate(found.rows, 1) if len(row) != width), None)
    if ragged is not None or width < 3 or not body:
        what = f"another number of cells in row {ragged}" if ragged is not None else "fewer than two samples or no rows"
        raise InputError(f"{path} has {what}; expected the names of the rows in the first column, then the samples.")
    names = [trimmed_name(row[0]) for row in body]
    numbers = [_numbers(row[1:]) for row in body]
    measured = [
        row[1:] for row, known in zip(body, numbers, strict=True) if known is not None and row[0] not in roles.beside
    ]
    if all(any(mark in cell for row in measured for cell in row) for mark in ".,"):  # one may separate thousands
        raise InputError(f"{path} has both decimal commas and decimal points; save it with one of them.")
    texts = {name: row[1:] for name, row, known in zip(names, body, numbers, strict=True) if known is None}
    possible = texts or {name: row[1:] for name, row in zip(names[:FEW], body[:FEW], strict=True)}
    if not roles.targets:
        raise sources.missing_target(possible, str(path))
    columns = {}
    for role in roles.names:
        if role not in names:
            raise InputError(f"{path} has no row {role!r}; {_instead(role, names)}", *_possible_targets(possible))
        if names.count(role) > 1:
            raise InputError(f"{path} has {names.count(role)} rows called {role!r}; rename them.")
        columns[role] = sources.without_marks([cell.strip() for cell in body[names.index(role)][1:]])
    notes: list[str] = []
    for name in roles.targets:
        columns[name], more = sources.labels_or_numbers(sources.as_written(columns[name]), name)
        notes += more
    genes = [i for i, known in enumerate(numbers) if known is not None and names[i] not in columns]
    if not genes:
        raise InputError(f"{path} has no rows of numbers to select from.")
    notes = [*found.notes, *notes]
    others = [name for name in texts if name not in columns]
    if others:
        notes.append(f"left out: rows that hold text ({some_names(others)})")
    features, renamed = sources.distinct_names([names[i] or sources.UNNAMED for i in genes])
    X = np.ascontiguousarray(np.array([numbers[i] for i in genes]).T)
    notes += renamed
    return Source(X, features, columns, [name.strip() for name in header[1:]], notes, layout=sources.GENES_IN_ROWS)


def is_place(name: str) -> bool:
    """Return whether a column is called like where, or with which others, rows were measured: StudySite, plate_id."""
    return PLACE.match(re.sub(r"(?<=[a-z])(?=[A-Z])", "_", name)) is not None


def first_text(column: pa.ChunkedArray) -> str:
    """The first value that is no number as most of the others are: perhaps one with a unit."""
    texts = [text for text in map(str, column.drop_null().to_pylist()) if text not in NULLS]
    points = [text for text in texts if not WITH_POINT.fullmatch(text.strip())]
    commas = [text for text in texts if "." in text or not WITH_POINT.fullmatch(text.strip().replace(",", ".", 1))]
    odd = points if len(points) <= len(commas) else commas
    return odd[0] if odd else str(column[0])


def _numbers(cells: Sequence[str]) -> Floats | None:
    """The cells of a row as numbers, nan where they say that there is none; None where one of them is text."""
    known = ["nan" if cell.strip() in NULLS else cell for cell in cells]
    for form in (known, [cell.replace(",", ".") for cell in known] if not any("." in cell for cell in known) else []):
        try:
            values = np.array(form, dtype=np.float64)
        except ValueError:
            continue
        return values if len(values) == len(cells) and not np.isnan(values).all() else None
    return None


def missing_target_of(table: Columns, path: File) -> MissingTargetError:
    """Return the error for a table whose target nobody named: its candidates, or that samples are its columns."""
    turned = genes_in_rows(table)
    if turned is not None:
        return MissingTargetError("No target is given. ", *turned.told(path))
    may_be_turned = set(table.others) == {0} and len(table.numeric) > 1
    return sources.missing_target(possible_columns(table), str(path), all_columns(table), may_be_turned=may_be_turned)


def all_columns(table: Columns) -> Mapping[str, Sequence[Any]]:
    """Return the columns of a table by name, made into lists when they are looked at."""
    return _ByName(table)


class _ByName(Mapping[str, Sequence[Any]]):
    """The columns of a table: a wide one has too many for lists of all of them."""

    def __init__(self, table: Columns) -> None:
        self.table = table
        self.places = {name: f for f, name in enumerate(table.names) if name}

    def __getitem__(self, name: str) -> Sequence[Any]:
        place = self.places[name]
        if place in self.table.others:
            return list(self.table.others[place].to_pylist())
        return list(self.table.X[:, np.searchsorted(self.table.numeric, place)].tolist())

    def __iter__(self) -> Iterator[str]:
        return iter(self.places)

    def __len__(self) -> int:
        return len(self.places)


def possible_columns(table: Columns) -> dict[str, Sequence[Any]]:
    """The columns of a table that may be predicted: texts, and numbers that repeat.

    Where columns are many, such as genes, those of few whole numbers may be classes, unless they are many themselves.
    """
    columns: dict[str, Sequence[Any]] = {table.names[f]: column.to_pylist() for f, column in table.others.items()}
    whole = np.flatnonzero(table.whole).tolist() if len(table.numeric) > FEW else []
    few = [i for i in whole if len(np.unique(table.X[:, i])) <= MAX_CLASSES]
    for i in sorted({*range(min(FEW, len(table.numeric))), *(few if len(few) <= FEW else ())}):
        if len(np.unique(table.X[:, i])) <= table.n_rows / 2:
            columns[table.names[table.numeric[i]]] = table.X[:, i].tolist()
    return {name: columns[name] for name in table.names if name in columns and name}


def _naming(table: Columns, texts: Mapping[str, pa.ChunkedArray], keep: Sequence[str]) -> str | None:
    """The first column of texts that all differ, which names the rows; numbers with units do not."""
    for name, column in texts.items():
        if name in keep:
            continue
        values = [str(value).strip() for value in column.to_pylist() if sources.is_known(value)]
        if len(values) < table.n_rows or len(set(values)) < len(values) or any(map(WITH_POINT.fullmatch, values)):
            continue
        first = name == table.names[0] or IDENTIFIER.match(name)
        if first or not any(map(QUANTITY.fullmatch, values)):
            return name
    return None


def _check_names(table: Columns, named: Sequence[str], path: File, left_out: set[str], target: str) -> None:
    columns = table.names
    wrong = Complaints(f"{path} does not have the columns that were named")
    # A set of all names would take more memory than the names' places in a sorted list.
    missing = set(named).difference(columns)
    for name in dict.fromkeys(named):
        if name not in missing:
            continue
        if name == target and 0 in table.others and target in table.others[0].to_pylist():
            turn = Argument("transpose", True)
            wrong.add(f"{path} has no column {name!r} and a row of that name; if rows are features, give ", turn, ".")
        elif name == target and (turned := genes_in_rows(table)) is not None:
            wrong.add(f"There is no column {name!r}. ", *turned.told(path))
        else:
            others = _possible_targets(possible_columns(table)) if name == target else ()
            wrong.add(f"{path} has no column {name!r}; {_instead(name, columns)}", *others)
    repeated = {name for name, after in pairwise(sorted(columns)) if name == after} - left_out
    counts = Counter(name for name in columns if name in repeated)
    alike = [name for name in table.alike if name in repeated]
    if alike:
        told = f"{path} has several columns called {some_names(alike)} once blanks at the ends of names are removed; "
        wrong.add(f"{told}rename all but one of them.")
        counts = Counter({name: often for name, often in counts.items() if name not in alike})
    if counts:
        shown = [f"{often} columns called {name!r}" for name, often in list(counts.items())[:SHOWN]]
        more = f" and {len(counts) - SHOWN} more such names" if len(counts) > SHOWN else ""
        them = Argument("drop", tuple(counts)[:SHOWN])
        wrong.add(f"{path} has {', '.join(shown)}{more}; rename them, or leave them all out with ", them, ".")
    wrong.tell()


def _instead(name: str, columns: Sequence[str]) -> str:
    near = sources.close_name(name, columns)
    if near is None and all(WITH_POINT.fullmatch(column) for column in columns):
        return f"its first line holds numbers ({some_names(columns)}); expected one with the names of the columns."
    return f"did you mean {near!r}?" if near is not None else f"it has {some_names([c for c in columns if c])}."


def _possible_targets(columns: Mapping[str, Sequence[Any]]) -> tuple[str | Argument, ...]:
    """What may be predicted in its place; without such columns it may be in another file."""
    found = sources.candidates(columns)
    if found:
        return (f" What may be predicted: {found}.",)
    return (" If it is in another file, give ", Argument("samples", ...), ".")


MARKS = re.compile(r"[^0-9a-z]+")
WHOLE_NAME = re.compile(r"([0-9]+)(\.0)?")
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
        form = plain_form if loose else str
        forms = {name: list(map(form, values)) for name, values in columns.items()}
        for axis, names in axes.items():
            own = list(map(form, names))
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
    number = WHOLE_NAME.fullmatch(marked)
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


def join_table(
    table: Columns, known: Phenotypes, path: File, samples: File, roles: Roles, *, transpose: bool | None
) -> Source:
    """The rows, or the columns, of a table with what the other file knows of them."""
    for name in roles.names:
        if name not in known and name in table.names:
            raise InputError(f"{samples} has no column {name!r}, which {path} has; put it there, or all into one file.")
    columns = _roles_in(known, roles, str(samples))
    # The names that the samples may have: those in columns of texts, and the header.
    axes = {} if transpose is True else _cells(table, list(table.others))
    if transpose is not False:
        axes[HEADER] = [name.strip() for name in table.names]
    match = best_match(axes, known.texts)
    if transpose is not True and (match is None or match.count < sources.LEAST_SHARE * len(match.places)):
        match = best_match(axes | _numbered_rows(table), known.texts)
    if match is None:
        raise _nothing_matches(axes, known, path, samples, transpose)
    if match.axis != HEADER:
        place = table.names.index(match.axis)
        rows = _cells(table, [place])[match.axis]
        texts = {table.names[f]: column for f, column in table.others.items() if f != place}
        kept = [i for i, f in enumerate(table.numeric.tolist()) if f != place]
        names = [table.names[f] for f in table.numeric[kept].tolist()]
        source = Source(table.X[:, kept], names, {}, rows, [], texts=texts, whole=table.whole[kept])
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
    """The target, and what stands beside it as it is written."""
    return roles.of(known, where) | {name: known.labels(name) for name in roles.beside}


def _join(
    source: Source, columns: Mapping[str, list[Any]], known: Phenotypes, match: Match, path: File, samples: File
) -> Source:
    """The rows of the source that the other file knows, in their order."""
    rows = source.rows or []
    pairs = [(row, place) for row, place in enumerate(match.places) if place is not None]
    mine, theirs, used = [rows[row] for row, _ in pairs], known.texts[match.column], {place for _, place in pairs}
    again = [name for name in repeated_names(theirs) if theirs.index(name) in used]
    for found, where in ((repeated_names(mine), f"{path} has samples"), (again, f"{samples} has rows")):
        if found:
            raise InputError(f"{where} of the same name ({some_names(found)}); expected one of each name.")
    if len(pairs) < max(2, sources.LEAST_SHARE * len(rows)):
        missing = [name for name, place in zip(rows, match.places, strict=True) if place is None]
        raise InputError(
            f"{samples} knows {match.count} of the {len(rows)} samples of {path} by {match.column!r}; expected at "
            f"least half of them, and two. It does not know {some_names(missing)}"
            f"{unlike_samples(missing, {match.column: theirs})}."
        )
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
    return {
        table.names[f]: sources.as_written((again[f] if f in wanted else table.others[f]).to_pylist()) for f in places
    }


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
        heading = table.names[naming]
        called = _cells(table, [naming])[heading]
        features, renamed = sources.distinct_names([name or sources.UNNAMED for name in called])
        notes.append(f"features named by {f'the column {heading!r}' if heading else 'the first column'}")
        aside = [table.names[f] for f in rest if f != naming and f in table.others]
        if aside:
            notes.append(f"left out: {some_names(aside)} (neither samples nor the names of the features)")
    columns = [i for i, f in enumerate(table.numeric.tolist()) if f != naming]
    X = np.ascontiguousarray(table.X[:, columns].T)
    own = table.numeric[columns].tolist()
    rows = [table.names[f] for f in own]
    source = Source(X, features, {}, rows, [*notes, *renamed], layout=sources.GENES_IN_ROWS)
    return source, [match.places[f] for f in own]


def _notes(rows: Sequence[str], known: Phenotypes, match: Match, path: File, samples: File) -> list[str]:
    notes = []
    theirs, places = known.texts[match.column], match.places
    if match.loose:
        mine, other = next((rows[i], theirs[p]) for i, p in enumerate(places) if p is not None and rows[i] != theirs[p])
        notes.append(f"names matched without regard to case, marks and R's leading X: {mine!r} is {other!r}")
    without = [name for name, place in zip(rows, places, strict=True) if place is None]
    one = "column" if match.axis == HEADER else "row"
    if without:
        told = f"{several(len(without), one)} ({some_names(without)}) of {path.name}"
        notes.append(f"left out, because {samples.name} does not know them: {told}")
    used = {place for place in places if place is not None}
    unused = [name for i, name in enumerate(theirs) if i not in used]
    if unused:
        told = f"{several(len(unused), 'sample')} ({some_names(unused)}) of {samples.name}"
        notes.append(f"without values in {path.name}: {told}")
    return notes


def _nothing_matches(
    axes: Mapping[str, Sequence[str]], known: Phenotypes, path: File, samples: File, transpose: bool | None
) -> InputError:
    axis = HEADER if HEADER in axes else next(iter(axes), None)
    told = f"; {path.name} has {some_names([name for name in axes[axis] if name])} in {axis}" if axis else ""
    texts = [name for name in known if name]
    hint = "".join(unlike_samples([name for name in names if name], known.texts) for names in axes.values())
    turn = ("; if genes are in rows, leave out ", Argument("transpose", False)) if transpose is False else ()
    first = known.texts[texts[0]] if texts else []
    seen = f"{samples.name} has {some_names(first)} in {texts[0] if texts else 'its first column'!r}{hint}"
    return InputError(f"No column of {samples} holds the names of the samples of {path}{told}, and {seen}", *turn, ".")


class Phenotypes(Mapping[str, Sequence[Any]]):
    """Columns by name; numbers where all values are, None for what is missing.

    `typed`: the file itself says what is a number, so that its texts are none. `texts` are the cells as written, by
    which samples are matched.
    """

    def __init__(self, columns: Mapping[str, Sequence[Any]], notes: Sequence[str] = (), *, typed: bool = False) -> None:
        self.texts = {name: sources.as_written(columns[name]) for name in columns}
        self.columns, self.notes, self.typed = columns, list(notes), typed

    def __getitem__(self, name: str) -> list[Any]:
        own = self._own(name)
        if self.typed:
            return sources.without_marks(self.columns[own])
        values, notes = sources.labels_or_numbers(self.texts[own], own)
        self.notes += [note for note in notes if note not in self.notes]
        return values

    def labels(self, name: str) -> list[Any]:
        """The cells of a column as they are written, None for what is missing: groups are never numbers."""
        return sources.without_marks(self.texts[self._own(name)])

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
        return Phenotypes(read_series_header(path, max_gb))
    if is_typed(path.name):
        table, _ = TableFile(path, max_gb=max_gb).arrow(labels=False)
        names = [trimmed_name(name) for name in table.column_names]
        _refuse_columns_of_one_name(path, names)
        cells = [column.to_pylist() for column in table.columns]
        return Phenotypes(dict(zip(names, cells, strict=True)), typed=True)
    with _of_samples():
        found = read_sheet(path, sheet=sheet, max_gb=max_gb)
    header, *rows = found.rows
    names = [trimmed_name(name) for name in header]
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
        raise InputError(
            f"{path} has more than one column called {some_names(repeated)}, apart from blanks at the ends of names; "
            "rename them."
        )
