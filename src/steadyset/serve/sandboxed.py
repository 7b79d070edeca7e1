"""What the page computes, in processes of the sandbox: plain values in, plain values out.

It is loaded once and forked for each call, so what the functions need is imported here.
"""

from __future__ import annotations

import json
import tempfile
import time
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from functools import lru_cache
from math import isfinite, nan
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa  # noqa: F401

from steadyset.assessment import Assessment, assess
from steadyset.assessment.request import Request, make_plan, make_request, refuse_unfilled
from steadyset.findings import findings_of, methods_of
from steadyset.findings.box import box_of
from steadyset.findings.of_results import of_selections
from steadyset.findings.parts import recorded_findings
from steadyset.foundation.arguments import CORE, FIRST_RUNS, LEVEL, MAX_RUNS
from steadyset.foundation.errors import Argument, InputError, MissingTargetError
from steadyset.foundation.pace import roughly
from steadyset.foundation.text import amount, counted, listed, number, percent, shown_name, span
from steadyset.inference.features import Directions, class_names, data_directions
from steadyset.inference.runs import over_the_same
from steadyset.inference.table import cautions, table_rows, without_cautions
from steadyset.io import beneath
from steadyset.io.data.data_table import GENES_AND_SAMPLES, load_data
from steadyset.io.data.sources import unlike_columns
from steadyset.io.disk import CERTAIN_LIST, LEFT_OUT, LIST, REPLICATION, SETTINGS, write_durably
from steadyset.io.formats.record import ANNOTATED, format_of, is_typed, is_workbook
from steadyset.io.formats.tables import TableFile, first_rows, read_sheet
from steadyset.io.inspection import DATA, Inspection, inspect
from steadyset.io.labels import UnionOfNames, several
from steadyset.io.lists import UNKNOWN_UNIVERSE
from steadyset.measures.evaluate import Options, full_sets, telling_measures
from steadyset.measures.record import get_measure
from steadyset.options import AUTO, arguments_of, study_names
from steadyset.replications.compare import requested_studies
from steadyset.replications.run import DisjointPairs, pairs_of, request_of, sizes_of
from steadyset.reports import PAPER, report, write_document
from steadyset.reports.html import page_of
from steadyset.resampling import RESAMPLINGS, Subsample, resampling_by_name, resampling_entry
from steadyset.resampling.base import Rows
from steadyset.runner.scoring import lower_is_better, scores_for
from steadyset.selections import Selections
from steadyset.selectors.catalogue import selector_entry, selector_names, selector_summary, why_unable
from steadyset.serve.forms import as_field, predicted
from steadyset.shortlists.bases import BASES
from steadyset.shortlists.exchange import exchange_of
from steadyset.shortlists.kept import KeptOrders
from steadyset.shortlists.listed import LISTED
from steadyset.shortlists.procedure import SPLITS, read_procedure
from steadyset.shortlists.run import stages_of_data
from steadyset.shortlists.selector import ShortlistSelector
from steadyset.shortlists.standing import Standing
from steadyset.tasks import SURVIVAL, TASKS, task_of
from steadyset.tuning import pareto_front
from steadyset.tuning.evaluation import N_FEATURES, SECONDS, STABILITY, Evaluator, Rankings
from steadyset.tuning.models import NO_FILTER
from steadyset.tuning.space import parts_of, read_space

SHOWN_ROWS, SHOWN_COLUMNS = 6, 7
PROVISIONAL = 10  # features of a shortlist that goes on
MAX_CELL, MOST_DIGITS, MAX_NAMED, MAX_LISTED = 40, 7, 1_000, 5
MAX_PREVIEW = 50 << 20  # bytes of a file whose first cells are shown before its target is known
KEPT_TABLES = 4  # studies that are compared
SAVED = 20  # files whose times make the estimate of saving
HALVES_TRIED = 3  # to see whether a method always chooses as many features
ALONE = {"engine": "serial", "progress": False}  # how a few runs are tried
PROBED = 2  # runs whose times make the estimate
PROBE_SECONDS = 20.0  # after which no further selector is tried
MAX_DRAWN = 2_000  # configurations whose times are added up one by one
Inputs = Sequence[tuple[str, str]]  # names and paths
INSPECTED = ("samples", "transpose", "sheet", "samples_sheet", "layer", "delimiter", "max_gb")  # options of inspect


