"""Stability and score along a hyperparameter."""

import pytest
from tests.plots.tunings import DATA, tuned

import steadyset as st

SIZES = (2, 4, 8)


def assessed() -> dict[int, st.Assessment]:
    options = {"resampling": st.KFold(4), "scoring": "accuracy", "random_state": 0}
    return {k: st.assess({"anova": st.FilterSelector("anova", k=k)}, DATA.X, DATA.y, **options) for k in SIZES}


def small() -> st.plot.Picture:
    return st.plot.hyperparameter(tuned("along"))


def test_curves_have_the_values_of_the_tuning_in_the_order_of_the_parameter():
    tuning = tuned("along")
    frame = tuning.frame.sort_values("lasso.penalty")
    data = small().data
    for what in ("accuracy", "stability"):
        mine = data[data["what"] == what]
        assert mine["value"].tolist() == frame["lasso.penalty"].tolist()
        assert mine["estimate"].tolist() == pytest.approx(frame[what].tolist(), nan_ok=True)


def test_marked_are_the_best_score_the_steadiest_and_the_chosen_value():
    tuning = tuned("along")
    data = small().data
    marked = data[data["point"] != ""].set_index("point")["value"]
    penalty = tuning.frame["lasso.penalty"]
    assert tuning.frame.loc[penalty == marked["best score"], "accuracy"].max() == tuning.frame["accuracy"].max()
    assert tuning.frame.loc[penalty == marked["steadiest"], "stability"].max() == tuning.frame["stability"].max()
    assert marked["chosen"] == penalty[tuning.choose()]


def test_assessments_along_a_parameter_have_their_summaries():
    found = assessed()
    data = st.plot.hyperparameter(found, "k").data
    for k, one in found.items():
        row = one.summary().iloc[0]
        mine = data[(data["value"] == k) & (data["point"] == "")].set_index("what")
        assert mine.loc["accuracy", "estimate"] == row["accuracy"]
        assert mine.loc["stability", ["estimate", "low", "high"]].tolist() == [
            row["stability"],
            row["low"],
            row["high"],
        ]


def test_selections_have_a_stability_and_no_score():
    runs = {k: one.selections["anova"] for k, one in assessed().items()}
    data = st.plot.hyperparameter(runs, "k").data
    assert set(data["what"]) == {"stability", ""}
    assert set(data["point"]) == {"", "steadiest"}


def test_configurations_that_differ_otherwise_are_not_joined():
    drawn = st.plot.hyperparameter(tuned(), "fraction")
    assert "not joined" in drawn.note
    assert "'type': 'line'" not in str(drawn.specification())
    assert "'type': 'line'" in str(small().specification())


@pytest.mark.parametrize(
    ("result", "options", "words"),
    [
        (3, {}, "result must be a Tuning or a mapping"),
        ({"a": st.Selections.from_sets([[0], [0]], n_features=2)}, {}, "expected numbers"),
        ({1: 2}, {}, "a mapping from values to assessments or Selections"),
        ({1: st.Selections.from_sets([[], []], n_features=2)}, {}, "Neither stability nor score"),
    ],
)
def test_what_is_no_curve_is_one_sentence(result, options, words):
    with pytest.raises(st.InputError, match=words):
        st.plot.hyperparameter(result, **options)


def test_an_unknown_parameter_or_score_is_one_sentence():
    with pytest.raises(st.InputError, match=r"parameter must be one of .*lasso\.penalty"):
        st.plot.hyperparameter(tuned(), "depth")
    with pytest.raises(st.InputError, match="score must be one of accuracy"):
        st.plot.hyperparameter(tuned("along"), score="auc")
