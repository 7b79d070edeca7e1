"""Where instability comes from."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as some
from hypothesis.extra import numpy as some_arrays

import steadyset as st

matrices = some_arrays.arrays(np.bool_, some.tuples(some.integers(2, 7), some.integers(2, 8)))


@given(matrices)
@settings(max_examples=40, deadline=None)
def test_contributions_sum_to_one_minus_stability(Z: np.ndarray) -> None:
    total = st.instability_by_feature(Z)["contribution"].sum(skipna=False)
    if not np.isnan(st.stability(Z)):
        assert total == pytest.approx(1 - st.stability(Z), abs=1e-12)


@given(matrices, some.integers(1, 4))
@settings(max_examples=40, deadline=None)
def test_what_remains_in_groups_is_the_variance_of_how_many_members_are_selected(Z: np.ndarray, n: int) -> None:
    d = Z.shape[1]
    groups = np.arange(d) % n
    frame = st.instability_by_feature(Z, st.FeatureSimilarity.from_groups(groups.tolist()))
    if np.isnan(st.stability(Z)):
        return
    counts = np.stack([Z[:, groups == g].sum(axis=1) for g in range(n)], axis=1)
    mean = Z.mean()
    expected = counts.var(axis=0, ddof=1).sum() / (d * mean * (1 - mean))
    assert frame["remaining"].sum() == pytest.approx(expected, abs=1e-12)
    np.testing.assert_allclose(frame["remaining"], frame["contribution"] - frame["exchanged"])


def test_substitutes_explain_all_instability() -> None:
    sel = st.Selections.from_sets([["a", "b"], ["a", "c"], ["a", "b"], ["a", "c"]], features=["a", "b", "c", "d"])
    similarity = st.FeatureSimilarity.from_groups([["b", "c"]], features=["a", "b", "c", "d"])
    frame = st.instability_by_feature(sel, similarity)
    assert frame["exchanged"].sum() / frame["contribution"].sum() == pytest.approx(1)
    swaps = st.swap_table(sel, similarity)
    assert swaps[["feature", "other", "both"]].to_numpy().tolist() == [["b", "c", 0.0]]
    assert swaps["swap_rate"][0] == pytest.approx(2 * 2 * 2 / (4 * 3))
    assert swaps["covariance"][0] == pytest.approx(np.cov([1, 0, 1, 0], [0, 1, 0, 1])[0, 1])


def test_features_that_come_together_are_no_swap() -> None:
    sel = st.Selections.from_sets([[0, 1, 2], [2], [0, 1, 2], [2, 3]], n_features=5)
    similarity = st.FeatureSimilarity.from_groups([[0, 1]], n_features=5)
    assert len(st.swap_table(sel, similarity)) == 0
    assert (st.instability_by_feature(sel, similarity)["exchanged"] <= 0).all()


def test_the_swap_map_needs_the_same_features() -> None:
    with pytest.raises(st.InputError, match="There are 3 features in similarity and 4 in the Selections"):
        st.swap_table(
            st.Selections.from_sets([[0], [1]], n_features=4),
            st.FeatureSimilarity.from_groups([[0, 1, 2]], n_features=3),
        )
    with pytest.raises(st.InputError, match="similarity is a ndarray; expected a FeatureSimilarity"):
        st.swap_table(st.Selections.from_sets([[0], [1]], n_features=4), np.eye(4))  # type: ignore[arg-type]
    with pytest.raises(st.InputError, match="at least 2 are needed"):
        st.instability_by_feature(st.Selections.from_sets([[0]], n_features=4))
