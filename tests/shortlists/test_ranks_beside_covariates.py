"""Columns that are ranked beside covariates: the order of the operations, and how many false features are listed."""

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from scipy.stats import rankdata
from sklearn.feature_selection import f_classif, f_regression

import steadyset as st
from steadyset.shortlists.bases import Features, filter_shares
from steadyset.shortlists.exchange import exchange_of
from steadyset.shortlists.procedure import compared_columns
from steadyset.tasks import CLASSES, NUMBER


def sparse_counts(random, n, d, rate=1.0):
    """Counts of which most are 0, with heavy tails."""
    found = random.poisson(random.gamma(0.3, 2, d) * random.gamma(0.5, 2, (n, d)) * rate).astype(float)
    return found[:, (found > 0).sum(axis=0) > 3]


def residuals(columns, beside):
    """What a least-squares fit of an intercept and further columns leaves, column by column."""
    design = np.column_stack([np.ones(len(columns)), beside])
    return np.column_stack([one - design @ np.linalg.lstsq(design, one, rcond=None)[0] for one in columns.T])


def adjusted_by_hand(columns, covariates, *, curves=True):
    """Residuals of each column on the covariates, their ranks, and the ranks of what these explain of the column."""
    beside = np.column_stack([covariates, rankdata(covariates, axis=0)])
    if not curves:
        return residuals(columns, beside)
    explained = columns - residuals(columns, beside)
    curves = rankdata(np.round(explained - explained.mean(axis=0), 8), axis=0)
    pairs = zip(columns.T, curves.T, strict=True)
    return np.column_stack([residuals(one[:, None], np.column_stack([beside, curve])) for one, curve in pairs])


def standardized(columns):
    return (columns - columns.mean(axis=0)) / columns.std(axis=0)


@pytest.mark.parametrize("n_classes", [2, 3, None])
def test_columns_are_ranked_first_and_then_adjusted_for_covariates_and_their_ranks(n_classes):
    random = np.random.default_rng(4)
    Z = np.column_stack([random.lognormal(size=60), random.integers(0, 2, 60)])
    X = sparse_counts(random, 60, 40)
    drawn = Z[:, 0] + random.normal(size=60)
    if n_classes is None:
        y, task = drawn, NUMBER
    else:
        y, task = np.digitize(drawn, np.quantile(drawn, np.arange(1, n_classes) / n_classes)), CLASSES
    columns, exchange, ranks = compared_columns(X, exchange_of(y, task, covariates=Z), task)
    by_hand = standardized(adjusted_by_hand(rankdata(X, axis=0), Z))
    assert ranks
    assert np.allclose(Features.of(columns, np.arange(X.shape[1])).X, by_hand, atol=1e-10)
    half = np.zeros((1, 60), np.bool_)
    half[0, random.permutation(60)[:30]] = True
    shares = filter_shares(by_hand, *exchange.ranked(y), half)[0]
    if n_classes == 3:
        expected, freedom = f_classif(by_hand[half[0]], y[half[0]])[0], (2, 27)
    else:
        assert exchange.ranks_target is (n_classes is None)  # it follows a skewed covariate
        left = adjusted_by_hand(rankdata(y)[:, None], Z)[:, 0]
        expected, freedom = f_regression(by_hand[half[0]], left[half[0]])[0], (1, 28)
    assert np.allclose(shares / (1 - shares) * freedom[1] / freedom[0], expected)


@pytest.mark.parametrize("n_classes", [2, None])
def test_columns_that_are_not_ranked_are_adjusted_for_covariates_and_their_ranks(n_classes):
    random = np.random.default_rng(14)
    Z = np.column_stack([random.lognormal(size=60), random.integers(0, 2, 60)])
    X = random.normal(size=(60, 40)) + np.log(Z[:, :1])
    drawn = np.log(Z[:, 0]) + random.normal(size=60)
    y, task = (drawn, NUMBER) if n_classes is None else ((drawn > np.median(drawn)).astype(int), CLASSES)
    columns, exchange, ranks = compared_columns(X, exchange_of(y, task, covariates=Z), task)
    assert not ranks
    assert np.allclose(columns, adjusted_by_hand(X, Z, curves=False), atol=1e-10)
    left = exchange.ranked(y)[0]
    by_hand = adjusted_by_hand(np.asarray(y, float)[:, None], Z, curves=False)[:, 0]
    assert np.corrcoef(left, by_hand)[0, 1] == pytest.approx(1, abs=1e-12)