def measured(inputs: Inputs, options: Mapping[str, Any]) -> dict[str, Any]:
    """Every measure of one or two recorded selections, or those asked for, with intervals; and what was understood."""
    wanted = options.get("measure")
    read = _recorded(inputs, options)
    tables = []
    for name, sel in read.items():
        asked = Options("nan", "auto", 10_000, 0, None, None)
        try:
            rows = table_rows(sel, wanted or telling_measures(sel, asked), asked, LEVEL)
        except InputError as error:
            raise error.after(f"{name}: ") from None
        every = None if wanted else full_sets(sel)
        left_out = [f"measures of sets are left out, as {every}; “Top” selects the best"] if every else []
        notes = [*_understood(sel), *left_out, *cautions(row["note"] for row in rows)]
        heading = counted(len(rows), "measure") if wanted else f"All {len(rows)} measures"
        shown = [_measure_row(row) for row in rows]
        tables.append({"name": name, "notes": notes, "rows": shown, "heading": heading})
    unknown = any(isinstance(sel.features, UnionOfNames) for sel in read.values())
    return {
        "tables": tables,
        "notes": [f"{UNKNOWN_UNIVERSE}; give “Number of features”."] if unknown else [],
    }


def selections_page(inputs: Inputs, options: Mapping[str, Any]) -> str:
    """The report of recorded selections; who has lists of one kind asks what they share."""
    read = _recorded(inputs, options)
    return page_of(findings_of(read if len(read) > 1 else next(iter(read.values()))))


def understood(path: str, reading: Mapping[str, Any], task: str | None, searched: bool = False) -> dict[str, Any]:
    """How a data file is read: with its target, what it holds, and what is `searched`; without, the candidates."""
    targets = [reading[name] for name in predicted("assess") if name in reading]
    targets = [name.partition("=")[0] if name == reading.get("event") else name for name in targets]
    told: dict[str, Any] = {"preview": None, "candidates": {}, "notes": [], "heading": "", "odd": []}
    found = _inspected(path, reading)
    told["candidates"] = dict(found.targets)
    told["times"] = [(time, event) for time, events in found.times.items() for event in events]
    told |= {"turned": "", "facts": []}
    if not targets:
        if not found.targets:  # a sentence says what the file is, or that nothing in it can be predicted
            try:
                load_data(found, **reading)
            except MissingTargetError as error:
                if found.layout == GENES_AND_SAMPLES:
                    told["turned"] = error.told(as_field)
                    told["facts"] = [part.value for part in error.args if _is_named(part, "target")]
        preview = _first_cells(found, reading)
        if preview is not None and not preview["n_rows"]:
            raise InputError("The table has names of columns and no rows.")
        return {**told, "preview": preview}
    data: Any = load_data(found, **reading)
    kind = task_of(data.y, task)
    TASKS[kind].check(data.y)
    classes = TASKS[kind].n_classes(data.y)
    X = np.asarray(data.X)  # a frame, where columns of text are prepared
    odd = unlike_columns(X, data.features) if X.dtype.kind == "f" else []
    return {
        **told,
        "preview": _cells(replace(data, task=kind), X, targets, odd),
        "odd": [data.features[f] for f in odd],
        "notes": [note for note in data.notes if not note.startswith("left out: '")],
        "heading": _heading(data, kind),
        "unable": _unable(replace(data, task=task)),
        "defaults": list(TASKS[kind].selectors(classes)),
        "selectors": {
            name: _first_part(selector_summary(name))
            for name in selector_names()
            if not why_unable(name, kind, classes)
        },
        "space": _parts_of_space(kind, classes, data) if searched else {},
        "scores": list(
            dict.fromkeys([TASKS[kind].score(data.y), *(score.name for score in scores_for(kind) if score.offered)])
        ),
        "resamplings": {name: _in_short(resampling_entry(name)["summary"]) for name in RESAMPLINGS.names()},
    }


def _is_named(part: Any, argument: str) -> bool:
    """Whether a part of a sentence is this argument with a name as its value."""
    return isinstance(part, Argument) and part.name == argument and isinstance(part.value, str)


def _unable(data: Any) -> dict[str, str]:
    """Which jobs this target cannot support, whatever their settings, and why."""
    found = {}
    with suppress(InputError):  # what stands in the way of all of them is told when one is ordered
        plan, _ = make_plan(data, resampling="subsample")
        for command, refuse in REFUSALS.items():
            try:
                refuse(plan)
            except InputError as error:
                found[command] = error.told(as_field)
    return found


def _refuse_shortlist(plan: Any) -> None:
    exchange_of(plan.y, plan.task, None, plan.groups)


def _refuse_replication(plan: Any) -> None:
    DisjointPairs().check(plan.rows)


REFUSALS = {"shortlist": _refuse_shortlist, "replicate": _refuse_replication}  # by the commands of jobs


def _heading(data: Any, task: str) -> str:
    n, d = data.X.shape
    return f"{n:,} samples, {several(d, 'feature')}, {_asked_of(data, task)}."


def _parts_of_space(task: str, classes: int, data: Any) -> dict[str, list[str]]:
    """The models and filters that a search for the best method may choose from."""
    space = read_space(None, task, classes, beside=data.force is not None or data.block is not None)
    return {"model": list(space.models), "filter": list(space.filters)}


