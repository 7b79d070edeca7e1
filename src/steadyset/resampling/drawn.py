"""The resamplings that draw rows at random: bootstraps, subsamples, halves, folds, chunks, overlaps, noise."""

from __future__ import annotations

from functools import lru_cache
from typing import Literal

import numpy as np

from steadyset.foundation.arguments import wrong_argument
from steadyset.foundation.errors import InputError
from steadyset.foundation.text import percent
from steadyset.kernels.arrays import Ints
from steadyset.resampling.base import Noise, Resample, Resampling, Rows, register_resampling

LEFT_OUT = "a cross-validation leaves out each row equally often"


class Bootstrap(Resampling):
    """As many rows as there are, drawn with replacement; the rows not drawn are the test rows.

    Where groups are given, whole groups are drawn.

    Parameters
    ----------
    n_runs : int, default=100
        How many runs.
    stratified : bool, default=False
        Whether rows are drawn within each class, so that every run keeps the sizes of the classes.
    balanced : bool, default=False
        Whether every row occurs equally often over all runs.
    random_state : int or None, default=None
        Seed of the runs. None takes the seed of the assessment; used on its own as a splitter, None is 0.

    References
    ----------
    Efron 1979.

    Examples
    --------
    A bootstrap sample of 200 rows holds about 63% of them; the others can score the selection.

    >>> import numpy as np
    >>> import steadyset as st
    >>> train, test = next(st.Bootstrap(n_runs=50, random_state=1).split(np.zeros((200, 5))))
    >>> len(train), len(np.unique(train)), len(test)
    (200, 130, 70)
    """

    takes_groups = True
    balanced_name = "balancedbootstrap"

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

    @property
    def name(self) -> str:
        return self.balanced_name if self.balanced else super().name

    @classmethod
    def bound_as(cls, name: str) -> str | None:
        return "every row occurs equally often over all runs" if name == cls.balanced_name else super().bound_as(name)

    @property
    def extendable(self) -> bool:
        return not self.balanced

    def in_words(self) -> str:
        how = ", drawn within each class" if self.stratified else ", all rows equally often" if self.balanced else ""
        return f"bootstrap samples of the rows{how}"

    def _draw(self, run: int, rows: Rows, seed: int) -> tuple[Ints, Ints]:
        if self.balanced:
            train = _balanced(rows.n, self.n_runs, seed)[run]
        elif rows.groups is not None:
            members = rows.by_group
            drawn = _random(seed, run).integers(len(members), size=len(members))
            train = np.concatenate([members[g] for g in drawn])
        elif self.stratified:
            random = _random(seed, run)
            train = np.concatenate([random.choice(group, size=len(group)) for group in rows.by_class])
        else:
            train = _random(seed, run).integers(rows.n, size=rows.n)
        train = np.sort(train)
        return train, _left_out(train, rows.n)

    def test_ratio(self, rows: Rows, seed: int = 0) -> float:
        """Test rows for each distinct training row, as expected over all bootstraps.

        Parameters
        ----------
        rows : Rows
            How many rows the data has, with their classes and groups where these are known.
        seed : int, default=0
            The seed of all runs; it matters only where whole groups are drawn, which are counted in the first run.

        Returns
        -------
        float
            The ratio.
        """
        if rows.groups is not None:
            return super().test_ratio(rows, seed)
        left_out = (1 - 1 / rows.n) ** rows.n
        return left_out / (1 - left_out)


register_resampling("bootstrap", Bootstrap)


