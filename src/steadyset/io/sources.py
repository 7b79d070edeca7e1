"""What a file of data holds, whatever its format: rows x features, names, and columns that are no features."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from steadyset.kernels.arrays import Bools, Floats

if TYPE_CHECKING:
    import pyarrow as pa

GENES_IN_ROWS = "genes in rows"
LEAST_SHARE = 0.5  # of the samples, that have to be known


@dataclass
class Source:
    """Numbers with the names of their columns, the columns that were asked for by name, and what was understood.

    `layout` says in words how the numbers lay in the file where that is not one row per observation, and `joined`
    where the target comes from.
    """

    X: Floats
    features: list[str]
    columns: dict[str, list[Any]]
    rows: list[str] | None = None
    notes: list[str] = field(default_factory=list)
    layout: str = ""
    joined: str = ""
    texts: dict[str, pa.ChunkedArray] = field(default_factory=dict)  # columns that are neither numbers nor named
    dropped: frozenset[str] = frozenset()  # columns that the reader has left out as asked
    whole: Bools | None = None  # which of the features hold whole numbers, where a column may be an identifier
