"""The tables of sections: cells as people read them, with the values behind them; what terminals show; the settings."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import astuple, dataclass, replace
from math import isfinite, isnan
from typing import TYPE_CHECKING, Any

import numpy as np

from steadyset._version import __version__
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
from steadyset.inference.instability import Alternatives
from steadyset.inference.runs import in_core
from steadyset.options import as_shell_line
from steadyset.replications.result import NextStudy
from steadyset.replications.sources import Source
from steadyset.replications.studies import ComparedStudies, StudyFeature
from steadyset.runner.scoring import score_title
from steadyset.shortlists.listed import CANDIDATE, GROUP, LISTED, Listed, ListedFeature

if TYPE_CHECKING:
    from steadyset.findings.parts import Configuration, Findings, Preference, Procedure
    from steadyset.inference.models import Coefficients
    from steadyset.selections import Selections
    from steadyset.tuning import Trials

MAX_EFFECT = 10
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


def _column(
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


def _table(
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
        _column("selector" if of_selectors else "procedure", "name", text=True, when=named),
        _column("stability", "stability", wording.number),
        [TableColumn(_interval_title(found.level), ("low", "high"), _interval)],
        _column("verdict", "verdict", text=True, when=judged),
        *(_score(name) for name in found.scoring),
        _column("features", "size", wording.amount),
        _column("steady core", "core", _whole, of=lambda row: (sized.get(row.name),), when=found.cores),
        _column("runs", "runs", _whole),
        _column("failures", "failures", _whole, when=any(row.failures for row in found.summary)),
        _column("warnings", "warned", _whole, when=any(row.warned for row in found.summary)),
    ]
    caption = f"Stability of each {'selector' if of_selectors else 'procedure'}" if named else "Stability of the runs"
    runs = max((one.runs for one in found.summary), default=0)
    table = _table("summary", caption, columns, found.summary, runs=runs)
    rows = [replace(row, procedure=one.name) for row, one in zip(table.rows, found.summary, strict=True)]
    return replace(table, rows=(*rows, *(_baseline(one, table.columns) for one in found.baselines)))


def _baseline(one: Baseline, columns: Sequence[TableColumn]) -> TableRow:
    known = {"name": TableCell(shown_name(one.name), (one.name,)), "verdict": TableCell("baseline", ("baseline",))}
    known |= {name: TableCell(wording.number(score, 3), (score, "")) for name, score in one.scores.items()}
    cells = (known.get(column.keys[0], TableCell("", ("",) * len(column.keys))) for column in columns)
    return TableRow(tuple(cells), is_baseline=True)


def front_table(found: Findings) -> ReportTable:
    """The configurations of a tuning that are on the Pareto front."""
    from steadyset.tuning.result import objective_words, settings_words

    def number_cell(one: Configuration) -> TableCell:
        return TableCell(f"{one.number}{' (chosen)' if one.chosen else ''}", (one.number,))

    columns = [
        [TableColumn("configuration", ("number",), number_cell)],
        _column("settings", "params", text=True, of=lambda one: (settings_words(one.params),)),
        *(
            _column(objective_words(name), name, _objective(name), of=_part("objectives", name))
            for name in found.front[0].objectives
        ),
        _column("on the front", "on_front", wording.percent),
    ]
    return _table("front", "Configurations on the Pareto front", columns, found.front)


def trials_table(tried: Trials) -> ReportTable:
    """Every configuration that a tuning tried, those on the front and the most probable ones first."""
    from steadyset.tuning.result import settings_words

    probability, front = tried.front_probability(), tried.frame["front"]
    params = {number: drawn for number, drawn, _ in tried.trials}
    columns = [
        _column("configuration", "configuration", _whole, of=lambda i: (int(front.index[i]),)),
        _column("settings", "settings", text=True, of=lambda i: (settings_words(params[front.index[i]]),)),
        *(
            _column(
                _with_interval(name),
                (name, f"{name}_low", f"{name}_high"),
                _objective(name),
                of=_places(tried.interval(name)),
            )
            for name in tried.objectives
        ),
        _column("on the front", "on_front", wording.percent, of=lambda i: (float(probability.iloc[i]),)),
    ]
    order = sorted(range(len(front)), key=lambda i: (not front.iloc[i], -probability.iloc[i]))[:MOST_TRIALS]
    left_out = len(front) - len(order)
    return _table("trials", "All configurations that were tried", columns, order, left_out=left_out)


def _with_interval(name: str) -> str:
    from steadyset.tuning.result import objective_words

    words = objective_words(name)
    return words if name == N_FEATURES else f"{words} ({_interval_title(LEVEL)})"


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
        _column("feature", "feature", text=True, of=lambda f: (sel.features[f],)),
        _column("direction", "direction", text=True, of=of("direction"), when=any(r.direction for r in known.values())),
        [TableColumn("chosen in", ("share", "share_low", "share_high"), chosen)],
        _column(
            "steady core",
            "core",
            lambda core: "yes" if core else "",
            of=lambda f: (bool(steady[f]),),
            text=True,
            when=not few,
        ),
        _column(f"other methods, in {several}", "methods", lambda n: f"{n} of {len(others)}", of=agreeing, when=others),
        [TableColumn("look-alikes", ("look_alikes",), alike, True)] if any(r.stand_ins for r in known.values()) else [],
    ]
    return _table(
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
    on_all = wording.percent if over_all else _yes_or_no
    columns = [
        _column("feature", "feature", text=True),
        _column("frequency", "frequency", wording.number),
        _column(_interval_title(found.level), ("wilson_low", "wilson_high"), wording.span),
        _column("steady core", "core", lambda core: "yes" if core else "", text=True),
        _column(
            "importance",
            "importance",
            lambda value: "" if isnan(value) else f"{value:.3g}",
            when=any(not isnan(row.importance) for row in block.rows),
        ),
        _column("selectors", "selectors", _whole, when=over_all),
        _column("on all rows", "all_rows", on_all, when=not isnan(first.all_rows)),
        _column("direction", "direction", text=True, when=any(row.direction for row in block.rows)),
        [TableColumn("in the model", ("model_direction", "model_agreement"), _in_the_model, True)]
        if any(row.model_direction for row in block.rows)
        else [],
        _column("group", ("group", "group_size"), _group, when=alike),
        _column("with stand-ins", "with_stand_ins", wording.number, when=alike),
        _column("stand-ins", "stand_ins", text=True, of=lambda row: (stand_ins_words(row.stand_ins),), when=alike),
    ]
    return _table(
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


def shortlist_table(found: Findings, *, every: bool = False) -> ReportTable:
    """The listed features, or with `every` also members of listed groups and candidates."""
    assert found.shortlist is not None
    whole = found.shortlist
    rows = whole.features if every else whole.of_tier(LISTED)
    return _shortlist_table("shortlist", "The list", whole, rows, tiers=every)


def candidates_table(found: Findings) -> ReportTable:
    """The next ones, which do not pass."""
    assert found.shortlist is not None
    rows = found.shortlist.of_tier(CANDIDATE)
    return _shortlist_table("candidates", "Candidates, which do not pass", found.shortlist, rows, effects=False)


def _shortlist_table(
    name: str,
    caption: str,
    whole: Listed,
    rows: Sequence[ListedFeature],
    *,
    tiers: bool = False,
    effects: bool = True,
) -> ReportTable:
    known = any(not isnan(one.effect) for one in rows)
    repeated, alike = any(not isnan(one.came_back) for one in rows), any(one.n_alike for one in rows)
    columns = [
        _column("feature", "feature", text=True),
        _column("tier", "tier", text=True, when=tiers),
        _column("direction", "direction", text=True),
        [TableColumn("of halves", ("frequency", "low", "high"), _chosen)],
        _column(f"effect, {whole.effect}", ("effect", "effect_low", "effect_high"), _estimated, when=effects and known),
        _column("came back", "came_back", wording.percent, when=repeated),
        _column("q", "q_value", _precise),
        _column("by", "base", text=True, when=len(whole.bases) > 1),
        _column("look-alikes", ("alike", "n_alike"), _alike, of=_alike_values, text=True, when=alike),
    ]
    return _table(name, caption, columns, rows)


def rules_table(found: Findings) -> ReportTable:
    """What other rules list from the same halves."""
    assert found.shortlist is not None
    own = set(found.shortlist.names)
    columns = [
        _column("rule", "rule", text=True),
        _column("lists", "lists", _whole, of=lambda one: (len(one.features),)),
        _column("of these here", "shared", _whole, of=lambda one: (len(own & set(one.features)),)),
        _column("promises", "promises", text=True),
        _column("held in our study", "held", text=True),
        _column("reference", "reference", text=True),
    ]
    return _table("rules", "Other rules on the same halves", columns, found.shortlist.rules)


def studies_table(found: Findings) -> ReportTable:
    """What is expected of studies of half the rows, as many, and more."""
    assert found.replication is not None
    one = found.replication

    def of(agreements: tuple[str, ...]) -> Any:
        return lambda study: tuple(one.common(getattr(study, name)) for name in agreements)

    def singly(study: NextStudy) -> tuple[float, float]:
        return one.size * study.one_low, one.size * study.one_high

    ends = ("agreement", "low", "high"), ("again", "again_low", "again_high")
    columns = [
        _column("rows", "rows", _whole),
        _column(f"in common, of {one.size}", ("in_common", "low", "high"), _rounded, of=of(ends[0])),
        _column("again, on average", ("again", "again_low", "again_high"), _rounded, of=of(ends[1])),
        _column("again, in one study", ("one_low", "one_high"), _from_to, of=singly),
        _column("by", "measured", _without_model, text=True),
    ]
    return _table("studies", "What the next study would select", columns, one.studies)


def kept_table(found: Findings) -> ReportTable:
    """The list, and how often studies of half the size select each feature."""
    assert found.replication is not None
    rows = found.replication.studies[0].rows
    columns = [
        _column("feature", "feature", text=True),
        _column(f"of studies of {rows} rows", "frequency", wording.percent),
    ]
    return _table("kept", "The list of all rows", columns, found.replication.features)


def short_studies(found: Findings, most: int | None) -> list[Table]:
    """The next studies and the list."""
    studies, kept = studies_table(found), kept_table(found)
    return [Table.of(_short_rows(studies), "The next study"), Table.of(_short_rows(kept), "This list", most=most)]


def alike_table(found: Findings) -> ReportTable:
    """What the studies select, with directions and effects side by side."""
    assert found.studies is not None
    one = found.studies
    columns = [
        _column("feature", "feature", text=True),
        _column("studies", "studies", _whole),
        _column("q", "q_value", wording.p_value),
        _column("comes back", "comes_back", _yes_or_no, text=True),
        *(_in_study(one, place) for place in range(len(one.studies))),
    ]
    return _table("alike", "What the studies select", columns, one.features)


def _in_study(one: ComparedStudies, place: int) -> list[TableColumn]:
    """The effect in a study, in brackets where it does not select the feature."""

    def values(row: StudyFeature) -> tuple[Any, ...]:
        return row.selected[place], row.effects[place], row.directions[place]

    def said(selected: bool, effect: float, direction: str) -> str:
        text = f"{wording.number(effect)}{f', {direction}' if one.names_directions and direction else ''}"
        return text if selected else f"({text})"

    name = one.studies[place].name
    return _column(
        shown_name(name), tuple(f"{key}: {name}" for key in ("selected", "effect", "direction")), said, of=values
    )


def effects_legend(found: Findings) -> str:
    """What the columns of studies hold."""
    assert found.studies is not None
    effect = found.studies.effect
    return f"Columns of studies: the effect ({effect}), in brackets where the study does not select the feature."


def found_again_table(found: Findings) -> ReportTable:
    """Each list in each other study, beside chance and beside what its own resamples predicted."""
    assert found.studies is not None
    columns = [
        _column("list of", "first", text=True),
        _column("in", "second", text=True),
        _column("again", ("common", "size"), lambda common, size: f"{common} of {size}"),
        _column("same direction", "same_direction", _whole),
        _column("by chance", "expected", expected_count),
        _column("p", "p_value", wording.p_value),
        _column("predicted", ("predicted", "low", "high"), _predicted),
        _column("", "verdict", text=True),
    ]
    return _table("found_again", "Each list in the other studies", columns, found.studies.pairs)


def _predicted(value: float, low: float, high: float) -> str:
    return wording.DASH if isnan(value) else f"{value:.1f} ({_from_to(low, high)})"


def left_out_table(found: Findings) -> ReportTable:
    """The studies, and how well each is predicted by the others."""
    assert found.studies is not None
    score = score_title(found.studies.score)
    columns = [
        _column("study", "name", text=True),
        _column("rows", "rows", _whole),
        _column("features", "features", _whole),
        _column("selects", "size", _whole),
        _column(f"{score} from the others", "others", _precise),
        _column("from its own rows", "own", _precise),
        _column("without features", "blind", _precise),
    ]
    return _table("left_out", "Each study predicted by the others", columns, found.studies.studies)


def short_alike(found: Findings, most: int | None) -> list[Table]:
    """The studies, what they select, and each list in the other studies."""
    tables = (
        (alike_table(found), "What the studies select"),
        (found_again_table(found), "Each list in the other studies"),
        (left_out_table(found), "Each study predicted by the others"),
    )
    return [Table.of(_short_rows(one), title, most=most) for one, title in tables if one.rows]


def alternatives_table(one: Alternatives) -> ReportTable:
    """The lists of groups of runs side by side."""

    def of_list(place: int) -> list[TableColumn]:
        title = f"list {place + 1}"
        runs = counted(one.lists[place].runs, "run")
        return _column(f"{title} ({runs})", title, of=lambda row: (row.features[place],), text=True)

    columns = [*map(of_list, range(len(one.lists))), _column("similarity", "similarity", wording.number)]
    return _table(f"alternatives: {one.name}", f"Several answers of {shown_name(one.name)}", columns, one.rows)


def short_alternatives(found: Findings, most: int | None) -> list[Table]:
    """The lists of each procedure whose runs fall into groups."""
    tables = [(alternatives_table(one), one.name) for one in found.alternatives]
    return [Table.of(_short_rows(one), f"Several answers of {name}" if name else "", most=most) for one, name in tables]


def sources_table(found: Findings) -> ReportTable:
    """The parts of the disagreement, the largest first."""
    assert found.sources is not None
    columns = [
        _column("source", "name", text=True),
        _column("features", "features", wording.number),
        _column("share", "share", _positive),
        [TableColumn(_interval_title(0.95), ("low", "high"), _shares)],
    ]
    return _table("sources", "What the disagreement comes from", columns, found.sources.parts)


def predictions_table(found: Findings) -> ReportTable:
    """How far the predictions of the runs agree."""
    columns = [
        _column("selector", "name", text=True),
        _column("mean absolute difference", "error", wording.expected_count),
        _column(f"width of the {wording.percent(found.level)} range", "width", wording.expected_count),
        _column("difference between two rows", "between_rows", wording.expected_count),
        _column("rows that change group", "changed", wording.percent),
        _column("that change it often", "often_changed", wording.percent),
    ]
    return _table("predictions", "Predictions of the runs for the same rows", columns, found.predictions)


def coefficients_table(one: Coefficients, place: int) -> ReportTable:
    """The coefficients of the runs of the procedure at a place, the most frequent features first."""
    numbers = {"on all rows": "coefficient", "mean": "mean", "sd": "sd", "ratio": "rmsd_ratio"}
    columns = [
        _column("feature", "feature", text=True),
        _column("inclusion", "inclusion", wording.percent),
        *(_column(title, key, _three_digits) for title, key in numbers.items()),
        _column("95% of the runs", ("low", "high"), lambda low, high: f"{_three_digits(low)} to {_three_digits(high)}"),
        _column("same sign", "same_sign", _share),
        _column("bias", "conditional_bias", _share),
    ]
    caption = f"Coefficients of the runs: {shown_name(one.name)}"
    return _table(f"coefficients-{place + 1}", caption, columns, one.rows, title=one.name)


def _three_digits(value: float) -> str:
    return f"{value:.3g}" if isfinite(value) else wording.DASH


def _share(value: float) -> str:
    return f"{100 * value:.0f}%" if isfinite(value) else wording.DASH


def driving_table(found: Findings) -> ReportTable:
    """Rows that change the selection."""
    assert found.sources is not None
    columns = [
        _column("row", "label", text=True),
        _column("features that change with it", "features", wording.number),
        _column("p, adjusted", "p_value", wording.p_value),
    ]
    return _table("driving_rows", "Rows that change the selection", columns, found.sources.rows)


def short_sources(found: Findings, most: int | None) -> list[Table]:
    """The parts of the disagreement, and the rows that drive it."""
    tables = [(sources_table(found), ""), (driving_table(found), "Rows that change the selection")]
    return [Table.of(_short_rows(one), title, most=most) for one, title in tables if one.rows]


def _positive(share: float) -> str:
    return wording.percent(round(max(share, 0.0), 2))


def _shares(one: Source) -> TableCell:
    return TableCell(
        f"{_positive(one.low)} to {_positive(one.high)}", (one.low, one.high), (one.low, one.share, one.high)
    )


def _short_rows(table: ReportTable) -> list[dict[str, Any]]:
    titles = [column.title for column in table.columns]
    return [dict(zip(titles, texts, strict=True)) for texts in table.texts()]


def _rounded(value: float, low: float, high: float) -> str:
    return f"{value:.1f} ({low:.1f} to {high:.1f})"


def _from_to(low: float, high: float) -> str:
    return f"{low:.0f} to {high:.0f}"


def _without_model(measured: bool) -> str:
    return "disjoint parts of the rows" if measured else "extrapolation"


def _chosen(one: ListedFeature) -> TableCell:
    values = (one.frequency, one.low, one.high)
    return TableCell(wording.percent(one.frequency), values, (one.low, one.frequency, one.high), filled=True)


def _estimated(value: float, low: float, high: float) -> str:
    """An effect with its interval; beyond 10 standard deviations classes are apart, and nobody asks how far."""
    if isnan(value):
        return ""
    if value > MAX_EFFECT:
        return f"more than {MAX_EFFECT}"
    return f"{wording.number(value)} ({wording.span(low, high)})"


def _alike_values(one: ListedFeature) -> tuple[str, int]:
    return ", ".join(one.alike), one.n_alike


def _alike(names: str, count: int) -> str:
    more = count - (names.count(", ") + 1 if names else 0)
    return shown_name(names) + (f" and {more} more" if names and more > 0 else "")


def ranking_table(found: Findings) -> ReportTable:
    """The features of a consensus, the best first."""
    columns = [
        _column("feature", "feature", text=True),
        _column("direction", "direction", text=True, when=any(row.direction for row in found.ranking)),
        _column("rank", "rank", _whole),
        _column("methods", "methods", lambda methods: f"{methods} of {len(found.summary)}"),
        [TableColumn("by chance", ("by_chance",), _backed_by_chance)],
        _column("runs", "runs", _whole),
        *(
            _column(name, (name,), wording.number, of=_part("frequencies", name))
            for name in (row.name for row in found.summary)
        ),
    ]
    left_out = found.settings["ranked_features"] - len(found.ranking)
    return _table("consensus", "Features by consensus", columns, found.ranking, left_out=left_out)


def _backed_by_chance(row: RankedFeature) -> TableCell:
    return TableCell(wording.expected_count(row.by_chance) if row.methods else "", (row.by_chance,))


def shared_table(sel: Selections) -> ReportTable:
    """How many names each two lists share."""
    labels = [str(label) for label in sel.labels or range(1, sel.n_runs + 1)]
    shared = sel.intersections()

    def with_list(other: int) -> list[TableColumn]:
        return _column(labels[other], f"shared_{other + 1}", _whole, of=lambda run: (int(shared[run, other]),))

    columns = [
        _column("list", "list", text=True, of=lambda run: (labels[run],)),
        _column("names", "names", _whole, of=lambda run: (int(sel.sizes[run]),)),
        *map(with_list, range(sel.n_runs)),
    ]
    return _table("shared", "Number of names that two lists share", columns, range(sel.n_runs))


def between_table(found: Findings) -> ReportTable:
    """How far each two methods of a consensus agree."""
    columns = [
        _column("methods", ("first", "second"), lambda *names: " and ".join(map(shown_name, names)), text=True),
        _column(found.measure, "agreement", wording.number),
        _column("by chance", "expected", wording.number),
        _column("correlation of frequencies", "frequencies", wording.number),
        _column("features that both back", "shared", _whole),
        _column("by chance", "shared_expected", wording.expected_count),
    ]
    return _table("agreement", "Agreement between methods", columns, found.between)


def tests_table(found: Findings) -> ReportTable:
    """Every test of two procedures."""
    columns = [
        _column("first", "first", text=True),
        _column("second", "second", text=True),
        _column("difference", "difference", _precise),
        _column(_interval_title(found.level), ("low", "high"), _precise_span),
        _column("p", "p_value", wording.p_value),
        _column("adjusted p", "p_adjusted", wording.p_value),
        _column("significant", "told_apart", _yes_or_no, text=True),
    ]
    caption = "Tests of each two procedures: second minus first"
    parts = [_table("tests", caption, [_tested(one), *columns], one.tests) for one in found.differences]
    return replace(parts[0], rows=tuple(row for part in parts for row in part.rows))


def _tested(one: Differences) -> list[TableColumn]:
    what = one.what.replace("_", " ")
    return _column("in", "what", text=True, of=lambda test: (what,))


def measures_table(found: Findings) -> ReportTable:
    """The stability by many measures."""
    known = any(not isnan(row.low) for row in found.measures)
    columns = [
        _column("procedure", "name", text=True),
        _column("measure", "measure", text=True),
        _column("estimate", "estimate", _precise),
        _column(_interval_title(found.level), ("low", "high"), _precise_span, when=known),
        _column("steadier", "steadier", text=True),
        _column("note", "note", text=True),
    ]
    return _table("measures", "Stability by many measures", columns, found.measures)


def _interval_title(level: float) -> str:
    return f"{wording.percent(level)} interval"


def _precise(value: float) -> str:
    return wording.number(value, 3)


def _precise_span(low: float, high: float) -> str:
    return wording.span(low, high, 3)


def _whole(value: int | None) -> str:
    return "" if value is None else str(value)


def _yes_or_no(value: float) -> str:
    return "yes" if value else "no"


def _interval(row: Procedure) -> TableCell:
    """The interval of the stability in words, and as a bar where all of it is known."""
    ends = (row.low, row.stability, row.high)
    bar = None if any(map(isnan, ends)) else ends
    return TableCell(wording.span(row.low, row.high), (row.low, row.high), bar)


def _score(name: str) -> list[TableColumn]:
    """The mean of a score with its standard error."""
    keys = (name, f"{name}_se")
    return _column(name.replace("_", " "), keys, _with_error, of=lambda row: astuple(row.scores[name])[:2])


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


def short_shortlist(found: Findings, most: int | None) -> list[Table]:
    """The list, then the first of those that do not pass."""
    assert found.shortlist is not None
    tables = []
    for title, tiers, first in (
        ("The list", (LISTED,), most and 3 * most),
        ("Groups of which one is meant", (GROUP,), most),
        ("Candidates, which do not pass", (CANDIDATE,), most),
    ):
        several = [one for one in found.shortlist.features if one.tier in tiers]
        rows = [
            {
                "feature": Words(one.feature),
                " ": Bar(one.frequency, one.low, one.high),
                "of halves": percent(one.frequency),
                "direction": one.direction,
                **({"effect": _effect(one)} if any(not isnan(other.effect) for other in several) else {}),
                **({"came back": percent(one.came_back)} if one.came_back == one.came_back else {}),
                **({"look-alikes": one.n_alike} if any(other.n_alike for other in several) else {}),
            }
            for one in several
        ]
        tables += [Table.of(rows, title, most=first, noun="feature")] if rows else []
    return tables


def _effect(one: ListedFeature) -> str:
    return _estimated(one.effect, one.effect_low, one.effect_high)


def main_rows(found: Findings) -> list[dict[str, Any]]:
    """What a csv file holds of findings, with every number: the shortlist, the front of a tuning, else the summary."""
    if found.shortlist is not None:
        return shortlist_table(found, every=True).records()
    if found.replication is not None:
        return studies_table(found).records()
    if found.studies is not None:
        return alike_table(found).records()
    if found.sources is not None:
        return sources_table(found).records()
    if found.front:
        return front_rows(found)
    return [
        {
            "selector": row.name,
            **{key: getattr(row, key) for key in ("runs", "stability", "low", "high", "verdict")},
            **{
                f"{name}{end}": value
                for name, score in row.scores.items()
                for end, value in zip(("", "_se", "_blind", "_random"), astuple(score), strict=True)
            },
            "size": row.size,
            "failures": row.failures,
            "warnings": row.warned,
            "tied": row.tied,
            "note": row.note,
        }
        for row in found.summary
    ]


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
    command = shown_name(as_shell_line(details.get("job")))  # to be run: whole
    return told | ({"command": command} if command else {})


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
