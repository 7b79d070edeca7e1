"""Plain functions as selectors: from X and y to column numbers, names of features, or a mask."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Self

import numpy as np
from sklearn.base import BaseEstimator
from sklearn.feature_selection import SelectorMixin

from steadyset.foundation.errors import InputError
from steadyset.io.labels import text_index
from steadyset.kernels.arrays import Bools


@dataclass(eq=False, repr=False)
class FunctionSelector(SelectorMixin, BaseEstimator):  # type: ignore[misc]
    """Selects what `function(X, y)` returns: column numbers, names of features, or a mask with one value per feature.

    features are the names that the function may return; with `frame` it gets a pandas frame with these columns.
    params are values of its further arguments.
    """

    function: Callable[[Any, Any], Any]
    features: Sequence[str] | None = None
    frame: bool = False
    params: Mapping[str, Any] | None = None

    def fit(self, X: Any, y: Any = None) -> Self:
        """Call the function."""
        table = X
        if self.frame and not hasattr(X, "columns") and self.features is not None:
            import pandas as pd

            table = pd.DataFrame(X, columns=text_index(self.features))
        self.n_features_in_ = X.shape[1]
        chosen = self.function(table, y, **(self.params or {}))
        self.support_ = read_support(chosen, X.shape[1], function_name(self.function), self.features)
        return self

    def _get_support_mask(self) -> Bools:
        return self.support_


def options_of_function(function: Callable[..., Any]) -> dict[str, Any]:
    """Return the arguments of a selecting function besides X and y that may be given by name, with their defaults."""
    further = list(inspect.signature(function).parameters.values())[2:]
    positional_only, empty = inspect.Parameter.POSITIONAL_ONLY, inspect.Parameter.empty
    return {one.name: one.default for one in further if one.default is not empty and one.kind != positional_only}


def takes_rows_and_target(function: Callable[..., Any]) -> bool:
    """Return whether a function needs X and y; false if it is called without arguments, or does not tell."""
    try:
        signature = inspect.signature(function)
    except (TypeError, ValueError):
        return False
    return _can_be_called(signature, "X", "y") and not _can_be_called(signature)


def _can_be_called(signature: inspect.Signature, *arguments: Any) -> bool:
    try:
        signature.bind(*arguments)
    except TypeError:
        return False
    return True


def is_plain_function(selector: Any) -> bool:
    """Whether something is called rather than fitted."""
    return callable(selector) and not isinstance(selector, type) and not hasattr(selector, "fit")


def function_name(function: Any) -> str:
    """What a function is called."""
    name = getattr(function, "__name__", type(function).__name__)
    return "function" if name == "<lambda>" else str(name)


def read_support(given: Any, n_features: int, who: str, features: Sequence[str] | None = None) -> Bools:
    """A mask of the selected features from a mask, column numbers, or names where these are known."""
    values = np.asarray(sorted(given, key=str) if isinstance(given, (set, frozenset)) else given)
    if values.dtype == object and values.ndim == 1 and all(isinstance(value, str) for value in values):
        values = values.astype(str)
    support = np.zeros(n_features, dtype=np.bool_)
    if values.shape == (0,):
        return support
    if values.ndim == 1 and values.dtype.kind == "b":
        if len(values) != n_features:
            raise InputError(
                f"{who} decides on {len(values)} columns, but the data has {n_features} features; "
                "steps before the selecting one must keep the features as they are."
            )
        return values
    if values.ndim == 1 and values.dtype.kind in "iu":
        repeated = len(np.unique(values)) < len(values)
        if repeated and len(values) == n_features and np.isin(values, (0, 1)).all():
            return np.asarray(values == 1)
        if repeated or values.min() < 0 or values.max() >= n_features:
            raise InputError(
                f"{who} selects column numbers that are not distinct numbers from 0 to {n_features - 1}; return these, "
                "or a boolean mask."
            )
        support[values] = True
        return support
    if values.ndim == 1 and values.dtype.kind == "U" and features is not None:
        place = {name: f for f, name in enumerate(features)}
        unknown = [name for name in values.tolist() if name not in place]
        if unknown:
            raise InputError(f"{who} selects {unknown[0]!r}, which is not among the features.")
        support[[place[name] for name in values.tolist()]] = True
        return support
    raise InputError(
        f"{who} gives {values.dtype} of the shape {values.shape} as its selection; return a boolean mask or column "
        "numbers."
    )
