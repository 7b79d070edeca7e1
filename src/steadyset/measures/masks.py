"""Many small collections of sets at once: a set is a whole number whose bit f says whether feature f is selected."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from steadyset.kernels.arrays import Ints


@dataclass(frozen=True, eq=False)
class Collections:
    """Collections of M sets out of d features: masks has one row per collection and one column per run."""

    masks: Ints
    n_features: int

    @property
    def n_runs(self) -> int:
        return int(self.masks.shape[1])

    @cached_property
    def sizes(self) -> Ints:
        return n_members(self.masks)

    @cached_property
    def shared(self) -> Ints:
        """r_ij of the pairs i<j, one row per collection."""
        return pairwise_shared(self.masks)

    @cached_property
    def levels(self) -> Ints:
        """levels[c, h]: how many features exactly h runs of collection c select."""
        n, M = self.masks.shape
        counts = bits(self.masks, self.n_features).sum(axis=1)
        return np.bincount((counts + np.arange(n)[:, None] * (M + 1)).ravel(), minlength=n * (M + 1)).reshape(n, -1)


def n_members(masks: Ints) -> Ints:
    """The sizes of sets."""
    return np.asarray(np.bitwise_count(masks), dtype=np.int64)


def pairwise_shared(masks: Ints) -> Ints:
    """r_ij of the pairs i<j of each collection."""
    i, j = np.triu_indices(masks.shape[1], 1)
    return n_members(masks[:, i] & masks[:, j])


def bits(masks: Ints, d: int) -> Ints:
    """The 0/1 array with one more axis, the features."""
    return masks[..., None] >> np.arange(d) & 1
