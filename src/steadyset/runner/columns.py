"""The columns of tables: what they hold as they come, and which of them pass through the steps of a fitted pipeline.

A step that selects (get_support, or a mask support_) narrows the columns. Another step keeps them, or makes new ones
that it names (get_feature_names_out): these are then what there is to choose from. ColumnTransformer and FeatureUnion
are followed into their parts. Steps whose columns are components, such as PCA, are refused: the first component of one
fold is not the first of another.

Columns may hold labels of text and missing values: who takes them, and what fills them.
"""

from __future__ import annotations

from collections import UserList
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import TYPE_CHECKING, Any

import narwhals.stable.v2 as nw
import numpy as np
from sklearn.base import ClassNamePrefixFeaturesOutMixin
from sklearn.compose import ColumnTransformer
from sklearn.utils import get_tags

from steadyset.foundation.errors import InputError
from steadyset.io.data.sources import is_known
from steadyset.io.labels import some_names, text_index
from steadyset.io.numbers import as_frame
from steadyset.kernels.arrays import Bools, Floats, Ints
from steadyset.selectors.functions import FunctionSelector, read_support

if TYPE_CHECKING:
    import pandas as pd


NO_STEP = (None, "passthrough")
TIDYING = ("VarianceThreshold",)  # leaves out what is constant, and lets others select


@dataclass(frozen=True)
class Columns:
    """The columns at one place of a pipeline: `passed` of the universe `names`, in their order.

    `named` is false where the names are x0, x1, ... for want of others; `selected` is true behind a selecting step.
    `sources` are the columns before the first step that those of the universe are made of, such as the 0/1 columns of
    labels; None where nothing tells.
    """

    names: tuple[str, ...]
    named: bool
    passed: Ints
    selected: bool = False
    sources: Ints | None = None

    @property
    def current(self) -> list[str]:
        return [self.names[f] for f in self.passed]


class NewColumnsError(InputError):
    """The columns behind a step are not those before it, and nothing says that they are the same in every run."""


def entering(first: Any, features: Sequence[str] | None) -> Columns:
    """The columns on which a fitted estimator was trained; `features` names them where it does not."""
    own = own_names(first)
    n_features = len(own) if own is not None else n_columns(first)
    if n_features is None and _is_vectorizer(first):
        return _words(first)
    if n_features is None:
        raise InputError(f"{type(first).__name__} does not tell on how many features it was fitted (n_features_in_).")
    return columns_called(own, n_features, features)


def _is_vectorizer(step: Any) -> bool:
    """Whether a step makes columns of texts or dicts: its vocabulary is what there is to choose from."""
    return hasattr(step, "vocabulary_") and hasattr(step, "get_feature_names_out")


def _words(vectorizer: Any) -> Columns:
    words = [str(word) for word in vectorizer.get_feature_names_out()]
    return columns_called(words, len(words), None)


def columns_called(own: list[str] | None, n_features: int, features: Sequence[str] | None) -> Columns:
    """All columns of an estimator, by its own names, else by `features` where they are as many."""
    if own is None and features is not None and len(features) == n_features:
        own = list(features)
    names = _numbered(n_features) if own is None else tuple(own)
    every = np.arange(n_features)
    return Columns(names, own is not None, every, sources=every)


@lru_cache(maxsize=4)
def _numbered(n_features: int) -> tuple[str, ...]:
    """Names for columns without any; every run of an assessment asks for the same ones."""
    return tuple(f"x{f}" for f in range(n_features))


def new_columns(step: Any) -> str:
    """Why what is selected behind such a step cannot be told."""
    return (
        f"the columns after the step {type(step).__name__} are not the features any more; steps before the selecting "
        "one must keep the features as they are."
    )


def own_names(fitted: Any) -> list[str] | None:
    """The names of the columns on which something was fitted."""
    names = getattr(fitted, "feature_names_in_", None)
    return None if names is None else [str(name) for name in names]


def n_columns(fitted: Any) -> int | None:
    """On how many columns something was fitted, where it tells."""
    told = getattr(fitted, "n_features_in_", None)
    if told is None and mask_of(fitted) is not None:
        told = len(np.asarray(fitted.support_))
    return None if told is None else int(told)


