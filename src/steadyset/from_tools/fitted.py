"""From fitted estimators, one per run, to Selections of one universe."""

from __future__ import annotations

import warnings
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from scipy.stats import rankdata

from steadyset.foundation.arguments import check_choice, check_flag, is_collection, is_whole, wrong_argument
from steadyset.foundation.errors import Argument, InputError, UninformativeWarning
from steadyset.io.labels import feature_names, run_labels, some_names
from steadyset.io.numbers import numbers
from steadyset.kernels.arrays import Floats, Ints
from steadyset.runner.columns import own_names
from steadyset.runner.extraction import IMPORTANCES, Found, Reading, boosters_of, every_part, is_boosted
from steadyset.runner.plan import Cut, warn_of_ties
from steadyset.selections import Selections

if TYPE_CHECKING:
    from sklearn.feature_selection import RFECV


@dataclass(frozen=True)
class Universe:
    """The columns that there were to choose from; `names` is None where the tool only knows how many."""

    n_features: int
    names: tuple[str, ...] | None


@dataclass(frozen=True)
class Outcome:
    """What one run chose: columns of its universe, ascending, with a weight for each and the ranks of all columns
    (1 = best) where they are known."""

    universe: Universe
    chosen: Ints
    weights: Floats | None = None
    ranks: Floats | None = None


def checked_features(features: Any) -> tuple[str, ...] | None:
    """The names of features that a caller gives."""
    return None if features is None else feature_names(features, None, what="features")[0]


def runs_called(labels: Any, n_runs: int) -> list[str]:
    """What sentences call the runs: their labels, else their numbers."""
    checked = run_labels(labels, n_runs)
    return [f"run {i + 1}" for i in range(n_runs)] if checked is None else list(checked)


def folds_called(n_runs: int) -> list[str]:
    """The labels of the folds of a cross-validation."""
    return [f"fold {i + 1}" for i in range(n_runs)]


def collected(
    outcomes: Sequence[Outcome],
    labels: Sequence[str] | None,
    features: tuple[str, ...] | None,
    notes: Sequence[str] = (),
) -> Selections:
    """The Selections of all runs; `features` are all names that there were to choose from, or new names by position."""
    called = runs_called(labels, len(outcomes))
    shared = _shared_universe(outcomes, called, features)
    places = [_places(outcome.universe, shared, label) for outcome, label in zip(outcomes, called, strict=True)]
    rows = [place[outcome.chosen] for place, outcome in zip(places, outcomes, strict=True)]
    if shared.names is None:
        selections = Selections.from_sets(rows, n_features=shared.n_features, labels=labels)
    else:
        selections = Selections.from_sets(rows, features=shared.names, labels=labels)
    weights = [outcome.weights for outcome in outcomes]
    if all(weight is not None for weight in weights):
        ascending = [np.argsort(row, kind="stable") for row in rows]
        by_run = [np.asarray(weight)[order].tolist() for weight, order in zip(weights, ascending, strict=True)]
        selections = selections.with_weights(by_run)
    ranks = _ranks(outcomes, places, shared.n_features)
    whole = selections if ranks is None else selections.with_rankings(ranks)
    return Selections._of(whole._entries._replace(notes=tuple(notes)))


def _shared_universe(outcomes: Sequence[Outcome], labels: Sequence[str], features: tuple[str, ...] | None) -> Universe:
    """The one universe of all runs: what is given, else the first one, from which no other may differ."""
    if features is not None:
        return Universe(len(features), features)
    first = outcomes[0].universe
    for outcome, label in zip(outcomes, labels, strict=True):
        difference = _difference(first, outcome.universe, labels[0], label)
        if difference:
            raise InputError(
                f"{difference}; give all names that there were to choose from as ",
                Argument("features"),
                ".",
            )
    return first


def _difference(first: Universe, other: Universe, label: str, other_label: str) -> str:
    """How the universes of two runs differ, in words; their names may stand in any order."""
    if (first.names is None) != (other.names is None):
        named, unnamed = (label, other_label) if other.names is None else (other_label, label)
        return f"The features of {named} have names and those of {unnamed} have none"
    if first.names is None or other.names is None:
        if first.n_features == other.n_features:
            return ""
        return f"{label} chose from {first.n_features} features and {other_label} from {other.n_features}"
    for mine, theirs, who in ((first, other, label), (other, first, other_label)):
        alone = sorted(set(mine.names or ()) - set(theirs.names or ()))
        if alone:
            return f"{label} and {other_label} chose from different features: only {who} has {some_names(alone)}"
    return ""


