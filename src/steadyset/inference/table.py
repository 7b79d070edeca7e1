"""The table of measures with their intervals: the public `stability_table`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from steadyset.conventions import LEVEL, check_level
from steadyset.inference.interval import interval_of
from steadyset.inference.jackknife import jackknives
from steadyset.measures import evaluate
from steadyset.measures.options import Expectation, Options, Undefined
from steadyset.measures.record import Measure
from steadyset.selections import Selections, as_selections

if TYPE_CHECKING:
    import pandas as pd

    from steadyset.similarity import FeatureSimilarity


def stability_table(
    selections: Any,
    measures: str | Sequence[str | Measure] = "all",
    *,
    level: float | None = LEVEL,
    similarity: FeatureSimilarity | None = None,
    undefined: Undefined = "nan",
    expectation: Expectation = "auto",
    n_draws: int = 10_000,
    mc_error: float | None = None,
    random_state: int | None = None,
    params: Mapping[str, Mapping[str, Any]] | None = None,
) -> pd.DataFrame:
    """Many measures at once, sharing their work: a row each with estimate, se, low, high, mc_error and note.

    se, low and high are those of `confidence_interval(method="auto")` at this `level`; level=None leaves them out,
    which is faster. "all" are the measures that have what they need: some take a similarity, some Selections
    with weights or rankings. `params` gives parameters by measure, such as {"davis": {"alpha": 1}}; the other options
    are those of `stability`, and `expectation` acts on the measures that it can correct.
    """
    if level is None:
        return evaluate.stability_table(
            selections,
            measures,
            similarity=similarity,
            undefined=undefined,
            expectation=expectation,
            n_draws=n_draws,
            mc_error=mc_error,
            random_state=random_state,
            params=params,
        )
    import pandas as pd

    options = Options(undefined, expectation, n_draws, random_state, similarity, mc_error)
    runs = as_selections(selections)
    records = evaluate.usable_measures(measures, runs, options, params)
    columns = ["measure", "estimate", "se", "low", "high", "mc_error", "note"]
    return pd.DataFrame(interval_rows(runs, records, options, level), columns=columns).set_index("measure")


def interval_rows(
    selections: Selections, measures: Sequence[Measure], options: Options, level: float
) -> list[dict[str, Any]]:
    """The rows of the table as plain values."""
    check_level(level)
    values = jackknives(selections, measures, options)
    found = [interval_of(one, options, level) for one in values]
    return [
        {
            "measure": measure.name,
            "estimate": interval.estimate,
            "se": interval.se,
            "low": interval.low,
            "high": interval.high,
            "mc_error": one.estimate.mc_error,
            "note": interval.note,
        }
        for measure, one, interval in zip(measures, values, found, strict=True)
    ]
