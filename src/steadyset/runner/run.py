"""The runner: one estimator on one resample, on all rows, or on several resamples together where it can do that.

What it gives depends on nothing but its arguments: each cell stays what it was, whatever it was computed with.
Estimators get the rows of a run with gaps filled and noise added, and every array is their own to write into.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property, lru_cache
from math import isfinite
from typing import Any

import numpy as np
import numpy.typing as npt
from sklearn.base import ClassifierMixin, clone
from sklearn.impute import SimpleImputer
from sklearn.preprocessing import StandardScaler
from sklearn.utils.validation import has_fit_parameter

from steadyset.foundation.errors import InputError
from steadyset.foundation.text import listed
from steadyset.kernels.arrays import Floats, Ints
from steadyset.resampling import Resample
from steadyset.runner.columns import FrameColumns
from steadyset.runner.conditions import FAIL, listening, reason, same_conditions
from steadyset.runner.constants import constant_scores
from steadyset.runner.extraction import Chosen, by_source, chosen
from steadyset.runner.model_importances import Importances, importances_in
from steadyset.runner.plan import IN_MODEL, PREDICTOR, RANDOM_FEATURES, Plan, ready, run_key
from steadyset.runner.preparation import Prepared
from steadyset.runner.scoring import Scored, scores
from steadyset.runner.weighting import fitted_with
from steadyset.selectors.catalogue import is_ours, is_own_filter
from steadyset.selectors.filters import FilterSelector
from steadyset.selectors.functions import FunctionSelector
from steadyset.selectors.known import fits_many
from steadyset.selectors.models.group import GroupLassoSelector
from steadyset.tasks import TASKS

NOTHING = "nothing was selected"
# Draws of random features per run, whose scores are averaged. Those of one draw vary so much from run to run that a
# test against them would hardly ever find a selector that is better.
RANDOM_DRAWS = 3
Fit = Callable[[], Any]  # gives a fitted selector
EVERY_ROW = -1  # stands for the number of a run where a cell is that of a fit on all rows


@dataclass(frozen=True)
class Kept:
    """What is kept of the model that predicts from the selected features, where that is asked for.

    `predictions` are those for all rows of the data, rows x outputs as 32-bit floats; empty where there are none.
    `calibration` holds, for each output and tenth of the rows by their predictions, the mean prediction and what was
    observed. `coefficients` are those of the selected features in their own units, where the model has one for each.
    """

    predictions: bytes
    calibration: tuple[float | None, ...] = ()
    coefficients: tuple[float, ...] | None = None


@dataclass(frozen=True)
class Cell:
    """What one selector did on one resample. `failure` says why there is no selection, or no score.

    `warnings` are short, distinct, and begin with "predictor" where not the selector warned. `tied` counts the selected
    features that only the order of the columns preferred to others with the same score. `blind` and `random` are the
    scores of the best constant prediction (such as the largest class, or the mean) and from as many features drawn at
    random, the mean of several draws. `signs` are those of the coefficients of the selected features (1, -1, 0), where
    the selector has one for each.
    `rule` says which coefficients or importances of a model counted as selected; "" where a selector selected.
    `curves` are what a task draws of the left-out rows, one group of them after the other; None is unknown.
    `kept` is what was asked to be kept of the model that predicts. `importances` are those of the selected features in
    that model, where they were asked for; `weights` are the selector's own.
    """

    selector: int
    run: int
    label: str
    selected: tuple[int, ...] | None
    weights: tuple[float, ...] | None
    scores: dict[str, float] = field(default_factory=dict)
    fit_seconds: float = float("nan")
    score_seconds: float = float("nan")
    failure: str = ""
    warnings: tuple[str, ...] = ()
    tied: int = 0
    blind: dict[str, float] = field(default_factory=dict)
    random: dict[str, float] = field(default_factory=dict)
    signs: tuple[int, ...] | None = None
    rule: str = ""
    curves: tuple[float | None, ...] | None = None
    kept: Kept | None = None
    importances: Importances | None = None


@dataclass(frozen=True)
class Fitted:
    """What an estimator chose, and the model that predicts from all columns.

    Without one, the predictor of the plan is fitted to the chosen columns. `compared` asks for baselines beside it, and
    then to choose nothing is a failure.
    """

    chosen: Chosen
    model: Any = None
    compared: bool = True


@dataclass(frozen=True)
class Job:
    """One estimator on one resample: what `compute` makes a cell of. Tuning has a job of its own.

    Attributes
    ----------
    plan, resample : the data and the conditions, and the rows
    estimator : unfitted, and stays so
    run : the number of the run, or the label of the resample; its seeds come from it
    together : gives the fitted estimator, where it was fitted with those of other resamples
    spent : seconds that were spent on it before
    """

    plan: Plan
    resample: Resample
    estimator: Any
    run: int | str
    together: Fit | None = None
    spent: float = 0.0

    def fit(self, training: Training) -> Fitted:
        """Fit, and look at what was selected."""
        together = self.together
        model = together() if together is not None else training.fitted(ready(self.estimator, self.plan, self.run))
        return Fitted(training.features(chosen(model, training.n_columns, self.plan.cut)))


def compute(job: Job) -> Cell:
    """Fit on a resample and score what came of it; every failure is told, none is raised.

    Where the fit fails the cell has no selection.
    """
    plan, blank = job.plan, Cell(0, 0, job.resample.label, None, None, fit_seconds=job.spent)
    training = Training(plan, job.resample)
    if training.tells_nothing:
        return replace(blank, failure=TASKS[plan.task].unlearnable)
    begin = time.perf_counter()
    with same_conditions() as heard:
        try:
            found = job.fit(training)
        except Exception as error:  # whatever an estimator raises is the answer of this run, not of the assessment
            return replace(blank, failure=reason(error), warnings=tuple(heard))
        seconds = job.spent + time.perf_counter() - begin
        if heard and plan.on_warning == FAIL:
            return replace(blank, failure=heard[0], warnings=tuple(heard))
        return _scored(plan, training, found, replace(blank, fit_seconds=seconds, warnings=tuple(heard)), job.run)


def _scored(plan: Plan, training: Training, one: Fitted, blank: Cell, run: int | str) -> Cell:
    begin = time.perf_counter()
    picked = one.chosen
    with listening() as heard:
        scored = _scores(plan, training, one)
    if heard and plan.on_warning == FAIL and not scored.failure:
        scored = Scored({}, failure=f"no score: {heard[0]}")
    seconds = time.perf_counter() - begin
    compared = one.model is None and one.compared
    nothing = NOTHING if compared and not len(picked.features) else ""
    judged = compared and scored.values
    blind, drawn = ({}, {}) if not judged else _baselines(plan, training, picked.features, scored.values, run)
    return replace(
        blank,
        selected=tuple(picked.features.tolist()),
        weights=None if picked.weights is None else tuple(picked.weights.tolist()),
        scores=scored.values,
        score_seconds=seconds,
        failure=scored.failure or nothing,
        warnings=(*blank.warnings, *(f"predictor: {text}" for text in heard), *scored.notes),
        tied=picked.tied,
        blind=blind,
        random=drawn,
        signs=None if picked.signs is None else tuple(picked.signs.tolist()),
        rule=picked.rule,
        curves=scored.curves,
        kept=scored.kept,
        importances=scored.importances,
    )


def _scores(plan: Plan, training: Training, one: Fitted) -> Scored:
    features = one.chosen.features
    tested = bool(len(training.resample.test) and plan.scoring)
    # No measure looks at the fit on all rows.
    weighed = plan.importance == PREDICTOR and one.model is None and training.resample.label != ALL_ROWS
    if weighed and not len(features):
        found = _scored_features(plan, training, one, tested=tested, weighed=False)
        return replace(found, importances=Importances())
    return _scored_features(plan, training, one, tested=tested, weighed=weighed)


def _scored_features(plan: Plan, training: Training, one: Fitted, *, tested: bool, weighed: bool) -> Scored:
    """What the model that predicts says, where anything is asked of it; what goes wrong is told, not raised."""
    if not tested and not plan.keep and not weighed:
        return Scored({})
    try:
        if one.model is not None:
            return scores(one.model, training.test(), training.test_y, plan.scoring, plan.task, training.test_weights)
        # What is drawn of groups of rows counts each row once.
        drawn = tested and TASKS[plan.task].curves is not None and plan.sample_weight is None
        return _predicted(
            plan, training, one.chosen.features, tested=tested, drawn=drawn, keep=plan.keep, weighed=weighed
        )
    except Exception as error:
        what = "score" if tested or plan.keep else "importances"
        return Scored({}, failure=f"no {what}: {reason(error)}", kept=Kept(b"") if plan.keep else None)


def _predicted(
    plan: Plan,
    training: Training,
    features: Ints,
    *,
    tested: bool = True,
    drawn: bool = False,
    keep: bool = False,
    weighed: bool = False,
) -> Scored:
    """The scores of the plan's predictor on some of the features, beside covariates; without any, of a constant."""
    columns, resample = training.columns_of(features), training.resample
    blind = not len(columns) and not training.n_forced
    if blind and not keep and not drawn:
        return constant_scores(plan, resample.test) if tested else Scored({})
    model = TASKS[plan.task].blind() if blind else ready(plan.predictor, plan, resample.label)

    def taken(X: Floats, rows: Ints) -> Any:
        """Rows as the model takes them."""
        if blind:
            return np.zeros((len(rows), 1))
        if training.n_forced:
            return np.column_stack([training.covariates(rows), X])
        return training.framed(model, X, columns)

    train = taken(training.train(columns), resample.train)
    model, classes = fitted_to_labels(model, train, training.y, plan.task, training.weights)
    model = model if classes is None else LabelsAgain(model, classes)
    found = Scored({})
    if tested:
        test = taken(training.test(columns), resample.test)
        if blind:
            found = constant_scores(plan, resample.test)
        else:
            found = scores(model, test, training.test_y, plan.scoring, plan.task, training.test_weights)
        if drawn:
            found = replace(found, curves=_curves(plan, training, model, train, test))
    if keep:
        every = taken(np.asarray(training.all_rows()[:, columns]), np.arange(len(plan.y)))
        found = _keeping(found, plan, training, model, every, features)
    if weighed:
        found = _weighing(found, plan, training, model, train, features)
    return found


