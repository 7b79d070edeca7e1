"""How the stability settles as runs come in, and how many more runs a narrower interval needs."""

from __future__ import annotations

import textwrap
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from steadyset.findings import Findings
from steadyset.foundation.arguments import check_flag, check_integer, is_number, wrong_argument
from steadyset.foundation.conventions import LEVEL, check_level
from steadyset.foundation.errors import InputError
from steadyset.foundation.text import counted, listed, number, percent, span
from steadyset.inference.caution import caution, cautions
from steadyset.inference.planning import Outlook, convergence_table, outlook
from steadyset.measures.options import Options
from steadyset.measures.record import Measure, get_measure
from steadyset.plots.catalogue import register_picture
from steadyset.plots.picture import MUTED, PALE, STEADY, Picture, distinct_names, heading
from steadyset.selections import Selections, as_selections

if TYPE_CHECKING:
    import pandas as pd

    from steadyset.similarity import FeatureSimilarity

COLUMNS = ("selector", "n_runs", "estimate", "low", "high", "expected")
WIDTH = 0.1  # of an interval that tells the verdicts of a scale apart
STEPS, STEPS_AHEAD = 30, 12  # points of a curve, and of what is expected
FEW = 8  # runs below which each has its tick
MANY, STEPS_OF_MANY = 1_000, 20  # runs from which on a curve has fewer points: each costs more
MOST_PANELS = 12
LETTERS = 68  # in a line above a panel
FAR = 100  # times as many runs are not drawn, but told


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
    import pandas as pd

    check_flag("shuffle", shuffle)
    check_integer("random_state", random_state, least=0)
    if width is not None and not (is_number(width) and width > 0):
        raise wrong_argument("width", "a positive number or None", width)
    if isinstance(selections, Findings):
        measure, level = measure or selections.measure, level or selections.level
        selections = selections.selections
    level = LEVEL if level is None else level
    check_level(level)
    record = get_measure("nogueira" if measure is None else measure).with_params(measure_params)
    options = Options(similarity=similarity, random_state=random_state)
    given = selections if isinstance(selections, Mapping) else {"": selections}
    several = {str(name): as_selections(one) for name, one in given.items()}
    rows, said = [], {}
    for name, sel in list(several.items())[:MOST_PANELS]:
        if shuffle:
            sel = sel.take(np.random.default_rng(random_state).permutation(sel.n_runs))
        so_far, ahead, said[name] = _curves(sel, record, options, level, width)
        rows += [(name, *row, False) for row in so_far] + [(name, *row, True) for row in ahead]
    kinds = {"n_runs": int, "estimate": float, "low": float, "high": float, "expected": bool}
    data = pd.DataFrame(rows, columns=list(COLUMNS), dtype=object).astype(kinds)
    names = distinct_names([*data["selector"], *said])

    def draw(alt: Any, shown: pd.DataFrame) -> Any:
        panels = [_panel(alt, shown, names[name], record.name, words) for name, words in said.items()]
        return alt.concat(*panels, columns=2, spacing=28)

    return Picture(data, draw, COLUMNS, _note(level, several), seen=_seen)


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
    so_far = _so_far(sel, measure, options, level, steps if future is None else steps[:-1])
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
    words = f"{now}; about {counted(more, 'more run')} for an interval of {width:g}"
    return so_far, _expected(future, more) if more <= FAR * M else [], words


def _so_far(sel: Selections, measure: Measure, options: Options, level: float, steps: list[int]) -> list[Row]:
    if not steps:
        return []
    settings: dict[str, Any] = {"similarity": options.similarity, "random_state": options.random_state}
    found = convergence_table(sel, measure, level=level, n_runs=steps, **settings)
    return [*found[["n_runs", "estimate", "low", "high"]].itertuples(index=False, name=None)]


def _expected(future: Outlook, more: int) -> list[Row]:
    now = future.spread.n_runs
    steps = sorted({round(m) for m in np.geomspace(now, now + more, STEPS_AHEAD)})
    return [(m, future.spread.value, *future.ends(m)) for m in steps]


def _note(level: float, several: Mapping[str, Selections]) -> str:
    said = [f"Band: {percent(level)} interval; pale: what is expected of more runs."]
    if len(several) > MOST_PANELS:
        said.append(f"The first {MOST_PANELS} of {len(several)} selectors.")
    said += cautions(caution(sel.labels) for sel in several.values())
    return " ".join(said)


def _panel(alt: Any, data: pd.DataFrame, name: str, measure: str, words: str) -> Any:
    mine = data[data["selector"] == name]
    axis = alt.Axis(values=_ticks(int(mine["n_runs"].max()) if len(mine) else 2), format=",d", grid=False)
    runs = alt.X("n_runs:Q", scale=alt.Scale(type="log", nice=False), title="number of runs (log scale)", axis=axis)
    values = alt.Y("low:Q", scale=alt.Scale(zero=False), title=f"stability ({measure})")
    tooltip = ["n_runs", *(alt.Tooltip(column, format=".3f") for column in ("estimate", "low", "high"))]
    layers = []
    for part, shade, dash in ((mine[~mine["expected"]], STEADY, [1, 0]), (mine[mine["expected"]], PALE, [4, 3])):
        band = {"x": runs, "y": values, "y2": "high:Q"}
        base = alt.Chart(part)
        filled = base.mark_area(opacity=0.25) if len(part) > 1 else base.mark_rule(strokeWidth=6, opacity=0.25)
        layers += [
            filled.encode(color=alt.value(shade), **band),
            base.mark_line(color=shade, strokeDash=dash).encode(x=runs, y="estimate:Q"),
        ]
    points = alt.Chart(mine[~mine["expected"]]).mark_point(color=STEADY, filled=True, size=18, opacity=1)
    last = alt.Chart(mine[mine["expected"]].tail(1)).mark_rule(color=MUTED, strokeDash=[3, 3]).encode(x=runs)
    layers += [points.encode(x=runs, y="estimate:Q", tooltip=tooltip), last]
    title = heading(alt, name, textwrap.wrap(words, LETTERS))
    return alt.layer(*layers, title=title).properties(width=320, height=200)


def _ticks(most: int) -> list[int]:
    """2, 5, 10, 20, 50 and so on; of few runs each number, for many 3, 10, 30, 100 and so on."""
    if most < FEW:
        return list(range(2, most + 1))
    digits = (1, 2, 5) if most <= MANY else (1, 3)
    steps = [digit * 10**power for power in range(len(str(most))) for digit in digits]
    return [step for step in steps if 2 <= step <= most]


def _seen(data: pd.DataFrame) -> str:
    last = data[~data["expected"]].groupby("selector", sort=False).tail(1)
    told = [
        f"{f'{name}: ' if (name := row['selector']) else ''}{number(row['estimate'])} "
        f"({span(row['low'], row['high'])}) after {counted(row['n_runs'], 'run')}"
        for row in last.to_dict("records")
    ]
    return f"Stability of the first runs: {listed(told, 5)}."


register_picture(
    "convergence",
    convergence,
    title="Whether there are enough runs",
    needs=("selections",),
    applies=lambda findings: not get_measure(findings.measure).needs,
    caption="The stability of the first runs, and how far more runs would narrow its interval.",
)
