"""How sure a stability is: how it settles as runs come in, and how far it is from chance."""

from __future__ import annotations

import textwrap
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from steadyset.findings import Findings
from steadyset.foundation.arguments import LEVEL, check_flag, check_integer, check_level, is_number, wrong_argument
from steadyset.foundation.errors import InputError
from steadyset.foundation.text import counted, listed, number, percent, span
from steadyset.inference.interval import convergence_table, outlook
from steadyset.inference.table import caution, cautions
from steadyset.kernels.arrays import Floats
from steadyset.measures.chance import NullDistribution, chance_distribution
from steadyset.measures.evaluate import MOST_DRAWS, Options, estimates
from steadyset.measures.record import Measure, get_family, get_measure
from steadyset.plots import picture as grammar
from steadyset.plots.catalogue import SELECTIONS, picture
from steadyset.plots.picture import Picture
from steadyset.selections import RunsLike, Selections, as_selections

if TYPE_CHECKING:
    import pandas as pd

    from steadyset.similarity import FeatureSimilarity

SETTLING_COLUMNS = "selector: text; n_runs: int; estimate low high: float; expected: bool"
WIDTH = 0.1  # of an interval that tells the verdicts of a scale apart
STEPS, STEPS_AHEAD = 30, 12  # points of a curve, and of what is expected
FEW = 8  # runs below which each has its tick
MANY, STEPS_OF_MANY = 1_000, 20  # runs from which on a curve has fewer points: each costs more
MOST_PANELS = 12
LETTERS = 68  # in a line above a panel
FAR = 100  # times as many runs are not drawn, but told


@picture(
    title="Whether there are enough runs",
    needs=("selections",),
    applies=lambda findings: not get_measure(findings.measure).needs,
    caption="The stability of the first runs, and how far more runs would narrow its interval.",
    place=82,
)
def convergence(
    selections: Selections | Mapping[str, Selections] | Findings,
    measure: str | Measure | None = None,
    *,
    width: float | None = WIDTH,
    shuffle: bool = False,
    random_state: int = 0,
    level: float | None = None,
    similarity: FeatureSimilarity | None = None,
    **measure_params: Any,
) -> Picture:
    """The stability of the first m runs with its interval, and the runs still needed for a narrow interval.

    The numbers are those of `convergence_table` and `runs_needed`. The band that is expected of more runs is pale; it
    is left out where `width` is None or needs more than a hundred times the runs.

    Parameters
    ----------
    selections : Selections, Mapping or Findings
        The runs, those of several selectors by name, or findings.
    measure : str, Measure or None, default=None
        The measure of stability; None is that of the findings, else nogueira.
    width : float or None, default=0.1
        How narrow the interval should become; None leaves the forecast out.
    shuffle : bool, default=False
        Whether the runs are dealt out at random, which shows how far the curve hangs on their order.
    random_state : int, default=0
        Seed of the shuffling and of what is simulated.
    level : float or None, default=None
        The confidence of the intervals; None is that of the findings, else 0.95.
    similarity : FeatureSimilarity or None, default=None
        Which features can stand in for each other, for the measures that need it.
    **measure_params : Any
        Parameters of the measure, such as ``alpha=1`` for davis.

    Returns
    -------
    Picture
        The frame that is shown (`data`) and its drawing, which `save` writes.

    Examples
    --------
    >>> import steadyset as st
    >>> genes = ["TP53", "KRAS", "EGFR", "MYC", "CDK1"]
    >>> runs = st.Selections.from_sets([["TP53", "KRAS"], ["TP53", "EGFR"]] * 10, features=genes)
    >>> picture = st.plot.convergence(runs, width=0.2)
    >>> picture.data[["n_runs", "estimate"]].round(2).to_dict("records")[0]
    {'n_runs': 2, 'estimate': 0.17}
    """
    check_flag("shuffle", shuffle)
    check_integer("random_state", random_state, least=0)
    if width is not None and not (is_number(width) and width > 0):
        raise wrong_argument("width", "a positive number or None", width)
    if isinstance(selections, Findings):
        measure, level = measure or selections.measure, level or selections.level
    level = LEVEL if level is None else level
    check_level(level)
    record = get_measure("nogueira" if measure is None else measure).with_params(measure_params)
    options = Options(similarity=similarity, random_state=random_state)
    several = grammar.runs_by_name(selections)
    rows, said = [], {}
    for name, sel in list(several.items())[:MOST_PANELS]:
        if shuffle:
            sel = sel.take(np.random.default_rng(random_state).permutation(sel.n_runs))
        so_far, ahead, said[name] = _curves(sel, record, options, level, width)
        rows += [(name, *row, False) for row in so_far] + [(name, *row, True) for row in ahead]
    names = grammar.distinct_names([*(name for name, *_ in rows), *said])

    def draw(alt: Any, shown: pd.DataFrame) -> Any:
        panels = [_panel(alt, shown, names[name], record.specification, words) for name, words in said.items()]
        return alt.concat(*panels, columns=2, spacing=28)

    note = grammar.noted(
        (True, f"Band: {percent(level)} interval; pale: what is expected of more runs."),
        (len(several) > MOST_PANELS, f"The first {MOST_PANELS} of {len(several)} selectors."),
        *((True, sentence) for sentence in cautions(caution(sel.labels) for sel in several.values())),
    )
    return grammar.pictured(rows, SETTLING_COLUMNS, draw, note, _settling_seen)


