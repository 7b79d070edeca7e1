"""Which procedures differ, in stability (`compare`) or in scores: all pairs tested, adjusted and grouped.

The scores of J resamples of one data set are not independent: their training rows overlap, and so do their test rows.
Nadeau and Bengio take the correlation between two of them as n_test / (n_train + n_test), which makes the variance of
their mean (1/J + n_test/n_train) s² instead of s²/J.

Reference: Nadeau and Bengio (2003), Inference for the generalization error, Machine Learning 52.
"""

from __future__ import annotations

import itertools
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property, partial
from math import inf, isnan, nan
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
import numpy.typing as npt
from scipy import special

from steadyset.foundation.arguments import LEVEL, check_choice, check_flag, check_level, wrong_argument
from steadyset.foundation.display import MOST_ROWS, Bar, Display, Drawable, ShownFindings, Table
from steadyset.foundation.errors import InputError
from steadyset.foundation.text import counted, number, percent, span
from steadyset.inference.hypotheses import TestResult, difference_between
from steadyset.inference.interval import interval_of, jackknife, t_quantile
from steadyset.inference.runs import check_features
from steadyset.inference.table import latex_table, markdown_table
from steadyset.kernels.arrays import Floats
from steadyset.measures.evaluate import Expectation, Options, Undefined
from steadyset.measures.record import MEASURES, Measure, get_measure
from steadyset.selections import HasSelections, RunsLike, Selections, as_selections, runs_by_procedure

if TYPE_CHECKING:
    import pandas as pd

    from steadyset.similarity import FeatureSimilarity


@dataclass(frozen=True, repr=False)
class Comparison(ShownFindings, Drawable):
    """What `compare` found.

    Attributes
    ----------
    estimates : tuple of dict
        One per procedure, the steadiest first: procedure, estimate, se, low, high, n_runs, group, note.
    pairs : tuple of dict
        One per pair: first, second, difference (second minus first), se, low, high, statistic, p_value, p_adjusted,
        paired, note.
    table : pandas.DataFrame
        The estimates, by procedure.
    tests : pandas.DataFrame
        The pairs.
    groups : dict
        The letters of each procedure; those that share a letter show no significant difference.
    measure : str
        The measure that was compared.
    level : float
        The confidence.
    adjust : str or None
        How the p-values were adjusted.
    tied : dict
        The share of the selected features that the order of the columns decided, of procedures that know their ties.

    Examples
    --------
    >>> import steadyset as st
    >>> found = st.compare({
    ...     "t-test": st.Selections.from_sets([[0, 1], [0, 1], [0, 2], [0, 1]], n_features=12),
    ...     "forest": st.Selections.from_sets([[0, 1], [4, 1], [0, 3], [5, 1]], n_features=12),
    ... })
    >>> found.groups
    {'t-test': 'a', 'forest': 'a'}
    """

    estimates: tuple[dict[str, Any], ...]
    pairs: tuple[dict[str, Any], ...]
    groups: dict[str, str]
    measure: str
    level: float
    adjust: str | None
    tied: dict[str, float] = field(default_factory=dict)

    @cached_property
    def table(self) -> pd.DataFrame:
        """The estimates, by procedure."""
        import pandas as pd

        return pd.DataFrame(self.estimates).set_index("procedure")

    @cached_property
    def tests(self) -> pd.DataFrame:
        """The pairs."""
        import pandas as pd

        return pd.DataFrame(self.pairs)

    def to_markdown(self) -> str:
        """The table in Markdown.

        Returns
        -------
        str
            The procedures with their estimates, intervals, runs and groups.
        """
        return markdown_table(self._header(), self._rows())

    def to_latex(self) -> str:
        """The table in LaTeX, with booktabs; names are escaped.

        Returns
        -------
        str
            The procedures with their estimates, intervals, runs and groups.
        """
        return latex_table(self._header(), self._rows())

    def __repr__(self) -> str:
        return f"Comparison({', '.join(str(row['procedure']) for row in self.estimates)}; {self.measure})"

    def _display(self) -> Display:
        """What is shown: the findings; of scores, which have none, the estimates."""
        if MEASURES.knows(self.measure):
            return super()._display()
        name, value, interval, runs, group = self._header()
        rows = []
        for one in self.estimates:
            found, low, high = one["estimate"], one["low"], one["high"]
            shown = (one["procedure"], found, span(low, high, 3), Bar(found, low, high), one["n_runs"], one["group"])
            rows.append(shown)
        left = len(rows) - MOST_ROWS
        more = f"{counted(left, 'more procedure')} below these." if left > 0 else ""
        table = Table((name, value, interval, "", runs, group), rows[:MOST_ROWS], more=more)
        adjusted = {"holm": "Holm", "bh": "Benjamini-Hochberg"}.get(self.adjust or "", "unadjusted")
        letters = f"{shared_letters('Procedures', self.level)} ({adjusted})."
        return Display("Comparison", self.measure, tables=[table], notes=[letters])

    def _header(self) -> list[str]:
        return ["procedure", self.measure, f"{percent(self.level)} interval", "runs", "group"]

    def _rows(self) -> list[list[str]]:
        shown = []
        for one in self.estimates:
            value, low, high = (number(one[name], 3) for name in ("estimate", "low", "high"))
            shown.append([one["procedure"], value, f"{low} to {high}", str(one["n_runs"]), one["group"]])
        return shown


