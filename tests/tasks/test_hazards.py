"""Cox's model, its statistics, product-limit curves, tests and scores agree with R (survival, pec)."""

import json
from pathlib import Path

import numpy as np
import pytest

import steadyset as st
from steadyset.kernels.hazards import product_limit
from steadyset.selectors.filters.hazards import cox_lr, cox_ranks, cox_score, cox_wald

KNOWN = json.loads((Path(__file__).parents[1] / "oracles" / "survival.json").read_text(encoding="utf-8"))


def cases(kind):
    return pytest.mark.parametrize("case", KNOWN[kind], ids=lambda case: case["id"])


def rows(case):
    given = case["input"]
    time, event = np.array(given["time"], float), np.array(given["event"], float)
    weights = np.array(given["weights"], float) if given.get("weights") else np.ones(len(time))
    return given, time, event, weights, case["expected"]


@cases("cox_univariate")
def test_statistics_of_one_feature(case):
    given, time, event, weights, expected = rows(case)
    y, X = np.column_stack([time, event]), np.array(given["X"])
    for score, name in ((cox_score, "score"), (cox_wald, "wald"), (cox_lr, "lr")):
        np.testing.assert_allclose(score(X, y, weights[None, :])[0], expected[name], rtol=1e-8)


@cases("cox_multivariate")
@pytest.mark.parametrize("ties", ["breslow", "efron"])
def test_models_of_several_features_with_weights_and_strata(case, ties):
    given, time, event, weights, expected = rows(case)
    model = st.CoxModel(0.0, ties=ties).fit(given["X"], st.Survival(time, event), weights, given.get("strata"))
    np.testing.assert_allclose(model.coef_, expected[ties]["beta"], rtol=1e-8)
    np.testing.assert_allclose(model.covariance_, expected[ties]["cov"], rtol=1e-7, atol=1e-10)
    np.testing.assert_allclose(model.null_likelihood_, expected[ties]["loglik0"], rtol=1e-10)
    np.testing.assert_allclose(model.log_likelihood_, expected[ties]["loglik1"], rtol=1e-10)


@cases("baseline_hazard")
@pytest.mark.parametrize("ties", ["breslow", "efron"])
def test_survival_that_is_predicted(case, ties):
    given, time, event, weights, expected = rows(case)
    model = st.CoxModel(0.0, ties=ties).fit(given["X"], st.Survival(time, event), weights)
    np.testing.assert_allclose(
        model.predict_survival(given["new_X"], given["at"]), expected[ties]["survival"], rtol=1e-8, atol=1e-14
    )


@cases("kaplan_meier")
def test_product_limits_of_events_and_of_censoring(case):
    given, time, event, weights, expected = rows(case)
    at = np.array(given["at"])
    curve, free = st.scores.kaplan_meier(time, event, weights), product_limit(time, event, weights, censoring=True)
    np.testing.assert_allclose(curve.at(at), expected["surv"], atol=1e-10)
    errors = np.append(0, curve.errors)[np.searchsorted(curve.times, at, side="right")]
    np.testing.assert_allclose(errors, np.array(expected["std_err_greenwood"], float), atol=1e-10)
    np.testing.assert_allclose(free.at(at), expected["censoring_surv_deaths_first"], atol=1e-10)
    left = expected["censoring_surv_deaths_first_left_limit"]
    np.testing.assert_allclose(free.at(at, before=True), left, atol=1e-10)


@cases("logrank")
def test_log_rank_with_ties_groups_strata_and_copies(case):
    given, time, event, weights, expected = rows(case)
    found = st.scores.logrank(time, event, given["group"], weights, strata=given.get("strata"))
    np.testing.assert_allclose(found, (expected["chisq"], expected["p"]), rtol=1e-8)


@cases("concordance")
def test_concordance_of_harrell_and_uno(case):
    given, time, event, weights, expected = rows(case)
    for score, name in ((st.scores.harrell, "harrell"), (st.scores.uno, "uno")):
        assert score(time, event, given["risk"], weights) == pytest.approx(expected[name]["c"], abs=1e-10)
        for one in expected[f"{name}_tau"]:
            found = score(time, event, given["risk"], weights, until=one["tau"])
            assert found == pytest.approx(one["c"], abs=1e-10)


