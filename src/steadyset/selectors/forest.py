"""Random forests whose impurity or out-of-bag permutation importance ranks the features."""

from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import ClassifierMixin, RegressorMixin, clone

from steadyset.deprecation import DEPRECATED, renamed
from steadyset.kernels.arrays import Floats, Ints
from steadyset.kernels.trees.growth import Trees
from steadyset.selectors.known import register_selector
from steadyset.selectors.model import ModelSelector
from steadyset.selectors.model_input import Target, first_best, nested, read_training, tied, varying
from steadyset.selectors.trees import (
    ForestData,
    Growth,
    forest_importances,
    grow_forest,
    mean_of_trees,
    seed_sequence,
)
from steadyset.selectors.validation import check_choice, size_or_default

KINDS = {"impurity": "decrease_share", "permutation": "permutation"}
N_TREES = renamed("n_trees", "n_estimators", since="0.1", removed_in="1.0")


class _ForestSelector(ModelSelector):
    """The fit that the classification and the regression forest share."""

    importances_: Floats
    trees_: Trees
    _target: Target

    def __init__(
        self,
        k: int | None = None,
        *,
        importance: str = "impurity",
        n_estimators: int = 500,
        max_features: str | int | float | None = "sqrt",
        max_depth: int | None = None,
        random_state: Any = None,
        n_trees: Any = DEPRECATED,
    ) -> None:
        self.k = k
        self.importance = importance
        self.n_estimators = n_estimators
        self.max_features = max_features
        self.max_depth = max_depth
        self.random_state = random_state
        self.n_trees = n_trees

    def fit(self, X: ArrayLike, y: ArrayLike, sample_weight: ArrayLike | None = None) -> Self:
        """Grow a forest on all features, take the k most important, and grow a second forest on these."""
        check_choice("importance", self.importance, tuple(KINDS))
        growth = Growth(self._number_of_trees(), self.max_features, self.max_depth)
        training = read_training(X, y, sample_weight, target=self._target, selector=self)
        k = size_or_default(self.k, training.X.shape[1])
        varies = varying(training.X)
        first, second = seed_sequence(self.random_state).spawn(2)
        data = ForestData.of(training)
        self.importances_ = forest_importances(data, growth, first, KINDS[self.importance])
        candidates = np.flatnonzero(varies)
        best = first_best(self.importances_[candidates], k)
        self.support_ = np.zeros(len(varies), dtype=np.bool_)
        self.support_[candidates[best]] = True
        self.n_tied_ = len(tied(self.importances_[candidates], best))
        self.trees_ = grow_forest(data.only(self.support_), growth, second)
        if len(training.classes):
            self.classes_ = training.classes
        return self

    def path_by_size(self, X: Floats, y: Any, reach: int) -> list[Ints]:
        """The features by falling importance, up to reach, by one fit."""
        fitted = clone(self).set_params(k=reach).fit(X, y)
        chosen = np.flatnonzero(fitted.support_)
        return nested(chosen[first_best(fitted.importances_[chosen], len(chosen))])

    def _number_of_trees(self) -> int:
        if isinstance(self.n_trees, str):
            return self.n_estimators
        N_TREES.warn(stacklevel=2)
        return int(self.n_trees)

    def _mean_of_trees(self, X: ArrayLike) -> Floats:
        """Mean over the trees of their leaves' values: class frequencies, or one column with the mean of y."""
        values = self._checked(X)[:, self.support_]
        return mean_of_trees(self.trees_, values, len(self.classes_) if self._target == "classes" else 1)


class ForestClassification(ClassifierMixin, _ForestSelector):  # type: ignore[misc]
    """The k features that matter most to a random forest of classification trees, for two classes or more.

    importance="impurity": the decrease of the Gini impurity by the splits on a feature, normalised in each tree.
    importance="permutation": how much the share of wrong answers on a tree's out-of-bag rows grows when the feature is
    shuffled among them. Both are means over the trees. `k` features are selected whatever the size of their importance
    (constant ones excepted); None: 10, or half of the features where that is fewer. Predictions come from a second
    forest that is grown on the selected features alone (Hamer and Dupont 2021, section 6.2).

    Weights count rows: a tree draws as many rows as they sum to, and a weight that is not whole is rounded on the way.
    With the same seed, integer weights give the very forest that copies of the rows give, whatever the order of the
    rows. As with copies, a tree may have drawn one of the places of a row and count another as out of bag.

    A node draws more than `max_features` features if all of these are constant in the node. Trees are grown until their
    leaves are pure or `max_depth` is reached.

    Parameters
    ----------
    k : how many features to select; None: 10, or half of the features where that is fewer
    importance : "impurity" or "permutation"
    n_estimators : how many trees
    max_features : how many features a node draws: "sqrt" or "log2" of all, a number, a share, None for all
    max_depth : of the trees; None: no limit
    random_state : the seed
    Attributes: support_, importances_, n_tied_ (selected features as important as one that was not selected), classes_,
    trees_ (the nodes of the second forest as arrays, see
    `steadyset.kernels.trees.growth.Trees`; its features are numbered among the selected ones).
    Reference: Breiman 2001.
    """

    _target: Target = "classes"

    def predict_proba(self, X: ArrayLike) -> Floats:
        """Class frequencies in the leaves, averaged over the trees; columns in the order of classes_."""
        return self._mean_of_trees(X)

    def predict(self, X: ArrayLike) -> NDArray[Any]:
        """The class with the largest probability."""
        largest = self.predict_proba(X).argmax(axis=1)
        return np.asarray(self.classes_[largest])


class ForestRegression(RegressorMixin, _ForestSelector):  # type: ignore[misc]
    """The k features that matter most to a random forest of regression trees.

    As `ForestClassification`, with the variance as the impurity and the squared error as the error.
    """

    _target: Target = "numbers"

    def predict(self, X: ArrayLike) -> Floats:
        """The mean of y in the leaves, averaged over the trees."""
        return self._mean_of_trees(X)[:, 0]


register_selector(
    "forest",
    classes=ForestClassification,
    number=ForestRegression,
    summary="the features of largest impurity importance in a random forest",
    formula="mean_t [sum_{v splits on f} n_v Δ_v / n] / [sum_v n_v Δ_v / n]",
)
register_selector(
    "forest_permutation",
    classes=ForestClassification,
    number=ForestRegression,
    params={"importance": "permutation"},
    summary="the features of largest out-of-bag permutation importance in a random forest",
    formula="mean_t (error_t(X permuted) - error_t(X))",
)
