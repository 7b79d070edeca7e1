"""Choosing the level of a path and the threshold by how unlikely the selection frequencies are under pure chance."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from steadyset.foundation.arguments import wrong_argument
from steadyset.foundation.errors import InputError
from steadyset.kernels.arrays import Floats, Ints
from steadyset.selectors.ensembles.bounds import markov
from steadyset.selectors.ensembles.rules import ROUNDING, Limits, Reading, Runs, get_rule, register_rule
from steadyset.selectors.validation import check_integer, check_number

THRESHOLDS: Floats = np.round(np.arange(0.60, 0.901, 0.01), 2)


@dataclass(frozen=True)
class CalibratedRule:
    """The level of the path and the threshold of the highest stability score; all limits are optional.

    Formula: max over levels and thresholds of the stability score.

    A given threshold is kept; pfer and q bound what is considered. The PFER is that of a level and a threshold fixed
    beforehand.
    """

    name: str = "calibrated"
    reference: str = "Bodinier et al. 2023"

    def path_limits(self, limits: Limits) -> Limits:
        """pfer limits what is considered, which says nothing about how far a path has to go."""
        return replace(limits, pfer=None)

    def size(self, n_clusters: int, n_runs: int, limits: Limits) -> int:
        """As many as Meinshausen and Buehlmann's; there are levels of many sizes to choose from."""
        return get_rule("meinshausen_buhlmann").size(n_clusters, n_runs, limits)

    def read(self, runs: Runs, limits: Limits) -> Reading:
        """The best level of the path, whole."""
        if limits.threshold is not None and not 0.5 < limits.threshold <= 1:
            raise wrong_argument("threshold", f"above 0.5 and at most 1 for the rule {self.name!r}", limits.threshold)
        if limits.pfer is not None:
            check_number("pfer", limits.pfer)
        if limits.q is not None:
            check_integer("q", limits.q, least=1)
        thresholds = THRESHOLDS if limits.threshold is None else np.array([float(limits.threshold)])
        best = calibrate(runs.counts, runs.n_runs, thresholds, pfer=limits.pfer, q=limits.q)
        size = float(runs.counts[best.place].sum() / runs.n_runs)
        bound = markov(size, best.threshold, runs.n_clusters, runs.n_runs // 2)
        return Reading(best.threshold, bound, size, level=float(runs.paths.levels[best.place]), score=best.score)


@dataclass(frozen=True)
class Calibration:
    """The place of the level on the path, the threshold, and the stability score there."""

    place: int
    threshold: float
    score: float


def calibrate(
    counts: Ints, n_runs: int, thresholds: Floats, *, pfer: float | None = None, q: float | None = None
) -> Calibration:
    """The level and the threshold of the highest stability score, among those that keep within pfer and q.

    counts is levels x features. The bound on the PFER is q²/((2 threshold - 1) d), q being the mean number of features
    that a run selects at the level; the limit q is on that number. The stronger penalty wins between equal scores.
    """
    d = counts.shape[1]
    sizes = counts.sum(axis=1) / n_runs
    scores = stability_scores(counts, n_runs, thresholds)
    bounds = np.array([[markov(size, pi, d, n_runs // 2) for pi in thresholds] for size in sizes])
    allowed = (sizes > 0)[:, None] & (sizes < d)[:, None] & (bounds <= (np.inf if pfer is None else pfer))
    if q is not None:
        allowed &= (sizes <= q + ROUNDING)[:, None]
    if not allowed.any():
        limits = [f"{name} = {value:g}" for name, value in (("pfer", pfer), ("q", q)) if value is not None]
        within = f" within {' and '.join(limits)}" if limits else ""
        raise InputError(f"No level of the path and no threshold selects some but not all features{within}.")
    place, column = np.unravel_index(int(np.argmax(np.where(allowed, scores, -np.inf))), scores.shape)
    return Calibration(int(place), float(thresholds[column]), float(scores[place, column]))


def stability_scores(counts: Ints, n_runs: int, thresholds: Floats) -> Floats:
    """-log likelihood of stable inclusion, stable exclusion and the rest, under uniform selection: levels x thresholds.

    At a level that selects a share g of the features on average, chance alone makes the count of each feature
    H ~ Binomial(M, g). A feature is stably in when H >= pi M, stably out when H <= (1 - pi) M; the score is
    -[n_in log P(H >= pi M) + n_out log P(H <= (1 - pi) M) + n_rest log P(otherwise)].

    Reference: Bodinier, Filippi, Haugdahl Nost, Chiquet and Chadeau-Hyam (2023), Automated calibration for stability
    selection in penalised regression and graphical models.
    """
    from scipy.stats import binom  # takes long to import

    M, d = n_runs, counts.shape[1]
    least_in = np.ceil(thresholds * M - ROUNDING).astype(np.int64)
    most_out = np.floor((1.0 - thresholds) * M + ROUNDING).astype(np.int64)
    scores = np.zeros((len(counts), len(thresholds)))
    for place, row in enumerate(counts):
        rate = row.sum() / (M * d)
        if not 0 < rate < 1:
            continue
        log_pmf = binom.logpmf(np.arange(M + 1), M, rate)
        at_most, at_least = np.logaddexp.accumulate(log_pmf), np.logaddexp.accumulate(log_pmf[::-1])[::-1]
        n_at_most = np.cumsum(np.bincount(row, minlength=M + 1))  # features with at most h selections
        for column, (low, high) in enumerate(zip(most_out, least_in, strict=True)):
            n_in, n_out = d - n_at_most[high - 1], n_at_most[low]
            n_rest = d - n_in - n_out
            score = -n_in * at_least[high] - n_out * at_most[low]
            if n_rest:
                score -= n_rest * np.logaddexp.reduce(log_pmf[low + 1 : high])
            scores[place, column] = score
    return scores


register_rule(CalibratedRule())
