"""Importances of features: closed forms, the search, and that they agree."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from sklearn.datasets import make_classification
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
from sklearn.linear_model import LogisticRegression, RidgeClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC
from sklearn.tree import DecisionTreeClassifier

import steadyset as st
from steadyset.selectors.importances import decision_flip, linear


class Rule:
    """A classifier that decides by a given function of the points."""

    def __init__(self, rule):
        self.predict = rule


def classes(n_classes, seed=0):
    return make_classification(60, 6, n_informative=4, n_redundant=1, n_classes=n_classes, random_state=seed)


def test_linear_importances_share_the_number_of_features_by_absolute_weight():
    assert st.importances.linear([1.0, 0.0, -3.0]) == pytest.approx([0.5, 0, 1.5])
    assert linear([[1.0, 0.0, -3.0], [0.0, 0.0, 0.0]]) == pytest.approx(np.array([[0.5, 0, 1.5], [0, 0, 0]]))


def test_weights_of_features_in_other_units_count_by_their_deviation():
    assert linear([1.0, 2.0], sd=[2.0, 1.0]) == pytest.approx([1, 1])
    assert linear([[1.0, 2.0], [1.0, 1.0]], sd=[[1, 1], [3, 1]]) == pytest.approx(
        np.array([[2 / 3, 4 / 3], [1.5, 0.5]])
    )


@pytest.mark.parametrize("n_classes", [2, 3])
@pytest.mark.parametrize("model", [LogisticRegression(), LinearDiscriminantAnalysis(), RidgeClassifier()], ids=str)
def test_search_and_closed_form_agree_on_linear_models(model, n_classes):
    X, y = classes(n_classes)
    model.fit(X, y)
    exact = decision_flip(model, X, method="closed_form")
    assert decision_flip(model, X) == pytest.approx(exact, abs=0)
    assert decision_flip(model, X, method="search") == pytest.approx(exact, abs=1e-7)
    assert exact.sum() == pytest.approx(X.shape[1])


def test_for_two_classes_the_flip_of_the_decision_is_the_formula_of_linear_models():
    X, y = classes(2)
    X[:, 2] *= 100
    model = LogisticRegression(max_iter=10_000).fit(X, y)
    assert decision_flip(model, X) == pytest.approx(linear(model.coef_[0], sd=X.std(axis=0)))
    scaled = make_pipeline(StandardScaler(), LogisticRegression()).fit(X, y)
    assert decision_flip(scaled, X) == pytest.approx(linear(scaled[-1].coef_[0]), abs=1e-7)


def test_a_sparse_linear_model_gives_nothing_to_unused_features():
    X, y = classes(2)
    model = LogisticRegression().fit(X, y)
    model.coef_[0, [1, 4]] = 0
    importances = decision_flip(model, X)
    assert np.flatnonzero(importances == 0).tolist() == [1, 4]
    assert importances.sum() == pytest.approx(4)
    assert decision_flip(model, X, method="search") == pytest.approx(importances, abs=1e-7)


def test_one_against_one_decisions_are_searched():
    X, y = classes(3)
    model = SVC(kernel="linear").fit(X, y)
    with pytest.raises(st.InputError, match="SVC does not decide by linear scores"):
        decision_flip(model, X, method="closed_form")
    assert decision_flip(model, X[:10]).sum() == pytest.approx(6)


def test_a_tree_flips_at_its_nearest_threshold():
    X = np.array([[0.0, 0.0], [1.0, 4.0], [0.0, 4.0], [1.0, 0.0]])
    model = DecisionTreeClassifier().fit(X, [0, 1, 0, 0])
    at = {f: t for f, t in zip(model.tree_.feature, model.tree_.threshold, strict=True) if f >= 0}
    point = np.array([[0.9, 3.0]])
    changes = [abs(point[0, f] - at[f]) for f in (0, 1)]
    expected = linear(1 / np.array(changes), sd=[0.5, 2.0])
    assert decision_flip(model, point, sd=[0.5, 2.0]) == pytest.approx(expected, abs=1e-6)


def test_the_smaller_of_the_changes_in_both_directions_counts():
    far_from_zero = Rule(lambda X: (np.abs(X[:, 0]) > 1) | (X[:, 1] > 3))
    importances = decision_flip(far_from_zero, np.array([[0.2, 1.0], [-0.6, 2.6]]), sd=[1.0, 1.0])
    g = 1 / np.array([[0.8, 2.0], [0.4, 0.4]])
    assert importances == pytest.approx((2 * g / g.sum(axis=1, keepdims=True)).mean(axis=0), abs=1e-6)


def test_features_that_never_flip_and_points_that_never_do_count_nothing():
    X = np.random.default_rng(0).normal(size=(20, 3))
    assert decision_flip(Rule(lambda X: np.zeros(len(X))), X) == pytest.approx([0, 0, 0])
    assert decision_flip(Rule(lambda X: X[:, 1] > 0), X) == pytest.approx([0, 1, 0])
    X[:, 1] = -1.0
    assert decision_flip(Rule(lambda X: X[:, 1] > 0), X) == pytest.approx([0, 0, 0])


def test_points_that_no_feature_flips_can_count_every_feature_alike():
    X = np.array([[1.0, 1.0], [-1.0, -1.0]])
    both_high = Rule(lambda X: (X > 0).all(axis=1))
    assert decision_flip(both_high, X, sd=[1, 1]) == pytest.approx([1, 1])
    first_high = Rule(lambda X: (X[:, 0] > 0) & (X[:, 1] > -0.5))
    assert decision_flip(first_high, X, sd=[1, 1]) == pytest.approx([1.2, 0.8], abs=1e-6)
    assert decision_flip(first_high, X, sd=[1, 1], unflippable="equal") == pytest.approx([1.1, 0.9], abs=1e-6)
    constant = Rule(lambda X: np.zeros(len(X)))
    assert decision_flip(constant, X, unflippable="equal") == pytest.approx([1, 1])


def test_a_point_on_the_boundary_counts_like_any_other():
    model = LogisticRegression().fit([[0.0, 0.0], [1.0, 1.0]], [0, 1])
    model.coef_, model.intercept_ = np.array([[1.0, 3.0]]), np.array([0.0])
    assert decision_flip(model, [[0.0, 0.0], [1.0, 1.0]], sd=[1, 1]) == pytest.approx([0.5, 1.5])
    assert decision_flip(Rule(lambda X: X[:, 0] > 0), [[0.0, 0.0]], sd=[1, 1]) == pytest.approx([1, 0])


def test_models_that_check_names_get_frames():
    X, y = classes(2)
    frame = pd.DataFrame(X, columns=list("abcdef"))
    model = LogisticRegression().fit(frame, y)
    for method in ("closed_form", "search"):
        assert decision_flip(model, frame, method=method) == pytest.approx(
            linear(model.coef_[0], X.std(axis=0)), abs=1e-7
        )


def test_labels_may_be_text():
    X, y = classes(2)
    named = LogisticRegression().fit(X, np.array(["no", "yes"])[y])
    assert decision_flip(named, X, method="search") == pytest.approx(decision_flip(named, X), abs=1e-7)


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        ({"X": [1.0, 2.0]}, "X has the shape"),
        ({"X": [[np.nan]]}, "X holds a value that is not finite"),
        ({"X": [["a"]]}, "X holds text; expected numbers"),
        ({"sd": [1.0, 2.0]}, "sd has the shape"),
        ({"sd": [-1.0]}, "sd has the shape .* smallest value -1"),
        ({"method": "guess"}, r"method must be .*\(got 'guess'\)"),
        ({"step": 0.0}, "step, largest and tol"),
    ],
)
def test_bad_arguments_get_one_sentence(arguments, sentence):
    with pytest.raises(st.InputError, match=sentence):
        decision_flip(Rule(lambda X: X[:, 0] > 0), **{"X": [[1.0], [2.0]], **arguments})


def test_coefficients_are_one_or_many_models():
    with pytest.raises(st.InputError, match="coefs has 3 dimensions"):
        linear(np.zeros((1, 1, 1)))
    with pytest.raises(st.InputError, match="sd has the shape"):
        linear([1.0, 2.0], sd=[1.0])
