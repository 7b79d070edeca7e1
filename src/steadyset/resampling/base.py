"""What all resamplings share: scikit-learn splitters whose every run can be drawn by itself.

Run i depends on the seed and on i only, never on the runs before it: so runs can be computed anywhere, in any order,
added later or repeated after an interruption, and stay the same.
"""

from __future__ import annotations

import hashlib
from abc import abstractmethod
from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, Literal

import numpy as np
import numpy.typing as npt
from sklearn.base import BaseEstimator

from steadyset.foundation.arguments import (
    Column,
    TableLike,
    check_finite,
    check_flag,
    check_integer,
    check_seed,
    is_whole,
    shown,
    wrong_argument,
)
from steadyset.foundation.errors import InputError
from steadyset.io.numbers import group_values
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


MOST_RUNS = 1_000_000
WHOLE, NUMBERS, FLAGS = ("n_splits", "repeats", "size"), ("fraction", "overlap", "level"), ("stratified", "balanced")


class Resampling(BaseEstimator):  # type: ignore[misc]
    """Base of the splitters: a subclass says how many runs there are and draws one of them."""

    random_state: int | None = None
    takes_groups = False
    bound: str = ""  # why the runs are not independent draws from the rows; empty where they are

    @property
    def name(self) -> str:
        """What the labels of the runs start with."""
        return type(self).__name__.lower()

    @classmethod
    def bound_as(cls, name: str) -> str | None:
        """Why the runs whose labels start with a name are not independent draws.

        Parameters
        ----------
        name : str
            What the labels start with.

        Returns
        -------
        str or None
            The reason, empty where they are independent; None where the name is not one of this class.
        """
        return cls.bound if name == cls.__name__.lower() else None

    def n_runs_for(self, rows: Rows) -> int:
        """How many runs there are on this data.

        Parameters
        ----------
        rows : Rows
            How many rows the data has, with their classes and groups where these are known.

        Returns
        -------
        int
            The number of runs.
        """
        return int(getattr(self, "n_runs"))  # noqa: B009 - a parameter of most subclasses

    @property
    def extendable(self) -> bool:
        """Whether a run stays the same when more runs are asked for."""
        return "n_runs" in self.get_params()

    def identity(self) -> str:
        """What decides the rows of a run, besides its number and the seed.

        Returns
        -------
        str
            The class with the parameters that matter; two resamplings of equal identity draw the same rows.
        """
        left_out = {"random_state"} | ({"n_runs"} if self.extendable else set())
        shown = (f"{key}={value!r}" for key, value in sorted(self.get_params().items()) if key not in left_out)
        return f"{type(self).__name__}({', '.join(shown)})"

    def in_words(self) -> str:
        """What the runs are drawn as, as it follows their number in a sentence: "100 ...".

        Returns
        -------
        str
            Words such as "bootstrap samples of the rows".
        """
        return f"resamples of the rows by {self.identity()}"

    @abstractmethod
    def _draw(self, run: int, rows: Rows, seed: int) -> Resample | tuple[Ints, Ints]:
        """The training and the test rows of one run."""

    def draw(self, run: int, rows: Rows, seed: int = 0) -> Resample:
        """Draw one run by itself.

        Parameters
        ----------
        run : int
            The number of the run, from 0.
        rows : Rows
            How many rows the data has, with their classes and groups where these are known.
        seed : int, default=0
            The seed of all runs.

        Returns
        -------
        Resample
            The rows to train on, the rows left out, where there are any, and the label of the run.
        """
        drawn = self._draw(run, rows, seed)
        resample = drawn if isinstance(drawn, Resample) else Resample("", *drawn)
        return resample if resample.label else replace(resample, label=self._label(resample, run, seed))

    def _label(self, resample: Resample, run: int, seed: int) -> str:
        """Parameters, the number of rows, classes and groups decide the rows: a digest of these tells all apart."""
        return f"{self.name}-{resample.digest}:{seed}:{run + 1}"

    def test_ratio(self, rows: Rows, seed: int = 0) -> float:
        """Test rows for each distinct training row, in the first run: how much the scores of the runs overlap.

        Parameters
        ----------
        rows : Rows
            How many rows the data has, with their classes and groups where these are known.
        seed : int, default=0
            The seed of all runs.

        Returns
        -------
        float
            The ratio; 0 where no rows are left out.
        """
        first = self.draw(0, rows, seed)
        return len(first.test) / len(np.unique(first.train))

    def check(self, rows: Rows) -> None:
        """Refuse data that this resampling cannot draw from.

        Parameters
        ----------
        rows : Rows
            How many rows the data has, with their classes and groups where these are known.

        Raises
        ------
        InputError
            Where a parameter has no sensible value for this data; the message says which would.
        """
        self._check_kinds()
        if rows.n < 2:
            raise InputError(f"The data has {rows.n} rows; resampling needs at least 2.")
        check_integer("n_runs", self.get_params().get("n_runs", 1), least=1, most=MOST_RUNS)
        check_integer("n_runs", self.n_runs_for(rows), least=1)
        if getattr(self, "stratified", False) and rows.y is None:
            raise InputError("stratified=True needs y; none was given.")
        if rows.groups is None:
            return
        if not self.takes_groups:
            raise InputError(f"{type(self).__name__} cannot keep groups together; Bootstrap, Subsample and KFold can.")
        if getattr(self, "stratified", False) or getattr(self, "balanced", False):
            raise InputError(f"{type(self).__name__} of groups is neither stratified nor balanced.")
        if len(np.unique(rows.groups)) < 2:
            raise InputError("groups holds one group only; at least 2 are needed.")

    def _check_kinds(self) -> None:
        """Refuse parameters of a wrong type; a class of somebody else may mean other things by the same words."""
        if not type(self).__module__.startswith("steadyset."):
            return
        for name, value in self.get_params().items():
            if name in WHOLE and not is_whole(value):
                raise wrong_argument(name, "a whole number", value)
            if name in NUMBERS:
                check_finite(name, value)
            if name in FLAGS:
                check_flag(name, value)

    def split(self, X: TableLike, y: Column = None, groups: Column = None) -> Iterator[tuple[Ints, Ints]]:
        """Training and test rows of every run, as scikit-learn's splitters give them.

        Parameters
        ----------
        X : array-like or frame
            The data; only its number of rows is read.
        y : array-like or None, default=None
            The classes, which stratified resamplings need.
        groups : array-like or None, default=None
            The group of each row; rows of one group stay together.

        Yields
        ------
        train : array of int
            The rows to fit on, with repeats where a row is drawn more than once.
        test : array of int
            The rows left out.

        Raises
        ------
        InputError
            Where the data cannot be drawn from in this way; the message says why.
        """
        check_seed("random_state", self.random_state)
        rows = self._rows(X, y, groups)
        self.check(rows)
        for run in range(self.n_runs_for(rows)):
            resample = self.draw(run, rows, self.random_state or 0)
            yield resample.train, resample.test

    def get_n_splits(self, X: TableLike | None = None, y: Column = None, groups: Column = None) -> int:
        """The number of runs, as scikit-learn's splitters give it.

        Parameters
        ----------
        X : array-like, frame or None, default=None
            The data, where the number of runs depends on its number of rows.
        y : array-like or None, default=None
            The classes; they are not needed.
        groups : array-like or None, default=None
            The group of each row.

        Returns
        -------
        int
            The number of runs.
        """
        return self.n_runs_for(self._rows(X, y, groups))

    def _rows(self, X: Any, y: Any, groups: Any) -> Rows:
        if X is None:
            return Rows(0)
        try:
            n = X.shape[0] if hasattr(X, "shape") else len(X)
        except (TypeError, IndexError):
            raise InputError(f"X must have rows (got {shown(X)}).") from None
        if y is not None and getattr(self, "stratified", False) is True:
            y = group_values(y, n, what="y")
        return Rows(n, _array(y, "y"), None if groups is None else group_values(groups, n))


def _array(values: Any, what: str) -> npt.NDArray[Any] | None:
    try:
        return None if values is None else np.asarray(values)
    except ValueError:
        raise InputError(f"{what} must hold one value for each row (got {shown(values)}).") from None
