"""What the function of an item gets: its published numbers, data, and the ways to give rows, tables and figures."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from papers.framework.data_sets import DataFolder, DataSet
from papers.framework.items import Item
from papers.framework.published_numbers import Cell, Claim, PublishedItem
from papers.framework.text import DASH, number, percent
from papers.framework.verdicts import Row, Verdict, tolerance_of, within
from steadyset import InputError

if TYPE_CHECKING:
    import pandas as pd

    from papers.framework.results_folder import ResultsFolder
    from steadyset import Assessment
    from steadyset.plot import Picture

Tell = Callable[[int, int], None]  # is told the numbers of what is finished and of all
MORE_DIGITS = 2  # that ours shows beyond those that are printed
TENTH = 0.1  # of the published size: a smaller experiment has to say what it can decide
# Verdicts that an experiment may give which sees less than the recorded one did.
COARSER = {
    (Verdict.CONSISTENT, Verdict.CORRECTED),
    (Verdict.UNDECIDED, Verdict.CORRECTED),
    (Verdict.UNDECIDED, Verdict.CONTRARY),
}
# As good as nothing recorded: which of the first two it is follows from the size and the tolerance; what was never
# computed has no other verdict.
UNRECORDED = (
    Verdict.REPRODUCED,
    Verdict.CONSISTENT,
    Verdict.UNDECIDED,
    Verdict.MISSING,
    Verdict.NOT_COMPUTED,
)


@dataclass
class Run:
    """One run of an item.

    Attributes
    ----------
    item : what is reproduced
    version : fast, large or full
    jobs, engine : how `assess` computes: n_jobs, and engine
    seed : of everything random
    kept_in : where results are written
    progress : is told (done, total) of long work; the run may end there, with what is finished kept
    share, sizes : of the size of the paper's experiment, and in words; see `size`
    reach : what an experiment of this size can and cannot decide; see `size`
    """

    item: Item
    data_folder: DataFolder
    kept_in: ResultsFolder
    version: str = "fast"
    jobs: int = 1
    engine: str = "auto"
    seed: int = 0
    progress: Tell | None = None
    notes: list[str] = field(default_factory=list)
    share: float = 1.0
    sizes: list[str] = field(default_factory=list)
    reach: str = ""

    @property
    def published(self) -> PublishedItem:
        """What the paper prints: `cells`, `claims`, `given`."""
        return self.item.published

    @property
    def full(self) -> bool:
        """Whether the experiment is as large as the paper's, as far as the data are at hand."""
        return self.version == "full"

    @property
    def folder(self) -> Path:
        """A folder of this item and version, for run folders of `assess`."""
        return self.kept_in.path

    def data(self, name: str) -> DataSet:
        """A data set: name, X, y. One that is not at hand ends the item, and data are missing for what is left."""
        self._check_declared(name)
        return self.data_folder.read(name)

    def at_hand(self) -> list[str]:
        """The data sets of the item that are at hand; the framework tells of cells that the others leave out."""
        return [name for name in self.item.data if self.data_folder.holds(name)]

    def size(self, parts: Mapping[str, tuple[float, float]], *, reach: str = "") -> None:
        """Say how large the experiment is beside the paper's: {"data sets": (4, 12), "folds": (3, 10)}.

        Rows that are given from here on are consistent or contrary at this share of the size, the product of its
        parts, unless their power decides them; rows that were given before are of the paper's size.

        Below a tenth of the size, `reach` says what the experiment can and cannot decide of the rows from here on.
        A claim may have a reach of its own. Rows without any are not decided.
        """
        self.share = math.prod(min(1.0, ours / theirs) for ours, theirs in parts.values())
        told = [f"{_count(ours)} of {_count(theirs)} {what}" for what, (ours, theirs) in parts.items()]
        self.reach = reach
        self.sizes.append(f"{', '.join(told)} ({percent(self.share)} of the size)")

    def row(
        self,
        cell: Cell,
        ours: float | str,
        *,
        standard_error: float = 0.0,
        published_error: float = 0.0,
        times: float = 3.0,
        matters: float | None = None,
        correction: str = "",
        reason: str = "",
    ) -> Row:
        """Compare a cell with ours.

        The tolerance is half a unit of the last printed digit, plus `times` standard errors of the difference, where
        `standard_error` is that of ours and `published_error` that of the published number (0 where exact). A
        difference of `matters` would change what the paper says: where chance is involved, a number is reproduced only
        if the tolerance would refute such a difference in 90% of cases, and else consistent. A `correction` says what
        had to be changed in what the paper states; a `reason` explains.
        """
        if isinstance(cell.value, str) or isinstance(ours, str):
            return self._judged(cell, str(ours), "exact", cell.text == str(ours), correction, reason)
        tolerance = tolerance_of(cell.digits, standard_error, published_error, times)
        near = not math.isnan(ours) and within(cell.value, ours, tolerance)
        decides = matters is not None and bool(tolerance.seen)
        weak = bool(tolerance.seen) and (matters is None or tolerance.seen > matters)
        shown = _shown(float(ours), cell.digits)
        return self._judged(cell, shown, str(tolerance), near, correction, reason, decides=decides, weak=weak)

    def claim(
        self,
        name: str,
        holds: bool,
        ours: str,
        *,
        cutoff: str = "",
        power: str = "",
        reach: str | None = None,
        correction: str = "",
        reason: str = "",
        weak: bool = False,
        timed: bool = False,
    ) -> Row:
        """Judge a claim: whether it holds, and what we saw.

        `cutoff` says what its words stand for ("the same: within 0.02"). `power` says what an experiment of reduced
        size would have seen, which then decides in both directions. `reach` says what an experiment of less than a
        tenth of the size can and cannot decide, in place of that of `size`; if it is empty, the claim is not decided,
        and `reason` says why. A `weak` comparison could hardly have refuted the
        claim, which is consistent at best. A `timed` one is about how long something takes, which depends on what else
        the machine does: another verdict than the recorded one is told, and is no failure.
        """
        told = "; ".join(part for part in (cutoff, power) if part) or DASH
        claim = self.published.claim(name)
        return self._judged(
            claim,
            ours,
            told,
            bool(holds),
            correction,
            reason,
            decides=bool(power),
            weak=weak,
            excused=timed,
            reach=reach,
        )

    def compared(self, cell: Cell, ours: str, holds: bool, limits: str, *, reach: str, reason: str = "") -> Row:
        """Compare a cell with a number of ours that need not equal it but has limits, which are stated."""
        return self._judged(cell, ours, limits, holds, "", reason, reach=reach)

    def undecided(self, what: Cell | Claim, *, ours: str, reason: str) -> Row:
        """A cell or a claim about which our experiment is no evidence, for a reason."""
        return self._row(what, ours, DASH, Verdict.UNDECIDED, reason, share=self.share)

    def missing(self, what: Cell | Claim, names: Sequence[str], *, ours: str = DASH) -> Row:
        """A cell or a claim about data sets that are not at hand."""
        reason = str(self.data_folder.missing([name for name in names if not self.data_folder.holds(name)]))
        return self._row(what, ours, DASH, Verdict.MISSING, reason, excused=True)

    def not_computed(self, what: Cell | Claim, reason: str = "", *, ours: str = DASH) -> Row:
        """A cell or a claim that is left out, for a reason that is given or recorded."""
        return self._row(what, ours, DASH, Verdict.NOT_COMPUTED, reason, excused=True)

    def only_full(self, what: Cell | Claim) -> Row:
        """A cell or a claim that only the full version computes."""
        return self.not_computed(what, "Only the full version computes it.")

    def not_stated(self, what: Cell | Claim, *, ours: str = DASH) -> Row:
        """A cell or a claim of which the source says too little; what it does not say is recorded."""
        return self._row(what, ours, DASH, Verdict.NOT_STATED, "")

    def assess(self, selectors: Any, X: Any, y: Any, *, name: str, **options: Any) -> Assessment:
        """`steadyset.assess` with the jobs, engine and seed of this run; `name` is that of its run folder.

        An interrupted reproduction continues within the assessment.
        """
        from steadyset import assess

        given: dict[str, Any] = {
            "n_jobs": self.jobs,
            "random_state": self.seed,
            "execution": {
                "engine": self.engine,
                "all_rows": False,
                "progress": self.progress if self.progress is not None else False,
            },
            "out": self.folder / name,
        }
        return assess(selectors, X, y, **(given | options))

    def kept(self, name: str, compute: Callable[[], Any]) -> Any:
        """What `compute()` gives, as JSON holds it; read again where an interrupted run continues."""
        return self.kept_in.piece(name, compute)

    def table(self, frame: pd.DataFrame, name: str = "table") -> None:
        """Write a table of ours beside the comparison."""
        self.kept_in.write_table(frame, name)

    def figure(self, picture: Picture, name: str = "figure") -> None:
        """Write a picture beside the comparison; without the parts that draw, a note says so."""
        told = self.kept_in.write_figure(picture, name)
        if told:
            self.notes.append(told)

    def note(self, sentence: str) -> None:
        """Something that the reader of the comparison has to know."""
        self.notes.append(sentence)

    def _judged(
        self,
        what: Cell | Claim,
        ours: str,
        tolerance: str,
        holds: bool,
        correction: str,
        reason: str,
        *,
        decides: bool = False,
        weak: bool = False,
        excused: bool = False,
        reach: str | None = None,
    ) -> Row:
        """What a comparison gives: one that `decides` is of full size by its power, a `weak` one sees too little."""
        small = self.share < 1 and not decides
        tiny = small and self.share < TENTH
        can_decide = (self.reach if reach is None else reach) if tiny else ""
        if tiny and not can_decide:
            verdict = Verdict.UNDECIDED
        elif not holds:
            verdict = Verdict.CONTRARY if small else Verdict.REFUTED
        elif small or weak:
            verdict = Verdict.CONSISTENT
        else:
            verdict = Verdict.CORRECTED if correction else Verdict.REPRODUCED
        why = correction if holds and correction else reason
        share = self.share if small else 1.0
        return self._row(what, ours, tolerance, verdict, why, excused=excused, share=share, reach=can_decide)

    def _row(
        self,
        what: Cell | Claim,
        ours: str,
        tolerance: str,
        verdict: Verdict,
        reason: str,
        *,
        excused: bool = False,
        share: float = 1.0,
        reach: str = "",
    ) -> Row:
        recorded = self.published.expectation(what, self.version)
        if recorded is not None:
            coarse = (verdict, recorded.verdict) in COARSER
            expected = verdict if coarse else recorded.verdict
            if verdict is expected and recorded.reason not in reason:
                reason = f"{recorded.reason} {reason}".strip()
        elif verdict in UNRECORDED:
            expected = verdict
        else:
            expected = Verdict.CONSISTENT if share < 1 else Verdict.REPRODUCED
        compared = (what.what, what.text if isinstance(what, Cell) else DASH, ours, tolerance, verdict, reason)
        place = (what.row, what.column) if isinstance(what, Cell) else ("", "")
        return Row(*compared, expected, excused, *place, share, reach)

    def _check_declared(self, name: str) -> None:
        if name not in self.item.data:
            raise InputError(f"{self.item.name} does not say that it needs the data of {name}; declare it with data=.")


def _shown(ours: float, digits: int | None) -> str:
    """Ours with more digits than are printed; counts as they are."""
    if not digits and ours.is_integer():
        return f"{ours:.0f}"
    return number(ours, (MORE_DIGITS if digits is None else digits) + MORE_DIGITS)


def _count(value: float) -> str:
    return f"{value:,.0f}" if value == round(value) else f"{value:g}"
