"""From Selections and measures to numbers: what people call."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from steadyset.foundation.arguments import wrong_argument
from steadyset.foundation.errors import Argument, InputError
from steadyset.measures.options import NOT_CORRECTED, Estimate, Expectation, Options, Undefined
from steadyset.measures.record import Measure, Need, all_measures, get_family, get_measure
from steadyset.selections import RunsLike, Selections, as_selections

if TYPE_CHECKING:
    from steadyset.measures.family import Family
    from steadyset.similarity import FeatureSimilarity


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
        Name or alias of a measure; `list_measures` shows them.
    similarity : FeatureSimilarity or None, default=None
        Which features can stand in for each other, for the measures that need it.
    undefined : {"nan", "raise"} or float, default="nan"
        How undefined pairs of runs are treated: "nan" makes the value undefined, "raise" raises an error, and a number
        stands for each of them.
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
        raise wrong_argument("params", 'like {"davis": {"alpha": 1}}', params)
    if isinstance(measures, str) and measures == "all":
        records = all_measures()
    elif isinstance(measures, str | Measure):
        records = [get_measure(measures)]
    elif isinstance(measures, list | tuple) and measures:
        records = [get_measure(name) for name in measures]
    else:
        raise wrong_argument("measures", '"all", a name, or a list of names', measures)
    by_name = {get_measure(name).name: values for name, values in (params or {}).items()}
    return [record.with_params(by_name.get(record.name, {})) for record in records]


def usable_measures(
    measures: str | Measure | Sequence[str | Measure],
    selections: Selections,
    options: Options,
    params: Mapping[str, Mapping[str, Any]] | None = None,
) -> list[Measure]:
    """As `chosen_measures`, but "all" leaves out the measures that need what is not there."""
    records = chosen_measures(measures, params)
    if isinstance(measures, str) and measures == "all":
        return [record for record in records if has_needs(record, selections, options)]
    return records


def estimates(selections: Selections, measures: Sequence[Measure], options: Options) -> list[Estimate]:
    """One Estimate per measure; measures of one family are evaluated together."""
    found: dict[int, Estimate] = {}
    for family, places in evaluated_together(selections, measures, options):
        values = family.evaluate(selections, [measures[i] for i in places], options)
        found.update(zip(places, values, strict=True))
    return [found[i] for i in range(len(measures))]


def evaluated_together(
    selections: Selections, measures: Sequence[Measure], options: Options
) -> list[tuple[Family, list[int]]]:
    """The families of measures with the places of their members; runs that cannot be evaluated are refused."""
    if selections.n_runs < 2:
        raise InputError(f"Stability compares runs: at least 2 are needed, found {selections.n_runs}.")
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
