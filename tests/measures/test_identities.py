"""Identities between measures, and what must not change them."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as some

import steadyset as st
from steadyset.measures.record import all_measures

ALL = [record.name for record in all_measures() if record.family in ("pairwise", "frequency", "patterns")]


@some.composite
def collections(draw, min_runs=2, max_runs=7, max_features=9, one_size=False):
    """Any collection of sets: runs, sizes and features are free, empty and full sets included."""
    d = draw(some.integers(1, max_features))
    M = draw(some.integers(min_runs, max_runs))
    size = draw(some.integers(0, d))
    subset = (
        some.permutations(range(d)).map(lambda order: order[:size]) if one_size else some.sets(some.integers(0, d - 1))
    )
    return st.Selections.from_sets(draw(some.lists(subset, min_size=M, max_size=M)), n_features=d)


def proper(selections):
    return 0 < selections.sizes[0] < selections.n_features


@given(collections(one_size=True).filter(proper))
def test_constant_sizes_make_the_corrected_measures_equal_to_the_last_bit(selections):
    kuncheva = st.stability(selections, "kuncheva")
    for name in ("wald", "npog", "kappa", "phi", "unadjusted", "nogueira_brown"):
        assert st.stability(selections, name) == kuncheva, name


@given(collections(one_size=True).filter(proper))
def test_constant_sizes_make_nogueira_equal_kuncheva(selections):
    assert st.stability(selections, "nogueira") == pytest.approx(st.stability(selections, "kuncheva"), abs=1e-12)


@given(collections())
def test_nogueira_is_fleiss_kappa(selections):
    """Fleiss 1971: d subjects, M raters, the categories selected and not selected."""
    M, d = selections.n_runs, selections.n_features
    assume(0 < selections.sizes.sum() < M * d)
    votes = np.stack([selections.counts, M - selections.counts], axis=1)
    agreement = np.mean(np.sum(votes * (votes - 1), axis=1) / (M * (M - 1)))
    by_chance = np.sum((votes.sum(axis=0) / (M * d)) ** 2)
    kappa = (agreement - by_chance) / (1 - by_chance)
    assert st.stability(selections, "nogueira") == pytest.approx(kappa, abs=1e-12)


@given(some.integers(2, 5), some.integers(1, 8), some.randoms(use_true_random=False))
def test_somol_tends_to_nogueira_for_many_runs(d, repeats, random):
    """Where d and M divide the number of selections, nogueira = (M somol - 1) / (M - 1)."""
    k, M = random.randrange(1, d), d * repeats
    selections = st.Selections.from_sets([random.sample(range(d), k) for _ in range(M)], n_features=d)
    somol, nogueira = st.stability(selections, "somol"), st.stability(selections, "nogueira")
    assert nogueira == pytest.approx((M * somol - 1) / (M - 1), abs=1e-12)
    assert abs(nogueira - somol) <= 1 / (M - 1) + 1e-12


@given(collections())
@pytest.mark.parametrize(
    ("raw", "corrected"), [("pog", "npog"), ("dice", "kappa"), ("hamming", "kappa"), ("ochiai", "unadjusted")]
)
def test_corrections_for_chance_that_have_a_name_of_their_own(raw, corrected, selections):
    ours, named = st.stability(selections, raw, expectation="exact"), st.stability(selections, corrected)
    assert ours == pytest.approx(named, abs=1e-10, nan_ok=True)


@given(collections(max_runs=2))
def test_two_runs_make_novovicova_dice_and_davis_half_of_one_plus_jaccard(selections):
    dice, jaccard = st.stability(selections, "dice"), st.stability(selections, "jaccard")
    assert st.stability(selections, "novovicova") == pytest.approx(dice, abs=1e-12, nan_ok=True)
    assert st.stability(selections, "davis") == pytest.approx((1 + jaccard) / 2, abs=1e-12, nan_ok=True)


@given(collections(one_size=True))
def test_lausser_is_dice_with_each_run_paired_with_itself_too(selections):
    M = selections.n_runs
    dice = st.stability(selections, "dice")
    assert st.stability(selections, "lausser") == pytest.approx((1 + (M - 1) * dice) / M, abs=1e-12, nan_ok=True)


@given(collections())
def test_goh_is_the_mean_size_relative_to_all_features(selections):
    assert st.stability(selections, "goh") == pytest.approx(selections.sizes.mean() / selections.n_features)


@settings(max_examples=40)
@given(collections(), some.randoms(use_true_random=False))
def test_the_order_of_runs_and_of_features_changes_nothing(selections, random):
    runs, features = list(range(selections.n_runs)), list(range(selections.n_features))
    random.shuffle(runs)
    random.shuffle(features)
    moved = st.Selections.from_matrix(selections.to_matrix().toarray()[runs][:, features])
    for expectation in ("none", "exact"):
        before = st.stability_table(selections, ALL, expectation=expectation)["estimate"]
        after = st.stability_table(moved, ALL, expectation=expectation)["estimate"]
        np.testing.assert_array_equal(before, after)


@given(collections())
def test_every_value_lies_within_the_bounds_of_its_measure(selections):
    for name, value in st.stability_table(selections, ALL)["estimate"].items():
        low, high = st.get_measure(name).bounds
        assert np.isnan(value) or low - 1e-12 <= value <= high + 1e-12, name


@given(collections())
def test_wald_and_npog_never_fall_below_one_minus_d(selections):
    for name in ("wald", "npog"):
        assert st.stability(selections, name, undefined=0) >= 1 - selections.n_features - 1e-9


@given(some.integers(2, 6), some.integers(2, 9), some.data())
def test_identical_runs_have_the_largest_value(M, d, data):
    chosen = data.draw(some.sets(some.integers(0, d - 1), min_size=1, max_size=d - 1))
    selections = st.Selections.from_sets([chosen] * M, n_features=d)
    k = len(chosen)
    not_one = {"krizek": 0.0, "goh": k / d, "lustgarten": (k - k**2 / d) / (k - max(0, 2 * k - d))}
    for name in ALL:
        wanted = not_one.get(name, 1.0)
        value = st.stability(selections, name)
        assert value == pytest.approx(wanted, abs=1e-12), name
        assert str(value) != "-0.0", name


def test_the_counter_example_that_novovicova_is_not_monotone():
    """Nogueira 2018's pair of collections: the steadier one (less total variance) scores lower."""
    steadier = st.Selections.from_matrix([[1, 0, 0, 1, 0], [0, 1, 0, 1, 0], [0, 0, 0, 1, 1], [0, 0, 1, 1, 0]])
    other = st.Selections.from_matrix([[1, 0, 0, 1, 0], [0, 1, 0, 1, 0], [1, 0, 1, 0, 0], [0, 1, 0, 1, 0]])
    assert st.stability(steadier, "nogueira") > st.stability(other, "nogueira")
    assert st.stability(steadier, "novovicova") == pytest.approx(0.5)
    assert st.stability(other, "novovicova") == pytest.approx(0.547, abs=5e-4)
