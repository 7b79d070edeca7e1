"""Whether runs are independent draws, as intervals and tests take them: what the labels of the runs tell.

Labels such as kfold-1a2b3c4d:0:1 name the resampling, also in files that were written long ago; the resampling knows
whether its runs are bound to each other. Of runs with other labels, or without, nothing is known and nothing is said.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import lru_cache

LABEL = re.compile(r"(?P<name>\w+)-[0-9a-f]{8}:\d+:\d+")
FOLD = re.compile(r"fold \d+")  # of what cross_validate returns, which does not tell how it split
ROUGH = "a rough guide"
UNKNOWN = f"{ROUGH} unless each of the training sets was drawn at random by itself"


@lru_cache(maxsize=64)  # the same runs are asked about for every measure and pair
def caution(labels: tuple[str, ...] | None) -> str:
    """What the note of an interval or a test has to say; nothing where runs are independent, or nobody knows."""
    if not labels:
        return ""
    if all(FOLD.fullmatch(label) for label in labels):
        return UNKNOWN
    found = [LABEL.fullmatch(label) for label in labels]
    names = {match["name"] for match in found if match is not None}
    if not names or None in found:
        return ""
    from steadyset.resampling import why_bound  # takes long to import

    reasons = [why_bound(name) for name in sorted(names)]
    why = next((reason for reason in reasons if reason), "")
    if why:
        return f"{ROUGH}, as the runs are not independent draws: {why}"
    return UNKNOWN if None in reasons else ""


def joined(*notes: str) -> str:
    """Notes as one, each part of them once."""
    return "; ".join(dict.fromkeys(part for note in notes if note for part in note.split("; ")))


def cautions(notes: Iterable[str]) -> list[str]:
    """The cautions that are part of notes, each once, as sentences."""
    parts = joined(*notes).split("; ")
    return [f"Intervals and tests of stability are {part}." for part in parts if part.startswith(ROUGH)]


def without_cautions(note: str) -> str:
    """A note without them, where they are said once for all."""
    return "; ".join(part for part in note.split("; ") if not part.startswith(ROUGH))
