"""`steadyset reproduce`: tables and figures of papers again, the published numbers beside ours."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from steadyset.cli import shared
from steadyset.cli.interruption import resumable
from steadyset.cli.output import Format, complain, print_rows
from steadyset.foundation.progress import progress_told
from steadyset.foundation.text import DASH, counted, lasting, listed

if TYPE_CHECKING:
    from steadyset.reproduction import Item, Result

DIFFERS = 1  # the exit code where a verdict is not the recorded one

HOW = """\
`steadyset reproduce` lists what there is; `steadyset reproduce PAPER/ITEM` makes one, `--full` its full version, and
writes its comparison, tables and pictures to a folder; `--resume` continues after Ctrl-C. Real data come from the
folder that `--data` or STEADYSET_DATA names (one Parquet file per set, with a column `target`), or from OpenML with
`--download`. Before a set is used, its rows, features and classes are checked and its numbers compared with a checksum
of those that this page was computed with; another set under the same name is not used: its data count as missing."""


def reproduce(
    names: Annotated[
        list[str] | None,
        typer.Argument(metavar="[NAME...]", help="A paper, an item (PAPER/ITEM), or all. Without it: the list."),
    ] = None,
    full: Annotated[
        bool,
        typer.Option("--full", help="The full version, where there is one: as many repetitions as the paper."),
    ] = False,
    data: Annotated[
        Path | None,
        typer.Option("--data", metavar="DIR", help="The folder with the data sets. Default: STEADYSET_DATA."),
    ] = None,
    download: Annotated[
        bool, typer.Option("--download", help="Download data sets that are missing from OpenML, verify and keep them.")
    ] = False,
    jobs: Annotated[int, typer.Option("--jobs", "-j", metavar="N", help="Parallel jobs; -1 uses every core.")] = -1,
    engine: Annotated[
        str, typer.Option(metavar="NAME", help="auto, serial, threads, processes, dask, or a dask scheduler's address.")
    ] = "auto",
    out: Annotated[
        Path, typer.Option("--out", "-o", metavar="DIR", help="Where tables, figures and csv files are written.")
    ] = Path("reproduction"),
    resume: shared.Resume = False,
    summary: Annotated[
        Path | None,
        typer.Option(
            "--summary",
            metavar="FILE",
            help="A Markdown page of all results; those of earlier calls are kept in a folder beside it.",
        ),
    ] = None,
    seed: shared.RunSeed = 0,
    load: shared.Load = None,
    form: shared.Form = Format.table,
    spreadsheet_safe: shared.SpreadsheetSafe = False,
) -> None:
    """Reproduce tables and figures of papers: published, ours, tolerance and verdict.

    Every finished piece is saved: after Ctrl-C, --resume continues. The exit code is 1 if a verdict differs from the
    recorded one.
    """
    from steadyset.foundation.arguments import job_count
    from steadyset.reproduction import chosen_items, data_folder, reproduce_item
    from steadyset.reproduction.summary import write_summary

    if not names:
        _print_list(form, safe=spreadsheet_safe)
        return
    items, where, n_jobs = chosen_items(names), data_folder(data), job_count(jobs)
    if download:
        _download([name for item in items for name in item.data if not where.holds(name)])
    kept = f"what is finished is in {out}, and the same command with --resume continues."
    results: list[Result] = []
    with resumable(kept) as stop, progress_told(None if form is Format.table else False, "runs") as progress:
        for item in items:
            result = reproduce_item(
                item,
                out=out,
                data=where,
                full=full,
                jobs=n_jobs,
                engine=engine,
                seed=seed,
                resume=resume,
                progress=stop.between(progress),
            )
            results.append(result)
            if form is Format.table:
                _print_result(result, out)
            stop.between(None)(len(results), len(items))
    if form is not Format.table:
        print_rows([{"item": one.name, **row} for one in results for row in one.table()], form)
    if summary is not None:
        write_summary(summary, results, HOW)
    missing = dict.fromkeys(name for item in items for name in item.data if not where.holds(name))
    _conclude(results, list(missing), people=form is Format.table)


def _download(names: list[str]) -> None:
    """Download data sets; one that cannot be had is told, and leaves what needs it open."""
    from steadyset.reproduction.data_sets import MissingDataError
    from steadyset.reproduction.downloads import download

    for name in dict.fromkeys(names):
        try:
            file = download(name)
        except MissingDataError as error:
            complain(str(error))
        else:
            typer.echo(f"{name}: {file}", err=True)


def _print_list(form: Format, *, safe: bool) -> None:
    from steadyset.reproduction import all_items

    def times(item: Item) -> str:
        return lasting(item.seconds) + (f", full: {lasting(item.full_seconds)}" if item.full_seconds else "")

    rows = [
        {
            "paper": item.paper,
            "item": item.item,
            "what": item.published.title,
            "data": ", ".join(item.data),
            "time": times(item),
        }
        for item in all_items()
    ]
    print_rows(rows, form, wide=["what", "data"], safe=safe)
    if form is Format.table:
        typer.echo("`steadyset reproduce PAPER/ITEM` reproduces one, `steadyset reproduce all` everything.")


def _print_result(result: Result, out: Path) -> None:
    version = "full version, " if result.full else ""
    title = f"{result.name}: {result.title} ({version}{lasting(result.seconds)})"
    reasons = {(row.told, row.reason) for row in result.rows}
    if len(reasons) == 1 and not any(row.verdict.decided for row in result.rows):
        verdict, reason = reasons.pop()
        typer.echo(f"{title}\n{counted(len(result.rows), 'comparison')}: {verdict}. {reason}\n")
        return
    print_rows(_told(result), Format.table, title=title, wide=["what", "ours", "tolerance", "verdict", "reason"])
    for note in (*([f"Size: {result.size}."] if result.size else []), *result.notes):
        typer.echo(note)


def _told(result: Result) -> list[dict[str, str]]:
    """The rows without columns that say nothing: claims have no published number."""
    rows = result.table()
    said = {key for row in rows for key, text in row.items() if text not in ("", DASH)}
    return [{key: text for key, text in row.items() if key in said} for row in rows]


def _conclude(results: list[Result], missing: list[str], *, people: bool) -> None:
    """How many verdicts of each kind there are, what is missing, and the verdicts that are not the recorded ones."""
    from steadyset.reproduction import Verdict

    if people:
        told = [(verdict, sum(result.counts()[verdict] for result in results)) for verdict in Verdict]
        typer.echo(f"{listed([f'{n} {verdict}' for verdict, n in told if n])}.")
        if missing:
            typer.echo(
                f"--data DIR names a folder with the data of {listed(missing)}, --download fetches what OpenML has."
            )
    differing = [(result, row) for result in results for row in result.differing()]
    for result, row in differing:
        typer.echo(f"{result.name}, {row.what}: {row.verdict}, but recorded is {row.expected}.", err=True)
    if differing:
        raise typer.Exit(DIFFERS)
