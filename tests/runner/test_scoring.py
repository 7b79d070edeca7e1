"""Scores are scikit-learn's; a score that the rows leave undefined is nan with a reason."""

import numpy as np
import pytest
from sklearn import metrics
from sklearn.datasets import load_diabetes, load_iris, load_wine
from sklearn.feature_selection import SelectKBest, f_classif, f_regression
from sklearn.linear_model import LogisticRegression, PoissonRegressor, RidgeClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from steadyset.assessment import assess
from steadyset.foundation.errors import InputError
from steadyset.io.data.data_table import Data
from steadyset.resampling import KFold, Rows, Subsample
from steadyset.runner.scoring import default_predictor, read_scoring, scores
from steadyset.tasks import CLASSES, NUMBER

X, Y = load_wine(return_X_y=True)
TRAIN, TEST = np.arange(0, len(Y), 2), np.arange(1, len(Y), 2)


def scored(wanted, y=Y, test=TEST, model=None):
    fitted = (default_predictor(CLASSES) if model is None else model).fit(X[TRAIN][:, :3], y[TRAIN])
    return fitted, scores(fitted, X[test][:, :3], y[test], read_scoring(wanted, CLASSES, y), CLASSES)


def test_scores_of_three_classes_equal_scikit_learns():
    names = ["accuracy", "balanced_accuracy", "auc", "auc_ovo", "log_loss", "log_likelihood", "error"]
    names += ["f1_macro", "matthews_corrcoef"]
    model, found = scored(names)
    predicted, probability = model.predict(X[TEST][:, :3]), model.predict_proba(X[TEST][:, :3])
    assert found.values == pytest.approx(
        {
            "accuracy": metrics.accuracy_score(Y[TEST], predicted),
            "balanced_accuracy": metrics.balanced_accuracy_score(Y[TEST], predicted),
            "auc": metrics.roc_auc_score(Y[TEST], probability, multi_class="ovr"),
            "auc_ovo": metrics.roc_auc_score(Y[TEST], probability, multi_class="ovo"),
            "log_loss": metrics.log_loss(Y[TEST], probability),
            "log_likelihood": -metrics.log_loss(Y[TEST], probability),
            "error": metrics.zero_one_loss(Y[TEST], predicted),
            "f1_macro": metrics.f1_score(Y[TEST], predicted, average="macro"),
            "matthews_corrcoef": metrics.matthews_corrcoef(Y[TEST], predicted),
        },
        abs=1e-12,
    )
    assert found.notes == ()


def test_scores_of_numbers_equal_scikit_learns():
    data, target = load_diabetes(return_X_y=True)
    result = assess(
        SelectKBest(f_regression, k=3),
        data,
        target,
        resampling=KFold(3),
        scoring=["r2", "rmse", "neg_mean_absolute_error"],
    )
    fold = KFold(3).draw(0, Rows(len(target), target), 0)
    columns = list(result.cells[0].selected)
    model = default_predictor(NUMBER).fit(data[fold.train][:, columns], target[fold.train])
    predicted = model.predict(data[fold.test][:, columns])
    assert result.cells[0].scores == pytest.approx(
        {
            "r2": metrics.r2_score(target[fold.test], predicted),
            "rmse": metrics.root_mean_squared_error(target[fold.test], predicted),
            "neg_mean_absolute_error": -metrics.mean_absolute_error(target[fold.test], predicted),
        }
    )


def test_the_deviance_of_counts_equals_scikit_learns():
    data, _ = load_diabetes(return_X_y=True)
    counts = np.random.default_rng(0).poisson(np.exp(10 * data[:, 2]))
    result = assess(
        SelectKBest(f_regression, k=3),
        Data(data, counts, task="count"),
        resampling=KFold(3),
        scoring="poisson_deviance",
    )
    fold = KFold(3).draw(0, Rows(len(counts), counts), 0)
    columns = list(result.cells[0].selected)
    model = make_pipeline(StandardScaler(), PoissonRegressor(alpha=1e-3, tol=1e-10)).fit(
        data[fold.train][:, columns], counts[fold.train]
    )
    expected = metrics.mean_poisson_deviance(counts[fold.test], model.predict(data[fold.test][:, columns]))
    assert result.cells[0].scores["poisson_deviance"] == pytest.approx(expected, rel=1e-6)


@pytest.mark.parametrize(
    ("y", "test", "reason"),
    [
        (Y, TEST[Y[TEST] < 2], "auc: the test rows hold no '2'"),
        (np.where(np.isin(np.arange(len(Y)), TEST[:3]), 9, Y), TEST, "auc: the training rows hold no '9'"),
        (np.minimum(Y, 1), TEST[Y[TEST] > 0], "auc: the test rows hold no '0'"),
    ],
)
def test_a_class_that_is_missing_gives_nan_with_a_reason_and_leaves_the_other_scores(y, test, reason):
    model, found = scored(["auc", "accuracy", "log_likelihood"], y, test)
    assert np.isnan(found.values["auc"])
    assert found.values["accuracy"] == pytest.approx(np.mean(model.predict(X[test][:, :3]) == y[test]))
    assert np.isfinite(found.values["log_likelihood"]) == ("training" not in reason)
    assert reason in found.notes
    assert found.failure == ""


