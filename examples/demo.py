"""The demonstration: five selectors on 100 bootstraps of data that ships with scikit-learn, ending in a report."""

from __future__ import annotations

import shutil
import sys
from pathlib import Path

from sklearn.datasets import load_breast_cancer

from steadyset.cli import run

FOLDER = Path("demo-output")


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
    return code or run(["report", str(runs), "--out", str(page)])


if __name__ == "__main__":
    sys.exit(main())
