"""Measures of how often each feature is selected, over all runs at once.

levels[..., h] is the number of features that exactly h of the M runs selected (h = 0..M); leading axes are collections.
sizes[..., i] has the same leading axes, or none where all collections have the same sizes.
"""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np

from steadyset.foundation.arguments import wrong_argument
from steadyset.kernels.arrays import Floats, Ints
from steadyset.measures.record import INFINITY, Measure, ratio, register

LARGEST_WHOLE = 1 << 53  # up to this a float holds every whole number


def nogueira_score(levels: Ints, sizes: Ints, d: int) -> Floats:
    """One minus the mean variance of the selection, relative to that of random selection: Fleiss' kappa.

    Formula: 1 - [mean_f M/(M-1) p_f (1 - p_f)] / [(k̄/d)(1 - k̄/d)]
    Undefined: all sets are empty or all are full
    Reference: Nogueira, Sechidis and Brown 2018
    """
    M = sizes.shape[-1]
    h = np.arange(M + 1, dtype=np.int64)
    (q,) = _exact(sizes, M * M * d, sizes.sum(axis=-1))
    expected = np.asarray((M - 1) * q * (M * d - q) / (M * d), dtype=np.float64)
    return 1 - ratio(levels @ (h * (M - h)), expected)


def somol_score(levels: Ints, sizes: Ints, d: int) -> Floats:
    """Relative weighted consistency, scaled between the least and the greatest consistency that q selections allow.

    Formula: [d (q - D + sum_f h_f (h_f - 1)) - q² + D²] / [d (H² + M (q - H) - D) - q² + D²], D = q mod d, H = q mod M
    Undefined: at most one selection is made or missing (q <= 1 or q >= dM - 1)
    Reference: Somol and Novovicova 2010
    """
    M = sizes.shape[-1]
    h = np.arange(M + 1, dtype=np.int64)
    q, consistency = _exact(sizes, 3 * M * d, sizes.sum(axis=-1), levels @ (h * (h - 1)))
    D, H = q % d, q % M
    least, most = q - D, H * H + M * (q - H) - D
    return ratio(d * (least + consistency) - q * q + D * D, d * most - q * q + D * D)


def novovicova_score(levels: Ints, sizes: Ints, d: int) -> Floats:
    """Consistency by entropy: how concentrated the selections are on few features.

    Formula: sum_f h_f log2 h_f / (q log2 M)
    Undefined: nothing is selected
    Reference: Novovicova, Somol and Pudil 2009
    """
    M = sizes.shape[-1]
    h = np.arange(1, M + 1, dtype=np.float64)
    chosen, terms = levels[..., 1:], h * np.log2(h)
    # How a product of matrices rounds a row depends on the other rows: of other sizes, they must not matter.
    summed = chosen @ terms if sizes.ndim == 1 else (chosen * terms).sum(axis=-1)
    return ratio(summed, sizes.sum(axis=-1) * np.log2(M))


def davis_score(levels: Ints, sizes: Ints, d: int, *, alpha: float = 0.0) -> Floats:
    """Mean frequency of the features ever selected, less a penalty on the typical size.

    Formula: max(0, sum_f p_f / |union| - alpha median(k_i) / d)
    Undefined: nothing is selected
    Reference: Davis et al. 2006
    """
    if not alpha >= 0:
        raise wrong_argument("alpha", "a number of at least 0", alpha)
    union = levels[..., 1:].sum(axis=-1)
    penalty = alpha * np.median(sizes, axis=-1) / d if alpha else 0.0
    return np.asarray(np.maximum(0.0, ratio(sizes.sum(axis=-1), sizes.shape[-1] * union) - penalty))


