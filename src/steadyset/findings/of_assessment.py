"""What an assessment says."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import replace
from math import isnan, nan
from typing import Any

from steadyset.assessment import Assessment
from steadyset.assessment.request import DETAILS, copies_in_both_halves
from steadyset.assessment.steadiness import DEFAULT_MEASURE
from steadyset.findings import paragraphs
from steadyset.findings.answer import best_predictor, no_better_than_baselines, preference, ranked, steadiest
from steadyset.findings.of_selections import cores_of, differences, rows_of
from steadyset.findings.parts import STABILITY, Baseline, Differences, Findings, Procedure, Reason, Score
from steadyset.foundation.errors import InputError
from steadyset.foundation.text import amount, counted, number, percent, shown_name
from steadyset.inference.caution import cautions
from steadyset.measures.options import BY_COLUMN_ORDER, MOST_TIED
from steadyset.runner.run import ONE_CLASS, Cell
from steadyset.runner.scoring import ACCURACY, BALANCED_ACCURACY, LACKING, lower_is_better
from steadyset.tasks import CLASSES, TASKS, is_unbalanced


def of_assessment(assessment: Assessment, *, core: float, level: float, margin: float) -> Findings:
    """Everything that an assessment says, at this core share, level and margin of the loss."""
    scoring = tuple(assessment.settings["scoring"])
    rows = _rows(assessment, level)
    tested, why_not = _differences(assessment, level)
    stabilities = next((one for one in tested if one.what == STABILITY), None)
    prefers = preference(assessment, ranked(rows), stabilities, margin=margin, level=level)
    answer = steadiest(ranked(rows), tested, level, "selector")
    if scoring:
        answer = [
            *no_better_than_baselines(rows, assessment.baselines_beaten(level=level), scoring[0], "selector"),
            *answer,
            *best_predictor(ranked(rows), tested, scoring[0], lower_is_better(scoring[0])),
            *(() if prefers is None else prefers.words),
        ]
    answer += [
        f"All {counted(n, 'run')} of {shown_name(name)} failed, the first one because of: {shown_name(why)}"
        for name, (n, why) in assessment.failed_selectors.items()
    ]
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
        cores_of(assessment.selections, rows, core),
        rows_of(assessment.feature_blocks(core=core, level=level)),
        failures=_reasons((assessment.selectors[cell.selector], cell.failure) for cell in assessment.cells),
        warnings=_reasons(
            (assessment.selectors[cell.selector], text) for cell in assessment.cells for text in set(cell.warnings)
        ),
        notes=(*why_not, *_notes(assessment, rows), *_table_notes(assessment)),
        settings={key: value for key, value in assessment.settings.items() if key != "features"},
        selections=assessment.selections,
    )
    return replace(found, methods=paragraphs.of_assessment(assessment, found))


def _about(assessment: Assessment) -> str:
    settings = assessment.settings
    n_runs = len({cell.run for cell in assessment.cells})
    return (
        f"{counted(settings['n_rows'], 'row')}, {counted(settings['n_features'], 'feature')}, "
        f"{counted(len(assessment.selectors), 'selector')} on {counted(n_runs, 'resample')} "
        f"({shown_name(settings['resampling'])}, seed {settings['seed']})"
    )


def _rows(assessment: Assessment, level: float) -> tuple[Procedure, ...]:
    return tuple(
        Procedure(
            name,
            int(row["n_runs"]),
            **{key: float(row[key]) for key in ("stability", "low", "high", "size", "tied")},
            verdict=str(row["verdict"]),
            scores={
                score: Score(*(float(row[f"{score}{end}"]) for end in ("", "_se", "_blind", "_random")))
                for score in assessment.settings["scoring"]
            },
            failures=int(row["failures"]),
            warned=int(row["warnings"]),
            note=str(row["note"]),
        )
        for name, row in zip(assessment.selectors, assessment.summary_rows(level=level), strict=True)
    )


def _baselines(assessment: Assessment, rows: tuple[Procedure, ...]) -> tuple[Baseline, ...]:
    """One row without features, and one for each size of a random selection."""
    scoring = assessment.settings["scoring"]
    blind = {score: _first(row.scores[score].blind for row in rows) for score in scoring}
    word = TASKS.find(assessment.settings.get("task", CLASSES)).blind_words
    found = [Baseline(f"{word}, no features", blind)]
    for size in dict.fromkeys(amount(row.size) for row in rows if not isnan(row.size)):
        alike = [row for row in rows if amount(row.size) == size]
        random = {score: _first(row.scores[score].random for row in alike) for score in scoring}
        found.append(Baseline(random_features(size), random))
    return tuple(one for one in found if any(not isnan(value) for value in one.scores.values()))


def random_features(size: str) -> str:
    """What a random selection of so many features is called."""
    return f"random, {size} feature{'' if size == '1' else 's'}"


def _first(values: Iterator[float]) -> float:
    return next((value for value in values if not isnan(value)), nan)


def _differences(assessment: Assessment, level: float) -> tuple[tuple[Differences, ...], list[str]]:
    """The tests of stability and of each score, and why there are none where several selectors were asked for."""
    if len(assessment.selectors) == 1:
        return (), []
    found, why_not = [], []
    try:
        stabilities = differences(assessment.compare(level=level), STABILITY)
        if sum(map(bool, stabilities.groups.values())) > 1:  # those without a stability have no letter
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


def _reasons(told: Iterator[tuple[str, str]]) -> tuple[Reason, ...]:
    counts = Counter(pair for pair in told if pair[1])
    return tuple(Reason(name, runs, text) for (name, text), runs in counts.items())


def _notes(assessment: Assessment, rows: tuple[Procedure, ...]) -> list[str]:
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


def target_told(settings: Mapping[str, Any]) -> list[str]:
    """How a target of whole numbers was taken, and what unbalanced classes mean for the scores."""
    details, scoring = settings.get(DETAILS, {}), settings["scoring"]
    classes = details.get("classes", {})
    said = []
    other = details.get("other_task")
    if classes and other is not None:  # labels that are whole numbers; for a number its task is no surprise
        said.append(
            f"The target holds whole numbers and is taken as {len(classes)} classes; if it counts or measures "
            f'something, task="{other}" takes it as {TASKS.find(other).words}.'
        )
    return said + (_unbalanced_told(classes, scoring[0]) if classes and scoring else [])


def _lacking_told(assessment: Assessment) -> list[str]:
    """How many runs lack a class, and what keeps them all."""
    lacking = {cell.run for cell in assessment.cells if _lacks_a_class(cell)}
    if lacking and "stratified=True" not in assessment.settings["resampling"]:
        return [
            f"In {counted(len(lacking), 'run')} the training or test rows lack a class; a resampling with "
            "stratified=True keeps all classes in both."
        ]
    return []


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


def _lacks_a_class(cell: Cell) -> bool:
    return cell.failure == ONE_CLASS or any(LACKING in told for told in cell.warnings)


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
