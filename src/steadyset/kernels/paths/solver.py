"""Elastic-net paths: one solver for one model, a path, and the paths of many resamples, each solved by itself.

**Objective.** A resample gives the rows weights w (sum 1; rows of weight 0 are left out), z_ij is feature j,
standardised by them (mean 0, variance 1), and at penalty p the model minimises

    sum_i w_i loss_i(eta_i) + p sum_j (l1_j |b_j| + l2_j b_j² / 2),     eta = b_0 + Z b.

The family enters by its residual r_i = -w_i loss'(eta_i) and its curvature D alone. Those of the linear and the
logistic loss are compiled into the walk; for others (`families`) it waits until they are computed, and goes on. Where
the loss of a row depends on other rows (Cox), the rows of Z in Z' D Z are those less running means: the file of the
families says why.

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

**Rare cases** are left to NumPy (`uncompiled`): compiling them would take longer than they ever do. The walk ends with
a word for what it waits for, and goes on where it was when it is called again, so all that it needs lies in its arrays.
Where a new feature is a combination of the active ones but for a rest v, moving along v hardly changes the fit: its
slope and curvature are computed from v itself. Either the minimum lies on the way, or some coefficient gets to zero
first and the new feature takes its place. Where products lose a pivot all the same, the factor is made from the rows.
With a ridge and many more places than rows the matrix over the rows is smaller, and no factor is kept.

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

    V  vectors of n numbers: W, Y, ETA, RESIDUAL, CURVATURE and SHARE (those of L), SEEN (the centred
       residual that the bounds belong to)
    P  numbers of each place: COEF, SIGN (0: no penalty), L1, L2, MEAN, SCALE of the feature, the same BEFORE a step,
       and memory for slopes and steps;   M: its FEATURE and SLOT, and these before a step
    A  standardised features; that of place a is in row M[SLOT, a]; slots behind the places in use are free
    L  the factor;  S, N: single numbers, named below
    G  BOUND and SCALE_OF of all d features, in single precision;  listed: those whose bounds reached the bar
    single  RESIDUALS (what SEEN holds, but in the midst of a level) and WEIGHTS in single precision, over all rows

Memory for the work on any resample: weighted (rows of a factor), F (lists of features, and which are in the model), T
(numbers of listed features), sizes (of products in single precision).
"""

import math

import numpy as np

from steadyset.kernels.arrays import Floats, Ints, Places, Singles
from steadyset.kernels.jit import both, inner_part, kernel, part, summing_part
from steadyset.kernels.linear.models import residual_and_curvature
from steadyset.kernels.paths import features
from steadyset.kernels.paths.factor import (
    add_rows,
    dot,
    drop_row,
    factorise,
    products,
    rows_times,
    solve_lower,
    solve_upper,
)
from steadyset.kernels.paths.families import COX, LINEAR, LOGISTIC, less_running_means, transposed
from steadyset.kernels.signals import count_work

