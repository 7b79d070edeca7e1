"""Selectors by name, as the command and `assess` take them: "jmi", "lasso:k=10", "anova:fraction=0.05"."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from sklearn.base import clone, is_classifier
from sklearn.utils import get_tags

from steadyset.foundation.errors import InputError
from steadyset.io.labels import name_and_params
from steadyset.selectors.ensembles import StabilitySelection
from steadyset.selectors.filters import FilterSelector, get_filter
from steadyset.selectors.filters.registry import FILTERS
from steadyset.selectors.known import MODELS, NamedModel
from steadyset.tasks import CLASSES, TASKS


def refuse_unable(selectors: Mapping[str, Any], task: str, n_classes: int) -> None:
    """Name all selectors, by name or as they are, that cannot run on a task; others may still fail in their runs."""
    reasons = {name: why_unable(selector, task, n_classes) for name, selector in selectors.items()}
    unable = [f"{name} ({reason})" for name, reason in reasons.items() if reason]
    if unable:
        some = f"{len(unable)} of {len(reasons)} selectors" if len(reasons) > 1 else "The selector"
        others = ", ".join(TASKS[task].selectors(n_classes))
        outcome = TASKS[task].outcome(n_classes)
        raise InputError(f"{some} cannot run on {outcome}: {', '.join(unable)}; choose others, such as {others}.")


def why_unable(selector: Any, task: str, n_classes: int) -> str:
    """Why a selector cannot run on a task; "" where nothing speaks against it."""
    if isinstance(selector, str):
        name, _ = name_and_params(selector)
        if name in MODELS and MODELS[name].maker(task) is None:
            return _serves(MODELS[name].makers)
        selector = selector_by_name(selector, task)
    if isinstance(selector, StabilitySelection):
        if TASKS[task].has_classes and not _binary_only(selector):  # its base takes them, or each against the others
            return ""
        if selector.base is None and TASKS[task].has_classes and n_classes <= 2:
            return ""
        return why_unable("lasso" if selector.base is None else selector.base, task, n_classes)
    if isinstance(selector, FilterSelector):
        target = get_filter(selector.name).target
        if target and task not in target:
            return _serves(target)
    elif not TASKS[task].has_classes and is_classifier(selector):
        return _serves([CLASSES])
    if TASKS[task].has_classes and n_classes > 2 and _binary_only(selector):
        return "for two classes"
    return ""


def _serves(tasks: Iterable[Any]) -> str:
    """What a selector for these tasks is for, in words."""
    return f"for {' or '.join(TASKS[task].several for task in tasks)}"


def with_task(selector: Any, task: str) -> Any:
    """A selector of steadyset, alone or within another, takes the target for what the whole assessment takes it for."""
    if not hasattr(selector, "get_params"):
        return selector
    parts = {"": selector, **selector.get_params(deep=True)}
    asked = [name for name, part in parts.items() if isinstance(part, FilterSelector | StabilitySelection)]
    open_tasks = {f"{name}__task".removeprefix("__"): task for name in asked if parts[name].task is None}
    return clone(selector).set_params(**open_tasks) if open_tasks else selector


def _binary_only(selector: Any) -> bool:
    """Whether a classifier takes two classes only."""
    try:
        tags = get_tags(selector)
    except Exception:  # what is no scikit-learn estimator says nothing of itself
        return False
    return tags.classifier_tags is not None and not tags.classifier_tags.multi_class


def selector_names() -> list[str]:
    """Every name that `selector_by_name` takes: the models, then the filters."""
    return [*sorted(MODELS.names()), *(name for name in FILTERS.names() if name not in MODELS)]


def named_model(name: str) -> NamedModel | None:
    """What a name stands for; None for the name of a filter."""
    return MODELS.get(name)


def unknown_selector(name: str) -> InputError:
    """The error for a name that is no selector's."""
    return MODELS.unknown(name, selector_names(), FILTERS.descriptions() | MODELS.descriptions())


def selector_by_name(text: str, task: str) -> Any:
    """The selector that a text describes, for a task: name[:param=value[,param=value]...]."""
    name, given = name_and_params(text)
    known = selector_names() if name not in MODELS else []
    if name in MODELS:
        model = MODELS[name]
        kind = model.maker(task)
        if kind is None:
            raise InputError(f"The selector {name!r} cannot be used for {task}.")
        selector, params = with_task(kind(), task), {**model.params, **given}
    elif name in known:
        selector, params = FilterSelector(name, task=task), _with_options(name, given)
    else:
        raise unknown_selector(name)
    unknown = sorted(set(params) - set(selector.get_params()))
    if unknown:
        options = get_filter(name).options if name not in MODELS else {}
        takes = ", ".join(sorted({*selector.get_params(), *options}))
        raise InputError(f"The selector {name!r} has no parameter {unknown[0]!r}; it takes {takes}.")
    return selector.set_params(**params)


def _with_options(name: str, given: Mapping[str, Any]) -> dict[str, Any]:
    """Options of a filter's score are parameters of its name, and go into `params`."""
    options = {key: value for key, value in given.items() if key in get_filter(name).options}
    rest = {key: value for key, value in given.items() if key not in options}
    return rest | ({"params": options} if options else {})
