"""tune: configurations on shared resamples, resumable, the same answer however it is run."""

from __future__ import annotations

import json

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import matthews_corrcoef
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.tree import DecisionTreeClassifier
from tests.records import call

import steadyset as st
from steadyset.foundation.errors import InputError
from steadyset.resampling import KFold, Rows
from steadyset.selectors.filters import FilterSelector
from steadyset.tuning import FilteredModel
from steadyset.tuning.space import Space, read_space

DATA = st.datasets.similar_features(60, 12, n_similar=3, random_state=0)
SPACE = {
    "filter": ["none", "anova", "mim"],
    "fraction": {"low": 0.1, "high": 0.9},
    "model": {
        "lasso": {"penalty": {"low": 0.01, "high": 0.3, "log": True}},
        "knn": {"kneighborsclassifier__n_neighbors": [1, 3, 5]},
        "tree": (DecisionTreeClassifier(), {"max_depth": {"low": 1, "high": 4}}),
    },
}


def tuned(**options):
    given = {"n_trials": 12, "resampling": KFold(4), **options}
    return call(st.tune, given.pop("space", SPACE), DATA.X, DATA.y, **given)


def same(a, b):
    columns = [name for name in a.frame if not name.startswith("seconds")]
    pd.testing.assert_frame_equal(a.frame[columns], b.frame[columns])


@pytest.fixture(scope="module")
def result():
    return tuned()


def test_a_configuration_has_the_values_of_its_own_fits(result):
    number, params, values = next(t for t in result.trials if t[1]["filter"] != "none" and t[1]["model"] == "lasso")
    sets, hits = [], []
    for train, test in KFold(4, random_state=0).split(DATA.X, DATA.y):
        model = clone(result.estimator(number)).fit(DATA.X[train], DATA.y[train])
        sets.append(np.flatnonzero(model.get_support()))
        hits.append(np.mean(model.predict(DATA.X[test]) == DATA.y[test]))
    sel = st.Selections.from_sets(sets, n_features=12)
    assert values["accuracy"] == pytest.approx(np.mean(hits))
    assert values["accuracy_se"] == pytest.approx(np.std(hits, ddof=1) / 2)
    assert values["stability"] == pytest.approx(st.stability(sel))
    assert values["n_features"] == pytest.approx(sel.sizes.mean())
    assert params["fraction"] == result.estimator(number).fraction


def test_the_selections_of_a_configuration_can_be_had_afterwards(result):
    for number in (result.choose("best"), result.choose("one_se")):
        sel = result.selections(number)
        assert sel.n_runs == 4
        assert sel.sizes.mean() == pytest.approx(result.frame.loc[number, "n_features"])
        np.testing.assert_allclose(st.stability(sel), result.frame.loc[number, "stability"])


def test_the_features_of_a_configuration_are_those_of_all_rows_with_their_frequencies(result):
    number = next(t[0] for t in result.trials if t[1]["filter"] != "none" and t[1]["model"] == "lasso")
    table, sel = result.features(number), result.selections(number)
    whole = clone(result.estimator(number)).fit(DATA.X, DATA.y).get_support()
    assert set(table.loc[table["selected"], "feature"]) == {sel.features[f] for f in np.flatnonzero(whole)}
    frequency = dict(zip(sel.features, sel.frequencies, strict=True))
    assert table["frequency"].tolist() == [frequency[name] for name in table["feature"]]
    assert table["frequency"].is_monotonic_decreasing
    assert len(table) == np.count_nonzero(whole | (sel.frequencies > 0))


def test_the_table_of_features_agrees_with_the_features_of_the_configuration():
    result = tuned(n_trials=2)
    number = result.choose("best")
    table, short = result.features_table(number), result.features(number)
    assert set(table["feature"]) == set(short["feature"])
    both = table.merge(short, on="feature", suffixes=("", "_short"))
    assert (both["frequency"] == both["frequency_short"]).all()
    assert (both["all_rows"] == both["selected_short"]).all()


def test_features_of_a_configuration_may_have_any_name():
    names = [f"{name} {place}" for place, name in enumerate(["half \ud800", "a\rb", "\0", "\x1b[31m"] * 3)]
    result = tuned(n_trials=2, features=names)
    table = result.features(result.choose("best"))
    assert set(table["feature"]) <= set(names)
    assert table["feature"].str.contains("\ud800").any()


