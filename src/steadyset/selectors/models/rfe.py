"""Recursive feature elimination with the weights of a ridge regression or a linear support vector machine."""

from __future__ import annotations

from dataclasses import KW_ONLY, dataclass, replace
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import ArrayLike
from scipy.linalg import solve_triangular
from sklearn.base import clone
from sklearn.utils.metaestimators import available_if

from steadyset.foundation.arguments import wrong_argument
from steadyset.foundation.errors import InputError, UninformativeWarning, warn_caller
from steadyset.foundation.threads import with_one_arithmetic_thread
from steadyset.kernels.arrays import Floats, Ints
from steadyset.kernels.linear.algebra import combine, pivoted_cholesky, symmetric_product
from steadyset.kernels.linear.models import feature_sizes, hinge_fit, ridge_fit
from steadyset.kernels.paths import multinomial
from steadyset.selectors.known import register_selector
from steadyset.selectors.model import PATH_OUTCOMES, LinearSelector, Outcome
from steadyset.selectors.model_input import Training, first_best, nested, solved_target, standardise, tied, too_few
from steadyset.selectors.models.margins import margin_weights
from steadyset.selectors.validation import check_choice, check_number, size_or_default
from steadyset.tasks import CLASSES, NUMBER, SURVIVAL, TASKS
from steadyset.tasks.models.cox import CoxModel


def _has_probabilities(selector: Any) -> bool:
    return bool(selector.loss == "logistic" and selector._known_task() in (None, CLASSES))


