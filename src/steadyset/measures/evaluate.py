"""From Selections and measures to numbers: what people call."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from steadyset.errors import InputError
from steadyset.measures.evaluators import EVALUATORS
from steadyset.measures.needs import has_needs, require_needs
from steadyset.measures.options import NOT_CORRECTED, Estimate, Expectation, Options, Undefined, can_correct
from steadyset.measures.record import Measure, all_measures, get_measure
from steadyset.selections import Selections, as_selections

if TYPE_CHECKING:
    import pandas as pd

    from steadyset.similarity import FeatureSimilarity


def stability(
    selections: Any,
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
    selections : Selections, or anything that `Selections.from_matrix` takes
    measure : name or alias; `list_measures()` shows them
    similarity : which features can stand for each other, for the measures that need it
    undefined : "nan", "raise", or a number that stands for each undefined pair (or for the whole measure)
    expectation : what is subtracted for chance, the expectation under random selection of the same sizes. "auto"
        leaves a measure as published: "none" for most, and for the measures that are published with a correction an
        exact expectation where there is one, else a simulated one. "exact" and "monte_carlo" ask for a correction:
        the expectation is subtracted, then divided by what is left to the maximum; "monte_carlo" simulates where no
        closed form exists. "none" leaves the overlap of similar features as a number of features.
    n_draws, random_state : how many draws a simulated expectation takes (for each pair of sizes), and their seed
        (None: a fixed one, so that the same call gives the same number)
    mc_error : where a measure can, draw until the Monte Carlo error of its value is below this instead
    measure_params : parameters of the measure, such as alpha of davis

    Examples
    --------
    >>> import steadyset as st
    >>> sel = st.Selections.from_sets([[0, 1, 2], [0, 1, 3], [0, 1, 2]], n_features=10)
    >>> round(st.stability(sel), 4)
    0.6825
    >>> round(st.stability(sel, "jaccard"), 4)
    0.6667
    """
    record = get_measure(measure).with_params(measure_params)
    options = Options(undefined, expectation, n_draws, random_state, similarity, mc_error)
    if options.corrects and record.family != "adjusted":
        _refuse_correction(record)
    estimate = estimates(as_selections(selections), [record], options)[0]
    if estimate.note.startswith(NOT_CORRECTED):  # a number alone cannot say so
        raise InputError(f"{record.name} is {estimate.note}.")
    return estimate.value


def stability_table(
    selections: Any,
    measures: str | Sequence[str | Measure] = "all",
    *,
    similarity: FeatureSimilarity | None = None,
    undefined: Undefined = "nan",
    expectation: Expectation = "auto",
    n_draws: int = 10_000,
    mc_error: float | None = None,
    random_state: int | None = None,
    params: Mapping[str, Mapping[str, Any]] | None = None,
) -> pd.DataFrame:
    """Many measures at once, sharing one pass over the pairs of runs: a row each with estimate, mc_error and note.

    "all" are the measures that have what they need: some take a similarity, some Selections with weights or rankings.
    `params` gives parameters by measure, such as {"davis": {"alpha": 1}}; the other options are those of `stability`,
    and `expectation` acts on the measures that it can correct.
    """
    import pandas as pd

    options = Options(undefined, expectation, n_draws, random_state, similarity, mc_error)
    runs = as_selections(selections)
    records = usable_measures(measures, runs, options, params)
    rows = estimates(runs, records, options)
    return pd.DataFrame(
        {
            "estimate": [row.value for row in rows],
            "mc_error": [row.mc_error for row in rows],
            "note": [row.note for row in rows],
        },
        index=pd.Index([record.name for record in records], name="measure"),
    )


def chosen_measures(
    measures: str | Sequence[str | Measure], params: Mapping[str, Mapping[str, Any]] | None = None
) -> list[Measure]:
    """The records of "all", of one name or of several, with their parameters."""
    if isinstance(measures, str):
        records = all_measures() if measures == "all" else [get_measure(measures)]
    else:
        records = [get_measure(name) for name in measures]
    by_name = {get_measure(name).name: values for name, values in (params or {}).items()}
    return [record.with_params(by_name.get(record.name, {})) for record in records]


def usable_measures(
    measures: str | Sequence[str | Measure],
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
    """One Estimate a measure; measures of one family are evaluated together."""
    if selections.n_runs < 2:
        raise InputError(f"Stability compares runs: at least 2 are needed, found {selections.n_runs}.")
    if options.similarity is not None:
        options.similarity.check(selections)
    for measure in measures:
        require_needs(measure, selections, options)
    found: dict[int, Estimate] = {}
    for family, evaluate in EVALUATORS.items():
        members = [(i, measure) for i, measure in enumerate(measures) if measure.family == family]
        if members:
            values = evaluate(selections, [measure for _, measure in members], options)
            found.update({i: value for (i, _), value in zip(members, values, strict=True)})
    return [found[i] for i in range(len(measures))]


def _refuse_correction(measure: Measure) -> None:
    if measure.corrected:
        raise InputError(f'{measure.name} is corrected for chance already; expectation must be "auto" or "none".')
    if not can_correct(measure):
        raise InputError(f'{measure.name} has no largest value to scale to; expectation must be "auto" or "none".')