(
    W, Y, ETA, RESIDUAL, CURVATURE, SHARE, SEEN, CENTRED, LOOKED, CURVATURE_NOW, SHARE_NOW, ETA_BEFORE, SPARE,
    ROWS_OF_V,
) = range(14)  # fmt: skip
COEF, SIGN, L1, L2, MEAN, SCALE, BEFORE = range(7)  # rows of P; from BEFORE on the first six once more
Q, STEP, COSINE, SINE = range(12, 16)  # of P too
FEATURE, SLOT, FEATURE_BEFORE, SLOT_BEFORE = range(4)  # rows of M
BOUND, SCALE_OF = range(2)  # rows of G
RESIDUALS, WEIGHTS = range(2)  # rows of single
OPEN, STRONG, BREAKING, INSIDE = range(4)  # rows of F
STRONG_BOUND, EXCESS, DIRECTION = range(3)  # rows of T
# S: the last penalty, tolerance, ridge (l2 of a feature with factor 1), largest root mean square of a row of Z, bound
# of the rounding of products, from which bound on the list holds, down to which it is to be renewed, violation, and
# centre, unit and spread of the target; of the level that is being solved the slope that is good enough, the largest
# one before the step, the same where the step ended without a change of the active set (or -1), the part of a step
# that is dared, and what is left of it.
(
    LAST, TOL, RIDGE, RMS, ROUNDING, TIGHT, BAR, VIOLATION, CENTRE, Y_UNIT, SPREAD,
    GOAL, LARGEST_BEFORE, FORMER, DAMPING, LEFT,
) = range(16)  # fmt: skip
# N: work since signals were looked at, places in use, whether there are too many of them for L, listed features,
# the family, whether the penalty counts features as given, places that are wanted, that there will
# ever be, and that were in use before the step; how often the level was solved, and where the walk is in it (a phase);
# of the level that is being solved its steps, how many of them stalled, whether L is out of date, whether the step may
# have been too bold, its strong features, those that break the conditions, which of them is next, how many came, and
# whether residual and curvature are those of the linear predictor.
(
    WORK, SIZE, WIDE, N_LISTED, FAMILY, AS_GIVEN, WANTED, MOST, SIZE_BEFORE, SOLVED, PHASE,
    STEPS, STALLS, STALE, UNDOABLE, N_STRONG, N_BREAKING, NEXT, CAME, EVALUATED,
) = range(20)  # fmt: skip
NUMBERS_OF_S, NUMBERS_OF_N = LEFT + 1, EVALUATED + 1

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
NEARLY_DEPENDENT = 1e-9
# Where a walk is: before a level, at a step of it, letting features in, with a step to go, or before its check.
BEFORE_LEVEL, STEPPING, LETTING_IN, MOVING, UNCHECKED = range(5)
# Why a walk ends: at its end, for want of places or of memory for what it found; and for what `uncompiled` does: a step
# that may have raised the objective, a feature that is nearly a combination of the others, a factor that lost its
# digits, a step with more places than a factor has, and the residual of a family.
DONE, CROWDED, FULL, RISEN, DEPENDENT, LOST, TOO_WIDE, UNEVALUATED = range(8)


# ---- the path of one resample --------------------------------------------------------------------------


