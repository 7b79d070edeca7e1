"""Selectors by name, as the command and `assess` take them: "jmi", "lasso:k=10", "anova:fraction=0.05"."""

from __future__ import annotations

import difflib
from dataclasses import dataclass, field
from typing import Any

from steadyset.errors import InputError
from steadyset.labels import name_and_params
from steadyset.selectors.boosting import BoostedLinear, BoostedLogistic
from steadyset.selectors.ensembles import StabilitySelection
from steadyset.selectors.filters import FilterSelector, list_filters
from steadyset.selectors.forest import ForestClassification, ForestRegression
from steadyset.selectors.l0 import L0Linear, L0Logistic
from steadyset.selectors.linear import SparseLinear, SparseLogistic
from steadyset.selectors.rfe import RecursiveElimination
from steadyset.task import CLASSES


@dataclass(frozen=True)
class NamedModel:
    """The class for each task (None: there is none) and the parameters that the name stands for."""

    classes: type[Any] | None
    number: type[Any] | None
    params: dict[str, Any] = field(default_factory=dict)


MODELS: dict[str, NamedModel] = {
    "lasso": NamedModel(SparseLogistic, SparseLinear),
    "elastic_net": NamedModel(SparseLogistic, SparseLinear, {"l1_ratio": 0.5}),
    "l0": NamedModel(L0Logistic, L0Linear),
    "boosting": NamedModel(BoostedLogistic, BoostedLinear),
    "forest": NamedModel(ForestClassification, ForestRegression),
    "forest_permutation": NamedModel(ForestClassification, ForestRegression, {"importance": "permutation"}),
    "rfe": NamedModel(RecursiveElimination, None),
    "rfe_svm": NamedModel(RecursiveElimination, None, {"loss": "hinge"}),
    "stability_selection": NamedModel(StabilitySelection, StabilitySelection),
}


def selector_names() -> list[str]:
    """Every name that `selector_by_name` takes: the models, then the filters."""
    return [*MODELS, *(name for name in list_filters().index if name not in MODELS)]


def selector_by_name(text: str, task: str) -> Any:
    """The selector that a text describes, for a task: name[:param=value[,param=value]...]."""
    name, given = name_and_params(text)
    if name in MODELS:
        model = MODELS[name]
        kind = model.classes if task == CLASSES else model.number
        if kind is None:
            raise InputError(f"The selector {name!r} cannot be used for {task}.")
        selector, params = kind(), {**model.params, **given}
    elif name in list_filters().index:
        selector, params = FilterSelector(name, task=task), given
    else:
        known = selector_names()
        near = difflib.get_close_matches(name, known, n=1)
        hint = f"did you mean {near[0]!r}?" if near else f"known are {', '.join(known)}."
        raise InputError(f"There is no selector called {name!r}; {hint}")
    unknown = sorted(set(params) - set(selector.get_params()))
    if unknown:
        takes = ", ".join(sorted(selector.get_params()))
        raise InputError(f"The selector {name!r} has no parameter {unknown[0]!r}; it takes {takes}.")
    return selector.set_params(**params)
