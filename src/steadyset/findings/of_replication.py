"""What a replication, a comparison of studies and a split of the disagreement say, and their methods paragraphs."""

from __future__ import annotations

from collections.abc import Mapping
from math import ceil, floor, isnan
from typing import Any

from steadyset._version import __version__
from steadyset.findings.citations import Methods, cite, sentences, told
from steadyset.findings.holds import SCOPE, next_study_words
from steadyset.findings.of_results import data_told, notes_beside, with_caution
from steadyset.findings.paragraphs import data_sentences, software_sentence
from steadyset.findings.parts import Findings
from steadyset.foundation.text import amount, counted, expected_count, listed, number, percent, shown_name
from steadyset.replications.result import Replication
from steadyset.replications.sources import DATA, HALF, METHOD, OWN, WORDS, Remedy, Sources
from steadyset.replications.split import VarianceSplit
from steadyset.replications.studies import LEVEL, ComparedStudies, StudyComparison
from steadyset.runner.scoring import lower_is_better, score_title


def of_replication(result: Replication) -> Findings:
    """Everything that a replication says."""
    found, settings = result.replicated, result.settings
    odd = data_told(settings)
    return Findings(
        "replication",
        f"{counted(found.n_rows, 'row')}, {counted(found.n_features, 'feature')}",
        "nogueira",
        answer=with_caution(next_study_words(found), odd),
        notes=(SCOPE, *found.notes, *notes_beside(odd, settings)),
        settings=settings,
        methods=_methods(result),
        replication=found,
    )


def _methods(result: Replication) -> Methods:
    found, details = result.replicated, result.settings["details"]
    sizes = [str(one.rows) for one in found.measured]
    pairs = (
        "Whether another study would select the same features was estimated from pairs of disjoint random parts of "
        f"the rows: {found.measured[-1].pairs} pairs each of {listed(sizes)} rows (the random seed "
        f"{result.settings['seed']}). Agreement is the share of features in common, corrected for chance "
        f"({found.size} of {found.n_features} features)."
    )
    curve = (
        "How much it varies between data sets was estimated from pairs within halves of the rows; agreement of studies "
        "with more than half of the rows was extrapolated by a logistic curve in the logarithm of the number of rows "
        "with a bend and a plateau, by Bayesian importance sampling. Intervals are at 95%."
    )
    first = sentences(*data_sentences(result.settings, details), told("12c", pairs), told("12c", curve))
    second = sentences(software_sentence(__version__, details["versions"], learn=False))
    return Methods((first, second), sentences(*(told("23a", line) for line in next_study_words(found)[:2])))


# ---- several studies ------------------------------------------------------------------------------------------------

STANDARDISED = (
    "Where one study predicts another, values are standardised within each study: shifts and scales of a whole study "
    "play no part, and the studies are taken to mix the same kinds of rows."
)
ONE_BY_ONE = (
    "What comes back is tested for each feature by itself, in rows that had no part in listing it; an effect that "
    "shows only beside other features is not seen."
)


def of_studies(result: StudyComparison) -> Findings:
    """Everything that a comparison of studies says."""
    found, settings = result.compared, result.settings
    return Findings(
        "studies",
        f"{counted(len(found.studies), 'study', 'studies')}, {counted(found.n_features, 'shared feature')}",
        "nogueira",
        answer=with_caution(_alike(found), _cautions(found, settings)),
        notes=(*found.notes, STANDARDISED, ONE_BY_ONE, *notes_beside(data_told(settings), settings)),
        settings=settings,
        methods=_methods_of_studies(result),
        studies=found,
    )


def _cautions(found: ComparedStudies, settings: Mapping[str, Any]) -> list[str]:
    """Return what is wrong with the rows and features of the studies."""
    if not found.cautions:
        return data_told(settings)
    # Copies and features that give the target away are named by study, not for the pooled rows again.
    details = {name: one for name, one in settings["details"].items() if name not in ("repeated_rows", "giving_away")}
    return [*found.cautions, *data_told({**settings, "details": details})]


