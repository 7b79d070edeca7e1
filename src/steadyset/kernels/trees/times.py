"""Trees of times to an event: cuts by the log-rank test, the mortality of a leaf, and how well that orders rows.

Rows lie in the order of their times, events before censorings of the same time, and those of a node keep it. Rows count
as often as they were drawn. With d_k events and n_k rows at risk at the k-th time of an event in a node, and l_k of the
latter below a cut, the log-rank statistic of the cut is U² / V,

    U = sum over the rows below of (event - H(time)),  H(t) = sum_(t_k <= t) d_k / n_k,
    V = sum_k c_k (l_k / n_k) (1 - l_k / n_k),         c_k = d_k (n_k - d_k) / (n_k - 1).

A row of weight w that goes below was at risk at the first K times, so V grows by w A(K) - w² B(K) - 2 w Q(K). A and B
are sums of c_k / n_k and c_k / n_k² up to K, and Q(K) = sum_(k <= K) c_k l_k / n_k², which is the sum of
w_j B(min(K, K_j)) over the rows j that are below already. Sums over j with K_j <= K come from a tree of partial sums
(Fenwick 1994), so that a feature takes m log m steps in a node of m rows.

The mortality of a node is H summed over all times of events in the data: how many events there would be if every row
were like those of the node (Ishwaran et al. 2008).
"""

from typing import NamedTuple

import numpy as np

from steadyset.kernels.arrays import Floats, Int, Ints, Numbers
from steadyset.kernels.jit import part
from steadyset.kernels.trees.cuts import Bag, Cut, Slots, collect, made

ROUNDING = 1e-12  # of the sum A: a smaller variance is none


class Times(NamedTuple):
    """Times as the numbers 1, 2, ... of the distinct ones, negative where censored; and room for the node at work."""

    numbers: Floats
    later: Floats  # over rows: how many times of events are not before that of the row
    counts: Ints  # over the bag: K, the times of events in the node that a row was at risk at
    linear: Floats  # A over K
    square: Floats  # B over K
    partial: Floats  # the tree: sums of w B(K) and of w; all zero between calls
    head: Ints  # over codes: the first row with that code; -1 between calls
    follower: Ints  # over the bag: the next row with the same code
    ranks: Ints  # over the nodes of a tree: by mortality, from 0


def make_times(numbers: Floats) -> Times:
    """Times with room for trees of so many rows."""
    n_rows = len(numbers)
    events = np.unique(numbers[numbers > 0])
    return Times(
        numbers,
        (len(events) - np.searchsorted(events, np.abs(numbers))).astype(np.float64),
        np.zeros(n_rows, np.int64),
        np.zeros(n_rows + 1),
        np.zeros(n_rows + 1),
        np.zeros((2 * n_rows + 2, 2)),
        np.full(n_rows, -1),
        np.full(n_rows, -1),
        np.zeros(2 * n_rows, np.int64),
    )


@part
def describe_times(times: Times, bag: Bag, start: Int, end: Int) -> tuple[float, float, bool]:
    """Weight and mortality of a node, and whether it has no event; writes K, A, B and each row's part of U."""
    rows, pairs, numbers, linear, square = bag.rows, bag.pairs, times.numbers, times.linear, times.square
    weight = 0.0
    for i in range(start, end):
        weight += pairs[i, 0]
    at_risk, hazard, mortality = weight, 0.0, 0.0
    k, begin = 0, start
    while begin < end:
        stop, leaving, deaths = begin, 0.0, 0.0
        while stop < end and abs(numbers[rows[stop]]) == abs(numbers[rows[begin]]):
            leaving += pairs[stop, 0]
            deaths += pairs[stop, 0] if numbers[rows[stop]] > 0 else 0.0
            stop += 1
        if deaths > 0:
            spread = deaths * (at_risk - deaths) / max(at_risk - 1.0, 1.0)
            linear[k + 1] = linear[k] + spread / at_risk
            square[k + 1] = square[k] + spread / (at_risk * at_risk)
            hazard += deaths / at_risk
            mortality += deaths / at_risk * times.later[rows[begin]]
            k += 1
        for i in range(begin, stop):
            times.counts[i] = k
            pairs[i, 1] = pairs[i, 0] * ((1.0 if numbers[rows[i]] > 0 else 0.0) - hazard)
        at_risk -= leaving
        begin = stop
    return weight, mortality, k == 0


