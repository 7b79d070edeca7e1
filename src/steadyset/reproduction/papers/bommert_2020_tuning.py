"""Bommert (2020), chapter 7: configurations that are accurate, steady and small, beside the most accurate ones."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from steadyset.kernels.arrays import Floats, Ints
from steadyset.reproduction import Row, Run, item
from steadyset.reproduction.curves import curves
from steadyset.reproduction.papers.bommert_2020_configurations import (
    FAST,
    FULL,
    data_at_hand,
    evaluated,
    evaluations,
    halves,
    told_extent,
)
from steadyset.reproduction.papers.bommert_2020_data_sets import DATA_SETS, PAPER
from steadyset.reproduction.spreading import spread
from steadyset.tuning.choice import pareto_front
from steadyset.tuning.filtered import NO_FILTER
from steadyset.wording import listed, number

CONSIDERED = ("SMU", "SMA-Count", "SMJ", "SMH")
DIRECTIONS = ("max", "max", "min")
SLACK = 0.05  # of accuracy that a PA-best configuration may lack
EASY = ("dilbert", "christensen", "chiaretti")  # many configurations have the best accuracy


class Best(NamedTuple):
    """Rows of a frame of configurations: on the front and PA-best by measure, and A-best."""

    front: Mapping[str, Ints]
    pa: Mapping[str, Ints]
    a: Ints


def best_of(frame: Any) -> Best:
    """The optimal configurations of one data set; one whose stability is undefined is never on the front."""
    accuracy = frame["accuracy"].to_numpy()
    columns = {name: frame[["accuracy", name, "features"]].to_numpy() for name in CONSIDERED}
    front = {name: pareto_front(values, DIRECTIONS) for name, values in columns.items()}
    near = {name: _within(places, accuracy) for name, places in front.items()}
    return Best(front, near, np.flatnonzero(accuracy >= accuracy.max() - 1e-12))


def _within(front: Ints, accuracy: Floats) -> Ints:
    """Those within the slack of the best accuracy of all configurations, also of those that are not on the front."""
    return np.asarray(front[accuracy[front] >= accuracy.max() - SLACK - 1e-12])


@item(PAPER, "table-7.1", data=DATA_SETS, seconds=35, full_seconds=500_000)
def optimal_configurations(run: Run) -> Iterator[Row]:
    """How many configurations are Pareto optimal, PA-best and A-best."""
    names = data_at_hand(run)
    frame = evaluations(run, names)
    run.note(told_extent(run, names))
    found = {name: best_of(frame[frame["data"] == name]) for name in names}
    counts = {name: _counts(best) for name, best in found.items()}
    run.table(pd.DataFrame(counts).T)
    most = [name for name, one in counts.items() if one["SMJ (all)"] == max(one[f"{m} (all)"] for m in CONSIDERED)]
    told = f"on {len(most)} of {len(names)}"
    claim = run.published.claim("jaccard-most")
    yield run.claim(claim.name, len(most) == len(names), told) if run.full else run.not_computed(claim, ours=told)
    for cell in run.published.cells:
        if cell.row in counts and run.full:
            yield run.not_computed(cell, ours=str(counts[cell.row][cell.column]))
        elif cell.row in run.at_hand():
            yield run.only_full(cell)


def _counts(best: Best) -> dict[str, int]:
    counts = {f"{name} (all)": len(best.front[name]) for name in CONSIDERED}
    return counts | {f"{name} (PA)": len(best.pa[name]) for name in CONSIDERED} | {"A-best": len(best.a)}


@item(PAPER, "figures-7.1-to-7.5", data=DATA_SETS, seconds=15, full_seconds=100_000)
def performances(run: Run) -> Iterator[Row]:
    """Which configurations are optimal, and what they are worth on the other half of the rows."""
    names = data_at_hand(run)
    frame = evaluations(run, names)
    run.note(told_extent(run, names))
    parts = {name: frame[frame["data"] == name].reset_index(drop=True) for name in names}
    found = {name: best_of(part) for name, part in parts.items()}
    yield from _methods(run, parts, found)
    test = _on_test_rows(run, parts, found)
    run.table(pd.concat(test, names=["data", "configuration"]).reset_index())
    yield from _from_train_to_test(run, parts, found, test)
    yield from _gains(run, parts, found, test)
    shown = pd.concat([_points(name, found[name], test[name]) for name in names])
    run.figure(curves(shown, "features", "stability", series="kind", panel="data", lines=False))


def _methods(run: Run, parts: Mapping[str, Any], found: Mapping[str, Best]) -> Iterator[Row]:
    """Figures 7.1 and 7.2."""
    plain = {n: (p["filter"] == NO_FILTER) & p["model"].isin(["svm", "knn", "ridge"]) for n, p in parts.items()}
    unselective = {m: sum(int(plain[n].iloc[found[n].pa[m]].sum()) for n in parts) for m in CONSIDERED}
    none = unselective["SMU"] == unselective["SMA-Count"] == 0
    yield run.claim("corrected-select", none, "none" if none else str(unselective))
    all_kept = {n: p["share"] == 1 for n, p in parts.items()}
    on_front = {m: sum(int(all_kept[n].iloc[found[n].front[m]].sum()) for n in parts) for m in ("SMJ", "SMH")}
    told = listed([f"{count} by {measure}" for measure, count in on_front.items()])
    yield run.claim("uncorrected-keep-all", min(on_front.values()) > 0, f"on the fronts: {told}")
    chosen = pd.concat([part.iloc[found[name].pa["SMU"]] for name, part in parts.items()])
    embedded = chosen[chosen["model"].isin(["lasso", "forest", "boosting"])]
    share = float((embedded["filter"] != NO_FILTER).mean())
    told = f"{share:.0%} of {len(embedded)} that select by themselves have a filter"
    yield run.claim("filter-first", share > 0.25, told)
    both = sum(len(set.intersection(*(set(one.pa[m].tolist()) for m in CONSIDERED))) for one in found.values())
    every = sum(len(set.union(*(set(one.pa[m].tolist()) for m in CONSIDERED))) for one in found.values())
    yield run.claim("agree-on-some", 0 < both < every, f"{both} of {every} are PA-best for all four measures")


def _on_test_rows(run: Run, parts: Mapping[str, Any], found: Mapping[str, Best]) -> dict[str, Any]:
    """The PA-best and A-best configurations, evaluated on the second halves."""
    extent, tasks, chosen = FULL if run.full else FAST, {}, {}
    for name, best in found.items():
        chosen[name] = sorted({int(place) for one in (*best.pa.values(), best.a) for place in one})
        _, second = halves(run.data(name), run.seed)
        params = [parts[name]["params"].iloc[place] for place in chosen[name]]
        tasks[f"test,{name}"] = (*second, params, extent.n_draws, run.seed)
    values = spread(run, evaluated, tasks)
    return {name: pd.DataFrame(values[f"test,{name}"], index=chosen[name]).astype(np.float64) for name in found}


def _from_train_to_test(
    run: Run, parts: Mapping[str, Any], found: Mapping[str, Best], test: Mapping[str, Any]
) -> Iterator[Row]:
    """Figures 7.3, A.20 and A.21."""
    lost, sizes, steady = {}, [], []
    for name, best in found.items():
        change = test[name] - parts[name].loc[test[name].index, test[name].columns]
        accuracy = change["accuracy"]
        lost[name] = (float(accuracy.loc[best.pa["SMU"]].mean()), float(accuracy.loc[best.a].mean()))
        sizes += list(change["share"].loc[best.pa["SMU"]].abs())
        steady += list(change["SMU"].loc[best.pa["SMU"]].abs())
    more = [name for name, (pa, a) in lost.items() if pa >= a]
    told = listed([f"{name} {number(pa, 3)} and {number(a, 3)}" for name, (pa, a) in lost.items()])
    claim, told = run.published.claim("less-overfitting"), f"change of accuracy, PA-best and A-best: {told}"
    yield run.claim(claim.name, len(more) > len(lost) / 2, told) if run.full else run.not_computed(claim, ours=told)
    resized, moved = float(np.median(sizes)), float(np.nanmedian(steady))
    yield run.claim("same-size", resized < 0.02, f"the median change is {resized:.1%} of all features")
    yield run.claim("same-stability", moved < 0.15, f"the median change of SMU is {number(moved, 3)}")


def _gains(run: Run, parts: Mapping[str, Any], found: Mapping[str, Best], test: Mapping[str, Any]) -> Iterator[Row]:
    """Figures 7.4 and 7.5: PA-best configurations that are steadier and smaller on the test rows, and as accurate."""
    smaller: dict[str, float] = {}
    for name, best in found.items():
        rows = test[name]
        pa, a = rows.loc[best.pa["SMU"]], rows.loc[best.a]
        better = pa[(pa["SMU"] >= a["SMU"].max()) & (pa["features"] <= a["features"].min())]
        if len(better):
            smaller[name] = float(better["accuracy"].max() - a["accuracy"].max())
    yield run.claim("steadier-smaller", len(smaller) == len(found), f"on {listed(list(smaller))}")
    told = [f"{name} {number(gain, 3)}" for name, gain in smaller.items()]
    little = bool(smaller) and min(smaller.values()) > -SLACK
    claim, told_gains = run.published.claim("as-accurate"), f"change of accuracy: {listed(told)}"
    yield run.claim(claim.name, little, told_gains) if run.full else run.not_computed(claim, ours=told_gains)
    many = {m: max(float(parts[n]["share"].iloc[found[n].pa[m]].max()) for n in found) for m in CONSIDERED}
    told = [f"{m} {share:.0%}" for m, share in many.items()]
    large = min(many["SMJ"], many["SMH"]) >= max(many["SMU"], many["SMA-Count"])
    yield run.claim("uncorrected-large", large, f"largest share of the features: {listed(told)}")


def _points(name: str, best: Best, rows: Any) -> Any:
    kinds = dict.fromkeys(best.pa["SMU"].tolist(), "PA-best")
    for place in best.a.tolist():
        kinds[place] = "both" if place in kinds else "A-best"
    shown = rows.loc[list(kinds)]
    return pd.DataFrame(
        {
            "data": name,
            "features": shown["features"],
            "stability": shown["SMU"],
            "kind": [kinds[p] for p in shown.index],
        }
    ).dropna()
