"""Which selector to prefer: by evidence, or not at all; the same in words, picture and JSON."""

import json

import numpy as np
import pytest
from tests.findings.test_findings import SHAKY, STEADY, assessment

import steadyset as st
from steadyset.findings import findings_of
from steadyset.findings.parts import record_findings, recorded_findings
from steadyset.inference.comparison import losses_against_best, test_mean_difference

CANNOT = "These data cannot tell which selector to prefer"
NOISE = np.random.default_rng(0).standard_normal((6, 10))
EASY = 0.9 + 0.02 * NOISE[0]  # hard and easy resamples, which all selectors share
SETS = {"rigid": STEADY, "good": SHAKY}


def scored(good, rigid, *, random=0.6, blind=0.5, scoring="accuracy", sets=None):
    """Two selectors, of which the rigid one is steadier, with a baseline of random features and one of none."""
    scores = {"rigid": rigid, "good": good}
    found = assessment(
        sets or SETS,
        scores=scores,
        random={name: [{"accuracy": random + 0.01 * e} for e in NOISE[5]] for name in scores},
        blind={name: [{"accuracy": blind}] * 10 for name in scores},
    )
    if scoring == "accuracy":
        return found
    cells = [
        type(cell)(*[{scoring: v["accuracy"]} if isinstance(v, dict) else v for v in vars(cell).values()])
        for cell in found.cells
    ]
    return st.Assessment({**found.settings, "scoring": [scoring], "task": "number"}, cells)


def ringed(found):
    """Whom the picture rings."""
    data = st.plot.accuracy_against_stability(found).data
    return data.loc[data["preferred"], "selector"].tolist()


def test_no_significant_difference_is_no_evidence_of_an_equal_score():
    noisy = EASY - 0.06 + 0.12 * NOISE[1]
    result = scored(EASY, noisy)
    tests = next(one for one in findings_of(result).differences if one.what == "accuracy")
    assert not tests.told_apart("rigid", "good")
    found = findings_of(result)
    assert found.preference.preferred is None
    assert not any(sentence.startswith("Prefer") for sentence in found.answer)
    assert any(sentence.startswith(CANNOT) for sentence in found.answer)
    high = next(one.high for one in found.preference.losses if one.name == "rigid")
    assert high > 0.02
    assert any(f"rigid 0.000 to {high:.3f}" in sentence for sentence in found.answer)
    assert "What would help: roughly" in found.answer[-1]
    assert ringed(found) == []
    assert "No ring" in st.plot.accuracy_against_stability(found).note


def test_the_steadiest_of_those_that_lose_next_to_nothing_is_preferred():
    found = findings_of(scored(EASY, EASY - 0.002 + 0.002 * NOISE[1]))
    assert found.preference.preferred == "rigid"
    assert found.answer[-1].startswith("Prefer rigid: with 95% confidence the loss in accuracy against the best")
    assert "(margin 0.02)" in found.answer[-1]
    assert "steadiest of the 2 selectors" in found.answer[-1]
    assert ringed(found) == ["rigid"]
    told = json.loads(found.to_json())["preference"]
    assert told["preferred"] == "rigid"
    assert told["margin"] == told["largest_loss"] == 0.02
    rigid = next(one for one in told["losses"] if one["name"] == "rigid")
    assert rigid["within_margin"]
    assert rigid["low"] == 0 <= rigid["estimate"] <= rigid["high"] <= 0.02
    assert rigid["beats_random"]
    assert rigid["beats_blind"]


def test_the_margin_is_chosen_and_kept():
    result = scored(EASY, EASY - 0.03 + 0.002 * NOISE[1])
    assert findings_of(result).preference.preferred == "good"
    wide = findings_of(result, margin=0.05)
    assert wide.preference.preferred == "rigid"
    assert ringed(wide) == ["rigid"]
    picture = st.plot.accuracy_against_stability(result, margin=0.05)
    assert picture.data.loc[picture.data["preferred"], "selector"].tolist() == ["rigid"]
    assert findings_of(wide, margin=0.05) is wide
    with pytest.raises(st.InputError, match=r"margin must be 0.05, that of the Preference"):
        findings_of(wide, margin=0.02)
    for wrong in (-0.1, float("nan"), "0.02"):
        with pytest.raises(st.InputError, match="margin must be a number of at least 0"):
            findings_of(result, margin=wrong)
    with pytest.raises(st.InputError, match="about the scores of an assessment"):
        findings_of(result.selections, margin=0.02)


def test_who_is_better_than_all_others_is_preferred_although_another_is_steadier():
    found = findings_of(scored(EASY, EASY - 0.1 + 0.002 * NOISE[1]))
    assert found.preference.preferred == "good"
    assert found.answer[-1] == (
        "Prefer good: it predicts significantly better (accuracy) than every other selector and than as many random "
        "features, although rigid is steadier."
    )
    low = next(one.low for one in found.preference.losses if one.name == "rigid")
    assert low > 0


