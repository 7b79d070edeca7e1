"""Which selectors differ: values with intervals, and the groups without a significant difference."""

from __future__ import annotations

from collections.abc import Mapping
from math import isnan, nan
from typing import TYPE_CHECKING, Any, NamedTuple

from steadyset.assessment import Assessment
from steadyset.findings import Findings, findings_of
from steadyset.findings.parts import STABILITY
from steadyset.foundation.arguments import check_choice, check_integer
from steadyset.foundation.errors import InputError
from steadyset.foundation.text import counted, number, percent
from steadyset.inference.comparison import Comparison, compare, shared_letters
from steadyset.inference.variance import t_quantile
from steadyset.measures.options import CONVENTION, EXCELLENT, POOR
from steadyset.measures.record import get_measure
from steadyset.plots.catalogue import register_picture
from steadyset.plots.picture import INK, MUTED, STEADY, Picture, names
from steadyset.runner.scoring import lower_is_better

if TYPE_CHECKING:
    import pandas as pd

    from steadyset.findings.parts import ResultLike

COLUMNS = ("selector", "place", "estimate", "low", "high", "runs", "letters")
MOST_SELECTORS = 40
DEFAULT_MEASURE = "nogueira"


class _Value(NamedTuple):
    selector: str
    estimate: float
    low: float
    high: float
    runs: int
    letters: str


def selectors_compared(result: ResultLike, *, what: str | None = None, top: int = MOST_SELECTORS) -> Picture:
    """A point with its interval for each selector, the best first; lines join those without a significant difference.

    Parameters
    ----------
    result : Comparison, Assessment, Findings or Mapping
        A comparison, an assessment, findings of one, or Selections by name.
    what : str or None, default=None
        "stability" or a score of the assessment; None is the stability, and a Comparison has its own.
    top : int, default=40
        How many selectors are shown, the best.

    Returns
    -------
    Picture
        The frame that is shown (`data`) and its drawing, which `save` writes.

    Examples
    --------
    >>> import steadyset as st
    >>> genes = ["TP53", "KRAS", "EGFR", "MYC", "CDK1"]
    >>> steady = st.Selections.from_sets([["TP53", "KRAS"]] * 7 + [["TP53", "MYC"]], features=genes)
    >>> shaky = st.Selections.from_sets([["TP53", "MYC"], ["KRAS", "EGFR"]] * 4, features=genes)
    >>> st.plot.selectors_compared({"shaky": shaky, "steady": steady}).data["selector"].tolist()
    ['steady', 'shaky']
    """
    check_integer("top", top, least=1)
    if isinstance(result, Mapping):
        result = compare(result)
    if isinstance(result, Comparison):
        if what not in (None, result.measure):
            raise InputError(f"what must be {result.measure!r}, that of the Comparison (got {what!r}).")
        return _picture(_of_comparison(result), result.measure, result.level, top)
    found = findings_of(result)
    known = tuple(one.what for one in found.differences)
    if not known:
        raise InputError("The result compares no selectors; it takes two of them, with two runs or more each.")
    what = known[0] if what is None else what
    check_choice("what", what, known)
    return _picture(_of_findings(found, what), found.measure if what == STABILITY else what, found.level, top)


def _of_comparison(result: Comparison) -> list[_Value]:
    return [
        _Value(str(name), float(row["estimate"]), float(row["low"]), float(row["high"]), row["n_runs"], row["group"])
        for name, row in zip(result.table.index, result.table.to_dict("records"), strict=True)
    ]


def _of_findings(found: Findings, what: str) -> list[_Value]:
    letters = next(one.groups for one in found.differences if one.what == what)
    values = []
    for row in found.summary:
        ends = (row.stability, row.low, row.high)
        if what != STABILITY:
            score = row.scores[what]
            half = t_quantile(found.level, row.runs - 1) * score.se if row.runs > 1 else nan
            ends = (score.mean, score.mean - half, score.mean + half)
        values.append(_Value(row.name, *ends, row.runs, letters.get(row.name, "")))
    less = lower_is_better(what) if what != STABILITY else not get_measure(found.measure).higher_is_steadier
    return sorted(values, key=lambda one: one.estimate if less else -one.estimate)


