"""`steadyset measure`, `compare` and `consensus` of recorded selections; `report` and `methods` also of run folders.

Selections come from files and folders: what was understood of them is told, and which features are alike.
"""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import islice
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, NamedTuple

import typer

from steadyset.cli.terminal import print_display, print_rows, quoted
from steadyset.foundation.arguments import LEVEL, wrong_argument
from steadyset.foundation.display import Figure
from steadyset.foundation.errors import InputError, after
from steadyset.foundation.text import counted, p_value, percent
from steadyset.io.disk import file_path
from steadyset.io.formats.columns import RUN
from steadyset.io.labels import AppearanceOrder, UnionOfNames, some_names
from steadyset.io.lists import THOSE_NAMES, UNKNOWN_UNIVERSE
from steadyset.options import Given, options_of
from steadyset.options.table import READING

if TYPE_CHECKING:
    from steadyset.assessment import Assessment
    from steadyset.findings.parts import Findings, Measured
    from steadyset.measures.evaluate import Options
    from steadyset.measures.record import Measure
    from steadyset.selections import Selections
    from steadyset.similarity import FeatureSimilarity

NO_UNIVERSE = "give --features N or --universe FILE"


def measure(given: Given) -> None:
    """Measure how steady recorded selections are.

    Each FILE holds the features that one procedure selected in several runs; each gets its own table. Files with one
    list each are the runs of one procedure; a run folder has a table for each of its selectors.
    """
    from steadyset.findings import of_measures
    from steadyset.inference.table import table_rows
    from steadyset.measures.evaluate import Options, chosen_measures

    wanted = None if not given.measure or "all" in given.measure else chosen_measures(given.measure)
    options = Options(_undefined(given.undefined), **given.arguments("chance"))
    read, alike = read_recorded(given.files, given, lists=True)
    if alike is not None:
        options = replace(options, similarity=alike)
    tables = []
    for one in read:
        refuse_full_sets(one, wanted or (), given)
        chosen = wanted or informative_measures(one, options, given)
        with after(f"{one.name}: "):
            tables.append((one.name, table_rows(one.selections, chosen, options, given.level)))
    notes = [f"similarity: {note}" for note in alike.notes] if alike is not None else []
    notes += chance_notes(read)
    programs = given.format != "table"
    echo_notes(read, err=programs)
    no_universe = [one.name for one in read if isinstance(one.selections.features, UnionOfNames)]
    ties = {one.name: one.selections.tied_share for one in read}
    found = of_measures(tables, given.level, notes, no_universe=no_universe, tied=ties)
    if given.format == "json":
        print(found.to_json())
    elif given.format == "csv":
        rows = [{"file": file, **row} for file, rows in tables for row in rows]
        print_rows(rows, "csv", safe=given.spreadsheet_safe)
    else:
        rest = iter(found.measures)
        for one, (file, rows) in zip(read, tables, strict=True):
            _show_measures(file, one.selections, list(islice(rest, len(rows))), found.level)
    if any(row.mc_error for row in found.measures):
        typer.echo(f"Simulated with seed {given.seed} (--seed N sets another).", err=programs)
    for note in found.notes:
        typer.echo(note, err=programs)


def _show_measures(file: str, selections: Selections, measures: list[Measured], level: float) -> None:
    from steadyset.findings import verdict_words
    from steadyset.inference.table import cautions, without_cautions

    left_out = {"name", *(() if level == level else ("se", "low", "high"))}
    rows = [{key: value for key, value in vars(row).items() if key not in left_out} for row in measures]
    rows = [{**row, "note": without_cautions(row["note"])} for row in rows]
    if all(row["steadier"] == "higher" for row in rows):
        rows = [{key: value for key, value in row.items() if key != "steadier"} for row in rows]
    low, high = int(selections.sizes.min()), int(selections.sizes.max())
    size = f"{low}" if low == high else f"{low} to {high}"
    read = f"{counted(selections.n_runs, 'run')}, {counted(selections.n_features, 'feature')}"
    print_rows(rows, "table", title=f"{file}: {read}, {size} selected", wide=["note"], optional=("mc_error", "note"))
    for sentence in cautions(row.note for row in measures):
        typer.echo(sentence)
    known = not isinstance(selections.features, UnionOfNames)
    for words in filter(None, (verdict_words(row, selections.tied_share, known=known) for row in measures)):
        typer.echo(words if level == level or not known else f"{words}; --level {LEVEL} shows how certain that is")