def _asked_of(data: Any, task: str) -> str:
    """What is to be predicted: classes by their names, whatever else in the words of its task."""
    counts = TASKS[task].counts(data.y)
    if not 0 < len(counts) <= MAX_LISTED:
        return f"{shown_name(data.target)} to predict: {TASKS[task].describe(data.y)}"
    named = [f"{shown_name(str(label))} ({count:,})" for label, count in counts.items()]
    return f"{len(counts)} values of {shown_name(data.target)} to tell apart: {listed(named, MAX_LISTED)}"


def _inspected(path: str, reading: Mapping[str, Any]) -> Inspection:
    """What is in a table; a process that is kept parses it once, as long as neither file nor reading change."""
    options = tuple((name, reading[name]) for name in INSPECTED if name in reading)
    files = [path, reading["samples"]] if "samples" in reading else [path]
    return _inspected_once(path, options, tuple(Path(file).stat().st_mtime_ns for file in files))


@lru_cache(maxsize=KEPT_TABLES)
def _inspected_once(path: str, options: tuple[tuple[str, Any], ...], stamps: tuple[int, ...]) -> Inspection:
    return inspect(path, **dict(options))


def understood_too(files: Sequence[str], reading: Mapping[str, Any], task: str | None) -> list[str]:
    """How the further studies are read, each in a sentence."""
    return [_study_told(file, reading, task) for file in files]


def _study_told(file: str, reading: Mapping[str, Any], task: str | None) -> str:
    try:
        data = _loaded([file], reading, {"task": task})
        return _heading(data, task_of(data.y, task))
    except InputError as error:
        return error.told(as_field)


def checked(files: Sequence[str], reading: Mapping[str, Any], asked: Mapping[str, Any]) -> dict[str, Any]:
    """Refuse an assessment that could not be run; else the options that follow from the data."""
    data, drawn = _loaded(files, reading, asked), resampling_by_name(str(asked["resampling"]))
    make_request(asked["selector"], data, None, resampling=drawn, scoring=asked.get("score"))
    return {"runs": None} if _fixed_runs(drawn, data) else {}


def checked_shortlist(files: Sequence[str], reading: Mapping[str, Any], asked: Mapping[str, Any]) -> dict[str, Any]:
    """The same for a shortlist."""
    plan, names = make_plan(_loaded(files, reading, asked), resampling="subsample")
    bases = tuple(asked.get("base") or BASES)
    procedure = read_procedure(asked["false"], asked.get("fdr"), bases, asked.get("permutations"), SPLITS, None)
    _refuse_shortlist(plan)
    refuse_unfilled(plan, names, {"the shortlist": ShortlistSelector()})
    return {"permutations": procedure.n_permutations}


def checked_tuning(files: Sequence[str], reading: Mapping[str, Any], asked: Mapping[str, Any]) -> dict[str, Any]:
    """The same for a tuning."""
    _tuned(_loaded(files, reading, asked), asked)
    return {}


def checked_replication(files: Sequence[str], reading: Mapping[str, Any], asked: Mapping[str, Any]) -> dict[str, Any]:
    """The same for a replication, which needs a fixed number of features, or for the comparison of studies."""
    each, selector = _requests(files, reading, asked), str(asked["selector"])
    pairs_of(each[0][1], asked.get("pairs"))
    if len(each) == 1:
        halves = Subsample(HALVES_TRIED, fraction=0.5)
        few = assess(selector, each[0][0], resampling=halves, scoring=[], execution=ALONE)
        (whole,) = (len(cell.selected or ()) for cell in few.on_all_rows.values())
        sizes = [len(cell.selected) for cell in few.cells if cell.selected is not None]
        if sizes and whole not in sizes:
            raise InputError(
                f"{selector} selects {whole} features of all samples and {listed(sorted(map(str, set(sizes))))} of "
                "halves of them; the next study is told for methods that always choose as many: choose another one."
            )
    return {}


def _requests(files: Sequence[str], reading: Mapping[str, Any], asked: Mapping[str, Any]) -> list[tuple[Any, Request]]:
    """The data of each study, and what is asked of it; a sentence where it cannot be told."""
    selector = str(asked["selector"])
    if len(files) == 1:
        data = _loaded(files, reading, asked)
        return [(data, request_of(selector, data))]
    names = study_names(list(map(Path, files)))
    studies = {name: _loaded([file], reading, asked) for name, file in zip(names, files, strict=True)}
    found = requested_studies(selector, studies)
    return [(found.data[name], found.asked[name]) for name in names]


def _loaded(files: Sequence[str], reading: Mapping[str, Any], asked: Mapping[str, Any]) -> Any:
    """The data of a file, or of the first of several."""
    return replace(load_data(_inspected(files[0], reading), **reading), task=asked.get("task"))


