"""A scikit-learn selector that keeps the features a filter scores best."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator, Mapping
from functools import partial
from typing import Any, Self

import numpy as np
import numpy.typing as npt
from sklearn.base import BaseEstimator, clone
from sklearn.feature_selection import SelectorMixin
from sklearn.utils import ClassifierTags
from sklearn.utils.validation import check_is_fitted

from steadyset.foundation.arguments import Column, Seed, TableLike, check_flag
from steadyset.foundation.errors import InputError, UninformativeWarning
from steadyset.kernels.arrays import Bools, Ints
from steadyset.selectors.filters.registry import get_filter
from steadyset.selectors.filters.resampled import Ranked, rank, run_filter
from steadyset.selectors.model_input import nested, too_few
from steadyset.selectors.validation import (
    check_features,
    check_number,
    check_sample_weight,
    check_target,
    one_vector,
    size_or_default,
)


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

    weights_equal_copies = True

    def __init__(
        self,
        name: str = "anova",
        *,
        k: int | None = None,
        fraction: float | None = None,
        threshold: float | None = None,
        params: Mapping[str, Any] | None = None,
        random_state: Seed = None,
        task: str | None = None,
        fill: bool = False,
    ) -> None:
        self.name = name
        self.k = k
        self.fraction = fraction
        self.threshold = threshold
        self.params = params
        self.random_state = random_state
        self.task = task
        self.fill = fill

    def fit(self, X: TableLike, y: Column = None, sample_weight: Column = None) -> Self:
        """Score and rank the features.

        Parameters
        ----------
        X : array-like, frame or sparse of shape (n_samples, n_features)
            The data; sparse for filters that score many resamples together, which read it a few columns at a time.
        y : array-like of shape (n_samples,) or None, default=None
            The target; filters that ignore it take None.
        sample_weight : array-like of shape (n_samples,) or None, default=None
            How often each row counts: 0 leaves it out, 2 counts it twice. None counts every row once.

        Returns
        -------
        Self
            The fitted selector.
        """
        return self._keep(self._ranked(X, y, one_vector(sample_weight)), 0)

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

    def _ranked(self, X: Any, y: Any, sample_weight: Any) -> Ranked:
        record = get_filter(self.name)
        features = check_features(X, self, sparse=record.batched)
        target = check_target(y, features.shape[0], record.title) if record.target else None
        check_flag("fill", self.fill)
        weights = check_sample_weight(sample_weight, features.shape[0], resamples=True)
        return rank(
            record,
            features,
            target,
            weights,
            k=self._size(features.shape[1]),
            threshold=self.threshold,
            params=self.params,
            random_state=self.random_state,
            task=self.task,
            fill=self.fill,
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
            warnings.warn(too_few(asked, f"by the filter {self.name!r}"), UninformativeWarning, stacklevel=3)
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
        ranked = run_filter(
            self.name, X, y, weights, reach, self.params, random_state, n_jobs, self.task, fill=self.fill
        )
        paths: list[list[Ints]] = []
        for run, order in enumerate(ranked.best(min(reach + 1, ranked.scores.shape[1]))):
            found = order[order >= 0]
            paths.append(nested(found[:reach], ranked.ties(run, found)))
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
            warnings.warn(
                f"The filter {self.name!r} gives all {self.scores_.size} features the same score "
                f"({self.scores_[0]:g}): the first columns are selected, which says nothing about them.",
                UninformativeWarning,
                stacklevel=3,
            )

    def _size(self, n_features: int) -> int:
        """Number of features to keep; all of them where a threshold decides."""
        given = [name for name in ("k", "fraction", "threshold") if getattr(self, name) is not None]
        if len(given) > 1:
            raise InputError(f"{' and '.join(given)} are given; give only one of k, fraction and threshold.")
        if self.threshold is not None:
            check_number("threshold", self.threshold, above=-np.inf, or_equal=True)
            return n_features
        if self.fraction is not None:
            check_number("fraction", self.fraction, most=1.0)
            return size_of(self.fraction, n_features)
        return size_or_default(self.k, n_features)

    def _get_support_mask(self) -> Bools:
        check_is_fitted(self)
        mask: Bools = self.ranking_ <= self._n_selected
        return mask

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        record = get_filter(self.name)
        tags.target_tags.required = bool(record.target)
        tags.input_tags.sparse = record.batched
        tags.classifier_tags = ClassifierTags(multi_class=record.multiclass)
        return tags


def size_of(fraction: float, n_features: int) -> int:
    """A fraction of the features as a number of them: rounded, halves up, and at least one."""
    return max(1, int(fraction * n_features + 0.5))
