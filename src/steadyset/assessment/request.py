"""What `assess` was asked for: data and selectors checked, named and fingerprinted, and described for readers.

What decides the result stands in the settings of a run folder; what only describes it, for the methods paragraph of a
paper, in their details.
"""

from __future__ import annotations

import hashlib
import inspect
import sys
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from importlib.metadata import version
from itertools import combinations
from typing import Any

import numpy as np

from steadyset._version import __version__
from steadyset.foundation.arguments import Estimator, check_choice, seed_of, wrong_argument
from steadyset.foundation.errors import Argument, Complaints, InputError, about, warn_caller
from steadyset.foundation.job import current_job, current_purpose
from steadyset.foundation.text import reference, shown_name, without_addresses
from steadyset.inference.features import data_directions
from steadyset.io import numbers
from steadyset.io.data import follow_up, readers
from steadyset.io.data.data_table import Data, as_data, is_annotated, row_names_of
from steadyset.io.data.feature_groups import check_feature_groups
from steadyset.io.data.sources import giving_away, repeated_rows
from steadyset.io.labels import feature_names, some_names
from steadyset.kernels.arrays import Floats
from steadyset.resampling import Bootstrap, ComplementaryPairs, as_resampling
from steadyset.runner.columns import (
    FrameColumns,
    columns_with_gaps,
    may_take_text,
    refuse_empty,
    takes_gaps,
    text_coded,
)
from steadyset.runner.conditions import RECORD, check_on_warning
from steadyset.runner.extraction import can_choose, refuse_new_columns
from steadyset.runner.forced import read_forced, refuse_who_cannot
from steadyset.runner.plan import (
    BASELINES,
    COMPARED_EVERY,
    FIRST_COMPARED,
    FIXED_RUNS,
    NO_CUT,
    PREDICTOR,
    SELECTOR,
    Cut,
    Plan,
    check_top,
)
from steadyset.runner.preparation import IMPUTE, read_preparation, read_steps
from steadyset.runner.scoring import default_predictor, read_scoring
from steadyset.runner.weighting import read_weights, refuse_who_ignores_weights
from steadyset.selectors.catalogue import about_selector, is_ours, refuse_unable, selector_by_name, with_covariates
from steadyset.selectors.covariates import takes_covariates
from steadyset.selectors.ensembles import StabilitySelection
from steadyset.selectors.functions import FunctionSelector, function_name, is_plain_function
from steadyset.selectors.models.group import with_groups
from steadyset.selectors.validation import all_finite, check_k, size_or_default
from steadyset.tasks import CLASSES, TASKS, check_columns, task_of

DETAILS, WEIGHTS, IMPORTANCE = "details", "sample_weight", "importance"
ROWS_ALIKE = "each row counts alike in it"
FEATURES_ALONE = "it selects single features"
SelectorLike = str | Estimator | Callable[[Any, Any], Any]
SelectorsLike = SelectorLike | Sequence[SelectorLike] | Mapping[str, SelectorLike] | None


@dataclass(frozen=True)
class Request:
    """A checked request: named selectors, the plan of the cells, and the names of the features."""

    names: tuple[str, ...]
    selectors: tuple[Any, ...]
    features: tuple[str, ...]
    plan: Plan
    target: str = ""
    automatic: Mapping[str, Any] | None = None  # when runs are added until intervals are narrow
    row_names: tuple[str, ...] = ()

    @cached_property
    def settings(self) -> dict[str, Any]:
        """What decides the result, for the run folder; equal settings may be resumed."""
        plan = self.plan
        return {
            "selectors": {name: description(s) for name, s in zip(self.names, self.selectors, strict=True)},
            "resampling": plan.resampling.identity(),
            "test_ratio": plan.resampling.test_ratio(plan.rows, plan.seed),
            "predictor": description(plan.predictor),
            "scoring": list(plan.score_names),
            "scorers": {score.name: without_addresses(repr(score.scorer)) for score in plan.scoring},
            "impute": plan.impute,
            **prepared_settings(plan),
            **weight_settings(plan),
            **({IMPORTANCE: PREDICTOR} if plan.importance == PREDICTOR else {}),
            "on_warning": plan.on_warning,
            "cut": plan.cut.words("weights") if plan.cut.asked else None,
            "task": plan.task,
            "seed": plan.seed,
            "n_rows": len(plan.y),
            "n_features": len(self.features),
            "data_sha256": fingerprint(plan),
            "features": list(self.features),
            "steadyset_version": __version__,
            DETAILS: self.details,
        }

    @property
    def details(self) -> dict[str, Any]:
        """What describes the assessment for readers and decides nothing: other words for it may be resumed."""
        selectors = dict(zip(self.names, self.selectors, strict=True))
        told = {name: _selector_details(one, len(self.features), self.plan.task) for name, one in selectors.items()}
        stop = {"automatic": dict(self.automatic)} if self.automatic else {}
        return {**data_details(self.plan, self.target, self.features), **stop, "selectors": told}


