"""What all cells of an assessment or a tuning share."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any
from uuid import uuid4

import numpy as np
import numpy.typing as npt

from steadyset.kernels.arrays import Floats, Ints
from steadyset.resampling import Resample, Resampling, Rows
from steadyset.runner.conditions import RECORD, OnWarning
from steadyset.runner.cut import NO_CUT, Cut
from steadyset.runner.frame_columns import FrameColumns
from steadyset.runner.scoring import Score
from steadyset.tasks import TASKS


def _no_columns() -> Ints:
    return np.empty(0, np.int64)


def _new_key() -> str:
    return uuid4().hex


@dataclass(frozen=True)
class Plan:
    """The data, how it is resampled and prepared, and how the selected features are judged.

    gaps are the columns with missing values; `impute` says how each run fills them ("median", or None: not at all).
    columns are those of a frame, for estimators that get one; in X labels of text are numbers.
    cut says which coefficients or importances of models count as selected, where the usual rule is not to decide.
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
    gaps: Ints = field(default_factory=_no_columns)
    cut: Cut = NO_CUT
    columns: FrameColumns | None = None
    task_assumed: bool = False  # by the rule, as nobody said what the target is
    key: str = field(default_factory=_new_key, repr=False, compare=False)

    @property
    def amounts(self) -> Floats:
        """X without the numbers of labels, which are no amounts: 0 stands for all of them."""
        if self.columns is None or not self.columns.labels:
            return self.X
        amounts = np.array(self.X)
        amounts[:, list(self.columns.labels)] = 0.0
        return amounts

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
        """The rows of a run."""
        return self.resampling.draw(run, self.rows, self.seed)

    def resamples(self) -> list[Resample]:
        """The rows of every run."""
        return [self.draw(run) for run in range(self.n_runs)]
