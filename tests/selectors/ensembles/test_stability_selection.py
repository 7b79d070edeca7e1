"""Stability selection: the scikit-learn rules, one computation for every rule, and what clusters and intervals mean."""

import warnings

import numpy as np
import pandas as pd
import polars as pl
import pytest
from scipy import sparse
from scipy.stats import beta
from sklearn import config_context
from sklearn.base import BaseEstimator, clone
from sklearn.feature_selection import SelectKBest, SelectorMixin, f_classif
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline
from tests.sklearn_checks import complaints

import steadyset
from steadyset.foundation.errors import InputError, UninformativeWarning
from steadyset.resampling import ComplementaryPairs, Rows
from steadyset.selectors import (
    BoostingSelector,
    ElasticNetSelector,
    FilterSelector,
    ForestSelector,
    GroupLassoSelector,
    L0Selector,
    RecursiveElimination,
    StabilitySelection,
)
from steadyset.selectors.catalogue import selector_by_name
from steadyset.selectors.ensembles.levels import _fitted
from steadyset.selectors.filters.selector import run_seeds
from steadyset.selectors.model import LINEAR_OUTCOMES
from steadyset.similarity import FeatureSimilarity

RULES = ("meinshausen_buhlmann", "shah_samworth_unimodal", "shah_samworth_r_concave", "calibrated")
BASES = (None, ElasticNetSelector(l1_ratio=0.7), FilterSelector("variance"), L0Selector(), BoostingSelector())


# The checks that take weights for copies, which fall in both halves where a row falls in one.
WEIGHTS_STAY_WITH_THEIR_ROW = dict.fromkeys(
    ("check_sample_weight_equivalence_on_dense_data", "check_sample_weight_equivalence_on_sparse_data"),
    "a row falls in one half with all of its weight, its copies in both",
)


@pytest.mark.parametrize(
    "estimator", [StabilitySelection(n_runs=4, n_lambdas=10), StabilitySelection(FilterSelector(), n_runs=4)], ids=str
)
@pytest.mark.filterwarnings("ignore::steadyset.foundation.errors.UninformativeWarning")
@pytest.mark.filterwarnings("ignore:No features were selected:UserWarning")
def test_scikit_learn_accepts_it(estimator):
    assert complaints(estimator, WEIGHTS_STAY_WITH_THEIR_ROW) == []


@pytest.fixture(scope="module")
def data():
    """60 rows, 30 features, of which 3, 7 and 11 make y."""
    random = np.random.default_rng(3)
    X = random.normal(size=(60, 30))
    return X, 2 * X[:, 3] - 2 * X[:, 7] + 2 * X[:, 11] + 0.5 * random.normal(size=60)


def stability_selection(base=None, **options):
    options = {"n_runs": 20, "n_lambdas": 30, "random_state": 0, "q": 5, **options}
    return StabilitySelection(base, **options)


@pytest.mark.parametrize("base", [base for base in BASES if not isinstance(base, FilterSelector)], ids=repr)
@pytest.mark.parametrize("rule", RULES)
def test_every_rule_finds_a_strong_signal_with_every_base(data, base, rule):
    found = stability_selection(base, rule=rule, threshold=0.9).fit(*data)
    np.testing.assert_array_equal(found.get_support(indices=True), [3, 7, 11])


@pytest.mark.parametrize("base", BASES, ids=lambda base: type(base).__name__)
def test_reading_by_another_rule_equals_fitting_with_it(data, base):
    fitted = stability_selection(base, threshold=0.8).fit(*data)
    for rule in RULES:
        read, refitted = (
            fitted.select(rule=rule),
            stability_selection(base, threshold=0.8, rule=rule).fit(*data).result_,
        )
        np.testing.assert_array_equal(read.frequencies, refitted.frequencies)
        np.testing.assert_array_equal(read.support, refitted.support)
        assert (read.threshold, read.pfer, read.q) == (refitted.threshold, refitted.pfer, refitted.q)


