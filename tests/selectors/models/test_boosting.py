"""Component-wise boosting does, step by step, what its definition says."""

import json
from pathlib import Path

import numpy as np
import pytest
from scipy.special import expit, softmax
from sklearn.linear_model import LinearRegression

from steadyset.foundation.errors import InputError
from steadyset.kernels.linear.models import boost
from steadyset.selectors import FilterSelector
from steadyset.selectors.model_input import read_training, standardise
from steadyset.selectors.models.boosting import LOSSES, BoostingSelector


def slow_boosting(X, y, w, n_steps, rate, logistic):
    """The definition: fit the gradient on each centred feature alone, take the one with the least squared error."""
    w = w / w.sum()
    C = X - w @ X
    mean = w @ y
    offset = np.log(mean / (1 - mean)) if logistic else mean
    f = np.full(len(y), offset)
    coef = np.zeros(X.shape[1])
    steps = []
    for _ in range(n_steps):
        u = y - (expit(f) if logistic else f)
        slopes = np.array([np.sum(w * c * u) / np.sum(w * c * c) for c in C.T])
        errors = [np.sum(w * (u - slope * c) ** 2) for slope, c in zip(slopes, C.T, strict=True)]
        best = int(np.argmin(errors))
        steps.append(best)
        coef[best] += rate * slopes[best]
        f += rate * slopes[best] * C[:, best]
    return coef, offset - coef @ (w @ X), steps


@pytest.mark.parametrize("task", ["classes", "number"])
@pytest.mark.parametrize("rate", [0.1, 0.8])
def test_boosting_equals_its_definition(draw, task, rate):
    logistic = task == "classes"
    X, y = draw(0, 50, 30, classes=logistic)
    w = np.random.default_rng(0).integers(1, 4, size=50).astype(float)
    fitted = BoostingSelector(60, rate=rate, task=task).fit(X * np.linspace(1, 9, 30) + 3, y, w)
    coef, intercept, steps = slow_boosting(X * np.linspace(1, 9, 30) + 3, y, w, 60, rate, logistic)
    assert fitted.steps_.tolist() == steps
    np.testing.assert_allclose(fitted.coef_, coef, atol=1e-12)
    assert fitted.intercept_ == pytest.approx(intercept)


def test_long_boosting_of_a_linear_model_tends_to_least_squares(draw):
    X, y = draw(1, 60, 5, classes=False)
    design = np.column_stack([np.ones(60), X])
    fitted = BoostingSelector(5000, rate=0.5).fit(X, y)
    np.testing.assert_allclose(fitted.predict(X), design @ np.linalg.lstsq(design, y)[0], atol=1e-8)


@pytest.mark.parametrize("task", ["classes", "number"])
def test_k_stops_before_one_more_feature_enters(draw, task):
    X, y = draw(2, 60, 100, classes=task == "classes")
    fitted = BoostingSelector(1000, k=4, task=task).fit(X, y)
    assert fitted.get_support().sum() == 4
    longer = BoostingSelector(len(fitted.steps_) + 1, task=task).fit(X, y)
    assert longer.get_support().sum() == 5


def test_of_exact_copies_the_first_is_taken():
    rng = np.random.default_rng(3)
    x = rng.normal(size=40)
    fitted = BoostingSelector(50).fit(np.column_stack([rng.normal(size=40), x, x]), x + rng.normal(size=40))
    assert fitted.get_support(indices=True).tolist() in ([1], [0, 1])


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        ({"n_steps": 0}, r"n_steps must be a whole number from 1 to 1,000,000 \(got 0\)"),
        ({"rate": 1.5}, r"rate must be a number above 0 and at most 1 \(got 1.5\)"),
    ],
)
def test_impossible_options_are_named(draw, options, sentence):
    with pytest.raises(InputError, match=sentence):
        BoostingSelector(**options).fit(*draw(4, 20, 3))


def test_a_target_of_any_unit_and_offset_gives_the_same_features(draw):
    X, y = draw(2, 80, 30)
    plain = BoostingSelector(k=4, task="number").fit(X, y)
    for unit, offset in [(1e-180, 0.0), (1e200, 0.0), (1.0, 1e8)]:
        model = BoostingSelector(k=4, task="number").fit(X, unit * y + offset * y.std())
        np.testing.assert_array_equal(model.support_, plain.support_)
        np.testing.assert_allclose(model.coef_ / unit, plain.coef_, rtol=1e-5)


@pytest.mark.parametrize("task", ["classes", "number"])
def test_without_a_size_boosting_selects_as_many_features_as_every_other_selector(draw, task):
    X, y = draw(5, 80, 60, classes=task == "classes")
    assert (
        BoostingSelector(task=task).fit(X, y).get_support().sum()
        == FilterSelector("variance").fit(X, y).get_support().sum()
        == 10
    )
    assert BoostingSelector(task=task).fit(X[:, :6], y).get_support().sum() == 3
    by_steps = BoostingSelector(40, task=task).fit(X, y)
    assert len(by_steps.steps_) == 40


