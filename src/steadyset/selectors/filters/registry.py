"""The record that describes a filter, and the list of all filters."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

from steadyset.foundation.arguments import wrong_argument
from steadyset.foundation.errors import InputError
from steadyset.foundation.registry import Registry
from steadyset.kernels.arrays import Floats, Ints
from steadyset.tasks import CLASSES, TASKS

if TYPE_CHECKING:
    import pandas as pd

PASSED = ("k", "threshold", "fill", "random_state", "n_jobs", "covariates", "precisions")  # no options of a score


class Steps(NamedTuple):
    """What a greedy filter returns for one resample: a score for every feature and the selected ones in order.

    ``n_tied`` counts the steps at which a feature that was never selected scored as well as the one that was.
    """

    scores: Floats
    order: Ints
    n_tied: int = 0


class Variant(NamedTuple):
    """What a filter computes for a task where that is another score: the function, in a phrase, and the formula.

    `reference` says who published it, where that is not that of the filter.
    """

    score: Callable[..., Any]
    summary: str
    formula: str
    reference: str = ""


@dataclass(frozen=True, kw_only=True)
class Filter:
    """A filter scores features; the higher the score, the better. Everything but the score is shared by all filters.

    Parameters
    ----------
    name : str
        The name of the filter.
    score : Callable
        What scores the features; see the notes.
    reference : str
        Where the filter comes from.
    target : tuple of str, default=("classes",)
        The tasks, such as "classes" and "number", or nothing for a filter that ignores y.
    variants : Mapping of str to Variant, default={}
        For a task whose score is another one: that, what it is in a phrase, and its formula. Without one, `score` tells
        tasks apart by the type of y.
    multiclass : bool, default=True
        Whether more than two classes are taken.
    needs_discrete : str or None, default=None
        The default discretiser, which is passed on as `discretise`; None where values are taken as they are.
    weights : bool, default=True
        Whether the score takes weights; otherwise it sees rows that have been copied by theirs.
    batched : bool, default=False
        Whether the score takes many resamples at once.
    greedy : bool, default=False
        Whether features are chosen one by one; the score then also takes `k` and `threshold` and returns `Steps`.
    stochastic : bool, default=False
        Whether the score draws random numbers; it then gets `random_state`, an integer.
    constant : float, Callable or None, default=None
        The score of a constant column, or what gives it for each resample from y and the M x n weights. Features that
        score no more are never selected. With None columns that are constant in a resample are looked up instead.
    missing : bool, default=False
        Whether X may hold missing values (nan), which the score leaves out. Others are refused with a sentence.
    summary : str, default=""
        What the score is, in a phrase.
    formula : str, default=""
        The score as a formula.

    Notes
    -----
    ``score`` takes X (n x d floats), y (class numbers 0..K-1, or floats where the target is a number, or None) and
    weights:

    - ``batched``: ``score(X, y, weights, **params)`` with M x n weights returns M x d scores; a class may have no
      weight in a resample.
    - otherwise ``score(X, y, weights, **params)`` with n positive weights returns d scores, and with ``weights=False``
      ``score(X, y, **params)``, where rows have been copied by their whole weights.
    - ``greedy`` filters are not batched.
    - A score of nan is undefined: the feature is never selected.
    - A score with a keyword ``precisions`` takes the weights of single values (n x d) too.

    Examples
    --------
    >>> import numpy as np
    >>> import steadyset as st
    >>> def medians_apart(X, y):
    ...     return np.abs(np.median(X[y == 0], axis=0) - np.median(X[y == 1], axis=0))
    >>> record = st.Filter(name="medians", score=medians_apart, weights=False, multiclass=False, reference="")
    >>> record.title
    "filter 'medians'"
    """

    name: str
    score: Callable[..., Any]
    reference: str
    target: tuple[str, ...] = (CLASSES,)
    variants: Mapping[str, Variant] = field(default_factory=dict)
    multiclass: bool = True
    needs_discrete: str | None = None
    weights: bool = True
    batched: bool = False
    greedy: bool = False
    stochastic: bool = False
    constant: float | Callable[[Any, Floats], Floats] | None = None
    missing: bool = False
    summary: str = ""
    formula: str = ""

    def score_for(self, task: str) -> Callable[..., Any]:
        """What scores features for a task.

        Parameters
        ----------
        task : str
            What the target is.

        Returns
        -------
        Callable
            The score.
        """
        own = TASKS[task].among(self.variants)
        return self.variants[own].score if own else self.score

    def told_for(self, task: str, what: Literal["summary", "reference"]) -> str:
        """The summary or the reference of the score for a task.

        Parameters
        ----------
        task : str
            What the target is.
        what : {"summary", "reference"}
            Which of them.

        Returns
        -------
        str
            The phrase.
        """
        own = TASKS[task].among(self.variants)
        return (getattr(self.variants[own], what) if own else "") or str(getattr(self, what))

    def told(self, what: Literal["summary", "formula"]) -> str:
        """The summary or the formula, for all tasks.

        Parameters
        ----------
        what : {"summary", "formula"}
            Which of them.

        Returns
        -------
        str
            The text; where tasks differ, those of all.
        """
        others = [f"for {TASKS[task].words}, {getattr(one, what)}" for task, one in self.variants.items()]
        return "; ".join(filter(None, [getattr(self, what), *others]))

    @property
    def options(self) -> dict[str, Any]:
        """What the score takes besides the data and what every filter is passed, with its defaults."""
        taken = inspect.signature(self.score).parameters.values()
        own = {p.name: p.default for p in taken if p.kind is p.KEYWORD_ONLY and p.name not in PASSED}
        return {name: self.needs_discrete if name == "discretise" else value for name, value in own.items()}

    @property
    def title(self) -> str:
        """How sentences call the filter."""
        return f"filter {self.name!r}"


FILTERS = Registry(
    "filter",
    Filter,
    described=lambda record: "; ".join([record.summary, *(one.summary for one in record.variants.values())]),
    in_runs=True,
)


def register_filter(record: Filter, *, replace: bool = False) -> Filter:
    """Make a filter known by its name, to `FilterSelector`, `assess`, `tune` and the command.

    Parameters
    ----------
    record : Filter
        The filter.
    replace : bool, default=False
        Whether another one of this name gives way; otherwise a taken name is refused.

    Returns
    -------
    Filter
        The filter.

    Raises
    ------
    InputError
        Where the name is taken or the record makes no sense.

    Examples
    --------
    >>> import numpy as np
    >>> import steadyset as st
    >>> from sklearn.datasets import load_breast_cancer
    >>> def spread(X, y):
    ...     return X.std(axis=0) / np.abs(X).mean(axis=0)
    >>> _ = st.register_filter(st.Filter(name="spread", score=spread, weights=False, reference="", target=()))
    >>> X, y = load_breast_cancer(return_X_y=True, as_frame=True)
    >>> st.FilterSelector("spread", k=2).fit(X, y).get_feature_names_out().tolist()
    ['area error', 'concavity error']
    """
    if not isinstance(record, Filter):
        raise wrong_argument("record", "a Filter", record)
    unknown = [task for task in record.target if not TASKS.knows(task)]
    if unknown:
        tasks = ", ".join(map(repr, TASKS))
        raise InputError(f"target must hold {tasks}, several or nothing (got {min(unknown)!r}).")
    if record.greedy and record.batched:
        raise InputError(f"{record.title} is both greedy and batched; greedy filters run one resample at a time.")
    return FILTERS.add(record, replace=replace)


def get_filter(name: str) -> Filter:
    """The record of a filter."""
    return FILTERS.find(name)


def filters_for(task: str) -> list[str]:
    """The names of the filters that take a target of a task; those that ignore it are not among them."""
    return [record.name for record in FILTERS.every() if TASKS[task].among(record.target)]


def list_filters() -> pd.DataFrame:
    """One row per filter: the targets it takes, what it does with bins and weights, and its reference."""
    import pandas as pd

    rows = [
        {
            "filter": record.name,
            "target": " or ".join(record.target) or "none",
            "multiclass": record.multiclass and any(TASKS[task].has_classes for task in record.target),
            "discretised": record.needs_discrete or "",
            "weights": "frequencies" if record.weights else "rows are copied",
            "batched": record.batched,
            "greedy": record.greedy,
            "stochastic": record.stochastic,
            "missing": record.missing,
            "reference": record.reference,
        }
        for record in FILTERS.every()
    ]
    return pd.DataFrame(rows).set_index("filter")
