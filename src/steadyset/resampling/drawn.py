"""How the training sets of the runs are drawn: scikit-learn splitters whose every run can be drawn by itself.

Run i depends on the seed and on i only, never on the runs before it: so runs can be computed anywhere, in any order,
added later or repeated after an interruption, and stay the same.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterator
from dataclasses import replace
from functools import lru_cache
from typing import Any, Literal

import numpy as np
import numpy.typing as npt
from sklearn.base import BaseEstimator

from steadyset.arguments import check_finite, check_flag, check_seed, is_whole, shown, wrong_argument
from steadyset.errors import InputError
from steadyset.io.observations import group_values
from steadyset.kernels.arrays import Ints
from steadyset.resampling.resample import Noise, Resample, Rows

MOST_RUNS = 1_000_000
WHOLE, NUMBERS, FLAGS = ("n_splits", "repeats", "size"), ("fraction", "overlap", "level"), ("stratified", "balanced")


class Resampling(BaseEstimator):  # type: ignore[misc]
    """Base of the splitters: a subclass says how many runs there are and draws one of them."""

    random_state: int | None = None
    takes_groups = False

    @property
    def name(self) -> str:
        """What the labels of the runs start with."""
        return type(self).__name__.lower()

    def n_runs_for(self, rows: Rows) -> int:
        """How many runs there are on this data."""
        return int(getattr(self, "n_runs"))  # noqa: B009 - a parameter of most subclasses

    @property
    def extendable(self) -> bool:
        """Whether a run stays the same when more runs are asked for."""
        return "n_runs" in self.get_params()

    def identity(self) -> str:
        """What decides the rows of a run, besides its number and the seed."""
        left_out = {"random_state"} | ({"n_runs"} if self.extendable else set())
        shown = (f"{key}={value!r}" for key, value in sorted(self.get_params().items()) if key not in left_out)
        return f"{type(self).__name__}({', '.join(shown)})"

    @abstractmethod
    def _draw(self, run: int, rows: Rows, seed: int) -> Resample | tuple[Ints, Ints]:
        """The training and the test rows of one run."""

    def draw(self, run: int, rows: Rows, seed: int = 0) -> Resample:
        """Run number `run` (from 0); its test rows are those left out, where there are any."""
        drawn = self._draw(run, rows, seed)
        resample = drawn if isinstance(drawn, Resample) else Resample("", *drawn)
        return resample if resample.label else replace(resample, label=self._label(resample, run, seed))

    def _label(self, resample: Resample, run: int, seed: int) -> str:
        """Parameters, the number of rows, classes and groups decide the rows: a digest of these tells all apart."""
        return f"{self.name}-{resample.digest}:{seed}:{run + 1}"

    def test_ratio(self, rows: Rows, seed: int = 0) -> float:
        """Test rows for each distinct training row, in the first run: how much the scores of the runs overlap."""
        first = self.draw(0, rows, seed)
        return len(first.test) / len(np.unique(first.train))

    def check(self, rows: Rows) -> None:
        """Refuse data that this resampling cannot draw from."""
        self._check_kinds()
        if rows.n < 2:
            raise InputError(f"The data has {rows.n} rows; resampling needs at least 2.")
        runs = self.get_params().get("n_runs", 1)
        if isinstance(runs, bool) or not isinstance(runs, (int, np.integer)) or runs > MOST_RUNS:
            raise wrong_argument("n_runs", f"a whole number from 1 to {MOST_RUNS:,}", runs)
        if self.n_runs_for(rows) < 1:
            raise wrong_argument("n_runs", "at least 1", self.n_runs_for(rows))
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
        if type(self).__module__ != __name__:
            return
        for name, value in self.get_params().items():
            if name in WHOLE and not is_whole(value):
                raise wrong_argument(name, "a whole number", value)
            if name in NUMBERS:
                check_finite(name, value)
            if name in FLAGS:
                check_flag(name, value)

    def split(self, X: Any, y: Any = None, groups: Any = None) -> Iterator[tuple[Ints, Ints]]:
        """Training and test rows of every run, as scikit-learn's splitters give them."""
        check_seed("random_state", self.random_state)
        rows = self._rows(X, y, groups)
        self.check(rows)
        for run in range(self.n_runs_for(rows)):
            resample = self.draw(run, rows, self.random_state or 0)
            yield resample.train, resample.test

    def get_n_splits(self, X: Any = None, y: Any = None, groups: Any = None) -> int:
        """The number of runs."""
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


