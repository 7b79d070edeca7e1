"""What a paper states where its measure is undefined: ours is nan, and undefined="paper" takes the stated value."""

from __future__ import annotations

import math

import numpy as np
import pytest

import steadyset as st

EMPTY, FULL, SOME, MORE = [], [0, 1, 2, 3], [0], [0, 1]
STATED = {
    # Sen, Mandal and Chakraborty 2021, section 3.1: Kuncheva's index is set to 0 for k = 0 and k = n.
    "kuncheva": [(EMPTY, EMPTY, 0.0), (FULL, FULL, 0.0), (EMPTY, SOME, math.nan), (FULL, MORE, math.nan)],
    # Section 3.2.1: 0 if one set or both are empty or full.
    "lustgarten": [(EMPTY, EMPTY, 0.0), (FULL, FULL, 0.0), (EMPTY, SOME, 0.0), (FULL, MORE, 0.0), (EMPTY, FULL, 0.0)],
    # Equation 12: 0 for r = n; for r = 0 Lustgarten's measure, which is 0 here, + max(k_i, k_j)/n - 1.
    "corrected_lustgarten": [
        (FULL, FULL, 0.0),
        (FULL, MORE, 0.0),
        (EMPTY, FULL, 0.0),
        (EMPTY, SOME, 1 / 4 - 1),
        (EMPTY, EMPTY, -1.0),
    ],
    # Their sources state nothing.
    "wald": [(EMPTY, EMPTY, math.nan), (FULL, FULL, math.nan)],
    "jaccard": [(EMPTY, EMPTY, math.nan)],
    "nogueira": [(EMPTY, EMPTY, math.nan), (FULL, FULL, math.nan)],
}
CASES = [(name, *case) for name, cases in STATED.items() for case in cases]


def two(first, second):
    return st.Selections.from_sets([first, second], n_features=4)


@pytest.mark.parametrize(("measure", "first", "second", "stated"), CASES)
def test_the_value_that_the_source_states(measure, first, second, stated):
    assert math.isnan(st.stability(two(first, second), measure))
    for runs in (two(first, second), two(second, first)):
        assert st.stability(runs, measure, undefined="paper") == pytest.approx(stated, nan_ok=True)


@pytest.mark.parametrize("measure", st.list_measures().index)
def test_no_value_that_is_defined_changes(measure):
    record = st.get_measure(measure)
    runs = st.Selections.from_weights([[3.0, 1.0, 0.0, 0.0], [2.0, 0.0, 1.0, 0.0], [0.0, 1.0, 2.0, 0.0]])
    options = {"similarity": st.FeatureSimilarity.from_groups([[0, 1]], n_features=4)} if record.adjusted else {}
    if record.higher_is_steadier or "rankings" not in record.needs:
        plain, stated = (st.stability(runs, measure, undefined=how, **options) for how in ("nan", "paper"))
        assert plain == pytest.approx(stated, nan_ok=True)


def test_msi_has_the_values_of_its_paper_anyway():
    # Hamer and Dupont 2021, p. 8, note 1: an empty run and another share 0, two empty runs 1.
    similarity = st.FeatureSimilarity.from_matrix(np.eye(4))
    for second, stated in ((EMPTY, 1.0), (SOME, 0.0)):
        for undefined in ("nan", "paper"):
            value = st.stability(two(EMPTY, second), "msi", similarity=similarity, undefined=undefined)
            assert value == stated


def test_a_mean_over_pairs_counts_stated_values_and_its_note_names_them():
    # Pairs: (empty, {0}) and (empty, {0,1}) by convention 0; ({0}, {0,1}) is (1 - 1/2) / 1.
    runs = st.Selections.from_sets([EMPTY, SOME, MORE], n_features=4)
    table = st.stability_table(runs, ["lustgarten"], undefined="paper")
    assert table.loc["lustgarten", "estimate"] == pytest.approx((0 + 0 + 1 / 2) / 3)
    assert "by convention for 2 of 3 pairs: 0 if a set is empty or full" in table.loc["lustgarten", "note"]
    interval = st.confidence_interval(runs, "lustgarten", undefined="paper")
    assert interval.estimate == pytest.approx(1 / 6)
    assert interval.low <= 1 / 6 <= interval.high


def test_leave_one_out_values_follow_the_convention_too():
    runs = st.Selections.from_sets([EMPTY, SOME, MORE, [0, 2]], n_features=4)
    zero = st.confidence_interval(runs, "lustgarten", undefined=0.0)
    stated = st.confidence_interval(runs, "lustgarten", undefined="paper")
    assert stated.se == pytest.approx(zero.se)


def test_a_correction_of_ours_has_no_source_and_stays_undefined():
    assert math.isnan(st.stability(two(FULL, FULL), "corrected_lustgarten", undefined="paper", expectation="exact"))


def test_sets_of_different_methods_are_compared_by_the_convention_too():
    found = st.consensus({"a": two(EMPTY, SOME), "b": two(SOME, FULL)}, measure="lustgarten", undefined="paper").between
    # Of the four pairs only ({0}, {0}) has a value of its own: (1 - 1/4) / 1.
    assert found.loc[0, "agreement"] == pytest.approx(0.75 / 4)


@pytest.mark.parametrize("measure", ["lustgarten", "corrected_lustgarten"])
def test_the_certificate_has_both_readings(measure):
    decided = st.certify(measure).properties
    assert decided["fully_defined"].holds
    assert not decided["defined_at_limits"].holds
    assert decided["defined_by_convention"].holds


def test_a_certificate_without_a_convention_says_so():
    decided = st.certify("jaccard").properties["defined_by_convention"]
    assert decided.holds is None
    assert "states no convention" in str(decided)


def test_a_measure_of_ones_own_brings_its_convention():
    def overlap(r, ki, kj, d):
        smaller = np.minimum(ki, kj)
        return np.where(smaller > 0, r / np.maximum(smaller, 1), np.nan)

    st.register_measure("overlap", overlap, bounds=(0, 1), by_convention=lambda r, ki, kj, d: np.ones(len(r)))
    try:
        assert math.isnan(st.stability(two(EMPTY, SOME), "overlap"))
        assert st.stability(two(EMPTY, SOME), "overlap", undefined="paper") == 1
    finally:
        st.unregister_measure("overlap")
