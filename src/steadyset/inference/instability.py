"""Where instability comes from: the part of each feature, similar features that replace each other, groups of runs."""

from __future__ import annotations

from dataclasses import dataclass
from math import nan
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from steadyset.foundation.errors import InputError
from steadyset.inference.runs import runs_with_both
from steadyset.kernels.arrays import Bools, Floats, Ints
from steadyset.measures.evaluate import check_similarity
from steadyset.selections import RunsLike, Selections, as_selections
from steadyset.similarity import FeatureSimilarity

if TYPE_CHECKING:
    import pandas as pd
    from scipy import sparse


def instability_by_feature(selections: RunsLike, similarity: FeatureSimilarity | None = None) -> pd.DataFrame:
    """What each feature that is ever selected adds to 1 - nogueira, the largest part first.

    Parameters
    ----------
    selections : Selections or array-like
        The runs, or anything that `Selections.from_matrix` takes: a 0/1 table with one row per run.
    similarity : FeatureSimilarity or None, default=None
        Which features can stand in for each other; the result then says how much of the instability is exchange.

    Returns
    -------
    pandas.DataFrame
        One row per feature: frequency p_f; contribution [M/(M-1) p_f (1-p_f) / d] / [(k̄/d)(1-k̄/d)], which sums to
        1 - stability; share, the same relative to that sum. With a similarity also exchanged, the part of the
        contribution that similar features make up for, - sum over similar g of c(f,g) cov(f,g) on the same scale, and
        remaining = contribution - exchanged.

    Notes
    -----
    For groups of interchangeable features (c = 1) what remains is the variance of the NUMBER of selected features of
    each group: picking another member of the group costs nothing. Features that come and go together have a positive
    covariance, so theirs is exchanged < 0: counting them as one makes the selection less steady than it looked. The
    share of the instability that disappears is exchanged.sum() / contribution.sum().

    Examples
    --------
    >>> import steadyset as st
    >>> sel = st.Selections.from_sets([["a", "b"], ["a", "c"], ["a", "b"]], features=["a", "b", "c", "d"])
    >>> st.instability_by_feature(sel)["contribution"].round(3).to_dict()
    {'b': 0.333, 'c': 0.333, 'a': 0.0}
    """
    import pandas as pd

    runs = _at_least_two(selections)
    M, d = runs.n_runs, runs.n_features
    used = np.flatnonzero(runs.counts)
    p = runs.frequencies[used]
    mean = runs.sizes.sum() / (M * d)
    scale = M / (M - 1) / (d * mean * (1 - mean)) if 0 < mean < 1 else np.nan
    contribution = scale * p * (1 - p)
    total = contribution.sum()
    frame = pd.DataFrame(
        {"frequency": p, "contribution": contribution, "share": contribution / (total if total else 1.0)},
        index=pd.Index([runs.features[f] for f in used], name="feature"),
    )
    if similarity is not None:
        pairs = _similar_pairs(runs, similarity)
        cancelled = pairs.similarity * (pairs.first * pairs.second - pairs.both)
        exchanged = scale * np.bincount(pairs.f, weights=cancelled, minlength=d)[used]
        frame["exchanged"] = exchanged
        frame["remaining"] = contribution - exchanged
    return frame.iloc[np.argsort(-contribution, kind="stable")]


def swap_table(selections: RunsLike, similarity: FeatureSimilarity) -> pd.DataFrame:
    """Which similar features replace each other, the most frequent exchange first.

    Parameters
    ----------
    selections : Selections or array-like
        The runs, or anything that `Selections.from_matrix` takes: a 0/1 table with one row per run.
    similarity : FeatureSimilarity
        Which features are similar.

    Returns
    -------
    pandas.DataFrame
        One row for each pair of similar features that are selected together less often than independence would have it:
        feature and other with their frequencies, their similarity, both (the share of runs with both), covariance (over
        runs, with M-1; negative), and swap_rate, the probability that of two random runs one has only the feature and
        the other only its substitute: 2 n_f n_g / (M (M-1)), n_f the number of runs with f but not g.

    Examples
    --------
    >>> import steadyset as st
    >>> genes = ["BRCA1", "CDK1", "CCNB1", "ESR1"]
    >>> sel = st.Selections.from_sets([["BRCA1", "CDK1"], ["BRCA1", "CCNB1"], ["BRCA1", "CDK1"]], features=genes)
    >>> alike = st.FeatureSimilarity.from_groups({"CDK1": "cycle", "CCNB1": "cycle"}, features=genes)
    >>> st.swap_table(sel, alike)[["feature", "other", "swap_rate"]].round(2)
      feature  other  swap_rate
    0    CDK1  CCNB1       0.67
    """
    import pandas as pd

    runs = _at_least_two(selections)
    M = runs.n_runs
    pairs = _similar_pairs(runs, similarity)
    covariance = M / (M - 1) * (pairs.both - pairs.first * pairs.second)
    rate = 2 * M / (M - 1) * (pairs.first - pairs.both) * (pairs.second - pairs.both)
    # Each pair is told once, from its more frequent feature; equal ones from the first.
    tie = (pairs.first == pairs.second) & (pairs.f < pairs.g)
    keep = np.flatnonzero((covariance < -1e-12) & ((pairs.first > pairs.second) | tie))
    keep = keep[np.lexsort((pairs.g[keep], pairs.f[keep], -rate[keep]))]
    return pd.DataFrame(
        {
            "feature": [runs.features[f] for f in pairs.f[keep]],
            "other": [runs.features[g] for g in pairs.g[keep]],
            "similarity": pairs.similarity[keep],
            "frequency": pairs.first[keep],
            "other_frequency": pairs.second[keep],
            "both": pairs.both[keep],
            "covariance": covariance[keep],
            "swap_rate": rate[keep],
        }
    )


