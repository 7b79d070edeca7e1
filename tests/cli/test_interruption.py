"""Signals stop work between two runs, or soon after when it does not come to that; and tidying up is left alone."""

import os
import signal
import threading
import time

import pytest

from steadyset.cli import interruption
from steadyset.cli.interruption import resumable
from steadyset.errors import InterruptedRunError


def send(number):
    os.kill(os.getpid(), number)


def test_a_signal_is_heeded_between_two_runs(monkeypatch):
    monkeypatch.setattr(interruption, "GRACE", 60.0)
    done = []
    with (
        pytest.raises(InterruptedRunError, match="asked to end; all is kept") as stopped,
        resumable("all is kept") as stop,
    ):
        for run in range(3):
            send(signal.SIGTERM) if run == 1 else None
            done.append(run)  # the run in hand is finished
            stop.between(None)(run, 3)
    assert done == [0, 1]
    assert stopped.value.signal_number == signal.SIGTERM


def test_long_work_is_stopped_though_an_exception_gets_lost(monkeypatch):
    monkeypatch.setattr(interruption, "GRACE", 0.05)
    lost = 0
    with pytest.raises(InterruptedRunError, match="interrupted; all is kept"), resumable("all is kept"):
        send(signal.SIGINT)
        try:
            time.sleep(10)
        except KeyboardInterrupt:
            lost += 1
        time.sleep(10)
    assert lost == 1


@pytest.mark.parametrize("at_once", [True, False])
def test_the_first_signal_or_the_second_stops_at_once(monkeypatch, at_once):
    monkeypatch.setattr(interruption, "GRACE", 60.0)
    with pytest.raises(InterruptedRunError), resumable("all is kept", at_once=at_once):
        send(signal.SIGINT)
        assert not at_once
        send(signal.SIGINT)
        pytest.fail("went on after the second signal")


def test_tidying_up_is_not_stopped_and_signals_are_what_they_were(monkeypatch):
    monkeypatch.setattr(interruption, "GRACE", 0.02)
    before, tidied = signal.getsignal(signal.SIGINT), False
    with pytest.raises(InterruptedRunError), resumable("all is kept"):
        send(signal.SIGINT)
        try:
            time.sleep(10)
        finally:
            time.sleep(0.1)
            tidied = True
    assert tidied
    assert signal.getsignal(signal.SIGINT) is before
    assert signal.getitimer(signal.ITIMER_REAL)[0] == 0


def test_another_thread_runs_without_signals():
    found = []

    def work():
        with resumable("all is kept") as stop:
            stop.between(lambda done, total: found.append((done, total)))(1, 2)

    thread = threading.Thread(target=work)
    thread.start()
    thread.join()
    assert found == [(1, 2)]
