"""Rules that read how often a feature is among the first q of a half: three bounds, and a calibrated threshold."""

from __future__ import annotations

import numpy as np

from steadyset.foundation.errors import InputError
from steadyset.selectors.ensembles.rules import ROUNDING, THRESHOLDS, calibrate, error_control
from steadyset.shortlists.rules.halves import Found, Halves, counts_by_size

SIZES = (20, 10, 5, 2, 1)  # the first for which a bound can promise what is allowed
MOST = 100  # places that are calibrated


def bounded(halves: Halves, rule: str) -> Found:
    """The features whose frequency reaches what the bound needs for the number of false ones that is allowed."""
    n_halves = 2 * halves.n_pairs
    for size in SIZES:
        try:
            control = error_control(halves.n_features, q=size, pfer=halves.false, rule=rule, n_runs=n_halves)
        except InputError:  # no threshold keeps the promise with so many features per half
            continue
        counts = counts_by_size(halves.orders, halves.n_features, size)[-1]
        nominal = f"at most {halves.false:g} false: among {size} in {100 * control.threshold:.0f}% of the halves"
        return Found(counts >= control.threshold * n_halves - ROUNDING, nominal)
    return Found(np.zeros(halves.n_features, np.bool_), f"no threshold promises at most {halves.false:g} false")


def calibrated(halves: Halves) -> Found:
    """The size and the threshold of the highest stability score whose bound keeps what is allowed."""
    n_halves = 2 * halves.n_pairs
    counts = counts_by_size(halves.orders, halves.n_features, MOST)
    try:
        best = calibrate(counts, n_halves, THRESHOLDS, pfer=halves.false)
    except InputError:
        return Found(np.zeros(halves.n_features, np.bool_), f"no threshold promises at most {halves.false:g} false")
    nominal = f"at most {halves.false:g} false: among {best.place + 1} in {100 * best.threshold:.0f}% of the halves"
    return Found(counts[best.place] >= best.threshold * n_halves - ROUNDING, nominal)
