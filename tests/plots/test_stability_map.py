"""The feature stability map: how each run shares out its importance."""

import numpy as np
import pytest

import steadyset as st
from steadyset.plots.picture import MOST_MARKS

# Scenario 2 of Hamer and Dupont 2021: one feature of a group takes what three of them share in the other run.
NAMES = ["a1", "a2", "a3", "b", "c", "d", "e", "f"]
RUNS = st.Selections.from_weights([[1, 0, 0, 1, -1, 1, 0, 0], [0.2, 0.3, 0.5, 1, 0, 0, 1, 1]], features=NAMES)
ALIKE = st.FeatureSimilarity.from_groups({"a1": 1, "a2": 1, "a3": 1}, features=NAMES)


def small():
    return st.plot.stability_map(RUNS, ALIKE, top=3)


def test_a_bar_is_the_importance_of_its_run_and_a_group_keeps_its_width():
    data = st.plot.stability_map(RUNS, ALIKE).data
    assert data.groupby("run")["share"].sum().tolist() == pytest.approx([1, 1])
    group = data[data["group"] == "a1 (3 alike)"]
    assert group["feature"].tolist() == ["a1", "a1", "a2", "a3"]
    assert group.groupby("run")["share"].sum().tolist() == pytest.approx([0.25, 0.25])
    assert st.stability(RUNS, "msi", similarity=ALIKE) == pytest.approx(0.5)


def test_segments_lie_one_after_the_other():
    for _, bar in small().data.groupby("run"):
        assert bar["start"].tolist() == pytest.approx([0.0, *bar["end"][:-1]])
        assert (bar["end"] - bar["start"]).tolist() == pytest.approx(bar["share"].tolist())


def test_what_has_no_colour_is_grey_and_told():
    picture = small()
    assert picture.data["group"].nunique() == 4
    assert "Grey: 3 other selected features." in picture.note
    scale = picture.specification()["encoding"]["color"]["scale"]
    assert len(scale["domain"]) == len(set(scale["range"])) == 4


def test_many_runs_share_bars_whose_means_they_are():
    rng = np.random.default_rng(0)
    sel = st.Selections.from_weights(rng.random((730, 40)) * (rng.random((730, 40)) < 0.3))
    picture = st.plot.stability_map(sel)
    assert "Each bar is the mean of 8 runs." in picture.note
    assert len(picture.data) <= MOST_MARKS
    assert picture.data.groupby("run")["share"].sum().tolist() == pytest.approx([1.0] * 92)
    first = sel.to_matrix(weights=True).toarray()[:8]
    shares = (first / first.sum(axis=1, keepdims=True)).mean(axis=0)
    best = picture.data[picture.data["run"] == 1].iloc[0]
    assert best["share"] == pytest.approx(shares[sel.features.index(best["group"])])


def test_runs_that_select_nothing_have_an_empty_bar():
    sel = st.Selections.from_sets([["a"], [], ["a", "b"]], features=["a", "b"])
    picture = st.plot.stability_map(sel)
    assert picture.data["run"].tolist() == [1, 3, 3]
    assert picture.specification()["encoding"]["y"]["scale"]["domain"] == [1, 2, 3]
    assert "equally important" in picture.note
    nothing = st.Selections.from_sets([[], []], features=["a"])
    assert st.plot.stability_map(nothing).svg().startswith("<svg")


def test_a_feature_called_all_others_keeps_its_colour():
    sel = st.Selections.from_weights([[3.0, 2, 1]], features=["all others", "b", "c"])
    assert st.plot.stability_map(sel, top=2).data["group"].tolist() == ["all others", "b", "all others together"]
