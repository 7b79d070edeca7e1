"""What terminals and notebooks show of the tables of sections, in 80 columns; and the settings as people read them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from math import isnan
from typing import TYPE_CHECKING, Any

from steadyset._version import __version__
from steadyset.findings.answer import SCALE
from steadyset.findings.parts import STABILITY
from steadyset.foundation.display import Bar, Table, Words
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


def short_summary(found: Findings, most: int | None) -> list[Table]:
    """One row per procedure, or per method of a consensus."""
    if found.front:  # which has the chosen configuration among the others
        return []
    if found.ranking:
        return [Table.of(_method_cells(found), "Within methods", most=most, noun="method")]
    noun = "selector" if found.kind == "assessment" else "procedure"
    return [Table.of([_summary_cells(row, found) for row in found.summary], most=most, noun=noun)]


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


def short_front(found: Findings, most: int | None) -> list[Table]:
    """One row per configuration; what it is stands in one cell."""
    rows = [
        {
            "configuration": f"{one.number} (chosen)" if one.chosen else str(one.number),
            **{
                name.replace("_", " "): amount(value) if name == "n_features" else value
                for name, value in one.objectives.items()
            },
            "on front": one.on_front,
            "parameters": Words(", ".join(filter(None, _settings(one)))),
        }
        for one in found.front
    ]
    return [Table.of(rows, "The Pareto front", most=most, noun="configuration")]


def short_measures(found: Findings, most: int | None) -> list[Table]:
    """One row per measure and procedure."""
    kept = ("name", "measure", "estimate", "steadier", "low", "high", "note")
    return [Table.of([{key: getattr(row, key) for key in kept} for row in found.measures])]


def _summary_cells(row: Procedure, found: Findings) -> dict[str, Any]:
    """A row of the summary: short enough for a terminal of 80 columns, which shows no bars."""
    letters = next((one.groups for one in found.differences if one.what == STABILITY), {})
    whole = found.kind == "assessment"
    return {
        "selector" if whole else "procedure": row.name,
        found.measure if found.kind == "comparison" else STABILITY: _interval(row),
        "": Bar(row.stability, row.low, row.high),
        **({"verdict": Words(row.verdict)} if any(one.verdict for one in found.summary) else {}),
        **{name: _with_error(row.scores[name].mean, row.scores[name].se) for name in found.scoring},
        **({"size": amount(row.size)} if whole or not all(isnan(one.size) for one in found.summary) else {}),
        "runs": str(row.runs),
        **({"group": letters.get(row.name, "")} if found.kind == "comparison" else {}),
        **({"failures": str(row.failures)} if any(one.failures for one in found.summary) else {}),
        **({"warnings": str(row.warned)} if any(one.warned for one in found.summary) else {}),
    }


def main_rows(found: Findings) -> list[dict[str, Any]]:
    """What a csv file holds of findings: the front of a tuning, else the summary, with every number as it is."""
    return front_rows(found) if found.front else summary_rows(found)


def summary_rows(found: Findings) -> list[dict[str, Any]]:
    """The summary as flat rows."""
    return [
        {
            "selector": row.name,
            **{key: getattr(row, key) for key in ("runs", "stability", "low", "high", "verdict")},
            **{
                f"{name}{end}": value
                for name, score in row.scores.items()
                for end, value in zip(("", "_se", "_blind", "_random"), vars(score).values(), strict=True)
            },
            "size": row.size,
            "failures": row.failures,
            "warnings": row.warned,
            "tied": row.tied,
            "note": row.note,
        }
        for row in found.summary
    ]


def front_rows(found: Findings) -> list[dict[str, Any]]:
    """The front and the chosen configuration as flat rows: what it is, its objectives, how sure its place is."""
    return [
        {
            "configuration": one.number,
            "filter": _settings(one)[0],
            "model": _settings(one)[1],
            **one.objectives,
            "on_front": one.on_front,
            "parameters": _settings(one)[2],
            "chosen": "yes" if one.chosen else "",
        }
        for one in found.front
    ]


def _method_cells(found: Findings) -> list[dict[str, Any]]:
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


def short_pairs(found: Findings, most: int | None) -> list[Table]:
    """How far each two methods of a consensus agree, beside chance."""
    rows = [
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
    return [Table.of(rows, "Between methods", most=most, noun="pair")]


def short_ranking(found: Findings, most: int | None) -> list[Table]:
    """The first features of a consensus."""
    total = sum(row.runs for row in found.summary)
    directed = any(one.direction for one in found.ranking)
    rows = [
        {
            "rank": one.rank,
            "feature": Words(one.feature),
            **({"direction": one.direction} if directed else {}),
            "methods": f"{one.methods} of {len(found.summary)}",
            "by chance": expected_count(one.by_chance) if one.methods else "",
            "runs": f"{one.runs} of {total}",
            "frequency": number(one.frequency),
            "score": number(one.score, 3),
        }
        for one in found.ranking[:most]
    ]
    left = int(found.settings["ranked_features"]) - len(rows)
    more = f"{counted(left, 'more feature')} with lower scores." if left else ""
    return [replace(Table.of(rows, "Features"), more=more)]


def _interval(row: Procedure) -> str:
    return number(row.stability) + (f" ({span(row.low, row.high)})" if row.low == row.low else "")


def _with_error(mean: float, se: float) -> str:
    return number(mean, 3) + (f" ± {number(se, 3)}" if se == se else "")


def _settings(one: Configuration) -> tuple[str, str, str]:
    """The filter, the model, and the other parameters of a configuration."""
    others = [
        f"{name.rpartition('__')[2].rpartition('.')[2]}={f'{value:.3g}' if isinstance(value, float) else value}"
        for name, value in one.params.items()
        if name not in ("filter", "model")
    ]
    return one.params.get("filter", ""), one.params.get("model", ""), ", ".join(others)


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
    selectors = settings.get("selectors")
    if isinstance(selectors, Mapping):
        told |= {f"selector {name}": str(text) for name, text in selectors.items()}
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


def _shortened(text: str) -> str:
    return text if len(text) <= LONGEST_SETTING else text[:LONGEST_SETTING] + "..."
