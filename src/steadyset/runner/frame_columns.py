"""Frames for pipelines that ask for columns by name or encode text, made again of the numbers of a plan."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import narwhals.stable.v2 as nw
import numpy as np
from sklearn.compose import ColumnTransformer
from sklearn.utils import get_tags

from steadyset.foundation.errors import InputError
from steadyset.io.labels import text_index
from steadyset.io.numbers import as_frame
from steadyset.io.roles import is_known
from steadyset.kernels.arrays import Floats, Ints

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
