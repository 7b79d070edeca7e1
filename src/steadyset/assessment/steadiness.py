"""How steady one selector is, in a number, its interval and a word, and why there is none where there is none."""

from __future__ import annotations

from dataclasses import dataclass
from math import isnan, nan
from typing import TYPE_CHECKING

from steadyset.foundation.conventions import LEVEL
from steadyset.inference.interval import confidence_interval
from steadyset.measures.options import UNDEFINED, judged
from steadyset.measures.record import get_measure
from steadyset.selections import Selections

if TYPE_CHECKING:
    from steadyset.similarity import FeatureSimilarity

DEFAULT_MEASURE = "nogueira"


@dataclass(frozen=True)
class Steadiness:
    """A stability with its interval; `note` says why it is undefined, or what to know about it."""

    stability: float
    low: float
    high: float
    verdict: str
    note: str = ""


def steadiness(
    selections: Selections | None,
    *,
    measure: str = DEFAULT_MEASURE,
    level: float = LEVEL,
    similarity: FeatureSimilarity | None = None,
) -> Steadiness:
    """Of what one selector selected; the default measure has words, the others none."""
    n_runs = 0 if selections is None else selections.n_runs
    if selections is None or n_runs < 2:
        return Steadiness(nan, nan, nan, UNDEFINED, f"has {n_runs or 'no'} run{'' if n_runs == 1 else 's'} to compare")
    found = confidence_interval(selections, measure, level=level, similarity=similarity)
    if isnan(found.estimate):
        return Steadiness(nan, nan, nan, UNDEFINED, nothing_to_compare(selections) or found.note)
    words = judged(found.estimate, found.low, found.high, selections.tied_share)
    if get_measure(measure).name != DEFAULT_MEASURE:
        words = ""
    return Steadiness(found.estimate, found.low, found.high, words, found.note)


def nothing_to_compare(selections: Selections) -> str:
    """Why runs have no stability: they leave nothing out, or take nothing; nothing where they chose."""
    d, sizes = selections.n_features, selections.sizes
    if sizes.min() == d:
        return f"selects {everything(d)} in every run: nothing to compare"
    if sizes.max() == 0:
        return "selects no feature in any run: nothing to compare"
    return ""


def everything(n_features: int) -> str:
    """All features in words."""
    return "the only feature" if n_features == 1 else f"all {n_features} features"
