"""How often `tune` recommends a configuration on noise: `python -m benchmarks.tuning_on_noise`.

The target has nothing to do with the features, so that every recommendation is false; at most 5% are allowed. One line
for each resampling, number of configurations and kind of target (some minutes on one core). An argument is the number
of data sets per line.
"""

from __future__ import annotations

import sys
import warnings
from collections.abc import Callable
from typing import Any

import numpy as np

import steadyset as st

N_ROWS, N_FEATURES, N_DATA_SETS = 60, 50, 40
SPACES: dict[int, dict[str, Any]] = {
    1: {"filter": ["anova"], "fraction": [0.1], "model": {"ridge": {}}},
    10: {"filter": ["anova"], "fraction": [0.02, 0.06, 0.1, 0.2, 0.4], "model": {"ridge": {}, "knn": {}}},
    100: {"filter": ["anova"], "fraction": (np.arange(1, 51) / 50).tolist(), "model": {"ridge": {}, "knn": {}}},
}
RESAMPLINGS: dict[str, Callable[[], Any]] = {
    "kfold": lambda: st.KFold(10),
    "stratified": lambda: st.KFold(10, stratified=True),
    "bootstrap": lambda: st.Bootstrap(20),
    "subsample": lambda: st.Subsample(20, fraction=0.8),
    "pairs": lambda: st.ComplementaryPairs(20),
}


def classes(share: float) -> Callable[[np.random.Generator], Any]:
    """Return a function that draws two classes, of which one has this share of the rows."""
    return lambda random: random.permutation((np.arange(N_ROWS) < share * N_ROWS).astype(int))


TARGETS: dict[str, Callable[[np.random.Generator], Any]] = {
    "50:50": classes(0.5),
    "80:20": classes(0.2),
    "95:5": classes(0.05),
    "97:3": classes(1 / 30),
    "number": lambda random: random.normal(size=N_ROWS),
    "times": lambda random: st.Survival(random.exponential(size=N_ROWS) + 0.01, random.random(N_ROWS) < 0.7),
}
OF_TIMES = {"filter": ["anova"], "fraction": [0.02, 0.06, 0.1, 0.2, 0.4], "model": {"lasso": {"k": [1, 3]}}}


def is_recommended(target: str, resampling: str, n_configurations: int, seed: int, **options: Any) -> bool:
    """Return whether a search on noise shows any configuration to predict better than no features."""
    random = np.random.default_rng(seed)
    X = random.normal(size=(N_ROWS, N_FEATURES))
    y = TARGETS[target](random)
    space = OF_TIMES if target == "times" else SPACES[n_configurations]
    found = st.tune(
        space,
        X,
        y,
        search={"sampler": "grid"},
        resampling=RESAMPLINGS[resampling](),
        random_state=seed,
        execution={"progress": False},
        **options,
    )
    return bool((found.least_gains > 0).any())


def main() -> None:
    """Print the number of recommendations of each case."""
    n_data_sets = int(sys.argv[1]) if len(sys.argv) > 1 else N_DATA_SETS
    cases = [("50:50", resampling, 10, {}) for resampling in RESAMPLINGS]
    cases += [("50:50", "kfold", 1, {}), ("50:50", "kfold", 100, {}), ("50:50", "bootstrap", 100, {})]
    cases += [("50:50", "kfold", 10, {"objectives": (one, "stability")}) for one in ("auc", "log_loss", "f1")]
    cases += [(target, "kfold", 10, {}) for target in ("80:20", "95:5", "number", "times")]
    cases += [("number", "bootstrap", 10, {})]
    # Two rows of a class: each run that has a score is trained with one of them.
    cases += [
        ("97:3", resampling, 10, {"objectives": ("auc", "stability")}) for resampling in ("bootstrap", "subsample")
    ]
    warnings.simplefilter("ignore")
    for target, resampling, n_configurations, options in cases:
        seeds = range(n_data_sets)
        hits = sum(is_recommended(target, resampling, n_configurations, seed, **options) for seed in seeds)
        what = options.get("objectives", ("default score",))[0]
        print(
            f"{target:8} {resampling:11} {n_configurations:4} {what:14} {hits} of {n_data_sets} recommended", flush=True
        )


if __name__ == "__main__":
    main()
