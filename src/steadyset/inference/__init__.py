"""How sure a stability is: intervals, tests, comparisons, planning, and where instability comes from."""

from steadyset.inference.compare import Comparison, compare
from steadyset.inference.core import steady_core
from steadyset.inference.features import instability_by_feature, swap_map
from steadyset.inference.hypotheses import TestResult, test_difference, test_threshold
from steadyset.inference.interval import Interval, confidence_interval
from steadyset.inference.planning import convergence, runs_needed
from steadyset.inference.scores import compare_scores, test_mean_difference
from steadyset.inference.table import stability_table

__all__ = [
    "Comparison",
    "Interval",
    "TestResult",
    "compare",
    "compare_scores",
    "confidence_interval",
    "convergence",
    "instability_by_feature",
    "runs_needed",
    "stability_table",
    "steady_core",
    "swap_map",
    "test_difference",
    "test_mean_difference",
    "test_threshold",
]
