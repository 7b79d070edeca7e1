"""A fit on all rows: the conditions of every other run, and nothing left out."""

import warnings
from typing import ClassVar

import numpy as np
import pytest
from sklearn.base import BaseEstimator
from sklearn.datasets import load_breast_cancer
from sklearn.exceptions import ConvergenceWarning
from sklearn.feature_selection import SelectKBest, SelectorMixin
from sklearn.linear_model import LogisticRegression
from threadpoolctl import threadpool_info

import steadyset as st
from steadyset.assessment.request import make_plan
from steadyset.foundation.errors import InputError
from steadyset.runner.run import fit_on_all_rows
from steadyset.selectors import ForestSelector

X, Y = load_breast_cancer(return_X_y=True)
X, Y = X[::5, :8], Y[::5]
PLAN, _ = make_plan(X, Y, resampling=st.KFold(3), scoring="accuracy", random_state=0)


class Watching(SelectorMixin, BaseEstimator):
    """Writes into what it gets, warns, and fails where told; `seen` is what it found around it."""

    seen: ClassVar[dict[str, int]] = {}

    def __init__(self, fails=False):
        self.fails = fails

    def fit(self, X, y=None):
        self.seen.update(rows=len(X), threads=max(pool["num_threads"] for pool in threadpool_info()))
        X[:] = 0
        y[:] = 0
        self.n_features_in_ = X.shape[1]
        warnings.warn("it did not converge", ConvergenceWarning, stacklevel=1)
        if self.fails:
            raise ZeroDivisionError("no variance")
        return self

    def _get_support_mask(self):
        return np.arange(self.n_features_in_) < 2


def test_a_selector_gets_every_row_once_and_there_is_nothing_to_score():
    cell = fit_on_all_rows(PLAN, SelectKBest(k=3))
    assert cell.selected == tuple(SelectKBest(k=3).fit(X, Y).get_support(indices=True))
    assert (cell.label, cell.scores, cell.failure) == ("all rows", {}, "")


def test_seeds_come_from_the_plan():
    forest = ForestSelector(k=3, n_estimators=5)
    assert fit_on_all_rows(PLAN, forest).weights == fit_on_all_rows(PLAN, forest).weights
    other, _ = make_plan(X, Y, resampling=st.KFold(3), scoring="accuracy", random_state=1)
    assert fit_on_all_rows(PLAN, forest).weights != fit_on_all_rows(other, forest).weights


def test_the_conditions_are_those_of_a_run():
    before = PLAN.X.copy(), PLAN.y.copy()
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        cell = fit_on_all_rows(PLAN, Watching())
    assert cell.selected == (0, 1)
    assert cell.warnings == ("ConvergenceWarning: it did not converge",)
    assert Watching.seen == {"rows": len(Y), "threads": 1}
    np.testing.assert_array_equal(PLAN.X, before[0])
    np.testing.assert_array_equal(PLAN.y, before[1])


def test_a_failure_is_told_where_a_table_goes_on():
    cell = fit_on_all_rows(PLAN, Watching(fails=True))
    assert cell.selected is None
    assert cell.failure == "ZeroDivisionError: no variance"


class Overwhelmed(LogisticRegression):
    """Takes the rows of a fold, and not all of them."""

    def fit(self, X, y):
        if len(y) == len(Y):
            raise ZeroDivisionError("too many rows")
        return super().fit(X, y)


def test_tuning_tells_why_the_fit_on_all_rows_fails():
    space = {"filter": ["anova"], "fraction": [0.5], "model": {"mine": (Overwhelmed(), {"C": [1.0]})}}
    result = st.tune(space, X, Y, resampling=st.KFold(3), search=st.SearchOptions(sampler="grid"))
    with pytest.raises(InputError, match="The fit on all rows failed: ZeroDivisionError: too many rows"):
        result.features(0)