OTHER = {
    "selectors": "other selectors",
    **dict.fromkeys(("features", "n_features"), "other features"),
    **dict.fromkeys(("data_sha256", "n_rows"), "other data"),
    "cut": "another top or threshold",
    WEIGHTS: "other weights of the rows",
}


def what_differs(settings: Mapping[str, Any], before: Mapping[str, Any], *, without: Collection[str]) -> str:
    """In words, the first setting that is another one than before; "" where there is none."""
    # They are there only where they were given, on either side.
    asked = dict.fromkeys((*settings, WEIGHTS, IMPORTANCE))
    keys = [key for key in asked if key not in without and before.get(key) != settings.get(key)]
    if keys and keys[0] == IMPORTANCE:
        return f"the importances of the {before.get(IMPORTANCE, SELECTOR)}"
    return OTHER.get(keys[0], f"another {keys[0].replace('_', ' ')}") if keys else ""


# Settings of an assessment that another study of its selectors on the same data may have otherwise.
FREE = (
    *("resampling", "test_ratio", "predictor", "scoring", "scorers", "on_warning", "seed", "steadyset_version"),
    *(DETAILS, IMPORTANCE),
)


def refuse_other_data(asked: Request, made: Mapping[str, Any]) -> None:
    """Refuse data, selectors or a preparation other than those of an assessment with the settings `made`."""
    if other := what_differs(asked.settings, made, without=FREE):
        raise InputError(
            f"The assessment was made of {other} than these: they changed since, or are read otherwise. Give the same, "
            "or the selectors themselves."
        )


def prepared_settings(plan: Plan) -> dict[str, Any]:
    """How the rows of each run are prepared, where more was asked for than medians in gaps, and what is no feature."""
    asked = "" if plan.preparation is None or plan.impute is not None else plan.preparation.asked
    names, block = ([], "") if plan.forced is None else (list(plan.forced.names), plan.forced.block)
    told = {"prepare": asked, "force": names, "block": block}
    return {name: value for name, value in told.items() if value}


def weight_settings(plan: Plan) -> dict[str, str]:
    """A digest of the weights of the rows, where they have any."""
    weights = plan.sample_weight
    return {} if weights is None else {WEIGHTS: hashlib.sha256(weights.astype("<f8").tobytes()).hexdigest()}


def make_request(selectors: Any, X: Any, y: Any, **options: Any) -> Request:
    """Check everything before any work is done; options are those of `make_plan`."""
    refuse_table("selectors", selectors, "assess")
    data = as_data(X, y)
    refuse_strata(data)
    plan, names = make_plan(data, texts=_take_text(selectors), **options)
    check_top(plan.cut, len(names))
    named = named_selectors(selectors, plan.task, TASKS[plan.task].n_classes(plan.y), beside=plan.forced is not None)
    for name, selector in named.items():
        if is_plain_function(selector):
            named[name] = selector = FunctionSelector(selector)
        if isinstance(selector, FunctionSelector):
            is_read = bool(data.understood)  # from a file, whose columns have names
            selector.set_params(features=names, frame=is_read or hasattr(data.X, "columns"))
            continue
        _refuse_impossible_size(name, selector, len(names))
        refuse_new_columns(name, selector)
    named = _with_feature_groups(named, data, names)
    refuse_unfilled(plan, names, named | ({"the predictor": plan.predictor} if plan.predicts else {}))
    if plan.sample_weight is not None:
        several = {f"the selector {name!r}": selector for name, selector in named.items()}
        asked = several | ({"the predictor": plan.predictor} if plan.predicts else {})
        refuse_who_ignores_weights(asked, plan.scoring, plan.y, plan.sample_weight, plan.task)
    row_names = tuple(map(str, data.rows or row_names_of(data.X, len(plan.y))))
    request = Request(tuple(named), tuple(named.values()), names, plan, data.target, row_names=row_names)
    told = copies_in_both_halves(request.settings)
    if told:
        warn_caller(told, CopiesWarning)
    return request


