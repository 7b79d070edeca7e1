"""Which features may enter at a penalty, and which break the conditions of a solution, over all features.

Every feature has a bound of its descent, which grows as the residual moves: most features stay far below the penalty
and are never looked at. A bound that reaches the bar is renewed by a product in single precision, whose rounding is
bounded; where that leaves it open, the exact descent decides. What is decided does not depend, therefore, on how bounds
came about, nor on how products were rounded or batched.
"""

import math

import numpy as np

from steadyset.kernels.arrays import Floats, Int, Ints, Numbers
from steadyset.kernels.jit import inner_part, part, summing_part
from steadyset.kernels.paths.feature_moments import (
    exact_descent,
    features_at_once,
    rounding_bound,
    scale_error,
    single_dots,
    single_dots_of_two,
)
from steadyset.kernels.paths.path_arrays import Batch, Bounds, Features, Room, Sample, Singles, Strong
from steadyset.kernels.signals import count_work

LEAST_BAR = 1e-30  # features that can not enter have a bound of zero
# A bound in single precision is compared with a bar that is lower by this.
ROUNDED = 1e-6
LEAST_RMS = 1e-20  # times the least change of a residual it still is a number in single precision
# From this share of the features on it is faster to compute the products of all, for two resamples at a time.
MOST = 0.4


@inner_part
def renew(features: Features, batch: Batch, which: Ints, bars: Floats, room: Room) -> None:
    """Make products of the bounds that reach the bar of their resample, and list those that still reach it."""
    bounds = Bounds(
        batch.bound, batch.scale, batch.residual, batch.rounding, batch.tight_from, batch.n_listed, batch.listed
    )
    _renew(features.Z, bounds, which, bars, room.open, room.sizes, room.work)


@part
def _renew(Z: Singles, bounds: Bounds, which: Ints, bars: Floats, open: Numbers, sizes: Singles, work: Ints) -> None:
    """It goes block by block of features for all resamples.

    A block stays in a near cache meanwhile, so that few features of many resamples cost little more than they would in
    a product of matrices.
    """
    d, n = Z.shape
    step = features_at_once(Z)
    some, most = np.empty(len(which), np.int64), np.empty(len(which), np.int64)
    n_some = n_most = 0
    for k in range(len(which)):
        b, low = which[k], low_bar(bars[k])
        bounds.tight_from[b], bounds.n_listed[b] = low, 0
        reached = _reached(bounds.bound[b], low)
        if reached > MOST * d:
            most[n_most] = b
            n_most += 1
        elif reached > 0:
            some[n_some] = b
            n_some += 1
    if n_most % 2:
        n_most -= 1
        some[n_some] = most[n_most]
        n_some += 1
    both = np.empty((2, step if n_most else 0), np.float32)
    for begin in range(0, d, step):
        end = min(begin + step, d)
        for k in range(0, n_most, 2):
            single_dots_of_two(Z, begin, end, bounds.residual, most[k], most[k + 1], both)
            for side in range(2):
                _put_all(bounds, most[k + side], begin, end, both[side])
        count = n_most * (end - begin)
        for k in range(n_some):
            b = some[k]
            n_open = _list_reaching(bounds.bound[b], begin, end, bounds.tight_from[b], open)
            single_dots(Z, open, n_open, bounds.residual, b, sizes)
            _put_some(bounds, b, open, n_open, sizes)
            count += n_open
        count_work(work, count * n)


@inner_part
def unknown(batch: Batch, b: int) -> None:
    """Nothing is known of the features: their bounds are infinite."""
    for j in range(batch.bound.shape[1]):
        batch.bound[b, j] = np.inf


@part
def low_bar(bar: float) -> np.float32:
    """The number in single precision that a bound reaches wherever the descent reaches the bar."""
    return np.float32(max(bar, LEAST_BAR) * (1.0 - ROUNDED))


@part
def _reached(bound: Singles, low: np.float32) -> int:
    """How many bounds reach a bar."""
    reached = 0
    for j in range(len(bound)):
        reached += bound[j] >= low
    return reached


