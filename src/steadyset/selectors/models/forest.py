"""Random forests whose impurity or out-of-bag permutation importance ranks the features."""

from __future__ import annotations

from dataclasses import KW_ONLY, dataclass
from functools import cached_property
from typing import Self

import numpy as np
from numpy.typing import ArrayLike
from sklearn.base import clone

from steadyset.foundation.arguments import Seed
from steadyset.foundation.errors import UninformativeWarning, warn_caller
from steadyset.foundation.threads import with_one_arithmetic_thread
from steadyset.kernels.arrays import Floats, Ints
from steadyset.kernels.trees.growth import Trees
from steadyset.selectors.known import register_selector
from steadyset.selectors.model import FOREST_OUTCOMES, ModelSelector
from steadyset.selectors.model_input import first_best, nested, tied, too_few, varying
from steadyset.selectors.models.trees import (
    ForestData,
    Growth,
    forest_importances,
    grow_forest,
    mean_of_trees,
    seed_sequence,
)
from steadyset.selectors.validation import check_choice, size_or_default

KINDS = {"impurity": "decrease_share", "permutation": "permutation"}


@dataclass(frozen=True, eq=False)
class _SecondForest:
    """The forest that predicts. Who only selects never asks for it, and growing it takes half of a fit."""

    data: ForestData
    growth: Growth
    seed: np.random.SeedSequence

    @cached_property
    def trees(self) -> Trees:
        return grow_forest(self.data, self.growth, self.seed)


