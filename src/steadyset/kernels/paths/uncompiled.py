"""What a path needs once or seldom, in NumPy: it takes longer to compile than it would ever save.

First how paths begin: the model with the intercept alone, the bounds of all features at it, the first penalty. Then
what a walk waits for and cannot do itself: each function does it and lets the walk go on. `solver` says for what, and
what the arrays are.
"""

from __future__ import annotations

import math

import numpy as np
from scipy.linalg import cho_factor, cho_solve, qr, solve_triangular

from steadyset.kernels.arrays import Floats, Ints, Singles
from steadyset.kernels.linear.models import mean_loss, residual_and_curvature
from steadyset.kernels.paths import families, features
from steadyset.kernels.paths.solver import (
    AS_GIVEN,
    BEFORE,
    BEFORE_LEVEL,
    BOUND,
    CAME,
    CENTRED,
    COEF,
    CURVATURE,
    CURVATURE_NOW,
    DAMPING,
    ETA,
    ETA_BEFORE,
    FAMILY,
    FEATURE_BEFORE,
    FORMER,
    L1,
    L2,
    LAST,
    N_BREAKING,
    NEXT,
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
    SIGN,
    SIZE,
    SIZE_BEFORE,
    SLOT,
    SOLVED,
    STALE,
    STEP,
    TIGHT,
    UNDOABLE,
    VIOLATION,
    WEIGHTS,
    WIDE,
    W,
    Y,
    low,
    rounding_bound,
)

# A feature of which no larger part than this is left after its regression on the active ones has no digits of its own.
EXACTLY_DEPENDENT = 1e-24
# What a row of a factor keeps of its length at least: the factor then only foretells the step.
LEAST_LENGTH = 1e-10


def begin(rows: Ints, V: Floats, N: Ints, P: Floats, A: Floats, L: Floats, single: Singles) -> None:
    """Start from the model with the intercept alone: rows, weights, targets, S and N are given."""
    mean = float(V[W] @ V[Y])
    P[:, 0] = 0.0
    intercepts = {
        families.LOGISTIC: lambda: math.log(mean / (1.0 - mean)),
        families.POISSON: lambda: math.log(mean),
        families.COX: lambda: 0.0,
    }
    # With the intercept alone the fitted mean is that of the target, so it is the link of that mean. Cox has none.
    P[COEF, 0] = intercepts.get(int(N[FAMILY]), lambda: mean)()
    A[0], V[ETA], V[SHARE_NOW] = 1.0, P[COEF, 0], 0.0
    evaluate(V, N)
    V[CURVATURE], V[SHARE] = V[CURVATURE_NOW], V[SHARE_NOW]
    L[0, 0] = math.sqrt(V[CURVATURE, 0] if N[FAMILY] == families.COX else V[CURVATURE].sum())
    N[[SIZE, WIDE, SOLVED, PHASE]] = 1, 0, 0, BEFORE_LEVEL
    V[CENTRED] = V[RESIDUAL] - V[W] * V[RESIDUAL].sum()
    V[SEEN] = V[CENTRED]
    single[:] = 0.0
    single[WEIGHTS, rows], single[RESIDUALS, rows] = V[W], V[SEEN]


