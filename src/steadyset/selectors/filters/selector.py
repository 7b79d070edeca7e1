"""A scikit-learn selector that keeps the features a filter scores best, on one resample or on many at once.

A resample is a vector of weights: how often it holds each row.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import KW_ONLY, dataclass
from functools import partial
from typing import Any, NamedTuple, Self

import numpy as np
import numpy.typing as npt
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, clone
from sklearn.feature_selection import SelectorMixin
from sklearn.utils import ClassifierTags
from sklearn.utils.validation import check_is_fitted

from steadyset.foundation.arguments import Column, Seed, TableLike, check_flag, job_count, wrong_argument
from steadyset.foundation.errors import InputError, UninformativeWarning, warn_caller
from steadyset.foundation.threads import with_one_arithmetic_thread
from steadyset.io.numbers import numbers
from steadyset.kernels.arrays import Bools, Floats, Ints
from steadyset.kernels.scores import top
from steadyset.selectors import validation
from steadyset.selectors.covariates import COVARIATES, read_covariates
from steadyset.selectors.filters.registry import PASSED, Filter, Steps, filters_for, get_filter
from steadyset.selectors.model_input import nested, too_few
from steadyset.selectors.models.trees import seed_sequence
from steadyset.tasks import CLASSES, TASKS, task_of

PRECISIONS = "precisions"


@dataclass(eq=False, repr=False)
class FilterSelector(SelectorMixin, BaseEstimator):  # type: ignore[misc]
    """Keep the best features by a filter's score.

    Parameters
    ----------
    name : str, default="anova"
        A filter of `list_selectors`.
    k : int or None, default=None
        How many features to keep. Without k, fraction and threshold it is 10, or half of the features where that is
        fewer. Fewer are kept where no more of them score better than a constant column, which a warning says.
    fraction : float or None, default=None
        Instead of k, the share of the features to keep (rounded, at least one).
    threshold : float or None, default=None
        Instead of k, the least score of a feature to keep; a greedy filter stops before the first feature below it.
    params : Mapping or None, default=None
        Options of the filter, such as ``{"discretise": "mdl"}`` or ``{"n_neighbors": 5}``.
    random_state : int, RandomState, Generator or None, default=None
        Seed of filters that draw random numbers.
    task : str or None, default=None
        What y holds, "classes" or "number". With None, numbers with fractions, or more than 20 distinct whole ones, are
        a number; all else classes.
    fill : bool, default=False
        Whether features that score no better than a constant column may fill the places up to k, in the order of the
        columns, as in studies that keep a fixed number of features.

    Attributes
    ----------
    scores_ : array of float of shape (n_features,)
        The higher the better. A greedy filter's scores belong to different steps and do not compare.
    ranking_ : array of int of shape (n_features,)
        1 for the best feature; ties go to the smaller column number, and features that cannot be selected come last. A
        greedy filter ranks by order of selection, then by the score at the last step.
    n_tied_ : int
        Selected features with the score of one that was not selected: only the order of the columns preferred them.
    n_short_ : int
        How many features fewer than asked for were selected.
    all_tied_ : bool
        Whether all features have one score, so that there is nothing to select by.
    n_features_in_ : int
        How many features X had.
    feature_names_in_ : array of str
        Their names, where X had some.

    Examples
    --------
    >>> import numpy as np
    >>> from steadyset.selectors import FilterSelector
    >>> X = np.array([[0.0, 5.0, 1.0], [0.1, 3.0, 1.0], [1.0, 4.0, 1.0], [1.2, 4.5, 1.0]])
    >>> FilterSelector("anova", k=1).fit(X, ["a", "a", "b", "b"]).get_support()
    array([ True, False, False])
    """

    name: str = "anova"
    _: KW_ONLY
    k: int | None = None
    fraction: float | None = None
    threshold: float | None = None
    params: Mapping[str, Any] | None = None
    random_state: Seed = None
    task: str | None = None
    fill: bool = False

    weights_equal_copies = True

    @with_one_arithmetic_thread
    def fit(
        self, X: TableLike, y: Column = None, sample_weight: Column = None, covariates: TableLike | None = None
    ) -> Self:
        """Score and rank the features.

        Parameters
        ----------
        X : array-like, frame or sparse of shape (n_samples, n_features)
            The data; sparse for filters that score many resamples together, which read it a few columns at a time.
        y : array-like of shape (n_samples,) or None, default=None
            The target; filters that ignore it take None.
        sample_weight : array-like of shape (n_samples,) or (n_samples, n_features) or None, default=None
            How often each row counts: 0 leaves it out, 2 counts it twice. None counts every row once. A matrix, for
            limma, holds the precisions of single values, as voom estimates them: inverse variances, 0 leaves one out.
        covariates : array-like of shape (n_samples, n_covariates) or None, default=None
            Numbers, such as the age or 0/1 columns of batches, that scores are adjusted for; for anova, t_test, limma.

        Returns
        -------
        Self
            The fitted selector.
        """
        weights: Any = None if sample_weight is None else numbers(sample_weight, "sample_weight")
        if np.ndim(weights) == 2 and PRECISIONS in inspect.signature(get_filter(self.name).score).parameters:
            return self._keep(self._ranked(X, y, None, covariates, weights), 0)
        return self._keep(self._ranked(X, y, validation.one_vector(weights), covariates), 0)

    def score_for(self, task: str) -> Callable[..., Any]:
        """What scores the features for a task.

        Parameters
        ----------
        task : str
            What the target is.

        Returns
        -------
        Callable
            The score of the filter.
        """
        return get_filter(self.name).score_for(task)

    def can_fit_many(self) -> bool:
        """Whether the filter scores many resamples together.

        Returns
        -------
        bool
            True for batched filters.
        """
        record = get_filter(self.name)
        return record.batched and not record.stochastic and not record.greedy

    def fit_many(self, X: TableLike, y: npt.ArrayLike, weights: npt.ArrayLike) -> Iterator[Callable[[], Self]]:
        """Score many resamples together.

        Parameters
        ----------
        X : array-like or frame of shape (n_samples, n_features)
            The data.
        y : array-like of shape (n_samples,)
            The target.
        weights : array-like of shape (n_resamples, n_samples)
            How often each resample holds each row.

        Yields
        ------
        Callable
            A call that gives a copy of this selector, fitted with one row of the weights.
        """
        ranked = self._ranked(X, y, weights)
        names = {name: getattr(self, name) for name in ("n_features_in_", "feature_names_in_") if hasattr(self, name)}
        for run in range(len(ranked.scores)):
            copy = clone(self)
            vars(copy).update(names)
            yield partial(copy._keep, ranked, run)

    def _ranked(
        self, X: Any, y: Any, sample_weight: Any, covariates: Any = None, precisions: Floats | None = None
    ) -> Ranked:
        record = get_filter(self.name)
        data = _checked(record, X, y, sample_weight, self)
        check_flag("fill", self.fill)
        options = {name: getattr(self, name) for name in ("threshold", "params", "random_state", "task", "fill")}
        return _rank(
            record, *data, k=self._size(data[0].shape[1]), covariates=covariates, precisions=precisions, **options
        )

    def _keep(self, ranked: Ranked, run: int) -> Self:
        """Fill the attributes from the scores of one resample."""
        best, selectable = ranked.best_first(run), ranked.selectable[run]
        self.scores_ = ranked.scores[run]
        self.ranking_ = np.empty(best.size, np.int64)
        self.ranking_[best] = np.arange(1, best.size + 1)
        asked = self._size(best.size)
        if ranked.orders is not None:
            size = ranked.orders[run].size
        elif self.threshold is not None:
            size = int((selectable & (self.scores_ >= self.threshold)).sum())
        else:
            size = min(asked, int(selectable.sum()))
        self._n_selected = size
        self.n_short_ = asked - size if self.threshold is None else 0
        self._count_ties(ranked, run)
        if self.n_short_:
            warn_caller(too_few(asked, f"by the filter {self.name!r}"), UninformativeWarning)
        return self

    def has_size(self) -> bool:
        """Whether the size decides, and neither a threshold nor a fraction.

        Returns
        -------
        bool
            True where a number of features decides.
        """
        return self.threshold is None and self.fraction is None

    @property
    def path_is_costly(self) -> bool:
        """Whether each further feature costs a search, as in greedy filters."""
        return get_filter(self.name).greedy

    def paths_by_size(
        self,
        X: TableLike,
        y: npt.ArrayLike,
        weights: npt.ArrayLike,
        reach: int,
        *,
        random_state: Seed = None,
        n_jobs: int | None = None,
    ) -> list[list[Ints]]:
        """The best features of each resample at all sizes.

        Parameters
        ----------
        X : array-like or frame of shape (n_samples, n_features)
            The data.
        y : array-like of shape (n_samples,)
            The target.
        weights : array-like of shape (n_resamples, n_samples)
            How often each resample holds each row.
        reach : int
            The largest size.
        random_state : int, RandomState, Generator or None, default=None
            Seed of filters that draw random numbers.
        n_jobs : int or None, default=None
            How many threads compute; their number changes nothing.

        Returns
        -------
        list of list of array of int
            For each resample the features at the sizes 1, ..., reach.
        """
        options: Any = {"params": self.params, "random_state": random_state, "task": self.task, "fill": self.fill}
        found = ranked(self.name, X, y, weights, k=reach, n_jobs=n_jobs, **options)
        paths: list[list[Ints]] = []
        for run, row in enumerate(found.best(min(reach + 1, found.scores.shape[1]))):
            order = row[row >= 0]
            paths.append(nested(order[:reach], found.ties(run, order)))
        return paths

    def _count_ties(self, ranked: Ranked, run: int) -> None:
        """Scores are compared as they are, which is how the ranking compares them."""
        if ranked.orders is not None:
            order = ranked.orders[run]
            self.n_tied_ = ranked.n_tied[run]
            # Scores of a greedy filter's last step may be equal where those of its first step were not.
            in_order = self.n_tied_ == order.size and bool((order == np.arange(order.size)).all())
        else:
            chosen, in_order = self.ranking_ <= self._n_selected, True
            left = self.scores_[~chosen & ranked.selectable[run]].max(initial=-np.inf)
            self.n_tied_ = int((self.scores_[chosen] == left).sum())
        several = self.scores_.size > 1 and self._n_selected > 0
        self.all_tied_ = several and in_order and bool((self.scores_ == self.scores_[0]).all())
        if self.all_tied_ and self.n_tied_:
            warn_caller(
                f"The filter {self.name!r} gives all {self.scores_.size} features the same score "
                f"({self.scores_[0]:g}): the first columns are selected, which says nothing about them.",
                UninformativeWarning,
            )

    def _size(self, n_features: int) -> int:
        """Number of features to keep; all of them where a threshold decides."""
        given = [name for name in ("k", "fraction", "threshold") if getattr(self, name) is not None]
        if len(given) > 1:
            raise InputError(f"{' and '.join(given)} are given; give only one of k, fraction and threshold.")
        if self.threshold is not None:
            validation.check_number("threshold", self.threshold, above=-np.inf, or_equal=True)
            return n_features
        if self.fraction is not None:
            validation.check_number("fraction", self.fraction, most=1.0)
            return size_of(self.fraction, n_features)
        return validation.size_or_default(self.k, n_features)

    def _get_support_mask(self) -> Bools:
        check_is_fitted(self)
        mask: Bools = self.ranking_ <= self._n_selected
        return mask

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        record = get_filter(self.name)
        tags.target_tags.required = bool(record.target)
        tags.input_tags.sparse = record.batched
        tags.input_tags.allow_nan = record.missing
        tags.classifier_tags = ClassifierTags(multi_class=record.multiclass)
        return tags


def size_of(fraction: float, n_features: int) -> int:
    """A fraction of the features as a number of them: rounded, halves up, and at least one."""
    return max(1, int(fraction * n_features + 0.5))


NOTHING: Ints = np.empty(0, np.int64)


def ranked(name: str, X: Any, y: Any = None, weights: Any = None, *, k: int | None = None, **options: Any) -> Ranked:
    """The features of each resample ranked by a filter: one for each row of the M x n ``weights``.

    The weight of a row of X counts how often the resample holds it: the scores are those of a fit on rows copied that
    often, and 0 means absent. Batched filters score all resamples together; the others run one after the other. Greedy
    filters select ``k`` features (10, or half of them where that is fewer); their scores of different steps do not
    compare, so sets come from `Ranked.best`. Options are ``params`` of the filter; ``random_state``, of which
    stochastic filters use one child seed for each resample; ``task``, which says what y holds where the rule of
    `steadyset.tasks` would decide otherwise; ``fill``, which lets features in that score no better than a constant
    column; and ``n_jobs``, the number of threads over which resamples are shared out, which changes no score.
    """
    record = get_filter(name)
    data = _checked(record, X, y, weights)
    return _rank(record, *data, k=validation.size_or_default(k, data[0].shape[1]), **options)


def _checked(
    record: Filter, X: Any, y: Any, weights: Any, selector: Any = None
) -> tuple[Floats, NDArray[Any] | None, Floats]:
    """Features, the target where the filter asks for one, and the weights of each resample."""
    features = validation.check_features(X, selector, sparse=record.batched, missing=record.missing)
    target = validation.check_target(y, features.shape[0], record.title) if record.target else None
    return features, target, validation.check_sample_weight(weights, features.shape[0], resamples=True)


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


def _rank(
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
    covariates: Any = None,
    precisions: Floats | None = None,
) -> Ranked:
    """Run a filter on checked features and M x n checked weights."""
    kind = CLASSES if y is None else filter_task(record, y, task)
    score = record.score_for(kind)
    options = _options(record, score, kind, params)
    validation.check_k(k, X.shape[1])
    used = (weights > 0).any(axis=0)
    # Batched scores leave out rows of weight 0 themselves, resample by resample: X need not be copied for them.
    target = encode_target(record, y, weights, kind)
    if not record.batched and not used.all():
        X, weights, target = X[used], weights[:, used].copy(), None if target is None else target[used]
    if covariates is not None:
        if COVARIATES not in inspect.signature(score).parameters:
            raise InputError(f"The {record.title} takes no covariates; anova, t_test and limma do.")
        options[COVARIATES] = read_covariates(covariates, X.shape[0])
    if precisions is not None:
        options[PRECISIONS] = _checked_precisions(precisions, X.shape)
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
        where = " in a resample" if len(weights) > 1 else " of 1 sample" if X.shape[0] == 1 else ""
        raise InputError(f"The {record.title} gives no score (nan) to any feature{where}.")
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
        return np.stack([validation.varying_columns(X[present]) for present in rows])
    least = record.constant(target, weights)[:, None] if callable(record.constant) else record.constant
    return np.asarray(found > least)


def filter_task(record: Filter, y: NDArray[Any], task: str | None) -> str:
    """What a filter takes the target for: what it is, or the one thing that the filter is for."""
    kind = task_of(y, task)
    served = TASKS[kind].among(record.target)
    if served or not record.target:
        return served or kind
    only = TASKS[record.target[0]]
    alike = not only.has_classes and only.n_columns == TASKS[kind].n_columns
    if task is None and len(record.target) == 1 and alike:
        return only.name  # whole numbers; check_numbers refuses text
    others = ", ".join(filters_for(kind))
    given = TASKS[kind]
    words, _, values = given.describe(y).partition(", ")
    what = f"taken as {given.words}" if given.has_classes else f"{words} ({values})"
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
        return validation.check_numbers(y, record.title)
    return validation.check_classes(y, weights, record.title, binary=not record.multiclass)[1]


def _checked_precisions(values: Floats, shape: tuple[int, ...]) -> Floats:
    """The weight of each value of X."""
    if values.shape != shape or not np.isfinite(values).all() or (values < 0).any():
        told = "weights of single values must be finite, at least 0 and have the shape of X"
        raise InputError(f"sample_weight has shape {values.shape}; {told}, {shape}.")
    return values


def run_seeds(random_state: Any, n_runs: int) -> list[int]:
    """One seed for each resample, the same for resample m whatever their number."""
    if isinstance(random_state, np.random.RandomState | np.random.Generator):
        draw = random_state.randint if isinstance(random_state, np.random.RandomState) else random_state.integers
        random_state = int(draw(2**31))
    children = seed_sequence(random_state).spawn(n_runs)
    return [int(child.generate_state(1)[0]) for child in children]


def _options(record: Filter, score: Callable[..., Any], task: str, params: Mapping[str, Any] | None) -> dict[str, Any]:
    """The filter's own options: its default discretiser, then what the caller gave."""
    reserved = {"X", "y", "weights", *PASSED} - {"n_jobs"}
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
        rows = np.repeat(rows, validation.check_whole(weight[rows], record.title))
    local = None if target is None else target[rows]
    if local is not None and local.dtype.kind == "i":
        local = np.unique(local, return_inverse=True)[1].astype(np.int64)
    return (X[rows], local, weight[rows]) if record.weights else (X[rows], local)
