"""Findings: what a result says, as facts about results that are made by hand."""

import json

import numpy as np
import pytest

import steadyset as st
from steadyset.assessment import Assessment
from steadyset.findings import findings_of
from steadyset.inference.comparison import compare_scores
from steadyset.runner.run import Cell

FEATURES = [f"g{i}" for i in range(10)]


def assessment(sets, *, scores=None, features=FEATURES, scoring=("accuracy",), **more):
    """An Assessment of selectors by name: their sets, and where given their scores, run by run."""
    cells = []
    for index, (name, chosen) in enumerate(sets.items()):
        for run, one in enumerate(chosen):
            extra = {key: values[name][run] for key, values in more.items() if name in values}
            score = {"accuracy": scores[name][run]} if scores and "accuracy" in scoring else {}
            cells.append(Cell(index, run, f"bootstrap:0:{run + 1}", tuple(one), None, score, **extra))
    settings = {
        "selectors": dict.fromkeys(sets, ""),
        "resampling": "Bootstrap()",
        "test_ratio": 0.5,
        "scoring": list(scoring),
        "task": "classes",
        "seed": 0,
        "n_rows": 50,
        "n_features": len(features),
        "features": list(features),
    }
    return Assessment(settings, cells)


STEADY = [(0, 1)] * 9 + [(0, 2)]
SHAKY = [(i % 10, (3 * i + 1) % 10) if i % 10 != (3 * i + 1) % 10 else (0, 5) for i in range(10)]


def test_the_answer_and_the_table_agree():
    result = assessment({"a": STEADY, "b": SHAKY})
    found = findings_of(result)
    table = result.summary()
    assert [row.stability for row in found.summary] == table["stability"].tolist()
    assert found.answer[0].startswith(f"The steadiest selector is a: stability {table.loc['a', 'stability']:.2f}")


def test_findings_are_strict_json():
    everything = [tuple(range(10))] * 3
    found = findings_of(assessment({"a": STEADY, "all": everything}))
    assert np.isnan(found.summary[1].stability)
    told = json.loads(found.to_json(), parse_constant=lambda text: pytest.fail(f"{text} is no JSON"))
    assert told["summary"][1]["stability"] is None
    assert told["frequencies"]["a"] == {"g0": 1.0, "g1": 0.9, "g2": 0.1}
    assert told["kind"] == "assessment"


def test_the_core_share_and_the_level_are_chosen_in_one_place():
    result = assessment({"a": [(0, 1)] * 8 + [(0, 2)] * 2})
    assert findings_of(result).cores[0].features == ("g0",)
    found = findings_of(result, core=0.8, level=0.5)
    assert found.cores[0].features == ("g0", "g1")
    assert found.summary[0].high - found.summary[0].low < (row := findings_of(result).summary[0]).high - row.low
    assert "50% interval" in found.answer[0]


def test_what_is_computed_already_keeps_its_share_and_its_level():
    sel = st.Selections.from_sets(STEADY, n_features=10)
    found, compared = findings_of(sel, core=0.8), st.compare({"a": sel, "b": sel}, level=0.9)
    assert findings_of(found, core=0.8) is found
    with pytest.raises(st.InputError, match=r"core must be 0.8, that of the Findings \(got 0.5\)"):
        findings_of(found, core=0.5)
    assert findings_of(compared, level=0.9).level == 0.9
    with pytest.raises(st.InputError, match=r"level must be 0.9, that of the Comparison"):
        findings_of(compared, level=0.5)


@pytest.mark.parametrize("n_runs", [10, 20, 30, 70, 100])
def test_nine_tenths_of_the_runs_are_enough_whatever_the_last_bit(n_runs):
    for tenths in range(1, 11):
        k = n_runs * tenths // 10
        sel = st.Selections.from_sets([[0]] * k + [[1]] * (n_runs - k), n_features=3)
        assert "x0" in findings_of(sel, core=tenths / 10).cores[0].features


@pytest.mark.parametrize("wrong", [0, 1.5, -1, float("nan"), "0.9", True, None.__class__])
def test_what_is_no_share_is_refused(wrong):
    with pytest.raises(st.InputError, match="core must be a share"):
        findings_of(assessment({"a": STEADY}), core=wrong)


def test_an_undefined_stability_is_explained_and_everything_is_no_core():
    everything = findings_of(assessment({"all": [tuple(range(10))] * 5, "a": STEADY}))
    row, core = everything.summary[0], everything.cores[0]
    assert row.verdict == "undefined"
    assert row.note == "selects all 10 features in every run: nothing to compare"
    assert "all selects all 10 features in every run: nothing to compare." in everything.notes
    assert core.words() == "all 10 features, because every run selects everything; this is no choice"
    assert not [one for one in everything.differences if one.what == "stability"]  # a test needs two
    nothing = findings_of(assessment({"none": [()] * 5}))
    assert nothing.answer == ("Stability is undefined: none selects no feature in any run: nothing to compare.",)


