"""Which runs of two procedures belong together."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from steadyset.foundation.errors import Argument, InputError
from steadyset.io.labels import unlike_names
from steadyset.kernels.arrays import Ints
from steadyset.measures.record import Measure
from steadyset.selections import Selections

FEWEST = 3  # runs from which a variance can be told
_PAIRED = Argument("paired", True)


@dataclass(frozen=True)
class Pairing:
    """The runs of two procedures that are on the same resamples: first[i] and second[i] belong together."""

    first: Ints
    second: Ints
    note: str = ""


def matched_runs(a: Selections, b: Selections, paired: bool | None) -> Pairing | None:
    """Runs with the same label belong together; None when the runs are independent.

    Labels that only one side has (a run that failed there) are left out, and the note tells how many. Unless asked to
    pair, it takes shared labels for at least half of the runs of both sides. Runs without labels are paired by their
    order, when asked to.
    """
    if paired is False:
        return None
    if a.labels is None and b.labels is None:
        return _by_order(a, b) if paired else None
    if a.labels is None or b.labels is None:
        if paired:
            raise InputError("One of the Selections has run labels and the other has none; ", _PAIRED, " needs both.")
        return None
    place = {label: i for i, label in enumerate(b.labels)}
    first = np.array([i for i, label in enumerate(a.labels) if label in place], dtype=np.int64)
    second = np.array([place[a.labels[i]] for i in first], dtype=np.int64)
    most = max(a.n_runs, b.n_runs)
    if len(first) == most:
        return Pairing(first, second)
    if len(first) < FEWEST or (paired is None and 2 * len(first) < most):
        if paired:
            raise InputError(f"The Selections share {len(first)} run labels; ", _PAIRED, f" needs at least {FEWEST}.")
        return None
    left_out = a.n_runs + b.n_runs - 2 * len(first)
    runs = "1 run that only one side has is" if left_out == 1 else f"{left_out} runs that only one side has are"
    return Pairing(first, second, f"paired over {len(first)} shared runs; {runs} left out")


def _by_order(a: Selections, b: Selections) -> Pairing:
    if a.n_runs != b.n_runs:
        raise InputError(
            f"There are {a.n_runs} and {b.n_runs} runs; ", _PAIRED, " needs the same resamples on both sides."
        )
    return Pairing(np.arange(a.n_runs), np.arange(a.n_runs))


def check_features(a: Selections, b: Selections, measure: Measure, paired: bool | None) -> None:
    """Only independent procedures may choose from different features, and only where none count as similar."""
    found = unlike_names(a.features, b.features, "one", "the other Selections")
    if found is None:
        return
    if "similarity" in measure.needs:
        raise InputError(f"{found}; {measure.name} needs the same features in the same order on both sides.")
    if paired is not False:
        raise InputError(
            f"{found}; give the same features in the same order on both sides, or ",
            Argument("paired", False),
            " for procedures that choose from different features.",
        )


def features_note(a: Selections, b: Selections) -> str:
    """What a test of procedures that choose from different features says of it."""
    if a.n_features == b.n_features:
        return "" if a.features == b.features else "the procedures choose from different features"
    return f"the procedures choose from {a.n_features} and {b.n_features} features"
