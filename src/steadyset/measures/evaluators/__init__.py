"""How each family of measures is computed; a family is an entry here.

EVALUATORS turn Selections and the measures of one family into Estimates, together where they can share work.
PAIR_SCORES give the M x M scores of the families that are means over pairs, which intervals and tests start from.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
import numpy.typing as npt

from steadyset.measures.evaluators import adjusted, effective, frequency, pairwise, patterns
from steadyset.measures.options import Estimate, Options
from steadyset.measures.record import Measure
from steadyset.selections import Selections

EVALUATORS: dict[str, Callable[[Selections, Sequence[Measure], Options], list[Estimate]]] = {
    "pairwise": pairwise.evaluate,
    "frequency": frequency.evaluate,
    "patterns": patterns.evaluate,
    "effective": effective.evaluate,
    "adjusted": adjusted.evaluate,
}

PAIR_SCORES: dict[str, Callable[[Selections, Measure, Options], npt.NDArray[np.float64]]] = {
    "pairwise": pairwise.pair_scores,
    "adjusted": adjusted.pair_scores,
}
