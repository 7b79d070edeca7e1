"""What a tuning says, and its report."""

import json

import numpy as np
import pytest

import steadyset as st
from steadyset.findings import findings_of
from steadyset.inference.scores import corrected_error


@pytest.fixture(scope="module")
def tuning():
    random = np.random.default_rng(0)
    X = random.standard_normal((40, 8))
    y = np.where(X[:, 0] + 0.5 * random.standard_normal(40) > 0, "a", "b")
    features = ["\x1b[31mred", *(f"g{i}" for i in range(7))]
    return st.tune("bommert", X, y, features=features, n_trials=4, resampling=st.KFold(4), random_state=0)


def test_the_findings_of_a_tuning_agree_with_it(tuning):
    found = findings_of(tuning, choose="best", core=0.5)
    chosen = tuning.choose("best")
    assert found.kind == "tuning"
    assert [one.number for one in found.front if one.chosen] == [chosen]
    assert {one.number for one in found.front} == set(tuning.front.index) | {chosen}
    assert any(f"Chosen by best: configuration {chosen}" in sentence for sentence in found.answer)
    table = tuning.features(chosen)
    assert set(found.cores[0].features) == set(table.loc[table["frequency"] >= 0.5, "feature"])
    scores = [cell.scores["accuracy"] for cell in tuning.evaluator.cells(tuning.estimator(chosen))]
    assert found.summary[0].scores["accuracy"].se == pytest.approx(corrected_error(scores, 1 / 3))
    assert "\x1b" not in " ".join(found.answer)
    json.loads(found.to_json())


def test_the_interval_of_a_tuning_has_the_level_that_is_asked_for(tuning):
    usual, narrow = findings_of(tuning), findings_of(tuning, level=0.5)
    assert (usual.level, narrow.level) == (0.95, 0.5)
    found = st.confidence_interval(tuning.selections(tuning.choose()), level=0.5)
    row = narrow.summary[0]
    assert (row.stability, row.low, row.high) == pytest.approx((found.estimate, found.low, found.high))
    assert row.high - row.low < usual.summary[0].high - usual.summary[0].low


def test_a_tuning_has_a_report(tuning, tmp_path):
    page = st.report(tuning, tmp_path / "page.html").read_text()
    assert "The Pareto front" in page
    assert "(chosen)" in page
    assert "\\x1b[31mred" in page
