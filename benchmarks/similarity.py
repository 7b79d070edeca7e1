"""Similar features, found and used: side by side with the dense way of numpy.

The neighbour graph of absolute correlations (100 samples, groups of 5 similar features, threshold 0.9) against
`numpy.corrcoef` and a comparison of all d² entries; and sechidis_thresholded of 10 runs of about 50 features against
the traces of dense d x d covariances. Both sides get the same input and their answers are compared. Processor seconds;
the matrix products of both run on one thread. At d = 20,000 the whole process of ours stays within 0.3 GB, the dense
correlations take 6.4 GB, and the dense covariances are left out.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from threadpoolctl import threadpool_limits

import steadyset as st
from benchmarks.timing import median_seconds, seconds

TITLE = "Similar features"
N_SAMPLES, GROUP, THRESHOLD = 100, 5, 0.9
N_RUNS, SELECTED = 10, 50
LARGEST_DENSE_COVARIANCE = 5_000


def rows() -> list[dict[str, Any]]:
    """One row per case and size: seconds of ours and of the dense way, and theirs / ours."""
    with threadpool_limits(limits=1):
        graphs = [graph(d) for d in (2_000, 5_000, 20_000)]
        pairs = [sechidis(d) for d in (500, 1_000, 2_000, 5_000, 20_000)]
        return graphs + [one for which in zip(*pairs, strict=True) for one in which]


def graph(d: int) -> dict[str, Any]:
    """From the data to the graph of similar features."""
    X = grouped_data(d)
    ours = median_seconds(lambda: st.FeatureSimilarity.from_data(X).neighbours, repeats=3)
    found: list[np.ndarray] = []
    theirs = seconds(lambda: found.append(dense_graph(X)))
    assert np.array_equal(found[0], st.FeatureSimilarity.from_data(X).neighbours.indices)
    return row("neighbour graph", d, ours, theirs)


def sechidis(d: int) -> list[dict[str, Any]]:
    """The effective stability, the similarities being known, and from the data."""
    X, selections = grouped_data(d), random_runs(d)
    similarity = st.FeatureSimilarity.from_data(X)
    value = st.stability(selections, "sechidis_thresholded", similarity=similarity)
    known = median_seconds(lambda: st.stability(selections, "sechidis_thresholded", similarity=similarity))
    whole = median_seconds(
        lambda: st.stability(selections, "sechidis_thresholded", similarity=st.FeatureSimilarity.from_data(X)),
        repeats=3,
    )
    theirs_known = theirs_whole = None
    if d <= LARGEST_DENSE_COVARIANCE:
        found: list[np.ndarray] = []
        first = seconds(lambda: found.append(dense_similarity(X)))
        Z = selections.to_matrix().toarray().astype(np.float64)
        theirs_known = seconds(lambda: found.append(dense_sechidis(Z, found[0])))
        theirs_whole = first + theirs_known
        assert abs(found[1] - value) < 1e-9
    return [
        row("sechidis_thresholded, similarities known", d, known, theirs_known),
        row("sechidis_thresholded, from the data", d, whole, theirs_whole),
    ]


def grouped_data(d: int) -> np.ndarray:
    """Features in groups that share most of their variance."""
    rng = np.random.default_rng(d)
    X = rng.normal(size=(N_SAMPLES, d // GROUP)).repeat(GROUP, axis=1)
    return X + 0.2 * rng.normal(size=X.shape)


def random_runs(d: int) -> st.Selections:
    rng = np.random.default_rng(1)
    likely = rng.choice(d, 2 * SELECTED, replace=False)
    sets = [rng.choice(likely, rng.integers(SELECTED - 5, SELECTED + 6), replace=False) for _ in range(N_RUNS)]
    return st.Selections.from_sets(sets, n_features=d)


def dense_graph(X: np.ndarray) -> np.ndarray:
    near = np.abs(np.corrcoef(X.T)) >= THRESHOLD
    np.fill_diagonal(near, False)
    return np.nonzero(near)[1]


def dense_similarity(X: np.ndarray) -> np.ndarray:
    C = np.abs(np.corrcoef(X.T))
    C[C < THRESHOLD] = 0
    return C


def dense_sechidis(Z: np.ndarray, C: np.ndarray) -> np.ndarray:
    d = Z.shape[1]
    k = Z.sum(axis=1)
    T = np.full((d, d), (np.mean(k**2) - k.mean()) / (d**2 - d) - k.mean() ** 2 / d**2)
    np.fill_diagonal(T, k.mean() / d * (1 - k.mean() / d))
    S = np.cov(Z, rowvar=False)
    return 1 - np.sum(C * S) / np.sum(C * T)


def row(case: str, d: int, ours: float, theirs: float | None) -> dict[str, Any]:
    ratio = None if theirs is None else theirs / ours
    return {"case": case, "size": f"d={d:,}", "ours_s": ours, "theirs_s": theirs, "ratio": ratio}
