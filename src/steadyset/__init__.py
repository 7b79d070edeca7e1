"""steadyset: how steady a feature selection is.

Names are imported when they are first used, so `import steadyset` stays quick.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

from steadyset._version import __version__
from steadyset.foundation import plot_hook

if TYPE_CHECKING:
    from steadyset import datasets, importances, selectors
    from steadyset import plots as plot
    from steadyset.assessment import Assessment, assess
    from steadyset.certificates import Certificate, certificate_table, certify
    from steadyset.findings import Findings, findings_of, methods_text
    from steadyset.foundation.errors import InputError, MissingExtraError, SteadysetError, UndefinedError
    from steadyset.from_tools import from_cross_validate, from_fitted, from_importances, from_rfecv
    from steadyset.inference import (
        Comparison,
        Consensus,
        Interval,
        TestResult,
        compare,
        confidence_interval,
        consensus,
        convergence,
        features_table,
        instability_by_feature,
        runs_needed,
        stability_table,
        swap_map,
        test_difference,
        test_threshold,
    )
    from steadyset.io.data_table import Data, load_data
    from steadyset.measures import (
        Advice,
        Measure,
        NullExpectation,
        get_measure,
        list_measures,
        null_expectation,
        register_measure,
        shared_importance,
        stability,
        unregister_measure,
        which_measure,
    )
    from steadyset.reports import report
    from steadyset.resampling import (
        Bootstrap,
        Chunks,
        ComplementaryPairs,
        FixedOverlap,
        KFold,
        LeaveOut,
        NoiseInjection,
        Subsample,
        list_resamplings,
        register_resampling,
    )
    from steadyset.selections import Selections
    from steadyset.selectors import (
        BoundRule,
        Filter,
        FilterSelector,
        StabilitySelection,
        aggregate,
        error_control,
        list_selectors,
        register_filter,
        register_rule,
        register_selector,
    )
    from steadyset.similarity import FeatureSimilarity
    from steadyset.tuning import (
        Tuning,
        approaches,
        epsilon_constraint,
        front_probability,
        harmonic_mean,
        knee,
        one_standard_error,
        pa_best,
        pareto_front,
        tune,
        weighted_sum,
    )

# Where each public name lives; the names of modules stand for the modules themselves.
_HOMES = {
    "assessment": (
        "Assessment",
        "assess",
    ),
    "certificates": (
        "Certificate",
        "certificate_table",
        "certify",
    ),
    "foundation.errors": (
        "InputError",
        "MissingExtraError",
        "SteadysetError",
        "UndefinedError",
    ),
    "findings": (
        "Findings",
        "findings_of",
        "methods_text",
    ),
    "from_tools": (
        "from_cross_validate",
        "from_fitted",
        "from_importances",
        "from_rfecv",
    ),
    "inference": (
        "Comparison",
        "Consensus",
        "Interval",
        "TestResult",
        "compare",
        "confidence_interval",
        "consensus",
        "convergence",
        "features_table",
        "instability_by_feature",
        "runs_needed",
        "stability_table",
        "swap_map",
        "test_difference",
        "test_threshold",
    ),
    "io.data_table": (
        "Data",
        "load_data",
    ),
    "measures": (
        "Advice",
        "Measure",
        "NullExpectation",
        "get_measure",
        "list_measures",
        "null_expectation",
        "register_measure",
        "shared_importance",
        "stability",
        "unregister_measure",
        "which_measure",
    ),
    "reports": ("report",),
    "resampling": (
        "Bootstrap",
        "Chunks",
        "ComplementaryPairs",
        "FixedOverlap",
        "KFold",
        "LeaveOut",
        "NoiseInjection",
        "Subsample",
        "list_resamplings",
        "register_resampling",
    ),
    "selections": ("Selections",),
    "selectors": (
        "BoundRule",
        "Filter",
        "FilterSelector",
        "StabilitySelection",
        "aggregate",
        "error_control",
        "list_selectors",
        "register_filter",
        "register_rule",
        "register_selector",
    ),
    "similarity": ("FeatureSimilarity",),
    "tuning": (
        "Tuning",
        "epsilon_constraint",
        "front_probability",
        "harmonic_mean",
        "knee",
        "one_standard_error",
        "pa_best",
        "pareto_front",
        "tune",
        "weighted_sum",
    ),
}
_MODULES = {
    "approaches": "tuning.approaches",
    "datasets": "datasets",
    "importances": "importances",
    "plot": "plot",
    "selectors": "selectors",
}
_HOME_OF = {name: home for home, names in _HOMES.items() for name in names}

__all__ = [
    "Advice",
    "Assessment",
    "Bootstrap",
    "BoundRule",
    "Certificate",
    "Chunks",
    "Comparison",
    "ComplementaryPairs",
    "Consensus",
    "Data",
    "FeatureSimilarity",
    "Filter",
    "FilterSelector",
    "Findings",
    "FixedOverlap",
    "InputError",
    "Interval",
    "KFold",
    "LeaveOut",
    "Measure",
    "MissingExtraError",
    "NoiseInjection",
    "NullExpectation",
    "Selections",
    "StabilitySelection",
    "SteadysetError",
    "Subsample",
    "TestResult",
    "Tuning",
    "UndefinedError",
    "__version__",
    "aggregate",
    "approaches",
    "assess",
    "certificate_table",
    "certify",
    "compare",
    "confidence_interval",
    "consensus",
    "convergence",
    "datasets",
    "epsilon_constraint",
    "error_control",
    "features_table",
    "findings_of",
    "from_cross_validate",
    "from_fitted",
    "from_importances",
    "from_rfecv",
    "front_probability",
    "get_measure",
    "harmonic_mean",
    "importances",
    "instability_by_feature",
    "knee",
    "list_measures",
    "list_resamplings",
    "list_selectors",
    "load_data",
    "methods_text",
    "null_expectation",
    "one_standard_error",
    "pa_best",
    "pareto_front",
    "plot",
    "register_filter",
    "register_measure",
    "register_resampling",
    "register_rule",
    "register_selector",
    "report",
    "runs_needed",
    "selectors",
    "shared_importance",
    "stability",
    "stability_table",
    "swap_map",
    "test_difference",
    "test_threshold",
    "tune",
    "unregister_measure",
    "weighted_sum",
    "which_measure",
]


def __getattr__(name: str) -> Any:
    if name in _MODULES:
        value = importlib.import_module(f"steadyset.{_MODULES[name]}")
    elif name in _HOME_OF:
        value = getattr(importlib.import_module(f"steadyset.{_HOME_OF[name]}"), name)
    else:
        raise AttributeError(f"module 'steadyset' has no attribute {name!r}")
    globals()[name] = value
    return value


def _draw(result: Any, name: str | None, **options: Any) -> Any:
    """The picture of a result; pictures are imported when the first is drawn."""
    return importlib.import_module("steadyset.plots").picture_of(result, name, **options)


def _show(result: Any) -> Any:
    """What is shown of a result; findings are imported when the first is shown."""
    found = importlib.import_module("steadyset.findings").findings_of(result)
    return importlib.import_module("steadyset.findings.display").display_of(found, type(result).__name__)


plot_hook.draw_with(_draw)
plot_hook.show_with(_show)


def __dir__() -> list[str]:
    return __all__
