"""How measures are asked for, and what they answer: shared by every family of measures."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
import numpy.typing as npt

from steadyset.errors import InputError, UndefinedError
from steadyset.measures.record import Measure
from steadyset.similarity import FeatureSimilarity

Undefined = Literal["nan", "raise"] | float
Expectation = Literal["auto", "exact", "monte_carlo", "none"]
DEFAULT_SEED = 0  # of draws where random_state is None: the same call gives the same number
NOT_CORRECTED = "not corrected"  # how a note starts when the expectation that was asked for is not known


@dataclass(frozen=True)
class Options:
    """How to treat what is undefined, and what is subtracted for chance."""

    undefined: Undefined = "nan"
    expectation: Expectation = "auto"
    n_draws: int = 10_000
    random_state: int | None = None
    similarity: FeatureSimilarity | None = None
    mc_error: float | None = None

    def __post_init__(self) -> None:
        if self.undefined not in ("nan", "raise") and not (_is_number(self.undefined) and np.isfinite(self.undefined)):
            raise InputError(f'undefined is {self.undefined!r}; wanted is "nan", "raise" or a finite number.')
        if self.expectation not in ("auto", "exact", "monte_carlo", "none"):
            raise InputError(
                f'expectation is {self.expectation!r}; wanted is "auto", "exact", "monte_carlo" or "none".'
            )
        if not isinstance(self.n_draws, (int, np.integer)) or self.n_draws < 2:
            raise InputError(f"n_draws is {self.n_draws!r}; wanted is a whole number of at least 2 draws.")
        if self.random_state is not None and not (
            isinstance(self.random_state, (int, np.integer)) and self.random_state >= 0
        ):
            raise InputError(f"random_state is {self.random_state!r}; wanted is None or a whole number from 0 on.")
        if self.similarity is not None and not isinstance(self.similarity, FeatureSimilarity):
            raise InputError(
                f"similarity is a {type(self.similarity).__name__}; wanted is a FeatureSimilarity, "
                "such as FeatureSimilarity.from_matrix(C)."
            )
        if self.mc_error is not None and not (_is_number(self.mc_error) and self.mc_error > 0):
            raise InputError(f"mc_error is {self.mc_error!r}; wanted is a positive number.")

    @property
    def corrects(self) -> bool:
        return self.expectation in ("exact", "monte_carlo")

    def filled(self, values: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
        """The values with undefined ones replaced by the number that stands for them, if one does."""
        if self.undefined in ("nan", "raise"):
            return values
        return np.where(np.isnan(values), float(self.undefined), values)

    @property
    def given_seed(self) -> int:
        return DEFAULT_SEED if self.random_state is None else int(self.random_state)

    def seed(self) -> int:
        state = np.random.SeedSequence(self.given_seed).generate_state(1, np.uint64)[0]
        return int(state >> np.uint64(1))


@dataclass(frozen=True)
class Estimate:
    """The value of a measure, the Monte Carlo error of its correction (0: exact), and a note on what is undefined."""

    value: float
    mc_error: float = 0.0
    note: str = ""


@dataclass(frozen=True)
class NullExpectation:
    """The expectation under random selection, its standard error (0: exact), and how it was found."""

    value: float
    se: float = 0.0
    method: Literal["exact", "monte_carlo"] = "exact"


def settle(
    measure: Measure, value: float, error: float, note: str, options: Options, sizes: npt.NDArray[np.int64]
) -> Estimate:
    """The value of a measure of all runs at once, by the policy for undefined ones."""
    if not np.isnan(value):
        return Estimate(value, error, note)
    note = f"undefined: {measure.undefined}" if measure.undefined else "undefined"
    if measure.constant_size:
        note += f"; {sizes_in_words(sizes)}"
    if options.undefined == "raise":
        raise UndefinedError(f"{measure.name} is {note}.")
    return Estimate(float("nan") if options.undefined == "nan" else float(options.undefined), note=note)


def sizes_in_words(sizes: npt.NDArray[np.int64]) -> str:
    low, high = int(sizes.min()), int(sizes.max())
    return f"all sizes are {low}" if low == high else f"sizes range from {low} to {high}"


def _is_number(value: Any) -> bool:
    return isinstance(value, (int, float, np.integer, np.floating)) and not isinstance(value, bool)
