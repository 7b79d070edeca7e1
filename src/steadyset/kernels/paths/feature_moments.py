"""Means and standard deviations of features: over all rows, in every resample for the screening, and exactly.

Screening needs them roughly and of all features, so single precision and matrix products do. What goes into a model is
computed again from the data in double precision, feature by feature, in an order that no batch changes.
"""

import math

import numpy as np

from steadyset.kernels.arrays import Floats, Ints, Words
from steadyset.kernels.jit import kernel, summing_kernel
from steadyset.kernels.linear.products import leading_dot
from steadyset.kernels.paths.path_arrays import Batch, Features, Sample, Singles

FEATURES_AT_ONCE = 512
# Squares of numbers beyond this, or below its inverse, leave the range of doubles.
LARGE = 1e150
SINGLE = 2.0**-24
# A mean this many standard deviations from zero leaves single precision too few digits.
FAR = 2.0**20
# A variance that is a smaller part of the mean square than this is computed again.
CANCELLED = 0.1


@summing_kernel
def lay_out(X: Floats, Xt: Floats, Z: Singles, unit: Floats, plain: Floats, digest: Words) -> None:
    """Fill what the data set needs: features as rows, in units where needed, and standardised over all rows.

    digest is equal for equal columns. A feature that single precision cannot hold is left at zero in Z, with an
    infinite standard deviation.
    """
    n, d = X.shape
    for begin in range(0, d, 16):
        end = min(begin + 16, d)
        for i in range(n):
            for j in range(begin, end):
                Xt[j, i] = X[i, j]
        for j in range(begin, end):
            x = Xt[j]
            largest = 0.0
            mean = 0.0
            code = np.uint64(1469598103934665603)
            bits = x.view(np.uint64)
            for i in range(n):
                largest = max(largest, abs(x[i]))
                code = (code ^ bits[i]) * np.uint64(1099511628211)
                code ^= code >> np.uint64(29)
            digest[j] = code
            unit[j] = 1.0
            if largest > LARGE or 0.0 < largest < 1.0 / LARGE:
                unit[j] = 2.0 ** math.floor(math.log2(largest))
                for i in range(n):
                    x[i] /= unit[j]
                largest /= unit[j]
            for i in range(n):
                mean += x[i]
            mean /= n
            variance = 0.0
            for i in range(n):
                variance += (x[i] - mean) * (x[i] - mean)
            plain[j] = math.sqrt(variance / n)
            z = Z[j]
            if plain[j] > 0.0 and largest < FAR * plain[j]:
                inverse = 1.0 / plain[j]
                for i in range(n):
                    z[i] = (x[i] - mean) * inverse
            else:
                plain[j] = np.inf if plain[j] > 0.0 else 0.0
                for i in range(n):
                    z[i] = 0.0


@summing_kernel
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


@kernel
def penalty_of(features: Features, sample: Sample, j: int, scale: float) -> tuple[float, float]:
    """The l1 and l2 of a feature with this standard deviation in the resample, for a penalty of 1."""
    factor = features.factor[j]
    if not features.as_given:
        return factor, factor * sample.ridge
    scale *= features.unit[j]
    return factor / scale, factor / (scale * scale) * sample.ridge


@kernel
def exact_descent(features: Features, sample: Sample, j: int, residual: Floats, z: Floats) -> tuple[float, float]:
    """g_j / l1_j and l1_j, with the standardised feature written to z; 0 for a feature that is constant."""
    scale = standardise_row(features.Xt[j], sample.rows, sample.w, z)[1]
    if scale == 0.0:
        return 0.0, 1.0
    l1 = penalty_of(features, sample, j, scale)[0]
    return leading_dot(z, residual, len(sample.rows)) / l1, l1


