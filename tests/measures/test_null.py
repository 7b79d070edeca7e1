"""Facts about the expectation of measures under random selection."""

from __future__ import annotations

from itertools import combinations, product
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import steadyset as sts


def of_sizes(sizes: list[int], d: int) -> sts.Selections:
    return sts.Selections.from_sets([range(k) for k in sizes], n_features=d)


def enumerated(sizes: list[int], d: int, measure: str, **params: Any) -> float:
    """The mean over every collection of sets of these sizes."""
    subsets = [list(combinations(range(d), k)) for k in sizes]
    values = [
        sts.stability(sts.Selections.from_sets(sets, n_features=d), measure, **params) for sets in product(*subsets)
    ]
    return float(np.mean(values))


@pytest.mark.parametrize(
    "measure", ["jaccard", "pog", "npog", "ochiai", "phi", "corrected_lustgarten", "nogueira_brown"]
)
@pytest.mark.parametrize(("sizes", "d"), [([1, 2, 3], 4), ([2, 2, 1], 4), ([1, 3], 5)])
def test_pairwise_expectation_is_the_mean_of_every_collection(measure: str, sizes: list[int], d: int) -> None:
    result = sts.null_expectation(of_sizes(sizes, d), measure)
    assert result.value == pytest.approx(enumerated(sizes, d, measure), abs=1e-12)
    assert (result.se, result.method) == (0.0, "exact")


@pytest.mark.parametrize("measure", ["nogueira", "somol", "novovicova", "goh"])
@pytest.mark.parametrize(("sizes", "d"), [([1, 2, 3], 4), ([2, 2, 1], 4), ([1, 3], 5)])
def test_linear_frequency_expectation_is_the_mean_of_every_collection(measure: str, sizes: list[int], d: int) -> None:
    result = sts.null_expectation(of_sizes(sizes, d), measure)
    assert result.value == pytest.approx(enumerated(sizes, d, measure), abs=1e-12)
    assert result.method == "exact"


@pytest.mark.parametrize("measure", ["guzman", "lausser"])
def test_constant_size_expectation_is_the_mean_of_every_collection(measure: str) -> None:
    result = sts.null_expectation(of_sizes([2, 2, 2], 4), measure)
    assert result.value == pytest.approx(enumerated([2, 2, 2], 4, measure), abs=1e-12)


def test_lausser_expects_what_its_closed_form_says() -> None:
    M, k, d = 10, 7, 30
    assert sts.null_expectation(of_sizes([k] * M, d), "lausser").value == pytest.approx(1 / M + (M - 1) / M * k / d)


def test_nogueira_expects_minus_0_5102_of_sizes_one_and_six_of_seven() -> None:
    assert sts.null_expectation(of_sizes([1, 6], 7)).value == pytest.approx(-6.25 / (49 * 0.25), abs=1e-14)


@settings(max_examples=60, deadline=None)
@given(
    st.integers(2, 40).flatmap(lambda d: st.tuples(st.just(d), st.lists(st.integers(0, d), min_size=2, max_size=12)))
)
def test_nogueira_expects_minus_the_variance_of_the_sizes(case: tuple[int, list[int]]) -> None:
    d, sizes = case
    M, share = len(sizes), np.mean(sizes) / d
    value = sts.null_expectation(of_sizes(sizes, d), "nogueira").value
    if share in (0, 1):
        assert np.isnan(value)
    else:
        expected = -np.var(sizes) / ((M - 1) * d**2 * share * (1 - share))
        assert value == pytest.approx(expected, abs=1e-10)


def test_corrected_lustgarten_expects_minus_0_724_of_two_pairs_of_twenty() -> None:
    assert sts.null_expectation(of_sizes([2, 2], 20), "corrected_lustgarten").value == pytest.approx(-0.724, abs=5e-4)


@pytest.mark.parametrize(
    "measure", ["kuncheva", "lustgarten", "wald", "npog", "nogueira_brown", "unadjusted", "kappa", "phi"]
)
def test_corrected_pairwise_measures_expect_zero(measure: str) -> None:
    sizes = [4, 4, 4] if measure == "kuncheva" else [1, 4, 7, 7]
    assert sts.null_expectation(of_sizes(sizes, 11), measure).value == pytest.approx(0, abs=1e-12)


def test_davis_of_two_runs_is_exact_and_of_more_is_simulated() -> None:
    assert sts.null_expectation(of_sizes([1, 2], 4), "davis", alpha=0.3).value == pytest.approx(
        enumerated([1, 2], 4, "davis", alpha=0.3)
    )
    simulated = sts.null_expectation(of_sizes([1, 2, 2], 4), "davis", random_state=1)
    assert simulated.method == "monte_carlo"
    assert abs(simulated.value - enumerated([1, 2, 2], 4, "davis")) < 5 * simulated.se


def test_krizek_is_simulated_and_the_seed_decides() -> None:
    sel = of_sizes([1, 1, 1], 4)
    a, b = (sts.null_expectation(sel, "krizek", n_draws=500, random_state=3) for _ in range(2))
    assert a == b
    assert abs(a.value - enumerated([1, 1, 1], 4, "krizek")) < 5 * a.se


def test_undefined_by_chance_is_nan() -> None:
    assert np.isnan(sts.null_expectation(of_sizes([1, 2], 4), "kuncheva").value)


def test_exact_correction_of_many_runs_subtracts_the_null_expectation() -> None:
    sel = sts.Selections.from_sets([[0, 1], [0, 2], [0, 1], [3]], n_features=6)
    value, expected = sts.stability(sel, "novovicova"), sts.null_expectation(sel, "novovicova").value
    assert sts.stability(sel, "novovicova", expectation="exact") == pytest.approx((value - expected) / (1 - expected))


PATH = sts.FeatureSimilarity.from_matrix(
    np.array([[1, 0.95, 0, 0], [0.95, 1, 0.92, 0], [0, 0.92, 1, 0], [0, 0, 0, 1]]), threshold=0.9
)


@pytest.mark.parametrize("measure", ["sechidis", "zucknick", "pogr", "npogr", "yu", "intersection_greedy"])
@pytest.mark.parametrize("sizes", [[1, 2], [2, 2, 3]])
def test_expectation_with_similar_features_is_the_mean_of_every_collection(measure: str, sizes: list[int]) -> None:
    result = sts.null_expectation(of_sizes(sizes, 4), measure, similarity=PATH)
    assert result.value == pytest.approx(enumerated(sizes, 4, measure, similarity=PATH), abs=1e-12)
    assert result.method == "exact"
