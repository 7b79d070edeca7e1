"""Which features may enter at a penalty, and which break the conditions of a solution, over all features.

Every feature has a bound of its descent, which grows as the residual moves: most features stay far below the penalty
and are never looked at. A bound that reaches the bar is renewed by a product in single precision, whose rounding is
bounded; where that leaves it open, the exact descent decides. What is decided does not depend, therefore, on how bounds
came about, nor on how products were rounded or batched.
"""

import math

import numpy as np

from steadyset.kernels.arrays import Floats, Ints
from steadyset.kernels.jit import inner_part, part, summing_part
from steadyset.kernels.paths.feature_moments import exact_descent, rounding_bound, scale_error, single_dot
from steadyset.kernels.paths.path_arrays import Batch, Features, Marks, Room, Sample, Strong

BLOCK = 32
LEAST_BAR = 1e-30  # features that can not enter have a bound of zero
# A bound in single precision is compared with a bar that is lower by this.
ROUNDED = 1e-6
# All descents by one product of matrices are as cheap as one in so many of them one by one, from so many resamples on.
SHARE_OF_PRODUCTS, LEAST_PRODUCTS = 10, 8


@part
def screen(features: Features, batch: Batch, todo: Ints) -> None:
    """Renew the bounds of all features at the residuals of some resamples, where it pays by a product of matrices."""
    n, d = batch.residual.shape[1], len(features.factor)
    if len(features.across) == 0:
        for k in range(len(todo)):
            for j in range(d):
                _renew(features, batch, todo[k], j)
            batch.tight[todo[k]] = 1
        return
    some = np.empty((len(todo), n), np.float32)
    for k in range(len(todo)):
        for i in range(n):
            some[k, i] = batch.residual[todo[k], i]
    products = np.dot(some, features.across)
    for k in range(len(todo)):
        rounding = np.float32(batch.rounding[todo[k]])
        batch.tight[todo[k]] = 1
        for j in range(d):
            batch.bound[todo[k], j] = (abs(products[k, j]) + rounding) * batch.scale[todo[k], j]


@part
def product_pays(features: Features, batch: Batch, b: int, bar: float) -> bool:
    """Whether so many bounds reach the bar that it is cheaper to renew all of them."""
    if len(features.across) == 0:
        return False
    d, low = len(features.factor), np.float32(bar)
    reached = 0
    for j in range(d):
        reached += batch.bound[b, j] >= low
    return SHARE_OF_PRODUCTS * reached > d


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
def unit_of_reach(features: Features, batch: Batch, b: int) -> float:
    """What features.reach is to be multiplied by in this resample."""
    return float(batch.rms[b]) if features.as_given else 1.0


@part
def put_residual(batch: Batch, b: int, residual: Floats) -> None:
    """Hand the residual of a resample to the screening, with the bound of the rounding errors that follow."""
    n = batch.n_rows[b]
    square = centred(residual, batch.w[b, :n], batch.seen[b])
    for i in range(batch.residual.shape[1]):
        batch.residual[b, i] = 0.0
    for i in range(n):
        batch.residual[b, batch.rows[b, i]] = batch.seen[b, i]
    batch.rounding[b] = rounding_bound(batch.residual.shape[1], square, batch.rms[b])


@summing_part
def carry_bounds(
    features: Features, batch: Batch, b: int, residual: Floats, strong: Strong, n_strong: int, now: Floats
) -> None:
    """Bring the bounds of all features to a new residual, those of the strong ones as the solver left them."""
    n = batch.n_rows[b]
    centred(residual, batch.w[b, :n], now)
    along, across = along_and_across(batch.seen[b, :n], now, batch.w[b, :n])
    across *= unit_of_reach(features, batch, b)
    # A bound in single precision is rounded up; an infinite one times zero would be no number.
    part, more = np.float32(max(along, 1e-30) * (1.0 + ROUNDED)), np.float32(across * (1.0 + ROUNDED))
    for j in range(len(features.factor)):
        batch.bound[b, j] = part * batch.bound[b, j] + more * features.reach[j]
    for k in range(n_strong):
        batch.bound[b, strong.feature[k]] = strong.bound[k] * (1.0 + ROUNDED)
    put_residual(batch, b, residual)
    batch.tight[b] = 0


