"""Bommert (2020), section 6.2: the measures of all 16,384 pairs of sets of seven features."""

from __future__ import annotations

import itertools
from collections import Counter
from collections.abc import Iterator, Sequence
from functools import cache
from math import factorial, prod
from typing import Any

import numpy as np
import pandas as pd

from papers.bommert_2020_data_sets import PAPER, THRESHOLD
from papers.framework import Row, Run, item
from papers.framework.arrays import Bools, Floats
from papers.framework.text import listed, number
from steadyset import FeatureSimilarity, Selections, get_measure, plot, stability

# The thesis' names of the measures; SMD-0 is Davis' without a penalty.
MEASURES = {
    "SMJ": "jaccard",
    "SMD": "dice",
    "SMO": "ochiai",
    "SMH": "hamming",
    "SML": "lustgarten",
    "SMW": "wald",
    "SMU": "unadjusted",
    "SMK": "kappa",
    "SMP": "phi",
    "SME": "novovicova",
    "SMD-0": "davis",
    "SMS": "somol",
    "SMN": "nogueira",
    "SMZ": "zucknick",
    "SMES": "sechidis_thresholded",
    "SMY": "yu",
    "SMA-MBM": "intersection_mbm",
    "SMA-Greedy": "intersection_greedy",
    "SMA-Count": "intersection_count",
    "SMA-Mean": "intersection_mean",
}
SMA = ("SMA-MBM", "SMA-Greedy", "SMA-Count", "SMA-Mean")
# The groups of figure 6.2, each in the order in which the text lists its measures.
UNCORRECTED = ("SMD-0", "SMH", "SMO", "SMD", "SME", "SMZ", "SMS", "SMJ")
CORRECTED = ("SML", "SMK", "SMU", "SMP", "SMW", "SMN")
ADJUSTED = ("SMA-Mean", "SMA-Count", "SMA-Greedy", "SMA-MBM", "SMY", "SMES")
TEXT_ORDER = (*UNCORRECTED, *CORRECTED, *ADJUSTED)
GROWING = ("SMD-0", "SMO", "SMD", "SME", "SMZ", "SMJ")

P = 7
BLOCKS = ((0, 1, 2), (3, 4), (5, 6))  # features that are alike, by 0.95; all others by 0.1
EXACT = 1e-9
IDENTICAL, MANY, FEWER_WITH_DISTANCE = 0.98, 0.01, -0.9
Sets = Sequence[Sequence[int]]


@cache
def all_pairs() -> pd.DataFrame:
    """The 20 measures of all 16,384 ordered pairs of subsets: sizes k1 and k2, how many pairs are so (n), the values.

    Pairs that differ only by the names of similar features, or by which of the sets is the first, are computed once and
    counted.
    """
    kinds = _pair_kinds()
    sets = [pair for pair, _ in kinds]
    sizes = np.array([[len(a), len(b)] for a, b in sets])
    shared = np.array([len(set(a) & set(b)) for a, b in sets])
    columns: dict[str, Any] = {"sets": sets, "k1": sizes[:, 0], "k2": sizes[:, 1], "n": [n for _, n in kinds]}
    _, first, place = np.unique(np.column_stack([sizes, shared]), axis=0, return_index=True, return_inverse=True)
    for name, measure in MEASURES.items():
        if "similarity" in get_measure(measure).needs:
            columns[name] = values_of(measure, sets, P, _similarity())
        else:
            columns[name] = values_of(measure, [sets[int(i)] for i in first], P, None)[place.ravel()]
    return pd.DataFrame(columns)


def values_of(
    measure: str, collections: Sequence[Sets], p: int, alike: FeatureSimilarity | None = None, **params: Any
) -> Floats:
    """The value of each collection of sets of p features."""
    found = (Selections.from_sets(sets, n_features=p) for sets in collections)
    return np.array([stability(one, measure, similarity=alike, **params) for one in found])


def kinds_of_sets(blocks: Sequence[Sequence[int]], m: int) -> list[tuple[list[list[int]], int]]:
    """The collections of m sets that differ by more than the names of the features of a block, and how many are alike.

    A feature of a block is selected by some of the m sets: only how many of the block are by which counts.
    """
    ways = [_ways(block, m) for block in blocks]
    kinds = []
    for parts in itertools.product(*ways):
        sets = [sorted(f for selected, _ in parts for f in selected[run]) for run in range(m)]
        kinds.append((sets, int(np.prod([count for _, count in parts]))))
    return kinds


