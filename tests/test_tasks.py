"""One rule says what a target is, for selectors, assess, tune and the command; what means nothing is refused."""

import numpy as np
import pytest
from sklearn.base import is_regressor
from sklearn.datasets import load_diabetes
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import steadyset as st
from steadyset.assessment.request import make_plan, make_request, named_selectors
from steadyset.cli import run
from steadyset.foundation.errors import InputError
from steadyset.selectors import ElasticNetSelector, FilterSelector, ForestSelector, L0Selector
from steadyset.selectors.catalogue import selector_by_name, with_task
from steadyset.tasks import TASKS
from steadyset.tuning.models import FilteredModel
from steadyset.tuning.space import read_space

RNG = np.random.default_rng(0)
X = RNG.normal(size=(60, 8))
FOUR = np.repeat(["i", "ii", "iii", "iv"], 15)


def plan_of(y, **options):
    return make_plan(st.Data(X, y, **options), resampling=st.Bootstrap(3))[0]


@pytest.mark.parametrize(
    ("y", "sentence"),
    [
        (
            np.array([f"patient {i}" for i in range(60)]),
            "y has 60 classes in 60 rows, more than one class per",
        ),
        (np.r_[np.zeros(59), 1], r"The class 1\.0 has only one row; a class needs at least 2 rows"),
        (np.repeat(["yes ", "no", " yes"], 20), "y has the classes ' yes' and 'yes ', which differ only by spaces"),
        (X[:, :3], r"got an array of shape \(60, 3\) instead; choose one of its columns"),
        (X[:, :2], r"y has 2 values per row \(y\[:, 0\], y\[:, 1\]\): the time 'y\[:, 0\]' is -.* in 31 rows"),
        (np.zeros(60, dtype=[("a", bool), ("b", float), ("c", float)]), r"y has 3 values per row \(a, b, c\)"),
        (
            np.zeros(60, dtype=[("event", bool), ("time", float)]),
            r"per row \(time, event\): the time 'time' is 0 in 60",
        ),
    ],
)
def test_targets_that_mean_nothing_are_refused_before_any_run(y, sentence):
    with pytest.raises(InputError, match=sentence):
        st.assess("anova", X, y, resampling=st.Bootstrap(3))
    with pytest.raises(InputError, match=sentence):
        st.tune(None, X, y, n_trials=1)


def test_the_task_can_be_said_and_must_make_sense():
    whole = RNG.integers(0, 5, 60)
    assert plan_of(whole).task == "classes"
    assert plan_of(whole, task="number").task == "number"
    with pytest.raises(InputError, match="y holds something other than numbers; encode it as numbers"):
        plan_of(FOUR, task="number")
    with pytest.raises(InputError, match="y holds numbers with fractions, which cannot be taken as classes"):
        plan_of(X[:, 0], task="classes")
    for wrong in ("regression", np.empty((0, 3))):
        with pytest.raises(InputError, match="task must be classes or number"):
            plan_of(whole, task=wrong)
        with pytest.raises(InputError, match="task must be classes or number"):
            st.selectors.L0Selector(task=wrong).fit(X, whole)


def test_what_was_understood_is_said_in_words():
    assert TASKS["classes"].describe(np.array(["R"] * 4 + ["M"] * 2)) == "2 classes (M 2, R 4)"
    assert TASKS["number"].describe(np.arange(30)) == "a number, 30 distinct values"


@pytest.mark.parametrize(("task", "n_classes"), [("classes", 2), ("classes", 4), ("number", 0)])
def test_every_default_selector_runs_on_its_task(task, n_classes):
    y = {2: FOUR > "ii", 4: FOUR, 0: X[:, 0] + RNG.normal(size=60)}[n_classes]
    for name in TASKS[task].selectors(n_classes):
        selector = selector_by_name(name, task)
        few = {"n_estimators": 10, "random_state": 0} if name == "forest" else {}
        every = {"fill": True} if "fill" in selector.get_params() else {}
        assert selector.set_params(**few, **every).fit(X, y).get_support().sum() == 4


