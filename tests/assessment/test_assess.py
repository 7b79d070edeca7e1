"""assess: the same answer whatever the engine, the order or an interruption."""

import errno
import json
import os
import signal
import subprocess
import sys
import textwrap
import time
from dataclasses import asdict
from pathlib import Path

import numpy as np
import pandas as pd
import psutil
import pytest
from benchmarks.peers import sparse_logistic
from sklearn.datasets import load_breast_cancer, load_diabetes
from sklearn.ensemble import ExtraTreesClassifier, RandomForestClassifier
from sklearn.feature_selection import SelectFromModel, SelectKBest, f_classif
from sklearn.linear_model import Lasso, LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from tests.assessment.first_two import Selector
from tests.waiting import until

import steadyset as st
from steadyset.assessment import Assessment, assess
from steadyset.assessment.folder import RunFolder
from steadyset.assessment.request import make_request
from steadyset.foundation.errors import InputError
from steadyset.io import beneath
from steadyset.resampling import Bootstrap, KFold, NoiseInjection
from steadyset.runner.run import Cell

X, Y = load_breast_cancer(return_X_y=True, as_frame=True)
X, Y = X.iloc[::4], Y.iloc[::4]


SETTINGS = {
    "selectors": {"a": "A()"},
    "resampling": "bootstrap",
    "predictor": "P()",
    "scoring": ["auc", "accuracy"],
    "task": "classes",
    "seed": 0,
    "n_rows": 10,
    "n_features": 4,
    "data_sha256": "0" * 64,
    "features": ["a", "b", "c", "d"],
    "steadyset_version": "0",
}


SELECTORS = {
    "anova": SelectKBest(f_classif, k=5),
    "forest": RandomForestClassifier(n_estimators=5),
    "lasso": make_pipeline(StandardScaler(), sparse_logistic(solver="liblinear", C=0.1)),
}


def test_selections_carry_names_labels_and_weights():
    result = assess(SELECTORS, X, Y, resampling=Bootstrap(6), scoring=["accuracy", "auc"])
    assert result.selectors == ("anova", "forest", "lasso")
    for sel in result.selections.values():
        assert sel.features == tuple(X.columns)
        assert [label.partition(":")[2] for label in sel.labels] == [f"0:{i}" for i in range(1, 7)]
        assert sel.weights is not None
    assert set(result.selections["anova"].sizes) == {5}
    assert result.scores.groupby("selector")["accuracy"].mean().min() > 0.8
    assert (result.scores["fit_seconds"] > 0).all()
    assert result.failures.empty


def test_all_selectors_see_the_same_resamples():
    result = assess([SelectKBest(k=5), SelectKBest(k=5)], X, Y, resampling=Bootstrap(4))
    a, b = result.selections.values()
    assert result.selectors == ("SelectKBest", "SelectKBest 2")
    assert a == b


def test_a_run_is_what_fitting_on_its_rows_gives():
    result = assess(SelectKBest(k=5), X, Y, resampling=Bootstrap(3), random_state=9)
    rows = st.resampling.Rows(len(Y), Y.to_numpy())
    for i in range(3):
        train = Bootstrap(3).draw(i, rows, 9).train
        support = SelectKBest(k=5).fit(X.iloc[train], Y.iloc[train]).get_support()
        assert np.array_equal(result.selections["SelectKBest"].selected(i), np.flatnonzero(support))


@pytest.mark.parametrize(("engine", "jobs"), [("threads", 2), ("processes", 2), ("auto", 2)])
def test_the_answer_does_not_depend_on_the_engine(engine, jobs):
    alone = assess(SELECTORS, X, Y, resampling=Bootstrap(6), random_state=1)
    other = assess(SELECTORS, X, Y, resampling=Bootstrap(6), random_state=1, n_jobs=jobs, execution={"engine": engine})
    assert alone.selections == other.selections
    same = ["selector", "run", "label", "size", "accuracy"]
    pd.testing.assert_frame_equal(alone.scores[same], other.scores[same])


