"""Nogueira (2018), section 6.2.3: MIM, JMI and mRMR on eight UCI data sets."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from itertools import combinations
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
from sklearn.neighbors import KNeighborsClassifier

from papers.framework import Cell, DataSet, Row, Run, item
from papers.framework.arrays import Floats, Ints
from steadyset import Selections, compare, confidence_interval, plot, test_difference
from steadyset.selectors import FilterSelector

PAPER = "nogueira-2018"
SETS = ("breast", "congress", "heart", "ionosphere", "krvskp", "parkinsons", "sonar", "spect")
FILTERS = {"MIM": "mim", "JMI": "jmi", "mRMR": "mrmr"}
BINS = 5
LEVEL = 0.05
NO_WINNER = "no winner"
NORMAL = 1.96  # standard errors on each side of a 95% interval
REPEATED = 10  # experiments of the paper's size in the full version
RESAMPLED = 60  # times, for the error of a half-width
MATTERS = {"error (%)": 2.0, "stability": 0.1}  # a difference that would be told; half of a half-width
TRIED_BINS = range(2, 21)


class Found(NamedTuple):
    """A number, its standard error, and that of one experiment of the paper's size."""

    value: float
    error: float
    one_experiment: float


@item(PAPER, "table-6.5", data=SETS, core=True)
def table_6_5(run: Run) -> Iterator[Row]:
    """The data sets."""
    for name in run.at_hand():
        data = run.data(name)
        ours = {
            "examples": len(data.y),
            "features": data.X.shape[1],
            "ratio (%)": 100 * data.y.value_counts(normalize=True).max(),
        }
        for column, value in ours.items():
            yield run.row(run.published.cell(name, column), float(value))


@item(PAPER, "table-6.6", data=SETS, seconds=40, full_seconds=400)
def table_6_6(run: Run) -> Iterator[Row]:
    """Error and stability of the three filters; the full version has ten times the runs of the paper."""
    found: dict[str, dict[str, Found]] = {}
    printed = {(cell.row, cell.column): cell for cell in run.published.cells}
    run.note(
        f"What the thesis states otherwise, or not at all: {' '.join(run.published.given['corrections'].values())}"
    )
    for name in run.at_hand():
        found[name] = _numbers_of(run, run.data(name))
        for column, ours in found[name].items():
            if (name, column) in printed:
                yield run.row(
                    printed[name, column],
                    ours.value,
                    standard_error=ours.error,
                    published_error=ours.one_experiment,
                    matters=_matters(printed[name, column]),
                    correction=_correction(run, name, column),
                )
    run.table(pd.DataFrame({name: {key: one.value for key, one in of.items()} for name, of in found.items()}).T)
    if "breast" in found:
        yield _bins(run)
        yield _trade_off(run, found, "breast", accurate="mRMR")
    if "sonar" in found:
        yield _trade_off(run, found, "sonar", accurate="JMI")


def _correction(run: Run, name: str, column: str) -> str:
    """What a cell needs: bins decide what is selected, and distances, ties and the order of votes the errors."""
    told: Mapping[str, str] = run.published.given["corrections"]
    needed = ["bins", *(["gaps", "ties"] if "error" in column else [])]
    return " ".join(told[key] for key in [*needed, *(["votes"] if "error" in column and name == "congress" else [])])


def _matters(cell: Cell) -> float:
    """Which difference would be told: half of what a half-width is."""
    return next((far for what, far in MATTERS.items() if cell.column.endswith(what)), float(cell.value) / 2)


