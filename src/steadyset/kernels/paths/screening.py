"""Which features may enter at a penalty, and which break the conditions of a solution, over all features at once.

Both are decided from descents in single precision, whose rounding is bounded; where the bound leaves it open, from the
exact descent. What is decided does not depend, therefore, on how the products were rounded or batched.
"""

import numpy as np

from steadyset.kernels.arrays import Floats, Ints
from steadyset.kernels.jit import kernel, summing_kernel
from steadyset.kernels.paths.feature_moments import exact_descent, rounding_bound, scale_error, screened
from steadyset.kernels.paths.path_arrays import Batch, Features, Marks, Sample, Singles, Strong

BLOCK = 32
LEAST_BAR = 1e-30  # features that can not enter have a bound of zero


@kernel
def screen(features: Features, batch: Batch, todo: Ints) -> None:
    """The descents of all features at the residuals of some resamples, by one product of matrices."""
    n_resamples = len(batch.n_rows)
    if len(todo) == n_resamples:
        if n_resamples > 2:
            np.dot(batch.residual, features.Z.T, batch.descent)
            return
        batch.descent[:] = screened(batch.residual, features.Z)
        return
    some = np.empty((len(todo), batch.residual.shape[1]), np.float32)
    for place in range(len(todo)):
        some[place] = batch.residual[todo[place]]
    found = screened(some, features.Z)
    for place in range(len(todo)):
        batch.descent[todo[place]] = found[place]


@summing_kernel
def put_residual(batch: Batch, b: int, residual: Floats) -> None:
    """Hand the residual of a resample to the screening, with the bound of the rounding errors that follow.

    Its mean is taken off: features have mean zero, so it would add nothing but errors.
    """
    n = batch.n_rows[b]
    total = 0.0
    for i in range(n):
        total += residual[i]
    square = 0.0
    batch.residual[b] = 0.0
    for i in range(n):
        centred = residual[i] - batch.w[b, i] * total
        batch.residual[b, batch.rows[b, i]] = centred
        square += centred * centred / batch.w[b, i]
    batch.rounding[b] = rounding_bound(batch.residual.shape[1], square, batch.rms[b])


@summing_kernel
def next_above(descent: Singles, scale: Singles, rounding: float, bar: float, start: int) -> int:
    """The first feature from `start` on whose bound reaches the bar; the number of features where none does."""
    d = len(descent)
    add, bar32 = np.float32(rounding), np.float32(bar)
    j = start
    while j < d:
        end = min(j + BLOCK, d)
        largest = np.float32(0.0)
        for i in range(j, end):
            largest = max(largest, (abs(descent[i]) + add) * scale[i])
        if largest >= bar32:
            for i in range(j, end):
                if (abs(descent[i]) + add) * scale[i] >= bar32:
                    return i
        j = end
    return d


@kernel
def collect(
    features: Features, sample: Sample, batch: Batch, b: int, residual: Floats, bar: float, strong: Strong, z: Floats
) -> int:
    """Write the features with |g_j| / l1_j of at least the bar to strong; how many there are."""
    d = len(features.factor)
    descent, scale, rounding = batch.descent[b], batch.scale[b], batch.rounding[b]
    reach = batch.rms[b] if features.as_given else 1.0
    surely = 1.0 - 2.0 * scale_error(features)
    bar = max(bar, LEAST_BAR)
    low = bar * (1.0 - 1e-6)
    found = 0
    j = next_above(descent, scale, rounding, low, 0)
    while j < d:
        bound = (abs(descent[j]) + rounding) * scale[j]
        sure = (abs(descent[j]) - rounding) * scale[j] * surely if scale[j] < np.inf else -1.0
        if sure < bar:
            bound = abs(exact_descent(features, sample, j, residual, z)[0]) * (1.0 + 1e-12)
        if bound >= bar:
            strong.feature[found] = j
            strong.bound[found] = bound
            if features.as_given:
                plain = features.plain[j]
                strong.reach[found] = plain * features.unit[j] * reach / features.factor[j]
            else:
                strong.reach[found] = 1.0 / features.factor[j]
            found += 1
        j = next_above(descent, scale, rounding, low, j + 1)
    return found


@kernel
def broken(
    features: Features,
    sample: Sample,
    batch: Batch,
    b: int,
    residual: Floats,
    penalty: float,
    marks: Marks,
    z: Floats,
) -> float:
    """By how much the descent of a feature outside the model exceeds its penalty, at most; 0 where none does."""
    d = len(features.factor)
    worst = 0.0
    low = penalty * (1.0 - 1e-6)
    j = next_above(batch.descent[b], batch.scale[b], batch.rounding[b], low, 0)
    while j < d:
        if not marks[j]:
            descent, l1 = exact_descent(features, sample, j, residual, z)
            worst = max(worst, (abs(descent) - penalty) * l1)
        j = next_above(batch.descent[b], batch.scale[b], batch.rounding[b], low, j + 1)
    return worst


@kernel
def largest_descent(features: Features, sample: Sample, batch: Batch, b: int, residual: Floats, z: Floats) -> float:
    """The least penalty that leaves out every feature that has one."""
    d = len(features.factor)
    descent, scale, rounding = batch.descent[b], batch.scale[b], batch.rounding[b]
    surely = 1.0 - 2.0 * scale_error(features)
    sure = LEAST_BAR
    for j in range(d):
        if scale[j] < np.inf:
            sure = max(sure, (abs(descent[j]) - rounding) * scale[j] * surely)
    largest = 0.0
    j = next_above(descent, scale, rounding, sure, 0)
    while j < d:
        largest = max(largest, abs(exact_descent(features, sample, j, residual, z)[0]))
        j = next_above(descent, scale, rounding, max(sure, largest * (1.0 - 1e-6)), j + 1)
    return largest
