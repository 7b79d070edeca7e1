"""Filters on many bootstraps: weight matrices against a loop of scikit-learn's scores on copied rows."""

import time
from collections.abc import Callable
from typing import Any
from unittest.mock import patch

import numpy as np
from sklearn.feature_selection import f_classif, f_regression, mutual_info_classif
from sklearn.metrics import mutual_info_score

from steadyset.kernels.scores import insert_best, top
from steadyset.selectors.filters import ranked
from steadyset.selectors.filters.greedy import Coded
from steadyset.selectors.filters.tables import discretised_blocks

TITLE = "Filters"
N_ROWS, N_RUNS, TOP = 100, 100, 20
REPEATS = 7


def binned(X):
    """The bins of equal width of all features, as filters make them."""
    blocks = discretised_blocks(X, np.zeros((1, len(X)), np.int64), np.ones((1, len(X))), "equal_width")
    return np.concatenate([block.codes for block in blocks]).T


def rows() -> list[dict[str, Any]]:
    """One row for each case and size, with seconds of both sides in the same process and their ratio."""
    sizes = (2_000, 6_000, 20_000)
    tests = [
        top_sets(name, d, copied_f_classif, n_runs=4, n_jobs=n_jobs)
        for name in ("anova", "t_test")
        for n_jobs in (1, -1)
        for d in sizes
    ]
    information = [top_sets("mim", d, copied_mutual_info, n_runs=1, n_features=200) for d in sizes]
    numbers = [top_sets("anova", d, copied_f_regression, n_runs=4, number=True) for d in sizes]
    whole = [whole_ranking(d) for d in (2_000, 8_000, 32_000)]
    steps = [greedy(d) for d in (1_000, 3_000, 10_000)] + [long_greedy(d) for d in (1_000, 3_000, 7_129)]
    return tests + numbers + information + steps + whole


def top_sets(
    name: str,
    d: int,
    theirs: Callable[..., object],
    *,
    n_runs: int,
    n_features: int | None = None,
    n_jobs: int = 1,
    number: bool = False,
) -> dict[str, Any]:
    """Top-20 sets of 100 bootstraps of 100 rows; scikit-learn gets a part of the work, scaled to all of it."""
    X, y, weights = bootstraps(N_ROWS, d, N_RUNS)
    y = X[:, 0] + y if number else y
    part = X[:, :n_features]
    ranked(name, X[:, :TOP], y, weights[:2], k=TOP).best(TOP)
    ours_s, theirs_s = side_by_side(
        lambda: ranked(name, X, y, weights, k=TOP, n_jobs=n_jobs).best(TOP),
        lambda: [theirs(part, y, weight) for weight in weights[:n_runs]],
    )
    scaled = theirs_s * N_RUNS / n_runs * d / part.shape[1]
    note = f"scikit-learn on {n_runs} of {N_RUNS} resamples and {part.shape[1]} features, scaled"
    threads = "one thread" if n_jobs == 1 else "all cores"
    target = " of a number" if number else ""
    return row(f"{name}{target}, {N_RUNS} bootstraps, {threads}", f"n={N_ROWS}, d={d}", ours_s, scaled, note)


def greedy(n_features: int, n_rows: int = 200, k: int = 20, sample: int = 50) -> dict[str, Any]:
    """JMI with 20 features on one bootstrap; the naive way scores a sample of one step's candidates, scaled to all."""
    X, y, weights = bootstraps(n_rows, n_features, 1)
    ranked("jmi", X[:, :k], y, weights, k=2).best(2)
    copies = np.repeat(np.arange(n_rows), weights[0])
    codes = binned(X[copies])
    ours_s, theirs_s = side_by_side(
        lambda: ranked("jmi", X, y, weights, k=k).best(k),
        lambda: [mutual_info_score(y[copies], codes[:, j] * 10 + codes[:, 0]) for j in range(sample)],
    )
    note = f"mutual_info_score on {sample} candidates of one step, scaled to {k - 1} steps"
    return row(
        "jmi k=20, 1 bootstrap", f"n={n_rows}, d={n_features}", ours_s, theirs_s * n_features / sample * (k - 1), note
    )


