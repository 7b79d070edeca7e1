"""Bommert (2020), sections 5.1, 5.2 and 5.4: how filters scale, which of them rank alike, and how forests vary."""

from __future__ import annotations

import itertools
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd
from scipy.cluster.hierarchy import linkage
from scipy.spatial.distance import squareform
from scipy.stats import rankdata

from papers.bommert_2020_data_sets import DATA_SETS, PAPER, chosen_sets, values_of
from papers.framework import Row, Run, item
from papers.framework.arrays import Floats
from papers.framework.curves import curves
from papers.framework.data_sets import DataSet
from papers.framework.spreading import spread
from papers.framework.text import listed, number
from steadyset.selectors import FilterSelector

FILTERS = {
    "anova.test": "anova",
    "limma": "limma",
    "sam": "sam",
    "kruskal.test": "kruskal",
    "chi.squared": "chi_squared",
    "auc": "auc",
    "oneR": "one_r",
    "variance": "variance",
    "permutation": "permutation",
    "impurity": "impurity",
    "info.gain": "info_gain",
    "gain.ratio": "gain_ratio",
    "sym.uncert": "sym_uncert",
    "MIM": "mim",
    "MRMR": "mrmr",
    "JMI": "jmi",
    "JMIM": "jmim",
    "DISR": "disr",
    "NJMIM": "njmim",
    "CMIM": "cmim",
}
FORESTS = ("permutation", "impurity")
ITERATIVE = ("MRMR", "JMI", "JMIM", "DISR", "NJMIM", "CMIM")
GROUPS = {
    "praznik": ("NJMIM", "DISR", "MIM", "JMIM", "JMI", "CMIM"),
    "tests": ("limma", "anova.test", "sam", "kruskal.test", "auc"),
    "toolboxes": ("sym.uncert", "gain.ratio", "info.gain", "chi.squared", "oneR"),
    "forests": FORESTS,
}
LONELY = ("MRMR", "variance")
SMALL = ("sonar", "kc1-binary", "tecator", "lsvt", "christensen")
BASE = ("gina_agnostic", "madelon")
LINEAR = 20  # times as long for ten times as much: sorting makes it a little more than ten, a square would be 100
CONSTANT, SIMILAR, PROPORTIONAL = 1.2, 0.5, 1.5
GROUPED, ALL_ALIKE = ("sonar", "tecator", "har", "lsvt"), ("kc1-binary", "gina_agnostic", "dilbert", "christensen")
STEPS = tuple(step / 10 for step in range(1, 11))


