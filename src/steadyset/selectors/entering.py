"""The order in which features enter the lasso paths of halves of the rows.

A shortlist asks for thousands of short paths of the same columns, and only for the order of their features. So the
columns are laid out once, the beginnings of all paths of a batch are computed together, and no coefficients are kept.
The models are those of `elastic_net_paths` with the squared loss.
"""

from __future__ import annotations

import numpy as np

from steadyset.kernels.arrays import Bools, Floats, Ints, Singles
from steadyset.kernels.paths import solver, uncompiled
from steadyset.kernels.paths.families import LINEAR
from steadyset.kernels.paths.features import (
    CANCELLED,
    FACTOR,
    FAR,
    NUMBERS_AT_ONCE,
    PLAIN,
    SINGLE,
    padded,
    scale_error,
)
from steadyset.selectors.path_data import Features, laid_out
from steadyset.selectors.paths import Memory, State, Workspace, walk_with

MAX_AT_ONCE = 50  # paths
LEAST_PLACES = 100  # features that a model has room for, before it is made larger
HUGE = 1e150  # of values: their squares may not be finite
NOTHING = 1e-9  # of the spread of the target: smaller penalties at the beginning of a path are rounding errors


def lay_out_columns(X: Floats) -> Features:
    """Return columns as the solver takes them; exact copies of earlier columns never enter a path."""
    return laid_out(X, np.ones(X.shape[1]), as_given=False, no_copies=True)


def entering_orders(
    columns: Features, target: Floats, halves: Bools, *, length: int, n_levels: int, last_level: float, tol: float
) -> Ints:
    """Return the first features of the lasso path of each half, M x length, -1 where there are no more.

    Of the features that enter at one of the ``n_levels`` penalties the one with the largest coefficient comes first.
    The target varies in each of the ``halves`` (M x n). A path ends at ``length`` features, or at the part
    ``last_level`` of its first penalty.
    """
    # The order does not depend on the unit of the target. Its sum and its squares should be finite.
    peak = float(np.abs(target).max())
    if peak > HUGE:
        target = target / peak
    largest = max(float(np.abs(target - target.mean()).max()), np.finfo(np.float64).tiny)
    centered = (target - target.mean()) / largest
    shares = np.geomspace(1.0, last_level, n_levels)
    workspace = Workspace(len(columns.Xt))
    orders = np.full((len(halves), length), -1)
    for start in range(0, len(halves), MAX_AT_ONCE):
        some = slice(start, start + MAX_AT_ONCE)
        paths = _Paths(columns, centered, halves[some], workspace, tol)
        orders[some] = paths.orders(shares, length)
    return orders


