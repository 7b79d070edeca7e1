"""Worker processes may crash, be killed or lose their parent; and small work needs none."""

import os
import signal
import subprocess
import sys
import textwrap
import threading
from contextlib import suppress

import numpy as np
import pandas as pd
import psutil
import pytest
from joblib import Parallel, delayed
from sklearn.base import BaseEstimator
from sklearn.feature_selection import SelectKBest, SelectorMixin, f_classif
from tests.waiting import until

from steadyset.assessment import assess, engines
from steadyset.assessment.engines import CRASHED, _deaf_children
from steadyset.foundation.arguments import job_count
from steadyset.foundation.errors import InputError
from steadyset.resampling import Bootstrap, Rows
from steadyset.runner.run import Cell

X = np.random.default_rng(0).normal(size=(40, 6))
Y = (X[:, 0] > 0).astype(int)


class First(SelectorMixin, BaseEstimator):
    """Selects the first feature, and does something else before it on one resample, known by its sum."""

    def __init__(self, deed="", total=None):
        self.deed = deed
        self.total = total

    def fit(self, X, y):
        if self.total == X.sum():
            if self.deed == "exit":
                os._exit(3)
            if self.deed == "segmentation fault":
                os.kill(os.getpid(), signal.SIGSEGV)
            if self.deed == "out of memory":
                raise MemoryError("no room")
        self.n_features_in_ = X.shape[1]
        return self

    def _get_support_mask(self):
        return np.arange(self.n_features_in_) < 1


def total(run):
    """What the rows of a run sum up to."""
    return X[Bootstrap().draw(run, Rows(len(Y), Y, None), 0).train].sum()


@pytest.mark.slow
@pytest.mark.posix
def test_a_selector_that_ends_its_process_fails_in_that_run_alone_and_is_named():
    """Buys: real worker processes that crash, and the search for the cells that did it."""
    selectors = {"sound": First(), "leaving": First("exit", total(1)), "faulty": First("segmentation fault", total(0))}
    result = assess(selectors, X, Y, resampling=Bootstrap(3), n_jobs=2, execution={"engine": "processes"})
    assert result.failures[["selector", "run"]].to_numpy().tolist() == [["leaving", 1], ["faulty", 0]]
    assert result.failures["reason"].tolist() == [f"{CRASHED} (EXIT(3))", f"{CRASHED} (SIGSEGV(-11))"]
    assert {name: found.n_runs for name, found in result.selections.items()} == {"sound": 3, "leaving": 2, "faulty": 2}


def test_a_run_that_failed_for_want_of_memory_is_tried_again(tmp_path):
    selector, seen = {"a": First("out of memory", total(0))}, []
    first = assess(selector, X, Y, resampling=Bootstrap(3), out=tmp_path)
    assert first.failures["reason"].tolist() == ["MemoryError: no room"]
    assess(selector, X, Y, resampling=Bootstrap(3), out=tmp_path, execution={"progress": lambda *at: seen.append(at)})
    assert seen[0] == (2, 3)


@pytest.mark.parametrize("reason", ["OSError: [Errno 28] No space", "no score: MemoryError", "FileNotFoundError: x"])
def test_failures_of_the_machine_pass(reason):
    from steadyset.assessment import _passing

    assert _passing(Cell(0, 0, "b", None, None, failure=reason))
    assert not _passing(Cell(0, 0, "b", None, None, failure="ValueError: OSError"))


def test_small_work_of_known_selectors_starts_no_worker(monkeypatch):
    def refused(*_):
        raise AssertionError("a worker was started")

    monkeypatch.setitem(engines.ENGINES, "processes", refused)
    result = assess("anova:k=2", X, Y, resampling=Bootstrap(3), n_jobs=2)
    assert result.selections["anova:k=2"].n_runs == 3
    with pytest.raises(AssertionError, match="a worker was started"):
        assess({"mine": First()}, X, Y, resampling=Bootstrap(3), n_jobs=2)


def test_work_that_takes_longer_goes_on_in_workers(monkeypatch):
    monkeypatch.setattr(engines, "PATIENCE", 0.0)
    asked = []
    monkeypatch.setitem(engines.ENGINES, "processes", lambda *given: asked.append(given) or engines._serial(*given))
    assess("anova:k=2", X, Y, resampling=Bootstrap(3), n_jobs=2)
    assert len(asked) == 1


