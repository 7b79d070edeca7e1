"""The bins of all features of one resample, as filters see them."""

import numpy as np

from steadyset.selectors.filters.tables import discretised_blocks


def discretise(X, y=None, *, method="equal_width", sample_weight=None):
    """Bin number of every value: an array of the shape of X; -1 in rows of weight 0, which count as absent."""
    features = np.asarray(X, dtype=np.float64)
    weights = np.ones(len(features)) if sample_weight is None else np.asarray(sample_weight, dtype=np.float64)
    classes = np.zeros(len(features), np.int64) if y is None else np.unique(y, return_inverse=True)[1]
    codes = np.full(features.shape, -1, np.int32)
    for block in discretised_blocks(features, classes[None], weights[None], method):
        codes[block.rows, block.features] = block.codes.T
    return codes