def _with_feature_groups(named: Mapping[str, Any], data: Data, names: Sequence[str]) -> dict[str, Any]:
    """Return the selectors, of which those that select whole groups have the groups of the data."""
    groups = check_feature_groups(data.feature_groups, names)
    if groups is None:
        return dict(named)
    given = {name: with_groups(selector, groups) for name, selector in named.items()}
    if all(given[name] is selector for name, selector in named.items()):
        raise InputError(
            f"None of the selectors ({some_names(list(named))}) uses groups of features. Choose group_lasso, or leave "
            "out ",
            Argument("feature_groups", of="Data"),
            ".",
        )
    return given


def refuse_unfilled(plan: Plan, names: Sequence[str], estimators: Mapping[str, Any]) -> None:
    """Refuse missing values that no preparation fills and that not all estimators take."""
    taken_by = takes_gaps if plan.preparation is None else plan.preparation.takes_gaps_for
    unable = [name for name, estimator in estimators.items() if len(plan.gaps) and not taken_by(estimator)]
    if unable:
        count, gaps = int(np.isnan(plan.X[:, plan.gaps]).sum()), [names[f] for f in plan.gaps]
        values, them = ("1 missing value", "it") if count == 1 else (f"{count} missing values", "them")
        raise InputError(
            f"X has {values} in {len(gaps)} of {len(names)} features ({some_names(gaps)}), and "
            f"{some_names(unable)} cannot take {them}; fill {them} within each run with ",
            Argument("impute", numbers.MEDIAN, of="Data"),
            ", or put an imputer into the pipeline.",
        )


def _take_text(selectors: Any) -> bool:
    """Whether the selectors may get columns of text: pipelines that encode them, functions, and models of others."""
    several = selectors.values() if isinstance(selectors, Mapping) else selectors
    several = several if isinstance(selectors, Mapping | list | tuple) else [selectors]
    return all(one is not None and not isinstance(one, str) and may_take_text(one) for one in several)


def refuse_beside(data: Data, command: str, **reasons: str) -> None:
    """Refuse fields of the data that a command takes no account of, each for its reason."""
    for name, why in reasons.items():
        if getattr(data, name) is not None:
            raise InputError(f"{command} does not take ", Argument(name, of="Data"), f", as {why}; assess takes it.")


def refuse_strata(data: Data) -> None:
    """Refuse strata in a function that would ignore them, so that a batch would count as an effect."""
    if data.strata is not None:
        raise InputError(
            Argument("strata", of="Data"),
            " are used by shortlist and compare_studies only, which exchange targets within them. Leave them out, or "
            "adjust for a batch with ",
            Argument("block", of="Data"),
            ".",
        )


def refuse_table(name: str, given: Any, function: str) -> None:
    """Tell of data that stand where the first argument should be."""
    if len(getattr(given, "shape", ())) == 2 or isinstance(given, Data) or is_annotated(given):
        raise InputError(f"{name} is the data; the order is {function}({name}, X, y).")


class TimeLimitWarning(UserWarning):
    """The time limit of an assessment left runs out."""


class CopiesWarning(UserWarning):
    """A selector splits resamples that hold rows twice; the findings say it too."""


def is_bootstrapped(settings: Mapping[str, Any]) -> bool:
    """Whether the runs of an assessment are bootstraps: as many rows as the data, drawn with replacement."""
    return str(settings["resampling"]).startswith(f"{Bootstrap.__name__}(")


def is_halved(settings: Mapping[str, Any]) -> bool:
    """Whether the runs of an assessment come in pairs of halves of the rows."""
    return str(settings["resampling"]).startswith(f"{ComplementaryPairs.__name__}(")


def copies_in_both_halves(settings: Mapping[str, Any]) -> str:
    """What stability selection on bootstraps is worth, by the settings of an assessment; "" where there is none."""
    kind = f"{StabilitySelection.__name__}("
    halving = [name for name, described in settings["selectors"].items() if described.startswith(kind)]
    if not halving or not is_bootstrapped(settings):
        return ""
    return (
        f"{', '.join(halving)}: copies of a row of a bootstrap can fall into both halves, which then agree too well; "
        "subsamples have no copies."
    )


