"""Predictions that are kept: values of R on identical resamples, cases worked by hand, folders that continue."""

import hashlib
import json
from pathlib import Path

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.calibration import calibration_curve
from sklearn.linear_model import LinearRegression, LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import steadyset as st
from steadyset.assessment.written import cell_json, write_json
from steadyset.foundation.errors import InputError
from steadyset.inference.models import PredictionSpread
from steadyset.tasks import TASKS

ORACLE = json.loads((Path(__file__).parents[1] / "oracles" / "model_stability.json").read_text(encoding="utf-8"))
DATA, TRUTH = ORACLE["data"], ORACLE["truth"]
X = np.array(DATA["X"])
PAIRS = [(np.array(rows), np.setdiff1d(np.arange(len(X)), rows)) for rows in DATA["draws"]]
QUIET = st.Execution(engine="serial", progress=False, predictions=True)
UNKEPT = st.Execution(engine="serial", progress=False)
MODELS = {"classes": LogisticRegression(C=np.inf, max_iter=10_000, tol=1e-12), "number": LinearRegression()}


def assessed(y, selector="anova:k=2", model=None, resampling=PAIRS, table=X, **options):
    predictor = None if model is None else make_pipeline(StandardScaler(), model)
    options = {"execution": QUIET, "predictor": predictor} | options
    return st.assess(selector, table, y, resampling=resampling, **options)


@pytest.fixture(scope="module")
def results():
    targets = {"classes": np.array(DATA["y"]), "number": np.array(DATA["z"])}
    return {task: assessed(y, model=MODELS[task]) for task, y in targets.items()}


@pytest.mark.parametrize("task", ["classes", "number"])
def test_rows_vary_as_r_says(results, task):
    truth, rows = TRUTH[task], results[task].prediction_stability(by="row")
    np.testing.assert_allclose(rows["error"], truth["mape"]["individual_mape"], atol=1e-6)
    np.testing.assert_allclose(rows[["low", "high"]], truth["limits"], atol=1e-6)
    summary = results[task].prediction_stability().iloc[0]
    assert summary["error"] == pytest.approx(truth["mape"]["average_mape"], abs=1e-6)


def test_classes_change_as_pminternal_counts(results):
    rows = results["classes"].prediction_stability(by="row")
    np.testing.assert_allclose(rows["changed"], TRUTH["classes"]["cii"], atol=1e-9)


@pytest.mark.parametrize("task", ["classes", "number"])
def test_tenths_of_the_model_on_all_rows_are_those_of_r(results, task):
    tenths = results[task].prediction_stability(by="tenth").query("run == -1")
    np.testing.assert_allclose(tenths[["predicted", "observed"]], TRUTH[task]["tenths"], atol=1e-6)


def fan(result):
    """The calibration of the runs: run, output, tenth, and the mean prediction beside what was observed."""
    tenths = result.prediction_stability(by="tenth").query("run >= 0")
    found = np.full((len(PAIRS), tenths["output"].max() + 1, 10, 2), np.nan)
    found[tenths["run"], tenths["output"], tenths["tenth"]] = tenths[["predicted", "observed"]]
    return found


@pytest.mark.parametrize("task", ["classes", "number"])
def test_the_calibration_fan_is_that_of_r(results, task):
    np.testing.assert_allclose(fan(results[task])[:, 0], TRUTH[task]["fan"], atol=1e-6)


def test_three_classes_vary_as_multinom_says():
    truth = TRUTH["three"]
    result = assessed(np.array(truth["y"]), model=MODELS["classes"], table=X[:, :2])
    np.testing.assert_allclose(fan(result), truth["fan"], atol=1e-6)
    rows = result.prediction_stability(by="row")
    np.testing.assert_allclose(rows["error"], truth["error"], atol=1e-6)
    np.testing.assert_allclose(rows["changed"], truth["changed"], atol=1e-6)


