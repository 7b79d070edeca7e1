"""Many measures of the same runs in one table: `stability_table`."""

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
    import pandas as pd

    options = Options(undefined, expectation, n_draws, random_state, similarity, mc_error)
    if level is not None:
        check_level(level)
    runs = as_selections(selections)
    records = evaluate.usable_measures(measures, runs, options, params)
    found = _estimates(runs, records, options) if level is None else _intervals(runs, records, options, level)
    return pd.DataFrame(found, index=pd.Index([record.name for record in records], name="measure"))


def _estimates(runs: Selections, measures: Sequence[Measure], options: Options) -> dict[str, list[Any]]:
    rows = evaluate.estimates(runs, measures, options)
    return {
        "estimate": [row.value for row in rows],
        "mc_error": [row.mc_error for row in rows],
        "note": [row.note for row in rows],
    }


def _intervals(runs: Selections, measures: Sequence[Measure], options: Options, level: float) -> dict[str, list[Any]]:
    values = jackknives(runs, measures, options)
    found = [interval_of(one, options, level) for one in values]
    return {
        "estimate": [interval.estimate for interval in found],
        "se": [interval.se for interval in found],
        "low": [interval.low for interval in found],
        "high": [interval.high for interval in found],
        "mc_error": [one.estimate.mc_error for one in values],
        "note": [interval.note for interval in found],
    }