def make_plan(
    X: Any,
    y: Any = None,
    *,
    resampling: Any,
    scoring: Any = None,
    predictor: Any = None,
    random_state: int | None = 0,
    on_warning: str = RECORD,
    cut: Cut = NO_CUT,
    texts: bool = False,
    keep: bool = False,
    importance: str | None = SELECTOR,
) -> tuple[Plan, tuple[str, ...]]:
    """Checked data with its resampling and scores, and the names of the features; `texts` lets columns of text pass.

    Where `importance` is None it is the predictor's where that is fitted anyway, for scores.
    Missing values pass: callers that fit an estimator without `impute` must check whether it takes them.
    """
    data = as_data(X, y)
    X, y, groups, task = data.X, data.y, data.groups, data.task
    _refuse_beside_weights(data, keep=keep)
    drawing, fills, warned = as_resampling(resampling), numbers.check_impute(data.impute), check_on_warning(on_warning)
    prepare = _prepare(data)
    wrong = Complaints("The data cannot be used as it is")
    n_rows = None
    with wrong.collected():
        imputes = isinstance(prepare, str) and any(step.name == IMPUTE for step, _ in read_steps(prepare))
        # Labels become numbers where the estimators, or a preparation, take columns of text.
        coded = hasattr(X, "columns") and (texts or prepare is not None)
        given, labels = text_coded(X, gaps=imputes) if coded else (X, {})
        table, names = _numbers(given, data.features if len(data.features) else None)
        n_rows = len(table)
    with wrong.collected():
        check_columns(y)
        target = numbers.target_values(numbers.aligned_rows(X, y, "y"), n_rows)
        kind = task_of(target, task)
        TASKS[kind].check(target)
    with wrong.collected():
        together = None if groups is None else numbers.group_values(numbers.aligned_rows(X, groups, "groups"), n_rows)
    weights = None
    with wrong.collected():
        if data.sample_weight is not None and n_rows is not None:
            weights = read_weights(numbers.aligned_rows(X, data.sample_weight, WEIGHTS), n_rows)
    wrong.tell()
    gaps = columns_with_gaps(table)
    refuse_empty(table, gaps, names)
    preparation = None if prepare is None else read_preparation(prepare, labels, len(names), gaps)
    blocks = None if data.block is None else numbers.aligned_rows(X, data.block, "block")
    covariates: Any = data.force  # by name, since as_data
    alone = covariates is None and blocks is None
    n_incomplete = data.n_incomplete
    forced = None if alone else read_forced(covariates, blocks, target, kind, n_incomplete=n_incomplete)
    seed = seed_of(random_state if drawing.random_state is None else drawing.random_state)
    if predictor is None:
        fills_gaps = len(gaps) > 0 and not (preparation is not None and preparation.imputes)
        predictor = default_predictor(kind, fills=fills_gaps, encodes=bool(labels) and preparation is None)
    elif isinstance(predictor, type) or not all(hasattr(predictor, one) for one in ("fit", "predict", "get_params")):
        raise wrong_argument("predictor", "a scikit-learn classifier or regressor", predictor)
    check_choice("importance", importance, (PREDICTOR, SELECTOR), or_none=True)
    judged_by = read_scoring(scoring, kind, target)
    plan = Plan(
        table,
        target,
        together,
        drawing,
        predictor,
        judged_by,
        kind,
        seed,
        fills,
        warned,
        gaps,
        cut,
        FrameColumns(names, labels) if hasattr(X, "columns") else None,
        preparation,
        forced,
        task_assumed=task is None,
        keep=keep,
        importance=(PREDICTOR if judged_by else SELECTOR) if importance is None else importance,
        sample_weight=weights,
    )
    if getattr(drawing, "target", None) == "labels" and not TASKS[kind].takes_noise:
        raise InputError(
            f"NoiseInjection changes classes or numbers, and y is {TASKS[kind].words}; use target='values'."
        )
    if labels and preparation is None and getattr(drawing, "target", None) == "values":
        raise InputError("NoiseInjection changes numbers, and X has columns of text; encode them before.")
    with about("The resampling cannot be drawn"):
        drawing.check(plan.rows)
    return plan, names


