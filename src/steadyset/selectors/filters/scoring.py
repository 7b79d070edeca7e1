"""Scores of a filter on many resamples at once, each resample a vector of weights."""

import inspect
from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from typing import Any, NamedTuple

import numpy as np
from joblib import effective_n_jobs
from numpy.typing import NDArray

from steadyset.errors import InputError
from steadyset.kernels.arrays import Floats, Ints
from steadyset.kernels.top import top
from steadyset.selectors.filters.registry import Filter, get_filter
from steadyset.selectors.validation import (
    check_classes,
    check_features,
    check_k,
    check_numbers,
    check_sample_weight,
    check_target,
    check_whole,
)
from steadyset.task import NUMBER, task_of

DEFAULT_K = 10
NOTHING: Ints = np.empty(0, np.int64)


def scores(
    name: str,
    X: Any,
    y: Any = None,
    weights: Any = None,
    *,
    k: int | None = None,
    params: Mapping[str, Any] | None = None,
    random_state: Any = None,
    n_jobs: int | None = None,
) -> Floats:
    """M x d scores of a filter: one row for each row of the M x n ``weights``, the higher the better.

    The weight of a row of X counts how often the resample holds it: the scores are those of a fit on rows copied that
    often, and 0 means absent. Filters marked as batched in ``list_filters()`` score all resamples together; the others
    run one after the other. Greedy filters select ``k`` features (10, or d if that is smaller); their scores of
    different steps do not compare, so sets come from ``top_features``. Stochastic filters use one child seed of
    ``random_state`` for each resample. Resamples are shared out over ``n_jobs`` threads; their number changes no score.
    """
    return _run(name, X, y, weights, k, params, random_state, n_jobs).scores


def top_features(
    name: str,
    X: Any,
    y: Any = None,
    weights: Any = None,
    *,
    k: int = DEFAULT_K,
    params: Mapping[str, Any] | None = None,
    random_state: Any = None,
    n_jobs: int | None = None,
) -> Ints:
    """M x k numbers of the k best features of each resample, best first; ties go to the smaller number."""
    ranked = _run(name, X, y, weights, k, params, random_state, n_jobs)
    return np.stack(ranked.orders) if get_filter(name).greedy else top(ranked.scores, k)


class Ranked(NamedTuple):
    """Scores (M, d), and for a greedy filter the selected features of each resample in order, else empty arrays."""

    scores: Floats
    orders: list[Ints]


def best_first(score: Floats, order: Ints) -> Ints:
    """All features: those selected greedily in their order, then the others by falling score, ties by number."""
    by_score = np.argsort(-score, kind="stable")
    return np.concatenate([order, by_score[~np.isin(by_score, order)]]) if order.size else by_score


def rank(
    record: Filter,
    X: Floats,
    y: NDArray[Any] | None,
    weights: Floats,
    *,
    k: int,
    threshold: float | None = None,
    params: Mapping[str, Any] | None = None,
    random_state: Any = None,
    n_jobs: int | None = None,
) -> Ranked:
    """Run a filter on checked features and M x n checked weights."""
    options = _options(record, params)
    check_k(k, X.shape[1])
    used = (weights > 0).any(axis=0)
    # Batched scores leave out rows of weight 0 themselves, resample by resample: X need not be copied for them.
    if not record.batched and not used.all():
        X, weights, y = X[used], weights[:, used].copy(), None if y is None else y[used]
    target = encode_target(record, y, weights)
    if record.greedy:
        options |= {"k": k, "threshold": threshold}
    seeds = run_seeds(random_state, len(weights)) if record.stochastic else None

    def score_runs(runs: Ints) -> Ranked:
        """Score some of the resamples; they are independent, so that any split over threads gives the same numbers."""
        if record.batched:
            return Ranked(record.score(X, target, weights[runs], **options), [NOTHING] * runs.size)
        found, orders = np.empty((runs.size, X.shape[1])), []
        for place, run in enumerate(runs):
            seed = {} if seeds is None else {"random_state": seeds[run]}
            result = record.score(*_one_resample(record, X, target, weights[run]), **options, **seed)
            found[place], order = result if record.greedy else (result, NOTHING)
            orders.append(order)
        return Ranked(found, orders)

    n_threads = min(effective_n_jobs(n_jobs), len(weights))
    if n_threads == 1:
        return score_runs(np.arange(len(weights)))
    with ThreadPoolExecutor(n_threads) as pool:
        parts = list(pool.map(score_runs, np.array_split(np.arange(len(weights)), n_threads)))
    return Ranked(np.concatenate([part.scores for part in parts]), [order for part in parts for order in part.orders])


def encode_target(record: Filter, y: NDArray[Any] | None, weights: Floats) -> Ints | Floats | None:
    """Class numbers, or floats for a continuous target, or None for a filter that ignores y."""
    if y is None:
        return None
    if record.target == ("continuous",) or ("continuous" in record.target and task_of(y) == NUMBER):
        return check_numbers(y, record.title)
    return check_classes(y, weights, record.title, binary=not record.multiclass)[1]


def run_seeds(random_state: Any, n_runs: int) -> list[int]:
    """One seed for each resample, the same for resample m whatever their number."""
    if isinstance(random_state, np.random.RandomState | np.random.Generator):
        draw = random_state.randint if isinstance(random_state, np.random.RandomState) else random_state.integers
        random_state = int(draw(2**31))
    children = np.random.SeedSequence(random_state).spawn(n_runs)
    return [int(child.generate_state(1)[0]) for child in children]


def _run(
    name: str,
    X: Any,
    y: Any,
    weights: Any,
    k: int | None,
    params: Mapping[str, Any] | None,
    random_state: Any,
    n_jobs: int | None,
) -> Ranked:
    record = get_filter(name)
    features = check_features(X)
    target = check_target(y, len(features), record.title) if record.target else None
    matrix = check_sample_weight(weights, len(features), resamples=True)
    k = min(DEFAULT_K, features.shape[1]) if k is None else k
    return rank(record, features, target, matrix, k=k, params=params, random_state=random_state, n_jobs=n_jobs)


def _options(record: Filter, params: Mapping[str, Any] | None) -> dict[str, Any]:
    """The filter's own options: its default discretiser, then what the caller gave."""
    reserved = {"X", "y", "weights", "k", "threshold", "random_state"}
    accepted = [name for name in inspect.signature(record.score).parameters if name not in reserved]
    given = dict(params or {})
    for name in given:
        if name not in accepted:
            known = ", ".join(accepted) or "none"
            raise InputError(f"params contains {name!r}; options of {record.title}: {known}.")
    return ({"discretise": record.needs_discrete} if record.needs_discrete else {}) | given


def _one_resample(record: Filter, X: Floats, target: Ints | Floats | None, weight: Floats) -> tuple[Any, ...]:
    """The rows present in a resample with classes numbered anew, and their weights or as many copies."""
    rows = np.flatnonzero(weight > 0)
    if not record.weights:
        rows = np.repeat(rows, check_whole(weight[rows], record.title))
    local = None if target is None else target[rows]
    if local is not None and local.dtype.kind == "i":
        local = np.unique(local, return_inverse=True)[1].astype(np.int64)
    return (X[rows], local, weight[rows]) if record.weights else (X[rows], local)
