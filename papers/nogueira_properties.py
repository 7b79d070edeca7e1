"""Nogueira (2018), chapter 4: the properties of measures, and two figures that show what it means to lack one."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np

from papers.framework import Cell, Row, Run, item
from papers.framework.arrays import Floats
from papers.framework.curves import curves
from papers.framework.property_tables import YES, certificate, property_row, property_rows
from papers.framework.text import number, span
from steadyset import Selections, null_expectation, stability

if TYPE_CHECKING:
    import pandas as pd

PAPER = "nogueira-2018"
MEASURES = {
    "Hamming": "hamming",
    "Jaccard": "jaccard",
    "Dice": "dice",
    "Ochiai": "ochiai",
    "POG": "pog",
    "Kuncheva": "kuncheva",
    "Lustgarten": "lustgarten",
    "Wald": "wald",
    "nPOG": "npog",
    "Goh": "goh",
    "Davis": "davis",
    "Křížek": "krizek",
    "Guzmán": "guzman",
    "CW_rel": "somol",
    "Lausser": "lausser",
}
MONOTONE, PAIR_BY_PAIR = "monotone_in_total", "monotone"
PROPERTIES = {
    "fully defined": "fully_defined",
    "monotonicity": MONOTONE,
    "bounds": "bounded",
    "maximum": "maximum",
    "correction": "corrected",
}
OF_IDENTICAL_SETS = ("Jaccard", "Kuncheva", "Lustgarten", "Wald", "CW_rel")  # in figure 4.1
OF_RANDOM_SETS = ("Hamming", "POG", "Jaccard", "Dice", "Kuncheva")  # in figure 4.2
COLLECTIONS = 40  # of random sets, which give the standard deviation of one
MANY_RUNS = (10, 100, 1_000, 10_000)


@item(PAPER, "figure-4.1", core=True)
def figure_4_1(run: Run) -> Iterator[Row]:
    """Half of the runs select k features and half one less; then all select the same k."""
    import pandas as pd

    d, runs = run.published.given["n_features"], run.published.given["n_runs"]
    several = {name: MEASURES[name] for name in OF_IDENTICAL_SETS}
    shorter = _along(range(2, d), lambda k: _nested(runs, d, k), several).dropna()  # Kuncheva's needs equal sizes
    identical = _along(range(1, d), lambda k: _of_size(runs, d, k), several)
    left, right = shorter.assign(sets="one feature less in half of them"), identical.assign(sets="identical")
    run.figure(curves(pd.concat([left, right]), "k", "stability", series="measure", panel="sets"))
    for name, claim in (("Wald", "wald-stays-at-1"), ("CW_rel", "cw-rel-stays-at-1")):
        values = _of(shorter, name)
        yield run.claim(claim, bool(np.allclose(values, 1.0)), f"{_ends(values)} for k from 2 to {d - 1}")
    lustgarten = _of(identical, "Lustgarten")
    yield run.claim("lustgarten-varies", bool(np.ptp(lustgarten) > 0), f"{_ends(lustgarten)} for k from 1 to {d - 1}")


@item(PAPER, "figure-4.2", core=True)
def figure_4_2(run: Run) -> Iterator[Row]:
    """Every run selects k of 10 features at random; the figure shows one collection, and so has its error."""
    import pandas as pd

    d, runs = run.published.given["n_features"], run.published.given["n_runs"]
    random = np.random.default_rng(run.seed)
    sizes = range(1, d)
    drawn = {
        name: np.array([[stability(_random_sets(random, runs, d, k), name) for _ in range(COLLECTIONS)] for k in sizes])
        for name in (MEASURES[one] for one in OF_RANDOM_SETS)
    }
    frame = pd.DataFrame(
        [
            {"k": k, "stability": float(drawn[MEASURES[name]][k - 1].mean()), "measure": name}
            for name in OF_RANDOM_SETS
            for k in sizes
        ]
    )
    run.figure(curves(frame, "k", "stability", series="measure"))
    dice, kuncheva = drawn["dice"], drawn["kuncheva"]
    yield run.row(
        run.published.cell("k = 9", "Dice"),
        float(dice[-1].mean()),
        standard_error=float(dice[-1].std(ddof=1)) / COLLECTIONS**0.5,
        published_error=float(dice[-1].std(ddof=1)),
        matters=0.05,
    )
    means = dice.mean(axis=1)
    yield run.claim("dice-increases", bool((np.diff(means) > 0).all()), f"{_ends(means)} for k from 1 to {d - 1}")
    mean, error = kuncheva.mean(axis=1), kuncheva.std(axis=1, ddof=1) / COLLECTIONS**0.5
    worst = int(np.argmax(abs(mean) / error))
    yield run.claim(
        "kuncheva-near-0",
        bool((abs(mean) <= 4 * error).all()),
        f"within 4 standard errors for every k; the farthest is {number(mean[worst], 4)} ({number(error[worst], 4)})",
    )
    spans = {name: np.ptp(drawn[MEASURES[name]].mean(axis=1)) for name in OF_RANDOM_SETS if name != "Kuncheva"}
    ours = ", ".join(f"{name}: {number(width)}" for name, width in spans.items())
    errors = max(drawn[MEASURES[name]].std(axis=1).max() for name in spans) / COLLECTIONS**0.5
    yield run.claim("uncorrected-depend-on-size", min(spans.values()) > 4 * errors, f"range of the means, {ours}")


@item(PAPER, "table-4.1", core=True, seconds=5)
def table_4_1(run: Run) -> Iterator[Row]:
    """Properties; those of Davis's measure without and with its penalty."""
    davis = run.published.cell("Davis", "maximum")
    correction = "With alpha = 1."
    penalised = property_row(run, davis, certificate("davis", alpha=1.0).properties["maximum"], correction)
    yield from properties_of(run, MEASURES, PROPERTIES, {davis: penalised})
    values = [null_expectation(_of_size(runs, 10, 3), "somol").value for runs in MANY_RUNS]
    falls = all(later < before for before, later in pairwise(values))
    ours = ", ".join(f"M = {runs:,}: {number(value, 4)}" for runs, value in zip(MANY_RUNS, values, strict=True))
    yield run.claim(
        "cw-rel-asymptotically-corrected", falls and values[-1] < 2 / MANY_RUNS[-1], f"{ours} (d = 10, k = 3)"
    )


