"""How many jobs run at the same time."""

from __future__ import annotations

from typing import Any

import numpy as np

from steadyset.errors import InputError


def job_count(n_jobs: Any) -> int:
    """joblib's reading of n_jobs: None is one job, -1 as many as there are cores, -2 one less."""
    from joblib import effective_n_jobs

    if n_jobs is None:
        return 1
    if isinstance(n_jobs, bool) or not isinstance(n_jobs, (int, np.integer)) or n_jobs == 0:
        raise InputError(f"n_jobs must be a number of jobs, or -1 for all cores (got {n_jobs!r}).")
    return int(effective_n_jobs(int(n_jobs)))
