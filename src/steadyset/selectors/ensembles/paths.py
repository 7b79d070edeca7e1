"""The selections of a base selector on every resample and at every level of its path, computed once."""

from __future__ import annotations

from collections.abc import Callable, Sequence
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
from steadyset.selectors.boosting import BoostedLinear, BoostedLogistic
from steadyset.selectors.ensembles.clusters import merge_columns
from steadyset.selectors.filters import FilterSelector, get_filter, top_features
from steadyset.selectors.filters.scoring import run_seeds
from steadyset.selectors.forest import ForestClassification, ForestRegression
from steadyset.selectors.group import GroupLinear, GroupLogistic
from steadyset.selectors.l0 import L0Linear, L0Logistic
from steadyset.selectors.linear import SparseLinear, SparseLogistic, elastic_net_path
from steadyset.selectors.model_input import first_best
from steadyset.selectors.rfe import RecursiveElimination
from steadyset.task import NUMBER, Task

SIZE_NAMES = ("k", "n_features_to_select")
PENALISED = (SparseLogistic, SparseLinear, GroupLogistic, GroupLinear)


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
        "wanted are two classes, numbers, or a base that takes more classes."
    )


def size_parameter(base: Any) -> str | None:
    """What the base calls the number of features that it selects; None where it has none, or another option decides."""
    if isinstance(base, PENALISED) and base.penalty is not None:
        return None
    if isinstance(base, FilterSelector) and not base.threshold is base.fraction is None:
        return None
    return next((name for name in SIZE_NAMES if name in base.get_params()), None)


def is_costly(base: Any) -> bool:
    """Whether each further feature of a path costs a search of its own."""
    return isinstance(base, L0Linear | L0Logistic) or (
        isinstance(base, FilterSelector) and get_filter(base.name).greedy
    )


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
    if size_parameter(base) is None:
        chosen = parallel(delayed(_fitted)(base, {}, X[run], y[run], s) for run, s in _seeded(rows, seed))
        return Paths(np.array([np.nan]), _rows([np.flatnonzero(c.get_support()) for c in chosen], d), None, d)
    if isinstance(base, SparseLogistic | SparseLinear):
        return _penalties(parallel, base, X, y, rows, reach, n_lambdas, lambda_min_ratio)
    if isinstance(base, FilterSelector):
        weights = np.zeros((len(rows), len(y)))
        for run, members in enumerate(rows):
            weights[run, members] = 1.0
        best = top_features(base.name, X, y, weights, k=reach, params=base.params, random_state=seed, n_jobs=n_jobs)
        return _sizes([[order[: s + 1] for s in range(len(order))] for order in best], d, reach)
    path = _SIZE_PATHS.get(type(base))
    if path is None:
        return _some_sizes(parallel, base, X, y, rows, sorted(set(sizes)), seed)
    size = {"k": path.fitted_size(reach)}
    chosen = parallel(delayed(_fitted)(base, size, X[run], y[run], s) for run, s in _seeded(rows, seed))
    return _sizes([path.read(selector) for selector in chosen], d, reach)


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
    base: SparseLogistic | SparseLinear,
    X: Floats,
    y: NDArray[Any],
    rows: Sequence[Ints],
    reach: int,
    n_lambdas: int,
    min_ratio: float,
) -> Paths:
    """All runs go down the same penalties, from the least one that leaves out every feature of every run."""
    options = {
        "family": "logistic" if isinstance(base, SparseLogistic) else "linear",
        "l1_ratio": base.l1_ratio,
        "standardise": base.standardise,
        "tol": base.tol,
    }
    starts = parallel(delayed(elastic_net_path)(X[run], y[run], n_lambdas=1, **options) for run in rows)
    lambdas = max(float(start.lambdas[0]) for start in starts) * np.logspace(0.0, np.log10(min_ratio), n_lambdas)
    found = parallel(delayed(_penalty_path)(X[run], y[run], lambdas, reach, options) for run in rows)
    # A path ends at its reach, so that only the levels that every run has seen can be compared.
    n_levels = min(len(levels) for levels, _ in found)
    selected = _rows([level for levels, _ in found for level in levels[:n_levels]], X.shape[1])
    return Paths(lambdas[:n_levels], selected, tuple(order for _, order in found), reach)


def _penalty_path(
    X: Floats, y: NDArray[Any], lambdas: Floats, reach: int, options: dict[str, Any]
) -> tuple[list[Ints], Ints]:
    """The features at each level, and all of them in the order of entry: within a level, by their standardised size."""
    coefs = elastic_net_path(X, y, lambdas=lambdas, max_features=reach, **options).coefs
    used = np.flatnonzero(coefs.any(axis=0))
    entry = np.argmax(coefs[:, used] != 0, axis=0)
    size = np.abs(coefs[entry, used]) * X[:, used].std(axis=0)
    return [np.flatnonzero(coef) for coef in coefs], used[np.lexsort((used, -size, entry))]


@dataclass(frozen=True)
class SizePath:
    """How one fit tells what the selector would choose at every size up to `reach`."""

    read: Callable[[Any], list[Ints]]
    fitted_size: Callable[[int], int] = lambda reach: reach


def _nested(order: Ints) -> list[Ints]:
    return [order[: size + 1] for size in range(len(order))]


def _boosting_path(selector: Any) -> list[Ints]:
    features, steps = np.unique(selector.steps_, return_index=True)
    return _nested(features[np.argsort(steps)])


def _importance_path(selector: Any) -> list[Ints]:
    chosen = np.flatnonzero(selector.support_)
    return _nested(chosen[first_best(selector.importances_[chosen], len(chosen))])


_L0 = SizePath(lambda selector: list(selector.path_))
_BOOSTING = SizePath(_boosting_path)
_FOREST = SizePath(_importance_path)
_SIZE_PATHS: dict[type, SizePath] = {
    L0Logistic: _L0,
    L0Linear: _L0,
    BoostedLogistic: _BOOSTING,
    BoostedLinear: _BOOSTING,
    ForestClassification: _FOREST,
    ForestRegression: _FOREST,
    # What is left at a size is what is left when elimination goes on to a single feature.
    RecursiveElimination: SizePath(lambda s: _nested(np.argsort(s.ranking_)), fitted_size=lambda reach: 1),
}


def _sizes(paths: Sequence[Sequence[Ints]], d: int, reach: int) -> Paths:
    """A level a size; a run that ends before a size keeps its last selection."""
    rows = [path[min(size, len(path) - 1)] for path in paths for size in range(reach)]
    return Paths(np.arange(1.0, reach + 1.0), _rows(rows, d), None, reach)


def _rows(sets: Sequence[Ints], d: int) -> sparse.csr_array:
    indptr = np.concatenate([[0], np.cumsum([len(members) for members in sets])])
    indices = np.concatenate([np.sort(members) for members in sets]) if len(sets) else np.empty(0, np.int64)
    return sparse.csr_array((np.ones(len(indices), np.int8), indices, indptr), shape=(len(sets), d))


def _seeded(rows: Sequence[Ints], seed: int) -> list[tuple[Ints, int]]:
    return list(zip(rows, run_seeds(seed, len(rows)), strict=True))


def _fitted(base: Any, params: dict[str, Any], X: Floats, y: NDArray[Any], seed: int) -> Any:
    selector = clone(base).set_params(**params)
    if "random_state" in selector.get_params():
        selector.set_params(random_state=seed % 2**31)
    return selector.fit(X, y)
