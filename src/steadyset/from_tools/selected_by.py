"""What a fitted estimator selected, by one rule.

1. A selector (get_support, or a mask support_ as Boruta has) selected its support. In a pipeline every such step
   narrows what the next one may select from.
2. A last model with coefficients (coef_) of which some are 0 selected the others; of several classes, any.
3. A LightGBM or XGBoost model selected the features that its trees split on.
4. Importances (feature_importances_), and coefficients of which none is 0, select nothing by themselves: the caller
   says which count. Such a cut also applies to what 1 to 3 leave.

The weights are the coefficients of the last model, with their sign unless there are several classes, or its
importances; without a model, those of the last selector. Steps that make new columns out of what was selected, such as
PCA, and what follows them, are left aside.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Any

import numpy as np
from sklearn.exceptions import NotFittedError
from sklearn.utils.validation import check_is_fitted

from steadyset.arguments import shown
from steadyset.errors import InputError
from steadyset.from_tools.boosters import IMPORTANCES, boosted, is_boosted
from steadyset.from_tools.collected import Outcome
from steadyset.from_tools.cut import Cut, check_top
from steadyset.from_tools.passage import (
    NO_STEP,
    Columns,
    NewColumnsError,
    columns_called,
    entering,
    mask_of,
    parts_of,
    support_of,
    through,
)
from steadyset.io.numbers import numbers
from steadyset.kernels.arrays import Bools, Floats
from steadyset.runner.chosen import not_zero, within

ONE_MODEL_EACH = ("sklearn.multiclass", "sklearn.multioutput")  # for each class, or each target
WEIGHTS = ("coef_", "feature_importances_", "importances_", "scores_")


@dataclass(frozen=True)
class Found:
    """What one estimator selected; `selects` is false where it left nothing out and cannot."""

    outcome: Outcome
    selects: bool
    who: str
    named_by_caller: bool

    @property
    def weights(self) -> Floats | None:
        return self.outcome.weights

    def cut(self, cut: Cut, label: str) -> Outcome:
        """What is left of it by the size of its weights."""
        if self.weights is None:
            raise InputError(f"{label}: {self.who} has no importances or coefficients by which to take the largest.")
        check_top(cut, self.outcome.universe.n_features)
        kept = cut.kept(np.abs(self.weights))
        return replace(self.outcome, chosen=self.outcome.chosen[kept], weights=self.weights[kept])


@dataclass(frozen=True)
class Reading:
    """How estimators are read: names of their columns, the kind of importance, and whether tentative features count."""

    features: tuple[str, ...] | None
    importance: str
    tentative: bool

    def found(self, fitted: Any, label: str) -> Found:
        """Apply the rule."""
        try:
            _refuse_unfitted(fitted)
            steps = [step for step in _steps(fitted) if step not in NO_STEP]
            if not steps:
                raise InputError("A pipeline without steps selects nothing.")
            for step in steps:
                _refuse_unfitted(step)
            return self._found(steps)
        except InputError as error:
            raise error.after(f"{label}: ") from None

    def _found(self, steps: list[Any]) -> Found:
        columns = _entering(steps[0], self.features)
        named_by_caller = self.features is not None and columns.names == self.features
        weights: Floats | None = None
        for step, following in pairwise(steps):
            try:
                behind = through(step, columns, following)
            except NewColumnsError:
                if not columns.selected:
                    raise
                return _whole(columns, weights, type(step).__name__, named_by_caller)
            support = support_of(step, len(columns.passed))
            weights = _kept(weights, columns, behind) if support is None else _selector_weights(step, support)
            columns = behind
        return self._last(steps[-1], columns, weights, named_by_caller)

    def _last(self, step: Any, columns: Columns, weights: Floats | None, named_by_caller: bool) -> Found:
        """The step that decides last: a selector, a model, or one that leaves the columns as they are."""
        who, ranks, n_features = type(step).__name__, None, len(columns.passed)
        if mask_of(step) is not None:
            support = self._support(step, n_features)
            weights = _selector_weights(step, support)
            columns = replace(columns, selected=True)
            ranks = _ranking(step, columns)
        elif is_boosted(step):
            model = boosted(step, self.importance)
            support, weights = _as_wide(model.used, n_features, who), model.importances[model.used]
            columns = replace(columns, selected=True)
        elif _coef(step) is not None:
            coefficients, magnitudes = _coefficients(step, n_features)
            support = not_zero(magnitudes)
            weights = coefficients[support]
            columns = replace(columns, selected=columns.selected or not support.all())
        elif hasattr(step, "feature_importances_"):
            support = np.ones(n_features, dtype=np.bool_)
            weights = _as_wide(numbers(step.feature_importances_, "feature_importances_"), n_features, who)
            if np.isnan(weights).any():
                raise InputError(f"feature_importances_ of {who} holds nan, so nothing can be said of what it selects.")
        else:
            return self._behind(step, columns, weights, named_by_caller)
        return _whole(replace(columns, passed=columns.passed[support]), weights, who, named_by_caller, ranks)

    def _behind(self, step: Any, columns: Columns, weights: Floats | None, named_by_caller: bool) -> Found:
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
                "permutation_importance on each fold and give these to st.from_importances."
            )
        return _whole(columns, _kept(weights, before, columns), who, named_by_caller)

    def _support(self, step: Any, n_features: int) -> Bools:
        support = support_of(step, n_features)
        assert support is not None
        weak = getattr(step, "support_weak_", None)
        return support | np.asarray(weak, dtype=np.bool_) if self.tentative and weak is not None else support


def _kept(weights: Floats | None, before: Columns, behind: Columns) -> Floats | None:
    """The weights of a selector behind another step, unless that changed the columns."""
    return weights if np.array_equal(before.passed, behind.passed) else None


def _whole(
    columns: Columns, weights: Floats | None, who: str, named_by_caller: bool, ranks: Floats | None = None
) -> Found:
    """Weights that are not finite are not known."""
    order = np.argsort(columns.passed, kind="stable")
    known = weights is not None and bool(np.all(np.isfinite(weights)))
    sorted_weights = weights[order] if weights is not None and known else None
    outcome = Outcome(columns.universe, columns.passed[order], sorted_weights, ranks)
    return Found(outcome, columns.selected, who, named_by_caller)


def _steps(fitted: Any) -> Iterator[Any]:
    """The fitted steps in their order; searches stand for their best estimator, pipelines within pipelines for their
    steps."""
    inner = within(fitted)
    if hasattr(inner, "steps"):
        for _, step in inner.steps:
            yield from _steps(step)
    else:
        yield inner


def every_part(fitted: Any) -> Iterator[Any]:
    """An estimator and all that it is made of: its steps, and the parts of these."""
    yield fitted
    for step in _steps(fitted):
        if step is not fitted and not isinstance(step, str | None):
            yield from every_part(step)
    for _, part, _ in parts_of(fitted) or ():
        if not isinstance(part, str | None):
            yield from every_part(part)


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


def _entering(first: Any, features: tuple[str, ...] | None) -> Columns:
    """The columns on which the first step was fitted; a booster knows their names by itself."""
    if not is_boosted(first):
        return entering(first, features)
    model = boosted(first, IMPORTANCES[0])
    return columns_called(model.names, len(model.used), features)


def _selector_weights(step: Any, support: Bools) -> Floats | None:
    """A weight for each selected column: the selector's own numbers, or those of the model within it."""
    for holder in (step, getattr(step, "estimator_", None)):
        for name in WEIGHTS:
            raw = getattr(holder, name, None)
            if raw is None or callable(raw):
                continue
            row = _one_row(_rows(raw, name))
            if len(row) in (len(support), int(support.sum())):
                return row[support] if len(row) == len(support) else row
    return None


