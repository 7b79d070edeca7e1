"""The tables of shortlists, of studies, of groups of runs and of models, and why reruns differ."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import astuple
from math import isfinite, isnan
from typing import TYPE_CHECKING, Any

from steadyset.findings import shortlist_words
from steadyset.findings.parts import Findings
from steadyset.findings.tables import (
    ReportTable,
    TableCell,
    TableColumn,
    column,
    count,
    front_rows,
    interval_title,
    precise,
    table_of,
    yes_or_no,
)
from steadyset.foundation import text as wording
from steadyset.foundation.display import Bar, Table, Words
from steadyset.foundation.text import counted, expected_count, percent, shown_name
from steadyset.inference.instability import Alternatives
from steadyset.replications.result import NextStudy
from steadyset.replications.sources import Source
from steadyset.replications.studies import ComparedStudies, StudyFeature
from steadyset.runner.scoring import score_title
from steadyset.shortlists.listed import CANDIDATE, GROUP, LISTED, Listed, ListedFeature

if TYPE_CHECKING:
    from steadyset.inference.models import Coefficients

MAX_EFFECT = 10
MAX_ALIKE = 2  # names in a cell


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
        column("feature", "feature", text=True),
        column("tier", "tier", text=True, when=tiers),
        column("direction", "direction", text=True),
        [TableColumn("of halves", ("frequency", "low", "high"), _chosen)],
        column(
            f"effect, {whole.effect}",
            ("effect", "effect_low", "effect_high", "corrected"),
            _marked,
            when=effects and known,
        ),
        *_alone_columns(whole, when=effects and known),
        column("came back", "came_back", wording.percent, when=repeated),
        column("q", "q_value", precise, when=not whole.void),
        column("by", "base", text=True, when=len(whole.bases) > 1),
        [TableColumn("look-alikes", ("alike", "n_alike"), _alike, is_text=True)] if alike else [],
    ]
    return table_of(name, caption, columns, rows)


def _alone_columns(whole: Listed, *, when: bool) -> list[list[TableColumn]]:
    """Return the columns on each feature alone: effect, p-value and, for two classes, the difference of means."""
    return [
        column("uncorrected", "uncorrected_effect", _limited, when=when),
        column("p, feature alone", "p_value", _two_digits, when=when),
        column("difference of means", "difference", _significant, when=when and len(whole.classes) == 2),
    ]


def alone_table(found: Findings, most: int | None) -> Table:
    """Return the table of each listed feature alone, for a terminal."""
    assert found.shortlist is not None
    whole = found.shortlist
    rows = [one for one in whole.of_tier(LISTED) if not isnan(one.effect)]
    # The look-alikes are counted here, as the table above has no room for another column in a terminal.
    alike = [column("look-alikes", "n_alike", count)] if any(one.n_alike for one in rows) else []
    columns = [column("feature", "feature", text=True), *_alone_columns(whole, when=True), *alike]
    return shortened(table_of("alone", "", columns, rows), "Each listed feature alone", most)


def rules_table(found: Findings) -> ReportTable:
    """What other rules list from the same halves."""
    assert found.shortlist is not None
    own = set(found.shortlist.names)
    columns = [
        column("rule", "rule", text=True),
        column("lists", "lists", count, of=lambda one: (len(one.features),)),
        column("of these here", "shared", count, of=lambda one: (len(own & set(one.features)),)),
        column("promises", "promises", text=True),
        column("held in our study", "held", text=True),
        column("reference", "reference", text=True),
    ]
    return table_of("rules", "Other rules on the same halves", columns, found.shortlist.rules)


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
        column("rows", "rows", count),
        column(f"in common, of {one.size}", ("in_common", "low", "high"), _rounded, of=of(ends[0])),
        column("again, on average", ("again", "again_low", "again_high"), _rounded, of=of(ends[1])),
        column("again, in one study", ("one_low", "one_high"), _from_to, of=singly),
        column("by", "measured", _without_model, text=True),
    ]
    return table_of("studies", "What the next study would select", columns, one.studies)


def kept_table(found: Findings) -> ReportTable:
    """The list, and how often studies of half the size select each feature."""
    assert found.replication is not None
    rows = found.replication.studies[0].rows
    columns = [
        column("feature", "feature", text=True),
        column(f"of studies of {rows} rows", "frequency", wording.percent),
    ]
    return table_of("kept", "The list of all rows", columns, found.replication.features)


def short_studies(found: Findings, most: int | None) -> list[Table]:
    """The next studies and the list."""
    studies, kept = studies_table(found), kept_table(found)
    return [shortened(studies, "The next study", None), shortened(kept, "This list", most)]


def alike_table(found: Findings) -> ReportTable:
    """What the studies select, with directions and effects side by side."""
    assert found.studies is not None
    one = found.studies
    columns = [
        column("feature", "feature", text=True),
        column("studies", "studies", count),
        column("p, adjusted", "p_value", wording.p_value),
        column("comes back", "comes_back", yes_or_no, text=True),
        *(_in_study(one, place) for place in range(len(one.studies))),
    ]
    return table_of("alike", "What the studies select", columns, one.features)


def _in_study(one: ComparedStudies, place: int) -> list[TableColumn]:
    """The effect in a study, in brackets where it does not select the feature."""

    def values(row: StudyFeature) -> tuple[Any, ...]:
        return row.selected[place], row.effects[place], row.directions[place]

    def said(selected: bool, effect: float, direction: str) -> str:
        text = f"{wording.number(effect)}{f', {direction}' if one.names_directions and direction else ''}"
        return text if selected else f"({text})"

    name = one.studies[place].name
    return column(
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
        column("list of", "first", text=True),
        column("in", "second", text=True),
        column("again", ("common", "size"), lambda common, size: f"{common} of {size}"),
        column("same direction", "same_direction", count),
        column("by chance", "expected", expected_count),
        column("p", "p_value", wording.p_value),
        column("predicted", ("predicted", "low", "high"), _predicted),
        column("verdict", "verdict", text=True),
    ]
    return table_of("found_again", "Each list in the other studies", columns, found.studies.pairs)


def _predicted(value: float, low: float, high: float) -> str:
    return wording.DASH if isnan(value) else f"{value:.1f} ({_from_to(low, high)})"


def left_out_table(found: Findings) -> ReportTable:
    """The studies, and how well each is predicted by the others."""
    assert found.studies is not None
    score = score_title(found.studies.score)
    columns = [
        column("study", "name", text=True),
        column("rows", "rows", count),
        column("features", "features", count),
        column("selects", "size", count),
        column(f"{score} from the others", "others", precise),
        column("from its own rows", "own", precise),
        column("without features", "blind", precise),
    ]
    return table_of("left_out", "Each study predicted by the others", columns, found.studies.studies)


def short_alike(found: Findings, most: int | None) -> list[Table]:
    """The studies, what they select, and each list in the other studies."""
    tables = (
        (alike_table(found), "What the studies select"),
        (found_again_table(found), "Each list in the other studies"),
        (left_out_table(found), "Each study predicted by the others"),
    )
    return [shortened(one, title, most) for one, title in tables if one.rows]


def alternatives_table(one: Alternatives) -> ReportTable:
    """The lists of groups of runs side by side."""

    def of_list(place: int) -> list[TableColumn]:
        title = f"list {place + 1}"
        runs = counted(one.lists[place].runs, "run")
        return column(f"{title} ({runs})", title, of=lambda row: (row.features[place],), text=True)

    columns = [*map(of_list, range(len(one.lists))), column("similarity", "similarity", wording.number)]
    return table_of(f"alternatives: {one.name}", f"Several answers of {shown_name(one.name)}", columns, one.rows)


def short_alternatives(found: Findings, most: int | None) -> list[Table]:
    """The lists of each procedure whose runs fall into groups."""
    titled = {
        f"Several answers of {one.name}" if one.name else "": alternatives_table(one) for one in found.alternatives
    }
    return [shortened(table, title, most) for title, table in titled.items()]


def sources_table(found: Findings) -> ReportTable:
    """The parts of the disagreement, the largest first."""
    assert found.sources is not None
    columns = [
        column("source", "name", text=True),
        column("features", "features", wording.number),
        column("share", "share", _positive),
        [TableColumn(interval_title(0.95), ("low", "high"), _shares)],
    ]
    return table_of("sources", "What the disagreement comes from", columns, found.sources.parts)


def predictions_table(found: Findings) -> ReportTable:
    """How far the predictions of the runs agree."""
    columns = [
        column("selector", "name", text=True),
        column("mean absolute difference", "error", wording.expected_count),
        column(f"width of the {wording.percent(found.level)} range", "width", wording.expected_count),
        column("difference between two rows", "between_rows", wording.expected_count),
        column("rows that change group", "changed", wording.percent),
        column("that change it often", "often_changed", wording.percent),
        column("agreement of two runs", "agreement", _agreement),
        column(
            f"{wording.percent(found.level)} interval",
            ("agreement_low", "agreement_high"),
            lambda low, high: f"{_agreement(low)} to {_agreement(high)}",
        ),
    ]
    return table_of("predictions", "Predictions of the runs for the same rows", columns, found.predictions)


def _agreement(value: float) -> str:
    return wording.DASH if isnan(value) else f"{value:.2f}"


def coefficients_table(one: Coefficients, place: int) -> ReportTable:
    """The coefficients of the runs of the procedure at a place, the most frequent features first."""
    numbers = {"on all rows": "coefficient", "mean": "mean", "sd": "sd", "ratio": "rmsd_ratio"}
    columns = [
        column("feature", "feature", text=True),
        column("inclusion", "inclusion", wording.percent),
        *(column(title, key, _three_digits) for title, key in numbers.items()),
        column("95% of the runs", ("low", "high"), lambda low, high: f"{_three_digits(low)} to {_three_digits(high)}"),
        column("same sign", "same_sign", _share),
        column("bias", "conditional_bias", _share),
    ]
    caption = f"Coefficients of the runs: {shown_name(one.name)}"
    return table_of(f"coefficients-{place + 1}", caption, columns, one.rows, title=one.name)


def _three_digits(value: float) -> str:
    return f"{value:.3g}" if isfinite(value) else wording.DASH


def _share(value: float) -> str:
    return f"{100 * value:.0f}%" if isfinite(value) else wording.DASH


def driving_table(found: Findings) -> ReportTable:
    """Rows that change the selection."""
    assert found.sources is not None
    columns = [
        column("row", "label", text=True),
        column("features that change with it", "features", wording.number),
        column("p, adjusted", "p_value", wording.p_value),
    ]
    return table_of("driving_rows", "Rows that change the selection", columns, found.sources.rows)


def short_sources(found: Findings, most: int | None) -> list[Table]:
    """The parts of the disagreement, and the rows that drive it."""
    tables = [(sources_table(found), ""), (driving_table(found), "Rows that change the selection")]
    return [shortened(one, title, most) for one, title in tables if one.rows]


def _positive(share: float) -> str:
    return wording.percent(round(max(share, 0.0), 2))


def _shares(one: Source) -> TableCell:
    return TableCell(
        f"{_positive(one.low)} to {_positive(one.high)}", (one.low, one.high), (one.low, one.share, one.high)
    )


def shortened(table: ReportTable, title: str, most: int | None) -> Table:
    """The first rows of a table as a terminal shows them; the others are counted."""
    titles = [column.title for column in table.columns]
    rows = [dict(zip(titles, texts, strict=True)) for texts in table.texts()]
    return Table.of(rows, title, most=most, noun="row")


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


def _limited(value: float) -> str:
    return f"more than {MAX_EFFECT}" if value > MAX_EFFECT else wording.number(value)


def _two_digits(value: float) -> str:
    """Return a p-value with two digits, however small: a reviewer compares it with a threshold of many tests."""
    return wording.DASH if isnan(value) else f"{value:.2g}"


def _significant(value: float) -> str:
    """Return a difference in the unit of the data, which may be of any size, with three digits."""
    return wording.DASH if isnan(value) else f"{value:.3g}"


def _marked(value: float, low: float, high: float, corrected: bool) -> str:
    """Return an effect with its interval, marked if it is not corrected for selection."""
    text = _estimated(value, low, high)
    return text if corrected or not text else f"{text} {shortlist_words.UNCORRECTED}"


def _alike(one: ListedFeature) -> TableCell:
    """A few names, so that rows stay low; a file has them all."""
    first, more = one.alike[:MAX_ALIKE], one.n_alike - MAX_ALIKE
    told = shown_name(", ".join(first)) + (f" and {more} more" if first and more > 0 else "")
    return TableCell(told, (", ".join(one.alike), one.n_alike))


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
        has_table_of_each = LISTED in tiers and any(not isnan(one.effect) for one in several)
        shows_alike = not has_table_of_each and any(one.n_alike for one in several)
        rows = [
            {
                "feature": Words(one.feature),
                " ": Bar(one.frequency, one.low, one.high),
                "of halves": percent(one.frequency),
                "direction": one.direction,
                **({"effect": _effect(one)} if any(not isnan(other.effect) for other in several) else {}),
                **({"came back": percent(one.came_back)} if one.came_back == one.came_back else {}),
                **({} if found.shortlist.void else {"q": precise(one.q_value)}),
                **({"look-alikes": one.n_alike} if shows_alike else {}),
            }
            for one in several
        ]
        tables += [Table.of(rows, title, most=first, noun="feature")] if rows else []
        if has_table_of_each:
            tables.append(alone_table(found, first))
    return tables


def _effect(one: ListedFeature) -> str:
    return _marked(one.effect, one.effect_low, one.effect_high, one.corrected)


def main_rows(found: Findings) -> list[dict[str, Any]]:
    """What a csv file holds of findings, with every number: the shortlist, the front of a tuning, else the summary."""
    if found.shortlist is not None:
        rows = shortlist_table(found, every=True).records()
        void = found.shortlist.void
        # Who has the file alone must see what a document says first.
        return [{**row, "note": f"how many are false is not known: {void}"} for row in rows] if void else rows
    if found.kind == "replication":
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
