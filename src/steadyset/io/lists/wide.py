"""Wide tables, runs x features, of any kind (array, sparse matrix, frame, file): 0 and 1, ranks, or importances."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import narwhals.stable.v2 as nw
import numpy as np
import numpy.typing as npt

from steadyset.foundation.arguments import check_flag, wrong_argument
from steadyset.foundation.errors import Argument, InputError, either
from steadyset.io.data.sources import as_written
from steadyset.io.formats import headings
from steadyset.io.formats.columns import RUN, Columns
from steadyset.io.labels import (
    AppearanceOrder,
    Names,
    describe_feature,
    feature_names,
    placeholders,
    places_of,
    several,
    some_names,
)
from steadyset.io.lists import COLUMNS, IMPORTANCES, P_VALUES, RANKS, ROWS, WIDE
from steadyset.io.lists.entries import (
    Entries,
    ReadOptions,
    check_ranks,
    checked_entries,
    reordered,
    row_pointers,
    universe_in_words,
)
from steadyset.io.numbers import as_frame, number_array, number_frame
from steadyset.kernels.arrays import Bools, Floats, Ints

LAYOUTS = ("wide", "long")
ZERO_ONE_ONLY = "a 0/1 matrix holds only 0, 1, True and False"
MANY, MANY_TIMES = 20, 5  # so many runs, and so many times more than features, are not recorded by names


@dataclass(frozen=True)
class Matrix:
    """The non-zero entries of a runs x features table, before it is known whether they are 0/1, weights or ranks.

    `what` is how error sentences call the table.
    """

    what: str
    run: Ints  # of each entry, ascending
    indices: Ints
    values: npt.NDArray[Any]
    shape: tuple[int, int]
    names: tuple[str, ...] | None
    labels: Names

    def dense(self) -> Floats:
        """The whole table."""
        full = np.zeros(self.shape)
        full[self.run, self.indices] = self.values
        return full

    def entries(self, weights: Floats | None, keep: Bools | None = None) -> Entries:
        """What the runs selected: every entry, or those to keep, with their weights where these are known."""
        chosen: Any = slice(None) if keep is None else keep
        indptr = row_pointers(np.bincount(self.run[chosen], minlength=self.shape[0]))
        kept = None if weights is None else weights[chosen]
        return checked_entries(indptr, self.indices[chosen], kept, self.shape[1], self.names, self.labels)

    def refuse(self, bad: Bools, *wanted: str | Argument) -> None:
        """Say what is wrong with the first entry that is bad, if there is one."""
        if bad.any():
            entry = int(np.argmax(bad))
            where = f"run {self.run[entry] + 1}, {describe_feature(int(self.indices[entry]), self.names)}"
            raise InputError(f"{self.what} holds {self.values[entry]} for {where}; ", *wanted, ".")


def read_matrix(Z: Any, what: str, features: Names, labels: Names, *, transpose: bool | None = None) -> Matrix:
    """The entries of whatever holds runs x features.

    `transpose`: the rows are the features; None: they are not, unless a frame looks so, which is refused.
    """
    check_flag("transpose", transpose, or_none=True)
    if not isinstance(Z, (np.ndarray, list, tuple)) and not hasattr(Z, "tocsr"):
        read = wide_table(Z, what, transpose)
        Z, features, labels, *_ = oriented(read, what, features, labels, transpose=transpose)
        transpose = False
    if hasattr(Z, "tocsr"):
        table = Z.T if transpose else Z
        _check_shape(table, what)
        table = table.tocsr()
        if not table.has_canonical_format:
            table = table.copy()  # the caller's matrix stays as it is
            table.sum_duplicates()
        every = number_array(table.data, what)
        run = np.repeat(np.arange(table.shape[0]), np.diff(table.indptr))[every != 0]
        column, values = table.indices[every != 0], every[every != 0]
    else:
        table = number_array(Z, what)
        _check_shape(table, what)
        table = table.T if transpose else table
        run, column = np.nonzero(table)
        values = table[run, column]
    names, _ = feature_names(features, table.shape[1], what=what)
    return Matrix(what, run, column.astype(np.int64), values, table.shape, names, labels)


def entries_of_matrix(table: Matrix, *advice: str | Argument) -> Entries:
    """A table of 0 and 1, which says what was selected; `advice` says what to do with other numbers."""
    advice = advice or (ZERO_ONE_ONLY, " (from_weights takes weights)")
    table.refuse((table.values != 0) & (table.values != 1), *advice)  # NaN differs from both
    return table.entries(None)


def _check_shape(table: Any, what: str) -> None:
    if table.ndim != 2:
        raise InputError(f"{what} has {table.ndim} dimension(s); expected 2: one row per run, one column per feature.")
    if table.shape[0] == 0 or table.shape[1] == 0:
        missing = "runs" if table.shape[0] == 0 else "features"
        raise InputError(f"{what} has no {missing} (its shape is {table.shape}); at least one is needed.")


class Wide(NamedTuple):
    """The numbers of a wide frame, with the names of its features and the labels of its runs where it has them.

    `transposed` where its headings say that these are the other way round. `written` is the first column as it stands
    in the file, where it reads as numbers and may name the rows; `first` the heading of a column of labels. `marks`
    where its ones are marks other than 1.
    """

    array: npt.NDArray[Any]
    features: Names
    labels: Names
    transposed: bool | None = None
    written: Names = None
    first: str | None = None
    marks: bool = False


def wide_table(table: Any, what: str, transpose: bool | None = False) -> Wide:
    """The numbers of a frame as they stand, for `oriented` to turn.

    A column called run, or the index of a pandas frame, names the rows, which are runs; `transpose` says that they are
    features instead, None that nobody knows.
    """
    frame = as_frame(table, what)
    if len(frame) == 0:
        raise InputError(f"{what} has no rows; expected one row per run.")
    heading = RUN if RUN in frame.columns else frame.columns[0] if frame.columns else None
    frame, rows, told = _row_names(frame, what, transpose)
    first = None if heading is None or heading in frame.columns else str(heading)
    if not frame.columns:
        raise InputError(f"{what} has no features; expected one column per feature.")
    values, columns = number_frame(frame, what)
    return Wide(values, columns, rows, told, first=first)


def wide_numbers(read: Columns, transpose: bool | None) -> Wide:
    """What was read as columns, with the names of its rows, by the rule of `wide_table`."""
    what, others = "The table", dict(read.others)
    labels: Names = None
    told: bool | None = None
    first: str | None = None
    runs = [f for f in others if read.names[f] == RUN]
    if runs:
        labels, first = _labels(others.pop(runs[0]).to_pylist(), what), RUN
    elif 0 in others and str(others[0].type) == "string":
        labels, told = names_of_rows(others[0].to_pylist(), what, read.names, transpose)
        if labels is not None:
            first = read.names[0]
            del others[0]
    if others:
        f = min(others)
        kind = nw.from_native(others[f], series_only=True).dtype
        raise InputError(f"{what} has the column {read.names[f]!r} of type {kind}; expected numbers or bools.")
    return Wide(read.X, [read.names[f] for f in read.numeric], labels, told, first=first)


def oriented(read: Wide, what: str, features: Names, labels: Names, *, transpose: bool | None) -> Wide:
    """The table as runs x features, with the names and labels that are given rather than its own."""
    array, columns, rows, told, *_ = read
    transpose = told if transpose is None else transpose
    if transpose:
        array, columns, rows = array.T, rows, columns
        numbered = rows is not None and all(headings.NUMBERED.fullmatch(str(name)) for name in rows)
        rows = None if numbered else rows
    elif transpose is None and labels is None:
        _refuse_features_in_rows(what, array.shape, columns, rows)
    if features is not None and columns is not None:
        order = places_of(columns, features, what)
        array = array if order is None else array[:, order]
    return Wide(array, columns if features is None else features, rows if labels is None else labels, transpose)


def _row_names(
    frame: nw.DataFrame[Any], what: str, transpose: bool | None
) -> tuple[nw.DataFrame[Any], Names, bool | None]:
    """The frame without the column that names its rows, these names, and whether they are those of features."""
    if RUN in frame.columns:
        return frame.drop(RUN), _labels(frame[RUN].to_list(), what), transpose
    index = nw.maybe_get_index(frame)
    if index is not None and index.dtype.kind not in "iu":
        return frame, [str(label) for label in index], transpose
    first = frame.columns[0] if frame.columns else None
    if first is not None and isinstance(frame.schema[first], (nw.String, nw.Categorical)):
        names, told = names_of_rows(frame[first].to_list(), what, frame.columns, transpose)
        if names is not None:
            return frame.drop(first), names, told
    return frame, None, transpose


def names_of_rows(
    column: list[Any], what: str, columns: Sequence[str], transpose: bool | None
) -> tuple[Names, bool | None]:
    """The names in a first column of text, and whether they are those of features; None where they are no names."""
    told = told_transposed(columns, transpose)
    if transpose is None and headings.are_called_runs(column):
        told = None  # a heading such as gene may also stand for the columns
    names = _labels(column, what, columns[0])
    if told or headings.is_run_word(columns[0]):
        return names, told
    if told is None and not any(headings.WHOLE_NUMBER.fullmatch(text) for text in names):
        raise unknown_rows(what, "text", columns[0], names)
    return None, told


def unknown_rows(what: str, kind: str, name: str, names: Sequence[str]) -> InputError:
    """The sentence for a first column that may name the runs or the features."""
    told = f"{what} has {kind} in its first column {name!r} ({some_names(names)}); if these are the features, give "
    return InputError(told, Argument("transpose", True), "; if they are the runs, call the column run.")


def _refuse_features_in_rows(what: str, shape: tuple[int, ...], columns: Names, rows: Names) -> None:
    """A table whose rows are named, but not like runs, and which has far more of them, or columns called like runs."""
    if rows is None:
        return
    named_runs = columns is not None and headings.are_called_runs(columns) and not headings.are_called_runs(rows)
    called_like_runs = named_runs or (columns is not None and headings.unnamed_in_r(columns))
    if all(headings.RUN_LIKE.fullmatch(str(name)) for name in rows):
        unclear = named_runs and not headings.are_row_numbers([str(name) for name in rows], None)
    else:
        unclear = called_like_runs or far_more_runs(*shape)
    if unclear:
        told = f"{what} reads as {shape[0]:,} runs ({some_names(list(map(str, rows)))}) of {shape[1]:,} features; "
        ways = Argument("transpose", True), "; if they are the runs, ", Argument("transpose", False)
        raise InputError(f"{told}if its rows are the features, give ", *ways, ".")


def told_transposed(columns: Sequence[str], transpose: bool | None) -> bool | None:
    """`transpose`, or True where it is not given and headings say that rows are features.

    They do so above the names of the rows (gene), and where the other columns are called like runs.
    """
    if transpose is not None or len(columns) < 2:
        return transpose
    first, others = str(columns[0]), columns[1:]
    if first in (RUN, "") or headings.is_run_word(first) or headings.CALLED_RUN.fullmatch(first):
        return None
    return True if headings.is_feature_word(first) or headings.are_called_runs(others) else None


def far_more_runs(n_runs: int, n_features: int) -> bool:
    """Whether there are so many more runs than features that the table may be transposed."""
    return n_runs >= max(MANY, MANY_TIMES * n_features)


def wide_columns(entries: Entries) -> dict[str, Any]:
    """One column per feature, of 0/1 or weights; a first column `run` where the runs have labels."""
    table, features = entries.table(weights=True), entries.features
    head: dict[str, Any] = {} if entries.labels is None else {RUN: list(entries.labels)}
    if RUN in features and head:
        raise InputError("A feature is called 'run', like the column of the labels; write the long layout instead.")
    return head | {name: table[:, f] for f, name in enumerate(features)}


def _labels(column: list[Any], what: str, name: str = RUN) -> list[str]:
    if None in column:
        raise InputError(f"{what} has no value for run {column.index(None) + 1} in the column {name!r}.")
    return [str(label) for label in column]


WHAT = "The table"
DIGITS = 3  # that identifiers have at least
MANY_ZEROS = 0.02  # share of zeros that no p-values have
HIGH_P = 0.5  # which number runs have at least, if they are p-values of all features
MOSTLY = 0.5  # such a share of ones among what is not 0 is a 0/1 table with a wrong cell, not a table of importances


def entries_of_numbers(found: Wide, reading: ReadOptions) -> Entries:
    """The runs of a wide table of numbers; the notes say what was understood where that is not plain 0 and 1."""
    found, notes = _named_rows(found, reading.transpose)
    headed_p, numbered_p = _is_headed_p(found), _is_headed_p_or_number(found)
    if reading.transpose is None and not found.transposed:
        found = _turned_by_content(found, headed_p=headed_p)
    columns = found.labels if reading.transpose or found.transposed else found.features
    within = _wider(columns, reading.features)
    wide = oriented(found, WHAT, None if within else reading.features, None, transpose=reading.transpose)
    array = np.asarray(wide.array)
    # A number behind p says nothing about the cells where it belongs to the name of a feature.
    unclear_p = numbered_p and bool(wide.transposed)
    kind = kind_of_numbers(array, reading, headed_p=headed_p, unclear_p=unclear_p)
    _refuse_top_of_all(array.shape, reading, wide.transposed)
    if kind == WIDE and reading.top is not None:
        raise InputError(Argument("top", reading.top), " needs ranks or importances; the table holds 0 and 1.")
    if kind == IMPORTANCES and reading.layout is None and reading.top is None and found.labels is None:
        _refuse_names_that_are_numbers(np.asarray(found.array, dtype=np.float64))
    if kind == RANKS:
        entries = entries_of_ranks(array, wide.features, wide.labels, reading.top)
    elif kind == P_VALUES:
        entries = entries_of_p_values(array, wide.features, wide.labels, reading.top)
    else:
        matrix = read_matrix(array, WHAT, wide.features, wide.labels, transpose=False)
        advice = f"{ZERO_ONE_ONLY}; for importances give ", Argument("layout", IMPORTANCES)
        weighted = kind == IMPORTANCES
        entries = entries_of_weights(matrix, kind, reading.top) if weighted else entries_of_matrix(matrix, *advice)
    entries = _in_universe(entries, reading)
    n_missing = int(np.isnan(array).sum()) if kind == P_VALUES else 0
    if n_missing:
        notes = [*notes, f"{several(n_missing, 'cell')} without a p-value: not selected"]
    marks = found.marks
    plain = kind == WIDE and not marks and not notes and not wide.transposed and entries.n_features == array.shape[1]
    return entries if plain else entries._replace(notes=(_line(entries, kind, wide, reading, marks), *notes))


def _refuse_names_that_are_numbers(array: Floats) -> None:
    """Refuse fractions that may be names of features, such as masses: one column, or columns that share numbers.

    Such names are positive; signed numbers are coefficients.
    """
    if not np.all(array > 0):
        return
    once_each = all(len(np.unique(column)) == len(column) for column in array.T)
    _, counts = np.unique(array, return_counts=True)
    shared = array.shape[1] == 1 or bool(np.any(counts > 1))
    if len(array) > 1 and once_each and shared:
        told = "The table holds numbers, which may be importances or the names of features in lists; give "
        raise InputError(told, *either("layout", IMPORTANCES, COLUMNS), ".")


def _is_headed_p(found: Wide) -> bool:
    """Whether the headings of all columns say that these hold p-values."""
    return found.features is not None and all(headings.is_p_value(str(name)) for name in found.features)


def _is_headed_p_or_number(found: Wide) -> bool:
    """Whether all headings are of p-values or may be: p_1, p_2."""
    names = [] if found.features is None else [str(name) for name in found.features]
    return bool(names) and all(headings.is_p_value(name) or headings.is_numbered_p(name) for name in names)


def _turned_by_content(found: Wide, *, headed_p: bool) -> Wide:
    """Return the table with its rows as features if its numbers and names say so; refuse it if they may be either.

    A heading such as run or fold above the names of the rows has said that they are runs.
    """
    array, columns, rows = np.asarray(found.array, dtype=np.float64), found.features, found.labels
    run_heading = found.first is not None and headings.is_run_word(found.first)
    gaps = bool(np.isnan(array).any()) and not headed_p
    if gaps or len(array) < 2 or run_heading:
        return found
    marks = bool(np.isin(array, (0, 1)).all())
    called = columns is not None and headings.are_called_runs(columns)
    names = [] if rows is None else [str(name) for name in rows]
    called_rows = bool(names) and headings.are_called_runs(names)
    in_rows = not marks and (_counts_from(array, 1) or _are_tied_ranks(array))
    in_columns = not marks and (_counts_from(array.T, 1) or _are_tied_ranks(array.T))
    if called_rows or (in_rows and not in_columns):
        return found
    numbered = not names or headings.are_row_numbers(names, None)
    if in_columns or (headed_p and not marks) or (called and not numbered and not marks):
        return found._replace(transposed=True)
    like_features = bool(names) and all(map(headings.LIKE_FEATURES.fullmatch, names))
    many = far_more_runs(*array.shape) and not marks and _may_be_features(names)
    if like_features or (called and numbered and not marks) or many:
        raise _unclear(array.shape, names)
    return found


def refuse_unnamed_first_column(found: Wide) -> None:
    """Refuse a table with more rows than columns, whose rows have names that runs hardly have, below no heading."""
    names = [] if found.labels is None else [str(name) for name in found.labels]
    if not names or found.transposed is not None or found.array.shape[0] <= found.array.shape[1]:
        return
    if headings.are_row_numbers(names, None) or _turned_by_content(found, headed_p=_is_headed_p(found)).transposed:
        return
    like_runs = all(map(headings.RUN_LIKE.fullmatch, names))
    if not like_runs or all(headings.is_number(name) and len(name) >= DIGITS for name in names):
        raise _unclear(found.array.shape, names)


def _unclear(shape: tuple[int, ...], names: Sequence[str]) -> InputError:
    """The sentence for a table whose rows may be runs or features."""
    shown = some_names(names) if names else "without names"
    told = f"{WHAT} reads as {shape[0]:,} runs ({shown}) of {shape[1]:,} features; "
    ways = Argument("transpose", True), "; if they are the runs, ", Argument("transpose", False)
    return InputError(f"{told}if its rows are the features, give ", *ways, ".")


def _may_be_features(names: Sequence[str]) -> bool:
    """Whether rows have no names, numbers, or names that runs may have: others are asked about in any case."""
    return not names or all(map(headings.RUN_LIKE.fullmatch, names))


def _refuse_top_of_all(shape: tuple[int, ...], reading: ReadOptions, transposed: bool | None) -> None:
    """Refuse to select as many features as there are, where the other way round there are more."""
    n_runs, n_features = shape
    if reading.top is None or reading.top < n_features or reading.top >= n_runs or reading.transpose is not None:
        return
    told = f" is all of the {n_features:,} features of each of {n_runs:,} runs. If the "
    side = "columns" if transposed else "rows"
    ways = f"{side} are the features, give ", Argument("transpose", not transposed), "; else give a smaller number."
    raise InputError(Argument("top", reading.top), told, *ways)


def kind_of_numbers(array: Floats, reading: ReadOptions, *, headed_p: bool = False, unclear_p: bool = False) -> str:
    """What the numbers are: wide (0 and 1), ranks, p-values or importances; refused where two readings are plausible.

    `headed_p`: the headings of the columns say that these hold p-values; `unclear_p`: they may say so.
    """
    if reading.layout in (WIDE, RANKS, IMPORTANCES, P_VALUES):
        return reading.layout
    if headed_p and _are_p_values_with_gaps(array):
        return P_VALUES
    values = array[array != 0]
    ones = float(np.mean(values == 1)) if values.size else 1.0
    if ones == 1.0 or np.isnan(array).any() or ones >= MOSTLY:
        return WIDE  # whose own check names the cell that is neither 0 nor 1
    if _are_tied_ranks(array):
        return RANKS
    within = bool(np.all((array >= 0) & (array <= 1)))
    if np.any(array != np.floor(array)) or np.any(array < 0) or (np.any(array == 0) and not _counts_from(array, 0)):
        if not within or not (unclear_p or _may_be_p_values(array)):
            return IMPORTANCES
        told = (
            "The numbers are all from 0 to 1: they may be importances, of which the largest count, or p-values; give "
        )
        raise InputError(told, *either("layout", IMPORTANCES, P_VALUES), ".")
    if _counts_from(array, 1) and len(array) > 1 and any(len(np.unique(column)) < len(column) for column in array.T):
        return RANKS
    told = "The table holds whole numbers, which may be ranks from 1, importances, or identifiers in lists; give "
    raise InputError(told, *either("layout", RANKS, IMPORTANCES, COLUMNS, ROWS), ".")


def _are_p_values_with_gaps(array: Floats) -> bool:
    """Whether all numbers are from 0 to 1 but for those that are missing, and most of them are neither."""
    known = array[~np.isnan(array)]
    within = bool(np.all((known >= 0) & (known <= 1)))
    return within and known.size > 0 and float(np.mean(np.isin(known, (0, 1)))) < MOSTLY


def _may_be_p_values(array: Floats) -> bool:
    """Whether numbers from 0 to 1 may be p-values.

    They are not if the numbers of a run add up to 1, as importances of forests do, if each run has a 1 and a 0, as
    scaled importances have, or if zeros say that a feature was not selected.
    """
    shares = np.allclose(array.sum(axis=1), 1, atol=0.02)
    scaled = bool(np.all((array.max(axis=1) == 1) & (array.min(axis=1) == 0)))
    zeros = float(np.mean(array == 0)) > MANY_ZEROS
    return bool(array.shape[1] > 1 and np.all(array.max(axis=1) > HIGH_P) and not (shares or scaled or zeros))


def entries_of_p_values(values: Any, features: Names, labels: Names, top: int | None) -> Entries:
    """A runs x features table of p-values: selected are the `top` smallest of each run, without it all.

    The ranks go with them, equal p-values sharing the mean of theirs. A feature without a p-value (NaN) is selected in
    no run and comes last.
    """
    missing = np.isnan(values)
    bad = np.argwhere(~(((values >= 0) & (values <= 1)) | missing))
    if bad.size:
        i, f = bad[0]
        raise InputError(f"{WHAT} holds {values[i, f]:g} for run {i + 1}; p-values are from 0 to 1.")
    ranks = np.array([_mean_ranks(row) for row in np.where(missing, np.inf, values)])
    if top is not None:
        for i, row in enumerate(values):
            order = np.sort(row[~missing[i]])
            if top < len(order) and order[top - 1] == order[top]:
                told = f"Run {i + 1} has several p-values of {order[top]:g} at the border of its {top} smallest; "
                raise InputError(f"{told}give another ", Argument("top"), ".")
    entries = entries_of_ranks(ranks, features, labels, None)
    if top is None and not missing.any():
        return entries
    run, feature = np.nonzero((ranks <= (ranks.shape[1] if top is None else top)) & ~missing)
    indptr = row_pointers(np.bincount(run, minlength=len(ranks)))
    d = entries.n_features
    return checked_entries(indptr, feature.astype(np.int64), None, d, entries.names, labels, rankings=ranks)


def _mean_ranks(row: Floats) -> Floats:
    """The ranks of numbers, the smallest first, equal ones sharing the mean of theirs."""
    _, place, counts = np.unique(row, return_inverse=True, return_counts=True)
    last = np.cumsum(counts)
    means: Floats = (last - (counts - 1) / 2)[place.reshape(-1)]
    return means


def entries_of_ranks(ranks: Any, features: Names, labels: Names, top: int | None) -> Entries:
    """A runs x features table of ranks (1 = best): selected are those of rank at most `top`, without it all."""
    names, d = feature_names(features, ranks.shape[1], what=WHAT)
    check_ranks(ranks, names)
    if top is not None and not (isinstance(top, (int, np.integer)) and not isinstance(top, bool) and 0 <= top <= d):
        raise wrong_argument("top", f"a whole number from 0 to {d}, the number of features", top)
    run, feature = np.nonzero(ranks <= (d if top is None else top))
    indptr = row_pointers(np.bincount(run, minlength=len(ranks)))
    return checked_entries(indptr, feature.astype(np.int64), None, d, names, labels, rankings=ranks)


def entries_of_weights(table: Matrix, what: str, top: int | None = None) -> Entries:
    """A runs x features table of weights: selected are those that are not 0, or the `top` largest of them."""
    table.refuse(~np.isfinite(table.values), f"{what} are finite numbers")
    weights = table.values.astype(np.float64)
    return table.entries(weights, None if top is None else _largest(table.run, weights, top))


def _largest(run: Ints, weights: Floats, top: int) -> Bools:
    """Which entries are among the `top` largest of their run in absolute value; a tie at the border is refused."""
    keep = np.ones(len(weights), dtype=np.bool_)
    for i in np.flatnonzero(np.bincount(run) > top):
        own = slice(*np.searchsorted(run, (i, i + 1)))
        size = np.abs(weights[own])
        order = np.argsort(-size, kind="stable")
        if size[order[top - 1]] == size[order[top]]:
            told = f"Run {i + 1} has several importances of {size[order[top]]:g} at the border of its {top} largest; "
            raise InputError(f"{told}give another ", Argument("top"), ".")
        keep[own][order[top:]] = False
    return keep


def may_name_rows(found: Wide, transpose: bool | None) -> bool:
    """Whether a first column of numbers may name the rows: headings say so, or it alone is not 0 and 1."""
    if found.labels is not None or found.features is None or found.array.shape[1] < 2 or len(found.array) < 2:
        return False
    first, others = found.array[:, 0], found.array[:, 1:]
    if np.isin(first, (0, 1)).all():
        return False
    heading, told = str(found.features[0]), told_transposed(found.features, transpose)
    if headings.CALLED_RUN.fullmatch(heading):
        return False
    if not np.any(first != np.floor(first)) and np.any(others != np.floor(others)) and headings.may_head_names(heading):
        return True
    if headings.may_head_names(heading) and _counts_from(others.T, 1) and len(np.unique(first)) == len(first):
        return True
    if (told and headings.is_feature_word(heading)) or told_transposed(found.features, None):
        return True
    whole, marks = not np.any(first != np.floor(first)), bool(np.isin(others, (0, 1)).all())
    return (headings.is_run_word(heading) and (whole or marks)) or (marks and (whole or transpose is not None))


def _named_rows(found: Wide, transpose: bool | None) -> tuple[Wide, list[str]]:
    """The table without a first column of numbers that name the rows, each of them once."""
    if not may_name_rows(found, transpose):
        return found, []
    labels = as_written(found.array[:, 0].tolist()) if found.written is None else list(found.written)
    if len(set(labels)) < len(labels) or "" in labels:
        return found, []
    assert found.features is not None
    heading, others = str(found.features[0]), found.array[:, 1:]
    told = told_transposed(found.features, transpose)
    if told is None and not headings.is_run_word(heading) and not headings.are_row_numbers(labels, None):
        raise unknown_rows(WHAT, "numbers", heading, labels)
    named = found._replace(array=others, features=found.features[1:], labels=labels, transposed=told, first=heading)
    return named, [f"the first column {heading!r} names the rows"]


def _wider(columns: Names, features: Names) -> bool:
    """Whether the features that are given are more than those of the table, and among them."""
    if columns is None or features is None or isinstance(features, (str, bytes)) or len(features) <= len(columns):
        return False
    known = set(map(str, features))
    unknown = [str(name) for name in columns if str(name) not in known]
    if unknown and len(unknown) < len(columns):
        raise InputError(
            f"{WHAT} has {some_names(unknown)}, which the universe of {len(features):,} features does not have."
        )
    return not unknown


def _in_universe(entries: Entries, reading: ReadOptions) -> Entries:
    """The same runs over more features than the table has columns for."""
    own, d = entries.features, reading.n_features
    if reading.features is not None and len(reading.features) > len(own):
        feature_names(reading.features, d, what=WHAT)
        return reordered(entries, reading.features, WHAT)
    if d is not None and d > len(own):
        feature_names(None, d, what=WHAT)
        return reordered(entries, AppearanceOrder([*own, *placeholders(set(own), d - len(own))]), WHAT)
    if d is not None and d != len(own):
        raise InputError(f"{WHAT} has {len(own)} feature columns, but {d} features were announced.")
    return entries


def _line(entries: Entries, kind: str, wide: Wide, reading: ReadOptions, marks: bool) -> str:
    """What was understood."""
    kinds = {WIDE: " of marks" if marks else "", RANKS: " of ranks", IMPORTANCES: " of importances"}
    what = kinds.get(kind, " of p-values, of which small ones are good")
    where = several(entries.n_runs, "column" if wide.transposed else "row")
    turned = " (the rows are the features)" if wide.transposed else ""
    line = f"{several(entries.n_runs, 'run')} from {where}{turned}{what}; {universe_in_words(entries.features)}"
    if kind == WIDE:
        return line
    if reading.top is not None:
        bests = {RANKS: "of rank 1 to", P_VALUES: "the smallest:"}
        return f"{line}; selected: {bests.get(kind, 'the largest in absolute value:')} {reading.top:,}"
    full = len(entries.indices) == entries.n_runs * entries.n_features
    if not full and kind != P_VALUES:
        return f"{line}; selected: what is not 0"
    with_p_value = "" if full else " with a p-value"
    return f"{line}; selected: all features{with_p_value}, as top is not given"


def _are_tied_ranks(array: Floats) -> bool:
    """Whether every run has the numbers 1 to d where equal ones share their mean, as 1.5, 1.5, 3; some are equal."""
    d = array.shape[1]
    halves = np.all(2 * array == np.floor(2 * array)) and np.any(array != np.floor(array))
    within = np.all((array >= 1) & (array <= d))
    return bool(halves and within and len(array) > 1 and np.all(array.sum(axis=1) == d * (d + 1) / 2))


def _counts_from(array: Floats, first: int) -> bool:
    """Whether every run has the whole numbers from `first` on, each of them once."""
    wanted = np.arange(first, first + array.shape[1])
    return np.array_equal(np.sort(array, axis=1), np.broadcast_to(wanted, array.shape))
