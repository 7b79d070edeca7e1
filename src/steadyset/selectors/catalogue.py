"""Selectors by name, for a task: what a text such as "jmi:k=20" stands for, who can run on what, and the whole list."""

from __future__ import annotations

import inspect
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any

from sklearn.base import clone, is_classifier
from sklearn.utils import get_tags

from steadyset.foundation.errors import InputError
from steadyset.foundation.text import first_paragraph, headed_line, is_deprecated, meanings, reference
from steadyset.io.labels import name_and_params
from steadyset.selectors.covariates import takes_covariates
from steadyset.selectors.ensembles import StabilitySelection
from steadyset.selectors.ensembles.rules import get_rule
from steadyset.selectors.filters import Filter, FilterSelector, get_filter
from steadyset.selectors.filters.registry import FILTERS
from steadyset.selectors.functions import FunctionSelector, options_of_function
from steadyset.selectors.known import MODELS, NamedModel
from steadyset.tasks import CLASSES, TASKS

if TYPE_CHECKING:
    import pandas as pd


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
        if selector.base is None and TASKS[task].has_classes and n_classes <= 2:
            return ""
        if TASKS[task].has_classes and not _binary_only(selector):  # its base takes them, or each against the others
            return ""
        return why_unable("lasso" if selector.base is None else selector.base, task, n_classes)
    if isinstance(selector, FilterSelector):
        target = get_filter(selector.name).target
        if target and not TASKS[task].among(target):
            return _serves(target)
    elif not TASKS[task].has_classes and is_classifier(selector):
        return _serves([CLASSES])
    if TASKS[task].has_classes and n_classes > 2 and _binary_only(selector):
        return "for two classes"
    return ""


def with_covariates(task: str, n_classes: int) -> list[str]:
    """The names of the selectors that can keep covariates beside what they select."""
    able = [name for name in selector_names() if not why_unable(name, task, n_classes)]
    return [name for name in able if takes_covariates(selector_by_name(name, task), task)]


def _serves(tasks: Iterable[Any]) -> str:
    """What a selector for these tasks is for, in words."""
    return f"for {' or '.join(TASKS[task].several for task in tasks)}"


def is_ours(estimator: Any) -> bool:
    """Whether an estimator belongs to steadyset."""
    return type(estimator).__module__.startswith("steadyset.")


def is_own_filter(name: str) -> bool:
    """Whether the function that scores for a filter belongs to steadyset."""
    score = get_filter(name).score
    return str(getattr(getattr(score, "func", score), "__module__", "")).startswith("steadyset.")


def open_tasks(selector: Any, task: str) -> dict[str, str]:
    """The parameters `task` that nobody has set, of steadyset's selectors alone or within others, with the task."""
    parameters = selector.get_params(deep=True)
    parts = {"task": selector, **{f"{name}__task": part for name, part in parameters.items()}}
    return {name: task for name, part in parts.items() if is_ours(part) and parameters.get(name, "") is None}


def with_task(selector: Any, task: str) -> Any:
    """A selector of steadyset, alone or within another, takes the target for what the whole assessment takes it for."""
    unset = open_tasks(selector, task) if hasattr(selector, "get_params") else {}
    return clone(selector).set_params(**unset) if unset else selector


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
        if isinstance(selector, FunctionSelector):
            return _with_arguments(selector, name, params)
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


def _with_arguments(selector: FunctionSelector, name: str, given: Mapping[str, Any]) -> FunctionSelector:
    """Return the selector with values of its function's further arguments; names that it lacks are refused."""
    known = options_of_function(selector.function)
    unknown = sorted(set(given) - set(known))
    if unknown:
        takes = f"it takes {', '.join(known)}" if known else "its function takes X and y alone"
        raise InputError(f"The selector {name!r} has no parameter {unknown[0]!r}; {takes}.")
    return selector.set_params(params=dict(given)) if given else selector


def _with_options(name: str, given: Mapping[str, Any]) -> dict[str, Any]:
    """Options of a filter's score are parameters of its name, and go into `params`."""
    options = {key: value for key, value in given.items() if key in get_filter(name).options}
    rest = {key: value for key, value in given.items() if key not in options}
    return rest | ({"params": options} if options else {})


OPTION = "an option of the score"
MEANINGS = {  # of the options of steadyset's own filters
    "alpha": "weight of relevance, from 0 to 1: 0.5 is mrmr, 1 is mim",
    "bounded": "whether J is bounded by I(Y; X), as in Fleuret's algorithm, so that no feature counts more next to a "
    "selected feature than alone; False is his formula for J, without the bound",
    "discretise": "how features are cut into bins: equal_width, mdl, or distinct for categories",
    "equal_var": "whether the classes have one variance; False: Welch's test",
    "max_features": "how many features a node of a tree draws: sqrt or log2 of all, a number, a share, None for all",
    "min_samples_leaf": "the least number of rows in a leaf",
    "n_estimators": "how many trees",
    "n_neighbors": "how many nearest rows of each class",
}


