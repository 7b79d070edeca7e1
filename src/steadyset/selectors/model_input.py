"""What models are fitted on: the checked rows that count, features on one scale, and which scores come first."""

import math
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from steadyset.foundation.errors import InputError
from steadyset.kernels.arrays import Bools, Floats, Ints
from steadyset.kernels.linear.algebra import dot
from steadyset.selectors import validation

Target = Literal["binary", "classes", "numbers", "counts", "times"]

TINY = 1e-150
DIGITS = 10  # to which scores are compared, so that rounding decides no tie


@dataclass(frozen=True)
class Training:
    """Rows of positive weight: X is n x d, y holds numbers or class codes 0, 1, ...; classes is empty for numbers."""

    X: Floats
    y: Floats
    weight: Floats
    classes: NDArray[Any]


@dataclass(frozen=True)
class Standardised:
    """Features as rows (d x n), centred and divided by scale; a constant feature is a row of zeros with scale 1."""

    Xt: Floats
    weight: Floats
    centre: Floats
    scale: Floats
    varies: Bools


def read_training(
    X: ArrayLike, y: ArrayLike, sample_weight: ArrayLike | None, *, target: Target, selector: Any = None
) -> Training:
    """Check the training data; rows of weight zero are left out, so they count for nothing at all."""
    values, numbers, weights, classes = checked_data(X, y, sample_weight, target=target, selector=selector)
    weight = weights[0]
    used = weight > 0
    if not used.all():
        values, numbers, weight = values[used], numbers[used], weight[used]
        if len(classes):
            present, codes = np.unique(numbers, return_inverse=True)
            classes, numbers = classes[present.astype(np.int64)], codes.astype(np.float64)
    refuse_too_little(numbers, target, selector)
    return Training(values, numbers, weight, classes)


def checked_data(
    X: ArrayLike,
    y: ArrayLike,
    weights: ArrayLike | None,
    *,
    target: Target,
    selector: Any = None,
    resamples: bool = False,
) -> tuple[Floats, Floats, Floats, NDArray[Any]]:
    """Features, the target as numbers or as places in the classes, weights of each resample, and the classes."""
    needed_by = _needed_by(selector)
    values = validation.check_features(X, selector)
    labels = validation.check_target(y, len(values), needed_by)
    if labels.ndim > 1 and target != "times":
        raise InputError(f"y has {labels.shape[1]} values per row; {needed_by} takes one.")
    weight = validation.check_sample_weight(weights, len(values), resamples=resamples)
    if target in ("numbers", "counts", "times"):
        found = validation.check_numbers(labels, needed_by)
        if target == "times" and found.ndim == 1:
            raise InputError("y has one value per row; times to an event have two, so give st.Survival(time, event).")
        if target == "counts" and (found < 0).any():
            raise InputError(f"y holds {found.min():g}; counts are numbers from 0.")
        return values, found, weight, np.empty(0)
    # The target is judged as it is given: a resample, which weights tell, may hold one row of a class.
    classes, codes = validation.check_classes(labels, weight, needed_by)
    return values, codes.astype(np.float64), weight, classes


def refuse_too_little(numbers: Floats, target: Target, selector: Any = None) -> None:
    """Refuse the target of a resample from which nothing can be learnt."""
    needed_by = _needed_by(selector)
    if target == "binary":
        validation.check_two_classes(len(np.unique(numbers)), needed_by)
    if len(numbers) < 2:
        raise InputError(f"X has n_samples={len(numbers)} rows of positive weight; {needed_by} needs at least two.")
    if target == "times" and not numbers[:, 1].any():
        raise InputError("y has no event among the rows of positive weight.")
    if np.ptp(numbers) == 0:
        raise InputError(f"y has one value only, {numbers[0]:g}; {needed_by} needs a target that varies.")


def signed_ranks(y: Floats) -> Floats:
    """The ranks of times from 1, so that no unit of time matters, negative where they were censored."""
    return np.asarray(np.where(y[:, 1] > 0, 1.0, -1.0) * (1.0 + np.unique(y[:, 0], return_inverse=True)[1]))


def _needed_by(selector: Any) -> str:
    return "a path" if selector is None else type(selector).__name__


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
        units = validation.powers_of_two(np.abs(Xt[extreme]).max(axis=1))
        scale[extreme] = units * np.sqrt(np.square(Xt[extreme] / units[:, None]) @ weight)
    varies &= scale > 0
    scale[~varies] = 1.0
    Xt /= scale[:, None]
    Xt[~varies] = 0.0
    return Standardised(Xt, weight, centre, scale, varies)


@dataclass(frozen=True)
class SolvedTarget:
    """y as solvers take it: (original - centre) / unit, with its weighted mean and standard deviation."""

    y: Floats
    centre: float
    unit: float
    mean: float
    spread: float


