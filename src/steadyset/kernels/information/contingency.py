"""Contingency tables of coded columns, and sums of c log c over their cells in 64-bit fixed point.

A sum of entropies terms kept as an integer does not depend on the order of the cells: features whose tables differ only
in the labels of their bins get exactly equal scores, so that a tie is a tie.
"""

import numpy as np

from steadyset.kernels.arrays import Bools, Bytes, Codes, Floats, Ints, Numbers
from steadyset.kernels.jit import kernel


@kernel
def clogc(count: float, table: Ints, scale: float) -> int:
    """c log c times ``scale``, rounded: read from ``table`` when there is one (whole counts), else computed."""
    if table.size > 0:
        return table[int(count)]  # type: ignore[no-any-return]
    if count <= 0.0:
        return 0
    return int(np.rint(count * np.log(count) * scale))


@kernel
def contingency_tables(codes: Codes, classes: Ints, weights: Floats, n_levels: int, n_classes: int) -> Floats:
    """Weight of every (bin, class) of each feature: (d, n_levels, n_classes); ``codes`` holds one feature per row."""
    n_features, n_rows = codes.shape
    tables = np.zeros((n_features, n_levels, n_classes))
    for j in range(n_features):
        for i in range(n_rows):
            tables[j, codes[j, i], classes[i]] += weights[i]
    return tables


@kernel
def table_sums(tables: Floats, table: Ints, scale: float) -> tuple[Ints, Ints]:
    """Sums of c log c over the bins' margins and over the cells of each table."""
    n_features, n_levels, n_classes = tables.shape
    margins = np.zeros(n_features, np.int64)
    cells = np.zeros(n_features, np.int64)
    for j in range(n_features):
        for level in range(n_levels):
            margin = 0.0
            for c in range(n_classes):
                count = tables[j, level, c]
                margin += count
                cells[j] += clogc(count, table, scale)
            margins[j] += clogc(margin, table, scale)
    return margins, cells


@kernel
def pair_sums(
    codes: Codes, levels: Ints, chosen: int, classes: Ints, n_classes: int, weights: Floats, table: Ints, scale: float
) -> tuple[Ints, Ints]:
    """Sums of c log c over the tables (x, w) and (x, w, y) of every feature x with the feature w = ``chosen``.

    One histogram per feature gives both. Where it has many more cells than there are rows only the cells that rows fall
    into are visited; the sums are whole numbers, hence the same either way.
    """
    n_features, n_rows = codes.shape
    width = levels[chosen] * n_classes
    offsets = codes[chosen].astype(np.int64) * n_classes + classes
    joint = np.zeros(levels.max() * width)
    pairs = np.zeros(levels.max() * levels[chosen])
    pair_sum = np.zeros(n_features, np.int64)
    joint_sum = np.zeros(n_features, np.int64)
    for j in range(n_features):
        n_pairs = levels[j] * levels[chosen]
        over_pairs = np.int64(0)
        over_cells = np.int64(0)
        if n_pairs * n_classes <= 4 * n_rows:
            joint[: n_pairs * n_classes] = 0.0
            for i in range(n_rows):
                joint[codes[j, i] * width + offsets[i]] += weights[i]
            for pair in range(n_pairs):
                margin = 0.0
                for c in range(n_classes):
                    count = joint[pair * n_classes + c]
                    margin += count
                    over_cells += clogc(count, table, scale)
                over_pairs += clogc(margin, table, scale)
        else:
            for i in range(n_rows):
                cell = codes[j, i] * width + offsets[i]
                joint[cell] = 0.0
                pairs[cell // n_classes] = 0.0
            for i in range(n_rows):
                cell = codes[j, i] * width + offsets[i]
                pair = cell // n_classes
                over_cells -= clogc(joint[cell], table, scale)
                over_pairs -= clogc(pairs[pair], table, scale)
                joint[cell] += weights[i]
                pairs[pair] += weights[i]
                over_cells += clogc(joint[cell], table, scale)
                over_pairs += clogc(pairs[pair], table, scale)
        pair_sum[j] = over_pairs
        joint_sum[j] = over_cells
    return pair_sum, joint_sum


@kernel
def whole_sums(
    codes: Bytes, levels: Numbers, wanted: Bools, column: Numbers, width: int, weights: Numbers, terms: Ints
) -> Ints:
    """Sum over the cells of the table of every wanted feature with a coded column of a term; 0 for the others.

    ``column`` has ``width`` levels. ``weights`` are whole, and ``terms`` has one term for each sum of them: c log c of
    a count, or a term of several counts that are written as the digits of one number. Everything that is a place is
    unsigned, also here: numba would look whether it is negative.
    """
    n_features, n_rows = codes.shape
    sums = np.zeros(n_features, np.int64)
    across = np.uint32(width)
    counts = np.empty(levels.max() * across, np.uint32)
    for j in range(n_features):
        if wanted[j]:
            n_cells = levels[j] * across
            for cell in range(n_cells):
                counts[cell] = 0
            for i in range(n_rows):
                counts[np.uint32(codes[j, i]) * across + column[i]] += weights[i]
            total = np.int64(0)
            for cell in range(n_cells):
                total += terms[counts[cell]]
            sums[j] = total
    return sums
