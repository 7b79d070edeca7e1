"""What all models share: one class serves several tasks, and a record says how it treats the target of each.

A model takes `task`, or finds it from y. What depends on the task, such as the loss, scikit-learn's type of estimator
and what a prediction is, stands in the `Outcome` of that task; a further task is a further record.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any, ClassVar

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import expit, softmax
from sklearn.base import BaseEstimator, ClassifierMixin, RegressorMixin
from sklearn.feature_selection import SelectorMixin
from sklearn.utils import ClassifierTags, RegressorTags
from sklearn.utils.metaestimators import available_if
from sklearn.utils.validation import check_is_fitted, validate_data

from steadyset.foundation.errors import InputError
from steadyset.kernels.arrays import Bools, Floats
from steadyset.kernels.linear.models import feature_sizes
from steadyset.selectors.model_input import Standardised, Target, Training, left_out_copies, read_training
from steadyset.selectors.path_data import Family
from steadyset.selectors.validation import check_target
from steadyset.tasks import CLASSES, COUNT, NUMBER, SURVIVAL, TASKS, task_of


@dataclass(frozen=True)
class Outcome:
    """How a kind of model treats the target of one task.

    `predict` and `shares` take what the model computes for rows and its classes: predictions, and the probability of
    each class where there are some. `family` is the loss of models with one coefficient per feature, `several` that of
    more than two classes, with one per feature and class. `score` judges predictions where the estimator's does not.
    `least_leaf` is the fewest rows in a leaf of a tree.
    """

    target: Target
    estimator: type[ClassifierMixin] | type[RegressorMixin]  # whose tags and score it has
    predict: Callable[[Floats, NDArray[Any]], NDArray[Any]]
    shares: Callable[[Floats, NDArray[Any]], Floats] | None = None
    family: Family = "linear"
    several: Family | None = None
    score: Callable[[Any, Floats, Any], float] | None = None
    least_leaf: int = 1

    def loss_of(self, classes: NDArray[Any]) -> Family:
        """The loss of a target with these classes."""
        return self.several if self.several is not None and len(classes) > 2 else self.family

    @property
    def logistic(self) -> bool:
        """Whether the loss is that of logistic regression, as kernels ask it."""
        return self.family == "logistic"


def _concordance(y: Any, risks: Floats, sample_weight: Any) -> float:
    from steadyset.tasks.models.cox import concordance

    return concordance(y, risks, sample_weight)


def _shares(scores: Floats, classes: NDArray[Any]) -> Floats:
    if scores.ndim == 2:
        return np.asarray(softmax(scores, axis=1))
    return np.column_stack([1.0 - (positive := expit(scores)), positive])


# Models with a path: of any number of classes, of a number, of times to an event, and of counts.
PATH_OUTCOMES: dict[str, Outcome] = {
    CLASSES: Outcome(
        target="classes",
        estimator=ClassifierMixin,
        predict=lambda scores, classes: classes[
            scores.argmax(axis=1) if scores.ndim == 2 else (scores > 0).astype(np.int64)
        ],
        shares=_shares,
        family="logistic",
        several="multinomial",
    ),
    NUMBER: Outcome(target="numbers", estimator=RegressorMixin, predict=lambda scores, classes: scores),
    SURVIVAL: Outcome(
        target="times",
        estimator=RegressorMixin,
        predict=lambda scores, classes: scores,
        family="cox",
        score=_concordance,
    ),
    COUNT: Outcome(
        target="counts", estimator=RegressorMixin, predict=lambda scores, classes: np.exp(scores), family="poisson"
    ),
}
LINEAR_OUTCOMES: dict[str, Outcome] = {
    CLASSES: replace(PATH_OUTCOMES[CLASSES], target="binary", several=None),
    NUMBER: PATH_OUTCOMES[NUMBER],
}
FOREST_OUTCOMES: dict[str, Outcome] = {
    CLASSES: Outcome(
        target="classes",
        estimator=ClassifierMixin,
        predict=lambda shares, classes: classes[shares.argmax(axis=1)],
        shares=lambda shares, classes: shares,
    ),
    NUMBER: Outcome(target="numbers", estimator=RegressorMixin, predict=lambda means, classes: means[:, 0]),
    SURVIVAL: Outcome(
        target="times",
        estimator=RegressorMixin,
        predict=lambda risks, classes: risks[:, 0],
        score=_concordance,
        least_leaf=3,
    ),
}


def _has_shares(model: TaskModel) -> bool:
    """Whether it has probabilities; before it knows its task, whether it has them for some task."""
    task = model._known_task()
    return any(outcome.shares for name, outcome in model.outcomes.items() if task in (None, name))


class TaskModel(BaseEstimator):  # type: ignore[misc]
    """A model for every task that it has an outcome for; `task` says which, and None takes it from y."""

    outcomes: ClassVar[Mapping[str, Outcome]]
    task: str | None = None
    task_: str
    classes_: NDArray[Any]

    def _known_task(self) -> str | None:
        """The task that was found, given, or is the only one; None before a fit that takes it from y."""
        given = self._given_task()
        return getattr(self, "task_", None) if given is None else given

    def _given_task(self) -> str | None:
        if len(self.outcomes) == 1:
            return next(iter(self.outcomes))
        known = isinstance(self.task, str) and self.task in TASKS.names()
        return TASKS[str(self.task)].among(self.outcomes) or self.task if known else self.task

    def _read_task(self, y: Any) -> Outcome:
        """How y is treated, by the task that is given, or else by what y holds; the task is remembered."""
        given = self._given_task()
        labels = np.empty(0) if given is not None else check_target(y, None, type(self).__name__)
        task = task_of(labels, given)
        task = TASKS[task].among(self.outcomes) or task
        if task not in self.outcomes:
            served = " or ".join(TASKS[one].several for one in self.outcomes)
            raise InputError(f"{type(self).__name__} is for {served}, and y is taken for {TASKS[task].words}.")
        self.task_ = task
        return self.outcomes[task]

    def _training(self, X: Any, y: Any, sample_weight: Any = None) -> Training:
        """The checked data of a fit."""
        outcome = self._read_task(y)
        training = read_training(X, y, sample_weight, target=outcome.target, selector=self)
        self.__dict__.pop("classes_", None)
        if len(training.classes):
            self.classes_ = training.classes
        return training

    def _checked(self, X: ArrayLike) -> Floats:
        check_is_fitted(self)
        return np.asarray(validate_data(self, X, dtype=np.float64, reset=False))

    def _computed(self, X: ArrayLike) -> Floats:
        """What predictions are made of: a score of each row, or what the leaves say."""
        raise NotImplementedError

    def predict(self, X: ArrayLike) -> NDArray[Any]:
        """The class or the number that the model expects for each row.

        Parameters
        ----------
        X : array-like or frame of shape (n_samples, n_features)
            The rows, with all features.

        Returns
        -------
        array of shape (n_samples,)
            The predictions.
        """
        computed = self._computed(X)
        return np.asarray(self.outcomes[self.task_].predict(computed, getattr(self, "classes_", np.empty(0))))

    @available_if(_has_shares)  # type: ignore[untyped-decorator]
    def predict_proba(self, X: ArrayLike) -> Floats:
        """The probability of each class.

        Parameters
        ----------
        X : array-like or frame of shape (n_samples, n_features)
            The rows, with all features.

        Returns
        -------
        array of float of shape (n_samples, n_classes)
            The probabilities; columns in the order of classes_.
        """
        computed = self._computed(X)
        shares = self.outcomes[self.task_].shares
        if shares is None:
            raise AttributeError(f"{type(self).__name__} has no probabilities for {TASKS[self.task_].several}.")
        return shares(computed, self.classes_)

    def score(self, X: ArrayLike, y: ArrayLike, sample_weight: ArrayLike | None = None) -> float:
        """How well it predicts: the accuracy for classes, R² for a number, Harrell's concordance for times to an event.

        Parameters
        ----------
        X : array-like or frame of shape (n_samples, n_features)
            The rows, with all features.
        y : array-like of shape (n_samples,)
            What there was to predict.
        sample_weight : array-like of shape (n_samples,) or None, default=None
            How much each row counts.

        Returns
        -------
        float
            The score.
        """
        check_is_fitted(self)
        outcome = self.outcomes[self.task_]
        if outcome.score is not None:
            return outcome.score(y, self.predict(X), sample_weight)
        return float(outcome.estimator.score(self, X, y, sample_weight))

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.target_tags.required = True
        task = self._known_task()
        # Before the task is known, the tags of classes still say how many of them it would take.
        for name, outcome in self.outcomes.items():
            if task in (None, name) and outcome.estimator is ClassifierMixin:
                # Of two features linear selectors keep one by default, too few to tell three classes.
                poor = outcome.several is not None
                tags.classifier_tags = ClassifierTags(poor_score=poor, multi_class=outcome.target != "binary")
            if task == name:
                kind = "classifier" if outcome.estimator is ClassifierMixin else "regressor"
                tags.estimator_type = kind
                tags.regressor_tags = RegressorTags() if outcome.estimator is RegressorMixin else None
        return tags


class ModelSelector(SelectorMixin, TaskModel):  # type: ignore[misc]
    """A selector that is also the predictor fitted on the features that it selected."""

    weights_equal_copies = True
    support_: Bools

    def _get_support_mask(self) -> Bools:
        check_is_fitted(self)
        return self.support_


class LinearSelector(ModelSelector):
    """A model with one coefficient per feature: coef_ is in the units of X, importances_ is |coef_| times the sd.

    Of more than two classes it has one for each of them, and |coef_| is the root of the sum of their squares.
    n_tied_ counts the selected features of which a copy was not selected: only the order of the columns preferred them.
    """

    outcomes = LINEAR_OUTCOMES
    coef_: Floats
    intercept_: float | Floats
    importances_: Floats
    n_tied_: int

    def _store(self, coef: Floats, intercept: float | Floats, data: Standardised, training: Training) -> None:
        """Keep a model of the standardised features, put into the units of X; rows of several outputs are classes."""
        coef, intercepts = np.atleast_2d(coef), np.atleast_1d(intercept)
        own = coef / data.scale
        shifted = np.array([one - b @ data.centre for one, b in zip(intercepts, own, strict=True)])
        self.coef_, self.intercept_ = (own, shifted) if len(own) > 1 else (own[0], float(shifted[0]))
        self.importances_ = feature_sizes(coef)
        self.support_ = np.asarray(coef.any(axis=0))
        if training.X.size:
            self.n_tied_ = len(left_out_copies(training.X, self.support_))

    def _computed(self, X: ArrayLike) -> Floats:
        values = self._checked(X)
        if np.size(getattr(self, "covariate_coef_", ())):
            raise InputError(f"{type(self).__name__} was fitted beside covariates, which X lacks; fit a model of both.")
        used = np.flatnonzero(self.coef_ if self.coef_.ndim == 1 else self.coef_.any(axis=0))
        return np.asarray(values[:, used] @ self.coef_[..., used].T + self.intercept_)

    @available_if(_has_shares)  # type: ignore[untyped-decorator]
    def decision_function(self, X: ArrayLike) -> Floats:
        """The linear score intercept_ + X coef_; positive speaks for classes_[1]. Of more classes, one score per class.

        Parameters
        ----------
        X : array-like or frame of shape (n_samples, n_features)
            The rows, with all features.

        Returns
        -------
        array of float of shape (n_samples,)
            The scores.
        """
        return self._computed(X)
