"""The table of features of an assessment: what the run folder keeps for it, and what a resume makes of that."""

import numpy as np
import pandas as pd
import pytest
from sklearn.exceptions import FitFailedWarning
from sklearn.feature_selection import SelectKBest
from sklearn.linear_model import Lasso, LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from steadyset import Assessment, Bootstrap, Data, InputError, KFold, assess, features_table
from steadyset.similarity import FeatureSimilarity

random = np.random.default_rng(0)
Y = np.repeat([0, 1], 30)
X = random.normal(size=(60, 6)) + np.outer(Y, [1.5, 0, -1, 0, 0, 0])
X[:, 1] = X[:, 0] + 0.05 * random.normal(size=60)
SELECTORS = ["anova:k=2", "lasso:k=2"]
HOW = {"resampling": Bootstrap(6), "random_state": 1, "scoring": []}


@pytest.fixture(scope="module")
def result(tmp_path_factory):
    return assess(SELECTORS, X, Y, out=tmp_path_factory.mktemp("assessed") / "runs", **HOW)


def test_the_recorded_table_is_that_of_the_assessment_and_of_no_folder(result):
    pd.testing.assert_frame_equal(Assessment.open(result.path).features_table(), result.features_table())
    pd.testing.assert_frame_equal(assess(SELECTORS, X, Y, **HOW).features_table(), result.features_table())


def test_the_table_is_that_of_its_selections_and_the_correlations_of_the_data(result):
    alike = FeatureSimilarity.from_data(X, features=result.features)
    on_all = {name: [result.features[f] for f in cell.selected] for name, cell in result.on_all_rows.items()}
    other = features_table(result.selections, similarity=alike, all_rows=on_all)
    signed = ["direction", "model_direction", "model_agreement"]
    pd.testing.assert_frame_equal(result.features_table().drop(columns=signed), other.drop(columns=signed))


def test_alike_features_stand_in_for_each_other(result):
    table = result.features_table().set_index(["selector", "feature"])
    lasso = table.loc["lasso:k=2"]
    assert lasso.loc["x0", "group"] == lasso.loc["x1", "group"]
    assert lasso.loc["x0", "with_stand_ins"] == lasso.loc["x1", "with_stand_ins"] >= lasso["frequency"].max()


def test_directions_name_the_class_for_filters_and_models(result):
    table = result.features_table().set_index(["selector", "feature"])
    named = assess(SELECTORS, X, np.where(Y, "DLBCL", "FL"), **HOW).features_table().set_index(["selector", "feature"])
    for selector in SELECTORS:
        assert table.loc[(selector, "x0"), "direction"] == "higher in 1"
        assert named.loc[(selector, "x0"), "direction"] == "higher in DLBCL"
    lasso = named.loc["lasso:k=2"]
    assert lasso.loc["x2", ["direction", "model_direction", "model_agreement"]].tolist() == ["higher in FL"] * 2 + [1]
    assert lasso.loc["x0", "model_direction"] == "higher in DLBCL"
    assert set(table.loc["anova:k=2", "model_direction"]) == {""}
    assert all(weight >= 0 for cell in result.cells for weight in cell.weights)


def test_directions_of_models_come_through_a_pipeline_and_not_from_several_classes():
    piped = make_pipeline(StandardScaler(), SelectKBest(k=3), Lasso(0.01))
    three = LogisticRegression()
    number = assess({"piped": piped}, Data(X, Y + 0.5, task="number"), resampling=KFold(3), scoring=[])
    down = ["falls with y", "falls with y", 1]
    columns = ["direction", "model_direction", "model_agreement"]
    assert number.features_table().set_index("feature").loc["x2", columns].tolist() == down
    classes = assess({"three": three}, X, np.arange(60) % 3, resampling=KFold(3), scoring=[])
    assert set(classes.features_table()["model_direction"]) == {""}


def test_a_model_that_goes_against_the_data_is_told():
    rng = np.random.default_rng(3)
    shared, y = rng.normal(size=200), np.repeat(["a", "b"], 100)
    step = (y == "b").astype(float)
    Z = np.column_stack([shared + 1.5 * step, shared + 0.5 * step]) + 0.05 * rng.normal(size=(200, 2))
    found = assess({"it": LogisticRegression()}, Z, y, resampling=KFold(3), scoring=[])
    second = found.features_table().set_index("feature").loc["x1"]
    assert (second["direction"], second["model_direction"]) == ("higher in b", "higher in a")


def test_the_fit_on_all_rows_is_that_of_the_selector_alone(result):
    from steadyset.selectors import FilterSelector

    alone = FilterSelector("anova", k=2, task="classes").fit(X, Y)
    assert result.on_all_rows["anova:k=2"].selected == tuple(np.flatnonzero(alone.get_support()))
    table = result.features_table()
    mine = table[(table["selector"] == "anova:k=2") & (table["all_rows"] == 1)]
    assert sorted(mine["feature"]) == [f"x{f}" for f in np.flatnonzero(alone.get_support())]


