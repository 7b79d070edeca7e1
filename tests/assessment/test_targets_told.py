"""What a target is taken for is told with the alternative, and unbalanced classes are not scored by accuracy."""

import numpy as np
import pytest
from tests.records import call

import steadyset as st
from steadyset.findings import findings_of
from steadyset.foundation.errors import InputError
from steadyset.runner.scoring import SCORES
from steadyset.tasks import TASKS

X = np.random.default_rng(0).normal(size=(100, 6))
SPACE = {"filter": ["anova"], "fraction": [0.5], "model": {"knn": {}}}


def unbalanced(few):
    return np.array(["well"] * (100 - few) + ["ill"] * few)


def assessed(y, resampling=None, **options):
    resampling = st.Bootstrap(8) if resampling is None else resampling
    return call(st.assess, ["anova:k=2"], X, y, resampling=resampling, progress=False, **options)


def tuned(y, **options):
    return call(st.tune, SPACE, X, y, resampling=st.KFold(2), sampler="grid", progress=False, **options)


@pytest.mark.parametrize(
    ("counts", "score"),
    [
        ((50, 50), "accuracy"),
        ((79, 21), "accuracy"),
        ((80, 20), "balanced_accuracy"),
        ((94, 2, 2, 2), "balanced_accuracy"),
    ],
)
def test_from_80_percent_in_one_class_on_balanced_accuracy_is_the_default(counts, score):
    assert TASKS["classes"].score(np.repeat(np.arange(len(counts)), counts)) == score


def test_assess_and_tune_score_unbalanced_classes_alike_and_say_why():
    y = unbalanced(5)
    told = (
        "95% of the rows are of the class well: guessing it reaches an accuracy of 0.95, so balanced accuracy, 0.50 by "
        "guessing, is the score."
    )
    result, tuning = assessed(y), tuned(y)
    assert result.settings["scoring"] == ["balanced_accuracy"]
    assert tuning.objectives[0] == "balanced_accuracy"
    assert told in findings_of(result).notes
    assert told in findings_of(tuning).notes
    asked = findings_of(assessed(y, scoring="accuracy")).notes
    assert any("an accuracy of 0.95; scoring by balanced_accuracy or auc tells more" in note for note in asked)
    assert not any("guessing" in note for note in findings_of(assessed(unbalanced(40))).notes)


def test_runs_that_lack_a_class_name_what_keeps_it():
    y = unbalanced(2)
    result = assessed(y, st.Bootstrap(20))
    assert any(
        "lack a class; a resampling with stratified=True keeps all" in note for note in findings_of(result).notes
    )
    assert any(cell.failure.endswith("stratified=True keeps all of them") for cell in result.cells)
    kept = assessed(unbalanced(10), st.KFold(5, stratified=True))
    assert not any("stratified" in note for note in findings_of(kept).notes)


def test_balanced_accuracy_of_rows_without_a_class_is_undefined_rather_than_perfect():
    class Guess:
        classes_ = np.array([0, 1])

        def predict(self, X):
            return np.zeros(len(X), dtype=int)

    score = SCORES["balanced_accuracy"].scorer
    assert np.isnan(score(Guess(), X[:4], np.zeros(4, dtype=int)))
    assert score(Guess(), X[:4], np.array([0, 0, 0, 1])) == 0.5


def test_counts_that_became_classes_name_the_alternative():
    y = np.arange(100) % 6
    told = 'taken as 6 classes; if it counts or measures something, st.Data(..., task="number") takes it as a number'
    assert any(told in note for note in findings_of(assessed(y)).notes)
    assert any(told in note for note in findings_of(tuned(y)).notes)
    for given in ({"task": "classes"}, {"task": "number"}):
        assert not any("task=" in note for note in findings_of(assessed(y, **given)).notes)
    assert not any("task=" in note for note in findings_of(assessed(y % 2)).notes)
    with pytest.raises(
        InputError,
        match=r'only one row of the class 7.*count or measure something, give st\.Data\(\.\.\., task="number"\)',
    ):
        assessed(np.array([7, *y[1:]]))


@pytest.mark.parametrize("impute", [None, "median"])
@pytest.mark.parametrize("run", [assessed, tuned])
def test_a_column_without_any_value_is_refused_before_any_run(monkeypatch, run, impute):
    table = X.copy()
    table[:, 2] = np.nan
    monkeypatch.setitem(globals(), "X", table)
    with pytest.raises(InputError, match="X has no value at all in the column 'x2'; leave it out"):
        run(unbalanced(40), impute=impute)