@pytest.mark.slow
@pytest.mark.posix
def test_a_dask_cluster_gives_the_same_and_survives_a_killed_worker(tmp_path):
    """Buys: a real scheduler, two worker processes, one of them killed in the middle of the work."""
    distributed = pytest.importorskip("distributed")
    slow = {"slow": Dawdling(0.1)}
    alone = assess({"slow": Dawdling(0.0)}, X, Y, resampling=Bootstrap(30))
    with distributed.LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address="127.0.0.1:0") as cluster:
        victim = next(iter(cluster.workers.values())).pid
        seen = []

        def kill_once(done, total):
            seen.append(done)
            if done == 5:
                os.kill(victim, signal.SIGKILL)

        other = assess(
            slow, X, Y, resampling=Bootstrap(30), execution={"engine": cluster.scheduler_address, "progress": kill_once}
        )
    assert seen[-1] == 30
    assert alone.selections == other.selections


@pytest.mark.slow  # buys: a worker that is killed while others run
@pytest.mark.posix
def test_a_killed_worker_process_loses_nothing(tmp_path):
    flag = tmp_path / "one was killed"
    result = assess(
        {"mortal": Mortal(str(flag))}, X, Y, resampling=Bootstrap(6), n_jobs=2, execution={"engine": "processes"}
    )
    assert flag.exists()
    assert result.selections["mortal"].n_runs == 6


def test_more_runs_extend_an_assessment(tmp_path):
    first = assess(SELECTORS, X, Y, resampling=Bootstrap(3), out=tmp_path / "runs")
    calls = []
    more = assess(
        SELECTORS,
        X,
        Y,
        resampling=Bootstrap(5),
        out=tmp_path / "runs",
        execution={"progress": lambda done, total: calls.append(done)},
    )
    whole = assess(SELECTORS, X, Y, resampling=Bootstrap(5))
    assert calls[0] == 9
    assert more.selections == whole.selections
    assert first.selections["anova"] == whole.selections["anova"].take(range(3))


def test_a_recorded_assessment_opens_as_it_was(tmp_path):
    result = assess(SELECTORS, X, Y, resampling=Bootstrap(4), out=tmp_path / "runs", scoring=["accuracy", "error"])
    again = Assessment.open(tmp_path / "runs")
    assert again.selections == result.selections
    pd.testing.assert_frame_equal(again.scores, result.scores)
    assert list((tmp_path / "runs" / "finished").iterdir()) == []
    assert json.loads((tmp_path / "runs" / "assessment.json").read_text(encoding="utf-8"))["schema_version"] == 5


NURSERY = """
import os, sys
from sklearn.datasets import load_breast_cancer
from sklearn.feature_selection import SelectKBest
from sklearn.ensemble import RandomForestClassifier
from steadyset.assessment import assess
from steadyset.resampling import Bootstrap
X, y = load_breast_cancer(return_X_y=True)
for _ in sys.stdin:
    child = os.fork()
    if child == 0:
        assess({"a": SelectKBest(k=5), "b": RandomForestClassifier(n_estimators=3)}, X[::4], y[::4],
               resampling=Bootstrap(100), out=sys.argv[1])
        os._exit(0)
    print(child, flush=True)
    print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]), flush=True)
"""


