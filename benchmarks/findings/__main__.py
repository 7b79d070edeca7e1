"""What tuning for stability too is good for, at the sizes of the papers: `python -m benchmarks.findings`, ten minutes.

Prints the two tables of docs/tuning.md: chapter 8 of Bommert (2020) on blocks of similar features, and table 6.4 of
Nogueira (2018) on redundant features. The test suite runs both on a smaller scale.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator

import numpy as np

import steadyset as st
from benchmarks.coverage.report import table
from steadyset.resampling import Bootstrap
from steadyset.selectors import ElasticNetSelector

N_REPEATS = 20
RULES = {"best": "the likeliest", "weighted:1": "the steadiest", "knee": "knee", "epsilon:0.025,0.1": "epsilon"}


def similar_blocks(repeat: int) -> Iterator[tuple[str, list[float]]]:
    """n = 100, d = 200, 14 similar others: false positives and negatives, size and accuracy of three approaches."""
    train = st.datasets.similar_features(random_state=repeat)
    test = st.datasets.similar_features(10_000, random_state=10_000 + repeat)
    for name in ("adj", "unadj", "acc"):
        tuned = st.tune(
            {"model": {"l0": {"k": list(range(2, 51, 2))}}},
            train.X,
            train.y,
            objectives=("accuracy", "stability"),
            random_state=repeat,
            n_jobs=2,
            search=st.SearchOptions(measure="intersection_count" if name == "adj" else "unadjusted", sampler="grid"),
            execution=st.Execution(progress=False),
        )
        model = tuned.estimator(tuned.choose("best" if name == "acc" else "epsilon")).fit(train.X, train.y)
        selected = np.flatnonzero(model.get_support())
        false = train.false_selections(selected)
        hits = float(np.mean(model.predict(test.X) == test.y))
        yield name, [false.positives, false.negatives, len(selected), hits]


def redundancy(repeat: int) -> Iterator[tuple[str, list[float]]]:
    """rho = 0.8, d = 100: 1000 rows choose the penalty by 30 bootstraps, 1000 others select with it."""
    data = st.datasets.redundant_features(2000, 100, rho=0.8, random_state=repeat)
    result = st.tune(
        {"model": {"lasso": {"penalty": np.geomspace(0.003, 0.15, 12).tolist()}}},
        data.X[:1000],
        data.y[:1000],
        objectives=("log_likelihood", "error", "stability", "n_features"),
        resampling=Bootstrap(30),
        n_jobs=2,
        search=st.SearchOptions(sampler="grid"),
    )
    for rule, name in RULES.items():
        number = result.choose(rule)
        chosen = (
            ElasticNetSelector(result.estimator(number).model.penalty).fit(data.X[1000:], data.y[1000:]).get_support()
        )
        row = result.frame.loc[number]
        yield name, [chosen[50:].sum(), 50 - chosen[:50].sum(), row["error"], row["log_likelihood"], row["stability"]]


def means(experiment: Iterator[tuple[str, list[float]]]) -> Iterator[list[str]]:
    """One row for each name: the means, and the range of the first value."""
    found = defaultdict(list)
    for name, values in experiment:
        found[name].append(values)
    for name, rows in found.items():
        first, *others = np.array(rows, dtype=float).T
        yield [
            name,
            f"{first.mean():.2f} ({first.min():.0f} to {first.max():.0f})",
            *(f"{x.mean():.3f}" for x in others),
        ]


def main() -> None:
    blocks = means(row for repeat in range(100, 100 + N_REPEATS) for row in similar_blocks(repeat))
    print(table(["approach", "false positives", "false negatives", "size", "test accuracy"], blocks), end="\n\n")
    redundant = means(row for repeat in range(200, 200 + N_REPEATS) for row in redundancy(repeat))
    print(table(["lasso", "false positives", "false negatives", "error", "log-likelihood", "stability"], redundant))


if __name__ == "__main__":
    main()
