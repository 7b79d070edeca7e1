"""Measures of all runs at once that weigh what two features have in common by how similar they are."""

from __future__ import annotations

from fractions import Fraction

import numpy as np

from steadyset.kernels.arrays import Ints
from steadyset.measures.record import INFINITY, Measure, register

NO_SPREAD = 1e-12  # what random selection gives is 0, up to the rounding of the similarities


def sechidis_score(scatter: float, own: float, others: float, sizes: Ints, d: int) -> float:
    """Effective stability: one minus the similarity-weighted covariance of the selection, relative to random selection.

    S is the covariance of the columns of the 0/1 matrix and T what random selection of these sizes gives; both traces
    are kept times M² d² (d - 1), where everything but the similarities is whole numbers. When no two
    features are similar this is nogueira. Random sets have expectation 0 if they are of one size, less if sizes differ.
    No bounds hold: a thresholded C need not be positive semidefinite. The parameter thresholded=False keeps the
    similarities below the threshold.

    Formula: 1 - tr(C S) / tr(C T), T_ff = (k̄/d)(1 - k̄/d), T_fg = (mean k_i² - k̄)/(d² - d) - k̄²/d²
    Undefined: random selection has no effective variance (tr(C T) is 0: all sets empty or all full), or d = 1
    Reference: Sechidis et al. 2020
    """
    M, q = len(sizes), int(sizes.sum())
    squares = int(sizes @ sizes)
    if d == 1:
        return np.nan
    variance = Fraction(own) * (d - 1) * q * (M * d - q)
    covariance = Fraction(others) * (M * d * (squares - q) - (d - 1) * q * q)
    spread = variance + covariance
    if spread <= NO_SPREAD * (abs(variance) + abs(covariance)):
        return np.nan
    return float(1 - Fraction(scatter) * d * d * (d - 1) * M / (M - 1) / spread)


register(
    Measure(
        name="sechidis",
        family="effective",
        aliases=("SMES", "phi_S"),
        score=sechidis_score,
        bounds=(-INFINITY, INFINITY),
        equal_sizes_only=True,
        adjusted=True,
        linear=True,
        needs=("similarity",),
        params={"thresholded": True},
    )
)