@pytest.mark.slow
@pytest.mark.posix
def test_killed_at_random_moments_and_resumed_equals_never_interrupted(tmp_path):
    """Buys: kill -9 at 25 random moments, each followed by a resume that only does what is missing."""
    selectors = {"a": SelectKBest(k=5), "b": RandomForestClassifier(n_estimators=3)}
    whole = assess(selectors, X.to_numpy(), Y.to_numpy(), resampling=Bootstrap(100))
    random = np.random.default_rng(0)
    folder = tmp_path / "runs"
    exits, progress = [], []
    with subprocess.Popen(
        [sys.executable, "-c", NURSERY, str(folder)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as nursery:
        while exits.count(-signal.SIGKILL) < 25 or progress[-1] < 20:
            nursery.stdin.write("next\n")
            nursery.stdin.flush()
            child = int(nursery.stdout.readline())
            try:
                _wait_for_more(folder, random.integers(0, 4), child)
                time.sleep(random.uniform(0.0, 0.02))
            finally:
                os.kill(child, signal.SIGKILL)
            exits.append(int(nursery.stdout.readline()))
            progress.append(len(RunFolder(folder).cells()) if RunFolder(folder).exists else 0)
        nursery.stdin.close()
    assert set(exits) == {-signal.SIGKILL}
    assert progress == sorted(progress)
    assert 20 <= progress[-1] < 200
    started = []
    resumed = assess(
        selectors,
        X.to_numpy(),
        Y.to_numpy(),
        resampling=Bootstrap(100),
        out=folder,
        execution={"progress": lambda done, total: started.append(done)},
    )
    assert started[0] == progress[-1]
    assert resumed.selections == whole.selections


def test_a_second_process_on_the_folder_gets_a_sentence(tmp_path):
    folder = RunFolder(tmp_path / "runs")
    with folder.locked(), pytest.raises(InputError, match="in use by another process"):
        assess(SelectKBest(k=5), X, Y, resampling=Bootstrap(2), out=tmp_path / "runs")


@pytest.mark.posix
def test_a_disk_without_locks_gets_a_sentence_and_no_file_in_their_place(tmp_path, monkeypatch):
    import fcntl

    def no_locks(*_):
        raise OSError(errno.ENOSYS, "Function not implemented")

    monkeypatch.setattr(fcntl, "flock", no_locks)
    with pytest.raises(InputError, match="on a disk without locks; choose a folder on another disk"):
        assess(SelectKBest(k=5), X, Y, resampling=Bootstrap(2), out=tmp_path / "runs")
    assert not (tmp_path / "runs" / "assessment.json").exists()


def test_a_model_behind_a_selector_chooses_among_what_the_selector_let_through():
    selector = SelectKBest(f_classif, k=5)
    sparse = sparse_logistic(solver="liblinear", C=0.1)
    selectors = {
        "alone": make_pipeline(StandardScaler(), selector),
        "dense": make_pipeline(StandardScaler(), selector, LogisticRegression()),
        "sparse": make_pipeline(StandardScaler(), selector, sparse),
    }
    result = assess(selectors, X, Y, resampling=Bootstrap(4), importance="selector")
    assert result.failures.empty
    alone, dense, fewer = (result.selections[name] for name in selectors)
    for i in range(4):
        assert set(dense.selected(i)) == set(alone.selected(i))
        assert set(fewer.selected(i)) < set(alone.selected(i))
    assert not np.allclose(dense.weights, alone.weights)  # they are the coefficients of the model


def test_an_assessment_without_a_finished_run_has_an_empty_summary(tmp_path):
    settings = assess(SelectKBest(k=5), X, Y, resampling=Bootstrap(2)).settings
    summary = Assessment(settings, []).summary()
    assert summary["n_runs"].tolist() == [0]
    assert summary["stability"].isna().all()


def test_a_folder_of_another_assessment_is_refused(tmp_path):
    out = tmp_path / "runs"
    assess(SelectKBest(k=5), X, Y, resampling=Bootstrap(2), out=out)
    for arguments, word in [
        ((SelectKBest(k=6), X, Y), "selectors"),
        ((SelectKBest(k=5), X + 1, Y), "data"),
    ]:
        with pytest.raises(InputError, match=f"other {word}[;:]"):
            assess(*arguments, resampling=Bootstrap(2), out=out)
    with pytest.raises(InputError, match="another seed"):
        assess(SelectKBest(k=5), X, Y, resampling=Bootstrap(2), out=out, random_state=5)
    with pytest.raises(InputError, match="another resampling"):
        assess(SelectKBest(k=5), X, Y, resampling=KFold(2), out=out)
    with pytest.raises(InputError, match=r"already holds an assessment; continue it with st\.Execution\(resume=True\)"):
        assess(SelectKBest(k=5), X, Y, resampling=Bootstrap(2), out=out, execution={"resume": False})


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("assessment.json", b"{broken"),
        ("assessment.json", b'{"schema": "other"}'),
        ("assessment.json", b'{"schema": "steadyset.assessment", "schema_version": 99}'),
        ("cells.json", b'{"cells": [], "sha256": "not really"}'),
        ("finished/0-7.json", b'{"selector": 0}'),
    ],
)
def test_a_damaged_folder_says_what_is_damaged(tmp_path, name, content):
    assess(SelectKBest(k=5), X, Y, resampling=Bootstrap(2), out=tmp_path / "runs")
    (tmp_path / "runs" / name).write_bytes(content)
    with pytest.raises(InputError, match=name.replace(".", r"\.")):
        Assessment.open(tmp_path / "runs")


