"""Fitted estimators of scikit-learn as Selections: what each fold selected, from which features, with which weights."""

from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from sklearn.base import BaseEstimator, TransformerMixin, clone
from sklearn.compose import ColumnTransformer, TransformedTargetRegressor, make_column_transformer
from sklearn.decomposition import PCA
from sklearn.ensemble import HistGradientBoostingClassifier, RandomForestClassifier
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.feature_selection import RFE, RFECV, SelectFromModel, SelectKBest, VarianceThreshold
from sklearn.impute import SimpleImputer
from sklearn.linear_model import Lasso, LogisticRegression, Ridge
from sklearn.model_selection import GridSearchCV, KFold, cross_validate
from sklearn.multiclass import OneVsRestClassifier
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import FeatureUnion, make_pipeline
from sklearn.preprocessing import FunctionTransformer, OneHotEncoder, PolynomialFeatures, StandardScaler
from sklearn.svm import SVC, LinearSVC

import steadyset as st
from steadyset.foundation.errors import InputError, UninformativeWarning

NAMES = [f"gene {letter}" for letter in "abcdefgh"]


@pytest.fixture(scope="module")
def data():
    random = np.random.default_rng(0)
    X = pd.DataFrame(random.normal(size=(60, 8)), columns=NAMES)
    return X, (X["gene a"] - X["gene b"] + 0.5 * random.normal(size=60) > 0).astype(int)


@pytest.fixture(scope="module")
def halves(data):
    X, y = data
    return [(X[:30], y[:30]), (X[30:], y[30:])]


def validated(estimator, X, y, cv=3):
    return cross_validate(estimator, X, y, cv=cv, return_estimator=True)


def test_selectors_of_a_pipeline_give_their_support_with_signed_coefficients(data):
    X, y = data
    results = validated(make_pipeline(StandardScaler(), SelectKBest(k=3), LogisticRegression()), X, y)
    found = st.Selections.from_cross_validate(results)
    assert found.features == tuple(NAMES)
    assert found.labels == ("fold 1", "fold 2", "fold 3")
    for run, model in enumerate(results["estimator"]):
        support = model["selectkbest"].get_support()
        np.testing.assert_array_equal(found.selected(run), np.flatnonzero(support))
        np.testing.assert_array_equal(found.to_matrix(weights=True).toarray()[run, support], model[-1].coef_[0])
    assert found.to_matrix(weights=True).toarray()[:, 1].max() < 0


def test_two_selectors_in_a_row_are_composed(halves):
    models = [make_pipeline(SelectKBest(k=5), StandardScaler(), SelectKBest(k=2)).fit(*half) for half in halves]
    truth = [set(model.get_feature_names_out()) for model in models]
    assert [set(chosen) for chosen in st.Selections.from_fitted(models).sets()] == truth
    assert st.Selections.from_fitted(models).n_features == 8


def test_sparse_models_select_what_is_not_zero_in_any_class(data):
    X, _ = data
    y = np.digitize(X["gene a"] + X["gene c"], [-0.5, 0.5])
    model = make_pipeline(StandardScaler(), LinearSVC(C=0.02, penalty="l1", dual=False))
    results = validated(model, X, y)
    found = st.Selections.from_cross_validate(results)
    for run, model in enumerate(results["estimator"]):
        assert 0 < (model[-1].coef_ != 0).any(axis=0).sum() < 8
        np.testing.assert_array_equal(found.selected(run), np.flatnonzero((model[-1].coef_ != 0).any(axis=0)))
    assert found.weights.min() > 0  # the classes have no common sign


def test_models_of_each_class_select_what_any_of_them_uses(data):
    X, _ = data
    y = np.digitize(X["gene a"] + X["gene c"], [-0.5, 0.5])
    lasso = LinearSVC(C=0.02, penalty="l1", dual=False)
    results = validated(OneVsRestClassifier(lasso), X, y)
    truth = [(np.vstack([part.coef_ for part in model.estimators_]) != 0).any(axis=0) for model in results["estimator"]]
    assert 0 < np.sum(truth) < np.size(truth)
    np.testing.assert_array_equal(st.Selections.from_cross_validate(results).to_matrix().toarray(), truth)


def test_words_are_features_of_texts():
    texts = np.array([f"{'good' if i % 2 else 'bad'} day {'sun' if i % 3 else 'rain'}" for i in range(24)])
    y = np.arange(24) % 2
    results = validated(make_pipeline(TfidfVectorizer(), SelectKBest(k=2), LogisticRegression()), texts, y)
    found = st.Selections.from_cross_validate(results)
    assert found.features == ("bad", "day", "good", "rain", "sun")
    assert found.sets() == [{"good", "bad"}] * 3


