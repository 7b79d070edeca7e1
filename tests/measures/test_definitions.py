"""Every measure against its definition, computed from Python sets and lists, and against enumeration."""

from __future__ import annotations

import itertools
import math
from collections import Counter
from statistics import fmean, median

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as some

import steadyset as st
from steadyset.measures import chance
from steadyset.measures.record import all_measures

NAN = math.nan


def over(top, bottom):
    return top / bottom if bottom > 1e-12 else NAN


def corrected_lustgarten(a, b, d):
    lustgarten = PAIRWISE["lustgarten"](a, b, d)
    if math.isnan(lustgarten):
        return lustgarten
    if a == b:
        k = len(a)
        return lustgarten + (k / d if k < d / 2 else 1 / 2 if k == d / 2 else (d - k) / d)
    return lustgarten + max(len(a), len(b)) / d - 1 if not a & b else lustgarten


def least(a, b, d):
    return max(0, len(a) + len(b) - d)


def e(a, b, d):
    return len(a) * len(b) / d


PAIRWISE = {
    "jaccard": lambda a, b, d: over(len(a & b), len(a | b)),
    "dice": lambda a, b, d: over(2 * len(a & b), len(a) + len(b)),
    "ochiai": lambda a, b, d: over(len(a & b), math.sqrt(len(a) * len(b))),
    "hamming": lambda a, b, d: (len(a & b) + d - len(a | b)) / d,
    "pog": lambda a, b, d: over(len(a & b), len(a)),
    "kuncheva": lambda a, b, d: (
        over(len(a & b) - e(a, b, d), len(a) - e(a, b, d)) if len(a) == len(b) and 0 < len(a) < d else NAN
    ),
    "lustgarten": lambda a, b, d: over(len(a & b) - e(a, b, d), min(len(a), len(b)) - least(a, b, d)),
    "corrected_lustgarten": corrected_lustgarten,
    "wald": lambda a, b, d: over(len(a & b) - e(a, b, d), min(len(a), len(b)) - e(a, b, d)),
    "npog": lambda a, b, d: over(len(a & b) - e(a, b, d), len(a) - e(a, b, d)),
    "nogueira_brown": lambda a, b, d: over(
        len(a & b) - e(a, b, d), max(e(a, b, d) - least(a, b, d), min(len(a), len(b)) - e(a, b, d))
    ),
    "unadjusted": lambda a, b, d: over(len(a & b) - e(a, b, d), math.sqrt(len(a) * len(b)) - e(a, b, d)),
    "kappa": lambda a, b, d: over(len(a & b) - e(a, b, d), (len(a) + len(b)) / 2 - e(a, b, d)),
    "phi": lambda a, b, d: over(
        len(a & b) - e(a, b, d), math.sqrt(len(a) * (1 - len(a) / d) * len(b) * (1 - len(b) / d))
    ),
}


def frequencies(sets, d):
    return [sum(f in s for s in sets) / len(sets) for f in range(d)]


def nogueira(sets, d):
    M, k = len(sets), fmean(map(len, sets))
    variance = fmean(M / (M - 1) * p * (1 - p) for p in frequencies(sets, d))
    return 1 - variance / ((k / d) * (1 - k / d)) if 0 < k < d else NAN


def somol(sets, d):
    M, q = len(sets), sum(map(len, sets))
    D, H = q % d, q % M
    h = [round(p * M) for p in frequencies(sets, d)]
    return over(
        d * (q - D + sum(x * (x - 1) for x in h)) - q * q + D * D, d * (H * H + M * (q - H) - D) - q * q + D * D
    )


def novovicova(sets, d):
    M, q = len(sets), sum(map(len, sets))
    h = [round(p * M) for p in frequencies(sets, d)]
    return over(sum(x * math.log2(x) for x in h if x), q * math.log2(M))


def davis(sets, d, alpha=0.0):
    union = len(set().union(*sets))
    return max(0, sum(frequencies(sets, d)) / union - alpha * median(map(len, sets)) / d) if union else NAN


def one_size(sets):
    return len(set(map(len, sets))) == 1


