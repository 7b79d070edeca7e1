"""Run the whole study and write docs/coverage.md: about five minutes. `--draws 400` is a quick look on the screen."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from pathlib import Path

from benchmarks.coverage import report
from benchmarks.coverage.bound import bound_cells
from benchmarks.coverage.library import bootstrap_coverage, measure_coverage
from benchmarks.coverage.pools import filter_pool, lasso_pool, pattern_pools, steady_pool
from benchmarks.coverage.power import power_cells, ranked_cells, turns_cells, unequal_cells
from benchmarks.coverage.study import DEPENDENCES, OTHER_RUNS, RUNS, Cell, describe, grid, limits, pool_cells

PAGE = Path(__file__).parents[2] / "docs" / "coverage.md"
FULL = 20_000
STEADIEST_RUNS = (10, 15, 20, 30, 50, 100)


def main(arguments: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--draws", type=int, default=FULL, help="draws in a cell; fewer than the default only print")
    parser.add_argument("--pool", type=int, default=3000, help="bootstrap selections in a pool of real selections")
    options = parser.parse_args(arguments)
    text = page(options.draws, options.pool)
    if options.draws < FULL:
        print(text)
    else:
        PAGE.parent.mkdir(exist_ok=True)
        PAGE.write_text(text, encoding="utf-8")


def page(n_draws: int, n_pool: int) -> str:
    cells = list(grid(n_draws))
    pools = {"lasso": lasso_pool(n_pool), "top-10 filter": filter_pool(n_pool)}
    real = {name: list(pool_cells(name, pool, n_draws)) for name, pool in pools.items()}
    few, n_tests = max(50, n_draws // 40), max(400, n_draws // 4)
    others = [cell for name, pool in pools.items() for cell in pool_cells(name, pool, n_draws, OTHER_RUNS)]
    patterns = [cell for name, pool in pattern_pools().items() for cell in pool_cells(name, pool, n_draws)]
    parts = [
        INTRODUCTION.format(n_draws=n_draws, error=100 * (0.95 * 0.05 / n_draws) ** 0.5),
        "## All methods\n\n" + report.summary(cells),
        "Mean coverage in percent, and mean width:\n\n" + report.by_runs(cells),
        "## auto, cell by cell\n\nCoverage in percent (mean width); bold is outside 93 to 98.",
        *(f"### {_title(dependence)}\n\n" + report.cells_of(_of(cells, dependence)) for dependence in DEPENDENCES),
        *([OUTSIDE + report.outside(cells)] if report.any_outside(cells) else []),
        OTHERS + report.other_runs(list(grid(n_draws, OTHER_RUNS)), others),
        LEVELS.format(**_levels(cells)),
        REAL.format(n_pool=n_pool) + _real_tables(real, pools, few),
        MEASURES.format(few=few) + _measure_table(pools["lasso"], few),
        STEADY + _measure_table(steady_pool(n_pool), few),
        STEADIEST.format(n=few * 5) + _measure_table(steady_pool(n_pool, 0.8), few * 5, STEADIEST_RUNS),
        LIMITS + report.cells_of(list(limits(n_draws))),
        PATTERNS + report.by_population(patterns),
        TESTS.format(n=n_tests) + report.powers(power_cells(n_tests)),
        UNEQUAL + report.unequal(unequal_cells(n_tests)),
        RANKED + report.ranked(ranked_cells(n_tests)),
        TURNS + report.turns(turns_cells(n_tests)),
        BOUND.format(n=few * 4) + report.bound(bound_cells(few * 4)),
    ]
    return "\n\n".join(parts) + "\n"


def _title(dependence: str | float) -> str:
    return describe(dependence).capitalize()


def _of(cells: Sequence[Cell], dependence: str | float) -> list[Cell]:
    return [cell for cell in cells if cell.population == describe(dependence)]


def _levels(cells: Sequence[Cell]) -> dict[str, str]:
    found = {level: [cell.auto_at[level] for cell in cells] for level in (0.9, 0.99)}
    return {
        f"{end}{round(100 * level)}": f"{100 * pick(values):.1f}"
        for level, values in found.items()
        for end, pick in (("low", min), ("high", max))
    }


def _real_tables(real: dict[str, list[Cell]], pools: dict, few: int) -> str:  # type: ignore[type-arg]
    rows = []
    for name, cells in real.items():
        for cell in cells:
            coverage, width = bootstrap_coverage(pools[name], cell.n_runs, few)
            shown = [f"{100 * cell.coverage[m]:.1f} ({cell.width[m]:.3f})" for m in cell.coverage]
            rows.append([name, f"{cell.stability:.3f}", cell.n_runs, *shown, f"{100 * coverage:.1f} ({width:.3f})"])
    first = next(iter(real.values()))[0]
    return report.table(["selector", "stability", "M", *first.coverage, "bootstrap"], rows)


def _measure_table(pool, few: int, runs: Sequence[int] = RUNS[:4]) -> str:  # type: ignore[no-untyped-def]
    found = {M: {row[0]: row for row in measure_coverage(pool, M, few)} for M in runs}
    rows = [
        [name, f"{row[1]:.3f}", *(f"{100 * found[M][name][2]:.1f} ({found[M][name][3]:.3f})" for M in found)]
        for name, row in found[runs[0]].items()
    ]
    return report.table(["measure", "population", *(f"M = {M}" for M in found)], rows)


INTRODUCTION = """# Do the intervals hold?

