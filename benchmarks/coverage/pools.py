"""Real selections as a population: many bootstrap selections on scikit-learn's breast-cancer data."""

from __future__ import annotations

import warnings

import numpy as np
import numpy.typing as npt
from scipy import special

from benchmarks.coverage.generator import Design
from steadyset.kernels.arrays import Floats, Ints


def lasso_pool(n: int, C: float = 0.1) -> npt.NDArray[np.int8]:
    """What an L1 logistic regression selects on n bootstrap samples."""
    from benchmarks.peers import sparse_logistic

    X, y = _data()
    rows = np.zeros((n, X.shape[1]), dtype=np.int8)
    for i, sample in enumerate(_bootstraps(n, len(y))):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            model = sparse_logistic(C=C, solver="liblinear", tol=1e-6, max_iter=1000)
            rows[i] = model.fit(X[sample], y[sample]).coef_[0] != 0
    return rows


def filter_pool(n: int, k: int = 10) -> npt.NDArray[np.int8]:
    """The k features with the largest F statistic on n bootstrap samples."""
    from sklearn.feature_selection import f_classif

    X, y = _data()
    rows = np.zeros((n, X.shape[1]), dtype=np.int8)
    for i, sample in enumerate(_bootstraps(n, len(y))):
        rows[i, np.argsort(-f_classif(X[sample], y[sample])[0], kind="stable")[:k]] = 1
    return rows


def _data() -> tuple[Floats, Ints]:
    from sklearn.datasets import load_breast_cancer

    X, y = load_breast_cancer(return_X_y=True)
    return (X - X.mean(axis=0)) / X.std(axis=0), y


def _bootstraps(n: int, size: int) -> list[Ints]:
    return [np.random.default_rng([7, i]).integers(0, size, size) for i in range(n)]


def steady_pool(n: int, correlation: float = 0.5, seed: int = 8) -> npt.NDArray[np.int8]:
    """20 of 100 features, in blocks of 10 with a latent correlation, at a stability of 0.95."""
    rng = np.random.default_rng(seed)
    design = Design(100, 0.95)
    p = np.repeat(design.probabilities(), (design.relevant, 100 - design.relevant))
    shared, own = np.repeat(rng.standard_normal((n, 10)), 10, axis=1), rng.standard_normal((n, 100))
    latent = correlation**0.5 * shared + (1 - correlation) ** 0.5 * own
    return (latent < special.ndtri(p)).astype(np.int8)


def pattern_pools() -> dict[str, npt.NDArray[np.int8]]:
    """Five of 30 features, of which one or two are borderline: a few sets take turns."""
    patterns = np.zeros((3, 30), dtype=np.int8)
    for row, members in enumerate(([0, 1, 2, 3, 4], [0, 1, 2, 3, 5], [0, 1, 2, 5, 6])):
        patterns[row, members] = 1
    nested = np.zeros((2, 30), dtype=np.int8)
    for row, size in enumerate((10, 25)):
        nested[row, :size] = 1
    shares = {
        "two sets, 50 : 50": (50, 50, 0),
        "two sets, 80 : 20": (80, 20, 0),
        "three sets, 45 : 45 : 10": (45, 45, 10),
    }
    pools = {name: np.repeat(patterns, share, axis=0) for name, share in shares.items()}
    return {**pools, "10 or 25 features, 50 : 50": np.repeat(nested, 50, axis=0)}
