"""Many tests at once: adjusted p-values, and letters for the groups without a significant difference."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import Literal

import numpy as np
import numpy.typing as npt

from steadyset.foundation.arguments import wrong_argument
from steadyset.foundation.text import percent
from steadyset.kernels.arrays import Floats

Adjustment = Literal["holm", "bh"] | None
ALPHABET = "abcdefghijklmnopqrstuvwxyz"


def adjusted_p_values(p_values: npt.ArrayLike, adjust: Adjustment) -> Floats:
    """Holm's or Benjamini and Hochberg's adjusted p-values; undefined ones stay so and are not counted as tests."""
    check_adjustment(adjust)
    p = np.array(p_values, dtype=np.float64)
    known = np.flatnonzero(~np.isnan(p))
    if adjust is None or known.size == 0:
        return p
    if adjust == "bh":
        from scipy.stats import false_discovery_control  # a quarter of a second that most comparisons do not need

        p[known] = false_discovery_control(p[known], method="bh")
        return p
    order = known[np.argsort(p[known], kind="stable")]
    p[order] = np.minimum(1.0, np.maximum.accumulate(np.arange(len(order), 0, -1) * p[order]))
    return p


def check_adjustment(adjust: object) -> None:
    """Refuse what is no way to adjust."""
    if not (adjust is None or (isinstance(adjust, str) and adjust in ("holm", "bh"))):
        raise wrong_argument("adjust", '"holm", "bh" or None', adjust)


def shared_letters(who: str, level: float) -> str:
    """What a shared letter says."""
    return f"{who} that share a letter show no significant difference at {percent(1 - level)}"


def compact_letters(names: Sequence[str], differ: Collection[frozenset[str]]) -> dict[str, str]:
    """Letters so that two names share one exactly when they do not differ; none of them can go.

    The first names get the first letters. Reference: Piepho 2004, insert, absorb and sweep.
    """
    columns: list[set[str]] = [set(names)]
    for pair in sorted(differ, key=lambda pair: sorted(map(names.index, pair))):
        split = [column - {name} if pair <= column else column for column in columns for name in _once(pair, column)]
        columns = [column for i, column in enumerate(split) if not _absorbed(column, i, split)]
    columns = _swept(columns, names)
    columns.sort(key=lambda column: sorted(map(names.index, column)))
    return {name: "".join(_letter(i) for i, column in enumerate(columns) if name in column) for name in names}


def _once(pair: frozenset[str], column: set[str]) -> list[str]:
    return sorted(pair) if pair <= column else [""]


def _absorbed(column: set[str], place: int, columns: Sequence[set[str]]) -> bool:
    return any(column < other or (column == other and i < place) for i, other in enumerate(columns))


def _swept(columns: Sequence[set[str]], names: Sequence[str]) -> list[set[str]]:
    """The columns that are needed, without the members that connect nobody whom another column does not connect too.

    Small columns go first. What is taken out makes the rest more needed, never less, so nothing is left to take out.
    """
    kept = sorted(columns, key=len)
    for column in list(kept):
        others = [other for other in kept if other is not column]
        if all(any({x, y} <= other for other in others) for x in column for y in column):
            kept = others
    for column in kept:
        for name in reversed([name for name in names if name in column]):
            beside = [other for other in kept if other is not column and name in other]
            if column <= set().union(*beside):
                column.remove(name)
    return kept


def _letter(i: int) -> str:
    """a to z, then a1, b1, ..."""
    return ALPHABET[i % 26] + ("" if i < 26 else str(i // 26))
