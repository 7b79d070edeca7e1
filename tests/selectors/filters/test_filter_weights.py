"""A weight counts copies of a row, for one fit and for many resamples together."""

import numpy as np
import pytest
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st

from records import scores, top_features
from steadyset.foundation.errors import InputError
from steadyset.selectors import FilterSelector
from steadyset.selectors.filters import get_filter, list_filters
from steadyset.tasks import SURVIVAL

FILTERS = sorted(list_filters().index)


def options(name: str) -> dict[str, int]:
    return {"n_estimators": 3} if get_filter(name).stochastic else {}


def draw_data(name: str, seed: int, n_rows: int = 14) -> tuple[np.ndarray, np.ndarray]:
    """Small data with ties, a constant and a copy, for as many classes as the filter takes, or for tied times."""
    rng = np.random.default_rng(seed)
    y = rng.integers(0, 2 + get_filter(name).multiclass, n_rows)
    X = (y[:, None] * rng.uniform(0, 2, 6) + rng.normal(size=(n_rows, 6))).round(1)
    X[:, 1] = 0.1
    X[:, 2] = X[:, 3]
    if get_filter(name).target == (SURVIVAL,):
        times = rng.exponential(np.exp(-y)).round(1) + 0.1
        return X, np.column_stack([times, rng.random(n_rows) < 0.7]).astype(float)
    return X, y


def enough(y: np.ndarray, weights: np.ndarray) -> bool:
    if y.ndim == 2:  # two times of events, and a row that is left at the later one
        times = np.unique(y[(weights > 0) & (y[:, 1] == 1), 0])
        return times.size >= 2 and (y[weights > 0, 0] > times[-2]).sum() >= 2
    present = np.unique(y[weights > 0]).size
    return present >= 2 and weights.sum() >= max(3, 2 * present)


@pytest.mark.parametrize("name", FILTERS)
@pytest.mark.filterwarnings("ignore::steadyset.foundation.errors.UninformativeWarning")
@settings(max_examples=20, deadline=None, suppress_health_check=[HealthCheck.filter_too_much])
@given(seed=st.integers(0, 10_000), weights=st.lists(st.integers(0, 3), min_size=14, max_size=14).map(np.array))
def test_weights_equal_copied_rows(name, seed, weights):
    X, y = draw_data(name, seed)
    assume(enough(y, weights))
    selector = FilterSelector(name, k=3, params=options(name), random_state=0)
    weighted = selector.fit(X, y, sample_weight=weights)
    found, ranking = weighted.scores_, weighted.ranking_
    copied = selector.fit(np.repeat(X, weights, axis=0), np.repeat(y, weights, axis=0))
    np.testing.assert_allclose(found, copied.scores_, rtol=1e-9, atol=1e-12)
    if get_filter(name).greedy:
        np.testing.assert_array_equal(ranking, copied.ranking_)


@pytest.mark.parametrize("name", FILTERS)
@pytest.mark.filterwarnings("ignore::steadyset.foundation.errors.UninformativeWarning")
def test_resamples_scored_together_equal_one_fit_each(name):
    X, y = draw_data(name, 1, n_rows=30)
    rng = np.random.default_rng(2)
    weights = np.stack([np.bincount(rng.integers(0, 30, 30), minlength=30) for _ in range(5)])
    together = scores(name, X, y, weights, k=3, params=options(name), random_state=7)
    sets = top_features(name, X, y, weights, k=3, params=options(name), random_state=7)
    assert together.shape == (5, 6)
    for run, weight in enumerate(weights):
        if get_filter(name).stochastic and run > 0:
            continue
        selector = FilterSelector(name, k=3, params=options(name), random_state=7).fit(X, y, sample_weight=weight)
        np.testing.assert_array_equal(together[run], selector.scores_)
        best = np.argsort(selector.ranking_)[: selector.get_support().sum()].tolist()
        assert sets[run].tolist() == best + [-1] * selector.n_short_


@pytest.mark.parametrize("name", ["anova", "limma", "kruskal", "info_gain", "mim", "jmi", "relieff"])
def test_a_class_that_a_resample_lacks_does_not_count_there(name):
    X, y = draw_data(name, 3, n_rows=24)
    weights = np.stack([np.ones(24), np.where(y == 2, 0, 1)])
    kept = y < 2
    alone = scores(name, X[kept], y[kept], k=3)
    np.testing.assert_allclose(scores(name, X, y, weights, k=3)[1], alone[0], rtol=1e-12)


@pytest.mark.parametrize("name", ["anova", "t_test", "variance", "auc", "mim", "info_gain"])
def test_a_features_score_does_not_depend_on_its_place(name, monkeypatch):
    for module in ("tables", "ranks"):
        monkeypatch.setattr(f"steadyset.selectors.filters.{module}.BLOCK_CELLS", 100)
    X, y = draw_data("auc", 4)
    many = scores(name, np.tile(X, 50), y)[0]
    np.testing.assert_array_equal(many, np.tile(scores(name, X, y)[0], 50))


@pytest.mark.parametrize("name", [name for name in FILTERS if get_filter(name).weights])
def test_weights_that_are_not_whole_are_taken(name):
    X, y = draw_data(name, 5)
    found = scores(name, X, y, np.random.default_rng(6).uniform(0.5, 2, 14))
    assert not np.isnan(found).any()


def test_a_constant_feature_scores_0_whatever_the_weights():
    X, y = draw_data("kruskal", 5)
    X[:, 2] = 3.0
    found = scores("kruskal", X, y, np.random.default_rng(6).uniform(0.5, 1.5, (200, 14)))
    assert (found[:, 2] == 0).all()
    assert np.isfinite(found).all()


@pytest.mark.parametrize("name", ["kruskal", "info_gain", "chi_squared", "one_r"])
def test_weights_that_are_shares_of_1_get_a_sentence_where_rows_are_counted(name):
    X, y = draw_data(name, 5)
    with pytest.raises(InputError, match=r"sums to 1; .* takes weights as numbers of rows"):
        scores(name, X, y, np.full(14, 1 / 14))


def test_a_resample_of_a_random_filter_keeps_its_seed_whatever_comes_after_it():
    X, y = draw_data("impurity", 6)
    two = scores("impurity", X, y, np.ones((2, 14)), params={"n_estimators": 3}, random_state=1)
    three = scores("impurity", X, y, np.ones((3, 14)), params={"n_estimators": 3}, random_state=1)
    np.testing.assert_array_equal(two, three[:2])
    assert (two[0] != two[1]).any()


@pytest.mark.parametrize("name", ["anova", "limma", "mim", "jmi", "relieff", "permutation"])
def test_the_number_of_threads_changes_no_score(name):
    X, y = draw_data(name, 7, n_rows=30)
    weights = np.random.default_rng(8).integers(1, 3, (5, 30))
    alone, shared = (
        scores(name, X, y, weights, k=3, params=options(name), random_state=0, n_jobs=n_jobs) for n_jobs in (1, 3)
    )
    np.testing.assert_array_equal(alone, shared)


def test_many_distinct_whole_numbers_are_a_quantity_where_a_filter_takes_both():
    X, _ = draw_data("mim", 5, n_rows=60)
    y = np.arange(60)
    np.testing.assert_array_equal(scores("mim", X, y), scores("mim", X, y + 0.5))