@inner_part
def _renew(features: Features, batch: Batch, b: int, j: int) -> None:
    """Renew the bound of a feature by one product."""
    size = abs(single_dot(features.Z, j, batch.residual, b))
    batch.bound[b, j] = (size + batch.rounding[b]) * batch.scale[b, j]


@inner_part
def _surely(features: Features, batch: Batch, b: int, j: int) -> float:
    """What |g_j| / l1_j is at least, by a bound that a product has made."""
    scale = batch.scale[b, j]
    if not scale < np.inf:
        return -1.0
    return float((batch.bound[b, j] - 2.0 * batch.rounding[b] * scale) * (1.0 - 2.0 * scale_error(features)))


@part
def _any_reaches(batch: Batch, b: int, begin: int, end: int, low: np.float32) -> bool:
    reached = 0
    for j in range(begin, end):
        reached += batch.bound[b, j] >= low
    return reached > 0


@inner_part
def collect(
    features: Features, sample: Sample, batch: Batch, b: int, residual: Floats, bar: float, strong: Strong, room: Room
) -> int:
    """Write the features with |g_j| / l1_j of at least the bar, and those in the model, to strong; how many."""
    d = len(features.factor)
    bar = max(bar, LEAST_BAR)
    low = np.float32(bar * (1.0 - ROUNDED))
    found = 0
    for begin in range(0, d, BLOCK):
        end = min(begin + BLOCK, d)
        if not _any_reaches(batch, b, begin, end, low):
            continue
        for j in range(begin, end):
            if batch.bound[b, j] < low:
                continue
            if not room.marks[j]:
                if not batch.tight[b]:
                    _renew(features, batch, b, j)
                if batch.bound[b, j] < low:
                    continue
                if _surely(features, batch, b, j) < bar:
                    size = abs(exact_descent(features, sample, j, residual, room.z)[0])
                    batch.bound[b, j] = size * (1.0 + ROUNDED)
                    if size < bar:
                        continue
            strong.feature[found], strong.bound[found] = j, batch.bound[b, j]
            found += 1
    return found


@inner_part
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
    low = np.float32(penalty * (1.0 - ROUNDED))
    for begin in range(0, d, BLOCK):
        end = min(begin + BLOCK, d)
        if not _any_reaches(batch, b, begin, end, low):
            continue
        for j in range(begin, end):
            if batch.bound[b, j] < low or marks[j]:
                continue
            if not batch.tight[b]:
                _renew(features, batch, b, j)
                if batch.bound[b, j] < low:
                    continue
            descent, l1 = exact_descent(features, sample, j, residual, z)
            batch.bound[b, j] = abs(descent) * (1.0 + ROUNDED)
            worst = max(worst, (abs(descent) - penalty) * l1)
    return worst


@part
def largest_descent(features: Features, sample: Sample, batch: Batch, b: int, residual: Floats, z: Floats) -> float:
    """The least penalty that leaves out every feature that has one."""
    d = len(features.factor)
    likely = 0
    for j in range(d):
        if np.inf > batch.bound[b, j] > batch.bound[b, likely] or not batch.bound[b, likely] < np.inf:
            likely = j
    largest = abs(exact_descent(features, sample, likely, residual, z)[0]) if batch.scale[b, likely] > 0.0 else 0.0
    for begin in range(0, d, BLOCK):
        end = min(begin + BLOCK, d)
        low = np.float32(max(largest, LEAST_BAR) * (1.0 - ROUNDED))
        if not _any_reaches(batch, b, begin, end, low):
            continue
        for j in range(begin, end):
            if batch.bound[b, j] >= low:
                _renew(features, batch, b, j)
            if batch.bound[b, j] >= low:
                largest = max(largest, abs(exact_descent(features, sample, j, residual, z)[0]))
    return largest