def test_reading_another_q_equals_fitting_with_it(data):
    fitted = stability_selection().fit(*data)
    for q in (1, 3, 8):
        refitted = stability_selection(q=q, max_features=15).fit(*data)
        np.testing.assert_array_equal(fitted.select(q=q).frequencies, refitted.result_.frequencies)


@pytest.mark.parametrize("base", [RecursiveElimination(), ForestSelector(n_estimators=10)], ids=repr)
def test_one_fit_tells_what_rankings_select_at_every_size(data, base):
    X, y = data[0], data[1] > 0
    fitted = stability_selection(base, q=5).fit(X, y)
    rows = StabilitySelection(base, n_runs=20)._halves(y, "classes", run_seeds(0, 2)[0])
    for q in (1, 3, 8):
        seeds = run_seeds(run_seeds(0, 2)[1], 20)
        sets = [_fitted(base, {"k": q}, X[run], y[run], None, s).support_ for run, s in zip(rows, seeds, strict=True)]
        np.testing.assert_allclose(fitted.select(q=q).frequencies, np.mean(sets, axis=0))


def test_a_base_without_a_path_is_run_for_the_size_of_every_rule(data):
    X, y = data[0], data[1] > 0
    options = {"q": None, "pfer": 1, "threshold": 0.8}
    fitted = stability_selection(SelectKBest(f_classif), **options).fit(X, y)
    sizes = {rule: fitted.select(rule=rule).q for rule in RULES[:3]}
    assert len(set(sizes.values())) > 1
    for rule, q in sizes.items():
        refitted = stability_selection(SelectKBest(f_classif), rule=rule, **options).fit(X, y)
        assert refitted.q_ == q
        np.testing.assert_array_equal(fitted.select(rule=rule).frequencies, refitted.result_.frequencies)


@pytest.mark.parametrize(
    "base",
    [
        FilterSelector("anova", threshold=3.0),
        FilterSelector("anova", fraction=0.1),
        GroupLassoSelector(np.repeat(np.arange(10), 3), penalty=0.1),
    ],
    ids=repr,
)
def test_a_base_whose_size_is_decided_otherwise_selects_as_it_likes(data, base):
    X, y = data[0], data[1] > 0
    fitted = stability_selection(base, q=None, threshold=0.8).fit(X, y)
    rows = StabilitySelection(base, n_runs=20)._halves(y, "classes", run_seeds(0, 2)[0])
    chosen = [clone(base).fit(X[run], y[run]).get_support() for run in rows]
    np.testing.assert_allclose(fitted.result_.frequencies, np.mean(chosen, axis=0))
    assert fitted.q_ == np.ceil(np.sum(chosen) / 20)


def test_a_run_selects_the_first_q_features_of_its_path(data):
    X, y = data
    fitted = stability_selection(q=4).fit(X, y)
    assert (fitted.selections_.sizes == 4).all()
    np.testing.assert_allclose(fitted.selections_.frequencies, fitted.result_.frequencies)
    assert fitted.frequencies_.shape == (len(fitted.levels_), 30)
    assert fitted.frequencies_[0].max() <= 1 / 20  # at the strongest penalty at most one run has started
    assert (np.diff(fitted.levels_) < 0).all()


def test_halves_of_the_same_pair_share_no_row_and_frequencies_are_means_over_runs(data):
    X, y = data
    seen = []

    def correlated(half, target):
        seen.append(set(half[:, 0].tolist()))
        return np.abs((half - half.mean(0)).T @ (target - target.mean()))

    fitted = stability_selection(SelectKBest(correlated, k=3), q=3).fit(X, y)
    assert [len(half) for half in seen] == [30] * 20
    assert not any(first & second for first, second in zip(seen[::2], seen[1::2], strict=True))
    assert fitted.result_.frequencies.sum() == pytest.approx(3)
    assert fitted.q_ == 3


@pytest.mark.parametrize("n_jobs", [1, 2])
def test_the_seed_decides_whatever_the_number_of_threads(data, n_jobs):
    X, y = data
    one = stability_selection(L0Selector(), random_state=5).fit(X, y).result_
    again = stability_selection(L0Selector(), random_state=5, n_jobs=n_jobs).fit(X, y).result_
    np.testing.assert_array_equal(one.frequencies, again.frequencies)
    other = stability_selection(L0Selector(), random_state=6).fit(X, y).result_
    assert not np.array_equal(one.frequencies, other.frequencies)