def compare(
    procedures: Mapping[str, RunsLike] | HasSelections,
    measure: str | Measure = "nogueira",
    *,
    paired: bool | None = None,
    adjust: Adjustment = "holm",
    level: float = LEVEL,
    similarity: FeatureSimilarity | None = None,
    undefined: Undefined = "nan",
    expectation: Expectation = "auto",
    n_draws: int = 10_000,
    random_state: int | None = None,
    **measure_params: Any,
) -> Comparison:
    """Compare the stability of procedures, all pairs at once.

    Parameters
    ----------
    procedures : Mapping or Assessment
        The runs of each procedure by its name: ``{"lasso": selections, "jmi": selections}``. Of an Assessment the
        selectors with two runs or more are compared.
    measure : str or Measure, default="nogueira"
        Name or alias of a measure; `list_measures` shows them.
    paired : bool or None, default=None
        Whether the runs were on the same resamples. None decides by the run labels of each pair. With False the
        procedures may choose from different features, as in `test_difference`.
    adjust : {"holm", "bh"} or None, default="holm"
        How the p-values are adjusted for the number of tests: "holm" (no false difference in all with probability
        `level`), "bh" (Benjamini-Hochberg: few false ones among those found) or None.
    level : float, default=0.95
        The confidence of the intervals, and of the differences that count as significant.
    similarity : FeatureSimilarity or None, default=None
        Which features can stand in for each other, for the measures that need it.
    undefined : {"nan", "raise", "paper"} or float, default="nan"
        How undefined pairs of runs are treated: "nan" makes the value undefined, "raise" raises an error, a number
        stands for each of them, and "paper" takes the value that the source of the measure states, such as 0 for
        kuncheva of empty sets; it is the same as "nan" for measures whose source states none.
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
    Comparison
        The estimates, the tests, and which procedures show no significant difference.

    Examples
    --------
    >>> import steadyset as st
    >>> steady = st.Selections.from_sets([[0, 1]] * 6 + [[0, 2], [0, 3]], n_features=8)
    >>> shaky = st.Selections.from_sets([[0, 3], [4, 1], [5, 6], [0, 7], [2, 6], [0, 5], [1, 2], [3, 7]], n_features=8)
    >>> print(st.compare({"steady": steady, "shaky": shaky}).to_markdown())
    | procedure | nogueira | 95% interval    | runs | group |
    |-----------|---------:|-----------------|-----:|-------|
    | steady    |    0.690 | 0.000 to 0.921  |    8 | a     |
    | shaky     |   -0.119 | -0.119 to 0.010 |    8 | b     |
    """
    assessed = runs_by_procedure(procedures)
    if assessed is not None:
        procedures = {name: sel for name, sel in assessed.items() if sel.n_runs > 1}
        if len(procedures) < 2:
            raise InputError("Comparing needs two selectors with two runs or more; fewer made a selection.")
    if not isinstance(procedures, Mapping):
        raise wrong_argument("procedures", 'like {"lasso": selections, ...}, or an Assessment', procedures)
    if len(procedures) < 2:
        raise InputError(f"procedures must hold at least two to compare (got {len(procedures)}).")
    check_flag("paired", paired, or_none=True)
    check_choice("adjust", adjust, ("holm", "bh"), or_none=True)
    check_level(level)
    record = get_measure(measure).with_params(measure_params)
    options = Options(undefined, expectation, n_draws, random_state, similarity)
    runs: dict[str, Selections] = {str(name): as_selections(one) for name, one in procedures.items()}
    if len(runs) < len(procedures):
        raise InputError(f"procedures must have names that differ as text (got {list(procedures)!r}).")
    for one in runs.values():
        check_features(next(iter(runs.values())), one, record, paired)
    values = {name: jackknife(one, record, options) for name, one in runs.items()}
    pairs = [
        tested_pair(x, y, difference_between(runs[x], runs[y], values[x], values[y], options, paired, level=level))
        for x, y in itertools.combinations(runs, 2)
    ]
    estimates = []
    for name, spread in values.items():
        found = interval_of(spread, options, level)
        estimates.append(_estimate(name, found.estimate, found.se, found.low, found.high, spread.n_runs, found.note))
    whole = grouped(
        estimates, pairs, record.specification, level, adjust, lower_is_better=not record.higher_is_steadier
    )
    return replace(whole, tied={name: one.tied_share for name, one in runs.items() if one.tied_share is not None})


