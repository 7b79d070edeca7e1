"""Ensembles of selections: stability selection with its error bounds, and the aggregation of many runs into one set."""

from steadyset.selectors.ensembles.aggregation import Aggregate, aggregate
from steadyset.selectors.ensembles.rules import (
    RULES,
    BoundRule,
    CalibratedRule,
    ErrorControl,
    Limits,
    Reading,
    Rule,
    Runs,
    error_control,
    register_rule,
)
from steadyset.selectors.ensembles.stability_selection import StabilitySelection
from steadyset.selectors.ensembles.stable import StableSet

__all__ = [
    "Aggregate",
    "BoundRule",
    "CalibratedRule",
    "ErrorControl",
    "Limits",
    "Reading",
    "Rule",
    "Runs",
    "StabilitySelection",
    "StableSet",
    "aggregate",
    "error_control",
    "register_rule",
]

RULES.import_own(__name__, __path__)