@part
def cut_times(
    codes: Numbers,
    feature: Int,
    bag: Bag,
    start: Int,
    end: Int,
    slots: Slots,
    few: int,
    least: float,
    weight: float,
    times: Times,
) -> Cut:
    """The first cut of the largest log-rank statistic, with at least ``least`` on both sides; lower is -1 without one.

    Its gain, rise / (fall * weight), is that statistic.
    """
    sums, used, pairs = slots.sums, slots.used, bag.pairs
    n_used = collect(codes, feature, bag, start, end, slots, few)
    # The sums of `collect` are of no use here, only the order of the codes; they have to be zero again for the next
    # feature.
    for place in range(n_used):
        sums[used[place], 0] = 0.0
        sums[used[place], 1] = 0.0
    # From the last row to the first, so that the rows of a code come off its list in the order of their times.
    for i in range(end - 1, start - 1, -1):
        code = codes[feature, bag.rows[i]]
        times.follower[i] = times.head[code]
        times.head[code] = i
    n_times = times.counts[end - 1]  # of the latest row
    negligible = ROUNDING * times.linear[n_times]
    rise, fall, left, observed, variance = -1.0, 1.0, 0.0, 0.0, 0.0
    lower: Int = np.int64(-1)
    for place in range(n_used):
        i = times.head[used[place]]
        times.head[used[place]] = -1
        while i >= 0 and place < n_used - 1:
            own, k = pairs[i, 0], times.counts[i]
            # Q: rows with K_j <= k give w_j B(K_j), all others w_j B(k).
            inner, before = sums_up_to(times.partial, k)
            shared = inner + times.square[k] * (left - before)
            variance += own * (times.linear[k] - own * times.square[k] - 2.0 * shared)
            add_at(times.partial, k, own * times.square[k], own, n_times + 1)
            left += own
            observed += pairs[i, 1]
            i = times.follower[i]
        if variance > negligible and observed * observed * fall > rise * variance and left >= least <= weight - left:
            rise, fall, lower = observed * observed, variance, place
    for k in range(n_times + 2):
        times.partial[k, 0] = 0.0
        times.partial[k, 1] = 0.0
    return made(used, n_used, rise, fall / weight, lower)


@part
def rank_nodes(values: Floats, first: Int, end: Int, ranks: Ints) -> None:
    """Number the nodes of a tree by their mortality, equal ones alike."""
    order = np.argsort(values[first:end, 0])
    rank = 0
    for place in range(len(order)):
        if place > 0 and values[first + order[place], 0] > values[first + order[place - 1], 0]:
            rank += 1
        ranks[order[place]] = rank


@part
def disorder(times: Times, rows: Ints, n_rows: Int, n_nodes: Int) -> float:
    """1 - C: the share of comparable pairs of which the later row has the higher mortality; nan without any.

    ``times.counts`` holds the rank of each row's leaf. A row with an event is compared with those that were followed
    longer, or censored at its time; equal ranks count half.
    """
    numbers, ranks, partial = times.numbers, times.counts, times.partial
    followed, pairs, wrong = 0.0, 0.0, 0.0
    stop = n_rows
    while stop > 0:
        begin = stop
        while begin > 0 and abs(numbers[rows[begin - 1]]) == abs(numbers[rows[stop - 1]]):
            begin -= 1
        n_events = 0
        for i in range(begin, stop):
            if numbers[rows[i]] > 0:
                n_events += 1
            else:
                add_at(partial, ranks[i], 0.0, 1.0, n_nodes)
                followed += 1.0
        # Events at one time are not compared with each other, so they join those followed longer only after all were
        # compared.
        for i in range(begin, begin + n_events):
            _, up_to = sums_up_to(partial, ranks[i])
            _, lower = sums_up_to(partial, ranks[i] - 1)
            pairs += followed
            wrong += followed - 0.5 * (up_to + lower)
        for i in range(begin, begin + n_events):
            add_at(partial, ranks[i], 0.0, 1.0, n_nodes)
            followed += 1.0
        stop = begin
    for node in range(n_nodes + 1):
        partial[node, 1] = 0.0
    return wrong / pairs if pairs > 0 else np.nan


@part
def add_at(partial: Floats, place: Int, first: float, second: float, size: Int) -> None:
    """Add to the sums at one of the places 0, ..., size - 1."""
    node = place + 1
    while node <= size:
        partial[node, 0] += first
        partial[node, 1] += second
        node += node & -node


@part
def sums_up_to(partial: Floats, place: Int) -> tuple[float, float]:
    """What was added up to a place."""
    first, second = 0.0, 0.0
    node = place + 1
    while node > 0:
        first += partial[node, 0]
        second += partial[node, 1]
        node -= node & -node
    return first, second
