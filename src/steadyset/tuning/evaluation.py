"""How good a configuration is: fitted on every resample, scored on the left-out rows, its selections compared.

All configurations see the same resamples. What several of them need is computed once: the ranking of a filter on every
resample, the similarity of the features, and the paths of models that differ in their penalty or size. The resamples of
a configuration are fitted together where its model can do that. With a folder the rankings stay there, so that a tuning
that goes on, or one that is made again, does not rank anew.
"""

from __future__ import annotations

import hashlib
import json
import re
import time
from collections.abc import Callable, Iterable, Sequence
from dataclasses import KW_ONLY, dataclass, replace
from functools import cached_property
from math import inf
from pathlib import Path
from typing import Any

import numpy as np
from joblib import Parallel, delayed
from scipy.special import ndtri
from sklearn.base import clone

from steadyset._version import __version__
from steadyset.assessment.request import description, fingerprint, prepared_settings
from steadyset.assessment.result import hidden_spread
from steadyset.assessment.written import read_json, write_json
from steadyset.foundation.arguments import LEVEL, job_count
from steadyset.foundation.errors import InputError, UninformativeWarning, warn_caller
from steadyset.inference.comparison import HiddenSpread
from steadyset.inference.interval import confidence_interval
from steadyset.io import beneath
from steadyset.io.disk import RANKINGS, explained
from steadyset.io.labels import given_names
from steadyset.kernels.arrays import Floats, Ints
from steadyset.measures import Measure, get_measure
from steadyset.resampling import Resample
from steadyset.runner.extraction import Chosen
from steadyset.runner.plan import Plan, ready
from steadyset.runner.run import Cell, Fit, Fitted, Job, Training, blind_scores, can_fit_together, compute, fit_together
from steadyset.runner.scoring import CURVES, known_score, lower_is_better
from steadyset.selections import Selections
from steadyset.selectors.catalogue import is_ours, is_own_filter
from steadyset.selectors.filters import get_filter, ranked
from steadyset.selectors.functions import FunctionSelector
from steadyset.selectors.known import SharesPaths
from steadyset.selectors.model_input import too_few
from steadyset.similarity import FeatureSimilarity
from steadyset.tasks import TASKS
from steadyset.tuning.models import NO_FILTER, FilteredModel, only_selects

DIGITS = 12  # of a number in a file, with what stands between two of them


