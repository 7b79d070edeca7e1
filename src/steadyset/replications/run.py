"""The replication of a selection: disjoint studies within the data at hand, and what follows for the next one.

Two disjoint parts of the rows are two independent studies of their size, so that their agreement needs no model. The
pairs within random halves of the rows do the same for two data sets of half the size: how far the two halves differ
says how much the agreement of one data set depends on which rows happened to be drawn.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from steadyset.assessment import Assessment, Execution, assess
from steadyset.assessment.request import ROWS_ALIKE, Request, make_request, refuse_beside, refuse_other_data
from steadyset.foundation.arguments import Estimator, Labels, TableLike, as_record, check_integer
from steadyset.foundation.display import from_above
from steadyset.foundation.errors import InputError
from steadyset.foundation.job import runs_for
from steadyset.foundation.threads import with_one_arithmetic_thread
from steadyset.io import beneath
from steadyset.io.data.data_table import Data, as_data
from steadyset.io.data.sources import repeated_words
from steadyset.io.disk import REPLICATION, SETTINGS, explained
from steadyset.io.labels import some_names
from steadyset.kernels.arrays import Floats, Ints
from steadyset.replications.result import MULTIPLES, Replication, replicated_of
from steadyset.resampling.base import Resampling, Rows
from steadyset.runner.plan import Cut
from steadyset.selectors.filters.selector import FilterSelector
from steadyset.selectors.known import fits_many
from steadyset.tasks import CLASSES, COUNT, NUMBER, SURVIVAL, TASKS

SHARES = (1 / 8, 1 / 6, 1 / 4, 1 / 3, 1 / 2)  # of all rows, that each of two studies has
SHARES_OF_HALVES = (1 / 4, 1 / 3, 1 / 2)
SPLITS = 6  # into two halves
LEAST_ROWS = 8  # of a study
WHOLE = -1  # in place of a split: all rows
QUICK_PAIRS, OTHER_PAIRS, LEAST_PAIRS = 150, 40, 10
SKEWED = 1.0  # the skewness of a number, beyond which it is told how often intervals held (exponential numbers have 2)
VALIDATED = frozenset({CLASSES, COUNT, NUMBER, SURVIVAL})  # their intervals hold known truth: benchmarks/replication.py


@with_one_arithmetic_thread
def replication(
    selector: str | Estimator | Assessment,
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
    selector : str, estimator or Assessment
        One selector that selects a fixed number of features, such as "anova:k=10". Or an assessment of the same data
        with one selector, which was given by name.
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
    data = as_data(X, y)
    refuse_beside(data, "replication", sample_weight=ROWS_ALIKE)
    how = as_record("execution", Execution, execution).without_limit("replication")
    if isinstance(selector, Assessment):
        made, selector = selector, selector.selectors[0]
        if len(made.selectors) != 1:
            raise InputError(
                f"The assessment has {len(made.selectors)} selectors ({some_names(made.selectors)}), and replication "
                "is told for one. Give that one as selector."
            )
        refuse_other_data(request_of(selector, data, cut), made.settings)
    found = replicated(
        selector, data, pairs=pairs, cut=cut, n_jobs=n_jobs, out=out, random_state=random_state, execution=how
    )
    if out is not None:
        from_above("findings", "record_answer")(found, Path(out))
    return found


def replicated(
    selector: Any,
    data: Data,
    *,
    pairs: int | None,
    cut: Cut | Mapping[str, Any] | None,
    execution: Execution,
    multiples: Sequence[float] = MULTIPLES,
    out: str | Path | None = None,
    **more: Any,
) -> Replication:
    """`replication`, with what is expected of studies of any multiples of the rows; `more` is what `assess` takes."""
    asked = request_of(selector, data, cut)
    number, n_rows = pairs_of(asked, pairs), len(asked.plan.y)
    sizes = sizes_of(n_rows, number)
    if out is not None:
        record_parts(Path(out), {"": ("", sum(size.runs for size in sizes))})
    with runs_for("replicate"):
        result = assess(
            selector,
            data,
            resampling=DisjointPairs(number),
            scoring=[],
            cut=cut,
            out=out,
            execution=replace(execution, all_rows=True),
            **more,
        )
    name = result.selectors[0]
    whole = result.on_all_rows[name].selected
    if whole is None:
        raise InputError(f"{name} fails on all rows: {result.on_all_rows[name].failure}.")
    sets = {cell.run: frozenset(cell.selected) for cell in result.cells_of(name) if cell.selected is not None}
    # A model of as many rows as features fits anything, and its choice says nothing of larger studies.
    least_rows = 0 if isinstance(asked.selectors[0], FilterSelector) else len(whole) + 3
    found = replicated_of(name, sizes, sets, whole, result.features, n_rows, least_rows, multiples)
    if repeated := result.settings["details"].get("repeated_rows", 0):
        found = replace(found, void=repeated_words(repeated))
    ranks_alone = getattr(asked.selectors[0], "name", "") == "kruskal"  # to which the target's skewness is nothing
    if asked.plan.task == NUMBER and not ranks_alone and (caution := skewness_words(asked.plan.y)):
        found = replace(found, notes=(*found.notes, caution))
    return Replication(found, result.settings, result)


def skewness_words(y: Floats) -> str:
    """Return how often intervals held for numbers as skewed as these in simulations; "" if they are not skewed."""
    deviations = y - y.mean()
    spread = float(np.sqrt(np.mean(deviations**2)))
    if spread == 0.0:
        return ""
    skewness = float(np.mean((deviations / spread) ** 3))
    if abs(skewness) <= SKEWED:
        return ""
    # The figures are those of benchmarks/replication.py.
    return (
        f"The target is skewed (skewness {skewness:.1f}), so that a few rows may decide what is selected. In "
        "simulations of lognormal numbers with a few effects, 95% intervals held the truth in about 92% of the data "
        "sets: take them as somewhat too narrow, or select by ranks (kruskal), or by the logarithm of a positive "
        "target."
    )


def request_of(selector: Any, data: Data, cut: Cut | Mapping[str, Any] | None = None) -> Request:
    """What is asked for; a sentence where it cannot be told whether it replicates."""
    asked = make_request(selector, data, None, resampling=DisjointPairs(), scoring=[], cut=as_record("cut", Cut, cut))
    if len(asked.selectors) != 1:
        raise InputError(f"selector must be one selector (got {len(asked.selectors)}); ask for each by itself.")
    if asked.plan.task not in VALIDATED:
        raise InputError(f"Intervals of replication were not validated for {TASKS[asked.plan.task].words}.")
    return asked


def pairs_of(asked: Request, pairs: int | None) -> int:
    """How many pairs of studies there are of each size."""
    if pairs is not None:
        check_integer("pairs", pairs, least=LEAST_PAIRS)
    chosen = asked.selectors[0]
    quick = isinstance(chosen, FilterSelector) and fits_many(chosen)
    return pairs or (QUICK_PAIRS if quick else OTHER_PAIRS)


def record_parts(folder: Path, parts: Mapping[str, tuple[str, int]]) -> None:
    """Put down what a folder will hold: by the folder of each part, "" for itself, the name of its study and its runs.

    Others know the folder by that from the first run on; one that holds something else stays as it is.
    """
    with explained(folder, resumable=True):
        folder.mkdir(parents=True, exist_ok=True)
        beneath.remove_abandoned_parts(folder, ".")
        if not beneath.modified(folder, SETTINGS):
            beneath.write(folder, REPLICATION, json.dumps(parts).encode())


# ---- the design: pairs of training sets that share no row, at several sizes


@dataclass(frozen=True)
class Size:
    """Pairs of one size: studies of `rows` rows, a `share` of all rows, or of one half of a split of them."""

    share: float
    rows: int
    pairs: int
    split: int = WHOLE
    half: int = 0

    @property
    def of_all_rows(self) -> bool:
        """Whether the rows are drawn from all, not from a half of a split."""
        return self.split == WHOLE

    @property
    def runs(self) -> int:
        """Both studies of every pair."""
        return 2 * self.pairs


def sizes_of(n_rows: int, pairs: int) -> list[Size]:
    """All sizes that have enough rows, in the order of their runs."""
    fewer = max(10, round(0.4 * pairs))
    whole = [Size(share, int(share * n_rows + 1e-9), pairs) for share in SHARES]
    halves = [
        Size(share, int(share * (n_rows // 2) + 1e-9), fewer, split, half)
        for split in range(SPLITS)
        for half in (0, 1)
        for share in SHARES_OF_HALVES
    ]
    return [size for size in (*whole, *halves) if size.rows >= LEAST_ROWS]


class DisjointPairs(Resampling):
    """Pairs of training sets without a common row; runs 2i and 2i + 1 are a pair.

    Parameters
    ----------
    pairs : int, default=40
        How many pairs there are of each size.
    random_state : int or None, default=None
        Seed of the runs; None takes the seed of the assessment.
    """

    bound = "pairs of runs share no row, and sizes differ"

    def __init__(self, pairs: int = 40, *, random_state: int | None = None) -> None:
        self.pairs = pairs
        self.random_state = random_state

    def check(self, rows: Rows) -> None:
        if rows.groups is not None:
            raise InputError("Whether a selection replicates was not validated for groups of rows, and is not told.")
        if rows.n < 4 * LEAST_ROWS:
            raise InputError(
                f"The data has {rows.n} rows; pairs of studies within halves of them need at least {4 * LEAST_ROWS}."
            )
        super().check(rows)

    def n_runs_for(self, rows: Rows) -> int:
        return sum(size.runs for size in sizes_of(rows.n, self.pairs))

    def _draw(self, run: int, rows: Rows, seed: int) -> tuple[Ints, Ints]:
        sizes = sizes_of(rows.n, self.pairs)
        ends = np.cumsum([size.runs for size in sizes])
        cell = int(np.searchsorted(ends, run, side="right"))
        size, run = sizes[cell], run - int(ends[cell]) + sizes[cell].runs
        available = np.arange(rows.n)
        if not size.of_all_rows:
            shuffled = _random(seed, 0, size.split).permutation(rows.n)
            available = shuffled[size.half * (rows.n // 2) :][: rows.n // 2]
        order = _random(seed, 1, cell, run // 2).permutation(available)
        train = np.sort(order[(run % 2) * size.rows :][: size.rows])
        return train, np.empty(0, np.int64)


def _random(*seed: int) -> np.random.Generator:
    return np.random.default_rng(np.random.SeedSequence(seed))
