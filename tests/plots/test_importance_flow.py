"""The flow of shared importance between two runs."""

import numpy as np
import pytest

import steadyset as st

# The example of figure 3 in Hamer and Dupont 2021: S(i, j) = 0.48. Importances of 3, 4 and 7 are not printed and follow
# from the sums.
NAMES = [str(k) for k in range(1, 8)]
RUNS = st.Selections.from_weights([[1.3, 0.7, 1.2, 0.8, 0, 0, 0], [0, 0.7, 0, 0, 0.7, 1.4, 1.2]], features=NAMES)
SIMILAR = np.eye(7)
for f, g, s in ((0, 5, 0.8), (0, 4, 0.6), (2, 5, 0.4)):
    SIMILAR[f, g] = SIMILAR[g, f] = s
ALIKE = st.FeatureSimilarity.from_matrix(SIMILAR, features=NAMES, threshold=0.5)


def small():
    return st.plot.importance_flow(RUNS, ALIKE)


def random_runs(n_runs=3, d=30):
    rng = np.random.default_rng(1)
    weights = rng.normal(size=(n_runs, d)) * (rng.random((n_runs, d)) < 0.6)
    return st.Selections.from_weights(weights), st.FeatureSimilarity.from_data(rng.normal(size=(20, d)), threshold=0.3)


def test_the_flow_is_that_of_the_paper():
    flows = small().data.set_index(["feature_i", "feature_j"])
    amounts = {("1", "5"): 0.7, ("1", "6"): 0.6, ("3", "6"): 0.8, ("2", "2"): 0.7}
    for pair, amount in amounts.items():
        assert flows.loc[pair, "share"] * 4 == pytest.approx(amount)
    assert (flows["share"] * flows["similarity"]).sum() == pytest.approx(0.48)
    assert flows.index[flows["same"]].tolist() == [("2", "2")]


@pytest.mark.parametrize("top", [2, 5, 60])
@pytest.mark.parametrize("thresholded", [False, True])
def test_what_flows_is_the_msi_of_the_two_runs_however_many_are_put_together(top, thresholded):
    sel, alike = random_runs()
    data = st.plot.importance_flow(sel, alike, i=2, j=0, top=top, thresholded=thresholded).data
    msi = st.stability(sel.take([2, 0]), "msi", similarity=alike, thresholded=thresholded)
    assert (data["share"] * data["similarity"]).sum() == pytest.approx(msi)
    assert data["share"].sum() == pytest.approx(1)
    assert data["feature_i"].nunique() <= top + 1


def test_each_side_is_the_importance_of_its_run():
    sel, alike = random_runs()
    data = st.plot.importance_flow(sel, alike, top=60).data
    weights = np.abs(sel.to_matrix(weights=True).toarray()[:2])
    for side, row in zip("ij", weights / weights.sum(axis=1, keepdims=True), strict=True):
        found = data.groupby(f"feature_{side}")["share"].sum()
        assert found.to_dict() == pytest.approx({sel.features[f]: row[f] for f in np.flatnonzero(row)})
        ends = data.groupby(f"feature_{side}").agg(start=(f"start_{side}", "min"), end=(f"end_{side}", "max"))
        assert (ends["end"] - ends["start"]).to_dict() == pytest.approx(found.to_dict())  # no gap within a feature


def test_an_empty_run_has_nothing_to_share():
    sel = st.Selections.from_sets([["1", "2"], []], features=NAMES)
    picture = st.plot.importance_flow(sel, ALIKE)
    assert len(picture.data) == 0
    assert picture.note.startswith("Run 2 selects nothing.")
    assert picture.svg().startswith("<svg")


def test_a_run_is_named_wrongly_in_one_sentence():
    with pytest.raises(st.InputError, match="j must be a run from 0 to 1"):
        st.plot.importance_flow(RUNS, ALIKE, j=2)
