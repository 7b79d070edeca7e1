"""From a data file to an answer: `shortlist`, `assess`, `replicate`, `why`, `tune`; `run`, `serve`, `warm-up`."""

from __future__ import annotations

import contextlib
import json
import os
import shlex
import sys
import time
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import typer

from steadyset.cli.terminal import perform, print_display, render, warn_of_formulas
from steadyset.foundation.arguments import CORE, LEVEL, MARGIN, check_core, check_level, check_margin, wrong_argument
from steadyset.foundation.display import (
    COMPILING,
    Display,
    ProgressLines,
    Telling,
    people_look,
    progress_told,
    remaining,
    telling,
)
from steadyset.foundation.errors import InputError
from steadyset.foundation.job import Job, current_job, doing, resumable
from steadyset.io import beneath
from steadyset.io.disk import CHOSEN, LIST_NAMES, LIST_SHEET, LIST_TABLE, TABLE, TRIALS, explained, write_durably
from steadyset.io.labels import some_names
from steadyset.options import (
    Given,
    as_shell_line,
    data_files,
    data_option,
    default_folder,
    job_from,
    job_of,
    option_of,
    options_of,
    recorded_job,
    study_names,
    values_of,
    with_files,
)
from steadyset.options.table import PASSWORD

if TYPE_CHECKING:
    from steadyset.assessment import Assessment
    from steadyset.io.data.data_table import Data
    from steadyset.resampling import Resampling
    from steadyset.shortlists.result import Shortlist

MAX_JOB_BYTES = 1 << 20


def assess(given: Given) -> None:
    """Run selectors on resamples of a data file and report how steady and accurate they are.

    Every run is saved in the run folder as soon as it finishes: after Ctrl-C or a power cut, --resume continues.
    """
    from sklearn.exceptions import FitFailedWarning

    from steadyset.assessment import assess as run_assessment
    from steadyset.assessment import is_too_wide
    from steadyset.assessment.request import CopiesWarning, TimeLimitWarning
    from steadyset.findings import findings_of

    if given.max_runs is not None and given.runs != "auto":
        raise InputError("--max-runs limits --runs auto, which is not given.")
    check_core(given.core)
    check_level(given.level)
    check_margin(MARGIN if given.margin is None else given.margin)
    people = given.format == "table"
    data = _read_data(given, given.file, people=people)
    folder = _folder(given, "assess", given.file)
    arguments = given.arguments("run")
    arguments |= {
        "out": folder,
        "resampling": _resampling(given.resampling, given.runs),
        "n_runs": arguments["n_runs"] if given.runs == "auto" else None,
    }
    said_later = FitFailedWarning, CopiesWarning, TimeLimitWarning  # by the summary and the notes
    with _working(given, arguments, _kept("the finished runs are", folder), "runs", *said_later):
        result = run_assessment(given.selector or None, data, **arguments)
    found = findings_of(result, **given.arguments("findings"))
    render(found, given.format, safe=given.spreadsheet_safe)
    n_planned = result.settings["details"]["n_runs"] * len(result.selectors)
    if given.minutes is not None:
        said = ""
        if len(result.cells) < n_planned:
            said = f"There was time for {len(result.cells)} of {n_planned} runs; --resume continues with the others."
        elif is_too_wide(result):
            few = f"There was time for {len(result.cells)} runs, which are too few for the requested width"
            said = f"{few} of the intervals; --resume continues with the others."
        if said:
            print(said, file=sys.stdout if people else sys.stderr)
    if people and result.path is not None:
        typer.echo(f"\nRun folder: {result.path}\nTable of features: {result.path / TABLE}")
    if not result.selections:
        raise typer.Exit(1)
    _finish_table(result, folder, given)


