"""How many false and true features stability selection lists on real arrays: `python -m benchmarks.error_bounds`.

The columns of a real array are standardised, half of its rows are drawn at random as one class, and a signal is added
to random columns, so that what is false is known and everything else is as correlated as real data are. Measures what
error_bounds.json does not hold yet (all of it takes ten minutes on one core; delete the file to start again), then
writes the tables of docs/stability-selection.md.
"""

from __future__ import annotations

import json
import os
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

import steadyset as st
from benchmarks.coverage.report import table

RESULTS = Path(__file__).with_suffix(".json")
PAGE = Path(__file__).parents[1] / "docs" / "stability-selection.md"
ARRAYS = ("alon", "christensen", "golub", "gravier", "singh", "subramanian")
SOME = ("alon", "golub", "gravier", "singh")
FEW = ("alon", "gravier")
BOUNDS = ("meinshausen_buhlmann", "shah_samworth_unimodal", "shah_samworth_r_concave")
NOMINAL = (0.5, 1.0, 2.0, 5.0)
SIZES = (10, 20, 50, 100)
THRESHOLD = 0.75
ROUNDING = 1e-9


class Study(NamedTuple):
    """A base on some arrays: how often each case is drawn, and the nominal values and sizes that are read."""

    base: str | None
    arrays: tuple[str, ...]
    draws: dict[str, int]
    nominal: tuple[float, ...] = (1.0,)
    sizes: tuple[int, ...] = (10, 20)


STUDIES = {
    "anova": Study("anova", ARRAYS, {"null": 100, "0.8": 20, "1.2": 20, "joint": 20}, NOMINAL, SIZES),
    "lasso": Study(None, SOME, {"null": 30, "0.8": 15, "1.2": 15, "joint": 15}),
    "elastic_net": Study("elastic_net", FEW, {"null": 10, "0.8": 10, "1.2": 10, "joint": 10}),
    "kruskal": Study("kruskal", FEW, {"null": 10, "0.8": 10, "1.2": 10, "joint": 10}),
}


# ---- the data ------------------------------------------------------------------------------------------------------


def array_of(name: str) -> Any:
    """The columns that vary, standardised."""
    frame = pd.read_parquet(Path(os.environ["STEADYSET_DATA"]) / f"{name}.parquet")
    values = frame.drop(columns="target").to_numpy(float)
    values = values[:, values.std(axis=0) > 0]
    return (values - values.mean(axis=0)) / values.std(axis=0)


