"""Which runs of two procedures belong together."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from steadyset.errors import InputError
from steadyset.selections import Selections


def matched_runs(a: Selections, b: Selections, paired: bool | None) -> npt.NDArray[np.int64] | None:
    """order[i], the run of b on the same resample as run i of a; None when the runs are independent."""
    if paired is False:
        return None
    if a.labels is not None and b.labels is not None:
        place = {label: i for i, label in enumerate(b.labels)}
        if a.n_runs == b.n_runs and all(label in place for label in a.labels):
            return np.array([place[label] for label in a.labels], dtype=np.int64)
        if paired:
            odd = next((x for x in a.labels if x not in place), None) or next(x for x in b.labels if x not in a.labels)
            raise InputError(
                f"The run {odd!r} is in one of the Selections only; paired=True wants the same run labels."
            )
        return None
    if not paired:
        return None
    if a.n_runs != b.n_runs:
        raise InputError(
            f"There are {a.n_runs} and {b.n_runs} runs; paired=True wants the same resamples on both sides."
        )
    return np.arange(a.n_runs)


def check_same_features(a: Selections, b: Selections) -> None:
    """Procedures that choose from different features have no difference to speak of."""
    if a.n_features != b.n_features:
        raise InputError(
            f"The Selections have {a.n_features} and {b.n_features} features; wanted are the same on both sides."
        )
    if a.features != b.features:
        place = next(f for f, (x, y) in enumerate(zip(a.features, b.features, strict=True)) if x != y)
        raise InputError(
            f"Feature {place} is {a.features[place]!r} in one and {b.features[place]!r} in the other Selections; "
            "wanted are the same features in the same order."
        )
