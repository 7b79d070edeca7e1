"""Elastic-net models of many resamples, solved in batches: the batches, and their models."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from steadyset.foundation.arguments import check_flag, job_count
from steadyset.foundation.errors import InputError
from steadyset.kernels.arrays import Floats, Ints
from steadyset.kernels.paths.found_models import in_order, in_units_of_data, means_and_scales
from steadyset.kernels.paths.level_walk import (
    NO_FEATURE,
    begin,
    goes_on,
    largest_penalties,
    let_unpenalised_in,
    record,
    solve_hard,
    walk,
)
from steadyset.kernels.paths.path_arrays import (
    TOGETHER,
    Batch,
    Features,
    Models,
    largest_order,
    make_batch,
    make_room,
    with_places,
)
from steadyset.selectors.path_data import Family, Resamples, laid_out, read_factors, read_resamples
from steadyset.selectors.validation import check_number

MOST_AT_ONCE = 50
LEAST_A_THREAD = 8  # resamples: fewer are solved sooner than a thread starts
# A model has places for so many features from the start, and gets more when they may not do.
LEAST_PLACES = 128
# What a batch may take: the bounds of all features of its resamples, and room for the largest active sets.
BOUND_BYTES, STATE_BYTES = 64_000_000, 1_000_000_000
# Room for the features of a model, which is doubled as often as needed, and a size that no model reaches.
FEATURES_A_MODEL, NO_STOP = 64, 2**62


def read_batches(
    X: ArrayLike,
    y: ArrayLike,
    weights: ArrayLike | None,
    *,
    family: Family,
    l1_ratio: float,
    standardise: bool,
    tol: float,
    penalty_factors: ArrayLike | None = None,
    selector: Any = None,
) -> Batches:
    """Check the data, the weights and what the models shall be; a selector remembers the features."""
    data = read_resamples(X, y, weights, target="binary" if family == "logistic" else "numbers", selector=selector)
    check_number("tol", tol)
    check_number("l1_ratio", l1_ratio, most=1.0)
    check_flag("standardise", standardise)
    factors = read_factors(penalty_factors, data.X.shape[1])
    free = len(factors) - np.count_nonzero(factors)
    if free and free >= data.n_rows.min():
        raise InputError(
            f"penalty_factors has {free} zeros, and a resample has {data.n_rows.min()} rows of positive weight; "
            "features without a penalty must be fewer than the rows."
        )
    # Any split of a coefficient between exact copies is optimal; giving all of it to the first makes it unique.
    no_copies = l1_ratio == 1.0 and penalty_factors is None
    features = laid_out(data.X, factors, as_given=not standardise, no_copies=no_copies)
    return Batches(data, features, logistic=family == "logistic", l1_ratio=l1_ratio, tol=tol)


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


class Walk(NamedTuple):
    """Models of some places of a batch: that of level t and of the k-th place has sizes[t, k] features, -1: none is.

    numbers holds their intercepts and violations; found and values the features and coefficients, in the order of their
    levels, those of a model from starts[t, k] on.
    """

    places: Ints
    penalties: Floats
    n_features: int
    sizes: Ints
    numbers: Floats
    starts: Ints
    found: Ints
    values: Floats

    @property
    def lengths(self) -> Ints:
        """How many levels each place has."""
        return np.asarray((self.sizes >= 0).sum(axis=0))

    def level(self, k: int, t: int) -> Level:
        """One model; t may count from the end."""
        t = int(self.lengths[k]) + t if t < 0 else t
        start = int(self.starts[t, k])
        part = slice(start, start + int(self.sizes[t, k]))
        order = np.argsort(self.found[part])
        intercept, violation = self.numbers[t, k].tolist()
        features, coefs = self.found[part][order], self.values[part][order]
        return Level(float(self.penalties[t, k]), features, coefs, intercept, violation)

    def entries(self) -> tuple[Ints, Ints, Ints, Floats]:
        """Every coefficient, by place, level and feature: its place (the k-th), level and feature, and the value."""
        n_levels, n_places = self.sizes.shape
        counts = np.maximum(self.sizes, 0).T.ravel()
        model = np.repeat(np.arange(n_levels * n_places), counts)
        return model // n_levels, model % n_levels, *self.in_order()

    def in_order(self) -> tuple[Ints, Floats]:
        """The features and coefficients by place, level and feature."""
        return in_order(self.n_features, self.sizes, self.starts, self.found, self.values)


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
        self._most_rows = int(data.n_rows.max())
        self.n_free = d - int(np.count_nonzero(features.factor))
        # A lasso has no more features than rows, an elastic net may have all of them.
        most = min(d, self._most_rows) if l1_ratio == 1.0 else d
        others = 2 + self.n_free + TOGETHER
        self._most_places = most + others
        self._places = min(most, max(LEAST_PLACES, 2 * self._most_rows)) + others
        order = largest_order(self._most_places, self._most_rows)
        state = 8 * (self._most_places * (self._most_rows + 6) + order**2) + 40 * self._most_rows + 4 * n
        self.at_once: int = max(1, min(BOUND_BYTES // (12 * d), STATE_BYTES // state, MOST_AT_ONCE))

    def each(self, compute: Callable[[Solving], Sequence[Any]], n_jobs: int | None = None) -> Iterator[Any]:
        """What `compute` gives for every resample, in their order: it gets a batch and gives one thing per run."""
        jobs = min(job_count(n_jobs), self.n_runs // LEAST_A_THREAD + 1)
        # As many batches for every thread, and none much smaller than the others.
        rounds = -(-self.n_runs // (self.at_once * jobs))
        step = -(-self.n_runs // (rounds * jobs))
        batches = [range(start, min(start + step, self.n_runs)) for start in range(0, self.n_runs, step)]
        if jobs == 1:
            room = self.room(step)
            for runs in batches:
                yield from compute(Solving(self, runs, room))
            return
        with ThreadPoolExecutor(jobs) as pool:
            for found in pool.map(lambda runs: compute(Solving(self, runs, self.room(len(runs)))), batches):
                yield from found

    def room(self, n_runs: int) -> tuple[Any, Any]:
        """Room for a batch of so many resamples."""
        d, n = self.features.Xt.shape
        batch = make_batch(n_runs, d, n, self._most_rows, self._places)
        return batch, self._room_of(batch)

    def with_more_places(self, batch: Any, wanted: int | None = None) -> tuple[Any, Any]:
        """The same batch with the places that are wanted, at least twice as many, or with all; and room for it."""
        places = self._most_places if wanted is None else max(2 * batch.Z.shape[1], wanted)
        grown = with_places(batch, min(places, self._most_places))
        return grown, self._room_of(grown)

    def _room_of(self, batch: Any) -> Any:
        d, n = self.features.Xt.shape
        return make_room(batch, d, n, batch.Z.shape[1] < self._most_places)


class Solving:
    """Some resamples that are solved together; runs holds their numbers.

    centres, y_units and spreads are those of their targets, units those of their penalties.
    """

    def __init__(self, batches: Batches, runs: range, room: Any) -> None:
        self.batches = batches
        self.data = batches.data
        self.runs = runs
        features, logistic = batches.features, batches.logistic
        batch, self._room = room
        self._batch: Any = batch if len(runs) == len(batch.n_rows) else Batch(*(part[: len(runs)] for part in batch))
        part = slice(runs.start, runs.stop)
        (self.centres, self.y_units, self.spreads), largest = begin(
            features, self._batch, self._room, self.data.codes, self.data.weights[part], self.data.highest[part],
            logistic, (1.0 - batches.l1_ratio) / batches.l1_ratio, batches.tol,
        )  # fmt: skip
        if batches.n_free:
            let_unpenalised_in(features, self._batch, self._room, logistic)
            self._walk(np.arange(len(runs)), np.full((1, len(runs)), NO_FEATURE))
            largest = largest_penalties(features, self._batch, self._room, logistic)
        elif largest.min() < 0:
            raise InputError("X is constant in every column on the rows of positive weight; at least one must vary.")
        self.units = self.y_units * features.whole
        # Where no feature has anything to do with y, the descents are rounding errors and so would be the levels.
        self.largest: Floats = np.maximum(largest, 1e-9 * self.spreads) * self.units / batches.l1_ratio

    def solve(self, places: Sequence[int], lambdas: Sequence[Floats], stop_size: int | None = None) -> Walk:
        """The models of some places of the batch down their lambdas, to the first with stop_size features or more."""
        which = np.array(places, dtype=np.int64)
        n_levels = np.array([len(levels) for levels in lambdas], dtype=np.int64)
        penalties = np.zeros((int(n_levels.max()), len(which)))
        for k, levels in enumerate(lambdas):
            penalties[: len(levels), k] = levels
        walked = self._down(
            which, penalties / self._units()[which], n_levels, NO_STOP if stop_size is None else stop_size
        )
        return walked._replace(penalties=penalties)

    def _units(self) -> Floats:
        """What a penalty of each resample is divided by to be one of the solved target."""
        return np.asarray(self.units / self.batches.l1_ratio)

    def _down(self, which: Ints, penalties: Floats, n_levels: Ints, stop_size: int) -> Walk:
        """The models of some places down penalties of the solved target."""
        return self._walk(which, penalties, n_levels, stop_size)

    def _walk(self, which: Ints, penalties: Floats, n_levels: Ints | None = None, stop_size: int = NO_STOP) -> Walk:
        """Go on from where the models are; the compiled walk pauses where a model is hard or finds no room."""
        features, batch, room, logistic = self.batches.features, self._batch, self._room, self.batches.logistic
        n_levels = np.full(len(which), len(penalties)) if n_levels is None else n_levels
        sizes, numbers = np.full(penalties.shape, -1), np.zeros((*penalties.shape, 2))
        starts = np.zeros((len(penalties) + 1, len(which)), np.int64)
        # What a walk that was interrupted has left.
        room.marks[:] = 0
        batch.crowded[:] = 0
        first = FEATURES_A_MODEL * penalties.size
        found, values = np.empty(first, np.int64), np.empty(first)
        t = 0
        while True:
            t = walk(
                features, batch, room, logistic, which, penalties, n_levels, stop_size, t,
                sizes, numbers, starts, found, values,
            )  # fmt: skip
            if t == len(penalties):
                break
            going = np.flatnonzero(goes_on(t, n_levels, stop_size, sizes))
            if batch.crowded[which[going]].any():
                batch, room = self._batch, self._room = self.batches.with_more_places(
                    batch, int(batch.crowded[which[going]].max())
                )
                continue
            hard = going[batch.hard[which[going]] > 0]
            if len(hard) and room.grows:
                batch, room = self._batch, self._room = self.batches.with_more_places(batch)
            for k in hard:
                solve_hard(features, batch, room, logistic, int(which[k]), float(penalties[t, k]))
            models = Models(batch.size, batch.feature, batch.coef, batch.violation)
            while not record(models, which, going, t, sizes, numbers, starts, found, values):
                found, values = (np.concatenate([part, np.empty_like(part)]) for part in (found, values))
            t += 1
        return Walk(which, penalties, self.data.X.shape[1], sizes, numbers, starts, found, values)

    def entries_in_units(self, walked: Walk) -> tuple[Ints, Floats, Floats, Ints]:
        """The features, and what `in_units_of_data` gives for their coefficients."""
        features, values = walked.in_order()
        given = walked.places, self.y_units, walked.sizes, features, values
        return features, *in_units_of_data(*self._as_given(), *given)

    def in_units_of_data(self, place: int, level: Level) -> tuple[Floats, float]:
        """The coefficients of the features as they are, and the intercept."""
        means, scales = means_and_scales(*self._as_given(), place, level.features)
        coefs = level.coefs * self.y_units[place] / scales
        return coefs, float(level.intercept * self.y_units[place] + self.centres[place] - coefs @ means)

    def _as_given(self) -> tuple[Floats, Floats, Ints, Ints, Floats]:
        """What tells the means and standard deviations of the features in the units of the data."""
        features, batch = self.batches.features, self._batch
        return features.Xt, features.unit * features.whole, batch.n_rows, batch.rows, batch.w
