"""The best features of every resample, without sorting all scores where few are asked for."""

import numpy as np

from steadyset.kernels.arrays import Floats, Ints
from steadyset.kernels.jit import kernel

# Putting better scores into a list of the k best takes some k² moves; sorting all d is as fast from k² = 40 to 70 d.
MOST_MOVES = 16


def top(scores: Floats, k: int) -> Ints:
    """Numbers of the k largest scores in each row, largest first; of equal scores the smaller number comes first."""
    if k * k > MOST_MOVES * scores.shape[1]:
        return np.stack([np.argsort(-row, kind="stable")[:k] for row in scores])
    return insert_best(scores, k)


@kernel
def insert_best(scores: Floats, k: int) -> Ints:
    """What `top` gives, by a list of the k best that every better score is put into."""
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