def _refuse_beside_weights(data: Data, *, keep: bool) -> None:
    """Refuse what takes no account of the weights of rows."""
    if data.sample_weight is None:
        return
    others = {name: getattr(data, name) is not None for name in ("prepare", "force", "block")}
    others["impute"] = numbers.check_impute(data.impute) is not None
    found = [Argument(name, of="Data") for name, given in others.items() if given]
    if keep:
        found.append(Argument("predictions", True, of="Execution"))
    if found:
        raise InputError(
            found[0],
            " would take no account of the weights of rows. Leave it out, or leave out ",
            Argument(WEIGHTS, of="Data"),
            ".",
        )


def _prepare(data: Data) -> Any:
    """How rows are prepared; medians in gaps, asked for alone, are a preparation too."""
    if numbers.check_impute(data.impute) is None:
        return data.prepare
    if data.prepare is not None:
        raise InputError(
            Argument("impute"), " and ", Argument("prepare"), " are given; put impute=median into the second."
        )
    return f"{IMPUTE}={data.impute}"


def named_selectors(selectors: Any, task: str, n_classes: int = 2, *, beside: bool = False) -> dict[str, Any]:
    """Selectors by name: a mapping, one, or several of estimators and texts such as "jmi:k=20"; None: the defaults.

    With `beside` they have to take covariates.
    """
    if selectors is None:
        usual, able = TASKS[task].selectors(n_classes), with_covariates(task, n_classes) if beside else []
        selectors = [name for name in usual if not beside or name in able]
    if isinstance(selectors, Mapping):
        given = {str(name): selector for name, selector in selectors.items()}
    else:
        several = list(selectors) if isinstance(selectors, (list, tuple)) else [selectors]
        given = {}
        for selector, name in zip(several, _names(several), strict=True):
            if name in given:
                name = next(f"{name} {i}" for i in range(2, len(several) + 2) if f"{name} {i}" not in given)
            given[name] = selector
    if not given:
        raise InputError("selectors is empty; expected at least one selector.")
    refuse_unable(
        {name: selector for name, selector in given.items() if not is_plain_function(selector)}, task, n_classes
    )
    made = {name: _selector(selector, name, task) for name, selector in given.items()}
    if beside:
        unable = [name for name, selector in made.items() if not takes_covariates(selector, task)]
        refuse_who_cannot(unable, with_covariates(task, n_classes))
    return made


def _names(selectors: Sequence[Any]) -> list[str]:
    """Return a name for each selector: those of one class have the parameters that differ between them."""
    names = [_name(selector) for selector in selectors]
    named = list(names)
    for name in dict.fromkeys(names):
        same = [place for place, other in enumerate(names) if other == name]
        parameters = [_readable_parameters(selectors[place]) for place in same]
        if len(same) < 2 or not all(parameters):
            continue
        keys = [key for key in parameters[0] if len({known.get(key) for known in parameters}) > 1]
        for place, known in zip(same, parameters, strict=True):
            told = ", ".join(f"{key}={known[key]}" for key in keys if key in known)
            if told and len(told) <= MAX_PARAMETERS:
                named[place] = f"{name}({told})"
    return named


def _readable_parameters(selector: Any) -> dict[str, str]:
    """Return the numbers, texts and the like that an estimator was made with, by name; {} for other selectors."""
    if isinstance(selector, str | type) or not hasattr(selector, "get_params"):
        return {}
    parameters = selector.get_params(deep=True)
    plain = (bool, int, float, str, np.integer, np.floating, type(None))
    return {
        key: repr(value.item() if isinstance(value, np.generic) else value)
        for key, value in parameters.items()
        if isinstance(value, plain)
    }


def _name(selector: Any) -> str:
    if isinstance(selector, str):
        return selector
    return function_name(selector) if is_plain_function(selector) else type(selector).__name__


def _selector(selector: Any, name: str, task: str) -> Any:
    if isinstance(selector, str):
        return selector_by_name(selector, task)
    if is_plain_function(selector):
        return selector
    if not can_choose(selector) or not hasattr(selector, "get_params"):
        raise InputError(
            f"The selector {name!r} is {selector!r}; expected a scikit-learn estimator, a name, or a function of X "
            "and y."
        )
    return selector


