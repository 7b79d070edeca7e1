"""Discretised features, and the filters of the table of bins and classes: chi_squared, one_r, and the entropies."""

from collections.abc import Callable, Iterator
from functools import partial
from typing import NamedTuple

import numpy as np

from steadyset.kernels.arrays import Codes, Floats, Ints
from steadyset.kernels.information import (
    contingency_tables,
    distinct_values,
    equal_width,
    minimal_description_length,
    table_sums,
)
from steadyset.selectors.filters.moments import BOTH, ratio
from steadyset.selectors.filters.registry import Filter, register_filter
from steadyset.selectors.validation import check_choice, check_counts, dense_columns
from steadyset.tasks import CLASSES, NUMBER

METHODS = ("equal_width", "mdl", "distinct")

# Cells of a block of features (features x rows): large enough to amortise a kernel's call, small enough for the cache.
BLOCK_CELLS = 1 << 18


class Block(NamedTuple):
    """Bins of a slice of the features for the rows present in one resample; ``codes`` holds one feature per row."""

    run: int
    features: slice
    rows: Ints
    codes: Codes


def discretised_blocks(X: Floats, classes: Ints, weights: Floats, method: str) -> Iterator[Block]:
    """Bins of every block of features in every resample; ``classes`` and ``weights`` are M x n.

    ``equal_width``: q = max(min(floor(n / 3), 10), 2) bins, n the total weight; a value's bin is
    floor(q (x - min) / (max - min)), the maximum falls into bin q - 1 (Kursa 2018, praznik).

    ``mdl``: cuts at midpoints between distinct values, chosen recursively. The cut T of the rows S into S1, S2 with the
    largest gain G = H(S) - |S1|/|S| H(S1) - |S2|/|S| H(S2) is made if and only if
    G > (log2(|S| - 1) + log2(3^k - 2) - k H(S) + k1 H(S1) + k2 H(S2)) / |S|, H the entropy of the classes in bits and
    k, k1, k2 the numbers of classes present (Fayyad and Irani 1993).

    ``distinct``: every distinct value is its own bin, for features that are categories already.
    """
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
                codes = equal_width(columns, rows, n_bins(weights[run].sum()))
            else:
                position = np.full(n_rows, -1)
                position[rows] = np.arange(rows.size)
                if method == "distinct":
                    codes = distinct_values(columns, order, position, rows.size)
                else:
                    codes = minimal_description_length(
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


class Tables(NamedTuple):
    """Weights of every bin and class: ``counts`` (d, bins, K), ``class_totals`` (K), and c log c in fixed point."""

    counts: Floats
    class_totals: Floats
    clogc: tuple[Ints, float]


def chi_squared(tables: Tables) -> Floats:
    """sum over bins and classes of (observed - expected)^2 / expected, expected = bin total x class total / n.

    A feature with one bin scores 0.
    """
    bins = tables.counts.sum(axis=2)[:, :, None]
    expected = bins * tables.class_totals / tables.class_totals.sum()
    return np.asarray(ratio((tables.counts - expected) ** 2, expected).sum(axis=(1, 2)))


def one_r(tables: Tables) -> Floats:
    """Accuracy of the rule that predicts each bin's most frequent class: sum over bins of max_c n_vc, divided by n."""
    return np.asarray(tables.counts.max(axis=2).sum(axis=1) / tables.class_totals.sum())


def largest_class(y: Ints, weights: Floats) -> Floats:
    """What `one_r` gives a feature with one bin: the share of the largest class of each resample."""
    totals = np.stack([weigh_classes(y, weight, int(y.max()) + 1) for weight in weights])
    return np.asarray(totals.max(axis=1) / totals.sum(axis=1))


def mutual_information(tables: Tables) -> Floats:
    """I(Y; X) = H(Y) - H(Y | X) in bits; a feature with one bin scores 0."""
    return entropies(tables).shared


def gain_ratio(tables: Tables) -> Floats:
    """I(Y; X) / H(X); a feature with one bin scores 0."""
    information = entropies(tables)
    return ratio(information.shared, information.feature)


def symmetrical_uncertainty(tables: Tables) -> Floats:
    """2 I(Y; X) / (H(X) + H(Y)), in [0, 1]; a feature with one bin scores 0."""
    information = entropies(tables)
    return ratio(2 * information.shared, information.feature + information.target)


class Entropies(NamedTuple):
    """H(X) of each feature, H(Y), and I(Y; X) of each feature, in bits."""

    feature: Floats
    target: float
    shared: Floats


def entropies(tables: Tables) -> Entropies:
    """Entropies in bits; sums of c log c are whole numbers up to the last division."""
    bins, cells = table_sums(tables.counts, *tables.clogc)
    total, classes = (int(part[0]) for part in table_sums(tables.class_totals[None, None, :], *tables.clogc))
    unit = tables.class_totals.sum() * tables.clogc[1] * np.log(2)
    shared = np.maximum(total - bins - classes + cells, 0)
    return Entropies((total - bins) / unit, (total - classes) / unit, shared / unit)


def score_tables(
    functional: Callable[[Tables], Floats], X: Floats, y: Ints | Floats, weights: Floats, *, discretise: str
) -> Floats:
    """Score each feature's table of bins and classes in every resample."""
    scores = np.empty((len(weights), X.shape[1]))
    for block, tables in tables_of_blocks(X, target_codes(y, weights), weights, discretise):
        scores[block.run, block.features] = functional(tables)
    return scores


def tables_of_blocks(X: Floats, classes: Ints, weights: Floats, method: str) -> Iterator[tuple[Block, Tables]]:
    """X discretised anew in every resample, a block of features at a time, with the tables of its bins and classes."""
    n_classes = int(classes.max()) + 1
    clogc = [clogc_table(weight) for weight in weights]
    class_totals = [weigh_classes(code, weight, n_classes) for code, weight in zip(classes, weights, strict=True)]
    for block in discretised_blocks(X, classes, weights, method):
        of_rows = classes[block.run, block.rows], weights[block.run, block.rows]
        counts = contingency_tables(block.codes, *of_rows, int(block.codes.max()) + 1, n_classes)
        yield block, Tables(counts, class_totals[block.run], clogc[block.run])


def weigh_classes(classes: Ints, weights: Floats, n_classes: int) -> Floats:
    """Total weight of each class, added in the order of the rows as in the tables."""
    return np.bincount(classes, weights, n_classes).astype(np.float64, copy=False)


def target_codes(y: Ints | Floats, weights: Floats) -> Ints:
    """Class numbers in every resample (M x n); a number is cut into equal-frequency bins."""
    if y.dtype.kind == "f":
        return quantile_codes(y.astype(np.float64, copy=False), weights)
    return np.repeat(y.astype(np.int64, copy=False)[None], len(weights), axis=0)


_RASCH = "Rasch, Kubinger and Yanagida 2011, p. 221; Bommert 2020, 3.1.1"
for _name, _functional, _discretiser, _target, _summary, _formula, _reference in [
    (
        *("chi_squared", chi_squared, "mdl", (CLASSES,), "chi-squared statistic of the feature, discretised"),
        *("sum (observed - expected)² / expected", _RASCH),
    ),
    (
        *("one_r", one_r, "mdl", (CLASSES,), "accuracy of predicting the most frequent class in each bin"),
        *("sum_v max_c n_vc / n", "Holte 1993; Bommert 2020, 3.1.2"),
    ),
    (
        *("info_gain", mutual_information, "mdl", BOTH, "information gain: mutual information with the target"),
        *("I(Y; X)", "Hall 1999"),
    ),
    (
        *("gain_ratio", gain_ratio, "mdl", BOTH, "information gain over the entropy of the feature"),
        *("I(Y; X) / H(X)", "Hall 1999"),
    ),
    (
        *("sym_uncert", symmetrical_uncertainty, "mdl", BOTH),
        "symmetrical uncertainty: information gain over the mean entropy of feature and target",
        *("2 I(Y; X) / (H(X) + H(Y))", "Hall 1999"),
    ),
    (
        *("mim", mutual_information, "equal_width", BOTH, "mutual information with the target"),
        *("I(Y; X)", "Lewis 1992; Brown et al. 2012"),
    ),
    (
        *("mutual_info", mutual_information, "equal_width", (NUMBER,)),
        *("mutual information with a target that is a number", "I(Y; X)", "Brown et al. 2012"),
    ),
]:
    register_filter(
        Filter(
            name=_name,
            score=partial(score_tables, _functional),
            needs_discrete=_discretiser,
            target=_target,
            batched=True,
            constant=largest_class if _name == "one_r" else 0.0,
            reference=_reference,
            summary=_summary,
            formula=_formula,
        )
    )
