"""A target as solvers take it: in a unit and around a centre of its own, with its mean and spread."""

import math

from steadyset.kernels.arrays import Floats
from steadyset.kernels.jit import kernel
from steadyset.kernels.linear.products import dot


@kernel
def to_own_units(y: Floats, w: Floats) -> tuple[float, float]:
    """Overwrite numbers y by (y - centre) / unit, near a standard deviation of 1; the centre and the unit.

    A unit is a power of two, which changes no digit. Without it, squares of tiny or huge numbers vanish or overflow;
    without the centre, a large offset takes the digits that the residuals need.
    """
    unit = _power_of_two(_largest(y))
    for i in range(len(y)):
        y[i] /= unit
    centre = dot(w, y)
    for i in range(len(y)):
        y[i] -= centre
    farthest = _largest(y)
    square = dot(w, (y / farthest) ** 2)
    finer = _power_of_two(farthest * math.sqrt(square))
    for i in range(len(y)):
        y[i] /= finer
    return centre * unit, finer * unit


@kernel
def mean_and_spread(y: Floats, w: Floats) -> tuple[float, float]:
    """The weighted mean and standard deviation; the weights add up to 1."""
    mean = dot(w, y)
    return mean, math.sqrt(dot(w, (y - mean) ** 2))


@kernel
def _largest(values: Floats) -> float:
    largest = 0.0
    for value in values:
        largest = max(largest, abs(value))
    return largest


@kernel
def _power_of_two(size: float) -> float:
    """The largest power of two up to the size."""
    return math.ldexp(1.0, math.frexp(size)[1] - 1)
