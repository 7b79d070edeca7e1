"""Several methods, one consensus: how far they agree, which features they back together, and what chance would give."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, partial
from math import nan, sqrt
from typing import TYPE_CHECKING, Any

import numpy as np

from steadyset.foundation import arguments
from steadyset.foundation.display import Drawable, ShownFindings
from steadyset.foundation.errors import InputError
from steadyset.inference.interval import confidence_interval
from steadyset.inference.runs import in_core, over_all_features, total_counts
from steadyset.io.labels import text_frame
from steadyset.kernels.arrays import Floats, Ints
from steadyset.measures.chance import TERMS_A_CHUNK, at_least, expected_mean, size_pairs
from steadyset.measures.evaluate import PAPER, Options, PairTotal, Undefined, stated_where_undefined
from steadyset.measures.pairwise import Pairwise
from steadyset.measures.record import Measure, get_family, get_measure
from steadyset.selections import HasSelections, RunsLike, Selections, as_selections, runs_by_procedure
from steadyset.selectors.ensembles.aggregation import aggregate as aggregated

if TYPE_CHECKING:
    import pandas as pd


RULES = ("top_frequency", "mean_rank", "borda", "exponential")
BACKING = 0.5
LARGEST_CHAIN = 1000  # sizes up to which the law of a common intersection is computed exactly


@dataclass(frozen=True, repr=False)
class Consensus(ShownFindings, Drawable):
    """What `consensus` found.

    Attributes
    ----------
    methods : pandas.DataFrame
        One row per method: n_runs, size (mean), within (agreement of its runs), low, high, expected (by chance), backed
        and core (how many features), note.
    between : pandas.DataFrame
        One row per pair of methods: first, second, agreement (of runs of the one with runs of the other), expected,
        frequencies (correlation of the selection frequencies), shared (features that both back), shared_expected,
        p_value, note.
    backed : pandas.DataFrame
        One row per number of methods, at least two: methods, features (backed by at least so many), expected, p_value,
        mc_error (0: exact).
    features : pandas.DataFrame
        One row per feature that is ever selected, by rank: feature, rank, score, direction (where it is given), methods
        (that back it), runs (that select it, of all methods), frequency (mean over the methods), by_chance (how many
        features random sets would bring to so many methods), and the frequency of each method.
    measure : str
        The measure of agreement.
    aggregate : str
        What ranked the features.
    backing : float
        The share of its runs from which a method backs a feature.
    core : float
        The share of the runs from which a feature belongs to the steady core.
    level : float
        The confidence of the intervals.
    notes : tuple of str
        What to keep in mind.
    procedures : Mapping
        The runs, over the same features.

    Examples
    --------
    >>> import steadyset as st
    >>> genes = [f"gene{i}" for i in range(20)]
    >>> found = st.consensus({
    ...     "t-test": st.Selections.from_sets([["gene1", "gene2"]] * 5, features=genes),
    ...     "forest": st.Selections.from_sets([["gene1", "gene7"]] * 5, features=genes),
    ... })
    >>> found.between[["shared", "shared_expected", "p_value"]].round(3).to_dict("records")
    [{'shared': 1, 'shared_expected': 0.2, 'p_value': 0.195}]
    """

    methods: pd.DataFrame
    between: pd.DataFrame
    backed: pd.DataFrame
    features: pd.DataFrame
    measure: str
    aggregate: str
    backing: float
    core: float
    level: float
    notes: tuple[str, ...]
    procedures: Mapping[str, Selections]

    def __repr__(self) -> str:
        together = self.backed.iloc[-1]
        return (
            f"Consensus({len(self.methods)} methods, {len(self.features)} selected features, "
            f"{int(together['features'])} backed by all)"
        )


def consensus(
    methods: Mapping[str, RunsLike] | HasSelections,
    *,
    aggregate: str = "top_frequency",
    backing: float = BACKING,
    measure: str = "phi",
    core: float = arguments.CORE,
    level: float = arguments.LEVEL,
    directions: Mapping[str, str] | None = None,
    undefined: Undefined = "nan",
    n_draws: int = 10_000,
    random_state: int | None = None,
) -> Consensus:
    """How far several methods agree, and which features they back together.

    Random sets are what the agreement is held against: every method backs as many features as it does, drawn at random.
    That is the least that methods should beat. Methods that run on the same data agree for other reasons too.

    Parameters
    ----------
    methods : Mapping or Assessment
        The runs of each method by its name, at least two; of an Assessment, its selectors. Methods that choose from
        different features are read over all of them.
    aggregate : str, default="top_frequency"
        What ranks the features: the mean over the methods of the score of `aggregate`, "top_frequency" (how often a
        method selects the feature), "mean_rank", "borda" or "exponential". Every method counts the same, however many
        runs it has.
    backing : float, default=0.5
        A method backs a feature that at least this share of its runs selects.
    measure : str, default="phi"
        Any pairwise measure. Agreement within a method is its mean over the pairs of runs, agreement between two
        methods its mean over the pairs of a run of the one and a run of the other. phi is 0 for what chance gives.
    core : float, default=0.9
        The share of the runs from which a feature belongs to the steady core of a method.
    level : float, default=0.95
        The confidence of the intervals of the agreement within.
    directions : Mapping or None, default=None
        In which direction features go with the target, by their names: `result.directions` of an assessment. Lists
        alone do not tell.
    undefined : {"nan", "raise", "paper"} or float, default="nan"
        How undefined pairs of runs are treated: "nan" makes the value undefined, "raise" raises an error, a number
        stands for each of them, and "paper" takes the value that the source of the measure states, such as 0 for
        kuncheva of empty sets; it is the same as "nan" for measures whose source states none.
    n_draws : int, default=10000
        How many random sets are drawn, which only p-values for some but not all of three or more methods need.
    random_state : int or None, default=None
        Seed of what is simulated. None is a fixed seed: the same call gives the same number.

    Returns
    -------
    Consensus
        The agreement within and between the methods, and the features with the methods that back them.

    Examples
    --------
    >>> import steadyset as st
    >>> names = list("abcdefgh")
    >>> found = st.consensus({
    ...     "lasso": st.Selections.from_sets([["a", "b"], ["a", "b"]], features=names),
    ...     "forest": st.Selections.from_sets([["a", "c"], ["a", "b"]], features=names),
    ... })
    >>> found.features[["feature", "methods", "runs"]].head(2).to_dict("records")
    [{'feature': 'a', 'methods': 2, 'runs': 4}, {'feature': 'b', 'methods': 2, 'runs': 3}]
    """
    arguments.check_choice("aggregate", aggregate, RULES)
    if not (arguments.is_number(backing) and 0 < backing <= 1):
        raise arguments.wrong_argument(
            "backing", f"a share of the runs above 0 and at most 1, such as {BACKING}", backing
        )
    arguments.check_core(core)
    arguments.check_level(level)
    arguments.check_integer("n_draws", n_draws, least=2)
    options = Options(undefined, "auto", n_draws, random_state)
    record = get_measure(measure)
    if not isinstance(get_family(record), Pairwise):
        raise InputError(
            f"{record.name} does not compare two sets; agreement between methods needs a pairwise measure."
        )
    if directions is not None and not (
        isinstance(directions, Mapping) and all(isinstance(word, str) for word in directions.values())
    ):
        raise arguments.wrong_argument("directions", "a mapping from feature names to words, or None", directions)
    runs, notes = over_all_features(_named(methods))
    backers = {name: np.flatnonzero(in_core(sel, backing)) for name, sel in runs.items()}
    d, sizes = next(iter(runs.values())).n_features, np.array([len(places) for places in backers.values()])
    return Consensus(
        _methods(runs, backers, record, options, core, level),
        _between(runs, backers, record, options),
        _backed(backers, sizes, d, options),
        _features(runs, backers, sizes, aggregate, directions or {}),
        record.specification,
        aggregate,
        float(backing),
        float(core),
        float(level),
        notes,
        runs,
    )


def _named(methods: Any) -> dict[str, Selections]:
    assessed = runs_by_procedure(methods)
    named = methods if assessed is None else assessed
    if not isinstance(named, Mapping) or len(named) < 2:
        raise arguments.wrong_argument("methods", "the selections of two methods or more, by name", methods)
    return {str(name): as_selections(one) for name, one in named.items()}


# ---- agreement ----------------------------------------------------------------------------------------------------


def _methods(
    runs: Mapping[str, Selections],
    backers: Mapping[str, Ints],
    measure: Measure,
    options: Options,
    core: float,
    level: float,
) -> pd.DataFrame:
    rows = []
    for name, sel in runs.items():
        row: dict[str, Any] = {"method": name, "n_runs": sel.n_runs, "size": float(sel.sizes.mean())}
        if sel.n_runs > 1:
            found = confidence_interval(sel, measure, level=level, undefined=options.undefined)
            expected = expected_mean(measure, *size_pairs(sel.sizes), sel.n_features)
            row |= {"within": found.estimate, "low": found.low, "high": found.high, "expected": expected}
            note = found.note
        else:
            row |= dict.fromkeys(("within", "low", "high", "expected"), nan)
            note = "one run alone agrees with nothing"
        rows.append({**row, "backed": len(backers[name]), "core": int(in_core(sel, core).sum()), "note": note})
    return _frame(rows)


def _between(
    runs: Mapping[str, Selections], backers: Mapping[str, Ints], measure: Measure, options: Options
) -> pd.DataFrame:
    from scipy.stats import hypergeom

    rows = []
    for (first, a), (second, b) in itertools.combinations(runs.items(), 2):
        d, sizes = a.n_features, (len(backers[first]), len(backers[second]))
        agreement, note = _agreement(a, b, measure, options)
        shared = len(np.intersect1d(backers[first], backers[second]))
        # Random sets of these sizes, by the hypergeometric law of what two of them share.
        (own, ni), (theirs, nj) = (np.unique(sel.sizes, return_counts=True) for sel in (a, b))
        ki, kj = (x.ravel() for x in np.meshgrid(own, theirs, indexing="ij"))
        rows.append(
            {
                "first": first,
                "second": second,
                "agreement": agreement,
                "expected": expected_mean(measure, ki, kj, np.outer(ni, nj).ravel(), d),
                "frequencies": _correlation(a.frequencies, b.frequencies),
                "shared": shared,
                "shared_expected": sizes[0] * sizes[1] / d,
                "p_value": float(hypergeom.sf(shared - 1, d, *sizes)),
                "note": note,
            }
        )
    return _frame(rows)


def _agreement(a: Selections, b: Selections, measure: Measure, options: Options) -> tuple[float, str]:
    """The mean score of a run of the one with a run of the other, and what is undefined."""
    total, other = PairTotal(), b.to_matrix().astype(np.int64).T
    rows = max(1, TERMS_A_CHUNK // b.n_runs)
    for start in range(0, a.n_runs, rows):
        shared = (a.to_matrix()[start : start + rows].astype(np.int64) @ other).toarray()
        ki, kj = np.broadcast_arrays(a.sizes[start : start + rows, None], b.sizes[None, :])
        # A score that depends on which set comes first is the mean of both orders.
        for one, two in ((ki, kj),) if measure.symmetric else ((ki, kj), (kj, ki)):
            pairs = shared.ravel(), one.ravel(), two.ravel(), a.n_features
            scores = np.asarray(measure.score(*pairs, **measure.params), dtype=np.float64)
            stated = stated_where_undefined(measure, scores, *pairs) if options.undefined == PAPER else scores
            total.add(stated, np.ones(shared.size, dtype=np.int64), np.isnan(scores) & ~np.isnan(stated))
    found = total.settled(measure, lambda: "", options)
    return found.value, found.note


def _correlation(a: Floats, b: Floats) -> float:
    """Pearson's correlation; undefined where one side is constant."""
    one, two = a - a.mean(), b - b.mean()
    length = sqrt(float(one @ one) * float(two @ two))
    return float(one @ two) / length if length > 0 else nan


