"""Groups of similar features: how often each member is selected, and how often any of them is."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from steadyset.findings import Findings
from steadyset.foundation.arguments import check_integer
from steadyset.foundation.text import counted, percent
from steadyset.inference.feature_table import Feature
from steadyset.io.labels import text_frame
from steadyset.plots.catalogue import register_picture
from steadyset.plots.picture import MARKED, MOST_MARKS, RULE, STEADY, Picture, foremost, names, shares
from steadyset.plots.swaps import known_rows
from steadyset.selections import Selections

if TYPE_CHECKING:
    import pandas as pd

    from steadyset.similarity import FeatureSimilarity

MEMBER, ANY = "one feature", "any of the group"
COLUMNS = ("group", "place", "kind", "feature", "members", "share")


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
    columns = list(zip(*rows, strict=True)) if rows else [()] * len(COLUMNS)
    texts, wholes = ("group", "kind", "feature"), ("place", "members")
    data = text_frame(
        {
            name: np.array(column, dtype=object if name in texts else np.int64 if name in wholes else np.float64)
            for name, column in zip(COLUMNS, columns, strict=True)
        }
    )
    hidden = any((members[0].group_size or 0) > len(members) for members in several[:top])
    return Picture(data, _drawn, COLUMNS, _note(min(top, len(several)), len(several), hidden, known.note), seen=_seen)


def _note(n_shown: int, n_groups: int, hidden: bool, left_out: str) -> str:
    said = [] if n_groups else ["No feature is similar to a selected one."]
    if n_shown < n_groups:
        said.append(f"The {n_shown} most often selected of {counted(n_groups, 'group')}.")
    if hidden:
        said.append("The number alike counts all features; dots are those that runs selected.")
    return " ".join([*said, *([left_out] if left_out else [])])


def _drawn(alt: Any, data: pd.DataFrame) -> Any:
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


def _seen(data: pd.DataFrame) -> str:
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
