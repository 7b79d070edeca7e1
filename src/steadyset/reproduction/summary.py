"""The summary of all reproductions as a Markdown page: verdicts first, then each item with its numbers and reasons.

The results are kept in a folder beside the page, one file per item and version, so that the page of a full version that
took hours remains when the fast ones are made again.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import asdict
from itertools import groupby
from pathlib import Path

from steadyset.findings.parts import plain
from steadyset.inference.typeset import markdown_table
from steadyset.io.disk import explained, write_durably
from steadyset.io.json_files import read_json_file
from steadyset.reproduction.items import Item, all_items, all_papers
from steadyset.reproduction.performing import Result, result_from
from steadyset.reproduction.verdicts import Row, Verdict
from steadyset.wording import DASH, counted, lasting, listed

MOST_CELLS = 12  # named beside a reason
MARKS = {Verdict.REPRODUCED: "", Verdict.CORRECTED: " (c)", Verdict.REFUTED: " ✗", Verdict.UNDECIDED: ""}
INTRODUCTION = """\
`steadyset reproduce all` computes tables and figures of papers again and puts the published numbers beside ours; this
page is what it wrote. Each cell of a table and each claim of a text is one comparison, with one of four verdicts:

- **reproduced**: our number lies within the tolerance, or the claim holds for what we computed;
- **reproduced with a correction**: it does once something that the paper states is changed, and the page says what;
- **refuted**: it does not, and the page gives our number or a counter-example;
- **not decidable here**: for example because the data are not public; the page says why.

Tolerances are half a unit of the last printed digit and, where chance is involved, 3 or 4 standard errors; they never
come from what we got. Verdicts are recorded: `steadyset reproduce` fails as soon as one differs from the record, in
either direction. *Fast* versions make fewer repetitions than the paper where that takes long; *full* ones make as many.
In the tables of numbers, *published / ours* stand beside each other, ✗ marks what is refuted and (c) what needed a
correction."""


def write_summary(page: Path, results: Sequence[Result], how: str = "") -> None:
    """Write the page of these results and of those that earlier calls left in the folder beside it.

    `how` says how to make it again.
    """
    folder = page.with_suffix("")
    with explained(page):
        folder.mkdir(parents=True, exist_ok=True)
        for result in results:
            text = json.dumps(plain(asdict(result)), indent=1, ensure_ascii=False) + "\n"
            write_durably(folder / _file_name(result.paper, result.item, result.version), text.encode())
        known = [found for item in all_items() for found in _kept(folder, item)]
        write_durably(page, summary_of(known, how).encode())


def _kept(folder: Path, item: Item) -> list[Result]:
    files = [folder / _file_name(item.paper, item.item, version) for version in item.versions()]
    return [result_from(read_json_file(file), file) for file in files if file.exists()]


def _file_name(paper: str, item: str, version: str) -> str:
    return f"{paper}-{item}-{version}.json"


def summary_of(results: Sequence[Result], how: str = "") -> str:
    """The page."""
    lines = [
        "# Reproduction of published results",
        "",
        INTRODUCTION,
        "",
        *([how, ""] if how else []),
        "## Verdicts",
        "",
    ]
    titles = all_papers()
    by_paper = [(titles[name].title, list(some)) for name, some in groupby(results, key=lambda one: one.paper)]
    for title, some in by_paper:
        lines += [f"**{title}**: {_told([row for one in some for row in one.rows])}.", "", _overview(some), ""]
    for title, some in by_paper:
        lines += [f"## {title}", ""]
        for result in some:
            lines += _section(result)
    return "\n".join(lines).rstrip() + "\n"


def _overview(results: Sequence[Result]) -> str:
    rows = [
        [
            result.item + (" (full)" if result.full else ""),
            result.title,
            lasting(result.seconds),
            *(str(count or DASH) for count in result.counts().values()),
        ]
        for result in results
    ]
    return markdown_table(["item", "what", "time", *Verdict], rows)


def _section(result: Result) -> Iterator[str]:
    version = ", full version" if result.full else ""
    yield from (f"### {result.item}{version}: {result.title}", "")
    yield from (f"{_told(result.rows).capitalize()}. Time: {lasting(result.seconds)}.", "")
    for note in result.notes:
        yield from (note, "")
    claims = [row for row in result.rows if not row.row and not row.column]
    cells = [row for row in result.rows if row.row or row.column]
    if claims:
        shown = 4 if any(row.reason for row in claims) else 3
        told = [[row.what, row.ours, str(row.verdict), row.reason][:shown] for row in claims]
        yield from (markdown_table(["claim", "ours", "verdict", "reason"][:shown], told), "")
    if cells:
        tolerances = _tolerances(cells)
        yield from (f"Tolerance: {tolerances}.", "") if tolerances else ()
        yield from (_matrix(cells), "")
    reasons = _reasons(cells)
    for (words, why), some in reasons:
        yield f"- {words.capitalize()}: {_listed_cells(some, cells)}. {why}"
    if reasons:
        yield ""


def _told(rows: Sequence[Row]) -> str:
    counts = [(verdict, sum(row.verdict is verdict for row in rows)) for verdict in Verdict]
    return f"{counted(len(rows), 'comparison')}: {listed([f'{n} {verdict}' for verdict, n in counts if n])}"


def _tolerances(cells: Sequence[Row]) -> str:
    """The tolerance, or the first and last of several; empty where nothing was compared."""
    found = list(dict.fromkeys(cell.tolerance for cell in cells if cell.tolerance != DASH))
    if len(found) <= 1:
        return "".join(found)
    order = sorted(found, key=lambda text: float(text[1:].partition(":")[0]) if text.startswith("±") else 0.0)
    return f"from {order[0]} to {order[-1]}"


def _matrix(cells: Sequence[Row]) -> str:
    """The cells as the paper arranges them, published / ours."""
    columns = list(dict.fromkeys(cell.column for cell in cells))
    found = {(cell.row, cell.column): f"{cell.published} / {cell.ours}{MARKS[cell.verdict]}" for cell in cells}
    rows = [[row, *(found.get((row, column), "") for column in columns)] for row in dict.fromkeys(c.row for c in cells)]
    heads = ["published / ours" if columns == [""] else column for column in columns]
    return markdown_table(["", *heads], rows)


def _reasons(cells: Sequence[Row]) -> list[tuple[tuple[str, str], list[Row]]]:
    """The cells that are not simply reproduced, by verdict and reason."""
    found: dict[tuple[str, str], list[Row]] = {}
    for cell in cells:
        if cell.verdict is not Verdict.REPRODUCED:
            found.setdefault((str(cell.verdict), cell.reason), []).append(cell)
    return list(found.items())


def _listed_cells(some: Sequence[Row], cells: Sequence[Row]) -> str:
    """Cells by name; whole columns and rows by theirs."""
    if len(some) == len(cells):
        return "all cells"
    for part in ("column", "row"):
        whole = list(dict.fromkeys(getattr(cell, part) for cell in some))
        if len(some) > len(whole) and len(some) == sum(getattr(cell, part) in whole for cell in cells):
            return f"the {part}{'s' if len(whole) > 1 else ''} {listed(whole)}"
    names = [f"{cell.row} ({cell.column})" if cell.row and cell.column else cell.what for cell in some]
    return listed(names, MOST_CELLS)
