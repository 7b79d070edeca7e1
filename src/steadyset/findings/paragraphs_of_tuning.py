"""The methods paragraphs of a tuning: what was tried, on what, and how one configuration was chosen."""

from __future__ import annotations

from collections.abc import Mapping
from importlib.metadata import version
from typing import Any

from steadyset._version import __version__
from steadyset.findings.cited_text import Methods, Part, cite, joined, sentences, told
from steadyset.findings.paragraphs import (
    core_sentence,
    data_sentences,
    direction_sentence,
    frequency_sentence,
    resampling_sentence,
    software_sentence,
    stability_sentences,
)
from steadyset.findings.parts import Findings
from steadyset.findings.references import reference
from steadyset.findings.results_paragraph import results_sentences, score_words
from steadyset.foundation.text import counted, listed, number, shown_name
from steadyset.selectors.filters import get_filter
from steadyset.selectors.listing import about_selector
from steadyset.tuning import Tuning, check_rule
from steadyset.tuning.evaluation import N_FEATURES, SECONDS, STABILITY
from steadyset.tuning.filtered import NO_FILTER
from steadyset.tuning.space import Range
from steadyset.tuning.trials import settings_words

SAMPLERS = {
    "random": ("drawn at random", "bergstra2012"),
    "grid": ("all of a grid", ""),
    "nsga2": ("proposed by NSGA-II", "deb2002"),
    "tpe": ("proposed by tree-structured Parzen estimators", "bergstra2011"),
}
OBJECTIVES = {N_FEATURES: "the number of features", SECONDS: "the time of a fit"}
DEFAULT_RULE = "epsilon:0.025,0.1"


def of_tuning(tuning: Tuning, found: Findings, chosen: int, choose: str | None) -> Methods:
    """Data, configurations and resampling; then objectives, the choice and software."""
    settings, plan = found.settings, tuning.evaluator.plan
    details = settings["details"]
    first = sentences(
        *data_sentences(settings, details),
        told("12c", _configurations(tuning)),
        told("12c", _space(tuning)),
        resampling_sentence(settings, details, plan.n_runs, "Each configuration"),
        told("12c", _failed(tuning)),
    )
    optuna: list[Part] = [f"Optuna {version('optuna')}", cite(reference("akiba2019"))]
    second = sentences(
        *stability_sentences(found),
        told("12e", _similarity(tuning)),
        told("12c", _choice(tuning, chosen, choose or DEFAULT_RULE)),
        core_sentence(found, "chosen configuration"),
        frequency_sentence(found),
        direction_sentence(found),
        software_sentence(__version__, details["versions"], learn=True, more=optuna),
    )
    return Methods((first, second), results_sentences(found))


def _configurations(tuning: Tuning) -> list[Part]:
    words, key = SAMPLERS[tuning.sampler]
    names = listed([OBJECTIVES.get(name, score_words(name)) for name in tuning.objectives])
    drawn: list[Part] = [f"Configurations of a filter and a model ({len(tuning.frame)}), {words}"]
    return [*drawn, cite(reference(key)) if key else "", f", were judged by {names}."]


def _space(tuning: Tuning) -> list[Part]:
    space, task = tuning.space, tuning.evaluator.plan.task
    filters: list[list[Part]] = []
    for name in space.filters:
        if name == NO_FILTER:
            filters.append(["no filter"])
        else:
            record = get_filter(name)
            words = record.summary_for(task)
            filters.append([f"{shown_name(name)}{f' ({words})' if words else ''}", cite(record.reference)])
    models: list[list[Part]] = []
    for name, model in space.models.items():
        summary, text = about_selector(model.estimator, task)
        learn = [reference("pedregosa2011")] if type(model.estimator).__module__.startswith("sklearn.") else []
        models.append([f"{shown_name(name)}{f' ({summary})' if summary else ''}", cite(text, *learn)])
    kept = "" if set(space.filters) == {NO_FILTER} else f", keeping {_domain(space.fraction)} of the features"
    listed_models = joined(models, ", ", " and ")
    return ["Filters were ", *joined(filters, ", ", " and "), f"{kept}; models were ", *listed_models, "."]


def _domain(domain: Any) -> str:
    if isinstance(domain, Range):
        return f"a share from {domain.low:g} to {domain.high:g}"
    return f"a share of {listed([f'{value:g}' for value in domain], 10, last=' or ')}"


def _failed(tuning: Tuning) -> list[Part]:
    failed = int(tuning.frame[N_FEATURES].isna().sum())
    return [f"Of these configurations {failed} failed in every run and could not be chosen."] if failed else []


def _similarity(tuning: Tuning) -> list[Part]:
    similarity = tuning.evaluator.similarity
    if similarity is None:
        return []
    return [f"Features counted as alike from a similarity of {similarity.threshold:g} on."]


def _choice(tuning: Tuning, chosen: int, rule: str) -> list[Part]:
    words, key = rule_words(tuning, rule)
    values = tuning.frame.loc[chosen]
    params = next(drawn for n, drawn, _ in tuning.trials if n == chosen)
    reached = listed([reached_words(one, values[one]) for one in tuning.objectives])
    chose: list[Part] = [
        f"Configuration {chosen} ({shown_name(settings_words(params))}; {reached}) was chosen as {words}"
    ]
    return [*chose, cite(reference(key)) if key else "", "."]


def rule_words(tuning: Tuning, rule: str) -> tuple[str, str]:
    """What the chosen configuration is by a rule, and the reference of the rule."""
    name, numbers = check_rule(rule)
    score = next((one for one in tuning.objectives if one not in (STABILITY, N_FEATURES, SECONDS)), "score")
    rules: Mapping[str, tuple[str, str]] = {
        "epsilon": (
            "the first in {score} of those that are within {0:g} of the best {score} and, among these, within {1:g} of "
            "the best stability",
            "bommert2020",
        ),
        "best": ("the best in {score}", ""),
        "one_se": ("the smallest of those within one standard error of the best {score}", "breiman1984"),
        "weighted": ("the largest weighted sum of stability (weight {0:g}) and {score}", "davis2006"),
        "harmonic": ("the largest harmonic mean of {score} and stability (weight {0:g})", "saeys2008"),
        "knee": ("the knee of the Pareto front", "das1999"),
    }
    words, key = rules[name]
    return words.format(*numbers, score=score_words(score)), key


def reached_words(name: str, value: Any) -> str:
    """An objective and what a configuration reached of it."""
    if name == N_FEATURES:
        return counted(float(value), "feature")
    return f"{score_words(name)} {number(float(value), 3)}"
