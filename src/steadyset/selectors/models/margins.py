"""Weights of rows by their margins, which reduce the variance of a selector (Han and Yu 2010)."""

from __future__ import annotations

import numpy as np
from scipy.spatial.distance import cdist

from steadyset.kernels.arrays import Floats, Ints


def margin_weights(Xt: Floats, codes: Ints, weight: Floats) -> Floats:
    """Return the weight of each row times the weight by its margin, with the same sum.

    The margin of row x in feature f is the sum over the rows of other classes (misses) of |x_f - m_f| minus the sum
    over the rows of its class (hits) of |x_f - h_f|. A row whose vector of margins is far from those of the other rows,
    by its mean Euclidean distance, gets a small weight: 1 / distance. Rows count by their weights in all sums. ``Xt``
    has the standardised features in its rows.
    """
    margins = _margins(Xt, codes, weight)
    distance = cdist(margins.T, margins.T) @ weight
    if not (distance > 0).all():
        return weight  # all margins are equal, so no row differs from the others
    new = weight / distance
    return np.asarray(new * (weight.sum() / new.sum()))


def _margins(Xt: Floats, codes: Ints, weight: Floats) -> Floats:
    """Return features x rows: the distances to misses less those to hits.

    With the rows of a feature in ascending order, the sum of w |x - v| over the rows v of a class is
    x (2 A - A_all) + (B_all - 2 B) with the sums A of w and B of w v up to x, so that n log n steps are enough.
    """
    order = np.argsort(Xt, axis=1, kind="stable")
    ascending = np.take_along_axis(Xt, order, axis=1)
    own = np.zeros_like(Xt)
    total = np.zeros_like(Xt)
    for code in np.unique(codes):
        masses = np.where(codes == code, weight, 0.0)[order]
        moments = masses * ascending
        below, moment = np.cumsum(masses, axis=1), np.cumsum(moments, axis=1)
        sums = ascending * (2 * below - below[:, -1:]) + (moment[:, -1:] - 2 * moment)
        total += sums
        own += np.where(codes[order] == code, sums, 0.0)
    margins = np.empty_like(Xt)
    np.put_along_axis(margins, order, total - 2 * own, axis=1)
    return margins
