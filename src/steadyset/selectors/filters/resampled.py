"""Scores of a filter on many resamples at once, each resample as a vector of weights."""

import inspect
from collections.abc import Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from steadyset.foundation.arguments import job_count, wrong_argument
from steadyset.foundation.errors import InputError
from steadyset.kernels.arrays import Bools, Floats, Ints
from steadyset.kernels.scores.top import top
from steadyset.selectors.filters.registry import Filter, Steps, filters_for, get_filter
from steadyset.selectors.models.trees import seed_sequence
from steadyset.selectors.validation import (
    DEFAULT_K,
    check_classes,
    check_features,
    check_k,
    check_numbers,
    check_sample_weight,
    check_target,
    check_whole,
    size_or_default,
    varying_columns,
)
from steadyset.tasks import CLASSES, TASKS, task_of

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
    task: str | None = None,
) -> Floats:
    """M x d scores of a filter: one row for each row of the M x n ``weights``, the higher the better.

    The weight of a row of X counts how often the resample holds it: the scores are those of a fit on rows copied that
    often, and 0 means absent. ``task`` ("classes" or "number") says what y holds where the rule of `steadyset.tasks`
    would decide otherwise. Filters marked as batched in ``list_filters()`` score all resamples together; the others
    run one after the other. Greedy filters select ``k`` features (10, or half of them where that is fewer); their
    scores of different steps do not compare, so sets come from ``top_features``. Stochastic filters use one child seed
    of ``random_state`` for each resample. Resamples are shared out over ``n_jobs`` threads; their number changes no
    score.
    """
    return run_filter(name, X, y, weights, k, params, random_state, n_jobs, task).scores


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
    task: str | None = None,
    fill: bool = False,
) -> Ints:
    """M x k numbers of the k best features of each resample, best first; ties go to the smaller number.

    Where fewer can be selected, because the others score no better than a constant column, -1 stands in the last
    places. ``fill`` lets the others in.
    """
    return run_filter(name, X, y, weights, k, params, random_state, n_jobs, task, fill=fill).best(k)


class Ranked(NamedTuple):
    """Scores (M, d), and for a greedy filter the selected features of each resample in order, else None.

    ``n_tied`` is that of a greedy filter's `Steps`, 0 for the others. ``selectable`` (M, d) are the features that may
    be selected: those whose score is defined and better than that of a constant column.
    """

    scores: Floats
    orders: list[Ints] | None
    n_tied: list[int]
    selectable: Bools

    def best(self, k: int) -> Ints:
        """M x k numbers of the best features, -1 where a resample has fewer."""
        if self.orders is None:
            found = top(np.where(self.selectable, self.scores, -np.inf), k)
            found[~np.take_along_axis(self.selectable, found, axis=1)] = -1
            return found
        found = np.full((len(self.orders), k), -1)
        for row, order in zip(found, self.orders, strict=True):
            row[: order.size] = order
        return found

    def ties(self, run: int, order: Ints) -> Ints | None:
        """How many of the first 1, 2, ... features of an order have the score of the next; None for a greedy filter."""
        if self.orders is not None:
            return None
        scores = self.scores[run, order]
        first_alike = np.searchsorted(-scores, -scores, side="left")
        return np.append(np.arange(1, order.size) - first_alike[1:], 0)[: order.size]

    def best_first(self, run: int) -> Ints:
        """All features of a resample: by falling score, ties by number, and last those that cannot be selected.

        A greedy filter's are those that it selected in their order, then the others.
        """
        by_score = np.lexsort((-self.scores[run], ~self.selectable[run]))
        if self.orders is None:
            return np.asarray(by_score)
        return np.concatenate([self.orders[run], by_score[~np.isin(by_score, self.orders[run])]])


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
    task: str | None = None,
    fill: bool = False,
) -> Ranked:
    """Run a filter on checked features and M x n checked weights."""
    kind = CLASSES if y is None else filter_task(record, y, task)
    score = record.score_for(kind)
    options = _options(record, score, kind, params)
    check_k(k, X.shape[1])
    used = (weights > 0).any(axis=0)
    # Batched scores leave out rows of weight 0 themselves, resample by resample: X need not be copied for them.
    target = encode_target(record, y, weights, kind)
    if not record.batched and not used.all():
        X, weights, target = X[used], weights[:, used].copy(), None if target is None else target[used]
    if record.greedy:
        options |= {"k": k, "threshold": threshold}
    if "fill" in inspect.signature(score).parameters:
        options["fill"] = fill
    seeds = run_seeds(random_state, len(weights)) if record.stochastic else None

    def score_runs(runs: Ints) -> tuple[Floats, list[Ints], list[int]]:
        """Score some of the resamples; they are independent, so that any split over threads gives the same numbers."""
        if record.batched:
            return score(X, target, weights[runs], **options), [NOTHING] * runs.size, [0] * runs.size
        found, orders, n_tied = np.empty((runs.size, X.shape[1])), [], []
        for place, run in enumerate(runs):
            seed = {} if seeds is None else {"random_state": seeds[run]}
            result = score(*_one_resample(record, X, target, weights[run]), **options, **seed)
            steps = result if record.greedy else Steps(result, NOTHING)
            found[place] = steps.scores
            orders.append(steps.order)
            n_tied.append(steps.n_tied)
        return found, orders, n_tied

    n_threads = min(job_count(n_jobs), len(weights))
    if n_threads == 1:
        found, orders, n_tied = score_runs(np.arange(len(weights)))
    else:
        with ThreadPoolExecutor(n_threads) as pool:
            parts = list(pool.map(score_runs, np.array_split(np.arange(len(weights)), n_threads)))
        found = np.concatenate([part[0] for part in parts])
        orders, n_tied = [order for part in parts for order in part[1]], [ties for part in parts for ties in part[2]]
    selectable = ~np.isnan(found)
    if not selectable.any(axis=1).all():
        raise InputError(f"The {record.title} gives no score (nan) to any feature{_in_a_resample(weights)}.")
    if not fill:
        selectable &= _better_than_constant(record, found, X, target, weights)
    if not record.greedy:
        return Ranked(found, None, n_tied, selectable)
    # A greedy filter of somebody else may have chosen constant columns.
    kept = [order[selectable[run, order]] for run, order in enumerate(orders)]
    return Ranked(found, kept, n_tied, selectable)


