"""Models of sets agree fully for identical sets, at the chance level for random ones, and as other formulas say."""

import numpy as np
import pandas as pd
import pytest
from scipy import stats
from sklearn.linear_model import LinearRegression, LogisticRegression
from sklearn.metrics import cohen_kappa_score
from sklearn.tree import DecisionTreeClassifier

import steadyset as st
from steadyset.inference.agreement import mean_of_pairs
from steadyset.tasks import TASKS


@pytest.fixture(scope="module")
def numbers():
    """Eight pairs of copies, of which two pairs carry the target."""
    rng = np.random.default_rng(0)
    base = rng.normal(size=(120, 8))
    X = pd.DataFrame(np.hstack([base, base + 1e-3 * rng.normal(size=base.shape)]))
    X.columns = [*(f"a{j}" for j in range(8)), *(f"b{j}" for j in range(8))]
    return X, base[:, 0] - base[:, 1] + 0.5 * rng.normal(size=120)


def runs_of(X, *sets):
    return st.Selections.from_sets(sets, features=list(X))


@pytest.mark.parametrize("sets", [[["a0", "a1"]] * 4, [["a5"]] * 3, [[]] * 3])
def test_identical_sets_agree_with_one(numbers, sets):
    X, y = numbers
    found = st.prediction_agreement(runs_of(X, *sets), X, y)
    assert found.agreement == 1
    assert found.high == 1
    assert (found.table == 1).all()
    assert found.overlap == found.overlap_low == found.overlap_high == 1


def test_different_sets_of_copies_are_equivalent(numbers):
    X, y = numbers
    found = st.prediction_agreement(runs_of(X, ["a0", "a1"], ["b0", "b1"], ["a0", "b1"]), X, y)
    assert found.agreement > 0.999
    assert found.stability < 0.4
    assert found.shared[0, 1] == 0
    assert found.overlap_high < 0.9  # two of the three pairs have a common feature, which alone does not suffice
    frame = found.to_frame()
    assert frame["shared"].tolist() == [0, 0.5, 0.5]
    assert frame["agreement"].tolist() == [found.table[0, 1], found.table[0, 2], found.table[1, 2]]


def test_random_sets_have_the_chance_level(numbers):
    X, y = numbers
    rng = np.random.default_rng(1)
    sets = [list(rng.choice(list(X), 3, replace=False)) for _ in range(40)]
    found = st.prediction_agreement(runs_of(X, *sets), X, y)
    # Two means of 40 random sets each: their intervals meet, and the corrected agreement is near 0.
    assert found.low < found.chance < found.high
    assert abs(found.corrected) < 0.25


def selected_from(X, y, n_runs, k, rng):
    """Sets of the features that correlate most with the target on bootstrap samples."""
    sets = []
    for _ in range(n_runs):
        rows = rng.integers(0, len(y), len(y))
        correlations = np.corrcoef(X[rows].T, y[rows])[-1, :-1]
        sets.append(np.sort(np.argsort(-np.abs(correlations))[:k]))
    return st.Selections.from_sets(sets, n_features=X.shape[1])


def test_sets_selected_from_noise_agree_as_their_common_features_make_random_sets_agree():
    """Without a relation to the target no feature replaces another, but the same few are selected again and again."""
    rng = np.random.default_rng(11)
    beyond_chance, beyond_overlap = [], []
    for _ in range(10):
        X, y = rng.normal(size=(80, 30)), rng.normal(size=80)
        found = st.prediction_agreement(selected_from(X, y, 12, 4, rng), X, y)
        beyond_chance.append(found.agreement - found.chance)
        beyond_overlap.append(found.agreement - found.overlap)
    standard_error = np.std(beyond_overlap, ddof=1) / np.sqrt(10)
    assert abs(np.mean(beyond_overlap)) < 3 * standard_error
    assert np.mean(beyond_chance) > 2 * abs(np.mean(beyond_overlap))


def test_the_agreement_is_that_of_folds_by_hand(numbers):
    X, y = numbers
    folds = st.KFold(5, random_state=3)
    sets = [["a0", "a1"], ["a0", "a2"], ["a1", "a3"]]
    predicted = np.zeros((3, len(y)))
    for train, test in folds.split(X, y):
        for place, one in enumerate(sets):
            model = LinearRegression().fit(X[one].iloc[train], y[train])
            predicted[place, test] = model.predict(X[one].iloc[test])
    found = st.prediction_agreement(runs_of(X, *sets), X, y, predictor=LinearRegression(), random_state=3)
    np.testing.assert_allclose(found.table, np.corrcoef(predicted), atol=1e-5)
    assert found.agreement == pytest.approx(np.corrcoef(predicted)[np.triu_indices(3, 1)].mean(), abs=1e-5)