def shortlist(given: Given) -> None:
    """List the features of a data file that stand out, with how many of them are false on average.

    Permuted targets go through the same procedure and show what chance lists. The list is printed as soon as it is
    certain. Prediction, repeats and what would help take several times as long and follow; --quick leaves them out.
    Everything is saved as soon as it is computed: after Ctrl-C or a power cut, --resume continues.
    """
    from steadyset.findings import findings_of
    from steadyset.findings.of_shortlist import record_list
    from steadyset.findings.sections import display_of
    from steadyset.shortlists.run import shortlist as run_shortlist

    people = given.format == "table"
    data = _read_data(given, given.file, people=people)
    folder = _folder(given, "shortlist", given.file)
    arguments = given.arguments("run") | {"out": folder, "outer": _repeats_of(given)}
    printed: list[Display] = []
    with _working(given, arguments, _kept("what is finished is", folder), "steps") as shown:

        def print_list(certain: Shortlist) -> None:
            printed.append(display_of(findings_of(certain), most=None))
            with contextlib.nullcontext() if shown is None else shown.paused():
                print_display(printed[0])
                sys.stdout.flush()

        result = run_shortlist(data, **arguments, on_list=print_list if people else None)
        if given.spreadsheet_safe:
            record_list(result, folder, safe=True)
    if people:
        typer.echo()
        print_display(remaining(printed[0], display_of(findings_of(result), most=None)))
        typer.echo(f"\nThe list, its groups and candidates: {folder / LIST_TABLE}, for Excel {folder / LIST_SHEET}")
        typer.echo(f"The names alone: {folder / LIST_NAMES}")
        typer.echo(f"A report: steadyset report {shlex.quote(str(folder))}")
    else:
        render(findings_of(result), given.format, safe=given.spreadsheet_safe)
    if not given.spreadsheet_safe:
        warn_of_formulas((one.feature for one in result.listed.features), str(folder / LIST_TABLE))


def _repeats_of(given: Given) -> int:
    """Return the number of repeats: none for the list alone."""
    outer: int = given.outer
    if not given.quick:
        return outer
    if outer not in (0, option_of("shortlist", "outer").default):
        raise InputError(f"--quick makes no repeats, and --outer asks for {outer}. Leave one of them out.")
    return 0


def replicate(given: Given) -> None:
    """Tell how many of the selected features the next study would select again, or what several studies have in common.

    Disjoint parts of the rows are independent studies. Several files are several studies, each with the same target:
    which features come back in them, and whether the rows of each had predicted that. Everything is saved as soon as
    it finishes: after Ctrl-C or a power cut, --resume continues. A run folder of an assessment says which data and
    which selector: `steadyset replicate study-runs`.
    """
    from steadyset.assessment import Assessment
    from steadyset.replications.compare import compare_studies
    from steadyset.replications.run import replication

    if len(given.files) == 1 and given.files[0].is_dir():
        _replicate_made(given, Assessment.open(given.files[0]))
        return
    if given.selector is None:
        raise InputError("replicate needs a selector of a fixed number of features. Give --selector anova:k=10.")
    names = study_names(given.files)
    read = partial(_read_data, given, people=given.format == "table")
    if len(names) > 1:
        studies = {name: read(file) for name, file in zip(names, given.files, strict=True)}
        _told_of_runs(given, "replicate", "studies", compare_studies, studies)
    else:
        _told_of_runs(given, "replicate", "studies", replication, read(given.files[0]))


def _replicate_made(given: Given, made: Assessment) -> None:
    """Tell what the next study would select again of the selector of an assessment, or of another on its data."""
    from steadyset.replications.run import replication

    taken = _made_of(given, given.files[0], made)
    # What is recorded and what continues it name the file and the selector, which say the same without the folder.
    with doing(job_of("replicate", taken.values)):
        data = _read_data(taken, taken.files[0], people=given.format == "table")
        _told_of_runs(taken, "replicate", "studies", replication, data, None if given.selector else made)


def why(given: Given) -> None:
    """Tell why reruns differ: because of the data, the randomness of a method, or the choice of the method.

    A run folder says which data and methods: `steadyset why study-runs`. Every run is saved as soon as it finishes:
    after Ctrl-C or a power cut, --resume continues.
    """
    from steadyset.assessment import Assessment
    from steadyset.replications.split import variance_split

    made = Assessment.open(given.file) if given.file.is_dir() else None
    if given.selector and made is not None:
        given, made = _made_of(given, given.file, made), None
    elif made is not None:
        given = _made_of(given, given.file, made)
    data = _read_data(given, given.file, people=given.format == "table")
    _told_of_runs(given, "why", "runs", variance_split, data, made)


