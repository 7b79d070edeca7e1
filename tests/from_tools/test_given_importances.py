"""Importances that other tools computed on each fold: which count as selected, and what stays of them."""

from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest
from sklearn.inspection import permutation_importance
from sklearn.linear_model import LogisticRegression

import steadyset as st
from steadyset.foundation.errors import InputError

NAMES = ["age", "dose", "sex"]
GAINS = [[3.0, 1.0, 0.0], [2.0, 0.5, 0.7]]


def explanation(values, names=NAMES):
    """What shap returns: the values, what they start from, and the names."""
    return SimpleNamespace(values=np.asarray(values), base_values=0.0, data=None, feature_names=names)


@pytest.mark.parametrize(
    "given",
    [GAINS, np.array(GAINS), pd.DataFrame(GAINS, columns=NAMES), [pd.Series(row, index=NAMES) for row in GAINS]],
    ids=["lists", "array", "frame", "series"],
)
def test_the_largest_of_each_fold_are_selected_and_all_are_ranked(given):
    named = isinstance(given, pd.DataFrame) or isinstance(given[0], pd.Series)
    found = st.Selections.from_importances(given, None if named else NAMES, top=2)
    assert found.sets() == [{"age", "dose"}, {"age", "sex"}]
    assert found.weights.tolist() == [3.0, 1.0, 2.0, 0.7]
    assert found.rankings.tolist() == [[1, 2, 3], [1, 3, 2]]


def test_an_importance_of_zero_is_never_among_the_top():
    assert st.Selections.from_importances(GAINS, NAMES, top=3).sizes.tolist() == [2, 3]


def test_a_threshold_and_a_top_together_keep_what_passes_both():
    assert st.Selections.from_importances(GAINS, NAMES, top=2, threshold=0.8).sets() == [{"age", "dose"}, {"age"}]


def test_a_dict_gives_the_labels():
    assert st.Selections.from_importances({"2019": GAINS[0], "2020": GAINS[1]}, NAMES, top=1).labels == ("2019", "2020")


def test_shap_values_count_by_their_mean_size():
    folds = [np.array([[1.0, -3.0, 0.5], [-1.0, 3.0, 0.1]]), np.array([[4.0, 0.0, 0.2]])]
    found = st.Selections.from_importances(folds, NAMES, top=1)
    assert found.sets() == [{"dose"}, {"age"}]
    assert found.weights.tolist() == [3.0, 4.0]
    by_explanation = st.Selections.from_importances([explanation(fold) for fold in folds], top=1)
    assert by_explanation == found
    averaged = [explanation(np.abs(fold).mean(axis=0)) for fold in folds]
    assert st.Selections.from_importances(averaged, top=1) == found


def test_shap_values_of_several_classes_are_averaged_over_them():
    one = np.zeros((2, 3, 2))  # samples x features x classes
    one[:, 1, 0], one[:, 1, 1], one[:, 0, 0] = 2.0, -2.0, 3.0
    assert st.Selections.from_importances([one], NAMES, top=1).sets() == [{"dose"}]
    assert st.Selections.from_importances([explanation(one)], top=2).weights.tolist() == [1.5, 2.0]


def test_shap_values_in_a_list_of_classes_are_averaged_over_them():
    classes = [np.array([[1.0, -3.0, 0.5], [-1.0, 3.0, 0.1]]), np.array([[7.0, 0.0, 0.0], [7.0, 0.0, 0.0]])]
    found = st.Selections.from_importances([classes, classes], NAMES, top=1)
    assert (found.sets(), found.weights.tolist()) == ([{"age"}, {"age"}], [4.0, 4.0])


def test_features_that_a_dict_leaves_out_were_not_used():
    scores = [{"age": 3.0}, {"sex": 2.0, "age": 1.0}]  # as XGBoost's get_score gives them
    found = st.Selections.from_importances(scores, NAMES, threshold=0)
    assert (found.sets(), found.weights.tolist()) == ([{"age"}, {"age", "sex"}], [3.0, 1.0, 2.0])
    with pytest.raises(InputError, match=r"only run 2 has 'sex'; give all names that there were to choose"):
        st.Selections.from_importances(scores, threshold=0)
    with pytest.raises(InputError, match="a single number for each feature, which is one fold"):
        st.Selections.from_importances(scores[1], threshold=0)


def test_negative_permutation_importances_are_not_selected():
    random = np.random.default_rng(0)
    X = pd.DataFrame(random.normal(size=(80, 4)), columns=list("abcd"))
    y = (X["a"] + 0.3 * X["b"] > 0).astype(int)
    model = LogisticRegression().fit(X[:40], y[:40])
    folds = [permutation_importance(model, X[40:], y[40:], n_repeats=3, random_state=seed) for seed in (0, 1)]
    means = np.array([fold.importances_mean for fold in folds])
    found = st.Selections.from_importances(folds, X.columns, threshold=0)
    np.testing.assert_array_equal(found.to_matrix().toarray(), means > 0)


def test_negative_numbers_of_unknown_meaning_are_asked_about():
    rows = [[0.1, -2.0, 0.3]]
    with pytest.raises(InputError, match=r'-2 for run 1, feature 1; .* by="magnitude" for coef.* by="value"'):
        st.Selections.from_importances(rows, NAMES, top=1)
    signed = st.Selections.from_importances(rows, NAMES, top=1, by="magnitude")
    assert (signed.sets(), signed.weights.tolist()) == ([{"dose"}], [-2.0])
    assert st.Selections.from_importances(rows, NAMES, top=1, by="value").sets() == [{"sex"}]


@pytest.mark.parametrize(
    ("given", "sentence"),
    [
        ([[0.1, np.nan, 0.3]], r"holds nan for run 1, feature 1; compute it again"),
        ([[0.1, np.inf, 0.3]], r"holds inf for run 1"),
        ([[0.1, 0.2, 0.3], [0.1, 0.2]], r"run 2 chose from 2 features, but 3 names are given"),
        (np.zeros((2, 3, 4)), r"3 dimension\(s\); expected folds x features, or a list"),
        ([0.1, 0.2, 0.3], r"holds single numbers; expected one vector of them per fold"),
        (explanation([[1.0, 2.0, 3.0]]), r"is one SimpleNamespace, which is one fold; give a list"),
        ([], r"is empty"),
        ("gain", r"importances must be a folds x features array"),
        ([["high", "low", "low"]], r"expected numbers"),
    ],
)
def test_what_cannot_be_importances_is_refused(given, sentence):
    with pytest.raises(InputError, match=sentence):
        st.Selections.from_importances(given, NAMES, top=1)


def test_nothing_counts_as_selected_until_somebody_says_what():
    with pytest.raises(InputError, match=r"say which count as selected: top=10"):
        st.Selections.from_importances(GAINS, NAMES)
    with pytest.raises(InputError, match="top must be at most 3, the number of features"):
        st.Selections.from_importances(GAINS, NAMES, top=4)
    with pytest.raises(InputError, match='threshold must be a number, "mean" or "median"'):
        st.Selections.from_importances(GAINS, NAMES, threshold="max")
