"""What all cells of an assessment or a tuning share."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from steadyset.resampling import Resampling, Rows
from steadyset.task import Task


@dataclass(frozen=True)
class Plan:
    """What all cells share: the data, how it is resampled, and how the selected features are judged."""

    X: npt.NDArray[np.float64]
    y: npt.NDArray[Any]
    groups: npt.NDArray[Any] | None
    resampling: Resampling
    predictor: Any
    scoring: tuple[str, ...]
    task: Task
    seed: int

    @property
    def rows(self) -> Rows:
        return Rows(len(self.y), self.y, self.groups)
