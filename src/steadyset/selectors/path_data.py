"""The data of elastic-net paths: checked with the weights of their resamples, and laid out once for all of them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from steadyset.errors import InputError
from steadyset.io.numbers import numbers
from steadyset.kernels.arrays import Bools, Floats, Ints, Words
from steadyset.kernels.paths.feature_moments import lay_out
from steadyset.kernels.paths.path_arrays import Features
from steadyset.selectors.model_input import Target, checked_data, refuse_too_little

Family = Literal["logistic", "linear"]


@dataclass(frozen=True)
class Resamples:
    """Checked data with M x n weights; codes holds numbers, or the class of each row where there are classes.

    lowest and highest are the least and the largest code of each resample: its two classes.
    """

    X: Floats
    codes: Floats
    weights: Floats
    classes: NDArray[Any]
    lowest: Floats
    highest: Floats

    def rows(self, run: int) -> Ints:
        return np.flatnonzero(self.weights[run])

    def target(self, run: int, rows: Ints) -> tuple[Floats, NDArray[Any]]:
        """The numbers, or 0 and 1 for the two classes that the resample holds, at its rows; and these classes."""
        values = self.codes[rows]
        if not len(self.classes):
            return values, self.classes
        present = [int(self.lowest[run]), int(self.highest[run])]
        return (values == self.highest[run]).astype(np.float64), self.classes[present]


def read_resamples(
    X: ArrayLike, y: ArrayLike, weights: ArrayLike | None, *, target: Target, selector: Any = None
) -> Resamples:
    """Check the data and a vector of weights, or one for each resample; rows of weight zero count for nothing."""
    values, codes, weight, classes = checked_data(X, y, weights, target=target, selector=selector, resamples=True)
    used = weight > 0
    lowest = np.where(used, codes, np.inf).min(axis=1)
    highest = np.where(used, codes, -np.inf).max(axis=1)
    doubtful = lowest >= highest
    if len(classes) > 2:
        doubtful |= (used & (codes > lowest[:, None]) & (codes < highest[:, None])).any(axis=1)
    for run in np.flatnonzero(doubtful):
        refuse_too_little(codes[used[run]], target, selector)
    return Resamples(values, codes, weight, classes, lowest, highest)


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


def laid_out(X: Floats, factors: Floats, *, as_given: bool, no_copies: bool, products: bool) -> Features:
    """What the engine needs of the data; no_copies leaves out features that equal an earlier one."""
    n, d = X.shape
    Xt, Z = np.empty((d, n)), np.empty((d, n), np.float32)
    across = np.empty((n, d) if products else (0, 0), np.float32)
    unit, plain, digest = np.empty(d), np.empty(d), np.empty(d, np.uint64)
    lay_out(X, Xt, Z, across, unit, plain, digest, 0, d)
    if no_copies:
        factors = np.where(_later_copies(Xt, digest), np.inf, factors)
    penalised = (factors > 0) & (factors < np.inf) & (plain > 0)
    reach, whole = np.zeros(d), 1.0
    reach[penalised] = 1.0 / factors[penalised]
    if as_given:
        whole = _power_of_all(plain[penalised] * unit[penalised])
        unit /= whole
        reach[penalised] *= plain[penalised] * unit[penalised]
    # Rounding to single precision must not make it smaller.
    reach *= 1.0 + 1e-6
    return Features(Xt, Z, across, factors, unit, whole, plain, reach.astype(np.float32), as_given)


def _power_of_all(sizes: Floats) -> float:
    """A power of two near the largest, so that single precision holds the features as they are in units of it."""
    largest = sizes[sizes < np.inf].max(initial=0.0)
    return float(np.ldexp(1.0, np.frexp(largest)[1])) if largest > 0.0 else 1.0


def _later_copies(Xt: Floats, digest: Words) -> Bools:
    """Which features equal an earlier one in every row, of those with equal digests."""
    later = np.zeros(len(Xt), dtype=np.bool_)
    order = np.argsort(digest, kind="stable")
    ordered = digest[order]
    for place in np.flatnonzero(ordered[1:] == ordered[:-1]):
        first, second = order[place], order[place + 1]
        later[second] = bool(np.array_equal(Xt[first], Xt[second]))
    return later
