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
from steadyset.kernels.jit import kernel, part, summing_part

FACTOR, UNIT, PLAIN, WHOLE = range(4)
FEATURES_TOGETHER = 16  # that the layout turns at once
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


@kernel
def lay_out(X: Floats, Xt: Floats, Z: Singles, D: Floats) -> None:
    """Fill Xt, Z, UNIT and PLAIN, and WHOLE with the means of the rows of Xt, for now."""
    n, d = X.shape
    for begin in range(0, d, FEATURES_TOGETHER):
        stop = min(begin + FEATURES_TOGETHER, d)
        for i in range(n):
            for j in range(begin, stop):
                Xt[j, i] = X[i, j] + 0.0  # which makes -0 a 0
        for j in range(begin, stop):
            D[UNIT, j], D[PLAIN, j], D[WHOLE, j] = _lay_out_feature(Xt, Z, j, n)


@summing_part
def _lay_out_feature(Xt: Floats, Z: Singles, j: int, n: int) -> tuple[float, float, float]:
    """Bring a row of Xt to its unit and write it standardised to Z; its unit, standard deviation and mean."""
    for i in range(n, Z.shape[1]):
        Z[j, i] = 0.0
    large, small, zeros = 0, 0, 0  # counts, which vector instructions find faster than the largest
    for i in range(n):
        large += abs(Xt[j, i]) > LARGE
        small += abs(Xt[j, i]) < 1.0 / LARGE
        zeros += Xt[j, i] == 0.0
    unit = 1.0
    if large > 0 or (small == n and zeros < n):
        largest = 0.0
        for i in range(n):
            largest = max(largest, abs(Xt[j, i]))
        unit = 2.0 ** math.floor(math.log2(largest))
        for i in range(n):
            Xt[j, i] /= unit
    mean = 0.0
    for i in range(n):
        mean += Xt[j, i]
    mean /= n
    variance = 0.0
    for i in range(n):
        variance += (Xt[j, i] - mean) * (Xt[j, i] - mean)
    plain = math.sqrt(variance / n)
    far = 0
    for i in range(n):
        far += abs(Xt[j, i]) >= FAR * plain
    inverse = 1.0 / plain if plain > 0.0 and far == 0 else 0.0
    for i in range(n):
        Z[j, i] = (Xt[j, i] - mean) * inverse
    return unit, np.inf if plain > 0.0 and far > 0 else plain, mean


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


@part
def features_at_once(Z: Singles) -> int:
    """How many features a block has that every resample meets before the next."""
    return int(min(len(Z), max(LEAST_AT_ONCE, NUMBERS_AT_ONCE // Z.shape[1])))


@kernel
def moments(Z: Singles, single: Singles, G: Singles, sizes: Singles) -> None:
    """Weighted means (to G[b, 0]) and mean squares (G[b, 1]) of all features, and the sizes of their products with r.

    single[b] holds r and the weights of a resample. One pass over the data for all.
    """
    step = features_at_once(Z)
    for begin in range(0, len(Z), step):
        for b in range(len(G)):
            _moments_of_block(Z, begin, min(begin + step, len(Z)), single[b], G[b], sizes[b])


@summing_part
def _moments_of_block(Z: Singles, begin: int, end: int, single: Singles, G: Singles, sizes: Singles) -> None:
    """The same for one resample and some features, two at a time."""
    for j in range(begin, end, 2):
        k = min(j + 1, end - 1)  # the last of an odd number is paired with itself
        m0 = m1 = s0 = s1 = p0 = p1 = np.float32(0.0)
        for i in range(Z.shape[1]):
            r, w = single[0, i], single[1, i]
            a, b = w * Z[j, i], w * Z[k, i]
            m0 += a
            m1 += b
            s0 += a * Z[j, i]
            s1 += b * Z[k, i]
            p0 += r * Z[j, i]
            p1 += r * Z[k, i]
        G[0, j], G[0, k], G[1, j], G[1, k] = m0, m1, s0, s1
        sizes[j], sizes[k] = abs(p0), abs(p1)


@part
def scale_error(width: int) -> float:
    """A bound of the relative error of a scale from sums in single precision; scales are given so much too large."""
    return 20.0 * width * SINGLE


@summing_part
def usual_scales(G: Singles, reach: Singles, as_given: bool, error: float) -> None:
    """What |z_j r| is multiplied by to be at least |g_j| / l1_j, at G[1]; -1 where single precision has too few digits.

    Means and mean squares lie in G. Where the penalty counts features as given the resample does not matter.
    """
    more, cancelled = np.float32(error), np.float32(CANCELLED)
    for j in range(G.shape[1]):
        variance = G[1, j] - G[0, j] * G[0, j]
        usual = reach[j] * more / np.sqrt(variance) if variance > cancelled * G[1, j] else np.float32(-1.0)
        G[1, j] = reach[j] * more if as_given else usual


@part
def unusual_scale(Xt: Floats, D: Floats, j: int, rows: Ints, w: Floats, error: float, z: Floats) -> float:
    """The same from the data: 0 for what can not enter, infinite for what Z can not hold."""
    factor, plain = D[FACTOR, j], D[PLAIN, j]
    if factor == 0.0 or factor == np.inf or plain == 0.0:
        return 0.0
    if plain == np.inf:
        return np.inf
    scale = standardise(Xt, j, rows, w, z[0])[1]
    if scale == 0.0:
        return 0.0
    return np.inf if plain > FAR * scale else plain / (scale * factor) * error


@summing_part
def single_dots(Z: Singles, members: Places, count: int, single: Singles, sizes: Singles) -> None:
    """The sizes of the products of the first `count` members with single[0], four at a time."""
    for begin in range(0, count, 4):
        last = count - 1 - begin  # the last ones are paired with themselves
        j0, j1 = members[begin], members[begin + min(1, last)]
        j2, j3 = members[begin + min(2, last)], members[begin + min(3, last)]
        s0 = s1 = s2 = s3 = np.float32(0.0)
        for i in range(Z.shape[1]):
            s0 += Z[j0, i] * single[0, i]
            s1 += Z[j1, i] * single[0, i]
            s2 += Z[j2, i] * single[0, i]
            s3 += Z[j3, i] * single[0, i]
        sizes[begin], sizes[begin + min(1, last)] = abs(s0), abs(s1)
        sizes[begin + min(2, last)], sizes[begin + min(3, last)] = abs(s2), abs(s3)
