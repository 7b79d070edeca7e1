"""The measures of stability: one file a family, one record a measure."""

from steadyset.measures import adjusted, effective, frequency, pairwise
from steadyset.measures.evaluate import stability, stability_table
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
    "adjusted",
    "all_measures",
    "effective",
    "frequency",
    "get_measure",
    "list_measures",
    "pairwise",
    "register_measure",
    "stability",
    "stability_table",
    "unregister_measure",
]
