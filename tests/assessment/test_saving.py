"""Each run is on disk as soon as it is computed, though others are fitted together with it."""

import os
import pickle
import signal
import subprocess
import sys
import threading
from pathlib import Path

import numpy as np
import pytest
from tests.assessment.slow_scores import Accuracy
from tests.waiting import until

from steadyset.assessment import assess, engines
from steadyset.assessment.folder import RunFolder, Saving
from steadyset.assessment.request import make_request
from steadyset.resampling import Bootstrap
from steadyset.runner.run import RANDOM_DRAWS, Cell

X = np.random.default_rng(0).normal(size=(40, 6))
Y = (X[:, 0] + 0.5 * X[:, 1] > 0).astype(int)
SELECTOR = {"lasso": "lasso:k=2"}
# Calls of a score: the first run of a process finds the best of three constants; each run scores the selected features,
# the best constant, and every draw of random features.
FIND_CONSTANT = 3
A_RUN = 2 + RANDOM_DRAWS
FOURTH_RUN = FIND_CONSTANT + 3 * A_RUN + 1
SETTINGS = make_request(SELECTOR, X, Y, resampling=Bootstrap(2), random_state=0).settings

CHILD = """
import sys
from tests.assessment.slow_scores import Accuracy
from tests.assessment.test_saving import FOURTH_RUN, SELECTOR, X, Y
from steadyset.assessment import assess
from steadyset.resampling import Bootstrap

if __name__ == "__main__":
    out, log = sys.argv[1:]
    score = {"a": Accuracy(log, FOURTH_RUN, "wait")}
    how = {"engine": "processes", "all_rows": False}
    assess(SELECTOR, X, Y, resampling=Bootstrap(10), scoring=score, n_jobs=1, out=out, execution=how)
"""


def finished(folder):
    return list((folder / "finished").glob("*.json"))


def calls(log):
    return log.read_text(encoding="utf-8").splitlines()


@pytest.mark.slow
@pytest.mark.posix
def test_runs_that_are_scored_outlive_a_kill_in_the_middle_of_their_group(tmp_path):
    """Buys: a real process, ended by SIGKILL while the fourth run of its group is being scored."""
    script, out, log = tmp_path / "child.py", tmp_path / "runs", tmp_path / "log"
    script.write_text(CHILD, encoding="utf-8")
    here = {**os.environ, "PYTHONPATH": os.pathsep.join([str(Path(__file__).parents[2]), *sys.path])}
    child = subprocess.Popen([sys.executable, str(script), str(out), str(log)], env=here)
    try:
        until(lambda: len(finished(out)) >= 3, works=lambda: child.poll() is None)
    finally:
        child.send_signal(signal.SIGKILL)
        child.wait()
    before = RunFolder(out).cells()
    assert sorted(before) == [(0, 0), (0, 1), (0, 2)]
    how = {"scoring": {"a": Accuracy(log, 0, "")}, "resampling": Bootstrap(10)}
    how["execution"] = {"engine": "serial", "all_rows": False}
    resumed = assess(SELECTOR, X, Y, out=out, **how)
    kept = RunFolder(out).cells()
    assert {key: kept[key].fit_seconds for key in before} == {key: cell.fit_seconds for key, cell in before.items()}
    assert resumed.selections == assess(SELECTOR, X, Y, **how).selections


@pytest.mark.slow
@pytest.mark.posix
def test_a_lost_worker_leaves_the_runs_that_it_had_scored(tmp_path):
    """Buys: a real worker that is killed while it scores; what it had saved is not computed again."""
    log = tmp_path / "log"
    score = {"a": Accuracy(log, FOURTH_RUN, "die")}
    how = {"engine": "processes", "all_rows": False}
    result = assess(
        SELECTOR, X, Y, resampling=Bootstrap(10), scoring=score, n_jobs=1, out=tmp_path / "runs", execution=how
    )
    assert result.scores["a"].notna().all()
    # Those of three runs and the one that ended it, then those of each of the others in two other processes.
    assert len(calls(log)) == FOURTH_RUN + 2 * FIND_CONSTANT + 7 * A_RUN


@pytest.mark.filterwarnings("ignore:Port")
def test_a_dask_worker_tells_of_each_run_before_its_group_is_done(tmp_path):
    distributed = pytest.importorskip("distributed")
    log, resampling = tmp_path / "log", Bootstrap(20)
    score = Accuracy(log, FOURTH_RUN, "wait")
    request = make_request(
        SELECTOR, X, Y, resampling=resampling, scoring={"a": score}, predictor=None, random_state=0,
    )  # fmt: skip
    keys = [(0, run) for run in range(16)]
    with distributed.Client(processes=False, n_workers=1, threads_per_worker=1, dashboard_address=None) as client:
        told = engines._attempt(client, request.plan, request.selectors, keys)
        try:
            first = [next(told).run for _ in range(3)]
            until(lambda: len(calls(log)) >= FOURTH_RUN)
            assert len(calls(log)) == FOURTH_RUN  # those of three runs, and the one that waits
        finally:
            score.go_on()
        runs = first + [cell.run for cell in told]
    assert sorted(runs) == list(range(16))


def test_a_run_of_a_thread_that_goes_on_after_the_end_is_not_saved(tmp_path):
    folder = RunFolder(tmp_path)
    folder.write_settings(SETTINGS)
    saving, goes_on = Saving(folder), threading.Event()

    def cells():
        yield Cell(0, 0, "b", (1,), None)
        goes_on.wait()
        yield Cell(0, 1, "b", (1,), None)

    thread = threading.Thread(target=lambda: list(saving.each(cells())))
    thread.start()
    try:
        until(lambda: finished(tmp_path), works=thread.is_alive)
        saving.close()
    finally:
        goes_on.set()
        thread.join()
    assert [path.name for path in (tmp_path / "finished").iterdir()] == ["0-0.json"]


def test_a_worker_saves_where_its_parent_was_started_and_leaves_failures_to_it(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    folder = RunFolder(Path())
    folder.write_settings(SETTINGS)
    saving = Saving(folder)
    monkeypatch.chdir("/")
    there = pickle.loads(pickle.dumps(saving))
    cells = [Cell(0, 0, "b", (1,), None), Cell(0, 1, "b", None, None, failure="ValueError: no")]
    assert list(there.each(cells)) == cells
    assert [path.name for path in (tmp_path / "finished").iterdir()] == ["0-0.json"]
    assert list(Saving().each(cells)) == cells