class _Paths:
    """Paths that begin together and are walked down one after the other."""

    def __init__(self, columns: Features, y: Floats, halves: Bools, workspace: Workspace, tol: float) -> None:
        self.columns = columns
        self.workspace = workspace
        self.rows = [np.flatnonzero(half) for half in halves]
        d, width = columns.Z.shape
        self.weights = halves / halves.sum(axis=1)[:, None]
        targets = np.where(halves, y - (self.weights @ y)[:, None], 0.0)
        self.residuals = self.weights * targets
        self.residuals -= self.weights * self.residuals.sum(axis=1)[:, None]
        self.targets = targets
        squares = np.einsum("ij,ij,ij->i", self.weights, targets, targets)
        self.spreads = np.sqrt(squares)
        self.tol = tol * self.spreads

        self.single = np.zeros((len(halves), 2, width), np.float32)
        self.single[:, solver.RESIDUALS, : len(y)] = self.residuals
        self.single[:, solver.WEIGHTS, : len(y)] = self.weights
        self.bounds = np.empty((len(halves), 2, d), np.float32)
        sizes = np.empty((len(halves), d), np.float32)
        uncompiled.moments(columns.Z, self.single, self.bounds, sizes)
        self._bound(sizes, squares)
        self.largest = np.maximum(self._largest_penalties(), NOTHING * self.spreads)

    def _bound(self, sizes: Singles, squares: Floats) -> None:
        """Compute scales and bounds of all features as `uncompiled.first_bounds` does, of all paths together."""
        columns, bounds = self.columns, self.bounds
        width = padded(columns.Xt.shape[1])
        error = np.float32(1.0 + scale_error(width))
        mean, square = bounds[:, 0], bounds[:, 1]
        self.rms = np.sqrt(square.max(axis=1)) * (1.0 + 2.0 * width * SINGLE)
        self.rounding = (width + 4.0) * SINGLE * np.sqrt(squares) * self.rms + 1e-30
        variance = square - mean * mean
        usual = variance > np.float32(CANCELLED) * square
        variance[~usual] = 1.0
        scales = columns.reach * error / np.sqrt(variance)
        for path in np.flatnonzero(~usual.all(axis=1)).tolist():
            some = np.flatnonzero(~usual[path])
            scales[path, some] = self._unusual_scales(path, some, error)
        bounds[:, solver.SCALE_OF] = scales
        bounds[:, solver.BOUND] = (sizes + self.rounding.astype(np.float32)[:, None]) * scales

    def _unusual_scales(self, path: int, some: Ints, error: np.float32) -> Floats:
        """Return scales that single precision has too few digits of, as `uncompiled.first_bounds` does."""
        D, rows = self.columns.D, self.rows[path]
        factor, plain = D[FACTOR, some], D[PLAIN, some]
        weights = self.weights[path, rows]
        found = [uncompiled.standardised(self.columns.Xt, part, rows, weights)[1] for part in _parts(some, len(rows))]
        spread = np.concatenate(found)
        with np.errstate(all="ignore"):
            scales = np.where(plain > FAR * spread, np.inf, plain / (spread * factor) * error)
        never = (factor == 0.0) | (factor == np.inf) | (plain == 0.0) | ((spread == 0.0) & (plain < np.inf))
        return np.where(never, 0.0, scales)

    def _largest_penalties(self) -> Floats:
        """Return the least penalty of each path that leaves out every feature; 0 where no feature varies."""
        bounds = np.where(self.bounds[:, solver.SCALE_OF] > 0.0, self.bounds[:, solver.BOUND], -1.0)
        finite = np.where(bounds < np.inf, bounds, -1.0)
        likely = finite.argmax(axis=1)
        every = np.arange(len(likely))
        x = self.columns.Xt[likely]
        x = x - np.einsum("ij,ij->i", self.weights, x)[:, None]
        x -= np.einsum("ij,ij->i", self.weights, x)[:, None]
        spread = np.sqrt(np.einsum("ij,ij,ij->i", self.weights, x, x))
        is_likely = finite[every, likely] > 0.0
        largest = np.abs(np.einsum("ij,ij->i", x, self.residuals))
        largest = np.where(is_likely, largest / np.where(spread > 0.0, spread, 1.0), 0.0)
        # The bounds rule out most of the other features.
        possible = bounds >= solver.low(0.0) if not is_likely.all() else bounds >= self._lower(largest)[:, None]
        possible[every, likely] &= ~is_likely
        for path in np.flatnonzero(possible.any(axis=1)):
            rows = self.rows[path]
            for some in _parts(np.flatnonzero(possible[path]), len(rows)):
                z, _ = uncompiled.standardised(self.columns.Xt, some, rows, self.weights[path, rows])
                largest[path] = max(largest[path], np.abs(z @ self.residuals[path, rows]).max())
        return largest

    @staticmethod
    def _lower(penalties: Floats) -> Singles:
        return np.array([solver.low(penalty) for penalty in penalties], np.float32)

    def orders(self, shares: Floats, length: int) -> Ints:
        """Walk down the penalties, parts of the largest, and return the features in their order of entering."""
        memory = Memory(len(shares))
        states: dict[int, State] = {}
        orders = np.full((len(self.rows), length), -1)
        for path, rows in enumerate(self.rows):
            if len(rows) not in states:
                states[len(rows)] = self._state(len(rows))
            state = states[len(rows)]
            self._begin(state, path)
            n_solved = walk_with(state, self.columns, self.workspace, self.largest[path] * shares, length, memory)
            entered = _order(memory, n_solved)[:length]
            orders[path, : len(entered)] = entered
        return orders

    def _state(self, n_rows: int) -> State:
        most = min(len(self.columns.Xt), n_rows) + 2
        return State(n_rows, self.bounds[0], self.single[0], min(most, LEAST_PLACES))

    def _begin(self, state: State, path: int) -> None:
        """Start from the model with the intercept alone."""
        rows = state.rows
        rows[:] = self.rows[path]
        state.G = self.bounds[path]
        state.single = self.single[path]
        state.V[solver.W] = self.weights[path, rows]
        state.V[solver.Y] = self.targets[path, rows]
        state.S[:] = 0.0
        state.S[solver.TOL] = self.tol[path]
        state.S[solver.RMS] = self.rms[path]
        state.S[solver.ROUNDING] = self.rounding[path]
        state.S[solver.SPREAD] = self.spreads[path]
        state.S[solver.Y_UNIT] = 1.0
        state.N[:] = 0
        state.N[solver.FAMILY] = LINEAR
        state.N[solver.MOST] = min(len(self.columns.Xt), len(rows)) + 2
        state.M[solver.SLOT] = np.arange(state.M.shape[1])
        uncompiled.begin(rows, state.V, state.N, state.P, state.A, state.L, state.single)
        state.S[solver.LAST] = self.largest[path]
        state.S[solver.TIGHT] = np.inf


def _order(memory: Memory, n_levels: int) -> Ints:
    """Return the features of a path by the level of their entry, of one level the largest coefficient first."""
    ends = memory.ends
    n_found = ends[n_levels]
    features = memory.found[:n_found]
    # A feature may leave and come again: its first level is the one that counts.
    _, first = np.unique(features, return_index=True)
    levels = np.searchsorted(ends[: n_levels + 1], first, side="right")
    return np.asarray(features[first[np.lexsort((-np.abs(memory.values[1, first]), levels))]])


def _parts(some: Ints, n_rows: int) -> list[Ints]:
    """Return features in parts whose values stay in a near cache."""
    step = max(1, NUMBERS_AT_ONCE // n_rows)
    return [some[start : start + step] for start in range(0, len(some), step)]
