"""Coverage of the effects of listed features with default rankings: `python -m benchmarks.listed_effects`.

Features have known effects: members of a correlated pathway, and independent features. Adds draws to
listed_effects.json until each design has its number of them, then writes the table into docs/shortlist.md.
`python -m benchmarks.listed_effects page` only writes it. Members of a pathway err together, so few draws say little
about their coverage; the uncorrected intervals of all members, listed or not, need no list and have many draws.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

import steadyset as st
from benchmarks.coverage.report import table
from steadyset.inference.features import Directions, data_directions
from steadyset.shortlists.univariate import univariate
from steadyset.tasks import CLASSES, NUMBER

RESULTS = Path(__file__).with_suffix(".json")
PAGE = Path(__file__).parents[1] / "docs" / "shortlist.md"
BEGIN, END = "<!-- effects study -->", "<!-- end of the effects study -->"
FIRST = 100  # seeds below were used while the correction was chosen
DRAWS = {
    "two classes, independent": 11,
    "two classes": 18,
    "number, independent": 11,
    "number": 18,
    "three classes": 8,
    "four classes": 6,
    "times, independent": 4,
    "times": 4,
}
USUAL_DRAWS = 6
MANY_DRAWS = 500
WITH_ALL_MEMBERS = ("two classes", "number")
D = 200
N_MEMBERS = 20
KINDS = {"alone": "independent", "pathway": "pathway", "false": "no effect"}


class Draw(NamedTuple):
    """Data, target (None if the data contain it), true effects (or means of classes), kinds of features."""

    X: Any
    y: Any
    truth: Any
    kinds: Any


def kinds_of(alone: slice, members: slice) -> Any:
    """Return the kind of each feature."""
    kinds = np.full(D, "false", dtype=object)
    kinds[alone] = "alone"
    kinds[members] = "pathway"
    return kinds


NO_MEMBERS = slice(0, 0)
MEMBERS = slice(0, N_MEMBERS)
OTHERS = slice(N_MEMBERS, N_MEMBERS + 8)
SHIFTS = np.linspace(0.6, 1.5, 8)


def shifted(random: np.random.Generator, is_high: Any) -> tuple[Any, Any]:
    """Return features that are higher in some rows, members of a pathway and others, and the shifts."""
    X = random.normal(size=(len(is_high), D))
    factor = random.normal(size=len(is_high)) + 1.5 * is_high
    X[:, MEMBERS] = 0.8 * factor[:, None] + 0.6 * X[:, MEMBERS]
    X[:, OTHERS] += SHIFTS * is_high[:, None]
    truth = np.zeros(D)
    truth[MEMBERS] = 0.8 * 1.5
    truth[OTHERS] = SHIFTS
    return X, truth


def independent(random: np.random.Generator) -> Draw:
    """Return two classes that differ in 12 independent features by 0.5 to 1.6."""
    y = np.arange(80) % 2
    X = random.normal(size=(80, D))
    truth = np.zeros(D)
    truth[:12] = np.linspace(0.5, 1.6, 12)
    return Draw(X + y[:, None] * truth, y, truth, kinds_of(slice(0, 12), NO_MEMBERS))


def classes(random: np.random.Generator, n_classes: int = 2) -> Draw:
    """Return classes of which the second is higher."""
    y = np.arange(40 * n_classes if n_classes == 2 else 30 * n_classes) % n_classes
    X, truth = shifted(random, (y == 1) * 1.0)
    return Draw(X, y, truth, kinds_of(OTHERS, MEMBERS))


def covariate(random: np.random.Generator) -> Draw:
    """Return two classes that depend on age, as do half of the features."""
    age = random.normal(size=80)
    y = (age + random.normal(size=80) > 0).astype(int)
    X, truth = shifted(random, y * 1.0)
    X[:, 100:] += age[:, None]
    frame = pd.DataFrame(X, columns=[f"g{j}" for j in range(D)])
    frame["age"] = age
    return Draw(st.Data(frame, y, force=["age"]), None, truth, kinds_of(OTHERS, MEMBERS))


def strata(random: np.random.Generator) -> Draw:
    """Return two classes in three batches that differ in both."""
    batches = np.arange(81) // 27
    y = (random.random(81) < np.array([0.3, 0.5, 0.7])[batches]).astype(int)
    X, truth = shifted(random, y * 1.0)
    X += 2 * random.normal(size=(3, D))[batches]
    return Draw(st.Data(X, y, strata=batches), None, truth, kinds_of(OTHERS, MEMBERS))


def pairs(random: np.random.Generator) -> Draw:
    """Return 40 pairs of rows, one of each class."""
    groups = np.arange(80) // 2
    y = np.arange(80) % 2
    X, truth = shifted(random, y * 1.0)
    X += 2 * random.normal(size=(40, D))[groups]
    return Draw(st.Data(X, y, groups=groups), None, truth, kinds_of(OTHERS, MEMBERS))


def counts(random: np.random.Generator) -> Draw:
    """Return sparse counts (gamma-Poisson), of which 12 are higher in the second class."""
    y = np.arange(80) % 2
    means = np.full(D, 0.5)
    ratios = np.ones(D)
    ratios[:12] = np.linspace(3, 8, 12)
    rates = means * np.where(y[:, None] == 1, ratios, 1.0)
    shape = 0.5
    X = random.poisson(rates * random.gamma(shape, 1 / shape, size=(80, D))).astype(float)
    variances = [mean + mean**2 / shape for mean in (means, means * ratios)]
    truth = means * (ratios - 1) / np.sqrt(np.mean(variances, axis=0))
    return Draw(X, y, truth, kinds_of(slice(0, 12), NO_MEMBERS))


def number(random: np.random.Generator) -> Draw:
    """Return a number and 12 independent features with correlations of 0.25 to 0.7."""
    y = random.normal(size=80)
    truth = np.zeros(D)
    truth[:12] = np.linspace(0.25, 0.7, 12)
    slopes = truth / np.sqrt(1 - truth**2)
    X = random.normal(size=(80, D)) + y[:, None] * slopes
    return Draw(X, y, truth, kinds_of(slice(0, 12), NO_MEMBERS))


def number_and_pathway(random: np.random.Generator) -> Draw:
    """Return a number, members of a pathway and 8 independent features."""
    y = random.normal(size=80)
    X = random.normal(size=(80, D))
    factor = random.normal(size=80) + 0.7 * y
    X[:, MEMBERS] = 0.8 * factor[:, None] + 0.6 * X[:, MEMBERS]
    slopes = np.linspace(0.3, 0.8, 8)
    X[:, OTHERS] += y[:, None] * slopes
    truth = np.zeros(D)
    truth[MEMBERS] = 0.8 * 0.7 / np.sqrt(1 + (0.8 * 0.7) ** 2)
    truth[OTHERS] = slopes / np.sqrt(1 + slopes**2)
    return Draw(X, y, truth, kinds_of(OTHERS, MEMBERS))


def times(random: np.random.Generator) -> Draw:
    """Return times to an event that depend on one feature."""
    X = random.normal(size=(120, D))
    truth = np.ones(D)
    truth[0] = np.exp(0.7)
    return Draw(X, followed(0.7 * X[:, 0], random), truth, kinds_of(slice(0, 1), NO_MEMBERS))


def times_and_pathway(random: np.random.Generator) -> Draw:
    """Return times to an event that depend on the factor of a pathway."""
    X = random.normal(size=(120, D))
    factor = random.normal(size=120)
    X[:, MEMBERS] = 0.9 * factor[:, None] + np.sqrt(0.19) * X[:, MEMBERS]
    truth = np.ones(D)
    truth[MEMBERS] = ratio_of_members()
    return Draw(X, followed(0.8 * factor, random), truth, kinds_of(NO_MEMBERS, MEMBERS))


def followed(hazards: Any, random: np.random.Generator) -> Any:
    """Return times to an event, some censored."""
    time = random.exponential(size=len(hazards)) * np.exp(-hazards)
    end = random.exponential(size=len(hazards)) * 1.5
    return st.Survival(np.minimum(time, end), time <= end)


@cache
def ratio_of_members() -> float:
    """Return the hazard ratio of a member of the pathway, in a large sample."""
    random = np.random.default_rng(1)
    factor = random.normal(size=6000)
    member = 0.9 * factor + np.sqrt(0.19) * random.normal(size=6000)
    model = st.CoxModel(penalty=0.0, ties="efron")
    model.fit(member[:, None] / member.std(), followed(0.8 * factor, random))
    return float(np.exp(model.coef_[0]))


def three_classes(random: np.random.Generator) -> Draw:
    """Return three classes."""
    return classes(random, 3)


def four_classes(random: np.random.Generator) -> Draw:
    """Return four classes."""
    return classes(random, 4)


STEPS = np.array([0.0, 0.7, 1.5])  # of the means of three classes
SIZES = (20, 30, 40)


def steps(random: np.random.Generator) -> Draw:
    """Return three classes of unequal sizes; the means of 14 features rise from class to class, in any order."""
    y = np.repeat(np.arange(3), SIZES)
    X = random.normal(size=(len(y), D))
    means = np.zeros((D, 3))
    for feature in range(14):
        means[feature] = random.permutation(STEPS) * random.choice([-1, 1])
    return Draw(X + means.T[y], y, means, kinds_of(slice(0, 14), NO_MEMBERS))


def of_steps(means: Any, direction: str) -> float:
    """Return the difference of the class that is shown from the others, in standard deviations, along the direction."""
    sign = 1 if direction.startswith("highest") else -1
    shown = int(direction[-1])
    sizes = np.delete(SIZES, shown)
    others = np.delete(means, shown)
    center = np.average(others, weights=sizes)
    # The means of the other classes add to the spread around their mean.
    between = (sizes * (others - center) ** 2).sum() / sum(SIZES)
    return float(sign * (means[shown] - center) / np.sqrt(1 + between))


DESIGNS: dict[str, Callable[[np.random.Generator], Draw]] = {
    "two classes, independent": independent,
    "two classes": classes,
    "two classes, covariate": covariate,
    "two classes, strata": strata,
    "two classes, pairs": pairs,
    "two classes, sparse counts": counts,
    "three classes": three_classes,
    "four classes": four_classes,
    "number, independent": number,
    "number": number_and_pathway,
    "times, independent": times,
    "times": times_and_pathway,
    "three unequal classes in steps": steps,
}


def drawn(design: str, seed: int) -> Draw:
    """Return the data of a design."""
    return DESIGNS[design](np.random.default_rng([seed, list(DESIGNS).index(design), 2026]))


def along(truth: Any, direction: str, design: str) -> float:
    """Return the true effect along the direction that is shown; hazard ratios have none."""
    if design.startswith("times"):
        return float(truth)
    if design == "three unequal classes in steps":
        return of_steps(truth, direction)
    if design in ("three classes", "four classes"):
        return of_class(truth, direction, 3 if design == "three classes" else 4)
    is_opposite = direction == "higher in 0" or direction.startswith("falls")
    return -truth if is_opposite else truth


def of_class(truth: float, direction: str, n_classes: int) -> float:
    """Return the difference of one class from all others, if the second class is higher by the truth."""
    sign = 1 if direction.startswith("highest") else -1
    if direction.endswith(" 1"):
        return sign * truth
    # Among the others is the second class: it is part of their mean and adds to their spread.
    n_others = n_classes - 1
    between = truth**2 * (1 / n_others) * (1 - 1 / n_others) * n_others / n_classes
    return -sign * truth / n_others / float(np.sqrt(1 + between))


def measure(design: str, seed: int) -> list[list[Any]]:
    """Return a row per listed feature: kind, corrected, covered, truth, effect and uncorrected effect."""
    draw = drawn(design, seed)
    found = st.shortlist(draw.X, draw.y, outer=0, n_jobs=1, random_state=seed).features
    rows = []
    for one in found.query("tier == 'listed'").itertuples():
        feature = int(one.feature[1:])
        truth = along(draw.truth[feature], one.direction, design)
        is_covered = bool(one.effect_low <= truth <= one.effect_high)
        numbers = [round(float(number), 4) for number in (truth, one.effect, one.uncorrected_effect)]
        rows.append([str(draw.kinds[feature]), bool(one.corrected), is_covered, *numbers])
    return rows


def all_members(design: str) -> list[list[Any]]:
    """Return a row per member of the pathway and draw, listed or not: seed, covered, truth and uncorrected effect."""
    rows = []
    for seed in range(FIRST, FIRST + MANY_DRAWS):
        draw = drawn(design, seed)
        members = np.flatnonzero(draw.kinds == "pathway")
        X = draw.X[:, members]
        task = NUMBER if design == "number" else CLASSES
        codes = data_directions(X, draw.y, task)
        alone = univariate(X, draw.y, task, codes, np.zeros(len(X), np.int64), None)
        words = Directions.of(X, draw.y, task).words(np.arange(len(members)))
        for i, member in enumerate(members):
            truth = along(float(draw.truth[member]), words[i], design)
            is_covered = bool(alone.low[i] <= truth <= alone.high[i])
            rows.append([seed, is_covered, truth, alone.effect[i]])
    return rows


def row_of_all_members(design: str) -> list[Any]:
    """Return the row of the table on all members of the pathway of a design."""
    every = pd.DataFrame(all_members(design), columns=["seed", "covered", "truth", "plain"])
    means = [f"{every['truth'].mean():.2f}", "", f"{every['plain'].mean():.2f}"]
    return [design, MANY_DRAWS, "all of the pathway", "no", len(every), coverage(every), *means]


def coverage(part: pd.DataFrame) -> str:
    """Return the percentage of covered effects with its standard error over draws."""
    draws = part.groupby("seed")["covered"].agg(["sum", "size"])
    share = draws["sum"].sum() / draws["size"].sum()
    if len(draws) < 2:
        return f"{100 * share:.0f}%"
    # Features of one draw err together: a draw is the unit.
    beyond = draws["sum"] - share * draws["size"]
    error = np.sqrt((beyond**2).sum() * len(draws) / (len(draws) - 1)) / draws["size"].sum()
    return f"{100 * share:.0f}% ({100 * error:.0f})"


def shown(results: dict[str, Any]) -> list[list[Any]]:
    """Return the rows of the table: design, draws, kind, corrected, number, coverage and means."""
    rows = []
    for design, draws in results.items():
        every = pd.DataFrame(
            [[seed, *row] for seed, several in draws.items() for row in several],
            columns=["seed", "kind", "corrected", "covered", "truth", "effect", "plain"],
        )
        for kind, words in KINDS.items():
            for corrected in (True, False):
                part = every[(every["kind"] == kind) & (every["corrected"] == corrected)]
                if len(part):
                    means = [f"{part[name].mean():.2f}" for name in ("truth", "effect", "plain")]
                    label = "yes" if corrected else "no"
                    rows.append([design, len(draws), words, label, len(part), coverage(part), *means])
        if design in WITH_ALL_MEMBERS:
            rows.append(row_of_all_members(design))
    return rows


def write_page(results: dict[str, Any]) -> None:
    """Write the table into the page."""
    heading = ["target", "draws", "feature", "corrected", "number", "covered", "truth", "effect", "uncorrected"]
    before, rest = PAGE.read_text(encoding="utf-8").split(BEGIN)
    made = table(heading, shown(results))
    PAGE.write_text(f"{before}{BEGIN}\n\n{made}\n\n{END}{rest.split(END, 1)[1]}", encoding="utf-8")


def main(what: str = "") -> None:
    """Measure what is missing and write the page."""
    results = json.loads(RESULTS.read_text()) if RESULTS.exists() else {}
    for design in DESIGNS if not what else ():
        draws = results.setdefault(design, {})
        for seed in range(FIRST, FIRST + DRAWS.get(design, USUAL_DRAWS)):
            if str(seed) not in draws:
                draws[str(seed)] = measure(design, seed)
                save(results)
    write_page(results)


def save(results: dict[str, Any]) -> None:
    """Write one line per draw."""
    cells = []
    for design, draws in results.items():
        lines = (f"  {json.dumps(seed)}: {json.dumps(rows)}" for seed, rows in draws.items())
        cells.append(f"{json.dumps(design)}: {{\n" + ",\n".join(lines) + "\n }")
    RESULTS.write_text("{\n " + ",\n ".join(cells) + "\n}\n", encoding="utf-8")


if __name__ == "__main__":
    main(*sys.argv[1:])
