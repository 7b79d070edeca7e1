"""A scikit-learn Pipeline as the base of stability selection: what it selects, and by which parameter how much."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
from sklearn.base import ClassNamePrefixFeaturesOutMixin
from sklearn.feature_selection import VarianceThreshold
from sklearn.pipeline import Pipeline

from steadyset.foundation.errors import InputError
from steadyset.kernels.arrays import Bools, Ints

SIZE_NAMES = ("k", "n_features_to_select")


def is_pipeline(base: Any) -> bool:
    """Whether a base has steps, of which each gets what the one before it hands on."""
    return isinstance(base, Pipeline)


def refuse_unable(base: Any) -> None:
    """Refuse a pipeline whose result names no features, before any run."""
    steps = list(_steps(base))
    if not any(hasattr(step, "get_support") for _, step in steps):
        name = type(steps[-1][1]).__name__ if steps else ""
        in_place = f"SelectFromModel({name}(...)) in the place of {name}" if name and _predicts(steps[-1][1]) else ""
        example = in_place or "SelectKBest"
        raise InputError(f"No step of the pipeline is a selector. Give base a pipeline with one, such as {example}.")
    for _, step in steps:
        if isinstance(step, ClassNamePrefixFeaturesOutMixin):
            raise InputError(
                f"The pipeline has the step {type(step).__name__}, which makes new columns out of the features. Give "
                "base a pipeline without it."
            )
    _, last = steps[-1]
    if not hasattr(last, "get_support") and not hasattr(last, "transform"):
        raise InputError(
            f"The pipeline ends with {type(last).__name__}, which predicts. Give base the steps before it, or "
            f"SelectFromModel({type(last).__name__}(...)) in its place."
        )


def refuse_predictor(base: Any) -> None:
    """Refuse a model without features of its own choice, before any run."""
    if _predicts(base) and not hasattr(base, "get_support"):
        name = type(base).__name__
        raise InputError(
            f"{name} predicts, and does not select features by itself. Give base SelectFromModel({name}(...)), or a "
            "selector of steadyset by its name, such as 'lasso'."
        )


def _predicts(step: Any) -> bool:
    return hasattr(step, "predict")


def size_of_pipeline(base: Any) -> str | None:
    """Return the parameter of the last selecting step that says how many features it selects; None without one."""
    selecting = [
        (prefix, step)
        for prefix, step in _steps(base)
        if hasattr(step, "get_support") and not isinstance(step, VarianceThreshold)
    ]
    if not selecting:
        return None
    prefix, step = selecting[-1]
    if hasattr(step, "has_size") and not step.has_size():
        return None
    return next((f"{prefix}{name}" for name in SIZE_NAMES if name in step.get_params()), None)


def support_of(fitted: Any) -> Bools:
    """Return which features a fitted selector kept; in a pipeline each step narrows what the next one may keep."""
    if not is_pipeline(fitted):
        return np.asarray(fitted.get_support(), dtype=np.bool_)
    steps = [step for _, step in _steps(fitted)]
    n_features = int(steps[0].n_features_in_)
    passed: Ints = np.arange(n_features)
    for step in steps:
        passed = passed[step.get_support(indices=True)] if hasattr(step, "get_support") else _behind(step, passed)
    support = np.zeros(n_features, dtype=np.bool_)
    support[passed] = True
    return support


def seeds_of_pipeline(base: Any, seed: int) -> dict[str, int]:
    """Return the open seeds of the steps of a pipeline, each with one of its own that follows from `seed`."""
    parameters = base.get_params()
    states = sorted(name for name in parameters if name.rpartition("__")[2] == "random_state")
    drawn = np.random.SeedSequence(seed).generate_state(len(states)).tolist()
    return {name: one % 2**31 for name, one in zip(states, drawn, strict=True) if parameters[name] is None}


def _steps(pipeline: Any, prefix: str = "") -> Iterator[tuple[str, Any]]:
    """Yield the steps in their order, with what stands before the names of their parameters."""
    for name, step in pipeline.steps:
        if step is None or isinstance(step, str):  # passthrough
            continue
        if is_pipeline(step):
            yield from _steps(step, f"{prefix}{name}__")
        else:
            yield f"{prefix}{name}__", step


def _behind(step: Any, passed: Ints) -> Ints:
    """Return the features behind a step that does not select: by the names that it hands on, else all as they are."""
    if not hasattr(step, "get_feature_names_out"):
        return passed
    names = [f"x{f}" for f in range(len(passed))]
    places = {name: f for f, name in enumerate(names)}
    told = [str(name).rpartition("__")[2] for name in step.get_feature_names_out(np.array(names, dtype=object))]
    unknown = [name for name in told if name not in places]
    if unknown:
        raise InputError(
            f"The step {type(step).__name__} of the pipeline makes the new column {unknown[0]!r}. Give base a pipeline "
            "whose steps keep the features as they are, or leave some out."
        )
    return passed[[places[name] for name in told]]