def compare(given: Given) -> None:
    """Test which procedures differ in stability, and group those without a significant difference.

    Each FILE holds the features that one procedure selected in several runs; each selector of a run folder is a
    procedure.
    """
    from steadyset.findings.of_results import of_comparison
    from steadyset.inference.comparison import compare as run_comparison
    from steadyset.measures import get_measure

    if len(set(given.files)) < len(given.files):
        raise InputError("The same file is given twice; give one file per procedure.")
    read, alike = read_recorded(given.files, given)
    for one in read:
        refuse_full_sets(one, [get_measure(given.measure)], given)
    read = side_by_side(read, given.features)
    procedures = by_name(read)
    found = run_comparison(
        procedures,
        given.measure,
        paired=given.paired,
        adjust=None if given.adjust == "none" else given.adjust,
        level=given.level,
        similarity=alike,
        undefined=_undefined(given.undefined),
        **given.arguments("chance"),
    )
    programs = given.format != "table"
    echo_notes(read, err=programs)
    if given.format == "markdown":
        typer.echo(found.to_markdown())
    elif given.format == "latex":
        typer.echo(found.to_latex())
    elif given.format == "csv":
        print_rows(_records(found.tests), "csv", safe=given.spreadsheet_safe, optional=["note"])
    else:
        findings = of_comparison(found, procedures, at_chance=at_chance(read, given.level))
        if given.format == "json":
            print(findings.to_json())
        else:
            _show_comparison(findings)
    for note in chance_notes(read):
        typer.echo(note, err=programs)


def _show_comparison(found: Findings) -> None:
    from steadyset.inference.comparison import shared_letters
    from steadyset.inference.table import cautions, without_cautions

    (tested,) = found.differences
    procedures = [
        {
            "procedure": row.name,
            "estimate": row.stability,
            "low": row.low,
            "high": row.high,
            **({"verdict": row.verdict} if any(one.verdict for one in found.summary) else {}),
            "runs": row.runs,
            "group": tested.groups.get(row.name, ""),
            "note": without_cautions(row.note),
        }
        for row in found.summary
    ]
    title = f"{found.measure}, {percent(found.level)} intervals"
    print_rows(procedures, "table", title=title, wide=["note"], optional=["note"])
    for sentence in found.answer:
        typer.echo(sentence)
    typer.echo(f"{shared_letters('Procedures', found.level)}.")
    tests = [
        {
            **{key: getattr(test, key) for key in ("first", "second", "difference", "low", "high")},
            **{key: Figure(p_value(getattr(test, key))) for key in ("p_value", "p_adjusted")},
            "paired": test.paired,
            "note": without_cautions(test.note),
        }
        for test in tested.tests
    ]
    print_rows(tests, "table", title="Differences (second minus first)", wide=["note"], optional=["note"])
    for sentence in cautions(row.note for row in found.summary):
        typer.echo(sentence)
    if not all(test.paired for test in tested.tests):
        typer.echo("Not paired: these runs count as independent. Runs on the same resamples need the same labels.")
    for note in found.notes:
        if not any(row.note and row.note in note for row in found.summary):  # the table has those
            typer.echo(note)


def _records(table: Any) -> list[dict[str, Any]]:
    return [{str(key): value for key, value in row.items()} for row in table.to_dict("records")]


