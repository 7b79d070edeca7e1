"""FeatureSimilarity: similarities in [0, 1] between features, with the threshold above which two count as alike."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from typing import Any, NoReturn

import numpy as np

from steadyset.errors import InputError
from steadyset.labels import feature_names
from steadyset.selections import Selections
from steadyset.similarity.matrix import DenseStore
from steadyset.similarity.store import FloatArray, IntArray, Neighbours, Store


class FeatureSimilarity:
    """Symmetric similarities c(f, g) in [0, 1] of d features, c(f, f) = 1, and the threshold of "similar".

    Immutable. Build one with `from_matrix`.

    Attributes
    ----------
    n_features : d
    features : the names, or None
    threshold : two features are similar when c(f, g) >= threshold (up to 1e-12, so that ties do not hang on rounding)
    notes : what a reader should know, such as constant features
    expectations : what measures remember about random selection under this similarity and threshold
    """

    n_features: int
    features: tuple[str, ...] | None
    threshold: float
    notes: tuple[str, ...]
    expectations: dict[Any, Any]
    _store: Store

    def __init__(self, *_: Any, **__: Any) -> None:
        raise TypeError("FeatureSimilarity has no constructor of its own: use from_data, from_matrix or from_groups.")

    @classmethod
    def from_matrix(cls, C: Any, *, threshold: float = 0.9, features: Sequence[str] | None = None) -> FeatureSimilarity:
        """A symmetric d x d array of similarities with a diagonal of ones."""
        matrix = np.array(C, dtype=np.float64)
        if matrix.ndim != 2 or matrix.shape[0] != matrix.shape[1]:
            raise InputError(f"C has the shape {matrix.shape}; wanted is a square features x features matrix.")
        names, _ = feature_names(features, len(matrix), what="from_matrix")
        return cls._build(DenseStore(matrix), names, threshold)

    @cached_property
    def neighbours(self) -> Neighbours:
        """The graph of similar features, each feature itself left out: (indptr, indices, values) of sparse rows."""
        return self._store.neighbours(self.threshold)

    def block(self, rows: Any, columns: Any) -> FloatArray:
        """c(f, g) for f in rows and g in columns (0-based indices), whatever the threshold."""
        return self._store.block(_indices(rows), _indices(columns))

    @property
    def diagonal(self) -> FloatArray:
        """c(f, f): ones, unless `from_matrix` was told to keep another diagonal."""
        return self._store.diagonal()

    def total(self) -> float:
        """The sum of c(f, g) over all ordered pairs f != g, whatever the threshold; computed in blocks, once."""
        return self._store.total()

    def with_threshold(self, threshold: float) -> FeatureSimilarity:
        """The same similarities under another threshold."""
        return self._build(self._store, self.features, threshold, self.notes)

    def check(self, selections: Selections) -> FeatureSimilarity:
        """The similarity itself, once it is clear that it speaks of the same features as the Selections."""
        if self.n_features != selections.n_features:
            raise InputError(
                f"similarity has {self.n_features} features and the Selections have {selections.n_features}; "
                "wanted are the same features."
            )
        if self.features is not None and selections._names is not None and self.features != selections._names:
            self._complain_of_names(selections._names)
        return self

    def _complain_of_names(self, names: tuple[str, ...]) -> NoReturn:
        assert self.features is not None
        place = next(f for f, (a, b) in enumerate(zip(self.features, names, strict=True)) if a != b)
        both = f"feature {place} is {self.features[place]!r} in similarity and {names[place]!r} in the Selections"
        order = "the same names in the same order" if set(self.features) == set(names) else "the same names"
        raise InputError(f"{both[0].upper()}{both[1:]}; wanted are {order}.")

    def __repr__(self) -> str:
        return f"FeatureSimilarity({self.n_features} features, threshold {self.threshold:g})"

    def __setattr__(self, name: str, value: Any) -> NoReturn:
        raise AttributeError("A FeatureSimilarity cannot be changed; with_threshold() gives another one.")

    @classmethod
    def _build(
        cls, store: Store, names: tuple[str, ...] | None, threshold: float, notes: tuple[str, ...] = ()
    ) -> FeatureSimilarity:
        if not (isinstance(threshold, (int, float, np.integer, np.floating)) and 0 <= threshold <= 1):
            raise InputError(f"threshold is {threshold!r}; wanted is a number from 0 to 1.")
        self = object.__new__(cls)
        self.__dict__.update(
            n_features=store.n_features,
            features=names,
            threshold=float(threshold),
            notes=notes,
            expectations={},
            _store=store,
        )
        return self


def _indices(positions: Any) -> IntArray:
    return np.atleast_1d(np.asarray(positions, dtype=np.int64))
