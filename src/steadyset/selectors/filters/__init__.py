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
from steadyset.selectors.filters.selector import FilterSelector, ranked

__all__ = [
    "Filter",
    "FilterSelector",
    "Steps",
    "Variant",
    "get_filter",
    "list_filters",
    "ranked",
    "register_filter",
]

FILTERS.import_own(__name__, __path__)
