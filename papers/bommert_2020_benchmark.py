"""Bommert (2020), section 5.3: filters with the best classifier behind each, by accuracy and run time."""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import pandas as pd
from sklearn.model_selection import StratifiedKFold

from papers.bommert_2020_data_sets import DATA_SETS, PAPER, chosen_sets, values_of
from papers.bommert_2020_filters import FILTERS
from papers.framework import TENTH, Row, Run, item
from papers.framework.arrays import Floats, Ints
from papers.framework.spreading import spread
from papers.framework.text import listed, number
from steadyset import KFold, Space, pareto_front, tune
from steadyset.selectors import FilterSelector

SMALL = ("sonar", "kc1-binary")
BEST = ("JMIM", "JMI", "impurity", "DISR")
WORST = (*("anova.test", "MRMR", "sam", "oneR", "variance", "gain.ratio", "limma", "kruskal.test", "chi.squared"),)
FRONTS = {
    "front": ("filtering", 0.5, ("JMI", "impurity", "MIM", "none")),
    "front-quartile": ("filtering", 0.75, ("impurity", "none")),
    "front-entire": ("seconds", 0.5, ("JMIM", "JMI", "impurity", "MIM")),
    "front-entire-quartile": ("seconds", 0.75, ("JMI", "impurity", "MIM")),
}
EMBEDDED = ("lasso", "forest", "boosting")  # select by themselves, which would hide what the filter does
NONE = "none"
Params = Mapping[str, Any]


@item(PAPER, "figures-5.5-to-5.8", data=DATA_SETS, seconds=25, full_seconds=200_000)
def benchmark(run: Run) -> Iterator[Row]:
    """Nested cross-validation: the best of the drawn configurations of each filter, on rows that did not choose it."""
    names = chosen_sets(run, SMALL)
    outer, inner, n_drawn = (10, 10, 100) if run.full else (3, 3, 5)
    found = spread(run, best_configuration, _tasks(run, names, outer, inner, n_drawn))
    keys = ("data", "filter", "fold")
    rows = [{**dict(zip(keys, key.split(","), strict=True)), **one} for key, one in found.items()]
    frame: Any = pd.DataFrame(rows)
    run.table(frame)
    run.note(
        f"{listed(names)}; {outer} outer and {inner} inner folds, {n_drawn} configurations. Of equal accuracies the "
        "first drawn counts, not the quickest as in the thesis, so that the same seed gives the same answer."
    )
    run.size(
        {
            "data sets": (len(names), len(DATA_SETS)),
            "outer folds": (outer, 10),
            "inner folds": (inner, 10),
            "configurations": (n_drawn, 100),
        }
    )
    accuracy = frame.pivot_table(index="filter", columns="data", values="accuracy", aggfunc="mean")
    within = float(frame.groupby(["filter", "data"])["accuracy"].std().mean())
    between = float(accuracy.std().mean())
    yield run.claim(
        "variation",
        within > between,
        f"standard deviation {number(within, 3)} over the folds, {number(between, 3)} over the filters",
        reach="With fewer configurations the accuracies of the filters differ more by chance, so that the claim fails "
        f"more easily here; it is about {listed(names)} only.",
    )
    always = [name for name in accuracy.index if all((accuracy.loc[name] > accuracy.drop(index=name)).all())]
    told = "none" if not always else listed(always)
    chance = "Among 21 methods of one accuracy, chance alone would give this answer on so few data sets."
    yield run.claim("no-winner", not always, told, reason=chance if run.share < TENTH else "")
    beaten = {a: sum(_beats(accuracy, a, b) for b in accuracy.index if a != b) for a in accuracy.index}
    order = sorted(beaten, key=lambda name: -beaten[name])
    yield run.claim("best", set(order[:4]) == set(BEST), f"the four best: {listed(order[:4])}")
    many = len(order) // 2
    behind = [name for name in WORST if order.index(name) < many]
    yield run.claim(
        "worst",
        not behind,
        f"better than half of the others: {listed(behind) or 'none of them'}",
        cutoff="by many: by half of all filters or more",
    )
    for claim, (kind, level, published) in FRONTS.items():
        front = _front(frame, accuracy, kind, level)
        if claim == "front":
            why = "by definition, at any size: no filter takes no time, which no other method beats"
            yield run.claim("none-on-the-front", NONE in front, f"on the front: {listed(front)}", power=why)
        yield run.claim(claim, set(front) == set(published), f"on the front: {listed(front)}", timed=True)


