"""Elastic-net paths: one solver for one model, a path, and the paths of many resamples, each solved by itself.

**Objective.** A resample gives the rows weights w (sum 1; rows of weight 0 are left out), z_ij is feature j,
standardised by them (mean 0, variance 1), and at penalty p the model minimises

    sum_i w_i loss_i(eta_i) + p sum_j (l1_j |b_j| + l2_j b_j² / 2),     eta = b_0 + Z b.

The family enters by `residual_and_curvature` and `mean_loss` alone: r_i = -w_i loss'(eta_i), the curvature w_i
loss''.

**Conditions.** With the descent g_j = sum_i z_ij r_i, b is optimal where q_0 = sum_i r_i = 0, where q_j = g_j - p
(l1_j sign(b_j) + l2_j b_j) = 0 for the features in the model, and where |g_j| <= p l1_j for all others.

**Active set.** Places 0 (intercept), then features without a penalty, then features with a sign. A step minimises the
quadratic model for these signs, d = H^-1 q with H = Z' D Z + p diag(l2), by a Cholesky factor L of H. Where a
coefficient would change its sign, the step ends at its zero, it leaves (Givens rotations), and the rest of the step
is solved again: on the way to a minimum all q fall alike. Features that break the conditions enter with coefficient
0, the worst first.

**Acceleration.** L is kept from step to step, level to level and feature to feature: entering adds a row. For the
squared loss of a lasso a step is then exact. Otherwise D (the curvature when L was made) is out of date, and q
shrinks by some rate per step ("chord" steps): a new factor is made when the steps that are left at this rate would
cost more.

**Dependent features.** Where a new feature is a combination of the active ones but for a rest v, moving along v
hardly changes the fit: its slope and curvature are computed from v itself. Either the minimum lies on the way, or
some coefficient gets to zero first and the new feature takes its place (`_enter_dependent`). Where products lose a
pivot all the same, the factor is made from the rows (`orthogonalise`).

**More features than rows.** With a ridge and many more places than rows the matrix over the rows is smaller
(`solve_over_rows`).

**Screening.** Features enter where |g_j| / l1_j passes p. The strong rule (Tibshirani et al. 2012) looks only at
those with |g_j| / l1_j >= 2 p - p_before; all others are checked once the level is solved, and it is solved again in
the rare case that one breaks the conditions. The check itself is done by bounds: when the weighted residual e = r / w
moves from e0 to a e0 + rest, |g_j| <= |a| |g0_j| + |rest|, because z_j has norm 1. Bounds that stay below the bar
need no look at the data; the others are renewed in single precision with a bound of its rounding; what that leaves
open is decided in double precision. So no decision depends on how a bound came about, and a model is the same to the
last bit whether its path was walked at once, level by level, or from a state that was kept.

**Stopping.** A level is solved when all |q| and all excesses |g_j| - p l1_j are at most tol / 2 inside and tol
outside (with tol in standard deviations of y): an exact copy of an active feature is otherwise broken by rounding for
ever. The first features enter when |q| is within a tenth of the fall of the penalty. Steps that raise the objective
are undone and halved. What has not ended after MAX_STEPS is kept with its violation, which callers report.

State of a resample; `rows` holds the n rows of positive weight:

    V  vectors of n numbers: W, Y, ETA, RESIDUAL, CURVATURE (that of L), SEEN (the centred
       residual that the bounds belong to)
    P  numbers of each place: COEF, SIGN (0: no penalty), L1, L2, MEAN, SCALE of the feature, the same BEFORE a step,
       and memory for slopes and steps;   M: its FEATURE and SLOT, and these before a step
    A  standardised features; that of place a is in row M[SLOT, a]; slots behind the places in use are free
    L  the factor;  S, N: single numbers, named below
    G  BOUND and SCALE_OF of all d features, in single precision;  listed: those whose bounds reached the bar
    single  RESIDUALS (what SEEN holds, but in the midst of a level) and WEIGHTS in single precision, over all rows

Memory for the work on any resample: weighted (rows of a factor), F (lists of features, and which are in the model), T
(numbers of listed features), sizes (of products in single precision). S, N, G, listed and single of several resamples
lie one after the other, so that their bounds can be renewed together.
"""

import math

import numpy as np

from steadyset.kernels.arrays import Floats, Ints, Places, Singles
from steadyset.kernels.jit import inner_part, kernel, part, summing_part
from steadyset.kernels.linear.glm import mean_loss, residual_and_curvature
from steadyset.kernels.paths.factor import (
    add_rows,
    dot,
    drop_row,
    factorise,
    orthogonalise,
    products,
    rows_times,
    solve_lower,
    solve_over_rows,
    solve_upper,
    subtract_product,
)
from steadyset.kernels.paths.features import (
    FACTOR,
    SINGLE,
    WHOLE,
    features_at_once,
    penalty_of,
    scale_error,
    single_dots,
    standardise,
    unusual_scale,
    usual_scales,
)
from steadyset.kernels.signals import count_work

