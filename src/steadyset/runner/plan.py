"""What all runs of an assessment or a tuning share: the data, which importances count as selected, the seeds.

Results keep a small extract of the data, so that pictures can show the values of their first features.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import zip_longest
from typing import Any
from uuid import uuid4

import numpy as np
import numpy.typing as npt
from sklearn.base import clone

from steadyset.foundation.arguments import check_finite, check_integer, wrong_argument
from steadyset.foundation.errors import Argument, InputError, UninformativeWarning, warn_caller
from steadyset.inference.features import Extract
from steadyset.kernels.arrays import Floats, Ints
from steadyset.resampling import Resample, Resampling, Rows
from steadyset.runner.columns import FrameColumns
from steadyset.runner.conditions import RECORD, OnWarning
from steadyset.runner.forced import Forced
from steadyset.runner.preparation import Preparation
from steadyset.runner.scoring import Score
from steadyset.selections import Selections
from steadyset.selectors.catalogue import open_tasks
from steadyset.tasks import TASKS

PER_FOLD = ("mean", "median")
MAX_FEATURES, MAX_ROWS = 60, 500  # of an extract
FIXED_RUNS = "fixed_runs"  # what details call that no further runs can follow
BASELINES = "baselines"  # what details call the runs that draw random features
MANY_ROWS = 20_000  # from which fits of the predictor take nearly all the time of an assessment
FIRST_COMPARED, COMPARED_EVERY = 5, 10  # runs that draw random features of many rows: the first ones, and each tenth
PREDICTOR, SELECTOR = "predictor", "selector"  # whose importances measures of weights use


@dataclass(frozen=True)
class Cut:
    """Which coefficients or importances of a model count as selected in a run.

    Without a cut, a model that is given as a selector selects the coefficients that are not 0 or the importances above
    their mean.

    Parameters
    ----------
    top : int or None, default=None
        How many of the largest; one of 0 is never selected by `top` alone.
    threshold : float, str or None, default=None
        The value that they exceed: a number, or "mean" or "median" of the run.

    Examples
    --------
    >>> import steadyset as st
    >>> st.Cut(top=10)
    Cut(top=10, threshold=None)
    """

    top: int | None = None
    threshold: float | str | None = None

    def __post_init__(self) -> None:
        if self.top is not None:
            check_integer("top", self.top, least=1)
        if isinstance(self.threshold, str):
            if self.threshold not in PER_FOLD:
                raise wrong_argument("threshold", 'a number, "mean" or "median"', self.threshold)
        elif self.threshold is not None:
            check_finite("threshold", self.threshold)

    @property
    def asked(self) -> bool:
        """Whether the caller gave any of the two."""
        return self.top is not None or self.threshold is not None

    def words(self, what: str) -> str:
        """What is kept, as a phrase.

        Parameters
        ----------
        what : str
            What there is to keep: importances, coefficients or the like.

        Returns
        -------
        str
            Such as "the 10 largest importances".
        """
        least = f"their {self.threshold}" if isinstance(self.threshold, str) else f"{self.threshold or 0:g}"
        above = "" if self.threshold is None else f" above {least}"
        return f"{what}{above}" if self.top is None else f"the {self.top} largest {what}{above}"

    def kept(self, importances: Floats) -> Ints:
        """What is kept of one fold; of equal importances those at the first positions.

        Parameters
        ----------
        importances : array of float
            The importances of the fold.

        Returns
        -------
        array of int
            The positions that are kept, ascending.
        """
        above = np.flatnonzero(importances > self._least(importances))
        if self.top is None or len(above) <= self.top:
            return above
        best = above[np.argsort(-importances[above], kind="stable")[: self.top]]
        return np.sort(best)

    def _least(self, importances: Floats) -> float:
        if isinstance(self.threshold, str):
            return float(importances.mean() if self.threshold == "mean" else np.median(importances))
        return 0.0 if self.threshold is None else float(self.threshold)

    def decided_by_order(self, importances: Floats) -> bool:
        """Whether an importance that is left out equals the smallest that `top` keeps.

        Parameters
        ----------
        importances : array of float
            The importances of a fold.

        Returns
        -------
        bool
            True where the order of the columns decided.
        """
        kept = self.kept(importances)
        if self.top is None or len(kept) < self.top:
            return False
        return int(np.count_nonzero(importances == importances[kept].min())) > int(
            np.count_nonzero(importances[kept] == importances[kept].min())
        )


NO_CUT, MEAN = Cut(None, None), Cut(None, "mean")


def check_top(cut: Cut, n_features: int) -> None:
    """No more than there are."""
    if cut.top is not None and cut.top > n_features:
        raise wrong_argument("top", f"at most {n_features}, the number of features", cut.top)


def warn_of_ties(cut: Cut, folds: Sequence[Floats]) -> None:
    """Tell when only the order of the columns decided what `top` keeps: that looks steady and is not."""
    tied = sum(cut.decided_by_order(importances) for importances in folds)
    if tied:
        warn_caller(
            f"In {tied} of {len(folds)} folds the last of the top {cut.top} has the same importance as a feature that "
            "is left out; the order of the columns decided.",
            UninformativeWarning,
        )


def say_how_many(*before: Any) -> InputError:
    """The error of importances of which nothing says how many count as selected."""
    return InputError(
        *before,
        "; say which count as selected: ",
        Argument("top", 10),
        " for the 10 largest, or ",
        Argument("threshold", "mean"),
        " for those above the mean.",
    )


@dataclass(frozen=True)
class Plan:
    """The data, how it is resampled and prepared, and how the selected features are judged.

    gaps are the columns with missing values. `preparation` is fitted to the training rows of each run; `impute` is what
    was asked for where medians fill gaps and nothing else is prepared. `forced` are columns that are no features.
    columns are those of a frame, for estimators that get one; in X labels of text are numbers.
    cut says which coefficients or importances of models count as selected, where the usual rule is not to decide.
    `sample_weight` are the weights of the rows, where they have any.
    `keep` says whether cells hold what their models predict for all rows, and the coefficients of these models.
    `importance` says whose importances measures of weights use: of the predictor, then cells hold them, or of the
    selector.
    key tells plans apart, in worker processes too: what all selectors of a plan share is remembered under it.
    """

    X: Floats
    y: npt.NDArray[Any]
    groups: npt.NDArray[Any] | None
    resampling: Resampling
    predictor: Any
    scoring: tuple[Score, ...]
    task: str
    seed: int
    impute: str | None = None
    on_warning: OnWarning = RECORD
    gaps: Ints = field(default_factory=lambda: np.empty(0, np.int64))
    cut: Cut = NO_CUT
    columns: FrameColumns | None = None
    preparation: Preparation | None = None
    forced: Forced | None = None
    task_assumed: bool = False  # by the rule, as nobody said what the target is
    keep: bool = False
    importance: str = SELECTOR
    sample_weight: Floats | None = None
    key: str = field(default_factory=lambda: uuid4().hex, repr=False, compare=False)

    @property
    def amounts(self) -> Floats:
        """X without the numbers of labels, which are no amounts: 0 stands for all of them."""
        if self.columns is None or not self.columns.labels:
            return self.X
        amounts = np.array(self.X)
        amounts[:, list(self.columns.labels)] = 0.0
        return amounts

    @property
    def predicts(self) -> bool:
        """Whether the predictor is fitted: for scores, or for its importances."""
        return bool(self.scoring) or self.importance == PREDICTOR

    @property
    def has_few_baselines(self) -> bool:
        """Whether only some runs draw random features: with many rows, fits of the predictor take nearly all the time.

        The rule looks at nothing but the size of the data, so that the answer depends on no clock.
        """
        return len(self.y) >= MANY_ROWS

    def draws_baseline(self, run: int | str) -> bool:
        """Whether a run is compared with random features, and with covariates alone."""
        if not self.has_few_baselines or not isinstance(run, int):
            return True
        return run < FIRST_COMPARED or run % COMPARED_EVERY == 0

    @property
    def fills(self) -> bool:
        """Whether there are missing values that each run fills in its own way."""
        return self.preparation is not None and len(self.gaps) > 0

    @property
    def rows(self) -> Rows:
        return Rows(len(self.y), self.y, self.groups, self.X, TASKS[self.task].strata(self.y))

    @property
    def n_runs(self) -> int:
        return self.resampling.n_runs_for(self.rows)

    @property
    def score_names(self) -> tuple[str, ...]:
        return tuple(score.name for score in self.scoring)

    def draw(self, run: int) -> Resample:
        """The rows of a run, without those of weight 0, which count for nothing in training and in test rows."""
        drawn = self.resampling.draw(run, self.rows, self.seed)
        if self.sample_weight is None:
            return drawn
        return replace(drawn, train=self.counting(drawn.train), test=self.counting(drawn.test))

    def counting(self, rows: Ints) -> Ints:
        """Those of some rows that have a weight above 0."""
        return rows if self.sample_weight is None else rows[self.sample_weight[rows] > 0]

    def resamples(self) -> list[Resample]:
        """The rows of every run."""
        return [self.draw(run) for run in range(self.n_runs)]


ESTIMATORS, RANDOM_FEATURES, IN_MODEL = 1, 3, 4  # what a run's seeds are for; 2 is the noise of a resampling
DIGEST = re.compile("-[0-9a-f]{8}(?=:)")


def ready(estimator: Any, plan: Plan, run: int | str) -> Any:
    """Every open random_state has a seed of its own, drawn from the run's; steadyset's own selectors know the task.

    A selector is known by the number of its run, what predicts by the label of the resample.
    """
    copy = clone(estimator)
    parameters = copy.get_params(deep=True)
    states_of = {name: value for name, value in parameters.items() if name.rpartition("__")[2] == "random_state"}
    open_states = sorted(name for name, value in states_of.items() if value is None)
    states = np.random.SeedSequence(plan.seed, spawn_key=(run_key(run), ESTIMATORS)).generate_state(
        max(1, len(open_states))
    )
    filled: dict[str, Any] = {name: int(s % 2**31) for name, s in zip(open_states, states, strict=False)}
    filled |= open_tasks(copy, plan.task)
    return copy.set_params(**filled) if filled else copy


def run_key(run: int | str) -> int:
    """A run, or the label of its resample without the digest of its rows, as a number."""
    return run if isinstance(run, int) else int.from_bytes(DIGEST.sub("", run).encode()[-8:], "big")


def extract_of(plan: Plan, names: Sequence[str], first: Iterable[str]) -> Extract:
    """The values of these features, as many as an extract holds, in all rows or in a random part of them."""
    places = {name: place for place, name in enumerate(names)}
    texts = set() if plan.columns is None else set(plan.columns.labels)  # labels are no amounts
    kept = [name for name in dict.fromkeys(first) if name in places and places[name] not in texts][:MAX_FEATURES]
    rows = np.arange(len(plan.y))
    if len(rows) > MAX_ROWS:
        rows = np.sort(np.random.default_rng(plan.seed).choice(rows, MAX_ROWS, replace=False))
    task, y = TASKS[plan.task], plan.y[rows]
    has_classes = task.has_classes
    return Extract(
        tuple(kept),
        tuple(tuple(float(f"{value:.5g}") for value in plan.X[rows, places[name]]) for name in kept),
        tuple(map(str, y)) if has_classes else (),
        () if has_classes else tuple(float(f"{value:.5g}") for value in task.amounts(y)),
        len(plan.y),
    )


def most_selected(selections: Mapping[str, Selections]) -> list[str]:
    """The most frequent features of each procedure: the first of all, then the second of all."""
    named = [
        [sel.features[f] for f in np.argsort(-sel.counts, kind="stable")[:MAX_FEATURES] if sel.counts[f]]
        for sel in selections.values()
    ]
    return [name for turn in zip_longest(*named) for name in turn if name is not None]
