"""Covariates that stay beside whatever is selected: who takes them, and what a target adds to them."""

from __future__ import annotations

import inspect
from typing import Any, NamedTuple

import numpy as np
from sklearn.utils.validation import has_fit_parameter

from steadyset.foundation.errors import InputError
from steadyset.io.numbers import numbers
from steadyset.kernels.arrays import Floats

COVARIATES = "covariates"
RANK = 1e-9  # singular values below this share of the largest count as 0


class Design(NamedTuple):
    """Orthonormal columns in sqrt(w): those of an intercept and the covariates, and those that the effects add."""

    beside: Floats
    added: Floats


def read_covariates(given: Any, n_rows: int) -> Floats:
    """A column of finite numbers for each covariate."""
    values = numbers(given, COVARIATES)
    values = values[:, None] if values.ndim == 1 else values
    if values.ndim != 2 or len(values) != n_rows or not np.isfinite(values).all():
        raise InputError(f"covariates must be finite numbers, one row for each of the {n_rows} rows of X.")
    return values


def adjusted_design(effects: Floats, covariates: Floats, weight: Floats) -> Design:
    """What effects, such as 0/1 columns of classes, add to the covariates; refused where they cannot be told apart."""
    root = np.sqrt(weight)[:, None]
    beside = orthonormal(root * np.column_stack([np.ones(len(root)), covariates]))
    alone = orthonormal(root * (effects - weight @ effects / weight.sum()))
    # Scaled by the effects as they were, so that rounding does not make a direction of its own.
    left = alone - beside @ (beside.T @ alone)
    added = orthonormal(left, largest=1.0)
    if added.shape[1] < alone.shape[1]:
        raise InputError(
            "The covariates determine the target, or a contrast of its classes, so that no effect of a feature on it "
            "can be estimated beside them; leave out the covariate that does."
        )
    return Design(beside, added)


def orthonormal(columns: Floats, largest: float | None = None) -> Floats:
    """Orthonormal columns that span the same; scales of columns do not matter."""
    lengths = np.linalg.norm(columns, axis=0)
    if largest is None:
        columns = columns / np.where(lengths > 0, lengths, 1.0)
    u, sizes, _ = np.linalg.svd(columns, full_matrices=False)
    return np.ascontiguousarray(u[:, sizes > RANK * (sizes.max(initial=0.0) if largest is None else largest)])


def takes_covariates(selector: Any, task: str) -> bool:
    """Whether a selector can keep covariates: its fit takes them, of a filter its score for the task."""
    scored = getattr(selector, "score_for", None)
    if scored is not None:
        return COVARIATES in inspect.signature(scored(task)).parameters
    return bool(has_fit_parameter(selector, COVARIATES))