# ---- what is backed together --------------------------------------------------------------------------------------


def _backed(backers: Mapping[str, Ints], sizes: Ints, d: int, options: Options) -> pd.DataFrame:
    """How many features at least 2, 3, ... methods back, and what random sets of these sizes give."""
    votes = np.bincount(np.concatenate(list(backers.values())), minlength=d)
    expected = at_least(sizes, d)
    simulated = cache(partial(_simulated, sizes, d, options))
    rows = []
    for needed in range(2, len(sizes) + 1):
        observed = int((votes >= needed).sum())
        p_value, error = _tail(observed, needed, sizes, d, simulated)
        rows.append(
            {
                "methods": needed,
                "features": observed,
                "expected": float(expected[needed]),
                "p_value": p_value,
                "mc_error": error,
            }
        )
    return _frame(rows)


def _simulated(sizes: Ints, d: int, options: Options) -> Ints:
    """draws x (methods + 1): how many features exactly h of the random sets hold."""
    from steadyset.kernels.overlap.chance import random_levels

    return np.asarray(random_levels(np.sort(sizes), d, 0, options.n_draws, options.seed()))


def _tail(observed: int, needed: int, sizes: Ints, d: int, simulated: Callable[[], Ints]) -> tuple[float, float]:
    """P(random sets bring at least so many features to so many methods), and its Monte Carlo error (0: exact)."""
    if observed == 0:
        return 1.0, 0.0
    # What all sets share has an exact law, one set after the other; what some of them share has none that is short.
    if needed == len(sizes) and sizes.min() <= LARGEST_CHAIN:
        return float(intersection_law(sizes, d)[observed:].sum()), 0.0
    levels = simulated()
    reached, n_draws = int((levels[:, needed:].sum(axis=1) >= observed).sum()), len(levels)
    share = (1 + reached) / (1 + n_draws)  # the observed sets are one more draw, so that p is never 0
    return share, sqrt(share * (1 - share) / n_draws)


