"""Tuning sparse models: all folds together along one path for all configurations, against each fit by itself.

Lasso models of 20 random penalties (from 0.005 to 1) or sizes (from 1 to 39) on 10 folds; both sides find the same
numbers to the last bit. "fits" are the models alone, "evaluations" hold the predictions, scores and stabilities too.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from benchmarks.timing import seconds
from steadyset.assessment.request import make_plan
from steadyset.datasets import similar_features
from steadyset.resampling import KFold
from steadyset.runner.conditions import same_conditions
from steadyset.runner.plan import Plan
from steadyset.selectors import ElasticNetSelector
from steadyset.tuning.evaluation import Evaluator
from steadyset.tuning.models import FilteredModel

TITLE = "Tuning of sparse models"
SIZES = ((100, 200), (100, 2000), (77, 7129))
N_MODELS = 20


def rows() -> list[dict[str, Any]]:
    """Two rows for each size and for penalties and sizes."""
    return [row for name in ("penalty", "k") for n, d in SIZES for row in compare(name, n, d)]


def compare(name: str, n: int, d: int, n_models: int = N_MODELS) -> list[dict[str, Any]]:
    """The fits of some models, and their evaluations."""
    data = similar_features(n, d, n_similar=4, random_state=0)
    plan, _ = make_plan(data.X, data.y, resampling=KFold(10), random_state=0)
    random = np.random.default_rng(0)
    drawn = np.exp(random.uniform(np.log(0.005), 0.0, n_models)), random.integers(1, 40, n_models)
    values = (drawn[0] if name == "penalty" else drawn[1]).tolist()
    models = [ElasticNetSelector(**{name: value}) for value in values]
    case = f"{n_models} values of {name}"
    return [
        _row(f"fits, {case}", n, d, lambda shared: _fitted(plan, models, shared)),
        _row(f"evaluations, {case}", n, d, lambda shared: _evaluated(plan, models, shared)),
    ]


def _row(case: str, n: int, d: int, run: Callable[[bool], None]) -> dict[str, Any]:
    run(True)
    run(False)  # kernels are loaded
    ours, theirs = seconds(lambda: run(True)), seconds(lambda: run(False))
    return {"case": case, "size": f"n={n}, d={d}", "ours_s": ours, "theirs_s": theirs, "ratio": theirs / ours}


def _fitted(plan: Plan, models: list[ElasticNetSelector], shared: bool) -> None:
    weights = np.stack([resample.weights(len(plan.y)) for resample in plan.resamples()])
    with same_conditions():
        if not shared:
            for model in models:
                for row in weights:
                    model.fit(plan.X, plan.y, sample_weight=row)
            return
        along = models[0].share_paths(plan.X, plan.y, weights)
        if along is None:
            raise RuntimeError("ten folds are one batch")
        for model in models:
            for fitted in along(model):
                fitted()


def _evaluated(plan: Plan, models: list[ElasticNetSelector], shared: bool) -> None:
    evaluator = Evaluator(plan, shared=shared)
    for model in models:
        evaluator(FilteredModel(model))