def list_selectors() -> pd.DataFrame:
    """The catalogue of selectors, models and filters alike.

    Returns
    -------
    pandas.DataFrame
        One row per selector: what it does, the target it takes, its parameters with their meanings, and its reference.

    Examples
    --------
    >>> import steadyset as st
    >>> st.list_selectors().loc["lasso", "target"]
    'classes or number or count or survival'
    """
    import pandas as pd

    return pd.DataFrame([selector_entry(name) for name in selector_names()]).set_index("name")


def selector_entry(name: str) -> dict[str, Any]:
    """What the catalogue tells of a selector; its parameters are what may follow its name after a colon."""
    if name not in selector_names():
        raise unknown_selector(name)
    model = MODELS.get(name)
    if model is not None:
        return {"name": name, "kind": "model", "target": _target(name), **_of_model(model)}
    record = get_filter(name)
    return {"name": name, "kind": "filter", "target": _target(name) if record.target else "none", **_of_filter(record)}


def selector_summary(name: str) -> str:
    """What a selector does, as its entry says."""
    told = _of_filter(get_filter(name)) if name not in MODELS else _of_model(MODELS[name])
    return str(told["summary"])


def about_selector(selector: Any, task: str) -> tuple[str, str]:
    """What a selector does for a task, in a phrase, and its reference; "" where nobody registered it."""
    if isinstance(selector, FilterSelector):
        record = get_filter(selector.name)
        score = record.told_for(task, "summary") or record.name
        return f"a filter by the {score}", record.told_for(task, "reference")
    if isinstance(selector, StabilitySelection):
        return _stability_selection(selector, task)
    given = selector.get_params(deep=False) if hasattr(selector, "get_params") else {}
    fitting = [
        model
        for model in map(MODELS.get, selector_names())
        if model is not None
        and any(_are_alike(maker(), selector) for maker in model.makers.values())
        and all(given.get(name) == value for name, value in model.params.items())
    ]
    if not fitting:
        text = reference(type(selector))
        free = type(selector).__module__.startswith("sklearn.") and ":doi:" not in text
        return "", "" if free else text  # scikit-learn's own lists are written for people, and no citations
    told = _of_model(max(fitting, key=lambda model: len(model.params)))  # elastic_net is a lasso with a parameter
    regression = TASKS[task].regression or "logistic or linear"
    return str(told["summary"]).replace("logistic or linear", regression), str(told["reference"])


def _are_alike(made: Any, selector: Any) -> bool:
    """Return whether two selectors are of one class, or call the same function."""
    if type(made) is not type(selector):
        return False
    return not isinstance(made, FunctionSelector) or made.function is selector.function


def _stability_selection(selector: StabilitySelection, task: str) -> tuple[str, str]:
    """Stability selection with what its base and its rule follow."""
    name = "lasso" if selector.base is None else selector.base
    base = selector_by_name(name, task) if isinstance(name, str) else name
    words, followed = about_selector(base, task)
    references = [
        "Meinshausen and Bühlmann 2010",
        "Shah and Samworth 2013",
        get_rule(selector.rule).reference,
        followed,
    ]
    parts = dict.fromkeys(part.strip() for text in references for part in text.split(";") if part.strip())
    return f"stability selection based on {words or type(base).__name__}", "; ".join(parts)


def _of_model(model: NamedModel) -> dict[str, Any]:
    made = [maker() for maker in model.makers.values()]
    kinds = [one.function if isinstance(one, FunctionSelector) else type(one) for one in made]
    kind = next((one for one in kinds if meanings(one)), kinds[0])
    return {
        "summary": model.summary or first_paragraph(kind),
        "formula": model.formula or headed_line(kind, "Formula"),
        "parameters": {**_parameters(made[0]), **model.params},
        "meanings": meanings(kind),
        "reference": model.reference or reference(kind),
    }


def _of_filter(record: Filter) -> dict[str, Any]:
    shared = _parameters(FilterSelector(record.name))
    own = {key: shared[key] for key in shared if key not in ("name", "params")} | record.options
    return {
        "summary": record.told("summary") or first_paragraph(record.score),
        "formula": record.told("formula") or headed_line(record.score, "Formula"),
        "parameters": own,
        "meanings": {**meanings(FilterSelector), **{name: MEANINGS.get(name, OPTION) for name in record.options}},
        "reference": record.reference,
    }


def _parameters(selector: Any) -> dict[str, Any]:
    if isinstance(selector, FunctionSelector):
        return options_of_function(selector.function)
    if not hasattr(selector, "get_params"):
        return {}
    given: dict[str, Any] = selector.get_params(deep=False)
    in_order = [name for name in inspect.signature(type(selector)).parameters if name in given]
    return {name: given[name] for name in in_order if not is_deprecated(given[name])}


def _target(name: str) -> str:
    """The targets that it can run on, in words."""
    words = []
    for task in TASKS.every():
        if task.has_classes and not why_unable(name, task.name, 3):
            words.append(task.name)
        elif not why_unable(name, task.name, 2):
            words.append(f"two {task.several}" if task.has_classes else task.name)
    return " or ".join(words)
