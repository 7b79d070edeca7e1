"""What `make performance BASE=commit` compares: a few kernels, each timed many times within seconds.

Each takes the package and gives the call to be timed, which returns numbers; these are compared too. Only public names
are used, so that earlier versions have them. What a version keeps between calls is no part of the call.
"""

from __future__ import annotations

import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

Call = Callable[[], Any]
CLOCK = time.process_time  # other work on the machine does not count


def measures(st: Any) -> Call:
    """All measures that need no similarity, on 100 runs of 20 of 2,000 features."""
    sets = _sets(100, 2_000)
    return lambda: st.stability_table(st.Selections.from_sets(sets, n_features=2_000))["estimate"]


def intervals(st: Any) -> Call:
    """The interval of a pairwise measure, 100 runs of 20 of 2,000 features."""
    sets = _sets(100, 2_000)

    def call() -> list[float]:
        found = st.confidence_interval(st.Selections.from_sets(sets, n_features=2_000), "kuncheva")
        return [found.low, found.high]

    return call


def similarity(st: Any) -> Call:
    """Correlations of 1,000 features above 0.3 on 100 rows, and a measure that is adjusted for them."""
    X, _ = _table(1_000)
    sets = _sets(30, 1_000)

    def call() -> float:
        alike = st.FeatureSimilarity.from_data(X, threshold=0.3)
        selections = st.Selections.from_sets(sets, n_features=1_000)
        return float(st.stability(selections, "intersection_count", similarity=alike, expectation="none"))

    return call


def filters(st: Any) -> Call:
    """The 20 best of 20,000 features by the F statistic."""
    X, y = _table(20_000)
    return lambda: st.FilterSelector("anova", k=20).fit(X, y).scores_


def jmi(st: Any) -> Call:
    """Twenty features by joint mutual information of 1,000."""
    X, y = _table(1_000)
    return lambda: st.FilterSelector("jmi", k=20).fit(X, y).get_support()


def paths(st: Any) -> Call:
    """Lasso paths of eight resamples of 100 rows and 500 features, 30 penalties each."""
    X, y = _table(500)
    weights = np.random.default_rng(2).multinomial(100, np.full(100, 0.01), size=8).astype(float)
    return lambda: np.concatenate(st.selectors.elastic_net_paths(X, y, weights, n_lambdas=30).intercepts)


def forest(st: Any) -> Call:
    """A forest of 50 trees on 100 rows and 200 features."""
    X, y = _table(200)
    return lambda: st.selectors.ForestSelector(10, n_estimators=50, random_state=0).fit(X, y).importances_


def reading(st: Any) -> Call:
    """A text file of 100 rows and 500 features."""
    X, y = _table(500)
    lines = [",".join([*(f"g{i}" for i in range(500)), "y"])]
    lines += [",".join([*(f"{value:.6f}" for value in row), str(label)]) for row, label in zip(X, y, strict=True)]

    def call() -> Any:
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "table.csv"
            path.write_text("\n".join(lines), encoding="utf-8")
            return np.asarray(st.load_data(path, "y").X)

    return call


TRACKED: dict[str, Callable[[Any], Call]] = {
    one.__name__: one for one in (measures, intervals, similarity, filters, jmi, paths, forest, reading)
}


def _table(columns: int) -> tuple[Any, Any]:
    rng = np.random.default_rng(0)
    X = rng.normal(size=(100, columns))
    return X, (X[:, :5].sum(axis=1) + rng.normal(size=100) > 0).astype(np.int64)


def _sets(n_runs: int, columns: int) -> list[list[int]]:
    """Sets of 20 features, some of which are selected far more often than others."""
    rng = np.random.default_rng(1)
    liking = rng.gamma(0.1, size=columns) + 1e-6
    return [rng.choice(columns, 20, replace=False, p=liking / liking.sum()).tolist() for _ in range(n_runs)]
