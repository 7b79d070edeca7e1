"""The best features of every resample without sorting all scores."""

import numpy as np

from steadyset.kernels.arrays import Floats, Ints
from steadyset.kernels.jit import kernel


@kernel
def top(scores: Floats, k: int) -> Ints:
    """Numbers of the k largest scores in each row, largest first; of equal scores the smaller number comes first."""
    n_runs, n_features = scores.shape
    best = np.empty((n_runs, k), np.int64)
    for run in range(n_runs):
        row = scores[run]
        found = 0
        for j in range(n_features):
            if found == k and not row[j] > row[best[run, k - 1]]:
                continue
            place = min(found, k - 1)
            while place > 0 and row[j] > row[best[run, place - 1]]:
                best[run, place] = best[run, place - 1]
                place -= 1
            best[run, place] = j
            found = min(found + 1, k)
    return best
