"""Where instability comes from: the part of each feature, similar features that replace each other, groups of runs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import nan
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from steadyset.inference.runs import runs_with_both
from steadyset.kernels.arrays import Bools, Floats, Ints
from steadyset.measures.evaluate import check_similarity, require_two
from steadyset.selections import RunsLike, Selections, as_selections
from steadyset.similarity import FeatureSimilarity

if TYPE_CHECKING:
    import pandas as pd
    from scipy import sparse

    from steadyset.similarity.alike import Alike


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
    # The denominator of nogueira: the variance of a feature that is selected at random as often as the mean one.
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
    require_two(runs)
    return runs


MOST_CLUSTERED = 2_000  # runs, of which all pairs are held
MOST_OPTIMAL = 500  # leaves of which the best order is found within a moment
MOST_GROUPS = 7
LEAST_SILHOUETTE = 0.25  # below it "no substantial structure has been found" (Kaufman and Rousseeuw 1990)
ALPHA = 0.05
N_DRAWS = 99  # collections without groups that the silhouette is held against
MOST_LISTS = 4  # alternative lists; copies that replace each other one by one make more of them
COST_OF_A_LIST = 0.1  # of the silhouette, for every list beyond two: two lists that say as much are told first
MOST_GROUPED = 60  # features, the most frequent, that groups of runs are told by
FEWEST_GROUPED = 10  # runs
LEAST_SHARE = 0.1  # of the runs, that a group needs for a list of its own
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


@dataclass(frozen=True)
class AlternativeList:
    """What one group of runs selects: the features of at least half of them, and the mean of a score over them."""

    runs: int
    features: tuple[str, ...]
    score: float = nan


@dataclass(frozen=True)
class StandIns:
    """Features that stand for each other, one per list, "" where a list has none; and how similar they are at least.

    The similarity is 1 for the same feature in all lists, and nan where only one list has any.
    """

    features: tuple[str, ...]
    similarity: float


@dataclass(frozen=True)
class Alternatives:
    """Lists that groups of runs of one procedure select instead of each other.

    Attributes
    ----------
    name : the procedure
    p_value, within, between : those of `RunGroups`
    lists : one per group, that of most runs first
    rows : the features of the lists side by side: those of all lists first, then those that others stand for
    n_runs : of all groups, also of those that are too small for a list
    """

    name: str
    p_value: float
    within: float
    between: float
    n_runs: int
    lists: tuple[AlternativeList, ...]
    rows: tuple[StandIns, ...]

    @property
    def n_shared(self) -> int:
        """Features that all lists have."""
        return sum(len(set(row.features)) == 1 for row in self.rows)

    @property
    def n_exchanged(self) -> int:
        """Rows in which every list has a feature, not everywhere the same."""
        return sum(all(row.features) for row in self.rows) - self.n_shared


def alternatives_of(
    procedures: Mapping[str, Selections], alike: Alike, scores: Mapping[str, Floats] | None = None
) -> tuple[Alternatives, ...]:
    """The procedures whose runs fall into groups, each of at least a tenth of the runs.

    Features that are alike replace each other from run to run in any case: that is no group. p-values are held against
    ALPHA divided by the number of procedures. `scores` has one value per run.
    """
    unit = np.arange(max((sel.n_features for sel in procedures.values()), default=0))
    features, numbers = alike.groups()
    unit[features] = len(unit) + numbers
    # No p-value is below that of so few draws, so a stricter level could never be passed.
    level = max(ALPHA / max(1, len(procedures)), 1 / (1 + N_DRAWS))
    found = []
    for name, sel in procedures.items():
        if FEWEST_GROUPED <= sel.n_runs <= MOST_CLUSTERED:
            often = np.argsort(-sel.counts, kind="stable")[:MOST_GROUPED]
            often = often[sel.counts[often] > 0]
            groups = run_groups(sel.to_matrix()[:, often].astype(np.float64), unit[often])
            members = [np.flatnonzero(groups.group == one) for one in range(1, groups.n_groups + 1)]
            large = [runs for runs in members if len(runs) >= LEAST_SHARE * sel.n_runs]
            if len(large) > 1 and groups.p_value <= level:
                found.append(_alternatives(name, sel, groups, large, alike, (scores or {}).get(name)))
    return tuple(found)


def _alternatives(
    name: str, sel: Selections, groups: RunGroups, members: Sequence[Ints], alike: Alike, scores: Floats | None
) -> Alternatives:
    chosen = sel.to_matrix()
    shares = [np.asarray(chosen[runs].astype(np.float64).mean(axis=0)).ravel() for runs in members]
    lists = [[int(f) for f in np.argsort(-share, kind="stable") if share[f] >= 0.5] for share in shares]
    told = [
        AlternativeList(
            len(runs), tuple(sel.features[f] for f in one), nan if scores is None else float(np.mean(scores[runs]))
        )
        for runs, one in zip(members, lists, strict=True)
    ]
    rows = tuple(
        StandIns(tuple("" if f is None else sel.features[f] for f in row), similarity)
        for row, similarity in side_by_side(lists, alike)
    )
    return Alternatives(name, groups.p_value, groups.within, groups.between, sel.n_runs, tuple(told), rows)


def side_by_side(lists: Sequence[Sequence[int]], alike: Alike) -> list[tuple[tuple[int | None, ...], float]]:
    """Rows with one feature per list, or None: the same one, else the most similar that stands in no row yet.

    Each row has the least similarity of a feature in it with the first of them.
    """
    similar: dict[tuple[int, int], float] = {}
    for (f, g), value in zip(alike.pairs.tolist(), alike.values.tolist(), strict=True):
        similar[f, g] = similar[g, f] = value
    everywhere = [f for f in lists[0] if all(f in one for one in lists)]
    rows: list[tuple[tuple[int | None, ...], float]] = [((f,) * len(lists), 1.0) for f in everywhere]
    left = [[f for f in one if f not in everywhere] for one in lists]
    for place, one in enumerate(left):
        while one:
            first = one.pop(0)
            row: list[int | None] = [None] * len(lists)
            row[place], least = first, nan
            for other in range(len(lists)):
                mates = {g: 1.0 if g == first else similar.get((first, g), 0.0) for g in left[other]}
                best = max(mates, key=lambda g: mates[g], default=None) if other != place else None
                if best is not None and mates[best] > 0:
                    left[other].remove(best)
                    row[other], least = best, float(np.fmin(least, mates[best]))
            rows.append((tuple(row), least))
    return sorted(rows, key=lambda row: -sum(f is not None for f in row[0]))


def run_groups(chosen: sparse.csr_array, unit: Ints | None = None) -> RunGroups:
    """Groups of runs that agree more with each other than with others: average linkage of the Jaccard distances.

    chosen has a row for each run and a 1 for each feature that it selected, of those that are to count. The number of
    groups is the one with the largest mean silhouette (Rousseeuw 1987), up to seven; below 0.25 there are none. Any
    clustering finds runs that agree more within groups: there are groups only where the silhouette is larger than those
    of all but 5% of collections with the same frequencies of features and sizes of runs, and nothing else. Features of
    one `unit` replace each other, or come together, in these collections as in the runs; where units are given, there
    are at most MOST_LISTS groups, and every one beyond two has its cost.
    """
    n_runs = chosen.shape[0]
    one = np.ones(n_runs, dtype=np.int64)
    if n_runs > MOST_CLUSTERED:
        return RunGroups(leading_order(chosen), one, clustered=False)
    if n_runs < 3:
        return RunGroups(np.arange(n_runs), one)
    distances = _jaccard_distances(chosen)
    tree, order = similar_order(distances)
    group, _ = _grouped(tree, distances, few=unit is not None)
    # A silhouette that is large enough is what any clustering of noise may find; only the draws tell.
    p_value = one_group_p_value(chosen, unit) if group.max() > 1 else nan
    if not p_value <= ALPHA:
        return RunGroups(order, one, p_value=p_value)
    same = group[:, None] == group
    pairs = ~np.eye(n_runs, dtype=bool)
    within, between = (float(1 - distances[part & pairs].mean()) for part in (same, ~same))
    return RunGroups(order[np.argsort(group[order], kind="stable")], group, within, between, p_value)


def one_group_p_value(chosen: sparse.csr_array, unit: Ints | None = None, seed: int = 0) -> float:
    """How often the best silhouette of runs of one kind is as large: runs that exchange features at random.

    Two runs keep what both selected and deal out anew what only one of them did, as many to each as before: frequencies
    and sizes stay, and whatever else runs have in common goes (Strona et al. 2014). What runs select of a `unit` of
    several features goes to another run as a whole. Draws end early where the answer is clear: once more than ALPHA of
    all of them are as large, p is the share of those that were drawn.
    """
    n_runs = chosen.shape[0]
    some = np.linspace(0, n_runs - 1, min(n_runs, MOST_TESTED)).round().astype(np.int64)
    every: Bools = chosen[some].toarray() > 0
    varying = every.any(axis=0) & ~every.all(axis=0)
    runs, common = every[:, varying], int(every.all(axis=0).sum())
    own = np.arange(runs.shape[1]) if unit is None else unit[varying]
    together = [places for one in np.unique(own) if len(places := np.flatnonzero(own == one)) > 1]
    alone = np.setdiff1d(np.arange(runs.shape[1]), np.concatenate([*together, np.empty(0, np.int64)]))
    few = unit is not None
    observed = _best_silhouette(runs, common, few=few)
    rng, reached = np.random.default_rng(seed), 0
    for draw in range(1, N_DRAWS + 1):
        drawn = runs.copy()
        drawn[:, alone] = _exchanged(runs[:, alone], rng)
        for places in together:
            drawn[:, places] = runs[rng.permutation(len(runs))[:, None], places]
        reached += _best_silhouette(drawn, common, few=few) >= observed - 1e-12
        # Besag and Clifford's sequential p-value: once so many draws are as large no later ones can make it
        # significant.
        if reached >= ALPHA * (N_DRAWS + 1):
            return reached / draw
    return (1 + reached) / (1 + N_DRAWS)


def _best_silhouette(runs: Bools, common: int, *, few: bool = False) -> float:
    """The silhouette of the groups that would be told, 0 where none would; `common` features are in all runs."""
    from scipy.cluster.hierarchy import linkage
    from scipy.spatial.distance import squareform

    table = runs.astype(np.float64)
    distances = _distances(table @ table.T + common, table.sum(axis=1) + common)
    return _grouped(linkage(squareform(distances, checks=False), "average"), distances, few=few)[1]


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


def _grouped(tree: Any, distances: Floats, *, few: bool = False) -> tuple[Ints, float]:
    """The groups of the best silhouette, numbered by size, and that; one group and 0 where none is good enough.

    `few` takes off the costs of lists from the silhouette.
    """
    from scipy.cluster.hierarchy import fcluster

    best, found = LEAST_SILHOUETTE, np.ones(len(distances), dtype=np.int64)
    most, cost = (MOST_LISTS, COST_OF_A_LIST) if few else (MOST_GROUPS, 0.0)
    for k in range(2, min(most, len(distances) - 1) + 1):
        group = np.asarray(fcluster(tree, k, "maxclust"), dtype=np.int64)
        if group.max() > 1 and (value := _silhouette(group, distances) - cost * (k - 2)) > best:
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