def _weighing(found: Scored, plan: Plan, training: Training, model: Any, train: Any, features: Ints) -> Scored:
    """The scores with the importances of the features in the model; why there are none stands among the notes."""
    label, first = training.resample.label, training.n_forced
    seeds = np.random.SeedSequence(plan.seed, spawn_key=(run_key(label), IN_MODEL))
    columns = training.columns_of(features)
    sources = columns if training.prepared is None else training.prepared.sources[columns]
    places = [first + np.flatnonzero(sources == feature) for feature in features]
    try:
        importances = importances_in(model, train, places, plan.task, training.weights, seeds)
    except Exception as error:
        return replace(found, notes=(*found.notes, f"no importances: {reason(error)}"))
    return replace(found, importances=importances)


def predicted_from(plan: Plan, training: Training, features: Ints) -> Floats:
    """Return what the predictor, trained on these features of the training rows, predicts for all rows of the data."""
    found = _predicted(plan, training, features, tested=False, keep=True)
    if found.kept is None or not found.kept.predictions:
        raise InputError(f"The predictor failed: {listed(found.notes) or 'no predictions'}.")
    return np.frombuffer(found.kept.predictions, "<f4").astype(np.float64).reshape(len(plan.y), -1)


def _keeping(found: Scored, plan: Plan, training: Training, model: Any, every: Any, features: Ints) -> Scored:
    """The scores with what is kept of the model; why there is nothing stands among the notes."""
    task = TASKS[plan.task]
    try:
        predicted = task.predictions(model, every, plan.y)
        with np.errstate(over="ignore"):
            stored = predicted.astype("<f4")
        if not np.isfinite(stored).all():
            raise ValueError("some are no numbers, or too large")
    except Exception as error:
        return replace(found, notes=(*found.notes, f"no predictions: {reason(error)}"), kept=Kept(b""))
    tenths = task.calibrated(plan.y, predicted).ravel().tolist()
    own = training.n_forced + len(features)
    coefficients = None if training.prepared is not None else coefficients_of(model, own) if own else np.zeros(0)
    kept = Kept(
        stored.tobytes(),
        tuple(value if isfinite(value) else None for value in tenths),
        None if coefficients is None else tuple(coefficients[training.n_forced :].tolist()),
    )
    return replace(found, kept=kept)