def test_a_configuration_draws_the_same_at_every_fit():
    result = tuned(space={"model": {"forest": {"n_estimators": [5], "k": [3]}}}, n_trials=1)
    one, other = (result.estimator(0).fit(DATA.X, DATA.y) for _ in range(2))
    np.testing.assert_array_equal(one.get_support(), other.get_support())
    chosen = set(result.features(0).query("selected")["feature"])
    assert chosen == {f"x{f}" for f in one.get_support(indices=True)}


def test_harmonic_takes_the_share_of_errors_as_it_takes_accuracy():
    by_error, by_accuracy = (tuned(objectives=(score, "stability", "n_features")) for score in ("error", "accuracy"))
    assert by_error.choose("harmonic") == by_accuracy.choose("harmonic")
    with pytest.raises(st.InputError, match="log_likelihood is not bounded by 0 and 1"):
        tuned(objectives=("log_likelihood", "stability"), n_trials=2).choose("harmonic")


def test_a_measure_of_which_less_is_steadier_is_made_small():
    result = tuned(measure="krizek", space={"filter": ["anova"], "fraction": [0.25], "model": SPACE["model"]})
    assert result.directions == ("max", "min", "min")
    steadiest = result.frame["stability"].min()
    assert result.frame.loc[result.choose("weighted:1"), "stability"] == steadiest
    assert result.frame.loc[result.frame["front"], "stability"].min() == steadiest
    with pytest.raises(st.InputError, match="harmonic needs a measure for which higher is steadier; krizek is not one"):
        result.choose("harmonic")


def test_ready_made_models_take_the_classes_that_there_are():
    three = np.arange(60) % 3
    result = st.tune("bommert", DATA.X, three, n_trials=6, resampling=KFold(3))
    assert (result.frame["failures"] == 0).all()
    boosted = st.tune("bommert:model=boosting", DATA.X, three, n_trials=2, resampling=KFold(3))
    assert (boosted.frame["failures"] == 0).all()


def test_a_decision_function_is_enough_for_the_auc_of_two_classes():
    result = tuned(space={"model": {"svm": {"svc__C": [1.0]}}}, objectives=("auc", "n_features"), sampler="grid")
    assert 0.5 < result.frame.loc[0, "auc"] <= 1


def test_configurations_that_fail_everywhere_are_told_with_their_reason():
    space = {"model": {"lasso": {"penalty": [0.1, -1.0]}}}
    with pytest.warns(UserWarning, match="1 of 2 configurations failed in every run; the first because .*penalty"):
        result = tuned(space=space, sampler="grid")
    assert "penalty" in result.frame.loc[1, "reason"]
    with pytest.raises(st.InputError, match=r"failed in every run, the first because .*penalty"):
        result.features(1)
    assert result.frame.loc[0, "reason"] == ""


def test_selecting_everything_has_no_stability_and_is_not_on_the_front(result):
    everything = result.frame[result.frame["n_features"] == 12]
    assert len(everything)
    assert everything["stability"].isna().all()
    assert not everything["front"].any()


def test_the_answer_does_not_depend_on_threads_or_interruption(result, tmp_path):
    with pytest.raises(KeyboardInterrupt):
        tuned(out=tmp_path, progress=stop_at(5))
    same(result, tuned(out=tmp_path, n_jobs=2))
    table = pd.read_csv(tmp_path / "trials.csv", index_col="configuration")
    np.testing.assert_allclose(table["accuracy"], result.frame["accuracy"])


def test_a_configuration_that_was_interrupted_is_done_again_under_its_number(result, tmp_path, monkeypatch):
    from steadyset.tuning.evaluation import Evaluator

    whole, calls = Evaluator.__call__, []

    def interrupted(self, configuration):
        calls.append(1)
        if len(calls) == 4:
            raise KeyboardInterrupt
        return whole(self, configuration)

    monkeypatch.setattr(Evaluator, "__call__", interrupted)
    with pytest.raises(KeyboardInterrupt):
        tuned(out=tmp_path)
    same(result, tuned(out=tmp_path))
    assert len(calls) == 13


def test_a_folder_with_another_tuning_is_refused(tmp_path):
    tuned(out=tmp_path, n_trials=1)
    with pytest.raises(st.InputError, match="another measure"):
        tuned(out=tmp_path, n_trials=1, measure="jaccard")
    with pytest.raises(st.InputError, match=r"continue it with st\.Execution\(resume=True\)"):
        tuned(out=tmp_path, n_trials=1, resume=False)


