"""Reference values of R (survival, glmnet, limma, pec, ranger): hard cases, and those of a folder where there is one.

The hard cases stand in `tests/oracles`: few times, weights of 0, covariates that are nearly collinear, a rare class.
The folder holds real and simulated data.
"""

import json
import os
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import steadyset as st
from steadyset.kernels.hazards import product_limit
from steadyset.selectors import FilterSelector, elastic_net_path
from steadyset.selectors.filters.hazards import cox_lr, cox_score, cox_wald

GIVEN = Path(os.environ.get("STEADYSET_DATA", "."))
FOLDER = next(
    (place for place in (GIVEN / "survival", GIVEN.parent / "survival") if (place / "oracles").is_dir()), None
)
HARD = json.loads((Path(__file__).parents[1] / "oracles" / "hard_references.json").read_text(encoding="utf-8"))
TIES = ("breslow", "efron")


def cases(kind):
    known = [pytest.param(case, id=case["id"]) for case in HARD.get(kind, [])]
    if FOLDER is None:
        missing = pytest.mark.skip(reason="STEADYSET_DATA names no folder with survival/oracles")
        known.append(pytest.param(None, id="folder", marks=[pytest.mark.data, missing]))
    else:
        path = FOLDER / "oracles" / f"{kind}.json"
        found = json.loads(path.read_text(encoding="utf-8"))["cases"]
        known += [pytest.param(case, id=case["id"], marks=pytest.mark.data) for case in found]
    return pytest.mark.parametrize("case", known)


def read(case):
    """The input with what its data set holds, and weights."""
    given = dict(case["input"])
    if "data" in given:
        frame = pd.read_parquet(FOLDER / given["data"])
        named = {"X": given.get("features"), "time": "time", "event": "event", "group": given.get("group_column")}
        named |= {"risk": given.get("risk_column"), "y": "y"}
        for key, columns in named.items():
            if isinstance(columns, list) or columns in frame:
                given.setdefault(key, frame[columns].to_numpy())
    if "time" in given:
        given["target"] = st.Survival(given["time"], given["event"])
        given["pairs"] = np.column_stack([given["time"], given["event"]]).astype(float)
    rows = len(next(given[key] for key in ("time", "design", "X") if key in given))
    weights = np.ones(rows) if given.get("weights") is None else np.array(given["weights"], float)
    return given, weights, case["expected"]


@cases("cox_univariate")
def test_one_feature_alone_beside_covariates_and_within_strata(case):
    given, weights, expected = read(case)
    X, y = np.array(given["X"], float), given["pairs"]
    beside = np.array(given["Z"], float) if given.get("Z") is not None else np.empty((len(X), 0))
    if given.get("strata") is None:
        options = {"covariates": beside} if beside.shape[1] else {}
        scores = cox_score(X, y, weights[None, :], **options)[0]
        np.testing.assert_allclose(scores, expected["breslow"]["score"], rtol=1e-8)
        for statistic, name in ((cox_wald, "wald"), (cox_lr, "lr")) if not options else ():
            np.testing.assert_allclose(statistic(X, y, weights[None, :])[0], expected["breslow"][name], rtol=1e-8)
    for ties in TIES:
        alone = None
        if beside.shape[1]:
            alone = st.CoxModel(0.0, ties=ties).fit(beside, given["target"], weights, given.get("strata"))
        for feature in range(min(X.shape[1], 20)):
            both = np.column_stack([beside, X[:, feature]])
            model = st.CoxModel(0.0, ties=ties).fit(both, given["target"], weights, given.get("strata"))
            null = model.null_likelihood_ if alone is None else alone.log_likelihood_
            found = {"beta": model.coef_[-1], "se": np.sqrt(model.covariance_[-1, -1])}
            found |= {"wald": (found["beta"] / found["se"]) ** 2, "lr": 2 * (model.log_likelihood_ - null)}
            for name, value in found.items():
                assert value == pytest.approx(expected[ties][name][feature], rel=1e-8), (ties, feature, name)


@cases("cox_multivariate")
@pytest.mark.parametrize("ties", TIES)
def test_models_of_several_features(case, ties):
    given, weights, expected = read(case)
    model = st.CoxModel(0.0, ties=ties).fit(given["X"], given["target"], weights, given.get("strata"))
    np.testing.assert_allclose(model.coef_, expected[ties]["beta"], rtol=1e-8)
    np.testing.assert_allclose(model.covariance_, expected[ties]["cov"], rtol=1e-8)
    np.testing.assert_allclose(model.log_likelihood_, expected[ties]["loglik1"], rtol=1e-10)


@cases("baseline_hazard")
@pytest.mark.parametrize("ties", TIES)
def test_predicted_survival(case, ties):
    given, weights, expected = read(case)
    model = st.CoxModel(0.0, ties=ties).fit(given["X"], given["target"], weights)
    found = model.predict_survival(given["new_X"], given["at"])
    np.testing.assert_allclose(found, expected[ties]["survival"], atol=1e-10)


@cases("kaplan_meier")
def test_product_limits(case):
    given, weights, expected = read(case)
    at, both = np.array(given["at"], float), given["pairs"].T
    np.testing.assert_allclose(st.scores.kaplan_meier(*both, weights).at(at), expected["surv"], atol=1e-10)
    free = product_limit(*both, weights, censoring=True).at(at)
    np.testing.assert_allclose(free, expected["censoring_surv_deaths_first"], atol=1e-10)


