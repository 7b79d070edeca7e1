"""Means and standard deviations of features: over all rows, in every resample for the screening, and exactly.

Screening needs them roughly and of all features, so single precision does. What goes into a model is computed again
from the data in double precision, feature by feature, in an order that no batch changes.
"""

import math

import numpy as np

from steadyset.kernels.arrays import Floats, Int, Ints, Numbers, Words
from steadyset.kernels.jit import kernel, part, summing_part
from steadyset.kernels.linear.products import leading_dot
from steadyset.kernels.paths.path_arrays import Batch, Features, Sample, Singles

FEATURES_TOGETHER = 16  # that a layout turns at once
# A block of features is this many numbers, which stay in a near cache while every resample meets them, and at least so
# many features.
NUMBERS_AT_ONCE, LEAST_AT_ONCE = 32768, 32
# Squares of numbers beyond this, or below its inverse, leave the range of doubles.
LARGE = 1e150
SINGLE = 2.0**-24
ROUNDED_UP = 1.0 + 1e-6  # what makes a number in single precision no smaller than it is
# A mean this many standard deviations from zero leaves single precision too few digits.
FAR = 2.0**20
# A variance that is a smaller part of the mean square than this is computed again.
CANCELLED = 0.1


@kernel
def lay_out(X: Floats, factor: Floats, no_copies: bool, width: int) -> tuple[Floats, Singles, Floats, Floats, Singles]:
    """Xt, Z, unit, plain and reach of `Features`, the last with a penalty on standardised features.

    Features as rows, in units where needed, and standardised over all rows, those of Z with zeros behind, `width` in
    all. With no_copies the factor of a feature that equals an earlier one becomes infinite. A feature that single
    precision cannot hold is left at zero in Z, with an infinite standard deviation.
    """
    n, d = X.shape
    Xt, Z = np.empty((d, n)), np.empty((d, width), np.float32)
    unit, plain, digest = np.empty(d), np.empty(d), np.empty(d, np.uint64)
    keys = _keys(n)
    for begin in range(0, d, FEATURES_TOGETHER):
        stop = min(begin + FEATURES_TOGETHER, d)
        for i in range(n):
            for j in range(begin, stop):
                Xt[j, i] = X[i, j] + 0.0  # which makes -0 a 0: digests know bits
        for j in range(begin, stop):
            digest[j] = _digest(Xt[j].view(np.uint64), keys)
            unit[j], plain[j] = _lay_out_feature(Xt[j], Z[j])
    if no_copies:
        _leave_copies_out(Xt, digest, factor)
    reach = np.zeros(d, np.float32)
    for j in range(d):
        if 0.0 < factor[j] < np.inf and plain[j] > 0.0:
            reach[j] = ROUNDED_UP / factor[j]
    return Xt, Z, unit, plain, reach


@part
def _leave_copies_out(Xt: Floats, digest: Words, factor: Floats) -> None:
    """Features that equal an earlier one in every row get an infinite factor; equal ones have equal digests."""
    bits = 2
    while 2**bits < 2 * len(digest):
        bits += 1
    first_with, last = np.full(2**bits, -1), np.uint64(2**bits - 1)
    for j in range(len(digest)):
        # Every bit of the data has moved the first bits of a digest; whole numbers leave the last ones at zero.
        place = digest[j] >> np.uint64(64 - bits)
        while first_with[place] >= 0:
            earlier = first_with[place]
            if digest[earlier] == digest[j] and np.array_equal(Xt[earlier], Xt[j]):
                factor[j] = np.inf
                break
            place = (place + np.uint64(1)) & last
        if first_with[place] < 0:
            first_with[place] = j


