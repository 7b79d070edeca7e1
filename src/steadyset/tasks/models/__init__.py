"""Models that tasks need and scikit-learn lacks; imported when the first is made."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from steadyset.foundation.errors import InputError
from steadyset.kernels.arrays import Floats

MOST_STEPS, CLOSE = 50, 1e-9


Function = Callable[[Floats], Floats]


def likeliest(
    X: Floats, y: Floats, mean: Function, variance: Function, *, scaled: bool = False
) -> tuple[Floats, Floats]:
    """Coefficients of a generalised linear model with its canonical link, without a penalty, and standard errors.

    Newton's steps on standardised features. `scaled` errors are those of a spread that is estimated too.
    """
    scale = X.std(axis=0)
    design = np.column_stack([np.ones(len(X)), (X - X.mean(axis=0)) / np.where(scale > 0, scale, 1.0)])
    found = np.zeros(design.shape[1])
    if not scale.all() or np.linalg.matrix_rank(design) < design.shape[1]:
        raise InputError("some features are made up of others, or constant")
    for _ in range(MOST_STEPS):
        expected = mean(np.clip(design @ found, -30, 30))
        information = (design * variance(expected)[:, None]).T @ design
        try:
            step = np.linalg.solve(information, design.T @ (y - expected))
        except np.linalg.LinAlgError:
            break
        found = found + (step if scaled else np.clip(step, -2, 2))
        if np.abs(step).max() < CLOSE:
            spread = ((y - expected) @ (y - expected)) / (len(y) - len(found)) if scaled else 1.0
            errors = np.sqrt(np.diag(np.linalg.inv(information)) * spread)
            return found[1:] / scale, errors[1:] / scale
    raise InputError("the likelihood of the model with all features has no maximum")
