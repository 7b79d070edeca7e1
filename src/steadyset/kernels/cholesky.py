"""Cholesky factors of small matrices, with an answer instead of an exception when a matrix is singular."""

import numpy as np
from numpy.typing import NDArray

from steadyset.kernels.jit import kernel
from steadyset.kernels.products import dot

FloatArray = NDArray[np.float64]


@kernel
def cholesky(A: FloatArray, m: int, relative_floor: float) -> bool:
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
def cholesky_solve(L: FloatArray, m: int, b: FloatArray) -> None:
    """Overwrite b[:m] with the solution of L L' x = b."""
    for i in range(m):
        b[i] = (b[i] - dot(L[i, :i], b[:i])) / L[i, i]
    for i in range(m - 1, -1, -1):
        b[i] /= L[i, i]
        for p in range(i):
            b[p] -= L[i, p] * b[i]
