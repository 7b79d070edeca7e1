"""What ranks the features on each half: the filter and the lasso.

A base answers with orders: for each half the best features, best first, so long that every size can be read off, also
after others were set aside. Features are standardised before, which changes neither ranking.

The filter ranks by the share of a feature's variance that the target explains: between classes, or along a line. In one
half that orders the features as F, t or the correlation do. All of it is sums over rows, so that the halves of a split
share their products: what is not in the first half is in the second.

The lasso ranks by the order in which features enter its path: of a number with the squared loss, of times to an event
with Cox's partial likelihood, of counts with Poisson's. Classes are modelled with the squared loss, which for two of
them is a discriminant analysis; of several each against the others, and a feature takes its best place. It sees effects
that show only jointly, which a filter cannot. A half in which the target does not vary ranks nothing.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from steadyset.kernels.arrays import Bools, Floats, Ints, Places
from steadyset.selectors.entering import entering_orders, lay_out_columns
from steadyset.shortlists.exchange import column_ranks, of_size_1, permuted_rows
from steadyset.tasks import TASKS

if TYPE_CHECKING:
    from steadyset.selectors.path_data import Family
    from steadyset.selectors.path_data import Features as LaidOut

SIZES = (10, 20, 50, 100)  # how many of the best features of a half count as chosen
LASSO_SIZES = (10, 20)
ROOM = 150  # beyond the largest size: so many features can be set aside
WIDTH = 4096  # features at a time
ROUNDING = 1e-13
CONSTANT = 1e-9  # of the variance over all rows: less in a half is rounding
TIE = 1e-11  # a difference in explained shares: above rounding, below anything that matters
LEVELS, LAST_LEVEL = 30, 0.2
TOLERANCE = 1e-6  # of the models of a path
FEW, ENOUGH = 100, 300  # fewer columns than the first get others beside them until they are as many as the second
SOMEBODY = -2  # in orders: a place that such a column takes


@dataclass(frozen=True)
class Features:
    """Standardised columns, and the cluster of each.

    Among few columns places say little: most of five are among the best three. So they are ranked among `others`,
    which are made of the columns, the same for all targets, and have nothing to do with any.
    """

    X: Floats
    clusters: Ints
    n_clusters: int
    others: Floats

    @classmethod
    def of(
        cls,
        X: Floats,
        clusters: Ints,
        *,
        ranks: bool = False,
        random: np.random.Generator | None = None,
        unrelated: Callable[[Floats, np.random.Generator], Floats] = permuted_rows,
    ) -> Features:
        """Return columns of mean 0 and variance 1, or their ranks; columns that do not vary become 0.

        ``unrelated`` makes of columns some that have nothing to do with any target.
        """
        values = standardized(column_ranks(X) if ranks else X)
        varying = np.flatnonzero(values.any(axis=0))
        others = np.empty((len(X), 0))
        if random is not None and X.shape[1] < FEW and len(varying):
            # Copies of the features themselves, so that the others have the same shapes of values and compete on equal
            # terms.
            copied = np.resize(varying, ENOUGH - X.shape[1])
            others = standardized(unrelated(values[:, copied], random))
        return cls(values, clusters, int(clusters.max()) + 1, others)

    @cached_property
    def columns(self) -> Floats:
        """All that are ranked, the features first."""
        return np.concatenate([self.X, self.others], axis=1) if self.others.size else self.X

    @cached_property
    def laid_out(self) -> LaidOut:
        """All that are ranked, as the solver of the lasso takes them."""
        return lay_out_columns(self.columns)

    def lay_out(self) -> None:
        """Lay the columns out for the lasso before several threads ask for it."""
        _ = self.laid_out

    def best(self, ranked: Places) -> Places:
        """Orders of features as orders of clusters: a cluster takes the place of its best member."""
        found = np.full_like(ranked, -1)
        for row, order in zip(found, ranked, strict=True):
            order = order[order != -1]
            labels = -np.arange(2, len(order) + 2)  # each of the others is one of its own
            labels[order >= 0] = self.clusters[order[order >= 0]]
            firsts = labels[np.sort(np.unique(labels, return_index=True)[1])]
            row[: len(firsts)] = np.maximum(firsts, SOMEBODY)
        return found


@dataclass(frozen=True)
class Orders:
    """M x L numbers of the best features and clusters of each half, best first; -1 where there are no more.

    SOMEBODY stands where another column has a place.
    """

    features: Places
    clusters: Places


def standardized(X: Floats) -> Floats:
    """Return columns of mean 0 and variance 1; columns that do not vary become 0."""
    largest = np.abs(X).max(axis=0, initial=0.0)
    X = X / np.where(largest > 0, largest, 1.0)  # squares of very large or small values are none
    centred = X - X.mean(axis=0)
    spread = np.sqrt(np.einsum("ij,ij->j", centred, centred) / len(X))
    varies = spread > ROUNDING  # of the largest value, which is 1
    return np.asarray(np.where(varies, centred / np.where(varies, spread, 1.0), 0.0))


def filter_orders(features: Features, y: NDArray[Any], task: str, halves: Bools) -> Orders:
    """By the share of variance that the target explains."""
    shares = filter_shares(features.columns, y, task, halves)
    _break_ties(shares, halves)
    length, d = max(SIZES) + ROOM, features.X.shape[1]
    of_features = _named(_best(shares, length), d)
    if features.n_clusters == d:
        return Orders(of_features, of_features)
    by_cluster = np.argsort(features.clusters, kind="stable")
    starts = np.searchsorted(features.clusters[by_cluster], np.arange(features.n_clusters))
    # From all shares and not from the order of features, which is cut off: clusters of many members would fill it.
    of_clusters = np.maximum.reduceat(shares[:, by_cluster], starts, axis=1)
    ranked = _best(np.concatenate([of_clusters, shares[:, d:]], axis=1), length)
    return Orders(of_features, _named(ranked, features.n_clusters))


def filter_shares(X: Floats, y: NDArray[Any], task: str, halves: Bools) -> Floats:
    """The share of variance that the target explains in each half and its complement, (2M, d); -1 for constants."""
    shares = np.empty((2 * len(halves), X.shape[1]))
    for start in range(0, X.shape[1], WIDTH):
        shares[:, start : start + WIDTH] = _explained(X[:, start : start + WIDTH], y, task, halves)
    return shares


def lasso_orders(features: Features, y: NDArray[Any], task: str, halves: Bools) -> Orders:
    """By the order of entering the path."""
    length = min(max(LASSO_SIZES), features.columns.shape[1])
    models = [_orders_of(features, family, target, task, halves, length) for family, target in _models(y, task)]
    ranked = _named(models[0] if len(models) == 1 else _merged(models), features.X.shape[1])
    return Orders(ranked, ranked if features.n_clusters == features.X.shape[1] else features.best(ranked))


def _orders_of(features: Features, family: Family, target: NDArray[Any], task: str, halves: Bools, length: int) -> Ints:
    """Return the first features of the paths of one model, (2M, length), -1 where there are no more."""
    ranked = np.full((2 * len(halves), length), -1)
    parts = _both_halves(halves)
    used = _varying_parts(family, target, task, parts)
    if family == "linear" and len(used):
        ranked[used] = entering_orders(
            features.laid_out,
            target,
            parts[used],
            length=length,
            n_levels=LEVELS,
            last_level=LAST_LEVEL,
            tol=TOLERANCE,
        )
    elif len(used):
        paths = _paths(features.columns, family, target, parts[used])
        for half, coefs in zip(used, paths.coefs, strict=True):
            entered = _entered(coefs)[:length]
            ranked[half, : len(entered)] = entered
    return ranked


def lasso_levels(X: Floats, y: NDArray[Any], task: str, halves: Bools) -> Floats:
    """The largest penalty at which each feature is in the model of each half and its complement, (2M, d); 0: none."""
    levels = np.zeros((2 * len(halves), X.shape[1]))
    for told, paths in _lasso_paths(X, y, task, halves):
        for half, lambdas, coefs in zip(told, paths.lambdas, paths.coefs, strict=True):
            np.maximum.at(levels[half], coefs.indices, np.repeat(lambdas, np.diff(coefs.indptr)))
    return levels


def _lasso_paths(X: Floats, y: NDArray[Any], task: str, halves: Bools) -> Iterator[tuple[Ints, Any]]:
    """Of each model: the halves in which its target varies, and their paths."""
    parts = _both_halves(halves)
    for family, target in _models(y, task):
        used = _varying_parts(family, target, task, parts)
        if len(used):
            yield used, _paths(X, family, target, parts[used])


def _both_halves(halves: Bools) -> Bools:
    """Return each half and its complement, (2M, n)."""
    parts = np.empty((2 * len(halves), halves.shape[1]), np.bool_)
    parts[0::2] = halves
    parts[1::2] = ~halves
    return parts


def _varying_parts(family: Family, target: NDArray[Any], task: str, parts: Bools) -> Ints:
    """Return the numbers of the parts of the rows in which a model has anything to distinguish."""
    if family == "linear":
        lowest = np.where(parts, target, np.inf).min(axis=1)
        highest = np.where(parts, target, -np.inf).max(axis=1)
        return np.flatnonzero(lowest < highest)
    return np.flatnonzero([_varies(target[rows], task) for rows in parts])


def _paths(X: Floats, family: Family, target: NDArray[Any], parts: Bools) -> Any:
    from steadyset.selectors.penalty_paths import elastic_net_paths

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # a last level that was not reached changes no order
        return elastic_net_paths(
            X,
            target,
            parts.astype(np.float64),
            family=family,
            n_lambdas=LEVELS,
            lambda_min_ratio=LAST_LEVEL,
            max_features=min(max(LASSO_SIZES), X.shape[1]),
            tol=TOLERANCE,
        )


BASES = {"filter": (filter_orders, SIZES), "lasso": (lasso_orders, LASSO_SIZES)}


def _models(y: NDArray[Any], task: str) -> list[tuple[Family, Any]]:
    """Losses and targets of the lasso: the target itself, or of each class whether it is that; of two, one will do."""
    from steadyset.selectors.model import PATH_OUTCOMES

    record = TASKS[task]
    if record.has_classes:
        labels = np.unique(y)
        return [("linear", (y == label).astype(np.float64)) for label in (labels[1:] if len(labels) == 2 else labels)]
    known = record.among(PATH_OUTCOMES)
    return [(PATH_OUTCOMES[known].family, y)] if known else [("linear", record.amounts(y))]


def _varies(target: NDArray[Any], task: str) -> bool:
    """Whether a model of these rows has anything to tell apart."""
    return TASKS[task].learnable(target) and len(np.unique(target, axis=0)) > 1


def _explained(X: Floats, y: NDArray[Any], task: str, halves: Bools) -> Floats:
    """The share of variance that the target explains in each half and its complement, (2M, d); -1 for constants."""
    H = halves.astype(np.float64)
    # One product of matrices serves all halves, and the complement of a half is what it leaves of the whole. Columns
    # have mean 0 and variance 1 on all rows, so that the difference below loses no digits that count.
    sums, squares = H @ X, H @ (X * X)
    rest_sums, rest_squares = X.sum(axis=0) - sums, (X * X).sum(axis=0) - squares
    n_first = H.sum(axis=1)[:, None]
    shares = np.empty((2 * len(H), X.shape[1]))
    explained = _between_classes if TASKS[task].has_classes else _along_a_line
    target = y if TASKS[task].has_classes else TASKS[task].amounts(y)
    between = explained(X, target, H, (sums, rest_sums), (n_first, len(X) - n_first))
    parts = ((sums, squares, n_first), (rest_sums, rest_squares, len(X) - n_first))
    for i, (total, square, n) in enumerate(parts):
        spread = square - total * total / n
        varies = spread > CONSTANT * n
        shares[i::2] = np.where(varies, between[i] / np.where(varies, spread, 1.0), -1.0)
    return shares


def _between_classes(
    X: Floats, y: NDArray[Any], H: Floats, sums: tuple[Floats, Floats], n: tuple[Floats, Floats]
) -> tuple[Floats, Floats]:
    """sum_c n_c m_c^2 - n m^2 in both halves."""
    first, rest = -(sums[0] ** 2) / n[0], -(sums[1] ** 2) / n[1]
    left, left_rest = sums[0].copy(), sums[1].copy()  # of the classes to come
    labels = np.unique(y)
    for label in labels:
        member = (y == label).astype(np.float64)
        inside = H * member
        size = inside.sum(axis=1)[:, None]
        # The last class is what the others leave: one product of matrices less.
        if label == labels[-1]:
            total, total_rest = left, left_rest
        else:
            total = inside @ X
            total_rest = member @ X - total
            left -= total
            left_rest -= total_rest
        first += total**2 / np.maximum(size, 1.0)
        rest += total_rest**2 / np.maximum(member.sum() - size, 1.0)
    return first, rest


def _along_a_line(
    X: Floats, y: Floats, H: Floats, sums: tuple[Floats, Floats], n: tuple[Floats, Floats]
) -> tuple[Floats, Floats]:
    """(sum (x - m)(y - my))^2 / sum (y - my)^2 in both halves."""
    t = of_size_1(y)
    t = t - t.mean()
    products, totals, squares = (H * t) @ X, (H @ t)[:, None], (H @ (t * t))[:, None]
    found = []
    for product, total, square, xs, size in (
        (products, totals, squares, sums[0], n[0]),
        (t @ X - products, t.sum() - totals, t @ t - squares, sums[1], n[1]),
    ):
        spread = square - total**2 / size
        found.append(np.where(spread > 0, (product - xs * total / size) ** 2 / np.where(spread > 0, spread, 1.0), 0.0))
    return found[0], found[1]


def _break_ties(shares: Floats, halves: Bools) -> None:
    """Order equal columns at random, in each half anew: always by number would favour the first of many binary ones."""
    # Seeded by the halves, so that a target has the same order however many others are computed, and where.
    random = np.random.default_rng(np.packbits(halves))
    d = shares.shape[1]
    lots = TIE * random.random(2 * d)
    # A window into twice as many lots: nearly as good as new lots for each half, and they need not be drawn.
    for row, start in zip(shares, random.integers(0, d + 1, len(shares)), strict=True):
        row += lots[start : start + d]


def _best(shares: Floats, length: int) -> Ints:
    """The columns of the largest values of each row, largest first; -1 for those that nothing is explained of."""
    length = min(length, shares.shape[1])
    if length < shares.shape[1]:
        best = np.argpartition(-shares, length - 1, axis=1)[:, :length]
    else:
        best = np.tile(np.arange(length), (len(shares), 1))
    values = np.take_along_axis(shares, best, axis=1)
    order = np.lexsort((best, -values), axis=1)
    best, values = np.take_along_axis(best, order, axis=1), np.take_along_axis(values, order, axis=1)
    return np.where(values > TIE, best, -1)


def _named(order: Ints, n_units: int) -> Places:
    """An order in which all columns beyond the units are the same somebody."""
    return np.where(order >= n_units, SOMEBODY, order).astype(np.int32)


def _entered(coefs: Any) -> Ints:
    """Features in the order in which they enter a path, of one level the largest coefficient first."""
    rows = np.repeat(np.arange(coefs.shape[0]), np.diff(coefs.indptr))
    features = coefs.indices[np.lexsort((-np.abs(coefs.data), rows))]
    return np.asarray(features[np.sort(np.unique(features, return_index=True)[1])], np.int64)


def _merged(models: list[Ints]) -> Ints:
    """Return several orders of each half as one: a feature has its best place, of equals that of the first order."""
    length = models[0].shape[1]
    merged = np.full_like(models[0], -1)
    # All first places come before all second ones.
    by_place = np.stack(models, axis=2).reshape(len(merged), -1)
    for row, order in zip(merged, by_place, strict=True):
        order = order[order != -1]
        firsts = order[np.sort(np.unique(order, return_index=True)[1])][:length]
        row[: len(firsts)] = firsts
    return merged
