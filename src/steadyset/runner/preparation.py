"""What is done to the rows of each run before an estimator sees them: filled, scaled, encoded, narrowed.

Everything is learnt from the training rows of the run and applied to its left-out rows. The features stay those of the
table: columns that a preparation makes of a feature stand for it, and one that it removes is not selected in that run.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, Self

import numpy as np
from sklearn.base import BaseEstimator, OneToOneFeatureMixin, TransformerMixin
from sklearn.compose import ColumnTransformer
from sklearn.feature_selection import SelectorMixin
from sklearn.impute import KNNImputer, SimpleImputer
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer, OneHotEncoder, StandardScaler

from steadyset.foundation.arguments import wrong_argument
from steadyset.foundation.errors import InputError
from steadyset.foundation.text import listed, without_addresses
from steadyset.io.numbers import MEDIAN
from steadyset.kernels.arrays import Bools, Floats, Ints
from steadyset.runner.columns import FrameColumns, columns_called, filled, medians, takes_gaps, through

IMPUTE = "impute"
MOST_FREQUENT = "most_frequent"
NEIGHBOURS = 5  # rows that fill a gap by their mean
NEAREST_FEATURES = 20  # features from which another one's gaps are predicted: all of them would take hours


@dataclass(frozen=True)
class Step:
    """A step of a preparation as it is written: what makes its transformer of its value, and what it is in words.

    `values` are all that it may have, where these are few; `value` says what else it takes.
    """

    name: str
    make: Callable[[str], Any]
    words: Callable[[str], str]
    values: tuple[str, ...] = ()
    value: str = ""

    @property
    def written(self) -> str:
        """How it is typed."""
        return f"{self.name}={'|'.join(self.values) or self.value}" if self.values or self.value else self.name


@dataclass(eq=False, repr=False)
class Medians(OneToOneFeatureMixin, TransformerMixin, BaseEstimator):  # type: ignore[misc]
    """Fills gaps by the medians of the rows that it is fitted to; 0 where they know no value of a column."""

    def fit(self, X: Floats, y: Any = None) -> Self:
        """Learn the medians."""
        X = np.asarray(X, dtype=np.float64)
        self.n_features_in_ = X.shape[1]
        self.medians_ = np.median(X, axis=0)  # nan where a value is missing
        gaps = np.flatnonzero(np.isnan(self.medians_))
        self.medians_[gaps] = medians(X[:, gaps], np.arange(len(gaps)))
        return self

    def transform(self, X: Floats) -> Floats:
        """Fill the gaps."""
        return filled(np.asarray(X, dtype=np.float64), self.medians_)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = True
        return tags


@dataclass(eq=False, repr=False)
class MostVariable(SelectorMixin, BaseEstimator):  # type: ignore[misc]
    """Keeps the `n` columns with the largest variance; of equal ones those at the first places."""

    n: int

    def fit(self, X: Floats, y: Any = None) -> Self:
        """Compare the variances."""
        X = np.asarray(X, dtype=np.float64)
        self.n_features_in_ = X.shape[1]
        best = np.argsort(-np.nanvar(X, axis=0), kind="stable")[: self.n]
        self.support_ = np.isin(np.arange(X.shape[1]), best)
        return self

    def _get_support_mask(self) -> Bools:
        return self.support_

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = True
        return tags


def _imputer(how: str) -> Any:
    if how == MEDIAN:
        return Medians()
    if how == "knn":
        return KNNImputer(n_neighbors=NEIGHBOURS, keep_empty_features=True)
    if how == "iterative":
        from sklearn.experimental import enable_iterative_imputer  # noqa: F401
        from sklearn.impute import IterativeImputer

        return IterativeImputer(skip_complete=True, n_nearest_features=NEAREST_FEATURES, keep_empty_features=True)
    return SimpleImputer(strategy=how, keep_empty_features=True)


def _logarithm(X: Floats, offset: float) -> Floats:
    values = X + offset
    if (values <= 0).any():
        more = f"log2={offset + 1:g} adds {offset + 1:g} first" if (values + 1 > 0).all() else "leave it out"
        raise InputError(f"log2 needs values above 0, and {X[values <= 0].min():g} is among them; {more}.")
    return np.asarray(np.log2(values))


def _offset(value: str) -> float:
    offset = float(value or 0)
    if not np.isfinite(offset):
        raise ValueError(value)
    return offset


def _log2(value: str) -> Any:
    return FunctionTransformer(partial(_logarithm, offset=_offset(value)), feature_names_out="one-to-one")


def _variance(value: str) -> MostVariable:
    if int(value) < 1:
        raise ValueError(value)
    return MostVariable(int(value))


_IMPUTED = {
    MEDIAN: "the medians of the training rows",
    MOST_FREQUENT: "the most frequent values of the training rows",
    "knn": f"the means of the {NEIGHBOURS} most similar training rows",
    "iterative": "chained regressions on the other features, fitted to the training rows",
}
STEPS = {
    step.name: step
    for step in (
        Step(IMPUTE, _imputer, lambda how: f"missing values were replaced by {_IMPUTED[how]}", tuple(_IMPUTED)),
        Step(
            "scale",
            lambda _: StandardScaler(),
            lambda _: "values were standardised by the means and standard deviations of the training rows",
        ),
        Step(
            "log2",
            _log2,
            lambda value: f"logarithms to base 2 were taken{f' after adding {_offset(value):g}' if value else ''}",
        ),
        Step(
            "variance",
            _variance,
            lambda value: f"the {int(value):,} features with the largest variance in the training rows were kept",
            value="N",
        ),
    )
}


@dataclass(frozen=True)
class Preparation:
    """What each run fits to its training rows: a transformer, as it was asked for, and in words.

    `imputes` says that it leaves no value missing, `by_name` that it may ask for columns by their names.
    """

    transformer: Any
    asked: str
    words: str
    imputes: bool = False
    by_name: bool = False

    def takes_gaps_for(self, estimator: Any) -> bool:
        """Whether missing values may reach an estimator behind it."""
        return self.imputes or takes_gaps(make_pipeline(self.transformer, estimator))


def read_preparation(
    given: Any, labels: Mapping[int, Sequence[str]], n_features: int, gaps: Ints
) -> Preparation | None:
    """A text such as "impute=median, scale", or a transformer of scikit-learn; None where nothing is left to be done.

    `labels` are those of the columns that hold text as numbers; a text makes a column of 0 and 1 of each of them.
    Without missing values nothing is imputed.
    """
    if not isinstance(given, str):
        if isinstance(given, type) or not all(hasattr(given, name) for name in ("fit", "transform", "get_params")):
            raise wrong_argument("prepare", 'a text such as "impute=median, scale" or a transformer', given)
        asked = without_addresses(" ".join(repr(given).split()))
        return Preparation(given, asked, without_addresses(f"rows passed {_named(given)}"), by_name=True)
    steps = read_steps(given)
    needed = [(step, value) for step, value in steps if step.name != IMPUTE or len(gaps)]
    imputes = any(step.name == IMPUTE for step, _ in steps)
    made = [step.make(value) for step, value in needed]
    words = [step.words(value) for step, value in needed]
    if labels:
        words.append("each label of a categorical feature became a column of 0 and 1")
        made = [_encoding(labels, n_features, made, imputes=imputes)]
    return Preparation(make_pipeline(*made), given, listed(words), imputes) if made else None


def read_steps(text: str) -> list[tuple[Step, str]]:
    """The steps of a text with their values, in their order."""
    found: list[tuple[Step, str]] = []
    for part in text.split(","):
        name, _, value = (cell.strip() for cell in part.partition("="))
        step = STEPS.get(name)
        if step is None or (step.values and value not in step.values):
            raise wrong_argument("prepare", f"{listed([one.written for one in STEPS.values()], last=' or ')}", text)
        try:
            step.make(value)
        except ValueError:
            raise wrong_argument("prepare", f"a number in {step.name}={step.value or 'NUMBER'}", text) from None
        if any(step is other for other, _ in found):
            raise InputError(f"prepare has {name} twice; give each step once.")
        found.append((step, value))
    return found


def _encoding(labels: Mapping[int, Sequence[str]], n_features: int, made: list[Any], *, imputes: bool) -> Any:
    """Labels to columns of 0 and 1; the other steps are for numbers."""
    codes = [np.arange(len(labels[f]), dtype=np.float64) for f in labels]
    known = [SimpleImputer(strategy=MOST_FREQUENT, keep_empty_features=True)] if imputes else []
    encode = make_pipeline(*known, OneHotEncoder(categories=codes, drop="if_binary", sparse_output=False))
    others = [f for f in range(n_features) if f not in labels]
    parts = [("labels", encode, list(labels)), ("numbers", make_pipeline(*made) if made else "passthrough", others)]
    return ColumnTransformer(parts, verbose_feature_names_out=False)


def _named(transformer: Any) -> str:
    return f"a {type(transformer).__name__} fitted to the training rows"


@dataclass(frozen=True)
class Prepared:
    """A transformer that was fitted to the training rows; `sources` are the features that its columns stand for.

    `names` are those of its columns.
    """

    fitted: Any
    sources: Ints
    names: tuple[str, ...]
    frame: FrameColumns | None

    @classmethod
    def of(cls, transformer: Any, X: Floats, y: Any, columns: FrameColumns | None, *, by_name: bool) -> Prepared:
        """Fit a transformer, and follow the features through it."""
        frame = columns if by_name and columns is not None and columns.taken_by(transformer) else None
        fitted = transformer.fit(X if frame is None else frame.frame(X), y)
        names = None if columns is None else list(columns.names)
        behind = through(fitted, columns_called(names, X.shape[1], None))
        if behind.sources is None:
            raise InputError(f"The features behind {_named(fitted)} could not be traced; name its columns after them.")
        return cls(fitted, behind.sources[behind.passed], tuple(behind.current), frame)

    def rows(self, X: Floats) -> Floats:
        """Rows as the estimators get them."""
        made = self.fitted.transform(X if self.frame is None else self.frame.frame(X))
        made = made.toarray() if hasattr(made, "toarray") else np.asarray(made)
        if made.shape[1] != len(self.sources):
            raise InputError(f"{_named(self.fitted)} made {made.shape[1]} columns and named {len(self.sources)}.")
        return np.ascontiguousarray(made, dtype=np.float64)

    def named(self, features: Sequence[str] | None) -> tuple[str, ...]:
        """The names of the columns: those of their features, where each has one column."""
        single = features is not None and len(np.unique(self.sources)) == len(self.sources)
        return tuple(features[f] for f in self.sources) if single and features is not None else self.names

    def columns_of(self, features: Ints) -> Ints:
        """The columns that stand for features."""
        return np.flatnonzero(np.isin(self.sources, features))
