"""Pictures: each is a frame of data first, and a drawing of it second. One file a picture."""

from steadyset.plots.frequencies import selection_frequencies
from steadyset.plots.picture import Picture
from steadyset.plots.runs import runs_by_features

__all__ = ["Picture", "runs_by_features", "selection_frequencies"]
