"""Processes that share a study: when one is killed, the other finishes what it had in hand."""

from __future__ import annotations

import glob
import os
import pwd
import shutil
import signal
import subprocess
import sys
import tempfile
from pathlib import Path

import pandas as pd
import pytest
from tests.records import call

import steadyset as st
from steadyset.resampling import KFold
from steadyset.tuning import search

N_TRIALS = 8
SPACE = {"filter": ["anova"], "model": {"lasso": {"penalty": {"low": 0.01, "high": 0.3, "log": True}}}}
# The first process does one configuration, takes another in hand and hangs.
WORKER = """
import sys, time
import steadyset as st
from steadyset.resampling import KFold
from steadyset.tuning import evaluation, search
search.HEARTBEAT, search.GRACE = 1, 3
whole, calls = evaluation.Evaluator.__call__, []
def hanging(self, configuration):
    calls.append(1)
    if len(calls) == 2:
        print("in hand", flush=True)
        time.sleep(600)
    return whole(self, configuration)
evaluation.Evaluator.__call__ = hanging
data = st.datasets.similar_features(40, 10, random_state=0)
st.tune({space!r}, data.X, data.y, n_trials={n_trials}, storage=sys.argv[1], resampling=KFold(3))
"""


def tuned(**options):
    data = st.datasets.similar_features(40, 10, random_state=0)
    return call(st.tune, SPACE, data.X, data.y, n_trials=N_TRIALS, resampling=KFold(3), **options)


@pytest.fixture
def sqlite(tmp_path):
    return f"sqlite:///{tmp_path}/shared.db"


@pytest.fixture
def postgresql():
    """The URL of a PostgreSQL server that lives as long as the test."""
    folders = [os.path.dirname(shutil.which("initdb") or ""), *glob.glob("/usr/lib/postgresql/*/bin")]
    binaries = next((f for f in folders if f and os.path.exists(f"{f}/pg_ctl")), None)
    if binaries is None:
        pytest.skip("PostgreSQL is not installed here (no initdb and pg_ctl).")
    pytest.importorskip("psycopg", reason="the driver psycopg is not installed here.")
    user = pwd.getpwuid(os.geteuid())
    if user.pw_uid == 0:
        user = next((u for u in pwd.getpwall() if u.pw_name in ("postgres", "nobody")), None)
        if user is None:
            pytest.skip("PostgreSQL does not run as root, and there is no other user to run it as.")
    with tempfile.TemporaryDirectory(prefix="pg") as folder:
        if os.geteuid() == 0:
            os.chown(folder, user.pw_uid, user.pw_gid)
        ways = {"user": user.pw_uid, "group": user.pw_gid, "extra_groups": []} if os.geteuid() == 0 else {}

        def run(program, *arguments):
            given = [f"{binaries}/{program}", "-D", f"{folder}/data", *arguments]
            subprocess.run(given, check=True, capture_output=True, cwd=folder, timeout=120, **ways)

        run("initdb", "-A", "trust", "-U", "steadyset", "--no-sync")
        options = f"-c listen_addresses='' -c unix_socket_directories={folder} -c fsync=off"
        run("pg_ctl", "-w", "-l", f"{folder}/log", "-o", options, "start")
        try:
            yield f"postgresql+psycopg://steadyset@/postgres?host={folder}"
        finally:
            run("pg_ctl", "-m", "immediate", "stop")


@pytest.mark.slow  # buys: a worker that is killed on another machine loses nothing
@pytest.mark.parametrize("database", ["sqlite", "postgresql"])
def test_when_one_of_two_processes_is_killed_the_other_finishes(database, request, monkeypatch):
    url = request.getfixturevalue(database)
    monkeypatch.setattr(search, "HEARTBEAT", 1)
    monkeypatch.setattr(search, "GRACE", 3)
    script = WORKER.replace("{space!r}", repr(SPACE)).replace("{n_trials}", str(N_TRIALS))
    paths = {"PYTHONPATH": str(Path(st.__file__).parents[1])}
    with subprocess.Popen(
        [sys.executable, "-c", script, url], stdout=subprocess.PIPE, env={**os.environ, **paths}
    ) as worker:
        try:
            assert worker.stdout.readline() == b"in hand\n"

            def kill_late(done, _):
                if done >= 4:
                    worker.send_signal(signal.SIGKILL)

            shared = tuned(storage=url, progress=kill_late)
        finally:
            worker.kill()
    alone = tuned()
    columns = [name for name in alone.frame if not name.startswith("seconds")]
    pd.testing.assert_frame_equal(shared.frame[columns], alone.frame[columns])


def test_configurations_that_others_finish_between_two_looks_are_counted_later(sqlite, monkeypatch):
    """Private: no public call stops between the numbers of the trials and their states."""
    numbers, calls = search.Search._numbers, []

    def slow(self):
        found = numbers(self)
        calls.append(1)
        if len(calls) == 1:
            tuned(storage=sqlite)  # another process finishes all of them meanwhile
        return found

    monkeypatch.setattr(search.Search, "_numbers", slow)
    shared = tuned(storage=sqlite)
    assert len(shared.frame) == N_TRIALS
