"""Halves, permuted targets and orders of a shortlist, against other implementations."""

import tracemalloc

import numpy as np
import pytest
from sklearn.feature_selection import f_classif, f_regression
from sklearn.linear_model import lars_path
from sklearn.utils.estimator_checks import check_estimator

import steadyset as st
from steadyset.foundation.errors import InputError
from steadyset.shortlists.bases import BASES, SIZES, Features
from steadyset.shortlists.exchange import exchange_of
from steadyset.shortlists.procedure import Procedure, clusters_of
from steadyset.shortlists.standing import Standing
from steadyset.tasks import CLASSES, NUMBER, SURVIVAL, TASKS

RNG = np.random.default_rng(0)


def data(n=40, d=30, n_classes=2):
    X = RNG.normal(size=(n, d))
    y = np.arange(n) % n_classes
    X[:, :3] += y[:, None]
    return X, y


def features(X, ranks=False):
    return Features.of(X, np.arange(X.shape[1]), ranks=ranks)


@pytest.mark.parametrize("n", [40, 41, 43])
def test_halves_are_complementary_and_hold_half_of_every_class(n):
    y = np.arange(n) % 3
    exchange = exchange_of(y, CLASSES)
    halves = exchange.halves(y, 200, np.random.default_rng(1))
    for label in range(3):
        first = halves[:, y == label].sum(axis=1)
        size = (y == label).sum()
        assert set(first) <= {size // 2, size - size // 2}
    assert set(halves.sum(axis=1)) <= {n // 2, n - n // 2}
    # Every row is as often in the first half as any other, and neighbours are no more often together than others.
    assert np.abs(halves.mean(axis=0) - 0.5).max() < 4 * 0.5 / np.sqrt(200)


def test_targets_are_exchanged_within_strata():
    strata = np.repeat(["a", "b"], 20)
    y = np.concatenate([np.arange(20) % 2, np.arange(20) % 5 == 0]).astype(int)
    exchange = exchange_of(y, CLASSES, strata)
    moved = [exchange.target(number, 0)[0] for number in range(1, 30)]
    for permuted in moved:
        assert permuted[:20].sum() == y[:20].sum()
        assert permuted[20:].sum() == y[20:].sum()
    assert len({tuple(one) for one in moved}) > 25
    assert (exchange.target(0, 0)[0] == y).all()


def test_groups_of_rows_exchange_their_target_whole_and_stay_in_one_half():
    groups = np.repeat(np.arange(16), 3)
    y = (groups % 2).astype(int)
    exchange = exchange_of(y, CLASSES, groups=groups)
    for number in range(1, 20):
        permuted, random = exchange.target(number, 0)
        assert (permuted.reshape(16, 3) == permuted.reshape(16, 3)[:, :1]).all()
        assert permuted.sum() == y.sum()
        halves = exchange.halves(permuted, 10, random).reshape(10, 16, 3)
        assert (halves == halves[:, :, :1]).all()
        assert (halves[:, permuted.reshape(16, 3)[:, 0] == 1, 0].sum(axis=1) == 4).all()


def test_rows_exchange_their_target_within_groups_where_it_varies_there():
    groups = np.repeat(np.arange(12), 4)
    y = np.tile([0, 0, 1, 1], 12)
    exchange = exchange_of(y, CLASSES, groups=groups)
    for number in range(1, 20):
        permuted, _ = exchange.target(number, 0)
        assert (permuted.reshape(12, 4).sum(axis=1) == 2).all()


def test_what_cannot_be_exchanged_is_refused():
    groups = np.repeat(np.arange(10), 2)
    with pytest.raises(InputError, match="same for all rows of 5 groups and varies within 5 others"):
        exchange_of(np.array([0, 0, 0, 1] * 5), CLASSES, groups=groups)
    with pytest.raises(InputError, match="Rows of one group are in several strata"):
        exchange_of(np.repeat(np.arange(10) % 2, 2), CLASSES, np.arange(20) % 2, groups)
    with pytest.raises(InputError, match="The class 1 has 3 rows"):
        exchange_of(np.array([0] * 20 + [1] * 3), CLASSES)


@pytest.mark.parametrize(("n_classes", "task"), [(2, CLASSES), (4, CLASSES), (0, NUMBER)])
def test_the_filter_ranks_as_f_tests_of_scikit_learn_do(n_classes, task):
    X, y = data(n_classes=max(2, n_classes))
    y = y if n_classes else X[:, 0] + RNG.normal(size=len(X))
    test = f_classif if n_classes else f_regression
    exchange = exchange_of(y, task)
    halves = exchange.halves(y, 8, np.random.default_rng(0))
    found = BASES["filter"][0](features(X), y, task, halves).features
    for split, half in enumerate(halves):
        for row, rows in ((2 * split, half), (2 * split + 1, ~half)):
            assert found[row].tolist() == np.argsort(-test(X[rows], y[rows])[0]).tolist()


def test_the_lasso_ranks_by_the_order_of_entering_its_path():
    X, y = data(d=12)
    scaled = features(X).X
    halves = exchange_of(y, CLASSES).halves(y, 5, np.random.default_rng(0))
    found = BASES["lasso"][0](features(X), y, CLASSES, halves).features
    agreeing = 0
    for split, half in enumerate(halves):
        for row, rows in ((2 * split, half), (2 * split + 1, ~half)):
            part = scaled[rows]
            part = (part - part.mean(axis=0)) / part.std(axis=0)
            _, order, _ = lars_path(part, y[rows] - y[rows].mean(), method="lar", max_iter=5)
            agreeing += found[row][0] == order[0]
    assert agreeing == 10  # later ones may enter within one level


def test_times_enter_the_lasso_by_the_score_of_coxs_likelihood_in_each_half():
    """At its first level a path takes the feature with the largest score: its product with the martingale residuals."""
    random = np.random.default_rng(1)  # of its own: two features of nearly the same score can enter within one level
    X = random.normal(size=(60, 40))
    y = np.column_stack([random.exponential(np.exp(X[:, 0])), random.random(60) < 0.7])
    halves = exchange_of(y, SURVIVAL).halves(y, 6, np.random.default_rng(0))
    found = BASES["lasso"][0](features(X), y, SURVIVAL, halves).features
    for row, rows in enumerate(np.stack([halves, ~halves], axis=1).reshape(-1, 60)):
        part = X[rows] - X[rows].mean(axis=0)
        scores = np.abs(TASKS[SURVIVAL].amounts(y[rows]) @ part) / part.std(axis=0)
        assert found[row][0] == scores.argmax()


def test_a_half_in_which_the_target_does_not_vary_ranks_nothing():
    X = RNG.normal(size=(30, 20))
    y = np.zeros(30)
    y[:4] = 1.5, 2.5, 3.5, 0.5
    halves = exchange_of(y, NUMBER).halves(y, 40, np.random.default_rng(0))
    silent = [not y[rows].any() for rows in np.stack([halves, ~halves], axis=1).reshape(-1, 30)]
    assert any(silent)
    for rank, _ in BASES.values():
        assert ((rank(features(X), y, NUMBER, halves).features == -1).all(axis=1) == silent).all()


def test_constant_columns_are_never_ranked():
    X, y = data()
    X[:, 5:] = 7.0
    halves = exchange_of(y, CLASSES).halves(y, 5, np.random.default_rng(0))
    found = BASES["filter"][0](features(X), y, CLASSES, halves).features
    assert set(found[found >= 0]) == set(range(5))


def test_clusters_are_those_of_average_linkage_on_everything():
    from scipy.cluster.hierarchy import fcluster, linkage
    from scipy.spatial.distance import squareform

    latent = RNG.normal(size=(50, 8))
    X = np.repeat(latent, 4, axis=1) + 0.45 * RNG.normal(size=(50, 32))
    distance = 1 - np.abs(np.corrcoef(X.T))
    np.fill_diagonal(distance, 0)
    whole = fcluster(linkage(squareform(distance, checks=False), "average"), 0.2, "distance")
    found = clusters_of(X)
    assert ((found[:, None] == found) == (whole[:, None] == whole)).all()
    assert 8 <= len(set(found)) < 32


def test_statistics_count_what_permuted_targets_reach():
    """A case worked by hand: two permuted targets, one base, one size."""
    observed = np.array([[0, 1], [0, 2], [0, 1], [0, 3]])
    permuted = [np.array([[1, 0], [1, 2], [2, 3], [3, 0]]), np.array([[5, 4], [4, 5], [5, 0], [0, 1]])]
    standing = Standing([{"filter": one} for one in (observed, *permuted)], {"filter": (1,)}, 6)
    now, nobody, every = standing._at_first, np.zeros(6, np.bool_), np.ones(1, np.bool_)
    counts = np.array([standing._counts(target, nobody, every)[0] for target in range(3)])
    assert counts.tolist() == [[4, 0, 0, 0, 0, 0], [0, 2, 1, 1, 0, 0], [1, 0, 0, 0, 1, 2]]
    # Four halves: one unit of three targets; two or more: three; one or more: seven; none or more: all eighteen.
    reached = {4: 1, 3: 1, 2: 3, 1: 7, 0: 18}
    assert now.reached[0].tolist() == [reached[h] for h in range(5)] + [0]
    rarest = sorted(set(reached.values()), reverse=True)
    statistics = np.vectorize(lambda h: rarest.index(reached[h]))(counts)
    assert (now.statistics == statistics[0]).all()
    assert (now.null[:, :4] == [[(one >= place).sum() for place in range(4)] for one in statistics[1:]]).all()
    listing = standing.listing(1.0, None)
    assert listing.listed.tolist() == [True] + [False] * 5
    (base,) = listing.passed
    assert listing.passed[base].tolist() == listing.listed.tolist()
    assert listing.null_counts.tolist() == [listing.null_passed(base, target).sum() for target in (1, 2)]
    # Without unit 0 its places go to the next ones.
    assert standing._counts(0, np.arange(6) == 0, every)[0].tolist() == [0, 2, 1, 1, 0, 0]
    assert standing._counts(2, np.arange(6) == 0, every)[0].tolist() == [0, 1, 0, 0, 1, 2]


def test_memory_does_not_grow_with_permuted_targets():
    """Sixty targets more, each of 0.2 megabytes in orders of features and groups, cost less than one in all."""
    random = np.random.default_rng(6)
    y, X = np.arange(50) % 2, random.normal(size=(50, 1000))
    X[:, 500:] = X[:, :500] + 0.1 * random.normal(size=(50, 500))
    most = []
    for permutations in (20, 80):
        tracemalloc.start()
        Procedure(1.0, None, ("filter",), permutations, 50, 1).run(X, CLASSES, exchange_of(y, CLASSES), 0)
        most.append(tracemalloc.get_traced_memory()[1])
        tracemalloc.stop()
    assert most[1] - most[0] < 2**20


def test_the_list_holds_what_was_planted_in_every_kind_of_target():
    random = np.random.default_rng(5)
    X = random.normal(size=(90, 300))
    for y, task in ((np.arange(90) % 2, CLASSES), (np.arange(90) % 3, CLASSES), (random.normal(size=90), NUMBER)):
        moved = X.copy()
        moved[:, :5] += 1.6 * (y if task == NUMBER else y == 0).astype(float)[:, None]
        found = st.shortlist(st.Data(moved, y, task=task), false=0.5, permutations=20, outer=0)
        assert set(found.selected) >= {f"x{f}" for f in range(5)}
        assert len(found.selected) <= 8
        assert found.features["direction"][0] != ""
        assert (found.features["tier"] == "candidate").sum() >= 10


def test_members_of_a_group_that_take_turns_are_listed_together():
    random = np.random.default_rng(3)
    y = np.arange(60) % 2
    latent = 0.9 * y + random.normal(size=60)
    copies = latent[:, None] + 0.3 * random.normal(size=(60, 120))
    X = np.concatenate([copies, random.normal(size=(60, 600))], axis=1)
    found = st.shortlist(X, y, bases=["filter"], permutations=20, false=0.5, outer=0)
    assert [set(group.features) for group in found.groups] == [{f"x{f}" for f in range(120)}]
    assert found.selected == []
    assert "One of x" in str(found)


def test_nothing_to_list_still_shows_candidates_and_the_effect_that_would_be_found():
    random = np.random.default_rng(11)
    found = st.shortlist(random.normal(size=(40, 200)), np.arange(40) % 2, bases=["filter"], false=0.5, permutations=20)
    assert len(found.candidates) >= 10
    assert found.listed.power[-1].effect > 0.5
    assert "Candidates" in str(found) or "come closest" in str(found)


def test_the_same_seed_gives_the_same_list_whatever_the_threads():
    X, y = data(60, 100)
    one, two = (st.shortlist(X, y, permutations=20, n_jobs=jobs, outer=0).features for jobs in (1, 2))
    assert one.equals(two)
    assert not one.equals(st.shortlist(X, y, permutations=20, random_state=1, outer=0).features)


def test_wrong_settings_get_a_sentence():
    X, y = data()
    for options, said in (
        ({"false": 2, "fdr": 0.1}, "both given"),
        ({"false": 0}, "false must be"),
        ({"fdr": 0.1, "permutations": 20}, "permutations must be"),
        ({"false": 0.1, "permutations": 50}, "permutations must be"),
        ({"bases": "lasso"}, "bases must be"),
        ({"bases": ["tree"]}, "bases must be"),
    ):
        with pytest.raises(InputError, match=said):
            st.shortlist(X, y, **options, outer=0)


def test_as_a_selector_it_keeps_the_rules_of_scikit_learn():
    X, y = data(60, 100)
    selector = st.ShortlistSelector(permutations=20, bases=("filter",)).fit(X, y)
    assert selector.get_support(indices=True).tolist()[:3] == [0, 1, 2]
    assert selector.transform(X).shape == (60, selector.support_.sum())
    assert SIZES[0] == 10


@pytest.mark.slow  # buys: every rule of scikit-learn
@pytest.mark.filterwarnings("ignore:No features were selected")  # data of noise
def test_check_estimator():
    few = "the data of this check has three rows of a class, and halves need four; the sentence says so"
    selector = st.ShortlistSelector(permutations=20, splits=10, bases=("filter",))
    check_estimator(selector, on_skip=None, expected_failed_checks={"check_fit2d_1feature": few}, on_fail="raise")


def test_missing_values_get_a_sentence_of_ours():
    with pytest.raises(InputError, match="feature number 0, row 0"):
        st.ShortlistSelector().fit(np.full((3, 3), np.nan), [0, 1, 0])