Row = tuple[int, float, float, float]


def _curves(
    sel: Selections, measure: Measure, options: Options, level: float, width: float | None
) -> tuple[list[Row], list[Row], str]:
    """The curve so far, what is expected from here on, and what the reader has to know of both."""
    M = sel.n_runs
    if M < 2:
        return [], [], f"It has {counted(M, 'run')}; a stability needs two"
    steps = sorted({round(m) for m in np.geomspace(2, M, STEPS if M <= MANY else STEPS_OF_MANY)})
    try:
        future, why = outlook(sel, measure, options, level), ""
    except InputError as error:
        future, why = None, str(error).rstrip(".")
    so_far: list[Row] = []
    if first := steps if future is None else steps[:-1]:
        settings: dict[str, Any] = {"similarity": options.similarity, "random_state": options.random_state}
        found = convergence_table(sel, measure, level=level, n_runs=first, **settings)
        so_far += found[["n_runs", "estimate", "low", "high"]].itertuples(index=False, name=None)
    if future is not None:
        so_far.append((M, future.spread.value, *future.ends(M)))
    _, estimate, low, high = so_far[-1]
    if np.isnan(estimate):
        return so_far, [], f"Undefined after {counted(M, 'run')}"
    now = f"{number(estimate)} ({span(low, high)}) after {counted(M, 'run')}"
    if width is None or future is None:
        return so_far, [], now if width is None else f"{now}; {why[:1].lower()}{why[1:]}"
    try:
        more = future.more_runs(width)
    except InputError:
        return so_far, [], f"{now}; no number of runs makes the interval narrower than {width:g}"
    if not more:
        return so_far, [], f"{now}; an interval of {width:g} needs no more runs"
    ahead = sorted({round(m) for m in np.geomspace(M, M + more, STEPS_AHEAD)}) if more <= FAR * M else []
    words = f"{now}; about {counted(more, 'more run')} for an interval of {width:g}"
    return so_far, [(m, future.spread.value, *future.ends(m)) for m in ahead], words


def _panel(alt: Any, data: pd.DataFrame, name: str, measure: str, words: str) -> Any:
    mine = data[data["selector"] == name]
    axis = alt.Axis(values=_ticks(int(mine["n_runs"].max()) if len(mine) else 2), format=",d", grid=False)
    runs = alt.X("n_runs:Q", scale=alt.Scale(type="log", nice=False), title="number of runs (log scale)", axis=axis)
    values = alt.Y("low:Q", scale=alt.Scale(zero=False), title=f"stability ({measure})")
    tooltip = grammar.tips(alt, "n_runs", estimate=".3f", low=".3f", high=".3f")
    layers = []
    seen, expected = mine[~mine["expected"]], mine[mine["expected"]]
    for part, shade, dash in ((seen, grammar.STEADY, [1, 0]), (expected, grammar.PALE, [4, 3])):
        base = alt.Chart(part)
        filled = base.mark_area(opacity=0.25) if len(part) > 1 else base.mark_rule(strokeWidth=6, opacity=0.25)
        layers += [
            filled.encode(color=grammar.fixed(alt, "Color", shade), x=runs, y=values, y2="high:Q"),
            base.mark_line(color=shade, strokeDash=dash).encode(x=runs, y="estimate:Q"),
        ]
    points = alt.Chart(seen).mark_point(color=grammar.STEADY, filled=True, size=18, opacity=1)
    last = alt.Chart(expected.tail(1)).mark_rule(color=grammar.MUTED, strokeDash=[3, 3]).encode(x=runs)
    layers += [points.encode(x=runs, y="estimate:Q", tooltip=tooltip), last]
    title = grammar.heading(alt, name, textwrap.wrap(words, LETTERS))
    return alt.layer(*layers, title=title).properties(width=320, height=200)


