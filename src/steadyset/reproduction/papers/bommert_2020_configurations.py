"""Bommert (2020), section 6.3: the measures on what random configurations select from the halves of real data sets."""

from __future__ import annotations

import itertools
import time
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
from sklearn.model_selection import train_test_split

from steadyset.assessment.request import make_plan
from steadyset.kernels.arrays import Floats
from steadyset.measures import get_measure, stability
from steadyset.reproduction import DataSet, Row, Run, item
from steadyset.reproduction.curves import curves
from steadyset.reproduction.papers.bommert_2020_data_sets import DATA_SETS, PAPER, THRESHOLD, chosen_sets, values_of
from steadyset.reproduction.papers.bommert_2020_filters import clusters_of
from steadyset.reproduction.papers.bommert_2020_pairs import ADJUSTED, CORRECTED, MEASURES, SMA, UNCORRECTED
from steadyset.reproduction.results_folder import ResultsFolder
from steadyset.reproduction.spreading import spread
from steadyset.resampling import KFold
from steadyset.selections import Selections
from steadyset.similarity import FeatureSimilarity
from steadyset.task import CLASSES
from steadyset.tuning.evaluation import Evaluator
from steadyset.tuning.space import Range, bommert, random_pick
from steadyset.wording import listed, number

SMALL = ("sonar", "kc1-binary", "tecator", "lsvt")
MANY_SIMILAR = ("tecator", "lsvt", "arcene")
FOLDS = 10
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
    place = (bommert().filters.index(kind), list(bommert().models).index(model))
    pick = random_pick(np.random.default_rng((seed, *place)))

    def limited(name: str, domain: Any) -> Any:
        if name in ("filter", "model"):
            return kind if name == "filter" else model
        if name.endswith("n_estimators"):
            domain = tuple(n for n in domain if n <= extent.most_trees)
        if name.endswith("n_steps"):
            domain = Range(domain.low, min(domain.high, extent.most_steps), domain.log)
        return pick(name, domain)

    return [bommert().draw(limited) for _ in range(extent.drawn)]


def evaluated(X: Floats, y: Any, configurations: Sequence[Params], n_draws: int, seed: int) -> list[dict[str, float]]:
    """Mean accuracy, mean number of features, and every measure of what ten folds select, for each configuration."""
    folds = KFold(FOLDS, stratified=True)
    plan, _ = make_plan(X, y, resampling=folds, scoring=["accuracy"], random_state=seed)
    evaluator, alike = Evaluator(plan), FeatureSimilarity.from_data(X, threshold=THRESHOLD)
    found = []
    for params in configurations:
        cells = [one for one in evaluator.cells(bommert().estimator(dict(params), len(y), CLASSES)) if not one.failure]
        sets = Selections.from_sets([list(one.selected or ()) for one in cells], n_features=X.shape[1])
        means = {
            "accuracy": float(np.mean([one.scores["accuracy"] for one in cells])),
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
        tasks, configurations = {}, {}
        for name in names:
            first, _ = halves(run.data(name), run.seed)
            for kind, model in itertools.product(bommert().filters, bommert().models):
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
    many, few = frame[frame["share"] > 0.8], frame[frame["share"] < 0.1]
    middle = frame[frame["share"].between(0.35, 0.65)]
    least = {name: float(many[name].min()) for name in ("SME", "SMD", "SMO", "SMD-0", "SMJ", "SMZ")}
    told = f"for more than 80% of the features at least {number(min(least.values()), 2)}"
    yield run.claim("not-small", min(least.values()) > 0.5, told)
    low = min(float(many["SMH"].min()), float(few["SMH"].min()))
    yield run.claim(
        "hamming-not-small", low > 0.6, f"beyond 80% and below 10% of the features at least {number(low, 2)}"
    )
    high = float(middle["SML"].max())
    yield run.claim("lustgarten-not-large", high < 0.75, f"for 35% to 65% of the features at most {number(high, 2)}")
    negative = {name: float((frame[name] < -1e-9).mean()) for name in ("SMW", "SMN", "SMK", "SMP", "SMU")}
    yield run.claim("hardly-negative", max(negative.values()) < 0.05, f"at most {max(negative.values()):.1%} of them")
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
    yield run.claim("hamming-alone", second in groups, _members(second, groups))
    yield run.claim("corrected-together", third in groups, _members(third, groups))
    similar = [name for name in names if name in MANY_SIMILAR]
    apart = {}
    for name in similar:
        table = by_data[name]
        within = np.mean([table.loc[a, b] for a, b in itertools.combinations((*SMA, "SMY"), 2)])
        across = np.mean([table.loc[a, b] for a in (*SMA, "SMY") for b in CORRECTED])
        apart[name] = float(within - across)
    told = listed([f"{name} {number(gap, 2)}" for name, gap in apart.items()])
    if apart:
        yield run.claim("split-by-similarity", all(gap > 0 for gap in apart.values()), f"within less between: {told}")
    else:
        yield _without(run, "split-by-similarity", MANY_SIMILAR)
    nearest = {name: str(by_data[name]["SMZ"].drop("SMZ").idxmax()) for name in names}
    told = listed([f"{one} on {name}" for name, one in nearest.items()])
    yield run.claim("zucknick-uncorrected", all(one in UNCORRECTED for one in nearest.values()), f"nearest: {told}")


def _members(group: frozenset[str], groups: set[frozenset[str]]) -> str:
    smallest = min((one for one in groups if one >= group), key=len)
    more = sorted(smallest - group)
    return "a cluster of their own" if not more else f"together with {listed(more)}"


def _representatives(run: Run, frame: Any) -> Iterator[Row]:
    """Figure 6.6: SMJ, SMU, SMA-Count and SMH."""
    many, few = frame[frame["share"] > 0.5], frame[frame["share"] < 0.1]
    large, small = float((many["SMJ"] - many["SMU"]).mean()), float((few["SMJ"] - few["SMU"]).mean())
    told = f"on average larger by {number(large, 2)} beyond half of the features, by {number(small, 2)} below a tenth"
    yield run.claim("jaccard-unadjusted", large > 0.1 and abs(small) < large, told)
    known = frame[["SMH", "SMU"]].dropna()
    share = float((known["SMH"] >= known["SMU"] - 1e-9).mean())
    yield run.claim("hamming-unadjusted", share > 0.95, f"in {share:.1%} of the configurations")
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
        yield run.claim("count-same", apart < 0.05, f"the median difference elsewhere is {number(apart, 3)}")
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
    plain = max(seconds[one] for one in (*CORRECTED, *UNCORRECTED) if one != "SMZ")
    costly = {one: seconds[one] / plain for one in (*SMA, "SMY")}
    told = listed([f"{one} {number(ratio, 1)}" for one, ratio in costly.items()])
    yield run.not_computed(run.published.claim("slowest"), ours=f"times the slowest unadjusted measure, {name}: {told}")
    order = sorted(costly, key=costly.__getitem__)
    yield run.not_computed(run.published.claim("quick-adjusted"), ours=f"from quick to slow: {', '.join(order)}")
