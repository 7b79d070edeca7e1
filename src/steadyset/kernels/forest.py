"""Random forests: trees on bootstraps, each with its own stream of random numbers, in flat arrays for all nodes.

A node draws features without replacement until it has seen ``n_candidates`` of them, those that are constant in the
node included, and one at least that is not (as in scikit-learn). It is cut at the middle of two neighbouring values; a
cut may gain nothing. Sizes of nodes count rows as often as they were drawn. Breiman (2001), Random forests.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from steadyset.kernels.arrays import Codes, Floats, Ints
from steadyset.kernels.cuts import Bag, Cut, Slots, cut_classes, cut_number, make_slots
from steadyset.kernels.jit import kernel
from steadyset.kernels.streams import advance, below, stream

NO_IMPORTANCE, DECREASE, DECREASE_SHARE, PERMUTATION = 0, 1, 2, 3


class Table(NamedTuple):
    """Features as ranks: codes[j, i] numbers the value of row i among the distinct values of feature j."""

    codes: Codes  # d x n
    values: Floats  # d x n: the distinct values of each feature in rising order


class Target(NamedTuple):
    """One number a row (0 and 1 for two classes), or the class of each row where there are more than two."""

    numbers: Floats
    n_classes: int  # 1 for numbers to predict


class Rules(NamedTuple):
    """When a node is cut, and how."""

    n_candidates: int
    least_cut: int  # a node of fewer rows is not cut
    least_leaf: int  # no cut leaves fewer rows than that on a side
    max_depth: int
    bootstrap: bool
    few: int  # nodes of at most so many rows insert codes one by one; the others sort them as bits


class Trees(NamedTuple):
    """The nodes of all trees, each tree from its root down, the left branch before the right one."""

    starts: Ints  # where each tree begins; one entry more than there are trees
    feature: Codes  # -1: a leaf
    threshold: Floats  # rows at or below it go left, which is the next node
    right: Codes  # the node on the right, counted from the root
    value: Floats  # nodes x columns: mean of the target, or the share of each class


def code_table(X: Floats) -> Table:
    """Rank the values of each column once, for all trees."""
    columns = np.ascontiguousarray(X.T)
    return _code(columns, np.argsort(columns, axis=1))


@kernel
def _code(columns: Floats, order: Ints) -> Table:
    n_features, n_rows = columns.shape
    codes = np.empty((n_features, n_rows), np.int32)
    values = np.empty((n_features, n_rows))
    for j in range(n_features):
        code = -1
        for i in order[j]:
            if code < 0 or columns[j, i] != values[j, code]:
                code += 1
                values[j, code] = columns[j, i]
            codes[j, i] = code
    return Table(codes, values)


@kernel
def grow(
    table: Table, target: Target, places: Ints, rules: Rules, seed: np.uint64, first: int, n_trees: int, importance: int
) -> tuple[Trees, Floats, int]:
    """Trees number first, first + 1, ...; the sum of their importances, and over how many trees.

    ``places`` holds the row at each place of the draw: a row of weight 2 has two. A tree draws as many places as there
    are; its out-of-bag rows are those at the places that it has not drawn.
    """
    n_features, n_rows = table.codes.shape
    work = _make_work(n_features, n_rows, len(places), target.n_classes)
    trees = _make_trees(n_trees, 2 * n_rows, target.n_classes if target.n_classes > 2 else 1)
    total = np.zeros(n_features)
    n_counted = 0
    n_nodes = 0
    for tree in range(n_trees):
        state, size = _draw(stream(seed, first + tree), places, target, rules.bootstrap, work)
        if len(trees.feature) < n_nodes + 2 * size:
            trees = _enlarge(trees, n_nodes, 2 * (n_nodes + 2 * size))
        trees.starts[tree] = n_nodes
        state, n_nodes = _grow_tree(table, target, rules, work, size, trees, n_nodes, state)
        trees.starts[tree + 1] = n_nodes
        if importance == DECREASE or importance == DECREASE_SHARE:
            _add_decreases(trees, tree, work.gains, importance == DECREASE_SHARE, total)
            n_counted += 1
        elif importance == PERMUTATION:
            n_counted += _add_error_growth(table, target, places, trees, tree, work, state, total)
    return _enlarge(trees, n_nodes, n_nodes), total, n_counted


@kernel
def predict(trees: Trees, X: Floats) -> Floats:
    """The sum over the trees of the values in the leaves that the rows of X fall into."""
    total = np.zeros((len(X), trees.value.shape[1]))
    for tree in range(len(trees.starts) - 1):
        root = trees.starts[tree]
        for i in range(len(X)):
            node = root
            while trees.feature[node] >= 0:
                node = node + 1 if X[i, trees.feature[node]] <= trees.threshold[node] else root + trees.right[node]
            for k in range(total.shape[1]):
                total[i, k] += trees.value[node, k]
    return total


class _Work(NamedTuple):
    """Arrays that serve one tree after the other."""

    bag: Bag
    spare: Bag
    slots: Slots
    drawn: NDArray[np.bool_]  # over places
    counts: Floats  # over rows
    features: Codes  # in the order in which they were drawn, those constant in a node first
    moments: Floats  # of the node: one number, or the weight of each class
    gains: Floats  # over the nodes of the tree: by how much the cut lowers the impurity of the whole
    last_left: Codes  # over the nodes of the tree: the largest code at or below the threshold
    stack: Ints  # open nodes: start, end, depth, number of known constants, the node whose right branch it is


@kernel
def _make_work(n_features: int, n_rows: int, n_places: int, n_classes: int) -> _Work:
    return _Work(
        _make_bag(n_rows),
        _make_bag(n_rows),
        make_slots(n_rows, max(2, n_classes)),
        np.zeros(n_places, np.bool_),
        np.zeros(n_rows),
        np.empty(n_features, np.int32),
        np.zeros(max(1, n_classes)),
        np.zeros(2 * n_rows),
        np.zeros(2 * n_rows, np.int32),
        np.empty((n_rows + 1, 5), np.int64),
    )


@kernel
def _make_bag(n_rows: int) -> Bag:
    return Bag(np.empty(n_rows, np.int32), np.empty(n_rows), np.empty(n_rows), np.empty(n_rows, np.int32))


@kernel
def _make_trees(n_trees: int, n_nodes: int, n_columns: int) -> Trees:
    return Trees(
        np.zeros(n_trees + 1, np.int64),
        np.empty(n_nodes, np.int32),
        np.empty(n_nodes),
        np.empty(n_nodes, np.int32),
        np.empty((n_nodes, n_columns)),
    )


@kernel
def _enlarge(trees: Trees, n_nodes: int, room: int) -> Trees:
    """The same trees with room for more nodes."""
    larger = _make_trees(len(trees.starts) - 1, room, trees.value.shape[1])
    larger.starts[:] = trees.starts
    larger.feature[:n_nodes] = trees.feature[:n_nodes]
    larger.threshold[:n_nodes] = trees.threshold[:n_nodes]
    larger.right[:n_nodes] = trees.right[:n_nodes]
    larger.value[:n_nodes] = trees.value[:n_nodes]
    return larger


@kernel
def _draw(
    state: np.uint64, places: Ints, target: Target, bootstrap: bool, work: _Work
) -> tuple[np.uint64, int]:
    """Fill the bag with the rows that a tree draws; how many different rows they are."""
    work.counts[:] = 0.0
    work.drawn[:] = not bootstrap
    for place in range(len(places)):
        if bootstrap:
            state = advance(state)
            taken = below(state, len(places))
            work.drawn[taken] = True
        else:
            taken = place
        work.counts[places[taken]] += 1.0
    size = 0
    bag = work.bag
    for row in range(len(work.counts)):
        if work.counts[row] > 0:
            bag.rows[size] = row
            bag.weights[size] = work.counts[row]
            bag.moments[size] = work.counts[row] * target.numbers[row]
            bag.labels[size] = np.int32(target.numbers[row])
            size += 1
    for j in range(len(work.features)):
        work.features[j] = j
    return state, size


@kernel
def _grow_tree(
    table: Table, target: Target, rules: Rules, work: _Work, size: int, trees: Trees, first: int, state: np.uint64
) -> tuple[np.uint64, int]:
    """Grow one tree on the bag, its nodes from number ``first`` on; where the next tree begins."""
    stack, bag = work.stack, work.bag
    scale = (2.0 if target.n_classes == 2 else 1.0) / bag.weights[:size].sum()
    stack[0, 0], stack[0, 1], stack[0, 2], stack[0, 3], stack[0, 4] = 0, size, 0, 0, -1
    n_open = 1
    node = first
    while n_open > 0:
        n_open -= 1
        start, end, depth, n_constant, parent = stack[n_open]
        if parent >= 0:
            trees.right[parent] = node - first
        weight, pure = _describe(target, bag, start, end, work.moments, trees.value[node])
        trees.feature[node] = -1
        work.gains[node - first] = 0.0
        if not pure and weight >= rules.least_cut and weight >= 2 * rules.least_leaf and depth < rules.max_depth:
            state, feature, n_constant, cut = _search(table, target, rules, work, start, end, n_constant, weight, state)
            if feature >= 0:
                middle = _part(bag, work.spare, table.codes[feature], cut.lower, start, end)
                trees.feature[node] = feature
                trees.threshold[node] = _between(table.values[feature], cut)
                work.gains[node - first] = scale * cut.rise / (cut.fall * weight)
                work.last_left[node - first] = _last_left(table.values[feature], cut, trees.threshold[node])
                for side in range(2):
                    stack[n_open + side, 0] = start if side == 1 else middle
                    stack[n_open + side, 1] = middle if side == 1 else end
                    stack[n_open + side, 2] = depth + 1
                    stack[n_open + side, 3] = n_constant
                    stack[n_open + side, 4] = -1 if side == 1 else node
                n_open += 2
        node += 1
    return state, node


@kernel
def _describe(
    target: Target, bag: Bag, start: int, end: int, moments: Floats, value: Floats
) -> tuple[float, bool]:
    """Weight of a node and whether its rows agree; writes its moments and its value."""
    weight = 0.0
    moment = 0.0
    pure = True
    number = target.numbers[bag.rows[start]]
    for i in range(start, end):
        weight += bag.weights[i]
        moment += bag.moments[i]
        pure = pure and target.numbers[bag.rows[i]] == number
    if target.n_classes <= 2:
        moments[0] = moment
        value[0] = number if pure else moment / weight
    else:
        moments[:] = 0.0
        for i in range(start, end):
            moments[bag.labels[i]] += bag.weights[i]
        value[:] = moments / weight
    return weight, pure


@kernel
def _search(
    table: Table,
    target: Target,
    rules: Rules,
    work: _Work,
    start: int,
    end: int,
    n_constant: int,
    weight: float,
    state: np.uint64,
) -> tuple[np.uint64, int, int, Cut]:
    """The best cut of the candidates, its feature (-1: there is none), and how many features are known as constant.

    features[:n_constant] are constant in the node; those known before may be drawn, which of them does not matter.
    Branches move features behind the constants of their parent only, so that these stay first for the other branch.
    """
    features = work.features
    n_features = len(features)
    n_known = n_constant  # constants known before and not drawn yet
    n_varying = 0
    n_drawn = 0
    best_feature = -1
    best = Cut(0, -1.0, 1.0, -1, -1)
    while n_constant + n_varying < n_features and (n_drawn < rules.n_candidates or n_varying == 0):
        state = advance(state)
        pick = below(state, n_features - n_drawn)
        n_drawn += 1
        if pick < n_known:
            n_known -= 1
            continue
        seen = n_constant + n_varying
        place = seen + pick - n_known
        feature = features[place]
        features[place] = features[seen]
        if target.n_classes <= 2:
            cut = cut_number(
                table.codes[feature],
                work.bag,
                start,
                end,
                work.slots,
                rules.few,
                rules.least_leaf,
                weight,
                work.moments[0],
            )
        else:
            cut = cut_classes(
                table.codes[feature], work.bag, start, end, work.slots, rules.few, rules.least_leaf, weight, work.moments
            )
        if cut.n_values == 1:
            features[seen] = features[n_constant]
            features[n_constant] = feature
            n_constant += 1
        else:
            features[seen] = feature
            n_varying += 1
        if cut.lower >= 0 and cut.rise * best.fall > best.rise * cut.fall:
            best, best_feature = cut, feature
    return state, best_feature, n_constant, best


@kernel
def _part(bag: Bag, spare: Bag, codes: Codes, lower: int, start: int, end: int) -> int:
    """Put the rows at or below a code before the others, both in the order they had; where the others begin."""
    left = start
    right = 0
    for i in range(start, end):
        goes_left = codes[bag.rows[i]] <= lower
        spare.rows[right] = bag.rows[i]
        spare.weights[right] = bag.weights[i]
        spare.moments[right] = bag.moments[i]
        spare.labels[right] = bag.labels[i]
        bag.rows[left] = bag.rows[i]
        bag.weights[left] = bag.weights[i]
        bag.moments[left] = bag.moments[i]
        bag.labels[left] = bag.labels[i]
        left += goes_left
        right += not goes_left
    for i in range(right):
        bag.rows[left + i] = spare.rows[i]
        bag.weights[left + i] = spare.weights[i]
        bag.moments[left + i] = spare.moments[i]
        bag.labels[left + i] = spare.labels[i]
    return left


@kernel
def _between(values: Floats, cut: Cut) -> float:
    """The middle of the two values, or the lower one where rounding would make it the upper one."""
    lower, upper = values[cut.lower], values[cut.upper]
    middle = 0.5 * lower + 0.5 * upper
    return middle if lower <= middle < upper else lower


@kernel
def _last_left(values: Floats, cut: Cut, threshold: float) -> int:
    code = cut.lower
    while values[code + 1] <= threshold:
        code += 1
    return code


@kernel
def _add_decreases(trees: Trees, tree: int, gains: Floats, share: bool, total: Floats) -> None:
    """Add the decrease of impurity by each feature, as a share of the tree's whole decrease where asked for."""
    first, end = trees.starts[tree], trees.starts[tree + 1]
    whole = gains[: end - first].sum() if share else 1.0
    for node in range(first, end):
        if trees.feature[node] >= 0 and whole > 0:
            total[trees.feature[node]] += gains[node - first] / whole


