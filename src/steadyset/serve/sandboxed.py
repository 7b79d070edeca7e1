"""What the page computes, in processes of the sandbox: plain values in, plain values out.

It is loaded once and forked for each call, so what the functions need is imported here.
"""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from functools import lru_cache
from math import isfinite, nan
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd  # noqa: F401
import pyarrow as pa  # noqa: F401

from steadyset.assessment import Assessment, Execution, assess
from steadyset.assessment.request import make_plan, refuse_unfilled
from steadyset.findings import Findings, findings_of, methods_of
from steadyset.findings.of_results import of_selections
from steadyset.foundation.arguments import CORE, FIRST_RUNS, LEVEL, MAX_RUNS
from steadyset.foundation.errors import InputError, MissingTargetError
from steadyset.foundation.text import amount, counted, lasting, listed, number, shown_name, span
from steadyset.inference.runs import over_the_same
from steadyset.inference.table import cautions, table_rows, without_cautions
from steadyset.io.data.data_table import load_data
from steadyset.io.formats.record import ANNOTATED, format_of, is_typed, is_workbook
from steadyset.io.formats.tables import TableFile, first_rows, read_sheet
from steadyset.io.inspection import DATA, Inspection, inspect
from steadyset.io.labels import UnionOfNames
from steadyset.io.lists import UNKNOWN_UNIVERSE
from steadyset.measures.evaluate import Options, full_sets, telling_measures
from steadyset.measures.record import get_measure
from steadyset.options import AUTO
from steadyset.plots import pictures_for
from steadyset.plots.drawing import slim_svg
from steadyset.reports import report
from steadyset.reports.html import page_of
from steadyset.resampling import RESAMPLINGS, resampling_by_name, resampling_entry
from steadyset.resampling.base import Rows
from steadyset.runner.scoring import scores_for
from steadyset.selections import Selections
from steadyset.selectors.catalogue import selector_names, why_unable
from steadyset.shortlists.procedure import FEWEST, USUAL
from steadyset.shortlists.run import shortlist
from steadyset.tasks import TASKS, task_of
from steadyset.tuning import pareto_front
from steadyset.tuning.evaluation import N_FEATURES, STABILITY, Evaluator, Rankings
from steadyset.tuning.models import NO_FILTER
from steadyset.tuning.space import parts_of, read_space

SHOWN_ROWS, SHOWN_COLUMNS = 6, 8
MORE, MAX_CELL, MAX_NAMED, MAX_LISTED = "…", 40, 1_000, 5
MAX_PREVIEW = 50 << 20  # bytes of a file whose first cells are shown before its target is known
PROBED_SPLITS = 10  # of a shortlist that is tried out
PROBED = 2  # runs whose times make the estimate
PROBE_SECONDS = 20.0  # after which no further selector is tried
MAX_DRAWN = 2_000  # configurations whose times are added up one by one
Inputs = Sequence[tuple[str, str]]  # names and paths
INSPECTED = ("samples", "transpose", "sheet", "samples_sheet", "layer", "delimiter", "max_gb")  # options of inspect


def measured(inputs: Inputs, options: Mapping[str, Any]) -> dict[str, Any]:
    """Every measure of one or two recorded selections, with intervals, and what was understood."""
    read = _recorded(inputs, options)
    tables = []
    for name, sel in read.items():
        asked = Options("nan", "auto", 10_000, 0, None, None)
        try:
            rows = table_rows(sel, telling_measures(sel, asked), asked, LEVEL)
        except InputError as error:
            raise error.after(f"{name}: ") from None
        every = full_sets(sel)
        left_out = [f"measures of sets are left out, as {every}; “Top” selects the best"] if every else []
        notes = [*_understood(sel), *left_out, *cautions(row["note"] for row in rows)]
        tables.append({"name": name, "notes": notes, "rows": [_measure_row(row) for row in rows]})
    found = findings_of(read)
    unknown = any(isinstance(sel.features, UnionOfNames) for sel in read.values())
    return {
        "tables": tables,
        "answer": list(found.answer),
        "about": found.about,
        "differences": [one.words for one in found.differences],
        "notes": [f"{UNKNOWN_UNIVERSE}; give “Number of features”."] if unknown else [],
        "cores": [(core.name, list(core.features[:50]), len(core.features)) for core in found.cores],
    }


def pictures(inputs: Inputs, options: Mapping[str, Any]) -> list[dict[str, Any]]:
    """The pictures of recorded selections, as SVG."""
    return _drawn(findings_of(_recorded(inputs, options)))


def selections_page(inputs: Inputs, options: Mapping[str, Any]) -> str:
    """The report of recorded selections."""
    return page_of(findings_of(_recorded(inputs, options)))


