"""Groups of similar features: how often one of them is selected, and how often any."""

import numpy as np
import pytest
from tests.plots.test_swap_map import ALIKE, NAMES, RUNS

import steadyset as st


def small():
    return st.plot.similarity_groups(RUNS, ALIKE)


def test_a_group_is_selected_whenever_one_of_its_members_is():
    data = small().data
    whole = data[data["kind"] == "any of the group"].set_index("group")["share"]
    assert whole.to_dict() == {"a1": 1.0, "b2": 1.0}
    members = data[data["kind"] == "one feature"].set_index("feature")["share"].to_dict()
    assert members == {name: RUNS.frequencies[NAMES.index(name)] for name in ("a1", "a2", "a3", "b1", "b2")}


def test_a_group_is_at_least_as_frequent_as_its_members_and_at_most_their_sum():
    rng = np.random.default_rng(0)
    sel = st.Selections.from_matrix(rng.random((40, 60)) < 0.15)
    data = st.plot.similarity_groups(sel, st.FeatureSimilarity.from_groups(np.arange(60) // 3), top=5).data
    assert data["place"].max() == 4
    for _, group in data.groupby("place"):
        whole, members = group["share"].iloc[-1], group["share"].iloc[:-1]
        assert members.max() <= whole <= min(1, members.sum()) + 1e-12
        features = [sel.features.index(name) for name in group["feature"].iloc[:-1]]
        assert whole == pytest.approx(sel.to_matrix().toarray()[:, features].any(axis=1).mean())


def test_groups_over_several_selectors_count_all_runs():
    other = st.Selections.from_sets([["c"], ["b1"], ["c"], ["c"], ["c"]], features=NAMES)
    picture = st.plot.similarity_groups({"x": RUNS, "y": other}, ALIKE)
    data = picture.data
    assert picture.note.endswith("Over all runs of 2 selectors.")
    whole = data[data["kind"] == "any of the group"].set_index("group")["share"]
    assert whole.to_dict() == {"b1": 0.6, "a1": 0.5}


def test_groups_left_out_are_told():
    picture = st.plot.similarity_groups(RUNS, ALIKE, top=1)
    assert picture.note.startswith("The 1 most often selected of 2 groups.")
    alone = st.FeatureSimilarity.from_groups(NAMES, features=NAMES)
    none = st.plot.similarity_groups(RUNS, alone)
    assert (len(none.data), none.note) == (0, "No feature is similar to a selected one.")
    assert none.svg().startswith("<svg")


def test_the_picture_and_the_table_have_the_same_groups():
    X = np.random.default_rng(0).normal(size=(40, 12))
    X[:, 6:9] = X[:, :3]  # copies, which no run selects
    X[:, 9] = X[:, 3] + 0.05 * X[:, 4]
    alike = st.FeatureSimilarity.from_data(X)
    runs = st.Selections.from_sets([[0, 3], [0, 9], [0, 3, 5]], n_features=12)
    data = st.plot.similarity_groups(runs, alike).data
    table = st.features_table(runs, similarity=alike).dropna(subset="group").set_index("feature")
    members = data[data["kind"] == "one feature"].set_index("feature")
    assert sorted(members.index) == sorted(table.index) == ["x0", "x3", "x9"]
    assert members["members"].to_dict() == table["group_size"].to_dict() == {"x0": 2, "x3": 2, "x9": 2}
    whole = data[data["kind"] == "any of the group"].set_index("group")["share"].to_dict()
    assert whole == {name: table.loc[name, "group_share"] for name in whole} == {"x0": 1.0, "x3": 1.0}
