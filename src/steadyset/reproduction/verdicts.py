"""Verdicts: what comparing a published number or claim with ours can give."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from math import hypot

FINE = 1e-9  # of what is printed: a number that lies between two roundings is either


class Verdict(StrEnum):
    """What is said of a cell or a claim."""

    REPRODUCED = "reproduced"
    CORRECTED = "reproduced with a correction"
    REFUTED = "refuted"
    UNDECIDED = "not decidable here"


@dataclass(frozen=True)
class Tolerance:
    """How far a number may lie from the published one, and where that comes from."""

    width: float
    source: str

    def __str__(self) -> str:
        return f"±{self.width:.2g}: {self.source}" if self.width else self.source


def tolerance_of(
    digits: int | None, standard_error: float = 0.0, published_error: float = 0.0, times: float = 3.0
) -> Tolerance:
    """Half a unit of the last printed digit, and `times` standard errors of the difference.

    `standard_error` is that of our estimate, `published_error` that of the published one.
    """
    rounding = 0.0 if digits is None else 0.5 * 10.0**-digits
    error = times * hypot(standard_error, published_error)
    parts = [] if digits is None else ["half a unit of the last digit"]
    if error:
        of = "of the difference" if published_error else "of ours"
        parts.append(f"{times:g} standard errors {of} ({hypot(standard_error, published_error):.2g})")
    return Tolerance(rounding + error, " + ".join(parts) or "exact")


def within(published: float, ours: float, tolerance: Tolerance) -> bool:
    """Whether our number is the published one."""
    return abs(ours - published) <= tolerance.width + FINE * max(1.0, abs(published))


@dataclass(frozen=True)
class Row:
    """One comparison.

    Attributes
    ----------
    what : the cell or the claim
    published : as it is printed; the claim itself where the text makes one
    ours : our number, or what we saw
    tolerance : how far they may differ, and where that comes from
    verdict : what the comparison gives
    reason : the correction, the counter-example, or what is missing
    expected : the recorded verdict
    excused : another verdict is no failure: data are missing, only the full version computes it, or it is about time
    row, column : of the cell; empty for a claim
    """

    what: str
    published: str
    ours: str
    tolerance: str
    verdict: Verdict
    reason: str = ""
    expected: Verdict = Verdict.REPRODUCED
    excused: bool = False
    row: str = ""
    column: str = ""

    @property
    def differs(self) -> bool:
        """Whether the verdict is another one than the recorded one."""
        return not self.excused and self.verdict is not self.expected
