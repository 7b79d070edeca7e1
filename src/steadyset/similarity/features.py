"""FeatureSimilarity: similarities in [0, 1] between features, with the threshold above which two count as alike."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, NoReturn

import numpy as np
import numpy.typing as npt

from steadyset.foundation.arguments import ALIKE, TableLike, wrong_argument
from steadyset.foundation.display import Bar, Display, Shown, Table
from steadyset.foundation.errors import Argument, InputError
from steadyset.foundation.text import counted
from steadyset.foundation.threads import with_one_arithmetic_thread
from steadyset.io.disk import file_path
from steadyset.io.files import MAX_GB
from steadyset.io.labels import check_same_order
from steadyset.io.numbers import number_array
from steadyset.kernels.arrays import Floats, Ints
from steadyset.selections import Selections
from steadyset.similarity.store import Diagonal, Neighbours, Store, group_store, matrix_store, read_store

if TYPE_CHECKING:
    from steadyset.similarity.computed import Method

GroupsLike = npt.ArrayLike | Mapping[str, Any] | Mapping[Any, Sequence[str]]
SHOWN_PAIRS = 5  # by a notebook
MOST_COMPARED = 200  # features of which it looks at all pairs


class FeatureSimilarity(Shown):
    """Symmetric similarities c(f, g) in [0, 1] of d features, c(f, f) = 1, and the threshold of "similar".

    Immutable. Build one with `from_data`, `from_matrix`, `from_groups` or `read`.

    Attributes
    ----------
    n_features : int
        The number of features, d.
    features : tuple of str or None
        Their names, where they are known.
    threshold : float
        Two features are similar when c(f, g) >= threshold (up to 1e-12, so that ties do not hang on rounding).
    notes : tuple of str
        What to know, such as constant features.

    Examples
    --------
    >>> import steadyset as st
    >>> similarity = st.FeatureSimilarity.from_groups(["a", "a", "b"])
    >>> similarity
    FeatureSimilarity(3 features, threshold 0.9)
    >>> similarity.block([0], [0, 1, 2])
    array([[1., 1., 0.]])
    """

    n_features: int
    features: tuple[str, ...] | None
    threshold: float
    notes: tuple[str, ...]
    _store: Store

    def __init__(self, *_: Any, **__: Any) -> None:
        raise TypeError("FeatureSimilarity has no constructor of its own: use from_data, from_matrix or from_groups.")

    # ---- constructors ------------------------------------------------------------------------------------------

    @classmethod
    @with_one_arithmetic_thread
    def from_data(
        cls,
        X: TableLike,
        *,
        method: Method = "pearson",
        threshold: float = ALIKE,
        features: Sequence[str] | None = None,
        bins: int = 5,
        positive: bool = False,
        significant: float | None = None,
    ) -> FeatureSimilarity:
        """Similarities of the columns of a data set.

        Kept are n x d numbers; similarities are computed in blocks when they are asked for. The graph of neighbours
        grows with the number of similar pairs: 32 bytes each.

        Parameters
        ----------
        X : array-like, or pandas or polars frame of shape (n_samples, n_features)
            The data, without missing values.
        method : {"pearson", "spearman", "mutual_info"}, default="pearson"
            Absolute correlations ("pearson", "spearman"; tied values get their average rank), or "mutual_info":
            I(f; g) / sqrt(H(f) H(g)), each feature cut into bins of equal frequency. A constant feature has similarity
            0 to all others.
        threshold : float, default=0.9
            Similarity from which two features count as alike.
        features : sequence of str or None, default=None
            The names of the features, where X has none.
        bins : int, default=5
            How many bins "mutual_info" cuts a feature into, unless it has at most that many distinct values.
        positive : bool, default=False
            Whether negative correlations count as 0 instead of by their absolute value. With `significant` this is the
            similarity that POGR was published with (Zhang et al. 2009): significantly positively correlated.
        significant : float or None, default=None
            Instead of a threshold, the level of a test that each pair has to pass, such as 0.05: the threshold is the
            smallest correlation that is significant. The t-test with n - 2 degrees of freedom is one-sided for positive
            correlations, two-sided for absolute ones, approximate for ranks, and not adjusted for the number of pairs.
            A note states the threshold and n.

        Returns
        -------
        FeatureSimilarity
            The similarities.

        Examples
        --------
        Radius, perimeter and area of a tumour are nearly the same feature:

        >>> import steadyset as st
        >>> from sklearn.datasets import load_breast_cancer
        >>> X = load_breast_cancer(as_frame=True).data
        >>> st.FeatureSimilarity.from_data(X, threshold=0.95).block([0], [1, 2, 3]).round(2)
        array([[0.32, 1.  , 0.99]])
        """
        from steadyset.similarity.computed import data_store

        if significant is not None and threshold != ALIKE:
            raise InputError(
                Argument("threshold"), " and ", Argument("significant"), " both define the threshold; give one of them."
            )
        found = data_store(X, method, features, bins, positive=positive, significant=significant)
        limit = threshold if found.threshold is None else found.threshold
        return cls._build(found.store, found.names, limit, found.notes)

    @classmethod
    def from_matrix(
        cls,
        C: TableLike,
        *,
        threshold: float = ALIKE,
        features: Sequence[str] | None = None,
        diagonal: Diagonal = "check",
    ) -> FeatureSimilarity:
        """Similarities that are known as a matrix.

        What rounding can explain is mended: entries up to 1e-8 (single precision: 1e-6) from symmetric or from [0, 1].

        Parameters
        ----------
        C : array-like, scipy sparse matrix or frame of shape (n_features, n_features)
            Symmetric, with numbers from 0 to 1; what a sparse matrix leaves out is 0, and a frame names the features.
        threshold : float, default=0.9
            Similarity from which two features count as alike.
        features : sequence of str or None, default=None
            The names of the features, where C has none.
        diagonal : {"check", "one", "keep"}, default="check"
            What happens to c(f, f): "check" wants 1 to the same accuracy (a sparse matrix may leave it out), "one" sets
            it to 1 whatever it is, and "keep" leaves it. Only measures that use a feature's similarity to itself see a
            kept diagonal (sechidis, msi).

        Returns
        -------
        FeatureSimilarity
            The similarities.
        """
        store, names = matrix_store(C, features, diagonal)
        return cls._build(store, names, threshold)

    @classmethod
    def from_groups(
        cls,
        groups: GroupsLike,
        *,
        threshold: float = ALIKE,
        features: Sequence[str] | None = None,
        n_features: int | None = None,
    ) -> FeatureSimilarity:
        """Groups of interchangeable features: similarity 1 within a group and 0 between groups.

        Parameters
        ----------
        groups : sequence, Mapping, or collections
            A label for each feature (None: alone), a mapping from feature names to labels, or collections of names or
            indices (then `features` or `n_features` says what there is; features in no collection are alone).
        threshold : float, default=0.9
            Similarity from which two features count as alike.
        features : sequence of str or None, default=None
            The names of all features.
        n_features : int or None, default=None
            How many features there are, where they have no names.

        Returns
        -------
        FeatureSimilarity
            The similarities.
        """
        store, names = group_store(groups, features, n_features)
        return cls._build(store, names, threshold)

    @classmethod
    def read(
        cls,
        path: str | Path,
        *,
        threshold: float = ALIKE,
        features: Sequence[str] | None = None,
        max_gb: float = MAX_GB,
    ) -> FeatureSimilarity:
        """Read csv, tsv or parquet: a square matrix with the names as header, or long feature,feature,similarity.

        In the long layout what is not listed is 0, and a row without a second feature declares the first.

        Parameters
        ----------
        path : str or Path
            The file.
        threshold : float, default=0.9
            Similarity from which two features count as alike.
        features : sequence of str or None, default=None
            All features, in this order; None takes those of the file.
        max_gb : float, default=8.0
            A file that would take more gigabytes of memory is refused.

        Returns
        -------
        FeatureSimilarity
            The similarities.
        """
        store, names = read_store(file_path(path), features, max_gb)
        return cls._build(store, names, threshold)

    # ---- what there is -----------------------------------------------------------------------------------------

    @cached_property
    def neighbours(self) -> Neighbours:
        """The graph of similar features, each feature itself left out: (indptr, indices, values) of sparse rows."""
        return self._store.neighbours(self.threshold)

    @with_one_arithmetic_thread
    def block(self, rows: npt.ArrayLike, columns: npt.ArrayLike) -> Floats:
        """The similarities c(f, g) of some features, whatever the threshold.

        Parameters
        ----------
        rows : array-like of int
            The features f, as 0-based indices.
        columns : array-like of int
            The features g.

        Returns
        -------
        array of float of shape (len(rows), len(columns))
            The similarities.
        """
        return self._store.block(self._places(rows), self._places(columns))

    @property
    def diagonal(self) -> Floats:
        """The similarities c(f, f): ones, unless `from_matrix` was told to keep another diagonal."""
        return self._store.diagonal

    def total(self) -> float:
        """The sum of c(f, g) over all ordered pairs f != g, whatever the threshold; computed in blocks, once.

        Returns
        -------
        float
            The sum.
        """
        return self._store.total

    def with_threshold(self, threshold: float) -> FeatureSimilarity:
        """The same similarities under another threshold.

        Parameters
        ----------
        threshold : float
            Similarity from which two features count as alike.

        Returns
        -------
        FeatureSimilarity
            The similarities; what was computed from the data is shared.
        """
        return self._build(self._store, self.features, threshold, self.notes)

    def check(self, selections: Selections) -> FeatureSimilarity:
        """The similarity itself, once it is clear that it speaks of the same features as the Selections.

        Parameters
        ----------
        selections : Selections
            The runs that it is used for.

        Returns
        -------
        FeatureSimilarity
            The similarity itself.

        Raises
        ------
        InputError
            Where it speaks of other features.
        """
        if not isinstance(selections, Selections):
            raise InputError(f"selections must be Selections (got {type(selections).__name__}).")
        self.check_features(selections.n_features, selections._entries.names, "the Selections")
        return self

    def check_features(
        self, n_features: int, names: tuple[str, ...] | None, what: str, *, called: str = "similarity"
    ) -> None:
        """Refuse to speak of other features than these.

        Parameters
        ----------
        n_features : int
            How many there are.
        names : tuple of str or None
            Their names; None where they are known by position alone.
        what : str
            What has these features, as a sentence calls it.
        called : str, default="similarity"
            What a sentence calls this similarity.

        Raises
        ------
        InputError
            Where the features differ.
        """
        if self.n_features != n_features:
            raise InputError(
                f"There are {self.n_features} features in {called} and {n_features} in {what}; expected the same."
            )
        check_same_order(self.features, names, called, what)

    def __repr__(self) -> str:
        return f"FeatureSimilarity({self.n_features} features, threshold {self.threshold:g})"

    def _display(self) -> Display:
        """What is shown: the most similar pairs, where they are known or quickly found."""
        summary = f"{self.n_features} features, similar from {self.threshold:g}"
        if "neighbours" not in self.__dict__ and self.n_features > MOST_COMPARED:
            later = "Pairs are compared when they are needed."
            return Display("FeatureSimilarity", summary, notes=[later, *self.notes[:3]])
        indptr, second, values = self.neighbours
        first = np.repeat(np.arange(self.n_features), np.diff(indptr))
        places = np.flatnonzero(first < second)  # each pair once
        most = places[np.argsort(-values[places], kind="stable")[:SHOWN_PAIRS]]
        rows = [
            (self._name(f), self._name(g), c, Bar(c))
            for f, g, c in zip(first[most].tolist(), second[most].tolist(), values[most].tolist(), strict=True)
        ]
        summary += f"; {counted(len(places), 'similar pair')}"
        left = len(places) - len(rows)
        more = counted(left, "more pair") if left else ""
        header = ("feature", "similar to", "similarity", "")
        return Display("FeatureSimilarity", summary, tables=[Table(header, rows, more=more)], notes=self.notes[:3])

    def _name(self, feature: int) -> str:
        return f"x{feature}" if self.features is None else self.features[feature]

    def __setattr__(self, name: str, value: Any) -> NoReturn:
        raise AttributeError("A FeatureSimilarity cannot be changed; with_threshold() gives another one.")

    def _places(self, positions: Any) -> Ints:
        given = np.atleast_1d(number_array(positions, "The list of features"))
        places = given.astype(np.int64)
        if (places != given).any():
            raise InputError(f"{given[places != given][0]} is not the index of a feature; expected whole numbers.")
        if places.size and not (places.min() >= 0 and places.max() < self.n_features):
            outside = places[(places < 0) | (places >= self.n_features)][0]
            raise InputError(f"The index {outside} is not a feature; expected indices from 0 to {self.n_features - 1}.")
        return places

    @classmethod
    def _build(
        cls, store: Store, names: tuple[str, ...] | None, threshold: float, notes: tuple[str, ...] = ()
    ) -> FeatureSimilarity:
        if not (isinstance(threshold, (int, float, np.integer, np.floating)) and 0 <= threshold <= 1):
            raise wrong_argument("threshold", "a number from 0 to 1", threshold)
        self = object.__new__(cls)
        self.__dict__.update(
            n_features=store.n_features, features=names, threshold=float(threshold), notes=notes, _store=store
        )
        return self
