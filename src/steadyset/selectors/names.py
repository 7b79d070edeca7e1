"""Selectors by name, as the command and `assess` take them: "jmi", "lasso:k=10", "anova:fraction=0.05"."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import partial
from typing import Any

from sklearn.base import clone, is_classifier
from sklearn.utils import get_tags

from steadyset.arguments import wrong_argument
from steadyset.errors import InputError
from steadyset.io.labels import name_and_params
from steadyset.plugins import PlugIns, check_new_name
from steadyset.selectors.boosting import BoostedLinear, BoostedLogistic
from steadyset.selectors.ensembles import StabilitySelection
from steadyset.selectors.filters import FilterSelector, filter_names, get_filter
from steadyset.selectors.forest import ForestClassification, ForestRegression
from steadyset.selectors.l0 import L0Linear, L0Logistic
from steadyset.selectors.linear import SparseLinear, SparseLogistic
from steadyset.selectors.rfe import RecursiveElimination
from steadyset.task import CLASSES, NUMBER, Task


@dataclass(frozen=True)
class NamedModel:
    """What makes the selector for each task (None: there is none) and the parameters that the name stands for.

    `summary` says in a phrase what it does, `reference` who published it; without them its docstring does.
    """

    classes: Callable[[], Any] | None
    number: Callable[[], Any] | None
    params: dict[str, Any] = field(default_factory=dict)
    summary: str = ""
    reference: str = ""


MODELS: dict[str, NamedModel] = {
    "lasso": NamedModel(
        *(SparseLogistic, SparseLinear, {}, "L1-penalised logistic or linear regression (lasso)"),
        "Tibshirani 1996; Friedman, Hastie and Tibshirani 2010",
    ),
    "elastic_net": NamedModel(
        *(SparseLogistic, SparseLinear, {"l1_ratio": 0.5}, "logistic or linear regression with an elastic-net penalty"),
        "Zou and Hastie 2005; Friedman, Hastie and Tibshirani 2010",
    ),
    "l0": NamedModel(
        *(L0Logistic, L0Linear, {}, "logistic or linear regression on the best subset of k features, by local search"),
        "Hazimeh and Mazumder 2020",
    ),
    "boosting": NamedModel(
        *(BoostedLogistic, BoostedLinear, {}, "component-wise boosting of a logistic or linear regression"),
    ),
    "forest": NamedModel(
        *(ForestClassification, ForestRegression, {}, "the features of largest impurity importance in a random forest"),
    ),
    "forest_permutation": NamedModel(
        *(ForestClassification, ForestRegression, {"importance": "permutation"}),
        "the features of largest out-of-bag permutation importance in a random forest",
    ),
    "rfe": NamedModel(
        *(RecursiveElimination, None, {}, "recursive feature elimination by a ridge logistic regression"),
    ),
    "rfe_svm": NamedModel(
        *(RecursiveElimination, None, {"loss": "hinge"}),
        "recursive feature elimination by a linear support vector machine",
    ),
    "stability_selection": NamedModel(
        *(
            StabilitySelection,
            StabilitySelection,
            {},
            "the features that a base selector chooses on most halves",
        ),
        "Meinshausen and Bühlmann 2010; Shah and Samworth 2013",
    ),
}

# What is compared where nobody chooses: different ways to select that can all run on the task.
DEFAULTS: dict[str, tuple[str, ...]] = {
    "two classes": ("lasso", "elastic_net", "jmi", "anova", "forest"),
    "several classes": ("anova", "kruskal", "jmi", "relieff", "forest"),
    "a number": ("lasso", "elastic_net", "jmi", "anova", "forest"),
}


def default_selectors(task: Task, n_classes: int = 2) -> tuple[str, ...]:
    """The names of the selectors that are compared where none is chosen."""
    kind = "a number" if task == NUMBER else "two classes" if n_classes <= 2 else "several classes"
    return DEFAULTS[kind]


def refuse_unable(selectors: Mapping[str, Any], task: Task, n_classes: int) -> None:
    """Name all selectors, by name or as they are, that cannot run on a task; others may still fail in their runs."""
    reasons = {name: why_unable(selector, task, n_classes) for name, selector in selectors.items()}
    unable = [f"{name} ({reason})" for name, reason in reasons.items() if reason]
    if unable:
        outcome = "a number" if task == NUMBER else f"{n_classes} classes"
        some = f"{len(unable)} of {len(reasons)} selectors" if len(reasons) > 1 else "The selector"
        others = ", ".join(default_selectors(task, n_classes))
        raise InputError(f"{some} cannot run on {outcome}: {', '.join(unable)}; choose others, such as {others}.")


def why_unable(selector: Any, task: Task, n_classes: int) -> str:
    """Why a selector cannot run on a task; "" where nothing speaks against it."""
    if isinstance(selector, str):
        name, _ = name_and_params(selector)
        if name in MODELS and (MODELS[name].classes if task == CLASSES else MODELS[name].number) is None:
            return "for classes" if task == NUMBER else "for numbers"
        selector = selector_by_name(selector, task)
    if isinstance(selector, StabilitySelection):
        base = ("lasso" if task == NUMBER or n_classes > 2 else None) if selector.base is None else selector.base
        return "" if base is None else why_unable(base, task, n_classes)
    if isinstance(selector, FilterSelector):
        target = get_filter(selector.name).target
        if target and task not in target:
            return "for numbers" if task == CLASSES else "for classes"
    elif task == NUMBER and is_classifier(selector):
        return "for classes"
    if task == CLASSES and n_classes > 2 and _binary_only(selector):
        return "for two classes"
    return ""


def with_task(selector: Any, task: Task) -> Any:
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
    _plugins.load()
    return [*MODELS, *(name for name in filter_names() if name not in MODELS)]


def named_model(name: str) -> NamedModel | None:
    """What a name stands for; None for the name of a filter."""
    return MODELS.get(name)


def register_selector(
    name: str,
    selector: Any = None,
    *,
    classes: Any = None,
    number: Any = None,
    params: Mapping[str, Any] | None = None,
    summary: str = "",
    reference: str = "",
    replace: bool = False,
) -> None:
    """Make a selector known by a name, to `assess`, `tune` and the command.

    Parameters
    ----------
    name : what `assess(["name:param=value"], ...)` and the command take
    selector : a class, a function without arguments that makes one, or an estimator that is copied; for both tasks
    classes, number : instead of it, one for each task; a task that is left out is refused by a sentence
    params : the parameters that the name stands for, such as {"l1_ratio": 0.5}
    summary, reference : what it does, in a phrase, and who published it; without them its docstring tells
    replace : whether another selector of this name gives way
    """
    check_new_name("selector", name, [*MODELS, *filter_names(search=False)], replace=replace)
    if (selector is None) == (classes is None and number is None):
        raise InputError("selector must be given, or classes or number instead of it.")
    if selector is not None:
        classes = number = selector
    for argument, text in (("summary", summary), ("reference", reference)):
        if not isinstance(text, str):
            raise wrong_argument(argument, "text", text)
    MODELS[name] = NamedModel(_maker(classes), _maker(number), dict(params or {}), summary, reference)


def _maker(selector: Any) -> Callable[[], Any] | None:
    if selector is None or (callable(selector) and not hasattr(selector, "fit")) or isinstance(selector, type):
        return selector  # type: ignore[no-any-return]
    if not hasattr(selector, "get_params"):
        raise wrong_argument("selector", "a scikit-learn estimator, its class or a function", selector)
    return partial(clone, selector)


def _adopt(name: str, selector: Any) -> None:
    """Register what an entry point stands for, unless its module has done that."""
    if name not in MODELS or selector not in (MODELS[name].classes, MODELS[name].number):
        register_selector(name, selector)


_plugins = PlugIns("selector", _adopt)


def unknown_selector(name: str) -> InputError:
    """The error for a name that is no selector's."""
    return _plugins.unknown(name, selector_names(), listing="list_selectors()")


def selector_by_name(text: str, task: Task) -> Any:
    """The selector that a text describes, for a task: name[:param=value[,param=value]...]."""
    name, given = name_and_params(text)
    known = selector_names() if name not in MODELS else []
    if name in MODELS:
        model = MODELS[name]
        kind = model.classes if task == CLASSES else model.number
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