def _tuned(data: Any, asked: Mapping[str, Any]) -> tuple[Any, tuple[str, ...], Any]:
    """The plan of a tuning, the names of its features, and its configurations."""
    drawn, seed = resampling_by_name(str(asked["resampling"])), int(asked["seed"])
    task = task_of(data.y, data.task)
    score = str(asked.get("objectives") or TASKS[task].score(data.y)).partition(",")[0]
    plan, names = make_plan(data, resampling=drawn, scoring=[score], random_state=seed)
    kind, beside = TASKS[plan.task], plan.forced is not None
    sizes = kind.n_classes(plan.y), kind.scale(plan.y), plan.X.shape[1]
    space = read_space(asked.get("space"), plan.task, *sizes, beside=beside)
    refuse_unfilled(plan, names, parts_of(space))
    return plan, names, space


def _fixed_runs(resampling: Any, data: Any) -> int:
    if "n_runs" in resampling.get_params():
        return 0
    return int(resampling.n_runs_for(Rows(len(data.X), data.y, data.groups)))


def estimated(
    files: Sequence[str], reading: Mapping[str, Any], request: Mapping[str, Any], at_once: int
) -> tuple[str, dict[str, str]]:
    """How long an assessment takes with so many runs at once, and one run of each selector, by runs that are tried."""
    data, drawn = _loaded(files, reading, request), resampling_by_name(str(request["resampling"]))
    fixed = _fixed_runs(drawn, data)
    if not fixed:
        drawn.set_params(n_runs=PROBED)
    scores = request.get("score") or None
    found: dict[str, float] = {}
    begin = time.monotonic()
    for selector in request["selector"]:
        if time.monotonic() - begin > PROBE_SECONDS:
            break
        found[selector] = _seconds_of(selector, data, drawn, scores)
        if time.monotonic() - begin < PROBE_SECONDS:  # the first time loads what is compiled
            found[selector] = min(found[selector], _seconds_of(selector, data, drawn, scores))
    until_narrow = not fixed and request["runs"] == AUTO
    runs = FIRST_RUNS if until_narrow else fixed or int(request["runs"])
    known = {name: value for name, value in found.items() if isfinite(value)}
    total = sum(known.values()) * runs / at_once
    words = f"About {roughly(total)}"
    if until_narrow:
        most = roughly(total * MAX_RUNS / runs)
        words += (
            f" for the first {runs} runs; more follow until the intervals are narrow, at most {MAX_RUNS:,} in {most}"
        )
    untried = [name for name in request["selector"] if name not in found]
    if untried:
        words = f"More than {roughly(total)}: there was no time to try {listed(untried, MAX_LISTED)}"
    failed = [name for name in found if name not in known]
    failures = f" The first runs of {listed(failed, MAX_LISTED)} failed." if failed else ""
    return f"{words}.{failures}", {name: f"{value:.2g} s" for name, value in known.items()}


def _seconds_of(selector: str, data: Any, drawn: Any, scores: Any) -> float:
    """The time of one run, by runs that are tried; nan where all of them fail."""
    result = assess([selector], data, scoring=scores, resampling=drawn, execution=ALONE | {"all_rows": False})
    times = [cell.fit_seconds + cell.score_seconds for cell in result.cells if isfinite(cell.fit_seconds)]
    return min(times, default=nan)


def estimated_replication(
    files: Sequence[str], reading: Mapping[str, Any], request: Mapping[str, Any], at_once: int
) -> tuple[str, dict[str, str]]:
    """The same for a replication, by one study of each size, and by how long it takes to save many small files."""
    selector, total, saving = str(request["selector"]), 0.0, _seconds_to_save(Path(files[0]).parent)
    for data, asked in _requests(files, reading, request):
        n_rows = len(asked.plan.y)
        runs: dict[int, int] = {}
        for size in sizes_of(n_rows, pairs_of(asked, request.get("pairs"))):
            runs[size.rows] = runs.get(size.rows, 0) + size.runs
        for n, n_runs in runs.items():
            drawn = Subsample(PROBED, fraction=n / n_rows)
            tried = [_seconds_of(selector, data, drawn, []) for _ in range(PROBED)]  # the first may compile
            total += n_runs * (float(np.nanmin(tried)) / at_once + saving) if np.isfinite(tried).any() else 0.0
    return f"About {roughly(total)}.", {}


def _seconds_to_save(folder: Path) -> float:
    with tempfile.TemporaryDirectory(dir=folder, prefix=".") as place:
        begin = time.monotonic()
        for number in range(SAVED):
            write_durably(Path(place) / f"{number}.json", b"{}")
        return (time.monotonic() - begin) / SAVED


