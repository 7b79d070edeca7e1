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
    first_best,
    read_training,
    size_or_default,
    varying,
)
from steadyset.selectors.permutation import Values, error_growth
from steadyset.selectors.validation import check_choice, check_integer


class _ForestSelector(ModelSelector):
    """The fit that the classification and the regression forest share.

    Rows are sorted by their content and identical rows become one with the sum of their weights. A weight is a number
    of places in the draw of a tree's bootstrap. So a row of weight 2 and two copies of it are the same thing.
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
        training = _merge_copies(read_training(X, y, sample_weight, target=self._target, selector=self))
        k = size_or_default(self.k, training.X.shape[1])
        varies = varying(training.X)
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
        """Trees, each with the rows of the places that are out of its bag and its own random stream."""
        places = _places(training.weight)
        for child in seed.spawn(int(self.n_trees)):
            rng = np.random.default_rng(child)
            drawn = rng.integers(len(places), size=len(places))
            counts = np.bincount(places[drawn], minlength=len(values))
            tree = self._tree(
                max_features=self.max_features, max_depth=self.max_depth, random_state=int(rng.integers(2**31))
            )
            tree.fit(values, training.y, sample_weight=counts.astype(np.float64), check_input=False)
            yield tree, np.delete(places, drawn), rng

    def _importances(self, values: Values, training: Training, seed: np.random.SeedSequence) -> FloatArray:
        total = np.zeros(values.shape[1])
        n_counted = 0
        for tree, out_of_bag, rng in self._grow(values, training, seed):
            if self.importance == "impurity":
                total += tree.tree_.compute_feature_importances(normalize=True)
            elif len(out_of_bag) > 0:
                total += error_growth(tree, values[out_of_bag], training.y[out_of_bag], rng)
            n_counted += self.importance == "impurity" or len(out_of_bag) > 0
        return total / max(n_counted, 1)

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

    Weights count rows: a tree draws as many rows as they sum to, and a weight that is not whole is rounded on the way.
    With the same seed, integer weights give the very forest that copies of the rows give, whatever the order of the
    rows. As with copies, a tree may have drawn one of the places of a row and count another as out of bag.

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


def _merge_copies(training: Training) -> Training:
    """Rows sorted by their content (a fixed mix of the features, then y), identical rows merged into one."""
    mix = np.random.default_rng(0).random(training.X.shape[1])
    order = np.lexsort((training.y, (training.X * mix).sum(axis=1)))
    X, y = training.X[order], training.y[order]
    new = np.flatnonzero(np.append(True, (X[1:] != X[:-1]).any(axis=1) | (y[1:] != y[:-1])))
    return Training(X[new], y[new], np.add.reduceat(training.weight[order], new), training.classes)


def _places(weight: FloatArray) -> IntArray:
    """The row at each place of the draw: as many places as the weights sum to, a row having as many as its weight."""
    cumulated = np.cumsum(weight)
    n_places = round(cumulated[-1])
    if n_places < 2:
        raise InputError(f"sample_weight sums to {cumulated[-1]:g}; a forest wants weights that count rows.")
    middles = (np.arange(n_places) + 0.5) * (cumulated[-1] / n_places)
    return np.asarray(np.searchsorted(cumulated, middles), dtype=np.int64)


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
