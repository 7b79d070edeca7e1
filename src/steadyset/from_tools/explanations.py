"""Explanations of predictions over retrainings: whether the same features matter, over all rows and row by row."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from steadyset.foundation.arguments import LEVEL, TableLike, check_integer, check_level, is_collection, wrong_argument
from steadyset.foundation.display import Display, Shown, Table
from steadyset.foundation.errors import InputError
from steadyset.foundation.text import counted, number, percent, span
from steadyset.inference.interval import Interval, confidence_interval
from steadyset.io.numbers import numbers
from steadyset.kernels.arrays import Floats
from steadyset.measures import stability
from steadyset.measures.evaluate import POOR
from steadyset.selections import Selections

if TYPE_CHECKING:
    import pandas as pd

RANKS = "spearman"
LEAST_STEADY = 5  # rows that are shown


@dataclass(frozen=True, eq=False, repr=False)
class ExplanationStability(Shown):
    """How steady explanations are over retrainings: what `explanation_stability` answers.

    Attributes
    ----------
    overall : Selections
        The features of the largest mean absolute importance over all rows in each run, with the ranks of all features;
        `steadyset.report` and pictures take it.
    stability : Interval
        How steady these are, corrected for chance, with an interval.
    ranks : float
        The mean Spearman correlation of all importances between runs.
    rows : pandas.DataFrame
        One row per explained row: row, stability of its most important features, ranks, and the number of runs in which
        any feature has an importance.
    k : int
        How many of the most important features are compared.
    measure : str
        The measure of stability.

    Examples
    --------
    >>> import numpy as np
    >>> import steadyset as st
    >>> values = np.random.default_rng(0).normal(size=(20, 6, 10))
    >>> values[:, :, :2] += 5
    >>> found = st.explanation_stability(values, k=2)
    >>> float(found.rows["stability"].min()) > 0.9
    True
    """

    overall: Selections
    stability: Interval
    ranks: float
    rows: pd.DataFrame
    k: int
    measure: str

    def _display(self) -> Display:
        known = self.rows["stability"].dropna()
        ends = f"{percent(self.stability.level)} interval {span(self.stability.low, self.stability.high)}"
        said = [
            f"Over all rows, the {self.k} most important features have a stability of "
            f"{number(self.stability.estimate)} ({ends}; 0 is chance), and all ranks correlate by {number(self.ranks)}."
        ]
        if len(known):
            poor = int((known < POOR).sum())
            said.append(
                f"Row by row the median is {number(float(known.median()))}; {poor} of {counted(len(known), 'row')} "
                f"below {POOR:.2f}{', where what explains the prediction depends on the run' if poor else ''}."
            )
        if len(known) < len(self.rows):
            undefined = counted(len(self.rows) - len(known), "row")
            said.append(f"{undefined} without a stability: no feature has an importance in any run.")
        least: Any = self.rows.sort_values("stability", kind="stable").head(LEAST_STEADY).to_dict("records")
        sizes = counted(self.overall.n_runs, "run"), counted(len(self.rows), "row")
        about = f"{', '.join(sizes)}, {counted(self.overall.n_features, 'feature')}"
        return Display("ExplanationStability", about, tuple(said), [Table.of(least, "The least steady rows")])


def explanation_stability(
    values: TableLike | Sequence[TableLike],
    *,
    k: int = 5,
    features: Sequence[str] | None = None,
    rows: Sequence[str] | None = None,
    measure: str = "nogueira",
    level: float = LEVEL,
) -> ExplanationStability:
    """Tell how steady explanations of the same rows are when a model is trained again.

    Importances count by their absolute values. Over all rows they are averaged; a model may be steady in that and
    explain a single row by other features each time.

    Parameters
    ----------
    values : array-like of shape (n_runs, n_rows, n_features), or sequence
        The importance of each feature for each row in each run, such as SHAP values; or one matrix (rows x features),
        frame or shap.Explanation per run. All runs explain the same rows.
    k : int, default=5
        How many of the most important features are compared; those of importance 0 never count.
    features : sequence of str or None, default=None
        The names of the features, where the values do not have them.
    rows : sequence of str or None, default=None
        The names of the rows; None numbers them from 1.
    measure : str, default="nogueira"
        The measure of the stability of sets; nogueira is 0 by chance and 1 for equal ones.
    level : float, default=0.95
        The confidence of the interval.

    Returns
    -------
    ExplanationStability
        The stability over all rows, and that of each row.

    Raises
    ------
    InputError
        Where runs explain different rows or features, values are missing, or k is not below the number of features.

    Examples
    --------
    >>> import numpy as np
    >>> import steadyset as st
    >>> run = np.array([[3.0, 1.0, 0.0, 0.1], [0.1, 2.0, 0.0, 4.0]])
    >>> st.explanation_stability([run, run, run], k=2).rows["stability"].tolist()
    [1.0, 1.0]
    """
    check_level(level)
    every, own = _read(values)
    _, n_rows, d = every.shape
    check_integer("k", k, least=1, most=d - 1)
    names = own if features is None else features
    if rows is not None and len(rows) != n_rows:
        raise InputError(f"rows has {len(rows)} names, and {n_rows} rows are explained.")
    overall = _top(every.mean(axis=1), names, k)
    each = [_top(every[:, row], names, k) for row in range(n_rows)]
    import pandas as pd

    table = pd.DataFrame(
        {
            "row": [str(row + 1) for row in range(n_rows)] if rows is None else [str(name) for name in rows],
            "stability": [stability(sel, measure) for sel in each],
            "ranks": [stability(sel, RANKS) for sel in each],
            "runs": [int((sel.sizes > 0).sum()) for sel in each],
        }
    )
    interval = confidence_interval(overall, measure, level=level)
    return ExplanationStability(overall, interval, stability(overall, RANKS), table, k, measure)


def _top(magnitudes: Floats, names: Sequence[str] | None, k: int) -> Selections:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)  # equal importances, which the Selections count
        return Selections.from_importances(magnitudes, names, top=k)


def _read(values: Any) -> tuple[Floats, tuple[str, ...] | None]:
    """Absolute importances, runs x rows x features, and the names of the features where the runs have them."""
    if not is_collection(values) or len(values) < 2:
        raise wrong_argument("values", "runs x rows x features, or a list with one matrix per run, at least 2", values)
    runs: list[Floats] = []
    for place, one in enumerate(values, 1):
        given = one.values if hasattr(one, "base_values") else one.to_numpy() if hasattr(one, "to_numpy") else one
        matrix = np.abs(numbers(given, f"values of run {place}"))
        if matrix.ndim == 3:
            raise InputError(
                f"values of run {place} has the shape {matrix.shape}, with several outputs per row; choose one of "
                "them, such as values[..., 1] for the second class."
            )
        if matrix.ndim != 2 or 0 in matrix.shape:
            raise InputError(f"values of run {place} has the shape {matrix.shape}; expected rows x features.")
        if runs and matrix.shape != runs[0].shape:
            raise InputError(
                f"values of run {place} has the shape {matrix.shape} and that of run 1 {runs[0].shape}; explain the "
                "same rows by the same features in every run."
            )
        if not np.isfinite(matrix).all():
            raise InputError(f"values of run {place} holds missing or infinite numbers; compute them again.")
        runs.append(matrix)
    # Frames have columns, and a shap.Explanation has feature_names.
    told = [getattr(one, "columns", getattr(one, "feature_names", None)) for one in values]
    named = [None if names is None else tuple(map(str, names)) for names in told]
    if any(names != named[0] for names in named):
        raise InputError("The runs name their features differently; give the same columns in the same order.")
    return np.array(runs), named[0]
