"""How measures are asked for, what they answer, what a family of measures can do, and what people call: `stability`.

A family is one object: what can be asked of every measure whose score looks at the same thing. A family of one's own
overrides what it knows. `pair_scores` alone makes measures that are means over pairs of runs: values, leave-one-out
values, intervals, tests, bootstraps and certificates follow from it. Anything else overrides `evaluate`; the rest then
has slower ways that need nothing more.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, get_args

import numpy as np

from steadyset.foundation import arguments
from steadyset.foundation.errors import Argument, InputError, UndefinedError
from steadyset.io.labels import AppearanceOrder
from steadyset.kernels.arrays import Bools, Floats, Ints
from steadyset.measures.record import Measure, Need, all_measures, get_family, get_measure
from steadyset.selections import RunsLike, Selections, as_selections
from steadyset.similarity import FeatureSimilarity

if TYPE_CHECKING:
    from steadyset.measures.frequency import Collections


Undefined = Literal["nan", "raise", "paper"] | float
PAPER = "paper"  # what the source of the measure states for undefined pairs
POLICIES = ("nan", "raise", PAPER)  # for undefined pairs, besides a number
Expectation = Literal["auto", "exact", "monte_carlo", "none"]
DEFAULT_SEED = 0  # of draws where random_state is None: the same call gives the same number
MOST_DRAWS = 10**9
NOT_CORRECTED = "not corrected"  # how a note starts when the expectation that was asked for is not known


@dataclass(frozen=True)
class Options:
    """How to treat what is undefined, and what is subtracted for chance."""

    undefined: Undefined = "nan"
    expectation: Expectation = "auto"
    n_draws: int = 10_000
    random_state: int | None = None
    similarity: FeatureSimilarity | None = None
    mc_error: float | None = None

    def __post_init__(self) -> None:
        if not (
            arguments.is_number(self.undefined) or (isinstance(self.undefined, str) and self.undefined in POLICIES)
        ):
            raise arguments.wrong_argument("undefined", '"nan", "raise", "paper" or a finite number', self.undefined)
        arguments.check_choice("expectation", self.expectation, get_args(Expectation))
        arguments.check_integer("n_draws", self.n_draws, least=2, most=MOST_DRAWS)
        if self.random_state is not None and not (arguments.is_whole(self.random_state) and self.random_state >= 0):
            raise arguments.wrong_argument("random_state", "None or a whole number of at least 0", self.random_state)
        if self.similarity is not None:
            check_similarity(self.similarity)
        if self.mc_error is not None:
            arguments.check_number("mc_error", self.mc_error)

    @property
    def corrects(self) -> bool:
        return self.expectation in ("exact", "monte_carlo")

    def filled(self, values: Floats) -> Floats:
        """The values with undefined ones replaced by the number that stands for them, if one does."""
        if self.undefined in POLICIES:
            return values
        return np.where(np.isnan(values), float(self.undefined), values)

    @property
    def given_seed(self) -> int:
        return DEFAULT_SEED if self.random_state is None else int(self.random_state)

    def seed(self) -> int:
        state = np.random.SeedSequence(self.given_seed).generate_state(1, np.uint64)[0]
        return int(state >> np.uint64(1))


@dataclass(frozen=True)
class Estimate:
    """The value of a measure, the Monte Carlo error of its correction (0: exact), and a note on what is undefined."""

    value: float
    mc_error: float = 0.0
    note: str = ""


@dataclass(frozen=True)
class NullExpectation:
    """What a measure is worth by chance alone: what `null_expectation` answers.

    Attributes
    ----------
    value : float
        The mean of the measure under random selection of the same sizes.
    se : float
        The standard error of that mean; 0 where it is exact.
    method : {"exact", "monte_carlo"}
        How it was found.

    Examples
    --------
    Two random choices of 5 out of 10 features share half of them in the mean:

    >>> import steadyset as st
    >>> sel = st.Selections.from_sets([[0, 1, 2, 3, 4], [0, 1, 2, 8, 9]], n_features=10)
    >>> chance = st.null_expectation(sel, "dice")
    >>> round(chance.value, 6), chance.se
    (0.5, 0.0)
    """

    value: float
    se: float = 0.0
    method: Literal["exact", "monte_carlo"] = "exact"


def settle(measure: Measure, value: float, error: float, note: str, options: Options, sizes: Ints) -> Estimate:
    """The value of a measure of all runs at once, by the policy for undefined ones."""
    if not np.isnan(value):
        return Estimate(value, error, note)
    note = f"undefined: {measure.undefined}" if measure.undefined else "undefined"
    if measure.constant_size:
        note += f"; {sizes_in_words(sizes)}"
    if options.undefined == "raise":
        raise UndefinedError(f"{measure.name} is {note}.")
    return Estimate(float("nan") if options.undefined in POLICIES else float(options.undefined), note=note)


def stated_where_undefined(measure: Measure, scores: Floats, r: Ints, ki: Ints, kj: Ints, d: int) -> Floats:
    """Return scores of pairs with the values that the source of the measure states where they are undefined."""
    if measure.by_convention is None:
        return scores
    stated = np.asarray(measure.by_convention(r, ki, kj, d, **measure.params), dtype=np.float64)
    return np.where(np.isnan(scores), stated, scores)


def check_similarity(similarity: Any) -> None:
    """Refuse what is no FeatureSimilarity."""
    if not isinstance(similarity, FeatureSimilarity):
        raise InputError(
            f"similarity is a {type(similarity).__name__}; expected a FeatureSimilarity, "
            "such as FeatureSimilarity.from_matrix(C)."
        )


def sizes_in_words(sizes: Ints) -> str:
    low, high = int(sizes.min()), int(sizes.max())
    return f"all sizes are {low}" if low == high else f"sizes range from {low} to {high}"


POOR, EXCELLENT = 0.40, 0.75
CONVENTION = "by the convention of Fleiss"
AT_CHANCE = ("not above chance", "interval holds chance")  # which is 0: the value, or the interval that begins there
BY_COLUMN_ORDER, UNDEFINED = "decided by column order", "undefined"
TOO_FEW_RUNS, MIN_TESTED_RUNS = "too few runs", 3  # two runs leave an interval as wide as the scale
# Below this share of the selected features a tie at the end of a ranking moves the stability by less than its interval
# is wide; from it on the order of the columns, which is the same in every run, passes for steadiness.
MOST_TIED = 0.1
BETWEEN = {
    ("poor", "intermediate to good"): "poor or intermediate",
    ("intermediate to good", "excellent"): "good or excellent",
    ("poor", "excellent"): "poor to excellent",
}


def scale(value: float) -> str:
    """Fleiss' scale, as Nogueira, Sechidis and Brown (2018) use it; nothing for what is undefined."""
    if math.isnan(value):
        return ""
    if value <= 0:
        return AT_CHANCE[0]
    if value < POOR:
        return "poor"
    return "intermediate to good" if value <= EXCELLENT else "excellent"


