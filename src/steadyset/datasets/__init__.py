"""Generators of the papers' data: what is relevant is known, so that false selections can be counted."""

from steadyset.datasets.bommert import fifteen_features, similar_features
from steadyset.datasets.hamer_dupont import grouped_features
from steadyset.datasets.nogueira import redundant_features
from steadyset.datasets.simulated import FalseSelections, Simulated

__all__ = [
    "FalseSelections",
    "Simulated",
    "fifteen_features",
    "grouped_features",
    "redundant_features",
    "similar_features",
]
