"""What recorded selections say, and what a comparison of them says."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from math import isnan, nan
from typing import Any

from steadyset.assessment.baselines import NOT_ABOVE
from steadyset.assessment.steadiness import DEFAULT_MEASURE, steadiness
from steadyset.findings import paragraphs
from steadyset.findings.answer import ranked, steadiest
from steadyset.findings.cores import cores_of
from steadyset.findings.differing import STABILITY, differences
from steadyset.findings.feature_rows import rows_of
from steadyset.findings.parts import Findings, Procedure
from steadyset.foundation.conventions import CORE
from steadyset.foundation.errors import InputError
from steadyset.foundation.text import counted, listed, shown_name
from steadyset.inference import Comparison, compare
from steadyset.inference.caution import cautions
from steadyset.inference.feature_table import feature_blocks
from steadyset.inference.pooling import common_features
from steadyset.io.labels import UnionOfNames
from steadyset.io.universe import UNKNOWN_UNIVERSE
from steadyset.measures.record import get_measure
from steadyset.measures.scale import is_of_scale, judged
from steadyset.selections import Selections, as_selections

MAX_NAMED = 5  # procedures that a note names


def of_selections(
    procedures: Mapping[str, Any], *, core: float, level: float, at_chance: Mapping[str, bool] | None = None
) -> Findings:
    """What the runs of one procedure, or of several by name, say.

    `at_chance` says of procedures with scores, as those of an assessment are, whether these are not above baselines.
    """
    scored = at_chance or {}
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
                "" if isinstance(sel.features, UnionOfNames) else _verdict(value.verdict, scored.get(name)),
                float(sel.sizes.mean()) if sel.n_runs else nan,
                tied=sel.tied_share or 0.0,
                note=value.note,
            )
        )
    several = {name: sel for name, sel in runs.items() if sel.n_runs > 1}
    tested = (differences(compare(several, level=level), STABILITY),) if len(several) > 1 else ()
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
        answer=(*_not_above(scored), *steadiest(ranked(rows), tested, level, "procedure")),
        summary=tuple(rows),
        differences=tested,
        cores=cores_of(runs, rows, core),
        features=rows_of(feature_blocks(_of_the_same_features(runs), core=core, level=level)),
        notes=(
            *_chance(runs),
            *_notes(rows),
            *_not_known(rows, [name for name, sel in runs.items() if sel.tied is not None], scored),
        ),
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


def of_comparison(
    comparison: Comparison,
    procedures: Mapping[str, Selections] | None = None,
    *,
    at_chance: Mapping[str, bool] | None = None,
) -> Findings:
    """What a Comparison says, by its own measure and level; with the selections also their sizes and steady cores.

    `at_chance` is that of `of_selections`.
    """
    runs, scored = procedures or {}, at_chance or {}
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
            _verdict(
                judged(row["estimate"], row["low"], row["high"], comparison.tied.get(str(name))),
                scored.get(str(name)),
            )
            if has_words
            else "",
            float(runs[str(name)].sizes.mean()) if str(name) in runs else nan,
            tied=comparison.tied.get(str(name), 0.0),
            note=str(row["note"]),
        )
        for name, row in zip(comparison.table.index, comparison.table.to_dict("records"), strict=True)
    )
    tested = (differences(comparison, STABILITY),)
    found = Findings(
        "comparison",
        f"{counted(len(rows), 'procedure')} by {comparison.measure}",
        comparison.measure,
        comparison.level,
        answer=(*_not_above(scored), *steadiest(rows, tested, comparison.level, "procedure", lower)),
        summary=rows,
        differences=tested,
        cores=cores_of(runs, rows, CORE),
        notes=(
            *_notes(rows),
            *_not_known(rows, list(comparison.tied), scored),
        ),
        selections=runs,
    )
    return replace(found, methods=paragraphs.of_selections(found))


def _verdict(words: str, at_chance: bool | None) -> str:
    return NOT_ABOVE if at_chance and is_of_scale(words) else words


def _not_above(scored: Mapping[str, bool]) -> list[str]:
    """What an assessment says first of the same selections."""
    names = [name for name, at_chance in scored.items() if at_chance]
    if not names:
        return []
    do = "does" if len(names) == 1 else "do"
    return [
        f"{listed(names, MAX_NAMED)} {do} not predict significantly better than as many random features, or than none; "
        "the assessment has the scores."
    ]


def _not_known(rows: Sequence[Procedure], with_ties: Collection[str], scored: Collection[str]) -> list[str]:
    """What a verdict on selections alone leaves out, and an assessment knows."""
    if not any(row.verdict for row in rows):
        return []
    unknown = {
        "whether the order of the columns decided between features with equal scores": with_ties,
        "whether the selected features predict better than random ones": scored,
    }
    said = []
    for what, known in unknown.items():
        names = [row.name for row in rows if row.name not in known]
        if names:
            said.append(what + ("" if len(names) == len(rows) else f" ({listed(names, MAX_NAMED)})"))
    return [f"Verdicts are about the selections alone. Not known here: {'; '.join(said)}."] if said else []


def _notes(rows: Sequence[Procedure]) -> list[str]:
    """What has to be known about all procedures, and why some have no stability."""
    undefined = [row for row in rows if isnan(row.stability) and row.note]
    return [
        *cautions(row.note for row in rows),
        *(f"{shown_name(row.name) or 'The procedure'} {row.note}." for row in undefined),
    ]