@dataclass(eq=False, repr=False)
class ForestSelector(ModelSelector):
    """The k features that matter most to a random forest, for two classes or more, a number or a time to an event.

    The importance "impurity" is the decrease of the Gini impurity, or of the variance of a number, by the splits on a
    feature, normalised in each tree; "permutation" is how much the share of wrong answers, or the squared error, on a
    tree's out-of-bag rows grows when the feature is shuffled among them. Both are means over the trees. Predictions
    come from a second forest that is grown on the selected features alone (Hamer and Dupont 2021, section 6.2).

    Trees of times to an event are split by the log-rank test into leaves of at least 3 rows. "impurity" is then the sum
    of the statistics of the splits, "permutation" how much Harrell's concordance falls on the out-of-bag rows, and a
    prediction the mortality: the cumulated hazard in the leaves, summed over the times of events.

    Weights count rows: a tree draws as many rows as they sum to, and a weight that is not whole is rounded on the way.
    With the same seed, integer weights give the very forest that copies of the rows give, whatever the order of the
    rows. As with copies, a tree may have drawn one of the places of a row and count another as out of bag.

    Parameters
    ----------
    k : int or None, default=None
        How many features to select; None is 10, or half of the features where that is fewer. Fewer are selected where
        no more of them have an importance above 0, which is that of a constant column; a warning says so.
    task : str or None, default=None
        What y holds, "classes", "number" or "survival"; None decides by y. Where scikit-learn has to know it before the
        fit, as for stratified folds, give it.
    importance : str, default="impurity"
        What counts as important: "impurity", the gain of the splits, or "permutation", the growth of the error.
    n_estimators : int, default=500
        How many trees.
    max_features : str, int, float or None, default="sqrt"
        How many features a node draws: "sqrt" or "log2" of all, a number, a share, None for all. A node draws more if
        all of these are constant in the node.
    max_depth : int or None, default=None
        How deep a tree may be; with None it is grown until its leaves are pure.
    random_state : int, RandomState, Generator or None, default=None
        Seed of the trees.
    fill : bool, default=False
        Whether features that vary may fill the places up to k whatever their importance, as in studies that keep a
        fixed number of features.

    Attributes
    ----------
    support_ : array of bool of shape (n_features,)
        The selected features.
    importances_ : array of float of shape (n_features,)
        The importance of each feature.
    n_tied_ : int
        Selected features as important as one that was not selected.
    n_short_ : int
        How many features fewer than asked for were selected.
    trees_ : Trees
        The nodes of the second forest as arrays; its features are numbered among the selected ones.
    n_features_in_ : int
        How many features X had.
    task_ : str
        What y was taken for.
    classes_ : array
        The classes, where y holds classes.

    References
    ----------
    Breiman 2001; Ishwaran et al. 2008.

    Examples
    --------
    >>> import steadyset as st
    >>> from sklearn.datasets import load_iris
    >>> X, y = load_iris(return_X_y=True, as_frame=True)
    >>> forest = st.selectors.ForestSelector(k=2, n_estimators=50, random_state=0).fit(X, y)
    >>> forest.get_feature_names_out().tolist()
    ['petal length (cm)', 'petal width (cm)']
    >>> from sklearn.datasets import load_diabetes
    >>> X, y = load_diabetes(return_X_y=True, as_frame=True)
    >>> forest = st.selectors.ForestSelector(k=2, n_estimators=50, random_state=0).fit(X, y)
    >>> forest.get_feature_names_out().tolist()
    ['bmi', 's5']
    """

    k: int | None = None
    _: KW_ONLY
    task: str | None = None
    importance: str = "impurity"
    n_estimators: int = 500
    max_features: str | int | float | None = "sqrt"
    max_depth: int | None = None
    random_state: Seed = None
    fill: bool = False

    outcomes = FOREST_OUTCOMES

    @with_one_arithmetic_thread
    def fit(self, X: ArrayLike, y: ArrayLike, sample_weight: ArrayLike | None = None) -> Self:
        """Grow the forest and keep the k most important features; the forest that predicts grows when it is used.

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
        check_choice("importance", self.importance, tuple(KINDS))
        training = self._training(X, y, sample_weight)
        least_leaf = self.outcomes[self.task_].least_leaf
        growth = Growth(self.n_estimators, self.max_features, self.max_depth, least_leaf=least_leaf)
        k = size_or_default(self.k, training.X.shape[1])
        varies = varying(training.X)
        first, second = seed_sequence(self.random_state).spawn(2)
        data = ForestData.of(training)
        self.importances_: Floats = forest_importances(data, growth, first, KINDS[self.importance])
        # No tree splits on a constant column, and permuting it changes nothing: its importance is 0.
        candidates = np.flatnonzero(varies if self.fill else varies & (self.importances_ > 0))
        best = first_best(self.importances_[candidates], k)
        self.support_ = np.zeros(len(varies), dtype=np.bool_)
        self.support_[candidates[best]] = True
        self.n_tied_ = len(tied(self.importances_[candidates], best))
        self.n_short_ = k - len(best)
        if self.n_short_:
            warn_caller(too_few(k, "by the forest"), UninformativeWarning)
        self._forest: _SecondForest = _SecondForest(data.only(self.support_), growth, second)
        return self

    def path_by_size(self, X: Floats, y: ArrayLike, reach: int) -> list[Ints]:
        """The most important features at all sizes.

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
        fitted = clone(self).set_params(k=reach).fit(X, y)
        chosen = np.flatnonzero(fitted.support_)
        return nested(chosen[first_best(fitted.importances_[chosen], len(chosen))])

    @property
    def trees_(self) -> Trees:
        """The nodes of the second forest as arrays."""
        return self._forest.trees

    def _computed(self, X: ArrayLike) -> Floats:
        """Mean over the trees of their leaves' values: class frequencies, or one column with the mean of y."""
        values = self._checked(X)[:, self.support_]
        return mean_of_trees(self.trees_, values, len(self.classes_) if hasattr(self, "classes_") else 1)


register_selector(
    "forest",
    tasks=dict.fromkeys(ForestSelector.outcomes, ForestSelector),
    summary="the features of largest impurity importance in a random forest",
    formula="mean_t [sum_{v splits on f} n_v Δ_v / n] / [sum_v n_v Δ_v / n]; of times n_v Δ_v is log-rank",
)
register_selector(
    "forest_permutation",
    tasks=dict.fromkeys(ForestSelector.outcomes, ForestSelector),
    params={"importance": "permutation"},
    summary="the features of largest out-of-bag permutation importance in a random forest",
    formula="mean_t (error_t(X permuted) - error_t(X))",
)
