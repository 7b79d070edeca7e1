"""A fresh copy of an estimator for one run: what it left open, seeds and the task, is filled in."""

from __future__ import annotations

import re
from typing import Any

import numpy as np
from sklearn.base import clone

from steadyset.runner.plan import Plan

ESTIMATORS, RANDOM_FEATURES = 1, 3  # what a run's seeds are for; 2 is the noise of a resampling
DIGEST = re.compile("-[0-9a-f]{8}(?=:)")


def ready(estimator: Any, plan: Plan, run: int | str) -> Any:
    """Every open random_state has a seed of its own, drawn from the run's; steadyset's own selectors know the task.

    A selector is known by the number of its run, what predicts by the label of the resample.
    """
    copy = clone(estimator)
    parameters = copy.get_params(deep=True)
    open_states = sorted(name for name, value in parameters.items() if _last(name) == "random_state" and value is None)
    states = np.random.SeedSequence(plan.seed, spawn_key=(run_key(run), ESTIMATORS)).generate_state(
        max(1, len(open_states))
    )
    filled: dict[str, Any] = {name: int(s % 2**31) for name, s in zip(open_states, states, strict=False)}
    for name, value in parameters.items():
        owner = copy if name == "task" else parameters.get(name.removesuffix("__task"))
        if _last(name) == "task" and value is None and is_ours(owner):
            filled[name] = plan.task
    return copy.set_params(**filled) if filled else copy


def run_key(run: int | str) -> int:
    """A run, or the label of its resample without the digest of its rows, as a number."""
    return run if isinstance(run, int) else int.from_bytes(DIGEST.sub("", run).encode()[-8:], "big")


def is_ours(estimator: Any) -> bool:
    """Whether an estimator belongs to steadyset."""
    return type(estimator).__module__.startswith("steadyset.")


def _last(name: str) -> str:
    return name.rpartition("__")[2]
