"""Discretisation of continuous features and targets on weighted rows."""

from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np

from steadyset.foundation.errors import InputError
from steadyset.io.numbers import number_array
from steadyset.kernels.arrays import Codes, Floats, Ints
from steadyset.kernels.information import bins
from steadyset.selectors.validation import check_choice, check_counts, check_sample_weight, dense_columns

METHODS = ("equal_width", "mdl", "distinct")

# Cells of a block of features (features x rows): large enough to amortise a kernel's call, small enough for the cache.
BLOCK_CELLS = 1 << 18


def discretise(X: Any, y: Any = None, *, method: str = "equal_width", sample_weight: Any = None) -> Codes:
    """Bin number of every value: an array of the shape of X; -1 in rows of weight 0, which count as absent.

    ``equal_width``: q = max(min(floor(n / 3), 10), 2) bins, n the total weight; a value's bin is
    floor(q (x - min) / (max - min)), the maximum falls into bin q - 1 (Kursa 2018, praznik).

    ``mdl``: cuts at midpoints between distinct values, chosen recursively. The cut T of the rows S into S1, S2 with the
    largest gain G = H(S) - |S1|/|S| H(S1) - |S2|/|S| H(S2) is made if and only if
    G > (log2(|S| - 1) + log2(3^k - 2) - k H(S) + k1 H(S1) + k2 H(S2)) / |S|, H the entropy of the classes in bits and
    k, k1, k2 the numbers of classes present (Fayyad and Irani 1993). Needs the classes ``y``.

    ``distinct``: every distinct value is its own bin, for features that are categories already.
    """
    features = number_array(X, "X").astype(np.float64, copy=False)
    if np.isnan(features).any():
        raise InputError("X contains NaN (a missing value), which belongs to no bin; fill or drop it.")
    weights = check_sample_weight(sample_weight, len(features))
    if method == "mdl" and y is None:
        raise InputError("y is None; method='mdl' chooses its cuts by the classes in y.")
    classes = np.zeros(len(features), np.int64) if y is None else np.unique(np.asarray(y), return_inverse=True)[1]
    codes = np.full(features.shape, -1, np.int32)
    for block in discretised_blocks(features, classes[None], weights[:1], method):
        codes[block.rows, block.features] = block.codes.T
    return codes


class Block(NamedTuple):
    """Bins of a slice of the features for the rows present in one resample; ``codes`` holds one feature per row."""

    run: int
    features: slice
    rows: Ints
    codes: Codes


def discretised_blocks(X: Floats, classes: Ints, weights: Floats, method: str) -> Iterator[Block]:
    """Bins of every block of features in every resample; ``classes`` and ``weights`` are M x n."""
    check_choice("method", method, METHODS)
    if method == "mdl":
        check_counts(weights, "the choice of cuts by their description length")
    n_rows, n_features = X.shape
    size = max(1, BLOCK_CELLS // n_rows)
    n_classes = int(classes.max()) + 1
    present = [np.flatnonzero(weight > 0) for weight in weights]
    tables = [clogc_table(weight) for weight in weights] if method == "mdl" else []
    for start in range(0, n_features, size):
        features = slice(start, min(start + size, n_features))
        columns = np.ascontiguousarray(dense_columns(X, features).T)
        order = np.argsort(columns, axis=1, kind="stable") if method != "equal_width" else None
        for run, rows in enumerate(present):
            if order is None:
                codes = bins.equal_width(columns, rows, n_bins(weights[run].sum()))
            else:
                position = np.full(n_rows, -1)
                position[rows] = np.arange(rows.size)
                if method == "distinct":
                    codes = bins.distinct_values(columns, order, position, rows.size)
                else:
                    codes = bins.minimal_description_length(
                        columns, order, position, rows.size, classes[run], n_classes, weights[run], *tables[run]
                    )
            yield Block(run, features, rows, codes)


def n_bins(total_weight: float) -> int:
    """q = max(min(floor(n / 3), 10), 2)."""
    return max(min(int(total_weight // 3), 10), 2)


def quantile_codes(y: Floats, weights: Floats) -> Ints:
    """Equal-frequency bins of a continuous target in every resample (M x n).

    A value of weight t with weight C below it falls into bin floor(q (C + t / 2) / n), q as for equal width, n the
    total weight: equal values share a bin and weights count copies.
    """
    levels, inverse = np.unique(y, return_inverse=True)
    codes = np.empty(weights.shape, np.int64)
    for run, weight in enumerate(weights):
        tied = np.bincount(inverse, weight, minlength=levels.size)
        total = weight.sum()
        middle = np.cumsum(tied) - tied / 2
        codes[run] = np.minimum(n_bins(total) * middle / total, n_bins(total) - 1).astype(np.int64)[inverse]
    return codes


def clogc_table(weights: Floats) -> tuple[Ints, float]:
    """Table of c log c in fixed point for all counts that whole weights can reach, and its scale.

    The table is empty, and kernels compute each logarithm, where weights are not whole or their total is large. The
    scale leaves room for the sum of four full tables in 64 bits.
    """
    total = float(weights.sum())
    scale = 2.0 ** np.floor(60 - np.log2(1 + max(total, 1) * np.log(max(total, 2))))
    if total > 1 << 20 or (weights != np.rint(weights)).any():
        return np.empty(0, np.int64), scale
    counts = np.arange(int(total) + 1, dtype=np.float64)
    return np.rint(counts * np.log(np.maximum(counts, 1)) * scale).astype(np.int64), scale