def verdict(value: float, low: float, high: float) -> str:
    """The word of a value with an interval; where the ends of the interval have different words, both are said.

    An interval that holds the value of chance has no word of the scale.

    Examples
    --------
    >>> verdict(0.72, 0.66, 0.74), verdict(0.72, 0.66, 0.78)
    ('intermediate to good', 'good or excellent')
    >>> verdict(0.2, -0.01, 0.5)
    'interval holds chance'
    """
    if low <= 0 < max(value, high):
        return AT_CHANCE[1]
    return BETWEEN.get((scale(low), scale(high)), scale(value))


def judged(value: float, low: float, high: float, tied: float | None) -> str:
    """The verdict on selections, of whose features the share `tied` only column order decided (None: not known)."""
    if math.isnan(value):
        return UNDEFINED
    return BY_COLUMN_ORDER if tied is not None and tied >= MOST_TIED else verdict(value, low, high)


def is_of_scale(words: str) -> bool:
    """Whether a verdict is a word of the scale."""
    return words in {"poor", "intermediate to good", "excellent", *BETWEEN.values()}


Score = Callable[[Ints, Ints, Ints], Floats]
NAMED_RUNS = 5
MOST_SIZES = 500  # with more distinct sizes a note does not look for single runs at fault


class PairTotal:
    """The running mean of a pairwise score, how many pairs had none, and how many one by convention only."""

    def __init__(self) -> None:
        self.sum, self.n, self.n_undefined, self.n_by_convention = 0.0, 0, 0, 0

    def add(self, scores: Floats, n_pairs: Ints, by_convention: Bools | None = None) -> None:
        """Scores of kinds of pairs, each as often as there are pairs of the kind."""
        if by_convention is not None:
            self.n_by_convention += int(n_pairs[by_convention].sum())
        undefined, weighed = np.isnan(scores), scores * n_pairs  # a BLAS product would start threads
        self.sum += float(np.where(undefined, 0.0, weighed).sum())
        self.n += int(n_pairs.sum())
        self.n_undefined += int(n_pairs[undefined].sum())

    def estimate(self, measure: Measure, score: Score, selections: Selections, options: Options) -> Estimate:
        """The mean of a score that is undefined because of the sizes of runs; a note names those at fault."""
        return self.settled(measure, partial(_undefined_by_size, score, selections), options)

    def settled(self, measure: Measure, at_fault: Callable[[], str], options: Options) -> Estimate:
        """The mean, by the policy for undefined pairs; their note ends with those `at_fault`."""
        pairs = "pairs" if measure.symmetric else "ordered pairs"
        if self.n_undefined == 0:
            note = ""
            if self.n_by_convention:
                note = f"by convention for {self.n_by_convention} of {self.n} {pairs}: {measure.convention}"
            return Estimate(self.sum / self.n, note=note)
        why = f" ({measure.undefined})" if measure.undefined else ""
        note = f"undefined for {self.n_undefined} of {self.n} {pairs}{why}{at_fault()}"
        if options.undefined == "raise":
            raise UndefinedError(f"{measure.name} is {note}.")
        if options.undefined in POLICIES:
            return Estimate(float("nan"), note=note)
        return Estimate((self.sum + float(options.undefined) * self.n_undefined) / self.n, note=note)