def test_a_selection_that_column_order_decides_is_never_called_steady():
    same = [(0, 1)] * 10
    found = findings_of(assessment({"tied": same, "a": STEADY}, tied={"tied": [2] * 10}))
    assert found.summary[0].stability == 1.0
    assert found.summary[0].verdict == "decided by column order"
    assert found.answer[0].startswith("The steadiest selector is a:")
    assert any("tied: in 10 of 10 runs the order of the columns decided" in note for note in found.notes)
    assert found.cores[0].note == "decided by column order"
    alone = findings_of(assessment({"tied": same}, tied={"tied": [2] * 10}))
    assert "cannot be called steady" in alone.answer[0]


def test_a_comparison_of_the_same_selections_has_the_verdicts_and_tests_of_the_assessment(tmp_path):
    sets = {"tied": [(0, 1)] * 10, "a": STEADY, "b": SHAKY}
    result = assessment(sets, tied={"tied": [2] * 10}, scoring=())
    found = findings_of(result)
    for name, sel in result.selections.items():
        sel.write(tmp_path / f"{name}.json")
    written = {name: st.Selections.read(tmp_path / f"{name}.json") for name in sets}
    others = [st.compare(result.selections), result.selections, st.compare(written), written]
    for other in map(findings_of, others):
        assert {row.name: row.verdict for row in other.summary} == {row.name: row.verdict for row in found.summary}
        assert [(one.test, one.groups) for one in other.differences] == [
            (one.test, one.groups) for one in found.differences
        ]
        assert other.answer[0].removeprefix("The steadiest procedure") == found.answer[0].removeprefix(
            "The steadiest selector"
        )


def test_a_file_that_does_not_know_ties_says_so(tmp_path):
    tied = assessment({"tied": [(0, 1)] * 10}, tied={"tied": [2] * 10}).selections["tied"]
    tied.write(tmp_path / "tied.csv")
    lists = st.Selections.read(tmp_path / "tied.csv")
    assert lists == tied
    assert lists.tied is None
    unknown = "whether the order of the columns decided between features with equal scores"
    assert any(unknown in note for note in findings_of(lists).notes)
    assert not any(unknown in note for note in findings_of(tied).notes)
    both = findings_of(st.compare({"csv": lists, "json": tied}))
    assert any(f"{unknown} (csv)" in note for note in both.notes)


def test_a_rare_tie_is_counted_but_does_not_decide():
    found = findings_of(assessment({"a": STEADY}, tied={"a": [1] + [0] * 9}))
    assert found.summary[0].tied == pytest.approx(1 / 20)
    assert found.summary[0].verdict != "decided by column order"
    assert any("a: in 1 of 10 runs" in note for note in found.notes)


def test_nobody_wins_where_the_digits_or_the_test_cannot_tell():
    random = np.random.default_rng(0)
    base = 0.9 + 0.02 * random.standard_normal(10)
    alike = {"a": base, "b": base + 0.002 * random.standard_normal(10)}
    said = " ".join(findings_of(assessment({"a": STEADY, "b": SHAKY}, scores=alike)).answer)
    assert "predicts best" not in said
    assert "not significantly worse: " in said
    apart = {"a": base, "b": base - 0.1 + 0.002 * random.standard_normal(10)}
    said = " ".join(findings_of(assessment({"a": STEADY, "b": SHAKY}, scores=apart)).answer)
    assert "It also predicts best: mean accuracy" in said


def test_sizes_are_whole_where_they_are_whole_and_one_is_singular():
    scores = {"a": [0.9, 0.8] * 5}
    found = findings_of(assessment({"a": STEADY}, scores=scores))
    assert found.answer[1] == "It predicts with mean accuracy 0.850 with 2 features."
    assert "1 selector on 10 resamples" in found.about
    only = findings_of(assessment({"a": [(0,)] * 5}, features=["g"]))
    assert only.summary[0].note == "selects the only feature in every run: nothing to compare"


def test_scores_have_a_corrected_error_and_baselines():
    values = [0.9, 0.8] * 5
    result = assessment(
        {"a": STEADY},
        scores={"a": values},
        blind={"a": [{"accuracy": 0.6}] * 10},
        random={"a": [{"accuracy": v - 0.01 * (i % 3)} for i, v in enumerate(values)]},
    )
    found = findings_of(result)
    score = found.summary[0].scores["accuracy"]
    assert score.se == pytest.approx(np.std(values, ddof=1) * np.sqrt(1 / 10 + 0.5))
    assert [(one.name, round(one.scores["accuracy"], 3)) for one in found.baselines] == [
        ("the largest class, no features", 0.6),
        ("random, 2 features", 0.841),
    ]
    assert found.answer[0] == "a predicts significantly better than no features."
    assert found.answer[1] == (
        "a (accuracy 0.850, random 0.841) does not predict significantly better than as many random features."
    )


