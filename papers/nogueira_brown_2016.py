"""Nogueira and Brown (2016), supplement: definitions, bounds, maxima, correction for chance, and three theorems."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from itertools import combinations, cycle, islice
from math import comb, log2

import numpy as np

from papers.framework import Row, Run, item
from papers.framework.arrays import Floats, Ints
from papers.framework.text import listed, number
from steadyset import Selections, certify, get_measure, null_expectation, stability

PAPER = "nogueira-brown-2016"
PEARSON = "phi"  # Pearson's correlation of two sets
Formula = Callable[..., Floats]  # of shared features, both sizes, and the number of features
PAIRS: dict[str, Formula] = {
    "jaccard": lambda r, ki, kj, d: r / (ki + kj - r),
    "hamming": lambda r, ki, kj, d: 1 - (ki + kj - 2 * r) / d,
    "dice": lambda r, ki, kj, d: 2 * r / (ki + kj),
    "pog": lambda r, ki, kj, d: r / ki,
    "kuncheva": lambda r, ki, kj, d: np.where(ki == kj, (r - ki * kj / d) / (ki - ki * kj / d), np.nan),
    "lustgarten": lambda r, ki, kj, d: (r - ki * kj / d) / (np.minimum(ki, kj) - np.maximum(0, ki + kj - d)),
    "npog": lambda r, ki, kj, d: (r - ki * kj / d) / (ki - ki * kj / d),
    "wald": lambda r, ki, kj, d: (r - ki * kj / d) / (np.minimum(ki, kj) - ki * kj / d),
}
UP_TO, COLLECTIONS = 8, 200
CLOSE = 1e-9


@item(PAPER, "section-2", core=True)
def definitions(run: Run) -> Iterator[Row]:
    """The formulas of the supplement beside ours: all pairs of sets of up to 8 features, and random collections."""
    gaps = {name: _gap(name, formula) for name, formula in PAIRS.items()}
    gaps["krizek"] = max(abs(stability(sel, "krizek") - _entropy(sel)) for sel in collections(run.seed, one_size=True))
    yield run.claim("definitions", max(gaps.values()) < CLOSE, largest(gaps.values()))
    several = list(collections(run.seed))
    by_runs = max(abs(stability(sel, "somol") - _cw_rel(sel, sel.n_runs)) for sel in several)
    by_features = max(abs(stability(sel, "somol") - _cw_rel(sel, sel.n_features)) for sel in several)
    ours = f"{largest([by_runs])}; up to {number(by_features)} with the frequencies as they are printed"
    yield run.claim("cw-rel", by_runs < CLOSE, ours, correction="Counts divided by M." if by_features > CLOSE else "")


@item(PAPER, "section-3.2", core=True)
def bounds(run: Run) -> Iterator[Row]:
    """Smallest and largest values of all pairs of sets; those of CW_rel and Křížek's measure of random collections."""
    ends = {name: _ends(name) for name in (*PAIRS, PEARSON)}
    several = [stability(sel, "somol") for sel in collections(run.seed)]
    ends["somol"] = {0: (min(several), max(several))}
    yield run.claim("zero-to-one", *_within(ends, ("jaccard", "hamming", "dice", "pog", "somol"), 0, 1))
    yield run.claim("minus-one-to-one", *_within(ends, ("kuncheva", "lustgarten", PEARSON), -1, 1))
    found = {(d, *ends[name][d]) for name in ("npog", "wald") for d in ends[name]}
    exact = all(abs(low - (1 - d)) < CLOSE and abs(high - 1) < CLOSE for d, low, high in found)
    low, high = ends["wald"][UP_TO]
    yield run.claim("not-bounded", exact, f"so for d from 2 to {UP_TO}; {low:.0f} to {high:.0f} for d = {UP_TO}")
    reached = all(
        abs(stability(_distinct(m, d, k), "krizek") - log2(min(m, comb(d, k)))) < CLOSE
        and stability(Selections.from_sets([range(k)] * m, n_features=d), "krizek") == 0
        for m, d, k in ((5, 4, 2), (6, 4, 2), (12, 4, 2), (10, 5, 2))
    )
    yield run.claim("krizek", reached, "both reached for M = 5, 6, 12 (d = 4, k = 2) and M = 10 (d = 5, k = 2)")


