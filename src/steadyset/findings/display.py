"""What terminals and notebooks show of the tables of sections, in 80 columns; and the settings as people read them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from math import isnan
from typing import TYPE_CHECKING, Any

from steadyset._version import __version__
from steadyset.findings.answer import SCALE
from steadyset.findings.parts import STABILITY
from steadyset.foundation.display import MOST_ROWS, Bar, Table, Words
from steadyset.foundation.text import amount, counted, expected_count, number, p_value, percent, shown_name, span
from steadyset.options import as_shell_line

if TYPE_CHECKING:
    from steadyset.findings.parts import Configuration, Findings, Preference, Procedure

SETTINGS = {
    "n_rows": "rows",
    "n_features": "features",
    "task": "the target is",
    "seed": "seed",
    "impute": "missing values",
    "on_warning": "runs with warnings",
    "aggregate": "aggregation",
    "backing": "share of the runs that backs a feature",
    "n_trials": "configurations",
    "sampler": "configurations were drawn by",
    "choose": "rule of the choice",
    "data_sha256": "SHA-256 of the data",
}
LONGEST_SETTING = 300  # characters of a value


def short_summary(found: Findings) -> list[Table]:
    """One row per procedure, or per method of a consensus."""
    if found.front:  # which has the chosen configuration among the others
        return []
    if found.ranking:
        return [Table.of(method_cells(found), "Within methods", most=MOST_ROWS, noun="method")]
    noun = "selector" if found.kind == "assessment" else "procedure"
    return [Table.of([_with_bar(row, found) for row in found.summary], most=MOST_ROWS, noun=noun)]


def summary_legend(found: Findings) -> list[str]:
    """What the columns of the summary are."""
    if found.front or found.ranking:
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


def short_front(found: Findings) -> list[Table]:
    """One row per configuration."""
    rows = [_configuration(row) for row in front_cells(found)]
    return [Table.of(rows, "The Pareto front", most=MOST_ROWS, noun="configuration")]


def short_measures(found: Findings) -> list[Table]:
    """One row per measure and procedure."""
    kept = ("name", "measure", "estimate", "steadier", "low", "high", "note")
    return [Table.of([{key: getattr(row, key) for key in kept} for row in found.measures])]


def short_ranking(found: Findings) -> list[Table]:
    """The first features of a consensus."""
    rows = ranking_cells(found, MOST_ROWS)
    features = Table.of([row | {"feature": Words(row["feature"])} for row in rows], "Features")
    left = int(found.settings["ranked_features"]) - len(rows)
    return [replace(features, more=f"{counted(left, 'more feature')} with lower scores." if left else "")]


def short_pairs(found: Findings) -> list[Table]:
    """One row per pair of methods of a consensus."""
    return [Table.of(pair_cells(found), "Between methods", most=MOST_ROWS, noun="pair")]


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


def _configuration(row: Mapping[str, Any]) -> dict[str, Any]:
    """A row of the front, short enough for 80 columns: what it is stands in one cell."""
    words = ", ".join(row[name] for name in ("filter", "model", "parameters") if row[name])
    left = ("configuration", "filter", "model", "parameters", "chosen")
    return {
        "configuration": f"{row['configuration']} (chosen)" if row["chosen"] else str(row["configuration"]),
        **{name.replace("_", " "): value for name, value in row.items() if name not in left},
        "parameters": Words(words),
    }


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


def _parameters(one: Configuration) -> str:
    return ", ".join(
        f"{name.rpartition('__')[2].rpartition('.')[2]}={_short(value)}"
        for name, value in one.params.items()
        if name not in ("filter", "model")
    )


def _short(value: Any) -> str:
    return f"{value:.3g}" if isinstance(value, float) else str(value)


def settings_told(found: Findings) -> dict[str, str]:
    """What each setting is called, and its value."""
    from steadyset.tuning.result import objective_words

    settings: Mapping[str, Any] = found.settings
    details: Mapping[str, Any] = settings.get("details", {})
    told = {"measure": found.measure, "confidence": percent(found.level), "steady core": percent(found.core)}
    if found.preference is not None:
        told["margin of the loss"] = _margin_words(found.preference)
    if details.get("target"):
        told["target"] = str(details["target"])
    if "resampling" in settings:
        told["resampling"] = str(settings["resampling"])
    if settings.get("scoring"):
        told["scores"] = ", ".join(map(str, settings["scoring"]))
        told["predictor"] = str(details.get("predictor") or settings.get("predictor", "the model of the configuration"))
    if settings.get("objectives"):
        told["objectives"] = ", ".join(map(objective_words, settings["objectives"]))
    told |= {words: str(settings[key]) for key, words in SETTINGS.items() if settings.get(key) is not None}
    told |= {f"selector {name}": str(text) for name, text in _selectors(settings).items()}
    versions = {"steadyset": settings.get("steadyset_version", __version__), **details.get("versions", {})}
    told["versions"] = ", ".join(f"{name} {number}" for name, number in versions.items())
    told = {shown_name(key): _shortened(shown_name(text)) for key, text in told.items()}
    command = shown_name(as_shell_line(details.get("job")))  # to be run: whole
    return told | ({"command": command} if command else {})


def _margin_words(preference: Preference) -> str:
    words = preference.score.replace("_", " ")
    if preference.margin == preference.largest_loss:
        return f"{preference.margin:g} of {words}"
    return f"{percent(preference.margin)} of the {words} without features, {preference.largest_loss:.3g}"


def _selectors(settings: Mapping[str, Any]) -> Mapping[str, Any]:
    found = settings.get("selectors", {})
    return found if isinstance(found, Mapping) else {}


def _shortened(text: str) -> str:
    return text if len(text) <= LONGEST_SETTING else text[:LONGEST_SETTING] + "..."
