"""A score that waits, or ends its process, at one of its calls; in a module of its own, for worker processes."""

import os
import signal
import time
from pathlib import Path

PATIENCE = 300  # seconds after which it goes on by itself, so that nothing is left of a test that failed


class Accuracy:
    """Writes a line for every call into a file; at call number `at` it waits to be let go on, or dies."""

    def __init__(self, log, at, deed):
        self.log = str(log)
        self.at = at
        self.deed = deed

    def __call__(self, estimator, X, y):
        with Path(self.log).open("a", encoding="utf-8") as lines:
            lines.write(f"{X.sum()!r}\n")
        if len(Path(self.log).read_text(encoding="utf-8").splitlines()) == self.at:
            if self.deed == "die":
                os.kill(os.getpid(), signal.SIGKILL)
            end = time.monotonic() + PATIENCE
            while time.monotonic() < end and not self._let_go.exists():
                time.sleep(0.02)
        return estimator.score(X, y)

    def go_on(self):
        self._let_go.touch()

    @property
    def _let_go(self):
        return Path(f"{self.log}.go")