def grouped(
    estimates: list[dict[str, Any]],
    pairs: list[dict[str, Any]],
    measure: str,
    level: float,
    adjust: Adjustment,
    *,
    lower_is_better: bool,
) -> Comparison:
    """The best estimate first; p-values adjusted, and the letters of those without a significant difference."""
    adjusted = adjusted_p_values(np.array([pair["p_value"] for pair in pairs]), adjust)
    tests = [{**pair, "p_adjusted": p} for pair, p in zip(pairs, adjusted.tolist(), strict=True)]
    differ = {frozenset((test["first"], test["second"])) for test in tests if test["p_adjusted"] <= 1 - level}
    known = [one for one in estimates if not isnan(one["estimate"])]
    known.sort(key=lambda one: one["estimate"] if lower_is_better else -one["estimate"])
    ordered = [*known, *(one for one in estimates if isnan(one["estimate"]))]
    letters = compact_letters([one["procedure"] for one in known], differ)
    groups = {one["procedure"]: letters.get(one["procedure"], "") for one in ordered}
    table = tuple({**one, "group": groups[one["procedure"]]} for one in ordered)
    return Comparison(table, tuple(tests), groups, measure, level, adjust)


ESTIMATE = ("procedure", "estimate", "se", "low", "high", "n_runs", "group", "note")


def _estimate(
    procedure: str, estimate: float, se: float, low: float, high: float, n_runs: int, note: str = ""
) -> dict[str, Any]:
    """The row of a procedure, whose group is known once all are compared."""
    return dict(zip(ESTIMATE, (procedure, estimate, se, low, high, n_runs, "", note), strict=True))


def tested_pair(first: str, second: str, found: TestResult) -> dict[str, Any]:
    """The row of a test of two procedures."""
    return {
        "first": first,
        "second": second,
        "difference": found.estimate,
        **{name: getattr(found, name) for name in ("se", "low", "high", "statistic", "p_value")},
        "p_adjusted": nan,
        "paired": found.paired,
        "note": found.note,
    }


Adjustment = Literal["holm", "bh"] | None
ALPHABET = "abcdefghijklmnopqrstuvwxyz"


def adjusted_p_values(p_values: npt.ArrayLike, adjust: Adjustment) -> Floats:
    """Holm's or Benjamini and Hochberg's adjusted p-values; undefined ones stay so and are not counted as tests."""
    check_choice("adjust", adjust, ("holm", "bh"), or_none=True)
    p = np.array(p_values, dtype=np.float64)
    known = np.flatnonzero(~np.isnan(p))
    if adjust is None or known.size == 0:
        return p
    if adjust == "bh":
        from scipy.stats import false_discovery_control  # a quarter of a second that most comparisons do not need

        p[known] = false_discovery_control(p[known], method="bh")
        return p
    order = known[np.argsort(p[known], kind="stable")]
    p[order] = np.minimum(1.0, np.maximum.accumulate(np.arange(len(order), 0, -1) * p[order]))
    return p


def shared_letters(who: str, level: float) -> str:
    """What a shared letter says."""
    return f"{who} that share a letter show no significant difference at {percent(1 - level)}"


