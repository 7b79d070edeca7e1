"""Halves of the rows, and targets as they would be if they had nothing to do with the features.

Permuted targets are what the error of a shortlist rests on, so that only rows that could have had each other's target
may exchange it. Rows of one stratum do. Rows of one unit (a patient with several samples) hang together: where all of
them have one target, units exchange it whole; where it varies within the units, the rows of a unit exchange it.

Features and target are adjusted for covariates that stay and for the ranks of these, because a skewed covariate often
acts by its logarithm. A permuted target is adjusted as the observed one is, after it was permuted. If ranks take the
place of values, columns are ranked before they are adjusted: the ranks of residuals depend on the covariates again.
What is a line between values is a curve between ranks, so that both are then adjusted for the ranks of what the
covariates explain of the column too. A number with heavy tails is ranked as well: its largest values lie where
covariates are large, and a permutation takes them elsewhere.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from steadyset.foundation.errors import InputError
from steadyset.foundation.text import counted, listed
from steadyset.kernels.arrays import Bools, Floats, Ints
from steadyset.selectors.covariates import orthonormal
from steadyset.tasks import NUMBER, TASKS

FEWEST = 4  # rows (or units) of a class: two in each half
ROUNDING = 1e-12  # of the largest value of a column: residuals below it are rounding errors
DIGITS = 9  # of explained values that are ranked
STRAIGHT = 1e-8  # of the variance of ranks, times their number: less is no curve but rounding
LEAST_LEFT = 4 * FEWEST  # rows beyond the columns of covariates
VALUES_AND_RANKS = "values and ranks"  # of covariates
HEAVY = 6.0  # the kurtosis from which ranks are taken


@dataclass(frozen=True)
class Exchange:
    """What may be exchanged: units in strata, or rows within units; halves keep classes, or events, in proportion."""

    y: NDArray[Any]
    cells: Ints  # of each row: what it is halved with before the target is permuted, its stratum
    units: Ints  # of each row: what stays in one half
    first: Ints  # a row of each unit
    within: bool  # whether the rows of a unit exchange their targets, instead of the units of a stratum
    task: str
    beside: Floats | None = None  # orthonormal columns of covariates, less the means of strata
    covariates: Floats | None = None  # as they are given
    covariate_ranks: bool = False  # whether ranks of covariates are taken out too
    by_ranks: bool = False  # whether the ranks of what covariates explain are taken out too
    named: tuple[str, ...] = ()  # the covariates

    @property
    def in_words(self) -> str:
        """Among which rows targets were exchanged; nothing where any two rows may."""
        if self.within:
            return f"within {counted(int(self.units.max()) + 1, 'group')} of rows"
        strata = f"within {counted(int(self.cells.max()) + 1, 'stratum', 'strata')}"
        whole = f"among {counted(len(self.first), 'group')} of rows" if len(self.first) < len(self.y) else ""
        how = VALUES_AND_RANKS if self.covariate_ranks else "values"
        left = f"after accounting for {listed(self.named)} ({how})" if self.named else ""
        return " ".join(part for part in (whole, strata if self.cells.any() else "", left) if part)

    def target(self, number: int, seed: int) -> tuple[NDArray[Any], np.random.Generator]:
        """The observed target (number 0) or a permuted one, and what its halves are drawn with."""
        random = np.random.default_rng([seed, number])
        return (self.y[self._permuted(random)] if number else self.y), random

    def _permuted(self, random: np.random.Generator) -> Ints:
        """For each row, the row whose target it gets."""
        # Rows exchange targets within units, or units within strata.
        parts = self.units if self.within else self.cells[self.first]
        # A shuffle within each part at once: what is sorted by part and then at random takes the places of what is
        # sorted by part.
        given = np.empty(len(parts), np.int64)
        given[np.argsort(parts, kind="stable")] = np.lexsort((random.random(len(parts)), parts))
        return given if self.within or len(self.first) == len(self.y) else self.first[given][self.units]

    @property
    def has_means(self) -> bool:
        """Whether groups of rows are what is counted, each by the means of its rows."""
        return not self.within and len(self.first) < len(self.y)

    @property
    def compared_within(self) -> Ints:
        """Of each row the part whose rows exchange targets, or whose units do."""
        return self.units if self.within else self.cells

    def centred(self, X: Floats) -> Floats:
        """Features without the means of those rows that exchange targets: what differs between batches is no effect.

        Nor is what covariates explain. The target plays no part in it, so that rows stay exchangeable.
        """
        if self.beside is None and not self.compared_within.any():
            return X
        left = self._residuals(X)
        largest, before = (np.abs(one).max(axis=0, initial=0.0) for one in (left, X))
        # A column that is explained wholly leaves rounding errors, which are no values to rank.
        return np.where(largest > ROUNDING * before, left, 0.0)

    def ranked_columns(self, X: Floats) -> Floats:
        """Return the ranks of the columns of X, adjusted for strata and covariates.

        Rows of different strata or pairs are ranked by their distance from the mean of their stratum or pair.
        """
        in_parts = self.compared_within.any()
        return self.centred(column_ranks(cleared(X, self.compared_within) if in_parts else X))

    def adjusted_for_ranks(self, *, of_columns: bool) -> Exchange:
        """Return the same exchange, adjusted for the ranks of the covariates too if the rows are enough for both.

        ``of_columns`` says whether columns are ranked.
        """
        if self.covariates is None:
            return self
        ranks = column_ranks(cleared(self.covariates, self.cells))
        both = orthonormal(cleared(np.column_stack([self.covariates, ranks]), self.cells))
        is_enough = len(self.y) - both.shape[1] >= LEAST_LEFT
        beside = both if is_enough else self.beside
        return replace(self, beside=beside, covariate_ranks=is_enough, by_ranks=of_columns)

    @property
    def ranks_target(self) -> bool:
        """Whether the ranks of a number take its place: beside covariates, if it has heavy tails.

        The values of a permuted target are the same, so that it is treated alike.
        """
        record = TASKS[self.task]
        if self.beside is None or record.has_classes or record.effect:
            return False
        return bool(kurtosis(of_size_1(record.amounts(self.y))[:, None])[0] > HEAVY)

    def unrelated(self, columns: Floats, random: np.random.Generator) -> Floats:
        """Return columns that are made of adjusted ones and have nothing to do with any target.

        What covariates leave of a column may vary more in some rows than in others, and what they leave of the target
        in the same rows, so that both are more alike by chance. Permuted rows would lose that, and features would beat
        them too often. So rows keep their place and their size beside covariates, and get random signs.
        """
        if self.beside is None:
            return permuted_rows(columns, random)
        return self.centred(columns * random.choice([-1.0, 1.0], columns.shape))

    def _residuals(self, X: Floats) -> Floats:
        """Return what strata and covariates leave of the columns."""
        centred = cleared(X, self.compared_within)
        if self.beside is None:
            return centred
        explained = self.beside @ (self.beside.T @ centred)
        left = centred - explained
        if not self.by_ranks:
            return left
        # Equal but for rounding errors, such as those of one class, are equal ranks.
        explained /= np.maximum(np.abs(explained).max(axis=0, initial=0.0), np.finfo(np.float64).tiny)
        curve = cleared(column_ranks(np.round(explained, DIGITS)), self.compared_within, self.beside)
        squares = np.einsum("ij,ij->j", curve, curve)
        is_curve = squares > STRAIGHT * len(X) ** 3
        share = np.einsum("ij,ij->j", curve, left) / np.where(is_curve, squares, 1.0)
        return np.asarray(left - curve * np.where(is_curve, share, 0.0))

    def ranked(self, y: NDArray[Any]) -> tuple[NDArray[Any], str]:
        """What features are ranked by, and its task: the target, or as a number what covariates leave of it.

        Of several classes covariates are taken out of the features alone, which lists fewer features.
        """
        record = TASKS[self.task]
        if self.beside is None or record.n_classes(y) > 2:
            return y, self.task
        amounts = (y == np.unique(y)[-1]).astype(np.float64) if record.has_classes else record.amounts(y)
        if self.ranks_target:
            amounts = column_ranks(amounts[:, None])[:, 0]
        return self._residuals(of_size_1(amounts)[:, None])[:, 0], NUMBER

    def halves(self, y: NDArray[Any], n_splits: int, random: np.random.Generator) -> Bools:
        """n_splits x n: the first half of each split. Units stay whole; strata, and of them the classes, are halved."""
        cells = self.cells[self.first]
        if TASKS[self.task].stratified and not self.within:
            cells = cells * (len(y) + 1) + np.unique(TASKS[self.task].strata(y), return_inverse=True)[1][self.first]
        cells = np.unique(cells, return_inverse=True)[1]
        sizes = np.bincount(cells)
        starts = np.concatenate([[0], np.cumsum(sizes)[:-1]])
        # By cell, and within it at random: the first half of each cell is taken; what is odd goes to either in turn.
        order = np.argsort(cells + random.random((n_splits, len(cells))), axis=1)
        place = np.arange(len(cells)) - starts[np.sort(cells)]
        # The odd row of a cell goes to the halves in turn over the cells, so that the halves differ by one row at most.
        turn = (random.integers(0, 2, n_splits)[:, None] + np.cumsum(sizes % 2)) % 2
        taken = sizes // 2 + (sizes % 2) * turn
        chosen = np.zeros((n_splits, len(cells)), np.bool_)
        np.put_along_axis(chosen, order, place < taken[:, np.sort(cells)], axis=1)
        return chosen[:, self.units]


def column_ranks(X: Floats) -> Floats:
    """Return the ranks of the values of each column, means of them for equal values."""
    from scipy.stats import rankdata

    return np.asarray(rankdata(X, axis=0), np.float64)


def kurtosis(X: Floats) -> Floats:
    """Return the fourth moment of each column by the square of its variance; 0 if it does not vary."""
    largest = np.abs(X).max(axis=0, initial=0.0)
    centred = X / np.where(largest > 0, largest, 1.0)
    centred = centred - centred.mean(axis=0)
    squares = centred * centred
    variance = squares.mean(axis=0)
    fourth = np.einsum("ij,ij->j", squares, squares) / len(X)
    return np.asarray(fourth / np.where(variance > 0, variance, 1.0) ** 2)


def permuted_rows(columns: Floats, random: np.random.Generator) -> Floats:
    """Return columns with their rows permuted, in each column in another way."""
    return random.permuted(columns, axis=0)


def of_size_1(amounts: Floats) -> Floats:
    """Amounts divided by the largest of them, so that squares of huge ones are finite and of tiny ones not 0."""
    return np.asarray(amounts / max(float(np.abs(amounts).max()), np.finfo(np.float64).tiny))


def cleared(X: Floats, within: Ints, beside: Floats | None = None) -> Floats:
    """Columns without the means of the parts that rows belong to, and without what orthonormal columns explain."""
    sums = np.zeros((int(within.max()) + 1, X.shape[1]))
    np.add.at(sums, within, X)
    left = np.asarray(X - (sums / np.bincount(within)[:, None])[within])
    return left if beside is None else left - beside @ (beside.T @ left)


def exchange_of(
    y: NDArray[Any], task: str, strata: Any = None, groups: Any = None, covariates: Floats | None = None
) -> Exchange:
    """How the target of these rows may be permuted; refused where nothing could be exchanged."""
    n = len(y)
    cells = np.zeros(n, np.int64) if strata is None else np.unique(strata, return_inverse=True)[1].astype(np.int64)
    units = np.arange(n) if groups is None else np.unique(groups, return_inverse=True)[1].astype(np.int64)
    first = np.unique(units, return_index=True)[1]
    values = np.unique(y, axis=0 if y.ndim > 1 else None, return_inverse=True)[1].reshape(n)  # a time with its event
    alike = np.bincount(units, weights=(values != values[first][units]).astype(float)) == 0
    several = np.bincount(units) > 1
    # Repeated measurements of one unit: either they differ in the target, and exchange it among themselves (pairs of
    # before and after), or they share it, and units exchange theirs as a whole. A mixture of both has no such
    # permutation.
    within = bool(several.any() and not alike[several].any())
    if several.any() and not within and not alike.all():
        raise InputError(
            f"The target is the same for all rows of {counted(int(alike[several].sum()), 'group')} and varies within "
            f"{counted(int((~alike).sum()), 'other')}; permuted targets need one or the other: leave some groups out, "
            "or use one row of each."
        )
    if not within and not (cells == cells[first][units]).all():
        raise InputError("Rows of one group are in several strata; groups exchange their targets within strata.")
    _refuse_too_few(y[first] if not within else y, task, within=within)
    _refuse_fixed(values if within else values[first], units if within else cells[first])
    beside = None
    if covariates is not None:
        if len(first) < n:
            raise InputError("A shortlist takes covariates or groups of rows, not both; use one row of each group.")
        beside = orthonormal(cleared(covariates, cells))
        if n - beside.shape[1] < LEAST_LEFT:
            raise InputError(f"{n} rows are too few for a shortlist beside {beside.shape[1]} columns of covariates.")
    return Exchange(y, cells, units, first, within, task, beside, covariates)


def _refuse_fixed(y: NDArray[Any], within: Ints) -> None:
    """Refuse targets that no permutation changes, or hardly any."""
    varying = [part for part in np.unique(within) if len(np.unique(y[within == part], axis=0)) > 1]
    free = int(np.isin(within, varying).sum())
    if free < 2 * FEWEST:
        raise InputError(
            f"Only {counted(free, 'row')} could exchange the target within the strata or groups, where it hardly "
            f"varies; permuted targets need at least {2 * FEWEST}."
        )


def _refuse_too_few(y: NDArray[Any], task: str, *, within: bool) -> None:
    for what, count in TASKS[task].counted(y).items():
        if count < FEWEST:
            raise InputError(f"The target has {count} {what}; a shortlist needs at least {FEWEST}, two for each half.")
    if TASKS[task].has_classes and not within:
        labels, counts = np.unique(y, return_counts=True)
        if counts.min() < FEWEST:
            few = labels[counts.argmin()]
            raise InputError(
                f"The class {few} has {counted(int(counts.min()), 'row')}; a shortlist needs at least {FEWEST} of "
                "each, two for each half."
            )
    elif len(y) < 2 * FEWEST:
        raise InputError(f"A shortlist needs at least {2 * FEWEST} rows (got {len(y)}).")
