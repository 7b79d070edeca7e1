"""The steady core: the features that nearly every run selects."""

from __future__ import annotations

from typing import Any

import numpy as np

from steadyset.foundation.conventions import CORE, check_core
from steadyset.kernels.arrays import Bools
from steadyset.selections import Selections, as_selections


def steady_core(selections: Any, core: float = CORE) -> list[str]:
    """The features in at least this share of the runs, most frequent first."""
    sel = as_selections(selections)
    inside = in_core(sel, core)
    return [sel.features[f] for f in np.argsort(-sel.counts, kind="stable") if inside[f]]


def in_core(selections: Selections, core: float = CORE) -> Bools:
    """Whether each feature is in at least this share of the runs."""
    check_core(core)
    # Counts, not shares: 0.9 of 10 runs are 9 runs, whatever the last bit of a quotient is.
    return np.asarray(selections.counts >= np.ceil(core * selections.n_runs - 1e-9))
