"""Similar features: which one is selected when another is missing, and how often any of a group is."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from steadyset.findings import Findings
from steadyset.findings.parts import FeatureRows
from steadyset.foundation.arguments import check_integer, wrong_argument
from steadyset.foundation.text import counted, percent
from steadyset.inference.feature_details import MOST_STAND_INS
from steadyset.inference.feature_table import Feature, alike_features, feature_blocks
from steadyset.inference.runs import common_features
from steadyset.io.labels import text_frame
from steadyset.plots.catalogue import register_picture
from steadyset.plots.picture import (
    INK,
    LONGEST_NAME,
    MARKED,
    MOST_MARKS,
    RULE,
    SHADES,
    STEADY,
    Picture,
    distinct_names,
    foremost,
    names,
    shares,
)
from steadyset.selections import Selections, as_selections
from steadyset.similarity.alike import MOST_FEATURES

if TYPE_CHECKING:
    import pandas as pd

    from steadyset.similarity import FeatureSimilarity

FEW = 14  # features: so many cells have room for numbers
SWAP_COLUMNS = ("feature", "place", "other", "other_place", "share", "runs", "missing", "group")


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
    known = known_rows(selections, similarity)
    swaps = _swaps(known.rows)
    shown = _most_swapped(known.rows, swaps, top)
    place = {row.feature: k for k, row in enumerate(shown)}
    inside = [one for one in swaps if one[0].feature in place and one[1] in place]
    data = text_frame(
        {
            "feature": np.array([row.feature for row, *_ in inside], dtype=object),
            "place": np.array([place[row.feature] for row, *_ in inside], dtype=np.int64),
            "other": np.array([other for _, other, *_ in inside], dtype=object),
            "other_place": np.array([place[other] for _, other, *_ in inside], dtype=np.int64),
            "share": np.array([share for *_, share, _ in inside], dtype=np.float64),
            "runs": np.array([runs for *_, runs in inside], dtype=np.int64),
            "missing": np.array([row.runs - row.selected for row, *_ in inside], dtype=np.int64),
            "group": np.array([row.group or 0 for row, *_ in inside], dtype=np.int64),
        }
    )

    def draw(alt: Any, frame: pd.DataFrame) -> Any:
        return _swap_drawn(alt, frame, list(distinct_names(place).values()))

    return Picture(data, draw, SWAP_COLUMNS, _swap_note(known, swaps, len(shown), len(inside)), seen=_swap_seen)


class KnownRows(NamedTuple):
    """The features that have a similar one, over all runs; the runs; what to say of those that are not there."""

    rows: list[Feature]
    runs: Mapping[str, Selections]
    note: str


def known_rows(selections: Any, similarity: FeatureSimilarity | None) -> KnownRows:
    """What the table of features says of similar features, over all procedures where there are several."""
    if isinstance(selections, Findings):
        if similarity is not None:
            raise wrong_argument("similarity", "None where findings are given, which have their own", similarity)
        first = selections.features[0] if selections.features else FeatureRows("", ())
        rows = [row for row in first.rows if row.group is not None]
        note = f"Of the {len(first.rows)} most often selected features." if first.left_out else ""
        return KnownRows(rows, selections.selections, _joined(_over(selections.selections), note))
    if similarity is None:
        raise wrong_argument("similarity", "a FeatureSimilarity, which says which features are similar", similarity)
    given = selections if isinstance(selections, Mapping) else {"": selections}
    runs = common_features({str(name): as_selections(one) for name, one in given.items()})
    alike = alike_features(similarity, runs)
    block = feature_blocks(runs, alike=alike)[0]
    rows = [row for row in block.rows(MOST_FEATURES) if row.group is not None]
    note = f"{alike.note[:1].upper()}{alike.note[1:]}." if alike.note else ""
    return KnownRows(rows, runs, _joined(_over(runs), note))


def _over(runs: Mapping[str, Selections]) -> str:
    return f"Over all runs of {counted(len(runs), 'selector')}." if len(runs) > 1 else ""


def _joined(*said: str) -> str:
    return " ".join(filter(None, said))


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


def _swap_note(known: KnownRows, swaps: Sequence[Any], n_shown: int, n_inside: int) -> str:
    if not swaps:
        return _joined("No feature stands in for a similar one.", known.note)
    said = []
    n_swapped = len({name for row, other, *_ in swaps for name in (row.feature, other)})
    if n_shown < n_swapped:
        said.append(f"The {n_shown} most often swapped of {counted(n_swapped, 'feature')}.")
    if any((row.n_stand_ins or 0) > MOST_STAND_INS for row, *_ in swaps):
        said.append(f"The {MOST_STAND_INS} best stand-ins of each.")
    return _joined(*said, known.note)


def _swap_drawn(alt: Any, data: pd.DataFrame, domain: list[str]) -> Any:
    """`domain` are the features as they are written, in their places: the same on both axes."""
    n = len(domain)
    data = data.assign(feature=[domain[k] for k in data["place"]], other=[domain[k] for k in data["other_place"]])
    step = max(12, min(30, 420 // max(1, n)))
    axis = {"ticks": False, "domain": False}
    x = alt.X(
        "other:N",
        scale=alt.Scale(domain=domain),
        title="selected instead",
        axis=alt.Axis(labelAngle=-60, labelLimit=120, orient="top", **axis),
    )
    y = alt.Y(
        "feature:N", scale=alt.Scale(domain=domain), title="missing", axis=alt.Axis(labelLimit=LONGEST_NAME, **axis)
    )
    cells = (
        alt.Chart(data)
        .mark_rect()
        .encode(
            x=x,
            y=y,
            color=alt.Color(
                "share:Q",
                scale=alt.Scale(domain=[0, 1], range=list(SHADES)),
                legend=alt.Legend(
                    title="share of the runs without it", format="%", values=[0, 0.5, 1], orient="bottom"
                ),
            ),
            tooltip=["feature:N", "other:N", alt.Tooltip("share:Q", format=".0%"), "runs:Q", "missing:Q"],
        )
    )
    own = alt.Data(values=[{"feature": name, "other": name} for name in domain])
    layers = [alt.Chart(own).mark_circle(size=14, color=RULE, opacity=1).encode(x=x, y=y), cells]
    if n <= FEW:
        ink = alt.condition(alt.datum.share > 0.5, alt.value("white"), alt.value(INK))
        layers.append(
            alt.Chart(data).mark_text(fontSize=10).encode(x=x, y=y, text=alt.Text("share:Q", format=".0%"), color=ink)
        )
    return alt.layer(*layers).properties(width=alt.Step(step), height=alt.Step(step))


def _swap_seen(data: pd.DataFrame) -> str:
    first = foremost(data, "share")
    return (
        f"{counted(len(data), 'pair')} of features that stand in for each other; {first['other']} is selected in "
        f"{percent(round(float(first['share']), 2))} of the runs without {first['feature']}."
    )


register_picture(
    "swap_map",
    swap_map,
    title="What is selected when a feature is missing",
    needs=("features",),
    applies=lambda findings: bool(_swaps(findings.features[0].rows)),
    caption="A dark cell is a similar feature that stands in: where the feature of the row is missing, it is there.",
    report=False,
)


MEMBER, ANY = "one feature", "any of the group"
GROUP_COLUMNS = ("group", "place", "kind", "feature", "members", "share")


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
    known = known_rows(selections, similarity)
    groups: dict[int, list[Feature]] = {}
    for row in known.rows:
        if row.selected and row.group is not None:
            groups.setdefault(row.group, []).append(row)
    several = sorted(groups.values(), key=lambda members: (-members[0].group_share, -len(members)))
    most = MOST_MARKS // max(1, 2 * min(top, len(several)))
    rows: list[tuple[str, int, str, str, int, float]] = []
    for place, members in enumerate(several[:top]):
        name, size = members[0].feature, members[0].group_size or 0
        rows += [(name, place, MEMBER, row.feature, size, row.frequency) for row in members[:most]]
        rows.append((name, place, ANY, "", size, members[0].group_share))
    columns = list(zip(*rows, strict=True)) if rows else [()] * len(GROUP_COLUMNS)
    texts, wholes = ("group", "kind", "feature"), ("place", "members")
    data = text_frame(
        {
            name: np.array(column, dtype=object if name in texts else np.int64 if name in wholes else np.float64)
            for name, column in zip(GROUP_COLUMNS, columns, strict=True)
        }
    )
    hidden = any((members[0].group_size or 0) > len(members) for members in several[:top])
    return Picture(
        data,
        _group_drawn,
        GROUP_COLUMNS,
        _group_note(min(top, len(several)), len(several), hidden, known.note),
        seen=_group_seen,
    )


def _group_note(n_shown: int, n_groups: int, hidden: bool, left_out: str) -> str:
    said = [] if n_groups else ["No feature is similar to a selected one."]
    if n_shown < n_groups:
        said.append(f"The {n_shown} most often selected of {counted(n_groups, 'group')}.")
    if hidden:
        said.append("The number alike counts all features; dots are those that runs selected.")
    return " ".join([*said, *([left_out] if left_out else [])])


def _group_drawn(alt: Any, data: pd.DataFrame) -> Any:
    label = [f"{name} ({n} alike)" for n, name in zip(data["members"], data["group"], strict=True)]
    shown = data.assign(group=np.array(label, dtype=object))
    kinds = {"domain": [MEMBER, ANY]}
    tips = ["group:N", "feature:N", alt.Tooltip("share:Q", format=".0%")]
    y = names(alt, "group", "place")
    base = alt.Chart(shown).encode(y=y)
    lines = base.mark_rule(color=RULE, strokeWidth=2).encode(x="min(share):Q", x2="max(share):Q")
    marks = base.mark_point(filled=True, opacity=0.85).encode(
        x=shares(alt, "share", "share of the runs"),
        color=alt.Color("kind:N", scale=alt.Scale(**kinds, range=[STEADY, MARKED]), legend=alt.Legend(title=None)),
        shape=alt.Shape("kind:N", scale=alt.Scale(**kinds, range=["circle", "diamond"]), legend=alt.Legend(title=None)),
        size=alt.condition(alt.datum.kind == ANY, alt.value(110), alt.value(45)),
        tooltip=tips,
    )
    return alt.layer(lines, marks).properties(width=380, height=alt.Step(20))


def _group_seen(data: pd.DataFrame) -> str:
    whole = data[data["kind"] == ANY]
    first = foremost(whole, "share")
    alone = foremost(data[(data["kind"] == MEMBER) & (data["place"] == first["place"])], "share")
    often, member = (percent(round(float(row["share"]), 2)) for row in (first, alone))
    return (
        f"{counted(len(whole), 'group')} of similar features; {often} of the runs select one of the group of "
        f"{first['group']}, {member} its most frequent member."
    )


register_picture(
    "similarity_groups",
    similarity_groups,
    title="Groups of similar features",
    needs=("features", "selections"),
    applies=lambda findings: any(row.group is not None and row.selected for row in findings.features[0].rows),
    caption="A diamond far right of its dots: nearly every run selects one of the group, and chance decides which.",
)
