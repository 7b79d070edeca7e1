"""Covariates beside what is selected: R's limma and glmnet agree, and so do partial correlations by hand."""

import json
from pathlib import Path

import numpy as np
import pytest
from sklearn.linear_model import LinearRegression

import steadyset as st
from steadyset.foundation.errors import InputError
from steadyset.selectors import ElasticNetSelector, FilterSelector
from steadyset.selectors.catalogue import with_covariates
from steadyset.selectors.filters.hazards import cox_score

ORACLES = Path(__file__).parents[1] / "oracles"


def cases(name):
    kept = json.loads((ORACLES / name).read_text(encoding="utf-8"))
    return [pytest.param(case, id=case["id"]) for case in kept["cases"]]


@pytest.mark.parametrize("case", cases("limma_designs.json"))
def test_moderated_t_with_batch_and_age_in_the_design_is_limmas(case):
    design, place = np.array(case["design"], dtype=float), case["coef"]
    beside, y = np.delete(design, [0, place], axis=1), design[:, place].astype(int)
    scores = FilterSelector("limma", k=3).fit(np.array(case["Y"]).T, y, covariates=beside).scores_
    np.testing.assert_allclose(scores, np.array(case["t"]) ** 2, rtol=1e-8)


@pytest.mark.parametrize("case", cases("limma_gaps.json"))
def test_missing_values_and_weights_of_single_ones_are_left_to_each_gene_as_by_limma(case):
    X, y = np.array(case["Y"], dtype=float).T, np.array(case["y"])
    precisions = None if case["weights"] is None else np.transpose(case["weights"])
    model = FilterSelector("limma", k=3, task=case["task"]).fit(X, y, precisions, covariates=case["Z"])
    np.testing.assert_allclose(model.scores_, np.array(case["F"], dtype=float), rtol=1e-8)


def test_weights_of_rows_equal_copies_of_them_with_missing_values_too():
    rng = np.random.default_rng(4)
    X, y, beside = rng.normal(size=(24, 250)), np.arange(24) % 3, rng.normal(size=(24, 1))
    X[rng.random(X.shape) < 0.2] = np.nan
    counts = rng.integers(0, 4, 24)
    copied = np.repeat(np.arange(24), counts)
    weighted = FilterSelector("limma").fit(X, y, counts, covariates=beside).scores_
    np.testing.assert_allclose(
        weighted, FilterSelector("limma").fit(X[copied], y[copied], covariates=beside[copied]).scores_, rtol=1e-10
    )
    together = [fit().scores_ for fit in FilterSelector("limma").fit_many(X, y, np.stack([counts, np.ones(24)]))]
    np.testing.assert_allclose(together[0], FilterSelector("limma").fit(X[copied], y[copied]).scores_, rtol=1e-10)
    np.testing.assert_array_equal(together[1], FilterSelector("limma").fit(X, y).scores_)


def test_equal_precisions_change_nothing_and_a_precision_of_0_is_a_missing_value():
    rng = np.random.default_rng(5)
    X, y = rng.normal(size=(20, 30)) * 1e-160, np.arange(20) % 2
    plain = FilterSelector("limma").fit(X, y).scores_
    np.testing.assert_allclose(FilterSelector("limma").fit(X, y, np.ones(X.shape)).scores_, plain, rtol=1e-10)
    gone = rng.random(X.shape) < 0.1
    missing = FilterSelector("limma").fit(np.where(gone, np.nan, X), y).scores_
    np.testing.assert_array_equal(FilterSelector("limma").fit(X, y, (~gone).astype(float)).scores_, missing)


@pytest.mark.parametrize(("shape", "value"), [((6, 2), 1.0), ((6, 3), -1.0), ((6, 3), np.nan)])
def test_weights_of_single_values_must_fit_x(shape, value):
    X, y = np.arange(18.0).reshape(6, 3) ** 2, [0, 1] * 3
    with pytest.raises(
        InputError, match=r"weights of single values must be finite, at least 0 and have the shape of X"
    ):
        FilterSelector("limma").fit(X, y, np.full(shape, value))
    with pytest.raises(InputError, match="weights of single values are not taken"):
        FilterSelector("anova").fit(X, y, np.full(shape, value))


def test_runs_leave_missing_values_to_a_filter_that_takes_them(tmp_path):
    rng = np.random.default_rng(6)
    X, y = rng.normal(size=(40, 12)), np.arange(40) % 2
    X[:, 3] += 3 * y
    X[rng.random(X.shape) < 0.1] = np.nan
    found = st.assess(["limma:k=1"], X, y, resampling=st.Bootstrap(8), random_state=0)
    assert found.selections["limma:k=1"].counts[3] == 8
    with pytest.raises(InputError, match=r"'anova:k=1' cannot take them; fill them within each run"):
        st.assess(["limma:k=1", "anova:k=1"], X, y, resampling=st.Bootstrap(8))
    file = tmp_path / "gaps.csv"
    lines = [
        [*(f"g{f}" for f in range(12)), "ill"],
        *([*("" if np.isnan(v) else v for v in row), c] for row, c in zip(X, y, strict=True)),
    ]
    file.write_text("\n".join(",".join(map(str, line)) for line in lines), encoding="utf-8")
    again = st.assess(
        ["limma:k=1"], st.load_data(file, "ill", impute="leave"), resampling=st.Bootstrap(8), random_state=0
    )
    np.testing.assert_array_equal(again.selections["limma:k=1"].counts, found.selections["limma:k=1"].counts)


