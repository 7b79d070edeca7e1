"""The record that describes a task, and the list of all tasks.

A task is what a target asks for: classes, a number. One file adds one: what recognises its targets and refuses those
that make no sense, its words in sentences, and what is done by default where the target is of this kind. Everything
else that depends on the task reads it from here, so that no other module asks which task it has.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from steadyset.foundation.arguments import wrong_argument
from steadyset.foundation.errors import InputError
from steadyset.foundation.registry import Registry

Target = NDArray[Any]
MAX_CLASSES = 20  # more distinct whole numbers are amounts


def has_fractions(y: Target) -> bool:
    """Whether a target holds numbers that are not whole; such numbers cannot be classes."""
    return y.dtype.kind == "f" and bool((y != np.rint(y)).any())


def _nothing_else(y: Target) -> str | None:
    return None


def _itself(y: Target) -> Target:
    return y


def _as_floats(y: Target) -> NDArray[np.float64]:
    return np.asarray(y, dtype=np.float64)


@dataclass(frozen=True, kw_only=True)
class Task:
    """What a target asks for, and what follows from it.

    Parameters
    ----------
    name : str
        What `task=` takes.
    words : str
        What the target is taken for, in a sentence: "a number".
    one : str
        What a target of this task is for one row: "a class".
    several : str
        What selectors are for, in a sentence: "numbers".
    recognise : Callable
        Whether y is of this task, where nobody says. The first task in the order of `place` that says so is taken.
    check : Callable
        Raises InputError for a y that makes no sense as this task.
    describe : Callable
        What was understood of y, in words.
    selectors : Callable
        The names of the selectors that are compared where none is chosen, from the number of classes.
    score : Callable
        The name of the score where none is chosen, from y.
    predictor : Callable
        Makes the model that predicts from the selected features; `predictor_words` says what it is.
    blind : Callable
        Makes the model that predicts without features; `blind_words` says what it predicts.
    place : int, default=50
        When it is asked whether it recognises a target, the smaller the earlier.
    has_classes : bool, default=False
        Whether y holds the labels of classes.
    n_columns : int, default=1
        How many values y has per row.
    other : Callable
        The name of the task that the values of y would make sense as too; None where there is none.
    strata : Callable
        The label of each row that stratified resamplings keep in proportion.
    stratified : bool, default=False
        Whether resamplings of selectors that draw their own are stratified.
    amounts : Callable
        One number per row that rises with the outcome; of classes nothing rises.
    bins : str, default=""
        The discretiser of filters that need one, instead of their own.
    regression : str, default=""
        Which regression of those that a selector names ("logistic or linear") models the target.
    """

    name: str
    words: str
    one: str
    several: str
    recognise: Callable[[Target], bool]
    check: Callable[[Target], None]
    describe: Callable[[Target], str]
    selectors: Callable[[int], tuple[str, ...]]
    score: Callable[[Target], str]
    predictor: Callable[[], Any]
    predictor_words: str
    blind: Callable[[], Any]
    blind_words: str
    place: int = 50
    has_classes: bool = False
    n_columns: int = 1
    other: Callable[[Target], str | None] = _nothing_else
    strata: Callable[[Target], Target] = _itself
    stratified: bool = False
    amounts: Callable[[Target], NDArray[np.float64]] = _as_floats
    bins: str = ""
    regression: str = ""

    def counts(self, y: Target) -> dict[Any, int]:
        """How many rows each class has; of what has no classes, nothing."""
        if not self.has_classes:
            return {}
        labels, counts = np.unique(y, return_counts=True)
        return dict(zip(labels, counts.tolist(), strict=True))

    def n_classes(self, y: Target) -> int:
        """How many classes a target has."""
        return len(np.unique(y)) if self.has_classes else 0

    def outcome(self, n_classes: int) -> str:
        """What a target with that many classes is, in words."""
        return f"{n_classes} classes" if self.has_classes else self.words

    def can_be_learnt(self, y: Target) -> bool:
        """Whether there is something to learn from rows: of classes, at least two."""
        return not self.has_classes or len(np.unique(y)) > 1

    def scale(self, y: Target) -> float:
        """In which unit penalties of a model of the target are: its standard deviation; classes have none."""
        return 1.0 if self.has_classes else float(np.std(self.amounts(y)))


TASKS = Registry("task", Task, in_runs=True)


def task_of(y: Target, task: str | None = None) -> str:
    """The name of the task: `task` where it is given; otherwise the first that recognises the target."""
    names = TASKS.names()
    if task is not None:
        if not (isinstance(task, str) and task in names):
            raise wrong_argument("task", " or ".join(names), task)
        return str(task)
    width = len(y.dtype.names) if y.dtype.names else 1 if y.ndim == 1 else y.shape[1]
    fitting = sorted((one for one in TASKS.values() if one.n_columns == width), key=lambda one: one.place)
    return next(one.name for one in fitting if one.recognise(y))


def check_columns(y: Any) -> None:
    """Refuse targets with more values per row than any task takes, such as a time and an event."""
    taken = {one.n_columns for one in TASKS.every()}
    names = getattr(getattr(y, "dtype", None), "names", None)
    if names and len(names) not in taken:
        raise InputError(f"y has {len(names)} values per row ({', '.join(names)}); expected one: choose one of them.")
    try:
        shape = np.asarray(y).shape
    except ValueError:
        raise InputError("y holds lists of different lengths; expected one value per row.") from None
    if len(shape) == 2 and shape[1] > 1 and shape[1] not in taken:
        raise InputError(f"y should be a 1d array, got an array of shape {shape} instead; choose one of its columns.")
