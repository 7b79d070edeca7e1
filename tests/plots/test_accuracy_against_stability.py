"""Accuracy against stability."""

import math

import numpy as np
import pytest
from scipy.stats import t

import steadyset as st
from steadyset.findings.parts import Preference, Procedure, Score


def of_score(mean, se, random, level):
    half = t.ppf((1 + level) / 2, 19) * se  # 20 runs
    return Score(mean, se, 0.6, random, mean - half, mean + half)


def found(scoring="accuracy", **changes):
    """What an assessment of four selectors may say."""
    rows = [
        ("lasso", 0.60, 0.50, 0.70, 0.910, 0.010, 9.5, 0.80),
        ("jmi", 0.85, 0.80, 0.90, 0.900, 0.012, 10.0, 0.78),
        ("anova", 0.90, 0.86, 0.93, 0.870, 0.010, 10.0, 0.78),
        ("everything", math.nan, math.nan, math.nan, 0.92, 0.01, 40.0, math.nan),
    ]
    level = changes.get("level", 0.95)
    summary = tuple(
        Procedure(name, 20, value, low, high, "", size, {scoring: of_score(score, se, random, level)})
        for name, value, low, high, score, se, size, random in rows
    )
    return st.Findings("assessment", "", "nogueira", scoring=(scoring,), summary=summary, **changes)


JMI = Preference("accuracy", 0.02, 0.02, 0.95, "jmi", (), (), ("Prefer jmi.",))


def small():
    return st.plot.accuracy_against_stability(found(preference=JMI))


def test_the_front_is_that_of_the_library_and_the_ring_that_of_the_findings():
    picture = small()
    data = picture.data
    ours = data[data["kind"] == "selector"]
    values = ours[["score", "stability"]].to_numpy()
    assert [*np.flatnonzero(ours["front"])] == [*st.pareto_front(values, ["max", "max"])]
    assert data.loc[data["preferred"], "selector"].tolist() == ["jmi"]
    assert "Band: within 0.02 of the best accuracy" in picture.note
    assert "Ringed: preferred by accuracy and stability." in picture.note


def test_less_error_is_better():
    data = st.plot.accuracy_against_stability(found("error")).data
    assert set(data["selector"][data["front"]]) == {"anova"}
    scale = st.plot.accuracy_against_stability(found("error")).specification()["layer"][-1]["encoding"]["y"]["scale"]
    assert scale["reverse"]


def test_the_intervals_of_scores_are_those_of_the_result():
    row = st.plot.accuracy_against_stability(found(level=0.9)).data.iloc[0]
    half = t.ppf(0.95, 19) * 0.010
    assert (row["score_low"], row["score_high"]) == pytest.approx((0.91 - half, 0.91 + half))


def test_random_selections_of_each_size_have_no_stability():
    data = st.plot.accuracy_against_stability(found()).data
    drawn = data[data["kind"] == "random"]
    assert [*drawn["selector"]] == ["random, 9.5 features", "random, 10 features"]
    assert [*drawn["stability"]] == [0, 0]
    assert [*drawn["score"]] == [0.80, 0.78]


def test_what_has_no_stability_is_told_and_far_baselines_are_said_in_words():
    picture = st.plot.accuracy_against_stability(found())
    assert "everything" not in set(picture.data["selector"])
    assert "Without a stability or a score: 1 selector." in picture.note
    assert "0.600 without features." in picture.note


def test_without_a_preference_there_is_no_band_and_no_ring():
    assert not st.plot.accuracy_against_stability(found("rmse")).data["preferred"].any()
    assert "Band" not in st.plot.accuracy_against_stability(found("rmse")).note
    nobody = Preference("rmse", 0.02, math.nan, 0.95, None, (), (), ("These data cannot tell.",))
    picture = st.plot.accuracy_against_stability(found("rmse", preference=nobody))
    assert not picture.data["preferred"].any()
    assert "Band" not in picture.note
    assert "No ring: these data do not tell which selector to prefer." in picture.note


def test_one_selector_and_none_are_drawn():
    for n_shown in (0, 1):
        summary = found().summary[:n_shown] + found().summary[3:]
        picture = st.plot.accuracy_against_stability(
            st.Findings("assessment", "", "nogueira", scoring=("accuracy",), summary=summary)
        )
        assert (picture.data["kind"] == "selector").sum() == n_shown
        assert picture.svg().startswith("<svg")


def test_an_assessment_draws_itself():
    random = np.random.default_rng(0)
    X = random.normal(size=(60, 8))
    y = (X[:, 0] + 0.5 * random.normal(size=60) > 0).astype(int)
    assessment = st.assess(["anova:k=2", "anova:k=4"], X, y, resampling=st.KFold(4), random_state=0)
    shown = assessment.plot().data
    ours = shown[shown["kind"] == "selector"].set_index("selector")
    summary = assessment.summary()
    np.testing.assert_allclose(ours["stability"], summary["stability"])
    np.testing.assert_allclose(ours["score"], summary["accuracy"])
    without = st.assess(["anova:k=2", "anova:k=4"], X, y, resampling=st.KFold(4), scoring=(), random_state=0)
    assert {*without.plot().data.columns} == {*st.plot.selectors_compared(without).data.columns}


def test_results_without_scores_are_one_sentence():
    sel = st.Selections.from_sets([["a"], ["b"]], features=["a", "b"])
    with pytest.raises(st.InputError, match="has no scores"):
        st.plot.accuracy_against_stability(sel)
