"""The demonstration: how steady five selectors are, then lists of features with a stated error, each with its report.

The first data set ships with scikit-learn. The second is generated, so that its list can be held against the truth.
"""

from __future__ import annotations

import shutil
import sys
from pathlib import Path

import numpy as np
import pandas as pd
from sklearn.datasets import load_breast_cancer

from steadyset.cli import run

FOLDER = Path("demo-output")
ROWS, GROUPS, ALIKE, INFORMATIVE = 100, 1000, 5, 20


def main() -> int:
    FOLDER.mkdir(exist_ok=True)
    data, runs, page = FOLDER / "breast-cancer.csv", FOLDER / "runs", FOLDER / "report.html"
    X, y = load_breast_cancer(return_X_y=True, as_frame=True)
    X.assign(diagnosis=y.map({0: "malignant", 1: "benign"})).to_csv(data, index=False)
    shutil.rmtree(runs, ignore_errors=True)
    selectors = ["lasso:k=5", "elastic_net:k=5", "jmi:k=5", "anova:k=5", "forest:k=5,n_estimators=100"]
    chosen = [word for selector in selectors for word in ("--selector", selector)]
    scores = ["--score", "accuracy", "--score", "auc"]
    code = run(["assess", str(data), "--target", "diagnosis", *chosen, *scores, "--runs", "100", "--out", str(runs)])
    code = code or run(["report", str(runs), "--out", str(page)])
    print("\nA list with a stated error, of the same data:\n")
    code = code or listed(data, "diagnosis", "--outer", "5", "--permutations", "20")
    print("\nThe same of a generated array, where the truth is known:\n")
    code = code or listed(generated_array(), "status", "--outer", "0", "--permutations", "20", "--splits", "25")
    return code or held_against_the_truth()


def listed(data: Path, target: str, *options: str) -> int:
    """The shortlist of a data file, and its report."""
    folder = FOLDER / f"{data.stem}-list"
    shutil.rmtree(folder, ignore_errors=True)
    code = run(["shortlist", str(data), "--target", target, *options, "--out", str(folder)])
    return code or run(["report", str(folder), "--out", str(FOLDER / f"{data.stem}-list.html")])


def generated_array() -> Path:
    """100 rows of two classes and 5,000 features in groups of five that are alike; one feature of 20 groups differs."""
    random = np.random.default_rng(20)
    common = np.repeat(random.normal(size=(ROWS, GROUPS)), ALIKE, axis=1)
    X = np.sqrt(0.6) * common + np.sqrt(0.4) * random.normal(size=common.shape)
    ill = np.arange(ROWS) % 2 == 1
    names = [f"g{group}.{member}" for group in range(GROUPS) for member in range(ALIKE)]
    X[np.ix_(ill, np.arange(INFORMATIVE) * ALIKE)] += np.linspace(1.4, 0.8, INFORMATIVE)
    table = pd.DataFrame(X.round(4), columns=names).assign(status=np.where(ill, "ill", "well"))
    path = FOLDER / "generated.parquet"
    table.to_parquet(path)
    return path


def held_against_the_truth() -> int:
    """Say how many of the listed features differ between the classes, which the generator knows."""
    names = (FOLDER / "generated-list" / "shortlist.txt").read_text(encoding="utf-8").split()
    true = {f"g{group}.0" for group in range(INFORMATIVE)}
    print(
        f"\nThe truth: {INFORMATIVE} of {GROUPS * ALIKE:,} features differ. The list names {len(true & set(names))} of "
        f"them, and {len(set(names) - true)} that do not."
    )
    return 0


if __name__ == "__main__":
    sys.exit(main())
