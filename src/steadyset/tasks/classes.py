"""Classes: a label for each row, as text, booleans or few whole numbers."""

from __future__ import annotations

import re
from datetime import date
from functools import partial
from typing import Any

import numpy as np
import numpy.typing as npt
from numpy.typing import NDArray

from steadyset.foundation.errors import Argument, InputError
from steadyset.tasks.models import likeliest
from steadyset.tasks.record import TASKS, Task, has_fractions, made, with_equal

CLASSES = "classes"
SHOWN_CLASSES = 6
UNBALANCED = 0.8  # the share of the rows from which one class makes accuracy say little
DATE = re.compile(r"([0-9]{4}([-/.])[0-9]{1,2}\2[0-9]{1,2}|[0-9]{1,2}([-/.])[0-9]{1,2}\3[0-9]{4})([ T][0-9]{1,2}:.*)?")


def refuse_identifiers(labels: NDArray[Any], n_rows: int) -> None:
    """More classes than half of the rows: most of them have one row, and nothing can be learnt about them."""
    if len(labels) > max(2, n_rows / 2):
        advice = (
            "these values look like dates: turn them into numbers (such as days) or fewer classes (such as years)."
            if _are_dates(labels)
            else "choose a target that puts rows into classes (these values look like identifiers or a quantity)."
        )
        raise InputError(f"y has {len(labels)} classes in {n_rows} rows, more than one class per two rows; {advice}")


def _are_dates(labels: NDArray[Any]) -> bool:
    if labels.dtype.kind == "M":
        return True
    return all(
        isinstance(label, date) or (isinstance(label, str) and DATE.fullmatch(label.strip())) for label in labels
    )


def refuse_single_rows(labels: NDArray[Any], counts: NDArray[Any]) -> None:
    """Classes with one row, which can be learnt or tested but never both."""
    single = labels[counts < 2]
    if len(single):
        which = ", ".join(str(label) for label in single[:SHOWN_CLASSES])
        more = f" and {len(single) - SHOWN_CLASSES} more" if len(single) > SHOWN_CLASSES else ""
        has = ("The classes", "have") if len(single) > 1 else ("The class", "has")
        raise InputError(
            f"{has[0]} {which}{more} {has[1]} only one row; "
            "a class needs at least 2 rows, so drop such rows or merge their class with another."
        )


def refuse_spaces(labels: NDArray[Any]) -> None:
    """Labels that are one class for a reader and several for a computer."""
    seen: dict[str, str] = {}
    for label in (str(label) for label in labels if isinstance(label, str)):
        if seen.setdefault(label.strip(), label) != label:
            raise InputError(
                f"y has the classes {seen[label.strip()]!r} and {label!r}, which differ only by spaces around them; "
                "remove these first."
            )


def check(y: NDArray[Any]) -> None:
    """Refuse classes that no resampling can make sense of."""
    if has_fractions(y):
        raise InputError("y holds numbers with fractions, which cannot be taken as classes; cut it into classes first.")
    labels, counts = np.unique(y, return_counts=True)
    refuse_spaces(labels)
    try:
        refuse_identifiers(labels, len(y))
        refuse_single_rows(labels, counts)
    except InputError as error:
        if _other(y) is None:
            raise
        counted = " If these numbers count or measure something, give "
        raise InputError(*error.args, counted, Argument("task", "number", of="Data"), ".") from None


def _describe(y: NDArray[Any]) -> str:
    labels, counts = np.unique(y, return_counts=True)
    shown = ", ".join(f"{label} {count}" for label, count in list(zip(labels, counts, strict=True))[:SHOWN_CLASSES])
    more = ", ..." if len(labels) > SHOWN_CLASSES else ""
    return f"{len(labels)} classes ({shown}{more})"


def _other(y: NDArray[Any]) -> str | None:
    """Whole numbers that became classes may count or measure something."""
    if y.dtype.kind not in "fiu" or has_fractions(y):
        return None
    return "number" if len(np.unique(y)) > 2 else None


