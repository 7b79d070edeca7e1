"""The study as a page: docs/coverage.md."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np

from benchmarks.coverage.methods import METHODS
from benchmarks.coverage.power import TURNS_RUNS, Power
from benchmarks.coverage.study import RUNS, Cell

LOW, HIGH = 0.93, 0.98


def summary(cells: Sequence[Cell]) -> str:
    """One row per method: how many cells hold, the extremes, and the width relative to the jackknife."""
    rows = []
    for name in METHODS:
        found = np.array([cell.coverage[name] for cell in cells])
        width = np.mean([cell.width[name] / cell.width["auto"] for cell in cells])
        inside = int(np.sum((found >= LOW) & (found <= HIGH)))
        below, above = int(np.sum(found < LOW)), int(np.sum(found > HIGH))
        rows.append([name, inside, below, above, _percent(found.min()), _percent(found.max()), f"{width:.2f}"])
    return table(["method", "93 to 98%", "below", "above", "lowest", "highest", "width / auto"], rows)


def other_runs(cells: Sequence[Cell], real: Sequence[Cell]) -> str:
    """One row for each M: how many simulated cells "auto" holds, the extremes, and the real selections."""
    rows = []
    for M in dict.fromkeys(cell.n_runs for cell in cells):
        found = np.array([cell.coverage["auto"] for cell in cells if cell.n_runs == M])
        below, above = int(np.sum(found < LOW)), int(np.sum(found > HIGH))
        pools = [_percent(cell.coverage["auto"]) for cell in real if cell.n_runs == M]
        inside = len(found) - below - above
        rows.append([M, inside, below, above, _percent(found.min()), _percent(found.max()), *pools])
    names = dict.fromkeys(cell.population for cell in real)
    return table(["M", "93 to 98%", "below", "above", "lowest", "highest", *names], rows)


def by_runs(cells: Sequence[Cell]) -> str:
    """The mean coverage of each method for each M, and the mean width."""
    rows = []
    for name in METHODS:
        row = [name]
        for M in RUNS:
            chosen = [cell for cell in cells if cell.n_runs == M]
            coverage = np.mean([cell.coverage[name] for cell in chosen])
            row.append(f"{_percent(coverage)} ({np.mean([cell.width[name] for cell in chosen]):.3f})")
        rows.append(row)
    return table(["method", *(f"M = {M}" for M in RUNS)], rows)


def cells_of(cells: Sequence[Cell], name: str = "auto") -> str:
    """One row for each d and stability, one column for each M: coverage and mean width; outside 93 to 98% in bold."""
    rows = []
    for d, stability in dict.fromkeys((cell.n_features, cell.stability) for cell in cells):
        row = [f"{d}", f"{stability:.3g}"]
        for M in RUNS:
            cell = next(c for c in cells if (c.n_features, c.stability, c.n_runs) == (d, stability, M))
            row.append(f"{_bold(cell.coverage[name])} ({cell.width[name]:.3f})")
        rows.append(row)
    return table(["d", "stability", *(f"M = {M}" for M in RUNS)], rows)


def any_outside(cells: Sequence[Cell]) -> bool:
    return any(not LOW <= cell.coverage["auto"] <= HIGH for cell in cells)


def outside(cells: Sequence[Cell]) -> str:
    """The cells in which "auto" is outside 93 to 98%, with how often all runs behave alike."""
    rows = [
        [c.population, c.n_features, f"{c.stability:.3g}", c.n_runs, _percent(c.coverage["auto"]), _percent(c.alike)]
        for c in cells
        if not LOW <= c.coverage["auto"] <= HIGH
    ]
    return table(["features", "d", "stability", "M", "coverage", "all runs alike"], rows)


def by_population(cells: Sequence[Cell], name: str = "auto") -> str:
    """One row for each population, one column for each M."""
    rows = []
    for population in dict.fromkeys(cell.population for cell in cells):
        members = [cell for cell in cells if cell.population == population]
        shown = [f"{_bold(cell.coverage[name])} ({cell.width[name]:.3f})" for cell in members]
        rows.append([population, f"{members[0].stability:.3f}", *shown])
    return table(["population", "stability", *(f"M = {M}" for M in RUNS)], rows)


def powers(found: Iterable[Power]) -> str:
    rows = [
        [
            f"{one.first:g} and {one.second:g}",
            f"{one.common:g}",
            one.n_runs,
            _percent(one.published),
            _percent(one.independent),
            _percent(one.paired),
        ]
        for one in found
    ]
    return table(["stabilities", "common", "M", "published", "independent, t", "paired, t"], rows)


def unequal(found: Iterable[tuple[int, float, int, int, float, float]]) -> str:
    rows = [[d, stability, f"{few} and {many}", _percent(p), _percent(q)] for d, stability, few, many, p, q in found]
    return table(["d", "stability", "runs", "published", "independent, t"], rows)


def ranked(found: Iterable[tuple[float, int, float]]) -> str:
    return table(["stability", "M", "paired, t"], [[f"{value:.2f}", M, _percent(p)] for value, M, p in found])


def turns(found: Iterable[tuple[int, int, float, float, Sequence[float]]]) -> str:
    rows = [
        [f"{few} and {many}", noise, f"{value:.2f}", *map(_percent, shares)]
        for few, many, noise, value, shares in found
    ]
    return table(["sizes", "noise", "stability", *(f"M = {M}" for M in TURNS_RUNS)], rows)


def bound(found: Iterable[tuple[str, int, float, float, float]]) -> str:
    rows = [[name, M, f"{value:.2f}", _percent(within), f"{ratio:.2f}"] for name, M, value, within, ratio in found]
    return table(["resampling", "M", "stability", "coverage", "standard error / spread"], rows)


def table(header: Sequence[object], rows: Iterable[Sequence[object]]) -> str:
    lines = [header, ["---"] * len(header), *rows]
    return "\n".join("| " + " | ".join(str(x) for x in line) + " |" for line in lines)


def _bold(coverage: float) -> str:
    """In bold outside of what is wanted."""
    shown = _percent(coverage)
    return shown if LOW <= coverage <= HIGH else f"**{shown}**"


def _percent(share: float) -> str:
    return f"{100 * share:.1f}"
