"""The configurations that tuning may try: filters, the fraction that they keep, models and their parameters.

    {"filter": ["none", "jmi"],
     "fraction": {"low": 0.0, "high": 1.0},
     "model": {"lasso": {"penalty": {"low": 1e-4, "high": 1.0, "log": True}},
               "knn": {"kneighborsclassifier__n_neighbors": [1, 3, 5]},
               "mine": (MyClassifier(), {"depth": {"low": 1, "high": 5}})}}

A range is a mapping with low and high (whole numbers where both are) and perhaps log; a list holds choices. A model is
named (a selector of `steadyset.selectors`, or svm, knn, ridge) or given with its ranges. "filter" and "fraction" may be
left out. A filter keeps fewer features than the fraction says where no more of them score better than a constant
column; "fill": True lets the others in. Parameters within a pipeline, as svm and knn are, are named by scikit-learn's
step__parameter.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
from sklearn.base import clone

from steadyset.assessment.request import description
from steadyset.foundation.arguments import check_choice, check_flag, wrong_argument
from steadyset.foundation.errors import InputError
from steadyset.io.disk import file_path
from steadyset.io.formats.tables import read_json_file
from steadyset.runner.forced import refuse_who_cannot
from steadyset.selectors.catalogue import selector_by_name, why_unable, with_covariates, with_task
from steadyset.selectors.covariates import takes_covariates
from steadyset.selectors.filters import FilterSelector, get_filter
from steadyset.selectors.filters.registry import filters_for
from steadyset.selectors.functions import FunctionSelector, is_plain_function, options_of_function
from steadyset.selectors.linear import ElasticNetSelector
from steadyset.selectors.models.boosting import BoostingSelector
from steadyset.tasks import CLASSES, TASKS
from steadyset.tuning.models import NO_FILTER, PREDICTORS, FilteredModel, SplittingForest, predictor_by_name

Params = dict[str, Any]


@dataclass(frozen=True)
class Range:
    """Numbers from low to high, whole ones where both are, evenly spread or evenly on the log scale."""

    low: float
    high: float
    log: bool = False

    @property
    def whole(self) -> bool:
        return isinstance(self.low, int) and isinstance(self.high, int)


Domain = Range | tuple[Any, ...]


@dataclass(frozen=True)
class Model:
    """An estimator, the domains of its parameters, and how drawn values become its parameters.

    `translate` takes the drawn values and the number of rows of the data.
    """

    estimator: Any
    domains: Mapping[str, Domain]
    translate: Callable[[Params, int], Params] = lambda values, n_rows: values


@dataclass(frozen=True)
class Space:
    """The configurations that tuning may try: every combination of a filter, a fraction and a model with parameters.

    `tune` makes one of the mapping that it gets; one of your own is for a loop of your own, or to limit a ready-made
    space.

    Attributes
    ----------
    filters : tuple of str
        The names of filters, "none" for none.
    fraction : Range or tuple
        The share of the features that a filter keeps.
    models : Mapping
        Each model by name: its `estimator` and the `domains` of its parameters.
    fill : bool
        Whether filters keep as many features as the fraction says, also such that score no better than a constant.
    configurations : tuple of dict
        The configurations of a grid, where it is limited to some.

    Examples
    --------
    >>> import steadyset as st
    >>> space = st.Space.bommert()
    >>> space.filters
    ('none', 'jmi', 'mim', 'impurity')
    >>> params = space.sample(random_state=2)
    >>> params["filter"], params["model"], round(params["fraction"], 2)
    ('impurity', 'knn', 0.3)
    """

    filters: tuple[str, ...]
    fraction: Domain
    models: Mapping[str, Model]
    fill: bool = False
    configurations: tuple[Params, ...] = ()  # where only some count, these

    @staticmethod
    def bommert(task: str = CLASSES, spread: float = 1.0, *, fill: bool = False) -> Space:
        """Bommert (2020), section 6.3.1 and table 6.5: 4 filters x 6 classifiers; for other tasks their counterparts.

        The number of features tried at a split is drawn as a share of the features left by the filter; the node size
        is [(0.2 n)^x] with x from 0 to 1, and a node of that size or smaller is not split. The thesis fills up to as
        many features as a fraction says.

        Parameters
        ----------
        task : {"classes", "number"}, default="classes"
            What y is.
        spread : float, default=1.0
            The standard deviation of a number to predict, in units of which its penalties are.
        fill : bool, default=False
            Whether filters keep as many features as the fraction says, also such that score no better than a constant.

        Returns
        -------
        Space
            The filters none, jmi, mim and impurity, and the models svm, knn, ridge, lasso, forest and boosting.
        """
        powers = Range(2.0**-15, 2.0**15, log=True)
        unit = 1.0 if TASKS[task].has_classes else spread
        penalties = Range(powers.low * unit, powers.high * unit, log=True)
        drawn = {
            "svm": {"C": powers, "gamma": powers},
            "knn": {"n_neighbors": Range(1, 20)},
            "ridge": {"penalty": powers},
        }
        predictors = {name: predictor_by_name(name, task) for name in drawn if TASKS[task].among(PREDICTORS[name])}
        every = {
            **{
                name: Model(found.make(), {f"{found.prefix}{key}": domain for key, domain in drawn[name].items()})
                for name, found in predictors.items()
            },
            "lasso": Model(ElasticNetSelector(task=task), {"penalty": penalties}),
            "forest": Model(
                SplittingForest(task=task),
                {
                    "n_estimators": (100, 200, 500, 1000, 2000, 5000),
                    "node_size": Range(0.0, 1.0),
                    "max_features": Range(0.0, 1.0),
                },
                _forest_params,
            ),
            "boosting": Model(BoostingSelector(task=task), {"n_steps": Range(1, 2**15, log=True)}),
        }
        models = {name: one for name, one in every.items() if name in predictors or _serves(one.estimator, task)}
        known = filters_for(task)
        drawn_filters: tuple[str, ...] = ("jmi", "mim", "impurity")
        if not set(drawn_filters) <= set(known):
            drawn_filters = (*TASKS[task].selectors(2), *drawn_filters)
        return Space(
            (NO_FILTER, *(name for name in drawn_filters if name in known)),
            Range(0.0, 1.0),
            models,
            fill,
        )

    def sample(self, random_state: int | np.random.Generator | None = None) -> dict[str, Any]:
        """One configuration, drawn evenly.

        Parameters
        ----------
        random_state : int, numpy.random.Generator or None, default=None
            What draws; None draws anew each time.

        Returns
        -------
        dict
            The filter, the model, the fraction where there is a filter, and the parameters of the model.
        """
        random = np.random.default_rng(random_state)

        def pick(name: str, domain: Domain) -> Any:
            if not isinstance(domain, Range):
                return domain[int(random.integers(len(domain)))]
            low, high = (domain.low - 0.5, domain.high + 0.5) if domain.whole else (domain.low, domain.high)
            drawn = np.exp(random.uniform(np.log(low), np.log(high))) if domain.log else random.uniform(low, high)
            value = min(max(float(drawn), domain.low), domain.high)
            return round(value) if domain.whole else float(value)

        return drawn_from(self, pick)

    def only(self, configurations: Sequence[Mapping[str, Any]]) -> Space:
        """The same space of which a grid has these configurations alone.

        Parameters
        ----------
        configurations : sequence of dict
            As `sample` gives them.

        Returns
        -------
        Space
            For `tune` with the sampler "grid".
        """
        return replace(self, configurations=tuple(dict(params) for params in configurations))

    def grid(self) -> Iterator[Params]:
        """Every configuration of a space that holds choices only, or those that it was limited to.

        Yields
        ------
        dict
            A configuration, as `sample` gives it.

        Raises
        ------
        InputError
            Where a parameter has a range.
        """
        if self.configurations:
            yield from self.configurations
            return
        for kind, model in itertools.product(self.filters, self.models):
            domains = {f"{model}.{name}": domain for name, domain in self.models[model].domains.items()}
            if kind != NO_FILTER:
                domains = {"fraction": self.fraction, **domains}
            for name, domain in domains.items():
                if isinstance(domain, Range):
                    raise InputError(f"{name} is a range; a grid needs a list of choices.")
            choices = [domain for domain in domains.values() if not isinstance(domain, Range)]
            for values in itertools.product(*choices):
                yield {"filter": kind, "model": model, **dict(zip(domains, values, strict=True))}

    def estimator(self, params: Params, n_rows: int, task: str | None = None) -> FilteredModel:
        """The estimator of a configuration, to be fitted.

        Parameters
        ----------
        params : dict
            A configuration, as `sample` gives it.
        n_rows : int
            How many rows it will be fitted on; the node size of a forest depends on it.
        task : {"classes", "number"} or None, default=None
            What its filter takes y for; None decides by the model.

        Returns
        -------
        FilteredModel
            A scikit-learn estimator with `get_support` and `predict`.
        """
        name = params["model"]
        model = self.models[name]
        values = {key.removeprefix(f"{name}."): v for key, v in params.items() if key.startswith(f"{name}.")}
        fitted = clone(model.estimator).set_params(**model.translate(values, n_rows))
        fraction = params.get("fraction", 1.0)
        return FilteredModel(fitted, filter=params["filter"], fraction=fraction, task=task, fill=self.fill)


def _serves(model: Any, task: str) -> bool:
    return bool(TASKS[task].among(model.outcomes))


def drawn_from(space: Space, pick: Callable[[str, Domain], Any]) -> Params:
    """One configuration: `pick` is asked for each parameter that matters, by name."""
    params: Params = {"filter": pick("filter", space.filters), "model": pick("model", tuple(space.models))}
    if params["filter"] != NO_FILTER:
        params["fraction"] = pick("fraction", space.fraction)
    for name, domain in space.models[params["model"]].domains.items():
        key = f"{params['model']}.{name}"
        params[key] = pick(key, domain)
    return params


def parts_of(space: Space) -> dict[str, Any]:
    """The filters and models of which configurations are made, by name."""
    filters = {f"the filter {name}": FilterSelector(name) for name in space.filters if name != NO_FILTER}
    return filters | {f"the model {name}": model.estimator for name, model in space.models.items()}


def identity_of(space: Space) -> str:
    """The space in words, to compare it with that of a run folder."""
    models = {name: (description(m.estimator), repr(dict(m.domains))) for name, m in space.models.items()}
    further = (("fill",) if space.fill else ()) + ((space.configurations,) if space.configurations else ())
    return repr((space.filters, space.fraction, models, *further))


def read_space(
    space: Any, task: str, n_classes: int = 2, spread: float = 1.0, n_features: int = 1, *, beside: bool = False
) -> Space:
    """A ready-made space by name (None: the first), a json file, or the form that the top of this file shows.

    Of a ready-made space only the models stay that take as many classes, and what its limits leave (`_limited`).
    `spread` is the standard deviation of a number to predict, in units of which its penalties are. `beside` says that
    covariates stay: who selects has to take them.
    """
    found = _read_space(space, task, n_classes, spread, n_features, beside=beside)
    if beside:
        able = with_covariates(task, n_classes)
        models = [name for name, one in found.models.items() if not _stays_beside(one.estimator, task)]
        refuse_who_cannot([*models, *(name for name in found.filters if name not in (NO_FILTER, *able))], able)
    return found


def _stays_beside(model: Any, task: str) -> bool:
    return takes_covariates(model, task) or not hasattr(model, "get_support")


def _read_space(space: Any, task: str, n_classes: int, spread: float, n_features: int, *, beside: bool) -> Space:
    if isinstance(space, Space):
        return space
    if space is None:
        space = next(iter(READY_MADE))
    if isinstance(space, str) and (name := space.partition(":")[0]) in READY_MADE:
        ready = READY_MADE[name](task, spread)
        fitting = {name: one for name, one in ready.models.items() if not why_unable(one.estimator, task, n_classes)}
        ready = replace(ready, models=fitting)
        if beside:
            usual = [name for name in with_covariates(task, n_classes) if name in TASKS[task].selectors(n_classes)]
            filters = (NO_FILTER, *(name for name in usual if name in filters_for(task)))
            models = {name: one for name, one in fitting.items() if _stays_beside(one.estimator, task)}
            ready = replace(ready, models=models, filters=filters)
        return _limited(ready, space.partition(":")[2], n_features)
    if isinstance(space, (str, Path)):
        path = file_path(space)
        if not path.exists():
            known = ", ".join(READY_MADE)
            raise InputError(f"space is {str(path)!r}: neither a ready-made space ({known}) nor a file.")
        space = read_json_file(path)
    if not isinstance(space, Mapping) or not space.get("model"):
        raise wrong_argument("space", f"{', '.join(READY_MADE)}, or a mapping that holds at least model", space)
    unknown = sorted(set(space) - {"filter", "fraction", "fill", "model"})
    if unknown:
        raise InputError(f"space has {unknown[0]!r}; it takes filter, fraction, fill and model.")
    fill = space.get("fill", False)
    check_flag("fill", fill)
    if not isinstance(space["model"], Mapping):
        raise wrong_argument("model", "a mapping from models to the ranges of parameters", space["model"])
    given = space.get("filter", NO_FILTER)
    filters = (given,) if isinstance(given, str) else tuple(given)
    if not filters:
        raise InputError('filter is empty; give names of filters, or "none".')
    for name in filters:
        if name != NO_FILTER:
            get_filter(name)
    fraction = _domain("fraction", space.get("fraction", {"low": 0.0, "high": 1.0}))
    ends = (fraction.low, fraction.high) if isinstance(fraction, Range) else fraction
    if not all(isinstance(end, (int, float)) and 0 <= end <= 1 for end in ends):
        raise InputError(f"fraction must hold shares from 0 to 1 (got {space['fraction']!r}).")
    if isinstance(fraction, Range):  # whole ends would make it 0 or 1 and nothing between
        fraction = Range(float(fraction.low), float(fraction.high), fraction.log)
    models = {str(name): _model(str(name), m, task) for name, m in space["model"].items()}
    return Space(filters, fraction, models, fill)


def _limited(space: Space, limits: str, n_features: int) -> Space:
    """A ready-made space with some of its parts, and with at most so many features: "model=lasso+knn,most=20".

    Without a filter nothing limits the number of features, so that "most" leaves only configurations with one.
    """
    for limit in filter(None, limits.split(",")):
        name, _, value = limit.partition("=")
        if name not in ("filter", "model", "most"):
            raise InputError(f"space has {name!r}; a ready-made one takes filter, model and most.")
        if name == "most":
            if not value.isdecimal() or not int(value):
                raise wrong_argument("most", "a whole number of at least 1", value)
            kept = tuple(one for one in space.filters if one != NO_FILTER)
            if not kept:
                raise InputError("most needs a filter, which keeps so many features.")
            space = replace(space, filters=kept, fraction=Range(0.0, min(1.0, int(value) / n_features)))
            continue
        chosen = tuple(dict.fromkeys(value.split("+")))
        for one in chosen:
            check_choice(name, one, space.filters if name == "filter" else tuple(space.models))
        models = {one: model for one, model in space.models.items() if name == "filter" or one in chosen}
        space = replace(space, models=models, filters=chosen if name == "filter" else space.filters)
    return space


def _model(name: str, given: Any, task: str) -> Model:
    estimator, ranges = given if isinstance(given, tuple) else (None, given)
    if estimator is None:
        estimator = predictor_by_name(name, task).make() if name in PREDICTORS else selector_by_name(name, task)
    elif isinstance(estimator, str):
        estimator = selector_by_name(estimator, task)
    elif is_plain_function(estimator):
        estimator = FunctionSelector(estimator)
    estimator = with_task(estimator, task)
    if not isinstance(ranges, Mapping):
        raise InputError(f"The model {name!r} has {ranges!r}; expected a mapping from parameters to ranges.")
    is_function = isinstance(estimator, FunctionSelector)
    takes = options_of_function(estimator.function) if is_function else estimator.get_params(deep=True)
    for parameter in ranges:
        if parameter not in takes:
            known = f"it takes {', '.join(sorted(takes))}" if takes else "it takes none"
            raise InputError(f"The model {name!r} has no parameter {parameter!r}; {known}.")
    domains = {key: _domain(f"{name}.{key}", value) for key, value in ranges.items()}
    if is_function:
        fixed = estimator.params or {}
        return Model(estimator, domains, lambda values, n_rows: {"params": {**fixed, **values}})
    return Model(estimator, domains)


def _domain(name: str, given: Any) -> Domain:
    if isinstance(given, Mapping):
        if not {"low", "high"} <= set(given) <= {"low", "high", "log"}:
            raise wrong_argument(name, "a range with low, high and optionally log", given)
        domain = Range(**given)
        if not all(isinstance(end, (int, float)) and not isinstance(end, bool) for end in (domain.low, domain.high)):
            raise InputError(f"{name} goes from {domain.low!r} to {domain.high!r}; expected numbers.")
        if not domain.low <= domain.high or (domain.log and domain.low <= 0):
            raise InputError(
                f"{name} goes from {domain.low} to {domain.high}; low must be at most high, and above 0 for log."
            )
        return domain
    if isinstance(given, Sequence) and not isinstance(given, str) and len(given):
        return tuple(given)
    raise wrong_argument(name, "a range with low and high, or a list of choices", given)


def _forest_params(values: Params, n_rows: int) -> Params:
    size = round((0.2 * n_rows) ** values["node_size"])
    share = max(values["max_features"], 1e-9)  # a forest rounds down to a number of features, and up to one
    return {"n_estimators": values["n_estimators"], "node_size": size, "max_features": share}


READY_MADE: dict[str, Callable[[str, float], Space]] = {"bommert": Space.bommert}
