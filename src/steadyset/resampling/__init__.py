"""How the training sets of the runs are drawn."""

from steadyset.resampling.base import (
    RESAMPLINGS,
    Noise,
    Resample,
    Resampling,
    Rows,
    Splits,
    Splitter,
    as_resampling,
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