def _undefined_by_size(score: Score, selections: Selections) -> str:
    """The runs that the undefined pairs have in common; without such, the sizes are the reason, not runs."""
    sizes, n_runs = np.unique(selections.sizes, return_counts=True)
    if len(sizes) == 1:
        return ""
    at_fault = _undefined_sizes(score, sizes, n_runs, selections.n_features) if len(sizes) <= MOST_SIZES else sizes[:0]
    if len(at_fault) == 0:
        return f": {sizes_in_words(sizes)}"
    return named_runs(np.flatnonzero(np.isin(selections.sizes, at_fault)), selections)


def named_runs(runs: Ints, selections: Selections) -> str:
    """The end of a note that names runs."""
    names = [selections.labels[i] if selections.labels else str(i + 1) for i in runs[:NAMED_RUNS]]
    more = f" and {len(runs) - NAMED_RUNS} more" if len(runs) > NAMED_RUNS else ""
    return f": run{'s' if len(runs) > 1 else ''} {', '.join(names)}{more}"


def _undefined_sizes(score: Score, sizes: Ints, n_runs: Ints, d: int) -> Ints:
    """The sizes without a score even with themselves, when every undefined pair has one of them; else none."""
    if not np.isnan(score(np.maximum(0, 2 * sizes - d), sizes, sizes)).any():
        return sizes[:0]
    a, b = (x.ravel() for x in np.meshgrid(sizes, sizes, indexing="ij"))
    undefined = np.isnan(score(np.maximum(0, a + b - d), a, b)).reshape(len(sizes), -1)
    undefined |= undefined.T
    at_fault = undefined.diagonal().copy()
    np.fill_diagonal(undefined, at_fault & (n_runs > 1))
    at_fault &= undefined.any(axis=1)
    explained = not undefined[np.ix_(~at_fault, ~at_fault)].any()
    return sizes[at_fault] if explained else sizes[:0]


AS_PUBLISHED = 'expectation must be "auto" or "none"'


