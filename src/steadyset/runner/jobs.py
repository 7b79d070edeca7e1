"""How many jobs run at the same time, and that none of them outlives the process that asked for it."""

from __future__ import annotations

import os
import threading
import time
from typing import Any

import numpy as np

from steadyset.arguments import wrong_argument


def job_count(n_jobs: Any) -> int:
    """joblib's reading of n_jobs: None is one job, -1 as many as there are cores, -2 one less."""
    from joblib import effective_n_jobs

    if n_jobs is None:
        return 1
    if isinstance(n_jobs, bool) or not isinstance(n_jobs, (int, np.integer)) or n_jobs == 0:
        raise wrong_argument("n_jobs", "a number of jobs, or -1 for all cores", n_jobs)
    return int(effective_n_jobs(int(n_jobs)))


def end_with(parent: int) -> None:
    """End this process as soon as its parent is gone, however that ended."""

    def watch() -> None:
        while os.getppid() == parent:
            time.sleep(0.5)
        os._exit(1)

    if os.getppid() != parent:
        os._exit(1)
    threading.Thread(target=watch, daemon=True).start()