def estimated_shortlist(
    files: Sequence[str], reading: Mapping[str, Any], request: Mapping[str, Any], at_once: int
) -> tuple[str, dict[str, str]]:
    """The same for a shortlist, and when its list is there, by a few halves of the rows."""
    false, fdr, bases = request["false"], request.get("fdr"), tuple(request.get("base") or BASES)
    n_splits = int(request.get("splits") or SPLITS)
    procedure = read_procedure(false, fdr, bases, request.get("permutations"), n_splits, at_once)
    stages = stages_of_data(_loaded(files, reading, request), procedure, outer=int(request["outer"]))
    if not stages:
        return "The time cannot be estimated for these data.", {}
    seconds = [stage.total * stage.each for stage in stages]
    words = f"About {roughly(sum(seconds))}."
    return (f"{words} The list itself is there after about {roughly(seconds[0])}." if seconds[1:] else words), {}


def estimated_tuning(
    files: Sequence[str], reading: Mapping[str, Any], request: Mapping[str, Any], at_once: int
) -> tuple[str, dict[str, str]]:
    """The same for the configurations of a tuning, by the first of them."""
    plan, names, space = _tuned(_loaded(files, reading, request), request)
    evaluator = Evaluator(plan, features=names, n_jobs=1)
    before = Evaluator(plan, features=names, n_jobs=1)  # on one resample and without a clock: it may compile
    before.usable = before.usable[:1]
    before.rankings = Rankings(plan, before.usable, 1)
    n_drawn = min(int(request["trials"]), MAX_DRAWN)
    drawn = [space.sample(np.random.default_rng((plan.seed, i))) for i in range(n_drawn)]
    ranking: dict[str, list[float]] = {NO_FILTER: [0.0]}
    fitting: dict[str, list[float]] = {}
    begin = time.monotonic()
    for params in drawn:
        if fitting and time.monotonic() - begin > PROBE_SECONDS / 2:
            break
        configuration = space.estimator(params, len(plan.y), plan.task)
        before(configuration)
        start = time.monotonic()
        if params["filter"] not in ranking:
            evaluator.rankings.best(params["filter"], configuration.n_kept(plan.X.shape[1]))
            ranking[params["filter"]] = [time.monotonic() - start]
        ranked = time.monotonic()
        evaluator(configuration)
        fitting.setdefault(params["model"], []).append(time.monotonic() - ranked)
    # Each filter ranks once, for all configurations.
    ranks = sum(_typical(ranking, name) for name in {params["filter"] for params in drawn})
    fits = sum(_typical(fitting, params["model"]) for params in drawn)
    total = ranks + fits * int(request["trials"]) / n_drawn
    tried = sum(map(len, fitting.values()))
    return f"About {roughly(total / at_once)}, by {counted(tried, 'configuration')} tried out.", {}


def interim(path: str, job: Mapping[str, Any] | None) -> list[dict[str, Any]]:
    """The stability of each selector by the runs that are finished, with its interval, and what it chooses most."""
    found = Assessment.open(path)
    summary = found.summary()
    return [
        {
            "name": shown_name(str(name)),
            "runs": int(row["n_runs"]),
            "stability": number(row["stability"]),
            "span": span(row["low"], row["high"]),
            "ends": [float(row["low"]), float(row["stability"]), float(row["high"])],
            "most": _most_chosen(found.selections.get(str(name))),
        }
        for name, row in zip(summary.index, summary.to_dict("records"), strict=True)
    ]


def _most_chosen(sel: Selections | None) -> str:
    if sel is None:
        return ""
    order = np.argsort(-np.asarray(sel.frequencies), kind="stable")[:MAX_LISTED]
    return ", ".join(f"{shown_name(str(sel.features[f]))} {percent(sel.frequencies[f])}" for f in order)


def part_studies(path: str, job: Mapping[str, Any] | None) -> list[dict[str, Any]]:
    """What the studies within the rows of each study choose so far."""
    folder, found = Path(path), []
    for part, (name, _) in json.loads(beneath.read(folder, REPLICATION)).items():
        if part != LEFT_OUT and beneath.modified(folder, f"{part}/{SETTINGS}" if part else SETTINGS):
            opened = Assessment.open(folder / part)
            most = _most_chosen(opened.selections.get(opened.selectors[0]))
            found.append({"name": shown_name(name), "most": most})
    return found


def provisional(path: str, job: Mapping[str, Any] | None) -> dict[str, Any]:
    """Return the list of a shortlist that goes on, as soon as it is certain, else the features most often selected."""
    folder = Path(path)
    certain = recorded_findings(folder, CERTAIN_LIST)
    if certain is not None and certain.shortlist is not None:
        rows = [
            {"name": shown_name(one.feature), "direction": one.direction, "share": one.frequency}
            for one in certain.shortlist.of_tier(LISTED)
        ]
        return {"rows": rows, "answer": list(certain.answer), "certain": True}
    rows = [] if job is None else _most_often_selected(folder, job)
    return {"rows": rows, "answer": [], "certain": False}