def test_the_defaults_hold_the_lasso_of_every_task():
    for task, n_classes in (("classes", 2), ("classes", 4), ("number", 0), ("count", 0), ("survival", 0)):
        assert "lasso" in named_selectors(None, task, n_classes)


def test_all_selectors_that_cannot_run_are_named_together():
    mine = {"mine": make_pipeline(StandardScaler(), L0Selector(task="classes"))}
    with pytest.raises(InputError, match=r"3 of 4 selectors cannot run on 4 classes: l0 .*, t_test .*, auc "):
        named_selectors(["l0", "anova", "t_test", "auc"], "classes", 4)
    with pytest.raises(InputError, match=r"The selector cannot run on 4 classes: mine \(for two classes\)"):
        named_selectors(mine, "classes", 4)
    with pytest.raises(InputError, match=r"2 of 3 selectors cannot run on a number: mine \(for classes\), relief "):
        named_selectors(mine | {"relief": "relief", "forest": ForestSelector()}, "number", 0)
    with pytest.raises(InputError, match=r"cannot run on 3 classes: stability_selection.* \(for two classes\)"):
        named_selectors("stability_selection:base=auc", "classes", 3)
    assert named_selectors("stability_selection", "classes", 3)
    assert named_selectors({"s": st.StabilitySelection("anova")}, "classes", 3)


def test_selectors_take_the_target_for_what_the_assessment_does():
    nested = make_pipeline(StandardScaler(), FilterSelector("anova"))
    assert with_task(nested, "number").get_params()["filterselector__task"] == "number"
    assert nested.get_params()["filterselector__task"] is None
    model = with_task(make_pipeline(StandardScaler(), ElasticNetSelector()), "number")
    assert model[-1].task == "number"
    assert is_regressor(model)
    said = FilterSelector("anova", task="classes")
    assert with_task(said, "number") is said


def test_a_selector_by_name_is_taken_as_the_base_of_stability_selection():
    y = X[:, 0] - X[:, 1] + 0.1 * RNG.normal(size=60)
    options = {"q": 2, "threshold": 0.6, "n_runs": 10, "random_state": 0}
    named = st.StabilitySelection("lasso", **options).fit(X, y)
    np.testing.assert_array_equal(named.frequencies_, st.StabilitySelection(**options).fit(X, y).frequencies_)
    assert st.StabilitySelection("kruskal", **options).fit(X, y).get_support(indices=True).tolist() == [0, 1]
    assert st.StabilitySelection("anova", **options).fit(X, FOUR).get_support().sum() <= 2
    with pytest.raises(InputError, match="There is no selector called 'laso'; did you mean 'lasso'"):
        st.StabilitySelection("laso").fit(X, y)


def test_tuning_a_number_has_a_score_and_a_space_without_being_asked():
    data, y = load_diabetes(return_X_y=True)
    space = {"model": {"lasso": {"k": [2, 4]}, "ridge": {"penalty": [1.0]}, "knn": {}}}
    result = st.tune(
        space, data[:80], y[:80], n_trials=3, resampling=st.KFold(3), search=st.SearchOptions(sampler="grid")
    )
    assert result.objectives == ("r2", "stability", "n_features")
    assert result.frame["r2"].notna().all()


@pytest.mark.parametrize("name", sorted(read_space(None, "number").models))
def test_every_model_of_the_default_space_for_numbers_predicts_and_selects(name):
    y = 100 * (X[:, 0] - X[:, 1]) + RNG.normal(size=60)
    space = read_space(None, "number", 0, float(np.std(y)))
    params = {"n_estimators": 20, "node_size": 0.5, "max_features": 0.5, "n_steps": 50, "penalty": 1.0}
    drawn = {f"{name}.{key}": params.get(key, 1) for key in space.models[name].domains}
    fitted = space.estimator({"filter": "mim", "fraction": 0.5, "model": name, **drawn}, 60).fit(X, y)
    assert 0 < fitted.get_support().sum() <= 4
    assert np.corrcoef(fitted.predict(X), y)[0, 1] > 0.5


