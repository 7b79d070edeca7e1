"""Random forests: trees on bootstraps, each with its own stream of random numbers, in flat arrays for all nodes.

A node draws features without replacement until it has seen ``n_candidates`` of them, those that are constant in the
node included, and one at least that is not (as in scikit-learn). It is cut at the middle of two neighbouring values; a
cut may gain nothing. Sizes of nodes count rows as often as they were drawn. Breiman (2001), Random forests.

Kernels that Python calls here write into arrays and return a number at most: numba runs Python code to return an array,
and the process crashes when that is where a waiting Ctrl-C is raised.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from steadyset.kernels.arrays import Bools, Codes, Floats, Int, Ints, Numbers
from steadyset.kernels.jit import kernel, part
from steadyset.kernels.trees.cuts import Bag, Cut, Slots, cut_target, make_slots
from steadyset.kernels.trees.times import Times, cut_times, describe_times, disorder, make_times, rank_nodes
from steadyset.kernels.words import advance, below, stream

FOLLOWED = 0  # the number of classes of times to an event
NO_IMPORTANCE, DECREASE, DECREASE_SHARE, PERMUTATION = 0, 1, 2, 3


class Table(NamedTuple):
    """Features as ranks: codes[j, i] numbers the value of row i among the distinct values of feature j."""

    codes: Numbers  # d x n
    values: Floats  # d x n: the distinct values of each feature in rising order


class Target(NamedTuple):
    """One number per row (0 and 1 for two classes), or the class of each row where there are more than two.

    Of times to an event the numbers are those of `Times`, and the rows lie in the order of their times.
    """

    numbers: Floats
    n_classes: int  # 1 for numbers to predict, FOLLOWED for times to an event


class Rules(NamedTuple):
    """When a node is cut, and how."""

    n_candidates: int
    least_cut: int  # a node of fewer rows is not cut
    least_leaf: int  # no cut leaves fewer rows than that on a side
    max_depth: int
    bootstrap: bool
    few: int  # nodes of at most so many rows insert codes one by one; the others sort them as bits


class Problem(NamedTuple):
    """What trees are grown on, and how.

    ``places`` holds the row at each place of the draw: a row of weight 2 has two. A tree draws as many places as there
    are; its out-of-bag rows are those at the places that it has not drawn.
    """

    table: Table
    target: Target
    places: Ints
    rules: Rules


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
    table = Table(np.empty(columns.shape, np.uint32), np.empty(columns.shape))
    _code(columns, np.argsort(columns, axis=1), table)
    return table


@kernel
def _code(columns: Floats, order: Ints, table: Table) -> None:
    codes, values = table.codes, table.values
    for j in range(len(columns)):
        code = -1
        for place in range(order.shape[1]):
            i = order[j, place]
            if code < 0 or columns[j, i] != values[j, code]:
                code += 1
                values[j, code] = columns[j, i]
            codes[j, i] = code


def grow(problem: Problem, seed: np.uint64, first: int, n_trees: int, importance: int) -> tuple[Trees, Floats, int]:
    """Trees number first, first + 1, ...; the sum of their importances, and over how many trees."""
    target, (n_features, n_rows) = problem.target, problem.table.codes.shape
    n_columns = target.n_classes if target.n_classes > 2 else 1
    work = _make_work(n_features, n_rows, len(problem.places), n_columns)
    # What is None is left out by the compiler, so that other forests do not wait for the cuts of times.
    times = make_times(target.numbers) if target.n_classes == FOLLOWED else None
    total, counted = np.zeros(n_features), np.zeros(n_trees, np.bool_)
    none = np.empty(0, np.int32)
    trees = Trees(np.zeros(n_trees + 1, np.int64), none, np.empty(0), none, np.empty((0, n_columns)))
    trees, n_grown = _with_room(trees, 4 * n_rows), 0
    while n_grown < n_trees:
        n_grown = _grow(problem, times, seed, first, n_grown, importance, work, trees, total, counted)
        trees = _with_room(trees, 2 * len(trees.feature) if n_grown < n_trees else trees.starts[-1])
    return trees, total, int(counted.sum())


def _with_room(trees: Trees, n_nodes: int) -> Trees:
    """The same trees in arrays for so many nodes."""

    def resized(nodes: NDArray[Any]) -> NDArray[Any]:
        larger = np.empty((n_nodes, *nodes.shape[1:]), nodes.dtype)
        larger[: len(nodes)] = nodes[:n_nodes]
        return larger

    return trees._replace(**{name: resized(getattr(trees, name)) for name in Trees._fields[1:]})


@kernel
def _grow(
    problem: Problem,
    times: Times | None,
    seed: np.uint64,
    first: int,
    n_grown: int,
    importance: int,
    work: _Work,
    trees: Trees,
    total: Floats,
    counted: Bools,
) -> int:
    """Go on growing trees as long as there is room; how many there are."""
    for tree in range(n_grown, len(counted)):
        state, size = _draw(stream(seed, first + tree), problem, work)
        # A tree with so many rows has at most 2 size - 1 nodes. The caller makes room and goes on with this very tree,
        # whose stream begins anew: the forest is the same wherever the room ended.
        if len(trees.feature) < trees.starts[tree] + 2 * size:
            return tree
        state = _grow_tree(problem, times, work, size, trees, tree, state)
        if importance in (DECREASE, DECREASE_SHARE):
            _add_decreases(trees, tree, work.gains, importance == DECREASE_SHARE, total)
            counted[tree] = True
        elif importance == PERMUTATION:
            counted[tree] = _add_error_growth(problem, times, trees, tree, work, state, total)
    return len(counted)


def predict(trees: Trees, X: Floats) -> Floats:
    """The sum over the trees of the values in the leaves that the rows of X fall into."""
    total = np.zeros((len(X), trees.value.shape[1]))
    _predict(trees, X, total)
    return total


@kernel
def _predict(trees: Trees, X: Floats, total: Floats) -> None:
    features, thresholds, rights, values = trees.feature, trees.threshold, trees.right, trees.value
    for tree in range(len(trees.starts) - 1):
        root = trees.starts[tree]
        for i in range(len(X)):
            node = root
            while features[node] >= 0:
                node = node + 1 if X[i, features[node]] <= thresholds[node] else root + rights[node]
            for k in range(total.shape[1]):
                total[i, k] += values[node, k]


class _Work(NamedTuple):
    """Arrays that serve one tree after the other."""

    bag: Bag
    spare: Bag
    slots: Slots
    drawn: Bools  # over places
    counts: Floats  # over rows
    features: Codes  # in the order in which they were drawn, those constant in a node first
    moments: Floats  # of the node: one number, or the weight of each class
    gains: Floats  # over the nodes of the tree: by how much the cut lowers the impurity of the whole
    last_left: Codes  # over the nodes of the tree: the largest code at or below the threshold
    rows: Ints  # out of bag
    others: Ints  # the same, shuffled
    done: Ints  # over features: the end of the last tree in which it was shuffled
    stack: Ints  # open nodes: start, end, depth, number of known constants, the node whose right branch it is


def _make_work(n_features: int, n_rows: int, n_places: int, n_columns: int) -> _Work:
    return _Work(
        Bag(np.empty(n_rows, np.uint32), np.empty((n_rows, 2))),
        Bag(np.empty(n_rows, np.uint32), np.empty((n_rows, 2))),
        make_slots(n_rows, n_columns),
        np.zeros(n_places, np.bool_),
        np.zeros(n_rows),
        np.empty(n_features, np.int32),
        np.zeros(n_columns),
        np.zeros(2 * n_rows),
        np.zeros(2 * n_rows, np.int32),
        np.empty(n_places, np.int64),
        np.empty(n_places, np.int64),
        np.zeros(n_features, np.int64),
        np.empty((n_rows + 1, 5), np.int64),
    )


@part
def _draw(state: np.uint64, problem: Problem, work: _Work) -> tuple[np.uint64, int]:
    """Fill the bag with the rows that a tree draws; how many different rows they are."""
    places, target, bootstrap = problem.places, problem.target, problem.rules.bootstrap
    counts, drawn, features, bag = work.counts, work.drawn, work.features, work.bag
    for row in range(len(counts)):
        counts[row] = 0.0
    for place in range(len(places)):
        drawn[place] = not bootstrap
    for place in range(len(places)):
        taken: Int = place
        if bootstrap:
            state = advance(state)
            taken = below(state, len(places))
            drawn[taken] = True
        counts[places[taken]] += 1.0
    size = 0
    for row in range(len(counts)):
        if counts[row] > 0:
            bag.rows[size] = row
            bag.pairs[size, 0] = counts[row]
            # Of several classes the second number is the class itself, which picks a column; it is no sum.
            bag.pairs[size, 1] = target.numbers[row] * (counts[row] if target.n_classes <= 2 else 1.0)
            size += 1
    for j in range(len(features)):
        features[j] = j
    return state, size


@part
def _grow_tree(
    problem: Problem, times: Times | None, work: _Work, size: int, trees: Trees, tree: int, state: np.uint64
) -> np.uint64:
    """Grow one tree on the bag, behind the nodes of the trees before it."""
    table, target, rules = problem.table, problem.target, problem.rules
    stack, bag, first = work.stack, work.bag, trees.starts[tree]
    # Two classes are one column of zeros and ones, which has half of the Gini index of both columns.
    whole = float(len(work.drawn)) if target.n_classes != 2 else 0.5 * len(work.drawn)
    stack[0, 0], stack[0, 1], stack[0, 2], stack[0, 3], stack[0, 4] = 0, size, 0, 0, -1
    n_open = 1
    node = first
    while n_open > 0:
        n_open -= 1
        start, end, depth = stack[n_open, 0], stack[n_open, 1], stack[n_open, 2]
        if stack[n_open, 4] >= 0:
            trees.right[stack[n_open, 4]] = node - first
        if times is not None:
            weight, trees.value[node, 0], pure = describe_times(times, bag, start, end)
        else:
            weight, pure = _describe(target, bag, start, end, work.moments, trees.value, node)
        trees.feature[node], trees.threshold[node], trees.right[node] = -1, 0.0, 0
        work.gains[node - first] = 0.0
        if not pure and weight >= rules.least_cut and weight >= 2 * rules.least_leaf and depth < rules.max_depth:
            state, feature, n_constant, cut = _search(
                table.codes, times, rules, work, start, end, stack[n_open, 3], weight, state
            )
            if feature >= 0:
                threshold, last_left = _between(table.values, feature, cut)
                trees.feature[node] = feature
                trees.threshold[node] = threshold
                work.last_left[node - first] = last_left
                work.gains[node - first] = cut.rise / (cut.fall * weight * whole)
                middle = _part(bag, work.spare, table.codes, feature, cut.lower, start, end)
                # The left branch comes off the stack first, so its root is the node after this one; the right one is
                # linked when it comes.
                for side in range(2):
                    stack[n_open, 0] = start if side == 1 else middle
                    stack[n_open, 1] = middle if side == 1 else end
                    stack[n_open, 2] = depth + 1
                    stack[n_open, 3] = n_constant
                    stack[n_open, 4] = -1 if side == 1 else node
                    n_open += 1
        node += 1
    trees.starts[tree + 1] = node
    return state


@part
def _describe(
    target: Target, bag: Bag, start: Int, end: Int, moments: Floats, values: Floats, node: Int
) -> tuple[float, bool]:
    """Weight of a node and whether its rows agree; writes its moments and its value."""
    rows, pairs, numbers = bag.rows, bag.pairs, target.numbers
    weight = 0.0
    pure = True
    number = numbers[rows[start]]
    for k in range(len(moments)):
        moments[k] = 0.0
    for i in range(start, end):
        weight += pairs[i, 0]
        pure = pure and numbers[rows[i]] == number
        if target.n_classes <= 2:
            moments[0] += pairs[i, 1]
        else:
            moments[np.uint32(pairs[i, 1])] += pairs[i, 0]
    for k in range(values.shape[1]):
        values[node, k] = moments[k] / weight
    if pure and target.n_classes <= 2:
        values[node, 0] = number
    return weight, pure


@part
def _search(
    codes: Numbers,
    times: Times | None,
    rules: Rules,
    work: _Work,
    start: Int,
    end: Int,
    n_constant: Int,
    weight: float,
    state: np.uint64,
) -> tuple[np.uint64, Int, Int, Cut]:
    """The best cut of the candidates, its feature (-1: there is none), and how many features are known as constant.

    features[:n_constant] are constant in the node; those known before may be drawn, which of them does not matter.
    Branches move features behind the constants of their parent only, so that these stay first for the other branch.
    """
    features, moments, bag, slots = work.features, work.moments, work.bag, work.slots
    few, least = rules.few, float(rules.least_leaf)
    n_features = len(features)
    # Two rows are parted alike by every feature that varies, and the first one drawn is kept.
    n_candidates = rules.n_candidates if end - start > 2 else 1
    # The first places are shuffled in three zones: constants, features seen to vary, features not drawn. A draw swaps
    # its feature to the border of its zone, so that all zones stay together without a second array.
    n_known = n_constant  # constants known before and not drawn yet
    n_varying = 0
    n_drawn = 0
    best_feature, lower, upper = np.int64(-1), np.int64(-1), np.int64(-1)
    rise, fall = -1.0, 1.0
    while n_constant + n_varying < n_features and (n_drawn < n_candidates or n_varying == 0):
        state = advance(state)
        pick = below(state, n_features - n_drawn)
        n_drawn += 1
        if pick < n_known:
            n_known -= 1
            continue
        seen = n_constant + n_varying
        place = seen + pick - n_known
        feature = np.int64(features[place])
        features[place] = features[seen]
        if times is not None:
            cut = cut_times(codes, feature, bag, start, end, slots, few, least, weight, times)
        else:
            cut = cut_target(codes, feature, bag, start, end, slots, few, least, weight, moments)
        if cut.n_values == 1:
            features[seen] = features[n_constant]
            features[n_constant] = feature
            n_constant += 1
        else:
            features[seen] = feature
            n_varying += 1
        if cut.lower >= 0 and cut.rise * fall > rise * cut.fall:
            best_feature, rise, fall, lower, upper = feature, cut.rise, cut.fall, cut.lower, cut.upper
    return state, best_feature, n_constant, Cut(0, rise, fall, lower, upper)


@part
def _part(bag: Bag, spare: Bag, codes: Numbers, feature: Int, lower: Int, start: Int, end: Int) -> Int:
    """Put the rows at or below a code before the others, both in the order they had; where the others begin."""
    rows, pairs, other_rows, other_pairs = bag.rows, bag.pairs, spare.rows, spare.pairs
    left = start
    right = 0
    for i in range(start, end):
        row, weight, number = rows[i], pairs[i, 0], pairs[i, 1]
        # Written to both sides, and only the end that counts moves: which side a row takes cannot be guessed by a
        # processor.
        goes_left = codes[feature, row] <= lower
        rows[left], pairs[left, 0], pairs[left, 1] = row, weight, number
        other_rows[right], other_pairs[right, 0], other_pairs[right, 1] = row, weight, number
        left += goes_left
        right += not goes_left
    for i in range(right):
        rows[left + i] = other_rows[i]
        pairs[left + i, 0] = other_pairs[i, 0]
        pairs[left + i, 1] = other_pairs[i, 1]
    return left


@part
def _between(values: Floats, feature: Int, cut: Cut) -> tuple[float, Int]:
    """The middle of two values, or the lower one where rounding makes it the upper one; the last code not above it."""
    lower, upper = values[feature, cut.lower], values[feature, cut.upper]
    middle = 0.5 * lower + 0.5 * upper
    if not lower <= middle < upper:
        middle = lower
    # Codes between the two, of rows outside this node, may lie on either side of the middle: rows that walk by code
    # have to go where those that walk by value go.
    code = cut.lower
    while values[feature, code + 1] <= middle:
        code += 1
    return middle, code


@part
def _add_decreases(trees: Trees, tree: int, gains: Floats, share: bool, total: Floats) -> None:
    """Add the decrease of impurity by each feature, as a share of the tree's whole decrease where asked for."""
    first, end = trees.starts[tree], trees.starts[tree + 1]
    whole = 0.0
    for node in range(first, end):
        whole += gains[node - first]
    if not share:
        whole = 1.0
    for node in range(first, end):
        if trees.feature[node] >= 0 and whole > 0:
            total[trees.feature[node]] += gains[node - first] / whole


