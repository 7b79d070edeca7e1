"""The sections of a result: one list of records, which terminal, notebook, page, Markdown, PDF and JSON walk.

A section is added by a function below `@section`: it says what a document shows, block by block; where there is less
room, in a terminal or a notebook, its short tables, their legend and the plain sentences of its blocks are shown.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from steadyset.findings import holds
from steadyset.findings.answer import SCALE, alternatives_words
from steadyset.findings.box import Box, box_of, shown_procedure
from steadyset.findings.other_tables import (
    alike_table,
    alternatives_table,
    candidates_table,
    coefficients_table,
    driving_table,
    effects_legend,
    found_again_table,
    kept_table,
    left_out_table,
    predictions_table,
    rules_table,
    short_alike,
    short_alternatives,
    short_shortlist,
    short_sources,
    short_studies,
    shortlist_table,
    sources_table,
    studies_table,
)
from steadyset.findings.shortlist_words import (
    comes_again_words,
    helps_words,
    list_legend,
    predicts_words,
)
from steadyset.findings.tables import (
    ReportTable,
    between_table,
    choices_legend,
    choices_table,
    feature_tables,
    front_table,
    list_table,
    measures_table,
    ranking_table,
    settings_told,
    shared_table,
    short_choices,
    short_front,
    short_measures,
    short_pairs,
    short_ranking,
    short_summary,
    summary_legend,
    summary_table,
    tests_table,
    trials_table,
)
from steadyset.foundation.display import MOST_ROWS, Command, Display, Table
from steadyset.foundation.text import counted, percent, shown_name

if TYPE_CHECKING:
    from steadyset.findings.parts import Findings, Reason

MOST_LISTED = 100  # features of a shortlist that a document shows
FIRST_LISTED = 10  # features of a list before the reader asks for more
FEW_LISTED = 5  # rows of a table beside the list
SAID_OF_STUDIES = 4  # sentences of the next study; the table below says which features come out again
MAX_COMPARED = 8  # lists that are held against each other one by one
FOLDED = 70  # the place from which on a part of a document is for specialists, and opened when asked for
MOST_FEATURES = 25  # rows of a long table that a document shows; the script of the page shows the others


@dataclass(frozen=True)
class Live:
    """A piece of a text that changes with the core share which the reader of the page chooses.

    It tells the "share" itself, or the "core" of the procedure that is named.
    """

    text: str
    tells: str
    procedure: str = ""


@dataclass(frozen=True)
class Text:
    """A paragraph in pieces; a small one explains, and is left out where there is little room."""

    pieces: tuple[str | Live, ...]
    small: bool = False

    def __str__(self) -> str:
        return "".join(piece.text if isinstance(piece, Live) else piece for piece in self.pieces)


@dataclass(frozen=True)
class Heading:
    """A heading within a section."""

    text: str


@dataclass(frozen=True)
class Bullets:
    """A list."""

    items: tuple[str, ...]
    small: bool = False


@dataclass(frozen=True)
class Term:
    """A name and what is said of it; `short` is for where there is less room."""

    name: str
    words: str
    short: str

    def __str__(self) -> str:
        return f"{self.name}: {self.short}" if self.name else self.short


@dataclass(frozen=True)
class Terms:
    """Names with what is said of each; `live` ones are the cores of procedures, which the page computes anew."""

    items: tuple[Term, ...]
    live: bool = False


@dataclass(frozen=True)
class TableBlock:
    """A table, of which a long one shows its first rows; a folded one is opened by its heading where that is possible.

    `left_out` says of rows that are not shown what they are, such as "more feature" and "selected less often".
    """

    table: ReportTable
    most: int | None = None
    left_out: tuple[str, str] = ("", "")
    heading: str = ""
    folded: bool = False
    procedure: str | None = None

    @property
    def more(self) -> str:
        """What is said of rows that are not shown."""
        left = len(self.table.rows) + self.table.left_out - len(self.table.rows[: self.most])
        noun, what = self.left_out
        return f"{counted(left, noun)} {what}." if left and noun else ""


@dataclass(frozen=True)
class Answer:
    """The answer box."""

    box: Box


Block = Text | Heading | Bullets | Terms | TableBlock | Answer


Body = Callable[["Findings"], Iterable[Block]]


@dataclass(frozen=True)
class Section:
    """One section of what a result says.

    `needs` are the parts of the findings that must not be empty. `brief` is its title in a terminal and a notebook, ""
    where these do not show its sentences; `short_tables` and `legend` are what they show of its tables. A document has
    its sections and pictures in the order of their places: the answer, the list (10), what proves it (20), pictures
    (30), notes and paragraphs (60); from `FOLDED` on it is for specialists.
    """

    name: str
    title: str | Callable[[Findings], str]
    body: Body
    needs: tuple[str, ...] = ()
    brief: str | Callable[[Findings], str] = ""
    short_tables: Callable[[Findings, int | None], Sequence[Table]] = lambda found, most: ()
    legend: Callable[[Findings], Sequence[str]] = lambda found: ()
    place: int = 0

    def heading(self, found: Findings) -> str:
        """Its title in a document."""
        return self.title if isinstance(self.title, str) else self.title(found)

    def short_heading(self, found: Findings) -> str:
        """Its title in a terminal and a notebook."""
        return self.brief if isinstance(self.brief, str) else self.brief(found)

    def is_known(self, found: Findings) -> bool:
        """Whether the findings hold what it needs."""
        return all(getattr(found, part) for part in self.needs)

    def blocks(self, found: Findings) -> list[Block]:
        """What a document shows; nothing where a part that it needs is empty."""
        return list(self.body(found)) if self.is_known(found) else []

    def lines(self, found: Findings) -> list[str]:
        """The sentences of its body, without those that explain."""
        return [line for block in self.blocks(found) for line in _lines(block)]


SECTIONS: list[Section] = []


def section(name: str, title: str | Callable[[Findings], str], *needs: str, **more: Any) -> Callable[[Body], Body]:
    """Make the function below the body of a section, which needs these parts; `more` is what a `Section` has beside."""

    def added(body: Body) -> Body:
        SECTIONS.append(Section(name, title, body, needs, **more))
        return body

    return added


def _lines(block: Block) -> Iterator[str]:
    match block:
        case Text(pieces, small) if not small and not isinstance(pieces[0], Live):
            yield str(block)
        case Bullets(items, small) if not small:
            yield from items
        case Terms(items):
            yield from map(str, items)
        case Answer(box):
            yield from box.lines()


def display_of(found: Findings, kind: str = "", *, most: int | None = MOST_ROWS) -> Display:
    """What a terminal and a notebook show of findings, with at most so many rows of a table.

    `kind` names the result that they are of.
    """
    known = [section for section in _in_order() if section.is_known(found)]
    tables = [table for section in known for table in section.short_tables(found, most)]
    legends = [line for section in known for line in section.legend(found)]
    titled = {title: section.lines(found) for section in known if (title := section.short_heading(found))}
    box = box_of(found)
    if found.shortlist is None:  # of which "What would help?" says the same
        titled["What to do next"] = [Command(step) if step.command else str(step) for step in box.steps]
    first = () if found.shortlist is not None else (box.headline, *map(str, box.names))
    caution = [f"Caution: {told}" for name, told in box.facts.items() if name == "Caution" and told in found.notes]
    answer = dict.fromkeys((*first, *found.answer, *caution))
    left = {title: [line for line in lines if line not in answer] for title, lines in titled.items()}
    sections = {title: lines for title, lines in left.items() if lines}
    return Display(kind or f"Findings of {found.kind}", found.about, tuple(answer), tables, legends, sections)


def _in_order() -> list[Section]:
    """The sections as a document has them: those behind the pictures last, wherever their records stand."""
    return sorted(SECTIONS, key=lambda section: section.place)


def outline(found: Findings) -> list[dict[str, Any]]:
    """The sections as plain data: title, the parts of the findings that they show, and sentences."""
    return [
        {"name": one.name, "title": one.heading(found), "parts": list(one.needs), "sentences": one.lines(found)}
        for one in _in_order()
        if one.blocks(found)
    ]


# ---- what each section says, in the order of a document --------------------------------------------------------------


FAILED = "Runs without a selection or a score"
BY_CHANCE = "by chance: how many features random sets of the same sizes would bring to so many methods"


def _text(text: str, *, small: bool = False) -> Text:
    return Text((text,), small)


@section("answer", "")
def _answer(found: Findings) -> Iterator[Block]:
    box = box_of(found)
    if not found.summary and found.shortlist is None:  # beside which these sentences stand otherwise
        box = replace(box, said=tuple(sentence for sentence in found.answer if sentence != box.headline))
    yield Answer(box)


@section(
    "shortlist",
    "The list",
    "shortlist",
    short_tables=short_shortlist,
    legend=lambda found: list_legend(found.shortlist),
    place=10,
)
def _shortlist(found: Findings) -> Iterator[Block]:
    assert found.shortlist is not None
    if found.shortlist.names:
        yield TableBlock(shortlist_table(found), MOST_LISTED, ("more feature", "that passes less clearly"))
    yield TableBlock(candidates_table(found), heading="Candidates, which do not pass")
    yield _text(" ".join(list_legend(found.shortlist)), small=True)


@section("list", "The list", "selections", place=10)
def _list(found: Findings) -> Iterator[Block]:
    name = shown_procedure(found)
    if name is not None:
        yield TableBlock(list_table(found, name), FIRST_LISTED, ("more feature", "chosen less often"))


@section(
    "consensus",
    "Features by consensus",
    "ranking",
    short_tables=short_ranking,
    legend=lambda found: [f"{BY_CHANCE}."],
    place=10,
)
def _ranking(found: Findings) -> Iterator[Block]:
    yield TableBlock(ranking_table(found), MOST_FEATURES, ("more feature", "with lower scores"))
    yield _text(
        f"Methods: how many of them back the feature; {BY_CHANCE}. The last columns are the selection frequencies of "
        "the methods.",
        small=True,
    )


@section("shared", "Which lists are alike", "selections", place=16)
def _shared(found: Findings) -> Iterator[Block]:
    sel = found.selections.get("")
    if sel is not None and 1 < sel.n_runs <= MAX_COMPARED:
        yield TableBlock(shared_table(sel))


@section(
    "alternatives",
    "Several answers",
    "alternatives",
    brief="Several answers",
    short_tables=short_alternatives,
    place=18,
)
def _alternatives(found: Findings) -> Iterator[Block]:
    for one in found.alternatives:
        yield _text(alternatives_words(one, found.scoring[0] if found.scoring else ""))
        yield TableBlock(
            alternatives_table(one), MOST_FEATURES, ("more row", "of the lists"), "The lists side by side", True
        )
    yield _text(
        "Each list holds the features that at least half of the runs of a group select. In one row stand the same "
        "feature, or those that are alike, with their similarity; it is missing where nothing of the others is alike. "
        "Runs of one kind with the same sizes and frequencies of features say what chance gives.",
        small=True,
    )


@section("predicts", "Does it predict?", "shortlist", brief="Does it predict?", place=20)
def _predicts(found: Findings) -> Iterator[Block]:
    assert found.shortlist is not None
    yield from map(_text, predicts_words(found.shortlist))


@section(
    "studies",
    "Side by side",
    "studies",
    short_tables=short_alike,
    legend=lambda found: [effects_legend(found)],
    place=20,
)
def _studies(found: Findings) -> Iterator[Block]:
    yield TableBlock(alike_table(found), MOST_FEATURES, ("more feature", "selected by fewer studies"))
    yield _text(
        f"{effects_legend(found)} Effects are too large on average in the study that selected the feature, not in the "
        "others. Studies: how many select it in the same direction; q: the share of features with so many studies that "
        "random lists would give.",
        small=True,
    )
    yield TableBlock(found_again_table(found), MOST_FEATURES, ("more pair", "of studies"), "Each list in the others")
    yield _text(
        "By chance: in random lists. p: by permuted targets of either study, the larger of the two. Predicted: by "
        "disjoint parts of the rows of the study that made the list, on average and in 95% of single studies of the "
        "same population.",
        small=True,
    )
    yield TableBlock(left_out_table(found), heading="Each study predicted by the others")


@section("sources", "Why reruns differ", "sources", short_tables=short_sources, place=20)
def _sources(found: Findings) -> Iterator[Block]:
    assert found.sources is not None
    if found.sources.parts:
        yield TableBlock(sources_table(found))
    if found.sources.rows:
        yield TableBlock(driving_table(found), MOST_FEATURES, ("more row", "with less effect"), heading="Rows")


@section("again", "Would it come out again?", "shortlist", brief="Would it come out again?", place=20)
def _comes_again(found: Findings) -> Iterator[Block]:
    assert found.shortlist is not None
    yield from map(_text, comes_again_words(found.shortlist))


@section("helps", "What would help?", "shortlist", brief="What would help?", place=20)
def _helps(found: Findings) -> Iterator[Block]:
    assert found.shortlist is not None
    lines = (*helps_words(found.shortlist, int(found.settings["n_rows"])), *found.shortlist.left_out)
    if lines:
        yield Bullets(lines)


@section(
    "choices",
    "The recommendation and its alternatives",
    "choices",
    short_tables=short_choices,
    legend=choices_legend,
    place=19,
)
def _choices(found: Findings) -> Iterator[Block]:
    yield TableBlock(choices_table(found), FEW_LISTED, ("more choice", "of other rules"))


@section("front", "The Pareto front", "front", short_tables=short_front, place=FOLDED)
def _front(found: Findings) -> Iterator[Block]:
    yield TableBlock(front_table(found), FEW_LISTED, ("more configuration", "on the front"))
    yield _text("On the front: how probable that is, given the errors of the objectives.", small=True)
    if found.trials is not None:
        left_out = ("more configuration", "less probable on the front")
        yield TableBlock(trials_table(found.trials), MOST_FEATURES, left_out, "All configurations", folded=True)


def _summary_title(found: Findings) -> str:
    if found.kind == "selections":
        return "How steady, in one number"
    titles = {"assessment": "Does it predict, and would it come out again?", "consensus": "Agreement within methods"}
    return titles.get(found.kind, "Would it come out again?")


@section("summary", _summary_title, "summary", short_tables=short_summary, legend=summary_legend, place=20)
def _summary(found: Findings) -> Iterator[Block]:
    box = box_of(found)
    details = () if found.preference is None else found.preference.words[1:]  # which are in what differs
    told = (box.headline, *box.facts.values(), *details)
    said = [sentence for sentence in found.answer if sentence not in told]
    if found.choices and said:
        yield _text(" ".join(said))
    else:
        yield from map(_text, said)
    # Of a tuning the table of choices, further up, has the same numbers for the recommended configuration.
    heading = "The recommended configuration in numbers" if found.choices else ""
    yield TableBlock(summary_table(found), heading=heading, folded=bool(found.choices))
    source = "Nogueira, Sechidis and Brown 2018" if found.measure == "nogueira" else found.measure
    explained = [
        f"Stability: 1 means the same features each time, 0 what chance gives ({source}). The interval is about this "
        "data set and this way of resampling; it says nothing about new data sets."
    ]
    if found.baselines or any(row.verdict for row in found.summary):
        explained.append(f"Verdicts: {SCALE}.")
    if found.scoring:
        explained.append(
            "Scores are means over the rows that each resample leaves out, with standard errors over resamples, "
            "which overlap: they are corrected for that (Nadeau and Bengio 2003)."
        )
    if found.baselines:
        explained.append(
            "Baselines predict without the selection: without any feature, and from as many features drawn at random."
        )
    yield _text(" ".join(explained), small=True)


@section("measures", "Stability by many measures", "measures", short_tables=short_measures, place=20)
def _measures(found: Findings) -> list[Block]:
    return [TableBlock(measures_table(found))]


@section("next_study", "The next study", "replication", short_tables=short_studies, place=24)
def _next_study(found: Findings) -> Iterator[Block]:
    assert found.replication is not None
    is_joined = found.kind != "replication"  # whose answer says it
    if is_joined:
        yield from map(_text, holds.next_study_words(found.replication)[:SAID_OF_STUDIES])
    yield TableBlock(studies_table(found), heading="Studies of other sizes", folded=is_joined)
    yield _text(
        "In common: of two such studies. Again: of this list, in such a study: on average, and in 95% of single ones. "
        "Intervals in brackets are at 95%.",
        small=True,
    )
    yield TableBlock(
        kept_table(found),
        MOST_LISTED,
        ("more feature", "selected less often"),
        "Which features of this list come out again",
        is_joined,
    )


@section("notes", "Notes", "notes", brief="Notes", place=60)
def _notes(found: Findings) -> Iterator[Block]:
    told = box_of(found).facts.values()
    yield from (_text(note) for note in found.notes if note not in told)


@section("methods", "For your paper", "methods", place=65)
def _paper(found: Findings) -> Iterator[Block]:
    assert found.methods is not None
    if found.methods.results:
        yield Heading("Results")
        yield _text(found.methods.results_text())
    yield Heading("Methods")
    yield from map(_text, found.methods.texts())


# A configuration of a tuning that failed is told in the answer.
@section("failures", FAILED, "failures", brief=lambda found: "" if found.front else FAILED, place=66)
def _failures(found: Findings) -> list[Block]:
    return [_reasons(found.failures)]


def _reasons(reasons: Iterable[Reason]) -> Bullets:
    lines = (f"{shown_name(one.name)}: {counted(one.runs, 'run')}: {shown_name(one.text)}" for one in reasons)
    return Bullets(tuple(lines))


@section("said", "What can be said", place=69)
def _said(found: Findings) -> Iterator[Block]:
    if said := holds.what_can_be_said(found):
        yield _text(said)


@section("features", "Features of each selector, in full", "features", place=70)
def _features(found: Findings) -> Iterator[Block]:
    tables = feature_tables(found)
    for place, table in enumerate(tables):
        over_all = place == 0 and len(tables) > 1
        named = table.title if over_all or len(found.summary) > 1 else ""
        left_out = ("more feature", "selected less often")
        folded = bool(named) and not over_all
        procedure = table.title if folded else None
        yield TableBlock(table, MOST_FEATURES, left_out, named, folded, procedure)
    if tables:
        whole = "All features are in features.csv in the run folder, every column of each selector in features_table()"
        yield _text(
            "The frequency is the share of the runs that select a feature; its interval (Wilson) is about further "
            "resamples of this data set, not about new studies. Features of one group are alike; a stand-in is alike "
            "and was selected when the feature was not, with its share of those runs. On all rows: whether a fit to "
            "all rows selects the feature, over all selectors the share of them."
            + (f" {whole}." if found.kind == "assessment" else ""),
            small=True,
        )


def _core_brief(found: Findings) -> str:
    return f"Steady core (selected in at least {percent(found.core)} of the runs)"


@section("core", "The steady core", "cores", brief=_core_brief, place=71)
def _cores(found: Findings) -> Iterator[Block]:
    yield Text((Live(f"Features selected in at least {percent(found.core)} of the runs:", "share"),))
    items = [Term(shown_name(one.name), one.words(None), one.words()) for one in found.cores]
    yield Terms(tuple(items), live=True)
    if caution := holds.core_caution(found.settings):
        yield _text(caution)


@section("differences", "What differs", "differences", brief="What differs", place=72)
def _differences(found: Findings) -> Iterator[Block]:
    yield from map(_text, () if found.preference is None else found.preference.words[1:])
    yield from (_text(one.words) for one in found.differences)
    if len(found.differences) > 1:
        yield _text(
            "The test of scores is the corrected resampled t-test (Nadeau and Bengio 2003): resamples overlap, so that "
            "the usual paired t-test would find differences that are not there.",
            small=True,
        )
    if any(one.tests for one in found.differences):
        yield TableBlock(tests_table(found), heading="All tests", folded=True)


@section("agreement", "Agreement between methods", "between", short_tables=short_pairs, place=73)
def _agreement(found: Findings) -> list[Block]:
    return [TableBlock(between_table(found))]


@section("warnings", "Runs with warnings", "warnings", brief="Runs with warnings", place=74)
def _warnings(found: Findings) -> list[Block]:
    return [_reasons(found.warnings)]


@section("predictions", "Do the predictions hold?", "predictions", brief="Predictions", place=75)
def _predictions_hold(found: Findings) -> Iterator[Block]:
    yield from map(_text, holds.prediction_sentences(found))
    yield TableBlock(predictions_table(found))
    yield _text(holds.prediction_legend(found), small=True)


@section("coefficients", "Do the coefficients hold?", "coefficients", brief="Coefficients", place=75)
def _signs_hold(found: Findings) -> Iterator[Block]:
    yield from map(_text, holds.coefficient_sentences(found))
    several, left_out = len(found.coefficients) > 1, ("more feature", "selected less often")
    for place, one in enumerate(found.coefficients):
        table = coefficients_table(one, place)
        yield TableBlock(table, FIRST_LISTED, left_out, one.name if several else "", several, one.name)
    yield _text(holds.coefficient_legend(found), small=True)


@section("rules", "Other rules on the same halves", "shortlist", place=75)
def _rules(found: Findings) -> Iterator[Block]:
    assert found.shortlist is not None
    if found.shortlist.rules:
        yield TableBlock(rules_table(found))


@section("references", "References", "methods", place=98)
def _references(found: Findings) -> Iterator[Block]:
    assert found.methods is not None
    yield Bullets(tuple(one.text for one in found.methods.references), small=True)


@section("settings", "Settings", place=99)
def _settings(found: Findings) -> Iterator[Block]:
    yield Terms(tuple(Term(name, words, words) for name, words in settings_told(found).items()))
