"""The map of stability scores: every level and threshold, the chosen one marked."""

import numpy as np
import pytest
from tests.plots.test_stability_path import fitted

import steadyset as st


def small() -> st.plot.Picture:
    return fitted("jmi", rule="calibrated", max_features=3).plot_calibration()


def test_the_marked_cell_is_what_the_selector_chose():
    selector = fitted(rule="calibrated")
    data = selector.plot_calibration().data
    (chosen,) = data[data["chosen"]].to_dict("records")
    result = selector.result_
    assert (chosen["level"], chosen["threshold"]) == (result.level, result.threshold)
    assert [chosen["score"], chosen["pfer"], chosen["size"]] == pytest.approx([result.score, result.pfer, result.q])
    assert chosen["score"] == data["score"].max()


def test_cells_tile_the_map_around_their_level_and_threshold():
    data = fitted(rule="calibrated").plot_calibration().data
    assert (data["level_from"] > data["level"]).all()
    assert (data["level"] > data["level_to"]).all()
    assert data["threshold"].between(data["threshold_from"], data["threshold_to"]).all()
    column = data[data["level"] == data["level"].iloc[0]]
    np.testing.assert_allclose(column["threshold_from"].iloc[1:], column["threshold_to"].iloc[:-1])


def test_limits_of_the_selector_bound_what_is_chosen_but_not_what_is_shown():
    free, bounded = fitted(rule="calibrated"), fitted(rule="calibrated", pfer=1.5)
    chosen = bounded.plot_calibration().data.query("chosen").iloc[0]
    assert chosen["pfer"] <= 1.5
    np.testing.assert_allclose(bounded.plot_calibration().data["score"], free.plot_calibration().data["score"])


def test_another_rule_shows_what_calibration_would_choose():
    selector = fitted(q=3)
    chosen = selector.plot_calibration().data.query("chosen").iloc[0]
    assert chosen["level"] == selector.select(rule="calibrated").level


def test_many_levels_are_thinned_and_the_chosen_one_stays():
    random = np.random.default_rng(0)
    X = random.normal(size=(40, 6))
    selector = st.StabilitySelection(rule="calibrated", n_runs=6, n_lambdas=700, random_state=0).fit(X, X[:, 0])
    drawn = selector.plot_calibration()
    assert len(drawn.data) <= 5000
    assert drawn.data["chosen"].sum() == 1
    assert "of 700 levels are drawn" in drawn.note