@kernel
def walk(
    Xt: Floats, Z: Singles, D: Floats, reach: Singles,
    rows: Ints, V: Floats, S: Floats, N: Ints, P: Floats, M: Ints, A: Floats, L: Floats,
    G: Singles, listed: Places, single: Singles,
    weighted: Floats, F: Places, T: Floats, sizes: Singles,
    penalties: Floats, first: int, stop_size: int,
    numbers: Floats, ends: Ints, found: Ints, values: Floats,
) -> tuple[int, int]:  # fmt: skip
    """Solve the levels from `first` on, to the last or to the first with stop_size features, and write them down.

    At the penalty NO_FEATURE the features without a penalty enter.

    Level t has the features found[ends[t] : ends[t + 1]], in any order, with the coefficients values[0] of the
    standardised features and values[1] of the features as they are; numbers[t] are its intercept, its violation, and
    what the means of the features take off the intercept. Returned are how many levels there are now, and DONE, or why
    the walk waits: CROWDED (N[WANTED] places are needed), FULL (found is too short), or one of the rare cases. Calling
    it again goes on.
    """
    n, d = len(rows), G.shape[1]
    for j in range(d):
        F[INSIDE, j] = 0
    for a in range(1, N[SIZE]):
        F[INSIDE, M[FEATURE, a]] = 1
    # A level that waited in its midst has left the residual of its last look there.
    _put_single(V[SEEN], rows, single)
    for t in range(first, len(penalties)):
        penalty = penalties[t]
        while True:
            if N[PHASE] == BEFORE_LEVEL:
                # Features enter where their descent grows as fast as the penalty falls: the strong rule, which errs
                # rarely. Then the level is solved again, now without a fall.
                fall = S[LAST] - penalty
                N[N_STRONG], outside = _collect(
                    Xt, Z, D, rows, V, S, N, G, listed, F, T, single, sizes, weighted, penalty - max(fall, 0.0)
                )
                # One place more than can come in: a feature that is nearly dependent waits behind the last one.
                N[WANTED] = N[SIZE] + outside + 1
                if N[WANTED] > M.shape[1] and M.shape[1] < N[MOST]:
                    return t, CROWDED
                _begin_level(V, S, N, P, M, A, n, COARSE * fall)
            if N[PHASE] != UNCHECKED:
                why = _solve_level(
                    Xt, Z, D, reach, rows, V, S, N, P, M, A, L, G, weighted, F, T, single, sizes, penalty
                )
                if why != DONE:
                    return t, why
                _carry(rows, V, S, N, G, reach, F, T, single)
                count_work(N, d * n // 4 + N[N_STRONG] * n)
                # The check needs bounds down to the penalty, the next level down to the bar of its strong features.
                S[BAR] = min(penalty, 2.0 * penalties[t + 1] - penalty) if t + 1 < len(penalties) else penalty
                S[LAST] = penalty
                N[SOLVED] += 1
                N[PHASE] = UNCHECKED
                _renew(Z, S, N, G, listed, single, sizes)
            # Bounds err on the safe side, so whoever may break the conditions is listed, and only the listed ones are
            # computed.
            worst = _broken(Xt, D, rows, V, S, N, G, listed, F, weighted, penalty)
            S[VIOLATION] = max(S[VIOLATION], worst)
            N[PHASE] = BEFORE_LEVEL
            if worst <= S[TOL] or N[SOLVED] == MAX_CHECKS:
                break
        if ends[t] + N[SIZE] > len(found):
            # The level is solved: the next call, with a longer memory, only checks it again and writes it down.
            N[PHASE] = UNCHECKED
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
    """Write down the model of level t."""
    k, taken_off = ends[t], 0.0
    for a in range(1, N[SIZE]):
        coef = P[COEF, a] * S[Y_UNIT] / P[SCALE, a]
        taken_off += coef * P[MEAN, a]
        if P[COEF, a] != 0.0:
            found[k] = M[FEATURE, a]
            values[0, k] = P[COEF, a]
            # Xt may hold the feature divided by a power of two, so its coefficient is brought back to the data's unit.
            values[1, k] = coef / D[features.WHOLE, M[FEATURE, a]]
            k += 1
    ends[t + 1] = k
    numbers[t, 0] = P[COEF, 0]
    numbers[t, 1] = S[VIOLATION]
    numbers[t, 2] = taken_off


# ---- screening -----------------------------------------------------------------------------------------------------


@both
def low(bar: float) -> np.float32:
    """The number in single precision that a bound reaches wherever the descent reaches the bar."""
    return np.float32(max(bar, LEAST_BAR) * (1.0 - ROUNDED))


@both
def rounding_bound(width: int, square: float, rms: float) -> float:
    """A bound of the error of a product of the residual with a row of Z in single precision, whatever its order.

    square is sum_i r_i² / w_i, and rms bounds the root mean square of the row under the weights.
    """
    return (width + 4.0) * features.SINGLE * math.sqrt(square) * rms + 1e-30


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
    rows: Ints, V: Floats, S: Floats, N: Ints, G: Singles, reach: Singles, F: Places, T: Floats, single: Singles
) -> None:
    """Bring the bounds of all features from the residual that was seen to the centred one.

    Those of the strong features are already there, from the last look.
    """
    n = len(rows)
    along, across, square = _turned(V, V[SEEN], S, N, n)
    part, more = np.float32(along * (1.0 + ROUNDED)), np.float32(across * (1.0 + ROUNDED))  # rounded up
    for j in range(G.shape[1]):
        G[BOUND, j] = part * G[BOUND, j] + more * reach[j]
    for k in range(N[N_STRONG]):
        G[BOUND, F[STRONG, k]] = T[STRONG_BOUND, k] * (1.0 + ROUNDED)
    S[ROUNDING] = rounding_bound(single.shape[1], square, S[RMS])
    S[TIGHT] = np.inf
    for i in range(n):
        V[SEEN, i] = V[CENTRED, i]
    _put_single(V[SEEN], rows, single)


@part
def _renew(Z: Singles, S: Floats, N: Ints, G: Singles, listed: Places, single: Singles, sizes: Singles) -> None:
    """Make products of the bounds that reach S[BAR], and list the features that still reach it."""
    S[TIGHT] = low(S[BAR])
    bar, rounding = np.float32(S[TIGHT]), np.float32(S[ROUNDING])
    reaching, left = int(np.int64(0)), int(np.int64(0))
    for j in range(len(Z)):  # without a branch, because no processor foresees which these are
        listed[reaching] = j
        reaching += G[BOUND, j] >= bar
    features.single_dots(Z, listed, reaching, single, sizes)
    for k in range(reaching):
        j = int(np.int64(listed[k]))
        G[BOUND, j] = (sizes[k] + rounding) * G[SCALE_OF, j]
        listed[left] = j
        left += G[BOUND, j] >= bar
    N[N_LISTED] = left