def test_what_no_cache_has_is_compiled_here_before_workers_would_do_it_side_by_side(monkeypatch):
    monkeypatch.setattr(engines, "PATIENCE", 0.0)
    how = {"resampling": Bootstrap(5), "random_state": 3, "n_jobs": 2}
    found = []
    for nothing, left in ((True, {2, 3, 4}), (False, {-1, 0, 1, 2, 3, 4})):
        shared = []
        monkeypatch.setattr(engines, "nothing_compiled", lambda nothing=nothing: nothing)
        monkeypatch.setitem(
            engines.ENGINES, "processes", lambda *given, to=shared: to.extend(given[2]) or engines._serial(*given)
        )
        found.append(assess(["anova:k=2", "jmi:k=2"], X, Y, **how).selections)
        assert {run for _, run in shared} == left
    assert found[0] == found[1]


@pytest.mark.parametrize("begin", [lambda *_: iter(()), lambda *_: 1 / 0], ids=["compiles", "cannot start"])
def test_on_an_empty_cache_other_processes_compile_for_each_module_of_selectors_but_one(monkeypatch, begin):
    begun = []
    monkeypatch.setattr(engines, "nothing_compiled", lambda: True)
    monkeypatch.setattr(engines, "FOLDER", "somewhere")
    monkeypatch.setattr(engines, "job_count", lambda n_jobs: 8 if n_jobs == -1 else 1)
    monkeypatch.setattr(engines._Workers, "begin", lambda self, *given: begun.append(given) or (_ for _ in begin()))
    how = {"resampling": Bootstrap(3), "random_state": 3}
    found = assess(["anova:k=2", "lasso", "jmi:k=2", "forest"], X, Y, **how)
    assert begun == [([(0, 0), (1, 0)], 2)]
    assert found.selections == assess(["anova:k=2", "lasso", "jmi:k=2", "forest"], X, Y, n_jobs=1, **how).selections
    assert len(begun) == 1, "one job that was asked for is one process"


def test_a_slow_first_run_does_not_send_the_quick_rest_to_workers(monkeypatch):
    """The first run of a selector loads its kernels; workers would load them again."""
    assert sent_to_workers(monkeypatch, [10.0, 0.01, 0.01, 0.01, 0.01]) == 0


def test_workers_take_over_where_the_rest_is_worth_their_start(monkeypatch):
    """With two jobs the rest takes half as long, but begins 3 s later: it has to take more than 6 s."""
    assert sent_to_workers(monkeypatch, [10.0, 1.9, 1.9, 1.9, 1.9]) == 0
    assert sent_to_workers(monkeypatch, [10.0, 2.1, 2.1, 2.1, 2.1]) == 3


def sent_to_workers(monkeypatch, seconds):
    """How many of the cells of an assessment go to workers, if they take these seconds of the processor."""
    group, serial, now, left, sent = engines.compute_group, engines._serial, [0.0], iter(seconds), []
    monkeypatch.setattr(engines.time, "process_time", lambda: now[0])
    monkeypatch.setattr(engines, "nothing_compiled", lambda: False)

    def timed(*given):
        now[0] += next(left)
        return group(*given)

    def recorded(*given):
        sent.extend(given[2])
        monkeypatch.setattr(engines, "compute_group", group)
        return serial(*given)

    monkeypatch.setattr(engines, "compute_group", timed)
    monkeypatch.setitem(engines.ENGINES, "processes", recorded)
    assess("anova:k=2", X, Y, resampling=Bootstrap(4), n_jobs=2)
    monkeypatch.setattr(engines, "compute_group", group)
    return len(sent)


def test_the_change_to_workers_in_the_middle_changes_nothing(monkeypatch):
    selectors = ["anova:k=2", "jmi:k=2", "lasso", "forest"]
    how = {"resampling": Bootstrap(4), "random_state": 3, "scoring": ["accuracy", "auc"]}
    apart = assess(selectors, X, Y, n_jobs=2, execution={"engine": "processes"}, **how)
    inside = assess(selectors, X, Y, execution={"engine": "serial"}, **how)
    cells = []
    group = engines.compute_group
    monkeypatch.setattr(engines, "compute_group", lambda *given: cells.extend(given[3]) or group(*given))
    monkeypatch.setattr(engines, "_seconds", lambda *_: 0.0 if len(cells) < 6 else np.inf)
    monkeypatch.setattr(engines, "PATIENCE", 1e-9)
    monkeypatch.setattr(engines, "nothing_compiled", lambda: False)
    both = assess(selectors, X, Y, n_jobs=2, execution={"engine": "auto"}, **how)
    assert len(cells) == 6
    for other in (inside, both):
        assert other.selections == apart.selections
        same = ["selector", "run", "label", "size", "accuracy", "auc"]
        pd.testing.assert_frame_equal(other.scores[same], apart.scores[same], check_exact=True)