def test_the_filter_of_a_configuration_takes_the_target_for_what_the_tuning_takes_it_for():
    y = np.clip(np.rint(3 + X[:, 0]), 1, 5) + (np.arange(60) % 7 == 0) * (X[:, 1] > 0)
    by_number = FilterSelector("anova", k=4, task="number").fit(X, y)
    by_classes = FilterSelector("anova", k=4, task="classes").fit(X, y)
    assert (by_number.ranking_ != by_classes.ranking_).any()
    model = st.selectors.StabilitySelection("lasso", q=2, task="number", n_runs=4, random_state=0)  # of no kind
    fitted = FilteredModel(model, filter="anova", fraction=0.5, task="number").fit(X, y)
    np.testing.assert_array_equal(fitted.kept_, np.argsort(by_number.ranking_)[: len(fitted.kept_)])
    space = {"filter": ["anova"], "fraction": [0.5], "model": {"lasso": {"k": [2]}}}
    result = st.tune(
        space, st.Data(X, y, task="number"), resampling=st.KFold(3), search=st.SearchOptions(sampler="grid")
    )
    assert result.estimator(0).task == "number"


def test_stability_selection_under_bootstraps_warns_of_copies():
    options = {"scoring": None, "predictor": None, "random_state": 0}
    with pytest.warns(UserWarning, match=r"mine: copies of a row of a bootstrap can fall into both halves"):
        make_request({"mine": st.StabilitySelection()}, X, X[:, 0], resampling=st.Bootstrap(3), **options)
    make_request({"mine": st.StabilitySelection()}, X, X[:, 0], resampling=st.Subsample(3), **options)


@pytest.mark.filterwarnings("ignore:mine")
def test_what_assess_warns_of_is_among_the_findings():
    halving = {
        "mine": st.StabilitySelection("anova", q=1, threshold=0.9, n_runs=4),
        "other": st.FilterSelector("anova"),
    }
    for resampling, told in ((st.Bootstrap(3), True), (st.Subsample(3), False)):
        notes = st.findings_of(st.assess(halving, X[:, :4], X[:, 0] > 0, resampling=resampling)).notes
        assert any(note.startswith("mine: copies of a row of a bootstrap") for note in notes) == told


DAYS = np.arange("2020-01-10", "2020-03-10", dtype="M8[D]")


@pytest.mark.parametrize(
    "dates",
    [
        DAYS,
        DAYS.tolist(),
        DAYS.astype(str),
        [f"{day.day}.{day.month}.{day.year}" for day in DAYS.tolist()],
        [f"{day:%m/%d/%Y} 12:30" for day in DAYS.tolist()],
    ],
)
def test_dates_are_called_dates(dates):
    said = "more than one class per two rows; these values look like dates: turn them into numbers"
    with pytest.raises(InputError, match=said):
        FilterSelector("anova").fit(X, dates)


@pytest.mark.parametrize("code", ["12-34-5678-{}", "2020-{}", "id{}", "1.2.{}"])
def test_identifiers_are_not_called_dates(code):
    with pytest.raises(InputError, match="these values look like identifiers or a quantity"):
        FilterSelector("anova").fit(X, [code.format(i) for i in range(60)])


def test_the_command_calls_a_target_of_dates_so(tmp_path, capsys):
    path = tmp_path / "visits.csv"
    rows = [f"{a:.3f},{b:.3f},{day}" for (a, b), day in zip(X[:, :2], DAYS, strict=True)]
    path.write_text("\n".join(["a,b,visit", *rows]), encoding="utf-8")
    assert run(["assess", str(path), "--target", "visit", "--out", str(tmp_path / "runs")]) == 2
    assert "these values look like dates" in " ".join(capsys.readouterr().err.split())
    assert not (tmp_path / "runs").exists()
