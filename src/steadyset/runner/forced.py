"""Columns of a table that are no features: covariates that stay in every model, and blocks that are adjusted for."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import qr

from steadyset.foundation.errors import InputError
from steadyset.foundation.text import listed
from steadyset.io.data.sources import as_written
from steadyset.io.labels import some_names
from steadyset.io.numbers import group_values
from steadyset.kernels.arrays import Floats, Ints
from steadyset.selectors.covariates import RANK, adjusted_design
from steadyset.tasks import TASKS


@dataclass(frozen=True)
class Forced:
    """Numbers for each row: first those of the covariates `names`, `n_forced` columns, then 0/1 columns of a block.

    Selectors are adjusted for all of them. Predictors have the covariates alone: a new row belongs to no known block.
    No value is missing: rows without a covariate are left out before, `n_incomplete` of them. Filled in, they would
    keep what the covariate explains.
    """

    values: Floats
    n_forced: int
    names: tuple[str, ...] = ()
    block: str = ""
    note: str = ""  # what is to be said of the blocks
    n_incomplete: int = 0

    @property
    def covariates(self) -> Floats:
        """The columns of the covariates, without those of a block."""
        return self.values[:, : self.n_forced]

    def beside(self, train: Ints) -> Floats:
        """What selectors are adjusted for: of the training rows, columns that no others and no constant make up."""
        values = self.values[train]
        centred = values - values.mean(axis=0)
        lengths = np.linalg.norm(centred, axis=0)
        _, sizes, order = qr(centred / np.where(lengths > 0, lengths, 1.0), mode="economic", pivoting=True)
        sizes = np.abs(np.diag(sizes))
        return values[:, np.sort(order[: len(sizes)][sizes > RANK * sizes.max(initial=0.0)])]


def read_forced(
    force: Mapping[str, Any] | None, block: Any, y: NDArray[Any], task: str, *, n_incomplete: int = 0
) -> Forced:
    """Covariates and a block as columns of numbers; refused where no effect could be estimated beside them."""
    parts = [_columns(given, name, len(y)) for name, given in (force or {}).items()]
    n_forced = sum(part.shape[1] for part in parts)
    note = ""
    if block is not None:
        blocks = group_values(block, len(y), what="block")
        parts.append(_indicators(blocks.astype(str)))
        note = _confounding(blocks, y, task)
    values = np.column_stack(parts)
    codes = np.unique(y, return_inverse=True)[1] if TASKS[task].has_classes else None
    effects = TASKS[task].amounts(y)[:, None] if codes is None else np.eye(int(codes.max()) + 1)[codes]
    named = "" if block is None else str(getattr(block, "name", None) or "block")
    adjusted_design(effects, values, np.ones(len(y)))
    return Forced(values, n_forced, tuple(force or ()), named, note, n_incomplete)


def _columns(values: Any, name: str, n_rows: int) -> Floats:
    """A covariate as numbers: as they are, or of text 0/1 columns of labels but the first."""
    cells = np.asarray(list(values), dtype=object)
    if len(cells) != n_rows:
        raise InputError(f"force has {len(cells)} values of {name!r}; expected one for each of the {n_rows} rows.")
    if len(set(cells)) < 2:
        raise InputError(f"{name!r} has the same value in every row, so that there is nothing to adjust for.")
    if all(isinstance(cell, int | float | np.number | np.bool_) for cell in cells):
        numbers = cells.astype(np.float64)
        if np.isinf(numbers).any():
            raise InputError(f"{name!r} has infinite values; replace or drop them.")
        return numbers[:, None]
    labels = np.array(as_written(cells))
    if len(np.unique(labels)) > n_rows / 2:
        raise InputError(f"{name!r} has {len(np.unique(labels))} labels in {n_rows} rows; it cannot be adjusted for.")
    return _indicators(labels)


def _indicators(labels: NDArray[Any]) -> Floats:
    return np.asarray((labels[:, None] == np.unique(labels)[None, 1:]).astype(np.float64))


def _confounding(blocks: NDArray[Any], y: NDArray[Any], task: str) -> str:
    """Which blocks hold one class only, and so say nothing of a difference of classes; refused where all do."""
    if not TASKS[task].has_classes:
        return ""
    every = np.unique(blocks)
    mixed = [block for block in every.tolist() if len(np.unique(y[blocks == block])) > 1]
    if not mixed:
        raise InputError(
            f"Each of the {len(every)} blocks holds one class only, so that blocks and classes cannot be told apart "
            "and no effect can be estimated; choose rows, or a block, in which classes meet."
        )
    if len(mixed) == len(every):
        return ""
    rows = int(np.isin(blocks, mixed).sum())
    return (
        f"{len(every) - len(mixed)} of {len(every)} blocks hold one class only: what is said of classes rests on "
        f"{rows} of {len(y)} rows, in {listed([str(block) for block in mixed], 5)}."
    )


def refuse_who_cannot(unable: Sequence[str], able: Sequence[str]) -> None:
    """The sentence for selectors that take no covariates."""
    if unable:
        raise InputError(
            f"{some_names(unable)} cannot keep covariates or blocks beside what is selected; {listed(list(able))} can."
        )
