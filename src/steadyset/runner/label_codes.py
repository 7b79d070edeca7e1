"""Labels for models that take only 0, 1, 2, ... as classes, such as those of XGBoost: they get codes in their place."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt
from sklearn.base import ClassifierMixin, clone

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
