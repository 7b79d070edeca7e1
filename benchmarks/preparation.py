"""What is gained on paper by preparing a table before it is resampled: `python -m benchmarks.preparation`.

Each preparation is done once on all rows, before the runs, and once inside them; everything else, the resamples too, is
the same, so that the difference of the two scores is what doing it before adds. It is measured on data whose classes
are drawn without regard to the values, where 50% of the left-out rows are right by chance and more is optimism, and on
data in which five features tell of the classes: a step that does not look at the target can do harm only there.
"""

from __future__ import annotations

import sys

import numpy as np
from sklearn.feature_selection import SelectKBest, f_classif
from sklearn.pipeline import make_pipeline

import steadyset as st
from steadyset.runner.preparation import read_preparation

ROWS, FEATURES, GAPS, TELLING = 60, 1000, 0.1, 5
FEWER, SLOW = 50, "impute=iterative"  # features, and a quarter of the data sets, where each gap has its regression
LABELS = "impute=most_frequent"  # on values 0, 1 and 2, as of genotypes: among fractions none is frequent
SCREENED = 50
SELECTOR, DRAWN = "t_test:k=10", st.KFold(5)
STEPS = {
    f"the {SCREENED} best features of a t-test": make_pipeline(SelectKBest(f_classif, k=SCREENED)),
    "impute=median": "impute=median",
    LABELS: LABELS,
    "scale": "scale",
    "log2": "log2",
    "variance=100": "variance=100",
    "impute=knn": "impute=knn",
    SLOW: SLOW,
}


def table(seed: int, *, gaps: bool, n_features: int, telling: int, labels: bool) -> tuple[np.ndarray, np.ndarray]:
    """Values of blocks of related features, and classes that some of them tell of."""
    random = np.random.default_rng(seed)
    shared = np.repeat(random.normal(size=(ROWS, n_features // 10)), 10, axis=1)
    logs = 0.7 * shared + 0.7 * random.normal(size=(ROWS, n_features))
    y = random.permutation(np.arange(ROWS) % 2)
    logs[:, 10 * np.arange(telling)] += y[:, None]
    X = np.digitize(logs, [-0.5, 0.5]).astype(float) if labels else 2.0**logs
    if gaps:
        X[random.random(X.shape) < GAPS] = np.nan
    return X, y


def accuracies(prepare: object, seed: int, telling: int = 0) -> tuple[float, float]:
    """The mean accuracy on left-out rows with the preparation before the runs, and inside them."""
    n_features = FEWER if prepare == SLOW else FEATURES
    gaps, labels = "impute" in str(prepare), prepare == LABELS
    X, y = table(seed, gaps=gaps, n_features=n_features, telling=telling, labels=labels)
    if isinstance(prepare, str):
        read = read_preparation(prepare, {}, n_features, np.flatnonzero(np.isnan(X).any(axis=0)))
        outside = X if read is None else read.transformer.fit_transform(X)
    else:
        outside = prepare.fit_transform(X, y)
    found = [
        st.assess(SELECTOR, data, resampling=DRAWN, random_state=seed, n_jobs=1)
        for data in (st.Data(outside, y), st.Data(X, y, prepare=prepare))
    ]
    return tuple(float(one.scores["accuracy"].mean()) for one in found)


def main(n_sets: int = 40) -> None:
    """Print one row per preparation, as the documentation has it; standard errors in brackets."""
    few = f"{SLOW}: {n_sets // 4} of {FEWER} features"
    print(f"{n_sets} data sets of {ROWS} rows and {FEATURES} features ({few}), {SELECTOR}, {DRAWN}")
    print("| preparation | noise: before | inside | difference | signal: before | inside | difference |")
    print("|---|---|---|---|---|---|---|")
    for name, prepare in STEPS.items():
        cells = []
        for telling in (0, TELLING):
            own = n_sets // 4 if prepare == SLOW else n_sets
            both = np.array([accuracies(prepare, seed, telling) for seed in range(own)])
            both = 100 * np.column_stack([both, both[:, 0] - both[:, 1]])
            error = both.std(axis=0, ddof=1) / np.sqrt(own)
            cells += [f"{mean:.1f} ({se:.1f})" for mean, se in zip(both.mean(axis=0), error, strict=True)]
        print(f"| {name} | {' | '.join(cells)} |", flush=True)


if __name__ == "__main__":
    main(*(int(number) for number in sys.argv[1:2]))