class Subsample(Resampling):
    """A fraction of the rows, drawn without replacement; the others are the test rows.

    Where groups are given, whole groups are drawn.

    Parameters
    ----------
    n_runs : int, default=100
        How many runs.
    fraction : float, default=0.5
        The share of the rows that a run draws, between 0 and 1.
    stratified : bool, default=False
        Whether each run keeps the shares of the classes.
    random_state : int or None, default=None
        Seed of the runs. None takes the seed of the assessment; used on its own as a splitter, None is 0.

    Examples
    --------
    Patients with several samples each stay together when their names are given as groups.

    >>> import numpy as np
    >>> import steadyset as st
    >>> patients = np.repeat(["ann", "bob", "cem", "dora"], 3)
    >>> train, test = next(st.Subsample(10, fraction=0.75).split(np.zeros((12, 2)), groups=patients))
    >>> np.unique(patients[test]).tolist()
    ['cem']
    """

    takes_groups = True

    def __init__(
        self, n_runs: int = 100, *, fraction: float = 0.5, stratified: bool = False, random_state: int | None = None
    ) -> None:
        self.n_runs = n_runs
        self.fraction = fraction
        self.stratified = stratified
        self.random_state = random_state

    def check(self, rows: Rows) -> None:
        super().check(rows)
        if not 0 < self.fraction < 1:
            raise wrong_argument("fraction", "a number between 0 and 1", self.fraction)

    def in_words(self) -> str:
        how = " of each class" * self.stratified
        return f"random subsamples of {percent(self.fraction)} of the rows{how}, drawn without replacement"

    def _draw(self, run: int, rows: Rows, seed: int) -> tuple[Ints, Ints]:
        random = _random(seed, run)
        if rows.groups is not None:
            parts = rows.by_group
            kept = [parts[g] for g in random.permutation(len(parts))[: _share(self.fraction, len(parts))]]
        else:
            strata = rows.by_class if self.stratified else [np.arange(rows.n)]
            kept = [random.permutation(part)[: _share(self.fraction, len(part))] for part in strata]
        train = np.sort(np.concatenate(kept))
        return train, _left_out(train, rows.n)


register_resampling("subsample", Subsample)