@pytest.mark.parametrize("sampler", ["nsga2", "tpe"])
def test_samplers_that_learn_give_the_same_answer_for_the_same_seed(sampler):
    same(tuned(sampler=sampler), tuned(sampler=sampler, n_jobs=2))


def test_a_grid_holds_every_combination_once():
    space = {
        "filter": ["none", "anova"],
        "fraction": [0.25, 0.5],
        "model": {"knn": {}, "lasso": {"penalty": [0.1, 0.2]}},
    }
    frame = tuned(space=space, sampler="grid").frame
    assert len(frame) == (1 + 2) + (2 + 4)
    assert not frame[["filter", "model", "fraction", "lasso.penalty"]].duplicated().any()


def test_objectives_may_be_any_score_size_and_time():
    result = tuned(objectives=("error", "size", "time"), n_trials=4)
    assert result.objectives == ("error", "n_features", "seconds")
    assert result.directions == ("min", "min", "min")
    assert result.frame.loc[result.choose("best"), "error"] == result.frame["error"].min()


def test_adjusted_measures_use_the_correlations_of_the_data():
    tree = {"model": {"lasso": {"penalty": [0.1]}}}
    alone, adjusted = (tuned(space=tree, sampler="grid", measure=m) for m in ("unadjusted", "intersection_count"))
    assert adjusted.frame["stability"][0] > alone.frame["stability"][0]


def test_every_rule_chooses_a_configuration_that_was_tried(result):
    for rule in ("epsilon", "epsilon:0.1,0.2", "best", "one_se", "weighted:0.3", "harmonic:2", "knee"):
        assert result.choose(rule) in result.frame.index
    best, smaller = result.frame.loc[result.choose("best")], result.frame.loc[result.choose("one_se")]
    assert best["accuracy"] == result.frame["accuracy"].max()
    assert smaller["n_features"] <= best["n_features"]
    assert result.frame.loc[result.choose("weighted:1"), "stability"] == result.frame["stability"].max()
    for rule, sentence in (
        ("nearest", "rule must"),
        ("epsilon:a", "rule must have numbers after the colon"),
        ("best:1", "rule must be best alone, which takes no numbers"),
        ("epsilon:1,2,3", "rule must have at most 2 numbers after epsilon:"),
    ):
        with pytest.raises(st.InputError, match=sentence):
            result.choose(rule)
    assert set(result.pa_best().index) <= set(result.front.index)
    assert result.front_probability(n_draws=20).sum() >= 1  # every draw has a front


def test_a_filtered_model_selects_among_what_the_filter_keeps():
    kept = set(FilterSelector("anova", k=6).fit(DATA.X, DATA.y).get_support(indices=True))
    lasso = read_space(SPACE, "classes").models["lasso"].estimator.set_params(penalty=0.02)
    model = FilteredModel(lasso, filter="anova", fraction=0.5).fit(DATA.X, DATA.y)
    assert set(model.get_support(indices=True)) <= kept
    assert model.predict_proba(DATA.X).shape == (60, 2)