def guzman(sets, d):
    k = len(sets[0])
    if not one_size(sets) or k in (0, d):
        return NAN
    return 1 - fmean(p * math.log(p) if p else 0 for p in frequencies(sets, d)) / (k / d * math.log(k / d))


def lausser(sets, d):
    return over(sum(p * p for p in frequencies(sets, d)), len(sets[0])) if one_size(sets) else NAN


def krizek(sets, d):
    shares = [n / len(sets) for n in Counter(map(frozenset, sets)).values()]
    return -sum(p * math.log2(p) for p in shares) if one_size(sets) else NAN


COLLECTIVE = {
    "nogueira": nogueira,
    "somol": somol,
    "novovicova": novovicova,
    "davis": davis,
    "goh": lambda sets, d: fmean(frequencies(sets, d)),
    "guzman": guzman,
    "lausser": lausser,
    "krizek": krizek,
}


def by_definition(name, sets, d):
    if name in COLLECTIVE:
        return COLLECTIVE[name](sets, d)
    return fmean(PAIRWISE[name](a, b, d) for a, b in itertools.permutations(sets, 2))


@some.composite
def families(draw, max_features=10):
    d = draw(some.integers(1, max_features))
    if draw(some.booleans()):
        k = draw(some.integers(0, d))
        subset = some.permutations(range(d)).map(lambda order: set(order[:k]))
    else:
        subset = some.sets(some.integers(0, d - 1))
    return d, draw(some.lists(subset, min_size=2, max_size=6))


def test_definitions_are_those_of_measures_of_subsets():
    of_subsets = {m.name for m in all_measures() if m.family in ("pairwise", "frequency", "patterns")}
    assert set(PAIRWISE) | set(COLLECTIVE) <= of_subsets


@settings(max_examples=120)
@given(families())
def test_every_measure_follows_its_definition(family):
    d, sets = family
    table = st.stability_table(st.Selections.from_sets(sets, n_features=d), [*PAIRWISE, *COLLECTIVE])["estimate"]
    for name, value in table.items():
        assert value == pytest.approx(by_definition(name, sets, d), abs=1e-10, nan_ok=True), name


@given(families(), some.floats(0, 3))
def test_davis_with_a_penalty(family, alpha):
    d, sets = family
    value = st.stability(st.Selections.from_sets(sets, n_features=d), "davis", alpha=alpha)
    assert value == pytest.approx(davis(sets, d, alpha), abs=1e-10, nan_ok=True)


@settings(max_examples=50)
@given(families(), some.floats(-2, 2))
def test_a_number_stands_for_each_undefined_pair(family, number):
    d, sets = family
    selections = st.Selections.from_sets(sets, n_features=d)
    for name, score in PAIRWISE.items():
        scores = [score(a, b, d) for a, b in itertools.permutations(sets, 2)]
        wanted = fmean(number if math.isnan(s) else s for s in scores)
        assert st.stability(selections, name, undefined=number) == pytest.approx(wanted, abs=1e-10), name


def subsets(d, k):
    return [set(s) for s in itertools.combinations(range(d), k)]


CORRECTABLE = ["jaccard", "dice", "ochiai", "hamming", "pog", "corrected_lustgarten"]


@pytest.mark.parametrize("name", CORRECTABLE)
@pytest.mark.parametrize("d", [1, 2, 5])
def test_exact_expectation_is_the_mean_over_all_pairs_of_sets(name, d):
    a, b = (x.ravel() for x in np.meshgrid(np.arange(d + 1), np.arange(d + 1)))
    expected = chance.expected_scores(st.get_measure(name), a, b, d)
    for ka, kb, ours in zip(a.tolist(), b.tolist(), expected, strict=True):
        mean = fmean(PAIRWISE[name](x, y, d) for x in subsets(d, ka) for y in subsets(d, kb))
        assert ours == pytest.approx(mean, abs=1e-12, nan_ok=True), (ka, kb)


@settings(max_examples=50)
@given(families(max_features=6))
def test_exact_correction_leaves_nothing_to_chance_and_one_to_identity(family):
    d, sets = family
    selections = st.Selections.from_sets(sets, n_features=d)
    for name in CORRECTABLE:
        scores = []
        for x, y in itertools.permutations(sets, 2):
            mean = fmean(PAIRWISE[name](a, b, d) for a in subsets(d, len(x)) for b in subsets(d, len(y)))
            scores.append(over(PAIRWISE[name](x, y, d) - mean, 1 - mean))
        ours = st.stability(selections, name, expectation="exact")
        assert ours == pytest.approx(fmean(scores), abs=1e-9, nan_ok=True), name


