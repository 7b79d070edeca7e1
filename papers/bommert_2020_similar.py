"""Bommert (2020), chapter 8: models on data with similar features, simulated and real."""

from __future__ import annotations

import time
import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
from sklearn.dummy import DummyClassifier
from sklearn.exceptions import ConvergenceWarning
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import StratifiedKFold
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from papers.bommert_2020_data_sets import DATA_SETS, PAPER, chosen_sets, values_of
from papers.framework import TENTH, Row, Run, item
from papers.framework.arrays import Floats, Ints
from papers.framework.evidence import median_interval, reach_without_exception, share_interval
from papers.framework.spreading import spread
from papers.framework.text import counted, listed, number, percent
from steadyset import InputError, KFold, Space, StabilitySelection, error_control, tune
from steadyset.datasets import fifteen_features, similar_features
from steadyset.selectors import L0Selector

# Of X5 to X8 with X2: the thesis shows them as colours, its public code as numbers.
CORRELATIONS = (0.999, 0.9, 0.75, 0.5)
ALMOST_ALWAYS, MUCH_LONGER, N_TRUE, COARSE = 0.9, 10, 5, 0.05
TOLERATED = 0.025  # of accuracy: what the thesis lets adj and unadj lose (acc.const)
FEWER = ("sonar", "tecator", "har", "dilbert", "lsvt", "christensen", "arcene", "chiaretti")
MANY_SIMILAR = ("tecator", "har", "dilbert", "lsvt", "arcene")
STABS_WORSE = ("sonar", "har", "gina_agnostic", "lsvt", "gravier", "eating", "arcene")
STABS_LARGE, STABS_BETTER = ("christensen", "chiaretti"), ("tecator",)
METHODS = ("boosting", "lasso", "liblinear", "forest", "l0")
TRUTH = "truth"
SURE = 3  # standard errors of a difference that chance does not explain
RULE = "shah_samworth_unimodal"  # of the error bound
FEW_FOLDS = "Three outer folds of two data sets have no useful standard errors."
APPROACHES = ("adj", "unadj", "acc", "stabs")


class Effort(NamedTuple):
    """How much an approach may try: folds, the largest size, draws of stability selection and halves of each."""

    folds: int
    largest: int
    trials: int
    n_runs: int


FULL, FAST = Effort(10, 100, 50, 100), Effort(5, 30, 10, 20)


FIFTEEN = {"fast": (10, 6, 5, 100), "large": (25, 50, 10, 100), "full": (1000, 50, 10, 5000)}


