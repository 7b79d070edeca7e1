"""Measures of weights and of rankings: how alike the runs spread importance over the features, or order them.

A score takes one number per feature of all runs (`Rows`: absolute weights, or ranks with 1 = best and ties averaged),
and the similarity where it needs one, and gives a runs x runs table of scores or Correlations.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING

import numpy as np

from steadyset.foundation.arguments import check_flag, is_whole, wrong_argument
from steadyset.io.labels import text_index
from steadyset.kernels.arrays import Bools, Floats, Ints
from steadyset.measures import evaluate
from steadyset.measures.evaluate import Estimate, Family, Options, PairTotal, table_mean, undefined_runs
from steadyset.measures.record import INFINITY, Measure, measure_of
from steadyset.selections import Selections, as_selections
from steadyset.similarity import FeatureSimilarity
from steadyset.similarity.store import TIE

if TYPE_CHECKING:
    import pandas as pd


@dataclass(frozen=True)
class Rows:
    """The values of the features that each run lists; all others of run i have the value rest[i].

    A note says where the values come from when that is not what the caller gave.
    """

    indptr: Ints
    indices: Ints
    values: Floats
    rest: Floats
    n_features: int
    note: str = ""

    @property
    def sizes(self) -> Ints:
        """How many features each run lists."""
        return np.diff(self.indptr)

    @property
    def runs(self) -> Ints:
        """The run of each entry."""
        return np.repeat(np.arange(len(self.rest)), self.sizes)

    def sums(self, entries: Floats) -> Floats:
        """For each run the sum of one number per entry."""
        totals = np.zeros(len(self.rest))
        np.add.at(totals, self.runs, entries)
        return totals

    def positive(self) -> Rows:
        """The rows without the entries that are 0."""
        kept = self.values > 0
        indptr = np.concatenate([[0], np.cumsum(kept)])[self.indptr]
        return Rows(indptr, self.indices[kept], self.values[kept], self.rest, self.n_features, self.note)


def weight_rows(selections: Selections) -> Rows:
    """The absolute weights; without weights the selected features count as equally important."""
    weights = selections.weights
    note = selections.weights_from
    if weights is None:
        why = f" ({note})" if note else ""
        note = f"no weights given{why}: the selected features count as equally important"
    values = np.abs(weights) if weights is not None else np.ones(len(selections.indices))
    rest = np.zeros(selections.n_runs)
    return Rows(selections.indptr, selections.indices, values, rest, selections.n_features, note)


def rank_rows(selections: Selections) -> Rows:
    """The ranks, ties averaged; without rankings the features are ranked by their absolute weights, largest first."""
    from scipy.stats import rankdata  # takes long to import

    if selections.rankings is None:
        return _ranked_by_weight(weight_rows(selections))
    M, d = selections.n_runs, selections.n_features
    ranks = np.stack([row if _is_untied(row) else rankdata(row) for row in selections.rankings])
    return Rows(np.arange(M + 1) * d, np.tile(np.arange(d), M), ranks.ravel(), np.full(M, (d + 1) / 2), d)


def _ranked_by_weight(weights: Rows) -> Rows:
    """Features of weight 0 share the mean of the ranks that remain, so they need not be listed."""
    from scipy.stats import rankdata

    rows = weights.positive()
    ranks = np.empty(len(rows.values))
    for begin, end in zip(rows.indptr[:-1], rows.indptr[1:], strict=True):
        ranks[begin:end] = rankdata(-rows.values[begin:end])
    rest = (rows.sizes + 1 + rows.n_features) / 2
    note = "; ".join(part for part in ("no rankings given: ranked by absolute weight", weights.note) if part)
    return Rows(rows.indptr, rows.indices, ranks, rest, rows.n_features, note)


def _is_untied(ranks: Floats) -> bool:
    """The ranks are 1..d in some order, which is checked in linear time."""
    d = len(ranks)
    if ranks.max() > d:
        return False
    whole = ranks.astype(np.int64)
    return bool(np.array_equal(whole, ranks) and np.bincount(whole, minlength=d + 1)[1:].all())


class Correlations:
    """The correlations over all d features of the rows; `defined` tells the runs that are not constant.

    With z_i the row of run i moved to mean 0 and scaled to length 1, the correlation of two runs is z_i . z_j. The sum
    over all pairs is (|sum_i z_i|² - M) / 2, so their mean costs one pass over the rows instead of one over the pairs.
    """

    def __init__(self, rows: Rows) -> None:
        self._rows = rows
        d, k = rows.n_features, rows.sizes
        mean_listed = rows.sums(rows.values) / np.maximum(k, 1)
        # Any shift leaves correlations as they are; the rest's value keeps rows sparse, the mean keeps them exact.
        shift = np.where(k == d, mean_listed, rows.rest)
        moved = rows.values - shift[rows.runs]
        mean = rows.sums(moved) / d
        length = np.sqrt(rows.sums((moved - mean[rows.runs]) ** 2) + (d - k) * mean**2)
        self.defined = ~_constant(rows)
        scale = np.where(self.defined, 1 / np.where(self.defined, length, 1.0), 0.0)
        self._entries, self._means = moved * scale[rows.runs], mean * scale

    def total(self) -> PairTotal:
        """The total over the pairs of runs."""
        sums = np.bincount(self._rows.indices, weights=self._entries, minlength=self._rows.n_features)
        centred = sums - self._means.sum()
        M, n = len(self.defined), int(self.defined.sum())
        n_defined, total = n * (n - 1) // 2, PairTotal()
        total.add(np.array([float(centred @ centred - n) / 2 / max(1, n_defined)]), np.array([n_defined]))
        total.add(np.array([np.nan]), np.array([M * (M - 1) // 2 - n_defined]))
        return total

    def table(self) -> Floats:
        """All pairs, nan where a run is constant."""
        from scipy import sparse

        rows = self._rows
        shape = (len(rows.rest), rows.n_features)
        entries = sparse.csr_array((self._entries, rows.indices, rows.indptr), shape=shape)
        products = np.asarray((entries @ entries.T).toarray(), dtype=np.float64)
        table = products - rows.n_features * np.outer(self._means, self._means)
        table[~self.defined] = table[:, ~self.defined] = np.nan
        return table


def _constant(rows: Rows) -> Bools:
    """Decided by comparison, since the variance of a constant row may come out as a rounding residue."""
    level = rows.rest.copy()
    full = rows.sizes == rows.n_features
    level[full] = rows.values[rows.indptr[:-1][full]]
    differs = (rows.values != level[rows.runs]).astype(np.float64)
    return np.asarray(rows.sums(differs) == 0)


class _OfRows(Family):
    """Means over pairs of scores of `Rows`, which `read` makes of runs; a score gives a table or `Correlations`."""

    read: Callable[[Selections], Rows]

    def evaluate(self, selections: Selections, measures: Sequence[Measure], options: Options) -> list[Estimate]:
        results = []
        rows = self.read(selections)
        for measure in measures:
            scores = _scores(rows, measure, options)
            if isinstance(scores, Correlations):
                found = partial(undefined_runs, ~scores.defined, measure, selections)
                estimate = scores.total().settled(measure, found, options)
            else:
                estimate = table_mean(scores, measure, selections, options)
            notes = [note for note in (rows.note, estimate.note) if note]
            results.append(replace(estimate, note="; ".join(notes)))
        return results

    def pair_scores(self, selections: Selections, measure: Measure, options: Options) -> Floats:
        scores = _scores(self.read(selections), measure, options)
        table = scores.table() if isinstance(scores, Correlations) else scores.copy()
        np.fill_diagonal(table, np.nan)
        return table


class Weights(_OfRows):
    """Scores of the absolute weights of the selected features."""

    name = "weights"
    read = staticmethod(weight_rows)


class Rankings(_OfRows):
    """Scores of the ranks of all features."""

    name = "rankings"
    read = staticmethod(rank_rows)


def _scores(rows: Rows, measure: Measure, options: Options) -> Floats | Correlations:
    needed = {"similarity": options.similarity} if "similarity" in measure.needs else {}
    scores: Floats | Correlations = measure.score(rows, **needed, **measure.params)
    return scores


CELLS_A_BLOCK = 1 << 23


@measure_of("weights", "phi_msi", bounds=(0, 1), adjusted=True, needs=("similarity",), params={"thresholded": False})
def msi_score(weights: Rows, *, similarity: FeatureSimilarity, thresholded: bool = False) -> Floats:
    """Maximal shared importance: how much importance two runs can exchange between features, weighted by similarity.

    The importances of a run (absolute weights) are scaled to sum to k̄, the mean number of selected features. Both sides
    and the similarities c are not negative, so the optimum moves everything: the score is 1 - EMD(w_i/k̄, w_j/k̄; 1 - c),
    solved exactly on the two supports. Similarities are used as they are, unless thresholded. Without weights the
    selected features are equally important. Two empty runs score 1, an empty run and another 0; a run whose importances
    are all 0 is empty. `shared_importance` shows the exchange.

    Parameters
    ----------
    weights : Rows
        The absolute weights of all runs.
    similarity : FeatureSimilarity
        How similar the features are.
    thresholded : bool, default=False
        Whether similarities below the threshold count as 0.

    Formula: max_x sum_fg c(f,g) x_fg / k̄ with sum_g x_fg <= w_if, sum_f x_fg <= w_jg, x >= 0
    Undefined: never
    Convention: of two empty runs 1, of an empty run and another 0, as computed here (note 1)
    Reference: Hamer and Dupont 2021
    """
    rows = weights.positive()
    table = _shared_table(rows, rows.values / rows.sums(rows.values)[rows.runs], similarity, thresholded)
    empty = rows.sizes == 0
    table[empty ^ empty[:, None]] = 0.0
    table[empty & empty[:, None]] = 1.0
    return table


@measure_of(
    "weights", bounds=(0, 1), adjusted=True, constant_size=True, needs=("similarity",), params={"thresholded": False}
)
def yu_ding_loscalzo_score(weights: Rows, *, similarity: FeatureSimilarity, thresholded: bool = False) -> Floats:
    """Maximum weighted matching of two sets of one size k, a pair of features weighted by its similarity.

    The special case of msi where all importances are equal and all sizes too; weights are not used.

    Parameters
    ----------
    weights : Rows
        The absolute weights of all runs.
    similarity : FeatureSimilarity
        How similar the features are.
    thresholded : bool, default=False
        Whether similarities below the threshold count as 0.

    Formula: max over one-to-one matchings of sum c(f, match(f)) / k
    Undefined: the sizes differ, or k is 0
    Reference: Yu, Ding and Loscalzo 2008
    """
    k = weights.sizes
    table = _shared_table(weights, 1 / k[weights.runs], similarity, thresholded)
    table[k != k[:, None]] = np.nan
    return table


@measure_of("weights", "phi_pears", bounds=(-1, 1), corrected=True, needs=("weights",))
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

    from steadyset.kernels.importances import transport_plan

    runs = as_selections(selections)
    evaluate.check_similarity(similarity)
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
    from steadyset.kernels.importances import shared_masses

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


@measure_of("rankings", bounds=(-1, 1), corrected=True, needs=("rankings",))
def spearman_score(ranks: Rows) -> Correlations:
    """Spearman's rho: the Pearson correlation of the ranks, ties averaged; the mean over pairs takes linear time.

    Without ties the mean is 1 - mean_f v_f / ((d² - 1)/12), v_f the sample variance (M - 1) of the rank of f. Without
    rankings the features are ranked by absolute weight; those of weight 0 are tied.

    Formula: 1 - 6 sum_f (rank_i - rank_j)² / (d (d² - 1)) without ties, else the correlation of the averaged ranks
    Undefined: a run ties all features
    Reference: Spearman 1904; Kalousis et al. 2005
    """
    return Correlations(ranks)


@measure_of("rankings", bounds=(-1, 1), corrected=True, needs=("rankings",))
def kendall_score(ranks: Rows) -> Floats:
    """Kendall's tau-b: concordant minus discordant pairs of features, relative to the pairs that are not tied.

    Without rankings the features are ranked by absolute weight; those of weight 0 are tied.

    Formula: (C - D) / sqrt((n0 - n_i)(n0 - n_j)), n0 = d (d - 1)/2, n_i the pairs of features that run i ties
    Undefined: a run ties all features
    Reference: Kendall 1945
    """
    from steadyset.kernels.importances import kendall_table

    runs = ranks.runs
    order = np.lexsort((ranks.values, runs))
    values, ordered_runs = ranks.values[order], runs[order]
    is_new = np.ones(len(order), dtype=np.int64)
    is_new[1:] = (values[1:] != values[:-1]) | (ordered_runs[1:] != ordered_runs[:-1])
    n_levels = np.bincount(ordered_runs, weights=is_new, minlength=len(ranks.rest)).astype(np.int64)
    levels = np.cumsum(is_new) - 1 - np.repeat(np.cumsum(n_levels) - n_levels, ranks.sizes)
    return kendall_table(ranks.indptr, ranks.indices[order], levels, n_levels, ranks.n_features)


@measure_of(
    "rankings",
    bounds=(0, INFINITY),
    higher_is_steadier=False,
    needs=("rankings",),
    params={"top": None, "relative": False},
)
def canberra_score(ranks: Rows, *, top: int | None = None, relative: bool = False) -> Floats:
    """Canberra distance of the ranks: differences near the top weigh most. Lower is steadier.

    With top=k every rank beyond k counts as k + 1 (the location parameter), so only the heads of the rankings matter.
    With relative=True the distance is divided by its exact expectation for two random rankings without ties, the
    stability indicator: 0 for equal rankings, about 1 for random ones. With t(a) = min(a, k + 1) the expectation is
    (1/d) sum_{a,b=1}^{d} |t(a) - t(b)| / (t(a) + t(b)). Without rankings the features are ranked by absolute weight;
    those of weight 0 share the mean of the ranks that remain. Such ties shorten the distance but not its expectation,
    so sparse weights ask for `top`: without it random ones would look steady.

    Parameters
    ----------
    ranks : Rows
        The ranks of all runs.
    top : int or None, default=None
        The number of ranks that are told apart; every rank beyond counts as the next one.
    relative : bool, default=False
        Whether the distance is divided by its expectation for two random rankings.

    Formula: sum_f |rank_i - rank_j| / (rank_i + rank_j), ranks beyond `top` counted as top + 1
    Undefined: relative to random rankings of a single feature
    Reference: Lance and Williams 1967; Jurman et al. 2008
    """
    from steadyset.kernels.importances import canberra_table

    d = ranks.n_features
    if top is not None and not (is_whole(top) and 1 <= top <= d):
        raise wrong_argument("top", f"None or a whole number from 1 to {d}, the number of features", top)
    last = d if top is None else int(top) + 1
    values, rest = np.minimum(ranks.values, last), np.minimum(ranks.rest, last)
    table = canberra_table(ranks.indptr, ranks.indices, values, rest, d)
    if relative:
        expected = expected_canberra(d, d if top is None else int(top))
        table = table / expected if expected > 0 else np.full_like(table, np.nan)
    return table


def expected_canberra(d: int, top: int) -> float:
    """The mean Canberra distance of two independent uniform rankings of d features, ranks beyond `top` as top + 1.

    A feature has each pair of ranks (a, b) with probability 1/d². The pairs b < a <= top sum to
    sum_a [2a (H(2a-1) - H(a)) - (a - 1)], H the harmonic numbers; each of the d - top others meets the ranks a <= top.
    """
    a = np.arange(1, top + 1, dtype=np.float64)
    harmonic = np.concatenate([[0.0], np.cumsum(1 / np.arange(1, 2 * top + 1))])
    both_at_top = 2 * a * (harmonic[1 : 2 * top : 2] - harmonic[1 : top + 1]) - (a - 1)
    one_at_top = (top + 1 - a) / (top + 1 + a)
    return float(2 * both_at_top.sum() + 2 * (d - top) * one_at_top.sum()) / d
