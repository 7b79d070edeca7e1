"""`steadyset tune`: from a data file to configurations that are accurate, steady and small, and one of them."""

from __future__ import annotations

import warnings
from pathlib import Path
from typing import Annotated

import typer

from steadyset.cli import data_options, shared
from steadyset.cli.interruption import resumable
from steadyset.cli.option_records import with_records
from steadyset.cli.output import Format, warn_of_formulas
from steadyset.cli.telling import tell
from steadyset.foundation.conventions import CORE, LEVEL, check_core, check_level
from steadyset.foundation.progress import progress_told
from steadyset.io.run_files import CHOSEN, TRIALS


@with_records
def tune(
    file: data_options.DataArgument,
    target: data_options.TargetColumn = None,
    space: Annotated[
        str,
        typer.Option(
            metavar="NAME|FILE",
            help="What to try: bommert (filters x models), or a json file with filter, fraction, model.",
        ),
    ] = "bommert",
    trials: Annotated[int, typer.Option(metavar="N", help="How many configurations to try.", min=1)] = 200,
    objectives: Annotated[
        str | None,
        typer.Option(
            metavar="NAME,...",
            help="What to optimise: scores (accuracy, auc, ...; r2, rmse), stability, size, time. "
            "Default: that of assess, stability, size.",
        ),
    ] = None,
    choose: Annotated[
        str,
        typer.Option(
            metavar="RULE[:NUMBER,...]",
            help="How one configuration is chosen: epsilon, best, one_se, weighted, harmonic, knee.",
        ),
    ] = "epsilon:0.025,0.1",
    sampler: Annotated[str, typer.Option(metavar="NAME", help="random, grid, nsga2 or tpe.")] = "random",
    resampling: Annotated[
        str, typer.Option(metavar="NAME[:PARAM=VALUE,...]", help="How the runs are drawn.")
    ] = "kfold:n_splits=10",
    measure: Annotated[
        str, typer.Option(metavar="NAME", help="The stability measure; adjusted ones use Pearson correlations.")
    ] = "nogueira",
    task: shared.TaskOption = None,
    on_warning: shared.OnWarning = "record",
    reading: data_options.DataOptions = data_options.AS_RECOGNISED,
    jobs: Annotated[int, typer.Option("--jobs", "-j", metavar="N", help="Threads; -1 uses every core.")] = -1,
    storage: Annotated[
        str | None, typer.Option(metavar="URL", help="A database that many processes share. Default: SQLite in DIR.")
    ] = None,
    out: Annotated[
        Path | None, typer.Option("--out", "-o", metavar="DIR", help="The folder. Default: FILE's name + -tuning.")
    ] = None,
    resume: shared.Resume = False,
    seed: shared.RunSeed = 0,
    core: shared.CoreShare = CORE,
    level: shared.Level = LEVEL,
    load: shared.Load = None,
    form: shared.Form = Format.table,
    spreadsheet_safe: shared.SpreadsheetSafe = False,
) -> None:
    """Try configurations on the same resamples and show the best trade-offs of accuracy, stability and size.

    Every configuration is saved as soon as it finishes: after Ctrl-C or a power cut, --resume continues.
    """
    from steadyset.findings import findings_of
    from steadyset.findings.citations import record_methods
    from steadyset.findings.parts import record_findings
    from steadyset.io.disk import explained, write_durably
    from steadyset.io.spreadsheet import csv_text
    from steadyset.resampling import resampling_by_name
    from steadyset.tuning import tune as run_tuning
    from steadyset.tuning.choose import check_rule

    check_rule(choose)
    check_core(core)
    check_level(level)
    people = form is Format.table
    data = data_options.read_data(file, target, reading, task, people=people)
    folder = out if out is not None else Path(f"{file.name.split('.')[0]}-tuning")
    place = folder if storage is None else "the storage"  # whose address may hold a password
    kept = f"the finished configurations are in {place}, and the same command with --resume continues."
    with (
        resumable(kept) as stop,
        progress_told(None if people else False, "configurations") as progress,
        warnings.catch_warnings(),
    ):
        warnings.simplefilter("ignore", UserWarning)  # what failed is told below
        result = run_tuning(
            space,
            data,
            impute=reading.impute,
            on_warning=on_warning,
            task=task,
            objectives=objectives and [name.strip() for name in objectives.split(",") if name.strip()],
            n_trials=trials,
            storage=storage,
            sampler=sampler,
            resampling=resampling_by_name(resampling),
            measure=measure,
            out=folder,
            resume=resume or storage is not None,
            n_jobs=jobs,
            random_state=seed,
            progress=stop.between(progress),
        )
    with resumable(kept), explained(folder, resumable=True):
        found = findings_of(result, core=core, level=level, choose=choose)
        chosen = next(one.number for one in found.front if one.chosen)
        features = result.features(chosen)
        text = csv_text(features.to_dict("records"), safe=spreadsheet_safe)
        if found.methods is not None:
            record_methods(found.methods, folder)
        record_findings(found, folder)
        write_durably(folder / CHOSEN, text.encode())  # what files name their columns is UTF-8
    tell(found, form, safe=spreadsheet_safe)
    if people:
        typer.echo(f"All configurations: {folder / TRIALS}")
        typer.echo(f"How often the resamples select the features of configuration {chosen}: {folder / CHOSEN}")
    if not spreadsheet_safe:
        warn_of_formulas(features["feature"], str(folder / CHOSEN))