@pytest.mark.parametrize("frame", [pd.DataFrame, pl.DataFrame])
def test_frames_keep_their_names(data, frame):
    X, y = data
    columns = [f"gene{j}" for j in range(30)]
    fitted = stability_selection(threshold=0.9).fit(frame(dict(zip(columns, X.T, strict=True))), y)
    assert list(fitted.get_feature_names_out()) == ["gene3", "gene7", "gene11"]
    assert fitted.selections_.features[3] == "gene3"
    assert list(fitted.selection_intervals().index) == columns


def test_two_classes_are_halved_each_and_fitted_by_logistic_regression(data):
    X, y = data
    labels = np.where(y > np.quantile(y, 0.8), "ill", "well")
    fitted = stability_selection(threshold=0.7, q=3).fit(X, labels)
    logistic = stability_selection(ElasticNetSelector(), threshold=0.7, q=3).fit(X, labels)
    np.testing.assert_array_equal(fitted.result_.frequencies, logistic.result_.frequencies)
    assert fitted.get_support()[[3, 7]].any()


def test_without_q_and_pfer_one_false_selection_is_allowed_at_the_threshold_of_three_quarters(data):
    fitted = stability_selection(q=None).fit(*data)
    assert (fitted.threshold_, fitted.q_) == (0.75, 3)
    assert fitted.pfer_ == pytest.approx(9 / (0.5 * 30))


def test_a_base_without_a_size_selects_as_it_likes_and_its_mean_size_is_q(data):
    fitted = stability_selection(ElasticNetSelector(penalty=0.3), q=None, threshold=0.8).fit(*data)
    assert fitted.q_ == np.ceil(fitted.selections_.sizes.mean())
    assert fitted.pfer_ == pytest.approx(fitted.q_**2 / (0.6 * 30))


def test_calibration_keeps_within_the_limits(data):
    fitted = stability_selection(q=None, rule="calibrated").fit(*data)
    free, limited = fitted.result_, fitted.select(pfer=0.1)
    assert limited.pfer <= 0.1
    assert limited.score <= free.score
    assert fitted.select(q=2).q <= 2
    assert fitted.select(threshold=0.66).threshold == 0.66
    assert free.level in fitted.levels_


# ---- clusters ----------------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def proxies():
    """Features 0, 1 and 2 (reversed) are noisy copies of one signal; 3..19 are noise."""
    random = np.random.default_rng(13)
    signal = random.normal(size=80)
    X = random.normal(size=(80, 20))
    for f, sign in ((0, 1), (1, 1), (2, -1)):
        X[:, f] = 10 * f + sign * (signal + 0.1 * X[:, f])
    return X, signal + random.normal(size=80)


def test_copies_split_the_vote_and_a_cluster_collects_it(proxies):
    X, y = proxies
    alone = stability_selection(q=1, threshold=0.9).fit(X, y)
    together = stability_selection(q=1, threshold=0.9, clusters=[[0, 1, 2]]).fit(X, y)
    assert not alone.get_support().any()
    assert together.get_support(indices=True).tolist() == np.flatnonzero(alone.result_.frequencies > 0).tolist()
    assert together.result_.cluster_frequencies[together.clusters_[0]] >= 0.9
    assert together.pfer_ == pytest.approx(1 / (0.8 * 18))