def _ways(block: Sequence[int], m: int) -> list[tuple[list[list[int]], int]]:
    """By which of the m sets the features of a block are selected, and how many orders of the features that has."""
    found = []
    for chosen in itertools.combinations_with_replacement(range(2**m), len(block)):
        sets = [[f for f, by in zip(block, chosen, strict=True) if by >> run & 1] for run in range(m)]
        found.append((sets, factorial(len(block)) // prod(map(factorial, Counter(chosen).values()))))
    return found


def _pair_kinds() -> list[tuple[list[list[int]], int]]:
    """The pairs of sets of the seven features that differ by more than names or the order of the two sets."""
    found: dict[Any, tuple[list[list[int]], int]] = {}
    for sets, n in kinds_of_sets(BLOCKS, 2):
        first, second = (set(one) for one in sets)
        parts = [(len(first & set(b)), len(second & set(b)), len(first & second & set(b))) for b in BLOCKS]
        swapped = [(b, a, both) for a, b, both in parts]
        kind = min((one[0], *sorted(one[1:])) for one in (parts, swapped))
        found[kind] = (found[kind][0] if kind in found else sets, found.get(kind, (sets, 0))[1] + n)
    return list(found.values())


@cache
def _similarity() -> FeatureSimilarity:
    """Figure 6.1."""
    table = np.full((P, P), 0.1)
    for block in BLOCKS:
        table[np.ix_(block, block)] = 0.95
    np.fill_diagonal(table, 1.0)
    return FeatureSimilarity.from_matrix(table, threshold=THRESHOLD)


@item(PAPER, "table-6.3", core=True, seconds=6)
def undefined_values(run: Run) -> Iterator[Row]:
    """For how many of the 16,384 pairs each measure is undefined."""
    pairs = all_pairs()
    for cell in run.published.cells:
        yield run.row(cell, float(pairs["n"][pairs[cell.row].isna()].sum()))
    run.table(pairs.assign(sets=[" ".join(map(str, both)) for both in pairs["sets"]]))


@item(PAPER, "table-6.4", core=True, seconds=1)
def two_pairs(run: Run) -> Iterator[Row]:
    """Two pairs of sets that share nothing; in the second the features of the other set are alike, too."""
    rows = {"{X4, X5}, {X1, X7}": ([3, 4], [0, 6]), "{X4, X5}, {X6, X7}": ([3, 4], [5, 6])}
    for cell in run.published.cells:
        sets = [list(part) for part in rows[cell.row]]
        ours = float(values_of(MEASURES[cell.column], [sets], P, _similarity())[0])
        yield run.row(cell, ours)


@item(PAPER, "figure-6.2", core=True, seconds=6)
def agreement(run: Run) -> Iterator[Row]:
    """What the scatter plots of the 20 measures show."""
    pairs = all_pairs()
    values, n = pairs[list(MEASURES)], pairs["n"].to_numpy()
    order, groups = _first_component(values, n)
    yield run.claim("order", order == list(TEXT_ORDER), f"{', '.join(order)}")
    yield run.claim("groups", groups == [UNCORRECTED, CORRECTED, ADJUSTED], _in_groups(order))
    for cell in run.published.cells:
        yield run.row(cell, float(len(np.unique(np.round(values[cell.row].dropna(), 9)))))
    yield _almost_identical(run, "ochiai-dice-novovicova", values, n, ("SMO", "SMD", "SME"))
    yield _almost_identical(run, "kappa-unadjusted-phi", values, n, ("SMK", "SMU", "SMP"))
    yield _almost_identical(run, "adjusted-variants", values, n, SMA)
    ranked = values.loc[values.index.repeat(n), ["SMD-0", "SMJ", "SMO", "SMD", "SME"]].corr("spearman")
    least = float(ranked.loc[["SMD-0", "SMJ"]].to_numpy().min())
    told = f"the least rank correlation with SMD-0 and SMJ is {number(least, 4)}"
    yield run.claim("ranks", least > IDENTICAL, told, cutoff=f"almost: a correlation above {IDENTICAL}")
    many, cutoff = MANY * n.sum(), f"many: at least {MANY:.0%} of the pairs"
    others = [name for name in UNCORRECTED if name not in ("SMH", "SMD-0")]
    lonely = n[(values["SMH"] > 0) & (values[others].fillna(0) == 0).all(axis=1)].sum()
    smallest = float(values["SMD-0"].min())
    told = f"in {lonely:,} pairs SMH alone, save for SMD-0, which is {number(smallest, 1)} or more everywhere"
    correction = "" if smallest < EXACT else "SMD-0 is an exception: it is never below 1/2."
    yield run.claim("hamming", bool(lonely > many), told, cutoff=cutoff, correction=correction)
    zero = n[(values["SMS"] == 0) & (values[[name for name in UNCORRECTED if name != "SMS"]] > 0).all(axis=1)].sum()
    yield run.claim("somol", bool(zero > many), f"in {zero:,} pairs SMS alone is 0", cutoff=cutoff)
    gap = values["SMZ"] - values["SMJ"]
    closest = {name: _correlation(values["SMZ"], values[name], n) for name in MEASURES if name != "SMZ"}
    yield run.claim("zucknick-jaccard", bool(gap.min() > -EXACT), f"the least difference is {number(gap.min(), 3)}")
    best = max(closest.values())
    yield run.claim(
        "zucknick-alone",
        best < 0.9 and closest["SMJ"] > best - EXACT,
        f"its largest correlation is {number(best, 2)}, that with SMJ; SMD-0, a straight line of SMJ, has the same",
        cutoff="much: no correlation of 0.9",
    )
    yield _nested(run, pairs)
    yield _larger(run, values, n)
    yield _yu(run, values, n)
    lower = values["SMES"] < values["SMA-Count"] - 0.5
    share = n[lower].sum() / n[values[["SMES", "SMA-Count"]].notna().all(axis=1)].sum()
    told = f"by more than 0.5 below SMA-Count in {share:.0%} of the pairs"
    yield run.claim("sechidis", bool(share > 0.1), told, cutoff="many: 10% of the pairs; much: by more than 0.5")
    run.figure(_scatter())


def _first_component(values: pd.DataFrame, n: Any) -> tuple[list[str], list[tuple[str, ...]]]:
    """The measures by the first principal component of their values, and the groups of the text in that order."""
    complete = values.notna().all(axis=1).to_numpy()
    table = values[complete].to_numpy().T
    centred = (table - table.mean(axis=0)) * np.sqrt(n[complete])
    left, singular, _ = np.linalg.svd(centred, full_matrices=False)
    along = left[:, 0] * singular[0]
    along = along if along[list(MEASURES).index("SMES")] > 0 else -along
    # Measures that are equal have one place; among them the order of the text.
    keys = {
        name: (round(float(value), 6), TEXT_ORDER.index(name))
        for name, value in zip(map(str, values), along, strict=True)
    }
    order = sorted(map(str, values), key=keys.__getitem__)
    cuts = [len(UNCORRECTED), len(UNCORRECTED) + len(CORRECTED)]
    parts = [set(order[: cuts[0]]), set(order[cuts[0] : cuts[1]]), set(order[cuts[1] :])]
    return order, [group for part in parts for group in (UNCORRECTED, CORRECTED, ADJUSTED) if set(group) == part]


def _in_groups(order: Sequence[str]) -> str:
    kinds = {name: kind for kind, group in enumerate((UNCORRECTED, CORRECTED, ADJUSTED), 1) for name in group}
    return f"groups along the first component: {' '.join(str(kinds[name]) for name in order)}"


def _almost_identical(run: Run, claim: str, values: pd.DataFrame, n: Any, names: Sequence[str]) -> Row:
    related = min(_correlation(values[a], values[b], n) for a, b in itertools.combinations(names, 2))
    told = f"the least correlation of two of them is {number(related, 4)}"
    return run.claim(claim, related > IDENTICAL, told, cutoff=f"almost identical: a correlation above {IDENTICAL}")


def _correlation(x: Any, y: Any, n: Any) -> float:
    """Pearson's, over the pairs for which both are defined."""
    a, b = np.asarray(x, dtype=np.float64), np.asarray(y, dtype=np.float64)
    known: Bools = ~(np.isnan(a) | np.isnan(b))
    table = np.cov(a[known], b[known], fweights=np.asarray(n)[known])
    return float(table[0, 1] / np.sqrt(table[0, 0] * table[1, 1]))


def _nested(run: Run, pairs: pd.DataFrame) -> Row:
    """One set holds every feature, the other some of them."""
    sizes = pairs[["k1", "k2"]]
    full = pairs[(sizes.max(axis=1) == P) & sizes.min(axis=1).between(1, P - 1)]
    zero = bool((full[["SMK", "SMU"]].abs() < EXACT).all(axis=None))
    means = full.groupby(sizes.min(axis=1))["SMN"].mean()
    seen = f"SMN from {number(means.iloc[0], 3)} to {number(means.iloc[-1], 3)}"
    return run.claim("nested", zero and bool(means.is_monotonic_increasing), f"SMK and SMU are 0, {seen}")


def _larger(run: Run, values: pd.DataFrame, n: Any) -> Row:
    shares = {}
    for corrected in CORRECTED:
        known = values[[*UNCORRECTED, corrected]].notna().all(axis=1)
        above = (values[list(UNCORRECTED)].ge(values[corrected] - EXACT, axis=0)).all(axis=1)
        shares[corrected] = float(n[known & above].sum() / n[known].sum())
    others = min(share for name, share in shares.items() if name != "SMW")
    return run.claim(
        "larger",
        others > 0.9,
        f"every uncorrected measure is at least {listed([f'{name} in {s:.0%}' for name, s in shares.items()])}",
        cutoff="almost all: more than 90%",
        correction="" if shares["SMW"] > 0.9 else "SMW is an exception: it is 1 wherever one set holds the other.",
    )


def _yu(run: Run, values: pd.DataFrame, n: Any) -> Row:
    large = values["SMY"] > 0.6
    above = large & (values["SMY"] > values["SMA-Count"] + EXACT)
    below = large & (values["SMY"] < values["SMA-Count"] - EXACT)
    seen = f"larger in {n[above].sum():,}, smaller in {n[below].sum():,} of {n[large].sum():,} pairs with SMY above 0.6"
    often = bool(n[above].sum() > n[large].sum() / 10) and not below.any()
    return run.claim("yu", often, seen, cutoff="large: above 0.6; often: in more than 10% of these, and never smaller")


def _scatter() -> Any:
    subsets = [[f for f in range(P) if bits >> f & 1] for bits in range(1, 2**P - 1)]
    shown = [MEASURES[name] for name in ("SMJ", "SMZ", "SMK", "SMW", "SMA-Count", "SMY")]
    return plot.measure_agreement(Selections.from_sets(subsets, n_features=P), shown, similarity=_similarity())


@item(PAPER, "figure-6.3", core=True, seconds=6)
def by_size(run: Run) -> Iterator[Row]:
    """The values by the mean number of selected features of the two sets."""
    pairs = all_pairs()
    values, n = pairs[list(MEASURES)], pairs["n"].to_numpy()
    size = (pairs["k1"] + pairs["k2"]) / 2
    means = pd.DataFrame({name: _means(values[name], n, size) for name in MEASURES}).rename_axis(
        "mean number of features"
    )
    run.table(means)
    corrected = [name for name in (*CORRECTED, *ADJUSTED) if name not in ("SMN", "SMES")]
    largest = float(np.nanmax(means[corrected].abs().to_numpy()))
    nogueira = means["SMN"].dropna()
    even = float(nogueira.max() - nogueira.min())
    yield run.claim("corrected", largest < EXACT, f"the largest mean of all of them is {number(largest, 6)}")
    yield run.claim(
        "nogueira", bool((nogueira < 0).all()) and even < EXACT, f"its mean is {number(nogueira.iloc[0], 4)}"
    )
    rising = {name: bool((means[name].dropna().diff().dropna() > 0).all()) for name in GROWING}
    yield run.claim("growing", all(rising.values()), _those(rising, "grow", "do not"))
    least = {name: float(means.index[int(np.nanargmin(means[name]))]) for name in ("SMH",)}
    yield run.claim("hamming-least", least["SMH"] == P / 2, f"the least at {least['SMH']:g}")
    most = {name: float(means.index[int(np.nanargmax(means[name]))]) for name in ("SMS", "SMES")}
    yield run.claim("somol-sechidis-most", set(most.values()) == {P / 2}, f"{_told(most)}")
    ends = (float(means["SMES"].min()), float(means["SMES"].max()))
    told = f"from {number(ends[0], 3)} to {number(ends[1], 3)}"
    yield run.claim("sechidis-flat", ends[1] - ends[0] < 0.05, told, cutoff="hardly: by less than 0.05")
    yield from _extremes(run, values, pairs, size)
    distinct = {name: _distinct(values[name], size) for name in (*CORRECTED, *SMA, "SMY")}
    related = {name: _by_distance(found) for name, found in distinct.items()}
    dips = [name for name, found in distinct.items() if found[P / 2] < found.max()]
    told = f"rank correlations with the distance from 3.5 up to {number(max(related.values()), 2)}; at 3.5 itself fewer"
    yield run.claim(
        "distinct",
        max(related.values()) < FEWER_WITH_DISTANCE,
        f"{told} than beside it: {listed(dips) or 'none'}",
        cutoff=f"fewer the further: a rank correlation below {FEWER_WITH_DISTANCE}, "
        "set after our numbers had been seen",
    )


def _by_distance(found: Any) -> float:
    return float(found.corr(pd.Series(np.abs(found.index - P / 2), index=found.index), method="spearman"))


def _means(values: Any, n: Any, size: Any) -> Any:
    """The mean value by the mean size; nan where it is undefined for all pairs."""
    known = values.notna()
    total = (values * n)[known].groupby(size[known]).sum()
    return (total / pd.Series(n)[known].groupby(size[known]).sum()).reindex(np.arange(0, P + 0.5, 0.5))


def _distinct(values: Any, size: Any) -> Any:
    return values.round(9).groupby(size).nunique().loc[lambda found: found > 0]


def _extremes(run: Run, values: pd.DataFrame, pairs: pd.DataFrame, size: Any) -> Iterator[Row]:
    """Where each measure is smallest and largest."""
    lows = {name: set(size[values[name] < values[name].min() + EXACT]) for name in MEASURES}
    highs = {name: values[name] > values[name].max() - EXACT for name in MEASURES}
    sizes = {name: set(size[values[name].notna()]) for name in MEASURES}
    middle = {name: lows[name] == {P / 2} for name in (*CORRECTED, *ADJUSTED, "SMH")}
    yield run.claim("least-in-the-middle", all(middle.values()), _those(middle, "are", "are not"))
    up_to = {name: lows[name] == {one for one in sizes[name] if 0 < one <= P / 2} for name in GROWING}
    yield run.claim("least-up-to-the-middle", all(up_to.values()), _those(up_to, "are", "are not"))
    anywhere = {name: lows[name] == sizes[name] for name in MEASURES}
    only = [name for name, found in anywhere.items() if found]
    yield run.claim("somol-least-anywhere", only == ["SMS"], f"the minimum at every size: {listed(only)}")
    unequal = {name: bool((pairs["k1"] != pairs["k2"])[highs[name]].any()) for name in MEASURES}
    spread = [
        name for name, found in unequal.items() if found and set(size[highs[name]]) >= set(np.arange(1, P - 0.5, 0.5))
    ]
    yield run.claim(
        "most-for-unequal", spread == ["SMW", "SMS", "SMY"], f"for unequal sizes, at every mean: {listed(spread)}"
    )
    others = [name for name, found in unequal.items() if not found]
    yield run.claim(
        "most-for-equal",
        len(others) == len(MEASURES) - 3,
        f"the maximum for equal sizes only: {len(others)} of {len(MEASURES)}",
    )
    where = {(int(a), int(b)) for a, b in zip(pairs["k1"][highs["SML"]], pairs["k2"][highs["SML"]], strict=True)}
    top = float(values["SML"].max())
    yield run.claim(
        "lustgarten", top < 1 and where == {(1, 1), (6, 6)}, f"at most {number(top, 4)}, for sizes {sorted(where)}"
    )
    reached = {name: abs(float(values[name].max()) - 1) < EXACT for name in MEASURES if name not in ("SML", "SMES")}
    yield run.claim("maximum-reached", all(reached.values()), _those(reached, "reach 1", "do not"))


def _those(found: dict[str, bool], yes: str, no: str) -> str:
    wrong = [name for name, holds in found.items() if not holds]
    return f"all {len(found)} {yes}" if not wrong else f"{listed(wrong)} {no}"


def _told(found: dict[str, float]) -> str:
    return listed([f"{name} at {value:g}" for name, value in found.items()])
