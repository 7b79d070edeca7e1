"""The selections of a base selector on every resample and at every level of its path, by feature or by cluster."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Literal, NamedTuple

import numpy as np
from joblib import Parallel, delayed
from numpy.typing import NDArray
from scipy import sparse
from sklearn.base import BaseEstimator, clone
from sklearn.utils.validation import has_fit_parameter

from steadyset.foundation.errors import InputError
from steadyset.io.labels import check_same_order
from steadyset.kernels.arrays import Bools, Floats, Ints
from steadyset.selectors.ensembles.pipelines import (
    SIZE_NAMES,
    is_pipeline,
    seeds_of_pipeline,
    size_of_pipeline,
    support_of,
)
from steadyset.selectors.filters.selector import run_seeds
from steadyset.selectors.known import PathByPenalty, PathBySize, PathsByPenalty, PathsBySize, fits_many
from steadyset.selectors.validation import check_whole
from steadyset.similarity import FeatureSimilarity
from steadyset.similarity.alike import linked
from steadyset.similarity.store import group_store

Representative = Literal["weighted", "simple", "sparse"]


def read_clusters(clusters: Any, n_features: int, names: tuple[str, ...] | None) -> Ints:
    """The number of the cluster of each feature, from 0.

    clusters is None (each feature is alone), a FeatureSimilarity (a cluster is what similar pairs link, directly or
    through others) or what `FeatureSimilarity.from_groups` takes.
    """
    if clusters is None:
        return np.arange(n_features)
    if not isinstance(clusters, FeatureSimilarity):
        store, own = group_store(clusters, names, n_features)
        check_same_order(own, names, "clusters", "X")
        labels = store.groups
        return np.unique(labels, return_inverse=True)[1].astype(np.int64)
    clusters.check_features(n_features, names, "X", called="clusters")
    indptr, indices, _ = clusters.neighbours
    return linked(indptr, indices)


def merge_columns(selected: sparse.csr_array, labels: Ints) -> sparse.csr_array:
    """Rows of selected features as rows of selected clusters: a cluster is selected when one of its features is."""
    n_clusters = int(labels.max()) + 1
    if n_clusters == len(labels):
        return selected
    rows = np.repeat(np.arange(selected.shape[0]), np.diff(selected.indptr))
    merged = sparse.csr_array(
        (np.ones(len(rows), np.int64), (rows, labels[selected.indices])), shape=(selected.shape[0], n_clusters)
    )
    merged.sum_duplicates()
    merged.data[:] = 1
    return merged


def representative_weights(kind: Representative, frequencies: Floats, labels: Ints, chosen: Bools) -> Floats:
    """The weight of each feature in the representative of its cluster; 0 outside of the chosen clusters.

    "simple" gives every feature of a cluster the same weight, "weighted" one in proportion to its selection frequency,
    "sparse" all weight to the most frequent one (equal ones share it).

    Reference: Faletto and Bien (2022), Cluster stability selection.
    """
    n_clusters = len(chosen)
    if kind == "simple":
        raw = np.ones(len(labels))
    elif kind == "weighted":
        raw = frequencies.copy()
    else:
        most = np.zeros(n_clusters)
        np.maximum.at(most, labels, frequencies)
        raw = (frequencies == most[labels]).astype(np.float64)
    raw[~chosen[labels]] = 0.0
    total = np.bincount(labels, weights=raw, minlength=n_clusters)
    return np.asarray(raw / np.where(total > 0, total, 1.0)[labels])


def signs_within(X: Floats, labels: Ints) -> Floats:
    """+1 or -1: the sign of each feature's correlation with the first feature of its cluster (0 counts as +1)."""
    first = np.full(int(labels.max()) + 1, len(labels))
    np.minimum.at(first, labels, np.arange(len(labels)))
    leader = first[labels]
    shared = np.flatnonzero(leader != np.arange(len(labels)))
    signs = np.ones(len(labels))
    for f in shared:
        product = (X[:, f] - X[:, f].mean()) @ (X[:, leader[f]] - X[:, leader[f]].mean())
        signs[f] = -1.0 if product < 0 else 1.0
    return signs