def test_representatives_are_weighted_by_frequency_equal_or_the_most_frequent_member(proxies):
    X, y = proxies
    weights = {}
    for kind in ("weighted", "simple", "sparse"):
        fitted = stability_selection(q=1, threshold=0.9, clusters=[[0, 1, 2]], representative=kind).fit(X, y)
        weights[kind] = fitted.result_.weights
        assert fitted.representatives(X).shape == (80, 1)
        assert abs(np.corrcoef(fitted.representatives(X)[:, 0], X[:, 0])[0, 1]) > 0.98
    frequencies = fitted.result_.frequencies
    np.testing.assert_allclose(weights["weighted"][:3], frequencies[:3] / frequencies[:3].sum())
    np.testing.assert_allclose(weights["simple"][:3], 1 / 3)
    most = frequencies[:3] == frequencies[:3].max()
    np.testing.assert_allclose(weights["sparse"][:3], most / most.sum())
    assert all((w[3:] == 0).all() for w in weights.values())


def test_clusters_come_from_a_similarity_or_from_groups_alike(proxies):
    X, y = proxies
    labels = ["copy"] * 3 + [None] * 17
    by_groups = stability_selection(q=1, clusters=labels).fit(X, y)
    by_similarity = stability_selection(q=1, clusters=FeatureSimilarity.from_data(X, threshold=0.9)).fit(X, y)
    np.testing.assert_array_equal(by_groups.clusters_, by_similarity.clusters_)
    np.testing.assert_array_equal(by_groups.result_.weights, by_similarity.result_.weights)


def test_clusters_of_one_feature_each_change_nothing(data):
    X, y = data
    plain = stability_selection(threshold=0.7).fit(X, y).result_
    alone = stability_selection(threshold=0.7, clusters=[None] * 30).fit(X, y).result_
    np.testing.assert_array_equal(plain.support, alone.support)
    np.testing.assert_array_equal(plain.weights, plain.support.astype(float))
    assert plain.pfer == alone.pfer


# ---- intervals ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("prior", "a"), [("jeffreys", 0.5), ("uniform", 1.0)])
def test_intervals_are_quantiles_of_the_beta_posterior(data, prior, a):
    fitted = stability_selection().fit(*data)
    table = fitted.selection_intervals(0.9, prior=prior)
    h = fitted.result_.frequencies * 20
    np.testing.assert_allclose(table["low"], beta.ppf(0.05, a + h, a + 20 - h))
    np.testing.assert_allclose(table["high"], beta.ppf(0.95, a + h, a + 20 - h))
    np.testing.assert_allclose(table["above_threshold"], beta.sf(fitted.threshold_, a + h, a + 20 - h))


# ---- names and bad input -----------------------------------------------------------------------------------------


def test_it_is_reachable_by_its_public_names():
    assert steadyset.StabilitySelection is StabilitySelection
    found = selector_by_name("stability_selection:q=7,rule=shah_samworth_unimodal", "classes")
    assert (found.q, found.rule) == (7, "shah_samworth_unimodal")


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        ({"rule": "best"}, "There is no rule called 'best'; known are .*calibrated"),
        ({"rule": ["calibrated"]}, r"rule must be the name of a rule \(got \['calibrated'\]\)"),
        ({"threshold": 0.7, "pfer": 1}, "threshold, pfer and q are all given"),
        ({"q": None, "pfer": np.array([None, 1])}, r"pfer must be a number above 0 \(got array"),
        (
            {"base": ElasticNetSelector(penalty=0.3), "q": None, "threshold": 0.8, "pfer": "one"},
            r"pfer must be a number above 0 \(got 'one'\)",
        ),
        ({"n_runs": 7}, "n_runs is 7; complementary pairs need an even number of runs"),
        ({"max_features": 3}, r"max_features must be at least q, which is 5 \(got 3\)"),
        ({"q": 20, "pfer": 0.1}, "With q = 20 of 30 features"),
        ({"representative": "mean"}, r"representative must be .*\(got 'mean'\)"),
        ({"clusters": [0, 1]}, "groups has 2 labels for 30 features"),
        ({"clusters": FeatureSimilarity.from_groups(["a", "b"])}, "There are 2 features in clusters and 30 in X"),
        (
            {"base": ElasticNetSelector(penalty=0.1)},
            "q is given, but the base has no parameter for the number of features",
        ),
        (
            {"base": GroupLassoSelector(np.repeat(np.arange(10), 3))},
            "The base selects .* features where q = 5 are asked for",
        ),
    ],
)
def test_bad_options_get_a_sentence(data, options, sentence):
    with pytest.raises(InputError, match=sentence):
        stability_selection(**options).fit(*data)


