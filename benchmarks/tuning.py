"""Tuning with the rankings of a filter shared by all configurations, against ranking anew for each of them.

Both sides evaluate the same random configurations (a filter x a fraction x k nearest neighbours) on the same folds
and find the same numbers; the ratio grows with the number of configurations that use a filter, and with its cost.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from benchmarks.timing import seconds
from steadyset.assessment.request import make_plan
from steadyset.datasets import similar_features
from steadyset.resampling import KFold
from steadyset.tuning.evaluation import Evaluator
from steadyset.tuning.space import random_pick, read_space

TITLE = "Tuning"
FILTERS = ("anova", "jmi")  # a cheap one and a costly one
N_CONFIGURATIONS = 12


def rows() -> list[dict[str, Any]]:
    """One row for each filter and size."""
    return [compare(name, d) for name in FILTERS for d in (60, 240, 960)]


def compare(name: str, d: int, n_configurations: int = N_CONFIGURATIONS, n: int = 100) -> dict[str, Any]:
    """Evaluate configurations of one filter with and without sharing its rankings."""
    data = similar_features(n, d, n_similar=4, random_state=0)
    plan, _ = make_plan(data.X, data.y, resampling=KFold(5), random_state=0)
    ranges = {"kneighborsclassifier__n_neighbors": {"low": 1, "high": 20}}
    space = read_space({"filter": [name], "fraction": {"low": 0.0, "high": 0.5}, "model": {"knn": ranges}}, plan.task)
    draws = [space.draw(random_pick(np.random.default_rng(i))) for i in range(n_configurations)]
    configurations = [space.estimator(params, n) for params in draws]
    Evaluator(plan)(configurations[0])  # loads the compiled kernels

    def evaluate(shared: bool) -> float:
        evaluator = Evaluator(plan, shared=shared)
        return seconds(lambda: [evaluator(configuration) for configuration in configurations])

    ours, theirs = evaluate(True), evaluate(False)
    return {
        "case": f"{name}, {n_configurations} configurations, 5 folds",
        "size": f"n={n}, d={d}",
        "ours_s": ours,
        "theirs_s": theirs,
        "ratio": theirs / ours,
    }