def _most_often_selected(folder: Path, job: Mapping[str, Any]) -> list[dict[str, Any]]:
    """Return the features that are most often among the best of the halves, with their direction."""
    asked = json.loads(beneath.read(folder, LIST))
    plan, names = make_plan(_ordered_data(folder, job), resampling="subsample")
    sizes = {"features": len(names), "clusters": len(names), **dict.fromkeys(asked["bases"], 2 * asked["splits"])}
    orders = KeptOrders.found(folder).get(0, sizes)
    if orders is None:
        return []
    ways = {base: BASES[base][1] for base in orders}
    standing = Standing([{base: one.features for base, one in orders.items()}], ways, len(names))
    _, counts = standing.counts_for(0)
    best = np.argsort(-counts, kind="stable")[:PROVISIONAL]
    classes = class_names(plan.y, plan.task)
    words = Directions(data_directions(plan.X, plan.y, plan.task), classes).words(best)
    return [
        {"name": shown_name(names[f]), "direction": word, "share": float(counts[f] / standing.n_halves)}
        for f, word in zip(best, words, strict=True)
    ]


def _ordered_data(folder: Path, job: Mapping[str, Any]) -> Any:
    """The data of the job that a folder is made by."""
    known = arguments_of(job["command"], job["options"], "data")
    if "samples" in known:
        known["samples"] = str(folder.parent / str(known["samples"]))
    task = known.pop("task", None)
    return replace(load_data(folder.parent / str(job["options"]["file"]), **known), task=task)


def _blind(folder: Path, job: Mapping[str, Any] | None, score: str) -> float:
    """The score of a prediction without features; nan where it cannot be computed."""
    with suppress(InputError, KeyError, OSError):
        if job is not None:
            drawn = resampling_by_name(str(job["options"].get("resampling", "kfold:n_splits=10")))
            plan, names = make_plan(_ordered_data(folder, job), resampling=drawn, scoring=[score])
            return Evaluator(plan, features=names, n_jobs=1).blind_scores()[score]
    return nan


def front(path: str, job: Mapping[str, Any] | None = None) -> dict[str, Any]:
    """The Pareto front of what a tuning has finished so far, and where every configuration is."""
    from steadyset.tuning.search import recorded_trials  # which needs an extra

    trials = recorded_trials(Path(path))
    values = np.array([[float(reached[name]) for name in trials.objectives] for _, _, reached in trials.trials])
    if not len(values):
        return {"rows": [], "points": []}
    best = {int(place) for place in pareto_front(values, trials.directions)}
    recommended = -1
    with suppress(InputError):  # the rule needs what is not optimised
        recommended = trials.choose()
    offered = best | {place for place, (number, _, _) in enumerate(trials.trials) if number == recommended}
    score = next((name for name in trials.objectives if name not in (STABILITY, N_FEATURES, SECONDS)), None)
    blind = nan if score is None else _blind(Path(path), job, score)
    if score is not None and isfinite(blind):  # what predicts no better than no features is not offered
        reached = values[:, trials.objectives.index(score)]
        offered &= set(np.flatnonzero(reached < blind if lower_is_better(score) else reached > blind).tolist())
    first = 0 if trials.objectives[0] != STABILITY else min(1, len(trials.objectives) - 1)
    across = trials.objectives.index(STABILITY) if STABILITY in trials.objectives else len(trials.objectives) - 1
    rows = [
        {
            "number": configuration,
            "filter": shown_name(str(params.get("filter", ""))),
            "model": shown_name(str(params.get("model", ""))),
            "values": [_objective(name, float(reached[name])) for name in trials.objectives],
            "recommended": configuration == recommended,
        }
        for place, (configuration, params, reached) in enumerate(trials.trials)
        if place in offered
    ]
    return {
        "objectives": [name.removeprefix("n_").replace("_", " ") for name in trials.objectives],
        "rows": sorted(rows, key=lambda row: row["values"], reverse=True),
        "across": trials.objectives[across].replace("_", " "),
        "up": trials.objectives[first].replace("_", " "),
        "points": [
            {"x": x, "y": y, "best": place in offered}
            for place, (x, y) in enumerate(zip(_shares(values[:, across]), _shares(values[:, first]), strict=True))
            if isfinite(x) and isfinite(y)
        ],
        "ends": [[number(end, 2) for end in _ends(values[:, place])] for place in (across, first)],
    }


def answer(path: str) -> dict[str, Any]:
    """What a run folder says in sentences, and which jobs are the next steps."""
    found = findings_of(path)
    return {"answer": list(found.answer), "steps": [(step.command, dict(step.options)) for step in box_of(found).steps]}


