"""Reproducing one item: run its function, tell of what it left out, and keep the result."""

from __future__ import annotations

import hashlib
import json
import time
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from papers.framework.data_sets import DataFolder, MissingDataError
from papers.framework.files import plain
from papers.framework.items import Item
from papers.framework.results_folder import RESULT, ResultsFolder
from papers.framework.run import Run, Tell
from papers.framework.verdicts import Row, Verdict
from steadyset import InputError, __version__

SHOWN = ("what", "published", "ours", "tolerance", "verdict", "reason")


@dataclass(frozen=True)
class Result:
    """The comparison of an item: its rows, notes for the reader, and how long it took."""

    paper: str
    item: str
    title: str
    version: str
    seed: int
    seconds: float
    rows: tuple[Row, ...]
    notes: tuple[str, ...] = ()
    size: str = ""

    @property
    def name(self) -> str:
        return f"{self.paper}/{self.item}"

    def differing(self) -> list[Row]:
        """The rows whose verdict is not the recorded one."""
        return [row for row in self.rows if row.differs]

    def counts(self) -> dict[Verdict, int]:
        """How many rows have each verdict."""
        return {verdict: sum(row.verdict is verdict for row in self.rows) for verdict in Verdict}

    def table(self) -> list[dict[str, str]]:
        """The rows as texts."""
        return [{key: str(getattr(row, key)) for key in SHOWN} | {"verdict": row.told} for row in self.rows]


def result_from(contents: Mapping[str, Any], where: Path) -> Result:
    """A result as the file `where` keeps it."""
    try:
        rows = tuple(
            Row(**{**row, "verdict": Verdict(row["verdict"]), "expected": Verdict(row["expected"])})
            for row in contents["rows"]
        )
        return Result(**{**contents, "rows": rows, "notes": tuple(contents["notes"])})
    except (KeyError, TypeError, ValueError):
        raise InputError(f"{where} is not a result of this version; remove it.") from None


def reproduce_item(
    item: Item,
    *,
    out: Path,
    data: DataFolder | None = None,
    version: str = "fast",
    jobs: int = 1,
    engine: str = "auto",
    seed: int = 0,
    resume: bool = False,
    progress: Tell | None = None,
) -> Result:
    """Reproduce one item, in the folder PAPER/ITEM of `out`; with `resume`, continue what was begun there."""
    where = data if data is not None else DataFolder()
    version = version if version in item.versions() else "fast"
    folder = ResultsFolder(
        out / item.paper / (item.item if version == "fast" else f"{item.item}-{version}"),
        _settings(item, where, version, seed),
    )
    folder.begin(resume=resume)
    if resume and (kept := folder.finished()) is not None:
        return result_from(kept, folder.path / RESULT)
    run = Run(item, where, folder, version, jobs, engine, seed, progress)
    begin = time.monotonic()
    rows = _rows(run)
    seconds = round(time.monotonic() - begin, 1)
    size = "; ".join(dict.fromkeys(run.sizes))
    result = Result(item.paper, item.item, item.published.title, version, seed, seconds, rows, tuple(run.notes), size)
    folder.finish(asdict(result), result.table())
    return result


def _rows(run: Run) -> tuple[Row, ...]:
    """The rows of the item in the order of the publication; where data are missing, rows that say so."""
    found: dict[str, Row] = {}
    try:
        for row in run.item.compute(run):
            if row.what in found:
                raise InputError(f"{run.item.name} gives two rows for {row.what!r}; expected one.")
            found[row.what] = row
    except MissingDataError:
        pass  # told below
    missing = [name for name in run.item.data if not run.data_folder.holds(name)]
    left_out = [part for part in run.published.parts() if part.what not in found]
    if left_out and not missing:
        raise InputError(f"{run.item.name} gives no row for {left_out[0].what!r}; expected one per cell and claim.")
    found |= {part.what: run.missing(part, missing) for part in left_out}
    order = {part.what: place for place, part in enumerate(run.published.parts())}
    return tuple(sorted(found.values(), key=lambda row: order[row.what]))


def _settings(item: Item, data: DataFolder, version: str, seed: int) -> dict[str, Any]:
    """What decides the result; the same may be resumed."""
    printed = json.dumps(plain(item.published), sort_keys=True)
    return {
        "steadyset": __version__,
        "item": item.name,
        "version": version,
        "seed": seed,
        "published": hashlib.sha256(printed.encode()).hexdigest()[:16],
        "data": [name for name in item.data if data.holds(name)],
    }
