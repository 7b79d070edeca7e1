"""Paragraphs for a paper: what was done and nothing that was not, and what came of it, in numbers of the findings.

Every sentence depends on what the run folder or the findings hold; where they say nothing, nothing is said. Each names
the items of TRIPOD+AI that it serves: 11 missing data, 12a how the data was used, 12c model building and internal
validation, 12e measures, 21 rows and outcomes, 23a performance with intervals. No item asks for stability: its measure
and its estimates stand where those of performance do.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import isfinite, isnan
from typing import Any

from steadyset._version import __version__
from steadyset.assessment import Assessment, is_too_wide
from steadyset.assessment.result import baseline_words
from steadyset.findings.citations import SOFTWARE, Methods, Paragraph, Sentence, cite, sentences, told
from steadyset.findings.parts import STABILITY, Core, Differences, Findings, Procedure, Score, Test
from steadyset.foundation.arguments import LEVEL
from steadyset.foundation.text import counted, listed, number, p_equals, percent, shown_name, span
from steadyset.inference.table import cautions
from steadyset.io.labels import UnionOfNames
from steadyset.measures.evaluate import EXCELLENT, POOR
from steadyset.measures.record import Measure, get_measure
from steadyset.runner.model_importances import WORDS
from steadyset.runner.plan import BASELINES, SELECTOR
from steadyset.runner.scoring import score_title
from steadyset.tasks import CLASSES, TASKS

MOST_CLASSES, MOST_NAMES = 10, 10  # that are named
PACKAGES = {"numpy": ("NumPy", "harris2020"), "scipy": ("SciPy", "virtanen2020")}
LEARN = ("scikit-learn", "pedregosa2011")
ADJUSTMENTS = {"holm": ("by Holm's method", "holm1979"), "bh": ("by Benjamini and Hochberg's method", "benjamini1995")}
SIMILARITIES = {"pearson": "Pearson correlation (of either sign)", "spearman": "rank correlation (of either sign)"}
PACKAGE_WORDS = {"sklearn": " of scikit-learn", "steadyset": "", "__main__": ""}
NO_SPREAD, JOINED = "no spread", "by the intervals of both"  # of the notes of intervals and tests


def of_assessment(assessment: Assessment, found: Findings) -> Methods:
    """Data, selectors and resampling; then stability, tests, scores and software."""
    settings = assessment.settings
    details = settings.get("details", {})
    scored = any(not isnan(score.mean) for row in found.summary for score in row.scores.values())
    who = "Each selector" if len(assessment.selectors) > 1 else "It"
    too_wide = is_too_wide(assessment)
    n_runs = len({cell.run for cell in assessment.cells})
    first = sentences(
        *data_sentences(settings, details),
        told("12c", _selectors(settings, details)),
        told("12c", _rules(assessment)),
        resampling_sentence(settings, details, n_runs, who, too_wide=too_wide),
        told("12c", f"{who} was also run on all rows." if assessment.on_all_rows else ""),
        *_what_went_wrong(assessment, details, too_wide=too_wide),
    )
    second = sentences(
        *stability_sentences(found),
        told("12e", _importances(assessment)),
        *_tests(found, "selector"),
        told("12e", _scores(found, details) if scored else ""),
        told("12e", _models(found)),
        core_sentence(found, "selector"),
        frequency_sentence(found),
        told("12e", _alike(assessment)),
        direction_sentence(found, settings.get("task", CLASSES)),
        software_sentence(
            settings.get("steadyset_version", __version__),
            details.get("versions", {}),
            learn=scored or _uses_learn(details),
        ),
    )
    return Methods((first, second), results_sentences(found))


def _importances(assessment: Assessment) -> str:
    """Whose importances measures of weights use, and how those of the predictor were determined."""
    if not any(sel.weights is not None for sel in assessment.selections.values()):
        return ""
    if assessment.importance == SELECTOR:
        return "Importances of selected features, for measures of weights, were the selectors' own weights."
    ways = [cell.importances.by for cell in assessment.cells if cell.importances is not None and cell.importances.by]
    how = listed([WORDS[way] for way in dict.fromkeys(ways)], last=" or ")
    return (
        "Importances of selected features, for measures of weights, were those in the model that predicted from them"
        f"{f': {how}' if how else ''}{cite('Hamer and Dupont 2021')}."
    )


def _models(found: Findings) -> str:
    """How the models of the runs were held against the one on all rows."""
    if not found.predictions:
        return ""
    return (
        "The predictions of each run's model for all rows were held against those of the model on all rows"
        f"{cite('Riley and Collins 2023')}, and so were their coefficients{cite('Heinze, Wallisch and Dunkler 2018')}."
    )


def of_selections(found: Findings) -> Methods:
    """The runs as they were recorded; then stability, tests and software."""
    named = [row for row in found.summary if row.name]
    runs = sum(row.runs for row in found.summary)
    who = (
        f" of {counted(len(named), 'procedure')} ({_counts({row.name: row.runs for row in named})})"
        if len(named) > 1
        else ""
    )
    sizes = sorted({sel.n_features for sel in found.selections.values()})
    unknown = any(isinstance(sel.features, UnionOfNames) for sel in found.selections.values())
    universe = f" over {_range(sizes)} features" if sizes and not unknown else ""
    not_recorded = (
        "It was not recorded what there was to choose from: the "
        f"{_range(sizes)} features that were selected at least once counted as all features."
        if unknown
        else ""
    )
    first = sentences(
        told("12c", f"The features that {counted(runs, 'run')}{who} selected{universe} were compared as recorded."),
        told("12c", not_recorded),
    )
    second = sentences(
        *stability_sentences(found),
        *_tests(found, "procedure"),
        core_sentence(found, "procedure"),
        frequency_sentence(found),
        software_sentence(__version__, {}, learn=False),
    )
    return Methods((first, second), results_sentences(found))


def rows_told(settings: Mapping[str, Any], details: Mapping[str, Any]) -> str:
    """How many rows there are, and what of their targets is told beside, such as the events."""
    beside = [counted(count, what.removesuffix("s")) for what, count in details.get("counted", {}).items()]
    return f"{counted(settings['n_rows'], 'row')}{f' ({listed(beside)})' if beside else ''}"


def data_sentences(
    settings: Mapping[str, Any],
    details: Mapping[str, Any],
    filled: str = "each run replaced missing values by the medians of its training rows",
    prepared: str = "In each run",
    adjusted: str = "selectors were adjusted for them, and predictors had them beside the selected features",
) -> list[Sentence]:
    """Rows and features, the target, what was missing and who filled it, preparation, covariates, and the groups."""
    rows, features = settings["n_rows"], settings["n_features"]
    said = [told("21", f"The data comprised {rows_told(settings, details)} and {counted(features, 'feature')}.")]
    classes = details.get("classes", {})
    if classes:
        named = f" ({_counts(classes)})" if len(classes) <= MOST_CLASSES else ""
        said.append(told("8a 21", f"The target{_named(details)} had {len(classes)} classes{named}."))
    else:
        kind = TASKS.find(settings.get("task", CLASSES)).one
        said.append(told("8a", f"The target{_named(details)} was {kind}."))
    missing = details.get("missing_values", 0)
    if missing:
        share = f"{missing} ({percent(missing / (rows * features))}) {'was' if missing == 1 else 'were'} missing"
        left = "missing values were left to the selectors, which take them"
        where = counted(details["missing_features"], "feature")
        done = "" if settings.get("prepare") else f"; {filled if settings.get('impute') else left}"
        said.append(told("11 20b", f"Of all values {share}, in {where}{done}."))
    if settings.get("prepare") and details.get("preparation"):
        said.append(told("11 12b", f"{prepared}, {details['preparation']}."))
    if settings.get("force"):
        said.append(told("9a 12c", f"As covariates, {listed(settings['force'])} stayed in every model: {adjusted}."))
        if incomplete := details.get("incomplete_rows", 0):
            said.append(told("11 20b", f"{incomplete_told(settings, incomplete)}."))
    if settings.get("block"):
        said.append(told("12c", f"Selectors were adjusted for blocks of rows ({shown_name(settings['block'])})."))
    if details.get("n_groups"):
        groups = counted(details["n_groups"], "group")
        said.append(told("12a", f"The rows belonged to {groups}, each of which was kept together in resampling."))
    if settings.get("sample_weight"):
        said.append(told("12a", "The rows were weighted in the fits of selectors and predictors, and in all scores."))
    return said


def incomplete_told(settings: Mapping[str, Any], n_rows: int) -> str:
    """Return how many rows were left out because a covariate is missing in them, without a full stop."""
    names = settings.get("force", [])
    which = listed(names, 5) if len(names) == 1 else f"one of {listed(names, 5)}"
    return f"{counted(n_rows, 'row')} {'was' if n_rows == 1 else 'were'} left out, because {which} is missing"


def resampling_sentence(
    settings: Mapping[str, Any], details: Mapping[str, Any], n_runs: int, who: str, *, too_wide: bool = False
) -> Sentence:
    """Return how many runs there were, how they were drawn, and by which seed.

    ``too_wide`` says that the runs ended before the intervals were narrow.
    """
    drawn = details.get("resampling", {"words": f"resamples of the rows by {settings['resampling']}", "reference": ""})
    automatic = details.get("automatic")
    until = ""
    if automatic:
        were_added = "were to be added" if too_wide else "were added"
        until = (
            f"; runs {were_added} until the {percent(LEVEL)} confidence interval of the stability of each was narrower "
            f"than {automatic['width']:g}, up to {automatic['max_runs']} runs"
        )
    words = shown_name(drawn["words"])
    same = "the same " if who.startswith("Each") else ""
    runs = "1 resample" if n_runs == 1 else f"{same}{n_runs} {words}"
    seed = f", with the random seed {settings['seed']}{until}."
    return told("12a 12c", f"{who} was run on {runs}{cite(drawn['reference'])}{seed}")


def stability_sentences(found: Findings) -> list[Sentence]:
    """The measure, and how its intervals were made; nothing of them where there are none."""
    if all(isnan(row.stability) for row in found.summary):
        return []
    measure = get_measure(found.measure)
    named = f"{measure.specification}{cite(measure.reference)}"
    said = [f"The measure of the stability of the selected sets was {named}, {_meaning(measure)}."]
    known = [row for row in found.summary if isfinite(row.low) and isfinite(row.high)]
    if known:
        fisher = " on Fisher's scale" if measure.corrected or all(map(isfinite, measure.bounds)) else ""
        said.append(
            f"Confidence intervals ({percent(found.level)}) were computed from the jackknife over runs"
            f"{cite('efron1981')}{fisher} with t quantiles; they take the runs as independent draws, and are about "
            "this data set and this way of resampling, not about new data."
        )
    said += cautions(row.note for row in known)
    alike = [row.name for row in known if NO_SPREAD in row.note]
    if alike:
        whose = f" of {listed(alike, MOST_NAMES)}" if any(alike) else ""
        said.append(
            f"Where every run agreed alike with the others, the interval{whose} bounds the share that would not."
        )
    if measure.name == "nogueira" and any(row.verdict for row in found.summary):
        excellent = f"excellent{cite(measure.reference)}"
        said.append(f"Values below {POOR:.2f} were called poor, and values above {EXCELLENT:.2f} {excellent}.")
    return [told("12e", sentence) for sentence in said]


def core_sentence(found: Findings, noun: str) -> Sentence:
    """From when on a feature belongs to the steady core; nothing where nothing was selected."""
    if not found.cores:
        return told("", "")
    whose = f"each {noun}" if len(found.cores) > 1 else f"the {noun}"
    words = f"The steady core of {whose} holds the features that at least {percent(found.core)} of its runs selected."
    return told("12c", words)


def frequency_sentence(found: Findings) -> Sentence:
    """How sure the frequencies of single features are, where they are told."""
    words = f"Selection frequencies of features have {percent(found.level)} Wilson score intervals{cite('wilson1927')}."
    return told("12e", words if found.features else "")


def direction_sentence(found: Findings, task: str) -> Sentence:
    """How the direction of a feature was read off the data, where it is told."""
    rows = [row.direction for block in found.features for row in block.rows]
    how = TASKS.find(task).direction_by
    words = f"Directions of features were read off the data by {how}, without adjustment for other features."
    return told("12b", words if any(rows) else "")


def software_sentence(version: str, versions: Mapping[str, str], *, learn: bool, more: str = "") -> Sentence:
    """The software that computed all this, by version where it is known."""
    known = {**PACKAGES, **({LEARN[0]: LEARN} if learn else {})}
    used = [f"steadyset {version}{cite(f'{SOFTWARE}@{version}')}"]
    used += [f"{title} {versions[name]}{cite(key)}" for name, (title, key) in known.items() if name in versions]
    python = f" under Python {versions['python']}" if "python" in versions else ""
    return told("12c", f"Computations were made by {one_by_one([*used, *([more] if more else [])])}{python}.")


def _meaning(measure: Measure) -> str:
    """What the values of a measure mean, as far as its record says."""
    low, high = measure.bounds
    bounds = f"which lies between {low:g} and {high:g}" if isfinite(low) and isfinite(high) else "which is not bounded"
    if measure.name == "nogueira":
        bounds = "which is 1 where all runs select the same features,"
    chance = {"yes": " and is corrected for chance", "no": " and is not corrected for chance"}
    better = "" if measure.higher_is_steadier else "; less of it is steadier"
    return f"{bounds}{chance.get(measure.correction, ' and is corrected for chance where sizes are equal')}{better}"


def one_by_one(items: Sequence[str], between: str = ", ", last: str = " and ") -> str:
    """Items of a list, all of them; those that hold commas stand between semicolons."""
    return between.join(items[:-1]) + (last if len(items) > 1 else "") + "".join(items[-1:])


def _selectors(settings: Mapping[str, Any], details: Mapping[str, Any]) -> str:
    known = details.get("selectors")
    if known is None:  # a folder of an earlier version knows its selectors as text only
        names = [shown_name(f"{name}: {text}") for name, text in settings["selectors"].items()]
        return f"Features were selected by {one_by_one(names, '; ', '; and ')}."
    items = [_selector(name, one) for name, one in known.items()]
    many = f"{len(items)} selectors: " if len(items) > 1 else ""
    rest = "Parameters that are not mentioned had their default values."
    return f"Features were selected by {many}{one_by_one(items, '; ', '; and ')}. {rest}"


def _selector(name: str, known: Mapping[str, Any]) -> str:
    values = ", ".join(f"{key}={value}" for key, value in known["parameters"].items())
    learn = LEARN[1] if known["package"] == "sklearn" else ""
    package = PACKAGE_WORDS.get(known["package"], f" of {known['package']}")
    what = f"{shown_name(known['summary'])}{package}{f', with {values}' if values else ''}"
    return f"{shown_name(name)} ({what}){cite(known['reference'], learn)}"


def _rules(assessment: Assessment) -> str:
    """Which coefficients or importances of models counted as selected, where selectors are models."""
    by_rule: dict[str, list[str]] = {}
    for name, rule in assessment.rules.items():
        by_rule.setdefault(rule, []).append(shown_name(name))
    rules = "; ".join(f"{rule} ({listed(names, MOST_NAMES)})" for rule, names in by_rule.items())
    return f"Of models, the following counted as selected: {rules}." if rules else ""


def _alike(assessment: Assessment) -> str:
    """From when on features stand in for each other, where something was compared."""
    alike = assessment.alike
    if alike is None or not len(alike.compared):
        return ""
    how = SIMILARITIES.get(alike.method, "similarity")
    return f"Features with a {how} of at least {alike.threshold:g} counted as stand-ins for each other."


def _uses_learn(details: Mapping[str, Any]) -> bool:
    return any(one["package"] == "sklearn" for one in details.get("selectors", {}).values())


def _what_went_wrong(assessment: Assessment, details: Mapping[str, Any], *, too_wide: bool) -> list[Sentence]:
    """Runs that are missing, that made no selection or no score, and that gave warnings."""
    names, cells = assessment.selectors, assessment.cells
    said = []
    planned = max(details.get("n_runs", 0), *(cell.run + 1 for cell in cells), 0) * len(names)
    if len(cells) < planned:
        said.append(f"The assessment is not finished: {len(cells)} of {planned} runs had been made.")
    elif too_wide:
        n_runs, width = len({cell.run for cell in cells}), details["automatic"]["width"]
        wide = f"after {counted(n_runs, 'run')} at least one of these intervals was not narrower than {width:g}"
        said.append(f"The assessment is not finished: {wide}.")
    for lost, what in (
        ([cell for cell in cells if cell.selected is None], "made no selection and were left out"),
        ([cell for cell in cells if cell.selected is not None and cell.failure], "made a selection that had no score"),
        ([cell for cell in cells if cell.warnings], "gave warnings"),
    ):
        if lost:
            of = {name: sum(cell.selector == i for cell in lost) for i, name in enumerate(names)}
            who = _counts({name: count for name, count in of.items() if count})
            said.append(f"Of {counted(len(cells), 'run')}, {len(lost)} {what} ({who}).")
    if assessment.settings.get("on_warning") == "fail":
        said.append("A run that gave a warning counted as failed.")
    return [told("12c", sentence) for sentence in said]


def _tests(found: Findings, noun: str) -> list[Sentence]:
    """The pairwise comparisons, their adjustment and level."""
    stability = [one for one in found.differences if one.what == STABILITY]
    scores = [one for one in found.differences if one.what != STABILITY]
    if not found.differences:
        return []
    compared = [_stability_test(one) for one in stability]
    if scores:
        names = listed([score_title(one.what) for one in scores])
        compared.append(f"in {names} by the corrected resampled t-test{cite('nadeau2003')}")
    said = [f"Pairs of {noun}s were compared {one_by_one(compared)}."]
    if any(JOINED in test.note for one in stability for test in one.tests):
        way = "Where the runs of a side showed no spread, the intervals of both sides were joined"
        said.append(f"{way}{cite('zou2008')}.")
    words, key = ADJUSTMENTS.get(found.differences[0].adjust, ("", ""))
    adjusted = f"adjusted for multiple testing {words}{cite(key)}" if words else "not adjusted"
    said.append(f"p-values were {adjusted}; the significance level was {percent(1 - found.level)}.")
    return [told("12e", sentence) for sentence in said]


def _stability_test(tested: Differences) -> str:
    paired = {test.paired for test in tested.tests}
    how = {frozenset({True}): "paired t-tests", frozenset({False}): "t-tests of independent runs"}
    return f"in stability by {how.get(frozenset(paired), 't-tests, paired where runs match,')} with jackknife variances"


def _scores(found: Findings, details: Mapping[str, Any]) -> str:
    names = listed([score_title(name) for name in found.scoring])
    by = f" of {shown_name(details['predictor'])}" if details.get("predictor") else ""
    judged = f"The features that each run selected were judged by the {names}{by} on the rows that the run left out"
    alone = baseline_words(found.settings)[0]
    without = f", beside a prediction {alone} and one from as many features drawn at random{_in_some_runs(details)}"
    sure = any(not isnan(score.se) for row in found.summary for score in row.scores.values())
    errors = f"; standard errors are corrected for the overlap of the runs{cite('nadeau2003')}" if sure else ""
    return f"{judged}{without if found.baselines else ''}{errors}."


def _in_some_runs(details: Mapping[str, Any]) -> str:
    """Return in which runs random features were drawn, after a space; nothing if they were in all."""
    if BASELINES not in details:
        return ""
    first, every = details[BASELINES]
    return f" (in the first {first} runs and in every {every}th one; selectors of one size share them)"


def _named(details: Mapping[str, Any]) -> str:
    return f", {shown_name(details['target'])}," if details.get("target") else ""


def _counts(counts: Mapping[str, int]) -> str:
    shown = [f"{shown_name(str(name))}: {count}" for name, count in list(counts.items())[:MOST_NAMES]]
    return ", ".join([*shown, *([f"and {len(counts) - MOST_NAMES} more"] if len(counts) > MOST_NAMES else [])])


def _range(sizes: Sequence[int]) -> str:
    return f"{sizes[0]:,}" if len(sizes) == 1 else f"{sizes[0]:,} to {sizes[-1]:,}"


def results_sentences(found: Findings) -> Paragraph:
    """Sizes and stability of each procedure, scores beside their baselines, steady cores, and what differs."""
    named = found.summary[:MOST_NAMES]
    left = len(found.summary) - len(named)
    return sentences(
        *(told("23a", _stability(found, row)) for row in named),
        told("", f"{counted(left, 'more procedure')} are in the tables." if left else ""),
        *(told("23a", _scores_reached(found, score, named)) for score in found.scoring),
        *(told("", _core(found, core)) for core in found.cores[:MOST_NAMES]),
        *(_differences(found, one) for one in found.differences),
    )


def _stability(found: Findings, row: Procedure) -> str:
    sel, who = found.selections.get(row.name), shown_name(row.name)
    if found.kind == "tuning" and sel is None:  # not recommended
        return ""
    if sel is None or not row.runs:
        return f"{who or 'The procedure'} made no selection in any run."
    low, high = int(sel.sizes.min()), int(sel.sizes.max())
    sizes = f"{low} of {counted(sel.n_features, 'feature')}"
    if low < high:
        sizes = f"{low} to {high} of {counted(sel.n_features, 'feature')} (mean {row.size:.1f})"
    runs = "one run" if row.runs == 1 else f"each of {row.runs} runs"
    said = f"{who} selected {sizes} in {runs}" if who else f"{runs[:1].upper()}{runs[1:]} selected {sizes}"
    if row.tied:
        said += f", {percent(row.tied)} of them by the order of the columns alone"
    if isnan(row.stability):
        return f"{said}; its stability is undefined{f' ({row.note})' if row.note else ''}."
    ends = "" if isnan(row.low) else f" ({percent(found.level)} confidence interval {span(row.low, row.high)})"
    return f"{said}, with a stability ({found.measure}) of {number(row.stability)}{ends}."


def _scores_reached(found: Findings, score: str, rows: Sequence[Procedure]) -> str:
    """The mean of a score for each procedure with its interval, and beside it what predicts without the selection.

    Nothing where no procedure has the score.
    """
    said = []
    for row in rows:
        one = row.scores.get(score)
        if one is None or isnan(one.mean):
            continue
        who = f" for {shown_name(row.name)}" if row.name else ""
        random = "" if isnan(one.random) else f"as many random features: {number(one.random, 3)}"
        beside = "; ".join(filter(None, [_interval(found.level, one), random]))
        said.append(f"{number(one.mean, 3)}{who}{f' ({beside})' if beside else ''}")
    blind = [row.scores[score].blind for row in rows if score in row.scores and not isnan(row.scores[score].blind)]
    without = f"; {baseline_words(found.settings)[0]} it was {number(blind[0], 3)}" if blind else ""
    mean = f"The mean {score_title(score)} on the rows that runs left out"
    return f"{mean} was {listed(said)}{without}." if said else ""


def _interval(level: float, one: Score) -> str:
    return "" if isnan(one.low) else f"{percent(level)} confidence interval {span(one.low, one.high, 3)}"


def _core(found: Findings, core: Core) -> str:
    """The features of a core with their directions, where they are known."""
    whose = f" of {shown_name(core.name)}" if core.name else ""
    if not core.features:
        return f"The steady core{whose} is empty."
    rows = next((block.rows for block in found.features if block.name == core.name), ())
    ways = {row.feature: row.direction for row in rows if row.direction}
    names = [f"{shown_name(f)} ({ways[f]})" if f in ways else shown_name(f) for f in core.features[:MOST_NAMES]]
    left = len(core.features) - len(names)
    if left:
        names.append(f"{left} more")
    note = f" ({core.note})" if core.note else ""
    return f"The steady core{whose} holds {counted(len(core.features), 'feature')}: {listed(names)}{note}."


def _differences(found: Findings, one: Differences) -> Sentence:
    """Each pair with its difference: that no difference is significant is not that there is none."""
    what = "stability" if one.what == STABILITY else score_title(one.what)
    known = [test for test in one.tests if not isnan(test.difference)]
    if not known:
        return told("", "")
    first = sorted(known, key=lambda test: not test.told_apart)[:MOST_NAMES]
    said = [_pair(found.level, test, bool(one.adjust)) for test in first]
    left = len(known) - len(first)
    more = f"; {counted(left, 'further pair')} are in the tables" if left else ""
    return told("23a", f"Differences in {what}: {'; '.join(said)}{more}.")


def _pair(level: float, test: Test, adjusted: bool) -> str:
    pair = f"{shown_name(test.second)} minus {shown_name(test.first)} {number(test.difference, 3)}"
    if isnan(test.p_value):
        return f"{pair} (not tested{f': {test.note}' if test.note else ''})"
    p = test.p_adjusted if adjusted else test.p_value
    ends = "" if isnan(test.low) else f"{percent(level)} confidence interval {span(test.low, test.high, 3)}, "
    sign = "significant" if test.told_apart else "not significant"
    return f"{pair} ({ends}{'adjusted ' if adjusted else ''}{p_equals(p)}, {sign})"
