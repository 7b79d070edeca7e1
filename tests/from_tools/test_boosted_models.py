"""LightGBM, XGBoost and Boruta: what their models used, by the tools' own words; the same in an assessment."""

import re

import numpy as np
import pandas as pd
import pytest
from sklearn.base import BaseEstimator
from sklearn.ensemble import GradientBoostingClassifier, RandomForestClassifier
from sklearn.feature_selection import SelectFromModel, SelectKBest, VarianceThreshold
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import KFold, cross_validate
from sklearn.multiclass import OneVsRestClassifier
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import LinearSVC

import steadyset as st
from steadyset.foundation.errors import InputError, UninformativeWarning

lightgbm = pytest.importorskip("lightgbm")
xgboost = pytest.importorskip("xgboost")
boruta = pytest.importorskip("boruta")

NAMES = ["age", "dose", "sex", "bmi", "hdl", "ldl"]
QUIET = {"verbose": -1, "objective": "binary", "num_leaves": 4, "num_threads": 1, "min_data_in_leaf": 5}


@pytest.fixture(scope="module")
def data():
    random = np.random.default_rng(1)
    X = pd.DataFrame(random.normal(size=(120, 6)), columns=NAMES)
    return X, (X["age"] + X["hdl"] > 0).astype(int)


def light(X, y, **params):
    return lightgbm.LGBMClassifier(n_estimators=2, num_leaves=4, verbose=-1, n_jobs=1, **params).fit(X, y)


def extreme(X, y, **params):
    return xgboost.XGBClassifier(n_estimators=2, max_depth=2, n_jobs=1, **params).fit(X, y)


def split_features(text):
    """The features in the dump of a model's trees."""
    return set(re.findall(r"\[([^<\]]+)<", text))


def test_lightgbm_models_give_the_features_of_their_splits(data):
    X, y = data
    models = [light(X[start::2], y[start::2]) for start in (0, 1)]
    truth = [set(model.booster_.trees_to_dataframe()["split_feature"].dropna()) for model in models]
    assert st.Selections.from_fitted(models, threshold=0).features == tuple(NAMES)
    assert st.Selections.from_fitted(models, threshold=0).sets() == truth
    assert st.Selections.from_fitted([model.booster_ for model in models]) == st.Selections.from_fitted(models)


def test_the_importance_is_total_gain_or_the_number_of_splits(data):
    X, y = data
    trees = light(X, y).booster_.trees_to_dataframe().dropna(subset=["split_feature"])
    gain = st.Selections.from_fitted([light(X, y)], threshold=0)
    splits = st.Selections.from_fitted([light(X, y)], importance="split", threshold=0)
    for f, weight, count in zip(gain.indices, gain.weights, splits.weights, strict=True):
        mine = trees[trees["split_feature"] == NAMES[f]]
        assert weight == pytest.approx(mine["split_gain"].sum(), rel=1e-4)
        assert count == len(mine)


def test_the_boosters_of_a_cross_validation_are_runs(data):
    X, y = data
    result = lightgbm.cv(QUIET, lightgbm.Dataset(X, y), 2, nfold=3, return_cvbooster=True)
    found = st.Selections.from_fitted(result)
    assert found.n_runs == 3
    assert found.features == tuple(NAMES)
    assert (
        found
        == st.Selections.from_fitted(result["cvbooster"])
        == st.Selections.from_fitted(result["cvbooster"].boosters)
    )


def test_xgboost_models_give_the_features_of_their_splits(data):
    X, y = data
    models = [extreme(X[start::2], y[start::2]) for start in (0, 1)]
    truth = [split_features("".join(model.get_booster().get_dump())) for model in models]
    found = st.Selections.from_fitted(models, threshold=0)
    assert found.features == tuple(NAMES)
    assert found.sets() == truth
    assert st.Selections.from_fitted([model.get_booster() for model in models], threshold=0) == found
    frame = models[0].get_booster().trees_to_dataframe()
    gains = frame[frame["Feature"] != "Leaf"].groupby("Feature")["Gain"].sum()
    np.testing.assert_allclose(found.weights[: len(gains)], [gains[NAMES[f]] for f in found.selected(0)], rtol=1e-4)


def test_names_that_a_tool_made_up_are_no_names(data):
    X, y = data
    for model in (light(X.to_numpy(), y), extreme(X.to_numpy(), y)):
        assert st.Selections.from_fitted([model]).features == tuple(f"x{f}" for f in range(6))
        assert st.Selections.from_fitted([model], features=NAMES).features == tuple(NAMES)


def test_a_booster_behind_a_selector_uses_what_that_lets_through(data):
    X, y = data
    for make in (
        lambda: lightgbm.LGBMClassifier(n_estimators=2, num_leaves=3, verbose=-1, n_jobs=1),
        lambda: xgboost.XGBClassifier(n_estimators=1, max_depth=1, n_jobs=1),
    ):
        model = make_pipeline(SelectKBest(k=3), make()).fit(X, y)
        found = st.Selections.from_fitted([model])
        passed = np.array(NAMES)[model[0].get_support()]
        used = np.asarray(model[1].feature_importances_) > 0
        assert found.sets() == [set(passed[used])]
        assert found.n_features == 6


