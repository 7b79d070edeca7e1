"""Elastic-net models of many resamples: what the solver holds of each, and the models that it finds."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from steadyset.foundation.arguments import check_flag, job_count
from steadyset.foundation.errors import InputError
from steadyset.kernels.arrays import Floats, Ints
from steadyset.kernels.paths import solver
from steadyset.kernels.paths.features import FACTOR, moments
from steadyset.selectors.path_data import Family, Features, Resamples, laid_out, read_factors, read_resamples
from steadyset.selectors.validation import check_number

MAX_AT_ONCE = 50
LEAST_A_THREAD = 8  # resamples: fewer are solved sooner than a thread starts
# A model has places for so many features from the start, and gets more when they may not do.
LEAST_PLACES = 500
STATE_BYTES = 1_000_000_000  # what resamples that are held together may take
# From this size of the data in single precision on, which no near cache holds, resamples share the way through it.
TOGETHER_BYTES = 2**21
# Memory for the features of a model, which is doubled as often as needed, and a size that no model reaches.
FEATURES_A_MODEL, NO_STOP = 64, 2**62

Found = tuple[Floats, Ints, Ints, Floats]  # numbers, ends, features and values of the levels of a path


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
    """The model at one penalty (in the units of y), with the coefficients of its features.

    `standardised` are the coefficients of the standardised features, in units of the solved target, and `coefs` those
    of the features as they are; the violation is in units of the solved target.
    """

    penalty: float
    features: Ints
    standardised: Floats
    coefs: Floats
    intercept: float
    violation: float

    @property
    def size(self) -> int:
        return len(self.features)


@dataclass(frozen=True)
class Path:
    """The models of one resample down its penalties: level t has the features found[ends[t] : ends[t + 1]]."""

    penalties: Floats
    ends: Ints
    found: Ints
    standardised: Floats
    coefs: Floats
    intercepts: Floats
    violations: Floats

    @property
    def sizes(self) -> Ints:
        return np.diff(self.ends)

    def level(self, t: int) -> Level:
        """One model; t may count from the end."""
        t = len(self.penalties) + t if t < 0 else t
        part = slice(self.ends[t], self.ends[t + 1])
        return Level(
            float(self.penalties[t]),
            self.found[part],
            self.standardised[part],
            self.coefs[part],
            float(self.intercepts[t]),
            float(self.violations[t]),
        )


class Bounds:
    """What the solver holds of several resamples one after the other (its file says what the arrays are)."""

    def __init__(self, count: int, d: int, width: int) -> None:
        self.S, self.N = np.zeros((count, 11)), np.zeros((count, 11), np.int64)
        self.G, self.listed = np.empty((count, 2, d), np.float32), np.empty((count, d + 1), np.int32)
        self.single = np.zeros((count, 2, width), np.float32)

    def arrays(self) -> Any:
        """In the order in which the solver renews them."""
        return self.S, self.N, self.G, self.listed, self.single


class State:
    """What the solver holds of one resample (its file says what the arrays are), and how it gets more places."""

    CHANGING = ("V", "S", "N", "P", "M", "A", "L", "G")  # what a level changes

    def __init__(self, n: int, bounds: Bounds, place: int, places: int) -> None:
        self.rows = np.empty(n, np.int64)
        self.V = np.empty((11, n))
        self.S, self.N, self.G, self.listed, self.single = (part[place] for part in bounds.arrays())
        self._make_places(places)

    def _make_places(self, places: int) -> None:
        n = len(self.rows)
        order = largest_order(places, n)
        self.P, self.M = np.empty((18, places)), np.zeros((4, places), np.int64)
        self.M[solver.SLOT] = np.arange(places)
        self.A, self.L = np.empty((places, n)), np.empty((order, order))

    def arrays(self) -> Any:
        """In the order in which the solver takes them."""
        own = self.rows, self.V, self.S, self.N, self.P, self.M, self.A, self.L
        return *own, self.G, self.listed, self.single

    def kept(self) -> dict[str, Any]:
        """A copy of what a level changes, of places, features and factor only the part that is in use."""
        size = int(self.N[solver.SIZE])
        slots = int(self.M[solver.SLOT, :size].max()) + 1
        order = len(self.rows) if self.N[solver.WIDE] else size
        used = {
            "V": np.s_[: solver.CENTRED],
            "P": np.s_[: solver.BEFORE, :size],
            "M": np.s_[: solver.FEATURE_BEFORE, :size],
            "A": np.s_[:slots],
            "L": np.s_[:order, :order],
            "G": np.s_[: solver.SCALE_OF],
        }
        return {name: np.array(getattr(self, name)[used.get(name, ...)]) for name in self.CHANGING}

    def take_up(self, kept: dict[str, Any]) -> None:
        """Hold again what was kept, perhaps when there were fewer places; the list belongs to something else."""
        for name, part in kept.items():
            getattr(self, name)[tuple(slice(length) for length in part.shape)] = part
        self.S[solver.TIGHT] = np.inf
        size = int(self.N[solver.SIZE])
        self.M[solver.SLOT, size:] = np.setdiff1d(np.arange(self.M.shape[1]), self.M[solver.SLOT, :size])

    def grow(self, places: int) -> None:
        """Have more places."""
        kept = self.kept()
        self._make_places(places)
        self.take_up(kept)


def in_own_units(y: Floats, w: Floats) -> tuple[float, float, Floats]:
    """A target of numbers as the solver takes it: its centre, its unit, and (y - centre) / unit.

    A unit is a power of two, which changes no digit, near the standard deviation. Without it, squares of tiny or huge
    numbers vanish or overflow; without the centre, a large offset takes the digits that the residuals need.
    """
    unit = _power_of_two(float(np.abs(y).max()))
    y = y / unit
    centre = float(w @ y)
    y -= centre
    farthest = float(np.abs(y).max())
    finer = _power_of_two(farthest * float(np.sqrt(w @ (y / farthest) ** 2)))
    return centre * unit, finer * unit, y / finer


def _power_of_two(size: float) -> float:
    """The largest power of two up to the size."""
    return math.ldexp(1.0, math.frexp(size)[1] - 1)


def largest_order(places: int, rows: int) -> int:
    """How large a factor gets: that of the places, or of the rows where these are far fewer."""
    return min(places, 3 * rows + 3) + 1


class Workspace:
    """Memory for the work on one resample after the other (the solver's file says for what)."""

    def __init__(self, d: int) -> None:
        self.F, self.T = np.zeros((4, d + 1), np.int32), np.empty((3, d))
        self.sizes = np.empty(d, np.float32)
        self.weighted = np.empty((0, 0))

    def arrays(self, state: State) -> Any:
        """In the order in which the solver takes them, with room for the factor of a resample."""
        order, rows = len(state.L) + 1, len(state.rows)
        if order > self.weighted.shape[0] or rows > self.weighted.shape[1]:
            self.weighted = np.empty((order, rows))
        return self.weighted, self.F, self.T, self.sizes


class Walk:
    """The way of one resample down its penalties, and the models that are found on it, as the solver writes them."""

    def __init__(self, state: State, penalties: Floats, stop_size: int) -> None:
        self.state, self.penalties, self.stop_size = state, penalties, stop_size
        self.t, count = 0, len(penalties)
        self.numbers, self.ends = np.zeros((count, 3)), np.zeros(count + 1, np.int64)
        self.found = np.empty(FEATURES_A_MODEL * count, np.int64)
        self.values = np.empty((2, FEATURES_A_MODEL * count))

    def go_on(self, features: Features, workspace: Workspace, *, alone: bool) -> bool:
        """Go to the end, or until bounds are to be renewed with those of others: whether that is so."""
        state = self.state
        while True:
            given: Any = (*features.arrays(), *state.arrays(), *workspace.arrays(state), self.penalties, self.t)
            levels: Any = (self.stop_size, alone, self.numbers, self.ends, self.found, self.values)
            self.t, why = solver.walk(*given, *levels)
            if why == solver.CROWDED:
                most, wanted = int(state.N[solver.MOST]), int(state.N[solver.WANTED])
                state.grow(min(most, max(2 * state.M.shape[1], wanted)))
            elif why == solver.FULL:
                more = max(len(self.found), int(state.N[solver.SIZE]))
                self.found = np.concatenate([self.found, np.empty(more, np.int64)])
                self.values = np.concatenate([self.values, np.empty((2, more))], axis=1)
            else:
                return bool(why == solver.WAITING)

    def result(self) -> Found:
        """Numbers, ends, features and values of its levels, without the memory that was left."""
        used = self.ends[self.t]
        return self.numbers[: self.t], self.ends[: self.t + 1], self.found[:used].copy(), self.values[:, :used].copy()


class Batches:
    """Resamples of one data set, a few at a time."""

    def __init__(self, data: Resamples, features: Features, *, logistic: bool, l1_ratio: float, tol: float) -> None:
        self.data = data
        self.features = features
        self.logistic = logistic
        self.l1_ratio = l1_ratio
        self.tol = tol
        self.n_runs = len(data.weights)
        d = len(features.Xt)
        self.n_free = d - int(np.count_nonzero(features.D[FACTOR]))
        rows = int(data.n_rows.max())
        places = self.most_places(rows)
        state = 8 * (places * (rows + 8) + largest_order(places, rows) ** 2 + 2 * d + 10 * rows)
        self.at_once: int = max(1, min(STATE_BYTES // state, MAX_AT_ONCE))

    def most_places(self, n_rows: int) -> int:
        """A lasso has no more features than rows, an elastic net may have all of them."""
        d = len(self.features.Xt)
        return (min(d, n_rows) if self.l1_ratio == 1.0 else d) + self.n_free + 2

    def each(self, compute: Callable[[Solving], Sequence[Any]], n_jobs: int | None = None) -> Iterator[Any]:
        """What `compute` gives for every resample, in their order: it gets a batch and gives one thing per run."""
        jobs = min(job_count(n_jobs), self.n_runs // LEAST_A_THREAD + 1)
        # As many batches for every thread, and none much smaller than the others.
        rounds = -(-self.n_runs // (self.at_once * jobs))
        step = -(-self.n_runs // (rounds * jobs))
        batches = [range(start, min(start + step, self.n_runs)) for start in range(0, self.n_runs, step)]
        if jobs == 1:
            for runs in batches:
                yield from compute(Solving(self, runs))
            return
        with ThreadPoolExecutor(jobs) as pool:
            for found in pool.map(lambda runs: compute(Solving(self, runs)), batches):
                yield from found


class Solving:
    """Some resamples that are held together; runs holds their numbers.

    centres, y_units and spreads are those of their targets, units those of their penalties.
    """

    def __init__(self, batches: Batches, runs: range) -> None:
        self.batches = batches
        self.data = batches.data
        self.runs = runs
        features = batches.features
        self._workspace = Workspace(len(features.Xt))
        self._bounds = Bounds(len(runs), *features.Z.shape)
        self._states = [self._begun(place, run) for place, run in enumerate(runs)]
        self._make_bounds()
        if batches.n_free:
            self._walk(range(len(runs)), [np.array([solver.NO_FEATURE])] * len(runs), NO_STOP)
        largest = np.array([self._largest(state) for state in self._states])
        if largest.min() < 0 and not batches.n_free:
            raise InputError("X is constant in every column on the rows of positive weight; at least one must vary.")
        self.centres, self.y_units, self.spreads = np.array(
            [state.S[[solver.CENTRE, solver.Y_UNIT, solver.SPREAD]] for state in self._states]
        ).T
        self.units = self.y_units * features.whole
        # Where no feature has anything to do with y, the descents are rounding errors and so would be the levels.
        self.largest: Floats = np.maximum(largest, 1e-9 * self.spreads) * self.units / batches.l1_ratio
        # What a penalty of each resample is divided by to be one of the solved target.
        self._solved_units = np.asarray(self.units / batches.l1_ratio)

    def _begun(self, place: int, run: int) -> State:
        batches, features, n = self.batches, self.batches.features, int(self.data.n_rows[run])
        most = batches.most_places(n)
        state = State(n, self._bounds, place, min(most, max(LEAST_PLACES, 2 * n) + batches.n_free + 2))
        state.N[[solver.LOGISTIC, solver.AS_GIVEN, solver.MOST]] = batches.logistic, features.as_given, most
        ridge = (1.0 - batches.l1_ratio) / batches.l1_ratio
        weights, codes = self.data.weights[run], self.data.codes
        state.rows[:] = np.flatnonzero(weights)
        w, y = weights[state.rows], codes[state.rows]
        w = w / w.sum()
        centre, unit, y = (0.0, 1.0, y == self.data.highest[run]) if batches.logistic else in_own_units(y, w)
        spread = float(np.sqrt(w @ (y - w @ y) ** 2))
        state.V[solver.W], state.V[solver.Y] = w, y
        state.S[[solver.TOL, solver.RIDGE]] = batches.tol * spread, ridge / features.whole * unit
        state.S[[solver.CENTRE, solver.Y_UNIT, solver.SPREAD]] = centre, unit, spread
        solver.begin(state.rows, state.V, state.N, state.P, state.A, state.L, state.single)
        return state

    def _make_bounds(self) -> None:
        """Bounds of all features at the models with the intercept alone."""
        features, bounds = self.batches.features, self._bounds
        sizes = np.empty((len(self._states), len(features.Xt)), np.float32)
        moments(features.Z, bounds.single, bounds.G, sizes)
        for state, own in zip(self._states, sizes, strict=True):
            weighted = self._workspace.arrays(state)[0]
            data: Any = (features.Xt, features.D, features.reach)
            of_state: Any = (state.rows, state.V, state.S, state.N, state.G, state.single, own, weighted)
            solver.first_bounds(*data, *of_state)

    def _largest(self, state: State) -> float:
        features, weighted = self.batches.features, self._workspace.arrays(state)[0]
        of_state = state.rows, state.V, state.S, state.N, state.G
        return solver.largest_penalty(features.Xt, features.D, *of_state, weighted)

    def solve(self, places: Sequence[int], lambdas: Sequence[Floats], stop_size: int | None = None) -> list[Path]:
        """The models of some of the resamples down their lambdas, to the first with stop_size features or more.

        They go on from where they are.
        """
        stop = NO_STOP if stop_size is None else stop_size
        penalties = [levels / self._solved_units[place] for place, levels in zip(places, lambdas, strict=True)]
        paths = []
        for place, levels, path in zip(places, lambdas, self._down(places, penalties, stop), strict=True):
            numbers, ends, found, values = path
            intercepts = numbers[:, 0] * self.y_units[place] + self.centres[place] - numbers[:, 2]
            paths.append(Path(levels[: len(numbers)], ends, found, values[0], values[1], intercepts, numbers[:, 1]))
        return paths

    def _down(self, places: Sequence[int], penalties: Sequence[Floats], stop_size: int) -> list[Found]:
        return self._walk(places, penalties, stop_size)

    def _walk(self, places: Sequence[int], penalties: Sequence[Floats], stop_size: int) -> list[Found]:
        """Go on from where the models are: one by one, or each a level further and then the bounds of all of them."""
        walks = [Walk(self._states[place], levels, stop_size) for place, levels in zip(places, penalties, strict=True)]
        going = list(zip(places, walks, strict=True))
        alone = len(going) == 1 or self.batches.features.Z.nbytes < TOGETHER_BYTES
        while going:
            features, workspace = self.batches.features, self._workspace
            going = [(place, walk) for place, walk in going if walk.go_on(features, workspace, alone=alone)]
            if going:
                given: Any = (*self._bounds.arrays(), workspace.sizes, np.array([place for place, _ in going]))
                solver.renew(features.Z, *given)
        return [walk.result() for walk in walks]
