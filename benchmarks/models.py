"""Times of the model selectors beside scikit-learn and skglm: one process, one thread, the two taking turns.

Ours reads bootstraps as weights, theirs gets copied rows, as their users would do it. `ours_gap` and `theirs_gap` say
how far above the best objective found each of them stops (the largest over the path and the bootstraps), because time
without accuracy is no comparison: supports read off at a loose tolerance differ from those of the optimum. liblinear
penalises the intercept, so its gap stays open whatever its tolerance; intercept_scaling=100 keeps that small.
"""

import time
import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
from sklearn.exceptions import ConvergenceWarning
from sklearn.feature_selection import RFE
from sklearn.linear_model import LogisticRegression
from threadpoolctl import threadpool_limits

from benchmarks.peers import sparse_logistic
from steadyset.kernels.arrays import Floats
from steadyset.selectors import GroupLassoSelector, RecursiveElimination, elastic_net_path

Path = Callable[[Floats, Floats, Floats, Floats], tuple[Floats, Floats]]

TITLE = "Models"
N_LAMBDAS = 20
N_BOOTSTRAPS = 3


def rows() -> list[dict[str, Any]]:
    """One record per case and size: case, size, ours_s, theirs_s, ratio, and for paths the two gaps."""
    peers = [("scikit-learn liblinear", liblinear_path)]
    table = []
    with threadpool_limits(1), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            import skglm  # noqa: F401
        except ImportError:
            print("skglm is not installed, so its rows are left out: pip install skglm")
        else:
            peers.append(("skglm", skglm_path))
            table += [group_row(d) for d in (500, 1000, 2000)]
        table += [path_row(name, peer, d) for name, peer in peers for d in (500, 2000, 8000)]
        table += [elimination_row(d) for d in (500, 1000, 2000)]
        table.append(many_bootstraps_row())
    return table


def path_row(name: str, peer: Path, d: int) -> dict[str, Any]:
    """An L1-logistic path of 20 penalties on each of three bootstraps of 100 rows."""
    X, y = example(100, d)
    levels = elastic_net_path(X, y, n_lambdas=N_LAMBDAS, lambda_min_ratio=0.05).lambdas
    peer(X[:, :50], y, np.ones(100), levels[:2])
    ours, theirs, gaps = 0.0, 0.0, np.zeros(2)
    for weight in bootstraps(100, N_BOOTSTRAPS):
        start = time.perf_counter()
        coefs, intercepts = our_path(X, y, weight, levels)
        middle = time.perf_counter()
        their_coefs, their_intercepts = peer(X, y, weight, levels)
        theirs += time.perf_counter() - middle
        ours += middle - start
        mine = objectives(X, y, weight, levels, coefs, intercepts)
        others = objectives(X, y, weight, levels, their_coefs, their_intercepts)
        best = np.minimum(mine, others)
        gaps = np.maximum(gaps, [(mine - best).max(), (others - best).max()])
    return {**record(f"L1-logistic path, against {name}", f"n=100 d={d}", ours, theirs), **gap_columns(gaps)}


def many_bootstraps_row() -> dict[str, Any]:
    """The 50 bootstraps of a stability analysis; liblinear is timed on three of them and scaled up."""
    X, y = example(100, 2000)
    weights = bootstraps(100, 50)
    start = time.perf_counter()
    for weight in weights:
        elastic_net_path(X, y, weight, n_lambdas=N_LAMBDAS)
    ours = time.perf_counter() - start
    levels = elastic_net_path(X, y, n_lambdas=N_LAMBDAS).lambdas
    start = time.perf_counter()
    for weight in weights[:N_BOOTSTRAPS]:
        liblinear_path(X, y, weight, levels)
    theirs = (time.perf_counter() - start) * len(weights) / N_BOOTSTRAPS
    return record("L1-logistic path, 50 bootstraps, against scikit-learn liblinear", "n=100 d=2000", ours, theirs)


