"""Requests and runs that fail: refused in one sentence before any run, or recorded with their reason."""

import numpy as np
import pytest
from sklearn.datasets import load_breast_cancer
from sklearn.exceptions import FitFailedWarning
from sklearn.feature_selection import SelectKBest
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import PolynomialFeatures, StandardScaler
from tests.assessment.first_two import Selector
from tests.records import call

from steadyset.assessment import assess
from steadyset.findings import findings_of
from steadyset.foundation.errors import InputError
from steadyset.resampling import Bootstrap, Chunks, KFold

X, Y = load_breast_cancer(return_X_y=True, as_frame=True)
X, Y = X.iloc[::4], Y.iloc[::4]


class NoEstimator:
    """Has fit, and nothing else of scikit-learn."""

    def fit(self, X, y):
        return self


def test_auto_ends_at_the_maximum_and_does_not_wait_for_selectors_without_a_stability():
    def n_runs(selector, **options):
        result = assess(selector, X, Y, n_runs=options, execution={"engine": "threads"})
        return result.scores["run"].nunique()

    assert n_runs(SelectNone(), max_runs=100) == 30
    assert n_runs("variance:k=5", max_runs=12) == 12
    assert n_runs("variance:k=5", max_runs=31, width=1e-9) == 31


def test_threads_at_work_together_agree_on_what_did_not_converge():
    stuck = make_pipeline(StandardScaler(), LogisticRegression(max_iter=1, C=1e4))
    selectors = {"stuck": stuck, "fine": SelectKBest(k=2)}
    result = assess(selectors, X, Y, resampling=Bootstrap(40), n_jobs=4, execution={"engine": "threads"})
    warned = {
        name: [bool(cell.warnings) for cell in result.cells if cell.selector == i] for i, name in enumerate(selectors)
    }
    assert all(warned["stuck"])
    assert not any(warned["fine"])


def test_failing_runs_are_recorded_with_their_reason_and_stop_nothing():
    selectors = {"fine": SelectKBest(k=3), "broken": Broken(), "empty": SelectNone()}
    y = np.zeros(len(Y), dtype=int)
    y[:2] = 1
    with pytest.warns(FitFailedWarning, match="'broken' made no selection in any of its 20 runs") as warned:
        result = assess(selectors, X, y, resampling=Bootstrap(20))
    assert len(warned) == 1
    assert result.summary(details=True)["verdict"]["broken"] == "all runs failed"
    assert any("All 20 runs of broken failed" in sentence for sentence in findings_of(result).answer)
    reasons = result.failures.groupby("selector")["reason"].unique()
    one_class = "the resample holds one class only; a resampling with stratified=True keeps all of them"
    assert set(reasons["fine"]) == {one_class}
    assert set(reasons["broken"]) == {one_class, "RuntimeError: this selector never works"}
    assert set(reasons["empty"]) == {one_class, "nothing was selected"}
    assert "broken" not in result.selections
    assert set(result.selections["empty"].sizes) == {0}
    assert 2 <= result.selections["fine"].n_runs < 20


@pytest.mark.parametrize("selector", ["jmi:k=31", "lasso:k=31", "forest:k=31", "rfe:k=31"])
def test_more_features_than_there_are_is_told_without_any_run(selector):
    with pytest.raises(
        InputError, match=r"'\w+:k=31' cannot run: k must be at most 30, the number of features of X .got 31."
    ):
        assess(
            [Broken(), selector],
            X,
            Y,
            resampling=Bootstrap(4),
            execution={"progress": lambda *_: pytest.fail("a run began")},
        )


@pytest.mark.parametrize(
    ("selector", "sentence"),
    [
        ("anova:fraction=2", "fraction must be a number"),
        (SelectKBest(k=-1), "InvalidParameterError: The 'k' parameter"),
    ],
)
@pytest.mark.parametrize("engine", ["serial", pytest.param("processes", marks=pytest.mark.slow)])
def test_parameters_that_fail_in_every_run_stop_at_the_first_and_leave_no_folder(tmp_path, selector, sentence, engine):
    seen = []
    with pytest.raises(InputError, match=f"'bad' would fail in every run: {sentence}"):
        assess(
            {"fine": SelectKBest(k=5), "bad": selector},
            X,
            Y,
            resampling=Bootstrap(50),
            out=tmp_path / "runs",
            n_jobs=2,
            execution={"engine": engine, "progress": lambda done, total: seen.append(done)},
        )
    assert max(seen) < 20
    assert not (tmp_path / "runs").exists()


def test_a_folder_goes_although_a_worker_was_ended_while_it_wrote(tmp_path):
    def half_written(done, total):
        (tmp_path / "runs" / "finished" / ".0-7.json.123.part").write_bytes(b'{"sel')

    with pytest.raises(InputError, match="'bad' would fail in every run"):
        assess(
            {"bad": "anova:fraction=2"},
            X,
            Y,
            resampling=Bootstrap(5),
            out=tmp_path / "runs",
            execution={"progress": half_written},
        )
    assert not (tmp_path / "runs").exists()


