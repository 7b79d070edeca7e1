"""The small inputs that the golden numbers are computed on; random numbers come from numpy's frozen bit generator."""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np

import steadyset as st


def uniform(seed: int, *shape: int) -> Any:
    """Uniform numbers from the raw bits alone, so that no change of numpy's distributions reaches the inputs."""
    raw = np.random.PCG64(seed).random_raw(int(np.prod(shape)))
    return (raw >> np.uint64(11)).reshape(shape) / 2.0**53


@cache
def varying() -> st.Selections:
    """Eight runs of different sizes on 12 features, with labels."""
    order = np.argsort(uniform(1, 8, 12) + 0.4 * (np.arange(12) > 5), axis=1)
    sizes = [3, 4, 5, 4, 2, 6, 4, 5]
    sets = [row[:k].tolist() for row, k in zip(order, sizes, strict=True)]
    return st.Selections.from_sets(sets, n_features=12, labels=[f"run {i}" for i in range(8)])


@cache
def equal() -> st.Selections:
    """Eight runs of four features each, with the labels of `varying`."""
    order = np.argsort(uniform(2, 8, 12) + 0.7 * (np.arange(12) > 4), axis=1)
    sets = [row[:4].tolist() for row in order]
    return st.Selections.from_sets(sets, n_features=12, labels=[f"run {i}" for i in range(8)])


@cache
def gaps() -> st.Selections:
    """An empty and a full run among others: what is undefined for some pairs."""
    return st.Selections.from_sets([[], [0, 1], [0, 1, 2, 3, 4, 5], [1, 2], [0, 2, 3]], n_features=6)


@cache
def wide() -> st.Selections:
    """Ten runs of five to nine of 60 features: too many to enumerate."""
    order = np.argsort(uniform(3, 10, 60) + 0.8 * (np.arange(60) > 14), axis=1)
    sets = [row[: 5 + i % 5].tolist() for i, row in enumerate(order)]
    return st.Selections.from_sets(sets, n_features=60)


@cache
def weighted() -> st.Selections:
    """The runs of `varying` with weights."""
    rows = uniform(4, 8, 12) - 0.3
    return varying().with_weights([rows[i, :k].tolist() for i, k in enumerate(varying().sizes)])


@cache
def ranked() -> st.Selections:
    """Whole rankings of 12 features by eight runs."""
    scores = uniform(5, 8, 12) + 0.1 * np.arange(12)
    return st.Selections.from_rankings(np.argsort(np.argsort(scores, axis=1), axis=1) + 1, top=4)


@cache
def alike(d: int, threshold: float = 0.6) -> st.FeatureSimilarity:
    """Features in groups of three that are similar by degrees."""
    distance = uniform(6, d, d)
    same = np.arange(d)[:, None] // 3 == np.arange(d) // 3
    c = np.where(same, 0.5 + 0.5 * (distance + distance.T) / 2, 0.3 * (distance + distance.T) / 2)
    np.fill_diagonal(c, 1.0)
    return st.FeatureSimilarity.from_matrix(c, threshold=threshold)


@cache
def data() -> tuple[Any, Any, Any]:
    """(X, classes, numbers): 48 rows, 14 features, three of which matter, neighbours correlated, one with ties."""
    noise = uniform(7, 48, 14) + uniform(8, 48, 14) - 1
    X = noise + 0.6 * np.roll(noise, 1, axis=1)
    X[:, 13] = np.round(2 * X[:, 13])
    number = 1.5 * X[:, 0] - X[:, 4] + 0.7 * X[:, 9] + 0.5 * (uniform(9, 48) - 0.5)
    return X, (number + uniform(10, 48) - 0.5 > 0).astype(np.int64), number
