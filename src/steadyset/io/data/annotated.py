"""Data that bring their names along: a table that `load_data` read, and an AnnData in memory."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from typing import Any

from steadyset.foundation.errors import InputError
from steadyset.io.data.data_table import Data
from steadyset.io.data.sources import counts_note, distinct_names, role_values
from steadyset.io.numbers import aligned_rows, dense_array, number_array


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

    Of an AnnData, `y` and `groups` may be names of columns of obs, of a frame those of its own columns, which are then
    no features. Repeated names of variables and raw counts are
    warned of, at the caller that is `stacklevel` calls above.
    """
    refuse_swapped(X, y)
    if isinstance(X, Data):
        return _of_file(X, y, groups, features)
    if not is_annotated(X):
        return (*_of_frame(X, y, groups), features)
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


def refuse_swapped(X: Any, y: Any) -> None:
    """Tell of a target where the data should be, and the other way round."""
    wide = len(getattr(y, "shape", ())) == 2 and y.shape[1] > 1
    if isinstance(y, Data) or is_annotated(y) or (wide and len(getattr(X, "shape", ())) == 1):
        raise InputError("X and y are swapped: X holds one value per row and y a table; give the table first.")


def _of_frame(X: Any, y: Any, groups: Any) -> tuple[Any, Any, Any]:
    """Columns of a frame by their names; nobody selects the target, or who belongs together, as a feature."""
    named = [name for name in (y, groups) if isinstance(name, str)]
    if not named or not hasattr(X, "columns"):
        return X, y, groups
    place = {str(name): name for name in X.columns}
    for name in named:
        if name not in place:
            role_values({text: X[one] for text, one in place.items()}, name, "X")  # says which there are
    rest = X[[one for text, one in place.items() if text not in named]]
    y, groups = (X[place[given]] if isinstance(given, str) else given for given in (y, groups))
    return rest, y, groups


def _of_rows(X: Any, values: Any, what: str) -> Any:
    if not isinstance(values, str):
        return aligned_rows(X.obs, values, what)
    role_values({str(name): X.obs[name] for name in X.obs.columns}, values, "obs")
    return X.obs[values]
