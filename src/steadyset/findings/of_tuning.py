"""What a tuning says: the Pareto front, the chosen configuration, and what it selects."""

from __future__ import annotations

from dataclasses import replace
from math import nan, sqrt
from typing import TYPE_CHECKING, Any

from steadyset._version import __version__
from steadyset.assessment.details import data_details
from steadyset.assessment.request import fingerprint
from steadyset.assessment.steadiness import steadiness
from steadyset.findings.cores import cores_of
from steadyset.findings.feature_rows import rows_of
from steadyset.findings.of_assessment import target_told
from steadyset.findings.paragraphs_of_tuning import DEFAULT_RULE, reached_words, rule_words
from steadyset.findings.paragraphs_of_tuning import of_tuning as methods_of_tuning
from steadyset.findings.parts import Configuration, Findings, Procedure, Reason, Score
from steadyset.foundation.conventions import LEVEL
from steadyset.foundation.text import counted, listed, shown_name
from steadyset.inference import confidence_interval
from steadyset.inference.caution import cautions
from steadyset.selections import Selections
from steadyset.tuning import Tuning
from steadyset.tuning.evaluation import N_FEATURES, STABILITY
from steadyset.tuning.trials import settings_words

if TYPE_CHECKING:
    import pandas as pd

NAMED = 20  # features that are named in the answer


def of_tuning(tuning: Tuning, *, core: float, level: float, choose: str | None) -> Findings:
    """The front and the configuration that the rule `choose` picks; its fits are computed again for its features."""
    chosen = tuning.choose() if choose is None else tuning.choose(choose)
    selections = {f"configuration {chosen}": tuning.selections(chosen)}
    rows = tuple(_row(tuning, chosen, name, sel, level) for name, sel in selections.items())
    frame, plan = tuning.frame, tuning.evaluator.plan
    settings = _settings(tuning, choose or DEFAULT_RULE)
    found = Findings(
        "tuning",
        f"{counted(len(plan.y), 'row')}, {counted(plan.X.shape[1], 'feature')}, "
        f"{counted(len(frame), 'configuration')} tried",
        tuning.evaluator.measure,
        level,
        core,
        plan.score_names,
        tuple(_answer(tuning, chosen, choose)),
        rows,
        cores=cores_of(selections, rows, core),
        features=rows_of(tuning.feature_blocks(chosen, core=core, level=level)),
        front=front_of(tuning, chosen),
        failures=tuple(
            Reason(f"configuration {number}", int(row["failures"]), str(row["reason"]))
            for number, row in zip(frame.index, frame.to_dict("records"), strict=True)
            if row.get("reason")
        ),
        notes=(*target_told(settings), *cautions(row.note for row in rows)),
        settings=settings,
        selections=selections,
        trials=tuning,
    )
    return replace(found, methods=methods_of_tuning(tuning, found, chosen, choose))


def _settings(tuning: Tuning, rule: str) -> dict[str, Any]:
    plan = tuning.evaluator.plan
    return {
        "n_rows": len(plan.y),
        "n_features": plan.X.shape[1],
        "task": plan.task,
        "impute": plan.impute,
        "on_warning": plan.on_warning,
        "seed": plan.seed,
        "resampling": plan.resampling.identity(),
        "scoring": list(plan.score_names),
        "objectives": list(tuning.objectives),
        "sampler": tuning.sampler,
        "n_trials": len(tuning.trials),
        "choose": rule,
        "data_sha256": fingerprint(plan),
        "steadyset_version": __version__,
        "details": {**data_details(plan, tuning.target), "predictor": ""},  # each configuration has its own
    }


def front_of(tuning: Tuning, chosen: int) -> tuple[Configuration, ...]:
    """The front, the best first objective first, and the chosen configuration where it is not on it."""
    probability = tuning.front_probability()
    params = {number: drawn for number, drawn, _ in tuning.trials}
    values = {number: found for number, _, found in tuning.trials}
    numbers = list(tuning.front.index)
    return tuple(
        Configuration(
            int(n),
            dict(params[n]),
            {name: float(values[n][name]) for name in tuning.objectives},
            float(probability[n]),
            n == chosen,
        )
        for n in [*numbers, *([] if chosen in numbers else [chosen])]
    )


