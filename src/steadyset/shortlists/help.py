"""What would help: what other choices list on the same data, what fewer rows list, and how strong an effect must be."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from steadyset.kernels.arrays import Floats, Ints
from steadyset.shortlists.bases import BASES, Features
from steadyset.shortlists.exchange import exchange_of
from steadyset.shortlists.listed import Found, Tried
from steadyset.shortlists.procedure import Judged, Watch
from steadyset.shortlists.standing import Standing
from steadyset.tasks import TASKS

MORE_FALSE = (2.0, 5.0)
MORE_RATE = (0.1, 0.2)
SHIFTS = (0.6, 0.8, 1.0, 1.25, 1.5, 2.0, 2.5, 3.0)  # standard deviations between classes, or along those of a number
SHIFTED = 20  # features
TIMES = 3
FOUND = 0.8  # of the shifted features: stronger effects are not tried
DRAWS = 3  # of halves of the rows
FEWEST_OF_CLASS = 8


def other_choices(judged: Judged) -> tuple[Tried, ...]:
    """What larger allowances, each base alone, and groups instead of features list: all from the orders at hand."""
    procedure, standing = judged.procedure, judged.standing
    tried = []
    if procedure.false is not None:
        for false in (one for one in MORE_FALSE if one > procedure.false):
            found = standing.listing(false, None).listed.sum()
            tried.append(Tried(f"Allow {false:g} false features", int(found), {"false": float(false)}))
    else:
        for rate in (one for one in MORE_RATE if one > (procedure.fdr or 0.0)):
            found = standing.listing(None, rate).listed.sum()
            tried.append(Tried(f"Allow {100 * rate:g}% false features", int(found), {"fdr": float(rate)}))
    if len(procedure.bases) > 1:
        for base in procedure.bases:
            alone = Standing(standing.orders, {base: BASES[base][1]}, standing.n_units, standing.n_others)
            found = alone.listing(procedure.false, procedure.fdr).listed.sum()
            tried.append(Tried(f"Rank by the {base} alone", int(found), {"base": [base]}))
    if judged.groups is not None:
        tried.append(Tried("Count look-alikes as one", int(judged.groups.listed.sum())))
    return tuple(one for one in tried if one.n_listed > judged.features.listed.sum() or "look-alikes" in one.what)


def fewer_rows(judged: Judged, X: Floats, known: Sequence[Any], watch: Watch) -> tuple[Tried, ...]:
    """How many features half of the rows list on average; nothing where it would be too small.

    Units are drawn whole, and classes in proportion. ``known`` are strata, groups and covariates, or None for each.
    """
    exchange = judged.exchange
    few = replace(judged.procedure, n_permutations=judged.procedure.fewest)
    counts = TASKS[judged.task].counts(exchange.y[exchange.first])
    if min(counts.values(), default=len(exchange.first)) < 2 * FEWEST_OF_CLASS:
        return ()
    numbers = []
    for draw in range(DRAWS):
        if watch.is_over:
            return ()
        random = np.random.default_rng([judged.seed, draw])
        rows = np.flatnonzero(exchange.halves(exchange.y, 1, random)[0])
        part = [None if one is None else one[rows] for one in known]
        smaller = exchange_of(exchange.y[rows], judged.task, *part)
        numbers.append(int(few.run(X[rows], judged.task, smaller, judged.seed, groups=False).features.listed.sum()))
    return (Tried(f"{len(rows)} rows", float(np.mean(numbers))),)


def power(judged: Judged, watch: Watch) -> tuple[Found, ...]:
    """Which share of effects is listed, from weak ones to the first of which most are.

    Effects are put into random features for permuted targets, so that nothing else in the data helps or hinders.
    """
    procedure, standing = judged.procedure, judged.standing
    # A rate has no line to pass of its own, and within strata or beside others a shift of a class is none of the rows.
    adjusted = judged.exchange.cells.any() or judged.exchange.beside is not None
    if "filter" not in procedure.bases or procedure.false is None or adjusted:
        return ()
    varying = np.flatnonzero(judged.data.X.any(axis=0))
    planted = min(SHIFTED, max(1, len(varying) // 10))  # more would compete for the first places
    times = max(TIMES, min(SHIFTED, procedure.n_permutations) // planted)
    bar = standing.bar_at_first(procedure.false)
    found: list[Found] = []
    for shift in SHIFTS:
        if watch.is_over or (found and found[-1].share >= FOUND):
            break
        each = [_share_found(judged, shift, number, bar, varying, planted) for number in range(1, times + 1)]
        share = float(np.mean(each))
        found.append(Found(shift if TASKS[judged.task].has_classes else _as_correlation(shift), share))
    return tuple(found)


def _as_correlation(shift: float) -> float:
    return float(shift / np.sqrt(1 + shift**2))


def _share_found(judged: Judged, shift: float, number: int, bar: float, varying: Ints, planted: int) -> float:
    """Which share of shifted features passes."""
    y, random = judged.exchange.target(number, judged.seed)
    columns = random.choice(varying, planted, replace=False)
    if TASKS[judged.task].has_classes:
        labels, where = np.unique(y, return_inverse=True)
        along = (where == len(labels) - 1).astype(np.float64)
    else:
        amounts = TASKS[judged.task].amounts(y)
        amounts = amounts / max(float(np.abs(amounts).max()), np.finfo(np.float64).tiny)
        along = (amounts - amounts.mean()) / max(float(amounts.std()), 1e-300)
    X: Floats = judged.data.X.copy()
    X[:, columns] += shift * along[:, None]
    spread = X.std(axis=0)
    shifted: Features = replace(judged.data, X=(X - X.mean(axis=0)) / np.where(spread > 0, spread, 1.0))
    halves = judged.exchange.halves(y, judged.procedure.n_splits, random)
    order = BASES["filter"][0](shifted, y, judged.task, halves).features
    return float(np.mean(judged.standing.statistic_of("filter", order)[columns] > bar))
