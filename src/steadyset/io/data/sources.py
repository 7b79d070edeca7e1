"""What a file of data holds, whatever its format: numbers, columns that play a part, cells as they are written.

Also columns beside the features, covariates and blocks as they are given; and what looks like no feature, or no row.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from difflib import get_close_matches
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from steadyset.foundation.arguments import is_collection, wrong_argument
from steadyset.foundation.errors import Argument, InputError, MissingTargetError
from steadyset.foundation.text import counted, listed
from steadyset.io.formats.columns import NULLS, THOUSANDS
from steadyset.io.formats.spreadsheet import cell_text
from steadyset.io.labels import some_names, trimmed_name
from steadyset.kernels.arrays import Bools, Floats
from steadyset.tasks import MAX_CLASSES

if TYPE_CHECKING:
    import pyarrow as pa

GENES_IN_ROWS = "genes in rows"
LEAST_SHARE = 0.5  # of the samples, that have to be known
UNNAMED = "unnamed"
COUNTS_FROM = 20  # whole numbers from 0 to less than that may be scores, genotypes or grades
CELLS_AT_ONCE = 1 << 22
CANDIDATES = 6  # shown in a sentence
COMMA, POINT = ",", "."
DECIMAL = re.compile(r"[+-]?([0-9]+(,[0-9]*)?|,[0-9]+)([eE][+-]?[0-9]+)?")  # a number with a comma, or without a sign
CODE = re.compile(r"[+-]?0[0-9]+")  # nobody writes a quantity so
WHOLE_WITH_POINT = re.compile(r"[+-]?[0-9]+\.0*")
TOO_LONG = re.compile(r"[+-]?0*[1-9][0-9]{15,}")  # a number is sure to keep 15 digits


@dataclass
class Source:
    """Numbers with the names of their columns, the columns that were asked for by name, and what was understood.

    `layout` says in words how the numbers lay in the file where that is not one row per observation, and `joined`
    where the target comes from.
    """

    X: Floats
    features: list[str]
    columns: dict[str, list[Any]]
    rows: list[str] | None = None
    notes: list[str] = field(default_factory=list)
    layout: str = ""
    joined: str = ""
    texts: dict[str, pa.ChunkedArray] = field(default_factory=dict)  # columns that are neither numbers nor named
    dropped: frozenset[str] = frozenset()  # columns that the reader has left out as asked
    whole: Bools | None = None  # which of the features hold whole numbers, where a column may be an identifier

    def with_rows(self, places: Sequence[int], *notes: str) -> Source:
        """Some of the rows, and what is to be said of that."""
        return replace(
            self,
            X=self.X if len(places) == len(self.X) else self.X[places],
            columns={name: [values[row] for row in places] for name, values in self.columns.items()},
            rows=None if self.rows is None else [self.rows[row] for row in places],
            texts={name: column.take(list(places)) for name, column in self.texts.items()},
            notes=[*self.notes, *notes],
        )

    def with_features(self, places: Sequence[int], *notes: str) -> Source:
        """Some of the features, and what is to be said of that."""
        return replace(
            self,
            X=self.X[:, places],
            features=[self.features[f] for f in places],
            whole=None if self.whole is None else self.whole[places],
            notes=[*self.notes, *notes],
        )


def distinct_names(names: Sequence[str]) -> tuple[list[str], list[str]]:
    """Names of which none repeats, and notes: the second "TP53" is called "TP53.1", as R's make.unique does it.

    Rows with one name are different measurements of a gene, and each of them is a feature.
    """
    seen: dict[str, int] = {}
    repeated: dict[str, None] = {}
    taken = set(names)
    made = []
    for name in names:
        if name not in seen:
            seen[name] = 0
        else:
            repeated[name] = None
            plain = name
            while name in taken:
                seen[plain] += 1
                name = f"{plain}.{seen[plain]}"
            taken.add(name)
        made.append(name)
    notes = []
    if repeated:
        first = next(iter(repeated))
        also = f"{first}.1"
        what = "1 name occurs" if len(repeated) == 1 else f"{len(repeated):,} names occur"
        example = f", the second {first!r} as {also!r}" if also in taken and also not in names else ""
        notes.append(f"{what} more than once ({some_names(list(repeated))}); all are kept, numbered{example}")
    return made, notes


def counts_note(X: NDArray[Any]) -> list[str]:
    """A note where the values look like raw counts; they are used as they are."""
    if not X.size:
        return []
    step = max(1, CELLS_AT_ONCE // max(1, X.shape[1]))
    most = 0.0
    for start in range(0, len(X), step):
        block = X[start : start + step]
        known = block[~np.isnan(block)]
        if not (np.isfinite(known).all() and (known >= 0).all() and (known == np.rint(known)).all()):
            return []
        most = max(most, float(known.max(initial=0)))
    if most < COUNTS_FROM:
        return []
    return [
        f"all values are whole numbers from 0 to {most:,.0f}, which look like raw counts; they are used as they are, "
        "and most selectors expect normalised logarithms, such as log(1 + counts per 10,000)"
    ]


@dataclass(frozen=True)
class Roles:
    """The columns that were named: those of the target, groups, strata, covariates and blocks."""

    targets: tuple[str, ...] = ()
    groups: str | None = None
    strata: str | None = None
    forced: tuple[str, ...] = ()
    block: str | None = None

    @property
    def beside(self) -> tuple[str, ...]:
        """What is known of the rows beside their target, as it is written."""
        named = (self.groups, self.strata, self.block, *self.forced)
        return tuple(dict.fromkeys(name for name in named if name is not None))

    @property
    def names(self) -> tuple[str, ...]:
        """All columns that were named."""
        return (*self.targets, *self.beside)

    def of(self, columns: Mapping[str, Sequence[Any]], where: str) -> dict[str, list[Any]]:
        """Their values, by name."""
        if not self.targets:
            raise missing_target(columns, where)
        # The names that are asked for have no blanks at their ends; those in a file may have some.
        written = {} if all(name in columns for name in self.names) else {trimmed_name(name): name for name in columns}
        return {name: role_values(columns, written.get(name, name), where) for name in self.names}


def role_values(columns: Mapping[str, Sequence[Any]], name: str, where: str) -> list[Any]:
    """The column of this name; a sentence with the candidates where there is none."""
    if name in columns:
        return list(columns[name])
    near = close_name(name, list(columns))
    if near is not None:
        raise InputError(f"{where} has no column {name!r}; did you mean {near!r}?")
    found = candidates(columns) or "none of its columns"
    raise InputError(f"{where} has no column {name!r}; candidates are {found}.")


def missing_target(
    columns: Mapping[str, Sequence[Any]],
    where: str,
    others: Mapping[str, Sequence[Any]] | None = None,
    *,
    may_be_turned: bool = False,
) -> MissingTargetError:
    """The sentence for data whose target nobody named; `others` are all columns, if those that repeat are `columns`.

    `may_be_turned`: the rows may be features, which is said if there is nothing to predict.
    """
    from steadyset.io.data.follow_up import follow_ups, offered

    counts = candidate_counts(columns)
    found = candidates_in_words(counts)
    told = f"{where} has these candidates: {found}" if found else f"no column of {where} puts rows into classes"
    every = columns if others is None else others
    times = follow_ups(list(every), every.__getitem__)
    target = Argument("target", ...)
    turned: tuple[str | Argument, ...] = ()
    if may_be_turned and not found and not times:
        hint = " If its rows are features rather than samples, give the file that has the target of each sample with "
        turned = hint, Argument("samples", ...), "."
    error = MissingTargetError("Nothing says what to predict; give ", target, f" ({told}).", *offered(times), *turned)
    error.candidates = counts
    error.follow_ups = times
    return error


def close_name(name: str, names: Sequence[str]) -> str | None:
    """A name that differs in case or by a slip of the pen."""
    close = get_close_matches(name.lower(), [one.lower() for one in names], n=1)
    return next((one for one in names if one.lower() in close), None)


def candidates(columns: Mapping[str, Sequence[Any]]) -> str:
    """The columns that may be predicted, in words."""
    return candidates_in_words(candidate_counts(columns))


def candidate_counts(columns: Mapping[str, Sequence[Any]]) -> dict[str, int]:
    """The columns that may be predicted, each with its number of distinct values; those with few of them first."""
    counts = {}
    for name in columns:
        with suppress(InputError):  # a column that cannot be read
            values = columns[name]
            count = len({value for value in values if is_known(value)})
            # Text that differs in every row names the rows.
            if count > 1 and not (count == len(values) and all(isinstance(value, str) for value in values)):
                counts[name] = count
    few = sorted(counts, key=lambda name: counts[name] > min(MAX_CLASSES, len(columns[name]) / 2))
    return {name: counts[name] for name in few}


def candidates_in_words(counts: Mapping[str, int]) -> str:
    """The first of the columns that may be predicted, with their numbers of distinct values."""
    shown = ", ".join(f"{name!r} ({count} values)" for name, count in list(counts.items())[:CANDIDATES])
    return shown if len(counts) <= CANDIDATES else f"{shown} and {len(counts) - CANDIDATES} more"


def is_known(value: Any) -> bool:
    """Whether a cell holds anything: a text file has no other way to leave a cell out than to write nothing."""
    if value is None or type(value).__name__ in ("NAType", "NaTType"):  # of pandas, which have no truth value
        return False
    return not (value == "" or value != value)


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
            commas = [cell for cell in known if COMMA in cell]
            if decimal is None and all(map(THOUSANDS.fullmatch, commas)):
                raise InputError(
                    f"the target {name!r} holds {commas[0]!r}, which may have a decimal comma or a separator of "
                    "thousands; save it with decimal points and without such separators."
                )
            numbers = [cell.replace(COMMA, POINT) for cell in known]
            notes = [f"{name!r} has decimal commas"] if decimal is None else []
    found = _as_numbers(numbers)
    if found is None:
        return without_marks(cells), []
    code = next((cell for cell in numbers if CODE.fullmatch(cell) or TOO_LONG.fullmatch(cell)), None)
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


def _as_numbers(texts: Sequence[str]) -> list[Any] | None:
    """The numbers that texts are, whole ones where all are; None where one of them is none, and without any text."""
    for kind in (int, float):
        try:
            return [kind(text) for text in texts] if texts and not any("_" in text for text in texts) else None
        except ValueError:
            continue
    return None


FEWEST = 30  # columns from which most of them can be said to be alike
MOST = 12  # unlike columns: more of them are a kind of their own
RARE = 0.05  # the share of all columns that may be of another kind
FAR, APART = 8.0, 0.3  # from the middle of the magnitudes: robust standard deviations, and powers of ten beyond them
SPREAD = 1.4826  # makes the median deviation a standard deviation, where values are normal
# Words that stand in the tables of clinics, and never for a gene, a protein or a metabolite.
CLINICAL = re.compile(
    r"(age|sex|gender|stage|grade|batch|lab|centre|center|site|plate|weight|height|bmi|smok\w*|race|ethnicity|"
    r"days|weeks|months|years|time|survival|status|event|relapse|recurrence|death|treatment|therapy|dose)(_.*| .*)?",
    re.IGNORECASE,
)


def column_names(what: str, given: Any) -> tuple[str, ...]:
    """Names of columns, as several texts or as texts with commas."""
    if given is None:
        return ()
    texts: list[Any] = [given] if isinstance(given, str) else list(given) if is_collection(given) else [None]
    if not all(isinstance(text, str) for text in texts):
        raise wrong_argument(what, "names of columns", given)
    names = [trimmed_name(name) for text in texts for name in text.split(",")]
    if not all(names) or len(set(names)) < len(names):
        raise wrong_argument(what, "names of columns, each once", given)
    return tuple(names)


def columns_by_name(table: Any, features: Sequence[str]) -> dict[str, Any]:
    """The columns of a frame, or of an array whose columns have names."""
    if hasattr(table, "columns"):
        return {str(name): table[name] for name in table.columns}
    return {name: np.asarray(table)[:, f] for f, name in enumerate(features)}


def unlike_columns(X: Floats, names: Sequence[str]) -> list[int]:
    """The places of columns that hold another kind of number than nearly all others, or are called like no measurement.

    Of another kind are whole numbers among fractions, few distinct values among many, and magnitudes far from those of
    the others. Where such columns are not rare, nothing is said.
    """
    if X.shape[1] < FEWEST or len(X) < 2:
        return []
    known = np.nan_to_num(X)
    odd = np.fromiter((CLINICAL.fullmatch(name) is not None for name in names), np.bool_, len(names))
    in_order = np.sort(known, axis=0)
    distinct = 1 + (np.diff(in_order, axis=0) != 0).sum(axis=0)
    with np.errstate(divide="ignore"):
        magnitude = np.log10(np.abs(in_order[[0, -1]]).max(axis=0))
    middle = np.median(magnitude)
    far = FAR * SPREAD * np.median(np.abs(magnitude - middle)) + APART
    for kind in (
        (known == np.rint(known)).all(axis=0) & (distinct > 1),
        (distinct > 1) & (distinct <= min(20, len(X) / 3)),
        np.isfinite(magnitude) & (np.abs(magnitude - middle) > far),
    ):
        if kind.sum() <= min(MOST, RARE * len(names)):
            odd |= kind
    return list(map(int, np.flatnonzero(odd)[:MOST]))


FINE_FEATURES = 3  # features with mostly distinct values, in which no two samples agree by accident


def repeated_rows(X: Any, groups: Any) -> int:
    """Return the number of rows that repeat, in every feature, a row that is not in a group with them.

    X is dense or sparse. 0 if features are too coarse to distinguish samples, such as a few votes or counts.
    """
    is_sparse = hasattr(X, "tocsr")
    if is_sparse:
        X = X.tocsr(copy=True)
        X.sum_duplicates()
        X.eliminate_zeros()
        parts = [slice(*ends) for ends in pairwise(X.indptr)]
        rows = [hash((X.indices[part].tobytes(), X.data[part].tobytes())) for part in parts]
    else:
        rows = [hash(row.tobytes()) for row in X]
    known, firsts = np.unique(rows, return_index=True)
    together = range(len(rows)) if groups is None else np.unique(groups, return_inverse=True)[1].tolist()
    repeated = len(set(zip(together, rows, strict=True))) - len(known)
    if not repeated:
        return 0
    values = X[firsts]
    if is_sparse:
        # Only features with at least so many entries have mostly distinct values.
        is_filled = np.diff(values.tocsc().indptr) >= len(firsts) / 2 - 1
        values = values[:, np.flatnonzero(is_filled)].toarray()
    values = np.sort(values, axis=0)
    distinct = 1 + (np.diff(values, axis=0) > 0).sum(axis=0)
    return repeated if (distinct > len(firsts) / 2).sum() >= FINE_FEATURES else 0


def repeated_words(repeated: int) -> str:
    """Return what copies of rows are, as a reason."""
    return f"{repeated:,} {'row repeats' if repeated == 1 else 'rows repeat'} another row in every feature"


FEWEST_OF_CLASS = 8  # rows, four for each half


def rare_class_words(counts: Mapping[Any, int]) -> list[str]:
    """Return the sentence on classes with so few rows that single ones decide; none if all have more."""
    rare = [f"{label} ({counted(int(count), 'row')})" for label, count in counts.items() if count < FEWEST_OF_CLASS]
    if not rare:
        return []
    noun, have = ("class", "has") if len(rare) == 1 else ("classes", "have")
    return [
        f"The {noun} {listed(rare, 5)} {have} fewer than {FEWEST_OF_CLASS} rows: single rows decide what is selected."
    ]


def giving_away_words(names: Sequence[str]) -> str:
    """Return what features are from which the target can be read, and what to do."""
    which, stand = ("it", "it stands for it or is") if len(names) == 1 else ("them", "they stand for it or are")
    return (
        f"From {listed(names, 5)} the target can be read without a single error. Leave {which} out if {stand} known "
        "only together with it."
    )


FEW_VALUES, LEAST_KNOWN, LEAST_OF_KIND = 12, 30, 8  # of a feature or target; rows, and rows of each value


DENSE_COLUMNS = 512  # of a sparse array that are dense at a time


def giving_away(X: Any, y: Any) -> list[int]:
    """Return the features that may be the target in another form; X is dense or sparse.

    Of a target with few values: features with few values, each of which stands beside one value of the target alone.
    Of one with many values: features in the same order as the target, or in the opposite one.
    """
    if X.shape[0] < LEAST_KNOWN:
        return []
    if hasattr(X, "tocsc"):
        columns = X.tocsc()
        starts = range(0, columns.shape[1], DENSE_COLUMNS)
        parts = ((start, columns[:, start : start + DENSE_COLUMNS].toarray()) for start in starts)
        return [start + f for start, part in parts for f in giving_away(part, y)]
    found: set[int] = set()
    start = np.sort(X[:LEAST_KNOWN], axis=0)
    coarse = np.flatnonzero((np.diff(start, axis=0) != 0).sum(axis=0) < FEW_VALUES)
    for column in np.asarray(y).reshape(len(X), -1).T:
        kinds, codes, counts = np.unique(column, return_inverse=True, return_counts=True)
        if len(kinds) > FEW_VALUES:
            order = np.argsort(codes, kind="stable")
            steps, up = np.diff(X[order], axis=0), np.diff(codes[order])[:, None] > 0
            for way in (steps, -steps):
                found.update(np.flatnonzero(((way > 0) == up).all(axis=0) & (way >= 0).all(axis=0)).tolist())
        elif len(kinds) > 1 and counts.min() >= LEAST_OF_KIND:
            order = np.argsort(X[:, coarse], axis=0)
            other = np.diff(np.take_along_axis(X[:, coarse], order, axis=0), axis=0) != 0
            mixed = (~other & (np.diff(codes[order], axis=0) != 0)).any(axis=0)
            found.update(coarse[~mixed & (other.sum(axis=0) < FEW_VALUES)].tolist())
    return sorted(found)