class Bootstrap(Resampling):
    """As many rows as there are, drawn with replacement; the rows not drawn are the test rows.

    Where groups are given, whole groups are drawn.

    Parameters
    ----------
    n_runs : how many runs
    stratified : whether rows are drawn within each class
    balanced : whether every row occurs equally often over all runs
    random_state : the seed of the runs; None: that of the assessment

    Reference: Efron 1979.
    """

    takes_groups = True

    def __init__(
        self, n_runs: int = 100, *, stratified: bool = False, balanced: bool = False, random_state: int | None = None
    ) -> None:
        self.n_runs = n_runs
        self.stratified = stratified
        self.balanced = balanced
        self.random_state = random_state

    def check(self, rows: Rows) -> None:
        super().check(rows)
        if self.stratified and self.balanced:
            raise InputError("A bootstrap is stratified or balanced, not both.")
        if self.stratified and rows.y is None:
            raise InputError("stratified=True needs y; none was given.")

    @property
    def extendable(self) -> bool:
        return not self.balanced

    def _draw(self, run: int, rows: Rows, seed: int) -> tuple[Ints, Ints]:
        if self.balanced:
            train = _balanced(rows.n, self.n_runs, seed)[run]
        elif rows.groups is not None:
            members = _members(rows.groups)
            drawn = _random(seed, run).integers(len(members), size=len(members))
            train = np.concatenate([members[g] for g in drawn])
        elif self.stratified:
            random = _random(seed, run)
            classes = _members(rows.y)
            train = np.concatenate([random.choice(group, size=len(group)) for group in classes])
        else:
            train = _random(seed, run).integers(rows.n, size=rows.n)
        train = np.sort(train)
        return train, _left_out(train, rows.n)

    def test_ratio(self, rows: Rows, seed: int = 0) -> float:
        """As expected over all bootstraps; whole groups are counted in the first run."""
        if rows.groups is not None:
            return super().test_ratio(rows, seed)
        left_out = (1 - 1 / rows.n) ** rows.n
        return left_out / (1 - left_out)


class Subsample(Resampling):
    """A fraction of the rows, drawn without replacement; the others are the test rows.

    Where groups are given, whole groups are drawn.

    Parameters
    ----------
    n_runs : how many runs
    fraction : the share of the rows that a run draws
    stratified : whether each run keeps the shares of the classes
    random_state : the seed of the runs; None: that of the assessment
    """

    takes_groups = True

    def __init__(
        self,
        n_runs: int = 100,
        *,
        fraction: float = 0.5,
        stratified: bool = False,
        random_state: int | None = None,
    ) -> None:
        self.n_runs = n_runs
        self.fraction = fraction
        self.stratified = stratified
        self.random_state = random_state

    def check(self, rows: Rows) -> None:
        super().check(rows)
        if not 0 < self.fraction < 1:
            raise wrong_argument("fraction", "a number between 0 and 1", self.fraction)
        if self.stratified and rows.y is None:
            raise InputError("stratified=True needs y; none was given.")

    def _draw(self, run: int, rows: Rows, seed: int) -> tuple[Ints, Ints]:
        random = _random(seed, run)
        if rows.groups is not None:
            parts = _members(rows.groups)
            kept = random.permutation(len(parts))[: _share(self.fraction, len(parts))]
            train = np.sort(np.concatenate([parts[g] for g in kept]))
        else:
            strata = _members(rows.y) if self.stratified else [np.arange(rows.n)]
            train = np.sort(
                np.concatenate([random.permutation(part)[: _share(self.fraction, len(part))] for part in strata])
            )
        return train, _left_out(train, rows.n)


