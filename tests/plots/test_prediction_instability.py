"""Predictions of the runs' models against those of the model on all rows."""

import numpy as np
import pytest

import steadyset as st
from steadyset.foundation.errors import InputError


def found(n_classes=2, *, predictions=True):
    random = np.random.default_rng(0)
    X = random.normal(size=(30, 4))
    y = np.digitize(X[:, 0] + 0.5 * random.normal(size=30), [0.0] if n_classes == 2 else [-0.5, 0.5])
    how = st.Execution(engine="serial", progress=False, predictions=predictions)
    return st.assess(["anova:k=1", "kruskal:k=1"], X, y, resampling=st.Bootstrap(4, stratified=True), execution=how)


def small():
    return st.plot.prediction_instability(found())


def test_rows_are_those_of_the_model_on_all_rows_in_order():
    data, rows = small().data, found().prediction_stability(by="row")
    own = data[data["selector"] == "anova:k=1"]
    assert own["prediction"].is_monotonic_increasing
    np.testing.assert_allclose(
        own["prediction"].unique(), np.sort(rows[rows["selector"] == "anova:k=1"]["prediction"]), rtol=1e-4
    )
    assert (own["low"] <= own["high"]).all()


def test_without_predictions_it_says_how_to_get_them():
    with pytest.raises(InputError, match="keeps no predictions"):
        st.plot.prediction_instability(found(predictions=False))
