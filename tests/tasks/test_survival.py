"""Time to event and counts: every form of the target is read alike, and what makes no sense gets a sentence."""

import numpy as np
import pandas as pd
import pytest
from sklearn.exceptions import FitFailedWarning

import steadyset as st
from steadyset.assessment.request import make_plan
from steadyset.cli import run
from steadyset.runner.scoring import lower_is_better
from steadyset.tasks import TASKS, read_columns

RNG = np.random.default_rng(0)
X = RNG.normal(size=(90, 6))
TIME = np.ceil(100 * RNG.exponential(np.exp(X[:, 1] - X[:, 0]))) + 1
EVENT = (RNG.random(90) < 0.7).astype(int)
Y = st.Survival(TIME, EVENT)
SERIAL = st.Execution(engine="serial", progress=False)


def table(path, **changed):
    columns = {f"g{f}": X[:, f].round(4) for f in range(6)} | {"days": TIME, "dead": EVENT} | changed
    pd.DataFrame(columns).to_csv(path, index=False)
    return path


def assessed(data, *more, **options):
    options = {"resampling": st.Subsample(4, stratified=True), "execution": SERIAL} | options
    return st.assess(["anova:k=2"], data, *more, **options)


def test_every_form_of_the_target_gives_the_same_runs(tmp_path):
    forms = [
        Y,
        np.column_stack([TIME, EVENT]),
        pd.DataFrame({"dead": EVENT == 1, "days": TIME}),
        np.array(list(zip(EVENT == 1, TIME, strict=True)), dtype=[("event", bool), ("time", float)]),
    ]
    found = [assessed(X, y) for y in forms]
    assert found[0].failures.empty
    assert found[0].settings["task"] == "survival"
    assert found[0].settings["scoring"] == ["harrell"]
    assert all(one.selections == found[0].selections for one in found[1:])
    data = st.load_data(table(tmp_path / "a.csv", dead=EVENT == 1), time="days", event="dead")
    assert "time to event, " in str(data)
    assert data.y.tolist() == np.column_stack([TIME, EVENT]).tolist()


@pytest.mark.parametrize(("yes", "no"), [("2", "1"), ("dead", "alive"), (2, 1)])
def test_one_of_two_values_is_named_as_the_event(tmp_path, yes, no):
    file = table(tmp_path / "a.csv", dead=np.where(EVENT == 1, yes, no))
    data = st.load_data(file, time="days", event=f"dead={yes}")
    assert data.y.tolist() == np.column_stack([TIME, EVENT]).tolist()
    for event in ("dead", "dead=perhaps"):
        with pytest.raises(st.InputError, match=r'say which is the event with event="dead=.*" or event="dead='):
            st.load_data(file, time="days", event=event)
    kinds = table(tmp_path / "b.csv", dead=np.where(np.arange(len(EVENT)) < 5, 3, EVENT))
    with pytest.raises(st.InputError, match=r"several kinds of events \(competing risks\) are not modelled"):
        st.load_data(kinds, time="days", event="dead=3")


def test_rows_without_a_time_can_be_left_out_and_dates_are_told_what_to_be(tmp_path):
    unknown = table(tmp_path / "a.csv", days=np.where(np.arange(len(TIME)) < 3, np.nan, TIME))
    with pytest.raises(
        st.InputError, match="'days' is missing in 3 rows; remove them, or leave out with known_only=True"
    ):
        st.load_data(unknown, time="days", event="dead")
    assert len(st.load_data(unknown, time="days", event="dead", known_only=True).y) == len(TIME) - 3
    dates = table(tmp_path / "b.csv", days="2015-05-13")
    with pytest.raises(st.InputError, match="such as the months from the diagnosis to the event or to the last visit"):
        st.load_data(dates, time="days", event="dead")


