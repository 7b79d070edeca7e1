"""Confidence intervals for any measure: `confidence_interval`."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from math import isnan, nan
from typing import TYPE_CHECKING, Any, Literal, get_args

import numpy as np
from scipy import special

from steadyset.foundation.arguments import check_choice, check_integer
from steadyset.foundation.conventions import LEVEL, check_level
from steadyset.foundation.display import Bar, Display, Shown, Table
from steadyset.foundation.errors import InputError
from steadyset.foundation.text import percent, span
from steadyset.inference.caution import joined
from steadyset.inference.variance import (
    Jackknife,
    Spread,
    fisher_ends,
    jackknife,
    measure_range,
    published_variance,
    spread_of,
    t_quantile,
    zero_spread_ends,
)
from steadyset.kernels.arrays import Floats
from steadyset.measures.evaluate import estimates
from steadyset.measures.options import Expectation, Options, Undefined
from steadyset.measures.record import Measure, get_family, get_measure
from steadyset.selections import RunsLike, Selections, as_selections

if TYPE_CHECKING:
    from steadyset.similarity import FeatureSimilarity


MOST_RESAMPLES = 10**7
# Where runs that are all the same do not reach the best value (lustgarten), 95% intervals of few runs covered 90% in
# one design of docs/coverage.md: features that come and go in blocks.
ENOUGH_WHERE_SHORT = 50
FALLS_SHORT = f"with fewer than {ENOUGH_WHERE_SHORT} runs the interval of this measure is up to 5% too confident"
Method = Literal["auto", "normal", "t", "jackknife", "bootstrap", "logit"]


@dataclass(frozen=True)
class Interval(Shown):
    """An estimate with a confidence interval: what `confidence_interval` answers.

    Attributes
    ----------
    estimate : float
        The value of the measure.
    low : float
        The lower end.
    high : float
        The upper end.
    se : float
        The standard error of the estimate; nan where it cannot be estimated.
    method : str
        How the interval was made.
    level : float
        The confidence.
    note : str
        What to know about it; empty where there is nothing.
    width : float
        The upper end minus the lower one.

    Examples
    --------
    >>> import steadyset as st
    >>> genes = ["TP53", "KRAS", "EGFR", "MYC"]
    >>> sel = st.Selections.from_sets([["TP53", "KRAS"], ["TP53", "EGFR"]] * 20, features=genes)
    >>> interval = st.confidence_interval(sel, "jaccard", level=0.9)
    >>> round(interval.estimate, 2), round(interval.width, 2), interval.level
    (0.66, 0.06, 0.9)
    """

    estimate: float
    low: float
    high: float
    se: float
    method: str
    level: float
    note: str = ""

    @property
    def width(self) -> float:
        """The upper end minus the lower one."""
        return self.high - self.low

    def __contains__(self, value: float) -> bool:
        return self.low <= value <= self.high

    def _display(self) -> Display:
        within = f"{percent(self.level)} interval"
        header = ("estimate", within, "", "standard error", "method")
        bar = Bar(self.estimate, self.low, self.high)
        row = (float(self.estimate), span(self.low, self.high, 3), bar, float(self.se), self.method)
        return Display("Interval", tables=[Table(header, [row])], notes=[self.note])


def confidence_interval(
    selections: RunsLike,
    measure: str | Measure = "nogueira",
    *,
    level: float = LEVEL,
    method: Method = "auto",
    similarity: FeatureSimilarity | None = None,
    undefined: Undefined = "nan",
    expectation: Expectation = "auto",
    n_draws: int = 10_000,
    n_resamples: int = 2_000,
    random_state: int | None = None,
    **measure_params: Any,
) -> Interval:
    """An interval for the stability that infinitely many runs like these would show.

    It speaks of the resampling scheme on this data set, not of new data sets, and it takes the runs as independent
    draws: see docs/uncertainty.md.

    Parameters
    ----------
    selections : Selections or array-like
        The runs, or anything that `Selections.from_matrix` takes: a 0/1 table with one row per run.
    measure : str or Measure, default="nogueira"
        Name or alias of a measure; `list_measures` shows them.
    level : float, default=0.95
        The confidence of the interval, between 0 and 1.
    method : {"auto", "normal", "t", "jackknife", "bootstrap", "logit"}, default="auto"
        How the interval is made; see the notes.
    similarity : FeatureSimilarity or None, default=None
        Which features can stand in for each other, for the measures that need it.
    undefined : {"nan", "raise"} or float, default="nan"
        How undefined pairs of runs are treated: "nan" makes the value undefined, "raise" raises an error, and a number
        stands for each of them.
    expectation : {"auto", "exact", "monte_carlo", "none"}, default="auto"
        What is subtracted for chance, as in `stability`. "auto" leaves every measure as it was published.
    n_draws : int, default=10000
        How many draws a simulated expectation takes, for each pair of sizes.
    n_resamples : int, default=2000
        How many resamples of the runs the bootstrap draws.
    random_state : int or None, default=None
        Seed of what is simulated. None is a fixed seed: the same call gives the same number.
    **measure_params : Any
        Parameters of the measure, such as ``alpha=1`` for davis.

    Returns
    -------
    Interval
        The estimate with its ends, its standard error and a note where there is something to know.

    Notes
    -----
    The methods:

    - "auto": the jackknife on Fisher's scale atanh(x), x the position between the value of chance and the best
      one, with t quantiles; when few runs pull the value down, the end away from the best is moved further out and
      the other one further in. Covers as it should from M = 5 on;
    - "normal": the published one, value ± z sqrt(4/M² sum (phi_(i) - mean)²); for M >= 100;
    - "t": the same with M/(M-1) times the variance and t quantiles with M - 1 degrees of freedom;
    - "jackknife": value ± t se with the jackknife standard error;
    - "logit": the jackknife on the scale log((value - low)/(high - value)) of the measure's bounds;
    - "bootstrap": runs resampled, bias-corrected and accelerated.

    When no run behaves differently from the others every variance is 0; all methods but "normal" and "t" then give an
    interval from the number of runs that behave alike, and say so in the note. When no variance can be estimated (two
    runs) the interval is the whole range of the measure; "normal" and "t" have the published variance 0 then, which
    says nothing.

    References
    ----------
    * Nogueira, Sechidis and Brown (2018), On the stability of feature selection algorithms, JMLR 18.
    * Efron (1987), Better bootstrap confidence intervals, JASA 82.

    Examples
    --------
    >>> import steadyset as st
    >>> sel = st.Selections.from_sets([[0, 1, 2], [0, 1, 3], [0, 1, 2], [0, 2, 4]], n_features=10)
    >>> interval = st.confidence_interval(sel)
    >>> round(interval.estimate, 3), round(interval.low, 3), round(interval.high, 3)
    (0.524, 0.0, 0.945)
    """
    record = get_measure(measure).with_params(measure_params)
    options = Options(undefined, expectation, n_draws, random_state, similarity)
    check_level(level)
    check_choice("method", method, get_args(Method))
    check_integer("n_resamples", n_resamples, least=100, most=MOST_RESAMPLES)
    runs = as_selections(selections)
    values = jackknife(runs, record, options)
    if method in ("normal", "t"):
        return large_sample_interval(runs, values, options, level, method)
    if method == "bootstrap" and can_bootstrap(values):
        low, high = bca_ends(runs, values, options, level, n_resamples)
        low, high = measure_range(record, options, values.value).clip(low, high)
        return Interval(values.value, low, high, values.se, method, level, values.estimate.note)
    return interval_of(values, options, level, method)


def interval_of(values: Jackknife, options: Options, level: float, method: str = "auto") -> Interval:
    """The interval that leave-one-out values give by "auto", "jackknife" or "logit"."""
    note = values.estimate.note
    if isnan(values.value):
        return Interval(values.value, nan, nan, nan, method, level, note)
    if not values.defined:
        ends = measure_range(values.measure, options, values.value)
        return Interval(values.value, ends.floor, ends.high, nan, method, level, joined(note, values.why_no_variance()))
    spread = spread_of(values, options)
    if spread.alike:
        note = joined(note, "no spread when any one run is left out: bound on the share of runs that would differ")
        low, high = zero_spread_ends(spread, 1 - level)
    else:
        low, high = ENDS.get(method, plain_ends)(spread, t_quantile(level, values.n_runs - 1))
        if spread.falls_short and values.n_runs < ENOUGH_WHERE_SHORT:
            note = joined(note, FALLS_SHORT)
    low, high = spread.range.clip(low, high)
    return Interval(values.value, low, high, spread.se, method, level, note)


def auto_ends(spread: Spread, quantile: float) -> tuple[float, float]:
    return fisher_ends(spread, quantile) if spread.has_fisher_scale else plain_ends(spread, quantile)


def plain_ends(spread: Spread, quantile: float) -> tuple[float, float]:
    return spread.value - quantile * spread.se, spread.value + quantile * spread.se


def logit_ends(spread: Spread, quantile: float) -> tuple[float, float]:
    low, high = spread.range.low, spread.range.high
    if not (np.isfinite(low) and np.isfinite(high)):
        raise InputError('method="logit" needs a measure with two finite bounds; choose another method.')
    below, above = spread.value - low, high - spread.value
    if below <= 0 or above <= 0:
        return plain_ends(spread, quantile)
    centre, unit = np.log(below / above), spread.se * (1 / below + 1 / above)
    shares = 1 / (1 + np.exp(-np.array([centre - quantile * unit, centre + quantile * unit])))
    return float(low + (high - low) * shares[0]), float(low + (high - low) * shares[1])


ENDS: dict[str, Callable[[Spread, float], tuple[float, float]]] = {
    "auto": auto_ends,
    "jackknife": plain_ends,
    "logit": logit_ends,
}


def large_sample_interval(
    selections: Selections, values: Jackknife, options: Options, level: float, method: str
) -> Interval:
    """The published interval, or the same with the small-sample factor and t quantiles."""
    M, note = values.n_runs, values.estimate.note
    ends = measure_range(values.measure, options, values.value)
    variance = published_variance(selections, values)
    if np.isnan(values.value):
        return Interval(values.value, np.nan, np.nan, np.nan, method, level, note)
    if np.isnan(variance):
        return Interval(
            values.value, ends.low, ends.high, np.nan, method, level, joined(note, values.why_no_variance())
        )
    if variance == 0:
        note = joined(note, "zero variance" if M > 2 else values.why_no_variance())
    quantile = float(special.ndtri((1 + level) / 2)) if method == "normal" else t_quantile(level, M - 1)
    se = float(np.sqrt(variance * (1.0 if method == "normal" else M / (M - 1)) + values.estimate.mc_error**2))
    low, high = max(values.value - quantile * se, ends.low), min(values.value + quantile * se, ends.high)
    return Interval(values.value, low, high, se, method, level, note)


def can_bootstrap(values: Jackknife) -> bool:
    return values.defined and values.has_spread


RESAMPLES_A_BLOCK = 512


def bca_ends(
    selections: Selections, values: Jackknife, options: Options, level: float, n_resamples: int
) -> tuple[float, float]:
    """The quantiles of the resampled values at the levels that bias z0 and acceleration a call for.

    Formula: Phi(z0 + (z0 + z)/(1 - a (z0 + z))), a = sum u_i³ / (6 (sum u_i²)^1.5), u_i the jackknife deviations
    Reference: Efron 1987
    """
    resampled = resampled_values(selections, values, options, n_resamples)
    u = values.deviations
    acceleration = float(np.sum(u**3) / (6 * np.sum(u**2) ** 1.5))
    below = np.mean(resampled < values.value) + np.mean(resampled == values.value) / 2
    z0 = float(special.ndtri(np.clip(below, 1 / n_resamples, 1 - 1 / n_resamples)))
    z = z0 + special.ndtri([(1 - level) / 2, (1 + level) / 2])
    ends = np.quantile(resampled, np.asarray(special.ndtr(z0 + z / (1 - acceleration * z))))
    return float(ends[0]), float(ends[1])


def resampled_values(selections: Selections, values: Jackknife, options: Options, n_resamples: int) -> Floats:
    """The measure on resampled runs, copies of a run never compared with each other."""
    rng = np.random.default_rng(options.given_seed)
    measure, M = values.measure, selections.n_runs
    family, nogueira = get_family(measure), measure.name == "nogueira"
    if not (nogueira or family.over_pairs):
        return _half_samples(selections, values, options, n_resamples, rng)
    table = _differences(selections) if nogueira else family.settled_scores(selections, measure, options)
    found = []
    for start in range(0, n_resamples, RESAMPLES_A_BLOCK):
        n = min(RESAMPLES_A_BLOCK, n_resamples - start)
        weights = rng.multinomial(M, np.full(M, 1 / M), size=n).astype(np.float64)
        n_pairs = M * M - np.sum(weights**2, axis=1)
        weights, n_pairs = weights[n_pairs > 0], n_pairs[n_pairs > 0]
        mean = np.sum(weights @ table * weights, axis=1) / n_pairs
        if nogueira:
            share = weights @ selections.sizes / (M * selections.n_features)
            ok = (share > 0) & (share < 1)
            mean = 1 - mean[ok] / (2 * selections.n_features) / (share[ok] * (1 - share[ok]))
        found.append(mean)
    return np.concatenate(found)


def _differences(selections: Selections) -> Floats:
    """How many features one of the two runs selects and the other does not."""
    k = selections.sizes
    return (k[:, None] + k[None, :] - 2 * selections.intersections()).astype(np.float64)


def _half_samples(
    selections: Selections, values: Jackknife, options: Options, n_resamples: int, rng: np.random.Generator
) -> Floats:
    measure: Measure = values.measure
    M = selections.n_runs
    m = M // 2
    if m < 2:
        raise InputError(f"The bootstrap of {measure.name} needs at least 4 runs, found {M}.")
    quiet = replace(options, undefined="nan") if options.undefined == "raise" else options
    drawn = np.array(
        [
            estimates(selections.take(rng.choice(M, size=m, replace=False)), [measure], quiet)[0].value
            for _ in range(n_resamples)
        ]
    )
    drawn = drawn[np.isfinite(drawn)]
    if drawn.size == 0:
        raise InputError(f"{measure.name} is undefined on every half of the runs; choose another method.")
    return np.asarray(values.value + (drawn - drawn.mean()) * np.sqrt(m / (M - m)))