@part
def _list_reaching(bound: Singles, begin: int, end: int, bar: float, listed: Numbers) -> Int:
    """List the features of a block whose bounds reach a bar; how many.

    Without a branch, because no processor foresees which these are, and without negative numbers, for which numba would
    look out.
    """
    low, count = np.float32(bar), np.uint64(0)
    for j in range(np.uint64(begin), np.uint64(end)):
        listed[count] = j
        count += np.uint64(bound[j] >= low)
    return np.int64(count)


@part
def _put_all(bounds: Bounds, b: int, begin: int, end: int, sizes: Singles) -> None:
    """Bounds of a block of features from the sizes of their products; those that reach the bar are listed."""
    rounding, bound, scale = np.float32(bounds.rounding[b]), bounds.bound[b], bounds.scale[b]
    for k in range(end - begin):
        bound[begin + k] = (sizes[k] + rounding) * scale[begin + k]
    listed = bounds.listed[b, bounds.n_listed[b] :]
    bounds.n_listed[b] += _list_reaching(bound, begin, end, bounds.tight_from[b], listed)


@part
def _put_some(bounds: Bounds, b: int, some: Numbers, n_some: Int, sizes: Singles) -> None:
    """The same for some features only."""
    rounding, bound, scale = np.float32(bounds.rounding[b]), bounds.bound[b], bounds.scale[b]
    low, listed, count = np.float32(bounds.tight_from[b]), bounds.listed[b], np.uint64(bounds.n_listed[b])
    for k in range(np.uint64(n_some)):
        j = some[k]
        bound[j] = (sizes[k] + rounding) * scale[j]
        listed[count] = j
        count += np.uint64(bound[j] >= low)
    bounds.n_listed[b] = count


@summing_part
def centred(residual: Floats, w: Floats, out: Floats) -> float:
    """Write the residual without its mean, which features of mean zero do not meet; sum_i r_i² / w_i of that."""
    total = 0.0
    for i in range(len(w)):
        total += residual[i]
    square = 0.0
    for i in range(len(w)):
        out[i] = residual[i] - w[i] * total
        square += out[i] * out[i] / w[i]
    return square


@summing_part
def along_and_across(seen: Floats, now: Floats, w: Floats) -> tuple[float, float]:
    """e is part `along` of the e that was seen and a rest across it, of norm `across`.

    A standardised feature has norm 1: so its descent is at most `along` of what it was plus `across`.
    """
    square, product = 0.0, 0.0
    for i in range(len(w)):
        square += seen[i] * seen[i] / w[i]
        product += seen[i] * now[i] / w[i]
    along = product / square if square > 0.0 else 0.0
    rest = 0.0
    for i in range(len(w)):
        rest += (now[i] - along * seen[i]) ** 2 / w[i]
    return abs(along) * (1.0 + 1e-12), math.sqrt(rest) * (1.0 + 1e-9) + 1e-13


@part
def unit_of_reach(as_given: bool, rms: float) -> float:
    """What features.reach is to be multiplied by in a resample; above zero, because a reach may be infinite."""
    return max(rms, LEAST_RMS) if as_given else 1.0


@inner_part
def put_residual(batch: Batch, b: int, residual: Floats) -> None:
    """Hand the residual of a resample to the screening, with the bound of the rounding errors that follow."""
    n = batch.n_rows[b]
    square = centred(residual, batch.w[b, :n], batch.seen[b])
    _put_single(batch.seen[b], batch.rows[b, :n], batch.residual[b])
    batch.rounding[b] = rounding_bound(batch.residual.shape[1], square, batch.rms[b])


@part
def _put_single(seen: Floats, rows: Ints, single: Singles) -> None:
    """The residual that was seen in single precision over all rows."""
    for i in range(len(single)):
        single[i] = 0.0
    for i in range(len(rows)):
        single[rows[i]] = seen[i]