@kernel
def _add_error_growth(
    table: Table, target: Target, places: Ints, trees: Trees, tree: int, work: _Work, state: np.uint64, total: Floats
) -> bool:
    """Add how much the error on the out-of-bag rows grows when a feature is shuffled among them; False: there are none.

    The error is the share of wrong answers, or the mean squared error.
    """
    rows = places[~work.drawn]
    if len(rows) == 0:
        return False
    first, end = trees.starts[tree], trees.starts[tree + 1]
    intact = _mean_error(table, target, trees, first, work.last_left, rows, rows, -1)
    others = rows.copy()
    features = np.unique(trees.feature[first:end])
    for feature in features:
        if feature >= 0:
            for i in range(len(others) - 1, 0, -1):
                state = advance(state)
                j = below(state, i + 1)
                others[i], others[j] = others[j], others[i]
            error = _mean_error(table, target, trees, first, work.last_left, rows, others, feature)
            total[feature] += error - intact
    return True


@kernel
def _mean_error(
    table: Table,
    target: Target,
    trees: Trees,
    first: int,
    last_left: Codes,
    rows: Ints,
    others: Ints,
    shuffled: int,
) -> float:
    """The error on the rows when each has the value of another row in the shuffled feature."""
    total = 0.0
    for i in range(len(rows)):
        node = 0
        while trees.feature[first + node] >= 0:
            feature = trees.feature[first + node]
            row = others[i] if feature == shuffled else rows[i]
            node = node + 1 if table.codes[feature, row] <= last_left[node] else trees.right[first + node]
        value = trees.value[first + node]
        truth = target.numbers[rows[i]]
        if target.n_classes == 1:
            total += (value[0] - truth) ** 2
        elif target.n_classes == 2:
            total += (value[0] > 0.5) != (truth == 1.0)
        else:
            total += np.argmax(value) != truth
    return total / len(rows)