@part
def _descent(
    Xt: Floats, D: Floats, j: int, rows: Ints, V: Floats, S: Floats, N: Ints, residual: Floats, z: Floats
) -> tuple[float, float]:
    """g_j / l1_j for a centred residual, and l1_j; 0 for a feature that is constant."""
    scale = features.standardise(Xt, j, rows, V[W], z[0])[1]
    if scale == 0.0:
        return 0.0, 1.0
    l1 = features.penalty_of(D, j, scale, S[RIDGE], N[AS_GIVEN] == 1)[0]
    return dot(z[0], residual, len(rows)) / l1, l1


@part
def _collect(
    Xt: Floats, Z: Singles, D: Floats, rows: Ints, V: Floats, S: Floats, N: Ints, G: Singles, listed: Places,
    F: Places, T: Floats, single: Singles, sizes: Singles, z: Floats, bar: float,
) -> tuple[int, int]:  # fmt: skip
    """List the strong features, whose |g_j| / l1_j reaches the bar: how many, and how many are outside the model."""
    bar = max(bar, LEAST_BAR)
    least = low(bar)
    if least < S[TIGHT]:
        S[BAR] = bar
        _renew(Z, S, N, G, listed, single, sizes)
    error = 1.0 - 2.0 * features.scale_error(Z.shape[1])
    count, outside = 0, 0
    for i in range(len(rows)):
        V[LOOKED, i] = V[SEEN, i]
    for k in range(N[N_LISTED]):
        j = int(np.int64(listed[k]))
        if G[BOUND, j] < least:
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
    worst, least = 0.0, low(penalty)
    for k in range(N[N_LISTED]):
        j = int(np.int64(listed[k]))
        if G[BOUND, j] >= least and not F[INSIDE, j]:
            descent, l1 = _descent(Xt, D, j, rows, V, S, N, V[SEEN], z)
            G[BOUND, j] = abs(descent) * (1.0 + ROUNDED)
            worst = max(worst, (abs(descent) - penalty) * l1)
    return worst


@part
def _look(
    Xt: Floats, Z: Singles, D: Floats, reach: Singles, rows: Ints, V: Floats, S: Floats, N: Ints, G: Singles,
    F: Places, T: Floats, single: Singles, sizes: Singles, z: Floats, penalty: float,
) -> int:  # fmt: skip
    """List the strong features outside the model that break the conditions by more than S[GOAL]; how many.

    T holds bounds of |g_j| / l1_j of all strong features at V[LOOKED], and gets those of now; of the features that are
    listed it gets excess and sign of the descent.
    """
    n = len(rows)
    _centred(V, n)
    along, across, square = _turned(V, V[LOOKED], S, N, n)
    rounding = rounding_bound(Z.shape[1], square, S[RMS])
    for i in range(n):
        V[LOOKED, i] = V[CENTRED, i]
    n_open = int(np.int64(0))
    for k in range(N[N_STRONG]):  # most are far below the penalty, and their bounds say so
        j = int(np.int64(F[STRONG, k]))
        T[STRONG_BOUND, k] = along * T[STRONG_BOUND, k] + across * reach[j]
        if T[STRONG_BOUND, k] > penalty and not F[INSIDE, j]:
            F[OPEN, n_open], F[BREAKING, n_open] = k, j
            n_open += 1
    _put_single(V[CENTRED], rows, single)
    features.single_dots(Z, F[BREAKING], n_open, single, sizes)
    count = 0
    for place in range(n_open):
        k, j = F[OPEN, place], int(np.int64(F[BREAKING, place]))
        T[STRONG_BOUND, k] = (sizes[place] + rounding) * G[SCALE_OF, j]
        if T[STRONG_BOUND, k] <= penalty:
            continue
        descent, l1 = _descent(Xt, D, j, rows, V, S, N, V[CENTRED], z)
        T[STRONG_BOUND, k] = abs(descent) * (1.0 + 1e-12)
        if (abs(descent) - penalty) * l1 > S[GOAL]:
            F[BREAKING, count], T[EXCESS, count] = j, (abs(descent) - penalty) * l1
            T[DIRECTION, count] = np.sign(descent)
            count += 1
    if penalty == NO_FEATURE:
        for j in range(G.shape[1]):
            if D[features.FACTOR, j] == 0.0 and not F[INSIDE, j]:
                F[BREAKING, count], T[EXCESS, count], T[DIRECTION, count] = j, 0.0, 0.0
                count += 1
    return count


# ---- one level -----------------------------------------------------------------------------------------------------