def test_a_target_that_is_explained_without_error_needs_no_more_features():
    X = np.random.default_rng(6).normal(size=(50, 30))
    fitted = BoostingSelector().fit(X, 3 * X[:, 7])
    assert fitted.get_support(indices=True).tolist() == [7]
    assert fitted.coef_[7] == pytest.approx(3)


def test_boosting_equals_the_greedy_linear_booster_of_xgboost():
    """On standardised features the largest coefficient change is the largest gain; XGBoost has single precision."""
    xgboost = pytest.importorskip("xgboost")
    rng = np.random.default_rng(0)
    X = rng.normal(size=(100, 30))
    X = (X - X.mean(axis=0)) / X.std(axis=0)
    y = X[:, :3] @ np.array([3.0, -2.0, 1.0]) + rng.normal(size=100)
    options = {"booster": "gblinear", "updater": "coord_descent", "feature_selector": "greedy", "top_k": 1}
    exact = {"eta": 0.1, "reg_lambda": 0, "reg_alpha": 0, "nthread": 1, "base_score": float(y.mean())}
    model = xgboost.train(options | exact, xgboost.DMatrix(X, label=y), num_boost_round=60)
    theirs = np.array(model.get_dump()[0].partition("weight:")[2].split(), dtype=float)
    ours = BoostingSelector(n_steps=60, rate=0.1).fit(X, y)
    np.testing.assert_array_equal(ours.get_support(), theirs != 0)
    np.testing.assert_allclose(ours.coef_, theirs, atol=1e-5)


def test_boosting_of_times_is_that_of_scikit_survival():
    path = Path(__file__).parents[2] / "oracles" / "survival_models.json"
    known = json.loads(path.read_text(encoding="utf-8"))["boosting"]
    X = np.array(known["X"])
    fitted = BoostingSelector(80).fit(X, np.column_stack([known["time"], known["event"]]))
    np.testing.assert_allclose(fitted.coef_ * X.std(axis=0), known["coef"], atol=1e-10)


def test_boosting_of_counts_descends_to_the_regression_of_poisson_and_takes_large_counts(draw):
    X, score = draw(3, 80, 4, classes=False)
    y = np.random.default_rng(3).poisson(500 * np.exp(score / (2 * score.std())))
    fitted = BoostingSelector(20000, rate=0.5, task="count").fit(X, y)
    scale = X.std(axis=0)
    gradient = ((X - X.mean(axis=0)) / scale).T @ (y - fitted.predict(X)) / y.sum()
    assert np.abs(gradient).max() < 1e-9
    assert (BoostingSelector(k=2, task="count").fit(X, y).get_support().sum(), fitted.task_) == (2, "count")


def several_classes(seed, n=60, d=20, n_classes=3):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, d)) * np.linspace(1, 9, d) + 3
    return X, np.argmax(X[:, :n_classes] / np.linspace(1, 9, d)[:n_classes] + rng.normal(size=(n, n_classes)), axis=1)


def test_steps_of_several_classes_equal_a_loop_around_regressions_of_scikit_learn():
    X, y = several_classes(0)
    w = np.random.default_rng(1).integers(1, 4, size=60).astype(float)
    own = (y[:, None] == np.arange(3)).astype(float)
    scores = np.repeat(np.log(np.average(own, axis=0, weights=w))[None], 60, axis=0)
    steps = []
    for _ in range(40):
        gradient = 2 / 3 * (own - softmax(scores, axis=1))
        fits = [LinearRegression().fit(X[:, [j]], gradient, w) for j in range(20)]
        fitted = [fit.predict(X[:, [j]]) for j, fit in enumerate(fits)]
        steps.append(int(np.argmin([(w[:, None] * (gradient - one) ** 2).sum() for one in fitted])))
        # Features are centred: a step moves no intercept.
        scores += 0.1 * (fitted[steps[-1]] - np.average(fitted[steps[-1]], axis=0, weights=w))
    ours = BoostingSelector(40).fit(X, y, w)
    assert ours.steps_.tolist() == steps
    np.testing.assert_allclose(ours.predict_proba(X), softmax(scores, axis=1), atol=1e-12)


def test_names_and_order_of_classes_do_not_matter():
    X, y = several_classes(2)
    ours, renamed = BoostingSelector(50).fit(X, y), BoostingSelector(50).fit(X, np.array(["c", "a", "b"])[y])
    assert ours.steps_.tolist() == renamed.steps_.tolist()
    np.testing.assert_allclose(ours.coef_, renamed.coef_[[2, 0, 1]], rtol=1e-10)


def test_two_classes_treated_as_several_take_the_steps_of_the_logistic_regression():
    X, y = several_classes(3, n_classes=2)
    training = read_training(X, y, None, target="classes")
    data = standardise(training)
    loss = LOSSES["multinomial"](training, data)
    coef, steps = boost(loss.Xt, loss.residual, loss.offsets, 50, 0.1, 20)
    logistic = BoostingSelector(50).fit(X, y)
    assert steps.tolist() == logistic.steps_.tolist()
    np.testing.assert_allclose((coef[1] - coef[0]) / data.scale, logistic.coef_, atol=1e-12)
