"""Inner products of contiguous rows, without BLAS.

The matrices here are small or read once, where BLAS gains nothing, and its own threads cost milliseconds a call when
other runs keep the cores busy. The compiler may reorder a sum, which is what lets it use vector instructions; the order
is fixed when it compiles, so results do not vary from call to call.
"""

import numpy as np

from steadyset.kernels.arrays import Floats
from steadyset.kernels.jit import kernel, summing_kernel


@summing_kernel
def dot(a: Floats, b: Floats) -> float:
    """sum_i a_i b_i."""
    total = 0.0
    for i in range(len(a)):
        total += a[i] * b[i]
    return total


@summing_kernel
def leading_dot(a: Floats, b: Floats, n: int) -> float:
    """sum_i a_i b_i over the first n places."""
    total = 0.0
    for i in range(n):
        total += a[i] * b[i]
    return total


@summing_kernel
def row_dot(A: Floats, r: int, x: Floats, n: int) -> float:
    """sum_i A_ri x_i over the first n places; a view of the row would cost more than a short sum."""
    total = 0.0
    for i in range(n):
        total += A[r, i] * x[i]
    return total


@summing_kernel
def rows_dot(A: Floats, r: int, s: int, n: int) -> float:
    """sum_i A_ri A_si over the first n places."""
    total = 0.0
    for i in range(n):
        total += A[r, i] * A[s, i]
    return total


@summing_kernel
def add_row(c: float, A: Floats, r: int, b: Floats, n: int) -> None:
    """Add c times row r of A to b at the first n places."""
    for i in range(n):
        b[i] += c * A[r, i]


@summing_kernel
def total(a: Floats) -> float:
    """sum_i a_i."""
    value = 0.0
    for i in range(len(a)):
        value += a[i]
    return value


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
