"""The procedure behind a shortlist: orders of the observed and of permuted targets, and how features stand in them."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from steadyset.foundation import arguments
from steadyset.foundation.errors import InputError
from steadyset.kernels.arrays import Floats, Ints, Places
from steadyset.shortlists.bases import BASES, Features, Orders
from steadyset.shortlists.exchange import HEAVY, Exchange, kurtosis
from steadyset.shortlists.kept import KeptOrders, StoredOrders
from steadyset.shortlists.standing import Listing, Standing
from steadyset.tasks import TASKS

ALIKE = 0.8  # the mean correlation of the members of a group
MOST_LINKED = 4000  # features in one connected part that are clustered
USUAL, FEWEST = 50, 20  # permuted targets
SPLITS = 50
FEWEST_FOR_RATE = 50  # for a false discovery rate: with 20 it does not hold
UNEQUAL = 0.3  # the share of the smaller of two classes below which they are


@dataclass(frozen=True)
class Judged:
    """What the procedure found: how features and groups stand, with what it was found by."""

    procedure: Procedure
    data: Features
    task: str
    exchange: Exchange
    seed: int
    ranks: bool
    standing: Standing
    features: Listing
    groups: Listing | None
    values: Floats  # of the features as they were given
    of_values: Exchange  # how values are compared, also if ranks are ranked


@dataclass(frozen=True)
class Procedure:
    """Settings: the error allowed, what ranks, and how often."""

    false: float | None
    fdr: float | None
    bases: tuple[str, ...]
    n_permutations: int
    n_splits: int
    n_jobs: int | None

    def run(
        self,
        X: Floats,
        task: str,
        exchange: Exchange,
        seed: int,
        *,
        groups: bool = True,
        kept: KeptOrders | None = None,
        watch: Watch | None = None,
        permuted: Sequence[Mapping[str, Places]] | None = None,
    ) -> Judged:
        """Rank on halves, permute, rank again, and list; with fewer permuted targets where the time is up.

        ``permuted`` are orders of permuted targets from elsewhere, which then take the place of these rows' own.
        """
        values, of_values = X, exchange
        data, exchange, ranks = self._ranked_data(X, task, exchange, seed, groups=groups)
        by_feature, by_cluster = StoredOrders(), StoredOrders()
        several = data.n_clusters < X.shape[1]
        kept = kept or KeptOrders(None, {}, resume=True)
        numbers = range(1 if permuted is not None else self.n_permutations + 1)
        for orders in self.orders(data, exchange, seed, kept, watch or Watch(), numbers):
            by_feature.append({name: one.features for name, one in orders.items()})
            if several:
                by_cluster.append({name: one.clusters for name, one in orders.items()})
        for features in permuted or ():
            by_feature.append(features)
        sizes = {base: BASES[base][1] for base in self.bases}
        n_others = data.others.shape[1]
        standing = Standing(by_feature, sizes, X.shape[1], n_others)
        of_groups = None
        if several:
            of_groups = Standing(by_cluster, sizes, data.n_clusters, n_others).listing(self.false, self.fdr)
        listing = standing.listing(self.false, self.fdr)
        return Judged(self, data, task, exchange, seed, ranks, standing, listing, of_groups, values, of_values)

    def permuted(self, X: Floats, task: str, exchange: Exchange, seed: int, n_targets: int) -> list[dict[str, Places]]:
        """Return the orders of features for permuted targets of these rows."""
        data, exchange, _ = self._ranked_data(X, task, exchange, seed, groups=False)
        kept = KeptOrders(None, {}, resume=True)
        found = self.orders(data, exchange, seed, kept, Watch(), range(1, n_targets + 1))
        return [{name: one.features for name, one in orders.items()} for orders in found]

    def _ranked_data(
        self, X: Floats, task: str, exchange: Exchange, seed: int, *, groups: bool
    ) -> tuple[Features, Exchange, bool]:
        """Return the columns that are ranked, how their target is permuted, and whether they are ranks."""
        # Before anything is permuted, so that permuted targets see the same columns as the observed one.
        columns, ranked_exchange, ranks = compared_columns(X, exchange, task)
        clusters = clusters_of(ranked_exchange.centred(X)) if groups else np.arange(X.shape[1])
        random = np.random.default_rng([seed, X.shape[1]])
        data = Features.of(columns, clusters, random=random, unrelated=ranked_exchange.unrelated)
        if not data.X.any():
            raise InputError("X is constant in every column; at least one must vary.")
        if "lasso" in self.bases:
            data.lay_out()
        return data, ranked_exchange, ranks

    def orders(
        self,
        data: Features,
        exchange: Exchange,
        seed: int,
        kept: KeptOrders,
        watch: Watch,
        numbers: Sequence[int],
    ) -> Iterator[dict[str, Orders]]:
        """Yield the orders of the observed target (number 0) and of permuted ones, each with halves of its own."""
        sizes = {"features": data.X.shape[1], "clusters": data.n_clusters} | dict.fromkeys(
            self.bases, 2 * self.n_splits
        )

        def one(number: int) -> dict[str, Orders] | None:
            # The time may be up, but fewer permuted targets than these could not keep the promise at all.
            if number > self.fewest and watch.is_over:
                return None
            known = kept.get(number, sizes)
            if known is None:
                y, random = exchange.target(number, seed)
                halves = exchange.halves(y, self.n_splits, random)
                ranked = exchange.ranked(y)
                known = {base: BASES[base][0](data, *ranked, halves) for base in self.bases}
                kept.put(number, known)
            return known

        pool = ThreadPoolExecutor(arguments.job_count(self.n_jobs))
        try:
            for done, orders in enumerate(pool.map(one, numbers), 1):
                if orders is not None:
                    watch.tell(done, len(numbers))
                    yield orders
        finally:
            pool.shutdown(cancel_futures=True)  # who interrupts waits for what is being computed, not for all

    @property
    def fewest(self) -> int:
        """Permuted targets without which nothing can be said."""
        return FEWEST_FOR_RATE if self.false is None else _fewest(self.false)


@dataclass(frozen=True)
class Watch:
    """When the time is up, by the clock of `time.monotonic`, and who is told how many targets are done."""

    deadline: float = np.inf
    tell: Callable[[int, int], None] = lambda done, total: None

    @property
    def is_over(self) -> bool:
        """Whether it is."""
        return time.monotonic() > self.deadline


def _fewest(false: float) -> int:
    """A tenth of the allowance must be at least one feature of all permuted targets together."""
    return max(FEWEST, int(np.ceil(10 / false)))


def read_procedure(
    false: float, fdr: float | None, bases: Any, permutations: int | None, splits: int, n_jobs: int | None
) -> Procedure:
    """Check the settings; an fdr takes the place of the number of false features."""
    if fdr is not None:
        arguments.check_number("fdr", fdr, most=0.5)
        if false != 1.0:
            raise InputError("false and fdr are both given; give one of them.")
    else:
        arguments.check_number("false", false)
    fewest = FEWEST_FOR_RATE if fdr is not None else _fewest(false)
    permutations = max(USUAL, fewest) if permutations is None else permutations
    arguments.check_integer("permutations", permutations, least=fewest)
    arguments.check_integer("splits", splits, least=10)
    if isinstance(bases, str) or not arguments.is_collection(bases) or not len(bases):
        raise arguments.wrong_argument("bases", f"a list of {' and '.join(BASES)}", bases)
    for base in bases:
        arguments.check_choice("bases", base, tuple(BASES))
    return Procedure(
        None if fdr is not None else float(false), fdr, tuple(dict.fromkeys(bases)), permutations, splits, n_jobs
    )


def clusters_of(X: Floats) -> Ints:
    """The cluster of each feature: average linkage on 1 - |r|, cut where the mean correlation falls below a bound.

    Two clusters only join where at least one pair is above it, so that connected parts are clustered one by one.
    """
    from scipy.cluster.hierarchy import fcluster, linkage
    from scipy.spatial.distance import squareform

    from steadyset.similarity import FeatureSimilarity
    from steadyset.similarity.alike import linked

    similar = FeatureSimilarity.from_data(X, threshold=ALIKE)
    indptr, indices, _ = similar.neighbours
    parts = linked(indptr, indices)
    labels = np.full(len(parts), -1)
    next_label = 0
    order = np.argsort(parts, kind="stable")
    for members in np.split(order, np.flatnonzero(np.diff(parts[order])) + 1):
        found: Ints = np.arange(len(members))
        if 1 < len(members) <= MOST_LINKED:
            distances = np.maximum(1.0 - similar.block(members, members), 0.0)
            np.fill_diagonal(distances, 0.0)
            found = (
                fcluster(linkage(squareform(distances, checks=False), "average"), 1.0 - ALIKE, "distance").astype(
                    np.int64
                )
                - 1
            )
        labels[members] = next_label + found
        next_label += int(found.max()) + 1
    return labels


def compared_columns(X: Floats, exchange: Exchange, task: str) -> tuple[Floats, Exchange, bool]:
    """Return the columns that are ranked, adjusted for strata and covariates; the exchange; and if they are ranks."""
    # Tails are judged by what covariates leave: a skewed covariate is no reason to rank the columns that it drives.
    ranks = takes_ranks(exchange.centred(X), exchange.y, task)
    exchange = exchange.adjusted_for_ranks(of_columns=ranks)
    return exchange.ranked_columns(X) if ranks else exchange.centred(X), exchange, ranks


def takes_ranks(X: Floats, y: NDArray[Any], task: str) -> bool:
    """Whether a quarter of the columns has heavy tails, or one of two classes is small; who is in it plays no part."""
    counts = list(TASKS[task].counts(y).values())
    # The sizes of classes and the shape of columns are the same for every permuted target, so choosing by them is part
    # of no test: choosing by the target's relation to a feature would be.
    if len(counts) == 2 and min(counts) < UNEQUAL * sum(counts):
        return True
    return bool(np.quantile(kurtosis(X), 0.75) > HEAVY)