def moments(Z: Singles, single: Singles, G: Singles, sizes: Singles) -> None:
    """Weighted means (to G[b, 0]) and mean squares (G[b, 1]) of all features, and the sizes of their products with r.

    single[b] holds r and the weights of a resample.
    """
    # All resamples at once: a product of matrices reads each block of Z once for all of them.
    residuals, weights = np.ascontiguousarray(single[:, RESIDUALS]), np.ascontiguousarray(single[:, WEIGHTS])
    step = max(features.LEAST_AT_ONCE, features.NUMBERS_AT_ONCE // Z.shape[1])
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
    width = features.padded(Xt.shape[1])
    error, (mean, square) = np.float32(1.0 + features.scale_error(width)), G
    S[RMS] = math.sqrt(square.max()) * (1.0 + 2.0 * width * features.SINGLE)
    S[ROUNDING] = rounding_bound(width, float((V[CENTRED] ** 2 / V[W]).sum()), S[RMS])
    scale = reach * error
    if not N[AS_GIVEN]:  # where it counts features as given the resample does not matter
        # A difference of means of squares, which is exact enough only where the mean is not large beside the spread.
        variance = square - mean * mean
        usual = variance > np.float32(features.CANCELLED) * square
        np.divide(scale, np.sqrt(variance, where=usual, out=variance), where=usual, out=scale)
        (unusual,) = np.nonzero(~usual)
        step = max(1, features.NUMBERS_AT_ONCE // len(rows))
        for some in (unusual[k : k + step] for k in range(0, len(unusual), step)):
            factor, plain, own = (
                D[features.FACTOR, some],
                D[features.PLAIN, some],
                standardised(Xt, some, rows, V[W])[1],
            )
            with np.errstate(all="ignore"):
                scale[some] = np.where(plain > features.FAR * own, np.inf, plain / (own * factor) * error)
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
    # The exact descent of the likely one first: it rules out most of the others by their bounds alone.
    likely = able[[np.where(bounds < np.inf, bounds, -1.0).argmax()]]
    largest = _descents(Xt, D, likely, rows, V, N)[0]
    possible = able[bounds >= low(largest)]
    step = max(1, features.NUMBERS_AT_ONCE // len(rows))
    for some in (possible[k : k + step] for k in range(0, len(possible), step)):
        largest = max(largest, _descents(Xt, D, some, rows, V, N).max())
    S[LAST] = largest
    return float(largest)


def _descents(Xt: Floats, D: Floats, some: Ints, rows: Ints, V: Floats, N: Ints) -> Floats:
    """|g_j| / l1_j of some features at the residual that is seen; 0 for those that are constant."""
    z, scale = standardised(Xt, some, rows, V[W])
    l1 = D[features.FACTOR, some] / (np.where(scale > 0.0, scale, 1.0) * D[features.UNIT, some] if N[AS_GIVEN] else 1.0)
    descents: Floats = abs(z @ V[SEEN]) / l1
    return descents


def standardised(Xt: Floats, some: Ints, rows: Ints, w: Floats) -> tuple[Floats, Floats]:
    """Some features on the rows of a resample, and their standard deviations there: those of constant ones are 0."""
    z = Xt[some][:, rows]
    constant = (z == z[:, :1]).all(axis=1)
    for _ in range(2):  # once more, for what rounding has left of the mean
        z -= (z @ w)[:, None]
    scale = np.where(constant, 0.0, np.sqrt((z * z) @ w))
    z *= np.divide(1.0, scale, out=np.zeros_like(scale), where=scale > 0.0)[:, None]
    return z, scale


def undo_if_risen(V: Floats, S: Floats, N: Ints, P: Floats, M: Ints, penalty: float) -> None:
    """Where the step has raised the objective, go back to before it and dare half, with the curvature there.

    The slots of features that left meanwhile still hold them.
    """
    N[UNDOABLE] = 0
    size, size_before = N[SIZE], N[SIZE_BEFORE]
    before = _objective(V, N, V[ETA_BEFORE], P[BEFORE:, :size_before], penalty)
    now = _objective(V, N, V[ETA], P[:, :size], penalty)
    # Both are sums over all rows, so a difference of some units in the last place is no rise.
    if now <= before + 1e-13 * abs(before):
        return
    V[ETA] = V[ETA_BEFORE]
    P[:BEFORE, :size_before] = P[BEFORE : 2 * BEFORE, :size_before]
    M[:FEATURE_BEFORE, :size_before] = M[FEATURE_BEFORE:, :size_before]
    N[SIZE] = size_before
    evaluate(V, N)
    V[CURVATURE], V[SHARE] = V[CURVATURE_NOW], V[SHARE_NOW]
    S[DAMPING], S[FORMER], N[STALE] = 0.5 * S[DAMPING], -1.0, 1


def _objective(V: Floats, N: Ints, eta: Floats, P: Floats, penalty: float) -> float:
    size = P[L1] @ abs(P[COEF]) + 0.5 * P[L2] @ P[COEF] ** 2
    if N[FAMILY] == families.POISSON:
        loss = families.mean_poisson_loss(V[Y], V[W], eta)
    elif N[FAMILY] == families.COX:
        loss = families.mean_cox_loss(V[Y], V[W], eta)
    else:
        loss = mean_loss(V[Y], V[W], eta, N[FAMILY] == families.LOGISTIC)
    return loss + penalty * float(size)


def evaluate(V: Floats, N: Ints) -> None:
    """Residual, curvature and shares at the linear predictor."""
    if N[FAMILY] == families.POISSON:
        families.poisson(V[Y], V[W], V[ETA], V[RESIDUAL], V[CURVATURE_NOW])
    elif N[FAMILY] == families.COX:
        families.cox(V[Y], V[W], V[ETA], V[RESIDUAL], V[CURVATURE_NOW], V[SHARE_NOW])
    else:
        logistic = N[FAMILY] == families.LOGISTIC
        residual_and_curvature(V[Y], V[W], V[ETA], logistic, V[RESIDUAL], V[CURVATURE_NOW])


def _curved(N: Ints, Z: Floats, share: Floats) -> Floats:
    """The rows of which the curvature makes products: of Cox less their running means."""
    if N[FAMILY] != families.COX:
        return Z
    rows = np.empty_like(Z)
    for z, row in zip(Z, rows, strict=True):
        families.less_running_means(z, share, row)
    return rows


def factor_of_rows(V: Floats, N: Ints, M: Ints, A: Floats, L: Floats) -> None:
    """The factor from the rows themselves: products square the condition number, this has twice as many digits."""
    m = int(N[SIZE])
    weighted = _curved(N, A[M[SLOT, :m]], V[SHARE]) * np.sqrt(V[CURVATURE])
    (R,) = qr(weighted.T, mode="r")
    R = R[:m]  # of as many rows as there are, or as many as places
    # R of a QR decomposition is unique up to the signs of its rows; a Cholesky factor has a positive diagonal.
    signs = np.where(np.diag(R) < 0.0, -1.0, 1.0)
    L[:m, : len(R)] = (R * signs[:, None]).T
    diagonal = np.zeros(m)
    diagonal[: len(R)] = np.diag(R) * signs
    # A dependent row would have a length of zero, and the steps would divide by it.
    least = LEAST_LENGTH * np.sqrt(np.einsum("ai,ai->a", weighted, weighted)) + 1e-150
    L[:m, len(R) : m] = 0.0
    L[np.arange(m), np.arange(m)] = np.maximum(diagonal, least)


def step_of_many(V: Floats, N: Ints, P: Floats, M: Ints, A: Floats, penalty: float) -> None:
    """Overwrite q = P[STEP] by H^-1 q with many more places than rows, where the matrix over the rows is smaller.

    The first places F have no ridge, the others P do. With C = D^-1 + Z_P diag(1 / ridge) Z_P',

        (Z_F' C^-1 Z_F) d_F = q_F - Z_F' C^-1 c,  c = Z_P diag(1 / ridge) q_P,
        d_P = diag(1 / ridge) (q_P - Z_P' t),     t = C^-1 (Z_F d_F + c).
    """
    m = int(N[SIZE])
    rows = V[CURVATURE_NOW] > 0.0
    q, ridge, Z = P[STEP, :m], penalty * P[L2, :m], _curved(N, A[M[SLOT, :m]], V[SHARE_NOW])[:, rows]
    free = int(np.argmax(ridge > 0.0))
    Z_free, Z_ridge = Z[:free], Z[free:]
    shrunk = Z_ridge / ridge[free:, None]
    over_rows = cho_factor(np.diag(1.0 / V[CURVATURE_NOW, rows]) + Z_ridge.T @ shrunk)
    c = q[free:] @ shrunk
    solved = cho_solve(over_rows, Z_free.T)
    q[:free] = np.linalg.solve(Z_free @ solved, q[:free] - solved.T @ c)
    t = cho_solve(over_rows, q[:free] @ Z_free + c)
    q[free:] = q[free:] / ridge[free:] - shrunk @ t


def enter_dependent(V: Floats, N: Ints, P: Floats, M: Ints, A: Floats, L: Floats, penalty: float) -> None:
    """The feature behind the last place, nearly a combination of the others, enters, takes a place, or stays out.

    With the shares s of the others in it and v = z - Z_A s, its coefficient may grow by t in the direction of its sign
    while theirs change by -t s: the fit moves by t v only. Slope and curvature on this way are taken from v, because
    the factor has no digits of them.
    """
    m = int(N[SIZE])
    sign, z, Z, own_factor = P[SIGN, m], A[M[SLOT, m]], A[M[SLOT, :m]], L[:m, :m]
    others, u = _curved(N, Z, V[SHARE]), _curved(N, z[None], V[SHARE])[0]
    own = float(u * V[CURVATURE] @ u)
    v, row, share = z, np.zeros(m), np.zeros(m)
    for _ in range(2):  # once more, for what rounding has left of the others in v
        more = solve_triangular(own_factor, others @ (u * V[CURVATURE]), lower=True, check_finite=False)
        row += more
        part = solve_triangular(own_factor, more, lower=True, trans="T", check_finite=False)
        share += part
        v, u = v - part @ Z, u - part @ others
    left = float(u * V[CURVATURE] @ u)
    ridges, slopes = penalty * P[L2, :m], penalty * (P[L1, :m] * P[SIGN, :m] + P[L2, :m] * P[COEF, :m])
    slope = sign * float(v @ V[RESIDUAL] + share @ slopes) - penalty * P[L1, m]
    curvature = left + penalty * P[L2, m] + float(ridges @ share**2)
    length, place = np.inf, -1
    against = np.flatnonzero(sign * share * P[SIGN, :m] > 0.0)  # those that go to zero on this way
    if sign != 0.0 and len(against):
        lengths = abs(P[COEF, against] / share[against])
        length, place = float(lengths.min()), int(against[lengths.argmin()])
    if sign != 0.0 and slope <= 0.0:
        return
    if place < 0 or slope < length * curvature:  # the minimum lies before the first zero, if the factor can hold it
        if left > EXACTLY_DEPENDENT * own:
            L[m, :m], L[m, m] = row, math.sqrt(left + penalty * P[L2, m])
            N[SIZE], N[CAME] = m + 1, N[CAME] + 1
        return
    # One has come to zero before the minimum: the new feature takes its place, and the fit has hardly moved. So exact
    # copies change places without the cycle that a factor without digits would run into.
    P[COEF, :m] -= sign * length * share
    P[COEF, m] = sign * length
    V[ETA] += sign * length * (z - share @ Z)
    gone = M[SLOT, place]
    M[: SLOT + 1, place:m] = M[: SLOT + 1, place + 1 : m + 1]
    P[:BEFORE, place:m] = P[:BEFORE, place + 1 : m + 1]
    M[SLOT, m] = gone
    evaluate(V, N)
    # The factor is made anew before the next step, so nobody else enters now.
    N[CAME], N[STALE], N[NEXT] = N[CAME] + 1, 1, N[N_BREAKING]