def _refuse_impossible_size(name: str, selector: Any, n_features: int) -> None:
    """What steadyset's own selectors would refuse in every run, told before the first; k means the same in all."""
    k = selector.get_params(deep=False).get("k")
    if k is None or not is_ours(selector):
        return
    with about(f"The selector {name!r} cannot run"):
        check_k(k, n_features)


def _numbers(X: Any, features: Sequence[str] | None) -> tuple[Floats, tuple[str, ...]]:
    if not isinstance(X, np.ndarray):
        if hasattr(X, "toarray"):
            X = numbers.dense_array(X, "X")
        elif not isinstance(X, (list, tuple)):
            _refuse_text_columns(X)
            X, columns = numbers.number_frame(X, "X")
            features = columns if features is None else features
    given = numbers.number_array(X, "X")
    table = given if isinstance(X, np.memmap) and given.dtype == np.float64 else np.ascontiguousarray(given, np.float64)
    if table.ndim != 2 or table.shape[1] == 0:
        raise InputError(f"X has the shape {table.shape}; expected one row per observation and one column per feature.")
    names, d = feature_names(features, table.shape[1], what="X")
    if not all_finite(table):
        bad = np.flatnonzero(np.isinf(table).any(axis=0))
        if len(bad):
            first = names[bad[0]] if names is not None else f"column {bad[0]}"
            raise InputError(
                f"X has infinite values in {len(bad)} of {d} features, first in {first!r}; replace or drop them."
            )
    return table, names if names is not None else tuple(f"x{f}" for f in range(d))


def _refuse_text_columns(X: Any) -> None:
    """Refuse columns of text, with the three ways to go on."""
    texts = numbers.text_columns(X, "X")
    if not texts:
        return
    column, them, their = f"the column {texts[0]!r}, which holds text", "it", "its"
    if len(texts) > 1:
        column, them, their = f"{len(texts)} columns of text ({some_names(texts)})", "them", "their"
    covariates = texts[0] if len(texts) == 1 else tuple(texts[:MAX_FORCED])
    raise InputError(
        f"X has {column}; expected numbers or bools. Turn {their} labels into columns of 0 and 1 with ",
        Argument("prepare", "scale", of="Data"),
        f", which standardizes the other features; adjust for {them} with ",
        Argument("force", covariates, of="Data"),
        f"; or drop {them} from X.",
    )


def description(estimator: Any) -> str:
    """An estimator with all its parameters, in words that do not depend on how it prints itself."""
    parameters = estimator.get_params(deep=False)
    given = ", ".join(f"{name}={_shown(parameters[name])}" for name in sorted(parameters))
    return without_addresses(f"{type(estimator).__name__}({given})")


def _shown(value: Any) -> str:
    """A parameter, whole: estimators print only what differs from their defaults, long arrays leave out the middle."""
    if isinstance(value, (list, tuple)):
        return f"[{', '.join(map(_shown, value))}]"
    if isinstance(value, Mapping):
        return f"{{{', '.join(f'{key!r}: {_shown(value[key])}' for key in sorted(value, key=repr))}}}"
    if isinstance(value, (set, frozenset)):
        return f"{{{', '.join(sorted(map(_shown, value)))}}}"
    if isinstance(value, np.ndarray) and value.dtype != object:
        return f"{value.dtype}{value.shape} {hashlib.sha256(np.ascontiguousarray(value).tobytes()).hexdigest()}"
    if hasattr(value, "get_params") and not isinstance(value, type):
        return description(value)
    return without_addresses(repr(value))