def _ticks(most: int) -> list[int]:
    """2, 5, 10, 20, 50 and so on; of few runs each number, for many 3, 10, 30, 100 and so on."""
    if most < FEW:
        return list(range(2, most + 1))
    digits = (1, 2, 5) if most <= MANY else (1, 3)
    steps = [digit * 10**power for power in range(len(str(most))) for digit in digits]
    return [step for step in steps if 2 <= step <= most]


def _settling_seen(data: pd.DataFrame) -> str:
    last = data[~data["expected"]].groupby("selector", sort=False).tail(1)
    told = [
        f"{f'{name}: ' if (name := row['selector']) else ''}{number(row['estimate'])} "
        f"({span(row['low'], row['high'])}) after {counted(row['n_runs'], 'run')}"
        for row in last.to_dict("records")
    ]
    return f"Stability of the first runs: {listed(told, 5)}."


CHANCE_COLUMNS = "from to share observed: float"
MOST_BARS = 40
THINNEST = 1 / 120  # of the width of the plot
DRAWS, FEWEST_DRAWS = 2_000, 20
SELECTIONS_DRAWN = 6e7  # at most, where nobody says how many, so that a picture takes a second
PAIRS_DRAWN, PAIRS_A_DRAW = 2.5e8, 2.5e5  # the same for scores of pairs of runs, and what a draw costs besides


@picture(
    title="How far from chance",
    takes=SELECTIONS,
    caption="Bars: what random selection of as many features gives; line: what was observed.",
    report=False,
)
def null_distribution(
    selections: RunsLike,
    measure: str | Measure = "nogueira",
    *,
    n_draws: int | None = None,
    random_state: int | None = 0,
    similarity: FeatureSimilarity | None = None,
    **measure_params: Any,
) -> Picture:
    """The values of a measure when every run selects as many features as it did at random, and the observed value.

    Exact for two runs. Else values of random collections. The bars hold the share of the values from `from` to `to`.

    Parameters
    ----------
    selections : Selections, array-like, Mapping or Findings
        The runs of one selector, or what `Selections.from_matrix` takes.
    measure : str or Measure, default="nogueira"
        Name or alias of a measure; `list_measures` shows them.
    n_draws : int or None, default=None
        How many random collections; None draws as many as take about a second, from 20 to 2,000.
    random_state : int or None, default=0
        Seed of the draws.
    similarity : FeatureSimilarity or None, default=None
        Which features can stand in for each other, for the measures that need it.
    **measure_params : Any
        Parameters of the measure, such as ``alpha=1`` for davis.

    Returns
    -------
    Picture
        The frame that is shown (`data`) and its drawing, which `save` writes.

    Examples
    --------
    >>> import steadyset as st
    >>> genes = ["TP53", "KRAS", "EGFR", "MYC", "CDK1"]
    >>> runs = st.Selections.from_sets([["TP53", "KRAS"], ["TP53", "EGFR"]], features=genes)
    >>> picture = st.plot.null_distribution(runs, "jaccard")
    >>> picture.data.round(2)
       from    to  share  observed
    0 -0.01  0.01    0.3      0.33
    1  0.32  0.35    0.6      0.33
    2  0.99  1.01    0.1      0.33
    """
    sel = as_selections(selections)
    record = get_measure(measure).with_params(measure_params)
    if n_draws is not None:
        check_integer("n_draws", n_draws, least=2, most=MOST_DRAWS)
    options = Options(n_draws=n_draws or _draws(sel, record), random_state=random_state, similarity=similarity)
    observed = estimates(sel, [record], options)[0]
    if np.isnan(observed.value):
        raise InputError(f"{record.name} is {observed.note}; there is nothing to hold against chance.")
    law = chance_distribution(sel, record, options)
    bars = zip(*_bars(law, observed.value), strict=True)
    rows = [(begin, end, share, observed.value) for begin, end, share in bars if share > 0]
    note = _chance_note(law, record, observed.value)
    return grammar.pictured(
        rows, CHANCE_COLUMNS, lambda alt, shown: _drawn(alt, shown, record.specification), note, _chance_seen
    )


