"""Words of 64 bits: how many of their bits are set (one machine instruction), and random numbers by counter.

Draw n of a seed is the same whatever was drawn before it, or by how many threads.
"""

from __future__ import annotations

import numpy as np

from steadyset.kernels.arrays import Ints
from steadyset.kernels.jit import kernel, part


@part
def popcount(word: np.uint64) -> np.uint64:
    """How many bits are set: sums of pairs, of fours, of bytes; the compiler makes one instruction of it."""
    word = word - ((word >> np.uint64(1)) & np.uint64(0x5555555555555555))
    word = (word & np.uint64(0x3333333333333333)) + ((word >> np.uint64(2)) & np.uint64(0x3333333333333333))
    word = (word + (word >> np.uint64(4))) & np.uint64(0x0F0F0F0F0F0F0F0F)
    return (word * np.uint64(0x0101010101010101)) >> np.uint64(56)


@kernel
def stream(seed: int | np.uint64, draw: int) -> np.uint64:
    """The first state of the stream of one draw."""
    return scramble(np.uint64(seed) + scramble(np.uint64(draw) + np.uint64(0x9E3779B97F4A7C15)))


@part
def scramble(x: np.uint64) -> np.uint64:
    """The finaliser of splitmix64 (Steele, Lea, Flood 2014)."""
    x = (x ^ (x >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    x = (x ^ (x >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return x ^ (x >> np.uint64(31))


@kernel
def advance(state: np.uint64) -> np.uint64:
    """The next state of a stream."""
    return state + np.uint64(0x9E3779B97F4A7C15)


@kernel
def below(state: np.uint64, n: int) -> np.int64:
    """A whole number in 0..n-1 from a state; the bias, n / 2^53, is far below what a simulation can see."""
    return np.int64((scramble(state) >> np.uint64(11)) * (1.0 / 9007199254740992.0) * n)


@part
def random_subset(state: np.uint64, k: int, n: int, mark: Ints, stamp: int, chosen: Ints) -> np.uint64:
    """Put a uniform k-subset of 0..n-1 in chosen[:k] by Floyd's method; mark[x] == stamp tells the members."""
    for t in range(k):
        j = n - k + t
        state = advance(state)
        candidate = below(state, j + 1)
        x = j if mark[candidate] == stamp else candidate
        mark[x] = stamp
        chosen[t] = x
    return state
