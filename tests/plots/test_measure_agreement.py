"""Agreement of measures as a scatter matrix."""

import numpy as np
import pytest
from scipy.stats import spearmanr

import steadyset as st
from steadyset.plots.picture import MOST_MARKS


def procedures(n=6):
    rng = np.random.default_rng(0)
    return {f"s{k}": st.Selections.from_matrix(rng.random((8, 40)) < rng.beta(0.3, 0.6, 40)) for k in range(n)}


def small():
    return st.plot.measure_agreement(procedures(4), ["nogueira", "jaccard", "hamming"])


def test_points_are_selectors_with_their_stability():
    data = small().data
    assert len(data) == 3 * 4
    for row in data.itertuples():
        sel = procedures(4)[row.point]
        assert row.x == pytest.approx(st.stability(sel, row.x_measure))
        assert row.y == pytest.approx(st.stability(sel, row.y_measure))


def test_the_correlation_is_that_of_scipy():
    for _, plot in st.plot.measure_agreement(procedures(), ["nogueira", "davis"]).data.groupby(["x_measure"]):
        assert plot["correlation"].iloc[0] == pytest.approx(spearmanr(plot["x"], plot["y"]).statistic)


def test_of_one_selector_the_points_are_pairs_whose_mean_is_the_stability():
    sel = procedures()["s0"]
    data = st.plot.measure_agreement(sel, ["jaccard", "phi"]).data
    assert len(data) == 8 * 7 / 2
    assert data["x"].mean() == pytest.approx(st.stability(sel, "jaccard"))
    assert data["y"].mean() == pytest.approx(st.stability(sel, "phi"))


def test_many_points_are_binned_and_none_is_lost():
    sel = st.Selections.from_matrix(np.random.default_rng(0).random((300, 30)) < 0.3)
    picture = st.plot.measure_agreement(sel)
    assert len(picture.data) <= MOST_MARKS
    assert picture.data.groupby(["x_measure", "y_measure"])["points"].sum().eq(100 * 99 / 2).all()
    assert "100 evenly spaced runs of 300" in picture.note
    assert "the more of 4950 points" in picture.note


def test_undefined_scores_are_left_out_and_told():
    sel = st.Selections.from_sets([[0, 1], [0], [], [1, 2]], n_features=5)
    picture = st.plot.measure_agreement(sel, ["jaccard", "ochiai"])
    assert len(picture.data) == 3
    assert "Undefined for some, which are left out: ochiai." in picture.note


def test_a_constant_has_no_correlation():
    sel = st.Selections.from_sets([[0, 1]] * 3, n_features=5)
    picture = st.plot.measure_agreement(sel)
    assert picture.data["correlation"].isna().all()
    assert picture.svg().startswith("<svg")


@pytest.mark.parametrize(
    ("measures", "sentence"),
    [
        (["jaccard"], "measures must be a list of 2 to 6 measures"),
        (["jaccard", "SMJ"], "measures must be a list of different measures"),
        (["jaccard", "nogueira"], "nogueira is no mean over pairs of runs"),
        (["jaccard", "msi"], "msi needs the similarity of the features"),
    ],
)
def test_measures_are_chosen_wrongly_in_one_sentence(measures, sentence):
    with pytest.raises(st.InputError, match=sentence):
        st.plot.measure_agreement(procedures()["s0"], measures)