@part
def _keys(n: int) -> Words:
    """A number for each row, without a pattern."""
    keys = np.empty(n, np.uint64)
    state = np.uint64(0)
    for i in range(n):
        state += np.uint64(0x9E3779B97F4A7C15)
        word = (state ^ (state >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
        word = (word ^ (word >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
        keys[i] = word ^ (word >> np.uint64(31))
    return keys


@part
def _digest(bits: Words, keys: Words) -> np.uint64:
    code = np.uint64(0)
    for i in range(len(bits)):
        code += (bits[i] ^ (bits[i] >> np.uint64(32))) * keys[i]
    return code


@summing_part
def _lay_out_feature(x: Floats, z: Singles) -> tuple[float, float]:
    """Bring a feature to its unit and write it standardised to z, zeros behind; its unit and standard deviation."""
    n = len(x)
    for i in range(n, len(z)):
        z[i] = 0.0
    large, small, zeros = 0, 0, 0  # counts, which vector instructions find faster than the largest
    for i in range(n):
        large += abs(x[i]) > LARGE
        small += abs(x[i]) < 1.0 / LARGE
        zeros += x[i] == 0.0
    unit = 1.0
    if large > 0 or (small == n and zeros < n):
        largest = 0.0
        for i in range(n):
            largest = max(largest, abs(x[i]))
        unit = 2.0 ** math.floor(math.log2(largest))
        for i in range(n):
            x[i] /= unit
    mean = 0.0
    for i in range(n):
        mean += x[i]
    mean /= n
    variance = 0.0
    for i in range(n):
        variance += (x[i] - mean) * (x[i] - mean)
    plain = math.sqrt(variance / n)
    far = 0
    for i in range(n):
        far += abs(x[i]) >= FAR * plain
    if plain > 0.0 and far == 0:
        inverse = 1.0 / plain
        for i in range(n):
            z[i] = (x[i] - mean) * inverse
        return unit, plain
    for i in range(n):
        z[i] = 0.0
    return unit, np.inf if plain > 0.0 else 0.0


@summing_part
def standardise_row(x: Floats, rows: Ints, w: Floats, z: Floats) -> tuple[float, float]:
    """Write the standardised feature of a resample to z; its mean and standard deviation, 0 where it is constant."""
    n = len(rows)
    mean = 0.0
    first = x[rows[0]]
    constant = True
    for i in range(n):
        z[i] = x[rows[i]]
        constant = constant and z[i] == first
        mean += w[i] * z[i]
    shift = 0.0
    for i in range(n):
        z[i] -= mean
        shift += w[i] * z[i]
    variance = 0.0
    for i in range(n):
        z[i] -= shift
        variance += w[i] * z[i] * z[i]
    scale = math.sqrt(variance)
    if constant or scale == 0.0:
        for i in range(n):
            z[i] = 0.0
        return mean + shift, 0.0
    inverse = 1.0 / scale
    for i in range(n):
        z[i] *= inverse
    return mean + shift, scale


@part
def penalty_of(features: Features, sample: Sample, j: Int, scale: float) -> tuple[float, float]:
    """The l1 and l2 of a feature with this standard deviation in the resample, for a penalty of 1."""
    factor = features.factor[j]
    if not features.as_given:
        return factor, factor * sample.ridge
    scale *= features.unit[j]
    return factor / scale, factor / (scale * scale) * sample.ridge


@part
def exact_descent(features: Features, sample: Sample, j: Int, residual: Floats, z: Floats) -> tuple[float, float]:
    """g_j / l1_j and l1_j, with the standardised feature written to z; 0 for a feature that is constant."""
    scale = standardise_row(features.Xt[j], sample.rows, sample.w, z)[1]
    if scale == 0.0:
        return 0.0, 1.0
    l1 = penalty_of(features, sample, j, scale)[0]
    return leading_dot(z, residual, len(sample.rows)) / l1, l1


@part
def set_scales(features: Features, batch: Batch, weights: Singles, z: Floats) -> None:
    """Fill scale, by which descents are compared with the penalty, and rms, the largest root mean square of Z."""
    n_resamples, (d, n) = len(batch.n_rows), features.Z.shape
    most = features_at_once(features.Z)
    means, mean_squares = np.empty((n_resamples, most), np.float32), np.empty((n_resamples, most), np.float32)
    largest = np.zeros(n_resamples)
    for begin in range(0, d, most):
        count = min(most, d - begin)
        for b in range(0, n_resamples - 1, 2):
            _moments_of_two(features.Z, begin, count, weights, b, means, mean_squares)
        if n_resamples % 2:
            _moments_of_one(features.Z, begin, count, weights, n_resamples - 1, means, mean_squares)
        for b in range(n_resamples):
            found = _set_block(features, batch, b, begin, count, means, mean_squares, z)
            largest[b] = max(largest[b], found)
    for b in range(n_resamples):
        batch.rms[b] = math.sqrt(largest[b]) * (1.0 + 2.0 * n * SINGLE)


@part
def features_at_once(Z: Singles) -> int:
    """How many features a block has that every resample meets before the next."""
    d, n = Z.shape
    return int(min(d, max(LEAST_AT_ONCE, NUMBERS_AT_ONCE // n)))


@summing_part
def _moments_of_two(
    Z: Singles, begin: int, count: int, weights: Singles, b: int, means: Singles, mean_squares: Singles
) -> None:
    """The weighted means and mean squares of a block of features in a resample and the next, in single precision."""
    n = Z.shape[1]
    for k in range(0, count, 2):
        # The last of an odd number is paired with itself.
        other = min(k + 1, count - 1)
        m00 = m01 = m10 = m11 = s00 = s01 = s10 = s11 = np.float32(0.0)
        for i in range(n):
            z0, z1 = Z[begin + k, i], Z[begin + other, i]
            a0, a1 = weights[b, i] * z0, weights[b, i] * z1
            c0, c1 = weights[b + 1, i] * z0, weights[b + 1, i] * z1
            m00 += a0
            m01 += a1
            m10 += c0
            m11 += c1
            s00 += a0 * z0
            s01 += a1 * z1
            s10 += c0 * z0
            s11 += c1 * z1
        means[b, k], means[b, other], means[b + 1, k], means[b + 1, other] = m00, m01, m10, m11
        mean_squares[b, k], mean_squares[b, other] = s00, s01
        mean_squares[b + 1, k], mean_squares[b + 1, other] = s10, s11


@summing_part
def _moments_of_one(
    Z: Singles, begin: int, count: int, weights: Singles, b: int, means: Singles, mean_squares: Singles
) -> None:
    for k in range(count):
        mean, square = np.float32(0.0), np.float32(0.0)
        for i in range(Z.shape[1]):
            mean += weights[b, i] * Z[begin + k, i]
            square += weights[b, i] * Z[begin + k, i] * Z[begin + k, i]
        means[b, k], mean_squares[b, k] = mean, square


@summing_part
def _set_block(
    features: Features,
    batch: Batch,
    b: int,
    begin: int,
    count: int,
    means: Singles,
    mean_squares: Singles,
    z: Floats,
) -> float:
    """The scales of a block of features in one resample; the largest of the mean squares."""
    scale, error = batch.scale[b], 1.0 + scale_error(features.Z.shape[1])
    cancelled, one = np.float32(CANCELLED), np.float32(1.0)
    largest = np.float32(0.0)
    for k in range(count):
        variance = mean_squares[b, k] - means[b, k] * means[b, k]
        largest = max(largest, mean_squares[b, k])
        # The usual case, which needs no doubles and no look at the data.
        usual = variance > cancelled * mean_squares[b, k] and not features.as_given
        scale[begin + k] = one / np.sqrt(variance) if usual else np.float32(-1.0)
    for k in range(count):
        factor = features.factor[begin + k]
        if scale[begin + k] > 0.0 and 0.0 < factor < np.inf:
            scale[begin + k] *= error / factor
        else:
            scale[begin + k] = _scale(features, batch, b, begin + k, means[b, k], mean_squares[b, k], z)
    return float(largest)


@part
def scale_error(n: int) -> float:
    """A bound of the relative error of scale, which is given so much too large."""
    return 20.0 * n * SINGLE


@part
def _scale(features: Features, batch: Batch, b: int, j: int, mean: float, mean_square: float, z: Floats) -> float:
    factor = features.factor[j]
    plain = features.plain[j]
    if factor == 0.0 or factor == np.inf or plain == 0.0:
        return 0.0
    if plain == np.inf:
        return np.inf
    error = 1.0 + scale_error(features.Z.shape[1])
    if features.as_given:
        return float(plain * features.unit[j] / factor * error)
    variance = mean_square - mean * mean
    if variance > CANCELLED * mean_square:
        return float(error / (math.sqrt(variance) * factor))
    n = batch.n_rows[b]
    scale = standardise_row(features.Xt[j], batch.rows[b, :n], batch.w[b, :n], z)[1]
    if scale == 0.0:
        return 0.0
    return np.inf if plain > FAR * scale else plain / (scale * factor) * error


@summing_part
def single_dots(Z: Singles, members: Numbers, count: Int, residuals: Singles, b: int, sizes: Singles) -> None:
    """The sizes of the products of the first `count` members with a residual, in single precision, four at a time."""
    n = Z.shape[1]
    for begin in range(0, count, 4):
        # The last ones are paired with themselves.
        last = count - 1 - begin
        j0, j1 = members[begin], members[begin + min(1, last)]
        j2, j3 = members[begin + min(2, last)], members[begin + min(3, last)]
        s0 = s1 = s2 = s3 = np.float32(0.0)
        for i in range(n):
            r = residuals[b, i]
            s0 += Z[j0, i] * r
            s1 += Z[j1, i] * r
            s2 += Z[j2, i] * r
            s3 += Z[j3, i] * r
        sizes[begin], sizes[begin + min(1, last)] = abs(s0), abs(s1)
        sizes[begin + min(2, last)], sizes[begin + min(3, last)] = abs(s2), abs(s3)


@summing_part
def single_dots_of_two(Z: Singles, begin: int, end: int, residuals: Singles, b: int, c: int, sizes: Singles) -> None:
    """The sizes of all products of a block of features with two residuals, at sizes[0] and sizes[1]."""
    n = Z.shape[1]
    for first in range(begin, end, 4):
        j1, j2, j3 = min(first + 1, end - 1), min(first + 2, end - 1), min(first + 3, end - 1)
        s0 = s1 = s2 = s3 = t0 = t1 = t2 = t3 = np.float32(0.0)
        for i in range(n):
            r, q = residuals[b, i], residuals[c, i]
            s0 += Z[first, i] * r
            s1 += Z[j1, i] * r
            s2 += Z[j2, i] * r
            s3 += Z[j3, i] * r
            t0 += Z[first, i] * q
            t1 += Z[j1, i] * q
            t2 += Z[j2, i] * q
            t3 += Z[j3, i] * q
        k0, k1, k2, k3 = first - begin, j1 - begin, j2 - begin, j3 - begin
        sizes[0, k0], sizes[0, k1], sizes[0, k2], sizes[0, k3] = abs(s0), abs(s1), abs(s2), abs(s3)
        sizes[1, k0], sizes[1, k1], sizes[1, k2], sizes[1, k3] = abs(t0), abs(t1), abs(t2), abs(t3)


@part
def rounding_bound(n: int, square: float, rms: float) -> float:
    """A bound of the error of a product of a residual with a feature in single precision, whatever its order.

    square is sum_i r_i² / w_i and rms bounds the root mean square of the feature under the weights.
    """
    return (n + 4.0) * SINGLE * math.sqrt(square) * rms + 1e-30