def test_features_csv_is_one_block_that_opens_with_what_matters(result):
    read, table = pd.read_csv(result.path / "features.csv"), result.features_table()
    over_all = table[table["selector"] == "all 2 selectors"].reset_index(drop=True)
    assert read.columns[:6].tolist() == ["feature", "direction", "frequency", "low", "high", "core"]
    assert read["feature"].is_unique
    assert read["feature"].tolist() == over_all["feature"].tolist()
    assert np.allclose(read["low"], over_all["wilson_low"], rtol=1e-5)
    assert set(read["core"]) <= {0, 1}
    for selector in SELECTORS:
        mine = table[table["selector"] == selector].set_index("feature")["frequency"]
        assert np.allclose(read[f"frequency of {selector}"], [mine.get(name, 0.0) for name in read["feature"]])


def test_features_csv_of_one_selector_has_its_shares_once(tmp_path):
    found = assess("anova:k=2", X, Y, out=tmp_path, **HOW)
    read = pd.read_csv(tmp_path / "features.csv")
    assert [name for name in read.columns if name.startswith("frequency")] == ["frequency"]
    assert read["feature"].tolist() == found.features_table()["feature"].tolist()


def test_all_rows_can_be_left_out_and_added_by_a_resume(tmp_path):
    without = assess(SELECTORS, X, Y, out=tmp_path, execution={"all_rows": False}, **HOW)
    assert without.on_all_rows == {}
    assert without.features_table()["all_rows"].isna().all()
    again = assess(SELECTORS, X, Y, out=tmp_path, **HOW)
    assert set(again.on_all_rows) == set(SELECTORS)
    assert again.cells == without.cells
    assert pd.read_csv(tmp_path / "features.csv")["all_rows"].notna().all()


def test_a_stop_during_the_fits_on_all_rows_loses_no_run(tmp_path):
    at = []

    def stop(done, total):
        at.append(done)
        if at.count(total) == 2:  # all runs are done, and one selector was fitted to all rows
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        assess(SELECTORS, X, Y, out=tmp_path, execution={"progress": stop}, **HOW)
    kept = Assessment.open(tmp_path)
    assert (len(kept.cells), len(kept.on_all_rows)) == (12, 1)
    assert not (tmp_path / "features.csv").exists()
    resumed = assess(SELECTORS, X, Y, out=tmp_path, **HOW)
    pd.testing.assert_frame_equal(resumed.features_table(), assess(SELECTORS, X, Y, **HOW).features_table())


def test_a_selector_that_fails_on_all_rows_only_is_told_and_stops_nothing():
    def fussy(X, y):
        if len(np.unique(X[:, 3])) == 60:
            raise ValueError("too many rows")
        return [0]

    found = assess(fussy, X, Y, resampling=Bootstrap(4))
    assert found.on_all_rows["fussy"].failure == "ValueError: too many rows"
    assert found.failures.empty
    assert found.features_table()["all_rows"].isna().all()


def test_features_csv_is_nothing_that_a_resume_trusts(tmp_path):
    first = assess(SELECTORS, X, Y, out=tmp_path, **HOW)
    right = (tmp_path / "features.csv").read_bytes()
    (tmp_path / "features.csv").write_bytes(b"nonsense")
    assert Assessment.open(tmp_path).features_table().equals(first.features_table())
    assess(SELECTORS, X, Y, out=tmp_path, **HOW)
    assert (tmp_path / "features.csv").read_bytes() == right


def test_pairs_of_other_data_are_refused(tmp_path, result):
    other = assess(SELECTORS, X + 1e-3, Y, out=tmp_path, **HOW)
    (other.path / "alike.json").write_bytes((result.path / "alike.json").read_bytes())
    with pytest.raises(InputError, match=r"alike.json is damaged: it belongs to other data"):
        Assessment.open(other.path)


def test_imputed_columns_are_compared():
    holes = X.copy()
    holes[:3, 1] = np.nan
    found = assess("anova:k=2", Data(holes, Y, impute="median"), **HOW)
    table = found.features_table().set_index("feature")
    assert table.loc["x0", "group"] == table.loc["x1", "group"]


def test_without_a_selection_the_table_is_empty(tmp_path):
    def never(X, y):
        raise RuntimeError("no")

    with pytest.warns(FitFailedWarning, match="no selection in any"):
        found = assess(never, X, Y, resampling=Bootstrap(2), out=tmp_path)
    assert len(found.features_table()) == 0
    assert (
        (tmp_path / "features.csv").read_text(encoding="utf-8").startswith("feature,direction,frequency,low,high,core")
    )