@dataclass(eq=False)
class Rankings:
    """Rankings of the resamples of a plan, in memory and, with `folder`, on disk.

    There each filter has a file, whose name says of which data and resamples, so that no other ranking is taken for it.
    """

    plan: Plan
    resamples: Sequence[Resample]
    n_jobs: int | None = None
    room: int = 2
    folder: Path | None = None
    fill: bool = False

    def __post_init__(self) -> None:
        self.weights = np.stack([resample.weights(len(self.plan.y)) for resample in self.resamples])
        self._known: dict[str, tuple[Ints, float]] = {}

    def best(self, name: str, k: int) -> Ints:
        """Resamples x k feature numbers, best first; -1 where no more of them score better than a constant column."""
        # The version tells of steadyset's filters; that of somebody else may rank otherwise tomorrow.
        folder = self.folder if is_own_filter(name) else None
        if name not in self._known and folder is not None:
            self._known |= self.read(folder, name)
        if name not in self._known or self._known[name][0].shape[1] < k:
            self._known[name] = self._rank(name, k)
            if folder is not None:
                self.write(folder, name, *self._known[name])
        return self._known[name][0][:, :k]

    def seconds(self, name: str) -> float:
        """How long ranking one resample took."""
        return self._known[name][1]

    def _rank(self, name: str, k: int) -> tuple[Ints, float]:
        d = self.plan.X.shape[1]
        # A greedy filter pays for each feature, and a longer ranking begins with the shorter one: with room for more
        # than k few requests rank again. The others score all features anyway.
        size = min(d, self.room * k) if get_filter(name).greedy else d
        begin = time.perf_counter()
        if self.plan.preparation is None and self.plan.forced is None:
            order = self._top(name, self.plan.X, self.plan.y, self.weights, size)
        else:  # every resample has its own
            order, forced = np.full((len(self.weights), size), -1), self.plan.forced
            for row, resample, weights in zip(order, self.resamples, self.weights, strict=True):
                part = Training(self.plan, resample)
                left = min(size, part.n_columns)
                if forced is None:
                    row[:left] = self._top(name, part.all_rows(), self.plan.y, weights[None, :], left)
                else:
                    once, beside = np.ones((1, len(resample.train))), forced.beside(resample.train)
                    row[:left] = self._top(name, part.train(), part.y, once, left, covariates=beside)
        return order, (time.perf_counter() - begin) / len(self.weights)

    def _top(self, name: str, X: Floats, y: Any, weights: Floats, k: int, **options: Any) -> Ints:
        options |= {"random_state": self.plan.seed, "n_jobs": self.n_jobs, "task": self.plan.task}
        return ranked(name, X, y, weights, k=k, fill=self.fill, **options).best(k)

    def read(self, folder: Path, name: str) -> dict[str, tuple[Ints, float]]:
        """The ranking by its filter; nothing where there is none, or one that is damaged: it is made again."""
        n_resamples, d = len(self.weights), self.plan.X.shape[1]
        try:
            found = read_json(beneath.read(folder, self._name(name), DIGITS * n_resamples * (d + DIGITS)))
            if found["of"] != self._digest(name):
                return {}
            order, seconds = np.array(found["order"]), float(found["seconds"])
        except (OSError, ValueError, TypeError, KeyError, RecursionError):
            return {}
        if order.ndim != 2 or len(order) != n_resamples or order.dtype != np.int64 or order.min() < -1:
            return {}
        known = [row[row >= 0] for row in order]
        distinct = all(len(np.unique(row)) == len(row) for row in known)
        return {name: (order, seconds)} if distinct and order.max() < d else {}

    def write(self, folder: Path, name: str, order: Ints, seconds: float) -> None:
        """Put down the ranking by a filter."""
        content = write_json({"of": self._digest(name), "order": order.tolist(), "seconds": seconds}, indent=None)
        with explained(folder, resumable=True):
            folder.mkdir(parents=True, exist_ok=True)
            beneath.make_folder(folder, RANKINGS)
            beneath.remove_abandoned_parts(folder, ".", RANKINGS)
            beneath.write(folder, self._name(name), content)

    @cached_property
    def _identity(self) -> dict[str, Any]:
        return {
            "version": __version__,
            "data": fingerprint(self.plan),
            "resampling": self.plan.resampling.identity(),
            "n_resamples": len(self.weights),
            "impute": self.plan.impute,
            **prepared_settings(self.plan),
            "task": self.plan.task,
            "seed": self.plan.seed,
            "fill": self.fill,
        }

    def _digest(self, name: str) -> str:
        identity = json.dumps(self._identity | {"filter": name}, sort_keys=True, default=str)
        return hashlib.sha256(identity.encode("utf-8", "backslashreplace")).hexdigest()

    def _name(self, name: str) -> str:
        return f"{RANKINGS}/{re.sub(r'[^A-Za-z0-9_]', '_', name)[:40]}-{self._digest(name)[:16]}.json"


STABILITY, N_FEATURES, SECONDS = "stability", "n_features", "seconds"
MAX_TRIALS = 1_000_000
ALIASES = {"size": N_FEATURES, "time": SECONDS}
MAX_PATHS = 4  # kinds of models of which the paths are kept
OF_RUNS = "runs of "  # before the name of a score: its value in each run, as text
ELAPSED = "elapsed seconds"  # in the place of such a score: how long the configuration took, with all of its runs
POSITIVE = (0.0, inf)
NORMAL = float(ndtri((1 + LEVEL) / 2))


Kind = tuple[str, int, bool, tuple[type, str]]  # a filter, how many features it keeps, its fill, and a kind of model


def direction(objective: str, measure: str | Measure) -> str:
    """Whether more or less of an objective is better, given the measure of stability: "max" or "min"."""
    if objective == STABILITY:
        return "max" if get_measure(measure).higher_is_steadier else "min"
    return "min" if lower_is_better(objective) or objective in (N_FEATURES, SECONDS) else "max"


