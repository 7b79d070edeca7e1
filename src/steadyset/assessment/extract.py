"""The extract of the data that a result keeps, so that pictures can show the values of its first features."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from itertools import zip_longest

import numpy as np

from steadyset.inference.features import Extract
from steadyset.runner.plan import Plan
from steadyset.selections import Selections
from steadyset.tasks import TASKS

MAX_FEATURES, MAX_ROWS = 60, 500


def extract_of(plan: Plan, names: Sequence[str], first: Iterable[str]) -> Extract:
    """The values of these features, as many as an extract holds, in all rows or in a random part of them."""
    places = {name: place for place, name in enumerate(names)}
    texts = set() if plan.columns is None else set(plan.columns.labels)  # labels are no amounts
    kept = [name for name in dict.fromkeys(first) if name in places and places[name] not in texts][:MAX_FEATURES]
    rows = np.arange(len(plan.y))
    if len(rows) > MAX_ROWS:
        rows = np.sort(np.random.default_rng(plan.seed).choice(rows, MAX_ROWS, replace=False))
    task, y = TASKS[plan.task], plan.y[rows]
    has_classes = task.has_classes
    return Extract(
        tuple(kept),
        tuple(tuple(float(f"{value:.5g}") for value in plan.X[rows, places[name]]) for name in kept),
        tuple(map(str, y)) if has_classes else (),
        () if has_classes else tuple(float(f"{value:.5g}") for value in task.amounts(y)),
        len(plan.y),
    )


def most_selected(selections: Mapping[str, Selections]) -> list[str]:
    """The most frequent features of each procedure: the first of all, then the second of all."""
    orders = [np.argsort(-sel.counts, kind="stable")[:MAX_FEATURES] for sel in selections.values()]
    named = [
        [sel.features[f] for f in order if sel.counts[f]]
        for sel, order in zip(selections.values(), orders, strict=True)
    ]
    return [name for turn in zip_longest(*named) for name in turn if name is not None]