def test_words_beside_other_columns_are_features_too():
    X = pd.DataFrame({"note": ["good day", "bad day"] * 12, "dose": np.arange(24.0)})
    parts = make_column_transformer((TfidfVectorizer(), "note"), (StandardScaler(), ["dose"]))
    models = [make_pipeline(clone(parts), SelectKBest(k=2)).fit(X[:12], np.arange(12) % 2)]
    names = ("tfidfvectorizer__bad", "tfidfvectorizer__day", "tfidfvectorizer__good", "standardscaler__dose")
    assert st.Selections.from_fitted(models).features == names
    assert st.Selections.from_fitted(models).sets() == [{"tfidfvectorizer__bad", "tfidfvectorizer__good"}]


def test_the_best_estimator_of_a_nested_search_is_read(data):
    X, y = data
    search = GridSearchCV(make_pipeline(SelectKBest(), LinearSVC()), {"selectkbest__k": [2, 4]}, cv=2)
    results = validated(search, X, y)
    sizes = [search.best_params_["selectkbest__k"] for search in results["estimator"]]
    np.testing.assert_array_equal(st.Selections.from_cross_validate(results).sizes, sizes)


def test_the_model_of_a_transformed_target_is_read(halves):
    models = [TransformedTargetRegressor(Lasso(alpha=0.1), transformer=StandardScaler()).fit(*half) for half in halves]
    truth = [np.flatnonzero(model.regressor_.coef_) for model in models]
    assert [list(st.Selections.from_fitted(models).selected(run)) for run in range(2)] == [list(row) for row in truth]


def test_a_selector_decides_although_a_forest_follows(data):
    X, y = data
    results = validated(make_pipeline(SelectKBest(k=4), RandomForestClassifier(5, random_state=0)), X, y)
    found = st.Selections.from_cross_validate(results)
    assert set(found.sizes) == {4}
    np.testing.assert_array_equal(found.weights[:4], results["estimator"][0][-1].feature_importances_)


def test_importances_count_above_their_mean_and_the_notes_say_so(data):
    results = validated(RandomForestClassifier(20, random_state=0), *data)
    importances = np.array([model.feature_importances_ for model in results["estimator"]])
    found = st.Selections.from_cross_validate(results)
    np.testing.assert_array_equal(found.to_matrix().toarray(), importances > importances.mean(axis=1, keepdims=True))
    assert found.notes == ("selected: importances above their mean",)
    assert st.Selections.from_cross_validate(results, top=2).notes == ("selected: the 2 largest importances",)


def test_models_that_leave_nothing_out_are_told(data):
    results = validated(LogisticRegression(), *data)
    sentence = r'leaves out no feature in any run.*top=10 .* threshold="mean"'
    with pytest.warns(UninformativeWarning, match=sentence) as told:
        found = st.Selections.from_cross_validate(results)
    assert set(found.sizes) == {8}
    assert Path(told[0].filename).name == Path(__file__).name


def test_dropping_constant_features_is_no_selection(data):
    X, y = data
    X = X.assign(constant=1.0)
    results = validated(make_pipeline(VarianceThreshold(), RandomForestClassifier(5, random_state=0)), X, y)
    found = st.Selections.from_cross_validate(results)
    assert found.features == (*NAMES, "constant")
    above = [model[-1].feature_importances_ > model[-1].feature_importances_.mean() for model in results["estimator"]]
    np.testing.assert_array_equal(found.to_matrix().toarray()[:, :8], above)
    alone = st.Selections.from_fitted([VarianceThreshold().fit(X)])
    assert alone.sets() == [set(NAMES)]


def test_scores_of_a_selector_are_the_weights_of_a_model_without_any(halves):
    models = [make_pipeline(SelectKBest(k=2), StandardScaler(), KNeighborsClassifier()).fit(*half) for half in halves]
    truth = [model[0].scores_[model[0].get_support()] for model in models]
    np.testing.assert_array_equal(st.Selections.from_fitted(models).weights, np.concatenate(truth))


