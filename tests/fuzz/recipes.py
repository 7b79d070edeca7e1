"""A sound call of every public function, which the fuzzing of arguments then spoils."""

from __future__ import annotations

import tempfile
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
from sklearn.linear_model import LogisticRegression

import steadyset as st
from steadyset.plots import Picture

# Plain records of results, which are made by the functions here and check nothing themselves.
RECORDS = frozenset(
    {
        *(
            "Advice",
            "Assessment",
            "BoundRule",
            "Certificate",
            "Comparison",
            "Consensus",
            "Filter",
            "Findings",
            "Interval",
            "Measure",
            "NullExpectation",
        ),
        *("TestResult", "Tuning", "Aggregate", "ElasticNetPath", "ErrorControl", "StableSet", "FalseSelections"),
        *("Simulated", "Selections", "FeatureSimilarity", "InputError", "MissingExtraError", "SteadysetError"),
        *("UndefinedError", "Picture", "RegisteredPicture"),
    }
)


@dataclass(frozen=True)
class Recipe:
    """A function and keyword arguments that it takes; `made` holds those whose value is made for each call."""

    name: str
    call: Callable[..., Any]
    sound: dict[str, Any]


@cache
def runs() -> st.Selections:
    sets = [["a", "b"], ["a", "c"], ["a", "b", "c"], ["b"], ["a", "d"]]
    return st.Selections.from_sets(sets, features=list("abcdef"))


@cache
def weighted() -> st.Selections:
    return runs().with_weights([[0.5 + i for i in range(k)] for k in runs().sizes])


@cache
def alike() -> st.FeatureSimilarity:
    C = np.eye(6) * 0.5 + 0.5
    return st.FeatureSimilarity.from_matrix(C, threshold=0.4, features=list("abcdef"))


@cache
def data() -> tuple[Any, Any]:
    X = np.random.default_rng(0).normal(size=(24, 5))
    return X, (X[:, 0] + X[:, 1] > 0).astype(int)


@cache
def assessed() -> st.Assessment:
    X, y = data()
    return st.assess({"a": st.FilterSelector("anova", k=2)}, X, y, resampling=st.KFold(4), random_state=0)


def recipes() -> list[Recipe]:
    """One or more for every public name that is no record."""
    return [*_measuring(), *_choosing(), *_building(), *_running(), *_selecting(), *_showing()]


def _measuring() -> list[Recipe]:
    common = {"similarity": None, "undefined": "nan", "expectation": "auto", "n_draws": 50, "random_state": 0}
    test = {"alternative": "two-sided", "method": "auto"}
    one, measure = {"selections": runs()}, {"measure": "jaccard"}
    two = {"first": runs(), "second": runs(), "paired": None, "level": 0.9}
    return [
        Recipe("stability", st.stability, one | measure | common | {"mc_error": None}),
        Recipe(
            "stability_table",
            st.stability_table,
            one | common | {"measures": ["dice", "yu"], "level": 0.9, "similarity": alike()},
        ),
        Recipe("null_expectation", st.null_expectation, one | measure | {"n_draws": 50, "random_state": 0}),
        Recipe(
            "confidence_interval",
            st.confidence_interval,
            one | measure | common | {"level": 0.9, "method": "auto", "n_resamples": 100},
        ),
        Recipe("convergence", st.convergence, one | measure | common | {"level": 0.9, "n_runs": [3, 5]}),
        Recipe("runs_needed", st.runs_needed, one | measure | common | {"width": 0.3, "level": 0.9}),
        Recipe("test_threshold", st.test_threshold, one | measure | common | test | {"value": 0.2}),
        Recipe("test_difference", st.test_difference, two | measure | common | test),
        Recipe(
            "compare",
            st.compare,
            measure
            | common
            | {"procedures": {"x": runs(), "y": runs()}, "paired": None, "adjust": "holm", "level": 0.9},
        ),
        Recipe(
            "consensus",
            st.consensus,
            {
                "methods": {"one": runs(), "two": weighted()},
                "aggregate": "borda",
                "backing": 0.5,
                "measure": "jaccard",
                "core": 0.5,
                "level": 0.9,
                "undefined": "nan",
                "n_draws": 50,
                "random_state": 0,
            },
        ),
        Recipe("instability_by_feature", st.instability_by_feature, one | {"similarity": None}),
        Recipe(
            "features_table",
            st.features_table,
            one | {"similarity": alike(), "all_rows": ["a"], "core": 0.5, "level": 0.9, "all": False},
        ),
        Recipe("swap_map", st.swap_map, one | {"similarity": alike()}),
        Recipe(
            "shared_importance", st.shared_importance, {"selections": weighted(), "i": 0, "j": 1, "similarity": alike()}
        ),
        Recipe("get_measure", st.get_measure, {"name": "jaccard"}),
        Recipe("list_measures", st.list_measures, {}),
        Recipe("which_measure", st.which_measure, {"sizes": "vary", "correlated": True, "importances": False}),
        Recipe("list_resamplings", st.list_resamplings, {}),
        Recipe("list_selectors", st.list_selectors, {}),
        Recipe(
            "register_measure", _registered, {"name": "fuzzed", "score": max, "family": "pairwise", "bounds": (0, 1)}
        ),
        Recipe("unregister_measure", _unregistered, {"name": "jaccard"}),
        Recipe("certify", st.certify, {"measure": "jaccard"}),
        Recipe("certificate_table", st.certificate_table, {"measures": ["jaccard"]}),
        Recipe("linear", st.importances.linear, {"coefs": [[1.0, 2.0]], "sd": [1.0, 2.0]}),
    ]