@item(PAPER, "figures-8.2-to-8.4", seconds=25, large_seconds=2000, full_seconds=40_000)
def fifteen(run: Run) -> Iterator[Row]:
    """What tuned methods select of fifteen features of which seven are alike."""
    repeats, trials, folds, most_trees = FIFTEEN[run.version]
    tasks = {f"{n}": (run.seed * 100_000 + n, trials, folds, most_trees) for n in range(repeats)}
    found = spread(run, selected_of_fifteen, tasks)
    table = {name: np.array([one[name] for one in found.values()], dtype=np.float64) for name in METHODS}
    means = {name: chosen.mean(axis=0) for name, chosen in table.items()}
    shares: Any = pd.DataFrame(means, index=[f"X{k}" for k in range(1, 16)])
    run.table(shares.rename_axis("feature"))
    told = f"the correlations of X5 to X8 with X2 are {CORRELATIONS}"
    run.note(f"{repeats} data sets, {trials} configurations, {folds} folds, up to {most_trees} trees; {told}.")
    run.size({"data sets": (repeats, 1000), "configurations": (trials, 50), "folds": (folds, 10)})
    alone = float(shares.loc["X1"].min())
    unless = "" if trials == 50 else "; models that are chosen among fewer configurations may differ"
    reach = f"{reach_without_exception(repeats, 'models of each method')}{unless}"
    told = f"at least {alone:.0%} of the models of each method hold X1"
    yield run.claim("relevant", alone == 1, told, reach=reach)
    every = float(shares["forest"].min())
    told = f"at least {every:.0%} of the models hold each feature"
    yield run.claim("forest-all", every == 1, told, reach=reach)
    noise = {name: float(shares.loc["X9":"X15", name].mean()) for name in METHODS}
    fewest = min(noise, key=noise.__getitem__)
    told = listed([f"{name} {share:.0%}" for name, share in noise.items()])
    irrelevant = {name: one[:, 8:].mean(axis=1) for name, one in table.items()}
    best, second = sorted(irrelevant, key=lambda name: float(irrelevant[name].mean()))[:2]
    gap = irrelevant[second] - irrelevant[best]
    error = float(gap.std(ddof=1) / np.sqrt(repeats))
    sure = float(gap.mean()) > SURE * error
    measured = f"{second} less {best}: {number(float(gap.mean()), 3)}, standard error {number(error, 3)}"
    yield run.claim(
        "l0-fewest-irrelevant",
        fewest == "l0",
        f"irrelevant features: {told}",
        reach=f"{measured}{unless}" if sure else "",
        reason="" if sure else f"{measured[0].upper()}{measured[1:]}, which is less than {SURE} standard errors.",
    )
    last = range(4, 9)
    groups = {name: [float(np.median(one[:, 1:k].sum(axis=1))) for k in last] for name, one in table.items()}
    told = f"medians {listed([f'{median:g}' for median in groups['l0']])}"
    selected = {name: {k: one[:, 1:k].sum(axis=1) for k in last} for name, one in table.items()}
    of_l0 = [(selected["l0"][k], 1.0) for k in last]
    yield run.claim("l0-one", set(groups["l0"]) == {1.0}, told, **_medians(of_l0, unless))
    copies = {name: float((table[name][:, 1:4].sum(axis=1) == 3).mean()) for name in ("liblinear", "forest")}
    told = listed([f"{name} in {share:.0%} of the models" for name, share in copies.items()])
    cutoff = f"almost always: in {ALMOST_ALWAYS:.0%} or more"
    ends = {name: share_interval(round(share * repeats), repeats) for name, share in copies.items()}
    low, high = min(one[0] for one in ends.values()), min(one[1] for one in ends.values())
    interval = f"the smaller share has the 95% interval {percent(low)} to {percent(high)}"
    sure = not low < ALMOST_ALWAYS <= high
    yield run.claim(
        "copies",
        min(copies.values()) >= ALMOST_ALWAYS,
        told,
        cutoff=cutoff,
        reach=f"{interval}{unless}" if sure else "",
        reason="" if sure else f"{interval[0].upper()}{interval[1:]}.",
    )
    few = ("boosting", "lasso", "l0")
    for claim, place, published in (("one-copy", 0, (1, 1, 1)), ("with-fifth", 1, (1, 2, 1))):
        medians = tuple(groups[name][place] for name in few)
        told = listed([f"{name} {median:g}" for name, median in zip(few, medians, strict=True)])
        of_few = [(selected[name][place + 4], float(median)) for name, median in zip(few, published, strict=True)]
        yield run.claim(claim, medians == published, f"medians: {told}", **_medians(of_few, unless))


def _medians(found: Sequence[tuple[Any, float]], unless: str) -> dict[str, Any]:
    """Return what counts decide about published medians: whether the interval of each has that median only, or not it.

    Each of `found` has the counts of one method and the published median.
    """
    intervals = [median_interval(counts) for counts, _ in found]
    told = listed([f"{low:g} to {high:g}" for low, high in intervals])
    published = [median for _, median in found]
    confirms = all(low == high == median for (low, high), median in zip(intervals, published, strict=True))
    excludes = any(not low <= median <= high for (low, high), median in zip(intervals, published, strict=True))
    if confirms or excludes:
        return {"reach": f"95% intervals of the medians: {told}{unless}"}
    return {"reach": "", "reason": f"95% intervals of the medians: {told}, which contain the published and other ones."}


