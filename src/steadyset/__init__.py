"""steadyset: how far a feature selection can be trusted.

Names are imported when they are first used, so `import steadyset` stays quick.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

from steadyset._version import __version__

if TYPE_CHECKING:
    from steadyset.errors import InputError, MissingExtraError, SteadysetError, UndefinedError
    from steadyset.inference import (
        Comparison,
        Interval,
        TestResult,
        compare,
        confidence_interval,
        convergence,
        instability_by_feature,
        runs_needed,
        stability_table,
        swap_map,
        test_difference,
        test_threshold,
    )
    from steadyset.measures import (
        Measure,
        get_measure,
        list_measures,
        register_measure,
        stability,
        unregister_measure,
    )
    from steadyset.selections import Selections
    from steadyset.similarity import FeatureSimilarity

_HOMES = {
    "Comparison": "inference",
    "FeatureSimilarity": "similarity",
    "InputError": "errors",
    "Interval": "inference",
    "Measure": "measures",
    "MissingExtraError": "errors",
    "Selections": "selections",
    "SteadysetError": "errors",
    "TestResult": "inference",
    "UndefinedError": "errors",
    "compare": "inference",
    "confidence_interval": "inference",
    "convergence": "inference",
    "get_measure": "measures",
    "instability_by_feature": "inference",
    "list_measures": "measures",
    "register_measure": "measures",
    "runs_needed": "inference",
    "stability": "measures",
    "stability_table": "inference",
    "swap_map": "inference",
    "test_difference": "inference",
    "test_threshold": "inference",
    "unregister_measure": "measures",
}

__all__ = [
    "Comparison",
    "FeatureSimilarity",
    "InputError",
    "Interval",
    "Measure",
    "MissingExtraError",
    "Selections",
    "SteadysetError",
    "TestResult",
    "UndefinedError",
    "__version__",
    "compare",
    "confidence_interval",
    "convergence",
    "get_measure",
    "instability_by_feature",
    "list_measures",
    "register_measure",
    "runs_needed",
    "stability",
    "stability_table",
    "swap_map",
    "test_difference",
    "test_threshold",
    "unregister_measure",
]


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module 'steadyset' has no attribute {name!r}")
    value = getattr(importlib.import_module(f"steadyset.{_HOMES[name]}"), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return __all__
