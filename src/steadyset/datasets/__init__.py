"""Generators of the papers' data: what is relevant is known, so that false selections can be counted."""

from steadyset.datasets.simulated import (
    FalseSelections,
    Simulated,
    fifteen_features,
    grouped_features,
    redundant_features,
    similar_features,
)

__all__ = [
    "FalseSelections",
    "Simulated",
    "fifteen_features",
    "grouped_features",
    "redundant_features",
    "similar_features",
]