def _default_score(y: NDArray[Any]) -> str:
    """Accuracy, or balanced accuracy where one class has most of the rows."""
    return "balanced_accuracy" if is_unbalanced(np.unique(y, return_counts=True)[1]) else "accuracy"


def is_unbalanced(counts: npt.ArrayLike) -> bool:
    """Whether guessing the commonest class is right so often that accuracy says little, by the rows of each class."""
    return bool(np.max(counts) >= UNBALANCED * np.sum(counts))


def _constant_classes(y: NDArray[Any]) -> list[Any]:
    """Return unfitted models that predict one class each: f1 is best if every row has the positive class."""
    labels = np.unique(y)
    # A list, since the parameter does not accept a float or a truth value by itself.
    return [made("sklearn.dummy:DummyClassifier", strategy="constant", constant=[label]) for label in labels]


def _predictions(model: Any, X: Any, y: NDArray[Any]) -> NDArray[np.float64]:
    """The probability of each class, of two classes that of the second; without probabilities 1 for the predicted."""
    labels = np.unique(y)
    if hasattr(model, "predict_proba"):
        found = np.zeros((len(X), len(labels)))
        found[:, np.searchsorted(labels, model.classes_)] = model.predict_proba(X)
    else:
        found = (np.asarray(model.predict(X))[:, None] == labels).astype(np.float64)
    return found[:, 1:] if len(labels) == 2 else found


def _most_probable(predicted: NDArray[Any]) -> NDArray[np.int64]:
    return np.asarray(predicted[:, 0] > 0.5 if predicted.shape[1] == 1 else predicted.argmax(axis=1), dtype=np.int64)


def _kappas(predicted: NDArray[Any]) -> NDArray[np.float64]:
    """Return models x models: Cohen's kappa of the classes that they predict, from models x rows x outputs."""
    groups = np.stack([_most_probable(one) for one in predicted])
    n_rows = groups.shape[1]
    marks = np.stack([groups == label for label in np.unique(groups)]).astype(np.float64)
    equal = np.einsum("cin,cjn->ij", marks, marks, optimize=True) / n_rows
    shares = marks.mean(axis=2)
    expected = shares.T @ shares
    # Two models that put all rows into one class have no kappa; with_equal lets them agree.
    kappa = np.where(expected < 1 - 1e-12, (equal - expected) / np.maximum(1 - expected, 1e-12), 0.0)
    return with_equal(kappa, groups)


def _shares(y: NDArray[Any], rows: NDArray[Any]) -> NDArray[np.float64]:
    labels = np.unique(y)
    found = (y[rows][:, None] == labels).mean(axis=0)
    return np.asarray(found[1:] if len(labels) == 2 else found)


def _global_model(X: NDArray[Any], y: NDArray[Any]) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    from scipy.special import expit

    labels = np.unique(y)
    if len(labels) > 2:
        raise InputError("three classes or more have several coefficients for each feature")
    return likeliest(X, (y == labels[1]).astype(np.float64), expit, lambda mean: mean * (1 - mean))


TASKS.add(
    Task(
        name=CLASSES,
        words="classes",
        one="a class",
        several="classes",
        recognise=lambda y: True,
        place=100,  # whatever is nothing else
        check=check,
        describe=_describe,
        has_classes=True,
        amounts_words="the classes",
        other=_other,
        learnable=lambda y: len(np.unique(y)) > 1,
        unlearnable="the resample holds one class only; a resampling with stratified=True keeps all of them",
        stratified=True,
        direction_by="the means of the classes",
        regression="logistic",
        selectors=lambda n_classes: ("lasso", "elastic_net", "jmi", "anova", "forest"),
        score=_default_score,
        predictor=partial(made, "sklearn.linear_model:LogisticRegression", max_iter=1000),
        predictor_words="logistic regression",
        blind=partial(made, "sklearn.dummy:DummyClassifier", strategy="prior"),
        blind_words="the largest class",
        constants=_constant_classes,
        predictions=_predictions,
        prediction_words="predicted probability",
        groups=_most_probable,
        group_words="class",
        agreement=_kappas,
        agreement_words="Cohen's kappa of the predicted classes",
        observed=_shares,
        global_model=_global_model,
    )
)
