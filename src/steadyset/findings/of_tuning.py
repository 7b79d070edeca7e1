"""What a tuning says: the Pareto front, the chosen configuration, what it selects; and its methods paragraphs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from importlib.metadata import version
from math import nan, sqrt
from typing import TYPE_CHECKING, Any

from steadyset._version import __version__
from steadyset.assessment.request import data_details, fingerprint, prepared_settings
from steadyset.assessment.result import baseline_words, steadiness
from steadyset.findings import paragraphs
from steadyset.findings.citations import Methods, cite, sentences, told
from steadyset.findings.of_results import cores_of, rows_of, target_told
from steadyset.findings.parts import Configuration, Findings, Procedure, Reason, Score
from steadyset.foundation.arguments import LEVEL
from steadyset.foundation.text import counted, listed, number, shown_name
from steadyset.inference.interval import confidence_interval
from steadyset.inference.table import cautions
from steadyset.runner.plan import extract_of, most_selected
from steadyset.runner.scoring import lower_is_better, score_title
from steadyset.selections import Selections
from steadyset.selectors.catalogue import about_selector
from steadyset.selectors.filters import get_filter
from steadyset.tasks import TASKS
from steadyset.tuning import Tuning
from steadyset.tuning.choose import check_rule
from steadyset.tuning.evaluation import N_FEATURES, SECONDS, STABILITY
from steadyset.tuning.models import NO_FILTER
from steadyset.tuning.result import settings_words
from steadyset.tuning.space import Range

if TYPE_CHECKING:
    import pandas as pd

NAMED = 20  # features that are named in the answer
SAMPLERS = {
    "random": ("drawn at random", "bergstra2012"),
    "grid": ("all of a grid", ""),
    "nsga2": ("proposed by NSGA-II", "deb2002"),
    "tpe": ("proposed by tree-structured Parzen estimators", "bergstra2011"),
}
OBJECTIVES = {N_FEATURES: "the number of features", SECONDS: "the time of a fit"}
DEFAULT_RULE = "epsilon:0.025,0.1"


def of_tuning(tuning: Tuning, *, core: float, level: float, choose: str | None) -> Findings:
    """The front and the configuration that the rule `choose` picks; its fits are computed again for its features."""
    chosen = tuning.choose() if choose is None else tuning.choose(choose)
    blind = tuning.evaluator.blind_scores()
    least, beaten = _baseline(tuning, blind)
    name, sel = f"configuration {chosen}", tuning.selections(chosen)
    selections, rows = {name: sel}, (_row(tuning, chosen, name, sel, level, blind),)
    frame, plan = tuning.frame, tuning.evaluator.plan
    settings = _settings(tuning, choose or DEFAULT_RULE, sel.features)
    found = Findings(
        "tuning",
        f"{counted(len(plan.y), 'row')}, {counted(plan.X.shape[1], 'feature')}, "
        f"{counted(len(frame), 'configuration')} tried",
        tuning.evaluator.measure,
        level,
        core,
        plan.score_names,
        tuple(_answer(tuning, chosen, choose, least, beaten)),
        rows,
        cores=cores_of(selections, rows, core),
        features=rows_of(tuning.feature_blocks(chosen, core=core, level=level)),
        # Without configurations that predict no better than no features, unless one of these is chosen.
        front=tuple(one for one in front_of(tuning, chosen) if one.chosen or _is_above(tuning, one.number, least)),
        failures=tuple(
            Reason(f"configuration {number}", int(row["failures"]), str(row["reason"]))
            for number, row in zip(frame.index, frame.to_dict("records"), strict=True)
            if row.get("reason")
        ),
        notes=(*target_told(settings), *cautions(row.note for row in rows)),
        settings=settings,
        selections=selections,
        trials=tuning,
        extract=extract_of(plan, sel.features, most_selected(selections)),
    )
    return replace(found, methods=methods_of_tuning(tuning, found, chosen, choose))


def _settings(tuning: Tuning, rule: str, features: Sequence[str]) -> dict[str, Any]:
    plan = tuning.evaluator.plan
    return {
        "n_rows": len(plan.y),
        "n_features": plan.X.shape[1],
        "task": plan.task,
        "impute": plan.impute,
        **prepared_settings(plan),
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
        "details": {**data_details(plan, tuning.target, features), "predictor": ""},  # each configuration has its own
    }


def front_of(tuning: Tuning, chosen: int) -> tuple[Configuration, ...]:
    """The front, the best first objective first, and the chosen configuration where it is not on it."""
    probability = tuning.front_probability()
    params = {number: drawn for number, drawn, _ in tuning.trials}
    values = {number: found for number, _, found in tuning.trials}
    numbers = list(tuning.front.index)
    found = []
    for n in [*numbers, *([] if chosen in numbers else [chosen])]:
        reached = {name: float(values[n][name]) for name in tuning.objectives}
        found.append(Configuration(int(n), dict(params[n]), reached, float(probability[n]), n == chosen))
    return tuple(found)


def selected_words(features: pd.DataFrame) -> str:
    """The features that a configuration selects on all rows (the frame of `Tuning.features`), in a sentence."""
    names = features.loc[features["selected"], "feature"].tolist()
    if not names:
        return "On all rows it selects no feature."
    return f"On all rows it selects {len(names)}: {listed(names, NAMED, last=', ')}."


def _is_above(tuning: Tuning, number: int, blind: Mapping[str, float], *, surely: bool = False) -> bool:
    """Whether the first score is better than without features; `surely` asks its whole interval."""
    score = next((name for name in tuning.objectives if name in blind), None)
    if score is None:
        return True
    place = tuning.frame.index.get_loc(number)
    value, low, high = (float(side[place]) for side in tuning.interval(score))
    lower = lower_is_better(score)
    end = value if not surely else high if lower else low
    return end < blind[score] if lower else end > blind[score]


def _recommended(tuning: Tuning, chosen: int, blind: Mapping[str, float], beaten: str) -> str:
    """The headline: the configuration to take, or that none is shown to predict."""
    values = tuning.frame.loc[chosen]
    params = next(drawn for n, drawn, _ in tuning.trials if n == chosen)
    reached = listed([reached_words(name, values[name]) for name in tuning.objectives])
    which = f"configuration {chosen} ({shown_name(settings_words(params))}), with {reached}"
    if _is_above(tuning, chosen, blind, surely=True):
        return f"Recommended is {which}."
    score = next(name for name in tuning.objectives if name in blind)
    without = f"{score_title(score)} {number(blind[score], 3)}"
    return f"No configuration is shown to predict better than {beaten} ({without}); the closest is {which}."


def _baseline(tuning: Tuning, blind: Mapping[str, float]) -> tuple[Mapping[str, float], str]:
    """What a configuration has to beat: the covariates alone, or nothing at all where that predicts better."""
    plan, score = tuning.evaluator.plan, next((name for name in tuning.objectives if name in blind), None)
    if plan.forced is not None and score is not None:
        nothing = tuning.evaluator.blind_scores(covariates=False)
        if (nothing[score] < blind[score]) if lower_is_better(score) else (nothing[score] > blind[score]):
            return nothing, baseline_words({})[1]
    return blind, baseline_words(prepared_settings(plan))[1]


def _answer(tuning: Tuning, chosen: int, rule: str | None, blind: Mapping[str, float], beaten: str) -> list[str]:
    on_front = len(tuning.front)
    below = on_front - sum(_is_above(tuning, int(n), blind) for n in tuning.front.index)
    words, _ = rule_words(tuning, rule or DEFAULT_RULE)
    return [
        _recommended(tuning, chosen, blind, beaten),
        f"{counted(len(tuning.frame), 'configuration')} {'was' if len(tuning.frame) == 1 else 'were'} tried, "
        f"{on_front} {'is' if on_front == 1 else 'are'} on the front.",
        *([f"{below} on the front predict no better than {beaten}, and are not recommended."] * bool(below)),
        *_left_out(tuning),
        f"Chosen by {(rule or DEFAULT_RULE).partition(':')[0]}: configuration {chosen}, {words}.",
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


def _row(
    tuning: Tuning, chosen: int, name: str, sel: Selections, level: float, blind: Mapping[str, float]
) -> Procedure:
    values = tuning.frame.loc[chosen].to_dict()
    found = steadiness(sel, measure=tuning.evaluator.measure, level=level, similarity=tuning.evaluator.similarity)
    ends = float(values.get(STABILITY, nan)), *_interval(tuning, chosen, sel, level)
    scores = {
        score: Score(float(values[score]), float(values[f"{score}_se"]) * _overlap(tuning, sel.n_runs), blind[score])
        for score in tuning.evaluator.plan.score_names
    }
    size, failures = float(values[N_FEATURES]), int(values["failures"])
    return Procedure(name, sel.n_runs, *ends, found.verdict, size, scores, failures, note=found.note)


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


def methods_of_tuning(tuning: Tuning, found: Findings, chosen: int, choose: str | None) -> Methods:
    """Data, configurations and resampling; then objectives, the choice and software."""
    settings, plan = found.settings, tuning.evaluator.plan
    details, alike = settings["details"], tuning.evaluator.similarity
    failed = int(tuning.frame[N_FEATURES].isna().sum())
    left_out = f"Of these configurations {failed} failed in every run and could not be chosen."
    first = sentences(
        *paragraphs.data_sentences(settings, details),
        told("12c", _configurations(tuning)),
        told("12c", _space(tuning)),
        told("12c", _refitted(tuning)),
        paragraphs.resampling_sentence(settings, details, plan.n_runs, "Each configuration"),
        told("12c", left_out if failed else ""),
    )
    optuna = f"Optuna {version('optuna')}{cite('akiba2019')}"
    second = sentences(
        *paragraphs.stability_sentences(found),
        told("12e", f"Features counted as alike from a similarity of {alike.threshold:g} on." if alike else ""),
        told("12c", _choice(tuning, chosen, choose or DEFAULT_RULE)),
        paragraphs.core_sentence(found, "chosen configuration"),
        paragraphs.frequency_sentence(found),
        paragraphs.direction_sentence(found, plan.task),
        paragraphs.software_sentence(__version__, details["versions"], learn=True, more=optuna),
    )
    return Methods((first, second), paragraphs.results_sentences(found))


def _configurations(tuning: Tuning) -> str:
    words, key = SAMPLERS[tuning.sampler]
    names = listed([OBJECTIVES.get(name, score_title(name)) for name in tuning.objectives])
    drawn = f"Configurations of a filter and a model ({len(tuning.frame)}), {words}{cite(key)}"
    return f"{drawn}, were judged by {names}."


def _space(tuning: Tuning) -> str:
    space, task = tuning.space, tuning.evaluator.plan.task
    filters = []
    for name in space.filters:
        if name == NO_FILTER:
            filters.append("no filter")
        else:
            record = get_filter(name)
            filters.append(
                f"{_with_summary(name, record.told_for(task, 'summary'))}{cite(record.told_for(task, 'reference'))}"
            )
    models = []
    for name, model in space.models.items():
        summary, text = about_selector(model.estimator, task)
        learn = paragraphs.LEARN[1] if type(model.estimator).__module__.startswith("sklearn.") else ""
        models.append(f"{_with_summary(name, summary)}{cite(text, learn)}")
    kept = "" if set(space.filters) == {NO_FILTER} else f", keeping {_domain(space.fraction)} of the features"
    return f"Filters were {paragraphs.one_by_one(filters)}{kept}; models were {paragraphs.one_by_one(models)}."


def _refitted(tuning: Tuning) -> str:
    """Who predicts, where that is not the model that selected."""
    names = [name for name, model in tuning.space.models.items() if hasattr(model.estimator, "get_support")]
    if not tuning.evaluator.refits or not names:
        return ""
    words = TASKS[tuning.evaluator.plan.task].predictor_words
    return f"What {paragraphs.one_by_one(names)} selected was judged by a {words} fitted to it."


def _with_summary(name: str, summary: str) -> str:
    return f"{shown_name(name)}{f' ({summary})' if summary else ''}"


def _domain(domain: Any) -> str:
    if isinstance(domain, Range):
        return f"a share from {domain.low:g} to {domain.high:g}"
    return f"a share of {listed([f'{value:g}' for value in domain], 10, last=' or ')}"


def _choice(tuning: Tuning, chosen: int, rule: str) -> str:
    words, key = rule_words(tuning, rule)
    values = tuning.frame.loc[chosen]
    params = next(drawn for n, drawn, _ in tuning.trials if n == chosen)
    reached = listed([reached_words(one, values[one]) for one in tuning.objectives])
    chose = f"Configuration {chosen} ({shown_name(settings_words(params))}; {reached})"
    return f"{chose} was chosen as {words}{cite(key)}."


def rule_words(tuning: Tuning, rule: str) -> tuple[str, str]:
    """What the chosen configuration is by a rule, and the reference of the rule."""
    found, numbers = check_rule(rule)
    score = next((one for one in tuning.objectives if one not in (STABILITY, N_FEATURES, SECONDS)), "score")
    return found.words.format(*numbers, score=score_title(score)), found.reference


def reached_words(name: str, value: Any) -> str:
    """An objective and what a configuration reached of it."""
    if name == N_FEATURES:
        return counted(float(value), "feature")
    return f"{score_title(name)} {number(float(value), 3)}"
