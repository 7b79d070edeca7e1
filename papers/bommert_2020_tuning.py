"""Bommert (2020), chapter 7: configurations that are accurate, steady and small, beside the most accurate ones."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
from scipy.stats import binom

from papers.bommert_2020_configurations import (
    EXTENTS,
    data_at_hand,
    evaluated,
    evaluations,
    halves,
    size_of,
    told_extent,
)
from papers.bommert_2020_data_sets import DATA_SETS, PAPER
from papers.framework import Cell, Row, Run, item
from papers.framework.arrays import Floats, Ints
from papers.framework.curves import curves
from papers.framework.spreading import spread
from papers.framework.text import listed, number
from steadyset import pareto_front

CONSIDERED = ("SMU", "SMA-Count", "SMJ", "SMH")
DIRECTIONS = ("max", "max", "min")
SLACK = 0.05  # of accuracy that a PA-best configuration may lack
EMBEDDED = ("lasso", "forest", "boosting")
BETTER = ("sonar", "kc1-binary", "tecator", "har", "lsvt", "eating")  # where PA-best ones are better in every respect
LARGE = ("tecator", "har", "gina_agnostic")  # where uncorrected measures keep many features
OVERFITTING = ("gravier", "chiaretti")  # where A-best configurations do not lose more than PA-best ones
MANY_FILTERED, SAME_SIZE, SAME_STABILITY, MANY_FEATURES = 0.25, 0.02, 0.1, 0.5


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


@item(PAPER, "table-7.1", data=DATA_SETS, seconds=35, large_seconds=1500, full_seconds=500_000)
def optimal_configurations(run: Run) -> Iterator[Row]:
    """How many configurations are Pareto optimal, PA-best and A-best."""
    names = data_at_hand(run)
    frame = evaluations(run, names)
    run.note(told_extent(run, names))
    found = {name: best_of(frame[frame["data"] == name]) for name in names}
    counts = {name: _counts(best) for name, best in found.items()}
    run.table(pd.DataFrame(counts).T)
    size_of(run, names)
    most = {
        kind: [
            name
            for name, one in counts.items()
            if one[f"SMJ ({kind})"] == max(one[f"{m} ({kind})"] for m in CONSIDERED)
        ]
        for kind in ("all", "PA")
    }
    told = f"Pareto optimal on {len(most['all'])}, PA-best on {len(most['PA'])} of {len(names)}"
    yield run.claim("jaccard-most", all(len(some) == len(names) for some in most.values()), told)
    for cell in run.published.cells:
        if cell.row in counts:
            yield _counted(run, cell, counts[cell.row][cell.column])
        elif cell.row in run.at_hand():
            yield run.only_full(cell)


def _counted(run: Run, cell: Cell, ours: int) -> Row:
    """Compare a count among our configurations with that among the thesis' 4,800.

    A configuration that is optimal among 4,800 is optimal among each part of them that contains it. So at least as many
    of ours are expected to be optimal as the published count times our share of the configurations. There is no such
    limit from above: configurations that better ones beat are optimal where the better ones were not drawn.
    """
    if run.full:
        return run.not_stated(cell, ours=str(ours))
    extent = EXTENTS[run.version]
    published = float(cell.value)
    least = int(binom.ppf(0.001, published, extent.drawn / EXTENTS["full"].drawn))
    if least == 0:
        why = "As few as 0 are expected among so few configurations, and their number has no limit from above."
        return run.undecided(cell, ours=str(ours), reason=why)
    reach = (
        "A count below the limit would refute the published one; no count can confirm it, because configurations are "
        "optimal where better ones were not drawn"
    )
    cutoff = f"at least {least}, which 99.9% of random parts of the published configurations exceed or have"
    return run.compared(cell, str(ours), ours >= least, cutoff, reach=reach)


def _counts(best: Best) -> dict[str, int]:
    counts = {f"{name} (all)": len(best.front[name]) for name in CONSIDERED}
    return counts | {f"{name} (PA)": len(best.pa[name]) for name in CONSIDERED} | {"A-best": len(best.a)}


@item(PAPER, "figures-7.1-to-7.5", data=DATA_SETS, seconds=15, large_seconds=300, full_seconds=100_000)
def performances(run: Run) -> Iterator[Row]:
    """Which configurations are optimal, and what they are worth on the other half of the rows."""
    names = data_at_hand(run)
    frame = evaluations(run, names)
    run.note(told_extent(run, names))
    parts = {name: frame[frame["data"] == name].reset_index(drop=True) for name in names}
    found = {name: best_of(part) for name, part in parts.items()}
    size_of(run, names)
    yield from _methods(run, parts, found)
    test = _on_test_rows(run, parts, found)
    run.table(pd.concat(test, names=["data", "configuration"]).reset_index())
    yield from _from_train_to_test(run, parts, found, test)
    yield from _gains(run, parts, found, test)
    shown = pd.concat([_points(name, found[name], test[name]) for name in names])
    run.figure(curves(shown, "features", "stability", series="kind", panel="data", lines=False))


def _methods(run: Run, parts: Mapping[str, Any], found: Mapping[str, Best]) -> Iterator[Row]:
    """Figures 7.1 and 7.2."""
    plain = {n: (p["filter"] == "none") & p["model"].isin(["svm", "knn", "ridge"]) for n, p in parts.items()}
    unselective = {m: sum(int(plain[n].iloc[found[n].pa[m]].sum()) for n in parts) for m in CONSIDERED}
    none = unselective["SMU"] == unselective["SMA-Count"] == 0
    why = "by definition, at any size: SMU and SMA-Count have no value for sets of all features"
    yield run.claim("corrected-select", none, "none" if none else str(unselective), power=why)
    all_kept = {n: p["share"] == 1 for n, p in parts.items()}
    on_front = {m: sum(int(all_kept[n].iloc[found[n].front[m]].sum()) for n in parts) for m in ("SMJ", "SMH")}
    told = listed([f"{count} by {measure}" for measure, count in on_front.items()])
    yield run.claim("uncorrected-keep-all", min(on_front.values()) > 0, f"on the fronts: {told}")
    filtered = {name: _filtered(part, found[name]) for name, part in parts.items()}
    shares = {name: with_filter / n for name, (with_filter, n) in filtered.items() if n}
    told = listed([f"{some} of {n} on {name}" for name, (some, n) in filtered.items()])
    cutoff = f"many: {MANY_FILTERED:.0%} of the PA-best and A-best ones that select by themselves, where there are any"
    yield run.claim("filter-first", min(shares.values(), default=0) >= MANY_FILTERED, told, cutoff=cutoff)
    shared = {name: (len(_agreed(one)), len(_chosen(one.pa))) for name, one in found.items()}
    some_only = [name for name, (agreed, every) in shared.items() if 0 < agreed < every / 2]
    told = listed([f"{agreed} of {every} for all four on {name}" for name, (agreed, every) in shared.items()])
    yield run.claim("agree-on-some", len(some_only) > len(shared) / 2, told, cutoff="most: more than half")


def _chosen(pa: Mapping[str, Ints]) -> set[int]:
    """The configurations that are PA-best for some measure."""
    return {int(place) for places in pa.values() for place in places}


def _agreed(best: Best) -> set[int]:
    """The configurations that are PA-best for all measures."""
    return set.intersection(*(set(map(int, places)) for places in best.pa.values()))


def _filtered(part: Any, best: Best) -> tuple[int, int]:
    """How many of the best configurations that select by themselves have a filter, and how many there are."""
    chosen = part.iloc[sorted(_chosen(best.pa) | set(map(int, best.a)))]
    filters = chosen.loc[chosen["model"].isin(EMBEDDED), "filter"]
    return int((filters != "none").sum()), len(filters)


def _on_test_rows(run: Run, parts: Mapping[str, Any], found: Mapping[str, Best]) -> dict[str, Any]:
    """The PA-best and A-best configurations, evaluated on the second halves."""
    extent, tasks, chosen = EXTENTS[run.version], {}, {}
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
    lost, sizes, steady = {}, {}, {}
    for name, best in found.items():
        change = test[name] - parts[name].loc[test[name].index, test[name].columns]
        chosen = change.loc[sorted(_chosen(best.pa))]
        lost[name] = (float(chosen["accuracy"].mean()), float(change["accuracy"].loc[best.a].mean()))
        sizes[name] = float(chosen["share"].abs().median())
        steady[name] = float(change["SMU"].loc[best.pa["SMU"]].abs().median())
    told = listed([f"{name} {number(pa, 3)} and {number(a, 3)}" for name, (pa, a) in lost.items()])
    less = all(pa > a for name, (pa, a) in lost.items() if name not in OVERFITTING)
    yield run.claim("less-overfitting", less, f"mean change of accuracy, PA-best and A-best: {told}")
    told = listed([f"{name} {share:.1%}" for name, share in sizes.items()])
    cutoff = f"hardly: a median change below {SAME_SIZE:.0%} of all features"
    reach = (
        "The change of a configuration does not depend on how many were drawn; it is about the PA-best configurations "
        f"of these {len(sizes)} data sets only"
    )
    holds = max(sizes.values()) < SAME_SIZE
    yield run.claim("same-size", holds, f"median changes: {told}", cutoff=cutoff, reach=reach)
    told = listed([f"{name} {number(value, 3)}" for name, value in steady.items()])
    same = [name for name, value in steady.items() if value < SAME_STABILITY]
    cutoff = f"the same: a median change of SMU below {SAME_STABILITY}; most: more than half"
    yield run.claim("same-stability", len(same) > len(steady) / 2, f"median changes: {told}", cutoff=cutoff)


def _gains(run: Run, parts: Mapping[str, Any], found: Mapping[str, Best], test: Mapping[str, Any]) -> Iterator[Row]:
    """Figures 7.4 and 7.5: PA-best configurations that are steadier and smaller on the test rows, and as accurate."""
    gains: dict[str, tuple[int, int]] = {}
    for name in [one for one in BETTER if one in found]:
        pa, a = test[name].loc[sorted(_chosen(found[name].pa))], test[name].loc[found[name].a]
        better = pa[(pa["SMU"] > a["SMU"].max()) & (pa["features"] < a["features"].min())]
        gains[name] = (len(better), int((better["accuracy"] > a["accuracy"].max()).sum()))
    told = listed([f"{n} on {name}" for name, (n, _) in gains.items()])
    yield run.claim("steadier-smaller", all(n for n, _ in gains.values()), told, cutoff="steadiness by SMU")
    told = listed([f"{n} on {name}" for name, (_, n) in gains.items()])
    yield run.claim("as-accurate", all(n for _, n in gains.values()), told)
    shown = [name for name in LARGE if name in found]
    most = {m: [float(parts[n]["share"].iloc[found[n].pa[m]].max()) for n in shown] for m in CONSIDERED}
    if not shown:
        yield run.missing(run.published.claim("uncorrected-large"), LARGE)
        return
    large = min(*most["SMJ"], *most["SMH"]) > MANY_FEATURES >= max(*most["SMU"], *most["SMA-Count"])
    told = listed([f"{m} {max(shares):.0%}" for m, shares in most.items()])
    yield run.claim(
        "uncorrected-large",
        large,
        f"largest share of the features on {listed(shown)}: {told}",
        cutoff=f"many: more than {MANY_FEATURES:.0%} of the features",
    )


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