class Family:
    """What a family can do. `name` is what records say as their family.

    `correctable` says that `expectation` can correct measures that are published without a correction for chance.
    """

    name: str
    correctable: bool = False

    # ---- values ------------------------------------------------------------------------------------------------

    def evaluate(self, selections: Selections, measures: Sequence[Measure], options: Options) -> list[Estimate]:
        """One Estimate per measure, with work shared where it can be; here the means of `pair_scores`."""
        tables = (self.pair_scores(selections, measure, options) for measure in measures)
        return [table_mean(*pair, selections, options) for pair in zip(tables, measures, strict=True)]

    @property
    def over_pairs(self) -> bool:
        """Whether the measures are means over pairs of runs."""
        return type(self).pair_scores is not Family.pair_scores

    def pair_scores(self, selections: Selections, measure: Measure, options: Options) -> Floats:
        """The M x M scores of all ordered pairs (i, j), nan where undefined and on the diagonal."""
        raise NotImplementedError(f"The measures of the family {self.name!r} are not means over pairs of runs.")

    def settled_scores(self, selections: Selections, measure: Measure, options: Options) -> Floats:
        """`pair_scores` with zeros on the diagonal, undefined ones as `options.undefined` says."""
        scores = options.filled(self.pair_scores(selections, measure, options))
        np.fill_diagonal(scores, 0.0)
        return scores

    def without(self, selections: Selections, measures: Sequence[Measure], options: Options) -> Floats:
        """Leave-one-out values: without[m, i] is the value of measure m without run i, nan where it is undefined.

        A mean over pairs loses the pairs of the run; anything else is evaluated M times.
        """
        if not self.over_pairs:
            return self.evaluated_without(selections, measures, options)
        tables = (self.settled_scores(selections, measure, options) for measure in measures)
        return without_pairs(np.stack([table.sum(axis=0) + table.sum(axis=1) for table in tables]))

    def jackknifed(
        self, selections: Selections, measures: Sequence[Measure], options: Options
    ) -> tuple[list[Estimate], Floats]:
        """`evaluate`, and `without` for the values that it finds (nan for undefined ones and for two runs)."""
        found = self.evaluate(selections, measures, options)
        without = np.full((len(measures), selections.n_runs), np.nan)
        known = [m for m, one in enumerate(found) if selections.n_runs > 2 and not np.isnan(one.value)]
        if known:
            without[known] = self.without(selections, [measures[m] for m in known], options)
        return found, without

    def evaluated_without(self, selections: Selections, measures: Sequence[Measure], options: Options) -> Floats:
        """The leave-one-out values of any measure, by evaluating it once for each run."""
        if options.undefined == "raise":
            options = replace(options, undefined="nan")
        runs = np.arange(selections.n_runs)
        columns = [[x.value for x in self.evaluate(selections.take(runs != i), measures, options)] for i in runs]
        return np.array(columns, dtype=np.float64).T

    def reached(self, selections: Selections, measure: Measure, options: Options) -> float:
        """The value that runs of these sizes have when each meets its like; nan: the best value of the measure."""
        return float("nan")

    # ---- chance ------------------------------------------------------------------------------------------------

    def expectation(
        self, selections: Selections, measure: Measure, options: Options, value: float
    ) -> NullExpectation | None:
        """What random selection of the same sizes gives, where the family knows better than to draw collections.

        `value` is what the runs have; nan tells that the measure is undefined for such sizes.
        """
        return None

    def drawn_by_chance(self, selections: Selections, measure: Measure, options: Options) -> Floats | None:
        """The values of `options.n_draws` random collections of the same sizes, where one call has them all."""
        return None

    def can_correct(self, measure: Measure) -> bool:
        """Whether `expectation` acts on a measure: there is something to take off and a largest value to scale to."""
        return self.correctable and not measure.corrected and bool(np.isfinite(measure.bounds[1]))

    def why_not_corrected(self, measure: Measure) -> str:
        """Why a correction that was asked for cannot be had; nothing when it can."""
        if measure.corrected:
            return f"{measure.name} is corrected for chance already; {AS_PUBLISHED}."
        return "" if self.can_correct(measure) else f"{measure.name} has no largest value to scale to; {AS_PUBLISHED}."

    # ---- certificates ------------------------------------------------------------------------------------------

    def values(self, measure: Measure, collections: Collections) -> Floats | None:
        """The values of many small collections in one call; None: by the scores of pairs, or one by one."""
        return None

    def intersections(self, measure: Measure, selections: Selections, similarity: FeatureSimilarity) -> Floats | None:
        """What each two runs share when similar features count, as the measure counts them; None: it does not tell."""
        return None


