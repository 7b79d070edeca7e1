"""The swap map: what is selected when a feature is missing."""

import numpy as np
import pytest

import steadyset as st

# a1~a2, a2~a3: linked through a2; b1~b2; c is alone.
NAMES = ["a1", "a2", "a3", "b1", "b2", "c", "d"]
SIMILAR = np.eye(7)
for f, g in ((0, 1), (1, 2), (3, 4), (3, 6)):
    SIMILAR[f, g] = SIMILAR[g, f] = 0.95
ALIKE = st.FeatureSimilarity.from_matrix(SIMILAR, features=NAMES)
RUNS = st.Selections.from_sets(
    [["a1", "b1"], ["a1", "b1", "c"], ["a1", "b2"], ["a2", "b2"], ["a2", "a3", "b2"]], features=NAMES
)


def small():
    return st.plot.swap_map(RUNS, ALIKE)


def test_cells_are_the_stand_ins_of_the_table_of_features():
    data = small().data
    found = {(row.feature, row.other): row.share for row in data.itertuples()}
    assert found == {("a1", "a2"): 1, ("a2", "a1"): 1, ("a3", "a2"): 0.25, ("b1", "b2"): 1, ("b2", "b1"): 1}
    table = st.features_table(RUNS, similarity=ALIKE).set_index("feature")["stand_ins"]
    for (feature, other), share in found.items():
        assert f"{other} (0.95; {share:.0%})" in table[feature]


def test_runs_are_shares_of_the_runs_without_the_feature():
    data = small().data
    assert (data["share"] * data["missing"]).tolist() == pytest.approx(data["runs"].tolist())
    missing = 5 - np.array([RUNS.counts[NAMES.index(name)] for name in data["feature"]])
    assert data["missing"].tolist() == missing.tolist()


def test_similar_features_stand_side_by_side():
    data = small().data
    places = dict(zip(data["feature"], data["place"], strict=True))
    assert sorted(places, key=places.get) == ["a1", "a2", "a3", "b2", "b1"]


def test_the_most_frequent_swaps_are_shown_and_the_rest_is_told():
    rng = np.random.default_rng(0)
    sets = [[10 * g + rng.integers(10) for g in range(30)] for _ in range(50)]
    sel = st.Selections.from_sets(sets, n_features=300)
    alike = st.FeatureSimilarity.from_groups(np.arange(300) // 10)
    picture = st.plot.swap_map(sel, alike, top=8)
    assert len(set(picture.data["feature"]) | set(picture.data["other"])) <= 8
    ever = int((sel.counts > 0).sum())
    assert picture.note.endswith(f"most often swapped of {ever} features. The 5 best stand-ins of each.")


def test_nothing_to_swap_is_said():
    sel = st.Selections.from_sets([["a1", "b1"]] * 3, features=NAMES)
    picture = st.plot.swap_map(sel, ALIKE)
    assert (len(picture.data), picture.note) == (0, "No feature stands in for a similar one.")
    assert picture.svg().startswith("<svg")


def test_selections_alone_do_not_say_what_is_similar():
    with pytest.raises(st.InputError, match="similarity must be a FeatureSimilarity"):
        st.plot.swap_map(RUNS)
    assert len(st.plot.swap_map(st.findings_of(RUNS)).data) == 0
