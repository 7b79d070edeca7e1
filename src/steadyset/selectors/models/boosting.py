"""Component-wise boosting of generalised linear and of Cox regression (glm boosting) as a selector."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import KW_ONLY, dataclass
from functools import partial
from typing import NamedTuple, Self

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import softmax
from sklearn.base import clone

from steadyset.foundation.threads import with_one_arithmetic_thread
from steadyset.kernels.arrays import Floats, Ints
from steadyset.kernels.linear.models import boost, residual_and_curvature
from steadyset.kernels.paths.families import cox, poisson
from steadyset.selectors.known import register_selector
from steadyset.selectors.model import PATH_OUTCOMES, LinearSelector
from steadyset.selectors.model_input import Standardised, Training, nested, signed_ranks, solved_target, standardise
from steadyset.selectors.validation import check_integer, check_number, size_or_default

DEFAULT_STEPS = 1000  # where nobody limits them and the features that are left never become the best
MAX_STEPS = 1_000_000


@dataclass(eq=False, repr=False)
class BoostingSelector(LinearSelector):
    """Boosting of a logistic, multinomial, linear, Poisson or Cox regression, a feature per step; selects those taken.

    Starts from the constant model and descends the negative log-likelihood, in units of the log-odds, or half the
    squared error (L2 boosting): each step regresses the gradient y - p on every feature alone (weighted least squares,
    features centred) and adds `rate` times the best of these fits. It ends before feature number k + 1 enters, after
    n_steps steps, or when y is explained without error. The gradient of counts is (y - mean) / (mean of y); that of
    times to an event is the martingale residual, event - H(time) exp(x b) (Breslow).

    Of K > 2 classes each has a score, and a step takes the feature that fits the gradients (K - 1) / K (y_c - p_c) of
    all classes best and moves its coefficients for all of them, so that there is one selection. With that factor
    (Friedman 2001), two classes treated in this way would take the steps of the logistic regression.

    Parameters
    ----------
    n_steps : int or None, default=None
        The most steps; None is 1,000.
    rate : float, default=0.1
        The part of each fit that is added.
    k : int or None, default=None
        The most features to select; None is as many as n_steps steps take or, where these are not given either, 10, or
        half of the features where that is fewer.
    task : str or None, default=None
        What y holds, "classes", "number", "count" or "survival"; None decides by y. Where scikit-learn has to know it
        before the fit, as for stratified folds, give it.

    Attributes
    ----------
    support_ : array of bool of shape (n_features,)
        The selected features.
    coef_ : array of float of shape (n_features,) or (n_classes, n_features)
        The coefficients, in the units of X; 0 for features that were not selected. Of more than two classes
        one row for each.
    intercept_ : float or array of float of shape (n_classes,)
        The intercept, of more than two classes one for each.
    importances_ : array of float of shape (n_features,)
        The absolute coefficients of the standardised features, of more than two classes the root of the sum of their
        squares.
    n_tied_ : int
        Selected features of which a copy was not selected: only the order of the columns preferred them.
    n_features_in_ : int
        How many features X had.
    steps_ : array of int
        The feature that each step took.
    task_ : str
        What y was taken for.
    classes_ : array
        The classes, where y holds classes; of two classes `coef_` speaks for the second.

    References
    ----------
    Bühlmann and Hothorn 2007; Friedman 2001.

    Examples
    --------
    >>> import steadyset as st
    >>> from sklearn.datasets import load_breast_cancer
    >>> X, y = load_breast_cancer(return_X_y=True, as_frame=True)
    >>> boosted = st.selectors.BoostingSelector(n_steps=30).fit(X, y)
    >>> boosted.get_feature_names_out().tolist(), len(boosted.steps_)
    (['worst radius', 'worst perimeter', 'worst concave points'], 30)
    >>> from sklearn.datasets import load_diabetes
    >>> X, y = load_diabetes(return_X_y=True, as_frame=True)
    >>> st.selectors.BoostingSelector(k=3).fit(X, y).get_feature_names_out().tolist()
    ['bmi', 'bp', 's5']
    """

    n_steps: int | None = None
    _: KW_ONLY
    rate: float = 0.1
    k: int | None = None
    task: str | None = None

    outcomes = PATH_OUTCOMES

    @with_one_arithmetic_thread
    def fit(self, X: ArrayLike, y: ArrayLike, sample_weight: ArrayLike | None = None) -> Self:
        """Boost until n_steps steps are made or k features are in.

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
        if self.n_steps is not None:
            check_integer("n_steps", self.n_steps, least=1, most=MAX_STEPS)
        check_number("rate", self.rate, most=1.0)
        training = self._training(X, y, sample_weight)
        n_features = training.X.shape[1]
        by_steps = self.k is None and self.n_steps is not None
        k = n_features if by_steps else size_or_default(self.k, n_features)
        n_steps = DEFAULT_STEPS if self.n_steps is None else int(self.n_steps)
        data = standardise(training)
        loss = LOSSES[self.outcomes[self.task_].loss_of(training.classes)](training, data)
        coef, self.steps_ = boost(loss.Xt, loss.residual, loss.offsets, n_steps, float(self.rate), k)
        self._store(coef * loss.unit, loss.offsets * loss.unit + loss.centre, data, training)
        return self

    def path_by_size(self, X: Floats, y: ArrayLike, reach: int) -> list[Ints]:
        """The first features that boosting takes, at all sizes.

        Parameters
        ----------
        X : array of float of shape (n_samples, n_features)
            The data.
        y : array-like of shape (n_samples,)
            The target.
        reach : int
            The largest size.

        Returns
        -------
        list of array of int
            The features at the sizes 1, ..., reach.
        """
        features, steps = np.unique(clone(self).set_params(k=reach).fit(X, y).steps_, return_index=True)
        return nested(features[np.argsort(steps)])


