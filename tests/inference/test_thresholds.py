"""The stability by the threshold of similarity is that of each threshold by itself."""

import numpy as np
import pytest

import steadyset as st


@pytest.fixture(scope="module")
def alike():
    rng = np.random.default_rng(0)
    base = rng.normal(size=(50, 5))
    X = np.hstack([base, base + 0.5 * rng.normal(size=base.shape), base + rng.normal(size=base.shape)])
    runs = st.Selections.from_matrix(rng.random((12, 15)) < np.append(1.0, np.full(14, 0.3)))
    return runs, st.FeatureSimilarity.from_data(X)


def test_each_row_is_the_interval_of_its_threshold(alike):
    runs, similarity = alike
    table = st.stability_table(runs, ["intersection_count", "zucknick"], similarity=similarity, thresholds=[0.9, 0.5])
    assert table.index.names == ["measure", "threshold"]
    assert table.index.tolist() == [
        ("intersection_count", 0.5),
        ("intersection_count", 0.9),
        ("zucknick", 0.5),
        ("zucknick", 0.9),
    ]
    for (measure, threshold), row in table.iterrows():
        expected = st.confidence_interval(runs, measure, similarity=similarity.with_threshold(threshold))
        assert row[["estimate", "low", "high"]].tolist() == pytest.approx(
            [expected.estimate, expected.low, expected.high]
        )


def test_beyond_all_similarities_adjusted_measures_are_those_without_similarity(alike):
    runs, similarity = alike
    table = st.stability_table(runs, ["yu"], similarity=similarity, thresholds=[1.0], level=None)
    alone = st.FeatureSimilarity.from_matrix(np.eye(15))
    assert table["estimate"].tolist() == pytest.approx([st.stability(runs, "yu", similarity=alone)])


def test_more_alike_features_never_lower_an_uncorrected_overlap(alike):
    runs, similarity = alike
    thresholds = np.linspace(0.1, 1, 10)
    table = st.stability_table(runs, ["pogr"], similarity=similarity, thresholds=thresholds, level=None)
    assert (np.diff(table["estimate"]) <= 1e-12).all()


def test_all_are_the_measures_that_need_a_similarity(alike):
    runs, similarity = alike
    table = st.stability_table(runs, similarity=similarity, thresholds=[0.8], level=None)
    names = table.index.get_level_values("measure")
    assert {"intersection_count", "pogr"} <= set(names)
    assert "nogueira" not in names


def test_several_selectors_have_a_level_of_their_own():
    rng = np.random.default_rng(1)
    X = rng.normal(size=(60, 6))
    y = (X[:, 0] > 0).astype(int)
    result = st.assess(["anova:k=2", "variance:k=2"], X, y, resampling=st.Subsample(5), scoring=[])
    similarity = st.FeatureSimilarity.from_data(X)
    options = {"similarity": similarity, "thresholds": [0.1, 0.9], "level": None}
    table = st.stability_table(result, ["intersection_count"], **options)
    assert table.index.names == ["selector", "measure", "threshold"]
    assert len(table) == 4


@pytest.mark.parametrize(
    ("options", "word"),
    [
        ({"thresholds": [0.5]}, "similarity"),
        ({"thresholds": [], "similarity": True}, "thresholds"),
        ({"thresholds": "0.5", "similarity": True}, "thresholds"),
        ({"thresholds": [1.5], "similarity": True}, "threshold"),
        ({"thresholds": [0.5], "similarity": True, "measures": ["nogueira"]}, "nogueira"),
    ],
)
def test_what_has_no_curve_is_refused(alike, options, word):
    runs, similarity = alike
    given = {**options, "similarity": similarity} if options.get("similarity") else options
    with pytest.raises(st.InputError, match=word):
        st.stability_table(runs, **{"measures": ["intersection_count"], **given})


def test_a_similarity_keeps_its_values_with_another_threshold(alike):
    similarity = alike[1]
    other = similarity.with_threshold(0.4)
    everything = np.arange(15)
    np.testing.assert_array_equal(other.block(everything, everything), similarity.block(everything, everything))
    assert (other.threshold, similarity.threshold) == (0.4, 0.9)
    assert len(other.neighbours.indices) > len(similarity.neighbours.indices)
