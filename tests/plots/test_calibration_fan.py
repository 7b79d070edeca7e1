"""The calibration of each run's model on the same rows."""

import numpy as np
from tests.plots.test_prediction_instability import found

import steadyset as st


def small():
    return st.plot.calibration_fan(found())


def test_curves_are_those_of_the_table():
    result = found()
    data, table = st.plot.calibration_fan(result).data, result.prediction_stability(by="tenth")
    assert set(data["model"]) == {"all rows", "a run"}
    np.testing.assert_allclose(data[["predicted", "observed"]], table[["predicted", "observed"]], rtol=1e-4)


def test_three_classes_have_a_panel_each():
    data = st.plot.calibration_fan(found(3)).data
    assert data["panel"].unique().tolist()[:3] == ["anova:k=1, 0", "anova:k=1, 1", "anova:k=1, 2"]