def understood(path: str, reading: Mapping[str, Any], task: str | None) -> dict[str, Any]:
    """How a data file is read: with its target, what it holds; without, the candidates."""
    targets = [reading[name] for name in ("target", "time", "event") if name in reading]
    told: dict[str, Any] = {"preview": None, "candidates": {}, "notes": [], "understood": "", "outcome": ""}
    found = _inspected(path, reading)
    told["candidates"] = dict(found.targets)
    if not targets:
        if not found.targets:  # a sentence says what the file is, or that nothing in it can be predicted
            with suppress(MissingTargetError):
                load_data(found, **reading)
        preview = _first_cells(found, reading)
        if preview is not None and not preview["n_rows"]:
            raise InputError("The table has names of columns and no rows.")
        return {**told, "preview": preview}
    data: Any = load_data(found, **reading)
    kind = task_of(data.y, task)
    classes = TASKS[kind].n_classes(data.y)
    return {
        **told,
        "preview": _cells(data.X, data.features, data.rows, targets, data.y),
        "notes": list(data.notes),
        "understood": data.understood,
        "outcome": TASKS[kind].describe(data.y),
        "task": kind,
        "n_rows": len(data.X),
        "n_features": data.X.shape[1],
        "defaults": list(TASKS[kind].selectors(classes)),
        "selectors": [name for name in selector_names() if not why_unable(name, kind, classes)],
        "scores": list(
            dict.fromkeys([TASKS[kind].score(data.y), *(score.name for score in scores_for(kind) if score.offered)])
        ),
        "resamplings": {name: _in_short(resampling_entry(name)["summary"]) for name in RESAMPLINGS.names()},
    }


def _inspected(path: str, reading: Mapping[str, Any]) -> Inspection:
    """What is in a table; a process that is kept parses it once, as long as neither file nor reading change."""
    options = tuple((name, reading[name]) for name in INSPECTED if name in reading)
    files = [path, reading["samples"]] if "samples" in reading else [path]
    return _inspected_once(path, options, tuple(Path(file).stat().st_mtime_ns for file in files))


@lru_cache(maxsize=1)
def _inspected_once(path: str, options: tuple[tuple[str, Any], ...], stamps: tuple[int, ...]) -> Inspection:
    return inspect(path, **dict(options))


def fixed_runs(path: str, reading: Mapping[str, Any], task: str | None, resampling: str) -> int:
    """How many runs a resampling has on this data, 0 where that can be chosen; what cannot be run is refused."""
    data: Any = load_data(_inspected(path, reading), **reading)
    task_of(data.y, task)
    return _fixed_runs(resampling_by_name(resampling), data)


def _fixed_runs(resampling: Any, data: Any) -> int:
    if "n_runs" in resampling.get_params():
        return 0
    return int(resampling.n_runs_for(Rows(len(data.X), data.y, data.groups)))


def estimated(
    path: str, reading: Mapping[str, Any], request: Mapping[str, Any], at_once: int
) -> tuple[str, dict[str, str]]:
    """How long an assessment takes with so many runs at once, and one run of each selector, by runs that are tried."""
    data: Any = load_data(_inspected(path, reading), **reading)
    drawn = resampling_by_name(str(request["resampling"]))
    fixed = _fixed_runs(drawn, data)
    if not fixed:
        drawn.set_params(n_runs=PROBED)

    def tried(selector: str) -> float:
        result = assess(
            [selector],
            replace(data, task=request.get("task")),
            scoring=request.get("score") or None,
            resampling=drawn,
            execution=Execution(engine="serial", all_rows=False, progress=False),
        )
        times = [cell.fit_seconds + cell.score_seconds for cell in result.cells if isfinite(cell.fit_seconds)]
        return min(times, default=nan)

    found: dict[str, float] = {}
    begin = time.monotonic()
    for selector in request["selector"]:
        if time.monotonic() - begin > PROBE_SECONDS:
            break
        found[selector] = tried(selector)
        if time.monotonic() - begin < PROBE_SECONDS:  # the first time loads what is compiled
            found[selector] = min(found[selector], tried(selector))
    until_narrow = not fixed and request["runs"] == AUTO
    runs = FIRST_RUNS if until_narrow else fixed or int(request["runs"])
    known = {name: value for name, value in found.items() if isfinite(value)}
    total = sum(known.values()) * runs / at_once
    words = f"About {lasting(max(total, 1.0))}"
    if until_narrow:
        most = lasting(max(total * MAX_RUNS / runs, 1.0))
        words += (
            f" for the first {runs} runs; more follow until the intervals are narrow, at most {MAX_RUNS:,} in {most}"
        )
    untried = [name for name in request["selector"] if name not in found]
    if untried:
        words = f"More than {lasting(total)}: there was no time to try {listed(untried, MAX_LISTED)}"
    failed = [name for name in found if name not in known]
    failures = f" The first runs of {listed(failed, MAX_LISTED)} failed." if failed else ""
    return f"{words}.{failures}", {name: f"{value:.2g} s" for name, value in known.items()}