def test_draws_of_the_bommert_space_stay_in_the_ranges_of_table_6_5():
    space, rows = Space.bommert(), 60
    draws = [space.sample(np.random.default_rng(i)) for i in range(600)]
    assert {d["filter"] for d in draws} == {"none", "jmi", "mim", "impurity"}
    assert {d["model"] for d in draws} == {"svm", "knn", "ridge", "lasso", "forest", "boosting"}
    assert all(("fraction" in d) == (d["filter"] != "none") for d in draws)
    for d in draws:
        params = space.estimator(d, rows).model.get_params()
        if d["model"] == "svm":
            assert 2**-15 <= params["svc__C"] <= 2**15
        if d["model"] == "forest":
            assert params["n_estimators"] in (100, 200, 500, 1000, 2000, 5000)
            assert 1 <= params["node_size"] <= 12
        if d["model"] == "boosting":
            assert 1 <= params["n_steps"] <= 2**15
    steps = sorted(d["boosting.n_steps"] for d in draws if d["model"] == "boosting")
    assert 2**5 < steps[len(steps) // 2] < 2**10  # even on the log scale


def test_every_model_of_the_bommert_space_fits_and_predicts():
    space = Space.bommert()
    for name in space.models:
        drawn = (space.sample(np.random.default_rng(i)) for i in range(1000))
        params = next(
            d for d in drawn if d["model"] == name and d["filter"] == "jmi" and d.get("forest.n_estimators", 100) == 100
        )
        model = space.estimator(params, 60).fit(DATA.X, DATA.y)
        kept = FilterSelector("jmi", k=model.n_kept(12)).fit(DATA.X, DATA.y).get_support()
        assert not (model.get_support() & ~kept).any()
        assert np.isin(model.predict(DATA.X), DATA.y).all()


def test_a_fraction_from_0_to_1_is_no_choice_between_both():
    space = read_space({"filter": "anova", "fraction": {"low": 0, "high": 1}, "model": {"knn": {}}}, "classes")
    drawn = [space.sample(np.random.default_rng(i))["fraction"] for i in range(20)]
    assert len(set(drawn)) == 20


def test_a_filter_keeps_as_many_features_as_its_selector_would():
    for fraction, d, n in ((0.5, 6, 3), (0.3, 9, 3), (0.01, 12, 1)):
        X = np.random.default_rng(0).normal(size=(20, d))
        assert FilteredModel(filter="anova", fraction=fraction).n_kept(d) == n
        assert FilterSelector("anova", fraction=fraction).fit(X, np.arange(20) % 2).get_support().sum() == n


def test_a_space_may_come_from_a_json_file(tmp_path):
    path = tmp_path / "space.json"
    path.write_text(json.dumps({"filter": ["anova"], "fraction": [0.5], "model": {"knn": {}}}), encoding="utf-8")
    assert tuned(space=str(path), n_trials=1).frame["n_features"].tolist() == [6.0]


@pytest.mark.parametrize(
    ("content", "sentence"),
    [
        (b"", "is empty"),
        (b'{"model": {"knn": {}}', "is not well-formed JSON"),
        (b'{"model": {"knn": {}}, "model": {"ridge": {}}}', "The key 'model' occurs twice"),
        ('{"model": {"knn": {}}}'.encode("utf-16"), "is not UTF-8 text"),
        (b'{"model": {"knn": {"n": [1' + b"0" * 5000 + b"]}}}", "thousands of digits"),
        (b"[" * 100_000, "is not well-formed JSON"),
    ],
    ids=["empty", "cut", "twice", "utf-16", "digits", "deep"],
)
def test_a_damaged_file_of_a_space_is_told_as_any_other_json_file(tmp_path, content, sentence):
    path = tmp_path / "space.json"
    path.write_bytes(content)
    with pytest.raises(st.InputError, match=sentence):
        tuned(space=path)


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        ({"space": "nothing"}, "neither a ready-made space"),
        ({"space": {"filter": ["anova"]}}, "at least model"),
        ({"space": {"model": {"knn": {"nearest": [1]}}}}, "no parameter 'nearest'"),
        ({"space": {"model": {"lasso": {"penalty": {"low": 2, "high": 1}}}}}, "low must be at most high"),
        ({"space": {"model": {"lasso": {"penalty": 3}}}}, "must be a range"),
        ({"space": {"filter": [], "model": {"knn": {}}}}, "filter is empty"),
        ({"space": {"filter": "anovas", "model": {"knn": {}}}}, "'anovas'"),
        ({"space": {"model": ["knn"]}}, "model must be a mapping"),
        ({"space": {"fraction": {"low": -1, "high": 3}, "model": {"knn": {}}}}, "shares from 0 to 1"),
        ({"space": {"model": {"lasso": {"penalty": {"low": "0.1", "high": 1}}}}}, "expected numbers"),
        ({"n_trials": 2.5}, r"n_trials.* must be .*\(got 2.5\)"),
        ({"sampler": "annealing"}, r"sampler must be .*\(got 'annealing'\)"),
        ({"sampler": "grid"}, "is a range; a grid"),
        ({"objectives": ("accuracy", "accuracy")}, "distinct names"),
        ({"objectives": ("beauty",)}, "no score 'beauty'"),
        ({"n_trials": 0}, r"n_trials.* must be .*\(got 0\)"),
        ({"storage": "nonsense"}, "storage cannot be opened"),
        ({"resampling": st.NoiseInjection(3)}, "noise|leaves out no rows"),
    ],
)
def test_bad_input_is_told_in_a_sentence(options, sentence):
    with pytest.raises(st.InputError, match=sentence):
        tuned(**options)


