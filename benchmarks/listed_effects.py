"""Coverage of the effects of listed features under the default settings: `python -m benchmarks.listed_effects`.

Features have known effects: members of a correlated pathway, and features on their own. Adds draws to
listed_effects.json until each design has DRAWS of them, then writes the table into docs/shortlist.md.
`python -m benchmarks.listed_effects page` only writes it.
"""

from __future__ import annotations

import json
import sys
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

import steadyset as st
from benchmarks.coverage.report import table

RESULTS = Path(__file__).with_suffix(".json")
PAGE = Path(__file__).parents[1] / "docs" / "shortlist.md"
BEGIN, END = "<!-- effects study -->", "<!-- end of the effects study -->"
DRAWS = 8
D = 400
PATHWAY = 0.75 * 1.8 / np.hypot(0.75, 0.66)  # the standardized effect of a member


class Draw(NamedTuple):
    """Data, target (or None if the data have it), true effects and kinds of the features."""

    X: Any
    y: Any
    truth: Any
    kinds: Any


def drawn(design: str, seed: int) -> Draw:
    """Return the data of a design."""
    random = np.random.default_rng([seed, 77])
    if design.startswith("times"):
        return times(design, seed, random)
    if design == "number":
        return number(random)
    if design == "alone":
        return alone(random)
    return pathway(design, random)


def pathway(design: str, random: np.random.Generator) -> Draw:
    """Return 60 members of a pathway and 6 features on their own, higher in the second class."""
    n = 120 if design == "four classes" else 80
    X = random.normal(size=(80, D))
    strata = np.arange(n) // 27
    age = np.zeros(n)
    y = np.arange(n) % 2
    if design == "four classes":
        X = random.normal(size=(n, D))
        y = np.arange(n) % 4
    elif design == "covariate":
        age = random.normal(size=n)
        y = (age + random.normal(size=n) > 0).astype(int)
    elif design == "strata":
        y = (random.random(n) < np.array([0.3, 0.5, 0.7])[strata]).astype(int)
    is_second = (y == 1) * 1.0
    factor = random.normal(size=n) + 1.8 * is_second
    X[:, :60] = 0.75 * factor[:, None] + 0.66 * X[:, :60]
    X[:, 60:66] += is_second[:, None]
    truth = np.zeros(D)
    truth[:60] = PATHWAY
    truth[60:66] = 1.0
    kinds = np.array(["pathway"] * 60 + ["alone"] * 6 + ["false"] * (D - 66))
    if design == "covariate":
        X[:, 100:300] += age[:, None]
        frame = pd.DataFrame(X, columns=[f"g{j}" for j in range(D)])
        frame["age"] = age
        return Draw(st.Data(frame, y, force=["age"]), None, truth, kinds)
    if design == "strata":
        X += 2 * random.normal(size=(3, D))[strata]
        return Draw(st.Data(X, y, strata=strata), None, truth, kinds)
    return Draw(X, y, truth, kinds)


def alone(random: np.random.Generator) -> Draw:
    """Return 12 features on their own with effects from 0.5 to 1.6."""
    n = 80
    X = random.normal(size=(n, D))
    y = np.arange(n) % 2
    truth = np.zeros(D)
    truth[:12] = np.linspace(0.5, 1.6, 12)
    X += y[:, None] * truth
    return Draw(X, y, truth, np.array(["alone"] * 12 + ["false"] * (D - 12)))


def number(random: np.random.Generator) -> Draw:
    """Return 40 members of a pathway and 12 features on their own, correlated with a number."""
    n = 80
    X = random.normal(size=(n, D))
    y = random.normal(size=n)
    slopes = np.zeros(D)
    slopes[:12] = np.linspace(0.3, 0.9, 12)
    X += y[:, None] * slopes
    factor = random.normal(size=n) + y
    X[:, 20:60] = 0.7 * factor[:, None] + 0.7 * X[:, 20:60]
    truth = slopes / np.sqrt(1 + slopes**2)
    truth[20:60] = 0.7 / np.sqrt(0.98 + 0.49)
    kinds = np.array(["false"] * D, dtype=object)
    kinds[:12] = "alone"
    kinds[20:60] = "pathway"
    return Draw(X, y, truth, kinds)


