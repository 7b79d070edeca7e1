"""Tables as they come: columns of a frame, labels of text, missing values; who takes them, and what fills them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import narwhals.stable.v2 as nw
import numpy as np
from sklearn.compose import ColumnTransformer
from sklearn.utils import get_tags

from steadyset.foundation.errors import Argument, InputError
from steadyset.io.data.sources import is_known
from steadyset.io.labels import some_names, text_index
from steadyset.io.numbers import MEDIAN, as_frame
from steadyset.kernels.arrays import Floats, Ints
from steadyset.runner.columns import FunctionSelector

if TYPE_CHECKING:
    import pandas as pd


@dataclass(frozen=True)
class FrameColumns:
    """The names of the columns of a plan, and the labels of those that hold text; a label's place is its number there.

    Numbers are what is resampled, shared with other processes and fingerprinted; a frame is made for each fit.
    """

    names: tuple[str, ...]
    labels: Mapping[int, tuple[str, ...]]

    def frame(self, X: Floats, columns: Ints | None = None) -> pd.DataFrame:
        """Rows of these columns as a frame of pandas."""
        import pandas as pd

        places = range(len(self.names)) if columns is None else columns.tolist()
        frame = pd.DataFrame(X, columns=text_index([self.names[f] for f in places]))
        for i, f in enumerate(places):
            if f in self.labels:
                frame.isetitem(i, np.array(self.labels[f], dtype=object)[X[:, i].astype(np.int64)])
        return frame

    def taken_by(self, estimator: Any) -> bool:
        """Whether an estimator gets a frame: where columns hold text, or it asks for columns by their names."""
        return bool(self.labels) or any(isinstance(part, ColumnTransformer) for part in _parts(estimator))


def may_take_text(selector: Any) -> bool:
    """Whether a selector may use columns of text: all but scikit-learn's and ours without a step for them."""
    if isinstance(selector, type) or not hasattr(selector, "get_params"):
        return True  # a function, or nothing that can be fitted, which is told elsewhere
    return any(map(_is_for_text, _parts(selector)))


def _parts(estimator: Any) -> list[Any]:
    """An estimator and those within it."""
    found = [estimator, *estimator.get_params(deep=True).values()]
    return [part for part in found if hasattr(part, "fit") and not isinstance(part, type)]


def _is_for_text(part: Any) -> bool:
    if isinstance(part, ColumnTransformer) or not type(part).__module__.startswith(("sklearn.", "steadyset.")):
        return True
    tags = get_tags(part)
    return bool(tags.input_tags.categorical or tags.input_tags.string or tags.no_validation)


def text_coded(table: Any) -> tuple[Any, dict[int, tuple[str, ...]]]:
    """A frame whose columns of text are numbers, and the labels of these columns by their places."""
    frame, labels = as_frame(table, "X"), {}
    coded = {}
    for place, (name, kind) in enumerate(frame.schema.items()):
        if kind in (nw.String, nw.Categorical, nw.Enum) or kind == nw.Object:
            values = frame[name].to_list()
            if not all(isinstance(value, str) for value in values if is_known(value)):
                continue  # other objects are told of where numbers are expected
            if not all(is_known(value) for value in values):
                raise InputError(f"X has missing values in the column {name!r}, which holds text; give them a label.")
            names, codes = np.unique(np.array(values, dtype=str), return_inverse=True)
            labels[place] = tuple(names.tolist())
            coded[name] = codes.astype(np.float64)
    if not labels:
        return table, labels
    backend = nw.get_native_namespace(frame)
    columns = [nw.new_series(name, values, nw.Float64, backend=backend) for name, values in coded.items()]
    return frame.with_columns(*columns).to_native(), labels


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
    return (
        f"fill {them} within each run with ",
        Argument("impute", MEDIAN, of="Data"),
        ", or put an imputer into the pipeline.",
    )


def _fills(step: Any) -> bool:
    """Whether nothing is missing behind a step: an imputer, or a step that checks nothing and is trusted."""
    inner = step.steps[-1][1] if hasattr(step, "steps") else step
    return ".impute" in type(inner).__module__ or bool(get_tags(inner).no_validation)