@pytest.mark.parametrize("n_classes", [2, 3])
def test_classes_agree_by_cohens_kappa(n_classes):
    rng = np.random.default_rng(2)
    shares = rng.dirichlet(np.ones(n_classes), size=(4, 50))
    table = TASKS["classes"].agreement(shares[..., 1:] if n_classes == 2 else shares)
    for i in range(4):
        for j in range(4):
            expected = cohen_kappa_score(shares[i].argmax(axis=1), shares[j].argmax(axis=1))
            assert table[i, j] == pytest.approx(expected)


def test_risks_agree_by_kendalls_tau():
    rng = np.random.default_rng(3)
    risks = rng.random((3, 40, 1)).round(1)
    table = TASKS["survival"].agreement(risks)
    for i in range(3):
        for j in range(i):
            assert table[i, j] == pytest.approx(stats.kendalltau(risks[i, :, 0], risks[j, :, 0]).statistic)
    assert (table.diagonal() == 1).all()


@pytest.mark.parametrize("task", ["classes", "number", "survival"])
def test_constant_predictions_agree_with_their_like_alone(task):
    constant, varying = np.full((30, 1), 0.2), np.linspace(0, 1, 30)[:, None]
    table = TASKS[task].agreement(np.stack([constant, constant, varying]))
    np.testing.assert_allclose(table, [[1, 1, 0], [1, 1, 0], [0, 0, 1]], atol=1e-12)


def test_the_interval_is_that_of_a_mean_over_pairs():
    """A pairwise measure of sets has the same leave-one-out values, and so the same interval."""
    rng = np.random.default_rng(4)
    sel = st.Selections.from_matrix(rng.random((12, 30)) < np.linspace(0.1, 0.9, 30))
    matrix = sel.to_matrix().toarray().astype(float)
    expected = st.confidence_interval(sel, "phi")
    found = mean_of_pairs(np.corrcoef(matrix))
    assert found.value == pytest.approx(expected.estimate)
    assert found.se == pytest.approx(expected.se)
    assert (found.low, found.high) == pytest.approx((expected.low, expected.high))


def test_intervals_hold_the_mean_of_many_runs():
    """Predictions with random shares of a common part: over draws of 15 models the interval holds its mean."""
    rng = np.random.default_rng(5)
    common = rng.normal(size=60)

    def models(n):
        return rng.uniform(0.2, 2, size=(n, 1)) * common + rng.normal(size=(n, 60))

    table = np.corrcoef(models(3000))
    truth = (table.sum() - 3000) / (3000 * 2999)
    inside = 0
    for _ in range(400):
        interval = mean_of_pairs(np.corrcoef(models(15)))
        inside += interval.low <= truth <= interval.high
    assert 0.90 <= inside / 400 <= 0.99


def test_what_does_not_fit_is_refused(numbers):
    X, y = numbers
    with pytest.raises(st.InputError, match="at least 2"):
        st.prediction_agreement(runs_of(X, ["a0"]), X, y)
    with pytest.raises(st.InputError, match="16"):
        st.prediction_agreement(st.Selections.from_sets([[0], [1]], n_features=3), X, y)
    other = st.Selections.from_sets([["a0"], ["c0"]], features=["c0", *X.columns[:15]])
    with pytest.raises(st.InputError, match="c0"):
        st.prediction_agreement(other, X, y)


def test_the_predictor_decides():
    rng = np.random.default_rng(6)
    X = pd.DataFrame(rng.normal(size=(80, 4)), columns=list("abcd"))
    y = (X["a"] * X["b"] > 0).astype(int)
    runs = runs_of(X, ["a", "b"], ["b", "a", "c"])
    linear = st.prediction_agreement(runs, X, y, predictor=LogisticRegression())
    tree = st.prediction_agreement(runs, X, y, predictor=DecisionTreeClassifier(random_state=0))
    assert linear.agreement != tree.agreement
    assert linear.words == "Cohen's kappa of the predicted classes"


def test_runs_whose_models_predict_the_same_agree_in_an_assessment():
    rng = np.random.default_rng(7)
    X = pd.DataFrame(rng.normal(size=(60, 5)), columns=list("abcde"))
    y = (X["a"] + 0.3 * rng.normal(size=60) > 0).astype(int)
    result = st.assess("anova:k=2", X, y, resampling=st.Bootstrap(12), execution={"predictions": True}, scoring=[])
    row = result.prediction_stability().loc["anova:k=2"]
    runs = result.prediction_spreads["anova:k=2"].runs[:, :, 0] > 0.5
    pairs = [cohen_kappa_score(runs[i], runs[j]) for i in range(12) for j in range(i)]
    assert row["agreement"] == pytest.approx(np.mean(pairs))
    assert row["agreement_low"] < row["agreement"] < row["agreement_high"]
