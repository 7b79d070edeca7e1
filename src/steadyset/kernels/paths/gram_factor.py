"""The factor of the active set: Cholesky of H = Z' D Z + diag(l2), kept up to date as features come and go.

With more places than rows the matrix over the rows is smaller. Let F be the places without an l2 penalty (the intercept
and features without a penalty), P the others, and C = D^-1 + Z_P diag(1 / l2) Z_P'. Then H d = q has the solution

    (Z_F' C^-1 Z_F) d_F = q_F - Z_F' C^-1 c,  c = Z_P diag(1 / l2) q_P,   d_P = diag(1 / l2) (q_P - Z_P' t),
    t = C^-1 (Z_F d_F + c),

and L holds the factor of C. A feature that comes or goes changes C by a product of one vector with itself.
"""

import math

import numpy as np

from steadyset.kernels.arrays import Floats
from steadyset.kernels.jit import part, summing_part
from steadyset.kernels.linear.products import add_row, row_dot, rows_dot
from steadyset.kernels.paths.path_arrays import Active

# A pivot that is a smaller part of its diagonal entry than this is lost in rounding.
LOST = 1e-13


@summing_part
def solve_lower(L: Floats, x: Floats, m: int) -> None:
    """Overwrite x[:m] with L^-1 x."""
    for i in range(m):
        x[i] = (x[i] - row_dot(L, i, x, i)) / L[i, i]


@summing_part
def solve_upper(L: Floats, x: Floats, m: int) -> None:
    """Overwrite x[:m] with L'^-1 x."""
    for i in range(m - 1, -1, -1):
        x[i] /= L[i, i]
        add_row(-x[i], L, i, x, i)


@summing_part
def drop_row(L: Floats, gone: int, m: int) -> None:
    """Bring the factor of an m x m matrix up to date when its row and column `gone` leave."""
    cosine = np.empty(m)
    sine = np.empty(m)
    for r in range(gone, m - 1):
        for c in range(gone):
            L[r, c] = L[r + 1, c]
        left = L[r + 1, gone]
        for c in range(gone, r):
            right = L[r + 1, c + 1]
            L[r, c] = cosine[c] * left + sine[c] * right
            left = cosine[c] * right - sine[c] * left
        right = L[r + 1, r + 1]
        length = math.sqrt(left * left + right * right)
        cosine[r] = left / length
        sine[r] = right / length
        L[r, r] = length


@summing_part
def add_product(L: Floats, v: Floats, m: int, sign: float) -> bool:
    """Change the factor of C to that of C + sign v v', with v overwritten; False where nothing positive is left.

    Each row is turned by the rotations of the columns before it: four rows at a time, because the turns of a row wait
    for each other.
    """
    cosine, sine, inverse = np.empty(m), np.empty(m), np.empty(m)
    for begin in range(0, m, 4):
        end = min(begin + 4, m)
        if end - begin == 4:
            r0, r1, r2, r3 = L[begin], L[begin + 1], L[begin + 2], L[begin + 3]
            v0, v1, v2, v3 = v[begin], v[begin + 1], v[begin + 2], v[begin + 3]
            for c in range(begin):
                turn, co, si, inv = sign * sine[c], cosine[c], sine[c], inverse[c]
                r0[c] = (r0[c] + turn * v0) * inv
                r1[c] = (r1[c] + turn * v1) * inv
                r2[c] = (r2[c] + turn * v2) * inv
                r3[c] = (r3[c] + turn * v3) * inv
                v0 = co * v0 - si * r0[c]
                v1 = co * v1 - si * r1[c]
                v2 = co * v2 - si * r2[c]
                v3 = co * v3 - si * r3[c]
            v[begin], v[begin + 1], v[begin + 2], v[begin + 3] = v0, v1, v2, v3
        first = begin if end - begin == 4 else 0
        for r in range(begin, end):
            for c in range(first, r):
                L[r, c] = (L[r, c] + sign * sine[c] * v[r]) * inverse[c]
                v[r] = cosine[c] * v[r] - sine[c] * L[r, c]
            old = L[r, r]
            square = old * old + sign * v[r] * v[r]
            if square <= LOST * old * old:
                return False
            new = math.sqrt(square)
            cosine[r], sine[r], inverse[r] = new / old, v[r] / old, old / new
            L[r, r] = new
    return True


@summing_part
def products(A: Floats, m: int, n: int, L: Floats) -> None:
    """The lower triangle of A A', four rows by two at a time: every number that is read is used several times."""
    even = m - m % 4
    for a in range(0, even, 4):
        for c in range(0, a + 3, 2):
            s00 = s01 = s10 = s11 = s20 = s21 = s30 = s31 = 0.0
            for i in range(n):
                left, right = A[c, i], A[c + 1, i]
                s00 += A[a, i] * left
                s01 += A[a, i] * right
                s10 += A[a + 1, i] * left
                s11 += A[a + 1, i] * right
                s20 += A[a + 2, i] * left
                s21 += A[a + 2, i] * right
                s30 += A[a + 3, i] * left
                s31 += A[a + 3, i] * right
            L[a, c], L[a, c + 1] = s00, s01
            L[a + 1, c], L[a + 1, c + 1] = s10, s11
            L[a + 2, c], L[a + 2, c + 1] = s20, s21
            L[a + 3, c], L[a + 3, c + 1] = s30, s31
    for a in range(even, m):
        for c in range(a + 1):
            L[a, c] = rows_dot(A, a, c, n)