def coefficients_of(model: Any, n_columns: int) -> Floats | None:
    """One coefficient for each column of a fitted linear model, in the units of these; None where it has not one each.

    Gaps that are filled leave columns as they are, and what divides them (a StandardScaler) is divided out again.
    """
    *before, last = [step for _, step in getattr(model, "steps", [("", model)])]
    found = np.asarray(getattr(last, "coef_", ()), dtype=np.float64)
    found = found[0] if found.ndim == 2 and len(found) == 1 else found
    if found.shape != (n_columns,) or not all(isinstance(step, SimpleImputer | StandardScaler) for step in before):
        return None
    for scale in (getattr(step, "scale_", None) for step in before):
        found = found if scale is None else found / scale
    return found if np.isfinite(found).all() else None


def _curves(plan: Plan, training: Training, model: Any, train: Any, test: Any) -> tuple[float | None, ...] | None:
    """What the task draws of the left-out rows, by groups of predictions that the training rows divide."""
    task = TASKS[plan.task]
    if task.curves is None or task.points is None:
        return None
    shares = task.curves(model, train, test, training.test_y, task.points(plan.y)).ravel().tolist()
    return tuple(None if share != share else share for share in shares)


def _baselines(
    plan: Plan, training: Training, selected: Ints, found: dict[str, float], run: int | str
) -> tuple[dict[str, float], dict[str, float]]:
    """Return the scores without features, and of as many random ones; nothing for what this run does not draw.

    A resample has one random order for all selectors.
    """
    if not plan.draws_baseline(run):
        # A constant needs no fit; covariates do.
        with listening():
            return ({} if training.n_forced else _shared(plan, training, [selected[:0]])), {}
    size, prepared = len(selected), training.prepared
    known = np.arange(plan.X.shape[1]) if prepared is None else np.unique(prepared.sources)  # what it has left
    random = np.random.default_rng(
        np.random.SeedSequence(plan.seed, spawn_key=(run_key(training.resample.label), RANDOM_FEATURES))
    )
    draws = [np.sort(known[random.permutation(len(known))[:size]]) for _ in range(RANDOM_DRAWS)]
    with listening():
        blind = _shared(plan, training, [draws[0][:0]])
        if size in (0, len(known)):
            return blind, dict(blind if size == 0 else found)
        return blind, _shared(plan, training, draws)


