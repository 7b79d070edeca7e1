"""The settings of a result as a list for people: what decides it, which data it is about, which versions made it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from steadyset._version import __version__
from steadyset.findings import Findings, Preference
from steadyset.foundation.command_line import recorded_line
from steadyset.foundation.text import percent, shown_name
from steadyset.tuning.trials import objective_words

WORDS = {
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
LONGEST = 300  # characters of a value


def settings_told(found: Findings) -> dict[str, str]:
    """What each setting is called, and its value."""
    settings: Mapping[str, Any] = found.settings
    details: Mapping[str, Any] = settings.get("details", {})
    told = {"measure": found.measure, "confidence": percent(found.level), "steady core": percent(found.core)}
    if found.preference is not None:
        told["margin of the loss"] = _margin(found.preference)
    if details.get("target"):
        told["target"] = str(details["target"])
    if "resampling" in settings:
        told["resampling"] = str(settings["resampling"])
    if settings.get("scoring"):
        told["scores"] = ", ".join(map(str, settings["scoring"]))
        told["predictor"] = str(details.get("predictor") or settings.get("predictor", "the model of the configuration"))
    if settings.get("objectives"):
        told["objectives"] = ", ".join(map(objective_words, settings["objectives"]))
    told |= {words: str(settings[key]) for key, words in WORDS.items() if settings.get(key) is not None}
    told |= {f"selector {name}": str(text) for name, text in _selectors(settings).items()}
    versions = {"steadyset": settings.get("steadyset_version", __version__), **details.get("versions", {})}
    told["versions"] = ", ".join(f"{name} {number}" for name, number in versions.items())
    told = {shown_name(key): _short(shown_name(text)) for key, text in told.items()}
    command = shown_name(recorded_line(str(details.get("command", ""))))  # to be run: whole
    return told | ({"command": command} if command else {})


def _margin(preference: Preference) -> str:
    words = preference.score.replace("_", " ")
    if preference.margin == preference.largest_loss:
        return f"{preference.margin:g} of {words}"
    return f"{percent(preference.margin)} of the {words} without features, {preference.largest_loss:.3g}"


def _selectors(settings: Mapping[str, Any]) -> Mapping[str, Any]:
    found = settings.get("selectors", {})
    return found if isinstance(found, Mapping) else {}


def _short(text: str) -> str:
    return text if len(text) <= LONGEST else text[:LONGEST] + "..."
