"""Multinomial regression with an elastic-net penalty, plain or grouped by feature, on a few features.

Rows have weights w (sum 1) and one of K classes, z_aj is feature a, standardised, z_0 the intercept. The model

    p_c(i) = exp(eta_ic) / sum_e exp(eta_ie),   eta_ic = sum_a z_ai b_ac,

minimises  -sum_i w_i log p_(y_i)(i) + sum_a pen_a(b_a),  b_a = (b_a1, ..., b_aK), with

    plain    pen_a = l1_a |b_a|_1 + l2_a |b_a|_2² / 2,
    grouped  pen_a = l1_a |b_a|_2 + l2_a |b_a|_2² / 2.

With r_ic = w_i ([y_i = c] - p_c(i)) the descent is g_ac = sum_i z_ai r_ic, and b is optimal where g_a - l2_a b_a is a
subgradient of the first part: l1 sign(b_ac), or at most l1 where b_ac = 0; grouped l1 b_a / |b_a|, or at most of norm
l1 where b_a = 0.

**Proximal Newton steps.** The second derivative H_(ac)(be) = sum_i w_i z_ai z_bi p_c (delta_ce - p_e) is exact. Its
quadratic model with the penalty is minimised block by block (`_sweep`), which finds what is zero; then the model is
smooth on the rest, and Newton's steps with one factor find the digits (`_sharpen`). A step that raises the objective is
halved. So the solution comes near at a quadratic rate, whatever the sweeps leave.

**What is free.** Adding a constant to all classes of a row of b changes no p. Rows without a penalty (l1 = 0) get the
curvature of that direction from outside: their descents sum to 0 over the classes, so no step changes by it.
"""

import numpy as np

from steadyset.kernels.arrays import Floats, Ints
from steadyset.kernels.jit import inner_part, kernel, part
from steadyset.kernels.paths.factor import dot, factorise, solve_lower, solve_upper
from steadyset.kernels.signals import count_work

MAX_STEPS, MAX_SWEEPS, MAX_HALVINGS, MAX_SHARPENINGS = 100, 200, 40, 20
ROUNDING = 1e-13  # of the objective


@kernel
def solve(
    Z: Floats, w: Floats, codes: Ints, l1: Floats, l2: Floats, grouped: bool, tol: float, b: Floats, R: Floats
) -> float:
    """Overwrite b, one row of Z after the other with its classes, by the solution, and R (classes x rows) by r.

    Returned is by how much the conditions are broken at most.
    """
    K, n = R.shape
    P, H, g, moved = np.empty((K, n)), np.empty((len(b), len(b))), np.empty(len(b)), np.empty(len(b))
    done = np.empty(1, np.int64)
    done[0] = 0
    objective = _evaluate(Z, w, codes, b, P, R) + _penalty(b, l1, l2, K, grouped)
    worst = np.inf
    for _ in range(MAX_STEPS):
        for a in range(len(Z)):
            for c in range(K):
                g[a * K + c] = dot(Z[a], R[c], n)
        worst = _broken(b, g, l1, l2, K, grouped)
        if worst <= tol:
            break
        _curvature(Z, w, P, l1, H)
        count_work(done, len(b) * len(b) * n)
        for k in range(len(b)):
            moved[k] = b[k]
        # An inexact step keeps the quadratic rate of Newton's method as long as its own error falls with the square of
        # what is broken; far from the solution anything finer would be wasted on a model that does not hold there.
        _sweep(H, g, l1, l2, K, grouped, max(0.1 * tol, min(0.01 * worst, worst * worst)), moved)
        _sharpen(H, g, l1, l2, K, grouped, 0.01 * tol, moved)
        reached = np.inf
        for _ in range(MAX_HALVINGS):
            reached = _evaluate(Z, w, codes, moved, P, R) + _penalty(moved, l1, l2, K, grouped)
            if reached <= objective + ROUNDING * abs(objective):
                break
            for k in range(len(b)):
                moved[k] = 0.5 * (b[k] + moved[k])
        # Not even a tiny step lowers the objective: rounding has the last word, and `worst` is what is left.
        if not reached <= objective + ROUNDING * abs(objective):
            _evaluate(Z, w, codes, b, P, R)
            break
        for k in range(len(b)):
            b[k] = moved[k]
        objective = reached
    return worst


