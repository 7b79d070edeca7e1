"""What stability selection found: the stable features with everything that decided on them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from steadyset.foundation.arguments import wrong_argument
from steadyset.foundation.display import MOST_ROWS, Bar, Display, Shown, Table
from steadyset.foundation.text import counted, expected_count, percent
from steadyset.io.labels import text_index
from steadyset.kernels.arrays import Bools, Floats, Ints
from steadyset.selectors.validation import check_choice

if TYPE_CHECKING:
    import pandas as pd

Prior = Literal["jeffreys", "uniform"]
_PRIORS = {"jeffreys": 0.5, "uniform": 1.0}


@dataclass(frozen=True, eq=False, repr=False)
class StableSet(Shown):
    """The features whose frequency reached the threshold: what stability selection comes to.

    Attributes
    ----------
    rule : str
        The rule that decided.
    threshold : float
        The frequency from which a feature was kept.
    pfer : float
        The bound on the expected number of false selections; of "calibrated" it is that of a level and a threshold
        fixed beforehand.
    q : float
        How many features a run selected at most (on average for "calibrated" and for a base without a size).
    level : float or None
        The penalty or size of the path that was read; None where the first q features of each run were, nan where the
        base has no path.
    score : float or None
        The stability score, for "calibrated".
    n_runs : int
        How many runs there were.
    support : array of bool
        The selected features (of a selected cluster, those with a weight).
    frequencies : array of float
        The share of the runs that selected each feature.
    clusters : array of int
        The cluster of each feature.
    cluster_frequencies : array of float
        The share of the runs that selected each cluster.
    selected_clusters : array of bool
        The clusters that were kept.
    weights : array of float
        The part of each feature in the representative of its cluster, 0 where that is not selected.
    n_tied : int
        Kept features that only the order of the columns made frequent enough.
    n_short : int
        How many runs selected fewer than q features.
    notes : tuple of str
        What has to be known about the result: copies of rows, features that give the target away, tiny classes, ties,
        runs with fewer features, and where the rule failed on real data.
    void : str
        Why the bound does not hold; empty where nothing speaks against it.
    names : tuple of str
        The names of the features.

    Examples
    --------
    >>> import steadyset as st
    >>> from sklearn.datasets import load_diabetes
    >>> X, y = load_diabetes(return_X_y=True)
    >>> selector = st.StabilitySelection(n_runs=50, random_state=0).fit(X, y)
    >>> strict = selector.select(threshold=0.95, q=4)
    >>> strict.support.nonzero()[0], round(strict.pfer, 2)
    (array([2, 8]), 1.78)
    """

    rule: str
    threshold: float
    pfer: float
    q: float
    level: float | None
    score: float | None
    n_runs: int
    support: Bools
    frequencies: Floats
    clusters: Ints
    cluster_frequencies: Floats
    selected_clusters: Bools
    weights: Floats
    n_tied: int = 0
    n_short: int = 0
    notes: tuple[str, ...] = ()
    void: str = ""
    names: tuple[str, ...] = ()

    def _notes(self, rule: Any, *, tied_runs: int, mean_size: float, asked: float, n_constant: int) -> Iterator[str]:
        """What has to be known about this reading of the runs, in sentences; a run was asked for `asked` features."""
        if tied_runs:
            yield (
                f"In {tied_runs} of {self.n_runs} runs the order of the columns decided between features with equal "
                f"scores; {counted(self.n_tied, 'kept feature')} would not reach the threshold without that."
            )
        if self.n_short:
            yield (
                f"{self.n_short} of {self.n_runs} runs selected fewer than {asked:g} features ({mean_size:.1f} on "
                "average): the others score no better than a constant column."
            )
        if n_constant:
            d = len(self.support)
            yield (
                f"{n_constant:,} of {d:,} features are constant; the bound on false selections counts the other "
                f"{d - n_constant:,}."
            )
        if self.threshold < getattr(rule, "held_from", 0.0):
            yield rule.caution

    def _display(self) -> Display:
        return self.display(self.names or [f"x{f}" for f in range(len(self.support))])

    def display(self, names: Sequence[str]) -> Display:
        """What is shown: the stable features, and the bound.

        Parameters
        ----------
        names : sequence of str
            The names of the features.

        Returns
        -------
        Display
            What a notebook and `print` show.
        """
        kept = np.flatnonzero(self.support)
        order = kept[np.argsort(-self.frequencies[kept], kind="stable")][:MOST_ROWS]
        rows = [(str(names[f]), float(self.frequencies[f]), Bar(float(self.frequencies[f]))) for f in order]
        summary = (
            f"{len(kept)} of {counted(len(self.support), 'feature')}, selected in at least "
            f"{percent(self.threshold)} of {counted(self.n_runs, 'run')}"
        )
        bound = f"Expected false selections: at most {expected_count(self.pfer)} (rule {self.rule})."
        if self.void:
            bound = f"How many selections are false is not known, because {self.void}."
        left = len(kept) - len(rows)
        more = f"{counted(left, 'more feature')}." if left else ""
        table = Table(("feature", "share of the runs", ""), rows, more=more)
        notes = [*([bound] if np.isfinite(self.pfer) else []), *self.notes]
        return Display("Stable features", summary, tables=[table], notes=notes)

    def intervals(self, names: list[str], level: float, prior: Prior) -> pd.DataFrame:
        """Posterior intervals of the selection probability of each feature.

        Parameters
        ----------
        names : list of str
            The names of the features.
        level : float
            The probability that an interval holds.
        prior : {"jeffreys", "uniform"}
            The prior.

        Returns
        -------
        pandas.DataFrame
            One row per feature: frequency, low, high, above_threshold, selected.
        """
        import pandas as pd
        from scipy.stats import beta  # takes long to import

        check_choice("prior", prior, tuple(_PRIORS))
        if not (isinstance(level, int | float) and 0 < level < 1):
            raise wrong_argument("level", "a number between 0 and 1", level)
        a = _PRIORS[prior]
        counts = np.rint(self.frequencies * self.n_runs)
        posterior = beta(a + counts, a + self.n_runs - counts)
        return pd.DataFrame(
            {
                "frequency": self.frequencies,
                "low": posterior.ppf((1 - level) / 2),
                "high": posterior.ppf((1 + level) / 2),
                "above_threshold": posterior.sf(self.threshold),
                "selected": self.support,
            },
            index=text_index(names, "feature"),
        )
