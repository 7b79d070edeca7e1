"""Signals stop work between two runs, or end the process soon after when it does not come to that."""

import os
import re
import signal
import subprocess
import sys
import threading
import time
from contextlib import suppress
from pathlib import Path

import numpy as np
import psutil
import pytest
from tests.waiting import until

from steadyset import cli
from steadyset.assessment import Assessment
from steadyset.foundation import job
from steadyset.foundation.errors import InterruptedRunError
from steadyset.foundation.job import resumable

pytestmark = pytest.mark.posix


def send(number):
    os.kill(os.getpid(), number)


def do(work):
    with resumable("all is kept") as stop:
        work(stop)


def test_a_signal_is_heeded_between_two_runs(monkeypatch):
    monkeypatch.setattr(job, "GRACE", 60.0)
    done = []

    def work(stop):
        for run in range(3):
            if run == 1:
                send(signal.SIGTERM)
            done.append(run)  # the run in hand is finished
            stop.between(None)(run, 3)

    with pytest.raises(InterruptedRunError, match="asked to end; all is kept") as stopped:
        do(work)
    assert done == [0, 1]
    assert stopped.value.signal_number == signal.SIGTERM


LONG = """
import signal, os, sys, time
from steadyset.foundation import job
from steadyset.foundation.job import resumable
job.GRACE = float(sys.argv[1])
with resumable("all is kept") as stop:
    for _ in range(int(sys.argv[2])):
        os.kill(os.getpid(), signal.SIGTERM)
    while True:
        try:
            time.sleep(10)
        except BaseException:
            print("an exception in the middle of the work")
"""


@pytest.mark.parametrize(("grace", "signals"), [(0.05, 1), (60, 2)])
def test_long_work_or_a_second_signal_ends_the_process_with_the_sentence(grace, signals):
    ended = subprocess.run([sys.executable, "-c", LONG, str(grace), str(signals)], capture_output=True, text=True)
    assert (ended.stdout, ended.stderr) == ("", "steadyset: asked to end; all is kept\n")
    assert ended.returncode == 128 + signal.SIGTERM


def test_tidying_up_has_time_and_signals_are_what_they_were(monkeypatch):
    monkeypatch.setattr(job, "GRACE", 0.02)
    before, tidied = signal.getsignal(signal.SIGINT), []

    def work(stop):
        send(signal.SIGINT)
        try:
            stop.between(None)(1, 2)
        finally:
            time.sleep(0.2)
            tidied.append(1)

    with pytest.raises(InterruptedRunError, match="interrupted; all is kept"):
        do(work)
    assert tidied == [1]
    assert signal.getsignal(signal.SIGINT) is before
    assert signal.set_wakeup_fd(-1) == -1


def test_another_thread_runs_without_signals():
    found = []
    work = threading.Thread(target=do, args=(lambda stop: stop.between(lambda *at: found.append(at))(1, 2),))
    work.start()
    work.join()
    assert found == [(1, 2)]


def test_a_signal_after_the_last_run_still_ends_the_work(monkeypatch):
    monkeypatch.setattr(job, "GRACE", 60.0)
    with pytest.raises(InterruptedRunError, match="interrupted; all is kept"):
        do(lambda stop: send(signal.SIGINT))


def test_what_a_signal_broke_is_told_as_the_signal(monkeypatch):
    monkeypatch.setattr(job, "GRACE", 60.0)

    def work(stop):
        send(signal.SIGTERM)
        raise RuntimeError("the workers are gone")

    with pytest.raises(InterruptedRunError, match="asked to end; all is kept"):
        do(work)


def test_signals_are_heeded_before_anything_heavy_is_loaded():
    """An import of numpy that Ctrl-C breaks ends in pages about a bad installation."""
    code = "import sys, steadyset.__main__; print([name for name in ('numpy', 'typer') if name in sys.modules])"
    ended = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert (ended.stdout, ended.stderr) == ("[]\n", "")


LOADING = """
import os, signal, sys
from steadyset.__main__ import main

class Importing:
    def find_spec(self, name, *_):
        if name == "steadyset.cli":
            try:
                os.kill(os.getpid(), NUMBER)
            except BaseException:
                pass  # as some packages do around what they import

sys.meta_path.insert(0, Importing())
sys.argv = ["steadyset", "--version"]
main()
"""


@pytest.mark.parametrize(("number", "sentence"), [(signal.SIGINT, "interrupted."), (signal.SIGTERM, "asked to end.")])
def test_a_signal_while_the_command_is_loaded_is_not_lost(number, sentence):
    code = LOADING.replace("NUMBER", str(int(number)))
    ended = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert (ended.returncode, ended.stdout, ended.stderr) == (128 + number, "", f"steadyset: {sentence}\n")


MOMENTS = {
    "loading": lambda process, _: "_multiarray_umath" in Path(f"/proc/{process.pid}/maps").read_text(encoding="utf-8"),
    "starting workers": lambda process, _: any("popen_loky" in " ".join(_words(p)) for p in process.children()),
    "working": lambda _, folder: list((folder / "finished").glob("*.json")),
    "telling": lambda _, folder: (folder / "cells.json").exists(),
}


@pytest.mark.slow
@pytest.mark.skipif(not Path("/proc/self/maps").exists(), reason="moments are known from /proc")
@pytest.mark.parametrize("moment", MOMENTS)
def test_ctrl_c_at_any_moment_is_one_sentence_and_nothing_is_lost(tmp_path, moment):
    """Buys: the command with its real worker processes, which a terminal interrupts too."""
    random = np.random.default_rng(0)
    X, file, folder = random.normal(size=(40, 6)), tmp_path / "data.csv", tmp_path / "runs"
    table = np.column_stack([X, X[:, 0] > 0])
    np.savetxt(file, table, delimiter=",", header="a,b,c,d,e,f,y", comments="", fmt="%.6g")
    arguments = ["assess", str(file), "-t", "y", "-s", "anova:k=2", "--runs", "30"]
    command = [sys.executable, "-m", "steadyset", *arguments, "--engine", "processes", "--jobs", "2"]
    started = subprocess.Popen(
        [*command, "--out", str(folder)],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )
    process = psutil.Process(started.pid)
    until(lambda: MOMENTS[moment](process, folder), works=lambda: started.poll() is None, pause=0.005)
    os.killpg(started.pid, signal.SIGINT)
    _, told = started.communicate(timeout=60)
    if started.returncode == 0:  # all was done and told already
        assert (moment, told) == ("telling", "")
    else:
        assert started.returncode == 128 + signal.SIGINT
        assert re.fullmatch(r"(This takes about .*\n)?steadyset: interrupted[;.].*\n", told)
    end = time.monotonic() + 30
    while (left := _in_session(started.pid)) and time.monotonic() < end:
        time.sleep(0.1)
    assert left == []
    again = ["--resume"] if folder.exists() else []
    assert cli.run([*arguments, "--jobs", "1", "--out", str(folder), *again]) == 0
    assert cli.run([*arguments, "--jobs", "1", "--out", str(tmp_path / "whole")]) == 0
    assert Assessment.open(folder).selections == Assessment.open(tmp_path / "whole").selections


def _words(process):
    with suppress(psutil.Error):  # a child may end while it is looked at
        return process.cmdline()
    return []


def _in_session(number):
    found = []
    for process in psutil.process_iter():
        with suppress(psutil.Error, OSError):
            if os.getsid(process.pid) == number and process.status() != psutil.STATUS_ZOMBIE:
                found.append(process.cmdline())
    return found
