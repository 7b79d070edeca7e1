"""The best cut of one feature among the rows of a node of a tree.

The rows are collected by the code of their value, so that each distinct value is one slot; the slots in use are then
visited in rising order. With W the weight and S the weighted sum of the target in the node, L and s those of the rows
below a cut, the cut lowers the impurity of the node by

    (s W - S L)² / (W L (W - L))

in sum over the columns of the target: the number itself for the variance, the classes as zeros and ones for the Gini
index (the two columns of two classes give the same, so one of them will do). Quotients are compared by multiplying out:
with whole weights and classes, cuts of equal gain are found equal (as long as W⁴ / 16 is below 2⁵³), and the first one
seen is kept.
"""

from typing import NamedTuple

import numpy as np

from steadyset.kernels.arrays import Floats, Int, Numbers, Words
from steadyset.kernels.jit import part
from steadyset.kernels.words import popcount


class Bag(NamedTuple):
    """The rows that a tree has drawn; those of a node lie next to each other."""

    rows: Numbers
    pairs: Floats  # how often each row was drawn, and that times its number; for more classes: and its class


class Slots(NamedTuple):
    """One slot for each code: what the rows with that code sum to; all zero between calls."""

    sums: Floats  # weight, and moment or the weight of each class
    words: Words  # the codes in use as bits
    used: Numbers  # the codes in use in rising order
    left: Floats  # the weight of each class below a cut


class Cut(NamedTuple):
    """A cut between two codes that are neighbours in the node; its gain is rise / (fall * W)."""

    n_values: Int  # of the feature in the node; 1: it is constant there
    rise: float  # sum of (s W - S L)²
    fall: float  # L (W - L)
    lower: np.int64
    upper: np.int64


def make_slots(n_codes: int, n_columns: int) -> Slots:
    """Empty slots for a target of so many columns."""
    return Slots(
        np.zeros((n_codes, 1 + n_columns)),
        np.zeros((n_codes >> 6) + 1, np.uint64),
        np.empty(n_codes, np.uint32),
        np.zeros(n_columns),
    )


@part
def cut_target(
    codes: Numbers,
    feature: Int,
    bag: Bag,
    start: Int,
    end: Int,
    slots: Slots,
    few: int,
    least: float,
    weight: float,
    moments: Floats,
) -> Cut:
    """The first best cut, with at least ``least`` on both sides; lower is -1 without one.

    ``moments`` holds the sums of the target in the node: one, or the weight of each class.
    """
    sums, used = slots.sums, slots.used
    n_used = collect(codes, feature, bag, start, end, slots, few)
    rise, fall = -1.0, 1.0
    lower: Int = np.int64(-1)
    left, left_moments = 0.0, slots.left
    for k in range(len(moments)):
        left_moments[k] = 0.0
    for place in range(n_used - 1):
        code = used[place]
        left += sums[code, 0]
        sums[code, 0] = 0.0
        gain = 0.0
        for k in range(len(moments)):
            left_moments[k] += sums[code, 1 + k]
            sums[code, 1 + k] = 0.0
            difference = left_moments[k] * weight - moments[k] * left
            gain += difference * difference
        below = left * (weight - left)
        # Multiplied out: divisions would round, and equal gains of two cuts would differ by their order.
        if gain * fall > rise * below and left >= least and weight - left >= least:
            rise, fall, lower = gain, below, place
    for k in range(1 + len(moments)):
        sums[used[n_used - 1], k] = 0.0
    return made(used, n_used, rise, fall, lower)


@part
def collect(codes: Numbers, feature: Int, bag: Bag, start: Int, end: Int, slots: Slots, few: int) -> Int:
    """Add up the rows of a node by their codes, and list these codes in rising order; how many there are."""
    rows, pairs = bag.rows, bag.pairs
    sums, words, used = slots.sums, slots.words, slots.used
    classes = sums.shape[1] > 2
    n_used: Int = np.int64(0)  # of one type from the start: a plain 0 has what it is given to compiled twice
    for i in range(start, end):
        code = codes[feature, rows[i]]
        # Small nodes keep the codes sorted as they come. Large ones set bits and read them off in order, which takes a
        # pass over all words, whatever the number of rows.
        if end - start > few:
            words[code >> np.uint32(6)] |= np.uint64(1) << np.uint64(code & np.uint32(63))
        elif sums[code, 0] == 0.0:
            n_used = _insert(used, n_used, code)
        sums[code, 0] += pairs[i, 0]
        if classes:
            sums[code, 1 + np.uint32(pairs[i, 1])] += pairs[i, 0]
        else:
            sums[code, 1] += pairs[i, 1]
    return _take_bits(words, used) if end - start > few else n_used


@part
def made(used: Numbers, n_used: Int, rise: float, fall: float, lower: Int) -> Cut:
    """The cut behind the code at a place of ``used``; -1: there is none."""
    if lower < 0:
        return Cut(n_used, rise, fall, np.int64(-1), np.int64(-1))
    return Cut(n_used, rise, fall, np.int64(used[lower]), np.int64(used[lower + 1]))


@part
def _insert(used: Numbers, n_used: Int, code: int) -> Int:
    place = n_used
    while place > 0 and used[place - 1] > code:
        used[place] = used[place - 1]
        place -= 1
    used[place] = code
    return n_used + 1


@part
def _take_bits(words: Words, used: Numbers) -> int:
    """List the numbers of the bits that are set, in rising order, and clear them."""
    n_used = 0
    for number in range(len(words)):
        word = words[number]
        while word != np.uint64(0):
            lowest = word & (~word + np.uint64(1))
            used[n_used] = (number << 6) + np.int64(popcount(lowest - np.uint64(1)))
            n_used += 1
            word ^= lowest
        words[number] = np.uint64(0)
    return n_used
