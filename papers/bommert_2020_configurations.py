"""Bommert (2020), section 6.3: the measures on what random configurations select from the halves of real data sets."""

from __future__ import annotations

import itertools
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
from sklearn.model_selection import train_test_split

from papers.bommert_2020_data_sets import DATA_SETS, PAPER, THRESHOLD, chosen_sets, values_of
from papers.bommert_2020_filters import clusters_of
from papers.bommert_2020_pairs import ADJUSTED, CORRECTED, MEASURES, SMA, UNCORRECTED
from papers.framework import DataSet, Row, Run, item
from papers.framework.arrays import Floats
from papers.framework.curves import curves
from papers.framework.results_folder import ResultsFolder
from papers.framework.spreading import spread
from papers.framework.text import listed, number
from steadyset import FeatureSimilarity, KFold, Selections, Space, get_measure, stability, tune

SMALL = ("sonar", "kc1-binary", "tecator", "lsvt")
MANY_SIMILAR = ("tecator", "lsvt", "arcene")
FOLDS, MUCH_LONGER = 10, 3
Params = Mapping[str, Any]


class Extent(NamedTuple):
    """How many configurations of each filter and classifier, the most trees and steps, and draws of an expectation."""

    drawn: int
    most_trees: int
    most_steps: int
    n_draws: int


FULL, FAST = Extent(200, 5000, 2**15, 10_000), Extent(2, 100, 2**9, 500)


class Half(NamedTuple):
    """Half of the rows of a data set."""

    X: Floats
    y: Any


def halves(data: DataSet, seed: int) -> tuple[Half, Half]:
    """Two halves with the same shares of the classes, without features that are constant in the first."""
    X, y = values_of(data)
    first, second = train_test_split(np.arange(len(y)), test_size=0.5, stratify=y, random_state=seed)
    varies = np.ptp(X[first], axis=0) > 0
    return Half(X[first][:, varies], y[first]), Half(X[second][:, varies], y[second])


def drawn(kind: str, model: str, seed: int, extent: Extent) -> list[Params]:
    """Random configurations of a filter and a classifier (table 6.5)."""
    space = Space.bommert()
    domains: dict[str, Any] = dict(space.models[model].domains)
    if "n_estimators" in domains:
        domains["n_estimators"] = tuple(n for n in domains["n_estimators"] if n <= extent.most_trees)
    if "n_steps" in domains:
        most = min(domains["n_steps"].high, extent.most_steps)
        domains["n_steps"] = replace(domains["n_steps"], high=most)
    random = np.random.default_rng((seed, space.filters.index(kind), list(space.models).index(model)))
    limited = replace(space, filters=(kind,), models={model: replace(space.models[model], domains=domains)})
    return [limited.sample(random) for _ in range(extent.drawn)]


def evaluated(X: Floats, y: Any, configurations: Sequence[Params], n_draws: int, seed: int) -> list[dict[str, float]]:
    """Mean accuracy, mean number of features, and every measure of what ten folds select, for each configuration."""
    alike = FeatureSimilarity.from_data(X, threshold=THRESHOLD)
    tuned = tune(
        Space.bommert(fill=True).only(configurations),
        X,
        y,
        objectives=["accuracy"],
        resampling=KFold(FOLDS, stratified=True),
        random_state=seed,
        search={"sampler": "grid"},
        execution={"progress": False},
    )
    found = []
    for place, accuracy in zip(tuned.frame.index, tuned.frame["accuracy"], strict=True):
        sets = tuned.selections(place)
        means = {
            "accuracy": float(accuracy),
            "features": float(sets.sizes.mean()),
            "share": float(sets.sizes.mean() / X.shape[1]),
        }
        found.append(means | {name: measured(sets, name, alike, n_draws, seed) for name in MEASURES})
    return found


def measured(sets: Selections, name: str, alike: FeatureSimilarity, n_draws: int, seed: int) -> float:
    """A measure by the thesis' name."""
    similarity = alike if "similarity" in get_measure(MEASURES[name]).needs else None
    return stability(sets, MEASURES[name], similarity=similarity, n_draws=n_draws, random_state=seed)


_evaluations: dict[tuple[Any, ...], Any] = {}


def evaluations(run: Run, names: Sequence[str]) -> Any:
    """One row per data set and configuration, evaluated on the first half; shared by all items that need them."""
    extent = FULL if run.full else FAST
    place = run.folder.parent / f"configurations-{run.version}"
    key = (place, run.seed, *names)
    if key not in _evaluations:
        folder = ResultsFolder(place, {**run.kept_in.settings, "item": "configurations", "published": "", "data": []})
        folder.begin(resume=run.full)
        tasks, configurations, space = {}, {}, Space.bommert()
        for name in names:
            first, _ = halves(run.data(name), run.seed)
            for kind, model in itertools.product(space.filters, space.models):
                piece = f"{name},{kind},{model}"
                configurations[piece] = drawn(kind, model, run.seed, extent)
                tasks[piece] = (*first, configurations[piece], extent.n_draws, run.seed)
        found = spread(run, evaluated, tasks, folder=folder)
        rows = [
            {
                "data": piece.split(",")[0],
                "filter": params["filter"],
                "model": params["model"],
                "params": params,
                **values,
            }
            for piece, of_piece in found.items()
            for params, values in zip(configurations[piece], of_piece, strict=True)
        ]
        frame = pd.DataFrame(rows)
        _evaluations[key] = frame.astype(dict.fromkeys(["accuracy", "features", "share", *MEASURES], np.float64))
    return _evaluations[key]


