"""In which direction a feature goes with the target: the class where it is higher, or whether it rises with a number.

Read off the data, one feature at a time: by the means of the classes over all rows that have a value, or by the sign of
the correlation with a number. Nothing is adjusted for other features and nothing is tested; a coefficient of a model,
which is adjusted, may go the other way.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from steadyset.foundation.text import shown_name
from steadyset.kernels.arrays import Floats, Ints
from steadyset.tasks import TASKS

CELLS_A_BLOCK = 1 << 19  # 4 MB, of which several copies are made, little beside data that processes share
EQUAL = 1e-12  # of the largest value of a feature: means that differ by less are equal


@dataclass(frozen=True, eq=False)
class Directions:
    """For each feature c + 1 where it is highest in class c, -(c + 1) where it is lowest there, 0 where neither.

    For a number, which has no classes, 1 where a feature rises with it and -1 where it falls.
    """

    codes: Ints
    classes: tuple[str, ...] = ()
    target: str = ""

    @classmethod
    def recorded(cls, details: Mapping[str, Any]) -> Directions | None:
        """Those of the details of an assessment; None where they do not say."""
        codes = details.get("directions")
        if codes is None:
            return None
        return cls(np.array(codes, dtype=np.int64), tuple(details.get("classes", ())), details.get("target", ""))

    def words(self, features: Ints) -> list[str]:
        """Of some features, "" where one has no direction."""
        return [self._word(int(code)) for code in self.codes[features]]

    def of_sign(self, sign: int) -> str:
        """What the coefficient of a model says: of two classes a positive one speaks for the second."""
        return self._word((2 if sign > 0 else 1) if len(self.classes) == 2 else sign)

    def _word(self, code: int) -> str:
        if code == 0:
            return ""
        if not self.classes:
            return f"{'rises' if code > 0 else 'falls'} with {shown_name(self.target) or 'y'}"
        name = shown_name(self.classes[abs(code) - 1])
        if len(self.classes) == 2:
            return f"higher in {name}"
        return f"{'highest' if code > 0 else 'lowest'} in {name}"


def class_names(y: npt.NDArray[Any], task: str) -> tuple[str, ...]:
    """The classes in their order; none of a number."""
    return tuple(map(str, TASKS[task].counts(y)))


def data_directions(X: Floats, y: npt.NDArray[Any], task: str) -> Ints:
    """The codes of all features; missing values are left out, and a feature that does not vary has no direction."""
    width = max(1, CELLS_A_BLOCK // max(1, len(X)))
    blocks = (_scaled(X[:, start : start + width]) for start in range(0, X.shape[1], width))
    if not TASKS[task].has_classes:
        target = TASKS[task].amounts(y)
        return np.concatenate([_with_number(*block, target) for block in blocks])
    labels, where = np.unique(y, return_inverse=True)
    member = np.zeros((len(y), len(labels)))
    member[np.arange(len(y)), where] = 1.0
    return np.concatenate([_with_classes(*block, member) for block in blocks])


def _scaled(X: Floats) -> tuple[Floats, Floats]:
    """Columns without their means, of size 1 whatever their scale, 0 for what is missing; and 1 where nothing is."""
    values = np.array(X, dtype=np.float64)
    known = np.isfinite(values)
    values[~known] = 0.0
    for _ in range(2):  # twice, so that a large mean costs no digits
        size = np.abs(values).max(axis=0, initial=0.0)
        values /= np.where(size > 0, size, 1.0)
        mean = values.sum(axis=0) / np.maximum(1, known.sum(axis=0))
        values = np.where(known, values - mean, 0.0)
        values[:, np.abs(values).max(axis=0, initial=0.0) < EQUAL] = 0.0  # a constant, but for rounding
    return values, known.astype(np.float64)


def _with_classes(values: Floats, known: Floats, member: Floats) -> Ints:
    counts = known.T @ member
    means = np.where(counts > 0, (values.T @ member) / np.maximum(counts, 1), np.nan)
    seen = (counts > 0).sum(axis=1)
    middle = np.nansum(means, axis=1) / np.maximum(1, seen)
    away = np.where(np.isnan(means), 0.0, means - middle[:, None])
    highest, lowest = away.argmax(axis=1), away.argmin(axis=1)
    up, down = away.max(axis=1), -away.min(axis=1)
    two = member.shape[1] == 2
    codes = np.where(two | (up >= down - EQUAL), highest + 1, -(lowest + 1))
    return np.where((seen > 1) & (up + down > EQUAL), codes, 0).astype(np.int64)


def _with_number(values: Floats, known: Floats, target: Floats) -> Ints:
    rise = target - target.mean()
    largest = np.abs(rise).max(initial=0.0)
    if largest == 0:
        return np.zeros(values.shape[1], dtype=np.int64)
    rise /= largest
    counts = np.maximum(1, known.sum(axis=0))
    centred = rise[:, None] * known - known * ((rise @ known) / counts)
    products = np.einsum("ij,ij->j", values, centred)
    lengths = np.sqrt(np.einsum("ij,ij->j", values, values) * np.einsum("ij,ij->j", centred, centred))
    return np.where(np.abs(products) > EQUAL * lengths, np.sign(products), 0).astype(np.int64)