@dataclass(eq=False, repr=False)
class RecursiveElimination(LinearSelector):
    """Fit a linear model, drop the features with the smallest absolute coefficients, repeat until k are left.

    Each fit minimises (1 / sum w) sum_i w_i loss_i + penalty / 2 sum_j b_j² on the standardised features that are
    left, with the logistic or the hinge loss (penalty = 1 / (n C) in the terms of a support vector machine) of two
    classes, half the squared error of a number, or the negative log partial likelihood of times to an event (Breslow).
    Of more classes the loss is multinomial, or the hinge loss of each class against all others. A feature then has a
    coefficient for each class, and the root of their summed squares says how large it is, as in scikit-learn's RFE.
    Constant features are dropped before the first round.

    Parameters
    ----------
    k : int or None, default=None
        How many features to select; None is 10, or half of the features where that is fewer.
    loss : str, default="logistic"
        The loss of classes: "logistic", or "hinge", that of a linear support vector machine.
    penalty : float, default=0.01
        The weight of the squared coefficients.
    step : float, default=0.1
        How many features a round drops: a number of features, or below 1 a fraction of those left (at least one).
    row_weights : str, default="equal"
        "margin" gives each row of classes a weight before the elimination, which is small where its margins differ from
        those of the other rows: instance weighting, which reduces the variance of the selection (Han and Yu 2010).
    task : str or None, default=None
        What y holds, "classes", "number" or "survival"; None decides by y. Where scikit-learn has to know it before the
        fit, as for stratified folds, give it.

    Attributes
    ----------
    support_ : array of bool of shape (n_features,)
        The selected features.
    ranking_ : array of int of shape (n_features,)
        1 is best; the k selected come first, ordered by their final absolute coefficients, then the features in the
        reverse order of their elimination.
    coef_ : array of float of shape (n_features,) or (n_classes, n_features)
        The coefficients, in the units of X; 0 for features that were eliminated. Of more than two classes one
        row for each.
    intercept_ : float or array of float of shape (n_classes,)
        The intercept, of more than two classes one for each.
    importances_ : array of float of shape (n_features,)
        The absolute coefficients of the standardised features, 0 for those eliminated; of more than two classes the
        root of the sum of their squares.
    n_tied_ : int
        Selected features that at some round were as good as one that was dropped.
    n_short_ : int
        How many features fewer than asked for were selected, because the others are constant or get no weight.
    n_features_in_ : int
        How many features X had.
    task_ : str
        What y was taken for.
    classes_ : array
        The classes, where y holds classes; of two classes `coef_` speaks for the second.

    References
    ----------
    Guyon et al. 2002; Han and Yu 2010.

    Examples
    --------
    >>> import steadyset as st
    >>> from sklearn.datasets import load_breast_cancer
    >>> X, y = load_breast_cancer(return_X_y=True, as_frame=True)
    >>> svm = st.selectors.RecursiveElimination(3, loss="hinge").fit(X, y)
    >>> svm.get_feature_names_out().tolist()
    ['area error', 'worst radius', 'worst concave points']
    """

    k: int | None = None
    _: KW_ONLY
    loss: str = "logistic"
    penalty: float = 0.01
    step: float = 0.1
    row_weights: str = "equal"
    task: str | None = None

    outcomes: ClassVar[dict[str, Outcome]] = {task: PATH_OUTCOMES[task] for task in (CLASSES, NUMBER, SURVIVAL)}

    @with_one_arithmetic_thread
    def fit(self, X: ArrayLike, y: ArrayLike, sample_weight: ArrayLike | None = None) -> Self:
        """Eliminate features until k are left, and keep the model fitted on these.

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
        check_choice("loss", self.loss, ("logistic", "hinge"))
        check_choice("row_weights", self.row_weights, ("equal", "margin"))
        check_number("penalty", self.penalty)
        check_number("step", self.step)
        if self.step >= 1 and self.step != int(self.step):
            raise wrong_argument("step", "a whole number of features or a fraction below 1", self.step)
        training = self._training(X, y, sample_weight)
        if self.loss == "hinge" and not len(training.classes):
            raise InputError(f"The hinge loss is for classes, and y is taken for {TASKS[self.task_].words}.")
        loss: str = "hinge" if self.loss == "hinge" else self.outcomes[self.task_].loss_of(training.classes)
        k = size_or_default(self.k, training.X.shape[1])
        if self.row_weights == "margin":
            training = self._weighted_by_margins(training)
        data = standardise(training)
        solved = solved_target(training, data.weight) if training.y.ndim == 1 else None
        target, unit, centre = (training.y, 1.0, 0.0) if solved is None else (solved.y, solved.unit, solved.centre)
        left = np.flatnonzero(data.varies)
        # Ties are common in discrete data, and must not be broken by what a solver leaves in the last digits.
        digits = 6 if loss == "hinge" else 10
        worst_first: list[Ints] = [np.flatnonzero(~data.varies)[::-1]]
        rivals: set[int] = set()
        while True:
            coef, intercept = _fit_linear(data.Xt[left], target, data.weight, loss, float(self.penalty))
            sizes = feature_sizes(coef)
            order = first_best(sizes, len(sizes), digits=digits)
            if len(left) <= k:
                break
            n_dropped = min(len(left) - k, max(1, int(self.step * len(left))) if self.step < 1 else int(self.step))
            worst_first.append(left[order[::-1][:n_dropped]])
            kept = order[: len(left) - n_dropped]
            rivals.update(left[tied(sizes, kept, digits=digits)].tolist())
            left = left[np.sort(kept)]
        worst_first.append(left[order[::-1]])
        self.ranking_: Ints = np.empty(len(data.scale), dtype=np.int64)
        self.ranking_[np.concatenate(worst_first)[::-1]] = np.arange(1, len(data.scale) + 1)
        full = np.zeros((len(coef), len(data.scale)))
        full[:, left] = coef
        self._store(full * unit, intercept * unit + centre, data, training)
        self.n_tied_ = len(rivals.intersection(np.flatnonzero(self.support_).tolist()))
        self.n_short_ = k - int(self.support_.sum())
        if self.n_short_:
            warn_caller(too_few(k, "by elimination"), UninformativeWarning)
        return self

    def _weighted_by_margins(self, training: Training) -> Training:
        if not len(training.classes):
            raise InputError(f"Margins are for classes, and y is taken for {TASKS[self.task_].words}.")
        codes = training.y.astype(np.int64)
        return replace(training, weight=margin_weights(standardise(training).Xt, codes, training.weight))

    def _given_task(self) -> str | None:
        is_for_classes = self.loss == "hinge" or self.row_weights == "margin"
        return CLASSES if is_for_classes and self.task is None else super()._given_task()

    def path_by_size(self, X: Floats, y: ArrayLike, reach: int) -> list[Ints]:
        """What is left at each size when elimination goes on to a single feature.

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
        varies = X.min(axis=0) < X.max(axis=0)  # constant features come last
        return nested(np.argsort(clone(self).set_params(k=1).fit(X, y).ranking_)[: varies.sum()])

    @available_if(_has_probabilities)  # type: ignore[untyped-decorator]
    def predict_proba(self, X: ArrayLike) -> Floats:
        """The probability of each class; with the logistic loss only.

        Parameters
        ----------
        X : array-like or frame of shape (n_samples, n_features)
            The rows, with all features.

        Returns
        -------
        array of float of shape (n_samples, n_classes)
            The probabilities; columns in the order of classes_.
        """
        return np.asarray(super().predict_proba(X))


