"""Selections: what M runs of a selector chose among d named features. Everything later reads this one structure."""

from __future__ import annotations

import importlib
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, NoReturn, Protocol, TypeVar

import numpy as np
import numpy.typing as npt

from steadyset.foundation.arguments import Frame, Sparse, TableLike, check_choice, is_collection, wrong_argument
from steadyset.foundation.display import Bar, Display, Drawable, Figure, Shown, Table
from steadyset.foundation.errors import InputError, MissingExtraError
from steadyset.foundation.text import counted, listed, percent
from steadyset.io.disk import file_path
from steadyset.io.files import BYTES_A_CELL, File, enough_memory
from steadyset.io.inspection import Inspection
from steadyset.io.labels import text_frame
from steadyset.io.lists.entries import (
    Entries,
    are_lists_of_features,
    entries_of_rankings,
    entries_of_sets,
    is_ragged,
    reordered,
    row_pointers,
    with_rankings,
    with_ties,
    with_weights,
)
from steadyset.io.lists.wide import LAYOUTS, entries_of_matrix, entries_of_ranks, entries_of_weights, read_matrix
from steadyset.kernels.arrays import Floats, Ints

if TYPE_CHECKING:
    import pandas as pd
    from scipy import sparse
    from sklearn.feature_selection import RFECV

T = TypeVar("T", bound=np.generic)
SHOWN_FEATURES = 5  # by a notebook
MOST_COUNTED = 10_000_000  # features of which it counts the runs; an array of so many numbers takes 80 MB


