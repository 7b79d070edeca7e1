"""What each measure says."""

import numpy as np
import pytest

import steadyset as st

RUNS = st.Selections.from_sets([["a", "b"], ["a", "c"], ["a", "b", "c"], ["b", "d"]], features=list("abcdef"))
OTHERS = st.Selections.from_sets([["a"], ["a"], ["a", "b"], ["a"]], features=list("abcdef"))
SOME = ("nogueira", "jaccard", "kuncheva", "hamming", "wald")


def small():
    return st.plot.stability_by_measure({"lasso": RUNS, "jmi": OTHERS}, measures=SOME)


def test_the_values_are_those_of_the_table():
    shown = st.plot.stability_by_measure(RUNS, level=0.8).data.set_index("measure")
    table = st.stability_table(RUNS, level=0.8).loc[shown.index]
    np.testing.assert_allclose(shown[["estimate", "low", "high"]], table[["estimate", "low", "high"]])


def test_corrected_measures_come_first_and_larger_values_before_smaller_ones():
    shown = st.plot.stability_by_measure(RUNS).data.sort_values("place")
    catalogue = st.list_measures().loc[shown["measure"]]
    assert [*shown["corrected"]] == [*(catalogue["corrected"] != "no")]
    assert not np.diff(shown["corrected"].astype(int)).max() > 0
    for _, part in shown.groupby("corrected"):
        assert part["estimate"].is_monotonic_decreasing


def test_each_measure_stands_in_one_panel():
    spec = small().specification()
    measures = [
        {row["measure"] for layer in panel["layer"] for row in _rows(spec, layer) if "measure" in row}
        for panel in spec["vconcat"]
    ]
    assert measures == [{"nogueira", "wald"}, {"jaccard", "hamming"}]


def _rows(spec, layer):
    data = layer["data"]
    return spec["datasets"][data["name"]] if "name" in data else data["values"]


def test_nothing_to_show_is_an_empty_picture():
    nothing = st.Selections.from_sets([[], []], n_features=3)
    picture = st.plot.stability_by_measure(nothing, measures=["jaccard", "kuncheva"])
    assert len(picture.data) == 0
    assert picture.svg().startswith("<svg")


def test_what_is_undefined_or_has_another_scale_is_left_out_and_told():
    ranked = st.Selections.from_rankings([[1, 2, 3], [2, 1, 3], [1, 3, 2]], top=2)
    picture = st.plot.stability_by_measure(ranked, measures=["jaccard", "canberra", "krizek"])
    assert [*picture.data["measure"]] == ["jaccard"]
    assert "because 1 is not their steadiest value: 2 measures" in picture.note
    picture = st.plot.stability_by_measure(RUNS, measures=["jaccard", "kuncheva"])
    assert [*picture.data["measure"]] == ["jaccard"]
    assert "Undefined, so left out: 1 measure." in picture.note


def test_an_assessment_shows_its_selectors_and_findings_what_they_hold():
    found = st.findings_of({"lasso": RUNS, "jmi": OTHERS})
    assert set(st.plot.stability_by_measure(found, measures=["dice"]).data["selector"]) == {"lasso", "jmi"}


def test_no_selections_are_one_sentence():
    with pytest.raises(st.InputError, match="no selections to measure"):
        st.plot.stability_by_measure({})
