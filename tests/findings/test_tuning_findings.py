"""What a tuning says, and its report."""

import dataclasses
import json
import time

import numpy as np
import pandas as pd
import pytest
from scipy import stats

import steadyset as st
from steadyset.findings import findings_of
from steadyset.findings.box import box_of
from steadyset.findings.parts import record_findings
from steadyset.inference.comparison import corrected_error
from steadyset.tuning.nested import nested_seconds


@pytest.fixture(scope="module")
def tuning():
    random = np.random.default_rng(0)
    X = random.standard_normal((80, 8))
    y = np.where(X[:, 0] + 0.2 * random.standard_normal(80) > 0, "a", "b")
    features = ["\x1b[31mred", *(f"g{i}" for i in range(7))]
    return st.tune("bommert", st.Data(X, y, features=features), n_trials=4, resampling=st.KFold(8), random_state=0)


def test_the_findings_of_a_tuning_agree_with_it(tuning):
    found = findings_of(tuning, choose="best", core=0.5)
    chosen = tuning.choose("best")
    assert found.kind == "tuning"
    assert [one.number for one in found.front if one.chosen] == [chosen]
    assert {one.number for one in found.front} == set(tuning.front.index) | {chosen}
    assert any("Rule of choice: best, the best in accuracy" in sentence for sentence in found.answer)
    table = tuning.features(chosen)
    assert set(found.cores[0].features) == set(table.loc[table["frequency"] >= 0.5, "feature"])
    scores = [cell.scores["accuracy"] for cell in tuning.evaluator.cells(tuning.estimator(chosen))]
    assert found.summary[0].scores["accuracy"].se == pytest.approx(corrected_error(scores, 1 / 7))
    assert "\x1b" not in " ".join(found.answer)
    json.loads(found.to_json())


def test_the_interval_of_a_tuning_has_the_level_that_is_asked_for(tuning):
    usual, narrow = findings_of(tuning), findings_of(tuning, level=0.5)
    assert (usual.level, narrow.level) == (0.95, 0.5)
    found = st.confidence_interval(tuning.selections(tuning.choose()), level=0.5)
    row = narrow.summary[0]
    assert (row.stability, row.low, row.high) == pytest.approx((found.estimate, found.low, found.high))
    assert row.high - row.low < usual.summary[0].high - usual.summary[0].low


def test_a_tuning_has_a_report(tuning, tmp_path):
    page = st.report(tuning, tmp_path / "page.html").read_text(encoding="utf-8")
    assert "The Pareto front" in page
    assert "(chosen)" in page
    assert 'data-picture="tuning_front"' in page
    assert 'data-picture="tuning_parallel"' in page
    assert "\\x1b[31mred" in page


def test_the_answer_says_in_words_what_was_chosen_and_why(tuning):
    chosen = tuning.choose()
    row = tuning.frame.loc[chosen]
    said = " ".join(findings_of(tuning).answer)
    assert f"configuration {chosen} (" in said
    assert "the smallest of those that are within 0.025 of the best accuracy" in said
    assert f"filter {row['filter']}" in said
    assert f"model {row['model']}" in said
    assert f"stability {row['stability']:.3f}" in said


def test_recorded_findings_are_read_back_whole(tuning, tmp_path):
    found = findings_of(tuning, core=0.5)
    record_findings(found, tmp_path)
    read = findings_of(tmp_path)
    assert read.to_json() == found.to_json()
    for part in dataclasses.fields(found):
        if part.name not in ("trials", "settings"):  # tuples of settings come back as lists
            assert repr(getattr(read, part.name)) == repr(getattr(found, part.name)), part.name
    assert read.selections == dict(found.selections)
    for name in ("tuning_front", "tuning_parallel"):
        one, other = (getattr(st.plot, name)(result) for result in (read, tuning))
        assert one.data.equals(other.data)


def test_a_recorded_share_cannot_be_chosen_again(tuning, tmp_path):
    record_findings(findings_of(tuning), tmp_path)
    with pytest.raises(st.InputError, match="core is that of the tuning in"):
        findings_of(tmp_path, core=0.5)


def test_damaged_findings_are_refused(tuning, tmp_path):
    record_findings(findings_of(tuning), tmp_path)
    file = tmp_path / "findings.json"
    file.write_text(file.read_text(encoding="utf-8").replace("accuracy", "accuracz", 1), encoding="utf-8")
    with pytest.raises(st.InputError, match="is damaged"):
        findings_of(tmp_path)