def _shared(plan: Plan, training: Training, draws: Sequence[Ints]) -> dict[str, float]:
    """The mean scores of a baseline: selectors that choose as many features on a resample have the same one."""
    known, key = _known_baselines(plan.key), (training.resample.label, training.resample.digest, len(draws[0]))
    if key not in known:
        each = [_without_error(plan, training, columns) for columns in draws]
        known[key] = {name: float(np.mean([one[name] for one in each if name in one])) for one in each for name in one}
    return dict(known[key])


@lru_cache(maxsize=8)
def _known_baselines(plan_key: str) -> dict[tuple[str, str, int], dict[str, float]]:
    """The baselines of a plan that have been computed; those of plans that nobody asks for any more are forgotten."""
    return {}


def _without_error(plan: Plan, training: Training, columns: Ints) -> dict[str, float]:
    try:
        return _predicted(plan, training, columns).values
    except Exception:  # the predictor's own failure is told with the selected features
        return {}


def blind_scores(plan: Plan, resample: Resample) -> dict[str, float]:
    """The scores of a prediction without features on one resample; none where that fails."""
    with listening():
        return _without_error(plan, Training(plan, resample), np.zeros(0, np.int64))


ALL_ROWS = "all rows"  # the label of the run, and with it the key of its seeds


def compute_run(plan: Plan, selector: Any, index: int, run: int) -> Cell:
    """A selector on a run, or on all rows where EVERY_ROW stands for the number of a run."""
    cell = fit_on_all_rows(plan, selector) if run == EVERY_ROW else compute(Job(plan, plan.draw(run), selector, run))
    return replace(cell, selector=index, run=run)


def run_label(plan: Plan, run: int) -> str:
    """What a run is called, whether or not it can be computed."""
    return ALL_ROWS if run == EVERY_ROW else plan.draw(run).label