@pytest.mark.parametrize("case", cases("forced_paths.json"))
def test_lasso_and_elastic_net_beside_free_covariates_are_glmnets(case):
    X, y, w = np.array(case["X"]), np.array(case["y"]), case["weights"]
    sd = np.sqrt(np.average((X - np.average(X, axis=0, weights=w)) ** 2, axis=0, weights=w))
    task = "classes" if case["family"] == "binomial" else "number"
    for penalty, coef in zip(case["lambda"], case["coef"], strict=True):
        model = ElasticNetSelector(penalty, l1_ratio=case["alpha"], task=task)
        model.fit(X[:, 2:], y, sample_weight=w, covariates=X[:, :2])
        found = np.append(model.covariate_coef_, model.coef_)
        np.testing.assert_allclose(found * sd, np.array(coef) * sd, atol=1e-6)
        assert model.get_support().tolist() == (np.array(coef[2:]) != 0).tolist()


@pytest.mark.parametrize("case", cases("cox_beside.json"))
def test_the_score_test_of_cox_beside_covariates_is_that_of_survival(case):
    y, w = np.column_stack([case["time"], case["event"]]).astype(float), case["weights"]
    X, Z = np.array(case["X"]), np.array(case["Z"])
    weights = np.ones(len(y)) if w is None else np.array(w)
    scores = cox_score(X, y, weights[None, :], covariates=Z)[0]
    np.testing.assert_allclose(scores, case["score"], rtol=1e-8)
    alike = cox_score(np.column_stack([np.full(len(y), 3.3), Z[:, 0] + 2 * Z[:, 1]]), y, weights[None, :], covariates=Z)
    assert alike.tolist() == [[0.0, 0.0]]  # a constant, and what covariates make up


def drawn(n=60, d=8):
    random = np.random.default_rng(3)
    Z = random.normal(size=(n, 2))
    X = random.normal(size=(n, d)) + Z @ random.normal(size=(2, d))
    return X, X[:, 0] + Z[:, 0] + random.normal(size=n), Z


def test_f_of_a_number_is_that_of_the_partial_correlation():
    X, y, Z = drawn()
    rest = LinearRegression().fit(Z, np.column_stack([y, X]))
    left = np.column_stack([y, X]) - rest.predict(Z)
    r = np.array([np.corrcoef(left[:, 0], column)[0, 1] for column in left[:, 1:].T])
    expected = r**2 * (len(y) - 2 - Z.shape[1]) / (1 - r**2)
    np.testing.assert_allclose(FilterSelector("anova", k=2).fit(X, y, covariates=Z).scores_, expected, rtol=1e-9)


@pytest.mark.parametrize("name", ["anova", "t_test", "limma"])
def test_weights_are_copies_and_units_do_not_matter(name):
    X, y, Z = drawn()
    y = (y > 0).astype(int)
    weights = np.random.default_rng(0).integers(0, 3, len(y))
    weighted = FilterSelector(name, k=2).fit(X, y, sample_weight=weights, covariates=Z).scores_
    rows = np.repeat(np.arange(len(y)), weights)
    np.testing.assert_allclose(weighted, FilterSelector(name, k=2).fit(X[rows], y[rows], covariates=Z[rows]).scores_)
    np.testing.assert_allclose(
        weighted, FilterSelector(name, k=2).fit(X, y, sample_weight=weights, covariates=Z * 1e6 + 5).scores_, rtol=1e-6
    )


def test_constants_and_combinations_of_covariates_have_no_score():
    X, y, Z = drawn()
    X[:, 0], X[:, 1] = 1e6 / 3, 2 * Z[:, 0] - Z[:, 1] + 7
    scores = FilterSelector("anova", k=2).fit(X, y, covariates=Z).scores_
    assert scores[:2].tolist() == [0.0, 0.0]
    assert (scores[2:] > 0).all()


def test_k_counts_features_alone_and_covariates_are_in_every_model():
    X, y, Z = drawn()
    model = ElasticNetSelector(k=3).fit(X, y, covariates=Z)
    assert model.get_support().sum() == 3
    assert model.coef_.shape == (8,)
    assert (model.covariate_coef_ != 0).all()
    with pytest.raises(InputError, match="fitted beside covariates"):
        model.predict(X)
    assert len(ElasticNetSelector(k=3).fit(X, y).covariate_coef_) == 0


def test_who_takes_covariates_is_told_by_what_they_take():
    assert with_covariates("number", 0) == ["elastic_net", "lasso", "anova", "limma", "t_test"]
    assert with_covariates("classes", 3) == ["elastic_net", "lasso", "anova", "limma"]
    X, y, Z = drawn()
    with pytest.raises(InputError, match="takes no covariates; anova, t_test and limma do"):
        FilterSelector("jmi", k=2).fit(X, y, covariates=Z)
    with pytest.raises(InputError, match="finite numbers, one row for each of the 60 rows"):
        st.FilterSelector("anova", k=2).fit(X, y, covariates=Z[:5])


def test_a_target_that_covariates_determine_is_refused():
    X, y, _ = drawn()
    labels = (y > 0).astype(int)
    with pytest.raises(InputError, match="determine the target"):
        FilterSelector("anova", k=2).fit(X, labels, covariates=labels.astype(float))