def drawn(values: Any, case: str, seed: int) -> tuple[Any, Any, set[int]]:
    """Features, random classes of equal size, and the features that differ between them."""
    random = np.random.default_rng(seed)
    n, d = values.shape
    y = np.zeros(n, dtype=int)
    y[random.permutation(n)[: n // 2]] = 1
    if case == "null":
        return values, y, set()
    X = values.copy()
    if case == "joint":
        true = random.choice(d, 10, replace=False)
        add_pairs(X, y, true)
    else:
        true = random.choice(d, 20, replace=False)
        X[:, true] += float(case) * np.linspace(1.4, 0.6, 20) * (y - 0.5)[:, None]
    return X, y, set(true.tolist())


def add_pairs(X: Any, y: Any, columns: Any, distance: float = 3.0) -> None:
    """Pairs with a correlation of 0.95 whose difference is shifted by three of its standard deviations, so that each
    feature of a pair is shifted by less than half of its own."""
    for first, second in columns.reshape(-1, 2):
        other = X[:, second] - (X[:, first] @ X[:, second]) / (X[:, first] @ X[:, first]) * X[:, first]
        X[:, second] = 0.95 * X[:, first] + np.sqrt(1 - 0.95**2) * other / other.std()
        shift = distance * (X[:, first] - X[:, second]).std() * (y - 0.5) / 2
        X[:, first] += shift
        X[:, second] -= shift


# ---- the measurement -----------------------------------------------------------------------------------------------


def readings(study: Study, d: int) -> Iterator[tuple[str, Any]]:
    """The limits that each bound derives, with a name: from given sizes, and from the default threshold."""
    for pfer in study.nominal:
        for rule in BOUNDS:
            for q in study.sizes:
                try:
                    yield f"{rule} q={q} pfer={pfer:g}", st.error_control(d, q=q, pfer=pfer, rule=rule)
                except st.InputError:  # no threshold keeps that promise with so many features per run
                    continue
    for rule in BOUNDS:
        yield f"{rule} threshold={THRESHOLD} pfer=1", st.error_control(d, threshold=THRESHOLD, pfer=1, rule=rule)


def measure(study: Study, values: Any, case: str) -> dict[str, list[float]]:
    """For each reading: mean true, its standard error, mean false, its standard error, most false, share without."""
    found: dict[str, list[tuple[int, int]]] = {}
    limits = dict(readings(study, values.shape[1]))
    sizes = sorted({one.q for one in limits.values()})
    for seed in range(study.draws[case]):
        X, y, true = drawn(values, case, seed)
        selector = st.StabilitySelection(study.base, q=sizes[0], max_features=sizes[-1], random_state=seed, n_jobs=1)
        selector.fit(X, y)
        # The bounds differ in the threshold only, so that one look at the first q features of every run serves all.
        frequencies = {q: selector.select(q=q, threshold=1.0).frequencies for q in sizes}
        listed = {name: frequencies[one.q] >= one.threshold - ROUNDING for name, one in limits.items()}
        listed["calibrated pfer=1"] = selector.select(rule="calibrated", pfer=1.0).support
        for name, support in listed.items():
            chosen = set(np.flatnonzero(support).tolist())
            found.setdefault(name, []).append((len(chosen & true), len(chosen - true)))
    return {name: _summary(np.array(counts, dtype=float)) for name, counts in found.items()}


def _summary(counts: Any) -> list[float]:
    errors = counts.std(axis=0, ddof=1) / np.sqrt(len(counts))
    (true, false), (true_error, false_error) = counts.mean(axis=0), errors
    most, none = counts[:, 1].max(), (counts[:, 1] == 0).mean()
    return [round(float(x), 3) for x in (true, true_error, false, false_error, most, none)]


# ---- the page ------------------------------------------------------------------------------------------------------


def page(results: dict[str, Any]) -> str:
    """The tables of docs/stability-selection.md."""
    ways = [f"q={q}" for q in SIZES] + [f"threshold={THRESHOLD}"]
    at_one = [
        [
            f"`{rule}`",
            way.replace("=", " = "),
            *(_false(results[f"anova {array} null"], rule, way, 1.0) for array in ARRAYS),
        ]
        for rule in BOUNDS
        for way in ways
    ]
    calibrated = [_shown(results[f"anova {array} null"]["calibrated pfer=1"], 1.0) for array in ARRAYS]
    nominal = [
        [f"`{rule}`", f"{pfer:g}", *(_false(results[f"anova {array} null"], rule, "q=20", pfer) for array in ARRAYS)]
        for rule in BOUNDS
        for pfer in NOMINAL
    ]
    nulls = [
        [f"`{rule}`", base, way.replace("=", " = "), *(_null(results, base, array, rule, way) for array in SOME)]
        for rule in BOUNDS
        for base in list(STUDIES)[1:]
        for way in ("q=20", f"threshold={THRESHOLD}")
    ]
    found = [
        [
            base,
            f"`{rule}`",
            way.replace("=", " = "),
            *(_found(results, base, array, case, rule, way) for array, case in CASES),
        ]
        for base, rule, way in FOUND
    ]
    arrays = [f"{array} {SHAPES[array]}" for array in ARRAYS]
    return "\n\n".join(
        [
            NULL.format(draws=STUDIES["anova"].draws["null"]),
            table(["rule", "given", *arrays], [*at_one, ["`calibrated`", "pfer = 1", *calibrated]]),
            "Other promises, at q = 20:",
            table(["rule", "promised", *ARRAYS], nominal),
            "Other bases, at a promise of 1 (lasso: 30 draws; the others: 10):",
            table(["rule", "base", "given", *SOME], nulls),
            SIGNAL,
            table(["base", "rule", "given", *(f"{array}, {case}" for array, case in CASES)], found),
        ]
    )


def _false(cell: dict[str, Any], rule: str, way: str, pfer: float) -> str:
    key = f"{rule} {way} pfer={pfer:g}"
    return _shown(cell[key], pfer) if key in cell else "none"


def _null(results: dict[str, Any], base: str, array: str, rule: str, way: str) -> str:
    cell = results.get(f"{base} {array} null")
    return "" if cell is None else _false(cell, rule, way, 1.0)


def _shown(summary: list[float], promised: float) -> str:
    """Mean false features and their standard error, in bold where they are more than promised by two of these."""
    _, _, false, error, *_ = summary
    text = f"{false:.2f} ({error:.2f})"
    return f"**{text}**" if false - 2 * error > promised else text


def _found(results: dict[str, Any], base: str, array: str, case: str, rule: str, way: str) -> str:
    cell = results.get(f"{base} {array} {case}")
    if cell is None:
        return ""
    true, error, false, *_ = cell[f"{rule} pfer=1" if rule == "calibrated" else f"{rule} {way} pfer=1"]
    return f"{true:.1f} ({error:.1f}) / {false:.1f}"


SHAPES = {
    "alon": "62 x 2,000",
    "christensen": "217 x 1,413",
    "golub": "72 x 7,129",
    "gravier": "168 x 2,905",
    "singh": "102 x 12,600",
    "subramanian": "50 x 10,100",
}
CASES = [(array, case) for case in ("0.8", "1.2") for array in SOME] + [(array, "joint") for array in FEW]
FOUND = [
    ("anova", "meinshausen_buhlmann", "q=20"),
    ("anova", "shah_samworth_unimodal", "q=20"),
    ("anova", "shah_samworth_unimodal", f"threshold={THRESHOLD}"),
    ("anova", "shah_samworth_r_concave", f"threshold={THRESHOLD}"),
    ("anova", "shah_samworth_r_concave", "q=20"),
    ("anova", "calibrated", "pfer=1"),
    ("kruskal", "shah_samworth_unimodal", "q=20"),
    ("lasso", "meinshausen_buhlmann", f"threshold={THRESHOLD}"),
    ("lasso", "shah_samworth_unimodal", "q=20"),
    ("lasso", "shah_samworth_r_concave", "q=20"),
    ("lasso", "calibrated", "pfer=1"),
    ("elastic_net", "shah_samworth_unimodal", f"threshold={THRESHOLD}"),
]
NULL = """Mean number of false features where no feature is true and at most 1 is promised, with its standard error
({draws} draws, base `"anova"`, 100 runs). Bold exceeds the promise by more than two standard errors; "none": no
threshold keeps that promise with so many features per run."""
SIGNAL = """True features found (standard error) / false ones, at a promise of 1. 20 features are shifted by 0.8 or 1.2
standard deviations times 1.4 to 0.6; "joint": the differences of 5 pairs of correlated features (r = 0.95) are shifted
by three of their standard deviations, each of the 10 features by about half of its own (anova 20 draws, lasso 15,
others 10):"""


def write_page(results: dict[str, Any]) -> None:
    before, rest = PAGE.read_text(encoding="utf-8").split(BEGIN)
    PAGE.write_text(f"{before}{BEGIN}\n\n{page(results)}\n\n{END}{rest.split(END, 1)[1]}", encoding="utf-8")


BEGIN, END = "<!-- error bounds -->", "<!-- end -->"


def main() -> None:
    results = json.loads(RESULTS.read_text()) if RESULTS.exists() else {}
    for case in ("null", "1.2", "0.8", "joint"):
        for base, study in STUDIES.items():
            for array in FEW if case == "joint" else study.arrays:
                key = f"{base} {array} {case}"
                if key not in results:
                    start = time.process_time()
                    results[key] = {"draws": study.draws[case], **measure(study, array_of(array), case)}
                    RESULTS.write_text(json.dumps(results, indent=0, sort_keys=True) + "\n")
                    print(f"{key}: {time.process_time() - start:.0f} s", flush=True)
    write_page(results)


if __name__ == "__main__":
    main()
