"""The comparison of several studies at hand: each selects from the features that all have, and predicts the others."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations, pairwise
from math import nan
from pathlib import Path
from typing import Any, NamedTuple
from uuid import uuid4

import numpy as np

from steadyset.assessment import Assessment, Execution, assess
from steadyset.assessment.request import ROWS_ALIKE, Request, make_request, refuse_beside
from steadyset.foundation.arguments import Estimator, Labels, TableLike, as_record, wrong_argument
from steadyset.foundation.display import from_above
from steadyset.foundation.errors import Argument, InputError, after
from steadyset.foundation.job import runs_for
from steadyset.foundation.text import counted, listed, shown_name
from steadyset.foundation.threads import with_one_arithmetic_thread
from steadyset.inference.features import CELLS_A_BLOCK, EQUAL, Directions, class_names, data_directions
from steadyset.io.data.data_table import Data, as_data
from steadyset.io.data.feature_groups import check_feature_groups
from steadyset.io.data.sources import (
    giving_away,
    giving_away_words,
    rare_class_words,
    repeated_rows,
    repeated_words,
)
from steadyset.io.disk import LEFT_OUT, STUDY
from steadyset.io.numbers import aligned_rows, group_values
from steadyset.kernels.arrays import Floats, Ints
from steadyset.measures.chance import at_least
from steadyset.replications.result import MULTIPLES, Replicated
from steadyset.replications.run import DisjointPairs, pairs_of, record_parts, replicated
from steadyset.replications.studies import LEVEL, ComparedStudies, Study, StudyComparison, StudyFeature, StudyPair
from steadyset.resampling import Bootstrap, KFold, Splits
from steadyset.runner.columns import filled_by_medians
from steadyset.runner.plan import Cut, Plan
from steadyset.runner.run import fit_on_all_rows
from steadyset.shortlists.effects import effects
from steadyset.shortlists.exchange import Exchange, cleared, exchange_of, of_size_1
from steadyset.shortlists.listed import CORRELATION, STANDARD_DEVIATIONS
from steadyset.tasks import TASKS

FOLDS = 5  # of a study, for how well it predicts itself
SMALLEST, LARGEST = 1 / 8, 4.0  # multiples of the rows for which a study's own resamples predict another
ALIKE, LEAST_ALIKE = 0.95, (3, 0.1)  # rows that are the same correlate so; how many, and which share, is no accident
DRAWS_A_TEST, MOST_DRAWS = 20, 200_000  # permuted targets, for each test that could pass
PERMUTED_LISTS = 199  # of each study, so that the smallest p-value of what two lists have in common is 0.005
MANY_FEATURES = 50  # from there on other rows do not correlate so highly


@with_one_arithmetic_thread
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
    on values that are standardised within each study. Where a study has strata, such as batches, its features lose
    their means within the strata before anything else, and permuted targets stay within them.

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
        Where studies share rows or no feature, have other classes or another kind of target, or an argument makes no
        sense.

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
    own, shared, data, asked, exchanges = requested_studies(selector, studies, cut, random_state)
    first = next(iter(asked.values()))
    number_of_pairs = pairs_of(first, pairs)
    how = as_record("execution", Execution, execution).without_limit("compare_studies")
    more: dict[str, Any] = {"cut": cut, "n_jobs": n_jobs, "random_state": random_state}
    every = [_Own.of(name, one, len(own[name].features), exchanges[name]) for name, one in asked.items()]
    sizes = np.array([len(one.chosen) for one in every])
    if not sizes.any():
        raise InputError(f"{first.names[0]} selects no feature in any study; there is nothing to compare.")
    splits = _splits(asked)
    if out is not None:
        within = [(one.name, DisjointPairs(number_of_pairs).n_runs_for(one.asked.plan.rows)) for one in every]
        studies_of = {f"{STUDY}{number}": both for number, both in enumerate(within, 1)}
        record_parts(Path(out), {LEFT_OUT: ("", len(splits)), **studies_of})
    with runs_for("replicate"):
        result = assess(
            selector,
            _pooled(data, asked),
            resampling=Splits(splits),
            scoring=scoring,
            out=None if out is None else Path(out) / LEFT_OUT,
            execution=replace(how, all_rows=False),
            importance="selector",
            **more,
        )
    predictions, notes = {}, [*_notes_of_features(own, shared), *_notes_of_strata(exchanges)]
    for number, one in enumerate(every, 1):
        ratios = [other.n_rows / one.n_rows for other in every]
        multiples = tuple(dict.fromkeys((*MULTIPLES, *(r for r in ratios if SMALLEST <= r <= LARGEST))))
        place = None if out is None else Path(out) / f"{STUDY}{number}"
        try:
            told = replicated(
                selector, data[one.name], pairs=pairs, multiples=multiples, out=place, execution=how, **more
            )
            predictions[one.name] = told.replicated
        except InputError as error:
            notes.append(f"{shown_name(one.name)} predicts no other study by its own resamples. {error}")
    found = ComparedStudies(
        result.selectors[0],
        len(shared),
        next(iter(result.settings["scoring"]), ""),
        _effect_words(first),
        tuple(_scored(every, result)),
        tuple(_pairs(every, len(shared), predictions)),
        tuple(_features_of(every, shared)),
        tuple(map(float, at_least(sizes, len(shared)))),
        tuple(notes),
        tuple(_cautions(asked)),
    )
    comparison = StudyComparison(found, result.settings, result)
    if out is not None:
        from_above("findings", "record_answer")(comparison, Path(out))
    return comparison


# ---- the studies, over the same features ----------------------------------------------------------------------------


class RequestedStudies(NamedTuple):
    """Studies by name: what was asked of each, the features that all have, their data on these, and what is asked.

    `exchanges` holds which rows of each study exchange their targets.
    """

    own: dict[str, Request]
    shared: tuple[str, ...]
    data: dict[str, Data]
    asked: dict[str, Request]
    exchanges: dict[str, Exchange]


def requested_studies(
    selector: Any, studies: Any, cut: Cut | Mapping[str, Any] | None = None, random_state: int | None = 0
) -> RequestedStudies:
    """The studies over the features that all have; a sentence where they cannot be compared."""
    given = _read(studies)
    own = {
        name: _requested(name, selector, replace(one, strata=None), resampling=Bootstrap())
        for name, one in given.items()
    }
    shared = _shared_features(given, own)
    _refuse_other_targets(own)
    exchanges = {name: _exchange(name, given[name], own[name].plan) for name in own}
    data = {name: _restricted(given[name], own[name], shared) for name in own}
    _refuse_shared_rows({name: _numbers(one.X) for name, one in data.items()})
    data = {name: _centered(one, exchanges[name]) for name, one in data.items()}
    kept = as_record("cut", Cut, cut)
    with after(f"On the {len(shared):,} features that the studies share, "):
        asked = {
            name: _requested(name, selector, one, resampling=_folds(one), cut=kept, random_state=random_state)
            for name, one in data.items()
        }
    n_selectors = len(next(iter(asked.values())).selectors)
    if n_selectors != 1:
        raise InputError(f"selector must be one selector (got {n_selectors}); ask for each by itself.")
    return RequestedStudies(own, shared, data, asked, exchanges)


def _read(studies: Any) -> dict[str, Data]:
    if not isinstance(studies, Mapping) or len(studies) < 2:
        raise wrong_argument("studies", "at least two studies by name, each (X, y) or what load_data returns", studies)
    found = {}
    for name, one in studies.items():
        pair = (one, None) if isinstance(one, Data) else one
        if not isinstance(pair, tuple) or len(pair) != 2:
            raise wrong_argument(f"studies[{name!r}]", "(X, y) or what load_data returns", one)
        data = as_data(*pair)
        why = "studies are compared on the values that they have"
        refuse_beside(data, "compare_studies", prepare=why, force=why, block=why, sample_weight=ROWS_ALIKE)
        found[str(name)] = data
    return found


def _requested(name: str, selector: Any, data: Data, **options: Any) -> Request:
    try:
        return make_request(selector, data, None, scoring=[], **options)
    except InputError as error:
        raise error.after(f"{shown_name(name)}: ") from None


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
    everywhere = _everywhere(own)
    if not everywhere:
        spelling = f"{_otherwise_spelt(own):,} names differ in case or spaces alone" * bool(_otherwise_spelt(own))
        raise InputError(
            f"{listed(list(own), 5)} share no feature: {spelling or 'see whether they use the same names'}."
        )
    if len(everywhere) == 1:
        raise InputError(
            f"{listed(list(own), 5)} share only the feature {shown_name(next(iter(everywhere)))}; a choice needs at "
            "least two to choose from."
        )
    return tuple(name for name in next(iter(own.values())).features if name in everywhere)


def _everywhere(own: Mapping[str, Request], spelt: Callable[[str], str] = str) -> set[str]:
    """The names of features that all studies have, in one spelling."""
    return set.intersection(*({spelt(name) for name in one.features} for one in own.values()))


def _otherwise_spelt(own: Mapping[str, Request]) -> int:
    """How many more features would be shared, if neither case nor spaces around names mattered."""
    return len(_everywhere(own, lambda name: name.strip().casefold())) - len(_everywhere(own))


def _notes_of_features(own: Mapping[str, Request], shared: Sequence[str]) -> list[str]:
    """What is left out because not all studies have it, and which study costs the most."""
    if all(len(one.features) == len(shared) for one in own.values()):
        return []
    each = [f"{len(one.features):,} in {shown_name(name)}" for name, one in own.items()]
    notes = [f"Studies have different features ({listed(each, 5)}); {len(shared):,} are shared, and compared."]
    if (more := _otherwise_spelt(own)) > 0:
        notes.append(f"{counted(more, 'name')} more would match if case and spaces did not matter: spell them alike.")
    without = {
        name: len(_everywhere({other: one for other, one in own.items() if other != name}))
        for name in own
        if len(own) > 2
    }
    name = max(without, key=lambda one: without[one], default="")
    if name and without[name] >= 2 * len(shared):
        notes.append(f"Without {shown_name(name)} the others share {without[name]:,} features.")
    return notes


def _notes_of_strata(exchanges: Mapping[str, Exchange]) -> list[str]:
    """Return a note on the strata of the studies; nothing if no study has any."""
    each = [f"{int(one.cells.max()) + 1} in {shown_name(name)}" for name, one in exchanges.items() if one.cells.any()]
    if not each:
        return []
    return [
        f"Strata ({listed(each, 5)}): features were centered within each stratum, and targets were permuted within it."
    ]


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
    values = _framed(plan.X[:, [place[name] for name in shared]], shared, data.X)
    restricted = replace(data, X=values, y=plan.y, features=tuple(shared), groups=plan.groups, strata=None)
    together = check_feature_groups(data.feature_groups, own.features)
    by_name = None if together is None else {name: int(together[place[name]]) for name in shared}
    return replace(restricted, task=plan.task, feature_groups=by_name)


def _exchange(name: str, data: Data, plan: Plan) -> Exchange:
    """Which rows of a study exchange their targets: all, or those of a stratum; rows of a group together or within."""
    n_rows = len(plan.y)
    if data.strata is not None:
        strata = group_values(aligned_rows(data.X, data.strata, "strata"), n_rows, what="strata")
        try:
            return exchange_of(plan.y, plan.task, strata, plan.groups)
        except InputError as error:
            raise error.after(f"{shown_name(name)}: ") from None
    units = np.arange(n_rows)
    if plan.groups is not None:
        units = np.unique(plan.groups, return_inverse=True)[1].astype(np.int64)
    first = np.unique(units, return_index=True)[1]
    within = not np.array_equal(plan.y[first][units], plan.y)
    return Exchange(plan.y, np.zeros(n_rows, np.int64), units, first, within, plan.task)


def _centered(data: Data, exchange: Exchange) -> Data:
    """A study whose features lost their means within its strata, so that no batch counts as an effect."""
    if not exchange.cells.any():
        return data
    values = _numbers(data.X).copy()
    for stratum in np.unique(exchange.cells):
        rows = exchange.cells == stratum
        known = np.isfinite(values[rows])
        # A feature without any value in a stratum has no mean there; its gaps stay gaps.
        totals = np.where(known, values[rows], 0.0).sum(axis=0)
        values[rows] -= totals / np.maximum(known.sum(axis=0), 1)
    return replace(data, X=_framed(values, data.features, data.X))


def _numbers(X: Any) -> Floats:
    return np.asarray(X, dtype=np.float64)


def _refuse_shared_rows(values: Mapping[str, Floats]) -> None:
    """Rows that stand in two studies make them agree, so that nothing would follow from it.

    They have equal values or, where one file was scaled in another way, correlate highly once each study is
    standardised. As many rows that are alike within a study say that the features do not tell rows apart.
    """
    by_values = {name: [row.tobytes() for row in X] for name, X in values.items()}
    scaled = {name: _unit_rows(X) for name, X in values.items() if X.shape[1] >= MANY_FEATURES}
    for a, b in combinations(values, 2):
        repeated = sum(len(rows) - len(set(rows)) for rows in (by_values[a], by_values[b]))
        shared = [(len(set(by_values[a]) & set(by_values[b])), repeated)]
        if scaled:
            A, B = scaled[a], scaled[b]
            within = sum(int(((one @ one.T >= ALIKE).sum(axis=0) > 1).sum()) for one in (A, B))
            shared.append((int((A @ B.T >= ALIKE).any(axis=0).sum()), within))
        least = max(LEAST_ALIKE[0], LEAST_ALIKE[1] * min(len(by_values[a]), len(by_values[b])))
        count = max((n for n, by_accident in shared if n >= max(least, 2 * by_accident)), default=0)
        if count:
            raise InputError(
                f"{count:,} rows of {shown_name(b)} stand in {shown_name(a)} too, by their values; studies that share "
                "rows agree for that reason: leave these rows out of one of them."
            )


def _unit_rows(X: Floats) -> Floats:
    """The rows as vectors of length 1 after each feature was standardised; gaps count as means."""
    rows = np.nan_to_num(_standardised(X))
    length = np.linalg.norm(rows, axis=1, keepdims=True)
    return rows / np.where(length == 0, 1, length)


def _standardised(X: Floats) -> Floats:
    spread = np.nanstd(X, axis=0)
    constant = spread <= EQUAL * np.nanmax(np.abs(X), axis=0)
    return np.asarray((X - np.nanmean(X, axis=0)) / np.where(constant, np.inf, spread))


def _framed(values: Floats, names: Sequence[str], like: Any) -> Any:
    """Values as a frame where those of the study were one: functions that select may ask for names."""
    if not hasattr(like, "columns"):
        return values
    import pandas as pd

    return pd.DataFrame(values, columns=list(names))


def _folds(data: Data) -> KFold:
    """The cross-validation within a study; groups stay together."""
    y: Any = data.y
    units = len(y) if data.groups is None else len(np.unique(data.groups))
    return KFold(max(2, min(FOLDS, units)), stratified=data.groups is None)


def _pooled(data: Mapping[str, Data], asked: Mapping[str, Request]) -> Data:
    """All rows of all studies, each feature standardised within each study; gaps stay."""
    every = [_standardised(one.plan.X) for one in asked.values()]
    first = next(iter(data.values()))
    y = np.concatenate([one.plan.y for one in asked.values()])
    impute = next((one.impute for one in data.values() if one.impute is not None), None)
    table = _framed(np.concatenate(every), first.features, first.X)
    return replace(first, X=table, y=y, groups=None, impute=impute)


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


def _cautions(asked: Mapping[str, Request]) -> Iterator[str]:
    """Yield what makes the rows or features of each study doubtful: copies, the target among them, rare classes."""
    for name, one in asked.items():
        plan, study = one.plan, shown_name(name)
        if repeated := repeated_rows(plan.X, plan.groups):
            yield f"In {study}, {repeated_words(repeated)}: leave copies out, or give rows of one sample as groups."
        names = [one.features[f] for f in giving_away(plan.amounts, plan.y)]
        doubts = [giving_away_words(names)] if names else []
        for doubt in (*doubts, *rare_class_words(TASKS[plan.task].counts(plan.y))):
            yield f"In {study}, {doubt[:1].lower()}{doubt[1:]}"


@dataclass(frozen=True, eq=False)
class _Own:
    """A study on the shared features: what it selects, and the directions of all of them."""

    name: str
    asked: Request
    n_features: int
    chosen: frozenset[int]
    codes: Ints
    exchange: Exchange

    @classmethod
    def of(cls, name: str, asked: Request, n_features: int, exchange: Exchange | None = None) -> _Own:
        cell, plan = fit_on_all_rows(asked.plan, asked.selectors[0]), asked.plan
        if cell.selected is None:
            raise InputError(f"{asked.names[0]} fails on {shown_name(name)}: {cell.failure}.")
        if exchange is None:
            exchange = _exchange(name, Data(plan.X), plan)
        codes = data_directions(plan.X, plan.y, plan.task)
        return cls(name, asked, n_features, frozenset(cell.selected), codes, exchange)

    @property
    def n_rows(self) -> int:
        return len(self.asked.plan.y)

    def permuted_lists(self) -> list[frozenset[int] | None]:
        """Return the lists of permuted targets; None for each list that could not be selected.

        They show how features that are correlated, or that any target selects easily, come into a list together.
        """
        plan, found = self.asked.plan, []
        for number in range(1, PERMUTED_LISTS + 1):
            # What selectors of a plan share is remembered by its key, and another target shares nothing.
            permuted = replace(plan, y=self.exchange.target(number, plan.seed)[0], key=uuid4().hex)
            chosen = fit_on_all_rows(permuted, self.asked.selectors[0]).selected
            found.append(None if chosen is None else frozenset(chosen))
        return found

    def words(self, features: Ints) -> list[str]:
        """The directions of some features."""
        plan = self.asked.plan
        return Directions(self.codes, class_names(plan.y, plan.task), self.asked.target, plan.task).words(features)

    def p_values(self, features: Ints, codes: Ints, n_tests: int) -> Floats:
        """One-sided p-values of effects in given directions, from ranks whose rows exchange their targets.

        So no distribution of a feature misleads: many values of 0, or few rows of a class. Rows of one group count once
        where they have one target; else they exchange it within the group. Draws are as many as ``n_tests`` need.
        """
        from scipy.stats import rankdata

        plan, record = self.asked.plan, TASKS[self.asked.plan.task]
        X, y = filled_by_medians(plan.X[:, features]), plan.y
        within = self.exchange.compared_within
        if len(self.exchange.first) < len(y) and not self.exchange.within:
            first, units = self.exchange.first, self.exchange.units
            X, y = np.array([X[units == g].mean(axis=0) for g in range(len(first))]), y[first]
            within = within[first]
        along = (y[:, None] == np.unique(y)) * 1.0 if record.has_classes else of_size_1(record.amounts(y))[:, None]
        column = np.abs(codes) - 1 if record.has_classes else np.zeros_like(codes)
        towards, ranks = np.sign(codes), cleared(rankdata(X, axis=0), within)
        seen = towards * (along.T @ ranks)[column, np.arange(len(features))]
        n_draws = int(min(MOST_DRAWS, DRAWS_A_TEST * n_tests / LEVEL))
        random, hits, by_group = np.random.default_rng(plan.seed), np.zeros(len(features)), np.argsort(within)
        for start in range(0, n_draws, step := max(1, CELLS_A_BLOCK // along.size)):
            draws = random.random((min(step, n_draws - start), len(y)))
            drawn = np.tensordot(along[np.argsort(within + draws, axis=1)], ranks[by_group], axes=(1, 0))
            hits += (towards * drawn[:, column, np.arange(len(features))] >= seen - EQUAL * len(y) ** 2).sum(axis=0)
        return (1 + hits) / (1 + n_draws)

    def effects(self, features: Ints) -> Floats:
        """The effects of some features, not corrected for having been selected."""
        plan = self.asked.plan
        X = filled_by_medians(plan.X[:, features])
        found = effects(X, plan.y, plan.task, self.codes[features], self.exchange.cells)
        return found.shown(found.z, np.arange(len(features)))


def _scored(every: Sequence[_Own], result: Assessment) -> Iterator[Study]:
    """Each study with its scores: run i leaves out study i, and the folds of the studies follow."""
    cells = {cell.run: cell for cell in result.cells_of(result.selectors[0])}
    score = next(iter(result.settings["scoring"]), "")
    start = len(every)
    for place, one in enumerate(every):
        runs = range(start, start := start + one.asked.plan.n_runs)
        own = float(np.mean([cells[run].scores.get(score, nan) for run in runs]))
        others, blind = (scores.get(score, nan) for scores in (cells[place].scores, cells[place].blind))
        yield Study(one.name, one.n_rows, one.n_features, len(one.chosen), others, own, blind)


def _pairs(every: Sequence[_Own], d: int, predictions: Mapping[str, Replicated]) -> Iterator[StudyPair]:
    """Each list in each of the other studies."""
    permuted = {one.name: one.permuted_lists() for one in every}
    for first in every:
        for second in every:
            if first is not second:
                p_value = _overlap_p_value(first, second, permuted)
                yield _pair(first, second, d, p_value, predictions.get(first.name))


def _overlap_p_value(first: _Own, second: _Own, permuted: Mapping[str, Sequence[frozenset[int] | None]]) -> float:
    """Return the p-value of so many or more features in common, from permuted targets.

    The list of one study is compared with the lists of permuted targets of the other, both ways. The larger p-value
    holds if either study has no effect at all: its target is then exchangeable, whatever the other study is like.
    """
    common = len(first.chosen & second.chosen)
    found = []
    for fixed, other in ((first, second), (second, first)):
        lists = permuted[other.name]
        # A list that could not be selected counts against the agreement.
        as_many = sum(one is None or len(fixed.chosen & one) >= common for one in lists)
        found.append((1 + as_many) / (1 + len(lists)))
    return max(found)


def _pair(first: _Own, second: _Own, d: int, p_value: float, told: Replicated | None) -> StudyPair:
    both, sizes = sorted(first.chosen & second.chosen), (len(first.chosen), len(second.chosen))
    same = int((first.codes[both] == second.codes[both]).sum())
    pair = StudyPair(first.name, second.name, sizes[0], len(both), sizes[0] * sizes[1] / d, same, p_value)
    ratio = second.n_rows / first.n_rows
    study = next((one for one in (told.studies[1:] if told else ()) if one.multiple == ratio), None)
    if told is None or study is None:
        return pair
    low, high = told.size * study.one_low, told.size * study.one_high
    return replace(pair, predicted=told.common(study.again), low=low, high=high)


def _features_of(every: Sequence[_Own], shared: Sequence[str]) -> list[StudyFeature]:
    """Every feature that is selected anywhere, with the adjusted p-value of its effect in two studies."""
    used = np.array(sorted(set().union(*(one.chosen for one in every))), dtype=np.int64)
    codes = np.array([np.where(np.isin(used, list(one.chosen)), one.codes[used], 0) for one in every])
    # In which directions studies select each feature; one without a direction agrees with none.
    directions = [Counter(filter(None, of_feature)) for of_feature in codes.T.tolist()]
    p_values = np.sort([_in_one(place, every, used, codes) for place in range(len(every))], axis=0)[1]
    words = list(zip(*(one.words(used) for one in every), strict=True))
    amounts = np.array([one.effects(used) for one in every]).T
    found = [
        StudyFeature(
            shared[f],
            max(directions[i].values(), default=0),
            tuple(f in one.chosen for one in every),
            words[i],
            tuple(map(float, amounts[i])),
            float(p_values[i]),
            len(directions[i]) > 1,
        )
        for i, f in enumerate(used.tolist())
    ]
    return sorted(found, key=lambda one: (not one.comes_back, -one.studies, -np.mean(np.abs(one.effects))))


def _in_one(place: int, every: Sequence[_Own], used: Ints, codes: Ints) -> Floats:
    """p-values, in one study, of effects that the lists of the others promise; adjusted for all tests of all studies.

    ``codes`` are the directions in which studies select the features, 0 where they do not. Where the others contradict
    each other equally often, nothing is promised.
    """
    promised = np.zeros(len(used), dtype=np.int64)
    for i, others in enumerate(np.delete(codes, place, axis=0).T.tolist()):
        first, *second = Counter(filter(None, others)).most_common(2) or [(0, 0)]
        promised[i] = 0 if second and second[0][1] == first[1] else first[0]
    tested, found = np.flatnonzero(promised), np.ones(len(used))
    n_tests = len(tested) * len(every)
    found[tested] = np.minimum(1.0, n_tests * every[place].p_values(used[tested], promised[tested], n_tests))
    return found


def _effect_words(asked: Request) -> str:
    classes = [shown_name(name) for name in class_names(asked.plan.y, asked.plan.task)]
    if not classes:
        return CORRELATION
    return STANDARD_DEVIATIONS + (f", {classes[1]} less {classes[0]}" if len(classes) == 2 else "")