def estimated_shortlist(
    path: str, reading: Mapping[str, Any], request: Mapping[str, Any], at_once: int
) -> tuple[str, dict[str, str]]:
    """The same for a shortlist, by the fewest permuted targets with few halves."""
    data = replace(load_data(path, **reading), task=request.get("task"))
    few: dict[str, Any] = {"permutations": FEWEST, "splits": PROBED_SPLITS, "outer": 0, "n_jobs": at_once}
    seconds = []
    for _ in range(2):  # the first time loads what is compiled
        begin = time.monotonic()
        shortlist(data, **few, execution=Execution(progress=False))
        seconds.append(time.monotonic() - begin)
        if seconds[0] > PROBE_SECONDS:
            break
    # Beside the permuted targets of the list, each repeat and three halves of the rows have the fewest.
    targets = USUAL + (int(request["outer"]) + 3) * FEWEST
    total = min(seconds) / (4 * FEWEST) * targets * 50 / PROBED_SPLITS
    return f"About {lasting(max(total, 1.0))}.", {}


def estimated_tuning(
    path: str, reading: Mapping[str, Any], request: Mapping[str, Any], at_once: int
) -> tuple[str, dict[str, str]]:
    """The same for the configurations of a tuning, by the first of them."""
    data: Any = load_data(_inspected(path, reading), **reading)
    task = task_of(data.y, request.get("task"))
    plan, names = make_plan(
        replace(data, task=task),
        resampling=resampling_by_name(str(request["resampling"])),
        scoring=[TASKS[task].score(data.y)],
        random_state=int(request["seed"]),
    )
    space = read_space(None, task, TASKS[task].n_classes(plan.y), TASKS[task].scale(plan.y))
    refuse_unfilled(plan, names, parts_of(space))
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
        configuration = space.estimator(params, len(plan.y), task)
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
    return f"About {lasting(max(total / at_once, 1.0))}, by {counted(tried, 'configuration')} tried out.", {}


def interim(path: str) -> list[dict[str, Any]]:
    """The stability of each selector by the runs that are finished, with its interval."""
    summary = Assessment.open(path).summary()
    return [
        {
            "name": shown_name(str(name)),
            "runs": int(row["n_runs"]),
            "stability": number(row["stability"]),
            "span": span(row["low"], row["high"]),
            "ends": [float(row["low"]), float(row["stability"]), float(row["high"])],
        }
        for name, row in zip(summary.index, summary.to_dict("records"), strict=True)
    ]


def front(path: str) -> dict[str, Any]:
    """The Pareto front of what a tuning has finished so far, and where every configuration is."""
    from steadyset.tuning.search import recorded_trials  # which needs an extra

    trials = recorded_trials(Path(path))
    values = np.array([[float(reached[name]) for name in trials.objectives] for _, _, reached in trials.trials])
    if not len(values):
        return {"rows": [], "points": []}
    best = {int(place) for place in pareto_front(values, trials.directions)}
    first = 0 if trials.objectives[0] != STABILITY else min(1, len(trials.objectives) - 1)
    across = trials.objectives.index(STABILITY) if STABILITY in trials.objectives else len(trials.objectives) - 1
    rows = [
        {
            "number": configuration,
            "filter": shown_name(str(params.get("filter", ""))),
            "model": shown_name(str(params.get("model", ""))),
            "values": [_objective(name, float(reached[name])) for name in trials.objectives],
        }
        for place, (configuration, params, reached) in enumerate(trials.trials)
        if place in best
    ]
    return {
        "objectives": [name.removeprefix("n_").replace("_", " ") for name in trials.objectives],
        "rows": sorted(rows, key=lambda row: row["values"], reverse=True),
        "across": trials.objectives[across].replace("_", " "),
        "up": trials.objectives[first].replace("_", " "),
        "points": [
            {"x": x, "y": y, "best": place in best}
            for place, (x, y) in enumerate(zip(_shares(values[:, across]), _shares(values[:, first]), strict=True))
            if isfinite(x) and isfinite(y)
        ],
        "ends": [[number(end, 2) for end in _ends(values[:, place])] for place in (across, first)],
    }


def answer(path: str) -> list[str]:
    """What a run folder says, in sentences."""
    return list(findings_of(path).answer)


