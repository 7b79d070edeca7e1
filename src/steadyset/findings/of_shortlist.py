"""What a shortlist says, and its methods paragraphs."""

from __future__ import annotations

from math import isnan
from pathlib import Path

from steadyset._version import __version__
from steadyset.findings import shortlist_words
from steadyset.findings.citations import Methods, Sentence, cite, sentences, told
from steadyset.findings.of_results import data_told, notes_beside, with_caution
from steadyset.findings.other_tables import main_rows
from steadyset.findings.paragraphs import data_sentences, rows_told, software_sentence
from steadyset.findings.parts import Findings, record_findings
from steadyset.foundation.arguments import CORE, LEVEL
from steadyset.foundation.text import counted, listed, number, percent, shown_name, span
from steadyset.io import beneath
from steadyset.io.disk import CERTAIN_LIST, LIST_NAMES, LIST_SHEET, LIST_TABLE, explained, write_durably
from steadyset.io.formats.spreadsheet import csv_text, xlsx_bytes
from steadyset.runner.scoring import score_title
from steadyset.shortlists.listed import HAZARD_RATIO, LISTED, STANDARD_DEVIATIONS, Listed
from steadyset.shortlists.result import Shortlist
from steadyset.shortlists.standing import ANY_FALSE
from steadyset.tasks import TASKS

MOST_NAMED = 30
FILLED = "the list has the medians of all rows in their place, and each repeat those of its training rows"
PREPARED = "For the list on all rows, and in each repeat on its training rows"
ADJUSTED = "features and target were adjusted for them before the ranking, and permuted targets again"
RANKED = {
    "filter": "the share of their variance that {amounts} explain",
    "lasso": "the order in which they enter the path of the lasso ({regression} regression{of_each})",
}


def of_shortlist(result: Shortlist, *, core: float, level: float) -> Findings:
    """Everything that a shortlist says."""
    settings = result.settings
    odd = data_told(settings)
    return Findings(
        "shortlist",
        f"{rows_told(settings, settings['details'])}, {counted(settings['n_features'], 'feature')}",
        "nogueira",
        level,
        core,
        tuple(settings["scoring"]),
        # What is wrong with the data comes first: it decides whether the other cautions mean anything.
        with_caution(shortlist_words.answer(result.listed), odd),
        notes=notes_beside(odd, settings),
        settings=settings,
        methods=_methods(result),
        shortlist=result.listed,
        extract=result.extract,
    )


def record_list(result: Shortlist, folder: Path, *, safe: bool = False) -> None:
    """Put the list into its folder: as csv, for Excel and as plain names, and everything that it says."""
    with explained(folder, resumable=True):
        found = of_shortlist(result, core=CORE, level=LEVEL)
        rows = main_rows(found)
        write_durably(folder / LIST_SHEET, xlsx_bytes(rows))
        write_durably(folder / LIST_TABLE, csv_text(rows, safe=safe).encode("utf-8", "backslashreplace"))
        write_durably(folder / LIST_NAMES, "".join(f"{shown_name(name)}\n" for name in result.selected).encode())
        record_findings(found, folder)  # the last: with it the folder is finished
        beneath.remove(folder, CERTAIN_LIST)


def record_certain_list(result: Shortlist, folder: Path) -> None:
    """Put the findings of a list into its folder whose features are certain, although more is being computed."""
    with explained(folder, resumable=True):
        record_findings(of_shortlist(result, core=CORE, level=LEVEL), folder, CERTAIN_LIST)


def _methods(result: Shortlist) -> Methods:
    settings, found = result.settings, result.listed
    details = settings["details"]
    pairs = (
        f"In {2 * found.n_splits} random halves of the rows ({found.n_splits} complementary pairs{cite('shah2013')}, "
        f"the random seed {settings['seed']}) features were ranked by {_ranked(found, settings['task'])}, and the best "
        f"of them counted.{_as_ranks(found)}"
    )
    permuted = (
        f"The target was permuted {found.n_permutations} times{shortlist_words.exchanged(found)} and went through the "
        f"same procedure{'; features were centred within these' if 'within' in found.exchanged else ''}. "
        f"{_by_number(found.false) if found.false is not None else _by_rate(found.fdr or 0.0)}"
    )
    effects = _effects(found)
    outer = ""
    if found.repeats is not None:
        outer = (
            f"The whole procedure was repeated on {found.repeats.n_repeats} random parts of "
            f"{percent(found.repeats.fraction)} of the rows, and {details['predictor']} predicted the others from what "
            f"was listed{_with_covariates(found)}."
        )
        if found.repeats.n_pooled:
            outer += (
                f" The cutoffs of these lists were set by {found.repeats.n_pooled} permuted targets, "
                "a few of each part, pooled."
            )
    data = data_sentences(settings, details, FILLED, PREPARED, ADJUSTED)
    first = sentences(*data, told("12c", pairs), told("12c", permuted))
    second = sentences(
        told("12e", effects),
        told("12a", outer),
        software_sentence(__version__, details["versions"], learn=found.repeats is not None),
    )
    return Methods((first, second), sentences(*_results(found)))