class Selections(Shown, Drawable):
    """The sets that M runs selected out of d features, with weights or rankings where they are known.

    Immutable; rows are sparse, so the cost is that of what is selected. Build one with `from_sets`, `from_matrix`,
    `from_weights`, `from_rankings`, `from_long` or `read`, or from the results of other tools with `from_fitted`,
    `from_cross_validate`, `from_rfecv` or `from_importances`.

    Attributes
    ----------
    n_runs : int
        The number of runs, M.
    n_features : int
        The number of features, d, that there were to choose from.
    features : tuple of str
        The names of the features.
    labels : tuple of str or None
        What the runs are called.
    sizes : array of int
        How many features each run selected.
    counts : array of int
        How many runs selected each feature.
    frequencies : array of float
        The share of the runs that selected each feature.
    weights : array of float or None
        The weight of each selected feature, run after run.
    rankings : array of float or None
        The ranks of all features in every run, 1 = best.
    tied : array of int or None
        How many of its features each run prefers to others with the same score by the order of the columns alone.
    notes : tuple of str
        What was understood when the runs were read from a file, or by which rule fitted models selected.

    Examples
    --------
    >>> import steadyset as st
    >>> sel = st.Selections.from_sets([["a", "b"], ["b"]], features=["a", "b", "c"])
    >>> sel
    Selections(2 runs, 3 features, sizes 1 to 2)
    >>> sel.frequencies
    array([0.5, 1. , 0. ])
    """

    _entries: Entries  # its arrays cannot be written to

    def __init__(self, *_: Any, **__: Any) -> None:
        raise TypeError("Selections has no constructor of its own: use from_sets, from_matrix, from_weights or read.")

    # ---- constructors ------------------------------------------------------------------------------------------

    @classmethod
    def from_sets(
        cls,
        sets: Iterable[Iterable[Any]] | Mapping[str, Iterable[Any]],
        features: Sequence[str] | None = None,
        *,
        n_features: int | None = None,
        labels: Sequence[str] | None = None,
    ) -> Selections:
        """Runs as collections of selected features.

        When only `n_features` is given, names stand in the order of their first appearance, and the features that no
        run selected are called "unnamed 1", "unnamed 2", ... Such an order is that of no data: a similarity, weights or
        ranks without names are then refused.

        Parameters
        ----------
        sets : iterable of iterables, or Mapping
            One collection of feature names (text) or 0-based indices (integers) per run; keys of a mapping are labels.
        features : sequence of str or None, default=None
            The names of all features that could have been selected.
        n_features : int or None, default=None
            How many could have been selected, where their names are not known.
        labels : sequence of str or None, default=None
            What the runs are called.

        Returns
        -------
        Selections
            The runs, in the order given.

        Raises
        ------
        InputError
            Where neither `features` nor `n_features` says what there was to choose from, or a set names another
            feature.

        Examples
        --------
        >>> import steadyset as st
        >>> genes = {"Smith 2019": ["TP53", "KRAS"], "Jones 2021": ["TP53", "EGFR"]}
        >>> sel = st.Selections.from_sets(genes, n_features=20_000)
        >>> sel.labels, sel.sizes.tolist()
        (('Smith 2019', 'Jones 2021'), [2, 2])
        """
        return cls._of(entries_of_sets(sets, features, n_features, labels))

    @classmethod
    def from_matrix(
        cls,
        Z: TableLike,
        features: Sequence[str] | None = None,
        *,
        labels: Sequence[str] | None = None,
        transpose: bool | None = None,
    ) -> Selections:
        """Runs as a table of 0/1 or bool; 1 means selected.

        Parameters
        ----------
        Z : array-like, scipy sparse matrix, or pandas or polars frame of shape (n_runs, n_features)
            The table; a frame names the features by its columns.
        features : sequence of str or None, default=None
            The names of the features.
        labels : sequence of str or None, default=None
            What the runs are called.
        transpose : bool or None, default=None
            True says that the rows are features and the columns runs. A frame that looks so is refused unless False
            says that its rows are runs all the same.

        Returns
        -------
        Selections
            One run per row.

        Examples
        --------
        >>> import steadyset as st
        >>> st.Selections.from_matrix([[1, 0, 1], [1, 1, 0]], features=["age", "dose", "sex"]).counts
        array([2, 1, 1])
        """
        return cls._of(entries_of_matrix(read_matrix(Z, "Z", features, labels, transpose=transpose)))

    @classmethod
    def from_weights(
        cls, W: TableLike, features: Sequence[str] | None = None, *, labels: Sequence[str] | None = None
    ) -> Selections:
        """Runs as a table of weights or importances; selected means non-zero.

        Parameters
        ----------
        W : array-like, scipy sparse matrix, or pandas or polars frame of shape (n_runs, n_features)
            The weights, such as the coefficients of one model per row.
        features : sequence of str or None, default=None
            The names of the features.
        labels : sequence of str or None, default=None
            What the runs are called.

        Returns
        -------
        Selections
            One run per row, with weights.

        Examples
        --------
        >>> import steadyset as st
        >>> sel = st.Selections.from_weights([[0.7, 0.0, -0.2], [0.9, 0.0, 0.0]], features=["age", "dose", "sex"])
        >>> sel.sizes.tolist(), sel.weights.tolist()
        ([2, 1], [0.7, -0.2, 0.9])
        """
        return cls._of(entries_of_weights(read_matrix(W, "W", features, labels), "weights"))

    @classmethod
    def from_rankings(
        cls,
        R: TableLike,
        features: Sequence[str] | None = None,
        top: int | None = None,
        *,
        n_features: int | None = None,
        labels: Sequence[str] | None = None,
    ) -> Selections:
        """Runs as rankings of all features.

        Features that a list leaves out share the mean of the ranks that remain. Lists tell themselves apart from ranks
        by text, by the index 0, or by differing lengths.

        Parameters
        ----------
        R : array-like, frame, or list of lists
            A runs x features table of ranks (1 = best), or lists of features, best first.
        features : sequence of str or None, default=None
            The names of the features.
        top : int or None, default=None
            Selected are the features of rank at most `top`; None selects every feature.
        n_features : int or None, default=None
            How many features there are, for lists that name only some.
        labels : sequence of str or None, default=None
            What the runs are called.

        Returns
        -------
        Selections
            One run per row, with rankings.

        Examples
        --------
        >>> import steadyset as st
        >>> sel = st.Selections.from_rankings([[1, 2, 3], [1, 3, 2]], features=["age", "dose", "sex"], top=2)
        >>> sel.counts.tolist()
        [2, 1, 1]
        """
        if is_ragged(R):
            ranked = entries_of_rankings(R, features, n_features, labels)
            return cls._of(entries_of_ranks(ranked.rankings, ranked.names, ranked.labels, top))
        table = read_matrix(R, "R", features, labels)
        return cls._of(entries_of_ranks(table.dense(), table.names, table.labels, top))

    @classmethod
    def from_long(
        cls,
        table: Frame,
        features: Sequence[str] | None = None,
        *,
        n_features: int | None = None,
        labels: Sequence[str] | None = None,
    ) -> Selections:
        """Runs as a long frame: one row for each selected feature.

        A row without a feature declares a run (which may be empty), a row without a run declares a feature. The columns
        rank and selected carry rankings.

        Parameters
        ----------
        table : pandas or polars frame
            The columns run, feature and, where known, weight.
        features : sequence of str or None, default=None
            The names of all features that could have been selected.
        n_features : int or None, default=None
            How many could have been selected. When no row declares features, this or `features` must be given.
        labels : sequence of str or None, default=None
            What the runs are called, in their order.

        Returns
        -------
        Selections
            The runs in the order of their first row.

        Examples
        --------
        >>> import pandas as pd
        >>> import steadyset as st
        >>> table = pd.DataFrame({"run": ["a", "a", "b"], "feature": ["TP53", "KRAS", "TP53"]})
        >>> st.Selections.from_long(table, n_features=500)
        Selections(2 runs, 500 features, sizes 1 to 2)
        """
        from steadyset.io.lists.long import entries_of_long

        return cls._of(entries_of_long(table, features, n_features, labels))

    @classmethod
    def read(
        cls,
        path: str | Path | Inspection,
        features: Sequence[str] | None = None,
        *,
        n_features: int | None = None,
        layout: str | None = None,
        top: int | None = None,
        transpose: bool | None = None,
        header: bool | None = None,
        runs: str | None = None,
        sheet: str | int | None = None,
        max_gb: float = 8.0,
    ) -> Selections:
        r"""Read a file, or a folder of lists, in the layout that it has; `notes` say what was understood.

        Files are csv, tsv and other text (also gzipped), gmt, gmx, xlsx, ods, parquet, feather and json.

        Parameters
        ----------
        path : str, Path or Inspection
            The file, a folder of .txt files with one list each, or what `inspect` found in one of them.
        features : sequence of str or None, default=None
            The names of all features that could have been selected.
        n_features : int or None, default=None
            How many could have been selected; without this and `features` the names in the file are taken for all of
            them, which overstates chance.
        layout : str or None, default=None
            "wide" (runs x features of 0/1 or marks), "long" (one row per run and feature), "columns" or "rows" (one
            list each), "cells" (one list in each cell of a column), "blocks" (lists below headings or between blank
            lines), "gmt", "gmx", "ranks", "importances" or "p-values" (runs x features), or what R packages write:
            "caret", "glmnet", "mlr3fselect", "boruta". None recognises it, or refuses where two layouts fit.
        top : int or None, default=None
            How many are selected: the best by rank, by absolute importance, by p-value, or the first of each list; of
            caret's rfe the size of the subsets.
        transpose : bool or None, default=None
            Whether the rows of a runs x features table are features; None recognises it.
        header : bool or None, default=None
            Whether the first cell of each list is its label; None recognises it.
        runs : str or None, default=None
            The column of a long table that names the runs; None recognises it.
        sheet : str, int or None, default=None
            The sheet of a workbook, by name or by number from 1. None takes the only one, or all, if each holds one
            list.
        max_gb : float, default=8.0
            A file that would take more gigabytes of memory is refused.

        Returns
        -------
        Selections
            The runs, with the notes.

        Raises
        ------
        InputError
            Where the file cannot be understood without doubt; the message says what to give.

        Examples
        --------
        >>> import tempfile
        >>> from pathlib import Path
        >>> import steadyset as st
        >>> file = Path(tempfile.mkdtemp()) / "lists.csv"
        >>> lines = ["Smith,Jones,Lee", "TP53,BRCA1,TP53", "BRCA1,EGFR,KRAS", "EGFR,,MYC"]
        >>> _ = file.write_text("\n".join(lines))
        >>> sel = st.Selections.read(file, n_features=20_000)
        >>> sel.labels
        ('Smith', 'Jones', 'Lee')
        >>> print(*sel.notes)
        3 runs from 3 columns with a heading; 5 distinct names; universe: 20,000 features
        """
        from steadyset.io.lists.entries import ReadOptions
        from steadyset.io.lists.selection_files import read_selections

        asked = ReadOptions(features, n_features, layout, top, transpose, header, runs, sheet, max_gb)
        file = path.file if isinstance(path, Inspection) else File(file_path(path))
        return cls._of(read_selections(file, asked))

    @classmethod
    def from_fitted(
        cls,
        fitted: Sequence[object] | Mapping[str, object],
        features: Sequence[str] | None = None,
        *,
        top: int | None = None,
        threshold: float | str | None = None,
        importance: str = "gain",
        tentative: bool = False,
        labels: Sequence[str] | None = None,
    ) -> Selections:
        """Runs as fitted selectors, models or pipelines.

        Takes scikit-learn's selectors (SelectKBest, SelectFromModel, RFE, RFECV, ...), sparse linear models, searches
        such as GridSearchCV (their best estimator), Boruta, LightGBM and XGBoost (boosters, wrappers, and the result of
        lightgbm.cv(..., return_cvbooster=True)), and pipelines that end in these.

        Parameters
        ----------
        fitted : list or Mapping
            One fitted estimator per run, or a mapping from labels.
        features : sequence of str or None, default=None
            The names of all features, where the estimators were fitted without names.
        top : int or None, default=None
            How many of the largest coefficients or importances count as selected.
        threshold : float, str or None, default=None
            The value that selected coefficients or importances exceed: a number, or "mean" or "median" of the run.
            Without it and `top`, a model selects the coefficients that are not 0 or the importances above their mean.
        importance : str, default="gain"
            Of LightGBM and XGBoost models: "gain", the total gain of the splits, or "split", their number.
        tentative : bool, default=False
            Whether the features that Boruta calls tentative count as selected.
        labels : sequence of str or None, default=None
            What the runs are called.

        Returns
        -------
        Selections
            One run per estimator, with weights where the models have them.

        Examples
        --------
        >>> import steadyset as st
        >>> from sklearn.datasets import load_diabetes
        >>> from sklearn.linear_model import Lasso
        >>> X, y = load_diabetes(return_X_y=True, as_frame=True)
        >>> models = {f"half {half}": Lasso(alpha=0.5).fit(X[half::2], y[half::2]) for half in (0, 1)}
        >>> [sorted(chosen) for chosen in st.Selections.from_fitted(models).sets()]
        [['bmi', 'bp', 's3', 's4', 's5'], ['bmi', 'bp', 's5']]
        """
        return _other_tools("of_fitted")(fitted, features, top, threshold, importance, tentative, labels)

    @classmethod
    def from_cross_validate(
        cls,
        cv_results: Mapping[str, Any],
        features: Sequence[str] | None = None,
        *,
        top: int | None = None,
        threshold: float | str | None = None,
        importance: str = "gain",
        tentative: bool = False,
    ) -> Selections:
        """Runs as the estimators of scikit-learn's cross_validate(..., return_estimator=True).

        Parameters
        ----------
        cv_results : dict
            What cross_validate returns.
        features : sequence of str or None, default=None
            The names of all features; only needed where the estimators were fitted without names, or where the columns
            to choose from (such as encoded categories) differ between the folds.
        top : int or None, default=None
            How many of the largest coefficients or importances count as selected.
        threshold : float, str or None, default=None
            The value that selected coefficients or importances exceed: a number, or "mean" or "median" of the fold. It
            can be combined with `top`. Without both, a model selects the coefficients that are not 0 or the importances
            above their mean, as in `assess`; the notes of the Selections say which.
        importance : str, default="gain"
            Of LightGBM and XGBoost models: "gain", the total gain of the splits, or "split", their number.
        tentative : bool, default=False
            Whether the features that Boruta calls tentative count as selected.

        Returns
        -------
        Selections
            One run per fold, with weights where the models have them.

        Raises
        ------
        InputError
            Where the results hold no estimators, or one that does not tell what it selects.

        Examples
        --------
        >>> import steadyset as st
        >>> from sklearn.datasets import load_breast_cancer
        >>> from sklearn.feature_selection import SelectKBest
        >>> from sklearn.linear_model import LogisticRegression
        >>> from sklearn.model_selection import cross_validate
        >>> from sklearn.pipeline import make_pipeline
        >>> from sklearn.preprocessing import StandardScaler
        >>> X, y = load_breast_cancer(return_X_y=True, as_frame=True)
        >>> model = make_pipeline(StandardScaler(), SelectKBest(k=5), LogisticRegression())
        >>> st.Selections.from_cross_validate(cross_validate(model, X, y, return_estimator=True))
        Selections(5 runs, 30 features, size 5, weights)
        """
        return _other_tools("of_cross_validate")(cv_results, features, top, threshold, importance, tentative)

    @classmethod
    def from_rfecv(cls, rfecv: RFECV, features: Sequence[str] | None = None, *, top: int | None = None) -> Selections:
        """Runs as the folds of one RFECV: what it selected within each, with the ranks of all features.

        Parameters
        ----------
        rfecv : RFECV
            Fitted, of scikit-learn 1.7 or newer, which keeps the supports of its folds.
        features : sequence of str or None, default=None
            The names of all features, where it was fitted without names.
        top : int or None, default=None
            How many features each fold selects, one of the sizes that RFECV tried; None takes the one that it chose.

        Returns
        -------
        Selections
            One run per fold, with rankings.

        Examples
        --------
        >>> import steadyset as st
        >>> from sklearn.datasets import load_diabetes
        >>> from sklearn.feature_selection import RFECV
        >>> from sklearn.linear_model import LinearRegression
        >>> X, y = load_diabetes(return_X_y=True, as_frame=True)
        >>> st.Selections.from_rfecv(RFECV(LinearRegression()).fit(X, y), top=4)  # doctest: +SKIP
        Selections(5 runs, 10 features, size 4, rankings)
        """
        return _other_tools("of_rfecv")(rfecv, features, top)

    @classmethod
    def from_importances(
        cls,
        importances: TableLike | Sequence[object] | Mapping[str, object],
        features: Sequence[str] | None = None,
        *,
        top: int | None = None,
        threshold: float | str | None = None,
        by: str | None = None,
        labels: Sequence[str] | None = None,
    ) -> Selections:
        """Runs as importances that were computed on several folds, with the ranks of all features.

        Parameters
        ----------
        importances : array-like, frame, list or Mapping
            A folds x features array or frame; or a list (or dict of label to fold) with, for each fold, a vector, a
            dict by feature, what permutation_importance returns, an array of SHAP values (samples x features, or
            samples x features x classes, or a list with one such array per class), or a shap.Explanation. SHAP values
            count by their mean absolute value.
        features : sequence of str or None, default=None
            The names of all features, where the importances do not have them.
        top : int or None, default=None
            How many of the largest importances count as selected; an importance of 0 never does.
        threshold : float, str or None, default=None
            The value that selected importances exceed: a number, or the "mean" or "median" of the fold.
        by : str or None, default=None
            Whether negative numbers count by their "magnitude", as coefficients do, or by their "value", as those of
            permutation importance, which are noise. Has to be said where a plain array holds negative numbers.
        labels : sequence of str or None, default=None
            What the folds are called.

        Returns
        -------
        Selections
            One run per fold, with weights and rankings.

        Examples
        --------
        >>> import steadyset as st
        >>> gains = [[3.0, 1.0, 0.0], [2.0, 0.5, 0.7]]
        >>> sel = st.Selections.from_importances(gains, features=["age", "dose", "sex"], top=2)
        >>> sel.sets() == [{"age", "dose"}, {"age", "sex"}]
        True
        """
        return _other_tools("of_importances")(importances, features, top, threshold, by, labels)

    def write(self, path: str | Path, *, layout: str | None = None, spreadsheet_safe: bool = False) -> None:
        """Write csv, tsv, parquet or json; `read` gives back equal Selections.

        The file is written beside its place and renamed, so a failure leaves what was there before.

        Parameters
        ----------
        path : str or Path
            The file; its ending says the format.
        layout : str or None, default=None
            "wide" (0/1, runs x features) or "long"; None is wide for small tables without weights, else long.
        spreadsheet_safe : bool, default=False
            Whether an apostrophe is put before names in csv and tsv that a spreadsheet would run as a formula (= + -
            @). `read` then gives the names with it. Without it a warning says so.
        """
        from steadyset.io.lists.selection_files import write_selections

        write_selections(self._entries, file_path(path), layout=layout, safe=spreadsheet_safe)

    # ---- what there is -----------------------------------------------------------------------------------------

    @property
    def n_runs(self) -> int:
        """The number of runs, M."""
        return len(self._entries.indptr) - 1

    @property
    def n_features(self) -> int:
        """The number of features there were to choose from, d."""
        return self._entries.n_features

    @cached_property
    def features(self) -> tuple[str, ...]:
        """The names of the features: the given ones, else x0, x1, ..."""
        return self._entries.features

    @property
    def labels(self) -> tuple[str, ...] | None:
        """What the runs are called, or None."""
        return self._entries.labels

    @cached_property
    def sizes(self) -> Ints:
        """How many features each run selected, k_i."""
        return _frozen(np.diff(self.indptr))

    @cached_property
    def counts(self) -> Ints:
        """How many runs selected each feature, h_f."""
        with enough_memory(self.n_features, BYTES_A_CELL, "the counts"):
            return _frozen(np.bincount(self.indices, minlength=self.n_features).astype(np.int64, copy=False))

    @cached_property
    def frequencies(self) -> Floats:
        """The share of the runs that selected each feature, p_f = h_f / M."""
        return _frozen(self.counts / self.n_runs)

    @property
    def indptr(self) -> Ints:
        """Where each run starts in `indices` (the row pointers of a sparse matrix)."""
        return self._entries.indptr

    @property
    def indices(self) -> Ints:
        """The 0-based indices of the selected features, run after run, ascending within a run."""
        return self._entries.indices

    @property
    def weights(self) -> Floats | None:
        """The weight of each entry of `indices`, or None where only the sets are known."""
        return self._entries.weights

    @property
    def weights_from(self) -> str:
        """What the weights are, in words, or why there are none; "" where that is not known."""
        return self._entries.weights_from

    @property
    def rankings(self) -> Floats | None:
        """The runs x features ranks (1 = best), or None."""
        return self._entries.rankings

    @property
    def tied(self) -> Ints | None:
        """How many of its features each run prefers to others by the order of the columns alone; None: not known."""
        return self._entries.tied

    @property
    def tied_share(self) -> float | None:
        """The share of all selected features that the order of the columns alone decided; None: not known."""
        return None if self._entries.tied is None else float(self._entries.tied.sum() / max(1, len(self.indices)))

    @property
    def notes(self) -> tuple[str, ...]:
        """What was understood when the runs were read from a file, in words; empty where there is nothing to say."""
        return self._entries.notes

    def selected(self, run: int) -> Ints:
        """What one run selected.

        Parameters
        ----------
        run : int
            The run, from 0.

        Returns
        -------
        array of int
            The 0-based indices of its features, ascending.
        """
        if not isinstance(run, (int, np.integer)) or not -self.n_runs <= run < self.n_runs:
            raise wrong_argument("run", f"a number from 0 to {self.n_runs - 1}", run)
        i = run % self.n_runs
        return self.indices[self.indptr[i] : self.indptr[i + 1]]

    def sets(self) -> list[frozenset[str]]:
        """The selected names.

        Returns
        -------
        list of frozenset
            One set per run.
        """
        return [frozenset(self.features[f] for f in self.selected(i)) for i in range(self.n_runs)]

    def intersections(self) -> Ints:
        """How many features each pair of runs shares.

        Returns
        -------
        array of int of shape (n_runs, n_runs)
            The sizes of the intersections, with the sizes of the sets on the diagonal.
        """
        from steadyset.kernels.overlap.intersections import intersection_matrix

        return intersection_matrix(self.indptr, self.indices, self.n_features)

    def take(self, runs: npt.ArrayLike | slice) -> Selections:
        """The Selections of some of the runs.

        Parameters
        ----------
        runs : array-like of int or bool
            Indices in the order wanted, or a mask.

        Returns
        -------
        Selections
            These runs over the same features.
        """
        given: Any = list(runs) if isinstance(runs, tuple) else runs
        try:
            chosen = np.atleast_1d(np.arange(self.n_runs)[given])
        except (IndexError, TypeError, ValueError):
            chosen = np.empty((0, 0), dtype=np.int64)
        if chosen.ndim != 1:
            raise wrong_argument("runs", f"run numbers from 0 to {self.n_runs - 1}, or one bool per run", runs)
        if chosen.size == 0:
            raise InputError("runs chooses none of the runs; expected at least one.")
        entries = np.concatenate([np.arange(self.indptr[i], self.indptr[i + 1]) for i in chosen])
        labels = None if self.labels is None or len(set(chosen)) < len(chosen) else self.labels
        kept = Entries(
            row_pointers(self.sizes[chosen]),
            self.indices[entries],
            None if self.weights is None else self.weights[entries],
            self.n_features,
            self._entries.names,
            None if labels is None else tuple(labels[i] for i in chosen),
            None if self.rankings is None else self.rankings[chosen],
            tied=None if self.tied is None else self.tied[chosen],
            weights_from=self.weights_from,
        )
        return self._of(kept)

    def with_weights(
        self, rows: Sequence[Sequence[float] | Mapping[str, float]] | None, *, source: str = ""
    ) -> Selections:
        """The same sets with a weight for each selected feature.

        Parameters
        ----------
        rows : sequence or None
            One collection per run: a mapping from feature names, or a list in the order of `selected(run)`, ascending
            in the order of the features. None leaves the sets alone.
        source : str, default=""
            What the weights are, or why there are none, for the notes of measures; files do not keep it.

        Returns
        -------
        Selections
            The same runs, with weights.
        """
        return self._of(with_weights(self._entries, rows, source))

    def with_rankings(self, R: TableLike) -> Selections:
        """The same sets with the ranks of all features.

        Parameters
        ----------
        R : array-like or frame of shape (n_runs, n_features)
            The ranks, 1 = best.

        Returns
        -------
        Selections
            The same runs, with rankings.
        """
        return self._of(with_rankings(self._entries, R))

    def with_ties(self, tied: npt.ArrayLike) -> Selections:
        """The same sets, which know how many of their features the order of the columns decided.

        Such features have the score of one that was not selected. Where they are a tenth or more of all that was
        selected, no verdict calls the selections steady.

        Parameters
        ----------
        tied : array-like of int of shape (n_runs,)
            How many of the features of each run; 0 where scores alone decided.

        Returns
        -------
        Selections
            The same runs, with ties. Files keep them as json.
        """
        return self._of(with_ties(self._entries, tied))

    def reordered(self, features: Sequence[str], what: str = "Selections") -> Selections:
        """The same runs with their features in another order.

        Where names are those that the runs happened to use, the features that no run selected take the names that are
        left.

        Parameters
        ----------
        features : sequence of str
            The order: the same names, or these and more.
        what : str, default="Selections"
            What a sentence about an error calls these Selections.

        Returns
        -------
        Selections
            The runs over these features.
        """
        return self._of(reordered(self._entries, features, what))

    def to_matrix(self, *, weights: bool = False) -> sparse.csr_array:
        """The runs x features scipy sparse array.

        Parameters
        ----------
        weights : bool, default=False
            Whether the entries are the weights instead of 0/1.

        Returns
        -------
        scipy.sparse.csr_array
            One row per run.
        """
        from scipy import sparse

        values: npt.NDArray[Any] | None = self.weights if weights else np.ones(len(self.indices), dtype=np.int8)
        if values is None:
            raise InputError("These Selections hold no weights; weights=True needs those of Selections.from_weights.")
        return sparse.csr_array((values, self.indices, self.indptr), shape=(self.n_runs, self.n_features))

    def to_frame(self, *, layout: str = "wide", backend: str = "pandas") -> pd.DataFrame | Any:
        """A frame of the runs.

        Parameters
        ----------
        layout : str, default="wide"
            "wide" is runs x features of 0/1 or weights, "long" is run, feature and, where known, weight.
        backend : str, default="pandas"
            "pandas" or "polars".

        Returns
        -------
        pandas.DataFrame or polars.DataFrame
            The frame.
        """
        from steadyset.io.lists.long import long_columns
        from steadyset.io.lists.wide import wide_columns

        check_choice("layout", layout, LAYOUTS)
        columns = wide_columns(self._entries) if layout == "wide" else long_columns(self._entries)
        if backend == "pandas":
            return text_frame(columns)
        if backend == "polars":
            try:
                import polars as pl
            except ImportError:
                raise MissingExtraError('backend="polars" needs polars: pip install "steadyset[polars]".') from None
            try:
                return pl.DataFrame(columns)
            except UnicodeEncodeError as error:
                raise InputError(
                    f"polars cannot hold {error.object!r}, which has half of a character; rename it, or take pandas."
                ) from None
        raise wrong_argument("backend", '"pandas" or "polars"', backend)

    def __len__(self) -> int:
        return self.n_runs

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Selections):
            return NotImplemented
        return (
            self.n_features == other.n_features
            and (self._entries.names is other._entries.names or self.features == other.features)
            and self.labels == other.labels
            and np.array_equal(self.indptr, other.indptr)
            and np.array_equal(self.indices, other.indices)
            and _same(self.weights, other.weights)
            and _same(self.rankings, other.rankings)
        )

    def __hash__(self) -> int:
        return hash((self.n_features, self.labels, self.indptr.tobytes(), self.indices.tobytes()))

    def __repr__(self) -> str:
        return f"Selections({self._summary()})"

    def _summary(self) -> str:
        low, high = int(self.sizes.min()), int(self.sizes.max())
        sizes = f"size {low}" if low == high else f"sizes {low} to {high}"
        extra = "".join(
            f", {word}" for word, x in [("weights", self.weights), ("rankings", self.rankings)] if x is not None
        )
        return f"{self.n_runs} runs, {self.n_features} features, {sizes}{extra}"

    def _display(self) -> Display:
        """What is shown: the features that most runs select."""
        chosen, counts = used_features(self)
        first = np.argsort(-counts, kind="stable")[:SHOWN_FEATURES]
        names = [f"x{f}" if self._entries.names is None else self._entries.names[f] for f in chosen[first]]
        rows = [
            (name, n, Figure(percent(n / self.n_runs)), Bar(n / self.n_runs))
            for name, n in zip(names, (int(n) for n in counts[first]), strict=True)
        ]
        left, never = len(chosen) - len(rows), self.n_features - len(chosen)
        rest = [f"{counted(left, 'more feature')} selected"] * (left > 0) + [f"{never} never selected"] * (never > 0)
        more = ", ".join(rest)
        header = ("feature", "runs", "share", "")
        return Display("Selections", self._summary(), tables=[Table(header, rows, more=more)], notes=self.notes[:3])

    def __setattr__(self, name: str, value: Any) -> NoReturn:
        raise AttributeError("Selections cannot be changed; build new ones, or take() some of the runs.")

    def __delattr__(self, name: str) -> NoReturn:
        self.__setattr__(name, None)

    def __reduce__(self) -> tuple[Any, ...]:
        return Selections._of, (self._entries,)

    # ---- building ----------------------------------------------------------------------------------------------

    @classmethod
    def _of(cls, entries: Entries) -> Selections:
        self = object.__new__(cls)
        arrays = {name: getattr(entries, name) for name in ("indptr", "indices", "weights", "rankings", "tied")}
        frozen: dict[str, Any] = {name: _frozen(array) for name, array in arrays.items() if array is not None}
        self.__dict__["_entries"] = entries._replace(**frozen)
        return self