def test_risks_vary_as_coxph_says():
    truth = TRUTH["survival"]
    cox = st.CoxModel(penalty=0.0, ties="breslow")
    result = assessed(st.Survival(truth["time"], truth["event"]), model=cox, table=X[:, :2])
    seen, known = fan(result)[:, 0], np.array(truth["fan"], dtype=float)
    defined = np.isfinite(known[..., 1])  # elsewhere nobody was followed until the median time of the events
    np.testing.assert_allclose(seen[defined], known[defined], atol=1e-6)
    assert np.isnan(seen[~defined]).all()
    rows = result.prediction_stability(by="row")
    np.testing.assert_allclose(rows["error"], truth["error"], atol=1e-6)
    np.testing.assert_allclose(rows[["low", "high"]], truth["limits"], atol=1e-6)


def test_tenths_are_those_of_scikit_learn():
    y, p = np.array(DATA["y"]), np.random.default_rng(0).random(len(X))
    observed, predicted = calibration_curve(y, p, n_bins=10, strategy="quantile")
    np.testing.assert_allclose(TASKS["classes"].calibrated(y, p[:, None])[0].T, [predicted, observed])


def test_three_rows_and_two_runs_worked_by_hand():
    original, runs = np.array([[0.2], [0.6], [0.9]]), np.array([[[0.4], [0.4], [0.9]], [[0.2], [0.7], [0.8]]])
    spread = PredictionSpread(original, runs, TASKS["classes"])
    np.testing.assert_allclose(spread.errors, [0.1, 0.15, 0.05])
    np.testing.assert_allclose(spread.changed, [0, 0.5, 0])
    # Kappa of the classes 0, 0, 1 and 0, 1, 1: (2/3 - 4/9) / (1 - 4/9). Two runs have no spread to judge it by.
    assert spread.summary() == pytest.approx(
        {
            "error": 0.1,
            "changed": 1 / 6,
            "often_changed": 1 / 3,
            "width": 0.95 * 0.2,
            "between_rows": 1.4 / 3,
            "agreement": 0.4,
            "agreement_low": -1.0,
            "agreement_high": 1.0,
        }
    )


def test_three_classes_move_the_probability_that_changes_its_place():
    original, runs = np.array([[0.5, 0.3, 0.2]]), np.array([[[0.2, 0.6, 0.2]], [[0.5, 0.3, 0.2]]])
    spread = PredictionSpread(original, runs, TASKS["classes"])
    np.testing.assert_allclose(spread.errors, [0.15])  # of 0.3 that one of two runs moves
    np.testing.assert_allclose(spread.changed, [0.5])
    np.testing.assert_allclose(spread.shown[1], [[0.2], [0.5]])  # of the first class, which was predicted


def test_two_columns_of_two_classes_say_the_same_as_one():
    random = np.random.default_rng(1)
    original, runs = random.random((6, 1)), random.random((4, 6, 1))
    one = PredictionSpread(original, runs, TASKS["classes"])
    both = PredictionSpread(np.hstack([1 - original, original]), np.concatenate([1 - runs, runs], 2), TASKS["classes"])
    np.testing.assert_allclose(one.errors, both.errors)
    np.testing.assert_allclose(one.changed, both.changed)


def targets():
    random = np.random.default_rng(2)
    lp = X[:, 0] - X[:, 1]
    times = st.Survival(random.exponential(np.exp(-lp)) + 0.01, random.random(len(X)) < 0.7)
    counts = st.Data(X, random.poisson(np.exp(0.5 * lp)), task="count")
    return {"three": np.digitize(lp, [-0.7, 0.7]), "times": times, "counts": counts}


@pytest.mark.parametrize("name", ["three", "times", "counts"])
def test_runs_on_all_rows_vary_by_exactly_nothing(name):
    y = targets()[name]
    everything = [(np.arange(len(X)), np.empty(0, np.int64))] * 3
    data = (y, None) if isinstance(y, st.Data) else (X, y)
    result = st.assess("anova:k=2", *data, resampling=everything, execution=QUIET)
    found = result.prediction_stability().iloc[0]
    assert (found[["error", "width", "changed", "often_changed"]] == 0).all()
    tenths = result.prediction_stability(by="tenth")
    for run in range(3):
        own = tenths[tenths["run"] == run].drop(columns="run").reset_index(drop=True)
        assert own.equals(tenths[tenths["run"] == -1].drop(columns="run").reset_index(drop=True))