def fit_on_all_rows(plan: Plan, selector: Any) -> Cell:
    """What a selector selects from all rows, each once: a cell with the label "all rows" and without scores.

    `selector` is unfitted and stays so. `selected` and `weights` are those of every other cell, seeds come from the
    plan, gaps are filled as the plan says, warnings are in `warnings`. Nothing is raised: `selected` is None where
    the fit fails, and `failure` says why; where it selects nothing `selected` is empty and `failure` says that.

        cell = fit_on_all_rows(plan, selector)
        chosen = set(cell.selected or ())
    """
    return compute(Job(plan, all_rows(plan), selector, ALL_ROWS))


def error_on_all_rows(plan: Plan, selector: Any) -> Exception | None:
    """What a selector raises when it is fitted to the whole data, if anything."""
    with same_conditions():
        try:
            training = Training(plan, all_rows(plan))
            chosen(training.fitted(ready(selector, plan, ALL_ROWS)), training.n_columns, plan.cut)
        except Exception as error:
            return error
    return None


def all_rows(plan: Plan) -> Resample:
    """Every row once, none left out."""
    return Resample(ALL_ROWS, plan.counting(np.arange(len(plan.y))), np.empty(0, np.int64))


Group = tuple[int, list[int]]  # a selector and its runs
# Runs that are fitted together: more gain little, and none is scored and saved before all of its group are fitted.
MAX_TOGETHER = 10


