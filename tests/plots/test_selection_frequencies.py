"""How often each feature is selected, and how sure that is."""

import numpy as np

import steadyset as st

RUNS = st.Selections.from_sets([["a", "b"], ["a", "b", "c"], ["a"], ["a", "c"]], features=list("abcde"))
OTHERS = st.Selections.from_sets([["a", "e"], ["e"], ["a", "e"]], features=list("abcde"))


def small():
    return st.plot.selection_frequencies({"lasso": RUNS, "jmi": OTHERS}, top=4, core=0.7)


def test_the_intervals_are_those_of_the_table_of_features():
    shown = st.plot.selection_frequencies(RUNS, level=0.8, core=0.5).data
    table = st.features_table(RUNS, level=0.8, core=0.5)
    assert [*shown["feature"]] == [*table["feature"]]
    np.testing.assert_allclose(shown[["frequency", "low", "high"]], table[["frequency", "wilson_low", "wilson_high"]])
    assert [*shown["selected"]] == [*table["selected"]]
    assert [*shown["steady"]] == [*table["core"]]


def test_level_and_core_are_those_of_the_findings():
    found = st.findings_of(RUNS, core=0.7, level=0.8)
    picture = st.plot.selection_frequencies(found)
    assert picture.note == "Strong: in at least 70% of the runs (dashed line). Thin lines: 80% intervals."
    assert picture.data.equals(st.plot.selection_frequencies({"": RUNS}, core=0.7, level=0.8).data)


def test_there_are_never_too_many_marks():
    many = st.Selections.from_matrix(np.ones((3, 2000), dtype=bool))
    shown = st.plot.selection_frequencies({str(i): many for i in range(40)}, top=2000).data
    assert 3 * len(shown) <= 5000
    assert shown.groupby("selector").size().nunique() == 1


def test_runs_that_select_nothing_give_an_empty_picture():
    picture = st.plot.selection_frequencies(st.Selections.from_sets([[], []], n_features=3))
    assert len(picture.data) == 0
    assert picture.svg().startswith("<svg")
