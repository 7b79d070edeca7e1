"""Frequency measures: functions of how many runs selected each feature."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from steadyset.measures.chance import corrected, expected_of_frequencies, simulated_expectation
from steadyset.measures.options import Estimate, Options, can_correct, settle
from steadyset.measures.record import Measure
from steadyset.selections import Selections


def evaluate(selections: Selections, measures: Sequence[Measure], options: Options) -> list[Estimate]:
    M, d, sizes = selections.n_runs, selections.n_features, selections.sizes
    levels = np.bincount(selections.counts, minlength=M + 1)
    results = []
    for measure in measures:
        value = float(measure.score(levels, sizes, d, **measure.params))
        error, note = 0.0, ""
        if options.corrects and can_correct(measure) and not np.isnan(value):
            largest = measure.largest(M, d)
            exact = expected_of_frequencies(measure, sizes, d)
            if exact is not None:
                expected = exact
            elif options.expectation == "monte_carlo":
                expected, se = simulated_expectation(measure, sizes, d, options.n_draws, options.seed())
                error = abs(value - largest) / (largest - expected) ** 2 * se if largest > expected else 0.0
            else:
                expected, largest = 0.0, 1.0
                note = 'not corrected: more than two runs need expectation="monte_carlo"'
            value = float(corrected(value, expected, largest))
        results.append(settle(measure, value, error, note, options, sizes))
    return results
