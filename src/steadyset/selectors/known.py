"""The selectors that have a name of their own, beside the filters, and what a selector can tell beyond one selection.

Each registers itself where it is defined. What was loaded and registered in this process is made known to worker
processes by sending `Extensions` there. Ensembles and the runner ask for the methods of the protocols below, and never
for classes.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Any, Protocol, runtime_checkable

from sklearn.base import clone

from steadyset.foundation.arguments import Estimator, wrong_argument
from steadyset.foundation.errors import InputError
from steadyset.foundation.registry import Registry, additions, receive
from steadyset.kernels.arrays import Floats, Ints
from steadyset.selectors.filters.registry import FILTERS
from steadyset.selectors.functions import FunctionSelector, is_plain_function, takes_rows_and_target
from steadyset.tasks import TASKS


@dataclass(frozen=True)
class NamedModel:
    """What makes the selector for each task, or under None for every task, and the parameters of the name.

    `summary` says in a phrase what it does, `reference` who published it; without them its docstring does. `formula` is
    what it minimises, or the score that it selects by.
    """

    makers: dict[str | None, Callable[[], Any]]
    params: dict[str, Any] = field(default_factory=dict)
    summary: str = ""
    reference: str = ""
    formula: str = ""

    def maker(self, task: str) -> Callable[[], Any] | None:
        """What makes the selector for a task; None where there is none."""
        return self.makers.get(TASKS[task].among(self.makers), self.makers.get(None))


SelectorMaker = Estimator | type[Estimator] | Callable[[], Estimator] | Callable[[Any, Any], Any]
MODELS: Registry[NamedModel] = Registry(
    "selector",
    adopt=lambda name, selector: _adopt(name, selector),
    described=lambda model: model.summary,
    listing="list_selectors()",
)


def register_selector(
    name: str,
    selector: SelectorMaker | None = None,
    *,
    tasks: Mapping[str, SelectorMaker] | None = None,
    params: Mapping[str, Any] | None = None,
    summary: str = "",
    reference: str = "",
    formula: str = "",
    replace: bool = False,
) -> None:
    """Make a selector known by a name, to `assess`, `tune` and the command.

    Parameters
    ----------
    name : str
        What ``assess(["name:param=value"], ...)`` and the command take.
    selector : estimator, type, Callable or None, default=None
        A class, a function without arguments that makes one, an estimator that is copied, or a function of X and y
        that returns column numbers, names or a mask; for every task.
    tasks : Mapping or None, default=None
        Instead of it, one for each task that it serves: ``{"classes": ..., "number": ...}``; others are refused by a
        sentence.
    params : Mapping or None, default=None
        The parameters that the name stands for, such as ``{"l1_ratio": 0.5}``.
    summary : str, default=""
        What it does, in a phrase; empty takes the first paragraph of its docstring.
    reference : str, default=""
        Who published it; empty takes the references of its docstring.
    formula : str, default=""
        What it minimises or how it scores, as a formula.
    replace : bool, default=False
        Whether another one of this name gives way; otherwise a taken name is refused.

    Raises
    ------
    InputError
        Where the name is taken, or nothing makes a selector.

    Examples
    --------
    >>> import steadyset as st
    >>> from sklearn.feature_selection import SelectKBest
    >>> st.register_selector("best", tasks={"classes": SelectKBest(k=2)}, summary="the best by scikit-learn's F-test")
    >>> st.list_selectors().loc["best", "target"]
    'classes'
    """
    if name in FILTERS and not replace:
        raise InputError(f"A selector called {name!r} exists already; choose another name, or pass replace=True.")
    if (selector is None) == (not tasks):
        raise InputError("selector must be given, or tasks instead of it.")
    if tasks and not (isinstance(tasks, Mapping) and all(TASKS.knows(task) for task in tasks)):
        raise wrong_argument("tasks", f"a mapping from {' or '.join(TASKS)} to selectors", tasks)
    for argument, text in (("summary", summary), ("reference", reference), ("formula", formula)):
        if not isinstance(text, str):
            raise wrong_argument(argument, "text", text)
    served: Mapping[Any, Any] = {None: selector} if selector is not None else tasks or {}
    makers = {task: _maker(one) for task, one in served.items()}
    model = NamedModel(makers, dict(params or {}), summary, reference, formula)
    MODELS.add(model, name, replace=replace)


def _maker(selector: Any) -> Callable[[], Any]:
    if is_plain_function(selector) and takes_rows_and_target(selector):
        return partial(FunctionSelector, selector)
    if is_plain_function(selector) or isinstance(selector, type):
        return selector  # type: ignore[no-any-return]
    if not hasattr(selector, "get_params"):
        raise wrong_argument("selector", "a scikit-learn estimator, its class or a function", selector)
    return partial(clone, selector)


def _adopt(name: str, selector: Any) -> None:
    """Register what an entry point stands for, unless its module has done that."""
    made_by = [] if name not in MODELS else MODELS[name].makers.values()
    # A function of X and y is held by the maker of its selector.
    if not any(selector in (maker, *getattr(maker, "args", ())) for maker in made_by):
        register_selector(name, selector)


class Extensions:
    """Loaded modules and whatever was registered that runs look up by name, such as filters and rules.

    It has to be unpickled before what refers to it, so it stands first in whatever is sent.
    """

    def __reduce__(self) -> tuple[Callable[..., Extensions], tuple[Any, ...]]:
        return _arrive, additions()


def _arrive(*sent: Any) -> Extensions:  # this module's package has every registry that runs use
    receive(*sent)
    return Extensions()


# Two attributes may be left out of what follows: `has_size()` is false where another option than the size (a penalty, a
# threshold) decides how many are selected; `path_is_costly` is true where each further feature costs a
# search of its own.


@runtime_checkable
class PathBySize(Protocol):
    """A selector that tells by one fit what it selects at every size."""

    def path_by_size(self, X: Floats, y: Any, reach: int) -> list[Ints]:
        """The features at the sizes 1, 2, ..., reach; the list may end earlier, and then its last selection stays."""
        ...


@runtime_checkable
class PathsBySize(Protocol):
    """A selector that does so for many resamples at once."""

    def paths_by_size(
        self, X: Floats, y: Any, weights: Floats, reach: int, *, random_state: int, n_jobs: int | None
    ) -> Sequence[list[Ints]]:
        """The path of each row of the M x n weights, which count how often a resample holds a row."""
        ...


@runtime_checkable
class PathByPenalty(Protocol):
    """A selector whose selections grow as a penalty falls; all runs of an ensemble go down the same penalties."""

    def largest_penalty(self, X: Floats, y: Any) -> float:
        """The least penalty that leaves out every feature."""
        ...

    def path_by_penalty(self, X: Floats, y: Any, penalties: Floats, reach: int) -> tuple[list[Ints], Ints]:
        """The features at each penalty, down to the first with reach of them, and all in the order of their entry."""
        ...


@runtime_checkable
class PathsByPenalty(Protocol):
    """A selector that goes down its penalties for many resamples at once."""

    def largest_penalties(self, X: Floats, y: Any, weights: Floats, *, n_jobs: int | None) -> Floats:
        """The least penalty that leaves out every feature, for each row of the M x n weights."""
        ...

    def paths_by_penalty(
        self, X: Floats, y: Any, weights: Floats, penalties: Floats, reach: int, *, n_jobs: int | None
    ) -> list[tuple[list[Ints], Ints]]:
        """What `path_by_penalty` gives, for each row of the weights."""
        ...


@runtime_checkable
class FitsMany(Protocol):
    """A selector that may be fitted to many weight vectors together, faster than one by one and to the same bits."""

    def can_fit_many(self) -> bool:
        """Whether it does so with the options that it has."""
        ...

    def fit_many(self, X: Any, y: Any, weights: Floats) -> Iterator[Callable[[], Any]]:
        """For each row of the M x n weights a call that gives a copy of the selector, fitted with it.

        The call warns and raises what fit(X, y, sample_weight=row) would; what is common to all is done before.
        """
        ...


@runtime_checkable
class SharesPaths(Protocol):
    """A selector whose fits to the same weight vectors share work where only `path_parameters` differ."""

    path_parameters: tuple[str, ...]

    def share_paths(self, X: Any, y: Any, weights: Floats) -> Callable[[Any], Sequence[Callable[[], Any]]] | None:
        """A function that gives what `fit_many` of another such selector gives; None where there is no room."""
        ...


def fits_many(selector: Any) -> bool:
    """Whether a selector may be fitted to many weight vectors together."""
    return isinstance(selector, FitsMany) and selector.can_fit_many()
