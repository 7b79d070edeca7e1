"""How good a configuration is: fitted on every resample, scored on the left-out rows, its selections compared.

All configurations see the same resamples. What several of them need is computed once: the ranking of a filter on every
resample, and the similarity of the features.
"""

from __future__ import annotations

import time
import warnings
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import numpy.typing as npt
from joblib import Parallel, delayed
from sklearn.base import clone
from threadpoolctl import threadpool_limits

from steadyset.errors import InputError
from steadyset.inference import confidence_interval
from steadyset.measures import Measure, get_measure
from steadyset.resampling import Resample
from steadyset.runner.cell import ONE_CLASS, reason, seeded
from steadyset.runner.plan import Plan
from steadyset.runner.scoring import LOWER_IS_BETTER, scores
from steadyset.selections import Selections
from steadyset.selectors.filters import get_filter, top_features
from steadyset.similarity import FeatureSimilarity
from steadyset.task import NUMBER
from steadyset.tuning.filtered import NO_FILTER, FilteredModel

STABILITY, N_FEATURES, SECONDS = "stability", "n_features", "seconds"
ALIASES = {"size": N_FEATURES, "time": SECONDS}
LEVEL, NORMAL = 0.95, 1.959963984540054


def direction(objective: str, measure: str | Measure) -> str:
    """Whether more or less of an objective is better, given the measure of stability: "max" or "min"."""
    if objective == STABILITY:
        return "max" if get_measure(measure).higher_is_steadier else "min"
    return "min" if objective in LOWER_IS_BETTER or objective in (N_FEATURES, SECONDS) else "max"


@dataclass(frozen=True)
class Run:
    """What a configuration did on one resample."""

    selected: npt.NDArray[np.int64] | None
    scores: dict[str, float] = field(default_factory=dict)
    seconds: float = float("nan")
    failure: str = ""


class Rankings:
    """The best features of every resample by a filter: each filter ranks each resample once, whoever asks."""

    def __init__(self, plan: Plan, resamples: Sequence[Resample], n_jobs: int | None = None, *, room: int = 2) -> None:
        self.plan = plan
        self.room = room
        self.weights = np.stack([resample.weights(len(plan.y)) for resample in resamples])
        self.n_jobs = n_jobs
        self._known: dict[str, tuple[npt.NDArray[np.int64], float]] = {}

    def best(self, name: str, k: int) -> npt.NDArray[np.int64]:
        """Resamples x k feature numbers, best first."""
        if name not in self._known or self._known[name][0].shape[1] < k:
            self._known[name] = self._rank(name, k)
        return self._known[name][0][:, :k]

    def seconds(self, name: str) -> float:
        """How long ranking one resample took."""
        return self._known[name][1]

    def _rank(self, name: str, k: int) -> tuple[npt.NDArray[np.int64], float]:
        d = self.plan.X.shape[1]
        # A greedy filter pays for each feature, and a longer ranking begins with the shorter one: with room for more
        # than k few requests rank again. The others score all features anyway.
        size = min(d, self.room * k) if get_filter(name).greedy else d
        begin = time.perf_counter()
        order = top_features(
            name,
            self.plan.X,
            self.plan.y,
            self.weights,
            k=size,
            random_state=self.plan.seed,
            n_jobs=self.n_jobs,
        )
        return order, (time.perf_counter() - begin) / len(self.weights)