@dataclass(eq=False)
class Evaluator:
    """Evaluates configurations on the resamples of a plan; `shared=False` computes all anew for each, for comparison.

    Rankings by filters stay in `folder`.
    """

    plan: Plan
    _: KW_ONLY
    measure: str = "nogueira"
    similarity: FeatureSimilarity | None = None
    features: Sequence[str] | None = None
    n_jobs: int | None = None
    shared: bool = True
    folder: Path | None = None

    @cached_property
    def refits(self) -> bool:
        """Whether a predictor is fitted to what any model selects: with covariates, or if survival curves are judged.

        What models select that do not predict is always judged by the predictor.
        """
        return self.plan.forced is not None or any(CURVES in known_score(one).needs for one in self.plan.score_names)

    def __post_init__(self) -> None:
        plan = self.plan
        if self.similarity is not None:
            names = None if self.features is None else given_names(self.features)
            self.similarity.check_features(plan.X.shape[1], names, "X")
            self.features = self.similarity.features if names is None else names
        drawn = plan.resamples()
        if any(resample.noise is not None for resample in drawn):
            raise InputError("resampling adds noise to the data; tuning needs one that draws rows.")
        if any(not len(resample.test) for resample in drawn):
            raise InputError("resampling leaves out no rows in some runs; tuning scores on the rows left out.")
        self.usable = [r for r in drawn if TASKS[plan.task].learnable(plan.y[r.train])]
        self.n_unusable = len(drawn) - len(self.usable)
        if not self.usable:
            raise InputError(f"In every run {TASKS[plan.task].unlearnable}.")
        self.rankings = Rankings(plan, self.usable, self.n_jobs, folder=self.folder)
        self._known_paths: dict[Kind, list[Callable[[Any], Iterable[Fit]] | None]] = {}
        self._latest: Kind | None = None

    def __call__(self, configuration: FilteredModel) -> dict[str, Any]:
        """Means with standard errors, the stability with its interval (nan is undefined), and why runs failed."""
        begin = time.perf_counter()
        cells = self.cells(configuration)
        found = [cell for cell in cells if _came_through(cell)]
        warned = [text for cell in cells for text in cell.warnings]
        result: dict[str, Any] = {}
        for name in self.plan.score_names:
            values = [cell.scores[name] if _came_through(cell) else np.nan for cell in cells]
            result |= _mean(name, values, self.hidden_spread(name), self.test_ratio)
            result[f"{OF_RUNS}{name}"] = " ".join(map(repr, map(float, values)))
        result |= self._stability([_selected(cell) for cell in found])
        sizes = [float(len(_selected(cell))) for cell in found]
        seconds = [cell.fit_seconds for cell in found]
        result |= _mean(N_FEATURES, sizes, HiddenSpread(POSITIVE), self.test_ratio)
        result |= _mean(SECONDS, seconds, HiddenSpread(POSITIVE), self.test_ratio)
        result["failures"] = float(len(cells) - len(found) + self.n_unusable)
        result["reason"] = next((cell.failure for cell in cells if not _came_through(cell)), "")
        result["warned"] = float(sum(bool(cell.warnings) for cell in cells))
        result["warning"] = warned[0] if warned else ""
        result[f"{OF_RUNS}{ELAPSED}"] = repr(time.perf_counter() - begin)
        return result

    def blind_runs(self, *, covariates: bool = True) -> dict[str, Floats]:
        """Return each score without features, or without covariates too, on every usable resample."""
        plan = self.plan if covariates else replace(self.plan, forced=None)
        each = [blind_scores(plan, resample) for resample in self.usable]
        return {name: np.array([one.get(name, np.nan) for one in each]) for name in self.plan.score_names}

    def blind_scores(self, *, covariates: bool = True) -> dict[str, float]:
        """Return the mean of each score without features, or without covariates too, over runs that have a score."""
        return {name: finite_mean(runs) for name, runs in self.blind_runs(covariates=covariates).items()}

    @cached_property
    def test_ratio(self) -> float:
        """The number of left-out rows for each training row, by which intervals are corrected."""
        return self.plan.resampling.test_ratio(self.plan.rows, self.plan.seed)

    @cached_property
    def is_balanced(self) -> bool:
        """Whether every row is left out equally often, as in cross-validation."""
        times = np.bincount(np.concatenate([one.test for one in self.usable]), minlength=len(self.plan.y))
        return bool((times == times[0]).all())

    def hidden_spread(self, score: str, test_ratio: float | None = None) -> HiddenSpread:
        """Return the spread of a score that equal runs can hide; `test_ratio` is that of the resamples by default."""
        plan = self.plan
        task = TASKS[plan.task]
        return hidden_spread(
            score,
            len(plan.y),
            self.test_ratio if test_ratio is None else test_ratio,
            classes={str(label): count for label, count in task.counts(plan.y).items()},
            counted=task.counted(plan.y),
            n_groups=len(plan.y) if plan.groups is None else len(np.unique(plan.groups)),
        )

    def cells(self, configuration: FilteredModel) -> list[Cell]:
        """The configuration on every usable resample."""
        kept: Sequence[Any] = [None] * len(self.usable)
        spent = 0.0
        if configuration.filter != NO_FILTER:
            rankings = self._rankings(configuration)
            best = rankings.best(configuration.filter, configuration.n_kept(self.plan.X.shape[1]))
            kept = [row[row >= 0] for row in best]
            spent = rankings.seconds(configuration.filter)
        begin = time.perf_counter()
        fits: Sequence[Any] = self._fitted_together(configuration, kept) or [None] * len(self.usable)
        spent += (time.perf_counter() - begin) / len(fits)
        plan, refits = self.plan, self.refits or only_selects(configuration.model)
        if refits and not hasattr(configuration.model, "get_support"):  # what only predicts does so here too
            plan = replace(plan, predictor=configuration.model)
        jobs = [
            ConfigurationJob(plan, resample, configuration, resample.label, fitted, spent, columns, refits)
            for resample, columns, fitted in zip(self.usable, kept, fits, strict=True)
        ]
        cells: list[Cell] = Parallel(n_jobs=job_count(self.n_jobs), backend="threading")(map(delayed(compute), jobs))
        return cells

    def _rankings(self, configuration: FilteredModel) -> Rankings:
        """The rankings that all configurations share, or some for this one alone."""
        fill = configuration.fill
        if not self.shared:
            return Rankings(self.plan, self.usable, self.n_jobs, room=1, fill=fill)
        if fill != self.rankings.fill:
            self.rankings = Rankings(self.plan, self.usable, self.n_jobs, folder=self.folder, fill=fill)
        return self.rankings

    def _fitted_together(self, configuration: FilteredModel, kept: Sequence[Any]) -> list[Fit] | None:
        """The model of a configuration on all resamples; None where they share nothing, or a fit fails."""
        model, filtered = configuration.model, configuration.filter != NO_FILTER
        if not self.shared or not can_fit_together(self.plan, model):
            return None
        if isinstance(model, SharesPaths):
            n_kept = configuration.n_kept(self.plan.X.shape[1]) if filtered else 0
            before, self._latest = self._latest, (configuration.filter, n_kept, configuration.fill, _kind(model))
            if filtered and before != self._latest:  # each resample has its own features, and nothing to share yet
                return None
            fit_many = self._along_paths(self._latest, model, kept if filtered else None)
        elif filtered:
            return None
        else:
            fit_many = model.fit_many
        return fit_together(self.plan, fit_many, self.usable, trusted=is_ours(model))

    def _along_paths(self, key: Kind, model: Any, kept: Sequence[Ints] | None) -> Callable[..., Iterable[Fit]]:
        """The fits of a model along the paths of those before it that differ in its place on them alone."""

        def fit_many(X: Any, y: Any, weights: Any) -> Iterable[Fit]:
            if key not in self._known_paths:
                while len(self._known_paths) >= MAX_PATHS:
                    del self._known_paths[next(iter(self._known_paths))]
                if kept is None:
                    self._known_paths[key] = [model.share_paths(X, y, weights)]
                else:
                    parts = zip((resample.train for resample in self.usable), kept, strict=True)
                    alone = ((X[np.ix_(rows, columns)], y[rows], np.ones((1, len(rows)))) for rows, columns in parts)
                    self._known_paths[key] = [model.share_paths(*data) for data in alone]
            paths = self._known_paths[key]
            if paths == [None]:
                return list(model.fit_many(X, y, weights))
            return [fit for along in paths if along is not None for fit in along(model)]

        return fit_many

    def close(self) -> None:
        """Let go of what the paths hold, once no more configurations are expected."""
        self._known_paths.clear()
        self._latest = None

    def selections(self, configuration: FilteredModel) -> Selections:
        """What the configuration selects on every resample on which it can be fitted."""
        cells = self.cells(configuration)
        found = [cell for cell in cells if _came_through(cell)]
        if not found:
            raise InputError(f"The configuration failed in every run, the first because {cells[0].failure}")
        return self._named([_selected(cell) for cell in found], [cell.label for cell in found])

    def _named(self, sets: Sequence[Ints], labels: Sequence[str] | None = None) -> Selections:
        d = None if self.features is not None else self.plan.X.shape[1]
        return Selections.from_sets(sets, self.features, n_features=d, labels=labels)

    def _stability(self, sets: Sequence[Ints]) -> dict[str, float]:
        if len(sets) < 2:
            return {STABILITY: np.nan, "stability_low": np.nan, "stability_high": np.nan}
        interval = confidence_interval(
            self._named(sets), self.measure, level=LEVEL, similarity=self.similarity, random_state=self.plan.seed
        )
        return {STABILITY: interval.estimate, "stability_low": interval.low, "stability_high": interval.high}


