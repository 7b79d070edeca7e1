"""Estimators of one class are named by the parameters that differ; two columns of labels are not times."""

import numpy as np
import pytest
from sklearn.feature_selection import SelectKBest
from sklearn.linear_model import Lasso
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import steadyset as st
from steadyset.assessment.request import named_selectors
from steadyset.foundation.errors import InputError


@pytest.mark.parametrize(
    ("selectors", "names"),
    [
        ([Lasso(alpha=0.1), Lasso(alpha=1)], ["Lasso(alpha=0.1)", "Lasso(alpha=1)"]),
        ([Lasso(alpha=0.1), SelectKBest(k=3)], ["Lasso", "SelectKBest"]),
        (
            [Lasso(alpha=0.1, tol=1e-3), Lasso(alpha=0.1, tol=1e-4), Lasso(alpha=np.float64(2.0), tol=1e-4)],
            ["Lasso(alpha=0.1, tol=0.001)", "Lasso(alpha=0.1, tol=0.0001)", "Lasso(alpha=2.0, tol=0.0001)"],
        ),
        ([Lasso(), Lasso()], ["Lasso", "Lasso 2"]),
        (
            [make_pipeline(StandardScaler(), SelectKBest(k=k)) for k in (2, 3)],
            ["Pipeline(selectkbest__k=2)", "Pipeline(selectkbest__k=3)"],
        ),
        (["anova:k=2", "anova:k=3"], ["anova:k=2", "anova:k=3"]),
    ],
)
def test_estimators_of_one_class_are_named_by_the_parameters_that_differ(selectors, names):
    assert list(named_selectors(selectors, "classes")) == names


def test_two_columns_of_labels_are_not_a_time_to_an_event():
    random = np.random.default_rng(0)
    with pytest.raises(InputError, match="labels, not a time and an event"):
        st.assess("anova:k=2", random.normal(size=(40, 4)), random.integers(0, 2, (40, 2)))
