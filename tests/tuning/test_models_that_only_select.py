"""What a function or a filter selects in a tuning is judged by the predictor of `assess`, as in an assessment."""

import numpy as np
import pandas as pd
import pytest
from sklearn.feature_selection import SelectKBest, f_classif
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import steadyset as st
from steadyset.selectors.known import MODELS

QUIET = {"progress": False}
RANDOM = np.random.default_rng(0)
X = pd.DataFrame(RANDOM.normal(size=(90, 12)), columns=[f"g{f}" for f in range(12)])
Y = np.where(X["g3"] + X["g7"] + RANDOM.normal(size=90) > 0, "ill", "well")
FOLDS = st.KFold(5)


def medians(X, y, k=3):
    """Select the columns whose medians differ most between two classes, by their names."""
    first = np.asarray(y) == np.unique(y)[0]
    values = np.asarray(X)
    apart = np.abs(np.median(values[first], axis=0) - np.median(values[~first], axis=0))
    return [X.columns[f] for f in np.argsort(-apart)[:k]]


def tuned(space, **options):
    found = {"sampler": "grid", **options.pop("search", {})}
    return st.tune(space, X, Y, n_trials=20, resampling=FOLDS, search=found, execution=QUIET, **options)


@pytest.fixture
def registered():
    with MODELS.unchanged():
        st.register_selector("medians", medians)
        yield


def test_a_function_is_tuned_over_its_own_arguments_as_assess_judges_it(registered):
    result = tuned({"model": {"medians": {"k": [1, 2, 4]}}})
    names = [f"medians:k={k}" for k in (1, 2, 4)]
    assessed = st.assess(names, X, Y, resampling=FOLDS, execution=QUIET).summary()
    np.testing.assert_allclose(result.frame["accuracy"], assessed.loc[names, "accuracy"])
    np.testing.assert_allclose(result.frame["stability"], assessed.loc[names, "stability"])


@pytest.mark.parametrize(
    ("model", "ranges"),
    [("anova", {"k": [2]}), (medians, {"k": [2]}), (SelectKBest(f_classif), {"k": [2]})],
    ids=["filter", "function", "scikit-learn"],
)
def test_the_estimator_selects_and_predicts(model, ranges):
    result = tuned({"model": {"mine": (model, ranges)}})
    estimator = result.estimator(0).fit(X, Y)
    selected = estimator.get_support()
    assert selected.sum() == 2
    direct = make_pipeline(StandardScaler(), LogisticRegression(max_iter=1000)).fit(X.to_numpy()[:, selected], Y)
    np.testing.assert_allclose(estimator.predict_proba(X), direct.predict_proba(X.to_numpy()[:, selected]), atol=1e-6)
    assert set(estimator.predict(X)) == {"ill", "well"}
    assert "selected was judged by a logistic regression fitted to it" in st.methods_text(result)


def test_a_function_behind_a_filter_has_the_names_of_the_kept_columns():
    result = tuned({"filter": ["anova"], "fraction": [0.5], "model": {"mine": (medians, {"k": [2]})}})
    kept = st.FilterSelector("anova", k=6).fit(X, Y).get_feature_names_out()
    selected = X.columns[result.estimator(0).fit(X, Y).get_support()]
    assert set(selected) == set(medians(X[kept], Y, k=2))


def test_arguments_that_a_function_lacks_are_refused_before_the_search():
    with pytest.raises(st.InputError, match="no parameter 'size'; it takes k"):
        tuned({"model": {"mine": (medians, {"size": [2]})}})


def test_an_estimator_that_selects_nothing_says_so():
    result = tuned({"model": {"mine": (lambda X, y: [], {})}})
    with pytest.raises(st.InputError, match="selects no features"):
        result.estimator(0).fit(X, Y)
