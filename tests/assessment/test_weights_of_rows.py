"""Weights of rows: a row of weight 2 is two rows, for selectors, for what predicts, for scores and for baselines."""

import numpy as np
import pandas as pd
import pytest
from sklearn import metrics
from sklearn.base import clone
from sklearn.feature_selection import SelectKBest
from sklearn.linear_model import LogisticRegression, PoissonRegressor, Ridge
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import LinearSVC

import steadyset as st
from steadyset.assessment import Assessment
from steadyset.foundation.errors import InputError

QUIET = {"progress": False}
N, D = 60, 8
LASSO = LinearSVC(penalty="l1", C=0.05, dual=False, tol=1e-8)
OF_CLASSES = ["accuracy", "balanced_accuracy", "auc", "log_loss", "error", "f1"]
OF_NUMBERS = ["r2", "rmse", "neg_mean_absolute_error"]


def rows(seed=3):
    random = np.random.default_rng(seed)
    X = random.normal(size=(N, D))
    signal = X[:, 0] + X[:, 1] + random.normal(size=N)
    return X, signal, random.integers(0, 4, N)


def assessed(selectors, X, y=None, **options):
    return st.assess(selectors, X, y, execution=QUIET, **{"resampling": st.Bootstrap(4), **options})


def halves(weights=None):
    """One split into two halves, and the same split of the rows that are repeated as often as they weigh."""
    half = np.arange(N) < N / 2
    half = half if weights is None else np.repeat(half, weights)
    return [(np.flatnonzero(half), np.flatnonzero(~half))]


def both(selector, y, scoring, **options):
    """The cell with weights, and that of repeated rows."""
    X, _, weights = rows()
    weighted = st.Data(X, y, sample_weight=weights)
    repeated = st.Data(np.repeat(X, weights, axis=0), np.repeat(y, weights))
    each = ((weighted, halves()), (repeated, halves(weights)))
    return [assessed(selector, data, resampling=splits, scoring=scoring, **options).cells[0] for data, splits in each]


@pytest.mark.parametrize("selector", ["anova:k=3", "t_test:k=3", "lasso", "forest:k=3", LASSO], ids=str)
def test_whole_weights_are_repeated_rows_of_classes(selector):
    weighted, repeated = both(selector, (rows()[1] > 0).astype(int), OF_CLASSES)
    assert weighted.failure == repeated.failure == ""
    assert weighted.selected == repeated.selected
    for name in ("scores", "blind", "random"):
        assert getattr(weighted, name) == pytest.approx(getattr(repeated, name), rel=1e-4), name


@pytest.mark.parametrize("selector", ["anova:k=3", "lasso"])
def test_whole_weights_are_repeated_rows_of_numbers(selector):
    weighted, repeated = both(selector, rows()[1], OF_NUMBERS)
    assert weighted.selected == repeated.selected
    for name in ("scores", "random"):
        assert getattr(weighted, name) == pytest.approx(getattr(repeated, name), rel=1e-6), name
    squared = [{name: one.blind[name] for name in ("r2", "rmse")} for one in (weighted, repeated)]
    assert squared[0] == pytest.approx(squared[1], rel=1e-9)


def test_whole_weights_are_repeated_rows_of_counts():
    y = np.random.default_rng(5).poisson(np.exp(rows()[0][:, 0]))
    X, _, weights = rows()
    weighted = st.Data(X, y, task="count", sample_weight=weights)
    repeated = st.Data(np.repeat(X, weights, axis=0), np.repeat(y, weights), task="count")
    one, other = (
        assessed("anova:k=3", data, resampling=splits, predictor=PoissonRegressor(tol=1e-9)).cells[0]
        for data, splits in ((weighted, halves()), (repeated, halves(weights)))
    )
    assert one.selected == other.selected
    assert one.scores == pytest.approx(other.scores, rel=1e-4)
    assert one.scores


