"""What a rule sees: the observed target's halves, ranked by one base; and the rules that read frequencies in them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from steadyset.foundation.errors import InputError
from steadyset.kernels.arrays import Bools, Floats, Ints, Places
from steadyset.selectors.ensembles.rules import ROUNDING, THRESHOLDS, calibrate, error_control
from steadyset.shortlists.bases import BASES, Features, filter_shares, lasso_levels
from steadyset.shortlists.procedure import Judged

SIZES = (20, 10, 5, 2, 1)  # the first for which a bound can promise what is allowed
MOST = 100  # places that are calibrated


@dataclass(frozen=True)
class Found:
    """Who is listed, and the error that the rule promises or estimates for it, in words."""

    listed: Bools
    nominal: str


@dataclass(frozen=True)
class ListRule:
    """A rule by name: how it lists, what held in docs/shortlist.md's study, where it comes from, and its usual base."""

    name: str
    find: Callable[[Halves], Found]
    held: str
    reference: str
    base: str = "filter"


@dataclass(frozen=True)
class Halves:
    """The M halves that a shortlist rests on; two in succession make a pair."""

    judged: Judged
    base: str

    @property
    def false(self) -> float:
        """How many false features are allowed; rules that know no rate allow one where a rate was asked for."""
        return self.judged.procedure.false or 1.0

    @property
    def n_pairs(self) -> int:
        return self.judged.procedure.n_splits

    @property
    def n_features(self) -> int:
        return int(self.judged.data.X.shape[1])

    @property
    def orders(self) -> Places:
        """M x L: the best features of each half, best first."""
        return self.judged.standing.orders[0][self.base]

    @cached_property
    def rows(self) -> Bools:
        """The first half of each pair, as it was drawn for the observed target."""
        y, random = self.judged.exchange.target(0, self.judged.seed)
        return self.judged.exchange.halves(y, self.n_pairs, random)

    @cached_property
    def importances(self) -> Floats:
        """M x d, none below 0: explained shares of the filter, or penalties at which the lasso takes features in."""
        judged = self.judged
        found = filter_shares if self.base == "filter" else lasso_levels
        return np.maximum(found(judged.data.X, *judged.exchange.ranked(judged.exchange.y), self.rows), 0.0)

    def ranked_again(self, X: Floats) -> Places:
        """The orders of other columns on the same halves."""
        columns = Features(X, np.arange(X.shape[1]), X.shape[1], np.empty((len(X), 0)))
        exchange = self.judged.exchange
        return BASES[self.base][0](columns, *exchange.ranked(exchange.y), self.rows).features


def counts_by_size(orders: Places, n_features: int, most: int) -> Ints:
    """L x d: in how many halves each feature is among the first 1, 2, ... of them."""
    counts = np.zeros((min(most, orders.shape[1]), n_features), np.int64)
    for place, row in enumerate(counts):
        found = orders[:, place]
        row[:] = np.bincount(found[found >= 0], minlength=n_features)
    return np.cumsum(counts, axis=0)


def bounded(halves: Halves, rule: str) -> Found:
    """The features whose frequency reaches what the bound needs for the number of false ones that is allowed."""
    n_halves = 2 * halves.n_pairs
    for size in SIZES:
        try:
            control = error_control(halves.n_features, q=size, pfer=halves.false, rule=rule, n_runs=n_halves)
        except InputError:  # no threshold keeps the promise with so many features per half
            continue
        counts = counts_by_size(halves.orders, halves.n_features, size)[-1]
        nominal = f"at most {halves.false:g} false: among {size} in {100 * control.threshold:.0f}% of the halves"
        return Found(counts >= control.threshold * n_halves - ROUNDING, nominal)
    return Found(np.zeros(halves.n_features, np.bool_), f"no threshold promises at most {halves.false:g} false")


def calibrated(halves: Halves) -> Found:
    """The size and the threshold of the highest stability score whose bound keeps what is allowed."""
    n_halves = 2 * halves.n_pairs
    counts = counts_by_size(halves.orders, halves.n_features, MOST)
    try:
        best = calibrate(counts, n_halves, THRESHOLDS, pfer=halves.false)
    except InputError:
        return Found(np.zeros(halves.n_features, np.bool_), f"no threshold promises at most {halves.false:g} false")
    nominal = f"at most {halves.false:g} false: among {best.place + 1} in {100 * best.threshold:.0f}% of the halves"
    return Found(counts[best.place] >= best.threshold * n_halves - ROUNDING, nominal)