def consensus(given: Given) -> None:
    """Find the features that several methods back, and how far the methods agree.

    Each FILE holds the features that one method selected, in one run or several; each selector of a run folder is a
    method; with --each-list, each list is. Beside every number stands what random sets of the same sizes would give.
    """
    from steadyset.findings.of_results import of_consensus
    from steadyset.findings.sections import display_of
    from steadyset.inference.consensus import consensus as find_consensus

    if len(set(given.files)) < len(given.files):
        raise InputError("The same file is given twice; give one file per method.")
    files_read, _ = read_recorded(given.files, given)
    methods = each_list(files_read) if given.each_list else files_read
    if len(methods) < 2:
        raise InputError(_only_one(methods[0]))
    read = side_by_side(methods, given.features)
    found = find_consensus(
        by_name(read),
        aggregate=given.aggregate,
        backing=given.backing,
        measure=given.measure,
        directions=directions_of(read),
        undefined=_undefined(given.undefined),
        **given.arguments("findings"),
        **given.arguments("chance"),
    )
    programs = given.format != "table"
    echo_notes(files_read if given.each_list else read, err=programs)
    told = of_consensus(found)
    if given.format == "json":
        print(told.to_json())
    elif given.format == "csv":
        print_rows(_records(found.features), "csv", safe=given.spreadsheet_safe)
    else:
        shown = display_of(replace(told, ranking=told.ranking[: given.show]), most=None)
        print_display(replace(shown, sections={}), "; --format csv has all.")
    for note in (*(() if given.format == "json" else told.notes), *chance_notes(read)):
        typer.echo(note, err=programs)
    if any(one.mc_error for one in told.backed):
        typer.echo(f"Simulated with seed {given.seed} (--seed N sets another).", err=programs)


def _only_one(method: Recorded) -> str:
    lists = method.selections.n_runs
    each = f"give --each-list if each of its {lists} lists is that of a method, or else " if lists > 1 else "give "
    others = "the files of two methods or more, or a run folder with several selectors"
    return f"{method.name} is the only method; {each}{others}."


def _undefined(text: str) -> Any:
    """The policy that --undefined names."""
    if text in ("nan", "raise", "paper"):
        return text
    try:
        return float(text)
    except ValueError:
        raise wrong_argument("undefined", "nan, raise, paper or a number", text) from None


def report(given: Given) -> None:
    """Write the report of an assessment, a tuning or recorded selections: one self-contained page, or for a paper."""
    from steadyset.findings import findings_of
    from steadyset.reports import checked_target
    from steadyset.reports import report as write_report

    out = given.out
    if out is None:
        out = Path("report" if given.format == "folder" else f"report.{given.format or 'html'}")
    checked_target(out, given.format)
    source, read = _source(given)
    found = findings_of(source, **given.arguments("findings"))
    # The answer is there before the pictures are drawn.
    for sentence in found.answer:
        typer.echo(sentence)
    sys.stdout.flush()
    page = write_report(found, out, format=given.format)
    echo_notes(read, err=False)
    for note in chance_notes(read):
        typer.echo(note)
    typer.echo(f"The report is in {page}.")


def methods(given: Given) -> None:
    """Tell what was done and what came of it in paragraphs for a paper, with the references of what was used."""
    from steadyset.findings import methods_of
    from steadyset.io.disk import explained, write_durably

    source, read = _source(given)
    found = methods_of(source, **given.arguments("findings"))
    echo_notes(read, err=True)
    for path, form in ((given.bibtex, "bibtex"), (given.csl, "csl")):
        if path is not None:
            with explained(path):
                write_durably(path, found.written(form).encode())
    for path, form in ((given.docx, "docx"), (given.pdf, "pdf")):
        if path is not None:
            from steadyset.findings import findings_of
            from steadyset.reports import PAPER, write_document

            write_document(findings_of(source, **given.arguments("findings")), path, form, PAPER)
    sys.stdout.write(found.written(given.format, keys=given.bibtex is not None or given.csl is not None))


# ---- recorded selections as these commands take them ---------------------------------------------------------------


class Recorded(NamedTuple):
    """The selections of one procedure: a file, or a selector of a run folder."""

    file: Path
    selector: str | None
    selections: Selections
    notes: tuple[str, ...] = ()  # what was understood
    hints: tuple[str, ...] = ()  # how the file is read otherwise
    directions: Mapping[str, str] = MappingProxyType({})  # of features, which only a run folder tells
    assessment: Assessment | None = None  # of a run folder

    @property
    def name(self) -> str:
        return str(self.file) if self.selector is None else f"{self.file}: {self.selector}"