def _kind(model: Any) -> tuple[type, str]:
    """What models along the same path have in common."""
    return type(model), description(clone(model).set_params(**dict.fromkeys(model.path_parameters)))


@dataclass(frozen=True)
class ConfigurationJob(Job):
    """A configuration on one resample; `kept` are the features that its filter kept there, `together` is its model.

    `refits` leaves the prediction to the predictor of the plan.
    """

    kept: Ints | None = None
    refits: bool = False

    def fit(self, training: Training) -> Fitted:
        """Fit the model to what the filter kept."""
        model, kept, d = ready(self.estimator, self.plan, self.run), self.kept, training.n_columns
        if training.prepared is not None and isinstance(model.model, FunctionSelector):
            model.model.set_params(features=training.prepared.named(model.model.features))
        wanted = min(model.n_kept(self.plan.X.shape[1]), d)
        if kept is not None and len(kept) < wanted:
            text = too_few(wanted, f"by the filter {model.filter!r}")
            warn_caller(text, UninformativeWarning)
        if self.together is None:
            forced = self.plan.forced
            beside = None if forced is None else forced.beside(self.resample.train)
            model.fit_kept(training.train(), training.y, kept, beside)
        else:
            model.hold(self.together(), np.arange(d) if kept is None else kept, d)
        selected = training.features(Chosen(np.flatnonzero(model.support_), None))
        return Fitted(selected, None if self.refits else model, compared=False)


def finite_mean(values: Floats) -> float:
    """Return the mean of the finite values; nan if there are none."""
    finite = values[np.isfinite(values)]
    return float(finite.mean()) if len(finite) else np.nan


def _came_through(cell: Cell) -> bool:
    """Whether a run has both a selection and its scores."""
    return cell.selected is not None and not cell.failure


def _selected(cell: Cell) -> Ints:
    return np.array(cell.selected, dtype=np.int64)


def _mean(name: str, values: Sequence[float], hidden: HiddenSpread, test_ratio: float) -> dict[str, float]:
    """Return the mean over the runs, its standard error sd / sqrt(runs), and the ends of its interval.

    The interval is the one of assessments: Student's, with the error that is corrected for overlapping training rows.
    Equal scores have the spread that their few left-out rows could have hidden.
    """
    defined = np.array(values, dtype=np.float64)
    defined = defined[np.isfinite(defined)]
    mean = float(defined.mean()) if len(defined) else np.nan
    error = float(defined.std(ddof=1) / np.sqrt(len(defined))) if len(defined) > 1 else np.nan
    low, high = hidden.interval(defined, test_ratio)
    return {name: mean, f"{name}_se": error, f"{name}_low": low, f"{name}_high": high}
