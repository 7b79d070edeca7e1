"""Nogueira (2018): theorems 1 to 7, the properties of the proposed measure, and the derivatives of table B.1.

Identities are computed on random collections, means exactly, limits by simulation; where a counter-example was found,
the claim holds with the condition that it lacks, and the counter-example is told.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import combinations_with_replacement, product
from math import prod

import numpy as np
from scipy.stats import kstest

from papers.framework import Row, Run, item
from papers.framework.arrays import Floats
from papers.framework.text import listed, number
from papers.nogueira_brown_2016 import CLOSE, UP_TO, all_pairs, collections, largest
from papers.nogueira_properties import MEASURES, PAPER, PROPERTIES, properties_of
from papers.nogueira_validation import (
    CASES,
    Estimates,
    estimates,
    probabilities_of,
    statistics_of,
)
from steadyset import Selections, get_measure, stability

MANY_RUNS = (10, 100, 1_000, 4_000)
NEAR_ONE = 0.01  # of a ratio, with the most runs
RUNS, REPEATS = 500, 1000  # of the simulations of theorems 6 and 7
UNLIKELY = 0.001  # a p-value of Kolmogorov's and Smirnov's test against the standard normal distribution
OTHER_CENTRE, NEAR_CENTRE = 0.3, 0.45  # of the probabilities of a second procedure, which has the same stability
FLAT = (5, 0.4)  # features, all of them with this probability: random selection, with a stability of 0
STEP = 1e-4  # of the number of shared features, in derivatives
DERIVATIVES: dict[str, Callable[..., Floats]] = {
    "Hamming": lambda r, ki, kj, d: np.full(len(r), 2 / d),
    "Jaccard": lambda r, ki, kj, d: (ki + kj) / (ki + kj - r) ** 2,
    "Dice": lambda r, ki, kj, d: 2 / (ki + kj),
    "Ochiai": lambda r, ki, kj, d: 1 / np.sqrt(ki * kj),
    "POG": lambda r, ki, kj, d: 1 / ki,
    "Kuncheva": lambda r, ki, kj, d: np.where(ki == kj, 1 / (ki - ki * kj / d), np.nan),
    "Lustgarten": lambda r, ki, kj, d: 1 / (np.minimum(ki, kj) - np.maximum(0, ki + kj - d)),
    "Wald": lambda r, ki, kj, d: 1 / (np.minimum(ki, kj) - ki * kj / d),
    "nPOG": lambda r, ki, kj, d: 1 / (ki - ki * kj / d),
}


@item(PAPER, "theorems", core=True, seconds=15)
def theorems(run: Run) -> Iterator[Row]:
    """Theorems 1 to 7."""
    yield _asymptotic(run, "theorem-1", "kuncheva")
    gaps = [abs(_mean_intersection(sel) - _by_variances(sel)) for sel in collections(run.seed)]
    yield run.claim("theorem-2", max(gaps) < CLOSE, f"{largest(gaps)} in {len(gaps)} random collections")
    yield _mean_variance(run)
    same = [
        np.ptp([stability(sel, name) for name in ("nogueira", "kuncheva", "wald", "npog")])
        for sel in collections(run.seed, one_size=True)
    ]
    yield run.claim("theorem-4-equal", max(same) < CLOSE, f"{largest(same)} in {len(same)} random collections")
    yield _asymptotic(run, "theorem-4-asymptotic", "nogueira")
    gaps = [abs(_fleiss_kappa(sel) - stability(sel, "nogueira")) for sel in collections(run.seed)]
    yield run.claim("theorem-5", max(gaps) < CLOSE, f"{largest(gaps)} in {len(gaps)} random collections")
    yield from _normal(run)


@item(PAPER, "section-5.1", core=True)
def proposed_measure(run: Run) -> Iterator[Row]:
    """The five properties of the proposed measure, and its least and greatest value."""
    yield from properties_of(run, {"proposed": "nogueira"}, PROPERTIES)
    found = [(stability(sel, "nogueira"), -1 / (sel.n_runs - 1)) for sel in collections(run.seed)]
    reached = [_cyclic(d, runs) for d in (2, 3, 5) for runs in (d, 2 * d)]
    equal = all(abs(stability(sel, "nogueira") + 1 / (sel.n_runs - 1)) < CLOSE for sel in reached)
    within = all(least - CLOSE <= value <= 1 + CLOSE for value, least in found)
    told = f"so in {len(found)} random collections; sets of one feature in turn reach it, for M = d and 2d"
    yield run.claim("bounds", within and equal, told)


@item(PAPER, "table-B.1", core=True)
def derivatives(run: Run) -> Iterator[Row]:
    """Derivatives by the number of shared features, beside differences of our scores."""
    least = np.inf
    for cell in run.published.cells:
        gaps = []
        for d in range(2, UP_TO + 1):
            r, ki, kj = (part.astype(np.float64) for part in all_pairs(d))
            there = (ki > 0) & (kj > 0) & (ki < d) & (kj < d)
            ours = _slope(MEASURES[cell.row], r[there], ki[there], kj[there], d)
            with np.errstate(divide="ignore", invalid="ignore"):
                theirs = DERIVATIVES[cell.row](r[there], ki[there], kj[there], d)
            known = ~np.isnan(theirs)
            gaps.append(float(np.max(np.abs(ours - theirs)[known] / theirs[known])))
            least = min(least, float(ours[known].min()))
        yield run.row(cell, cell.text if max(gaps) < STEP else f"off by up to {max(gaps):.1%}")
    told = f"at least {number(least)} for all pairs of sets of up to {UP_TO} features that are neither empty nor full"
    yield run.claim("positive", least > 0, told)


def _asymptotic(run: Run, claim: str, other: str) -> Row:
    """CW_rel beside another measure as runs are added: where the stability tends to 0, the ratio need not tend to 1."""
    keys = np.random.default_rng(run.seed).random((MANY_RUNS[-1], 10)) ** (1 / np.arange(1.0, 11.0))
    sets = keys.argsort(axis=1).argsort(axis=1) >= 7  # the three with the largest keys, some of them more often
    ratios = [_ratio(Selections.from_matrix(sets[:runs]), other) for runs in MANY_RUNS]
    in_turn = [Selections.from_sets([[i % 2] for i in range(runs)], n_features=2) for runs in MANY_RUNS]
    told = ", ".join(f"{ratio:.4f} with {runs:,} runs" for ratio, runs in zip(ratios, MANY_RUNS, strict=True))
    never = [_ratio(sel, other) for sel in in_turn]
    gap = abs(stability(in_turn[-1], "somol") - stability(in_turn[-1], other))
    ours = f"ratio {told}; {{0}} and {{1}} in turn (d = 2): {number(never[-1])} with {MANY_RUNS[-1]:,} runs"
    holds = abs(ratios[-1] - 1) < NEAR_ONE and gap < NEAR_ONE
    correction = "Where the stability does not tend to 0; there only the difference of both does."
    return run.claim(claim, holds, ours, correction="" if abs(never[-1] - 1) < NEAR_ONE else correction)


def _ratio(sel: Selections, other: str) -> float:
    return stability(sel, "somol") / stability(sel, other)


def _mean_intersection(sel: Selections) -> float:
    shared = sel.to_matrix().toarray().astype(float)
    total = shared @ shared.T
    return float((total.sum() - np.trace(total)) / (sel.n_runs * (sel.n_runs - 1)))


def _by_variances(sel: Selections) -> float:
    variances = sel.n_runs / (sel.n_runs - 1) * sel.frequencies * (1 - sel.frequencies)
    return float(sel.sizes.mean() - variances.sum())


def _mean_variance(run: Run) -> Row:
    """The mean of the variance of a feature over all random sets of given sizes, exactly."""
    gaps = {
        (d, sizes): _exact_variance(d, sizes) - _formula(d, sizes)
        for d in (2, 3, 4, 5)
        for runs in (2, 3, 4)
        for sizes in combinations_with_replacement(range(1, d), runs)
    }
    equal = max(abs(gap) for (_, sizes), gap in gaps.items() if len(set(sizes)) == 1)
    terms = {(d, sizes): float(np.var(sizes)) / d**2 / (len(sizes) - 1) for d, sizes in gaps}
    known = max(abs(gap - terms[key]) for key, gap in gaps.items())
    d, sizes = 3, (1, 2)
    ours = (
        f"{largest([equal])} for sets of one size; for sets of {listed([str(k) for k in sizes])} of {d} features the "
        f"mean is {_exact_variance(d, sizes):.4f} and the formula {_formula(d, sizes):.4f}"
    )
    correction = "For sets of one size; else the variance of the sizes divided by (M - 1) d² has to be added."
    uneven = max(abs(gap) for gap in gaps.values()) > CLOSE
    return run.claim("theorem-3", max(equal, known) < CLOSE, ours, correction=correction if uneven else "")


def _formula(d: int, sizes: tuple[int, ...]) -> float:
    share = float(np.mean(sizes)) / d
    return share * (1 - share)


def _exact_variance(d: int, sizes: tuple[int, ...]) -> float:
    """The mean of s_f² where each run selects the feature with its own probability k_i / d."""
    total = 0.0
    for chosen in product((0, 1), repeat=len(sizes)):
        weight = prod(k / d if one else 1 - k / d for k, one in zip(sizes, chosen, strict=True))
        total += weight * float(np.var(chosen, ddof=1))
    return total


def _fleiss_kappa(sel: Selections) -> float:
    """As Fleiss defines it: runs are the raters, features the subjects, selected and not the categories."""
    votes = np.column_stack([sel.counts, sel.n_runs - sel.counts]).astype(float)
    shares = votes.sum(axis=0) / votes.sum()
    by_chance = float((shares**2).sum())
    agreement = float((votes * (votes - 1)).sum(axis=1).mean()) / (sel.n_runs * (sel.n_runs - 1))
    return (agreement - by_chance) / (1 - by_chance)


def _normal(run: Run) -> Iterator[Row]:
    """Theorems 6 and 7: where features differ in their probabilities, and where they do not."""
    random = np.random.default_rng((run.seed, 6))
    first = {phi: estimates(probabilities_of(phi, 100), RUNS, REPEATS, random) for phi in CASES.values()}
    cutoff = f"p at least {UNLIKELY} in a test of the statistic of {REPEATS:,} draws of {RUNS:,} sets against it"
    p_values = [_p_value((found.values - phi) / found.errors) for phi, found in first.items()]
    flat = estimates(np.full(FLAT[0], FLAT[1]), RUNS, REPEATS, random)
    chance = flat.values / flat.errors
    ours = (
        f"p = {listed([f'{p:.2f}' for p in p_values])} for Φ = {listed([f'{phi}' for phi in first])}; where all "
        f"{FLAT[0]} features have the probability {FLAT[1]} (Φ = 0): mean {chance.mean():.2f}, 95% from "
        f"{np.quantile(chance, 0.025):.2f} to {np.quantile(chance, 0.975):.2f}"
    )
    degenerate = _p_value(chance) < UNLIKELY
    correction = "Where features differ in their probabilities, so that Φ is not 0, and selection is not certain."
    holds = min(p_values) >= UNLIKELY
    yield run.claim("theorem-6", holds, ours, cutoff=cutoff, correction=correction if degenerate else "")
    second = estimates(probabilities_of(0.5, 100, OTHER_CENTRE), RUNS, REPEATS, random)
    free, tied = statistics_of(first[0.5], second), _tied(random)
    p_value = _p_value(free)
    ours = (
        f"p = {p_value:.2f} for two procedures with Φ = 0.5 and other probabilities; the standard deviation is "
        f"{free.std(ddof=1):.2f}, and {tied.std(ddof=1):.2f} where both select from the same samples"
    )
    dependent = _p_value(tied) < UNLIKELY
    correction = "For collections that are independent of each other, with the condition of theorem 6."
    yield run.claim("theorem-7", p_value >= UNLIKELY, ours, cutoff=cutoff, correction=correction if dependent else "")


def _tied(random: np.random.Generator) -> Floats:
    """The statistic of two procedures that decide on the same samples: of the same random numbers."""
    both = [probabilities_of(0.5, 100, centre) for centre in (0.5, NEAR_CENTRE)]
    parts = []
    for _ in range(REPEATS // 4):
        drawn = random.random((RUNS, 100), dtype=np.float32)
        parts.append(statistics_of(*(Estimates.of(drawn[None] < one) for one in both)))
    return np.concatenate(parts)


def _p_value(values: Floats) -> float:
    return float(kstest(values, "norm").pvalue)


def _cyclic(d: int, runs: int) -> Selections:
    return Selections.from_sets([[i % d] for i in range(runs)], n_features=d)


def _slope(measure: str, r: Floats, ki: Floats, kj: Floats, d: int) -> Floats:
    score = get_measure(measure).score
    with np.errstate(divide="ignore", invalid="ignore"):
        slope: Floats = (np.asarray(score(r + STEP, ki, kj, d)) - np.asarray(score(r - STEP, ki, kj, d))) / (2 * STEP)
    return slope
