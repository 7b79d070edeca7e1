"""A sound call of every function that builds, reads or writes selections, similarities and data."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import numpy as np
from sklearn.linear_model import LogisticRegression
from tests.fuzz.materials import Recipe, alike, data, inside, runs

import steadyset as st


def building() -> list[Recipe]:
    X, _ = data()
    names = list("abcdef")
    return [
        Recipe(
            "Selections.from_sets",
            st.Selections.from_sets,
            {"sets": [["a"], ["b"]], "features": names, "n_features": None, "labels": None},
        ),
        Recipe(
            "Selections.from_matrix",
            st.Selections.from_matrix,
            {"Z": [[0, 1], [1, 0]], "features": ["a", "b"], "labels": None, "transpose": None},
        ),
        Recipe(
            "Selections.from_weights",
            st.Selections.from_weights,
            {"W": [[0, 1.5], [1, 0]], "features": ["a", "b"], "labels": None},
        ),
        Recipe(
            "Selections.from_rankings",
            st.Selections.from_rankings,
            {"R": [["a", "b"], ["b", "a"]], "features": names, "top": 1, "n_features": None, "labels": None},
        ),
        *_from_tools(),
        Recipe("Selections.take", runs().take, {"runs": [0, 1]}),
        Recipe("Selections.with_ties", runs().with_ties, {"tied": [0] * runs().n_runs}),
        Recipe("Selections.with_weights", runs().with_weights, {"rows": [[1.0] * k for k in runs().sizes]}),
        Recipe(
            "Selections.read",
            st.Selections.read,
            {
                **{"path": "absent.csv", "features": None, "n_features": None, "transpose": None, "layout": None},
                **{"top": None, "header": None, "runs": None, "sheet": None, "max_gb": 1.0},
            },
        ),
        Recipe("Selections.write", _written, {"path": "runs.csv", "layout": None, "spreadsheet_safe": False}),
        Recipe(
            "FeatureSimilarity.from_matrix",
            st.FeatureSimilarity.from_matrix,
            {"C": np.eye(3), "threshold": 0.5, "features": None, "diagonal": "check"},
        ),
        Recipe(
            "FeatureSimilarity.from_data",
            st.FeatureSimilarity.from_data,
            {"X": X, "method": "pearson", "threshold": 0.5, "features": None, "bins": 5},
        ),
        Recipe(
            "FeatureSimilarity.from_groups",
            st.FeatureSimilarity.from_groups,
            {"groups": [0, 0, 1], "threshold": 0.5, "features": None, "n_features": None},
        ),
        Recipe(
            "FeatureSimilarity.read",
            st.FeatureSimilarity.read,
            {"path": "absent.csv", "threshold": 0.5, "features": None},
        ),
        Recipe(
            "inspect",
            st.inspect,
            {
                "path": "absent.csv",
                **{"samples": None, "transpose": None, "sheet": None, "samples_sheet": None, "layer": None},
                **{"delimiter": None, "max_gb": 1.0},
            },
        ),
        Recipe(
            "load_data",
            st.load_data,
            {
                "path": "absent.csv",
                "target": "y",
                "samples": None,
                "transpose": None,
                "sheet": None,
                "samples_sheet": None,
                "layer": None,
                "drop": ["a"],
                "keep": ["b"],
                "impute": "median",
                "delimiter": None,
                "groups": None,
                "max_gb": 1.0,
            },
        ),
        Recipe("FeatureSimilarity.with_threshold", alike().with_threshold, {"threshold": 0.7}),
        Recipe(
            "fifteen_features",
            st.datasets.fifteen_features,
            {"n": 20, "correlations": (0.9, 0.8, 0.7, 0.6), "random_state": 0},
        ),
        Recipe(
            "grouped_features",
            st.datasets.grouped_features,
            {
                "q": 3,
                "n": 20,
                "n_groups": 2,
                "n_others": 10,
                "mean": 0.5,
                "other_mean": 0.1,
                "rho": 0.5,
                "random_state": 0,
            },
        ),
        Recipe("redundant_features", st.datasets.redundant_features, {"n": 20, "d": 20, "rho": 0.5, "random_state": 0}),
        Recipe(
            "similar_features",
            st.datasets.similar_features,
            {"n": 20, "d": 40, "kind": "blocks", "n_similar": 4, "random_state": 0},
        ),
    ]


def _from_tools() -> list[Recipe]:
    X, y = data()
    halves = [LogisticRegression().fit(X[start::2], y[start::2]) for start in (0, 1)]
    cut = {"features": list("abcde"), "top": 2, "threshold": None}
    read = cut | {"importance": "gain", "tentative": False}
    ranks = np.array([[1, 2, 3, 4, 5], [1, 1, 2, 3, 4]])
    folds = {f"split{i}_{name}": table for i in (0, 1) for name, table in (("ranking", ranks), ("support", ranks == 1))}
    eliminated = SimpleNamespace(cv_results_={"n_features": [1, 2], **folds}, n_features_=2, n_features_in_=5)
    return [
        Recipe("from_cross_validate", st.Selections.from_cross_validate, read | {"cv_results": {"estimator": halves}}),
        Recipe("from_fitted", st.Selections.from_fitted, read | {"fitted": halves, "labels": None}),
        Recipe(
            "from_importances",
            st.Selections.from_importances,
            cut | {"importances": [[1.0, 2.0, 0.5, 0.0, 3.0]] * 2, "by": None, "labels": None},
        ),
        Recipe("from_rfecv", st.Selections.from_rfecv, {"rfecv": eliminated, "features": list("abcde"), "top": 2}),
    ]


def _written(path: Any, layout: Any, spreadsheet_safe: Any) -> None:
    runs().write(inside(path), layout=layout, spreadsheet_safe=spreadsheet_safe)