def selected_of_fifteen(seed: int, trials: int, folds: int, most_trees: int) -> dict[str, list[int]]:
    """What each method selects with its most accurate parameters."""
    data = fifteen_features(100, correlations=CORRELATIONS, random_state=seed)
    powers = {"low": 2.0**-15, "high": 2.0**15, "log": True}
    plain = LogisticRegression(solver="liblinear", l1_ratio=1.0, max_iter=1000)
    trees = [n for n in (100, 200, 500, 1000, 2000, 5000) if n <= most_trees]
    models: dict[str, Any] = {
        "boosting": {"boosting": {"n_steps": {"low": 1, "high": 2**12, "log": True}}},
        "lasso": {"lasso": {"penalty": powers}},
        "liblinear": {"liblinear": (plain, {"C": powers})},
        "forest": {"forest": (Space.bommert().models["forest"].estimator, {"n_estimators": trees})},
        "l0": {"l0": {"k": list(range(1, 16))}},
    }
    found = {}
    for name, model in models.items():
        sampler, n = ("grid", 15) if name == "l0" else ("random", trials)
        tuned = tune(
            {"model": model},
            data.X,
            data.y,
            objectives=["accuracy"],
            n_trials=n,
            resampling=KFold(folds, stratified=True),
            random_state=seed,
            search={"sampler": sampler},
            execution={"progress": False},
        )
        support = tuned.estimator(tuned.choose("best")).fit(data.X, data.y).get_support()
        found[name] = [int(one) for one in support]
    return found


@item(PAPER, "figures-8.5-to-8.7", seconds=45, full_seconds=2_000_000)
def simulated(run: Run) -> Iterator[Row]:
    """False selections and test accuracy of the approaches, by how many others each feature resembles."""
    effort = FULL if run.full else FAST
    scenarios = _scenarios() if run.full else {(100, 200, "blocks", 14): 5, (100, 200, "blocks", 0): 2}
    tasks = {
        ",".join(map(str, (*scenario, repeat))): (*scenario, run.seed * 1000 + repeat, effort)
        for scenario, repeats in scenarios.items()
        for repeat in range(repeats)
    }
    found = spread(run, approaches_on_simulated, tasks)
    keys = ("n", "p", "kind", "similar", "repeat")
    frame: Any = pd.DataFrame(
        [{**dict(zip(keys, key.split(","), strict=True)), **row} for key, rows in found.items() for row in rows]
    )
    run.table(frame)
    run.note(_told(effort, f"{len(tasks)} data sets of {counted(len(scenarios), 'scenario')} of the thesis' 32"))
    run.note(
        "Sizes above half of the rows are not tried. Without similar features, the features of our Toeplitz scenario "
        "have no correlation; the formula of the thesis has no value there, and its public code takes 0.5."
    )
    yield from _truth(run)
    run.size(
        {
            "scenarios": (len(scenarios), 32),
            "data sets of each": (len(tasks) / len(scenarios), 50),
            "folds": (effort.folds, 10),
            "draws of stability selection": (effort.trials, 50),
        }
    )
    of_blocks = frame[(frame["kind"] == "blocks") & (frame["similar"] == "14")]
    groups = of_blocks[(of_blocks["p"] == "200") & (of_blocks["n"] == "100")]
    means = groups.groupby("approach")[["accuracy", "positives", "negatives", "seconds"]].mean()
    told = listed([f"{name} {number(value, 1)}" for name, value in means["positives"].drop(TRUTH).items()])
    fewer = bool(means["positives"]["adj"] < min(means["positives"][["unadj", "acc"]]))
    yield run.claim(
        "fewer-false-positives", fewer, f"means: {told}", **_paired(groups, "positives", "adj", ("unadj", "acc"))
    )
    told = listed([f"{name} {number(value, 3)}" for name, value in means["accuracy"].items()])
    tuned = means["accuracy"][["adj", "unadj", "acc"]]
    gap = float(tuned.max() - tuned.min())
    lost = groups.pivot_table(index="repeat", columns="approach", values="accuracy").eval("acc - adj")
    error = float(lost.std() / np.sqrt(len(lost)))
    cutoff = f"equally: within {TOLERATED}; the standard error of acc less adj is {number(error, 3)}"
    wide = f"{TOLERATED} is less than {SURE} standard errors of the difference, so that either answer may be by chance."
    sure = abs(gap - TOLERATED) > SURE * error
    reach = f"it sees a difference of {number(TOLERATED + SURE * error, 3)}" if sure else ""
    equally = gap <= TOLERATED
    reason = "" if sure else wide
    yield run.claim("same-accuracy", equally, f"means: {told}", cutoff=cutoff, reach=reach, reason=reason)
    best = bool(means["accuracy"].idxmax() == TRUTH)
    others = ("adj", "unadj", "acc")
    yield run.claim("truth-best", best, f"means: {told}", **_paired(groups, "accuracy", TRUTH, (*others, "stabs")))
    worse = bool(means["accuracy"]["stabs"] < tuned.min())
    yield run.claim("stabs-worse", worse, f"means: {told}", **_paired(groups, "accuracy", "stabs", others))
    told = listed([f"{name} {number(value, 1)}" for name, value in means["negatives"].drop(TRUTH).items()])
    missed = float(means["negatives"]["stabs"])
    holds = missed == means["negatives"].max() and missed > N_TRUE / 2
    cutoff = f"most: more than half of the {N_TRUE}"
    misses = _paired(groups, "negatives", "stabs", others)
    yield run.claim("stabs-misses", holds, f"means: {told}", cutoff=cutoff, **misses)
    sparse = means["positives"].drop(TRUTH)
    told = f"{number(float(sparse['stabs']), 1)} false positives"
    fewest = _paired(groups, "positives", "stabs", others)
    yield run.claim("stabs-sparse", bool(sparse.idxmin() == "stabs"), told, **fewest)
    alone = frame[(frame["similar"] == "0") & frame["approach"].isin(["adj", "unadj"])]
    both = alone.pivot_table(index=["n", "p", "kind", "repeat"], columns="approach", values="size")
    same = float((both["adj"] == both["unadj"]).mean())
    why = "by definition, at any size: without similar features the two measures have the same values"
    yield run.claim("same-without-similar", same == 1, f"the same size in {same:.0%} of the data sets", power=why)
    ratios = means["seconds"] / means["seconds"]["acc"]
    told = listed([f"{name} {number(float(ratios[name]), 1)}" for name in ("adj", "unadj", "stabs")])
    yield run.claim(
        "stabs-slowest",
        bool(ratios["stabs"] > MUCH_LONGER * max(ratios[["adj", "unadj"]])),
        f"times as long as acc: {told}",
        cutoff=f"much longer: {MUCH_LONGER} times as long as all others",
        reason="The ratio depends on the numbers of draws and halves of stability selection, which are smaller here.",
        timed=True,
    )


