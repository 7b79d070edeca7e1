"""Bommert (2020), section 3.3.2 and appendix B: where the measures have values, and what their proofs state.

Conditions are tried for every pair and every three of small sets, and examples are computed. A statement that is false
as printed comes with a counter-example, and holds with the correction that its row names.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import cache
from itertools import combinations, product
from math import ceil, isnan, log2, sqrt
from typing import Any

import numpy as np

from papers.bommert_2020_data_sets import PAPER, THRESHOLD
from papers.bommert_2020_pairs import EXACT, MEASURES, SMA
from papers.framework import Row, Run, item
from papers.framework.arrays import Floats
from papers.framework.text import number
from steadyset import FeatureSimilarity, Selections, stability

Sets = tuple[tuple[int, ...], ...]
Condition = Callable[[Sequence[int], int], bool]  # of the sizes and the number of features


def _alike(p: int, groups: Sequence[Sequence[int]], value: float = 1.0) -> FeatureSimilarity:
    table = np.zeros((p, p))
    for group in groups:
        table[np.ix_(group, group)] = value
    np.fill_diagonal(table, 1.0)
    return FeatureSimilarity.from_matrix(table, threshold=THRESHOLD)


@cache
def small() -> list[tuple[int, Sets]]:
    """All pairs of sets of up to 4 features and all threes of up to 3, empty and full ones too."""
    found: list[tuple[int, Sets]] = []
    for p, m in ((2, 2), (3, 2), (4, 2), (2, 3), (3, 3)):
        subsets = [chosen for k in range(p + 1) for chosen in combinations(range(p), k)]
        found += [(p, sets) for sets in product(subsets, repeat=m) if list(sets) == sorted(sets)]
    return found


@cache
def value(measure: str, p: int, sets: Sets, **params: Any) -> float:
    return stability(Selections.from_sets(sets, n_features=p), measure, **params)


def _empty(k: Sequence[int]) -> int:
    return sum(size == 0 for size in k)


def _full(k: Sequence[int], p: int) -> int:
    return sum(size == p for size in k)


def _neither(k: Sequence[int], p: int) -> bool:
    return not _empty(k) and not _full(k, p)


# Of each measure: the condition as the thesis words it and, where that is false, the condition that holds, in words.
CONDITIONS: dict[str, tuple[Condition, Condition | None, str]] = {
    "SMJ": (lambda k, p: _empty(k) <= 1, None, ""),
    "SMD": (lambda k, p: _empty(k) <= 1, None, ""),
    "SMO": (lambda k, p: not _empty(k), None, ""),
    "SMH": (lambda k, p: True, None, ""),
    "SML": (_neither, None, ""),
    "SMW": (_neither, None, ""),
    "SMU": (lambda k, p: not _empty(k) and _full(k, p) <= 1, None, ""),
    "SMK": (
        lambda k, p: _empty(k) + _full(k, p) <= 1,
        lambda k, p: _empty(k) <= 1 and _full(k, p) <= 1,
        "At most one set is empty, and at most one is full.",
    ),
    "SMP": (_neither, None, ""),
    "SME": (lambda k, p: _empty(k) <= 1, lambda k, p: sum(k) > 0, "Not all sets are empty."),
    "SMD-0": (lambda k, p: _empty(k) <= 1, lambda k, p: sum(k) > 0, "Not all sets are empty."),
    "SMS": (lambda k, p: p > 1 and 1 < sum(k) < p * len(k) - 1, None, ""),
    "SMN": (
        lambda k, p: _empty(k) < len(k) or _full(k, p) < len(k),
        lambda k, p: 0 < sum(k) < p * len(k),
        "At least one set is not empty, and at least one is not full.",
    ),
}


@item(PAPER, "appendix-B.1", core=True, seconds=5)
def defined(run: Run) -> Iterator[Row]:
    """When the measures have values, and the inequalities and examples of the proofs of their bounds."""
    for name, (worded, mended, words) in CONDITIONS.items():
        measure = MEASURES[name]
        against = [case for case in small() if worded(_sizes(case), case[0]) == isnan(value(measure, *case))]
        if mended is not None:
            left = [case for case in small() if mended(_sizes(case), case[0]) == isnan(value(measure, *case))]
        else:
            left = against
        told = f"so in {len(small())} collections" if not against else _counter(measure, against[0])
        yield run.claim(f"defined-{name}", not left, told, correction=words if against else "")
    yield _somol_by_numbers(run)
    for name in ("SMZ", "SMY", "SMA", "SMES"):
        yield _defined_similar(run, name)
    yield from _bounds(run)


def _sizes(case: tuple[int, Sets]) -> list[int]:
    return [len(one) for one in case[1]]


def _counter(measure: str, case: tuple[int, Sets]) -> str:
    p, sets = case
    found = value(measure, p, sets)
    words = " ".join("{" + ",".join(str(f + 1) for f in one) + "}" for one in sets)
    return f"{words} of {p} features have {'no value' if isnan(found) else f'the value {found:.4g}'}"


def _somol_by_numbers(run: Run) -> Row:
    """c_max and c_min of SMS for all p, m and q up to a limit, times p q (m - 1), as whole numbers."""
    most_p, most_m = 60, 12
    against = 0
    for p, m in product(range(1, most_p + 1), range(2, most_m + 1)):
        q = np.arange(1, p * m + 1)
        D, H = q % p, q % m
        apart = p * (H**2 + q * (m - 1) - H * m) - (q**2 - p * (q - D) - D**2)
        against += int(((apart != 0) != ((p > 1) & (q > 1) & (q < p * m - 1))).sum())
    told = f"{against} exceptions for p up to {most_p} and m up to {most_m}, all q"
    return run.claim("defined-SMS-numbers", not against, told)


@cache
def _likenesses(p: int) -> list[FeatureSimilarity]:
    groups: list[list[list[int]]] = [[], [[0, 1]], [list(range(p))]]
    if p > 2:
        groups.append([list(range(p - 1))])
    return [_alike(p, one) for one in groups]


def _defined_similar(run: Run, name: str) -> Row:
    """A measure of similar features has a value where chance leaves room below its maximum."""
    codes = SMA if name == "SMA" else (name,)
    against, n = [], 0
    for p, sets in [case for case in small() if len(case[1]) == 2 and case[0] <= 3]:
        for alike, code in product(_likenesses(p), codes):
            n += 1
            found = stability(Selections.from_sets(sets, n_features=p), MEASURES[code], similarity=alike)
            if isnan(found) == _should_be_defined(name, code, sets, p, alike):
                against.append((p, sets))
    told = f"so for {n} pairs of sets of up to 3 features, with and without similar ones"
    return run.claim(f"defined-{name}", not against, told if not against else f"not for {against[0]}")


def _should_be_defined(name: str, code: str, sets: Sets, p: int, alike: FeatureSimilarity) -> bool:
    first, second = len(sets[0]), len(sets[1])
    if name == "SMZ":
        return first + second > 0
    if name == "SMES":
        return p > 1 and _trace(sets, p, alike) > EXACT
    room = (first + second) / 2 if name == "SMY" else sqrt(first * second)
    enough = first + second > 0 if name == "SMY" else first * second > 0
    return enough and _mean_overlap(MEASURES[code], first, second, p, alike) < room - EXACT


def _trace(sets: Sets, p: int, alike: FeatureSimilarity) -> float:
    k = np.array([len(one) for one in sets], dtype=float)
    off = ((k**2).mean() - k.mean()) / (p**2 - p) - k.mean() ** 2 / p**2
    table = alike.block(range(p), range(p))
    return float(p * k.mean() / p * (1 - k.mean() / p) + (table.sum() - p) * off)


@cache
def _mean_overlap(measure: str, first: int, second: int, p: int, alike: FeatureSimilarity) -> float:
    """The mean of |V_i and V_j| + Adj over all pairs of sets of these sizes."""
    values = [
        _overlap(measure, a, b, p, alike) for a in combinations(range(p), first) for b in combinations(range(p), second)
    ]
    return float(np.mean(values))


def _overlap(measure: str, a: Sequence[int], b: Sequence[int], p: int, alike: FeatureSimilarity) -> float:
    runs = Selections.from_sets([a, b], n_features=p)
    found = stability(runs, measure, similarity=alike, expectation="none")
    return found if not isnan(found) else 0.0


def _bounds(run: Run) -> Iterator[Row]:
    """Adjustments by size, and the extreme cases of single measures."""
    orders = [_adjustments(case) for case in _random_pairs(run)]
    told = f"so for {len(orders)} pairs of sets with random similarities"
    holds = all(greedy <= mbm <= count + EXACT and mean <= count + EXACT for greedy, mbm, count, mean, _ in orders)
    yield run.claim("adjustments", holds, told)
    same = [(abs(count - mean) < EXACT) == ones for _, _, count, mean, ones in orders if count]
    yield run.claim("count-is-mean", all(same), f"so for {len(same)} pairs of sets with similar features")
    gaps = []
    for p, k in [(d, size) for d in range(2, 21) for size in range(1, d)]:
        formula = 1 - k / p if 2 * k < p else k / p
        gaps.append(abs(value("lustgarten", p, (tuple(range(k)),) * 2) - formula))
    yield run.claim("SML-identical", max(gaps) < EXACT, f"at most {max(gaps):.0e} apart for p up to 20")
    facing = {p: ((0,), tuple(range(1, p))) for p in range(2, 21)}
    gaps = [abs(value("lustgarten", p, sets) - (1 / p - 1)) for p, sets in facing.items()]
    yield run.claim("SML-least", max(gaps) < EXACT, f"at most {max(gaps):.0e} apart for p up to 20")
    gaps = [abs(value("wald", p, sets) - (1 - p)) for p, sets in facing.items()]
    yield run.claim("SMW-least", max(gaps) < 1e-9, f"at most {max(gaps):.0e} apart for p up to 20")
    halves = {p: (tuple(range(p // 2)), tuple(range(p // 2, p))) for p in range(2, 21, 2)}
    for name in ("SMU", "SMK", "SMP"):
        gaps = [abs(value(MEASURES[name], p, sets) + 1) for p, sets in halves.items()]
        yield run.claim(f"{name}-least", max(gaps) < EXACT, f"at most {max(gaps):.0e} apart for even p up to 20")
    yield _davis_at_0(run)
    gaps = [
        abs(value("nogueira", m * size, _pieces(m, size)) + 1 / (m - 1)) for m in range(2, 8) for size in range(1, 4)
    ]
    yield run.claim("SMN-least", max(gaps) < EXACT, f"at most {max(gaps):.0e} apart for m up to 7")
    gaps = [abs(value("somol", m * size, _pieces(m, size))) for m in range(2, 8) for size in range(1, 4)]
    yield run.claim("SMS-least", max(gaps) < EXACT, f"at most {max(gaps):.0e} apart for m up to 7")


def _pieces(m: int, size: int) -> Sets:
    """m sets that share nothing and hold all features together."""
    return tuple(tuple(range(i * size, (i + 1) * size)) for i in range(m))


def _davis_at_0(run: Run) -> Row:
    """SMD-alpha of half of the sets and one more that are full, the others empty."""
    against = []
    for m, p in product(range(2, 8), (3, 6)):
        full = ceil((m + 1) / 2)
        sets = (tuple(range(p)),) * full + ((),) * (m - full)
        alphas = (0.9 * full / m, full / m, 1.1 * full / m)
        zero = [value("davis", p, sets, alpha=alpha) < EXACT for alpha in alphas]
        if zero != [False, True, True]:
            against.append((m, p))
    return run.claim("SMD-alpha-least", not against, "so for m from 2 to 7, just below and above that alpha")


def _random_pairs(run: Run) -> Iterator[tuple[Sets, FeatureSimilarity]]:
    random = np.random.default_rng((run.seed, 7))
    for _ in range(400):
        p = int(random.integers(3, 8))
        upper = np.triu(random.choice([0.0, 0.95, 1.0], size=(p, p), p=[0.5, 0.2, 0.3]), 1)
        alike = FeatureSimilarity.from_matrix(upper + upper.T + np.eye(p), threshold=THRESHOLD)
        first, second = (tuple(np.flatnonzero(random.random(p) < 0.5).tolist()) for _ in range(2))
        if first and second:
            yield (first, second), alike


def _adjustments(case: tuple[Sets, FeatureSimilarity]) -> tuple[float, float, float, float, bool]:
    """The adjustments of SMA-Greedy, -MBM, -Count and -Mean, and whether all similar pairs are perfectly alike."""
    (first, second), alike = case
    p, shared = alike.n_features, len(set(first) & set(second))
    codes = ("SMA-Greedy", "SMA-MBM", "SMA-Count", "SMA-Mean")
    greedy, mbm, count, mean = (_overlap(MEASURES[code], first, second, p, alike) - shared for code in codes)
    alone = [f for f in first if f not in second], [f for f in second if f not in first]
    between = alike.block(*alone)
    return greedy, mbm, count, mean, bool((between[between >= THRESHOLD] == 1).all())


@item(PAPER, "appendix-B.2", core=True, seconds=3)
def monotonicity(run: Run) -> Iterator[Row]:
    """The scenarios that show which measures are not monotone, with every number that the proofs print."""
    scenarios = ([[0, 1], [1], [1], [1], [1]], [[0, 1], [0, 1], [1], [1], [1]])
    two = [Selections.from_sets(sets, n_features=10) for sets in scenarios]
    davis = [stability(sel, "davis") for sel in two]
    spread = [5 / 4 * float(sel.frequencies[0] * (1 - sel.frequencies[0])) for sel in two]
    told = f"{davis[0]:g} and {davis[1]:g}, variances {spread[0]:g} and {spread[1]:g}"
    yield run.claim("davis", np.allclose([*davis, *spread], [0.6, 0.7, 0.2, 0.3]), told)
    nine, seven = _alike(9, [[5, 6, 7, 8]]), _alike(7, [[3, 4, 5, 6]])
    yield _two_values(run, "zucknick", "SMZ", nine, ([[0, 1, 2], [0, 3, 4]], [[5, 6, 7], [0, 8]]), (0.2, 0.5))
    sets = ([[0, 1], [0, 2]], [[3, 4], [5, 6]])
    yield _two_values(run, "sechidis", "SMES", seven, sets, (0.02, 1.0))
    trace = _trace(((0, 1), (0, 2)), 7, seven)
    yield run.claim("sechidis-trace", abs(trace - 150 / 147) < EXACT, number(trace, 6))
    yield _two_values(run, "yu", "SMY", seven, sets, (-1 / 6, 1.0))
    mean = _mean_overlap(MEASURES["SMY"], 2, 2, 7, seven)
    yield run.claim("yu-mean", abs(mean - 8 / 7) < EXACT, number(mean, 6))
    values = [_pair_values(code, seven, sets) for code in SMA]
    told = f"{values[0][0]:.6f} and {values[0][1]:g}, the same of all four"
    yield run.claim("sma", np.allclose(values, [(-9 / 138, 1.0)] * len(SMA)), told)
    means = [_mean_overlap(MEASURES[code], 2, 2, 7, seven) for code in SMA]
    yield run.claim("sma-mean", np.allclose(means, 156 / 147), f"{means[0]:.6f}, the same of all four")


def _pair_values(code: str, alike: FeatureSimilarity, pairs: Sequence[Any]) -> tuple[float, ...]:
    runs = [Selections.from_sets(sets, n_features=alike.n_features) for sets in pairs]
    return tuple(stability(one, MEASURES[code], similarity=alike) for one in runs)


def _two_values(
    run: Run, claim: str, code: str, alike: FeatureSimilarity, pairs: Sequence[Any], printed: tuple[float, float]
) -> Row:
    found = _pair_values(code, alike, pairs)
    return run.claim(claim, np.allclose(found, printed), f"{found[0]:.4g} and {found[1]:.4g}")


@item(PAPER, "appendices-B.3-to-B.5", core=True, seconds=4)
def maxima(run: Run) -> Iterator[Row]:
    """The means of SMES, and which sets have the largest values."""
    close = _alike(2, [[0, 1]], 0.95)
    cases = {(1, 1): 0.0, (1, 2): -39 / 41}
    means = {
        sizes: float(
            np.mean(
                [
                    _pair_values("SMES", close, [pair])[0]
                    for pair in product(*(combinations(range(2), k) for k in sizes))
                ]
            )
        )
        for sizes in cases
    }
    told = f"{means[1, 1]:g} and {means[1, 2]:.4f}"
    yield run.claim("sechidis-mean", all(abs(means[s] - wanted) < EXACT for s, wanted in cases.items()), told)
    for name in ("SMU", "SMK", "SME", "SMD-0"):
        known = [case for case in small() if not isnan(value(MEASURES[name], *case))]
        against = [
            case for case in known if (abs(value(MEASURES[name], *case) - 1) < EXACT) != (len(set(case[1])) == 1)
        ]
        yield run.claim(f"maximum-{name}", not against, f"so in {len(known)} collections of up to 4 features")
    yield from _maximum_of_zucknick(run)
    yield from _unequal_sizes(run)


def _maximum_of_zucknick(run: Run) -> Iterator[Row]:
    """The condition of appendix B.4 and the value 1, for all pairs of sets of 4 features, in groups of copies."""
    groups = [[], [[0, 1]], [[0, 1], [2, 3]], [[0, 1, 2]], [[0, 1, 2, 3]]]
    subsets = [chosen for k in range(1, 5) for chosen in combinations(range(4), k)]
    enough, needed, n = [], [], 0
    for one in groups:
        alike = _alike(4, one)
        table = alike.block(range(4), range(4))
        for first, second in combinations(subsets, 2):
            n += 1
            union = sorted({*first, *second})
            stated = len(first) == len(second) and bool((table[np.ix_(union, union)] == 1).all())
            top = abs(_pair_values("SMZ", alike, [(first, second)])[0] - 1) < EXACT
            if stated and not top:
                enough.append((first, second))
            if top and not stated:
                needed.append((first, second))
    yield run.claim("zucknick-example", _pair_values("SMZ", _alike(2, [[0, 1]]), [([0], [1])])[0] == 1, "1")
    ours = f"{len(needed)} of {n} pairs of different sets reach 1 otherwise"
    if needed:
        first, second = needed[0]
        ours += f", such as {_braces(first)} and {_braces(second)}"
    yield run.claim("zucknick-maximum", not enough and not needed, ours)


def _braces(one: Sequence[int]) -> str:
    return "{" + ",".join(str(f + 1) for f in one) + "}"


def _unequal_sizes(run: Run) -> Iterator[Row]:
    subsets = [
        (p, (first, second))
        for p in range(3, 7)
        for k in range(1, p - 1)
        for first, second in [(tuple(range(k)), tuple(range(k + 1)))]
    ]
    holds = all(abs(value("wald", p, sets) - 1) < EXACT for p, sets in subsets)
    yield run.claim("wald-of-subsets", holds, f"so for {len(subsets)} pairs of a set and a proper subset")
    least, most, ours = _consistency([4, 4, 2, 0], 4, 4)
    found = stability(Selections.from_sets([[0, 1], [0, 1], [0, 1, 2], [0, 1, 2]], n_features=4), "somol")
    told = f"c_min {least:.4f}, c_max {most:.4f}, consistency {ours:.4f}, SMS {found:g}"
    holds = np.allclose([least, most, ours, found], [8 / 15, 13 / 15, 13 / 15, 1])
    yield run.claim("somol-example", holds, told)
    alike = _alike(4, [[0, 1, 2]], THRESHOLD)
    mean = _mean_overlap(MEASURES["SMY"], 1, 2, 4, alike)
    found = _pair_values("SMY", alike, [([0], [1, 2])])[0]
    holds = abs(mean - 22.5 / 24) < EXACT and abs(found - 1) < EXACT
    yield run.claim("yu-example", holds, f"mean {mean:.4f}, SMY {found:g}")
    against, n = [], 0
    for (first, second), similar in _random_pairs(run):
        for code in SMA:
            found = _pair_values(code, similar, [(first, second)])[0]
            if not isnan(found):
                n += 1
                if found > 1 + EXACT or (found > 1 - EXACT and len(first) != len(second)):
                    against.append((first, second))
    yield run.claim("sma-equal-sizes", not against, f"no counter-example in {n} values of random pairs of sets")


def _consistency(counts: Sequence[int], p: int, m: int) -> tuple[float, float, float]:
    """c_min, c_max and the weighted consistency, as section 3.3.2.2 prints them."""
    h, q = np.array(counts), int(sum(counts))
    least = (q**2 - p * (q - q % p) - (q % p) ** 2) / (p * q * (m - 1))
    most = ((q % m) ** 2 + q * (m - 1) - (q % m) * m) / (q * (m - 1))
    return least, most, float((h / q * (h - 1) / (m - 1)).sum())


@item(PAPER, "section-3.3.2", core=True, seconds=3)
def definitions(run: Run) -> Iterator[Row]:
    """What the definitions of the measures state in passing."""
    plain = {"SMZ": "SMJ", "SMES": "SMN", "SMY": "SMK", **dict.fromkeys(SMA, "SMU")}
    pairs = [case for case in small() if all(case[1]) and len(set(case[1])) > 1]
    for adjusted, twin in plain.items():
        gaps = []
        for p, sets in pairs:
            ours = stability(Selections.from_sets(sets, n_features=p), MEASURES[adjusted], similarity=_alike(p, []))
            other = value(MEASURES[twin], p, sets)
            if not isnan(other):
                gaps.append(abs(ours - other))
        yield run.claim(f"{adjusted}-without", max(gaps) < EXACT, f"at most {max(gaps):.0e} apart, {len(gaps)} cases")
    sizes = [(a, b) for a in range(1, 40) for b in range(1, 40)]
    holds = all(min(a, b) <= sqrt(a * b) + EXACT and sqrt(a * b) <= (a + b) / 2 + EXACT for a, b in sizes)
    yield run.claim("upper-bounds", holds, f"so for {len(sizes)} pairs of sizes")
    gaps = []
    for p, sets in pairs:
        k = [len(one) for one in sets]
        counts = np.bincount([f for one in sets for f in one], minlength=p).tolist()
        least, most, ours = _consistency(counts, p, len(sets))
        if 1 < sum(k) < p * len(sets) - 1:
            gaps.append(abs((ours - least) / (most - least) - value("somol", p, sets)))
    yield run.claim("SMS-formula", max(gaps) < EXACT, f"at most {max(gaps):.0e} apart from ours, {len(gaps)} cases")
    gap = max(abs(value("novovicova", p, sets) - _entropy(sets, p)) for p, sets in pairs)
    yield run.claim("SME-formula", gap < EXACT, f"at most {gap:.0e} apart from ours")


def _entropy(sets: Sets, p: int) -> float:
    h: Floats = np.bincount([f for one in sets for f in one], minlength=p).astype(np.float64)
    h = h[h > 0]
    return float((h * np.log2(h)).sum() / (h.sum() * log2(len(sets))))
