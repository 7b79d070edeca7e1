"""Coefficients of the runs' models: values of R on identical resamples, cases worked by hand, what is undefined."""

from dataclasses import replace

import numpy as np
import pytest
from sklearn.ensemble import RandomForestClassifier
from sklearn.linear_model import Lasso
from tests.assessment.test_kept_predictions import DATA, MODELS, QUIET, TRUTH, UNKEPT, X, assessed

import steadyset as st
from steadyset.findings.holds import _rows, what_can_be_said
from steadyset.foundation.errors import InputError
from steadyset.inference.models import Predicted, coefficients_of_runs
from steadyset.tasks import TASKS

UNSTEADY_ROWS = Predicted("one", 10, error=1.0, width=2.0, changed=0.4, often_changed=0.9, between_rows=1.2)
TARGETS = {"classes": np.array(DATA["y"]), "number": np.array(DATA["z"])}


@pytest.mark.parametrize("task", ["classes", "number"])
def test_inclusion_ratios_and_biases_are_those_of_r(task):
    truth = TRUTH[task]
    cells = assessed(TARGETS[task], model=MODELS[task]).cells
    runs = np.zeros((len(cells), X.shape[1]))
    for row, cell in zip(runs, cells, strict=True):
        row[list(cell.selected)] = cell.kept.coefficients
    np.testing.assert_allclose(runs, truth["coefficients"], atol=1e-5)
    full, errors = TASKS[task].global_model(X, TARGETS[task])
    np.testing.assert_allclose(full, truth["global"], rtol=1e-6)
    np.testing.assert_allclose(errors, truth["se"], rtol=1e-6)
    found = coefficients_of_runs(runs, runs != 0, full, full, errors)
    np.testing.assert_allclose(found["inclusion"], truth["inclusion"], atol=1e-8)
    np.testing.assert_allclose(found["rmsd_ratio"], truth["rmsd_ratio"], rtol=1e-5)
    bias = np.array([np.nan if one in (None, "NaN") else one for one in truth["relative_conditional_bias"]], float)
    np.testing.assert_allclose(found["conditional_bias"], bias, rtol=1e-4, atol=1e-5)
    sd = np.array([np.nan if one in (None, "NA") else one for one in truth["sd"]], float)
    np.testing.assert_allclose(found["sd"], sd, rtol=1e-4)


def test_global_models_of_times_and_counts_are_those_of_r():
    times, counts = TRUTH["survival"], TRUTH["count"]
    for task, y, truth in (
        ("survival", np.column_stack([times["time"], times["event"]]), times),
        ("count", np.array(counts["y"], float), counts),
    ):
        full, errors = TASKS[task].global_model(X, y)
        np.testing.assert_allclose(full, truth["coef"], rtol=1e-5)
        np.testing.assert_allclose(errors, truth["se"], rtol=1e-5)


def test_four_runs_worked_by_hand():
    runs = np.array([[1.0, 0.0], [2.0, -1.0], [3.0, 1.0], [2.0, 0.0]])
    found = coefficients_of_runs(runs, runs != 0, np.array([2.0, 0.0]), np.array([1.0, 2.0]), np.array([0.5, 1.0]))
    assert found["inclusion"].tolist() == [1.0, 0.5]
    assert found["mean"].tolist() == [2.0, 0.0]
    np.testing.assert_allclose(found["sd"], [np.sqrt(2 / 3), np.sqrt(2)])
    assert found["same_sign"].tolist() == [1.0, 0.5]
    np.testing.assert_allclose(found["rmsd_ratio"], [np.sqrt((0 + 1 + 4 + 1) / 4) / 0.5, np.sqrt((4 + 9 + 1 + 4) / 4)])
    np.testing.assert_allclose(found["conditional_bias"], [2 / 1 - 1, 0 / 2 - 1])


def test_identical_runs_have_no_spread_and_every_sign():
    y = TARGETS["number"]
    table = assessed(y, resampling=[(np.arange(len(X)), np.empty(0, np.int64))] * 3).coefficient_stability()
    assert (table["sd"] == 0).all()
    assert (table[["inclusion", "same_sign"]] == 1).all().all()
    assert (table["low"] == table["high"]).all()
    assert (table["mean"] == table["coefficient"]).all()


@pytest.mark.parametrize("resampling", [st.Bootstrap(6), st.Subsample(6)])
def test_bias_is_told_of_bootstraps_alone(resampling):
    table = assessed(TARGETS["number"], resampling=resampling).coefficient_stability()
    told = isinstance(resampling, st.Bootstrap)
    assert table["rmsd_ratio"].notna().all() == told
    assert table["conditional_bias"].notna().any() == told
    assert table["inclusion"].between(0, 1).all()


def test_more_features_than_rows_have_no_model_with_all_of_them():
    random = np.random.default_rng(0)
    wide = random.normal(size=(40, 60))
    result = assessed(wide[:, 0] + random.normal(size=40), table=wide, resampling=st.Bootstrap(4))
    assert result.coefficient_stability()["rmsd_ratio"].isna().all()
    assert "5 rows for each" in result.settings["details"]["global_model"]["note"]


def test_classes_that_a_feature_separates_have_no_global_model():
    with pytest.raises(InputError, match="no maximum"):
        TASKS["classes"].global_model(X, X[:, 0] > 0)
    with pytest.raises(InputError, match="made up of others"):
        TASKS["number"].global_model(np.column_stack([X, X[:, 0]]), TARGETS["number"])