def test_a_number_with_heavy_tails_is_ranked_beside_covariates_and_only_there():
    random = np.random.default_rng(15)
    Z = random.normal(size=(60, 1))
    score = Z[:, 0] + random.normal(size=60)
    X = random.normal(size=(60, 120))
    X[:, 0] += 2 * score
    for y, is_ranked in ((score, False), (np.exp(2 * score), True)):
        exchange = compared_columns(X, exchange_of(y, NUMBER, covariates=Z), NUMBER)[1]
        assert exchange.ranks_target is is_ranked
        assert not exchange_of(y, NUMBER).ranks_target
        amounts = rankdata(y) if is_ranked else y
        by_hand = adjusted_by_hand(amounts[:, None], Z, curves=False)[:, 0]
        assert np.corrcoef(exchange.ranked(y)[0], by_hand)[0, 1] == pytest.approx(1, abs=1e-12)
        found = st.shortlist(
            st.Data(X, y, force={"age": Z[:, 0]}), bases=["filter"], permutations=20, splits=10, outer=0
        )
        assert "x0" in found.selected
        assert found.features["corrected"].any() is not is_ranked
        assert ("ranks of the target" in " ".join(str(found).split())) is is_ranked
        assert ("The target was taken as ranks." in str(st.findings_of(found).methods)) is is_ranked


def test_ranked_columns_are_unrelated_to_covariates_within_strata():
    random = np.random.default_rng(5)
    age, strata, y = random.lognormal(size=60), np.arange(60) % 3, random.permutation(np.arange(60) % 2)
    X = random.standard_t(2, size=(60, 20)) + age[:, None] + 3 * strata[:, None]
    columns, exchange, ranks = compared_columns(X, exchange_of(y, CLASSES, strata, None, age[:, None]), CLASSES)
    assert ranks
    left = age - pd.Series(age).groupby(strata).transform("mean").to_numpy()
    assert np.abs(standardized(columns).T @ left).max() < 1e-9
    assert np.abs(pd.DataFrame(columns).groupby(strata).mean().to_numpy()).max() < 1e-9
    assert exchange.beside.shape == (60, 2)


def test_whether_columns_are_ranked_depends_on_what_covariates_leave_and_on_no_relation_to_the_target():
    random = np.random.default_rng(6)
    dose = random.lognormal(sigma=1.5, size=80)
    normal = random.normal(size=(80, 30)) + 3 * dose[:, None]  # heavy tails, all of which are those of the dose
    heavy = random.standard_t(2, size=(80, 30))
    for X, expected in ((normal, False), (heavy, True)):
        for _ in range(3):
            y = random.permutation(np.arange(80) % 2)
            assert compared_columns(X, exchange_of(y, CLASSES, covariates=dose[:, None]), CLASSES)[2] is expected


@pytest.mark.parametrize("tails", [False, True])
def test_a_feature_that_is_a_covariate_in_another_unit_has_nothing_left(tails):
    random = np.random.default_rng(7)
    X, age = random.standard_t(2, size=(60, 30)) if tails else random.normal(size=(60, 30)), random.normal(size=60)
    X[:, 3] = 12 * age + 500
    y = (age + random.normal(size=60) > 0).astype(int)
    columns, _, ranks = compared_columns(X, exchange_of(y, CLASSES, covariates=age[:, None]), CLASSES)
    assert ranks is tails
    assert (columns[:, 3] == 0).all()
    assert np.abs(columns).max(axis=0).astype(bool).sum() == 29