def _draws(sel: Selections, measure: Measure) -> int:
    """As many draws as are quick."""
    if get_family(measure).over_pairs:
        quick = PAIRS_DRAWN / (PAIRS_A_DRAW + sel.n_runs**2)
    else:
        quick = SELECTIONS_DRAWN / (sel.n_runs + len(sel.indices))
    return int(np.clip(quick, FEWEST_DRAWS, DRAWS))


def _bars(law: NullDistribution, observed: float) -> tuple[Floats, Floats, Floats]:
    """Where bars begin and end, and the probability of each; few values have a bar each."""
    defined = ~np.isnan(law.values)
    values, weights = np.round(law.values[defined], 12), law.probabilities[defined]
    if not len(values):
        return np.empty(0), np.empty(0), np.empty(0)
    distinct, place = np.unique(values, return_inverse=True)
    low, high = distinct[0], distinct[-1]
    thinnest = THINNEST * (max(high, observed) - min(low, observed) or 1.0)
    gap = np.diff(distinct).min() if len(distinct) > 1 else 3 * thinnest
    if len(distinct) <= MOST_BARS and gap >= thinnest:
        half = min(0.8 * gap, 3 * thinnest) / 2
        return distinct - half, distinct + half, np.asarray(np.bincount(place.ravel(), weights), dtype=np.float64)
    n_bars = int(np.clip((high - low) / thinnest, 1, MOST_BARS))
    room = max(0.0, n_bars * thinnest - (high - low)) / 2  # so that the bars of a narrow distribution can be seen
    edges = np.linspace(low - room, high + room, n_bars + 1)
    shares, _ = np.histogram(values, bins=edges, weights=weights)
    return edges[:-1], edges[1:], np.asarray(shares, dtype=np.float64)


def _chance_note(law: NullDistribution, measure: Measure, observed: float) -> str:
    towards = law.at_least if measure.higher_is_steadier else law.at_most
    exact, undefined = law.method == "exact", int(np.isnan(law.values).sum())
    return grammar.noted(
        (True, f"Observed (line): {number(observed, 3)}."),
        (exact, "Every value that two random selections of these sizes can have."),
        (not exact, f"{len(law.values):,} random collections with runs of the same sizes."),
        (True, f"Chance gives a value at least as steady with probability {_probability(law, towards(observed))}."),
        (undefined, f"{undefined:,} values are undefined and left out."),
    )


def _probability(law: NullDistribution, p_value: float) -> str:
    least = 1 / (len(law.values) + 1)
    rare = law.method == "monte_carlo" and p_value <= least * (1 + 1e-9)
    return f"below {least:.1g}" if rare else f"{p_value:.2g}"


def _drawn(alt: Any, data: pd.DataFrame, measure: str) -> Any:
    axis = alt.Axis(format="%", tickCount=5)
    values = alt.X("from:Q", scale=alt.Scale(zero=False, nice=False, padding=12), axis=alt.Axis(grid=False))
    x = values.title(f"stability ({measure})")
    y = alt.Y("share:Q", scale=alt.Scale(zero=True), title="share of random selections", axis=axis)
    told = grammar.tips(alt, **{"from": ".3f", "to": ".3f", "share": ".1%"})
    bars = alt.Chart(data).mark_rect(color=grammar.PALE, stroke="white", strokeWidth=0.3)
    bars = bars.encode(x=x, x2="to:Q", y=y, y2=alt.datum(0), tooltip=told)
    seen = alt.Chart(data.head(1)).encode(x="observed:Q")
    line = seen.mark_rule(color=grammar.MARKED, strokeWidth=2).encode(tooltip=grammar.tips(alt, observed=".3f"))
    return (bars + line).properties(width=420, height=200)


def _chance_seen(data: pd.DataFrame) -> str:
    observed = data["observed"].iloc[0]
    side = "above" if observed > data["to"].max() else "below" if observed < data["from"].min() else "within"
    return (
        f"Chance gives values from {number(data['from'].min())} to {number(data['to'].max())}; the observed "
        f"{number(observed)} is {side} them."
    )
