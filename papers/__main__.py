"""`python -m papers`: tables and figures of papers again, the published numbers beside ours."""

from __future__ import annotations

import json
import os
import sys
from argparse import ArgumentParser, ArgumentTypeError, Namespace, RawDescriptionHelpFormatter
from collections.abc import Sequence
from pathlib import Path

from papers.framework import (
    DataFolder,
    Item,
    MissingDataError,
    Result,
    Verdict,
    all_items,
    chosen_items,
    data_folder,
    load_paper,
    reproduce_item,
)
from papers.framework.downloads import download
from papers.framework.summary import write_summary
from papers.framework.text import DASH, counted, lasting, listed, markdown_table
from steadyset import SteadysetError

DIFFERS, REFUSED, INTERRUPTED = 1, 2, 130  # exit codes
ENGINES = ("auto", "serial", "threads", "processes", "dask")

HOW = """\
`python -m papers` lists what there is; `python -m papers PAPER/ITEM` makes one, `--large` or `--full` its larger
versions, and writes its comparison, tables and pictures to a folder; `--resume` continues after Ctrl-C. Real data come
from the folder that `--data` or STEADYSET_DATA names (one Parquet file per set, with a column `target`), or from OpenML
with `--download`.
Before a set is used, its rows, features and classes are checked and its numbers compared with a checksum of those that
this page was computed with; another set under the same name is not used: its data count as missing."""


def main(words: Sequence[str] | None = None) -> int:
    """Reproduce what a command line names; the exit code is 1 if a verdict differs from the recorded one."""
    asked = _parser().parse_args(words)
    try:
        return _reproduce(asked)
    except SteadysetError as error:
        print(f"papers: {error}", file=sys.stderr)
        return REFUSED
    except KeyboardInterrupt:
        told = f"what is finished is in {asked.out}, and the same command with --resume continues."
        print(f"papers: interrupted; {told}", file=sys.stderr)
        return INTERRUPTED


def _parser() -> ArgumentParser:
    parser = ArgumentParser("python -m papers", description=HOW, formatter_class=RawDescriptionHelpFormatter)
    add = parser.add_argument
    add("names", nargs="*", metavar="NAME", help="a paper, an item (PAPER/ITEM), all, or a .py file; none: the list")
    add("--large", action="store_true", help="the large version, where there is one: hours instead of minutes")
    add("--full", action="store_true", help="the full version, where there is one: as many repetitions as the paper")
    add("--data", metavar="DIR", help="the folder with the data sets; default: STEADYSET_DATA")
    add("--download", action="store_true", help="download data sets that are missing from OpenML, verify and keep them")
    add("--jobs", "-j", type=int, default=-1, metavar="N", help="parallel jobs; -1 uses every core")
    add(
        "--engine",
        type=_engine,
        default="auto",
        help="auto, serial, threads, processes, dask, or a dask scheduler's address",
    )
    add("--out", "-o", type=Path, default=Path("reproduction"), metavar="DIR", help="where results are written")
    add("--resume", action="store_true", help="continue what was interrupted in that folder")
    add("--summary", type=Path, metavar="FILE", help="a Markdown page of all results, also of those of earlier calls")
    add("--seed", type=int, default=0, help="the seed of everything random")
    add("--format", choices=("table", "json"), default="table", help="how results are printed")
    return parser


def _engine(word: str) -> str:
    if word not in ENGINES and "://" not in word:
        raise ArgumentTypeError(f"must be one of {', '.join(ENGINES)}, or an address (got {word})")
    return word


