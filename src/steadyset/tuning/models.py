"""The methods of Bommert (2020), table 6.5, as scikit-learn models by name: for classes, and alike for a number."""

from __future__ import annotations

from typing import Any, Self

import numpy as np
import numpy.typing as npt
from sklearn.base import BaseEstimator, ClassifierMixin, RegressorMixin
from sklearn.compose import TransformedTargetRegressor
from sklearn.linear_model import LogisticRegression, Ridge
from sklearn.neighbors import KNeighborsClassifier, KNeighborsRegressor
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC, SVR
from sklearn.utils.validation import check_is_fitted, validate_data

from steadyset.kernels.arrays import Bools, Floats
from steadyset.selectors.model_input import Target, read_training
from steadyset.selectors.trees import ForestData, Growth, features_cut, grow_forest, mean_of_trees, seed_sequence
from steadyset.selectors.validation import check_integer


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

    def predict_proba(self, X: Any) -> Floats:
        return np.asarray(self.model_.predict_proba(X))


class RidgeLinear(RegressorMixin, BaseEstimator):  # type: ignore[misc]
    """Ridge regression with the penalty of glmnet; it uses every feature.

    Minimises  half the mean squared error + penalty / 2 sum_j b_j²,  b the coefficients of the standardised features.
    """

    def __init__(self, penalty: float = 1.0) -> None:
        self.penalty = penalty

    def fit(self, X: Any, y: Any) -> Self:
        """Fit on standardised features."""
        self.model_ = make_pipeline(StandardScaler(), Ridge(alpha=len(y) * self.penalty)).fit(X, y)
        return self

    def predict(self, X: Any) -> npt.NDArray[Any]:
        return np.asarray(self.model_.predict(X))


class _SplittingForest(BaseEstimator):  # type: ignore[misc]
    """A random forest that selects the features at which any of its trees splits.

    A node of `node_size` rows or fewer is not split; rows count as often as the tree has drawn them. A node tries
    `max_features` of the features: "sqrt", "log2", a number, a share (rounded down, at least one), None for all.

    Attributes: classes_ (not for a number), trees_ (the nodes as arrays, see `steadyset.kernels.trees.growth.Trees`).
    """

    _target: Target

    def __init__(
        self,
        n_estimators: int = 100,
        node_size: int = 1,
        max_features: str | int | float | None = "sqrt",
        random_state: Any = None,
    ) -> None:
        self.n_estimators = n_estimators
        self.node_size = node_size
        self.max_features = max_features
        self.random_state = random_state

    def fit(self, X: Any, y: Any) -> Self:
        """Grow the trees."""
        check_integer("n_estimators", self.n_estimators, least=1)
        check_integer("node_size", self.node_size, least=1)
        training = read_training(X, y, None, target=self._target, selector=self)
        growth = Growth(self.n_estimators, self.max_features, least_cut=self.node_size + 1)
        self.trees_ = grow_forest(ForestData.of(training), growth, seed_sequence(self.random_state))
        if len(training.classes):
            self.classes_ = training.classes
        return self

    def _mean_of_trees(self, X: Any) -> Floats:
        check_is_fitted(self)
        values = np.asarray(validate_data(self, X, dtype=np.float64, reset=False))
        return mean_of_trees(self.trees_, values, len(self.classes_) if hasattr(self, "classes_") else 1)

    def get_support(self) -> Bools:
        """Which features are used."""
        check_is_fitted(self)
        return features_cut(self.trees_, self.n_features_in_)


class SplittingForest(ClassifierMixin, _SplittingForest):  # type: ignore[misc]
    __doc__ = _SplittingForest.__doc__
    _target: Target = "classes"

    def predict_proba(self, X: Any) -> Floats:
        """Class frequencies in the leaves, averaged over the trees."""
        return self._mean_of_trees(X)

    def predict(self, X: Any) -> npt.NDArray[Any]:
        """The class with the largest probability."""
        largest = self.predict_proba(X).argmax(axis=1)
        return np.asarray(self.classes_[largest])


class SplittingForestRegression(RegressorMixin, _SplittingForest):  # type: ignore[misc]
    __doc__ = _SplittingForest.__doc__
    _target: Target = "numbers"

    def predict(self, X: Any) -> npt.NDArray[Any]:
        """The mean of y in the leaves, averaged over the trees."""
        return self._mean_of_trees(X)[:, 0]


def scaled_svm() -> Any:
    """A support vector machine with a radial kernel on standardised features."""
    return make_pipeline(StandardScaler(), SVC())


def scaled_neighbours() -> Any:
    """k nearest neighbours of standardised features."""
    return make_pipeline(StandardScaler(), KNeighborsClassifier())


def scaled_svm_regression() -> Any:
    """A support vector machine with a radial kernel for a number; the target is standardised too."""
    return TransformedTargetRegressor(make_pipeline(StandardScaler(), SVR()), transformer=StandardScaler())


def scaled_neighbours_regression() -> Any:
    """The mean of k nearest neighbours of standardised features."""
    return make_pipeline(StandardScaler(), KNeighborsRegressor())
