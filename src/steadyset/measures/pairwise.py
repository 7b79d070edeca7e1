"""Measures that are the mean over pairs of a function of (r, k_i, k_j, d): how much two selected sets overlap.

Numerators and denominators are whole numbers as long as possible (everything times d), so that "undefined" is decided
exactly and measures that agree in theory agree to the last bit.
"""

from __future__ import annotations

import numpy as np

from steadyset.kernels.arrays import Floats, Ints
from steadyset.measures.record import INFINITY, Measure, ratio, register


def jaccard_score(r: Ints, ki: Ints, kj: Ints, d: int) -> Floats:
    """Share of the union that both sets hold.

    Formula: r / (ki + kj - r)
    Undefined: both sets are empty
    Reference: Jaccard 1901; Kalousis et al. 2005
    """
    return ratio(r, ki + kj - r)


def dice_score(r: Ints, ki: Ints, kj: Ints, d: int) -> Floats:
    """Shared features relative to the mean size.

    Formula: 2 r / (ki + kj)
    Undefined: both sets are empty
    Reference: Dice 1945; Yu et al. 2008
    """
    return ratio(2 * r, ki + kj)


def ochiai_score(r: Ints, ki: Ints, kj: Ints, d: int) -> Floats:
    """Shared features relative to the geometric mean of the sizes (the cosine).

    Formula: r / sqrt(ki kj)
    Undefined: a set is empty
    Reference: Ochiai 1957; Zucknick et al. 2008
    """
    return ratio(r, np.sqrt(ki * kj))


def hamming_score(r: Ints, ki: Ints, kj: Ints, d: int) -> Floats:
    """Share of all features on which the two runs agree.

    Formula: 1 - (ki + kj - 2 r) / d
    Undefined: never
    Reference: Hamming 1950; Dunne et al. 2002
    """
    return 1 - (ki + kj - 2 * r) / d


def pog_score(r: Ints, ki: Ints, kj: Ints, d: int) -> Floats:
    """Percentage of overlapping genes: the share of one set that the other holds; averaged over ordered pairs.

    Formula: r / ki
    Undefined: the first set is empty
    Reference: Shi et al. 2005
    """
    return ratio(r, ki)


def kuncheva_score(r: Ints, ki: Ints, kj: Ints, d: int) -> Floats:
    """Kuncheva's consistency index, for sets of one size k.

    Formula: (r - k²/d) / (k - k²/d)
    Undefined: the sizes differ, or k is 0 or d
    Reference: Kuncheva 2007
    """
    return ratio(d * r - ki * kj, np.where(ki == kj, d * ki - ki * kj, 0))


def lustgarten_score(r: Ints, ki: Ints, kj: Ints, d: int) -> Floats:
    """Excess over chance relative to the range of r.

    Formula: (r - e) / (min(ki, kj) - max(0, ki + kj - d)), e = ki kj / d
    Undefined: a set is empty or full
    Reference: Lustgarten et al. 2009
    """
    return ratio(d * r - ki * kj, d * (np.minimum(ki, kj) - np.maximum(0, ki + kj - d)))


def corrected_lustgarten_score(r: Ints, ki: Ints, kj: Ints, d: int) -> Floats:
    """Lustgarten's measure with identical sets moved to 1 and disjoint sets to -1.

    Formula: lustgarten; 1 when r = ki = kj; -1 when r = 0
    Undefined: a set is empty or full
    Reference: Sen, Mandal and Chakraborty 2021
    """
    score = lustgarten_score(r, ki, kj, d)
    score = np.where((r == 0) & ~np.isnan(score), -1.0, score)
    return np.where((r == ki) & (r == kj) & ~np.isnan(score), 1.0, score)


def wald_score(r: Ints, ki: Ints, kj: Ints, d: int) -> Floats:
    """Excess over chance relative to the largest possible excess.

    Formula: (r - e) / (min(ki, kj) - e), e = ki kj / d
    Undefined: a set is empty or full
    Reference: Wald, Khoshgoftaar and Napolitano 2013
    """
    return ratio(d * r - ki * kj, d * np.minimum(ki, kj) - ki * kj)


