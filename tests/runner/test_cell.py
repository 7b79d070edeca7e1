"""One estimator on one resample: what it selected, ties, warnings, and data that stays the caller's."""

import warnings

import numpy as np
import pytest
from sklearn.base import BaseEstimator
from sklearn.compose import ColumnTransformer, TransformedTargetRegressor
from sklearn.datasets import load_breast_cancer
from sklearn.decomposition import PCA
from sklearn.exceptions import ConvergenceWarning, FitFailedWarning
from sklearn.feature_selection import RFE, SelectKBest, SelectorMixin, f_classif
from sklearn.linear_model import Lasso, LogisticRegression
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import LinearSVC

from steadyset.assessment import assess
from steadyset.findings import findings_of
from steadyset.foundation.errors import InputError
from steadyset.resampling import Bootstrap, KFold, NoiseInjection, Resampling
from steadyset.runner.extraction import chosen
from steadyset.runner.plan import Plan, ready
from steadyset.selectors import FilterSelector
from steadyset.tasks import CLASSES

X, Y = load_breast_cancer(return_X_y=True)
X, Y = X[::5, :8], Y[::5]


class Selector(SelectorMixin, BaseEstimator):
    def fit(self, X, y=None, sample_weight=None):
        self.n_features_in_ = X.shape[1]
        self.support_ = np.arange(X.shape[1]) < 2
        return self

    def _get_support_mask(self):
        return self.support_


class Writing(Selector):
    """Overwrites what it is given."""

    def fit(self, X, y=None, sample_weight=None):
        X *= 0
        y[:] = 1 - y
        return super().fit(X)


class WritingWeighted(Writing):
    weights_equal_copies = True


class Answering(BaseEstimator):
    """Answers get_support with anything."""

    def __init__(self, answer=None):
        self.answer = answer

    def fit(self, X, y):
        return self

    def get_support(self):
        return self.answer


class Loud(Selector):
    def fit(self, X, y=None, sample_weight=None):
        for _ in range(3):
            warnings.warn("it did not converge\nand this is how", ConvergenceWarning, stacklevel=1)
        warnings.warn("use another name", FutureWarning, stacklevel=1)
        return super().fit(X)


@pytest.mark.parametrize("engine", ["serial", "threads", "processes"])
@pytest.mark.parametrize(
    "writer", [Writing(), WritingWeighted(), make_pipeline(StandardScaler(copy=False), SelectKBest(k=2))]
)
def test_what_selectors_write_into_is_their_own(writer, engine):
    data, target = X.copy(), Y.copy()
    selectors = {"writer": writer, "other": SelectKBest(f_classif, k=3)}
    result = assess(selectors, data, target, resampling=Bootstrap(3), n_jobs=2, execution={"engine": engine})
    np.testing.assert_array_equal(data, X)
    np.testing.assert_array_equal(target, Y)
    assert result.failures.empty
    alone = assess({"other": SelectKBest(f_classif, k=3)}, X, Y, resampling=Bootstrap(3))
    mine = [cell for cell in result.cells if cell.selector == 1]
    assert [cell.selected for cell in mine] == [cell.selected for cell in alone.cells]
    assert [cell.scores for cell in mine] == [cell.scores for cell in alone.cells]


def test_a_selector_that_writes_into_y_does_not_change_what_its_features_are_judged_by():
    honest = assess(Selector(), X, Y, resampling=KFold(3))
    writing = assess(Writing(), X, Y, resampling=KFold(3))
    assert honest.scores["accuracy"].tolist() == writing.scores["accuracy"].tolist()


def test_a_selector_that_fails_on_its_first_run_leaves_the_data_alone():
    class Failing(Writing):
        def fit(self, X, y=None, sample_weight=None):
            super().fit(X, y)
            raise RuntimeError("after all")

    data, target = X.copy(), Y.copy()
    with pytest.warns(FitFailedWarning, match="after all"):
        assess({"fails": Failing()}, data, target, resampling=NoiseInjection(2))
    np.testing.assert_array_equal(data, X)
    np.testing.assert_array_equal(target, Y)


@pytest.mark.parametrize("engine", ["serial", "threads"])
def test_warnings_are_short_distinct_and_of_the_run_that_gave_them(engine):
    result = assess(
        {"loud": Loud(), "quiet": Selector()}, X, Y, resampling=Bootstrap(6), n_jobs=3, execution={"engine": engine}
    )
    for cell in result.cells:
        assert cell.warnings == (("ConvergenceWarning: it did not converge",) if cell.selector == 0 else ())
    assert result.failures.empty


