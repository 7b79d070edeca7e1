"""Paths of multinomial models, plain or grouped: what `paths.Solving` does for models of one coefficient per feature.

Each level is solved by `kernels/paths/multinomial.py` for the features that may be in the model, each resample by
itself: those of the last level, and what breaks the conditions among the strong ones, whose descent reaches twice the
penalty less the last one (Tibshirani et al. 2012). All others are checked by bounds of |g_j| / l1_j in single
precision, where |g_j| is the largest of the classes, or their norm where the penalty is grouped; what that leaves open
is computed in double precision, and where a feature breaks the conditions its resample is solved again.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from steadyset.foundation.errors import InputError
from steadyset.kernels.arrays import Floats, Ints, Singles
from steadyset.kernels.paths import multinomial
from steadyset.kernels.paths.features import FACTOR, PLAIN, WHOLE
from steadyset.kernels.paths.uncompiled import standardised
from steadyset.selectors.path_data import Path

SINGLE = 2.0**-24
MAX_CHECKS, LEAST_BAR = 20, 1e-30
ROUNDED = 1.0 + 1e-6  # bounds in single precision are larger by this
LEAST_ENTERING, SHARE_ENTERING = 10, 0.2  # of the features that break the conditions so many enter at once
NEAR_CONSTANT = 1e-3  # of the mean square: a smaller variance is computed again in two passes
AT_ONCE = 4096  # features whose moments are computed together


class _State:
    """One resample: its rows, weights and classes, the model as it is, and the last descents of all features."""

    def __init__(self, batches: Any, run: int, scale: Floats, largest: float) -> None:
        data, features = batches.data, batches.features
        self.rows = data.rows(run)
        self.w = data.weights[run][self.rows] / data.weights[run].sum()
        self.codes = data.codes[self.rows].astype(np.int64)
        self.shares = np.bincount(self.codes, self.w, len(data.classes))
        self.spread = float(np.sqrt((self.shares * (1.0 - self.shares)).mean()))
        # The largest root mean square of a row of Z bounds the rounding of products.
        self.scale, self.largest = scale, largest
        able = (self.scale > 0.0) & (features.D[FACTOR] < np.inf)
        size = np.where(able, self.scale * features.D[WHOLE] if features.as_given else 1.0, 1.0)
        self.l1 = np.where(able, features.D[FACTOR] / size, np.inf)  # those that cannot enter never do
        self.l2 = np.where(able, features.D[FACTOR] / size**2, 0.0)
        # The intercept comes first; the columns are the classes.
        self.members, self.inside = np.empty(0, np.int64), np.zeros(len(scale), np.bool_)
        self.coefs = np.log(self.shares)[None] - np.log(self.shares).mean()
        self.last, self.violation = np.inf, 0.0
        self.R = self.w * ((self.codes == np.arange(len(self.shares))[:, None]) - self.shares[:, None])
        # What |z_j r| in the units of Z is multiplied by.
        penalised = able & (self.l1 > 0.0)
        own = np.where(penalised, self.l1, np.inf)
        held = np.where(features.D[PLAIN] < np.inf, features.D[PLAIN] / np.where(penalised, scale, 1.0), np.inf)
        self.factors = np.where(penalised, held / own * ROUNDED, 0.0).astype(np.float32)
        self.bounds = np.empty(len(own), np.float32)
        self._place, self._n_placed = np.zeros(len(scale), np.int64), 0  # the intercept is at place 0
        self._Z, self._scale, self._mean = np.ones((64, len(self.rows))), np.ones(64), np.zeros(64)
        self._Xt = features.Xt

    def places(self, features: Ints) -> Ints:
        """Where the standardised rows of some features are; they are computed once."""
        found = self._place[features]
        if not found.all():
            new = features[found == 0]
            first = 1 + self._n_placed
            if first + len(new) > len(self._Z):
                more = len(self._Z) + len(new)
                self._Z = np.concatenate([self._Z, np.empty((more, len(self.rows)))])
                self._scale, self._mean = (np.concatenate([v, np.empty(more)]) for v in (self._scale, self._mean))
            here = slice(first, first + len(new))
            self._Z[here], self._scale[here] = standardised(self._Xt, new, self.rows, self.w)
            self._mean[here] = self._Xt[new][:, self.rows] @ self.w
            self._place[new] = np.arange(first, first + len(new))
            self._n_placed += len(new)
            found = self._place[features]
        return found

    def sizes(self, features: Ints, grouped: bool) -> Floats:
        """|g_j| / l1_j of some features."""
        places = self.places(features)
        return np.asarray(_size(self._Z[places] @ self.R.T, grouped) / self.l1[features])

    def look(self, Z: Singles, grouped: bool) -> None:
        """Bounds of |g_j| / l1_j of all features at the residual as it is."""
        residual = np.zeros((Z.shape[1], len(self.R)), np.float32)
        residual[self.rows] = self.R.T
        rounding = 4.0 * (Z.shape[1] + 4) * SINGLE * self.largest * float(np.sqrt((self.R**2 / self.w).sum()))
        sizes = _size(Z @ residual, grouped) + np.float32(rounding)
        self.bounds = np.where(self.factors > 0.0, sizes * self.factors, np.float32(0.0))

    def reaching(self, bar: float) -> Ints:
        """The features whose descent may reach the bar."""
        return np.flatnonzero(self.bounds >= np.float32(bar / ROUNDED))

    def solve(self, members: Ints, penalty: float, ridge: float, grouped: bool, tol: float) -> None:
        """The model with these features and no others."""
        K = len(self.shares)
        coefs = np.zeros((1 + len(members), K))
        coefs[0] = self.coefs[0]
        kept = self.inside[members]
        coefs[1:][kept] = self.coefs[1:][np.searchsorted(self.members, members[kept])]
        free = self.l1[members] == 0.0
        l1 = np.append(0.0, np.where(free, 0.0, penalty * self.l1[members]))
        l2 = np.append(0.0, np.where(free, 0.0, penalty * ridge * self.l2[members]))
        places = np.append(0, self.places(members))
        b = coefs.ravel()
        self.violation = multinomial.solve(self._Z[places], self.w, self.codes, l1, l2, grouped, tol, b, self.R)
        # A constant over the classes is free without a penalty; the one of mean 0 is told, as the penalised ones have
        # it.
        coefs -= np.where(l1 == 0.0, coefs.mean(axis=1), 0.0)[:, None]
        inside = free | coefs[1:].any(axis=1)
        self.inside[self.members] = False
        self.inside[members[inside]] = True
        self.members, self.coefs = members[inside], coefs[np.append(True, inside)]

    def level(self, whole: Floats) -> tuple[Ints, Floats, Floats, Floats]:
        """Features, coefficients of the standardised ones and of those as they are, and intercepts of the model."""
        shown = self.coefs[1:].any(axis=1)
        places = self.places(self.members)
        own = self.coefs[1:] / self._scale[places][:, None]
        intercepts = self.coefs[0] - self._mean[places] @ own
        in_units = own / whole[self.members][:, None]
        return self.members[shown], self.coefs[1:][shown], in_units[shown], intercepts


def _size(g: Any, grouped: bool) -> Any:
    """How large the descents of features are, over the classes in the last column."""
    if grouped:
        return np.sqrt(np.einsum("jc,jc->j", g, g))
    found = abs(g[:, 0])
    for c in range(1, g.shape[1]):  # several times faster than a maximum over short rows
        np.maximum(found, abs(g[:, c]), out=found)
    return found


def _scales(Xt: Floats, weights: Floats) -> Floats:
    """Standard deviations of all features in each resample, one row each; those of constant ones are 0."""
    w = weights / weights.sum(axis=1, keepdims=True)
    found = np.empty((len(w), len(Xt)))
    for first in range(0, len(Xt), AT_ONCE):
        here = slice(first, first + AT_ONCE)
        centred = Xt[here] - Xt[here].mean(axis=1, keepdims=True)
        means, squares = w @ centred.T, w @ (centred * centred).T
        variances = squares - means * means
        for run, j in zip(*np.nonzero(variances <= NEAR_CONSTANT * squares), strict=True):
            rows = np.flatnonzero(w[run])
            variances[run, j] = standardised(Xt, np.array([first + j]), rows, w[run, rows])[1][0] ** 2
        found[:, here] = np.sqrt(variances)
    return found


class MultinomialSolving:
    """Some resamples that are held together, as `paths.Solving` is."""

    what = "features"

    def __init__(self, batches: Any, runs: range) -> None:
        self.batches, self.data, self.runs = batches, batches.data, runs
        self.most = batches.data.X.shape[1]
        features, weights = batches.features, batches.data.weights[runs.start : runs.stop]
        squares = (weights / weights.sum(axis=1, keepdims=True)) @ (features.Z[:, : weights.shape[1]] ** 2).max(axis=0)
        self._states = [
            _State(batches, *own) for own in zip(runs, _scales(features.Xt, weights), np.sqrt(squares), strict=True)
        ]
        self.spreads = np.array([state.spread for state in self._states])
        self.units = self.y_units = np.ones(len(runs))
        self._free = np.flatnonzero(features.D[FACTOR] == 0.0)
        for state in self._states if len(self._free) else ():
            able = self._free[state.scale[self._free] > 0.0]
            state.solve(able, 0.0, 0.0, batches.grouped, 0.5 * batches.tol * state.spread)
        for state in self._states:
            state.look(features.Z, batches.grouped)
        largest = np.array([self._largest(state) for state in self._states])
        if largest.min() < 0.0 and not len(self._free):
            raise InputError("X is constant in every column on the rows of positive weight; at least one must vary.")
        self.largest: Floats = np.maximum(largest, 1e-9 * self.spreads) / batches.l1_ratio

    def _largest(self, state: _State) -> float:
        """The least penalty that leaves out every feature that has one; -1 where no feature varies."""
        grouped = self.batches.grouped
        able = np.flatnonzero(state.factors)
        if not len(able):
            return -1.0
        held = able[np.isfinite(state.bounds[able])]
        likely = held[state.bounds[held].argmax()] if len(held) else able[0]
        found = state.sizes(np.array([likely]), grouped)[0]
        possible = able[state.bounds[able] >= np.float32(found / ROUNDED)]
        state.last = float(max(found, state.sizes(possible, grouped).max(initial=0.0)))
        return state.last

    def solve(self, places: Sequence[int], lambdas: Sequence[Floats], stop_size: int | None = None) -> list[Path]:
        """The models of some of the resamples down their lambdas, to the first with stop_size features or more."""
        found: dict[int, list[Any]] = {place: [] for place in places}
        left = {place: list(levels) for place, levels in zip(places, lambdas, strict=True)}
        while left:
            for place, levels in left.items():
                self._level(self._states[place], levels[0] * self.batches.l1_ratio)
            for place, levels in list(left.items()):
                state = self._states[place]
                found[place].append((*state.level(self.batches.features.D[WHOLE]), state.violation))
                levels.pop(0)
                if not levels or (stop_size is not None and len(found[place][-1][0]) >= stop_size):
                    del left[place]
        return [_path(levels, found[place]) for place, levels in zip(places, lambdas, strict=True)]

    def _level(self, state: _State, penalty: float) -> None:
        """Solve one level."""
        Z, grouped, tol = self.batches.features.Z, self.batches.grouped, self.batches.tol * state.spread
        bar = max(penalty - max(state.last - penalty, 0.0), LEAST_BAR)
        strong = state.reaching(bar)
        strong = strong[state.sizes(strong, grouped) >= bar]  # so that no decision depends on how a bound came about
        for _ in range(MAX_CHECKS):
            self._solve_strong(state, strong, penalty)
            state.look(Z, grouped)
            state.last = penalty
            reaching = state.reaching(penalty)
            outside = reaching[~state.inside[reaching]]
            exact = state.sizes(outside, grouped)
            strong = outside[exact >= penalty]
            worst = float(((exact - penalty) * state.l1[outside]).max(initial=0.0))
            state.violation = max(state.violation, worst)
            if worst <= tol:
                return

    def _solve_strong(self, state: _State, strong: Ints, penalty: float) -> None:
        """Solve for the strong features: those in the model, and the worst of those that break the conditions."""
        grouped, tol = self.batches.grouped, 0.5 * self.batches.tol * state.spread
        ridge = (1.0 - self.batches.l1_ratio) / self.batches.l1_ratio
        members = state.members
        while True:
            state.solve(members, penalty, ridge, grouped, tol)
            outside = strong[~state.inside[strong]]
            excess = (state.sizes(outside, grouped) - penalty) * state.l1[outside]
            breaking = np.flatnonzero(excess > tol)
            new = (outside[breaking][:, None] != members).all(axis=1)
            if not new.any():  # what was solved for and left is within the tolerance of the solver
                return
            worst = outside[breaking[np.argsort(-excess[breaking], kind="stable")]]
            members = np.union1d(state.members, worst[: max(LEAST_ENTERING, int(SHARE_ENTERING * len(members)))])


def _path(lambdas: Floats, levels: list[Any]) -> Path:
    features, standard, coefs, intercepts, violations = zip(*levels, strict=True)
    return Path(
        lambdas[: len(levels)],
        np.cumsum([0, *map(len, features)]),
        np.concatenate(features),
        np.concatenate(standard),
        np.concatenate(coefs),
        np.array(intercepts),
        np.array(violations),
    )