def test_a_fault_of_the_resample_is_no_fault_of_the_selector():
    with pytest.warns(FitFailedWarning, match="rows are missing"):
        result = assess(NeedsAllRows(len(Y)), X, Y, resampling=Bootstrap(3))
    assert result.failures["reason"].str.contains("rows are missing").all()


def test_a_warning_is_kept_beside_the_selection():
    stuck = make_pipeline(StandardScaler(), LogisticRegression(max_iter=1, C=1e4))
    result = assess({"stuck": stuck}, X, Y, resampling=Bootstrap(2))
    assert result.failures.empty
    for cell in result.cells:
        assert cell.selected
        assert cell.warnings[0].startswith("ConvergenceWarning: lbfgs failed to converge")
        assert all("\n" not in text for text in cell.warnings)


def test_a_warning_is_a_failure_where_that_is_asked_for():
    stuck = make_pipeline(StandardScaler(), LogisticRegression(max_iter=1, C=1e4))
    with pytest.warns(FitFailedWarning, match="because of: ConvergenceWarning"):
        result = assess({"stuck": stuck}, X, Y, resampling=Bootstrap(2), execution={"on_warning": "fail"})
    assert result.failures["reason"].str.startswith("ConvergenceWarning").all()


def test_a_pipeline_that_makes_new_features_is_refused_in_words():
    made = make_pipeline(PolynomialFeatures(2, include_bias=False), SelectKBest(k=3))
    with pytest.raises(InputError, match=r"'made' would fail in every run: .* must keep the features as they are"):
        assess({"made": made}, X.iloc[:, :3], Y, resampling=Bootstrap(2))


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        ({"X": X.mask(X > 1000)}, r"missing values in \d+ of 30 .*SelectKBest' cannot take them; .*impute=\"median\""),
        ({"X": X.mask(X > 1000, np.inf)}, "infinite values in .* first in"),
        ({"impute": "mean"}, r"impute must be one of median, leave, None \(got 'mean'\)"),
        ({"on_warning": "shout"}, r"on_warning must be one of record, fail \(got 'shout'\)"),
        ({"X": X.assign(name="a")}, "column 'name'"),
        (
            {"X": X.assign(name="a", place="b")},
            r"X has 2 columns of text \('name', 'place'\)",
        ),
        (
            {"X": X.mask(X > 1000, np.inf), "y": np.zeros(len(Y))},
            "(?s)as it is:\n- X has infinite .*\n- y has one distinct",
        ),
        ({"X": X.to_numpy()[0]}, "expected one row per observation"),
        ({"y": Y.iloc[:5]}, "y has the shape"),
        ({"y": np.zeros(len(Y))}, "one distinct value"),
        ({"y": np.where(Y == 0, np.nan, 1.5)}, "y has missing"),
        ({"selectors": []}, "at least one selector"),
        ({"selectors": SelectKBest}, "expected a scikit-learn estimator"),
        ({"scoring": "r2"}, "no score 'r2' for classes"),
        ({"resampling": 5}, "resampling is 5"),
        ({"engine": "quantum"}, r"engine must be .*\(got 'quantum'\)"),
        ({"n_jobs": 0}, "n_jobs must be a number"),
        ({"n_runs": "many"}, r"runs.* must be .*\(got 'many'\)"),
        ({"n_runs": 5, "resampling": KFold(5)}, "fixed number of runs"),
        ({"n_runs": "auto", "resampling": Chunks(5)}, "fixed number of runs"),
        ({"groups": [1, 2]}, "groups has the shape"),
        ({"groups": np.zeros(len(Y))}, "one group only"),
        ({"groups": Y, "resampling": Chunks(5)}, "Chunks cannot keep groups together"),
        ({"groups": Y, "resampling": KFold(2, stratified=True)}, "neither stratified nor balanced"),
        ({"predictor": "logistic"}, r"predictor must be .*\(got 'logistic'\)"),
        ({"selectors": NoEstimator()}, "expected a scikit-learn estimator"),
        ({"random_state": -1}, r"random_state.* must be .*\(got -1\)"),
        ({"width": 0}, r"width.* must be .*\(got 0\)"),
        ({"max_runs": 1}, r"max_runs.* must be .*\(got 1\)"),
        ({"n_runs": True}, r"runs.* must be .*\(got True\)"),
    ],
)
def test_bad_requests_are_one_sentence(change, sentence):
    request = {"selectors": SelectKBest(k=2), "X": X, "y": Y, "resampling": Bootstrap(2)} | change
    positional = [request.pop(key) for key in ("selectors", "X", "y")]
    with pytest.raises(InputError, match=sentence):
        call(assess, *positional, **request)


class Broken(Selector):
    def fit(self, X, y=None):
        raise RuntimeError("this selector never works\nand says so at length")


class NeedsAllRows(Selector):
    def __init__(self, n_rows=0):
        self.n_rows = n_rows

    def fit(self, X, y=None):
        if len(np.unique(X, axis=0)) < self.n_rows:
            raise ValueError("rows are missing")
        return super().fit(X)


class SelectNone(Selector):
    def fit(self, X, y=None):
        super().fit(X)
        self.support_ = np.zeros(X.shape[1], dtype=bool)
        return self
