"""What recorded selections say, and what a comparison of them says."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from math import isnan, nan
from typing import Any

from steadyset.assessment.steadiness import DEFAULT_MEASURE, steadiness
from steadyset.conventions import CORE
from steadyset.errors import InputError
from steadyset.findings import paragraphs
from steadyset.findings.answer import ranked, steadiest
from steadyset.findings.cores import cores_of
from steadyset.findings.differing import STABILITY, differences
from steadyset.findings.feature_rows import rows_of
from steadyset.findings.parts import Findings, Procedure
from steadyset.inference import Comparison, compare
from steadyset.inference.feature_table import feature_blocks
from steadyset.inference.pooling import common_features
from steadyset.io.labels import UnionOfNames, shown_name
from steadyset.io.universe import UNKNOWN_UNIVERSE
from steadyset.measures.record import get_measure
from steadyset.measures.scale import verdict
from steadyset.selections import Selections, as_selections
from steadyset.wording import counted


def of_selections(procedures: Mapping[str, Any], *, core: float, level: float) -> Findings:
    """What the runs of one procedure, or of several by name, say."""
    if not procedures:
        raise InputError("There are no selections; at least one procedure is needed.")
    runs = {str(name): as_selections(one) for name, one in procedures.items()}
    rows = []
    for name, sel in runs.items():
        value = steadiness(sel, level=level)
        rows.append(
            Procedure(
                name,
                sel.n_runs,
                value.stability,
                value.low,
                value.high,
                "" if isinstance(sel.features, UnionOfNames) else value.verdict,
                float(sel.sizes.mean()) if sel.n_runs else nan,
                note=value.note,
            )
        )
    several = {name: sel for name, sel in runs.items() if sel.n_runs > 1}
    tested = (differences(compare(several, level=level), STABILITY, "tests"),) if len(several) > 1 else ()
    sizes = sorted({sel.n_features for sel in runs.values()})
    features = counted(sizes[0], "feature") if len(sizes) == 1 else f"{sizes[0]} to {sizes[-1]} features"
    n_runs = sum(sel.n_runs for sel in runs.values())
    who = f", {counted(len(runs), 'procedure')}" if len(runs) > 1 else ""
    found = Findings(
        "selections" if len(runs) == 1 else "comparison",
        f"{counted(n_runs, 'run')}, {features}{who}",
        DEFAULT_MEASURE,
        level,
        core,
        answer=tuple(steadiest(ranked(rows), tested, level, "procedure")),
        summary=tuple(rows),
        differences=tested,
        cores=cores_of(runs, rows, core),
        features=rows_of(feature_blocks(_of_the_same_features(runs), core=core, level=level)),
        notes=(*_chance(runs), *(_note(row) for row in rows if isnan(row.stability) and row.note)),
        selections=runs,
    )
    return replace(found, methods=paragraphs.of_selections(found))


def _chance(runs: Mapping[str, Selections]) -> list[str]:
    """What a missing universe does to the numbers."""
    return [f"{UNKNOWN_UNIVERSE}."] if any(isinstance(sel.features, UnionOfNames) for sel in runs.values()) else []


def _of_the_same_features(runs: Mapping[str, Selections]) -> Mapping[str, Selections]:
    """The runs, unless they choose from different features: then there is no table over all of them."""
    try:
        return common_features(runs)
    except InputError:
        return {}


def of_comparison(comparison: Comparison, procedures: Mapping[str, Selections] | None = None) -> Findings:
    """What a Comparison says, by its own measure and level; with the selections also their sizes and steady cores."""
    runs = {} if procedures is None else procedures
    measure = get_measure(comparison.measure)
    lower = "" if measure.higher_is_steadier else measure.name
    has_words = measure.name == DEFAULT_MEASURE and not _chance(runs)
    rows = tuple(
        Procedure(
            str(name),
            int(row["n_runs"]),
            float(row["estimate"]),
            float(row["low"]),
            float(row["high"]),
            verdict(row["estimate"], row["low"], row["high"]) if has_words else "",
            float(runs[str(name)].sizes.mean()) if str(name) in runs else nan,
            note=str(row["note"]),
        )
        for name, row in zip(comparison.table.index, comparison.table.to_dict("records"), strict=True)
    )
    tested = (differences(comparison, STABILITY, "tests"),)
    found = Findings(
        "comparison",
        f"{counted(len(rows), 'procedure')} by {comparison.measure}",
        comparison.measure,
        comparison.level,
        answer=tuple(steadiest(rows, tested, comparison.level, "procedure", lower)),
        summary=rows,
        differences=tested,
        cores=cores_of(runs, rows, CORE),
        notes=tuple(_note(row) for row in rows if isnan(row.stability) and row.note),
        selections=runs,
    )
    return replace(found, methods=paragraphs.of_selections(found))


def _note(row: Procedure) -> str:
    return f"{shown_name(row.name) or 'The procedure'} {row.note}."
