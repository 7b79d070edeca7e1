"""`steadyset assess`: from a data file to how steady, how sure, how accurate, and what differs."""

from __future__ import annotations

import warnings
from contextlib import nullcontext
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from steadyset.cli import data_options, shared
from steadyset.cli.interruption import resumable
from steadyset.cli.lean_start import import_scikit_learn
from steadyset.cli.option_records import with_records
from steadyset.cli.output import Format, warn_of_formulas
from steadyset.cli.telling import tell
from steadyset.foundation.arguments import wrong_argument
from steadyset.foundation.conventions import CORE, LEVEL, MARGIN, MAX_RUNS, check_core, check_level, check_margin
from steadyset.foundation.errors import InputError
from steadyset.foundation.progress import COMPILING, progress_told
from steadyset.io.run_files import TABLE

if TYPE_CHECKING:
    from steadyset.assessment import Assessment
    from steadyset.resampling import Resampling


@with_records
def assess(
    file: data_options.DataArgument,
    target: data_options.TargetColumn = None,
    selectors: Annotated[
        list[str] | None,
        typer.Option(
            "--selector",
            "-s",
            metavar="NAME[:PARAM=VALUE,...]",
            help="A selector; may be repeated. Default: five that suit the target.",
        ),
    ] = None,
    resampling: Annotated[
        str,
        typer.Option(metavar="NAME[:PARAM=VALUE,...]", help="How the runs are drawn, such as subsample:fraction=0.8."),
    ] = "bootstrap",
    runs: Annotated[
        str | None,
        typer.Option(metavar="N|auto", help="Number of runs (100), or auto: run until the intervals are narrow."),
    ] = None,
    width: Annotated[
        float, typer.Option(metavar="W", help="Width of the intervals at which --runs auto stops.")
    ] = 0.05,
    max_runs: Annotated[
        int | None, typer.Option(metavar="N", help="Most runs that --runs auto makes (1000).", min=2)
    ] = None,
    scores: Annotated[
        list[str] | None,
        typer.Option(
            "--score",
            metavar="NAME",
            help="accuracy, balanced_accuracy, auc, log_likelihood, error; for numbers r2, rmse; or any scorer of "
            "scikit-learn, such as f1. May be repeated. Default: accuracy; balanced_accuracy if one class has 80% of "
            "the rows or more, r2 for numbers.",
        ),
    ] = None,
    task: shared.TaskOption = None,
    on_warning: shared.OnWarning = "record",
    reading: data_options.DataOptions = data_options.AS_RECOGNISED,
    jobs: Annotated[int, typer.Option("--jobs", "-j", metavar="N", help="Parallel jobs; -1 uses every core.")] = -1,
    engine: Annotated[
        str, typer.Option(metavar="NAME", help="auto, serial, threads, processes, dask, or a dask scheduler's address.")
    ] = "auto",
    out: Annotated[
        Path | None, typer.Option("--out", "-o", metavar="DIR", help="The run folder. Default: FILE's name + -runs.")
    ] = None,
    resume: shared.Resume = False,
    all_rows: Annotated[
        bool,
        typer.Option(
            "--all-rows/--no-all-rows", help="Fit each selector once more, to all rows, for the table of features."
        ),
    ] = True,
    seed: shared.RunSeed = 0,
    core: shared.CoreShare = CORE,
    level: shared.Level = LEVEL,
    margin: shared.Margin = None,
    load: shared.Load = None,
    form: shared.Form = Format.table,
    spreadsheet_safe: shared.SpreadsheetSafe = False,
) -> None:
    """Run selectors on resamples of a data file and report how steady and accurate they are.

    Every run is saved in the run folder as soon as it finishes: after Ctrl-C or a power cut, --resume continues.
    """
    import_scikit_learn()
    from sklearn.exceptions import FitFailedWarning

    from steadyset.assessment import assess as run_assessment
    from steadyset.assessment.request import CopiesWarning
    from steadyset.findings import findings_of
    from steadyset.kernels.cache import before_compiling

    if max_runs is not None and runs != "auto":
        raise InputError("--max-runs limits --runs auto, which is not given.")
    check_core(core)
    check_level(level)
    check_margin(MARGIN if margin is None else margin)
    people = form is Format.table
    data = data_options.read_data(file, target, reading, task, people=people)
    folder = out if out is not None else Path(f"{file.name.split('.')[0]}-runs")
    kept = f"the finished runs are in {folder}, and the same command with --resume continues."
    with before_compiling(_say_that_it_compiles) if people else nullcontext():
        with (
            resumable(kept) as stop,
            progress_told(None if people else False, "runs") as progress,
            warnings.catch_warnings(),
        ):
            for said_later in (FitFailedWarning, CopiesWarning):  # the summary, the notes
                warnings.simplefilter("ignore", said_later)
            result = run_assessment(
                selectors or None,
                data,
                impute=reading.impute,
                on_warning=on_warning,
                task=task,
                resampling=_resampling(resampling, runs),
                scoring=scores or None,
                n_jobs=jobs,
                engine=engine,
                out=folder,
                resume=resume,
                random_state=seed,
                all_rows=all_rows,
                n_runs="auto" if runs == "auto" else None,
                width=width,
                max_runs=max_runs or MAX_RUNS,
                progress=stop.between(progress),
            )
        found = findings_of(result, core=core, level=level, margin=margin)
    tell(found, form, safe=spreadsheet_safe)
    if people and result.path is not None:
        typer.echo(f"\nRun folder: {result.path}\nTable of features: {result.path / TABLE}")
    if not result.selections:
        raise typer.Exit(1)
    _finish_table(result, folder, core, level, safe=spreadsheet_safe)


def _finish_table(result: Assessment, folder: Path, core: float, level: float, *, safe: bool) -> None:
    """Write the table of features as the options want it, where they want it otherwise; tell of formulas in it."""
    from steadyset.assessment.folder import RunFolder
    from steadyset.inference.feature_table import table_csv

    blocks = result.feature_blocks(core=core, level=level)
    if safe or (core, level) != (CORE, LEVEL):
        RunFolder(folder).write_table(table_csv(blocks, safe=safe))
    if not safe:
        warn_of_formulas((block.features[f] for block in blocks for f in block.order), str(folder / TABLE))


def _say_that_it_compiles() -> None:
    typer.echo(COMPILING)


def _resampling(text: str, runs: str | None) -> Resampling:
    from steadyset.resampling import resampling_by_name

    drawn = resampling_by_name(text)
    if runs is None or runs == "auto":
        return drawn
    if not runs.isdecimal() or int(runs) < 2:
        raise wrong_argument("n_runs", "a whole number of at least 2, or auto", runs)
    if "n_runs" not in drawn.get_params():
        raise InputError(f"--runs cannot be combined with {text}, which has a fixed number of runs.")
    drawn.set_params(n_runs=int(runs))
    return drawn