def _better_than_constant(
    record: Filter, found: Floats, X: Floats, target: Ints | Floats | None, weights: Floats
) -> Bools:
    """Which features score more than a constant column would, or vary where nobody knows what such a one scores."""
    if record.greedy and record.constant is not None:  # its scores belong to different steps; it leaves them out itself
        return np.ones(found.shape, np.bool_)
    if record.constant is None:
        rows = (weight > 0 for weight in weights)
        return np.stack([varying_columns(X[present]) for present in rows])
    least = record.constant(target, weights)[:, None] if callable(record.constant) else record.constant
    return np.asarray(found > least)


def _in_a_resample(weights: Floats) -> str:
    return " in a resample" if len(weights) > 1 else ""


def filter_task(record: Filter, y: NDArray[Any], task: str | None) -> str:
    """What a filter takes the target for: what it is, or the one thing that the filter is for."""
    kind = task_of(y, task)
    if kind in record.target or not record.target:
        return kind
    if task is None and len(record.target) == 1 and not TASKS[record.target[0]].has_classes:
        return record.target[0]  # whole numbers; check_numbers refuses text
    others = ", ".join(filters_for(kind))
    given = TASKS[kind]
    values = f"{given.words} ({len(np.unique(y))} distinct values)"
    what = f"taken as {given.words}" if given.has_classes else values
    two = {
        one: f"two {TASKS[one].several}" for one in record.target if TASKS[one].has_classes and not record.multiclass
    }
    serves = " or ".join(two.get(one, TASKS[one].words) for one in record.target)
    raise InputError(
        f"Unknown label type: y is {what}, and the {record.title} is for {serves}; filters that can: {others}."
    )


def encode_target(record: Filter, y: NDArray[Any] | None, weights: Floats, task: str) -> Ints | Floats | None:
    """Class numbers, or floats where the target is a number, or None for a filter that ignores y."""
    if y is None:
        return None
    if not TASKS[task].has_classes:
        return check_numbers(y, record.title)
    return check_classes(y, weights, record.title, binary=not record.multiclass)[1]


def run_seeds(random_state: Any, n_runs: int) -> list[int]:
    """One seed for each resample, the same for resample m whatever their number."""
    if isinstance(random_state, np.random.RandomState | np.random.Generator):
        draw = random_state.randint if isinstance(random_state, np.random.RandomState) else random_state.integers
        random_state = int(draw(2**31))
    children = seed_sequence(random_state).spawn(n_runs)
    return [int(child.generate_state(1)[0]) for child in children]


def run_filter(
    name: str,
    X: Any,
    y: Any,
    weights: Any,
    k: int | None,
    params: Mapping[str, Any] | None,
    random_state: Any,
    n_jobs: int | None,
    task: str | None,
    fill: bool = False,
) -> Ranked:
    """Check the data, and rank the features of each resample."""
    record = get_filter(name)
    features = check_features(X, sparse=record.batched)
    target = check_target(y, features.shape[0], record.title) if record.target else None
    matrix = check_sample_weight(weights, features.shape[0], resamples=True)
    k = size_or_default(k, features.shape[1])
    options: Any = {"params": params, "random_state": random_state, "n_jobs": n_jobs, "task": task, "fill": fill}
    return rank(record, features, target, matrix, k=k, **options)


def _options(record: Filter, score: Callable[..., Any], task: str, params: Mapping[str, Any] | None) -> dict[str, Any]:
    """The filter's own options: its default discretiser, then what the caller gave."""
    reserved = {"X", "y", "weights", "k", "threshold", "fill", "random_state"}
    accepted = [name for name in inspect.signature(score).parameters if name not in reserved]
    if params is not None and not isinstance(params, Mapping):
        raise wrong_argument("params", "a mapping from options to values", params)
    given = dict(params or {})
    for name in given:
        if name not in accepted:
            known = ", ".join(accepted) or "none"
            raise InputError(f"params contains {name!r}; options of {record.title}: {known}.")
    return ({"discretise": TASKS[task].bins or record.needs_discrete} if record.needs_discrete else {}) | given


def _one_resample(record: Filter, X: Floats, target: Ints | Floats | None, weight: Floats) -> tuple[Any, ...]:
    """The rows present in a resample with classes numbered anew, and their weights or as many copies."""
    rows = np.flatnonzero(weight > 0)
    if not record.weights:
        rows = np.repeat(rows, check_whole(weight[rows], record.title))
    local = None if target is None else target[rows]
    if local is not None and local.dtype.kind == "i":
        local = np.unique(local, return_inverse=True)[1].astype(np.int64)
    return (X[rows], local, weight[rows]) if record.weights else (X[rows], local)