def test_more_of_a_path_than_was_followed_gets_a_sentence(data):
    X, y = data
    with pytest.raises(
        InputError, match="q is 16 and the paths were followed to 15 features; fit with max_features=16"
    ):
        stability_selection().fit(X, y).select(q=16)
    with pytest.raises(InputError, match="the base, which has no path, was run for 5 features; fit with q=4"):
        stability_selection(SelectKBest(f_classif)).fit(X, y > 0).select(q=4)


def test_three_classes_with_a_base_for_two_get_a_sentence(data):
    with pytest.raises(InputError, match=r"y has 3 classes; .* is for two classes"):
        stability_selection("auc").fit(data[0], np.arange(60) % 3)


def test_a_group_base_is_counted_in_groups_when_these_are_its_clusters(data):
    groups = np.repeat(np.arange(10), 3)
    fitted = stability_selection(GroupLassoSelector(groups), q=3, threshold=0.9, clusters=groups.tolist()).fit(*data)
    assert fitted.result_.selected_clusters[[1, 2]].all()
    assert fitted.get_support()[3:9].all()
    assert fitted.pfer_ == pytest.approx(9 / (0.8 * 10))


# ---- error control -----------------------------------------------------------------------------------------------


@pytest.mark.slow
@pytest.mark.parametrize("rule", RULES[:3])
def test_the_mean_number_of_false_selections_stays_below_the_bound(rule):
    """100 data sets of independent noise features with 2 real ones; it buys trust in the promise as a whole."""
    false = []
    for seed in range(100):
        random = np.random.default_rng(seed)
        X = random.normal(size=(60, 50))
        y = X[:, 0] + X[:, 1] + random.normal(size=60) > 0
        base = FilterSelector("anova")
        fitted = StabilitySelection(base, q=8, pfer=1.5, rule=rule, n_runs=50, random_state=seed).fit(X, y)
        false.append(fitted.get_support()[2:].sum())
    assert np.mean(false) <= fitted.pfer_ <= 1.5


class FirstColumns(SelectorMixin, BaseEstimator):
    """Selects columns in their order and counts its fits."""

    fits = 0

    def __init__(self, k=2):
        self.k = k

    def fit(self, X, y):
        FirstColumns.fits += 1
        self.n_features_in_ = X.shape[1]
        return self

    def _get_support_mask(self):
        return np.arange(self.n_features_in_) < self.k


class FirstColumnsWithPath(FirstColumns):
    def path_by_size(self, X, y, reach):
        self.fit(X, y)
        return [np.arange(size + 1) for size in range(reach)]


@pytest.mark.parametrize("base", [FirstColumns(), FirstColumnsWithPath()], ids=repr)
def test_a_selector_that_tells_its_path_is_fitted_once_in_a_run(base):
    FirstColumns.fits = 0
    X = np.random.default_rng(0).normal(size=(40, 12))
    fitted = StabilitySelection(base, q=3, threshold=0.9, n_runs=10, random_state=0).fit(X, X[:, 0])
    assert fitted.get_support(indices=True).tolist() == [0, 1, 2]
    if isinstance(base, FirstColumnsWithPath):
        assert FirstColumns.fits == 10
        assert fitted.select(q=2, threshold=0.9).support.sum() == 2


# ---- constant features and ties ------------------------------------------------------------------------------------


def test_constant_columns_are_never_stable_and_do_not_count_in_the_bound():
    random = np.random.default_rng(0)
    X, y = np.zeros((60, 714)), np.repeat([0, 1], 30)
    X[:, 50:700:50] = random.normal(size=(60, 13))
    with pytest.warns(UninformativeWarning, match="Fewer than 200 features were selected in some of the halves"):
        fitted = StabilitySelection("anova", q=200, n_runs=20, random_state=0).fit(X, y)
    assert set(fitted.get_support(indices=True)) <= set(range(50, 700, 50))
    assert fitted.pfer_ == pytest.approx(13**2 / (0.5 * 13))
    assert any(
        "20 of 20 runs selected fewer than 200 features (13.0 on average)" in note for note in fitted.result_.notes
    )
    assert any("701 of 714 features are constant; the bound" in note for note in fitted.result_.notes)
    assert StabilitySelection("anova", q=3, n_runs=20, random_state=0).fit(X, y).pfer_ == pytest.approx(9 / (0.5 * 13))


