"""All options of all commands. A new one is a record here; nothing else lists it."""

from __future__ import annotations

from pathlib import Path
from typing import get_args

from steadyset.foundation.conventions import ALIKE, ALIKE_BY, CORE, LEVEL, MARGIN, MAX_RUNS, REPORT_FORMATS
from steadyset.foundation.text import listed
from steadyset.io.files import MAX_GB
from steadyset.io.lists import R_LAYOUTS, READ_LAYOUTS
from steadyset.options import REQUIRED, Field, Option

# Commands that take the same options.
RUNS = "assess tune"
PROCEDURES = "measure compare consensus"
REPORT_FILES = listed([f".{name}" for name in REPORT_FORMATS[:-1]], last=" or ")
SELECTIONS = f"{PROCEDURES} report methods"
CATALOGUES = "measures selectors resamplings certify"
# Headings of the help.
DATA = "The data"
READING = "Reading the selections"
CHANCE = "Undefined values and chance"
SIMILAR = "Similar features"

YES_NO = {"yes": "yes", "no": "no"}
SPECIFICATION = "NAME[:PARAM=VALUE,...]"
PASSWORD = "STEADYSET_PASSWORD"  # the environment variable


def _layouts() -> str:
    plain = ", ".join(name for name in READ_LAYOUTS if name not in R_LAYOUTS)
    return (
        f"How selections are laid out: {plain}, or as R packages write them ({', '.join(R_LAYOUTS)}). Default: "
        "recognised, and refused where several fit."
    )


def _task_words() -> dict[str, str]:
    from steadyset.tasks import TASKS

    return {name: TASKS[name].words for name in TASKS.names()}


def _tasks() -> str:
    return (
        f"What the target is: {listed(list(_task_words()), last=' or ')}. Default: decided by its values, and printed."
    )


def _scores() -> str:
    from steadyset.runner.scoring import scores_for
    from steadyset.tasks import TASKS

    each = [f"for {TASKS[name].several} {listed([one.name for one in scores_for(name)])}" for name in TASKS.names()]
    return (
        f"Score on the left-out rows: {'; '.join(each)}; or any scorer of scikit-learn, such as f1. May be repeated. "
        "Default: accuracy; balanced_accuracy if one class has 80% of the rows or more, r2 for numbers."
    )


def _rules() -> str:
    from steadyset.tuning.choose import CHOICES

    return f"How one configuration is chosen: {', '.join(CHOICES.names())}."


def _samplers() -> str:
    from steadyset.tuning.search import SAMPLERS

    return f"{', '.join(SAMPLERS[:-1])} or {SAMPLERS[-1]}."


def _aggregations() -> str:
    from steadyset.inference.agreement import RULES

    return f"What ranks the features: {', '.join(RULES[:-1])} or {RULES[-1]}."


def _similarities() -> str:
    from steadyset.similarity.computed import Method

    return f"With --data: {listed(get_args(Method), last=' or ')}."


def _data_files() -> str:
    from steadyset.io.formats import record

    annotated = [one.name for one in record.FORMATS.every() if record.ANNOTATED in one.holds]
    return (
        f"The data: a table in {record.endings_in_words(record.TABLE)}, or a file of {listed(annotated, last=' or ')}; "
        "one row per observation, or genes in rows."
    )


def _selection_files() -> str:
    from steadyset.io.formats import record

    return (
        "Selections in any usual layout (0/1 or marks, run and feature, lists in columns or rows, GMT, GMX, ranks, "
        f"importances) in {record.endings_in_words(record.LISTS)}; a folder of .txt lists; or a run folder."
    )


def _engines() -> str:
    from steadyset.assessment.engines import ENGINES

    return f"auto, {', '.join(ENGINES)}, dask, or a dask scheduler's address."


