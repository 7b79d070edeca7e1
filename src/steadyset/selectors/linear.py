"""L1 and elastic-net regression as a selector: logistic, multinomial, linear, Cox and Poisson."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import KW_ONLY, dataclass
from functools import partial
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import clone

from steadyset.foundation.arguments import check_flag
from steadyset.foundation.threads import with_one_arithmetic_thread
from steadyset.kernels.arrays import Floats, Ints
from steadyset.selectors.covariates import read_covariates
from steadyset.selectors.known import register_selector
from steadyset.selectors.model import PATH_OUTCOMES, LinearSelector
from steadyset.selectors.model_input import left_out_copies
from steadyset.selectors.path_data import FAMILIES, Level, Path, Resamples, read_resamples
from steadyset.selectors.paths import (
    Batches,
    SharedPaths,
    Solving,
    levels_of,
    one_level_each,
    path_end,
    read_batches,
    tell_accuracy,
    tell_worst,
)
from steadyset.selectors.validation import check_sample_weight, check_target, one_vector, size_or_default

FOUND_IN_DATA = ("n_features_in_", "feature_names_in_", "task_")  # what checking the data leaves with a selector


@dataclass(eq=False, repr=False)
class ElasticNetSelector(LinearSelector):
    """L1 (l1_ratio=1) or elastic-net regression of classes, a number, times to an event or counts.

    The regression is logistic for two classes, multinomial for more, linear for a number, Cox's for times to an event
    and Poisson's for counts. Selects the features with a non-zero coefficient, of any class. The objective is that of
    `elastic_net_path`. Either `penalty` sets its lambda, or the path is followed until about `k` features are in: down
    from the strongest penalty to the first level with k features or more; when that level has more, the step before it
    is halved again and again in search of exactly k, and failing that the largest support below k is kept.

    Parameters
    ----------
    penalty : float or None, default=None
        The lambda of the model; with None, k decides.
    k : int or None, default=None
        How many features to select; None is 10, or half of the features where that is fewer.
    task : str or None, default=None
        What y holds, "classes", "number", "survival" or "count"; None decides by y. Where scikit-learn has to know it
        before the fit, as for stratified folds, give it.
    l1_ratio : float, default=1.0
        The share of the L1 penalty, above 0 and at most 1: 1 is the lasso, less an elastic net.
    standardise : bool, default=True
        Whether the penalty counts coefficients of standardised features.
    grouped : bool, default=False
        With more than two classes, whether a feature is in the model for all classes or for none.
    n_lambdas : int, default=100
        How many levels the path has that is followed to k features.
    lambda_min_ratio : float or None, default=None
        Its last level, as a part of its first; None is 0.01 if there are more features than rows, else 0.0001.
    tol : float, default=1e-10
        How far from optimal the solution may be.

    Attributes
    ----------
    support_ : array of bool of shape (n_features,)
        The selected features.
    coef_ : array of float of shape (n_features,)
        The coefficients, in the units of X; 0 for features that were not selected. Of more than two classes
        (n_classes, n_features).
    intercept_ : float
        The intercept, of more than two classes one for each; 0 for times to an event.
    importances_ : array of float of shape (n_features,)
        The absolute coefficients of the standardised features, of more than two classes the largest of them.
    n_tied_ : int
        Selected features of which a copy was not selected: only the order of the columns preferred them.
    n_features_in_ : int
        How many features X had.
    penalty_ : float
        The lambda of the model.
    violation_ : float
        How far the model is from optimal.
    task_ : str
        What y was taken for.
    classes_ : array of shape (n_classes,)
        The classes, where y holds classes; of two classes `coef_` speaks for the second.
    covariate_coef_ : array of float of shape (n_covariates,)
        The coefficients of the covariates; empty without any. With some, the selector itself does not predict.

    Examples
    --------
    >>> import steadyset as st
    >>> from sklearn.datasets import load_breast_cancer
    >>> X, y = load_breast_cancer(return_X_y=True, as_frame=True)
    >>> lasso = st.selectors.ElasticNetSelector(k=3).fit(X, y)
    >>> lasso.get_feature_names_out().tolist()
    ['worst radius', 'worst perimeter', 'worst concave points']

    A number takes half the squared error as the loss:

    >>> from sklearn.datasets import load_diabetes
    >>> X, y = load_diabetes(return_X_y=True, as_frame=True)
    >>> st.selectors.ElasticNetSelector(k=4).fit(X, y).get_feature_names_out().tolist()
    ['bmi', 'bp', 's3', 's5']
    """

    penalty: float | None = None
    _: KW_ONLY
    k: int | None = None
    task: str | None = None
    l1_ratio: float = 1.0
    standardise: bool = True
    grouped: bool = False
    n_lambdas: int = 100
    lambda_min_ratio: float | None = None
    tol: float = 1e-10

    outcomes = PATH_OUTCOMES
    path_parameters = ("penalty", "k")

    @with_one_arithmetic_thread
    def fit(
        self, X: ArrayLike, y: ArrayLike, sample_weight: ArrayLike | None = None, covariates: ArrayLike | None = None
    ) -> Self:
        """Fit the path down to the given penalty or number of features, and keep the last model.

        Parameters
        ----------
        X : array-like or frame of shape (n_samples, n_features)
            The data.
        y : array-like of shape (n_samples,)
            The target.
        sample_weight : array-like of shape (n_samples,) or None, default=None
            How often each row counts: 0 leaves it out, 2 counts it twice. None counts every row once.
        covariates : array-like of shape (n_samples, n_covariates) or None, default=None
            Numbers, such as the age, that stay in the model without a penalty and are not among what is selected.

        Returns
        -------
        Self
            The fitted selector.
        """
        (fitted,) = self._fits(X, y, one_vector(sample_weight), covariates)
        return fitted(self)

    def can_fit_many(self) -> bool:
        """Whether many resamples may be fitted together.

        Returns
        -------
        bool
            Always True.
        """
        return True

    def fit_many(self, X: ArrayLike, y: ArrayLike, weights: ArrayLike) -> Iterator[Callable[[], Self]]:
        """Fit many resamples together.

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
        for fitted in self._fits(X, y, weights):
            yield partial(fitted, clone(self))

    def _fits(
        self, X: ArrayLike, y: ArrayLike, weights: ArrayLike | None, covariates: ArrayLike | None = None
    ) -> Iterator[Callable[[Any], Self]]:
        batches = self._batches_of(X, y, weights, selector=self, covariates=covariates)
        yield from batches.each(partial(self._models, self._names()))

    def _models(self, names: dict[str, Any], solving: Solving) -> list[Callable[[Any], Self]]:
        k, n_free = self.k, solving.data.X.shape[1] - names["n_features_in_"]
        if n_free and self.penalty is None:  # they are in the model at every level
            k = size_or_default(k, names["n_features_in_"]) + n_free
        levels = one_level_each(solving, self.penalty, k, self.n_lambdas, self.lambda_min_ratio)
        return [
            partial(_put, names, solving.data, run, level, y_unit, spread)
            for run, level, y_unit, spread in zip(
                solving.runs, levels, solving.y_units.tolist(), solving.spreads.tolist(), strict=True
            )
        ]

    def _names(self) -> dict[str, Any]:
        return {name: getattr(self, name) for name in FOUND_IN_DATA if hasattr(self, name)}

    def share_paths(
        self, X: ArrayLike, y: ArrayLike, weights: ArrayLike
    ) -> Callable[[Self], Sequence[Callable[[], Self]]] | None:
        """Share one path among fits with several penalties or k.

        Parameters
        ----------
        X : array-like of shape (n_rows, n_features)
            The data.
        y : array-like of shape (n_rows,)
            The target.
        weights : array-like of shape (n_resamples, n_rows)
            How often each resample holds a row.

        Returns
        -------
        callable or None
            Gives for a selector that differs from this one in `penalty` and `k` alone what its `fit_many` would give,
            to the last bit. None where the resamples are too many to be held together.
        """
        batches = self._batches_of(X, y, weights, selector=self)
        if not SharedPaths.can_hold(batches):
            return None
        names, least = self._names(), self.lambda_min_ratio
        paths = SharedPaths(batches, lambda solving: levels_of(solving, self.n_lambdas, path_end(least)))

        def fits(selector: Self) -> list[Callable[[], Self]]:
            paths.start_again()
            return [partial(fitted, clone(selector)) for fitted in selector._models(names, paths)]

        return fits

    def has_size(self) -> bool:
        """Whether the size decides, and no given penalty.

        Returns
        -------
        bool
            True where a number of features decides.
        """
        return self.penalty is None

    def largest_penalty(self, X: Floats, y: ArrayLike) -> float:
        """The least penalty that leaves out every feature.

        Parameters
        ----------
        X : array of float of shape (n_samples, n_features)
            The data.
        y : array-like of shape (n_samples,)
            The target.

        Returns
        -------
        float
            The penalty.
        """
        return float(self.largest_penalties(X, y, np.ones((1, len(X))))[0])

    def path_by_penalty(self, X: Floats, y: ArrayLike, penalties: Floats, reach: int) -> tuple[list[Ints], Ints]:
        """The features at each of some penalties.

        Parameters
        ----------
        X : array of float of shape (n_samples, n_features)
            The data.
        y : array-like of shape (n_samples,)
            The target.
        penalties : array of float
            The penalties, falling.
        reach : int
            The path may end once so many features are in.

        Returns
        -------
        levels : list of array of int
            The features at each penalty.
        entered : array of int
            All features in the order of entry: within a penalty, by their standardised size.
        """
        return self.paths_by_penalty(X, y, np.ones((1, len(X))), penalties, reach)[0]

    def largest_penalties(self, X: Floats, y: ArrayLike, weights: Floats, *, n_jobs: int | None = 1) -> Floats:
        """The least penalty of each resample that leaves out every feature.

        Parameters
        ----------
        X : array of float of shape (n_samples, n_features)
            The data.
        y : array-like of shape (n_samples,)
            The target.
        weights : array of float of shape (n_resamples, n_samples)
            How often each resample holds each row.
        n_jobs : int or None, default=1
            How many threads compute; their number changes nothing.

        Returns
        -------
        array of float of shape (n_resamples,)
            The penalties.
        """
        return np.array(list(self._batches_of(X, y, weights).each(lambda solving: solving.largest.tolist(), n_jobs)))

    def paths_by_penalty(
        self, X: Floats, y: ArrayLike, weights: Floats, penalties: Floats, reach: int, *, n_jobs: int | None = 1
    ) -> list[tuple[list[Ints], Ints]]:
        """The path of each resample down the same penalties.

        Parameters
        ----------
        X : array of float of shape (n_samples, n_features)
            The data.
        y : array-like of shape (n_samples,)
            The target.
        weights : array of float of shape (n_resamples, n_samples)
            How often each resample holds each row.
        penalties : array of float
            The penalties, falling.
        reach : int
            A path may end once so many features are in.
        n_jobs : int or None, default=1
            How many threads compute; their number changes nothing.

        Returns
        -------
        list of tuple
            What `path_by_penalty` gives, for each resample.
        """

        def compute(solving: Solving) -> list[tuple[list[Ints], Ints]]:
            paths = solving.solve(range(len(solving.runs)), [penalties] * len(solving.runs), reach)
            tell_worst(paths, solving.spreads, self.tol)
            return [_entries(path) for path in paths]

        return list(self._batches_of(X, y, weights).each(compute, n_jobs))

    def _batches_of(
        self,
        X: ArrayLike,
        y: ArrayLike,
        weights: ArrayLike | None,
        selector: Any = None,
        covariates: ArrayLike | None = None,
    ) -> Batches:
        outcome = self._read_task(y)
        check_flag("grouped", self.grouped)
        several = None
        if outcome.several is not None and _more_than_two(check_target(y, None, type(self).__name__), weights):
            several = outcome.several
        family, factors = several or outcome.family, None
        if covariates is not None:
            values = read_resamples(X, y, weights, target=FAMILIES[family][0], selector=selector).X
            beside = read_covariates(covariates, len(values))
            factors = np.append(np.ones(values.shape[1]), np.zeros(beside.shape[1]))
            X, selector = np.column_stack([values, beside]), None
        return read_batches(
            X,
            y,
            weights,
            family=family,
            grouped=self.grouped and several is not None,
            l1_ratio=self.l1_ratio,
            standardise=self.standardise,
            tol=self.tol,
            penalty_factors=factors,
            selector=selector,
        )