def test_every_configuration_is_in_the_table_with_its_interval(tuning, tmp_path):
    st.report(tuning, tmp_path / "parts", format="folder")
    table = pd.read_csv(tmp_path / "parts" / "tables" / "trials.csv").set_index("configuration")
    assert sorted(table.index) == sorted(tuning.frame.index)
    for name in ("stability", "stability_low", "stability_high", "accuracy", "n_features"):
        assert np.allclose(table[name], tuning.frame.loc[table.index, name], equal_nan=True)


def noise(seed, y=None):
    random = np.random.default_rng(seed)
    X = random.standard_normal((60, 20))
    y = random.permutation(np.arange(60) % 2) if y is None else y
    space = {"filter": ["anova"], "fraction": [0.1, 0.5], "model": {"ridge": {}}}
    options = {"search": {"sampler": "grid"}, "execution": {"progress": False}}
    return st.tune(space, X, y, random_state=seed, **options)


def test_noise_gets_one_sentence_and_no_list():
    found = findings_of(noise(3))
    assert found.answer[0] == "No configuration predicts significantly better than no features (accuracy 0.500)."
    assert found.choices == found.cores == found.features == ()
    assert (found.selections, found.extract) == ({}, None)
    assert found.summary[0].verdict == "not above baseline"
    assert box_of(found).names == ()


def test_the_documents_of_noise_name_no_feature(tmp_path):
    random = np.random.default_rng(8)
    names = [f"protein_{f}" for f in range(6)]
    data = st.Data(random.standard_normal((40, 6)), random.permutation(np.arange(40) % 2), features=names)
    found = findings_of(st.tune(RIDGE, data, **GRID))
    assert found.choices == ()
    st.report(found, tmp_path / "page.html")
    page = (tmp_path / "page.html").read_text(encoding="utf-8")
    assert "No configuration predicts" in page
    methods = st.methods_text(found)
    assert "No configuration predicts significantly better than no features" in methods
    assert "It was not recommended." in methods
    assert "was chosen as" not in methods
    assert "protein_" not in page + methods


def test_noise_leads_on_to_a_shortlist_where_one_can_be_made():
    assert [step.how for step in box_of(findings_of(noise(3))).steps] == ["st.shortlist(X, y)"]
    rare = findings_of(noise(3, y=np.arange(60) < 3))
    assert not rare.choices
    assert box_of(rare).steps == ()


def test_nested_resampling_is_offered_with_folds_that_the_groups_can_have():
    X, y = separated()
    blocks = st.Data(X, y, groups=np.arange(40) % 4)
    found = st.tune(RIDGE, blocks, resampling=st.KFold(3), **GRID)
    assert findings_of(found).settings["outer_folds"] == 4
    assert np.isfinite(found.nested_score(4).values).all()
    with pytest.raises(st.InputError, match="4 groups, which cannot be divided into 5 outer folds"):
        found.nested_score(5)
    # Without a fold of them at most seven groups remain, which cannot be left out in eight parts.
    blocks = st.Data(X, y, groups=np.arange(40) % 8)
    found = st.tune(RIDGE, blocks, resampling=st.KFold(8), **GRID)
    answer = findings_of(found, choose="best")
    assert answer.choices
    assert answer.settings["outer_folds"] == 0
    assert not any("Nested" in sentence for sentence in answer.answer)
    assert not any("nested" in step.how for step in box_of(answer).steps)
    with pytest.raises(st.InputError, match="cannot be drawn from them"):
        found.nested_score(4)


def test_methods_do_not_offer_what_the_answer_offers(tuning):
    found = findings_of(tuning)
    assert any("Nested resampling with 5 outer folds" in sentence for sentence in found.answer)
    methods = st.methods_text(tuning)
    assert "Nested resampling" not in methods
    assert "was used to choose among 4 configurations" in methods
    assert "significantly better than no features: by lower ends of 95% intervals" in methods


def test_one_score_has_one_interval_although_runs_have_none():
    """Of ten folds five have rows of the rare class, and these five decide the score."""
    random = np.random.default_rng(2)
    y = np.arange(60) < 5
    X = random.standard_normal((60, 6)) + 4 * y[:, None] * (np.arange(6) == 0)
    found = st.tune(RIDGE, X, y, objectives=["auc", "stability"], **GRID)
    answer = findings_of(found, choose="best")
    chosen = next(one.number for one in answer.front if one.chosen)
    row, score = found.frame.loc[chosen], answer.summary[0].scores["auc"]
    assert np.isnan(found.baseline.runs).any()
    assert (score.low, score.high) == (row["auc_low"], row["auc_high"])
    assert f"{score.low:.3f} to {score.high:.3f}" in st.methods_text(found, choose="best")


