"""Measures of weights: how alike the runs spread importance over the features.

A score takes the absolute weights of all runs (`Rows`), and the similarity where it needs one, and gives a runs x runs
table of scores or Correlations.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import numpy as np

from steadyset.foundation.arguments import check_flag, is_whole, wrong_argument
from steadyset.io.labels import text_index
from steadyset.kernels.arrays import Floats, Ints
from steadyset.measures.options import check_similarity
from steadyset.measures.record import Measure, register
from steadyset.measures.rows import Correlations, Rows, weight_rows
from steadyset.selections import Selections, as_selections
from steadyset.similarity import FeatureSimilarity
from steadyset.similarity.store import TIE

if TYPE_CHECKING:
    import pandas as pd

CELLS_A_BLOCK = 1 << 23


def msi_score(weights: Rows, *, similarity: FeatureSimilarity, thresholded: bool = False) -> Floats:
    """Maximal shared importance: how much importance two runs can exchange between features, weighted by similarity.

    The importances of a run (absolute weights) are scaled to sum to k̄, the mean number of selected features. Both sides
    and the similarities c are not negative, so the optimum moves everything: the score is 1 - EMD(w_i/k̄, w_j/k̄; 1 - c),
    solved exactly on the two supports. Similarities are used as they are; with thresholded=True those below the
    threshold count as 0. Without weights the selected features are equally important. Two empty runs score 1, an empty
    run and another 0; a run whose importances are all 0 is empty. `shared_importance` shows the exchange.

    Formula: max_x sum_fg c(f,g) x_fg / k̄ with sum_g x_fg <= w_if, sum_f x_fg <= w_jg, x >= 0
    Undefined: never
    Reference: Hamer and Dupont 2021
    """
    rows = weights.positive()
    table = _shared_table(rows, rows.values / rows.sums(rows.values)[rows.runs], similarity, thresholded)
    empty = rows.sizes == 0
    table[empty ^ empty[:, None]] = 0.0
    table[empty & empty[:, None]] = 1.0
    return table


def yu_ding_loscalzo_score(weights: Rows, *, similarity: FeatureSimilarity, thresholded: bool = False) -> Floats:
    """Maximum weighted matching of two sets of one size k, a pair of features weighted by its similarity.

    The special case of msi where all importances are equal and all sizes too; weights are not used.

    Formula: max over one-to-one matchings of sum c(f, match(f)) / k
    Undefined: the sizes differ, or k is 0
    Reference: Yu, Ding and Loscalzo 2008
    """
    k = weights.sizes
    table = _shared_table(weights, 1 / k[weights.runs], similarity, thresholded)
    table[k != k[:, None]] = np.nan
    return table


def pearson_score(weights: Rows) -> Correlations:
    """Pearson correlation of the absolute weights over all d features; the mean over pairs takes linear time.

    Formula: sum_f (w_if - w̄_i)(w_jf - w̄_j) / sqrt(sum_f (w_if - w̄_i)² sum_f (w_jf - w̄_j)²)
    Undefined: all features of a run have the same weight, as when it is empty
    Reference: Kalousis et al. 2005; Hamer and Dupont 2021
    """
    return Correlations(weights)


def shared_importance(
    selections: Selections, i: int, j: int, similarity: FeatureSimilarity, *, thresholded: bool = False
) -> pd.DataFrame:
    """The exchange behind msi for two runs: which features share how much importance.

    Parameters
    ----------
    selections : Selections
        Runs with weights.
    i : int
        The first run, from 0.
    j : int
        The second run, from 0.
    similarity : FeatureSimilarity
        How similar the features are.
    thresholded : bool, default=False
        Whether similarities below the threshold count as 0.

    Returns
    -------
    pandas.DataFrame
        The columns feature_i, feature_j, amount and similarity, most similarity x amount first. Amounts sum to k̄, the
        mean number of selected features; sum(similarity x amount) / k̄ is the msi of the two runs. Where several
        exchanges are best, this is one of them.

    References
    ----------
    Hamer and Dupont 2021.

    Examples
    --------
    >>> import numpy as np, steadyset as st
    >>> sel = st.Selections.from_weights([[3.0, 0.0, 1.0], [0.0, 2.0, 2.0]], features=["a", "b", "c"])
    >>> C = np.array([[1.0, 0.75, 0.0], [0.75, 1.0, 0.0], [0.0, 0.0, 1.0]])
    >>> st.shared_importance(sel, 0, 1, st.FeatureSimilarity.from_matrix(C))
      feature_i feature_j  amount  similarity
    0         a         b     1.0        0.75
    1         c         c     0.5        1.00
    2         a         c     0.5        0.00
    """
    import pandas as pd

    from steadyset.kernels.importances.transport import transport_plan

    runs = as_selections(selections)
    check_similarity(similarity)
    check_flag("thresholded", thresholded)
    similarity.check(runs)
    for name, run in (("i", i), ("j", j)):
        if not (is_whole(run) and 0 <= run < runs.n_runs):
            raise wrong_argument(name, f"a run from 0 to {runs.n_runs - 1}", run)
    rows = weight_rows(runs).positive()
    (f, w), (g, v) = (_entries(rows, run) for run in (i, j))
    c = _block(similarity, f, g, thresholded)
    source, sink, moved = transport_plan(w, v, c) if len(f) and len(g) else (f[:0], g[:0], w[:0])
    alike = c[source, sink]
    order = np.lexsort((g[sink], f[source], -alike * moved))
    names = np.array(runs.features, dtype=object)
    return pd.DataFrame(
        {
            "feature_i": text_index(names[f[source[order]]]),
            "feature_j": text_index(names[g[sink[order]]]),
            "amount": moved[order] * runs.sizes.mean(),
            "similarity": alike[order],
        }
    )


def _entries(rows: Rows, run: int) -> tuple[Ints, Floats]:
    """The features of one run and their shares of its importance."""
    entries = slice(rows.indptr[run], rows.indptr[run + 1])
    values = rows.values[entries]
    return rows.indices[entries], values / values.sum()


def _shared_table(rows: Rows, shares: Floats, similarity: FeatureSimilarity, thresholded: bool) -> Floats:
    """The most similarity that each pair of runs can share, nan where one is empty and on the diagonal."""
    from steadyset.kernels.importances.transport import shared_masses

    M = len(rows.rest)
    table = np.full((M, M), np.nan)
    row_code = np.zeros(len(rows.indices), dtype=np.int64)
    column_code = np.zeros(len(rows.indices), dtype=np.int64)
    for first, last in _groups(rows):
        own, later = slice(rows.indptr[first], rows.indptr[last]), slice(rows.indptr[first], None)
        features, row_code[own] = np.unique(rows.indices[own], return_inverse=True)
        others, column_code[later] = np.unique(rows.indices[later], return_inverse=True)
        c = _block(similarity, features, others, thresholded)
        table[first:last] = shared_masses(first, last - first, rows.indptr, shares, row_code, column_code, c)
    both: Floats = np.minimum(np.fmax(table, table.T), 1.0)  # shares can sum to more than 1 by rounding
    return both


def _groups(rows: Rows) -> Iterator[tuple[int, int]]:
    """Consecutive runs (first, last) whose similarities to all used features fit in one block."""
    most = max(1, CELLS_A_BLOCK // max(1, len(np.unique(rows.indices))))
    first, union = 0, np.empty(0, np.int64)
    for run in range(len(rows.rest)):
        joined = np.union1d(union, rows.indices[rows.indptr[run] : rows.indptr[run + 1]])
        if len(joined) > most and run > first:
            yield first, run
            first, joined = run, rows.indices[rows.indptr[run] : rows.indptr[run + 1]]
        union = joined
    yield first, len(rows.rest)


def _block(similarity: FeatureSimilarity, rows: Ints, columns: Ints, thresholded: bool) -> Floats:
    c = similarity.block(rows, columns)
    return np.ascontiguousarray(np.where(c >= similarity.threshold - TIE, c, 0.0) if thresholded else c)


for _measure in (
    Measure(
        name="msi",
        family="weights",
        aliases=("phi_msi",),
        score=msi_score,
        bounds=(0, 1),
        adjusted=True,
        needs=("similarity",),
        params={"thresholded": False},
    ),
    Measure(
        name="yu_ding_loscalzo",
        family="weights",
        score=yu_ding_loscalzo_score,
        bounds=(0, 1),
        adjusted=True,
        constant_size=True,
        needs=("similarity",),
        params={"thresholded": False},
    ),
    Measure(
        name="pearson",
        family="weights",
        aliases=("phi_pears",),
        score=pearson_score,
        bounds=(-1, 1),
        corrected=True,
        needs=("weights",),
    ),
):
    register(_measure)
