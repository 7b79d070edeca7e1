"""Many runs made into one set of features: by frequency, by rank, or by a test against chance."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from steadyset.foundation.arguments import wrong_argument
from steadyset.foundation.display import Record
from steadyset.foundation.errors import UninformativeWarning, warn_caller
from steadyset.io.labels import text_index
from steadyset.kernels.arrays import Floats, Ints
from steadyset.selections import RunsLike, Selections, as_selections
from steadyset.selectors.validation import check_choice, check_integer, check_number

if TYPE_CHECKING:
    import pandas as pd


@dataclass(frozen=True, eq=False, repr=False)
class Aggregate(Record):
    """The chosen features, best first, and the score of every feature: what `aggregate` gives.

    Attributes
    ----------
    method : str
        How they were chosen.
    indices : array of int
        The chosen features, by index.
    features : tuple of str
        The chosen features, by name.
    scores : array of float of shape (n_features,)
        The score of every feature; the higher the better.
    p_values : array of float or None
        The adjusted p-values of the method "binomial", else None.
    names : tuple of str
        The names of all features.

    Examples
    --------
    >>> import steadyset as st
    >>> genes = ["TP53", "KRAS", "EGFR", "MYC"]
    >>> runs = st.Selections.from_sets([["TP53", "KRAS"], ["TP53", "EGFR"], ["TP53", "KRAS"]], features=genes)
    >>> chosen = st.aggregate(runs, "borda", k=2)
    >>> chosen.features, chosen.scores
    (('TP53', 'KRAS'), array([3.5       , 2.33333333, 1.16666667, 0.        ]))
    """

    method: str
    indices: Ints
    features: tuple[str, ...]
    scores: Floats
    p_values: Floats | None
    names: tuple[str, ...]

    def to_frame(self) -> pd.DataFrame:
        """The scores as a frame.

        Returns
        -------
        pandas.DataFrame
            One row per feature, best first: score, p_value where there is one, selected.
        """
        import pandas as pd

        columns: dict[str, NDArray[Any]] = {"score": self.scores}
        if self.p_values is not None:
            columns["p_value"] = self.p_values
        columns["selected"] = np.isin(np.arange(len(self.scores)), self.indices)
        frame = pd.DataFrame(columns, index=text_index(self.names, "feature"))
        return frame.iloc[np.argsort(-self.scores, kind="stable")]


def aggregate(
    selections: RunsLike,
    method: str = "threshold",
    *,
    threshold: float = 0.5,
    k: int | None = None,
    scale: float | None = None,
    alpha: float = 0.05,
) -> Aggregate:
    """One set of features out of the runs.

    Parameters
    ----------
    selections : Selections or array-like
        The runs, or anything that `Selections.from_matrix` takes: a 0/1 table with one row per run.
    method : str, default="threshold"
        How the features are chosen; see the notes.
    threshold : float, default=0.5
        The share of the runs that "threshold" asks for.
    k : int or None, default=None
        How many features are chosen; None is the mean size of the runs, rounded. Features that no run selected are
        never chosen, unless the runs rank them.
    scale : float or None, default=None
        How fast the score of "exponential" falls with the rank; None is k.
    alpha : float, default=0.05
        The false discovery rate of "binomial".

    Returns
    -------
    Aggregate
        The chosen features, best first, and the score of every feature.

    Notes
    -----
    The methods:

    - "threshold": features that at least a share `threshold` of the runs selected;
    - "top_frequency": the k most often selected;
    - "mean_rank": the k of the best mean rank;
    - "borda": the k with the most points; a run gives the features that it selected d + 1 - rank points, others none;
    - "exponential": the k of the largest mean of exp(-rank / scale);
    - "binomial": features selected more often than chance has it: one-sided binomial tests of the counts
      h ~ Bin(M, k̄/d) at the false discovery rate `alpha`. Runs on overlapping resamples are not independent, so that
      small p-values come more easily than the name says.

    Ranks are those of the Selections (`from_rankings`); else features rank by their absolute weight, or share the mean
    of the ranks 1..k_i where there are none. Features that a run without a ranking did not select share the mean of the
    ranks that remain. Ties in the score go to the feature that comes first.

    References
    ----------
    * Haury, Gestraud and Vert (2011), The influence of feature selection methods on accuracy, stability and
      interpretability of molecular signatures, PLoS ONE 6.
    * Benjamini and Hochberg (1995), Controlling the false discovery rate, JRSS B 57.

    Examples
    --------
    >>> import steadyset as st
    >>> runs = st.Selections.from_sets([["a", "b"], ["b"], ["b", "c"]], features=["a", "b", "c"])
    >>> st.aggregate(runs, "threshold", threshold=0.5).features
    ('b',)
    """
    runs = as_selections(selections)
    check_choice("method", method, tuple(_METHODS))
    size = _size(runs, k)
    p_values = None
    if method == "threshold":
        check_number("threshold", threshold, most=1.0)
        scores = runs.frequencies.copy()
        chosen = scores >= threshold - 1e-12
    elif method == "binomial":
        check_number("alpha", alpha, most=1.0)
        scores = runs.frequencies.copy()
        p_values = _binomial_p_values(runs)
        chosen = p_values <= alpha
    else:
        if scale is not None:
            check_number("scale", scale)
        scores = _SCORES[method](runs, float(max(size, 1) if scale is None else scale))
        chosen = np.zeros(runs.n_features, dtype=np.bool_)
        chosen[np.argsort(-scores, kind="stable")[:size]] = True
        if runs.rankings is None or method in ("top_frequency", "borda"):
            # Nothing but the order of the columns tells features that no run selected apart.
            chosen &= runs.counts > 0
        if k is not None and chosen.sum() < size:
            warn_caller(
                f"Fewer than {k} features were chosen: no run selected any of the others.",
                UninformativeWarning,
            )
    best_first = np.argsort(-scores, kind="stable")
    indices = best_first[chosen[best_first]].astype(np.int64)
    names = tuple(runs.features)
    return Aggregate(method, indices, tuple(names[f] for f in indices), scores, p_values, names)


def _binomial_p_values(runs: Selections) -> Floats:
    """Benjamini-Hochberg adjusted P(H >= h_f), H ~ Bin(M, k̄/d)."""
    from scipy.stats import binom, false_discovery_control  # takes long to import

    rate = runs.sizes.sum() / (runs.n_runs * runs.n_features)
    return np.asarray(false_discovery_control(binom.sf(runs.counts - 1, runs.n_runs, rate), method="bh"))


_SCORES: dict[str, Callable[[Selections, float], Floats]] = {
    "top_frequency": lambda runs, scale: runs.frequencies.copy(),
    "mean_rank": lambda runs, scale: -_mean_over_runs(runs, lambda rank: rank),
    "borda": lambda runs, scale: _mean_over_runs(runs, lambda rank: runs.n_features + 1.0 - rank, all_features=False),
    "exponential": lambda runs, scale: _mean_over_runs(runs, lambda rank: np.exp(-rank / scale)),
}
_METHODS = ("threshold", *_SCORES, "binomial")


def _mean_over_runs(runs: Selections, points: Callable[[Any], Any], *, all_features: bool = True) -> Floats:
    """The mean over runs of the points of each feature's rank; without all_features only where it is selected."""
    d = runs.n_features
    total = np.zeros(d)
    for run in range(runs.n_runs):
        chosen = runs.selected(run)
        if runs.rankings is not None:
            given = points(runs.rankings[run])
            if all_features:
                total += given
            else:
                total[chosen] += given[chosen]
            continue
        others = points((len(chosen) + 1 + d) / 2) if all_features and len(chosen) < d else 0.0
        total += others
        total[chosen] += points(_ranks(runs, run, len(chosen))) - others
    return total / runs.n_runs


def _ranks(runs: Selections, run: int, size: int) -> Floats:
    """Ranks of what a run selected: by |weight| where there are weights, else the mean of 1..size for all."""
    if runs.weights is None:
        return np.full(size, (size + 1) / 2)
    from scipy.stats import rankdata

    weights = runs.weights[runs.indptr[run] : runs.indptr[run + 1]]
    return np.asarray(rankdata(-np.abs(weights)), dtype=np.float64)


def _size(runs: Selections, k: int | None) -> int:
    if k is None:
        return int(np.floor(runs.sizes.mean() + 0.5))
    check_integer("k", k, least=1)
    if k > runs.n_features:
        raise wrong_argument("k", f"at most {runs.n_features}, the number of features", k)
    return int(k)
