"""What an assessment, recorded selections and a comparison of them say, and what several methods say together."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from math import isnan, nan
from typing import Any

import numpy as np

from steadyset.assessment import Assessment
from steadyset.assessment.request import DETAILS, copies_in_both_halves
from steadyset.assessment.result import DEFAULT_MEASURE, NOT_ABOVE, baseline_words, everything, steadiness
from steadyset.findings import paragraphs, parts
from steadyset.findings.answer import best_predictor, no_better_than_baselines, preference, ranked, steadiest
from steadyset.findings.parts import Findings, Procedure
from steadyset.foundation.arguments import CORE
from steadyset.foundation.errors import Argument, InputError
from steadyset.foundation.text import amount, counted, expected_count, listed, number, percent, shown_name, span
from steadyset.inference.comparison import Comparison, compare
from steadyset.inference.consensus import Consensus
from steadyset.inference.features import FeatureBlock, feature_blocks
from steadyset.inference.instability import alternatives_of
from steadyset.inference.models import MOST_CURVES, Coefficients, Predicted
from steadyset.inference.runs import common_features, steady_core
from steadyset.inference.table import cautions, without_cautions
from steadyset.io.data.sources import giving_away_words, rare_class_words
from steadyset.io.labels import UnionOfNames, some_names
from steadyset.io.lists import UNKNOWN_UNIVERSE
from steadyset.measures.evaluate import BY_COLUMN_ORDER, MOST_TIED, is_of_scale, judged
from steadyset.measures.record import get_measure
from steadyset.replications.result import halves_told
from steadyset.runner.scoring import ACCURACY, BALANCED_ACCURACY, LACKING, lower_is_better, score_title
from steadyset.selections import Selections, as_selections
from steadyset.shortlists.exchange import FEWEST
from steadyset.tasks import CLASSES, TASKS, is_unbalanced

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
        words = "" if isinstance(sel.features, UnionOfNames) else _verdict(value.verdict, scored.get(name))
        numbers = value.stability, value.low, value.high, words, float(sel.sizes.mean()) if sel.n_runs else nan
        rows.append(Procedure(name, sel.n_runs, *numbers, tied=sel.tied_share or 0.0, note=value.note))
    several = {name: sel for name, sel in runs.items() if sel.n_runs > 1}
    compared = differences(compare(several, level=level), parts.STABILITY) if len(several) > 1 else None
    has_tests = compared is not None and any(not isnan(test.p_value) for test in compared.tests)
    tested = (compared,) if compared is not None and has_tests else ()
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
    lower = "" if measure.higher_is_steadier else measure.specification
    has_words = measure.name == DEFAULT_MEASURE and not _chance(runs)
    rows = []
    for name, row in zip(map(str, comparison.table.index), comparison.table.to_dict("records"), strict=True):
        ends = float(row["estimate"]), float(row["low"]), float(row["high"])
        words = _verdict(judged(*ends, comparison.tied.get(name)), scored.get(name)) if has_words else ""
        size, tied = float(runs[name].sizes.mean()) if name in runs else nan, comparison.tied.get(name, 0.0)
        rows.append(Procedure(name, int(row["n_runs"]), *ends, words, size, tied=tied, note=str(row["note"])))
    tested = (differences(comparison, parts.STABILITY),)
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
    records: dict[str, Any] = {"backed": found.backed.to_dict("records"), "between": found.between.to_dict("records")}
    backed = tuple(parts.Backed(**row) for row in records["backed"])
    between = tuple(parts.Between(**row) for row in records["between"])
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
        ranking=tuple(
            parts.RankedFeature(
                **{key: row[key] for key in ("feature", "rank", "score", "methods", "runs", "frequency", "by_chance")},
                frequencies={name: float(row[f"frequency: {name}"]) for name in found.procedures},
                direction=row["direction"],
            )
            for row in found.features.head(MOST_ROWS).to_dict("records")
        ),
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
    found: Consensus,
    rows: tuple[Procedure, ...],
    between: tuple[parts.Between, ...],
    backed: tuple[parts.Backed, ...],
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


def _by_chance(one: parts.Backed) -> str:
    if not one.features:
        return ""
    error = f" ± {one.mc_error:.2g}" if one.mc_error else ""
    probability = f"{one.p_value:.2g}" if one.p_value >= 1e-12 else "below 1e-12"
    return f" (so many or more with probability {probability}{error})"


def _method(row: dict[Any, Any]) -> Procedure:
    ends = float(row["within"]), float(row["low"]), float(row["high"])
    return Procedure(str(row["method"]), int(row["n_runs"]), *ends, "", float(row["size"]), note=str(row["note"]))


def cores_of(selections: Mapping[str, Selections], rows: Sequence[Procedure], core: float) -> tuple[parts.Core, ...]:
    """One core per procedure."""
    verdicts = {row.name: row.verdict for row in rows}
    return tuple(
        parts.Core(name, tuple(steady_core(sel, core)), _note(sel, verdicts.get(name, "")))
        for name, sel in selections.items()
    )


def _note(sel: Selections, verdict: str) -> str:
    if sel.sizes.min() == sel.n_features:
        return EVERYTHING.format(everything(sel.n_features))
    return BY_COLUMN_ORDER if verdict == BY_COLUMN_ORDER else ""


def differences(found: Comparison, what: str) -> parts.Differences:
    """The tests of a comparison of `what` (the stability, or a score), and its letters in a sentence.

    How many pairs the p-values are adjusted for is said: beside others the same two procedures have other p-values.
    """
    alpha = 1 - found.level
    kinds = {"first": str, "second": str, "note": str, "paired": bool}
    kinds |= dict.fromkeys(("difference", "low", "high", "p_value", "p_adjusted"), float)
    rows: list[dict[str, Any]] = [{key: kind(row[key]) for key, kind in kinds.items()} for row in found.pairs]
    tests = tuple(parts.Test(**row, told_apart=row["p_adjusted"] <= alpha) for row in rows)
    paired = {test.paired for test in tests}
    kind = "tests of independent runs" if paired <= {False} else "paired tests"
    kind = "tests, paired where runs match" if len(paired) > 1 else kind
    known = counted(sum(not isnan(test.p_value) for test in tests), "pair")
    adjusted = f"{ADJUSTED[found.adjust]} over {known}" if found.adjust in ADJUSTED else ""
    how = f"{kind if what == parts.STABILITY else CORRECTED_T}{adjusted}, {percent(alpha)}"
    groups = {str(name): letters for name, letters in found.groups.items()}
    letters = ", ".join(f"{shown_name(name)} ({letters})" for name, letters in groups.items() if letters)
    words = f"In {what.replace('_', ' ')}: {letters}; those that share a letter show no significant difference ({how})."
    return parts.Differences(what, how, groups, tests, words, found.adjust or "")


def rows_of(blocks: Iterable[FeatureBlock]) -> tuple[parts.FeatureRows, ...]:
    """The first rows of each block."""
    return tuple(
        parts.FeatureRows(block.name, tuple(block.rows(MOST_ROWS)), max(0, len(block.order) - MOST_ROWS))
        for block in blocks
    )


RISKS = ("low", "middle", "high")  # thirds of the predicted risks


def of_assessment(assessment: Assessment, *, core: float, level: float, margin: float) -> Findings:
    """Everything that an assessment says, at this core share, level and margin of the loss."""
    scoring, details = tuple(assessment.settings["scoring"]), assessment.settings.get(DETAILS, {})
    rows = _assessed_rows(assessment, level)
    tested, why_not = _assessed_differences(assessment, level)
    stabilities = next((one for one in tested if one.what == parts.STABILITY), None)
    prefers = preference(assessment, ranked(rows), stabilities, margin=margin, level=level)
    answer = steadiest(ranked(rows), tested, level, "selector")
    if scoring:
        answer = [
            *_gains(assessment, scoring[0], level),
            *no_better_than_baselines(
                rows, assessment.baselines_beaten(level=level), scoring[0], baseline_words(assessment.settings)
            ),
            *answer,
            *best_predictor(ranked(rows), tested, scoring[0], lower_is_better(scoring[0])),
            *(() if prefers is None else prefers.words),
        ]
    answer += [
        f"All {counted(n, 'run')} of {shown_name(name)} failed, the first one because of: {shown_name(why)}"
        for name, (n, why) in assessment.failed_selectors.items()
    ]
    cores = cores_of(assessment.selections, rows, core)
    chosen = any(sel.sizes.any() for sel in assessment.selections.values())
    if chosen and not any(one.features or one.note for one in cores):
        answer.append(
            f"No selector takes any feature in at least {percent(core)} of the runs. What these data support is a list "
            "with a stated error: `steadyset shortlist`, or st.shortlist in Python."
        )
    found = Findings(
        "assessment",
        _about(assessment),
        DEFAULT_MEASURE,
        level,
        core,
        scoring,
        tuple(answer),
        rows,
        _baselines(assessment, rows),
        tested,
        prefers,
        cores,
        rows_of(assessment.feature_blocks(core=core, level=level)),
        failures=_reasons((assessment.selectors[cell.selector], cell.failure) for cell in assessment.cells),
        warnings=_reasons(
            (assessment.selectors[cell.selector], text) for cell in assessment.cells for text in set(cell.warnings)
        ),
        notes=(
            *filter(None, [details.get("blocks")]),
            *why_not,
            *_assessment_notes(assessment, rows),
            *_table_notes(assessment),
        ),
        risk_groups=tuple(_risk_groups(assessment)),
        alternatives=()
        if assessment.alike is None
        else alternatives_of(assessment.selections, assessment.alike, _run_scores(assessment)),
        predictions=tuple(_predicted(assessment, level)),
        coefficients=tuple(_coefficients(assessment)),
        halves=tuple(map(halves_told, assessment.halves)),
        settings={key: value for key, value in assessment.settings.items() if key != "features"},
        selections=assessment.selections,
        extract=assessment.extract,
    )
    return replace(found, methods=paragraphs.of_assessment(assessment, found))


def _risk_groups(assessment: Assessment) -> Iterator[parts.RiskGroup]:
    """The curves of each selector, the mean over its runs; of no task that has none."""
    times = assessment.settings.get(DETAILS, {}).get("points", ())
    for place, name in enumerate(assessment.selectors):
        known = [cell.curves for cell in assessment.cells if cell.selector == place and cell.curves]
        n_curves = 2 * len(RISKS)  # observed, then expected
        curves = np.array([one for one in known if len(one) == n_curves * len(times)], dtype=np.float64)
        if not len(times) or not len(curves):
            continue
        both = curves.reshape(len(curves), 2, len(RISKS), -1).transpose(1, 2, 0, 3)
        for risk, shares, predicted in zip(RISKS, *both, strict=True):
            enough = np.isfinite(shares).mean(axis=0) >= 0.5
            share, low, high = np.full((3, len(times)), nan)
            if enough.any():
                # Where runs end, the mean of those that are left may rise; shares without an event never do.
                told = np.nanmean(shares[:, enough], axis=0), *np.nanquantile(shares[:, enough], [0.1, 0.9], axis=0)
                share[enough], low[enough], high[enough] = np.minimum.accumulate(told, axis=1)
            expected = np.full(len(times) if np.isfinite(predicted).any() else 0, nan)
            if len(expected):
                expected[enough] = np.nanmean(predicted[:, enough], axis=0)
            yield parts.RiskGroup(name, risk, *(tuple(map(float, one)) for one in (times, share, low, high, expected)))


def _run_scores(assessment: Assessment) -> dict[str, Any]:
    """The first score of each run with a selection, by selector."""
    score = next(iter(assessment.settings["scoring"]), "")
    return {
        name: np.array([one.scores.get(score, nan) for one in assessment.cells_of(name) if one.selected is not None])
        for name in assessment.selections
        if score
    }


def _predicted(assessment: Assessment, level: float) -> Iterator[Predicted]:
    """What was kept of the predictions of each selector."""
    for name, one in assessment.prediction_spreads.items():
        curves = [point for point in assessment.calibration(name) if point[0] < MOST_CURVES]
        tenths = tuple((run, output, *(float(f"{value:.5g}") for value in both)) for run, output, _, *both in curves)
        yield Predicted(name, len(one.runs), **one.summary(level), rows=one.drawn(level), tenths=tenths)


def _coefficients(assessment: Assessment) -> Iterator[Coefficients]:
    """The coefficients of each selector whose predictions were kept."""
    for name in assessment.prediction_spreads:
        if rows := assessment.coefficients(name):
            sets = assessment.selected_sets(name)
            yield Coefficients(name, sets.total(), len(sets), tuple(rows[:MOST_ROWS]))


def _about(assessment: Assessment) -> str:
    settings = assessment.settings
    details = settings.get(DETAILS, {})
    n_runs = len({cell.run for cell in assessment.cells})
    drawn = shown_name(details.get("resampling", {}).get("words", f"resamples ({settings['resampling']})"))
    return (
        f"{paragraphs.rows_told(settings, details)}, {counted(settings['n_features'], 'feature')}, "
        f"{counted(len(assessment.selectors), 'selector')} on {n_runs} {drawn}, seed {settings['seed']}"
    )


def _score(
    assessment: Assessment, row: Mapping[str, Any], score: str, *, level: float, nearly_all: bool
) -> parts.Score:
    """A score of a row of the summary; random features in the place of nearly all features are not told of."""
    mean, error, blind, random = (float(row[f"{score}{end}"]) for end in ("", "_se", "_blind", "_random"))
    values = [cell.scores.get(score, nan) for cell in assessment.cells_of(row["selector"])]
    low, high = assessment.hidden_spread(score).interval(values, assessment.test_ratio, level)
    return parts.Score(mean, error, blind, nan if nearly_all else random, low, high)


def _assessed_rows(assessment: Assessment, level: float) -> tuple[Procedure, ...]:
    scoring, beaten = assessment.settings["scoring"], assessment.baselines_beaten(level=level)
    return tuple(
        Procedure(
            name,
            int(row["n_runs"]),
            **{key: float(row[key]) for key in ("stability", "low", "high", "size", "tied")},
            verdict=str(row["verdict"]),
            scores={
                score: _score(assessment, row, score, level=level, nearly_all=beaten[name].nearly_all)
                for score in scoring
            },
            failures=int(row["failures"]),
            warned=int(row["warnings"]),
            note=str(row["note"]),
        )
        for name, row in zip(assessment.selectors, assessment.summary_rows(level=level), strict=True)
    )


def _baselines(assessment: Assessment, rows: tuple[Procedure, ...]) -> tuple[parts.Baseline, ...]:
    """One row without features, and one for each size of a random selection."""
    scoring = assessment.settings["scoring"]
    blind = {score: _first(row.scores[score].blind for row in rows) for score in scoring}
    word = TASKS.find(assessment.settings.get("task", CLASSES)).blind_words
    alone = baseline_words(assessment.settings)[1]
    found = [parts.Baseline(alone if assessment.settings.get("force") else f"{word}, {alone}", blind)]
    for size in dict.fromkeys(amount(row.size) for row in rows if not isnan(row.size)):
        alike = [row for row in rows if amount(row.size) == size]
        random = {score: _first(row.scores[score].random for row in alike) for score in scoring}
        found.append(parts.Baseline(random_features(size), random))
    return tuple(one for one in found if any(not isnan(value) for value in one.scores.values()))


def _gains(assessment: Assessment, score: str, level: float) -> list[str]:
    """What the selected features add to covariates that stay in every model."""
    if not assessment.settings.get("force"):
        return []
    gains = {name: assessment.gain(name, score, level=level) for name in assessment.selectors}
    told = [
        f"{shown_name(name)} {gain.estimate:+.3f} ({percent(level)} interval {span(gain.low, gain.high)})"
        for name, gain in gains.items()
        if not isnan(gain.estimate) and not isnan(gain.low)
    ]
    what = f"Gain in {score_title(score)} over {baseline_words(assessment.settings)[1]}"
    return [f"{what}: {listed(told)}."] if told else []


def random_features(size: str) -> str:
    """What a random selection of so many features is called."""
    return f"random, {size} feature{'' if size == '1' else 's'}"


def _first(values: Iterator[float]) -> float:
    return next((value for value in values if not isnan(value)), nan)


def _assessed_differences(assessment: Assessment, level: float) -> tuple[tuple[parts.Differences, ...], list[str]]:
    """The tests of stability and of each score, and why there are none where several selectors were asked for."""
    if len(assessment.selectors) == 1:
        return (), []
    found, why_not = [], []
    try:
        stabilities = differences(assessment.compare(level=level), parts.STABILITY)
        if any(not isnan(test.p_value) for test in stabilities.tests):
            found.append(stabilities)
    except InputError as error:
        why_not.append(str(error))
    for score in assessment.settings["scoring"]:
        try:
            tests = differences(assessment.compare_scores(score, level=level), score)
        except InputError:  # too few scores; the failures say why
            continue
        if any(not isnan(test.p_value) for test in tests.tests):
            found.append(tests)
    return tuple(found), why_not


def _reasons(told: Iterator[tuple[str, str]]) -> tuple[parts.Reason, ...]:
    counts = Counter(pair for pair in told if pair[1])
    return tuple(parts.Reason(name, runs, text) for (name, text), runs in counts.items())


def _assessment_notes(assessment: Assessment, rows: tuple[Procedure, ...]) -> list[str]:
    """What has to be known about single selectors."""
    copies = copies_in_both_halves(assessment.settings)
    said = [shown_name(copies)] if copies else []
    said += cautions(row.note for row in rows)
    said += [*target_told(assessment.settings), *_lacking_told(assessment)]
    said += [f"{shown_name(row.name)} {row.note}." for row in rows if isnan(row.stability) and row.note]
    for row in rows:
        cells = assessment.cells_of(row.name)
        tied = sum(cell.tied > 0 for cell in cells)
        if tied:
            said.append(
                f"{shown_name(row.name)}: in {tied} of {counted(row.runs, 'run')} the order of the columns decided "
                f"between features with equal scores, {percent(row.tied)} of all that were selected"
                + (f"; from {percent(MOST_TIED)} on it counts as {BY_COLUMN_ORDER}." if row.tied >= MOST_TIED else ".")
            )
    return said


def data_told(settings: Mapping[str, Any]) -> list[str]:
    """What makes every number look better than it is: copies of samples, and the target among the features."""
    details, said = settings.get(DETAILS, {}), []
    if repeated := details.get("repeated_rows", 0):
        said.append(
            f"{repeated:,} of {settings['n_rows']:,} rows {'repeats' if repeated == 1 else 'repeat'} another row in "
            "every feature. Copies of a sample make scores, stability and stated errors look better than they are: "
            "leave them out, or say by groups which rows belong together."
        )
    if names := details.get("giving_away", []):
        said.append(giving_away_words(names))
    if names := details.get("places", []):
        they, their = ("the column", "its") if len(names) == 1 else ("the columns", "their")
        said.append(
            f"{they.capitalize()} {some_names(names)} may say where or in which batch rows were measured, and as "
            f"a feature {their} numbers have no order. Adjust for a batch with block, or leave {they} out."
        )
    if names := details.get("times", []):
        they, hold = ("the column", "holds") if len(names) == 1 else ("the columns", "hold")
        said.append(
            f"{they.capitalize()} {some_names(names)} by name and values {hold} times to an event, which may give the "
            f"target away. Leave {they} out, or predict the time to the event."
        )
    return said


CAUTION = "Caution: "


def with_caution(answer: Iterable[str], odd: Iterable[str]) -> tuple[str, ...]:
    """Return the answer with what is wrong with the data, before other cautions."""
    sentences = list(answer)
    cautions = [one for one in sentences if one.startswith(CAUTION)]
    rest = [one for one in sentences if one not in cautions]
    return (*rest, *(f"{CAUTION}{one}" for one in odd), *cautions)


def notes_beside(odd: Collection[str], settings: Mapping[str, Any]) -> tuple[str, ...]:
    """Return what to know of the rows and the target, except what the answer has as cautions."""
    return tuple(note for note in target_told(settings) if note not in odd)


def target_told(settings: Mapping[str, Any]) -> list[str]:
    """What to know of the rows and the target.

    What makes numbers look too good, how a target of whole numbers was taken, whether events are few, and what
    unbalanced classes mean for scores.
    """
    details, scoring = settings.get(DETAILS, {}), settings["scoring"]
    classes = details.get("classes", {})
    said = data_told(settings)
    if incomplete := details.get("incomplete_rows", 0):
        left_out = paragraphs.incomplete_told(settings, incomplete)
        said.append(f"{left_out}. Filled values would keep what the covariates explain.")
    other = details.get("other_task")
    if classes and other is not None:  # labels that are whole numbers; for a number its task is no surprise
        said.append(
            f"The target holds whole numbers and is taken as {len(classes)} classes; if it counts or measures "
            f"something, {Argument('task', other, of='Data')} takes it as {TASKS.find(other).words}."
        )
    few = TASKS.find(settings.get("task", CLASSES)).few
    for what, count in details.get("fewest", {}).items():
        if count < few:
            said.append(
                f"Some runs learn from no more than {counted(count, what.removesuffix('s'))}, of "
                f"{details['counted'][what]} in all; with fewer than about {few}, single rows decide what is selected."
            )
    unbalanced = _unbalanced_told(classes, scoring[0]) if classes and scoring else []
    return [*said, *unbalanced, *rare_class_words(classes)]


def _lacking_told(assessment: Assessment) -> list[str]:
    """How many runs lack a class, or events, and what keeps them."""
    task = TASKS.find(assessment.settings.get("task", CLASSES))
    what, kept = ("a class", "all classes") if task.has_classes else ("events", "their share")
    lacking = {
        cell.run
        for cell in assessment.cells
        if (cell.failure and cell.failure == task.unlearnable) or any(LACKING in told for told in cell.warnings)
    }
    if not lacking or "stratified=True" in assessment.settings["resampling"]:
        return []
    said = f"In {counted(len(lacking), 'run')} the training or test rows lack {what}; "
    least = min([*assessment.settings["details"].get("counted", {}).values(), FEWEST])
    if least < FEWEST:
        return [f"{said}all rows hold {least}, too few to keep enough in both, however runs are drawn."]
    return [f"{said}a resampling with stratified=True keeps {kept} in both."]


def _unbalanced_told(classes: Mapping[str, int], score: str) -> list[str]:
    """What guessing reaches where one class has most of the rows, and what that means for a score."""
    if not is_unbalanced(list(classes.values())):
        return []
    label, most = max(classes.items(), key=lambda item: item[1])
    share = most / sum(classes.values())
    told = f"{percent(share)} of the rows are of the class {shown_name(label)}: guessing it reaches an accuracy of"
    if score == BALANCED_ACCURACY:
        chance = number(1 / len(classes), 2)
        return [f"{told} {number(share, 2)}, so balanced accuracy, {chance} by guessing, is the score."]
    if score in (ACCURACY, "error"):
        return [f"{told} {number(share, 2)}; scoring by {BALANCED_ACCURACY} or auc tells more."]
    return []


def _table_notes(assessment: Assessment) -> list[str]:
    """By which rule models select, what the table lacks, and why."""
    said = [f"{shown_name(name)} is a model: selected are {rule}." for name, rule in assessment.rules.items()]
    said += [
        f"The fit of {shown_name(name)} on all rows failed: {shown_name(cell.failure)}."
        for name, cell in assessment.on_all_rows.items()
        if cell.selected is None
    ]
    alike = assessment.alike
    if alike is None and assessment.path is not None:
        said.append("The run folder does not say which features are alike; resuming the assessment adds it.")
    if alike is not None and alike.note:
        said.append(f"Alike features: {alike.note}.")
    return said