def _more_than_two(labels: NDArray[Any], weights: Any) -> bool:
    """Whether a target has more than two classes in rows of positive weight."""
    inside = check_sample_weight(weights, len(labels), resamples=True).any(axis=0)
    return len(set(labels[inside].tolist())) > 2


def _entries(path: Path) -> tuple[list[Ints], Ints]:
    """The features of each level, and all in the order of entry: within a level, by their standardised size."""
    levels = np.split(path.found, path.ends[1:-1])
    used, first = np.unique(path.found, return_index=True)
    sizes, entered = _largest(path.standardised[first]), np.repeat(np.arange(len(levels)), path.sizes)[first]
    return levels, used[np.lexsort((used, -sizes, entered))]


def _largest(coefs: Floats) -> Floats:
    """The size of the coefficients of each feature: over the classes, the largest."""
    sizes = np.abs(coefs)
    return sizes if sizes.ndim == 1 else sizes.max(axis=1, initial=0.0)


def _put(
    names: dict[str, Any], data: Resamples, run: int, level: Level, y_unit: float, spread: float, selector: Any
) -> Any:
    """Fill the attributes of a selector from the model that was found on a resample."""
    tell_accuracy(level.penalty, level.violation, spread, selector.tol)
    vars(selector).update(names)
    d, classes = names["n_features_in_"], data.classes_of(run)
    coef, importances = np.zeros((*level.coefs.shape[1:], data.X.shape[1])), np.zeros(data.X.shape[1])
    coef[..., level.features] = level.coefs.T
    importances[level.features] = _largest(level.standardised) * y_unit
    selector.coef_, selector.importances_ = coef[..., :d], importances[:d]
    selector.covariate_coef_ = coef[..., d:]
    selector.intercept_ = level.intercept if np.ndim(level.intercept) else float(level.intercept)
    selector.support_ = selector.importances_ != 0.0
    # The penalty counts the coefficients of features as they are if standardise is False: a unit decides then.
    in_any_unit = selector.standardise
    tied = left_out_copies(data.X[:, :d], selector.support_, data.rows(run), in_any_unit=in_any_unit)
    selector.n_tied_ = len(tied)
    if len(classes):
        selector.classes_ = classes
    selector.penalty_ = level.penalty
    selector.violation_ = level.violation / spread
    return selector


register_selector(
    "lasso",
    tasks=dict.fromkeys(ElasticNetSelector.outcomes, ElasticNetSelector),
    summary="L1-penalised logistic or linear regression",
    reference="Tibshirani 1996; Friedman, Hastie and Tibshirani 2010",
    formula="min_b [sum_i w_i loss_i] / [sum_i w_i] + lambda sum_j |b_j|",
)
register_selector(
    "elastic_net",
    tasks=dict.fromkeys(ElasticNetSelector.outcomes, ElasticNetSelector),
    params={"l1_ratio": 0.5},
    summary="logistic or linear regression with an elastic-net penalty",
    reference="Zou and Hastie 2005; Friedman, Hastie and Tibshirani 2010",
    formula="min_b [sum_i w_i loss_i] / [sum_i w_i] + lambda sum_j (alpha |b_j| + (1 - alpha) b_j² / 2), "
    "alpha = `l1_ratio`",
)
