"""The common part of the model selectors: the support, and predictions from a linear score."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import expit
from sklearn.base import BaseEstimator, ClassifierMixin, RegressorMixin
from sklearn.feature_selection import SelectorMixin
from sklearn.utils.validation import check_is_fitted, validate_data

from steadyset.kernels.arrays import Bools, Floats
from steadyset.selectors.model_input import Standardised, Training, left_out_copies


class ModelSelector(SelectorMixin, BaseEstimator):  # type: ignore[misc]
    """A selector that is also the predictor fitted on the features that it selected."""

    weights_equal_copies = True
    support_: Bools
    classes_: NDArray[Any]

    def _get_support_mask(self) -> Bools:
        check_is_fitted(self)
        return self.support_

    def _checked(self, X: ArrayLike) -> Floats:
        check_is_fitted(self)
        return np.asarray(validate_data(self, X, dtype=np.float64, reset=False))

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.target_tags.required = True
        return tags


class LinearSelector(ModelSelector):
    """A model with one coefficient per feature: coef_ is in the units of X, importances_ is |coef_| times the sd.

    n_tied_ counts the selected features of which a copy was not selected: only the order of the columns preferred them.
    """

    coef_: Floats
    intercept_: float
    importances_: Floats
    n_tied_: int

    def _store(self, coef: Floats, intercept: float, data: Standardised, training: Training) -> None:
        """Keep a model of the standardised features, put into the units of X."""
        self.coef_ = coef / data.scale
        self.intercept_ = float(intercept - self.coef_ @ data.centre)
        self.importances_ = np.abs(coef)
        self.support_ = coef != 0.0
        if training.X.size:
            self.n_tied_ = len(left_out_copies(training.X, self.support_))
        if len(training.classes):
            self.classes_ = training.classes

    def _score_rows(self, X: ArrayLike) -> Floats:
        values = self._checked(X)
        used = np.flatnonzero(self.coef_)
        return np.asarray(values[:, used] @ self.coef_[used] + self.intercept_)


class BinarySelector(ClassifierMixin, LinearSelector):  # type: ignore[misc]
    """Two classes, told apart by the sign of the linear score."""

    def decision_function(self, X: ArrayLike) -> Floats:
        """The linear score intercept_ + X coef_; positive speaks for classes_[1].

        Parameters
        ----------
        X : array-like or frame of shape (n_samples, n_features)
            The rows, with all features.

        Returns
        -------
        array of float of shape (n_samples,)
            The scores.
        """
        return self._score_rows(X)

    def predict(self, X: ArrayLike) -> NDArray[Any]:
        """The class on whose side of the linear score each row lies.

        Parameters
        ----------
        X : array-like or frame of shape (n_samples, n_features)
            The rows, with all features.

        Returns
        -------
        array of shape (n_samples,)
            The classes.
        """
        positive = self.decision_function(X) > 0
        return np.asarray(self.classes_[positive.astype(np.int64)])

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.classifier_tags.multi_class = False
        return tags


class LogisticSelector(BinarySelector):
    """Two classes, with the probability given by the logistic function of the linear score."""

    def predict_proba(self, X: ArrayLike) -> Floats:
        """The probability of each class.

        Parameters
        ----------
        X : array-like or frame of shape (n_samples, n_features)
            The rows, with all features.

        Returns
        -------
        array of float of shape (n_samples, 2)
            P(classes_[0]) and P(classes_[1]) of each row.
        """
        positive = expit(self.decision_function(X))
        return np.column_stack([1.0 - positive, positive])


class RegressionSelector(RegressorMixin, LinearSelector):  # type: ignore[misc]
    """A number, predicted by the linear score."""

    def predict(self, X: ArrayLike) -> Floats:
        """The linear score intercept_ + X coef_.

        Parameters
        ----------
        X : array-like or frame of shape (n_samples, n_features)
            The rows, with all features.

        Returns
        -------
        array of float of shape (n_samples,)
            The predicted numbers.
        """
        return self._score_rows(X)