@dataclass(frozen=True)
class Paths:
    """What M runs selected at each of L levels.

    levels holds the penalties from the strongest down, or the sizes from the smallest up. selected has a row for each
    run and level, that of run m and level l at m L + l. orders holds the features of each run in the order in which
    they entered its path; it is None where a level is a size, and then the level itself is the first q. sizes_only
    tells that the levels are no path, but the few sizes that the rules asked for. tied has the features that only the
    order of the columns preferred, in the rows of selected, where the base tells them.
    """

    levels: Floats
    selected: sparse.csr_array
    orders: tuple[Ints, ...] | None
    reach: int
    sizes_only: bool = False
    tied: sparse.csr_array | None = None

    @property
    def n_runs(self) -> int:
        return int(self.selected.shape[0]) // len(self.levels)

    def counts(self, labels: Ints) -> Ints:
        """levels x clusters: how many runs selected each cluster at each level."""
        merged = merge_columns(self.selected, labels)
        n_levels, n_clusters = len(self.levels), merged.shape[1]
        rows = np.repeat(np.arange(merged.shape[0]), np.diff(merged.indptr)) % n_levels
        flat = np.bincount(rows * n_clusters + merged.indices, minlength=n_levels * n_clusters)
        return flat.reshape(n_levels, n_clusters).astype(np.int64)

    @cached_property
    def feature_counts(self) -> Ints:
        """levels x features: how many runs selected each feature at each level."""
        return self.counts(np.arange(self.selected.shape[1]))

    @property
    def frequencies(self) -> Floats:
        """levels x features: the share of the runs that selected each feature at each level."""
        return np.asarray(self.feature_counts / self.n_runs)

    def level(self, place: int) -> sparse.csr_array:
        """runs x features at one level."""
        return self.selected[place :: len(self.levels)]

    def tied_at(self, level: float | None, q: float) -> sparse.csr_array | None:
        """Which of the features that `at` or `first` gives only the order of the columns preferred; None: unknown."""
        wanted = q if level is None else level
        places = np.array([0]) if np.isnan(wanted) else np.flatnonzero(self.levels == wanted)
        return None if self.tied is None or not places.size else self.tied[int(places[0]) :: len(self.levels)]

    def at(self, level: float) -> sparse.csr_array:
        """runs x features at the level of this penalty or size; nan is the only level of a base without a path."""
        return self.level(0 if np.isnan(level) else int(np.flatnonzero(self.levels == level)[0]))

    def first(self, q: int) -> sparse.csr_array:
        """runs x features: the first q features of each run (fewer where its path holds fewer)."""
        places = np.flatnonzero(self.levels == q)
        if self.orders is None and places.size:
            return self.level(int(places[0]))
        if self.orders is None or q > self.reach:
            way = f"the paths were followed to {self.reach} features; fit with max_features={q} or more"
            if self.sizes_only:
                sizes = " and ".join(f"{size:g}" for size in self.levels)
                way = f"the base, which has no path, was run for {sizes} features; fit with q={q}"
            raise InputError(f"q is {q} and {way}.")
        return _rows([order[:q] for order in self.orders], self.selected.shape[1])


@dataclass(eq=False, repr=False)
class OneAgainstRest(BaseEstimator):  # type: ignore[misc]
    """The paths of a base for two classes, one for each class against all others, as one path.

    A run selects a feature when it is selected for any class, and its features enter in the order of the penalties at
    which the first class selects them.
    """

    base: Any = None
    k: int | None = None

    def largest_penalties(self, X: Floats, y: Any, weights: Floats, *, n_jobs: int | None) -> Floats:
        """The least penalty that leaves out every feature for every class."""
        found = [self.base.largest_penalties(X, y == label, weights, n_jobs=n_jobs) for label in np.unique(y)]
        return np.asarray(np.max(found, axis=0))

    def paths_by_penalty(
        self, X: Floats, y: Any, weights: Floats, penalties: Floats, reach: int, *, n_jobs: int | None
    ) -> list[tuple[list[Ints], Ints]]:
        """The features of any class at each penalty, and all in the order of their entry."""
        alone = [
            self.base.paths_by_penalty(X, y == label, weights, penalties, reach, n_jobs=n_jobs)
            for label in np.unique(y)
        ]
        return [_any_class(paths) for paths in zip(*alone, strict=True)]


