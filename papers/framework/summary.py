"""The summary of all reproductions as a Markdown page: a screen for each paper, then each item with its numbers.

The results are kept in a folder beside the page, one file per item and version, so that the page of a full version that
took hours remains when the fast ones are made again. The digests of results that took hours are beside them, in the
form that `sha256sum -c` reads.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Sequence
from dataclasses import asdict
from itertools import groupby
from pathlib import Path

from papers.framework.files import json_text, read_json, write_file
from papers.framework.items import Item, all_items, all_papers
from papers.framework.performing import Result, result_from
from papers.framework.published_numbers import PublishedPaper
from papers.framework.text import DASH, counted, listed, markdown_table
from papers.framework.verdicts import MEANINGS, Row, Verdict

MAX_CELLS = 12  # named beside a reason
MAX_REFUTED = 8  # named in the summary of a paper
MARKS = {Verdict.CORRECTED: " (c)", Verdict.CONSISTENT: " ~", Verdict.REFUTED: " ✗", Verdict.CONTRARY: " ✗~"}
DIGESTS = "digests.txt"
SIZE = "our size beside the paper's (–: the same)"
BRIEFLY = {Verdict.CORRECTED: "corrected", Verdict.NOT_STATED: "not stated"}  # in the tables of a summary
VERDICTS = "\n".join(f"- **{verdict}**: {meaning};" for verdict, meaning in MEANINGS.items()).removesuffix(";")
INTRODUCTION = f"""\
`python -m papers all` computes tables and figures of papers again and puts the published numbers beside ours; this
page is what it wrote. Each cell of a table and each claim of a text is one comparison, with one of these verdicts:

{VERDICTS}.

