"""Cholesky factors of small matrices, with an answer instead of an exception when a matrix is singular."""

import numpy as np

from steadyset.kernels.arrays import Floats, Ints
from steadyset.kernels.jit import kernel
from steadyset.kernels.linear.products import dot


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
            columns[r, pivots[s]] = 0.0
        left[pivots[: r + 1]] = 0.0
    return columns, pivots