def write_report(path: str, target: str, form: str) -> None:
    """The report of a run folder: a page, or a folder of figures."""
    report(path, target, format=form)


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


def _recorded(inputs: Inputs, options: Mapping[str, Any]) -> dict[str, Selections]:
    read = []
    for name, path in inputs:
        try:
            read.append(Selections.read(path, **options))
        except InputError as error:
            raise InputError(
                *(part.replace(path, name) if isinstance(part, str) else part for part in error.args)
            ) from None
    over = over_the_same(read, options.get("n_features"))
    return {name: sel for (name, _), sel in zip(inputs, over, strict=True)}


def _in_short(summary: str) -> str:
    """A summary without its second thoughts, to follow a name."""
    words = summary.partition(";")[0].partition(":")[0].partition(". ")[0]
    return words[:1].lower() + words[1:]


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


def _drawn(found: Findings) -> list[dict[str, Any]]:
    return [
        {
            "title": record.title,
            "caption": record.caption,
            "drawn": {
                name: slim_svg(one.svg(), f"{record.name}-{place}", f"{record.title}: {name}" if name else record.title)
                for place, (name, one) in enumerate(record.of(found).items())
            },
        }
        for record in pictures_for(found)
    ]


def _first_cells(found: Inspection, reading: Mapping[str, Any]) -> dict[str, Any] | None:
    """The first cells as they stand in a file; None where its form has no such cells, or it is large."""
    path = found.file
    known = format_of(path.name)
    if path.stat().st_size > MAX_PREVIEW or (known is not None and known.holds == (ANNOTATED,) and not known.text):
        return None
    max_gb = float(reading.get("max_gb", 1.0))
    if is_typed(path.name):
        table, _ = TableFile(path, max_gb=max_gb).arrow(labels=False)
        few = table.slice(0, SHOWN_ROWS)
        if few.num_columns > SHOWN_COLUMNS + 1:
            few = few.select([*range(SHOWN_COLUMNS), few.num_columns - 1])
        rows = [list(map(str, row)) for row in zip(*(column.to_pylist() for column in few.columns), strict=True)]
        return {
            **_shown(few.column_names, rows, table.num_rows, table.num_columns),
            "columns": table.column_names[:MAX_NAMED],
        }
    if found.holds == DATA and found.n_rows is not None and not is_workbook(path):  # all of it was parsed already
        header, *body = first_rows(path, reading.get("delimiter"), max_gb, 1 + SHOWN_ROWS)
        return {**_shown(header, body, found.n_rows, len(found.columns)), "columns": header[:MAX_NAMED]}
    sheet = reading.get("sheet") if is_workbook(path) else None
    try:
        read = read_sheet(path, sheet=sheet, delimiter=reading.get("delimiter"), max_gb=max_gb)
    except InputError:  # what is no plain table is told by its own reader
        return None
    header, *body = read.rows
    return {**_shown(header, body, len(body), max(map(len, read.rows))), "columns": header[:MAX_NAMED]}


def _cells(
    X: Any, features: Sequence[str], rows: Sequence[str] | None, targets: Sequence[str], y: Any
) -> dict[str, Any]:
    names = [*targets, *features[:SHOWN_COLUMNS]]
    body = [
        [
            *map(str, y[i : i + 1].ravel()),
            *(f"{value:.5g}" if isfinite(value) else "" for value in X[i, :SHOWN_COLUMNS]),
        ]
        for i in range(min(SHOWN_ROWS, len(X)))
    ]
    if rows is not None:
        names, body = ["", *names], [[rows[i], *row] for i, row in enumerate(body)]
    n_columns = X.shape[1] + len(names) - min(SHOWN_COLUMNS, len(features))
    if n_columns > len(names):
        names, body = [*names, MORE], [[*row, MORE] for row in body]
    return _shown(names, body, len(X), n_columns, most=len(names))


def _shown(
    header: Sequence[str], body: Sequence[Sequence[str]], n_rows: int, n_columns: int, most: int = SHOWN_COLUMNS
) -> dict[str, Any]:
    """The first columns, and the last, which often is the target."""

    def cut(row: Sequence[str]) -> list[str]:
        cells = [shown_name(str(cell))[:MAX_CELL] for cell in row[:most]]
        if len(header) <= most:
            return cells
        last = shown_name(str(row[-1]))[:MAX_CELL] if len(row) == len(header) else ""
        return [*cells, *([MORE] if n_columns > most + 1 else []), last]

    rows = [cut(row) for row in body[:SHOWN_ROWS]]
    return {"header": cut(header), "body": rows, "n_rows": n_rows, "n_columns": n_columns}
