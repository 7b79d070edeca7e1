"""Small linear algebra on plain arrays: a Cholesky factor that is kept up to date, and products of rows.

L is lower triangular with L L' = H. Everything is a loop: the compiler turns it into vector instructions, and a call of
BLAS costs more than the work on matrices of this size.
"""

import math

from steadyset.kernels.arrays import Floats, Ints
from steadyset.kernels.jit import part, summing_part

# A pivot that is a smaller part of its diagonal entry than this is lost in rounding.
LOST = 1e-13


@summing_part
def dot(a: Floats, b: Floats, n: int) -> float:
    """sum_i a_i b_i over the first n places."""
    total = 0.0
    for i in range(n):
        total += a[i] * b[i]
    return total


@summing_part
def rows_dot(A: Floats, r: int, s: int, n: int) -> float:
    """sum_i A_ri A_si over the first n places."""
    total = 0.0
    for i in range(n):
        total += A[r, i] * A[s, i]
    return total


@summing_part
def add_rows(c: float, coef: Floats, A: Floats, slot: Ints, m: int, b: Floats, n: int) -> None:
    """Add c sum_a coef_a A[slot_a] to b, four rows at a time."""
    last = m // 4 * 4
    for a in range(0, last, 4):
        i0, i1, i2, i3 = slot[a], slot[a + 1], slot[a + 2], slot[a + 3]
        c0, c1, c2, c3 = c * coef[a], c * coef[a + 1], c * coef[a + 2], c * coef[a + 3]
        for i in range(n):
            b[i] += c0 * A[i0, i] + c1 * A[i1, i] + c2 * A[i2, i] + c3 * A[i3, i]
    for a in range(last, m):
        for i in range(n):
            b[i] += c * coef[a] * A[slot[a], i]


@summing_part
def rows_times(A: Floats, slot: Ints, m: int, x: Floats, n: int, out: Floats) -> None:
    """out_a = sum_i A[slot_a, i] x_i for the first m slots, four rows at a time."""
    last = m // 4 * 4
    for a in range(0, last, 4):
        i0, i1, i2, i3 = slot[a], slot[a + 1], slot[a + 2], slot[a + 3]
        s0 = s1 = s2 = s3 = 0.0
        for i in range(n):
            s0 += A[i0, i] * x[i]
            s1 += A[i1, i] * x[i]
            s2 += A[i2, i] * x[i]
            s3 += A[i3, i] * x[i]
        out[a], out[a + 1], out[a + 2], out[a + 3] = s0, s1, s2, s3
    for a in range(last, m):
        total = 0.0
        for i in range(n):
            total += A[slot[a], i] * x[i]
        out[a] = total


@summing_part
def solve_lower(L: Floats, x: Floats, m: int) -> None:
    """Overwrite x[:m] with L^-1 x."""
    for i in range(m):
        total = 0.0
        for c in range(i):
            total += L[i, c] * x[c]
        x[i] = (x[i] - total) / L[i, i]


@summing_part
def solve_upper(L: Floats, x: Floats, m: int) -> None:
    """Overwrite x[:m] with L'^-1 x."""
    for i in range(m - 1, -1, -1):
        x[i] /= L[i, i]
        for c in range(i):
            x[c] -= x[i] * L[i, c]


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


@summing_part
def orthogonalise(A: Floats, m: int, n: int, L: Floats) -> None:
    """The factor of A A' from the rows themselves, which are overwritten by orthonormal ones.

    Products square the condition number: where they lose a pivot, this still has half of its digits. Each row is made
    orthogonal twice, because the first time leaves what rounding makes of a row that nearly vanishes.
    """
    for r in range(m):
        own = rows_dot(A, r, r, n)
        for c in range(r):
            L[r, c] = 0.0
        for _ in range(2):
            for c in range(r):
                share = rows_dot(A, r, c, n)
                L[r, c] += share
                for i in range(n):
                    A[r, i] -= share * A[c, i]
        # What is a combination of the rows before keeps a little length: the factor then only foretells the step.
        length = max(math.sqrt(rows_dot(A, r, r, n)), 1e-10 * math.sqrt(own) + 1e-150)
        L[r, r] = length
        for i in range(n):
            A[r, i] /= length


@summing_part
def drop_row(L: Floats, gone: int, m: int, cosine: Floats, sine: Floats) -> None:
    """Bring the factor of an m x m matrix up to date when its row and column `gone` leave (Givens rotations)."""
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
        cosine[r], sine[r], L[r, r] = left / length, right / length, length


@part
def subtract_product(L: Floats, v: Floats, m: int) -> bool:
    """Change the factor of C to that of C - v v', with v overwritten; False where nothing positive is left."""
    for c in range(m):
        old = L[c, c]
        square = old * old - v[c] * v[c]
        if square <= LOST * old * old:
            return False
        new = math.sqrt(square)
        cosine, sine = new / old, v[c] / old
        L[c, c] = new
        for r in range(c + 1, m):
            L[r, c] = (L[r, c] - sine * v[r]) / cosine
            v[r] = cosine * v[r] - sine * L[r, c]
    return True


@summing_part
def solve_over_rows(
    L: Floats, Z: Floats, slot: Ints, ridge: Floats, m: int, free: int, n: int, q: Floats, t: Floats, columns: Floats
) -> None:
    """Overwrite q with the solution of (Z' D Z + diag(ridge)) d = q by the factor of the matrix over the rows.

    The first `free` places F have no ridge, the others P do. With C = D^-1 + Z_P diag(1 / ridge) Z_P', which L is the
    factor of,

        (Z_F' C^-1 Z_F) d_F = q_F - Z_F' C^-1 c,  c = Z_P diag(1 / ridge) q_P,
        d_P = diag(1 / ridge) (q_P - Z_P' t),     t = C^-1 (Z_F d_F + c).
    """
    for i in range(n):
        t[i] = 0.0
    for a in range(free, m):
        for i in range(n):
            t[i] += q[a] / ridge[a] * Z[slot[a], i]
    solve_lower(L, t, n)  # L^-1 c; columns gets L^-1 Z_F
    small = columns[free:]
    for a in range(free):
        for i in range(n):
            columns[a, i] = Z[slot[a], i]
        solve_lower(L, columns[a], n)
        q[a] -= dot(columns[a], t, n)
        for c in range(a + 1):
            small[a, c] = dot(columns[a], columns[c], n)
    factorise(small, free)
    solve_lower(small, q, free)
    solve_upper(small, q, free)
    for a in range(free):
        for i in range(n):
            t[i] += q[a] * columns[a, i]
    solve_upper(L, t, n)
    for a in range(free, m):
        q[a] = (q[a] - dot(Z[slot[a]], t, n)) / ridge[a]
