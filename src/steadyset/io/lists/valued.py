"""Wide tables of numbers, runs x features: 0 and 1, ranks, or importances; which of them, and what is then selected."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from typing import Any

import numpy as np

from steadyset.foundation.arguments import wrong_argument
from steadyset.foundation.errors import Argument, InputError
from steadyset.io.data.phenotypes import as_written
from steadyset.io.formats.headings import are_row_numbers, is_feature_word, is_run_word
from steadyset.io.labels import AppearanceOrder, feature_names, placeholders, several, some_names
from steadyset.io.lists.entries import (
    COLUMNS,
    IMPORTANCES,
    RANKS,
    ROWS,
    WIDE,
    Entries,
    Reading,
    checked_entries,
    reordered,
    row_pointers,
    universe_in_words,
)
from steadyset.io.lists.lists import check_ranks
from steadyset.io.lists.wide import (
    ZERO_ONE_ONLY,
    Matrix,
    Wide,
    entries_of_matrix,
    oriented,
    read_matrix,
    told_transposed,
    unknown_rows,
)
from steadyset.kernels.arrays import Bools, Floats, Ints

WHAT = "The table"
MOSTLY = 0.5  # such a share of ones among what is not 0 is a 0/1 table with a wrong cell, not a table of importances


def entries_of_numbers(found: Wide, reading: Reading, *, marks: bool = False) -> Entries:
    """The runs of a wide table of numbers; the notes say what was understood where that is not plain 0 and 1."""
    found, notes = _named_rows(found, reading.transpose)
    columns = found.labels if reading.transpose or found.transposed else found.features
    within = _wider(columns, reading.features)
    wide = oriented(found, WHAT, None if within else reading.features, None, transpose=reading.transpose)
    array = np.asarray(wide.array)
    kind = kind_of_numbers(array, reading)
    if kind == WIDE and reading.top is not None:
        raise InputError(Argument("top", reading.top), " needs ranks or importances; the table holds 0 and 1.")
    if kind == RANKS:
        entries = entries_of_ranks(array, wide.features, wide.labels, reading.top)
    else:
        matrix = read_matrix(array, WHAT, wide.features, wide.labels, transpose=False)
        advice = f"{ZERO_ONE_ONLY}; for importances give ", Argument("layout", IMPORTANCES)
        weighted = kind == IMPORTANCES
        entries = entries_of_weights(matrix, kind, reading.top) if weighted else entries_of_matrix(matrix, *advice)
    entries = _in_universe(entries, reading)
    plain = kind == WIDE and not marks and not notes and not wide.transposed and entries.n_features == array.shape[1]
    return entries if plain else entries._replace(notes=(_line(entries, kind, wide, reading, marks), *notes))


def kind_of_numbers(array: Floats, reading: Reading) -> str:
    """What the numbers are: wide (0 and 1), ranks or importances; refused where two readings are plausible."""
    if reading.layout in (WIDE, RANKS, IMPORTANCES):
        return reading.layout
    values = array[array != 0]
    ones = float(np.mean(values == 1)) if values.size else 1.0
    if ones == 1.0 or np.isnan(array).any() or ones >= MOSTLY:
        return WIDE  # whose own check names the cell that is neither 0 nor 1
    if _are_tied_ranks(array):
        return RANKS
    if np.any(array != np.floor(array)) or np.any(array < 0) or (np.any(array == 0) and not _counts_from(array, 0)):
        return IMPORTANCES
    if _counts_from(array, 1) and len(array) > 1 and not _all_distinct(array.T):
        return RANKS
    raise InputError(
        "The table holds whole numbers, which may be ranks from 1, importances, or identifiers in lists; give ",
        Argument("layout", RANKS),
        ", ",
        Argument("layout", IMPORTANCES),
        ", ",
        Argument("layout", COLUMNS),
        " or ",
        Argument("layout", ROWS),
        ".",
    )


def entries_of_ranks(
    ranks: Any, features: Sequence[str] | None, labels: Sequence[str] | None, top: int | None
) -> Entries:
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
    bad = np.flatnonzero(~np.isfinite(table.values))
    if bad.size:
        table.complain(bad[0], f"{what} are finite numbers")
    indptr, indices, weights = table.indptr, table.indices, table.values.astype(np.float64)
    if top is not None:
        keep = _largest(indptr, weights, top)
        indptr = row_pointers([int(keep[a:b].sum()) for a, b in itertools.pairwise(indptr)])
        indices, weights = indices[keep], weights[keep]
    return checked_entries(indptr, indices, weights, table.d, table.names, table.labels)


def _largest(indptr: Ints, weights: Floats, top: int) -> Bools:
    """Which entries are among the `top` largest of their run in absolute value; a tie at the border is refused."""
    keep = np.ones(len(weights), dtype=np.bool_)
    for i, (start, end) in enumerate(itertools.pairwise(indptr)):
        size = np.abs(weights[start:end])
        if len(size) > top:
            order = np.argsort(-size, kind="stable")
            if size[order[top - 1]] == size[order[top]]:
                raise InputError(
                    f"Run {i + 1} has several importances of {size[order[top]]:g} at the border of its {top} largest; "
                    "give another ",
                    Argument("top"),
                    ".",
                )
            keep[start:end] = False
            keep[start + order[:top]] = True
    return keep


def may_name_rows(found: Wide, transpose: bool | None) -> bool:
    """Whether a first column of numbers may name the rows: headings say so, or it alone is not 0 and 1."""
    if found.labels is not None or found.features is None or found.array.shape[1] < 2 or len(found.array) < 2:
        return False
    first, others = found.array[:, 0], found.array[:, 1:]
    if np.isin(first, (0, 1)).all():
        return False
    heading, told = str(found.features[0]), told_transposed(found.features, transpose)
    if (told and is_feature_word(heading)) or told_transposed(found.features, None):
        return True
    whole, marks = not np.any(first != np.floor(first)), bool(np.isin(others, (0, 1)).all())
    return (is_run_word(heading) and (whole or marks)) or (marks and (whole or transpose is not None))


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
    if told is None and not is_run_word(heading) and not are_row_numbers(labels, None):
        raise unknown_rows(WHAT, "numbers", heading, labels)
    named = found._replace(array=others, features=found.features[1:], labels=labels, transposed=told)
    return named, [f"the first column {heading!r} names the rows"]


def _wider(columns: Sequence[str] | None, features: Sequence[str] | None) -> bool:
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


def _in_universe(entries: Entries, reading: Reading) -> Entries:
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


def _line(entries: Entries, kind: str, wide: Wide, reading: Reading, marks: bool) -> str:
    """What was understood."""
    what = {WIDE: " of marks" if marks else "", RANKS: " of ranks", IMPORTANCES: " of importances"}[kind]
    where = several(entries.n_runs, "column" if wide.transposed else "row")
    turned = " (the rows are the features)" if wide.transposed else ""
    line = f"{several(entries.n_runs, 'run')} from {where}{turned}{what}; {universe_in_words(entries.features)}"
    if kind == WIDE:
        return line
    if reading.top is not None:
        best = "of rank 1 to" if kind == RANKS else "the largest in absolute value:"
        return f"{line}; selected: {best} {reading.top:,}"
    full = len(entries.indices) == entries.n_runs * entries.n_features
    return f"{line}; selected: {'all features, as top is not given' if full else 'what is not 0'}"


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


def _all_distinct(rows: Any) -> bool:
    return all(len(np.unique(row)) == len(row) for row in rows)
