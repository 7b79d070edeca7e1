"""How much of the stability over resamples comes from the rows that the resamples share?

Golub's leukemia data are two studies: 38 rows of one hospital, and 34 independent rows of others. Two samples of these
sizes and classes are drawn from all 72 rows, so that they share none, a quarter, ... of the rows of the smaller one. A
selector selects on both, and their agreement is corrected for chance (Nogueira's stability of the two sets). The mean
over many pairs is a curve; at an overlap of 0 the pairs are two studies of one population. The two real studies are one
such pair, and their place among the random pairs shows whether they differ by more than the rows that they happen to
have.

    python -m benchmarks.overlap        # computes what overlap.json lacks, then writes the table of the page
    python -m benchmarks.overlap page   # the table alone

The data are read from the folder that STEADYSET_DATA names.
"""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

import steadyset as st
from benchmarks.coverage.report import table
from steadyset.selectors.catalogue import selector_by_name

RESULTS = Path(__file__).with_suffix(".json")
PAGE = Path(__file__).parents[1] / "docs" / "uncertainty.md"
BEGIN, END = "<!-- overlap study -->", "<!-- end of the overlap study -->"
DATA, FIRST_ROWS = "golub", 34  # the independent study comes first in the file
SELECTORS = {"anova": "anova:k=50", "kruskal": "kruskal:k=50", "lasso": "lasso:k=20"}
OVERLAPS = (0.0, 0.25, 0.5, 0.75, 0.9)
PAIRS = 100


def data() -> tuple[Any, Any]:
    """Return the values and the classes, the rows of the independent study first."""
    frame = pd.read_parquet(Path(os.environ["STEADYSET_DATA"]) / f"{DATA}.parquet")
    return frame.drop(columns="target").to_numpy(float), frame["target"].to_numpy()


def drawn_pair(y: Any, overlap: float, random: Any) -> tuple[Any, Any]:
    """Return the rows of two samples with the classes of the two studies and a given overlap.

    The overlap is the percentage of the smaller sample's rows of each class that the larger sample has, too, as nearly
    as whole rows allow.
    """
    first: list[int] = []
    second: list[int] = []
    for label in np.unique(y):
        rows = random.permutation(np.flatnonzero(y == label))
        n_first = int((y[:FIRST_ROWS] == label).sum())
        n_second = len(rows) - n_first
        shared = round(overlap * min(n_first, n_second))
        first += list(rows[:n_first])
        second += [*rows[:shared], *rows[n_first : n_first + n_second - shared]]
    return np.sort(first), np.sort(second)


def selector_of(name: str) -> Any:
    """Return a selector; none of them is random."""
    return selector_by_name(SELECTORS[name], "classes")


def agreement(selector: Any, X: Any, y: Any, first: Any, second: Any) -> float:
    """Return the agreement of what a selector selects on two samples, corrected for chance."""
    from sklearn.base import clone

    chosen = [np.flatnonzero(clone(selector).fit(X[rows], y[rows]).get_support()).tolist() for rows in (first, second)]
    return st.stability(st.Selections.from_sets(chosen, n_features=X.shape[1]), "nogueira")


def curve(name: str, X: Any, y: Any) -> dict[str, Any]:
    """Return the agreements of random pairs by overlap, and that of the two studies."""
    selector = selector_of(name)
    random = np.random.default_rng(0)
    found: dict[str, Any] = {
        f"{overlap:g}": [agreement(selector, X, y, *drawn_pair(y, overlap, random)) for _ in range(PAIRS)]
        for overlap in OVERLAPS
    }
    places = np.arange(len(y))
    return found | {"studies": agreement(selector, X, y, places[:FIRST_ROWS], places[FIRST_ROWS:])}


def p_of_studies(found: dict[str, Any]) -> float:
    """Return how often a random pair without common rows agrees as little as the two studies or less."""
    pairs = np.array(found["0"])
    return float((1 + (pairs <= found["studies"] + 1e-12).sum()) / (1 + len(pairs)))


def overlap_of_studies(found: dict[str, Any]) -> str:
    """Return where on the curve the agreement of the two studies lies."""
    means = np.array([np.mean(found[f"{overlap:g}"]) for overlap in OVERLAPS])
    if found["studies"] < means[0]:
        return "below the mean at 0%"
    rising = np.maximum.accumulate(means)
    return f"{np.interp(found['studies'], rising, OVERLAPS):.0%}"


def page(results: dict[str, Any]) -> str:
    """Return the table of the page."""
    head = ["selector", *(f"{overlap:.0%}" for overlap in OVERLAPS), "the two studies", "p", "place on the curve"]
    rows = [
        [
            SELECTORS[name],
            *(_mean_of(found[f"{overlap:g}"]) for overlap in OVERLAPS),
            _shown(found["studies"]),
            f"{p_of_studies(found):.2f}",
            overlap_of_studies(found),
        ]
        for name, found in results.items()
    ]
    return table(head, rows)


def _mean_of(values: list[float]) -> str:
    """Return a mean and, in parentheses, where the middle 95% of the pairs lie."""
    low, high = np.quantile(values, [0.025, 0.975])
    return f"{_shown(np.mean(values))} ({_shown(low)} to {_shown(high)})"


def _shown(value: float) -> str:
    """Return a number with two digits, without a negative zero."""
    return f"{round(float(value), 2) + 0.0:.2f}"


def write_page(results: dict[str, Any]) -> None:
    """Replace the part of the page that the study writes."""
    text = PAGE.read_text(encoding="utf-8")
    before, rest = text.split(BEGIN)
    PAGE.write_text(f"{before}{BEGIN}\n{page(results)}\n{END}{rest.split(END)[1]}", encoding="utf-8")


def main(words: list[str]) -> None:
    """Compute what is missing, and write the page."""
    results: dict[str, Any] = json.loads(RESULTS.read_text(encoding="utf-8")) if RESULTS.exists() else {}
    if words != ["page"]:
        X, y = data()
        for name in SELECTORS:
            if name not in results:
                results[name] = curve(name, X, y)
                RESULTS.write_text(json.dumps(results) + "\n", encoding="utf-8")
                print(name, flush=True)
    write_page(results)


if __name__ == "__main__":
    main(sys.argv[1:])
