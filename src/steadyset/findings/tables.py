"""The tables of sections: cells as people read them, with the values behind them; what terminals show; the settings."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import astuple, dataclass, replace
from math import isnan
from typing import TYPE_CHECKING, Any

import numpy as np

from steadyset._version import __version__
from steadyset.assessment.result import baseline_words
from steadyset.findings.answer import SCALE
from steadyset.findings.parts import (
    STABILITY,
    Baseline,
    Configuration,
    Differences,
    FeatureRows,
    Findings,
    Procedure,
    RankedFeature,
)
from steadyset.foundation import text as wording
from steadyset.foundation.arguments import LEVEL
from steadyset.foundation.display import Bar, Table, Words
from steadyset.foundation.text import amount, counted, expected_count, number, p_value, percent, shown_name, span
from steadyset.inference.features import BOTH, Feature, stand_ins_words, wilson
from steadyset.inference.runs import in_core
from steadyset.options import as_shell_line

if TYPE_CHECKING:
    from steadyset.findings.parts import Preference
    from steadyset.selections import Selections
    from steadyset.tuning import Trials

MAX_LISTED = 100  # features of the list
MAX_COUNTED = 20  # runs that are counted, not given in per cent
BACKING = 0.5  # the share of the runs from which another method agrees
N_FEATURES = "n_features"  # the objective that is a count
MOST_TRIALS = 2_000  # configurations in the table; how many more there are is told


@dataclass(frozen=True)
class TableCell:
    """What people read, and the values behind it; `bar` is an interval to be drawn: low, estimate, high.

    A `filled` bar is a share of the whole, from 0 to 1.
    """

    text: str
    values: tuple[Any, ...]
    bar: tuple[float, float, float] | None = None
    filled: bool = False


@dataclass(frozen=True)
class TableColumn:
    """A heading, what the values below it are called in a csv file (an interval is two of them), and what fills it."""

    title: str
    keys: tuple[str, ...]
    cell: Callable[[Any], TableCell]
    is_text: bool = False


@dataclass(frozen=True)
class TableRow:
    """Cells, and the procedure that the row is about, if it is about one."""

    cells: tuple[TableCell, ...]
    procedure: str | None = None
    is_baseline: bool = False


def column(
    title: str,
    keys: str | tuple[str, ...],
    said: Callable[..., str] = shown_name,
    *,
    of: Callable[[Any], tuple[Any, ...]] | None = None,
    text: bool = False,
    when: object = True,
) -> list[TableColumn]:
    """A column, or none unless `when` holds: `said` puts the values of a row into words.

    The values are those of `of`, or the parts of the row that the keys name.
    """
    names = (keys,) if isinstance(keys, str) else keys

    def cell(row: Any) -> TableCell:
        found = tuple(getattr(row, name) for name in names) if of is None else of(row)
        return TableCell(said(*found), tuple(int(one) if isinstance(one, bool) else one for one in found))

    return [TableColumn(title, names, cell, text)] if when else []


def _part(part: str, name: str) -> Callable[[Any], tuple[Any, ...]]:
    """The value of this name in a mapping that a row has."""
    return lambda row: (getattr(row, part)[name],)


def _places(sides: Iterable[Any]) -> Callable[[int], tuple[float, ...]]:
    """The values at the place that a row is."""
    return lambda i: tuple(float(side[i]) for side in sides)


def table_of(
    name: str, caption: str, columns: Iterable[list[TableColumn]], things: Iterable[Any], **more: Any
) -> ReportTable:
    """One row per thing, with a cell in each column."""
    kept = tuple(column for several in columns for column in several)
    rows = tuple(TableRow(tuple(column.cell(one) for column in kept)) for one in things)
    return ReportTable(name, caption, kept, rows, **more)


@dataclass(frozen=True)
class ReportTable:
    """A table; `selected` and `runs` say of each row of a table of features what puts it into the steady core.

    `line` is the share from which on a filled bar passes.
    """

    name: str
    caption: str
    columns: tuple[TableColumn, ...]
    rows: tuple[TableRow, ...]
    title: str = ""
    left_out: int = 0
    selected: tuple[int, ...] = ()
    runs: int = 0
    line: float | None = None

    @property
    def core_column(self) -> int | None:
        """Where the table says whether a feature is in the steady core."""
        return next((place for place, one in enumerate(self.columns) if one.keys == ("core",)), None)

    def records(self) -> list[dict[str, Any]]:
        """One mapping per row, from the names of the csv columns to values."""
        keys = [key for column in self.columns for key in column.keys]
        return [dict(zip(keys, (v for c in row.cells for v in c.values), strict=True)) for row in self.rows]

    def texts(self, most: int | None = None) -> list[list[str]]:
        """The first rows as people read them."""
        return [[cell.text for cell in row.cells] for row in self.rows[:most]]


def summary_table(found: Findings) -> ReportTable:
    """One row per procedure, and what predicts without one."""
    of_selectors = found.kind == "assessment"
    named = bool(found.summary and found.summary[0].name)
    judged = found.baselines or any(row.verdict for row in found.summary)
    sized = {core.name: len(core.features) for core in found.cores}
    columns = [
        column("selector" if of_selectors else "procedure", "name", text=True, when=named),
        column("stability", "stability", wording.number),
        [TableColumn(interval_title(found.level), ("low", "high"), _interval)],
        column("verdict", "verdict", text=True, when=judged),
        *(_score(name) for name in found.scoring),
        column("features", "size", wording.amount),
        column("steady core", "core", count, of=lambda row: (sized.get(row.name),), when=found.cores),
        column("runs", "runs", count),
        column("failures", "failures", count, when=any(row.failures for row in found.summary)),
        column("warnings", "warned", count, when=any(row.warned for row in found.summary)),
    ]
    caption = f"Stability of each {'selector' if of_selectors else 'procedure'}" if named else "Stability of the runs"
    runs = max((one.runs for one in found.summary), default=0)
    table = table_of("summary", caption, columns, found.summary, runs=runs)
    rows = [replace(row, procedure=one.name) for row, one in zip(table.rows, found.summary, strict=True)]
    return replace(table, rows=(*rows, *(_baseline(one, table.columns) for one in found.baselines)))


def _baseline(one: Baseline, columns: Sequence[TableColumn]) -> TableRow:
    known = {"name": TableCell(shown_name(one.name), (one.name,)), "verdict": TableCell("baseline", ("baseline",))}
    known |= {name: TableCell(wording.number(score, 3), (score, "")) for name, score in one.scores.items()}
    cells = (known.get(column.keys[0], TableCell("", ("",) * len(column.keys))) for column in columns)
    return TableRow(tuple(cells), is_baseline=True)


def choices_table(found: Findings) -> ReportTable:
    """What each rule chooses: the recommended configuration first."""
    from steadyset.tuning.result import objective_words

    columns = [
        column("choice", "words", text=True),
        column("rule", "rule", text=True),
        column("configuration", "number", count),
        column("settings", "settings", text=True),
        *(
            column(objective_words(name), name, _objective(name), of=_part("objectives", name))
            for name in found.choices[0].objectives
        ),
        column(f"better than {baseline_words(found.settings)[1]}", "is_better", yes_or_no),
    ]
    return table_of("choices", "The choices of several rules", columns, found.choices)


def short_choices(found: Findings, most: int | None) -> list[Table]:
    """Return one row per rule, short enough for a terminal."""
    rows = [
        {
            "choice": Words(one.words),
            "rule": one.rule.partition(":")[0],
            "configuration": str(one.number),
            **{
                name.replace("_", " "): amount(value) if name == "n_features" else value
                for name, value in one.objectives.items()
            },
            "better": yes_or_no(one.is_better),
        }
        for one in found.choices
    ]
    return [Table.of(rows, "The recommendation and its alternatives", most=most, noun="choice")]


def choices_legend(found: Findings) -> list[str]:
    """Return what the last column of the table of choices is."""
    if not found.choices:
        return []
    than = baseline_words(found.settings)[1]
    return [f"better: whether it predicts significantly better than {than}, corrected for the choice."]


def front_table(found: Findings) -> ReportTable:
    """The configurations of a tuning that are on the Pareto front."""
    from steadyset.tuning.result import objective_words, settings_words

    def number_cell(one: Configuration) -> TableCell:
        return TableCell(f"{one.number}{' (chosen)' if one.chosen else ''}", (one.number,))

    columns = [
        [TableColumn("configuration", ("number",), number_cell)],
        column("settings", "params", text=True, of=lambda one: (settings_words(one.params),)),
        *(
            column(objective_words(name), name, _objective(name), of=_part("objectives", name))
            for name in found.front[0].objectives
        ),
        column("on the front", "on_front", wording.percent),
    ]
    return table_of("front", "Configurations on the Pareto front", columns, found.front)


def trials_table(tried: Trials) -> ReportTable:
    """Every configuration that a tuning tried, those on the front and the most probable ones first."""
    from steadyset.tuning.result import settings_words

    probability, front = tried.front_probability(), tried.frame["front"]
    params = {number: drawn for number, drawn, _ in tried.trials}
    columns = [
        column("configuration", "configuration", count, of=lambda i: (int(front.index[i]),)),
        column("settings", "settings", text=True, of=lambda i: (settings_words(params[front.index[i]]),)),
        *(
            column(
                _with_interval(name),
                (name, f"{name}_low", f"{name}_high"),
                _objective(name),
                of=_places(tried.interval(name)),
            )
            for name in tried.objectives
        ),
        column("on the front", "on_front", wording.percent, of=lambda i: (float(probability.iloc[i]),)),
    ]
    order = sorted(range(len(front)), key=lambda i: (not front.iloc[i], -probability.iloc[i]))[:MOST_TRIALS]
    left_out = len(front) - len(order)
    return table_of("trials", "All configurations that were tried", columns, order, left_out=left_out)


def _with_interval(name: str) -> str:
    from steadyset.tuning.result import objective_words

    words = objective_words(name)
    return words if name == N_FEATURES else f"{words} ({interval_title(LEVEL)})"


def _objective(name: str) -> Callable[..., str]:
    """What a configuration reached, with the ends of its interval where they are given."""

    def said(value: float, *ends: float) -> str:
        known = len(ends) == 2 and not any(map(isnan, ends))
        return f"{wording.number(value, 3)}{f' ({wording.span(ends[0], ends[1])})' if known else ''}"

    return (lambda value, *ends: wording.amount(value)) if name == N_FEATURES else said


def feature_tables(found: Findings) -> list[ReportTable]:
    """The best features over all procedures, where there are several, then those of each."""
    blocks = [block for block in found.features if block.rows]
    several = len(found.features) > 1
    return [_feature_table(found, block, place, several and place == 0) for place, block in enumerate(blocks)]


def list_table(found: Findings, name: str) -> ReportTable:
    """The features that a procedure chooses, the most frequent first: how often, in which direction, who agrees."""
    sel, shares = found.selections[name], found.frequencies[name]
    known = {row.feature: row for block in found.features if block.name == name for row in block.rows}
    others = [other for other in found.frequencies if other != name]
    low, high = wilson(sel.counts, sel.n_runs, found.level)
    # Of a feature that the table of features leaves out nothing but its share is known.
    places = np.argsort(-sel.counts, kind="stable")[: min(len(shares), MAX_LISTED)]
    few = not name and sel.n_runs <= MAX_COUNTED  # lists: what matters is who is in several
    if few and sel.counts.max(initial=0) > 1:
        places = places[sel.counts[places] > 1]
    several = f"{wording.percent(BACKING)} of {'repeats' if found.settings else 'lists'}"

    def chosen(f: int) -> TableCell:
        share = float(sel.frequencies[f])
        words = wording.percent(share) if sel.n_runs > MAX_COUNTED else f"{sel.counts[f]} of {sel.n_runs}"
        ends = (share, share, share) if few else (float(low[f]), share, float(high[f]))
        return TableCell(words, (share, ends[0], ends[2]), ends, filled=True)

    def of(part: str) -> Callable[[int], tuple[Any, ...]]:
        return lambda f: (getattr(known[sel.features[f]], part) if sel.features[f] in known else "",)

    def agreeing(f: int) -> tuple[int]:
        return (sum(found.frequencies[other].get(sel.features[f], 0.0) >= BACKING for other in others),)

    def alike(f: int) -> TableCell:
        names = [one.feature for one in of("stand_ins")(f)[0] or ()]
        return TableCell(wording.listed(names, 1) if names else "", (", ".join(names),))

    steady = in_core(sel, found.core)
    columns = [
        column("feature", "feature", text=True, of=lambda f: (sel.features[f],)),
        column("direction", "direction", text=True, of=of("direction"), when=any(r.direction for r in known.values())),
        [TableColumn("chosen in", ("share", "share_low", "share_high"), chosen)],
        column(
            "steady core",
            "core",
            lambda core: "yes" if core else "",
            of=lambda f: (bool(steady[f]),),
            text=True,
            when=not few,
        ),
        column(f"other methods, in {several}", "methods", lambda n: f"{n} of {len(others)}", of=agreeing, when=others),
        [TableColumn("look-alikes", ("look_alikes",), alike, True)] if any(r.stand_ins for r in known.values()) else [],
    ]
    return table_of(
        "list",
        f"The features that {shown_name(name) or 'the lists'} chose{'' if name else ' most often'}",
        columns,
        places,
        left_out=len(shares) - len(places),
        selected=() if few else tuple(int(sel.counts[f]) for f in places),
        runs=sel.n_runs,
        line=None if few else found.core,
    )


def _feature_table(found: Findings, block: FeatureRows, place: int, over_all: bool) -> ReportTable:
    first = block.rows[0]
    alike = not isnan(first.with_stand_ins)
    on_all = wording.percent if over_all else yes_or_no
    columns = [
        column("feature", "feature", text=True),
        column("frequency", "frequency", wording.number),
        column(interval_title(found.level), ("wilson_low", "wilson_high"), wording.span),
        column("steady core", "core", lambda core: "yes" if core else "", text=True),
        column(
            "importance",
            "importance",
            lambda value: "" if isnan(value) else f"{value:.3g}",
            when=any(not isnan(row.importance) for row in block.rows),
        ),
        column("selectors", "selectors", count, when=over_all),
        column("on all rows", "all_rows", on_all, when=not isnan(first.all_rows)),
        column("direction", "direction", text=True, when=any(row.direction for row in block.rows)),
        [TableColumn("in the model", ("model_direction", "model_agreement"), _in_the_model, True)]
        if any(row.model_direction for row in block.rows)
        else [],
        column("group", ("group", "group_size"), _group, when=alike),
        column("with stand-ins", "with_stand_ins", wording.number, when=alike),
        column("stand-ins", "stand_ins", text=True, of=lambda row: (stand_ins_words(row.stand_ins),), when=alike),
    ]
    return table_of(
        f"features-{place + 1}",
        f"How often each feature is selected{f': {shown_name(block.name)}' if block.name else ''}",
        columns,
        block.rows,
        title=block.name,
        left_out=block.left_out,
        selected=tuple(row.selected for row in block.rows),
        runs=first.runs,
    )


def _in_the_model(row: Feature) -> TableCell:
    """What most coefficients of the runs say of the direction, and in how many runs they do."""
    values = (row.model_direction, row.model_agreement)
    if row.model_direction in ("", BOTH):
        return TableCell(row.model_direction, values)
    agrees = "the same" if row.model_direction == row.direction else shown_name(row.model_direction)
    return TableCell(f"{agrees} ({wording.percent(row.model_agreement)})", values)


def _group(group: int | None, size: int | None) -> str:
    """The number of the group, and of how many features."""
    return "" if group is None else f"{group} (of {size})"


def ranking_table(found: Findings) -> ReportTable:
    """The features of a consensus, the best first."""
    columns = [
        column("feature", "feature", text=True),
        column("direction", "direction", text=True, when=any(row.direction for row in found.ranking)),
        column("rank", "rank", count),
        column("methods", "methods", lambda methods: f"{methods} of {len(found.summary)}"),
        [TableColumn("by chance", ("by_chance",), _backed_by_chance)],
        column("runs", "runs", count),
        *(
            column(name, (name,), wording.number, of=_part("frequencies", name))
            for name in (row.name for row in found.summary)
        ),
    ]
    left_out = found.settings["ranked_features"] - len(found.ranking)
    return table_of("consensus", "Features by consensus", columns, found.ranking, left_out=left_out)


def _backed_by_chance(row: RankedFeature) -> TableCell:
    return TableCell(wording.expected_count(row.by_chance) if row.methods else "", (row.by_chance,))


def shared_table(sel: Selections) -> ReportTable:
    """How many names each two lists share."""
    labels = [str(label) for label in sel.labels or range(1, sel.n_runs + 1)]
    shared = sel.intersections()

    def with_list(other: int) -> list[TableColumn]:
        return column(labels[other], f"shared_{other + 1}", count, of=lambda run: (int(shared[run, other]),))

    columns = [
        column("list", "list", text=True, of=lambda run: (labels[run],)),
        column("names", "names", count, of=lambda run: (int(sel.sizes[run]),)),
        *map(with_list, range(sel.n_runs)),
    ]
    return table_of("shared", "Number of names that two lists share", columns, range(sel.n_runs))


def between_table(found: Findings) -> ReportTable:
    """How far each two methods of a consensus agree."""
    columns = [
        column("methods", ("first", "second"), lambda *names: " and ".join(map(shown_name, names)), text=True),
        column(found.measure, "agreement", wording.number),
        column("by chance", "expected", wording.number),
        column("correlation of frequencies", "frequencies", wording.number),
        column("features that both back", "shared", count),
        column("by chance", "shared_expected", wording.expected_count),
    ]
    return table_of("agreement", "Agreement between methods", columns, found.between)


def tests_table(found: Findings) -> ReportTable:
    """Every test of two procedures."""
    columns = [
        column("first", "first", text=True),
        column("second", "second", text=True),
        column("difference", "difference", precise),
        column(interval_title(found.level), ("low", "high"), _precise_span),
        column("p", "p_value", wording.p_value),
        column("adjusted p", "p_adjusted", wording.p_value),
        column("significant", "told_apart", yes_or_no, text=True),
    ]
    caption = "Tests of each two procedures: second minus first"
    parts = [table_of("tests", caption, [_tested(one), *columns], one.tests) for one in found.differences]
    return replace(parts[0], rows=tuple(row for part in parts for row in part.rows))


def _tested(one: Differences) -> list[TableColumn]:
    what = one.what.replace("_", " ")
    return column("in", "what", text=True, of=lambda test: (what,))


def measures_table(found: Findings) -> ReportTable:
    """The stability by many measures."""
    known = any(not isnan(row.low) for row in found.measures)
    columns = [
        column("procedure", "name", text=True),
        column("measure", "measure", text=True),
        column("estimate", "estimate", precise),
        column(interval_title(found.level), ("low", "high"), _precise_span, when=known),
        column("steadier", "steadier", text=True),
        column("note", "note", text=True),
    ]
    return table_of("measures", "Stability by many measures", columns, found.measures)


def interval_title(level: float) -> str:
    return f"{wording.percent(level)} interval"


def precise(value: float) -> str:
    return wording.number(value, 3)


def _precise_span(low: float, high: float) -> str:
    return wording.span(low, high, 3)


def count(value: int | None) -> str:
    """A whole number; nothing where it is unknown."""
    return "" if value is None else str(value)


def yes_or_no(value: float) -> str:
    return "yes" if value else "no"


def _interval(row: Procedure) -> TableCell:
    """The interval of the stability in words, and as a bar where all of it is known."""
    ends = (row.low, row.stability, row.high)
    bar = None if any(map(isnan, ends)) else ends
    return TableCell(wording.span(row.low, row.high), (row.low, row.high), bar)


def _score(name: str) -> list[TableColumn]:
    """The mean of a score with its standard error."""
    keys = (name, f"{name}_se")
    return column(name.replace("_", " "), keys, _with_error, of=lambda row: astuple(row.scores[name])[:2])


def bar_scale(rows: Sequence[Procedure]) -> tuple[float, float]:
    """From where to where the bars of intervals go: 0 to 1, and further where an interval does."""
    ends = [end for row in rows for end in (row.low, row.high, row.stability) if not isnan(end)]
    return min([0.0, *ends]), max([1.0, *ends])


SETTINGS = {
    "n_rows": "rows",
    "n_features": "features",
    "task": "the target is",
    "seed": "seed",
    "impute": "missing values",
    "prepare": "preparation inside each run",
    "force": "covariates in every model",
    "block": "adjusted for blocks of",
    "on_warning": "runs with warnings",
    "aggregate": "aggregation",
    "backing": "share of the runs that backs a feature",
    "n_trials": "configurations",
    "sampler": "configurations were drawn by",
    "choose": "rule of the choice",
    "false": "false features allowed on average",
    "fdr": "share of false features allowed on average",
    "bases": "features were ranked by",
    "permutations": "permuted targets",
    "splits": "splits into halves",
    "data_sha256": "SHA-256 of the data",
}
VALUES = {"record": "kept, and told", "fail": "counted as failed"}
LONGEST_SETTING = 300  # characters of a value
UNSET = re.compile(r"\b\w+=(?:None|'deprecated')(?:, )?")  # parameters that say nothing


def short_summary(found: Findings, most: int | None) -> list[Table]:
    """One row per procedure, or per method of a consensus."""
    if found.front:  # which has the chosen configuration among the others
        return []
    if found.ranking:
        rows = [
            {
                "method": row.name,
                "runs": row.runs,
                "size": amount(row.size),
                found.measure: _with_interval_in_words(row),
                "core": len(core.features),
            }
            for row, core in zip(found.summary, found.cores, strict=True)
        ]
        return [Table.of(rows, "Within methods", most=most, noun="method")]
    noun = "selector" if found.kind == "assessment" else "procedure"
    return [Table.of([_summary_cells(row, found) for row in found.summary], most=most, noun=noun)]


def summary_legend(found: Findings) -> list[str]:
    """What the columns of the summary are."""
    if found.front or found.ranking:
        return []
    said = []
    for name in found.scoring:
        known = [f"{one.name} {number(one.scores[name], 3)}" for one in found.baselines]
        said += [f"baselines, {name.replace('_', ' ')}: {'; '.join(known)}."] if known else []
    if any(row.verdict for row in found.summary):
        said.append(
            "stability: 1 = the same features each time, 0 = chance; in brackets its "
            f"{percent(found.level)} interval for this data set and resampling, not for new data."
        )
    if found.scoring:
        said.append("±: standard error over resamples, corrected for their overlap (Nadeau and Bengio 2003).")
    if any(row.verdict for row in found.summary):
        said.append(f"verdict: {SCALE}.")
    return said


def short_front(found: Findings, most: int | None) -> list[Table]:
    """One row per configuration; what it is stands in one cell."""
    rows = [
        {
            "configuration": f"{one.number} (chosen)" if one.chosen else str(one.number),
            **{
                name.replace("_", " "): amount(value) if name == "n_features" else value
                for name, value in one.objectives.items()
            },
            "on front": one.on_front,
            "parameters": Words(", ".join(filter(None, _configuration_words(one)))),
        }
        for one in found.front
    ]
    return [Table.of(rows, "The Pareto front", most=most, noun="configuration")]


def short_measures(found: Findings, most: int | None) -> list[Table]:
    """One row per measure and procedure."""
    kept = ("name", "measure", "estimate", "steadier", "low", "high", "note")
    return [Table.of([{key: getattr(row, key) for key in kept} for row in found.measures])]


def _summary_cells(row: Procedure, found: Findings) -> dict[str, Any]:
    """A row of the summary: short enough for a terminal of 80 columns, which shows no bars."""
    letters = next((one.groups for one in found.differences if one.what == STABILITY), {})
    whole = found.kind == "assessment"
    return {
        "selector" if whole else "procedure": row.name,
        found.measure if found.kind == "comparison" else STABILITY: _with_interval_in_words(row),
        "": Bar(row.stability, row.low, row.high),
        **({"verdict": Words(row.verdict)} if any(one.verdict for one in found.summary) else {}),
        **{name: _with_error(row.scores[name].mean, row.scores[name].se) for name in found.scoring},
        **({"size": amount(row.size)} if whole or not all(isnan(one.size) for one in found.summary) else {}),
        "runs": str(row.runs),
        **({"group": letters.get(row.name, "")} if found.kind == "comparison" else {}),
        **({"failures": str(row.failures)} if any(one.failures for one in found.summary) else {}),
        **({"warnings": str(row.warned)} if any(one.warned for one in found.summary) else {}),
    }


def front_rows(found: Findings) -> list[dict[str, Any]]:
    """The front and the chosen configuration as flat rows: what it is, its objectives, how sure its place is."""
    return [
        {
            "configuration": one.number,
            "filter": _configuration_words(one)[0],
            "model": _configuration_words(one)[1],
            **one.objectives,
            "on_front": one.on_front,
            "parameters": _configuration_words(one)[2],
            "chosen": "yes" if one.chosen else "",
        }
        for one in found.front
    ]


def short_pairs(found: Findings, most: int | None) -> list[Table]:
    """How far each two methods of a consensus agree, beside chance."""
    rows = [
        {
            "methods": f"{one.first} and {one.second}",
            found.measure: number(one.agreement),
            "by chance": number(one.expected),
            "frequencies": number(one.frequencies),
            "shared": one.shared,
            "by chance ": expected_count(one.shared_expected),
            "p": p_value(one.p_value),
        }
        for one in found.between
    ]
    return [Table.of(rows, "Between methods", most=most, noun="pair")]


def short_ranking(found: Findings, most: int | None) -> list[Table]:
    """The first features of a consensus."""
    total = sum(row.runs for row in found.summary)
    directed = any(one.direction for one in found.ranking)
    rows = [
        {
            "rank": one.rank,
            "feature": Words(one.feature),
            **({"direction": one.direction} if directed else {}),
            "methods": f"{one.methods} of {len(found.summary)}",
            "by chance": expected_count(one.by_chance) if one.methods else "",
            "runs": f"{one.runs} of {total}",
            "frequency": number(one.frequency),
            "score": number(one.score, 3),
        }
        for one in found.ranking[:most]
    ]
    left = int(found.settings["ranked_features"]) - len(rows)
    more = f"{counted(left, 'more feature')} with lower scores." if left else ""
    return [replace(Table.of(rows, "Features"), more=more)]


def _with_interval_in_words(row: Procedure) -> str:
    return number(row.stability) + (f" ({span(row.low, row.high)})" if row.low == row.low else "")


def _with_error(mean: float, se: float) -> str:
    return number(mean, 3) + ("" if isnan(se) else f" ± {number(se, 3)}")


def _configuration_words(one: Configuration) -> tuple[str, str, str]:
    """The filter, the model, and the other parameters of a configuration."""
    others = [
        f"{name.rpartition('__')[2].rpartition('.')[2]}={f'{value:.3g}' if isinstance(value, float) else value}"
        for name, value in one.params.items()
        if name not in ("filter", "model")
    ]
    return one.params.get("filter", ""), one.params.get("model", ""), ", ".join(others)


def settings_told(found: Findings) -> dict[str, str]:
    """What each setting is called, and its value."""
    from steadyset.tuning.result import objective_words

    settings: Mapping[str, Any] = found.settings
    details: Mapping[str, Any] = settings.get("details", {})
    told = {"measure": found.measure, "confidence": percent(found.level), "steady core": percent(found.core)}
    if found.preference is not None:
        told["margin of the loss"] = _margin_words(found.preference)
    if details.get("target"):
        told["target"] = str(details["target"])
    if "resampling" in settings:
        told["resampling"] = str(details.get("resampling", {}).get("words") or settings["resampling"])
    if settings.get("scoring"):
        told["scores"] = ", ".join(map(str, settings["scoring"]))
        made = str(settings.get("predictor", "the model of the configuration"))
        told["predictor"] = str(details.get("predictor") or _only_set(made))
    if settings.get("objectives"):
        told["objectives"] = ", ".join(map(objective_words, settings["objectives"]))
    known = {words: str(settings[key]) for key, words in SETTINGS.items() if settings.get(key) is not None}
    told |= {words: VALUES.get(text, text) for words, text in known.items()}
    selectors = settings.get("selectors")
    if isinstance(selectors, Mapping):
        about = details.get("selectors", {})
        told |= {f"method {name}": _selector_words(about.get(name, {}), text) for name, text in selectors.items()}
    versions = {"steadyset": settings.get("steadyset_version", __version__), **details.get("versions", {})}
    told["versions"] = ", ".join(f"{name} {number}" for name, number in versions.items())
    told = {shown_name(key): shown_name(text) for key, text in told.items()}
    told = {key: f"{text[:LONGEST_SETTING]}..." if len(text) > LONGEST_SETTING else text for key, text in told.items()}
    command = shown_name(as_shell_line(_from_the_start(details.get("job"))))  # to be run: whole
    return told | ({"command": command} if command else {})


def _from_the_start(job: Any) -> Any:
    """Return a job without the option to resume: what makes the result in a folder that does not exist yet."""
    if not isinstance(job, Mapping) or not isinstance(job.get("options"), Mapping):
        return job
    return {**job, "options": {name: value for name, value in job["options"].items() if name != "resume"}}


def _selector_words(known: Mapping[str, Any], made: Any) -> str:
    """What a method is, and the parameters that are not its defaults; one of which nothing is known as it was made."""
    if not known.get("summary"):
        return _only_set(str(made))
    given = {"features" if name == "k" else name: value for name, value in known.get("parameters", {}).items()}
    words = (f"{name.replace('_', ' ')}: {_only_set(str(value))}" for name, value in given.items())
    return ", ".join([str(known["summary"]), *words])


def _only_set(made: str) -> str:
    """How something was made, without the parameters that say nothing."""
    return UNSET.sub("", made).replace(", )", ")")


def _margin_words(preference: Preference) -> str:
    words = preference.score.replace("_", " ")
    if preference.margin == preference.largest_loss:
        return f"{preference.margin:g} of {words}"
    return f"{percent(preference.margin)} of the {words} without features, {preference.largest_loss:.3g}"
