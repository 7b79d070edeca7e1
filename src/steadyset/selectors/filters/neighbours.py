"""Filters that compare each row with its nearest rows of the same and of other classes: relief, relieff."""

import numpy as np
from scipy.spatial.distance import cdist

from steadyset.kernels.arrays import Floats, Ints
from steadyset.kernels.scores.relief import neighbour_shares, weighted_differences
from steadyset.selectors.filters.registry import Filter, register_filter
from steadyset.selectors.validation import check_integer


def relieff(X: Floats, y: Ints, weights: Floats, *, n_neighbors: int = 10) -> Floats:
    """Mean over the rows i of sum_{c != c_i} p_c / (1 - p_{c_i}) diff(i, misses of c) - diff(i, hits).

    diff(i, B) is the mean of |x_i - x_b| / (max - min) over the k nearest rows b of the class by the sum of these
    differences over all features (fewer where the class has fewer; ties by row); every row is visited, p_c is the
    share of class c. A row of weight w is w rows at distance 0 from each other. A constant feature scores 0.
    Distances take an n x n array.
    """
    check_integer("n_neighbors", n_neighbors, least=1)
    width = X.max(axis=0) - X.min(axis=0)
    scaled = (X - X.min(axis=0)) / np.where(width > 0, width, 1)
    nearest = np.argsort(cdist(scaled, scaled, "cityblock"), axis=1, kind="stable")
    shares = neighbour_shares(nearest, y, weights, n_neighbors, int(y.max()) + 1)
    return weighted_differences(scaled, shares)


def relief(X: Floats, y: Ints, weights: Floats, *, n_neighbors: int = 1) -> Floats:
    """ReliefF with the nearest hit and the nearest miss of every row, for two classes."""
    return relieff(X, y, weights, n_neighbors=n_neighbors)


register_filter(
    Filter(
        name="relief",
        constant=0.0,
        score=relief,
        multiclass=False,
        reference="Kira and Rendell 1992",
        summary="distance to the nearest row of the other class minus that to the nearest of the same",
        formula="mean_i (|x_i - x_miss| - |x_i - x_hit|) / (max_i x_i - min_i x_i)",
    )
)
register_filter(
    Filter(
        name="relieff",
        constant=0.0,
        score=relieff,
        reference="Kononenko 1994; Robnik-Šikonja and Kononenko 2003",
        summary="distance to the nearest rows of other classes minus that to the nearest of the same",
        formula="mean_i [sum_{c != c_i} p_c D_c / (1 - p_{c_i}) - D_{c_i}], "
        "D_c = mean_{b in B_c} |x_i - x_b| / (max_i x_i - min_i x_i)",
    )
)
