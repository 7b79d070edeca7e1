"""Out-of-bag permutation importance of one tree, as forests and the filter of that name average it."""

from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.tree import DecisionTreeClassifier

from steadyset.kernels.arrays import Floats, Ints

Values = NDArray[np.float32]


def error_growth(tree: Any, values: Values, y: Ints | Floats, rng: np.random.Generator) -> Floats:
    """How much the tree's error on the rows grows when a feature is shuffled among them; 0 if the tree uses it nowhere.

    The error is the share of wrong answers (classes are numbered from 0 as in the tree) or the mean squared error.
    """
    growth = np.zeros(values.shape[1])
    intact = _mean_error(tree, values, y)
    for feature in np.unique(tree.tree_.feature[tree.tree_.feature >= 0]):
        column = values[:, feature].copy()
        values[:, feature] = rng.permutation(column)
        growth[feature] = _mean_error(tree, values, y) - intact
        values[:, feature] = column
    return growth


def _mean_error(tree: Any, values: Values, y: Ints | Floats) -> float:
    predicted = tree.tree_.predict(values)
    if isinstance(tree, DecisionTreeClassifier):
        return float(np.mean(predicted.argmax(axis=1) != y))
    return float(np.mean(np.square(predicted[:, 0] - y)))