@item(PAPER, "section-4", core=True)
def maximum(run: Run) -> Iterator[Row]:
    """Which sets have the largest value, by the certificates of the measures."""
    identical = ("jaccard", "hamming", "dice", "pog", "kuncheva", "wald")
    yield run.claim("identical-is-maximal", *_have(identical, "identical_is_maximal"))
    gap = max(
        abs(stability(Selections.from_sets([range(k)] * 2, n_features=d), "lustgarten") - ours)
        for d in range(2, UP_TO + 1)
        for k in range(1, d)
        for ours in ((k - k * k / d) / (k - max(0, 2 * k - d)),)
    )
    yield run.claim("lustgarten-of-identical", gap < CLOSE, largest([gap]))
    alone = ("jaccard", "dice", "pog", "npog", "kuncheva", "krizek")
    yield run.claim("maximal-is-identical", *_have(alone, "maximal_is_identical"))
    for name in ("wald", "lustgarten"):
        decided = certify(name).properties["maximal_is_identical"]
        yield run.claim(name, not decided.holds, str(decided))


@item(PAPER, "section-4.1", core=True)
def correction_for_chance(run: Run) -> Iterator[Row]:
    """Which means of random sets depend on sizes, by the certificates of the measures."""
    yield run.claim("corrected", *_have(("kuncheva", "lustgarten", "npog", "wald"), "corrected"))
    decided = certify("somol").properties["corrected"]
    yield run.claim("cw-rel", bool(decided.holds), str(decided))
    decided = certify("krizek").properties["corrected"]
    yield run.claim("krizek", not decided.holds, str(decided))
    biased = [name for name in ("jaccard", "hamming", "dice", "pog") if not certify(name).properties["corrected"].holds]
    yield run.claim("not-corrected", len(biased) == 4, f"so for {listed(biased)}")


@item(PAPER, "theorem-1", core=True)
def theorem_1(run: Run) -> Iterator[Row]:
    """The correlation of 0/1 vectors by NumPy beside the formula and our measure."""
    gaps, means = [], []
    for sel in collections(run.seed, runs=2):
        rows = sel.to_matrix().toarray().astype(float)
        (ki, kj), d, r = rows.sum(axis=1), sel.n_features, float(rows[0] @ rows[1])
        vi, vj = (np.sqrt(k / d * (1 - k / d)) for k in (ki, kj))
        formula, correlation = (r - ki * kj / d) / (d * vi * vj), float(np.corrcoef(rows)[0, 1])
        gaps += [abs(formula - correlation), abs(formula - stability(sel, PEARSON))]
        means.append(abs(null_expectation(sel, PEARSON).value))
    yield run.claim("identity", max(gaps) < CLOSE, largest(gaps))
    yield run.claim("corrected", max(means) < CLOSE, f"mean 0 for random sets of all {len(means)} pairs of sizes tried")


@item(PAPER, "theorem-2", core=True)
def theorem_2(run: Run) -> Iterator[Row]:
    """Four measures of random collections of sets of one size."""
    gaps = [
        np.ptp([stability(sel, name) for name in (PEARSON, "kuncheva", "wald", "npog")])
        for sel in collections(run.seed, one_size=True)
    ]
    yield run.claim("equal", max(gaps) < CLOSE, largest(gaps))


@item(PAPER, "theorem-3", core=True)
def theorem_3(run: Run) -> Iterator[Row]:
    """The sum of squares of the proof beside our measure."""
    values = [(sel.n_runs, stability(sel, PEARSON), _sum_of_squares(sel)) for sel in collections(run.seed)]
    yield run.claim(
        "identity",
        all(abs(ours - theirs) < CLOSE for _, ours, theirs in values),
        largest(abs(ours - theirs) for _, ours, theirs in values),
    )
    above = min(value + 1 / (runs - 1) for runs, value, _ in values)
    most = max(value for _, value, _ in values)
    ours = f"at least -1 / (M - 1) and at most {number(most)} in {len(values)} random collections"
    yield run.claim("from-0-to-1", above > -CLOSE and most <= 1 + CLOSE, ours)


@item(PAPER, "equation-3", core=True)
def equation_3(run: Run) -> Iterator[Row]:
    """The mean variance of the features beside our measure, for sets of one size."""
    gaps, ratios = [], []
    for sel in collections(run.seed, one_size=True):
        m, d, k = sel.n_runs, sel.n_features, int(sel.sizes[0])
        s, s_max = m / (m - 1) * float(np.mean(sel.frequencies * (1 - sel.frequencies))), k / d * (1 - k / d)
        gaps.append(abs(1 - s / s_max - stability(sel, PEARSON)))
        ratios.append(s / s_max)
    yield run.claim("identity", max(gaps) < CLOSE, largest(gaps))
    two = Selections.from_sets([[0], [1]], n_features=2)
    ours = f"S is 0.5 and S_max 0.25 for {{0}} {{1}} (d=2), whose measure is {number(stability(two, PEARSON))}"
    yield run.claim("s-max", max(ratios) <= 1, ours)


