"""Filters: scores of single features, and greedy selection by mutual information."""

from steadyset.selectors.filters.registry import (
    FILTERS,
    Filter,
    Steps,
    Variant,
    get_filter,
    list_filters,
    register_filter,
)
from steadyset.selectors.filters.resampled import scores, top_features
from steadyset.selectors.filters.selector import FilterSelector

__all__ = [
    "Filter",
    "FilterSelector",
    "Steps",
    "Variant",
    "get_filter",
    "list_filters",
    "register_filter",
    "scores",
    "top_features",
]

FILTERS.import_own(__name__, __path__)
