"""How paths begin, in NumPy: the model with the intercept alone, the bounds of all features at it, the first penalty.

`solver` says what the arrays are.
"""

from __future__ import annotations

import math

import numpy as np

from steadyset.kernels.arrays import Floats, Ints, Singles
from steadyset.kernels.paths.families import COX, LOGISTIC, POISSON
from steadyset.kernels.paths.features import (
    CANCELLED,
    FACTOR,
    FAR,
    LEAST_AT_ONCE,
    NUMBERS_AT_ONCE,
    PLAIN,
    SINGLE,
    UNIT,
    padded,
    scale_error,
)
from steadyset.kernels.paths.rare import evaluate
from steadyset.kernels.paths.solver import (
    AS_GIVEN,
    BEFORE_LEVEL,
    BOUND,
    CENTRED,
    COEF,
    CURVATURE,
    CURVATURE_NOW,
    ETA,
    FAMILY,
    LAST,
    NO_FEATURE,
    PHASE,
    RESIDUAL,
    RESIDUALS,
    RMS,
    ROUNDING,
    SCALE_OF,
    SEEN,
    SHARE,
    SHARE_NOW,
    SIZE,
    SOLVED,
    TIGHT,
    VIOLATION,
    WEIGHTS,
    WIDE,
    W,
    Y,
    low,
    rounding_bound,
)


def begin(rows: Ints, V: Floats, N: Ints, P: Floats, A: Floats, L: Floats, single: Singles) -> None:
    """Start from the model with the intercept alone: rows, weights, targets, S and N are given."""
    mean = float(V[W] @ V[Y])
    P[:, 0] = 0.0
    intercepts = {LOGISTIC: lambda: math.log(mean / (1.0 - mean)), POISSON: lambda: math.log(mean), COX: lambda: 0.0}
    P[COEF, 0] = intercepts.get(int(N[FAMILY]), lambda: mean)()
    A[0], V[ETA], V[SHARE_NOW] = 1.0, P[COEF, 0], 0.0
    evaluate(V, N)
    V[CURVATURE], V[SHARE] = V[CURVATURE_NOW], V[SHARE_NOW]
    L[0, 0] = math.sqrt(V[CURVATURE, 0] if N[FAMILY] == COX else V[CURVATURE].sum())
    N[[SIZE, WIDE, SOLVED, PHASE]] = 1, 0, 0, BEFORE_LEVEL
    V[CENTRED] = V[RESIDUAL] - V[W] * V[RESIDUAL].sum()
    V[SEEN] = V[CENTRED]
    single[:] = 0.0
    single[WEIGHTS, rows], single[RESIDUALS, rows] = V[W], V[SEEN]


def moments(Z: Singles, single: Singles, G: Singles, sizes: Singles) -> None:
    """Weighted means (to G[b, 0]) and mean squares (G[b, 1]) of all features, and the sizes of their products with r.

    single[b] holds r and the weights of a resample.
    """
    residuals, weights = np.ascontiguousarray(single[:, RESIDUALS]), np.ascontiguousarray(single[:, WEIGHTS])
    step = max(LEAST_AT_ONCE, NUMBERS_AT_ONCE // Z.shape[1])
    for first in range(0, len(Z), step):
        block = Z[first : first + step]
        here = slice(first, first + len(block))
        G[:, 0, here] = weights @ block.T
        G[:, 1, here] = weights @ (block * block).T
        sizes[:, here] = abs(residuals @ block.T)


def first_bounds(
    Xt: Floats, D: Floats, reach: Singles, rows: Ints, V: Floats, S: Floats, N: Ints, G: Singles, sizes: Singles
) -> None:
    """Scales and bounds of all features, from what `moments` gives: means and mean squares lie where these will.

    A scale is what |z_j r| is multiplied by to be at least |g_j| / l1_j. Where single precision has too few digits of
    it, it is computed again from the data: 0 for what can not enter, infinite for what Z can not hold.
    """
    width = padded(Xt.shape[1])
    error, (mean, square) = np.float32(1.0 + scale_error(width)), G
    S[RMS] = math.sqrt(square.max()) * (1.0 + 2.0 * width * SINGLE)
    S[ROUNDING] = rounding_bound(width, float((V[CENTRED] ** 2 / V[W]).sum()), S[RMS])
    scale = reach * error
    if not N[AS_GIVEN]:  # where it counts features as given the resample does not matter
        variance = square - mean * mean
        usual = variance > np.float32(CANCELLED) * square
        np.divide(scale, np.sqrt(variance, where=usual, out=variance), where=usual, out=scale)
        (unusual,) = np.nonzero(~usual)
        step = max(1, NUMBERS_AT_ONCE // len(rows))
        for some in (unusual[k : k + step] for k in range(0, len(unusual), step)):
            factor, plain, own = D[FACTOR, some], D[PLAIN, some], standardised(Xt, some, rows, V[W])[1]
            with np.errstate(all="ignore"):
                scale[some] = np.where(plain > FAR * own, np.inf, plain / (own * factor) * error)
            never = (factor == 0.0) | (factor == np.inf) | (plain == 0.0) | ((own == 0.0) & (plain < np.inf))
            scale[some[never]] = 0.0
    G[SCALE_OF] = scale
    G[BOUND] = (sizes + np.float32(S[ROUNDING])) * scale
    S[LAST], S[VIOLATION], S[TIGHT] = NO_FEATURE, 0.0, np.inf


def largest_penalty(Xt: Floats, D: Floats, rows: Ints, V: Floats, S: Floats, N: Ints, G: Singles) -> float:
    """The least penalty that leaves out every feature that has one; -1 where no feature varies."""
    (able,) = np.nonzero(G[SCALE_OF] > 0.0)
    if not len(able):
        return -1.0
    bounds = G[BOUND, able]
    likely = able[[np.where(bounds < np.inf, bounds, -1.0).argmax()]]
    largest = _descents(Xt, D, likely, rows, V, N)[0]
    possible = able[bounds >= low(largest)]
    step = max(1, NUMBERS_AT_ONCE // len(rows))
    for some in (possible[k : k + step] for k in range(0, len(possible), step)):
        largest = max(largest, _descents(Xt, D, some, rows, V, N).max())
    S[LAST] = largest
    return float(largest)


def _descents(Xt: Floats, D: Floats, features: Ints, rows: Ints, V: Floats, N: Ints) -> Floats:
    """|g_j| / l1_j of some features at the residual that is seen; 0 for those that are constant."""
    z, scale = standardised(Xt, features, rows, V[W])
    l1 = D[FACTOR, features] / (np.where(scale > 0.0, scale, 1.0) * D[UNIT, features] if N[AS_GIVEN] else 1.0)
    descents: Floats = abs(z @ V[SEEN]) / l1
    return descents


def standardised(Xt: Floats, features: Ints, rows: Ints, w: Floats) -> tuple[Floats, Floats]:
    """Some features on the rows of a resample, and their standard deviations there: those of constant ones are 0."""
    z = Xt[features][:, rows]
    constant = (z == z[:, :1]).all(axis=1)
    for _ in range(2):  # once more, for what rounding has left of the mean
        z -= (z @ w)[:, None]
    scale = np.where(constant, 0.0, np.sqrt((z * z) @ w))
    z *= np.divide(1.0, scale, out=np.zeros_like(scale), where=scale > 0.0)[:, None]
    return z, scale
