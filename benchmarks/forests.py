"""Random forests beside those of scikit-learn: growing 100 trees and predicting 100 rows, one thread.

Both forests have the same rules (bootstraps, the same number of candidates at a node, leaves grown pure); the last
column says how many nodes a tree has on both sides. At n=187, d=60 with half of the features as candidates it is what
`tune("bommert")` grows by the hundred thousand.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.ensemble import RandomForestClassifier, RandomForestRegressor
from threadpoolctl import threadpool_limits

from benchmarks.timing import median_seconds
from steadyset.selectors.model_input import Training
from steadyset.selectors.models.trees import ForestData, Growth, grow_forest, mean_of_trees

TITLE = "Forests"
N_TREES, N_NEW = 100, 100
NAMES = {1: "regression", 2: "two classes", 3: "three classes"}
SIZES: tuple[tuple[int, int, Any], ...] = (
    (187, 60, None),
    (187, 60, 0.5),
    (187, 60, "sqrt"),
    (200, 2_000, "sqrt"),
    (100, 20_000, "sqrt"),
    (2_000, 100, 0.5),
    (2_000, 100, "sqrt"),
    (20_000, 30, "sqrt"),
)


def rows() -> list[dict[str, Any]]:
    """One row for each target and size."""
    with threadpool_limits(1):
        return [compare(n_classes, *size) for n_classes in (2, 3, 1) for size in SIZES]


def compare(n_classes: int, n: int, d: int, max_features: Any, n_trees: int = N_TREES) -> dict[str, Any]:
    """Grow a forest and predict new rows, on both sides; fewer trees and one call where a call takes long."""
    X, y, new = example(n_classes, n, d)
    n_trees = n_trees if n < 10_000 else min(10, n_trees)
    sizes: dict[str, float] = {}

    def ours() -> None:
        training = Training(X, y.astype(np.float64), np.ones(n), np.arange(n_classes) if n_classes > 1 else np.empty(0))
        trees = grow_forest(ForestData.of(training), Growth(n_trees, max_features), np.random.SeedSequence(0))
        mean_of_trees(trees, new, n_classes)
        sizes["ours"] = len(trees.feature) / n_trees

    def theirs() -> None:
        kind = RandomForestRegressor if n_classes == 1 else RandomForestClassifier
        forest = kind(n_trees, max_features=1.0 if max_features is None else max_features, random_state=0).fit(X, y)
        forest.predict(new)
        sizes["theirs"] = float(np.mean([tree.tree_.node_count for tree in forest.estimators_]))

    ours_s, theirs_s = median_seconds(ours, 5), median_seconds(theirs, 3 if n < 2_000 else 1)
    candidates = "all" if max_features is None else {0.5: "half"}.get(max_features, max_features)
    return {
        "case": f"{NAMES[n_classes]}, {n_trees} trees, candidates: {candidates}",
        "size": f"n={n}, d={d}",
        "ours_s": ours_s,
        "theirs_s": theirs_s,
        "ratio": theirs_s / ours_s,
        "nodes a tree": f"{sizes['ours']:.0f} and {sizes['theirs']:.0f}",
    }


def example(n_classes: int, n: int, d: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Five features decide, with noise; rows to fit and new ones."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(n + N_NEW, d))
    score = (X[:, :5].sum(axis=1) + rng.normal(size=len(X)))[:n]
    y = score if n_classes == 1 else np.digitize(score, np.quantile(score, np.arange(1, n_classes) / n_classes))
    return X[:n], y, X[n:]


if __name__ == "__main__":
    for row in rows():
        print("  ".join(f"{value:.4g}" if isinstance(value, float) else str(value) for value in row.values()))
