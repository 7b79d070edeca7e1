"""How long a shortlist will take, from the halves of the observed target and some of the columns."""

from __future__ import annotations

import time

import numpy as np

from steadyset.foundation import arguments
from steadyset.foundation.errors import InputError
from steadyset.foundation.pace import Stage
from steadyset.kernels.arrays import Floats, Ints
from steadyset.shortlists.afterwards import DRAWS, SELECTORS
from steadyset.shortlists.bases import BASES, Features
from steadyset.shortlists.exchange import Exchange
from steadyset.shortlists.procedure import Procedure, compared_columns

FEW_COLUMNS, TRIED_COLUMNS = 500, 2_000
# Half of the rows, and 80% of them, take about this share of the time of all rows.
SMALLER_SAMPLE, REPEAT = 0.9, 0.9


def stages_of(
    procedure: Procedure, X: Floats, task: str, exchange: Exchange, seed: int, outer: int, *, pools: bool
) -> list[Stage]:
    """Return the stages of a shortlist with the seconds that each of their pieces is expected to take.

    Return no stages if some of the columns cannot be ranked alone: an estimate is no reason to fail.
    ``pools`` says whether the repeats share their permuted targets.
    """
    try:
        seconds = _seconds_of_target(procedure, X, task, exchange, seed)
    except InputError:
        return []
    seconds /= arguments.job_count(procedure.n_jobs)
    stages = [Stage("targets", procedure.n_permutations + 1, seconds)]
    if outer:
        of_smaller_samples = SMALLER_SAMPLE * (procedure.fewest + DRAWS) * seconds
        stages.append(Stage("smaller samples", DRAWS, of_smaller_samples / DRAWS))
        n_targets = procedure.fewest + outer if pools else (procedure.fewest + 1) * outer
        # Beside each repeat all features are tried, which takes next to no time and counts as a run.
        n_runs = SELECTORS * outer
        stages.append(Stage("runs of repeats", n_runs, REPEAT * n_targets * seconds / n_runs))
    return stages


def _seconds_of_target(procedure: Procedure, X: Floats, task: str, exchange: Exchange, seed: int) -> float:
    """Return the seconds that ranking the halves of one target takes."""
    # Constant columns take next to no time, and a few columns by chance could be constant all of them.
    varying = np.flatnonzero((X[0] != X).any(axis=0))
    n_columns = len(varying)
    if n_columns <= TRIED_COLUMNS:
        return _seconds_with(varying, procedure, X, task, exchange, seed)
    order = np.random.default_rng(seed).permutation(varying)
    few, more = (_seconds_with(order[:n], procedure, X, task, exchange, seed) for n in (FEW_COLUMNS, TRIED_COLUMNS))
    per_column = max(0.0, more - few) / (TRIED_COLUMNS - FEW_COLUMNS)
    return float(more + (n_columns - TRIED_COLUMNS) * per_column)


def _seconds_with(chosen: Ints, procedure: Procedure, X: Floats, task: str, exchange: Exchange, seed: int) -> float:
    n = len(chosen)
    if not n:
        raise InputError("X is constant in every column; at least one must vary.")
    columns, exchange, _ = compared_columns(X[:, np.sort(chosen)], exchange, task)
    random = np.random.default_rng([seed, n])
    data = Features.of(columns, np.arange(n), random=random, unrelated=exchange.unrelated)
    halves = exchange.halves(exchange.y, procedure.n_splits, random)
    ranked = exchange.ranked(exchange.y)
    seconds: list[float] = []
    for _ in range(2):  # the first time loads what is compiled
        begin = time.monotonic()
        for base in procedure.bases:
            BASES[base][0](data, *ranked, halves)
        seconds.append(time.monotonic() - begin)
    return min(seconds)