def test_a_function_of_estimator_x_and_y_is_a_score():
    def share_of_the_first_class(estimator, X, y):
        return float(np.mean(estimator.predict(X) == 0))

    result = assess(SelectKBest(k=2), X, Y, resampling=KFold(3), scoring=share_of_the_first_class)
    assert 0 < result.scores["share_of_the_first_class"].mean() < 1
    named = assess(
        SelectKBest(k=2), X, Y, resampling=KFold(3), scoring={"mine": share_of_the_first_class, "plain": "accuracy"}
    )
    assert named.settings["scoring"] == ["mine", "plain"]


def test_a_score_that_fails_is_told_and_the_others_stay():
    def broken(estimator, X, y):
        raise RuntimeError("no such thing")

    result = assess(SelectKBest(k=2), X, Y, resampling=KFold(2), scoring={"broken": broken, "accuracy": "accuracy"})
    assert set(result.failures["reason"]) == {"no score: broken: RuntimeError: no such thing"}
    assert result.scores["accuracy"].notna().all()


def test_auc_of_two_classes_needs_no_probabilities():
    y = np.minimum(Y, 1)
    model, found = scored("auc", y, model=RidgeClassifier())
    assert found.values["auc"] == pytest.approx(metrics.roc_auc_score(y[TEST], model.decision_function(X[TEST][:, :3])))


@pytest.mark.parametrize(
    ("wanted", "sentence"),
    [
        ("f1", r"score 'f1' cannot be used for this target: .* Use scoring=.f1_macro., the mean over the classes"),
        ("acuracy", "no score 'acuracy' for classes; did you mean 'accuracy'"),
        ("neg_mean_squared_error", "no score 'neg_mean_squared_error' for classes"),
        (["accuracy", "accuracy"], "scoring has 'accuracy' twice"),
        (metrics.f1_score, r"f1_score is a metric of .*make_scorer\(f1_score\)"),
    ],
)
def test_scores_that_cannot_be_are_told_before_any_run(wanted, sentence):
    with pytest.raises(InputError, match=sentence):
        assess(
            SelectKBest(k=2),
            X,
            Y,
            resampling=KFold(2),
            scoring=wanted,
            execution={"progress": lambda *_: pytest.fail("a run began")},
        )


def test_classification_scores_are_refused_for_numbers():
    data, target = load_diabetes(return_X_y=True)
    with pytest.raises(InputError, match="no score 'f1' for number"):
        assess(SelectKBest(f_regression, k=3), data, target, scoring="f1")


def test_blind_and_random_predictions_are_recorded_beside_the_scores():
    scaled = X / X.std(axis=0)  # a logistic regression converges at once
    result = assess([SelectKBest(f_classif, k=2), LogisticRegression()], scaled, Y, resampling=Subsample(6))
    few = [cell for cell in result.cells if cell.selector == 0]
    assert np.mean([cell.scores["accuracy"] for cell in few]) > np.mean([cell.random["accuracy"] for cell in few])
    for cell in few:
        resample = Subsample(6).draw(cell.run, Rows(len(Y), Y), 0)
        largest = np.bincount(Y).argmax()
        assert cell.blind["accuracy"] == pytest.approx(np.mean(Y[resample.test] == largest))
    assert len({cell.random["accuracy"] for cell in few}) > 1
    for cell in result.cells:
        if cell.selector == 1:  # it selects everything, and so does chance
            assert cell.random == cell.scores


def test_random_features_of_a_run_are_the_same_whatever_the_engine():
    request = {"selectors": SelectKBest(f_classif, k=2), "X": X, "y": Y, "resampling": Subsample(4)}
    alone, threads = assess(**request), assess(n_jobs=2, execution={"engine": "threads"}, **request)
    assert [cell.random for cell in alone.cells] == [cell.random for cell in threads.cells]


def test_iris_by_name_has_the_default_score():
    data, target = load_iris(return_X_y=True)
    names = np.array(["setosa", "versicolor", "virginica"])[target]
    result = assess(SelectKBest(f_classif, k=2), data, names, resampling=KFold(3, stratified=True), scoring="f1_macro")
    assert result.scores["f1_macro"].mean() > 0.9


def test_a_score_of_the_class_1_names_the_score_to_take_for_other_classes():
    names = np.array(["ill", "well"])[np.arange(60) % 2]
    table = np.random.default_rng(0).normal(size=(60, 3))
    told = "the classes are 'ill', 'well'. Use scoring=.f1_macro., the mean over the classes, or a target of 0 and 1"
    with pytest.raises(InputError, match=told):
        assess(SelectKBest(f_classif, k=2), table, names, scoring="f1")
    assert (
        assess(SelectKBest(f_classif, k=2), table, names == "ill", resampling=KFold(2), scoring="f1").scores["f1"].size
    )
