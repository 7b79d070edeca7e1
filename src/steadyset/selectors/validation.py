"""Checks of data, targets and weights that selectors share; each failure is one sentence for the person who called."""

from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from sklearn.utils.validation import check_array, validate_data

from steadyset.errors import InputError
from steadyset.kernels.arrays import Floats, Ints


def check_features(X: Any, estimator: Any = None) -> Floats:
    """X as a finite float array; an estimator remembers or compares the number and the names of the features."""
    try:
        if estimator is None:
            features = check_array(X, dtype=np.float64, ensure_all_finite=False)
        else:
            features = validate_data(estimator, X, dtype=np.float64, ensure_all_finite=False)
    except ValueError as error:
        if "could not convert string" in str(error):
            raise InputError(_text_found(X)) from error
        raise
    if not np.isfinite(features).all():
        row, column = np.argwhere(~np.isfinite(features))[0]
        found = "NaN (a missing value)" if np.isnan(features[row, column]) else "infinity"
        where = f"{_feature(X, column)}, row {row}"
        raise InputError(f"Input X contains {found} in {where}; every value must be a finite number.")
    return np.ascontiguousarray(features)


def _text_found(X: Any) -> str:
    cells = np.asarray(X, dtype=object)
    for column in range(cells.shape[1]):
        for cell in cells[:, column]:
            if isinstance(cell, str):
                where = _feature(X, column)
                return f"X contains the text {cell!r} in {where}; every feature must be numeric, so encode or drop it."
    return "X contains values that are not numbers; every feature must be numeric."


def _feature(X: Any, column: int) -> str:
    columns = getattr(X, "columns", None)
    return f"feature number {column}" if columns is None else f"feature {columns[column]!r}"


def check_target(y: NDArray[Any], n_rows: int) -> None:
    """Refuse a target of another length than X or with missing or infinite values."""
    if len(y) != n_rows:
        raise InputError(f"y has {len(y)} values and X has {n_rows} rows; they must be equally many.")
    if y.dtype.kind == "f" and not np.isfinite(y).all():
        found = "NaN (a missing value)" if np.isnan(y).any() else "infinity"
        raise InputError(f"Input y contains {found}; every target must be known and finite.")
    if pd.isna(y).any():
        raise InputError("Input y contains a missing value; every target must be known.")


def check_sample_weight(sample_weight: Any, n_rows: int, *, resamples: bool = False) -> Floats:
    """Weights as an M x n array (one row for a vector; ``resamples`` allows more): finite, not negative, not all 0."""
    if sample_weight is None:
        return np.ones((1, n_rows))
    try:
        weights = np.asarray(sample_weight, dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise InputError("sample_weight holds values that are not numbers; one number a row of X is wanted.") from error
    if weights.ndim not in (1, 1 + resamples) or weights.shape[-1] != n_rows or weights.size == 0:
        raise InputError(f"sample_weight has shape {weights.shape}; X has {n_rows} rows and each wants one weight.")
    if not np.isfinite(weights).all():
        raise InputError("sample_weight contains NaN or infinity; every weight must be a finite number.")
    if (weights < 0).any():
        raise InputError(f"sample_weight contains the negative value {weights.min():g}; weights must be 0 or more.")
    weights = np.atleast_2d(weights)
    empty = np.flatnonzero(weights.sum(axis=1) <= 0)
    if empty.size:
        raise InputError(f"sample_weight sums to zero{of_run(empty[0], len(weights))}; one row must have weight.")
    return np.ascontiguousarray(weights)


def check_whole(weights: Floats, reason: str) -> Ints:
    """Weights as whole numbers, for selectors that copy rows."""
    if (weights != np.rint(weights)).any():
        raise InputError(f"sample_weight contains a value that is not whole; {reason} copies rows by their weight.")
    return weights.astype(np.int64)


def is_continuous(y: NDArray[Any]) -> bool:
    """Whether a target holds numbers with fractions; whole numbers, booleans and text are class labels."""
    return y.dtype.kind == "f" and bool((y != np.rint(y)).any())


def of_run(run: int, n_runs: int) -> str:
    """The words that name one resample among several, nothing where there is one only."""
    return f" in resample {run}" if n_runs > 1 else ""