@inner_part
def carry_bounds(
    features: Features, batch: Batch, b: int, residual: Floats, strong: Strong, n_strong: int, now: Floats
) -> None:
    """Bring the bounds of all features to a new residual, those of the strong ones as the solver left them."""
    n = batch.n_rows[b]
    square = centred(residual, batch.w[b, :n], now)
    along, across = along_and_across(batch.seen[b, :n], now, batch.w[b, :n])
    across *= unit_of_reach(features.as_given, batch.rms[b])
    # A bound in single precision is rounded up; an infinite one times zero would be no number.
    part, more = np.float32(max(along, LEAST_BAR) * (1.0 + ROUNDED)), np.float32(across * (1.0 + ROUNDED))
    _carry(batch.bound[b], features.reach, part, more)
    for k in range(n_strong):
        batch.bound[b, strong.feature[k]] = strong.bound[k] * (1.0 + ROUNDED)
    for i in range(n):
        batch.seen[b, i] = now[i]
    _put_single(batch.seen[b], batch.rows[b, :n], batch.residual[b])
    batch.rounding[b] = rounding_bound(batch.residual.shape[1], square, batch.rms[b])
    batch.tight_from[b] = np.inf


@summing_part
def _carry(bound: Singles, reach: Singles, part: np.float32, more: np.float32) -> None:
    for j in range(len(bound)):
        bound[j] = part * bound[j] + more * reach[j]


@inner_part
def _surely(features: Features, batch: Batch, b: int, j: Int) -> float:
    """What |g_j| / l1_j is at least, by a bound that a product has made, or that is exact but for ROUNDED.

    The error of scale, of rows of at least LANES numbers, is larger than ROUNDED.
    """
    scale = batch.scale[b, j]
    if not scale < np.inf:
        return -1.0
    return float((batch.bound[b, j] - 2.0 * batch.rounding[b] * scale) * (1.0 - 2.0 * scale_error(features.Z.shape[1])))


@inner_part
def collect(features: Features, sample: Sample, batch: Batch, b: int, bar: float, strong: Strong, room: Room) -> int:
    """Write the features with |g_j| / l1_j of at least the bar to strong, whether they are in the model or not."""
    bar = max(bar, LEAST_BAR)
    low = low_bar(bar)
    residual = batch.seen[b, : len(sample.w)]
    if low < batch.tight_from[b]:
        renew(features, batch, np.full(1, b), np.full(1, bar), room)
    found = 0
    for k in range(batch.n_listed[b]):
        j = np.int64(batch.listed[b, k])
        if batch.bound[b, j] < low:
            continue
        if _surely(features, batch, b, j) < bar:
            size = abs(exact_descent(features, sample, j, residual, room.z)[0])
            batch.bound[b, j] = size * (1.0 + ROUNDED)
            if size < bar:
                continue
        strong.feature[found], strong.bound[found], strong.reach[found] = j, batch.bound[b, j], features.reach[j]
        found += 1
    return found


@inner_part
def broken(features: Features, sample: Sample, batch: Batch, b: int, penalty: float, room: Room) -> float:
    """By how much the descent of a feature outside the model exceeds its penalty, at most; 0 where none does."""
    worst = 0.0
    low, residual = low_bar(penalty), batch.seen[b, : len(sample.w)]
    for k in range(batch.n_listed[b]):
        j = np.int64(batch.listed[b, k])
        if batch.bound[b, j] >= low and not room.marks[j]:
            descent, l1 = exact_descent(features, sample, j, residual, room.z)
            batch.bound[b, j] = abs(descent) * (1.0 + ROUNDED)
            worst = max(worst, (abs(descent) - penalty) * l1)
    return worst


@part
def largest_descent(features: Features, sample: Sample, batch: Batch, b: int, residual: Floats, room: Room) -> float:
    """The least penalty that leaves out every feature that has one."""
    d = len(features.factor)
    if batch.tight_from[b] > LEAST_BAR:
        renew(features, batch, np.full(1, b), np.zeros(1), room)
    likely = 0
    for j in range(d):
        if np.inf > batch.bound[b, j] > batch.bound[b, likely] or not batch.bound[b, likely] < np.inf:
            likely = j
    largest = abs(exact_descent(features, sample, likely, residual, room.z)[0]) if batch.scale[b, likely] > 0.0 else 0.0
    for j in range(d):
        if batch.bound[b, j] >= low_bar(largest):
            largest = max(largest, abs(exact_descent(features, sample, j, residual, room.z)[0]))
    return largest
