"""The tables of sections: cells as people read them, with the values behind them for csv files and scripts."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from math import isnan
from typing import TYPE_CHECKING, Any

from steadyset.findings.parts import FeatureRows, Findings, Procedure, Score
from steadyset.foundation import text as wording
from steadyset.foundation.conventions import LEVEL
from steadyset.foundation.text import shown_name
from steadyset.inference.feature_details import stand_ins_words
from steadyset.inference.feature_table import BOTH, Feature

if TYPE_CHECKING:
    from steadyset.tuning import Trials

N_FEATURES = "n_features"  # the objective that is a count
MOST_TRIALS = 2_000  # configurations in the table; how many more there are is told


@dataclass(frozen=True)
class TableColumn:
    """A heading, and what the values below it are called in a csv file: an interval is two of them."""

    title: str
    keys: tuple[str, ...]
    is_text: bool = False


@dataclass(frozen=True)
class TableCell:
    """What people read, and the values behind it; `bar` is an interval to be drawn: low, estimate, high."""

    text: str
    values: tuple[Any, ...]
    bar: tuple[float, float, float] | None = None


@dataclass(frozen=True)
class TableRow:
    """Cells, and the procedure that the row is about, if it is about one."""

    cells: tuple[TableCell, ...]
    procedure: str | None = None
    is_baseline: bool = False


@dataclass(frozen=True)
class ReportTable:
    """A table; `selected` and `runs` say of each row of a table of features what puts it into the steady core."""

    name: str
    caption: str
    columns: tuple[TableColumn, ...]
    rows: tuple[TableRow, ...]
    title: str = ""
    left_out: int = 0
    selected: tuple[int, ...] = ()
    runs: int = 0

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
    judged = bool(found.baselines) or any(row.verdict for row in found.summary)
    counts = [key for key in ("failures", "warned") if any(getattr(row, key) for row in found.summary)]
    named = bool(found.summary and found.summary[0].name)
    sized = {core.name: len(core.features) for core in found.cores}
    interval = f"{wording.percent(found.level)} interval"
    columns = [
        *([TableColumn("selector" if of_selectors else "procedure", ("name",), True)] if named else []),
        TableColumn("stability", ("stability",)),
        TableColumn(interval, ("low", "high")),
        *([TableColumn("verdict", ("verdict",), True)] if judged else []),
        *(TableColumn(score.replace("_", " "), (score, f"{score}_se")) for score in found.scoring),
        TableColumn("features", ("size",)),
        *([TableColumn("steady core", ("core",))] if found.cores else []),
        TableColumn("runs", ("runs",)),
        *(TableColumn({"warned": "warnings"}.get(key, key), (key,)) for key in counts),
    ]
    rows = []
    for one in found.summary:
        cells = [
            *([text(one.name)] if named else []),
            number(one.stability),
            _interval(one.low, one.high, one.stability),
            *([text(one.verdict)] if judged else []),
            *(_score(one.scores[score]) for score in found.scoring),
            TableCell(wording.amount(one.size), (one.size,)),
            *([_whole(sized.get(one.name))] if found.cores else []),
            _whole(one.runs),
            *(_whole(getattr(one, key)) for key in counts),
        ]
        rows.append(TableRow(tuple(cells), one.name))
    return ReportTable(
        "summary",
        f"Stability of each {'selector' if of_selectors else 'procedure'}" if named else "Stability of the runs",
        tuple(columns),
        (*rows, *_baseline_rows(found, columns)),
        runs=max((one.runs for one in found.summary), default=0),
    )


def _baseline_rows(found: Findings, columns: Sequence[TableColumn]) -> Iterator[TableRow]:
    for one in found.baselines:
        known = {"name": text(one.name), "verdict": text("baseline")}
        known |= {score: number(one.scores[score], 3, more=("",)) for score in found.scoring}
        cells = (known.get(column.keys[0], TableCell("", ("",) * len(column.keys))) for column in columns)
        yield TableRow(tuple(cells), is_baseline=True)


def front_table(found: Findings) -> ReportTable:
    """The configurations of a tuning that are on the Pareto front."""
    from steadyset.tuning.result import objective_words, settings_words

    columns = (
        TableColumn("configuration", ("number",)),
        TableColumn("settings", ("params",), True),
        *(TableColumn(objective_words(name), (name,)) for name in found.front[0].objectives),
        TableColumn("on the front", ("on_front",)),
    )
    rows = tuple(
        TableRow(
            (
                TableCell(f"{one.number}{' (chosen)' if one.chosen else ''}", (one.number,)),
                text(settings_words(one.params)),
                *(_objective(name, value) for name, value in one.objectives.items()),
                TableCell(wording.percent(one.on_front), (one.on_front,)),
            )
        )
        for one in found.front
    )
    return ReportTable("front", "Configurations on the Pareto front", columns, rows)


def trials_table(tried: Trials) -> ReportTable:
    """Every configuration that a tuning tried, those on the front and the most probable ones first."""
    from steadyset.tuning.result import settings_words

    columns = (
        TableColumn("configuration", ("configuration",)),
        TableColumn("settings", ("settings",), True),
        *(TableColumn(_with_interval(name), (name, f"{name}_low", f"{name}_high")) for name in tried.objectives),
        TableColumn("on the front", ("on_front",)),
    )
    probability, front = tried.front_probability(), tried.frame["front"]
    ends = {name: tried.interval(name) for name in tried.objectives}
    params = {number: drawn for number, drawn, _ in tried.trials}
    order = sorted(range(len(front)), key=lambda i: (not front.iloc[i], -probability.iloc[i]))
    rows = tuple(
        TableRow(
            (
                _whole(int(front.index[i])),
                text(settings_words(params[front.index[i]])),
                *(_objective(name, *(float(side[i]) for side in ends[name])) for name in tried.objectives),
                TableCell(wording.percent(float(probability.iloc[i])), (float(probability.iloc[i]),)),
            )
        )
        for i in order[:MOST_TRIALS]
    )
    left_out = len(front) - len(rows)
    return ReportTable("trials", "All configurations that were tried", columns, rows, left_out=left_out)


def _with_interval(name: str) -> str:
    from steadyset.tuning.result import objective_words

    words = objective_words(name)
    return words if name == N_FEATURES else f"{words} ({wording.percent(LEVEL)} interval)"


def _objective(name: str, value: float, *ends: float) -> TableCell:
    """What a configuration reached, with the ends of its interval where they are given."""
    if name == N_FEATURES:
        return TableCell(wording.amount(value), (value, *ends))
    known = len(ends) == 2 and not any(map(isnan, ends))
    span = f" ({wording.span(ends[0], ends[1])})" if known else ""
    return TableCell(f"{wording.number(value, 3)}{span}", (value, *ends))


def feature_tables(found: Findings) -> list[ReportTable]:
    """The best features over all procedures, where there are several, then those of each."""
    blocks = [block for block in found.features if block.rows]
    several = len(found.features) > 1
    return [_feature_table(found, block, place, several and place == 0) for place, block in enumerate(blocks)]


def _feature_table(found: Findings, block: FeatureRows, place: int, over_all: bool) -> ReportTable:
    first = block.rows[0]
    alike, fitted = not isnan(first.with_stand_ins), not isnan(first.all_rows)
    weighed = any(not isnan(row.importance) for row in block.rows)
    directed = any(row.direction for row in block.rows)
    signed = any(row.model_direction for row in block.rows)
    columns = [
        TableColumn("feature", ("feature",), True),
        TableColumn("frequency", ("frequency",)),
        TableColumn(f"{wording.percent(found.level)} interval", ("wilson_low", "wilson_high")),
        TableColumn("steady core", ("core",), True),
        *([TableColumn("importance", ("importance",))] if weighed else []),
        *([TableColumn("selectors", ("selectors",))] if over_all else []),
        *([TableColumn("on all rows", ("all_rows",))] if fitted else []),
        *([TableColumn("direction", ("direction",), True)] if directed else []),
        *([TableColumn("in the model", ("model_direction", "model_agreement"), True)] if signed else []),
        *(
            [TableColumn("group", ("group", "group_size")), TableColumn("with stand-ins", ("with_stand_ins",))]
            if alike
            else []
        ),
        *([TableColumn("stand-ins", ("stand_ins",), True)] if alike else []),
    ]
    rows = []
    for row in block.rows:
        on_all = wording.percent(row.all_rows) if over_all else ("yes" if row.all_rows else "no")
        cells = [
            text(row.feature),
            number(row.frequency),
            TableCell(wording.span(row.wilson_low, row.wilson_high), (row.wilson_low, row.wilson_high)),
            TableCell("yes" if row.core else "", (int(row.core),)),
            *(
                [TableCell("" if isnan(row.importance) else f"{row.importance:.3g}", (row.importance,))]
                if weighed
                else []
            ),
            *([_whole(row.selectors)] if over_all else []),
            *([TableCell(on_all, (row.all_rows,))] if fitted else []),
            *([text(row.direction)] if directed else []),
            *([_in_the_model(row)] if signed else []),
            *([_group(row), number(row.with_stand_ins)] if alike else []),
            *([text(stand_ins_words(row.stand_ins))] if alike else []),
        ]
        rows.append(TableRow(tuple(cells)))
    return ReportTable(
        f"features-{place + 1}",
        f"How often each feature is selected{f': {shown_name(block.name)}' if block.name else ''}",
        tuple(columns),
        tuple(rows),
        block.name,
        block.left_out,
        tuple(row.selected for row in block.rows),
        first.runs,
    )


def _in_the_model(row: Feature) -> TableCell:
    """What most coefficients of the runs say of the direction, and in how many runs they do."""
    values = (row.model_direction, row.model_agreement)
    if not row.model_direction:
        return TableCell("", values)
    if row.model_direction == BOTH:
        return TableCell(BOTH, values)
    agrees = "the same" if row.model_direction == row.direction else shown_name(row.model_direction)
    return TableCell(f"{agrees} ({wording.percent(row.model_agreement)})", values)


def _group(row: Feature) -> TableCell:
    """The number of the group, and of how many features."""
    return TableCell("" if row.group is None else f"{row.group} (of {row.group_size})", (row.group, row.group_size))


def ranking_table(found: Findings) -> ReportTable:
    """The features of a consensus, the best first."""
    directed = any(row.direction for row in found.ranking)
    columns = (
        TableColumn("feature", ("feature",), True),
        *([TableColumn("direction", ("direction",), True)] if directed else []),
        TableColumn("rank", ("rank",)),
        TableColumn("methods", ("methods",)),
        TableColumn("by chance", ("by_chance",)),
        TableColumn("runs", ("runs",)),
        *(TableColumn(row.name, (row.name,)) for row in found.summary),
    )
    rows = tuple(
        TableRow(
            (
                text(row.feature),
                *([text(row.direction)] if directed else []),
                _whole(row.rank),
                TableCell(f"{row.methods} of {len(found.summary)}", (row.methods,)),
                TableCell(wording.expected_count(row.by_chance) if row.methods else "", (row.by_chance,)),
                _whole(row.runs),
                *(number(share) for share in row.frequencies.values()),
            )
        )
        for row in found.ranking
    )
    left_out = found.settings["ranked_features"] - len(rows)
    return ReportTable("consensus", "Features by consensus", columns, rows, left_out=left_out)


def between_table(found: Findings) -> ReportTable:
    """How far each two methods of a consensus agree."""
    columns = (
        TableColumn("methods", ("first", "second"), True),
        TableColumn(found.measure, ("agreement",)),
        TableColumn("by chance", ("expected",)),
        TableColumn("correlation of frequencies", ("frequencies",)),
        TableColumn("features that both back", ("shared",)),
        TableColumn("by chance", ("shared_expected",)),
    )
    rows = tuple(
        TableRow(
            (
                TableCell(f"{shown_name(row.first)} and {shown_name(row.second)}", (row.first, row.second)),
                number(row.agreement),
                number(row.expected),
                number(row.frequencies),
                _whole(row.shared),
                TableCell(wording.expected_count(row.shared_expected), (row.shared_expected,)),
            )
        )
        for row in found.between
    )
    return ReportTable("agreement", "Agreement between methods", columns, rows)


def tests_table(found: Findings) -> ReportTable:
    """Every test of two procedures."""
    columns = (
        TableColumn("in", ("what",), True),
        TableColumn("first", ("first",), True),
        TableColumn("second", ("second",), True),
        TableColumn("difference", ("difference",)),
        TableColumn(f"{wording.percent(found.level)} interval", ("low", "high")),
        TableColumn("p", ("p_value",)),
        TableColumn("adjusted p", ("p_adjusted",)),
        TableColumn("significant", ("told_apart",), True),
    )
    rows = tuple(
        TableRow(
            (
                text(one.what.replace("_", " ")),
                text(test.first),
                text(test.second),
                number(test.difference, 3),
                TableCell(wording.span(test.low, test.high, 3), (test.low, test.high)),
                TableCell(wording.p_value(test.p_value), (test.p_value,)),
                TableCell(wording.p_value(test.p_adjusted), (test.p_adjusted,)),
                TableCell("yes" if test.told_apart else "no", (int(test.told_apart),)),
            )
        )
        for one in found.differences
        for test in one.tests
    )
    return ReportTable("tests", "Tests of each two procedures: second minus first", columns, rows)


def measures_table(found: Findings) -> ReportTable:
    """The stability by many measures."""
    known = any(not isnan(row.low) for row in found.measures)
    columns = (
        TableColumn("procedure", ("name",), True),
        TableColumn("measure", ("measure",), True),
        TableColumn("estimate", ("estimate",)),
        *([TableColumn(f"{wording.percent(found.level)} interval", ("low", "high"))] if known else []),
        TableColumn("steadier", ("steadier",), True),
        TableColumn("note", ("note",), True),
    )
    rows = tuple(
        TableRow(
            (
                text(row.name),
                text(row.measure),
                number(row.estimate, 3),
                *([TableCell(wording.span(row.low, row.high, 3), (row.low, row.high))] if known else []),
                text(row.steadier),
                text(row.note),
            )
        )
        for row in found.measures
    )
    return ReportTable("measures", "Stability by many measures", columns, rows)


def text(value: str) -> TableCell:
    """A name or words."""
    return TableCell(shown_name(value), (value,))


def number(value: float, decimals: int = 2, *, more: tuple[Any, ...] = ()) -> TableCell:
    """A number, followed by `more` values in a csv file."""
    return TableCell(wording.number(value, decimals), (value, *more))


def _whole(value: int | None) -> TableCell:
    return TableCell("" if value is None else str(value), (value,))


def _interval(low: float, high: float, estimate: float) -> TableCell:
    known = not any(map(isnan, (low, high, estimate)))
    return TableCell(wording.span(low, high), (low, high), (low, estimate, high) if known else None)


def _score(score: Score) -> TableCell:
    error = "" if isnan(score.se) else f" ± {wording.number(score.se, 3)}"
    return TableCell(f"{wording.number(score.mean, 3)}{error}", (score.mean, score.se))


def bar_scale(rows: Sequence[Procedure]) -> tuple[float, float]:
    """From where to where the bars of intervals go: 0 to 1, and further where an interval does."""
    ends = [end for row in rows for end in (row.low, row.high, row.stability) if not isnan(end)]
    return min([0.0, *ends]), max([1.0, *ends])