@pytest.mark.parametrize("n_jobs", [0, 1.5, "2", True])
def test_what_is_no_number_of_jobs_is_refused_before_a_folder_is_made(tmp_path, n_jobs):
    with pytest.raises(InputError, match="n_jobs must be a number of jobs, or -1 for all cores"):
        assess("anova", X, Y, n_jobs=n_jobs, out=tmp_path / "runs")
    assert not (tmp_path / "runs").exists()


def test_an_unknown_engine_is_refused_before_a_folder_is_made(tmp_path):
    with pytest.raises(InputError, match=r"engine must be auto, serial, .* \(got 'steam'\)"):
        assess("anova", X, Y, out=tmp_path / "runs", execution={"engine": "steam"})
    assert not (tmp_path / "runs").exists()


def test_jobs_are_counted_as_joblib_does():
    from joblib import cpu_count

    assert [job_count(n) for n in (None, 1, 3, -1, -1000)] == [1, 1, 3, cpu_count(), 1]


@pytest.mark.slow
@pytest.mark.posix
def test_workers_end_when_their_parent_is_killed(tmp_path):
    """Buys: real worker processes, in the middle of a long fit, whose parent gets SIGKILL."""
    code = """
    import os, sys, time
    import numpy as np
    from sklearn.feature_selection import SelectKBest
    from steadyset.assessment import assess
    from steadyset.resampling import Bootstrap, Rows

    class Long(SelectKBest):
        def fit(self, X, y):
            open(f"{os.environ['PIDS']}/{os.getpid()}", "w").close()
            time.sleep(600)

    X = np.random.default_rng(0).normal(size=(20, 3))
    assess({"long": Long(k=1)}, X, X[:, 0] > 0, resampling=Bootstrap(4), n_jobs=2, execution={"engine": "processes"})
    """
    parent = subprocess.Popen([sys.executable, "-c", textwrap.dedent(code)], env={**os.environ, "PIDS": str(tmp_path)})
    try:
        until(lambda: list(tmp_path.iterdir()))
        workers = [int(path.name) for path in tmp_path.iterdir()]
        assert parent.pid not in workers
    finally:
        parent.send_signal(signal.SIGKILL)
        parent.wait()
    until(lambda: not any(_alive(pid) for pid in workers))


def _alive(pid):
    with suppress(psutil.NoSuchProcess):
        return psutil.Process(pid).status() != psutil.STATUS_ZOMBIE
    return False


@pytest.mark.parametrize("out", ["a\0b", "", 3])
def test_what_cannot_be_a_folder_is_refused(out):
    with pytest.raises(InputError, match="out must be the path of a folder"):
        assess("anova:k=2", X, Y, resampling=Bootstrap(2), out=out)


def test_what_cannot_be_sent_to_workers_is_refused_before_a_folder_is_made(tmp_path):
    selector = First(threading.Lock())
    with pytest.raises(InputError, match="'locked' cannot be sent to worker processes: TypeError: "):
        assess({"locked": selector}, X, Y, resampling=Bootstrap(2), n_jobs=2, out=tmp_path / "runs")
    assert not (tmp_path / "runs").exists()


def test_a_score_that_cannot_be_sent_to_workers_is_refused():
    held = threading.Lock()
    with pytest.raises(InputError, match="The score 'mine' cannot be sent to worker processes: TypeError: "):
        assess("anova:k=2", X, Y, resampling=Bootstrap(2), n_jobs=2, scoring={"mine": lambda *_: float(held.locked())})


def test_functions_without_a_name_and_classes_of_a_function_are_sent_to_workers():
    class Local(First):
        """Selects what its parent does."""

    k = 2
    selectors = {
        "lambda": SelectKBest(lambda X, y: f_classif(X, y), k=k),
        "class": Local(),
        "function": lambda X, y: np.arange(k),
    }
    result = assess(selectors, X, Y, resampling=Bootstrap(3), n_jobs=2, scoring={"one": lambda *_: 1.0 * k})
    assert {name: sel.sizes.tolist() for name, sel in result.selections.items()} == {
        "lambda": [2, 2, 2],
        "class": [1, 1, 1],
        "function": [2, 2, 2],
    }


def blocks_ctrl_c():
    return signal.SIGINT in signal.pthread_sigmask(signal.SIG_BLOCK, [])


@pytest.mark.slow  # buys: no worker is left behind by a Ctrl-C while it starts
@pytest.mark.posix
def test_workers_are_deaf_to_ctrl_c_from_their_first_moment_and_their_parent_is_not():
    """It reaches every process of a terminal; only the parent is to answer."""
    with _deaf_children():
        results = Parallel(n_jobs=2, return_as="generator")(delayed(blocks_ctrl_c)() for _ in range(2))
    assert list(results) == [True, True]
    assert not blocks_ctrl_c()