class ComplementaryPairs(Resampling):
    """Random halves of the rows: runs 2p and 2p+1 are the two halves of one split.

    Parameters
    ----------
    n_runs : int, default=100
        How many runs, an even number.
    stratified : bool, default=False
        Whether each class is halved, so that both halves hold every class.
    random_state : int or None, default=None
        Seed of the runs. None takes the seed of the assessment; used on its own as a splitter, None is 0.

    References
    ----------
    Shah and Samworth 2013.

    Examples
    --------
    >>> import numpy as np
    >>> import steadyset as st
    >>> first, second = [train for train, test in st.ComplementaryPairs(2).split(np.zeros((8, 3)))]
    >>> sorted([*first.tolist(), *second.tolist()])
    [0, 1, 2, 3, 4, 5, 6, 7]
    """

    bound = "the two halves of a pair share no row"

    def __init__(self, n_runs: int = 100, *, stratified: bool = False, random_state: int | None = None) -> None:
        self.n_runs = n_runs
        self.stratified = stratified
        self.random_state = random_state

    def check(self, rows: Rows) -> None:
        super().check(rows)
        if self.n_runs % 2:
            raise InputError(f"n_runs is {self.n_runs}; complementary pairs need an even number of runs.")
        if self.stratified:
            classes, sizes = np.unique(rows.labels, return_counts=True)
            if sizes.min() < 2:
                rare = classes[sizes.argmin()]
                raise InputError(f"y has only one row of the class {rare!r}; halves need two or more.")

    def in_words(self) -> str:
        return f"halves of the rows, drawn as complementary pairs{' within each class' * self.stratified}"

    def _draw(self, run: int, rows: Rows, seed: int) -> tuple[Ints, Ints]:
        random = _random(seed, run // 2)
        halves = []
        for part in rows.by_class if self.stratified else [np.arange(rows.n)]:
            order, half = random.permutation(part), len(part) // 2
            halves.append(order[:half] if run % 2 == 0 else order[half : 2 * half])
        train = np.sort(np.concatenate(halves))
        return train, _left_out(train, rows.n)


register_resampling("complementary_pairs", ComplementaryPairs)


class KFold(Resampling):
    """All but one of k random folds, each fold left out once; with repeats, again for other folds.

    Where groups are given, folds hold whole groups.

    Parameters
    ----------
    n_splits : int, default=10
        How many folds, at least 2.
    repeats : int, default=1
        How many times the rows are split into folds.
    stratified : bool, default=False
        Whether each fold keeps the shares of the classes.
    random_state : int or None, default=None
        Seed of the runs. None takes the seed of the assessment; used on its own as a splitter, None is 0.

    References
    ----------
    Stone 1974.

    Examples
    --------
    Five folds, drawn twice, are ten runs that each see four fifths of the rows.

    >>> import numpy as np
    >>> import steadyset as st
    >>> folds = st.KFold(5, repeats=2)
    >>> folds.get_n_splits()
    10
    >>> {len(train) for train, test in folds.split(np.zeros((50, 4)))}
    {40}
    """

    takes_groups = True
    bound = LEFT_OUT

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
        super().check(rows)

    def in_words(self) -> str:
        how = "stratified " * self.stratified + f"{self.n_splits}-fold cross-validation"
        return f"training sets of {how}{f', repeated {self.repeats} times' * (self.repeats > 1)}"

    def _draw(self, run: int, rows: Rows, seed: int) -> tuple[Ints, Ints]:
        random = _random(seed, run // self.n_splits)
        if rows.groups is not None:
            _, unit = np.unique(rows.groups, return_inverse=True)
            fold = (random.permutation(unit.max() + 1) % self.n_splits)[unit]
        elif self.stratified:
            fold = np.empty(rows.n, dtype=np.int64)
            start = 0
            for part in rows.by_class:
                fold[random.permutation(part)] = (start + np.arange(len(part))) % self.n_splits
                start += len(part)
        else:
            fold = random.permutation(rows.n) % self.n_splits
        left_out = fold == run % self.n_splits
        return np.flatnonzero(~left_out), np.flatnonzero(left_out)


register_resampling("kfold", KFold)


class Chunks(Resampling):
    """Disjoint parts of the data: the runs share no row, so they are independent, and each sees little data.

    Parameters
    ----------
    n_runs : int, default=5
        How many parts.
    random_state : int or None, default=None
        Seed of the runs. None takes the seed of the assessment; used on its own as a splitter, None is 0.

    Examples
    --------
    >>> import numpy as np
    >>> import steadyset as st
    >>> [len(train) for train, test in st.Chunks(4).split(np.zeros((102, 6)))]
    [26, 26, 25, 25]
    """

    bound = "the parts share no row"

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

    def in_words(self) -> str:
        return "disjoint random parts of the rows"

    def _draw(self, run: int, rows: Rows, seed: int) -> tuple[Ints, Ints]:
        chunk = _random(seed, 0).permutation(rows.n) % self.n_runs
        return np.flatnonzero(chunk == run), np.flatnonzero(chunk != run)


register_resampling("chunks", Chunks)


class FixedOverlap(Resampling):
    """Runs in pairs of equal-sized samples that together hold every row and share exactly a chosen part of their rows.

    With s rows in each sample, 2 s - overlap s = n. Runs 2p and 2p+1 are partners. Other pairs of runs share about
    s / n of their rows: to see the chosen overlap alone, measure the partners, `selections.take([2 * p, 2 * p + 1])`.

    Parameters
    ----------
    n_runs : int, default=100
        How many runs, an even number.
    overlap : float, default=0.5
        The share of a sample that its partner holds too, at least 0 and below 1.
    random_state : int or None, default=None
        Seed of the runs. None takes the seed of the assessment; used on its own as a splitter, None is 0.

    References
    ----------
    Wald, Khoshgoftaar and Dittman 2012.

    Examples
    --------
    >>> import numpy as np
    >>> import steadyset as st
    >>> first, second = [train for train, test in st.FixedOverlap(2, overlap=0.8).split(np.zeros((120, 3)))]
    >>> len(first), len(np.intersect1d(first, second))
    (100, 80)
    """

    bound = "the two samples of a pair share a fixed part of their rows"

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

    def in_words(self) -> str:
        return f"samples of the rows, drawn in pairs that share {percent(self.overlap)} of their rows"

    def _draw(self, run: int, rows: Rows, seed: int) -> tuple[Ints, Ints]:
        order = _random(seed, run // 2).permutation(rows.n)
        size = min(rows.n - 1, round(rows.n / (2 - self.overlap)))
        train = np.sort(order[:size] if run % 2 == 0 else order[rows.n - size :])
        return train, _left_out(train, rows.n)


register_resampling("fixed_overlap", FixedOverlap)


class NoiseInjection(Resampling):
    """All rows each time, perturbed: noise on the values, or a share of the labels changed. There are no test rows.

    Parameters
    ----------
    n_runs : int, default=100
        How many runs.
    level : float, default=0.1
        The standard deviation of the noise, in standard deviations of each feature, or the share of labels that change.
    target : {"values", "labels"}, default="values"
        What is perturbed.
    random_state : int or None, default=None
        Seed of the runs. None takes the seed of the assessment; used on its own as a splitter, None is 0.

    Examples
    --------
    How steady is a t-test's choice when every value is measured with as much error as it varies?

    >>> import steadyset as st
    >>> from sklearn.datasets import load_breast_cancer
    >>> X, y = load_breast_cancer(return_X_y=True, as_frame=True)
    >>> noise = st.NoiseInjection(20, level=1.0)
    >>> result = st.assess("t_test:k=5", X, y, resampling=noise, scoring=None)
    >>> round(st.stability(result.selections["t_test:k=5"]), 2)
    0.74
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

    def in_words(self) -> str:
        if self.target == "labels":
            return f"copies of the data in which {percent(self.level)} of the labels were changed at random"
        return f"copies of the data with random noise of {self.level:g} standard deviations added to each feature"

    def _draw(self, run: int, rows: Rows, seed: int) -> Resample:
        return Resample("", np.arange(rows.n), np.empty(0, np.int64), Noise(self.target, self.level, (seed, run, 2)))


register_resampling("noise", NoiseInjection)


class LeaveOut(Resampling):
    """Each run leaves out `size` rows, each row once: the jackknife for size 1.

    Parameters
    ----------
    size : int, default=1
        How many rows a run leaves out.
    random_state : int or None, default=None
        Seed of the runs. None takes the seed of the assessment; used on its own as a splitter, None is 0.

    Examples
    --------
    >>> import numpy as np
    >>> import steadyset as st
    >>> st.LeaveOut(5).get_n_splits(np.zeros((40, 2)))
    8
    """

    bound = LEFT_OUT

    def __init__(self, size: int = 1, *, random_state: int | None = None) -> None:
        self.size = size
        self.random_state = random_state

    def n_runs_for(self, rows: Rows) -> int:
        return -(-rows.n // max(1, self.size))

    def check(self, rows: Rows) -> None:
        super().check(rows)
        if not 1 <= self.size < rows.n:
            raise wrong_argument("size", f"a whole number from 1 to {rows.n - 1}", self.size)

    def in_words(self) -> str:
        left = "one row" if self.size == 1 else f"{self.size} rows"
        return f"training sets that each left out {left}, every row once"

    def _draw(self, run: int, rows: Rows, seed: int) -> tuple[Ints, Ints]:
        order = np.arange(rows.n) if self.size == 1 else _random(seed, 0).permutation(rows.n)
        test = np.sort(order[run * self.size : (run + 1) * self.size])
        return _left_out(test, rows.n), test


register_resampling("leave_out", LeaveOut)


def _random(seed: int, run: int) -> np.random.Generator:
    return np.random.default_rng(np.random.SeedSequence(seed, spawn_key=(run,)))


def _left_out(train: Ints, n: int) -> Ints:
    inside = np.zeros(n, dtype=bool)
    inside[train] = True
    return np.flatnonzero(~inside)


def _share(fraction: float, n: int) -> int:
    return min(n, max(1, round(fraction * n)))


@lru_cache(maxsize=2)
def _balanced(n: int, n_runs: int, seed: int) -> Ints:
    every = np.repeat(np.arange(n), n_runs)
    table = _random(seed, 0).permutation(every).reshape(n_runs, n)
    table.setflags(write=False)
    return table
