"""Does the replication of a selection hold? Simulated studies whose agreement is known by brute force.

Each case draws data from a population: features in correlated blocks, some of which shift with the target. Many
independent pairs of studies of n/2 and of n rows give the true agreement. Then `st.replication` looks at single data
sets of n rows: how far its estimates are off, and how often its 95% intervals hold the truth.

    python -m benchmarks.replication        # writes benchmarks/replication.json and the table of docs/replication.md
    python -m benchmarks.replication page   # only the table
    python -m benchmarks.replication default   # prints what AT_DEFAULT, its cases at the default of pairs, give
"""

from __future__ import annotations

import json
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

import steadyset as st
from benchmarks.coverage.report import table
from steadyset.selectors.catalogue import selector_by_name

OUT = Path(__file__).with_suffix(".json")
PAGE = Path(__file__).parents[1] / "docs" / "replication.md"
BEGIN, END = "<!-- replication study -->", "<!-- end of the study -->"
TASKS = {"number": "number", "time": "survival", "count": "count"}
DATA_SETS, PAIRS, TRUE_PAIRS = 40, 60, 300
DEFAULT = None  # pairs: as many as `st.replication` draws by itself


@dataclass(frozen=True)
class Case:
    """A population and a selector."""

    name: str
    selector: str
    task: str = "classes"
    n: int = 100
    d: int = 200
    k: int = 10
    effects: tuple[float, ...] = ()
    block: int = 5
    r: float = 0.5
    share: float = 0.5
    classes: int = 3  # of a task of several
    columns: str = "normal"  # or lognormal, or t2
    log_target: bool = False  # whether the logarithm of the number has linear effects, not the number itself
    pairs: int | None = PAIRS
    data_sets: int = DATA_SETS

    def study(self, n: int, random: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
        """n rows of the population."""
        common = np.repeat(random.normal(size=(n, self.d // self.block)), self.block, axis=1)
        X = np.sqrt(self.r) * common + np.sqrt(1 - self.r) * random.normal(size=(n, self.d))
        if self.columns == "lognormal":
            X = np.exp(X)
        elif self.columns == "t2":
            X /= np.sqrt(random.chisquare(2, size=X.shape) / 2)
        slopes = np.zeros(self.d)
        slopes[: len(self.effects) * self.block : self.block] = self.effects
        if self.task == "number":
            y = X @ slopes + random.normal(size=n)
            return X, np.exp(y) if self.log_target else y
        if self.task == "count":
            return X, random.poisson(2 * np.exp(X @ slopes))
        if self.task == "time":  # to the first of an event and the end of observation, `share` of them events in noise
            event = random.exponential(size=n) / np.exp(X @ slopes)
            end = random.exponential(size=n) * self.share / (1 - self.share)
            return X, st.Survival(np.minimum(event, end), event <= end)
        if self.task == "several":
            y = random.integers(0, self.classes, size=n)
            X += np.outer(y - (self.classes - 1) / 2, slopes)
            return X, y
        y = (random.random(n) < self.share).astype(int)
        X += np.outer(y - 0.5, slopes)
        return X, y


FEW, MANY = (1.2, 1.0, 0.8, 0.6, 0.4), tuple(np.linspace(0.9, 0.1, 20))
CASES = (
    Case("noise", "anova:k=10"),
    Case("few effects", "anova:k=10", effects=FEW),
    Case("many effects", "anova:k=10", effects=MANY),
    Case("many effects, one class 20%", "anova:k=10", effects=MANY, share=0.2),
    Case("many effects, three classes", "anova:k=10", "several", effects=tuple(0.5 * e for e in MANY)),
    Case("few effects, lasso", "lasso:k=10", effects=FEW),
    Case("noise, number", "anova:k=10", "number"),
    Case("few effects, number", "anova:k=10", "number", effects=tuple(0.4 * e for e in FEW)),
    Case("many effects, number", "anova:k=10", "number", effects=tuple(0.4 * e for e in MANY)),
    Case("few effects, number, lasso", "lasso:k=10", "number", effects=tuple(0.4 * e for e in FEW)),
    Case("noise, times", "cox_score:k=10", "time", share=0.6),
    Case("few effects, times", "cox_score:k=10", "time", effects=tuple(0.5 * e for e in FEW), share=0.6),
    Case("many effects, times", "cox_score:k=10", "time", effects=tuple(0.5 * e for e in MANY), share=0.6),
    Case(
        "few effects, times, 30% events", "cox_score:k=10", "time", 150, effects=tuple(0.5 * e for e in FEW), share=0.3
    ),
    Case("noise, times, lasso", "lasso:k=10", "time", share=0.6),
    Case("few effects, times, lasso", "lasso:k=10", "time", effects=tuple(0.5 * e for e in FEW), share=0.6),
    Case("noise, counts", "anova:k=10", "count"),
    Case("few effects, counts", "anova:k=10", "count", effects=tuple(0.3 * e for e in FEW)),
    Case("many effects, counts", "anova:k=10", "count", effects=tuple(0.25 * e for e in MANY)),
)


def scaled(effects: tuple[float, ...], factor: float) -> tuple[float, ...]:
    """Effects that are `factor` times as large."""
    return tuple(factor * e for e in effects)


# Skewed numbers, heavy tails, four and rare classes, with as many pairs as are drawn by default.
SKEWED: dict[str, Any] = {"task": "number", "n": 150, "pairs": DEFAULT, "data_sets": 24}
CLASSES: dict[str, Any] = {"task": "several", "n": 120, "classes": 4, "pairs": DEFAULT, "data_sets": 24}
RARE: dict[str, Any] = {"n": 150, "share": 0.1, "pairs": DEFAULT, "data_sets": 24}
AT_DEFAULT = (
    Case("lognormal number, few effects", "anova:k=10", effects=scaled(FEW, 0.5), log_target=True, **SKEWED),
    Case("lognormal number, stronger effects", "anova:k=10", effects=scaled(FEW, 0.8), log_target=True, **SKEWED),
    Case("lognormal number, many effects", "anova:k=10", effects=scaled(MANY, 0.4), log_target=True, **SKEWED),
    Case("lognormal columns, number", "anova:k=10", effects=scaled(MANY, 0.4), columns="lognormal", **SKEWED),
    Case("t2 columns, number", "anova:k=10", effects=scaled(FEW, 0.4), columns="t2", **SKEWED),
    Case("t2 columns, number, lasso", "lasso:k=10", effects=scaled(FEW, 0.4), columns="t2", **SKEWED),
    Case("lognormal number, lasso", "lasso:k=10", effects=scaled(FEW, 0.5), log_target=True, **SKEWED),
    Case("four classes, lasso", "lasso:k=10", effects=scaled(MANY, 0.4), **CLASSES),
    Case("one class 10%, lasso", "lasso:k=10", effects=MANY, **RARE),
    Case("four classes", "anova:k=10", effects=scaled(MANY, 0.4), **CLASSES),
    Case("one class 10%", "anova:k=10", effects=MANY, **RARE),
    Case("one class 10%, forest", "forest:k=10", effects=MANY, **(RARE | {"data_sets": 10})),
    Case("four classes, forest", "forest:k=10", effects=scaled(MANY, 0.4), **(CLASSES | {"data_sets": 10})),
)
EVERY = CASES + AT_DEFAULT


def agreement(a: np.ndarray, b: np.ndarray, k: int, d: int) -> float:
    """K of two selections of k of d features."""
    return float((len(np.intersect1d(a, b)) / k - k / d) / (1 - k / d))


def truth(case: Case, n: int, random: np.random.Generator) -> float:
    """The agreement of independent studies of n rows."""
    values = []
    for _ in range(TRUE_PAIRS):
        chosen = []
        for _ in range(2):
            X, y = case.study(n, random)
            made = selector_by_name(case.selector, TASKS.get(case.task, "classes"))
            chosen.append(np.flatnonzero(made.fit(X, y).get_support()))
        values.append(agreement(*chosen, case.k, case.d))
    return float(np.mean(values))


def measure(case: Case) -> dict[str, object]:
    """The truth of a case, and what single data sets say of it."""
    random = np.random.default_rng([2026, EVERY.index(case)])
    true = {0.5: truth(case, case.n // 2, random), 1.0: truth(case, case.n, random)}
    rows = []
    for number in range(case.data_sets):
        X, y = case.study(case.n, np.random.default_rng([7, EVERY.index(case), number]))
        data = st.Data(X, y, task=TASKS.get(case.task))
        found = st.replication(case.selector, data, pairs=case.pairs, execution={"progress": False})
        rows.append({one.multiple: (one.agreement, one.low, one.high) for one in found.replicated.studies})
    told: dict[str, object] = {"case": case.name, "selector": case.selector, "n": case.n, "data_sets": case.data_sets}
    for multiple, name in ((0.5, "half"), (1.0, "same")):
        got = np.array([row[multiple] for row in rows])
        told[name] = {
            "truth": true[multiple],
            "bias": float(got[:, 0].mean() - true[multiple]),
            "rmse": float(np.sqrt(((got[:, 0] - true[multiple]) ** 2).mean())),
            "covered": float(((got[:, 1] <= true[multiple] + 0.02) & (true[multiple] <= got[:, 2] + 1e-9)).mean()),
            "width": float((got[:, 2] - got[:, 1]).mean()),
        }
    return told


def page(results: list[dict[str, Any]]) -> str:
    """What was found, as the table of the page."""
    header = ["case", "rows", "half: true", "bias", "covered", "width", "same: true", "bias", "covered", "width"]
    rows = []
    for one in results:
        row = [f"{one['case']} ({one['selector']})", one["n"]]
        for at in ("half", "same"):
            seen = one[at]
            row += [
                f"{seen['truth']:.2f}",
                f"{seen['bias']:+.2f}",
                f"{100 * seen['covered']:.0f}%",
                f"{seen['width']:.2f}",
            ]
        rows.append(row)
    return table(header, rows)


def write_page(results: list[dict[str, Any]]) -> None:
    """Put the table into the page."""
    before, rest = PAGE.read_text(encoding="utf-8").split(BEGIN)
    PAGE.write_text(f"{before}{BEGIN}\n\n{page(results)}\n\n{END}{rest.split(END, 1)[1]}", encoding="utf-8")


def main(names: list[str]) -> None:
    """Measure the cases, or those that are named, and write what was found; those of AT_DEFAULT are only printed."""
    for case in AT_DEFAULT:
        if case.name in names or names == ["default"]:
            print(json.dumps(measure(case)), flush=True)
    if names and not {case.name for case in CASES} & set(names) and names != ["page"]:
        return
    before = json.loads(OUT.read_text(encoding="utf-8")) if OUT.exists() else []
    done = {one["case"]: one for one in before}
    for case in CASES:
        if names and case.name not in names:
            continue
        done[case.name] = measure(case)
        print(json.dumps(done[case.name]), flush=True)
        OUT.write_text(
            json.dumps([done[one.name] for one in CASES if one.name in done], indent=1) + "\n", encoding="utf-8"
        )
    write_page([done[one.name] for one in CASES if one.name in done])


if __name__ == "__main__":
    main(sys.argv[1:])
