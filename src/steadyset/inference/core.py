"""The steady core: the features that nearly every run selects."""

from __future__ import annotations

from typing import Any

import numpy as np

from steadyset.conventions import CORE, check_core
from steadyset.selections import as_selections


def steady_core(selections: Any, core: float = CORE) -> list[str]:
    """The features in at least this share of the runs, most frequent first."""
    check_core(core)
    sel = as_selections(selections)
    # Counts, not shares: 0.9 of 10 runs are 9 runs, whatever the last bit of a quotient is.
    fewest = np.ceil(core * sel.n_runs - 1e-9)
    return [sel.features[f] for f in np.argsort(-sel.counts, kind="stable") if sel.counts[f] >= fewest]
