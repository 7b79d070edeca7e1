"""Recursive elimination equals a plain loop around scikit-learn's classifiers."""

import numpy as np
import pytest
from sklearn.feature_selection import RFE
from sklearn.linear_model import LogisticRegression, Ridge
from sklearn.multiclass import OneVsRestClassifier
from sklearn.svm import SVC

from steadyset.foundation.errors import InputError
from steadyset.selectors.models.rfe import RecursiveElimination
from steadyset.tasks.models.cox import CoxModel

PENALTY = 0.05


def classifier(loss, n_rows):
    if loss == "hinge":
        return SVC(kernel="linear", C=1 / (PENALTY * n_rows), tol=1e-7)
    return LogisticRegression(C=1 / (PENALTY * n_rows), solver="newton-cholesky", tol=1e-10)


def plain_loop(X, y, k, step, loss):
    """Fit, sort, drop, repeat; returns what is left and the features in the order in which they went."""
    Z = (X - X.mean(axis=0)) / X.std(axis=0)
    left, gone = list(range(X.shape[1])), []
    while True:
        model = classifier(loss, len(y)).fit(Z[:, left], y)
        strength = np.abs(model.coef_[0])
        if len(left) == k:
            return left, gone, model
        n_dropped = min(len(left) - k, max(1, int(step * len(left))) if step < 1 else step)
        worst = [left[position] for position in np.argsort(strength)[:n_dropped]]
        gone += worst
        left = [feature for feature in left if feature not in worst]


@pytest.mark.parametrize("loss", ["logistic", "hinge"])
@pytest.mark.parametrize("step", [1, 7, 0.2])
def test_elimination_equals_a_loop_around_scikit_learn(draw, loss, step):
    X, y = draw(0, 50, 90)
    ours = RecursiveElimination(5, loss=loss, penalty=PENALTY, step=step).fit(X, y)
    left, gone, model = plain_loop(X, y, 5, step, loss)
    assert ours.get_support(indices=True).tolist() == left
    assert np.argsort(ours.ranking_)[::-1][:85].tolist() == gone
    np.testing.assert_allclose(ours.importances_[left], np.abs(model.coef_[0]), atol=1e-4)
    Z = (X - X.mean(axis=0)) / X.std(axis=0)
    np.testing.assert_allclose(ours.decision_function(X), model.decision_function(Z[:, left]), atol=1e-3)


@pytest.mark.parametrize("loss", ["logistic", "hinge"])
def test_ranking_is_a_permutation_with_the_selected_first(draw, loss):
    X, y = draw(1, 40, 60)
    X[:, [3, 4]] = 7.0
    fitted = RecursiveElimination(10, loss=loss).fit(X, y)
    assert np.array_equal(np.sort(fitted.ranking_), np.arange(1, 61))
    assert np.array_equal(fitted.get_support(), fitted.ranking_ <= 10)
    assert set(fitted.ranking_[[3, 4]]) == {59, 60}
    strengths = fitted.importances_[np.argsort(fitted.ranking_)[:10]]
    assert (np.diff(strengths) <= 0).all()


def test_only_the_logistic_loss_gives_probabilities(draw):
    X, y = draw(2, 40, 6)
    assert not hasattr(RecursiveElimination(loss="hinge").fit(X, y), "predict_proba")
    probabilities = RecursiveElimination(loss="logistic").fit(X, y).predict_proba(X)
    np.testing.assert_allclose(probabilities.sum(axis=1), 1)


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        ({"loss": "absolute"}, r"loss must be one of logistic, hinge \(got 'absolute'\)"),
        ({"step": 0}, r"step must be a number above 0 \(got 0\)"),
        ({"step": 1.5}, r"step must be a whole number of features or a fraction below 1 \(got 1.5\)"),
        ({"penalty": 0.0}, r"penalty must be a number above 0 \(got 0.0\)"),
    ],
)
def test_impossible_options_are_named(draw, options, sentence):
    with pytest.raises(InputError, match=sentence):
        RecursiveElimination(**options).fit(*draw(3, 20, 3))


@pytest.mark.parametrize("d", [5, 120])
def test_ridge_of_a_number_is_scikit_learns_and_of_times_that_of_cox(d):
    rng = np.random.default_rng(d)
    X = rng.normal(2, 3, size=(60, d))
    Z = (X - X.mean(axis=0)) / X.std(axis=0)
    number = X[:, 0] + rng.normal(size=60)
    fitted = RecursiveElimination(d, penalty=0.1).fit(X, number)
    np.testing.assert_allclose(fitted.predict(X), Ridge(alpha=6.0).fit(Z, number).predict(Z), atol=1e-9)
    times = np.column_stack([rng.exponential(np.exp(-Z[:, 0])), rng.random(60) < 0.7])
    fitted = RecursiveElimination(d, penalty=0.1).fit(X, times)
    model = CoxModel(6.0).fit(Z, times)
    np.testing.assert_allclose(fitted.coef_ * X.std(axis=0), model.coef_, atol=1e-9)
    assert fitted.score(X, times) == model.score(Z, times)


def test_the_hinge_loss_is_for_classes():
    X = np.random.default_rng(0).normal(size=(30, 4))
    with pytest.raises(InputError, match="The hinge loss is for classes, and y is taken for a number"):
        RecursiveElimination(loss="hinge", task="number").fit(X, X[:, 0])


def several_classes(seed, n=60, d=80, n_classes=4):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, d))
    return X, np.argmax(X[:, :n_classes] + 0.5 * rng.normal(size=(n, n_classes)), axis=1)


def squares(model):
    """What scikit-learn's elimination sums by itself where a model has coef_; one against the rest has none."""
    each = getattr(model, "estimators_", [model])
    return sum((one.coef_**2).sum(axis=0) for one in each)


@pytest.mark.parametrize("loss", ["logistic", "hinge"])
@pytest.mark.parametrize("step", [1, 7])
def test_elimination_for_several_classes_is_that_of_scikit_learn(loss, step):
    X, y = several_classes(0)
    Z = (X - X.mean(axis=0)) / X.std(axis=0)
    model = classifier(loss, len(y))
    if loss == "hinge":
        model = OneVsRestClassifier(model)
    theirs = RFE(model, n_features_to_select=6, step=step, importance_getter=squares).fit(Z, y)
    ours = RecursiveElimination(6, loss=loss, penalty=PENALTY, step=step).fit(X, y)
    np.testing.assert_array_equal(ours.support_, theirs.support_)
    np.testing.assert_allclose(ours.importances_[ours.support_] ** 2, squares(theirs.estimator_), rtol=1e-4)
    np.testing.assert_array_equal(ours.predict(X), theirs.predict(Z))
    if loss == "logistic":
        np.testing.assert_allclose(ours.predict_proba(X), theirs.predict_proba(Z), atol=1e-7)


@pytest.mark.parametrize("loss", ["logistic", "hinge"])
def test_weights_of_several_classes_equal_copied_rows(loss):
    X, y = several_classes(1)
    weight = np.random.default_rng(0).integers(1, 4, size=len(y))
    weighted = RecursiveElimination(5, loss=loss).fit(X, y, weight)
    copied = RecursiveElimination(5, loss=loss).fit(np.repeat(X, weight, axis=0), np.repeat(y, weight))
    np.testing.assert_array_equal(weighted.ranking_, copied.ranking_)
    np.testing.assert_allclose(weighted.coef_, copied.coef_, atol=1e-6)
