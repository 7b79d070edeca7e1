"""Elastic-net models of many resamples: what the solver holds of each, and the models that are found on the paths.

`Batches` holds resamples a few at a time, `Solving` is one such batch, and `one_level_each` searches along its paths
for one model of each resample: at a penalty, or with about k features. With `SharedPaths` one path serves models at
many penalties or sizes: what the solver holds after each level is kept, and the next model that comes by that level
starts from there. Every model has gone down the same levels as if it were alone, so it is the same to the last bit.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from sklearn.exceptions import ConvergenceWarning

from steadyset.foundation.arguments import check_flag, job_count
from steadyset.foundation.errors import InputError, warn_caller
from steadyset.kernels.arrays import Floats, Ints, Singles
from steadyset.kernels.paths import solver, uncompiled
from steadyset.kernels.paths.families import COX, LINEAR, LOGISTIC
from steadyset.kernels.paths.features import FACTOR
from steadyset.selectors import path_data
from steadyset.selectors.model_input import in_own_units
from steadyset.selectors.multinomial_paths import MultinomialSolving
from steadyset.selectors.validation import check_integer, check_number, of_run, size_or_default

MAX_AT_ONCE = 50
LEAST_A_THREAD = 8  # resamples: fewer are solved sooner than a thread starts
# A model has places for so many features from the start, and gets more when they may not do.
LEAST_PLACES = 500
STATE_BYTES = 1_000_000_000  # what resamples that are held together may take
# Memory for the features of a model, which is doubled as often as needed, and a size that no model reaches.
FEATURES_A_MODEL, NO_STOP = 64, 2**62

MAX_LAMBDAS = 100_000
ALL_ALIKE = 1e-12  # residuals of events that nobody else was at risk for are rounding
# Optimality conditions off by more than this, in standard deviations of y, are told.
TOLD_VIOLATION = 1e-8
# Halvings of the step between two levels of the path, in search of a support of exactly k.
MAX_BISECTIONS = 20
# On the way to one penalty only every sixth level is a stop: 1.4 to 4 times faster than stopping at each. Without any
# stop some data are faster still, and others slower by as much.
STRIDE = 6

Found = tuple[Floats, Ints, Ints, Floats]  # numbers, ends, features and values of the levels of a path


def read_batches(
    X: ArrayLike,
    y: ArrayLike,
    weights: ArrayLike | None,
    *,
    family: path_data.Family,
    l1_ratio: float,
    standardise: bool,
    tol: float,
    grouped: bool = False,
    penalty_factors: ArrayLike | None = None,
    selector: Any = None,
) -> Batches:
    """Check the data, the weights and what the models shall be; a selector remembers the features."""
    target, code = path_data.FAMILIES[family]
    data = path_data.read_resamples(X, y, weights, target=target, selector=selector)
    check_number("tol", tol)
    check_number("l1_ratio", l1_ratio, most=1.0)
    check_flag("standardise", standardise)
    factors = path_data.read_factors(penalty_factors, data.X.shape[1])
    free = len(factors) - np.count_nonzero(factors)
    if free and free >= data.n_rows.min():
        raise InputError(
            f"penalty_factors has {free} zeros, and a resample has {data.n_rows.min()} rows of positive weight; "
            "features without a penalty must be fewer than the rows."
        )
    # Any split of a coefficient between exact copies is optimal; giving all of it to the first makes it unique.
    no_copies = l1_ratio == 1.0 and penalty_factors is None
    features = path_data.laid_out(data.X, factors, as_given=not standardise, no_copies=no_copies)
    return Batches(data, features, family=code, l1_ratio=l1_ratio, tol=tol, grouped=grouped)


class State:
    """What the solver holds of one resample (its file says what the arrays are), and how it gets more places."""

    CHANGING = ("V", "S", "N", "P", "M", "A", "L", "G")  # what a level changes

    def __init__(self, n: int, G: Singles, single: Singles, places: int) -> None:
        self.rows = np.empty(n, np.int64)
        self.V = np.empty((solver.ROWS_OF_V, n))
        self.S, self.N = np.zeros(solver.NUMBERS_OF_S), np.zeros(solver.NUMBERS_OF_N, np.int64)
        self.G, self.single, self.listed = G, single, np.empty(G.shape[1] + 1, np.int32)
        self._make_places(places)

    def _make_places(self, places: int) -> None:
        n = len(self.rows)
        order = largest_order(places, n)
        self.P, self.M = np.empty((solver.SINE + 1, places)), np.zeros((4, places), np.int64)
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
        order = 0 if self.N[solver.WIDE] else size
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


def walk_down(
    state: State, features: path_data.Features, workspace: Workspace, penalties: Floats, stop_size: int
) -> Found:
    """Go down the penalties from where the model of a resample is, as far as the solver goes: what it finds.

    Features of a level come by their numbers: the active set holds them in the order of their entry, which depends on
    the path.
    """
    memory = Memory(len(penalties))
    t = walk_with(state, features, workspace, penalties, stop_size, memory)
    ends = memory.ends[: t + 1]
    found, values = memory.found[: ends[-1]], memory.values[:, : ends[-1]]
    order = np.lexsort((found, np.repeat(np.arange(t), np.diff(ends))))
    return memory.numbers[:t], ends, found[order], values[:, order]


class Memory:
    """Memory for the levels of a path; the features of level t are ``found[ends[t] : ends[t + 1]]``."""

    def __init__(self, n_levels: int) -> None:
        self.numbers = np.zeros((n_levels, 3))
        self.ends = np.zeros(n_levels + 1, np.int64)
        self.found = np.empty(FEATURES_A_MODEL * n_levels, np.int64)
        self.values = np.empty((2, FEATURES_A_MODEL * n_levels))

    def grow(self, least: int) -> None:
        """Make room for at least so many more features, and for twice as many as before."""
        more = max(len(self.found), least)
        self.found = np.concatenate([self.found, np.empty(more, np.int64)])
        self.values = np.concatenate([self.values, np.empty((2, more))], axis=1)


def walk_with(
    state: State,
    features: path_data.Features,
    workspace: Workspace,
    penalties: Floats,
    stop_size: int,
    memory: Memory,
) -> int:
    """Go down the penalties as `walk_down` does, write the levels to memory, and return their number.

    The features of a level are in the order of the active set.
    """
    t, why = 0, None
    while why != solver.DONE:
        given: Any = (*features.arrays(), *state.arrays(), *workspace.arrays(state), penalties, t)
        levels: Any = (stop_size, memory.numbers, memory.ends, memory.found, memory.values)
        t, why = solver.walk(*given, *levels)
        if why == solver.CROWDED:
            most, wanted = int(state.N[solver.MOST]), int(state.N[solver.WANTED])
            # Twice as many, so that growing costs no more than what was computed meanwhile.
            state.grow(min(most, max(2 * state.M.shape[1], wanted)))
        elif why == solver.FULL:
            memory.grow(int(state.N[solver.SIZE]))
        elif why != solver.DONE:
            _help(state, why, float(penalties[t]))
    return int(t)


def _help(state: State, why: int, penalty: float) -> None:
    """Do what the solver leaves to NumPy."""
    if why == solver.RISEN:
        uncompiled.undo_if_risen(state.V, state.S, state.N, state.P, state.M, penalty)
    elif why == solver.DEPENDENT:
        uncompiled.enter_dependent(state.V, state.N, state.P, state.M, state.A, state.L, penalty)
    elif why == solver.UNEVALUATED:
        uncompiled.evaluate(state.V, state.N)
    elif why == solver.LOST:
        uncompiled.factor_of_rows(state.V, state.N, state.M, state.A, state.L)
    else:
        uncompiled.step_of_many(state.V, state.N, state.P, state.M, state.A, penalty)


@dataclass(eq=False)
class Batches:
    """Resamples of one data set, a few at a time."""

    data: path_data.Resamples
    features: path_data.Features
    family: int
    l1_ratio: float
    tol: float
    grouped: bool = False

    def __post_init__(self) -> None:
        self.n_runs = len(self.data.weights)
        d = len(self.features.Xt)
        self.n_free = d - int(np.count_nonzero(self.features.D[FACTOR]))
        rows = int(self.data.n_rows.max())
        places = self.most_places(rows)
        state = 8 * (places * (rows + 8) + largest_order(places, rows) ** 2 + 2 * d + 10 * rows)
        if self.data.multinomial:
            state = d * (24 + 8 * len(self.data.classes))
        self.at_once: int = max(1, min(STATE_BYTES // state, MAX_AT_ONCE))

    def most_places(self, n_rows: int) -> int:
        """A lasso has no more features than rows, an elastic net may have all of them."""
        d = len(self.features.Xt)
        return (min(d, n_rows) if self.l1_ratio == 1.0 else d) + self.n_free + 2

    def each(self, compute: Callable[[Any], Sequence[Any]], n_jobs: int | None = None) -> Iterator[Any]:
        """What `compute` gives for every resample, in their order: it gets a batch and gives one thing per run."""
        jobs = min(job_count(n_jobs), self.n_runs // LEAST_A_THREAD + 1)
        # As many batches for every thread, and none much smaller than the others.
        rounds = -(-self.n_runs // (self.at_once * jobs))
        step = -(-self.n_runs // (rounds * jobs))
        batches = [range(start, min(start + step, self.n_runs)) for start in range(0, self.n_runs, step)]
        kind = MultinomialSolving if self.data.multinomial else Solving
        if jobs == 1:
            for runs in batches:
                yield from compute(kind(self, runs))
            return
        with ThreadPoolExecutor(jobs) as pool:
            for found in pool.map(lambda runs: compute(kind(self, runs)), batches):
                yield from found


class Solving:
    """Some resamples that are held together; runs holds their numbers.

    centres, y_units and spreads are those of their targets, units those of their penalties.
    """

    what = "features"

    def __init__(self, batches: Batches, runs: range) -> None:
        self.batches = batches
        self.data = batches.data
        self.most = batches.data.X.shape[1]
        self.runs = runs
        features = batches.features
        of_data, (d, width) = (features.Xt, features.D), features.Z.shape
        self._workspace = Workspace(d)
        # Of all resamples one after the other: their moments are products of matrices.
        G, single = np.empty((len(runs), 2, d), np.float32), np.zeros((len(runs), 2, width), np.float32)
        self._states = [self._begun(*own) for own in zip(runs, G, single, strict=True)]
        sizes = np.empty((len(runs), d), np.float32)
        uncompiled.moments(features.Z, single, G, sizes)
        for one, own in zip(self._states, sizes, strict=True):
            uncompiled.first_bounds(*of_data, features.reach, one.rows, one.V, one.S, one.N, one.G, own)
        if batches.n_free:
            self._walk(range(len(runs)), [np.array([solver.NO_FEATURE])] * len(runs), NO_STOP)
        largest = np.array(
            [uncompiled.largest_penalty(*of_data, one.rows, one.V, one.S, one.N, one.G) for one in self._states]
        )
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

    def _begun(self, run: int, G: Singles, single: Singles) -> State:
        batches, features, n = self.batches, self.batches.features, int(self.data.n_rows[run])
        most = batches.most_places(n)
        state = State(n, G, single, min(most, max(LEAST_PLACES, 2 * n) + batches.n_free + 2))
        state.N[[solver.FAMILY, solver.AS_GIVEN, solver.MOST]] = batches.family, features.as_given, most
        # The solver's penalty is that of the l1 part alone, so the ridge comes relative to it.
        ridge = (1.0 - batches.l1_ratio) / batches.l1_ratio
        weights, codes = self.data.weights[run], self.data.codes
        state.rows[:] = np.flatnonzero(weights)
        if batches.family == COX:
            # By falling time, as the recursions over risk sets need it.
            state.rows[:] = state.rows[np.argsort(-abs(codes[state.rows]), kind="stable")]
        w, y = weights[state.rows], codes[state.rows]
        w = w / w.sum()
        y, centre, unit = y == self.data.highest[run] if batches.family == LOGISTIC else y, 0.0, 1.0
        if batches.family == LINEAR:
            y, centre, unit = in_own_units(y, w)
        state.V[solver.W], state.V[solver.Y] = w, y
        uncompiled.begin(state.rows, state.V, state.N, state.P, state.A, state.L, state.single)
        spread = float(np.sqrt(w @ (y - w @ y) ** 2))
        if batches.family == COX:  # the residuals without features, which the ranks are not
            spread = float(np.sqrt((state.V[solver.RESIDUAL] ** 2 / w).sum()))
            if spread < ALL_ALIKE:
                raise InputError(f"No event of y has others at risk{of_run(run, batches.n_runs)}; nothing to compare.")
        state.S[[solver.TOL, solver.RIDGE]] = batches.tol * spread, ridge / features.whole * unit
        state.S[[solver.CENTRE, solver.Y_UNIT, solver.SPREAD]] = centre, unit, spread
        return state

    def solve(
        self, places: Sequence[int], lambdas: Sequence[Floats], stop_size: int | None = None
    ) -> list[path_data.Path]:
        """The models of some of the resamples down their lambdas, to the first with stop_size features or more.

        They go on from where they are.
        """
        stop = NO_STOP if stop_size is None else stop_size
        penalties = [levels / self._solved_units[place] for place, levels in zip(places, lambdas, strict=True)]
        paths = []
        for place, levels, path in zip(places, lambdas, self._down(places, penalties, stop), strict=True):
            numbers, ends, found, values = path
            intercepts = numbers[:, 0] * self.y_units[place] + self.centres[place] - numbers[:, 2]
            if self.batches.family == COX:  # any would do, so there is none
                intercepts = np.zeros(len(numbers))
            paths.append(
                path_data.Path(levels[: len(numbers)], ends, found, values[0], values[1], intercepts, numbers[:, 1])
            )
        return paths

    def _down(self, places: Sequence[int], penalties: Sequence[Floats], stop_size: int) -> list[Found]:
        return self._walk(places, penalties, stop_size)

    def _walk(self, places: Sequence[int], penalties: Sequence[Floats], stop_size: int) -> list[Found]:
        """Go on from where the models are."""
        given = self.batches.features, self._workspace
        ways = zip(places, penalties, strict=True)
        return [walk_down(self._states[place], *given, levels, stop_size) for place, levels in ways]


def levels_of(solving: Solving, count: int, min_ratio: float | None) -> list[Floats]:
    """Levels from the least penalty that leaves out every feature downwards, for each resample of a batch."""
    check_integer("n_lambdas", count, least=1, most=MAX_LAMBDAS)
    if min_ratio is not None:
        check_number("lambda_min_ratio", min_ratio, most=1.0)
    levels = []
    for run, largest in zip(solving.runs, solving.largest, strict=True):
        levels.append(largest * _shares(_usual_end(solving.data, run) if min_ratio is None else min_ratio, count))
    return levels


def _usual_end(data: path_data.Resamples, run: int) -> float:
    """The last level of the path of a resample, as a part of its first."""
    # A weight of 2 is two rows; weights that are shares of 1 tell nothing about the number of rows.
    n_rows = max(int(data.n_rows[run]), float(data.weights[run].sum()))
    return 1e-2 if data.X.shape[1] > n_rows else 1e-4


@lru_cache(maxsize=8)
def _shares(ratio: float, count: int) -> Floats:
    """The levels of a path whose first is 1."""
    return np.logspace(0.0, np.log10(ratio), count)


def one_level_each(
    solving: Any, penalty: float | None, k: int | None, n_lambdas: int, min_ratio: float | None
) -> list[Any]:
    """The model at the penalty, or the one with about k features, of each resample of a batch.

    The batch is a `Solving`, or has what is asked of one here: its runs, the `most` that a model can hold of `what`,
    and `solve`, which goes on from where the models are.
    """
    if penalty is not None and k is not None:
        raise InputError("penalty and k are both given; give one of them.")
    levels = levels_of(solving, n_lambdas, path_end(min_ratio))
    places = range(len(solving.runs))
    if penalty is None:
        return _of_size(solving, levels, size_or_default(k, solving.most, what=solving.what))
    check_number("penalty", penalty)
    ways = [np.append(lambdas[lambdas > penalty][STRIDE - 1 :: STRIDE], penalty) for lambdas in levels]
    return [path.level(-1) for path in solving.solve(places, ways)]


def path_end(min_ratio: float | None) -> float:
    """The last level of a search: it ends at the level or size, so it may go further down than a whole path."""
    return 1e-4 if min_ratio is None else min_ratio


def tell_accuracy(penalty: float, violation: float, spread: float, tol: float) -> None:
    """Warn where the optimality conditions do not hold."""
    if violation > max(TOLD_VIOLATION, tol * spread):
        warn_caller(
            f"The solver stopped at penalty {penalty:.3g} with the optimality conditions off by "
            f"{violation / spread:.1g} standard deviations of y; look for features that are nearly "
            "combinations of others, or use an l1_ratio below 1.",
            ConvergenceWarning,
        )


def tell_worst(paths: Sequence[path_data.Path], spreads: Floats, tol: float) -> None:
    """Warn of the worst level of each path where its optimality conditions do not hold."""
    for path, spread in zip(paths, spreads, strict=True):
        t = int(path.violations.argmax())
        tell_accuracy(path.penalties[t], path.violations[t], spread, tol)


def _of_size(solving: Any, levels: Sequence[Floats], k: int) -> list[Any]:
    """The models of size k on the paths, or of the largest size below k where a path steps over k."""
    paths = solving.solve(range(len(levels)), levels, stop_size=k)
    best, between = [], {}
    for place, path in enumerate(paths):
        sizes = path.sizes
        best.append(path.level(int(np.argmax(np.where(sizes <= k, sizes, -1)))))
        if sizes[-1] > k and len(sizes) > 1:
            high, low = path.penalties[-2:].tolist()
            between[place] = high, low
    for _ in range(MAX_BISECTIONS):
        if not between:
            break
        middles = []
        for place, (high, low) in between.items():
            unit = solving.units[place]  # without it the product of two tiny penalties is zero
            middles.append(np.array([unit * np.sqrt((high / unit) * (low / unit))]))
        found = solving.solve(list(between), middles)
        for place, path in zip(list(between), found, strict=True):
            level = path.level(0)
            high, low = between[place]
            between[place] = (high, level.penalty) if level.size > k else (level.penalty, low)
            if best[place].size < level.size <= k:
                best[place] = level
            if level.size == k:
                del between[place]
    return best


# What may be kept of the levels; those behind are solved again for each model.
MAX_BYTES = 100_000_000

Way = tuple[float, ...]


@dataclass(frozen=True)
class _Level:
    """One model as the solver writes it down, and what it held there; no state where there was no room for it."""

    numbers: Floats
    found: Ints
    values: Floats
    state: dict[str, Any] | None


class SharedPaths(Solving):
    """A batch that holds all resamples; `levels` gives those of the path of each, which are kept."""

    def __init__(self, batches: Batches, levels: Callable[[Solving], Sequence[Floats]]) -> None:
        super().__init__(batches, range(batches.n_runs))
        self._stops = [set((own / unit).tolist()) for own, unit in zip(levels(self), self._solved_units, strict=True)]
        self._beginnings = [state.kept() for state in self._states]
        self._known: dict[tuple[int, Way], _Level] = {}
        self._bytes = 0
        # Which levels the solver has gone down in each resample (None: it was interrupted), and which it should have.
        self._held: list[Way | None] = [()] * len(self.runs)
        self._wanted: list[Way] = [()] * len(self.runs)

    @staticmethod
    def can_hold(batches: Batches) -> bool:
        """Whether one batch holds all resamples; paths of multinomial models are not shared."""
        return not batches.data.multinomial and batches.n_runs <= batches.at_once

    def start_again(self) -> None:
        """The next level is the first of a path."""
        self._wanted = [()] * len(self.runs)

    def _down(self, places: Sequence[int], penalties: Sequence[Floats], stop_size: int) -> list[Found]:
        """Level by level, because any of them may be kept already."""
        levels: dict[int, list[_Level]] = {place: [] for place in places}
        left = dict(zip(places, (own.tolist() for own in penalties), strict=True))
        while left:
            steps = [(place, (*self._wanted[place], own.pop(0))) for place, own in left.items()]
            for (place, way), level in zip(steps, self._solved(steps), strict=True):
                levels[place].append(level)
                self._wanted[place] = way
            left = {place: own for place, own in left.items() if own and len(levels[place][-1].found) < stop_size}
        return [_joined(levels[place]) for place in places]

    def _solved(self, steps: Sequence[tuple[int, Way]]) -> list[_Level]:
        """The last levels of some ways: known, or solved now, and kept where they are levels of the path."""
        new = [step for step in steps if step not in self._known]
        for place, way in new:
            self._bring_to(place, way[:-1])
            self._held[place] = None
        walked = self._walk([place for place, _ in new], [np.array(way[-1:]) for _, way in new], NO_STOP)
        solved = {}
        for (place, way), (numbers, _, found, values) in zip(new, walked, strict=True):
            self._held[place] = way
            keep = way[-1] in self._stops[place] and self._bytes < MAX_BYTES
            state = self._states[place].kept() if keep else None
            solved[place, way] = _Level(numbers[0], found, values, state)
            if state is not None:
                self._known[place, way] = solved[place, way]
                self._bytes += sum(part.nbytes for part in state.values())
        return [solved.get(step) or self._known[step] for step in steps]

    def _bring_to(self, place: int, way: Way) -> None:
        """Let the solver hold of a resample what it held after going down a way."""
        if self._held[place] != way:
            state = self._known[place, way].state if way else self._beginnings[place]
            assert state is not None
            self._held[place] = None
            self._states[place].take_up(state)
            self._held[place] = way


def _joined(levels: Sequence[_Level]) -> Found:
    return (
        np.array([level.numbers for level in levels]),
        np.cumsum([0, *(len(level.found) for level in levels)]),
        np.concatenate([level.found for level in levels]),
        np.concatenate([level.values for level in levels], axis=1),
    )