def test_nobody_is_preferred_or_praised_who_predicts_as_random_features_do():
    found = findings_of(scored(EASY, EASY - 0.002 + 0.002 * NOISE[1], random=0.899))
    assert found.answer[0] == "All selectors predict significantly better than no features."
    assert found.answer[1].startswith(
        "No selector predicts significantly better than as many random features (accuracy"
    )
    assert found.preference.preferred is None
    assert not any("excellent" in sentence or "poor" in sentence for sentence in found.answer)
    assert sum(sentence.startswith(CANNOT) for sentence in found.answer) == 1
    assert ringed(found) == []


def test_nobody_is_preferred_who_predicts_as_well_without_features():
    found = findings_of(scored(EASY, EASY - 0.002 + 0.002 * NOISE[1], blind=0.91))
    assert found.answer[0].startswith("No selector predicts significantly better than no features (accuracy: rigid")
    assert found.preference.preferred is None


def test_equals_in_stability_are_named_and_none_of_them_preferred():
    sets = {"rigid": STEADY, "good": STEADY[::-1]}
    found = findings_of(scored(EASY, EASY - 0.002 + 0.002 * NOISE[1], sets=sets))
    assert found.preference.preferred is None
    assert set(found.preference.equally_steady) == {"rigid", "good"}
    assert found.answer[-1].startswith("No preference between ")
    assert "stability is not significantly different" in found.answer[-1]
    assert ringed(found) == []


@pytest.mark.parametrize("unit", [1.0, 1000.0])
def test_the_margin_of_a_score_without_bounds_does_not_depend_on_its_unit(unit):
    errors = unit * (1 - EASY)
    worse = unit * (1 - EASY + 0.004 + 0.001 * NOISE[1])
    found = findings_of(scored(errors, worse, random=unit, blind=0.5 * unit, scoring="rmse"))
    assert found.preference.largest_loss == pytest.approx(0.01 * unit)
    assert found.preference.preferred == "rigid"
    twice = findings_of(scored(errors, worse + 0.02 * unit, random=unit, blind=0.5 * unit, scoring="rmse"))
    assert twice.preference.preferred == "good"


def test_one_selector_alone_has_nothing_to_be_preferred_to():
    values = {"a": EASY}
    found = findings_of(assessment({"a": STEADY}, scores=values, random={"a": [{"accuracy": v} for v in EASY]}))
    assert found.preference.preferred is None
    assert found.answer[0].startswith("a (accuracy 0.9")
    assert "does not predict significantly better than as many random features" in found.answer[0]
    assert not any("prefer" in sentence.lower() for sentence in found.answer)


def test_the_preference_is_recorded_with_the_findings(tmp_path):
    found = findings_of(scored(EASY, EASY - 0.002 + 0.002 * NOISE[1]))
    record_findings(found, tmp_path)
    assert recorded_findings(tmp_path).preference == found.preference


def runs_of(rows):
    return {str(i): {str(run): value for run, value in enumerate(row)} for i, row in enumerate(rows)}


def test_the_loss_of_two_is_the_interval_of_their_difference():
    scores = runs_of([EASY, EASY - 0.05 + 0.02 * NOISE[1]])
    found = losses_against_best(scores, 0.3)
    test = test_mean_difference(list(scores["1"].values()), list(scores["0"].values()), 0.3)
    assert (found["1"].low, found["1"].high) == pytest.approx((max(0, test.low), test.high))
    assert found["0"].low == 0
    assert found["0"].high == pytest.approx(max(0, -test.low))


def test_losses_are_covered_jointly_whichever_is_the_best():
    random = np.random.default_rng(1)
    means = np.array([0.0, 0.0, -0.5, -1.0])
    covered = 0
    for _ in range(250):
        values = means[:, None] + random.standard_normal((4, 8)) + random.standard_normal(8)
        found = losses_against_best(runs_of(values), 0.0)
        covered += all(one.low <= -mean <= one.high for one, mean in zip(found.values(), means, strict=True))
    assert covered / 250 > 0.93


def test_what_is_not_known_is_never_within_the_margin():
    constant = {"a": {"1": 0.9, "2": 0.8}, "b": {"1": 0.8, "2": 0.7}}
    assert np.isnan(losses_against_best(constant, 0.3)["b"].high)


def test_words_of_the_scale_are_named_as_a_convention_and_end_where_scores_are_at_baseline():
    same = [(0, 1)] * 30
    sets, scores = {"a": same, "b": [*same[:29], (0, 2)]}, np.tile(EASY, 3)

    def verdicts(random):
        baseline = [{"accuracy": random + 0.01 * e} for e in np.tile(NOISE[5], 3)]
        return findings_of(assessment(sets, scores={"a": scores, "b": scores}, random={"a": baseline, "b": baseline}))

    praised = verdicts(0.6)
    assert praised.summary[0].verdict == "excellent"
    assert "excellent by the convention of Fleiss" in praised.answer[0]
    assert verdicts(0.899).summary[0].verdict == "not above baseline"
    assert "excellent" not in " ".join(verdicts(0.899).answer)
