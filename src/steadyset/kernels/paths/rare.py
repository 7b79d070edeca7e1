"""What a path seldom needs, in NumPy: it takes longer to compile than it would ever save.

Each function does what a walk waits for (`solver` says for what, and what the arrays are) and lets it go on.
"""

from __future__ import annotations

import math

import numpy as np
from scipy.linalg import cho_factor, cho_solve, qr, solve_triangular

from steadyset.kernels.arrays import Floats, Ints
from steadyset.kernels.linear.models import mean_loss, residual_and_curvature
from steadyset.kernels.paths import families
from steadyset.kernels.paths.solver import (
    BEFORE,
    CAME,
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
    N_BREAKING,
    NEXT,
    RESIDUAL,
    SHARE,
    SHARE_NOW,
    SIGN,
    SIZE,
    SIZE_BEFORE,
    SLOT,
    STALE,
    STEP,
    UNDOABLE,
    W,
    Y,
)

# A feature of which no larger part than this is left after its regression on the active ones has no digits of its own.
EXACTLY_DEPENDENT = 1e-24
# What a row of a factor keeps of its length at least: the factor then only foretells the step.
LEAST_LENGTH = 1e-10


def undo_if_risen(V: Floats, S: Floats, N: Ints, P: Floats, M: Ints, penalty: float) -> None:
    """Where the step has raised the objective, go back to before it and dare half, with the curvature there.

    The slots of features that left meanwhile still hold them.
    """
    N[UNDOABLE] = 0
    size, size_before = N[SIZE], N[SIZE_BEFORE]
    before = _objective(V, N, V[ETA_BEFORE], P[BEFORE:, :size_before], penalty)
    now = _objective(V, N, V[ETA], P[:, :size], penalty)
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
    signs = np.where(np.diag(R) < 0.0, -1.0, 1.0)
    L[:m, : len(R)] = (R * signs[:, None]).T
    diagonal = np.zeros(m)
    diagonal[: len(R)] = np.diag(R) * signs
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
