"""What the script of the page works on: the tables with their values, and how often each feature is selected."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

import numpy as np

from steadyset.findings import Findings
from steadyset.findings.of_selections import MOST_ROWS
from steadyset.findings.parts import plain
from steadyset.findings.tables import ReportTable
from steadyset.foundation.errors import InputError
from steadyset.foundation.text import SHOWN_NAMES, shown_name
from steadyset.inference.feature_details import wilson
from steadyset.io.labels import UnionOfNames
from steadyset.kernels.arrays import Ints
from steadyset.selections import Selections
from steadyset.selectors.ensembles.bounds import error_control

MOST_LISTED = 2_000  # features of each procedure that can be searched; how many more there are is told
MOST_BITS = 200_000  # of each procedure: runs times features whose runs are known
STEPS = 200  # positions of the slider: halves of a percent
HALVES = ("Subsample(fraction=0.5, stratified=False)", "ComplementaryPairs(stratified=False)")
IF_HALVES = "the bound of stability selection needs runs on random halves of the rows"


def page_data(found: Findings, tables: Mapping[str, ReportTable]) -> dict[str, Any]:
    """Lists, mappings, text and numbers. Names are as they are shown."""
    names: dict[str, int] = {}
    places = {name: place for place, name in enumerate(found.selections)}
    procedures = [_procedure(found, name, sel, names) for name, sel in found.selections.items()]
    return {
        "core": found.core,
        "named": SHOWN_NAMES,
        "features": [shown_name(name) for name in names],
        "procedures": procedures,
        "tables": {name: _table(table, places) for name, table in tables.items()},
    }


def script_safe(data: Any) -> str:
    """JSON that can stand in a script element: no name in it ends the element or starts another one."""
    text = json.dumps(plain(data), allow_nan=False, separators=(",", ":"))
    return text.replace("&", "\\u0026").replace("<", "\\u003c").replace(">", "\\u003e")


def _procedure(found: Findings, name: str, sel: Selections, names: dict[str, int]) -> dict[str, Any]:
    order = np.argsort(-sel.counts, kind="stable")[: int((sel.counts > 0).sum())]
    listed = order[:MOST_LISTED]
    counts, n_features = np.unique(sel.counts[order], return_counts=True)
    low, high = wilson(counts, sel.n_runs, found.level) if sel.n_runs else (counts, counts)
    bounds, why_none = _bounds(found, sel)
    return {
        "name": shown_name(name),
        "runs": sel.n_runs,
        "features": sel.n_features,
        "listed": [names.setdefault(sel.features[f], len(names)) for f in listed],
        "counts": sel.counts[listed].tolist(),
        "taken": _taken(sel, listed),
        # What depends on the count alone: how many features have it, and the interval of their frequency.
        "levels": [
            [int(count), int(n), round(float(a), 4), round(float(b), 4)]
            for count, n, a, b in zip(counts[::-1], n_features[::-1], low[::-1], high[::-1], strict=True)
        ],
        "left_out": len(order) - len(listed),
        "note": next((core.note for core in found.cores if core.name == name), ""),
        "bounds": bounds,
        "why_none": why_none,
    }


def _taken(sel: Selections, listed: Ints) -> list[str]:
    """Which runs select the most frequent features: a bit for each run, four of them in a letter."""
    first = listed[: min(MOST_ROWS, MOST_BITS // max(1, sel.n_runs))]
    chosen = np.asarray(sel.to_matrix()[:, first].toarray(), dtype=bool)
    return [column.tobytes().hex() for column in np.packbits(chosen, axis=0).T]


def _bounds(found: Findings, sel: Selections) -> tuple[list[float | None], str]:
    """The bound on false selections at each position of the slider, or why there is none."""
    details = found.settings.get("details", {})
    if found.kind == "tuning":
        return [], "the configuration was chosen by these runs"
    if found.kind != "assessment":
        return [], "how the runs were drawn is not known"
    if found.settings.get("resampling") not in HALVES:
        return [], IF_HALVES
    if details.get("n_groups"):
        return [], f"{IF_HALVES}, and these draw whole groups"
    if isinstance(sel.features, UnionOfNames) or not sel.sizes.any():
        return [], "the features that could have been selected are not known"
    q = int(sel.sizes.max())
    shares = np.ceil(np.arange(STEPS + 1) / STEPS * sel.n_runs - 1e-9) / sel.n_runs
    return [_bound(sel.n_features, q, float(share)) for share in shares], ""


def _bound(n_features: int, q: int, threshold: float) -> float | None:
    if threshold <= 0.5:
        return None
    try:
        return float(f"{error_control(n_features, q=q, threshold=threshold).pfer:.3g}")
    except InputError:
        return None


def _table(table: ReportTable, places: Mapping[str, int]) -> dict[str, Any]:
    return {
        "keys": [list(column.keys) for column in table.columns],
        "text": [column.is_text for column in table.columns],
        "core": table.core_column,
        "left_out": table.left_out,
        "runs": table.runs,
        "selected": list(table.selected),
        "values": [[_short(cell.values) for cell in row.cells] for row in table.rows],
        "cells": table.texts(),
        "procedures": [None if row.procedure is None else places.get(row.procedure) for row in table.rows],
    }


def _short(values: tuple[Any, ...]) -> list[Any]:
    """Names as they are shown, numbers with six digits."""
    return [
        shown_name(value) if isinstance(value, str) else float(f"{value:.6g}") if isinstance(value, float) else value
        for value in values
    ]
