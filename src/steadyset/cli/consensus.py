"""`steadyset consensus`: which features several methods back together, and how far they agree."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from steadyset.cli import recorded, shared
from steadyset.cli.option_records import with_records
from steadyset.cli.output import Format, print_rows
from steadyset.cli.similar_features import NO_SIMILARITY
from steadyset.foundation.conventions import CORE, LEVEL
from steadyset.foundation.errors import InputError
from steadyset.foundation.text import counted

if TYPE_CHECKING:
    from steadyset.findings import Findings


@with_records
def consensus(
    files: recorded.Files,
    rule: Annotated[
        str,
        typer.Option(
            "--aggregate",
            metavar="RULE",
            help="What ranks the features: top_frequency, mean_rank, borda or exponential.",
        ),
    ] = "top_frequency",
    backing: Annotated[
        float, typer.Option(metavar="SHARE", help="Share of its runs that a method needs to back a feature.")
    ] = 0.5,
    name: Annotated[
        str, typer.Option("--measure", "-m", metavar="NAME", help="The pairwise measure of agreement.")
    ] = "phi",
    each_list: Annotated[
        bool, typer.Option("--each-list", help="Each list (run) of a FILE is that of a method of its own.")
    ] = False,
    shown: Annotated[int, typer.Option("--show", metavar="N", help="Features to show in the table.", min=1)] = 20,
    core: shared.CoreShare = CORE,
    level: shared.Level = LEVEL,
    asked: recorded.Asked = recorded.AS_RECOGNISED,
    undefined: shared.Policy = "nan",
    draws: shared.Draws = 10_000,
    seed: shared.Seed = 0,
    load: shared.Load = None,
    form: shared.Form = Format.table,
    spreadsheet_safe: shared.SpreadsheetSafe = False,
) -> None:
    """Find the features that several methods back, and how far the methods agree.

    Each FILE holds the features that one method selected, in one run or several; each selector of a run folder is a
    method; with --each-list, each list is. Beside every number stands what random sets of the same sizes would give.
    """
    from steadyset.findings.of_selections import of_consensus
    from steadyset.inference.agreement import consensus as find_consensus

    if len(set(files)) < len(files):
        raise InputError("The same file is given twice; give one file per method.")
    files_read, _ = recorded.read_recorded(files, asked, NO_SIMILARITY)
    methods = recorded.each_list(files_read) if each_list else files_read
    if len(methods) < 2:
        raise InputError(_only_one(methods[0]))
    read = recorded.side_by_side(methods, asked.features)
    found = find_consensus(
        recorded.by_name(read),
        aggregate=rule,
        backing=backing,
        measure=name,
        core=core,
        level=level,
        directions=recorded.directions_of(read),
        undefined=shared.undefined_policy(undefined),
        n_draws=draws,
        random_state=seed,
    )
    recorded.tell(files_read if each_list else read, people=form is Format.table)
    told = of_consensus(found)
    if form is Format.json:
        print(told.to_json())
    elif form is Format.csv:
        rows = [{str(key): value for key, value in row.items()} for row in found.features.to_dict("records")]
        print_rows(rows, form, safe=spreadsheet_safe)
    else:
        _show(told, len(found.features), shown)
    for note in (*(() if form is Format.json else told.notes), *recorded.chance_notes(read)):
        typer.echo(note, err=form is not Format.table)
    if any(one.mc_error for one in told.backed):
        typer.echo(f"Simulated with seed {seed} (--seed N sets another).", err=form is not Format.table)


def _only_one(method: recorded.Recorded) -> str:
    lists = method.selections.n_runs
    each = f"give --each-list if each of its {lists} lists is that of a method, or else " if lists > 1 else "give "
    others = "the files of two methods or more, or a run folder with several selectors"
    return f"{method.name} is the only method; {each}{others}."


def _show(found: Findings, n_features: int, shown: int) -> None:
    from steadyset.findings.display import method_cells, pair_cells, ranking_cells
    from steadyset.findings.sections import legends

    for sentence in found.answer:
        typer.echo(sentence)
    print_rows(method_cells(found), Format.table, title="Within methods")
    print_rows(pair_cells(found), Format.table, title="Between methods")
    print_rows(ranking_cells(found, shown), Format.table, title="Features")
    left = n_features - min(shown, len(found.ranking))
    if left:
        typer.echo(f"{counted(left, 'more feature')} with lower scores; --format csv has all.")
    for line in legends(found):
        typer.echo(line)