@part
def _add_error_growth(
    problem: Problem, times: Times | None, trees: Trees, tree: int, work: _Work, state: np.uint64, total: Floats
) -> bool:
    """Add how much the error on the out-of-bag rows grows when a feature is shuffled among them; False: they have none.

    The error is the share of wrong answers, the mean squared error, or of times the share of pairs in the wrong order.
    """
    places, rows, others = problem.places, work.rows, work.others
    n_out: Int = np.int64(0)
    for place in range(len(places)):
        if not work.drawn[place]:
            rows[n_out] = places[place]
            others[n_out] = places[place]
            n_out += 1
    if n_out == 0:
        return False
    first, end = trees.starts[tree], trees.starts[tree + 1]
    if times is not None:
        rank_nodes(trees.value, first, end, times.ranks)
    intact = _mean_error(problem, times, trees, first, end, work, n_out, np.int64(-1))
    if np.isnan(intact):
        return False
    for node in range(first, end):
        feature = np.int64(trees.feature[node])
        # Once per feature and tree. `end` differs from tree to tree, so nothing has to be cleared.
        if feature < 0 or work.done[feature] == end:
            continue
        work.done[feature] = end
        for i in range(n_out - 1, 0, -1):
            state = advance(state)
            j = below(state, i + 1)
            others[i], others[j] = others[j], others[i]
        total[feature] += _mean_error(problem, times, trees, first, end, work, n_out, feature) - intact
    return True


