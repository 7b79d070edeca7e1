"""The summary of all reproductions as a Markdown page: verdicts first, then each paper, each item."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import asdict
from itertools import groupby
from pathlib import Path

from steadyset.findings.parts import plain
from steadyset.inference.typeset import markdown_table
from steadyset.io.disk import explained, write_durably
from steadyset.io.json_files import read_json_file
from steadyset.reproduction.items import Item, all_items, all_papers
from steadyset.reproduction.performing import SHOWN, Result, result_from
from steadyset.reproduction.verdicts import Verdict
from steadyset.wording import counted, lasting, listed


def write_summary(page: Path, results: Sequence[Result]) -> None:
    """Write the page of these results and of those that earlier calls left in the folder beside it.

    One file per item and version keeps its result, so that the page of a full version that took hours remains.
    """
    folder = page.with_suffix("")
    with explained(page):
        folder.mkdir(parents=True, exist_ok=True)
        for result in results:
            text = json.dumps(plain(asdict(result)), indent=1, ensure_ascii=False) + "\n"
            write_durably(folder / _file_name(result.paper, result.item, result.version), text.encode())
        known = [found for item in all_items() for found in _kept(folder, item)]
        write_durably(page, summary_of(known).encode())


def _kept(folder: Path, item: Item) -> list[Result]:
    files = [folder / _file_name(item.paper, item.item, version) for version in item.versions()]
    return [result_from(read_json_file(file)) for file in files if file.exists()]


def _file_name(paper: str, item: str, version: str) -> str:
    return f"{paper}-{item}-{version}.json"


def summary_of(results: Sequence[Result]) -> str:
    """The page."""
    lines = ["# Reproduction of published results", "", *_introduction(results), ""]
    lines += ["## Verdicts", "", _overview(results), ""]
    titles = all_papers()
    for paper, of_paper in groupby(results, key=lambda result: result.paper):
        lines += [f"## {titles[paper].title}", ""]
        for result in of_paper:
            lines += [*_section(result), ""]
    return "\n".join(lines).rstrip() + "\n"


def _introduction(results: Sequence[Result]) -> list[str]:
    total = sum(len(result.rows) for result in results)
    return [
        f"Made by `steadyset reproduce all`: {counted(total, 'comparison')} with what papers print. "
        "A number is *reproduced* if it lies within half a unit of the last printed digit, or, where chance is "
        "involved, within the stated number of standard errors; a claim about a figure, if it holds for our figure.",
    ]


def _overview(results: Sequence[Result]) -> str:
    header = ["paper", "item", "version", "time", *Verdict]
    rows = [
        [
            result.paper,
            result.item,
            result.version,
            lasting(result.seconds),
            *(str(count or "") for count in result.counts().values()),
        ]
        for result in results
    ]
    return markdown_table(header, rows)


def _section(result: Result) -> list[str]:
    told = listed([f"{n} {verdict}" for verdict, n in result.counts().items() if n])
    version = ", full version" if result.full else ""
    lines = [f"### {result.item}{version}: {result.title}", "", f"{told} ({lasting(result.seconds)}).", ""]
    for note in result.notes:
        lines += [note, ""]
    rows = [[text.replace("|", "\\|") for text in row.values()] for row in result.table()]
    return [*lines, markdown_table(list(SHOWN), rows)]