def _tasks(run: Run, names: Sequence[str], outer: int, inner: int, n_drawn: int) -> dict[str, tuple[Any, ...]]:
    tasks = {}
    for name in names:
        X, y = values_of(run.data(name))
        folds = StratifiedKFold(outer, shuffle=True, random_state=run.seed).split(X, y)
        for fold, (train, test) in enumerate(folds):
            drawn = drawn_classifiers(n_drawn, (run.seed, fold))
            for one in (*FILTERS, NONE):
                kind = FILTERS.get(one, NONE)
                tasks[f"{name},{one},{fold}".replace(" ", "-")] = (X, y, train, test, kind, drawn, inner, run.seed)
    return tasks


def classifiers() -> Space:
    """Table 5.2: the classifiers that do not select."""
    space = Space.bommert(fill=True)
    return replace(space, models={name: model for name, model in space.models.items() if name not in EMBEDDED})


def drawn_classifiers(n: int, seed: Sequence[int]) -> list[Params]:
    """Configurations that all filters share: how many features are kept, a classifier and its parameters."""
    random = np.random.default_rng(seed)
    space = replace(classifiers(), filters=("mim",))  # any filter: its name is left out below
    drawn = [space.sample(random) for _ in range(n)]
    return [{key: value for key, value in params.items() if key != "filter"} for params in drawn]


def best_configuration(
    X: Floats, y: Any, train: Ints, test: Ints, kind: str, drawn: Sequence[Params], inner: int, seed: int
) -> dict[str, float]:
    """The configuration that is most accurate in the inner folds: its accuracy on the test rows, and seconds."""
    without = {"fraction"} if kind == NONE else set()
    configurations = [{"filter": kind, **{k: v for k, v in params.items() if k not in without}} for params in drawn]
    found = tune(
        replace(classifiers(), filters=(kind,)).only(configurations),
        X[train],
        y[train],
        objectives=["accuracy"],
        resampling=KFold(inner, stratified=True),
        random_state=seed,
        search={"sampler": "grid"},
        execution={"progress": False},
    )
    best = found.estimator(int(found.frame["accuracy"].fillna(0).to_numpy().argmax())).set_params(random_state=seed)
    begin = time.process_time()
    if kind != NONE:
        FilterSelector(kind, k=best.n_kept(X.shape[1]), random_state=seed, fill=True).fit(X[train], y[train])
    filtered = time.process_time()
    hits = best.fit(X[train], y[train]).predict(X[test]) == y[test]
    return {"accuracy": float(np.mean(hits)), "filtering": filtered - begin, "seconds": time.process_time() - filtered}


def _beats(accuracy: Any, a: str, b: str) -> float:
    """On how many data sets a is more accurate than b; half for a tie."""
    more, same = accuracy.loc[a] > accuracy.loc[b], accuracy.loc[a] == accuracy.loc[b]
    return float(more.sum() + same.sum() / 2)


def _front(frame: Any, accuracy: Any, kind: str, level: float) -> list[str]:
    """The filters that no other beats by a quantile over the data sets, of lost accuracy and of processor time."""
    lost = (accuracy.max() - accuracy).quantile(level, axis=1)
    # filtering alone, or the whole model: `seconds` are those of the model with its filter
    times = frame.pivot_table(index="filter", columns="data", values=kind, aggfunc="median")
    relative = np.log10(times + 1e-4)
    seconds = (relative - relative.min()).quantile(level, axis=1)
    values = np.column_stack([lost, seconds.loc[lost.index]])
    return [str(lost.index[place]) for place in pareto_front(values, ["min", "min"])]