def _reproduce(asked: Namespace) -> int:
    files = [Path(name) for name in asked.names if name.endswith(".py")]
    loaded = [one for file in files for one in load_paper(file)]
    named = [name for name in asked.names if not name.endswith(".py")]
    if not asked.names:
        _print_list(all_items(), asked.format)
        return 0
    jobs = os.cpu_count() or 1 if asked.jobs == -1 else asked.jobs
    items, where = chosen_items(named) if named else loaded, data_folder(asked.data)
    if asked.download:
        _download([name for item in items for name in item.data if not where.holds(name)])
    results: list[Result] = []
    for item in items:
        result = reproduce_item(
            item,
            out=asked.out,
            data=where,
            version=_version(item, asked),
            jobs=jobs,
            engine=asked.engine,
            seed=asked.seed,
            resume=asked.resume,
            progress=_print_progress if sys.stderr.isatty() else None,
        )
        results.append(result)
        if asked.format == "table":
            _print_result(result)
    if asked.summary is not None:
        write_summary(asked.summary, results, HOW)
    if asked.format == "json":
        print(json.dumps([{"item": one.name, **row} for one in results for row in one.table()], indent=1))
    else:
        _print_counts(results, where, items)
    differing = [(result, row) for result in results for row in result.differing()]
    for result, row in differing:
        print(f"{result.name}, {row.what}: {row.verdict}, but recorded is {row.expected}.", file=sys.stderr)
    return DIFFERS if differing else 0


def _version(item: Item, asked: Namespace) -> str:
    """Return the largest version of an item that was requested and exists."""
    requested = {"fast": True, "large": asked.large or asked.full, "full": asked.full}
    return [name for name in item.versions() if requested[name]][-1]


def _download(names: Sequence[str]) -> None:
    """Download data sets; one that cannot be had is told, and leaves what needs it open."""
    for name in dict.fromkeys(names):
        try:
            print(f"{name}: {download(name)}", file=sys.stderr)
        except MissingDataError as error:
            print(f"papers: {error}", file=sys.stderr)


def _print_list(items: Sequence[Item], form: str) -> None:
    def times(item: Item) -> str:
        larger = {"large": item.large_seconds, "full": item.full_seconds}
        told = [f"{name}: {lasting(seconds)}" for name, seconds in larger.items() if seconds]
        return ", ".join([lasting(item.seconds), *told])

    rows = [
        {"paper": one.paper, "item": one.item, "what": one.published.title, "time": times(one), "data": list(one.data)}
        for one in items
    ]
    if form == "json":
        print(json.dumps(rows, indent=1))
        return
    for row in rows:
        data = f"; data: {', '.join(row['data'])}" if row["data"] else ""
        print(f"{row['paper']}/{row['item']}: {row['what']} ({row['time']}{data})")
    print("`python -m papers PAPER/ITEM` reproduces one, `python -m papers all` everything.")


def _print_progress(done: int, total: int) -> None:
    print(f"\r{done} of {total}" if done < total else "\r" + " " * 30 + "\r", end="", file=sys.stderr, flush=True)


def _print_result(result: Result) -> None:
    version = "" if result.version == "fast" else f"{result.version} version, "
    title = f"{result.name}: {result.title} ({version}{lasting(result.seconds)})"
    reasons = {(row.told, row.reason) for row in result.rows}
    if len(reasons) == 1 and not any(row.verdict.decided for row in result.rows):
        verdict, reason = reasons.pop()
        print(f"{title}\n{counted(len(result.rows), 'comparison')}: {verdict}. {reason}\n")
        return
    rows = result.table()
    said = [key for key in rows[0] if any(row[key] not in ("", DASH) for row in rows)]  # claims have no number
    print(f"{title}\n\n{markdown_table(said, [[row[key] for key in said] for row in rows])}\n")
    for note in (*([f"Size: {result.size}."] if result.size else []), *result.notes):
        print(note)


def _print_counts(results: Sequence[Result], where: DataFolder, items: Sequence[Item]) -> None:
    """How many verdicts of each kind there are, and which data are missing."""
    counts = [(verdict, sum(result.counts()[verdict] for result in results)) for verdict in Verdict]
    print(f"{listed([f'{n} {verdict}' for verdict, n in counts if n])}.")
    missing = dict.fromkeys(name for item in items for name in item.data if not where.holds(name))
    if missing:
        print(
            f"--data DIR names a folder with the data of {listed(list(missing))}, --download fetches what OpenML has."
        )


if __name__ == "__main__":
    sys.exit(main())