def _paired(groups: Any, what: str, one: str, others: Sequence[str]) -> dict[str, Any]:
    """Return what an approach shows against each of the others on the same data sets: paired differences.

    If the difference from any of them is within chance, the claim is not decided.
    """
    table = groups.pivot_table(index="repeat", columns="approach", values=what)
    gaps = {other: table[one] - table[other] for other in others}
    errors = {other: float(gap.std(ddof=1) / np.sqrt(len(gap))) for other, gap in gaps.items()}
    shown = [
        f"{other} {number(float(gaps[other].mean()), 2)} (standard error {number(errors[other], 2)})"
        for other in others
    ]
    told = f"{one} less the others, on {len(table)} data sets of one scenario: {listed(shown)}"
    if all(abs(float(gaps[other].mean())) > SURE * errors[other] for other in others):
        return {"reach": f"{told}; it is about this scenario and effort only"}
    return {"reach": "", "reason": f"Within {SURE} standard errors of one of the others: {told}."}


def _truth(run: Run) -> Iterator[Row]:
    """Figures 8.6 and A.25: the true features alone, in all scenarios with 200 features and 50 data sets of each."""
    p, similar, repeats = 200, (0, 4, 14, 24), 50
    tasks = {
        f"truth,{n},{kind},{count}": (n, p, kind, count, repeats, run.seed)
        for n in (100, 1000)
        for kind in ("blocks", "toeplitz")
        for count in similar
    }
    found = spread(run, accuracies_of_truth, tasks)
    means = {
        (n, kind): [float(np.mean(found[f"truth,{n},{kind},{count}"])) for count in similar]
        for n in (100, 1000)
        for kind in ("blocks", "toeplitz")
    }
    told = {
        kind: "; ".join(f"n = {n}: {_series(means[n, kind])}" for n in (100, 1000)) for kind in ("blocks", "toeplitz")
    }
    chance = {n: 4 * _largest_error(found, n, repeats) for n in (100, 1000)}
    within = listed([f"{number(width, 3)} for n = {n}" for n, width in chance.items()])
    yield run.claim(
        "truth-blocks",
        all(max(means[n, "blocks"]) - min(means[n, "blocks"]) <= width for n, width in chance.items()),
        f"mean accuracy with 0, 4, 14, 24 similar ones, {told['blocks']}",
        cutoff=f"does not depend: means within 4 standard errors of a difference ({within})",
        weak=max(chance.values()) > COARSE,
    )
    yield run.claim(
        "truth-toeplitz",
        all(_grows(means[n, "toeplitz"], width) for n, width in chance.items()),
        f"mean accuracy with 0, 4, 14, 24 similar ones, {told['toeplitz']}",
        cutoff="grows: the last mean exceeds the first by more than 4 standard errors of a difference, and none is "
        "that much smaller than the one before; set after our numbers had been seen",
    )


