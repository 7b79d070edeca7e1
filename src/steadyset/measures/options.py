"""How measures are asked for, what they answer, and the words for values of the default measure."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, Literal, get_args

import numpy as np

from steadyset.foundation.arguments import is_number, is_whole, wrong_argument
from steadyset.foundation.errors import InputError, UndefinedError
from steadyset.kernels.arrays import Floats, Ints
from steadyset.measures.record import Measure
from steadyset.similarity import FeatureSimilarity

Undefined = Literal["nan", "raise"] | float
Expectation = Literal["auto", "exact", "monte_carlo", "none"]
DEFAULT_SEED = 0  # of draws where random_state is None: the same call gives the same number
MOST_DRAWS = 10**9
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
        if not (is_number(self.undefined) or (isinstance(self.undefined, str) and self.undefined in ("nan", "raise"))):
            raise wrong_argument("undefined", '"nan", "raise" or a finite number', self.undefined)
        if not (isinstance(self.expectation, str) and self.expectation in get_args(Expectation)):
            raise wrong_argument("expectation", '"auto", "exact", "monte_carlo" or "none"', self.expectation)
        if not is_whole(self.n_draws) or self.n_draws < 2:
            raise wrong_argument("n_draws", "a whole number of at least 2", self.n_draws)
        if self.n_draws > MOST_DRAWS:
            raise wrong_argument("n_draws", f"at most {MOST_DRAWS:.0e}", self.n_draws)
        if self.random_state is not None and not (is_whole(self.random_state) and self.random_state >= 0):
            raise wrong_argument("random_state", "None or a whole number of at least 0", self.random_state)
        if self.similarity is not None:
            check_similarity(self.similarity)
        if self.mc_error is not None and not (is_number(self.mc_error) and self.mc_error > 0):
            raise wrong_argument("mc_error", "a positive number", self.mc_error)

    @property
    def corrects(self) -> bool:
        return self.expectation in ("exact", "monte_carlo")

    def filled(self, values: Floats) -> Floats:
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
    """What a measure is worth by chance alone: what `null_expectation` answers.

    Attributes
    ----------
    value : float
        The mean of the measure under random selection of the same sizes.
    se : float
        The standard error of that mean; 0 where it is exact.
    method : {"exact", "monte_carlo"}
        How it was found.

    Examples
    --------
    Two random choices of 5 out of 10 features share half of them in the mean:

    >>> import steadyset as st
    >>> sel = st.Selections.from_sets([[0, 1, 2, 3, 4], [0, 1, 2, 8, 9]], n_features=10)
    >>> chance = st.null_expectation(sel, "dice")
    >>> round(chance.value, 6), chance.se
    (0.5, 0.0)
    """

    value: float
    se: float = 0.0
    method: Literal["exact", "monte_carlo"] = "exact"


def settle(measure: Measure, value: float, error: float, note: str, options: Options, sizes: Ints) -> Estimate:
    """The value of a measure of all runs at once, by the policy for undefined ones."""
    if not np.isnan(value):
        return Estimate(value, error, note)
    note = f"undefined: {measure.undefined}" if measure.undefined else "undefined"
    if measure.constant_size:
        note += f"; {sizes_in_words(sizes)}"
    if options.undefined == "raise":
        raise UndefinedError(f"{measure.name} is {note}.")
    return Estimate(float("nan") if options.undefined == "nan" else float(options.undefined), note=note)


def check_similarity(similarity: Any) -> None:
    """Refuse what is no FeatureSimilarity."""
    if not isinstance(similarity, FeatureSimilarity):
        raise InputError(
            f"similarity is a {type(similarity).__name__}; expected a FeatureSimilarity, "
            "such as FeatureSimilarity.from_matrix(C)."
        )


def sizes_in_words(sizes: Ints) -> str:
    low, high = int(sizes.min()), int(sizes.max())
    return f"all sizes are {low}" if low == high else f"sizes range from {low} to {high}"


POOR, EXCELLENT = 0.40, 0.75
CONVENTION = "by the convention of Fleiss"
AT_CHANCE = ("not above chance", "interval holds chance")  # which is 0: the value, or the interval that begins there
BY_COLUMN_ORDER, UNDEFINED = "decided by column order", "undefined"
# Below this share of the selected features a tie at the end of a ranking moves the stability by less than its interval
# is wide; from it on the order of the columns, which is the same in every run, passes for steadiness.
MOST_TIED = 0.1
BETWEEN = {
    ("poor", "intermediate to good"): "poor or intermediate",
    ("intermediate to good", "excellent"): "good or excellent",
    ("poor", "excellent"): "poor to excellent",
}


def scale(value: float) -> str:
    """Fleiss' scale, as Nogueira, Sechidis and Brown (2018) use it; nothing for what is undefined."""
    if math.isnan(value):
        return ""
    if value <= 0:
        return AT_CHANCE[0]
    if value < POOR:
        return "poor"
    return "intermediate to good" if value <= EXCELLENT else "excellent"


def verdict(value: float, low: float, high: float) -> str:
    """The word of a value with an interval; where the ends of the interval have different words, both are said.

    An interval that holds the value of chance has no word of the scale.

    Examples
    --------
    >>> verdict(0.72, 0.66, 0.74), verdict(0.72, 0.66, 0.78)
    ('intermediate to good', 'good or excellent')
    >>> verdict(0.2, -0.01, 0.5)
    'interval holds chance'
    """
    if low <= 0 < max(value, high):
        return AT_CHANCE[1]
    return BETWEEN.get((scale(low), scale(high)), scale(value))


def judged(value: float, low: float, high: float, tied: float | None) -> str:
    """The verdict on selections, of whose features the share `tied` only column order decided (None: not known)."""
    if math.isnan(value):
        return UNDEFINED
    return BY_COLUMN_ORDER if tied is not None and tied >= MOST_TIED else verdict(value, low, high)


def is_of_scale(words: str) -> bool:
    """Whether a verdict is a word of the scale."""
    return words in {"poor", "intermediate to good", "excellent", *BETWEEN.values()}
