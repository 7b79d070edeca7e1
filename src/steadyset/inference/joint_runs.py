"""How many runs select both features of a pair, or a feature or one of its neighbours: counted on runs as bits.

A feature is a row of words, one bit for each run. Pairs are looked at in blocks, so memory grows with the features and
with the pairs, never with the square of the features.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from steadyset.kernels.arrays import Ints, Words
from steadyset.selections import Selections

WORDS_A_BLOCK = 1 << 20  # 8 MB
BITS = 64


def runs_with_both(selections: Selections, first: Ints, second: Ints) -> Ints:
    """How many runs select both features of each pair (first[i], second[i])."""
    features, places = np.unique(np.concatenate([first, second]), return_inverse=True)
    f, g = places[: len(first)], places[len(first) :]
    found = np.zeros(len(first), dtype=np.int64)
    for words in _packed(selections, features):
        for at in _blocks(len(first), words.shape[1]):
            found[at] += np.bitwise_count(words[f[at]] & words[g[at]]).sum(axis=1, dtype=np.int64)
    return found


def runs_with_any(selections: Selections, features: Ints, indptr: Ints, indices: Ints) -> Ints:
    """How many runs select each of the features or one of its neighbours, which are rows of places among them."""
    first = np.repeat(np.arange(len(features)), np.diff(indptr))
    found = np.zeros(len(features), dtype=np.int64)
    for words in _packed(selections, features):
        covered = words.copy()
        for at in _blocks(len(first), words.shape[1]):
            own, start = np.unique(first[at], return_index=True)
            covered[own] |= np.bitwise_or.reduceat(words[indices[at]], start, axis=0)
        found += np.bitwise_count(covered).sum(axis=1, dtype=np.int64)
    return found


def _packed(selections: Selections, features: Ints) -> Iterator[Words]:
    """Which runs select each of the features (distinct, ascending) as features x words, some runs at a time."""
    place = np.full(selections.n_features, -1, dtype=np.int64)
    place[features] = np.arange(len(features))
    words_at_a_time = max(1, WORDS_A_BLOCK // max(1, len(features)))
    n_words = -(-selections.n_runs // BITS)
    for start in range(0, n_words, words_at_a_time):
        these = range(start, min(start + words_at_a_time, n_words))
        yield np.column_stack([_word(selections, place, len(features), w) for w in these])


def _word(selections: Selections, place: Ints, n_places: int, word: int) -> Words:
    """The bits of 64 runs."""
    runs = slice(BITS * word, BITS * (word + 1))
    start = selections.indptr[runs.start]
    sizes = selections.sizes[runs]
    row, run = place[selections.indices[start : start + sizes.sum()]], np.repeat(np.arange(len(sizes)), sizes)
    chosen = np.zeros((n_places, BITS), dtype=np.bool_)
    chosen[row[row >= 0], run[row >= 0]] = True
    return np.packbits(chosen, axis=1).view(np.uint64)


def _blocks(n_pairs: int, n_words: int) -> Iterator[Any]:
    step = max(1, WORDS_A_BLOCK // max(1, n_words))
    return (slice(start, start + step) for start in range(0, n_pairs, step))
