"""Planning: how many runs an interval of a given width needs, and how the estimate settles as runs come in."""

from __future__ import annotations

import warnings
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from steadyset.foundation.arguments import is_number, is_whole, shown, wrong_argument
from steadyset.foundation.conventions import LEVEL, check_level
from steadyset.foundation.errors import InputError
from steadyset.inference.caution import caution, cautions
from steadyset.inference.interval import auto_ends, interval_of
from steadyset.inference.variance import Spread, jackknife, spread_of, t_quantile, zero_spread_ends
from steadyset.measures.options import Expectation, Options, Undefined
from steadyset.measures.record import Measure, get_measure
from steadyset.selections import RunsLike, Selections, as_selections

if TYPE_CHECKING:
    import pandas as pd

    from steadyset.similarity import FeatureSimilarity

MOST_RUNS = 10**9
MOST_STEPS = 60


def runs_needed(
    selections: RunsLike,
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
    """How many more runs until the interval of `confidence_interval` is expected to be narrow enough.

    The estimate and the spread of the runs are taken as they are now: the standard error falls with 1/sqrt(M) and the
    t quantile with M. With few runs this is a rough answer; ask again after half of the runs.

    Parameters
    ----------
    selections : Selections or array-like
        The runs, or anything that `Selections.from_matrix` takes: a 0/1 table with one row per run.
    width : float
        How wide the interval may be.
    measure : str or Measure, default="nogueira"
        Name or alias of a measure; `list_measures` shows them.
    level : float, default=0.95
        The confidence of the interval, between 0 and 1.
    similarity : FeatureSimilarity or None, default=None
        Which features can stand in for each other, for the measures that need it.
    undefined : {"nan", "raise"} or float, default="nan"
        How undefined pairs of runs are treated: "nan" makes the value undefined, "raise" raises an error, and a number
        stands for each of them.
    expectation : {"auto", "exact", "monte_carlo", "none"}, default="auto"
        What is subtracted for chance, as in `stability`. "auto" leaves every measure as it was published.
    n_draws : int, default=10000
        How many draws a simulated expectation takes, for each pair of sizes.
    random_state : int or None, default=None
        Seed of what is simulated. None is a fixed seed: the same call gives the same number.
    **measure_params : Any
        Parameters of the measure, such as ``alpha=1`` for davis.

    Returns
    -------
    int
        The number of further runs; 0 where there are enough. A warning says where the runs are not independent draws,
        so that the number is a rough guide.

    Examples
    --------
    >>> import steadyset as st
    >>> sel = st.Selections.from_sets([[0, 1], [0, 2], [0, 1], [0, 1], [0, 3], [0, 1], [0, 1], [0, 1]], n_features=20)
    >>> st.runs_needed(sel, width=0.2)
    72
    """
    if not (is_number(width) and width > 0):
        raise wrong_argument("width", "a positive number", width)
    check_level(level)
    record = get_measure(measure).with_params(measure_params)
    options = Options(undefined, expectation, n_draws, random_state, similarity)
    runs = as_selections(selections)
    more = outlook(runs, record, options, level).more_runs(width)
    for sentence in cautions([caution(runs.labels)]):  # a number alone cannot say so
        warnings.warn(sentence, stacklevel=2)
    return more


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


def convergence_table(
    selections: RunsLike,
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
    """The estimate and its interval over the first m runs: whether enough runs were made.

    Parameters
    ----------
    selections : Selections or array-like
        The runs, or anything that `Selections.from_matrix` takes: a 0/1 table with one row per run.
    measure : str or Measure, default="nogueira"
        Name or alias of a measure; `list_measures` shows them.
    level : float, default=0.95
        The confidence of the interval, between 0 and 1.
    n_runs : sequence of int or None, default=None
        The values of m. None takes all from 2 to M, or at most 60 of them, spaced evenly on a log scale.
    similarity : FeatureSimilarity or None, default=None
        Which features can stand in for each other, for the measures that need it.
    undefined : {"nan", "raise"} or float, default="nan"
        How undefined pairs of runs are treated: "nan" makes the value undefined, "raise" raises an error, and a number
        stands for each of them.
    expectation : {"auto", "exact", "monte_carlo", "none"}, default="auto"
        What is subtracted for chance, as in `stability`. "auto" leaves every measure as it was published.
    n_draws : int, default=10000
        How many draws a simulated expectation takes, for each pair of sizes.
    random_state : int or None, default=0
        Seed of what is simulated; the same at every m.
    **measure_params : Any
        Parameters of the measure, such as ``alpha=1`` for davis.

    Returns
    -------
    pandas.DataFrame
        One row per m: n_runs, estimate, se, low, high and note, which says where the interval is a rough guide.

    Examples
    --------
    >>> import steadyset as st
    >>> sel = st.Selections.from_sets([[0, 1], [0, 2], [0, 1], [0, 1], [0, 3], [0, 1], [0, 1], [0, 1]], n_features=20)
    >>> st.convergence_table(sel, n_runs=[4, 8])[["n_runs", "estimate", "low", "high"]].round(2)
       n_runs  estimate   low  high
    0       4      0.72  0.00  0.97
    1       8      0.74  0.05  0.93
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