@cases("logrank")
def test_log_rank(case):
    given, weights, expected = read(case)
    found = st.scores.logrank(*given["pairs"].T, given["group"], weights, strata=given.get("strata"))
    np.testing.assert_allclose(found, (expected["chisq"], expected["p"]), rtol=1e-8)


@cases("concordance")
def test_concordance(case):
    given, weights, expected = read(case)
    risk = given["risk"] if "risk" in given else given["X"][:, 0]
    for score, name in ((st.scores.harrell, "harrell"), (st.scores.uno, "uno")):
        assert score(*given["pairs"].T, risk, weights) == pytest.approx(expected[name]["c"], abs=1e-10)
        for one in expected[f"{name}_tau"]:
            assert score(*given["pairs"].T, risk, weights, until=one["tau"]) == pytest.approx(one["c"], abs=1e-10)


@cases("brier")
def test_brier(case):
    given, _, expected = read(case)
    both, curves, at = given["pairs"].T, given["survival"], given["at"]
    np.testing.assert_allclose(st.scores.brier(*both, curves, at), expected["brier"], atol=1e-10)
    whole = st.scores.integrated_brier(*both, curves, at)
    assert whole == pytest.approx(expected["ibs_trapezoid_over_range"], abs=1e-10)


@cases("calibration")
def test_calibration(case):
    given, _, expected = read(case)
    score = np.array(given["lp"])
    for ties in TIES:
        slope = st.CoxModel(0.0, ties=ties).fit(score[:, None], given["target"]).coef_[0]
        assert slope == pytest.approx(expected["slope"][ties], rel=1e-8)
    observed = st.scores.calibration(*given["pairs"].T, -score, given["tau"], n_groups=3)["observed"]
    np.testing.assert_allclose(observed.to_numpy()[::-1], expected["km_at_tau_by_group"], atol=1e-10)
    assert st.scores.logrank(*given["pairs"].T, expected["group"])[0] == pytest.approx(expected["logrank_chisq"])


@cases("cox_path")
def test_paths_of_cox(case):
    _compare_path(case)


@cases("forced_path")
def test_paths_beside_free_covariates(case):
    _compare_path(case)


@cases("multinomial_path")
def test_paths_of_several_classes(case):
    _compare_path(case)


def _compare_path(case):
    given, weights, expected = read(case)
    how = case["params"]
    X = np.array(given["X"], float)
    family = {"cox": "cox", "binomial": "logistic", "gaussian": "linear", "multinomial": "multinomial"}[how["family"]]
    y = given["target"] if family == "cox" else np.asarray(given["y"])
    options = {"grouped": True} if how.get("type_multinomial") == "grouped" else {}
    path = elastic_net_path(
        *(X, y, weights),
        family=family,
        lambdas=expected["lambda"],
        l1_ratio=how["alpha"],
        penalty_factors=how["penalty_factor"],
        standardise=how["standardize"],
        **options,
    )
    sd = np.sqrt(np.average((X - np.average(X, axis=0, weights=weights)) ** 2, axis=0, weights=weights))
    wanted = expected.get("support", expected.get("support_any_class"))
    for level, support in enumerate(wanted):
        own = path.coefs[level] if path.coefs[level].ndim == 1 else np.abs(path.coefs[level]).max(axis=0)
        assert np.flatnonzero(own).tolist() == sorted(support)
    if "coef" in expected and family != "multinomial":
        np.testing.assert_allclose(path.coefs * sd, np.array(expected["coef"], float) * sd, atol=1e-6)
    elif "coef" in expected:  # class by class, where the penalty decides between them
        values = np.array(expected["coef"], float).transpose(0, 2, 1) * sd
        decided = np.ones(values.shape[::2], bool)
        for level, feature in expected.get("nonunique_lambda_feature", []):
            decided[level, feature] = False
        free = np.array(how["penalty_factor"]) == 0
        found = path.coefs * sd
        for one in (values, found):
            one[:, :, free] -= one[:, :, free].mean(axis=1, keepdims=True)
        apart = np.abs(found - values).max(axis=1)[decided]
        assert apart.max() < case.get("tolerance", 1e-6)


@cases("limma")
def test_limma(case):
    given, _, expected = read(case)
    design, place = np.array(given["design"], float), given["coef_index"]
    X = np.array(given.get("Y_genes_by_samples", np.transpose(given.get("X", []))), float).T
    beside, y = np.delete(design, [0, place], axis=1), design[:, place].astype(int)
    precisions = np.transpose(given["obs_weights"]) if "obs_weights" in given else None
    options = {"covariates": beside} if beside.shape[1] else {}
    scores = FilterSelector("limma", k=3).fit(X, y, precisions, **options).scores_
    np.testing.assert_allclose(scores, np.array(expected["t"], float) ** 2, rtol=1e-8)


@cases("rsf_band")
def test_forests_order_left_out_rows_as_well_as_ranger(case):
    given, _, expected = read(case)
    X, y = np.array(given["X"], float), given["pairs"]
    forest = st.selectors.ForestSelector(X.shape[1], n_estimators=300, random_state=0, fill=True)
    found = []
    # Of few rows one partition into folds moves the mean by more than the forests differ.
    for seed in (0, 1) if len(X) < 500 else (0,):
        for train, test in st.KFold(10, random_state=seed).split(X, y[:, 1]):
            risk = forest.fit(X[train], y[train]).predict(X[test])
            found.append(st.scores.harrell(*y[test].T, risk))
    assert np.mean(found) == pytest.approx(expected["oob_c_mean"], abs=0.03)