@part
def _evaluate(Z: Floats, w: Floats, codes: Ints, b: Floats, P: Floats, R: Floats) -> float:
    """The loss, with p in P and r in R."""
    K, n = P.shape
    for c in range(K):
        for i in range(n):
            P[c, i] = 0.0
        for a in range(len(Z)):
            if b[a * K + c] != 0.0:
                for i in range(n):
                    P[c, i] += b[a * K + c] * Z[a, i]
    loss = 0.0
    for i in range(n):
        # Less the largest, so that exp cannot overflow.
        top, own, total = P[0, i], P[codes[i], i], 0.0
        for c in range(1, K):
            top = max(top, P[c, i])
        for c in range(K):
            P[c, i] = np.exp(P[c, i] - top)
            total += P[c, i]
        loss += w[i] * (np.log(total) + top - own)
        for c in range(K):
            P[c, i] /= total
            R[c, i] = w[i] * ((1.0 if codes[i] == c else 0.0) - P[c, i])
    return loss


@inner_part
def _curvature(Z: Floats, w: Floats, P: Floats, l1: Floats, H: Floats) -> None:
    """H, with the curvature of what is free."""
    (K, n), weighted = P.shape, np.empty(P.shape[1])
    for c in range(K):
        for e in range(c + 1):
            for a in range(len(Z)):
                for i in range(n):
                    weighted[i] = Z[a, i] * w[i] * P[c, i] * ((1.0 if c == e else 0.0) - P[e, i])
                for other in range(a + 1):
                    value = dot(Z[other], weighted, n)
                    H[a * K + c, other * K + e] = H[a * K + e, other * K + c] = value
                    H[other * K + c, a * K + e] = H[other * K + e, a * K + c] = value
    for a in range(len(Z)):
        # The direction of equal changes in all classes, in which the loss is flat and H singular.
        if l1[a] == 0.0:
            more = H[a * K, a * K]
            for c in range(K):
                for e in range(K):
                    H[a * K + c, a * K + e] += more


@inner_part
def _sweep(H: Floats, slopes: Floats, l1: Floats, l2: Floats, K: int, grouped: bool, goal: float, b: Floats) -> None:
    """Minimise the quadratic model by sweeps, until no slope moves by more than the goal; b and slopes change.

    A block is a row of b where the penalty is grouped, otherwise one number. Its curvature is bounded by one number, so
    that its minimum is a formula; the bound is exact for one number.
    """
    wide = K if grouped else 1
    bends, changes = np.empty(len(b)), np.empty(wide)
    for first in range(0, len(b), wide):
        # The largest sum of a row bounds the largest eigenvalue of the block (Gershgorin).
        bends[first] = 0.0
        for p in range(first, first + wide):
            row = 0.0
            for q in range(first, first + wide):
                row += abs(H[p, q])
            bends[first] = max(bends[first], row)
    for _ in range(MAX_SWEEPS):
        largest = 0.0
        for first in range(0, len(b), wide):
            a, bend, square = first // K, bends[first], 0.0
            if bend <= 0.0:
                continue
            for p in range(first, first + wide):
                square += (slopes[p] + bend * b[p]) ** 2
            size = np.sqrt(square)
            shrunk = (1.0 - l1[a] / size) / (bend + l2[a]) if size > l1[a] else 0.0
            for p in range(first, first + wide):
                changes[p - first] = shrunk * (slopes[p] + bend * b[p]) - b[p]
            for p in range(first, first + wide):
                change = changes[p - first]
                if change != 0.0:
                    # Zero exactly, and not what rounding leaves of b - b: supports are read off b.
                    b[p] = b[p] + change if shrunk > 0.0 else 0.0
                    largest = max(largest, bend * abs(change))
                    for q in range(len(b)):
                        slopes[q] -= change * H[p, q]
        if largest <= goal:
            return


