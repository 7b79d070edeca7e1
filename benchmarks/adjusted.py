"""Adjusted measures against the published algorithm written plainly: for each pair of runs, draw two random sets of its
sizes N times and average their overlap, with Python sets.

Groups of five features, of which one pair in ten is not similar enough. Both sides reach the Monte Carlo error of
10,000 plain draws a pair, or ours is exact. The plain side runs 256 draws for one pair of runs and is scaled up to all
pairs and 10,000 draws: its cost is proportional to both. Ours starts each time from a new FeatureSimilarity, so that
no expectation is remembered; building its neighbour graph counts.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import product
from typing import Any

import numpy as np
from scipy import sparse

import steadyset as st
from benchmarks.timing import median_seconds, scaled_seconds

TITLE = "Measures that know similar features"
PLAIN_DRAWS = 10_000
TIMED_DRAWS = 256
MEASURES = ("intersection_count", "intersection_mean", "intersection_greedy", "intersection_mbm")


def rows() -> list[dict[str, Any]]:
    """Every measure at one size, then growth over d, k, M and draws."""
    found = [_row(name, 10, 2000, 50) for name in (*MEASURES, "yu", "npogr", "zucknick")]
    found += [_row("intersection_count", 10, d, 50) for d in (1000, 4000, 8000)]
    found += [_row("intersection_count", 10, 2000, k) for k in (25, 100, 200)]
    found += [_row("intersection_count", M, 2000, 50) for M in (5, 20, 40)]
    found += [_growth_over_draws(n) for n in (1000, 10_000, 100_000)]
    return found


def _row(name: str, M: int, d: int, k: int) -> dict[str, Any]:
    runs, C = _case(M, d, k)
    plain_s, scores = _plain(name, runs, C)
    wanted = _plain_error(runs, scores)
    expectation = "exact" if name == "zucknick" else "auto"
    errors = []

    def ours(similarity: st.FeatureSimilarity) -> None:
        table = st.stability_table(
            runs, [name], similarity=similarity, expectation=expectation, mc_error=wanted, random_state=0
        )
        errors.append(table["mc_error"][name])

    ours_s = _seconds(ours, C)
    theirs_s = plain_s * PLAIN_DRAWS * M * (M - 1) / 2
    reached = f"error {errors[0]:.0e} (plain {wanted:.0e})" if errors[0] else "exact"
    return _compared(name, f"M={M}, d={d}, k={k}: {reached}", ours_s, theirs_s)


def _growth_over_draws(n_draws: int) -> dict[str, Any]:
    runs, C = _case(10, 2000, 50)

    def ours(similarity: st.FeatureSimilarity) -> None:
        st.stability(runs, "intersection_count", similarity=similarity, n_draws=n_draws, random_state=0)

    ours_s = _seconds(ours, C)
    theirs_s = _plain("intersection_count", runs, C)[0] * n_draws * 45
    return _compared("intersection_count", f"M=10, d=2000, k=50: {n_draws:,} draws on both sides", ours_s, theirs_s)


def _compared(case: str, size: str, ours_s: float, theirs_s: float) -> dict[str, Any]:
    return {"case": case, "size": size, "ours_s": ours_s, "theirs_s": theirs_s, "ratio": theirs_s / ours_s}


def _case(M: int, d: int, k: int) -> tuple[st.Selections, sparse.csr_array]:
    """Runs of about k features out of groups of five, of which one pair in ten is not similar enough."""
    rng = np.random.default_rng(0)
    sets = [rng.choice(d, size, replace=False) for size in rng.integers(k - 5, k + 6, M)]
    x, y = (np.arange(0, d, 5)[:, None] + np.array(side) for side in zip(*_pairs_of_five(), strict=True))
    c = rng.uniform(0.89, 0.99, x.size)
    half = sparse.coo_array((c, (x.ravel(), y.ravel())), shape=(d, d))
    return st.Selections.from_sets(sets, n_features=d), (half + half.T + sparse.eye_array(d)).tocsr()


def _pairs_of_five() -> list[tuple[int, int]]:
    return [(x, y) for x, y in product(range(5), range(5)) if x < y]


def _seconds(run: Callable[[st.FeatureSimilarity], None], C: sparse.csr_array, repeats: int = 5) -> float:
    """The median processor time of calls that each start from a new similarity, so that none finds old expectations."""
    similarities = iter([st.FeatureSimilarity.from_matrix(C, threshold=0.9) for _ in range(repeats + 1)])

    def call() -> None:
        run(next(similarities))

    return median_seconds(call, repeats)


def _plain_error(runs: st.Selections, scores: np.ndarray) -> float:
    """The Monte Carlo error of the mean over pairs, each with its own 10,000 plain draws."""
    M = runs.n_runs
    room = runs.sizes.mean() - scores.mean()
    return float(scores.std() / np.sqrt(PLAIN_DRAWS) / room / np.sqrt(M * (M - 1) / 2))


# ---- the published algorithm -------------------------------------------------------------------------------------


def _plain(name: str, runs: st.Selections, C: sparse.csr_array) -> tuple[float, np.ndarray]:
    """Processor seconds per draw, and the drawn overlaps."""
    d = runs.n_features
    near = [
        {int(y): float(c) for y, c in zip(row.indices, row.data, strict=True) if c >= 0.9 and y != x}
        for x, row in ((x, C[[x]]) for x in range(d))
    ]
    rng = np.random.default_rng(1)
    scores = []

    def draw(_: int) -> None:
        s, t = (set(rng.choice(d, size, replace=False).tolist()) for size in runs.sizes[:2])
        scores.append(OVERLAPS[name](s, t, near))

    spent, _ = scaled_seconds(draw, range(TIMED_DRAWS), 1)
    return spent, np.array(scores)


def _covered(s: set[int], t: set[int], near: list[dict[int, float]]) -> list[list[float]]:
    others = t - s
    found = ([c for y, c in near[x].items() if y in others] for x in s - t)
    return [similar for similar in found if similar]


def _edges(s: set[int], t: set[int], near: list[dict[int, float]]) -> Iterator[tuple[float, int, int]]:
    others = t - s
    for x in s - t:
        for y, c in near[x].items():
            if y in others:
                yield -c, x, y


def _count(s: set[int], t: set[int], near: list[dict[int, float]]) -> float:
    return len(s & t) + min(len(_covered(s, t, near)), len(_covered(t, s, near)))


def _mean(s: set[int], t: set[int], near: list[dict[int, float]]) -> float:
    return len(s & t) + min(sum(sum(c) / len(c) for c in _covered(a, b, near)) for a, b in ((s, t), (t, s)))


def _yu(s: set[int], t: set[int], near: list[dict[int, float]]) -> float:
    return len(s & t) + (len(_covered(s, t, near)) + len(_covered(t, s, near))) / 2


def _greedy(s: set[int], t: set[int], near: list[dict[int, float]]) -> float:
    used: set[int] = set()
    for _, x, y in sorted(_edges(s, t, near)):
        if x not in used and y not in used:
            used |= {x, y}
    return len(s & t) + len(used) / 2


def _matched(s: set[int], t: set[int], near: list[dict[int, float]]) -> float:
    edges = list(_edges(s, t, near))
    if not edges:
        return len(s & t)
    left = {x: n for n, x in enumerate(sorted({x for _, x, _ in edges}))}
    right = {y: n for n, y in enumerate(sorted({y for _, _, y in edges}))}
    graph = sparse.csr_matrix(
        (np.ones(len(edges)), ([left[x] for _, x, _ in edges], [right[y] for _, _, y in edges])),
        shape=(len(left), len(right)),
    )
    return len(s & t) + int(np.sum(sparse.csgraph.maximum_bipartite_matching(graph, perm_type="column") >= 0))


def _reached(s: set[int], t: set[int], near: list[dict[int, float]]) -> float:
    return len(s & t) + sum(any(y in t for y in near[x]) for x in s - t)


def _zucknick(s: set[int], t: set[int], near: list[dict[int, float]]) -> float:
    one = sum(near[x].get(y, 0.0) for x in s for y in t - s) / len(t)
    other = sum(near[y].get(x, 0.0) for y in t for x in s - t) / len(s)
    return (len(s & t) + one + other) / len(s | t)


OVERLAPS = {
    "intersection_count": _count,
    "intersection_mean": _mean,
    "intersection_greedy": _greedy,
    "intersection_mbm": _matched,
    "yu": _yu,
    "npogr": _reached,
    "zucknick": _zucknick,
}
