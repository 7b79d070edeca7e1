"""The resamples of a data set as the engine takes them: rows of positive weight, their weights and targets."""

import numpy as np

from steadyset.kernels.arrays import Floats, Ints
from steadyset.kernels.jit import kernel, part
from steadyset.kernels.linear.target_units import mean_and_spread, to_own_units
from steadyset.kernels.paths.path_arrays import Batch, Singles


@kernel
def describe(codes: Floats, weights: Floats) -> tuple[Ints, Floats, Floats, Ints]:
    """Of each resample its number of rows, its least and its largest code, and how many rows lie between these."""
    n_resamples = len(weights)
    n_rows, between = np.zeros(n_resamples, np.int64), np.zeros(n_resamples, np.int64)
    lowest, highest = np.full(n_resamples, np.inf), np.full(n_resamples, -np.inf)
    for b in range(n_resamples):
        for i in range(len(codes)):
            if weights[b, i] > 0.0:
                n_rows[b] += 1
                lowest[b], highest[b] = min(lowest[b], codes[i]), max(highest[b], codes[i])
        for i in range(len(codes)):
            between[b] += weights[b, i] > 0.0 and lowest[b] < codes[i] < highest[b]
    return n_rows, lowest, highest, between


@part
def put_samples(
    batch: Batch, codes: Floats, weights: Floats, highest: Floats, logistic: bool, ridge: float, tol: float
) -> tuple[Floats, Singles]:
    """Fill what belongs to each resample of a batch.

    Numbers are brought to units of their own; of two classes the highest code is 1. Returned are the centre, the unit
    and the spread of each target, and the weights over all rows in single precision, with zeros behind.
    """
    n_resamples, n = weights.shape
    targets, singles = np.zeros((3, n_resamples)), np.zeros(batch.residual.shape, np.float32)
    for b in range(n_resamples):
        count, total = 0, 0.0
        for i in range(n):
            if weights[b, i] > 0.0:
                batch.rows[b, count] = i
                total += weights[b, i]
                count += 1
        w, y = np.empty(count), np.empty(count)
        for k in range(count):
            i = batch.rows[b, k]
            w[k] = weights[b, i] / total
            y[k] = codes[i]
            if logistic:
                y[k] = 1.0 if codes[i] == highest[b] else 0.0
            singles[b, i] = w[k]
        centre, unit = (0.0, 1.0) if logistic else to_own_units(y, w)
        spread = mean_and_spread(y, w)[1]
        batch.n_rows[b] = count
        batch.w[b, :count], batch.y[b, :count] = w, y
        batch.tol[b], batch.ridge[b] = tol * spread, ridge * unit
        targets[0, b], targets[1, b], targets[2, b] = centre, unit, spread
    return targets, singles
