"""A signal is answered in the midst of a kernel, at a point from which the kernel goes on as if nothing had been."""

import signal
import subprocess
import sys
import textwrap
import threading

import numpy as np
import psutil
import pytest
from benchmarks.coordinate_descent import fit_elastic_net
from tests.waiting import until

from steadyset.kernels.signals import WORK_BETWEEN_LOOKS, count_work

pytestmark = pytest.mark.posix
TOLERANCE = 1e-9


class HandlerError(Exception):
    pass


class Lasso:
    """A lasso on features that go together, by one call of its kernel."""

    def __init__(self, n, d):
        rng = np.random.default_rng(0)
        Xt = rng.normal(size=(d, n)) + 3.0 * rng.normal(size=n)
        Xt -= Xt.mean(axis=1, keepdims=True)
        Xt /= Xt.std(axis=1, keepdims=True)
        y = Xt[:20].sum(axis=0) + rng.normal(size=n)
        self.coef = np.zeros(d)
        self.data = (Xt, y, np.full(n, 1 / n), np.full(d, 1e-3), np.zeros(d), False, TOLERANCE, 1000)
        self.violation(most_sweeps=0)  # compiles

    def violation(self, most_sweeps=1000, start=lambda: None):
        given = (*self.data, most_sweeps, self.coef, 0.0)
        start()
        return fit_elastic_net(*given)[1]


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

    lasso = Lasso(150, 1000)
    with pytest.raises(HandlerError):
        lasso.violation(start=sent_with(interrupt))
    assert lasso.violation(most_sweeps=0) > TOLERANCE


def test_a_handler_that_raises_nothing_changes_nothing(sent_with):
    undisturbed, lasso, reached = Lasso(150, 1000), Lasso(150, 1000), []
    undisturbed.violation()
    lasso.violation(start=sent_with(lambda *_: reached.append(lasso.coef.copy())))
    assert not np.array_equal(reached[0], lasso.coef)
    np.testing.assert_array_equal(lasso.coef, undisturbed.coef)


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
