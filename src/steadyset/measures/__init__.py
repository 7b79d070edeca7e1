"""The measures of stability: one file a family, one record a measure."""

from typing import TYPE_CHECKING, Any

from steadyset.measures import adjusted, effective, frequency, importances, pairwise, rankings
from steadyset.measures.evaluate import stability, stability_table
from steadyset.measures.importances import shared_importance
from steadyset.measures.record import (
    Measure,
    all_measures,
    get_measure,
    list_measures,
    register_measure,
    unregister_measure,
)

if TYPE_CHECKING:
    from steadyset.measures.null import NullExpectation, null_expectation

__all__ = [
    "Measure",
    "NullExpectation",
    "adjusted",
    "all_measures",
    "effective",
    "frequency",
    "get_measure",
    "importances",
    "list_measures",
    "null_expectation",
    "pairwise",
    "rankings",
    "register_measure",
    "shared_importance",
    "stability",
    "stability_table",
    "unregister_measure",
]


def __getattr__(name: str) -> Any:
    """What is simulated needs numba from the start, so it is imported when it is first asked for."""
    if name in ("NullExpectation", "null_expectation"):
        from steadyset.measures import null

        return getattr(null, name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
