"""A pipeline as the base of stability selection selects what its steps select by hand."""

from typing import ClassVar

import numpy as np
import pytest
from scipy import stats
from sklearn.base import clone
from sklearn.compose import ColumnTransformer
from sklearn.decomposition import PCA
from sklearn.ensemble import ExtraTreesClassifier
from sklearn.feature_selection import SelectFromModel, SelectKBest, VarianceThreshold, f_classif
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import PolynomialFeatures, StandardScaler

import steadyset as st
from steadyset.foundation.errors import InputError

N, D = 60, 12
RNG = np.random.default_rng(4)
Y = np.arange(N) % 2
X = RNG.normal(size=(N, D)) * 10.0 ** RNG.integers(-3, 4, D) + 5
X[:, :3] += np.outer(Y, X[:, :3].std(axis=0))


def by_covariance(X, y):
    """A score that depends on the unit of a feature, so that standardizing matters."""
    return np.abs((X - X.mean(axis=0)).T @ (y - y.mean())) / len(y)


def stable(base, X=X, **options):
    return st.StabilitySelection(base, n_runs=20, random_state=0, **{"q": 3, "threshold": 0.8, **options}).fit(X, Y)


def sets_of(selector):
    return selector.paths_.first(selector.q_).toarray().astype(bool)


class Halves(SelectKBest):
    """Keeps the rows of every fit."""

    seen: ClassVar[list[tuple]] = []

    def fit(self, X, y):
        type(self).seen.append((X.copy(), y.copy(), self.k))
        return super().fit(X, y)


def test_supports_are_those_of_the_last_step_on_standardized_halves():
    Halves.seen.clear()
    stable(Halves(f_classif), threshold=0.8)
    halves = [(rows, y) for rows, y, k in Halves.seen if k == 3]
    by_hand = np.zeros((len(halves), D), dtype=bool)
    for run, (rows, y) in enumerate(halves):
        best = np.argsort(-by_covariance(stats.zscore(rows, axis=0), y))[:3]
        by_hand[run, best] = True
    piped = stable(make_pipeline(StandardScaler(), SelectKBest(by_covariance)))
    assert np.array_equal(sets_of(piped), by_hand)
    assert piped.get_support(indices=True).tolist() == np.flatnonzero(by_hand.mean(axis=0) >= 0.8).tolist()
    assert not np.array_equal(sets_of(stable(SelectKBest(by_covariance))), by_hand)


def test_a_pipeline_and_standardized_data_by_hand_give_the_same():
    piped = stable(make_pipeline(StandardScaler(), SelectKBest(f_classif)))
    alone = stable(SelectKBest(f_classif), StandardScaler().fit_transform(X))
    assert np.array_equal(sets_of(piped), sets_of(alone))
    assert np.array_equal(piped.support_, alone.support_)
    assert piped.support_[:3].any()


def test_each_step_narrows_what_the_next_one_may_keep():
    holey = X.copy()
    holey[:, [0, 5]] = 1.0
    base = make_pipeline(VarianceThreshold(), make_pipeline(SelectKBest(f_classif, k=8), SelectKBest(f_classif)))
    varying = np.ptp(holey, axis=0) > 0
    piped, alone = stable(base, holey), stable(SelectKBest(f_classif), holey[:, varying])
    assert np.array_equal(sets_of(piped)[:, varying], sets_of(alone))
    assert not sets_of(piped)[:, ~varying].any()
    turned = ColumnTransformer([("last", "passthrough", [3, 2, 1]), ("first", StandardScaler(), [0])])
    selector = stable(make_pipeline(turned, SelectKBest(f_classif)), q=2)
    assert not sets_of(selector)[:, 4:].any()
    few = stable(SelectKBest(f_classif), X[:, [3, 2, 1, 0]], q=2)
    assert np.array_equal(sets_of(selector)[:, [3, 2, 1, 0]], sets_of(few))


def test_the_seeds_of_steps_are_those_of_the_selector():
    forest = SelectFromModel(ExtraTreesClassifier(5), max_features=3, threshold=-np.inf)
    base = make_pipeline(StandardScaler(), forest)
    one, same = (stable(clone(base), q=None) for _ in range(2))
    assert np.array_equal(one.frequencies_, same.frequencies_)
    assert one.frequencies_.sum() == pytest.approx(3)
    halves = stable(make_pipeline(StandardScaler(), clone(forest).set_params(estimator__random_state=7)), q=None)
    again = stable(make_pipeline(StandardScaler(), clone(forest).set_params(estimator__random_state=8)), q=None)
    assert not np.array_equal(halves.frequencies_, again.frequencies_)


@pytest.mark.parametrize(
    ("base", "said"),
    [
        (
            make_pipeline(StandardScaler(), SelectFromModel(LogisticRegression())),
            "Leave q out, or give base a selector",
        ),
        (
            make_pipeline(StandardScaler(), VarianceThreshold(), StandardScaler()),
            "Leave q out, or give base a selector",
        ),
        (make_pipeline(StandardScaler(), StandardScaler()), "No step of the pipeline is a selector. Give base"),
        (
            make_pipeline(StandardScaler(), LogisticRegression()),
            r"No step of the pipeline is a selector. .* SelectFromModel\(LogisticRegression\(...\)\) in the place",
        ),
        (LogisticRegression(), r"LogisticRegression predicts, .* Give base SelectFromModel\(LogisticRegression"),
        (make_pipeline(PCA(3), SelectKBest()), "has the step PCA, which makes new columns"),
        (make_pipeline(SelectKBest(), LogisticRegression()), r"ends with LogisticRegression, .* Give base the steps"),
        (
            make_pipeline(PolynomialFeatures(2, include_bias=False), SelectKBest()),
            "PolynomialFeatures of the pipeline makes the new column",
        ),
    ],
)
def test_a_pipeline_that_cannot_be_used_is_two_sentences(base, said):
    with pytest.raises(InputError, match=said):
        stable(base)


def test_a_pipeline_without_a_size_selects_as_it_likes():
    free = stable(make_pipeline(StandardScaler(), SelectFromModel(LogisticRegression())), q=None)
    alone = stable(SelectFromModel(LogisticRegression()), q=None, X=StandardScaler().fit_transform(X))
    assert free.paths_.levels.shape == alone.paths_.levels.shape == (1,)
