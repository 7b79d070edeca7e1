"""What a shortlist says, and its methods paragraphs."""

from __future__ import annotations

from dataclasses import replace
from math import isnan
from pathlib import Path

from steadyset._version import __version__
from steadyset.findings import shortlist_words
from steadyset.findings.citations import Methods, Sentence, cite, sentences, told
from steadyset.findings.of_results import target_told
from steadyset.findings.paragraphs import data_sentences, rows_told, software_sentence
from steadyset.findings.parts import Findings, record_findings
from steadyset.findings.tables import main_rows
from steadyset.foundation.arguments import CORE, LEVEL
from steadyset.foundation.text import counted, listed, number, percent, shown_name, span
from steadyset.io.disk import LIST_NAMES, LIST_SHEET, LIST_TABLE, explained, write_durably
from steadyset.io.formats.spreadsheet import csv_text, xlsx_bytes
from steadyset.runner.scoring import score_title
from steadyset.shortlists.listed import LISTED, STANDARD_DEVIATIONS, Listed
from steadyset.shortlists.result import Shortlist

MOST_NAMED = 30
FILLED = "the list has the medians of all rows in their place, and each repeat those of its training rows"
RANKED = {
    "filter": "the share of their variance that the target explains",
    "lasso": "the order in which they enter the path of the lasso",
}


def of_shortlist(result: Shortlist, *, core: float, level: float) -> Findings:
    """Everything that a shortlist says."""
    settings = result.settings
    found = Findings(
        "shortlist",
        f"{rows_told(settings, settings['details'])}, {counted(settings['n_features'], 'feature')}",
        "nogueira",
        level,
        core,
        tuple(settings["scoring"]),
        shortlist_words.answer(result.listed),
        notes=tuple(target_told(settings)),
        settings=settings,
        shortlist=result.listed,
        extract=result.extract,
    )
    return replace(found, methods=_methods(result))


def record_list(result: Shortlist, folder: Path, *, safe: bool = False) -> None:
    """Put the list into its folder: as csv, for Excel and as plain names, and everything that it says."""
    with explained(folder, resumable=True):
        found = of_shortlist(result, core=CORE, level=LEVEL)
        rows = main_rows(found)
        write_durably(folder / LIST_SHEET, xlsx_bytes(rows))
        write_durably(folder / LIST_TABLE, csv_text(rows, safe=safe).encode("utf-8", "backslashreplace"))
        write_durably(folder / LIST_NAMES, "".join(f"{shown_name(name)}\n" for name in result.selected).encode())
        record_findings(found, folder)  # the last: with it the folder is finished


def _methods(result: Shortlist) -> Methods:
    settings, found = result.settings, result.listed
    details = settings["details"]
    how = listed([RANKED[base] for base in found.bases], last=" and by ")
    error = (
        f"{found.false:g} false {'feature' if found.false == 1 else 'features'}"
        if found.false is not None
        else f"a share of {percent(found.fdr or 0.0)} false features"
    )
    pairs = (
        f"In {2 * found.n_splits} random halves of the rows ({found.n_splits} complementary pairs{cite('shah2013')}, "
        f"the random seed {settings['seed']}) features were ranked by {how}, and the best of them counted."
    )
    permuted = (
        f"The target was permuted {found.n_permutations} times{shortlist_words.exchanged(found)} and went through the "
        f"same procedure{'; features were centred within these' if 'within' in found.exchanged else ''}. A feature was "
        f"listed where it stood out more than permuted targets allow for {error} on average: features that pass at a "
        "tenth of that were set aside and the others ranked again, until none did; the rest had to pass at nine tenths."
    )
    unit = "Standardised differences of means" if found.effect == STANDARD_DEVIATIONS else "Correlations"
    effects = (
        f"{unit} were corrected for the features having been listed, by their distribution given that they were; "
        "intervals are at 95%."
    )
    outer = ""
    if found.repeats is not None:
        outer = (
            f"The whole procedure was repeated on {found.repeats.n_repeats} random parts of "
            f"{percent(found.repeats.fraction)} of the rows, and {details['predictor']} predicted the others from what "
            "was listed."
        )
    first = sentences(*data_sentences(settings, details, FILLED), told("12c", pairs), told("12c", permuted))
    second = sentences(
        told("12e", effects if any(not isnan(one.effect) for one in found.features) else ""),
        told("12a", outer),
        software_sentence(__version__, details["versions"], learn=found.repeats is not None),
    )
    return Methods((first, second), sentences(*_results(found)))


def _results(found: Listed) -> list[Sentence]:
    rows = found.of_tier(LISTED)
    error = f"{found.false:g} expected" if found.false is not None else f"{percent(found.fdr or 0.0)} expected to be"
    if not rows:
        return [told("23a", f"No feature was listed with {error} false.")]
    by_direction = []
    for direction in dict.fromkeys(one.direction for one in rows):
        names = [one.feature for one in rows if one.direction == direction]
        told_so = f"{direction}: " if direction else ""
        by_direction.append(f"{counted(len(names), 'feature')} ({told_so}{listed(names, MOST_NAMED)})")
    said = [told("23a", f"With {error} false, the list holds {listed(by_direction)}.")]
    score, repeats = found.prediction, found.repeats
    if score is not None:
        reached = f"{score_title(score.score)} {number(score.estimate)} (95% interval {span(score.low, score.high)})"
        beside = f"as many random features reached {number(score.random)} and all features {number(score.every)}"
        words = f"Chosen anew within each training set, the listed features predicted left-out rows with {reached}"
        said.append(told("23a", f"{words}; {beside}."))
    if repeats is not None and not isnan(repeats.stability):
        interval = f"95% interval {span(repeats.low, repeats.high)}"
        said.append(told("23a", f"The stability of the list was {number(repeats.stability)} ({interval})."))
    return said
