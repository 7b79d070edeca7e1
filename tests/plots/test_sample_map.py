"""Samples by principal components of the first features, held against those of scikit-learn."""

import numpy as np
from sklearn.decomposition import PCA
from sklearn.preprocessing import StandardScaler
from tests.plots.test_feature_values import assessed

import steadyset as st


def small():
    return st.plot.sample_map(assessed()[0])


def test_the_places_are_the_principal_components_up_to_sign_and_scale():
    result, X, _ = assessed()
    shown = st.plot.sample_map(result).data
    names = list(st.findings_of(result).frequencies["anova:k=3"])[:8]
    found = PCA(2).fit(StandardScaler().fit_transform(X[names]))
    places = found.transform(StandardScaler().fit_transform(X[names]))
    for column, expected in zip(("across", "upwards"), places.T, strict=True):
        assert abs(np.corrcoef(shown[column], expected)[0, 1]) > 0.9999
    assert f"across {round(100 * found.explained_variance_ratio_[0])}%" in st.plot.sample_map(result).note


def test_the_classes_have_words_in_the_picture():
    assert set(small().data["label"]) == {"case", "control"}
    assert "6 of case and 6 of control" in small().description
