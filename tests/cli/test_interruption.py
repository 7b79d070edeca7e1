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


def do(work, **options):
    with resumable("all is kept", **options) as stop:
        work(stop)


def test_a_signal_is_heeded_between_two_runs(monkeypatch):
    monkeypatch.setattr(interruption, "GRACE", 60.0)
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


def test_long_work_is_stopped_though_an_exception_gets_lost(monkeypatch):
    monkeypatch.setattr(interruption, "GRACE", 0.05)
    lost = []

    def work(_):
        send(signal.SIGINT)
        try:
            time.sleep(10)
        except KeyboardInterrupt:
            lost.append(1)
        time.sleep(10)

    with pytest.raises(InterruptedRunError, match="interrupted; all is kept"):
        do(work)
    assert lost == [1]


@pytest.mark.parametrize("at_once", [True, False])
def test_the_first_signal_or_the_second_stops_at_once(monkeypatch, at_once):
    monkeypatch.setattr(interruption, "GRACE", 60.0)
    passed = []

    def work(_):
        for number in (1, 2, 3):
            send(signal.SIGINT)
            passed.append(number)

    with pytest.raises(InterruptedRunError):
        do(work, at_once=at_once)
    assert passed == ([] if at_once else [1])


def test_tidying_up_is_not_stopped_and_signals_are_what_they_were(monkeypatch):
    monkeypatch.setattr(interruption, "GRACE", 0.02)
    before, tidied = signal.getsignal(signal.SIGINT), []

    def work(_):
        send(signal.SIGINT)
        try:
            time.sleep(10)
        finally:
            time.sleep(0.1)
            tidied.append(1)

    with pytest.raises(InterruptedRunError):
        do(work)
    assert tidied == [1]
    assert signal.getsignal(signal.SIGINT) is before
    assert signal.getitimer(signal.ITIMER_REAL)[0] == 0


def test_another_thread_runs_without_signals():
    found = []
    work = threading.Thread(target=do, args=(lambda stop: stop.between(lambda *at: found.append(at))(1, 2),))
    work.start()
    work.join()
    assert found == [(1, 2)]
