"""Hamer and Dupont 2021, section 6.2: nine selection methods on microarrays and a mass spectrum (table 3, figure 6).

The fast version makes 10 selection runs of the 100 of the paper. Which rows and classes of chiaretti the paper takes is
not stated, so that nothing is computed from a set of this name.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import partial
from math import hypot, sqrt
from typing import Any

import numpy as np
import pandas as pd

from papers.framework import Cell, Row, Run, item
from papers.framework.curves import curves
from papers.framework.data_sets import DataSet
from papers.framework.text import listed
from papers.hamer_dupont_2021_measures import OPTIONS, PAPER
from papers.hamer_dupont_2021_methods import Method, methods, mrmr_of_the_package, penalty_for
from steadyset import Bootstrap, FeatureSimilarity, confidence_interval, pareto_front, stability

DATA = ("singh", "alon", "gravier", "arcene", "borovecki")
UNSTATED = "chiaretti"
FAST_RUNS = 10
SURE = 3  # standard errors of the difference that make one method better than another
MUCH = 0.1  # what "much higher" means at least, a tenth of the scale
MATTERS = {"phi": 0.1, "phi_msi": 0.1, "accuracy": 0.05}  # differences that would be told
MEASURES = {"phi": "nogueira", "phi_msi": "msi"}
BY_CHANCE = "The fronts differ by less than chance can explain."
SHOWN = ("singh",)
PACKAGE = "With the mRMR of the package that the paper names, from correlations, in place of that of bins."


class Found:
    """The stability and accuracy of the methods on one data set, with their standard errors."""

    def __init__(self, rows: Mapping[str, Mapping[str, float]], n_runs: int, published_runs: int) -> None:
        self.rows = rows
        self.theirs = sqrt(n_runs / published_runs)  # the error of the published numbers, in units of ours

    def replaced(self, method: str, row: Mapping[str, float]) -> Found:
        """The same with other numbers of a method."""
        found = Found({**self.rows, method: row}, 1, 1)
        found.theirs = self.theirs
        return found

    def values(self, what: str) -> dict[str, float]:
        """A number of each method."""
        return {method: row[what] for method, row in self.rows.items()}

    def error(self, method: str, what: str) -> float:
        return self.rows[method][f"{what} error"]

    def front(self, measure: str) -> list[str]:
        """The methods that no other beats in stability and accuracy, the most accurate first."""
        values = [(row["accuracy"], row[measure]) for row in self.rows.values()]
        on = [list(self.rows)[place] for place in pareto_front(values, ["max", "max"])]
        return sorted(on, key=lambda method: -self.rows[method]["accuracy"])

    def contradiction(self, front: list[str], measure: str) -> str:
        """Why a front cannot be that of the paper by chance alone; "" where it can."""
        both = ("accuracy", measure)
        for one in front:
            better = [other for other in self.rows if all(self._beats(other, one, what) for what in both)]
            if better:
                return f"{better[0]} is better than {one} in both, each by more than {SURE} standard errors"
        for one in (name for name in self.rows if name not in front):
            others = [other for other in self.rows if other != one]
            if all(any(self._beats(one, other, what) for what in both) for other in others):
                return f"{one} is better than each other method in one of both by more than {SURE} standard errors"
        return ""

    def _beats(self, one: str, other: str, what: str) -> bool:
        """Beyond the errors of ours and of the published numbers."""
        error = hypot(self.error(one, what), self.error(other, what)) * hypot(1, self.theirs)
        return self.rows[one][what] - self.rows[other][what] > SURE * error


@item(PAPER, "table-3", data=DATA, seconds=140, full_seconds=700)
def ranges(run: Run) -> Iterator[Row]:
    """The least and the most of each number over the methods, and the Pareto fronts."""
    _tell_size(run)
    results = {name: _found(run, run.data(name)) for name in run.at_hand()}
    _show(run, results)
    for name, found in results.items():
        yield from _range_rows(run, name, found)
        yield from _front_rows(run, name, found)
    yield from _not_stated(run)
    yield _sizes(run)
    yield from _text_rows(run, results)


@item(PAPER, "figure-6", data=SHOWN, seconds=20, full_seconds=200)
def fronts(run: Run) -> Iterator[Row]:
    """Accuracy against stability by either measure, with the Pareto fronts."""
    _tell_size(run)
    results = {name: _found(run, run.data(name)) for name in run.at_hand()}
    _show(run, results)
    for name, found in results.items():
        yield from _front_rows(run, name, found)
    yield from _not_stated(run)


def _tell_size(run: Run) -> None:
    wanted = run.published.given["n_runs"]
    run.size({"selection runs": (wanted if run.full else FAST_RUNS, wanted)})


def _not_stated(run: Run) -> Iterator[Row]:
    for part in run.published.parts():
        name = part.row if isinstance(part, Cell) else part.name.partition("-")[0]
        if name == UNSTATED:
            yield run.not_stated(part)


def _sizes(run: Run) -> Row:
    """The numbers of features and examples that the text names."""
    claim = run.published.claim("data-sizes")
    stated: Mapping[str, tuple[int | None, int | None]] = run.published.given["stated_sizes"]
    absent = [name for name in stated if name not in run.at_hand()]
    if absent:
        return run.missing(claim, absent)
    shapes = {name: run.data(name).X.shape for name in stated}
    told = ", ".join(f"{name} {rows:,} x {columns:,}" for name, (rows, columns) in shapes.items())
    fits = all(
        ours == theirs for name in stated for ours, theirs in zip(shapes[name], stated[name], strict=True) if theirs
    )
    return run.claim(claim.name, fits, told, power="counts, whatever the number of runs")


def _range_rows(run: Run, name: str, found: Found) -> Iterator[Row]:
    for what in (*MEASURES, "accuracy"):
        values = found.values(what)
        for end, choose in (("least", min), ("most", max)):
            cell = run.published.cell(name, f"{what}, {end}")
            row = _range_row(run, cell, found, what, choose(values, key=values.__getitem__))
            if row.reason.endswith("By mrmr.") and not row.verdict.agrees:
                # The paper names a package whose mRMR is another one: it has the last word.
                other = found.replaced("mrmr", _mrmr_of_the_package(run, name))
                values_then = other.values(what)
                method = choose(values_then, key=values_then.__getitem__)
                row = _range_row(run, cell, other, what, method, PACKAGE)
            yield row


def _range_row(run: Run, cell: Cell, found: Found, what: str, method: str, why: str = "") -> Row:
    error = found.error(method, what)
    return run.row(
        cell,
        found.values(what)[method],
        standard_error=error,
        published_error=error * found.theirs,
        matters=MATTERS[what],
        reason=f"{why} By {method}.".strip(),
    )


def _mrmr_of_the_package(run: Run, name: str) -> dict[str, float]:
    """Return the numbers of mRMR as the package of the paper computes it."""
    given, data = run.published.given, run.data(name)
    drawn = Bootstrap(given["n_runs"] if run.full else FAST_RUNS, random_state=run.seed)
    method = mrmr_of_the_package(data.X.shape[1], k=given["k"], prefilter=given["prefilter"])
    similar = FeatureSimilarity.from_data(data.X, method="spearman")
    compute = partial(_measured, run, data, "mrmr-package", method, drawn, similar)
    kept: dict[str, float] = run.kept(f"{name}-mrmr-package", compute)
    return kept


def _front_rows(run: Run, name: str, found: Found) -> Iterator[Row]:
    """Fronts are a matter of small differences: one that is not ours is refuted where chance cannot explain that."""
    for measure in MEASURES:
        claim = f"{name}-front-{measure}"
        published, ours = run.published.given["fronts"][name][measure], found.front(measure)
        why = found.contradiction(published, measure)
        if why:
            yield run.claim(claim, False, ", ".join(ours), reason=f"{why[0].upper()}{why[1:]}.")
        elif set(ours) == set(published):
            yield run.claim(claim, True, ", ".join(ours))
        else:
            yield run.claim(claim, True, ", ".join(ours), reason=BY_CHANCE, weak=True)


def _text_rows(run: Run, results: Mapping[str, Found]) -> Iterator[Row]:
    """What the text says of all data sets, by those at hand."""
    if not results:
        return
    gaps = {name: [row["phi_msi"] - row["phi"] for row in found.rows.values()] for name, found in results.items()}
    least = min(min(some) for some in gaps.values())
    yield run.claim("phi_msi-above-phi", least >= MUCH, f"by {least:.2f} at least", cutoff=f"much: by {MUCH} at least")
    means = {name: sum(some) / len(some) for name, some in gaps.items()}
    told = ", ".join(f"{name} {mean:.2f}" for name, mean in means.items())
    if "borovecki" in means:
        holds = max(means, key=means.__getitem__) == "borovecki"
        yield run.claim("borovecki-most", holds, f"on average over the methods: {told}")
    else:
        yield run.missing(run.published.claim("borovecki-most"), ["borovecki"], ours=told)
    differ = [name for name, found in results.items() if set(found.front("phi")) != set(found.front("phi_msi"))]
    told = f"the fronts differ on {len(differ)} of {len(results)} data sets"
    depends = 2 * len(differ) > len(results)
    yield run.claim("fronts-depend", depends, told, cutoff="highly: on more than half of the data sets")
    yield _effective(run, results)


def _effective(run: Run, results: Mapping[str, Found]) -> Row:
    """phi_S against phi: on average over the methods of every data set, and for each of them."""
    lower, above = True, []
    for name, found in results.items():
        gaps = {method: row["phi_S"] - row["phi"] for method, row in found.rows.items()}
        lower = lower and sum(gaps.values()) < 0
        above += [f"{method} on {name} ({gap:+.2f})" for method, gap in gaps.items() if gap > 0]
    told = f"on average on {'every' if lower else 'not every'} data set; higher for {listed(above) or 'no method'}"
    return run.claim(
        "phi_S-below-phi", lower, told, correction="Lower on average, not for every method." if above else ""
    )


def _found(run: Run, data: DataSet) -> Found:
    given = run.published.given
    n_runs = given["n_runs"] if run.full else FAST_RUNS
    drawn = Bootstrap(n_runs, random_state=run.seed)
    setting = {key: given[key] for key in ("k", "prefilter", "trees", "neighbours", "l1_ratio")}
    penalties = run.kept(f"penalties-{data.name}", partial(_penalties, data, drawn, given))
    chosen = methods(len(data.y), data.X.shape[1], penalties=penalties, **setting)
    similar = FeatureSimilarity.from_data(data.X, method="spearman")
    rows = {
        name: run.kept(f"{data.name}-{name}", partial(_measured, run, data, name, method, drawn, similar))
        for name, method in chosen.items()
    }
    return Found(rows, n_runs, given["n_runs"])


def _penalties(data: DataSet, drawn: Bootstrap, given: Mapping[str, Any]) -> dict[str, float]:
    """Those with which lasso and elastic net select k features on average over the runs."""
    X, y = data.X.to_numpy(dtype=np.float64), data.y.to_numpy()
    trainings = [train for train, _ in drawn.split(X, y)]
    return {
        name: penalty_for(given["k"], X, y, trainings, prefilter=given["prefilter"], l1_ratio=ratio)
        for name, ratio in (("lasso", 1.0), ("en", given["l1_ratio"]))
    }


def _measured(
    run: Run, data: DataSet, name: str, method: Method, drawn: Bootstrap, similar: FeatureSimilarity
) -> dict[str, float]:
    assessed = run.assess(
        {name: method.selector},
        data.X,
        data.y,
        name=f"runs/{data.name}-{name}",
        resampling=drawn,
        scoring="accuracy",
        predictor=method.predictor,
        importance="predictor",
    )
    selections = assessed.selections[name]
    found: dict[str, float] = {}
    for measure, ours in MEASURES.items():
        interval = confidence_interval(selections, ours, similarity=similar if ours == "msi" else None)
        found |= {measure: interval.estimate, f"{measure} error": interval.se}
    scores = assessed.scores["accuracy"]
    return found | {
        "accuracy": float(scores.mean()),
        "accuracy error": float(scores.std() / np.sqrt(scores.count())),
        "phi_S": stability(selections, "sechidis", similarity=similar, **OPTIONS["phi_S"]),
        "size": float(selections.sizes.mean()),
    }


def _show(run: Run, results: Mapping[str, Found]) -> None:
    if not results:
        return
    rows = [
        {"data": name, "method": method, **row} for name, found in results.items() for method, row in found.rows.items()
    ]
    frame = pd.DataFrame(rows)
    run.table(frame, "values")
    for measure in MEASURES:
        shown = frame.rename(columns={measure: "stability"})
        run.figure(curves(shown, "stability", "accuracy", series="method", panel="data", lines=False), measure)
    run.note(
        f"A published front is refuted where a method on it is worse than another in both by more than {SURE} standard "
        "errors of the difference, or where one that is not on it is so much better than each other in one of both."
    )