def grouped(plan: Plan, selectors: Sequence[Any], keys: Sequence[tuple[int, int]], n_jobs: int) -> list[Group]:
    """The cells (selector, run) in groups of a selector, in the order of their first runs.

    Cells that cannot be fitted together are groups of one, and so are fits on all rows.
    """
    several = [can_fit_together(plan, selector) for selector in selectors]
    most = MAX_TOGETHER
    if n_jobs > 1:  # every job has several groups of each selector, so that none waits long for the last one
        most = max(1, min(most, len(keys) // (4 * n_jobs * len(selectors))))
    groups: list[Group] = []
    open_groups: dict[int, list[int]] = {}
    for selector, run in keys:
        group = open_groups.get(selector)
        if group is not None and len(group) < most and run != EVERY_ROW:
            group.append(run)
            continue
        group = [run]
        groups.append((selector, group))
        if several[selector] and run != EVERY_ROW:
            open_groups[selector] = group
    return groups


def compute_group(plan: Plan, selector: Any, index: int, runs: Sequence[int]) -> Iterator[Cell]:
    """The cells of a selector on some runs, one after the other."""
    if len(runs) == 1:
        yield compute_run(plan, selector, index, runs[0])
        return
    resamples = [plan.draw(run) for run in runs]
    begin = time.perf_counter()
    fits = _fitted_together(plan, selector, runs, resamples)
    spent = (time.perf_counter() - begin) / len(runs)
    for run, resample in zip(runs, resamples, strict=True):
        if run not in fits:
            yield compute_run(plan, selector, index, run)
            continue
        yield replace(compute(Job(plan, resample, selector, run, fits[run], spent)), selector=index, run=run)


def can_fit_together(plan: Plan, selector: Any) -> bool:
    """Whether resamples of the plan are weights of its rows for this selector, and can be handed to it together."""
    return (
        plan.preparation is None
        and plan.forced is None
        and plan.sample_weight is None
        and fits_many(selector)
        and bool(getattr(selector, "weights_equal_copies", False))
    )


def _fitted_together(plan: Plan, selector: Any, runs: Sequence[int], resamples: Sequence[Resample]) -> dict[int, Fit]:
    """For each run a call that gives the fitted selector; none where the fit of all fails, so that each tells why."""
    usable = [
        (run, resample)
        for run, resample in zip(runs, resamples, strict=True)
        if resample.noise is None and not Training(plan, resample).tells_nothing
    ]
    if not usable:
        return {}
    template = ready(selector, plan, usable[0][0])  # it has no seeds, so that it is the same for every run
    fits = fit_together(plan, template.fit_many, [resample for _, resample in usable], trusted=is_ours(template))
    return {run: fit for (run, _), fit in zip(usable, fits, strict=True)} if fits is not None else {}


def fit_together(
    plan: Plan, fit_many: Callable[..., Iterable[Fit]], resamples: Sequence[Resample], *, trusted: bool
) -> list[Fit] | None:
    """What `fit_many` gives for resamples that draw rows; None where it fails: the fits one by one say why.

    Data that goes to somebody else's code cannot be written to.
    """
    weights, X = np.stack([resample.weights(len(plan.y)) for resample in resamples]), plan.X
    if not trusted:
        X = X.view()
        X.flags.writeable = False
    with same_conditions():
        try:
            return list(fit_many(X, plan.y.copy(), weights))
        except Exception:  # whatever it is, it concerns some of the runs, or all
            return None


def fitted_to_labels(
    model: Any, X: Any, y: npt.NDArray[Any], task: str, weights: Floats | None = None
) -> tuple[Any, npt.NDArray[Any] | None]:
    """The fitted model, and the labels in the order of their codes where it refused the labels themselves.

    Which models refuse them is nowhere written, so they are tried: where codes help as little, the first error stands.
    """
    try:
        return fitted_with(model, X, y, weights), None
    except (ValueError, TypeError) as error:
        if not TASKS[task].has_classes:
            raise
        classes, codes = np.unique(y, return_inverse=True)
        if y.dtype.kind in "iu" and np.array_equal(classes, np.arange(len(classes))):
            raise
        try:
            return fitted_with(clone(model), X, codes, weights), classes
        except Exception:
            raise error from None


class LabelsAgain(ClassifierMixin):  # type: ignore[misc]
    """A model that was fitted to codes, and predicts the labels that they stand for."""

    def __init__(self, model: Any, classes: npt.NDArray[Any]) -> None:
        self.model = model
        self.classes_ = classes

    def predict(self, X: Any) -> npt.NDArray[Any]:
        """The labels."""
        labels: npt.NDArray[Any] = self.classes_[np.asarray(self.model.predict(X)).astype(np.int64)]
        return labels

    def __getattr__(self, name: str) -> Any:
        if name == "model":  # a copy is made without it first
            raise AttributeError(name)
        return getattr(self.model, name)

    def __sklearn_tags__(self) -> Any:
        return self.model.__sklearn_tags__()


@dataclass(frozen=True)
class Training:
    """A resample of a plan, and the rows as the plan prepares them."""

    plan: Plan
    resample: Resample

    @cached_property
    def target(self) -> npt.NDArray[Any]:
        """The target of the training rows."""
        target, noise = self.plan.y[self.resample.train], self.resample.noise
        return target if noise is None else noise.labels(target, continuous=not TASKS[self.plan.task].has_classes)

    @cached_property
    def prepared(self) -> Prepared | None:
        """What was learnt from the training rows alone; all selectors of a resample share it."""
        plan, resample = self.plan, self.resample
        if plan.preparation is None:
            return None
        known = _known_preparation(plan.key, resample.label, resample.digest)
        if not known:
            transformer = ready(plan.preparation.transformer, plan, resample.label)
            X, by_name = plan.X[resample.train], plan.preparation.by_name
            known.append(Prepared.of(transformer, X, self.y, plan.columns, by_name=by_name))
        return known[0]

    @property
    def n_columns(self) -> int:
        """How many columns estimators get."""
        return self.plan.X.shape[1] if self.prepared is None else len(self.prepared.sources)

    def columns_of(self, features: Ints) -> Ints:
        """The columns that stand for features."""
        return features if self.prepared is None else self.prepared.columns_of(features)

    def features(self, made: Chosen) -> Chosen:
        """What was chosen of the columns, as features."""
        return made if self.prepared is None else by_source(made, self.prepared.sources)

    @property
    def tells_nothing(self) -> bool:
        return not len(self.target) or not TASKS[self.plan.task].learnable(self.target)

    @property
    def y(self) -> npt.NDArray[Any]:
        """The target of the training rows, a copy each time."""
        return self.target.copy()

    def train(self, columns: Ints | None = None) -> Floats:
        """The training rows, a copy each time."""
        X = self._rows(self.resample.train, columns)
        return X if self.resample.noise is None else self.resample.noise.values(X)

    def test(self, columns: Ints | None = None) -> Floats:
        """The rows left out, a copy each time."""
        return self._rows(self.resample.test, columns)

    @property
    def n_forced(self) -> int:
        """How many columns of covariates predictors have."""
        return 0 if self.plan.forced is None else self.plan.forced.n_forced

    def covariates(self, rows: Ints) -> Floats:
        """The covariates of some rows."""
        forced = self.plan.forced
        assert forced is not None
        return forced.covariates[rows]

    def all_rows(self) -> Floats:
        """Every row of the data, without noise."""
        return self.plan.X if self.prepared is None else self.prepared.rows(self.plan.X)

    @property
    def test_y(self) -> npt.NDArray[Any]:
        return self.plan.y[self.resample.test]

    @property
    def weights(self) -> Floats | None:
        """The weights of the training rows, where rows have any; a row that is drawn twice has its weight twice."""
        return None if self.plan.sample_weight is None else self.plan.sample_weight[self.resample.train]

    @property
    def test_weights(self) -> Floats | None:
        """The weights of the rows left out, where rows have any."""
        return None if self.plan.sample_weight is None else self.plan.sample_weight[self.resample.test]

    def fitted(self, model: Any) -> Any:
        """The model, fitted; rows are repeated only for selectors that cannot take a bootstrap as weights."""
        # Who has the covariates of every row needs only to know which rows these are.
        if self.plan.forced is not None and not getattr(model, "has_covariates", False):
            return model.fit(self.train(), self.y, covariates=self.plan.forced.beside(self.resample.train))
        if self.prepared is not None and isinstance(model, FunctionSelector):
            model.set_params(features=self.prepared.named(model.features))
        if self.prepared is not None and isinstance(model, GroupLassoSelector) and model.groups is not None:
            # Columns that were made of a feature are in its group.
            model.set_params(groups=np.asarray(model.groups)[self.prepared.sources])
        weighted = getattr(model, "weights_equal_copies", False) and has_fit_parameter(model, "sample_weight")
        if not weighted or self.resample.noise is not None:
            train = self.framed(model, self.train())
            return fitted_to_labels(model, train, self.y, self.plan.task, self.weights)[0]
        weights, y = self.resample.weights(len(self.plan.y)), self.plan.y.copy()
        if self.plan.sample_weight is not None:
            weights *= self.plan.sample_weight
        if self.prepared is not None:
            return model.fit(self.all_rows(), y, sample_weight=weights)
        if _never_writes(model):
            return model.fit(self.plan.X, y, sample_weight=weights)
        fresh = clone(model)
        shared = self.plan.X.view()
        shared.flags.writeable = False
        try:
            return model.fit(shared, y, sample_weight=weights)
        except ValueError as error:
            if "read-only" not in str(error):
                raise
            return fresh.fit(np.array(self.plan.X), self.plan.y.copy(), sample_weight=weights)

    def framed(self, model: Any, X: Floats, columns: Ints | None = None) -> Any:
        """Rows as the model gets them: as a frame where it needs one."""
        known = self.plan.columns if self.prepared is None else FrameColumns(self.prepared.names, {})
        return X if known is None or not known.taken_by(model) else known.frame(X, columns)

    def _rows(self, rows: Ints, columns: Ints | None) -> Floats:
        if self.prepared is None:
            return np.asarray(self.plan.X[rows if columns is None else np.ix_(rows, columns)])
        key = "test" if rows is self.resample.test else "train"
        if key not in self._rows_made:
            self._rows_made[key] = self.prepared.rows(self.plan.X[rows])
        X = self._rows_made[key]
        return X.copy() if columns is None else X[:, columns]

    @cached_property
    def _rows_made(self) -> dict[str, Floats]:
        """Prepared rows, made once for the selector and all that is predicted."""
        return {}


@lru_cache(maxsize=2)
def _known_preparation(plan_key: str, label: str, digest: str) -> list[Prepared]:
    """What the training rows of a resample have taught, once that is known."""
    return []


def _never_writes(model: Any) -> bool:
    """steadyset's own code leaves X alone, and kernels would be compiled anew for arrays that are read-only."""
    return is_own_filter(model.name) if isinstance(model, FilterSelector) else is_ours(model)
