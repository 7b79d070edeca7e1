"""The catalogue of selectors: what each does, what target it takes, its parameters and its reference."""

from __future__ import annotations

import inspect
from typing import TYPE_CHECKING, Any

from steadyset.foundation.docstrings import first_paragraph, headed_line, is_deprecated, meanings, reference
from steadyset.selectors.ensembles import StabilitySelection
from steadyset.selectors.ensembles.rules import get_rule
from steadyset.selectors.filters import Filter, FilterSelector, get_filter
from steadyset.selectors.known import NamedModel
from steadyset.selectors.names import named_model, selector_by_name, selector_names, unknown_selector, why_unable
from steadyset.tasks import TASKS

if TYPE_CHECKING:
    import pandas as pd

OPTION = "an option of the score"
MEANINGS = {  # of the options of steadyset's own filters
    "bounded": "whether a feature counts no more beside a selected one than alone",
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
    'two classes or number'
    """
    import pandas as pd

    return pd.DataFrame([selector_entry(name) for name in selector_names()]).set_index("name")


def selector_entry(name: str) -> dict[str, Any]:
    """What the catalogue tells of a selector; its parameters are what may follow its name after a colon."""
    if name not in selector_names():
        raise unknown_selector(name)
    model = named_model(name)
    if model is not None:
        return {"name": name, "kind": "model", "target": _target(name), **_of_model(model)}
    record = get_filter(name)
    return {"name": name, "kind": "filter", "target": _target(name) if record.target else "none", **_of_filter(record)}


def about_selector(selector: Any, task: str) -> tuple[str, str]:
    """What a selector does for a task, in a phrase, and its reference; "" where nobody registered it."""
    if isinstance(selector, FilterSelector):
        record = get_filter(selector.name)
        return f"a filter by the {record.summary_for(task) or record.name}", record.reference
    if isinstance(selector, StabilitySelection):
        return _stability_selection(selector, task)
    given = selector.get_params(deep=False) if hasattr(selector, "get_params") else {}
    fitting = [
        model
        for model in map(named_model, selector_names())
        if model is not None
        and any(type(maker()) is type(selector) for maker in model.makers.values())
        and all(given.get(name) == value for name, value in model.params.items())
    ]
    if not fitting:
        text = reference(type(selector))
        free = type(selector).__module__.startswith("sklearn.") and ":doi:" not in text
        return "", "" if free else text  # scikit-learn's own lists are written for people, and no citations
    told = _of_model(max(fitting, key=lambda model: len(model.params)))  # elastic_net is a lasso with a parameter
    regression = TASKS[task].regression or "logistic or linear"
    return str(told["summary"]).replace("logistic or linear", regression), str(told["reference"])


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
    kind = next((type(one) for one in made if meanings(type(one))), type(made[0]))
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
