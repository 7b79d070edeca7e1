"""Bommert (2020), section 6.3: the measures on what random configurations select from the halves of real data sets."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
from sklearn.model_selection import train_test_split

from papers.bommert_2020_data_sets import DATA_SETS, PAPER, THRESHOLD, chosen_sets, values_of
from papers.bommert_2020_filters import clusters_of
from papers.bommert_2020_pairs import ADJUSTED, CORRECTED, MEASURES, SMA, UNCORRECTED
from papers.framework import TENTH, DataSet, Row, Run, item
from papers.framework.arrays import Floats
from papers.framework.curves import curves
from papers.framework.evidence import reach_of_draws, reach_without_exception, share_interval, undecided_draws
from papers.framework.results_folder import ResultsFolder
from papers.framework.spreading import spread
from papers.framework.text import listed, number, percent
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


EXTENTS = {
    "fast": Extent(2, 100, 2**9, 500),
    "large": Extent(9, 100, 2**9, 500),
    "full": Extent(200, 5000, 2**15, 10_000),
}
CHUNK = 3  # configurations of one piece of work
OWN_TIMES = "Times need no configurations: they are those of steadyset, not of the program of the thesis."


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


def pieces_of(names: Sequence[str], seed: int, extent: Extent) -> dict[str, list[Params]]:
    """Return the configurations of each piece of work, such that all kinds of all data sets come before any repeats."""
    space = Space.bommert()
    kinds = {(kind, model): drawn(kind, model, seed, extent) for kind in space.filters for model in space.models}
    return {
        f"{name},{kind},{model},{begin // CHUNK}": some[begin : begin + CHUNK]
        for begin in range(0, extent.drawn, CHUNK)
        for name in names
        for (kind, model), some in kinds.items()
    }


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
    extent = EXTENTS[run.version]
    place = run.folder.parent / f"configurations-{run.version}"
    key = (place, run.seed, *names)
    if key not in _evaluations:
        folder = ResultsFolder(place, {**run.kept_in.settings, "item": "configurations", "published": "", "data": []})
        folder.begin(resume=run.version != "fast")
        first = {name: halves(run.data(name), run.seed)[0] for name in names}
        configurations = pieces_of(names, run.seed, extent)
        tasks = {
            piece: (*first[piece.split(",")[0]], some, extent.n_draws, run.seed)
            for piece, some in configurations.items()
        }
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
    extent = EXTENTS[run.version]
    run.size(
        {
            "data sets": (len(names), len(DATA_SETS)),
            "configurations of each": (24 * extent.drawn, 24 * EXTENTS["full"].drawn),
        }
    )


def told_extent(run: Run, names: Sequence[str]) -> str:
    extent = EXTENTS[run.version]
    reduced = f", forests of {extent.most_trees} trees, boosting of at most {extent.most_steps} steps"
    return f"{listed(list(names))}; {24 * extent.drawn:,} configurations each (24 kinds){'' if run.full else reduced}."


@item(PAPER, "figures-6.4-to-6.7", data=DATA_SETS, seconds=40, large_seconds=1500, full_seconds=500_000)
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
    what = "configurations on these data sets"
    middle = frame[frame["share"].between(0.35, 0.65)]
    least = {name: float(many[name].min()) for name in ("SME", "SMD", "SMO", "SMD-0", "SMJ", "SMZ")}
    told = f"for more than 80% of the features at least {number(min(least.values()), 2)}"
    reach = reach_without_exception(len(many), f"{what} that select many features")
    cutoff = "small: 0.5; many: more than 80%"
    yield run.claim("not-small", min(least.values()) > 0.5, told, cutoff=cutoff, reach=reach)
    low = min(float(many["SMH"].min()), float(few["SMH"].min()))
    told, cutoff = f"at least {number(low, 2)}", "small: 0.5; many: more than 80% of the features; few: less than 10%"
    reach = reach_without_exception(len(many) + len(few), f"{what} that select many or few features")
    yield run.claim("hamming-not-small", low > 0.5, told, cutoff=cutoff, reach=reach)
    high, cutoff = float(middle["SML"].max()), "large: 0.75; medium: 35% to 65% of the features"
    reach = reach_without_exception(len(middle), f"{what} that select a medium number of features")
    yield run.claim("lustgarten-not-large", high < 0.75, f"at most {number(high, 2)}", cutoff=cutoff, reach=reach)
    negative = {name: float((frame[name] < -1e-9).mean()) for name in ("SMW", "SMN", "SMK", "SMP", "SMU")}
    told = f"at most {max(negative.values()):.1%} of the configurations"
    n = len(frame)
    worst = [share_interval(round(share * n), n) for share in negative.values()]
    low, high = (max(ends) for ends in zip(*worst, strict=True))
    sure = not low < 0.05 <= high
    reach = f"Of all {what}, {percent(low)} to {percent(high)} (95%) would be negative" if sure else ""
    cutoff = "hardly ever: in less than 5%"
    yield run.claim("hardly-negative", max(negative.values()) < 0.05, told, cutoff=cutoff, reach=reach)
    yield from _correlations(run, frame, names)
    yield from _representatives(run, frame)
    yield from _times(run, names[-1])


def _correlations(run: Run, frame: Any, names: Sequence[str]) -> Iterator[Row]:
    by_data = {name: _correlations_of(frame, name) for name in names}
    mean = _mean_correlation(frame)
    run.table(mean, "correlations")
    groups = clusters_of(mean)

    def drawn_claim(name: str, holds: Callable[[Any], bool], told: str, cutoff: str) -> Row:
        return _by_draws(run, name, holds, frame, told, cutoff)

    def is_group(members: frozenset[str]) -> Callable[[Any], bool]:
        return lambda rows: members in clusters_of(_mean_correlation(rows))

    second = frozenset(UNCORRECTED) - {"SMH", "SMS"}
    third = frozenset((*CORRECTED, *ADJUSTED, "SMS"))
    cutoff = "a group: a cluster of average linkage, at some height, that holds these and no others"
    yield drawn_claim("hamming-alone", is_group(second), _members(second, groups), cutoff)
    yield drawn_claim("corrected-together", is_group(third), _members(third, groups), cutoff)
    similar = [name for name in names if name in MANY_SIMILAR]
    split = {name: _is_split(clusters_of(by_data[name])) for name in similar}
    told = listed([f"{name}: {'split' if found else 'not split'}" for name, found in split.items()])
    if split:
        cutoff = "splits: SMA and SMY are a cluster, without SMES, and the corrected unadjusted measures are in another"
        yield drawn_claim("split-by-similarity", partial(_all_split, similar), told, cutoff)
    else:
        yield _without(run, "split-by-similarity", MANY_SIMILAR)
    nearest = {name: str(by_data[name]["SMZ"].drop("SMZ").idxmax()) for name in names}
    told = listed([f"{one} on {name}" for name, one in nearest.items()])
    cutoff = "belongs to: the measure with the largest correlation is one of them"
    yield drawn_claim("zucknick-uncorrected", _zucknick_is_uncorrected, f"nearest: {told}", cutoff)


def _by_draws(run: Run, name: str, holds: Callable[[Any], bool], frame: Any, told: str, cutoff: str = "") -> Row:
    """Judge a claim that a frame of configurations holds or not, as far as draws of its rows agree on it."""
    what = "configurations"
    reach = reach_of_draws(holds, frame, run.seed, what) if run.share < TENTH else ""
    reason = "" if reach or run.share >= TENTH else undecided_draws(what)
    return run.claim(name, holds(frame), told, cutoff=cutoff, reach=reach, reason=reason)


def _correlations_of(frame: Any, name: str) -> Any:
    """The correlations between the measures on one data set; 0 where a measure has one value only."""
    return frame.loc[frame["data"] == name, list(MEASURES)].corr().fillna(0.0)


def _mean_correlation(frame: Any) -> Any:
    """The correlations between the measures, averaged over the data sets."""
    tables = [_correlations_of(frame, name) for name in dict.fromkeys(frame["data"])]
    return sum(tables[1:], tables[0]) / len(tables)


def _all_split(names: Sequence[str], frame: Any) -> bool:
    """Whether adjusted and unadjusted corrected measures are apart on each of the data sets."""
    return all(_is_split(clusters_of(_correlations_of(frame, name))) for name in names)


def _zucknick_is_uncorrected(frame: Any) -> bool:
    """Whether SMZ is most correlated with an uncorrected measure on each of the data sets."""
    tables = [_correlations_of(frame, name) for name in dict.fromkeys(frame["data"])]
    return all(table["SMZ"].drop("SMZ").idxmax() in UNCORRECTED for table in tables)


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
    yield _by_draws(run, "jaccard-unadjusted", _jaccard_is_unadjusted, frame, told, cutoff)
    known = frame[["SMH", "SMU"]].dropna()
    share = float((known["SMH"] >= known["SMU"] - 1e-9).mean())
    told = f"in {share:.1%} of the configurations"
    low, high = share_interval(round(share * len(known)), len(known))
    sure = not low <= 0.95 < high
    reach = f"Of all configurations on these data sets, it is {percent(low)} to {percent(high)} (95%)" if sure else ""
    yield run.claim("hamming-unadjusted", share > 0.95, told, cutoff="almost all: more than 95%", reach=reach)
    far = float((few["SMH"] - few["SMJ"]).mean()), float((many["SMH"] - many["SMJ"]).mean())
    told = f"on average larger by {number(far[0], 2)} below a tenth of the features, by {number(far[1], 2)} beyond half"
    yield _by_draws(run, "hamming-jaccard", _hamming_is_far_from_jaccard, frame, told)
    alike = frame[frame["data"].isin(MANY_SIMILAR)]
    more = float((alike["SMA-Count"] - alike["SMU"])[alike["share"] > 0.5].mean())
    less = float((alike["SMA-Count"] - alike["SMU"])[alike["share"] < 0.1].mean())
    told = f"SMA-Count less SMU: {number(more, 3)} beyond half of the features, {number(less, 3)} below a tenth"
    if len(alike):
        yield _by_draws(run, "count-unadjusted", _count_differs, alike, told)
    else:
        yield _without(run, "count-unadjusted", MANY_SIMILAR)
    others = frame[~frame["data"].isin(MANY_SIMILAR)]
    apart = float((others["SMA-Count"] - others["SMU"]).abs().median())
    if len(others):
        told = f"the median difference is {number(apart, 3)}"
        cutoff = "almost identical: a median difference below 0.05"
        yield _by_draws(run, "count-same", _count_is_same, others, told, cutoff)
    else:
        yield _without(run, "count-same", [name for name in SMALL if name not in MANY_SIMILAR])


def _jaccard_is_unadjusted(frame: Any) -> bool:
    """Whether SMJ is larger than SMU where many features are selected, and similar where few are."""
    gap = frame["SMJ"] - frame["SMU"]
    return bool(gap[frame["share"] > 0.5].mean() > 0.1 > abs(gap[frame["share"] < 0.1].mean()))


def _hamming_is_far_from_jaccard(frame: Any) -> bool:
    """Whether SMH exceeds SMJ more where few features are selected than where many are."""
    gap = frame["SMH"] - frame["SMJ"]
    return bool(gap[frame["share"] < 0.1].mean() > gap[frame["share"] > 0.5].mean())


def _count_differs(frame: Any) -> bool:
    """Whether SMA-Count is larger than SMU where many features are selected, and smaller where few are."""
    gap = frame["SMA-Count"] - frame["SMU"]
    return bool(gap[frame["share"] > 0.5].mean() > 0 > gap[frame["share"] < 0.1].mean())


def _count_is_same(frame: Any) -> bool:
    """Whether SMA-Count and SMU are almost identical."""
    return bool((frame["SMA-Count"] - frame["SMU"]).abs().median() < 0.05)


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
            measured(runs, one, alike, EXTENTS[run.version].n_draws, run.seed)
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
        reach=OWN_TIMES,
        timed=True,
    )
    order = sorted(costly, key=costly.__getitem__)
    told = f"from quick to slow: {', '.join(order)}"
    yield run.claim("quick-adjusted", set(order[:2]) == {"SMY", "SMA-Count"}, told, reach=OWN_TIMES, timed=True)
