"""Bins of many features under one resample: equal width, minimal description length, one bin a value."""

import numpy as np

from steadyset.kernels.arrays import Codes, Floats, Ints
from steadyset.kernels.information.contingency import clogc
from steadyset.kernels.jit import kernel


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


@kernel
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
    description = present * np.log2(3.0) + np.log2(1.0 - 2.0 * 3.0**-present) - presence * bits
    if gain > (np.log2(total - 1.0) + description) / total:
        return best
    return 0


@kernel
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


@kernel
def class_weights(rows: Ints, classes: Ints, n_classes: int, weights: Floats) -> Floats:
    """Total weight of each class among the rows."""
    counts = np.zeros(n_classes)
    for row in rows:
        counts[classes[row]] += weights[row]
    return counts


@kernel
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
