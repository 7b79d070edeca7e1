"""The front of a tuning, how sure it is, and the chosen configuration."""

import numpy as np
import pytest
from tests.plots.tunings import tuned

import steadyset as st


def small() -> st.plot.Picture:
    return st.plot.tuning_front(tuned())


def test_points_have_the_values_of_the_tuning_and_its_probabilities():
    tuning = tuned()
    data = tuning.plot().data
    defined = tuning.frame[list(tuning.objectives)].dropna()
    probability = tuning.front_probability()
    for name in ("stability", "n_features"):
        mine = data[data["objective"] == name].set_index("configuration")
        assert sorted(mine.index) == sorted(defined.index)
        for number, row in mine.iterrows():
            assert row["value"] == defined.loc[number, name]
            assert row["first"] == defined.loc[number, "accuracy"]
            assert row["on_front"] == probability[number]
            assert row["front"] == tuning.frame.loc[number, "front"]


def test_intervals_are_those_of_the_tuning():
    tuning = tuned()
    row = tuning.plot().data.query("objective == 'stability'").iloc[0]
    kept = tuning.frame.loc[row["configuration"]]
    assert [row["low"], row["high"]] == [kept["stability_low"], kept["stability_high"]]
    # Student's t with 3 degrees of freedom, and the standard error for training rows that 4 folds share.
    error = kept["accuracy_se"] * np.sqrt(1 + 4 * (1 / 3))
    assert row["first"] - row["first_low"] == pytest.approx(3.182446 * error, rel=1e-6)
    assert row["first_high"] == pytest.approx(min(1.0, row["first"] + 3.182446 * error), rel=1e-6)


@pytest.mark.parametrize("rule", ["epsilon", "one_se", "knee"])
def test_the_ring_is_what_the_rule_chooses(rule):
    data = tuned().plot(choose=rule).data
    assert data.loc[data["chosen"], "configuration"].unique().tolist() == [tuned().choose(rule)]


def test_undefined_configurations_are_left_out_and_said():
    tuning = tuned()
    undefined = int(tuning.frame[list(tuning.objectives)].isna().any(axis=1).sum())
    assert (f"{undefined} configuration" in tuning.plot().note) == bool(undefined)


def test_objectives_say_which_way_is_better():
    spec = str(small().specification())
    assert "accuracy (higher is better)" in spec
    assert "number of features (lower is better)" in spec


def test_what_is_no_tuning_is_refused():
    with pytest.raises(st.InputError, match=r"result must be what st\.tune returns"):
        st.plot.tuning_front(np.eye(3))
    with pytest.raises(st.InputError, match="rule must be one of"):
        tuned().plot(choose="nothing")
