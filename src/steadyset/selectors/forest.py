"""Random forests whose impurity or out-of-bag permutation importance ranks the features."""

from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import ClassifierMixin, RegressorMixin
from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor

from steadyset.errors import InputError
from steadyset.selectors.model import ModelSelector
from steadyset.selectors.model_input import (
    FloatArray,
    IntArray,
    Target,
    Training,
    check_choice,
    check_integer,
    check_k,
    first_best,
    read_training,
)

Values = NDArray[np.float32]


class _ForestSelector(ModelSelector):
    """The fit that the classification and the regression forest share.

    The bootstrap of a tree draws as many rows as the weights sum to, each in proportion to its weight, from numbers
    that mark places along the cumulated weights of the sorted rows. An integer weight therefore gives the same trees as
    that many copies of the row. A row is out of bag when the tree drew it not once, however large its weight.
    """

    importances_: FloatArray
    _target: Target
    _tree: Any

    def __init__(
        self,
        k: int | None = None,
        *,
        importance: str = "impurity",
        n_trees: int = 500,
        max_features: str | int | float | None = "sqrt",
        max_depth: int | None = None,
        random_state: Any = None,
    ) -> None:
        self.k = k
        self.importance = importance
        self.n_trees = n_trees
        self.max_features = max_features
        self.max_depth = max_depth
        self.random_state = random_state

    def fit(self, X: ArrayLike, y: ArrayLike, sample_weight: ArrayLike | None = None) -> Self:
        """Grow a forest on all features, take the k most important, and grow a second forest on these."""
        check_choice("importance", self.importance, ("impurity", "permutation"))
        check_integer("n_trees", self.n_trees, least=1)
        training = _in_canonical_order(read_training(X, y, sample_weight, target=self._target, selector=self))
        k = check_k(self.k, training.X.shape[1])
        varies = training.X.min(axis=0) < training.X.max(axis=0)
        if not varies.any():
            raise InputError("every column of X is constant on the rows of positive weight, so none can be selected")
        first, second = _seed_sequence(self.random_state).spawn(2)
        values = training.X.astype(np.float32)
        self.importances_ = self._importances(values, training, first)
        candidates = np.flatnonzero(varies)
        self.support_ = np.zeros(len(varies), dtype=np.bool_)
        self.support_[candidates[first_best(self.importances_[candidates], k)]] = True
        chosen = np.ascontiguousarray(values[:, self.support_])
        self.trees_ = [tree for tree, _, _ in self._grow(chosen, training, second)]
        if len(training.classes):
            self.classes_ = training.classes
        return self

    def _grow(self, values: Values, training: Training, seed: np.random.SeedSequence) -> Any:
        """Trees, each with the rows that are out of its bag and its own random stream."""
        cumulated = np.cumsum(training.weight)
        n_draws = round(cumulated[-1])
        if n_draws < 2:
            raise InputError(f"sample_weight sums to {cumulated[-1]:g}; a forest reads weights as numbers of rows")
        for child in seed.spawn(int(self.n_trees)):
            rng = np.random.default_rng(child)
            drawn = np.searchsorted(cumulated, rng.random(n_draws) * cumulated[-1], side="right")
            counts = np.bincount(np.minimum(drawn, len(cumulated) - 1), minlength=len(cumulated))
            tree = self._tree(
                max_features=self.max_features, max_depth=self.max_depth, random_state=int(rng.integers(2**31))
            )
            tree.fit(values, training.y, sample_weight=counts.astype(np.float64), check_input=False)
            yield tree, np.flatnonzero(counts == 0), rng

    def _importances(self, values: Values, training: Training, seed: np.random.SeedSequence) -> FloatArray:
        total = np.zeros(values.shape[1])
        n_counted = 0
        for tree, out_of_bag, rng in self._grow(values, training, seed):
            if self.importance == "impurity":
                total += tree.tree_.compute_feature_importances(normalize=True)
            elif len(out_of_bag) > 0:
                used = np.unique(tree.tree_.feature[tree.tree_.feature >= 0])
                total[used] += self._permutation(tree, values[out_of_bag], training, out_of_bag, used, rng)
            n_counted += self.importance == "impurity" or len(out_of_bag) > 0
        return total / max(n_counted, 1)

    def _permutation(
        self,
        tree: Any,
        values: Values,
        training: Training,
        rows: IntArray,
        used: IntArray,
        rng: np.random.Generator,
    ) -> FloatArray:
        """How much the error on the out-of-bag rows grows when one of the features that the tree uses is shuffled."""
        weight = training.weight[rows] / training.weight[rows].sum()
        intact = weight @ _errors(tree, values, training.y[rows])
        growth = np.empty(len(used))
        for position, feature in enumerate(used):
            column = values[:, feature].copy()
            values[:, feature] = rng.permutation(column)
            growth[position] = weight @ _errors(tree, values, training.y[rows]) - intact
            values[:, feature] = column
        return growth

    def _mean_of_trees(self, X: ArrayLike) -> FloatArray:
        """Mean over the trees of their leaves' values: class frequencies, or one column with the mean of y."""
        values = self._checked(X)[:, self.support_].astype(np.float32)
        total = self.trees_[0].tree_.predict(values)
        for tree in self.trees_[1:]:
            total += tree.tree_.predict(values)
        return np.asarray(total / len(self.trees_))