def test_risks_are_probabilities_of_an_event_up_to_the_median_time():
    y = targets()["times"]
    result = assessed(y, resampling=st.Bootstrap(4))
    rows = result.prediction_stability(by="row")
    assert rows["prediction"].between(0, 1).all()
    middle = np.median(y["time"][y["event"]])
    model = make_pipeline(StandardScaler(), st.CoxModel())
    kept = list(result.on_all_rows["anova:k=2"].selected)
    model.fit(X[:, kept], np.column_stack([y["time"], y["event"]]))
    survival = model[-1].predict_survival(model[:-1].transform(X[:, kept]), [middle])[:, 0]
    np.testing.assert_allclose(rows["prediction"], 1 - survival, atol=1e-6)


def test_a_share_with_an_event_is_kaplan_and_meiers():
    truth = TRUTH["survival"]
    y = np.column_stack([truth["time"], truth["event"]])
    np.testing.assert_allclose(TASKS["survival"].observed(y, np.arange(len(y)) < 40), truth["km"], atol=1e-6)


def test_the_folder_gives_back_what_was_kept(tmp_path):
    y = np.array(DATA["y"])
    result = assessed(y, resampling=st.Bootstrap(3), out=tmp_path / "runs")
    again = st.Assessment.open(tmp_path / "runs")
    assert again.cells == result.cells
    assert again.prediction_stability().equals(result.prediction_stability())
    assert {"prediction_error", "changed"} <= set(again.summary())


def test_more_runs_and_another_engine_change_nothing(tmp_path):
    y, out = np.array(DATA["y"]), tmp_path / "runs"
    assessed(y, resampling=st.Bootstrap(2), out=out)
    threads = st.Execution(engine="threads", progress=False, predictions=True)
    more = assessed(y, resampling=st.Bootstrap(5), out=out, execution=threads, n_jobs=2)
    once = assessed(y, resampling=st.Bootstrap(5))
    assert [cell.kept for cell in more.cells] == [cell.kept for cell in once.cells]


def test_a_folder_without_predictions_gets_them_when_asked(tmp_path):
    y, out = np.array(DATA["y"]), tmp_path / "runs"
    before = assessed(y, resampling=st.Bootstrap(3), out=out, execution=UNKEPT)
    with pytest.raises(InputError, match="keeps no predictions"):
        before.prediction_stability()
    after = assessed(y, resampling=st.Bootstrap(3), out=out)
    assert [cell.selected for cell in after.cells] == [cell.selected for cell in before.cells]
    assert len(after.prediction_stability()) == 1


