"""Simulated data whose relevant features and correlations are known, and the count of false selections."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from steadyset.conventions import ALIKE
from steadyset.kernels.arrays import Floats, Ints

MOST = 10**8  # rows or features that can be asked for


class FalseSelections(NamedTuple):
    """How many selected features are irrelevant or redundant, and how many relevant ones have no stand-in."""

    positives: int
    negatives: int


@dataclass(frozen=True)
class Simulated:
    """Rows x features, two classes (0 and 1), the features that made them, and the true correlations.

    `correlation(rows, columns)` gives a block of the true correlation matrix, which is never held as a whole. `groups`
    numbers the groups of the features where the data have some, as the group lasso takes them.
    """

    X: Floats
    y: Ints
    relevant: tuple[int, ...]
    correlation: Callable[[Ints, Ints], Floats]
    groups: Ints | None = None

    def false_selections(self, selected: Sequence[int] | Any, *, threshold: float = ALIKE) -> FalseSelections:
        """False positives |V| - a and false negatives |C| - a of the selected set V against the relevant set C.

        a = |V ∩ C| + min(A(V, C), A(C, V)), where A(V, C) counts the features of V \\ C that have a true absolute
        correlation of at least `threshold` with a feature of C \\ V: such a feature is accepted in the place of the
        other (Bommert 2020, section 8.3.1).
        """
        chosen = np.unique(np.asarray(selected, dtype=np.int64))
        relevant = np.array(self.relevant, dtype=np.int64)
        common = len(np.intersect1d(chosen, relevant))
        extra, missed = np.setdiff1d(chosen, relevant), np.setdiff1d(relevant, chosen)
        alike = np.abs(self.correlation(extra, missed)) >= threshold
        matched = common + min(int(alike.any(axis=1).sum()), int(alike.any(axis=0).sum()))
        return FalseSelections(len(chosen) - matched, len(relevant) - matched)
