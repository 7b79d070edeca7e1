"""Filters: scores of single features, and greedy selection by mutual information."""

from steadyset.foundation.plugins import import_modules
from steadyset.selectors.filters.registry import (
    Filter,
    Steps,
    added_filters,
    filter_names,
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
    "added_filters",
    "filter_names",
    "get_filter",
    "list_filters",
    "register_filter",
    "scores",
    "top_features",
]

import_modules(__name__, __path__)
