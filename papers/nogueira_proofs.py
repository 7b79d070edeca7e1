"""Nogueira (2018): lemmas, corollary 1, theorem 8, and what the proofs of appendices A and B state on their way.

Identities and means are computed for every collection of small sets. A statement that is false as printed comes with a
counter-example, and holds with the correction that its row names.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import cache
from itertools import combinations, product
from math import comb, log, log2, sqrt

import numpy as np
from scipy.stats import norm

from papers.framework import Row, Run, item
from papers.framework.arrays import Floats
from papers.framework.text import number, percent
from papers.nogueira_brown_2016 import CLOSE, all_pairs, collections, largest
from papers.nogueira_properties import MEASURES, PAPER
from papers.nogueira_theorems import OTHER_CENTRE, REPEATS, RUNS
from papers.nogueira_validation import estimates, probabilities_of
from steadyset import Selections, confidence_interval, get_measure, stability

Sizes = tuple[int, ...]
SMALL: tuple[tuple[int, Sizes], ...] = (  # features and sizes, of which every collection is tried
    *((3, sizes) for sizes in ((1, 1), (1, 2), (2, 2))),
    *((4, sizes) for sizes in ((1, 1), (1, 2), (2, 3), (1, 3), (2, 2, 2), (1, 2, 3), (1, 1, 2))),
)
ONE_SIZE = tuple(case for case in SMALL if len(set(case[1])) == 1)
RANGES = {
    "Hamming": (0, 1),
    "Jaccard": (0, 1),
    "Dice": (0, 1),
    "Ochiai": (0, 1),
    "POG": (0, 1),
    "Kuncheva": (-1, 1),
    "Lustgarten": (-1, 1),
}
KRIZEK = ([[0, 1], [0, 1], [2, 3], [2, 3]], [[0, 2], [0, 2], [2, 3], [2, 3]])
GUZMAN = ([[0, 3], [1, 3], [3, 4], [2, 3]], [[0, 3], [1, 3], [0, 2], [1, 3]])
UNEQUAL = Selections.from_sets([[0, 1], [0, 1], [0, 1, 2], [0, 1, 2]], n_features=4)


@item(PAPER, "lemmas", core=True, seconds=2)
def lemmas(run: Run) -> Iterator[Row]:
    """Lemmas 1 and 2, corollary 1, theorem 8, equations A.1 and A.2."""
    same = [
        np.ptp([stability(sel, name) for name in ("kuncheva", "wald", "npog")])
        for sel in collections(run.seed, one_size=True)
    ]
    yield run.claim("lemma-1", max(same) < CLOSE, f"{largest(same)} in {len(same)} random collections")
    yield from _interval(run)
    gaps = [abs(sel.frequencies.sum() - sel.sizes.mean()) for sel in collections(run.seed)]
    yield run.claim("equation-A.1", max(gaps) < CLOSE, f"{largest(gaps)} in {len(gaps)} random collections")
    gaps = [abs(_cw_rel_by_variances(sel) - stability(sel, "somol")) for sel in collections(run.seed)]
    yield run.claim("equation-A.2", max(gaps) < CLOSE, f"{largest(gaps)} in {len(gaps)} random collections")
    gaps = [
        float(np.abs(np.mean([sel.frequencies for sel in every(d, sizes)], axis=0) - np.mean(sizes) / d).max())
        for d, sizes in SMALL
    ]
    yield run.claim("theorem-8", max(gaps) < CLOSE, f"{largest(gaps)} in {len(gaps)} kinds of collections, all sets")
    gaps = [_gap_of_lemma_2(sel.frequencies) for sel in collections(run.seed)]
    yield run.claim("lemma-2", max(gaps) < CLOSE, f"{largest(gaps)} in {len(gaps)} random collections")
    told = [(M, d, _least(M, d)) for M in (2, 3, 4, 5) for d in (2, 3, 4)]
    holds = all(value >= -1 / (M - 1) - CLOSE for M, _, value in told)
    ours = f"least value {number(told[-1][2], 4)} for M = {told[-1][0]} and d = {told[-1][1]}"
    yield run.claim("lower-bound", holds, f"{ours}; all numbers of selections of up to 4 features in up to 5 runs")


def _interval(run: Run) -> Iterator[Row]:
    """The interval of corollary 1 beside ours, and how often it holds the true stability."""
    z = float(norm.ppf(0.975))
    gaps = []
    for sel in collections(run.seed):
        ours = confidence_interval(sel, method="normal")
        width = z * sqrt(_variance(sel))
        value = stability(sel)
        gaps += [abs(ours.low - max(-1.0, value - width)), abs(ours.high - min(1.0, value + width))]
    told = f"{largest(gaps)} from our normal interval in {len(gaps) // 2} random collections, within the bounds"
    yield run.claim("corollary-1-formula", max(gaps) < CLOSE, told)
    random = np.random.default_rng((run.seed, 1))
    found = estimates(probabilities_of(0.5, 100, OTHER_CENTRE), RUNS, REPEATS, random)
    covered = float((np.abs(found.values - 0.5) <= z * found.errors).mean())
    error = sqrt(0.95 * 0.05 / REPEATS)
    told = f"{percent(covered)} of {REPEATS:,} intervals from {RUNS} runs"
    cutoff = f"95% within three standard errors of {percent(error)}"
    yield run.claim("corollary-1", abs(covered - 0.95) < 3 * error, told, cutoff=cutoff)


def _variance(sel: Selections) -> float:
    """v of theorem 6, run by run."""
    Z, M, d = sel.to_matrix().toarray().astype(float), sel.n_runs, sel.n_features
    k, mean, value = Z.sum(axis=1), float(Z.sum(axis=1).mean()), stability(sel)
    inner = Z @ sel.frequencies / d - k * mean / d**2 + value / 2 * (2 * mean * k / d**2 - k / d - mean / d + 1)
    each = inner / (mean / d * (1 - mean / d))
    return float(4 / M**2 * ((each - each.mean()) ** 2).sum())


def variances(sel: Selections) -> float:
    """The sum of s_f² over the features."""
    return float(sel.n_runs / (sel.n_runs - 1) * (sel.frequencies * (1 - sel.frequencies)).sum())


def _cw_rel_by_variances(sel: Selections) -> float:
    M, d, q = sel.n_runs, sel.n_features, int(sel.sizes.sum())
    share, D, H = q / (M * d), q % d, q % M
    rest = share * (1 - share) - D / (M**2 * d) * (1 - D / d)
    return float((rest - (M - 1) / M * variances(sel) / d) / (rest + H**2 / (d * M**2) - H / (M * d)))


def _gap_of_lemma_2(p: Floats) -> float:
    squares = ((p[:, None] - p[None, :]) ** 2).sum() / 2
    return float(abs(squares / len(p) ** 2 - ((p**2).mean() - p.mean() ** 2)))


def _least(M: int, d: int) -> float:
    """The least value of the proposed measure: it depends on how many runs select each feature only."""
    values = []
    for counts in product(range(M + 1), repeat=d):
        p = np.array(counts) / M
        if 0 < p.mean() < 1:
            values.append(1 - M / (M - 1) * (p * (1 - p)).mean() / (p.mean() * (1 - p.mean())))
    return float(min(values))


@item(PAPER, "appendix-B", core=True, seconds=4)
def proofs(run: Run) -> Iterator[Row]:
    """Tables 3.1 and 3.2, the rewritten measures and counter-examples of appendices B.2 to B.4."""
    ends = {name: _ends(MEASURES[name]) for name in RANGES}
    holds = all(
        low <= found[0] + CLOSE and found[1] <= high + CLOSE
        for (low, high), found in zip(RANGES.values(), ends.values(), strict=True)
    )
    told = ", ".join(f"{name} {low:g} to {high:g}" for name, (low, high) in ends.items())
    yield run.claim("table-3.1", holds, f"{told}, for all pairs of sets of up to 8 features")
    yield _ranges_of_collections(run)
    goh = [abs(stability(sel, "goh") - sel.sizes.mean() / sel.n_features) for sel in collections(run.seed)]
    yield run.claim("goh", max(goh) < CLOSE, f"{largest(goh)} in {len(goh)} random collections")
    apart = max(abs(stability(sel, "davis") - stability(sel, "goh")) for sel in collections(run.seed))
    told = f"off by up to {number(apart)}; {{0}} {{0}} (d=2) have 1 and 0.5"
    yield run.claim("davis-is-goh", apart < CLOSE, told)
    first, second = (Selections.from_sets(sets, n_features=4) for sets in KRIZEK)
    values = [stability(first, "krizek"), stability(second, "krizek"), variances(first), variances(second)]
    told = "values {:g} and {:g}, sums of variances {:.4f} and {:.4f}".format(*values)
    yield run.claim("krizek-example", np.allclose(values, [1, 1, 4 / 3, 2 / 3]), told)
    yield from _guzman_example(run)
    gaps = [
        abs((sel.frequencies * (1 - sel.frequencies)).sum() - sel.sizes[0] * (1 - stability(sel, "lausser")))
        for sel in collections(run.seed, one_size=True)
    ]
    yield run.claim("lausser", max(gaps) < CLOSE, f"{largest(gaps)} in {len(gaps)} random collections")
    gaps = [abs(_two_blocks(M, d, "wald") - _wald_of_blocks(M, d)) for M in (2, 4, 10) for d in (3, 8, 50)]
    yield run.claim("wald-unbounded", max(gaps) < 1e-6, f"{largest(gaps)} for M = 2, 4, 10 and d = 3, 8, 50")
    yield from _maxima(run)


def _ends(measure: str) -> tuple[float, float]:
    """The smallest and the largest score of all pairs of sets of up to 8 features."""
    score, values = get_measure(measure).score, []
    for d in range(2, 9):
        with np.errstate(invalid="ignore", divide="ignore"):
            values.append(np.asarray(score(*all_pairs(d), d), dtype=np.float64))
    together = np.concatenate(values)
    return float(np.nanmin(together)), float(np.nanmax(together))


def _ranges_of_collections(run: Run) -> Row:
    """Table 3.2: the ranges of the measures of all runs at once."""
    ends: dict[str, Callable[[Selections], tuple[float, float]]] = {
        "goh": lambda _: (0, 1),
        "davis": lambda _: (0, 1),
        "krizek": lambda sel: (0, log2(min(sel.n_runs, comb(sel.n_features, int(sel.sizes[0]))))),
        "guzman": lambda _: (0, 1),
        "somol": lambda _: (0, 1),
        "lausser": lambda sel: (1 / sel.n_runs, 1),
    }
    outside = [
        name
        for sel in collections(run.seed, one_size=True)
        for name, range_of in ends.items()
        if not range_of(sel)[0] - CLOSE <= stability(sel, name) <= range_of(sel)[1] + CLOSE
    ]
    return run.claim("table-3.2", not outside, f"{len(outside)} values outside, 6 measures of 200 random collections")


def _guzman_example(run: Run) -> Iterator[Row]:
    pair = [Selections.from_sets(sets, n_features=5) for sets in GUZMAN]
    values = [stability(sel, "guzman") for sel in pair]
    spread = [variances(sel) for sel in pair]
    plain = [float((sel.frequencies * (1 - sel.frequencies)).mean()) for sel in pair]
    printed = np.allclose(values, [0.24, 0.31], atol=0.005)
    told = (
        f"{values[0]:.3f} and {values[1]:.3f}; sums of s_f² {spread[0]:.3f} and {spread[1]:.3f}, "
        f"means of p(1 - p) {plain[0]:.3f} and {plain[1]:.3f}"
    )
    right = printed and np.allclose(plain, [0.15, 0.175], atol=1e-9)
    correction = "" if np.allclose(spread, [0.15, 0.17], atol=0.005) else "0.15 and 0.17 are the means of p(1 - p)."
    yield run.claim("guzman-example", right, told, correction=correction)


def _two_blocks(M: int, d: int, measure: str) -> float:
    """Half of the runs select all features but the last, the others the last alone."""
    half = M // 2
    return stability(Selections.from_sets([range(d - 1)] * half + [[d - 1]] * half, n_features=d), measure)


def _wald_of_blocks(M: int, d: int) -> float:
    return (M / 2 - 1) / (M - 1) + M / (2 * (M - 1)) * (1 - d)


def _maxima(run: Run) -> Iterator[Row]:
    """Appendix B.4: which collections have the largest value."""
    kinds = [(d, sizes) for d in (2, 3, 4) for M in (2, 3) for sizes in product(range(1, d), repeat=M)]
    small = [sel for d, sizes in kinds for sel in every(d, tuple(sizes)) if list(sizes) == sorted(sizes)]
    same = [len({tuple(sel.selected(i)) for i in range(sel.n_runs)}) == 1 for sel in small]
    told = f"so in all {len(small)} collections of 2 and 3 sets of up to 4 features"
    for claim, names in (
        ("maximum-of-pairs", ("jaccard", "dice", "pog", "npog", "kuncheva")),
        ("krizek-maximum", ("krizek",)),
        ("lausser-maximum", ("lausser",)),
    ):
        best = 0.0 if claim == "krizek-maximum" else 1.0
        against = [
            name
            for name in names
            for sel, identical in zip(small, same, strict=True)
            if (abs(stability(sel, name) - best) < CLOSE) != identical and not np.isnan(stability(sel, name))
        ]
        yield run.claim(claim, not against, told if not against else f"not for {against[0]}")
    reached = [(abs(stability(sel, "somol") - 1) < CLOSE, _is_at_maximum_of_cw_rel(sel)) for sel in small]
    yield run.claim("cw-rel-maximum", all(one == other for one, other in reached), told)
    value = stability(UNEQUAL, "somol")
    yield run.claim("cw-rel-example", abs(value - 1) < CLOSE, f"{value:g}")


def _is_at_maximum_of_cw_rel(sel: Selections) -> bool:
    M = sel.n_runs
    H = int(sel.sizes.sum()) % M
    defined = 1 < sel.sizes.sum() < M * sel.n_features - 1
    return bool(defined and abs(variances(sel) - (H / (M - 1) - H**2 / (M * (M - 1)))) < CLOSE)


@item(PAPER, "appendix-B.5", core=True, seconds=1)
def expectations(run: Run) -> Iterator[Row]:
    """Means over every collection of sets of given sizes beside the formulas of appendix B.5."""
    formulas: dict[str, tuple[str, Callable[[int, Sizes], float]]] = {
        "hamming": ("Hamming", _hamming),
        "jaccard": ("Jaccard", _jaccard),
        "dice": ("Dice", lambda d, k: _over_pairs(k, lambda a, b: 2 * a * b / (a + b) / d)),
        "ochiai": ("Ochiai", lambda d, k: -float(np.mean(k)) / d / (len(k) - 1) + _roots(d, k)),
        "pog": ("POG", lambda d, k: float(np.mean(k)) / d),
        "goh": ("Goh", lambda d, k: float(np.mean(k)) / d),
    }
    corrections = {"hamming": "With -2 E[r] in place of -E[r], which gives twice the last two terms."}
    right = {"hamming": _hamming_corrected}
    for claim, (name, formula) in formulas.items():
        gaps = _gaps(SMALL, MEASURES[name], formula)
        if claim in right:
            mended = _gaps(SMALL, MEASURES[name], right[claim])
            d, sizes = max(gaps, key=gaps.__getitem__)
            told = (
                f"the mean is {mean_of(MEASURES[name], d, sizes):.4f} for sizes {_words(sizes)} of {d} features, the "
                f"formula gives {formula(d, sizes):.4f}; corrected, {largest(mended.values())}"
            )
            correction = corrections[claim] if max(gaps.values()) > CLOSE else ""
            yield run.claim(claim, max(mended.values()) < CLOSE, told, correction=correction)
        else:
            yield run.claim(claim, max(gaps.values()) < CLOSE, _told(gaps))
    gaps = _gaps(ONE_SIZE, "hamming", lambda d, k: 1 - 2 * k[0] / d * (1 - k[0] / d))
    yield run.claim("hamming-one-size", max(gaps.values()) < CLOSE, _told(gaps))
    yield _constant_davis(run)
    yield from _entropies(run)
    yield from _of_one_size(run)


def _constant_davis(run: Run) -> Row:
    values = [stability(sel, "davis") for sel in every(3, (1, 1))]
    told = f"{min(values):g} to {max(values):g} for two sets of 1 of 3 features"
    return run.claim("davis", float(np.ptp(values)) < CLOSE, told)


def _entropies(run: Run) -> Iterator[Row]:
    d, sizes = 2, (1, 1)
    mean, formula = mean_of("krizek", d, sizes), log2(comb(d, sizes[0]))
    told = f"{mean:g} for two sets of 1 of 2 features, whose formula is {formula:g}"
    many = [_expected_entropy(M, comb(4, 2)) / log2(comb(4, 2)) for M in (10, 100, 1000)]
    told += f"; of the formula {', '.join(percent(share) for share in many)} with 10, 100, 1,000 runs (d = 4, k = 2)"
    correction = "As the number of runs grows: the mean of an estimated entropy is below the entropy."
    yield run.claim(
        "krizek", abs(many[-1] - 1) < 0.01, told, correction="" if abs(mean - formula) < CLOSE else correction
    )
    mean = mean_of("guzman", 2, (1, 1))
    yield run.claim("guzman", abs(mean) < CLOSE, f"{mean:g} for two sets of 1 of 2 features")


def _expected_entropy(M: int, n_sets: int) -> float:
    """The mean of the entropy of M sets drawn from equally likely ones, in bits."""
    p, total = 1 / n_sets, 0.0
    for times in range(1, M + 1):
        log_chance = _log_comb(M, times) + times * log(p) + (M - times) * log(1 - p)
        total += np.exp(log_chance) * times / M * log2(M / times)
    return n_sets * total


def _log_comb(n: int, k: int) -> float:
    return log(comb(n, k))


def _of_one_size(run: Run) -> Iterator[Row]:
    gaps = _gaps(SMALL, "somol", _cw_rel_mean)
    equal = {case: gap for case, gap in gaps.items() if case in ONE_SIZE}
    d, sizes = max(gaps, key=gaps.__getitem__)
    told = (
        f"{largest(equal.values())} for sets of one size; for sizes {_words(sizes)} of {d} features the mean is "
        f"{mean_of('somol', d, sizes):.4f} and the formula {_cw_rel_mean(d, sizes):.4f}"
    )
    correction = "For sets of one size: it rests on theorem 3."
    uneven = max(gaps.values()) > CLOSE
    yield run.claim("cw-rel", max(equal.values()) < CLOSE, told, correction=correction if uneven else "")
    means = [_cw_rel_mean(10, (3,) * M) for M in (10, 100, 1000)]
    told = ", ".join(f"{mean:.4f} with {M:,} runs" for mean, M in zip(means, (10, 100, 1000), strict=True))
    yield run.claim("cw-rel-limit", abs(means[-1]) < 0.002, f"{told} (d = 10, k = 3)")
    gaps = _gaps(ONE_SIZE, "lausser", lambda d, k: 1 / len(k) + (len(k) - 1) / len(k) * k[0] / d)
    yield run.claim("lausser", max(gaps.values()) < CLOSE, _told(gaps))


@cache
def every(d: int, sizes: Sizes) -> list[Selections]:
    """All collections of sets of these sizes."""
    subsets = [list(combinations(range(d), k)) for k in sizes]
    return [Selections.from_sets(sets, n_features=d) for sets in product(*subsets)]


@cache
def mean_of(measure: str, d: int, sizes: Sizes) -> float:
    """The mean of a measure over all collections of sets of these sizes."""
    return float(np.mean([stability(sel, measure) for sel in every(d, sizes)]))


def _gaps(
    cases: tuple[tuple[int, Sizes], ...], measure: str, formula: Callable[[int, Sizes], float]
) -> dict[tuple[int, Sizes], float]:
    """How far a formula is from the mean, where the measure is defined."""
    means = {(d, sizes): mean_of(measure, d, sizes) for d, sizes in cases}
    return {case: abs(mean - formula(*case)) for case, mean in means.items() if not np.isnan(mean)}


def _told(gaps: dict[tuple[int, Sizes], float]) -> str:
    return f"{largest(gaps.values())} from the mean over all sets, {len(gaps)} kinds of collections"


def _words(sizes: Sizes) -> str:
    return ", ".join(map(str, sizes))


def _over_pairs(k: Sizes, term: Callable[[int, int], float]) -> float:
    return float(np.mean([term(k[i], k[j]) for i in range(len(k)) for j in range(len(k)) if i != j]))


def _roots(d: int, k: Sizes) -> float:
    return float(np.sqrt(np.array(k) / d).sum() ** 2 / (len(k) * (len(k) - 1)))


def _hamming(d: int, k: Sizes) -> float:
    M, mean = len(k), float(np.mean(k))
    return 1 - 2 * mean / d + M / (M - 1) * mean**2 / d**2 - float(np.square(k).sum()) / (M * (M - 1) * d**2)


def _hamming_corrected(d: int, k: Sizes) -> float:
    return _over_pairs(k, lambda a, b: 1 - (a + b - 2 * a * b / d) / d)


def _jaccard(d: int, k: Sizes) -> float:
    def term(a: int, b: int) -> float:
        shared = range(max(1, a + b - d), min(a, b) + 1)
        return sum(n / (a + b - n) * comb(a, n) * comb(d - a, b - n) / comb(d, b) for n in shared)

    return _over_pairs(k, term)


def _cw_rel_mean(d: int, k: Sizes) -> float:
    M, q = len(k), sum(k)
    share, D, rest = q / (M * d), q % d, q / M - q // M
    upper = share * (1 - share) / M - D / (M**2 * d) * (1 - D / d)
    lower = share * (1 - share) - D / (M**2 * d) * (1 - D / d) + rest**2 / d - rest / d
    return upper / lower
