"""What many measures say of recorded selections."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from math import isnan, nan
from typing import Any

from steadyset.findings.parts import Findings, Measured
from steadyset.foundation.text import counted, number, shown_name
from steadyset.io.universe import NO_VERDICT
from steadyset.measures.scale import CONVENTION, EXCELLENT, POOR, is_of_scale, judged

DEFAULT_MEASURE = "nogueira"  # the one that has words for its values


def of_measures(
    tables: Sequence[tuple[str, Sequence[Mapping[str, Any]]]],
    level: float | None,
    notes: Sequence[str] = (),
    *,
    no_universe: Collection[str] = (),
    tied: Mapping[str, float | None] | None = None,
) -> Findings:
    """The rows of `stability_table` of one or several procedures; level None: without intervals.

    `no_universe` names the procedures whose universe is unknown; `tied` has the shares of features that the order of
    the columns decided.
    """
    ties = tied or {}
    rows = tuple(Measured(name, **row) for name, table in tables for row in table)
    said = [(row.name, verdict_words(row, ties.get(row.name), known=row.name not in no_universe)) for row in rows]
    answer = tuple(f"{shown_name(name)}: {words}." for name, words in said if words)
    return Findings(
        "measures",
        f"{counted(len({row.measure for row in rows}), 'measure')} of {counted(len(tables), 'procedure')}",
        DEFAULT_MEASURE,
        nan if level is None else level,
        answer=answer,
        measures=rows,
        notes=tuple(notes),
    )


def verdict_words(row: Measured, tied: float | None, *, known: bool) -> str:
    """How good a value of the default measure is; nothing of other measures, and of what is undefined.

    Where the universe is not known the value is too low, and no word fits it.
    """
    if row.measure != DEFAULT_MEASURE or isnan(row.estimate):
        return ""
    ends = f"{CONVENTION}: poor below {POOR:.2f}, excellent above {EXCELLENT:.2f}"
    value = f"{row.measure} {number(row.estimate, 4)}"
    if not known:
        return f"{value}: {NO_VERDICT}"
    words = judged(row.estimate, row.low, row.high, tied)
    if not is_of_scale(words):
        return f"{value}: {words}"
    return f"{value}: {words}{'' if isnan(row.low) else ' by its interval'} ({ends})"