def test_scores_of_bootstraps_are_those_of_scikit_learn_with_the_weights_of_drawn_rows():
    X, signal, _ = rows()
    y = (signal > 0).astype(int)
    weights = np.random.default_rng(1).uniform(0.2, 3, N)
    drawn = np.random.default_rng(2).integers(0, N, (3, N))
    splits = [(train, np.setdiff1d(np.arange(N), train)) for train in drawn]
    result = assessed(
        LASSO,
        st.Data(X, y, sample_weight=weights),
        resampling=splits,
        predictor=LogisticRegression(C=0.5),
        scoring=["accuracy", "auc", "log_loss"],
    )
    for cell, (train, test) in zip(result.cells, splits, strict=True):
        coefficients = clone(LASSO).fit(X[train], y[train], sample_weight=weights[train]).coef_[0]
        chosen = np.flatnonzero(coefficients)
        assert cell.selected == tuple(chosen)
        model = LogisticRegression(C=0.5).fit(X[train][:, chosen], y[train], sample_weight=weights[train])
        likely, own = model.predict_proba(X[test][:, chosen])[:, 1], {"sample_weight": weights[test]}
        assert cell.scores == pytest.approx(
            {
                "accuracy": metrics.accuracy_score(y[test], likely > 0.5, **own),
                "auc": metrics.roc_auc_score(y[test], likely, **own),
                "log_loss": metrics.log_loss(y[test], likely, **own),
            }
        )