def data_at_hand(run: Run) -> list[str]:
    """The data sets of the run."""
    return chosen_sets(run, SMALL)


def size_of(run: Run, names: Sequence[str]) -> None:
    """How many configurations there are beside the thesis' 12 times 4,800."""
    extent = FULL if run.full else FAST
    run.size(
        {"data sets": (len(names), len(DATA_SETS)), "configurations of each": (24 * extent.drawn, 24 * FULL.drawn)}
    )


def told_extent(run: Run, names: Sequence[str]) -> str:
    extent = FULL if run.full else FAST
    reduced = f", forests of {extent.most_trees} trees, boosting of at most {extent.most_steps} steps"
    return f"{listed(list(names))}; {24 * extent.drawn:,} configurations each (24 kinds){'' if run.full else reduced}."


@item(PAPER, "figures-6.4-to-6.7", data=DATA_SETS, seconds=40, full_seconds=500_000)
def on_real_sets(run: Run) -> Iterator[Row]:
    """Values by the share of selected features, correlations between measures, and run times."""
    names = data_at_hand(run)
    frame = evaluations(run, names)
    run.note(told_extent(run, names))
    run.table(frame.drop(columns="params"))
    shown = frame.melt(["data", "share"], ["SMJ", "SMH", "SMU", "SMA-Count"], "measure", "stability").dropna()
    run.figure(curves(shown, "share", "stability", series="data", panel="measure", lines=False))
    size_of(run, names)
    many, few = frame[frame["share"] > 0.8], frame[frame["share"] < 0.1]
    middle = frame[frame["share"].between(0.35, 0.65)]
    least = {name: float(many[name].min()) for name in ("SME", "SMD", "SMO", "SMD-0", "SMJ", "SMZ")}
    told = f"for more than 80% of the features at least {number(min(least.values()), 2)}"
    yield run.claim("not-small", min(least.values()) > 0.5, told, cutoff="small: 0.5; many: more than 80%")
    low = min(float(many["SMH"].min()), float(few["SMH"].min()))
    told, cutoff = f"at least {number(low, 2)}", "small: 0.5; many: more than 80% of the features; few: less than 10%"
    yield run.claim("hamming-not-small", low > 0.5, told, cutoff=cutoff)
    high, cutoff = float(middle["SML"].max()), "large: 0.75; medium: 35% to 65% of the features"
    yield run.claim("lustgarten-not-large", high < 0.75, f"at most {number(high, 2)}", cutoff=cutoff)
    negative = {name: float((frame[name] < -1e-9).mean()) for name in ("SMW", "SMN", "SMK", "SMP", "SMU")}
    told = f"at most {max(negative.values()):.1%} of the configurations"
    yield run.claim("hardly-negative", max(negative.values()) < 0.05, told, cutoff="hardly ever: in less than 5%")
    yield from _correlations(run, frame, names)
    yield from _representatives(run, frame)
    yield from _times(run, names[-1])


def _correlations(run: Run, frame: Any, names: Sequence[str]) -> Iterator[Row]:
    by_data = {name: frame.loc[frame["data"] == name, list(MEASURES)].corr() for name in names}
    mean = sum(by_data.values()) / len(by_data)
    run.table(mean, "correlations")
    groups = clusters_of(mean)
    second = frozenset(UNCORRECTED) - {"SMH", "SMS"}
    third = frozenset((*CORRECTED, *ADJUSTED, "SMS"))
    cutoff = "a group: a cluster of average linkage, at some height, that holds these and no others"
    yield run.claim("hamming-alone", second in groups, _members(second, groups), cutoff=cutoff)
    yield run.claim("corrected-together", third in groups, _members(third, groups), cutoff=cutoff)
    similar = [name for name in names if name in MANY_SIMILAR]
    split = {name: _is_split(clusters_of(by_data[name])) for name in similar}
    told = listed([f"{name}: {'split' if found else 'not split'}" for name, found in split.items()])
    if split:
        cutoff = "splits: SMA and SMY are a cluster, without SMES, and the corrected unadjusted measures are in another"
        yield run.claim("split-by-similarity", all(split.values()), told, cutoff=cutoff)
    else:
        yield _without(run, "split-by-similarity", MANY_SIMILAR)
    nearest = {name: str(by_data[name]["SMZ"].drop("SMZ").idxmax()) for name in names}
    told = listed([f"{one} on {name}" for name, one in nearest.items()])
    uncorrected = all(one in UNCORRECTED for one in nearest.values())
    cutoff = "belongs to: the measure with the largest correlation is one of them"
    yield run.claim("zucknick-uncorrected", uncorrected, f"nearest: {told}", cutoff=cutoff)


