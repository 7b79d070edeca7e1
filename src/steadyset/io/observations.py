"""X, y and groups as they are given in memory: numbers, a target and labels, row by row."""

from __future__ import annotations

import warnings
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from steadyset.foundation.arguments import check_choice
from steadyset.foundation.errors import InputError
from steadyset.io.numbers import number_array

MEDIAN = "median"


def aligned_rows(X: Any, values: Any, what: str) -> Any:
    """`values` in the order of the rows of X, where both have a pandas index.

    Indices that differ are refused; where only the order differs, the rows of `values` follow those of X with a
    warning. What has no index is taken by position.
    """
    rows, own = _index(X), _index(values)
    if rows is None or own is None or len(rows) != len(own) or rows.equals(own):
        return values
    by_position = f"align them, or pass {what}.to_numpy() to go by position"
    if not rows.is_unique or not own.is_unique:
        raise InputError(f"X and {what} have different pandas indices with repeated entries; {by_position}.")
    missing = rows.difference(own, sort=False)
    if len(missing):
        raise InputError(
            f"X and {what} have different pandas indices ({missing[0]!r} is in that of X only); {by_position}."
        )
    warnings.warn(f"{what} has the rows of X in another order: matched by their pandas index.", stacklevel=2)
    return values.reindex(rows)


def target_values(y: Any, n_rows: int | None) -> NDArray[Any]:
    """One known value for each row: numbers, or labels as text."""
    if y is None:
        raise InputError("y is missing: give the outcome of each row, or a table from load_data, which knows it.")
    if len(np.shape(y)) == 2 and np.shape(y)[1] > 1:  # a task with several values per row
        return _columns(y, n_rows)
    target = _vector(y, "y", n_rows)
    if target.dtype.kind in "OT":
        target = _labels_or_numbers(target, "y")
    if target.dtype.kind not in "biufUS":
        number_array(target, "y")  # dates, complex numbers, records: the sentence is there
    if target.dtype.kind == "f" and not np.isfinite(target).all():
        raise InputError("y has missing or infinite values; drop those rows.")
    if len(np.unique(target)) < 2:
        raise InputError("y has one distinct value only; there is nothing to predict.")
    return target


def _columns(y: Any, n_rows: int | None) -> NDArray[Any]:
    """Several numbers for each row, such as a time and whether the event took place."""
    target = number_array(np.asarray(y), "y")
    if n_rows not in (None, len(target)):
        raise InputError(f"y has the shape {target.shape}; expected one row for each of the {n_rows} rows of X.")
    if not np.isfinite(target).all():
        raise InputError("y has missing or infinite values; drop those rows.")
    return target


def group_values(groups: Any, n_rows: int | None, *, what: str = "groups", each: str = "row") -> NDArray[Any]:
    """The group of each row (or feature): labels of one kind, none of them missing."""
    array = _vector(groups, what, n_rows, each)
    if array.dtype.kind in "OT":
        array = _labels_or_numbers(array, what, each)
    if array.dtype.kind in "cV":
        number_array(array, what)
    if (array.dtype.kind == "f" and np.isnan(array).any()) or (array.dtype.kind in "mM" and np.isnat(array).any()):
        raise InputError(f"{what} has missing values; drop those {each}s.")
    return array


def check_impute(value: Any) -> str | None:
    """How missing values are filled: None (not at all) or "median"."""
    check_choice("impute", value, (MEDIAN,), or_none=True)
    return None if value is None else MEDIAN


def _index(values: Any) -> Any:
    """The pandas index of a frame or a series; None for everything else."""
    index = getattr(values, "index", None)
    return index if type(values).__module__.split(".")[0] == "pandas" and hasattr(index, "equals") else None


def _vector(values: Any, what: str, n_rows: int | None, each: str = "row") -> NDArray[Any]:
    expected = f"expected one value for each {each if n_rows is None else f'of the {n_rows} {each}s'} of X"
    if isinstance(values, (str, bytes, Mapping, set, frozenset)) or values is None or callable(values):
        raise InputError(f"{what} is a {type(values).__name__}; {expected}.")
    if isinstance(values, np.ma.MaskedArray) and np.ma.is_masked(values):
        raise InputError(f"{what} has missing values; drop those {each}s.")
    try:
        array = np.asarray(values)
    except ValueError:
        raise InputError(f"{what} holds lists of different lengths; {expected}.") from None
    if isinstance(values, Sequence) and array.dtype.kind == "U" and not all(isinstance(v, str) for v in values):
        array = np.asarray(values, dtype=object)  # numpy has made text of numbers, of None and of nan
    if array.ndim == 2 and array.shape[1] == 1:  # a frame of one column
        array = array[:, 0]
    if array.ndim != 1 or n_rows not in (None, len(array)):
        raise InputError(f"{what} has the shape {array.shape}; {expected}.")
    return array


def _labels_or_numbers(values: NDArray[Any], what: str, each: str = "row") -> NDArray[Any]:
    """Python objects as numbers where all are, else as text where all are; bools are labels."""
    kinds = {_kind(value) for value in values}
    if "missing" in kinds:
        raise InputError(f"{what} has missing values; drop those {each}s.")
    if kinds == {"number"}:
        return number_array(values, what)
    if "number" in kinds and "text" in kinds:
        raise InputError(f"{what} mixes text and numbers; give labels of one kind.")
    if "other" in kinds:
        odd = next(value for value in values if _kind(value) == "other")
        raise InputError(f"{what} holds {odd!r}; expected numbers or labels.")
    return values.astype(str)


def _kind(value: Any) -> str:
    if isinstance(value, (str, bytes, bool, np.bool_)):
        return "text"
    if value is None or type(value).__name__ in ("NAType", "NaTType"):
        return "missing"
    try:
        return "missing" if value != value else "number" if float(value) == float(value) else "missing"
    except (TypeError, ValueError, OverflowError):
        return "other" if isinstance(value, (list, tuple, Mapping, set, np.ndarray, complex)) else "text"