def test_selectors_that_are_no_better_than_random_features_are_told_in_one_sentence():
    values = [0.9, 0.8] * 5
    alike = [{"accuracy": v - 0.01 * (i % 3)} for i, v in enumerate(values)]
    worse = [{"accuracy": v - 0.3 - 0.01 * (i % 3)} for i, v in enumerate(values)]
    result = assessment(
        {"a": STEADY, "b": SHAKY, "c": STEADY, "\x1bd": SHAKY},
        scores=dict.fromkeys(["a", "b", "c", "\x1bd"], values),
        random={"a": alike, "b": worse, "c": alike, "\x1bd": alike},
    )
    assert findings_of(result).answer[0] == (
        "a, c and \\x1bd do not predict significantly better than as many random features (accuracy: a 0.850, c 0.850 "
        "and \\x1bd 0.850, random 0.841)."
    )


def test_warnings_are_counted_beside_the_result():
    found = findings_of(assessment({"a": STEADY}, warnings={"a": [("did not converge",)] * 3 + [()] * 7}))
    assert found.summary[0].warned == 3
    assert [(one.name, one.runs, one.text) for one in found.warnings] == [("a", 3, "did not converge")]


def test_no_scoring_is_no_obstacle():
    found = findings_of(assessment({"a": STEADY, "b": SHAKY}, scoring=()))
    assert [one.what for one in found.differences] == ["stability"]
    assert len(found.answer) == 1


def test_a_comparison_of_scores_is_refused_for_what_it_is():
    runs = {"a": {"1": 0.5, "2": 0.6, "3": 0.7}, "b": {"1": 0.4, "2": 0.6, "3": 0.8}}
    with pytest.raises(st.InputError, match=r"a Comparison of scores \(accuracy\); give one of selections"):
        findings_of(compare_scores(runs, 0.1, name="accuracy"))


def test_comparisons_and_selections_say_the_same_of_the_same_runs():
    a, b = (st.Selections.from_sets(sets, n_features=10) for sets in (STEADY, SHAKY))
    by_name = findings_of({"a": a, "b": b})
    compared = findings_of(st.compare({"a": a, "b": b}))
    assert by_name.kind == compared.kind == "comparison"
    assert by_name.answer == compared.answer
    assert findings_of(a).summary[0].stability == by_name.summary[0].stability
    assert findings_of(a).answer[0].startswith("Stability 0.")
    assert findings_of(by_name) is by_name


def test_a_measure_of_which_less_is_steadier_ranks_the_other_way():
    a, b = (st.Selections.from_rankings(rows, top=2) for rows in ([[1, 2, 3, 4]] * 4, [[1, 2, 3, 4], [4, 3, 2, 1]] * 2))
    assert not st.get_measure("canberra").higher_is_steadier
    found = findings_of(st.compare({"shaky": b, "steady": a}, "canberra"))
    assert found.summary[0].name == "steady"
    assert found.answer[0].startswith("The steadiest procedure is steady: canberra 0.00 (95% interval ")
    assert "; less is steadier)." in found.answer[0]
    same, other = (
        st.Selections.from_sets(runs, n_features=8) for runs in ([[0, 1]] * 4, [[0, 1], [2, 3], [4, 5], [0, 5]])
    )
    said = findings_of(st.compare({"shaky": other, "steady": same}, "krizek")).answer[0]
    assert said.startswith("The steadiest procedure is steady: krizek 0.00 (")


def test_names_are_written_out_in_words_and_kept_in_data():
    features = ["\x1b[31mred", "\ud800half", *FEATURES[2:]]
    found = findings_of(assessment({"a\x07": STEADY}, features=features))
    assert found.cores[0].features == ("\x1b[31mred", "\ud800half")
    assert found.cores[0].words() == "\\x1b[31mred, \\ud800half"
    assert found.answer[0].startswith("a\\x07: stability")
    json.loads(found.to_json())


def test_a_file_of_selections_and_a_run_folder_are_read(tmp_path):
    sel = st.Selections.from_sets(STEADY, features=FEATURES)
    sel.write(tmp_path / "mine.csv")
    found = findings_of(tmp_path / "mine.csv")
    assert found.summary[0].name == "mine"
    assert found.summary[0].stability == pytest.approx(st.stability(sel))
    with pytest.raises(st.InputError, match="not a run folder"):
        findings_of(tmp_path)


def test_where_no_feature_is_in_any_core_the_answer_points_to_the_shortlist():
    random = np.random.default_rng(0)
    X, y = random.normal(size=(40, 200)), np.arange(40) % 2
    found = st.findings_of(st.assess(["anova:k=3"], X, y, resampling=st.Bootstrap(20), random_state=0))
    assert not found.cores[0].features
    assert "st.shortlist" in found.answer[-1]
    X[:, 0] += 5 * y
    found = st.findings_of(st.assess(["anova:k=3"], X, y, resampling=st.Bootstrap(20), random_state=0))
    assert found.cores[0].features
    assert not any("st.shortlist" in sentence for sentence in found.answer)