@cases("brier")
def test_brier_scores(case):
    given, time, event, _, expected = rows(case)
    found = st.scores.brier(time, event, given["survival"], given["at"])
    np.testing.assert_allclose(found, expected["brier"], atol=1e-10)
    whole = st.scores.integrated_brier(time, event, given["survival"], given["at"])
    assert whole == pytest.approx(expected["ibs_trapezoid_over_range"], abs=1e-10)


@cases("calibration")
def test_calibration_of_groups_and_its_slope(case):
    given, time, event, _, expected = rows(case)
    score = np.array(given["lp"])
    slope = st.CoxModel(0.0, ties="efron").fit(score[:, None], st.Survival(time, event)).coef_[0]
    assert slope == pytest.approx(expected["slope"]["efron"], rel=1e-7)
    found = st.scores.calibration(time, event, -score, given["tau"], n_groups=3)
    assert found["observed"].tolist()[::-1] == pytest.approx(expected["km_at_tau_by_group"], abs=1e-9)
    statistic, _ = st.scores.logrank(time, event, expected["group"])
    assert statistic == pytest.approx(expected["logrank_chisq"], rel=1e-7)


def test_a_prediction_on_the_edge_of_two_groups_counts_with_those_of_less_risk():
    # R: table(cut(0:24, c(-Inf, quantile(0:24, 1:2 / 3), Inf))) is 9, 8, 8
    found = st.scores.calibration(np.arange(1, 26), np.ones(25), -np.arange(25.0), 12, n_groups=3)
    assert found["rows"].tolist() == [8, 8, 9]


@cases("degenerate")
def test_what_is_undefined_is_nan_and_limits_are_reached(case):
    given, time, event, weights, expected = rows(case)
    y, X = np.column_stack([time, event]), np.array(given["X"], float)
    found = [float(score(X, y, weights[None, :])[0, 0]) for score in (cox_score, cox_lr)]
    told = [expected.get("score", expected.get("breslow", {}).get("score")), expected.get("lr_limit", 0)]
    if isinstance(told[0], str):
        assert np.isnan(found).all()
    else:
        assert found == pytest.approx(told, abs=1e-8)
    if expected.get("harrell_c") == "undefined":
        assert np.isnan(st.scores.harrell(time, event, X[:, 0]))


def simulated(n=80, d=9, seed=0):
    random = np.random.default_rng(seed)
    X = random.normal(size=(n, d))
    time, end = random.exponential(np.exp(X[:, 1] - X[:, 0])), random.exponential(1.5, n)
    return X, np.column_stack([np.ceil(300 * np.minimum(time, end)), time <= end])


@pytest.mark.parametrize("score", [cox_score, cox_wald, cox_lr, cox_ranks])
def test_weights_equal_copies_and_neither_their_scale_the_unit_nor_the_order_matter(score):
    X, y = simulated()
    counts = np.random.default_rng(1).integers(0, 3, len(y))
    found = score(X, y, counts[None, :].astype(float))[0]
    copies = np.repeat(np.arange(len(y)), counts)
    np.testing.assert_allclose(score(X[copies], y[copies], np.ones((1, len(copies))))[0], found, rtol=1e-9)
    np.testing.assert_allclose(score(X, y, 0.5 * counts[None, :])[0], found / 2, rtol=1e-9)
    order = np.random.default_rng(2).permutation(len(y))
    years = y[order] / [365.25, 1]
    np.testing.assert_allclose(score(X[order], years, counts[None, order].astype(float))[0], found, rtol=1e-9)


def test_the_area_at_a_time_without_censoring_is_that_of_two_classes():
    from sklearn.metrics import roc_auc_score

    X, y = simulated()
    median = np.median(y[:, 0])
    expected = roc_auc_score(y[:, 0] <= median, X[:, 0])
    assert st.scores.time_auc(y[:, 0], np.ones(len(y)), X[:, 0], [median])[0] == pytest.approx(expected)


def test_a_penalty_keeps_a_model_finite_where_the_likelihood_rises_for_ever():
    X = np.array([[2.0], [1.0], [-1.0], [-2.0]])
    y = st.Survival([1, 2, 3, 4], [1, 1, 0, 0])
    assert 0 < st.CoxModel(1.0).fit(X, y).coef_[0] < 2
    assert st.CoxModel(0.0).fit(X, y).score(X, y) == 1.0