@pytest.mark.parametrize(
    ("time", "event", "sentence"),
    [
        ([-1, 2, 3], [1, 1, 0], "the time 'time' is -1 in 1 row; times are positive numbers"),
        ([0, 0, 3], [1, 1, 0], "the time 'time' is 0 in 2 rows; times are positive numbers"),
        ([np.nan, 2, 3], [1, 1, 0], "the time 'time' is missing in 1 row"),
        ([np.inf, 2, 3], [1, 1, 0], "the time 'time' is inf in 1 row"),
        (["a", 2, 3], [1, 1, 0], "the time 'time' holds 'a'; expected positive numbers"),
        (["1", "2", "x"], [1, 1, 0], "the time 'time' holds 'x'; expected positive numbers"),
        (
            [1, 2, 3],
            [1, 2, 1],
            r"the event 'event' holds 1, 2; expected 1 \(or True\) where .*as R codes it, subtract 1",
        ),
        ([1, 2, 3], [0, 1, 2], r"holds 0, 1, 2; .*several kinds of events \(competing risks\) are not modelled"),
        ([1, 2, 3], [1, None, 1], "the event 'event' is missing in 1 row"),
        ([1, 2, 3], [1, 0], "'time' has 3 values and 'event' 2"),
        (5, [1, 0], "time must be one value for each row"),
    ],
)
def test_times_and_events_that_make_no_sense_are_refused(time, event, sentence):
    with pytest.raises(st.InputError, match=sentence):
        st.Survival(time, event)


@pytest.mark.parametrize(
    ("n_events", "sentence"), [(0, "all 90 rows are censored"), (1, "y has 1 event in 90 rows; at least 2 are needed")]
)
def test_too_few_events_are_refused(n_events, sentence):
    with pytest.raises(st.InputError, match=sentence):
        assessed(X, st.Survival(TIME, np.arange(90) < n_events))


def test_where_every_run_fails_the_reason_is_told_and_no_more_of_them_are_offered():
    with pytest.warns(FitFailedWarning, match="made no selection in any of its 4 runs"):
        found = str(assessed(X, st.Survival(TIME, np.arange(90) < 2)))
    assert "the resample holds fewer than 2 events" in found
    assert "more repeats" not in found
    assert "st.shortlist(X, y)" not in found  # which needs four events, too
    assert "where all rows hold at least 4" in " ".join(found.split())


def test_a_shortlist_of_few_events_is_found_without_the_halves_that_would_have_too_few():
    found = st.shortlist(X, st.Survival(TIME, np.arange(90) < 5), permutations=20, splits=10, outer=2)
    assert [one.what for one in found.listed.fewer_rows] == ["72 rows"]  # those of its repeats


def test_a_target_of_another_width_than_its_task_is_refused():
    with pytest.raises(st.InputError, match=r"y has 1 value per row, and time to event has 2; give st\.Survival"):
        assessed(st.Data(X, TIME, task="survival"))
    with pytest.raises(st.InputError, match="y has 2 values per row, and a number has 1"):
        assessed(st.Data(X, Y, task="number"))
    with pytest.raises(st.InputError, match="y has 2 values per row; ForestSelector takes one"):
        st.selectors.ForestSelector(task="number").fit(X, Y)


def test_start_and_stop_times_are_refused():
    with pytest.raises(st.InputError, match=r"got an array of shape \(90, 3\) .*\(left truncation\) are not modelled"):
        assessed(X, np.column_stack([np.zeros(90), TIME, EVENT]))
    named = np.zeros(90, dtype=[("start", float), ("stop", float), ("event", bool)])
    with pytest.raises(st.InputError, match=r"\(start, stop, event\).*\(left truncation\) are not modelled"):
        assessed(X, named)


def test_runs_without_events_fail_with_their_reason_and_strata_keep_their_share():
    few = st.Survival(TIME, np.arange(90) < 8)
    told = "the resample holds fewer than 2 events"
    assert assessed(X, few, resampling=st.Subsample(12, fraction=0.25)).failures["reason"].str.contains(told).any()
    plan, _ = make_plan(X, Y, resampling=st.Subsample(5, fraction=1 / 3, stratified=True), scoring=[])
    assert {plan.y[drawn.train, 1].sum() for drawn in plan.resamples()} == {round(EVENT.sum() / 3)}


def test_every_default_and_every_score_runs_on_times_and_on_counts():
    scores = {"survival": ["harrell", "uno", "time_auc", "brier", "integrated_brier"], "count": ["poisson_deviance"]}
    counts = RNG.poisson(np.exp(X[:, 0]))
    for task, y in (("survival", Y), ("count", counts)):
        found = st.assess(
            None, st.Data(X, y, task=task), resampling=st.KFold(3), scoring=scores[task], execution=SERIAL
        )
        assert found.failures.empty
        assert list(found.selectors) == list(TASKS[task].selectors(0))
        assert found.scores[scores[task]].notna().all().all()


