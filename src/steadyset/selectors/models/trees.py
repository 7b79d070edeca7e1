"""The random forest that selectors, filters and tuning share: data as a forest reads them, growing, importances."""

import math
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from typing import Any, NamedTuple, Self

import numpy as np

from steadyset.foundation.arguments import is_whole, job_count, wrong_argument
from steadyset.foundation.errors import InputError
from steadyset.kernels.arrays import Bools, Floats, Ints
from steadyset.kernels.trees.growth import (
    DECREASE,
    DECREASE_SHARE,
    FOLLOWED,
    NO_IMPORTANCE,
    PERMUTATION,
    Problem,
    Rules,
    Table,
    Target,
    Trees,
    code_table,
    grow,
    predict,
)
from steadyset.selectors.model_input import Training, signed_ranks
from steadyset.selectors.validation import check_integer

IMPORTANCES = {"decrease": DECREASE, "decrease_share": DECREASE_SHARE, "permutation": PERMUTATION}
BLOCK = 32  # trees grown in one go; fixed, so that sums over trees do not depend on the number of threads


@dataclass(frozen=True)
class Growth:
    """How a forest is grown; sizes of nodes count rows as often as a tree has drawn them."""

    n_estimators: int
    max_features: str | int | float | None = "sqrt"
    max_depth: int | None = None
    least_cut: int = 2  # a node of fewer rows is not cut
    least_leaf: int = 1  # no cut leaves fewer rows than that on a side

    def rules(self, n_features: int, n_rows: int) -> Rules:
        """The same as numbers, for data of some size."""
        check_integer("n_estimators", self.n_estimators, least=1)
        if self.max_depth is not None:
            check_integer("max_depth", self.max_depth, least=1)
        candidates = n_candidates(self.max_features, n_features)
        depth = n_rows if self.max_depth is None else int(self.max_depth)
        # Looking through the bits of all codes costs n / 64 steps, inserting m codes one by one m² / 4.
        few = max(8, math.isqrt(n_rows // 32))
        return Rules(candidates, int(self.least_cut), int(self.least_leaf), depth, True, few)


@dataclass(frozen=True)
class ForestData:
    """Different rows with their features as ranks, and the row at each place of the draw.

    Rows are sorted by their content and identical rows become one with the sum of their weights; a weight is a number
    of places. So a row of weight 2 and two copies of it are the same thing, and the order of the rows does not matter.
    """

    table: Table
    target: Target
    places: Ints
    centre: float  # what was taken off a number to predict,
    scale: float  # and what it was divided by then: a power of two, so that squares neither vanish nor overflow

    @classmethod
    def of(cls, training: Training) -> Self:
        """Sort, merge and rank the rows."""
        merged = _merge_copies(training)
        table = merged.table
        places = _places(merged.weight)
        if len(training.classes):
            return cls(table, Target(merged.y, len(training.classes)), places, 0.0, 1.0)
        if merged.y.ndim == 2:
            return cls(table, Target(signed_ranks(merged.y), FOLLOWED), places, 0.0, 1.0)
        centre = float(np.average(merged.y, weights=merged.weight))
        scale = float(2.0 ** np.frexp(np.abs(merged.y - centre).max())[1])
        return cls(table, Target((merged.y - centre) / scale, 1), places, centre, scale)

    def only(self, features: Bools) -> Self:
        """The same rows with some of the features."""
        return replace(self, table=Table(self.table.codes[features], self.table.values[features]))


def grow_forest(data: ForestData, growth: Growth, seed: np.random.SeedSequence) -> Trees:
    """All trees; the value of a leaf is the mean of y there, the share of the second class, or that of each class."""
    parts = [trees for trees, _, _ in _blocks(data, growth, seed, NO_IMPORTANCE)]
    ends = np.cumsum([part.starts[-1] for part in parts])
    starts = [part.starts[1:] + end - part.starts[-1] for part, end in zip(parts, ends, strict=True)]
    nodes = [np.concatenate([part[field] for part in parts]) for field in range(1, len(Trees._fields))]
    trees = Trees(np.concatenate([[0], *starts]), *nodes)
    return trees._replace(value=trees.value * data.scale + data.centre)


def forest_importances(
    data: ForestData, growth: Growth, seed: np.random.SeedSequence, kind: str, n_jobs: int | None = None
) -> Floats:
    """The mean over the trees of an importance of IMPORTANCES; trees without an out-of-bag row have no permutation."""
    blocks = _blocks(data, growth, seed, IMPORTANCES[kind], n_jobs)
    n_counted = sum(counted for _, _, counted in blocks)
    mean = np.sum([total for _, total, _ in blocks], axis=0) / max(1, n_counted)
    with np.errstate(over="ignore", under="ignore"):
        unit = np.square(np.float64(data.scale))
    if kind == "decrease_share" or not 0 < unit < np.inf:  # where the unit of y has no square, that of y / scale has
        return np.asarray(mean, dtype=np.float64)
    return np.asarray(mean * unit, dtype=np.float64)


def mean_of_trees(trees: Trees, X: Floats, n_classes: int = 1) -> Floats:
    """The mean over the trees of the values that rows fall into: one column for a number, else one for each class."""
    mean = predict(trees, np.require(X, np.float64, ["C", "W"])) / (len(trees.starts) - 1)
    return np.column_stack([1.0 - mean, mean]) if n_classes == 2 else mean


def features_cut(trees: Trees, n_features: int) -> Bools:
    """Which features any of the trees cuts."""
    cut = np.zeros(n_features, dtype=np.bool_)
    cut[trees.feature[trees.feature >= 0]] = True
    return cut


def n_candidates(max_features: Any, n_features: int) -> int:
    """How many features a node draws: the square root or the logarithm of all, a number, a share, or all (None)."""
    if max_features is None:
        return n_features
    word = max_features if isinstance(max_features, str) else ""
    if word == "sqrt":
        return max(1, math.isqrt(n_features))
    if word == "log2":
        return max(1, int(math.log2(n_features)))
    if is_whole(max_features) and max_features >= 1:
        return min(int(max_features), n_features)
    if isinstance(max_features, float | np.floating) and 0 < max_features <= 1:
        return max(1, int(max_features * n_features))
    expected = "sqrt, log2, None for all, a whole number of at least 1, or a share above 0 and at most 1"
    raise wrong_argument("max_features", expected, max_features)


def seed_sequence(random_state: Any) -> np.random.SeedSequence:
    """The root of the seeds of a forest."""
    if isinstance(random_state, np.random.SeedSequence):
        # Children of a copy: fitting twice gives the same forest, and leaves the caller's sequence as it was.
        return np.random.SeedSequence(random_state.entropy, spawn_key=random_state.spawn_key)
    if isinstance(random_state, np.random.Generator):
        return np.random.SeedSequence(int(random_state.integers(2**63)))
    if isinstance(random_state, np.random.RandomState):
        return np.random.SeedSequence(int(random_state.randint(2**31)))
    if random_state is not None:
        check_integer("random_state", random_state, least=0)
    return np.random.SeedSequence(random_state)


def _blocks(
    data: ForestData, growth: Growth, seed: np.random.SeedSequence, importance: int, n_jobs: int | None = None
) -> list[tuple[Trees, Floats, int]]:
    """Trees in blocks, shared out over threads; a tree depends on the seed and its own number alone."""
    problem = Problem(data.table, data.target, data.places, growth.rules(*data.table.codes.shape))
    number = seed.generate_state(1, np.uint64)[0]
    firsts = range(0, int(growth.n_estimators), BLOCK)

    def block(first: int) -> tuple[Trees, Floats, int]:
        return grow(problem, number, first, min(BLOCK, int(growth.n_estimators) - first), importance)

    n_threads = min(job_count(n_jobs), len(firsts))
    if n_threads == 1:
        return [block(first) for first in firsts]
    with ThreadPoolExecutor(n_threads) as pool:
        return list(pool.map(block, firsts))


class _DifferentRows(NamedTuple):
    """Rows sorted by their content, identical rows merged into one with the sum of their weights."""

    table: Table
    y: Floats
    weight: Floats


def _merge_copies(training: Training) -> _DifferentRows:
    """Return the different rows, sorted by a fixed mix of the features, then y.

    Times to an event come first: trees want rows in their order, events before censorings.
    """
    table = code_table(training.X)
    # A tree draws rows by their place, so the order of the rows decides about the forest. It comes from ranks, which
    # a change of a column's unit leaves as they are, and from whole numbers, whose sums are exact in any order.
    factors = np.random.default_rng(0).integers(1, 2**63, len(table.codes), dtype=np.uint64)
    mixed = np.zeros(len(training.X), np.uint64)
    for codes, factor in zip(table.codes, factors, strict=True):
        mixed += codes * factor
    y = training.y
    order = np.lexsort((y, mixed) if y.ndim == 1 else (mixed, -y[:, 1], y[:, 0]))
    y = y[order]
    codes = table.codes[:, order]
    differs_in_y = y[1:] != y[:-1]
    if y.ndim == 2:
        differs_in_y = differs_in_y.any(axis=1)
    differs = differs_in_y | (codes[:, 1:] != codes[:, :-1]).any(axis=0)
    new = np.flatnonzero(np.append(True, differs))
    merged = table._replace(codes=np.ascontiguousarray(codes[:, new]))
    return _DifferentRows(merged, y[new], np.add.reduceat(training.weight[order], new))


def _places(weight: Floats) -> Ints:
    """The row at each place of the draw: as many places as the weights sum to, a row having as many as its weight."""
    cumulated = np.cumsum(weight)
    n_places = round(cumulated[-1])
    if n_places < 2:
        raise InputError(f"sample_weight sums to {cumulated[-1]:g}; a forest needs weights that count rows.")
    middles = (np.arange(n_places) + 0.5) * (cumulated[-1] / n_places)
    return np.asarray(np.searchsorted(cumulated, middles), dtype=np.int64)
