"""What can be asked of adjusted measures; what needs compiled code is imported when it is asked."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from math import isnan, nan

from steadyset.kernels.arrays import Floats
from steadyset.measures.chance import size_pairs
from steadyset.measures.family import Family
from steadyset.measures.options import Estimate, NullExpectation, Options
from steadyset.measures.record import Measure
from steadyset.selections import Selections
from steadyset.similarity import FeatureSimilarity


class Adjusted(Family):
    """Means over pairs of scores of `SimilarPairs`, corrected by one expectation per pair of sizes."""

    name = "adjusted"
    correctable = True

    def evaluate(self, selections: Selections, measures: Sequence[Measure], options: Options) -> list[Estimate]:
        from steadyset.measures.adjusted.one_pass import evaluate

        return evaluate(selections, measures, options)

    def pair_scores(self, selections: Selections, measure: Measure, options: Options) -> Floats:
        from steadyset.measures.adjusted.one_pass import pair_scores

        return pair_scores(selections, measure, options)

    def expectation(
        self, selections: Selections, measure: Measure, options: Options, value: float
    ) -> NullExpectation | None:
        """0 for corrected measures, as each pair has its own expectation taken off; else the exact one if known."""
        if isnan(value):
            return NullExpectation(nan)
        if measure.corrected:
            return NullExpectation(0.0)
        mean = nan if options.similarity is None else _expected_overlap(selections, measure, options.similarity)
        return None if isnan(mean) else NullExpectation(mean)

    def why_not_corrected(self, measure: Measure) -> str:
        """Nothing is refused: also measures published with a correction can be asked for "exact" or "monte_carlo"."""
        return ""

    def intersections(self, measure: Measure, selections: Selections, similarity: FeatureSimilarity) -> Floats | None:
        """The score of a corrected measure is its adjusted intersection; others name theirs in `intersection`."""
        score = measure.intersection or (measure.score if measure.corrected else None)
        if score is None:
            return None
        options = Options(expectation="none", similarity=similarity)
        return self.pair_scores(selections, replace(measure, score=score), options)


def _expected_overlap(selections: Selections, measure: Measure, similarity: FeatureSimilarity) -> float:
    """The mean over the pairs of runs of the exact expectation of a score, nan where there is none."""
    from steadyset.measures.adjusted.expectations import RandomOverlaps

    chance = RandomOverlaps.of(similarity)
    ki, kj, n_pairs = size_pairs(selections.sizes)
    expected = chance.exact(measure, ki, kj)
    if not measure.symmetric:
        expected = (expected + chance.exact(measure, kj, ki)) / 2
    return float(expected @ n_pairs / n_pairs.sum())
