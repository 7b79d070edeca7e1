"""Simulated data whose relevant features and correlations are known, and the count of false selections."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from steadyset.foundation.conventions import ALIKE
from steadyset.kernels.arrays import Floats, Ints

MOST = 10**8  # rows or features that can be asked for


class FalseSelections(NamedTuple):
    """How many selected features are irrelevant or redundant, and how many relevant ones have no stand-in.

    Attributes
    ----------
    positives : int
        Selected features that stand for no relevant one.
    negatives : int
        Relevant features that neither themselves nor a stand-in was selected for.

    Examples
    --------
    >>> import steadyset as st
    >>> data = st.datasets.fifteen_features(random_state=0)
    >>> data.false_selections([0, 8])
    FalseSelections(positives=1, negatives=1)
    """

    positives: int
    negatives: int


@dataclass(frozen=True)
class Simulated:
    """Data of two classes of which is known which features made them.

    Attributes
    ----------
    X : array of float of shape (n_samples, n_features)
        The values.
    y : array of int of shape (n_samples,)
        The classes, 0 and 1.
    relevant : tuple of int
        The features that made the classes.
    correlation : Callable
        ``correlation(rows, columns)`` gives a block of the true correlation matrix, which is never held as a whole.
    groups : array of int or None
        The numbers of the groups of the features, where the data have some, as the group lasso takes them.

    Examples
    --------
    >>> import numpy as np
    >>> import steadyset as st
    >>> data = st.datasets.fifteen_features(50, random_state=0)
    >>> data.X.shape, data.relevant
    ((50, 15), (0, 1))
    >>> data.correlation(np.array([1]), np.array([2, 4, 8]))
    array([[1.  , 0.95, 0.  ]])
    """

    X: Floats
    y: Ints
    relevant: tuple[int, ...]
    correlation: Callable[[Ints, Ints], Floats]
    groups: Ints | None = None

    def false_selections(self, selected: Sequence[int] | Any, *, threshold: float = ALIKE) -> FalseSelections:
        """False positives and false negatives of a selected set V against the relevant set C.

        They are the sizes of V and of C minus a, the size of V ∩ C plus min(A(V, C), A(C, V)), where A(V, C) counts
        the features of V without C that have a true absolute correlation of at least `threshold` with a feature of C
        without V: such a feature is accepted in the place of the other.

        Parameters
        ----------
        selected : sequence of int
            The indices of the selected features.
        threshold : float, default=0.9
            Correlation from which a feature is accepted in the place of another.

        Returns
        -------
        FalseSelections
            The numbers of false positives and false negatives.

        References
        ----------
        Bommert (2020), Integration of feature selection stability in model fitting, section 8.3.1.
        """
        chosen = np.unique(np.asarray(selected, dtype=np.int64))
        relevant = np.array(self.relevant, dtype=np.int64)
        common = len(np.intersect1d(chosen, relevant))
        extra, missed = np.setdiff1d(chosen, relevant), np.setdiff1d(relevant, chosen)
        alike = np.abs(self.correlation(extra, missed)) >= threshold
        matched = common + min(int(alike.any(axis=1).sum()), int(alike.any(axis=0).sum()))
        return FalseSelections(len(chosen) - matched, len(relevant) - matched)