@item(PAPER, "figure-6.13", data=SETS, seconds=20, full_seconds=120)
def figure_6_13(run: Run) -> Iterator[Row]:
    """The pairwise tests, as published: for independent runs, with the normal distribution."""
    n_runs = run.published.given["n_runs"]
    repeated = REPEATED if run.full else 4
    winners: dict[str, str] = {}
    for name in run.at_hand():
        data = run.data(name)
        runs = _selected(run, data, repeated * n_runs)
        run.figure(plot.selectors_compared(compare(runs, paired=False)), f"figure-{name}")
        parts = [np.arange(start, start + n_runs) for start in range(0, repeated * n_runs, n_runs)]
        experiments = [{key: one.take(part) for key, one in runs.items()} for part in parts]
        winners[name] = _winner(runs)
        claimed = run.published.given["winners"].get(name)
        if claimed is None:
            # More runs find smaller differences: what all runs together find says nothing of as many as the paper's.
            alike = sum(
                not any(_differ(one, other) for one, other in combinations(some.values(), 2)) for some in experiments
            )
            seen = f"no pair differs in {alike} of {repeated} experiments of {n_runs} runs"
            yield run.claim(name, 2 * alike >= repeated, seen, cutoff="in at least half of the experiments")
            continue
        share = [_winner(some) for some in experiments].count(claimed)
        seen = f"{claimed} in {share} of {repeated} experiments of {n_runs} runs; in all together: {winners[name]}"
        cutoff = "in all runs together, and in at least one experiment of the paper's size"
        yield run.claim(name, share > 0 and claimed == winners[name], seen, cutoff=cutoff)
    if len(winners) == len(SETS):
        n_mim = sum(winner == "MIM" for winner in winners.values())
        yield run.claim("mim-on-three", n_mim == 3, f"MIM is the steadiest on {n_mim} of {len(SETS)}")


def _numbers_of(run: Run, data: DataSet) -> dict[str, Found]:
    """Error and stability of each filter with their half-widths, as the table has them."""
    repeated = REPEATED if run.full else 1
    assessment = run.assess(
        {name: _filter(run, name) for name in FILTERS},
        _cut(_in_order(data), BINS),
        data.y,
        name=data.name,
        resampling=_drawn(len(data.y), repeated * run.published.given["n_runs"], run.seed),
        scoring="error",
        predictor=KNeighborsClassifier(run.published.given["neighbours"]),
    )
    scores = assessment.scores
    found: dict[str, Found] = {}
    for name, selections in assessment.selections.items():
        errors = 100 * scores.loc[scores["selector"] == name, "error"].to_numpy()
        interval = confidence_interval(selections, method="normal")
        spread = float(errors.std(ddof=1)) / len(errors) ** 0.5
        found[f"{name} error (%)"] = Found(float(errors.mean()), spread, spread * repeated**0.5)
        found[f"{name} stability"] = Found(interval.estimate, interval.se, interval.se * repeated**0.5)
        for column, error_of in (
            (f"{name} error ± (%)", lambda chosen, of=errors: of[chosen].std(ddof=1) / len(chosen) ** 0.5),
            (f"{name} stability ± (%)", lambda chosen, of=selections: 100 * _stability_error(of.take(chosen))),
        ):
            found[column] = _half_width(error_of, len(errors), repeated, run.seed)
    return found


def _half_width(error_of: Callable[[Ints], float], n_runs: int, repeated: int, seed: int) -> Found:
    """The half-width of an interval in an experiment of the paper's size; its error by resampling the runs."""
    random = np.random.default_rng(seed)
    unit = NORMAL * repeated**0.5
    again = [unit * error_of(random.integers(n_runs, size=n_runs)) for _ in range(RESAMPLED)]
    spread = float(np.std(again, ddof=1))
    return Found(unit * float(error_of(np.arange(n_runs))), spread, spread * repeated**0.5)


def _stability_error(selections: Selections) -> float:
    return confidence_interval(selections, method="normal").se


def _bins(run: Run) -> Row:
    """Which number of bins gives the features that the toolbox's own example selects on the breast data."""
    data = run.data("breast")
    examples: Mapping[str, list[int]] = run.published.given["toolbox_example"]
    fitting = [bins for bins in TRIED_BINS if all(_first(data, bins, *one) == one[1] for one in examples.items())]
    seen = f"the example that comes with the toolbox needs {' or '.join(map(str, fitting)) or 'other'} bins"
    return run.claim("bins", fitting == [run.published.given["bins"]], seen)