def mask_of(step: Any) -> Any:
    """What a step selects: get_support(), or a mask called support_ (Boruta); that of a support vector machine holds
    row numbers, and is none."""
    if hasattr(step, "get_support"):
        return step.get_support()
    support = getattr(step, "support_", None)
    return support if support is not None and np.asarray(support).dtype == np.bool_ else None


def support_of(step: Any, n_features: int) -> Bools | None:
    """The mask of what a step selects of its columns; None where it selects nothing."""
    mask = mask_of(step)
    return None if mask is None else read_support(mask, n_features, type(step).__name__)


def through(step: Any, columns: Columns, following: Any = None) -> Columns:
    """The columns behind a fitted step; `following` is the step that takes them, where there is one."""
    if step in NO_STEP:
        return columns
    if _is_vectorizer(step):
        return _words(step)
    if hasattr(step, "steps"):
        steps = [part for _, part in step.steps]
        for part, after in zip(steps, [*steps[1:], following], strict=True):
            columns = through(part, columns, after)
        return columns
    if parts_of(step) is not None:
        return _through_parts(step, columns)
    support = support_of(step, len(columns.passed))
    if support is not None:
        decides = type(step).__name__ not in TIDYING
        return replace(columns, passed=columns.passed[support], selected=columns.selected or decides)
    return _renamed(step, columns, _names_behind(step, columns, following))


def _renamed(step: Any, columns: Columns, names: list[str]) -> Columns:
    """The same universe where every name is one of its columns, else a new one."""
    place = dict(zip(columns.current, columns.passed.tolist(), strict=True))
    if all(name in place for name in names):
        return replace(columns, passed=np.array([place[name] for name in names], dtype=np.int64))
    if isinstance(step, ClassNamePrefixFeaturesOutMixin):
        raise NewColumnsError(new_columns(step))
    if columns.selected:
        raise NewColumnsError(
            f"{type(step).__name__} makes new columns out of selected ones, so every fold would choose from others; "
            "move it before the selecting step."
        )
    return Columns(tuple(names), True, np.arange(len(names)), sources=_made_of(step, columns, len(names)))


def _made_of(step: Any, columns: Columns, n_columns: int) -> Ints | None:
    """The sources of the columns that an encoder makes of each of its own, one after the other."""
    categories = getattr(step, "categories_", None)
    if categories is None or columns.sources is None or len(categories) != len(columns.passed):
        return None
    rare = getattr(step, "infrequent_categories_", None) or [None] * len(categories)
    left_out = getattr(step, "drop_idx_", None)
    widths = [
        len(own) - (0 if few is None else len(few) - 1) - (left_out is not None and left_out[i] is not None)
        for i, (own, few) in enumerate(zip(categories, rare, strict=True))
    ]
    return np.repeat(columns.sources[columns.passed], widths) if sum(widths) == n_columns else None


def _names_behind(step: Any, columns: Columns, following: Any) -> list[str]:
    """What the columns behind a step are called: by the step that takes them, by the step itself, or as before it."""
    told = own_names(following)
    if told is not None:
        return told
    who, current = type(step).__name__, own_names(step) or columns.current
    if hasattr(step, "get_feature_names_out"):
        try:
            return [str(name) for name in step.get_feature_names_out(current)]
        except Exception as error:  # whatever a strange step raises, its columns have no names
            raise _without_names(who) from error
    taken = n_columns(following)
    if taken is not None and taken != len(current):
        raise _without_names(who)
    return columns.current


def _without_names(who: str) -> NewColumnsError:
    return NewColumnsError(
        f"The columns behind the step {who} have no names, so it cannot be told what is selected; give the step "
        'get_feature_names_out (FunctionTransformer takes feature_names_out="one-to-one").'
    )


def parts_of(step: Any) -> list[tuple[str, Any, Any]] | None:
    """(name, fitted part, its columns) of a ColumnTransformer or FeatureUnion; columns None: all."""
    if hasattr(step, "transformers_"):
        return [(name, part, columns) for name, part, columns in step.transformers_]
    if hasattr(step, "transformer_list"):
        return [(name, part, None) for name, part in step.transformer_list]
    return None