def _made_of(given: Given, folder: Path, made: Assessment) -> Given:
    """What was given of a run folder, with the data, resampling, seed and selectors of the job that made it."""
    recorded, command = made.settings["details"].get("job"), given.command
    job = None if recorded is None else recorded_job(recorded)
    if job is None or job.command != "assess":
        by = "Python" if job is None else f"`steadyset {job.command}`"
        raise InputError(
            f"{folder} was made by {by}, and does not say which file of data `steadyset assess` would take; give the "
            "file and --selector."
        )
    known, data = options_of(command), data_option(command)
    files = data_files(job)
    taken = {data.name: files if data.many else files[0]}
    taken |= {
        name: value
        for name, value in job.options.items()
        if name in known and (known[name].calls == ("data",) or name in ("resampling", "seed"))
    }

    def found(file: str) -> str:
        there = [path for path in (Path(file), folder.parent / file) if path.exists()]
        if not there:
            raise InputError(
                f"{folder} was made of {file}, which is not there any more; put it back, or give the data."
            )
        return str(there[0])

    typed = {name: value for name, value in job_of(command, given.values).options.items() if name != data.name}
    if not given.selector:
        typed["selector"] = list(made.selectors) if known["selector"].many else _only_selector(folder, made)
    spelled = Job(command, {**with_files(Job(command, taken), found).options, **typed})
    if given.format == "table":
        typer.echo(f"Taken from {folder}: {as_shell_line(spelled._asdict())}")
    return Given(command, values_of(spelled))


def _only_selector(folder: Path, made: Assessment) -> str:
    """Return the one selector of an assessment; a sentence where it has several."""
    if len(made.selectors) != 1:
        raise InputError(
            f"{folder} has {len(made.selectors)} selectors ({some_names(made.selectors)}), and replication is told for "
            f"one. Name it with --selector {shlex.quote(made.selectors[0])}."
        )
    return made.selectors[0]


def _told_of_runs(
    given: Given, command: str, unit: str, function: Callable[..., Any], data: Any, made: Assessment | None = None
) -> None:
    """Make runs by a function of selectors and data, and tell what they say; `command` names the folder.

    The selectors are those of `made`, where there is one.
    """
    from steadyset.findings import findings_of

    folder = _folder(given, command, given.values.get("file") or given.files[0])
    kept, arguments = _kept("what is finished is", folder), given.arguments("run") | {"out": folder}
    with _working(given, arguments, kept, unit):
        result = function(given.selector or None if made is None else made, data, **arguments)
    render(findings_of(result), given.format, safe=given.spreadsheet_safe)
    if given.format == "table":
        typer.echo(f"\nA report: steadyset report {shlex.quote(str(folder))}")


def tune(given: Given) -> None:
    """Try configurations on the same resamples and show the best trade-offs of accuracy, stability and size.

    Every configuration is saved as soon as it finishes: after Ctrl-C or a power cut, --resume continues.
    """
    from steadyset.findings import findings_of
    from steadyset.findings.parts import record_findings
    from steadyset.io.formats.spreadsheet import csv_text
    from steadyset.resampling import resampling_by_name
    from steadyset.tuning import tune as run_tuning
    from steadyset.tuning.choose import check_rule

    check_rule(given.choose)
    check_core(given.core)
    check_level(given.level)
    people = given.format == "table"
    data = _read_data(given, given.file, people=people)
    folder = _folder(given, "tune", given.file)
    place = folder if given.storage is None else "the storage"  # whose address may hold a password
    kept = _kept("the finished configurations are", place)
    objectives = given.objectives and [name.strip() for name in given.objectives.split(",") if name.strip()]
    arguments = given.arguments("run")
    arguments |= {
        "out": folder,
        "execution": arguments["execution"] | {"resume": given.resume or given.storage is not None},
        "resampling": resampling_by_name(given.resampling),
        "objectives": objectives,
    }
    with _working(given, arguments, kept, "configurations"):
        result = run_tuning(given.space, data, **arguments)
    if given.nested is not None:
        folds: dict[str, Any] = {"execution": {}}
        with _working(given, folds, kept, "outer folds"):
            result.nested_score(given.nested, given.choose, progress=folds["execution"]["progress"])
    with resumable(kept), explained(folder, resumable=True):
        found = findings_of(result, **given.arguments("findings"), choose=given.choose)
        chosen = next(one.number for one in found.front if one.chosen)
        is_recommended = bool(found.choices)
        record_findings(found, folder)
        if is_recommended:
            features = result.features(chosen)
            text = csv_text(features.to_dict("records"), safe=given.spreadsheet_safe)
            write_durably(folder / CHOSEN, text.encode())  # what files name their columns is UTF-8
        else:  # features of a configuration that does not predict are no list, nor are those of an earlier choice
            (folder / CHOSEN).unlink(missing_ok=True)
    render(found, given.format, safe=given.spreadsheet_safe)
    if people:
        typer.echo(f"All configurations: {folder / TRIALS}")
        if is_recommended:
            typer.echo(f"How often the resamples select the features of configuration {chosen}: {folder / CHOSEN}")
        typer.echo(f"\nA report: steadyset report {shlex.quote(str(folder))}")
    if is_recommended and not given.spreadsheet_safe:
        warn_of_formulas(features["feature"], str(folder / CHOSEN))


