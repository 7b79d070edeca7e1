"""The data of elastic-net paths: checked with the weights of their resamples, and laid out once for all of them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from steadyset.foundation.errors import InputError
from steadyset.io.numbers import numbers
from steadyset.kernels.arrays import Bools, Floats, Ints, Singles
from steadyset.kernels.paths import families
from steadyset.kernels.paths.features import FACTOR, PLAIN, UNIT, WHOLE, lay_out, padded
from steadyset.selectors.model_input import Target, checked_data, refuse_too_little, signed_ranks
from steadyset.selectors.validation import of_run

Family = Literal["logistic", "linear", "cox", "multinomial", "poisson"]
NEAR = 1e-7  # values of copies in one direction differ by less per row
# What the target of a family is, and its number in the solver of one coefficient per feature.
FAMILIES: dict[str, tuple[Target, int]] = {
    "logistic": ("binary", families.LOGISTIC),
    "linear": ("numbers", families.LINEAR),
    "cox": ("times", families.COX),
    "multinomial": ("classes", -1),
    "poisson": ("counts", families.POISSON),
}


@dataclass(frozen=True)
class Resamples:
    """Checked data with M x n weights; codes holds numbers, or the class of each row where there are classes.

    Of times to an event it holds their ranks, negative where they were censored. n_rows counts the rows of positive
    weight of each resample; lowest and highest are its least and its largest code: its two classes.
    """

    X: Floats
    codes: Floats
    weights: Floats
    classes: NDArray[Any]
    n_rows: Ints
    lowest: Floats
    highest: Floats
    multinomial: bool = False

    def rows(self, run: int) -> Ints:
        return np.flatnonzero(self.weights[run])

    def classes_of(self, run: int) -> NDArray[Any]:
        """The classes that the resample holds; empty where the target has none."""
        if not len(self.classes) or self.multinomial:
            return self.classes
        return self.classes[[int(self.lowest[run]), int(self.highest[run])]]


def read_resamples(
    X: ArrayLike, y: ArrayLike, weights: ArrayLike | None, *, target: Target, selector: Any = None
) -> Resamples:
    """Check the data and a vector of weights, or one for each resample; rows of weight zero count for nothing."""
    values, codes, weight, classes = checked_data(X, y, weights, target=target, selector=selector, resamples=True)
    inside = weight > 0
    multinomial = len(classes) > 0 and target != "binary"
    if multinomial:  # those that no resample holds are no classes of the problem
        present = np.array([bool(inside[:, codes == code].any()) for code in range(len(classes))])
        classes, codes = classes[present], np.maximum(np.cumsum(present) - 1.0, 0.0)[codes.astype(np.int64)]
    if target == "times":
        _refuse_without_events(codes, inside)
        codes = signed_ranks(codes)
    n_rows = np.count_nonzero(inside, axis=1)
    lowest = np.where(inside, codes, np.inf).min(axis=1)
    highest = np.where(inside, codes, -np.inf).max(axis=1)
    doubtful = (lowest >= highest) & (target != "times")
    if multinomial:
        _refuse_absent(codes, inside, classes)
    elif len(classes) > 2:
        between = inside & (lowest[:, None] < codes) & (codes < highest[:, None])
        doubtful |= between.any(axis=1)
    for run in np.flatnonzero(doubtful) if doubtful.any() else ():
        refuse_too_little(codes[weight[run] > 0], target, selector)
    return Resamples(values, codes, weight, classes, n_rows, lowest, highest, multinomial)


def _refuse_without_events(y: Floats, inside: Bools) -> None:
    without = np.flatnonzero(~(inside & (y[:, 1] > 0)).any(axis=1))
    if len(without):
        raise InputError(f"y has no event among the rows of positive weight{of_run(without[0], len(inside))}.")


def _refuse_absent(codes: Floats, inside: Bools, classes: NDArray[Any]) -> None:
    """A resample without a class would be another problem, with fewer classes."""
    for code, label in enumerate(classes):
        without = np.flatnonzero(~(inside & (codes == code)).any(axis=1))
        if len(without):
            raise InputError(
                f"Class {label} has no rows of positive weight{of_run(without[0], len(inside))}; "
                "draw resamples with stratified=True, or drop its rows."
            )


def read_factors(penalty_factors: ArrayLike | None, n_features: int) -> Floats:
    """How much the penalty counts for each feature: 1 for all, or the numbers given, so scaled that their mean is 1."""
    if penalty_factors is None:
        return np.ones(n_features)
    factors = numbers(penalty_factors, "penalty_factors")
    if factors.shape != (n_features,):
        raise InputError(
            f"penalty_factors has shape {factors.shape}; expected one number for each of the {n_features} features."
        )
    wrong = factors[~(np.isfinite(factors) & (factors >= 0))]
    if len(wrong):
        raise InputError(
            f"penalty_factors must be finite and at least 0 (got {wrong[0]:g}); "
            "to keep a feature out of all models, leave it out of X."
        )
    if not factors.any():
        raise InputError("penalty_factors are all 0; at least one feature needs a penalty.")
    factors = factors / factors.max()  # the sum of huge ones would be infinite
    return np.asarray(factors / factors.mean())


@dataclass(frozen=True)
class Features:
    """The data as the solver takes them (kernels/paths/features.py says what the arrays are).

    as_given tells that the penalty counts the coefficients of the features as they are, in units of `whole`.
    """

    Xt: Floats
    Z: Singles
    reach: Singles
    D: Floats
    whole: float
    as_given: bool

    def arrays(self) -> tuple[Floats, Singles, Floats, Singles]:
        """In the order in which the solver takes them."""
        return self.Xt, self.Z, self.D, self.reach


def laid_out(X: Floats, factors: Floats, *, as_given: bool, no_copies: bool) -> Features:
    """What the solver needs of the data; no_copies leaves out copies of earlier features."""
    n, d = X.shape
    Xt, Z, D = np.empty((d, n)), np.empty((d, padded(n)), np.float32), np.empty((4, d))
    D[FACTOR] = factors
    lay_out(X, Xt, Z, D)
    if no_copies:
        _leave_copies_out(Xt, D, in_any_unit=not as_given)
    penalised = (D[FACTOR] > 0) & (D[FACTOR] < np.inf) & (D[PLAIN] > 0)
    reach = np.zeros(d)
    reach[penalised] = (1.0 + 1e-6) / D[FACTOR, penalised]
    D[WHOLE], whole = D[UNIT], 1.0
    if as_given:
        sizes = D[PLAIN] * D[UNIT]
        whole = _power_of_all(sizes[penalised])
        D[UNIT] /= whole
        reach[penalised] *= sizes[penalised] / whole
    return Features(Xt, Z, reach.astype(np.float32), D, whole, as_given)


def _leave_copies_out(Xt: Floats, D: Floats, *, in_any_unit: bool) -> None:
    """Give every feature that equals an earlier one an infinite factor.

    in_any_unit also finds features that differ from an earlier one by a shift and a power of two, which standardising
    takes away.
    """
    order, like_next = _alike_when_standardised(Xt, D) if in_any_unit else _alike_as_given(D)
    like_another = np.append(like_next, False) | np.append(False, like_next)
    seen: dict[bytes, int] = {}
    for j in np.sort(order[like_another]).tolist():
        row = Xt[j]
        if in_any_unit and D[PLAIN, j] < np.inf:
            row = row - row[0]
            row = np.ldexp(row, -np.frexp(abs(row).max())[1]) + 0.0
        if seen.setdefault(row.tobytes(), j) != j:
            D[FACTOR, j] = np.inf


def _alike_as_given(D: Floats) -> tuple[Ints, Bools]:
    """Return an order of the features, and which may equal the next in it: equal ones have equal moments."""
    order = np.lexsort((D[WHOLE], D[PLAIN]))
    plain = D[PLAIN, order]
    mean = D[WHOLE, order]
    return order, (plain[1:] == plain[:-1]) & (mean[1:] == mean[:-1])


def _alike_when_standardised(Xt: Floats, D: Floats) -> tuple[Ints, Bools]:
    """Return the same for features in any unit: equal ones have the same standard deviation but for a power of two."""
    n = Xt.shape[1]
    # A shift may change the last digits.
    digits = np.frexp(D[PLAIN])[0].round(9)
    # Columns that were standardised before all have the same digits, so their values in one direction are compared too.
    direction = np.cos(np.arange(n))
    scales = np.where(D[PLAIN] > 0.0, D[PLAIN], np.inf)
    values = Xt @ (direction - direction.mean()) / scales
    order = np.lexsort((values, digits))
    is_near = np.abs(np.diff(values[order])) <= NEAR * n
    ordered = digits[order]
    return order, (ordered[1:] == ordered[:-1]) & is_near


def _power_of_all(sizes: Floats) -> float:
    """A power of two near the largest, so that single precision holds the features as they are in units of it."""
    largest = sizes[sizes < np.inf].max(initial=0.0)
    return float(np.ldexp(1.0, np.frexp(largest)[1])) if largest > 0.0 else 1.0


@dataclass(frozen=True)
class Level:
    """The model at one penalty (in the units of y), with the coefficients of its features.

    `standardised` are the coefficients of the standardised features, in units of the solved target, and `coefs` those
    of the features as they are; the violation is in units of the solved target. Of multinomial models each feature has
    a row of coefficients, one per class, and there is an intercept per class.
    """

    penalty: float
    features: Ints
    standardised: Floats
    coefs: Floats
    intercept: Any
    violation: float

    @property
    def size(self) -> int:
        return len(self.features)


@dataclass(frozen=True)
class Path:
    """The models of one resample down its penalties: level t has the features found[ends[t] : ends[t + 1]]."""

    penalties: Floats
    ends: Ints
    found: Ints
    standardised: Floats
    coefs: Floats
    intercepts: Floats
    violations: Floats

    @property
    def sizes(self) -> Ints:
        return np.diff(self.ends)

    def level(self, t: int) -> Level:
        """One model; t may count from the end."""
        t = len(self.penalties) + t if t < 0 else t
        part = slice(self.ends[t], self.ends[t + 1])
        return Level(
            float(self.penalties[t]),
            self.found[part],
            self.standardised[part],
            self.coefs[part],
            self.intercepts[t],
            float(self.violations[t]),
        )
