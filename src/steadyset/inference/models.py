"""Whether the models of the runs hold: what they predict for the same rows, and their coefficients.

Each run selects features and fits a model to them; the model that a reader would use is the one fitted to all rows. How
far the predictions of the runs for the same rows lie from those of that model is what Riley and Collins (2023) call
instability; what selection does to coefficients is measured as Heinze, Wallisch and Dunkler (2018) recommend.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from math import nan
from typing import Any

import numpy as np

from steadyset.foundation.arguments import LEVEL
from steadyset.inference.agreement import PairMean, mean_of_pairs
from steadyset.kernels.arrays import Bools, Floats
from steadyset.tasks import Task

OFTEN = 0.1  # the share of the runs from which on a row changes its group often
MOST_ROWS, MOST_DOTS, MOST_CURVES = 120, 5, 40  # rows, runs and curves that pictures show
MOST_STEPS = 200  # by which rows are moved along to meet others


@dataclass(frozen=True)
class Predicted:
    """How far the models of a procedure's runs agree in what they predict: means over the rows, and what is drawn.

    `error` is the mean absolute difference from the model on all rows, `width` that of the ranges of the rows;
    `changed` is the share of the rows that a run puts into another group, `often_changed` that of rows which many runs
    do; `between_rows` is the mean absolute difference between two rows. `agreement` is the mean over pairs of runs of
    the task's agreement of their predictions for all rows (kappa, correlation, Kendall's tau), with its interval.
    `rows` are some rows: the prediction of the model on all rows, the ends of the range, and predictions of some runs.
    `tenths` are the calibration of some runs on all rows: run (-1 is the model on all rows), output, mean prediction,
    observed.
    """

    name: str
    runs: int
    error: float
    width: float
    changed: float
    often_changed: float
    between_rows: float
    agreement: float = nan
    agreement_low: float = nan
    agreement_high: float = nan
    rows: tuple[tuple[float, ...], ...] = ()
    tenths: tuple[tuple[float, ...], ...] = ()


@dataclass(frozen=True)
class Coefficient:
    """A feature in the models of a procedure's runs.

    `inclusion` is the share of the runs that select it; `coefficient` is that of the model on all rows, 0 where it is
    not in it. `mean` and `sd` are over the runs that select it, `low` and `high` the ends of 95% of all runs, with 0
    for the others. `same_sign` is the share of the selecting runs with the commoner sign. `rmsd_ratio` and
    `conditional_bias` hold the runs against the model with all features; nan where nothing can be said.
    """

    name: str
    feature: str
    inclusion: float
    coefficient: float
    mean: float
    sd: float
    low: float
    high: float
    same_sign: float
    rmsd_ratio: float = nan
    conditional_bias: float = nan


@dataclass(frozen=True)
class Coefficients:
    """Those of a procedure, whose `runs` selected so many different `sets` of features."""

    name: str
    runs: int
    sets: int
    rows: tuple[Coefficient, ...]


def coefficients_of_runs(
    runs: Floats, selected: Bools, whole: Floats, full: Floats | None = None, errors: Floats | None = None
) -> dict[str, Floats]:
    """What is told of each feature: runs x features with 0 where it is not selected, and the model on all rows.

    With b over all M runs (0 where not selected) and the model with all features (`full`, with standard `errors`):
    the ratio of the root mean squared difference is sqrt(sum (b - full)^2 / M) / error, and the relative conditional
    bias mean(b | selected) / full - 1 (Heinze, Wallisch and Dunkler 2018).
    """
    times = selected.sum(axis=0)
    with np.errstate(divide="ignore", invalid="ignore"):
        most = np.where(selected, runs, -np.inf).max(axis=0)  # differences from it are exactly 0 where all are equal
        mean = np.where(times > 0, most + np.where(selected, runs - most, 0.0).sum(axis=0) / times, nan)
        squares = np.where(selected, (runs - mean) ** 2, 0.0).sum(axis=0)
        sd = np.where(times > 1, np.sqrt(squares / (times - 1)), nan)
        rises, falls = (runs > 0).sum(axis=0), (runs < 0).sum(axis=0)
        same_sign = np.maximum(rises, falls) / times
        ratio = bias = np.full(len(whole), nan)
        if full is not None and errors is not None:
            ratio = np.sqrt(((runs - full) ** 2).mean(axis=0)) / errors
            bias = np.where(full != 0, mean / full - 1, nan)
    low, high = np.quantile(runs, [0.025, 0.975], axis=0)
    names = ("inclusion", "coefficient", "mean", "sd", "low", "high", "same_sign", "rmsd_ratio", "conditional_bias")
    values = (selected.mean(axis=0), whole, mean, sd, low, high, same_sign, ratio, bias)
    return dict(zip(names, values, strict=True))


@dataclass(frozen=True, eq=False)
class PredictionSpread:
    """What the models of the runs predict for the same rows: runs x rows x outputs, beside the model on all rows.

    With several outputs, the probabilities of three classes or more, the range is that of the class which the model on
    all rows predicts, and a distance is half the sum over the classes: the least share of probability that moves.
    """

    original: Floats
    runs: Floats
    task: Task

    @cached_property
    def errors(self) -> Floats:
        """For each row the mean absolute difference of the runs from the model on all rows: its instability."""
        return np.asarray(self._distances(self.runs).mean(axis=0))

    def _distances(self, others: Floats) -> Floats:
        return np.asarray(np.abs(others - self.original).sum(axis=-1) / min(2, self.original.shape[1]))

    @property
    def between_rows(self) -> float:
        """The mean absolute difference between the predictions of two rows, by the model on all rows."""
        n = len(self.original)
        steps = np.unique(np.linspace(1, max(1, n - 1), min(MOST_STEPS, max(1, n - 1))).astype(np.int64))
        return float(np.mean([self._distances(np.roll(self.original, step, axis=0)).mean() for step in steps]))

    @cached_property
    def changed(self) -> Floats:
        """For each row the share of the runs that put it into another group: the classification instability index."""
        group = self.task.groups(self.original)
        return np.asarray(np.mean([self.task.groups(one) != group for one in self.runs], axis=0))

    @cached_property
    def shown(self) -> tuple[Floats, Floats]:
        """The one prediction of each row that is shown: of the model on all rows, and runs x rows."""
        output = np.zeros(len(self.original), np.int64)
        if self.original.shape[1] > 1:
            output = self.task.groups(self.original)
        rows = np.arange(len(output))
        return self.original[rows, output], self.runs[:, rows, output]

    def ranges(self, level: float = LEVEL) -> tuple[Floats, Floats]:
        """The middle share of the runs' predictions for each row, by quantiles."""
        low, high = np.quantile(self.shown[1], [(1 - level) / 2, (1 + level) / 2], axis=0)
        return low, high

    def summary(self, level: float = LEVEL) -> dict[str, float]:
        """Means over the rows."""
        low, high = self.ranges(level)
        return {
            "error": float(self.errors.mean()),
            "width": float((high - low).mean()),
            "changed": float(self.changed.mean()),
            "often_changed": float((self.changed >= OFTEN).mean()),
            "between_rows": self.between_rows,
            "agreement": self.agreement(level).value,
            "agreement_low": self.agreement(level).low,
            "agreement_high": self.agreement(level).high,
        }

    def agreement(self, level: float = LEVEL) -> PairMean:
        """The mean agreement of two runs in what their models predict for all rows."""
        return mean_of_pairs(self._agreements, level)

    @cached_property
    def _agreements(self) -> Floats:
        return self.task.agreement(self.runs)

    def drawn(self, level: float = LEVEL) -> tuple[tuple[float, ...], ...]:
        """Some rows, evenly from the lowest prediction to the highest, with what some runs predict for them."""
        prediction, runs = self.shown
        order = np.argsort(prediction, kind="stable")
        some = order[np.unique(np.linspace(0, len(order) - 1, min(MOST_ROWS, len(order))).astype(np.int64))]
        values = np.vstack([prediction, *self.ranges(level), runs[:MOST_DOTS]])[:, some]
        return tuple(tuple(float(f"{value:.5g}") for value in row) for row in values.T)

    def rows(self, level: float = LEVEL) -> dict[str, Any]:
        """One entry per row."""
        low, high = self.ranges(level)
        found = {"prediction": self.shown[0], "low": low, "high": high, "error": self.errors, "changed": self.changed}
        return {"row": np.arange(len(low)), **found}