def fingerprint(plan: Plan) -> str:
    """A digest of the data: equal data, equal text."""
    digest = hashlib.sha256(repr((plan.X.shape, plan.y.dtype.kind)).encode())
    for block in np.array_split(plan.X, max(1, plan.X.nbytes // (1 << 26))):
        digest.update(np.ascontiguousarray(block).data)
    if plan.columns is not None and plan.columns.labels:
        digest.update(repr(sorted(plan.columns.labels.items())).encode("utf-8", "surrogatepass"))
    if plan.forced is not None:
        digest.update(np.ascontiguousarray(plan.forced.values).data)
    for name, values in (("y", plan.y), ("groups", plan.groups)):
        rows = [] if values is None else values if values.ndim == 1 else values.tolist()
        texts = [str(value) for value in rows]
        digest.update(f"{name}:{'none' if values is None else len(texts)};".encode())
        # Each text after its length: no two lists of texts give the same bytes.
        digest.update("".join(f"{len(text)}:{text}" for text in texts).encode("utf-8", "surrogatepass"))
    return digest.hexdigest()


JOB, PURPOSE = "job", "purpose"
PACKAGES = ("numpy", "scipy", "scikit-learn")
# What an assessment sets itself, and what names a filter, a function or its features.
UNTOLD = ("random_state", "n_jobs", "task", "name", "function", "features", "frame", "pooled")
LONGEST = 200  # characters of a parameter that is told
MAX_FORCED = 3  # columns of text that a sentence proposes as covariates
MAX_PARAMETERS = 60  # characters of the parameters that tell selectors of one class apart


def _fewest(plan: Plan) -> dict[str, int]:
    """The least of what is counted of y in the training rows of a run, each row once."""
    count = TASKS[plan.task].counted
    each = [count(plan.y[np.unique(drawn.train)]) for drawn in plan.resamples()] if count(plan.y) else []
    return {what: min(one[what] for one in each) for what in each[0]} if each else {}


COMPARED_RUNS = 10  # whose rows say how much runs share


def _shared_rows(plan: Plan) -> float:
    """Return the share of the distinct rows of a run that another run has too, on average over pairs of runs."""
    trained = [set(plan.draw(run).train.tolist()) for run in range(min(plan.n_runs, COMPARED_RUNS))]
    shares = [len(a & b) / max(1, min(len(a), len(b))) for a, b in combinations(trained, 2)]
    return round(float(np.mean(shares)), 3) if shares else 0.0


def data_details(plan: Plan, target: str, features: Sequence[str]) -> dict[str, Any]:
    """The target, what looks wrong with rows and features, gaps, groups, resampling, versions of packages, the job."""
    resampling = plan.resampling
    task = TASKS[plan.task]
    return {
        "target": target,
        "classes": {str(label): count for label, count in task.counts(plan.y).items()},
        "counted": task.counted(plan.y),
        "fewest": _fewest(plan),
        **({} if task.points is None else {"points": task.points(plan.y).tolist()}),
        "other_task": task.other(plan.y) if plan.task_assumed else None,
        "directions": data_directions(plan.amounts, plan.y, plan.task).tolist(),
        "missing_values": int(np.isnan(plan.X[:, plan.gaps]).sum()),
        "missing_features": len(plan.gaps),
        "preparation": "" if plan.preparation is None else plan.preparation.words,
        "blocks": "" if plan.forced is None else plan.forced.note,
        **({"incomplete_rows": plan.forced.n_incomplete} if plan.forced and plan.forced.n_incomplete else {}),
        "repeated_rows": repeated_rows(plan.X, plan.groups),
        "giving_away": [str(features[f]) for f in giving_away(plan.amounts, plan.y)],
        **_doubtful_columns(plan, target, features),
        "n_groups": 0 if plan.groups is None else len(np.unique(plan.groups)),
        "n_runs": plan.n_runs,
        **({BASELINES: [FIRST_COMPARED, COMPARED_EVERY]} if plan.scoring and plan.has_few_baselines else {}),
        "shared_rows": _shared_rows(plan),
        **({} if can_continue(resampling) else {FIXED_RUNS: True}),
        "resampling": {
            "words": resampling.in_words().replace("each class", task.strata_words),
            "reference": reference(type(resampling)),
        },
        "predictor": predictor_words(plan),
        **({"global_model": global_model(plan)} if plan.keep else {}),
        "versions": {"python": sys.version.split()[0], **{name: version(name) for name in PACKAGES}},
        **({PURPOSE: purpose} if (purpose := current_purpose()) else {}),
        **({JOB: job} if (job := current_job()) is not None else {}),
    }


def can_continue(resampling: Any) -> bool:
    """Return whether more runs of the same kind can follow: not after a cross-validation."""
    return "n_runs" in resampling.get_params() and resampling.extendable


def _doubtful_columns(plan: Plan, target: str, features: Sequence[str]) -> dict[str, list[str]]:
    """Return the columns of a frame that `load_data` would ask about: centers or batches, and times beside a status."""
    if plan.columns is None:  # not a frame in memory
        return {}
    found: dict[str, list[str]] = {}
    is_status = plan.task == CLASSES and follow_up.may_be_event(target)
    for f, name in enumerate(features):
        if readers.is_place(name):
            known = plan.X[~np.isnan(plan.X[:, f]), f]
            n_values = len(np.unique(known))
            whole = bool((known == np.floor(known)).all() and (known >= 0).all() and (known <= readers.MAX_PLACE).all())
            if whole and 2 <= n_values <= len(plan.y) / 2:
                found.setdefault("places", []).append(str(name))
        elif is_status and follow_up.is_time(name, plan.X[:, f].tolist()):
            found.setdefault("times", []).append(str(name))
    return found


LEAST_ROWS, MOST_FEATURES = 5, 200  # for each feature of a model with all of them, and how many it may have


def global_model(plan: Plan) -> dict[str, Any]:
    """Coefficients of the unpenalised model with all features of all rows, and their errors; or why there are none."""
    fit, (n, d) = TASKS[plan.task].global_model, plan.X.shape
    plain = plan.preparation is None and plan.forced is None and not len(plan.gaps)
    try:
        if fit is None or not plain or (plan.columns is not None and plan.columns.labels):
            raise InputError("rows are prepared, or features are no plain numbers")
        if n < LEAST_ROWS * d or d > MOST_FEATURES:
            most = f"at least {LEAST_ROWS} rows for each feature, and at most {MOST_FEATURES} features"
            raise InputError(f"it takes {most}, and there are {n} rows and {d} features")
        with np.errstate(all="ignore"):
            coefficients, errors = fit(plan.X, plan.y)
        if not np.isfinite([coefficients, errors]).all() or not (errors > 0).all():
            raise InputError("its standard errors are no numbers")
    except (ValueError, ArithmeticError) as error:
        return {"note": str(error).rstrip(".")}
    return {"coefficients": coefficients.tolist(), "errors": errors.tolist(), "note": ""}


def predictor_words(plan: Plan) -> str:
    """What predicts from the selected features, where there are scores."""
    if not plan.predicts:
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


def _selector_details(selector: Any, n_features: int, task: str) -> dict[str, Any]:
    """What a selector is: in a phrase, its reference, and the parameters that are not at their defaults."""
    summary, reference = about_selector(selector, task)
    if isinstance(selector, FunctionSelector) and not summary:
        named = getattr(selector.function, "__name__", "<lambda>") != "<lambda>"
        summary = f"the function {function_name(selector.function)}" if named else "a function without a name"
    elif not summary:
        steps = [step for _, step in getattr(selector, "steps", ())]
        summary = _listed_steps(steps) if steps else type(selector).__name__
    return {
        "summary": summary,
        "reference": reference,
        "package": type(selector).__module__.partition(".")[0],
        "parameters": _changed(selector, n_features),
    }


def _changed(selector: Any, n_features: int) -> dict[str, str]:
    """The parameters that differ from their defaults; and k where it decides, whose default depends on the data."""
    if hasattr(selector, "steps"):
        return {}
    if isinstance(selector, FunctionSelector):
        return {name: shown_name(_shown(value)[:LONGEST]) for name, value in (selector.params or {}).items()}
    defaults = {p.name: p.default for p in inspect.signature(type(selector)).parameters.values()}
    given = selector.get_params(deep=False)
    changed = {
        name: _shown(given[name])
        for name in defaults
        if name in given and name not in UNTOLD and _shown(given[name]) != _shown(defaults[name])
    }
    if "k" in given and given["k"] is None and _size_decides(selector):
        changed["k"] = str(size_or_default(None, n_features))
    return {name: shown_name(text[:LONGEST]) + "..." * (len(text) > LONGEST) for name, text in changed.items()}


def _size_decides(selector: Any) -> bool:
    """Whether one of steadyset's selectors goes by its number of features, where it is not given."""
    if not is_ours(selector):
        return False
    return bool(selector.has_size()) if hasattr(selector, "has_size") else getattr(selector, "n_steps", None) is None


def _listed_steps(steps: Sequence[Any]) -> str:
    told = [_printed(step) for step in steps if step is not None and not isinstance(step, str)]
    return f"a pipeline of {', '.join(told)}" if len(told) > 1 else "".join(told)


def _printed(estimator: Any) -> str:
    """An estimator as it prints itself, which scikit-learn's do by what differs from their defaults."""
    text = without_addresses(" ".join(repr(estimator).split())).removesuffix("()")
    return text if len(text) <= LONGEST else type(estimator).__name__
