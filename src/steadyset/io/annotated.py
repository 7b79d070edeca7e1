"""Data that bring their names along: a table that `load_data` read, and an AnnData in memory."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from typing import Any

from steadyset.errors import InputError
from steadyset.io.data_table import Data
from steadyset.io.genes import counts_note, distinct_names
from steadyset.io.numbers import dense_array, number_array
from steadyset.io.observations import aligned_rows
from steadyset.io.roles import role_values


def is_annotated(X: Any) -> bool:
    """Whether X is an AnnData, or something that has its parts."""
    return not isinstance(X, type) and all(hasattr(X, part) for part in ("X", "obs", "var_names", "obs_names"))


def target_name(X: Any, y: Any) -> str:
    """What the target is called, where X or y say so; to be asked before they are unfolded."""
    if isinstance(X, Data):
        return str(X.target)
    return y if isinstance(y, str) else str(getattr(y, "name", None) or "")


def unfolded(
    X: Any, y: Any, groups: Any, features: Sequence[str] | None, *, stacklevel: int
) -> tuple[Any, Any, Any, Sequence[str] | None]:
    """Data of `load_data` and an AnnData as numbers, target, groups and names; anything else as it is.

    Of an AnnData, `y` and `groups` may be names of columns of obs. Repeated names of variables and raw counts are
    warned of, at the caller that is `stacklevel` calls above.
    """
    if isinstance(X, Data):
        return _of_file(X, y, groups, features)
    if not is_annotated(X):
        return X, y, groups, features
    if X.X is None:
        raise InputError("The AnnData has no X; put one of its layers there.")
    values = X.X.to_memory() if hasattr(X.X, "to_memory") else X.X  # sparse and still in a file
    table = dense_array(values, "X") if hasattr(values, "toarray") else number_array(values, "X")
    notes = counts_note(table) if table.ndim == 2 else []
    if features is None:
        features, renamed = distinct_names([str(name) for name in X.var_names])
        notes += renamed
    for note in notes:
        warnings.warn(f"AnnData: {note}.", stacklevel=stacklevel + 1)
    return table, _of_rows(X, y, "y"), None if groups is None else _of_rows(X, groups, "groups"), features


def _of_file(
    data: Data, y: Any, groups: Any, features: Sequence[str] | None
) -> tuple[Any, Any, Any, Sequence[str] | None]:
    if y is not None:
        raise InputError(f"y is given beside data that hold their target {data.target!r}; leave y out.")
    return data.X, data.y, data.groups if groups is None else groups, data.features if features is None else features


def _of_rows(X: Any, values: Any, what: str) -> Any:
    if not isinstance(values, str):
        return aligned_rows(X.obs, values, what)
    role_values({str(name): X.obs[name] for name in X.obs.columns}, values, "obs")
    return X.obs[values]