@inner_part
def _sharpen(H: Floats, slopes: Floats, l1: Floats, l2: Floats, K: int, grouped: bool, goal: float, b: Floats) -> None:
    """Newton's steps of the quadratic model on what is not zero, for as long as nothing passes zero."""
    m, support, norms, along = 0, np.empty(len(b), np.int64), np.empty(len(b) // K), np.empty(len(b) // K)
    for a in range(len(norms)):
        norms[a] = _norm(b, a * K, K)
        for p in range(a * K, (a + 1) * K):
            if l1[a] == 0.0 or b[p] != 0.0:
                support[m] = p
                m += 1
    factor, step = np.empty((m, m)), np.empty(m)
    for _ in range(MAX_SHARPENINGS):
        largest = 0.0
        for k in range(m):
            p, a = support[k], support[k] // K
            pull = l1[a] / norms[a]
            step[k] = slopes[p] - l2[a] * b[p] - (pull * b[p] if grouped else l1[a] * np.sign(b[p]))
            largest = max(largest, abs(step[k]))
            for j in range(k + 1):
                q = support[j]
                factor[k, j] = H[p, q] + (l2[a] if j == k else 0.0)
                if grouped and q // K == a:
                    # The second derivative of l1 |b_a|, which bends across b_a and not along it.
                    factor[k, j] += pull * ((1.0 if j == k else 0.0) - b[p] * b[q] / norms[a] ** 2)
        if largest <= goal or not factorise(factor, m):
            return
        solve_lower(factor, step, m)
        solve_upper(factor, step, m)
        for a in range(len(norms)):
            along[a] = 0.0  # of each row of b with what it becomes
        for k in range(m):
            a, old = support[k] // K, b[support[k]]
            along[a] += old * (old + step[k])
            # Beyond zero the penalty has another slope, and the quadratic model says nothing there: what the sweeps
            # found stays, and they decide again at the next step.
            if l1[a] > 0.0 and not grouped and old * (old + step[k]) <= 0.0:
                return
        for k in range(m):
            if l1[support[k] // K] > 0.0 and along[support[k] // K] <= 0.0:
                return
        for k in range(m):
            b[support[k]] += step[k]
            for q in range(len(b)):
                slopes[q] -= step[k] * H[support[k], q]
        for a in range(len(norms)):
            norms[a] = _norm(b, a * K, K)


@part
def _norm(b: Floats, first: int, K: int) -> float:
    """The norm of a row of b; 1 where it is 0."""
    square = 0.0
    for p in range(first, first + K):
        square += b[p] * b[p]
    return np.sqrt(square) if square > 0.0 else 1.0


@inner_part
def _broken(b: Floats, g: Floats, l1: Floats, l2: Floats, K: int, grouped: bool) -> float:
    """By how much the conditions are broken at most."""
    worst = 0.0
    for a in range(len(l1)):
        norm, off = 0.0, 0.0
        for p in range(a * K, (a + 1) * K):
            norm += b[p] ** 2
        norm = np.sqrt(norm)
        for p in range(a * K, (a + 1) * K):
            slope = g[p] - l2[a] * b[p]
            if grouped:
                off += (slope - (l1[a] * b[p] / norm if norm > 0.0 else 0.0)) ** 2
            elif b[p] != 0.0:
                worst = max(worst, abs(slope - l1[a] * np.sign(b[p])))
            else:
                worst = max(worst, abs(slope) - l1[a])
        if grouped:
            worst = max(worst, np.sqrt(off) - (0.0 if norm > 0.0 else l1[a]))
    return worst


@part
def _penalty(b: Floats, l1: Floats, l2: Floats, K: int, grouped: bool) -> float:
    total = 0.0
    for a in range(len(l1)):
        size, square = 0.0, 0.0
        for p in range(a * K, (a + 1) * K):
            size += abs(b[p])
            square += b[p] ** 2
        total += l1[a] * (np.sqrt(square) if grouped else size) + 0.5 * l2[a] * square
    return total
