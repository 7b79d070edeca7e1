"""The runs of several procedures over the same features, one after the other."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from steadyset.errors import InputError
from steadyset.io.entries import row_pointers
from steadyset.io.labels import check_same_order
from steadyset.kernels.arrays import Ints
from steadyset.selections import Selections


def pooled(procedures: Mapping[str, Selections]) -> Selections:
    """All runs as those of one procedure; weights of different procedures have no common scale and are left out."""
    every = list(procedures.values())
    sizes = np.concatenate([sel.sizes for sel in every])
    indices = np.concatenate([sel.indices for sel in every])
    start = row_pointers(sizes)
    sets = [indices[start[i] : start[i + 1]] for i in range(len(sizes))]
    return Selections.from_sets(sets, every[0].features)


def common_features(procedures: Mapping[str, Selections]) -> dict[str, Selections]:
    """The procedures, once it is clear that they choose from the same features in the same order."""
    if not procedures:
        raise InputError("There are no selections; at least one procedure is needed.")
    (first, start), *others = procedures.items()
    for name, sel in others:
        if sel.n_features != start.n_features:
            raise InputError(
                f"There are {start.n_features} features in {first} and {sel.n_features} in {name}; expected the same."
            )
        check_same_order(start._names, sel._names, first, name)
    return dict(procedures)


def total_counts(procedures: Mapping[str, Selections]) -> Ints:
    """How many of all runs selected each feature."""
    counts: Ints = np.sum([sel.counts for sel in procedures.values()], axis=0)
    return counts
