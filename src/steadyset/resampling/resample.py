"""One resample: the rows of a run, their noise, and the label that tells it from others."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Literal

import numpy as np
import numpy.typing as npt

from steadyset.kernels.arrays import Floats, Ints


@dataclass(frozen=True)
class Noise:
    """Perturb the training rows: Gaussian noise of `level` standard deviations, or `level` of the labels changed."""

    target: Literal["values", "labels"]
    level: float
    seed: tuple[int, ...]

    def values(self, X: Floats) -> Floats:
        """X with noise, in proportion to the standard deviation of each column."""
        if self.target != "values":
            return X
        return np.asarray(X + self._random().standard_normal(X.shape) * (self.level * X.std(axis=0)))

    def labels(self, y: npt.NDArray[Any], *, continuous: bool = False) -> npt.NDArray[Any]:
        """y with a share of its labels replaced by other ones; a continuous target has noise added instead."""
        if self.target != "labels":
            return y
        random = self._random()
        if continuous:
            return np.asarray(y + random.standard_normal(len(y)) * (self.level * y.std()))
        classes, code = np.unique(y, return_inverse=True)
        changed = random.random(len(y)) < self.level
        shift = random.integers(1, max(2, len(classes)), size=len(y))
        return np.asarray(classes[np.where(changed, (code + shift) % len(classes), code)])

    def _random(self) -> np.random.Generator:
        return np.random.default_rng(np.random.SeedSequence(self.seed))


@dataclass(frozen=True)
class Resample:
    """The rows of one run. Runs with equal labels saw the same resample, so they can be compared as pairs."""

    label: str
    train: Ints
    test: Ints
    noise: Noise | None = None

    @property
    def digest(self) -> str:
        """Eight digits that differ where the rows or the noise differ."""
        noise = "" if self.noise is None else repr(self.noise)
        return hashlib.sha256(b"|".join((self.train.tobytes(), self.test.tobytes(), noise.encode()))).hexdigest()[:8]

    def weights(self, n_rows: int) -> Floats:
        """How often each row occurs in the training set."""
        return np.bincount(self.train, minlength=n_rows).astype(np.float64)


@dataclass(frozen=True)
class Rows:
    """What a resampling may look at: the number of rows, the target for stratifying, and groups that stay together.

    steadyset's own never look at X; splitters of others may. strata are labels to stratify by; None: those of y.
    """

    n: int
    y: npt.NDArray[Any] | None = None
    groups: npt.NDArray[Any] | None = None
    X: Floats | None = None
    strata: npt.NDArray[Any] | None = None

    @property
    def labels(self) -> Any:
        """What stratified resamplings keep in proportion."""
        return self.y if self.strata is None else self.strata

    @cached_property
    def by_class(self) -> list[Ints]:
        """The rows of each class, or of what else a task keeps in proportion, found once for all runs."""
        return _rows_of_each(self.labels)

    @cached_property
    def by_group(self) -> list[Ints]:
        """The rows of each group, found once for all runs."""
        return _rows_of_each(self.groups)


def _rows_of_each(values: Any) -> list[Ints]:
    _, code = np.unique(np.asarray(values), return_inverse=True)
    return np.split(np.argsort(code, kind="stable"), np.cumsum(np.bincount(code))[:-1])