class Masked(BaseEstimator):
    """Says what it selects as Boruta does: by a mask called support_, without get_support."""

    def fit(self, X, y):
        self.importances_ = abs(np.corrcoef(X.T, y)[-1, :-1])
        self.support_ = self.importances_ > 0.2
        self.n_features_in_ = X.shape[1]
        return self


def test_boosted_trees_select_the_total_gains_above_their_mean(data):
    X, y = data
    model = extreme(X, y)
    gains = model.get_booster().get_score(importance_type="total_gain")
    found = st.Selections.from_fitted([model])
    assert found.sets() == [{name for name, gain in gains.items() if gain > sum(gains.values()) / 6}]
    assert found.notes == ("selected: total gains above their mean",)


@pytest.mark.parametrize(
    "model",
    [
        xgboost.XGBClassifier(n_estimators=4, max_depth=3, n_jobs=1, random_state=0),
        lightgbm.LGBMClassifier(
            n_estimators=4, num_leaves=6, min_child_samples=5, verbose=-1, n_jobs=1, random_state=0
        ),
        RandomForestClassifier(10, random_state=0),
        GradientBoostingClassifier(n_estimators=5, random_state=0),
        LogisticRegression(C=0.2, l1_ratio=1, solver="liblinear", random_state=0),
        LogisticRegression(),
        SelectFromModel(RandomForestClassifier(10, random_state=0)),
        make_pipeline(StandardScaler(), LinearSVC(C=0.05, penalty="l1", dual=False, random_state=0)),
        make_pipeline(SelectKBest(k=4), RandomForestClassifier(10, random_state=0)),
        make_pipeline(SelectKBest(k=4), xgboost.XGBClassifier(n_estimators=1, max_depth=1, n_jobs=1, random_state=0)),
        make_pipeline(VarianceThreshold(), GradientBoostingClassifier(n_estimators=3, random_state=0)),
        make_pipeline(SelectKBest(k=4), KNeighborsClassifier()),
        OneVsRestClassifier(LinearSVC(C=0.05, penalty="l1", dual=False, random_state=0)),
        Masked(),
    ],
    ids=lambda model: "-".join(type(step).__name__ for _, step in getattr(model, "steps", [("", model)])),
)
@pytest.mark.parametrize("cut", [{}, {"top": 2}, {"threshold": "median"}], ids=["rule", "top", "median"])
@pytest.mark.filterwarnings("ignore:.*leaves out no feature", "ignore:In . of 3 folds the last of the top")
def test_a_model_selects_the_same_whoever_fits_it(data, model, cut):
    X, y = data[0].to_numpy(), data[1].to_numpy()
    splits = list(KFold(3).split(X))
    given = cross_validate(model, X, y, cv=splits, return_estimator=True, scoring=lambda *_: 0.0)
    read = st.Selections.from_cross_validate(given, **cut)
    how = {"cut": st.Cut(**cut), "execution": st.Execution(all_rows=False)}
    assessed = st.assess({"it": model}, X, y, resampling=splits, scoring=[], **how)
    assert assessed.selections["it"].sets() == read.sets()
    assert assessed.failures.empty
    if assessed.rules:
        assert read.notes == (f"selected: {assessed.rules['it']}",)
    if read.weights is not None:
        np.testing.assert_allclose(assessed.selections["it"].weights, abs(read.weights))


def test_a_linear_booster_selects_by_its_coefficients(data):
    X, y = data
    model = xgboost.XGBClassifier(n_estimators=5, booster="gblinear", n_jobs=1).fit(X, y)
    with pytest.warns(UninformativeWarning, match="leaves out no feature"):
        st.Selections.from_fitted([model])
    assert st.Selections.from_fitted([model], top=2).sets() == [{"age", "hdl"}]
    with pytest.raises(InputError, match="linear XGBoost booster has no splits"):
        st.Selections.from_fitted([model.get_booster()])


def test_boosters_that_are_not_fitted_are_named():
    for model in (lightgbm.LGBMClassifier(), xgboost.XGBClassifier()):
        with pytest.raises(InputError, match=f"run 1: {type(model).__name__} is not fitted"):
            st.Selections.from_fitted([model])


def test_boruta_confirms_and_leaves_open(data):
    X, y = data
    forest = RandomForestClassifier(10, max_depth=3, random_state=0)
    models = [boruta.BorutaPy(forest, n_estimators=10, max_iter=6, random_state=seed) for seed in (0, 1)]
    for model in models:
        model.fit(X.to_numpy(), y.to_numpy())
    found = st.Selections.from_fitted(models, features=NAMES)
    np.testing.assert_array_equal(found.to_matrix().toarray(), [model.support_ for model in models])
    both = [model.support_ | model.support_weak_ for model in models]
    np.testing.assert_array_equal(st.Selections.from_fitted(models, tentative=True).to_matrix().toarray(), both)
    assert np.sum(both) > found.counts.sum()
    for run, model in enumerate(models):
        order = np.argsort(model.ranking_, kind="stable")
        assert (np.diff(found.rankings[run, order]) >= 0).all()