def test_few_events_in_a_run_are_told_and_many_are_not():
    few = st.findings_of(assessed(X, st.Survival(TIME, np.arange(90) < 12)))
    told = "Some runs learn from no more than 6 events, of 12 in all; with fewer than about 10, single rows decide"
    assert any(note.startswith(told) for note in few.notes)
    assert not any("single rows decide" in note for note in st.findings_of(assessed(X, Y)).notes)


def test_directions_events_and_the_task_are_told():
    found = assessed(X, Y)
    words = st.features_table(found).set_index("feature")["direction"]
    assert (words["x0"], words["x1"]) == ("shorter time", "longer time")
    told = st.methods_text(found)
    assert f"90 rows ({EVENT.sum()} events) and 6 features. The target was a time to event." in told
    assert "concordance by Harrell of a Cox regression" in told
    assert "of each state (event or censored)" in told


def test_the_command_reads_time_and_event_and_records_them(tmp_path, capsys):
    path, out = table(tmp_path / "a.csv"), tmp_path / "runs"
    words = ["assess", str(path), "--time", "days", "--event", "dead", "-s", "anova:k=2", "--runs", "3"]
    assert run([*words, "--out", str(out)]) == 0
    assert f"outcome: time to event, {EVENT.sum()} events in 90 rows" in capsys.readouterr().out
    job = st.Assessment.open(out).settings["details"]["job"]
    assert (job["options"]["time"], job["options"]["event"]) == ("days", "dead")
    assert run(["assess", str(path), "--time", "days"]) == 2
    assert "--time is given without --event" in capsys.readouterr().err


def test_stability_selection_tuning_and_shortlists_take_times():
    chosen = st.StabilitySelection("anova", q=2, threshold=0.8, n_runs=20, random_state=0).fit(X, Y)
    assert chosen.get_support(indices=True).tolist() == [0, 1]
    space = {"filter": ["anova"], "fraction": [1 / 3], "model": {"ridge": {"coxmodel__penalty": [1.0]}}}
    grid = st.SearchOptions(sampler="grid")
    assert st.tune(space, X, Y, resampling=st.KFold(3), search=grid).frame["harrell"].gt(0.6).all()
    found = st.shortlist(X, Y, permutations=20, splits=10, outer=0)
    assert found.support[:2].all()
    methods = str(st.findings_of(found).methods)
    assert "variance that the martingale residuals of the target explain" in methods
    assert "the path of the lasso (Cox regression)" in methods


@pytest.mark.parametrize("force", [None, {"age": TIME % 7}])
def test_tuning_judges_survival_curves_and_covariates_as_an_assessment_does(force):
    data, names = st.Data(X, Y, force=force), ("integrated_brier", f"brier:at={np.median(TIME):g}", "harrell")
    spaces = {
        "anova:k=2": {"filter": ["anova"], "fraction": [1 / 3], "model": {"ridge": {}}},
        "lasso:k=2": {"model": {"lasso": {"k": [2]}}},
    }
    for selector, space in spaces.items():
        options = {"resampling": st.KFold(4, stratified=True)}
        tuned = st.tune(space, data, objectives=names, search={"sampler": "grid"}, **options)
        assess = st.assess(selector, data, scoring=list(names), execution=SERIAL, **options)
        for name in names:
            runs = [cell.scores[name] for cell in assess.cells]
            assert tuned.frame.loc[0, name] == pytest.approx(np.mean(runs), rel=1e-9), (selector, name)
            blind = [cell.blind[name] for cell in assess.cells]
            assert tuned.evaluator.blind_scores()[name] == pytest.approx(np.mean(blind), rel=1e-9)
        refitted = "What lasso selected was judged by a Cox regression fitted to it." in st.methods_text(tuned)
        assert refitted == (selector == "lasso:k=2")
        assert [set(one) for one in tuned.selections(0).sets()] == [
            set(one) for one in assess.selections[selector].sets()
        ]