def _grows(means: Sequence[float], width: float) -> bool:
    """Whether means grow by more than chance from the first to the last, and none falls by more than chance."""
    return means[-1] - means[0] > width and min(np.diff(means)) > -width


def _largest_error(found: Mapping[str, Sequence[float]], n: int, repeats: int) -> float:
    """The standard error of a difference of two means, where it is largest."""
    widest = max(float(np.std(one, ddof=1)) for key, one in found.items() if key.startswith(f"truth,{n},"))
    return widest * float(np.sqrt(2 / repeats))


def _series(values: Sequence[float]) -> str:
    return ", ".join(number(value, 3) for value in values)


def accuracies_of_truth(n: int, p: int, kind: Any, similar: int, repeats: int, seed: int) -> list[float]:
    """The test accuracy of the true features on data sets of a scenario."""
    return [
        _accuracy_of_truth(
            similar_features(2 * n, p, kind=kind, n_similar=similar, random_state=seed * 1000 + repeat), n
        )
        for repeat in range(repeats)
    ]


def _accuracy_of_truth(data: Any, n: int) -> float:
    true = list(data.relevant)
    model = LogisticRegression(C=np.inf, max_iter=1000).fit(data.X[:n][:, true], data.y[:n])
    return float(np.mean(model.predict(data.X[n:][:, true]) == data.y[n:]))


def _scenarios() -> dict[tuple[int, int, str, int], int]:
    """All scenarios of table 8.1, and 50 data sets of each."""
    sizes = ((100, 200), (1000, 200), (100, 2000), (100, 10_000))
    return {
        (n, p, kind, similar): 50 for n, p in sizes for kind in ("blocks", "toeplitz") for similar in (0, 4, 14, 24)
    }


def _told(effort: Effort, what: str) -> str:
    stabs = f"stability selection with {effort.trials} draws and {effort.n_runs} halves"
    return f"{what}; {effort.folds} folds, sizes up to {effort.largest}, {stabs}."


def approaches_on_simulated(n: int, p: int, kind: Any, similar: int, seed: int, effort: Effort) -> list[dict[str, Any]]:
    """Every approach, and the true features, on the first half of the rows; judged on the second."""
    data = similar_features(2 * n, p, kind=kind, n_similar=similar, random_state=seed)
    rows = []
    for name in APPROACHES:
        begin = time.process_time()
        found = _approach(name, data.X[:n], data.y[:n], effort, seed)
        seconds = time.process_time() - begin
        wrong = data.false_selections(found.selected)
        rows.append(
            {
                "approach": name,
                "accuracy": float(np.mean(found.predict(data.X[n:]) == data.y[n:])),
                "size": len(found.selected),
                "positives": wrong.positives,
                "negatives": wrong.negatives,
                "seconds": seconds,
            }
        )
    known = {"size": N_TRUE, "positives": 0, "negatives": 0, "seconds": 0.0}
    return [*rows, {"approach": TRUTH, "accuracy": _accuracy_of_truth(data, n), **known}]


