"""The curve of stability by the threshold of similarity."""

import numpy as np
import pytest

import steadyset as st
from steadyset.findings import findings_of


def alike() -> st.FeatureSimilarity:
    random = np.random.default_rng(0)
    base = random.normal(size=(60, 8))
    return st.FeatureSimilarity.from_data(np.hstack([base, base + 0.7 * random.normal(size=base.shape)]))


def runs(seed: int) -> st.Selections:
    random = np.random.default_rng(seed)
    chosen = [np.unique(random.integers(0, 4, size=4) + 8 * random.integers(0, 2, size=4)) for _ in range(15)]
    return st.Selections.from_sets(chosen, n_features=16)


def small() -> st.plot.Picture:
    return st.plot.stability_by_threshold({"first": runs(0), "second": runs(1)}, alike())


def test_each_point_is_the_interval_of_its_threshold():
    data = st.plot.stability_by_threshold(runs(0), alike(), thresholds=[0.6, 0.95], level=0.9).data
    for row in data.to_dict("records"):
        similarity = alike().with_threshold(row["threshold"])
        expected = st.confidence_interval(runs(0), "intersection_count", similarity=similarity, level=0.9)
        assert (row["estimate"], row["low"], row["high"]) == pytest.approx(
            (expected.estimate, expected.low, expected.high)
        )


def test_exchanged_features_make_the_curve_fall():
    data = small().data
    for _, part in data.groupby("selector"):
        assert part["estimate"].iloc[0] > part["estimate"].iloc[-1]


def test_a_similarity_is_needed():
    with pytest.raises(st.InputError, match="similarity"):
        st.plot.stability_by_threshold(runs(0))


def test_the_report_of_a_tuning_has_the_curve_of_its_choice():
    random = np.random.default_rng(2)
    X = random.normal(size=(60, 10))
    X[:, 5:] = X[:, :5] + 0.5 * random.normal(size=(60, 5))
    y = (X[:, 0] + 0.5 * random.normal(size=60) > 0).astype(int)
    space = {"filter": ["anova"], "fraction": [0.2, 0.4], "model": {"knn": {}}}
    search = {"sampler": "grid", "measure": "intersection_count", "threshold": 0.7}
    tuned = st.tune(space, X, y, search=search, resampling=st.KFold(5))
    assert tuned.evaluator.similarity.threshold == 0.7
    found = findings_of(tuned)
    data = st.plot.stability_by_threshold(found).data
    assert 0.7 in data["threshold"].tolist()
    sel = tuned.selections(tuned.choose())
    at = data.loc[data["threshold"] == 0.7, "estimate"].iloc[0]
    assert at == pytest.approx(st.stability(sel, "intersection_count", similarity=tuned.evaluator.similarity))


@pytest.mark.parametrize(
    "search",
    [
        {"threshold": 0.5},
        {"measure": "intersection_count", "threshold": 1.2},
        {"measure": "intersection_count", "threshold": 0.5, "similarity": alike()},
    ],
)
def test_a_threshold_without_use_is_refused(search):
    with pytest.raises(st.InputError, match="threshold"):
        st.SearchOptions(**search)