@kernel
def set_scales(features: Features, batch: Batch, weights: Singles, z: Floats) -> None:
    """Fill scale, by which descents are compared with the penalty, and rms, the largest root mean square of Z."""
    n_resamples, (d, n) = len(batch.n_rows), features.Z.shape
    batch.rms[:] = 0.0
    for begin in range(0, d, FEATURES_AT_ONCE):
        block = features.Z[begin : begin + FEATURES_AT_ONCE]
        squares = block * block
        means = screened(weights, block)
        mean_squares = screened(weights, squares)
        for b in range(n_resamples):
            largest = _set_block(features, batch, b, begin, means[b], mean_squares[b], z)
            batch.rms[b] = max(batch.rms[b], math.sqrt(largest))
    for b in range(n_resamples):
        batch.rms[b] *= 1.0 + 2.0 * n * SINGLE


@summing_kernel
def _set_block(
    features: Features, batch: Batch, b: int, begin: int, means: Singles, mean_squares: Singles, z: Floats
) -> float:
    """The scales of a block of features in one resample; the largest of the mean squares."""
    scale, error = batch.scale[b], 1.0 + scale_error(features)
    cancelled, one = np.float32(CANCELLED), np.float32(1.0)
    largest = np.float32(0.0)
    for k in range(len(means)):
        variance = mean_squares[k] - means[k] * means[k]
        largest = max(largest, mean_squares[k])
        # The usual case, which needs no doubles and no look at the data.
        usual = variance > cancelled * mean_squares[k] and not features.as_given
        scale[begin + k] = one / np.sqrt(variance) if usual else np.float32(-1.0)
    for k in range(len(means)):
        factor = features.factor[begin + k]
        if scale[begin + k] > 0.0 and 0.0 < factor < np.inf:
            scale[begin + k] *= error / factor
        else:
            scale[begin + k] = _scale(features, batch, b, begin + k, means[k], mean_squares[k], z)
    return float(largest)


@kernel
def scale_error(features: Features) -> float:
    """A bound of the relative error of scale, which is given so much too large."""
    return float(20.0 * features.Z.shape[1] * SINGLE)


@kernel
def _scale(features: Features, batch: Batch, b: int, j: int, mean: float, mean_square: float, z: Floats) -> float:
    factor = features.factor[j]
    plain = features.plain[j]
    if factor == 0.0 or factor == np.inf or plain == 0.0:
        return 0.0
    if plain == np.inf:
        return np.inf
    error = 1.0 + scale_error(features)
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


@kernel
def screened(residual: Singles, Z: Singles) -> Singles:
    """residual Z', by BLAS where that is worth a call."""
    product: Singles = np.empty((len(residual), len(Z)), np.float32)
    if len(residual) > 2:
        np.dot(residual, Z.T, product)
        return product
    for b in range(len(residual)):
        for j in range(len(Z)):
            product[b, j] = single_dot(Z[j], residual[b])
    return product


@summing_kernel
def single_dot(a: Singles, b: Singles) -> float:
    """sum_i a_i b_i in single precision."""
    total = np.float32(0.0)
    for i in range(len(a)):
        total += a[i] * b[i]
    return float(total)


@kernel
def rounding_bound(n: int, square: float, rms: float) -> float:
    """A bound of the error of a product of a residual with a feature in single precision, whatever its order.

    square is sum_i r_i² / w_i and rms bounds the root mean square of the feature under the weights.
    """
    return (n + 4.0) * SINGLE * math.sqrt(square) * rms + 1e-30


@kernel
def means_and_scales(
    features: Features, n_rows: Ints, rows: Ints, w: Floats, places: Ints, members: Ints
) -> tuple[Floats, Floats]:
    """Means and standard deviations of features in resamples of a batch, in the units of the data."""
    z = np.empty(rows.shape[1])
    means, scales = np.empty(len(members)), np.empty(len(members))
    for k in range(len(members)):
        b, j = places[k], members[k]
        n = n_rows[b]
        mean, scale = standardise_row(features.Xt[j], rows[b, :n], w[b, :n], z)
        means[k], scales[k] = mean * features.unit[j], scale * features.unit[j]
    return means, scales