def test_hardly_any_rows_are_adjusted_for_the_covariates_without_their_ranks():
    random = np.random.default_rng(8)
    Z, y = random.normal(size=(24, 6)), random.permutation(np.arange(24) % 2)
    exchange, of_fewer = (exchange_of(y, CLASSES, covariates=Z[:, :k]) for k in (6, 4))
    few, enough = (one.adjusted_for_ranks(of_columns=True) for one in (exchange, of_fewer))
    assert few.beside.shape == (24, 6)
    assert enough.beside.shape == (24, 8)
    assert replace(few, named=("a", "b")).in_words == "after accounting for a and b (values)"
    assert replace(enough, named=("a", "b")).in_words == "after accounting for a and b (values and ranks)"


def beside_driving_covariates(seed, n, d, n_covariates, kind, n_classes, drives):
    """Return columns and a target that have nothing in common but the covariates, which drive both."""
    random = np.random.default_rng([seed, n, d, n_covariates])
    Z = random.normal(size=(n, n_covariates))
    if n_covariates == 1:
        Z = standardized(random.lognormal(size=(n, 1)))
    line = drives * Z @ random.uniform(0.4, 1.0, (n_covariates, d))
    if kind == "counts":
        X = random.poisson(np.exp(np.minimum(line + random.normal(size=(n, d)), 3.0) - 1.0)).astype(float)
    else:
        X = line + (random.normal(size=(n, d)) if kind == "normal" else random.standard_t(2, size=(n, d)))
    score = 1.5 * Z.sum(axis=1) / np.sqrt(n_covariates) + random.normal(size=n)
    return X, np.digitize(score, np.quantile(score, np.arange(1, n_classes) / n_classes)), Z