def test_a_predictor_that_warns_is_told_apart_from_the_selector():
    stuck = make_pipeline(StandardScaler(), LogisticRegression(max_iter=1, C=1e4))
    result = assess(Selector(), X, Y, resampling=KFold(2), predictor=stuck)
    assert result.cells[0].warnings[0].startswith("predictor: ConvergenceWarning: ")
    failed = assess(Selector(), X, Y, resampling=KFold(2), predictor=stuck, execution={"on_warning": "fail"})
    assert failed.failures["reason"].str.startswith("no score: ConvergenceWarning").all()
    assert failed.cells[0].selected == (0, 1)


def test_recursive_elimination_that_does_not_converge_still_selects():
    rfe = RFE(LinearSVC(max_iter=2, dual=True), n_features_to_select=3)
    result = assess({"rfe": rfe}, X, Y, resampling=Bootstrap(3))
    assert result.selections["rfe"].n_runs == 3
    assert all("ConvergenceWarning" in cell.warnings[0] for cell in result.cells)


def test_ties_that_the_order_of_columns_decides_are_counted():
    copies = np.column_stack([X[:, 1], X[:, 0], X[:, 0], X[:, 0]])
    fitted = SelectKBest(f_classif, k=2).fit(copies, Y)
    assert chosen(fitted, 4).tied == 2  # two of the three copies, whichever it took
    assert chosen(SelectKBest(f_classif, k=3).fit(copies, Y), 4).tied == 0
    assert chosen(SelectKBest(f_classif, k=4).fit(copies, Y), 4).tied == 0
    piped = make_pipeline(StandardScaler(), SelectKBest(f_classif, k=2)).fit(copies, Y)
    assert chosen(piped, 4).tied == 2


def test_a_selector_may_count_its_ties_itself():
    class Telling(Selector):
        n_tied_ = 1

    assert assess(Telling(), X, Y, resampling=Bootstrap(2)).cells[0].tied == 1


@pytest.mark.parametrize(
    ("answer", "features"),
    [
        (np.array([True, False, True]), [0, 2]),
        (np.array([2, 0]), [0, 2]),
        ([1, 0, 1], [0, 2]),
        (np.array([], dtype=int), []),
    ],
)
def test_masks_and_column_numbers_are_supports(answer, features):
    assert chosen(Answering(answer), 3).features.tolist() == features


@pytest.mark.parametrize(
    "answer", [np.array([0.3, 0.9, 0.1]), np.full(3, np.nan), np.array(["yes", "no", "no"]), [3], "abc"]
)
def test_other_supports_are_refused(answer):
    with pytest.raises(InputError, match=r"Answering (gives|selects column numbers)"):
        chosen(Answering(answer), 3)


def test_nan_coefficients_are_a_failure_with_a_reason():
    class Lost(BaseEstimator):
        def fit(self, X, y):
            self.coef_ = np.array([np.nan, 1.0, 0.0])
            return self

    with pytest.raises(InputError, match="coef_ of Lost holds nan"):
        chosen(Lost().fit(X, Y), 3)


def test_a_principal_component_is_no_feature_even_where_the_numbers_agree():
    pipe = make_pipeline(StandardScaler(), PCA(), LogisticRegression(max_iter=1000))
    with pytest.raises(InputError, match="columns after the step PCA are not the features any more"):
        assess({"pca": pipe}, X, Y, execution={"progress": lambda *_: pytest.fail("a run began")})


def test_columns_that_a_step_reorders_are_found_again():
    turned = ColumnTransformer(
        [("last", "passthrough", [2]), ("rest", "passthrough", [0, 1])], verbose_feature_names_out=False
    )
    plain = SelectKBest(f_classif, k=1).fit(X[:, :3], Y)
    piped = make_pipeline(turned, SelectKBest(f_classif, k=1)).fit(X[:, :3], Y)
    assert chosen(piped, 3).features.tolist() == chosen(plain, 3).features.tolist()


def test_an_open_task_of_steadysets_own_selectors_is_filled_in():
    from steadyset.selectors import ElasticNetSelector

    class Ours(ElasticNetSelector):
        def __init__(self, k=None, task=None):
            super().__init__(k)
            self.task = task

    class Theirs(BaseEstimator):
        def __init__(self, task=None, inner=None):
            self.task = task
            self.inner = inner

    Ours.__module__ = "steadyset.selectors.linear"
    plan = Plan(X, Y, None, Bootstrap(2), None, (), CLASSES, 0)
    assert ready(Ours(), plan, 0).task == CLASSES
    both = ready(Theirs(inner=Ours()), plan, 0)
    assert both.task is None
    assert both.inner.task == CLASSES
    assert ready(Ours(task="number"), plan, 0).task == "number"


