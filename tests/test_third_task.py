"""A task is one record: visits, and targets with two columns, run through everything without a change elsewhere."""

import numpy as np
import pytest
from sklearn.base import BaseEstimator, RegressorMixin
from sklearn.dummy import DummyRegressor
from sklearn.linear_model import PoissonRegressor
from sklearn.metrics import mean_poisson_deviance

import steadyset as st
from steadyset.runner.scoring import SCORES, Score
from steadyset.selectors.filters import Variant, register_filter
from steadyset.selectors.filters.registry import Filter
from steadyset.tasks import TASKS, Task, task_of

RNG = np.random.default_rng(0)
X = RNG.normal(size=(60, 6))
COUNTS = RNG.poisson(np.exp(1 + X[:, 0] - X[:, 3]))
EVENTS = np.arange(60) % 3 == 0
TIMES = np.column_stack([RNG.exponential(np.exp(-X[:, 1])), EVENTS])


def deviance(model, X, y):
    return mean_poisson_deviance(y, np.maximum(model.predict(X), 1e-9))


def correlation(X, y, weights):
    return np.abs(np.corrcoef(np.log1p(y), X, rowvar=False)[0, 1:])


@pytest.fixture
def _visits():
    TASKS.add(
        Task(
            name="visits",
            words="visits",
            one="a number of visits",
            several="visits",
            recognise=lambda y: False,  # only where somebody says so
            check=lambda y: None,
            describe=lambda y: f"visits, {int(np.sum(y))} in total",
            selectors=lambda n_classes: ("by_visits",),
            score=lambda y: "deviance",
            predictor=lambda: PoissonRegressor(alpha=0.1),
            predictor_words="Poisson regression",
            blind=DummyRegressor,
            blind_words="the mean",
        )
    )
    SCORES.add(Score("deviance", deviance, ("visits",), lower_is_better=True, bounded=False, offered=True))
    register_filter(
        Filter(
            name="by_visits",
            score=correlation,
            variants={"visits": Variant(correlation, "correlation with the logarithm of the count", "|r|")},
            target=("visits",),
            reference="",
        )
    )


@pytest.mark.usefixtures("_visits")
def test_visits_run_with_the_defaults_of_their_record(tmp_path):
    found = st.assess(
        None,
        st.Data(X, COUNTS, task="visits"),
        resampling=st.KFold(3),
        out=tmp_path / "folder",
        execution=st.Execution(progress=False),
    )
    assert found.failures.empty
    assert found.selectors == ("by_visits",)
    assert set(found.selections["by_visits"].sets()[0]) >= {"x0", "x3"}
    assert found.settings["task"] == "visits"
    assert found.settings["scoring"] == ["deviance"]
    assert found.settings["details"]["predictor"] == "a Poisson regression on standardised features"
    again = st.Assessment.open(tmp_path / "folder")
    assert again.selections == found.selections


@pytest.mark.usefixtures("_visits")
def test_visits_are_known_where_tasks_are_listed_or_refused():
    assert st.list_selectors().loc["by_visits", "target"] == "visits"
    with pytest.raises(st.InputError, match=r"task must be classes or number.* or visits \(got 'counts'\)"):
        st.assess(["anova"], st.Data(X, COUNTS, task="counts"))
    with pytest.raises(st.InputError, match=r"The selector cannot run on visits: lasso \(for classes or numbers or "):
        st.assess(["lasso"], st.Data(X, COUNTS, task="visits"))
    with pytest.raises(st.InputError, match="There is no score 'accuracy' for visits; known are deviance"):
        st.assess(["by_visits"], st.Data(X, COUNTS, task="visits"), scoring="accuracy")


@pytest.mark.usefixtures("_visits")
def test_classes_and_numbers_do_not_see_the_new_task():
    assert task_of(np.array([0, 1, 1, 0])) == "classes"
    assert task_of(np.linspace(0, 1, 9)) == "number"


class LateRows(RegressorMixin, BaseEstimator):
    """Selects the feature that goes most with the times of two columns, and predicts by it."""

    def __init__(self, k=1):
        self.k = k

    def fit(self, X, y):
        assert y.shape[1] == 2
        self.n_features_in_ = X.shape[1]
        self.coef_ = np.zeros(X.shape[1])
        found = np.corrcoef(np.log(y[:, 0]), X, rowvar=False)[0, 1:]
        best = np.argsort(-np.abs(found))[: self.k]
        self.coef_[best] = found[best]
        return self

    def predict(self, X):
        return X @ self.coef_


def agreement(model, X, y):
    return float(np.corrcoef(model.predict(X), y[:, 0])[0, 1]) if len(y) > 2 else np.nan


@pytest.fixture
def _two_columns():
    SCORES.add(Score("agreement", agreement, ("waiting",)))
    TASKS.add(
        Task(
            name="waiting",
            words="a time and an event",
            one="a time",
            several="times",
            n_columns=2,
            recognise=lambda y: set(np.unique(y[:, 1])) <= {0.0, 1.0},
            check=lambda y: None,
            describe=lambda y: f"{int(y[:, 1].sum())} events in {len(y)} rows",
            strata=lambda y: y[:, 1],
            amounts=lambda y: y[:, 0],
            selectors=lambda n_classes: ("late_rows",),
            score=lambda y: "agreement",
            predictor=LateRows,
            predictor_words="single feature",
            blind=lambda: DummyBlind(),
            blind_words="nothing",
        )
    )
    st.register_selector("late_rows", tasks={"waiting": LateRows})


class DummyBlind(RegressorMixin, BaseEstimator):
    def fit(self, X, y):
        return self

    def predict(self, X):
        return np.arange(len(X), dtype=float)


@pytest.mark.usefixtures("_two_columns")
def test_two_columns_pass_through_resampling_runner_and_assessment():
    resampling = st.Subsample(6, stratified=True)
    found = st.assess(["late_rows"], X, TIMES, resampling=resampling, execution=st.Execution(progress=False))
    assert found.failures.empty
    assert found.settings["task"] == "waiting"
    assert found.selections["late_rows"].frequencies[1] == 1
    plan = found.settings["details"]
    assert plan["classes"] == {}
    assert plan["directions"][1] == -1  # a larger value comes with a shorter time


@pytest.mark.usefixtures("_two_columns")
def test_strata_are_those_of_the_task():
    from steadyset.assessment.request import make_plan

    plan, _ = make_plan(X, TIMES, resampling=st.Subsample(5, stratified=True), scoring=[])
    assert plan.y.shape == (60, 2)
    for drawn in plan.resamples():
        assert plan.y[drawn.train, 1].sum() == 10


def test_three_columns_are_refused_where_no_task_takes_them():
    with pytest.raises(st.InputError, match=r"y should be a 1d array, got an array of shape \(60, 3\)"):
        st.assess(["anova"], X, np.column_stack([TIMES, EVENTS]))
