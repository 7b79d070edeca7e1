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
def add_rows(c: float, coef: Floats, A: Floats, slot: Ints, m: int, b: Floats, n: int) -> None:
    """Add c sum_a coef_a A[slot_a] to b, two rows at a time; an odd last one comes with 0 times another."""
    for a in range(0, m, 2):
        here, next_ = slot[a], slot[min(a + 1, m - 1)]
        one, other = c * coef[a], c * coef[a + 1] if a + 1 < m else 0.0
        for i in range(n):
            b[i] += one * A[here, i] + other * A[next_, i]


@summing_part
def rows_times(A: Floats, slot: Ints, m: int, x: Floats, n: int, out: Floats) -> None:
    """out_a = sum_i A[slot_a, i] x_i for the first m slots, two rows at a time; an odd last one is its own partner."""
    for a in range(0, m, 2):
        b = min(a + 1, m - 1)
        here, next_ = slot[a], slot[b]
        one = other = 0.0
        for i in range(n):
            one += A[here, i] * x[i]
            other += A[next_, i] * x[i]
        out[a] = one
        out[b] = other


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
def two_by_two(A: Floats, a: int, b: int, c: int, d: int, n: int) -> tuple[float, float, float, float]:
    """The products of rows a and b with rows c and d over the first n places: every number read is used twice."""
    ac = ad = bc = bd = 0.0
    for i in range(n):
        ac += A[a, i] * A[c, i]
        ad += A[a, i] * A[d, i]
        bc += A[b, i] * A[c, i]
        bd += A[b, i] * A[d, i]
    return ac, ad, bc, bd


@part
def products(A: Floats, m: int, n: int, L: Floats) -> None:
    """The lower triangle of A A', two rows by two at a time; an odd last row is its own partner."""
    for a in range(0, m, 2):
        b = min(a + 1, m - 1)
        for c in range(0, a + 1, 2):
            d = min(c + 1, m - 1)
            L[a, c], L[a, d], L[b, c], L[b, d] = two_by_two(A, a, b, c, d, n)


@part
def factorise(L: Floats, m: int) -> bool:
    """Overwrite the lower triangle with its Cholesky factor; False as soon as a pivot is lost in rounding."""
    for a in range(0, m, 2):
        b = min(a + 1, m - 1)
        for c in range(0, a, 2):
            d = c + 1
            # Column d also needs the entries of column c, which are not in the products yet: hence the term with L[d,
            # c].
            ac, ad, bc, bd = two_by_two(L, a, b, c, d, c)
            ac, bc = (L[a, c] - ac) / L[c, c], (L[b, c] - bc) / L[c, c]
            ad, bd = (L[a, d] - ad - ac * L[d, c]) / L[d, d], (L[b, d] - bd - bc * L[d, c]) / L[d, d]
            L[a, c], L[a, d], L[b, c], L[b, d] = ac, ad, bc, bd
        own, _, between, other = two_by_two(L, a, b, a, b, a)
        left = L[a, a] - own
        if not left > LOST * L[a, a]:
            return False
        L[a, a] = math.sqrt(left)
        if b > a:
            L[b, a] = (L[b, a] - between) / L[a, a]
            left = L[b, b] - other - L[b, a] * L[b, a]
            if not left > LOST * L[b, b]:
                return False
            L[b, b] = math.sqrt(left)
    return True


@summing_part
def drop_row(L: Floats, gone: int, m: int, cosine: Floats, sine: Floats) -> None:
    """Bring the factor of an m x m matrix up to date when its row and column `gone` leave (Givens rotations)."""
    # Without row `gone` the rows below have one entry too many, right of the diagonal. A rotation of two neighbouring
    # columns takes each away; a row first gets the rotations of the rows above it, so one pass over the rows does it
    # all.
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
