"""What holds beside the list: the predictions of the runs' models, their coefficients, and what can be said of all."""

from __future__ import annotations

from math import isnan

from steadyset.assessment.request import is_bootstrapped
from steadyset.findings.box import beats, box_of, shown_procedure
from steadyset.findings.parts import Findings
from steadyset.foundation.text import counted, expected_count, listed, percent, shown_name
from steadyset.inference.models import OFTEN, Coefficients, Predicted
from steadyset.tasks import TASKS

MAX_NAMED = 5  # features in a sentence
UNSTEADY = 0.5  # from which on differences between runs are too large, beside those between rows


def prediction_sentences(found: Findings) -> list[str]:
    """How far the predictions of the runs agree, by procedure."""
    return [f"{shown_name(one.name)}: {_rows(found, one)}" for one in found.predictions]


def prediction_legend(found: Findings) -> str:
    """What the numbers are about, and what they are not."""
    said = (
        "Predictions are those for all rows of these data, so they say how much a prediction depends on which rows "
        "were at hand, not how right it is (Riley and Collins 2023)."
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
    name, said = shown_procedure(found), [box_of(found).headline]
    if name is None:
        return said[0]
    better = beats(found, name)
    if better is False:
        losses = () if found.preference is None else found.preference.losses
        blind = any(one.name == name and one.beats_blind for one in losses)
        than = "as many random features" if blind else "random features and than none"
        said.append(
            f"The tests do not show that {shown_name(name)} predicts left-out rows better than {than}, so that the "
            f"choice of these features is not supported{'' if blind else ', nor are coefficients and predictions'}."
        )
        return " ".join(said)
    if better is None:
        said.append("Whether what it selects predicts better than random features and than none was not tested.")
    if any(one.name == name for one in found.alternatives):
        said.append("Groups of its runs select lists of their own, so that this list is one of several.")
    said += [_signs(found, one) for one in found.coefficients if one.name == name]
    said += [_rows(found, one) for one in found.predictions if one.name == name]
    if not found.predictions:
        said.append("Whether coefficients and predictions hold was not asked: keep predictions to have it told.")
    said.append(
        "All of this is about resamples of these rows. What a new study would select again, `steadyset replicate` "
        "estimates; which features are causes, and how many of them are false, nothing here says."
    )
    return " ".join(filter(None, said))


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
