"""Nogueira (2018), section 6.1: the estimate, the intervals and the test on sets with a known stability.

The thesis draws the selection probabilities of its three cases (figure 6.1) without stating them. Ours fall along a
logistic curve whose slope gives the stability of the case. The full version of table 6.2 writes the coverages of other
curves, too, which hardly differ.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

import numpy as np
import pandas as pd
from scipy.optimize import brentq
from scipy.special import expit, ndtri
from scipy.stats import probplot

from steadyset import plots
from steadyset.inference import confidence_interval, test_difference
from steadyset.kernels.arrays import Floats
from steadyset.measures import stability
from steadyset.reproduction import Row, Run, item
from steadyset.selections import Selections

PAPER = "nogueira-2018"
CASES = {"Φ = 0.8": 0.8, "Φ = 0.5": 0.5, "Φ = 0.3": 0.3}
LEVELS = {"99%": 0.99, "95%": 0.95, "90%": 0.90}
CENTRE = 0.5  # of the curve, as a part of the features
OTHER_CENTRES = (0.1, 0.3)


@item(PAPER, "figure-6.2", core=True, seconds=1)
def figure_6_2(run: Run) -> Iterator[Row]:
    """The estimate against the number of sets."""
    n_runs = run.published.given["most_runs"]
    sizes = np.unique(np.geomspace(2, n_runs, 60).astype(int))
    gaps: list[list[float]] = []
    for name, phi in CASES.items():
        sets = _drawn(_probabilities(phi, 100), n_runs, np.random.default_rng((run.seed, len(gaps))))
        run.figure(plots.convergence(sets), f"figure-{name[-3:]}")
        gaps.append([abs(stability(sets.take(range(size))) - phi) for size in sizes])
    run.table(pd.DataFrame(np.transpose(gaps), index=pd.Index(sizes, name="sets"), columns=list(CASES)))
    last = [gap[-1] for gap in gaps]
    yield run.claim("consistent", max(last) < 0.01, f"off by at most {max(last):.4f} with {n_runs} sets")
    for name, size, most in (("five-percent", 10, 0.05), ("one-percent", 100, 0.01)):
        share, worst = _near(run, size, most)
        told = f"{100 * share:.0f}% of the draws are; 95% are off by less than {worst:.3f}"
        yield run.claim(name, share > 0.5, told)


@item(PAPER, "figure-6.3", seconds=8, full_seconds=300)
def figure_6_3(run: Run) -> Iterator[Row]:
    """Coverage of 90% intervals against the number of sets."""
    repeats = 10_000 if run.full else 300
    sizes = (5, 10, 20, 50, 100)
    found = {name: [_coverage(run, phi, 100, repeats, size)["90%"] for size in sizes] for name, phi in CASES.items()}
    run.table(pd.DataFrame(found, index=pd.Index(sizes, name="sets")))
    gaps = {name: [abs(share - 0.9) for share in shares] for name, shares in found.items()}
    error = float((0.9 * 0.1 / repeats) ** 0.5)
    told = "; ".join(f"{name}: {', '.join(f'{100 * one:.1f}%' for one in shares)}" for name, shares in found.items())
    near = all(gap[-1] <= 0.015 + 3 * error and gap[-1] < gap[0] for gap in gaps.values())
    yield run.claim("approaches", near, f"with {', '.join(map(str, sizes))} sets {told}")


@item(PAPER, "table-6.2", core=True, seconds=8, full_seconds=120)
def table_6_2(run: Run) -> Iterator[Row]:
    """Coverage with 100 features."""
    yield from _covered(run, 10_000 if run.full else 1000)
    if run.full:
        found = {
            (name, centre): _coverage(run, phi, 100, 10_000, 100, centre)
            for name, phi in CASES.items()
            for centre in OTHER_CENTRES
        }
        run.table(pd.DataFrame(found).T.rename_axis(["case", "centre"]), "other-curves")


@item(PAPER, "table-6.3", seconds=15, full_seconds=3600)
def table_6_3(run: Run) -> Iterator[Row]:
    """Coverage with 10,000 features."""
    yield from _covered(run, 10_000 if run.full else 120)


@item(PAPER, "figure-6.4", seconds=12, full_seconds=60)
def figure_6_4(run: Run) -> Iterator[Row]:
    """The statistic of the test that two stabilities are equal."""
    given = run.published.given
    n_runs, repeats = given["n_runs"], given["repeats"] if run.full else 200
    equal = _statistics(run, (0.8, 0.8), n_runs, repeats)
    quantiles, (slope, level, straight) = probplot(equal)
    run.table(pd.DataFrame({"normal": quantiles[0], "ours": quantiles[1]}))
    error = repeats**-0.5
    spread = equal.std(ddof=1)
    told = f"mean {equal.mean():.2f}, standard deviation {spread:.2f}, correlation of the quantiles {straight:.4f}"
    standard = abs(level) < 3 * error and abs(slope - 1) < 3 * error and straight > 0.99
    yield run.claim("standard-normal", bool(standard), told)
    yield from _unequal(run, n_runs, repeats)


def _unequal(run: Run, n_runs: int, repeats: int) -> Iterator[Row]:
    """Which stabilities the right part compares is not stated; those that have its median tell the rest."""
    median = run.published.cell("Φ1 ≠ Φ2", "median")
    second = 0.8 + _shift(float(median.value), n_runs)
    found = _statistics(run, (0.8, second), n_runs, repeats)
    centre, spread = float(np.median(found)), float(found.std(ddof=1))
    straight = probplot(found)[1][2]
    told = f"correlation of the quantiles {straight:.4f}, median {centre:.1f}"
    yield run.claim("normal-not-standard", bool(straight > 0.99 and found.mean() < -1), told)
    yield run.not_stated(median, ours=f"{centre:.1f} for Φ = 0.8 and {second:.3f}")
    farthest, error = _farthest(run.published.given["repeats"])
    for column, sign in (("least", -1), ("greatest", 1)):
        cell = run.published.cell("Φ1 ≠ Φ2", column)
        yield run.row(cell, float(median.value) + sign * spread * farthest, published_error=spread * error)


def _farthest(n: int) -> tuple[float, float]:
    """The mean and the standard deviation of the greatest of n standard normal numbers."""
    values = ndtri(((np.arange(10_000) + 0.5) / 10_000) ** (1 / n))
    return float(values.mean()), float(values.std())


def _shift(statistic: float, n_runs: int) -> float:
    """The difference of stabilities whose statistic is this, with the standard errors at 0.8."""
    sets = _drawn(_probabilities(0.8, 100), n_runs, np.random.default_rng(0))
    return statistic * 2**0.5 * confidence_interval(sets, method="normal").se


def _statistics(run: Run, cases: tuple[float, float], n_runs: int, repeats: int) -> Floats:
    """The statistic of pairs of experiments, sorted."""
    probabilities = [_probabilities(phi, 100) for phi in cases]
    random = np.random.default_rng((run.seed, 4))
    found = []
    for done in range(repeats):
        first, second = (_drawn(one, n_runs, random) for one in probabilities)
        found.append(test_difference(first, second, method="normal", paired=False).statistic)
        _tell(run, done, repeats)
    return np.sort(found)


def _covered(run: Run, repeats: int) -> Iterator[Row]:
    """The rows of a table of coverages, with the Monte Carlo errors of both sides."""
    d, n_runs = run.published.given["n_features"], run.published.given["n_runs"]
    for name, phi in CASES.items():
        shares = run.kept(name[-3:], partial(_coverage, run, phi, d, repeats, n_runs))
        for column in LEVELS:
            cell = run.published.cell(name, column)
            ideal = LEVELS[column]
            error = 100 * (ideal * (1 - ideal)) ** 0.5
            yield run.row(
                cell,
                100 * shares[column],
                standard_error=error / repeats**0.5,
                published_error=error / run.published.given["repeats"] ** 0.5,
            )


def _coverage(run: Run, phi: float, d: int, repeats: int, n_runs: int, centre: float = CENTRE) -> dict[str, float]:
    """In which share of the experiments the published intervals hold the true stability."""
    probabilities = _probabilities(phi, d, centre)
    random = np.random.default_rng((run.seed, round(10 * phi), d, n_runs))
    distances = np.empty(repeats)
    for done in range(repeats):
        found = confidence_interval(_drawn(probabilities, n_runs, random), method="normal")
        distances[done] = abs(found.estimate - phi) / found.se
        _tell(run, done, repeats)
    return {name: float(np.mean(distances <= ndtri((1 + level) / 2))) for name, level in LEVELS.items()}


def _near(run: Run, size: int, most: float) -> tuple[float, float]:
    """The share of estimates from so many sets that are near, and how far off 95% of them are at most."""
    random = np.random.default_rng((run.seed, size))
    gaps = []
    for phi in CASES.values():
        probabilities = _probabilities(phi, 100)
        gaps += [abs(stability(_drawn(probabilities, size, random)) - phi) for _ in range(100)]
    return float(np.mean(np.array(gaps) < most)), float(np.quantile(gaps, 0.95))


def _probabilities(phi: float, d: int, centre: float = CENTRE) -> Floats:
    """Selection probabilities along a logistic curve, with the stability phi."""
    places = (np.arange(d) + 0.5) / d

    def along(slope: float) -> Floats:
        return np.asarray(expit(np.exp(slope) * (centre - places)))

    return along(brentq(lambda slope: _true_stability(along(slope)) - phi, -3, 8))


def _true_stability(probabilities: Floats) -> float:
    """1 - mean variance of the selection of a feature / variance of that of a feature drawn at random."""
    share = float(probabilities.mean())
    return 1 - float((probabilities * (1 - probabilities)).mean()) / (share * (1 - share))


def _drawn(probabilities: Floats, n_runs: int, random: np.random.Generator) -> Selections:
    return Selections.from_matrix(random.random((n_runs, len(probabilities)), dtype=np.float32) < probabilities)


def _tell(run: Run, done: int, total: int) -> None:
    if run.progress is not None:
        run.progress(done + 1, total)
