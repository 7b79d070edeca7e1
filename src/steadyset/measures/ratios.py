"""Quotients that are undefined where the denominator says so."""

from __future__ import annotations

from typing import Any

import numpy as np

from steadyset.kernels.arrays import Floats


def ratio(numerator: Any, denominator: Any) -> Floats:
    """The quotient, nan where the denominator is not positive."""
    defined = np.asarray(denominator > 0)
    if defined.all():
        return np.asarray(numerator / denominator, dtype=np.float64)
    return np.where(defined, numerator / np.where(defined, denominator, 1), np.nan).astype(np.float64, copy=False)