def test_report_methods_and_table_have_the_same_interval_which_ends_at_1(tuning):
    found = findings_of(tuning)
    chosen = next(one.number for one in found.choices if one.recommended)
    scores = [cell.scores["accuracy"] for cell in tuning.evaluator.cells(tuning.estimator(chosen))]
    # Nadeau and Bengio (2003) by hand: 8 folds, each a seventh of its training rows.
    margin = stats.t.ppf(0.975, 7) * np.sqrt((1 / 8 + 1 / 7) * np.var(scores, ddof=1))
    low, high = np.mean(scores) - margin, min(1.0, np.mean(scores) + margin)
    row = tuning.frame.loc[chosen]
    assert (row["accuracy_low"], row["accuracy_high"]) == pytest.approx((low, high))
    for text in (found.answer[0], st.methods_text(tuning)):
        assert f"{low:.3f} to {high:.3f}" in text
    assert (tuning.column("accuracy_high") <= 1).all()


def test_the_alternatives_are_what_choose_takes(tuning):
    choices = findings_of(tuning).choices
    assert [one.rule for one in choices] == ["margins:0.025,0.1", "best", "stable", "smallest"]
    assert len(findings_of(tuning, choose="knee").choices) == 5
    for one in choices:
        assert one.number == tuning.choose(one.rule)


def test_the_strongest_feature_comes_first_with_its_direction(tuning):
    recommended = findings_of(tuning).choices[0]
    assert recommended.features[0] == "\x1b[31mred"
    assert recommended.directions[0] == "higher in a"
    table = tuning.features(recommended.number)
    assert set(recommended.features) == set(table.loc[table["selected"], "feature"])


def test_the_answer_has_the_honest_score_that_is_asked_for():
    y = np.arange(60) % 2
    random = np.random.default_rng(0)
    X = random.standard_normal((60, 6)) + 2 * y[:, None] * (np.arange(6) == 0)
    space = {"filter": ["anova"], "fraction": [0.2, 1.0], "model": {"ridge": {}}}
    options = {"search": {"sampler": "grid"}, "resampling": st.KFold(5), "execution": {"progress": False}}
    found = st.tune(space, X, y, nested=3, **options)
    honest = found.nested_score(3)
    scores = []
    for train, test in st.KFold(3, stratified=True).split(X, y):  # the same by hand
        inner = st.tune(space, X[train], y[train], **options)
        model = inner.estimator(inner.choose()).fit(X[train], y[train])
        scores.append(np.mean(model.predict(X[test]) == y[test]))
    assert honest.values == pytest.approx(scores)
    assert any(f"{np.mean(scores):.3f}" in sentence and "Honest" in sentence for sentence in findings_of(found).answer)
    assert "Honest accuracy" in st.methods_text(found)


def separated(n=40):
    y = np.arange(n) % 2
    X = np.random.default_rng(0).standard_normal((n, 6)) + 9 * y[:, None] * (np.arange(6) == 0)
    return X, y


GRID = {"search": {"sampler": "grid"}, "execution": {"progress": False}}
RIDGE = {"filter": ["anova"], "fraction": [0.2, 0.5], "model": {"ridge": {}}}


def test_a_run_without_a_score_does_not_hide_the_baseline():
    X, y = separated()
    rows = np.arange(40)
    runs = [(np.setdiff1d(rows, test), test) for test in rows.reshape(5, 8)]
    ones = np.flatnonzero(y == 1)[:4]  # rows of one class have no AUC
    runs.append((np.setdiff1d(rows, ones), ones))
    found = st.tune(RIDGE, X, y, objectives=["auc", "stability"], resampling=runs, **GRID)
    assert np.isnan(found.baseline.runs).sum() == 1
    assert found.baseline.mean == found.evaluator.blind_scores()["auc"] == 0.5
    said = " ".join(findings_of(found, choose="best").answer)
    assert "better than no features (area under the ROC curve 0.500)" in said
    assert "no better" not in said


def test_a_baseline_without_any_score_is_no_comparison():
    X, y = separated()
    found = st.tune(RIDGE, X, y, resampling=st.KFold(4), **GRID)
    found.baseline = dataclasses.replace(found.baseline, runs=np.full(4, np.nan))
    assert found.baseline.mean is None
    answer = findings_of(found).answer
    assert answer[0].startswith("No configuration can be compared with no features.")


