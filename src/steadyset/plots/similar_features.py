"""Similar features: which one is selected when another is missing, and how often any of a group is."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from steadyset.findings import Findings
from steadyset.findings.parts import FeatureRows
from steadyset.foundation.arguments import check_integer, wrong_argument
from steadyset.foundation.text import counted, percent
from steadyset.inference.features import MOST_STAND_INS, Feature, alike_features, feature_blocks
from steadyset.inference.runs import common_features
from steadyset.plots import picture as grammar
from steadyset.plots.catalogue import picture
from steadyset.plots.picture import Picture
from steadyset.selections import Selections
from steadyset.similarity.alike import MOST_FEATURES

if TYPE_CHECKING:
    import pandas as pd

    from steadyset.similarity import FeatureSimilarity

FEW = 14  # features: so many cells have room for numbers
SWAP_COLUMNS = "feature: text; place: int; other: text; other_place: int; share: float; runs missing group: int"


@picture(
    title="What is selected when a feature is missing",
    needs=("features",),
    applies=lambda findings: bool(_swaps(findings.features[0].rows)),
    caption="A dark cell is a similar feature that stands in: where the feature of the row is missing, it is there.",
    report=False,
)
def swap_map(
    selections: Selections | Mapping[str, Selections] | Findings,
    similarity: FeatureSimilarity | None = None,
    *,
    top: int = 30,
) -> Picture:
    """A cell for each feature (row) and each similar one (column): its share of the runs without the first.

    A dark cell is a feature that stands in for another one: where the first is missing, it is there.

    Parameters
    ----------
    selections : Selections, Mapping or Findings
        The runs, those of several selectors by name, or findings.
    similarity : FeatureSimilarity or None, default=None
        Which features are similar. Findings of an assessment know that themselves; selections need it.
    top : int, default=30
        How many features are shown, those that are replaced or stand in most often; similar ones stand side by side.

    Returns
    -------
    Picture
        The frame that is shown (`data`) and its drawing, which `save` writes.

    Examples
    --------
    >>> import steadyset as st
    >>> genes = ["TP53", "KRAS", "EGFR", "MYC", "CDK1"]
    >>> alike = st.FeatureSimilarity.from_groups([["KRAS", "EGFR"]], features=genes)
    >>> runs = st.Selections.from_sets([["TP53", "KRAS"], ["TP53", "EGFR"], ["TP53", "KRAS"]], features=genes)
    >>> st.plot.swap_map(runs, alike).data[["feature", "other", "share"]]
      feature other  share
    0    EGFR  KRAS    1.0
    1    KRAS  EGFR    1.0
    """
    check_integer("top", top, least=2, most=60)
    known, said = known_rows(selections, similarity)
    swaps = _swaps(known)
    shown = _most_swapped(known, swaps, top)
    place = {row.feature: k for k, row in enumerate(shown)}
    rows = [
        (row.feature, place[row.feature], other, place[other], share, runs, row.runs - row.selected, row.group or 0)
        for row, other, share, runs in swaps
        if row.feature in place and other in place
    ]
    many = any((row.n_stand_ins or 0) > MOST_STAND_INS for row, *_ in swaps)
    n_swapped = len({name for row, other, *_ in swaps for name in (row.feature, other)})
    note = grammar.noted(
        (not swaps, "No feature stands in for a similar one."),
        (len(shown) < n_swapped, f"The {len(shown)} most often swapped of {counted(n_swapped, 'feature')}."),
        (many, f"The {MOST_STAND_INS} best stand-ins of each."),
        (said, said),
    )
    written = list(grammar.distinct_names(place).values())
    return grammar.pictured(rows, SWAP_COLUMNS, lambda alt, frame: _swap_drawn(alt, frame, written), note, _swap_seen)


def known_rows(selections: Any, similarity: FeatureSimilarity | None) -> tuple[list[Feature], str]:
    """The features that have a similar one, over all procedures; what to say of those that are not there."""
    if isinstance(selections, Findings):
        if similarity is not None:
            raise wrong_argument("similarity", "None where findings are given, which have their own", similarity)
        first = selections.features[0] if selections.features else FeatureRows("", ())
        rows: Sequence[Feature] = first.rows
        note = f"Of the {len(rows)} most often selected features." if first.left_out else ""
        n_selectors = len(selections.selections)
    elif similarity is None:
        raise wrong_argument("similarity", "a FeatureSimilarity, which says which features are similar", similarity)
    else:
        runs = common_features(grammar.runs_by_name(selections))
        alike = alike_features(similarity, runs)
        rows = list(feature_blocks(runs, alike=alike)[0].rows(MOST_FEATURES))
        note = f"{alike.note[:1].upper()}{alike.note[1:]}." if alike.note else ""
        n_selectors = len(runs)
    said = grammar.noted((n_selectors > 1, f"Over all runs of {counted(n_selectors, 'selector')}."), (note, note))
    return [row for row in rows if row.group is not None], said


def _swaps(rows: Sequence[Feature]) -> list[tuple[Feature, str, float, int]]:
    """(feature, stand-in, its share of the runs without the feature, so many runs), the most runs first."""
    found = [
        (row, one.feature, one.share, round(one.share * (row.runs - row.selected)))
        for row in rows
        for one in row.stand_ins
        if one.share > 0
    ]
    return sorted(found, key=lambda swap: -swap[3])


def _most_swapped(rows: Sequence[Feature], swaps: Sequence[tuple[Feature, str, float, int]], top: int) -> list[Feature]:
    """The features of the most frequent swaps, groups side by side, the most frequent of a group first."""
    chosen: set[str] = set()
    for row, other, *_ in swaps:
        if len(chosen | {row.feature, other}) <= top:
            chosen |= {row.feature, other}
    return sorted((row for row in rows if row.feature in chosen), key=lambda row: (row.group or 0, -row.selected))


def _swap_drawn(alt: Any, data: pd.DataFrame, domain: list[str]) -> Any:
    """`domain` are the features as they are written, in their places: the same on both axes."""
    n = len(domain)
    data = data.assign(feature=[domain[k] for k in data["place"]], other=[domain[k] for k in data["other_place"]])
    step = max(12, min(30, 420 // max(1, n)))
    above = alt.Axis(labelAngle=-60, labelLimit=120, orient="top", ticks=False, domain=False)
    beside = alt.Axis(labelLimit=grammar.LONGEST_NAME, ticks=False, domain=False)
    x = alt.X("other:N", scale=alt.Scale(domain=domain), title="selected instead", axis=above)
    y = alt.Y("feature:N", scale=alt.Scale(domain=domain), title="missing", axis=beside)
    shade = grammar.shades(alt, "share:Q", title="share of the runs without it", orient="bottom")
    told = [*grammar.tips(alt, "feature:N", "other:N", share=".0%"), "runs:Q", "missing:Q"]
    cells = alt.Chart(data).mark_rect().encode(x=x, y=y, color=shade, tooltip=told)
    own = alt.Data(values=[{"feature": name, "other": name} for name in domain])
    layers = [alt.Chart(own).mark_circle(size=14, color=grammar.RULE, opacity=1).encode(x=x, y=y), cells]
    if n <= FEW:
        ink = grammar.either(alt, "Color", alt.datum.share > 0.5, "white", grammar.INK)
        text = alt.Text("share:Q", format=".0%")
        layers.append(alt.Chart(data).mark_text(fontSize=10).encode(x=x, y=y, text=text, color=ink))
    return alt.layer(*layers).properties(width=alt.Step(step), height=alt.Step(step))


def _swap_seen(data: pd.DataFrame) -> str:
    first = grammar.foremost(data, "share")
    return (
        f"{counted(len(data), 'pair')} of features that stand in for each other; {first['other']} is selected in "
        f"{percent(round(float(first['share']), 2))} of the runs without {first['feature']}."
    )


MEMBER, ANY = "one feature", "any of the group"
GROUP_COLUMNS = "group: text; place: int; kind feature: text; members: int; share: float"


@picture(
    title="Groups of similar features",
    needs=("features", "selections"),
    applies=lambda findings: any(row.group is not None and row.selected for row in findings.features[0].rows),
    caption="A diamond far right of its dots: nearly every run selects one of the group, and chance decides which.",
    place=82,
)
def similarity_groups(
    selections: Selections | Mapping[str, Selections] | Findings,
    similarity: FeatureSimilarity | None = None,
    *,
    top: int = 20,
) -> Picture:
    """Dots for the members of each group of similar features, and a diamond for the group as a whole.

    A group far to the right whose members are not is a steady choice of which only the name changes: every run selects
    one of them, and which one is chance.

    Parameters
    ----------
    selections : Selections, Mapping or Findings
        The runs, those of several selectors by name, or findings.
    similarity : FeatureSimilarity or None, default=None
        Which features are similar. Findings of an assessment know that themselves; selections need it.
    top : int, default=20
        How many groups are shown, those that most runs select from.

    Returns
    -------
    Picture
        The frame that is shown (`data`) and its drawing, which `save` writes.

    Examples
    --------
    >>> import steadyset as st
    >>> genes = ["TP53", "KRAS", "EGFR", "MYC", "CDK1"]
    >>> alike = st.FeatureSimilarity.from_groups([["KRAS", "EGFR"], ["MYC", "CDK1"]], features=genes)
    >>> runs = st.Selections.from_sets([["TP53", "KRAS"], ["TP53", "EGFR"], ["TP53", "KRAS"]], features=genes)
    >>> st.plot.similarity_groups(runs, alike).data[["group", "kind", "feature", "share"]].round(2)
      group              kind feature  share
    0  KRAS       one feature    KRAS   0.67
    1  KRAS       one feature    EGFR   0.33
    2  KRAS  any of the group           1.00
    """
    check_integer("top", top, least=1, most=100)
    known, said = known_rows(selections, similarity)
    groups: dict[int, list[Feature]] = {}
    for row in known:
        if row.selected and row.group is not None:
            groups.setdefault(row.group, []).append(row)
    several = sorted(groups.values(), key=lambda members: (-members[0].group_share, -len(members)))
    most = grammar.MOST_MARKS // max(1, 2 * min(top, len(several)))
    rows: list[tuple[str, int, str, str, int, float]] = []
    for place, members in enumerate(several[:top]):
        name, size = members[0].feature, members[0].group_size or 0
        rows += [(name, place, MEMBER, row.feature, size, row.frequency) for row in members[:most]]
        rows.append((name, place, ANY, "", size, members[0].group_share))
    hidden = any((members[0].group_size or 0) > len(members) for members in several[:top])
    note = grammar.noted(
        (not several, "No feature is similar to a selected one."),
        (top < len(several), f"The {top} most often selected of {counted(len(several), 'group')}."),
        (hidden, "The number alike counts all features; dots are those that runs selected."),
        (said, said),
    )
    return grammar.pictured(rows, GROUP_COLUMNS, _group_drawn, note, _group_seen)


def _group_drawn(alt: Any, data: pd.DataFrame) -> Any:
    label = [f"{name} ({n} alike)" for n, name in zip(data["members"], data["group"], strict=True)]
    shown = data.assign(group=np.array(label, dtype=object))
    kinds = {"domain": [MEMBER, ANY]}
    y = grammar.names(alt, "group", "place")
    base = alt.Chart(shown).encode(y=y)
    lines = base.mark_rule(color=grammar.RULE, strokeWidth=2).encode(x="min(share):Q", x2="max(share):Q")
    marks = base.mark_point(filled=True, opacity=0.85).encode(
        x=grammar.shares(alt, "share", "share of the runs"),
        color=alt.Color(
            "kind:N", scale=alt.Scale(**kinds, range=[grammar.STEADY, grammar.MARKED]), legend=alt.Legend(title=None)
        ),
        shape=alt.Shape("kind:N", scale=alt.Scale(**kinds, range=["circle", "diamond"]), legend=alt.Legend(title=None)),
        size=grammar.either(alt, "Size", alt.datum.kind == ANY, 110, 45),
        tooltip=grammar.tips(alt, "group:N", "feature:N", share=".0%"),
    )
    return alt.layer(lines, marks).properties(width=380, height=alt.Step(20))


def _group_seen(data: pd.DataFrame) -> str:
    whole = data[data["kind"] == ANY]
    first = grammar.foremost(whole, "share")
    alone = grammar.foremost(data[(data["kind"] == MEMBER) & (data["place"] == first["place"])], "share")
    often, member = (percent(round(float(row["share"]), 2)) for row in (first, alone))
    return (
        f"{counted(len(whole), 'group')} of similar features; {often} of the runs select one of the group of "
        f"{first['group']}, {member} its most frequent member."
    )
