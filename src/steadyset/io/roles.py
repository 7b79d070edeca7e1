"""Columns that play a part, as the target or the groups: found by their names, or the candidates are told."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from difflib import get_close_matches
from typing import Any

from steadyset.foundation.errors import Argument, InputError, MissingTargetError
from steadyset.tasks import MAX_CLASSES

CANDIDATES = 6  # shown in a sentence


@dataclass(frozen=True)
class Roles:
    """The columns that were named: the target, and the groups where there are any."""

    target: str | None
    groups: str | None = None

    def of(self, columns: Mapping[str, Sequence[Any]], where: str) -> dict[str, list[Any]]:
        """Their values, by name."""
        if self.target is None:
            raise missing_target(columns, where)
        return {name: role_values(columns, name, where) for name in (self.target, self.groups) if name is not None}


def role_values(columns: Mapping[str, Sequence[Any]], name: str, where: str) -> list[Any]:
    """The column of this name; a sentence with the candidates where there is none."""
    if name in columns:
        return list(columns[name])
    raise InputError(f"{where} has no column {name!r}; {_instead(name, columns)}")


def missing_target(columns: Mapping[str, Sequence[Any]], where: str) -> MissingTargetError:
    """The sentence for data whose target nobody named."""
    counts = candidate_counts(columns)
    found = _listed(counts)
    told = f"{where} has these candidates: {found}" if found else f"no column of {where} puts rows into classes"
    error = MissingTargetError("Nothing says what to predict; give ", Argument("target", ...), f" ({told}).")
    error.candidates = counts
    return error


def close_name(name: str, names: Sequence[str]) -> str | None:
    """A name that differs in case or by a slip of the pen."""
    close = get_close_matches(name.lower(), [one.lower() for one in names], n=1)
    return next((one for one in names if one.lower() in close), None)


def candidates(columns: Mapping[str, Sequence[Any]]) -> str:
    """The columns that may be predicted, in words."""
    return _listed(candidate_counts(columns))


def candidate_counts(columns: Mapping[str, Sequence[Any]]) -> dict[str, int]:
    """The columns that may be predicted, each with its number of distinct values; those with few of them first."""
    counts = {}
    for name in columns:
        with suppress(InputError):  # a column that cannot be read
            values = columns[name]
            count = len({value for value in values if is_known(value)})
            if count > 1 and not _names_rows(values, count):
                counts[name] = count
    few = sorted(counts, key=lambda name: counts[name] > min(MAX_CLASSES, len(columns[name]) / 2))
    return {name: counts[name] for name in few}


def _listed(counts: Mapping[str, int]) -> str:
    shown = ", ".join(f"{name!r} ({count} values)" for name, count in list(counts.items())[:CANDIDATES])
    return shown if len(counts) <= CANDIDATES else f"{shown} and {len(counts) - CANDIDATES} more"


def is_known(value: Any) -> bool:
    """Whether a cell holds anything: a text file has no other way to leave a cell out than to write nothing."""
    if value is None or type(value).__name__ in ("NAType", "NaTType"):  # of pandas, which have no truth value
        return False
    return not (value == "" or value != value)


def _names_rows(values: Sequence[Any], n_distinct: int) -> bool:
    """Text that differs in every row names the rows."""
    return n_distinct == len(values) and all(isinstance(value, str) for value in values)


def _instead(name: str, columns: Mapping[str, Sequence[Any]]) -> str:
    near = close_name(name, list(columns))
    if near is not None:
        return f"did you mean {near!r}?"
    return f"candidates are {candidates(columns) or 'none of its columns'}."