def test_the_prediction_without_features_is_chosen_and_scored_with_the_weights():
    """The class of fewer rows has more weight."""
    X = rows()[0]
    y = (np.arange(N) % 3 == 0).astype(int)
    weights = np.where(y == 1, 5.0, 1.0)
    cell = assessed("anova:k=2", st.Data(X, y, sample_weight=weights), resampling=halves(), scoring="accuracy").cells[0]
    later = slice(N // 2, None)
    assert cell.blind["accuracy"] == pytest.approx(weights[later][y[later] == 1].sum() / weights[later].sum())


def test_weights_of_1_are_no_weights():
    X, signal, _ = rows()
    y = signal > 0
    plain = assessed(["anova:k=3", "lasso"], X, y=y)
    ones = assessed(["anova:k=3", "lasso"], st.Data(X, y, sample_weight=np.ones(N)))
    for one, other in zip(plain.cells, ones.cells, strict=True):
        assert (one.selected, one.scores, one.random) == (other.selected, other.scores, other.random)
    assert {**plain.settings, "details": 0} == {**ones.settings, "details": 0}


def test_equal_weights_change_no_ranking_and_no_share():
    X, signal, _ = rows()
    data = [st.Data(X, signal > 0, sample_weight=np.full(N, one)) for one in (1.0, 2.0)]
    options = {"scoring": "accuracy", "predictor": LogisticRegression(C=1e6)}
    plain, doubled = (assessed("anova:k=3", one, **options).cells for one in data)
    assert [cell.selected for cell in plain] == [cell.selected for cell in doubled]
    assert [cell.scores for cell in plain] == [pytest.approx(cell.scores) for cell in doubled]


class Quiet(LogisticRegression):
    """A model without weights."""

    def fit(self, X, y):
        return super().fit(X, y)


def mean_of_hits(estimator, X, y):
    return np.mean(estimator.predict(X) == y)


def first_two(X, y):
    return [0, 1]


@pytest.mark.parametrize(
    ("selectors", "options", "told"),
    [
        ({"mine": Quiet()}, {}, "The selector 'mine' does not take the weights of rows."),
        (first_two, {}, "The selector 'first_two' does not take the weights of rows"),
        (SelectKBest(k=2), {}, "The selector 'SelectKBest' does not take the weights of rows."),
        (
            {"both": make_pipeline(SelectKBest(k=2), LogisticRegression())},
            {},
            "The selector 'both' does not take the weights of rows: SelectKBest, a part of it, takes none.",
        ),
        ("anova:k=2", {"predictor": KNeighborsClassifier()}, "The predictor does not take the weights of rows."),
        ("anova:k=2", {"scoring": ["accuracy", mean_of_hits]}, "The score 'mean_of_hits' takes no weights of rows."),
    ],
)
def test_who_takes_no_weights_is_refused_by_name_before_any_run(selectors, options, told, tmp_path):
    X, signal, weights = rows()
    with pytest.raises(InputError) as caught:
        assessed(selectors, st.Data(X, signal > 0, sample_weight=weights), out=tmp_path / "runs", **options)
    assert told in str(caught.value)
    assert "sample_weight" in str(caught.value)
    assert not (tmp_path / "runs").exists()


def test_a_metric_that_refuses_weights_is_refused_before_any_run():
    """Of three classes scikit-learn has no weighted area under the curve of pairs of classes; of two it has."""
    X, signal, weights = rows()
    with pytest.raises(InputError, match="The score 'auc_ovo' takes no weights"):
        assessed("anova:k=2", st.Data(X, np.digitize(signal, [-1, 1]), sample_weight=weights), scoring="auc_ovo")
    cell = assessed("anova:k=2", st.Data(X, signal > 0, sample_weight=weights), scoring="auc_ovo").cells[0]
    assert 0 <= cell.scores["auc_ovo"] <= 1


@pytest.mark.slow  # buys: every selector by name
@pytest.mark.parametrize("task", ["classes", "number"])
def test_whole_weights_are_repeated_rows_for_every_selector(task):
    signal = rows()[1]
    y = signal if task == "number" else (signal > 0).astype(int)
    served = st.list_selectors()["target"]
    cells = {name: both(name, y, []) for name in served.index if task in served[name]}
    assert len(cells) > 20
    weighted, repeated = ({name: each[k].selected for name, each in cells.items()} for k in (0, 1))
    assert weighted == repeated


def test_without_scores_the_predictor_may_take_none():
    X, signal, weights = rows()
    data = st.Data(X, signal > 0, sample_weight=weights)
    assert assessed("anova:k=2", data, scoring=[], predictor=KNeighborsClassifier()).cells[0].selected


def test_each_step_of_a_pipeline_gets_the_weights():
    X, signal, weights = rows()
    pipeline = make_pipeline(StandardScaler(), LASSO)
    cell = assessed(pipeline, st.Data(X, signal > 0, sample_weight=weights), resampling=halves()).cells[0]
    every = np.repeat(np.arange(N // 2), weights[: N // 2])
    fitted = clone(pipeline).fit(X[every], (signal > 0)[every])
    assert cell.selected == tuple(np.flatnonzero(fitted[-1].coef_[0]))


@pytest.mark.parametrize(
    ("weights", "told"),
    [
        (np.ones(N - 1), "one weight for each of the 60 rows"),
        (np.zeros(N), "at least one row must count"),
        (np.r_[-1.0, np.ones(N - 1)], "negative value -1"),
        (np.r_[np.nan, np.ones(N - 1)], "NaN or infinity"),
        (np.r_[np.inf, np.ones(N - 1)], "NaN or infinity"),
        (2.0, "one number of at least 0 for each row"),
        ("weight", "one number of at least 0 for each row"),
        (np.ones((N, 2)), "one weight for each of the 60 rows"),
    ],
)
def test_weights_that_make_no_sense_are_refused(weights, told):
    X, signal, _ = rows()
    with pytest.raises(InputError, match=told):
        assessed("anova:k=2", st.Data(X, signal > 0, sample_weight=weights))


@pytest.mark.parametrize(
    ("fields", "options", "told"),
    [
        ({"impute": "median"}, {}, "impute"),
        ({"prepare": "scale"}, {}, "prepare"),
        ({"force": {"age": np.arange(N)}}, {}, "force"),
        ({"block": np.arange(N) % 2}, {}, "block"),
        ({}, {"execution": {"progress": False, "predictions": True}}, "predictions"),
    ],
)
def test_what_would_ignore_the_weights_is_refused_beside_them(fields, options, told):
    X, signal, weights = rows()
    with pytest.raises(InputError, match=f"{told}.* would take no account of the weights"):
        st.assess("anova:k=2", st.Data(X, signal > 0, sample_weight=weights, **fields), **options)


def test_weights_with_an_index_follow_the_rows():
    X, signal, weights = rows()
    frame = pd.DataFrame(X, index=[f"r{row}" for row in range(N)])
    moved = pd.Series(weights, index=frame.index)[::-1]
    plain = assessed("anova:k=3", st.Data(frame, signal > 0, sample_weight=weights))
    with pytest.warns(UserWarning, match="sample_weight has the rows of X in another order"):
        found = assessed("anova:k=3", st.Data(frame, signal > 0, sample_weight=moved))
    assert [cell.scores for cell in plain.cells] == [cell.scores for cell in found.cells]


def test_a_folder_is_continued_with_its_own_weights_alone(tmp_path):
    X, signal, weights = rows()
    y = signal > 0
    given = {"out": tmp_path / "runs"}
    first = assessed("anova:k=3", st.Data(X, y, sample_weight=weights), **given)
    again = assessed("anova:k=3", st.Data(X, y, sample_weight=weights), **given)
    assert [cell.scores for cell in first.cells] == [cell.scores for cell in again.cells]
    for other in (None, weights[::-1]):
        with pytest.raises(InputError, match="holds an assessment with other weights of the rows"):
            assessed("anova:k=3", st.Data(X, y, sample_weight=other), **given)
    assessed("anova:k=3", X, y=y, out=tmp_path / "plain")
    with pytest.raises(InputError, match="holds an assessment with other weights of the rows"):
        assessed("anova:k=3", st.Data(X, y, sample_weight=weights), out=tmp_path / "plain")
    back = Assessment.open(tmp_path / "runs")
    assert "The rows were weighted" in st.methods_text(back)
    assert "weighted" not in st.methods_text(Assessment.open(tmp_path / "plain"))


def test_the_answer_does_not_depend_on_the_engine():
    X, signal, weights = rows()
    data = st.Data(X, signal, sample_weight=weights)
    options = {"resampling": st.Bootstrap(4), "predictor": Ridge()}
    one, other = (
        st.assess("anova:k=3", data, execution={**QUIET, "engine": engine}, n_jobs=2, **options).cells
        for engine in ("serial", "threads")
    )
    assert [(cell.selected, cell.scores) for cell in one] == [(cell.selected, cell.scores) for cell in other]


def test_rows_of_weight_0_are_neither_trained_on_nor_scored():
    X, signal, _ = rows()
    y = (signal > 0).astype(int)
    weights = np.r_[np.zeros(10), np.ones(N - 20), np.zeros(10)]
    spoiled = X.copy()
    spoiled[weights == 0] = 1e6
    options = {"resampling": st.KFold(3), "scoring": OF_CLASSES}
    plain, other = (assessed(LASSO, st.Data(one, y, sample_weight=weights), **options).cells for one in (X, spoiled))
    assert [(cell.selected, cell.scores) for cell in plain] == [(cell.selected, cell.scores) for cell in other]
    assert all(cell.scores for cell in plain)


def test_weights_beside_the_target_are_those_of_the_data():
    X, signal, weights = rows()
    in_data = assessed("anova:k=3", st.Data(X, signal, sample_weight=weights), scoring="r2")
    beside = assessed("anova:k=3", X, signal, scoring="r2", sample_weight=weights)
    assert beside.selections == in_data.selections
    assert [cell.scores for cell in beside.cells] == [cell.scores for cell in in_data.cells]
    with pytest.raises(InputError, match="sample_weight is given beside data that hold theirs"):
        assessed("anova:k=3", st.Data(X, signal, sample_weight=weights), sample_weight=weights)