@pytest.mark.parametrize(
    ("n", "n_covariates", "kind", "n_classes", "drives"),
    [(40, 4, "heavy", 2, 2.0), (60, 1, "heavy", 2, 2.0), (60, 2, "normal", 2, 1.0), (60, 2, "counts", 3, 1.0)],
)
def test_columns_that_few_features_are_ranked_among_compete_on_equal_terms(n, n_covariates, kind, n_classes, drives):
    # Neither the columns nor the others have to do with the target, so that it explains as much of either. With rows
    # permuted it is 1.35, 1.19, 0.96 and 0.87 times as much of the columns.
    explained = []
    for seed in range(16):
        X, y, Z = beside_driving_covariates(seed, n, 20, n_covariates, kind, n_classes, drives)
        columns, exchange, _ = compared_columns(X, exchange_of(y, CLASSES, covariates=Z), CLASSES)
        random = np.random.default_rng(seed)
        data = Features.of(columns, np.arange(20), random=random, unrelated=exchange.unrelated)
        half = np.zeros((1, n), np.bool_)
        half[0, random.permutation(n)[: n // 2]] = True
        shares = filter_shares(data.columns, *exchange.ranked(y), half).mean(axis=0)
        explained.append([shares[:20].mean(), shares[20:].mean()])
        assert data.others.shape == (n, 280)
        assert np.abs((Z - Z.mean(axis=0)).T @ data.others).max() < 1e-8
        assert np.allclose(data.others.std(axis=0), 1)
    of_columns, of_others = np.mean(explained, axis=0)
    assert of_columns / of_others == pytest.approx(1, abs=0.13)


def test_a_step_of_a_pipeline_takes_covariates_as_the_list_does():
    random = np.random.default_rng(9)
    dose = random.lognormal(size=80)
    X = random.standard_t(2, size=(80, 120))
    y = (np.log(dose) + random.normal(size=80) > 0).astype(int)
    X[:, 0] += 2 * dose
    X[:, 1] += 8 * y
    step = st.ShortlistSelector(bases=["filter"], permutations=20, splits=10)
    parts = st.Subsample(2)
    found = st.assess({"list": step}, st.Data(X, y, force={"dose": dose}), resampling=parts)
    for run, cell in enumerate(found.cells):
        rows = parts.draw(run, st.resampling.Rows(80, y), 0).train
        beside = dose[rows][:, None]
        assert compared_columns(X[rows], exchange_of(y[rows], CLASSES, covariates=beside), CLASSES)[2]
        by_hand = step.fit(X[rows], y[rows], covariates=beside).get_support(indices=True)
        assert list(cell.selected) == by_hand.tolist()
        assert 1 in cell.selected


def listed_falsely(seed, n, covariate, columns, target, bases=("filter",), *, drives=0.0):
    """How many features are listed where the covariate drives the target, and the features as far as `drives` says."""
    random = np.random.default_rng([seed, 41])
    covariates = random.normal(size=(n, 2)) if covariate != "skewed" else random.lognormal(size=(n, 2))
    covariates = (covariates - covariates.mean(axis=0)) / covariates.std(axis=0)
    covariates = covariates[:, : 2 if covariate == "two" else 1]
    age = covariates.sum(axis=1)
    line = drives * covariates @ random.uniform(0.2, 1.0, (covariates.shape[1], 200))
    X = sparse_counts(random, n, 200) if columns == "counts" else line + random.standard_t(2, size=(n, 200))
    drawn = 1.5 * age + random.normal(size=n)
    if target in "234":
        y = np.digitize(drawn, np.quantile(drawn, np.arange(1, int(target)) / int(target)))
    elif target == "number":
        y = drawn
    else:
        y = st.Survival(np.exp(-drawn / 2), random.random(n) < 0.7)
    force = {f"z{j}": one for j, one in enumerate(covariates.T)}
    data = st.Data(X, y, force=force, task="number" if target == "number" else None)
    return len(st.shortlist(data, bases=bases, permutations=20, splits=12, outer=0).selected)


@pytest.mark.slow  # buys: the error statement beside covariates, in designs where it was ten times too small
@pytest.mark.parametrize(
    ("n", "covariate", "columns", "target", "drives"),
    [
        (90, "normal", "counts", "3", 0.0),
        (90, "skewed", "counts", "2", 0.0),
        (40, "skewed", "counts", "3", 0.0),
        (90, "skewed", "counts", "number", 0.0),
        (90, "normal", "counts", "4", 0.0),
        (90, "skewed", "counts", "times", 0.0),
        (90, "skewed", "heavy", "3", 1.0),
        (200, "normal", "heavy", "2", 2.0),
        (200, "two", "heavy", "2", 2.0),
    ],
)
def test_no_more_false_features_than_stated_where_ranks_are_taken_beside_a_covariate(
    n, covariate, columns, target, drives
):
    numbers = [listed_falsely(seed, n, covariate, columns, target, drives=drives) for seed in range(12)]
    assert np.mean(numbers) <= 1 + 3 * np.std(numbers, ddof=1) / np.sqrt(12)


@pytest.mark.slow  # buys: the same if a skewed covariate acts by its logarithm, or the target is skewed (10 and 4)
@pytest.mark.parametrize("target", ["2", "3", "number", "skewed number"])
def test_no_more_false_features_than_stated_beside_a_skewed_covariate(target):
    numbers = []
    for seed in range(12):
        random = np.random.default_rng([seed, 43])
        logarithm = random.normal(size=90)
        dose = np.exp(logarithm)
        acts = (dose - dose.mean()) / dose.std() if target == "skewed number" else logarithm
        X = random.normal(size=(90, 200)) + acts[:, None] * random.normal(size=200)
        score = 1.4 * acts + random.normal(size=90)
        y = np.exp(score) if target == "skewed number" else score
        if target in "23":
            y = np.digitize(score, np.quantile(score, np.arange(1, int(target)) / int(target)))
        data = st.Data(X, y, force={"dose": dose}, task="number" if "number" in target else None)
        found = st.shortlist(data, bases=["filter"], permutations=20, splits=12, outer=0)
        numbers.append(len(found.selected))
    assert np.mean(numbers) <= 1 + 3 * np.std(numbers, ddof=1) / np.sqrt(12)


@pytest.mark.slow  # buys: the same by both bases, as by default
@pytest.mark.parametrize("target", ["2", "3"])
def test_no_more_false_features_than_stated_by_both_bases(target):
    numbers = [listed_falsely(seed, 60, "skewed", "counts", target, ("filter", "lasso")) for seed in range(6)]
    assert np.mean(numbers) <= 1 + 3 * np.std(numbers, ddof=1) / np.sqrt(6)