def davis_maximum(n_runs: int, n_features: int, *, alpha: float = 0.0) -> float:
    """One feature in every run, or in fewer than half of them (then the median size, and the penalty, is 0)."""
    return max(1 - alpha / n_features, (n_runs - 1) // 2 / n_runs)


def goh_score(levels: Ints, sizes: Ints, d: int) -> Floats:
    """Mean frequency over all features: the mean share of the features that a run selects.

    Formula: mean_f p_f
    Undefined: never
    Reference: Goh and Wong 2016
    """
    return np.full(levels.shape[:-1], sizes.sum(axis=-1) / (sizes.shape[-1] * d))


def guzman_score(levels: Ints, sizes: Ints, d: int) -> Floats:
    """Entropy of the frequencies relative to that of random selection, for sets of one size k.

    Formula: 1 - [mean_f p_f ln p_f] / [(k/d) ln(k/d)]
    Undefined: the sizes differ, or k is 0 or d
    Reference: Guzman-Martinez and Alaiz-Rodriguez 2011
    """
    k, M = _one_size(sizes), sizes.shape[-1]
    p = np.arange(1, M + 1) / M
    at_random = np.where(k > 0, k * np.log(np.maximum(k, 1) / d), 0.0)
    return 1 - ratio(-(levels[..., 1:] @ (p * np.log(p))), -at_random)


def lausser_score(levels: Ints, sizes: Ints, d: int) -> Floats:
    """Mean of the squared frequencies, for sets of one size k.

    Formula: (1/k) sum_f p_f²
    Undefined: the sizes differ, or k is 0
    Reference: Lausser et al. 2013
    """
    M = sizes.shape[-1]
    h = np.arange(M + 1, dtype=np.int64)
    return ratio(levels @ (h * h), _one_size(sizes) * M**2)


def krizek_score(multiplicities: Ints, sizes: Ints, d: int) -> Floats:
    """Entropy in bits of the distribution of the distinct sets, for sets of one size. Lower is steadier.

    Formula: - sum over the distinct sets of P log2 P
    Undefined: the sizes differ
    Reference: Krizek, Kittler and Hlavac 2007
    """
    if _one_size(sizes) < 0:
        return np.asarray(np.nan)
    share = multiplicities / multiplicities.sum()
    return np.asarray(np.sum(share * np.log2(1 / share)))


def _exact(sizes: Ints, most: int, *numbers: Any) -> tuple[Any, ...]:
    """Whole numbers whose products stay below `most` times the selections made; of any length where floats do not."""
    if most * int(sizes.sum(axis=-1).max()) < LARGEST_WHOLE:
        return numbers
    return tuple(np.asarray(number).astype(object) for number in numbers)


def _one_size(sizes: Ints) -> Ints:
    """The size that all runs of a collection have; -1 where they have none in common."""
    first = sizes[..., 0]
    return np.where((sizes == first[..., None]).all(axis=-1), first, -1)


_batched = partial(Measure, batched=True)  # the scores take sizes with leading axes

for _measure in (
    _batched(
        name="nogueira",
        family="frequency",
        aliases=("SMN",),
        score=nogueira_score,
        bounds=(-1, 1),
        corrected=True,
        equal_sizes_only=True,
        linear=True,
        floor=0.0,
    ),
    _batched(name="somol", family="frequency", aliases=("SMS", "CWrel"), score=somol_score, bounds=(0, 1), linear=True),
    _batched(
        name="novovicova", family="frequency", aliases=("SME",), score=novovicova_score, bounds=(0, 1), linear=True
    ),
    _batched(
        name="davis",
        family="frequency",
        aliases=("SMD-alpha", "SMD-0"),
        score=davis_score,
        bounds=(0, 1),
        params={"alpha": 0.0},
        maximum=davis_maximum,
    ),
    _batched(name="goh", family="frequency", score=goh_score, bounds=(0, 1), linear=True),
    Measure(
        name="krizek",
        family="patterns",
        score=krizek_score,
        bounds=(0, INFINITY),
        constant_size=True,
        higher_is_steadier=False,
    ),
    _batched(name="guzman", family="frequency", score=guzman_score, bounds=(0, 1), constant_size=True, linear=True),
    _batched(name="lausser", family="frequency", score=lausser_score, bounds=(0, 1), constant_size=True, linear=True),
):
    register(_measure)
