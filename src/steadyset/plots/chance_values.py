"""The stability beside what random selection gives: how far it is from chance."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from steadyset.foundation.arguments import check_integer
from steadyset.foundation.errors import InputError
from steadyset.foundation.text import number
from steadyset.kernels.arrays import Floats
from steadyset.measures.chance import NullDistribution, chance_distribution
from steadyset.measures.evaluate import estimates
from steadyset.measures.options import MOST_DRAWS, Options
from steadyset.measures.record import Measure, get_family, get_measure
from steadyset.plots.catalogue import SELECTIONS, register_picture
from steadyset.plots.picture import MARKED, PALE, Picture
from steadyset.selections import RunsLike, Selections, as_selections

if TYPE_CHECKING:
    import pandas as pd

    from steadyset.similarity import FeatureSimilarity

COLUMNS = ("from", "to", "share", "observed")
MOST_BARS = 40
THINNEST = 1 / 120  # of the width of the plot
DRAWS, FEWEST_DRAWS = 2_000, 20
SELECTIONS_DRAWN = 6e7  # at most, where nobody says how many, so that a picture takes a second
PAIRS_DRAWN, PAIRS_A_DRAW = 2.5e8, 2.5e5  # the same for scores of pairs of runs, and what a draw costs besides


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
    import pandas as pd

    sel = as_selections(selections)
    record = get_measure(measure).with_params(measure_params)
    if n_draws is not None:
        check_integer("n_draws", n_draws, least=2, most=MOST_DRAWS)
    options = Options(n_draws=n_draws or _draws(sel, record), random_state=random_state, similarity=similarity)
    observed = estimates(sel, [record], options)[0]
    if np.isnan(observed.value):
        raise InputError(f"{record.name} is {observed.note}; there is nothing to hold against chance.")
    law = chance_distribution(sel, record, options)
    begin, end, shares = _bars(law, observed.value)
    data = pd.DataFrame({"from": begin, "to": end, "share": shares, "observed": observed.value})

    def draw(alt: Any, shown: pd.DataFrame) -> Any:
        return _drawn(alt, shown, record.name)

    return Picture(
        data[data["share"] > 0].reset_index(drop=True), draw, COLUMNS, _note(law, record, observed.value), seen=_seen
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


def _note(law: NullDistribution, measure: Measure, observed: float) -> str:
    towards = law.at_least if measure.higher_is_steadier else law.at_most
    p_value = towards(observed)
    way = (
        "Every value that two random selections of these sizes can have."
        if law.method == "exact"
        else f"{len(law.values):,} random collections with runs of the same sizes."
    )
    said = [
        f"Observed (line): {number(observed, 3)}. {way}",
        f"Chance gives a value at least as steady with probability {_probability(law, p_value)}.",
    ]
    undefined = int(np.isnan(law.values).sum())
    if undefined:
        said.append(f"{undefined:,} values are undefined and left out.")
    return " ".join(said)


def _probability(law: NullDistribution, p_value: float) -> str:
    least = 1 / (len(law.values) + 1)
    if law.method == "monte_carlo" and p_value <= least * (1 + 1e-9):
        return f"below {least:.1g}"
    return f"{p_value:.2g}"


def _drawn(alt: Any, data: pd.DataFrame, measure: str) -> Any:
    axis = alt.Axis(format="%", tickCount=5)
    values = alt.X("from:Q", scale=alt.Scale(zero=False, nice=False, padding=12), axis=alt.Axis(grid=False))
    bars = (
        alt.Chart(data)
        .mark_rect(color=PALE, stroke="white", strokeWidth=0.3)
        .encode(
            x=values.title(f"stability ({measure})"),
            x2="to:Q",
            y=alt.Y("share:Q", scale=alt.Scale(zero=True), title="share of random selections", axis=axis),
            y2=alt.datum(0),
            tooltip=[*(alt.Tooltip(name, format=".3f") for name in ("from", "to")), alt.Tooltip("share", format=".1%")],
        )
    )
    seen = alt.Chart(data.head(1)).encode(x="observed:Q")
    line = seen.mark_rule(color=MARKED, strokeWidth=2).encode(tooltip=[alt.Tooltip("observed", format=".3f")])
    return (bars + line).properties(width=420, height=200)


def _seen(data: pd.DataFrame) -> str:
    observed = data["observed"].iloc[0]
    side = "above" if observed > data["to"].max() else "below" if observed < data["from"].min() else "within"
    return (
        f"Chance gives values from {number(data['from'].min())} to {number(data['to'].max())}; the observed "
        f"{number(observed)} is {side} them."
    )


register_picture(
    "null_distribution",
    null_distribution,
    title="How far from chance",
    takes=SELECTIONS,
    caption="Bars: what random selection of as many features gives; line: what was observed.",
    report=False,
)