def _as_ranks(found: Listed) -> str:
    """Return what was ranked before, after a space; nothing if values were used."""
    ranked = [name for name, is_ranked in (("columns", found.ranks), ("the target", found.target_ranks)) if is_ranked]
    words = listed(ranked)
    return (
        f" {words[:1].upper()}{words[1:]} {'was' if ranked == ['the target'] else 'were'} taken as ranks."
        if words
        else ""
    )


def _with_covariates(found: Listed) -> str:
    """What models of the repeats had beside the list; empty without covariates."""
    added = None if found.prediction is None else found.prediction.added
    return "" if added is None else f" with {listed(added.covariates)}, and from {listed(added.covariates)} alone"


def _effects(found: Listed) -> str:
    """Return the sentence on effects and on the test of each feature alone; nothing without a listed feature."""
    rows = [one for one in found.features if not isnan(one.effect)]
    if not rows:
        return ""
    unit = {
        STANDARD_DEVIATIONS: "standardized differences of means",
        HAZARD_RATIO: "hazard ratios per standard deviation",
    }.get(found.effect, "correlations")
    n_corrected = sum(one.corrected for one in rows)
    way = (
        "by their distribution given that the filter lists the feature; a correction at most halves the estimate, and "
        "the interval contains the corrected and the uncorrected one"
    )
    if n_corrected == 0:
        corrected = "They were not corrected for selection."
    elif n_corrected == len(rows):
        corrected = f"They were corrected for selection, {way}."
    else:
        others = f"The other {len(rows) - n_corrected} were not corrected."
        corrected = f"{n_corrected} of {len(rows)} effects were corrected for selection, {way}. {others}"
    return (
        f"Effects are {unit} of {'group means' if found.of_means else 'the values'}, with 95% intervals. {corrected} "
        f"Single features were tested by the {found.test}."
    )


def _ranked(found: Listed, task: str) -> str:
    """What ranked the features of a half."""
    record = TASKS[task]
    words = {
        "amounts": record.amounts_words,
        "regression": "linear" if record.has_classes else record.regression,
        "of_each": " of each class against the others" if len(found.classes) > 2 else "",
    }
    return listed([RANKED[base].format(**words) for base in found.bases], last=" and by ")


def _by_number(false: float) -> str:
    return (
        f"A feature was listed where it stood out more than permuted targets allow for {false:g} false "
        f"{'feature' if false == 1 else 'features'} on average: features that pass at a tenth of that were set aside "
        "and the others ranked again, until none did; the rest had to pass at nine tenths."
    )


def _by_rate(rate: float) -> str:
    return (
        f"A feature was listed where at most {percent(rate)} of the features that stand out as much are false by the "
        "mean number of such features under permuted targets, with every feature taken as false there: features beyond "
        f"what {percent(min(ANY_FALSE, rate / 2))} of the permuted targets reach at all were set aside, counted as "
        "listed, and the others ranked again, until none did."
    )


def _results(found: Listed) -> list[Sentence]:
    rows = found.of_tier(LISTED)
    if not rows:
        return [told("23a", f"No feature was listed, where {shortlist_words.allowed(found)} was allowed.")]
    parts = []
    for direction in dict.fromkeys(one.direction for one in rows):
        names = [one.feature for one in rows if one.direction == direction]
        parts.append(f"{len(names)} {direction or 'without a direction'} ({listed(names, MOST_NAMED)})")
    were = "was" if len(rows) == 1 else "were"
    who = f"{counted(len(rows), 'feature')} {were} listed: {listed(parts)}"
    said = [told("23a", f"With {shortlist_words.allowed(found)}, {who}.")]
    if found.void:
        not_known = f"how many of them are false is not known, because {found.void}"
        said = [told("23a", f"{who[:1].upper()}{who[1:]}; {not_known}.")]
    score, repeats = found.prediction, found.repeats
    if score is not None:
        few = repeats is not None and repeats.n_repeats < shortlist_words.FEWEST_REPEATS
        interval = "" if few else f" (95% interval {span(score.low, score.high)})"
        reached = f"{score_title(score.score)} {number(score.estimate)}{interval}"
        every = f"all features {number(score.every)}"
        beside = f"as many random features reached {number(score.random)} and {every}"
        if score.nearly_all:
            beside = f"all features, nearly the same ones, reached {number(score.every)}"
        added = score.added
        what = "the listed features"
        if added is not None:
            covariates = listed(added.covariates)
            what = f"the listed features with {covariates}"
            beside = f"{covariates} alone reached {number(score.blind)}"
        words = f"Chosen anew within each training set, {what} predicted left-out rows with {reached}"
        said.append(told("23a", f"{words}; {beside}."))
        if added is not None and not few and not isnan(added.p_value):
            test = "corrected resampled t-test"
            said.append(told("23a", f"{shortlist_words.gain_words(score)}, by the {test}{cite('nadeau2003')}."))
    if repeats is not None and not isnan(repeats.stability):
        few = repeats.n_repeats < shortlist_words.FEWEST_REPEATS
        interval = "" if few else f" (95% interval {span(repeats.low, repeats.high)})"
        said.append(told("23a", f"The stability of the list was {number(repeats.stability)}{interval}."))
    return said