def test_top_and_threshold_say_which_importances_count(data):
    results = validated(RandomForestClassifier(20, random_state=0), *data)
    importances = np.array([model.feature_importances_ for model in results["estimator"]])
    top = st.Selections.from_cross_validate(results, top=2)
    assert [set(top.selected(run)) for run in range(3)] == [set(np.argsort(-row)[:2]) for row in importances]
    above = st.Selections.from_cross_validate(results, threshold="mean")
    truth = importances > importances.mean(axis=1, keepdims=True)
    np.testing.assert_array_equal(above.to_matrix().toarray(), truth)
    everything = st.Selections.from_cross_validate(results, threshold=0)
    np.testing.assert_array_equal(everything.to_matrix().toarray(), importances > 0)


def test_top_takes_the_largest_coefficients_whatever_their_sign(data):
    results = validated(LogisticRegression(), *data)
    for run, model in enumerate(results["estimator"]):
        assert set(st.Selections.from_cross_validate(results, top=2).selected(run)) == set(
            np.argsort(-abs(model.coef_[0]))[:2]
        )


def test_an_order_of_columns_that_decides_is_told():
    with pytest.warns(UninformativeWarning, match="In 1 of 2 folds the last of the top 1 has the same importance"):
        found = st.Selections.from_importances([[1.0, 1.0, 0.0], [0.0, 2.0, 1.0]], top=1)
    assert found.indices.tolist() == [0, 1]


def test_a_warning_points_to_the_line_that_called(halves):
    model = Ridge().fit(*halves[0])
    model.coef_ = np.ones(8)
    for call in (
        lambda: st.Selections.from_importances([[1.0, 1.0]], top=1),
        lambda: st.Selections.from_fitted([model], top=1),
    ):
        with pytest.warns(UninformativeWarning) as told:
            call()
        assert [Path(one.filename).name for one in told] == [Path(__file__).name]


def test_names_of_a_call_stand_for_columns_without_names(data):
    X, y = data
    models = [SelectKBest(k=2).fit(X.to_numpy(), y)]
    assert st.Selections.from_fitted(models, features=NAMES).features == tuple(NAMES)
    assert st.Selections.from_fitted(models).features == tuple(f"x{f}" for f in range(8))
    with pytest.raises(InputError, match="run 1 chose from 8 features, but 2 names are given"):
        st.Selections.from_fitted(models, features=["p", "q"])


def test_encoded_categories_carry_their_names():
    X = pd.DataFrame({"sex": list("mfmfmfmf") * 3, "age": np.arange(24.0), "dose": np.tile([1.0, 2, 3], 8)})
    y = X["age"] + 50 * (X["sex"] == "m")
    before = make_column_transformer(
        (OneHotEncoder(), ["sex"]), remainder=StandardScaler(), verbose_feature_names_out=False
    )
    halves = [(X[:12], y[:12]), (X[1::2], y[1::2])]  # the second has nobody of sex m
    models = [make_pipeline(clone(before), Lasso(alpha=1.0)).fit(*half) for half in halves]
    with pytest.raises(InputError, match="only run 1 has 'sex_m'"):
        st.Selections.from_fitted(models)
    found = st.Selections.from_fitted(models, features=["sex_f", "sex_m", "age", "dose"])
    truth = [set(model[0].get_feature_names_out()[model[1].coef_ != 0]) for model in models]
    assert [set(chosen) for chosen in found.sets()] == truth
    assert found.n_features == 4


def test_selectors_within_the_parts_of_a_column_transformer_keep_the_universe(halves):
    def model():
        scaled = make_pipeline(StandardScaler(), SelectKBest(k=2))
        parts = [("first", scaled, NAMES[:5]), ("second", VarianceThreshold(), [5, 6]), ("rest", "drop", [7])]
        return make_pipeline(ColumnTransformer(parts), LogisticRegression())

    models = [model().fit(*half) for half in halves]
    found = st.Selections.from_fitted(models)
    assert found.features == (*(f"first__{name}" for name in NAMES[:5]), *(f"second__{name}" for name in NAMES[5:7]))
    assert [set(chosen) for chosen in found.sets()] == [set(model[0].get_feature_names_out()) for model in models]


def test_a_union_of_features_has_the_names_of_both_parts(halves):
    union = FeatureUnion([("best", SelectKBest(k=2)), ("model", SelectFromModel(Lasso(alpha=0.05)))])
    models = [make_pipeline(clone(union), LogisticRegression()).fit(*half) for half in halves]
    found = st.Selections.from_fitted(models)
    assert found.n_features == 16
    assert [set(chosen) for chosen in found.sets()] == [set(model[0].get_feature_names_out()) for model in models]