def properties_of(
    run: Run, measures: Mapping[str, str], properties: Mapping[str, str], made: Mapping[Cell, Row] | None = None
) -> Iterator[Row]:
    """The rows of a table of properties.

    The thesis asks for a function of the variances of the selection of each feature, hence of the sum of what all
    pairs share (theorem 2); a measure that is monotone pair by pair alone is so with a correction.
    """
    rows = dict(made or {})
    for cell in run.published.cells:
        if cell.column != "monotonicity" or cell.value != YES:
            continue
        decided = certificate(measures[cell.row]).properties
        if not decided[MONOTONE].holds and decided[PAIR_BY_PAIR].holds:
            rows[cell] = run.row(cell, YES, correction=f"{decided[MONOTONE]}")
    yield from property_rows(run, measures, properties, rows)


def _along(sizes: range, collection: Callable[[int], Selections], measures: Mapping[str, str]) -> pd.DataFrame:
    """The stability of the collection of every size, by every measure."""
    import pandas as pd

    rows = [
        {"k": k, "stability": stability(collection(k), measure), "measure": name}
        for name, measure in measures.items()
        for k in sizes
    ]
    return pd.DataFrame(rows)


def _nested(runs: int, d: int, k: int) -> Selections:
    """Half of the runs select the first k features, half the first k - 1."""
    return Selections.from_sets([range(k)] * (runs // 2) + [range(k - 1)] * (runs // 2), n_features=d)


def _of_size(runs: int, d: int, k: int) -> Selections:
    return Selections.from_sets([range(k)] * runs, n_features=d)


def _random_sets(random: np.random.Generator, runs: int, d: int, k: int) -> Selections:
    return Selections.from_matrix(random.permuted(np.tile(np.arange(d) < k, (runs, 1)), axis=1))


def _of(frame: pd.DataFrame, measure: str) -> Floats:
    return frame.loc[frame["measure"] == measure, "stability"].to_numpy()


def _ends(values: Floats) -> str:
    low, high = float(values.min()), float(values.max())
    return number(low) if number(low) == number(high) else span(low, high)
