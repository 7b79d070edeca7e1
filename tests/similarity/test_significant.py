"""Positive and significant correlations as similarities, against the tests of scipy."""

import numpy as np
import pytest
from scipy import stats

import steadyset as st


@pytest.fixture(scope="module")
def correlated():
    rng = np.random.default_rng(0)
    common = rng.normal(size=(40, 1))
    return common * np.linspace(-1, 1, 12) + rng.normal(size=(40, 12))


@pytest.mark.parametrize(("method", "test"), [("pearson", stats.pearsonr), ("spearman", stats.spearmanr)])
@pytest.mark.parametrize(("positive", "alternative"), [(True, "greater"), (False, "two-sided")])
@pytest.mark.parametrize("level", [0.05, 0.01])
def test_similar_features_are_those_whose_correlation_is_significant(
    correlated, method, test, positive, alternative, level
):
    similarity = st.FeatureSimilarity.from_data(correlated, method=method, positive=positive, significant=level)
    indptr, indices, values = similarity.neighbours
    found = {(f, int(g)) for f in range(12) for g in indices[indptr[f] : indptr[f + 1]]}
    p_values = {
        (f, g): test(correlated[:, f], correlated[:, g], alternative=alternative).pvalue
        for f in range(12)
        for g in range(12)
        if f != g
    }
    assert found == {pair for pair, p in p_values.items() if p <= level}
    assert 0 < len(found) < len(p_values)
    assert values.min() >= similarity.threshold - 1e-12
    assert "n = 40 rows" in similarity.notes[0]


def test_negative_correlations_count_as_0_where_only_positive_ones_count(correlated):
    expected = np.clip(np.corrcoef(correlated.T), 0, 1)
    similarity = st.FeatureSimilarity.from_data(correlated, positive=True, threshold=0.2)
    everything = np.arange(12)
    np.testing.assert_allclose(similarity.block(everything, everything), expected, atol=1e-12)
    indptr, indices, values = similarity.neighbours
    for f in range(12):
        near = slice(indptr[f], indptr[f + 1])
        others = np.flatnonzero((expected[f] >= 0.2) & (everything != f))
        assert indices[near].tolist() == others.tolist()
        np.testing.assert_allclose(values[near], expected[f, others], atol=1e-12)


def test_pogr_counts_significantly_positively_correlated_features():
    rng = np.random.default_rng(1)
    base = rng.normal(size=60)
    X = np.column_stack([base, base + rng.normal(size=60), -base + 0.1 * rng.normal(size=60), rng.normal(size=60)])
    runs = st.Selections.from_sets([[0], [1]], n_features=4)
    opposite = st.Selections.from_sets([[0], [2]], n_features=4)
    similarity = st.FeatureSimilarity.from_data(X, positive=True, significant=0.05)
    assert st.stability(runs, "pogr", similarity=similarity) == 1
    assert st.stability(opposite, "pogr", similarity=similarity) == 0
    absolute = st.FeatureSimilarity.from_data(X, significant=0.05)
    assert st.stability(opposite, "pogr", similarity=absolute) == 1


@pytest.mark.parametrize(
    "options",
    [
        {"method": "mutual_info", "positive": True},
        {"method": "mutual_info", "significant": 0.05},
        {"threshold": 0.5, "significant": 0.05},
        {"significant": 0.0},
        {"significant": 0.7},
    ],
)
def test_what_has_no_meaning_is_refused(correlated, options):
    with pytest.raises(st.InputError):
        st.FeatureSimilarity.from_data(correlated, **options)


def test_a_test_needs_three_rows():
    with pytest.raises(st.InputError, match="2 rows"):
        st.FeatureSimilarity.from_data([[1.0, 2.0], [3.0, 5.0]], significant=0.05)