def compact_letters(names: Sequence[str], differ: Collection[frozenset[str]]) -> dict[str, str]:
    """Letters so that two names share one exactly when they do not differ; none of them can go.

    The first names get the first letters. Reference: Piepho 2004, insert, absorb and sweep.
    """
    columns: list[set[str]] = [set(names)]
    for pair in sorted(differ, key=lambda pair: sorted(map(names.index, pair))):
        split: list[set[str]] = []
        for column in columns:
            split += [column - {name} for name in sorted(pair)] if pair <= column else [column]
        columns = []
        for i, column in enumerate(split):  # a column within another one, or equal to one before it, says nothing
            if not any(column < other or (column == other and j < i) for j, other in enumerate(split)):
                columns.append(column)
    columns = _swept(columns, names)
    columns.sort(key=lambda column: sorted(map(names.index, column)))
    letters = [ALPHABET[i % 26] + ("" if i < 26 else str(i // 26)) for i in range(len(columns))]  # a to z, a1, b1, ...
    return {name: "".join(x for x, column in zip(letters, columns, strict=True) if name in column) for name in names}


def _swept(columns: Sequence[set[str]], names: Sequence[str]) -> list[set[str]]:
    """The columns that are needed, without the members that connect nobody whom another column does not connect too.

    Small columns go first. What is taken out makes the rest more needed, never less, so nothing is left to take out.
    """
    kept = sorted(columns, key=len)
    for column in list(kept):
        others = [other for other in kept if other is not column]
        if all(any({x, y} <= other for other in others) for x in column for y in column):
            kept = others
    for column in kept:
        for name in reversed([name for name in names if name in column]):
            beside = [other for other in kept if other is not column and name in other]
            if column <= set().union(*beside):
                column.remove(name)
    return kept


CONSTANT = "the difference is the same in every run, so that no test can tell how sure it is"


def corrected_error(values: npt.ArrayLike, test_ratio: float) -> float:
    """The standard error of a mean over resamples: sqrt((1/J + test_ratio) s²); undefined below two values.

    `test_ratio` is the number of test rows for each training row.
    """
    known = _known(values)
    return float(np.sqrt((1 / len(known) + test_ratio) * known.var(ddof=1))) if len(known) > 1 else float("nan")


FEW_ROWS = 12  # of the rarest class, from which on the scores of runs behave like scores of many rows
PSEUDO_ROWS = 4  # which have the middle of the scale, as in the interval of Agresti and Coull (1998)
NO_SPREAD = "the same in every run: tested with the spread that so few left-out rows could have hidden"


@dataclass(frozen=True)
class HiddenSpread:
    """What a score can vary by although the runs do not show it.

    The score has `ends`; a run tests `n_tested` rows, and all runs together at most `n_rows`. `n_rare` and
    `n_units` are the rows that decide its value, if these are few.

    All values of a predictor that is always right are 1, and no test can be made of them. But such a score is a mean
    over the left-out rows, and one of n values between a and b with the mean m has a variance of at most
    (b - m)(m - a) / n (Bhatia and Davis 2000). m is moved to the middle by four rows, since n rows without an error
    do not show that there are none. Predictors that are compared are right about the same rows, if anything, so that
    the variances of both added up are not too small.

    A score that needs left-out rows of every class depends on few rows if a class has few (`n_rare`): of two such rows
    one is trained with and the other left out in every run that has a score, and twenty runs repeat these two cases.
    Their spread has at most as many degrees of freedom as such rows, less one (`n_units`, which also counts groups),
    and their overlap is that of these rows. Without both, up to a fifth of the selectors on noise predict significantly
    better than no features.
    """

    ends: tuple[float, float] = (nan, nan)
    n_tested: float = nan
    n_rows: float = nan
    n_rare: float = inf
    n_units: float = inf

    def largest_difference(self, n_runs: int, level: float) -> float:
        """Return the largest difference of two scores that are equal wherever they were computed; 0 without ends.

        If a share p of all rows had different predictions, none of n rows has with probability (1 - p)^n. The largest
        p that is not refuted is 1 - (1 - level)^(1 / n), some 3 / n at 95% (Hanley and Lippman-Hand 1983).
        """
        lowest, highest = self.ends
        n_rows = min(self.n_rows, n_runs * self.n_tested)
        if not np.isfinite([lowest, highest]).all() or not n_rows > 0:
            return 0.0
        return float((highest - lowest) * (1 - (1 - level) ** (1 / n_rows)))

    def ratio(self, test_ratio: float) -> float:
        """Return the expected number of left-out rows of the rarest class for each training row of it.

        It is that of all rows from `FEW_ROWS` rows on. Runs that leave out none or all of them have no score.
        """
        if not (2 <= self.n_rare < FEW_ROWS and test_ratio > 0):
            return test_ratio
        share = test_ratio / (1 + test_ratio)
        n_tested = np.arange(1, self.n_rare)
        n_trained = self.n_rare - n_tested
        probability = special.binom(self.n_rare, n_tested) * share**n_tested * (1 - share) ** n_trained
        return max(test_ratio, float((probability * n_tested / n_trained).sum() / probability.sum()))

    def freedom(self, n_values: int) -> int:
        """Return the degrees of freedom of the spread of this many values."""
        n_units = self.n_units if self.n_units < FEW_ROWS else inf
        return max(1, int(min(n_values, n_units)) - 1)

    def interval(self, values: npt.ArrayLike, test_ratio: float, level: float = LEVEL) -> tuple[float, float]:
        """Return the interval of the mean of a score over runs, within its ends; nan if fewer than two are known."""
        known = _known(values)
        if len(known) < 2:
            return nan, nan
        margin = t_quantile(level, self.freedom(len(known))) * self.error(known, test_ratio)
        least, most = self.ends
        mean = float(known.mean())
        return float(np.fmax(least, mean - margin)), float(np.fmin(most, mean + margin))

    def of_difference(self, first: float, second: float) -> float:
        """Return the standard deviation of a difference of two scores with these means; nan for scores without ends."""
        return float(np.sqrt(self._variance(first) + self._variance(second)))

    def error(self, values: npt.ArrayLike, test_ratio: float) -> float:
        """Return the corrected standard error of a mean over resamples, also of values that are all the same."""
        known = _known(values)
        test_ratio = self.ratio(test_ratio)
        seen = corrected_error(known, test_ratio)
        if isnan(seen) or seen > 1e-12 * max(1e-300, float(np.abs(known).max())):  # beyond rounding
            return seen
        hidden = float(np.sqrt((1 / len(known) + test_ratio) * self._variance(float(known.mean()))))
        return 0.0 if isnan(hidden) else hidden

    def _variance(self, mean: float) -> float:
        least, most = self.ends
        if not np.isfinite([least, most]).all() or not self.n_tested > 0:
            return nan
        middle = (least + most) / 2
        moved = (mean * self.n_tested + middle * PSEUDO_ROWS) / (self.n_tested + PSEUDO_ROWS)
        return (most - moved) * (moved - least) / self.n_tested


def test_mean_difference(
    first: npt.ArrayLike,
    second: npt.ArrayLike,
    test_ratio: float,
    *,
    level: float = LEVEL,
    hidden: HiddenSpread | None = None,
) -> TestResult:
    """Test the mean of second - first, paired by place, by the corrected resampled t-test.

    It has J - 1 degrees of freedom. `hidden` has the spread to test with if the difference is the same in every run,
    without which there is no test, and the rows that decide the scores if these are few.
    """
    pairs = np.asarray(first, dtype=np.float64), np.asarray(second, dtype=np.float64)
    differences = _known(pairs[1] - pairs[0])
    J = len(differences)
    result = partial(TestResult, method="corrected t", paired=True)
    if J < 2:
        note = f"paired scores are known in {J} run{'' if J == 1 else 's'} only"
        return result(nan, nan, float(differences.mean()) if J else nan, nan, nan, note=note)
    test_ratio = test_ratio if hidden is None else hidden.ratio(test_ratio)
    df = float(J - 1 if hidden is None else hidden.freedom(J))
    mean, se = float(differences.mean()), corrected_error(differences, test_ratio)
    note = ""
    if se <= 1e-12 * max(1e-300, float(np.abs(differences).max())):
        both = np.isfinite(pairs[0]) & np.isfinite(pairs[1])
        if not mean:
            # Equal scores that vary from run to run are those of equal predictions. Two that are always right may
            # differ in rows that no run has tested.
            is_constant = np.ptp(pairs[0][both]) <= 1e-12
            margin = hidden.largest_difference(J, level) if is_constant and hidden is not None else 0.0
            return result(0.0, 1.0, 0.0, 0.0, df, -margin, margin)
        spread = nan if hidden is None else hidden.of_difference(*(float(one[both].mean()) for one in pairs))
        if isnan(spread):
            return result(nan, nan, mean, nan, nan, note=CONSTANT)
        se, note = float(np.sqrt(1 / J + test_ratio)) * spread, NO_SPREAD
    statistic, margin = mean / se, t_quantile(level, df) * se
    p = float(2 * special.stdtr(df, -abs(statistic)))
    return result(statistic, p, mean, se, df, mean - margin, mean + margin, note=note)


@dataclass(frozen=True)
class LossInterval:
    """How much worse than the best procedure one may be; `against` is the one that sets `high`, `half` its half-width.

    `low` is above 0 only where another procedure is better beyond doubt, and `high` is 0 where all others are worse.
    """

    estimate: float
    low: float
    high: float
    against: str = ""
    half: float = 0.0


def losses_against_best(
    scores: Mapping[str, Mapping[str, float]],
    test_ratio: float,
    *,
    lower_is_better: bool = False,
    level: float = LEVEL,
    hidden: HiddenSpread | None = None,
) -> dict[str, LossInterval]:
    """Intervals of what each procedure loses against the best one, which hold for all procedures at once.

    Nobody knows which procedure is the best; the one with the best mean was found by looking. The intervals of Edwards
    and Hsu hold whichever it is: of the k - 1 differences between it and the others each is covered with 1 - (1 -
    level) / (k - 1), by the corrected resampled t interval. Where it is covered, the best procedure is among those that
    no other beats, and the loss is at most the largest upper end against these.

    Reference: Edwards and Hsu (1983), Multiple comparisons with the best treatment, Journal of the American Statistical
    Association 78.
    """
    check_level(level)
    each = 1 - (1 - level) / max(1, len(scores) - 1)
    gaps = {}  # how much better the other is
    for one, other in itertools.permutations(scores, 2):
        pair = _on_shared_resamples(scores, other, one) if lower_is_better else _on_shared_resamples(scores, one, other)
        gaps[one, other] = test_mean_difference(*pair, test_ratio, level=each, hidden=hidden)
    unbeaten = [one for one in scores if not any(gaps[one, other].low > 0 for other in scores if other != one)]
    could_be_best = unbeaten or list(scores)  # pairs that share few runs may beat each other in a circle
    return {one: _loss({other: gaps[one, other] for other in could_be_best if other != one}) for one in scores}


def _loss(gaps: Mapping[str, TestResult]) -> LossInterval:
    """From how much better each procedure that could be the best is."""
    if not gaps:  # nobody else can be the best
        return LossInterval(0.0, 0.0, 0.0)
    against = max(gaps, key=lambda other: float("inf") if isnan(gaps[other].high) else gaps[other].high)
    found = gaps[against]
    low = min(0.0 if isnan(gap.low) else max(0.0, gap.low) for gap in gaps.values())
    high = found.high if isnan(found.high) else max(0.0, found.high)
    estimate = max(0.0, *(gap.estimate for gap in gaps.values()))
    return LossInterval(estimate, low, high, against, found.high - found.estimate)


def compare_scores(
    scores: Mapping[str, Mapping[str, float]],
    test_ratio: float,
    *,
    name: str = "score",
    lower_is_better: bool = False,
    adjust: Adjustment = "holm",
    level: float = LEVEL,
    hidden: HiddenSpread | None = None,
) -> Comparison:
    """Which procedures predict differently: {"lasso": {label of the resample: score, ...}, ...}.

    All pairs are tested on the resamples that both have. The table's intervals are mean ± t se with the corrected se,
    within the ends of the score.
    """
    check_level(level)
    spread = HiddenSpread() if hidden is None else hidden
    pairs = []
    for x, y in itertools.combinations(scores, 2):
        both = _on_shared_resamples(scores, x, y)
        pairs.append(tested_pair(x, y, test_mean_difference(*both, test_ratio, level=level, hidden=hidden)))
    estimates = []
    for who, one in scores.items():
        known = _known(list(one.values()))
        mean = float(known.mean()) if len(known) else nan
        low, high = spread.interval(known, test_ratio, level)
        estimates.append(_estimate(who, mean, spread.error(known, test_ratio), low, high, len(known)))
    return grouped(estimates, pairs, name, level, adjust, lower_is_better=lower_is_better)


def _on_shared_resamples(
    scores: Mapping[str, Mapping[str, float]], first: str, second: str
) -> tuple[list[float], list[float]]:
    """The scores of two procedures, place by place on the same resample."""
    shared = [label for label in scores[first] if label in scores[second]]
    return [scores[first][label] for label in shared], [scores[second][label] for label in shared]


def _known(values: npt.ArrayLike) -> Floats:
    every = np.asarray(values, dtype=np.float64)
    return every[np.isfinite(every)]


test_mean_difference.__test__ = False  # type: ignore[attr-defined]
