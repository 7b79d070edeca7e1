"""How good a configuration is: fitted on every resample, scored on the left-out rows, its selections compared.

All configurations see the same resamples. What several of them need is computed once: the ranking of a filter on every
resample, the similarity of the features, and the paths of models that differ in their penalty or size. The resamples of
a configuration are fitted together where its model can do that.
"""

from __future__ import annotations

import time
import warnings
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
from joblib import Parallel, delayed
from scipy.special import ndtri
from sklearn.base import clone

from steadyset.assessment.request import description
from steadyset.foundation.arguments import job_count
from steadyset.foundation.conventions import LEVEL
from steadyset.foundation.errors import InputError, UninformativeWarning
from steadyset.inference import confidence_interval
from steadyset.io.labels import given_names
from steadyset.kernels.arrays import Ints
from steadyset.measures import Measure, get_measure
from steadyset.resampling import Resample
from steadyset.runner.extraction import Chosen
from steadyset.runner.plan import Plan, is_ours, ready
from steadyset.runner.run import ONE_CLASS, Cell, Fit, Fitted, can_fit_together, compute_cells, fit_together
from steadyset.runner.scoring import lower_is_better
from steadyset.runner.training import Training
from steadyset.selections import Selections
from steadyset.selectors.model_input import too_few
from steadyset.selectors.protocols import SharesPaths
from steadyset.similarity import FeatureSimilarity
from steadyset.tasks import TASKS
from steadyset.tuning.filter_rankings import Rankings
from steadyset.tuning.filtered import NO_FILTER, FilteredModel

STABILITY, N_FEATURES, SECONDS = "stability", "n_features", "seconds"
MOST_TRIALS = 1_000_000
ALIASES = {"size": N_FEATURES, "time": SECONDS}
MOST_PATHS = 4  # kinds of models of which the paths are kept
NORMAL = float(ndtri((1 + LEVEL) / 2))


Kind = tuple[str, int, bool, tuple[type, str]]  # a filter, how many features it keeps, its fill, and a kind of model


def direction(objective: str, measure: str | Measure) -> str:
    """Whether more or less of an objective is better, given the measure of stability: "max" or "min"."""
    if objective == STABILITY:
        return "max" if get_measure(measure).higher_is_steadier else "min"
    return "min" if lower_is_better(objective) or objective in (N_FEATURES, SECONDS) else "max"


class Evaluator:
    """Evaluates configurations on the resamples of a plan; `shared=False` computes all anew for each, for comparison.

    Rankings by filters stay in `folder`.
    """

    def __init__(
        self,
        plan: Plan,
        *,
        measure: str = "nogueira",
        similarity: FeatureSimilarity | None = None,
        features: Sequence[str] | None = None,
        n_jobs: int | None = None,
        shared: bool = True,
        folder: Path | None = None,
    ) -> None:
        self.plan = plan
        self.features = features
        if similarity is not None:
            names = None if features is None else given_names(features)
            similarity.check_features(plan.X.shape[1], names, "X")
            self.features = similarity.features if names is None else names
        self.measure = measure
        self.similarity = similarity
        self.n_jobs = n_jobs
        self.shared = shared
        drawn = plan.resamples()
        if any(resample.noise is not None for resample in drawn):
            raise InputError("resampling adds noise to the data; tuning needs one that draws rows.")
        if any(not len(resample.test) for resample in drawn):
            raise InputError("resampling leaves out no rows in some runs; tuning scores on the rows left out.")
        self.usable = [r for r in drawn if TASKS[plan.task].can_be_learnt(plan.y[r.train])]
        self.n_unusable = len(drawn) - len(self.usable)
        if not self.usable:
            raise InputError(f"In every run {ONE_CLASS}.")
        self.folder = folder
        self.rankings = Rankings(plan, self.usable, n_jobs, folder=folder)
        self._known_paths: dict[Kind, list[Callable[[Any], Iterable[Fit]] | None]] = {}
        self._latest: Kind | None = None

    def __call__(self, configuration: FilteredModel) -> dict[str, Any]:
        """Means with standard errors, the stability with its interval (nan is undefined), and why runs failed."""
        cells = self.cells(configuration)
        found = [cell for cell in cells if _came_through(cell)]
        warned = [text for cell in cells for text in cell.warnings]
        result: dict[str, Any] = {}
        for name in self.plan.score_names:
            result |= _mean(name, [cell.scores[name] for cell in found])
        result |= self._stability([_selected(cell) for cell in found])
        result |= _mean(N_FEATURES, [float(len(_selected(cell))) for cell in found])
        result |= _mean(SECONDS, [cell.fit_seconds for cell in found])
        result["failures"] = float(len(cells) - len(found) + self.n_unusable)
        result["reason"] = next((cell.failure for cell in cells if not _came_through(cell)), "")
        result["warned"] = float(sum(bool(cell.warnings) for cell in cells))
        result["warning"] = warned[0] if warned else ""
        return result

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
        cells: list[Cell] = Parallel(n_jobs=job_count(self.n_jobs), backend="threading")(
            delayed(_cell)(self.plan, configuration, resample, columns, fitted, spent)
            for resample, columns, fitted in zip(self.usable, kept, fits, strict=True)
        )
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
                while len(self._known_paths) >= MOST_PATHS:
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

    def forget_paths(self) -> None:
        """Let go of what the paths hold, once no more configurations are expected."""
        self._known_paths.clear()
        self._latest = None

    @property
    def lower_is_steadier(self) -> bool:
        return direction(STABILITY, self.measure) == "min"

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


def _cell(
    plan: Plan, configuration: FilteredModel, resample: Resample, kept: Ints | None, fitted: Fit | None, spent: float
) -> Cell:
    """A configuration on one resample.

    kept are the features that its filter kept there, fitted gives its model where that was fitted with others, and
    spent is the time that these took.
    """

    def fit(training: Training) -> list[Fitted]:
        model = ready(configuration, plan, resample.label)
        if kept is not None and len(kept) < model.n_kept(plan.X.shape[1]):
            text = too_few(model.n_kept(plan.X.shape[1]), f"by the filter {model.filter!r}")
            warnings.warn(text, UninformativeWarning, stacklevel=2)
        if fitted is None:
            model.fit_kept(training.train(), training.y, kept)
        else:
            model.hold(fitted(), np.arange(plan.X.shape[1]) if kept is None else kept, plan.X.shape[1])
        return [Fitted(Chosen(np.flatnonzero(model.support_), None), model)]

    (cell,) = compute_cells(plan, resample, fit)
    return replace(cell, fit_seconds=cell.fit_seconds + spent)


def _came_through(cell: Cell) -> bool:
    """Whether a run has both a selection and its scores."""
    return cell.selected is not None and not cell.failure


def _selected(cell: Cell) -> Ints:
    return np.array(cell.selected, dtype=np.int64)


def _mean(name: str, values: Sequence[float]) -> dict[str, float]:
    """The mean over the runs and its standard error sd / sqrt(runs)."""
    defined = np.array(values, dtype=np.float64)
    defined = defined[np.isfinite(defined)]
    error = float(defined.std(ddof=1) / np.sqrt(len(defined))) if len(defined) > 1 else np.nan
    return {name: float(defined.mean()) if len(defined) else np.nan, f"{name}_se": error}