def table_mean(scores: Floats, measure: Measure, selections: Selections, options: Options) -> Estimate:
    """The mean over the pairs of runs of a table of scores, over ordered pairs where the measure is one-sided."""
    total, above = PairTotal(), np.triu_indices(len(scores), 1)
    for way in (scores,) if measure.symmetric else (scores, scores.T):
        total.add(way[above], np.ones(len(above[0]), dtype=np.int64))
    missing = np.asarray((np.isnan(scores) | np.eye(len(scores), dtype=np.bool_)).all(axis=1))
    return total.settled(measure, partial(undefined_runs, missing, measure, selections), options)


def without_pairs(sums: Floats) -> Floats:
    """Leave-one-out values from the sums of s_ij + s_ji over j, which count each score twice in all."""
    M = sums.shape[1]
    return np.asarray((sums.sum(axis=1, keepdims=True) / 2 - sums) / ((M - 1) * (M - 2)))


def undefined_runs(at_fault: Bools, measure: Measure, selections: Selections) -> str:
    """The end of a note on undefined pairs: the runs without a score with any other, or the sizes."""
    if at_fault.any() and not at_fault.all():
        return named_runs(np.flatnonzero(at_fault), selections)
    return f": {sizes_in_words(selections.sizes)}" if measure.constant_size else ""


def stability(
    selections: RunsLike,
    measure: str | Measure = "nogueira",
    *,
    similarity: FeatureSimilarity | None = None,
    undefined: Undefined = "nan",
    expectation: Expectation = "auto",
    n_draws: int = 10_000,
    mc_error: float | None = None,
    random_state: int | None = None,
    **measure_params: Any,
) -> float:
    """How steady the Selections are, by one measure.

    Parameters
    ----------
    selections : Selections or array-like
        The runs, or anything that `Selections.from_matrix` takes: a 0/1 table with one row per run.
    measure : str or Measure, default="nogueira"
        Name or alias of a measure; `list_measures` shows them. Parameters follow a colon, such as "davis:alpha=1".
    similarity : FeatureSimilarity or None, default=None
        Which features can stand in for each other, for the measures that need it.
    undefined : {"nan", "raise", "paper"} or float, default="nan"
        How undefined pairs of runs are treated: "nan" makes the value undefined, "raise" raises an error, a number
        stands for each of them, and "paper" takes the value that the source of the measure states, such as 0 for
        kuncheva of empty sets; it is the same as "nan" for measures whose source states none.
    expectation : {"auto", "exact", "monte_carlo", "none"}, default="auto"
        What is subtracted for chance, the expectation under random selection of the same sizes. "auto" leaves a measure
        as published: "none" for most, and for the measures that are published with a correction an exact expectation
        where there is one, else a simulated one. "exact" and "monte_carlo" ask for a correction: the expectation is
        subtracted, then divided by what is left to the maximum; "monte_carlo" simulates where no closed form exists.
        "none" leaves the overlap of similar features as a number of features.
    n_draws : int, default=10000
        How many draws a simulated expectation takes, for each pair of sizes.
    mc_error : float or None, default=None
        Where a measure can, draw until the Monte Carlo error of its value is below this, instead of `n_draws` times.
    random_state : int or None, default=None
        Seed of what is simulated. None is a fixed seed: the same call gives the same number.
    **measure_params : Any
        Parameters of the measure, such as ``alpha=1`` for davis.

    Returns
    -------
    float
        The value of the measure; nan where it is undefined.

    Raises
    ------
    UndefinedError
        Where the value is undefined and `undefined` is "raise".
    InputError
        Where the measure is unknown, or needs a similarity, weights or rankings that were not given.

    Examples
    --------
    Three runs that agree on two of three genes:

    >>> import steadyset as st
    >>> sel = st.Selections.from_sets([[0, 1, 2], [0, 1, 3], [0, 1, 2]], n_features=10)
    >>> round(st.stability(sel), 4)
    0.6825
    >>> round(st.stability(sel, "jaccard"), 4)
    0.6667
    """
    record = get_measure(measure).with_params(measure_params)
    options = Options(undefined, expectation, n_draws, random_state, similarity, mc_error)
    if options.corrects and (refusal := get_family(record).why_not_corrected(record)):
        raise InputError(refusal)
    estimate = estimates(as_selections(selections), [record], options)[0]
    if estimate.note.startswith(NOT_CORRECTED):  # a number alone cannot say so
        raise InputError(f"{record.name} is {estimate.note}.")
    return estimate.value


