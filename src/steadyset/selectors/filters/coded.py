"""Discretised data of one resample, and what features tell about the target two at a time."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np

from steadyset.kernels.arrays import Bools, Bytes, Codes, Floats, Ints, Numbers
from steadyset.kernels.information import (
    pair_sums,
    table_sums,
    whole_sums,
)
from steadyset.selectors.filters.moments import ratio
from steadyset.selectors.filters.tables import entropies, tables_of_blocks, target_codes

CELLS_A_ROW = 16  # a table with more cells than this for each row is mostly empty: its rows are visited, not its cells
MAX_LEVELS = 256  # what a byte can tell apart
MAX_GAINS = 1 << 18  # two megabytes: terms of all pairs of counts in two classes


class Whole(NamedTuple):
    """The same data for whole weights and features with few levels, as small numbers."""

    codes: Bytes
    levels: Numbers
    classes: Numbers
    weights: Numbers


class Gains(NamedTuple):
    """What a cell of the table (x, w) loses when it is split into two classes: one look-up in place of three.

    A cell with a rows of the first class and b of the second has the count a * base + b.
    """

    weights: Numbers
    terms: Ints

    @classmethod
    def of(cls, whole: Whole, table: Ints) -> Gains:
        base, counts = table.size, np.arange(table.size)
        both = np.minimum(counts[:, None] + counts, base - 1)  # no cell has more rows than there are
        digits = np.where(whole.classes == 0, base, 1)
        return cls((whole.weights * digits).astype(np.uint32), np.ravel(table[:, None] + table - table[both]))


@dataclass(frozen=True)
class Coded:
    """Discretised data of one resample with what every step needs: H(X) and I(Y; X) of each feature, in bits."""

    codes: Codes
    levels: Ints
    classes: Ints
    weights: Floats
    class_totals: Floats
    clogc: tuple[Ints, float]
    entropy: Floats
    relevance: Floats

    @classmethod
    def of(cls, X: Floats, y: Ints | Floats, weights: Floats, method: str) -> Coded:
        classes, codes = target_codes(y, weights[None]), np.empty(X.shape[::-1], np.int32)
        entropy, relevance = np.empty((2, X.shape[1]))
        for block, tables in tables_of_blocks(X, classes, weights[None], method):
            codes[block.features] = block.codes
            entropy[block.features], _, relevance[block.features] = entropies(tables)
        levels = codes.max(axis=1).astype(np.int64) + 1
        return cls(codes, levels, classes[0], weights, tables.class_totals, tables.clogc, entropy, relevance)

    @cached_property
    def target_sums(self) -> tuple[int, int]:
        """c log c of all rows, and its sum over the classes."""
        total, classes = table_sums(self.class_totals[None, None, :], *self.clogc)
        return int(total[0]), int(classes[0])

    @cached_property
    def unit(self) -> float:
        """What a bit is in the sums of c log c."""
        return float(self.class_totals.sum() * self.clogc[1] * np.log(2))

    @cached_property
    def whole(self) -> Whole | None:
        table, most = self.clogc[0], int(self.levels.max())
        if table.size == 0 or most > MAX_LEVELS or most**2 * self.class_totals.size > CELLS_A_ROW * self.classes.size:
            return None
        return Whole(
            self.codes.astype(np.uint8),
            self.levels.astype(np.uint32),
            self.classes.astype(np.uint32),
            self.weights.astype(np.uint32),
        )

    @cached_property
    def gains(self) -> Gains | None:
        table = self.clogc[0]
        if self.whole is None or self.class_totals.size != 2 or table.size**2 > MAX_GAINS:
            return None
        return Gains.of(self.whole, table)


@dataclass(frozen=True)
class Pair:
    """What candidates X share with the feature W selected last and the target Y, in bits, as far as it is asked for.

    Quantities of features that are not wanted mean nothing.
    """

    data: Coded
    chosen: int
    wanted: Bools

    @property
    def joint(self) -> Floats:
        """I(Y; X, W)"""
        whole, gains = self.data.whole, self.data.gains
        if whole is not None and gains is not None:
            return self._joint(self._sums(whole, gains.weights, gains.terms))
        pairs, cells = self._pairs_and_cells
        return self._joint(cells - pairs)

    @property
    def conditional(self) -> Floats:
        """I(Y; X | W)"""
        return np.asarray(self.joint - self.data.relevance[self.chosen])

    @property
    def normalised(self) -> Floats:
        """I(Y; X, W) / H(Y, X, W)"""
        pairs, cells = self._pairs_and_cells
        return ratio(self._joint(cells - pairs), (self.data.target_sums[0] - cells) / self.data.unit)

    @property
    def redundancy(self) -> Floats:
        """I(X; W)"""
        whole, entropy = self.data.whole, self.data.entropy
        pairs = self._pairs_and_cells[0] if whole is None else self._sums(whole, whole.weights, self.data.clogc[0])
        return np.asarray(entropy + entropy[self.chosen] - (self.data.target_sums[0] - pairs) / self.data.unit)

    def _joint(self, cells_less_pairs: Ints) -> Floats:
        total, classes = self.data.target_sums
        return np.asarray(np.maximum(total - classes + cells_less_pairs, 0) / self.data.unit)

    @property
    def _pairs_and_cells(self) -> tuple[Ints, Ints]:
        data, whole, n_classes = self.data, self.data.whole, self.data.class_totals.size
        n_cells = int(data.levels[self.chosen]) ** 2 * n_classes
        if whole is None or n_cells < 2 * data.classes.size:  # counting rows twice would take longer
            return pair_sums(data.codes, data.levels, self.chosen, data.classes, n_classes, data.weights, *data.clogc)
        table = data.clogc[0]
        return self._sums(whole, whole.weights, table), self._sums(whole, whole.weights, table, by_class=True)

    def _sums(self, whole: Whole, weights: Numbers, terms: Ints, *, by_class: bool = False) -> Ints:
        """Over the tables of the wanted features with the chosen one, by class or not."""
        column, width = whole.codes[self.chosen].astype(np.uint32), int(whole.levels[self.chosen])
        if by_class:
            n_classes = self.data.class_totals.size
            column, width = column * np.uint32(n_classes) + whole.classes, width * n_classes
        return whole_sums(whole.codes, whole.levels, self.wanted, column, width, weights, terms)