def test_polynomials_are_features_by_their_names(halves):
    models = [make_pipeline(PolynomialFeatures(2, include_bias=False), Lasso(alpha=0.1)).fit(*half) for half in halves]
    found = st.Selections.from_fitted(models)
    assert found.n_features == 8 + 36
    truth = [set(model[0].get_feature_names_out()[model[1].coef_ != 0]) for model in models]
    assert [set(chosen) for chosen in found.sets()] == truth


def test_a_feature_that_an_imputer_drops_stays_in_the_universe(halves):
    gaps = [(X.assign(**{"gene h": np.nan}), y) for X, y in halves]
    with pytest.warns(UserWarning, match="without any observed values"):
        models = [make_pipeline(SimpleImputer(), SelectKBest(k=2)).fit(*part) for part in gaps]
    assert st.Selections.from_fitted(models).features == tuple(NAMES)


def test_components_are_no_features(halves):
    models = [make_pipeline(PCA(3), Lasso(alpha=0.01)).fit(*half) for half in halves]
    with pytest.raises(InputError, match="run 1: the columns after the step PCA are not the features"):
        st.Selections.from_fitted(models)


def test_components_of_selected_features_do_not_hide_the_selection(halves):
    models = [make_pipeline(SelectKBest(k=3), PCA(2), LogisticRegression()).fit(*half) for half in halves]
    truth = [set(model[0].get_feature_names_out()) for model in models]
    assert [set(chosen) for chosen in st.Selections.from_fitted(models).sets()] == truth


class Twice(TransformerMixin, BaseEstimator):
    """Hands on every column twice, and does not say what they are called."""

    def fit(self, X, y=None):
        self.n_features_in_ = X.shape[1]
        return self

    def transform(self, X):
        return np.hstack([X, X])


def test_columns_without_names_are_refused(halves):
    models = [make_pipeline(Twice(), Lasso(alpha=0.1)).fit(*half) for half in halves]
    with pytest.raises(InputError, match="The columns behind the step Twice have no names"):
        st.Selections.from_fitted(models)


def test_a_function_that_keeps_the_number_of_columns_keeps_their_names(halves):
    models = [make_pipeline(FunctionTransformer(np.tanh), SelectKBest(k=2)).fit(*half) for half in halves]
    assert st.Selections.from_fitted(models).features == tuple(NAMES)


def test_recursive_elimination_ranks_all_features(halves):
    models = {
        f"half {i}": RFE(LogisticRegression(), n_features_to_select=3).fit(*half) for i, half in enumerate(halves)
    }
    found = st.Selections.from_fitted(models)
    assert found.labels == ("half 0", "half 1")
    for run, model in enumerate(models.values()):
        np.testing.assert_array_equal(found.selected(run), np.flatnonzero(model.support_))
        assert (found.rankings[run, model.support_] == 2).all()  # ranks 1, 2 and 3 shared by three
        np.testing.assert_array_equal(np.sort(found.rankings[run])[3:], [4, 5, 6, 7, 8])
        np.testing.assert_array_equal(found.weights[run * 3 : run * 3 + 3], model.estimator_.coef_[0])


def test_the_weights_of_a_model_within_a_selector_are_taken(halves):
    models = [SelectFromModel(LogisticRegression(), max_features=2).fit(*half) for half in halves]
    found = st.Selections.from_fitted(models)
    truth = [model.estimator_.coef_[0][model.get_support()] for model in models]
    np.testing.assert_array_equal(found.weights, np.concatenate(truth))


def test_support_vectors_are_no_support(halves):
    models = [SVC(kernel="rbf").fit(*half) for half in halves]
    with pytest.raises(InputError, match="run 1: SVC does not tell what it selects"):
        st.Selections.from_fitted(models)


@pytest.mark.parametrize("model", [KNeighborsClassifier(), HistGradientBoostingClassifier(max_iter=2)])
def test_models_without_importances_are_sent_to_permutation_importance(halves, model):
    with pytest.raises(InputError, match=r"does not tell what it selects.*permutation_importance.*from_importances"):
        st.Selections.from_fitted([model.fit(*halves[0])])


def test_unfitted_estimators_are_named(halves):
    fitted = SelectKBest(k=2).fit(*halves[0])
    with pytest.raises(InputError, match="run 2: SelectKBest is not fitted"):
        st.Selections.from_fitted([fitted, SelectKBest()])
    with pytest.raises(InputError, match="is not a fitted estimator"):
        st.Selections.from_fitted([fitted, SelectKBest])
    with pytest.raises(InputError, match="Pipeline is not fitted"):
        st.Selections.from_fitted([make_pipeline(StandardScaler(), SelectKBest())])