def _picture(values: list[_Value], measure: str, level: float, top: int) -> Picture:
    import pandas as pd

    known = [one for one in values if not isnan(one.estimate)]
    rows = [(one.selector, place, *one[1:]) for place, one in enumerate(known[:top])]
    # As objects: the text columns of pandas refuse halves of characters.
    data = pd.DataFrame(rows, columns=list(COLUMNS), dtype=object).astype(
        {"place": int, "estimate": float, "low": float, "high": float, "runs": int}
    )

    def draw(alt: Any, shown: pd.DataFrame) -> Any:
        return _drawn(alt, shown, measure)

    return Picture(data, draw, COLUMNS, _note(len(values), len(known), len(rows), measure, level), seen=_seen)


def _note(n_all: int, n_known: int, n_shown: int, measure: str, level: float) -> str:
    said = [f"Lines: {percent(level)} intervals. {shared_letters('Selectors', level)}."]
    if measure == DEFAULT_MEASURE:
        said.append(f"Dashed: poor below {POOR:.2f} and excellent above {EXCELLENT:.2f} {CONVENTION}.")
    if n_shown < n_known:
        said.append(f"The best {n_shown} of {counted(n_known, 'selector')}.")
    if n_known < n_all:
        said.append(f"Without a value: {counted(n_all - n_known, 'selector')}.")
    return " ".join(said)


def _drawn(alt: Any, data: pd.DataFrame, measure: str) -> Any:
    default = measure == DEFAULT_MEASURE
    words = measure.replace("_", " ")
    title = f"stability ({words.capitalize()})" if default else words
    tooltip = ["selector", *(alt.Tooltip(end, format=".3f") for end in ("estimate", "low", "high")), "runs", "letters"]
    base = alt.Chart(data).encode(y=names(alt, "selector", "place"), tooltip=tooltip)
    x = alt.X("estimate:Q", title=title, scale=alt.Scale(zero=default, nice=True))
    points = base.mark_point(filled=True, size=60, color=STEADY, opacity=1).encode(x=x)
    lines = base.mark_rule(color=STEADY, strokeWidth=1.5).encode(x=alt.X("low:Q", title=title), x2="high:Q")
    layers = [lines, points]
    if default:
        ends = alt.Data(values=[{"x": POOR}, {"x": EXCELLENT}])
        layers.insert(0, alt.Chart(ends).mark_rule(color=MUTED, strokeDash=[3, 3]).encode(x="x:Q"))
    values = alt.layer(*layers).properties(width=360, height=alt.Step(20))
    return alt.hconcat(values, _letters(alt, data), spacing=8)


def _letters(alt: Any, data: pd.DataFrame) -> Any:
    """One column per letter, with a line from its first selector to its last."""
    rows = [
        {"selector": name, "place": int(place), "letter": letter}
        for name, place, letters in zip(data["selector"], data["place"], data["letters"], strict=True)
        for letter in letters
    ]
    every = alt.Scale(domain=[*data["selector"]])
    base = alt.Chart(alt.Data(values=rows)).encode(
        x=alt.X("letter:N", title=None, axis=None), y=alt.Y("selector:N", title=None, axis=None, scale=every)
    )
    line = base.mark_line(color=MUTED, strokeWidth=1).encode(detail="letter:N", order="place:Q")
    back = base.mark_point(filled=True, shape="square", size=170, color="white", opacity=1)
    text = base.mark_text(color=INK, fontSize=11).encode(text="letter:N")
    return alt.layer(line, back, text).properties(width=alt.Step(16), height=alt.Step(20))


def _compares(findings: Findings) -> bool:
    return findings.differences[0].what == STABILITY


def _draws(result: Any) -> bool:
    return isinstance(result, Comparison) or (
        isinstance(result, Assessment) and len(result.selectors) > 1 and not result.settings["scoring"]
    )


def _seen(data: pd.DataFrame) -> str:
    first, last = data.iloc[0], data.iloc[-1]
    told = f"{counted(len(data), 'selector')} with intervals: {first['selector']} has {number(first['estimate'])}"
    return told + (f", the last, {last['selector']}, {number(last['estimate'])}." if len(data) > 1 else ".")


register_picture(
    "selectors_compared",
    selectors_compared,
    title="Which selectors differ in stability",
    needs=("summary", "differences"),
    applies=_compares,
    draws=_draws,
    place=20,
)
