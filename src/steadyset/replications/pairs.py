"""The design of a replication: pairs of training sets that share no row, at several sizes.

Two disjoint parts of the rows are two independent studies of their size, so that their agreement needs no model. The
pairs within random halves of the rows do the same for two data sets of half the size: how far the two halves differ
says how much the agreement of one data set depends on which rows happened to be drawn.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from steadyset.foundation.errors import InputError
from steadyset.kernels.arrays import Ints
from steadyset.resampling.base import Resampling, Rows

SHARES = (1 / 8, 1 / 6, 1 / 4, 1 / 3, 1 / 2)  # of all rows, that each of two studies has
SHARES_OF_HALVES = (1 / 4, 1 / 3, 1 / 2)
SPLITS = 6  # into two halves
LEAST_ROWS = 8  # of a study
WHOLE = -1  # in place of a split: all rows


@dataclass(frozen=True)
class Size:
    """Pairs of one size: studies of `rows` rows, a `share` of all rows, or of one half of a split of them."""

    share: float
    rows: int
    pairs: int
    split: int = WHOLE
    half: int = 0

    @property
    def of_all_rows(self) -> bool:
        """Whether the rows are drawn from all, not from a half of a split."""
        return self.split == WHOLE

    @property
    def runs(self) -> int:
        """Both studies of every pair."""
        return 2 * self.pairs


def sizes_of(n_rows: int, pairs: int) -> list[Size]:
    """All sizes that have enough rows, in the order of their runs."""
    fewer = max(10, round(0.4 * pairs))
    whole = [Size(share, int(share * n_rows + 1e-9), pairs) for share in SHARES]
    halves = [
        Size(share, int(share * (n_rows // 2) + 1e-9), fewer, split, half)
        for split in range(SPLITS)
        for half in (0, 1)
        for share in SHARES_OF_HALVES
    ]
    return [size for size in (*whole, *halves) if size.rows >= LEAST_ROWS]


class DisjointPairs(Resampling):
    """Pairs of training sets without a common row; runs 2i and 2i + 1 are a pair.

    Parameters
    ----------
    pairs : int, default=40
        How many pairs there are of each size.
    random_state : int or None, default=None
        Seed of the runs; None takes the seed of the assessment.
    """

    bound = "pairs of runs share no row, and sizes differ"

    def __init__(self, pairs: int = 40, *, random_state: int | None = None) -> None:
        self.pairs = pairs
        self.random_state = random_state

    def check(self, rows: Rows) -> None:
        if rows.groups is not None:
            raise InputError("Whether a selection replicates was not validated for groups of rows, and is not told.")
        if rows.n < 4 * LEAST_ROWS:
            raise InputError(
                f"The data has {rows.n} rows; pairs of studies within halves of them need at least {4 * LEAST_ROWS}."
            )
        super().check(rows)

    def n_runs_for(self, rows: Rows) -> int:
        return sum(size.runs for size in sizes_of(rows.n, self.pairs))

    def _draw(self, run: int, rows: Rows, seed: int) -> tuple[Ints, Ints]:
        sizes = sizes_of(rows.n, self.pairs)
        ends = np.cumsum([size.runs for size in sizes])
        cell = int(np.searchsorted(ends, run, side="right"))
        size, run = sizes[cell], run - int(ends[cell]) + sizes[cell].runs
        available = np.arange(rows.n)
        if not size.of_all_rows:
            shuffled = _random(seed, 0, size.split).permutation(rows.n)
            available = shuffled[size.half * (rows.n // 2) :][: rows.n // 2]
        order = _random(seed, 1, cell, run // 2).permutation(available)
        train = np.sort(order[(run % 2) * size.rows :][: size.rows])
        return train, np.empty(0, np.int64)


def _random(*seed: int) -> np.random.Generator:
    return np.random.default_rng(np.random.SeedSequence(seed))