class ForestClassification(ClassifierMixin, _ForestSelector):  # type: ignore[misc]
    """The k features that matter most to a random forest of classification trees, for two classes or more.

    importance="impurity": the decrease of the Gini impurity by the splits on a feature, normalised in each tree.
    importance="permutation": how much the share of wrong answers on a tree's out-of-bag rows grows when the feature is
    shuffled among them. Both are means over the trees. `k` features are selected whatever the size of their importance
    (constant ones excepted); None: 20, or half of the features where that is fewer. Predictions come from a second
    forest that is grown on the selected features alone (Hamer and Dupont 2021, section 6.2).

    Weights count rows: a tree draws as many rows as they sum to. For the trees and the impurity importance, integer
    weights equal copies of the rows, and the order of the rows does not matter. Not so for the permutation importance:
    copied rows would leave a twin of a drawn row out of bag, weighted rows do not.

    Attributes: support_, importances_, trees_ (of the second forest), classes_.
    Reference: Breiman (2001), Random forests.
    """

    _target: Target = "classes"
    _tree = DecisionTreeClassifier

    def predict_proba(self, X: ArrayLike) -> FloatArray:
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
    _tree = DecisionTreeRegressor

    def predict(self, X: ArrayLike) -> FloatArray:
        """The mean of y in the leaves, averaged over the trees."""
        return self._mean_of_trees(X)[:, 0]


def _errors(tree: Any, values: Values, y: FloatArray) -> FloatArray:
    predicted = tree.tree_.predict(values)
    if isinstance(tree, DecisionTreeClassifier):
        return np.asarray(predicted.argmax(axis=1) != y, dtype=np.float64)
    return np.asarray(np.square(predicted[:, 0] - y))


def _in_canonical_order(training: Training) -> Training:
    """Rows sorted by their content, so that the places of the bootstrap do not depend on the order they came in."""
    mix = np.random.default_rng(0).random(training.X.shape[1])
    order = np.lexsort((training.y, (training.X * mix).sum(axis=1)))
    return Training(training.X[order], training.y[order], training.weight[order], training.classes)


def _seed_sequence(random_state: Any) -> np.random.SeedSequence:
    if isinstance(random_state, np.random.SeedSequence):
        # Children of a copy: fitting twice gives the same forest, and leaves the caller's sequence as it was.
        return np.random.SeedSequence(random_state.entropy, spawn_key=random_state.spawn_key)
    if isinstance(random_state, np.random.Generator):
        return np.random.SeedSequence(int(random_state.integers(2**63)))
    if isinstance(random_state, np.random.RandomState):
        return np.random.SeedSequence(int(random_state.randint(2**31)))
    if random_state is not None:
        check_integer("random_state", random_state, least=0)
    return np.random.SeedSequence(random_state)