def _places(own: Universe, shared: Universe, label: str) -> Ints:
    """Where each column of a run stands in the shared universe."""
    if own.names is None or shared.names is None or own.names == shared.names:
        if own.n_features != shared.n_features:
            raise InputError(
                f"{label} chose from {own.n_features} features, but {shared.n_features} names are given; expected one "
                "name per feature."
            )
        return np.arange(own.n_features)
    place = {name: f for f, name in enumerate(shared.names)}
    unknown = [name for name in own.names if name not in place]
    if not unknown:
        return np.array([place[name] for name in own.names], dtype=np.int64)
    if len(unknown) == len(own.names) == shared.n_features:  # none is known: new names, by position
        return np.arange(own.n_features)
    raise InputError(
        f"{label} chose from {some_names(unknown)}, not among the {shared.n_features} names that are given; ",
        Argument("features"),
        " takes all names that there were to choose from.",
    )


def _ranks(outcomes: Sequence[Outcome], places: Sequence[Ints], n_features: int) -> Floats | None:
    """The ranks of all features in all runs, ties averaged; None where a run does not rank them all."""
    table = np.empty((len(outcomes), n_features))
    for run, (outcome, place) in enumerate(zip(outcomes, places, strict=True)):
        if outcome.ranks is None or len(place) < n_features:
            return None
        table[run, place] = rankdata(outcome.ranks)
    return table


def from_cross_validate(
    cv_results: Mapping[str, Any],
    features: Sequence[str] | None = None,
    *,
    top: int | None = None,
    threshold: float | str | None = None,
    importance: str = "gain",
    tentative: bool = False,
) -> Selections:
    """The Selections of scikit-learn's cross_validate(..., return_estimator=True): one run per fold.

    Parameters
    ----------
    cv_results : dict
        What cross_validate returns.
    features : sequence of str or None, default=None
        The names of all features; only needed where the estimators were fitted without names, or where the columns to
        choose from (such as encoded categories) differ between the folds.
    top : int or None, default=None
        How many of the largest coefficients or importances count as selected.
    threshold : float, str or None, default=None
        The value that selected coefficients or importances exceed: a number, or "mean" or "median" of the fold. It can
        be combined with `top`. Without both, a model selects the coefficients that are not 0 or the importances above
        their mean, as in `assess`; the notes of the Selections say which.
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
    >>> st.from_cross_validate(cross_validate(model, X, y, return_estimator=True))
    Selections(5 runs, 30 features, size 5, weights)
    """
    if not isinstance(cv_results, Mapping):
        raise wrong_argument("cv_results", "what cross_validate(..., return_estimator=True) returns", cv_results)
    if "estimator" not in cv_results:
        raise InputError(
            "cv_results holds no fitted estimators; call cross_validate(..., return_estimator=True) for them."
        )
    folds = cv_results["estimator"]
    if not is_collection(folds) or not len(folds):
        raise InputError("cv_results holds no fitted estimators; expected one per fold under the key 'estimator'.")
    labels = folds_called(len(folds))
    return _selections(list(folds), labels, features, Cut(top, threshold), importance, tentative)


def from_fitted(
    fitted: Sequence[object] | Mapping[str, object],
    features: Sequence[str] | None = None,
    *,
    top: int | None = None,
    threshold: float | str | None = None,
    importance: str = "gain",
    tentative: bool = False,
    labels: Sequence[str] | None = None,
) -> Selections:
    """The Selections of fitted selectors, models or pipelines.

    Takes scikit-learn's selectors (SelectKBest, SelectFromModel, RFE, RFECV, ...), sparse linear models, searches such
    as GridSearchCV (their best estimator), Boruta, LightGBM and XGBoost (boosters, wrappers, and the result of
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
        The value that selected coefficients or importances exceed: a number, or "mean" or "median" of the run. Without
        it and `top`, a model selects the coefficients that are not 0 or the importances above their mean.
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
    >>> [sorted(chosen) for chosen in st.from_fitted(models).sets()]
    [['bmi', 'bp', 's3', 's4', 's5'], ['bmi', 'bp', 's5']]
    """
    folds = boosters_of(fitted)
    if folds is None and isinstance(fitted, Mapping):
        if "estimator" in fitted and "fit_time" in fitted:
            return from_cross_validate(
                fitted, features, top=top, threshold=threshold, importance=importance, tentative=tentative
            )
        labels, folds = (list(map(str, fitted)) if labels is None else labels), list(fitted.values())
    if folds is None:
        if hasattr(fitted, "fit") or is_boosted(fitted):
            folds_kept = " (st.from_rfecv takes the folds of one RFECV)" if hasattr(fitted, "cv_results_") else ""
            raise InputError(
                f"fitted is one {type(fitted).__name__}, one run; give a list of fitted estimators{folds_kept}."
            )
        if not is_collection(fitted):
            raise wrong_argument("fitted", "a list or dict of fitted estimators", fitted)
        folds = list(fitted)
    if not folds:
        raise InputError("fitted is empty; at least one fitted estimator is needed.")
    return _selections(folds, labels, features, Cut(top, threshold), importance, tentative)


