"""Levels of features (bins), tables of them, and what these say of each other.

Bins of many features under one resample: equal width, minimal description length, one bin a value.

Contingency tables of coded columns, and sums of c log c over their cells in 64-bit fixed point.

A sum of entropies terms kept as an integer does not depend on the order of the cells: features whose tables differ only
in the labels of their bins get exactly equal scores, so that a tie is a tie.
"""

import numpy as np

from steadyset.kernels.arrays import Bools, Bytes, Codes, Floats, Ints, Numbers
from steadyset.kernels.jit import kernel, part


@kernel
def equal_width(columns: Floats, rows: Ints, n_bins: int) -> Codes:
    """Code floor(q (x - min) / (max - min)) of the given rows, the maximum in bin q - 1; all 0 for a constant."""
    n_features = columns.shape[0]
    n_rows = rows.size
    codes = np.zeros((n_features, n_rows), np.int32)
    for j in range(n_features):
        low = columns[j, rows[0]]
        high = low
        for i in range(1, n_rows):
            value = columns[j, rows[i]]
            low = min(low, value)
            high = max(high, value)
        width = high - low
        if width > 0.0:
            for i in range(n_rows):
                bin_ = np.int32(n_bins * (columns[j, rows[i]] - low) / width)
                codes[j, i] = max(min(bin_, np.int32(n_bins - 1)), np.int32(0))
    return codes


@kernel
def distinct_values(columns: Floats, order: Ints, position: Ints, n_present: int) -> Codes:
    """Code of a row = number of smaller distinct values; ``position``: a row's place among those present, or -1."""
    n_features, n_rows = columns.shape
    codes = np.zeros((n_features, n_present), np.int32)
    for j in range(n_features):
        code = -1
        last = 0.0
        for i in range(n_rows):
            row = order[j, i]
            if position[row] < 0:
                continue
            value = columns[j, row]
            if code < 0 or value != last:
                code += 1
                last = value
            codes[j, position[row]] = code
    return codes


@kernel
def minimal_description_length(
    columns: Floats,
    order: Ints,
    position: Ints,
    n_present: int,
    classes: Ints,
    n_classes: int,
    weights: Floats,
    table: Ints,
    scale: float,
) -> Codes:
    """Codes of the present rows after recursive splits that pass the test of Fayyad and Irani (1993)."""
    n_features, n_rows = columns.shape
    codes = np.zeros((n_features, n_present), np.int32)
    rows = np.empty(n_present, np.int64)
    cuts = np.empty(n_present + 1, np.bool_)
    stack = np.empty((n_present + 1, 2), np.int64)
    for j in range(n_features):
        count = 0
        for i in range(n_rows):
            if position[order[j, i]] >= 0:
                rows[count] = order[j, i]
                count += 1
        cuts[:] = False
        stack[0, 0] = 0
        stack[0, 1] = n_present
        depth = 1
        while depth > 0:
            depth -= 1
            start = stack[depth, 0]
            end = stack[depth, 1]
            cut = accepted_cut(columns[j], rows[start:end], classes, n_classes, weights, table, scale)
            if cut > 0:
                cuts[start + cut] = True
                stack[depth, 0] = start
                stack[depth, 1] = start + cut
                stack[depth + 1, 0] = start + cut
                stack[depth + 1, 1] = end
                depth += 2
        code = 0
        for i in range(n_present):
            if cuts[i]:
                code += 1
            codes[j, position[rows[i]]] = code
    return codes


@part
def accepted_cut(
    column: Floats, rows: Ints, classes: Ints, n_classes: int, weights: Floats, table: Ints, scale: float
) -> int:
    """Number of sorted rows left of the cut with the largest entropy gain, or 0 where that gain does not pay for it."""
    everything = class_weights(rows, classes, n_classes, weights)
    total, whole, present = entropy_terms(everything, table, scale)
    if present < 2 or total <= 1.0:
        return 0
    best = best_cut(column, rows, classes, everything, total, weights, table, scale)
    if best == 0:
        return 0
    left = entropy_terms(class_weights(rows[:best], classes, n_classes, weights), table, scale)
    right = entropy_terms(class_weights(rows[best:], classes, n_classes, weights), table, scale)
    bits = 1.0 / (scale * np.log(2.0))
    gain = (whole - left[1] - right[1]) * bits / total
    presence = present * whole / total - left[2] * left[1] / left[0] - right[2] * right[1] / right[0]
    # log2(3^k - 2) with k classes, written so that 3^k cannot overflow.
    description = present * np.log2(3.0) + np.log2(1.0 - 2.0 * 3.0**-present) - presence * bits
    if gain > (np.log2(total - 1.0) + description) / total:
        return best
    return 0


@part
def best_cut(
    column: Floats, rows: Ints, classes: Ints, counts: Floats, total: float, weights: Floats, table: Ints, scale: float
) -> int:
    """Number of sorted rows left of the cut with the smallest entropy of both sides; the first of equals, 0 if none."""
    left = np.zeros(counts.size)
    right = counts.copy()
    left_total = 0.0
    cells = 0
    for c in range(counts.size):
        cells += clogc(counts[c], table, scale)
    best = 0
    best_parts = 0
    for i in range(rows.size - 1):
        c = classes[rows[i]]
        weight = weights[rows[i]]
        # Whole numbers, so that taking off and adding again for each row leaves no rounding behind.
        cells -= clogc(left[c], table, scale) + clogc(right[c], table, scale)
        left[c] += weight
        right[c] = max(right[c] - weight, 0.0)
        left_total += weight
        cells += clogc(left[c], table, scale) + clogc(right[c], table, scale)
        if column[rows[i]] == column[rows[i + 1]]:
            continue
        parts = clogc(left_total, table, scale) + clogc(total - left_total, table, scale) - cells
        if best == 0 or parts < best_parts:
            best = i + 1
            best_parts = parts
    return best


@part
def class_weights(rows: Ints, classes: Ints, n_classes: int, weights: Floats) -> Floats:
    """Total weight of each class among the rows."""
    counts = np.zeros(n_classes)
    for row in rows:
        counts[classes[row]] += weights[row]
    return counts


@part
def entropy_terms(counts: Floats, table: Ints, scale: float) -> tuple[float, int, int]:
    """Total N of the counts, N times their entropy in fixed point, and how many are positive."""
    total = 0.0
    cells = 0
    present = 0
    for c in range(counts.size):
        if counts[c] > 0.0:
            total += counts[c]
            cells += clogc(counts[c], table, scale)
            present += 1
    return total, clogc(total, table, scale) - cells, present


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
        # Clearing and summing all cells is quicker than visiting rows twice up to some four cells per row.
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
