"""Filters that are functions of the table of bins and classes: chi_squared, one_r, and the entropies."""

from collections.abc import Callable
from functools import partial
from typing import NamedTuple

import numpy as np

from steadyset.kernels.arrays import Floats, Ints
from steadyset.kernels.information.contingency import contingency_tables, table_sums
from steadyset.selectors.filters.discretise import clogc_table, discretised_blocks, quantile_codes
from steadyset.selectors.filters.moments import BOTH, ratio
from steadyset.selectors.filters.registry import Filter, register_filter
from steadyset.tasks import CLASSES, NUMBER


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
    statistic: Floats = ratio((tables.counts - expected) ** 2, expected).sum(axis=(1, 2))
    return statistic


def one_r(tables: Tables) -> Floats:
    """Accuracy of the rule that predicts each bin's most frequent class: sum over bins of max_c n_vc, divided by n."""
    accuracy: Floats = tables.counts.max(axis=2).sum(axis=1) / tables.class_totals.sum()
    return accuracy


def largest_class(y: Ints, weights: Floats) -> Floats:
    """What `one_r` gives a feature with one bin: the share of the largest class of each resample."""
    totals = np.stack([weigh_classes(y, weight, int(y.max()) + 1) for weight in weights])
    share: Floats = totals.max(axis=1) / totals.sum(axis=1)
    return share


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
    """Discretise X anew in every resample and score each feature's table of bins and classes."""
    classes = target_codes(y, weights)
    n_classes = int(classes.max()) + 1
    clogc = [clogc_table(weight) for weight in weights]
    class_totals = [weigh_classes(code, weight, n_classes) for code, weight in zip(classes, weights, strict=True)]
    scores = np.empty((len(weights), X.shape[1]))
    for run, features, rows, codes in discretised_blocks(X, classes, weights, discretise):
        n_levels = int(codes.max()) + 1
        counts = contingency_tables(codes, classes[run, rows], weights[run, rows], n_levels, n_classes)
        scores[run, features] = functional(Tables(counts, class_totals[run], clogc[run]))
    return scores


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
