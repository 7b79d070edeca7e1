"""The things that are added: for each kind the file that is written, or the text that a file of its kind gets."""

from __future__ import annotations

import ast
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path


@dataclass(frozen=True)
class Added:
    """A new thing of one kind: its name, the file that it stands in (from the root), and what that file gets."""

    kind: str
    name: str
    file: str
    text: str
    into: str = ""  # the list in that file which gets the text as its last record; "" puts it at the end of the file
    beside: Mapping[str, str] = field(default_factory=dict)  # files that its kind comes with, such as a picture's test

    def write(self, root: Path) -> None:
        """Add it to the copy in `root`; what stands in a file stays there."""
        for name, text in {self.file: self.text, **self.beside}.items():
            lines = (root / name).read_text(encoding="utf-8").splitlines(True) if (root / name).exists() else []
            end = _last_line(lines, self.into) - 1 if self.into and name == self.file else len(lines)
            (root / name).write_text("".join([*lines[:end], text, *lines[end:]]), encoding="utf-8")


def _last_line(lines: list[str], name: str) -> int:
    """The line in which the list that is called so ends."""
    for node in ast.parse("".join(lines)).body:
        targets = (
            node.targets if isinstance(node, ast.Assign) else [node.target] if isinstance(node, ast.AnnAssign) else []
        )
        if any(isinstance(target, ast.Name) and target.id == name for target in targets):
            return int(node.end_lineno or 0)
    raise LookupError(name)


MEASURE = Added(
    "measure",
    "braun",
    "src/steadyset/measures/pairwise.py",
    '''

@measure_of("pairwise", bounds=(0, 1))
def braun_score(r: Ints, ki: Ints, kj: Ints, d: int) -> Floats:
    """Share of the larger set that the smaller one holds.

    Formula: r / max(ki, kj)
    Undefined: a set is empty
    Reference: Jaccard 1901
    """
    return ratio(r, np.maximum(ki, kj))
''',
)

FILTER = Added(
    "filter",
    "value_range",
    "src/steadyset/selectors/filters/value_range.py",
    '''"""A filter by the range of the values."""

import numpy as np

from steadyset.kernels.arrays import Floats
from steadyset.selectors.filters.registry import Filter, register_filter


def value_range(X: Floats, y: Floats) -> Floats:
    """The difference between the largest and the smallest value."""
    return np.asarray(np.ptp(X, axis=0))


register_filter(
    Filter(
        name="value_range",
        score=value_range,
        weights=False,
        target=(),
        formula="max(X) - min(X)",
        summary="difference between the largest and the smallest value",
        reference="Jaccard 1901",
    )
)
''',
)

MODEL = Added(
    "model",
    "leading_columns",
    "src/steadyset/selectors/leading_columns.py",
    '''"""The first columns, whatever the data."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.base import BaseEstimator
from sklearn.feature_selection import SelectorMixin
from sklearn.utils.validation import check_is_fitted, validate_data

from steadyset.kernels.arrays import Bools
from steadyset.selectors.known import register_selector


class LeadingColumns(SelectorMixin, BaseEstimator):  # type: ignore[misc]
    """The first columns, whatever the data.

    Parameters
    ----------
    k : int, default=2
        How many columns are selected.

    References
    ----------
    Jaccard 1901
    """

    def __init__(self, k: int = 2) -> None:
        self.k = k

    def fit(self, X: Any, y: Any = None) -> LeadingColumns:
        validate_data(self, X)
        self.selected_ = np.arange(self.n_features_in_) < self.k
        return self

    def _get_support_mask(self) -> Bools:
        check_is_fitted(self)
        return self.selected_


register_selector("leading_columns", LeadingColumns, formula="-j")
''',
)

RULE = Added(
    "rule",
    "any_share",
    "src/steadyset/selectors/ensembles/any_share.py",
    '''"""A rule for the share of all runs, which is no theorem."""

from steadyset.selectors.ensembles.rules import BoundRule, register_rule


def any_share(q: float, threshold: float, d: int, n_pairs: int) -> float:
    """The square of q, over the threshold and the number of features."""
    return q**2 / (threshold * d)


register_rule(BoundRule("any_share", any_share, lowest=0.0))
''',
)

RESAMPLING = Added(
    "resampling",
    "two_thirds",
    "src/steadyset/resampling/two_thirds.py",
    '''"""Subsamples of two thirds of the rows."""

from steadyset.resampling.base import register_resampling
from steadyset.resampling.drawn import Subsample


class TwoThirds(Subsample):
    """Two thirds of the rows, without replacement.

    Parameters
    ----------
    n_runs : int, default=100
        How many runs are drawn.
    fraction : float, default=0.66
        The share of the rows in a training set.
    random_state : int or None, default=None
        The seed.

    References
    ----------
    Jaccard 1901
    """

    def __init__(self, n_runs: int = 100, *, fraction: float = 0.66, random_state: int | None = None) -> None:
        super().__init__(n_runs, fraction=fraction, random_state=random_state)


register_resampling("two_thirds", TwoThirds)
''',
)

