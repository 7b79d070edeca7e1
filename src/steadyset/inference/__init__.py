"""How sure a stability is: intervals, tests, comparisons, planning, and where instability comes from.

Names are imported when they are first used, so that a table without intervals waits for nothing heavy.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from steadyset.inference.agreement import Consensus, consensus
    from steadyset.inference.comparison import Comparison, compare
    from steadyset.inference.core import steady_core
    from steadyset.inference.feature_table import features_table
    from steadyset.inference.hypotheses import TestResult, test_difference, test_threshold
    from steadyset.inference.instability import instability_by_feature, swap_table
    from steadyset.inference.interval import Interval, confidence_interval
    from steadyset.inference.planning import convergence_table, runs_needed
    from steadyset.inference.scores import compare_scores, test_mean_difference
    from steadyset.inference.table import stability_table

__all__ = [
    "Comparison",
    "Consensus",
    "Interval",
    "TestResult",
    "compare",
    "compare_scores",
    "confidence_interval",
    "consensus",
    "convergence_table",
    "features_table",
    "instability_by_feature",
    "runs_needed",
    "stability_table",
    "steady_core",
    "swap_table",
    "test_difference",
    "test_mean_difference",
    "test_threshold",
]
_HOMES = {
    "agreement": ("Consensus", "consensus"),
    "comparison": ("Comparison", "compare"),
    "core": ("steady_core",),
    "feature_table": ("features_table",),
    "instability": ("instability_by_feature", "swap_table"),
    "hypotheses": ("TestResult", "test_difference", "test_threshold"),
    "interval": ("Interval", "confidence_interval"),
    "planning": ("convergence_table", "runs_needed"),
    "scores": ("compare_scores", "test_mean_difference"),
    "table": ("stability_table",),
}
_HOME_OF = {name: home for home, names in _HOMES.items() for name in names}


def __getattr__(name: str) -> Any:
    if name not in _HOME_OF:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    value = getattr(importlib.import_module(f"{__name__}.{_HOME_OF[name]}"), name)
    globals()[name] = value
    return value