def _through_parts(step: Any, columns: Columns) -> Columns:
    """The columns of all parts beside each other; sklearn's own names tell whether they were followed correctly."""
    found = list(_each_part(step, columns))
    names = [f"{prefix}__{name}" if prefix else name for prefix, part in found for name in part.names]
    starts = np.cumsum([0, *(len(part.names) for _, part in found)])
    passed = np.concatenate([start + part.passed for start, (_, part) in zip(starts, found, strict=False)])
    told = _names_behind(step, columns, None)
    if [names[f] for f in passed] != told:
        raise NewColumnsError(
            f"{type(step).__name__} hands on {some_names(told)}, which could not be traced back to its parts; select "
            "in a step of its own behind it."
        )
    kept = set(names) <= set(columns.current)
    if kept:
        place = dict(zip(columns.current, columns.passed.tolist(), strict=True))
        passed = np.array([place[name] for name in told], dtype=np.int64)
        return replace(columns, passed=passed, selected=columns.selected or any(part.selected for _, part in found))
    if columns.selected:
        return _renamed(step, columns, told)
    sources = [part.sources for _, part in found if part.sources is not None]
    known = np.concatenate(sources) if len(sources) == len(found) else None
    return Columns(tuple(names), True, passed, any(part.selected for _, part in found), known)


def _each_part(step: Any, columns: Columns) -> Iterator[tuple[str, Columns]]:
    verbose = getattr(step, "verbose_feature_names_out", True)
    for name, part, taken in parts_of(step) or []:
        if part == "drop":
            continue
        places = np.arange(len(columns.passed)) if taken is None else _taken(taken, columns)
        if len(places) == 0:
            continue
        own = [columns.current[f] for f in places]
        sources = None if columns.sources is None else columns.sources[columns.passed[places]]
        yield (name if verbose else ""), through(part, Columns(tuple(own), True, np.arange(len(own)), sources=sources))


def _taken(taken: Any, columns: Columns) -> Ints:
    """Which columns a part of a ColumnTransformer takes: names, numbers, a slice or a mask."""
    place = {name: f for f, name in enumerate(columns.current)}
    taken = taken.data if isinstance(taken, UserList) else taken  # scikit-learn 1.6 warns of its list when it is read
    if isinstance(taken, slice):  # of names, both ends belong to it
        stop = place[taken.stop] + 1 if isinstance(taken.stop, str) else taken.stop
        return np.arange(len(place))[place.get(taken.start, taken.start) : stop]
    chosen = np.atleast_1d(np.asarray(taken))
    if chosen.dtype.kind in "OUT":
        return np.array([place[str(name)] for name in chosen], dtype=np.int64)
    return np.asarray(np.arange(len(place))[chosen])


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


def text_coded(table: Any, *, gaps: bool = False) -> tuple[Any, dict[int, tuple[str, ...]]]:
    """A frame whose columns of text are numbers, and the labels of these columns by their places.

    With `gaps` what is missing there stays so.
    """
    frame, labels = as_frame(table, "X"), {}
    coded = {}
    for place, (name, kind) in enumerate(frame.schema.items()):
        if kind in (nw.String, nw.Categorical, nw.Enum) or kind == nw.Object:
            values = frame[name].to_list()
            if not all(isinstance(value, str) for value in values if is_known(value)):
                continue  # other objects are told of where numbers are expected
            known = np.array([is_known(value) for value in values], dtype=np.bool_)
            if not known.all() and not gaps:
                raise InputError(f"X has missing values in the column {name!r}, which holds text; give them a label.")
            names, codes = np.unique(np.array(values, dtype=object)[known].astype(str), return_inverse=True)
            labels[place] = tuple(names.tolist())
            coded[name] = np.full(len(values), np.nan)
            coded[name][known] = codes
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


def _fills(step: Any) -> bool:
    """Whether nothing is missing behind a step: an imputer, or a step that checks nothing and is trusted."""
    if hasattr(step, "steps"):
        return any(_fills(part) for _, part in step.steps if part not in NO_STEP)
    return ".impute" in type(step).__module__ or bool(get_tags(step).no_validation)
