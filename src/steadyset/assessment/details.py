"""What a run folder tells of an assessment besides what decides its result: for the methods paragraph of a paper."""

from __future__ import annotations

import inspect
import re
import sys
from collections.abc import Callable, Mapping, Sequence
from importlib.metadata import version
from typing import Any

import numpy as np

from steadyset.foundation.docstrings import reference
from steadyset.foundation.job import current_job
from steadyset.foundation.text import shown_name
from steadyset.inference.feature_details import data_directions
from steadyset.runner.columns import FunctionSelector, function_name
from steadyset.runner.plan import Plan
from steadyset.runner.scoring import default_predictor
from steadyset.selectors.catalogue import about_selector
from steadyset.selectors.validation import size_or_default
from steadyset.tasks import TASKS

JOB = "job"
PACKAGES = ("numpy", "scipy", "scikit-learn")
# What an assessment sets itself, and what names a filter, a function or its features.
UNTOLD = ("random_state", "n_jobs", "task", "name", "function", "features", "frame")
LONGEST = 200  # characters of a parameter that is told


def data_details(plan: Plan, target: str = "") -> dict[str, Any]:
    """The target, the missing values, the groups and the resampling, the versions of what computes, the job."""
    resampling = plan.resampling
    task = TASKS[plan.task]
    return {
        "target": target,
        "classes": {str(label): count for label, count in task.counts(plan.y).items()},
        "other_task": task.other(plan.y) if plan.task_assumed else None,
        "directions": data_directions(plan.amounts, plan.y, plan.task).tolist(),
        "missing_values": int(np.isnan(plan.X[:, plan.gaps]).sum()),
        "missing_features": len(plan.gaps),
        "n_groups": 0 if plan.groups is None else len(np.unique(plan.groups)),
        "n_runs": plan.n_runs,
        "resampling": {"words": resampling.in_words(), "reference": reference(type(resampling))},
        "predictor": predictor_words(plan),
        "versions": {"python": sys.version.split()[0], **{name: version(name) for name in PACKAGES}},
        **({JOB: job} if (job := current_job()) is not None else {}),
    }


def selector_details(
    selectors: Mapping[str, Any], n_features: int, task: str, shown: Callable[[Any], str]
) -> dict[str, dict[str, Any]]:
    """What each selector is, by name: in a phrase, its reference, and the parameters that are not at their defaults.

    `shown` puts the value of a parameter into text.
    """
    return {name: _selector(selector, n_features, task, shown) for name, selector in selectors.items()}


def predictor_words(plan: Plan) -> str:
    """What predicts from the selected features, where there are scores."""
    if not plan.scoring:
        return ""
    usual = default_predictor(plan.task)
    steps = [step for _, step in getattr(plan.predictor, "steps", [("", plan.predictor)])]
    fills = type(steps[0]).__name__ == "SimpleImputer" and len(steps) == len(usual.steps) + 1
    if [repr(step) for step in steps[fills:]] == [repr(step) for _, step in usual.steps]:
        filled = ", with missing values replaced by medians" * fills
        return f"a {TASKS[plan.task].predictor_words} on standardised features{filled}"
    if repr(plan.predictor) == repr(default_predictor(plan.task, encodes=True)):
        coded = ", with a column of 0 and 1 for each label of text"
        return f"a {TASKS[plan.task].predictor_words} on standardised features{coded}"
    return _listed_steps(steps)


def _selector(selector: Any, n_features: int, task: str, shown: Callable[[Any], str]) -> dict[str, Any]:
    summary, reference = about_selector(selector, task)
    if isinstance(selector, FunctionSelector):
        named = getattr(selector.function, "__name__", "<lambda>") != "<lambda>"
        summary = f"the function {function_name(selector.function)}" if named else "a function without a name"
    elif not summary:
        steps = [step for _, step in getattr(selector, "steps", ())]
        summary = _listed_steps(steps) if steps else type(selector).__name__
    return {
        "summary": summary,
        "reference": reference,
        "package": type(selector).__module__.partition(".")[0],
        "parameters": _changed(selector, n_features, shown),
    }


def _changed(selector: Any, n_features: int, shown: Callable[[Any], str]) -> dict[str, str]:
    """The parameters that differ from their defaults; and k where it decides, whose default depends on the data."""
    if hasattr(selector, "steps"):
        return {}
    defaults = {p.name: p.default for p in inspect.signature(type(selector)).parameters.values()}
    given = selector.get_params(deep=False)
    changed = {
        name: shown(given[name])
        for name in defaults
        if name in given and name not in UNTOLD and shown(given[name]) != shown(defaults[name])
    }
    if "k" in given and given["k"] is None and _size_decides(selector):
        changed["k"] = str(size_or_default(None, n_features))
    return {name: shown_name(text[:LONGEST]) + "..." * (len(text) > LONGEST) for name, text in changed.items()}


def _size_decides(selector: Any) -> bool:
    """Whether one of steadyset's selectors goes by its number of features, where it is not given."""
    if not type(selector).__module__.startswith("steadyset."):
        return False
    return bool(selector.has_size()) if hasattr(selector, "has_size") else getattr(selector, "n_steps", None) is None


def _listed_steps(steps: Sequence[Any]) -> str:
    told = [_told(step) for step in steps if step is not None and not isinstance(step, str)]
    return f"a pipeline of {', '.join(told)}" if len(told) > 1 else "".join(told)


def _told(estimator: Any) -> str:
    """An estimator as it prints itself, which scikit-learn's do by what differs from their defaults."""
    text = re.sub(r" at 0x[0-9a-f]+", "", " ".join(repr(estimator).split())).removesuffix("()")
    return text if len(text) <= LONGEST else type(estimator).__name__
