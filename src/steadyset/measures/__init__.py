"""The measures of stability: one object per family, one record per measure."""

from typing import TYPE_CHECKING, Any

from steadyset.measures import adjusted, effective, families, frequency, pairwise, rankings, weights
from steadyset.measures.advice import Advice, which_measure
from steadyset.measures.evaluate import stability
from steadyset.measures.family import Family
from steadyset.measures.options import NullExpectation
from steadyset.measures.record import (
    Measure,
    all_measures,
    get_family,
    get_measure,
    list_measures,
    register_family,
    register_measure,
    unregister_family,
    unregister_measure,
)
from steadyset.measures.weights import shared_importance

if TYPE_CHECKING:
    from steadyset.measures.null import null_expectation

__all__ = [
    "Advice",
    "Family",
    "Measure",
    "NullExpectation",
    "adjusted",
    "all_measures",
    "effective",
    "families",
    "frequency",
    "get_family",
    "get_measure",
    "list_measures",
    "null_expectation",
    "pairwise",
    "rankings",
    "register_family",
    "register_measure",
    "shared_importance",
    "stability",
    "unregister_family",
    "unregister_measure",
    "weights",
    "which_measure",
]


def __getattr__(name: str) -> Any:
    """What is simulated needs numba from the start, so it is imported when it is first asked for."""
    if name == "null_expectation":
        from steadyset.measures.null import null_expectation

        return null_expectation
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
