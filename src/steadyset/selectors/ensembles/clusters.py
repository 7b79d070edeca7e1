"""Clusters of similar features that are selected as one, and what stands for a cluster."""

from __future__ import annotations

from typing import Any, Literal

import numpy as np
from scipy import sparse

from steadyset.io.labels import check_same_order
from steadyset.kernels.arrays import Bools, Floats, Ints
from steadyset.similarity import FeatureSimilarity
from steadyset.similarity.alike import linked
from steadyset.similarity.store import group_store

Representative = Literal["weighted", "simple", "sparse"]


def read_clusters(clusters: Any, n_features: int, names: tuple[str, ...] | None) -> Ints:
    """The number of the cluster of each feature, from 0.

    clusters is None (each feature is alone), a FeatureSimilarity (a cluster is what similar pairs link, directly or
    through others) or what `FeatureSimilarity.from_groups` takes.
    """
    if clusters is None:
        return np.arange(n_features)
    if not isinstance(clusters, FeatureSimilarity):
        store, own = group_store(clusters, names, n_features)
        check_same_order(own, names, "clusters", "X")
        labels = store.groups
        return np.unique(labels, return_inverse=True)[1].astype(np.int64)
    clusters.check_features(n_features, names, "X", called="clusters")
    indptr, indices, _ = clusters.neighbours
    return linked(indptr, indices)


def merge_columns(selected: sparse.csr_array, labels: Ints) -> sparse.csr_array:
    """Rows of selected features as rows of selected clusters: a cluster is selected when one of its features is."""
    n_clusters = int(labels.max()) + 1
    if n_clusters == len(labels):
        return selected
    rows = np.repeat(np.arange(selected.shape[0]), np.diff(selected.indptr))
    merged = sparse.csr_array(
        (np.ones(len(rows), np.int64), (rows, labels[selected.indices])), shape=(selected.shape[0], n_clusters)
    )
    merged.sum_duplicates()
    merged.data[:] = 1
    return merged


def representative_weights(kind: Representative, frequencies: Floats, labels: Ints, chosen: Bools) -> Floats:
    """The weight of each feature in the representative of its cluster; 0 outside of the chosen clusters.

    "simple" gives every feature of a cluster the same weight, "weighted" one in proportion to its selection frequency,
    "sparse" all weight to the most frequent one (equal ones share it).

    Reference: Faletto and Bien (2022), Cluster stability selection.
    """
    n_clusters = len(chosen)
    if kind == "simple":
        raw = np.ones(len(labels))
    elif kind == "weighted":
        raw = frequencies.copy()
    else:
        most = np.zeros(n_clusters)
        np.maximum.at(most, labels, frequencies)
        raw = (frequencies == most[labels]).astype(np.float64)
    raw[~chosen[labels]] = 0.0
    total = np.bincount(labels, weights=raw, minlength=n_clusters)
    return np.asarray(raw / np.where(total > 0, total, 1.0)[labels])


def signs_within(X: Floats, labels: Ints) -> Floats:
    """+1 or -1: the sign of each feature's correlation with the first feature of its cluster (0 counts as +1)."""
    first = np.full(int(labels.max()) + 1, len(labels))
    np.minimum.at(first, labels, np.arange(len(labels)))
    leader = first[labels]
    shared = np.flatnonzero(leader != np.arange(len(labels)))
    signs = np.ones(len(labels))
    for f in shared:
        product = (X[:, f] - X[:, f].mean()) @ (X[:, leader[f]] - X[:, leader[f]].mean())
        signs[f] = -1.0 if product < 0 else 1.0
    return signs
