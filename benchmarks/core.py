"""All measures of subsets (`stability_table`) against two ways to write them in Python.

The first loop goes through the pairs of runs once and computes every pairwise score from the sizes and one set
intersection; the second lets each measure go through the pairs by itself and intersect again. Loops that would take too
long are timed on a random sample of the pairs and scaled to all of them. The runs are realistic: half of a selection
comes from a core that is chosen 8 times out of 10, the rest is random; sizes are constant or vary between k/2 and 3k/2.
The time of steadyset includes building the Selections from index arrays; the loops start from ready-made sets. Both
find the values alone (level=None); intervals for all of them, which the loops have not, are timed by themselves.
"""

from __future__ import annotations

import itertools
import math
import random
from collections import Counter
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

import steadyset as st
from benchmarks.timing import median_seconds, scaled_seconds, seconds

TITLE = "Measures of subsets"
SIZES = [(100, 10_000, 50), (1_000, 100_000, 50), (5_000, 1_000_000, 50)]
Pair = tuple[set[int], set[int]]


def rows() -> list[dict[str, Any]]:
    """One row for each size, kind of sizes and way to loop; and the first call, which compiles or loads the kernels."""
    first = seconds(lambda: st.stability_table(st.Selections.from_sets([[0, 1], [1], [2, 3]], n_features=9)))
    table = [{"case": "first call in a process", "size": "M=3, d=9", "ours_s": first, "theirs_s": None, "ratio": None}]
    for M, d, k in SIZES:
        for varying in (False, True):
            table += compare(M, d, k, varying)
    return table


def compare(M: int, d: int, k: int, varying: bool) -> Iterator[dict[str, Any]]:
    """Ours, the shared loop and the loop per measure on the same runs."""
    chosen = realistic_runs(M, d, k, varying)

    def table(level: float | None) -> None:
        st.stability_table(st.Selections.from_sets(chosen, n_features=d), level=level)

    repeats = 101 if M <= 100 else 7  # milliseconds need more of them
    ours, with_intervals = (median_seconds(lambda level=level: table(level), repeats) for level in (None, 0.95))
    sets = [set(row.tolist()) for row in chosen]
    pairs, n_pairs = sample_of_pairs(sets), M * (M - 1) // 2
    frequencies = seconds(lambda: frequency_measures(sets, d))
    for name, step in (("one loop", every_score), ("one loop per measure", every_score_by_itself)):
        loop, n = scaled_seconds(lambda pair, step=step: step(*pair, d), pairs, n_pairs)
        sampled = "" if n >= n_pairs else f", {n:,} of {n_pairs:,} pairs timed and scaled"
        yield {
            "case": f"{name}, sizes {'vary' if varying else 'constant'}{sampled}",
            "size": f"M={M:,}, d={d:,}, k={k}",
            "ours_s": ours,
            "theirs_s": frequencies + loop,
            "ratio": (frequencies + loop) / ours,
        }
    yield {
        "case": f"with intervals, sizes {'vary' if varying else 'constant'}",
        "size": f"M={M:,}, d={d:,}, k={k}",
        "ours_s": with_intervals,
        "theirs_s": None,
        "ratio": None,
    }


def realistic_runs(M: int, d: int, k: int, varying: bool, seed: int = 0) -> list[np.ndarray]:
    """A core of k/2 features, each in a run with probability 0.8, and random features up to the run's size."""
    generator = np.random.default_rng(seed)
    core = generator.choice(d, k // 2, replace=False)
    chosen = []
    for _ in range(M):
        size = int(generator.integers(k // 2, 3 * k // 2 + 1)) if varying else k
        steady = core[generator.random(len(core)) < 0.8][:size]
        rest = np.setdiff1d(generator.integers(0, d, 3 * size), steady)
        chosen.append(np.concatenate([steady, generator.permutation(rest)[: size - len(steady)]]))
    return chosen


def sample_of_pairs(sets: list[set[int]], most: int = 200_000) -> list[Pair]:
    """All pairs when there are few, else random ones."""
    if len(sets) <= 100:
        return list(itertools.combinations(sets, 2))
    draw = random.Random(0)
    return [tuple(draw.sample(sets, 2)) for _ in range(most)]


def every_score(a: set[int], b: set[int], d: int) -> list[float]:
    """The 14 pairwise scores from one intersection."""
    r, ki, kj = len(a & b), len(a), len(b)
    return [score(r, ki, kj, d) for score in SCORES]


def every_score_by_itself(a: set[int], b: set[int], d: int) -> list[float]:
    """The 14 pairwise scores, each with its own intersection."""
    return [score(len(a & b), len(a), len(b), d) for score in SCORES]


def frequency_measures(sets: list[set[int]], d: int) -> list[float]:
    """The 8 measures of frequencies and patterns from a counter."""
    M, q = len(sets), sum(map(len, sets))
    h = Counter(f for s in sets for f in s).values()
    D, H, k = q % d, q % M, q / M
    patterns = Counter(map(frozenset, sets)).values()
    return [
        1 - sum(x * (M - x) for x in h) / (M * (M - 1) * d) / ((k / d) * (1 - k / d)),
        (d * (q - D + sum(x * (x - 1) for x in h)) - q * q + D * D) / (d * (H * H + M * (q - H) - D) - q * q + D * D),
        sum(x * math.log2(x) for x in h) / (q * math.log2(M)),
        q / M / len(h),
        q / (M * d),
        1 - sum(x / M * math.log(x / M) for x in h) / (k * math.log(k / d)),
        sum((x / M) ** 2 for x in h) / k,
        -sum(n / M * math.log2(n / M) for n in patterns),
    ]


def _excess(r: int, ki: int, kj: int, d: int, most: float) -> float:
    e = ki * kj / d
    return (r - e) / (most - e)


def _lustgarten(r: int, ki: int, kj: int, d: int) -> float:
    return (r - ki * kj / d) / (min(ki, kj) - max(0, ki + kj - d))


def _corrected_lustgarten(r: int, ki: int, kj: int, d: int) -> float:
    return -1.0 if r == 0 else 1.0 if r == ki == kj else _lustgarten(r, ki, kj, d)


def _nogueira_brown(r: int, ki: int, kj: int, d: int) -> float:
    e = ki * kj / d
    return (r - e) / max(e - max(0, ki + kj - d), min(ki, kj) - e)


SCORES: list[Callable[[int, int, int, int], float]] = [
    lambda r, ki, kj, d: r / (ki + kj - r),
    lambda r, ki, kj, d: 2 * r / (ki + kj),
    lambda r, ki, kj, d: r / math.sqrt(ki * kj),
    lambda r, ki, kj, d: 1 - (ki + kj - 2 * r) / d,
    lambda r, ki, kj, d: (r / ki + r / kj) / 2,
    lambda r, ki, kj, d: _excess(r, ki, kj, d, ki) if ki == kj else math.nan,
    _lustgarten,
    _corrected_lustgarten,
    lambda r, ki, kj, d: _excess(r, ki, kj, d, min(ki, kj)),
    lambda r, ki, kj, d: (_excess(r, ki, kj, d, ki) + _excess(r, ki, kj, d, kj)) / 2,
    _nogueira_brown,
    lambda r, ki, kj, d: _excess(r, ki, kj, d, math.sqrt(ki * kj)),
    lambda r, ki, kj, d: _excess(r, ki, kj, d, (ki + kj) / 2),
    lambda r, ki, kj, d: (r - ki * kj / d) / math.sqrt(ki * (1 - ki / d) * kj * (1 - kj / d)),
]
