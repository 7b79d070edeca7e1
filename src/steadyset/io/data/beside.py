"""Columns beside the features: covariates and blocks as they are given; and what looks like no feature, or no row."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from steadyset.foundation.arguments import is_collection, wrong_argument
from steadyset.kernels.arrays import Floats

FEWEST = 30  # columns from which most of them can be said to be alike
MOST = 12  # unlike columns: more of them are a kind of their own
RARE = 0.05  # the share of all columns that may be of another kind
FAR, APART = 8.0, 0.3  # from the middle of the magnitudes: robust standard deviations, and powers of ten beyond them
SPREAD = 1.4826  # makes the median deviation a standard deviation, where values are normal
# Words that stand in the tables of clinics, and never for a gene, a protein or a metabolite.
CLINICAL = re.compile(
    r"(age|sex|gender|stage|grade|batch|lab|centre|center|site|plate|weight|height|bmi|smok\w*|race|ethnicity|"
    r"days|weeks|months|years|time|survival|status|event|relapse|recurrence|death|treatment|therapy|dose)(_.*| .*)?",
    re.IGNORECASE,
)


def column_names(what: str, given: Any) -> tuple[str, ...]:
    """Names of columns, as several texts or as texts with commas."""
    if given is None:
        return ()
    texts: list[Any] = [given] if isinstance(given, str) else list(given) if is_collection(given) else [None]
    if not all(isinstance(text, str) for text in texts):
        raise wrong_argument(what, "names of columns", given)
    names = [name.strip() for text in texts for name in text.split(",")]
    if not all(names) or len(set(names)) < len(names):
        raise wrong_argument(what, "names of columns, each once", given)
    return tuple(names)


def beside_named(force: Any, block: Any) -> tuple[str, ...]:
    """The names of columns that are covariates or blocks."""
    names = column_names("force", force) if force is not None and not _has_values(force) else ()
    return (*names, *([block] if isinstance(block, str) else []))


def columns_by_name(table: Any, features: Sequence[str]) -> dict[str, Any]:
    """The columns of a frame, or of an array whose columns have names."""
    if hasattr(table, "columns"):
        return {str(name): table[name] for name in table.columns}
    return {name: np.asarray(table)[:, f] for f, name in enumerate(features)}


def covariates_of(force: Any, columns: Mapping[str, Any]) -> dict[str, Any] | None:
    """The values of covariates by name."""
    if force is None or isinstance(force, Mapping):
        return None if force is None else {str(name): values for name, values in force.items()}
    if _has_values(force):
        return columns_by_name(force, ())
    return {name: columns[name] for name in column_names("force", force)}


def _has_values(force: Any) -> bool:
    return isinstance(force, Mapping) or hasattr(force, "columns")


def unlike_columns(X: Floats, names: Sequence[str]) -> list[int]:
    """The places of columns that hold another kind of number than nearly all others, or are called like no measurement.

    Of another kind are whole numbers among fractions, few distinct values among many, and magnitudes far from those of
    the others. Where such columns are not rare, nothing is said.
    """
    if X.shape[1] < FEWEST or len(X) < 2:
        return []
    known = np.nan_to_num(X)
    odd = np.fromiter((CLINICAL.fullmatch(name) is not None for name in names), np.bool_, len(names))
    in_order = np.sort(known, axis=0)
    distinct = 1 + (np.diff(in_order, axis=0) != 0).sum(axis=0)
    with np.errstate(divide="ignore"):
        magnitude = np.log10(np.abs(in_order[[0, -1]]).max(axis=0))
    middle = np.median(magnitude)
    far = FAR * SPREAD * np.median(np.abs(magnitude - middle)) + APART
    for kind in (
        (known == np.rint(known)).all(axis=0) & (distinct > 1),
        (distinct > 1) & (distinct <= min(20, len(X) / 3)),
        np.isfinite(magnitude) & (np.abs(magnitude - middle) > far),
    ):
        if kind.sum() <= min(MOST, RARE * len(names)):
            odd |= kind
    return list(map(int, np.flatnonzero(odd)[:MOST]))


FINE_FEATURES = 3  # features with mostly distinct values, in which no two samples agree by accident


def repeated_rows(X: Floats, groups: Any) -> int:
    """How many rows repeat, in every feature, a row that no group holds together with them.

    0 where features are too coarse to tell samples apart, such as a few votes or counts.
    """
    rows = [hash(row.tobytes()) for row in X]
    known, firsts = np.unique(rows, return_index=True)
    together = range(len(rows)) if groups is None else np.unique(groups, return_inverse=True)[1].tolist()
    repeated = len(set(zip(together, rows, strict=True))) - len(known)
    if not repeated:
        return 0
    values = np.sort(X[firsts], axis=0)
    distinct = 1 + (np.diff(values, axis=0) > 0).sum(axis=0)
    return repeated if (distinct > len(firsts) / 2).sum() >= FINE_FEATURES else 0


FEW_VALUES, LEAST_KNOWN, LEAST_OF_KIND = 12, 30, 8  # of a feature or target; rows, and rows of each value


def giving_away(X: Floats, y: Any) -> list[int]:
    """Features that may be the target in another form.

    Of a target with few values: features with few values, each of which stands beside one value of the target alone.
    Of one with many values: features in the same order as the target, or in the opposite one.
    """
    if len(X) < LEAST_KNOWN:
        return []
    found: set[int] = set()
    start = np.sort(X[:LEAST_KNOWN], axis=0)
    coarse = np.flatnonzero((np.diff(start, axis=0) != 0).sum(axis=0) < FEW_VALUES)
    for column in np.asarray(y).reshape(len(X), -1).T:
        kinds, codes, counts = np.unique(column, return_inverse=True, return_counts=True)
        if len(kinds) > FEW_VALUES:
            order = np.argsort(codes, kind="stable")
            steps, up = np.diff(X[order], axis=0), np.diff(codes[order])[:, None] > 0
            for way in (steps, -steps):
                found.update(np.flatnonzero(((way > 0) == up).all(axis=0) & (way >= 0).all(axis=0)).tolist())
        elif len(kinds) > 1 and counts.min() >= LEAST_OF_KIND:
            order = np.argsort(X[:, coarse], axis=0)
            other = np.diff(np.take_along_axis(X[:, coarse], order, axis=0), axis=0) != 0
            mixed = (~other & (np.diff(codes[order], axis=0) != 0)).any(axis=0)
            found.update(coarse[~mixed & (other.sum(axis=0) < FEW_VALUES)].tolist())
    return sorted(found)