TABLE: tuple[Option, ...] = (
    # ---- what a command works on ----------------------------------------------------------------------------------
    Option(
        "file",
        RUNS,
        _data_files,
        kind=Path,
        default=REQUIRED,
        metavar="FILE",
        positional=True,
    ),
    Option(
        "files",
        PROCEDURES,
        _selection_files,
        kind=Path,
        many=True,
        default=REQUIRED,
        metavar="FILE...",
        positional=True,
    ),
    Option(
        "source",
        "report methods",
        "The run folder of an assessment or a tuning, or a file or folder with selections in any layout that "
        "`steadyset measure` reads.",
        kind=Path,
        default=REQUIRED,
        metavar="DIR|FILE",
        positional=True,
    ),
    Option("name", "measures", "Show only this measure, with all its details.", positional=True),
    Option("name", "selectors", "Show only this selector, with all its details.", positional=True),
    Option("name", "resamplings", "Show only this resampling, with all its details.", positional=True),
    Option("names", "certify", "Measures, or all.", many=True, default=REQUIRED, metavar="NAME...", positional=True),
    Option(
        "folder",
        "serve",
        "The folder with run folders and tables; made if it is missing.",
        kind=Path,
        default=Path("."),
        metavar="DIR",
        positional=True,
    ),
    Option(
        "job",
        "run",
        "A job as JSON, such as job.json in a run folder of the page: a command and its options; - reads it from "
        "standard input.",
        default=REQUIRED,
        metavar="FILE|-",
        positional=True,
    ),
    # ---- assess and tune: what to run -----------------------------------------------------------------------------
    Option(
        "target",
        RUNS,
        "What to predict. Without it: the candidates.",
        metavar="COLUMN",
        short="-t",
        calls=("data",),
        field=Field("target", "Target"),
    ),
    Option(
        "selector",
        "assess",
        "A selector; may be repeated. Default: five that suit the target.",
        metavar=SPECIFICATION,
        short="-s",
        many=True,
        argument="selectors",
        field=Field("order", "Selectors"),
    ),
    Option(
        "space",
        "tune",
        "What to try: bommert (filters x models), or a json file with filter, fraction, model.",
        metavar="NAME|FILE",
        default="bommert",
    ),
    Option(
        "trials",
        "tune",
        "How many configurations to try.",
        kind=int,
        default=200,
        metavar="N",
        least=1,
        argument="n_trials",
        calls=("run",),
        field=Field("runs", "Configurations", value="50"),
    ),
    Option(
        "objectives",
        "tune",
        "What to optimise: scores (accuracy, auc, ...; r2, rmse), stability, size, time. Default: that of assess, "
        "stability, size.",
        metavar="NAME,...",
        calls=("run",),
    ),
    Option(
        "choose",
        "tune",
        _rules,
        metavar="RULE[:NUMBER,...]",
        default="epsilon:0.025,0.1",
        argument="rule",
    ),
    Option("sampler", "tune", _samplers, metavar="NAME", default="random", record="search", calls=("run",)),
    Option(
        "resampling",
        "assess",
        "How the runs are drawn, such as subsample:fraction=0.8.",
        metavar=SPECIFICATION,
        default="bootstrap",
        calls=("run",),
        field=Field("runs", "Resampling"),
    ),
    Option(
        "resampling",
        "tune",
        "How the runs are drawn.",
        metavar=SPECIFICATION,
        default="kfold:n_splits=10",
        calls=("run",),
        field=Field("runs", "Resampling"),
    ),
    Option(
        "measure",
        "tune",
        "The stability measure; adjusted ones use Pearson correlations.",
        metavar="NAME",
        default="nogueira",
        record="search",
        calls=("run",),
    ),
    Option(
        "runs",
        "assess",
        "Number of runs (100), or auto: run until the intervals are narrow.",
        metavar="N|auto",
        argument="n_runs",
        calls=("run",),
        field=Field("runs", "Runs", " (a number, or auto)", value="100", least=2),
    ),
    Option(
        "width",
        "assess",
        "Width of the intervals at which --runs auto stops.",
        kind=float,
        default=0.05,
        metavar="W",
        record="n_runs",
        calls=("run",),
    ),
    Option(
        "max_runs",
        "assess",
        f"Most runs that --runs auto makes ({MAX_RUNS}).",
        kind=int,
        metavar="N",
        least=2,
        record="n_runs",
        calls=("run",),
    ),
    Option(
        "score",
        "assess",
        _scores,
        metavar="NAME",
        many=True,
        argument="scoring",
        calls=("run",),
        field=Field("order", "Scores"),
    ),
    Option(
        "task",
        RUNS,
        _tasks,
        metavar="NAME",
        calls=("data",),
        field=Field("target", "Task", empty="as the values say", choices=_task_words),
    ),
    Option(
        "on_warning",
        RUNS,
        "What happens when a selector warns: record it beside the result, or fail the run.",
        metavar="record|fail",
        default="record",
        record="execution",
        calls=("run",),
    ),
    # ---- recorded selections: what to compute ---------------------------------------------------------------------
    Option(
        "measure",
        "measure",
        "A measure by name or alias; may be repeated. Default: all that can be computed.",
        metavar="NAME",
        short="-m",
        many=True,
    ),
    Option("measure", "compare", "The measure to compare.", metavar="NAME", short="-m", default="nogueira"),
    Option(
        "paired",
        "compare",
        "Whether the runs are on the same resamples, matched by label, or by order if there are no labels. Default: "
        "decided by the labels.",
        kind=bool,
        no="--independent",
    ),
    Option(
        "adjust",
        "compare",
        "Adjustment for multiple tests: holm, bh (Benjamini-Hochberg), or none.",
        choices=("holm", "bh", "none"),
        default="holm",
    ),
    Option("aggregate", "consensus", _aggregations, metavar="RULE", default="top_frequency"),
    Option(
        "backing",
        "consensus",
        "Share of its runs that a method needs to back a feature.",
        kind=float,
        default=0.5,
        metavar="SHARE",
    ),
    Option("measure", "consensus", "The pairwise measure of agreement.", metavar="NAME", short="-m", default="phi"),
    Option(
        "each_list",
        "consensus",
        "Each list (run) of a FILE is that of a method of its own.",
        kind=bool,
        default=False,
    ),
    Option("show", "consensus", "Features to show in the table.", kind=int, default=20, metavar="N", least=1),
    Option(
        "level",
        "measure",
        f"Show intervals at this confidence level, such as {LEVEL}.",
        kind=float,
        metavar="L",
    ),
    # ---- documents ------------------------------------------------------------------------------------------------
    Option(
        "out",
        "report",
        f"What to write: an {REPORT_FILES} file, or a folder. Default: report.{REPORT_FORMATS[0]}.",
        kind=Path,
        metavar="FILE",
        short="-o",
    ),
    Option(
        "format",
        "report",
        "html, pdf, md and json, which the ending says as well; folder: every picture as SVG and PDF and every table "
        "as csv, for a paper.",
        choices=REPORT_FORMATS,
    ),
    Option(
        "format",
        "methods",
        "How the paragraphs are written.",
        choices=("text", "markdown", "latex", "json"),
        default="text",
    ),
    Option(
        "bibtex",
        "methods",
        "Write the references as BibTeX; Markdown and LaTeX then cite its keys.",
        kind=Path,
        metavar="FILE",
    ),
    Option(
        "csl",
        "methods",
        "Write the references as CSL-JSON (Zotero, Pandoc); keys as with --bibtex.",
        kind=Path,
        metavar="FILE",
    ),
    Option(  # what is recorded may have a share and a level of its own, as a tuning has
        "core",
        "report methods",
        f"Share of the runs a feature needs to be in the steady core ({CORE:g}).",
        kind=float,
        metavar="SHARE",
        calls=("findings",),
    ),
    Option(
        "level",
        "report methods",
        f"Confidence level of intervals and tests ({LEVEL:g}).",
        kind=float,
        metavar="L",
        calls=("findings",),
    ),
    # ---- reading a table of data ----------------------------------------------------------------------------------
    Option(
        "samples",
        RUNS,
        "A file with the target and what else is known of the samples, joined to the data by their names.",
        kind=Path,
        metavar="FILE",
        heading=DATA,
        calls=("data",),
        field=Field("reading", "A file of samples", ", with the target", empty="none", called="a file of samples"),
    ),
    Option(
        "groups",
        RUNS,
        "Rows with the same value, such as one patient's, stay together when runs are drawn.",
        metavar="COLUMN",
        heading=DATA,
        calls=("data",),
        field=Field("reading", "Groups", ": column whose rows stay together"),
    ),
    Option(
        "drop",
        RUNS,
        "Leave a column out; may be repeated.",
        metavar="COLUMN",
        many=True,
        heading=DATA,
        calls=("data",),
        field=Field("reading", "Leave out", ": columns, one per line"),
    ),
    Option(
        "keep",
        RUNS,
        "Use a column that looks like an identifier.",
        metavar="COLUMN",
        many=True,
        heading=DATA,
        calls=("data",),
        field=Field("reading", "Keep", ": columns that look like identifiers"),
    ),
    Option(
        "impute",
        RUNS,
        "Fill missing values within each run, by the medians of its training rows.",
        metavar="median",
        heading=DATA,
        calls=("data",),
        field=Field("reading", "Fill missing values", " by medians", choices={"median": ""}),
    ),
    Option(
        "transpose",
        RUNS,
        "The data has one row per feature and one column per sample. Default: found out with --samples, else no.",
        kind=bool,
        no="--no-transpose",
        heading=DATA,
        calls=("data",),
        field=Field(
            "reading",
            "Rows are features",
            empty="as the file says",
            choices={"yes": "yes: one column per sample", "no": "no: one row per sample"},
        ),
    ),
    Option(
        "sheet",
        RUNS,
        "The sheet of a workbook, or its number. Default: the only one with cells.",
        metavar="NAME",
        heading=DATA,
        calls=("data",),
        field=Field("reading", "Sheet", " of a workbook"),
    ),
    Option(
        "samples_sheet",
        RUNS,
        "The same for a workbook given as --samples.",
        metavar="NAME",
        heading=DATA,
        calls=("data",),
        field=Field("reading", "Sheet of the samples"),
    ),
    Option(
        "layer",
        RUNS,
        "Other values of an .h5ad file than X: a layer, or raw for raw/X.",
        metavar="NAME",
        heading=DATA,
        calls=("data",),
        field=Field("reading", "Layer", " of an h5ad file"),
    ),
    Option(
        "delimiter",
        RUNS,
        "What separates the columns of a text file, such as ';' or tab. Default: found.",
        metavar="C",
        heading=DATA,
        calls=("data",),
        field=Field("reading", "Separator", " of a text file"),
    ),
    # ---- reading recorded selections ------------------------------------------------------------------------------
    Option(
        "features",
        SELECTIONS,
        "Number of features to choose from, if a file does not say.",
        kind=int,
        metavar="N",
        heading=READING,
        argument="n_features",
        calls=("read",),
        field=Field("measure", "Number of features", " to choose from", least=1),
    ),
    Option(
        "universe",
        SELECTIONS,
        "All features to choose from: a file with one name per line, a table with names in its first column, or the "
        "data, whose header names them.",
        kind=Path,
        metavar="FILE",
        heading=READING,
        argument="features",
    ),
    Option(
        "target",
        SELECTIONS,
        "A column of the data that is not a feature.",
        metavar="COLUMN",
        heading=READING,
    ),
    Option(
        "layout",
        SELECTIONS,
        _layouts,
        metavar="NAME",
        heading=READING,
        calls=("read",),
        field=Field("lists", "Layout", empty="recognised", choices={name: name for name in READ_LAYOUTS}),
    ),
    Option(
        "top",
        SELECTIONS,
        "Selected are the K best: by rank, by absolute importance, or the first of each list.",
        kind=int,
        metavar="K",
        least=1,
        heading=READING,
        calls=("read",),
        field=Field("lists", "Top", " (select the best so many)"),
    ),
    Option(
        "transpose",
        SELECTIONS,
        "Tables of runs and features have one row per feature and one column per run. Default: one row per run unless "
        "headings say otherwise; tables that look transposed are refused.",
        kind=bool,
        no="--no-transpose",
        heading=READING,
        calls=("read",),
        field=Field("lists", "Rows are features", empty="recognised", choices=YES_NO),
    ),
    Option(
        "header",
        SELECTIONS,
        "The first cell of each list is its label. Default: recognised, and refused where it is ambiguous.",
        kind=bool,
        no="--no-header",
        heading=READING,
        calls=("read",),
        field=Field("lists", "First cells are labels", empty="recognised", choices=YES_NO),
    ),
    Option(
        "runs",
        SELECTIONS,
        "The column of a long table that names the runs.",
        metavar="COLUMN",
        heading=READING,
        calls=("read",),
        field=Field("lists", "Column of the runs", " in a long table"),
    ),
    Option(
        "sheet",
        SELECTIONS,
        "The sheet of a workbook. Default: the only one; or all, if each is a list.",
        metavar="NAME",
        heading=READING,
        calls=("read",),
        field=Field("lists", "Sheet", " of a workbook"),
    ),
    Option(
        "max_gb",
        f"{RUNS} {SELECTIONS}",
        "Refuse files that need more memory than this.",
        kind=float,
        default=MAX_GB,
        metavar="GB",
        calls=("data", "read"),
        field=Field(called="the command, which takes larger files"),
    ),
    # ---- chance, and features that are alike ----------------------------------------------------------------------
    Option(
        "undefined",
        PROCEDURES,
        "How undefined pairs of runs are treated: nan (reported), raise (stop), or a number to use.",
        metavar="POLICY",
        default="nan",
        heading=CHANCE,
    ),
    Option(
        "expectation",
        "measure compare",
        "Correction for chance of measures without one: exact, monte_carlo (simulate where no exact form exists), "
        "none, or auto (each measure as published).",
        metavar="HOW",
        default="auto",
        heading=CHANCE,
        calls=("chance",),
    ),
    Option(
        "data",
        "measure compare",
        "The data the features were selected from, one row per observation: the adjusted measures then count similar "
        "features as alike.",
        kind=Path,
        metavar="FILE",
        heading=SIMILAR,
    ),
    Option(
        "similarity",
        "measure compare",
        "Similarities of the features, instead of --data: a square or a long table.",
        kind=Path,
        metavar="FILE",
        heading=SIMILAR,
    ),
    Option(
        "similarity_method",
        "measure compare",
        _similarities,
        metavar="NAME",
        default=ALIKE_BY,
        heading=SIMILAR,
        argument="method",
        calls=("similarity",),
    ),
    Option(
        "threshold",
        "measure compare",
        "Similarity from which two features count as alike.",
        kind=float,
        default=ALIKE,
        metavar="T",
        heading=SIMILAR,
        calls=("similarity",),
    ),
    Option(
        "draws",
        PROCEDURES,
        "Number of random draws in a simulation.",
        kind=int,
        default=10_000,
        metavar="N",
        least=2,
        heading=CHANCE,
        argument="n_draws",
        calls=("chance",),
    ),
    Option(
        "mc_error",
        "measure",
        "Simulate until the Monte Carlo error is below this.",
        kind=float,
        metavar="E",
        heading=CHANCE,
        calls=("chance",),
    ),
    Option(
        "seed",
        PROCEDURES,
        "Seed of the simulation.",
        kind=int,
        default=0,
        metavar="N",
        least=0,
        heading=CHANCE,
        argument="random_state",
        calls=("chance",),
    ),
    # ---- how the work is done, and where it goes ------------------------------------------------------------------
    Option(
        "jobs",
        "assess warm-up",
        "Parallel jobs; -1 uses every core.",
        kind=int,
        default=-1,
        metavar="N",
        short="-j",
        argument="n_jobs",
        calls=("run",),
        field=Field("runs", "Cores", least=1),
    ),
    Option(
        "jobs",
        "tune",
        "Threads; -1 uses every core.",
        kind=int,
        default=-1,
        metavar="N",
        short="-j",
        argument="n_jobs",
        calls=("run",),
        field=Field("runs", "Cores", least=1),
    ),
    Option(
        "engine",
        "assess",
        _engines,
        metavar="NAME",
        default="auto",
        record="execution",
        calls=("run",),
        in_terminal="its command uses other machines",
    ),
    Option(
        "storage",
        "tune",
        "A database that many processes share. Default: SQLite in DIR.",
        metavar="URL",
        calls=("run",),
        in_terminal="its configurations are in a database elsewhere",
    ),
    Option(
        "out",
        "assess",
        "The run folder. Default: FILE's name + -runs.",
        kind=Path,
        metavar="DIR",
        short="-o",
        calls=("run",),
        field=Field("runs", "Name"),
    ),
    Option(
        "out",
        "tune",
        "The folder. Default: FILE's name + -tuning.",
        kind=Path,
        metavar="DIR",
        short="-o",
        calls=("run",),
        field=Field("runs", "Name"),
    ),
    Option(
        "resume", RUNS, "Continue what is in the folder.", kind=bool, default=False, record="execution", calls=("run",)
    ),
    Option(
        "all_rows",
        "assess",
        "Fit each selector once more, to all rows, for the table of features.",
        kind=bool,
        default=True,
        no="--no-all-rows",
        record="execution",
        calls=("run",),
    ),
    Option(
        "seed",
        RUNS,
        "Random seed; the same seed gives the same result.",
        kind=int,
        default=0,
        metavar="N",
        least=0,
        argument="random_state",
        calls=("run",),
        field=Field("runs", "Seed"),
    ),
    Option(
        "core",
        f"{RUNS} consensus",
        "Share of the runs a feature needs to be in the steady core.",
        kind=float,
        default=CORE,
        metavar="SHARE",
        calls=("findings",),
    ),
    Option(
        "level",
        f"{RUNS} compare consensus",
        "Confidence level of intervals and tests.",
        kind=float,
        default=LEVEL,
        metavar="L",
        calls=("findings",),
    ),
    Option(
        "margin",
        "assess report",
        f"Loss in the first score that counts as none when a selector is preferred ({MARGIN:g}); a share of the score "
        "without features where a score has no bounds.",
        kind=float,
        metavar="LOSS",
        calls=("findings",),
    ),
    # ---- the catalogue of measures --------------------------------------------------------------------------------
    Option(
        "which",
        "measures",
        "Say which measure to use, after three questions or the options below.",
        kind=bool,
        default=False,
    ),
    Option(
        "sizes",
        "measures",
        "With --which: whether all runs select the same number of features.",
        metavar="fixed|vary",
    ),
    Option(
        "correlated",
        "measures",
        "With --which: whether features may stand in for each other.",
        metavar="yes|no",
    ),
    Option(
        "importances",
        "measures",
        "With --which: whether every run weighs its features, and that counts.",
        metavar="yes|no",
    ),
    # ---- code, and output -----------------------------------------------------------------------------------------
    Option(
        "load",
        f"{RUNS} {SELECTIONS} {CATALOGUES}",
        "Run the code of a Python file, or of an installed module, that registers your own measures, filters, "
        "resamplings, selectors, rules or pictures; may be repeated.",
        metavar="FILE|MODULE",
        many=True,
        in_terminal="its command loads Python code",
    ),
    Option(
        "format",
        f"{RUNS} measure consensus {CATALOGUES}",
        "Output for people, or for programs.",
        choices=("table", "csv", "json"),
        default="table",
    ),
    Option(
        "format",
        "compare",
        "Output for people, programs or papers.",
        choices=("table", "csv", "json", "markdown", "latex"),
        default="table",
    ),
    Option(
        "spreadsheet_safe",
        f"{RUNS} {PROCEDURES} {CATALOGUES}",
        "In csv, put an apostrophe before names that a spreadsheet would run as formulas (= + - @).",
        kind=bool,
        default=False,
    ),
    # ---- the page -------------------------------------------------------------------------------------------------
    Option(
        "port",
        "serve",
        "The port. Default: 8351, or a free one if it is taken.",
        kind=int,
        metavar="N",
        least=1,
        most=65535,
    ),
    Option("open", "serve", "Open the page in a browser.", kind=bool, default=True, no="--no-open"),
    Option(
        "host",
        "serve",
        "Where to listen. Others than this machine reach the page at 0.0.0.0, which needs --password.",
        metavar="ADDRESS",
        default="127.0.0.1",
    ),
    Option(
        "password",
        "serve",
        "Ask in the terminal for a password that visitors type instead of opening a link with a key; at least 8 "
        f"characters. Without a terminal it comes from the environment variable {PASSWORD}.",
        kind=bool,
        default=False,
    ),
    Option("password_file", "serve", "Read the password from the first line of a file.", kind=Path, metavar="FILE"),
)