def _choosing() -> list[Recipe]:
    values, directions = [[0.9, 0.5], [0.8, 0.7], [0.7, 0.6]], ["max", "max"]
    two = {"accuracy": [0.9, 0.8, 0.7], "stability": [0.5, 0.7, 0.6], "random_state": 0}
    return [
        Recipe("pareto_front", st.pareto_front, {"values": values, "directions": directions}),
        Recipe("knee", st.knee, {"values": values, "directions": directions, "random_state": 0}),
        Recipe("pa_best", st.pa_best, {"values": values, "directions": directions, "accuracy": 0, "slack": 0.1}),
        Recipe(
            "front_probability",
            st.front_probability,
            {"values": values, "errors": [[0.1, 0.1]] * 3, "directions": directions, "n_draws": 20, "random_state": 0},
        ),
        Recipe(
            "epsilon_constraint",
            st.epsilon_constraint,
            two | {"accuracy_slack": 0.1, "stability_slack": 0.1, "n_features": None},
        ),
        Recipe("harmonic_mean", st.harmonic_mean, two | {"gamma": 1.0}),
        Recipe("weighted_sum", st.weighted_sum, two | {"gamma": 0.5}),
        Recipe(
            "one_standard_error",
            st.one_standard_error,
            {"accuracy": [0.9, 0.8], "accuracy_se": [0.1, 0.1], "n_features": [3, 2], "random_state": 0},
        ),
        Recipe(
            "error_control",
            st.error_control,
            {"d": 50, "q": 5, "threshold": 0.8, "pfer": None, "rule": "meinshausen_buhlmann", "n_runs": 10},
        ),
        Recipe(
            "aggregate",
            st.aggregate,
            {
                "selections": weighted(),
                "method": "threshold",
                "threshold": 0.5,
                "k": None,
                "scale": None,
                "alpha": 0.05,
            },
        ),
    ]


def _building() -> list[Recipe]:
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
        Recipe("FeatureSimilarity.with_threshold", alike().with_threshold, {"threshold": 0.7}),
        Recipe(
            "fifteen_features",
            st.datasets.fifteen_features,
            {"n": 20, "correlations": (0.9, 0.8, 0.7, 0.6), "random_state": 0},
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
        Recipe("from_cross_validate", st.from_cross_validate, read | {"cv_results": {"estimator": halves}}),
        Recipe("from_fitted", st.from_fitted, read | {"fitted": halves, "labels": None}),
        Recipe(
            "from_importances",
            st.from_importances,
            cut | {"importances": [[1.0, 2.0, 0.5, 0.0, 3.0]] * 2, "by": None, "labels": None},
        ),
        Recipe("from_rfecv", st.from_rfecv, {"rfecv": eliminated, "features": list("abcde"), "n_features": 2}),
    ]