Tolerances are half a unit of the last printed digit and, where chance is involved, 3 or 4 standard errors; they never
come from what we got, and their power stands beside them. What words such as *same* or *about* stand for, we chose;
it stands beside the claim, and where it was set after our numbers had been seen, that is said as well. Verdicts are
recorded: `python -m papers` fails as soon as one differs from the record.
*Fast* versions are smaller than the paper's experiment where that takes long, *large* ones take hours, and *full* ones
are as large as the paper's, as far as the data are at hand. The largest version that was computed is shown and
counted. In the tables of numbers, *published / ours* stand beside each other;
(c) marks what needed a correction, ~ what is consistent, ✗ what is refuted and ✗~ what is contrary."""


def write_summary(page: Path, results: Sequence[Result], how: str = "") -> None:
    """Write the page of these results and of those that earlier calls left in the folder beside it.

    `how` says how to make it again.
    """
    folder = page.with_suffix("")
    for result in results:
        write_file(folder / _file_name(result.paper, result.item, result.version), json_text(asdict(result)))
    write_file(folder / DIGESTS, digests_of(folder))
    known = [found for item in all_items() for found in _kept(folder, item)]
    write_file(page, summary_of(known, how))


def digests_of(folder: Path) -> str:
    """Return the SHA-256 digest of each large and full result of a folder, one per line with the name of the file."""
    files = sorted(path for version in ("large", "full") for path in folder.glob(f"*-{version}.json"))
    return "".join(f"{hashlib.sha256(path.read_bytes()).hexdigest()}  {path.name}\n" for path in files)


def _kept(folder: Path, item: Item) -> list[Result]:
    """The result of the largest version of an item that was computed."""
    files = [folder / _file_name(item.paper, item.item, version) for version in reversed(item.versions())]
    return [result_from(read_json(file), file) for file in files if file.exists()][:1]


def _file_name(paper: str, item: str, version: str) -> str:
    return f"{paper}-{item}-{version}.json"


def summary_of(results: Sequence[Result], how: str = "") -> str:
    """The page: what was found of each paper, one after the other, and then the comparisons themselves."""
    lines = ["# Reproduction of published results", "", INTRODUCTION, "", *([how, ""] if how else [])]
    papers = all_papers()
    by_paper = [(papers[name], list(some)) for name, some in groupby(results, key=lambda one: one.paper)]
    for paper, some in by_paper:
        lines += _overview(paper, some)
    for paper, some in by_paper:
        lines += [f"## Comparisons: {paper.title}", ""]
        for result in some:
            lines += _section(result, _where(result, paper))
    return "\n".join(lines).rstrip() + "\n"


def _where(result: Result, paper: PublishedPaper) -> str:
    """Where the paper has it: Table 6.6 (p. 123)."""
    page = paper.items[result.item].page
    name = result.item.replace("-", " ")
    return name[0].upper() + name[1:] + (f" (p. {page})" if page is not None else "")


def _overview(paper: PublishedPaper, results: Sequence[Result]) -> Iterator[str]:
    """One screen: how many verdicts of each kind, each table in a line, and what speaks against the paper."""
    rows = [row for one in results for row in one.rows]
    yield from (f"## {paper.title}", "", f"{_told(rows)}.", "")
    kinds = [verdict for verdict in Verdict if any(row.verdict is verdict for row in rows)]
    table = [
        [
            _where(one, paper),
            one.title,
            one.size or DASH,
            *(str(one.counts()[verdict] or DASH) for verdict in kinds),
        ]
        for one in results
    ]
    heads = ["where", "what", SIZE, *(BRIEFLY.get(kind, kind) for kind in kinds)]
    yield from (markdown_table(heads, table), "")
    refuted = [(one, row) for one in results for row in one.rows if row.verdict is Verdict.REFUTED]
    for one, row in refuted[:MAX_REFUTED]:
        compared = f"{row.what}: {row.published}, ours {row.ours}" if row.row or row.column else row.what
        why = row.reason.partition(". ")[0].removesuffix(".") + "." if row.reason else ""
        yield f"- Refuted: {_where(one, paper)}, {compared.removesuffix('.')}. {why}".rstrip()
    if len(refuted) > MAX_REFUTED:
        yield f"- {len(refuted) - MAX_REFUTED} more that are refuted are marked ✗ below."
    contrary = [(one, count) for one in results if (count := one.counts()[Verdict.CONTRARY])]
    if contrary:
        told = [f"{_where(one, paper)}: {count} of {len(one.rows)}" for one, count in contrary]
        yield f"- Contrary in a smaller experiment: {'; '.join(told)}."
    undecided = [(one, count) for one in results if (count := one.counts()[Verdict.UNDECIDED])]
    if undecided:
        told = [f"{_where(one, paper)}: {count} of {len(one.rows)}" for one, count in undecided]
        yield f"- Not decided at the size of our experiment: {'; '.join(told)}."
    for what, why in paper.left_out.items():
        yield f"- Left out: {what}. {why}"
    yield ""


def _section(result: Result, where: str) -> Iterator[str]:
    yield from (f"### {where}: {result.title}", "")
    size = f" Size: {result.size}." if result.size else ""
    yield from (
        f"{_told(result.rows)}.{size}{'' if result.version == 'fast' else f' This is the {result.version} version.'}",
        "",
    )
    for note in result.notes:
        yield from (note, "")
    claims = [row for row in result.rows if not row.row and not row.column]
    cells = [row for row in result.rows if row.row or row.column]
    if claims:
        columns = {
            "claim": [row.what for row in claims],
            "ours": [row.ours for row in claims],
            "what words stand for, power": [row.tolerance for row in claims],
            "verdict": [row.told for row in claims],
            "reason": [row.reason or DASH for row in claims],
            "what this size can decide": [row.reach or DASH for row in claims],
        }
        said = {name: texts for name, texts in columns.items() if set(texts) != {DASH}}
        yield from (markdown_table(list(said), [list(row) for row in zip(*said.values(), strict=True)]), "")
    if cells:
        tolerances = _tolerances(cells)
        yield from (f"Tolerance: {tolerances}.", "") if tolerances else ()
        yield from (_matrix(cells), "")
    reasons = _reasons(cells)
    for (words, why), some in reasons:
        yield f"- {words.capitalize()}: {_listed_cells(some, cells)}. {why}".rstrip()
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
    found = {(cell.row, cell.column): f"{cell.published} / {cell.ours}{MARKS.get(cell.verdict, '')}" for cell in cells}
    rows = [[row, *(found.get((row, column), "") for column in columns)] for row in dict.fromkeys(c.row for c in cells)]
    heads = ["published / ours" if columns == [""] else column for column in columns]
    return markdown_table(["", *heads], rows)


def _reasons(cells: Sequence[Row]) -> list[tuple[tuple[str, str], list[Row]]]:
    """The cells that are not simply reproduced, by verdict and reason."""
    found: dict[tuple[str, str], list[Row]] = {}
    for cell in cells:
        if cell.verdict is not Verdict.REPRODUCED:
            found.setdefault((cell.told, cell.reason), []).append(cell)
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
    return listed(names, MAX_CELLS)