@summing_part
def factorise(L: Floats, m: int) -> bool:
    """Overwrite the lower triangle with its Cholesky factor; False as soon as a pivot is lost in rounding."""
    for begin in range(0, m, 4):
        end = min(begin + 4, m)
        first = 0
        if end - begin == 4:
            _four_rows(L, begin)
            first = begin
        for r in range(begin, end):
            for c in range(first, r):
                L[r, c] = (L[r, c] - rows_dot(L, r, c, c)) / L[c, c]
            pivot = L[r, r] - rows_dot(L, r, r, r)
            if not pivot > LOST * L[r, r]:
                return False
            L[r, r] = math.sqrt(pivot)
    return True


@summing_part
def _four_rows(L: Floats, a: int) -> None:
    """Four rows of the factor from `a` on, up to column a (a multiple of four), two columns at a time."""
    for c in range(0, a, 2):
        s00 = s01 = s10 = s11 = s20 = s21 = s30 = s31 = 0.0
        for i in range(c):
            left, right = L[c, i], L[c + 1, i]
            s00 += L[a, i] * left
            s01 += L[a, i] * right
            s10 += L[a + 1, i] * left
            s11 += L[a + 1, i] * right
            s20 += L[a + 2, i] * left
            s21 += L[a + 2, i] * right
            s30 += L[a + 3, i] * left
            s31 += L[a + 3, i] * right
        one, below, two = 1.0 / L[c, c], L[c + 1, c], 1.0 / L[c + 1, c + 1]
        L[a, c] = (L[a, c] - s00) * one
        L[a + 1, c] = (L[a + 1, c] - s10) * one
        L[a + 2, c] = (L[a + 2, c] - s20) * one
        L[a + 3, c] = (L[a + 3, c] - s30) * one
        L[a, c + 1] = (L[a, c + 1] - s01 - L[a, c] * below) * two
        L[a + 1, c + 1] = (L[a + 1, c + 1] - s11 - L[a + 1, c] * below) * two
        L[a + 2, c + 1] = (L[a + 2, c + 1] - s21 - L[a + 2, c] * below) * two
        L[a + 3, c + 1] = (L[a + 3, c + 1] - s31 - L[a + 3, c] * below) * two


@part
def is_wide(m: int, n: int) -> bool:
    """Whether the matrix over n rows is cheaper than that over m places; a lasso never has so many."""
    return m > 3 * n + 2


@summing_part
def refactor(active: Active, n: int, penalty: float, weighted: Floats) -> bool:
    """Factor the active set anew with its curvature and penalty; weighted is memory for it."""
    m = active.size[0]
    active.wide[0] = 1 if is_wide(m, n) else 0
    if active.wide[0]:
        return refactor_over_rows(active, n, penalty)
    for i in range(n):
        weighted[0, i] = math.sqrt(active.curvature[i])
    for a in range(1, m):
        slot = active.slot[a]
        for i in range(n):
            weighted[a, i] = active.Z[slot, i] * weighted[0, i]
    products(weighted, m, n, active.L)
    for a in range(1, m):
        active.L[a, a] += penalty * active.l2[a]
    return factorise(active.L, m)


@summing_part
def refactor_over_rows(active: Active, n: int, penalty: float) -> bool:
    """The factor of C: its lower triangle is built from the columns of Z, scaled."""
    m, start = active.size[0], first_with_ridge(active)
    A = np.empty((n, m - start))
    for a in range(start, m):
        slot = active.slot[a]
        root = 1.0 / math.sqrt(penalty * active.l2[a])
        for i in range(n):
            A[i, a - start] = active.Z[slot, i] * root
    products(A, n, m - start, active.L)
    for i in range(n):
        active.L[i, i] += 1.0 / active.curvature[i]
    return factorise(active.L, n)


@part
def first_with_ridge(active: Active) -> int:
    """The first place whose coefficient has an l2 penalty; those without one come first."""
    place = 1
    while place < active.size[0] and active.l2[place] == 0.0:
        place += 1
    return place


@summing_part
def solve_over_rows(active: Active, n: int, penalty: float, q: Floats) -> None:
    """Overwrite q with the solution of H d = q by the factor of C."""
    m, start = active.size[0], first_with_ridge(active)
    t = np.zeros(n)
    for a in range(start, m):
        add_row(q[a] / (penalty * active.l2[a]), active.Z, active.slot[a], t, n)
    solve_lower(active.L, t, n)  # L^-1 c
    columns = np.empty((start, n))  # L^-1 Z_F
    small = np.empty((start, start))
    for a in range(start):
        slot = active.slot[a]
        for i in range(n):
            columns[a, i] = active.Z[slot, i]
        solve_lower(active.L, columns[a], n)
        q[a] -= row_dot(columns, a, t, n)
        for c in range(a + 1):
            small[a, c] = rows_dot(columns, a, c, n)
    factorise(small, start)
    solve_lower(small, q, start)
    solve_upper(small, q, start)
    for a in range(start):
        add_row(q[a], columns, a, t, n)
    solve_upper(active.L, t, n)
    for a in range(start, m):
        q[a] = (q[a] - row_dot(active.Z, active.slot[a], t, n)) / (penalty * active.l2[a])