def times(design: str, seed: int, random: np.random.Generator) -> Draw:
    """Return a feature on its own (even seeds) or 20 members of a pathway that change the hazard."""
    random.normal(size=(80, D))
    n = 120
    X = random.normal(size=(n, D))
    factor = random.normal(size=n)
    X[:, 10:30] = 0.9 * factor[:, None] + np.sqrt(0.19) * X[:, 10:30]
    age = random.normal(size=n)
    y, strata = followed(design, 0.8 * (factor if seed % 2 else X[:, 0]), age, random, 1.5)
    truth = np.ones(D)
    kinds = np.array(["false"] * D, dtype=object)
    if seed % 2:
        truth[10:30] = pathway_ratio(design)
        kinds[10:30] = "pathway"
    else:
        truth[0] = np.exp(0.8)
        kinds[0] = "alone"
    if design == "times, strata":
        return Draw(st.Data(X, y, strata=strata), None, truth, kinds)
    if design == "times, covariate":
        frame = pd.DataFrame(X, columns=[f"g{j}" for j in range(D)])
        frame["age"] = age
        return Draw(st.Data(frame, y, force=["age"]), None, truth, kinds)
    return Draw(X, y, truth, kinds)


def followed(design: str, hazards: Any, age: Any, random: np.random.Generator, until: float) -> tuple[Any, Any]:
    """Return times to an event, some censored, and the strata of the rows."""
    strata = np.arange(len(hazards)) % 3
    if design == "times, strata":
        hazards = hazards + np.log([0.3, 1, 3])[strata]
    if design == "times, covariate":
        hazards = hazards + age
    time = random.exponential(size=len(hazards)) * np.exp(-hazards)
    end = random.exponential(size=len(hazards)) * until
    return st.Survival(np.minimum(time, end), time <= end), strata


@cache
def pathway_ratio(design: str) -> float:
    """Return the hazard ratio of a member of the pathway, in a large sample."""
    random = np.random.default_rng(1)
    n = 6000
    factor = random.normal(size=n)
    member = 0.9 * factor + np.sqrt(0.19) * random.normal(size=n)
    age = random.normal(size=n)
    y, strata = followed(design, 0.8 * factor, age, random, 1.5)
    columns = np.column_stack([member, age]) if design == "times, covariate" else member[:, None]
    model = st.CoxModel(penalty=0.0, ties="efron")
    model.fit(columns, y, strata=strata if design == "times, strata" else None)
    return float(np.exp(model.coef_[0]))


DESIGNS = {
    "alone": "two classes, no pathway",
    "pathway": "two classes",
    "number": "number",
    "covariate": "two classes, covariate",
    "strata": "two classes, strata",
    "four classes": "four classes",
    "times": "times",
    "times, strata": "times, strata",
    "times, covariate": "times, covariate",
}


def measure(design: str, seed: int) -> list[list[Any]]:
    """Return a row per listed feature: kind, corrected, covered, truth, effect and uncorrected effect."""
    draw = drawn(design, seed)
    found = st.shortlist(draw.X, draw.y, outer=0, n_jobs=1, random_state=seed).features
    rows = []
    for one in found.query("tier == 'listed'").itertuples():
        feature = int(one.feature[1:])
        truth = float(draw.truth[feature])
        is_covered = bool(one.effect_low <= truth <= one.effect_high)
        numbers = [round(number, 4) for number in (truth, one.effect, one.uncorrected_effect)]
        rows.append([str(draw.kinds[feature]), bool(one.corrected), is_covered, *numbers])
    return rows


def shown(results: dict[str, Any]) -> list[list[Any]]:
    """Return the rows of the table: design, kind, corrected, draws, features, coverage and means."""
    rows = []
    for design, words in DESIGNS.items():
        draws = results.get(design, {})
        every = pd.DataFrame(
            [[seed, *row] for seed, several in draws.items() for row in several],
            columns=["seed", "kind", "corrected", "covered", "truth", "effect", "plain"],
        )
        for kind in ("alone", "pathway", "false"):
            for corrected in (True, False):
                part = every[(every["kind"] == kind) & (every["corrected"] == corrected)]
                if len(part):
                    means = [f"{part[name].mean():.2f}" for name in ("truth", "effect", "plain")]
                    covered = f"{100 * part['covered'].mean():.0f}%"
                    label = "yes" if corrected else "no"
                    rows.append([words, len(draws), kind, label, len(part), covered, *means])
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
        for seed in range(len(draws), DRAWS):
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