PICTURE = Added(
    "picture",
    "sizes_of_runs",
    "src/steadyset/plots/run_sizes.py",
    '''"""How many features each run selects."""

from __future__ import annotations

from typing import Any

import pandas as pd

from steadyset.plots.catalogue import register_picture
from steadyset.plots.picture import Picture
from steadyset.selections import Selections


def sizes_of_runs(selections: Selections) -> Picture:
    """How many features each run selects, as bars.

    Parameters
    ----------
    selections : Selections
        The runs.

    Returns
    -------
    Picture
        One bar per size.

    Examples
    --------
    >>> import steadyset as st
    >>> runs = st.Selections.from_sets([["a"], ["a", "b"]], features=["a", "b", "c"])
    >>> st.plot.sizes_of_runs(runs).data["size"].tolist()
    [1, 2]
    """
    data = pd.DataFrame({"size": selections.sizes})
    return Picture(data, _drawn, ("size",), seen=_seen)


def _seen(data: pd.DataFrame) -> str:
    return f"{len(data)} runs by the number of their features."


def _drawn(alt: Any, data: pd.DataFrame) -> Any:
    return alt.Chart(data).mark_bar().encode(x=alt.X("size:O", title="selected features"), y="count()")


register_picture("sizes_of_runs", sizes_of_runs, title="Sizes of the runs", takes="selections")
''',
    beside={
        "tests/plots/test_sizes_of_runs.py": '''"""How many features each run selects."""

import steadyset as st


def small():
    return st.plot.sizes_of_runs(st.Selections.from_sets([["a"], ["a", "b"]], features=["a", "b", "c"]))
'''
    },
)

SCORE = Added(
    "score",
    "exact_share",
    "src/steadyset/runner/scoring.py",
    """

def _exact_share(model: Any, X: Floats, y: npt.NDArray[Any]) -> float:
    predicted = model.predict(X)
    return float(np.mean((np.rint(predicted) if predicted.dtype.kind == "f" else predicted) == y))


SCORES.add(
    Score(
        "exact_share",
        _exact_share,
        (CLASSES, "tally"),
        offered=True,
        words="share of rows that are predicted exactly",
        reference="Jaccard 1901",
    )
)
""",
)

TASK = Added(
    "task",
    "tally",
    "src/steadyset/tasks/tally.py",
    '''"""A tally: how often something happened in each row."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from steadyset.foundation.errors import InputError
from steadyset.tasks.record import TASKS, Task


def _check(y: NDArray[Any]) -> None:
    if y.dtype.kind not in "fiu" or (y < 0).any() or (y != np.rint(y)).any():
        raise InputError("y holds something other than counts; give whole numbers from 0.")


def _predictor() -> Any:
    from sklearn.linear_model import PoissonRegressor

    return PoissonRegressor(alpha=0.1)


def _blind() -> Any:
    from sklearn.dummy import DummyRegressor

    return DummyRegressor()


TASKS.add(
    Task(
        name="tally",
        words="a tally",
        one="a tally",
        several="tallies",
        recognise=lambda y: False,  # whole numbers are taken for classes or amounts unless somebody says so
        check=_check,
        describe=lambda y: f"a tally, {int(np.sum(y))} in total",
        selectors=lambda n_classes: ("variance",),
        score=lambda y: "exact_share",
        predictor=_predictor,
        predictor_words="Poisson regression",
        blind=_blind,
        blind_words="the mean",
    )
)
''',
)

SECTION = Added(
    "section",
    "run_counts",
    "src/steadyset/findings/sections.py",
    """

@section("run_counts", "How many runs there are", "selections", brief="Numbers of runs")
def _run_counts(found: Findings) -> list[Block]:
    return [Bullets(tuple(f"{name} has {sel.n_runs} runs." for name, sel in found.selections.items()))]
""",
)

PAPER = Added(
    "paper",
    "roe-2026",
    "papers/roe_2026.py",
    '''"""Roe (2026), which is no paper: what two equal sets score."""

from __future__ import annotations

from collections.abc import Iterator

from papers.framework import Row, Run, item, register_paper
from steadyset import Selections, stability

PRINTED = {"title": "Equal sets", "digits": 2, "cells": [{"row": "two equal sets", "column": "jaccard", "value": 1.0}]}
ABOUT = {"paper": "Roe (2026): Equal sets", "reference": "Jaccard 1901"}
register_paper("roe-2026", ABOUT | {"items": {"table-1": PRINTED}})


@item("roe-2026", "table-1", core=True)
def table_1(run: Run) -> Iterator[Row]:
    """Two runs that select the same."""
    runs = Selections.from_sets([["a", "b"], ["a", "b"]], features=["a", "b", "c"])
    for cell in run.published.cells:
        yield run.row(cell, stability(runs, cell.column))
''',
)

FORMAT = Added(
    "format",
    "ORC",
    "src/steadyset/io/formats/record.py",
    """

def _read_orc(file: File, max_gb: float) -> pa.Table:
    from pyarrow import orc

    return orc.read_table(file.path)


FORMATS.add(Format("ORC", (".orc",), read=_read_orc))
""",
)

OPTION = Added(
    "option",
    "top",
    "src/steadyset/options/table.py",
    """\
    Option(
        "top",
        "How many features to select where a selector has no number of its own.",
        "K",
        commands="assess",
        least=1,
        record="cut",
        calls=("run",),
        field=Field("runs", "Most features"),
    ),
""",
    into="TABLE",
)

ADDED = (MEASURE, FILTER, MODEL, RULE, RESAMPLING, PICTURE, SCORE, TASK, FORMAT, SECTION, PAPER, OPTION)