def test_estimators_inside_and_long_arrays_are_part_of_what_was_asked_for(tmp_path):
    def asked(estimator):
        return assess(estimator, X, Y, resampling=Bootstrap(2), out=tmp_path / "runs")

    asked(SelectFromModel(RandomForestClassifier(3, bootstrap=True)))
    asked(SelectFromModel(RandomForestClassifier(3, bootstrap=True)))
    with pytest.raises(InputError, match="other selectors"):
        asked(SelectFromModel(ExtraTreesClassifier(3, bootstrap=True, criterion="gini")))
    long, other = np.zeros(5000), np.zeros(5000)
    other[2500] = 1
    described = [make_request_settings(Dawdling(seconds)) for seconds in (long, long.copy(), other)]
    assert described[0] == described[1] != described[2]


def test_cells_are_strict_json_and_unknown_scores_come_back_as_nan(tmp_path):
    folder = RunFolder(tmp_path / "runs")
    folder.create(SETTINGS)
    cell = Cell(0, 1, "kfold:0:2", (3,), None, {"auc": float("nan"), "accuracy": 1.0})
    folder.add(cell)
    text = (folder.path / "finished" / "0-1.json").read_text(encoding="utf-8")
    json.loads(text, parse_constant=lambda name: pytest.fail(f"{name} is not JSON"))
    np.testing.assert_equal(asdict(folder.cells()[0, 1]), asdict(cell))


def test_reading_while_another_process_packs_loses_no_cell(tmp_path, monkeypatch):
    folder = RunFolder(tmp_path / "runs")
    folder.create(SETTINGS)
    for run in range(3):
        folder.add(Cell(0, run, f"bootstrap:0:{run}", (1,), None))
    read = RunFolder._read_single

    def packed_meanwhile(self, name, settings):
        monkeypatch.setattr(RunFolder, "_read_single", read)
        folder.pack()
        return read(self, name, settings)

    monkeypatch.setattr(RunFolder, "_read_single", packed_meanwhile)
    assert len(folder.cells()) == 3


def test_what_a_killed_process_left_half_written_is_removed(tmp_path):
    assess(SelectKBest(k=5), X, Y, resampling=Bootstrap(2), out=tmp_path / "runs")
    half = tmp_path / "runs" / "finished" / ".0-7.json.123.part"
    half.write_bytes(b"{")
    assess(SelectKBest(k=5), X, Y, resampling=Bootstrap(2), out=tmp_path / "runs")
    assert not half.exists()


def test_a_folder_that_is_no_run_folder(tmp_path):
    with pytest.raises(InputError, match="not a run folder"):
        Assessment.open(tmp_path)


def test_a_full_disk_is_a_sentence_and_keeps_what_was_finished(tmp_path, monkeypatch):
    calls = []
    write = beneath.write

    def full(folder, name, content):
        calls.append(name)
        if len(calls) == 4:
            raise OSError(28, "No space left on device")
        write(folder, name, content)

    monkeypatch.setattr(beneath, "write", full)
    with pytest.raises(InputError, match=r"disk .* is full"):
        assess(SelectKBest(k=5), X, Y, resampling=Bootstrap(5), out=tmp_path / "runs")
    monkeypatch.undo()
    assert len(RunFolder(tmp_path / "runs").cells()) == 2
    assert assess(SelectKBest(k=5), X, Y, resampling=Bootstrap(5), out=tmp_path / "runs").failures.empty


def test_an_unwritable_place_is_a_sentence(tmp_path):
    (tmp_path / "file").write_text("in the way", encoding="utf-8")
    with pytest.raises(InputError, match="cannot be written"):
        assess(SelectKBest(k=5), X, Y, resampling=Bootstrap(2), out=tmp_path / "file" / "runs")


