"""Columns of a table that are no features: covariates that stay in every model, and blocks that are adjusted for."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import qr

from steadyset.foundation.errors import Argument, InputError
from steadyset.foundation.text import listed
from steadyset.io.data.sources import as_written, is_known
from steadyset.io.labels import some_names
from steadyset.io.numbers import group_values
from steadyset.kernels.arrays import Floats, Ints
from steadyset.runner.columns import filled, medians
from steadyset.selectors.covariates import RANK, adjusted_design
from steadyset.tasks import TASKS


@dataclass(frozen=True)
class Forced:
    """Numbers for each row: first those of the covariates `names`, `n_forced` columns, then 0/1 columns of a block.

    Selectors are adjusted for all of them. Predictors have the covariates alone: a new row belongs to no known block.
    `labelled` are the columns of each covariate of text: 1 for one of its labels, all 0 for the first.
    """

    values: Floats
    n_forced: int
    names: tuple[str, ...] = ()
    block: str = ""
    note: str = ""  # what is to be said of the blocks
    labelled: tuple[slice, ...] = ()

    def rows(self, train: Ints, wanted: Ints) -> Floats:
        """Rows with gaps filled by the medians of the training rows, those of text by their most frequent label."""
        known = self.values[train]
        fill = medians(known, np.arange(known.shape[1]))
        for columns in self.labelled:
            own = known[~np.isnan(known[:, columns]).any(axis=1), columns]
            counts = np.append(len(own) - own.sum(), own.sum(axis=0))
            fill[columns] = np.eye(len(counts))[counts.argmax()][1:]
        return filled(self.values[wanted], fill)

    def beside(self, train: Ints) -> Floats:
        """What selectors are adjusted for: of the training rows, columns that no others and no constant make up."""
        values = self.rows(train, train)
        centred = values - values.mean(axis=0)
        lengths = np.linalg.norm(centred, axis=0)
        _, sizes, order = qr(centred / np.where(lengths > 0, lengths, 1.0), mode="economic", pivoting=True)
        sizes = np.abs(np.diag(sizes))
        return values[:, np.sort(order[: len(sizes)][sizes > RANK * sizes.max(initial=0.0)])]


def read_forced(force: Mapping[str, Any] | None, block: Any, y: NDArray[Any], task: str, *, imputes: bool) -> Forced:
    """Covariates and a block as columns of numbers; refused where no effect could be estimated beside them."""
    parts: list[Floats] = []
    gaps, labelled, n_forced = [], [], 0
    for name, given in (force or {}).items():
        own, is_text = _columns(given, name, len(y))
        if np.isnan(own).any():
            gaps.append(name)
        if is_text:
            labelled.append(slice(n_forced, n_forced + own.shape[1]))
        parts.append(own)
        n_forced += own.shape[1]
    if gaps and not imputes:
        raise InputError(
            f"{some_names(gaps)} {'has' if len(gaps) == 1 else 'have'} missing values; fill them within each run with ",
            Argument("impute", "median", of="Data"),
            ".",
        )
    note = ""
    if block is not None:
        blocks = group_values(block, len(y), what="block")
        parts.append(_indicators(blocks.astype(str)))
        note = _confounding(blocks, y, task)
    values = np.column_stack(parts)
    codes = np.unique(y, return_inverse=True)[1] if TASKS[task].has_classes else None
    effects = TASKS[task].amounts(y)[:, None] if codes is None else np.eye(int(codes.max()) + 1)[codes]
    named = "" if block is None else str(getattr(block, "name", None) or "block")
    found = Forced(values, n_forced, tuple(force or ()), named, note, tuple(labelled))
    every = np.arange(len(y))
    adjusted_design(effects, found.rows(every, every), np.ones(len(y)))
    return found


def _columns(values: Any, name: str, n_rows: int) -> tuple[Floats, bool]:
    """A covariate as numbers: as they are, or of text, which is told, 0/1 columns of labels but the first."""
    cells = np.asarray(list(values), dtype=object)
    if len(cells) != n_rows:
        raise InputError(f"force has {len(cells)} values of {name!r}; expected one for each of the {n_rows} rows.")
    known = np.array([is_known(cell) for cell in cells], dtype=np.bool_)
    if not known.any() or len(set(cells[known])) < 2:
        raise InputError(f"{name!r} has the same value in every row, so that there is nothing to adjust for.")
    if all(isinstance(cell, int | float | np.number | np.bool_) for cell in cells[known]):
        numbers = np.full((n_rows, 1), np.nan)
        numbers[known, 0] = cells[known].astype(np.float64)
        if np.isinf(numbers).any():
            raise InputError(f"{name!r} has infinite values; replace or drop them.")
        return numbers, False
    labels = np.array(as_written(cells[known]))
    if len(np.unique(labels)) > n_rows / 2:
        raise InputError(f"{name!r} has {len(np.unique(labels))} labels in {n_rows} rows; it cannot be adjusted for.")
    coded = np.full((n_rows, len(np.unique(labels)) - 1), np.nan)
    coded[known] = _indicators(labels)
    return coded, True


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