def _running() -> list[Recipe]:
    X, y = data()
    splits = {"X": X, "y": y, "groups": None}
    kinds = {
        "Bootstrap": {"n_runs": 3, "stratified": False, "balanced": False},
        "Subsample": {"n_runs": 3, "fraction": 0.5, "stratified": False},
        "ComplementaryPairs": {"n_runs": 4, "stratified": False},
        "KFold": {"n_splits": 3, "repeats": 1, "stratified": False},
        "Chunks": {"n_runs": 3},
        "FixedOverlap": {"n_runs": 4, "overlap": 0.5},
        "NoiseInjection": {"n_runs": 3, "level": 0.1, "target": "values"},
        "LeaveOut": {"size": 4},
    }
    assess = {
        "selectors": ["anova:k=2"],
        "X": X,
        "y": y,
        "resampling": st.KFold(3),
        "all_rows": True,
        "scoring": ["accuracy"],
        "predictor": None,
        "impute": None,
        "on_warning": "record",
        "groups": None,
        "features": None,
        "n_jobs": None,
        "engine": "serial",
        "out": None,
        "resume": True,
        "random_state": 0,
        "runs": None,
        "width": 0.5,
        "max_runs": 4,
        "measure": "nogueira",
        "progress": None,
    }
    tune = {
        "space": {"filter": ["anova"], "fraction": [0.5], "model": {"ridge": {"penalty": [0.1]}}},
        "X": X,
        "y": y,
        "objectives": ["accuracy", "stability"],
        "n_trials": 1,
        "storage": None,
        "sampler": "random",
        "resampling": st.KFold(2),
        "measure": "nogueira",
        "similarity": None,
        "impute": None,
        "on_warning": "record",
        "groups": None,
        "features": None,
        "out": None,
        "resume": True,
        "n_jobs": None,
        "random_state": 0,
        "progress": None,
    }
    approach = {"X": X, "y": y, "resampling": st.KFold(2), "n_jobs": None, "random_state": 0}
    slack = {"accuracy_slack": 0.1, "stability_slack": 0.1}
    return [
        *(Recipe(name, _split(name, list(own)), own | {"random_state": 0} | splits) for name, own in kinds.items()),
        Recipe("assess", st.assess, assess),
        Recipe("tune", st.tune, tune),
        Recipe("approaches.adj", st.approaches.adj, approach | slack | {"sizes": [1, 2], "similarity": None}),
        Recipe("approaches.unadj", st.approaches.unadj, approach | slack | {"sizes": [1, 2]}),
        Recipe("approaches.acc", st.approaches.acc, approach | {"sizes": [1, 2]}),
        Recipe("approaches.stabs", st.approaches.stabs, approach | {"n_trials": 1, "n_halves": 4, "max_q": 2}),
        Recipe(
            "decision_flip",
            st.importances.decision_flip,
            {"model": _Linear(), "X": X[:3], "sd": None, "method": "auto", "step": 0.5, "largest": 5.0, "tol": 1e-3},
        ),
        Recipe("register_filter", st.register_filter, {"record": 0, "replace": False}),
        Recipe("register_rule", st.register_rule, {"rule": 0, "replace": False}),
        Recipe(
            "register_selector",
            st.register_selector,
            {
                **{"name": "lasso", "selector": None, "classes": None, "number": None, "params": None},
                **{"summary": "", "reference": "", "replace": False},
            },
        ),
        Recipe(
            "register_resampling", st.register_resampling, {"name": "kfold", "resampling": st.KFold, "replace": False}
        ),
    ]


SELECTORS: dict[str, dict[str, Any]] = {
    "FilterSelector": {"name": "anova", "k": 2, "fraction": None, "threshold": None, "params": None, "random_state": 0},
    **{key: {"n_steps": 5, "rate": 0.1, "k": None} for key in ("BoostedLinear", "BoostedLogistic")},
    **{
        key: {
            "k": 2,
            "importance": "impurity",
            "n_estimators": 3,
            "max_features": "sqrt",
            "max_depth": 2,
            "random_state": 0,
        }
        for key in ("ForestClassification", "ForestRegression")
    },
    **{
        key: {
            "groups": [0, 0, 1, 1, 2],
            "penalty": 0.1,
            "k": None,
            "n_lambdas": 5,
            "lambda_min_ratio": None,
            "tol": 1e-06,
        }
        for key in ("GroupLinear", "GroupLogistic")
    },
    **{key: {"k": 2, "ridge": 0.01, "n_candidates": 2} for key in ("L0Linear", "L0Logistic")},
    "RecursiveElimination": {"k": 2, "loss": "logistic", "penalty": 0.1, "step": 0.5},
    **{
        key: {
            "penalty": 0.1,
            "k": None,
            "l1_ratio": 1.0,
            "standardise": True,
            "n_lambdas": 5,
            "lambda_min_ratio": None,
            "tol": 1e-06,
        }
        for key in ("SparseLinear", "SparseLogistic")
    },
    "StabilitySelection": {
        "base": None,
        "threshold": 0.8,
        "pfer": None,
        "q": 2,
        "rule": "meinshausen_buhlmann",
        "n_runs": 4,
        "clusters": None,
        "max_features": None,
        "n_lambdas": 5,
        "lambda_min_ratio": 0.1,
        "random_state": 0,
        "n_jobs": None,
    },
}


