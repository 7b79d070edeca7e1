"""What recorded selections say, what a comparison of them says, and what several methods say together."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import replace
from math import isnan, nan
from typing import Any

from steadyset.assessment.baselines import NOT_ABOVE
from steadyset.assessment.steadiness import DEFAULT_MEASURE, everything, steadiness
from steadyset.findings import paragraphs
from steadyset.findings.answer import ranked, steadiest
from steadyset.findings.parts import (
    STABILITY,
    Backed,
    Between,
    Core,
    Differences,
    FeatureRows,
    Findings,
    Procedure,
    RankedFeature,
    Test,
)
from steadyset.foundation.conventions import CORE
from steadyset.foundation.errors import InputError
from steadyset.foundation.text import counted, expected_count, listed, number, percent, shown_name
from steadyset.inference.agreement import Consensus
from steadyset.inference.caution import cautions, without_cautions
from steadyset.inference.comparison import Comparison, compare
from steadyset.inference.feature_table import FeatureBlock, feature_blocks
from steadyset.inference.runs import common_features, steady_core
from steadyset.io.labels import UnionOfNames
from steadyset.io.lists import UNKNOWN_UNIVERSE
from steadyset.measures.options import BY_COLUMN_ORDER, is_of_scale, judged
from steadyset.measures.record import get_measure
from steadyset.selections import Selections, as_selections

MAX_NAMED = 5  # procedures that a note names
RULES = {
    "top_frequency": "mean selection frequency",
    "mean_rank": "mean rank",
    "borda": "Borda points",
    "exponential": "exponential weights of the ranks",
}
NAMED = 10  # features that are named in the answer
EVERYTHING = "{}, because every run selects everything; this is no choice"
ADJUSTED = {"holm": ", Holm", "bh": ", Benjamini-Hochberg"}
CORRECTED_T = "corrected resampled t-tests"
MOST_ROWS = 100  # of the features of a procedure, and of a ranking; the tables themselves have all


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
        ends = value.stability, value.low, value.high
        words = "" if isinstance(sel.features, UnionOfNames) else _verdict(value.verdict, scored.get(name))
        size = float(sel.sizes.mean()) if sel.n_runs else nan
        rows.append(Procedure(name, sel.n_runs, *ends, words, size, tied=sel.tied_share or 0.0, note=value.note))
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
    rows = []
    for name, row in zip(map(str, comparison.table.index), comparison.table.to_dict("records"), strict=True):
        ends = float(row["estimate"]), float(row["low"]), float(row["high"])
        words = _verdict(judged(*ends, comparison.tied.get(name)), scored.get(name)) if has_words else ""
        size, tied = float(runs[name].sizes.mean()) if name in runs else nan, comparison.tied.get(name, 0.0)
        rows.append(Procedure(name, int(row["n_runs"]), *ends, words, size, tied=tied, note=str(row["note"])))
    tested = (differences(comparison, STABILITY),)
    found = Findings(
        "comparison",
        f"{counted(len(rows), 'procedure')} by {comparison.measure}",
        comparison.measure,
        comparison.level,
        answer=(*_not_above(scored), *steadiest(rows, tested, comparison.level, "procedure", lower)),
        summary=tuple(rows),
        differences=tested,
        cores=cores_of(runs, rows, CORE),
        notes=(*_notes(rows), *_not_known(rows, list(comparison.tied), scored)),
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


def of_consensus(found: Consensus) -> Findings:
    """The agreement, what is backed together and the ranking, with what random sets would give beside them."""
    rows = tuple(_method(row) for row in found.methods.to_dict("records"))
    backed = tuple(Backed(**_by_name(row)) for row in found.backed.to_dict("records"))
    between = tuple(Between(**_by_name(row)) for row in found.between.to_dict("records"))
    d = next(iter(found.procedures.values())).n_features
    return Findings(
        "consensus",
        f"{counted(len(rows), 'method')}, {counted(sum(row.runs for row in rows), 'run')}, {counted(d, 'feature')}",
        found.measure,
        found.level,
        found.core,
        answer=tuple(_consensus_answer(found, rows, between, backed)),
        summary=rows,
        cores=cores_of(found.procedures, rows, found.core),
        between=between,
        backed=backed,
        ranking=tuple(_feature(row, found) for row in found.features.head(MOST_ROWS).to_dict("records")),
        notes=(
            *found.notes,
            *(f"{row.first} and {row.second}: agreement is {row.note}." for row in between if row.note),
            *_notes_of_methods(rows),
        ),
        settings={"aggregate": found.aggregate, "backing": found.backing, "ranked_features": len(found.features)},
        selections=found.procedures,
    )


def _notes_of_methods(rows: Sequence[Procedure]) -> list[str]:
    """What stands beside methods, once for all that share it."""
    noted: dict[str, list[str]] = {}
    for row in rows:
        noted.setdefault(without_cautions(row.note), []).append(row.name)
    said = [f"{listed(names, NAMED)}: {note}." for note, names in noted.items() if note]
    return [*said, *cautions(row.note for row in rows)]


def _consensus_answer(
    found: Consensus, rows: tuple[Procedure, ...], between: tuple[Between, ...], backed: tuple[Backed, ...]
) -> list[str]:
    together = backed[-1]
    votes = found.features["methods"] == len(rows)
    names = found.features.loc[votes, "feature"].tolist()
    who = "Both methods" if len(rows) == 2 else f"All {len(rows)} methods"
    what = f"{counted(len(names), 'feature')}: {listed(names, NAMED, last=', ')}" if names else "no feature together"
    said = [
        f"{who} back {what}. Random sets of the same sizes would have {expected_count(together.expected)} in common"
        f"{_by_chance(together)}."
    ]
    said += [
        f"At least {one.methods} of {len(rows)} methods back {counted(one.features, 'feature')}; random sets would "
        f"give {expected_count(one.expected)}{_by_chance(one)}."
        for one in reversed(backed[:-1])
    ]
    within = [row.stability for row in rows if not isnan(row.stability)]
    across = [row.agreement for row in between if not isnan(row.agreement)]
    if within and across:
        chance = sum(row.expected for row in between if not isnan(row.agreement)) / len(across)
        said.append(
            f"Runs of one method agree with {found.measure} {number(sum(within) / len(within))} on average, runs of "
            f"different methods with {number(sum(across) / len(across))}, random sets with {number(chance)}."
        )
    return [
        *said,
        f"A method backs a feature that at least {percent(found.backing)} of its runs select; features are ranked by "
        f"{RULES[found.aggregate]}, every method counting the same.",
    ]


def _by_chance(one: Backed) -> str:
    if not one.features:
        return ""
    error = f" ± {one.mc_error:.2g}" if one.mc_error else ""
    return f" (so many or more with probability {_probability(one.p_value)}{error})"


def _probability(value: float) -> str:
    return f"{value:.2g}" if value >= 1e-12 else "below 1e-12"


def _method(row: dict[Any, Any]) -> Procedure:
    ends = float(row["within"]), float(row["low"]), float(row["high"])
    return Procedure(str(row["method"]), int(row["n_runs"]), *ends, "", float(row["size"]), note=str(row["note"]))


def _feature(row: dict[Any, Any], found: Consensus) -> RankedFeature:
    shares = {name: float(row[f"frequency: {name}"]) for name in found.procedures}
    plain = {key: row[key] for key in ("feature", "rank", "score", "methods", "runs", "frequency", "by_chance")}
    return RankedFeature(**plain, frequencies=shares, direction=row["direction"])


def _by_name(row: dict[Any, Any]) -> dict[str, Any]:
    return {str(key): value for key, value in row.items()}


def cores_of(selections: Mapping[str, Selections], rows: Sequence[Procedure], core: float) -> tuple[Core, ...]:
    """One core per procedure."""
    verdicts = {row.name: row.verdict for row in rows}
    return tuple(
        Core(name, tuple(steady_core(sel, core)), _note(sel, verdicts.get(name, "")))
        for name, sel in selections.items()
    )


def _note(sel: Selections, verdict: str) -> str:
    if sel.sizes.min() == sel.n_features:
        return EVERYTHING.format(everything(sel.n_features))
    return BY_COLUMN_ORDER if verdict == BY_COLUMN_ORDER else ""


def differences(found: Comparison, what: str) -> Differences:
    """The tests of a comparison of `what` (the stability, or a score), and its letters in a sentence.

    How many pairs the p-values are adjusted for is said: beside others the same two procedures have other p-values.
    """
    alpha = 1 - found.level
    tests = tuple(_test(row, alpha) for row in found.pairs)
    known = counted(sum(not isnan(test.p_value) for test in tests), "pair")
    adjusted = f"{ADJUSTED[found.adjust]} over {known}" if found.adjust in ADJUSTED else ""
    how = f"{_kind(tests) if what == STABILITY else CORRECTED_T}{adjusted}, {percent(alpha)}"
    groups = {str(name): letters for name, letters in found.groups.items()}
    letters = ", ".join(f"{shown_name(name)} ({letters})" for name, letters in groups.items() if letters)
    words = f"In {what.replace('_', ' ')}: {letters}; those that share a letter show no significant difference ({how})."
    return Differences(what, how, groups, tests, words, found.adjust or "")


def _kind(tests: tuple[Test, ...]) -> str:
    paired = {test.paired for test in tests}
    if len(paired) > 1:
        return "tests, paired where runs match"
    return "paired tests" if True in paired else "tests of independent runs"


def _test(row: Mapping[str, Any], alpha: float) -> Test:
    kinds = {"first": str, "second": str, "note": str, "paired": bool}
    numbers = dict.fromkeys(("difference", "low", "high", "p_value", "p_adjusted"), float)
    known: dict[str, Any] = {key: kind(row[key]) for key, kind in (kinds | numbers).items()}
    return Test(**known, told_apart=known["p_adjusted"] <= alpha)


def rows_of(blocks: Iterable[FeatureBlock]) -> tuple[FeatureRows, ...]:
    """The first rows of each block."""
    return tuple(
        FeatureRows(block.name, tuple(block.rows(MOST_ROWS)), max(0, len(block.order) - MOST_ROWS)) for block in blocks
    )