def _alike(found: ComparedStudies) -> list[str]:
    n = len(found.studies)
    back = [one for one in found.features if one.comes_back]
    twice, chance = sum(one.studies > 1 for one in found.features), expected_count(found.by_chance[2])
    selected = f"{twice or 'none'} {'are' if twice > 1 else 'is'} selected"
    several = "both studies" if n == 2 else f"at least 2 of {n} studies"
    if back:
        words = [shown_name(one.feature) + (f" ({one.studies})" if n > 2 else "") for one in back]
        come, their = ("comes", "its") if len(back) == 1 else ("come", "their")
        said = [
            f"{counted(len(back), 'feature')} of {found.n_features:,} shared ones {come} back: {their} effect is in "
            f"{several}, in the same direction (anything false comes back in at most {percent(LEVEL)} of such "
            f"comparisons): {listed(words, 10)}."
        ]
    else:
        closest = min(found.features, key=lambda one: one.p_value)
        near = f" Closest is {shown_name(closest.feature)} (adjusted p {number(closest.p_value)})."
        said = [
            f"No feature is shown to come back: {selected} by {several} in the same direction, and random lists have "
            f"{chance}.{near if closest.p_value < 1 else ''} More rows per study or another study would tell more."
        ]
    said += [*_held_against_prediction(found), _predicted_by_others(found)]
    opposed = [one.feature for one in found.features if one.opposed]
    if opposed:
        said.append(f"Selected in opposite directions, and therefore not counted together: {listed(opposed, 5)}.")
    return [sentence for sentence in said if sentence]


def _held_against_prediction(found: ComparedStudies) -> list[str]:
    """Whether the agreement seen is that which the studies' own resamples let expect."""
    shared = [one for one in found.pairs if one.common > 1 and one.p_value <= LEVEL]
    turned = next((one for one in shared if 2 * one.same_direction < one.common), None)
    if turned and not found.names_directions:
        return [
            f"Most of what {shown_name(turned.first)} and {shown_name(turned.second)} both select goes in opposite "
            "directions: see whether one of them codes its target the other way round."
        ]
    told = [one for one in found.pairs if one.verdict]
    if not told:
        return ["What the studies' own resamples predict could not be told; see the notes."]
    fewer = [one for one in told if one.verdict == "fewer"]
    if fewer:
        return [
            f"Of the list of {shown_name(one.first)}, {shown_name(one.second)} selects {one.common} of {one.size}, "
            f"where its own resamples predict {amount(one.low)} to {amount(one.high)}: the two differ by more than the "
            "draw of rows, in population, batch or measurement."
            for one in fewer[:3]
        ]
    if all(one.low == 0 for one in told):
        return [
            "No study's own resamples promise that any of its features comes back in another one: its rows are few, or "
            "its effects small."
        ]
    return ["How far the studies agree is within what their own resamples predict."]


def _predicted_by_others(found: ComparedStudies) -> str:
    scores = [one for one in found.studies if not isnan(one.others)]
    if not scores:
        return ""
    each = [
        f"{shown_name(one.name)} {number(one.others)} ({number(one.own)} from its own rows, {number(one.blind)} "
        "without features)"
        for one in scores
    ]
    sign = -1 if lower_is_better(found.score) else 1
    worse = [one.name for one in scores if sign * one.others <= sign * one.blind]
    said = f"Predicted by the other studies, by {score_title(found.score)}: {listed(each, 4)}."
    return said + (f" The others do not help to predict {listed(worse, 5)}." if worse else "")


def _methods_of_studies(result: StudyComparison) -> Methods:
    found, details = result.compared, result.settings["details"]
    each = [f"{shown_name(one.name)} ({one.rows})" for one in found.studies]
    lists = (
        f"{shown_name(found.selector)} selected from the {found.n_features:,} features that the studies share in each "
        f"of {counted(len(found.studies), 'study', 'studies')} (rows: {listed(each)}). A feature was said to come back "
        "where the lists of other studies held it and its effect was in their direction in at least two studies, by "
        "one-sided permutation tests of ranks on rows that had no part in those lists, with p-values adjusted by "
        f"Bonferroni for all tests of all studies, at {percent(LEVEL)} (for two studies the procedure of Bogomolov and "
        f"Heller{cite('bogomolov2018')})."
    )
    others = (
        f"Each study was predicted by a model of the others ({score_title(found.score)}) on features standardised "
        "within each study. What each study lets expect of another came from pairs of disjoint parts of its rows."
    )
    first = sentences(*data_sentences(result.settings, details), told("12c", lists), told("12c", others))
    second = sentences(software_sentence(__version__, details["versions"], learn=False))
    return Methods((first, second), sentences(*(told("23a", line) for line in _alike(found)[:1])))