@part
def _begin_level(V: Floats, S: Floats, N: Ints, P: Floats, M: Ints, A: Floats, n: int, coarse: float) -> None:
    """Linear predictor of the model as it is, and how well its first steps are to be solved."""
    # Afresh, so that no rounding errors gather in it from level to level.
    for i in range(n):
        V[ETA, i] = 0.0
    add_rows(1.0, P[COEF], A, M[SLOT], N[SIZE], V[ETA], n)
    S[GOAL], S[FORMER], S[DAMPING] = max(0.5 * S[TOL], coarse), -1.0, 1.0
    N[STEPS], N[STALLS], N[UNDOABLE], N[EVALUATED] = 0, 0, 0, 0
    # Of other families chord steps with the old factor are good enough until the rate says otherwise.
    N[STALE] = N[FAMILY] == LINEAR and N[SIZE] > 1 and S[RIDGE] > 0.0  # H has changed with the penalty
    N[PHASE] = STEPPING


@inner_part
def _solve_level(
    Xt: Floats, Z: Singles, D: Floats, reach: Singles, rows: Ints, V: Floats, S: Floats, N: Ints, P: Floats, M: Ints,
    A: Floats, L: Floats, G: Singles, weighted: Floats, F: Places, T: Floats, single: Singles, sizes: Singles,
    penalty: float,
) -> int:  # fmt: skip
    """Solve for the strong features; S[VIOLATION] is the largest slope that is left in the active set.

    Returned is DONE, or for which of the rare cases the level waits; it then goes on where N[PHASE] says. Bounds at the
    solution are known of N[N_STRONG] strong features: all, or none where it did not end.
    """
    n, tol = len(rows), 0.5 * S[TOL]
    while True:
        if N[PHASE] == STEPPING:
            if N[EVALUATED] == 0:
                N[EVALUATED] = 1
                if N[FAMILY] > LOGISTIC:
                    return UNEVALUATED
                residual_and_curvature(V[Y], V[W], V[ETA], N[FAMILY] == LOGISTIC, V[RESIDUAL], V[CURVATURE_NOW])
            m = N[SIZE]
            count_work(N, 4 * m * (n + m) + N[N_STRONG] * n // 4 + m * m * n // 4)
            if N[STALE] == 1:
                N[STALE] = 0
                if not _refactor(V, N, P, M, A, L, weighted, n, penalty):
                    return LOST
            N[STEPS] += 1
            largest = 0.0  # of the slopes: minus the gradient of the objective at every place
            rows_times(A, M[SLOT], m, V[RESIDUAL], n, P[Q])
            for a in range(m):
                P[Q, a] -= penalty * (P[L1, a] * P[SIGN, a] + P[L2, a] * P[COEF, a])
                largest = max(largest, abs(P[Q, a]))
            S[VIOLATION] = largest
            # What does not converge (separable classes, copies that take turns) is kept with its violation:
            # S[VIOLATION] says how far it came. The bounds of the last look belong to another residual, so none of them
            # is carried on.
            if N[STEPS] >= MAX_STEPS or S[DAMPING] < 1e-6 or N[STALLS] > MAX_STALLS:
                N[N_STRONG] = 0
                _centred(V, n)
                return DONE
            # The loss is computed only where slopes have grown, which is rare, and `not <=` takes what is no number for
            # a rise.
            if N[UNDOABLE] == 1 and not largest <= S[LARGEST_BEFORE]:
                return RISEN
            N[UNDOABLE] = 0
            if largest <= S[GOAL]:
                N[N_BREAKING] = _look(Xt, Z, D, reach, rows, V, S, N, G, F, T, single, sizes, weighted, penalty)
                N[NEXT], N[CAME], N[PHASE] = 0, 0, LETTING_IN
            # FORMER is positive only after a whole step with the same active set: only then is the fall of the slopes
            # the rate of the chord steps, and not the doing of a feature that came or left.
            elif S[FORMER] > 0.0 and _refactoring_pays(m, n, largest / S[FORMER], largest / tol):
                N[STALLS] += largest >= STALLED * S[FORMER]
                for i in range(n):
                    V[CURVATURE, i], V[SHARE, i] = V[CURVATURE_NOW, i], V[SHARE_NOW, i]
                N[STALE], S[FORMER] = 1, -1.0
                continue
        if N[PHASE] == LETTING_IN:
            if _let_in(Xt, D, rows, V, S, N, P, M, A, L, F, T, penalty):
                return DEPENDENT
            N[PHASE], S[FORMER] = STEPPING, -1.0
            if N[CAME] > 0:
                continue
            # Nobody came at the coarse goal; the same once more at the fine one, which is the solution of the level.
            if S[GOAL] <= tol:
                return DONE
            S[GOAL] = tol
            if S[VIOLATION] <= tol:
                continue
        if N[PHASE] == STEPPING:
            S[FORMER] = S[LARGEST_BEFORE] = S[VIOLATION]
            N[UNDOABLE] = N[FAMILY] != LINEAR
            if N[UNDOABLE] == 1:
                _remember(V, N, P, M, n)
            S[LEFT] = S[DAMPING]
            # Trust comes back by doubling, until a step has to be undone again.
            S[DAMPING] = min(1.0, 2.0 * S[DAMPING])
        while True:
            if N[PHASE] == STEPPING:
                for a in range(N[SIZE]):  # on the way to a minimum all slopes fall alike
                    P[Q, a] *= S[LEFT]
                    P[STEP, a] = P[Q, a]
                if N[WIDE] == 1:
                    N[PHASE] = MOVING
                    return TOO_WIDE
                solve_lower(L, P[STEP], N[SIZE])
                solve_upper(L, P[STEP], N[SIZE])
            N[PHASE] = STEPPING
            # The model is quadratic only as long as no sign changes, so the step ends at the first zero on its way.
            part, place = _crossing(P, N[SIZE])
            for a in range(N[SIZE]):
                P[COEF, a] += part * P[STEP, a]
            add_rows(part, P[STEP], A, M[SLOT], N[SIZE], V[ETA], n)
            if place < 0:
                break
            # Along the step every slope falls by the same share, so the rest of it starts from (1 - part) times the
            # slopes.
            S[LEFT], S[FORMER] = 1.0 - part, -1.0
            _drop(N, P, M, L, F, place)
            if N[WIDE] == 1:  # perhaps they are few enough now
                N[STALE] = 1
                break
        N[EVALUATED] = 0


@part
def _crossing(P: Floats, m: int) -> tuple[float, int]:
    """How far the first coefficient to change its sign lets the step go, and its place; 1 and -1 where none does."""
    # The first of equals leaves, and a coefficient that gets to zero exactly leaves too: at zero it has no sign.
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
    # In multiply-adds; the constants stand for what a step or a factor costs whatever its size. A triangle of products
    # is m² n / 2 of them, and less in time because every number that is read serves two rows.
    step = 2.0 * m * n + m * m + 12.0 * n + 200.0
    factor = 0.3 * m * m * n + m * m * m / 6.0 + 1000.0
    return math.log(left) / -math.log(rate) * step > factor + 2.5 * step


@part
def _refactor(
    V: Floats, N: Ints, P: Floats, M: Ints, A: Floats, L: Floats, weighted: Floats, n: int, penalty: float
) -> bool:
    """Factor the active set anew with V[CURVATURE] and the penalty; False where the factor lost its digits."""
    m = N[SIZE]
    # A factor over the places would be far larger than the n x n matrix that `step_of_many` solves with instead. Places
    # without a ridge are never that many: no more than n of them are independent.
    N[WIDE] = m > 3 * n + 2 and P[L2, m - 1] > 0.0
    if N[WIDE] == 1:
        return True
    for i in range(n):
        V[SPARE, i] = math.sqrt(V[CURVATURE, i])
    for a in range(m):
        if N[FAMILY] == COX:
            less_running_means(A[M[SLOT, a]], V[SHARE], weighted[a])
        for i in range(n):
            weighted[a, i] = (weighted[a, i] if N[FAMILY] == COX else A[M[SLOT, a], i]) * V[SPARE, i]
    products(weighted, m, n, L)
    for a in range(1, m):
        L[a, a] += penalty * P[L2, a]
    return factorise(L, m)


# ---- features that come and leave ------------------------------------------------------------------------------------


@inner_part
def _let_in(
    Xt: Floats, D: Floats, rows: Ints, V: Floats, S: Floats, N: Ints, P: Floats, M: Ints, A: Floats, L: Floats,
    F: Places, T: Floats, penalty: float,
) -> bool:  # fmt: skip
    """The features that break the conditions most enter, the worst first; True as soon as one is nearly dependent."""
    # Most that break the conditions do so because the worst ones are missing; letting all in would make them leave
    # again.
    entering = max(LEAST_ENTERING, int(SHARE_ENTERING * N[SIZE])) if penalty < NO_FEATURE else N[N_BREAKING]
    while N[NEXT] < min(N[N_BREAKING], entering):
        worst = N[NEXT]
        for other in range(worst + 1, N[N_BREAKING]):
            if T[EXCESS, other] > T[EXCESS, worst]:
                worst = other
        j, sign = F[BREAKING, worst], T[DIRECTION, worst]
        for other in range(worst, N[NEXT], -1):  # those in between move up, so that equal ones keep their order
            F[BREAKING, other] = F[BREAKING, other - 1]
            T[EXCESS, other] = T[EXCESS, other - 1]
            T[DIRECTION, other] = T[DIRECTION, other - 1]
        N[NEXT] += 1
        if _enter(Xt, D, rows, V, S, N, P, M, A, L, F, int(np.int64(j)), sign, penalty):
            return True
    return False


@part
def _enter(
    Xt: Floats, D: Floats, rows: Ints, V: Floats, S: Floats, N: Ints, P: Floats, M: Ints, A: Floats, L: Floats,
    F: Places, j: int, sign: float, penalty: float,
) -> bool:  # fmt: skip
    """Feature j enters with this sign and coefficient 0; True where it is nearly a combination of the others.

    It is then at the place behind the last, and does not count yet.
    """
    n, m = len(rows), N[SIZE]
    if m >= M.shape[1]:
        return False
    slot = M[SLOT, m]
    P[MEAN, m], P[SCALE, m] = features.standardise(Xt, j, rows, V[W], A[slot])
    if P[SCALE, m] == 0.0:
        return False
    P[L1, m], P[L2, m] = features.penalty_of(D, j, P[SCALE, m], S[RIDGE], N[AS_GIVEN] == 1)
    M[FEATURE, m] = j
    P[COEF, m] = 0.0
    P[SIGN, m] = sign
    ridge = penalty * P[L2, m]
    if ridge > 0.0 and m + 1 > 3 * n + 2:
        N[WIDE] = 1
    if N[WIDE] == 0:
        if m >= len(L):
            return False
        for i in range(n):
            V[SPARE, i] = A[slot, i] * V[CURVATURE, i]
        if N[FAMILY] == COX:
            less_running_means(A[slot], V[SHARE], V[SPARE])
            for i in range(n):
                V[SPARE, i] *= V[CURVATURE, i]
            transposed(V[SHARE], V[SPARE])
        # The new row of the factor is L^-1 times the products with the active features; what their squares leave of the
        # own product is its last entry. A difference, so few digits are left where the feature nearly depends on the
        # others.
        rows_times(A, M[SLOT], m + 1, V[SPARE], n, L[m])
        own = L[m, m]
        solve_lower(L, L[m], m)
        left = own - dot(L[m], L[m], m) + ridge
        if left <= NEARLY_DEPENDENT * own:
            return True
        L[m, m] = math.sqrt(left)
    F[INSIDE, j] = 1
    N[SIZE] = m + 1
    N[CAME] += 1
    return False


@part
def _drop(N: Ints, P: Floats, M: Ints, L: Floats, F: Places, place: int) -> None:
    """A feature leaves the active set, and its slope the list of them."""
    m, gone = N[SIZE], M[SLOT, place]
    F[INSIDE, M[FEATURE, place]] = 0
    if N[WIDE] == 0:
        drop_row(L, place, m, P[COSINE], P[SINE])
    for a in range(place, m - 1):
        for row in range(6):
            P[row, a] = P[row, a + 1]
        M[FEATURE, a] = M[FEATURE, a + 1]
        M[SLOT, a] = M[SLOT, a + 1]
        P[Q, a] = P[Q, a + 1]
    M[SLOT, m - 1] = gone
    N[SIZE] = m - 1


@part
def _remember(V: Floats, N: Ints, P: Floats, M: Ints, n: int) -> None:
    """Keep the model as it is before a step; N[SIZE_BEFORE] is its size."""
    for i in range(n):
        V[ETA_BEFORE, i] = V[ETA, i]
    for a in range(N[SIZE]):
        for row in range(6):
            P[BEFORE + row, a] = P[row, a]
        for row in range(2):
            M[FEATURE_BEFORE + row, a] = M[row, a]
    N[SIZE_BEFORE] = N[SIZE]