def elimination_row(d: int) -> dict[str, Any]:
    """Recursive elimination down to 20 features in steps of d / 20; lbfgs at its default, loose tolerance."""
    X, y = example(100, d)
    Z = (X - X.mean(axis=0)) / X.std(axis=0)
    ours = timed(lambda: RecursiveElimination(20, step=d // 20).fit(X, y))
    theirs = timed(lambda: RFE(LogisticRegression(C=1.0), n_features_to_select=20, step=d // 20).fit(Z, y))
    return record("RFE, logistic, against scikit-learn", f"n=100 d={d}", ours, theirs)


def group_row(d: int) -> dict[str, Any]:
    """One group-lasso logistic model with groups of five."""
    from skglm.datafits import LogisticGroup
    from skglm.penalties import WeightedGroupL2
    from skglm.solvers import GroupBCD
    from skglm.utils.data import grp_converter

    X, y = example(100, d)
    Z = np.asfortranarray((X - X.mean(axis=0)) / X.std(axis=0))
    indices, pointers = grp_converter(5, d)
    fitted = GroupLassoSelector(np.arange(d) // 5, k=10).fit(X, y)
    penalty = fitted.penalty_

    def theirs() -> None:
        datafit = LogisticGroup(pointers, indices)
        groups = WeightedGroupL2(penalty, np.full(d // 5, np.sqrt(5.0)), pointers, indices)
        GroupBCD(fit_intercept=True, tol=1e-9, max_iter=1000).solve(Z, 2 * y - 1, datafit, groups)

    ours_s = timed(lambda: GroupLassoSelector(np.arange(d) // 5, penalty=penalty, n_lambdas=10).fit(X, y))
    return record("group lasso, logistic, against skglm", f"n=100 d={d}", ours_s, timed(theirs))


def our_path(X: Floats, y: Floats, weight: Floats, levels: Floats) -> tuple[Floats, Floats]:
    path = elastic_net_path(X, y, weight, lambdas=levels, standardise=False)
    return path.coefs, path.intercepts


def liblinear_path(X: Floats, y: Floats, weight: Floats, levels: Floats) -> tuple[Floats, Floats]:
    copied, labels = np.repeat(X, weight.astype(int), axis=0), np.repeat(y, weight.astype(int))
    coefs, intercepts = [], []
    for level in levels:
        model = sparse_logistic(
            C=1 / (level * len(labels)),
            solver="liblinear",
            tol=1e-6,
            intercept_scaling=100,
            max_iter=2000,
        ).fit(copied, labels)
        coefs.append(model.coef_[0])
        intercepts.append(model.intercept_[0])
    return np.array(coefs), np.array(intercepts)


def skglm_path(X: Floats, y: Floats, weight: Floats, levels: Floats) -> tuple[Floats, Floats]:
    from skglm import SparseLogisticRegression

    copied, labels = np.repeat(X, weight.astype(int), axis=0), np.repeat(y, weight.astype(int))
    model = SparseLogisticRegression(tol=1e-9, warm_start=True, max_iter=100)
    coefs, intercepts = [], []
    for level in levels:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", ConvergenceWarning)
            model.set_params(alpha=level).fit(copied, labels)
        coefs.append(model.coef_[0].copy())
        intercepts.append(float(np.ravel(model.intercept_)[0]))
    return np.array(coefs), np.array(intercepts)


def objectives(X: Floats, y: Floats, weight: Floats, levels: Floats, coefs: Floats, intercepts: Floats) -> Floats:
    eta = coefs @ X.T + intercepts[:, None]
    loss = (np.logaddexp(0, eta) - y * eta) @ weight / weight.sum()
    return np.asarray(loss + levels * np.abs(coefs).sum(axis=1))


def example(n: int, d: int) -> tuple[Floats, Floats]:
    """Blocks of ten features correlated at 0.5; five features decide the class."""
    rng = np.random.default_rng(d)
    X = np.sqrt(0.5) * (np.repeat(rng.normal(size=(n, d // 10)), 10, axis=1) + rng.normal(size=(n, d)))
    return X, (X[:, :50:10].sum(axis=1) + rng.normal(size=n) > 0).astype(float)


def bootstraps(n: int, count: int) -> Floats:
    return np.random.default_rng(0).multinomial(n, np.full(n, 1 / n), size=count).astype(float)


def timed(run: Callable[[], Any]) -> float:
    """Seconds of the second of two runs: the first one compiles."""
    run()
    start = time.perf_counter()
    run()
    return time.perf_counter() - start


def record(case: str, size: str, ours: float, theirs: float) -> dict[str, Any]:
    return {"case": case, "size": size, "ours_s": ours, "theirs_s": theirs, "ratio": theirs / ours}


def gap_columns(gaps: Floats) -> dict[str, float]:
    return {"ours_gap": float(gaps[0]), "theirs_gap": float(gaps[1])}


if __name__ == "__main__":
    print(f"{'case':64}{'size':16}{'ours s':>10}{'theirs s':>10}{'ratio':>8}{'our gap':>10}{'their gap':>11}")
    for row in rows():
        gap = f"{row['ours_gap']:10.0e}{row['theirs_gap']:11.0e}" if "ours_gap" in row else ""
        print(f"{row['case']:64}{row['size']:16}{row['ours_s']:10.3f}{row['theirs_s']:10.3f}{row['ratio']:8.1f}{gap}")
