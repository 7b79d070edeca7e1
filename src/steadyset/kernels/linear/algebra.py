"""Small linear algebra of the sparse models.

Inner products of contiguous rows, without BLAS.

The matrices here are small or read once, where BLAS gains nothing, and its own threads cost milliseconds a call when
other runs keep the cores busy. The compiler may reorder a sum, which is what lets it use vector instructions; the order
is fixed when it compiles, so results do not vary from call to call.

Cholesky factors of small matrices, with an answer instead of an exception when a matrix is singular.

The first of the largest values, where values that differ by rounding count as equal.
"""

import numpy as np

from steadyset.kernels.arrays import Floats, Ints
from steadyset.kernels.jit import kernel, summing_kernel


@summing_kernel
def dot(a: Floats, b: Floats) -> float:
    """sum_i a_i b_i."""
    total = 0.0
    for i in range(len(a)):
        total += a[i] * b[i]
    return total


@kernel
def times(A: Floats, b: Floats) -> Floats:
    """A b, one inner product a row of A."""
    product = np.empty(A.shape[0])
    for i in range(len(product)):
        product[i] = dot(A[i], b)
    return product


@kernel
def symmetric_product(A: Floats, B: Floats) -> Floats:
    """A B' where that is known to be symmetric (B holds the rows of A, weighted)."""
    m = A.shape[0]
    product = np.empty((m, m))
    for i in range(m):
        for j in range(i + 1):
            product[i, j] = dot(A[i], B[j])
            product[j, i] = product[i, j]
    return product


@kernel
def combine(coef: Floats, A: Floats) -> Floats:
    """sum_i coef_i A_i, from the non-zero coefficients only."""
    total = np.zeros(A.shape[1])
    for i in range(len(coef)):
        if coef[i] != 0.0:
            for j in range(len(total)):
                total[j] += coef[i] * A[i, j]
    return total


@kernel
def cholesky(A: Floats, m: int, relative_floor: float) -> bool:
    """Overwrite the lower triangle of A[:m, :m] with its factor L; False as soon as a pivot is lost in rounding.

    A pivot is lost when it is at most relative_floor times the diagonal entry that it came from.
    """
    for j in range(m):
        diagonal = A[j, j]
        pivot = diagonal - dot(A[j, :j], A[j, :j])
        if not pivot > relative_floor * diagonal:
            return False
        root = np.sqrt(pivot)
        A[j, j] = root
        for i in range(j + 1, m):
            A[i, j] = (A[i, j] - dot(A[i, :j], A[j, :j])) / root
    return True


@kernel
def cholesky_solve(L: Floats, m: int, b: Floats) -> None:
    """Overwrite b[:m] with the solution of L L' x = b."""
    for i in range(m):
        b[i] = (b[i] - dot(L[i, :i], b[:i])) / L[i, i]
    for i in range(m - 1, -1, -1):
        b[i] /= L[i, i]
        for p in range(i):
            b[p] -= L[i, p] * b[i]


@kernel
def pivoted_cholesky(K: Floats, relative_floor: float) -> tuple[Floats, Ints]:
    """Columns L' (r x n) with L L' = K of rank r, and the r pivots in whose order L[pivots] is lower triangular."""
    n = len(K)
    left = np.diag(K).copy()
    floor = relative_floor * left.max()
    columns = np.zeros((n, n))
    pivots = np.empty(n, np.int64)
    for r in range(n):
        pivot = np.argmax(left)
        if left[pivot] <= floor:
            return columns[:r], pivots[:r]
        pivots[r] = pivot
        root = np.sqrt(left[pivot])
        for i in range(n):
            columns[r, i] = K[pivot, i]
        for s in range(r):
            scale = columns[s, pivot]
            for i in range(n):
                columns[r, i] -= scale * columns[s, i]
        for i in range(n):
            columns[r, i] /= root
            left[i] -= columns[r, i] * columns[r, i]
        for s in range(r):
            # They are zero but for rounding, and exact zeros make the triangle one.
            columns[r, pivots[s]] = 0.0
        left[pivots[: r + 1]] = 0.0
    return columns, pivots


@kernel
def first_largest(values: Floats) -> int:
    """The lowest index among the values that equal the largest up to rounding: identical columns are a tie."""
    largest = values.max()
    for j in range(len(values)):
        if values[j] >= largest * (1.0 - 1e-10):
            return j
    return 0