class _Pairs(NamedTuple):
    """Ordered pairs (f, g) of similar features that are both selected somewhere: similarity and frequencies."""

    f: Ints
    g: Ints
    similarity: Floats
    first: Floats
    second: Floats
    both: Floats


def _similar_pairs(runs: Selections, similarity: FeatureSimilarity) -> _Pairs:
    check_similarity(similarity)
    similarity.check(runs)
    indptr, indices, values = similarity.neighbours
    f = np.repeat(np.arange(runs.n_features), np.diff(indptr))
    kept = (runs.counts[f] > 0) & (runs.counts[indices] > 0)
    f, g = f[kept].astype(np.int64), np.asarray(indices)[kept].astype(np.int64)
    together = runs_with_both(runs, f, g) / runs.n_runs
    return _Pairs(f, g, np.asarray(values)[kept], runs.frequencies[f], runs.frequencies[g], together)


def _at_least_two(selections: Any) -> Selections:
    runs = as_selections(selections)
    if runs.n_runs < 2:
        raise InputError(f"Stability compares runs: at least 2 are needed, found {runs.n_runs}.")
    return runs


MOST_CLUSTERED = 2_000  # runs, of which all pairs are held
MOST_OPTIMAL = 500  # leaves of which the best order is found within a moment
MOST_GROUPS = 7
LEAST_SILHOUETTE = 0.25  # below it "no substantial structure has been found" (Kaufman and Rousseeuw 1990)
ALPHA = 0.05
N_DRAWS = 99  # collections without groups that the silhouette is held against
MOST_TESTED = 200  # runs, of which the test takes a part where there are more
ROUNDS = 8  # of exchanges in which every run takes part; more change nothing


@dataclass(frozen=True, eq=False)
class RunGroups:
    """The runs in an order in which similar ones are neighbours, and their groups.

    Attributes
    ----------
    order : the runs, groups after each other
    group : of each run, from 1 for the largest group on; all 1 where there are none
    within, between : the mean Jaccard similarity of two runs of the same group, and of two groups
    p_value : of the groups, if all runs were of one kind; nan where no groups were found to test
    clustered : False where there were too many runs, which then stand in the order of their leading component
    """

    order: Ints
    group: Ints
    within: float = nan
    between: float = nan
    p_value: float = nan
    clustered: bool = True

    @property
    def n_groups(self) -> int:
        """How many groups there are; 1 where the runs form none."""
        return int(self.group.max(initial=1))


def run_groups(chosen: sparse.csr_array) -> RunGroups:
    """Groups of runs that agree more with each other than with others: average linkage of the Jaccard distances.

    chosen has a row for each run and a 1 for each feature that it selected, of those that are to count. The number of
    groups is the one with the largest mean silhouette (Rousseeuw 1987), up to seven; below 0.25 there are none. Any
    clustering finds runs that agree more within groups: there are groups only where the silhouette is larger than those
    of all but 5% of collections with the same frequencies of features and sizes of runs, and nothing else.
    """
    n_runs = chosen.shape[0]
    one = np.ones(n_runs, dtype=np.int64)
    if n_runs > MOST_CLUSTERED:
        return RunGroups(leading_order(chosen), one, clustered=False)
    if n_runs < 3:
        return RunGroups(np.arange(n_runs), one)
    distances = _jaccard_distances(chosen)
    tree, order = similar_order(distances)
    group, _ = _grouped(tree, distances)
    p_value = one_group_p_value(chosen) if group.max() > 1 else nan
    if not p_value <= ALPHA:
        return RunGroups(order, one, p_value=p_value)
    same = group[:, None] == group
    pairs = ~np.eye(n_runs, dtype=bool)
    within, between = (float(1 - distances[part & pairs].mean()) for part in (same, ~same))
    return RunGroups(order[np.argsort(group[order], kind="stable")], group, within, between, p_value)