def test_altered_predictions_are_refused_and_lost_ones_made_again(tmp_path):
    y, out = np.array(DATA["y"]), tmp_path / "runs"
    result = assessed(y, resampling=st.Bootstrap(3), out=out)
    file = out / "predictions.parquet"
    content = bytearray(file.read_bytes())
    content[len(content) // 2] ^= 1
    file.write_bytes(content)
    with pytest.raises(InputError, match=r"predictions\.parquet is damaged"):
        st.Assessment.open(out)
    file.unlink()
    with pytest.raises(InputError, match=r"predictions\.parquet is missing"):
        st.Assessment.open(out)
    assert assessed(y, resampling=st.Bootstrap(3), out=out).prediction_stability().equals(result.prediction_stability())


@pytest.mark.parametrize("options", [{"use_dictionary": True}, {"compression": "zstd"}, {"use_dictionary": False}])
def test_a_small_file_that_would_unfold_is_not_looked_into(tmp_path, options):
    out, n = tmp_path / "runs", 3_000_000
    assessed(np.array(DATA["y"]), resampling=st.Bootstrap(2), out=out)
    zeros = np.zeros(n, np.int32)
    lists = pa.FixedSizeListArray.from_arrays(pa.array(zeros.astype(np.float32)), n)
    bombs = {"selector": zeros, "run": zeros, "predictions": zeros.astype(np.float32)}
    table = pa.table(bombs if options != {"use_dictionary": False} else {"selector": zeros[:1], "predictions": lists})
    pq.write_table(table, out / "predictions.parquet", **{"compression": "none", **options})
    forged = hashlib.sha256((out / "predictions.parquet").read_bytes()).hexdigest()
    cells = {**json.loads((out / "cells.json").read_bytes()), "predictions": forged}
    cells.pop("sha256")
    (out / "cells.json").write_bytes(write_json(cells, indent=None))
    with pytest.raises(InputError, match="does not hold predictions"):
        st.Assessment.open(out)


def test_packing_that_was_interrupted_loses_nothing(tmp_path):
    y, out = np.array(DATA["y"]), tmp_path / "runs"
    assessed(y, resampling=st.Bootstrap(2), out=out)
    older = (out / "cells.json").read_bytes()
    whole = assessed(y, resampling=st.Bootstrap(4), out=out)
    (out / "cells.json").write_bytes(older)  # as if the process had ended between the two files
    for cell in whole.cells[2:]:
        (out / "finished" / f"0-{cell.run}.json").write_bytes(cell_json(cell))
    resumed = assessed(y, resampling=st.Bootstrap(4), out=out)
    assert [cell.kept for cell in resumed.cells] == [cell.kept for cell in whole.cells]


class OnlyLabels(ClassifierMixin, BaseEstimator):
    """Predicts classes, and no probabilities."""

    def fit(self, X, y):
        self.model_ = LogisticRegression().fit(X, y)
        self.classes_ = self.model_.classes_
        return self

    def predict(self, X):
        return self.model_.predict(X)


def test_a_model_without_probabilities_predicts_0_or_1():
    rows = assessed(np.array(DATA["y"]), model=OnlyLabels()).prediction_stability(by="row")
    assert set(rows["prediction"]) == {0.0, 1.0}
    np.testing.assert_allclose(rows["error"], rows["changed"])


def test_a_run_that_lacks_a_class_gives_it_no_probability():
    y = np.array(["a"] * 40 + ["b"] * 36 + ["c"] * 4)
    lacking = [(np.arange(76), np.arange(76, 80)), *PAIRS[:2]]
    result = assessed(y, resampling=lacking)
    predicted = np.frombuffer(result.cells[0].kept.predictions, "<f4").reshape(80, 3)
    assert (predicted[:, 2] == 0).all()
    np.testing.assert_allclose(predicted.sum(axis=1), 1, atol=1e-6)


def test_a_predictor_without_survival_keeps_its_scores_and_says_why_there_are_no_risks():
    class Risk(BaseEstimator):
        def fit(self, X, y):
            return self

        def predict(self, X):
            return X[:, 0]

    result = assessed(targets()["times"], resampling=st.Bootstrap(2), predictor=Risk())
    assert all("harrell" in cell.scores and not cell.failure for cell in result.cells)
    assert any("predict_survival" in text for cell in result.cells for text in cell.warnings)
    with pytest.raises(InputError, match="keeps no predictions"):
        result.prediction_stability()


def test_numbers_beyond_32_bits_are_not_kept_and_the_folder_still_opens(tmp_path):
    y = np.array(DATA["z"]) * 1e60
    result = assessed(y, resampling=st.Bootstrap(2), out=tmp_path / "runs")
    assert all(cell.kept.predictions == b"" and "r2" in cell.scores for cell in result.cells)
    assert st.Assessment.open(tmp_path / "runs").cells == result.cells


def test_covariates_gaps_and_labels_of_text_keep_predictions_too():
    import pandas as pd

    random = np.random.default_rng(4)
    frame = pd.DataFrame(X, columns=[f"x{j}" for j in range(5)]).assign(age=random.normal(60, 9, len(X)))
    y = np.array(DATA["z"])
    beside = st.assess("anova:k=2", st.Data(frame, y, force=["age"]), resampling=st.Bootstrap(3), execution=QUIET)
    assert all(len(cell.kept.coefficients) == 2 for cell in beside.cells)
    gaps = frame.mask(random.random(frame.shape) < 0.05)
    filled = st.assess("anova:k=2", st.Data(gaps, y, impute="median"), resampling=st.Bootstrap(3), execution=QUIET)
    for result in (beside, filled):
        assert result.prediction_stability(by="row")["prediction"].notna().all()
        assert "rows are prepared" in result.settings["details"]["global_model"]["note"]


def test_the_findings_say_it_and_no_others_do(results):
    found = st.findings_of(results["classes"])
    (one,) = found.predictions
    assert one.error == pytest.approx(TRUTH["classes"]["mape"]["average_mape"], abs=1e-6)
    titles = [section["title"] for section in found.to_dict()["sections"]]
    assert "Do the predictions hold?" in titles
    plain = st.findings_of(assessed(np.array(DATA["y"]), execution=UNKEPT))
    assert not plain.predictions
    assert "Do the predictions hold?" not in [section["title"] for section in plain.to_dict()["sections"]]


def predictions_of(folder):
    return pq.read_table(folder / "predictions.parquet").to_pandas()


def test_the_file_tells_names_left_out_rows_and_targets(tmp_path):
    names = tuple(f"patient {row}" for row in range(len(X)))
    labels = np.array(["well", "ill"])[np.array(DATA["y"])]
    st.assess("anova:k=2", st.Data(X, labels, rows=names), resampling=PAIRS[:3], execution=QUIET, out=tmp_path / "two")
    table = predictions_of(tmp_path / "two")
    assert sorted(table["run"].unique()) == [-1, 0, 1, 2]
    for run, one in table.groupby("run"):
        assert tuple(one["row"]) == names
        assert (one["observed"].to_numpy() == labels).all()
        expected = np.empty(0, int) if run == -1 else PAIRS[run][1]
        assert np.flatnonzero(one["left_out"]).tolist() == sorted(expected)
    kept = st.Assessment.open(tmp_path / "two").cells[0].kept.predictions
    first = table[table["run"] == st.Assessment.open(tmp_path / "two").cells[0].run]
    assert first["predictions"].to_numpy().astype("<f4").tobytes() == kept


def test_the_file_tells_classes_times_and_events(tmp_path):
    for name in ("three", "times"):
        data = X, targets()[name]
        st.assess("anova:k=2", *data, resampling=st.Bootstrap(2), execution=QUIET, out=tmp_path / name)
    three, times = predictions_of(tmp_path / "three"), predictions_of(tmp_path / "times")
    np.testing.assert_allclose(three.groupby(["run", "row"], observed=True)["predictions"].sum(), 1, atol=1e-6)
    assert three["class"].astype(str).tolist()[:4] == ["0", "1", "2", "0"]
    assert three["row"].astype(str).tolist()[:4] == ["1", "1", "1", "2"]
    y = targets()["times"]
    assert np.array_equal(times.query("run == 0")["event"], y["event"])
    np.testing.assert_allclose(times.query("run == 0")["observed"], y["time"])


def test_the_file_has_the_names_of_the_index_of_a_frame(tmp_path):
    patients = [f"patient{row}" for row in range(len(X))]
    for index, names in ((patients, patients), (None, [str(row + 1) for row in range(len(X))])):
        folder = tmp_path / names[0]
        frame = pd.DataFrame(np.asarray(X), index=index)
        st.assess("anova:k=2", frame, np.array(DATA["y"]), resampling=PAIRS[:2], execution=QUIET, out=folder)
        table = predictions_of(folder)
        assert table[table["run"] == 0]["row"].tolist() == names