def collections(seed: int, *, runs: int = 0, one_size: bool = False) -> Iterator[Selections]:
    """Random collections of sets, none of them empty or full."""
    random = np.random.default_rng(seed)
    for _ in range(COLLECTIONS):
        d, m = int(random.integers(3, 12)), runs or int(random.integers(2, 12))
        sizes = np.full(m, random.integers(1, d)) if one_size else random.integers(1, d, size=m)
        yield Selections.from_matrix(random.permuted(np.arange(d) < sizes[:, None], axis=1))


def all_pairs(d: int) -> tuple[Ints, Ints, Ints]:
    """Shared features and sizes of all pairs of sets of d features."""
    r, ki, kj = (part.ravel() for part in np.mgrid[0 : d + 1, 0 : d + 1, 0 : d + 1])
    there = (r <= np.minimum(ki, kj)) & (r >= ki + kj - d)
    return r[there], ki[there], kj[there]


def _scores(measure: str, d: int) -> Floats:
    with np.errstate(invalid="ignore", divide="ignore"):
        return np.asarray(get_measure(measure).score(*all_pairs(d), d), dtype=np.float64)


def _gap(measure: str, formula: Formula) -> float:
    """The largest difference between a formula and ours where ours is defined."""
    gaps = []
    for d in range(2, UP_TO + 1):
        ours = _scores(measure, d)
        with np.errstate(invalid="ignore", divide="ignore"):
            theirs = formula(*(part.astype(np.float64) for part in all_pairs(d)), d)
        gaps.append(abs(ours - theirs)[~np.isnan(ours)].max())
    return float(max(gaps))


def _ends(measure: str) -> dict[int, tuple[float, float]]:
    """The smallest and the largest value of a pair of sets, by the number of features."""
    found = {d: _scores(measure, d) for d in range(2, UP_TO + 1)}
    return {d: (float(np.nanmin(values)), float(np.nanmax(values))) for d, values in found.items()}


def _within(
    ends: dict[str, dict[int, tuple[float, float]]], measures: Iterable[str], low: float, high: float
) -> tuple[bool, str]:
    lows = min(end[0] for name in measures for end in ends[name].values())
    highs = max(end[1] for name in measures for end in ends[name].values())
    return low - CLOSE <= lows and highs <= high + CLOSE, f"{number(lows)} to {number(highs)}"


def _have(measures: Iterable[str], property_name: str) -> tuple[bool, str]:
    decided = {name: certify(name).properties[property_name] for name in measures}
    lacking = [f"{name}: {verdict}" for name, verdict in decided.items() if not verdict.holds]
    return not lacking, "; ".join(lacking) or f"so for {listed(list(decided))}"


def _distinct(m: int, d: int, k: int) -> Selections:
    """m sets of k features, as different as can be."""
    return Selections.from_sets(list(islice(cycle(combinations(range(d), k)), m)), n_features=d)


def _entropy(sel: Selections) -> float:
    _, times = np.unique(sel.to_matrix().toarray(), axis=0, return_counts=True)
    shares = times / sel.n_runs
    return float(-(shares * np.log2(shares)).sum())


def _cw_rel(sel: Selections, divisor: int) -> float:
    """The formula of section 2.2, with frequencies that are counts divided by `divisor`."""
    m, d, q = sel.n_runs, sel.n_features, int(sel.sizes.sum())
    times = m * sel.counts / divisor
    rest, over = q % d, q % m
    most = d * (over**2 + m * (q - over) - rest) - q**2 + rest**2
    return float((d * (q - rest + (times * (times - 1)).sum()) - q**2 + rest**2) / most)


def _sum_of_squares(sel: Selections) -> float:
    m, d = sel.n_runs, sel.n_features
    v = np.sqrt(sel.sizes / d * (1 - sel.sizes / d))
    sums = (sel.to_matrix().toarray() / v[:, None]).sum(axis=0)
    squares = ((sums[:, None] - sums[None, :]) ** 2).sum() / 2
    return float(squares / (m * (m - 1) * d**2) - 1 / (m - 1))


def largest(gaps: Iterable[float]) -> str:
    largest = max(gaps)
    return f"largest difference {largest:.0e}" if largest else "no difference"