def selected_words(features: pd.DataFrame) -> str:
    """The features that a configuration selects on all rows (the frame of `Tuning.features`), in a sentence."""
    names = features.loc[features["selected"], "feature"].tolist()
    if not names:
        return "On all rows it selects no feature."
    return f"On all rows it selects {len(names)}: {listed(names, NAMED, last=', ')}."


def _answer(tuning: Tuning, chosen: int, rule: str | None) -> list[str]:
    on_front = len(tuning.front)
    values = tuning.frame.loc[chosen]
    params = next(drawn for n, drawn, _ in tuning.trials if n == chosen)
    words, _ = rule_words(tuning, rule or DEFAULT_RULE)
    reached = listed([reached_words(name, values[name]) for name in tuning.objectives])
    return [
        f"{counted(len(tuning.frame), 'configuration')} {'was' if len(tuning.frame) == 1 else 'were'} tried, "
        f"{on_front} {'is' if on_front == 1 else 'are'} on the front.",
        *_left_out(tuning),
        f"Chosen by {rule or DEFAULT_RULE}: configuration {chosen}, {words}.",
        f"It is {shown_name(settings_words(params))}, and reaches {reached}.",
        selected_words(tuning.features(chosen)),
    ]


def _left_out(tuning: Tuning) -> list[str]:
    """What became of configurations that could not be on the front."""
    frame, said = tuning.frame, []
    failed = frame[N_FEATURES].isna()
    undefined = int((frame[list(tuning.objectives)].isna().any(axis=1) & ~failed).sum())
    if failed.any():
        reason = next((text for text in frame.loc[failed, "reason"] if text), "no run was left")
        said.append(f"{int(failed.sum())} failed in every run, the first because {shown_name(reason.rstrip('.'))}.")
    if undefined:
        have = "has" if undefined == 1 else "have"
        said.append(f"{undefined} {have} an undefined objective (such as the stability of selecting everything).")
    return said


def _row(tuning: Tuning, chosen: int, name: str, sel: Selections, level: float) -> Procedure:
    values = tuning.frame.loc[chosen].to_dict()
    found = steadiness(sel, measure=tuning.evaluator.measure, level=level, similarity=tuning.evaluator.similarity)
    low, high = _interval(tuning, chosen, sel, level)
    return Procedure(
        name,
        sel.n_runs,
        float(values.get(STABILITY, nan)),
        low,
        high,
        found.verdict,
        float(values[N_FEATURES]),
        {
            score: Score(float(values[score]), float(values[f"{score}_se"]) * _overlap(tuning, sel.n_runs))
            for score in tuning.evaluator.plan.score_names
        },
        int(values["failures"]),
        note=found.note,
    )


def _interval(tuning: Tuning, chosen: int, sel: Selections, level: float) -> tuple[float, float]:
    """That of the tuning, or computed again in the same way where another level is asked for."""
    evaluator, values = tuning.evaluator, tuning.frame.loc[chosen].to_dict()
    if level == LEVEL or sel.n_runs < 2:
        return float(values.get("stability_low", nan)), float(values.get("stability_high", nan))
    options: Any = {"similarity": evaluator.similarity, "random_state": evaluator.plan.seed}
    found = confidence_interval(sel, evaluator.measure, level=level, **options)
    return found.low, found.high


def _overlap(tuning: Tuning, n_runs: int) -> float:
    """What sd / sqrt(runs) is multiplied with to be the corrected error of findings (Nadeau and Bengio 2003)."""
    plan = tuning.evaluator.plan
    return sqrt(1 + n_runs * plan.resampling.test_ratio(plan.rows, plan.seed))
