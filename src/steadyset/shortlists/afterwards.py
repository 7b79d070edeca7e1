"""What stands below the list: does it predict, would it come out again, and what would help?

The first two repeat the whole procedure on random parts of the rows. Other choices, fewer rows and effects that are put
into the data say what would help.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from math import isnan, nan
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator
from sklearn.feature_selection import SelectorMixin

from steadyset.assessment import Assessment
from steadyset.assessment.result import steadiness
from steadyset.foundation.arguments import LEVEL
from steadyset.foundation.display import Tell
from steadyset.foundation.errors import InputError
from steadyset.kernels.arrays import Floats, Ints, Places
from steadyset.shortlists.bases import BASES, Features
from steadyset.shortlists.exchange import cleared, exchange_of, of_size_1
from steadyset.shortlists.listed import Added, Found, Listed, Prediction, Repeats, Tried
from steadyset.shortlists.procedure import Judged, Procedure, Watch
from steadyset.shortlists.selector import ShortlistSelector
from steadyset.shortlists.standing import Standing
from steadyset.tasks import TASKS

FRACTION = 0.8  # of the rows that a repeat has
SHORTLIST, EVERY = "shortlist", "all features"
SELECTORS = 2  # in each repeat
MORE_FALSE = (2.0, 5.0)
MORE_RATE = (0.1, 0.2)
SHIFTS = (0.6, 0.8, 1.0, 1.25, 1.5, 2.0, 2.5, 3.0)  # standard deviations between classes, or along those of a number
HAZARD_RATIOS = (1.5, 2.0, 2.5, 3.0, 4.0, 5.0, 7.0, 10.0)  # per standard deviation
SHIFTED = 8  # features: 20 of them would compete for the places, and 45% would be listed where it is 56% of 6
TIMES = 4
FOUND = 0.8  # of the shifted features: stronger effects are not tried
DRAWS = 5  # of halves of the rows
POOLED_PARTS = 10  # of the rows, at most, whose permuted targets are pooled
FEWEST_OF_CLASS = 8


class PooledTargets:
    """Orders of permuted targets that lists of equally large parts of the rows share.

    The cutoff of a list depends on the number of rows and on the columns, which random parts of the rows have in
    common. So a few permuted targets of each part do for the lists of all parts.
    """

    def __init__(self, orders: Sequence[Mapping[str, Places]]) -> None:
        self.orders = orders

    def __repr__(self) -> str:
        return f"{type(self).__name__}({len(self.orders)})"

    def __deepcopy__(self, memo: Any) -> PooledTargets:
        """Return the same targets, which nobody changes: estimators are cloned for each run."""
        return self

    @classmethod
    def of_parts(
        cls,
        procedure: Procedure,
        X: Floats,
        y: Any,
        task: str,
        known: Sequence[Any],
        parts: Sequence[Ints],
        seed: int,
        tell: Tell | None = None,
        watch: Watch | None = None,
    ) -> PooledTargets | None:
        """Return the procedure's number of permuted targets of these parts of the rows.

        Return None if targets cannot be permuted in some part, or if the time of ``watch`` is up.
        ``known`` are strata, groups and covariates of all rows, or None for each.
        """
        orders: list[dict[str, Places]] = []
        for number, rows in enumerate(parts):
            if watch is not None and watch.is_over:
                return None
            of_part = [None if one is None else one[rows] for one in known]
            # As many of each part; the first parts have one more if the division leaves a rest.
            n_targets = (procedure.n_permutations - number - 1) // len(parts) + 1
            try:
                exchange = exchange_of(y[rows], task, *of_part)
                orders += procedure.permuted(X[rows], task, exchange, seed + number, n_targets)
            except InputError:
                return None
            if tell is not None:
                tell(number + 1, len(parts))
        return cls(orders)


class RowsShortlist(ShortlistSelector):
    """The selector with what it knows of every row; a part of the rows is given as weights of 0 and 1."""

    weights_equal_copies = True
    has_covariates = True

    def __init__(
        self,
        *,
        strata: Any = None,
        groups: Any = None,
        covariates: Any = None,
        pooled: PooledTargets | None = None,
        **settings: Any,
    ) -> None:
        super().__init__(**settings)
        self.strata = strata
        self.groups = groups
        self.covariates = covariates
        self.pooled = pooled

    @classmethod
    def _get_param_names(cls) -> list[str]:
        return sorted([*ShortlistSelector._get_param_names(), "covariates", "groups", "pooled", "strata"])

    def _permuted(self) -> Sequence[Mapping[str, Places]] | None:
        return None if self.pooled is None else self.pooled.orders

    def fit(  # type: ignore[override]
        self, X: Any, y: Any = None, sample_weight: Any = None, covariates: Any = None
    ) -> RowsShortlist:
        """List the features from the rows of weight 1; the covariates are those that it has of all rows."""
        rows = np.arange(len(X)) if sample_weight is None else np.flatnonzero(sample_weight)
        known = {"strata": self.strata, "groups": self.groups, "covariates": self.covariates}
        part = {name: None if one is None else np.asarray(one)[rows] for name, one in known.items()}
        return super().fit(np.asarray(X)[rows], np.asarray(y)[rows], **part)


class EveryFeature(SelectorMixin, BaseEstimator):  # type: ignore[misc]
    """A selector of all features, beside covariates or without any."""

    def fit(self, X: Any, y: Any = None, covariates: Any = None) -> EveryFeature:
        """Keep the number of features."""
        self.n_features_in_ = X.shape[1]
        return self

    def _get_support_mask(self) -> Any:
        return np.ones(self.n_features_in_, np.bool_)


def selectors_of(selector: RowsShortlist) -> dict[str, Any]:
    """What the repeats compare: the procedure, and all features."""
    return {SHORTLIST: selector, EVERY: EveryFeature()}


def with_repeats(listed: Listed, evaluation: Assessment, pooled: PooledTargets | None = None) -> Listed:
    """The list with what the repeats say of it."""
    selections = evaluation.selections.get(SHORTLIST)
    if selections is None:
        why = evaluation.failed_selectors[SHORTLIST][1]
        return replace(listed, left_out=(*listed.left_out, f"No repeat with fewer rows came to a list: {why}"))
    known = dict(zip(selections.features, selections.frequencies.tolist(), strict=True))
    features = tuple(replace(one, came_back=known[one.feature]) for one in listed.features)
    found = steadiness(selections)
    repeats = Repeats(
        selections.n_runs,
        FRACTION,
        found.stability,
        found.low,
        found.high,
        int(selections.sizes.min()),
        int(selections.sizes.max()),
        int((selections.counts > 0).sum()),
        0 if pooled is None else len(pooled.orders),
    )
    rows = round(FRACTION * evaluation.settings["n_rows"])
    curve = Tried(f"{rows} rows", float(selections.sizes.mean()))
    return replace(
        listed,
        features=features,
        repeats=repeats,
        prediction=_prediction(evaluation),
        fewer_rows=(*listed.fewer_rows, curve),
    )


def _prediction(evaluation: Assessment) -> Prediction | None:
    """The first score of the list with its interval, corrected for repeats that share rows."""
    names = evaluation.settings["scoring"]
    if not names:
        return None
    score = names[0]
    cells = evaluation.cells_of(SHORTLIST)
    values = [cell.scores[score] for cell in cells if score in cell.scores]
    if not values:
        return None
    mean = float(np.mean(values))
    low, high = evaluation.hidden_spread(score).interval(values, evaluation.test_ratio)
    beaten = evaluation.baselines_beaten(level=LEVEL)[SHORTLIST]
    every = [cell.scores[score] for cell in evaluation.cells_of(EVERY) if score in cell.scores]
    beside = tuple(evaluation.settings.get("force") or ())
    added = None
    if beside:
        gain = evaluation.gain(SHORTLIST, score, level=LEVEL)
        added = Added(beside, gain.estimate, gain.low, gain.high, gain.p_value)
    return Prediction(
        score,
        mean,
        low,
        high,
        _mean_known([cell.random.get(score, nan) for cell in cells]),
        _mean_known([cell.blind.get(score, nan) for cell in cells]),
        float(np.mean(every)) if every else nan,
        beaten.random,
        beaten.blind,
        beaten.nearly_all,
        added,
    )


def _mean_known(values: Sequence[float]) -> float:
    """Return the mean of a baseline; of many rows only some runs have one."""
    known = [value for value in values if not isnan(value)]
    return float(np.mean(known)) if known else nan


# ---- what would help ------------------------------------------------------------------------------------------------


def other_choices(judged: Judged) -> tuple[Tried, ...]:
    """What larger allowances, each base alone, and groups instead of features list: all from the orders at hand."""
    procedure, standing = judged.procedure, judged.standing
    tried = []
    if procedure.false is not None:
        for false in (one for one in MORE_FALSE if one > procedure.false):
            found = standing.listing(false, None).listed.sum()
            tried.append(Tried(f"Allow {false:g} false features", int(found), {"false": float(false)}))
    else:
        for rate in (one for one in MORE_RATE if one > (procedure.fdr or 0.0)):
            found = standing.listing(None, rate).listed.sum()
            tried.append(Tried(f"Allow {100 * rate:g}% false features", int(found), {"fdr": float(rate)}))
    if len(procedure.bases) > 1:
        for base in procedure.bases:
            alone = Standing(standing.orders, {base: BASES[base][1]}, standing.n_units, standing.n_others)
            found = alone.listing(procedure.false, procedure.fdr).listed.sum()
            tried.append(Tried(f"Rank by the {base} alone", int(found), {"base": [base]}))
    if judged.groups is not None:
        tried.append(Tried("Count look-alikes as one", int(judged.groups.listed.sum())))
    n_listed = judged.features.listed.sum()
    return tuple(one for one in tried if one.n_listed > ("look-alikes" not in one.what) * n_listed)


def fewer_rows(
    judged: Judged, X: Floats, known: Sequence[Any], watch: Watch, tell: Tell | None = None
) -> tuple[Tried, ...]:
    """How many features half of the rows list on average; nothing where it would be too small.

    Units are drawn whole, and classes in proportion. ``known`` are strata, groups and covariates, or None for each.
    """
    exchange = judged.exchange
    few = replace(judged.procedure, n_permutations=judged.procedure.fewest)
    task, of_units = TASKS[judged.task], exchange.y[exchange.first]
    counts = {**task.counts(of_units), **task.counted(of_units)}
    if min(counts.values(), default=len(of_units)) < 2 * FEWEST_OF_CLASS:
        return ()
    y = exchange.y
    # Halved as the procedure halves them, so that units stay whole and classes keep their shares.
    draws = [exchange.halves(y, 1, np.random.default_rng([judged.seed, draw]))[0] for draw in range(DRAWS)]
    parts = [np.flatnonzero(drawn) for drawn in draws]
    pooled = PooledTargets.of_parts(few, X, y, judged.task, known, parts, judged.seed, tell, watch)
    if pooled is None:
        return ()
    numbers = []
    for rows in parts:
        if watch.is_over:
            return ()
        part = [None if one is None else one[rows] for one in known]
        smaller = exchange_of(y[rows], judged.task, *part)
        found = few.run(X[rows], judged.task, smaller, judged.seed, groups=False, permuted=pooled.orders)
        numbers.append(int(found.features.listed.sum()))
    return (Tried(f"{len(parts[0])} rows", float(np.mean(numbers))),)


def power(judged: Judged, watch: Watch) -> tuple[Found, ...]:
    """Return the probabilities that effects of several sizes are listed, up to the first that mostly is.

    Effects are put into the values of random features for permuted targets, so that nothing else in the data helps or
    hinders; these features are then ranked as the procedure ranks all of them.
    """
    procedure, standing, record = judged.procedure, judged.standing, TASKS[judged.task]
    # A rate has no line to pass of its own, and within strata or beside others a shift of a class is none of the rows.
    adjusted = judged.exchange.cells.any() or judged.exchange.beside is not None
    if "filter" not in procedure.bases or procedure.false is None or adjusted:
        return ()
    varying = np.flatnonzero(judged.data.X.any(axis=0))
    planted = min(SHIFTED, max(1, len(varying) // 10))  # more would compete for the first places
    times = max(TIMES, min(TIMES * SHIFTED, procedure.n_permutations) // planted)
    # The bar before anything is set aside: what the gate would add is left out, so the share errs on the low side.
    bar = standing.bar_at_first(procedure.false)
    found: list[Found] = []
    for size in HAZARD_RATIOS if record.effect else SHIFTS:
        if watch.is_over or (found and found[-1].share >= FOUND):
            break
        each = [_share_found(judged, size, number, bar, varying, planted) for number in range(1, times + 1)]
        is_shift = record.has_classes or record.effect
        found.append(Found(size if is_shift else float(size / np.sqrt(1 + size**2)), float(np.mean(each))))
    return tuple(found)


def _share_found(judged: Judged, size: float, number: int, bar: float, varying: Ints, planted: int) -> float:
    """Return the share of features with such an effect that exceed the cutoff."""
    y, random = judged.exchange.target(number, judged.seed)
    columns = random.choice(varying, planted, replace=False)
    values = with_effect(judged, judged.values[:, columns], y, size, random)
    X: Floats = judged.data.X.copy()
    compared = judged.exchange.ranked_columns if judged.ranks else judged.exchange.centred
    X[:, columns] = Features.of(compared(values), judged.data.clusters[columns]).X
    shifted: Features = replace(judged.data, X=X)
    halves = judged.exchange.halves(y, judged.procedure.n_splits, random)
    order = BASES["filter"][0](shifted, y, judged.task, halves).features
    return float(np.mean(judged.standing.statistic_of("filter", order)[columns] > bar))


def with_effect(judged: Judged, values: Floats, y: NDArray[Any], size: float, random: np.random.Generator) -> Floats:
    """Return values with an effect of the target, in the unit of the list's effects."""
    record, exchange = TASKS[judged.task], judged.exchange
    centered = cleared(values, exchange.compared_within)
    largest = np.abs(centered).max(axis=0)
    values = centered / np.where(largest > 0, largest, 1.0)  # squares of very large values are not finite
    if record.effect:
        return _with_hazards(values, y, float(np.log(size)), random)
    if record.has_classes:
        along = (y == np.unique(y)[-1]).astype(np.float64)
    else:
        amounts = of_size_1(record.amounts(y))
        along = (amounts - amounts.mean()) / max(float(amounts.std()), 1e-300)
    units = (values - cleared(values, exchange.units))[exchange.first] if exchange.has_means else values
    return np.asarray(values + size * units.std(axis=0) * along[:, None])


def _with_hazards(values: Floats, y: NDArray[Any], logarithm: float, random: np.random.Generator) -> Floats:
    """Return each column in another order of the rows, so that Cox's model with this log hazard ratio is true.

    The values of a column are given to the rows in the order of their times: to a row with an event each of the values
    that are left with a probability in proportion to its hazard, to a censored row any of them (MacKenzie and
    Abrahamowicz 2002).
    """
    spread = values.std(axis=0)
    hazards = np.exp(logarithm * (values - values.max(axis=0)) / np.where(spread > 0, spread, 1.0))
    left = np.ones(values.shape, np.bool_)
    every = np.arange(values.shape[1])
    assigned = np.empty_like(values)
    for row in np.lexsort((-y[:, 1], y[:, 0])):
        sums = np.cumsum(np.where(left, hazards if y[row, 1] else 1.0, 0.0), axis=0)
        chosen = (sums <= random.random(values.shape[1]) * sums[-1]).sum(axis=0)
        chosen = np.minimum(chosen, len(values) - 1)
        assigned[row] = values[chosen, every]
        left[chosen, every] = False
    return assigned
