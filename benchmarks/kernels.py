"""Hand-written kernels side by side with the library function that does the same, or nearly.

transport: POT's `ot.emd2`, one call per pair; matching: scipy.sparse.csgraph, one call per pair; hypergeometric:
scipy.stats; canberra: scipy.spatial on dense ranks; hinge: scikit-learn's SVC with a linear kernel and a tolerance of
1e-8 (LinearSVC penalises the intercept, so it solves another problem); cholesky: LAPACK through numpy, one call per
matrix, as kernels cannot call it without the GIL; relieff: skrebate's ReliefF, which has no row weights; boosting:
XGBoost's linear booster that changes the one coefficient of the largest step per round, which on standardised features
is component-wise least-squares boosting, in single precision. Component-wise boosting of the logistic loss by least
squares, as in R's mboost, has no library counterpart in Python: XGBoost takes Newton steps there. `difference` is the
largest absolute difference of the answers, relative to the largest answer. POT, skrebate and XGBoost are not among the
dependencies; without them their rows are left out.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
from scipy import sparse, stats
from scipy.sparse.csgraph import maximum_bipartite_matching
from scipy.spatial.distance import cdist
from sklearn.svm import SVC
from threadpoolctl import threadpool_limits

import steadyset as st
from benchmarks.timing import median_seconds
from steadyset.kernels.arrays import Floats
from steadyset.kernels.importances import canberra_table, transport_plan
from steadyset.kernels.linear.algebra import cholesky
from steadyset.kernels.linear.models import hinge_fit
from steadyset.kernels.overlap.chance import intersection_laws
from steadyset.kernels.overlap.matching import maximum_matching

TITLE = "Kernels beside libraries"


def rows() -> list[dict[str, Any]]:
    """One row per kernel and size: seconds of ours and the library, theirs / ours, and how far the answers differ."""
    with threadpool_limits(limits=1):
        return [
            *_transport_rows(),
            *_matching_rows(),
            *_hypergeometric_rows(),
            *_canberra_rows(),
            *_hinge_rows(),
            *_cholesky_rows(),
            *_relief_rows(),
            *_boosting_rows(),
        ]


def _row(case: str, size: str, ours: Callable[[], Any], theirs: Callable[[], Any]) -> dict[str, Any]:
    own, other = np.asarray(ours(), dtype=float), np.asarray(theirs(), dtype=float)
    seconds = [median_seconds(call, repeats=3) for call in (ours, theirs)]
    return {
        "case": case,
        "size": size,
        "ours_s": seconds[0],
        "theirs_s": seconds[1],
        "ratio": seconds[1] / seconds[0],
        "difference": float(np.abs(own - other).max() / np.abs(other).max()),
    }


def _transport_rows() -> Iterator[dict[str, Any]]:
    try:
        import ot
    except ImportError:
        print("POT is not installed, so its rows are left out: pip install POT")
        return
    rng = np.random.default_rng(0)
    for k in (10, 30, 100):
        pairs = [(rng.dirichlet(np.ones(k)), rng.dirichlet(np.ones(k)), rng.random((k, k))) for _ in range(50)]

        def ours(pairs: Any = pairs) -> list[float]:
            plans = [transport_plan(a, b, C) for a, b, C in pairs]
            return [float(m @ C[s, t]) for (s, t, m), (_, _, C) in zip(plans, pairs, strict=True)]

        def theirs(pairs: Any = pairs) -> list[float]:
            return [1.0 - float(ot.emd2(a, b, 1.0 - C)) for a, b, C in pairs]

        yield _row("transport (POT emd2)", f"50 pairs of {k} features", ours, theirs)


def _matching_rows() -> Iterator[dict[str, Any]]:
    rng = np.random.default_rng(0)
    for k in (10, 30, 100):
        graphs = [sparse.csr_array(rng.random((k, k)) < 3 / k) for _ in range(50)]
        plain = [(g.indptr.astype(np.int64), g.indices.astype(np.int64)) for g in graphs]

        def ours(plain: Any = plain, k: int = k) -> list[int]:
            return [maximum_matching(start, ends, k) for start, ends in plain]

        def theirs(graphs: Any = graphs) -> list[int]:
            return [int((maximum_bipartite_matching(g, perm_type="column") >= 0).sum()) for g in graphs]

        yield _row("matching (scipy csgraph)", f"50 graphs of {k} + {k} nodes", ours, theirs)


def _hypergeometric_rows() -> Iterator[dict[str, Any]]:
    rng = np.random.default_rng(0)
    for d in (100, 500, 2000):
        a, b = rng.integers(1, d // 4, size=(2, 50))

        def ours(a: Any = a, b: Any = b, d: int = d) -> Floats:
            start, shared, probability = intersection_laws(a, b, d)
            return np.add.reduceat(shared * probability, start[:-1])

        def theirs(a: Any = a, b: Any = b, d: int = d) -> Floats:
            ends = np.minimum(a, b) + 1
            r = np.concatenate([np.arange(end) for end in ends])
            p = stats.hypergeom.pmf(r, d, np.repeat(a, ends), np.repeat(b, ends))
            return np.add.reduceat(r * p, np.concatenate([[0], np.cumsum(ends)[:-1]]))

        yield _row("hypergeometric (scipy.stats)", f"50 pairs, d = {d}", ours, theirs)


def _canberra_rows() -> Iterator[dict[str, Any]]:
    rng = np.random.default_rng(0)
    n_runs, k = 30, 20
    for d in (100, 2000, 20_000):
        listed = np.array([rng.choice(d, k, replace=False) for _ in range(n_runs)])
        ranks = np.tile(np.arange(1.0, k + 1), n_runs)
        rest = np.full(n_runs, (k + 1 + d) / 2)
        dense = np.full((n_runs, d), rest[0])
        np.put_along_axis(dense, listed, np.arange(1.0, k + 1)[None], axis=1)
        upper = np.triu_indices(n_runs, 1)
        indptr = np.arange(0, n_runs * k + 1, k)
        order = np.argsort(listed, axis=1)
        indices = np.take_along_axis(listed, order, axis=1).ravel()
        ordered = np.take_along_axis(ranks.reshape(n_runs, k), order, axis=1).ravel()
        yield _row(
            "canberra (scipy.spatial)",
            f"{n_runs} runs of {k} of {d} features",
            lambda i=indptr, x=indices, r=ordered, s=rest, d=d, u=upper: canberra_table(i, x, r, s, d)[u],
            lambda D=dense, u=upper: cdist(D, D, "canberra")[u],
        )


def _hinge_rows() -> Iterator[dict[str, Any]]:
    rng = np.random.default_rng(0)
    for n, d in ((100, 10), (100, 50), (400, 50)):
        X = rng.normal(size=(n, d))
        Xt = np.ascontiguousarray(X.T)
        y = np.where(X[:, 0] + rng.normal(size=n) > 0, 1.0, -1.0)
        model = SVC(kernel="linear", C=1 / (n * 0.01), tol=1e-8)
        yield _row(
            "hinge (scikit-learn SVC)",
            f"{n} rows, {d} features",
            lambda Xt=Xt, y=y, n=n: hinge_fit(Xt, y, np.full(n, 1 / n), 0.01, 1e-13)[:-1],
            lambda X=X, y=y, model=model: model.fit(X, y).coef_[0],
        )


def _cholesky_rows() -> Iterator[dict[str, Any]]:
    rng = np.random.default_rng(0)
    for m in (5, 20, 100):
        stack = [A @ A.T + np.eye(m) for A in rng.normal(size=(50, m, m))]

        def ours(stack: Any = stack, m: int = m) -> list[float]:
            factors = [A.copy() for A in stack]
            for A in factors:
                cholesky(A, m, 1e-14)
            return [float(A[m - 1, m - 1]) for A in factors]

        def theirs(stack: Any = stack) -> list[float]:
            return [float(np.linalg.cholesky(A)[-1, -1]) for A in stack]

        yield _row("cholesky (LAPACK)", f"50 matrices of {m} x {m}", ours, theirs)


def _relief_rows() -> Iterator[dict[str, Any]]:
    try:
        from skrebate import ReliefF
    except ImportError:
        print("skrebate is not installed, so its rows are left out: pip install skrebate")
        return
    rng = np.random.default_rng(0)
    for d in (20, 100, 500):
        X = rng.normal(size=(100, d))
        y = (X[:, 0] + rng.normal(size=100) > 0).astype(int)
        yield _row(
            "relieff (skrebate)",
            f"100 rows, {d} features",
            lambda X=X, y=y: st.FilterSelector("relieff", k=5).fit(X, y).scores_,
            lambda X=X, y=y: ReliefF(n_features_to_select=5, n_neighbors=10, n_jobs=1).fit(X, y).feature_importances_,
        )


def _boosting_rows() -> Iterator[dict[str, Any]]:
    try:
        import xgboost
    except ImportError:
        print("XGBoost is not installed, so its rows are left out: pip install xgboost-cpu")
        return
    rng = np.random.default_rng(0)
    for d in (20, 200, 2000):
        X = rng.normal(size=(200, d))
        X = (X - X.mean(axis=0)) / X.std(axis=0)
        y = X[:, :5] @ np.array([3, -2, 1.5, 1, 0.5]) + rng.normal(size=200)
        greedy = {
            **{"booster": "gblinear", "updater": "coord_descent", "feature_selector": "greedy", "top_k": 1},
            **{"eta": 0.1, "reg_lambda": 0, "reg_alpha": 0, "nthread": 1, "base_score": float(y.mean())},
        }

        def theirs(X: Any = X, y: Any = y, greedy: Any = greedy) -> Floats:
            model = xgboost.train(greedy, xgboost.DMatrix(X, label=y), num_boost_round=100)
            return np.array(model.get_dump()[0].partition("weight:")[2].split(), dtype=float)

        yield _row(
            "boosting (XGBoost gblinear)",
            f"200 rows, {d} features, 100 steps",
            lambda X=X, y=y: st.selectors.BoostingSelector(n_steps=100, rate=0.1).fit(X, y).coef_,
            theirs,
        )
