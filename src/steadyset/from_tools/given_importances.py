"""From importances, one row or one array per fold, to Selections: SHAP values, permutation importance, gains."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.stats import rankdata

from steadyset.foundation.arguments import TableLike, check_choice, is_collection, is_number, wrong_argument
from steadyset.foundation.errors import Argument, InputError
from steadyset.from_tools.fitted import Outcome, Universe, checked_features, collected, runs_called
from steadyset.io.labels import describe_feature
from steadyset.io.lists.wide import wide_array
from steadyset.io.numbers import is_frame, numbers
from steadyset.kernels.arrays import Floats
from steadyset.runner.plan import Cut, check_top, say_how_many, warn_of_ties
from steadyset.selections import Selections

BY = ("value", "magnitude")


def from_importances(
    importances: TableLike | Sequence[object] | Mapping[str, object],
    features: Sequence[str] | None = None,
    *,
    top: int | None = None,
    threshold: float | str | None = None,
    by: str | None = None,
    labels: Sequence[str] | None = None,
) -> Selections:
    """The Selections of importances that were computed on several folds, with the ranks of all features.

    Parameters
    ----------
    importances : array-like, frame, list or Mapping
        A folds x features array or frame; or a list (or dict of label to fold) with, for each fold, a vector, a dict by
        feature, what permutation_importance returns, an array of SHAP values (samples x features, or samples x features
        x classes, or a list with one such array per class), or a shap.Explanation. SHAP values count by their mean
        absolute value.
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
    >>> st.from_importances(gains, features=["age", "dose", "sex"], top=2).sets() == [{"age", "dose"}, {"age", "sex"}]
    True
    """
    check_choice("by", by, BY, or_none=True)
    cut = Cut(top, threshold)
    folds, told = _folds(importances)
    labels = told if labels is None else labels
    called, names = runs_called(labels, len(folds)), checked_features(features)
    rows = [_fold(fold, label) for fold, label in zip(folds, called, strict=True)]
    if not cut.asked:
        raise say_how_many(f"importances has a number for every feature of {called[0]}")
    for row, label in zip(rows, called, strict=True):
        _check(row, label, by)
        check_top(cut, len(row.values))
    deciding = [row.values if (by or row.by) == "value" else np.abs(row.values) for row in rows]
    warn_of_ties(cut, deciding, depth=1)
    outcomes = [_outcome(row, decides, cut) for row, decides in zip(rows, deciding, strict=True)]
    return collected(outcomes, labels, names)


@dataclass(frozen=True)
class _Fold:
    """The importances of one fold, how they count, and the names of its features where it has them."""

    values: Floats
    by: str | None = None
    names: tuple[str, ...] | None = None


def _outcome(fold: _Fold, deciding: Floats, cut: Cut) -> Outcome:
    kept = cut.kept(deciding)
    universe = Universe(len(fold.values), fold.names)
    return Outcome(universe, kept, fold.values[kept], rankdata(-deciding))


def _folds(importances: Any) -> tuple[list[Any], list[str] | None]:
    """One thing per fold, and the labels of the folds where they have some."""
    if _is_one_fold(importances):
        raise InputError(
            f"importances is one {type(importances).__name__}, which is one fold; give a list with one per fold."
        )
    if isinstance(importances, Mapping):
        if all(map(is_number, importances.values())):
            raise InputError("importances is a single number for each feature, which is one fold; give a list of them.")
        return list(importances.values()), [str(label) for label in importances]
    if is_frame(importances):
        table = wide_array(importances, "importances", None, None)
        names, labels = _names(table.features or ()), table.labels
        rows = [_Fold(row, None, names) for row in numbers(table.array, "importances")]
        return rows, None if labels is None else list(map(str, labels))
    if isinstance(importances, np.ndarray) and importances.ndim != 2:
        raise InputError(
            f"importances has {importances.ndim} dimension(s); expected folds x features, or a list with one array of "
            "SHAP values per fold."
        )
    if not is_collection(importances) or hasattr(importances, "tocsr"):
        raise wrong_argument("importances", "a folds x features array, or a list with one array per fold", importances)
    folds = list(importances)
    if not folds:
        raise InputError("importances is empty; at least one fold is needed.")
    if not any(map(is_collection, folds)) and not any(map(_is_one_fold, folds)):
        raise InputError("importances holds single numbers; expected one vector of them per fold.")
    return folds, None


def _is_one_fold(given: Any) -> bool:
    return hasattr(given, "importances_mean") or _is_explanation(given)


def _is_explanation(given: Any) -> bool:
    """A shap.Explanation, or something like it."""
    return hasattr(given, "values") and hasattr(given, "base_values") and not isinstance(given, Mapping)


def _fold(given: Any, label: str) -> _Fold:
    """The importances of one fold, whatever tool computed them."""
    what = f"importances of {label}"
    if isinstance(given, _Fold):
        return given
    if hasattr(given, "importances_mean"):  # what permutation_importance returns
        return _Fold(numbers(given.importances_mean, what), "value")
    if _is_explanation(given):
        return _of_explanation(given, label)
    if isinstance(given, Mapping):
        return _Fold(numbers(list(given.values()), what), None, _names(given))
    if hasattr(given, "index") and hasattr(given, "to_numpy") and getattr(given, "ndim", 0) == 1:  # a pandas Series
        named = getattr(given.index, "dtype", None) is not None and given.index.dtype.kind not in "iu"
        return _Fold(numbers(given.to_numpy(), what), None, _names(given.index) if named else None)
    if is_frame(given):
        table = wide_array(given, what, None, None)
        return _Fold(_mean_size(numbers(table.array, what), label), "magnitude", _names(table.features or ()))
    if isinstance(given, (list, tuple)) and given and all(np.ndim(part) == 2 for part in given):  # one per class
        sizes = [_mean_size(numbers(part, what), label) for part in given]
        return _Fold(numbers(sizes, what).mean(axis=0), "magnitude")
    values = numbers(given, what)
    return _Fold(values) if values.ndim == 1 else _Fold(_mean_size(values, label), "magnitude")


def _of_explanation(given: Any, label: str) -> _Fold:
    told = getattr(given, "feature_names", None)
    names = None if told is None else _names(told)
    values = numbers(given.values, f"importances of {label}")
    if values.ndim == 1:  # averaged already, as by explanation.abs.mean(0)
        return _Fold(values, None, names)
    return _Fold(_mean_size(values, label), "magnitude", names)


def _names(names: Any) -> tuple[str, ...]:
    return tuple(str(name) for name in names)


def _mean_size(values: Floats, label: str) -> Floats:
    """Mean absolute SHAP value of each feature, over the samples and, where there are several, the classes."""
    if values.ndim not in (2, 3) or 0 in values.shape:
        raise InputError(
            f"importances of {label} has the shape {values.shape}; expected samples x features, or samples x features "
            "x classes."
        )
    sizes = np.abs(values)
    return np.asarray(sizes.mean(axis=0) if values.ndim == 2 else sizes.mean(axis=(0, 2)))


def _check(fold: _Fold, label: str, by: str | None) -> None:
    """Refuse what is not finite, and negative numbers of which nobody says what they mean."""
    bad = np.flatnonzero(~np.isfinite(fold.values))
    if fold.values.size == 0:
        raise InputError(f"importances of {label} is empty; expected one number per feature.")
    if bad.size:
        which = describe_feature(int(bad[0]), fold.names)
        raise InputError(
            f"importances holds {fold.values[bad[0]]} for {label}, {which}; compute it again, or set it to 0 where "
            "the feature was not used."
        )
    low = int(fold.values.argmin())
    if fold.values[low] < 0 and fold.by is None and by is None:
        which = describe_feature(low, fold.names)
        raise InputError(
            f"importances holds {fold.values[low]:g} for {label}, {which}; say what negative numbers mean: ",
            Argument("by", "magnitude"),
            " for coefficients, ",
            Argument("by", "value"),
            " for permutation importance, where they are noise. SHAP values of one fold (samples x features) go into a "
            "list with one such array per fold.",
        )
