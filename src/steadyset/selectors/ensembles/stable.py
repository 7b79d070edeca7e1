"""What stability selection found: the stable features with everything that decided on them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

import numpy as np

from steadyset.arguments import wrong_argument
from steadyset.io.labels import text_index
from steadyset.kernels.arrays import Bools, Floats, Ints
from steadyset.selectors.validation import check_choice

if TYPE_CHECKING:
    import pandas as pd

Prior = Literal["jeffreys", "uniform"]
_PRIORS = {"jeffreys": 0.5, "uniform": 1.0}


@dataclass(frozen=True, eq=False)
class StableSet:
    """The features whose frequency reached the threshold.

    support : the selected features (of a selected cluster, those with a weight)
    frequencies : the share of the runs that selected each feature
    q : how many features a run selected at most (on average for "calibrated" and for a base without a size)
    pfer : the bound on the expected number of false selections; of "calibrated" it is that of a level and a threshold
        fixed beforehand
    level : the penalty or size of the path that was read; None where the first q features of each run were, nan where
        the base has no path
    score : the stability score, for "calibrated"
    clusters : the cluster of each feature; cluster_frequencies and selected_clusters belong to these
    weights : the part of each feature in the representative of its cluster, 0 where that is not selected
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

    def intervals(self, names: list[str], level: float, prior: Prior) -> pd.DataFrame:
        """Posterior intervals of the selection probability of each feature."""
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
