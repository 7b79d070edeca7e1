"""Where instability comes from: the part of each feature, and which similar features replace each other."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from steadyset.foundation.errors import InputError
from steadyset.inference.runs import runs_with_both
from steadyset.kernels.arrays import Bools, Floats, Ints
from steadyset.measures.options import check_similarity
from steadyset.selections import RunsLike, Selections, as_selections
from steadyset.similarity import FeatureSimilarity

if TYPE_CHECKING:
    import pandas as pd


def instability_by_feature(selections: RunsLike, similarity: FeatureSimilarity | None = None) -> pd.DataFrame:
    """What each feature that is ever selected adds to 1 - nogueira, the largest part first.

    Parameters
    ----------
    selections : Selections or array-like
        The runs, or anything that `Selections.from_matrix` takes: a 0/1 table with one row per run.
    similarity : FeatureSimilarity or None, default=None
        Which features can stand in for each other; the result then says how much of the instability is exchange.

    Returns
    -------
    pandas.DataFrame
        One row per feature: frequency p_f; contribution [M/(M-1) p_f (1-p_f) / d] / [(k̄/d)(1-k̄/d)], which sums to
        1 - stability; share, the same relative to that sum. With a similarity also exchanged, the part of the
        contribution that similar features make up for, - sum over similar g of c(f,g) cov(f,g) on the same scale, and
        remaining = contribution - exchanged.

    Notes
    -----
    For groups of interchangeable features (c = 1) what remains is the variance of the NUMBER of selected features of
    each group: picking another member of the group costs nothing. Features that come and go together have a positive
    covariance, so theirs is exchanged < 0: counting them as one makes the selection less steady than it looked. The
    share of the instability that disappears is exchanged.sum() / contribution.sum().

    Examples
    --------
    >>> import steadyset as st
    >>> sel = st.Selections.from_sets([["a", "b"], ["a", "c"], ["a", "b"]], features=["a", "b", "c", "d"])
    >>> st.instability_by_feature(sel)["contribution"].round(3).to_dict()
    {'b': 0.333, 'c': 0.333, 'a': 0.0}
    """
    import pandas as pd

    runs = _at_least_two(selections)
    M, d = runs.n_runs, runs.n_features
    used = np.flatnonzero(runs.counts)
    p = runs.frequencies[used]
    mean = runs.sizes.sum() / (M * d)
    scale = M / (M - 1) / (d * mean * (1 - mean)) if 0 < mean < 1 else np.nan
    contribution = scale * p * (1 - p)
    total = contribution.sum()
    frame = pd.DataFrame(
        {"frequency": p, "contribution": contribution, "share": contribution / (total if total else 1.0)},
        index=pd.Index([runs.features[f] for f in used], name="feature"),
    )
    if similarity is not None:
        pairs = _similar_pairs(runs, similarity)
        cancelled = pairs.similarity * (pairs.first * pairs.second - pairs.both)
        exchanged = scale * np.bincount(pairs.f, weights=cancelled, minlength=d)[used]
        frame["exchanged"] = exchanged
        frame["remaining"] = contribution - exchanged
    return frame.iloc[np.argsort(-contribution, kind="stable")]


def swap_table(selections: RunsLike, similarity: FeatureSimilarity) -> pd.DataFrame:
    """Which similar features replace each other, the most frequent exchange first.

    Parameters
    ----------
    selections : Selections or array-like
        The runs, or anything that `Selections.from_matrix` takes: a 0/1 table with one row per run.
    similarity : FeatureSimilarity
        Which features are similar.

    Returns
    -------
    pandas.DataFrame
        One row for each pair of similar features that are selected together less often than independence would have it:
        feature and other with their frequencies, their similarity, both (the share of runs with both), covariance (over
        runs, with M-1; negative), and swap_rate, the probability that of two random runs one has only the feature and
        the other only its substitute: 2 n_f n_g / (M (M-1)), n_f the number of runs with f but not g.

    Examples
    --------
    >>> import steadyset as st
    >>> genes = ["BRCA1", "CDK1", "CCNB1", "ESR1"]
    >>> sel = st.Selections.from_sets([["BRCA1", "CDK1"], ["BRCA1", "CCNB1"], ["BRCA1", "CDK1"]], features=genes)
    >>> alike = st.FeatureSimilarity.from_groups({"CDK1": "cycle", "CCNB1": "cycle"}, features=genes)
    >>> st.swap_table(sel, alike)[["feature", "other", "swap_rate"]].round(2)
      feature  other  swap_rate
    0    CDK1  CCNB1       0.67
    """
    import pandas as pd

    runs = _at_least_two(selections)
    M = runs.n_runs
    pairs = _similar_pairs(runs, similarity)
    covariance = M / (M - 1) * (pairs.both - pairs.first * pairs.second)
    rate = 2 * M / (M - 1) * (pairs.first - pairs.both) * (pairs.second - pairs.both)
    keep = np.flatnonzero((covariance < -1e-12) & ((pairs.first > pairs.second) | _tie(pairs)))
    keep = keep[np.lexsort((pairs.g[keep], pairs.f[keep], -rate[keep]))]
    return pd.DataFrame(
        {
            "feature": [runs.features[f] for f in pairs.f[keep]],
            "other": [runs.features[g] for g in pairs.g[keep]],
            "similarity": pairs.similarity[keep],
            "frequency": pairs.first[keep],
            "other_frequency": pairs.second[keep],
            "both": pairs.both[keep],
            "covariance": covariance[keep],
            "swap_rate": rate[keep],
        }
    )


class _Pairs(NamedTuple):
    """Ordered pairs (f, g) of similar features that are both selected somewhere: similarity and frequencies."""

    f: Ints
    g: Ints
    similarity: Floats
    first: Floats
    second: Floats
    both: Floats


def _similar_pairs(runs: Selections, similarity: FeatureSimilarity) -> _Pairs:
    check_similarity(similarity)
    similarity.check(runs)
    indptr, indices, values = similarity.neighbours
    f = np.repeat(np.arange(runs.n_features), np.diff(indptr))
    kept = (runs.counts[f] > 0) & (runs.counts[indices] > 0)
    f, g = f[kept].astype(np.int64), np.asarray(indices)[kept].astype(np.int64)
    together = runs_with_both(runs, f, g) / runs.n_runs
    return _Pairs(f, g, np.asarray(values)[kept], runs.frequencies[f], runs.frequencies[g], together)


def _tie(pairs: _Pairs) -> Bools:
    """Each pair is told once, from its more frequent feature; equal ones from the first."""
    return np.asarray((pairs.first == pairs.second) & (pairs.f < pairs.g))


def _at_least_two(selections: Any) -> Selections:
    runs = as_selections(selections)
    if runs.n_runs < 2:
        raise InputError(f"Stability compares runs: at least 2 are needed, found {runs.n_runs}.")
    return runs