@item(PAPER, "figures-5.1-to-5.3", data=BASE, seconds=15, full_seconds=3600)
def scaling(run: Run) -> Iterator[Row]:
    """Processor time of each filter: by how many features it selects, by rows, and by features."""
    name = run.at_hand()[0] if run.at_hand() else BASE[0]
    X, y = _balanced(run.data(name), 970 if run.full else 300)
    steps, repeats = (STEPS, 10) if run.full else ((STEPS[0], STEPS[-1]), 2)
    tasks = {one: (FILTERS[one], X, y, steps, repeats) for one in FILTERS}
    found = {one: scaling_of(*task) for one, task in tasks.items()}  # one after another: times are what is measured
    size = f"{X.shape[0]} rows and {X.shape[1]} features of {name}"
    run.note(
        f"{size}; the thesis took 970 of each of gina_agnostic. Processor time, the least of {repeats} repetitions; "
        "the thesis has the median of 1,000 times on a cluster, of other implementations."
    )
    grown = {
        kind: {one: times[kind][-1] / times[kind][0] for one, times in found.items()}
        for kind in ("k", "rows", "features")
    }
    others = [one for one in FILTERS if one not in ITERATIVE]
    linear = f"linear: ten times as much takes less than {LINEAR} times as long; a square would be 100 times"
    run.size(
        {"rows": (X.shape[0], 970), "features": (X.shape[1], 970)},
        reach=f"It shows how the times of the filters in steadyset grow up to {X.shape[0]} rows and {X.shape[1]} "
        "features, and nothing about growth beyond that or about the programs of the thesis.",
    )
    yield run.claim(
        "selecting-more",
        min(grown["k"][one] for one in ITERATIVE) > CONSTANT > max(grown["k"][one] for one in others),
        f"all features against a tenth: iterative {_range(grown['k'], ITERATIVE)}, others {_range(grown['k'], others)}",
        cutoff=f"constant: less than {CONSTANT} times as long",
        timed=True,
    )
    yield run.claim(
        "rows-linear",
        max(grown["rows"].values()) < LINEAR,
        f"ten times the rows take {_range(grown['rows'], FILTERS)} times as long",
        cutoff=linear,
        timed=True,
    )
    yield run.claim(
        "features-iterative",
        min(grown["features"][one] for one in ITERATIVE) > max(grown["features"][one] for one in others),
        f"ten times the features: iterative {_range(grown['features'], ITERATIVE)}, others "
        f"{_range(grown['features'], others)} times as long",
        timed=True,
    )
    told = f"ten times the features take {_range(grown['features'], others)} times as long"
    holds = max(grown["features"][one] for one in others) < LINEAR
    yield run.claim("features-linear", holds, told, cutoff=linear, timed=True)
    told = f"ten times the features take {_range(grown['features'], ITERATIVE)} times as long"
    more = min(grown["features"][one] for one in ITERATIVE) > LINEAR
    yield run.claim(
        "features-quadratic", more, told, cutoff=f"more than linearly: more than {LINEAR} times", timed=True
    )
    most = {kind: max(values, key=values.__getitem__) for kind, values in grown.items()}
    for claim, kind, name in (("cmim-most", "k", "CMIM"), ("permutation-most", "rows", "permutation")):
        yield run.claim(claim, most[kind] == name, f"that of {most[kind]}", timed=True)
    frame = _long(found, steps)
    run.figure(curves(frame, "share", "times as long as for a tenth", series="filter", panel="of"))


def _range(values: Mapping[str, float], names: Sequence[str] | Mapping[str, str]) -> str:
    found = [values[name] for name in names]
    return f"{number(min(found), 1)} to {number(max(found), 1)}"