def test_the_law_of_the_intersection_stays_exact_for_many_features():
    """E[r] = ki kj / d through pog, whose expectation is that over ki."""
    sizes = np.array([1, 50, 1000, 500_000])
    ki, kj = (x.ravel() for x in np.meshgrid(sizes, sizes))
    expected = chance.expected_scores(st.get_measure("pog"), ki, kj, 1_000_000)
    np.testing.assert_allclose(expected, kj / 1_000_000, rtol=1e-10)


def test_long_sums_are_cut_into_chunks(monkeypatch):
    sizes = np.arange(1, 40)
    ki, kj = (x.ravel() for x in np.meshgrid(sizes, sizes))
    whole = chance.expected_scores(st.get_measure("jaccard"), ki, kj, 60)
    monkeypatch.setattr(chance, "TERMS_A_CHUNK", 7)
    np.testing.assert_array_equal(chance.expected_scores(st.get_measure("jaccard"), ki, kj, 60), whole)


SIMULATED = {
    "somol": ((1, 2, 2), {}),
    "novovicova": ((1, 2, 3), {}),
    "davis": ((1, 2, 2), {"alpha": 0.5}),
    "guzman": ((2, 2, 2), {}),
    "lausser": ((2, 2, 2), {}),
}


@pytest.mark.parametrize("name", SIMULATED)
def test_simulated_expectation_agrees_with_all_collections_of_three_sets(name):
    d, (sizes, params) = 4, SIMULATED[name]
    every = itertools.product(*(subsets(d, k) for k in sizes))
    wanted = fmean(COLLECTIVE[name](list(sets), d, **params) for sets in every)
    record = st.get_measure(name).with_params(params)
    estimate, error = chance.simulated_expectation(record, np.array(sizes), d, n_draws=20_000, seed=1)
    assert 0 < error < 0.01
    assert abs(estimate - wanted) < 4 * error


@pytest.mark.parametrize("name", ["somol", "novovicova", "davis"])
def test_simulated_expectation_agrees_with_the_exact_one_for_two_runs(name):
    sizes, d = np.array([3, 5]), 9
    exact = chance.expected_of_two(st.get_measure(name), sizes, d)
    every = itertools.product(subsets(d, 3), subsets(d, 5))
    assert exact == pytest.approx(fmean(COLLECTIVE[name](list(sets), d) for sets in every), abs=1e-12)
    estimate, error = chance.simulated_expectation(st.get_measure(name), sizes, d, n_draws=20_000, seed=2)
    assert abs(estimate - exact) < 4 * error


def test_simulation_depends_on_the_seed_only(monkeypatch):
    record, sizes = st.get_measure("davis"), np.array([3, 4, 5, 5])
    whole = chance.simulated_expectation(record, sizes, 20, n_draws=500, seed=7)
    assert chance.simulated_expectation(record, sizes, 20, n_draws=500, seed=8) != whole
    monkeypatch.setattr(chance, "TERMS_A_CHUNK", 40)
    assert chance.simulated_expectation(record, sizes, 20, n_draws=500, seed=7) == pytest.approx(whole, rel=1e-14)


def test_monte_carlo_correction_states_its_error():
    selections = st.Selections.from_sets([[0, 1], [0, 2], [0, 1]], n_features=6)
    options = {"expectation": "monte_carlo", "n_draws": 4000, "random_state": 3}
    row = st.stability_table(selections, ["davis"], **options).loc["davis"]
    assert row["estimate"] == st.stability(selections, "davis", **options)
    every = itertools.product(*(subsets(6, 2),) * 3)
    mean = fmean(davis(list(sets), 6) for sets in every)
    wanted = (st.stability(selections, "davis") - mean) / (1 - mean)
    assert 0 < row["mc_error"] < 0.02
    assert abs(row["estimate"] - wanted) < 4 * row["mc_error"]
