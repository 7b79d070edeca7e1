"""The rows of one run as estimators get them: gaps filled, noise added, and every array their own to write into."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
from sklearn.base import ClassifierMixin, clone
from sklearn.utils.validation import has_fit_parameter

from steadyset.kernels.arrays import Floats, Ints
from steadyset.resampling import Resample
from steadyset.runner.plan import Plan, is_ours
from steadyset.runner.table import filled, medians
from steadyset.selectors.filters import FilterSelector, get_filter
from steadyset.tasks import TASKS


def fitted_predictor(model: Any, X: Any, y: npt.NDArray[Any], task: str) -> Any:
    """The fitted model, which predicts labels also where it was fitted to their codes."""
    fitted, classes = fitted_to_labels(model, X, y, task)
    return fitted if classes is None else LabelsAgain(fitted, classes)


def fitted_to_labels(model: Any, X: Any, y: npt.NDArray[Any], task: str) -> tuple[Any, npt.NDArray[Any] | None]:
    """The fitted model, and the labels in the order of their codes where it refused the labels themselves.

    Which models refuse them is nowhere written, so they are tried: where codes help as little, the first error stands.
    """
    try:
        return model.fit(X, y), None
    except (ValueError, TypeError) as error:
        if not TASKS[task].has_classes:
            raise
        classes, codes = np.unique(y, return_inverse=True)
        if y.dtype.kind in "iu" and np.array_equal(classes, np.arange(len(classes))):
            raise
        try:
            return clone(model).fit(X, codes), classes
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
    """A resample of a plan; `fill` holds what replaces the missing values of each column."""

    plan: Plan
    resample: Resample
    target: npt.NDArray[Any]
    fill: Floats | None

    @classmethod
    def of(cls, plan: Plan, resample: Resample) -> Training:
        """Learn from the training rows alone what fills the gaps of all rows."""
        target, noise = plan.y[resample.train], resample.noise
        if noise is not None:
            target = noise.labels(target, continuous=not TASKS[plan.task].has_classes)
        fills = plan.impute is not None and len(plan.gaps)
        return cls(plan, resample, target, medians(plan.X[resample.train], plan.gaps) if fills else None)

    @property
    def has_one_class(self) -> bool:
        return not TASKS[self.plan.task].can_be_learnt(self.target)

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

    def all_rows(self) -> Floats:
        """Every row of the data, for an estimator that takes the resample as weights."""
        return self.plan.X if self.fill is None else filled(self.plan.X, self.fill)

    @property
    def test_y(self) -> npt.NDArray[Any]:
        return self.plan.y[self.resample.test]

    def fitted(self, model: Any) -> Any:
        """The model, fitted; rows are repeated only for selectors that cannot take a bootstrap as weights."""
        weighted = getattr(model, "weights_equal_copies", False) and has_fit_parameter(model, "sample_weight")
        if not weighted or self.resample.noise is not None:
            return fitted_to_labels(model, self.framed(model, self.train()), self.y, self.plan.task)[0]
        weights, y = self.resample.weights(len(self.plan.y)), self.plan.y.copy()
        if self.fill is not None:
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
        known = self.plan.columns
        return X if known is None or not known.taken_by(model) else known.frame(X, columns)

    def _rows(self, rows: Ints, columns: Ints | None) -> Floats:
        X = np.asarray(self.plan.X[rows if columns is None else np.ix_(rows, columns)])
        if self.fill is None:
            return X
        return filled(X, self.fill if columns is None else self.fill[columns])


def _never_writes(model: Any) -> bool:
    """steadyset's own code leaves X alone, and kernels would be compiled anew for arrays that are read-only."""
    if isinstance(model, FilterSelector):
        score = get_filter(model.name).score
        return str(getattr(score, "func", score).__module__).startswith("steadyset.")
    return is_ours(model)