def long_greedy(n_features: int, n_rows: int = 49, share: float = 0.42) -> dict[str, Any]:
    """JMI that keeps 42% of the features, as tuning asks for, beside the kernel that takes weights of any kind."""
    X, y, weights = bootstraps(n_rows, n_features, 1)
    k = round(share * n_features)
    with_any_weights = patch.object(Coded, "whole", None)

    def theirs() -> None:
        with with_any_weights:
            ranked("jmi", X, y, weights, k=k).best(k)

    ranked("jmi", X[:, :20], y, weights, k=2).best(2)
    ours_s, theirs_s = side_by_side(lambda: ranked("jmi", X, y, weights, k=k).best(k), theirs, repeats=2)
    return row(f"jmi, {share:.0%} of the features", f"n={n_rows}, d={n_features}", ours_s, theirs_s, "counts as floats")


def whole_ranking(d: int) -> dict[str, Any]:
    """Ranking all features, as tuning asks for: sorted, against a list of the best that grows to all of them."""
    scores = np.random.default_rng(0).normal(size=(2, d))
    insert_best(scores[:, :TOP], TOP)
    ours_s, theirs_s = side_by_side(lambda: top(scores, d), lambda: insert_best(scores, d))
    return row("ranking of all features, 2 resamples", f"d={d}", ours_s, theirs_s, "the list that serves few features")


def copied_f_regression(X: np.ndarray, y: np.ndarray, weight: np.ndarray) -> np.ndarray:
    """The naive way for a number: copy rows, score, sort."""
    copies = np.repeat(np.arange(len(y)), weight)
    return np.argsort(-f_regression(X[copies], y[copies])[0], kind="stable")[:TOP]


def copied_f_classif(X: np.ndarray, y: np.ndarray, weight: np.ndarray) -> np.ndarray:
    """The naive way: copy rows, score, sort."""
    copies = np.repeat(np.arange(len(y)), weight)
    return np.argsort(-f_classif(X[copies], y[copies])[0], kind="stable")[:TOP]


def copied_mutual_info(X: np.ndarray, y: np.ndarray, weight: np.ndarray) -> np.ndarray:
    """The naive way: copy rows, bin, score, sort."""
    copies = np.repeat(np.arange(len(y)), weight)
    scores = mutual_info_classif(binned(X[copies]), y[copies], discrete_features=True)
    return np.argsort(-scores, kind="stable")[:TOP]


def bootstraps(n_rows: int, n_features: int, n_runs: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Noise, two classes, and bootstraps as counts of rows."""
    rng = np.random.default_rng(0)
    draws = rng.integers(0, n_rows, (n_runs, n_rows))
    weights = np.stack([np.bincount(draw, minlength=n_rows) for draw in draws])
    return rng.normal(size=(n_rows, n_features)), rng.integers(0, 2, n_rows), weights


def side_by_side(
    ours: Callable[[], object], theirs: Callable[[], object], repeats: int = REPEATS
) -> tuple[float, float]:
    """Least seconds of both, measured in turns: what the work costs when other programs leave the machine alone."""
    times = [(seconds(ours), seconds(theirs)) for _ in range(repeats)]
    ours_s, theirs_s = np.min(times, axis=0)
    return float(ours_s), float(theirs_s)


def seconds(call: Callable[[], object]) -> float:
    start = time.perf_counter()
    call()
    return time.perf_counter() - start


def row(case: str, size: str, ours_s: float, theirs_s: float, note: str) -> dict[str, Any]:
    return {
        "case": case,
        "size": size,
        "ours_s": ours_s,
        "theirs_s": theirs_s,
        "ratio": theirs_s / ours_s,
        "note": note,
    }


if __name__ == "__main__":
    print(f"{'case':36} {'size':16} {'ours s':>8} {'theirs s':>9} {'ratio':>7}  note")
    for line in rows():
        numbers = f"{line['ours_s']:8.3f} {line['theirs_s']:9.2f} {line['ratio']:7.0f}"
        print(f"{line['case']:36} {line['size']:16} {numbers}  {line['note']}")
