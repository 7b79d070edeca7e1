"""The record that describes a task, and the list of all tasks.

A task is what a target asks for: classes, a number. One file adds one: what recognises its targets and refuses those
that make no sense, its words in sentences, and what is done by default where the target is of this kind. Everything
else that depends on the task reads it from here, so that no other module asks which task it has.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from pkgutil import resolve_name
from typing import Any

import numpy as np
from numpy.typing import NDArray

from steadyset.foundation.arguments import wrong_argument
from steadyset.foundation.errors import InputError
from steadyset.foundation.registry import Registry

Target = NDArray[Any]
MAX_CLASSES = 20  # more distinct whole numbers are amounts
N_TENTHS = 10
N_CONSTANTS = 21  # quantiles that are tried as predictions without features
N_LATE = 3  # columns of a row that came under observation late: its start, its stop and the event


def has_fractions(y: Target) -> bool:
    """Whether a target holds numbers that are not whole; such numbers cannot be classes."""
    return y.dtype.kind == "f" and bool((y != np.rint(y)).any())


def _nothing_else(y: Target) -> str | None:
    return None


def _itself(y: Target) -> Target:
    return y


def _as_floats(y: Target) -> NDArray[np.float64]:
    return np.asarray(y, dtype=np.float64)


def _side_by_side(columns: Mapping[str, Sequence[Any]]) -> Target:
    for name, values in columns.items():
        if np.asarray(values).dtype.kind not in "biuf":
            raise InputError(f"the target {name!r} holds {str(values[0])!r}; a target of several columns has numbers.")
    return np.column_stack(list(columns.values())).astype(np.float64)


def _of_one_kind(y: Target) -> bool:
    return True


def _nothing(y: Target) -> dict[str, int]:
    return {}


def _no_more(y: Target) -> list[Any]:
    return []


def constant_numbers(y: Target) -> list[Any]:
    """Return unfitted models that predict one number: quantiles of the target, and the middle of its range.

    The mean has the smallest squared error, the median the smallest absolute one, and other errors other quantiles.
    """
    values = np.asarray(y, dtype=np.float64)
    middle = (values.min() + values.max()) / 2
    amounts = np.unique([*np.quantile(values, np.linspace(0, 1, N_CONSTANTS)), middle])
    return [made("sklearn.dummy:DummyRegressor", strategy="constant", constant=float(one)) for one in amounts]


def _plain_predictions(model: Any, X: Any, y: Target) -> NDArray[np.float64]:
    return np.asarray(model.predict(X), dtype=np.float64)[:, None]


def correlations_between(predicted: NDArray[Any]) -> NDArray[np.float64]:
    """Return models x models: the correlations of their predictions, from models x rows x 1.

    Equal predictions agree completely, also where they are the same for all rows; predictions that are the same for all
    rows do not agree with others.
    """
    values = predicted[:, :, 0] - predicted[:, :, 0].mean(axis=1, keepdims=True)
    lengths = np.sqrt((values**2).sum(axis=1))
    constant = lengths <= 1e-12 * np.maximum(np.abs(predicted[:, :, 0]).max(axis=1), 1e-300)
    units = np.where(constant[:, None], 0.0, values / np.where(constant, 1.0, lengths)[:, None])
    return with_equal(np.clip(units @ units.T, -1.0, 1.0), predicted)


def with_equal(table: NDArray[Any], predicted: NDArray[Any]) -> NDArray[np.float64]:
    """Return the table with 1 for models whose predictions are equal."""
    same = np.unique(predicted.reshape(len(predicted), -1), axis=0, return_inverse=True)[1].ravel()
    return np.where(same[:, None] == same, 1.0, table)


def _mean_of(y: Target, rows: NDArray[Any]) -> NDArray[np.float64]:
    return np.array([np.mean(y[rows])], dtype=np.float64)


def made(name: str, **params: Any) -> Any:
    """A model by the name of its class, "module:class"; its module, which takes long to import, is imported now."""
    return resolve_name(name)(**params)


def thirds(predicted: NDArray[Any]) -> NDArray[np.int64]:
    """Which third of the rows each belongs to by its prediction; rows with equal predictions share one."""
    values = predicted[:, 0]
    return np.searchsorted(np.quantile(values, [1 / 3, 2 / 3]), values, side="left")


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
    constants : Callable
        Makes further models, from y, that predict the same for every row: which of all is best depends on the score.
    place : int, default=50
        When it is asked whether it recognises a target, the smaller the earlier.
    has_classes : bool, default=False
        Whether y holds the labels of classes.
    n_columns : int, default=1
        How many values y has per row.
    read : Callable
        Makes y, rows x columns, of several columns by their names; raises InputError for what they cannot hold.
    counted : Callable
        What of y is told beside the number of rows, such as {"events": 120}.
    few : int, default=0
        With fewer of these in the training rows of a run, single rows decide what it selects.
    learnable : Callable
        Whether rows with these y tell anything; `unlearnable` says why others do not.
    directions : tuple of str, default=("falls with {target}", "rises with {target}")
        What is said of a feature that falls, or rises, with the amounts; `direction_by` says how that was seen.
    opposed : bool, default=False
        Whether models predict what falls with the amounts, as a hazard falls with a time.
    other : Callable
        The name of the task that the values of y would make sense as too; None where there is none.
    strata : Callable
        The label of each row that stratified resamplings keep in proportion.
    stratified : bool, default=False
        Whether resamplings of selectors that draw their own are stratified.
    amounts : Callable
        One number per row that rises with the outcome; of classes nothing rises. `amounts_words` says what they are,
        `amounts_shown` what pictures call them.
    points : Callable or None, default=None
        The values at which `curves` are kept, from y; None where there is nothing to draw.
    curves : Callable or None, default=None
        What is drawn of left-out rows in groups of like predictions: from the fitted model, the features of the
        training rows and of the left-out rows, y of the latter, and the points; groups x points.
    predictions : Callable
        What is kept of a fitted model's predictions: from the model, rows as it takes them, and y of all rows (for its
        classes or times); rows x outputs. `prediction_words` say what they are.
    groups : Callable
        The group of each row by its predictions, such as its class; `group_words` say what these are.
    agreement : Callable
        How far models agree in what they predict, models x models from models x rows x outputs: 1 for equal
        predictions, 0 for unrelated ones; `agreement_words` say what it is.
    observed : Callable
        What predictions are held against: one value per output, of y and some of its rows.
    global_model : Callable or None, default=None
        Coefficients and standard errors of the unpenalised model of y with all columns of X; raises InputError where it
        has none.
    effect : str, default=""
        Name of the exponential of such a coefficient of a standardized feature alone, if effects are shown by it:
        "hazard ratio".
    takes_noise : bool, default=True
        Whether y with noise added, or labels exchanged, is still one.
    strata_words : str, default="each class"
        What stratified resamplings keep in proportion, in words.
    like : str, default=""
        Another task, whose filters and models serve this one too where they have nothing for itself.
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
    read: Callable[[Mapping[str, Sequence[Any]]], Target] = _side_by_side
    counted: Callable[[Target], dict[str, int]] = _nothing
    constants: Callable[[Target], Sequence[Any]] = _no_more
    few: int = 0
    learnable: Callable[[Target], bool] = _of_one_kind
    unlearnable: str = ""
    directions: tuple[str, str] = ("falls with {target}", "rises with {target}")
    direction_by: str = "the sign of the correlation"
    opposed: bool = False
    other: Callable[[Target], str | None] = _nothing_else
    strata: Callable[[Target], Target] = _itself
    stratified: bool = False
    amounts: Callable[[Target], NDArray[np.float64]] = _as_floats
    amounts_words: str = "the values of the target"
    amounts_shown: str = "{target}"
    points: Callable[[Target], NDArray[np.float64]] | None = None
    curves: Callable[..., NDArray[np.float64]] | None = None
    predictions: Callable[[Any, Any, Target], NDArray[np.float64]] = _plain_predictions
    prediction_words: str = "predicted value"
    groups: Callable[[NDArray[Any]], NDArray[np.int64]] = thirds
    group_words: str = "third of the predictions"
    agreement: Callable[[NDArray[Any]], NDArray[np.float64]] = correlations_between
    agreement_words: str = "the correlation of the predicted values"
    observed: Callable[[Target, NDArray[Any]], NDArray[np.float64]] = _mean_of
    global_model: Callable[[NDArray[Any], Target], tuple[NDArray[np.float64], NDArray[np.float64]]] | None = None
    effect: str = ""
    takes_noise: bool = True
    strata_words: str = "each class"
    like: str = ""
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

    def scale(self, y: Target) -> float:
        """In which unit penalties of a model of the target are: its standard deviation; classes have none."""
        return 1.0 if self.has_classes else float(np.std(self.amounts(y)))

    def calibrated(self, y: Target, predicted: NDArray[Any]) -> NDArray[np.float64]:
        """For each output and tenth of the rows by their predictions: the mean prediction, and what was observed.

        Rows with equal predictions are in the same tenth; those that are left without rows are nan.
        """
        found = np.full((predicted.shape[1], N_TENTHS, 2), np.nan)
        for output, values in enumerate(predicted.T):
            edges = np.quantile(values, np.arange(1, N_TENTHS) / N_TENTHS)
            tenth = np.searchsorted(edges, values, side="left")
            for one in np.unique(tenth):
                found[output, one] = values[tenth == one].mean(), self.observed(y, tenth == one)[output]
        return found

    def among(self, tasks: Collection[Any]) -> str:
        """What this is among the tasks that something serves: itself, one that it is like, or "" for none of them."""
        return next((one for one in (self.name, self.like) if one and one in tasks), "")


TASKS = Registry("task", Task, in_runs=True)


def task_of(y: Target, task: str | None = None) -> str:
    """The name of the task: `task` where it is given; otherwise the first that recognises the target."""
    width = len(y.dtype.names) if y.dtype.names else 1 if y.ndim == 1 else y.shape[1]
    if task is None:
        return _taker(width, y).name
    names = TASKS.names()
    if not isinstance(task, str) or task not in names:
        raise wrong_argument("task", " or ".join(names), task)
    wanted = TASKS[task].n_columns
    if len(y) and wanted != width:
        several = "; give st.Survival(time, event), or the columns of both" if wanted > width else ""
        values = "1 value" if width == 1 else f"{width} values"
        raise InputError(f"y has {values} per row, and {TASKS[task].words} has {wanted}{several}.")
    return str(task)


def _taker(n_columns: int, y: Target | None = None) -> Task:
    """The first task that takes targets of so many columns and recognises this one."""
    fitting = sorted((one for one in TASKS.values() if one.n_columns == n_columns), key=lambda one: one.place)
    return next(one for one in fitting if y is None or one.recognise(y))


def check_columns(y: Any) -> None:
    """Refuse targets with more values per row than any task takes."""
    taken = {one.n_columns for one in TASKS.every()}
    names = getattr(getattr(y, "dtype", None), "names", None)
    if names and len(names) not in taken:
        raise InputError(
            f"y has {len(names)} values per row ({', '.join(names)}); expected one: choose one of them{_late(names)}."
        )
    try:
        shape = np.asarray(y).shape
    except ValueError:
        raise InputError("y holds lists of different lengths; expected one value per row.") from None
    if len(shape) == 2 and shape[1] > 1 and shape[1] not in taken:
        advice = f"choose one of its columns{_late(range(shape[1]))}"
        raise InputError(f"y should be a 1d array, got an array of shape {shape} instead; {advice}.")


def _late(columns: Sequence[Any]) -> str:
    """What is said of a target that may be a start, a stop and an event."""
    told = ", or a time and an event; times with a start and a stop (left truncation) are not modelled"
    return told if len(columns) == N_LATE else ""


def columns_of(y: Any) -> dict[str, Any] | None:
    """The columns of a target that has several, by name: those of a frame, of a structured or of a plain array.

    Columns of truth values come last, as an event stands after its time. None for a target of one value per row.
    """
    names = getattr(getattr(y, "dtype", None), "names", None)
    if names and len(names) > 1:
        columns = {str(name): np.asarray(y[name]) for name in names}
    else:
        try:
            values = np.asarray(y)
        except ValueError:  # lists of different lengths get their sentence elsewhere
            return None
        if values.ndim != 2 or values.shape[1] < 2:
            return None
        named = getattr(y, "column_names", getattr(y, "columns", None))  # of Arrow, of other frames
        if named is not None:
            columns = {str(name): np.asarray(y[name]) for name in named}
        else:
            columns = {f"y[:, {place}]": column for place, column in enumerate(values.T)}
    return dict(sorted(columns.items(), key=lambda item: item[1].dtype.kind == "b"))


def read_columns(columns: Mapping[str, Sequence[Any]]) -> Target:
    """The target that several columns are, as the task reads it that takes so many; as numbers where none does."""
    known = any(one.n_columns == len(columns) for one in TASKS.every())
    return _taker(len(columns)).read(columns) if known else _side_by_side(columns)
