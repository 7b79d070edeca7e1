"""Missing values: filled by medians of a run's training rows, or left to estimators that take them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from sklearn.utils import get_tags

from steadyset.foundation.errors import Argument, InputError
from steadyset.io.labels import some_names
from steadyset.io.observations import MEDIAN
from steadyset.kernels.arrays import Floats, Ints
from steadyset.runner.function import FunctionSelector


def columns_with_gaps(X: Floats) -> Ints:
    """The columns in which a value is missing."""
    return np.flatnonzero(np.isnan(X).any(axis=0))


def medians(X: Floats, columns: Ints | None = None) -> Floats:
    """The median of the known values of each column, 0 where there is none; nan in columns that are not asked for."""
    asked = columns_with_gaps(X) if columns is None else columns
    found = np.full(X.shape[1], np.nan)
    for f in asked.tolist():
        known = X[:, f][~np.isnan(X[:, f])]
        found[f] = np.median(known) if len(known) else 0.0
    return found


def filled(X: Floats, values: Floats) -> Floats:
    """A copy of X with the missing values of each column replaced."""
    gaps = np.isnan(X)
    return np.where(gaps, values, X) if gaps.any() else X.copy()


def filled_by_medians(X: Floats) -> Floats:
    """X with its gaps filled by the medians of all rows: for what describes the whole table and is never scored."""
    return filled(X, medians(X)) if np.isnan(X).any() else X


def takes_gaps(estimator: Any) -> bool:
    """Whether an estimator says that it takes missing values; a pipeline does if all its steps up to an imputer do."""
    if isinstance(estimator, FunctionSelector):
        return True  # nobody knows but the function
    if not hasattr(estimator, "steps"):
        if not hasattr(estimator, "__sklearn_tags__"):
            return False
        tags = get_tags(estimator)
        return bool(tags.input_tags.allow_nan or tags.no_validation)
    for _, step in estimator.steps:
        if step is None or isinstance(step, str):  # passthrough
            continue
        if not takes_gaps(step):
            return False
        if _fills(step):
            return True
    return True


def refuse_empty(X: Floats, gaps: Ints, features: Sequence[str]) -> None:
    """A column without any value has no median, and nothing that a selector could go by."""
    empty = [features[f] for f in gaps.tolist() if np.isnan(X[:, f]).all()]
    if empty:
        columns = f"the column {empty[0]!r}" if len(empty) == 1 else f"{len(empty)} columns ({some_names(empty)})"
        raise InputError(f"X has no value at all in {columns}; leave {'it' if len(empty) == 1 else 'them'} out.")


def refuse_gaps(
    X: Floats, gaps: Ints, features: Sequence[str], estimators: Mapping[str, Any], *, advice: str = ""
) -> None:
    """Say, before any run, which estimators cannot take the missing values, and what to do."""
    unable = [name for name, estimator in estimators.items() if len(gaps) and not takes_gaps(estimator)]
    if unable:
        count = int(np.isnan(X[:, gaps]).sum())
        values = "1 missing value" if count == 1 else f"{count} missing values"
        them = "it" if count == 1 else "them"
        raise InputError(
            f"X has {values} in {len(gaps)} of {len(features)} features ({some_names([features[f] for f in gaps])}), "
            f"and {some_names(unable)} cannot take {them}; ",
            *((advice,) if advice else _how_to_fill(them)),
        )


def _how_to_fill(them: str) -> tuple[str | Argument, ...]:
    return f"fill {them} within each run with ", Argument("impute", MEDIAN), ", or put an imputer into the pipeline."


def _fills(step: Any) -> bool:
    """Whether nothing is missing behind a step: an imputer, or a step that checks nothing and is trusted."""
    inner = step.steps[-1][1] if hasattr(step, "steps") else step
    return ".impute" in type(inner).__module__ or bool(get_tags(inner).no_validation)