def _fit_linear(Xt: Floats, y: Floats, w: Floats, loss: str, penalty: float) -> tuple[Floats, Floats]:
    """One ridge-penalised fit: coefficients, in a row for each class where there are more than two, and intercepts.

    The problem does not change under rotations of the features, so with more features than rows it is solved in as many
    coordinates as the rows span: X X' = L L', and L takes the place of X.
    """
    if len(Xt) <= len(y):
        return _fit_coordinates(Xt, y, w, loss, penalty)
    X = np.ascontiguousarray(Xt.T)
    coordinates, pivots = pivoted_cholesky(symmetric_product(X, X), 1e-12)
    coef, intercept = _fit_coordinates(coordinates, y, w, loss, penalty)
    rows = [solve_triangular(coordinates[:, pivots], one, lower=False) for one in coef]
    return np.stack([combine(one, X[pivots]) for one in rows]), intercept


def _fit_coordinates(Zt: Floats, y: Floats, w: Floats, loss: str, penalty: float) -> tuple[Floats, Floats]:
    if loss == "cox":
        return CoxModel(penalty).fit(Zt.T, y, w).coef_[None], np.zeros(1)
    if loss == "multinomial":
        return _fit_classes(Zt, y.astype(np.int64), w, penalty)
    if loss == "hinge":
        n_classes = int(y.max()) + 1
        signs = [2.0 * (y == one) - 1.0 for one in range(n_classes)][n_classes == 2 :]
        thetas = np.stack([hinge_fit(Zt, one, w, penalty, 1e-13) for one in signs])
    else:
        start = np.zeros(len(Zt) + 1)
        thetas = ridge_fit(Zt, y, w, np.arange(len(Zt)), start, penalty, loss == "logistic", 1e-12)[0][None]
    return thetas[:, :-1], thetas[:, -1]


def _fit_classes(Zt: Floats, codes: Ints, w: Floats, penalty: float) -> tuple[Floats, Floats]:
    Z = np.concatenate([np.ones((1, len(codes))), Zt])
    ridge = np.append(0.0, np.full(len(Zt), penalty))
    shares = np.log(np.bincount(codes, w))
    coefs = np.zeros((len(Z), len(shares)))
    coefs[0] = shares - shares.mean()
    flat = coefs.ravel()
    multinomial.solve(Z, w, codes, np.zeros(len(Z)), ridge, False, 1e-12, flat, np.empty((len(shares), len(codes))))
    return np.ascontiguousarray(coefs[1:].T), coefs[0]


register_selector(
    "rfe",
    tasks=dict.fromkeys(RecursiveElimination.outcomes, RecursiveElimination),
    summary="recursive feature elimination by a logistic or linear regression with a ridge penalty",
    formula="min_b [sum_i w_i loss_i] / [sum_i w_i] + (penalty / 2) sum_j b_j²",
)
register_selector(
    "rfe_svm",
    tasks={CLASSES: RecursiveElimination},
    params={"loss": "hinge"},
    summary="recursive feature elimination by a linear support vector machine",
    formula="min_b [sum_i w_i loss_i] / [sum_i w_i] + (penalty / 2) sum_j b_j²",
)
register_selector(
    "instance_weighting",
    tasks={CLASSES: RecursiveElimination},
    params={"loss": "hinge", "row_weights": "margin"},
    summary="recursive feature elimination by a linear support vector machine, with rows weighted by their margins",
    reference="Han and Yu 2010",
    formula="w_i = (1 / d_i) / sum_l (1 / d_l), d_i = mean_l sqrt(sum_f (z_if - z_lf)²), "
    "z_if = sum_misses |x_if - x_mf| - sum_hits |x_if - x_hf|",
)
