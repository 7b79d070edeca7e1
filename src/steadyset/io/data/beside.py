"""Covariates and blocks as they are given: by the names of columns, or by their values."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from steadyset.foundation.arguments import is_collection, wrong_argument


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
