"""The answer box: which features, how often and in which direction, on what grounds, one caution, what to do next."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from math import isnan, nan
from pathlib import Path
from typing import Any

import numpy as np

from steadyset.assessment.result import NOT_ABOVE, baseline_words
from steadyset.findings import shortlist_words
from steadyset.findings.answer import nearly_all_words, ranked, tells
from steadyset.findings.of_results import data_told, target_told
from steadyset.findings.parts import Core, Findings, Procedure
from steadyset.foundation.errors import InputError
from steadyset.foundation.text import counted, is_whole_scale, listed, number, percent, shown_name, span
from steadyset.io.labels import UnionOfNames
from steadyset.io.lists import UNKNOWN_UNIVERSE
from steadyset.measures import get_measure
from steadyset.measures.evaluate import AT_CHANCE, BY_COLUMN_ORDER, MIN_TESTED_RUNS, TOO_FEW_RUNS
from steadyset.options import as_list, as_shell_line, data_files, default_folder, options_of, recorded_job
from steadyset.replications.result import Replicated
from steadyset.replications.run import LEAST_ROWS
from steadyset.replications.studies import ComparedStudies
from steadyset.runner.plan import FIXED_RUNS
from steadyset.runner.scoring import score_title
from steadyset.selections import Selections
from steadyset.shortlists.exchange import FEWEST
from steadyset.shortlists.listed import CANDIDATE, LISTED, ListedFeature

MAX_NAMES, CLOSEST, NAMED = 15, 5, 3  # names of a line, where nothing passes, and in a headline
FEW_LISTS = 20  # up to which names are counted list by list
FEWEST_STEPS = 3
SHORTLIST = "st.shortlist(X, y)"
FILLED_SHORTLIST = 'st.shortlist(st.Data(X, y, impute="median"))'
LOOK_ALIKES = "listed_features"  # the picture
SIZE = re.compile(r"(?<=[:,])k=(\d{1,6})(?=,|$)")  # of a method
NO_CHOICE = (BY_COLUMN_ORDER, NOT_ABOVE, TOO_FEW_RUNS, *AT_CHANCE)  # verdicts on a selection that says nothing


@dataclass(frozen=True)
class Names:
    """Features that share what the heading says, each with how often it was chosen; `more` counts those left out."""

    heading: str
    features: tuple[str, ...]
    shares: tuple[str, ...]
    more: int = 0

    def __str__(self) -> str:
        both = zip(self.features, self.shares, strict=True)
        named = [f"{shown_name(name)} ({share})" if share else shown_name(name) for name, share in both]
        return f"{self.heading}: {', '.join(named)}{f' and {self.more} more' if self.more else ''}."


@dataclass(frozen=True)
class Step:
    """What to do next: in words, as a command or a line of Python, and as the changed options of a job.

    `part` is the picture of the same document that shows it already.
    """

    words: str
    how: str
    command: str = ""
    options: Mapping[str, Any] = field(default_factory=dict)
    part: str = ""

    def __str__(self) -> str:
        return f"{self.words}: {self.how}" if self.how else self.words


@dataclass(frozen=True)
class Box:
    """The answer: a sentence, the features, what is to be known of them by a word each, more sentences, and steps."""

    headline: str
    names: tuple[Names, ...] = ()
    facts: Mapping[str, str] = field(default_factory=dict)
    steps: tuple[Step, ...] = ()
    said: tuple[str, ...] = ()

    def lines(self) -> list[str]:
        """The answer line by line, for formats without boxes."""
        facts = [f"{name}: {words}" for name, words in self.facts.items()]
        next_steps = (f"Next: {step}" for step in self.steps)
        return [self.headline, *map(str, self.names), *facts, *self.said, *next_steps]


def _box(headline: str, names: Iterable[Names], facts: Mapping[str, str], steps: tuple[Step, ...] = ()) -> Box:
    """An answer, without facts that say nothing."""
    return Box(headline, tuple(names), {name: words for name, words in facts.items() if words}, steps)


def box_of(found: Findings) -> Box:
    """The answer of findings of any kind."""
    if found.shortlist is not None:
        return _of_shortlist(found)
    if found.backed:
        return _of_consensus(found)
    if found.front:
        return _of_tuning(found)
    sel = found.selections.get("")
    if sel is not None and 1 < sel.n_runs <= FEW_LISTS:
        return _of_lists(found, sel)
    return _of_procedures(found)


def question(found: Findings) -> str:
    """What a result answers, as the title of a document."""
    if found.shortlist is not None:
        return shortlist_words.title(found.shortlist)
    if found.kind == "replication":
        return "Would the next study select the same features?"
    if found.studies is not None:
        return "Which features do the studies select alike?"
    if found.sources is not None:
        return "Why do reruns differ?"
    if "details" in found.settings:
        return f"What {_tells(found)}?"
    lists = found.selections.get("")
    if lists is not None and lists.n_runs <= FEW_LISTS:
        return f"What do {counted(lists.n_runs, 'list')} share?"
    return "How steady is the selection?"


def _tells(found: Findings) -> str:
    details = found.settings.get("details", {})
    return tells(list(details.get("classes", {})), str(details.get("target") or ""), one=True)


# ---- selectors, and recorded selections of many runs ---------------------------------------------------------------


def answer_procedure(found: Findings) -> str | None:
    """Whose features the answer gives: the preferred, else the steadiest whose selection says something."""
    judged = [row.name for row in ranked(found.summary) if not isnan(row.stability) and row.verdict not in NO_CHOICE]
    if not judged:
        return None
    steadiest = judged[0] if get_measure(found.measure).higher_is_steadier else judged[-1]
    return steadiest if found.preference is None else found.preference.preferred or steadiest


def shown_procedure(found: Findings) -> str | None:
    """The same, or the first with a selection where none says something: the closest features are still told."""
    ever = [row.name for row in ranked(found.summary) if row.name in found.selections and found.frequencies[row.name]]
    chosen = answer_procedure(found)
    return chosen if chosen in ever else next(iter(ever), None)


def _of_procedures(found: Findings) -> Box:
    name = shown_procedure(found)
    if name is None:
        return Box(next(iter(found.answer), "Nothing was selected."), steps=_steps(found))
    row = next(one for one in found.summary if one.name == name)
    core = next((one for one in found.cores if one.name == name), Core(name, ()))
    passes = bool(core.features) and row.verdict not in NO_CHOICE and not core.note
    names = list(core.features) if passes else list(found.frequencies[name])[:CLOSEST]
    by_direction = _by_direction(found, name, names, "" if passes else "Closest")
    return _box(_headline(found, row, core, names), by_direction, _facts(found, row), _steps(found))


def _headline(found: Findings, row: Procedure, core: Core, names: Sequence[str]) -> str:
    who, line = shown_name(row.name) or "The procedure", percent(found.core)
    of = "repeats" if "resampling" in found.settings else "lists"
    closest = f"most often chosen: {listed(names[:NAMED])}"
    if core.note:
        return f"{who} takes {core.words()}."
    if row.verdict == BY_COLUMN_ORDER:
        return f"What {who} takes was decided by the order of the columns; {closest}."
    if row.verdict == NOT_ABOVE:
        return f"{_not_above(found, row)}; {closest}."
    if row.verdict == TOO_FEW_RUNS:
        return f"{counted(row.runs, 'run')} of {who} are too few for intervals and tests; {closest}."
    if row.verdict in AT_CHANCE:
        return f"The choices of {who} are not shown to agree better than chance; {closest}."
    if not core.features:
        return f"No feature is chosen in {line} of the {of}; {closest}."
    n = counted(len(core.features), "feature")
    chosen = f"{who} chooses {n} in at least {line} of the {of}"
    return f"{chosen}, and what it chooses {_tells(found)}." if beats(found, row.name) else f"{chosen}."


def _not_above(found: Findings, row: Procedure) -> str:
    """Return what the features of a procedure are not better than: no features, or else random ones."""
    blind = _beaten(found, row.name)[1]
    what = f"What {shown_name(row.name)} chooses" if row.name else "What is chosen"
    if blind:
        return f"{what} {_tells(found)}, but does not predict significantly better than as many random features"
    if blind is None:
        return f"{what} does not predict significantly better than as many random features"
    losses = () if found.preference is None else found.preference.losses
    who = what if any(one.beats_blind for one in losses) else "No choice of features"
    return f"{who} is shown to {_infinitive(found)}" if who != what else f"{what} is not shown to {_infinitive(found)}"


def _infinitive(found: Findings) -> str:
    verb, _, rest = _tells(found).partition(" ")
    return f"{verb.removesuffix('es') if verb == 'goes' else verb.removesuffix('s')} {rest}"


def beats(found: Findings, name: str) -> bool | None:
    """Whether tests show that the selection predicts better than random features and than none; None without both."""
    random, blind = _beaten(found, name)
    if False in (random, blind):
        return False
    # Random features in the place of nearly all features would be the same ones.
    return None if blind is None or (random is None and not _is_nearly_all(found, name)) else True


def _beaten(found: Findings, name: str) -> tuple[bool | None, bool | None]:
    """Return whether tests show that a procedure predicts better than random features, and than none."""
    losses = () if found.preference is None else found.preference.losses
    return next(((one.beats_random, one.beats_blind) for one in losses if one.name == name), (None, None))


def _is_nearly_all(found: Findings, name: str) -> bool:
    losses = () if found.preference is None else found.preference.losses
    return any(one.nearly_all for one in losses if one.name == name)


def directions_of(found: Findings, name: str) -> dict[str, str]:
    """The direction of the features of a procedure, in words, where it is known."""
    return {row.feature: row.direction for block in found.features if block.name == name for row in block.rows}


def _by_direction(found: Findings, name: str, names: Sequence[str], what: str = "") -> tuple[Names, ...]:
    """One line for each direction, the one of the most frequent feature first."""
    ways = directions_of(found, name)
    lines: dict[str, list[str]] = {}
    for feature in names:
        lines.setdefault(ways.get(feature, ""), []).append(feature)
    shares = found.frequencies[name]
    without = "Without a direction" if any(ways.get(feature) for feature in names) else "Selected"
    return tuple(
        _line(_capital(", ".join(filter(None, (what, way))) or without), several, lambda one: percent(shares[one]))
        for way, several in lines.items()
    )


def _line(heading: str, names: Sequence[str], share: Any = lambda one: "") -> Names:
    kept = tuple(names[:MAX_NAMES])
    return Names(shown_name(heading), kept, tuple(share(one) for one in kept), len(names) - len(kept))


def _capital(text: str) -> str:
    return text[:1].upper() + text[1:]


def _facts(found: Findings, row: Procedure) -> dict[str, str]:
    details = found.settings.get("details", {})
    drawn = details.get("resampling", {}).get("words", "repeats" if found.settings else "lists")
    method = details.get("selectors", {}).get(row.name, {}).get("summary", "")
    size = f"{counted(row.size, 'feature')} on average" if row.size == row.size else ""
    return {
        "Per cent": f"how often a feature was chosen in {row.runs} {shown_name(drawn)}",
        "Method": ", ".join(filter(None, (shown_name(row.name), shown_name(method), size))) if row.name else "",
        "Does it predict?": _predicts(found, row),
        "Would it come out again?": _again(row),
        "Caution": next(iter(_cautions(found)), ""),
    }


def _predicts(found: Findings, row: Procedure) -> str:
    score = row.scores.get(found.scoring[0]) if found.scoring else None
    if score is None or isnan(score.mean):
        return ""
    random, blind = _beaten(found, row.name)
    without = baseline_words(found.settings)[1]
    nearly_all = _is_nearly_all(found, row.name)
    shown = {True: "Yes: ", False: "Not shown: ", None: ""}[beats(found, row.name)]
    if blind and random is False:
        shown = f"Better than {without}, but not shown to be better than as many random features: "
    others = {without: score.blind, "as many random features": nan if nearly_all else score.random}
    beside = ", ".join(f"{words} {number(value)}" for words, value in others.items() if not isnan(value))
    said = "; ".join(filter(None, (f"{shown}{score_title(found.scoring[0])} {number(score.mean)}", beside)))
    return f"{said}. {nearly_all_words([row.name])}" if nearly_all else said


def _again(row: Procedure) -> str:
    if isnan(row.stability):
        return ""
    says_nothing = isnan(row.low) or row.runs < MIN_TESTED_RUNS or is_whole_scale(row.low, row.high)
    ends = "" if says_nothing else f" ({span(row.low, row.high)})"
    return f"stability {number(row.stability)}{ends}, where 1 is the same choice each time and 0 is chance"


def _cautions(found: Findings) -> Iterable[str]:
    """What to keep in mind, the most important first."""
    if any(isinstance(sel.features, UnionOfNames) for sel in found.selections.values()):
        yield f"{UNKNOWN_UNIVERSE}."
    if "scoring" in found.settings:
        yield from target_told(found.settings)
        yield "All this is about these samples; a new study may choose other features."


def _steps(found: Findings) -> tuple[Step, ...]:
    """What goes on from an assessment, a list with a stated error and more runs, or from a look at other studies."""
    details = found.settings.get("details", {})
    job = details.get("job")
    if found.replication is not None and found.kind == "replication":
        return _from_next_study(found.replication, job)
    if found.studies is not None:
        return _from_studies(found.studies, job)
    if found.kind != "assessment":
        return ()
    runs = max((row.runs for row in found.summary), default=0)
    stated = _listing(found)
    if not runs:  # what made all of them fail would do so again
        return stated
    done = max(row.runs + row.failures for row in found.summary)
    planned = details.get("n_runs", 0)
    if done < planned:  # with the number of runs that the command has already
        return *stated, _step(f"Finish the {planned} runs", job, "assess", "st.assess(..., out=...)", resume=True)
    python = f"st.assess(..., n_runs={2 * runs})"
    more = _step(f"{runs} more repeats", job, "assess", python, runs=str(2 * runs), resume=True)
    names = [row.name for row in found.summary]
    wider = [SIZE.sub(lambda size: f"k={2 * int(size[1])}", name) for name in names]
    sizes = [int(size) for name in wider for size in SIZE.findall(name)]
    further = () if details.get(FIXED_RUNS) else (more,)
    # Without sizes each selector decides by itself; of as many features as there are, or more, nothing is selected.
    if wider == names or max(sizes) >= found.settings["n_features"]:
        return *stated, *further
    words = "Twice as many features of each method"
    python = f"st.assess({wider!r}, X, y)"
    return *stated, *further, _step(words, job, "assess", python, name="twice-as-many", selector=wider)


def _listing(found: Findings) -> tuple[Step, ...]:
    """Return the step to a shortlist; nothing if a class or the events have too few rows for one."""
    details = found.settings.get("details", {})
    gaps = details.get("missing_values") and not found.settings.get("prepare")
    python, filled = (FILLED_SHORTLIST, {"impute": "median"}) if gaps else (SHORTLIST, {})
    counts = [*details.get("classes", {}).values(), *details.get("counted", {}).values()]
    words = "List the features of which about 1 may be false"
    if details.get("repeated_rows"):  # of which no such number would hold
        words = "Leave out the rows that repeat others, then list features"
    if min([*counts, FEWEST]) < FEWEST:
        return ()
    return (_step(words, details.get("job"), "shortlist", python, **filled),)


def _from_next_study(found: Replicated, job: Any) -> tuple[Step, ...]:
    pairs = 2 * found.measured[-1].pairs
    words, python = f"Run it with {pairs} pairs of studies", f"st.replication(selector, X, y, pairs={pairs})"
    more = _step(words, job, "replicate", python, name=f"{pairs}-pairs", pairs=pairs)
    steady = _steady(f"See how steady {shown_name(found.selector)} is", found.selector, job)
    return (steady,) if found.void else (more, steady)


def _from_studies(found: ComparedStudies, job: Any) -> tuple[Step, ...]:
    first, method = shown_name(found.studies[0].name), shown_name(found.selector)
    steady = _steady(f"See how steady {method} is in {first}", found.selector, job)
    if found.studies[0].rows < 4 * LEAST_ROWS:  # which would be refused
        return (steady,)
    words, python = f"See what a next study like {first} would select", "st.replication(selector, X, y)"
    alone = _step(words, job, "replicate", python, name="first-study", files=_files(job)[:1])
    return alone, steady


def _steady(words: str, selector: str, job: Any) -> Step:
    """An assessment of the (first) study by the same method."""
    if files := _files(job):
        job = {**job, "options": {"file": files[0], **job["options"]}}
    return _step(words, job, "assess", "st.assess(selector, X, y)", selector=[selector])


def _files(job: Any) -> list[str]:
    """The studies of a job; none where Python made the result."""
    options = job.get("options") if isinstance(job, Mapping) else None
    return as_list(options.get("files") or []) if isinstance(options, Mapping) else []


def _step(words: str, job: Any, command: str, python: str, *, name: str = "", **changed: Any) -> Step:
    """Return a step by the command that made the result, with other options; by Python where Python made it.

    A step that does not resume gets a folder of its own, so that it runs as it is pasted: the folder of the result and
    `name`, which is the command by default.
    """
    if not isinstance(job, Mapping) or not isinstance(job.get("options"), Mapping):
        return Step(words, python)
    known = options_of(command)
    resumes = bool(changed.get("resume"))
    # The time limit was for the work so far; another command may limit something else by the same name.
    left_out = {"minutes"} if resumes else {"minutes", "out", "resume"}
    kept = {key: value for key, value in job["options"].items() if key in known and key not in left_out}
    options = {**kept, **{key: value for key, value in changed.items() if key in known}}
    options = {key: value for key, value in options.items() if value is not None}
    typed = options if resumes else options | _folder_beside(job, name or command)
    return Step(words, as_shell_line({"command": command, "options": typed}) or python, command, options)


def _folder_beside(job: Mapping[str, Any], name: str) -> dict[str, str]:
    """Return the option for a folder that is called after the folder of a job; {} if the job has no file."""
    try:
        known = options_of(job["command"])
        made = recorded_job({**job, "options": {key: value for key, value in job["options"].items() if key in known}})
        folder = made.options.get("out") or default_folder(made.command, Path(data_files(made)[0]))
    except (InputError, LookupError, TypeError):
        return {}
    return {"out": f"{str(folder).rstrip('/')}-{name}"}


# ---- a few lists ---------------------------------------------------------------------------------------------------


def _of_lists(found: Findings, sel: Selections) -> Box:
    """Which names are in most lists."""
    n, counts = sel.n_runs, sel.counts
    order = np.argsort(-counts, kind="stable")
    by_count: dict[int, list[str]] = {}
    for place in order[: int((counts > 0).sum())]:
        by_count.setdefault(int(counts[place]), []).append(sel.features[place])
    shared = {count: names for count, names in by_count.items() if count > 1}
    facts = {"In words": _overlap_words(found, sel), "Caution": next(iter(_cautions(found)), "")}
    lines = [_line(f"In {'all' if count == n else f'{count} of'} {n}", names) for count, names in shared.items()]
    if not shared:
        lines = [_line("In one list only", by_count.get(1, []))]
    return _box(_shared_words(shared, n), lines[:FEWEST_STEPS], facts)


def _shared_words(shared: Mapping[int, Sequence[str]], n: int) -> str:
    if not shared:
        return f"No name is in two of the {n} lists."
    (most, names), *rest = shared.items()
    who = listed(names) if len(names) <= 2 else f"{len(names)} names"
    where = f"all {n} lists" if most == n else f"{most} of {n} lists"
    said = f"{who} {'is' if len(names) == 1 else 'are'} in {where}"
    if rest:
        next_most, others = rest[0]
        said += f", {len(others)} more {'is' if len(others) == 1 else 'are'} in {next_most}"
    return f"{said}." if most == n else f"{said}; no name is in all."


def _overlap_words(found: Findings, sel: Selections) -> str:
    """How many names two lists share on average, beside random lists of the same sizes."""
    n, sizes = sel.n_runs, sel.sizes.astype(float)
    pairs = n * (n - 1)
    share = float((sel.counts.astype(float) * (sel.counts - 1)).sum()) / pairs
    by_chance = float(sizes.sum() ** 2 - (sizes**2).sum()) / pairs / sel.n_features
    known = not isinstance(sel.features, UnionOfNames)
    beside = f", where random lists of these sizes share {by_chance:.2g}" if known else ""
    words = f"Two lists share {counted(round(share, 1), 'name')} on average{beside}"
    again = _again(found.summary[0])
    return f"{words}; {again}." if again and known else f"{words}."


# ---- several methods, a tuning, a shortlist ------------------------------------------------------------------------


def _of_consensus(found: Findings) -> Box:
    n = len(found.summary)
    lines = []
    for votes in range(n, 1, -1):
        names = [row.feature for row in found.ranking if row.methods == votes]
        lines += [_line(f"Backed by {votes} of {n}", names)] if names else []
    closest = [row.feature for row in found.ranking[:CLOSEST]]
    if not lines and closest:
        lines = [_line("First in the ranking", closest)]
    return Box(found.answer[0], tuple(lines[:FEWEST_STEPS]), {"A method backs": found.answer[-1]})


def _of_tuning(found: Findings) -> Box:
    chosen = _of_procedures(found)
    is_told = any(one.chosen for one in found.front) and found.answer
    if not is_told:
        return chosen
    recommended = next((one for one in found.choices if one.recommended), None)
    if recommended is None:  # features of a configuration that does not predict are no answer
        return Box(found.answer[0], steps=_from_tuning(found))
    names: tuple[Names, ...] = ()
    if recommended.features:
        line = _line("Selected on all rows, the strongest first", recommended.features)
        names = (replace(line, shares=recommended.directions[: len(line.features)]),)
    return Box(found.answer[0], names, chosen.facts, _from_tuning(found))


def _from_tuning(found: Findings) -> tuple[Step, ...]:
    """Return an honest score, other choices, and more configurations; without a choice, a list in place of scores."""
    job = found.settings.get("details", {}).get("job")
    n_tried = found.settings["n_trials"]
    n_folds = found.settings.get("outer_folds")
    steps = [] if found.choices else list(_listing(found))
    if n_tried > 1 and n_folds and found.choices and found.settings.get("nested") is None:
        words = "Estimate an honest score by nested resampling"
        steps.append(_step(words, job, "tune", f"st.tune(..., nested={n_folds})", nested=n_folds, resume=True))
    numbers = {one.number for one in found.choices if one.recommended}
    for one in found.choices:
        if one.number not in numbers and one.is_better:
            numbers.add(one.number)
            rule = one.rule.partition(":")[0]
            python = f"st.report(result, choose={rule!r})"
            steps.append(
                _step(f"Take the configuration that is {one.words}", job, "tune", python, choose=rule, resume=True)
            )
    if found.settings["sampler"] != "grid":
        words = "Try twice as many configurations"
        python = f"st.tune(..., n_trials={2 * n_tried})"
        steps.append(_step(words, job, "tune", python, trials=2 * n_tried, resume=True))
    return tuple(steps[:FEWEST_STEPS])


def _of_shortlist(found: Findings) -> Box:
    whole = found.shortlist
    assert whole is not None
    rows = whole.of_tier(LISTED) or whole.of_tier(CANDIDATE)[:CLOSEST]
    closest, caution = "" if whole.names else "Closest", list(shortlist_words.cautions(whole))[:1]
    lines: dict[str, list[ListedFeature]] = {}
    for one in rows:
        lines.setdefault(one.direction, []).append(one)
    shares = {one.feature: percent(one.frequency) for one in rows}
    names = []
    for way, several in lines.items():
        heading = _capital(", ".join(filter(None, (closest, way))) or "Without a direction")
        names.append(_line(heading, [one.feature for one in several], shares.__getitem__))
    among = rows[0].among if rows else 0
    often = f"how often a feature was among the best {among} in {2 * whole.n_splits} random halves"
    said = {
        "Per cent": often if rows else "",
        "What is stated": shortlist_words.promise(whole),
        "Look-alikes": " ".join(shortlist_words.group_words(group) for group in whole.groups),
        "What it means": shortlist_words.power_words(whole) if not whole.names and whole.power else "",
        "Caution": " ".join((*data_told(found.settings), *(f"{one}." for one in caution))),
    }
    return _box(shortlist_words.headline(whole), names, said, _wider(found))


def _wider(found: Findings) -> tuple[Step, ...]:
    """Other choices with what they list."""
    assert found.shortlist is not None
    job = found.settings.get("details", {}).get("job")
    steps = []
    for one in found.shortlist.tried[:FEWEST_STEPS]:
        words = shortlist_words.tried_words(one)
        if not one.options:  # it is in the same result
            steps.append(Step(words, "", part=LOOK_ALIKES))
            continue
        ((name, value),) = one.options.items()
        python = f"st.shortlist(..., {options_of('shortlist')[name].argument or name}={value!r})"
        # One of the two error statements takes the place of the other.
        # A number of permuted targets that was enough for the one may be too few for the other.
        replaced = dict.fromkeys(("false", "fdr", "permutations")) if {"false", "fdr"} & set(one.options) else {}
        folder = f"{name}-{'-'.join(as_list(value))}"
        steps.append(_step(words, job, "shortlist", python, name=folder, **{**replaced, **one.options}))
    return tuple(steps)