@pytest.mark.parametrize("base", [None, "anova", "forest:n_estimators=20", "rfe"])
def test_features_constant_in_a_half_are_not_selected_there(base):
    random = np.random.default_rng(1)
    X, y = random.normal(size=(24, 6)), np.tile([0, 1], 12)
    X[:, 4:] = 0.0
    X[0, 4] = X[1, 5] = 1.0  # each varies in one half of every pair at most
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UninformativeWarning)
        fitted = StabilitySelection(base, q=6, threshold=1.0, n_runs=10, random_state=0).fit(X, y)
    assert (fitted.result_.frequencies[4:] <= 0.5).all()


@pytest.mark.parametrize("base", [None, "anova"])
def test_ties_that_the_order_of_the_columns_decided_are_told(base):
    random = np.random.default_rng(2)
    X, y = random.normal(size=(60, 8)), np.repeat([0, 1], 30)
    X[:, 0] += 2 * y
    single = StabilitySelection(base, q=1, n_runs=20, random_state=0).fit(X, y)
    assert (single.n_tied_, single.result_.notes) == (0, ())
    copied = StabilitySelection(base, q=1, n_runs=20, random_state=0).fit(np.column_stack([X, X[:, 0]]), y)
    assert copied.get_support(indices=True).tolist() == [0]
    assert copied.n_tied_ == 1
    assert "20 of 20 runs the order of the columns decided" in copied.result_.notes[0]


# ---- weights, sparse features, several classes ---------------------------------------------------------------------


@pytest.mark.parametrize("base", [None, "anova", "boosting", SelectKBest(f_classif)])
def test_a_row_of_weight_zero_is_absent_and_weights_of_one_change_nothing(base):
    random = np.random.default_rng(3)
    X, y = random.normal(size=(50, 10)), np.tile([0, 1], 25)
    X[:, 2] += y
    options = {"q": 2, "n_runs": 10, "random_state": 0}
    weights = np.r_[np.zeros(10), np.full(40, 2)]
    absent = StabilitySelection(base, **options).fit(X, y, sample_weight=weights)
    alone = StabilitySelection(base, **options).fit(X[10:], y[10:], sample_weight=weights[10:])
    np.testing.assert_array_equal(absent.frequencies_, alone.frequencies_)
    ones = StabilitySelection(base, **options).fit(X, y, sample_weight=np.ones(50))
    np.testing.assert_array_equal(ones.frequencies_, StabilitySelection(base, **options).fit(X, y).frequencies_)


def test_the_weight_of_a_row_is_that_of_its_copies_in_the_half_where_it_falls():
    random = np.random.default_rng(4)
    X, y, weights = random.normal(size=(40, 8)), random.normal(size=40), random.integers(1, 4, 40)
    halves = [ComplementaryPairs(6).draw(run, Rows(40, y), run_seeds(0, 2)[0]).train for run in range(6)]
    fitted = StabilitySelection("anova", q=3, n_runs=6, random_state=0).fit(X, y, sample_weight=weights)
    for run, half in enumerate(halves):
        copied = np.repeat(half, weights[half])
        expected = FilterSelector("anova", k=3).fit(X[copied], y[copied]).get_support(indices=True)
        assert sorted(fitted.selections_.selected(run)) == expected.tolist()


def test_a_base_without_weights_refuses_parts_of_rows_in_one_sentence():
    X, y = np.random.default_rng(5).normal(size=(20, 4)), np.tile([0, 1], 10)
    with pytest.raises(InputError, match="a base that takes no weights copies rows by their weight"):
        StabilitySelection(SelectKBest(f_classif), q=1, n_runs=4).fit(X, y, sample_weight=np.full(20, 0.5))


