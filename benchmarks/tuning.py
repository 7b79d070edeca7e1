"""Tuning with what configurations share computed once, against computing it anew for each of them.

Both sides evaluate the same random configurations on the same folds and find the same numbers. Rankings: the gain grows
with the number of configurations that use a filter, and with what the filter costs beside the model (here k nearest
neighbours, a cheap one). Similarity: a measure that takes similar features as one. The last rows are the space
"bommert" on data of the size of sonar.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from benchmarks.timing import seconds
from steadyset.assessment.request import make_plan
from steadyset.datasets import similar_features
from steadyset.resampling import KFold
from steadyset.similarity import FeatureSimilarity
from steadyset.tuning.evaluation import Evaluator
from steadyset.tuning.models import FilteredModel, predictor_by_name
from steadyset.tuning.space import read_space

TITLE = "Tuning"
FILTERS = ("mim", "jmi", "impurity")  # the filters of "bommert", from cheap to costly
N_CONFIGURATIONS = 12


def rows() -> list[dict[str, Any]]:
    """One row for each filter and size, for each size of a similarity, and for each number of configurations."""
    rankings = [compare(name, d) for name in FILTERS for d in (60, 240, 960)]
    return [*rankings, *(similarity(d) for d in (500, 1000, 2000)), *(bommert(n) for n in (50, 100, 200))]


def similarity(d: int, n_configurations: int = N_CONFIGURATIONS, n: int = 100) -> dict[str, Any]:
    """The similarity of the features, found once or for each configuration."""
    data = similar_features(n, d, n_similar=4, random_state=0)
    plan, _ = make_plan(data.X, data.y, resampling=KFold(5), random_state=0)
    fractions = np.linspace(0.01, 0.05, n_configurations)
    configurations = [
        FilteredModel(predictor_by_name("knn", "classes").make(), filter="mim", fraction=float(f)) for f in fractions
    ]

    def evaluate(shared: bool) -> float:
        def run() -> None:
            evaluator = Evaluator(plan, measure="intersection_count")
            for configuration in configurations:
                if evaluator.similarity is None or not shared:
                    evaluator.similarity = FeatureSimilarity.from_data(plan.X)
                evaluator(configuration)

        return seconds(run)

    evaluate(True)
    return row(f"similarity, {n_configurations} configurations, 5 folds", f"n={n}, d={d}", evaluate)


def bommert(n_configurations: int) -> dict[str, Any]:
    """The ready-made space on data of the size of sonar, with and without sharing rankings."""
    data = similar_features(208, 60, n_similar=4, random_state=0)
    plan, _ = make_plan(data.X, data.y, resampling=KFold(10), random_state=0)
    space = read_space("bommert", plan.task)
    draws = [space.sample(np.random.default_rng((0, i))) for i in range(n_configurations)]
    configurations = [space.estimator(params, len(plan.y), plan.task) for params in draws]
    for model in space.models:  # loads the compiled kernels
        Evaluator(plan)(next(c for c, p in zip(configurations, draws, strict=True) if p["model"] == model))

    def evaluate(shared: bool) -> float:
        evaluator = Evaluator(plan, shared=shared)
        return seconds(lambda: [evaluator(configuration) for configuration in configurations])

    return row(f"bommert, {n_configurations} configurations, 10 folds", "n=208, d=60", evaluate)


def compare(name: str, d: int, n_configurations: int = N_CONFIGURATIONS, n: int = 100) -> dict[str, Any]:
    """Evaluate configurations of one filter with and without sharing its rankings."""
    data = similar_features(n, d, n_similar=4, random_state=0)
    plan, _ = make_plan(data.X, data.y, resampling=KFold(5), random_state=0)
    ranges = {"kneighborsclassifier__n_neighbors": {"low": 1, "high": 20}}
    space = read_space({"filter": [name], "fraction": {"low": 0.0, "high": 0.5}, "model": {"knn": ranges}}, plan.task)
    draws = [space.sample(np.random.default_rng(i)) for i in range(n_configurations)]
    configurations = [space.estimator(params, n) for params in draws]
    Evaluator(plan)(configurations[0])  # loads the compiled kernels

    def evaluate(shared: bool) -> float:
        evaluator = Evaluator(plan, shared=shared)
        return seconds(lambda: [evaluator(configuration) for configuration in configurations])

    return row(f"{name}, {n_configurations} configurations, 5 folds", f"n={n}, d={d}", evaluate)


def row(case: str, size: str, evaluate: Callable[[bool], float]) -> dict[str, Any]:
    """The time with what is shared computed once, and without."""
    ours, theirs = evaluate(True), evaluate(False)
    return {"case": case, "size": size, "ours_s": ours, "theirs_s": theirs, "ratio": theirs / ours}