@pytest.mark.filterwarnings("ignore:.*the same score")
def test_a_run_in_which_all_scores_are_equal_fails_with_its_reason():
    noise, classes = np.random.default_rng(0).normal(size=(24, 5)), np.repeat([0, 1], 12)
    fitted = FilterSelector("info_gain", k=2, fill=True).fit(noise, classes)
    with pytest.raises(InputError, match="all features have the same score, so there is nothing to select by"):
        chosen(fitted, 5)
    telling = noise.copy()
    telling[:8, 0] += 9 * (classes[:8] == 0) + 9  # 8 rows of class 0 stand out: not enough where few of them are drawn
    result = assess("info_gain:k=2,fill=True", telling, classes, resampling=LateRows(4), scoring=[])
    assert result.failures["reason"].str.contains("all features have the same score").tolist() == [True, True]
    assert [len(cell.selected) for cell in result.cells if not cell.failure] == [2, 2]


def test_runs_in_which_features_tell_nothing_select_fewer_and_the_findings_say_so():
    telling, classes = np.random.default_rng(0).normal(size=(24, 5)), np.repeat([0, 1], 12)
    telling[:8, 0] += 9 * (classes[:8] == 0) + 9
    result = assess("info_gain:k=2", telling, classes, resampling=LateRows(4), scoring=[])
    assert [cell.selected for cell in result.cells] == [(0,), (), (0,), ()]
    (warned,) = findings_of(result).warnings
    assert "Fewer than 2 features were selected by the filter 'info_gain'" in warned.text
    assert warned.runs == 4


@pytest.mark.filterwarnings("ignore::steadyset.foundation.errors.UninformativeWarning")
def test_selecting_every_feature_needs_no_scores():
    noise, classes = np.random.default_rng(0).normal(size=(24, 5)), np.repeat([0, 1], 12)
    fitted = FilterSelector("info_gain", k=5, fill=True).fit(noise, classes)
    assert chosen(fitted, 5).features.tolist() == [0, 1, 2, 3, 4]


class LateRows(Resampling):
    """Every other run leaves out the first eight rows."""

    def __init__(self, n_runs=4, *, random_state=None):
        self.n_runs = n_runs
        self.random_state = random_state

    def _draw(self, run, rows, seed):
        return np.arange(8 * (run % 2), rows.n), np.arange(8)


def test_a_search_selects_what_its_best_estimator_selects():
    piped = make_pipeline(StandardScaler(), SelectKBest(f_classif, k=1), LogisticRegression())
    search = GridSearchCV(piped, {"selectkbest__k": [3]}, cv=2)
    three = piped.set_params(selectkbest__k=3)
    searched, plain = (assess({"it": model}, X, Y, resampling=KFold(3)).selections["it"] for model in (search, three))
    assert searched.sizes.tolist() == [3, 3, 3]
    assert searched.sets() == plain.sets()
    assert np.array_equal(searched.weights, plain.weights)


def test_who_says_what_it_selects_is_asked_before_what_it_found_best():
    class Searching(SelectKBest):
        def fit(self, X, y):
            super().fit(X, y)
            self.best_estimator_ = LogisticRegression().fit(self.transform(X), y)
            return self

    selectors = {"searching": Searching(f_classif, k=2), "plain": SelectKBest(f_classif, k=2)}
    found = assess(selectors, X, Y, resampling=KFold(3)).selections
    assert found["searching"].sets() == found["plain"].sets()


def test_a_search_that_keeps_no_estimator_says_so_and_a_transformed_target_changes_nothing():
    search = GridSearchCV(LogisticRegression(), {"C": [1.0, 2.0]}, cv=2, refit=False)
    with pytest.raises(InputError, match="GridSearchCV keeps no fitted estimator; search with refit=True"):
        assess({"it": search}, X, Y, resampling=KFold(3))
    numbers = X[:, 0] + X[:, 1]
    wrapped, plain = (
        assess({"it": model}, X, numbers, resampling=KFold(3)).selections["it"]
        for model in (TransformedTargetRegressor(Lasso(0.1)), Lasso(0.1))
    )
    assert wrapped.sets() == plain.sets()
