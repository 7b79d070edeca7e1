"""What a tuning says, and its report."""

import dataclasses
import json

import numpy as np
import pandas as pd
import pytest

import steadyset as st
from steadyset.findings import findings_of
from steadyset.findings.parts import record_findings
from steadyset.inference.comparison import corrected_error


@pytest.fixture(scope="module")
def tuning():
    random = np.random.default_rng(0)
    X = random.standard_normal((40, 8))
    y = np.where(X[:, 0] + 0.5 * random.standard_normal(40) > 0, "a", "b")
    features = ["\x1b[31mred", *(f"g{i}" for i in range(7))]
    return st.tune("bommert", st.Data(X, y, features=features), n_trials=4, resampling=st.KFold(4), random_state=0)


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
    page = st.report(tuning, tmp_path / "page.html").read_text(encoding="utf-8")
    assert "The Pareto front" in page
    assert "(chosen)" in page
    assert 'data-picture="tuning_front"' in page
    assert 'data-picture="tuning_parallel"' in page
    assert "\\x1b[31mred" in page


def test_the_answer_says_in_words_what_was_chosen_and_why(tuning):
    chosen = tuning.choose()
    row = tuning.frame.loc[chosen]
    said = " ".join(findings_of(tuning).answer)
    assert f"configuration {chosen}, the first in accuracy of those that are within 0.025 of the best accuracy" in said
    assert f"filter {row['filter']}" in said
    assert f"model {row['model']}" in said
    assert f"stability {row['stability']:.3f}" in said


def test_recorded_findings_are_read_back_whole(tuning, tmp_path):
    found = findings_of(tuning, core=0.5)
    record_findings(found, tmp_path)
    read = findings_of(tmp_path)
    assert read.to_json() == found.to_json()
    for part in dataclasses.fields(found):
        if part.name not in ("trials", "settings"):  # tuples of settings come back as lists
            assert repr(getattr(read, part.name)) == repr(getattr(found, part.name)), part.name
    assert read.selections == dict(found.selections)
    for name in ("tuning_front", "tuning_parallel"):
        one, other = (getattr(st.plot, name)(result) for result in (read, tuning))
        assert one.data.equals(other.data)


def test_a_recorded_share_cannot_be_chosen_again(tuning, tmp_path):
    record_findings(findings_of(tuning), tmp_path)
    with pytest.raises(st.InputError, match="core is that of the tuning in"):
        findings_of(tmp_path, core=0.5)


def test_damaged_findings_are_refused(tuning, tmp_path):
    record_findings(findings_of(tuning), tmp_path)
    file = tmp_path / "findings.json"
    file.write_text(file.read_text(encoding="utf-8").replace("accuracy", "accuracz", 1), encoding="utf-8")
    with pytest.raises(st.InputError, match="is damaged"):
        findings_of(tmp_path)


def test_every_configuration_is_in_the_table_with_its_interval(tuning, tmp_path):
    st.report(tuning, tmp_path / "parts", format="folder")
    table = pd.read_csv(tmp_path / "parts" / "tables" / "trials.csv").set_index("configuration")
    assert sorted(table.index) == sorted(tuning.frame.index)
    for name in ("stability", "stability_low", "stability_high", "accuracy", "n_features"):
        assert np.allclose(table[name], tuning.frame.loc[table.index, name], equal_nan=True)
