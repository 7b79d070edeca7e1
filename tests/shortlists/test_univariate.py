"""Effects and p-values of single features against R, and effects under the default settings."""

import json
from pathlib import Path

import numpy as np
import pytest

import steadyset as st
from steadyset.inference.features import data_directions
from steadyset.shortlists.effects import widened
from steadyset.shortlists.exchange import exchange_of
from steadyset.shortlists.univariate import univariate
from steadyset.tasks import CLASSES, NUMBER, SURVIVAL

GIVEN = json.loads(Path(__file__).with_name("univariate.json").read_text(encoding="utf-8"))
DATA = {name: np.array(values) for name, values in GIVEN["data"].items()}
TIMES = np.column_stack([DATA["time"], DATA["event"]]).astype(float)
COVARIATES = np.column_stack([DATA["age"], DATA["sex"]])
PAIRED = np.arange(48) % 2
DESIGNS = {
    "two": (DATA["two"], CLASSES, {}),
    "four": (DATA["four"], CLASSES, {}),
    "number": (DATA["number"], NUMBER, {}),
    "two strata": (DATA["two"], CLASSES, {"strata": DATA["strata"]}),
    "two strata covariates": (DATA["two"], CLASSES, {"strata": DATA["strata"], "covariates": COVARIATES}),
    "four strata covariates": (DATA["four"], CLASSES, {"strata": DATA["strata"], "covariates": COVARIATES}),
    "number covariates": (DATA["number"], NUMBER, {"covariates": COVARIATES}),
    "pairs": (PAIRED, CLASSES, {"groups": DATA["pairs"]}),
    "times": (TIMES, SURVIVAL, {}),
    "times strata": (TIMES, SURVIVAL, {"strata": DATA["strata"]}),
    "times covariates": (TIMES, SURVIVAL, {"covariates": COVARIATES}),
    "times strata covariates": (TIMES, SURVIVAL, {"strata": DATA["strata"], "covariates": COVARIATES}),
}


@pytest.mark.parametrize("design", DESIGNS)
def test_single_features_have_the_p_values_and_estimates_of_r(design):
    """Of t.test, anova, lm, cor.test and survival::coxph; estimates are differences of means or hazard ratios."""
    y, task, known = DESIGNS[design]
    exchange = exchange_of(y, task, **known)
    X = DATA["X"]
    codes = data_directions(X, y, task)
    found = univariate(X, y, task, codes, exchange.compared_within, exchange.beside)
    for feature, name in enumerate("abc"):
        p_value, estimate = GIVEN["expected"][f"{design} {name}"]
        assert found.p_value[feature] == pytest.approx(p_value, rel=1e-6 if task == SURVIVAL else 1e-8)
        if task == SURVIVAL:
            assert found.effect[feature] == pytest.approx(estimate, rel=1e-6)
        elif design == "number":
            assert abs(found.effect[feature]) == pytest.approx(abs(estimate), rel=1e-8)
        elif estimate is not None:
            sign = 1 if codes[feature] == 2 else -1
            assert found.difference[feature] == pytest.approx(sign * estimate, rel=1e-8)


def test_an_uncorrected_effect_is_the_difference_of_means_in_pooled_standard_deviations():
    X, y = DATA["X"], DATA["two"]
    codes = data_directions(X, y, CLASSES)
    found = univariate(X, y, CLASSES, codes, np.zeros(48, np.int64), None)
    first, second = X[y == 0], X[y == 1]
    squares = ((first - first.mean(axis=0)) ** 2).sum(axis=0) + ((second - second.mean(axis=0)) ** 2).sum(axis=0)
    expected = np.abs(second.mean(axis=0) - first.mean(axis=0)) / np.sqrt(squares / 46)
    assert found.effect == pytest.approx(expected, rel=1e-10)
    assert (found.low < found.effect).all()
    assert (found.effect < found.high).all()


def test_units_of_values_change_nothing_but_the_difference_of_means():
    X, y = DATA["X"], DATA["two"]
    codes = data_directions(X, y, CLASSES)
    plain = univariate(X, y, CLASSES, codes, np.zeros(48, np.int64), None)
    scaled = univariate(1e160 * X, y, CLASSES, codes, np.zeros(48, np.int64), None)
    assert scaled.p_value == pytest.approx(plain.p_value, rel=1e-9)
    assert scaled.effect == pytest.approx(plain.effect, rel=1e-9)
    assert scaled.difference / 1e160 == pytest.approx(plain.difference, rel=1e-9)


def test_a_constant_feature_has_no_effect_of_its_own():
    y = DATA["two"]
    X = np.column_stack([np.full(48, 3.3), DATA["X"][:, 0]])
    found = univariate(X, y, CLASSES, data_directions(X, y, CLASSES), np.zeros(48, np.int64), None)
    assert np.isnan(found.effect[0])
    assert np.isnan(found.p_value[0])
    assert found.p_value[1] > 0