def chosen_measures(
    measures: str | Measure | Sequence[str | Measure], params: Mapping[str, Mapping[str, Any]] | None = None
) -> list[Measure]:
    """The records of "all", of one name or of several, with their parameters."""
    if params is not None and not (
        isinstance(params, Mapping) and all(isinstance(values, Mapping) for values in params.values())
    ):
        raise arguments.wrong_argument("params", 'like {"davis": {"alpha": 1}}', params)
    if isinstance(measures, str) and measures == "all":
        records = all_measures()
    elif isinstance(measures, str | Measure):
        records = [get_measure(measures)]
    elif isinstance(measures, list | tuple) and measures:
        records = [get_measure(name) for name in measures]
    else:
        raise arguments.wrong_argument("measures", '"all", a name, or a list of names', measures)
    by_name = {get_measure(name).name: values for name, values in (params or {}).items()}
    return [record.with_params(by_name.get(record.name, {})) for record in records]


def estimates(selections: Selections, measures: Sequence[Measure], options: Options) -> list[Estimate]:
    """One Estimate per measure; measures of one family are evaluated together."""
    found: dict[int, Estimate] = {}
    for family, places in evaluated_together(selections, measures, options):
        values = family.evaluate(selections, [measures[i] for i in places], options)
        found.update(zip(places, values, strict=True))
    return [found[i] for i in range(len(measures))]


def require_two(selections: Selections) -> None:
    """Refuse what has nothing to be compared with; runs that were read as names are called lists."""
    if selections.n_runs < 2:
        what = "lists" if isinstance(selections.features, AppearanceOrder) else "runs"
        raise InputError(f"Stability compares {what}: at least 2 are needed, found {selections.n_runs}.")


def evaluated_together(
    selections: Selections, measures: Sequence[Measure], options: Options
) -> list[tuple[Family, list[int]]]:
    """The families of measures with the places of their members; runs that cannot be evaluated are refused."""
    require_two(selections)
    if options.similarity is not None:
        options.similarity.check(selections)
    for measure in measures:
        require_needs(measure, selections, options)
    places: dict[str, list[int]] = {}
    for i, measure in enumerate(measures):
        places.setdefault(measure.family, []).append(i)
    return [(get_family(name), members) for name, members in places.items()]


OF_VALUES = ("weights", "rankings")  # families whose measures read importances and ranks


class Remedy(NamedTuple):
    """When a need is met, and how to meet it."""

    met: Callable[[Selections, Options], bool]
    how: tuple[str | Argument, ...]


NEEDS: dict[Need, Remedy] = {
    "similarity": Remedy(
        lambda _, options: options.similarity is not None,
        ("the similarity of the features; give ", Argument("similarity=FeatureSimilarity.from_data(X)")),
    ),
    "weights": Remedy(
        lambda selections, _: selections.weights is not None,
        ("weights of the selected features; build the Selections with from_weights, or from a long table",),
    ),
    "rankings": Remedy(
        lambda selections, _: selections.rankings is not None or selections.weights is not None,
        ("rankings of the features; build the Selections with from_rankings, or with from_weights to rank by weight",),
    ),
}


def has_needs(measure: Measure, selections: Selections, options: Options) -> bool:
    """Whether everything that the measure needs is there."""
    return all(NEEDS[need].met(selections, options) for need in measure.needs)


def require_needs(measure: Measure, selections: Selections, options: Options) -> None:
    """Raise a sentence that says what is missing and how to give it."""
    for need in measure.needs:
        if not NEEDS[need].met(selections, options):
            raise InputError(f"{measure.name} needs ", *NEEDS[need].how, ".")


def full_sets(selections: Selections) -> str | None:
    """That ranks or importances select every feature, in words: such sets are equal by construction. None if not."""
    valued = selections.rankings is not None or selections.weights is not None
    if not valued or selections.sizes.min() < selections.n_features:
        return None
    return f"every run selects all {selections.n_features:,} features"


def telling_measures(selections: Selections, options: Options) -> str | list[Measure]:
    """All measures that say something; where every feature is selected, those that read ranks or importances."""
    if full_sets(selections) is None:
        return "all"
    return [each for each in all_measures() if each.family in OF_VALUES and has_needs(each, selections, options)]
