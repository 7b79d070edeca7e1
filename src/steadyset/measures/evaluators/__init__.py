"""How each family of measures is computed; a family is an entry here.

EVALUATORS turn Selections and the measures of one family into Estimates, together where they can share work.
PAIR_SCORES give the M x M scores of the families that are means over pairs, which intervals and tests start from.
Families that need numba from the start are imported when they are used, so that small tables need not wait for it.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from importlib import import_module
from typing import Any

import numpy as np
import numpy.typing as npt

from steadyset.measures.evaluators import frequency, pairwise, patterns, rows
from steadyset.measures.options import Estimate, Options
from steadyset.measures.record import Measure
from steadyset.selections import Selections


def _when_called(module: str, name: str) -> Callable[..., Any]:
    """A function of an evaluator that is imported with the first call."""
    return lambda *arguments: getattr(import_module(f"{__name__}.{module}"), name)(*arguments)


EVALUATORS: dict[str, Callable[[Selections, Sequence[Measure], Options], list[Estimate]]] = {
    "pairwise": pairwise.evaluate,
    "frequency": frequency.evaluate,
    "patterns": patterns.evaluate,
    "effective": _when_called("effective", "evaluate"),
    "adjusted": _when_called("adjusted", "evaluate"),
    "weights": rows.evaluate,
    "rankings": rows.evaluate,
}

PAIR_SCORES: dict[str, Callable[[Selections, Measure, Options], npt.NDArray[np.float64]]] = {
    "pairwise": pairwise.pair_scores,
    "adjusted": _when_called("adjusted", "pair_scores"),
    "weights": rows.pair_scores,
    "rankings": rows.pair_scores,
}
