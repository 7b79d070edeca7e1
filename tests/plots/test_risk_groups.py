"""Survival of left-out rows by predicted risk."""

import numpy as np
import pytest

import steadyset as st
from steadyset.foundation.errors import InputError
from steadyset.tasks.survival import risk_curves


def found():
    random = np.random.default_rng(0)
    X = random.normal(size=(90, 4))
    y = st.Survival(np.ceil(100 * random.exponential(np.exp(-1.5 * X[:, 0]))), random.random(90) < 0.8)
    resampling = st.Subsample(8, fraction=0.6, stratified=True)
    return st.assess(
        ["anova:k=1"], X, y, resampling=resampling, execution=st.Execution(engine="serial", progress=False)
    )


def small():
    return st.plot.risk_groups(found())


def test_curves_begin_at_1_fall_and_are_ordered_by_risk():
    data = small().data
    for _, curve in data.groupby("risk"):
        assert curve["share"].iloc[0] == 1
        assert curve["low"].le(curve["high"]).all()
    middle = data[data["time"] == data["time"].unique()[8]].set_index("risk")["share"]
    assert middle["low"] > middle["middle"] > middle["high"]


def test_cut_points_are_those_of_the_training_rows():
    class Itself:
        """Takes the only feature for the risk, and survival for certain."""

        def predict(self, X):
            return X[:, 0]

        def predict_survival(self, X, times):
            return np.ones((len(X), len(times)))

    y = np.column_stack([[1.0, 2.0, 3.0, 4.0], [1, 1, 1, 0]])
    train, test = np.arange(9.0)[:, None], np.array([[0.0], [4.0], [8.0], [100.0]])
    shares = risk_curves(Itself(), train, test, y, np.array([0.0, 1.0, 2.5, 5.0]))
    np.testing.assert_array_equal(shares[0], [1, 0, 0, 0])  # low: the first row
    np.testing.assert_array_equal(shares[2], [1, 1, 1, np.nan])  # high: the last two, of which one was censored
    np.testing.assert_array_equal(shares[5], [1, 1, 1, np.nan])  # and what is predicted for these


def test_other_results_have_no_groups_of_risk():
    runs = st.Selections.from_sets([["a"], ["a"]], features=list("ab"))
    with pytest.raises(InputError, match="no groups of risk"):
        st.plot.risk_groups(st.findings_of(runs))


def test_they_are_kept_in_the_run_folder_and_shown_in_the_report(tmp_path):
    random = np.random.default_rng(1)
    X, event = random.normal(size=(60, 3)), np.ones(60)
    y = st.Survival(random.exponential(np.exp(-X[:, 0])), event)
    made = st.assess(["anova:k=1"], X, y, resampling=st.Subsample(5), out=tmp_path / "runs")
    again = st.Assessment.open(tmp_path / "runs")
    assert st.plot.risk_groups(again).data.equals(st.plot.risk_groups(made).data)
    st.report(again, tmp_path / "report.html")
    assert "Survival by predicted risk" in (tmp_path / "report.html").read_text(encoding="utf-8")
