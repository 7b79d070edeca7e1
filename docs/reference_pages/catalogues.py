"""Filters, models, resamplings, rules, scores, formats, tasks: a page each, a section per entry, from registries."""

from __future__ import annotations

import inspect
from collections.abc import Iterator
from typing import Any

import numpy as np

import steadyset as st
from reference_pages.markdown import code, formula, parameters, plain, references, table
from steadyset.foundation.text import headed_line, listed
from steadyset.io.formats.record import FORMATS, KINDS
from steadyset.resampling import RESAMPLINGS, Rows, resampling_entry
from steadyset.runner.scoring import SCORES
from steadyset.selectors import known
from steadyset.selectors.catalogue import selector_entry, selector_names
from steadyset.selectors.ensembles.rules import RULES
from steadyset.selectors.filters import get_filter
from steadyset.tasks import TASKS

FILTERS = """# Filters

A filter scores every feature, and its selector keeps the best: `st.FilterSelector("jmi", k=20)`, or by its name
wherever a selector is taken: `jmi:k=20`. [More on filters](../../selectors-filters.md): weights, ties, bins, and
numbers as a target.

In the formulas $n$ is the number of rows; $n_c$, $m_c$ and $r_c$ are the number of rows, the mean and the mean rank in
class $c$ of $K$. $I$ is information and $H$ entropy, in bits, and $W$ runs over the features selected so far. $t$ runs
over the trees of a forest, and $Δ_v$ is the decrease in impurity at node $v$. Where the target is a number, $r$ is its
correlation with the feature and $b$ the slope.
"""
MODELS = """# Selectors

Models, forests and wrappers that select features; [filters](../filters/index.md) have a page of their own.
`st.assess(["lasso:k=10"], X, y)` and the command take them by name, with parameters after a colon. Each is a
scikit-learn estimator too. [More on models](../../selectors-models.md): what they have in common, forests, groups.
[A selector of your own](../../extending.md) is one call.

$w_i$ is the weight of row $i$, and $b_j$ the coefficient of the standardised feature $j$. The loss is the negative
log-likelihood for two classes, and half the squared error for a number.
"""
RESAMPLED = """# Resamplings

How the training sets of the runs are drawn. `st.assess(..., resampling=st.Bootstrap(100))` takes one as an object, the
command by its name: `--resampling subsample:fraction=0.8`.
"""
RULED = """# Decision rules

Which features [stability selection](../../stability-selection.md) keeps: `st.StabilitySelection(rule="...")`. $q$ is
how many features a run selects, and $d$ how many there are. A bound is on the expected number of false selections.
"""
SCORED = """# Scores

How well the selected features predict the rows that a run leaves out: `st.assess(..., scoring=["auc", "accuracy"])`, or
`--score auc`. Every scorer of scikit-learn can be named too, and [a function of your own](../../extending.md) given.
"""
ASKED = """# Tasks

What a target asks for. It is decided by the values of the target, told in every result, and can be given:
`st.Data(X, y, task="number")`, or `--task number`.
"""
FILED = """# Formats

What files are read by the endings of their names; text may be packed with gzip (`.csv.gz`).
[More on files](../../files.md): layouts of tables and of recorded selections.
"""
N_ROWS = 100


def pages() -> Iterator[tuple[str, str]]:
    names = selector_names()
    filters = [name for name in names if known.MODELS.get(name) is None]
    models = [name for name in names if known.MODELS.get(name) is not None]
    yield "filters/index.md", _page(FILTERS, filters, _selector_row, _filter)
    yield "selectors/index.md", _page(MODELS, models, _selector_row, _model)
    yield "resamplings/index.md", _page(RESAMPLED, RESAMPLINGS.names(), _resampling_row, _resampling)
    yield "rules/index.md", _page(RULED, list(RULES), _rule_row, _rule, tells="published in")
    yield "scores/index.md", _page(SCORED, list(SCORES), lambda name: plain(SCORES[name].words), _score)
    yield (
        "formats/index.md",
        _page(FILED, list(FORMATS), lambda name: " ".join(_endings(name)), _format, tells="endings"),
    )
    yield "tasks/index.md", _page(ASKED, list(TASKS), lambda name: plain(TASKS[name].words), _task)


def _page(beginning: str, names: list[str], row: Any, section: Any, tells: str = "what it does") -> str:
    overview = table(["name", tells], [[f"[`{name}`](#{_anchor(name)})", row(name)] for name in names])
    sections = ["\n".join(["", f"## {name}", "", *section(name)]) for name in names]
    return "\n".join([beginning, overview, *sections, ""])


def _anchor(name: str) -> str:
    return name.lower().replace(" ", "-")


def _selector_row(name: str) -> str:
    return plain(str(selector_entry(name)["summary"]))


def _filter(name: str) -> Iterator[str]:
    record, entry = get_filter(name), selector_entry(name)
    yield from (plain(_sentence(record.summary)), "")
    if record.formula:
        yield from (formula(record.formula), "")
    for task, variant in record.variants.items():
        yield from (f"For {TASKS[task].words}: {plain(variant.summary)}.", "", formula(variant.formula), "")
    yield from (_traits(entry["target"], record), "")
    yield from _given(entry)


