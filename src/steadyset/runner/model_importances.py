"""How important each selected feature is in the model that predicts from the selected features.

The kind of the model decides, as Hamer and Dupont (2021) define it:

1. A model with one coefficient per column (linear, logistic, Poisson, Cox): k |w_f| s_f / sum |w| s, their equation 7;
   s_f is the standard deviation of the column in the training rows, k the number of coefficients that are not 0.
2. Any other classifier of columns of numbers: the smallest change of a feature that flips the decision, their equation
   6, in closed form where the class with the largest linear score is predicted, else by a search.
3. Everything else, such as a forest for a number, or rows with missing values: the root mean square change of the
   prediction when the feature is permuted among the training rows. Of a linear model this is proportional to |w_f| s_f,
   so that it continues equation 7.

Steps that shift and scale single columns, or fill their gaps, are looked through. Covariates have no importance of
their own. Features that stand for several columns have the sum of theirs (1, 2), or are permuted as a whole (3).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from sklearn.impute import SimpleImputer
from sklearn.preprocessing import MaxAbsScaler, MinMaxScaler, RobustScaler, StandardScaler

from steadyset.foundation.errors import InputError
from steadyset.kernels.arrays import Floats, Ints
from steadyset.runner.extraction import within
from steadyset.selectors.importances import decision_flip, linear
from steadyset.tasks import TASKS

COEFFICIENTS, FLIPS, PERMUTATION = "coefficients", "decision flips", "permutation"
WORDS = {
    COEFFICIENTS: "absolute coefficients times the standard deviations of the features",
    FLIPS: "the inverse of the smallest change of a feature that flips the decision",
    PERMUTATION: "the root mean square change of the prediction when a feature is permuted among the training rows",
}
COLUMNWISE = (SimpleImputer, StandardScaler, MinMaxScaler, MaxAbsScaler, RobustScaler)
# A search asks for predictions of up to 30 changes of each value. These are the steps and the reach of the paper's
# program, and more points than its data sets have.
SEARCH: dict[str, Any] = {"step": 0.5, "tol": 1e-3, "largest": 100.0, "unflippable": "equal"}
MAX_SEARCHED = 250  # points; of more training rows a random part stands for all
N_PERMUTATIONS = 10


@dataclass(frozen=True)
class Importances:
    """One importance per selected feature, ascending, and how they were determined; "" where nothing is selected."""

    values: tuple[float, ...] = ()
    by: str = ""


def importances_in(
    model: Any, X: Any, columns_of: Sequence[Ints], task: str, weights: Floats | None, seeds: np.random.SeedSequence
) -> Importances:
    """Return the importances of features in a fitted model.

    `X` are the training rows as the model takes them, and `columns_of` the columns of each feature among them.
    `weights` are those of the rows, where they have any. Raise ValueError where the model gives none.
    """
    random = np.random.default_rng(seeds)
    by, values = COEFFICIENTS, _by_coefficients(model, X, weights)
    if values is None and TASKS[task].has_classes:
        by, values = FLIPS, _by_flips(model, X, np.concatenate(columns_of), weights, random)
    if values is None:
        by, found = PERMUTATION, _by_permutation(model, X, columns_of, task, weights, random)
    else:
        found = np.array([values[columns].sum() for columns in columns_of], dtype=np.float64)
    if not np.isfinite(found).all():
        raise ValueError("some are no numbers")
    total = found.sum()
    shares = found / total if total > 0 else found
    return Importances(tuple((shares * np.count_nonzero(found)).tolist()), by)


def _by_coefficients(model: Any, X: Any, weights: Floats | None) -> Floats | None:
    """|w| s of each column; None where the model has not one coefficient for each."""
    last, rows = _last_step(model, X)
    coefs = np.asarray(getattr(last, "coef_", ()))
    coefs = coefs[0] if coefs.ndim == 2 and len(coefs) == 1 else coefs
    table = None if rows is None else _numbers(rows)
    if table is None or coefs.dtype.kind not in "fiu" or coefs.shape != table.shape[1:]:
        return None
    return linear(coefs, _deviations(table, weights))


def _by_flips(model: Any, X: Any, columns: Ints, weights: Floats | None, random: np.random.Generator) -> Floats | None:
    """The importances of equation 6 of each column, 0 of those that stand for no feature; None without numbers."""
    if _numbers(X) is None:
        return None
    last, rows = _last_step(model, X)
    closed = None if rows is None else _flips_of(last, rows, columns, weights, method="closed_form")
    if closed is not None:
        return closed
    n = len(X)
    some = np.arange(n) if n <= MAX_SEARCHED else np.sort(random.choice(n, MAX_SEARCHED, replace=False))
    part = X.iloc[some] if hasattr(X, "iloc") else X[some]
    return _flips_of(model, part, columns, None if weights is None else weights[some], whole=X, method="search")


def _flips_of(
    model: Any, X: Any, columns: Ints, weights: Floats | None, *, method: Any, whole: Any = None
) -> Floats | None:
    """`decision_flip` on some points with the standard deviations of all; None where its method does not apply."""
    table = _numbers(X if whole is None else whole)
    if table is None:
        return None
    deviations = np.zeros(table.shape[1])
    deviations[columns] = _deviations(table[:, columns], weights if whole is None else None)
    try:
        return decision_flip(model, X, sd=deviations, method=method, sample_weight=weights, **SEARCH)
    except InputError:  # the model does not decide by linear scores
        if method == "search":
            raise
        return None


def _by_permutation(
    model: Any,
    X: Any,
    columns_of: Sequence[Ints],
    task: str,
    weights: Floats | None,
    random: np.random.Generator,
) -> Floats:
    """The root mean square change of the outputs of a model over permutations of each feature."""
    before = _outputs(model, X, task)
    changes = np.zeros(len(columns_of))
    for _ in range(N_PERMUTATIONS):
        order = random.permutation(len(X))
        for place, columns in enumerate(columns_of):
            after = _outputs(model, _permuted(X, columns, order), task)
            squares = ((after - before) ** 2).sum(axis=1)
            changes[place] += float(np.average(squares, weights=weights))
    return np.sqrt(changes / N_PERMUTATIONS)


def _permuted(X: Any, columns: Ints, order: Ints) -> Any:
    """The rows with the values of some columns in another order."""
    moved = X.copy()
    if hasattr(X, "iloc"):
        for column in columns.tolist():
            moved.isetitem(column, X.iloc[order, column].array)
    else:
        moved[:, columns] = X[np.ix_(order, columns)]
    return moved


def _outputs(model: Any, X: Any, task: str) -> Floats:
    """Predictions as numbers, rows x outputs: probabilities of classes, or the decision of a model without them."""
    if TASKS[task].has_classes:
        if hasattr(model, "predict_proba"):
            return np.asarray(model.predict_proba(X), dtype=np.float64)
        decided = np.asarray(model.predict(X))
        classes = np.asarray(getattr(model, "classes_", np.unique(decided)))
        return np.asarray(decided[:, None] == classes, dtype=np.float64)
    return np.asarray(model.predict(X), dtype=np.float64).reshape(len(X), -1)


def _last_step(model: Any, X: Any) -> tuple[Any, Any]:
    """The step that predicts and the rows as it gets them; None for these where a step before makes other columns."""
    model = within(model)
    *before, last = [step for _, step in getattr(model, "steps", [("", model)])]
    rows = X
    for step in before:
        if step is None or isinstance(step, str):
            continue
        if not isinstance(step, COLUMNWISE):
            return last, None
        rows = step.transform(rows)
    return within(last), rows if np.shape(rows) == np.shape(X) else None


def _numbers(X: Any) -> Floats | None:
    """The rows as numbers; None where some are text, or missing."""
    try:
        table = np.asarray(X, dtype=np.float64)
    except (TypeError, ValueError):
        return None
    return table if table.ndim == 2 and np.isfinite(table).all() else None


def _deviations(table: Floats, weights: Floats | None) -> Floats:
    """Standard deviations of columns; exactly 0 of constant ones, where rounding would leave a residue."""
    mean = np.average(table, axis=0, weights=weights)
    found = np.sqrt(np.average((table - mean) ** 2, axis=0, weights=weights))
    return np.where((table == table[:1]).all(axis=0), 0.0, found)