def test_coefficients_are_in_the_units_of_the_features():
    y = TARGETS["number"]
    plain = assessed(y, resampling=st.Bootstrap(3)).coefficient_stability()
    metres = assessed(y, table=X / 1000, resampling=st.Bootstrap(3)).coefficient_stability()
    for column in ("coefficient", "mean", "sd", "low", "high"):
        np.testing.assert_allclose(metres[column], 1000 * plain[column], rtol=1e-6)
    for column in ("inclusion", "same_sign", "rmsd_ratio", "conditional_bias"):
        np.testing.assert_allclose(metres[column], plain[column], rtol=1e-6)


def test_a_selectors_own_coefficients_and_importances_need_nothing_kept():
    lasso = assessed(TARGETS["number"], Lasso(alpha=0.1), resampling=st.Bootstrap(4), execution=UNKEPT)
    first = lasso.coefficient_stability().iloc[0]
    assert first["inclusion"] == first["same_sign"] == 1
    assert np.isnan(first["rmsd_ratio"])
    forest = RandomForestClassifier(n_estimators=5, random_state=0)
    table = assessed(TARGETS["classes"], forest, resampling=st.Bootstrap(4), execution=UNKEPT).coefficient_stability()
    assert (table["mean"] > 0).all()
    assert table["same_sign"].isna().all()


def test_models_are_counted_the_most_frequent_first():
    result = assessed(TARGETS["classes"], resampling=st.Bootstrap(12))
    table = result.coefficient_stability(by="model")
    assert table["runs"].sum() == 12
    assert table["runs"].is_monotonic_decreasing
    np.testing.assert_allclose(table["share"], table["runs"] / 12)
    sets = [frozenset(cell.selected) for cell in result.cells]
    assert table["runs"].iloc[0] == max(map(sets.count, sets))


def test_the_folder_gives_back_the_same_table(tmp_path):
    result = assessed(TARGETS["classes"], resampling=st.Bootstrap(3), out=tmp_path / "runs")
    again = st.Assessment.open(tmp_path / "runs").coefficient_stability()
    assert again.equals(result.coefficient_stability())


def said(y, table=X, selector="anova:k=2", **options):
    options = {"execution": QUIET, "resampling": st.Bootstrap(15)} | options
    found = st.findings_of(assessed(y, selector, table=table, **options))
    return what_can_be_said(found), found


@pytest.mark.parametrize("case", ["permuted", "noise", "few rows", "many features", "rare class"])
def test_where_nothing_predicts_nothing_is_concluded(case):
    random = np.random.default_rng(5)
    y, table = random.permutation(TARGETS["classes"]), X
    if case == "noise":
        y = random.normal(size=len(X))
    elif case == "few rows":
        y, table = random.permutation(np.arange(50) % 2), X[:50]
    elif case == "many features":
        table = random.normal(size=(len(X), 200))
    elif case == "rare class":
        y = np.where(np.arange(len(X)) < 4, "ill", "well")
    text, _ = said(y, table)
    assert "the choice of these features is not supported" in text
    assert "same sign" not in text
    assert "differs by" not in text


def test_the_last_section_joins_list_signs_and_predictions():
    text, found = said(X[:, 0] + 0.1 * np.random.default_rng(0).normal(size=len(X)), selector="anova:k=1")
    assert "chooses 1 feature in at least 90%" in text
    assert "the same sign in all of them (1 feature)" in text
    assert "differs by" in text
    assert "too much to rely on" not in text
    assert "steadyset replicate" in text
    titles = [section["title"] for section in found.to_dict()["sections"]]
    assert titles.index("For your paper") < titles.index("What can be said")
    assert "Do the coefficients hold?" in titles


def test_signs_of_features_that_are_seldom_selected_are_not_told():
    random = np.random.default_rng(3)
    table = np.column_stack([X[:, 0], random.normal(size=(len(X), 30))])
    text, found = said(X[:, 0] + random.normal(size=len(X)), table, selector="anova:k=4")
    seldom = [row for row in found.coefficients[0].rows if row.inclusion < 0.5 and row.same_sign == 1]
    assert seldom  # each was selected where its effect came out large, always with that sign
    assert "(1 feature)" in text


def test_what_was_not_asked_is_not_answered():
    y = X[:, 0] + 0.1 * np.random.default_rng(0).normal(size=len(X))
    assert "was not asked" in said(y, selector="anova:k=1", execution=UNKEPT)[0]
    assert "was not tested" in said(y, selector="anova:k=1", scoring=[])[0]


def test_features_that_predict_no_better_than_random_ones_are_no_choice():
    y = X[:, 0] + 0.1 * np.random.default_rng(0).normal(size=len(X))
    text, _ = said(y)  # random pairs of five features often hold the one that matters
    assert "better than as many random features, so that the choice of these features is not supported." in text


def test_unsteady_predictions_are_called_so():
    found = said(TARGETS["number"])[1]
    assert "too much to rely on single predictions" in _rows(found, UNSTEADY_ROWS)
    constant = replace(UNSTEADY_ROWS, error=0.0, between_rows=0.0)
    assert _rows(found, constant) == "Every model predicts the same for all rows."


def test_who_gives_no_weights_has_no_coefficients_but_the_predictors():
    def chosen(X, y):
        return [0, 1]

    with pytest.raises(InputError, match="No selector gives"):
        assessed(
            TARGETS["number"], {"mine": chosen}, resampling=st.Bootstrap(2), execution=UNKEPT
        ).coefficient_stability()
    kept = assessed(TARGETS["number"], {"mine": chosen}, resampling=st.Bootstrap(2))
    assert kept.coefficient_stability()["feature"].tolist() == ["x0", "x1"]