def _folder(given: Given, command: str, file: Path) -> Path:
    """Where the answer goes: into the folder that is given, or beside the file, called after both."""
    out: Path | None = given.out
    return default_folder(command, file) if out is None else out


def _kept(what: str, place: Path | str) -> str:
    """Return the sentence for an interruption: where the finished part is, and the command that continues."""
    job = current_job()
    command = ""
    if job and isinstance(place, Path):  # the address of a storage may hold a password
        command = as_shell_line({**job, "options": {**job["options"], "resume": True}})
    if not command:
        return f"{what} in {place}, and the same command with --resume continues."
    return f"{what} in {place}. To continue, run: {command}"


@contextmanager
def _working(
    given: Given, arguments: dict[str, Any], kept: str, unit: str, *said_later: type[Warning]
) -> Iterator[Telling | None]:
    """Show how far the work is, end it between two `unit` if a signal comes, and hold warnings back.

    Yield what shows the progress; None if nobody looks.
    """
    from steadyset.kernels.jit import nothing_compiled

    people = given.format == "table"
    if people and nothing_compiled():
        typer.echo(COMPILING)
    shown = None if people_look() else ProgressLines(unit)
    told = progress_told(shown if people else False, unit)
    with resumable(kept) as stop, told as progress, warnings.catch_warnings():
        for kind in said_later or (UserWarning,):  # what failed is told below
            warnings.simplefilter("ignore", kind)
        arguments["execution"] |= {"progress": stop.between(progress)}
        yield telling(progress)


def run_job(given: Given) -> None:
    """Run a job: the command and the options that a JSON file holds, such as job.json in a run folder of the page.

    The file is an object with `command`, a name such as assess, and `options`, their values by name.
    """
    from steadyset.cli import COMMANDS

    job = job_from(_read_job(given.job))
    perform(job.command, COMMANDS[job.command], values_of(job))


def warm_up(given: Given) -> None:
    """Compile the parts of steadyset that are compiled when they are first used, and keep them."""
    from steadyset.warming import warm_up as compile_ahead

    begin = time.monotonic()
    compile_ahead(given.jobs)
    typer.echo(f"All kernels are compiled ({time.monotonic() - begin:.0f} s).")


def _read_job(name: str) -> Any:
    try:
        if name == "-":
            content = sys.stdin.buffer.read(MAX_JOB_BYTES + 1)
        else:
            with beneath.opened(Path(name).parent, Path(name).name) as file:  # of a run folder that may be a stranger's
                content = os.read(file, MAX_JOB_BYTES + 1)
        if len(content) > MAX_JOB_BYTES:
            raise InputError(f"{name} is too large for a job.")
        return json.loads(content)
    except OSError as error:
        raise InputError(f"{name} cannot be read: {error.strerror or error}.") from None
    except (ValueError, RecursionError) as error:
        if isinstance(error, InputError):
            raise
        raise InputError(f"{name} is not a job: it holds no JSON ({error}).") from None


