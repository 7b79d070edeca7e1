"""The classification methods of Bommert (2020), table 6.5, as scikit-learn models by name."""

from __future__ import annotations

from typing import Any, Self

import numpy as np
import numpy.typing as npt
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.ensemble import RandomForestClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC


class RidgeLogistic(ClassifierMixin, BaseEstimator):  # type: ignore[misc]
    """Ridge logistic regression with the penalty of glmnet; it uses every feature.

    Minimises  mean loss + penalty / 2 sum_j b_j²,  b the coefficients of the standardised features.
    """

    def __init__(self, penalty: float = 1.0) -> None:
        self.penalty = penalty

    def fit(self, X: Any, y: Any) -> Self:
        """Fit on standardised features."""
        model = LogisticRegression(C=1 / (len(y) * self.penalty), max_iter=10_000)
        self.model_ = make_pipeline(StandardScaler(), model).fit(X, y)
        self.classes_ = self.model_.classes_
        return self

    def predict(self, X: Any) -> npt.NDArray[Any]:
        return np.asarray(self.model_.predict(X))

    def predict_proba(self, X: Any) -> npt.NDArray[np.float64]:
        return np.asarray(self.model_.predict_proba(X))


class SplittingForest(RandomForestClassifier):  # type: ignore[misc]
    """A random forest that selects the features at which any of its trees splits."""

    def get_support(self) -> npt.NDArray[np.bool_]:
        """Which features are used."""
        return np.asarray(self.feature_importances_ > 0)


def scaled_svm() -> Any:
    """A support vector machine with a radial kernel on standardised features."""
    return make_pipeline(StandardScaler(), SVC())


def scaled_neighbours() -> Any:
    """k nearest neighbours of standardised features."""
    return make_pipeline(StandardScaler(), KNeighborsClassifier())
