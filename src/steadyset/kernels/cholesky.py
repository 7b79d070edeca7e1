"""Cholesky factors of small matrices, with an answer instead of an exception when a matrix is singular."""

import numpy as np
from numpy.typing import NDArray

from steadyset.kernels.jit import kernel

FloatArray = NDArray[np.float64]


@kernel
def cholesky(A: FloatArray, m: int, relative_floor: float) -> bool:
    """Overwrite the lower triangle of A[:m, :m] with its factor L; False as soon as a pivot is lost in rounding.

    A pivot is lost when it is at most relative_floor times the diagonal entry that it came from.
    """
    for j in range(m):
        diagonal = A[j, j]
        pivot = diagonal
        for p in range(j):
            pivot -= A[j, p] * A[j, p]
        if not pivot > relative_floor * diagonal:
            return False
        root = np.sqrt(pivot)
        A[j, j] = root
        for i in range(j + 1, m):
            value = A[i, j]
            for p in range(j):
                value -= A[i, p] * A[j, p]
            A[i, j] = value / root
    return True


@kernel
def cholesky_solve(L: FloatArray, m: int, b: FloatArray) -> None:
    """Overwrite b[:m] with the solution of L L' x = b."""
    for i in range(m):
        value = b[i]
        for p in range(i):
            value -= L[i, p] * b[p]
        b[i] = value / L[i, i]
    for i in range(m - 1, -1, -1):
        value = b[i]
        for p in range(i + 1, m):
            value -= L[p, i] * b[p]
        b[i] = value / L[i, i]
