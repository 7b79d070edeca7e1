"""The study of data sets and selectors: its page has what was measured, and its p-values hold for all questions."""

import json

import numpy as np
import pandas as pd
import pytest
from benchmarks import characteristics as study
from scipy.stats import spearmanr

RESULTS = json.loads(study.RESULTS.read_text(encoding="utf-8"))


@pytest.fixture
def quick(monkeypatch):
    monkeypatch.setattr(study, "PERMUTATIONS", 199)
    monkeypatch.setattr(study, "DRAWS", 100)


def data_sets(n, seed):
    """Characteristics and answers of data sets that have nothing to do with each other."""
    random = np.random.default_rng(seed)
    answers = [f"{what}, {name}" for what in study.RESPONSES for name in ("mean", *study.SELECTORS)]
    names = [*study.CHARACTERISTICS, *answers]
    return pd.DataFrame(random.normal(size=(n, len(names))), columns=names)


def test_the_page_shows_what_was_measured():
    shown = study.PAGE.read_text(encoding="utf-8").split(study.BEGIN)[1].split(study.END)[0]
    assert shown.strip() == study.page(RESULTS).strip()


def test_the_recorded_correlations_are_those_of_the_recorded_data():
    rows = study.answers(RESULTS["data"])
    for answer, name, rho, low, high, p in RESULTS["associations"]:
        assert rho == pytest.approx(spearmanr(rows[answer], rows[name]).statistic)
        assert low <= high
        assert 0 < p <= 1


def test_answers_of_selectors_are_differences_from_their_mean():
    rows = study.answers(RESULTS["data"])
    for what in study.RESPONSES:
        of_selectors = rows[[f"{what}, {name}" for name in study.SELECTORS]]
        assert np.allclose(of_selectors.sum(axis=1), 0)
    first = next(iter(RESULTS["data"].values()))
    assert rows.iloc[0]["stability, mean"] == pytest.approx(
        np.mean([first[name]["stability"] for name in study.SELECTORS])
    )


def test_an_association_with_one_characteristic_is_found(quick):
    rows = data_sets(20, 0)
    rows["stability, lasso"] = rows["n / p"] ** 3
    found = study.associations(rows)
    assert found["stability, lasso", "n / p"].rho == pytest.approx(1)
    assert found["stability, lasso", "n / p"].p == pytest.approx(1 / 200)
    assert found["stability, lasso", "n"].p > 0.05


def test_p_values_hold_for_all_questions_at_once(quick):
    least = [min(one.p for one in study.associations(data_sets(12, seed)).values()) for seed in range(30)]
    assert sum(p < study.LEVEL for p in least) <= 6  # 30 collections at 5%: more than 6 in 0.1% of cases


@pytest.mark.parametrize(("p", "size"), [(3, 2), (13, 4), (30, 10), (22_283, 10)])
def test_small_data_sets_have_a_third_of_their_features_selected(p, size):
    assert study.size_for(p) == size