def test_equal_scores_are_not_certain():
    X, y = separated()
    found = st.tune(RIDGE, X, y, resampling=st.KFold(4), **GRID)
    moved = (1 * 10 + 0.5 * 4) / 14  # 10 rows are left out
    error = np.sqrt((1 / 4 + 1 / 3) * moved * (1 - moved) / 10)
    place = found.frame["accuracy"].argmax()
    assert found.frame["accuracy"].iloc[place] == 1
    low = 1 - stats.t.ppf(0.975, 3) * error
    assert found.frame["accuracy_low"].iloc[place] == pytest.approx(low)


def test_a_predictor_without_errors_has_no_number_by_which_it_is_better_at_least():
    X, y = separated()
    found = st.tune(RIDGE, X, y, resampling=st.KFold(8, stratified=True), **GRID)
    assert found.frame["accuracy"].max() == 1
    said = " ".join(findings_of(found, choose="best").answer)
    assert "better than no features (accuracy 0.500): in all runs alike, corrected for the choice" in said


def test_a_plain_signal_is_recommended_although_the_classes_of_the_folds_differ():
    """70 of 72 right, in folds whose classes differ; no features are right in 47."""
    y = np.arange(72) < 25
    X = np.random.default_rng(1).standard_normal((72, 6)) + 9 * y[:, None] * (np.arange(6) == 0)
    X[[3, 50]] *= -1  # two rows are on the wrong side
    found = st.tune(RIDGE | {"model": {"knn": {}}}, X, y, random_state=3, **GRID)
    assert 0.95 < found.frame["accuracy"].max() < 1
    assert found.baseline.runs.std() > 0.1
    assert found.least_gains.max() > 0.25


def test_the_time_of_nested_resampling_is_that_of_the_search_per_fold():
    X, y = separated()
    began = time.perf_counter()
    found = st.tune(RIDGE, X, y, resampling=st.KFold(4), **GRID)
    spent = time.perf_counter() - began
    assert 0 < nested_seconds(found, 5) <= 4 * spent
    assert nested_seconds(found, 3) == pytest.approx(nested_seconds(found, 5) / 2)
    assert not any("elapsed" in name for name in found.frame)


def test_one_scored_fold_has_no_interval(monkeypatch):
    X, y = separated()
    found = st.tune(RIDGE, X, y, nested=3, resampling=st.KFold(4), **GRID)
    scores = iter([np.nan, 0.8, np.nan])
    monkeypatch.setattr("steadyset.tuning.nested._score_of_choice", lambda *_: next(scores))
    honest = found.nested_score(3)
    assert honest.mean == 0.8
    assert np.isnan([honest.low, honest.high]).all()
    said = " ".join(findings_of(found).answer)
    assert "0.800 (no interval from a single score), on the left-out rows of 1 of 3 outer folds" in said


def test_nested_resampling_that_cannot_be_is_refused_before_the_search(monkeypatch):
    X, y = separated()
    monkeypatch.setattr("steadyset.tuning.evaluation.Evaluator.__call__", None)
    with pytest.raises(st.InputError, match="nested"):
        st.tune(RIDGE, X, y, nested=41, **GRID)
    rows = np.arange(40)
    with pytest.raises(st.InputError, match="resampling holds given rows"):
        st.tune(RIDGE, X, y, nested=3, resampling=[(rows[:20], rows[20:]), (rows[20:], rows[:20])], **GRID)
    with pytest.raises(st.InputError, match="hold no score"):
        st.tune(RIDGE, X, y, nested=3, objectives=["stability", "n_features"], **GRID)


def test_what_is_recommended_is_what_choose_and_nested_resampling_choose(monkeypatch):
    X, y = separated()
    found = st.tune(RIDGE, X, y, resampling=st.KFold(4), **GRID)
    usual = found.choose()
    other = next(number for number in found.frame.index if number != usual)
    gains = np.where(found.frame.index == other, 0.1, -0.1)
    found.least_gains = gains
    monkeypatch.setattr(st.Tuning, "least_gains", gains)  # of the searches on the outer folds
    assert found.choose() == other
    answer = findings_of(found)
    assert [one.number for one in answer.choices if one.recommended] == [other]
    assert "Only this configuration predicts significantly better than no features" in answer.answer[-1]
    taken = []
    real = st.Tuning.choose
    monkeypatch.setattr(st.Tuning, "choose", lambda self, rule: taken.append(real(self, rule)) or taken[-1])
    found.nested_score(2)
    assert taken == [other, other]


@pytest.mark.slow
def test_searches_on_noise_recommend_nothing():
    """The benchmark tuning_on_noise tries more: resamplings, configurations, classes, numbers and times."""
    recommended = sum(noise(seed).least_gains.max() > 0 for seed in range(20))
    assert recommended <= 3  # binomial with 5%: at most 3 of 20 in 98.4%
