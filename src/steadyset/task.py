"""What a target asks for, classes or a number: one rule for selectors, assess, tune and the command."""

from __future__ import annotations

import re
from datetime import date
from typing import Any, Literal, get_args

import numpy as np
from numpy.typing import NDArray

from steadyset.foundation.arguments import wrong_argument
from steadyset.foundation.errors import Argument, InputError

Task = Literal["classes", "number"]
CLASSES: Task = "classes"
NUMBER: Task = "number"
MOST_CLASSES = 20
SHOWN_CLASSES = 6
DATE = re.compile(r"([0-9]{4}([-/.])[0-9]{1,2}\2[0-9]{1,2}|[0-9]{1,2}([-/.])[0-9]{1,2}\3[0-9]{4})([ T][0-9]{1,2}:.*)?")


def task_of(y: NDArray[Any], task: str | None = None) -> Task:
    """`task` where it is given; else numbers with fractions, or more than 20 distinct whole ones, are a number.

    Everything else, text and booleans among it, is classes.
    """
    if task is not None:
        if task not in get_args(Task):
            raise wrong_argument("task", f"{' or '.join(get_args(Task))}", task)
        return NUMBER if task == NUMBER else CLASSES
    if y.dtype.kind not in "fiu":
        return CLASSES
    return NUMBER if has_fractions(y) or len(np.unique(y)) > MOST_CLASSES else CLASSES


def has_fractions(y: NDArray[Any]) -> bool:
    """Whether a target holds numbers that are not whole; such numbers cannot be classes."""
    return y.dtype.kind == "f" and bool((y != np.rint(y)).any())


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
        raise InputError(
            f"y has only one row of the class{'es' if len(single) > 1 else ''} {which}{more}; "
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


def check_meaning(y: NDArray[Any], task: Task) -> None:
    """Refuse a target that no resampling can make sense of as what it is taken for."""
    if task == NUMBER:
        if y.dtype.kind not in "fiu":
            raise InputError(
                "y holds something other than numbers; encode it as numbers, or give ", Argument("task", CLASSES), "."
            )
        return
    if has_fractions(y):
        raise InputError("y holds numbers with fractions, which cannot be taken as classes; cut it into classes first.")
    labels, counts = np.unique(y, return_counts=True)
    refuse_spaces(labels)
    try:
        refuse_identifiers(labels, len(y))
        refuse_single_rows(labels, counts)
    except InputError as error:
        if other_task(y, task) is None:
            raise
        counted = " If these numbers count or measure something, give "
        raise InputError(*error.args, counted, Argument("task", NUMBER), ".") from None


def refuse_several_targets(y: Any) -> None:
    """Targets with more than one value per row, such as a time and an event."""
    names = getattr(getattr(y, "dtype", None), "names", None)
    if names:
        raise InputError(f"y has {len(names)} values per row ({', '.join(names)}); expected one: choose one of them.")
    try:
        shape = np.asarray(y).shape
    except ValueError:
        raise InputError("y holds lists of different lengths; expected one value per row.") from None
    if len(shape) == 2 and shape[1] > 1:
        raise InputError(f"y should be a 1d array, got an array of shape {shape} instead; choose one of its columns.")


def target_in_words(y: NDArray[Any], task: Task) -> str:
    """What was understood of a target: "2 classes (M 22, R 40)", or "a number, 214 distinct values"."""
    labels, counts = np.unique(y, return_counts=True)
    if task == NUMBER:
        return f"a number, {len(labels)} distinct values"
    shown = ", ".join(f"{label} {count}" for label, count in list(zip(labels, counts, strict=True))[:SHOWN_CLASSES])
    more = ", ..." if len(labels) > SHOWN_CLASSES else ""
    return f"{len(labels)} classes ({shown}{more})"


def other_task(y: NDArray[Any], task: Task) -> Task | None:
    """What whole numbers may be taken for as well: counts that became classes for a number, and the other way round."""
    if y.dtype.kind not in "fiu" or has_fractions(y):
        return None
    if task == NUMBER:
        return CLASSES
    return NUMBER if len(np.unique(y)) > 2 else None


def n_classes(y: NDArray[Any], task: Task) -> int:
    """How many classes a target has; a number has none."""
    return len(np.unique(y)) if task == CLASSES else 0