def test_one_object_that_was_fitted_twice_is_no_two_runs(halves):
    selector = SelectKBest(k=2)
    sentence = r"run 1 and run 2 share one SelectKBest, .*clone"
    with pytest.raises(InputError, match=sentence):
        st.Selections.from_fitted([selector.fit(*half) for half in halves])
    with pytest.raises(InputError, match=sentence):
        st.Selections.from_fitted(
            [make_pipeline(FeatureUnion([("a", selector)]), LinearSVC()).fit(*half) for half in halves]
        )


def test_results_without_estimators_ask_for_them(data):
    X, y = data
    with pytest.raises(InputError, match=r"cross_validate\(\.\.\., return_estimator=True\)"):
        st.Selections.from_cross_validate(cross_validate(Ridge(), X, y, cv=2))
    with pytest.raises(InputError, match="cv_results must be what cross_validate"):
        st.Selections.from_cross_validate([Ridge()])


def test_runs_of_different_features_are_refused_unless_all_names_are_given(halves):
    (X, y), (Z, z) = halves
    models = [SelectKBest(k=2).fit(X, y), SelectKBest(k=2).fit(Z.drop(columns="gene h"), z)]
    with pytest.raises(InputError, match=r"run 1 and run 2 chose from different features: only run 1 has 'gene h'"):
        st.Selections.from_fitted(models)
    assert st.Selections.from_fitted(models, features=[*NAMES, "gene i"]).n_features == 9
    with pytest.raises(InputError, match="not among the 2 names"):
        st.Selections.from_fitted(models, features=NAMES[:2])


def test_names_in_another_order_are_matched(halves):
    (X, y), (Z, z) = halves
    models = [SelectKBest(k=2).fit(X, y), SelectKBest(k=2).fit(Z[NAMES[::-1]], z)]
    truth = [set(model.get_feature_names_out()) for model in models]
    assert [set(chosen) for chosen in st.Selections.from_fitted(models).sets()] == truth
    scores = dict(zip(NAMES[::-1], models[1].scores_, strict=True))
    chosen = st.Selections.from_fitted(models).selected(1)
    np.testing.assert_array_equal(st.Selections.from_fitted(models).weights[2:], [scores[NAMES[f]] for f in chosen])


def test_the_folds_of_rfecv_are_runs(data):
    model = RFECV(Ridge(), cv=4).fit(*data)
    if "split0_support" not in model.cv_results_:
        with pytest.raises(InputError, match=r"scikit-learn 1\.7"):
            st.Selections.from_rfecv(model)
        return
    found = st.Selections.from_rfecv(model, top=3)
    assert found.features == tuple(NAMES)
    row = list(model.cv_results_["n_features"]).index(3)
    for run in range(4):
        np.testing.assert_array_equal(
            found.selected(run), np.flatnonzero(model.cv_results_[f"split{run}_support"][row])
        )
    assert set(st.Selections.from_rfecv(model).sizes) == {model.n_features_}
    with pytest.raises(InputError, match="top must be one of 1, 2, 3, 4, 5, 6, 7, 8"):
        st.Selections.from_rfecv(model, top=9)
    with pytest.raises(InputError, match=r"one RFECV, one run; .*Selections\.from_rfecv"):
        st.Selections.from_fitted(model)


def test_the_folds_of_rfecv_are_those_of_elimination_on_each_fold(data):
    X, y = data
    splits = list(KFold(3).split(X))
    model = RFECV(Ridge(), cv=splits).fit(X, y)
    if "split0_support" not in model.cv_results_:
        pytest.skip("this scikit-learn does not keep the supports of the folds")
    alone = [RFE(Ridge(), n_features_to_select=2).fit(X.iloc[rows], y.iloc[rows]) for rows, _ in splits]
    assert st.Selections.from_rfecv(model, top=2).sets() == st.Selections.from_fitted(alone).sets()


def test_folds_that_were_cross_validated_equal_those_that_were_assessed(data):
    X, y = data
    splits = list(KFold(3).split(X))
    models = [SelectFromModel(Lasso(alpha=0.05)).fit(X.iloc[rows], y.iloc[rows]) for rows, _ in splits]
    assessed = st.assess({"lasso": SelectFromModel(Lasso(alpha=0.05))}, X, y, resampling=splits)
    assert st.Selections.from_fitted(models).sets() == assessed.selections["lasso"].sets()
