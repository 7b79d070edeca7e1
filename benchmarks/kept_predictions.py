"""What keeping predictions and coefficients costs: `python -m benchmarks.kept_predictions`.

Every run selects features, fits its predictor and scores it; with `predictions=True` it also predicts all rows and puts
that into the run folder. Both take turns in one process, and the ratio is that of their least processor times.
"""

from __future__ import annotations

import tempfile
import time
from pathlib import Path

import numpy as np

import steadyset as st

CASES = (("anova:k=10", 200, 500), ("lasso", 200, 500), ("forest:k=10", 500, 30), ("anova:k=10", 5000, 50))
TURNS, RUNS = 5, 20


def seconds(selector: str, X: np.ndarray, y: np.ndarray, *, predictions: bool) -> float:
    """The processor time of an assessment into a new folder."""
    with tempfile.TemporaryDirectory() as folder:
        execution = st.Execution(engine="serial", progress=False, predictions=predictions)
        begin = time.process_time()
        st.assess(selector, X, y, resampling=st.Bootstrap(RUNS), out=Path(folder) / "runs", execution=execution)
        return time.process_time() - begin


def main() -> None:
    """Print one row per case."""
    print("selector     rows  features  seconds  with predictions  ratio")
    for selector, n, d in CASES:
        random = np.random.default_rng(0)
        X = random.normal(size=(n, d))
        y = (X[:, 0] + random.normal(size=n) > 0).astype(int)
        turns = [[seconds(selector, X, y, predictions=kept) for kept in (False, True)] for _ in range(TURNS)]
        plain, kept = np.min(turns, axis=0)
        print(f"{selector:<11}{n:>6}{d:>10}{plain:>9.2f}{kept:>18.2f}{kept / plain:>7.2f}", flush=True)


if __name__ == "__main__":
    main()