def _any_class(paths: Sequence[tuple[list[Ints], Ints]]) -> tuple[list[Ints], Ints]:
    n_levels = min(len(levels) for levels, _ in paths)
    union = [np.unique(np.concatenate([levels[place] for levels, _ in paths])) for place in range(n_levels)]
    entries: dict[int, tuple[int, int]] = {}  # of each feature the level and the place in the order of its class
    for levels, order in paths:
        level_of: dict[int, int] = {}
        for place, members in enumerate(levels):
            for feature in members.tolist():
                level_of.setdefault(feature, place)
        for place, feature in enumerate(order.tolist()):
            mine = (level_of.get(feature, len(levels)), place)
            # The class that takes the feature in first decides: at the strongest penalty, and then earliest on its own
            # path.
            entries[feature] = min(entries.get(feature, mine), mine)
    return union, np.array(sorted(entries, key=lambda feature: (*entries[feature], feature)), dtype=np.int64)


def size_parameter(base: Any) -> str | None:
    """What the base calls the number of features that it selects; None where it has none, or another option decides."""
    if is_pipeline(base):
        return size_of_pipeline(base)
    if hasattr(base, "has_size") and not base.has_size():
        return None
    return next((name for name in SIZE_NAMES if name in base.get_params()), None)


def follow(
    base: Any,
    X: Floats,
    y: NDArray[Any],
    rows: Sequence[Ints],
    *,
    sizes: Sequence[int],
    reach: int,
    n_lambdas: int,
    lambda_min_ratio: float,
    seed: int,
    n_jobs: int | None,
    sample_weight: Floats | None = None,
) -> Paths:
    """The paths of a base selector on the rows of each run: along its penalties or sizes.

    reach is how many features a path is followed to; a base that has a size and no path is run for each of `sizes`.
    """
    parallel = Parallel(n_jobs=n_jobs, prefer="threads")
    d, weights = X.shape[1], _as_weights(rows, len(y), sample_weight)
    if size_parameter(base) is None and fits_many(base):
        every = [fitted().get_support(indices=True) for fitted in base.fit_many(X, y, weights)]
        return Paths(np.array([np.nan]), _rows(every, d), None, d)
    if size_parameter(base) is None:
        parts = _parts(base, X, y, rows, sample_weight, seed)
        chosen = parallel(delayed(_fitted)(base, {}, *part) for part in parts)
        return Paths(np.array([np.nan]), _rows([np.flatnonzero(support_of(c)) for c in chosen], d), None, d)
    ratios = np.logspace(0.0, np.log10(lambda_min_ratio), n_lambdas)
    if isinstance(base, PathsByPenalty):
        # One grid for all runs: frequencies are shares of runs at the same penalty.
        penalties = base.largest_penalties(X, y, weights, n_jobs=n_jobs).max() * ratios
        paths = base.paths_by_penalty(X, y, weights, penalties, reach, n_jobs=n_jobs)
        return _by_penalty(paths, penalties, d, reach)
    if isinstance(base, PathByPenalty):
        # All runs go down the same penalties, from the least one that leaves out every feature of every run.
        data = list(_parts(None, X, y, rows, sample_weight, seed))
        penalties = max(parallel(delayed(base.largest_penalty)(part.X, part.y) for part in data)) * ratios
        found = parallel(delayed(base.path_by_penalty)(part.X, part.y, penalties, reach) for part in data)
        return _by_penalty(found, penalties, d, reach)
    if isinstance(base, PathsBySize):
        return _sizes(base.paths_by_size(X, y, weights, reach, random_state=seed, n_jobs=n_jobs), d, reach)
    if isinstance(base, PathBySize):
        parts = _parts(None, X, y, rows, sample_weight, seed)
        seeded = ((_with_seed(base, {}, part.seed).path_by_size, part) for part in parts)
        return _sizes(parallel(delayed(path)(part.X, part.y, reach) for path, part in seeded), d, reach)
    # One fit for each run and size.
    parts, name, asked = _parts(base, X, y, rows, sample_weight, seed), size_parameter(base), sorted(set(sizes))
    chosen = parallel(delayed(_fitted)(base, {name: size}, *part) for part in parts for size in asked)
    selected = _rows([np.flatnonzero(support_of(c)) for c in chosen], d)
    return Paths(np.array(asked, dtype=np.float64), selected, None, max(asked), sizes_only=True)


