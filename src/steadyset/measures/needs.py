"""What a measure needs beyond the selected sets, and the sentence for those who ask for it without."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

from steadyset.foundation.errors import Argument, InputError
from steadyset.measures.options import Options
from steadyset.measures.record import Measure, Need, all_measures
from steadyset.selections import Selections

OF_VALUES = ("weights", "rankings")  # families whose measures read importances and ranks


class Remedy(NamedTuple):
    """When a need is met, and how to meet it."""

    met: Callable[[Selections, Options], bool]
    how: tuple[str | Argument, ...]


NEEDS: dict[Need, Remedy] = {
    "similarity": Remedy(
        lambda _, options: options.similarity is not None,
        ("the similarity of the features; give ", Argument("similarity=FeatureSimilarity.from_data(X)")),
    ),
    "weights": Remedy(
        lambda selections, _: selections.weights is not None,
        ("weights of the selected features; build the Selections with from_weights, or from a long table",),
    ),
    "rankings": Remedy(
        lambda selections, _: selections.rankings is not None or selections.weights is not None,
        ("rankings of the features; build the Selections with from_rankings, or with from_weights to rank by weight",),
    ),
}


def has_needs(measure: Measure, selections: Selections, options: Options) -> bool:
    """Whether everything that the measure needs is there."""
    return all(NEEDS[need].met(selections, options) for need in measure.needs)


def require_needs(measure: Measure, selections: Selections, options: Options) -> None:
    """Raise a sentence that says what is missing and how to give it."""
    for need in measure.needs:
        if not NEEDS[need].met(selections, options):
            raise InputError(f"{measure.name} needs ", *NEEDS[need].how, ".")


def full_sets(selections: Selections) -> str | None:
    """That ranks or importances select every feature, in words: such sets are equal by construction. None if not."""
    valued = selections.rankings is not None or selections.weights is not None
    if not valued or selections.sizes.min() < selections.n_features:
        return None
    return f"every run selects all {selections.n_features:,} features"


def telling_measures(selections: Selections, options: Options) -> str | list[Measure]:
    """All measures that say something; where every feature is selected, those that read ranks or importances."""
    if full_sets(selections) is None:
        return "all"
    return [each for each in all_measures() if each.family in OF_VALUES and has_needs(each, selections, options)]
