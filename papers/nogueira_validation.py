"""Nogueira (2018), section 6.1: the estimate, the intervals and the test on sets with a known stability.

The thesis draws the selection probabilities of its three cases (figure 6.1) without stating them. Ours fall along a
logistic curve whose slope gives the stability of the case; table 6.2 tells of other curves, which hardly differ.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from typing import NamedTuple

import numpy as np
import pandas as pd
from scipy.optimize import brentq
from scipy.special import expit, ndtri
from scipy.stats import probplot

from papers.framework import Cell, Row, Run, item
from papers.framework.arrays import Bools, Floats
from papers.framework.text import percent
from steadyset import Selections, plot, stability

PAPER = "nogueira-2018"
CASES = {"Φ = 0.8": 0.8, "Φ = 0.5": 0.5, "Φ = 0.3": 0.3}
LEVELS = {"99%": 0.99, "95%": 0.95, "90%": 0.90}
CENTRE = 0.5  # of the curve, as a part of the features
OTHER_CENTRES, OTHER_REPEATS = (0.1, 0.3), 2000
FEW_REPEATS = 1000  # of table 6.3, in the fast version
SIZES = (5, 10, 20, 50, 100)
DRAWS = 400  # of sets, to see how far off an estimate is
GENERALLY = 0.9  # of the draws
NEAR_90, SOON = 0.03, 50  # of the nominal coverage, and from how many sets on
STRAIGHT = 0.99  # correlation of quantiles that is a line
MATTERS = 2.0  # points of coverage
AT_ONCE = 1_000_000  # numbers that are drawn at once


class Estimates(NamedTuple):
    """The stability of collections of sets and the standard errors as published, one for each collection."""

    values: Floats
    errors: Floats

    @classmethod
    def of(cls, sets: Bools) -> Estimates:
        """Of a stack of collections, each runs x features: what `confidence_interval` gives one by one."""
        M, d = sets.shape[-2:]
        chosen = sets.astype(np.float32)  # holds the counts exactly, up to 16 million
        counts = np.ones((1, M), dtype=np.float32) @ chosen
        shared = (chosen @ np.swapaxes(counts, -1, -2))[..., 0].astype(np.float64) / (M * d)
        k = (chosen @ np.ones((d, 1), dtype=np.float32))[..., 0].astype(np.float64) / d
        frequencies = counts[..., 0, :].astype(np.float64) / M
        mean = k.mean(axis=-1, keepdims=True)
        spread = (mean * (1 - mean))[..., 0]
        value = 1 - M / (M - 1) * (frequencies * (1 - frequencies)).mean(axis=-1) / spread
        terms = (shared - k * mean + value[..., None] / 2 * (2 * k * mean - k - mean + 1)) / spread[..., None]
        return cls(value, 2 / M * np.sqrt(((terms - terms.mean(axis=-1, keepdims=True)) ** 2).sum(axis=-1)))


def estimates(
    probabilities: Floats, n_runs: int, repeats: int, random: np.random.Generator, run: Run | None = None
) -> Estimates:
    """Those of so many collections of sets that are drawn with the probabilities, feature by feature."""
    step = max(1, AT_ONCE // (n_runs * len(probabilities)))
    parts = []
    for start in range(0, repeats, step):
        shape = (min(step, repeats - start), n_runs, len(probabilities))
        parts.append(Estimates.of(random.random(shape, dtype=np.float32) < probabilities))
        if run is not None and run.progress is not None:
            run.progress(start + shape[0], repeats)
    return Estimates(*(np.concatenate(part) for part in zip(*parts, strict=True)))


@item(PAPER, "figure-6.2", core=True, seconds=2)
def figure_6_2(run: Run) -> Iterator[Row]:
    """The estimate against the number of sets."""
    n_runs = run.published.given["most_runs"]
    sizes = np.unique(np.geomspace(2, n_runs, 60).astype(int))
    gaps: list[list[float]] = []
    for name, phi in CASES.items():
        sets = _drawn(probabilities_of(phi, 100), n_runs, np.random.default_rng((run.seed, len(gaps))))
        run.figure(plot.convergence(sets), f"figure-{name[-3:]}")
        gaps.append([abs(stability(sets.take(range(size))) - phi) for size in sizes])
    run.table(pd.DataFrame(np.transpose(gaps), index=pd.Index(sizes, name="sets"), columns=list(CASES)))
    off = {size: _off(run, size) for size in (2, 10, 100, n_runs)}
    run.note("Printed is M ≤ 10 and M ≤ 100; what follows is read as from 10 and from 100 sets on.")
    typical = [float(np.median(one)) for one in off.values()]
    told = ", ".join(f"{value:.4f} with {size} sets" for size, value in zip(off, typical, strict=True))
    yield run.claim("consistent", typical == sorted(typical, reverse=True), f"off by {told}, in the median")
    for name, size, most in (("five-percent", 10, 0.05), ("one-percent", 100, 0.01)):
        share, worst = float(np.mean(off[size] < most)), float(np.quantile(off[size], 0.95))
        told = f"{percent(share)} of the draws with {size} sets are; 95% are off by less than {worst:.3f}"
        if name == "five-percent":
            cutoff = f"generally: at least {percent(GENERALLY)} of the draws"
            yield run.claim(name, share >= GENERALLY, told, cutoff=cutoff, correction=f"For M ≥ {size}.")
        else:
            # The thesis describes one draw of each case and gives no rule: what most draws do cannot refute it.
            cutoff = "most draws, for one draw is shown; set after our numbers had been seen"
            yield run.claim(name, share > 0.5, told, cutoff=cutoff, weak=True)


@item(PAPER, "figure-6.3", seconds=15)
def figure_6_3(run: Run) -> Iterator[Row]:
    """Coverage of 90% intervals against the number of sets."""
    repeats = run.published.given["repeats"]
    found = {name: [_coverage(run, phi, 100, repeats, size)["90%"] for size in SIZES] for name, phi in CASES.items()}
    run.table(pd.DataFrame(found, index=pd.Index(SIZES, name="sets")))
    told = "; ".join(f"{name}: {', '.join(f'{100 * one:.1f}%' for one in shares)}" for name, shares in found.items())
    soon = [
        abs(share - 0.9) for shares in found.values() for size, share in zip(SIZES, shares, strict=True) if size >= SOON
    ]
    nearer = all(np.argmin(np.abs(np.array(shares) - 0.9)) == len(SIZES) - 1 for shares in found.values())
    yield run.claim(
        "approaches",
        max(soon) <= NEAR_90 and nearer,
        f"with {', '.join(map(str, SIZES))} sets {told}",
        cutoff=f"quickly: within {100 * NEAR_90:.0f} points of 90% from {SOON} sets on, and nearest with {SIZES[-1]}",
    )


@item(PAPER, "table-6.2", core=True, seconds=12)
def table_6_2(run: Run) -> Iterator[Row]:
    """Coverage with 100 features."""
    yield from _covered(run, run.published.given["repeats"])
    found = {
        (name, centre): _with_centre(run, phi, 100, OTHER_REPEATS, 100, centre)
        for name, phi in CASES.items()
        for centre in OTHER_CENTRES
    }
    other = pd.DataFrame(found).T.rename_axis(["case", "centre"])
    run.table(other, "other-curves")
    ends = ", ".join(f"{level}: {100 * other[level].min():.1f} to {100 * other[level].max():.1f}" for level in LEVELS)
    run.note(
        "The selection probabilities of the three cases are drawn, not stated (figure 6.1); ours fall along a logistic "
        f"curve with its centre at half of the features. With the centre at a tenth or three tenths: {ends}."
    )


@item(PAPER, "table-6.3", seconds=20, full_seconds=240)
def table_6_3(run: Run) -> Iterator[Row]:
    """Coverage with 10,000 features."""
    repeats = run.published.given["repeats"] if run.full else FEW_REPEATS
    yield from _covered(run, repeats)


@item(PAPER, "figure-6.4", seconds=5)
def figure_6_4(run: Run) -> Iterator[Row]:
    """The statistic of the test that two stabilities are equal."""
    given = run.published.given
    n_runs, repeats = given["n_runs"], given["repeats"]
    equal = _statistics(run, (0.8, 0.8), n_runs, repeats)
    quantiles, (slope, level, straight) = probplot(equal)
    run.table(pd.DataFrame({"normal": quantiles[0], "ours": quantiles[1]}))
    error = repeats**-0.5
    told = f"mean {level:.2f}, standard deviation {slope:.2f}, correlation of the quantiles {straight:.4f}"
    standard = abs(level) < 3 * error and abs(slope - 1) < 3 * error / 2**0.5 and straight > STRAIGHT
    cutoff = (
        f"mean 0 and standard deviation 1 within 3 standard errors ({error:.3f} and {error / 2**0.5:.3f}), "
        f"correlation of the quantiles above {STRAIGHT}"
    )
    yield run.claim("standard-normal", bool(standard), told, cutoff=cutoff)
    yield from _unequal(run, n_runs, repeats)


def _unequal(run: Run, n_runs: int, repeats: int) -> Iterator[Row]:
    """Which stabilities the right part compares is not stated; those that have its median tell the rest."""
    median = run.published.cell("Φ1 ≠ Φ2", "median")
    second = 0.8 + _shift(float(median.value), n_runs)
    found = _statistics(run, (0.8, second), n_runs, repeats)
    centre, spread = float(np.median(found)), float(found.std(ddof=1))
    straight = probplot(found)[1][2]
    told = f"correlation of the quantiles {straight:.4f}, median {centre:.1f}"
    yield run.claim(
        "normal-not-standard",
        bool(straight > STRAIGHT and abs(found.mean()) > 3 * spread / repeats**0.5),
        told,
        cutoff=f"normal: correlation of the quantiles above {STRAIGHT}; another mean: beyond 3 standard errors",
    )
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
    found = estimates(probabilities_of(0.8, 100), n_runs, 10, np.random.default_rng(0))
    return statistic * 2**0.5 * float(found.errors.mean())


def _statistics(run: Run, cases: tuple[float, float], n_runs: int, repeats: int) -> Floats:
    """The statistic of pairs of experiments, sorted."""
    random = np.random.default_rng((run.seed, 4))
    return np.sort(
        statistics_of(*(estimates(probabilities_of(phi, 100), n_runs, repeats, random, run) for phi in cases))
    )


def statistics_of(first: Estimates, second: Estimates) -> Floats:
    """The test statistic of theorem 7, of pairs of collections."""
    return np.asarray((second.values - first.values) / np.hypot(first.errors, second.errors))


def _covered(run: Run, repeats: int) -> Iterator[Row]:
    """The rows of a table of coverages, with the Monte Carlo errors of both sides.

    The probabilities are not stated. Where our curve gives another number and one with another centre gives the
    published one, they decide, and the cell is left open.
    """
    d, n_runs = run.published.given["n_features"], run.published.given["n_runs"]
    run.size({"repeats": (repeats, run.published.given["repeats"])})
    for name, phi in CASES.items():
        shares = run.kept(name[-3:], partial(_coverage, run, phi, d, repeats, n_runs))
        for column in LEVELS:
            cell = run.published.cell(name, column)
            ideal = LEVELS[column]
            error = 100 * (ideal * (1 - ideal)) ** 0.5
            errors = (error / repeats**0.5, error / run.published.given["repeats"] ** 0.5)
            row = _compared(run, cell, shares[column], *errors)
            if not row.verdict.agrees:
                other = {centre: _with_centre(run, phi, d, repeats, n_runs, centre)[column] for centre in OTHER_CENTRES}
                fitting = [share for share in other.values() if _compared(run, cell, share, *errors).verdict.agrees]
                if fitting:
                    told = ", ".join(
                        f"{100 * share:.2f} with its centre at {centre}" for centre, share in other.items()
                    )
                    row = run.not_stated(cell, ours=f"{row.ours} with our curve, {told}")
            yield row


def _compared(run: Run, cell: Cell, share: float, ours: float, theirs: float) -> Row:
    return run.row(cell, 100 * share, standard_error=ours, published_error=theirs, matters=MATTERS)


def _with_centre(run: Run, phi: float, d: int, repeats: int, n_runs: int, centre: float) -> dict[str, float]:
    compute = partial(_coverage, run, phi, d, repeats, n_runs, centre)
    found: dict[str, float] = run.kept(f"{phi}-{centre}-{repeats}", compute)
    return found


def _coverage(run: Run, phi: float, d: int, repeats: int, n_runs: int, centre: float = CENTRE) -> dict[str, float]:
    """In which share of the experiments the published intervals hold the true stability."""
    random = np.random.default_rng((run.seed, round(10 * phi), d, n_runs))
    found = estimates(probabilities_of(phi, d, centre), n_runs, repeats, random, run)
    distances = abs(found.values - phi) / found.errors
    return {name: float(np.mean(distances <= ndtri((1 + level) / 2))) for name, level in LEVELS.items()}


def _off(run: Run, size: int) -> Floats:
    """How far off the estimates from so many sets are, in all three cases."""
    random = np.random.default_rng((run.seed, size))
    cases = [(phi, estimates(probabilities_of(phi, 100), size, DRAWS, random)) for phi in CASES.values()]
    return np.concatenate([abs(found.values - phi) for phi, found in cases])


def probabilities_of(phi: float, d: int, centre: float = CENTRE) -> Floats:
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
