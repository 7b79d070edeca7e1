"""Filters that are importances of a random forest: impurity, permutation."""

from functools import partial

import numpy as np

from steadyset.kernels.arrays import Floats, Ints
from steadyset.selectors.filters.moments import BOTH
from steadyset.selectors.filters.registry import Filter, Variant, register_filter
from steadyset.selectors.model import FOREST_OUTCOMES
from steadyset.selectors.model_input import Training
from steadyset.selectors.models.trees import ForestData, Growth, forest_importances, seed_sequence
from steadyset.selectors.validation import check_integer
from steadyset.tasks import SURVIVAL


def score_forest(
    kind: str,
    X: Floats,
    y: Ints | Floats,
    weights: Floats,
    *,
    random_state: int,
    n_estimators: int = 500,
    max_features: str | int | float | None = "sqrt",
    min_samples_leaf: int = 1,
    n_jobs: int | None = None,
) -> Floats:
    """Mean over the trees of a feature's importance, in the first forest of `ForestSelector` with that seed.

    decrease: of the impurity (Gini index, or variance of a continuous target); a node counts by its share of the rows.
    permutation: the loss of accuracy (or growth of the mean squared error) on the out-of-bag rows when the feature's
    values are permuted there. Features that no tree uses score 0. Trees of times are cut by the log-rank test: its
    statistics take the place of the impurity, and Harrell's concordance that of accuracy.
    """
    check_integer("n_estimators", n_estimators, least=1)
    check_integer("min_samples_leaf", min_samples_leaf, least=1)
    classes = np.empty(0) if y.dtype.kind == "f" else np.unique(y)
    data = ForestData.of(Training(X, y.astype(np.float64), weights, classes))
    growth = Growth(n_estimators, max_features, least_leaf=min_samples_leaf)
    first, _ = seed_sequence(random_state).spawn(2)
    return forest_importances(data, growth, first, kind, n_jobs)


for _name, _kind, _summary, _formula, _of_times, _times_formula in (
    (
        *("impurity", "decrease", "mean decrease in impurity over the trees of a random forest"),
        "mean_t sum_{v splits on f} n_v Δ_v / n",
        "mean sum of the log-rank statistics of its splits over the trees of a random forest",
        "mean_t sum_{v splits on f} Z_v² / n",
    ),
    (
        *("permutation", "permutation"),
        "loss of out-of-bag accuracy in a random forest when the feature is permuted",
        "mean_t (error_t(X permuted) - error_t(X))",
        "loss of out-of-bag concordance in a random forest when the feature is permuted",
        "mean_t (C_t(X) - C_t(X permuted))",
    ),
):
    _leaf = FOREST_OUTCOMES[SURVIVAL].least_leaf
    _score = partial(score_forest, _kind, min_samples_leaf=_leaf)
    register_filter(
        Filter(
            name=_name,
            score=partial(score_forest, _kind),
            target=(*BOTH, SURVIVAL),
            variants={SURVIVAL: Variant(_score, _of_times, _times_formula, "Ishwaran et al. 2008")},
            stochastic=True,
            constant=0.0,
            reference="Breiman 2001; Izenman 2013, p. 542",
            summary=_summary,
            formula=_formula,
        )
    )
