"""Hamer and Dupont 2021, sections 4 and 5: two limit cases with a group of q copies (table 1), and the worked example.

The paper lets the number d of features go to infinity. Here values at d and 2d are extrapolated, which leaves terms of
the order (q / d)².
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from math import sqrt
from typing import TYPE_CHECKING, Any

import numpy as np
from scipy import sparse

from steadyset.measures import shared_importance, stability
from steadyset.plots import importance_flow
from steadyset.reproduction import Row, Run, item
from steadyset.reproduction.papers.hamer_dupont_2021_measures import MEASURES, PAPER, measured
from steadyset.selections import Selections
from steadyset.similarity import FeatureSimilarity

if TYPE_CHECKING:
    from steadyset.kernels.arrays import Floats

D = 40_000
LEFT = 1e-5  # more than what the extrapolation leaves for the q of the paper
LARGE = (64, 128, 256)
FORMULAS: dict[tuple[int, str], Callable[[int], float]] = {
    (1, "phi_S"): lambda q: (q + 1) / (q + 3),
    (1, "phi"): lambda q: (q + 1) / (q + 3),
    (1, "phi_pears"): lambda q: (q + 1) / (3 * q + 1),
    (1, "POGR"): lambda q: (q + 1) / (q + 3),
    (2, "phi_S"): lambda q: 1 - (q**2 - 2 * q + 5) / (q + 7),
    (2, "phi"): lambda q: 1 - (q + 3) / (q + 7),
    (2, "phi_pears"): lambda q: (1 / (4 * q) + 1 / 4) / sqrt(1 / (4 * q) + 3 / 4),
    (2, "POGR"): lambda q: (1 / 2 + (q + 1) / (q + 3)) / 2,
}


@item(PAPER, "table-1", core=True, seconds=5)
def limit_cases(run: Run) -> Iterator[Row]:
    """The measures of two runs that share half of their importance, whatever the size of a group of copies."""
    sizes = run.published.given["q"]
    values = {(s, q): _values(s, q) for s in (1, 2) for q in (*sizes, *LARGE)}
    run.note(f"The number of features goes to infinity: extrapolated from d = {D:,} and {2 * D:,}.")
    for (scenario, measure), formula in FORMULAS.items():
        along = {q: values[scenario, q][measure] for q in (*sizes, *LARGE)}
        name = f"scenario {scenario}, {measure}"
        yield run.row(run.published.cell(name, "q = 1"), along[1])
        yield run.row(run.published.cell(name, "q → ∞"), _limit(along))
        apart = max(abs(along[q] - formula(q)) for q in sizes)
        yield run.claim(
            f"formula-{scenario}-{measure}", apart < LEFT, f"at most {apart:.1g} apart for q = {_listed(sizes)}"
        )
    for scenario in (1, 2):
        found = [values[scenario, q]["phi_msi"] for q in (*sizes, *LARGE)]
        if scenario == 1:
            found += [_values(1, q, uneven=True)["phi_msi"] for q in sizes]
        apart = max(abs(value - 0.5) for value in found)
        yield run.claim(
            f"msi-{scenario}", apart < LEFT, f"at most {apart:.1g} from 1/2 for q = {_listed((*sizes, *LARGE))}"
        )


@item(PAPER, "figure-3", core=True, seconds=1)
def worked_example(run: Run) -> Iterator[Row]:
    """What two runs with four features each share."""
    names = [str(f) for f in range(1, 8)]
    runs = Selections.from_weights([[1.3, 0.7, 1.2, 0.8, 0, 0, 0], [0, 0.7, 0, 0, 0.7, 1.4, 1.2]], features=names)
    alike = np.eye(7)
    for f, g, s in ((1, 6, 0.8), (1, 5, 0.6), (3, 6, 0.4)):
        alike[f - 1, g - 1] = alike[g - 1, f - 1] = s
    similar = FeatureSimilarity.from_matrix(alike, features=names)
    flows = shared_importance(runs, 0, 1, similar).set_index(["feature_i", "feature_j"])["amount"]
    run.figure(importance_flow(runs, similar))
    yield run.row(run.published.cell("S(i, j)", ""), stability(runs, "msi", similarity=similar))
    for pair in (("1", "5"), ("1", "6"), ("3", "6")):
        yield run.row(run.published.cell(f"x({', '.join(pair)})", ""), float(flows[pair]))


def _values(scenario: int, q: int, *, uneven: bool = False) -> dict[str, float]:
    """The measures as d goes to infinity."""
    near, far = (_values_at(scenario, q, d, uneven) for d in (D, 2 * D))
    return {name: 2 * far[name] - near[name] for name in MEASURES}


def _values_at(scenario: int, q: int, d: int, uneven: bool) -> dict[str, float]:
    runs = _two_runs(scenario, q, d, uneven)
    similar = FeatureSimilarity.from_groups([list(range(q))], n_features=d)
    return measured(runs, similar)


def _two_runs(scenario: int, q: int, d: int, uneven: bool) -> Selections:
    """A quarter of the importance for the group, a quarter for a common feature, and two quarters that differ.

    In the second scenario the first run selects a single feature of the group.
    """
    even: Floats = np.full(q, 1 / q)
    rising = np.arange(1.0, q + 1) / (q * (q + 1) / 2)
    first = np.eye(1, q)[0] if scenario == 2 else rising if uneven else even
    weights: Any = sparse.lil_array((2, d))
    for i, group in enumerate((first, rising[::-1] if uneven else even)):
        weights[i, :q] = group
        weights[i, [q, q + 1 + 2 * i, q + 2 + 2 * i]] = 1.0
    return Selections.from_weights(weights.tocsr())


def _limit(along: dict[int, float]) -> float | str:
    """What the values tend to as q doubles: without their terms in 1/q and 1/q², or -∞ where they fall like -q."""
    first, second, third = (along[q] for q in LARGE)
    if third < 1.9 * second < 0:
        return "-∞"
    return (8 * third - 6 * second + first) / 3


def _listed(sizes: Any) -> str:
    return ", ".join(map(str, sizes))
