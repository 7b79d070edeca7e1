"""Does the list predict, and would it come out again? The whole procedure, repeated on random parts of the rows."""

from __future__ import annotations

from dataclasses import replace
from math import isnan, nan
from typing import Any

import numpy as np
from sklearn.feature_selection import SelectKBest

from steadyset.assessment import Assessment
from steadyset.assessment.result import steadiness
from steadyset.foundation.arguments import LEVEL
from steadyset.inference.comparison import corrected_error
from steadyset.inference.interval import t_quantile
from steadyset.runner.scoring import score_ends
from steadyset.shortlists.listed import Listed, Prediction, Repeats, Tried
from steadyset.shortlists.selector import ShortlistSelector

FRACTION = 0.8  # of the rows that a repeat has
SHORTLIST, EVERY = "shortlist", "all features"


class RowsShortlist(ShortlistSelector):
    """The selector with what it knows of every row; a part of the rows is given as weights of 0 and 1."""

    weights_equal_copies = True

    def __init__(self, *, strata: Any = None, groups: Any = None, covariates: Any = None, **settings: Any) -> None:
        super().__init__(**settings)
        self.strata = strata
        self.groups = groups
        self.covariates = covariates

    @classmethod
    def _get_param_names(cls) -> list[str]:
        return sorted([*ShortlistSelector._get_param_names(), "covariates", "groups", "strata"])

    def fit(self, X: Any, y: Any = None, sample_weight: Any = None) -> RowsShortlist:  # type: ignore[override]
        """List the features from the rows of weight 1."""
        rows = np.arange(len(X)) if sample_weight is None else np.flatnonzero(sample_weight)
        known = {"strata": self.strata, "groups": self.groups, "covariates": self.covariates}
        part = {name: None if one is None else np.asarray(one)[rows] for name, one in known.items()}
        return super().fit(np.asarray(X)[rows], np.asarray(y)[rows], **part)


def selectors_of(selector: RowsShortlist) -> dict[str, Any]:
    """What the repeats compare: the procedure, and all features."""
    return {SHORTLIST: selector, EVERY: SelectKBest(_alike, k="all")}


def _alike(X: Any, y: Any) -> Any:
    """Scores of features none of which is better than another, whatever the target is."""
    return np.ones(X.shape[1])


def with_repeats(listed: Listed, evaluation: Assessment) -> Listed:
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
    error = corrected_error(values, evaluation.test_ratio)
    reach = nan if isnan(error) else float(t_quantile(LEVEL, len(values) - 1)) * error
    mean, (least, most) = float(np.mean(values)), score_ends(score)
    beaten = evaluation.baselines_beaten(level=LEVEL)[SHORTLIST]
    every = [cell.scores[score] for cell in evaluation.cells_of(EVERY) if score in cell.scores]
    return Prediction(
        score,
        mean,
        max(least, mean - reach),
        min(most, mean + reach),
        float(np.mean([cell.random.get(score, nan) for cell in cells])),
        float(np.mean([cell.blind.get(score, nan) for cell in cells])),
        float(np.mean(every)) if every else nan,
        beaten.random,
        beaten.blind,
    )
