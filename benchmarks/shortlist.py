"""How many false and true features a shortlist holds on real arrays: `python -m benchmarks.shortlist`.

The columns of a real array are standardised, a target is drawn at random, and an effect of it is added to 20 random
columns, so that what is false is known and everything else is as correlated as real data are. Adds draws to
shortlist.json until each cell has as many as are asked for (delete a cell to measure it again), then writes the tables
of docs/shortlist.md. `python -m benchmarks.shortlist page` only writes them. The package ipss is measured where it is
installed.
"""

from __future__ import annotations

import json
import os
import sys
import time
from collections.abc import Callable, Iterator
from functools import lru_cache, partial
from importlib.util import find_spec
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
from scipy.stats import false_discovery_control, norm, rankdata
from sklearn.feature_selection import f_classif, f_regression

from benchmarks.coverage.report import table
from benchmarks.error_bounds import add_pairs
from benchmarks.shortlist_peers import f_tests, peers
from steadyset.shortlists.bases import BASES, Features
from steadyset.shortlists.exchange import Exchange, exchange_of
from steadyset.shortlists.kept import KeptOrders
from steadyset.shortlists.procedure import Judged, Procedure, Watch, clusters_of, compared_columns
from steadyset.shortlists.rules import LIST_RULES, Halves
from steadyset.shortlists.standing import Standing
from steadyset.tasks import CLASSES, NUMBER, SURVIVAL

RESULTS = Path(__file__).with_suffix(".json")
PAGE = Path(__file__).parents[1] / "docs" / "shortlist.md"
FALSE, RATES = (0.5, 1.0, 2.0, 5.0), (0.05, 0.1, 0.2)
PERMUTATIONS, SPLITS, INFORMATIVE, JOINT = 50, 50, 20, 10
IPSS = "ipss with its lasso"
FEWEST_DRAWS = 5  # from which a mean has a standard error to be judged by
POOL, BLOCK = 60, 20  # targets of a pool, and how many of them are the observed one in turn
SKEWED = "skewed covariates"
ALLOWED = [f"false {false:g}" for false in FALSE] + [f"fdr {rate:g}" for rate in RATES]
Lists = dict[str, Any]  # of each rule: who is listed


class Case(NamedTuple):
    """An array, which of its rows and columns are kept, the target, and its effect in standard deviations."""

    array: str
    delta: float
    target: str = "2 classes"
    rows: int | None = None
    columns: str = ""
    # How rows hang together: in "strata", as "replicates", in "pairs", or by "covariates", also "skewed" ones.
    design: str = ""

    def __str__(self) -> str:
        rows = f"{self.rows} rows" if self.rows else ""
        parts = (self.array, rows, self.columns, self.design, self.target, f"{self.delta:g}")
        return ", ".join(part for part in parts if part)


# ---- the data ------------------------------------------------------------------------------------------------------


@lru_cache(maxsize=2)
def array_of(name: str) -> Any:
    frame = pd.read_parquet(Path(os.environ["STEADYSET_DATA"]) / f"{name}.parquet")
    values = frame.drop(columns="target").to_numpy(float)
    return values[:, values.std(axis=0) > 0]


class Draw(NamedTuple):
    """Features, target, which features depend on it and how much, the features before they did, and the exchange."""

    X: Any
    y: Any
    true: Any
    task: str
    sizes: Any
    values: Any
    exchange: Exchange
    seed: int