def stop_at(number):
    def progress(done, _):
        if done == number:
            raise KeyboardInterrupt

    return progress


def test_gaps_are_filled_within_the_runs_and_by_the_final_estimator():
    holes = np.where(np.random.default_rng(1).random(DATA.X.shape) < 0.05, np.nan, DATA.X)
    space = {"filter": ["anova"], "fraction": [0.2], "model": {"knn": {"kneighborsclassifier__n_neighbors": [3]}}}
    options = {"search": {"sampler": "grid"}, "resampling": KFold(3), "objectives": ["accuracy"]}
    result = st.tune(space, st.Data(holes, DATA.y, impute="median"), **options)
    runs = result.selections(0)
    for i in range(3):
        rows = KFold(3).draw(i, Rows(len(DATA.y), DATA.y), 0).train
        own = result.estimator(0).fit(holes[rows], DATA.y[rows])
        assert runs.selected(i).tolist() == np.flatnonzero(own.get_support()).tolist()
    assert result.frame["failures"].tolist() == [0]
    with pytest.raises(InputError, match="'the filter anova', 'the model knn' cannot take them"):
        st.tune(space, holes, DATA.y, **options)


def test_warnings_of_models_are_counted_and_fail_where_that_is_asked_for():
    stuck = make_pipeline(StandardScaler(), LogisticRegression(max_iter=1, C=1e4))
    space = {"model": {"stuck": (stuck, {})}}
    options = {"search": {"sampler": "grid"}, "resampling": KFold(3), "objectives": ["accuracy"]}
    result = st.tune(space, DATA.X, DATA.y, **options)
    assert result.frame["warned"].tolist() == [3]
    assert result.frame["warning"][0].startswith("ConvergenceWarning")
    assert result.frame["failures"].tolist() == [0]
    with pytest.warns(UserWarning, match="failed in every run; the first because ConvergenceWarning"):
        st.tune(space, DATA.X, DATA.y, execution=st.Execution(on_warning="fail"), **options)


def test_any_scorer_of_scikit_learn_is_an_objective():
    result = tuned(objectives=("matthews_corrcoef", "stability"), n_trials=3)
    assert result.directions == ("max", "max")
    scores = [
        matthews_corrcoef(DATA.y[test], result.estimator(0).fit(DATA.X[train], DATA.y[train]).predict(DATA.X[test]))
        for train, test in KFold(4, random_state=0).split(DATA.X, DATA.y)
    ]
    assert result.frame["matthews_corrcoef"][0] == pytest.approx(np.mean(scores))


def test_a_model_may_be_a_selector_by_its_name_with_parameters():
    space = read_space({"model": {"mine": ("lasso:k=3", {"l1_ratio": [0.5, 1.0]})}}, "classes")
    assert space.models["mine"].estimator.k == 3


@pytest.mark.parametrize("objectives", [[lambda model, X, y: 1.0, "stability"], "accuracy"])
def test_objectives_are_names(objectives):
    data, target = np.random.default_rng(0).standard_normal((30, 5)), np.repeat([0, 1], 15)
    with pytest.raises(InputError, match="objectives must be a sequence of names"):
        st.tune("bommert", data, target, objectives=objectives, n_trials=1)


def test_a_ready_made_space_is_limited_to_parts_and_a_size():
    part = read_space("bommert:model=lasso+knn,filter=jmi+none,most=20", "classes", n_features=80)
    assert (list(part.models), part.filters) == (["knn", "lasso"], ("jmi",))  # without a filter nothing limits the size
    drawn = [part.sample(i) for i in range(50)]
    kept = [part.estimator(params, 40).n_kept(80) for params in drawn]
    assert 1 <= min(kept) < max(kept) <= 20
    assert read_space("bommert:most=500", "classes", n_features=80).fraction.high == 1


@pytest.mark.parametrize(
    ("limits", "why"),
    [
        ("most=0", "most must be a whole number of at least 1"),
        ("model=lassso", "model must be one of svm"),
        ("filter=none,most=3", "most needs a filter"),
        ("size=3", "takes filter, model and most"),
    ],
)
def test_wrong_limits_of_a_space_are_refused(limits, why):
    with pytest.raises(InputError, match=why):
        read_space(f"bommert:{limits}", "classes", n_features=80)
