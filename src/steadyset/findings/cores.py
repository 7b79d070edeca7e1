"""The steady core of each procedure, with what has to be said beside it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from steadyset.assessment.steadiness import everything
from steadyset.findings.parts import Core, Procedure
from steadyset.foundation.text import SHOWN_NAMES, listed, shown_name
from steadyset.inference import steady_core
from steadyset.measures.scale import BY_COLUMN_ORDER
from steadyset.selections import Selections

EVERYTHING = "{}, because every run selects everything; this is no choice"


def cores_of(selections: Mapping[str, Selections], rows: Sequence[Procedure], core: float) -> tuple[Core, ...]:
    """One core per procedure."""
    verdicts = {row.name: row.verdict for row in rows}
    return tuple(
        Core(name, tuple(steady_core(sel, core)), _note(sel, verdicts.get(name, "")))
        for name, sel in selections.items()
    )


def core_words(core: Core, most: int | None = SHOWN_NAMES) -> str:
    """A core in one line."""
    names = listed(core.features, most, last=", ") if core.features else "none"
    if core.note.startswith("all "):
        return core.note
    return f"{names} ({core.note})" if core.note else names


def named(core: Core) -> str:
    """The line with the name of the procedure before it, where it has one."""
    return f"{shown_name(core.name)}: {core_words(core)}" if core.name else core_words(core)


def _note(sel: Selections, verdict: str) -> str:
    if sel.sizes.min() == sel.n_features:
        return EVERYTHING.format(everything(sel.n_features))
    return BY_COLUMN_ORDER if verdict == BY_COLUMN_ORDER else ""