def pathway(seed, n=80, d=200):
    """Thirty correlated features of a pathway, and six features on their own, with known standardized effects."""
    random = np.random.default_rng([seed, 41])
    X, y = random.normal(size=(n, d)), np.arange(n) % 2
    factor = random.normal(size=n) + 1.8 * y
    X[:, :30] = 0.75 * factor[:, None] + 0.66 * X[:, :30]
    X[:, 30:36] += y[:, None]
    truth = np.zeros(d)
    truth[:30] = 0.75 * 1.8 / np.hypot(0.75, 0.66)
    truth[30:36] = 1.0
    return X, y, truth


@pytest.fixture(scope="module")
def defaults():
    X, y, _ = pathway(0)
    return st.shortlist(X, y, permutations=20, outer=0)


def weak(seed=5):
    """Ten independent features, of which some barely exceed the cutoff."""
    random = np.random.default_rng(seed)
    X, y = random.normal(size=(80, 200)), np.arange(80) % 2
    X[:, :10] += np.linspace(0.7, 1.5, 10) * y[:, None]
    return X, y


def test_a_correction_at_most_halves_an_effect_and_contains_the_uncorrected_interval():
    """Of two classes, and of a number whose features have Fisher's interval; a feature near the cutoff is halved."""
    X, y = weak()
    score = y + np.random.default_rng(1).normal(size=80)
    for target in (y, score):
        found = st.shortlist(X, target, permutations=20, outer=0).features
        rows = found[found["tier"] == "listed"]
        corrected = rows[rows["corrected"]]
        assert len(corrected) >= 3
        ratio = corrected["effect"] / corrected["uncorrected_effect"]
        assert ((ratio >= 0.5 - 1e-12) & (ratio <= 1)).all()
        assert ratio.min() < 0.95
        assert ratio.max() > 0.9
        if target is score:
            r = corrected["uncorrected_effect"]
            ends = [np.tanh(np.arctanh(r) + side * 1.959964 / np.sqrt(77)) for side in (-1, 1)]
            assert (corrected["effect_low"] <= ends[0] + 1e-6).all()
            assert (corrected["effect_high"] >= ends[1] - 1e-6).all()
            strongest = r.idxmax()
            assert corrected["effect_high"][strongest] == pytest.approx(ends[1][strongest], abs=0.01)


def test_widened_effects_contain_both_intervals():
    found = np.array([[0.1, 0.9, -0.1], [-0.4, 0.3, -0.5], [0.6, 1.5, 0.4]])
    plain = np.array([[0.8, 1.0, -0.8], [0.3, 0.4, -1.2], [1.2, 1.6, -0.3]])
    expected = [[0.4, 0.9, -0.4], [-0.4, 0.3, -1.2], [1.2, 1.6, 0.4]]
    assert widened(found, plain).tolist() == expected


def test_only_features_that_the_filter_lists_are_corrected(defaults):
    """A feature that the lasso alone adds was not listed for the size of its own effect."""
    rows = defaults.features.query("tier == 'listed'")
    by_filter = rows["base"].str.contains("filter")
    assert rows["corrected"].tolist() == by_filter.tolist()
    assert not by_filter.all()
    plain = rows[~by_filter]
    assert plain["effect"].tolist() == plain["uncorrected_effect"].tolist()
    words = " ".join(str(defaults).split())
    assert "except those marked *" in words
    assert "contains the corrected and the uncorrected 95% interval" in words


def test_the_base_of_a_feature_is_a_ranking_that_lists_it(defaults):
    rows = defaults.features.query("tier == 'listed'")
    assert set(rows["base"]) <= {"filter", "lasso", "filter and lasso"}
    judged = st.shortlist(*pathway(0)[:2], permutations=20, outer=0, bases=["filter"]).features
    assert set(judged.query("tier == 'listed'")["base"]) == {"filter"}


def test_effects_are_those_of_the_values_if_ranks_are_ranked():
    random = np.random.default_rng(6)
    X, y = np.exp(1.5 * random.normal(size=(80, 120))), np.arange(80) % 2
    X[y == 1, :3] += 1.5 * X[:, :3].std(axis=0)
    found = st.shortlist(X, y, bases=["filter"], permutations=20, outer=0)
    assert found.listed.ranks
    row = found.features.set_index("feature").loc["x0"]
    first, second = X[y == 0, 0], X[y == 1, 0]
    expected = (second.mean() - first.mean()) / np.sqrt((first.var(ddof=1) + second.var(ddof=1)) / 2)
    assert row["effect"] == pytest.approx(expected, rel=1e-8)
    assert row["difference"] == pytest.approx(second.mean() - first.mean(), rel=1e-8)
    assert not row["corrected"]
    assert "*" in str(found)


@pytest.mark.slow
def test_intervals_under_the_default_settings_cover_every_kind_of_feature():
    held = {"pathway": [], "alone": []}
    for seed in range(6):
        X, y, truth = pathway(seed)
        found = st.shortlist(X, y, outer=0, random_state=seed).features.query("tier == 'listed'")
        for row in found.itertuples():
            feature = int(row.feature[1:])
            kind = "pathway" if feature < 30 else "alone"
            if feature < 36:
                held[kind].append(row.effect_low <= truth[feature] <= row.effect_high)
    assert len(held["alone"]) >= 15
    assert np.mean(held["pathway"]) >= 0.85
    assert np.mean(held["alone"]) >= 0.85
