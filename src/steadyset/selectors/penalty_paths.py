"""Elastic-net models over decreasing penalties: the path of one resample, and the paths of many at once."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from scipy import sparse

from steadyset.foundation.arguments import check_flag
from steadyset.foundation.display import Record
from steadyset.foundation.errors import InputError
from steadyset.foundation.threads import with_one_arithmetic_thread
from steadyset.io.numbers import numbers
from steadyset.kernels.arrays import Floats
from steadyset.selectors.path_data import FAMILIES, Family, Path
from steadyset.selectors.paths import levels_of, read_batches, tell_worst
from steadyset.selectors.validation import check_choice, check_integer, one_vector


@dataclass(frozen=True, repr=False)
class ElasticNetPath(Record):
    """One model per penalty level, from the strongest penalty down: what `elastic_net_path` gives.

    Attributes
    ----------
    lambdas : array of float of shape (n_lambdas,)
        The penalties.
    coefs : array of float of shape (n_lambdas, n_features)
        The coefficients, in the units of X; of multinomial models (n_lambdas, n_classes, n_features).
    intercepts : array of float of shape (n_lambdas,)
        The intercepts: 0 for Cox models, and (n_lambdas, n_classes) for multinomial ones.
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
    grouped: bool = False,
    penalty_factors: ArrayLike | None = None,
    max_features: int | None = None,
    tol: float = 1e-10,
) -> ElasticNetPath:
    """Elastic-net models over decreasing penalties, each started from the one before.

    Minimises (1 / sum w) sum_i w_i loss_i + lambda sum_j f_j (l1_ratio abs(b_j) + (1 - l1_ratio) / 2 b_j²) with an
    unpenalised intercept. b is the coefficient of the standardised feature (weighted mean 0, weighted sd 1), or, with
    standardise=False, of the feature as it is; f are the penalty_factors, scaled to a mean of 1. Of exact copies of a
    feature, an L1 path without penalty_factors takes the first only. A Cox model has no intercept. Every model has a
    finite solution, also where classes or times are separated, so no path is cut short.

    Parameters
    ----------
    X : array-like of shape (n_samples, n_features)
        The data.
    y : array-like of shape (n_samples,) or (n_samples, 2)
        What the family models: two classes, numbers, times and events (`st.Survival`), classes, or counts.
    sample_weight : array-like of shape (n_samples,) or None, default=None
        How much each row counts: 0 leaves it out, 2 counts it twice. None counts every row once.
    family : {"logistic", "linear", "cox", "multinomial", "poisson"}, default="logistic"
        The loss: the negative log-likelihood of two classes, half the squared error, the negative log partial
        likelihood of times to an event with ties as Breslow treats them, or the negative log-likelihood of any number
        of classes or of counts.
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
    grouped : bool, default=False
        Of a multinomial family, whether the penalty takes the norm of a feature's coefficients over the classes instead
        of the sum of their sizes, so that a feature is in the model for all classes or for none.
    penalty_factors : array-like of shape (n_features,) or None, default=None
        How much the penalty counts for each feature, up to a common factor: they are scaled to a mean of 1, as glmnet
        does. None is 1 for all. A feature with the factor 0 has no penalty and is in every model.
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
        grouped=grouped,
        penalty_factors=penalty_factors,
        max_features=max_features,
        tol=tol,
    )
    coefs: Any = paths.coefs[0]
    dense = np.stack([own.toarray() for own in coefs], axis=1) if isinstance(coefs, tuple) else coefs.toarray()
    return ElasticNetPath(paths.lambdas[0], dense, paths.intercepts[0], paths.violations[0])


@dataclass(frozen=True, repr=False)
class ElasticNetPaths(Record):
    """One path per resample: what `elastic_net_paths` gives.

    Attributes
    ----------
    lambdas : tuple of array of float
        The penalties of each resample.
    coefs : tuple of scipy.sparse.csr_array
        The coefficients of each resample, one sparse row per penalty; of multinomial models a tuple of such arrays,
        one per class.
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


@with_one_arithmetic_thread
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
    grouped: bool = False,
    penalty_factors: ArrayLike | None = None,
    max_features: int | None = None,
    tol: float = 1e-10,
    n_jobs: int | None = 1,
) -> ElasticNetPaths:
    """The paths of `elastic_net_path` for many resamples at once.

    Each path is the one that its resample alone would give, to the last bit. Solving resamples together is faster,
    because the data are laid out once for all of them.

    Parameters
    ----------
    X : array-like of shape (n_samples, n_features)
        The data.
    y : array-like of shape (n_samples,) or (n_samples, 2)
        What the family models: two classes, numbers, times and events (`st.Survival`), classes, or counts.
    weights : array-like of shape (n_resamples, n_samples) or None, default=None
        How often each resample holds each row: bootstrap counts, zeros and ones for a subsample, or shares. None is one
        resample that holds every row once.
    family : {"logistic", "linear", "cox", "multinomial", "poisson"}, default="logistic"
        The loss: the negative log-likelihood of two classes, half the squared error, the negative log partial
        likelihood of times to an event with ties as Breslow treats them, or the negative log-likelihood of any number
        of classes or of counts.
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
    grouped : bool, default=False
        Of a multinomial family, whether the penalty takes the norm of a feature's coefficients over the classes instead
        of the sum of their sizes, so that a feature is in the model for all classes or for none.
    penalty_factors : array-like of shape (n_features,) or None, default=None
        How much the penalty counts for each feature, up to a common factor: they are scaled to a mean of 1, as glmnet
        does. None is 1 for all. A feature with the factor 0 has no penalty and is in every model.
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
    check_choice("family", family, tuple(FAMILIES))
    if max_features is not None:
        check_integer("max_features", max_features, least=1)
    check_flag("grouped", grouped)
    if grouped and family != "multinomial":
        raise InputError('grouped is for family="multinomial"; other families have one coefficient per feature.')
    given = None if lambdas is None else _read_lambdas(lambdas)
    batches = read_batches(
        X,
        y,
        weights,
        family=family,
        l1_ratio=l1_ratio,
        standardise=standardise,
        grouped=grouped,
        penalty_factors=penalty_factors,
        tol=tol,
    )

    def compute(solving: Any) -> list[Any]:
        levels = [given] * len(solving.runs) if given is not None else levels_of(solving, n_lambdas, lambda_min_ratio)
        paths = solving.solve(range(len(levels)), levels, max_features)
        tell_worst(paths, solving.spreads, tol)
        d = solving.data.X.shape[1]
        return [
            (path.penalties.copy(), _sparse_rows(path, d), path.intercepts, path.violations / spread)
            for path, spread in zip(paths, solving.spreads, strict=True)
        ]

    found = list(batches.each(compute, n_jobs))
    return ElasticNetPaths(*(tuple(part) for part in zip(*found, strict=True)))


def _sparse_rows(path: Path, d: int) -> Any:
    """The coefficients, of multinomial models one matrix per class."""
    shape = len(path.sizes), d
    if path.coefs.ndim == 1:
        return sparse.csr_array((path.coefs, path.found, path.ends), shape=shape)
    return tuple(sparse.csr_array((own, path.found, path.ends), shape=shape) for own in path.coefs.T.copy())


def _read_lambdas(lambdas: ArrayLike) -> Floats:
    levels = numbers(lambdas, "lambdas")
    if levels.ndim != 1 or len(levels) == 0 or not np.isfinite(levels).all() or (levels <= 0).any():
        raise InputError("lambdas must be a list of positive numbers.")
    if (np.diff(levels) > 0).any():
        raise InputError("lambdas must fall from level to level, because each model starts from the last.")
    return levels
