"""The selections of a base selector on every resample and at every level of its path, computed once."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from joblib import Parallel, delayed
from numpy.typing import NDArray
from scipy import sparse
from sklearn.base import clone

from steadyset.errors import InputError
from steadyset.kernels.arrays import Floats, Ints
from steadyset.selectors.ensembles.clusters import merge_columns
from steadyset.selectors.filters.resampled import run_seeds
from steadyset.selectors.linear import SparseLinear, SparseLogistic
from steadyset.selectors.protocols import PathByPenalty, PathBySize, PathsByPenalty, PathsBySize, fits_many
from steadyset.task import NUMBER, Task

SIZE_NAMES = ("k", "n_features_to_select")


@dataclass(frozen=True)
class Paths:
    """What M runs selected at each of L levels.

    levels holds the penalties from the strongest down, or the sizes from the smallest up. selected has a row for each
    run and level, that of run m and level l at m L + l. orders holds the features of each run in the order in which
    they entered its path; it is None where a level is a size, and then the level itself is the first q. sizes_only
    tells that the levels are no path, but the few sizes that the rules asked for.
    """

    levels: Floats
    selected: sparse.csr_array
    orders: tuple[Ints, ...] | None
    reach: int
    sizes_only: bool = False

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
    def frequencies(self) -> Floats:
        """levels x features: the share of the runs that selected each feature at each level."""
        return np.asarray(self.counts(np.arange(self.selected.shape[1])) / self.n_runs)

    def level(self, place: int) -> sparse.csr_array:
        """runs x features at one level."""
        return self.selected[place :: len(self.levels)]

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


def default_base(y: NDArray[Any], task: Task) -> Any:
    """The lasso path: logistic for two classes, linear for numbers."""
    if task == NUMBER:
        return SparseLinear()
    if len(np.unique(y)) <= 2:
        return SparseLogistic()
    raise InputError(
        f"Only binary classification is supported without a base: y has {len(np.unique(y))} classes; "
        "expected two classes, numbers, or a base that takes more classes."
    )


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
) -> Paths:
    """The paths of a base selector on the rows of each run: along its penalties or sizes.

    reach is how many features a path is followed to; a base that has a size and no path is run for each of `sizes`.
    """
    parallel = Parallel(n_jobs=n_jobs, prefer="threads")
    d = X.shape[1]
    if size_parameter(base) is None and fits_many(base):
        every = [fitted().get_support(indices=True) for fitted in base.fit_many(X, y, _as_weights(rows, len(y)))]
        return Paths(np.array([np.nan]), _rows(every, d), None, d)
    if size_parameter(base) is None:
        chosen = parallel(delayed(_fitted)(base, {}, X[run], y[run], s) for run, s in _seeded(rows, seed))
        return Paths(np.array([np.nan]), _rows([np.flatnonzero(c.get_support()) for c in chosen], d), None, d)
    if isinstance(base, PathsByPenalty):
        weights = _as_weights(rows, len(y))
        ratios = np.logspace(0.0, np.log10(lambda_min_ratio), n_lambdas)
        penalties = base.largest_penalties(X, y, weights, n_jobs=n_jobs).max() * ratios
        paths = base.paths_by_penalty(X, y, weights, penalties, reach, n_jobs=n_jobs)
        return _by_penalty(paths, penalties, d, reach)
    if isinstance(base, PathByPenalty):
        return _penalties(parallel, base, X, y, rows, reach, n_lambdas, lambda_min_ratio)
    if isinstance(base, PathsBySize):
        weights = _as_weights(rows, len(y))
        return _sizes(base.paths_by_size(X, y, weights, reach, random_state=seed, n_jobs=n_jobs), d, reach)
    if isinstance(base, PathBySize):
        found = parallel(delayed(_path)(base, X[run], y[run], reach, s) for run, s in _seeded(rows, seed))
        return _sizes(found, d, reach)
    return _some_sizes(parallel, base, X, y, rows, sorted(set(sizes)), seed)


def _some_sizes(
    parallel: Any, base: Any, X: Floats, y: NDArray[Any], rows: Sequence[Ints], sizes: Sequence[int], seed: int
) -> Paths:
    """One fit for each run and size."""
    name = size_parameter(base)
    chosen = parallel(
        delayed(_fitted)(base, {name: size}, X[run], y[run], s) for run, s in _seeded(rows, seed) for size in sizes
    )
    selected = _rows([np.flatnonzero(c.get_support()) for c in chosen], X.shape[1])
    return Paths(np.array(sizes, dtype=np.float64), selected, None, max(sizes), sizes_only=True)


def _penalties(
    parallel: Any,
    base: PathByPenalty,
    X: Floats,
    y: NDArray[Any],
    rows: Sequence[Ints],
    reach: int,
    n_lambdas: int,
    min_ratio: float,
) -> Paths:
    """All runs go down the same penalties, from the least one that leaves out every feature of every run."""
    starts = parallel(delayed(base.largest_penalty)(X[run], y[run]) for run in rows)
    penalties = max(starts) * np.logspace(0.0, np.log10(min_ratio), n_lambdas)
    found = parallel(delayed(base.path_by_penalty)(X[run], y[run], penalties, reach) for run in rows)
    return _by_penalty(found, penalties, X.shape[1], reach)


def _by_penalty(found: Sequence[tuple[list[Ints], Ints]], penalties: Floats, d: int, reach: int) -> Paths:
    # A path ends at its reach, so that only the levels that every run has seen can be compared.
    n_levels = min(len(levels) for levels, _ in found)
    selected = _rows([level for levels, _ in found for level in levels[:n_levels]], d)
    return Paths(penalties[:n_levels], selected, tuple(order for _, order in found), reach)


def _as_weights(rows: Sequence[Ints], n: int) -> Floats:
    weights = np.zeros((len(rows), n))
    for run, members in enumerate(rows):
        weights[run, members] = 1.0
    return weights


def _sizes(paths: Sequence[Sequence[Ints]], d: int, reach: int) -> Paths:
    """A level a size; a run that ends before a size keeps its last selection."""
    rows = [path[min(size, len(path) - 1)] for path in paths for size in range(reach)]
    return Paths(np.arange(1.0, reach + 1.0), _rows(rows, d), None, reach)


def _rows(sets: Sequence[Ints], d: int) -> sparse.csr_array:
    indptr = np.concatenate([[0], np.cumsum([len(members) for members in sets])])
    indices = np.concatenate(sets) if len(sets) else np.empty(0, np.int64)
    rows = sparse.csr_array((np.ones(len(indices), np.int8), indices, indptr), shape=(len(sets), d))
    rows.sort_indices()
    return rows


def _seeded(rows: Sequence[Ints], seed: int) -> list[tuple[Ints, int]]:
    return list(zip(rows, run_seeds(seed, len(rows)), strict=True))


def _fitted(base: Any, params: dict[str, Any], X: Floats, y: NDArray[Any], seed: int) -> Any:
    return _with_seed(base, params, seed).fit(X, y)


def _path(base: Any, X: Floats, y: NDArray[Any], reach: int, seed: int) -> list[Ints]:
    path: list[Ints] = _with_seed(base, {}, seed).path_by_size(X, y, reach)
    return path


def _with_seed(base: Any, params: dict[str, Any], seed: int) -> Any:
    selector = clone(base).set_params(**params)
    if "random_state" in selector.get_params():
        selector.set_params(random_state=seed % 2**31)
    return selector
