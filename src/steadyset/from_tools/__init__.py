"""What other tools have fitted or computed, one model or array per fold, as Selections; no tool is imported for it.

The constructors of Selections (`from_fitted`, `from_cross_validate`, `from_rfecv`, `from_importances`) call what is
here. Every tool gives one `Outcome` per run, and `_collected` brings these to one universe.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.stats import rankdata

from steadyset.foundation.arguments import check_choice, check_flag, is_collection, is_number, is_whole, wrong_argument
from steadyset.foundation.errors import Argument, InputError, UninformativeWarning, after, warn_caller
from steadyset.io.labels import describe_feature, feature_names, run_labels, some_names
from steadyset.io.lists.wide import wide_table
from steadyset.io.numbers import is_frame, numbers
from steadyset.kernels.arrays import Floats, Ints
from steadyset.runner.columns import own_names
from steadyset.runner.extraction import IMPORTANCES, Reading, boosters_of, every_part, is_boosted
from steadyset.runner.plan import Cut, check_top, say_how_many, warn_of_ties
from steadyset.selections import Selections

BY = ("value", "magnitude")
Labels = Sequence[str] | None


@dataclass(frozen=True)
class Outcome:
    """What one run chose among its columns, ascending; `names` is None where the tool only knows how many there were.

    `weights` has one for each that was chosen, `ranks` one for every column (1 = best), where they are known.
    """

    n_features: int
    names: tuple[str, ...] | None
    chosen: Ints
    weights: Floats | None = None
    ranks: Floats | None = None


def of_fitted(
    fitted: Any, features: Any, top: Any, threshold: Any, importance: str, tentative: bool, labels: Labels
) -> Selections:
    """See Selections.from_fitted."""
    folds = boosters_of(fitted)
    if folds is None and isinstance(fitted, Mapping):
        if "estimator" in fitted and "fit_time" in fitted:
            return of_cross_validate(fitted, features, top, threshold, importance, tentative)
        labels, folds = (list(map(str, fitted)) if labels is None else labels), list(fitted.values())
    if folds is None:
        if hasattr(fitted, "fit") or is_boosted(fitted):
            kept = " (Selections.from_rfecv takes the folds of one RFECV)" if hasattr(fitted, "cv_results_") else ""
            one = f"fitted is one {type(fitted).__name__}, one run"
            raise InputError(f"{one}; give a list of fitted estimators{kept}.")
        if not is_collection(fitted):
            raise wrong_argument("fitted", "a list or dict of fitted estimators", fitted)
        folds = list(fitted)
    if not folds:
        raise InputError("fitted is empty; at least one fitted estimator is needed.")
    return _of_estimators(folds, labels, features, Cut(top, threshold), importance, tentative)


def of_cross_validate(
    cv_results: Any, features: Any, top: Any, threshold: Any, importance: str, tentative: bool
) -> Selections:
    """See Selections.from_cross_validate."""
    if not isinstance(cv_results, Mapping):
        raise wrong_argument("cv_results", "what cross_validate(..., return_estimator=True) returns", cv_results)
    if "estimator" not in cv_results:
        raise InputError(
            "cv_results holds no fitted estimators; call cross_validate(..., return_estimator=True) for them."
        )
    folds = cv_results["estimator"]
    if not is_collection(folds) or not len(folds):
        raise InputError("cv_results holds no fitted estimators; expected one per fold under the key 'estimator'.")
    return _of_estimators(list(folds), _folds_called(len(folds)), features, Cut(top, threshold), importance, tentative)


def of_rfecv(rfecv: Any, features: Any, top: int | None) -> Selections:
    """See Selections.from_rfecv."""
    results = getattr(rfecv, "cv_results_", None)
    if not isinstance(results, Mapping) or "n_features" not in results:
        raise wrong_argument("rfecv", "a fitted RFECV of scikit-learn", rfecv)
    if "split0_support" not in results:
        raise InputError(
            "This RFECV does not keep the supports of its folds, as scikit-learn 1.7 and newer do; use "
            "cross_validate(rfecv, X, y, return_estimator=True) and Selections.from_cross_validate."
        )
    sizes = [int(size) for size in results["n_features"]]
    size = rfecv.n_features_ if top is None else top
    if not is_whole(size) or size not in sizes:
        raise wrong_argument("top", f"one of {', '.join(map(str, sizes))}", top)
    own, given, row = own_names(rfecv), _checked(features), sizes.index(size)
    names = None if own is None else tuple(own)
    outcomes: list[Outcome] = []
    while f"split{len(outcomes)}_support" in results:
        fold = f"split{len(outcomes)}"
        chosen = np.flatnonzero(results[f"{fold}_support"][row])
        ranks = numbers(results[f"{fold}_ranking"][row], "ranking")
        outcomes.append(Outcome(int(rfecv.n_features_in_), names, chosen, ranks=ranks))
    return _collected(outcomes, _folds_called(len(outcomes)), given)


def of_importances(importances: Any, features: Any, top: Any, threshold: Any, by: Any, labels: Labels) -> Selections:
    """See Selections.from_importances."""
    check_choice("by", by, BY, or_none=True)
    cut = Cut(top, threshold)
    folds, told = _folds(importances)
    labels = told if labels is None else labels
    called, names = _runs_called(labels, len(folds)), _checked(features)
    rows = [_fold(fold, label) for fold, label in zip(folds, called, strict=True)]
    if not cut.asked:
        raise say_how_many(f"importances has a number for every feature of {called[0]}")
    for row, label in zip(rows, called, strict=True):
        _check(row, label, by)
        check_top(cut, len(row.values))
    deciding = [row.values if (by or row.by) == "value" else np.abs(row.values) for row in rows]
    warn_of_ties(cut, deciding)
    outcomes = []
    for row, decides in zip(rows, deciding, strict=True):
        kept = cut.kept(decides)
        outcomes.append(Outcome(len(row.values), row.names, kept, row.values[kept], rankdata(-decides)))
    return _collected(outcomes, labels, names)


def _of_estimators(
    fitted: Sequence[Any], labels: Labels, features: Any, cut: Cut, importance: str, tentative: bool
) -> Selections:
    check_choice("importance", importance, IMPORTANCES)
    check_flag("tentative", tentative)
    names, called = _checked(features), _runs_called(labels, len(fitted))
    reading, found = Reading(cut, importance, tentative), []
    for estimator, label in zip(fitted, called, strict=True):
        with after(f"{label}: "):
            found.append(reading.found(estimator, names))
    _refuse_shared(fitted, called)
    warn_of_ties(cut, [each.deciding for each in found if each.deciding is not None])
    if not cut.asked and not any(each.leaves_out for each in found):
        warn_caller(
            f"{found[0].who} leaves out no feature in any run, so there is no selection to compare; say which count as "
            'selected: top=10 for the 10 largest, or threshold="mean" for those above the mean.',
            UninformativeWarning,
        )
    outcomes = []
    for each in found:
        own = each.columns
        told = own.names if own.named else None
        outcomes.append(Outcome(len(own.names), told, each.chosen.features, each.signed_weights, each.ranks))
    named_by_caller = names is not None and all(each.entered == names for each in found)
    rules = sorted({each.chosen.rule for each in found} - {""})
    return _collected(outcomes, labels, None if named_by_caller else names, [f"selected: {rule}" for rule in rules])


def _checked(features: Any) -> tuple[str, ...] | None:
    """The names of features that a caller gives."""
    return None if features is None else feature_names(features, None, what="features")[0]


def _runs_called(labels: Labels, n_runs: int) -> list[str]:
    """What sentences call the runs: their labels, else their numbers."""
    checked = run_labels(labels, n_runs)
    return [f"run {i + 1}" for i in range(n_runs)] if checked is None else list(checked)


def _folds_called(n_runs: int) -> list[str]:
    """The labels of the folds of a cross-validation."""
    return [f"fold {i + 1}" for i in range(n_runs)]


def _collected(
    outcomes: Sequence[Outcome], labels: Labels, features: tuple[str, ...] | None, notes: Sequence[str] = ()
) -> Selections:
    """The Selections of all runs; `features` are all names that there were to choose from, or new names by position."""
    called = _runs_called(labels, len(outcomes))
    # All runs have one universe where nobody gives it; their names may stand in any order.
    for other, label in zip(outcomes, called, strict=True) if features is None else ():
        if difference := _difference(outcomes[0], other, called[0], label):
            told = f"{difference}; give all names that there were to choose from as "
            raise InputError(told, Argument("features"), ".")
    names = outcomes[0].names if features is None else features
    d = outcomes[0].n_features if names is None else len(names)
    places = [_places(outcome, d, names, label) for outcome, label in zip(outcomes, called, strict=True)]
    rows = [place[outcome.chosen] for place, outcome in zip(places, outcomes, strict=True)]
    selections = Selections.from_sets(rows, features=names, n_features=d, labels=labels)
    weights = [outcome.weights for outcome in outcomes]
    if all(weight is not None for weight in weights):
        ascending = [np.argsort(row, kind="stable") for row in rows]
        by_run = [np.asarray(weight)[order].tolist() for weight, order in zip(weights, ascending, strict=True)]
        selections = selections.with_weights(by_run)
    ranks = _ranks(outcomes, places, d)
    whole = selections if ranks is None else selections.with_rankings(ranks)
    return Selections._of(whole._entries._replace(notes=tuple(notes)))


def _difference(first: Outcome, other: Outcome, label: str, other_label: str) -> str:
    """How the universes of two runs differ, in words; "" where they do not."""
    if first.names is None and other.names is None:
        if first.n_features == other.n_features:
            return ""
        return f"{label} chose from {first.n_features} features and {other_label} from {other.n_features}"
    if first.names is None or other.names is None:
        named, unnamed = (label, other_label) if other.names is None else (other_label, label)
        return f"The features of {named} have names and those of {unnamed} have none"
    for mine, theirs, who in ((first.names, other.names, label), (other.names, first.names, other_label)):
        alone = sorted(set(mine).difference(theirs))
        if alone:
            return f"{label} and {other_label} chose from different features: only {who} has {some_names(alone)}"
    return ""


def _places(own: Outcome, d: int, names: tuple[str, ...] | None, label: str) -> Ints:
    """Where each column of a run stands among all `d` features."""
    if own.names is None or names is None or own.names == names:
        if own.n_features != d:
            raise InputError(
                f"{label} chose from {own.n_features} features, but {d} names are given; expected one name per feature."
            )
        return np.arange(d)
    place = {name: f for f, name in enumerate(names)}
    unknown = [name for name in own.names if name not in place]
    if not unknown:
        return np.array([place[name] for name in own.names], dtype=np.int64)
    if len(unknown) == len(own.names) == d:  # none is known: new names, by position
        return np.arange(d)
    told = f"{label} chose from {some_names(unknown)}, not among the {d} names that are given; "
    raise InputError(told, Argument("features"), " takes all names that there were to choose from.")


def _ranks(outcomes: Sequence[Outcome], places: Sequence[Ints], n_features: int) -> Floats | None:
    """The ranks of all features in all runs, ties averaged; None where a run does not rank them all."""
    table = np.empty((len(outcomes), n_features))
    for run, (outcome, place) in enumerate(zip(outcomes, places, strict=True)):
        if outcome.ranks is None or len(place) < n_features:
            return None
        table[run, place] = rankdata(outcome.ranks)
    return table


def _refuse_shared(fitted: Sequence[Any], called: Sequence[str]) -> None:
    """An object that two runs share holds what the last fit left in it: the runs would look alike."""
    owner: dict[int, str] = {}
    for estimator, label in zip(fitted, called, strict=True):
        for part in every_part(estimator):
            if owner.setdefault(id(part), label) != label:
                raise InputError(
                    f"{owner[id(part)]} and {label} share one {type(part).__name__}, which holds its last fit only; "
                    "fit sklearn.base.clone of the estimator in each run."
                )


@dataclass(frozen=True)
class _Fold:
    """The importances of one fold, how they count, and the names of its features where it has them."""

    values: Floats
    by: str | None = None
    names: tuple[str, ...] | None = None


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
        table = wide_table(importances, "importances")
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
        names = None if getattr(given, "feature_names", None) is None else _names(given.feature_names)
        values = numbers(given.values, what)
        averaged = values.ndim == 1  # already, as by explanation.abs.mean(0)
        return _Fold(values, None, names) if averaged else _Fold(_mean_size(values, label), "magnitude", names)
    if isinstance(given, Mapping):
        return _Fold(numbers(list(given.values()), what), None, _names(given))
    if hasattr(given, "index") and hasattr(given, "to_numpy") and getattr(given, "ndim", 0) == 1:  # a pandas Series
        named = getattr(given.index, "dtype", None) is not None and given.index.dtype.kind not in "iu"
        return _Fold(numbers(given.to_numpy(), what), None, _names(given.index) if named else None)
    if is_frame(given):
        table = wide_table(given, what)
        return _Fold(_mean_size(numbers(table.array, what), label), "magnitude", _names(table.features or ()))
    if isinstance(given, (list, tuple)) and given and all(np.ndim(part) == 2 for part in given):  # one per class
        sizes = [_mean_size(numbers(part, what), label) for part in given]
        return _Fold(numbers(sizes, what).mean(axis=0), "magnitude")
    values = numbers(given, what)
    return _Fold(values) if values.ndim == 1 else _Fold(_mean_size(values, label), "magnitude")


def _names(names: Any) -> tuple[str, ...]:
    return tuple(str(name) for name in names)


def _mean_size(values: Floats, label: str) -> Floats:
    """Mean absolute SHAP value of each feature, over the samples and, where there are several, the classes."""
    if values.ndim not in (2, 3) or 0 in values.shape:
        expected = "expected samples x features, or samples x features x classes"
        raise InputError(f"importances of {label} has the shape {values.shape}; {expected}.")
    return np.asarray(np.abs(values).mean(axis=0 if values.ndim == 2 else (0, 2)))


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
        holds = f"importances holds {fold.values[low]:g} for {label}, {describe_feature(low, fold.names)}; "
        ways = Argument("by", "magnitude"), " for coefficients, ", Argument("by", "value")
        noise = " for permutation importance, where they are noise."
        shap = " SHAP values of one fold (samples x features) go into a list with one such array per fold."
        raise InputError(f"{holds}say what negative numbers mean: ", *ways, f"{noise}{shap}")
