"""A dask cluster may lose its workers or its scheduler, and one of our own is for this machine alone."""

import json
import os
import signal
import socket
import subprocess
import sys
from contextlib import suppress

import numpy as np
import psutil
import pytest
from benchmarks.peers import sparse_logistic
from sklearn.ensemble import RandomForestClassifier
from sklearn.feature_selection import SelectKBest
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from tests.waiting import until

from steadyset.assessment import assess, engines
from steadyset.assessment.engines import WorkersLostError
from steadyset.resampling import Bootstrap

pytest.importorskip("distributed")

X = np.random.default_rng(0).normal(size=(40, 6))
Y = (X[:, 0] > 0).astype(int)
SELECTOR = {"best": SelectKBest(k=2)}
SELECTORS = {
    "anova": SelectKBest(k=2),
    "forest": RandomForestClassifier(n_estimators=5),
    "lasso": make_pipeline(StandardScaler(), sparse_logistic(solver="liblinear", C=0.1)),
}
RUNS = 100


@pytest.fixture
def a_cluster(tmp_path):
    """The address of a scheduler, its process, and those of two workers that nobody starts again."""
    described = tmp_path / "scheduler.json"
    options = ["--scheduler-file", str(described)]
    scheduler = _started("scheduler", "--host", "127.0.0.1", "--port", "0", "--no-dashboard", *options)
    workers = [_started("worker", "--no-nanny", "--nthreads", "1", "--no-dashboard", *options) for _ in range(2)]
    try:
        until(lambda: described.exists() and described.read_text(encoding="utf-8"))
        yield json.loads(described.read_text(encoding="utf-8"))["address"], scheduler, workers
    finally:
        for process in (*workers, scheduler):
            process.kill()
            process.wait()


def _started(what, *options):
    command = [sys.executable, "-m", f"distributed.cli.dask_{what}", *options]
    return subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)


@pytest.mark.slow
@pytest.mark.parametrize("lost", ["workers", "scheduler"])
@pytest.mark.posix
def test_a_cluster_that_is_gone_is_a_sentence_and_the_finished_runs_are_kept(
    a_cluster, lost, tmp_path, monkeypatch, capfd
):
    """Buys: a real scheduler and real workers, ended by SIGKILL in the middle of the work."""
    address, scheduler, workers = a_cluster
    monkeypatch.setattr(engines, "CLUSTER_PATIENCE", 2.0)
    ended = []

    def end_them(done, _):
        if done >= 5 and not ended:
            ended.append(done)
            for process in workers if lost == "workers" else [scheduler]:
                os.kill(process.pid, signal.SIGKILL)

    with pytest.raises(WorkersLostError, match="has lost its workers or its scheduler") as told:
        assess(
            SELECTOR,
            X,
            Y,
            resampling=Bootstrap(RUNS),
            out=tmp_path / "runs",
            execution={"engine": address, "progress": end_them},
        )
    assert "\n" not in str(told.value)
    assert capfd.readouterr().err == ""
    seen = []
    resumed = assess(
        SELECTOR,
        X,
        Y,
        resampling=Bootstrap(RUNS),
        out=tmp_path / "runs",
        execution={"progress": lambda *at: seen.append(at)},
    )
    assert seen[0][0] >= 5
    assert f"{RUNS - seen[0][0]} runs are missing" in str(told.value)
    assert resumed.selections == assess(SELECTOR, X, Y, resampling=Bootstrap(RUNS)).selections


@pytest.mark.slow
def test_a_cluster_of_our_own_gives_the_same_and_listens_on_this_machine_alone():
    """Buys: the sockets that the scheduler and the workers of engine "dask" really open."""
    alone = assess(SELECTORS, X, Y, resampling=Bootstrap(3))
    places = set()

    def look(*_):
        here = psutil.Process()
        for process in (here, *here.children(recursive=True)):
            open_ones = process.net_connections("inet")
            places.update(place.laddr.ip for place in open_ones if place.status == psutil.CONN_LISTEN)

    with socket.socket() as another:  # cluster on this machine, which has the port that dask takes first
        with suppress(OSError):
            another.bind(("127.0.0.1", 8787))
        other = assess(
            SELECTORS, X, Y, resampling=Bootstrap(3), n_jobs=2, execution={"engine": "dask", "progress": look}
        )
    assert places == {"127.0.0.1"}
    assert alone.selections == other.selections
