"""The measures of stability: one file a family, one record a measure."""

from steadyset.measures import adjusted, effective, frequency, pairwise
from steadyset.measures.evaluate import stability, stability_table
from steadyset.measures.null import NullExpectation, null_expectation
from steadyset.measures.record import (
    Measure,
    all_measures,
    get_measure,
    list_measures,
    register_measure,
    unregister_measure,
)

__all__ = [
    "Measure",
    "NullExpectation",
    "adjusted",
    "all_measures",
    "effective",
    "frequency",
    "get_measure",
    "list_measures",
    "null_expectation",
    "pairwise",
    "register_measure",
    "stability",
    "stability_table",
    "unregister_measure",
]