def drawn(case: Case, seed: int) -> Draw:
    random = np.random.default_rng([seed, 29])
    values = array_of(case.array)
    if case.rows:
        values = values[random.choice(len(values), case.rows, replace=False)]
        values = values[:, values.std(axis=0) > 0]
    kind, _, n_columns = case.columns.partition(" ")
    if n_columns:
        values = values[:, random.choice(values.shape[1], int(n_columns), replace=False)]
    if kind == "binary":
        values = (values > np.quantile(values, 0.7, axis=0)).astype(float)
    if kind == "doubled":
        values = np.repeat(values, 2, axis=1)
    values = (values - values.mean(axis=0)) / np.where(values.std(axis=0) > 0, values.std(axis=0), 1.0)
    if kind == "normal":  # normal scores, as correlated as before
        values = norm.ppf((rankdata(values, axis=0) - 0.5) / len(values))
    if kind == "heavy":  # tails as after taking the third power
        values = values**3 / np.sqrt(np.mean(values**6, axis=0))
    strata, groups, covariates = None, None, None
    if case.design == SKEWED:
        covariates = np.column_stack([random.normal(size=len(values)), random.lognormal(size=len(values))])
        covariates = (covariates - covariates.mean(axis=0)) / covariates.std(axis=0)
        half = random.permutation(values.shape[1])[::2]
        values[:, half] += covariates @ random.normal(size=(2, len(half)))
    elif case.design == "covariates":  # half of the features and the target depend on them
        covariates, half = random.normal(size=(len(values), 2)), random.permutation(values.shape[1])[::2]
        values[:, half] += covariates @ random.normal(size=(2, len(half)))
    elif case.design == "strata":
        strata = random.integers(0, 3, len(values))
        values = values + random.normal(size=(3, values.shape[1]))[strata]
    elif case.design:
        groups = np.repeat(np.arange(len(values) // 2), 2)
        values = values[groups] + 0.5 * random.normal(size=(len(groups), values.shape[1]))
    if kind == "counts":  # most of them 0; of features that depend on a covariate, it changes the rate
        values = random.poisson(np.exp(np.minimum(values, 3.0) - 1.5)).astype(float)
        values = values[:, values.std(axis=0) > 0]
    n, d = values.shape
    y, codes = target_of(case.target, n, random)
    if strata is not None:  # the second class is rare in the first stratum and frequent in the last
        y = (random.random(n) < np.array([0.3, 0.5, 0.7])[strata]).astype(int)
    elif covariates is not None and case.design == SKEWED:
        y = driven_target(case.target, covariates.sum(axis=1) + random.normal(size=n), random)
    elif covariates is not None:
        y = (covariates.sum(axis=1) + random.normal(size=n) > 0).astype(int)
    elif case.design == "replicates":
        y = np.repeat(random.permutation(np.arange(n // 2) % 2), 2)
    elif case.design == "pairs":
        y = (np.arange(n) + np.repeat(random.integers(0, 2, n // 2), 2)) % 2
    codes = (y - 0.5)[:, None] if case.design and case.target == "2 classes" else codes
    sizes = np.zeros(d)
    X = values
    if case.delta:
        chosen = random.choice(d, min(INFORMATIVE, d // 3), replace=False)
        sizes[chosen] = case.delta * np.linspace(1.4, 0.6, len(chosen))
        X = values.copy()
        X[:, chosen] += sizes[chosen] * codes[:, np.arange(len(chosen)) % codes.shape[1]]
        if kind == "joint":
            sizes, X, pairs = np.zeros(d), values.copy(), chosen[:JOINT]
            sizes[pairs] = case.delta
            add_pairs(X, y, pairs, case.delta)
        if kind == "binary":  # a column keeps its two values: rows of one class are switched on
            on = random.random((n, len(chosen))) < 0.3 * sizes[chosen] * (codes[:, :1] > 0)
            X[:, chosen] = np.where(on, values[:, chosen].max(axis=0), values[:, chosen])
    task = {"number": NUMBER, "times": SURVIVAL}.get(case.target, CLASSES)
    return Draw(X, y, sizes > 0, task, sizes, values, exchange_of(y, task, strata, groups, covariates), seed)


def driven_target(kind: str, score: Any, random: np.random.Generator) -> Any:
    """Return a target that follows a score: classes by its quantiles, the score itself, or times with censoring."""
    if kind == "number":
        return score
    if kind == "times":  # about four of ten are censored
        until, censored = -score, random.normal(0.36, np.std(score), size=len(score))
        return np.column_stack([np.exp(np.minimum(until, censored)), until <= censored]).astype(float)
    count = int(kind.split()[0])
    return np.digitize(score, np.quantile(score, np.arange(1, count) / count))


def target_of(kind: str, n: int, random: np.random.Generator) -> tuple[Any, Any]:
    """A random target, and what is added to a feature per unit of its effect: of several classes, in each in turn."""
    if kind == "number":
        y = random.normal(size=n)
        return y, (y / 2)[:, None]
    if kind == "times":  # the logarithm of the time is what a feature changes with; four of ten are censored
        until, censored = random.normal(size=n), random.normal(0.36, size=n)
        return np.column_stack([np.exp(np.minimum(until, censored)), until <= censored]), (until / 2)[:, None]
    count, word = kind.split(" ", 1)
    if word == "classes":
        y = random.permutation(np.arange(n) % int(count))
    else:  # "4 of a class": so many of the second one
        y = random.permutation((np.arange(n) < int(count)).astype(int))
    labels = np.unique(y)
    codes = (y[:, None] == labels).astype(float)
    return y, codes[:, 1:] - 0.5 if len(labels) == 2 else codes - codes.mean(axis=0)


# ---- what is listed ------------------------------------------------------------------------------------------------


def readings(standing: Standing) -> Iterator[tuple[str, Any]]:
    """What the recipe lists at each allowance."""
    for false in FALSE:
        yield f"false {false:g}", standing.listing(false, None)
    for rate in RATES:
        yield f"fdr {rate:g}", standing.listing(None, rate)


def targets(
    case: Case, bases: tuple[str, ...], seeds: range, *, groups: bool
) -> Iterator[tuple[list[Any], Features, Draw, list[int]]]:
    """Of each draw: the orders of the observed and of permuted targets, the features, the draw, and their numbers.

    With nothing true all targets are alike, so that each of a pool is the observed one in turn, and others its permuted
    ones; but the observed one alone depends on covariates.
    """
    alone = case.delta or case.design.endswith("covariates")
    for block in (range(one, one + 1) for one in seeds) if alone else (seeds,):
        data, draw, _ = ready(drawn(case, block[0]), groups=groups)
        extra = 0 if alone else POOL - PERMUTATIONS
        orders = orders_of(data, draw, bases, PERMUTATIONS + extra, block[0])
        for seed in block:
            others = [number for number in range(len(orders)) if number != seed - block[0]]
            permuted = np.random.default_rng([seed, 31]).permutation(others)[:PERMUTATIONS]
            numbers = [seed - block[0], *map(int, permuted)]
            yield [orders[number] for number in numbers], data, draw, numbers


def by_bases(bases: tuple[str, ...], *, groups: bool, stepping: bool) -> Callable[..., Iterator[Lists]]:
    """The recipe with these bases, of features or groups as well; with stepping, also one pass and plain stepping."""

    def measured(case: Case, seeds: range) -> Iterator[Lists]:
        for orders, data, draw, _ in targets(case, bases, seeds, groups=groups or not case.delta):
            found: Lists = {}
            true, n_others = draw.true, data.others.shape[1]
            ways = [bases] if len(bases) == 1 else [bases, *((base,) for base in bases)]
            for way in ways:
                name = " + ".join(way)
                sizes = {base: BASES[base][1] for base in way}
                by_feature = [{base: one[base].features for base in way} for one in orders]
                standing = Standing(by_feature, sizes, len(true), n_others)
                listings = dict(readings(standing))
                for allowed, listing in listings.items():
                    found[f"{name}, {allowed}"] = counts(listing.listed, true)
                for false in (1.0, 5.0) if stepping else ():
                    one_pass = standing.listing(false, None, gate=None, last=1.0)
                    found[f"one pass, false {false:g}"] = counts(one_pass.listed, true)
                    stepped = standing.listing(false, None, gate=1.0, last=1.0)
                    found[f"stepped, false {false:g}"] = counts(stepped.listed, true)
                if way == bases and data.n_clusters < len(true):
                    by_cluster = [{base: one[base].clusters for base in way} for one in orders]
                    by_group = Standing(by_cluster, sizes, data.n_clusters, n_others)
                    found |= of_groups(name, data.clusters, by_group, listings, true)
            yield found

    return measured


def of_groups(name: str, clusters: Any, standing: Standing, features: Lists, true: Any) -> Lists:
    """Listed groups, and what is shown: listed features with the listed groups of several that hold none of these."""
    found = {}
    true_groups = np.bincount(clusters, weights=true) > 0
    several = np.bincount(clusters) > 1
    for allowed, listing in readings(standing):
        found[f"groups of {name}, {allowed}"] = counts(listing.listed, true_groups)
        alone = features[allowed].listed
        holds = np.bincount(clusters, weights=alone) > 0
        shown = np.concatenate([alone, listing.listed & several & ~holds])
        found[f"features and groups of {name}, {allowed}"] = counts(shown, np.concatenate([true, true_groups]))
    return found


def ready(draw: Draw, *, groups: bool = False) -> tuple[Features, Draw, bool]:
    """Return the features as the procedure ranks them, the draw with its exchange, and whether they are ranks."""
    columns, exchange, ranks = compared_columns(draw.X, draw.exchange, draw.task)
    clusters = clusters_of(draw.exchange.centred(draw.X)) if groups else np.arange(columns.shape[1])
    random = np.random.default_rng([draw.seed, columns.shape[1]])
    data = Features.of(columns, clusters, random=random, unrelated=exchange.unrelated)
    return data, draw._replace(exchange=exchange), ranks


def orders_of(data: Features, draw: Draw, bases: tuple[str, ...], n_permutations: int, seed: int) -> list[Any]:
    """The orders of the observed target and of permuted ones."""
    procedure = Procedure(1.0, None, bases, n_permutations, SPLITS, 1)
    kept = KeptOrders(None, {}, resume=True)
    return list(procedure.orders(data, draw.exchange, seed, kept, Watch(), range(n_permutations + 1)))


def by_other_rules(case: Case, seeds: range) -> Iterator[Lists]:
    """Rules that need no permuted targets: those of steadyset.shortlists.rules, and t-tests on all rows."""
    for seed in seeds:
        data, draw, ranks = ready(drawn(case, seed))
        X, y, true, task, *_ = draw
        orders = [{"filter": one["filter"].features} for one in orders_of(data, draw, ("filter",), 0, seed)]
        standing = Standing(orders, {"filter": BASES["filter"][1]}, len(true))
        found: Lists = {}
        importances: dict[str, Any] = {}
        for false, rate in ((1.0, None), (None, 0.1)):
            procedure = Procedure(false, rate, ("filter",), 0, SPLITS, 1)
            judged: Any = Judged(
                procedure, data, task, draw.exchange, seed, ranks, standing, None, None, X, draw.exchange
            )  # type: ignore[arg-type]
            for base in BASES:
                halves = Halves(judged, base)
                if base in importances:  # the same for all allowances
                    vars(halves)["importances"] = importances[base]
                importances[base] = halves.importances
                for rule in LIST_RULES[1:]:
                    path = rule.name.startswith("integrated")
                    if path or (rate is None and base == "filter"):
                        name = f"{rule.name}, {base}" if path else rule.name
                        allowed = f"false {false:g}" if rate is None else f"fdr {rate:g}"
                        found[f"{name}, {allowed}"] = counts(rule.find(halves).listed, true)
        found |= by_tests(X, y, true, task) | by_tests(data.X, y, true, task, " on ranks" if ranks else "")
        yield found


def by_peers(bases: tuple[str, ...]) -> Callable[..., Iterator[Lists]]:
    """The recipe with these bases beside rules of other kinds on the filter's halves, at every allowance."""

    def measured(case: Case, seeds: range) -> Iterator[Lists]:
        tested: dict[int, Any] = {}
        sizes = {base: BASES[base][1] for base in bases}
        for orders, data, draw, numbers in targets(case, bases, seeds, groups=False):
            tested = {} if numbers[0] == 0 else tested
            for number in numbers:
                if number not in tested:
                    y = draw.exchange.target(number, draw.seed)[0]
                    tested[number] = f_tests(data.X, *draw.exchange.ranked(y))
            by_base = [{base: one[base].features for base in bases} for one in orders]
            standing = Standing(by_base, sizes, len(draw.true), data.others.shape[1])
            name = " + ".join(bases)
            found = {f"{name}, {allowed}": counts(one.listed, draw.true) for allowed, one in readings(standing)}
            by_filter = [one["filter"] for one in by_base]
            others = peers(by_filter, [tested[number] for number in numbers], len(draw.true), FALSE, RATES)
            yield found | {rule: counts(listed, draw.true) for rule, listed in others}

    return measured


def by_packages(case: Case, seeds: range) -> Iterator[Lists]:
    """The published package of the integrated path with its lasso, as it comes: `pip install ipss`."""
    from ipss import ipss

    for seed in seeds:
        draw = drawn(case, seed)
        given = ipss(draw.X.copy(), draw.y.astype(float), selector="l1")
        found: Lists = {}
        for allowed, scores in (("false 1", given["efp_scores"]), ("fdr 0.1", given["q_values"])):
            most = float(allowed.split()[1])
            listed = np.array([scores.get(j, np.inf) <= most for j in range(len(draw.true))])
            found[f"{IPSS}, {allowed}"] = counts(listed, draw.true)
        yield found


def by_tests(X: Any, y: Any, true: Any, task: str, name: str = "") -> Lists:
    """F tests of single features: by Benjamini and Hochberg's procedure, or with p below the share that is allowed."""
    p = (f_regression if task == NUMBER else f_classif)(X, y)[1]
    adjusted = false_discovery_control(np.nan_to_num(p, nan=1.0))
    found = {f"Benjamini-Hochberg{name}, fdr {rate:g}": counts(adjusted <= rate, true) for rate in RATES}
    return found | {f"F tests{name}, false {false:g}": counts(p <= false / len(p), true) for false in FALSE}


def counts(listed: Any, true: Any) -> tuple[int, int]:
    return int((listed & true).sum()), int((listed & ~true).sum())


PARTS: dict[str, Callable[..., Iterator[Lists]]] = {
    "filter": by_bases(("filter",), groups=False, stepping=True),
    "lasso": by_bases(("filter", "lasso"), groups=False, stepping=False),
    "groups": by_bases(("filter",), groups=True, stepping=False),
    "other rules": by_other_rules,
    "held out": by_peers(("filter",)),
    "held out by both": by_peers(("filter", "lasso")),
    "covariates": by_bases(("filter",), groups=False, stepping=False),
    "covariates by both": by_bases(("filter", "lasso"), groups=False, stepping=False),
    "packages": by_packages,
}

SMALL = ("alon", "golub", "gravier")


HELD_OUT = (  # arrays, designs and numbers of rows that the recipe was not made on, with the effects that are tried
    (Case("gordon", 0.0), 0.6),
    (Case("gordon", 0.0, "4 classes", rows=120), 1.2),
    (Case("chowdary", 0.0, "3 classes", columns="any 3000"), 1.2),
    (Case("chowdary", 0.0, rows=40, columns="any 3000"), 1.6),
    (Case("arcene", 0.0, columns="any 3000"), 0.6),
    (Case("arcene", 0.0, "number", rows=80, columns="any 3000"), 1.2),
    (Case("lsvt_full", 0.0), 0.8),
    (Case("gordon", 0.0, columns="any 3000", design="strata"), 1.0),
    (Case("arcene", 0.0, rows=120, columns="any 3000", design="replicates"), 1.2),
    (Case("chowdary", 0.0, columns="any 3000", design="pairs"), 0.8),
    (Case("singh", 0.0, "times", columns="any 3000"), 1.2),
    (Case("gordon", 0.0, columns="any 3000", design="covariates"), 1.0),
)
BOTH = (  # the same by the filter and the lasso, of fewer columns
    (Case("gordon", 0.0, columns="any 3000"), 0.6),
    (Case("gordon", 0.0, "4 classes", rows=120, columns="any 3000"), 1.2),
    *((case, delta) for case, delta in HELD_OUT if not case.design and (case.columns or case.array == "lsvt_full")),
)


COVARIATES = tuple(  # beside which the target and half of the features are, by kind of column and of target
    Case("gordon", 0.0, target, rows=90, columns=columns, design=SKEWED)
    for columns in ("normal 300", "any 300", "heavy 300", "counts 300")
    for target in ("2 classes", "3 classes", "number", "times")
)
HELD_PARTS = {"held out": ("filter", HELD_OUT), "held out by both": ("filter + lasso", BOTH)}
STUDIED = ("filter: ", "lasso: ", "groups: ", "held out", "covariates")  # parts in which the list is measured


def plan() -> list[tuple[str, Case, int]]:
    """What is measured, most wanted first: the part, the case, and how many draws."""
    nulls = [Case(array, 0.0) for array in SMALL]
    signals = [Case(array, delta) for delta in (0.8, 1.2) for array in SMALL]
    other = [
        Case("alon", 0.0, "3 classes"),
        Case("sorlie", 0.0, "4 classes"),
        Case("alon", 0.0, "number"),
        Case("gravier", 0.0, rows=40),
        Case("christensen", 0.0, "4 of a class"),
        Case("gravier", 0.0, "8 of a class"),
        Case("alon", 0.0, columns="any 10"),
        Case("alon", 0.0, columns="any 30"),
        Case("alon", 0.0, columns="binary 100"),
        Case("alon", 0.0, columns="doubled 500"),
        Case("subramanian", 0.0),
        Case("singh", 0.0),
    ]
    stronger = [
        case._replace(delta=2.5 if "of a class" in case.target else 1.6 if case.rows else 1.2) for case in other
    ]
    some = [case for case in signals if case.array != "golub"]
    joint = [Case(array, 3.0, columns="joint") for array in ("alon", "gravier")]
    return [
        *(("held out", case._replace(delta=delta), 12) for case, delta in HELD_OUT),
        *(("covariates", case, 24) for case in COVARIATES),
        *(("covariates by both", case, 8) for case in COVARIATES),
        *(("covariates", case, 72) for case in COVARIATES if case.columns == "any 300" and case.target == "2 classes"),
        *(("held out by both", case, 40) for case, _ in BOTH),
        *(("held out by both", case._replace(delta=delta), 8) for case, delta in BOTH),
        *(("held out", case._replace(delta=delta), 40) for case, delta in HELD_OUT if case.target == "4 classes"),
        *(("held out", case, 40) for case, _ in HELD_OUT),
        *(("filter", case, 40) for case in nulls),
        *(("filter", case, 16) for case in signals),
        *(("filter", case, 40) for case in other),
        *(("other rules", case, 16) for case in (*nulls, *signals)),
        *(("lasso", case, 20) for case in nulls),
        *(("filter", case, 10) for case in stronger),
        *(("lasso", case, 6) for case in (*some, *joint)),
        *(("groups", case, 10) for case in some),
        *(("filter", case, 100) for case in (*nulls, *other)),
        *(("filter", case, 40) for case in signals),
        *(("lasso", case, 60) for case in nulls),
        *(("other rules", case, 40) for case in (*nulls, *signals)),
        *(("filter", case, 30) for case in stronger),
        *(("lasso", case, 20) for case in (*signals, *joint)),
        *(("groups", case, 30) for case in some),
        *(("filter", case, 200) for case in nulls),
        *(("packages", case, 6) for case in (*nulls, *signals) if find_spec("ipss")),
    ]


# ---- the sums ------------------------------------------------------------------------------------------------------


class Sums(NamedTuple):
    """Of the draws of one rule: how many, and sums from which means and standard errors follow; more can be added."""

    draws: int = 0
    true: int = 0
    true_squares: int = 0
    false: int = 0
    false_squares: int = 0
    rate: float = 0.0
    rate_squares: float = 0.0
    most: int = 0
    none: int = 0  # draws without a false feature

    def add(self, true: int, false: int) -> Sums:
        rate = false / max(1, true + false)
        return Sums(
            self.draws + 1,
            self.true + true,
            self.true_squares + true**2,
            self.false + false,
            self.false_squares + false**2,
            round(self.rate + rate, 9),
            round(self.rate_squares + rate**2, 9),
            max(self.most, false),
            self.none + (false == 0),
        )

    def mean(self, what: str) -> tuple[float, float]:
        """Mean and standard error of "true", "false" or "rate"."""
        total, squares = getattr(self, what), getattr(self, f"{what}_squares")
        mean = total / self.draws
        variance = max(0.0, squares / self.draws - mean**2) * self.draws / max(1, self.draws - 1)
        return mean, float(np.sqrt(variance / self.draws))


def measure(part: str, case: Case, sums: dict[str, Any], done: int, n_more: int) -> None:
    """Add draws to the sums of a cell."""
    for start in range(done, done + n_more, BLOCK):
        for lists in PARTS[part](case, range(start, min(start + BLOCK, done + n_more))):
            for rule, found in lists.items():
                sums[rule] = list(Sums(*sums.get(rule, ())).add(*found))


def too_many(results: dict[str, Any], errors: float = 2.0, fewest: int = FEWEST_DRAWS) -> Iterator[str]:
    """Where a rule does not hold: the mean exceeds the allowance by more than so many standard errors."""
    for cell, sums in results.items():
        for rule, numbers in sums.items():
            if numbers[0] < fewest:
                continue
            allowed = float(rule.rsplit(" ", 1)[1])
            mean, error = Sums(*numbers).mean("rate" if ", fdr " in rule else "false")
            if mean > allowed + errors * error:
                yield f"{cell}: {rule}: {mean:.3f} ({error:.3f}), {numbers[0]} draws"


# ---- the page ------------------------------------------------------------------------------------------------------


def page(results: dict[str, Any]) -> str:
    """The tables of docs/shortlist.md."""
    allowed = ALLOWED
    cases = list(dict.fromkeys((part, case) for part, case, _ in plan() if part in ("filter", "lasso")))
    nulls = [
        [
            words(case),
            name,
            _draws_of_rule(results, part, case, name),
            *(_false(results, part, case, f"{name}, {one}") for one in allowed),
        ]
        for part, case in cases
        for name in (("filter",) if part == "filter" else ("filter + lasso", "lasso"))
        if not case.delta
    ]
    found = [
        [
            words(case),
            f"{case.delta:g}",
            name,
            _draws_of_rule(results, part, case, name),
            *(_both(results, part, case, f"{name}, {one}") for one in ("false 0.5", "false 1", "false 5", "fdr 0.1")),
        ]
        for part, case in cases
        for name in (("filter",) if part == "filter" else ("filter", "filter + lasso", "lasso"))
        if case.delta
    ]
    three = [[Case(array, delta) for array in SMALL] for delta in (0.0, 0.8, 1.2)]
    heads = [f"{array}, {delta}" for delta in ("none", 0.8, 1.2) for array in SMALL]
    by_number = [
        [
            name,
            *(_false(results, part, case, f"{rule}, false 1") for case in three[0]),
            *(_both(results, part, case, f"{rule}, false 1") for case in (*three[1], *three[2])),
        ]
        for part, rule, name in COMPARED
    ]
    by_rate = [
        [
            name,
            *(_false(results, part, case, f"{rule}, fdr 0.1") for case in three[0]),
            *(_both(results, part, case, f"{rule}, fdr 0.1") for case in (*three[1], *three[2])),
        ]
        for part, rule, name in COMPARED_BY_RATE
    ]
    return "\n\n".join(
        [
            conclusions(results),
            NULL,
            table(["data", "base", "draws", *allowed], _filled(nulls)),
            SIGNAL,
            table(["data", "effect", "base", "draws", "false 0.5", "false 1", "false 5", "fdr 0.1"], _filled(found)),
            HELD,
            table(["data", "effect", "base", "draws", *allowed], _held_out(results)),
            BESIDE,
            table(["columns", "target", "base", "draws", *allowed], _beside_covariates(results)),
            _pooled_beside(results),
            BEST,
            table(["data", "effect", "base", *allowed], _beside_best(results)),
            RULES,
            table(["rule", *heads], _filled(by_number)),
            RATE,
            table(["rule", *heads], _filled(by_rate)),
            GROUPS,
            table(["data", "effect", "draws", "features", "groups", "together"], _filled(_groups(results))),
        ]
    )


def _held_out(results: dict[str, Any]) -> list[list[Any]]:
    """The list on arrays that it was not made on: nulls, then effects."""
    rows = []
    every = [(part, name, one) for part, (name, cases) in HELD_PARTS.items() for one in cases]
    nulls = [(part, name, case) for part, name, (case, _) in every]
    for part, name, case in nulls + [(part, name, case._replace(delta=delta)) for part, name, (case, delta) in every]:
        shown = [(_both if case.delta else _false)(results, part, case, f"{name}, {one}") for one in ALLOWED]
        rows.append([words(case), f"{case.delta:g}", name, _draws(results, part, case), *shown])
    return _filled(rows)


def _beside_covariates(results: dict[str, Any]) -> list[list[Any]]:
    """Return the rows of false features beside covariates, by the kinds of columns and targets and by base."""
    rows = []
    parts = {"filter": "covariates", "filter + lasso": "covariates by both", "lasso": "covariates by both"}
    for case in COVARIATES:
        for name, part in parts.items():
            shown = [_false(results, part, case, f"{name}, {one}") for one in ALLOWED]
            draws = _draws(results, part, case)
            rows.append([COLUMNS[case.columns.split()[0]], case.target, name, draws, *shown])
    return _filled(rows)


def _pooled_beside(results: dict[str, Any]) -> str:
    """Return what the draws of all columns and targets beside covariates say together, by base."""
    told = []
    for name, part in (("filter", "covariates: "), ("filter + lasso", "covariates by both: ")):
        cells = [sums for cell, sums in results.items() if cell.startswith(part) and f"{name}, false 1" in sums]
        each = {one: np.sum([sums[f"{name}, {one}"] for sums in cells], axis=0) for one in ALLOWED}
        one, five, rate = (Sums(*each[allowed]) for allowed in ("false 1", "false 5", "fdr 0.1"))
        told.append(
            f"- {name}: {one.mean('false')[0]:.2f} false features where 1 is allowed, {five.mean('false')[0]:.2f} "
            f"where 5 are, and any at all in {100 * rate.mean('rate')[0]:.0f}% of {int(one.draws)} draws "
            "at a rate of 0.1."
        )
    return "All columns and targets together:\n\n" + "\n".join(told)


class Beside(NamedTuple):
    """The list beside the best other rule that holds: true features of both."""

    case: Case
    bases: str
    allowed: str
    own: float
    rule: str
    best: float


def best_peers(results: dict[str, Any]) -> Iterator[Beside]:
    """Per case with effects and allowance: the true features of the list, the best rule that holds, and its own.

    A rule holds where it is above no allowance by more than two standard errors, neither with these effects nor without
    any.
    """
    every = [(part, name, *one) for part, (name, cases) in HELD_PARTS.items() for one in cases]
    for part, name, null, delta in every:
        case = null._replace(delta=delta)
        cells = {one: results.get(f"{part}: {one}", {}) for one in (null, case)}
        named = {f"{part}: {one}": sums for one, sums in cells.items()}
        failing = {line.split(": ")[2].rsplit(" ", 1)[0] for line in too_many(named)}
        for allowed in ALLOWED if all(cells.values()) else ():
            found = {
                rule.removesuffix(f", {allowed}"): Sums(*numbers).mean("true")[0]
                for rule, numbers in cells[case].items()
                if rule.endswith(f", {allowed}") and rule.rsplit(" ", 1)[0] not in failing
            }
            own = Sums(*cells[case][f"{name}, {allowed}"]).mean("true")[0]
            best = max((rule for rule in found if rule != name), key=found.__getitem__)
            yield Beside(case, name, allowed, own, best, found[best])


def _beside_best(results: dict[str, Any]) -> list[list[Any]]:
    rows: dict[tuple[Case, str], list[Any]] = {}
    for one in best_peers(results):
        row = rows.setdefault((one.case, one.bases), [words(one.case), f"{one.case.delta:g}", one.bases])
        row.append(f"{one.own / one.best:.2f} ({one.rule})")
    return list(rows.values())


def conclusions(results: dict[str, Any]) -> str:
    """What follows from the tables, with their figures."""
    recipe = {
        cell: {rule: sums for rule, sums in of.items() if rule.startswith(("filter", "lasso", "groups of"))}
        for cell, of in results.items()
        if cell.startswith(STUDIED)
    }
    ratios = [one.own / one.best for one in best_peers(results)]
    n_means = sum(numbers[0] >= FEWEST_DRAWS for sums in recipe.values() for numbers in sums.values())
    above = len(list(too_many(recipe)))
    far = len(list(too_many(recipe, 3.0)))
    n_few = sum(map(len, recipe.values())) - n_means
    above_few = len(list(too_many(recipe, fewest=1))) - above
    listed = partial(_mean_true, results, "filter", "filter")
    other = partial(_mean_true, results, "other rules")
    cubic, permuted, knockoff = "integrated path, cubic, lasso", "permuted features", "knockoffs"
    return CONCLUSIONS.format(
        n_means=n_means,
        n_cells=len(recipe),
        above=_so_many(above),
        far=_so_many(far),
        fewest=FEWEST_DRAWS,
        n_few=n_few,
        above_few=_so_many(above_few),
        found=listed("false 1"),
        at_rate=listed("fdr 0.1"),
        tests=other("Benjamini-Hochberg", "fdr 0.1"),
        on_ranks=other("Benjamini-Hochberg on ranks", "fdr 0.1"),
        markov=other("Meinshausen-Bühlmann", "false 1"),
        unimodal=other("unimodal", "false 1"),
        r_concave=_false_range(results, "r-concave"),
        cubic=other(cubic, "false 1"),
        cubic_false=_false_range(results, cubic),
        package=_mean_true(results, "packages", IPSS, "false 1"),
        package_false=_false_range(results, IPSS, "packages"),
        by_filter=_false_range(results, "integrated path, cubic, filter"),
        permuted_false=_false_range(results, permuted),
        knockoff_false=_false_range(results, knockoff),
        **_pooled(recipe, "filter", ("n_null", "pooled_1", "pooled_5", "pooled_rate")),
        **_pooled(recipe, "filter + lasso", ("n_both", "both_1", "both_5", "both_rate")),
        least=f"{min(ratios):.2f}",
        middle=f"{np.mean(ratios):.2f}",
    )


def _pooled(results: dict[str, Any], rule: str, keys: tuple[str, ...]) -> dict[str, str]:
    """Of all draws without any effect: how many, mean false features at 1 and 5, the share with any at 0.2."""
    cells = [sums for cell, sums in results.items() if cell.endswith(", 0") and f"{rule}, false 1" in sums]
    pools = [np.sum([sums[f"{rule}, {one}"] for sums in cells], axis=0) for one in ("false 1", "false 5", "fdr 0.2")]
    one, five, rate = (Sums(*pool) for pool in pools)
    shown = (f"{one.mean('false')[0]:.2f}", f"{five.mean('false')[0]:.2f}", f"{100 * rate.mean('rate')[0]:.0f}%")
    return dict(zip(keys, (f"{int(one.draws):,}", *shown), strict=True))


def _so_many(number: int) -> str:
    return {0: "none is", 1: "1 is"}.get(number, f"{number} are")


def _mean_true(results: dict[str, Any], part: str, rule: str, allowed: str) -> str:
    sums = [sums_of(results, part, Case(array, 0.8), f"{rule}, {allowed}") for array in SMALL]
    return f"{np.mean([one.mean('true')[0] for one in sums if one is not None]):.1f}"


def _false_range(results: dict[str, Any], rule: str, part: str = "other rules") -> str:
    sums = [sums_of(results, part, Case(array, 0.0), f"{rule}, false 1") for array in SMALL]
    return _range([one.mean("false")[0] for one in sums if one is not None])


def _range(values: list[float]) -> str:
    """From the least to the largest, or one number where they are the same."""
    low, high = f"{min(values):.1f}", f"{max(values):.1f}"
    return low if low == high else f"{low} to {high}"


def words(case: Case) -> str:
    """A case without its effect, with the shape of an array that is taken whole."""
    shape = "" if case.rows or case.columns else f" {SHAPES[case.array]}"
    return f"{case.array}{shape}" + str(case).removeprefix(case.array).rsplit(", ", 1)[0]


def sums_of(results: dict[str, Any], part: str, case: Case, rule: str) -> Sums | None:
    numbers = results.get(f"{part}: {case}", {}).get(rule)
    return None if numbers is None else Sums(*numbers)


def _draws_of_rule(results: dict[str, Any], part: str, case: Case, name: str) -> int:
    """Of one rule, which may have been measured in some draws only."""
    sums = sums_of(results, part, case, f"{name}, false 1")
    return 0 if sums is None else sums.draws


def _draws(results: dict[str, Any], part: str, case: Case) -> int:
    return draws_of(results.get(f"{part}: {case}", {}))


def _false(results: dict[str, Any], part: str, case: Case, rule: str) -> str:
    """False features, or the share of draws with any, and the standard error: bold if above what is allowed by two."""
    sums = sums_of(results, part, case, rule)
    if sums is None:
        return ""
    mean, error = sums.mean("rate" if ", fdr " in rule else "false")
    text = f"{mean:.2f} ({error:.2f})"
    return f"**{text}**" if mean > float(rule.rsplit(" ", 1)[1]) + 2 * error else text


def _both(results: dict[str, Any], part: str, case: Case, rule: str) -> str:
    """True features / false ones, or their share."""
    sums = sums_of(results, part, case, rule)
    return "" if sums is None else f"{sums.mean('true')[0]:.1f} / {_false(results, part, case, rule)}"


def _filled(rows: list[list[Any]]) -> list[list[Any]]:
    """Rows of which anything was measured."""
    return [row for row in rows if any("(" in str(one) for one in row)]


def _groups(results: dict[str, Any]) -> list[list[Any]]:
    rows = []
    for part, case in dict.fromkeys((part, case) for part, case, _ in plan()):
        if part == "groups" or (part == "filter" and case in [Case(array, 0.0) for array in SMALL]):
            shown = [
                _both(results, part, case, f"{name}filter, false 1")
                for name in ("", "groups of ", "features and groups of ")
            ]
            rows.append([words(case), f"{case.delta:g}", _draws(results, part, case), *shown])
    return rows


def held(results: dict[str, Any], rule: str) -> str:
    """What held, in a phrase: for the records of steadyset.shortlists.rules."""
    part, name = ("filter", "filter") if rule == "permuted targets" else ("other rules", rule)
    name = f"{name}, lasso" if name.startswith("integrated") else name
    sums = [sums_of(results, part, Case(array, 0.0), f"{name}, false 1") for array in SMALL]
    false = [one.mean("false")[0] for one in sums if one is not None]
    found = [sums_of(results, part, Case(array, 0.8), f"{name}, false 1") for array in SMALL]
    true = np.mean([one.mean("true")[0] for one in found if one is not None])
    return (
        f"{_range(false)} false without any effect on three arrays, where 1 is allowed; "
        f"{true:.1f} of {INFORMATIVE} weak effects found"
    )


SHAPES = {
    "alon": "62 x 2,000",
    "arcene": "200 x 9,961",
    "chowdary": "104 x 22,283",
    "christensen": "217 x 1,413",
    "golub": "72 x 7,129",
    "gordon": "181 x 12,533",
    "gravier": "168 x 2,905",
    "lsvt_full": "126 x 310",
    "singh": "102 x 12,600",
    "sorlie": "85 x 456",
    "subramanian": "50 x 10,100",
}
COMPARED = [
    ("filter", "filter", "**permuted targets** (this list, filter)"),
    ("lasso", "filter + lasso", "the same, filter + lasso"),
    ("filter", "one pass", "one pass, no gate"),
    ("filter", "stepped", "stepping at the full allowance"),
    *(("other rules", f"{rule.name}, {base}", f"{rule.name}, {base}") for rule in LIST_RULES[1:3] for base in BASES),
    ("packages", IPSS, "the package ipss 1.1.13, with its lasso"),
    *(("other rules", rule.name, rule.name) for rule in LIST_RULES[3:]),
    ("other rules", "F tests", "F tests, p at most 1 / d"),
    ("other rules", "F tests on ranks", "the same on ranks"),
]
COMPARED_BY_RATE = [
    ("filter", "filter", "**permuted targets** (this list, filter)"),
    ("lasso", "filter + lasso", "the same, filter + lasso"),
    *(("other rules", f"{rule.name}, {base}", f"{rule.name}, {base}") for rule in LIST_RULES[1:3] for base in BASES),
    ("packages", IPSS, "the package ipss 1.1.13, with its lasso"),
    ("other rules", "Benjamini-Hochberg", "F tests, Benjamini-Hochberg"),
    ("other rules", "Benjamini-Hochberg on ranks", "the same on ranks"),
]
CONCLUSIONS = """- **The list holds.** Of {n_means} means in {n_cells} cells (those of a cell share their draws) {above}
  above what is allowed by more than two standard errors, and {far} by more than three. Means of fewer than
  {fewest} draws are not counted, because their standard error says little: {n_few} more, of which {above_few} above
  what is allowed by more than two. They were left out after one of them, 3 groups in each of 2 draws where 2 are
  allowed, had been seen. Where nothing has an
  effect, the list by the filter holds {pooled_1} false features in the mean of {n_null} draws where 1 is allowed,
  {pooled_5} where 5 are, and any at all in {pooled_rate} of them at a rate of 0.2; by the filter and the lasso it
  is {both_1}, {both_5} and {both_rate} in {n_both} draws.
- **It finds what can be found.** On arrays that it was not made on it lists at least {least} times as many true
  features (mean {middle}) as the best of the other rules that hold there.
- **A t-test with a false discovery rate** (0.1, effects of 0.8, mean over three arrays) finds {tests} of 20 features,
  {on_ranks} on ranks, and the list {at_rate}. Where effects are plain, the test is as good and needs no halves.
- **Stability selection.** With 1 false feature allowed the bounds of Meinshausen and Bühlmann and for unimodal
  distributions hold and find {markov} and {unimodal}, the list {found}. The r-concave bound lists {r_concave} false
  ones where nothing has an effect.
- **The integrated path** on the lasso's halves lists {cubic_false} false features where nothing has an effect, and
  finds {cubic}; the package ipss, as it comes, {package_false} and {package}. On the filter's halves it lists
  {by_filter} false ones: its bound takes different splits of the same rows as independent.
- **Artificial features** list {permuted_false} (permuted) and {knockoff_false} (knockoffs) false features where nothing
  has an effect: the smallest of many estimates is small somewhere, and permuted columns have lost the correlations by
  which false features come in bunches."""
NULL = """### Where nothing has an effect

Everything listed is false. The mean number of listed features with its standard error, by how many are allowed; and,
for a rate, the share of draws with any listed feature, since one false feature makes the rate of that list 1. Bold
exceeds what is allowed by more than two standard errors. "4 of a class": so few rows are in the second class; "any
30": so many random columns; "binary 100": columns of two values, full of ties; "doubled 500": every column twice."""
SIGNAL = """### Where 20 features have one

An effect of 0.8 means that the classes differ by 0.8 standard deviations times 1.4 to 0.6 (a number: by half of that
per standard deviation of it). "Joint": the differences of 5 pairs of features with a correlation of 0.95 are shifted by
three of their standard deviations, each of the 10 features by about half of its own. True features listed / false ones
(standard error); for a rate, true features / the mean share of false ones in the list."""
HELD = """### On arrays that the recipe was not made on

The same on three arrays and a table of voices that played no part when the recipe was chosen. "Strata": three batches
in which every column has another mean and the classes other shares; targets are exchanged within them. "Replicates":
each of the rows is measured twice, with noise of half a standard deviation; both measurements have one target.
"Pairs": the two measurements have different targets."""
COLUMNS = {"normal": "normal scores", "any": "as they are", "heavy": "heavy tails", "counts": "sparse counts"}
BESIDE = """### Beside covariates

Two covariates, one of them skewed (lognormal), drive the target and half of 300 columns of 90 rows of gordon, so that
everything listed is false. They explain two thirds of the target's score, and on average as much of such a column.
"Normal scores": columns with normal quantiles in place of their values, to which the covariates are added.
"Heavy tails": the same with the third power of the columns. "Sparse counts": Poisson counts with the column as the
logarithm of their rate, so that the covariates change their spread too. All but normal scores are ranked. Rows with
8 draws show gross errors only: at a rate, one draw with a false feature makes 0.12 of 8."""
BEST = """True features of the list divided by those of the best rule that holds (no mean of it above an allowance of
that kind by more than two standard errors, here and without any effect): one size of 20 or the mean of several sizes
with permuted targets, F on all rows ("no halves") with permuted targets, Meinshausen-Bühlmann, unimodal, or
Benjamini-Hochberg. The F tests have the same ranks, strata and pairs as the list."""
RULES = """### Beside other rules, 1 false feature allowed

All rules but the F tests see the same halves, ranked by the filter, the integrated path also those of the lasso. False
features where nothing has an effect, then true / false ones with effects of 0.8 and 1.2. The three bounds count who is
among the first 20 of a half; rules with artificial features (as in Stabl, but with the filter) know no allowance, they
take the threshold with the smallest FDP+. Here and below the numbers of draws are those above, 10 or more of the rules
without permuted targets, and 6 of the package ipss, which draws its own halves."""
RATE = """The same with a rate of 0.1: the share of draws with any false feature, then true features / the mean share
of false ones."""
GROUPS = """### Groups

Groups are listed by the same rule as features, with an allowance of their own: at most so many listed features are
false, and at most so many listed groups hold no true feature. Together they are up to twice as many, and in the last
column (listed features, and listed groups of several features none of which is listed) somewhat more than either.
True / false, 1 allowed:"""


def write_page(results: dict[str, Any]) -> None:
    before, rest = PAGE.read_text(encoding="utf-8").split(BEGIN)
    PAGE.write_text(f"{before}{BEGIN}\n\n{page(results)}\n\n{END}{rest.split(END, 1)[1]}", encoding="utf-8")


BEGIN, END = "<!-- shortlist study -->", "<!-- end of the study -->"


def main(what: str = "") -> None:
    results = json.loads(RESULTS.read_text()) if RESULTS.exists() else {}
    for part, case, wanted in plan() if not what else ():
        sums = results.setdefault(f"{part}: {case}", {})
        while (done := draws_of(sums)) < wanted:
            start = time.process_time()
            measure(part, case, sums, done, min(BLOCK if not case.delta else BLOCK // 2, wanted - done))
            save(results)
            print(f"{part}: {case}: {draws_of(sums)} draws, {time.process_time() - start:.0f} s", flush=True)
    write_page(results)


def save(results: dict[str, Any]) -> None:
    """One line per cell, so that what was added can be seen."""
    cells = (f"{json.dumps(key)}: {json.dumps(sums, sort_keys=True)}" for key, sums in sorted(results.items()) if sums)
    RESULTS.write_text("{\n" + ",\n".join(cells) + "\n}\n", encoding="utf-8")


def draws_of(sums: dict[str, Any]) -> int:
    return int(max((one[0] for one in sums.values()), default=0))


if __name__ == "__main__":
    main(*sys.argv[1:])