def solved_target(training: Training, weight: Floats) -> SolvedTarget:
    """Numbers centred and brought near a standard deviation of 1; class codes as they are."""
    y, centre, unit = (training.y, 0.0, 1.0) if len(training.classes) else in_own_units(training.y, weight)
    mean = dot(weight, y)
    return SolvedTarget(y, centre, unit, mean, math.sqrt(dot(weight, (y - mean) ** 2)))


def in_own_units(y: Floats, w: Floats) -> tuple[Floats, float, float]:
    """A target of numbers as solvers take it, (y - centre) / unit; its centre and its unit.

    A unit is a power of two, which changes no digit, near the standard deviation. Without it, squares of tiny or huge
    numbers vanish or overflow; without the centre, a large offset takes the digits that the residuals need.
    """
    unit = validation.powers_of_two(np.abs(y).max())
    y = y / unit
    centre = dot(w, y)
    y -= centre
    farthest = np.abs(y).max()
    finer = validation.powers_of_two(farthest * math.sqrt(dot(w, (y / farthest) ** 2)))
    return y / finer, float(centre * unit), float(finer * unit)


def varying(X: Floats) -> Bools:
    """Which columns vary; a model needs one that does."""
    varies: Bools = X.min(axis=0) < X.max(axis=0)
    if not varies.any():
        raise InputError("X is constant in every column on the rows of positive weight; at least one must vary.")
    return varies


def first_best(scores: Floats, count: int, *, digits: int = DIGITS) -> Ints:
    """Indices of the count largest scores, best first; the lower index wins between scores that agree to the digits."""
    return np.lexsort((np.arange(len(scores)), -_rounded(scores, digits)))[:count].astype(np.int64)


def too_few(asked: int, how: str) -> str:
    """What is said where fewer features than asked for were selected: the same words in every run."""
    return f"Fewer than {asked} features were selected {how}: the others score no better than a constant column."


class Nested(list[Ints]):
    """Features that enter one after the other and stay, at the sizes 1, 2, ...; of those at size s the last tied[s - 1]
    were preferred to others by the order of the columns alone."""

    tied: Ints | None = None


def nested(order: Ints, tied: Ints | None = None) -> Nested:
    """The path of features that enter one after the other and stay."""
    path = Nested(order[: size + 1] for size in range(len(order)))
    path.tied = tied
    return path


def tied(scores: Floats, best: Ints, *, digits: int = DIGITS) -> Ints:
    """Those of the indices `best` whose score agrees to the digits with that of an index that is not among them."""
    rounded = _rounded(scores, digits)
    return np.asarray(best[rounded[best] == np.delete(rounded, best).max(initial=-np.inf)])


def left_out_copies(X: Floats, chosen: Bools, rows: Ints | None = None, *, in_any_unit: bool = True) -> Ints:
    """Chosen columns of which a copy, or a mirror image, was not chosen; constant ones have none.

    Where rows are given, those alone are compared. in_any_unit counts a copy times a power of two as a copy.
    """
    columns = np.flatnonzero(chosen)
    every_copy = copies_of(X, columns, rows, in_any_unit=in_any_unit)
    copied = [not chosen[copies].all() for copies in every_copy]
    return np.asarray(columns[np.array(copied, dtype=np.bool_)], dtype=np.int64)


def copies_of(X: Floats, columns: Ints, rows: Ints | None = None, *, in_any_unit: bool = True) -> list[Ints]:
    """The copies and mirror images of each of some columns, itself among them; a constant column has none.

    in_any_unit counts a copy times a power of two as a copy.
    """
    rows = np.arange(len(X)) if rows is None else rows
    gap = np.abs(X[rows[0]] - X[rows[1]])  # the first two rows tell most columns apart
    if in_any_unit:
        gap = np.frexp(gap)[0]
    own = X[np.ix_(rows, columns)]
    varies = (own != own[0]).any(axis=0)
    order = np.argsort(gap, kind="stable")
    begins, ends = (np.searchsorted(gap[order], gap[columns], side=side) for side in ("left", "right"))
    found = []
    for k, (begin, end) in enumerate(zip(begins, ends, strict=True)):
        near = order[begin:end] if varies[k] else order[:0]
        if len(near) > 1:
            values, mine = X[np.ix_(rows, near)], own[:, k : k + 1]
            if in_any_unit:
                values, mine = _without_unit(values), _without_unit(mine)
            near = near[(values == mine).all(axis=0) | (values == -mine).all(axis=0)]
        found.append(near)
    return found


def _without_unit(columns: Floats) -> Floats:
    """Return each column divided by the power of two just above its largest value, which changes no digit."""
    _, exponents = np.frexp(np.abs(columns).max(axis=0))
    return np.asarray(np.ldexp(columns, -exponents))


def _rounded(scores: Floats, digits: int) -> Floats:
    top = np.abs(scores).max(initial=0.0)
    return np.round(scores / top, digits) if top > 0 else scores
