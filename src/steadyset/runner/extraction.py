"""What a fitted estimator selected, and how much weight it gives to each feature: the one stated rule.

It holds for estimators that `assess` fits and for those that other tools have fitted (`Selections.from_fitted`) alike.

1. A selector (get_support, or a mask support_ as Boruta has) selected its support. In a pipeline every such step
   narrows what the next one may select from; VarianceThreshold only tidies up.
2. A model with coefficients (coef_) selected those that are not 0, in any class; where a solver leaves none at exactly
   0, those above 1e-5 of the largest.
3. A model with importances (feature_importances_; of LightGBM and XGBoost the total gain of the splits) selected those
   above their mean. Behind a selector it only leaves out what it does not use at all, an importance of 0.
4. A search such as GridSearchCV selected what its best estimator selected, TransformedTargetRegressor what its own did.

A `Cut` (the largest, those above a value) takes the place of the mean, and applies to what 1 and 2 leave.
Steps that make new columns out of what was selected, such as PCA, and what follows them, are left aside.

The weights are the coefficients or importances of the last model; without a model, the first of importances_, coef_,
feature_importances_ and scores_ that the last selector or the model in it has. Features that only the order of the
columns preferred are counted: n_tied_ where the selector says so, else those of its scores_ that equal the best score
left out.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Any

import numpy as np
from sklearn.base import ClassNamePrefixFeaturesOutMixin
from sklearn.exceptions import NotFittedError
from sklearn.utils.validation import check_is_fitted

from steadyset.foundation.arguments import shown
from steadyset.foundation.errors import InputError
from steadyset.io.numbers import numbers
from steadyset.kernels.arrays import Bools, Floats, Ints
from steadyset.runner.columns import (
    NO_STEP,
    Columns,
    NewColumnsError,
    columns_called,
    entering,
    mask_of,
    new_columns,
    own_names,
    parts_of,
    support_of,
    through,
)
from steadyset.runner.plan import MEAN, NO_CUT, Cut, check_top

# What an importance is called by each: the total gain of all splits, and their number.
LIGHTGBM = {"gain": "gain", "split": "split"}
XGBOOST = {"gain": "total_gain", "split": "weight"}
IMPORTANCES = tuple(LIGHTGBM)
DEFAULT_NAME = re.compile(r"(?:Column_|f)([0-9]+)")  # what both call columns without names


def is_boosted(model: Any) -> bool:
    """Whether something is a tree model of LightGBM or XGBoost, a booster or a wrapper of it."""
    package = _package(model)
    if package == "lightgbm":
        return hasattr(model, "feature_importance") or hasattr(model, "_Booster")
    # A linear booster has coefficients, and no splits.
    wrapped = hasattr(model, "get_score") or hasattr(model, "get_booster")
    return package == "xgboost" and wrapped and not hasattr(model, "coef_")


def boosters_of(fitted: Any) -> list[Any] | None:
    """The models of lightgbm.cv(return_cvbooster=True), given as its result or as the CVBooster; else None."""
    if isinstance(fitted, dict) and "cvbooster" in fitted:
        fitted = fitted["cvbooster"]
    return list(fitted.boosters) if _package(fitted) == "lightgbm" and hasattr(fitted, "boosters") else None


def boosted(model: Any, importance: str) -> tuple[list[str] | None, Floats]:
    """The names of the columns of one of them (None: it has none), and their importances: 0 where no tree splits."""
    if _package(model) == "lightgbm":
        booster = model if hasattr(model, "feature_importance") else model.booster_
        names, values = list(booster.feature_name()), booster.feature_importance(LIGHTGBM[importance])
    else:
        booster = model if hasattr(model, "get_score") else model.get_booster()
        if json.loads(booster.save_config())["learner"]["gradient_booster"]["name"] == "gblinear":
            raise InputError(
                "A linear XGBoost booster has no splits; give the coef_ of each fold to Selections.from_importances."
            )
        names = list(booster.feature_names or [f"f{f}" for f in range(int(booster.num_features()))])
        told = booster.get_score(importance_type=XGBOOST[importance])
        values = [told.get(name, 0.0) for name in names]  # columns without a split are left out of what XGBoost tells
    numbered = [DEFAULT_NAME.fullmatch(name) for name in names]
    default = all(found is not None and int(found[1]) == f for f, found in enumerate(numbered))
    return None if default else names, np.asarray(values, dtype=np.float64)


def _package(model: Any) -> str:
    """The package of the class or of one that it is derived from."""
    packages = [kind.__module__.split(".")[0] for kind in type(model).__mro__]
    return next((package for package in packages if package in ("lightgbm", "xgboost")), packages[0])


WEIGHTS = ("importances_", "coef_", "feature_importances_", "scores_")
ONE_MODEL_EACH = ("sklearn.multiclass", "sklearn.multioutput")  # for each class, or each target
COEFFICIENTS, IMPORTANCE = "coefficients", "importances"
BOOSTED = {"gain": "total gains", "split": "numbers of splits"}


@dataclass(frozen=True)
class Chosen:
    """The selected feature indices, ascending, a weight for each, or None, and how many of them ties decided.

    `signs` are those of the coefficients, or None. `rule` says how a model's features were selected; "" where it was
    the selector that did.
    """

    features: Ints
    weights: Floats | None
    tied: int = 0
    signs: Ints | None = None
    rule: str = ""


@dataclass(frozen=True)
class Found:
    """What one estimator selected, ascending, of which columns; with the ranks of all of them where it has ranks.

    `leaves_out` is false where it left out nothing, and `who` decided last. `deciding` are the numbers that a cut was
    applied to, and `entered` the names of the columns before the first step.
    """

    columns: Columns
    chosen: Chosen
    who: str
    leaves_out: bool
    ranks: Floats | None = None
    deciding: Floats | None = None
    entered: tuple[str, ...] = ()

    @property
    def signed_weights(self) -> Floats | None:
        """The weights with their signs, where there are any."""
        weights, signs = self.chosen.weights, self.chosen.signs
        return weights if weights is None or signs is None else weights * signs


def chosen(estimator: Any, n_features: int, cut: Cut = NO_CUT, *, behind_selector: bool = False) -> Chosen:
    """Apply the rule to an estimator that was fitted to data with these features."""
    steps = _fitted_steps(estimator)
    own = own_names(steps[0])  # of a frame
    own = None if own is not None and len(own) != n_features else own
    columns = replace(columns_called(own, n_features, None), selected=behind_selector)
    found = Reading(cut).of_steps(steps, columns)
    if found.columns.names is not columns.names:
        if found.columns.sources is not None:
            return by_source(found.chosen, found.columns.sources)
        raise InputError(
            f"{found.who} decides on other columns than the {n_features} features of the data; steps before the "
            "selecting one must keep the features as they are."
        )
    return found.chosen


def by_source(made: Chosen, sources: Ints) -> Chosen:
    """What is selected of columns that were made of features: a feature is where any of its columns is.

    Its weight is the sum of theirs; a feature with several of them has no sign.
    """
    features, places, counts = np.unique(sources[made.features], return_inverse=True, return_counts=True)
    weights: Floats | None = None
    if made.weights is not None:
        weights = np.bincount(places, made.weights, len(features)).astype(np.float64)
    signs = None
    if made.signs is not None:
        signs = np.bincount(places, made.signs, len(features)).astype(np.int64) * (counts == 1)
    return replace(made, features=features, weights=weights, signs=signs)


@dataclass(frozen=True)
class Reading:
    """How estimators are read: the cut, the kind of importance of boosters, and whether tentative features count."""

    cut: Cut = NO_CUT
    importance: str = IMPORTANCES[0]
    tentative: bool = False

    def found(self, fitted: Any, features: tuple[str, ...] | None) -> Found:
        """Apply the rule to an estimator that somebody else fitted; `features` names its columns where it does not."""
        _refuse_unfitted(fitted)
        steps = _fitted_steps(fitted)
        for step in steps:
            _refuse_unfitted(step)
        if is_boosted(steps[0]):  # which knows the names of its columns by itself
            names, importances = boosted(steps[0], self.importance)
            columns = columns_called(names, len(importances), features)
        else:
            columns = entering(steps[0], features)
        return replace(self.of_steps(steps, columns), entered=columns.names)

    def of_steps(self, steps: list[Any], columns: Columns) -> Found:
        """Follow the columns through the steps."""
        last: _Step | None = None
        for step, following in pairwise(steps):
            try:
                behind = through(step, columns, following)
            except NewColumnsError:
                if not columns.selected:
                    raise
                return self._whole(columns, last or _Step(type(step).__name__))
            support = support_of(step, len(columns.passed))
            if support is not None:
                last = _selected(step, support)
            elif last is not None and not np.array_equal(columns.passed, behind.passed):
                last = _Step(last.who)  # other columns than those that had the weights
            columns = behind
        return self._last(steps[-1], columns, last)

    def _last(self, step: Any, columns: Columns, before: _Step | None) -> Found:
        """The step that decides last: a selector, a model, or one that leaves the columns as they are."""
        n_features = len(columns.passed)
        support = support_of(step, n_features)
        if support is not None:
            weak = getattr(step, "support_weak_", None)
            if self.tentative and weak is not None:
                support = support | np.asarray(weak, dtype=np.bool_)
            ranks = _ranking(step, columns)
            narrowed = replace(columns, passed=columns.passed[support], selected=True)
            return self._whole(narrowed, _selected(step, support), ranks)
        values = self._values(step, n_features)
        if values is None:
            return self._behind(step, columns, before)
        used = not_zero(values.weights) if values.what == COEFFICIENTS else values.weights > 0
        cut, rule = self.cut, f"{values.what} that are not 0"
        if columns.selected:
            rule = f"what the selecting step kept, without {values.what} of 0"
        elif values.what != COEFFICIENTS and not cut.asked:
            cut = MEAN
        if cut.asked:
            check_top(cut, len(columns.names))
            used &= np.isin(np.arange(n_features), cut.kept(values.weights))
            rule = cut.words(values.what) + (", among what the selecting step kept" if columns.selected else "")
        values = replace(values, rule=rule, tied=0 if before is None else before.tied)
        kept = replace(columns, passed=columns.passed[used])
        found = _found(kept, values.of(used), columns.selected or not used.all())
        return replace(found, deciding=values.weights)

    def _values(self, step: Any, n_features: int) -> _Step | None:
        """The coefficients or importances of a model, one for each of its columns; None where it has none."""
        who, raw = type(step).__name__, _coef(step)
        if is_boosted(step):
            found = _as_wide(boosted(step, self.importance)[1], n_features, who)
            return _Step(who, found, what=BOOSTED[self.importance])
        if raw is not None:
            rows = _as_wide(_rows(raw, "coef_"), n_features, who)
            signs = np.sign(rows[0]).astype(np.int64) if len(rows) == 1 and np.isfinite(rows).all() else None
            values = _Step(who, np.abs(rows).mean(axis=0), signs, what=COEFFICIENTS)
        elif hasattr(step, "feature_importances_"):
            rows = _as_wide(_rows(step.feature_importances_, "feature_importances_"), n_features, who)
            values = _Step(who, np.abs(rows).mean(axis=0), what=IMPORTANCE)
        else:
            return None
        if np.isnan(values.weights).any():
            attribute = "coef_" if raw is not None else "feature_importances_"
            raise InputError(f"{attribute} of {who} holds nan, so nothing can be said of what it selects.")
        return values

    def _behind(self, step: Any, columns: Columns, last: _Step | None) -> Found:
        """What passes a last step that has no say, or that holds selectors in its parts."""
        who, before = type(step).__name__, columns
        if hasattr(step, "transform"):
            try:
                columns = through(step, columns)
            except NewColumnsError:
                if not columns.selected:
                    raise
        if not columns.selected:
            raise InputError(
                f"{who} does not tell what it selects (no get_support(), coef_ or feature_importances_); compute "
                "permutation_importance on each fold and give these to Selections.from_importances."
            )
        same = last is not None and np.array_equal(before.passed, columns.passed)
        return self._whole(columns, last if last is not None and same else _Step(who))

    def _whole(self, columns: Columns, step: _Step, ranks: Floats | None = None) -> Found:
        """What selecting steps left, after the cut where there is one."""
        if not self.cut.asked:
            return _found(columns, step, True, ranks)
        if step.weights is None:
            raise InputError(f"{step.who} has no importances or coefficients by which to take the largest.")
        check_top(self.cut, len(columns.names))
        kept = np.isin(np.arange(len(columns.passed)), self.cut.kept(step.weights))
        rule = f"{self.cut.words(step.what)}, among what the selecting step kept"
        narrowed = replace(columns, passed=columns.passed[kept])
        return replace(_found(narrowed, replace(step.of(kept), rule=rule), True, ranks), deciding=step.weights)


@dataclass(frozen=True)
class _Step:
    """The step that decides, with sizes of its weights for its columns, their signs, and what they are called."""

    who: str
    weights: Any = None
    signs: Ints | None = None
    tied: int = 0
    what: str = IMPORTANCE
    rule: str = ""

    def of(self, kept: Bools) -> _Step:
        """With the weights of some of its columns."""
        signs = None if self.signs is None else self.signs[kept]
        return replace(self, weights=self.weights[kept], signs=signs, tied=min(self.tied, int(kept.sum())))


def _found(columns: Columns, step: _Step, leaves_out: bool, ranks: Floats | None = None) -> Found:
    """In the order of the features; weights that are not finite are not known."""
    order = np.argsort(columns.passed, kind="stable")
    known = step.weights is not None and bool(np.all(np.isfinite(step.weights)))
    picked = Chosen(
        columns.passed[order],
        step.weights[order] if known else None,
        step.tied,
        None if step.signs is None else step.signs[order],
        step.rule,
    )
    return Found(columns, picked, step.who, leaves_out, ranks)


def can_choose(estimator: Any) -> bool:
    """Whether an unfitted estimator looks like something that selects: a first check, the fit has the last word."""
    if hasattr(estimator, "steps"):
        return any(can_choose(step) for _, step in estimator.steps)
    return hasattr(estimator, "fit") and not isinstance(estimator, type)


def selects_by_itself(model: Any) -> bool:
    """Whether the rule finds a selection in a fitted model; others use every feature that they get."""
    return any(
        mask_of(step) is not None or _coef(step) is not None or hasattr(step, "feature_importances_")
        for step in _fitted_steps(model)
    )


def within(fitted: Any) -> Any:
    """What a search found best, and what a model of a transformed target has fitted; anything else as it is.

    Whoever says what it selects is asked itself.
    """
    if hasattr(fitted, "get_support"):
        return fitted
    for inner in ("best_estimator_", "regressor_"):
        if hasattr(fitted, inner):
            return within(getattr(fitted, inner))
    if hasattr(fitted, "best_index_"):
        raise InputError(f"{type(fitted).__name__} keeps no fitted estimator; search with refit=True.")
    return fitted


def refuse_new_columns(name: str, estimator: Any) -> None:
    """Tell before any run that a step such as PCA makes columns that are not the features any more."""
    for _, step in getattr(estimator, "steps", [])[:-1]:
        if isinstance(step, ClassNamePrefixFeaturesOutMixin):
            raise InputError(f"The selector {name!r} cannot run: {new_columns(step)}")


def every_part(fitted: Any) -> Iterator[Any]:
    """An estimator and all that it is made of: its steps, and the parts of these."""
    yield fitted
    for step in _steps(fitted):
        if step is not fitted and not isinstance(step, str | None):
            yield from every_part(step)
    for _, part, _ in parts_of(fitted) or ():
        if not isinstance(part, str | None):
            yield from every_part(part)


def not_zero(magnitudes: Floats) -> Bools:
    """Which coefficients count: those that are not 0, or above 1e-5 of the largest where a solver leaves none at 0."""
    least = 0.0 if np.any(magnitudes == 0) else 1e-5 * magnitudes.max(initial=0.0)
    return np.asarray(magnitudes > least)


def _fitted_steps(fitted: Any) -> list[Any]:
    steps = [step for step in _steps(fitted) if step not in NO_STEP]
    if not steps:
        raise InputError("A pipeline without steps selects nothing.")
    return steps


def _steps(fitted: Any) -> Iterator[Any]:
    """The fitted steps in their order; searches stand for their best estimator, pipelines within pipelines for their
    steps."""
    inner = within(fitted)
    if hasattr(inner, "steps") and not hasattr(inner, "get_support"):
        for _, step in inner.steps:
            yield from _steps(step)
    else:
        yield inner


def _refuse_unfitted(fitted: Any) -> None:
    if isinstance(fitted, type) or not (hasattr(fitted, "fit") or is_boosted(fitted) or hasattr(fitted, "get_support")):
        raise InputError(f"{shown(fitted)} is not a fitted estimator; expected one per run.")
    try:
        if hasattr(fitted, "fit"):
            check_is_fitted(fitted)
    except NotFittedError:
        raise InputError(
            f"{type(fitted).__name__} is not fitted; cross_validate(..., return_estimator=True) gives fitted ones."
        ) from None


def _selected(step: Any, support: Bools) -> _Step:
    """A weight for each selected column: the selector's own numbers, or those of the model within it."""
    who, tied, signs = type(step).__name__, _tied(step, support), None
    n_features, size = len(support), int(support.sum())
    holders = (step, getattr(step, "estimator_", None))
    for holder in holders:
        rows = _table(holder, "coef_")
        if signs is None and rows is not None and len(rows) == 1 and rows.shape[1] in (n_features, size):
            row = rows[0][support] if rows.shape[1] == n_features else rows[0]
            signs = np.sign(row).astype(np.int64) if np.isfinite(row).all() else None
    for holder in holders:
        for name in WEIGHTS:
            rows = _table(holder, name)
            if rows is not None and rows.shape[1] in (n_features, size):
                sizes = np.abs(rows).mean(axis=0)
                what = COEFFICIENTS if name == "coef_" else "scores" if name == "scores_" else IMPORTANCE
                return _Step(who, sizes[support] if len(sizes) == n_features else sizes, signs, tied, what)
    return _Step(who, None, signs, tied)


