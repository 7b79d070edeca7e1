"""What a target asks for, classes or a number: one rule for selectors, assess, tune and the command."""

from __future__ import annotations

from typing import Any, Literal, get_args

import numpy as np
from numpy.typing import NDArray

from steadyset.errors import InputError

Task = Literal["classes", "number"]
CLASSES: Task = "classes"
NUMBER: Task = "number"
MOST_CLASSES = 20


def task_of(y: NDArray[Any], task: str | None = None) -> Task:
    """`task` where it is given; else numbers with fractions, or more than 20 distinct whole ones, are a number.

    Everything else, text and booleans among it, is classes.
    """
    if task is not None:
        if task not in get_args(Task):
            raise InputError(f"task must be {' or '.join(get_args(Task))} (got {task!r}).")
        return NUMBER if task == NUMBER else CLASSES
    if y.dtype.kind not in "fiu":
        return CLASSES
    return NUMBER if has_fractions(y) or len(np.unique(y)) > MOST_CLASSES else CLASSES


def has_fractions(y: NDArray[Any]) -> bool:
    """Whether a target holds numbers that are not whole; such numbers cannot be classes."""
    return y.dtype.kind == "f" and bool((y != np.rint(y)).any())
