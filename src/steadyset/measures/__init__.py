"""The measures of stability: one object per family, one record per measure."""

from steadyset.measures import frequency, pairwise, weights
from steadyset.measures.adjusted import Adjusted, Effective
from steadyset.measures.advice import Advice, which_measure
from steadyset.measures.chance import null_expectation
from steadyset.measures.evaluate import Family, NullExpectation, stability
from steadyset.measures.frequency import Frequency, Patterns
from steadyset.measures.pairwise import Pairwise
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
from steadyset.measures.weights import Rankings, Weights, shared_importance

__all__ = [
    "Advice",
    "Family",
    "Measure",
    "NullExpectation",
    "all_measures",
    "frequency",
    "get_family",
    "get_measure",
    "list_measures",
    "null_expectation",
    "pairwise",
    "register_family",
    "register_measure",
    "shared_importance",
    "stability",
    "unregister_family",
    "unregister_measure",
    "weights",
    "which_measure",
]

# The order here is the order of the catalogue.
for _family in (Frequency(), Patterns(), Pairwise(), Adjusted(), Effective(), Weights(), Rankings()):
    register_family(_family)