def test_scores_at_a_time_are_those_of_the_functions_and_told_with_it():
    time = f"{np.median(TIME):g}"
    names = [f"brier:at={time}", f"time_auc:at={time}", "brier"]
    options = {"resampling": st.KFold(2, stratified=True), "scoring": names, "predictor": st.CoxModel(0.0)}
    found = st.assess("anova:k=2", X, Y, execution=SERIAL, **options)
    plan, _ = make_plan(X, Y, **options)
    drawn, cell = plan.draw(0), found.cells[0]
    model = st.CoxModel(0.0).fit(X[drawn.train][:, cell.selected], plan.y[drawn.train])
    rows, at = X[drawn.test][:, cell.selected], [float(time)]
    both = plan.y[drawn.test].T
    assert cell.scores[names[0]] == pytest.approx(st.scores.brier(*both, model.predict_survival(rows, at), at)[0])
    assert cell.scores[names[1]] == pytest.approx(st.scores.time_auc(*both, model.predict(rows), at)[0])
    middle = [np.median(both[0][both[1] > 0])]
    assert cell.scores["brier"] == pytest.approx(
        st.scores.brier(*both, model.predict_survival(rows, middle), middle)[0]
    )
    said = st.methods_text(found)
    assert f"Brier score at {time}" in said
    assert "Brier score at the median time of events" in said
    assert lower_is_better(names[0])
    assert not lower_is_better(names[1])


@pytest.mark.parametrize("name", ["brier:at=0", "brier:at=1e9", "brier:at=soon", "harrell:at=3"])
def test_a_score_at_a_time_that_nobody_can_judge_is_refused(name):
    with pytest.raises(st.InputError, match=r"needs a time from the first event|There is no score"):
        st.assess("anova:k=2", X, Y, resampling=st.KFold(2), scoring=name)


def test_a_configuration_that_selects_nothing_predicts_from_the_covariates_alone():
    space = {"model": {"lasso": {"penalty": [1e6]}}}
    found = st.tune(space, st.Data(X, Y, force={"age": TIME % 7}), search={"sampler": "grid"}, resampling=st.KFold(3))
    assert found.frame.loc[0, ["failures", "n_features"]].tolist() == [0, 0]
    assert found.frame.loc[0, "harrell"] == pytest.approx(found.evaluator.blind_scores()["harrell"])
    with pytest.raises(st.InputError, match="predicts beside covariates, which an estimator of X alone lacks"):
        found.estimator(0)


@pytest.mark.parametrize(
    ("age", "beaten"),
    [(TIME % 7, "no features (concordance by Harrell 0.500)"), (X[:, 0], "age alone (concordance by")],
)
def test_a_search_in_noise_is_compared_with_covariates_and_with_nothing(age, beaten):
    noise = np.random.default_rng(8).normal(size=X.shape)
    space = {"filter": ["anova"], "fraction": [1 / 3, 1 / 2], "model": {"ridge": {}}}
    data, search = st.Data(noise, Y, force={"age": age}), {"sampler": "grid"}
    found = st.findings_of(st.tune(space, data, search=search, resampling=st.KFold(3)))
    assert f"No configuration predicts significantly better than {beaten}" in " ".join(found.answer)


def test_what_does_not_apply_is_refused():
    with pytest.raises(st.InputError, match="NoiseInjection changes classes or numbers, and y is time to event"):
        assessed(X, Y, resampling=st.NoiseInjection(3, target="labels"))
    with pytest.raises(st.InputError, match="There is no score 'accuracy' for survival; known are harrell, uno"):
        assessed(X, Y, scoring="accuracy")
    with pytest.raises(st.InputError, match=r"jmi .for classes or numbers.; choose others"):
        st.assess(["jmi"], X, Y)
    with pytest.raises(st.InputError, match=r"y holds 1\.5, which is no count; counts are whole numbers from 0"):
        st.assess(["anova"], st.Data(X, np.full(90, 1.5) + EVENT, task="count"))


def test_columns_of_no_known_task_are_numbers_side_by_side():
    assert read_columns({"a": [1, 2], "b": [3, 4], "c": [5, 6]}).tolist() == [[1, 3, 5], [2, 4, 6]]
    with pytest.raises(st.InputError, match="the target 'b' holds 'x'"):
        read_columns({"a": [1, 2], "b": ["x", "y"], "c": [5, 6]})