def read_recorded(
    files: Sequence[Path], given: Given, *, lists: bool = False
) -> tuple[list[Recorded], FeatureSimilarity | None]:
    """Recorded selections, and the similarity of --data or --similarity, whose features and order they follow.

    A file that does not say what there was to choose from takes it from there, or from --universe. With `lists`, files
    that hold one list each are the runs of one procedure.
    """
    data = given.values.get("data")  # which not every command takes
    if data is not None and given.similarity is not None:
        raise InputError("--data and --similarity both define the similarity; give one of them.")
    if given.target is not None and data is None and given.universe is None:
        raise InputError("--target names a column of the data, which is not given; name its file with --universe.")
    if given.universe is not None and given.features is not None:
        raise InputError("--universe and --features both say what there was to choose from; give one of them.")
    found = [one for file in files for one in _read(file, given)]
    if lists and len(found) > 1 and all(one.selections.n_runs == 1 and one.selector is None for one in found):
        found = [_one_run_each(found, given.features)]
    known = [one.selections for one in found if not isinstance(one.selections.features, UnionOfNames)]
    similarity = _load_similarity(given, known[0] if known else None)
    names, source = _universe(found, given, similarity)
    recorded = []
    for one in found:
        ordered = one.selections if names is None else _in_order(one, names, given)
        notes, hints = _notes(one, ordered, source), (*one.hints, *_transposed(one, given))
        recorded.append(one._replace(selections=ordered, notes=notes, hints=hints))
    return recorded, similarity


def _source(given: Given) -> tuple[Path | dict[str, Selections], Sequence[Recorded]]:
    """What to report on: the selections of a file or of a folder of lists, as they were read; else the run folder."""
    from steadyset.io.lists.selection_files import holds_lists

    source = file_path(given.source)
    if source.is_file() or (source.is_dir() and holds_lists(source)):
        read = read_recorded([source], given)[0]
        return by_name(read), read
    reading = (one for one in options_of(given.command).values() if one.heading == READING or "read" in one.calls)
    unused = next((one.flag for one in reading if given.values[one.name] != one.default), None)
    if unused is not None and source.is_dir():
        raise InputError(
            f"{unused} says how a file with selections is read, and {source} is a run folder; leave it out."
        )
    return given.source, ()


def by_name(read: Sequence[Recorded]) -> dict[str, Selections]:
    """The selections by the short names of their procedures."""
    return dict(zip(short_names(read), (one.selections for one in read), strict=True))


def directions_of(read: Sequence[Recorded]) -> dict[str, str]:
    """In which direction features go; all that is told where run folders differ."""
    told: dict[str, dict[str, None]] = {}
    for one in read:
        for feature, word in one.directions.items():
            told.setdefault(feature, {})[word] = None
    return {feature: "; ".join(words) for feature, words in told.items()}


def at_chance(read: Sequence[Recorded], level: float) -> dict[str, bool]:
    """By the short names of the procedures with scores: whether these are not above their baselines."""
    return {
        name: one.assessment.baselines_beaten(level=level)[one.selector].at_chance
        for name, one in zip(short_names(read), read, strict=True)
        if one.assessment is not None and one.selector is not None and one.assessment.settings["scoring"]
    }


def echo_notes(read: Sequence[Recorded], *, err: bool) -> None:
    """Say what was understood of each file: `err` sets it apart from a result that programs read."""
    for one in read:
        for note in one.notes:
            typer.echo(f"{one.name}: {note}", err=err)
        for hint in one.hints:
            typer.echo(f"{one.name}: {hint}", err=True)


def chance_notes(read: Sequence[Recorded]) -> list[str]:
    """What a missing universe does to the measures."""
    if any(isinstance(one.selections.features, UnionOfNames) for one in read):
        return [f"{UNKNOWN_UNIVERSE}; {NO_UNIVERSE}."]
    return []


def _remedy(one: Recorded, given: Given) -> str:
    """The option that selects fewer features than all."""
    top, n_features = given.values.get("top"), one.selections.n_features
    if top is None:
        return "--top K selects the K best"
    turned = "--no-transpose" if given.values.get("transpose") else "--transpose"
    return f"give less than the {n_features:,} features there are to --top, or {turned} if these are the runs"


def informative_measures(one: Recorded, options: Options, given: Given) -> str | list[Measure]:
    """All measures that say something; where every feature is selected, those that read ranks or importances."""
    from steadyset.measures.evaluate import full_sets, telling_measures

    every = full_sets(one.selections)
    if every is not None:
        typer.echo(f"{one.name}: measures of sets are left out, as {every}; {_remedy(one, given)}", err=True)
    return telling_measures(one.selections, options)


