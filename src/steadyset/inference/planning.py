"""Planning: how many runs an interval of a given width needs, and how the estimate settles as runs come in."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from steadyset.arguments import is_number, is_whole, shown, wrong_argument
from steadyset.conventions import LEVEL, check_level
from steadyset.errors import InputError
from steadyset.inference.interval import auto_ends, interval_of
from steadyset.inference.jackknife import jackknife
from steadyset.inference.spread import Spread, spread_of, t_quantile, zero_spread_ends
from steadyset.measures.options import Expectation, Options, Undefined
from steadyset.measures.record import Measure, get_measure
from steadyset.selections import Selections, as_selections

if TYPE_CHECKING:
    import pandas as pd

    from steadyset.similarity import FeatureSimilarity

MOST_RUNS = 10**9
MOST_STEPS = 60


def runs_needed(
    selections: Any,
    width: float,
    measure: str | Measure = "nogueira",
    *,
    level: float = LEVEL,
    similarity: FeatureSimilarity | None = None,
    undefined: Undefined = "nan",
    expectation: Expectation = "auto",
    n_draws: int = 10_000,
    random_state: int | None = None,
    **measure_params: Any,
) -> int:
    """How many more runs until the interval of `confidence_interval` is expected to be at most `width` wide.

    The estimate and the spread of the runs are taken as they are now: the standard error falls with 1/sqrt(M) and the
    t quantile with M. With few runs this is a rough answer; ask again after half of the runs.
    """
    if not (is_number(width) and width > 0):
        raise wrong_argument("width", "a positive number", width)
    check_level(level)
    record = get_measure(measure).with_params(measure_params)
    options = Options(undefined, expectation, n_draws, random_state, similarity)
    return outlook(as_selections(selections), record, options, level).more_runs(width)


@dataclass(frozen=True)
class Outlook:
    """What more runs are expected to give: the estimate and the spread of the runs stay as they are now."""

    spread: Spread
    level: float

    def ends(self, n_runs: int) -> tuple[float, float]:
        """The expected interval of so many runs in all."""
        there = self.spread.at(n_runs)
        if there.alike:
            return self.spread.range.clip(*zero_spread_ends(there, 1 - self.level))
        return self.spread.range.clip(*auto_ends(there, t_quantile(self.level, n_runs - 1)))

    def more_runs(self, width: float) -> int:
        """How many more runs make the interval at most `width` wide."""

        def is_narrow(n_runs: int) -> bool:
            low, high = self.ends(n_runs)
            return high - low <= width

        now = self.spread.n_runs
        if not is_narrow(MOST_RUNS):
            raise InputError(f"No number of runs makes the interval narrower than {width:g}; choose a larger width.")
        if is_narrow(now):
            return 0
        low, high = now, MOST_RUNS
        while high - low > 1:
            middle = (low + high) // 2
            low, high = (low, middle) if is_narrow(middle) else (middle, high)
        return high - now


def outlook(selections: Selections, measure: Measure, options: Options, level: float) -> Outlook:
    """The outlook from these runs; refused where they have no value or no variance."""
    values = jackknife(selections, measure, options)
    if np.isnan(values.value):
        raise InputError(f"{measure.name} is {values.estimate.note}; the number of runs cannot be planned.")
    if not values.defined:
        raise InputError(f"The number of runs cannot be planned: {values.why_no_variance()}.")
    return Outlook(spread_of(values, options), level)


def convergence(
    selections: Any,
    measure: str | Measure = "nogueira",
    *,
    level: float = LEVEL,
    n_runs: Sequence[int] | None = None,
    similarity: FeatureSimilarity | None = None,
    undefined: Undefined = "nan",
    expectation: Expectation = "auto",
    n_draws: int = 10_000,
    random_state: int | None = 0,
    **measure_params: Any,
) -> pd.DataFrame:
    """The estimate and its interval over the first m runs: a frame with n_runs, estimate, se, low, high and note.

    `n_runs` are the values of m; without it all from 2 to M, or at most 60 of them, spaced evenly on a log scale.
    """
    import pandas as pd

    check_level(level)
    record = get_measure(measure).with_params(measure_params)
    options = Options(undefined, expectation, n_draws, random_state, similarity)
    runs = as_selections(selections)
    if n_runs is not None and not (isinstance(n_runs, Iterable) and list(n_runs) and all(map(is_whole, n_runs))):
        raise InputError(f"n_runs must hold whole numbers of runs, such as [10, 20] (got {shown(n_runs)}).")
    steps = _steps(runs.n_runs) if n_runs is None else [int(m) for m in n_runs]
    outside = [m for m in steps if not 2 <= m <= runs.n_runs]
    if outside:
        raise InputError(f"n_runs holds {outside[0]}; expected numbers from 2 to {runs.n_runs}, the number of runs.")
    rows = []
    for m in steps:
        found = interval_of(jackknife(runs.take(slice(m)), record, options), options, level)
        rows.append((m, found.estimate, found.se, found.low, found.high, found.note))
    return pd.DataFrame(rows, columns=["n_runs", "estimate", "se", "low", "high", "note"])


def _steps(M: int) -> list[int]:
    if M <= MOST_STEPS:
        return list(range(2, M + 1))
    return sorted({round(m) for m in np.geomspace(2, M, MOST_STEPS)})
