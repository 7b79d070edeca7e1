"""The search along the paths of a batch for one model of each resample: at a penalty, or with about k features."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from functools import lru_cache

import numpy as np
from sklearn.exceptions import ConvergenceWarning

from steadyset.foundation.errors import InputError
from steadyset.kernels.arrays import Floats
from steadyset.selectors.path import MOST_BISECTIONS, MOST_LAMBDAS, STRIDE, TOLD_VIOLATION
from steadyset.selectors.path_batches import Level, Path, Solving
from steadyset.selectors.path_data import Resamples
from steadyset.selectors.validation import check_integer, check_number, size_or_default


def levels_of(solving: Solving, count: int, min_ratio: float | None) -> list[Floats]:
    """Levels from the least penalty that leaves out every feature downwards, for each resample of a batch."""
    check_integer("n_lambdas", count, least=1, most=MOST_LAMBDAS)
    if min_ratio is not None:
        check_number("lambda_min_ratio", min_ratio, most=1.0)
    levels = []
    for run, largest in zip(solving.runs, solving.largest, strict=True):
        levels.append(largest * _shares(_usual_end(solving.data, run) if min_ratio is None else min_ratio, count))
    return levels


def _usual_end(data: Resamples, run: int) -> float:
    """The last level of the path of a resample, as a part of its first."""
    # A weight of 2 is two rows; weights that are shares of 1 tell nothing about the number of rows.
    n_rows = max(int(data.n_rows[run]), float(data.weights[run].sum()))
    return 1e-2 if data.X.shape[1] > n_rows else 1e-4


@lru_cache(maxsize=8)
def _shares(ratio: float, count: int) -> Floats:
    """The levels of a path whose first is 1."""
    return np.logspace(0.0, np.log10(ratio), count)


def one_level_each(
    solving: Solving, penalty: float | None, k: int | None, n_lambdas: int, min_ratio: float | None
) -> list[Level]:
    """The model at the penalty, or the one with about k features, of each resample of a batch."""
    if penalty is not None and k is not None:
        raise InputError("penalty and k are both given; give one of them.")
    levels = levels_of(solving, n_lambdas, path_end(min_ratio))
    places = range(len(solving.runs))
    if penalty is None:
        return _of_size(solving, levels, size_or_default(k, solving.data.X.shape[1]))
    check_number("penalty", penalty)
    ways = [np.append(lambdas[lambdas > penalty][STRIDE - 1 :: STRIDE], penalty) for lambdas in levels]
    return [path.level(-1) for path in solving.solve(places, ways)]


def path_end(min_ratio: float | None) -> float:
    """The last level of a search: it ends at the level or size, so it may go further down than a whole path."""
    return 1e-4 if min_ratio is None else min_ratio


def tell_accuracy(penalty: float, violation: float, spread: float, tol: float) -> None:
    """Warn where the optimality conditions do not hold."""
    if violation > max(TOLD_VIOLATION, tol * spread):
        warnings.warn(
            f"The solver stopped at penalty {penalty:.3g} with the optimality conditions off by "
            f"{violation / spread:.1g} standard deviations of y; look for features that are nearly "
            "combinations of others, or use an l1_ratio below 1.",
            ConvergenceWarning,
            stacklevel=4,
        )


def tell_worst(paths: Sequence[Path], spreads: Floats, tol: float) -> None:
    """Warn of the worst level of each path where its optimality conditions do not hold."""
    for path, spread in zip(paths, spreads, strict=True):
        t = int(path.violations.argmax())
        tell_accuracy(path.penalties[t], path.violations[t], spread, tol)


def _of_size(solving: Solving, levels: Sequence[Floats], k: int) -> list[Level]:
    """The models of size k on the paths, or of the largest size below k where a path steps over k."""
    paths = solving.solve(range(len(levels)), levels, stop_size=k)
    best, between = [], {}
    for place, path in enumerate(paths):
        sizes = path.sizes
        best.append(path.level(int(np.argmax(np.where(sizes <= k, sizes, -1)))))
        if sizes[-1] > k and len(sizes) > 1:
            high, low = path.penalties[-2:].tolist()
            between[place] = high, low
    for _ in range(MOST_BISECTIONS):
        if not between:
            break
        middles = [np.array([_middle(high, low, solving.units[place])]) for place, (high, low) in between.items()]
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


def _middle(high: float, low: float, unit: float) -> float:
    """The geometric mean; without the unit the product of two tiny penalties is zero."""
    return float(unit * np.sqrt((high / unit) * (low / unit)))
