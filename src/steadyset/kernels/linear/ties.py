"""The first of the largest values, where values that differ by rounding count as equal."""

from steadyset.kernels.arrays import Floats
from steadyset.kernels.jit import kernel


@kernel
def first_largest(values: Floats) -> int:
    """The lowest index among the values that equal the largest up to rounding: identical columns are a tie."""
    largest = values.max()
    for j in range(len(values)):
        if values[j] >= largest * (1.0 - 1e-10):
            return j
    return 0
