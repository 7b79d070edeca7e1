"""Missing values are filled by what the training rows of a run know, and by nothing else."""

import numpy as np
import pandas as pd
import pytest
from sklearn.datasets import load_breast_cancer
from sklearn.ensemble import HistGradientBoostingClassifier
from sklearn.feature_selection import SelectKBest, f_classif
from sklearn.impute import SimpleImputer
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer, StandardScaler

import steadyset as st
from steadyset import Data
from steadyset.assessment import assess
from steadyset.foundation.errors import InputError
from steadyset.resampling import Bootstrap, KFold
from steadyset.runner.columns import filled, medians, takes_gaps
from steadyset.tuning.models import FilteredModel

X, Y = load_breast_cancer(return_X_y=True, as_frame=True)
X, Y = X.iloc[::5, :8], Y.iloc[::5]
HOLES = X.mask(np.random.default_rng(0).random(X.shape) < 0.1)


def imputing(selector):
    return make_pipeline(SimpleImputer(strategy="median"), selector)


def test_impute_equals_an_imputer_in_the_pipeline_and_in_front_of_the_predictor():
    inside = assess({"best": SelectKBest(f_classif, k=3)}, Data(HOLES, Y, impute="median"), resampling=Bootstrap(8))
    own = assess({"best": imputing(SelectKBest(f_classif, k=3))}, HOLES, Y, resampling=Bootstrap(8))
    assert [cell.selected for cell in inside.cells] == [cell.selected for cell in own.cells]
    assert inside.scores["accuracy"].tolist() == own.scores["accuracy"].tolist()
    assert inside.failures.empty


def test_selectors_that_take_weights_are_filled_from_their_own_bootstrap():
    weighted = assess("anova:k=3", Data(HOLES, Y, impute="median"), resampling=Bootstrap(6))
    copied = assess(imputing(st.FilterSelector("anova", k=3)), HOLES, Y, resampling=Bootstrap(6))
    assert [cell.selected for cell in weighted.cells] == [cell.selected for cell in copied.cells]


def test_left_out_rows_play_no_part():
    """A value that only test rows hold may be anything."""
    fold = KFold(4).draw(0, st.resampling.Rows(len(Y), Y.to_numpy()), 0)
    wild = HOLES.to_numpy().copy()
    wild[fold.test, 0] *= 1e6
    first = [
        assess(SelectKBest(f_classif, k=3), Data(data, Y, impute="median"), resampling=KFold(4)).cells[0]
        for data in (HOLES.to_numpy(), wild)
    ]
    assert first[0].selected == first[1].selected
    assert first[0].weights == first[1].weights


def test_medians_are_simple_imputers():
    table = HOLES.to_numpy()
    expected = SimpleImputer(strategy="median").fit_transform(table)
    np.testing.assert_array_equal(filled(table, medians(table)), expected)
    assert medians(np.full((3, 1), np.nan)).tolist() == [0.0]


@pytest.mark.parametrize(
    ("estimator", "takes"),
    [
        (SelectKBest(), False),
        (HistGradientBoostingClassifier(), True),
        (make_pipeline(SimpleImputer(), SelectKBest()), True),
        (make_pipeline(StandardScaler(), SimpleImputer(), SelectKBest()), True),
        (make_pipeline(StandardScaler(), SelectKBest()), False),
        (make_pipeline(StandardScaler(), HistGradientBoostingClassifier()), True),
        (make_pipeline(FunctionTransformer(np.nan_to_num), SelectKBest()), True),
        (make_pipeline(make_pipeline(StandardScaler(), SimpleImputer()), SelectKBest()), True),
        (st.FilterSelector("anova"), False),
    ],
)
def test_who_takes_missing_values(estimator, takes):
    assert takes_gaps(estimator) is takes


def test_who_cannot_take_missing_values_is_named_before_any_run():
    selectors = {"fine": imputing(SelectKBest(k=2)), "poor": SelectKBest(k=2), "also poor": "anova:k=2"}
    with pytest.raises(InputError, match=r"of 8 features .*, and 'poor', 'also poor' cannot take them; .*impute="):
        assess(selectors, HOLES, Y, execution={"progress": lambda *_: pytest.fail("a run began")})
    poor = make_pipeline(StandardScaler(), LogisticRegression())
    with pytest.raises(InputError, match="'the predictor' cannot take"):
        assess(selectors["fine"], HOLES, Y, predictor=poor)


def test_a_configuration_fills_what_it_is_fitted_on_and_what_it_predicts():
    model = FilteredModel(st.selectors.ElasticNetSelector(k=2), filter="anova", fraction=0.5, impute="median")
    model.fit(HOLES, Y)
    table = filled(HOLES.to_numpy(), medians(HOLES.to_numpy(), np.arange(8)))
    plain = FilteredModel(st.selectors.ElasticNetSelector(k=2), filter="anova", fraction=0.5).fit(table, Y)
    assert model.get_support().tolist() == plain.get_support().tolist()
    assert model.predict(HOLES).tolist() == plain.predict(table).tolist()
    gap = pd.DataFrame(np.full((1, 8), np.nan), columns=HOLES.columns)
    assert model.predict(gap).tolist() == plain.predict(medians(HOLES.to_numpy())[None, :]).tolist()
