"""The selections of a base selector on every resample and at every level of its path, computed once."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
from joblib import Parallel, delayed
from numpy.typing import NDArray
from scipy import sparse
from sklearn.base import BaseEstimator, clone
from sklearn.utils.validation import has_fit_parameter

from steadyset.foundation.errors import InputError
from steadyset.kernels.arrays import Floats, Ints
from steadyset.selectors.ensembles.clusters import merge_columns
from steadyset.selectors.filters.resampled import run_seeds
from steadyset.selectors.linear import ElasticNetSelector
from steadyset.selectors.protocols import PathByPenalty, PathBySize, PathsByPenalty, PathsBySize, fits_many
from steadyset.selectors.validation import check_whole
from steadyset.tasks import TASKS

SIZE_NAMES = ("k", "n_features_to_select")


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


def default_base(task: str) -> Any:
    """The lasso path: logistic for classes, linear for numbers."""
    if task not in ElasticNetSelector.outcomes:
        raise InputError(f"There is no default base for {TASKS[task].words}; give one.")
    return ElasticNetSelector(task=task)


class OneAgainstRest(BaseEstimator):  # type: ignore[misc]
    """The paths of a base for two classes, one for each class against all others, as one path.

    A run selects a feature when it is selected for any class, and its features enter in the order of the penalties at
    which the first class selects them.
    """

    def __init__(self, base: Any = None, k: int | None = None) -> None:
        self.base = base
        self.k = k

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
            entries[feature] = min(entries.get(feature, mine), mine)
    return union, np.array(sorted(entries, key=lambda feature: (*entries[feature], feature)), dtype=np.int64)


def size_parameter(base: Any) -> str | None:
    """What the base calls the number of features that it selects; None where it has none, or another option decides."""
    if hasattr(base, "has_size") and not base.has_size():
        return None
    return next((name for name in SIZE_NAMES if name in base.get_params()), None)


def is_costly(base: Any) -> bool:
    """Whether each further feature of a path costs a search of its own."""
    return bool(getattr(base, "path_is_costly", False))


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
        return Paths(np.array([np.nan]), _rows([np.flatnonzero(c.get_support()) for c in chosen], d), None, d)
    if isinstance(base, PathsByPenalty):
        ratios = np.logspace(0.0, np.log10(lambda_min_ratio), n_lambdas)
        penalties = base.largest_penalties(X, y, weights, n_jobs=n_jobs).max() * ratios
        paths = base.paths_by_penalty(X, y, weights, penalties, reach, n_jobs=n_jobs)
        return _by_penalty(paths, penalties, d, reach)
    if isinstance(base, PathByPenalty):
        parts = _parts(None, X, y, rows, sample_weight, seed)
        return _penalties(parallel, base, parts, reach, n_lambdas, lambda_min_ratio)
    if isinstance(base, PathsBySize):
        return _sizes(base.paths_by_size(X, y, weights, reach, random_state=seed, n_jobs=n_jobs), d, reach)
    if isinstance(base, PathBySize):
        parts = _parts(None, X, y, rows, sample_weight, seed)
        found = parallel(delayed(_path)(base, part.X, part.y, reach, part.seed) for part in parts)
        return _sizes(found, d, reach)
    parts = _parts(base, X, y, rows, sample_weight, seed)
    return _some_sizes(parallel, base, parts, d, sorted(set(sizes)))


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


def _some_sizes(parallel: Any, base: Any, parts: Iterable[_Part], d: int, sizes: Sequence[int]) -> Paths:
    """One fit for each run and size."""
    name = size_parameter(base)
    chosen = parallel(delayed(_fitted)(base, {name: size}, *part) for part in parts for size in sizes)
    selected = _rows([np.flatnonzero(c.get_support()) for c in chosen], d)
    return Paths(np.array(sizes, dtype=np.float64), selected, None, max(sizes), sizes_only=True)


def _penalties(
    parallel: Any,
    base: PathByPenalty,
    parts: Iterable[_Part],
    reach: int,
    n_lambdas: int,
    min_ratio: float,
) -> Paths:
    """All runs go down the same penalties, from the least one that leaves out every feature of every run."""
    data = list(parts)
    starts = parallel(delayed(base.largest_penalty)(part.X, part.y) for part in data)
    penalties = max(starts) * np.logspace(0.0, np.log10(min_ratio), n_lambdas)
    found = parallel(delayed(base.path_by_penalty)(part.X, part.y, penalties, reach) for part in data)
    return _by_penalty(found, penalties, data[0].X.shape[1], reach)


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


def _path(base: Any, X: Floats, y: NDArray[Any], reach: int, seed: int) -> list[Ints]:
    path: list[Ints] = _with_seed(base, {}, seed).path_by_size(X, y, reach)
    return path


def _with_seed(base: Any, params: dict[str, Any], seed: int) -> Any:
    selector = clone(base).set_params(**params)
    if "random_state" in selector.get_params():
        selector.set_params(random_state=seed % 2**31)
    return selector