def test_regression_targets_have_their_own_scores():
    data = load_diabetes()
    result = assess({"lasso": Lasso(alpha=1.0)}, data.data, data.target, resampling=KFold(5), scoring=["r2", "rmse"])
    assert result.scores["r2"].mean() > 0.3
    assert result.selections["lasso"].n_runs == 5


def test_numbers_that_name_classes_stay_classes_under_noise():
    y = np.arange(len(Y)) % 3 * 1.0
    result = assess("anova:k=3", X, y, resampling=NoiseInjection(3, target="labels"))
    assert result.failures.empty


def test_noise_has_no_test_rows_and_no_scores():
    result = assess(SelectKBest(k=5), X, Y, resampling=NoiseInjection(4, level=0.5))
    assert result.scores["accuracy"].isna().all()
    assert result.selections["SelectKBest"].n_runs == 4
    assert st.stability(result.selections["SelectKBest"]) < 1


@pytest.mark.slow
def test_data_is_shared_by_worker_processes_not_copied(tmp_path):
    """Buys: peak memory of all processes together, n=500 x d=40,000, two workers on a selector that takes weights."""
    code = textwrap.dedent("""
        import sys, threading, time
        import numpy as np, psutil
        from steadyset.assessment import assess
        from steadyset.resampling import Bootstrap
        from tests.assessment.test_assess import Frugal

        path, n, d = sys.argv[1], 500, 40_000
        X = np.lib.format.open_memmap(path, mode="w+", dtype=np.float64, shape=(n, d))
        random = np.random.default_rng(0)
        for i in range(n):
            X[i] = random.standard_normal(d)
        X.flush()
        del X
        X = np.load(path, mmap_mode="r")
        y = np.arange(n) % 2
        me = psutil.Process()
        base = me.memory_full_info().pss
        assess(Frugal(), X[:, :50].copy(), y, resampling=Bootstrap(4), n_jobs=2)
        idle = sum(p.memory_full_info().pss for p in [me, *me.children(recursive=True)])
        peak = [0]
        stop = threading.Event()
        def watch():
            while not stop.is_set():
                total = 0
                for p in [me, *me.children(recursive=True)]:
                    try:
                        total += p.memory_full_info().pss
                    except psutil.Error:
                        pass
                peak[0] = max(peak[0], total)
                time.sleep(0.02)
        thread = threading.Thread(target=watch)
        thread.start()
        assess(Frugal(), X, y, resampling=Bootstrap(8), n_jobs=2)
        stop.set()
        thread.join()
        print((peak[0] - idle) / (n * d * 8))
    """)
    done = subprocess.run(
        [sys.executable, "-c", code, str(tmp_path / "X.npy")],
        capture_output=True,
        text=True,
        check=True,
        cwd=os.path.dirname(os.path.dirname(os.path.dirname(__file__))),
    )
    assert float(done.stdout) < 1.5


def _wait_for_more(folder, runs, child):
    wanted = _finished(folder) + runs
    until(lambda: _finished(folder) >= wanted, works=lambda: psutil.pid_exists(child), pause=0.001)


def _finished(folder):
    return len(list((folder / "finished").glob("*.json")))


def make_request_settings(selector):
    return make_request(
        selector,
        X,
        Y,
        resampling=Bootstrap(2),
        scoring=None,
        predictor=None,
        random_state=0,
    ).settings


class Dawdling(Selector):
    def __init__(self, seconds=0.1):
        self.seconds = seconds

    def fit(self, X, y=None):
        time.sleep(self.seconds)
        return super().fit(X)


class Mortal(Selector):
    """Kills its process the first time it is fitted, on any of the workers."""

    def __init__(self, flag="flag"):
        self.flag = flag

    def fit(self, X, y=None):
        if not Path(self.flag).exists():
            Path(self.flag).touch()
            os.kill(os.getpid(), signal.SIGKILL)
        return super().fit(X)


class Frugal(Selector):
    """Takes a bootstrap as weights, and looks at the data column block by column block."""

    weights_equal_copies = True

    def fit(self, X, y=None, sample_weight=None):
        self.n_features_in_ = X.shape[1]
        means = np.concatenate([sample_weight @ X[:, a : a + 1000] for a in range(0, X.shape[1], 1000)])
        self.support_ = np.argsort(np.argsort(-means)) < 10
        return self
