"""What a tuning says: the Pareto front, the chosen configuration, what it selects; and its methods paragraphs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from importlib.metadata import version
from math import isclose, isnan, nan
from typing import Any

import numpy as np

from steadyset._version import __version__
from steadyset.assessment.request import data_details, fingerprint, prepared_settings
from steadyset.assessment.result import NOT_ABOVE, baseline_words, steadiness
from steadyset.findings import paragraphs
from steadyset.findings.citations import Methods, cite, sentences, told
from steadyset.findings.of_results import cores_of, rows_of, target_told
from steadyset.findings.parts import ByThreshold, Choice, Configuration, Findings, Procedure, Reason, Score
from steadyset.foundation.arguments import LEVEL
from steadyset.foundation.errors import InputError
from steadyset.foundation.text import counted, lasting, listed, number, percent, shown_name, span
from steadyset.inference.features import Directions
from steadyset.inference.interval import confidence_interval
from steadyset.inference.table import THRESHOLDS, cautions, threshold_rows
from steadyset.measures import get_measure
from steadyset.measures.evaluate import Options, is_of_scale
from steadyset.runner.columns import filled_by_medians
from steadyset.runner.plan import extract_of, most_selected
from steadyset.runner.scoring import lower_is_better, score_title
from steadyset.selections import Selections
from steadyset.selectors.catalogue import about_selector
from steadyset.selectors.filters import get_filter, ranked
from steadyset.tasks import TASKS
from steadyset.tuning import Tuning
from steadyset.tuning.choose import DEFAULT_RULE, check_rule
from steadyset.tuning.evaluation import N_FEATURES, SECONDS, STABILITY
from steadyset.tuning.models import NO_FILTER, only_selects
from steadyset.tuning.nested import nested_seconds, proposed_folds
from steadyset.tuning.result import Trials, settings_words
from steadyset.tuning.space import Range

SAMPLERS = {
    "random": ("drawn at random", "bergstra2012"),
    "grid": ("all of a grid", ""),
    "nsga2": ("proposed by NSGA-II", "deb2002"),
    "tpe": ("proposed by tree-structured Parzen estimators", "bergstra2011"),
}
OBJECTIVES = {N_FEATURES: "the number of features", SECONDS: "the time of a fit"}
ALTERNATIVES = (
    (DEFAULT_RULE, "smallest within the margins"),
    ("best", "most accurate"),
    ("stable", "most stable"),
    ("smallest", "smallest"),
)


def of_tuning(tuning: Tuning, *, core: float, level: float, choose: str | None) -> Findings:
    """The front and the configuration that the rule `choose` picks; its fits are computed again for its features."""
    chosen = tuning.choose(choose or DEFAULT_RULE)
    is_recommended = tuning.is_shown_better(chosen)
    blind = tuning.evaluator.blind_scores()
    name, sel = f"configuration {chosen}", tuning.selections(chosen)
    # Features of a configuration that does not predict are no list.
    selections = {name: sel} if is_recommended else {}
    rows = (_row(tuning, chosen, name, sel, level, blind),)
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
        tuple(_answer(tuning, chosen, choose, is_recommended)),
        rows,
        cores=cores_of(selections, rows, core) if is_recommended else (),
        features=rows_of(tuning.feature_blocks(chosen, core=core, level=level)) if is_recommended else (),
        choices=_choices(tuning, chosen, choose) if is_recommended else (),
        # Without configurations that predict no better than no features, unless one of these is chosen.
        front=tuple(one for one in front_of(tuning, chosen) if one.chosen or _is_above(tuning, one.number)),
        failures=tuple(
            Reason(f"configuration {number}", int(row["failures"]), str(row["reason"]))
            for number, row in zip(frame.index, frame.to_dict("records"), strict=True)
            if row.get("reason")
        ),
        thresholds=_by_threshold(tuning, name, sel, level),
        notes=(*target_told(settings), *cautions(row.note for row in rows)),
        settings=settings,
        selections=selections,
        trials=tuning,
        extract=extract_of(plan, sel.features, most_selected(selections)) if is_recommended else None,
    )
    return replace(found, methods=methods_of_tuning(tuning, found, chosen, choose))


def _by_threshold(tuning: Tuning, name: str, sel: Selections, level: float) -> tuple[ByThreshold, ...]:
    """Return the stability of the chosen configuration by the threshold of similarity; nothing without a similarity."""
    evaluator = tuning.evaluator
    if evaluator.similarity is None or "similarity" not in get_measure(evaluator.measure).needs or sel.n_runs < 2:
        return ()
    options = Options(similarity=evaluator.similarity, random_state=evaluator.plan.seed)
    thresholds = sorted({*THRESHOLDS, evaluator.similarity.threshold})
    found = threshold_rows(sel, [evaluator.measure], options, level, thresholds)
    return tuple(
        ByThreshold(name, row["measure"], threshold, row["estimate"], row["low"], row["high"])
        for threshold, (row,) in found.items()
    )


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
        "nested": tuning.n_nested,
        "outer_folds": proposed_folds(tuning),
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


def _value(tuning: Tuning, number: int, name: str) -> float:
    return float(tuning.column(name)[tuning.frame.index.get_loc(number)])


def _is_above(tuning: Tuning, number: int) -> bool:
    """Return whether the score of a configuration is above the baseline, significantly or not."""
    baseline = tuning.baseline
    if baseline is None or baseline.mean is None:
        return True
    value = _value(tuning, number, baseline.score)
    return value < baseline.mean if lower_is_better(baseline.score) else value > baseline.mean


def _reached(tuning: Tuning, number: int) -> str:
    """What a configuration is, and what it reached, with the interval of its score."""
    values = tuning.frame.loc[number]
    params = next(drawn for n, drawn, _ in tuning.trials if n == number)
    words = []
    for name in tuning.objectives:
        text = reached_words(name, values[name])
        if name in tuning.evaluator.plan.score_names:
            _, low, high = (float(side[tuning.frame.index.get_loc(number)]) for side in tuning.interval(name))
            text += f" ({percent(LEVEL)} CI {span(low, high, 3)})"
        words.append(text)
    return f"configuration {number} ({shown_name(settings_words(params))}), with {listed(words)}"


def _answer(tuning: Tuning, chosen: int, rule: str | None, is_recommended: bool) -> list[str]:
    n_tried, n_front = len(tuning.frame), len(tuning.front)
    tried = f"{counted(n_tried, 'configuration')} {'was' if n_tried == 1 else 'were'} tried"
    counts = f"{tried}, {n_front} {'is' if n_front == 1 else 'are'} on the front."
    if not is_recommended:
        honest = [] if tuning.n_nested is None else _honest(tuning, chosen, rule)
        return [_not_recommended(tuning, chosen, rule), *honest, counts, *_left_out(tuning)]
    below = n_front - sum(_is_above(tuning, int(n)) for n in tuning.front.index)
    words, _ = rule_words(tuning, rule or DEFAULT_RULE)
    return [
        f"Recommended is {_reached(tuning, chosen)}.",
        *_gain(tuning, chosen),
        *_honest(tuning, chosen, rule),
        counts,
        *_below(tuning, below),
        *_left_out(tuning),
        f"Rule of choice: {(rule or DEFAULT_RULE).partition(':')[0]}, {words}.{_among(tuning, rule)}",
    ]


def _below(tuning: Tuning, n: int) -> list[str]:
    if not n:
        return []
    predict, are = ("predicts", "is") if n == 1 else ("predict", "are")
    return [f"{n} on the front {predict} no better than {_beaten(tuning)}, and {are} not recommended."]


def _among(tuning: Tuning, rule: str | None) -> str:
    """Return a sentence if the rule chose among some configurations only; "" if it chose among all."""
    taken = rule or DEFAULT_RULE
    if Trials.choose(tuning, taken) == tuning.choose(taken):
        return ""
    n_better = int((tuning.least_gains > 0).sum())
    better = f"significantly better than {_beaten(tuning)}"
    if n_better == 1:
        return f" Only this configuration predicts {better}."
    return f" The rule was applied to the {n_better} configurations that predict {better}."


def _beaten(tuning: Tuning) -> str:
    """The baseline in words."""
    baseline = tuning.baseline
    settings = prepared_settings(tuning.evaluator.plan) if baseline is not None and baseline.has_covariates else {}
    return baseline_words(settings)[1]


def _not_recommended(tuning: Tuning, chosen: int, rule: str | None) -> str:
    baseline = tuning.baseline
    assert baseline is not None
    if baseline.mean is None:
        title = score_title(baseline.score)
        return f"No configuration can be compared with {_beaten(tuning)}. Their {title} is undefined in every run."
    without = f"{score_title(baseline.score)} {number(baseline.mean, 3)}"
    if (tuning.least_gains > 0).any():  # the rule took another one
        return (
            f"Configuration {chosen}, chosen by {rule}, does not predict significantly better than {_beaten(tuning)} "
            f"({without}); other configurations do."
        )
    return f"No configuration predicts significantly better than {_beaten(tuning)} ({without})."


def _gain(tuning: Tuning, chosen: int) -> list[str]:
    """How much better than the baseline the chosen configuration is at least."""
    baseline = tuning.baseline
    if baseline is None or baseline.mean is None:
        return []
    least = float(tuning.least_gains[tuning.frame.index.get_loc(chosen)])
    many = len(tuning.frame) > 1
    corrected = f", corrected for the choice among {len(tuning.frame)} configurations" if many else ""
    better = (
        f"It predicts significantly better than {_beaten(tuning)} ({score_title(baseline.score)} "
        f"{number(baseline.mean, 3)})"
    )
    if isclose(least, tuning.gains[tuning.frame.index.get_loc(chosen)]):  # no spread from which to say how much
        return [f"{better}: in all runs alike{corrected}."]
    return [f"{better}: by at least {number(least, 3)} ({percent(LEVEL)} confidence{corrected})."]


def _honest(tuning: Tuning, chosen: int, rule: str | None) -> list[str]:
    """Whether the score was used to choose, and the honest one, or how long it would take."""
    baseline = tuning.baseline
    if baseline is None or (len(tuning.frame) == 1 and tuning.n_nested is None):
        return []
    title = score_title(baseline.score)
    value = number(_value(tuning, chosen, baseline.score), 3)
    used = f"The {title} {value} was used to choose among {counted(len(tuning.frame), 'configuration')}"
    if tuning.n_nested is None:
        return [f"{used}, and is too good on average.", *_offered(tuning)]
    found = tuning.nested_score(tuning.n_nested, rule or DEFAULT_RULE)
    n_scored = int(np.isfinite(found.values).sum())
    folds = counted(tuning.n_nested, "outer fold")
    if n_scored < tuning.n_nested:
        folds = f"{n_scored} of {folds}; the others have no score"
    interval = "no interval from a single score"
    if not isnan(found.low):
        interval = f"{percent(LEVEL)} CI {span(found.low, found.high, 3)}"
    return [
        f"Honest {title} of the search and its choice: {number(found.mean, 3)} ({interval}), on the left-out rows of "
        f"{folds}. {used}."
    ]


def _offered(tuning: Tuning) -> list[str]:
    """Return how long nested resampling takes; nothing if the data cannot have it."""
    n_folds = proposed_folds(tuning)
    if not n_folds:
        return []
    seconds = nested_seconds(tuning, n_folds)
    time = "" if isnan(seconds) else f" in about {lasting(max(1.0, seconds))}"
    return [f"Nested resampling with {n_folds} outer folds estimates an honest one{time}."]


def _choices(tuning: Tuning, chosen: int, rule: str | None) -> tuple[Choice, ...]:
    """Return the recommended configuration with its features, and what other rules choose."""
    taken = rule or DEFAULT_RULE
    named = dict(ALTERNATIVES)
    rules = [(taken, named.get(taken, rule_words(tuning, taken)[0])), *ALTERNATIVES]
    found = []
    for name, words in dict(rules).items():
        try:
            number = chosen if name == taken else tuning.choose(name)
        except (InputError, KeyError):  # the rule needs what is not known
            continue
        params = next(drawn for one, drawn, _ in tuning.trials if one == number)
        reached = {one: _value(tuning, number, one) for one in tuning.objectives}
        made = Choice(
            name, words, int(number), settings_words(params), reached, tuning.is_shown_better(number), name == taken
        )
        found.append(replace(made, **_strongest(tuning, number)) if name == taken else made)
    return tuple(found)


def _strongest(tuning: Tuning, number: int) -> dict[str, Any]:
    """Return the features that a configuration selects on all rows, in the order of their association with the target.

    The order is that of the F test of each feature with the target, for times that of Cox's score test.
    """
    table = tuning.features(number)
    names = table.loc[table["selected"], "feature"].tolist()
    plan = tuning.evaluator.plan
    every = tuning.selections(number).features
    X = filled_by_medians(plan.X)
    strength: dict[str, int] = {}
    with suppress(InputError):  # a task of somebody else may have no such test
        best = ranked("anova", X, plan.y, np.ones((1, len(plan.y))), k=X.shape[1], task=plan.task).best(X.shape[1])
        strength = {every[feature]: place for place, feature in enumerate(best[0].tolist()) if feature >= 0}
    names.sort(key=lambda name: strength.get(name, len(every)))
    places = {name: place for place, name in enumerate(every)}
    columns = np.array([places[name] for name in names], dtype=np.int64)
    ways = Directions.of(X, plan.y, plan.task).words(columns)
    return {"features": tuple(map(str, names)), "directions": tuple(ways)}


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
    scores = {score: _score(tuning, chosen, score, level, blind[score]) for score in tuning.evaluator.plan.score_names}
    size, failures = float(values[N_FEATURES]), int(values["failures"])
    verdict = found.verdict
    if is_of_scale(verdict) and not tuning.is_shown_better(chosen):
        verdict = NOT_ABOVE
    return Procedure(name, sel.n_runs, *ends, verdict, size, scores, failures, note=found.note)


def _interval(tuning: Tuning, chosen: int, sel: Selections, level: float) -> tuple[float, float]:
    """That of the tuning, or computed again in the same way where another level is asked for."""
    evaluator, values = tuning.evaluator, tuning.frame.loc[chosen].to_dict()
    if level == LEVEL or sel.n_runs < 2:
        return float(values.get("stability_low", nan)), float(values.get("stability_high", nan))
    options: Any = {"similarity": evaluator.similarity, "random_state": evaluator.plan.seed}
    found = confidence_interval(sel, evaluator.measure, level=level, **options)
    return found.low, found.high


def _score(tuning: Tuning, chosen: int, score: str, level: float, blind: float) -> Score:
    """Return a score of a configuration with the error and the interval that `Tuning.interval` has."""
    place = [number for number, _, _ in tuning.trials].index(chosen)
    values = np.array(tuning.of_runs[place][score].split(), dtype=np.float64)
    ratio, hidden = tuning.evaluator.test_ratio, tuning.evaluator.hidden_spread(score)
    low, high = hidden.interval(values, ratio, level)
    return Score(_value(tuning, chosen, score), hidden.error(values, ratio), blind, low=low, high=high)


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
    honest = [one for one in found.answer if one.startswith(("Honest", "The ")) and "used to choose" in one]
    compared = _comparison(tuning) if tuning.baseline is not None else ""
    optuna = f"Optuna {version('optuna')}{cite('akiba2019')}"
    second = sentences(
        *paragraphs.stability_sentences(found),
        told("12e", f"Features counted as alike from a similarity of {alike.threshold:g} on." if alike else ""),
        told("12e", compared),
        told("12c", _choice(tuning, chosen, choose or DEFAULT_RULE, is_recommended=bool(found.choices))),
        *(told("12c", sentence) for sentence in honest),
        paragraphs.core_sentence(found, "chosen configuration"),
        paragraphs.frequency_sentence(found),
        paragraphs.direction_sentence(found, plan.task),
        paragraphs.software_sentence(__version__, details["versions"], learn=True, more=optuna),
    )
    # Without a recommendation the result is that there is none; what the configuration selects is no result.
    none = () if found.choices else sentences(told("23a", found.answer[0]))
    return Methods((first, second), (*none, *paragraphs.results_sentences(found)))


def _comparison(tuning: Tuning) -> str:
    """How configurations were compared with the baseline."""
    many = f" and a critical value that holds for all configurations together{cite('chernozhukov2013')}"
    return (
        f"Configurations were recommended only if they predicted significantly better than {_beaten(tuning)}: by lower "
        f"ends of {percent(LEVEL)} intervals with the error that is corrected for overlapping training rows"
        f"{cite('nadeau2003')}{many if len(tuning.frame) > 1 else ''}."
    )


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
    names = []
    for name, model in tuning.space.models.items():
        is_judged_so = tuning.evaluator.refits and hasattr(model.estimator, "get_support")
        if is_judged_so or only_selects(model.estimator):
            names.append(name)
    if not names:
        return ""
    words = TASKS[tuning.evaluator.plan.task].predictor_words
    return f"What {paragraphs.one_by_one(names)} selected was judged by a {words} fitted to it."


def _with_summary(name: str, summary: str) -> str:
    return f"{shown_name(name)}{f' ({summary})' if summary else ''}"


def _domain(domain: Any) -> str:
    if isinstance(domain, Range):
        return f"a share from {domain.low:g} to {domain.high:g}"
    return f"a share of {listed([f'{value:g}' for value in domain], 10, last=' or ')}"


def _choice(tuning: Tuning, chosen: int, rule: str, *, is_recommended: bool) -> str:
    words, key = rule_words(tuning, rule)
    values = tuning.frame.loc[chosen]
    params = next(drawn for n, drawn, _ in tuning.trials if n == chosen)
    reached = listed([reached_words(one, values[one]) for one in tuning.objectives])
    chose = f"onfiguration {chosen} ({shown_name(settings_words(params))}; {reached})"
    if not is_recommended:
        return f"The rule of choice led to c{chose}, {words}{cite(key)}. It was not recommended."
    return f"C{chose} was chosen as {words}{cite(key)}."


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
