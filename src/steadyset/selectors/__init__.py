"""Selectors: scikit-learn estimators that choose features and take weights instead of copied rows."""

from steadyset.selectors.catalogue import list_selectors
from steadyset.selectors.ensembles.aggregation import Aggregate, aggregate
from steadyset.selectors.ensembles.rules import BoundRule, ErrorControl, error_control, register_rule
from steadyset.selectors.ensembles.stability_selection import StabilitySelection
from steadyset.selectors.ensembles.stable import StableSet
from steadyset.selectors.filters import Filter, FilterSelector, register_filter
from steadyset.selectors.known import MODELS, register_selector
from steadyset.selectors.linear import ElasticNetSelector
from steadyset.selectors.models.boosting import BoostingSelector
from steadyset.selectors.models.forest import ForestSelector
from steadyset.selectors.models.group import GroupLassoSelector
from steadyset.selectors.models.l0 import L0Selector
from steadyset.selectors.models.rfe import RecursiveElimination
from steadyset.selectors.penalty_paths import ElasticNetPath, ElasticNetPaths, elastic_net_path, elastic_net_paths

__all__ = [
    "Aggregate",
    "BoostingSelector",
    "BoundRule",
    "ElasticNetPath",
    "ElasticNetPaths",
    "ElasticNetSelector",
    "ErrorControl",
    "Filter",
    "FilterSelector",
    "ForestSelector",
    "GroupLassoSelector",
    "L0Selector",
    "RecursiveElimination",
    "StabilitySelection",
    "StableSet",
    "aggregate",
    "elastic_net_path",
    "elastic_net_paths",
    "error_control",
    "list_selectors",
    "register_filter",
    "register_rule",
    "register_selector",
]

MODELS.import_own(__name__, __path__)
