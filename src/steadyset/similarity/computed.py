"""Similarities that are computed from data when they are asked for: nothing of size d x d is ever kept."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Iterator, Sequence
from functools import cached_property
from typing import Any, Literal, NamedTuple, get_args

import numpy as np
import numpy.typing as npt

from steadyset.foundation.arguments import check_choice, check_flag, check_integer, check_number
from steadyset.foundation.errors import Argument, InputError
from steadyset.io.labels import describe_feature, feature_names
from steadyset.io.numbers import is_frame, number_array, number_frame
from steadyset.kernels import similarity
from steadyset.kernels.arrays import Floats, Ints, Places
from steadyset.similarity.alike import COLUMNS_A_CHUNK, unit_rows
from steadyset.similarity.store import TIE, Neighbours, Store, frozen_graph

Method = Literal["pearson", "spearman", "mutual_info"]
SIDE = 2048  # features on each side of a block
SINGLE = 2e-5  # how far a similarity in single precision may be off, at least
NAMED_FEATURES = 5
PAIRS_A_CHUNK = 1 << 14
LEAST_FOR_TEST = 3  # rows: the test of a correlation has n - 2 degrees of freedom


class ComputedStore(Store):
    """The graph is found in two steps: blocks in single precision, then what comes near the threshold in double."""

    rounding = SINGLE

    @abstractmethod
    def _rough_blocks(self) -> Callable[[slice, slice], npt.NDArray[np.float32]]:
        """What gives a block of given rows and columns that is, but for signs, off by at most `rounding`."""

    @abstractmethod
    def _exact(self, f: Places, g: Places) -> Floats:
        """The similarities of some pairs of different features."""

    @cached_property
    def total(self) -> float:
        all_features = np.arange(self.n_features)
        total = 0.0
        for rows, columns in self._tiles():
            block = self.block(all_features[rows], all_features[columns])
            total += float(block.sum() - block.trace()) if rows == columns else 2 * float(block.sum())
        return total

    def neighbours(self, threshold: float) -> Neighbours:
        low = threshold - self.rounding
        rough = self._rough_blocks()
        edges: list[tuple[Places, Places, Floats]] = []
        for rows, columns in self._tiles():
            f, g = similarity.pairs_above(rough(rows, columns), low, rows.start, columns.start)
            if len(f):
                values = self._exact(f, g)
                near = values >= threshold - TIE
                edges.append((f[near], g[near], values[near]))
        if not edges:
            edges = [(np.empty(0, np.int32), np.empty(0, np.int32), np.empty(0))]
        f, g, values = (np.concatenate(part) for part in zip(*edges, strict=True))
        return frozen_graph(*similarity.graph_rows(f, g, values, self.n_features))

    def _tiles(self) -> Iterator[tuple[slice, slice]]:
        """The blocks of the upper triangle, row after row."""
        starts = range(0, self.n_features, SIDE)
        for i in starts:
            for j in starts[i // SIDE :]:
                yield slice(i, min(i + SIDE, self.n_features)), slice(j, min(j + SIDE, self.n_features))


class CorrelationStore(ComputedStore):
    """Absolute correlations: products of features that are centred and scaled to length 1 (constant ones: to 0).

    With `positive` negative correlations count as 0.
    """

    def __init__(self, columns: Floats, *, positive: bool = False) -> None:
        super().__init__(columns.shape[1])
        self.positive = positive
        self._unit = unit_rows(columns)
        # The error of a sum of n products of two unit vectors is at most about n units in the last place.
        self.rounding = max(SINGLE, (columns.shape[0] + 8) * 2.0**-24)

    def block(self, rows: Ints, columns: Ints) -> Floats:
        products = self._unit[rows] @ self._unit[columns].T
        block = np.maximum(products, 0.0) if self.positive else np.abs(products)
        np.minimum(block, 1.0, out=block)
        block[rows[:, None] == columns] = 1.0
        return block

    def _rough_blocks(self) -> Callable[[slice, slice], npt.NDArray[np.float32]]:
        single = self._unit.astype(np.float32)
        room = np.empty(min(SIDE, self.n_features) ** 2, dtype=np.float32)

        def rough(rows: slice, columns: slice) -> npt.NDArray[np.float32]:
            left, right = single[rows], single[columns]
            return np.matmul(left, right.T, out=room[: len(left) * len(right)].reshape(len(left), len(right)))

        return rough

    def _exact(self, f: Places, g: Places) -> Floats:
        values = similarity.absolute_products(self._unit, f, g)
        if self.positive:
            for start in range(0, len(f), PAIRS_A_CHUNK):
                part = slice(start, start + PAIRS_A_CHUNK)
                signs = np.einsum("ij,ij->i", self._unit[f[part]], self._unit[g[part]])
                values[part][signs < 0] = 0.0
        return values


class MutualInformationStore(ComputedStore):
    """Normalised mutual information I / sqrt(H H) of features cut into levels."""

    def __init__(self, levels: Ints) -> None:
        super().__init__(len(levels))
        n_levels = levels.max(axis=1) + 1
        n = levels.shape[1]
        xlogx = np.concatenate([[0.0], np.arange(1, n + 1) * np.log(np.arange(1, n + 1))])
        bits, counts = similarity.pack_levels(levels, int(n_levels.max()))
        self._table = similarity.LevelTable(bits, counts, n_levels, xlogx[counts].sum(axis=1), xlogx)

    def block(self, rows: Ints, columns: Ints) -> Floats:
        block = similarity.mutual_block(self._table, rows, columns)
        block[rows[:, None] == columns] = 1.0
        return block

    def _rough_blocks(self) -> Callable[[slice, slice], npt.NDArray[np.float32]]:
        all_features = np.arange(self.n_features)
        return lambda rows, columns: self.block(all_features[rows], all_features[columns]).astype(np.float32)

    def _exact(self, f: Places, g: Places) -> Floats:
        return similarity.mutual_pairs(self._table, f.astype(np.int64), g.astype(np.int64))


class SimilarColumns(NamedTuple):
    """Similarities of columns, their names, notes, and the threshold of a test if one was asked for."""

    store: ComputedStore
    names: tuple[str, ...] | None
    notes: tuple[str, ...]
    threshold: float | None


def data_store(
    X: Any,
    method: Method,
    features: Sequence[str] | None,
    bins: int,
    *,
    positive: bool = False,
    significant: float | None = None,
) -> SimilarColumns:
    """Return the similarities of the columns of X, with notes on constant columns and on the test."""
    check_choice("method", method, get_args(Method))
    check_integer("bins", bins, least=2)
    check_flag("positive", positive)
    if method == "mutual_info":
        _refuse_for_mutual_information("positive", given=positive)
        _refuse_for_mutual_information("significant", given=significant is not None)
    columns, names = _data_columns(X, features)
    constant = np.flatnonzero(columns.min(axis=0) == columns.max(axis=0))
    notes = []
    if constant.size:
        shown = ", ".join(names[f] if names is not None else str(f) for f in constant[:NAMED_FEATURES])
        more = f" and {len(constant) - NAMED_FEATURES} more" if len(constant) > NAMED_FEATURES else ""
        subject = "1 constant feature is" if len(constant) == 1 else f"{len(constant)} constant features are"
        notes.append(f"{subject} similar to no other: {shown}{more}")
    if method == "mutual_info":
        return SimilarColumns(MutualInformationStore(_levels(columns, bins)), names, tuple(notes), None)
    threshold = None
    if significant is not None:
        threshold = least_significant(len(columns), significant, positive=positive)
        sides = "one-sided" if positive else "two-sided"
        kind = "Pearson" if method == "pearson" else "Spearman"
        notes.append(
            f"two features are similar from a {kind} correlation of {threshold:.3g} on, which is significant at the "
            f"level {significant:g} ({sides} t-test, n = {len(columns)} rows, not adjusted for the number of pairs)"
        )
    store = CorrelationStore(_ranks(columns) if method == "spearman" else columns, positive=positive)
    return SimilarColumns(store, names, tuple(notes), threshold)


def least_significant(n_rows: int, level: float, *, positive: bool) -> float:
    """Return the smallest correlation of n rows that a t-test finds significant at this level.

    t = r sqrt((n - 2) / (1 - r^2)) has n - 2 degrees of freedom for normal features, and about so for ranks. The test
    is one-sided for `positive` correlations, else two-sided.
    """
    from scipy.stats import t as student

    check_number("significant", level, most=0.5, or_equal=False)
    if n_rows < LEAST_FOR_TEST:
        raise InputError(f"X has {n_rows} rows; a test of a correlation needs at least {LEAST_FOR_TEST}.")
    quantile = float(student.isf(level if positive else level / 2, n_rows - 2))
    return quantile / float(np.sqrt(n_rows - 2 + quantile**2))


def _refuse_for_mutual_information(name: str, *, given: bool) -> None:
    if given:
        raise InputError(
            Argument(name),
            " is for correlations, which have a sign and one test for all pairs. Choose ",
            Argument("method", "pearson"),
            " or ",
            Argument("method", "spearman"),
            ".",
        )


def _data_columns(X: Any, features: Sequence[str] | None) -> tuple[Floats, tuple[str, ...] | None]:
    if hasattr(X, "tocsr"):
        raise InputError("X is a sparse matrix; give a dense array or a frame, such as X.toarray().")
    if is_frame(X):
        X, columns = number_frame(X, "X")
        features = columns if features is None else features
    table = number_array(X, "X").astype(np.float64, copy=False)
    if table.ndim != 2 or table.shape[1] == 0:
        raise InputError(
            f"X has the shape {table.shape}; expected a table with one row per sample and one column per feature."
        )
    if table.shape[0] < 2:
        raise InputError(f"X has the shape {table.shape}; at least 2 rows are needed to see how features vary.")
    names, _ = feature_names(features, table.shape[1], what="from_data")
    finite = np.isfinite(table)
    if not finite.all():
        row, f = np.argwhere(~finite)[0]
        kind = "a missing" if np.isnan(table[row, f]) else "an infinite"
        which = describe_feature(int(f), names)
        raise InputError(f"X has {kind} value in row {row + 1}, {which}; expected finite numbers.")
    return table, names


def _ranks(columns: Floats) -> Floats:
    """Average ranks within each column."""
    from scipy.stats import rankdata

    ranks = np.empty(columns.shape)
    for start in range(0, columns.shape[1], COLUMNS_A_CHUNK):
        part = slice(start, start + COLUMNS_A_CHUNK)
        ranks[:, part] = rankdata(columns[:, part], axis=0)
    return ranks


def _levels(columns: Floats, bins: int) -> Ints:
    """Features x rows: the distinct values where there are at most `bins` of them, else bins of equal frequency.

    Equal values share a bin, and bins that stay empty are left out.
    """
    from scipy.stats import rankdata

    n, d = columns.shape
    levels = np.empty((d, n), dtype=np.int64)
    for start in range(0, d, COLUMNS_A_CHUNK):
        part = slice(start, start + COLUMNS_A_CHUNK)
        dense = rankdata(columns[:, part], axis=0, method="dense").astype(np.int64) - 1
        cut = (bins * (rankdata(columns[:, part], axis=0) - 0.5) / n).astype(np.int64)
        cut = rankdata(cut, axis=0, method="dense").astype(np.int64) - 1
        levels[part] = np.where(dense.max(axis=0) < bins, dense, cut).T
    return levels
