"""What is shown of findings: the same in the command, printed in Python and in a notebook."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from math import isnan
from typing import TYPE_CHECKING, Any

from steadyset.findings.answer import SCALE
from steadyset.findings.cores import named
from steadyset.findings.differing import STABILITY
from steadyset.foundation.display import MOST_ROWS, Bar, Display, Table, Words
from steadyset.foundation.text import amount, counted, expected_count, number, p_value, percent, shown_name, span

if TYPE_CHECKING:
    from steadyset.findings import Configuration, Findings, Procedure, Reason


def display_of(found: Findings, kind: str = "") -> Display:
    """What is shown of findings; `kind` names the result that they are of."""
    what = kind or f"Findings of {found.kind}"
    return Display(what, found.about, found.answer, _tables(found), legends(found), sections(found))


def legends(found: Findings) -> list[str]:
    """What the columns of the table are."""
    if found.ranking:
        return ["by chance: how many features random sets of the same sizes would bring to so many methods."]
    if found.front or not found.summary:
        return []
    said = []
    for name in found.scoring:
        known = [f"{one.name} {number(one.scores[name], 3)}" for one in found.baselines]
        said += [f"baselines, {name.replace('_', ' ')}: {'; '.join(known)}."] if known else []
    if any(row.verdict for row in found.summary):
        said.append(
            "stability: 1 = the same features each time, 0 = chance; in brackets its "
            f"{percent(found.level)} interval for this data set and resampling, not for new data."
        )
    if found.scoring:
        said.append("±: standard error over resamples, corrected for their overlap (Nadeau and Bengio 2003).")
    if any(row.verdict for row in found.summary):
        said.append(f"verdict: {SCALE}.")
    return said


def sections(found: Findings) -> dict[str, list[str]]:
    """Every further part that has something to say, by its title."""
    parts = {
        "What differs": [one.words for one in found.differences],
        f"Steady core (selected in at least {percent(found.core)} of the runs)": [named(one) for one in found.cores],
        "Notes": list(found.notes),
        "Runs without a selection or a score": [] if found.front else [_reason(one) for one in found.failures],
        "Runs with warnings": [_reason(one) for one in found.warnings],
    }
    return {title: lines for title, lines in parts.items() if lines}


def summary_cells(row: Procedure, found: Findings) -> dict[str, str]:
    """A row of the summary: short enough for a terminal of 80 columns."""
    letters = next((one.groups for one in found.differences if one.what == STABILITY), {})
    whole = found.kind == "assessment"
    return {
        "selector" if whole else "procedure": row.name,
        found.measure if found.kind == "comparison" else STABILITY: _interval(row),
        **({"verdict": row.verdict} if any(one.verdict for one in found.summary) else {}),
        **{name: _with_error(row.scores[name].mean, row.scores[name].se) for name in found.scoring},
        **({"size": amount(row.size)} if whole or not all(isnan(one.size) for one in found.summary) else {}),
        "runs": str(row.runs),
        **({"group": letters.get(row.name, "")} if found.kind == "comparison" else {}),
        **({"failures": str(row.failures)} if any(one.failures for one in found.summary) else {}),
        **({"warnings": str(row.warned)} if any(one.warned for one in found.summary) else {}),
    }


def front_rows(found: Findings) -> list[dict[str, Any]]:
    """The front and the chosen configuration as flat rows: what it is, its objectives, how sure its place is."""
    return [
        {
            "configuration": one.number,
            "filter": one.params.get("filter", ""),
            "model": one.params.get("model", ""),
            **one.objectives,
            "on_front": one.on_front,
            "parameters": _parameters(one),
            "chosen": "yes" if one.chosen else "",
        }
        for one in found.front
    ]


def front_cells(found: Findings) -> list[dict[str, Any]]:
    """The rows of the front as people read them: sizes are means of whole numbers."""
    rows = front_rows(found)
    return [{**row, "n_features": amount(row["n_features"])} if "n_features" in row else row for row in rows]


def method_cells(found: Findings) -> list[dict[str, Any]]:
    """How far the runs of each method agree."""
    return [
        {
            "method": row.name,
            "runs": row.runs,
            "size": amount(row.size),
            found.measure: _interval(row),
            "core": len(core.features),
        }
        for row, core in zip(found.summary, found.cores, strict=True)
    ]


def pair_cells(found: Findings) -> list[dict[str, Any]]:
    """How far two methods agree, beside chance."""
    return [
        {
            "methods": f"{one.first} and {one.second}",
            found.measure: number(one.agreement),
            "by chance": number(one.expected),
            "frequencies": number(one.frequencies),
            "shared": one.shared,
            "by chance ": expected_count(one.shared_expected),
            "p": p_value(one.p_value),
        }
        for one in found.between
    ]


def ranking_cells(found: Findings, most: int) -> list[dict[str, Any]]:
    """The first features of the ranking."""
    total = sum(row.runs for row in found.summary)
    directed = any(one.direction for one in found.ranking)
    return [
        {
            "rank": one.rank,
            "feature": one.feature,
            **({"direction": one.direction} if directed else {}),
            "methods": f"{one.methods} of {len(found.summary)}",
            "by chance": expected_count(one.by_chance) if one.methods else "",
            "runs": f"{one.runs} of {total}",
            "frequency": number(one.frequency),
            "score": number(one.score, 3),
        }
        for one in found.ranking[:most]
    ]


def _tables(found: Findings) -> list[Table]:
    if found.front:
        rows = [_configuration(row) for row in front_cells(found)]
        return [Table.of(rows, "The Pareto front", most=MOST_ROWS, noun="configuration")]
    if found.ranking:
        ranked = ranking_cells(found, MOST_ROWS)
        features = Table.of([row | {"feature": Words(row["feature"])} for row in ranked], "Features")
        left = int(found.settings["ranked_features"]) - len(features.rows)
        return [
            Table.of(method_cells(found), "Within methods", most=MOST_ROWS, noun="method"),
            Table.of(pair_cells(found), "Between methods", most=MOST_ROWS, noun="pair"),
            replace(features, more=f"{counted(left, 'more feature')} with lower scores." if left else ""),
        ]
    if found.measures:
        kept = ("name", "measure", "estimate", "steadier", "low", "high", "note")
        rows = [{key: getattr(row, key) for key in kept} for row in found.measures]
        return [Table.of(rows)]
    return [Table.of([_with_bar(row, found) for row in found.summary], most=MOST_ROWS, noun=_noun(found))]


def _configuration(row: Mapping[str, Any]) -> dict[str, Any]:
    """A row of the front, short enough for 80 columns: what it is stands in one cell."""
    words = ", ".join(row[name] for name in ("filter", "model", "parameters") if row[name])
    left = ("configuration", "filter", "model", "parameters", "chosen")
    return {
        "configuration": f"{row['configuration']} (chosen)" if row["chosen"] else str(row["configuration"]),
        **{name.replace("_", " "): value for name, value in row.items() if name not in left},
        "parameters": Words(words),
    }


def _noun(found: Findings) -> str:
    return "selector" if found.kind == "assessment" else "procedure"


def _with_bar(row: Procedure, found: Findings) -> dict[str, Any]:
    cells: dict[str, Any] = dict(summary_cells(row, found))
    name = next(iter(cells))
    stability = list(cells)[1]
    if "verdict" in cells:
        cells["verdict"] = Words(cells["verdict"])
    return {name: cells.pop(name), stability: cells.pop(stability), "": Bar(row.stability, row.low, row.high), **cells}


def _interval(row: Procedure) -> str:
    return number(row.stability) + (f" ({span(row.low, row.high)})" if row.low == row.low else "")


def _with_error(mean: float, se: float) -> str:
    return number(mean, 3) + (f" ± {number(se, 3)}" if se == se else "")


def _reason(one: Reason) -> str:
    return f"{shown_name(one.name)}: {counted(one.runs, 'run')}: {shown_name(one.text)}"


def _parameters(one: Configuration) -> str:
    return ", ".join(
        f"{name.rpartition('__')[2].rpartition('.')[2]}={_short(value)}"
        for name, value in one.params.items()
        if name not in ("filter", "model")
    )


def _short(value: Any) -> str:
    return f"{value:.3g}" if isinstance(value, float) else str(value)
