"""The demonstration: 100 bootstrap runs of a scikit-learn selector, recorded in a file and measured."""

from __future__ import annotations

from pathlib import Path

import numpy as np
from sklearn.datasets import load_breast_cancer
from sklearn.feature_selection import SelectKBest, f_classif

import steadyset as st
from steadyset.cli import run

RUNS, KEPT = 100, 10


def main() -> None:
    X, y = load_breast_cancer(return_X_y=True, as_frame=True)
    chosen = []
    for seed in np.random.SeedSequence(0).spawn(RUNS):
        rows = np.random.default_rng(seed).integers(len(y), size=len(y))
        chosen.append(SelectKBest(f_classif, k=KEPT).fit(X.iloc[rows], y.iloc[rows]).get_support())
    folder = Path("demo-output")
    folder.mkdir(exist_ok=True)
    file = folder / "anova-top10.csv"
    st.Selections.from_matrix(np.array(chosen), features=list(X.columns)).write(file)
    print(f"Wrote {file}: which {KEPT} of {X.shape[1]} features an ANOVA filter keeps in {RUNS} bootstrap samples.\n")
    run(["measure", str(file)])


if __name__ == "__main__":
    main()
