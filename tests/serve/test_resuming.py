"""A run that was begun in a terminal goes on with the page, where that is safe, and ends as if nothing had happened."""

import json
import os
import time

import pandas as pd
import pytest
from tests.records import call
from tests.serve.test_queue import until
from tests.serve.test_serve_in_browser import table

import steadyset as st
from steadyset.assessment import Assessment
from steadyset.foundation.job import Job, doing
from steadyset.serve.progress import FINISHED_STATE, INTERRUPTED, RUNNING, progress_of
from steadyset.serve.run_store import JOB, STOPPED, Order, RunStore, read_order, write_order
from steadyset.serve.run_views import resumed_order
from steadyset.serve.sandboxed import front

SELECTOR, RUNS = "forest:k=2", 20
TYPED = {
    "file": "table.csv",
    "target": "tumour",
    "selector": [SELECTOR],
    "runs": str(RUNS),
    "jobs": 1,
    "out": "typed",
}


def progress(folder):
    return progress_of(RunStore(folder).run("typed"))


def assessed(folder, **options):
    data = st.load_data(folder / "table.csv", "tumour")
    y = pd.Series(data.y, name="tumour")
    options = {"features": data.features, "n_runs": RUNS, "random_state": 0, "progress": False, **options}
    return call(st.assess, [SELECTOR], data.X, y, **options)


def begun(folder, options=TYPED, runs=RUNS):
    """The folder of a command that was interrupted after three runs."""

    def interrupted(done, total):
        if done == 3:
            raise KeyboardInterrupt

    table(folder / "table.csv")
    with doing(Job("assess", options)), pytest.raises(KeyboardInterrupt):
        assessed(folder, n_runs=runs, out=folder / "typed", engine="serial", progress=interrupted)
    return RunStore(folder).run("typed")


@pytest.mark.slow  # buys: the whole journey, with a command that runs beside the page
def test_a_run_of_the_terminal_is_resumed_stopped_and_resumed_as_if_it_had_not_been(client, folder):
    begun(folder)
    assert (progress(folder).state, progress(folder).done) == (INTERRUPTED, 3)
    assert "Go on" in client.get("/runs/typed").text
    assert client.post("/runs/typed/resume", headers=client.change).headers["location"] == "/runs/typed"
    until(lambda: progress(folder).done > 3)
    client.post("/runs/typed/stop", headers=client.change)
    until(lambda: progress(folder).state != RUNNING)
    assert progress(folder).state == STOPPED
    assert 3 < progress(folder).done < RUNS
    client.post("/runs/typed/resume", headers=client.change)
    until(lambda: progress(folder).state != RUNNING)
    assert (progress(folder).state, progress(folder).done) == (FINISHED_STATE, RUNS)
    resumed = Assessment.open(folder / "typed").selections[SELECTOR]
    assert resumed == assessed(folder).selections[SELECTOR]


@pytest.mark.parametrize(
    ("job", "why"),
    [
        (None, "does not record a command"),
        (Job("assess", {**TYPED, "load": ["evil.py"]}), "loads Python code"),
        (Job("assess", {**TYPED, "engine": "tcp://elsewhere:8786"}), "other machines"),
        (Job("assess", {**TYPED, "file": "moved.csv"}), "moved.csv is no longer there"),
        (Job("assess", {**TYPED, "samples": "moved.csv"}), "moved.csv is no longer there"),
        (Job("sh", {"c": "evil"}), "not one that could have made this folder"),
        (Job("tune", {"file": "table.csv"}), "not one that could have made this folder"),
        (Job("assess", {**TYPED, "unknown": "1"}), "not one that could have made this folder"),
        (Job("assess", {**TYPED, "jobs": "1; evil"}), "not one that could have made this folder"),
    ],
)
def test_what_cannot_be_repeated_safely_says_why_and_is_not_run(client, folder, job, why):
    recorded = {} if job is None else {"job": job._asdict()}
    settings = {"selectors": {"a": ""}, "details": {"n_runs": 5, **recorded}}
    table(folder / "table.csv")
    (folder / "typed").mkdir()
    (folder / "typed" / "assessment.json").write_text(json.dumps(settings), encoding="utf-8")
    page = client.get("/runs/typed").text
    assert why in page
    assert "Go on</button>" not in page
    assert why in client.post("/runs/typed/resume", headers=client.change).text
    assert not (folder / "typed" / JOB).exists()


def test_a_command_is_repeated_with_its_options_from_where_it_was_typed(folder):
    (folder.parent / "data").mkdir()
    table(folder.parent / "data" / "x.csv")
    options = {**TYPED, "file": "data/x.csv", "out": f"{folder.name}/typed", "impute": "median"}
    order = resumed_order(begun(folder, options), cores=2)
    assert order.command == "assess"
    assert {name: order.options[name] for name in ("file", "target", "selector", "jobs", "impute", "out")} == {
        "file": str(folder.parent / "data" / "x.csv"),
        "target": "tumour",
        "selector": [SELECTOR],
        "jobs": 1,
        "impute": "median",
        "out": "typed",
    }
    assert order.cores == 1


def tuned_in_part(folder, name, configurations=1):
    """The folder of a tuning that was interrupted after some configurations, a minute ago."""
    table(folder / "table.csv")
    data = st.load_data(folder / "table.csv", "tumour")

    def interrupted(done, total):
        if done >= configurations:
            raise KeyboardInterrupt

    space = {"filter": ["anova"], "model": {"knn": {"kneighborsclassifier__n_neighbors": [1, 3]}}}
    job = Job("tune", {"file": "table.csv", "target": "tumour", "trials": 9, "out": name})
    with doing(job), pytest.raises(KeyboardInterrupt):
        st.tune(
            space,
            data.X,
            data.y,
            resampling=st.KFold(3),
            out=folder / name,
            n_trials=9,
            execution=st.Execution(progress=interrupted),
        )


def test_a_tuning_records_its_command_and_is_seen_while_it_works(folder):
    pytest.importorskip("optuna")
    tuned_in_part(folder, "tuned")
    run = RunStore(folder).run("tuned")
    assert (progress_of(run).state, progress_of(run).done) == (RUNNING, 1)  # as far as one can see just now
    before = time.time() - 60
    os.utime(folder / "tuned" / "trials.db", (before, before))
    assert (progress_of(run).state, progress_of(run).done) == (INTERRUPTED, 1)
    order = resumed_order(run, cores=2)
    assert (order.command, order.options["trials"], order.cores) == ("tune", 9, 2)
    front(str(folder / "tuned"))  # who looks does not write
    assert progress_of(run).state == INTERRUPTED


def test_an_order_of_a_stranger_that_would_load_code_is_none(folder):
    write_order(folder / "a", Order("assess", {"out": "a", "load": ["evil.py"]}))
    assert read_order(folder / "a") is None


def test_runs_until_intervals_are_narrow_have_no_total(client, folder):
    begun(folder, runs="auto")
    found = progress(folder)
    assert (found.done, found.total) == (3, 0)
    assert found.until == "it stops when every interval is narrower than 0.05, after at most 1,000 runs"
    assert "3 runs so far" in client.get("/runs").text