def used_features(selections: Selections) -> tuple[Ints, Ints]:
    """The features that some run selected, and how many runs did; of very many, without an array over all of them."""
    if selections.n_features > MOST_COUNTED:
        return np.unique(selections.indices, return_counts=True)
    used = np.flatnonzero(selections.counts)
    return used, selections.counts[used]


def _other_tools(function: str) -> Callable[..., Selections]:
    """What reads the results of other tools: it knows fitted estimators, which lie above, so it is found by name."""
    found: Callable[..., Selections] = getattr(importlib.import_module("steadyset.from_tools"), function)
    return found


class HasSelections(Protocol):
    """A result with the runs of each procedure by its name, such as an Assessment."""

    @property
    def selections(self) -> Mapping[str, Selections]:
        """The runs of each procedure."""


RunsLike = Selections | HasSelections | npt.ArrayLike | Sparse | Frame  # what as_selections takes


def runs_by_procedure(result: Any) -> Mapping[str, Selections] | None:
    """The runs of each procedure of a result such as an Assessment; None of what is no such result."""
    found = None if isinstance(result, Selections | Mapping) else getattr(result, "selections", None)
    return found if isinstance(found, Mapping) else None


def as_selections(selections: Any) -> Selections:
    """Selections as they are, those of an Assessment of one selector, or whatever `Selections.from_matrix` takes."""
    if isinstance(selections, Selections):
        return selections
    several = runs_by_procedure(selections)
    if several is not None:
        return _only_one(several, type(selections).__name__)
    if not is_collection(selections) and not hasattr(selections, "shape"):
        raise wrong_argument("selections", "Selections, or an array or a table with one row per run", selections)
    if are_lists_of_features(selections):
        raise InputError(
            "Lists of features do not say what there was to choose from; make them Selections with "
            "Selections.from_sets(lists, features=...) or n_features=..., one list per run."
        )
    return Selections.from_matrix(selections)


def _only_one(several: Mapping[str, Selections], kind: str) -> Selections:
    if not several:
        raise InputError(f"The {kind} holds no selections: every run failed.")
    if len(several) > 1:
        raise InputError(
            f"The {kind} holds the runs of {len(several)} selectors ({listed(list(several), 5)}); give those of one, "
            f"such as its selections[{next(iter(several))!r}]."
        )
    return next(iter(several.values()))


def _frozen(array: npt.NDArray[T]) -> npt.NDArray[T]:
    view = array.view()
    view.setflags(write=False)
    return view


def _same(a: npt.NDArray[Any] | None, b: npt.NDArray[Any] | None) -> bool:
    return np.array_equal(a, b) if a is not None and b is not None else a is b
