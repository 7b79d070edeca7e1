"""The comparison of several studies at hand: each selects from the features that all have, and predicts the others."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import pairwise
from math import nan
from pathlib import Path
from typing import Any

import numpy as np

from steadyset.assessment import Assessment, Execution, assess
from steadyset.assessment.request import Request, make_request, refuse_beside
from steadyset.foundation.arguments import Estimator, Labels, TableLike, as_record, wrong_argument
from steadyset.foundation.errors import Argument, InputError
from steadyset.foundation.text import listed, shown_name
from steadyset.inference.features import EQUAL, Directions, class_names, data_directions
from steadyset.io.data.data_table import Data, as_data
from steadyset.kernels.arrays import Floats, Ints
from steadyset.measures.chance import at_least
from steadyset.replications.result import MULTIPLES, Replicated
from steadyset.replications.run import replicated
from steadyset.replications.studies import (
    Q_LEVEL,
    ComparedStudies,
    Study,
    StudyComparison,
    StudyFeature,
    StudyPair,
    chances,
)
from steadyset.resampling import Bootstrap, KFold, Splits
from steadyset.runner.columns import filled_by_medians
from steadyset.runner.plan import Cut
from steadyset.runner.run import fit_on_all_rows
from steadyset.shortlists.effects import effects
from steadyset.shortlists.listed import CORRELATION, STANDARD_DEVIATIONS
from steadyset.tasks import TASKS

FOLDS = 5  # of a study, for how well it predicts itself
SMALLEST, LARGEST = 1 / 8, 4.0  # multiples of the rows for which a study's own resamples predict another


def compare_studies(
    selector: str | Estimator,
    studies: Mapping[str, Data | tuple[TableLike, Labels]],
    *,
    scoring: str | None = None,
    pairs: int | None = None,
    cut: Cut | Mapping[str, Any] | None = None,
    n_jobs: int | None = None,
    out: str | Path | None = None,
    random_state: int | None = 0,
    execution: Execution | Mapping[str, Any] | None = None,
) -> StudyComparison:
    """Tell which features several studies select alike, and whether their own resamples had predicted that.

    Features are matched by name, and every study selects from those that all of them have. One study predicts another
    on values that are standardised within each study.

    Parameters
    ----------
    selector : str or estimator
        One selector, such as "anova:k=10". One of a fixed number of features lets each study predict the others.
    studies : Mapping
        At least two studies by name: (X, y), or what `load_data` returns.
    scoring : str or None, default=None
        What says how well the other studies predict the one that was left out; None as `assess` has it.
    pairs : int or None, default=None
        How many pairs of disjoint parts of each study, as `replication` has it.
    cut : Cut, Mapping or None, default=None
        Which importances of a model count as selected, such as ``st.Cut(top=10)``.
    n_jobs : int or None, default=None
        How many runs are computed at the same time; -1 takes all cores. The answer does not depend on it.
    out : str, Path or None, default=None
        A folder where every run is saved as soon as it finishes, and continued from.
    random_state : int or None, default=0
        The seed.
    execution : Execution, Mapping or None, default=None
        How the runs are executed, whether a folder continues, and who is told of progress.

    Returns
    -------
    StudyComparison
        Lists, directions and effects side by side, and what comes back beyond chance.

    Raises
    ------
    InputError
        Where studies share no feature, have other classes or another kind of target, or an argument makes no sense.

    Examples
    --------
    >>> import numpy as np
    >>> import steadyset as st
    >>> random = np.random.default_rng(0)
    >>> y = np.arange(60) % 2
    >>> studies = {name: (random.normal(size=(60, 99)) + np.outer(y, np.arange(99) < 4), y) for name in "AB"}
    >>> st.compare_studies("anova:k=4", studies, pairs=20).pairs[["common", "expected", "verdict"]].head(1).round(1)
       common  expected       verdict
    0       4       0.2  as predicted
    """
    given = _read(studies)
    own = {name: make_request(selector, one, None, resampling=Bootstrap(), scoring=[]) for name, one in given.items()}
    shared = _shared_features(given, own)
    _refuse_other_targets(own)
    data = {name: _restricted(given[name], own[name], shared) for name in own}
    kept = as_record("cut", Cut, cut)
    asked = {
        name: make_request(selector, one, None, resampling=_folds(one), scoring=[], cut=kept, random_state=random_state)
        for name, one in data.items()
    }
    first = next(iter(asked.values()))
    if len(first.selectors) != 1:
        raise InputError(f"selector must be one selector (got {len(first.selectors)}); ask for each by itself.")
    how = as_record("execution", Execution, execution)
    more: dict[str, Any] = {"cut": cut, "n_jobs": n_jobs, "random_state": random_state}
    lists = {name: _list_of(name, one) for name, one in asked.items()}
    rows = {name: len(one.plan.y) for name, one in asked.items()}
    predictions, notes = {}, _notes_of_features(own, shared)
    for number, (name, one) in enumerate(data.items(), 1):
        ratios = [rows[other] / rows[name] for other in rows if other != name]
        multiples = tuple(dict.fromkeys((*MULTIPLES, *(r for r in ratios if SMALLEST <= r <= LARGEST))))
        place = None if out is None else Path(out) / f"study-{number}"
        try:
            told = replicated(selector, one, pairs=pairs, multiples=multiples, out=place, execution=how, **more)
            predictions[name] = told.replicated
        except InputError as error:
            notes.append(f"{shown_name(name)} predicts no other study by its own resamples. {error}")
    result = assess(
        selector,
        _pooled(data, asked),
        resampling=Splits(_splits(asked)),
        scoring=scoring,
        out=None if out is None else Path(out) / "left-out",
        execution=replace(how, all_rows=False),
        **more,
    )
    found = ComparedStudies(
        result.selectors[0],
        len(shared),
        next(iter(result.settings["scoring"]), ""),
        _effect_words(first),
        tuple(_scored(asked, {name: len(one.features) for name, one in own.items()}, lists, result)),
        tuple(_pairs_of(asked, lists, rows, predictions, len(shared))),
        tuple(_features_of(asked, lists, shared)),
        tuple(map(float, at_least(np.array([len(one) for one in lists.values()]), len(shared)))),
        tuple(notes),
    )
    return StudyComparison(found, result.settings, result)


# ---- the studies, over the same features ----------------------------------------------------------------------------


def _read(studies: Any) -> dict[str, Data]:
    if not isinstance(studies, Mapping) or len(studies) < 2:
        raise wrong_argument("studies", "at least two studies by name, each (X, y) or what load_data returns", studies)
    found = {}
    for name, one in studies.items():
        pair = (one, None) if isinstance(one, Data) else one
        if not isinstance(pair, tuple) or len(pair) != 2:
            raise wrong_argument(f"studies[{name!r}]", "(X, y) or what load_data returns", one)
        data = as_data(*pair, stacklevel=4)
        why = "studies are compared on the values that they have"
        refuse_beside(data, "compare_studies", prepare=why, force=why, block=why)
        found[str(name)] = data
    return found


def _shared_features(given: Mapping[str, Data], own: Mapping[str, Request]) -> tuple[str, ...]:
    """The features that all studies have, in the order of the first; places stand for names where none has any."""
    unnamed = [name for name, one in given.items() if not hasattr(one.X, "columns") and not len(one.features)]
    widths = {len(one.features) for one in own.values()}
    if unnamed and (len(unnamed) < len(given) or len(widths) > 1):
        raise InputError(
            f"Features are matched by name, and those of {shown_name(unnamed[0])} have none; give frames, or ",
            Argument("features", of="Data"),
            ".",
        )
    first, *others = (one.features for one in own.values())
    everywhere = set(first).intersection(*others)
    if not everywhere:
        raise InputError(f"{listed(list(own), 5)} share no feature: see whether they use the same names.")
    return tuple(name for name in first if name in everywhere)


def _notes_of_features(own: Mapping[str, Request], shared: Sequence[str]) -> list[str]:
    """What is left out because not all studies have it, and which study costs the most."""
    if all(len(one.features) == len(shared) for one in own.values()):
        return []
    each = [f"{len(one.features):,} in {shown_name(name)}" for name, one in own.items()]
    notes = [f"Studies have different features ({listed(each, 5)}); {len(shared):,} are shared, and compared."]
    without = {
        name: len(set.intersection(*(set(one.features) for other, one in own.items() if other != name)))
        for name in own
        if len(own) > 2
    }
    name = max(without, key=lambda one: without[one], default="")
    if name and without[name] >= 2 * len(shared):
        notes.append(f"Without {shown_name(name)} the others share {without[name]:,} features.")
    return notes


def _refuse_other_targets(own: Mapping[str, Request]) -> None:
    (name, first), *others = own.items()
    for other, one in others:
        if one.plan.task != first.plan.task:
            mine, theirs = (TASKS[plan.task].words for plan in (first.plan, one.plan))
            raise InputError(
                f"The target is {mine} in {shown_name(name)} and {theirs} in {shown_name(other)}; expected the same: "
                "say which by ",
                Argument("task"),
                ".",
            )
        classes, others_classes = (class_names(plan.y, plan.task) for plan in (first.plan, one.plan))
        if classes != others_classes:
            raise InputError(
                f"The classes of {shown_name(name)} are {listed(classes, 5)}, those of {shown_name(other)} "
                f"{listed(others_classes, 5)}; expected the same."
            )


def _restricted(data: Data, own: Request, shared: Sequence[str]) -> Data:
    """A study with the shared features alone, as numbers."""
    plan = own.plan
    if plan.columns is not None and plan.columns.labels:
        text = own.features[next(iter(plan.columns.labels))]
        raise InputError(f"{shown_name(text)} holds text; studies are compared on numbers: encode it, or leave it out.")
    place = {name: f for f, name in enumerate(own.features)}
    values: Any = plan.X[:, [place[name] for name in shared]]
    if hasattr(data.X, "columns"):
        import pandas as pd

        values = pd.DataFrame(values, columns=list(shared))
    return Data(
        values,
        plan.y,
        features=tuple(shared),
        groups=plan.groups,
        task=plan.task,
        impute=data.impute,
        target=data.target,
    )


def _folds(data: Data) -> KFold:
    """The cross-validation within a study; groups stay together."""
    y: Any = data.y
    units = len(y) if data.groups is None else len(np.unique(data.groups))
    return KFold(max(2, min(FOLDS, units)), stratified=data.groups is None)


def _pooled(data: Mapping[str, Data], asked: Mapping[str, Request]) -> Data:
    """All rows of all studies, each feature standardised within each study; gaps stay."""
    every = []
    for one in asked.values():
        X = one.plan.X
        spread = np.nanstd(X, axis=0)
        constant = spread <= EQUAL * np.nanmax(np.abs(X), axis=0)
        every.append((X - np.nanmean(X, axis=0)) / np.where(constant, np.inf, spread))
    first = next(iter(data.values()))
    table: Any = np.concatenate(every)
    if hasattr(first.X, "columns"):
        import pandas as pd

        table = pd.DataFrame(table, columns=list(first.features))
    return replace(
        first,
        X=table,
        y=np.concatenate([one.plan.y for one in asked.values()]),
        groups=None,
        impute=next((one.impute for one in data.values() if one.impute is not None), None),
    )


def _splits(asked: Mapping[str, Request]) -> list[tuple[Ints, Ints]]:
    """Runs on the pooled rows: each study left out, then the folds of each study."""
    ends = np.cumsum([0, *(len(one.plan.y) for one in asked.values())])
    every = np.arange(ends[-1])
    left_out = [(np.setdiff1d(every, every[a:b]), every[a:b]) for a, b in pairwise(ends)]
    within = [
        (start + drawn.train, start + drawn.test)
        for start, one in zip(ends, asked.values(), strict=False)
        for drawn in one.plan.resamples()
    ]
    return left_out + within


# ---- what they say --------------------------------------------------------------------------------------------------


def _list_of(name: str, asked: Request) -> frozenset[int]:
    cell = fit_on_all_rows(asked.plan, asked.selectors[0])
    if cell.selected is None:
        raise InputError(f"{asked.names[0]} fails on {shown_name(name)}: {cell.failure}.")
    return frozenset(cell.selected)


def _scored(
    asked: Mapping[str, Request], n_features: Mapping[str, int], lists: Mapping[str, frozenset[int]], result: Assessment
) -> list[Study]:
    """Each study with its scores: run i leaves out study i, and the folds of the studies follow."""
    cells = {cell.run: cell for cell in result.cells_of(result.selectors[0])}
    score = next(iter(result.settings["scoring"]), "")
    found, start = [], len(asked)
    for place, (name, one) in enumerate(asked.items()):
        folds = [cells[run].scores.get(score, nan) for run in range(start, start + one.plan.n_runs)]
        start += one.plan.n_runs
        others = cells[place]
        own = float(np.mean(folds))
        sizes = len(one.plan.y), n_features[name], len(lists[name])
        found.append(Study(name, *sizes, others.scores.get(score, nan), own, others.blind.get(score, nan)))
    return found


def _pairs_of(
    asked: Mapping[str, Request],
    lists: Mapping[str, frozenset[int]],
    rows: Mapping[str, int],
    predictions: Mapping[str, Replicated],
    d: int,
) -> list[StudyPair]:
    from scipy.stats import hypergeom

    codes = {name: _codes(one) for name, one in asked.items()}
    found = []
    for first, second in ((a, b) for a in lists for b in lists if a != b):
        both, sizes = sorted(lists[first] & lists[second]), (len(lists[first]), len(lists[second]))
        same = int((codes[first][both] == codes[second][both]).sum())
        chance = sizes[0] * sizes[1] / d
        p_value = float(hypergeom.sf(len(both) - 1, d, *sizes))
        pair = StudyPair(first, second, sizes[0], len(both), chance, same, p_value)
        told = predictions.get(first)
        ratio = rows[second] / rows[first]
        study = next((one for one in (told.studies[1:] if told else ()) if one.multiple == ratio), None)
        if told is not None and study is not None:
            ends = told.size * study.one_low, told.size * study.one_high
            pair = replace(pair, predicted=told.common(study.again), low=ends[0], high=ends[1])
        found.append(pair)
    return found


def _features_of(
    asked: Mapping[str, Request], lists: Mapping[str, frozenset[int]], shared: Sequence[str]
) -> list[StudyFeature]:
    """Every feature that is selected anywhere, with its p-value, adjusted for all shared features."""
    used = np.array(sorted(set().union(*lists.values())), dtype=np.int64)
    codes = {name: _codes(one) for name, one in asked.items()}
    votes = []
    for f in used:
        known = Counter(int(codes[name][f]) for name in lists if f in lists[name])
        known.pop(0, None)  # a feature without a direction agrees with none
        votes.append(max(known.values(), default=0))
    words = {name: _directions(one, codes[name]).words(used) for name, one in asked.items()}
    sizes = {name: _effects(one, used, codes[name]) for name, one in asked.items()}
    p, q = chances(np.array([len(one) for one in lists.values()]), len(shared), np.array(votes, dtype=np.int64))
    found = [
        StudyFeature(
            shared[f],
            votes[i],
            tuple(bool(f in one) for one in lists.values()),
            tuple(words[name][i] for name in asked),
            tuple(float(sizes[name][i]) for name in asked),
            float(p[votes[i]]),
            float(q[votes[i]]),
            votes[i] > 1 and bool(q[votes[i]] <= Q_LEVEL),
            len({codes[name][f] for name in lists if f in lists[name]} - {0}) > 1,
        )
        for i, f in enumerate(used)
    ]
    strength = {one.feature: np.nanmean(np.abs(one.effects)) for one in found}
    return sorted(found, key=lambda one: (-one.studies, -sum(one.selected), -strength[one.feature]))


def _codes(asked: Request) -> Ints:
    return data_directions(asked.plan.X, asked.plan.y, asked.plan.task)


def _directions(asked: Request, codes: Ints) -> Directions:
    plan = asked.plan
    return Directions(codes, class_names(plan.y, plan.task), asked.target, plan.task)


def _effects(asked: Request, used: Ints, codes: Ints) -> Floats:
    plan = asked.plan
    found = effects(filled_by_medians(plan.X[:, used]), plan.y, plan.task, codes[used])
    return found.shown(found.z, np.arange(len(used)))


def _effect_words(asked: Request) -> str:
    classes = class_names(asked.plan.y, asked.plan.task)
    if not classes:
        return CORRELATION
    return STANDARD_DEVIATIONS + (
        f", {shown_name(classes[1])} less {shown_name(classes[0])}" if len(classes) == 2 else ""
    )
