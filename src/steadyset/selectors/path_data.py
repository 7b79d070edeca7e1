"""The data of elastic-net paths: checked with the weights of their resamples, and laid out once for all of them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from steadyset.foundation.errors import InputError
from steadyset.io.numbers import numbers
from steadyset.kernels.arrays import Floats, Ints
from steadyset.kernels.paths.feature_moments import lay_out
from steadyset.kernels.paths.path_arrays import Features, with_zeros_behind
from steadyset.kernels.paths.samples import describe
from steadyset.selectors.model_input import Target, checked_data, refuse_too_little

Family = Literal["logistic", "linear"]


@dataclass(frozen=True)
class Resamples:
    """Checked data with M x n weights; codes holds numbers, or the class of each row where there are classes.

    n_rows counts the rows of positive weight of each resample; lowest and highest are its least and its largest code:
    its two classes.
    """

    X: Floats
    codes: Floats
    weights: Floats
    classes: NDArray[Any]
    n_rows: Ints
    lowest: Floats
    highest: Floats

    def rows(self, run: int) -> Ints:
        return np.flatnonzero(self.weights[run])

    def classes_of(self, run: int) -> NDArray[Any]:
        """The two classes that the resample holds; empty where the target is a number."""
        if not len(self.classes):
            return self.classes
        return self.classes[[int(self.lowest[run]), int(self.highest[run])]]


def read_resamples(
    X: ArrayLike, y: ArrayLike, weights: ArrayLike | None, *, target: Target, selector: Any = None
) -> Resamples:
    """Check the data and a vector of weights, or one for each resample; rows of weight zero count for nothing."""
    values, codes, weight, classes = checked_data(X, y, weights, target=target, selector=selector, resamples=True)
    n_rows, lowest, highest, between = describe(codes, weight)
    doubtful = lowest >= highest
    if len(classes) > 2:
        doubtful |= between > 0
    for run in np.flatnonzero(doubtful) if doubtful.any() else ():
        refuse_too_little(codes[weight[run] > 0], target, selector)
    return Resamples(values, codes, weight, classes, n_rows, lowest, highest)


def read_factors(penalty_factors: ArrayLike | None, n_features: int) -> Floats:
    """How much the penalty counts for each feature: 1 for all, or the numbers given."""
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
    return factors


def laid_out(X: Floats, factors: Floats, *, as_given: bool, no_copies: bool) -> Features:
    """What the engine needs of the data; no_copies leaves out features that equal an earlier one."""
    Xt, Z, unit, plain, reach = lay_out(X, factors, no_copies, with_zeros_behind(len(X)))
    whole = 1.0
    if as_given:
        penalised = reach > 0
        sizes = plain[penalised] * unit[penalised]
        whole = _power_of_all(sizes)
        unit /= whole
        reach[penalised] *= sizes / whole
    return Features(Xt, Z, factors, unit, whole, plain, reach, as_given)


def _power_of_all(sizes: Floats) -> float:
    """A power of two near the largest, so that single precision holds the features as they are in units of it."""
    largest = sizes[sizes < np.inf].max(initial=0.0)
    return float(np.ldexp(1.0, np.frexp(largest)[1])) if largest > 0.0 else 1.0
