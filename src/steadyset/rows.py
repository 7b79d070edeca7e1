"""What runs are given as: lists of feature names or indices, lists best first, tables of ranks."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from steadyset.errors import InputError
from steadyset.labels import (
    AppearanceOrder,
    describe_feature,
    feature_names,
    is_default_name,
    name_positions,
    placeholders,
)

FloatArray = npt.NDArray[np.float64]


def as_list(row: Any, i: int) -> list[Any] | npt.NDArray[Any]:
    """What run i selects, as a list or an array."""
    if isinstance(row, (str, bytes, Mapping)) or not isinstance(row, Iterable):
        raise InputError(f"Run {i + 1} is {row!r}; wanted is a collection of feature names or indices.")
    if isinstance(row, (set, frozenset)) and any(isinstance(x, str) for x in row):
        return sorted(row, key=str)  # the order of names in a set changes from process to process
    return row if isinstance(row, np.ndarray) and row.ndim == 1 else list(row)


def names_in(rows: Sequence[Sequence[Any] | npt.NDArray[Any]], d: int) -> tuple[str, ...] | None:
    """The names that runs use, and made-up ones for the rest; None where they use indices, or x0, x1, ..."""
    texts = [row for row in rows if not (isinstance(row, np.ndarray) and row.dtype.kind in "iu")]
    used = dict.fromkeys(str(x) for row in texts for x in row if isinstance(x, str))
    if all(is_default_name(name, d) for name in used):
        return None
    for i, row in enumerate(rows):
        numbers = [x for x in row if isinstance(x, (int, np.integer)) and not isinstance(x, bool)]
        if numbers:
            raise InputError(
                f"Run {i + 1} selects the index {numbers[0]} while others are selected by name; "
                "wanted is features= (the names of all features in their order), or names only."
            )
    if len(used) > d:
        raise InputError(f"The runs select {len(used)} distinct names, more than the {d} that n_features allows.")
    names, _ = feature_names([*used, *placeholders(used, d - len(used))], d, what="from_sets")
    return AppearanceOrder(names or ())


def feature_index(x: Any, positions: Mapping[str, int] | None, run: int, d: int) -> int:
    """The index of a feature that is given by its name or its index."""
    if isinstance(x, str):
        if positions is None or x not in positions:
            raise InputError(f"Run {run + 1} selects {x!r}, which is not among the features.")
        return positions[x]
    if isinstance(x, (int, np.integer)) and not isinstance(x, (bool, np.bool_)):
        if not 0 <= x < d:
            raise InputError(f"Run {run + 1} selects the index {x}; wanted are indices from 0 to {d - 1}.")
        return int(x)
    raise InputError(f"Run {run + 1} holds {x!r}; wanted are feature names (text) or 0-based indices (integers).")


def is_ragged(R: Any) -> bool:
    """Lists of features, best first, rather than a table of ranks: text, the index 0, or rows of different lengths."""
    if not isinstance(R, (list, tuple, Mapping)):
        return False
    rows = [row for row in (R.values() if isinstance(R, Mapping) else R) if isinstance(row, (list, tuple))]
    return len({len(row) for row in rows}) > 1 or any(isinstance(x, str) or x == 0 for row in rows for x in row)


def ranks_of_lists(R: Any, names: tuple[str, ...] | None, d: int) -> FloatArray:
    """Ranks of features that are listed best first; those that a list leaves out share the mean of the other ranks."""
    rows = list(R.values()) if isinstance(R, Mapping) else list(R)
    named = any(isinstance(x, str) for row in rows for x in row)
    positions = name_positions(names, d) if named else None
    ranks = np.empty((len(rows), d))
    for i, row in enumerate(rows):
        ranks[i] = (len(row) + 1 + d) / 2
        ranks[i, [feature_index(x, positions, i, d) for x in row]] = np.arange(1, len(row) + 1)
    return ranks


def check_ranks(ranks: FloatArray, names: tuple[str, ...] | None, what: str = "R") -> None:
    """Refuse what is no rank."""
    bad = np.argwhere(~(np.isfinite(ranks) & (ranks >= 1)))
    if bad.size:
        i, f = bad[0]
        which = describe_feature(int(f), names)
        raise InputError(f"{what} holds {ranks[i, f]} for run {i + 1}, {which}; ranks start at 1 (best).")