@part
def _mean_error(
    problem: Problem, times: Times | None, trees: Trees, first: Int, end: Int, work: _Work, n_out: Int, shuffled: Int
) -> float:
    """The error on the rows when each has the value of another row in the shuffled feature."""
    features, rights, codes, target = trees.feature, trees.right, problem.table.codes, problem.target
    rows, others, last_left = work.rows, work.others, work.last_left
    total = 0.0
    for i in range(n_out):
        node: Int = 0
        while features[first + node] >= 0:
            feature = features[first + node]
            row = others[i] if feature == shuffled else rows[i]
            node = node + 1 if codes[feature, row] <= last_left[node] else np.int64(rights[first + node])
        truth = target.numbers[rows[i]]
        if times is not None:
            times.counts[i] = times.ranks[node]
        elif target.n_classes == 1:
            total += (trees.value[first + node, 0] - truth) ** 2
        elif target.n_classes == 2:
            total += (trees.value[first + node, 0] > 0.5) != (truth == 1.0)
        else:
            total += _first_largest(trees.value, first + node) != truth
    return total / n_out if times is None else disorder(times, rows, n_out, end - first)


@part
def _first_largest(values: Floats, node: Int) -> int:
    best = 0
    for k in range(values.shape[1]):
        if values[node, k] > values[node, best]:
            best = k
    return best