def refuse_full_sets(one: Recorded, measures: Sequence[Measure], given: Given) -> None:
    """Sets of ranks or importances that hold every feature are equal by construction, which says nothing."""
    from steadyset.measures.evaluate import OF_VALUES, full_sets

    every = full_sets(one.selections)
    of_sets = [measure.name for measure in measures if measure.family not in OF_VALUES]
    if every is not None and of_sets:
        remedy = _remedy(one, given) if given.values.get("top") is not None else "give --top K"
        raise InputError(f"{one.name}: {of_sets[0]} compares sets, and {every}; {remedy}.")


def _read(file: Path, given: Given) -> list[Recorded]:
    from steadyset.selections import Selections

    if file_path(file).is_dir():
        from steadyset.assessment import Assessment
        from steadyset.assessment.folder import RunFolder
        from steadyset.findings import refuse_mixed_runs

        if RunFolder(file).exists:
            refuse_mixed_runs(file)
            opened = Assessment.open(file)
            directions = opened.directions
            return [
                Recorded(file, name, sel, directions=directions, assessment=opened)
                for name, sel in opened.selections.items()
            ]
    return [Recorded(file, None, Selections.read(file, **given.arguments("read")))]


def _one_run_each(found: Sequence[Recorded], n_features: int | None) -> Recorded:
    """Files with one list each as the runs of one procedure, called by their files."""
    from steadyset.inference.runs import over_the_same
    from steadyset.selections import Selections

    over = over_the_same([one.selections for one in found], n_features)
    if any(one.features != over[0].features for one in over):
        raise InputError("The files name different features to choose from; give --universe FILE.")
    stems = [one.file.name.split(".")[0] for one in found]
    labels = stems if len(set(stems)) == len(stems) else [str(one.file) for one in found]
    names = over[0].features
    sets = [[names[f] for f in selections.selected(0)] for selections in over]
    joined = Selections.from_sets(sets, names, labels=labels)
    joined = joined.reordered(names) if isinstance(names, AppearanceOrder) else joined
    told = f"{counted(len(found), 'file')} with one list each are read as {counted(len(found), 'run')}"
    return Recorded(Path(f"{found[0].file} and {len(found) - 1} more"), None, joined, hints=(told,))


def short_names(read: Sequence[Recorded]) -> list[str]:
    """Selectors by their names and files by theirs; by their whole paths where names repeat."""
    short = [one.file.name.split(".")[0] if one.selector is None else one.selector for one in read]
    return short if len(set(short)) == len(short) else [one.name for one in read]


def side_by_side(read: Sequence[Recorded], n_features: int | None) -> list[Recorded]:
    """Procedures over the same features; one that does not know its universe takes that of another, and says so."""
    from steadyset.inference.runs import over_the_same

    over = over_the_same([one.selections for one in read], n_features)
    knowing = [one.name for one in read if not isinstance(one.selections.features, UnionOfNames)]
    taken = {
        one.name: f"universe: the {other.n_features:,} features are those of {knowing[0]}"
        for one, other in zip(read, over, strict=True)
        if knowing and one.name not in knowing
    }
    unknown = f"{THOSE_NAMES}; {NO_UNIVERSE}"
    return [
        one._replace(
            selections=other, notes=tuple(note.replace(unknown, taken.get(one.name, unknown)) for note in one.notes)
        )
        for one, other in zip(read, over, strict=True)
    ]


def each_list(read: Sequence[Recorded]) -> list[Recorded]:
    """Every list of the files as a procedure of its own, called by its label."""
    found = []
    for one in read:
        sel = one.selections
        labels = sel.labels or [f"list {i + 1}" for i in range(sel.n_runs)]
        whose = "" if one.selector is None else f"{one.selector}: "
        for i, label in enumerate(labels):
            told = {"notes": one.notes, "hints": one.hints} if i == 0 else {"notes": (), "hints": ()}
            found.append(one._replace(selector=f"{whose}{label}", selections=sel.take([i]), **told))
    return found


def _universe(
    found: Sequence[Recorded], given: Given, similarity: FeatureSimilarity | None
) -> tuple[tuple[str, ...] | None, str]:
    """The names of all features, where a file gives them, and which."""
    if given.universe is not None:
        from steadyset.io.lists.selection_files import read_universe

        used = {name for one in found for name in one.selections.features}
        target = given.target if given.values.get("data") is None else None
        universe = read_universe(given.universe, used, max_gb=given.max_gb, target=target)
        without = f", without {some_names(universe.left_out)}" if universe.left_out else ""
        return universe.names, f"the {universe.where} of {given.universe}{without}"
    return (None, "") if similarity is None else (similarity.features, str(given.data or given.similarity))


