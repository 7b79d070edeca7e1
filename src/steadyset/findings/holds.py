"""What holds beside the list: the predictions of the runs' models, their coefficients, and what can be said of all."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from math import isnan
from typing import Any

from steadyset.assessment.request import is_bootstrapped
from steadyset.findings.box import beats, box_of, shown_procedure
from steadyset.findings.of_results import data_told
from steadyset.findings.parts import Findings
from steadyset.findings.shortlist_words import CAME_BACK, FEWEST_REPEATS, answer, cautions, headline, promise
from steadyset.foundation.text import amount, counted, expected_count, listed, number, percent, shown_name
from steadyset.inference.models import OFTEN, Coefficients, Predicted
from steadyset.replications.curve import ENOUGH, LARGEST
from steadyset.replications.result import NextStudy, Replicated
from steadyset.replications.studies import ComparedStudies
from steadyset.runner.scoring import score_title
from steadyset.shortlists.listed import LISTED, Listed
from steadyset.tasks import TASKS

MAX_NAMED = 5  # features in a sentence
OVERLAP = 0.7  # of the rows of two runs, from which a core also holds features without any effect
UNSTEADY = 0.5  # from which on differences between runs are too large, beside those between rows
SCOPE = (
    "This is about studies of the same population, measured in the same way: other centres, batches or devices agree "
    "less."
)
NOT_ASKED = (
    "Whether the features predict left-out rows, and whether coefficients and predictions hold, an assessment tells; "
    "how many of the features are false, a shortlist; which are causes, neither."
)


def prediction_sentences(found: Findings) -> list[str]:
    """How far the predictions of the runs agree, by procedure."""
    return [f"{shown_name(one.name)}: {_rows(found, one)}" for one in found.predictions]


def prediction_legend(found: Findings) -> str:
    """What the numbers are about, and what they are not."""
    said = (
        "Predictions are those for all rows of these data, so they say how much a prediction depends on which rows "
        "were at hand, not how right it is (Riley and Collins 2023)."
        f" Agreement of two runs: {TASKS[found.settings['task']].agreement_words}, the mean over the pairs of runs; 1 "
        "for equal predictions, 0 for unrelated predictions. Different features can predict the same. The rows include "
        "those that the models were trained on; st.prediction_agreement compares the sets on left-out rows, and with "
        "random sets."
    )
    if not is_bootstrapped(found.settings):
        said += (
            " The runs are no bootstraps: models of fewer rows, or of rows that runs share, vary otherwise than those "
            "of new samples of this size."
        )
    return said


def coefficient_sentences(found: Findings) -> list[str]:
    """Whether the signs of the steady features hold, and how many sets there were, by procedure."""
    sets = (f"{counted(one.sets, 'different set')} in {counted(one.runs, 'run')}" for one in found.coefficients)
    both = zip(found.coefficients, sets, strict=True)
    return [f"{shown_name(one.name)}: {told}. {_signs(found, one)}".rstrip() for one, told in both]


def coefficient_legend(found: Findings) -> str:
    """What the columns are, and why some are empty."""
    boots, note = is_bootstrapped(found.settings), found.settings["details"].get("global_model", {}).get("note", "")
    said = [
        "Mean and standard deviation are over the runs that select the feature, the range is over all runs, with 0 "
        "where it is not selected. The ratio is the root mean squared difference from the unpenalised model with all "
        "features, divided by the standard error there; the bias is that of the mean of the selecting runs against it "
        "(Heinze, Wallisch and Dunkler 2018)."
    ]
    if not boots:
        said.append("Ratio and bias are told of bootstraps alone; these runs are none.")
    elif note:
        said.append(f"There is no model with all features: {note}.")
    if boots:
        said.append("Bootstraps select features without an effect too often: subsamples tell inclusion better.")
    return " ".join(said)


def what_can_be_said(found: Findings) -> str:
    """List, prediction, coefficients, single predictions and new studies in one paragraph, none beyond its evidence."""
    said: Iterable[str] = ()
    if found.shortlist is not None:
        said = _of_list(found.shortlist)
    elif found.kind == "assessment":
        said = _of_assessment(found)
    elif found.kind == "replication" and found.replication is not None:
        said = (_comes_out_again(found.replication), SCOPE, NOT_ASKED)
    elif found.studies is not None:
        said = _of_studies(found.studies)
    joined = " ".join(filter(None, said))
    return " ".join((joined, *data_told(found.settings))) if joined else ""


def _comes_out_again(found: Replicated) -> str:
    """What the answer comes to, without its numbers."""
    half = found.studies[0]
    if found.void:
        return next_study_words(found)[0]
    if half.low == 0.0:
        return (
            f"That any of these features would come out again is not shown: two studies of {half.rows} rows may agree "
            "no better than random choices."
        )
    return (
        f"Two studies of {half.rows} rows agree beyond chance, so that a part of such a list comes out again; how "
        "large a part, the intervals say."
    )


def _of_studies(found: ComparedStudies) -> Iterator[str]:
    if any(one.comes_back for one in found.features):
        yield (
            "What comes back has its effect in more than one study, each feature by itself; a feature that does not "
            "come back is not shown to be false."
        )
    else:
        yield "That no feature is shown to come back does not show that all are false: few rows show little."
    yield "Which of these features are causes, coming back does not say."


def _of_assessment(found: Findings) -> Iterator[str]:
    name = shown_procedure(found)
    yield box_of(found).headline
    if name is None:
        return
    better = beats(found, name)
    if better is False:
        losses = () if found.preference is None else found.preference.losses
        random, blind = next((one.beats_random, one.beats_blind) for one in losses if one.name == name)
        than = " or than ".join(
            words for words, beaten in (("none", blind), ("as many random features", random)) if beaten is False
        )
        unsupported = ", nor are coefficients and predictions" if blind is False else ""
        yield (
            f"The tests do not show that {shown_name(name)} predicts left-out rows better than {than}, so that the "
            f"choice of these features is not supported{unsupported}."
        )
    else:
        if better is None:
            yield "Whether what it selects predicts better than random features and than none was not tested."
        if any(one.name == name for one in found.alternatives):
            yield "Groups of its runs select lists of their own, so that this list is one of several."
        yield from (_signs(found, one) for one in found.coefficients if one.name == name)
        yield from (_rows(found, one) for one in found.predictions if one.name == name)
        if not found.predictions:
            yield "Whether coefficients and predictions hold was not asked: keep predictions to have it told."
    yield from _next_study(found, name)
    yield "Which of these features are causes, and how many of them are false, nothing here says."


def _next_study(found: Findings, name: str) -> Iterator[str]:
    """What the replication that was given says, else the runs on halves, else who tells."""
    if found.replication is not None and found.replication.selector == name:
        yield from (*next_study_words(found.replication)[:2], SCOPE)
        return
    halves = next((one for one in found.halves if one.name == name), None)
    if halves is not None:
        ends = "" if isnan(halves.low) else f"95% interval {_tenths(halves.low)} to {_tenths(halves.high)}; "
        no_better = " They may agree no better than random choices." if halves.low <= halves.expected else ""
        yield (
            f"Two halves of the rows, which are independent studies of half the size, have {_tenths(halves.common)} of "
            f"{_tenths(halves.size)} features in common on average ({ends}{counted(halves.pairs, 'pair')}); random "
            f"choices have {_tenths(halves.expected)}.{no_better}"
        )
    sure = "How sure that is, and what" if halves is not None and isnan(halves.low) else "What"
    yield (
        f"{sure} {'studies of other sizes' if halves else 'a new study'} would select again, "
        "`steadyset replicate` estimates for selectors of a fixed number of features; all "
        f"{'else' if halves else 'of this'} is about resamples of these rows."
    )


def _of_list(found: Listed) -> Iterator[str]:
    rows, warned = found.of_tier(LISTED), "; ".join(cautions(found))
    if not rows:
        yield from answer(found)
        return
    yield headline(found) if found.void else f"{headline(found)} That is {promise(found)}."
    one, repeats = found.prediction, found.repeats
    if warned:
        yield f"Caution: {warned}."
    is_tested = one is not None and repeats is not None and repeats.n_repeats >= FEWEST_REPEATS
    if found.void:
        pass  # left-out rows have copies among the others
    elif one is None or not is_tested or one.better is None:
        yield "Whether the list predicts better than random features and than none was not tested."
    elif one.better:
        random = "" if one.nearly_all else " and than as many random features"
        none = "no features" if one.added is None else f"{listed(one.added.covariates)} alone"
        yield (
            f"It predicts rows that were used neither to choose nor to fit better than {none}{random} "
            f"({score_title(one.score)} {number(one.estimate)})."
        )
    if repeats is not None:
        back = sum(row.came_back >= CAME_BACK for row in rows)
        yield (
            f"{back} of {counted(len(rows), 'listed feature')} came back in at least {percent(CAME_BACK)} of "
            f"{counted(repeats.n_repeats, 'repeat')} with {percent(repeats.fraction)} of the rows; these "
            "share rows, so that a new study may list fewer."
        )
    yield (
        "Whether coefficients and predictions of a model of these features hold was not asked: assess the selector of "
        "this list for that. Which of them are false, and which are causes, nothing here says."
    )


def _signs(found: Findings, one: Coefficients) -> str:
    """Of steady features alone: one that is seldom selected is so where its effect came out large, with its sign."""
    steady = [row for row in one.rows if row.inclusion >= found.core and not isnan(row.same_sign)]
    if not steady:
        return ""
    other = [f"{shown_name(row.feature)} ({percent(1 - row.same_sign)})" for row in steady if row.same_sign < 1]
    where = f"Where at least {percent(found.core)} of the runs select a feature, its coefficient has"
    if not other:
        return f"{where} the same sign in all of them ({counted(len(steady), 'feature')})."
    return f"{where} another sign in some of them for {listed(other, MAX_NAMED)}, of {counted(len(steady), 'feature')}."


def _rows(found: Findings, one: Predicted) -> str:
    if not one.between_rows and not one.error:
        return "Every model predicts the same for all rows."
    task, classes = TASKS[found.settings["task"]], list(found.settings["details"]["classes"])
    what = f"{task.prediction_words} of {shown_name(classes[1])}" if len(classes) == 2 else task.prediction_words
    unsteady = ", too much to rely on single predictions" if one.error >= UNSTEADY * one.between_rows else ""
    return (
        f"For the same row, the {what} differs by {expected_count(one.error)} on average between the model of a run "
        f"and the model on all rows, and by {expected_count(one.between_rows)} between two rows{unsteady}. A run puts "
        f"{percent(one.changed)} of the rows into another {task.group_words}; {percent(one.often_changed)} of the rows "
        f"change it in at least {percent(OFTEN)} of the runs."
    )


def _some(found: Replicated, agreement: float) -> str:
    """So many features in common."""
    return _tenths(found.common(agreement))


def _interval(found: Replicated, study: NextStudy) -> str:
    return f"95% interval {_some(found, study.low)} to {_some(found, study.high)}"


def next_study_words(found: Replicated) -> list[str]:
    """What the next study would select again, one sentence each: the first two are of half the rows and as many."""
    half, same, *larger = found.studies
    chance, k = _tenths(found.size * found.by_chance), found.size
    if found.void:
        return [
            f"What another study would select is not known, because {found.void}.",
            f"Disjoint parts of {half.rows} rows have {_some(found, half.agreement)} of {k} features in common. They "
            "share copies of rows, which two studies do not, so that two studies may have fewer.",
        ]
    seen = f"{_some(found, half.agreement)} of {k} features in common ({_interval(found, half)})"
    if half.low == 0.0:
        first = (
            f"Two studies of {half.rows} rows each may agree no better than random choices: {seen}, {chance} by chance."
        )
    else:
        first = (
            f"{shown_name(found.selector)} selects about {seen} in two independent studies of {half.rows} rows each; "
            f"random choices have {chance}."
        )
    ends = ", ".join(f"{_some(found, one.low)} to {_some(found, one.high)} at {one.rows} rows" for one in larger)
    again = (
        f"Of this list of {k}, a new study of {same.rows} rows selects about {_some(found, same.again)} again on "
        f"average (95% interval {_some(found, same.again_low)} to {_some(found, same.again_high)}); a single one "
        f"between {amount(k * same.one_low)} and {amount(k * same.one_high)}."
    )
    if half.low == 0.0:  # what is chance at half the rows may be chance at all of them, whatever a curve says
        again = (
            f"Of this list of {k}, a new study of {same.rows} rows may then select no more again than chance, and on "
            f"average at most about {_some(found, same.again_high)}."
        )
    said = [
        first,
        again,
        f"The data hardly constrain how well larger studies agree: {ends}.",
        _enough(found),
    ]
    often = [one for one in found.features if one.frequency >= ENOUGH]
    if often and half.low > 0.0:
        names = [f"{shown_name(one.feature)} ({percent(round(one.frequency, 2))})" for one in often]
        said.append(f"Most likely to come out again, by the share of studies of {half.rows} rows: {listed(names, 10)}.")
    return said


def _enough(found: Replicated) -> str:
    goal = f"{_some(found, ENOUGH)} of {found.size} features in common"
    if isnan(found.enough_low):
        return f"For {goal}, each study needs more than {LARGEST * found.n_rows} rows."
    if found.enough_low <= found.n_rows:
        return f"{goal.capitalize()} may be reached by studies of {found.n_rows} rows, or need many more."
    least = round(found.enough_low)
    return f"For {goal}, each study needs at least {least} rows; how many are enough the data do not say."


def _tenths(value: float) -> str:
    return amount(round(value, 1))


def core_caution(settings: Mapping[str, Any]) -> str:
    """Return a sentence on runs that share so many rows that they agree on noise too; "" if they share fewer."""
    shared = settings.get("details", {}).get("shared_rows", 0.0)
    if shared < OVERLAP:
        return ""
    return (
        f"Two runs share {percent(shared)} of their rows on average. Runs that share {percent(OVERLAP)} or more also "
        "agree on features without any effect: of 10 to 20 selected features of pure noise, 1 to 2 were in the stable "
        "core with 80% shared rows, and 3 to 5 with 90% (simulated). Runs on half of the rows avoid that."
    )
