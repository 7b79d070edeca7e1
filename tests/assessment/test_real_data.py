"""Two microarray data sets: chance is near 0, the lasso is less steady than a filter, and correlation explains much.

De Hamer and Dupont (2021), table 3: with 20 features of alon, phi lies in 0.21 to 0.47 and phi_msi in 0.64 to 0.76; of
singh, in 0.32 to 0.51 and 0.69 to 0.81.
"""

import os
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from sklearn.base import BaseEstimator
from sklearn.feature_selection import SelectorMixin

import steadyset as st

FOLDER = os.environ.get("STEADYSET_DATA")
pytestmark = [
    pytest.mark.data,
    pytest.mark.skipif(FOLDER is None, reason="STEADYSET_DATA names no folder with alon.parquet and singh.parquet"),
]
TOP = 20


class RandomSelector(SelectorMixin, BaseEstimator):
    """Features drawn without a look at the data."""

    def __init__(self, random_state=None):
        self.random_state = random_state

    def fit(self, X, y):
        self.n_features_in_ = X.shape[1]
        chosen = np.random.default_rng(self.random_state).choice(X.shape[1], TOP, replace=False)
        self.support_ = np.isin(np.arange(X.shape[1]), chosen)
        return self

    def _get_support_mask(self):
        return self.support_


@pytest.fixture(scope="module", params=["alon", "singh"])
def assessed(request):
    """All 2,000 and 12,600 genes (the paper keeps the 5,000 of highest variance)."""
    table = pd.read_parquet(Path(FOLDER) / f"{request.param}.parquet")
    X = table.drop(columns="target")
    selectors = {"anova": st.FilterSelector("anova", k=TOP), "lasso": "lasso", "random": RandomSelector()}
    return X, st.assess(selectors, X, table["target"], resampling=st.Bootstrap(12)).selections


@pytest.mark.slow  # buys: chance on real data
def test_a_random_selector_is_as_steady_as_chance(assessed):
    _, selections = assessed
    assert abs(st.stability(selections["random"])) < 0.02


def test_the_lasso_is_less_steady_than_the_anova_filter(assessed):
    _, selections = assessed
    assert st.stability(selections["lasso"]) < st.stability(selections["anova"])


@pytest.mark.parametrize("name", ["anova", "lasso"])
def test_correlated_features_explain_much_of_the_instability(assessed, name):
    X, selections = assessed
    sel = selections[name]
    assert sel.weights is not None
    assert st.stability(sel, "msi", similarity=st.FeatureSimilarity.from_data(X)) > st.stability(sel) + 0.15
