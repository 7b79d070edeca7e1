"""What holds beside the list: the predictions of the runs' models, their coefficients, and what can be said of all."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

from steadyset.assessment import Assessment
from steadyset.foundation.text import expected_count, percent, shown_name
from steadyset.inference.models import MOST_CURVES, OFTEN, Predicted
from steadyset.resampling import Bootstrap
from steadyset.tasks import TASKS

if TYPE_CHECKING:
    from steadyset.findings.parts import Findings


def predicted_by(assessment: Assessment, level: float) -> Iterator[Predicted]:
    """What was kept of the predictions of each selector."""
    for name, one in assessment.prediction_spreads.items():
        curves = [point for point in assessment.calibration(name) if point[0] < MOST_CURVES]
        tenths = tuple((run, output, *(float(f"{value:.5g}") for value in both)) for run, output, _, *both in curves)
        yield Predicted(name, len(one.runs), **one.summary(level), rows=one.drawn(level), tenths=tenths)


def prediction_words(settings: Mapping[str, Any]) -> str:
    """What is predicted, in words; of two classes it is the probability of the second."""
    classes, words = list(settings["details"]["classes"]), TASKS[settings["task"]].prediction_words
    return f"{words} of {shown_name(classes[1])}" if len(classes) == 2 else words


def is_bootstrap(settings: Mapping[str, Any]) -> bool:
    """Whether the runs of an assessment are bootstraps, as many rows as the data drawn with replacement."""
    return str(settings["resampling"]).startswith(f"{Bootstrap.__name__}(")


def prediction_sentences(found: Findings) -> Iterator[str]:
    """How far the predictions of the runs agree, by procedure."""
    task = TASKS[found.settings["task"]]
    for one in found.predictions:
        if one.spread == 0 and one.error == 0:
            yield f"{shown_name(one.name)}: every model predicts the same for all rows."
            continue
        yield (
            f"{shown_name(one.name)}: for the same row, the {prediction_words(found.settings)} differs by "
            f"{expected_count(one.error)} on average between the model of a run and the model on all rows, beside a "
            f"standard deviation of {expected_count(one.spread)} between rows; a run puts {percent(one.changed)} of "
            f"the rows into another {task.group_words}, and for {percent(one.often_changed)} of the rows at least "
            f"{percent(OFTEN)} of the runs do."
        )


def prediction_legend(found: Findings) -> str:
    """What the numbers are about, and what they are not."""
    said = (
        "Predictions are those for all rows of these data, so they say how much a prediction depends on which rows "
        "were at hand, not how right it is (Riley and Collins 2023)."
    )
    if not is_bootstrap(found.settings):
        said += (
            " The runs are no bootstraps: models of fewer rows, or of rows that runs share, vary otherwise than those "
            "of new samples of this size."
        )
    return said
