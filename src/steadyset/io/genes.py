"""What tables of genes bring with them, which is told: names that repeat, and raw counts."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from steadyset.io.labels import some_names

UNNAMED = "unnamed"
COUNTS_FROM = 20  # whole numbers from 0 to less than that may be scores, genotypes or grades
CELLS_AT_ONCE = 1 << 22


def distinct_names(names: Sequence[str]) -> tuple[list[str], list[str]]:
    """Names of which none repeats, and notes: the second "TP53" is called "TP53.1", as R's make.unique does it.

    Rows with one name are different measurements of a gene, and each of them is a feature.
    """
    seen: dict[str, int] = {}
    repeated: dict[str, None] = {}
    taken = set(names)
    made = []
    for name in names:
        if name not in seen:
            seen[name] = 0
        else:
            repeated[name] = None
            plain = name
            while name in taken:
                seen[plain] += 1
                name = f"{plain}.{seen[plain]}"
            taken.add(name)
        made.append(name)
    notes = []
    if repeated:
        first = next(iter(repeated))
        also = f"{first}.1"
        what = "1 name occurs" if len(repeated) == 1 else f"{len(repeated):,} names occur"
        example = f", the second {first!r} as {also!r}" if also in taken and also not in names else ""
        notes.append(f"{what} more than once ({some_names(list(repeated))}); all are kept, numbered{example}")
    return made, notes


def counts_note(X: NDArray[Any]) -> list[str]:
    """A note where the values look like raw counts; they are used as they are."""
    if not X.size:
        return []
    step = max(1, CELLS_AT_ONCE // max(1, X.shape[1]))
    most = 0.0
    for start in range(0, len(X), step):
        block = X[start : start + step]
        known = block[~np.isnan(block)]
        if not (np.isfinite(known).all() and (known >= 0).all() and (known == np.rint(known)).all()):
            return []
        most = max(most, float(known.max(initial=0)))
    if most < COUNTS_FROM:
        return []
    return [
        f"all values are whole numbers from 0 to {most:,.0f}, which look like raw counts; they are used as they are, "
        "and most selectors expect normalised logarithms, such as log(1 + counts per 10,000)"
    ]
