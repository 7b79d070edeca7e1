"""Rules of stability selection: one object per rule says how far paths go and which features of the runs are stable.

A `BoundRule` is made of a bound on the expected number of false selections: of (q, threshold, PFER) any two give the
third. `CalibratedRule` chooses the level of a path and the threshold by how unlikely the frequencies are under chance.
`register_rule` adds one.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cached_property, lru_cache
from typing import Any, Protocol, runtime_checkable

import numpy as np
from scipy import sparse
from scipy.optimize import minimize_scalar

from steadyset.foundation.arguments import shown, wrong_argument
from steadyset.foundation.errors import InputError
from steadyset.foundation.registry import Registry
from steadyset.kernels.arrays import Bools, Floats, Ints
from steadyset.selectors.ensembles.levels import Paths, merge_columns
from steadyset.selectors.validation import check_integer, check_number

ROUNDING = 1e-9  # thresholds and frequencies are compared up to this, so that ties do not hang on rounding
NO_SIZE = (
    "q is given, but the base has no parameter for the number of features that it selects. Leave q out, or give base a "
    "selector with k or n_features_to_select; in a pipeline it is the last selector that needs one."
)


@dataclass(frozen=True)
class Limits:
    """What the user gives of the threshold, the bound on false selections and the number of features of a run."""

    threshold: float | None = None
    pfer: float | None = None
    q: int | None = None


@dataclass(frozen=True)
class Runs:
    """The fitted runs as a rule reads them; has_size is false where the base decides how many features it selects.

    possible tells which clusters a run can select: those with a feature that varies.
    """

    paths: Paths
    clusters: Ints
    has_size: bool
    possible: Bools

    @property
    def n_runs(self) -> int:
        return self.paths.n_runs

    @property
    def n_clusters(self) -> int:
        """How many clusters there are to choose from: as many as features that vary where these are not clustered."""
        return int(self.possible.sum())

    @cached_property
    def counts(self) -> Ints:
        """levels x clusters to choose from: how many runs selected each cluster at each level of the path."""
        alone = self.possible.size == self.clusters.size  # each feature is a cluster, and these are counted once
        counts = self.paths.feature_counts if alone else self.paths.counts(self.clusters)
        return counts if self.possible.all() else counts[:, self.possible]

    def rows(self, level: float | None, q: float) -> sparse.csr_array:
        """runs x features at a level of the path (nan: the only one), or the first q features of each run."""
        return self.paths.first(int(q)) if level is None else self.paths.at(level)

    def mean_size(self, level: float | None, q: float) -> float:
        """How many clusters a run selects there on average."""
        return float(merge_columns(self.rows(level, q), self.clusters).nnz / self.n_runs)


@dataclass(frozen=True)
class Reading:
    """What a rule decides: the frequency from which a feature is stable, and which selections of the runs count.

    level is a level of the path, nan where the base has none, None where the first q features of each run are read;
    pfer is the bound, and score whatever else the rule went by.
    """

    threshold: float
    pfer: float
    q: float
    level: float | None = None
    score: float | None = None


@runtime_checkable
class Rule(Protocol):
    """How to read the runs. Each method raises InputError, in one sentence, for limits that the rule cannot take."""

    @property
    def name(self) -> str: ...

    @property
    def reference(self) -> str: ...

    def path_limits(self, limits: Limits) -> Limits:
        """The limits that say how far to follow a path: these, unless the rule reads some in another way."""
        ...

    def size(self, n_clusters: int, n_runs: int, limits: Limits) -> int:
        """How many features a run selects, before any run is known."""
        ...

    def read(self, runs: Runs, limits: Limits) -> Reading:
        """Decide what is stable."""
        ...


def _check(rule: Any) -> None:
    if not isinstance(rule, Rule):
        raise InputError(f"rule must have a name, a reference, path_limits, size and read (got {rule!r}).")


RULES: Registry[Rule] = Registry("rule", check=_check, in_runs=True)


def register_rule(rule: Rule, *, replace: bool = False) -> Rule:
    """Make a rule known by its name to `StabilitySelection`, and a BoundRule to `error_control` too.

    Parameters
    ----------
    rule : Rule
        A `BoundRule`, or any object with a name, a reference and the methods path_limits, size and read.
    replace : bool, default=False
        Whether another one of this name gives way; otherwise a taken name is refused.

    Returns
    -------
    Rule
        The rule.

    Raises
    ------
    InputError
        Where the name is taken, or the object is no rule.

    Examples
    --------
    >>> import steadyset as st
    >>> careful = st.BoundRule("careful", lambda q, threshold, d, n_pairs: 2 * q * q / (d * (2 * threshold - 1)))
    >>> st.register_rule(careful).name
    'careful'
    >>> st.error_control(500, q=10, threshold=0.75, rule="careful").pfer
    0.8
    """
    return RULES.add(rule, replace=replace)


def get_rule(name: Any) -> Rule:
    """The rule of that name."""
    if not isinstance(name, str):
        raise InputError(f"rule must be the name of a rule (got {shown(name)}); register_rule names one of your own.")
    return RULES.find(name)


THRESHOLD, PFER = 0.75, 1.0  # where fewer than two of q, threshold and pfer are given


@dataclass(frozen=True)
class BoundRule:
    """A bound on the expected number of false selections (PFER): of q, threshold and pfer two give the third.

    Parameters
    ----------
    name : str
        The name of the rule.
    bound : Callable
        ``bound(q, threshold, d, n_pairs)``, infinite where the rule says nothing. It has to fall in the threshold and
        to rise in q.
    lowest : float, default=0.5
        The least threshold that the rule can ever take.
    reference : str, default=""
        Where the bound comes from.
    caution : str, default=""
        What results say of the bound at thresholds below `held_from`.
    held_from : float, default=0.0
        The least threshold at which the bound is known to hold on real data.

    Examples
    --------
    Markov's inequality bounds the noise features that reach a threshold, whatever their dependence:

    >>> import steadyset as st
    >>> markov = st.BoundRule("markov", lambda q, threshold, d, n_pairs: q / threshold, lowest=0.0)
    >>> _ = st.register_rule(markov)
    >>> st.error_control(1000, q=4, threshold=0.8, rule="markov").pfer
    5.0
    """

    name: str
    bound: Callable[[float, float, int, int], float]
    lowest: float = 0.5
    reference: str = ""
    caution: str = ""
    held_from: float = 0.0

    def path_limits(self, limits: Limits) -> Limits:
        """Which of the limits tell how far paths have to go: all of a bound's, two of them at most.

        Parameters
        ----------
        limits : Limits
            The threshold, pfer and q that were given.

        Returns
        -------
        Limits
            The limits as they are.
        """
        if all(limit is not None for limit in (limits.threshold, limits.pfer, limits.q)):
            raise InputError("threshold, pfer and q are all given; give two of them, and the third follows.")
        return limits

    def size(self, n_clusters: int, n_runs: int, limits: Limits) -> int:
        """The given q, or the largest that keeps within the limits.

        Parameters
        ----------
        n_clusters : int
            How many features, or clusters of features, there are.
        n_runs : int
            How many runs there are.
        limits : Limits
            The threshold, pfer and q that were given.

        Returns
        -------
        int
            How many features a run selects.
        """
        return self._control(n_clusters, n_runs, limits).q

    def read(self, runs: Runs, limits: Limits) -> Reading:
        """Decide what is stable by the first q features of each run, or by what a base without a size selects.

        Parameters
        ----------
        runs : Runs
            The paths of all runs.
        limits : Limits
            The threshold, pfer and q that were given.

        Returns
        -------
        Reading
            The threshold, the bound and q.

        Raises
        ------
        InputError
            Where the limits cannot be kept.
        """
        if not runs.has_size:
            return self._read_as_is(runs, limits)
        control = self._control(runs.n_clusters, runs.n_runs, self.path_limits(limits))
        size = runs.mean_size(None, control.q)
        if size > control.q:
            raise InputError(
                f"The base selects {size:g} features where q = {control.q} are asked for; "
                "if it selects groups, pass the same groups as clusters."
            )
        return Reading(control.threshold, control.pfer, control.q)

    def _read_as_is(self, runs: Runs, limits: Limits) -> Reading:
        """The base decides how many features it selects; their mean number, rounded up, takes the place of q."""
        if limits.q is not None:
            raise InputError(NO_SIZE)
        if limits.pfer is not None:
            check_number("pfer", limits.pfer)
        q = max(1, int(np.ceil(runs.mean_size(np.nan, 0))))
        options: Any = {"q": q, "rule": self.name, "n_runs": runs.n_runs}
        if limits.threshold is None and limits.pfer is not None:
            control = error_control(runs.n_clusters, pfer=limits.pfer, **options)
            return Reading(control.threshold, control.pfer, q, level=np.nan)
        threshold = THRESHOLD if limits.threshold is None else limits.threshold
        control = error_control(runs.n_clusters, threshold=threshold, **options)
        if limits.pfer is not None and control.pfer > limits.pfer:
            raise InputError(
                f"The base selects {q} of {runs.n_clusters} features per run, so that the PFER bound at the threshold "
                f"{threshold:g} is {control.pfer:.3g}, and {limits.pfer:g} is asked for; allow a larger pfer."
            )
        return Reading(control.threshold, control.pfer, q, level=np.nan)

    def _control(self, n_clusters: int, n_runs: int, limits: Limits) -> ErrorControl:
        """All three, with the defaults for what is missing beyond one."""
        options: Any = {"rule": self.name, "n_runs": n_runs}
        if limits.q is not None and limits.pfer is not None:
            return error_control(n_clusters, q=limits.q, pfer=limits.pfer, **options)
        options["threshold"] = THRESHOLD if limits.threshold is None else limits.threshold
        if limits.q is not None or limits.pfer is not None:
            return error_control(n_clusters, q=limits.q, pfer=limits.pfer, **options)
        # Nobody asked for this PFER, so that where even q = 1 has a larger bound, the bound is told, not refused.
        control = error_control(n_clusters, q=1, **options)
        return error_control(n_clusters, pfer=PFER, **options) if control.pfer <= PFER else control


@dataclass(frozen=True)
class ErrorControl:
    """At most q features per run and a frequency of at least `threshold` bound the PFER by `pfer`.

    Attributes
    ----------
    q : int
        How many features a run selects at most.
    threshold : float
        The frequency from which a feature is kept.
    pfer : float
        The bound on the expected number of false selections.
    rule : str
        The rule of the bound.

    Examples
    --------
    >>> import steadyset as st
    >>> st.error_control(5000, threshold=0.9, pfer=1)
    ErrorControl(q=63, threshold=0.9, pfer=0.99225, rule='meinshausen_buhlmann')
    """

    q: int
    threshold: float
    pfer: float
    rule: str


def error_control(
    d: int,
    *,
    q: int | None = None,
    threshold: float | None = None,
    pfer: float | None = None,
    rule: str = "meinshausen_buhlmann",
    n_runs: int = 100,
) -> ErrorControl:
    """Give two of q, threshold and pfer and get the third: the least threshold, the largest q, or the bound itself.

    Parameters
    ----------
    d : int
        How many features (or clusters of features) there are to choose from.
    q : int or None, default=None
        How many features a run selects at most.
    threshold : float or None, default=None
        The share of the runs that must select a feature.
    pfer : float or None, default=None
        The bound on the expected number of selected features whose chance to be selected by a run is at most q/d, as is
        that of a noise feature when noise features are exchangeable and the selector is no worse than guessing.
    rule : str, default="meinshausen_buhlmann"
        "meinshausen_buhlmann", "shah_samworth_unimodal", "shah_samworth_r_concave", or one that was registered.
    n_runs : int, default=100
        How many runs there are, two for each random split.

    Returns
    -------
    ErrorControl
        All three. A threshold found for a given q and pfer is a whole number of runs, except that of
        "meinshausen_buhlmann". The pfer is the bound, at most the one asked for.

    Raises
    ------
    InputError
        Where not two of the three are given, or no value of the third keeps the bound.

    References
    ----------
    * Meinshausen and Bühlmann (2010), Stability selection, JRSS B 72.
    * Shah and Samworth (2013), Variable selection with error control: another look at stability selection, JRSS B 75.

    Examples
    --------
    >>> from steadyset.selectors import error_control
    >>> error_control(1000, q=20, pfer=1).threshold
    0.7
    >>> error_control(1000, q=20, pfer=1, rule="shah_samworth_r_concave").threshold
    0.43
    """
    record = _bound_rule(rule)
    check_integer("d", d, least=1)
    check_runs(n_runs)
    given = [name for name, value in (("q", q), ("threshold", threshold), ("pfer", pfer)) if value is not None]
    if len(given) != 2:
        found = f"found: {', '.join(given) or 'none'}"
        raise InputError(f"Two of q, threshold and pfer have to be given, and the third follows; {found}.")
    if pfer is not None:
        check_number("pfer", pfer)
    if q is not None:
        check_integer("q", q, least=1)
        if q > d:
            raise InputError(f"q is {q} and there are {d} features; a run can select at most all of them.")
    if threshold is not None:
        check_number("threshold", threshold, most=1.0)
        if threshold <= record.lowest:
            raise InputError(
                f"threshold is {threshold:g}; the rule {record.name!r} bounds the error only above {record.lowest:g}."
            )
    pairs = n_runs // 2
    if threshold is None:
        assert q is not None
        assert pfer is not None
        threshold = _least_threshold(record, q, pfer, d, pairs)
    elif q is None:
        assert pfer is not None
        q = _largest_q(record, threshold, pfer, d, pairs)
    bound = record.bound(q, threshold, d, pairs)
    if not np.isfinite(bound):
        raise InputError(
            f"The rule {rule!r} says nothing about q = {q} of {d} features at the threshold {threshold:g}; "
            "choose a higher threshold or a smaller q."
        )
    return ErrorControl(int(q), float(threshold), float(bound if pfer is None else min(bound, pfer)), rule)


def _bound_rule(name: str) -> BoundRule:
    rule = get_rule(name)
    if not isinstance(rule, BoundRule):
        bounds = ", ".join(repr(other) for other, known in RULES.items() if isinstance(known, BoundRule))
        raise InputError(f"The rule {name!r} is no bound that gives one limit from the others; choose one of {bounds}.")
    return rule


def check_runs(n_runs: Any) -> None:
    """Runs come in pairs."""
    check_integer("n_runs", n_runs, least=2)
    if n_runs % 2:
        raise InputError(f"n_runs is {n_runs}; complementary pairs need an even number of runs.")


def markov(q: float, threshold: float, d: int, n_pairs: int) -> float:
    """For thresholds above 1/2; it holds for random halves and for complementary pairs.

    Formula: q² / ((2 threshold - 1) d).
    """
    return q**2 / ((2.0 * threshold - 1.0) * d) if threshold > 0.5 else np.inf


def unimodal(q: float, threshold: float, d: int, n_pairs: int) -> float:
    """C is Markov's inequality for unimodal distributions on {0, 1/B, ..., 1}, B = n_pairs.

    Formula: C q² / d.

    A frequency of at least the threshold means that both halves of a pair select the feature in a share of at least
    t = 2 threshold - 1 of the pairs. The mean of that share is at most (q/d)². With t rounded up to a multiple of 1/B,
    C = 1 / (2 t - 1/B) up to t = 1/2 and 2 (1 - t + 1/B) / (1 + 1/B) beyond. Below the range of that inequality, and
    for q/d above 1/sqrt(3), the bound is that of Meinshausen and Buehlmann.
    """
    plain = markov(q, threshold, d, n_pairs)
    share = _share(2.0 * threshold - 1.0, n_pairs)
    # The two halves of a pair share no rows: given the data's law they are independent, and a feature that one half
    # selects with probability q/d is selected by both with its square.
    mean = (q / d) ** 2
    if mean > 1.0 / 3.0 or share <= min(2.0 * mean, 1.5 * mean + 1.0 / n_pairs):
        return plain
    if share <= 0.5:
        constant = 1.0 / (2.0 * share - 1.0 / n_pairs)
    else:
        constant = 2.0 * (1.0 - share + 1.0 / n_pairs) / (1.0 + 1.0 / n_pairs)
    return min(plain, constant * q**2 / d)


def r_concave(q: float, threshold: float, d: int, n_pairs: int) -> float:
    """Also for thresholds below 1/2; B = n_pairs.

    Formula: d min(D((q/d)², 2 threshold - 1, B, -1/2), D(q/d, threshold, 2 B, -1/4)).

    D is the largest tail of an r-concave distribution: of the share of pairs both halves of which select the feature
    (r = -1/2), and of the share of runs that select it (r = -1/4). Such distributions are unimodal, so that the bounds
    for these hold as well; at thresholds of at most q/d they are all there is.
    """
    theta = q / d
    if threshold <= theta:
        return unimodal(q, threshold, d, n_pairs)
    in_pairs = round(_share(2.0 * threshold - 1.0, n_pairs) * n_pairs)
    in_runs = round(_share(threshold, 2 * n_pairs) * 2 * n_pairs)
    both = largest_tail(theta**2 * n_pairs, in_pairs, n_pairs, -0.5)
    single = largest_tail(theta * 2 * n_pairs, in_runs, 2 * n_pairs, -0.25)
    return min(d * both, d * single, unimodal(q, threshold, d, n_pairs))


# Measured by benchmarks/error_bounds.py, which a test compares with these figures.
R_CONCAVE_FAILED = (
    "The bound of shah_samworth_r_concave did not hold on real arrays at such thresholds: with a promise of 1 and no "
    "true feature, six arrays gave 1.8 to 4.2 false features on average at thresholds below 0.5, 0.6 to 2.0 from 0.5 "
    "to 0.75, and 0.5 to 0.9 at 0.75, where it held."
)
_MB = "Meinshausen and Bühlmann 2010, theorem 1"
_SS = "Shah and Samworth 2013"
register_rule(BoundRule("meinshausen_buhlmann", markov, 0.5, _MB))
register_rule(BoundRule("shah_samworth_unimodal", unimodal, 0.5, f"{_SS}, theorem 2"))
register_rule(
    BoundRule("shah_samworth_r_concave", r_concave, 0.0, f"{_SS}, theorem 3", R_CONCAVE_FAILED, held_from=0.75)
)


def _share(share: float, n: int) -> float:
    """The next multiple of 1/n that is not below the share."""
    return float(np.ceil(share * n - ROUNDING) / n)


def _least_threshold(rule: BoundRule, q: int, pfer: float, d: int, n_pairs: int) -> float:
    best = rule.bound(q, 1.0, d, n_pairs)
    if best > pfer * (1.0 + ROUNDING):
        raise InputError(
            f"With q = {q} of {d} features the rule {rule.name!r} cannot promise a PFER below {best:.3g}, "
            f"and {pfer:g} is asked for; choose a larger pfer or a smaller q."
        )
    # It is a formula of the threshold; the others change only at multiples of 1/M, so these are searched.
    if rule.bound is markov:
        return 0.5 * (1.0 + q**2 / (pfer * d))
    runs = 2 * n_pairs
    shares = range(int(rule.lowest * runs) + 1, runs)
    kept = bisect_left(shares, True, key=lambda n: rule.bound(q, n / runs, d, n_pairs) <= pfer * (1.0 + ROUNDING))
    return (shares.start + kept) / runs


def _largest_q(rule: BoundRule, threshold: float, pfer: float, d: int, n_pairs: int) -> int:
    least = rule.bound(1, threshold, d, n_pairs)
    if least > pfer * (1.0 + ROUNDING):
        raise InputError(
            f"At the threshold {threshold:g} even q = 1 of {d} features has a PFER bound of {least:.3g} by the rule "
            f"{rule.name!r}, and {pfer:g} is asked for; choose a higher threshold or a larger pfer."
        )
    broken = bisect_left(
        range(2, d + 1), True, key=lambda q: rule.bound(q, threshold, d, n_pairs) > pfer * (1.0 + ROUNDING)
    )
    return 1 + broken


GRID = 400  # slopes on either side of the uniform distribution from which the search for the extremal one starts


@lru_cache(maxsize=4096)
def largest_tail(mean: float, least: int, n: int, r: float) -> float:
    """max P(X >= least) over the r-concave distributions on {0, ..., n} whose mean is at most `mean`, for r < 0.

    A distribution is r-concave for r < 0 when f^r is convex on its support, an interval; r = 0 is log-concave, and
    unimodal is the limit r to minus infinity. The maximum is reached where f^r is linear, f(i) ~ (1 + slope i)^(1/r)
    for i = 0, ..., k, except that f(k + 1) may lie below that curve. The mean fixes k and f(k + 1) for each slope, so
    that the slope is the only unknown: positive for tails far beyond the mean, negative for those next to it.

    Reference: Shah and Samworth (2013), Variable selection with error control: another look at stability selection,
    section 3.3; this is their D(mean / n, least / n, n, r).
    """
    if least <= mean:
        return 1.0
    if least > n or mean <= 0:
        return 0.0
    falling = np.logspace(-6, 8, GRID)
    # 1 + slope i must stay positive up to the mean at least, which bounds how steeply it may fall.
    rising = -1.0 / (mean + np.logspace(-4, np.log10(1e6 * n), GRID))
    slopes = np.concatenate([rising, falling])
    # The tail has several local maxima in the slope, so a grid finds the neighbourhood and the search only the digits.
    tails = _tails(slopes, mean, least, n, r)
    best = int(np.argmax(tails))
    refined = minimize_scalar(
        lambda slope: -_tails(np.array([slope]), mean, least, n, r)[0],
        bounds=(slopes[max(best - 1, 0)], slopes[min(best + 1, len(slopes) - 1)]),
        method="bounded",
        options={"xatol": 1e-9 * abs(slopes[best])},
    )
    return float(max(tails[best], -refined.fun))


def _tails(slopes: Floats, mean: float, least: int, n: int, r: float) -> Floats:
    """P(X >= least) under f(i) ~ (1 + slope i)^(1/r), cut where the mean is reached, one for each slope."""
    i = np.arange(n + 1)
    base = 1.0 + slopes[:, None] * i
    f = np.where(base > 0, np.maximum(base, 1e-12), np.inf) ** (1.0 / r)
    mass, moment = np.cumsum(f, axis=1), np.cumsum(i * f, axis=1)
    k = ((moment <= mean * mass) & (base > 0)).sum(axis=1) - 1
    every = np.arange(len(slopes))
    mass_k, moment_k = mass[every, k], moment[every, k]
    # f(k + 1) lifts the mean of what is on 0..k to the mean wanted; where k = n the whole curve is in already.
    last = np.where(k < n, (mean * mass_k - moment_k) / np.maximum(k + 1 - mean, 1e-9), 0.0)
    below = np.minimum(mass[:, least - 1], mass_k) + np.where(k + 1 < least, last, 0.0)
    return np.asarray(1.0 - below / (mass_k + last))


THRESHOLDS: Floats = np.round(np.arange(0.60, 0.901, 0.01), 2)


@dataclass(frozen=True)
class CalibratedRule:
    """The level of the path and the threshold of the highest stability score; all limits are optional.

    Formula: max over levels and thresholds of the stability score.

    A given threshold is kept; pfer and q bound what is considered. The PFER is that of a level and a threshold fixed
    beforehand.
    """

    name: str = "calibrated"
    reference: str = "Bodinier et al. 2023"

    def path_limits(self, limits: Limits) -> Limits:
        """pfer limits what is considered, which says nothing about how far a path has to go."""
        return replace(limits, pfer=None)

    def size(self, n_clusters: int, n_runs: int, limits: Limits) -> int:
        """As many as Meinshausen and Buehlmann's; there are levels of many sizes to choose from."""
        return get_rule("meinshausen_buhlmann").size(n_clusters, n_runs, limits)

    def read(self, runs: Runs, limits: Limits) -> Reading:
        """The best level of the path, whole."""
        if limits.threshold is not None and not 0.5 < limits.threshold <= 1:
            raise wrong_argument("threshold", f"above 0.5 and at most 1 for the rule {self.name!r}", limits.threshold)
        if limits.pfer is not None:
            check_number("pfer", limits.pfer)
        if limits.q is not None:
            check_integer("q", limits.q, least=1)
        thresholds = THRESHOLDS if limits.threshold is None else np.array([float(limits.threshold)])
        best = calibrate(runs.counts, runs.n_runs, thresholds, pfer=limits.pfer, q=limits.q)
        size = float(runs.counts[best.place].sum() / runs.n_runs)
        bound = markov(size, best.threshold, runs.n_clusters, runs.n_runs // 2)
        return Reading(best.threshold, bound, size, level=float(runs.paths.levels[best.place]), score=best.score)


@dataclass(frozen=True)
class Calibration:
    """The place of the level on the path, the threshold, and the stability score there."""

    place: int
    threshold: float
    score: float


def calibrate(
    counts: Ints, n_runs: int, thresholds: Floats, *, pfer: float | None = None, q: float | None = None
) -> Calibration:
    """The level and the threshold of the highest stability score, among those that keep within pfer and q.

    counts is levels x features. The bound on the PFER is q²/((2 threshold - 1) d), q being the mean number of features
    that a run selects at the level; the limit q is on that number. The stronger penalty wins between equal scores.
    """
    d = counts.shape[1]
    sizes = counts.sum(axis=1) / n_runs
    scores = stability_scores(counts, n_runs, thresholds)
    bounds = np.array([[markov(size, pi, d, n_runs // 2) for pi in thresholds] for size in sizes])
    allowed = (sizes > 0)[:, None] & (sizes < d)[:, None] & (bounds <= (np.inf if pfer is None else pfer))
    if q is not None:
        allowed &= (sizes <= q + ROUNDING)[:, None]
    if not allowed.any():
        limits = [f"{name} = {value:g}" for name, value in (("pfer", pfer), ("q", q)) if value is not None]
        within = f" within {' and '.join(limits)}" if limits else ""
        raise InputError(f"No level of the path and no threshold selects some but not all features{within}.")
    place, column = np.unravel_index(int(np.argmax(np.where(allowed, scores, -np.inf))), scores.shape)
    return Calibration(int(place), float(thresholds[column]), float(scores[place, column]))


def stability_scores(counts: Ints, n_runs: int, thresholds: Floats) -> Floats:
    """-log likelihood of stable inclusion, stable exclusion and the rest, under uniform selection: levels x thresholds.

    At a level that selects a share g of the features on average, chance alone makes the count of each feature
    H ~ Binomial(M, g). A feature is stably in when H >= pi M, stably out when H <= (1 - pi) M; the score is
    -[n_in log P(H >= pi M) + n_out log P(H <= (1 - pi) M) + n_rest log P(otherwise)].

    Reference: Bodinier, Filippi, Haugdahl Nost, Chiquet and Chadeau-Hyam (2023), Automated calibration for stability
    selection in penalised regression and graphical models.
    """
    from scipy.stats import binom  # takes long to import

    M, d = n_runs, counts.shape[1]
    least_in = np.ceil(thresholds * M - ROUNDING).astype(np.int64)
    most_out = np.floor((1.0 - thresholds) * M + ROUNDING).astype(np.int64)
    scores = np.zeros((len(counts), len(thresholds)))
    for place, row in enumerate(counts):
        rate = row.sum() / (M * d)
        if not 0 < rate < 1:
            continue
        log_pmf = binom.logpmf(np.arange(M + 1), M, rate)
        # In logarithms throughout: tails of a hundred runs are far below what a double can hold as a difference from 1.
        at_most, at_least = np.logaddexp.accumulate(log_pmf), np.logaddexp.accumulate(log_pmf[::-1])[::-1]
        n_at_most = np.cumsum(np.bincount(row, minlength=M + 1))  # features with at most h selections
        for column, (low, high) in enumerate(zip(most_out, least_in, strict=True)):
            n_in, n_out = d - n_at_most[high - 1], n_at_most[low]
            n_rest = d - n_in - n_out
            score = -n_in * at_least[high] - n_out * at_most[low]
            if n_rest:
                score -= n_rest * np.logaddexp.reduce(log_pmf[low + 1 : high])
            scores[place, column] = score
    return scores


register_rule(CalibratedRule())
