"""What users hold of a replication, and how it is made of the runs."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from math import ceil, floor, nan
from typing import TYPE_CHECKING, Any

import numpy as np

from steadyset.foundation.display import Drawable, Record, Reportable, ShownFindings
from steadyset.foundation.errors import InputError
from steadyset.foundation.text import counted, listed
from steadyset.inference.runs import Halves
from steadyset.kernels.arrays import Floats
from steadyset.replications.curve import CHANCE, Curves, fitted_curves, interval_at, noise_of, variance_scale

if TYPE_CHECKING:
    import pandas as pd

    from steadyset.assessment import Assessment
    from steadyset.replications.run import Size

HALF, MULTIPLES = 0.5, (1.0, 2.0, 4.0)
QUANTILE, TAIL = 1.959963984540054, 0.025  # of 95% intervals, which are what was validated
FEWEST_PAIRS = 20  # of halves, from which their mean is known well beside what differs between data sets
MOST_FAILED = 0.1  # of the pairs of a size, beyond which it is left out
SEED = 0  # of the draws of curves: they are the same whatever the seed of the runs


@dataclass(frozen=True)
class MeasuredSize:
    """The agreement of pairs of studies of `rows` rows each, with its Monte Carlo error and a 95% interval."""

    rows: int
    pairs: int
    agreement: float
    error: float
    low: float
    high: float


@dataclass(frozen=True)
class NextStudy:
    """What is expected of studies of `rows` rows, `multiple` times those at hand.

    Attributes
    ----------
    agreement, low, high : of two such studies, corrected for chance, with a 95% interval
    again, again_low, again_high : of the list at hand and one such study, on average over such studies
    one_low, one_high : the share of the list that a single new study finds, in 95% of the studies
    measured : whether it needed no model
    """

    multiple: float
    rows: int
    agreement: float
    low: float
    high: float
    again: float = nan
    again_low: float = nan
    again_high: float = nan
    one_low: float = nan
    one_high: float = nan
    measured: bool = False


@dataclass(frozen=True)
class KeptFeature:
    """A feature of the list of all rows, and in which share of the studies of half the size it was selected."""

    feature: str
    frequency: float


@dataclass(frozen=True, repr=False)
class Replicated(Record):
    """A replication as plain data.

    Attributes
    ----------
    selector : its name
    size : how many features it selects
    n_features, n_rows : of the data
    measured : the agreement of disjoint studies at each size, the smallest first
    studies : what is expected at half the rows, and at 1, 2 and 4 times as many
    features : the list of all rows, the most frequent first
    enough_low : 97.5% of the curves need at least so many rows for an agreement of 0.8; nan where it is beyond 16 times
    noise : how much the agreement varies between data sets
    notes : what was left out, and why
    void : why no number here holds for studies of other rows; empty where they do
    """

    selector: str
    size: int
    n_features: int
    n_rows: int
    measured: tuple[MeasuredSize, ...]
    studies: tuple[NextStudy, ...]
    features: tuple[KeptFeature, ...]
    enough_low: float
    noise: float
    notes: tuple[str, ...] = ()
    void: str = ""

    @property
    def by_chance(self) -> float:
        """The share of features that two random selections have in common."""
        return self.size / self.n_features

    def share(self, agreement: float) -> float:
        """The share of features in common, where chance counts."""
        return agreement * (1 - self.by_chance) + self.by_chance

    def common(self, agreement: float) -> float:
        """The number of features in common."""
        return self.size * self.share(agreement)


@dataclass(frozen=True, eq=False, repr=False)
class Replication(ShownFindings, Drawable, Reportable):
    """Whether another study would select the same features: what `replication` answers.

    Attributes
    ----------
    table : pandas.DataFrame
        One row per size of the next study (half the rows, as many, 2 and 4 times as many): how many of the selected
        features two such studies have in common, and how many of the list at hand come out again, with 95% intervals.
    measured : pandas.DataFrame
        The agreement of pairs of disjoint studies of each size, corrected for chance.
    features : pandas.DataFrame
        The list of all rows, with the share of studies of half the size that select each.
    replicated : Replicated
        All of it as plain data.
    settings : dict
        How it was computed.
    runs : Assessment
        What every study selected.

    Examples
    --------
    >>> import numpy as np
    >>> import steadyset as st
    >>> X = np.random.default_rng(0).normal(size=(80, 50))
    >>> y = np.arange(80) % 2
    >>> X[y == 1, :5] += 1
    >>> found = st.replication("anova:k=5", X, y)
    >>> found.table.round(1)[["rows", "in_common", "low", "high"]].head(2)
       rows  in_common  low  high
    0    40        3.5  2.2   4.4
    1    80        4.1  3.3   4.9
    """

    replicated: Replicated
    settings: dict[str, Any]
    runs: Assessment

    @property
    def table(self) -> pd.DataFrame:
        """One row per size of the next study."""
        import pandas as pd

        one, k = self.replicated, self.replicated.size
        return pd.DataFrame(
            {
                "rows": study.rows,
                "multiple": study.multiple,
                "in_common": one.common(study.agreement),
                "low": one.common(study.low),
                "high": one.common(study.high),
                "again": one.common(study.again),
                "again_low": one.common(study.again_low),
                "again_high": one.common(study.again_high),
                "one_study_low": k * study.one_low,
                "one_study_high": k * study.one_high,
                "measured": study.measured,
            }
            for study in one.studies
        )

    @property
    def measured(self) -> pd.DataFrame:
        """The agreement of pairs of disjoint studies of each size."""
        import pandas as pd

        return pd.DataFrame(map(asdict, self.replicated.measured))

    @property
    def features(self) -> pd.DataFrame:
        """The list of all rows."""
        import pandas as pd

        return pd.DataFrame(map(asdict, self.replicated.features))


@dataclass(frozen=True, eq=False)
class Pairs:
    """The agreements of the pairs of one size, or why it is left out."""

    size: Size
    values: Floats
    trouble: str = ""

    @property
    def mean(self) -> float:
        """The mean agreement."""
        return float(self.values.mean())

    @property
    def monte_carlo(self) -> float:
        """The variance of the mean over pairs of the same rows."""
        return float(self.values.var(ddof=1) / len(self.values))


def halves_told(one: Halves) -> Halves:
    """The halves of an assessment with the interval of what they share, as that of studies of half the size.

    An assessment has no pairs within halves that would say how much its agreement varies between data sets: that is
    taken as usual. None of few pairs, whose own error counts, and where nothing can be in common but by chance.
    """
    scale = one.size - one.expected
    if one.pairs < FEWEST_PAIRS or scale <= 0:
        return one
    noise = noise_of({}, {}, {})
    ends = interval_at(HALF, (one.common - one.expected) / scale, noise, QUANTILE)
    low, high = (one.expected + scale * (0.0 if end < CHANCE else end) for end in ends)
    return replace(one, low=min(low, one.common), high=high)


def replicated_of(
    name: str,
    sizes: Sequence[Size],
    sets: Mapping[int, frozenset[int]],
    whole: Sequence[int],
    names: Sequence[str],
    n_rows: int,
    least_rows: int,
    multiples: Sequence[float] = MULTIPLES,
) -> Replicated:
    """What runs say: `sets` are the selections of those that did not fail, `whole` is that of all rows.

    Sizes of fewer than `least_rows` rows are left out. Studies of `multiples` of the rows are what is extrapolated to.
    """
    k, d = len(whole), len(names)
    if not 0 < k < d:
        raise InputError(f"{name} selects {k} of {d} features; whether that would come out again is no question.")
    found = list(_pairs_of(sizes, sets, k, d, least_rows))
    usable = [one for one in found if one.size.of_all_rows and not one.trouble]
    half = next(one for one in found if one.size.of_all_rows and one.size.share == HALF)
    if half.trouble:
        raise InputError(f"Whether {name} would select the same again cannot be told: {half.trouble}.")
    left_out = [one for one in found if one.size.of_all_rows and one.trouble]
    notes = [f"Studies of {one.size.rows} rows are left out: {one.trouble}." for one in left_out]
    noise = noise_of(*_between_halves([one for one in found if not one.trouble]))
    ends = [interval_at(one.size.share, one.mean, noise, QUANTILE) for one in usable]
    curves = fitted_curves(
        np.array([one.size.share for one in usable]),
        np.array([one.mean for one in usable]),
        np.array([one.monte_carlo for one in usable]),
        noise,
        SEED,
    )
    halves = [sets[run] for run in _runs_of(sizes, half.size) if run in sets]
    counts = np.bincount([f for one in halves for f in one], minlength=d)
    steady = float(np.mean(counts[counts > 0] * (counts[counts > 0] - 1)) * (counts > 0).sum())
    stability = _agreement(steady / (len(halves) * (len(halves) - 1)), k, d)

    def study(multiple: float, point: float, ends: tuple[float, ...]) -> NextStudy:
        return _next_study(curves, half, k, d, multiple, int(multiple * n_rows), point, ends)

    studies = [replace(study(HALF, half.mean, ends[-1]), measured=True)]
    for multiple in multiples:
        values = curves.at(multiple)
        point = curves.mean(values)
        if multiple == 1:  # halves of the same rows agree too well, the curve alone too badly: their mean is closest
            point = (point + stability) / 2
        studies.append(study(multiple, point, curves.quantiles(values, (TAIL, 1 - TAIL))))
    enough = curves.enough_rows(TAIL) * n_rows
    order = sorted(whole, key=lambda f: (-counts[f], f))
    return Replicated(
        name,
        k,
        d,
        n_rows,
        tuple(
            MeasuredSize(one.size.rows, len(one.values), one.mean, one.monte_carlo**0.5, *interval)
            for one, interval in zip(usable, ends, strict=True)
        ),
        tuple(studies),
        tuple(KeptFeature(names[f], float(counts[f] / len(halves))) for f in order),
        enough if np.isfinite(enough) else nan,
        noise,
        tuple(notes),
    )


def _agreement(common: float, k: int, d: int) -> float:
    """K of two selections of k features that have so many in common."""
    return (common / k - k / d) / (1 - k / d)


def _runs_of(sizes: Sequence[Size], wanted: Size) -> range:
    first = sum(size.runs for size in sizes[: sizes.index(wanted)])
    return range(first, first + wanted.runs)


def _pairs_of(
    sizes: Sequence[Size], sets: Mapping[int, frozenset[int]], k: int, d: int, least_rows: int
) -> Iterable[Pairs]:
    for size in sizes:
        runs = _runs_of(sizes, size)
        known = [(sets[run], sets[run + 1]) for run in runs[::2] if run in sets and run + 1 in sets]
        both = [pair for pair in known if all(len(one) == k for one in pair)]
        trouble = ""
        if size.rows < least_rows:
            trouble = f"too few rows for a model of {counted(k, 'feature')}"
        elif len(both) < max(2, (1 - MOST_FAILED) * size.pairs):
            others = sorted({len(one) for pair in known for one in pair} - {k})
            trouble = (
                f"{listed(list(map(str, others)), 5, last=' or ')} features were selected where all rows give {k}; "
                "only a fixed number of features was validated, such as that of k=10"
                if len(known) - len(both) > size.pairs - len(known)
                else f"{size.pairs - len(known)} of {counted(size.pairs, 'pair')} failed"
            )
        yield Pairs(size, np.array([_agreement(len(a & b), k, d) for a, b in both]), trouble)


def _between_halves(found: Sequence[Pairs]) -> tuple[dict[float, Floats], dict[float, float], dict[float, float]]:
    """For each share of the halves: the differences between the two halves of each split, the mean, the variance."""
    halves = {(one.size.share, one.size.split, one.size.half): one for one in found if not one.size.of_all_rows}
    both: dict[float, list[tuple[Pairs, Pairs]]] = {}
    for share, split, half in sorted(halves):
        if half == 0 and (share, split, 1) in halves:
            both.setdefault(share, []).append((halves[share, split, 0], halves[share, split, 1]))
    return (
        {share: np.array([a.mean - b.mean for a, b in splits]) for share, splits in both.items()},
        {share: float(np.mean([(a.mean + b.mean) / 2 for a, b in splits])) for share, splits in both.items()},
        {
            share: float(np.mean([(a.monte_carlo + b.monte_carlo) / 2 for a, b in splits]))
            for share, splits in both.items()
        },
    )


def _next_study(
    curves: Curves, half: Pairs, k: int, d: int, multiple: float, rows: int, point: float, ends: tuple[float, ...]
) -> NextStudy:
    """What is expected of studies of a size, from the curves and the spread of single pairs at half the rows."""
    chance = k / d
    low, high = (0.0 if end < CHANCE else end for end in ends)
    # By the inequality of Cauchy and Schwarz the list of n rows agrees with a study of m rows at most so well.
    lists = np.sqrt(curves.at(1.0) * curves.at(multiple))
    again_low, again_high = curves.quantiles(lists, (TAIL, 1 - TAIL))
    scale = variance_scale(curves.at(multiple)) / variance_scale(half.mean)
    spread = float(half.values.var(ddof=1))  # of single pairs
    noise = np.random.default_rng(SEED).standard_normal(len(lists)) * np.sqrt(spread * scale)
    single = curves.quantiles((lists + noise) * (1 - chance) + chance, (TAIL, 1 - TAIL))
    return NextStudy(
        multiple,
        rows,
        float(np.clip(point, low, max(low, high))),
        low,
        high,
        point if multiple == 1 else curves.mean(lists),
        0.0 if again_low < CHANCE else again_low,
        again_high,
        max(0.0, floor(k * single[0] + 1e-9) / k),
        min(1.0, ceil(k * single[1] - 1e-9) / k),
    )
