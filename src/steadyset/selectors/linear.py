"""L1 and elastic-net regression, logistic and linear, as selectors and as paths over the penalty."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, Literal, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import sparse
from sklearn.base import clone

from steadyset.arguments import check_flag
from steadyset.errors import InputError
from steadyset.io.numbers import numbers
from steadyset.kernels.arrays import Floats, Ints
from steadyset.kernels.paths.screening import LEAST_PRODUCTS
from steadyset.selectors.known import register_selector
from steadyset.selectors.model import LinearSelector, LogisticSelector, RegressionSelector
from steadyset.selectors.model_input import left_out_copies
from steadyset.selectors.one_thread import one_blas_thread
from steadyset.selectors.path_batches import Batches, Level, Resamples, Solving, Walk, laid_out, read_resamples
from steadyset.selectors.path_search import levels_of, one_level_each, path_end, tell_accuracy, tell_worst
from steadyset.selectors.shared_paths import SharedPaths
from steadyset.selectors.validation import check_choice, check_integer, check_number, one_vector

Family = Literal["logistic", "linear"]


@dataclass(frozen=True)
class ElasticNetPath:
    """One model per penalty level, from the strongest penalty down: what `elastic_net_path` gives.

    Attributes
    ----------
    lambdas : array of float of shape (n_lambdas,)
        The penalties.
    coefs : array of float of shape (n_lambdas, n_features)
        The coefficients, in the units of X.
    intercepts : array of float of shape (n_lambdas,)
        The intercepts.
    violations : array of float of shape (n_lambdas,)
        The largest deviation from the optimality (KKT) conditions over all features, on the standardised scale and in
        units of the standard deviation of y.

    Examples
    --------
    >>> from sklearn.datasets import load_diabetes
    >>> import steadyset as st
    >>> X, y = load_diabetes(return_X_y=True)
    >>> path = st.selectors.elastic_net_path(X, y, family="linear", n_lambdas=30)
    >>> path.coefs.shape, bool(path.violations.max() < 1e-8)
    ((30, 10), True)
    """

    lambdas: Floats
    coefs: Floats
    intercepts: Floats
    violations: Floats


def elastic_net_path(
    X: ArrayLike,
    y: ArrayLike,
    sample_weight: ArrayLike | None = None,
    *,
    family: Family = "logistic",
    lambdas: ArrayLike | None = None,
    n_lambdas: int = 100,
    lambda_min_ratio: float | None = None,
    l1_ratio: float = 1.0,
    standardise: bool = True,
    penalty_factors: ArrayLike | None = None,
    max_features: int | None = None,
    tol: float = 1e-10,
) -> ElasticNetPath:
    """Elastic-net models over decreasing penalties, each started from the one before.

    Minimises (1 / sum w) sum_i w_i loss_i + lambda sum_j f_j (l1_ratio abs(b_j) + (1 - l1_ratio) / 2 b_j²) with an
    unpenalised intercept. b is the coefficient of the standardised feature (weighted mean 0, weighted sd 1), or, with
    standardise=False, of the feature as it is; f are the penalty_factors. Of exact copies of a feature, an L1 path
    without penalty_factors takes the first only.

    Parameters
    ----------
    X : array-like of shape (n_samples, n_features)
        The data.
    y : array-like of shape (n_samples,)
        Two classes, or numbers.
    sample_weight : array-like of shape (n_samples,) or None, default=None
        How much each row counts: 0 leaves it out, 2 counts it twice. None counts every row once.
    family : {"logistic", "linear"}, default="logistic"
        The loss: the negative log-likelihood of two classes, or half the squared error.
    lambdas : array-like or None, default=None
        The penalties, falling. None takes `n_lambdas` levels, evenly spaced on the log scale, from the least penalty
        that leaves out every feature down.
    n_lambdas : int, default=100
        How many levels.
    lambda_min_ratio : float or None, default=None
        The last level, as a part of the first; None is 0.01 if there are more features than rows, else 0.0001.
    l1_ratio : float, default=1.0
        The share of the L1 penalty, above 0 and at most 1: 1 is the lasso, less an elastic net.
    standardise : bool, default=True
        Whether the penalty counts coefficients of standardised features.
    penalty_factors : array-like of shape (n_features,) or None, default=None
        How much the penalty counts for each feature; None is 1 for all. A feature with the factor 0 is in every model.
    max_features : int or None, default=None
        The path ends after the first level with at least that many features; None follows it to its end.
    tol : float, default=1e-10
        How far from optimal a solution may be.

    Returns
    -------
    ElasticNetPath
        The models, from the strongest penalty down.

    References
    ----------
    Friedman, Hastie and Tibshirani (2010), Regularization paths for generalized linear models.

    Examples
    --------
    The first measurements of a tumour that the lasso takes:

    >>> import numpy as np
    >>> import steadyset as st
    >>> from sklearn.datasets import load_breast_cancer
    >>> data = load_breast_cancer()
    >>> path = st.selectors.elastic_net_path(data.data, data.target, max_features=2)
    >>> data.feature_names[np.flatnonzero(path.coefs[-1])].tolist()
    ['worst perimeter', 'worst concave points']
    """
    paths = elastic_net_paths(
        X,
        y,
        one_vector(sample_weight),
        family=family,
        lambdas=lambdas,
        n_lambdas=n_lambdas,
        lambda_min_ratio=lambda_min_ratio,
        l1_ratio=l1_ratio,
        standardise=standardise,
        penalty_factors=penalty_factors,
        max_features=max_features,
        tol=tol,
    )
    return ElasticNetPath(paths.lambdas[0], paths.coefs[0].toarray(), paths.intercepts[0], paths.violations[0])


@dataclass(frozen=True)
class ElasticNetPaths:
    """One path per resample: what `elastic_net_paths` gives.

    Attributes
    ----------
    lambdas : tuple of array of float
        The penalties of each resample.
    coefs : tuple of scipy.sparse.csr_array
        The coefficients of each resample, one sparse row per penalty.
    intercepts : tuple of array of float
        The intercepts.
    violations : tuple of array of float
        The deviations from optimality, as in `ElasticNetPath`.

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn.datasets import load_diabetes
    >>> import steadyset as st
    >>> X, y = load_diabetes(return_X_y=True)
    >>> counts = np.random.default_rng(0).multinomial(len(y), np.full(len(y), 1 / len(y)), size=3)
    >>> paths = st.selectors.elastic_net_paths(X, y, counts, family="linear", n_lambdas=10)
    >>> len(paths), paths.coefs[0].shape
    (3, (10, 10))
    """

    lambdas: tuple[Floats, ...]
    coefs: tuple[sparse.csr_array, ...]
    intercepts: tuple[Floats, ...]
    violations: tuple[Floats, ...]

    def __len__(self) -> int:
        return len(self.lambdas)


def elastic_net_paths(
    X: ArrayLike,
    y: ArrayLike,
    weights: ArrayLike | None = None,
    *,
    family: Family = "logistic",
    lambdas: ArrayLike | None = None,
    n_lambdas: int = 100,
    lambda_min_ratio: float | None = None,
    l1_ratio: float = 1.0,
    standardise: bool = True,
    penalty_factors: ArrayLike | None = None,
    max_features: int | None = None,
    tol: float = 1e-10,
    n_jobs: int | None = 1,
) -> ElasticNetPaths:
    """The paths of `elastic_net_path` for many resamples at once.

    Each path is the one that its resample alone would give, to the last bit. Solving resamples together is several
    times faster, because the descents of all features, which take most of the time, become products of matrices.

    Parameters
    ----------
    X : array-like of shape (n_samples, n_features)
        The data.
    y : array-like of shape (n_samples,)
        Two classes, or numbers.
    weights : array-like of shape (n_resamples, n_samples) or None, default=None
        How often each resample holds each row: bootstrap counts, zeros and ones for a subsample, or shares. None is one
        resample that holds every row once.
    family : {"logistic", "linear"}, default="logistic"
        The loss: the negative log-likelihood of two classes, or half the squared error.
    lambdas : array-like or None, default=None
        The penalties, falling. None takes `n_lambdas` levels, evenly spaced on the log scale, from the least penalty
        that leaves out every feature down.
    n_lambdas : int, default=100
        How many levels.
    lambda_min_ratio : float or None, default=None
        The last level, as a part of the first; None is 0.01 if there are more features than rows, else 0.0001.
    l1_ratio : float, default=1.0
        The share of the L1 penalty, above 0 and at most 1: 1 is the lasso, less an elastic net.
    standardise : bool, default=True
        Whether the penalty counts coefficients of standardised features.
    penalty_factors : array-like of shape (n_features,) or None, default=None
        How much the penalty counts for each feature; None is 1 for all. A feature with the factor 0 is in every model.
    max_features : int or None, default=None
        The path ends after the first level with at least that many features; None follows it to its end.
    tol : float, default=1e-10
        How far from optimal a solution may be.
    n_jobs : int or None, default=1
        How many threads solve; their number changes nothing.

    Returns
    -------
    ElasticNetPaths
        One path per resample.

    Examples
    --------
    How often do twenty halves of the patients choose each of the ten measurements?

    >>> import numpy as np
    >>> from sklearn.datasets import load_diabetes
    >>> import steadyset as st
    >>> X, y = load_diabetes(return_X_y=True)
    >>> rng = np.random.default_rng(0)
    >>> halves = np.array([rng.permutation(len(y)) < len(y) // 2 for _ in range(20)]).astype(float)
    >>> paths = st.selectors.elastic_net_paths(X, y, halves, family="linear", lambdas=[20.0])
    >>> sum(coefs.toarray()[0] != 0 for coefs in paths.coefs)
    array([ 0,  0, 20,  9,  0,  0,  5,  1, 20,  0])
    """
    check_choice("family", family, ("logistic", "linear"))
    if max_features is not None:
        check_integer("max_features", max_features, least=1)
    given = None if lambdas is None else _read_lambdas(lambdas)
    data = read_resamples(X, y, weights, target="binary" if family == "logistic" else "numbers")
    batches = _batches(data, family, l1_ratio, standardise, penalty_factors, tol)

    def compute(solving: Solving) -> list[Any]:
        levels = [given] * len(solving.runs) if given is not None else levels_of(solving, n_lambdas, lambda_min_ratio)
        walked = solving.solve(range(len(levels)), levels, max_features)
        tell_worst(walked, solving.spreads, tol)
        return _in_units_of_data(solving, walked)

    found = list(batches.each(compute, n_jobs))
    return ElasticNetPaths(*(tuple(part) for part in zip(*found, strict=True)))


class _ElasticNetSelector(LinearSelector):
    """The fit that the logistic and the linear selector share."""

    _family: Family
    path_parameters = ("penalty", "k")

    def __init__(
        self,
        penalty: float | None = None,
        *,
        k: int | None = None,
        l1_ratio: float = 1.0,
        standardise: bool = True,
        n_lambdas: int = 100,
        lambda_min_ratio: float | None = None,
        tol: float = 1e-10,
    ) -> None:
        self.penalty = penalty
        self.k = k
        self.l1_ratio = l1_ratio
        self.standardise = standardise
        self.n_lambdas = n_lambdas
        self.lambda_min_ratio = lambda_min_ratio
        self.tol = tol

    def fit(self, X: ArrayLike, y: ArrayLike, sample_weight: ArrayLike | None = None) -> Self:
        """Fit the path down to the given penalty or number of features, and keep the last model.

        Parameters
        ----------
        X : array-like or frame of shape (n_samples, n_features)
            The data.
        y : array-like of shape (n_samples,)
            The target.
        sample_weight : array-like of shape (n_samples,) or None, default=None
            How often each row counts: 0 leaves it out, 2 counts it twice. None counts every row once.

        Returns
        -------
        Self
            The fitted selector.
        """
        (fitted,) = self._fits(X, y, one_vector(sample_weight))
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

    def _fits(self, X: ArrayLike, y: ArrayLike, weights: ArrayLike | None) -> Iterator[Callable[[Any], Self]]:
        batches = self._batches_of(X, y, weights, selector=self)
        yield from batches.each(partial(self._models, self._names()))

    def _models(self, names: dict[str, Any], solving: Solving) -> list[Callable[[Any], Self]]:
        levels = one_level_each(solving, self.penalty, self.k, self.n_lambdas, self.lambda_min_ratio)
        return [
            partial(_put, names, solving.data, run, level, *_found(solving, place, level))
            for place, (run, level) in enumerate(zip(solving.runs, levels, strict=True))
        ]

    def _names(self) -> dict[str, Any]:
        return {name: getattr(self, name) for name in ("n_features_in_", "feature_names_in_") if hasattr(self, name)}

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
        with one_blas_thread():
            paths = SharedPaths(batches, lambda solving: levels_of(solving, self.n_lambdas, path_end(least)))

        def fits(selector: Self) -> list[Callable[[], Self]]:
            paths.start_again()
            with one_blas_thread():
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

    def largest_penalty(self, X: Floats, y: Any) -> float:
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

    def path_by_penalty(self, X: Floats, y: Any, penalties: Floats, reach: int) -> tuple[list[Ints], Ints]:
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

    def largest_penalties(self, X: Floats, y: Any, weights: Floats, *, n_jobs: int | None = 1) -> Floats:
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
        self, X: Floats, y: Any, weights: Floats, penalties: Floats, reach: int, *, n_jobs: int | None = 1
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
            walked = solving.solve(range(len(solving.runs)), [penalties] * len(solving.runs), reach)
            tell_worst(walked, solving.spreads, self.tol)
            return _entries(walked)

        return list(self._batches_of(X, y, weights).each(compute, n_jobs))

    def _batches_of(self, X: ArrayLike, y: ArrayLike, weights: ArrayLike | None, selector: Any = None) -> Batches:
        target: Any = "binary" if self._family == "logistic" else "numbers"
        data = read_resamples(X, y, weights, target=target, selector=selector)
        return _batches(data, self._family, self.l1_ratio, self.standardise, None, self.tol)


class SparseLogistic(_ElasticNetSelector, LogisticSelector):
    """L1 (l1_ratio=1) or elastic-net logistic regression of two classes; selects the non-zero coefficients.

    The objective is that of `elastic_net_path`. Either `penalty` sets its lambda, or the path is followed until about
    `k` features are in: down from the strongest penalty to the first level with k features or more; when that level
    has more, the step before it is halved again and again in search of exactly k, and failing that the largest support
    below k is kept.

    Parameters
    ----------
    penalty : float or None, default=None
        The lambda of the model; with None, k decides.
    k : int or None, default=None
        How many features to select; None is 10, or half of the features where that is fewer.
    l1_ratio : float, default=1.0
        The share of the L1 penalty, above 0 and at most 1: 1 is the lasso, less an elastic net.
    standardise : bool, default=True
        Whether the penalty counts coefficients of standardised features.
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
        The coefficients, in the units of X; 0 for features that were not selected.
    intercept_ : float
        The intercept.
    importances_ : array of float of shape (n_features,)
        The absolute coefficients of the standardised features.
    n_tied_ : int
        Selected features of which a copy was not selected: only the order of the columns preferred them.
    n_features_in_ : int
        How many features X had.
    penalty_ : float
        The lambda of the model.
    violation_ : float
        How far the model is from optimal.
    classes_ : array of shape (2,)
        The two classes; `coef_` speaks for the second.

    Examples
    --------
    >>> import steadyset as st
    >>> from sklearn.datasets import load_breast_cancer
    >>> X, y = load_breast_cancer(return_X_y=True, as_frame=True)
    >>> lasso = st.selectors.SparseLogistic(k=3).fit(X, y)
    >>> lasso.get_feature_names_out().tolist()
    ['worst radius', 'worst perimeter', 'worst concave points']
    """

    _family: Family = "logistic"


class SparseLinear(_ElasticNetSelector, RegressionSelector):
    """Lasso (l1_ratio=1) or elastic-net linear regression; selects the non-zero coefficients.

    Parameters are those of `SparseLogistic`, with half the squared error as the loss.

    Parameters
    ----------
    penalty : float or None, default=None
        The lambda of the model; with None, k decides.
    k : int or None, default=None
        How many features to select; None is 10, or half of the features where that is fewer.
    l1_ratio : float, default=1.0
        The share of the L1 penalty, above 0 and at most 1: 1 is the lasso, less an elastic net.
    standardise : bool, default=True
        Whether the penalty counts coefficients of standardised features.
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
        The coefficients, in the units of X; 0 for features that were not selected.
    intercept_ : float
        The intercept.
    importances_ : array of float of shape (n_features,)
        The absolute coefficients of the standardised features.
    n_tied_ : int
        Selected features of which a copy was not selected: only the order of the columns preferred them.
    n_features_in_ : int
        How many features X had.
    penalty_ : float
        The lambda of the model.
    violation_ : float
        How far the model is from optimal.

    Examples
    --------
    >>> import steadyset as st
    >>> from sklearn.datasets import load_diabetes
    >>> X, y = load_diabetes(return_X_y=True, as_frame=True)
    >>> st.selectors.SparseLinear(k=4).fit(X, y).get_feature_names_out().tolist()
    ['bmi', 'bp', 's3', 's5']
    """

    _family: Family = "linear"


def _batches(
    data: Resamples,
    family: Family,
    l1_ratio: float,
    standardised_penalty: bool,
    penalty_factors: ArrayLike | None,
    tol: float,
) -> Batches:
    check_number("tol", tol)
    check_number("l1_ratio", l1_ratio, most=1.0)
    check_flag("standardise", standardised_penalty)
    factors = _read_factors(penalty_factors, data.X.shape[1])
    free, fewest = int((factors == 0).sum()), int((data.weights > 0).sum(axis=1).min())
    if free >= fewest:
        raise InputError(
            f"penalty_factors has {free} zeros, and a resample has {fewest} rows of positive weight; "
            "features without a penalty must be fewer than the rows."
        )
    # Any split of a coefficient between exact copies is optimal; giving all of it to the first makes it unique.
    no_copies = l1_ratio == 1.0 and penalty_factors is None
    products = len(data.weights) >= LEAST_PRODUCTS
    features = laid_out(data.X, factors, as_given=not standardised_penalty, no_copies=no_copies, products=products)
    return Batches(data, features, logistic=family == "logistic", l1_ratio=l1_ratio, tol=tol)


def _in_units_of_data(solving: Solving, walked: Walk) -> list[tuple[Floats, sparse.csr_array, Floats, Floats]]:
    """The lambdas, sparse coefficients, intercepts and violations of each path."""
    units = np.array([target.unit for target in solving.targets])
    centres = np.array([target.centre for target in solving.targets])
    features, coefs, shifts, ends = solving.entries_in_units(walked, units)
    d, lengths, most = solving.data.X.shape[1], walked.lengths, len(walked.penalties)
    intercepts = walked.numbers[:, :, 0].T * units[:, None] + centres[:, None] - shifts
    violations = walked.numbers[:, :, 1].T / solving.spreads[:, None]
    found = []
    for place, length in enumerate(lengths.tolist()):
        bounds = ends[place * most : place * most + length + 1]
        part = slice(bounds[0], bounds[-1])
        rows = sparse.csr_array((coefs[part], features[part], bounds - bounds[0]), shape=(length, d))
        found.append(
            (walked.penalties[:length, place].copy(), rows, intercepts[place, :length], violations[place, :length])
        )
    return found


def _entries(walked: Walk) -> list[tuple[list[Ints], Ints]]:
    """The features of each level, and all in the order of entry: within a level, by their standardised size."""
    k, t, features, values = walked.entries()
    starts = np.searchsorted(k, np.arange(len(walked.places) + 1))
    found = []
    for place, length in enumerate(walked.lengths.tolist()):
        part = slice(starts[place], starts[place + 1])
        levels = np.split(features[part], np.searchsorted(t[part], np.arange(1, length)))
        used, first = np.unique(features[part], return_index=True)
        sizes, entered = np.abs(values[part][first]), t[part][first]
        found.append((levels, used[np.lexsort((used, -sizes, entered))]))
    return found


@dataclass(frozen=True)
class _Model:
    """One model in the units of the data, with what its resample says of it."""

    coefs: Floats
    intercept: float
    importances: Floats
    violation: float
    spread: float
    classes: NDArray[Any]


def _found(solving: Solving, place: int, level: Level) -> tuple[_Model]:
    target = solving.targets[place]
    coefs, intercept = solving.in_units_of_data(place, level)
    importances = np.abs(level.coefs) * target.unit
    return (_Model(coefs, intercept, importances, level.violation, target.spread, solving.classes[place]),)


def _put(names: dict[str, Any], data: Resamples, run: int, level: Level, model: _Model, selector: Any) -> Any:
    """Fill the attributes of a selector from its model."""
    tell_accuracy(level.penalty, level.violation, model.spread, selector.tol)
    vars(selector).update(names)
    d = data.X.shape[1]
    selector.coef_, selector.importances_ = np.zeros(d), np.zeros(d)
    selector.coef_[level.features] = model.coefs
    selector.importances_[level.features] = model.importances
    selector.intercept_ = model.intercept
    selector.support_ = selector.importances_ != 0.0
    selector.n_tied_ = len(left_out_copies(data.X, selector.support_, data.rows(run)))
    if len(model.classes):
        selector.classes_ = model.classes
    selector.penalty_ = level.penalty
    selector.violation_ = model.violation / model.spread
    return selector


def _read_lambdas(lambdas: ArrayLike) -> Floats:
    levels = numbers(lambdas, "lambdas")
    if levels.ndim != 1 or len(levels) == 0 or not np.isfinite(levels).all() or (levels <= 0).any():
        raise InputError("lambdas must be a list of positive numbers.")
    if (np.diff(levels) > 0).any():
        raise InputError("lambdas must fall from level to level, because each model starts from the last.")
    return levels


def _read_factors(penalty_factors: ArrayLike | None, n_features: int) -> Floats:
    if penalty_factors is None:
        return np.ones(n_features)
    factors = numbers(penalty_factors, "penalty_factors")
    if factors.shape != (n_features,):
        raise InputError(
            f"penalty_factors has shape {factors.shape}; expected one number for each of the {n_features} features."
        )
    wrong = factors[~(np.isfinite(factors) & (factors >= 0))]
    if len(wrong):
        raise InputError(
            f"penalty_factors must be finite and at least 0 (got {wrong[0]:g}); "
            "to keep a feature out of all models, leave it out of X."
        )
    if not factors.any():
        raise InputError("penalty_factors are all 0; at least one feature needs a penalty.")
    return factors


register_selector(
    "lasso",
    classes=SparseLogistic,
    number=SparseLinear,
    summary="L1-penalised logistic or linear regression",
    reference="Tibshirani 1996; Friedman, Hastie and Tibshirani 2010",
    formula="min_b [sum_i w_i loss_i] / [sum_i w_i] + lambda sum_j |b_j|",
)
register_selector(
    "elastic_net",
    classes=SparseLogistic,
    number=SparseLinear,
    params={"l1_ratio": 0.5},
    summary="logistic or linear regression with an elastic-net penalty",
    reference="Zou and Hastie 2005; Friedman, Hastie and Tibshirani 2010",
    formula="min_b [sum_i w_i loss_i] / [sum_i w_i] + lambda sum_j (alpha |b_j| + (1 - alpha) b_j² / 2), "
    "alpha = `l1_ratio`",
)