def _balanced(data: DataSet, n: int) -> tuple[Floats, Any]:
    """As many rows of each of both classes, and as many features as rows."""
    values, y = values_of(data)
    random = np.random.default_rng(0)
    parts = [random.choice(np.flatnonzero(y == one), n // 2, replace=False) for one in np.unique(y)]
    rows = np.column_stack(parts).ravel()  # in turn, so that the first rows are balanced, too
    return values[rows][:, :n], y[rows]


def scaling_of(name: str, X: Floats, y: Any, steps: Sequence[float], repeats: int) -> dict[str, list[float]]:
    """Seconds of a filter for shares of the features to select, of the rows, and of the features."""
    n, d = X.shape

    def seconds(rows: int, columns: int, k: int) -> float:
        return _seconds(
            lambda: FilterSelector(name, k=k, random_state=0, fill=True).fit(X[:rows, :columns], y[:rows]), repeats
        )

    seconds(n, d, d)  # compiled and loaded before anything is measured
    return {
        "k": [seconds(n, d, max(1, round(step * d))) for step in steps],
        "rows": [seconds(round(step * n), d, d) for step in steps],
        "features": [seconds(n, round(step * d), round(step * d)) for step in steps],
    }


def _seconds(work: Callable[[], Any], repeats: int) -> float:
    """The least processor time of a call; short calls are repeated until they can be measured."""
    least, number_of_calls = float("inf"), 1
    for _ in range(repeats):
        while True:
            begin = time.process_time()
            for _ in range(number_of_calls):
                work()
            took = time.process_time() - begin
            if took > 0.005:
                break
            number_of_calls *= 4
        least = min(least, took / number_of_calls)
    return least


def _long(found: Mapping[str, Mapping[str, Sequence[float]]], steps: Sequence[float]) -> pd.DataFrame:
    names = {"k": "features to select", "rows": "rows", "features": "features"}
    rows = [
        (one, names[kind], step, value / times[kind][0])
        for one, times in found.items()
        for kind in names
        for step, value in zip(steps, times[kind], strict=True)
    ]
    return pd.DataFrame(rows, columns=["filter", "of", "share", "times as long as for a tenth"])


@item(PAPER, "figure-5.4", data=DATA_SETS, seconds=15, full_seconds=900)
def rank_correlations(run: Run) -> Iterator[Row]:
    """Spearman's correlations between the orders in which filters select the features, averaged over data sets."""
    names = chosen_sets(run, SMALL)
    tasks = {name: (*values_of(run.data(name)), run.seed) for name in names}
    found = spread(run, rankings, tasks)
    tables = [pd.DataFrame(found[name]).corr() for name in names]
    mean: Any = sum(tables[1:], tables[0]) / len(tables)
    run.note(f"Mean over {listed(names)}; the thesis has 12 data sets. Equal scores share their mean rank.")
    run.size({"data sets": (len(names), len(DATA_SETS))})
    run.table(mean)
    clusters = clusters_of(mean)
    for name, group in GROUPS.items():
        cutoff = "a group: a cluster of average linkage, at some height, that holds these and no others"
        yield run.claim(name, frozenset(group) in clusters, _nearest(group, clusters), cutoff=cutoff)
    largest = {one: max(mean.loc[one, other] for other in FILTERS if other != one) for one in LONELY}
    told = listed([f"{one} at most {number(value, 2)}" for one, value in largest.items()])
    yield run.claim("lonely", max(largest.values()) < SIMILAR, told, cutoff=f"resembles: a correlation of {SIMILAR}")
    cells = {cell.row: cell for cell in run.published.cells}
    pairs = [tuple(name.split(" and ")) for name in cells if " and " in name and name != "MIM and info.gain"]
    ranked = sorted(itertools.combinations(FILTERS, 2), key=lambda two: -mean.loc[two])
    top = {frozenset(two) for two in ranked[: len(pairs)]}
    same = sum(frozenset(two) in top for two in pairs)
    yield run.claim("most-alike", same == len(pairs), f"{same} of the {len(pairs)} pairs are the most alike here, too")
    yield run.claim(
        "discretisation",
        mean.loc["MIM", "info.gain"] < min(mean.loc[a, b] for a, b in itertools.combinations(GROUPS["toolboxes"], 2)),
        f"MIM and info.gain {number(mean.loc['MIM', 'info.gain'], 2)}",
    )
    ours = {name: float(mean.loc[tuple(name.split(" and "))]) for name in cells if " and " in name}
    ours["all pairs"] = float(mean.to_numpy().mean())
    for name, cell in cells.items():
        if len(names) == len(DATA_SETS):
            yield run.row(cell, ours[name])
        else:
            yield run.missing(cell, DATA_SETS, ours=number(ours[name], 4))
    yield from _per_data_set(run, dict(zip(names, tables, strict=True)))


def _per_data_set(run: Run, tables: Mapping[str, Any]) -> Iterator[Row]:
    """Figures A.5 and A.6: on some data sets the filters form the four groups, on others most of them agree."""
    apart = {name: _within_and_between(table) for name, table in tables.items() if name in GROUPED}
    told = [f"{name} {number(within, 2)} and {number(between, 2)}" for name, (within, between) in apart.items()]
    yield run.claim(
        "grouped",
        bool(apart) and all(within > between for within, between in apart.values()),
        f"mean correlation within and between the groups: {listed(told)}",
        cutoff="the groups show: filters of one group are more correlated than those of two, on average",
    )
    medians = {name: _median(table) for name, table in tables.items()}
    alike = [name for name in ALL_ALIKE if name in medians]
    told = [f"{name} {number(value, 2)}" for name, value in medians.items()]
    yield run.claim(
        "all-alike",
        bool(alike) and min(medians[name] for name in alike) > max(medians[name] for name in apart),
        f"median correlation of two filters: {listed(told)}",
        cutoff="similar: the median correlation is larger than on every data set with groups",
    )


def _within_and_between(table: Any) -> tuple[float, float]:
    """The mean correlations of filters of the same group, and of two groups."""
    group = {one: name for name, some in GROUPS.items() for one in some}
    pairs = list(itertools.combinations(group, 2))
    within = [table.loc[pair] for pair in pairs if group[pair[0]] == group[pair[1]]]
    return float(np.mean(within)), float(
        np.mean([table.loc[pair] for pair in pairs if group[pair[0]] != group[pair[1]]])
    )


def _median(table: Any) -> float:
    return float(np.median([table.loc[pair] for pair in itertools.combinations(FILTERS, 2)]))


def rankings(X: Floats, y: Any, seed: int) -> dict[str, list[float]]:
    """The place at which each filter selects each feature; equal scores share their places."""
    places: dict[str, list[float]] = {}
    for one, name in FILTERS.items():
        fitted = FilterSelector(name, k=X.shape[1], random_state=seed, fill=True).fit(X, y)
        order = fitted.ranking_ if one in ITERATIVE else rankdata(-fitted.scores_)
        places[one] = [float(place) for place in rankdata(order)]
    return places


def clusters_of(similar: Any) -> set[frozenset[str]]:
    """The clusters of average linkage, of every height."""
    distance = 1 - similar.to_numpy()
    np.fill_diagonal(distance, 0)
    members = [frozenset([str(name)]) for name in similar]
    for a, b, *_ in linkage(squareform(distance, checks=False), "average"):
        members.append(members[int(a)] | members[int(b)])
    return set(members)


def _nearest(group: Sequence[str], clusters: set[frozenset[str]]) -> str:
    smallest = min((one for one in clusters if one >= set(group)), key=len)
    more = sorted(smallest - set(group))
    return "a cluster of their own" if not more else f"together with {listed(more)}"


@item(PAPER, "figure-5.9", data=DATA_SETS, seconds=10, full_seconds=7200)
def stochastic(run: Run) -> Iterator[Row]:
    """How much the ranks by forests vary from seed to seed, by the number of trees."""
    names = chosen_sets(run, SMALL[:3])
    trees, repeats = ((100, 200, 500, 1000, 2000, 5000, 10000), 10) if run.full else ((100, 1000), 6)
    tasks = {
        f"{name}-{one}": (FILTERS[one], *values_of(run.data(name)), trees, repeats) for name in names for one in FORESTS
    }
    found = spread(run, spread_of_ranks, tasks)
    frame = pd.DataFrame(
        [
            (name.rpartition("-")[0], name.rpartition("-")[2], n, spreads, seconds)
            for name, (ranges, times) in found.items()
            for n, spreads, seconds in zip(trees, ranges, times, strict=True)
        ],
        columns=["data set", "filter", "trees", "mean interquartile range of the ranks", "seconds"],
    )
    run.table(frame)
    run.note(f"{listed(names)}; {repeats} repetitions with {trees[0]} to {trees[-1]:,} trees.")
    run.size({"data sets": (len(names), len(DATA_SETS)), "repetitions": (repeats, 10)})
    falls = {name: ranges[-1] < ranges[0] for name, (ranges, _) in found.items()}
    yield run.claim(
        "more-trees", sum(falls.values()) > len(falls) / 2, f"in {sum(falls.values())} of {len(falls)} cases"
    )
    slower = {name: (times[-1] / times[0]) / (trees[-1] / trees[0]) for name, (_, times) in found.items()}
    told = f"{_range(slower, slower)} times what the trees ask for"
    cutoff = f"linear: at most {PROPORTIONAL} times what the number of trees asks for"
    yield run.claim("trees-linear", max(slower.values()) < PROPORTIONAL, told, cutoff=cutoff, timed=True)


def spread_of_ranks(name: str, X: Floats, y: Any, trees: Sequence[int], repeats: int) -> list[list[float]]:
    """By the number of trees: the mean interquartile range of the ranks of the features, and processor seconds."""
    ranges, times = [], []
    for n in trees:
        begin = time.process_time()
        ranks = [
            rankdata(FilterSelector(name, params={"n_estimators": n}, random_state=seed, fill=True).fit(X, y).scores_)
            for seed in range(repeats)
        ]
        times.append((time.process_time() - begin) / repeats)
        low, high = np.quantile(ranks, [0.25, 0.75], axis=0)
        ranges.append(float((high - low).mean()))
    return [ranges, times]