def _read_data(given: Given, file: Path, *, people: bool) -> Data:
    """The data of a file; people are told what was read, and what the target is taken for."""
    from steadyset.io.data.data_table import load_data

    data = load_data(file, **given.arguments("data"))
    if people:
        typer.echo(f"{file}: {data.understood}")
        for note in data.notes:
            typer.echo(note)
        typer.echo(f"outcome: {_outcome(data.y, given.task)}")
    return data


def _outcome(y: Any, task: str | None) -> str:
    """What the target is taken for, and how to take it otherwise where that is possible."""
    from steadyset.tasks import TASKS, task_of

    kind = task_of(y, task)
    words, other = TASKS[kind].describe(y), None if task is not None else TASKS[kind].other(y)
    if other is None:
        return words
    return f"{words}; --task {other} treats them as {TASKS[other].words}"


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


def _finish_table(result: Assessment, folder: Path, given: Given) -> None:
    """Write the table of features as the options want it, where they want it otherwise; tell of formulas in it."""
    from steadyset.assessment.folder import RunFolder
    from steadyset.inference.features import table_csv

    safe = given.spreadsheet_safe
    blocks = result.feature_blocks(core=given.core, level=given.level)
    if safe or (given.core, given.level) != (CORE, LEVEL):
        RunFolder(folder).write_table(table_csv(blocks, safe=safe))
    if not safe:
        warn_of_formulas((block.features[f] for block in blocks for f in block.order), str(folder / TABLE))


def serve(given: Given) -> None:
    """Open a local page: measure selections, assess or tune on a table, browse earlier runs.

    Nothing leaves this machine. Runs go on when the page is closed, and the command sees the same folders.
    """
    from steadyset.serve import serve as serve_page

    folder, host = given.folder, given.host
    if folder.exists() and not folder.is_dir():
        raise InputError(f"{folder} is a file; the page needs a folder.")
    secret = _password(given.password, given.password_file)
    with explained(folder):
        folder.mkdir(parents=True, exist_ok=True)
    opening: list[Path] = []

    def ready(link: str) -> None:
        from steadyset.serve.access import is_this_machine

        typer.echo(f"The page is at {link}\nIt works in {folder.resolve()}. Ctrl-C closes it; runs go on.")
        if not is_this_machine(host):
            at = link.rsplit(":", 1)[1].strip("/")
            typer.echo(
                "Everybody who reaches this machine and knows the password can use the page, and read and delete what "
                "is in the folder.\nThe connection is not encrypted: on a network that you do not trust, use "
                f"`ssh -L {at}:127.0.0.1:{at} MACHINE` and leave --host out."
            )
        if given.open:
            opening.append(_open_browser(link))

    try:
        serve_page(folder, host=host, port=given.port, password=secret, ready=ready)
    finally:
        for page in opening:
            page.unlink(missing_ok=True)


def _password(asked: bool, file: Path | None) -> str | None:
    """The password, which is never an argument: other users of the machine can list those."""
    given = os.environ.get(PASSWORD)
    if file is not None:
        try:
            return file.read_text(encoding="utf-8").partition("\n")[0].rstrip("\r")
        except (OSError, UnicodeError) as error:
            raise InputError(f"{file} cannot be read: {getattr(error, 'strerror', None) or error}.") from None
    if asked and not given:
        if not sys.stdin.isatty():
            raise InputError(f"There is no terminal to type a password in; set {PASSWORD}, or name a file.")
        return str(typer.prompt("Password for visitors", hide_input=True, confirmation_prompt=True))
    return given or None


def _open_browser(link: str) -> Path:
    """Open a private page that leads to the link, whose key would stand among the arguments of the browser.

    Nobody waits for it: some browsers stay in front until they are closed.
    """
    import html
    import tempfile
    import threading
    import webbrowser

    from steadyset.serve.site import PREFIX

    file, name = tempfile.mkstemp(prefix=PREFIX, suffix=".html")  # readable by this user alone
    with open(file, "w", encoding="utf-8") as page:
        page.write(f'<meta charset="utf-8"><meta http-equiv="refresh" content="0;url={html.escape(link)}">')
    threading.Thread(target=webbrowser.open, args=(Path(name).as_uri(),), daemon=True).start()
    return Path(name)
