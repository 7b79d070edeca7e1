"""What models are fitted on: the checked rows that count, features on one scale, and which scores come first."""

from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from steadyset.errors import InputError
from steadyset.selectors.validation import (
    check_classes,
    check_features,
    check_k,
    check_numbers,
    check_sample_weight,
    check_target,
)

FloatArray = NDArray[np.float64]
BoolArray = NDArray[np.bool_]
IntArray = NDArray[np.int64]
Target = Literal["binary", "classes", "numbers"]

TINY = 1e-150
DEFAULT_K = 20


@dataclass(frozen=True)
class Training:
    """Rows of positive weight: X is n x d, y holds numbers or class codes 0, 1, ...; classes is empty for numbers."""

    X: FloatArray
    y: FloatArray
    weight: FloatArray
    classes: NDArray[Any]


@dataclass(frozen=True)
class Standardised:
    """Features as rows (d x n), centred and divided by scale; a constant feature is a row of zeros with scale 1."""

    Xt: FloatArray
    weight: FloatArray
    centre: FloatArray
    scale: FloatArray
    varies: BoolArray


def read_training(
    X: ArrayLike, y: ArrayLike, sample_weight: ArrayLike | None, *, target: Target, selector: Any = None
) -> Training:
    """Check the training data; rows of weight zero are left out, so they count for nothing at all."""
    wanted_by = "a path" if selector is None else type(selector).__name__
    values = check_features(X, selector)
    labels = check_target(y, len(values), wanted_by)
    weight = check_sample_weight(sample_weight, len(values))[0]
    used = weight > 0
    if not used.all():
        values, labels, weight = values[used], labels[used], weight[used]
    if target == "numbers":
        numbers, classes = check_numbers(labels, wanted_by), np.empty(0)
    else:
        classes, codes = check_classes(labels, weight[None], wanted_by, binary=target == "binary")
        numbers = codes.astype(np.float64)
    if len(weight) < 2:
        raise InputError(f"X has n_samples={len(weight)} rows of positive weight; {wanted_by} wants at least two.")
    if np.ptp(numbers) == 0:
        raise InputError(f"y has one value only, {numbers[0]:g}; {wanted_by} wants a target that varies.")
    return Training(values, numbers, weight, classes)


def standardise(training: Training) -> Standardised:
    """Centre by the weighted mean, divide by the weighted standard deviation (divisor: the sum of the weights)."""
    weight = training.weight / training.weight.sum()
    varies = varying(training.X)
    centre = weight @ training.X
    Xt = np.array(training.X.T, order="C", copy=True)
    Xt -= centre[:, None]
    with np.errstate(over="ignore", under="ignore"):
        scale = np.sqrt(np.square(Xt) @ weight)
    extreme = np.flatnonzero(varies & ~((scale > TINY) & (scale < 1 / TINY)))
    if len(extreme):  # squares that overflow or vanish; a power of two changes no digit
        units = np.ldexp(1.0, np.frexp(np.abs(Xt[extreme]).max(axis=1))[1] - 1)
        scale[extreme] = units * np.sqrt(np.square(Xt[extreme] / units[:, None]) @ weight)
    varies &= scale > 0
    scale[~varies] = 1.0
    Xt /= scale[:, None]
    Xt[~varies] = 0.0
    return Standardised(Xt, weight, centre, scale, varies)


def varying(X: FloatArray) -> BoolArray:
    """Which columns vary; a model needs one that does."""
    varies: BoolArray = X.min(axis=0) < X.max(axis=0)
    if not varies.any():
        raise InputError("X is constant in every column on the rows of positive weight; wanted is one that varies.")
    return varies


def size_or_default(k: int | None, n_features: int, *, what: str = "features") -> int:
    """k as a number; None asks for DEFAULT_K features, or half of them where that is fewer."""
    return min(DEFAULT_K, (n_features + 1) // 2) if k is None else check_k(k, n_features, what=what)


def later_copies(X: FloatArray) -> BoolArray:
    """Which columns equal an earlier column in every row."""
    seen: set[bytes] = set()
    later = np.zeros(X.shape[1], dtype=np.bool_)
    for j, column in enumerate(np.ascontiguousarray(X.T)):
        key = column.tobytes()
        later[j] = key in seen
        seen.add(key)
    return later


def first_best(scores: FloatArray, count: int, *, digits: int = 10) -> IntArray:
    """Indices of the count largest scores, best first; the lower index wins between scores that agree to the digits."""
    top = np.abs(scores).max(initial=0.0)
    rounded = np.round(scores / top, digits) if top > 0 else scores
    return np.lexsort((np.arange(len(scores)), -rounded))[:count].astype(np.int64)
