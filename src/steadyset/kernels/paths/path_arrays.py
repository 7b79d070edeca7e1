"""The arrays that the parts of the path engine hand to each other.

Z stands for the features of a resample, standardised by its weights; e for y minus its mean under the model; r = w e.
Descent of feature j: g_j = sum_i z_ij r_i. The penalty of feature j is penalty * l1_j |b_j| + penalty * l2_j b_j² / 2.
"""

from typing import Any, NamedTuple

import numpy as np

from steadyset.kernels.arrays import Floats, Ints
from steadyset.kernels.arrays import Marks as Marks
from steadyset.kernels.arrays import Singles as Singles


class Features(NamedTuple):
    """The data set: what no resample changes. Features are rows, d x n.

    Z holds the rows of Xt standardised over all rows of the data, in single precision, for the screening. factor is the
    penalty factor of each feature (0: no penalty, infinite: never in). unit is a power of two by which Xt is smaller
    than the data; plain is the standard deviation of Xt over all rows. as_given tells that the penalty counts the
    coefficients of the features as they are, not as they are standardised.
    """

    Xt: Floats
    Z: Singles
    factor: Floats
    unit: Floats
    plain: Floats
    as_given: bool


class Sample(NamedTuple):
    """The rows of a resample that have weight: their numbers, weights (sum 1), targets; ridge scales l2."""

    rows: Ints
    w: Floats
    y: Floats
    ridge: float
    logistic: bool


class Active(NamedTuple):
    """The model of a resample: the intercept at place 0, then the features without a penalty, then those with a sign.

    size[0] counts the places in use. Z[slot[a]] is the standardised feature at place a; slots behind the places in use
    are free, so that a feature can leave without moving rows. L is the factor of Z' diag(curvature) Z + l2, or, where
    wide[0] is 1, of the matrix over the rows that stands for it (see the factor's file).
    """

    size: Ints
    wide: Ints
    feature: Ints
    slot: Ints
    coef: Floats
    sign: Floats
    l1: Floats
    l2: Floats
    Z: Floats
    L: Floats
    curvature: Floats
    eta: Floats


class Batch(NamedTuple):
    """The samples and models of many resamples, one along the first axis; n_rows[b] of the places are used.

    scale[b, j] |z_j r| is |g_j| / l1_j up to rounding; descent holds z_j r at the last solution; rounding[b] bounds the
    error of one of its entries. penalty is that of the last solution, tol and ridge belong to the resample.
    """

    n_rows: Ints
    rows: Ints
    w: Floats
    y: Floats
    ridge: Floats
    tol: Floats
    penalty: Floats
    hard: Ints
    violation: Floats
    residual: Singles
    scale: Singles
    rms: Floats
    rounding: Floats
    descent: Singles
    size: Ints
    wide: Ints
    feature: Ints
    slot: Ints
    coef: Floats
    sign: Floats
    l1: Floats
    l2: Floats
    Z: Floats
    L: Floats
    curvature: Floats
    eta: Floats


class Strong(NamedTuple):
    """Features that may enter, bounds of |g_j| / l1_j, and by how much a change of e of norm 1 can move it."""

    feature: Ints
    bound: Floats
    reach: Floats


def make_batch(n_resamples: int, n_features: int, n: int, most_rows: int, most_places: int) -> Any:
    """Room for a batch; memory that is not used is not touched, so it costs nothing."""
    # The factor is that of the places, or of the rows where these are far fewer.
    places, order = most_places, min(most_places, 3 * most_rows // 2 + 3) + 1
    shape = (n_resamples, places)
    return Batch(
        n_rows=np.zeros(n_resamples, np.int64),
        rows=np.zeros((n_resamples, most_rows), np.int64),
        w=np.zeros((n_resamples, most_rows)),
        y=np.zeros((n_resamples, most_rows)),
        ridge=np.zeros(n_resamples),
        tol=np.zeros(n_resamples),
        penalty=np.zeros(n_resamples),
        hard=np.zeros(n_resamples, np.int64),
        violation=np.zeros(n_resamples),
        residual=np.zeros((n_resamples, n), np.float32),
        scale=np.empty((n_resamples, n_features), np.float32),
        rms=np.zeros(n_resamples),
        rounding=np.zeros(n_resamples),
        descent=np.empty((n_resamples, n_features), np.float32),
        size=np.zeros((n_resamples, 1), np.int64),
        wide=np.zeros((n_resamples, 1), np.int64),
        feature=np.zeros(shape, np.int64),
        slot=np.zeros(shape, np.int64),
        coef=np.zeros(shape),
        sign=np.zeros(shape),
        l1=np.zeros(shape),
        l2=np.zeros(shape),
        Z=np.empty((n_resamples, places, most_rows)),
        L=np.empty((n_resamples, order, order)),
        curvature=np.zeros((n_resamples, most_rows)),
        eta=np.zeros((n_resamples, most_rows)),
    )
