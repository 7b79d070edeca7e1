"""Measures that need more than the sets: "all" leaves them out, a name without its need gets a sentence."""

from __future__ import annotations

import numpy as np
import pytest

import steadyset as st

Z = np.array([[1, 1, 0, 0], [1, 0, 1, 0], [0, 1, 1, 0]])
GROUPS = st.FeatureSimilarity.from_groups([0, 0, 1, 1])


def test_all_measures_are_those_whose_needs_are_met():
    without, given = st.stability_table(Z), st.stability_table(Z, similarity=GROUPS)
    assert "sechidis" not in without.index
    assert "sechidis" in given.index
    assert set(without.index) < set(given.index)


def test_a_measure_asked_for_without_its_similarity_says_what_it_needs():
    with pytest.raises(
        st.InputError, match=r"sechidis needs the similarity of the features; give similarity=FeatureSim"
    ):
        st.stability(Z, "phi_S")
    with pytest.raises(st.InputError, match="sechidis needs"):
        st.stability_table(Z, ["jaccard", "sechidis"])


def test_a_measure_of_ones_own_can_need_weights():
    measure = st.register_measure("mine", lambda r, ki, kj, d: r * 1.0, needs=("weights",))
    try:
        with pytest.raises(st.InputError, match="mine needs weights"):
            st.stability(Z, measure)
        assert "mine" not in st.stability_table(Z).index
        assert "mine" in st.stability_table(st.Selections.from_weights(Z)).index
    finally:
        st.unregister_measure("mine")


def test_unknown_needs_and_families_are_refused():
    with pytest.raises(st.InputError, match="needs holds 'luck'; expected some of similarity, weights, rankings"):
        st.register_measure("mine", lambda r, ki, kj, d: r, needs=("luck",))
    with pytest.raises(st.InputError, match="family must be one of frequency"):
        st.register_measure("mine", lambda r, ki, kj, d: r, family="luck")


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        ({"similarity": np.eye(4)}, "similarity is a ndarray; expected a FeatureSimilarity"),
        (
            {"similarity": st.FeatureSimilarity.from_groups([0, 1])},
            "There are 2 features in similarity and 4 in the Selections",
        ),
        ({"mc_error": 0}, r"mc_error must be a number above 0 \(got 0\)"),
        ({"mc_error": "small"}, r"mc_error.* must be .*\(got 'small'\)"),
        ({"similarity": GROUPS, "tresholded": True}, "sechidis has no parameter 'tresholded'; it takes thresholded"),
        ({"similarity": GROUPS, "expectation": "exact"}, "sechidis has no largest value to scale to"),
    ],
)
def test_wrong_options_get_a_sentence(options, sentence):
    with pytest.raises(st.InputError, match=sentence):
        st.stability(Z, "sechidis", **options)