class Evaluator:
    """Evaluates configurations on the resamples of a plan; `shared=False` ranks anew for each, for comparison."""

    def __init__(
        self,
        plan: Plan,
        *,
        measure: str = "nogueira",
        similarity: FeatureSimilarity | None = None,
        features: Sequence[str] | None = None,
        n_jobs: int | None = None,
        shared: bool = True,
    ) -> None:
        self.plan = plan
        self.features = features if similarity is None else similarity.features
        self.measure = measure
        self.similarity = similarity
        self.n_jobs = n_jobs
        self.shared = shared
        drawn = [
            plan.resampling.draw(run, plan.rows, plan.seed) for run in range(plan.resampling.n_runs_for(plan.rows))
        ]
        if any(resample.noise is not None for resample in drawn):
            raise InputError("resampling adds noise to the data; tuning wants one that draws rows.")
        if any(not len(resample.test) for resample in drawn):
            raise InputError("resampling leaves out no rows in some runs; tuning scores on the rows left out.")
        self.usable = [r for r in drawn if plan.task == NUMBER or len(np.unique(plan.y[r.train])) > 1]
        self.n_unusable = len(drawn) - len(self.usable)
        if not self.usable:
            raise InputError(f"In every run {ONE_CLASS}; wanted are more rows, or a stratified resampling.")
        self.rankings = Rankings(plan, self.usable, n_jobs)

    def __call__(self, configuration: FilteredModel) -> dict[str, Any]:
        """Means with standard errors, the stability with its interval (nan is undefined), and why runs failed."""
        runs = self.runs(configuration)
        found = [run for run in runs if run.selected is not None]
        result: dict[str, Any] = {}
        for name in self.plan.scoring:
            result |= _mean(name, [run.scores[name] for run in found])
        result |= self._stability([run.selected for run in found if run.selected is not None])
        result |= _mean(N_FEATURES, [float(len(run.selected)) for run in found if run.selected is not None])
        result |= _mean(SECONDS, [run.seconds for run in found])
        result["failures"] = float(len(runs) - len(found) + self.n_unusable)
        result["reason"] = next((run.failure for run in runs if run.selected is None), "")
        return result

    def runs(self, configuration: FilteredModel) -> list[Run]:
        """The configuration on every usable resample."""
        kept: Sequence[Any] = [None] * len(self.usable)
        spent = 0.0
        if configuration.filter != NO_FILTER:
            rankings = self.rankings if self.shared else Rankings(self.plan, self.usable, self.n_jobs, room=1)
            kept = list(rankings.best(configuration.filter, configuration.n_kept(self.plan.X.shape[1])))
            spent = rankings.seconds(configuration.filter)
        # One thread each: sums in another order would change the last bits, and with them the selection. The limit and
        # the warnings belong to the process, so they are set around all threads.
        with threadpool_limits(1), warnings.catch_warnings():
            warnings.simplefilter("ignore")
            runs: list[Run] = Parallel(n_jobs=self.n_jobs or 1, backend="threading")(
                delayed(_run)(self.plan, configuration, resample, columns, spent)
                for resample, columns in zip(self.usable, kept, strict=True)
            )
        return runs

    @property
    def lower_is_steadier(self) -> bool:
        return direction(STABILITY, self.measure) == "min"

    def selections(self, configuration: FilteredModel) -> Selections:
        """What the configuration selects on every resample on which it can be fitted."""
        runs = self.runs(configuration)
        found = [(r.label, run.selected) for r, run in zip(self.usable, runs, strict=True) if run.selected is not None]
        if not found:
            raise InputError(f"The configuration failed in every run, the first because {runs[0].failure}")
        return self._named([chosen for _, chosen in found], [label for label, _ in found])

    def _named(self, sets: Sequence[npt.NDArray[np.int64]], labels: Sequence[str] | None = None) -> Selections:
        d = None if self.features is not None else self.plan.X.shape[1]
        return Selections.from_sets(sets, self.features, n_features=d, labels=labels)

    def _stability(self, sets: Sequence[npt.NDArray[np.int64]]) -> dict[str, float]:
        if len(sets) < 2:
            return {STABILITY: np.nan, "stability_low": np.nan, "stability_high": np.nan}
        interval = confidence_interval(
            self._named(sets), self.measure, level=LEVEL, similarity=self.similarity, random_state=self.plan.seed
        )
        return {STABILITY: interval.estimate, "stability_low": interval.low, "stability_high": interval.high}


def _run(
    plan: Plan, configuration: FilteredModel, resample: Resample, kept: npt.NDArray[np.int64] | None, spent: float
) -> Run:
    """Fit and score one resample; every failure is told, none is raised."""
    model = seeded(clone(configuration), plan.seed, resample.label)
    begin = time.perf_counter()
    try:
        model.fit_kept(plan.X[resample.train], plan.y[resample.train], kept)
        seconds = time.perf_counter() - begin + spent
        found = scores(model, plan.X[resample.test], plan.y[resample.test], plan.scoring, plan.task)
    except Exception as error:  # whatever a model raises is the answer of this run, not of the tuning
        return Run(None, failure=reason(error))
    return Run(np.flatnonzero(model.support_), found, seconds)


def _mean(name: str, values: Sequence[float]) -> dict[str, float]:
    """The mean over the runs and its standard error sd / sqrt(runs)."""
    defined = np.array(values, dtype=np.float64)
    defined = defined[np.isfinite(defined)]
    error = float(defined.std(ddof=1) / np.sqrt(len(defined))) if len(defined) > 1 else np.nan
    return {name: float(defined.mean()) if len(defined) else np.nan, f"{name}_se": error}
