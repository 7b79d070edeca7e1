"""How the training sets of the runs are drawn."""

from steadyset.resampling.base import Noise, Resample, Resampling, Rows
from steadyset.resampling.by_name import (
    RESAMPLINGS,
    list_resamplings,
    register_resampling,
    resampling_by_name,
    resampling_entry,
    why_bound,
)
from steadyset.resampling.drawn import (
    Bootstrap,
    Chunks,
    ComplementaryPairs,
    FixedOverlap,
    KFold,
    LeaveOut,
    NoiseInjection,
    Subsample,
)
from steadyset.resampling.given import Splits, Splitter, as_resampling

__all__ = [
    "RESAMPLINGS",
    "Bootstrap",
    "Chunks",
    "ComplementaryPairs",
    "FixedOverlap",
    "KFold",
    "LeaveOut",
    "Noise",
    "NoiseInjection",
    "Resample",
    "Resampling",
    "Rows",
    "Splits",
    "Splitter",
    "Subsample",
    "as_resampling",
    "list_resamplings",
    "register_resampling",
    "resampling_by_name",
    "resampling_entry",
    "why_bound",
]

RESAMPLINGS.import_own(__name__, __path__)
