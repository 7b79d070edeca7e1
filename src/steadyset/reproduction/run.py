"""What the function of an item gets: its published numbers, data, and the ways to give rows, tables and figures."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from steadyset.errors import InputError
from steadyset.progress import Tell
from steadyset.reproduction.data_sets import DataFolder, DataSet
from steadyset.reproduction.items import Item
from steadyset.reproduction.published_numbers import Cell, Claim, PublishedItem
from steadyset.reproduction.verdicts import Row, Tolerance, Verdict, tolerance_of, within
from steadyset.wording import DASH, number

if TYPE_CHECKING:
    import pandas as pd

    from steadyset.assessment import Assessment
    from steadyset.plots import Picture
    from steadyset.reproduction.results_folder import ResultsFolder

MORE_DIGITS = 2  # that ours shows beyond those that are printed


@dataclass
class Run:
    """One run of an item.

    Attributes
    ----------
    item : what is reproduced
    full : whether the full version is asked for
    jobs, engine : how `assess` computes: n_jobs, and engine
    seed : of everything random
    kept_in : where results are written
    progress : is told (done, total) of long work; the run may end there, with what is finished kept
    """

    item: Item
    data_folder: DataFolder
    kept_in: ResultsFolder
    full: bool = False
    jobs: int = 1
    engine: str = "auto"
    seed: int = 0
    progress: Tell | None = None
    notes: list[str] = field(default_factory=list)

    @property
    def published(self) -> PublishedItem:
        """What the paper prints: `cells`, `claims`, `given`."""
        return self.item.published

    @property
    def version(self) -> str:
        return "full" if self.full else "fast"

    @property
    def folder(self) -> Path:
        """A folder of this item and version, for run folders of `assess`."""
        return self.kept_in.path

    def data(self, name: str) -> DataSet:
        """A data set: name, X, y. One that is not at hand ends the item, and what is left is not decidable here."""
        self._check_declared(name)
        return self.data_folder.read(name)

    def at_hand(self) -> list[str]:
        """The data sets of the item that are at hand; the framework tells of cells that the others leave out."""
        return [name for name in self.item.data if self.data_folder.holds(name)]

    def row(
        self,
        cell: Cell,
        ours: float | str,
        *,
        standard_error: float = 0.0,
        published_error: float = 0.0,
        times: float = 3.0,
        correction: str = "",
        reason: str = "",
    ) -> Row:
        """Compare a cell with ours.

        The tolerance is half a unit of the last printed digit, plus `times` standard errors of the difference, where
        `standard_error` is that of ours and `published_error` that of the published number (0 where exact). A
        `correction` says what had to be changed in what the paper states; a `reason` explains.
        """
        if isinstance(cell.value, str) or isinstance(ours, str):
            return self._judged(cell, str(ours), Tolerance(0.0, "exact"), cell.text == str(ours), correction, reason)
        tolerance = tolerance_of(cell.digits, standard_error, published_error, times)
        near = not math.isnan(ours) and within(cell.value, ours, tolerance)
        return self._judged(cell, _shown(float(ours), cell.digits), tolerance, near, correction, reason)

    def claim(
        self,
        name: str,
        holds: bool | None,
        ours: str,
        *,
        correction: str = "",
        reason: str = "",
        timed: bool = False,
    ) -> Row:
        """Judge a claim: whether it holds, None where that cannot be decided, and what we saw.

        A `timed` one is about how long something takes, which depends on what else the machine does: another verdict
        than the recorded one is told, and is no failure.
        """
        claim = self.published.claim(name)
        if holds is None:
            return self.undecided(claim, reason or ours, ours=ours if reason else DASH)
        return self._judged(claim, ours, Tolerance(0.0, DASH), bool(holds), correction, reason, excused=timed)

    def undecided(self, what: Cell | Claim, reason: str = "", *, ours: str = DASH) -> Row:
        """A cell or a claim that cannot be decided; why says the recorded verdict, or `reason`."""
        return self._row(what, ours, DASH, Verdict.UNDECIDED, reason)

    def only_full(self, what: Cell | Claim) -> Row:
        """A cell or a claim that only the full version computes."""
        return self._row(what, DASH, DASH, Verdict.UNDECIDED, "Only the full version computes it.", excused=True)

    def not_computed(self, what: Cell | Claim, reason: str) -> Row:
        """A cell or a claim for which something is missing that others may have."""
        return self._row(what, DASH, DASH, Verdict.UNDECIDED, reason, excused=True)

    def assess(self, selectors: Any, X: Any, y: Any, *, name: str, **options: Any) -> Assessment:
        """`steadyset.assess` with the jobs, engine and seed of this run; `name` is that of its run folder.

        An interrupted reproduction continues within the assessment.
        """
        from steadyset.assessment import assess

        given: dict[str, Any] = {
            "n_jobs": self.jobs,
            "engine": self.engine,
            "random_state": self.seed,
            "all_rows": False,
            "progress": self.progress if self.progress is not None else False,
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
        tolerance: Tolerance,
        holds: bool,
        correction: str,
        reason: str,
        *,
        excused: bool = False,
    ) -> Row:
        if not holds:
            return self._row(what, ours, str(tolerance), Verdict.REFUTED, reason, excused=excused)
        verdict = Verdict.CORRECTED if correction else Verdict.REPRODUCED
        return self._row(what, ours, str(tolerance), verdict, correction or reason, excused=excused)

    def _row(
        self, what: Cell | Claim, ours: str, tolerance: str, verdict: Verdict, reason: str, *, excused: bool = False
    ) -> Row:
        recorded = self.published.expectation(what, self.version)
        expected = Verdict.REPRODUCED if recorded is None else recorded.verdict
        if recorded is not None and verdict is expected and recorded.reason not in reason:
            reason = f"{recorded.reason} {reason}".strip()
        compared = (what.what, what.text if isinstance(what, Cell) else DASH, ours, tolerance, verdict, reason)
        place = (what.row, what.column) if isinstance(what, Cell) else ("", "")
        return Row(*compared, expected, excused, *place)

    def _check_declared(self, name: str) -> None:
        if name not in self.item.data:
            raise InputError(f"{self.item.name} does not say that it needs the data of {name}; declare it with data=.")


def _shown(ours: float, digits: int | None) -> str:
    """Ours with more digits than are printed; counts as they are."""
    if not digits and ours.is_integer():
        return f"{ours:.0f}"
    return number(ours, (MORE_DIGITS if digits is None else digits) + MORE_DIGITS)
