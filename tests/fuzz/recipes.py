"""A sound call of every public function, which the fuzzing of arguments then spoils."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from tests.fuzz.building import building
from tests.fuzz.materials import (
    Recipe,
    alike,
    assessed,
    data,
    inside,
    listed,
    runs,
    stable,
    studied,
    timed,
    tuned,
    weighted,
)

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
            "Data",
            "Filter",
            "Findings",
            "Inspection",
            "Interval",
            "Measure",
            "NullExpectation",
            "PredictionAgreement",
            "Replication",
            "StudyComparison",
            "ExplanationStability",
            "Shortlist",
            "VarianceSplit",
        ),
        *(
            "ChoiceRule",
            "register_choice",
            "Space",
            "TestResult",
            "Tuning",
            "Aggregate",
            "ElasticNetPath",
            "ElasticNetPaths",
            "ErrorControl",
            "StableSet",
            "FalseSelections",
        ),
        *("Simulated", "Selections", "FeatureSimilarity", "InputError", "MissingExtraError", "SteadysetError"),
        *("UndefinedError", "Picture", "RegisteredPicture"),
    }
)


def recipes() -> list[Recipe]:
    """One or more for every public name that is no record."""
    return [*_measuring(), *_choosing(), *building(), *_running(), *_selecting(), *_showing(), *_timing()]


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
        Recipe("convergence_table", st.convergence_table, one | measure | common | {"level": 0.9, "n_runs": [3, 5]}),
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
                "directions": {"a": "higher in b"},
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
        Recipe("swap_table", st.swap_table, one | {"similarity": alike()}),
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
        Recipe("knee", st.choose.knee, {"values": values, "directions": directions, "random_state": 0}),
        Recipe("pa_best", st.choose.pa_best, {"values": values, "directions": directions, "accuracy": 0, "slack": 0.1}),
        Recipe(
            "front_probability",
            st.front_probability,
            {"values": values, "errors": [[0.1, 0.1]] * 3, "directions": directions, "n_draws": 20, "random_state": 0},
        ),
        Recipe(
            "epsilon_constraint",
            st.choose.epsilon_constraint,
            two | {"accuracy_slack": 0.1, "stability_slack": 0.1, "n_features": None},
        ),
        Recipe("harmonic_mean", st.choose.harmonic_mean, two | {"gamma": 1.0}),
        Recipe(
            "smallest_within_margins",
            st.choose.smallest_within_margins,
            two | {"n_features": [3, 5, 2], "accuracy_margin": 0.1, "stability_margin": 0.1},
        ),
        Recipe("best_accuracy", st.choose.best_accuracy, {"accuracy": [0.9, 0.8], "random_state": 0}),
        Recipe("weighted_sum", st.choose.weighted_sum, two | {"gamma": 0.5}),
        Recipe(
            "one_standard_error",
            st.choose.one_standard_error,
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


def _sets() -> st.Selections:
    """Return runs on the features of `data`."""
    return st.Selections.from_sets([[0, 1], [0, 2], [1, 2, 3]], n_features=5)


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
        "scoring": ["accuracy"],
        "predictor": None,
        "cut": {"top": 2, "threshold": None},
        "n_jobs": None,
        "out": None,
        "random_state": 0,
        "n_runs": None,
        "execution": {"engine": "serial"},
        "importance": None,
    }
    tune = {
        "space": {"filter": ["anova"], "fraction": [0.5], "model": {"ridge": {"penalty": [0.1]}}},
        "X": X,
        "y": y,
        "objectives": ["accuracy", "stability"],
        "n_trials": 1,
        "storage": None,
        "search": {"sampler": "random", "measure": "nogueira", "similarity": None},
        "resampling": st.KFold(2),
        "out": None,
        "n_jobs": None,
        "random_state": 0,
        "nested": None,
        "execution": None,
    }
    shortlist = {
        **{"X": X, "y": y, "false": 1.0, "fdr": None, "bases": ["filter"], "strata": None, "permutations": 20},
        **{"splits": 10, "outer": 0, "minutes": None, "n_jobs": None, "out": None, "random_state": 0},
        "execution": None,
    }
    replication = {
        **{"selector": "anova:k=2", "X": np.tile(X, (4, 1)), "y": np.tile(y, 4), "pairs": 10, "cut": None},
        **{"n_jobs": None, "out": None, "random_state": 0, "execution": None},
    }
    studies = {
        **{
            "selector": "anova:k=2",
            "studies": {"A": (X, y), "B": (X + 1, y)},
            "scoring": None,
            "pairs": 10,
            "cut": None,
        },
        **{"n_jobs": None, "out": None, "random_state": 0, "execution": None},
    }
    explained = {
        **{"values": np.ones((3, 4, 5)) * np.arange(5.0), "k": 2, "features": None, "rows": None},
        **{"measure": "nogueira", "level": 0.95},
    }
    split = {
        **{"selectors": ["anova:k=2"], "X": X, "y": y, "seeds": 2, "resampling": "bootstrap:n_runs=12", "cut": None},
        **{"n_jobs": None, "out": None, "random_state": 0, "execution": None},
    }
    return [
        *(Recipe(name, _split(name, list(own)), own | {"random_state": 0} | splits) for name, own in kinds.items()),
        Recipe("AutoRuns", st.AutoRuns, {"width": 0.5, "max_runs": 4, "measure": "nogueira"}),
        Recipe("Cut", st.Cut, {"top": 2, "threshold": None}),
        Recipe(
            "Execution",
            st.Execution,
            {
                "engine": "serial",
                "resume": True,
                "on_warning": "record",
                "all_rows": True,
                "predictions": False,
                "progress": None,
            },
        ),
        Recipe("SearchOptions", st.SearchOptions, {"sampler": "random", "measure": "nogueira", "similarity": None}),
        Recipe("assess", st.assess, assess),
        Recipe(
            "prediction_agreement",
            st.prediction_agreement,
            {
                **{"selections": _sets(), "X": X, "y": y, "predictor": None, "n_splits": 3},
                **{"level": 0.9, "random_state": 0},
            },
        ),
        Recipe("tune", st.tune, tune),
        Recipe("shortlist", st.shortlist, shortlist),
        Recipe("replication", st.replication, replication),
        Recipe("compare_studies", st.compare_studies, studies),
        Recipe("explanation_stability", st.explanation_stability, explained),
        Recipe("variance_split", st.variance_split, split),
        Recipe(
            "decision_flip",
            st.importances.decision_flip,
            {
                **{"model": _Linear(), "X": X[:3], "sd": None, "method": "auto", "step": 0.5, "largest": 5.0},
                **{"tol": 1e-3, "unflippable": "leave_out", "sample_weight": None},
            },
        ),
        Recipe("register_filter", st.register_filter, {"record": 0, "replace": False}),
        Recipe("register_rule", st.register_rule, {"rule": 0, "replace": False}),
        Recipe(
            "register_selector",
            st.register_selector,
            {
                **{"name": "lasso", "selector": None, "tasks": None, "params": None},
                **{"summary": "", "reference": "", "replace": False},
            },
        ),
        Recipe(
            "register_resampling", st.register_resampling, {"name": "kfold", "resampling": st.KFold, "replace": False}
        ),
    ]


SELECTORS: dict[str, dict[str, Any]] = {
    "FilterSelector": {"name": "anova", "k": 2, "fraction": None, "threshold": None, "params": None, "random_state": 0},
    "BoostingSelector": {"n_steps": 5, "rate": 0.1, "k": None, "task": "classes"},
    "ForestSelector": {
        "k": 2,
        "task": "classes",
        "importance": "impurity",
        "n_estimators": 3,
        "max_features": "sqrt",
        "max_depth": 2,
        "random_state": 0,
    },
    "GroupLassoSelector": {
        "groups": [0, 0, 1, 1, 2],
        "penalty": 0.1,
        "k": None,
        "task": "classes",
        "n_lambdas": 5,
        "lambda_min_ratio": None,
        "tol": 1e-06,
    },
    "L0Selector": {"k": 2, "ridge": 0.01, "n_candidates": 2, "task": "classes"},
    "RecursiveElimination": {"k": 2, "loss": "logistic", "penalty": 0.1, "step": 0.5, "row_weights": "equal"},
    "ElasticNetSelector": {
        "penalty": 0.1,
        "k": None,
        "task": "classes",
        "l1_ratio": 1.0,
        "standardise": True,
        "n_lambdas": 5,
        "lambda_min_ratio": None,
        "tol": 1e-06,
    },
    "ShortlistSelector": {
        **{"false": 1.0, "fdr": None, "bases": ["filter"], "permutations": 20, "splits": 10, "task": "classes"},
        **{"n_jobs": None, "random_state": 0},
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
        "grouped": False,
        "penalty_factors": None,
        "max_features": None,
        "tol": 1e-6,
    }
    many = {name: value for name, value in path.items() if name != "sample_weight"}
    return [
        *own,
        Recipe("elastic_net_path", st.selectors.elastic_net_path, path),
        Recipe(
            "elastic_net_paths",
            st.selectors.elastic_net_paths,
            many | {"weights": np.ones((2, len(y))), "n_jobs": 1},
        ),
    ]


def _timing() -> list[Recipe]:
    rows = {"time": [5, 8, 12, 20], "event": [1, 1, 0, 1]}
    risk = rows | {"risk": [2.0, 0.5, 0.7, 0.1], "weights": None}
    curves = rows | {"survival": [[0.1, 0.0], [0.6, 0.3], [0.7, 0.4], [0.9, 0.6]], "at": [6, 10], "weights": None}
    one = rows | {"survival": [0.2, 0.3, 0.7, 0.9], "at": 10.0, "n_groups": 2}
    X, y = data()
    target = np.column_stack([1.0 + np.arange(len(y)), y])
    cox = {"penalty": 1.0, "ties": "efron", "X": X, "y": target}
    return [
        Recipe("Survival", st.Survival, rows),
        Recipe("CoxModel", _hazards, cox),
        Recipe("harrell", st.scores.harrell, risk | {"until": 12.0}),
        Recipe("uno", st.scores.uno, risk | {"until": None}),
        Recipe("time_auc", st.scores.time_auc, risk | {"at": [6, 10]}),
        Recipe("brier", st.scores.brier, curves),
        Recipe("integrated_brier", st.scores.integrated_brier, curves),
        Recipe("kaplan_meier", st.scores.kaplan_meier, rows | {"weights": None}),
        Recipe("logrank", st.scores.logrank, rows | {"groups": [0, 0, 1, 1], "weights": None, "strata": None}),
        Recipe("calibration", st.scores.calibration, one),
    ]


def _showing() -> list[Recipe]:
    X, y = studied()
    two, why = {"A": (X[:24], y[:24]), "B": (X[24:], y[24:])}, ("anova:k=2", X, np.arange(len(y)) % 2)
    both = {"a": runs(), "b": st.Selections.from_sets([["a", "b"], ["a", "c"]] * 3, features=list("abcdef"))}
    return [
        Recipe(
            "findings_of",
            st.findings_of,
            {"result": assessed(), "core": 0.5, "level": 0.9, "margin": 0.1, "choose": None},
        ),
        Recipe(
            "methods_text",
            st.methods_text,
            {"result": assessed(), "format": "latex", "keys": False, "core": 0.5, "level": 0.9, "choose": None},
        ),
        Recipe(
            "report",
            _reported,
            {"result": runs(), "path": "page.html", "core": 0.5, "level": 0.9, "margin": None, "format": "html"},
        ),
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
        Recipe("plot.stability_path", st.plot.stability_path, {"selector": stable(), "top": 3}),
        Recipe("plot.stability_calibration", st.plot.stability_calibration, {"selector": stable()}),
        Recipe(
            "plot.hyperparameter",
            st.plot.hyperparameter,
            {
                "result": tuned(),
                "parameter": "lasso.penalty",
                "score": "accuracy",
                "measure": None,
                "choose": "one_se",
                "level": 0.95,
            },
        ),
        Recipe("plot.tuning_front", st.plot.tuning_front, {"result": tuned(), "choose": "one_se"}),
        Recipe(
            "plot.tuning_parallel",
            st.plot.tuning_parallel,
            {"result": tuned(), "parameters": ["lasso.penalty"], "choose": "one_se"},
        ),
        Recipe("plot.runs_by_features", st.plot.runs_by_features, {"selections": runs(), "top": 3}),
        Recipe("plot.stability_map", st.plot.stability_map, {"selections": runs(), "similarity": alike(), "top": 3}),
        Recipe(
            "plot.importance_flow",
            st.plot.importance_flow,
            {"selections": runs(), "similarity": alike(), "i": 0, "j": 1, "top": 3, "thresholded": False},
        ),
        Recipe("plot.swap_map", st.plot.swap_map, {"selections": runs(), "similarity": alike(), "top": 3}),
        Recipe(
            "plot.similarity_groups", st.plot.similarity_groups, {"selections": runs(), "similarity": alike(), "top": 3}
        ),
        Recipe("plot.core_overlap", st.plot.core_overlap, {"selections": {"a": runs()}, "core": 0.5, "top": 3}),
        Recipe(
            "plot.measure_agreement",
            st.plot.measure_agreement,
            {"selections": runs(), "measures": ["jaccard", "phi"], "similarity": None},
        ),
        Recipe("plot.feature_values", st.plot.feature_values, {"result": assessed(), "top": 3}),
        Recipe("plot.heat_map", st.plot.heat_map, {"result": assessed(), "top": 3}),
        Recipe("plot.sample_map", st.plot.sample_map, {"result": assessed(), "top": 3}),
        Recipe("plot.shared_names", st.plot.shared_names, {"selections": runs(), "top": 3}),
        Recipe("plot.listed_features", st.plot.listed_features, {"result": listed(), "top": 3, "alike": 1}),
        Recipe(
            "plot.stability_by_measure",
            st.plot.stability_by_measure,
            {"result": runs(), "measures": ["nogueira"], "level": 0.9, "similarity": alike()},
        ),
        Recipe("plot.selectors_compared", st.plot.selectors_compared, {"result": both, "what": None, "top": 3}),
        Recipe(
            "plot.accuracy_against_stability",
            st.plot.accuracy_against_stability,
            {"result": assessed(), "score": None, "margin": 0.1},
        ),
        Recipe("plot.risk_groups", st.plot.risk_groups, {"result": timed()}),
        Recipe("plot.risk_calibration", st.plot.risk_calibration, {"result": timed(), "at": 1.0}),
        Recipe("plot.prediction_instability", st.plot.prediction_instability, {"result": timed()}),
        Recipe("plot.calibration_fan", st.plot.calibration_fan, {"result": timed()}),
        Recipe("plot.next_study", st.plot.next_study, {"result": st.replication("anova:k=2", *studied(), pairs=10)}),
        Recipe("plot.study_effects", st.plot.study_effects, {"result": st.compare_studies("anova:k=2", two)}),
        Recipe("plot.disagreement_sources", st.plot.disagreement_sources, {"result": st.variance_split(*why)}),
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
        home = st.selectors if hasattr(st.selectors, name) else st
        selector = getattr(home, name)(**{key: given[key] for key in own})
        support = selector.fit(given["X"], given["y"]).get_support()
        assert support.dtype == bool
        return support

    return fitted


def _hazards(**given: Any) -> Any:
    return st.CoxModel(given["penalty"], ties=given["ties"]).fit(given["X"], given["y"]).predict(given["X"])


def _registered(**given: Any) -> None:
    st.unregister_measure(st.register_measure(**given).name)


def _unregistered(name: Any) -> None:
    if not (isinstance(name, str) and name == "jaccard"):
        st.unregister_measure(name)


def _reported(result: Any, path: Any, core: Any, level: Any, margin: Any, format: Any) -> None:
    st.report(result, inside(path), core=core, level=level, margin=margin, format=format)


class _Linear:
    """A model with a decision function, without a fit."""

    def predict(self, X: Any) -> Any:
        return (np.asarray(X)[:, 0] > 0).astype(int)
