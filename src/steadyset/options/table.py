"""All options of all commands. A new one is a record here; nothing else lists it."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any, get_args

from steadyset.foundation.arguments import ALIKE, ALIKE_BY, CORE, LEVEL, MARGIN, MAX_RUNS, REPORT_FORMATS
from steadyset.foundation.text import listed
from steadyset.io.files import MAX_GB
from steadyset.io.lists import R_LAYOUTS, READ_LAYOUTS
from steadyset.options import REQUIRED, Field, Option

# Commands that take the same options.
JOBS = "shortlist replicate assess tune"  # which the page offers, and `steadyset run` takes
ONE_FILE = "shortlist assess tune"
RUNS = f"{JOBS} why"
PROCEDURES = "measure compare consensus"
REPORT_FILES = listed([f".{name}" for name in REPORT_FORMATS[:-1]], last=" or ")
SELECTIONS = f"{PROCEDURES} report methods"
CATALOGUES = "measures selectors resamplings certify"
# Headings of the help.
DATA = "The data"
READING = "Reading the selections"
CHANCE = "Undefined values and chance"
SIMILAR = "Similar features"

IMPORTANCES = {"predictor": "in the model that predicts", "selector": "the method's own weights"}
YES_NO = {"yes": "yes", "no": "no"}
SAMPLES_IN_COLUMNS = {"yes": "yes: one column per sample", "no": "no: one row per sample"}
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
        "Default: accuracy; balanced_accuracy if one class has 80% of the rows or more, r2 for numbers, "
        "poisson_deviance for counts, harrell for times to event."
    )


def _steps() -> str:
    from steadyset.runner.preparation import STEPS

    steps = ", ".join(step.written for step in STEPS.values())
    return (
        f"What each run does to its rows, learnt from its training rows: {steps}; in the order that is typed. Columns "
        "of text are then taken too."
    )


def _rules() -> str:
    from steadyset.tuning.choose import CHOICES

    return f"How one configuration is chosen: {', '.join(CHOICES.names())}."


def _samplers() -> str:
    from steadyset.tuning.search import SAMPLERS

    return f"{', '.join(SAMPLERS[:-1])} or {SAMPLERS[-1]}."


def _aggregations() -> str:
    from steadyset.inference.consensus import RULES

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


def _study_files() -> str:
    return (
        f"{_data_files()} Several are several studies, which are compared. Or the run folder of `steadyset assess`, "
        "which says all that made it."
    )


def _selection_files() -> str:
    from steadyset.io.formats import record

    return (
        "Selections in any usual layout (0/1 or marks, run and feature, lists in columns or rows, GMT, GMX, ranks, "
        f"importances) in {record.endings_in_words(record.LISTS)}; a folder of .txt lists; or a run folder."
    )


def _bases() -> str:
    from steadyset.shortlists.bases import BASES

    return f"What ranks the features of a half: {listed(list(BASES), last=' or ')}; may be repeated. Default: both."


def _engines() -> str:
    from steadyset.assessment.engines import ENGINES

    return f"auto, {', '.join(ENGINES)}, dask, or a dask scheduler's address."


def _all(*options: Option, **shared: Any) -> list[Option]:
    """The options, each with the facts that they share."""
    return [replace(option, **shared) for option in options]


TABLE: tuple[Option, ...] = (
    # ---- what a command works on ----------------------------------------------------------------------------------
    *_all(
        Option("file", _data_files, "FILE", commands=ONE_FILE, default=REQUIRED),
        Option(
            "file",
            lambda: f"{_data_files()} Or the run folder of `steadyset assess`, which says all that made it.",
            "DIR|FILE",
            commands="why",
            default=REQUIRED,
        ),
        Option("files", _study_files, "DIR|FILE...", commands="replicate", many=True, default=REQUIRED),
        Option("files", _selection_files, "FILE...", commands=PROCEDURES, many=True, default=REQUIRED),
        Option(
            "source",
            "The run folder of an assessment or a tuning, or a file or folder with selections in any layout that "
            "`steadyset measure` reads.",
            "DIR|FILE",
            commands="report methods",
            default=REQUIRED,
        ),
        Option("name", "Show only this measure, with all its details.", commands="measures"),
        Option("name", "Show only this selector, with all its details.", commands="selectors"),
        Option("name", "Show only this resampling, with all its details.", commands="resamplings"),
        Option("names", "Measures, or all.", "NAME...", commands="certify", many=True, default=REQUIRED),
        Option(
            "folder",
            "The folder with run folders and tables; made if it is missing.",
            "DIR",
            commands="serve",
            default=Path("."),
        ),
        Option(
            "job",
            "A job as JSON, such as job.json in a run folder of the page: a command and its options; - reads it from "
            "standard input.",
            "FILE|-",
            commands="run",
            default=REQUIRED,
        ),
        positional=True,
    ),
    # ---- assess and tune: what to run -----------------------------------------------------------------------------
    Option(
        "target", "What to predict. Without it: the candidates.", "COLUMN", commands=RUNS, short="-t", calls=("data",)
    ).on_page("target", "Target", usual=("target", "y", "class", "label", "outcome", "diagnosis", "status")),
    *_all(
        Option("time", "Instead of a target: how long each row was followed, for the time to an event.").on_page(
            "target", "Time", " to an event", usual=("time", "survival_time", "os_time", "futime")
        ),
        Option(
            "event",
            "With --time: 1 or True where the event took place, 0 or False where the row was censored; status=dead "
            "names the one of two other values that is the event.",
        ).on_page("target", "Event", ", 1 or 0", usual=("event", "status", "os_event", "fustat", "death")),
        metavar="COLUMN",
        commands=RUNS,
        calls=("data",),
    ),
    *_all(
        Option("false", "How many false features the list may hold on average.", "NUMBER", default=1.0).on_page(
            "ask",
            "False features",
            " that the list may hold on average",
            buttons={"0.5": "0.5", "1.0": "about 1", "2.0": "2", "5.0": "5"},
        ),
        Option("fdr", "Instead, which share of the listed features may be false on average.", "SHARE").on_page(
            "runs", "Instead, share of the list", " that may be false, such as 0.1"
        ),
        Option("base", _bases, "NAME", many=True, argument="bases").on_page(
            "runs", "Ranked by", ": filter, lasso, one per line (empty: both)"
        ),
        Option(
            "permutations",
            "How many permuted targets; at least 50 with --fdr. Default: 50, or as many as a smaller allowance needs.",
            "N",
            least=20,
        ).on_page("runs", "Shuffled targets", " (empty: as many as needed)"),
        Option("splits", "How many splits of the rows into two halves.", "N", default=50, least=10),
        Option(
            "outer",
            "How often the whole procedure is repeated on 80% of the rows, for how well the list predicts and whether "
            "it would come out again.",
            "N",
            default=10,
            least=0,
        ).on_page("runs", "Repeats", " on 80% of the samples", quick="0"),
        Option("minutes", "When to stop: what there is no time for is left out, and told.", "MINUTES"),
        commands="shortlist",
        calls=("run",),
    ),
    Option(
        "minutes",
        "Time limit in minutes. The first 5 runs are made in any case; --resume continues with those that did not fit.",
        "MINUTES",
        commands="assess",
        record="execution",
        calls=("run",),
    ),
    Option(
        "quick",
        "The list alone, in a fraction of the time: no repeats, so nothing on prediction, on how often "
        "features are found again, and on fewer rows. The list is the same. Equal to --outer 0.",
        commands="shortlist",
        default=False,
    ),
    *_all(
        Option(
            "selector",
            "The selector, which selects a fixed number of features. Default: that of the run folder.",
            SPECIFICATION,
            short="-s",
            calls=("what",),
        ).on_page("order", "Method"),
        Option(
            "pairs",
            "How many pairs of studies of each size. Default: 150 for filters that take all of them together, else 40.",
            "N",
            least=10,
            calls=("run",),
        ).on_page("runs", "Pairs of studies", " of each size (empty: 150, or 40 of slow methods)", quick="20"),
        commands="replicate",
    ),
    *_all(
        Option(
            "selector",
            "A method; may be repeated, to see how much the choice of the method matters. Default: those of the run "
            "folder, or five that suit the target.",
            SPECIFICATION,
            short="-s",
            many=True,
            argument="selectors",
            calls=("what",),
        ),
        *_all(
            Option("seeds", "How many seeds a method with randomness of its own runs with.", "N", default=5, least=2),
            Option(
                "resampling",
                "How the data are drawn again. Default: as in the run folder, or 40 bootstraps.",
                SPECIFICATION,
            ),
            calls=("run",),
        ),
        commands="why",
    ),
    Option(
        "selector",
        "A selector; may be repeated. Default: five that suit the target.",
        SPECIFICATION,
        commands="assess",
        short="-s",
        many=True,
        argument="selectors",
        calls=("what",),
    ).on_page("order", "Methods"),
    *_all(
        Option(
            "resampling", "How the runs are drawn, such as subsample:fraction=0.8.", SPECIFICATION, default="bootstrap"
        ).on_page("runs", "Resampling"),
        Option(
            "runs", "Number of runs (100), or auto: run until the intervals are narrow.", "N|auto", argument="n_runs"
        ).on_page("runs", "Runs", " (a number, or auto)", value="100", least=2, quick="20"),
        Option("width", "Width of the intervals at which --runs auto stops.", "W", default=0.05, record="n_runs"),
        Option("max_runs", f"Most runs that --runs auto makes ({MAX_RUNS}).", "N", least=2, record="n_runs"),
        Option("score", _scores, "NAME", many=True, argument="scoring").on_page("order", "Scores"),
        Option(
            "importance",
            "Importances for measures of weights, such as msi: those of the selected features in the model that "
            "predicts from them, or the selector's own weights. Default: the predictor's.",
            choices=("predictor", "selector"),
        ).on_page("runs", "Importances", " for measures of weights", empty="as the command does", choices=IMPORTANCES),
        commands="assess",
        calls=("run",),
    ),
    *_all(
        Option(
            "space",
            "What to try: bommert (filters x models), a part of it (bommert:model=lasso+knn,filter=jmi,most=20 has at "
            "most 20 features), or a json file with filter, fraction, model.",
            "NAME|FILE",
            default="bommert",
            calls=("what",),
        ),
        Option(
            "trials", "How many configurations to try.", "N", default=200, least=1, argument="n_trials", calls=("run",)
        ).on_page("ask", "Configurations", " to try", value="50", quick="10"),
        Option(
            "objectives",
            "What to optimise: scores (accuracy, auc, ...; r2, rmse), stability, size, time. Default: that of assess, "
            "stability, size.",
            "NAME,...",
            calls=("run",),
        ),
        Option("choose", _rules, "RULE[:NUMBER,...]", default="margins:0.025,0.1", argument="rule"),
        Option(
            "nested",
            "Outer folds of an honest score: the whole search is repeated on the other rows of each of K folds, and "
            "its choice is scored on the fold. Default: none; the answer tells how long it takes.",
            "K",
            least=2,
            most=1000,
            calls=("run",),
        ),
        Option("sampler", _samplers, "NAME", default="random", record="search", calls=("run",)),
        Option(
            "threshold",
            "Correlation from which two features count as alike, for measures that do so (0.9).",
            "T",
            record="search",
            calls=("run",),
        ),
        Option(
            "resampling", "How the runs are drawn.", SPECIFICATION, default="kfold:n_splits=10", calls=("run",)
        ).on_page("runs", "Resampling"),
        Option(
            "measure",
            "The stability measure; adjusted ones use Pearson correlations.",
            SPECIFICATION,
            default="nogueira",
            record="search",
            calls=("run",),
        ),
        commands="tune",
    ),
    *_all(
        Option("task", _tasks, "NAME", calls=("data",)).on_page(
            "target", "Task", empty="as the values say", choices=_task_words
        ),
        Option(
            "on_warning",
            "What happens when a selector warns: record it beside the result, or fail the run.",
            "record|fail",
            default="record",
            record="execution",
            calls=("run",),
        ),
        commands=RUNS,
    ),
    # ---- recorded selections: what to compute ---------------------------------------------------------------------
    *_all(
        Option(
            "measure",
            "A measure by name or alias, such as jaccard or davis:alpha=1; may be repeated. Default: all that can be "
            "computed.",
            SPECIFICATION,
            short="-m",
            many=True,
        ).on_page("measures", "Measures", ", one per line, such as davis:alpha=1 (empty: all)"),
        Option("level", f"Show intervals at this confidence level, such as {LEVEL}.", "L"),
        commands="measure",
    ),
    *_all(
        Option("measure", "The measure to compare.", SPECIFICATION, short="-m", default="nogueira"),
        Option(
            "paired",
            "Whether the runs are on the same resamples, matched by label, or by order if there are no labels. "
            "Default: decided by the labels.",
            no="--independent",
        ),
        Option(
            "adjust",
            "Adjustment for multiple tests: holm, bh (Benjamini-Hochberg), or none.",
            choices=("holm", "bh", "none"),
            default="holm",
        ),
        commands="compare",
    ),
    *_all(
        Option("aggregate", _aggregations, "RULE", default="top_frequency"),
        Option("backing", "Share of its runs that a method needs to back a feature.", "SHARE", default=0.5),
        Option("measure", "The pairwise measure of agreement.", "NAME", short="-m", default="phi"),
        Option("each_list", "Each list (run) of a FILE is that of a method of its own.", default=False),
        Option("show", "Features to show in the table.", "N", default=20, least=1),
        commands="consensus",
    ),
    # ---- documents ------------------------------------------------------------------------------------------------
    *_all(
        Option(
            "out",
            f"What to write: an {REPORT_FILES} file, or a folder. Default: report.{REPORT_FORMATS[0]}.",
            "FILE",
            short="-o",
        ),
        Option(
            "format",
            "html, pdf, docx (Word), md and json, as the ending says; folder: every picture as SVG and PDF and "
            "every table as csv, for a paper.",
            choices=REPORT_FORMATS,
        ),
        commands="report",
    ),
    *_all(
        Option(
            "format", "How the paragraphs are written.", choices=("text", "markdown", "latex", "json"), default="text"
        ),
        Option("bibtex", "Write the references as BibTeX; Markdown and LaTeX then cite its keys.", "FILE"),
        Option("csl", "Write the references as CSL-JSON (Zotero, Pandoc); keys as with --bibtex.", "FILE"),
        Option("docx", "Write the paragraphs with their references as a Word document.", "FILE"),
        Option("pdf", "Write them as PDF.", "FILE"),
        commands="methods",
    ),
    *_all(  # without defaults: what is recorded may have a share and a level of its own, as a tuning has
        Option("core", f"Share of the runs a feature needs to be in the steady core ({CORE:g}).", "SHARE"),
        Option("level", f"Confidence level of intervals and tests ({LEVEL:g}).", "L"),
        commands="report methods",
        calls=("findings",),
    ),
    # ---- reading a table of data ----------------------------------------------------------------------------------
    *_all(
        Option(
            "samples",
            "A file with the target and what else is known of the samples, joined to the data by their names.",
            "FILE",
        ).on_page("reading", "A file of samples", ", with the target", empty="none", called="a file of samples"),
        Option(
            "groups", "Rows with the same value, such as one patient's, stay together when runs are drawn.", "COLUMN"
        ).on_page("columns", "Group", ": column whose rows stay together"),
        Option("drop", "Leave a column out; may be repeated.", "COLUMN", many=True).on_page(
            "columns", "Leave out", ": columns, one per line"
        ),
        Option(
            "keep",
            "Use a column as a feature that looks like an identifier, a center or batch, or a time to the event.",
            "COLUMN",
            many=True,
        ).on_page("reading", "Keep", ": columns that look like identifiers, centers or times"),
        Option("known_only", "Leave out rows whose target is missing.", default=False).on_page(
            "reading", "Leave out rows without a target", choices={"yes": ""}
        ),
        Option(
            "impute",
            "Fill missing values within each run by the medians of its training rows; 'leave' leaves them to selectors "
            "that take them, such as limma.",
            "median",
        ).on_page("reading", "Fill missing values", " by medians", choices={"median": ""}),
        Option(
            "transpose",
            "The data has one row per feature and one column per sample. Default: found out with --samples, else no.",
            no="--no-transpose",
        ).on_page("reading", "Rows are features", empty="as the file says", choices=SAMPLES_IN_COLUMNS),
        Option("sheet", "The sheet of a workbook, or its number. Default: the only one with cells.", "NAME").on_page(
            "reading", "Sheet", " of a workbook"
        ),
        Option("samples_sheet", "The same for a workbook given as --samples.", "NAME").on_page(
            "reading", "Sheet of the samples"
        ),
        Option("layer", "Other values of an .h5ad file than X: a layer, or raw for raw/X.", "NAME").on_page(
            "reading", "Layer", " of an h5ad file"
        ),
        Option(
            "delimiter", "What separates the columns of a text file, such as ';' or tab. Default: found.", "C"
        ).on_page("reading", "Separator", " of a text file"),
        commands=RUNS,
        heading=DATA,
        calls=("data",),
    ),
    *_all(
        Option("prepare", _steps, "STEP,...", commands=f"{ONE_FILE} why").on_page(
            "reading", "Preparation", " inside each run, such as impute=median, scale"
        ),
        Option(
            "force",
            "Covariates that stay in every model and are never selected, such as age,sex; may be repeated.",
            "COLUMN,...",
            commands=f"{ONE_FILE} why",
            many=True,
        ).on_page("columns", "Covariate", ": columns that stay in every model, one per line"),
        Option(
            "block", "The batch of each row: selectors are adjusted for it.", "COLUMN", commands=f"{ONE_FILE} why"
        ).on_page("reading", "Blocks", ": column of batches that methods are adjusted for"),
        heading=DATA,
        calls=("data",),
    ),
    Option(
        "feature_groups",
        "A table with the columns feature and group, such as genes and their pathways, for selectors that select whole "
        "groups (group_lasso). Every feature has to be in it.",
        "FILE",
        commands="assess replicate why",
        heading=DATA,
        calls=("data",),
        in_terminal="its command reads a file of feature groups",
    ),
    Option(
        "strata",
        "Rows with the same value, such as one batch's, exchange targets among each other only.",
        "COLUMN",
        commands="shortlist",
        heading=DATA,
        calls=("data",),
    ).on_page("reading", "Strata", ": column within which targets are exchanged"),
    # ---- reading recorded selections ------------------------------------------------------------------------------
    Option(
        "features",
        "Number of features to choose from, if a file does not say.",
        "N",
        commands=SELECTIONS,
        heading=READING,
        argument="n_features",
        calls=("read",),
    ).on_page(
        "measure",
        "Number of features",
        ": from how many names could the lists have been chosen?",
        least=1,
        buttons={"20000": "all genes: 20,000", "1000": "one panel: 1,000", "": "only these names"},
    ),
    *_all(
        Option(
            "universe",
            "All features to choose from: a file with one name per line, a table with names in its first column, or "
            "the data, whose header names them.",
            "FILE",
            argument="features",
        ),
        Option("target", "A column of the data that is not a feature.", "COLUMN"),
        commands=SELECTIONS,
        heading=READING,
    ),
    *_all(
        Option("layout", _layouts, "NAME").on_page(
            "lists", "Layout", empty="recognised", choices={name: name for name in READ_LAYOUTS}
        ),
        Option(
            "top",
            "Selected are the K best: by rank, absolute importance or p-value, or the first of each list.",
            "K",
            least=1,
        ).on_page("lists", "Top", " (select the best so many)"),
        Option(
            "transpose",
            "Tables of runs and features have one row per feature and one column per run. Default: one row per run "
            "unless headings say otherwise; tables that look transposed are refused.",
            no="--no-transpose",
        ).on_page("lists", "Rows are features", empty="recognised", choices=YES_NO),
        Option(
            "header",
            "The first cell of each list is its label. Default: recognised, and refused where it is ambiguous.",
            no="--no-header",
        ).on_page("lists", "First cells are labels", empty="recognised", choices=YES_NO),
        Option("runs", "The column of a long table that names the runs.", "COLUMN").on_page(
            "lists", "Column of the runs", " in a long table"
        ),
        Option("sheet", "The sheet of a workbook. Default: the only one; or all, if each is a list.", "NAME").on_page(
            "lists", "Sheet", " of a workbook"
        ),
        commands=SELECTIONS,
        heading=READING,
        calls=("read",),
    ),
    Option(
        "max_gb",
        "Refuse files that need more memory than this.",
        "GB",
        commands=f"{RUNS} {SELECTIONS}",
        default=MAX_GB,
        calls=("data", "read"),
    ).on_page(called="the command, which takes larger files"),
    # ---- chance, and features that are alike ----------------------------------------------------------------------
    Option(
        "undefined",
        "How undefined pairs of runs are treated: nan (reported), raise (stop), paper (the value that the source of "
        "the measure states, if any), or a number to use.",
        "POLICY",
        commands=PROCEDURES,
        default="nan",
        heading=CHANCE,
    ),
    *_all(
        Option(
            "expectation",
            "Correction for chance of measures without one: exact, monte_carlo (simulate where no exact form exists), "
            "none, or auto (each measure as published).",
            "HOW",
            commands="measure compare",
            default="auto",
        ),
        Option(
            "draws",
            "Number of random draws in a simulation.",
            "N",
            commands=PROCEDURES,
            default=10_000,
            least=2,
            argument="n_draws",
        ),
        Option("mc_error", "Simulate until the Monte Carlo error is below this.", "E", commands="measure"),
        Option(
            "seed", "Seed of the simulation.", "N", commands=PROCEDURES, default=0, least=0, argument="random_state"
        ),
        heading=CHANCE,
        calls=("chance",),
    ),
    *_all(
        Option(
            "data",
            "The data the features were selected from, one row per observation: the adjusted measures then count "
            "similar features as alike.",
            "FILE",
        ),
        Option("similarity", "Similarities of the features, instead of --data: a square or a long table.", "FILE"),
        Option("similarity_method", _similarities, "NAME", default=ALIKE_BY, argument="method", calls=("similarity",)),
        Option(
            "threshold", "Similarity from which two features count as alike.", "T", default=ALIKE, calls=("similarity",)
        ),
        Option(
            "positive",
            "With --data: negative correlations count as 0, instead of by their absolute value.",
            default=False,
            calls=("similarity",),
        ),
        Option(
            "significant",
            "With --data, instead of --threshold: two features count as alike if their correlation is significant at "
            "this level (t-test of each pair), such as 0.05.",
            "L",
            calls=("similarity",),
        ),
        commands="measure compare",
        heading=SIMILAR,
    ),
    # ---- how the work is done, and where it goes ------------------------------------------------------------------
    *_all(
        *_all(
            Option("jobs", "Parallel jobs; -1 uses every core.", commands="assess shortlist replicate why warm-up"),
            Option("jobs", "Threads; -1 uses every core.", commands="tune"),
            metavar="N",
            default=-1,
            short="-j",
            argument="n_jobs",
            field=Field("runs", "Cores", least=1),
        ),
        Option(
            "engine",
            _engines,
            "NAME",
            commands="assess",
            default="auto",
            record="execution",
            in_terminal="its command uses other machines",
        ),
        Option(
            "storage",
            "A database that many processes share. Default: SQLite in DIR.",
            "URL",
            commands="tune",
            in_terminal="its configurations are in a database elsewhere",
        ),
        *_all(
            Option("out", "The run folder. Default: FILE's name + -runs.", commands="assess"),
            Option("out", "The folder. Default: FILE's name + -shortlist.", commands="shortlist"),
            Option("out", "The folder. Default: the name of the (first) FILE + -replication.", commands="replicate"),
            Option("out", "The folder. Default: the name of the data's file + -why.", commands="why"),
            Option("out", "The folder. Default: FILE's name + -tuning.", commands="tune"),
            metavar="DIR",
            short="-o",
            field=Field("runs", "Name"),
        ),
        *_all(
            Option("resume", "Continue what is in the folder.", commands=JOBS),
            Option("resume", "Continue what is in the folder.", commands="why"),
            default=False,
            record="execution",
        ),
        Option(
            "all_rows",
            "Fit each selector once more, to all rows, for the table of features.",
            commands="assess",
            default=True,
            no="--no-all-rows",
            record="execution",
        ),
        Option(
            "predictions",
            "Keep what the model of each run predicts for all rows, and its coefficients, to see whether these hold.",
            commands="assess",
            default=False,
            record="execution",
        ),
        Option(
            "seed",
            "Random seed; the same seed gives the same result.",
            "N",
            commands=RUNS,
            default=0,
            least=0,
            argument="random_state",
        ).on_page("runs", "Seed"),
        calls=("run",),
    ),
    *_all(
        Option(
            "core",
            "Share of the runs a feature needs to be in the steady core.",
            "SHARE",
            commands="assess tune consensus",
            default=CORE,
        ),
        Option(
            "level",
            "Confidence level of intervals and tests.",
            "L",
            commands="assess tune compare consensus",
            default=LEVEL,
        ),
        Option(
            "margin",
            f"Loss in the first score that counts as none when a selector is preferred ({MARGIN:g}); a share of the "
            "score without features where a score has no bounds.",
            "LOSS",
            commands="assess report",
        ),
        Option(
            "replication",
            "The folder of `steadyset replicate` on the same data, with one of the selectors; its answer is joined.",
            "DIR",
            commands="report",
        ),
        calls=("findings",),
    ),
    # ---- the catalogue of measures --------------------------------------------------------------------------------
    *_all(
        Option("which", "Say which measure to use, after questions or by the options below.", default=False),
        Option("sizes", "With --which: whether all runs select the same number of features.", "fixed|vary"),
        Option("correlated", "With --which: whether features may stand in for each other.", "yes|no"),
        Option("importances", "With --which: whether every run weighs its features, and that counts.", "yes|no"),
        Option(
            "statistics",
            "With --which: what is to be stated besides the value: a confidence interval, that the stability is above "
            "a threshold, or a difference of selectors.",
            "none|interval|threshold|difference|all",
        ),
        commands="measures",
    ),
    # ---- code, and output -----------------------------------------------------------------------------------------
    Option(
        "load",
        "Run the code of a Python file, or of an installed module, that registers your own measures, filters, "
        "resamplings, selectors, rules or pictures; may be repeated.",
        "FILE|MODULE",
        commands=f"{RUNS} {SELECTIONS} {CATALOGUES}",
        many=True,
        in_terminal="its command loads Python code",
    ),
    Option(
        "format",
        "Output for people, or for programs.",
        commands=f"{RUNS} measure consensus {CATALOGUES}",
        choices=("table", "csv", "json"),
        default="table",
    ),
    Option(
        "format",
        "Output for people, programs or papers.",
        commands="compare",
        choices=("table", "csv", "json", "markdown", "latex"),
        default="table",
    ),
    Option(
        "spreadsheet_safe",
        "In csv, put an apostrophe before names that a spreadsheet would run as formulas (= + - @).",
        commands=f"{RUNS} {PROCEDURES} {CATALOGUES}",
        default=False,
    ),
    # ---- the page -------------------------------------------------------------------------------------------------
    *_all(
        Option("port", "The port. Default: 8351, or a free one if it is taken.", "N", least=1, most=65535),
        Option("open", "Open the page in a browser.", default=True, no="--no-open"),
        Option(
            "host",
            "Where to listen. Others than this machine reach the page at 0.0.0.0, which needs --password.",
            "ADDRESS",
            default="127.0.0.1",
        ),
        Option(
            "password",
            "Ask in the terminal for a password that visitors type instead of opening a link with a key; at least 8 "
            f"characters. Without a terminal it comes from the environment variable {PASSWORD}.",
            default=False,
        ),
        Option("password_file", "Read the password from the first line of a file.", "FILE"),
        commands="serve",
    ),
)