How often nominal 95% intervals contain the stability of the population, by simulation. Written by
`python -m benchmarks.coverage`: {n_draws} draws in a cell, so a coverage of 95% is known to ± {error:.1f} (one standard
error). The measure is nogueira unless said otherwise; what the methods are is in [uncertainty.md](uncertainty.md).

The populations: k of d features are relevant (5 of 20, 20 of 100, 50 of 10,000) and selected with probability a, the
others with probability b, which set the stability to (a - b)². Features are independent, or form blocks (of 5, 10, 10)
whose selection has a latent correlation of 0.5 or 0.8, or each run takes one member of each of k groups of substitutes
(swaps).

auto was chosen on these populations: some fifty forms (powers and logarithms of the distance to the best value,
corrections for skewness) were tried on other draws from the same cells, and the narrowest one that held was kept. So
the simulated cells show that it holds where it was fitted, on new draws; populations of another kind may differ, as the
section on what no interval can do shows. The real selections were looked at during that choice too."""

OUTSIDE = """### Where auto is outside 93 to 98%

Too high where the runs are often all alike, or nearly. The number of runs that deviate is
then a small count, and an interval for a count covers too much at some values because it must cover enough at the
others, as exact intervals for proportions do.

"""

OTHERS = """### Other numbers of runs

auto in the same populations, and for the real selections below, with other numbers of runs. They played no part in the
choice, but for the rule below 5 runs:

"""

LEVELS = """### Other levels

Over all cells auto covers between {low90} and {high90}% at the nominal level of 90%, and between {low99} and
{high99}% at 99%."""

REAL = """## Real selections

{n_pool} bootstrap selections on the breast-cancer data of scikit-learn are the population, and M are drawn from them:
an L1 logistic regression (C = 0.1), and the 10 features with the largest F statistic. Coverage in percent (mean width);
the bootstrap with fewer draws.

"""

MEASURES = """## Other measures

auto on the lasso's selections, {few} draws: coverage in percent (mean width).

"""

STEADY = """The same where runs are steadier: 20 of 100 features in blocks of 10 with a latent correlation of 0.5, at a
stability of 0.95. Sets that are all the same have lustgarten 1 - k/d, not 1: the end of its interval away from 1 takes
that as the best value.

"""

STEADIEST = """And where the blocks have a latent correlation of 0.8, {n} draws: features come and go nearly as whole
blocks, which few runs show too rarely. The intervals of all measures are then a little too confident between 15 and 30
runs, that of lustgarten most; its note says so below 50 runs.

"""

LIMITS = """## What no interval can do

Blocks of features of which four in five come and go as a whole, at high stability. Most draws of few runs then show no
such event at all, or only the small ones; the runs look steadier than they are, and nothing in them tells. Coverage of
auto in percent (mean width):

"""

PATTERNS = """Sets of five of 30 features of which one or two are borderline, so that a few sets take turns. The
values that a few runs can have are then few, and coverage moves in steps; where two sets are equally likely the
stability is at its least, and no run pulls it either way. The last row has sets of 10 and of 25 features:

"""

UNEQUAL = """Few runs against many, equal stabilities. Few runs are often all alike; the published test then takes their
stability as known, and so would a t test. The library takes the intervals of both sides instead:

"""

RANKED = """The best 8 of 40 features by noisy scores, both procedures on the same resamples and equally steady. Here
the paired test rejects a little too rarely:

"""

TURNS = """Two procedures that take turns: in each run one of them selects few and the other many of the best of 40
features by noisy scores, as a coin falls. They are equally steady, and the share of rejections in percent is the size
of the paired test. With the slopes at what each side selected alone, it was up to 21%:

"""

BOUND = """## Runs that are bound to each other

The runs of a cross-validation and of other schemes are not independent draws, as intervals take them. One data set of
100 rows, the 8 of 50 features that correlate most with the target, {n} seeds of each scheme: how often the 95% interval
holds the mean stability over the seeds, and the standard error in units of the spread over the seeds. Folds and chunks
vary less than the interval believes. That is one data set; the stability is that of the scheme, whose runs may be more
or less alike than independent draws of the same size:

"""

TESTS = """## Tests of a difference

How often two procedures are declared different at the 5% level, in percent; d = 100, {n} draws. `common` is how much
a resample moves both procedures: the correlation of what drives their selections. With equal stabilities this is the
size, which should be 5; with different ones the power. The published test takes runs as independent: on the same
resamples it rejects far too rarely, and misses what the paired test finds.

"""

if __name__ == "__main__":
    main()