def _in_order(one: Recorded, names: tuple[str, ...], given: Given) -> Selections:
    """The features in the order of `names`; what has other features stays, to be refused with a sentence."""
    selections = one.selections
    own, all_names = set(selections.features), set(names)
    used = {selections.features[f] for f in set(selections.indices.tolist())}
    if isinstance(selections.features, UnionOfNames) or given.universe is not None:
        fits = True
    else:
        by_appearance = isinstance(selections.features, AppearanceOrder) and used <= all_names
        fits = selections.n_features == len(names) and (own == all_names or by_appearance)
    return selections.reordered(names, one.name) if fits and selections.features != names else selections


def _notes(one: Recorded, ordered: Selections, source: str) -> tuple[str, ...]:
    """What was understood of a file, with what there was to choose from."""
    notes = one.selections.notes
    if not isinstance(one.selections.features, UnionOfNames):
        return notes
    if ordered is one.selections:
        known = f"{THOSE_NAMES}; {NO_UNIVERSE}"
    else:
        known = f"universe: the {ordered.n_features:,} features are those of {source}"
    return tuple(note.replace(THOSE_NAMES, known) for note in notes)


def _transposed(one: Recorded, given: Given) -> tuple[str, ...]:
    """How a table was read that does not name its rows and has far more of them than columns."""
    from steadyset.io.lists.wide import far_more_runs

    selections = one.selections
    n_runs, n_features = selections.n_runs, selections.n_features
    listed = one.file.suffix == ".json" or isinstance(selections.features, AppearanceOrder)
    if listed or given.transpose is not None or one.selector is not None or selections.labels is not None:
        return ()
    if not far_more_runs(n_runs, n_features):
        return ()
    read = f"read as {n_runs:,} runs of {counted(n_features, 'feature')}"
    return (f"{read}; if its rows are the features, give --transpose.",)


def _load_similarity(given: Given, selections: Selections | None) -> FeatureSimilarity | None:
    """The FeatureSimilarity of --data or --similarity, or None; its features are those of the selections, if any."""
    data: Path | None = given.values.get("data")
    file: Path | None = given.values.get("similarity")
    if data is None and file is None:
        return None
    from steadyset.similarity import FeatureSimilarity

    target, max_gb = given.target, given.max_gb
    if file is not None:
        of_data = [name for name in ("positive", "significant") if given.values.get(name)]
        if of_data:
            raise InputError(f"--{of_data[0]} is for correlations of --data. Leave it out, or give --data.")
        return FeatureSimilarity.read(file, threshold=given.threshold, max_gb=max_gb)
    assert data is not None
    from steadyset.io.formats.tables import TableFile

    apart = {RUN} if target is None else {RUN, target}
    read = TableFile(data, max_gb=max_gb).columns(apart=tuple(apart), labels=True)
    if target is not None and target not in read.names:
        raise InputError(f"{data} has no column {target!r}.")
    if selections is not None:
        _refuse_other_columns(data, [name for name in read.names if name != target], selections)
    texts = [read.names[f] for f in read.others if read.names[f] not in apart]
    if texts:
        raise InputError(f"{data} has columns that hold no numbers ({some_names(texts)}); encode or remove them.")
    names = [read.names[f] for f in read.numeric]
    with after(f"{data}: "):
        return FeatureSimilarity.from_data(read.X, **given.arguments("similarity"), features=names)


def _refuse_other_columns(data: Path, columns: Sequence[str], selections: Selections) -> None:
    """Name the columns that are no features, such as a target that nobody named."""
    d = selections.n_features
    n_columns = len(columns) - (RUN in columns)
    if n_columns <= d:
        return
    features = {RUN, *selections.features}
    extra = [name for name in columns if name not in features]
    known = len(extra) == n_columns - d
    which = f"{some_names(extra)} {'is' if len(extra) == 1 else 'are'} not among the features: " if known else ""
    target = quoted(extra[0]) if known and len(extra) == 1 else "COLUMN"
    raise InputError(
        f"{data} has {n_columns} columns for the {d} features that were selected from; {which}leave out what is not a "
        f"feature, a target with --target {target}."
    )
