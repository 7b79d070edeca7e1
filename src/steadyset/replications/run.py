"""The replication of a selection: disjoint studies within the data at hand, and what follows for the next one."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from steadyset.assessment import Execution, assess
from steadyset.assessment.request import make_request
from steadyset.foundation.arguments import Estimator, Labels, TableLike, as_record, check_integer
from steadyset.foundation.errors import InputError
from steadyset.io.data.data_table import Data, as_data
from steadyset.replications.pairs import DisjointPairs, sizes_of
from steadyset.replications.result import Replication, replicated_of
from steadyset.runner.plan import Cut
from steadyset.selectors.filters.selector import FilterSelector
from steadyset.selectors.known import fits_many
from steadyset.tasks import CLASSES, NUMBER, TASKS

QUICK_PAIRS, OTHER_PAIRS = 150, 40
VALIDATED = frozenset({CLASSES, NUMBER})  # whose intervals were held against known truth: benchmarks/replication.py


def replication(
    selector: str | Estimator,
    X: TableLike | Data,
    y: Labels = None,
    *,
    pairs: int | None = None,
    cut: Cut | Mapping[str, Any] | None = None,
    n_jobs: int | None = None,
    out: str | Path | None = None,
    random_state: int | None = 0,
    execution: Execution | Mapping[str, Any] | None = None,
) -> Replication:
    """Tell how many features the next study would select again.

    Two parts of the rows without a common row are two independent studies, so that the agreement of studies of half the
    size is measured without a model. That of studies of the same size, of 2 and of 4 times as many rows follows from
    its growth, with intervals that say how little the data know of it. Studies are those of the same
    population and measurement.

    Parameters
    ----------
    selector : str or estimator
        One selector that selects a fixed number of features, such as "anova:k=10".
    X : array-like, frame, scipy sparse matrix, AnnData or Data
        The data, or what `load_data` returns.
    y : array-like of shape (n_samples,), str or None, default=None
        The target, or the name of its column.
    pairs : int or None, default=None
        How many pairs of studies of each size; None is 150 for filters that take all of them together, else 40.
    cut : Cut, Mapping or None, default=None
        Which importances of a model count as selected, such as ``st.Cut(top=10)``.
    n_jobs : int or None, default=None
        How many studies are computed at the same time; -1 takes all cores. The answer does not depend on it.
    out : str, Path or None, default=None
        A folder where every study is saved as soon as it finishes, and continued from.
    random_state : int or None, default=0
        The seed.
    execution : Execution, Mapping or None, default=None
        How the studies are executed, whether a folder continues, and who is told of progress.

    Returns
    -------
    Replication
        How many features two studies have in common, and how many of this list come out again, with intervals.

    Raises
    ------
    InputError
        Where an argument makes no sense, there are fewer than 32 rows, or the number of selected features varies.

    Examples
    --------
    >>> import numpy as np
    >>> import steadyset as st
    >>> X = np.random.default_rng(0).normal(size=(80, 50))
    >>> y = np.arange(80) % 2
    >>> X[y == 1, :5] += 1
    >>> found = st.replication("anova:k=5", X, y)
    >>> found.features["frequency"].round(1).tolist()
    [1.0, 1.0, 0.9, 0.7, 0.7]
    """
    if pairs is not None:
        check_integer("pairs", pairs, least=10)
    data = as_data(X, y, stacklevel=2)
    asked = make_request(selector, data, None, resampling=DisjointPairs(), scoring=[], cut=as_record("cut", Cut, cut))
    if len(asked.selectors) != 1:
        raise InputError(f"selector must be one selector (got {len(asked.selectors)}); ask for each by itself.")
    if asked.plan.task not in VALIDATED:
        raise InputError(f"Intervals of replication were not validated for {TASKS[asked.plan.task].words}.")
    chosen = asked.selectors[0]
    is_filter = isinstance(chosen, FilterSelector)
    number = pairs or (QUICK_PAIRS if is_filter and fits_many(chosen) else OTHER_PAIRS)
    result = assess(
        selector,
        data,
        resampling=DisjointPairs(number),
        scoring=[],
        cut=cut,
        n_jobs=n_jobs,
        out=out,
        random_state=random_state,
        execution=replace(as_record("execution", Execution, execution), all_rows=True),
    )
    name = result.selectors[0]
    whole = result.on_all_rows[name].selected
    if whole is None:
        raise InputError(f"{name} fails on all rows: {result.on_all_rows[name].failure}.")
    sets = {cell.run: frozenset(cell.selected) for cell in result.cells_of(name) if cell.selected is not None}
    n_rows = len(asked.plan.y)
    # A model of as many rows as features fits anything, and its choice says nothing of larger studies.
    least_rows = 0 if is_filter else len(whole) + 3
    found = replicated_of(name, sizes_of(n_rows, number), sets, whole, result.features, n_rows, least_rows)
    return Replication(found, result.settings, result)