class _Part(NamedTuple):
    """The data of one run, with the weights of its rows, None where they are all the same, and its seed."""

    X: Any
    y: NDArray[Any]
    weight: Floats | None
    seed: int


def _parts(
    base: Any, X: Any, y: NDArray[Any], rows: Sequence[Ints], sample_weight: Floats | None, seed: int
) -> Iterator[_Part]:
    """The rows of each run; those of a base that takes no weights (None: a path of one run) are copied by theirs."""
    takes_weights = base is not None and has_fit_parameter(base, "sample_weight")
    for run, s in zip(rows, run_seeds(seed, len(rows)), strict=True):
        if sample_weight is None or takes_weights:
            yield _Part(X[run], y[run], None if sample_weight is None else sample_weight[run], s)
        else:
            copied = np.repeat(run, check_whole(sample_weight[run], "a base that takes no weights"))
            yield _Part(X[copied], y[copied], None, s)


def _by_penalty(found: Sequence[tuple[list[Ints], Ints]], penalties: Floats, d: int, reach: int) -> Paths:
    # A path ends at its reach, so that only the levels that every run has seen can be compared.
    n_levels = min(len(levels) for levels, _ in found)
    selected = _rows([level for levels, _ in found for level in levels[:n_levels]], d)
    return Paths(penalties[:n_levels], selected, tuple(order for _, order in found), reach)


def _as_weights(rows: Sequence[Ints], n: int, sample_weight: Floats | None) -> Floats:
    weights = np.zeros((len(rows), n))
    for run, members in enumerate(rows):
        weights[run, members] = 1.0 if sample_weight is None else sample_weight[members]
    return weights


def _sizes(paths: Sequence[Sequence[Ints]], d: int, reach: int) -> Paths:
    """A level a size; a run that ends before a size keeps its last selection."""
    nothing = np.empty(0, np.int64)
    rows = [path[min(size, len(path) - 1)] if path else nothing for path in paths for size in range(reach)]
    told = [one for one in (getattr(path, "tied", None) for path in paths) if one is not None]
    tied = None
    if len(told) == len(paths):
        counts = [int(one[size]) if size < len(one) else 0 for one in told for size in range(reach)]
        tied = _rows([row[len(row) - n_tied :] for row, n_tied in zip(rows, counts, strict=True)], d)
    return Paths(np.arange(1.0, reach + 1.0), _rows(rows, d), None, reach, tied=tied)


def _rows(sets: Sequence[Ints], d: int) -> sparse.csr_array:
    indptr = np.concatenate([[0], np.cumsum([len(members) for members in sets])])
    indices = np.concatenate(sets) if len(sets) else np.empty(0, np.int64)
    rows = sparse.csr_array((np.ones(len(indices), np.int8), indices, indptr), shape=(len(sets), d))
    rows.sort_indices()
    return rows


def _fitted(base: Any, params: dict[str, Any], X: Any, y: NDArray[Any], weight: Floats | None, seed: int) -> Any:
    selector = _with_seed(base, params, seed)
    return selector.fit(X, y) if weight is None else selector.fit(X, y, sample_weight=weight)


def _with_seed(base: Any, params: dict[str, Any], seed: int) -> Any:
    selector = clone(base).set_params(**params)
    if is_pipeline(selector):
        return selector.set_params(**seeds_of_pipeline(selector, seed))
    if "random_state" in selector.get_params():
        selector.set_params(random_state=seed % 2**31)
    return selector