def _is_split(groups: set[frozenset[str]]) -> bool:
    """Whether the adjusted measures are a cluster, and the unadjusted corrected ones lie in another, without SMES."""
    adjusted, unadjusted = frozenset((*SMA, "SMY")), frozenset(CORRECTED)
    apart = [one for one in groups if one >= unadjusted and not one & (adjusted | {"SMES"})]
    return adjusted in groups and bool(apart)


def _members(group: frozenset[str], groups: set[frozenset[str]]) -> str:
    smallest = min((one for one in groups if one >= group), key=len)
    more = sorted(smallest - group)
    return "a cluster of their own" if not more else f"together with {listed(more)}"


def _representatives(run: Run, frame: Any) -> Iterator[Row]:
    """Figure 6.6: SMJ, SMU, SMA-Count and SMH."""
    many, few = frame[frame["share"] > 0.5], frame[frame["share"] < 0.1]
    large, small = float((many["SMJ"] - many["SMU"]).mean()), float((few["SMJ"] - few["SMU"]).mean())
    told = f"on average larger by {number(large, 2)} beyond half of the features, by {number(small, 2)} below a tenth"
    cutoff = (
        "many: more than half of the features; few: less than a tenth; larger: by more than 0.1; similar: within 0.1"
    )
    yield run.claim("jaccard-unadjusted", large > 0.1 > abs(small), told, cutoff=cutoff)
    known = frame[["SMH", "SMU"]].dropna()
    share = float((known["SMH"] >= known["SMU"] - 1e-9).mean())
    told = f"in {share:.1%} of the configurations"
    yield run.claim("hamming-unadjusted", share > 0.95, told, cutoff="almost all: more than 95%")
    far = float((few["SMH"] - few["SMJ"]).mean()), float((many["SMH"] - many["SMJ"]).mean())
    told = f"on average larger by {number(far[0], 2)} below a tenth of the features, by {number(far[1], 2)} beyond half"
    yield run.claim("hamming-jaccard", far[0] > far[1], told)
    alike = frame[frame["data"].isin(MANY_SIMILAR)]
    more = float((alike["SMA-Count"] - alike["SMU"])[alike["share"] > 0.5].mean())
    less = float((alike["SMA-Count"] - alike["SMU"])[alike["share"] < 0.1].mean())
    told = f"SMA-Count less SMU: {number(more, 3)} beyond half of the features, {number(less, 3)} below a tenth"
    if len(alike):
        yield run.claim("count-unadjusted", more > 0 > less, told)
    else:
        yield _without(run, "count-unadjusted", MANY_SIMILAR)
    others = frame[~frame["data"].isin(MANY_SIMILAR)]
    apart = float((others["SMA-Count"] - others["SMU"]).abs().median())
    if len(others):
        told = f"the median difference is {number(apart, 3)}"
        yield run.claim("count-same", apart < 0.05, told, cutoff="almost identical: a median difference below 0.05")
    else:
        yield _without(run, "count-same", [name for name in SMALL if name not in MANY_SIMILAR])


def _without(run: Run, claim: str, names: Sequence[str]) -> Row:
    """A claim about data sets of which none is at hand."""
    return run.missing(run.published.claim(claim), names)


def _times(run: Run, name: str) -> Iterator[Row]:
    """Figure 6.7, on one data set: processor time of each measure of ten sets with a tenth of the features."""
    X = halves(run.data(name), run.seed)[0].X
    random, d = np.random.default_rng(run.seed), X.shape[1]
    alike = FeatureSimilarity.from_data(X, threshold=THRESHOLD)
    measured(Selections.from_sets([[0], [1]], n_features=d), "SMY", alike, 10, run.seed)  # finds who is alike
    seconds = {}
    for one in MEASURES:
        took = []
        for _ in range(3):
            sets = [random.choice(d, d // 10 + int(random.integers(-3, 4)), replace=False) for _ in range(FOLDS)]
            runs = Selections.from_sets([sorted(map(int, part)) for part in sets], n_features=d)
            begin = time.process_time()
            measured(runs, one, alike, (FULL if run.full else FAST).n_draws, run.seed)
            took.append(time.process_time() - begin)
        seconds[one] = min(took)
    others = max(seconds[one] for one in MEASURES if one not in (*SMA, "SMY"))
    costly = {one: seconds[one] / others for one in (*SMA, "SMY")}
    told = listed([f"{one} {number(ratio, 1)}" for one, ratio in costly.items()])
    yield run.claim(
        "slowest",
        min(costly.values()) > MUCH_LONGER,
        f"times the slowest other measure, on {name}: {told}",
        cutoff=f"much longer: {MUCH_LONGER} times as long",
        timed=True,
    )
    order = sorted(costly, key=costly.__getitem__)
    told = f"from quick to slow: {', '.join(order)}"
    yield run.claim("quick-adjusted", set(order[:2]) == {"SMY", "SMA-Count"}, told, timed=True)