def one_group_p_value(chosen: sparse.csr_array, seed: int = 0) -> float:
    """How often the best silhouette of runs of one kind is as large: runs that exchange features at random.

    Two runs keep what both selected and deal out anew what only one of them did, as many to each as before: frequencies
    and sizes stay, and whatever else runs have in common goes (Strona et al. 2014). Draws end early where the answer
    is clear: once more than ALPHA of all of them are as large, p is the share of those that were drawn.
    """
    n_runs = chosen.shape[0]
    some = np.linspace(0, n_runs - 1, min(n_runs, MOST_TESTED)).round().astype(np.int64)
    every: Bools = chosen[some].toarray() > 0
    runs, common = every[:, every.any(axis=0) & ~every.all(axis=0)], int(every.all(axis=0).sum())
    observed = _best_silhouette(runs, common)
    rng, reached = np.random.default_rng(seed), 0
    for draw in range(1, N_DRAWS + 1):
        reached += _best_silhouette(_exchanged(runs, rng), common) >= observed - 1e-12
        if reached >= ALPHA * (N_DRAWS + 1):
            return reached / draw
    return (1 + reached) / (1 + N_DRAWS)


def _best_silhouette(runs: Bools, common: int) -> float:
    """The silhouette of the groups that would be told, 0 where none would; `common` features are in all runs."""
    from scipy.cluster.hierarchy import linkage
    from scipy.spatial.distance import squareform

    table = runs.astype(np.float64)
    distances = _distances(table @ table.T + common, table.sum(axis=1) + common)
    return _grouped(linkage(squareform(distances, checks=False), "average"), distances)[1]


def _exchanged(runs: Bools, rng: np.random.Generator) -> Bools:
    """The runs after every one of them has exchanged features with others, ROUNDS times."""
    found, half = runs.copy(), len(runs) // 2
    for _ in range(ROUNDS):
        order = rng.permutation(len(runs))
        first, second = found[order[:half]], found[order[half : 2 * half]]
        only = first ^ second
        # the features that only one of two runs has, in random order before all others
        rank = np.argsort(np.argsort(np.where(only, rng.random(only.shape), 2.0), axis=1), axis=1)
        to_first = only & (rank < (first & only).sum(axis=1, keepdims=True))
        found[order[:half]] = (first & second) | to_first
        found[order[half : 2 * half]] = (first & second) | (only & ~to_first)
    return found


def similar_order(distances: Floats) -> tuple[Any, Ints]:
    """A tree by average linkage, and an order in which what is similar stands together."""
    from scipy.cluster.hierarchy import leaves_list, linkage, optimal_leaf_ordering
    from scipy.spatial.distance import squareform

    pairs = squareform(distances, checks=False)
    tree = linkage(pairs, "average")
    if len(distances) <= MOST_OPTIMAL:
        tree = optimal_leaf_ordering(tree, pairs)
    return tree, np.asarray(leaves_list(tree), dtype=np.int64)


def leading_order(chosen: sparse.csr_array) -> Ints:
    """The runs by their first principal component; the sign is the one that puts large runs first."""
    shares, sizes = chosen.mean(axis=0), chosen.sum(axis=1)
    score = np.random.default_rng(0).standard_normal(chosen.shape[0])
    for _ in range(30):  # powers of the centred matrix, which is never formed
        loading = score @ chosen - shares * score.sum()
        score = chosen @ loading - float(shares @ loading)
        norm = float(np.linalg.norm(score))
        if norm == 0:
            return np.arange(chosen.shape[0])
        score /= norm
    return np.argsort(-score if float(score @ (sizes - sizes.mean())) >= 0 else score, kind="stable")


def _jaccard_distances(chosen: sparse.csr_array) -> Floats:
    """Two runs that select nothing agree."""
    return _distances((chosen @ chosen.T).toarray(), np.asarray(chosen.sum(axis=1), dtype=np.float64))


def _distances(shared: Floats, sizes: Floats) -> Floats:
    union = sizes[:, None] + sizes - shared
    distances: Floats = 1 - np.where(union > 0, shared / np.maximum(union, 1), 1.0)
    np.fill_diagonal(distances, 0)
    return distances


def _grouped(tree: Any, distances: Floats) -> tuple[Ints, float]:
    """The groups of the best silhouette, numbered by size, and that; one group and 0 where none is good enough."""
    from scipy.cluster.hierarchy import fcluster

    best, found = LEAST_SILHOUETTE, np.ones(len(distances), dtype=np.int64)
    for k in range(2, min(MOST_GROUPS, len(distances) - 1) + 1):
        group = np.asarray(fcluster(tree, k, "maxclust"), dtype=np.int64)
        if group.max() > 1 and (value := _silhouette(group, distances)) > best:
            best, found = value, group
    if found.max() == 1:
        return found, 0.0
    sizes = np.bincount(found)
    rank = np.empty(len(sizes), dtype=np.int64)
    rank[np.argsort(-sizes, kind="stable")] = np.arange(1, len(sizes) + 1)
    return rank[found], best


def _silhouette(group: Ints, distances: Floats) -> float:
    """The mean over all runs; a run that is alone counts 0."""
    members: Bools = group[:, None] == np.unique(group)
    sizes = members.sum(axis=0)
    totals = distances @ members
    own = members.argmax(axis=1)
    rows = np.arange(len(group))
    inside = totals[rows, own] / np.maximum(sizes[own] - 1, 1)
    means = totals / sizes
    means[rows, own] = np.inf
    nearest = means.min(axis=1)
    value = (nearest - inside) / np.maximum(np.maximum(nearest, inside), 1e-300)
    return float(np.where(sizes[own] > 1, value, 0.0).mean())
