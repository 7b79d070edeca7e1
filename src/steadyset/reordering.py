"""The same Selections over the same features in another order."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from steadyset.labels import AppearanceOrder, feature_names, places_of
from steadyset.selections import Selections


def reordered(selections: Selections, features: Sequence[str], what: str = "Selections") -> Selections:
    """The same runs with their features in the order of `features`, which are the same names.

    Where names are those that the runs happened to use, the features that no run selected take the names that are left.
    """
    own: tuple[str, ...] = selections.features
    if isinstance(own, AppearanceOrder):
        left = iter([name for name in features if name not in set(own)])
        unused = {name for name, count in zip(own, selections.counts, strict=True) if not count} - set(features)
        own = tuple(next(left, name) if name in unused else name for name in own)
    order = places_of(own, features, what)
    names, d = feature_names(features, selections.n_features, what=what)
    names = features if isinstance(features, AppearanceOrder) else names
    place = np.arange(d)
    if order is not None:
        place[order] = np.arange(d)
    rankings = selections.rankings
    return Selections._from_rows(
        selections.indptr,
        place[selections.indices],
        selections.weights,
        d,
        names,
        selections.labels,
        rankings=rankings if rankings is None or order is None else rankings[:, order],
    )
