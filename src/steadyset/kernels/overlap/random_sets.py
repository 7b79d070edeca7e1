"""Random collections of sets with given sizes: the sets, or how many features are selected by exactly h runs."""

from __future__ import annotations

import numpy as np

from steadyset.kernels.arrays import Ints
from steadyset.kernels.jit import kernel
from steadyset.kernels.streams import random_subset, stream


@kernel
def random_levels(sizes: Ints, n_features: int, first_draw: int, n_draws: int, seed: int) -> Ints:
    """levels[t, h]: how many features exactly h of the M sets of draw first_draw + t hold; the sets are uniform."""
    M = len(sizes)
    levels = np.zeros((n_draws, M + 1), dtype=np.int64)
    mark = np.full(n_features, -1, dtype=np.int64)
    counts = np.zeros(n_features, dtype=np.int64)
    chosen = np.empty(max(1, sizes.max()), dtype=np.int64)
    touched = np.empty(min(n_features, sizes.sum()), dtype=np.int64)
    for t in range(n_draws):
        state = stream(seed, first_draw + t)
        n_touched = 0
        for i in range(M):
            state = random_subset(state, sizes[i], n_features, mark, t * M + i, chosen)
            for x in chosen[: sizes[i]]:
                if counts[x] == 0:
                    touched[n_touched] = x
                    n_touched += 1
                counts[x] += 1
        levels[t, 0] = n_features - n_touched
        for x in touched[:n_touched]:
            levels[t, counts[x]] += 1
            counts[x] = 0
    return levels


@kernel
def random_sets(sizes: Ints, n_features: int, draw: int, seed: int) -> Ints:
    """The members of M independent uniform sets, one set after the other: the sets of draw `draw` of random_levels."""
    mark = np.full(n_features, -1, dtype=np.int64)
    members = np.empty(sizes.sum(), dtype=np.int64)
    state = stream(seed, draw)
    start = 0
    for i in range(len(sizes)):
        state = random_subset(state, sizes[i], n_features, mark, i, members[start : start + sizes[i]])
        start += sizes[i]
    return members
