"""Samples by features: deviations from the mean of a feature, samples of a class together."""

import numpy as np
from tests.plots.test_feature_values import assessed

import steadyset as st


def small():
    return st.plot.heat_map(assessed()[0])


def test_cells_are_deviations_in_standard_deviations():
    result, X, _ = assessed()
    shown = st.plot.heat_map(result).data
    for name in ("g0", "g3"):
        found = sorted(shown.loc[shown["feature"] == name, "deviation"]) if name in set(shown["feature"]) else None
        if found is not None:
            assert np.allclose(found, sorted((X[name] - X[name].mean()) / X[name].std(ddof=0)), atol=1e-3)


def test_samples_of_a_class_stand_together_and_features_go_by_direction():
    shown = small().data
    labels = shown.sort_values("column").drop_duplicates("column")["label"].tolist()
    assert labels == sorted(labels)
    rows = shown.drop_duplicates("row").sort_values("row")["feature"].tolist()
    assert {"g0", "g1", "g2"} <= set(rows)


def test_many_samples_are_averaged_within_their_class():
    random = np.random.default_rng(0)
    X, y = random.standard_normal((400, 6)), np.repeat(["a", "b"], [390, 10])
    X[y == "b", :2] += 3
    result = st.assess("anova:k=2", X, y, resampling=st.KFold(3), scoring=[], execution=st.Execution(engine="serial"))
    picture = st.plot.heat_map(result)
    assert picture.data["column"].nunique() <= 150
    assert picture.data.groupby("column")["label"].nunique().max() == 1
    assert "400 samples, neighbours averaged." in picture.note
