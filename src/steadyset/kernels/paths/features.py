"""The features of a path: laid out once for a data set, standardised for a resample, and their penalties.

Screening needs means, standard deviations and descents of all features, roughly: there single precision does, and every
number comes with a bound of its error. What goes into a model is computed again in double precision from the data.

Arrays of a data set (d features, n rows); none of them is changed by a resample:

    Xt      d x n, double: the features as rows, each divided by a power of two where its squares would leave the range
    Z       d x width, single: the rows of Xt standardised over all rows of the data, with zeros behind
    reach   d, single: by how much a change of the residual of norm 1 moves |g_j| / l1_j at most
    D       4 x d, double: FACTOR of the penalty (0: none, infinite: never in), UNIT (what Xt is smaller by than the
            data, in units of the penalty), PLAIN (standard deviation of the row of Xt over all rows of the data;
            infinite where single precision cannot hold the feature), WHOLE (UNIT in units of the data)
"""

import math

import numpy as np

from steadyset.kernels.arrays import Floats, Ints, Places, Singles
from steadyset.kernels.jit import both, part, summing_part

FACTOR, UNIT, PLAIN, WHOLE = range(4)
# A block of features holds so many numbers, which a near cache keeps, but at least so many features.
NUMBERS_AT_ONCE, LEAST_AT_ONCE = 32768, 32
# Rows in single precision end in zeros up to a multiple of this, so that vector instructions leave no rest.
LANES = 16
# Squares of numbers beyond this, or below its inverse, leave the range of doubles.
LARGE = 1e150
SINGLE = 2.0**-24
# A mean this many standard deviations from zero leaves single precision too few digits.
FAR = 2.0**20
# A variance that is a smaller part of the mean square than this is computed again in double precision.
CANCELLED = 0.1


def padded(n: int) -> int:
    """The width of rows in single precision."""
    return -(-n // LANES) * LANES


def lay_out(X: Floats, Xt: Floats, Z: Singles, D: Floats) -> None:
    """Fill Xt, Z, UNIT and PLAIN, and WHOLE with the means of the rows of Xt, for now."""
    n, d = X.shape
    step = max(LEAST_AT_ONCE, NUMBERS_AT_ONCE // n)
    for begin in range(0, d, step):  # so many that they stay in a near cache
        here = slice(begin, min(begin + step, d))
        rows = Xt[here]
        np.add(X[:, here].T, 0.0, out=rows)  # which makes -0 a 0
        largest = abs(rows).max(axis=1)
        unit = np.ones(len(rows))
        strange = (largest > LARGE) | ((largest < 1.0 / LARGE) & (largest > 0.0))
        if strange.any():
            # A power of two, so that no digit changes.
            unit[strange] = np.ldexp(1.0, np.frexp(largest[strange])[1] - 1)
            rows /= unit[:, None]
            largest /= unit
        mean = rows.mean(axis=1)
        centred = rows - mean[:, None]
        plain = np.sqrt((centred * centred).mean(axis=1))
        # In single precision too few digits would be left beside such a mean. Their bound is infinite: they are always
        # computed.
        far = (plain > 0.0) & (largest >= FAR * plain)
        held = (plain > 0.0) & ~far
        Z[here, :n] = centred * np.divide(1.0, plain, out=np.zeros_like(plain), where=held)[:, None]
        D[UNIT, here], D[PLAIN, here], D[WHOLE, here] = unit, np.where(far, np.inf, plain), mean
    Z[:, n:] = 0.0


@summing_part
def standardise(Xt: Floats, j: int, rows: Ints, w: Floats, z: Floats) -> tuple[float, float]:
    """Write a feature, standardised on the rows of a resample, to z; its mean and standard deviation there.

    The standard deviation of a constant feature is 0 and not a rounding error, and so is what is written.
    """
    n = len(rows)
    mean, first, changes = 0.0, Xt[j, rows[0]], 0
    for i in range(n):
        z[i] = Xt[j, rows[i]]
        changes += z[i] != first
        mean += w[i] * z[i]
    shift = 0.0  # what rounding has left of the mean
    for i in range(n):
        z[i] -= mean
        shift += w[i] * z[i]
    variance = 0.0
    for i in range(n):
        z[i] -= shift
        variance += w[i] * z[i] * z[i]
    scale = math.sqrt(variance) if changes > 0 else 0.0
    inverse = 1.0 / scale if scale > 0.0 else 0.0
    for i in range(n):
        z[i] *= inverse
    return mean + shift, scale


@part
def penalty_of(D: Floats, j: int, scale: float, ridge: float, as_given: bool) -> tuple[float, float]:
    """l1_j and l2_j of a feature with this standard deviation in the resample.

    as_given: the penalty counts the coefficient of the feature as it is, which is smaller by its standard deviation.
    """
    factor = D[FACTOR, j]
    if not as_given:
        return factor, factor * ridge
    scale *= D[UNIT, j]
    return factor / scale, factor / (scale * scale) * ridge


@both
def scale_error(width: int) -> float:
    """A bound of the relative error of a scale from sums in single precision; scales are given so much too large."""
    return 20.0 * width * SINGLE


@summing_part
def single_dots(Z: Singles, members: Places, count: int, single: Singles, sizes: Singles) -> None:
    """The sizes of the products of the first `count` members with single[0]."""
    for k in range(count):
        total = np.float32(0.0)
        for i in range(Z.shape[1]):
            total += Z[members[k], i] * single[0, i]
        sizes[k] = abs(total)