def _selecting() -> list[Recipe]:
    X, y = data()
    own = [Recipe(name, _fitted(name, list(params)), params | {"X": X, "y": y}) for name, params in SELECTORS.items()]
    path = {
        "X": X,
        "y": y,
        "sample_weight": None,
        "family": "logistic",
        "lambdas": None,
        "n_lambdas": 5,
        "lambda_min_ratio": None,
        "l1_ratio": 1.0,
        "standardise": True,
        "penalty_factors": None,
        "max_features": None,
        "tol": 1e-6,
    }
    return [*own, Recipe("elastic_net_path", st.selectors.elastic_net_path, path)]


def _showing() -> list[Recipe]:
    return [
        Recipe("findings_of", st.findings_of, {"result": assessed(), "core": 0.5, "level": 0.9, "choose": None}),
        Recipe(
            "methods_text",
            st.methods_text,
            {"result": assessed(), "format": "latex", "keys": False, "core": 0.5, "level": 0.9, "choose": None},
        ),
        Recipe("report", _reported, {"result": runs(), "path": "page.html", "core": 0.5, "level": 0.9}),
        Recipe(
            "plot.selection_frequencies", st.plot.selection_frequencies, {"selections": runs(), "top": 3, "core": 0.5}
        ),
        Recipe(
            "plot.convergence",
            st.plot.convergence,
            {
                "selections": runs(),
                "measure": "nogueira",
                "width": 0.2,
                "shuffle": True,
                "random_state": 0,
                "level": 0.9,
                "similarity": None,
            },
        ),
        Recipe(
            "plot.null_distribution",
            st.plot.null_distribution,
            {"selections": runs(), "measure": "nogueira", "n_draws": 20, "random_state": 0, "similarity": None},
        ),
        Recipe("plot.runs_by_features", st.plot.runs_by_features, {"selections": runs(), "top": 3}),
        Recipe("plot.get_picture", st.plot.get_picture, {"name": "runs_by_features"}),
        Recipe(
            "plot.register_picture",
            st.plot.register_picture,
            {"name": "runs_by_features", "build": Picture, "title": "", "takes": "findings", "needs": ()},
        ),
        Recipe("Assessment.open", st.Assessment.open, {"path": "absent"}),
        Recipe("Assessment.summary", assessed().summary, {"measure": "nogueira", "level": 0.9, "similarity": None}),
        Recipe("Assessment.core", assessed().core, {"threshold": 0.5}),
    ]


def _split(name: str, own: list[str]) -> Callable[..., Any]:
    def split(**given: Any) -> list[Any]:
        params = {key: given[key] for key in (*own, "random_state")}
        drawn = list(getattr(st, name)(**params).split(given["X"], given["y"], given["groups"]))
        for train, test in drawn:
            assert len(train)
            assert not set(train.tolist()) & set(test.tolist())
        return drawn

    return split


def _fitted(name: str, own: list[str]) -> Callable[..., Any]:
    def fitted(**given: Any) -> Any:
        selector = getattr(st.selectors, name)(**{key: given[key] for key in own})
        support = selector.fit(given["X"], given["y"]).get_support()
        assert support.dtype == bool
        return support

    return fitted


def _registered(**given: Any) -> None:
    st.unregister_measure(st.register_measure(**given).name)


def _unregistered(name: Any) -> None:
    if not (isinstance(name, str) and name == "jaccard"):
        st.unregister_measure(name)


def _written(path: Any, layout: Any, spreadsheet_safe: Any) -> None:
    runs().write(_inside(path), layout=layout, spreadsheet_safe=spreadsheet_safe)


def _reported(result: Any, path: Any, core: Any, level: Any) -> None:
    st.report(result, _inside(path), core=core, level=level)


def _inside(path: Any) -> Any:
    """A path below the temporary folder, so that strange texts write nothing elsewhere."""
    if not isinstance(path, (str, Path)):
        return path
    return f"{tempfile.gettempdir()}/{str(path).replace('..', '_').lstrip('/~')}"


class _Linear:
    """A model with a decision function, without a fit."""

    def predict(self, X: Any) -> Any:
        return (np.asarray(X)[:, 0] > 0).astype(int)