def _first(data: DataSet, bins: int, name: str, wanted: list[int]) -> list[int]:
    """The first features that a filter selects, numbered from 1."""
    selector = FilterSelector(FILTERS[name], k=len(wanted), params={"discretise": "distinct"}, fill=True)
    ranking = selector.fit(_cut(data.X, bins), data.y).ranking_
    return [int(place) + 1 for place in np.argsort(ranking)[: len(wanted)]]


def _trade_off(run: Run, found: Mapping[str, Mapping[str, Found]], name: str, *, accurate: str) -> Row:
    """MIM is the steadiest, and another filter has the smallest error."""
    steadiest = max(FILTERS, key=lambda one: found[name][f"{one} stability"].value)
    best = min(FILTERS, key=lambda one: found[name][f"{one} error (%)"].value)
    seen = f"{steadiest} is the steadiest, {best} the most accurate"
    return run.claim(f"{name}-trade-off", (steadiest, best) == ("MIM", accurate), seen)


def _selected(run: Run, data: DataSet, n_runs: int) -> dict[str, Selections]:
    """What each filter selects in bootstraps of the data."""
    codes = _cut(data.X, BINS).to_numpy()
    weights = np.array([np.bincount(rows, minlength=len(codes)) for rows, _ in _drawn(len(codes), n_runs, run.seed)])
    found = {}
    for name in FILTERS:
        k = run.published.given["k"]
        paths = _filter(run, name).paths_by_size(codes, data.y.to_numpy(), weights, k, n_jobs=run.jobs)
        found[name] = Selections.from_sets([path[-1].tolist() for path in paths], n_features=codes.shape[1])
    return found


def _winner(runs: Mapping[str, Selections]) -> str:
    """The filter that is significantly steadier than both others."""
    for name, one in runs.items():
        others = [other for key, other in runs.items() if key != name]
        tests = [test_difference(one, other, paired=False, method="normal") for other in others]
        if all(test.estimate < 0 and test.p_value <= LEVEL for test in tests):  # the other minus this one
            return name
    return NO_WINNER


def _differ(one: Selections, other: Selections) -> bool:
    return test_difference(one, other, paired=False, method="normal").p_value <= LEVEL


def _filter(run: Run, name: str) -> FilterSelector:
    return FilterSelector(FILTERS[name], k=run.published.given["k"], params={"discretise": "distinct"}, fill=True)


def _in_order(data: DataSet) -> pd.DataFrame:
    """The features, with the votes in alphabetical order: neither (?, coded 0), nay (-1), yea (1)."""
    return data.X.replace(0, -2) if data.name == "congress" else data.X


def _cut(X: pd.DataFrame, bins: int) -> pd.DataFrame:
    """Features cut into bins of equal width; the bins that occur are numbered from 0, which decides distances."""
    return X.apply(lambda column: _codes(column.to_numpy(float), bins), result_type="broadcast").astype(float)


def _codes(values: Floats, bins: int) -> Ints:
    low, high = values.min(), values.max()
    place = np.floor((values - low) / (high - low) * bins) if high > low else np.zeros(len(values))
    return np.unique(np.minimum(place, bins - 1), return_inverse=True)[1]


def _drawn(n_rows: int, n_runs: int, seed: int) -> list[tuple[Ints, Ints]]:
    """Bootstraps in the order of drawing, which decides which of the rows at equal distances are neighbours."""
    random = np.random.default_rng(seed)
    drawn: list[tuple[Any, Any]] = []
    for _ in range(n_runs):
        rows = random.integers(n_rows, size=n_rows)
        drawn.append((rows, np.setdiff1d(np.arange(n_rows), rows)))
    return drawn