def _table(holder: Any, name: str) -> Floats | None:
    """Numbers that an estimator keeps under a name; None where there are none, or what is no table of numbers."""
    raw = getattr(holder, name, None)
    if raw is None or callable(raw):
        return None
    try:
        return _rows(raw, name)
    except ValueError:
        return None


def _tied(fitted: Any, support: Bools) -> int:
    """How many selected features have no better score than one that was left out."""
    if getattr(fitted, "all_tied_", False) and not support.all():
        raise InputError("all features have the same score, so there is nothing to select by.")
    told = getattr(fitted, "n_tied_", None)
    if told is not None:
        return int(told)
    scores = getattr(fitted, "scores_", None)
    if scores is None or np.shape(scores) != support.shape or support.all() or not support.any():
        return 0
    values = numbers(scores, "scores_")
    if np.isnan(values).any():
        return 0
    best_left_out = values[~support].max()
    if values[support].min() < best_left_out:  # these scores are not what it selects by
        return 0
    return int((values[support] == best_left_out).sum())


def _ranking(step: Any, columns: Columns) -> Floats | None:
    """The ranks that a selector gives to all features, where nothing was left out before it."""
    raw = getattr(step, "ranking_", None)
    if raw is None or len(columns.passed) < len(columns.names):
        return None
    ranks = np.empty(len(columns.names))
    ranks[columns.passed] = numbers(raw, "ranking_")
    return ranks


def _coef(model: Any) -> Any:
    """The coefficients of a model, or of the models that it has for each class or target; None without any."""
    parts = getattr(model, "estimators_", None)
    if type(model).__module__ not in ONE_MODEL_EACH or parts is None:
        return getattr(model, "coef_", None)
    rows = [getattr(part, "coef_", None) for part in parts]
    return None if any(row is None for row in rows) else np.vstack([_rows(row, "coef_") for row in rows])


def _rows(raw: Any, attribute: str) -> Floats:
    return np.atleast_2d(numbers(raw.toarray() if hasattr(raw, "toarray") else raw, attribute))


def _as_wide(values: Floats, n_features: int, who: str) -> Floats:
    """Values of a model, one per column that reaches it."""
    if values.shape[-1] != n_features:
        raise InputError(
            f"{who} decides on {values.shape[-1]} columns, but {n_features} reach it; the steps before it must keep "
            "the features as they are, or tell what they hand on (get_feature_names_out)."
        )
    return values
