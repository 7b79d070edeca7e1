"""What a target is taken for is told with the alternative, and unbalanced classes are not scored by accuracy."""

import numpy as np
import pytest
from tests.records import call

import steadyset as st
from steadyset.findings import findings_of
from steadyset.findings.sections import display_of
from steadyset.foundation.errors import InputError
from steadyset.io.data.sources import giving_away, repeated_rows
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
        match=r'The class 7 has only one row.*count or measure something, give st\.Data\(\.\.\., task="number"\)',
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


def repeated(n_copies):
    """50 samples of which the first ones stand in the data twice, and who belongs together."""
    rows = np.r_[:50, :n_copies]
    return X[rows], (np.arange(50) % 2)[rows], rows


@pytest.mark.parametrize("n_copies", [1, 20])
def test_copies_of_samples_are_a_caution_in_every_result(n_copies):
    Z, y, _ = repeated(n_copies)
    told = f"{n_copies} of {50 + n_copies} rows {'repeats' if n_copies == 1 else 'repeat'} another row in every feature"
    quiet = {"progress": False}
    results = [
        call(st.assess, ["anova:k=2"], Z, y, resampling=st.Bootstrap(8), progress=False),
        call(st.tune, SPACE, Z, y, resampling=st.KFold(2), sampler="grid", progress=False),
        st.shortlist(Z, y, permutations=20, splits=10, outer=2, execution=quiet),
        st.replication("anova:k=2", Z, y, pairs=20, execution=quiet),
    ]
    for result in results:
        found = findings_of(result)
        assert told in " ".join((*found.answer, *found.notes)), type(result)
        # Results whose number is void because of copies say so in their first sentence too.
        most = 2 if isinstance(result, st.Shortlist | st.Replication) else 1
        assert repr(result).replace("\n", " ").count("another row in every") <= most
        assert str(display_of(found)).count(told) == 1, type(result)


def test_copies_that_a_group_holds_together_and_coarse_features_are_no_reason_for_a_caution():
    Z, _, samples = repeated(20)
    assert repeated_rows(Z, samples) == 0
    assert repeated_rows(Z, samples % 25) == 0
    assert repeated_rows(Z, np.arange(70)) == repeated_rows(Z, None) == 20
    assert repeated_rows((Z > 0).astype(float), None) == 0
    assert repeated_rows(X, None) == 0


LABELS = np.arange(100) % 3
AMOUNTS = np.random.default_rng(5).normal(size=100)
TIMES = np.column_stack([np.exp(AMOUNTS), np.arange(100) % 2])


@pytest.mark.parametrize(
    ("y", "column"),
    [
        (LABELS, 3 - LABELS),
        (np.array(["ill", "well", "dead"])[LABELS], LABELS),
        (LABELS, 10 * LABELS + np.arange(100) % 2),  # a finer grading
        (AMOUNTS, 3 - 2 * AMOUNTS),
        (AMOUNTS, np.exp(AMOUNTS)),
        (TIMES, TIMES[:, 1]),
        (TIMES, 365 * TIMES[:, 0]),
    ],
)
def test_a_feature_that_stands_for_the_target_is_found(y, column):
    assert giving_away(np.column_stack([X, column, X]), y) == [6]


def test_what_merely_goes_with_the_target_is_not_found():
    wrong = np.r_[LABELS[:99], (LABELS[99] + 1) % 3]
    assert giving_away(np.column_stack([X, wrong, LABELS + 0.01 * AMOUNTS, LABELS > 0]), LABELS) == []
    assert giving_away(np.column_stack([X, AMOUNTS + 0.1 * X[:, 0], np.round(AMOUNTS)]), AMOUNTS) == []
    few = np.r_[np.zeros(24), np.ones(5)]
    assert giving_away(np.column_stack([X[:29], few]), few) == []  # so few rows can agree by accident


def test_the_target_among_the_features_is_a_caution_of_a_list_and_of_an_assessment():
    y = np.arange(100) % 2
    Z = np.column_stack([X, 2 - y])
    told = "From x6 the target can be read without a single error. Leave it out if it stands for it or is known"
    quiet = {"progress": False}
    assessment = call(st.assess, ["anova:k=2"], Z, y, resampling=st.Bootstrap(8), progress=False)
    for result in (assessment, st.shortlist(Z, y, permutations=20, splits=10, outer=2, execution=quiet)):
        assert str(display_of(findings_of(result))).count(told) == 1