class ComplementaryPairs(Resampling):
    """Random halves of the rows: runs 2p and 2p+1 are the two halves of one split.

    Parameters
    ----------
    n_runs : how many runs, an even number
    stratified : whether each class is halved, so that both halves hold every class
    random_state : the seed of the runs; None: that of the assessment

    Reference: Shah and Samworth 2013.
    """

    def __init__(self, n_runs: int = 100, *, stratified: bool = False, random_state: int | None = None) -> None:
        self.n_runs = n_runs
        self.stratified = stratified
        self.random_state = random_state

    def check(self, rows: Rows) -> None:
        super().check(rows)
        if self.n_runs % 2:
            raise InputError(f"n_runs is {self.n_runs}; complementary pairs need an even number of runs.")
        if self.stratified:
            if rows.y is None:
                raise InputError("stratified=True needs y; none was given.")
            classes, sizes = np.unique(rows.y, return_counts=True)
            if sizes.min() < 2:
                raise InputError(
                    f"y has only one row of the class {classes[sizes.argmin()]!r}; halves need two or more."
                )

    def _draw(self, run: int, rows: Rows, seed: int) -> tuple[Ints, Ints]:
        random = _random(seed, run // 2)
        halves = []
        for part in _members(rows.y) if self.stratified else [np.arange(rows.n)]:
            order, half = random.permutation(part), len(part) // 2
            halves.append(order[:half] if run % 2 == 0 else order[half : 2 * half])
        train = np.sort(np.concatenate(halves))
        return train, _left_out(train, rows.n)


class KFold(Resampling):
    """All but one of k random folds, each fold left out once; with repeats, again for other folds.

    Where groups are given, folds hold whole groups.

    Parameters
    ----------
    n_splits : how many folds
    repeats : how many times the rows are split into folds
    stratified : whether each fold keeps the shares of the classes
    random_state : the seed of the runs; None: that of the assessment

    Reference: Stone 1974.
    """

    takes_groups = True

    def __init__(
        self, n_splits: int = 10, *, repeats: int = 1, stratified: bool = False, random_state: int | None = None
    ) -> None:
        self.n_splits = n_splits
        self.repeats = repeats
        self.stratified = stratified
        self.random_state = random_state

    def n_runs_for(self, rows: Rows) -> int:
        return self.n_splits * self.repeats

    def check(self, rows: Rows) -> None:
        self._check_kinds()
        units = rows.n if rows.groups is None else len(np.unique(rows.groups))
        if not 2 <= self.n_splits <= units:
            raise wrong_argument("n_splits", f"between 2 and {units}", self.n_splits)
        if self.stratified and rows.y is None:
            raise InputError("stratified=True needs y; none was given.")
        super().check(rows)

    def _draw(self, run: int, rows: Rows, seed: int) -> tuple[Ints, Ints]:
        random = _random(seed, run // self.n_splits)
        if rows.groups is not None:
            _, unit = np.unique(rows.groups, return_inverse=True)
            fold = (random.permutation(unit.max() + 1) % self.n_splits)[unit]
        elif self.stratified:
            fold = np.empty(rows.n, dtype=np.int64)
            start = 0
            for part in _members(rows.y):
                fold[random.permutation(part)] = (start + np.arange(len(part))) % self.n_splits
                start += len(part)
        else:
            fold = random.permutation(rows.n) % self.n_splits
        left_out = fold == run % self.n_splits
        return np.flatnonzero(~left_out), np.flatnonzero(left_out)


class Chunks(Resampling):
    """Disjoint parts of the data: the runs share no row, so they are independent, and each sees little data.

    Parameters
    ----------
    n_runs : how many parts
    random_state : the seed of the runs; None: that of the assessment
    """

    def __init__(self, n_runs: int = 5, *, random_state: int | None = None) -> None:
        self.n_runs = n_runs
        self.random_state = random_state

    def check(self, rows: Rows) -> None:
        super().check(rows)
        if self.n_runs < 2 or self.n_runs > rows.n:
            raise wrong_argument("n_runs", f"between 2 and {rows.n}", self.n_runs)

    @property
    def extendable(self) -> bool:
        return False

    def _draw(self, run: int, rows: Rows, seed: int) -> tuple[Ints, Ints]:
        chunk = _random(seed, 0).permutation(rows.n) % self.n_runs
        return np.flatnonzero(chunk == run), np.flatnonzero(chunk != run)


class FixedOverlap(Resampling):
    """Runs in pairs of equal-sized samples that together hold every row and share exactly a chosen part of their rows.

    With s rows in each sample, 2 s - overlap s = n. Runs 2p and 2p+1 are partners. Other pairs of runs share about
    s / n of their rows: to see the chosen overlap alone, measure the partners, `selections.take([2 * p, 2 * p + 1])`.

    Parameters
    ----------
    n_runs : how many runs, an even number
    overlap : the share of a sample that its partner holds too
    random_state : the seed of the runs; None: that of the assessment

    Reference: Wald, Khoshgoftaar and Dittman 2012.
    """

    def __init__(self, n_runs: int = 100, *, overlap: float = 0.5, random_state: int | None = None) -> None:
        self.n_runs = n_runs
        self.overlap = overlap
        self.random_state = random_state

    def check(self, rows: Rows) -> None:
        super().check(rows)
        if not 0 <= self.overlap < 1:
            raise wrong_argument("overlap", "at least 0 and below 1", self.overlap)
        if self.n_runs % 2:
            raise InputError(f"n_runs is {self.n_runs}; samples with a fixed overlap come in pairs.")

    def _draw(self, run: int, rows: Rows, seed: int) -> tuple[Ints, Ints]:
        order = _random(seed, run // 2).permutation(rows.n)
        size = min(rows.n - 1, round(rows.n / (2 - self.overlap)))
        train = np.sort(order[:size] if run % 2 == 0 else order[rows.n - size :])
        return train, _left_out(train, rows.n)


class NoiseInjection(Resampling):
    """All rows each time, perturbed: noise on the values, or a share of the labels changed. There are no test rows.

    Parameters
    ----------
    n_runs : how many runs
    level : the standard deviation of the noise, in those of the features, or the share of labels that change
    target : "values" or "labels"
    random_state : the seed of the runs; None: that of the assessment
    """

    def __init__(
        self,
        n_runs: int = 100,
        *,
        level: float = 0.1,
        target: Literal["values", "labels"] = "values",
        random_state: int | None = None,
    ) -> None:
        self.n_runs = n_runs
        self.level = level
        self.target = target
        self.random_state = random_state

    def check(self, rows: Rows) -> None:
        super().check(rows)
        if not isinstance(self.target, str) or self.target not in ("values", "labels"):
            raise wrong_argument("target", '"values" or "labels"', self.target)
        if self.level < 0 or (self.target == "labels" and self.level > 1):
            raise wrong_argument("level", "at least 0, and for labels at most 1", self.level)

    def _draw(self, run: int, rows: Rows, seed: int) -> Resample:
        return Resample("", np.arange(rows.n), np.empty(0, np.int64), Noise(self.target, self.level, (seed, run, 2)))


class LeaveOut(Resampling):
    """Each run leaves out `size` rows, each row once: the jackknife for size 1.

    Parameters
    ----------
    size : how many rows a run leaves out
    random_state : the seed of the runs; None: that of the assessment
    """

    def __init__(self, size: int = 1, *, random_state: int | None = None) -> None:
        self.size = size
        self.random_state = random_state

    def n_runs_for(self, rows: Rows) -> int:
        return -(-rows.n // max(1, self.size))

    def check(self, rows: Rows) -> None:
        super().check(rows)
        if not 1 <= self.size < rows.n:
            raise wrong_argument("size", f"a whole number from 1 to {rows.n - 1}", self.size)

    def _draw(self, run: int, rows: Rows, seed: int) -> tuple[Ints, Ints]:
        order = np.arange(rows.n) if self.size == 1 else _random(seed, 0).permutation(rows.n)
        test = np.sort(order[run * self.size : (run + 1) * self.size])
        return _left_out(test, rows.n), test


def _random(seed: int, run: int) -> np.random.Generator:
    return np.random.default_rng(np.random.SeedSequence(seed, spawn_key=(run,)))


def _left_out(train: Ints, n: int) -> Ints:
    inside = np.zeros(n, dtype=bool)
    inside[train] = True
    return np.flatnonzero(~inside)


def _members(values: Any) -> list[Ints]:
    """The rows of each distinct value."""
    _, code = np.unique(np.asarray(values), return_inverse=True)
    return np.split(np.argsort(code, kind="stable"), np.cumsum(np.bincount(code))[:-1])


def _share(fraction: float, n: int) -> int:
    return min(n, max(1, round(fraction * n)))


@lru_cache(maxsize=2)
def _balanced(n: int, n_runs: int, seed: int) -> Ints:
    every = np.repeat(np.arange(n), n_runs)
    table = _random(seed, 0).permutation(every).reshape(n_runs, n)
    table.setflags(write=False)
    return table


def _array(values: Any, what: str) -> npt.NDArray[Any] | None:
    try:
        return None if values is None else np.asarray(values)
    except ValueError:
        raise InputError(f"{what} must hold one value for each row (got {shown(values)}).") from None