def _ranking(step: Any, columns: Columns) -> Floats | None:
    """The ranks that a selector gives to all features, where nothing was left out before it."""
    raw = getattr(step, "ranking_", None)
    if raw is None or len(columns.passed) < len(columns.names):
        return None
    ranks = np.empty(len(columns.names))
    ranks[columns.passed] = numbers(raw, "ranking_")
    return ranks


def _coefficients(model: Any, n_features: int) -> tuple[Floats, Floats]:
    """The weights of all columns, and the sizes that decide which of them are 0."""
    who = type(model).__name__
    rows = _as_wide(_rows(_coef(model), "coef_"), n_features, who)
    if np.isnan(rows).any():
        raise InputError(f"coef_ of {who} holds nan, so nothing can be said of what it selects.")
    return _one_row(rows), np.abs(rows).mean(axis=0)


def _coef(model: Any) -> Any:
    """The coefficients of a model, or of the models that it has for each class or target; None without any."""
    parts = getattr(model, "estimators_", None)
    if type(model).__module__ not in ONE_MODEL_EACH or parts is None:
        return getattr(model, "coef_", None)
    rows = [getattr(part, "coef_", None) for part in parts]
    return None if any(row is None for row in rows) else np.vstack([_rows(row, "coef_") for row in rows])


def _rows(raw: Any, attribute: str) -> Floats:
    return np.atleast_2d(numbers(raw.toarray() if hasattr(raw, "toarray") else raw, attribute))


def _one_row(rows: Floats) -> Floats:
    """One weight per column: as it is, or the mean size over several classes, which have no common sign."""
    table = np.atleast_2d(rows)
    return np.asarray(table[0] if len(table) == 1 else np.abs(table).mean(axis=0))


def _as_wide(values: Any, n_features: int, who: str) -> Any:
    """Values of a model, one per column that reaches it."""
    if values.shape[-1] != n_features:
        raise InputError(
            f"{who} decides on {values.shape[-1]} columns, but {n_features} reach it; the steps before it must tell "
            "what they hand on (get_feature_names_out)."
        )
    return values
