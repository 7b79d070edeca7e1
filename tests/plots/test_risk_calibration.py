"""Predicted against observed survival of left-out rows."""

import numpy as np
import pytest
from tests.plots.test_risk_groups import found

import steadyset as st


def small():
    return st.plot.risk_calibration(found())


def test_what_a_right_model_predicts_is_observed_and_noise_predicts_the_same_for_all():
    random = np.random.default_rng(3)
    X = random.normal(size=(500, 4))
    y = st.Survival(random.exponential(np.exp(-X[:, 0])), np.ones(500))
    resampling = st.Subsample(10, fraction=0.7)
    right = st.plot.risk_calibration(st.assess(["anova:k=1"], X, y, resampling=resampling)).data
    assert (right["predicted"] - right["observed"]).abs().max() < 0.06
    assert np.ptp(right["predicted"]) > 0.4
    noise = st.assess(["anova:k=1"], random.permutation(X), y, resampling=resampling)
    assert np.ptp(st.plot.risk_calibration(noise).data["predicted"]) < 0.15


def test_the_nearest_time_is_taken_and_told():
    result = found()
    times = np.array(st.findings_of(result).risk_groups[0].times)
    picture = st.plot.risk_calibration(result, at=float(times[4] + 0.1))
    assert picture.data["time"].unique().tolist() == [times[4]]
    assert f"Up to the time {times[4]:.4g}." in picture.note
    low, _, high = picture.data["predicted"]
    assert low > high


def test_who_predicts_risks_alone_has_no_calibration():
    random = np.random.default_rng(0)
    X = random.normal(size=(60, 3))
    y = st.Survival(random.exponential(np.exp(-X[:, 0])), np.ones(60))
    forest = st.selectors.ForestSelector(1, n_estimators=5, random_state=0)
    options = {"resampling": st.Subsample(4), "execution": st.Execution(engine="serial", progress=False)}
    result = st.assess(["anova:k=1"], X, y, predictor=forest, **options)
    assert result.failures.empty
    assert st.plot.risk_groups(result).data["share"].notna().all()
    assert not st.plot.get_picture("risk_calibration").can_show(st.findings_of(result))
    with pytest.raises(st.InputError, match="no predicted curves"):
        st.plot.risk_calibration(result)
    runs = st.Selections.from_sets([["a"], ["a"]], features=list("ab"))
    with pytest.raises(st.InputError, match="no predicted curves"):
        st.plot.risk_calibration(st.findings_of(runs))
    with pytest.raises(st.InputError, match="at must be a number"):
        st.plot.risk_calibration(found(), at="late")