def _traits(target: str, record: Any) -> str:
    weights = "any" if record.weights else "none: rows are copied"
    kinds = [
        f"target: {target}",
        f"weights: {weights}",
        *(["one feature at a time"] if record.greedy else []),
        *([f"bins: `{record.needs_discrete}`"] if record.needs_discrete else []),
        *(["random, by `random_state`"] if record.stochastic else []),
    ]
    return "; ".join(kinds).capitalize() + "."


def _model(name: str) -> Iterator[str]:
    record, entry = known.MODELS.get(name), selector_entry(name)
    assert record is not None
    yield from (plain(_sentence(entry["summary"])), "")
    if entry["formula"]:
        yield from (formula(entry["formula"]), "")
    made = {kind: maker() for kind, maker in record.makers.items()}
    classes = dict.fromkeys(type(one).__name__ for one in made.values())
    yield from (f"Target: {entry['target']}. In Python: {' and '.join(map(_class_link, classes))}.", "")
    yield from _given(entry)


def _class_link(name: str) -> str:
    return f"`st.{name}`" if name in st.__all__ else f"`st.selectors.{name}`"


def _resampling_row(name: str) -> str:
    return plain(str(resampling_entry(name)["summary"]))


def _resampling(name: str) -> Iterator[str]:
    entry = resampling_entry(name)
    yield from (plain(_sentence(entry["summary"])), "")
    together = "Groups of rows can be kept together." if entry["groups"] else "Groups of rows cannot be kept together."
    yield from (f"In Python: `st.{RESAMPLINGS[name].__name__}`. {_drawn(name)} {together}", "")
    yield from _given(entry)


def _drawn(name: str) -> str:
    """What the resampling draws of 100 rows, counted."""
    resampling, rows = RESAMPLINGS[name](), Rows(N_ROWS, y=np.arange(N_ROWS) % 2)
    runs = [resampling.draw(run, rows) for run in range(resampling.n_runs_for(rows))]
    train = np.mean([len(np.unique(run.train)) for run in runs])
    test = np.mean([len(run.test) for run in runs])
    return f"Of {N_ROWS} rows it makes {len(runs)} runs, which train on {train:.3g} rows and leave out {test:.3g}."


def _rule_row(name: str) -> str:
    return plain(RULES[name].reference)


def _rule(name: str) -> Iterator[str]:
    rule = RULES[name]
    source = getattr(rule, "bound", type(rule))
    written = headed_line(source, "Formula")
    if written:
        yield from (formula(written), "")
    for paragraph in (inspect.getdoc(source) or "").split("\n\n"):
        if not paragraph.startswith("Formula:"):
            yield from (plain(" ".join(paragraph.split())), "")
    if isinstance(rule, st.BoundRule):
        call = f'st.error_control(1000, q=20, threshold=0.9, rule="{name}").pfer'
        yield from (code(f"import steadyset as st\n\n{call}"), "")
        yield from (f"gives {st.error_control(1000, q=20, threshold=0.9, rule=name).pfer:g}.", "")
    yield from (references(rule.reference), "")


def _score(name: str) -> Iterator[str]:
    score = SCORES[name]
    yield from (plain(_sentence(score.words)), "")
    needs = f" The predictor needs {listed(score.needs)}." if score.needs else ""
    better = "Lower" if score.lower_is_better else "Higher"
    yield from (f"For the task {listed([code_of(task) for task in score.tasks])}. {better} is better.{needs}", "")
    if score.reference:
        yield from (references(score.reference), "")


def _endings(name: str) -> list[str]:
    return [code_of(ending) for ending in FORMATS[name].endings]


def _format(name: str) -> Iterator[str]:
    known = FORMATS[name]
    extra = f" It needs the extra: `pip install 'steadyset[{known.extra}]'`." if known.extra else ""
    written = " Selections can be written to it." if known.write is not None else ""
    read = listed([KINDS.get(one, one) for one in known.holds], last=" or ")
    yield from (f"Files that end in {listed(_endings(name), last=' or ')} hold {read}.{written}{extra}", "")


def _task(name: str) -> Iterator[str]:
    task = TASKS[name]
    scores = [code_of(score.name) for score in SCORES.values() if name in score.tasks]
    yield from (plain(_sentence(task.words)), "")
    model = (
        f"Selected features predict by a {task.predictor_words}; without features the prediction is {task.blind_words}."
    )
    yield from (model, "")
    yield from (f"Scores: {listed(scores)}." if scores else "Any score of scikit-learn.", "")


def code_of(name: str) -> str:
    return f"`{name}`"


def _given(entry: dict[str, Any]) -> Iterator[str]:
    if entry["parameters"]:
        yield from (parameters(entry["parameters"], entry["meanings"]), "")
    if entry["reference"]:
        yield from (references(str(entry["reference"])), "")


def _sentence(text: str) -> str:
    return text[:1].upper() + text[1:].rstrip(".") + "."