def intersection_law(sizes: Any, d: int) -> Floats:
    """P(the sets have r features in common), r = 0, 1, ..., of independent uniform sets of these sizes."""
    from scipy.stats import hypergeom

    smallest, *others = sorted(int(size) for size in sizes)
    shared = np.arange(smallest + 1)
    law: Floats = (shared == smallest).astype(np.float64)
    for size in others:
        # Row r: of r features in common so far the next set, uniform, keeps a hypergeometric number.
        law = law @ hypergeom.pmf(shared[None, :], d, shared[:, None], size)
    return law


def _features(
    runs: Mapping[str, Selections], backers: Mapping[str, Ints], sizes: Ints, rule: str, directions: Mapping[str, str]
) -> pd.DataFrame:
    """The features that are ever selected, the best score first."""
    d = len(next(iter(runs.values())).counts)
    counts = total_counts(runs)
    votes = np.bincount(np.concatenate(list(backers.values())), minlength=d)
    score = np.mean([aggregated(sel, rule).scores for sel in runs.values()], axis=0)
    used = np.flatnonzero(counts)
    # Rounded, so that scores that are equal but for the order of their sums are ties.
    order = used[np.lexsort((used, -counts[used], -votes[used], -np.round(score[used], 12)))]
    chance = at_least(sizes, d)
    names = next(iter(runs.values())).features
    ranked = -np.round(score[order], 12)
    return text_frame(
        {
            "feature": [names[f] for f in order],
            "rank": 1 + np.searchsorted(ranked, ranked),
            "score": score[order],
            "direction": [directions.get(names[f], "") for f in order],
            "methods": votes[order],
            "runs": counts[order],
            "frequency": np.mean([sel.frequencies for sel in runs.values()], axis=0)[order],
            "by_chance": chance[votes[order]],
            **{f"frequency: {name}": sel.frequencies[order] for name, sel in runs.items()},
        }
    )


def _frame(rows: Sequence[Mapping[str, Any]]) -> pd.DataFrame:
    return text_frame({key: [row[key] for row in rows] for key in rows[0]})
