"""Filters of mutual information agree with direct counting, step by step for the greedy ones."""

from collections import Counter

import numpy as np
import pytest
from scipy.stats import chi2_contingency
from sklearn.metrics import mutual_info_score
from tests.selectors.filters.binned import discretise

from records import scores, top_features
from steadyset.foundation.errors import InputError
from steadyset.selectors import FilterSelector
from steadyset.selectors.filters.greedy import CRITERIA, Coded, Pair

GREEDY = sorted(CRITERIA)


@pytest.fixture
def data() -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(0)
    y = rng.integers(0, 3, 60)
    X = rng.normal(size=(60, 12)) + y[:, None] * np.linspace(0, 2, 12)
    X[:, 3] = X[:, 4]
    return X, y


def entropy(*columns: np.ndarray) -> float:
    """H in bits of the joint distribution, by counting tuples."""
    share = np.array(list(Counter(zip(*map(tuple, columns), strict=True)).values())) / len(columns[0])
    return float(-(share * np.log2(share)).sum())


def information(y: np.ndarray, *columns: np.ndarray) -> float:
    """I(Y; columns) in bits."""
    return entropy(y) + entropy(*columns) - entropy(y, *columns)


def conditional(y: np.ndarray, x: np.ndarray, w: np.ndarray) -> float:
    """I(Y; X | W) in bits."""
    return entropy(y, w) - entropy(w) - entropy(y, x, w) + entropy(x, w)


def criterion(name: str, y: np.ndarray, x: np.ndarray, selected: list[np.ndarray]) -> float:
    """J(X), straight from its formula."""
    if not selected:
        return information(y, x)
    joint = [information(y, x, w) for w in selected]
    share = [information(y, x, w) / entropy(y, x, w) for w in selected]
    return {
        "mrmr": information(y, x) - np.mean([information(x, w) for w in selected]),
        "jmi": sum(joint),
        "jmim": min(joint),
        "disr": sum(share),
        "njmim": min(share),
        "cmim": min(information(y, x), *(conditional(y, x, w) for w in selected)),
        "cmim unbounded": min(conditional(y, x, w) for w in selected),
    }[name]


@pytest.mark.parametrize("method", ["equal_width", "mdl"])
@pytest.mark.parametrize("name", GREEDY)
def test_each_greedy_step_takes_the_largest_criterion(data, name, method):
    X, y = data
    columns = discretise(X, y, method=method).T
    fitted = FilterSelector(name, k=7, params={"discretise": method}, fill=True).fit(X, y)
    order = np.argsort(fitted.ranking_)
    for step in range(7):
        selected = [columns[j] for j in order[:step]]
        values = {j: criterion(name, y, columns[j], selected) for j in range(12) if j not in order[:step]}
        assert fitted.scores_[order[step]] == pytest.approx(values[order[step]], abs=1e-12)
        first_of_best = min(j for j, value in values.items() if value > max(values.values()) - 1e-12)
        assert order[step] == first_of_best
    for j in order[7:]:
        assert fitted.scores_[j] == pytest.approx(criterion(name, y, columns[j], [columns[i] for i in order[:6]]))


@pytest.mark.parametrize("name", GREEDY)
def test_many_bins_and_few_rows_give_the_same_steps(name):
    rng = np.random.default_rng(1)
    X, y = rng.integers(0, 30, (40, 8)).astype(float), rng.integers(0, 2, 40)
    order = top_features(name, X, y, k=4, params={"discretise": "distinct"})[0]
    selected: list[np.ndarray] = []
    for j in order:
        values = [criterion(name, y, column, selected) for column in X.T]
        taken = [int(np.flatnonzero((column == X.T).all(axis=1))[0]) for column in selected]
        assert values[j] == pytest.approx(max(np.delete(values, taken)))
        selected.append(X[:, j])


def test_more_values_than_a_byte_holds_are_told_apart():
    rng = np.random.default_rng(0)
    X = np.column_stack([rng.permutation(10_000) % 270 for _ in range(3)]).astype(float)
    y = (X[:, 0] > 134).astype(int)
    pair = Pair(Coded.of(X, y, np.ones(len(y)), "distinct"), 0, np.ones(3, dtype=bool))
    assert pair.joint == pytest.approx([information(y, X[:, 0], x) for x in X.T])
    assert pair.redundancy == pytest.approx([information(X[:, 0], x) for x in X.T])


@pytest.mark.parametrize("bounded", [True, False])
def test_cmim_counts_what_a_feature_tells_alone_unless_it_is_told_not_to(bounded):
    rng = np.random.default_rng(5)
    first, other = rng.integers(0, 2, (2, 400))
    y = 2 * first + (first ^ other)
    X = np.column_stack([first, other, (first ^ other) ^ (rng.random(400) < 0.2)]).astype(float)
    params = {"discretise": "distinct", "bounded": bounded}
    order = top_features("cmim", X, y, k=2, params=params)[0]
    name = "cmim" if bounded else "cmim unbounded"
    left = [j for j in range(3) if j != order[0]]
    assert order[1] == max(left, key=lambda j: criterion(name, y, X[:, j], [X[:, order[0]]]))