W, Y, ETA, RESIDUAL, CURVATURE, SEEN, CENTRED, LOOKED, CURVATURE_NOW, ETA_BEFORE, SPARE = range(11)  # rows of V
COEF, SIGN, L1, L2, MEAN, SCALE, BEFORE = range(7)  # rows of P; from BEFORE on the first six once more
Q, STEP, ROW, SHARE, COSINE, SINE = range(12, 18)  # of P too
FEATURE, SLOT, FEATURE_BEFORE, SLOT_BEFORE = range(4)  # rows of M
BOUND, SCALE_OF = range(2)  # rows of G
RESIDUALS, WEIGHTS = range(2)  # rows of single
OPEN, STRONG, BREAKING, INSIDE = range(4)  # rows of F
STRONG_BOUND, EXCESS, DIRECTION = range(3)  # rows of T
# S: the last penalty, tolerance, ridge (l2 of a feature with factor 1), largest root mean square of a row of Z, bound
# of the rounding of products, from which bound on the list holds, down to which it is to be renewed, violation, and
# centre, unit and spread of the target.
LAST, TOL, RIDGE, RMS, ROUNDING, TIGHT, BAR, VIOLATION, CENTRE, Y_UNIT, SPREAD = range(11)
# N: work since signals were looked at, places in use, whether L is the factor over the rows, listed features, whether
# the family is logistic, whether the penalty counts features as given, places that are wanted, that there will ever be,
# and that were in use before the step; how often the level was solved, and whether it waits for its check.
WORK, SIZE, WIDE, N_LISTED, LOGISTIC, AS_GIVEN, WANTED, MOST, SIZE_BEFORE, SOLVED, UNCHECKED = range(11)

NO_FEATURE = 1e300  # a penalty at which no feature that has one can enter
LEAST_BAR = 1e-30  # features that can not enter have a bound of zero
ROUNDED = 1e-6  # a bound in single precision is compared with a bar that is lower by this
LEAST_RMS = 1e-20  # times the least change of a residual it still is a number in single precision
MAX_CHECKS = 20  # how often features that break the conditions are let in after a check
MAX_STEPS, MAX_STALLS = 300, 25
COARSE = 0.1  # the first features enter when the slopes are within this part of the fall of the penalty
STALLED = 0.95  # slopes that fall by less than this have not fallen
# Of the features that break the conditions, so many enter at once: these, or this share of the active set.
LEAST_ENTERING, SHARE_ENTERING = 6, 0.15
# A feature of which a smaller part is left after its regression on the active ones needs more digits.
DEPENDENT, EXACTLY_DEPENDENT = 1e-9, 1e-24
LEFT_OUT, ENTERED, EXCHANGED = range(3)
# Why a walk ends: at its end, for want of places, of memory for what it found, or until its bounds are renewed.
DONE, CROWDED, FULL, WAITING = range(4)


# ---- one resample: its start and its path --------------------------------------------------------------------------


@kernel
def begin(rows: Ints, V: Floats, N: Ints, P: Floats, A: Floats, L: Floats, single: Singles) -> None:
    """Start from the model with the intercept alone: rows, weights, targets, S and N are given."""
    n = len(rows)
    mean = 0.0
    for i in range(n):
        mean += V[W, i] * V[Y, i]
    for row in range(6):
        P[row, 0] = 0.0
    P[COEF, 0] = math.log(mean / (1.0 - mean)) if N[LOGISTIC] == 1 else mean
    for i in range(n):
        A[0, i], V[ETA, i] = 1.0, P[COEF, 0]
    _residual(V, N, V[CURVATURE])
    total = 0.0
    for i in range(n):
        total += V[CURVATURE, i]
    L[0, 0] = math.sqrt(total)
    N[SIZE], N[WIDE], N[SOLVED], N[UNCHECKED] = 1, 0, 0, 0
    for i in range(single.shape[1]):
        single[WEIGHTS, i] = 0.0
    for i in range(n):
        single[WEIGHTS, rows[i]] = V[W, i]
    _centred(V, n)
    _keep_residual(V, rows, single, n)


@kernel
def first_bounds(
    Xt: Floats, D: Floats, reach: Singles, rows: Ints, V: Floats, S: Floats, N: Ints, G: Singles, single: Singles,
    sizes: Singles, z: Floats,
) -> None:  # fmt: skip
    """Scales and bounds of all features, from what `moments` gives: means and mean squares lie where these will."""
    width, d = single.shape[1], G.shape[1]
    error, largest = 1.0 + scale_error(width), G[SCALE_OF, 0]
    for j in range(d):
        largest = max(largest, G[SCALE_OF, j])
    S[RMS] = math.sqrt(largest) * (1.0 + 2.0 * width * SINGLE)
    S[ROUNDING] = _rounding(width, _centred(V, len(rows)), S[RMS])
    rounding = np.float32(S[ROUNDING])
    usual_scales(G, reach, N[AS_GIVEN] == 1, error)
    for j in range(d):
        if G[SCALE_OF, j] < 0.0:
            G[SCALE_OF, j] = unusual_scale(Xt, D, j, rows, V[W], error, z)
        G[BOUND, j] = (sizes[j] + rounding) * G[SCALE_OF, j]
    S[LAST], S[VIOLATION], S[TIGHT] = NO_FEATURE, 0.0, np.inf


@kernel
def largest_penalty(Xt: Floats, D: Floats, rows: Ints, V: Floats, S: Floats, N: Ints, G: Singles, z: Floats) -> float:
    """The least penalty that leaves out every feature that has one; -1 where no feature varies."""
    likely = int(np.int64(-1))  # of the type of its later values, or numba would compile for the constant too
    for j in range(G.shape[1]):
        if G[SCALE_OF, j] > 0.0 and (
            likely < 0 or np.inf > G[BOUND, j] > G[BOUND, likely] or not G[BOUND, likely] < np.inf
        ):
            likely = j
    if likely < 0:
        return -1.0
    S[LAST] = abs(_descent(Xt, D, likely, rows, V, S, N, V[SEEN], z)[0])
    for j in range(G.shape[1]):
        if G[BOUND, j] >= _low(S[LAST]):
            S[LAST] = max(S[LAST], abs(_descent(Xt, D, j, rows, V, S, N, V[SEEN], z)[0]))
    return float(S[LAST])