def test_weights_are_routed_through_pipelines_and_searches():
    random = np.random.default_rng(6)
    X, y, weights = random.normal(size=(60, 8)), np.tile([0, 1], 30), random.integers(0, 3, 60)
    X[:, 1] += 4 * y
    plain = StabilitySelection("anova", q=2, n_runs=10, random_state=0)
    with config_context(enable_metadata_routing=True):
        routed = clone(plain).set_fit_request(sample_weight=True)
        predictor = LogisticRegression().set_fit_request(sample_weight=True).set_score_request(sample_weight=True)
        pipeline = make_pipeline(routed, predictor).fit(X, y, sample_weight=weights)
        search = GridSearchCV(pipeline, {"stabilityselection__q": [1, 2]}, cv=2).fit(X, y, sample_weight=weights)
    expected = plain.fit(X, y, sample_weight=weights).frequencies_
    np.testing.assert_array_equal(pipeline[0].frequencies_, expected)
    assert search.best_estimator_[0].get_support(indices=True).tolist() == [1]


@pytest.mark.parametrize("kind", ["csr", "csc"])
def test_sparse_features_give_what_the_same_dense_ones_give(kind):
    X, y = sparse.random(60, 40, density=0.3, format=kind, random_state=0), np.tile([0, 1], 30)
    for base in ("anova", "kruskal", "mim", SelectKBest(f_classif)):
        options = {"q": 3, "n_runs": 10, "random_state": 0}
        stored = StabilitySelection(base, **options).fit(X, y)
        dense = StabilitySelection(base, **options).fit(X.toarray(), y)
        np.testing.assert_array_equal(stored.frequencies_, dense.frequencies_)
        np.testing.assert_allclose(stored.representatives(X), dense.representatives(X.toarray()))


def test_a_base_that_needs_dense_features_says_so():
    with pytest.raises(InputError, match=r"X is sparse, which the lasso does not take; .* base='anova'"):
        StabilitySelection().fit(sparse.eye_array(20, format="csr"), np.tile([0, 1], 10))


@pytest.mark.parametrize("base", [None, "elastic_net", "anova"])
def test_several_classes_find_the_features_of_each(base):
    random = np.random.default_rng(7)
    y = np.repeat(["a", "b", "c"], 30)
    X = random.normal(size=(90, 30))
    X[y == "a", 0] += 2
    X[y == "b", 1] += 2
    X[y == "c", 2] -= 2
    fitted = StabilitySelection(base, threshold=0.75, pfer=1, n_runs=20, random_state=0).fit(X, y)
    assert fitted.get_support(indices=True).tolist() == [0, 1, 2]


class TwoClasses(ElasticNetSelector):
    """A base with a path that is for two classes only."""

    outcomes = LINEAR_OUTCOMES


def test_a_run_on_several_classes_takes_what_any_class_against_the_others_takes_where_the_base_is_for_two():
    random = np.random.default_rng(8)
    X, y = random.normal(size=(60, 12)), np.repeat([0, 1, 2], 20)
    X[:, 3] += y == 1
    fitted = StabilitySelection(TwoClasses(), n_runs=4, n_lambdas=10, q=4, random_state=0).fit(X, y)
    weights = np.stack([np.isin(np.arange(60), half).astype(float) for half in halves_of(y, 4)])
    for run in range(4):
        union = [set() for _ in fitted.levels_]
        for label in range(3):
            levels, _ = ElasticNetSelector().paths_by_penalty(
                X, y == label, weights[run : run + 1], fitted.levels_, 15, n_jobs=None
            )[0]
            for place, members in zip(union, levels, strict=False):
                place.update(members.tolist())
        for place, members in enumerate(union):
            assert set(fitted.paths_.level(place)[[run]].indices.tolist()) == members


def halves_of(y, n_runs):
    pairs = ComplementaryPairs(n_runs, stratified=True)
    return [pairs.draw(run, Rows(len(y), y), run_seeds(0, 2)[0]).train for run in range(n_runs)]
