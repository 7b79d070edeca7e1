"""A signal is answered in the midst of a kernel, at a point from which the kernel goes on as if nothing had been."""

import signal
import subprocess
import sys
import textwrap
import threading

import numpy as np
import psutil
import pytest
from tests.waiting import until

from steadyset.kernels.jit import kernel
from steadyset.kernels.signals import WORK_BETWEEN_LOOKS, count_work

pytestmark = pytest.mark.posix


class HandlerError(Exception):
    pass


@kernel
def climb(reached, steps):
    """Steps that take some minutes in all, each of them counted as work."""
    done = np.zeros(1, np.int64)
    for _ in range(steps):
        for place in range(len(reached)):
            reached[place] += 1.0 / (1.0 + reached[place])
        count_work(done, len(reached))
    return reached[0]


class Climb:
    """A long computation by one call of its kernel, and how far it came."""

    def __init__(self):
        self.reached = np.zeros(1000)
        climb(self.reached, 0)  # compiles

    def go(self, steps, start=lambda: None):
        start()
        climb(self.reached, steps)


@pytest.fixture
def sent_with():
    """Installs a handler; what it gives, called just before a kernel, sends the signal while the kernel runs.

    No other thread gets its turn until the main one releases the GIL, which a kernel does when it starts.
    """
    handler, interval = signal.getsignal(signal.SIGUSR1), sys.getswitchinterval()
    now = threading.Event()

    def send():
        now.wait()
        signal.pthread_kill(threading.main_thread().ident, signal.SIGUSR1)

    def install(new):
        signal.signal(signal.SIGUSR1, new)
        threading.Thread(target=send, daemon=True).start()
        sys.setswitchinterval(1e6)
        return now.set

    yield install
    sys.setswitchinterval(interval)
    signal.signal(signal.SIGUSR1, handler)


def test_what_a_handler_raises_ends_a_long_fit_before_its_end(sent_with):
    def interrupt(*_):
        raise HandlerError

    climbing, steps = Climb(), 100_000_000
    with pytest.raises(HandlerError):
        climbing.go(steps, start=sent_with(interrupt))
    assert 0 < climbing.reached[0] < np.sqrt(2 * steps) - 2


def test_a_handler_that_raises_nothing_changes_nothing(sent_with):
    undisturbed, climbing, reached = Climb(), Climb(), []
    undisturbed.go(200_000)
    climbing.go(200_000, start=sent_with(lambda *_: reached.append(climbing.reached.copy())))
    assert not np.array_equal(reached[0], climbing.reached)
    np.testing.assert_array_equal(climbing.reached, undisturbed.reached)


def test_signals_are_looked_at_when_enough_work_was_done():
    done = np.zeros(1, np.int64)
    count_work(done, WORK_BETWEEN_LOOKS - 1)
    assert done[0] == WORK_BETWEEN_LOOKS - 1
    count_work(done, 1)
    assert done[0] == 0


def processor_seconds(process):
    return psutil.Process(process.pid).cpu_times().user


@pytest.mark.slow
def test_ctrl_c_ends_a_lasso_that_takes_long():
    """Buys: a process of its own that is interrupted as by a user.

    What goes before the compiled code takes less than a second of processor time, and that code minutes: if it did not
    answer, it would still be at work when the test no longer waits.
    """
    script = """
        import numpy as np
        from steadyset.selectors.linear import ElasticNetSelector

        rng = np.random.default_rng(0)
        X = rng.normal(size=(1500, 3000)) + 3.0 * rng.normal(size=(1500, 1))
        y = X[:, :20].sum(axis=1) + rng.normal(size=1500)
        ElasticNetSelector(penalty=1.0).fit(X[:40, :6], y[:40])  # compiles
        print("starts", flush=True)
        ElasticNetSelector(penalty=1e-4).fit(X, y)
        print("finished", flush=True)
    """
    pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "text": True}
    with subprocess.Popen([sys.executable, "-c", textwrap.dedent(script)], **pipes) as fitting:
        assert fitting.stdout.readline() == "starts\n"
        try:
            before = processor_seconds(fitting)
            until(lambda: processor_seconds(fitting) > before + 1, works=lambda: fitting.poll() is None)
            fitting.send_signal(signal.SIGINT)
            told, error = fitting.communicate(timeout=60)
        finally:
            fitting.kill()
    assert told == ""
    assert error.rstrip().endswith("KeyboardInterrupt")