class Model(NamedTuple):
    """What an approach comes to: the features that it selects, and what predicts the classes of new rows."""

    selected: Ints
    predict: Callable[[Floats], Any]


def _approach(name: str, X: Floats, y: Any, effort: Effort, seed: int) -> Model:
    """One of the four approaches.

    adj      L0 logistic regression tuned for accuracy and adjusted stability, epsilon constraint
    unadj    the same with a measure that knows nothing of similar features
    acc      the same tuned for accuracy alone
    stabs    stability selection with L0 logistic regression, its parameters tuned for accuracy; then a plain model
    """
    if name == "stabs":
        return _stability_selection(X, y, effort, seed)
    sizes = [size for size in range(2, effort.largest + 1, 2) if size <= max(2, len(y) // 2)]
    tuned = tune(
        {"model": {"l0": {"k": sizes}}},
        X,
        y,
        objectives=("accuracy", "stability"),
        resampling=KFold(effort.folds, stratified=True),
        random_state=seed,
        search={"measure": "intersection_count" if name == "adj" else "unadjusted", "sampler": "grid"},
        execution={"progress": False},
    )
    chosen = tuned.choose("best" if name == "acc" else "epsilon:0.025,0.1")
    fitted = tuned.estimator(chosen).fit(X, y)
    return Model(np.flatnonzero(fitted.get_support()), fitted.predict)


def _stability_selection(X: Floats, y: Any, effort: Effort, seed: int) -> Model:
    """The bound on the false selections (0.1 to 10) and the threshold (0.6 to 0.9) with the best accuracy.

    They decide how many features a run selects. The halves of a training set are fitted once for all draws.
    """
    random = np.random.default_rng((seed, 3))
    draws = [(float(random.uniform(0.1, 10)), float(random.uniform(0.6, 0.9))) for _ in range(effort.trials)]
    folds = KFold(effort.folds, stratified=True, random_state=seed).split(X, y)
    most = max(2, min(X.shape[1], len(y) // 8))
    hits = []
    for train, test in folds:
        models = _steady_models(X[train], y[train], draws, most, effort.n_runs, seed)
        hits.append([float(np.mean(model.predict(X[test]) == y[test])) for model in models])
    means = np.mean(hits, axis=0)
    best = int(np.random.default_rng(seed).choice(np.flatnonzero(means == means.max())))
    return _steady_models(X, y, [draws[best]], most, effort.n_runs, seed)[0]


def _steady_models(
    X: Floats, y: Any, draws: Sequence[tuple[float, float]], most: int, n_runs: int, seed: int
) -> list[Model]:
    """Logistic regression without a penalty on what stability selection selects, for each bound and threshold."""
    paths = StabilitySelection(
        L0Selector(), q=most, threshold=0.9, rule=RULE, n_runs=n_runs, max_features=most, random_state=seed
    ).fit(X, y)
    models = []
    for pfer, threshold in draws:
        try:
            q = min(most, error_control(X.shape[1], pfer=pfer, threshold=threshold, rule=RULE, n_runs=n_runs).q)
        except InputError:  # not even one feature keeps the bound
            selected = np.empty(0, np.int64)
        else:
            selected = np.flatnonzero(paths.select(threshold=threshold, q=q).support)
        models.append(_plain_model(X, y, selected))
    return models


def _plain_model(X: Floats, y: Any, selected: Ints) -> Model:
    """Without a penalty; without features, the more frequent class."""
    if not len(selected):
        return Model(selected, DummyClassifier().fit(X, y).predict)
    model = make_pipeline(StandardScaler(), LogisticRegression(C=np.inf, max_iter=1000))
    with warnings.catch_warnings():
        # Where the features separate the classes there is no maximum, and any direction near it predicts the same.
        warnings.simplefilter("ignore", ConvergenceWarning)
        model.fit(X[:, selected], y)
    return Model(selected, lambda rows: model.predict(rows[:, selected]))


@item(PAPER, "figures-8.8-and-8.9", data=DATA_SETS, seconds=30, full_seconds=500_000)
def real(run: Run) -> Iterator[Row]:
    """Accuracy on left-out rows and number of features of the approaches on real data."""
    names = chosen_sets(run, ("sonar", "tecator"))
    outer, effort = (10, FULL) if run.full else (3, FAST)
    tasks: dict[str, tuple[Any, ...]] = {}
    for name in names:
        X, y = values_of(run.data(name))
        folds = StratifiedKFold(outer, shuffle=True, random_state=run.seed).split(X, y)
        for fold, (train, test) in enumerate(folds):
            tasks |= {f"{name},{one},{fold}": (X, y, train, test, one, effort, run.seed + fold) for one in APPROACHES}
    found = spread(run, approach_on_fold, tasks)
    keys = ("data", "approach", "fold")
    frame: Any = pd.DataFrame([{**dict(zip(keys, key.split(","), strict=True)), **one} for key, one in found.items()])
    run.table(frame)
    run.note(_told(effort, f"{listed(names)}; {outer} outer folds"))
    accuracy = frame.pivot_table(index="data", columns="approach", values="accuracy")
    features = frame.pivot_table(index="data", columns="approach", values="features")
    run.size(
        {
            "data sets": (len(names), len(DATA_SETS)),
            "outer folds": (outer, 10),
            "inner folds": (effort.folds, 10),
            "draws of stability selection": (effort.trials, 50),
        }
    )
    small = run.share < TENTH
    lost = float((accuracy["acc"] - accuracy[["adj", "unadj"]].min(axis=1)).max())
    told = f"at most {number(lost, 3)} less than acc, with adj or unadj"
    cutoff = f"none: at most {TOLERATED}"
    yield run.claim("no-accuracy-lost", lost <= TOLERATED, told, cutoff=cutoff, reason=FEW_FOLDS if small else "")
    reason = FEW_FOLDS if small else ""
    sizes = listed([f"{name}: {_sizes(features.loc[name])}" for name in names])
    told = f"mean numbers of features: {sizes}"
    adj, unadj, acc, stabs = (features[name] for name in APPROACHES)
    yield _about(run, "fewer-features", adj < acc, FEWER, told, reason=reason)
    yield _about(run, "adjusted-needed", unadj >= acc, MANY_SIMILAR, told, reason=reason)
    sparse = stabs < features[["adj", "unadj", "acc"]].min(axis=1)
    others = [name for name in DATA_SETS if name not in STABS_LARGE]
    cutoff = "comparably sparse: fewer features than all others"
    yield _about(run, "stabs-sparse", sparse, others, told, cutoff=cutoff, reason=reason)
    tuned = accuracy[["adj", "unadj", "acc"]]
    as_told = (accuracy["stabs"] < tuned.min(axis=1)).where(
        ~accuracy.index.isin(STABS_BETTER), accuracy["stabs"] > tuned.max(axis=1)
    )
    told = listed([f"{name}: {_accuracies(accuracy.loc[name])}" for name in names])
    yield _about(run, "stabs-worse", as_told, (*STABS_WORSE, *STABS_BETTER), f"mean accuracies: {told}", reason=reason)


def _about(
    run: Run, claim: str, holds: Any, names: Sequence[str], told: str, cutoff: str = "", reason: str = ""
) -> Row:
    """A claim about some data sets, which holds if it does on all of those that were computed."""
    at_hand = [name for name in names if name in holds.index]
    if not at_hand:
        return run.missing(run.published.claim(claim), names)
    return run.claim(claim, bool(holds[at_hand].all()), told, cutoff=cutoff, reason=reason)


def _accuracies(row: Any) -> str:
    return ", ".join(f"{name} {number(float(row[name]), 3)}" for name in APPROACHES)


def _sizes(row: Any) -> str:
    return ", ".join(f"{name} {number(float(row[name]), 1)}" for name in APPROACHES)


def approach_on_fold(
    X: Floats, y: Any, train: Ints, test: Ints, name: str, effort: Effort, seed: int
) -> dict[str, float]:
    """An approach that sees the training rows only, judged on the others."""
    found = _approach(name, X[train], y[train], effort, seed)
    return {"accuracy": float(np.mean(found.predict(X[test]) == y[test])), "features": float(len(found.selected))}