def npog_score(r: Ints, ki: Ints, kj: Ints, d: int) -> Floats:
    """POG corrected for chance; averaged over ordered pairs.

    Formula: (r - e) / (ki - e), e = ki kj / d
    Undefined: the first set is empty or the second is full
    Reference: Zhang et al. 2009
    """
    return ratio(d * r - ki * kj, d * ki - ki * kj)


def nogueira_brown_score(r: Ints, ki: Ints, kj: Ints, d: int) -> Floats:
    """Excess over chance relative to the largest possible distance from chance.

    Formula: (r - e) / max(e - max(0, ki + kj - d), min(ki, kj) - e), e = ki kj / d
    Undefined: a set is empty or full
    Reference: Nogueira and Brown 2015
    """
    least, most = d * np.maximum(0, ki + kj - d), d * np.minimum(ki, kj)
    return ratio(d * r - ki * kj, np.maximum(ki * kj - least, most - ki * kj))


def unadjusted_score(r: Ints, ki: Ints, kj: Ints, d: int) -> Floats:
    """Ochiai's score corrected for chance: the intersection measures when no two features are similar.

    Formula: (r - e) / (sqrt(ki kj) - e), e = ki kj / d
    Undefined: a set is empty, or both are full
    Reference: Bommert 2020
    """
    return ratio(d * r - ki * kj, np.where(ki * kj < d * d, d * np.sqrt(ki * kj) - ki * kj, 0))


def kappa_score(r: Ints, ki: Ints, kj: Ints, d: int) -> Floats:
    """Cohen's kappa of the two runs: Dice's score corrected for chance.

    Formula: (r - e) / ((ki + kj)/2 - e), e = ki kj / d
    Undefined: both sets are empty or both are full
    Reference: Carletta 1996
    """
    return ratio(2 * (d * r - ki * kj), d * (ki + kj) - 2 * ki * kj)


def phi_score(r: Ints, ki: Ints, kj: Ints, d: int) -> Floats:
    """Pearson correlation of the two 0/1 rows.

    Formula: (r - e) / sqrt(ki (1 - ki/d) kj (1 - kj/d)), e = ki kj / d
    Undefined: a set is empty or full
    Reference: Nogueira and Brown 2016
    """
    spread_i, spread_j = ki * (d - ki), kj * (d - kj)
    return ratio(d * r - ki * kj, np.sqrt(spread_i.astype(np.float64) * spread_j))


for _measure in (
    Measure(name="jaccard", family="pairwise", aliases=("SMJ",), score=jaccard_score, bounds=(0, 1)),
    Measure(name="dice", family="pairwise", aliases=("SMD",), score=dice_score, bounds=(0, 1)),
    Measure(name="ochiai", family="pairwise", aliases=("SMO",), score=ochiai_score, bounds=(0, 1)),
    Measure(name="hamming", family="pairwise", aliases=("SMH",), score=hamming_score, bounds=(0, 1)),
    Measure(name="pog", family="pairwise", score=pog_score, bounds=(0, 1), symmetric=False),
    Measure(
        name="kuncheva",
        family="pairwise",
        score=kuncheva_score,
        bounds=(-1, 1),
        corrected=True,
        constant_size=True,
        floor=0.0,
    ),
    Measure(
        name="lustgarten", family="pairwise", aliases=("SML",), score=lustgarten_score, bounds=(-1, 1), corrected=True
    ),
    Measure(name="corrected_lustgarten", family="pairwise", score=corrected_lustgarten_score, bounds=(-1, 1)),
    Measure(name="wald", family="pairwise", aliases=("SMW",), score=wald_score, bounds=(-INFINITY, 1), corrected=True),
    Measure(name="npog", family="pairwise", score=npog_score, bounds=(-INFINITY, 1), corrected=True, symmetric=False),
    Measure(name="nogueira_brown", family="pairwise", score=nogueira_brown_score, bounds=(-1, 1), corrected=True),
    Measure(
        name="unadjusted", family="pairwise", aliases=("SMU",), score=unadjusted_score, bounds=(-1, 1), corrected=True
    ),
    Measure(name="kappa", family="pairwise", aliases=("SMK",), score=kappa_score, bounds=(-1, 1), corrected=True),
    Measure(name="phi", family="pairwise", aliases=("SMP",), score=phi_score, bounds=(-1, 1), corrected=True),
):
    register(_measure)