# ---- why reruns differ ----------------------------------------------------------------------------------------------

ADVICE = {
    OWN: "More of what the selectors average over, such as trees, or several seeds together would steady them without "
    "more data.",
    WORDS[DATA]: "More rows may steady it, as far as `steadyset replicate` tells, or a choice that counts look-alikes "
    "as one: `steadyset shortlist` gives groups.",
    WORDS[METHOD]: "Say which method was used, or take what several agree on: `steadyset consensus`.",
}


def of_sources(result: VarianceSplit) -> Findings:
    """Everything that a split of the disagreement says."""
    found, settings = result.sources, result.settings
    odd = data_told(settings)
    return Findings(
        "sources",
        f"{listed([shown_name(name) for name in found.methods], 5)}, {counted(found.n_rows, 'row')}",
        "nogueira",
        answer=with_caution(_why(found), odd),
        notes=notes_beside(odd, settings),
        settings=settings,
        methods=_methods_of_split(result),
        sources=found,
    )


def _why(found: Sources) -> list[str]:
    if not found.parts:
        same = "All runs select the same features" if found.size else "No run selects a feature"
        return [f"{same}: there is no disagreement to explain."]
    first, *others = found.parts
    differ = f"Reruns differ by {amount(round(found.disagreement, 1))} of {amount(round(found.size, 1))} features"
    said = [
        f"{differ}: {_share(first.share)} of that comes from {first.name} (95% interval {_share(first.low)} to "
        f"{_share(first.high)}){''.join(f', {_share(one.share)} from {one.name}' for one in others)}."
        if others
        else f"{differ}, because of the data: one method without randomness of its own ran, and nothing else varied."
    ]
    if found.remedy is not None:
        said.append(_more_trees(found.remedy))
    elif first.low > HALF and first.name in ADVICE:
        said.append(ADVICE[first.name])
    if others and not found.random:
        said.append("None of the methods has randomness of its own.")
    if found.rows:
        most = [f"{shown_name(one.label)} ({amount(round(one.features, 1))})" for one in found.rows]
        said.append(
            f"Rows whose presence changes the selection most, by how many features: {listed(most, 5)}; look at them."
        )
    else:
        said.append("No single row changes the selection more than chance does.")
    return said


def _more_trees(found: Remedy) -> str:
    """How much more to average over, rounded up; no number where the runs bound none."""
    if found.alike:
        return (
            "Features that are alike compete for places in the list, and more trees or seeds do not decide between "
            "them: `steadyset shortlist` gives groups."
        )
    what = "trees" if found.trees else "seeds, whose scores are averaged,"
    if isnan(found.high):
        return f"More {what} steady it without more data; how many are enough, these runs do not bound."
    times, most = ceil(found.times), f"{floor(found.low)} to {ceil(found.high)}"
    grown = f"Grow about {times} times as many trees ({times * found.trees:,} instead of {found.trees:,})"
    return (
        f"{grown if found.trees else f'Average its scores over about {times} seeds'}: its own randomness is then about "
        f"half of the disagreement or less, without more data ({most} {'times' if found.trees else 'seeds'}, by that "
        "interval)."
    )


def _share(value: float) -> str:
    return percent(round(max(value, 0.0), 2))


def _methods_of_split(result: VarianceSplit) -> Methods:
    found, details = result.sources, result.settings["details"]
    seeds = f" with {found.n_seeds} seeds" if found.random else ""
    design = (
        f"{listed([shown_name(name) for name in found.methods])} selected features{seeds} on the same "
        f"{found.n_resamples} resamples of the rows. The mean number of features that one of two unrelated runs "
        "selects and the other does not was split by unbiased components of variance of a crossed design of data, "
        "seed and method; intervals are at 95%, by a jackknife over the resamples."
    )
    first = sentences(*data_sentences(result.settings, details), told("12c", design))
    second = sentences(software_sentence(__version__, details["versions"], learn=False))
    return Methods((first, second), sentences(told("23a", _why(found)[0])))
