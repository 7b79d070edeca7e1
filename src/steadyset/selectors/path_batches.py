"""Elastic-net models of many resamples, solved in batches: the data laid out once, the batches, their models."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import nullcontext
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from steadyset.arguments import job_count
from steadyset.errors import InputError
from steadyset.kernels.arrays import Bools, Floats, Ints, Singles, Words
from steadyset.kernels.paths.feature_moments import lay_out, means_and_scales
from steadyset.kernels.paths.level_walk import (
    NO_FEATURE,
    begin,
    largest_penalties,
    let_unpenalised_in,
    record,
    solve,
    solve_hard,
)
from steadyset.kernels.paths.path_arrays import Batch, Features, make_batch
from steadyset.selectors.model_input import (
    SolvedTarget,
    Target,
    Training,
    checked_data,
    refuse_too_little,
    solved_target,
)
from steadyset.selectors.one_thread import one_blas_thread

Solved = tuple[Ints, Floats, Ints, Floats]  # sizes and numbers of some places; features and values, one after the other
MOST_AT_ONCE = 50
# What a batch may take: the descents of all features of its resamples, and room for their active sets, of which only
# what is used is ever touched.
DESCENT_BYTES, STATE_BYTES = 64_000_000, 1_000_000_000


@dataclass(frozen=True)
class Resamples:
    """Checked data with M x n weights; codes holds numbers, or the class of each row where there are classes."""

    X: Floats
    codes: Floats
    weights: Floats
    classes: NDArray[Any]

    def rows(self, run: int) -> Ints:
        return np.flatnonzero(self.weights[run])

    def target(self, run: int) -> tuple[Floats, NDArray[Any]]:
        """The numbers, or 0 and 1 for the two classes that the resample holds, at its rows; and these classes."""
        values = self.codes[self.weights[run] > 0]
        if not len(self.classes):
            return values, self.classes
        present = np.unique(values).astype(np.int64)
        return (values == present[-1]).astype(np.float64), self.classes[present]


def read_resamples(
    X: ArrayLike, y: ArrayLike, weights: ArrayLike | None, *, target: Target, selector: Any = None
) -> Resamples:
    """Check the data and a vector of weights, or one for each resample; rows of weight zero count for nothing."""
    values, codes, weight, classes = checked_data(X, y, weights, target=target, selector=selector, resamples=True)
    for run in range(len(weight)):
        refuse_too_little(codes[weight[run] > 0], target, selector)
    return Resamples(values, codes, weight, classes)


@dataclass(frozen=True)
class Level:
    """The model at one penalty, in the units of y; coefs are those of the standardised features, of `features` only."""

    penalty: float
    features: Ints
    coefs: Floats
    intercept: float
    violation: float

    @property
    def size(self) -> int:
        return len(self.features)


@dataclass(frozen=True)
class Walk:
    """Models of some places of a batch: those of level t and of the k-th place are in sizes[t, k], -1 where none is.

    numbers holds their intercepts and violations; found[t] and values[t] the features and coefficients of a level, one
    place after the other.
    """

    places: Ints
    penalties: Floats
    sizes: Ints
    numbers: Floats
    found: list[Ints]
    values: list[Floats]

    @property
    def lengths(self) -> Ints:
        """How many levels each place has."""
        return np.asarray((self.sizes >= 0).sum(axis=0))

    def level(self, k: int, t: int) -> Level:
        """One model; t may count from the end."""
        t = int(self.lengths[k]) + t if t < 0 else t
        before = int(np.maximum(self.sizes[t, :k], 0).sum())
        part = slice(before, before + int(self.sizes[t, k]))
        order = np.argsort(self.found[t][part])
        intercept, violation = self.numbers[t, k].tolist()
        features, coefs = self.found[t][part][order], self.values[t][part][order]
        return Level(float(self.penalties[t, k]), features, coefs, intercept, violation)

    def entries(self) -> tuple[Ints, Ints, Ints, Floats]:
        """Every coefficient, by place, level and feature: its place (the k-th), level and feature, and the value."""
        levels, places = np.nonzero(self.sizes > 0)
        sizes = self.sizes[levels, places]
        k, t = np.repeat(places, sizes), np.repeat(levels, sizes)
        features = np.concatenate(self.found) if self.found else np.empty(0, np.int64)
        order = np.lexsort((features, t, k))
        return k[order], t[order], features[order], np.concatenate(self.values)[order]


def laid_out(X: Floats, factors: Floats, *, as_given: bool, no_copies: bool) -> Features:
    """What the engine needs of the data; no_copies leaves out features that equal an earlier one."""
    n, d = X.shape
    Xt, Z = np.empty((d, n)), np.empty((d, n), np.float32)
    unit, plain, digest = np.empty(d), np.empty(d), np.empty(d, np.uint64)
    lay_out(X, Xt, Z, unit, plain, digest)
    if no_copies:
        factors = np.where(_later_copies(Xt, digest), np.inf, factors)
    return Features(Xt, Z, factors, unit, plain, as_given)


def _later_copies(Xt: Floats, digest: Words) -> Bools:
    """Which features equal an earlier one in every row, of those with equal digests."""
    later = np.zeros(len(Xt), dtype=np.bool_)
    order = np.argsort(digest, kind="stable")
    same = np.flatnonzero(digest[order][1:] == digest[order][:-1])
    for place in same:
        first, second = order[place], order[place + 1]
        later[second] = bool(np.array_equal(Xt[first], Xt[second]))
    return later


class Batches:
    """Resamples of one data set, a few at a time."""

    def __init__(self, data: Resamples, features: Features, *, logistic: bool, l1_ratio: float, tol: float) -> None:
        self.data = data
        self.features = features
        self.logistic = logistic
        self.l1_ratio = l1_ratio
        self.tol = tol
        self.n_runs = len(data.weights)
        d, n = features.Xt.shape
        self._most_rows = int((data.weights > 0).sum(axis=1).max())
        # A lasso has no more features than rows, an elastic net may have all of them.
        most = min(d, self._most_rows) if l1_ratio == 1.0 else d
        self._places = most + 2 + int((features.factor == 0).sum())
        order = min(self._places, 3 * self._most_rows // 2 + 3) + 1
        state = 8 * (self._places * (self._most_rows + 6) + order**2) + 40 * self._most_rows + 4 * n
        self.at_once = int(np.clip(min(DESCENT_BYTES // (8 * d), STATE_BYTES // state), 1, MOST_AT_ONCE))

    def each(self, compute: Callable[[Solving], Sequence[Any]], n_jobs: int | None = None) -> Iterator[Any]:
        """What `compute` gives for every resample, in their order: it gets a batch and gives one thing per run."""
        starts = range(0, self.n_runs, self.at_once)
        jobs = min(job_count(n_jobs), len(starts))
        # One or two resamples make no matrix, so that BLAS is not called.
        with one_blas_thread() if self.at_once > 2 and self.n_runs > 2 else nullcontext():
            if jobs == 1:
                room: Any = None
                for start in starts:
                    room = self.room(start) if room is None else room
                    yield from compute(Solving(self, start, room))
                return
            with ThreadPoolExecutor(jobs) as pool:
                for found in pool.map(lambda start: compute(Solving(self, start, self.room(start))), starts):
                    yield from found

    def room(self, start: int) -> Any:
        """Room for the batch that begins with a resample."""
        d, n = self.features.Xt.shape
        return make_batch(min(self.at_once, self.n_runs - start), d, n, self._most_rows, self._places)


class Solving:
    """Some resamples that are solved together; runs holds their numbers."""

    def __init__(self, batches: Batches, start: int, room: Any) -> None:
        self.batches = batches
        self.data = batches.data
        self.runs = range(start, min(start + batches.at_once, batches.n_runs))
        self._batch: Any = Batch(*(part[: len(self.runs)] for part in room))
        self.targets: list[SolvedTarget] = []
        self.classes: list[NDArray[Any]] = []
        weights = np.empty((len(self.runs), batches.features.Xt.shape[1]), np.float32)
        for place, run in enumerate(self.runs):
            self._put(place, run, weights)
        begin(batches.features, self._batch, weights, batches.logistic)
        if (batches.features.factor == 0).any():
            let_unpenalised_in(batches.features, self._batch, batches.logistic)
            self._level(np.arange(len(self.runs)), np.full(len(self.runs), NO_FEATURE))
        largest = largest_penalties(batches.features, self._batch, batches.logistic)
        self._refuse_constant()
        self.spreads = np.array([target.spread for target in self.targets])
        self.units = np.array([target.unit for target in self.targets])
        # Where no feature has anything to do with y, the descents are rounding errors and so would be the levels.
        self.largest: Floats = np.maximum(largest, 1e-9 * self.spreads) * self.units / batches.l1_ratio

    def _put(self, place: int, run: int, weights: Singles) -> None:
        batch, rows = self._batch, self.data.rows(run)
        weight = self.data.weights[run, rows]
        weight = weight / weight.sum()
        y, classes = self.data.target(run)
        target = solved_target(Training(self.data.X[:0], y, weight, classes), weight)
        n = len(rows)
        batch.n_rows[place] = n
        batch.rows[place, :n], batch.w[place, :n], batch.y[place, :n] = rows, weight, target.y
        batch.tol[place] = self.batches.tol * target.spread
        batch.ridge[place] = (1.0 - self.batches.l1_ratio) / self.batches.l1_ratio * target.unit
        weights[place] = 0.0
        weights[place, rows] = weight
        self.targets.append(target)
        self.classes.append(classes)

    def _refuse_constant(self) -> None:
        if (self.batches.features.factor == 0).any():
            return
        if (self._batch.scale.max(axis=1) == 0).any():
            raise InputError("X is constant in every column on the rows of positive weight; at least one must vary.")

    def solve(self, places: Sequence[int], lambdas: Sequence[Floats], stop_size: int | None = None) -> Walk:
        """The models of some places of the batch down their lambdas, to the first with stop_size features or more."""
        which = np.array(places, dtype=np.int64)
        n_levels = np.array([len(levels) for levels in lambdas], dtype=np.int64)
        penalties = np.zeros((int(n_levels.max()), len(which)))
        for k, levels in enumerate(lambdas):
            penalties[: len(levels), k] = levels
        walked = Walk(which, penalties, np.full(penalties.shape, -1), np.zeros((*penalties.shape, 2)), [], [])
        units = self._units()[which]
        going = np.arange(len(which))
        for t in range(len(penalties)):
            going = going[t < n_levels[going]]
            if not len(going):
                break
            sizes, numbers, found, values = self._solved(which[going], penalties[t, going] / units[going])
            walked.sizes[t, going], walked.numbers[t, going] = sizes, numbers
            walked.found.append(found)
            walked.values.append(values)
            if stop_size is not None:
                going = going[sizes < stop_size]
        return walked

    def _solved(self, which: Ints, penalties: Floats) -> Solved:
        """The next level of some places, at penalties of the solved target."""
        self._level(which, penalties)
        most = int(self._batch.size[which].sum())
        sizes, numbers = np.empty(len(which), np.int64), np.empty((len(which), 2))
        found, values = np.empty(most, np.int64), np.empty(most)
        record(self._batch, which, sizes, numbers, found, values)
        used = int(sizes.sum())
        return sizes, numbers, found[:used], values[:used]

    def _units(self) -> Floats:
        """What a penalty of each resample is divided by to be one of the solved target."""
        return np.asarray(self.units / self.batches.l1_ratio)

    def _level(self, which: Ints, penalties: Floats) -> None:
        features, logistic = self.batches.features, self.batches.logistic
        solve(features, self._batch, logistic, which, penalties)
        for b, penalty in zip(which, penalties, strict=True):
            if self._batch.hard[b]:
                solve_hard(features, self._batch, logistic, int(b), float(penalty))

    def means_and_scales(self, places: Ints, features: Ints) -> tuple[Floats, Floats]:
        """Means and standard deviations of features in resamples of the batch, one pair after the other."""
        batch = self._batch
        return means_and_scales(self.batches.features, batch.n_rows, batch.rows, batch.w, places, features)

    def in_units_of_data(self, place: int, level: Level) -> tuple[Floats, float]:
        """The coefficients of the features as they are, and the intercept."""
        target = self.targets[place]
        means, scales = self.means_and_scales(np.full(level.size, place), level.features)
        coefs = level.coefs * target.unit / scales
        return coefs, float(level.intercept * target.unit + target.centre - coefs @ means)