def write_report(path: str, target: str, form: str | None = None) -> None:
    """The report of a run folder: a page, what the ending of its file says, or a folder of figures."""
    report(path, target, format=form)


def write_paragraphs(path: str, target: str) -> None:
    """The paragraphs of a run folder for a paper, as the ending of the file says."""
    write_document(findings_of(path), Path(target), Path(target).suffix[1:], PAPER)


def methods(path: str) -> str:
    """The methods paragraph of a run folder."""
    return methods_of(path).written("text", keys=False)


def compared(paths: Mapping[str, str]) -> str:
    """The report of all selectors of several run folders, side by side."""
    opened = {name: Assessment.open(path) for name, path in paths.items()}
    runs = {
        f"{name}: {selector}": sel
        for name, assessment in opened.items()
        for selector, sel in assessment.selections.items()
    }
    if not runs:
        raise InputError("None of these runs has a selection to compare yet.")
    at_chance = {
        f"{name}: {selector}": beaten.at_chance
        for name, assessment in opened.items()
        if assessment.settings["scoring"]
        for selector, beaten in assessment.baselines_beaten().items()
        if selector in assessment.selections
    }
    return page_of(of_selections(runs, core=CORE, level=LEVEL, at_chance=at_chance))


def write_example(name: str, path: str) -> None:
    """A table to try: tumours that ship with scikit-learn, or an array in which the first 12 of 2,000 genes differ."""
    if name == "example-tumours.csv":
        from sklearn.datasets import load_breast_cancer

        X, y = load_breast_cancer(return_X_y=True, as_frame=True)
        table = X.assign(diagnosis=y.map({0: "malignant", 1: "benign"}))
    else:
        random, tumour = np.random.default_rng(1), np.arange(80) % 2
        values = random.normal(7, 1, size=(80, 2_000))
        values[tumour == 1, :12] += np.linspace(2.0, 0.7, 12)
        table = pd.DataFrame(values.round(3), columns=[f"gene {i + 1}" for i in range(2_000)])
        table.insert(0, "tumour", np.where(tumour, "yes", "no"))
    write_durably(Path(path), table.to_csv(index=False).encode())


def methods_in_short() -> dict[str, tuple[str, str]]:
    """Every method with what it is and the targets that it takes."""
    entries = map(selector_entry, selector_names())
    return {entry["name"]: (_first_part(entry["summary"]), entry["target"]) for entry in entries}


def _recorded(inputs: Inputs, options: Mapping[str, Any]) -> dict[str, Selections]:
    read = []
    reading = {name: value for name, value in options.items() if name != "measure"}
    for name, path in inputs:
        try:
            read.append(Selections.read(path, **reading))
        except InputError as error:
            raise InputError(
                *(part.replace(path, name) if isinstance(part, str) else part for part in error.args)
            ) from None
    over = over_the_same(read, options.get("n_features"))
    return {name: sel for (name, _), sel in zip(inputs, over, strict=True)}


def _in_short(summary: str) -> str:
    """A summary without its second thoughts, to follow a name."""
    words = _first_part(summary).partition(":")[0].partition(". ")[0]
    return words[:1].lower() + words[1:]


def _first_part(summary: str) -> str:
    return summary.partition(";")[0]


def _typical(times: Mapping[str, Sequence[float]], name: str) -> float:
    """The mean of the times of a name; of one that was not tried, that of all others."""
    known = times.get(name) or [time for tried, each in times.items() if tried != NO_FILTER for time in each]
    return float(np.mean(known)) if known else 0.0


def _objective(name: str, value: float) -> str:
    return amount(value) if name == N_FEATURES else number(value, 3)


def _ends(values: Any) -> tuple[float, float]:
    known = values[np.isfinite(values)]
    return (float(known.min()), float(known.max())) if len(known) else (nan, nan)


def _shares(values: Any) -> list[float]:
    """Where values are between the least and the greatest of them."""
    low, high = _ends(values)
    return [0.5 if low == high else (float(value) - low) / (high - low) for value in values]


def _understood(sel: Selections) -> list[str]:
    """What was read: as the reader tells it, or in numbers."""
    low, high = int(sel.sizes.min()), int(sel.sizes.max())
    size = f"{low}" if low == high else f"{low} to {high}"
    return [f"{counted(sel.n_runs, 'run')}, {counted(sel.n_features, 'feature')}, {size} selected", *sel.notes]


def _measure_row(row: Mapping[str, Any]) -> dict[str, Any]:
    low, high = get_measure(row["measure"]).bounds
    ends = [row["low"], row["estimate"], row["high"]]
    drawn = all(map(isfinite, [*ends, low, high]))
    return {
        "measure": row["measure"],
        "estimate": number(row["estimate"], 4),
        "span": span(row["low"], row["high"], 4),
        "bar": [(value - low) / (high - low) for value in ends] if drawn else None,
        "range": f"{low:g} to {high:g}{'; lower is steadier' if row['steadier'] == 'lower' else ''}",
        "note": without_cautions(row["note"]),
    }