class Loss(NamedTuple):
    """Features as rows, what writes the weighted gradient at eta, where eta starts, and y's centre and unit.

    eta and the gradient have a row for each class where there are more than two, otherwise one.
    """

    Xt: Floats
    residual: Callable[[Floats, Floats], None]
    offsets: Floats
    centre: float = 0.0
    unit: float = 1.0


def _least_squares(training: Training, data: Standardised, *, logistic: bool = False) -> Loss:
    target, curvature = solved_target(training, data.weight), np.empty(len(training.y))

    def residual(eta: Floats, out: Floats) -> None:
        residual_and_curvature(target.y, data.weight, eta[0], logistic, out[0], curvature)

    offset = np.log(target.mean / (1.0 - target.mean)) if logistic else target.mean
    return Loss(data.Xt, residual, np.array([offset]), target.centre, target.unit)


def _several_classes(training: Training, data: Standardised) -> Loss:
    own = (training.y == np.arange(len(training.classes))[:, None]).astype(np.float64)
    shares = own @ data.weight

    def residual(eta: Floats, out: Floats) -> None:
        out[:] = (1 - 1 / len(own)) * data.weight * (own - softmax(eta, axis=0))

    return Loss(data.Xt, residual, np.log(shares) - np.log(shares).mean())


def _counts(training: Training, data: Standardised) -> Loss:
    mean, curvature = float(data.weight @ training.y), np.empty(len(training.y))

    def residual(eta: Floats, out: Floats) -> None:
        poisson(training.y, data.weight, eta[0], out[0], curvature)
        out /= mean  # else a step would be the larger, the larger the counts are, and those of hundreds would overflow

    return Loss(data.Xt, residual, np.log([mean]))


def _times(training: Training, data: Standardised) -> Loss:
    ranks = signed_ranks(training.y)
    order = np.argsort(-np.abs(ranks), kind="stable")
    ranks, weight = ranks[order], data.weight[order]
    curvature, share = np.empty((2, len(ranks)))

    def residual(eta: Floats, out: Floats) -> None:
        cox(ranks, weight, eta[0], out[0], curvature, share)

    return Loss(np.ascontiguousarray(data.Xt[:, order]), residual, np.zeros(1))


LOSSES: dict[str, Callable[[Training, Standardised], Loss]] = {
    "linear": _least_squares,
    "logistic": partial(_least_squares, logistic=True),
    "multinomial": _several_classes,
    "poisson": _counts,
    "cox": _times,
}
register_selector(
    "boosting",
    tasks=dict.fromkeys(BoostingSelector.outcomes, BoostingSelector),
    summary="component-wise boosting of a logistic or linear regression",
    formula="η ← η + rate b_j x_j, j = argmin_j sum_i w_i (u_i - b_j x_ij)², u_i = y_i - p_i",
)