@kernel
def walk(
    Xt: Floats, Z: Singles, D: Floats, reach: Singles,
    rows: Ints, V: Floats, S: Floats, N: Ints, P: Floats, M: Ints, A: Floats, L: Floats,
    G: Singles, listed: Places, single: Singles,
    weighted: Floats, F: Places, T: Floats, sizes: Singles,
    penalties: Floats, first: int, stop_size: int, alone: bool,
    numbers: Floats, ends: Ints, found: Ints, values: Floats,
) -> tuple[int, int]:  # fmt: skip
    """Solve the levels from `first` on, to the last or to the first with stop_size features, and write them down.

    At the penalty NO_FEATURE the features without a penalty enter.

    Level t has the features found[ends[t] : ends[t + 1]], in their order, with the coefficients values[0] of the
    standardised features and values[1] of the features as they are; numbers[t] are its intercept, its violation, and
    what the means of the features take off the intercept. Returned are how many levels there are now, and DONE, or why
    the walk waits: CROWDED (N[WANTED] places are needed), FULL (found is too short), or WAITING: a resample that is not
    alone has its bounds renewed with those of others. Calling it again goes on.
    """
    n, d = len(rows), G.shape[1]
    for j in range(d):
        F[INSIDE, j] = 0
    for a in range(1, N[SIZE]):
        F[INSIDE, M[FEATURE, a]] = 1
    _put_single(V[SEEN], rows, single)
    for t in range(first, len(penalties)):
        if ends[t] + N[SIZE] > len(found):
            return t, FULL
        penalty = penalties[t]
        while True:
            if N[UNCHECKED] == 0:
                # Features enter where their descent grows as fast as the penalty falls: the strong rule, which errs
                # rarely. Then the level is solved again, now without a fall.
                fall = S[LAST] - penalty
                n_strong, outside = _collect(
                    Xt, Z, D, rows, V, S, N, G, listed, F, T, single, sizes, weighted, penalty - max(fall, 0.0)
                )
                N[WANTED] = N[SIZE] + outside + 1
                if N[WANTED] > M.shape[1] and M.shape[1] < N[MOST]:
                    return t, CROWDED
                n_strong = _solve_level(
                    Xt, Z, D, reach, rows, V, S, N, P, M, A, L, G, weighted, F, T, single, sizes,
                    n_strong, penalty, COARSE * fall,
                )  # fmt: skip
                _carry(rows, V, S, N, G, reach, F, T, single, n_strong)
                count_work(N, d * n // 4 + n_strong * n)
                # The check needs bounds down to the penalty, the next level down to the bar of its strong features.
                S[BAR] = min(penalty, 2.0 * penalties[t + 1] - penalty) if t + 1 < len(penalties) else penalty
                S[LAST] = penalty
                N[SOLVED] += 1
                N[UNCHECKED] = 1
                if not alone:
                    return t, WAITING
                _renew(Z, S, N, G, listed, single, sizes)
            N[UNCHECKED] = 0
            worst = _broken(Xt, D, rows, V, S, N, G, listed, F, weighted, penalty)
            S[VIOLATION] = max(S[VIOLATION], worst)
            if worst <= S[TOL] or N[SOLVED] == MAX_CHECKS:
                break
        if ends[t] + N[SIZE] > len(found):
            N[UNCHECKED] = 1
            return t, FULL
        N[SOLVED] = 0
        _record(D, S, N, P, M, t, numbers, ends, found, values)
        if ends[t + 1] - ends[t] >= stop_size:
            return t + 1, DONE
    return len(penalties), DONE


@part
def _record(
    D: Floats, S: Floats, N: Ints, P: Floats, M: Ints, t: int, numbers: Floats, ends: Ints, found: Ints, values: Floats
) -> None:
    """Write down the model of level t, its features in their order."""
    end, taken_off = ends[t], 0.0
    for a in range(1, N[SIZE]):
        if P[COEF, a] == 0.0:
            continue
        j, unit = M[FEATURE, a], D[WHOLE, M[FEATURE, a]]
        k = end
        while k > ends[t] and found[k - 1] > j:
            found[k], values[0, k], values[1, k] = found[k - 1], values[0, k - 1], values[1, k - 1]
            k -= 1
        found[k], values[0, k], values[1, k] = j, P[COEF, a], P[COEF, a] * S[Y_UNIT] / (P[SCALE, a] * unit)
        end += 1
    for a in range(1, N[SIZE]):
        taken_off += P[COEF, a] * S[Y_UNIT] / P[SCALE, a] * P[MEAN, a]
    ends[t + 1] = end
    numbers[t, 0], numbers[t, 1], numbers[t, 2] = P[COEF, 0], S[VIOLATION], taken_off


# ---- screening -----------------------------------------------------------------------------------------------------


@part
def _low(bar: float) -> np.float32:
    """The number in single precision that a bound reaches wherever the descent reaches the bar."""
    return np.float32(max(bar, LEAST_BAR) * (1.0 - ROUNDED))


@part
def _rounding(width: int, square: float, rms: float) -> float:
    """A bound of the error of a product of the residual with a row of Z in single precision, whatever its order.

    square is sum_i r_i² / w_i, and rms bounds the root mean square of the row under the weights.
    """
    return (width + 4.0) * SINGLE * math.sqrt(square) * rms + 1e-30


@summing_part
def _centred(V: Floats, n: int) -> float:
    """Write the residual without its mean, which features of mean zero do not meet; sum_i r_i² / w_i of that."""
    total = 0.0
    for i in range(n):
        total += V[RESIDUAL, i]
    square = 0.0
    for i in range(n):
        V[CENTRED, i] = V[RESIDUAL, i] - V[W, i] * total
        square += V[CENTRED, i] * V[CENTRED, i] / V[W, i]
    return square


@part
def _keep_residual(V: Floats, rows: Ints, single: Singles, n: int) -> None:
    """The centred residual is the one that is seen."""
    for i in range(n):
        V[SEEN, i] = V[CENTRED, i]
    _put_single(V[SEEN], rows, single)


@part
def _put_single(vector: Floats, rows: Ints, single: Singles) -> None:
    """A vector in single precision, over all rows of the data."""
    for i in range(single.shape[1]):
        single[RESIDUALS, i] = 0.0
    for i in range(len(rows)):
        single[RESIDUALS, rows[i]] = vector[i]


@summing_part
def _turned(V: Floats, before: Floats, S: Floats, N: Ints, n: int) -> tuple[float, float, float]:
    """By which factor and summand a bound at the residual `before` holds at the centred one; the square of that.

    e is a part of the e before and a rest across it. A standardised feature has norm 1, so its descent is at most that
    part of what it was, and the norm of the rest; the summand is to be multiplied by the reach of the feature.
    """
    seen, product, square = 0.0, 0.0, 0.0
    for i in range(n):
        seen += before[i] * before[i] / V[W, i]
        product += before[i] * V[CENTRED, i] / V[W, i]
        square += V[CENTRED, i] * V[CENTRED, i] / V[W, i]
    along = product / seen if seen > 0.0 else 0.0
    rest = 0.0
    for i in range(n):
        rest += (V[CENTRED, i] - along * before[i]) ** 2 / V[W, i]
    # A reach is in units of the largest root mean square where penalties count features as given.
    unit = max(S[RMS], LEAST_RMS) if N[AS_GIVEN] else 1.0
    # Above zero, because an infinite bound times zero would be no number.
    return max(abs(along), LEAST_BAR) * (1.0 + ROUNDED), (math.sqrt(rest) * (1.0 + ROUNDED) + 1e-13) * unit, square


@summing_part
def _carry(
    rows: Ints, V: Floats, S: Floats, N: Ints, G: Singles, reach: Singles, F: Places, T: Floats, single: Singles,
    n_strong: int,
) -> None:  # fmt: skip
    """Bring the bounds of all features from the residual that was seen to the centred one.

    Those of the strong features are already there, from the last look.
    """
    n = len(rows)
    along, across, square = _turned(V, V[SEEN], S, N, n)
    part, more = np.float32(along * (1.0 + ROUNDED)), np.float32(across * (1.0 + ROUNDED))  # rounded up
    for j in range(G.shape[1]):
        G[BOUND, j] = part * G[BOUND, j] + more * reach[j]
    for k in range(n_strong):
        G[BOUND, F[STRONG, k]] = T[STRONG_BOUND, k] * (1.0 + ROUNDED)
    S[ROUNDING] = _rounding(single.shape[1], square, S[RMS])
    S[TIGHT] = np.inf
    _keep_residual(V, rows, single, n)


@kernel
def renew(
    Z: Singles, S: Floats, N: Ints, G: Singles, listed: Places, single: Singles, sizes: Singles, which: Ints
) -> None:
    """Renew the bounds of some resamples, of which the arrays hold one after the other.

    It goes block by block of features for all of them, so that a block stays in a near cache meanwhile.
    """
    for b in which:
        N[b, N_LISTED], S[b, TIGHT] = 0, _low(S[b, BAR])
    step = features_at_once(Z)
    for begin in range(0, len(Z), step):
        for b in which:
            _renew_some(Z, S[b], N[b], G[b], listed[b], single[b], sizes, begin, min(begin + step, len(Z)))
            count_work(N[b], step * Z.shape[1] // 4)


@part
def _renew(Z: Singles, S: Floats, N: Ints, G: Singles, listed: Places, single: Singles, sizes: Singles) -> None:
    """Renew the bounds of one resample down to S[BAR]."""
    N[N_LISTED], S[TIGHT] = 0, _low(S[BAR])
    _renew_some(Z, S, N, G, listed, single, sizes, int(np.int64(0)), len(Z))


@part
def _renew_some(
    Z: Singles, S: Floats, N: Ints, G: Singles, listed: Places, single: Singles, sizes: Singles, begin: int, end: int
) -> None:
    """Make products of the bounds of some features that reach the bar, and list those that still reach it."""
    low, left = np.float32(S[TIGHT]), N[N_LISTED]
    last = left
    for j in range(begin, end):  # without a branch, because no processor foresees which these are
        listed[last] = j
        last += G[BOUND, j] >= low
    single_dots(Z, listed[left:], last - left, single, sizes)
    rounding = np.float32(S[ROUNDING])
    for k in range(N[N_LISTED], last):
        j = int(np.int64(listed[k]))
        G[BOUND, j] = (sizes[k - N[N_LISTED]] + rounding) * G[SCALE_OF, j]
        listed[left] = j
        left += G[BOUND, j] >= low
    N[N_LISTED] = left


@part
def _descent(
    Xt: Floats, D: Floats, j: int, rows: Ints, V: Floats, S: Floats, N: Ints, residual: Floats, z: Floats
) -> tuple[float, float]:
    """g_j / l1_j for a centred residual, and l1_j; 0 for a feature that is constant."""
    scale = standardise(Xt, j, rows, V[W], z[0])[1]
    if scale == 0.0:
        return 0.0, 1.0
    l1 = penalty_of(D, j, scale, S[RIDGE], N[AS_GIVEN] == 1)[0]
    return dot(z[0], residual, len(rows)) / l1, l1


@part
def _collect(
    Xt: Floats, Z: Singles, D: Floats, rows: Ints, V: Floats, S: Floats, N: Ints, G: Singles, listed: Places,
    F: Places, T: Floats, single: Singles, sizes: Singles, z: Floats, bar: float,
) -> tuple[int, int]:  # fmt: skip
    """List the strong features, whose |g_j| / l1_j reaches the bar: how many, and how many are outside the model."""
    bar = max(bar, LEAST_BAR)
    low = _low(bar)
    if low < S[TIGHT]:
        S[BAR] = bar
        _renew(Z, S, N, G, listed, single, sizes)
    error = 1.0 - 2.0 * scale_error(Z.shape[1])
    count, outside = 0, 0
    for i in range(len(rows)):
        V[LOOKED, i] = V[SEEN, i]
    for k in range(N[N_LISTED]):
        j = int(np.int64(listed[k]))
        if G[BOUND, j] < low:
            continue
        # What |g_j| / l1_j is at least, by the product that has made the bound.
        surely = (G[BOUND, j] - 2.0 * S[ROUNDING] * G[SCALE_OF, j]) * error if G[SCALE_OF, j] < np.inf else -1.0
        if surely < bar:
            size = abs(_descent(Xt, D, j, rows, V, S, N, V[SEEN], z)[0])
            G[BOUND, j] = size * (1.0 + ROUNDED)
            if size < bar:
                continue
        F[STRONG, count], T[STRONG_BOUND, count] = j, G[BOUND, j] * (1.0 + ROUNDED)
        count += 1
        outside += F[INSIDE, j] == 0
    return count, outside


@part
def _broken(
    Xt: Floats, D: Floats, rows: Ints, V: Floats, S: Floats, N: Ints, G: Singles, listed: Places, F: Places, z: Floats,
    penalty: float,
) -> float:  # fmt: skip
    """By how much the descent of a listed feature outside the model exceeds its penalty, at most; 0 where none does."""
    worst, low = 0.0, _low(penalty)
    for k in range(N[N_LISTED]):
        j = int(np.int64(listed[k]))
        if G[BOUND, j] >= low and not F[INSIDE, j]:
            descent, l1 = _descent(Xt, D, j, rows, V, S, N, V[SEEN], z)
            G[BOUND, j] = abs(descent) * (1.0 + ROUNDED)
            worst = max(worst, (abs(descent) - penalty) * l1)
    return worst


@part
def _look(
    Xt: Floats, Z: Singles, D: Floats, reach: Singles, rows: Ints, V: Floats, S: Floats, N: Ints, G: Singles,
    F: Places, T: Floats, single: Singles, sizes: Singles, z: Floats, n_strong: int, penalty: float, goal: float,
) -> int:  # fmt: skip
    """List the strong features outside the model that break the conditions by more than the goal; how many.

    T holds bounds of |g_j| / l1_j of all strong features at V[LOOKED], and gets those of now; of the features that are
    listed it gets excess and sign of the descent.
    """
    n = len(rows)
    _centred(V, n)
    along, across, square = _turned(V, V[LOOKED], S, N, n)
    rounding = _rounding(Z.shape[1], square, S[RMS])
    for i in range(n):
        V[LOOKED, i] = V[CENTRED, i]
    n_open = int(np.int64(0))
    for k in range(n_strong):  # most are far below the penalty, and their bounds say so
        j = int(np.int64(F[STRONG, k]))
        T[STRONG_BOUND, k] = along * T[STRONG_BOUND, k] + across * reach[j]
        if T[STRONG_BOUND, k] > penalty and not F[INSIDE, j]:
            F[OPEN, n_open], F[BREAKING, n_open] = k, j
            n_open += 1
    _put_single(V[CENTRED], rows, single)
    single_dots(Z, F[BREAKING], n_open, single, sizes)
    count = 0
    for place in range(n_open):
        k, j = F[OPEN, place], int(np.int64(F[BREAKING, place]))
        T[STRONG_BOUND, k] = (sizes[place] + rounding) * G[SCALE_OF, j]
        if T[STRONG_BOUND, k] <= penalty:
            continue
        descent, l1 = _descent(Xt, D, j, rows, V, S, N, V[CENTRED], z)
        T[STRONG_BOUND, k] = abs(descent) * (1.0 + 1e-12)
        if (abs(descent) - penalty) * l1 > goal:
            F[BREAKING, count], T[EXCESS, count] = j, (abs(descent) - penalty) * l1
            T[DIRECTION, count] = np.sign(descent)
            count += 1
    if penalty == NO_FEATURE:
        for j in range(G.shape[1]):
            if D[FACTOR, j] == 0.0 and not F[INSIDE, j]:
                F[BREAKING, count], T[EXCESS, count], T[DIRECTION, count] = j, 0.0, 0.0
                count += 1
    return count


# ---- one level -----------------------------------------------------------------------------------------------------


@inner_part
def _solve_level(
    Xt: Floats, Z: Singles, D: Floats, reach: Singles, rows: Ints, V: Floats, S: Floats, N: Ints, P: Floats, M: Ints,
    A: Floats, L: Floats, G: Singles, weighted: Floats, F: Places, T: Floats, single: Singles, sizes: Singles,
    n_strong: int, penalty: float, coarse: float,
) -> int:  # fmt: skip
    """Solve for the strong features; S[VIOLATION] is the largest slope that is left in the active set.

    Returned is how many strong features have a bound at the solution: all, or none where it did not end.
    """
    n, logistic, tol = len(rows), N[LOGISTIC] == 1, 0.5 * S[TOL]
    # Afresh, so that no rounding errors gather in it from level to level.
    for i in range(n):
        V[ETA, i] = 0.0
    add_rows(1.0, P[COEF], A, M[SLOT], N[SIZE], V[ETA], n)
    _residual(V, N, V[CURVATURE_NOW])
    stale = not logistic and N[SIZE] > 1 and S[RIDGE] > 0.0  # H has changed with the penalty
    goal, before, damping, stalls, undoable = max(tol, coarse), -1.0, 1.0, 0, False
    for step in range(MAX_STEPS):
        m = N[SIZE]
        count_work(N, 4 * m * (n + m) + n_strong * n // 4 + m * m * n // 4)
        if stale:
            _refactor(V, N, P, M, A, L, weighted, n, penalty)
            stale = False
        S[VIOLATION] = largest = _slopes(V, P, M, A, m, n, penalty)
        if step == MAX_STEPS - 1 or damping < 1e-6 or stalls > MAX_STALLS:
            break
        if undoable and not largest <= before and _rose(V, N, P, logistic, penalty):
            # The quadratic model was too bold: half of the step, from where it began, with the curvature there.
            _undo(V, N, P, M, F, n)
            _residual(V, N, V[CURVATURE])
            damping, stale, undoable, before = 0.5 * damping, True, False, -1.0
            continue
        if largest <= goal:
            came = 0
            count = _look(Xt, Z, D, reach, rows, V, S, N, G, F, T, single, sizes, weighted, n_strong, penalty, goal)
            if count > 0:
                came = _let_in(Xt, D, rows, V, S, N, P, M, A, L, weighted, F, T, count, penalty)
                _residual(V, N, V[CURVATURE_NOW])
            before, undoable = -1.0, False
            if came > 0:
                stale = N[WIDE] == 1  # made anew when all have come, which is cheaper than to change it for each
                continue
            if goal <= tol:
                return n_strong
            goal = tol
            if largest <= tol:
                continue
        elif before > 0.0 and _refactoring_pays(m, n, largest / before, largest / tol):
            stalls += largest >= STALLED * before
            for i in range(n):
                V[CURVATURE, i] = V[CURVATURE_NOW, i]
            stale, undoable, before = True, False, -1.0
            continue
        before, undoable = largest, logistic
        if logistic:
            _remember(V, N, P, M, n)
        left = damping
        damping = min(1.0, 2.0 * damping)
        while True:
            for a in range(N[SIZE]):  # on the way to a minimum all slopes fall alike
                P[Q, a] *= left
                P[STEP, a] = P[Q, a]
            _solve(V, N, P, M, A, L, weighted, n, penalty)
            part, place = _crossing(P, N[SIZE])
            _move(V, P, M, A, N[SIZE], n, part)
            if place < 0:
                break
            left, before = 1.0 - part, -1.0
            if not _drop(V, N, P, M, A, L, F, place, n, penalty):  # the rest of the step goes by a new factor
                stale = True
                break
        _residual(V, N, V[CURVATURE_NOW])
    _centred(V, n)
    return 0


@part
def _residual(V: Floats, N: Ints, curvature: Floats) -> None:
    """Residual and curvature at the linear predictor."""
    residual_and_curvature(V[Y], V[W], V[ETA], N[LOGISTIC] == 1, V[RESIDUAL], curvature)


@part
def _slopes(V: Floats, P: Floats, M: Ints, A: Floats, m: int, n: int, penalty: float) -> float:
    """Minus the gradient of the objective at every place, to P[Q], and the largest of them in size."""
    rows_times(A, M[SLOT], m, V[RESIDUAL], n, P[Q])
    largest = 0.0
    for a in range(m):
        P[Q, a] -= penalty * (P[L1, a] * P[SIGN, a] + P[L2, a] * P[COEF, a])
        largest = max(largest, abs(P[Q, a]))
    return largest


@part
def _solve(
    V: Floats, N: Ints, P: Floats, M: Ints, A: Floats, L: Floats, weighted: Floats, n: int, penalty: float
) -> None:
    """Overwrite P[STEP] by H^-1 P[STEP]."""
    m = N[SIZE]
    if N[WIDE]:
        for a in range(m):
            P[SHARE, a] = penalty * P[L2, a]
        solve_over_rows(L, A, M[SLOT], P[SHARE], m, _first_with_ridge(P, m), n, P[STEP], V[SPARE], weighted)
    else:
        solve_lower(L, P[STEP], m)
        solve_upper(L, P[STEP], m)


@part
def _move(V: Floats, P: Floats, M: Ints, A: Floats, m: int, n: int, part: float) -> None:
    """Go a part of the step; coefficients and linear predictor follow."""
    for a in range(m):
        P[COEF, a] += part * P[STEP, a]
    add_rows(part, P[STEP], A, M[SLOT], m, V[ETA], n)


@part
def _crossing(P: Floats, m: int) -> tuple[float, int]:
    """How far the first coefficient to change its sign lets the step go, and its place; 1 and -1 where none does."""
    step, place = 1.0, int(np.int64(-1))
    for a in range(1, m):
        if P[SIGN, a] != 0.0 and (P[COEF, a] + P[STEP, a]) * P[SIGN, a] <= 0.0:
            part = -P[COEF, a] / P[STEP, a] if P[STEP, a] != 0.0 else 0.0
            if place < 0 or part < step:
                step, place = part, a
    return step, place


@part
def _refactoring_pays(m: int, n: int, rate: float, left: float) -> bool:
    """Whether the steps that are left at this rate cost more than a new factor and the few steps after it."""
    if rate >= STALLED:
        return True
    step = 2.0 * m * n + m * m + 12.0 * n + 200.0
    factor = 0.3 * m * m * n + m * m * m / 6.0 + 1000.0
    return math.log(left) / -math.log(rate) * step > factor + 2.5 * step


@part
def _first_with_ridge(P: Floats, m: int) -> int:
    """The first place whose coefficient has an l2 penalty; those without one come first."""
    place = 1
    while place < m and P[L2, place] == 0.0:
        place += 1
    return place


@part
def _refactor(
    V: Floats, N: Ints, P: Floats, M: Ints, A: Floats, L: Floats, weighted: Floats, n: int, penalty: float
) -> None:
    """Factor the active set anew with V[CURVATURE] and the penalty."""
    m = N[SIZE]
    N[WIDE] = 1 if m > 3 * n + 2 and P[L2, m - 1] > 0.0 else 0
    if N[WIDE]:
        free = _first_with_ridge(P, m)
        for i in range(n):
            for k in range(i):
                L[i, k] = 0.0
            L[i, i] = 1.0 / V[CURVATURE, i]
        for a in range(free, m):
            for i in range(n):
                part = A[M[SLOT, a], i] / (penalty * P[L2, a])
                for k in range(i + 1):
                    L[i, k] += part * A[M[SLOT, a], k]
        factorise(L, n)
        return
    _weigh(V, M, A, weighted, m, n)
    products(weighted, m, n, L)
    for a in range(1, m):
        L[a, a] += penalty * P[L2, a]
    if not factorise(L, m):
        _weigh(V, M, A, weighted, m, n)
        orthogonalise(weighted, m, n, L)


@part
def _weigh(V: Floats, M: Ints, A: Floats, weighted: Floats, m: int, n: int) -> None:
    """The active features times the roots of the curvature, place by place."""
    for i in range(n):
        V[SPARE, i] = math.sqrt(V[CURVATURE, i])
    for a in range(m):
        for i in range(n):
            weighted[a, i] = A[M[SLOT, a], i] * V[SPARE, i]


# ---- features that come and leave ------------------------------------------------------------------------------------


@inner_part
def _let_in(
    Xt: Floats, D: Floats, rows: Ints, V: Floats, S: Floats, N: Ints, P: Floats, M: Ints, A: Floats, L: Floats,
    weighted: Floats, F: Places, T: Floats, count: int, penalty: float,
) -> int:  # fmt: skip
    """The features that break the conditions most enter, the worst first; how many came."""
    came = 0
    entering = max(LEAST_ENTERING, int(SHARE_ENTERING * N[SIZE])) if penalty < NO_FEATURE else count
    for k in range(min(count, entering)):
        worst = k
        for other in range(k + 1, count):
            if T[EXCESS, other] > T[EXCESS, worst]:
                worst = other
        j, excess, sign = int(np.int64(F[BREAKING, worst])), T[EXCESS, worst], T[DIRECTION, worst]
        for other in range(worst, k, -1):  # those in between move up, so that equal ones keep their order
            F[BREAKING, other], T[EXCESS, other] = F[BREAKING, other - 1], T[EXCESS, other - 1]
            T[DIRECTION, other] = T[DIRECTION, other - 1]
        F[BREAKING, k], T[EXCESS, k], T[DIRECTION, k] = j, excess, sign
        came += _enter(Xt, D, rows, V, S, N, P, M, A, L, weighted, F, j, sign, penalty) != LEFT_OUT
    return came


@part
def _enter(
    Xt: Floats, D: Floats, rows: Ints, V: Floats, S: Floats, N: Ints, P: Floats, M: Ints, A: Floats, L: Floats,
    weighted: Floats, F: Places, j: int, sign: float, penalty: float,
) -> int:  # fmt: skip
    """Feature j enters with this sign and coefficient 0, or takes the place of one that it does better than."""
    n, m = len(rows), N[SIZE]
    if m >= M.shape[1]:
        return LEFT_OUT
    slot = M[SLOT, m]
    P[MEAN, m], P[SCALE, m] = standardise(Xt, j, rows, V[W], A[slot])
    if P[SCALE, m] == 0.0:
        return LEFT_OUT
    P[L1, m], P[L2, m] = penalty_of(D, j, P[SCALE, m], S[RIDGE], N[AS_GIVEN] == 1)
    M[FEATURE, m], P[COEF, m], P[SIGN, m] = j, 0.0, sign
    ridge = penalty * P[L2, m]
    if N[WIDE] or (ridge > 0.0 and m + 1 > 3 * n + 2):
        N[WIDE], N[SIZE], F[INSIDE, j] = 1, m + 1, 1
        return ENTERED
    if m >= len(L):
        return LEFT_OUT
    left, own = _next_row(V, P, M, A, L, m, n)
    how = ENTERED
    if left + ridge <= DEPENDENT * own:
        left, how = _enter_dependent(V, N, P, M, A, L, weighted, F, n, left, own, penalty)
        if how == LEFT_OUT:
            return LEFT_OUT
        m = N[SIZE]
    for a in range(m):
        L[m, a] = P[ROW, a]
    L[m, m] = math.sqrt(left + ridge)
    N[SIZE], F[INSIDE, j] = m + 1, 1
    return how


@part
def _next_row(V: Floats, P: Floats, M: Ints, A: Floats, L: Floats, m: int, n: int) -> tuple[float, float]:
    """The row of the factor of the feature at place m, to P[ROW]; what those before leave of its square, and all."""
    for i in range(n):
        V[SPARE, i] = A[M[SLOT, m], i] * V[CURVATURE, i]
    rows_times(A, M[SLOT], m + 1, V[SPARE], n, P[ROW])
    own = P[ROW, m]
    solve_lower(L, P[ROW], m)
    return own - dot(P[ROW], P[ROW], m), own


@inner_part
def _enter_dependent(
    V: Floats, N: Ints, P: Floats, M: Ints, A: Floats, L: Floats, weighted: Floats, F: Places,
    n: int, left: float, own: float, penalty: float,
) -> tuple[float, int]:  # fmt: skip
    """What `_enter` does where the feature at place m is nearly a combination of the others; left and how.

    With the shares s of the others in it and v = z - Z_A s, its coefficient may grow by t in the direction of its sign
    while theirs change by -t s: the fit moves by t v only. Slope and curvature on this way are taken from v, because
    the factor has no digits of them.
    """
    m = N[SIZE]
    sign, slot = P[SIGN, m], M[SLOT, m]
    share, v = P[SHARE], V[SPARE]
    for a in range(m):
        share[a] = P[ROW, a]
    solve_upper(L, share, m)
    for i in range(n):
        v[i] = A[slot, i]
    add_rows(-1.0, share, A, M[SLOT], m, v, n)
    for i in range(n):  # once more, for what rounding has left of the others in v
        weighted[0, i] = v[i] * V[CURVATURE, i]
    rows_times(A, M[SLOT], m, weighted[0], n, P[COSINE])
    solve_lower(L, P[COSINE], m)
    for a in range(m):
        P[ROW, a] += P[COSINE, a]
    solve_upper(L, P[COSINE], m)
    add_rows(-1.0, P[COSINE], A, M[SLOT], m, v, n)
    left, slope = 0.0, -penalty * P[L1, m]
    for i in range(n):
        left += V[CURVATURE, i] * v[i] * v[i]
        slope += sign * v[i] * V[RESIDUAL, i]
    curvature = left + penalty * P[L2, m]
    for a in range(m):
        share[a] += P[COSINE, a]
        slope += penalty * sign * share[a] * (P[L1, a] * P[SIGN, a] + P[L2, a] * P[COEF, a])
        curvature += penalty * P[L2, a] * share[a] * share[a]
    if sign == 0.0:  # no penalty: it stays where the factor can hold it
        return left, ENTERED if left > EXACTLY_DEPENDENT * own else LEFT_OUT
    length, place = np.inf, int(np.int64(-1))
    for a in range(1, m):
        if sign * share[a] * P[SIGN, a] > 0.0 and abs(P[COEF, a] / share[a]) < length:
            length, place = abs(P[COEF, a] / share[a]), a
    if slope <= 0.0:
        return left, LEFT_OUT
    if place < 0 or slope < length * curvature:  # the minimum lies before the first zero
        return left, ENTERED if left > EXACTLY_DEPENDENT * own else LEFT_OUT
    for a in range(m):
        P[COEF, a] -= sign * length * share[a]
    add_rows(-sign * length, share, A, M[SLOT], m, V[ETA], n)
    for i in range(n):
        V[ETA, i] += sign * length * A[slot, i]
    # The newcomer is at the place behind the last; when one before it leaves, it moves up with its slot.
    kept = M[FEATURE, m], P[L1, m], P[L2, m], P[MEAN, m], P[SCALE, m]
    _drop(V, N, P, M, A, L, F, place, n, penalty)
    m -= 1
    M[SLOT, m + 1], M[SLOT, m] = M[SLOT, m], slot
    M[FEATURE, m], P[L1, m], P[L2, m], P[MEAN, m], P[SCALE, m] = kept
    P[COEF, m], P[SIGN, m] = sign * length, sign
    left, own = _next_row(V, P, M, A, L, m, n)
    return max(left, 1e-12 * own), EXCHANGED


@part
def _drop(
    V: Floats, N: Ints, P: Floats, M: Ints, A: Floats, L: Floats, F: Places, place: int, n: int, penalty: float
) -> bool:
    """A feature leaves the active set, and its slope the list of them; False where the factor is to be made anew."""
    m, gone, sound = N[SIZE], M[SLOT, place], True
    F[INSIDE, M[FEATURE, place]] = 0
    if N[WIDE]:
        root = 1.0 / math.sqrt(penalty * P[L2, place])
        for i in range(n):
            V[SPARE, i] = A[gone, i] * root
        sound = subtract_product(L, V[SPARE], n)
    else:
        drop_row(L, place, m, P[COSINE], P[SINE])
    for a in range(place, m - 1):
        for row in range(6):
            P[row, a] = P[row, a + 1]
        M[FEATURE, a], M[SLOT, a] = M[FEATURE, a + 1], M[SLOT, a + 1]
        P[Q, a] = P[Q, a + 1]
    M[SLOT, m - 1] = gone
    N[SIZE] = m - 1
    return sound


# ---- steps that are undone -------------------------------------------------------------------------------------------


@part
def _remember(V: Floats, N: Ints, P: Floats, M: Ints, n: int) -> None:
    """Keep the model as it is before a step; N[SIZE_BEFORE] is its size."""
    for i in range(n):
        V[ETA_BEFORE, i] = V[ETA, i]
    for a in range(N[SIZE]):
        for row in range(6):
            P[BEFORE + row, a] = P[row, a]
        M[FEATURE_BEFORE, a], M[SLOT_BEFORE, a] = M[FEATURE, a], M[SLOT, a]
    N[SIZE_BEFORE] = N[SIZE]


@part
def _undo(V: Floats, N: Ints, P: Floats, M: Ints, F: Places, n: int) -> None:
    """Go back to the model before the step; the slots of features that left meanwhile still hold them."""
    for i in range(n):
        V[ETA, i] = V[ETA_BEFORE, i]
    N[SIZE] = N[SIZE_BEFORE]
    for a in range(N[SIZE]):
        for row in range(6):
            P[row, a] = P[BEFORE + row, a]
        M[FEATURE, a], M[SLOT, a] = M[FEATURE_BEFORE, a], M[SLOT_BEFORE, a]
        if a > 0:
            F[INSIDE, M[FEATURE, a]] = 1


@part
def _rose(V: Floats, N: Ints, P: Floats, logistic: bool, penalty: float) -> bool:
    """Whether the objective is larger than before the step."""
    before = mean_loss(V[Y], V[W], V[ETA_BEFORE], logistic)
    now = mean_loss(V[Y], V[W], V[ETA], logistic)
    for a in range(1, N[SIZE_BEFORE]):
        before += penalty * (
            P[BEFORE + L1, a] * abs(P[BEFORE + COEF, a]) + 0.5 * P[BEFORE + L2, a] * P[BEFORE + COEF, a] ** 2
        )
    for a in range(1, N[SIZE]):
        now += penalty * (P[L1, a] * abs(P[COEF, a]) + 0.5 * P[L2, a] * P[COEF, a] ** 2)
    return not now <= before + 1e-13 * abs(before)