def _first_cells(found: Inspection, reading: Mapping[str, Any]) -> dict[str, Any] | None:
    """The first cells as they stand in a file; None where its form has no such cells, or it is large."""
    path = found.file
    known = format_of(path.name)
    if path.stat().st_size > MAX_PREVIEW or (known is not None and known.holds == (ANNOTATED,) and not known.text):
        return None
    max_gb = float(reading.get("max_gb", 1.0))
    first = list(found.targets)[:MAX_LISTED]
    if is_typed(path.name):
        table, _ = TableFile(path, max_gb=max_gb).arrow(labels=False)
        names = table.column_names
        few = table.slice(0, SHOWN_ROWS).select(_places(names, first))
        rows = [list(map(str, row)) for row in zip(*(column.to_pylist() for column in few.columns), strict=True)]
        return _shown(few.column_names, rows, table.num_rows, table.num_columns, names)
    if found.holds == DATA and found.n_rows is not None and not is_workbook(path):  # all of it was parsed already
        header, *body = first_rows(path, reading.get("delimiter"), max_gb, 1 + SHOWN_ROWS)
        return _picked(header, body, found.n_rows, len(found.columns), first)
    sheet = reading.get("sheet") if is_workbook(path) else None
    try:
        read = read_sheet(path, sheet=sheet, delimiter=reading.get("delimiter"), max_gb=max_gb)
    except InputError:  # what is no plain table is told by its own reader
        return None
    header, *body = read.rows
    return _picked(header, body, len(body), max(map(len, read.rows)), first)


def _places(names: Sequence[str], first: Sequence[str]) -> list[int]:
    """The columns that are shown: those that may be the target, the first ones, and the last, which often is it."""
    ahead = [names.index(name) for name in first if name in names]
    in_order = dict.fromkeys([*ahead, *range(len(names))])
    return list(dict.fromkeys([*list(in_order)[: SHOWN_COLUMNS - 1], len(names) - 1]))


def _picked(
    header: Sequence[str], body: Sequence[Sequence[str]], n_rows: int, n_columns: int, first: Sequence[str]
) -> dict[str, Any]:
    places = _places(header, first)
    rows = [[row[place] if place < len(row) else "" for place in places] for row in body[:SHOWN_ROWS]]
    return _shown([header[place] for place in places], rows, n_rows, n_columns, header)


def _cells(data: Any, X: Any, targets: Sequence[str], odd: Sequence[int]) -> dict[str, Any]:
    """The target, what is unlike the others, and the first features, rounded; with the names of the rows, if any."""
    n, d = X.shape
    shown = [*odd, *(f for f in range(min(d, SHOWN_COLUMNS + len(odd))) if f not in odd)][:SHOWN_COLUMNS]
    names = [*targets, *(data.features[f] for f in shown)]
    rows = range(min(SHOWN_ROWS, n))
    y = np.asarray(data.y).reshape(n, len(targets))
    body = [[*_target_cells(y[i], data.task), *(_shortened(str(X[i, f])) for f in shown)] for i in rows]
    if data.rows is not None:
        names, body = ["", *names], [[data.rows[i], *row] for i, row in zip(rows, body, strict=True)]
    return _shown(names, body, n, d + 1, ()) | {"more": d - len(shown)}


def _target_cells(values: Any, task: str | None) -> list[str]:
    """The target of a row; of a time to an event the state in words, since files code it in many ways."""
    cells = [_shortened(str(value)) for value in values]
    if task == SURVIVAL:
        cells[1] = "event" if float(values[1]) == 1 else "censored"
    return cells


def _shown(
    header: Sequence[str], body: Sequence[Sequence[str]], n_rows: int, n_columns: int, columns: Sequence[str]
) -> dict[str, Any]:
    """Cells as people read them; `columns` are the names to choose from."""
    rows = [[_shortened(str(cell)) for cell in row] for row in body]
    return {
        "header": [shown_name(str(name))[:MAX_CELL] for name in header],
        "body": rows,
        "n_rows": n_rows,
        "n_columns": n_columns,
        "more": max(0, n_columns - len(header)),
        "columns": list(columns[:MAX_NAMED]),
    }


def _shortened(cell: str) -> str:
    """A cell without the digits that nobody reads."""
    with suppress(ValueError):
        if len(cell) > MOST_DIGITS or cell.endswith(".0"):
            value = float(cell)
            return f"{value:,.0f}" if abs(value) >= 1000 else f"{value:.3g}"
    return "" if cell == "nan" else shown_name(cell)[:MAX_CELL]