@pytest.mark.parametrize("alpha", [0.0, 0.3, 0.5, 0.8, 1.0])
def test_mid_trades_relevance_for_redundancy(data, alpha):
    X, y = data
    columns = discretise(X, y, method="equal_width").T
    fitted = FilterSelector("mid", k=6, params={"alpha": alpha}, fill=True).fit(X, y)
    order = np.argsort(fitted.ranking_)
    for step in range(1, 6):
        selected = [columns[j] for j in order[:step]]
        values = {
            j: alpha * information(y, columns[j])
            - (1 - alpha) * np.mean([information(columns[j], w) for w in selected])
            for j in range(12)
            if j not in order[:step]
        }
        assert fitted.scores_[order[step]] == pytest.approx(max(values.values()), abs=1e-12)


def test_mid_is_mrmr_at_one_half_and_mim_at_one(data):
    X, y = data
    for alpha, name in ((0.5, "mrmr"), (1.0, "mim")):
        ours = FilterSelector("mid", k=6, params={"alpha": alpha}, fill=True).fit(X, y)
        other = FilterSelector(name, k=6, fill=True).fit(X, y)
        assert ours.get_support().tolist() == other.get_support().tolist()


def test_a_trade_off_is_between_zero_and_one(data):
    with pytest.raises(InputError, match="alpha"):
        FilterSelector("mid", k=3, params={"alpha": 1.5}).fit(*data)


def test_cmim_gives_a_copy_of_a_selected_feature_nothing(data):
    X, y = data
    fitted = FilterSelector("cmim", k=3).fit(np.column_stack([X[:, 11], X[:, 11], X[:, :2]]), y)
    assert fitted.scores_[1] == 0
    assert fitted.ranking_[0] == 1
    assert fitted.ranking_[1] == 4


def test_mim_is_mutual_information_in_bits(data):
    X, y = data
    columns = discretise(X).T
    expected = [mutual_info_score(y, column) / np.log(2) for column in columns]
    np.testing.assert_allclose(scores("mim", X, y)[0], expected, rtol=1e-10, atol=1e-14)


def test_mdl_filters_follow_their_definitions(data):
    X, y = data
    columns = discretise(X, y, method="mdl").T
    several = [column for column in columns if column.any()]
    assert 0 < len(several) < 12
    shared = np.array([information(y, column) for column in columns])
    own = np.array([entropy(column) for column in columns])
    accuracy = [sum(np.bincount(y[column == v]).max() for v in set(column)) / 60 for column in columns]
    statistic = [
        chi2_contingency(
            np.array([[((column == v) & (y == c)).sum() for c in range(3)] for v in set(column)]), correction=False
        ).statistic
        if column.any()
        else 0.0
        for column in columns
    ]
    np.testing.assert_allclose(scores("info_gain", X, y)[0], shared, atol=1e-13)
    np.testing.assert_allclose(scores("gain_ratio", X, y)[0], np.where(own > 0, shared / np.maximum(own, 1e-9), 0))
    np.testing.assert_allclose(scores("sym_uncert", X, y)[0], 2 * shared / (own + entropy(y)), atol=1e-13)
    np.testing.assert_allclose(scores("one_r", X, y)[0], accuracy, rtol=1e-12)
    np.testing.assert_allclose(scores("chi_squared", X, y)[0], statistic, rtol=1e-10)


@pytest.mark.parametrize("name", ["chi_squared", "info_gain", "gain_ratio", "sym_uncert", "mim"])
def test_a_feature_with_one_bin_scores_zero(data, name):
    X, y = data
    assert scores(name, np.column_stack([X, np.full(60, 0.1)]), y)[0, -1] == 0


def test_one_r_of_a_feature_with_one_bin_is_the_share_of_the_largest_class(data):
    _, y = data
    assert scores("one_r", np.ones((60, 1)), y)[0, 0] == np.bincount(y).max() / 60


@pytest.mark.parametrize("name", ["mim", "jmi", "mrmr"])
def test_relabelled_bins_tie_exactly(name):
    rng = np.random.default_rng(2)
    y = rng.integers(0, 3, 50)
    X = rng.integers(0, 5, (50, 3)).astype(float)
    shuffled = rng.permutation(5)[X.astype(int)].astype(float)
    params = {"discretise": "distinct"}
    together = scores(name, np.column_stack([X, shuffled]), y, k=1, params=params)[0]
    np.testing.assert_array_equal(together[:3], together[3:])


def test_a_continuous_target_is_cut_into_bins_of_equal_frequency():
    rng = np.random.default_rng(3)
    X = rng.normal(size=(90, 4))
    target = np.exp(X[:, 2] + 0.3 * rng.normal(size=90))
    bins = np.argsort(np.argsort(target)) // 9
    expected = [information(bins, column) for column in discretise(X).T]
    for name in ("mutual_info", "mim"):
        np.testing.assert_allclose(scores(name, X, target)[0], expected, atol=1e-13)
    assert top_features("jmi", X, target, k=1)[0, 0] == 2


def test_mutual_info_takes_whole_numbers_as_a_continuous_target():
    rng = np.random.default_rng(4)
    X, target = rng.normal(size=(60, 3)), rng.permutation(60)
    np.testing.assert_array_equal(scores("mutual_info", X, target), scores("mim", X, target + 0.5))


@pytest.mark.parametrize("name", ["mim", "info_gain", "sym_uncert", "chi_squared", "one_r", *GREEDY])
def test_weights_close_to_whole_give_scores_close_to_those_of_whole_weights(data, name):
    X, y = data
    weights = np.random.default_rng(5).integers(1, 4, 60)
    whole = scores(name, X, y, weights, k=5)
    np.testing.assert_allclose(scores(name, X, y, weights * (1 + 1e-13), k=5), whole, atol=1e-9)
