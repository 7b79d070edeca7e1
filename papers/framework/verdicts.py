"""Verdicts: what comparing a published number or claim with ours can give."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from math import hypot

from papers.framework.text import percent

FINE = 1e-9  # of what is printed: a number that lies between two roundings is either
POWER, QUANTILE = "90%", 1.2816  # how often a difference that is called visible is seen; of the normal distribution


class Verdict(StrEnum):
    """What is said of a cell or a claim."""

    REPRODUCED = "reproduced"
    CORRECTED = "reproduced with a correction"
    CONSISTENT = "consistent"
    REFUTED = "refuted"
    CONTRARY = "contrary"
    UNDECIDED = "not decided"
    MISSING = "data missing"
    NOT_COMPUTED = "not computed"
    NOT_STATED = "not stated in the source"

    @property
    def agrees(self) -> bool:
        """Whether nothing speaks against what is published."""
        return self in (Verdict.REPRODUCED, Verdict.CORRECTED, Verdict.CONSISTENT)

    @property
    def decided(self) -> bool:
        """Whether something was computed that speaks for or against what is published."""
        return self not in (Verdict.UNDECIDED, Verdict.MISSING, Verdict.NOT_COMPUTED, Verdict.NOT_STATED)


MEANINGS = {
    Verdict.REPRODUCED: "our number lies within the tolerance, or the claim holds, at the size that the paper has, or "
    "in an experiment that would have seen a difference that matters; the page says which",
    Verdict.CORRECTED: "it does once something that the paper states is changed, and the page says what",
    Verdict.CONSISTENT: "nothing speaks against it, but our experiment is smaller than the paper's (*consistent at 2% "
    "of the size*) or too coarse to refute it",
    Verdict.REFUTED: "it does not hold, and the page gives our number or a counter-example",
    Verdict.CONTRARY: "it does not hold in an experiment that is smaller than the paper's (*contrary at 2% of the "
    "size*), which is no refutation",
    Verdict.UNDECIDED: "our experiment has less than a tenth of the size of the paper's, and its outcome is no "
    "evidence for or against the claim; the page says why",
    Verdict.MISSING: "a data set is not public or not at hand",
    Verdict.NOT_COMPUTED: "it takes too long; the full version computes it",
    Verdict.NOT_STATED: "the paper does not say what one would have to know",
}


@dataclass(frozen=True)
class Tolerance:
    """How far a number may lie from the published one, where that comes from, and which difference it would see."""

    width: float
    source: str
    seen: float = 0.0

    def __str__(self) -> str:
        power = f"; a difference of {self.seen:.2g} is refuted in {POWER} of cases" if self.seen else ""
        return f"±{self.width:.2g}: {self.source}{power}" if self.width else self.source


def tolerance_of(
    digits: int | None, standard_error: float = 0.0, published_error: float = 0.0, times: float = 3.0
) -> Tolerance:
    """Half a unit of the last printed digit, and `times` standard errors of the difference.

    `standard_error` is that of our estimate, `published_error` that of the published one.
    """
    rounding = 0.0 if digits is None else 0.5 * 10.0**-digits
    error = hypot(standard_error, published_error)
    parts = [] if digits is None else ["half a unit of the last digit"]
    if error:
        of = "of the difference" if published_error else "of ours"
        parts.append(f"{times:g} standard errors {of} ({error:.2g})")
    width = rounding + times * error
    return Tolerance(width, " + ".join(parts) or "exact", width + QUANTILE * error if error else 0.0)


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
    tolerance : how far they may differ, and where that comes from; for a claim, what its words stand for
    verdict : what the comparison gives
    reason : the correction, the counter-example, or what is missing
    expected : the recorded verdict
    excused : another verdict is no failure: nothing was computed here, or it is about time
    row, column : of the cell; empty for a claim
    share : of the size of the paper's experiment
    reach : what an experiment of less than a tenth of the size can and cannot decide
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
    share: float = 1.0
    reach: str = ""

    @property
    def differs(self) -> bool:
        """Whether the verdict is another one than the recorded one."""
        return not self.excused and self.verdict is not self.expected

    @property
    def told(self) -> str:
        """The verdict in words, with the size where that limits it."""
        if self.verdict not in (Verdict.CONSISTENT, Verdict.CONTRARY):
            return str(self.verdict)
        small = f"at {percent(self.share)} of the size"
        return f"{self.verdict} {small if self.share < 1 else 'within a wide tolerance'}"
