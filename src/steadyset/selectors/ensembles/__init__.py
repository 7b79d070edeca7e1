"""Ensembles of selections: stability selection with its error bounds, and the aggregation of many runs into one set."""

from steadyset.selectors.ensembles.aggregation import Aggregate, aggregate
from steadyset.selectors.ensembles.bounds import ErrorControl, error_control
from steadyset.selectors.ensembles.stability_selection import StabilitySelection
from steadyset.selectors.ensembles.stable import StableSet

__all__ = ["Aggregate", "ErrorControl", "StabilitySelection", "StableSet", "aggregate", "error_control"]
