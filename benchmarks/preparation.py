"""What is gained on paper by preparing a table before it is resampled: `python -m benchmarks.preparation`.

The classes of every data set are drawn without regard to the values, so that no model is right more often than by
chance: 50% of the left-out rows. What is above that is optimism. Each preparation is done once on all rows, before the
runs, and once inside them; everything else, the resamples too, is the same.
"""

from __future__ import annotations

import sys

import numpy as np
from sklearn.feature_selection import SelectKBest, f_classif
from sklearn.pipeline import make_pipeline

import steadyset as st
from steadyset.runner.preparation import read_preparation

ROWS, FEATURES, GAPS = 60, 1000, 0.1
SCREENED = 50
SELECTOR, DRAWN = "t_test:k=10", st.KFold(5)


def table(seed: int, *, gaps: bool) -> tuple[np.ndarray, np.ndarray]:
    """Values of blocks of related features, and classes that know nothing of them."""
    random = np.random.default_rng(seed)
    shared = np.repeat(random.normal(size=(ROWS, FEATURES // 10)), 10, axis=1)
    X = 2.0 ** (0.7 * shared + 0.7 * random.normal(size=(ROWS, FEATURES)))
    if gaps:
        X[random.random(X.shape) < GAPS] = np.nan
    return X, random.permutation(np.arange(ROWS) % 2)


def accuracies(prepare: object, seed: int) -> tuple[float, float]:
    """The mean accuracy on left-out rows with the preparation before the runs, and inside them."""
    X, y = table(seed, gaps="impute" in str(prepare))
    if isinstance(prepare, str):
        read = read_preparation(prepare, {}, FEATURES, np.flatnonzero(np.isnan(X).any(axis=0)))
        outside = X if read is None else read.transformer.fit_transform(X)
    else:
        outside = prepare.fit_transform(X, y)
    found = [
        st.assess(SELECTOR, data, resampling=DRAWN, random_state=seed, n_jobs=1)
        for data in (st.Data(outside, y), st.Data(X, y, prepare=prepare))
    ]
    return tuple(float(one.scores["accuracy"].mean()) for one in found)


def main(n_sets: int = 40) -> None:
    """Print one row per preparation."""
    screening = make_pipeline(SelectKBest(f_classif, k=SCREENED))
    print(f"{n_sets} data sets of noise: {ROWS} rows, {FEATURES} features, {SELECTOR}; right by chance: 50%")
    for name, prepare in {
        f"the {SCREENED} best of a t-test": screening,
        "log2, scale": "log2, scale",
        "variance=100": "variance=100",
        "impute=median": "impute=median",
    }.items():
        both = np.array([accuracies(prepare, seed) for seed in range(n_sets)])
        mean, error = both.mean(axis=0), both.std(axis=0, ddof=1) / np.sqrt(n_sets)
        told = [f"{100 * m:.1f}% (standard error {100 * e:.1f})" for m, e in zip(mean, error, strict=True)]
        print(f"{name:30} before the runs {told[0]:28} inside them {told[1]}", flush=True)


if __name__ == "__main__":
    main(*(int(number) for number in sys.argv[1:2]))