def from_rfecv(rfecv: RFECV, features: Sequence[str] | None = None, *, top: int | None = None) -> Selections:
    """What RFECV selected within each of its folds, with the ranks of all features: one run per fold.

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
    >>> st.from_rfecv(RFECV(LinearRegression()).fit(X, y), top=4)  # doctest: +SKIP
    Selections(5 runs, 10 features, size 4, rankings)
    """
    results = getattr(rfecv, "cv_results_", None)
    if not isinstance(results, Mapping) or "n_features" not in results:
        raise wrong_argument("rfecv", "a fitted RFECV of scikit-learn", rfecv)
    if "split0_support" not in results:
        raise InputError(
            "This RFECV does not keep the supports of its folds, as scikit-learn 1.7 and newer do; use "
            "cross_validate(rfecv, X, y, return_estimator=True) and st.from_cross_validate."
        )
    sizes = [int(size) for size in results["n_features"]]
    size = rfecv.n_features_ if top is None else top
    if not is_whole(size) or size not in sizes:
        raise wrong_argument("top", f"one of {', '.join(map(str, sizes))}", top)
    names, given = own_names(rfecv), checked_features(features)
    universe = Universe(int(rfecv.n_features_in_), None if names is None else tuple(names))
    row = sizes.index(size)
    outcomes: list[Outcome] = []
    while f"split{len(outcomes)}_support" in results:
        fold = f"split{len(outcomes)}"
        chosen = np.flatnonzero(results[f"{fold}_support"][row])
        outcomes.append(Outcome(universe, chosen, ranks=numbers(results[f"{fold}_ranking"][row], "ranking")))
    return collected(outcomes, folds_called(len(outcomes)), given)


def _selections(
    fitted: Sequence[Any],
    labels: Sequence[str] | None,
    features: Sequence[str] | None,
    cut: Cut,
    importance: str,
    tentative: bool,
) -> Selections:
    check_choice("importance", importance, IMPORTANCES)
    check_flag("tentative", tentative)
    names, called = checked_features(features), runs_called(labels, len(fitted))
    reading = Reading(cut, importance, tentative)
    found = [_found(reading, estimator, names, label) for estimator, label in zip(fitted, called, strict=True)]
    _refuse_shared(fitted, called)
    warn_of_ties(cut, [each.deciding for each in found if each.deciding is not None], depth=2)
    if not cut.asked and not any(each.leaves_out for each in found):
        warnings.warn(
            f"{found[0].who} leaves out no feature in any run, so there is no selection to compare; say which count as "
            'selected: top=10 for the 10 largest, or threshold="mean" for those above the mean.',
            UninformativeWarning,
            stacklevel=3,
        )
    outcomes = [
        Outcome(
            Universe(len(each.columns.names), each.columns.names if each.columns.named else None),
            each.chosen.features,
            each.signed_weights,
            each.ranks,
        )
        for each in found
    ]
    named_by_caller = names is not None and all(each.entered == names for each in found)
    rules = sorted({each.chosen.rule for each in found} - {""})
    return collected(outcomes, labels, None if named_by_caller else names, [f"selected: {rule}" for rule in rules])


def _found(reading: Reading, estimator: Any, names: tuple[str, ...] | None, label: str) -> Found:
    try:
        return reading.found(estimator, names)
    except InputError as error:
        raise error.after(f"{label}: ") from None


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
