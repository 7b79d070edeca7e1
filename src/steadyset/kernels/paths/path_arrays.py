"""The arrays that the parts of the path engine hand to each other.

Z stands for the features of a resample, standardised by its weights; e for y minus its mean under the model; r = w e.
Descent of feature j: g_j = sum_i z_ij r_i. The penalty of feature j is penalty * l1_j |b_j| + penalty * l2_j b_j² / 2.
"""

from typing import Any, NamedTuple

import numpy as np

from steadyset.kernels.arrays import Floats, Ints
from steadyset.kernels.arrays import Marks as Marks
from steadyset.kernels.arrays import Numbers as Numbers
from steadyset.kernels.arrays import Singles as Singles

# Steps that foretell the next one.
MEMORY = 3
# Features whose products are computed in one pass over the active set.
TOGETHER = 8
# Rows in single precision end in zeros up to a multiple of this, so that vector instructions leave no rest.
LANES = 16


class Features(NamedTuple):
    """The data set: what no resample changes. Features are rows, d x n.

    Z holds the rows of Xt standardised over all rows of the data, in single precision and with zeros behind, for the
    screening. factor is the penalty factor of each feature (0: no penalty, infinite: never in). unit times whole is a
    power of two by which Xt is smaller than the data; plain is the standard deviation of Xt over all rows. reach_j
    bounds by how much a change of e of norm 1 moves |g_j| / l1_j. as_given tells that the penalty counts the
    coefficients of the features as they are, in units of whole, not as they are standardised; a reach is then in units
    of the largest root mean square of the resample.
    """

    Xt: Floats
    Z: Singles
    factor: Floats
    unit: Floats
    whole: float
    plain: Floats
    reach: Singles
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

    seen is the residual at the last check, less its mean, and residual the same in single precision over all rows, with
    zeros behind. bound[b, j] is at least |g_j| / l1_j there; scale[b, j] |z_j r| is that up to rounding, and
    rounding[b] bounds the error of z_j r in single precision. Bounds of at least tight_from[b] are these products and
    their rounding, or exact; listed[b, :n_listed[b]] holds their features. hard[b] is 1 where the solver gave up;
    crowded[b] is how many places it waits for, 0 where it has enough. penalty is that of the last solution, tol and
    ridge belong to the resample.
    """

    n_rows: Ints
    rows: Ints
    w: Floats
    y: Floats
    ridge: Floats
    tol: Floats
    penalty: Floats
    hard: Ints
    crowded: Ints
    violation: Floats
    seen: Floats
    residual: Singles
    rms: Floats
    rounding: Floats
    tight_from: Floats
    n_listed: Ints
    listed: Numbers
    scale: Singles
    bound: Singles
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


class Bounds(NamedTuple):
    """What screening needs of a batch."""

    bound: Singles
    scale: Singles
    residual: Singles
    rounding: Floats
    tight_from: Floats
    n_listed: Ints
    listed: Numbers


class Models(NamedTuple):
    """What is written down of a batch."""

    size: Ints
    feature: Ints
    coef: Floats
    violation: Floats


class Strong(NamedTuple):
    """Features that may enter, bounds of |g_j| / l1_j, and what `Features.reach` is for them."""

    feature: Ints
    bound: Floats
    reach: Floats


class Room(NamedTuple):
    """Memory for the steps of one model after the other; most names are those of what the functions write there.

    q, direction, row, past and model have a number for each place, products for each slot. products, scales and slots
    are those of the few features that are about to enter. strong, open, breaking and what follows have room for all
    features. grows tells that the batch may get more places.
    """

    q: Floats
    direction: Floats
    row: Floats
    past: Floats
    steps: Ints
    model: Floats
    eta: Floats
    curvature: Floats
    residual: Floats
    seen: Floats
    now: Floats
    z: Floats
    single: Singles
    weighted: Floats
    products: Floats
    scales: Floats
    slots: Ints
    strong: Ints
    strong_bound: Floats
    strong_reach: Floats
    open: Numbers
    breaking: Ints
    sizes: Singles
    excess: Floats
    signs: Floats
    marks: Marks
    work: Ints
    grows: bool


def with_zeros_behind(n: int) -> int:
    """How long a row of n numbers in single precision is."""
    return -(-n // LANES) * LANES


def largest_order(places: int, rows: int) -> int:
    """How large a factor gets: that of the places, or of the rows where these are far fewer."""
    return min(places, 3 * rows + 3) + 1


def make_batch(n_resamples: int, n_features: int, n: int, most_rows: int, places: int) -> Any:
    """Room for a batch whose models have so many places."""
    order = largest_order(places, most_rows)
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
        crowded=np.zeros(n_resamples, np.int64),
        violation=np.zeros(n_resamples),
        seen=np.zeros((n_resamples, most_rows)),
        residual=np.zeros((n_resamples, with_zeros_behind(n)), np.float32),
        rms=np.zeros(n_resamples),
        rounding=np.zeros(n_resamples),
        tight_from=np.zeros(n_resamples),
        n_listed=np.zeros(n_resamples, np.int64),
        listed=np.empty((n_resamples, n_features), np.uint32),
        scale=np.empty((n_resamples, n_features), np.float32),
        bound=np.empty((n_resamples, n_features), np.float32),
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


def with_places(batch: Any, places: int) -> Any:
    """The batch with more places for every model, which are as they were."""
    n_resamples, before, rows = batch.Z.shape
    order = largest_order(places, rows)
    grown = {}
    for name in ("feature", "slot", "coef", "sign", "l1", "l2"):
        grown[name] = np.zeros((n_resamples, places), getattr(batch, name).dtype)
        grown[name][:, :before] = getattr(batch, name)
    grown["slot"][:, before:] = np.arange(before, places)
    grown["Z"], grown["L"] = np.empty((n_resamples, places, rows)), np.empty((n_resamples, order, order))
    # Only what is in use, because memory that nobody touches costs nothing.
    for b, size in enumerate(batch.size[:, 0]):
        slots = 1 + batch.slot[b, :size].max()
        used = rows if batch.wide[b, 0] else size
        grown["Z"][b, :slots] = batch.Z[b, :slots]
        grown["L"][b, :used, :used] = batch.L[b, :used, :used]
    return batch._replace(**grown)


def make_room(batch: Any, n_features: int, n: int, grows: bool) -> Any:
    """Memory for the steps of the models of a batch, which may get more places or not."""
    places, rows, order = batch.slot.shape[1] + 1, batch.rows.shape[1], batch.L.shape[1]
    return Room(
        q=np.empty(places),
        direction=np.empty(places),
        row=np.empty(places),
        past=np.empty((2 * MEMORY + 2, places)),
        steps=np.full(1, -1),
        model=np.empty((6, places)),
        eta=np.empty(rows),
        curvature=np.empty(rows),
        residual=np.empty(rows),
        seen=np.empty(rows),
        now=np.empty(rows),
        z=np.empty(n),
        single=np.zeros((1, with_zeros_behind(n)), np.float32),
        weighted=np.empty((max(order, TOGETHER), rows)),
        products=np.empty((TOGETHER, places)),
        scales=np.empty(TOGETHER),
        slots=np.empty(TOGETHER, np.int64),
        strong=np.empty(n_features, np.int64),
        strong_bound=np.empty(n_features),
        strong_reach=np.empty(n_features),
        open=np.empty(n_features, np.uint32),
        breaking=np.empty(n_features, np.int64),
        sizes=np.empty(n_features, np.float32),
        excess=np.empty(n_features),
        signs=np.empty(n_features),
        marks=np.zeros(n_features, np.int8),
        work=np.zeros(1, np.int64),
        grows=grows,
    )
