"""Which procedures differ: all pairs tested and adjusted, with letters for groups that do not (`compare`)."""

from __future__ import annotations

import itertools
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from math import isnan
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
import numpy.typing as npt

from steadyset.foundation.arguments import check_flag, wrong_argument
from steadyset.foundation.conventions import LEVEL, check_level
from steadyset.foundation.display import MOST_ROWS, Bar, Display, ShownFindings, Table
from steadyset.foundation.errors import InputError
from steadyset.foundation.plot_hook import Drawable
from steadyset.foundation.text import counted, number, percent, span
from steadyset.inference.hypotheses import TestResult, difference_between
from steadyset.inference.interval import interval_of
from steadyset.inference.runs import check_features
from steadyset.inference.table import latex_table, markdown_table
from steadyset.inference.variance import Jackknife, jackknife
from steadyset.kernels.arrays import Floats
from steadyset.measures.options import Expectation, Options, Undefined
from steadyset.measures.record import Measure, get_measure
from steadyset.selections import HasSelections, RunsLike, Selections, as_selections, runs_by_procedure

if TYPE_CHECKING:
    import pandas as pd

    from steadyset.similarity import FeatureSimilarity


ESTIMATE = ("procedure", "estimate", "se", "low", "high", "n_runs", "group", "note")
TEST = ("statistic", "p_value", "p_adjusted", "paired", "note")
PAIR = ("first", "second", "difference", "se", "low", "high", *TEST)


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
        try:
            get_measure(self.measure)
        except InputError:
            return self._scores_shown()
        return super()._display()

    def _scores_shown(self) -> Display:
        name, value, interval, runs, group = self._header()
        rows = [
            (str(name), one.estimate, span(one.low, one.high, 3), Bar(one.estimate, one.low, one.high), *rest)
            for name, one in self.table.iterrows()
            for rest in [(int(one.n_runs), one.group)]
        ]
        left = len(rows) - MOST_ROWS
        more = f"{counted(left, 'more procedure')} below these." if left > 0 else ""
        table = Table((name, value, interval, "", runs, group), rows[:MOST_ROWS], more=more)
        adjusted = {"holm": "Holm", "bh": "Benjamini-Hochberg"}.get(self.adjust or "", "unadjusted")
        letters = f"{shared_letters('Procedures', self.level)} ({adjusted})."
        return Display("Comparison", self.measure, tables=[table], notes=[letters])

    def _header(self) -> list[str]:
        return ["procedure", self.measure, f"{percent(self.level)} interval", "runs", "group"]

    def _rows(self) -> list[list[str]]:
        ends = (self.table[name].astype(float) for name in ("estimate", "low", "high"))
        return [
            [str(name), number(value, 3), f"{number(low, 3)} to {number(high, 3)}", str(n_runs), str(group)]
            for name, value, low, high, n_runs, group in zip(
                self.table.index, *ends, self.table["n_runs"], self.table["group"], strict=True
            )
        ]


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
    check_adjustment(adjust)
    check_level(level)
    record = get_measure(measure).with_params(measure_params)
    options = Options(undefined, expectation, n_draws, random_state, similarity)
    runs: dict[str, Selections] = {str(name): as_selections(one) for name, one in procedures.items()}
    if len(runs) < len(procedures):
        raise InputError(f"procedures must have names that differ as text (got {list(procedures)!r}).")
    for one in runs.values():
        check_features(next(iter(runs.values())), one, record, paired)
    values = {name: jackknife(one, record, options) for name, one in runs.items()}
    pairs = _pairs(runs, values, options, paired, level)
    estimates = [_estimate(name, one, options, level) for name, one in values.items()]
    found = grouped(estimates, pairs, record.name, level, adjust, lower_is_better=not record.higher_is_steadier)
    return replace(found, tied={name: one.tied_share for name, one in runs.items() if one.tied_share is not None})


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
    table = tuple(_in_order({**one, "group": groups[one["procedure"]]}, ESTIMATE) for one in ordered)
    return Comparison(table, tuple(_in_order(test, PAIR) for test in tests), groups, measure, level, adjust)


def _in_order(row: dict[str, Any], keys: tuple[str, ...]) -> dict[str, Any]:
    return {key: row[key] for key in keys}


def _estimate(name: str, values: Jackknife, options: Options, level: float) -> dict[str, Any]:
    found = interval_of(values, options, level)
    return {
        "procedure": name,
        "estimate": found.estimate,
        "se": found.se,
        "low": found.low,
        "high": found.high,
        "n_runs": values.n_runs,
        "note": found.note,
    }


def _pairs(
    runs: Mapping[str, Selections],
    values: Mapping[str, Jackknife],
    options: Options,
    paired: bool | None,
    level: float,
) -> list[dict[str, Any]]:
    return [
        tested_pair(x, y, difference_between(runs[x], runs[y], values[x], values[y], options, paired, level=level))
        for x, y in itertools.combinations(runs, 2)
    ]


def tested_pair(first: str, second: str, found: TestResult) -> dict[str, Any]:
    """The row of a test of two procedures."""
    return {
        "first": first,
        "second": second,
        "difference": found.estimate,
        "se": found.se,
        "low": found.low,
        "high": found.high,
        "statistic": found.statistic,
        "p_value": found.p_value,
        "paired": found.paired,
        "note": found.note,
    }


Adjustment = Literal["holm", "bh"] | None
ALPHABET = "abcdefghijklmnopqrstuvwxyz"


def adjusted_p_values(p_values: npt.ArrayLike, adjust: Adjustment) -> Floats:
    """Holm's or Benjamini and Hochberg's adjusted p-values; undefined ones stay so and are not counted as tests."""
    check_adjustment(adjust)
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


def check_adjustment(adjust: object) -> None:
    """Refuse what is no way to adjust."""
    if not (adjust is None or (isinstance(adjust, str) and adjust in ("holm", "bh"))):
        raise wrong_argument("adjust", '"holm", "bh" or None', adjust)


def shared_letters(who: str, level: float) -> str:
    """What a shared letter says."""
    return f"{who} that share a letter show no significant difference at {percent(1 - level)}"


def compact_letters(names: Sequence[str], differ: Collection[frozenset[str]]) -> dict[str, str]:
    """Letters so that two names share one exactly when they do not differ; none of them can go.

    The first names get the first letters. Reference: Piepho 2004, insert, absorb and sweep.
    """
    columns: list[set[str]] = [set(names)]
    for pair in sorted(differ, key=lambda pair: sorted(map(names.index, pair))):
        split = [column - {name} if pair <= column else column for column in columns for name in _once(pair, column)]
        columns = [column for i, column in enumerate(split) if not _absorbed(column, i, split)]
    columns = _swept(columns, names)
    columns.sort(key=lambda column: sorted(map(names.index, column)))
    return {name: "".join(_letter(i) for i, column in enumerate(columns) if name in column) for name in names}


def _once(pair: frozenset[str], column: set[str]) -> list[str]:
    return sorted(pair) if pair <= column else [""]


def _absorbed(column: set[str], place: int, columns: Sequence[set[str]]) -> bool:
    return any(column < other or (column == other and i < place) for i, other in enumerate(columns))


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


def _letter(i: int) -> str:
    """a to z, then a1, b1, ..."""
    return ALPHABET[i % 26] + ("" if i < 26 else str(i // 26))
