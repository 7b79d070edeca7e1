"""Results draw themselves."""

import subprocess
import sys

import pytest

import steadyset as st

RUNS = st.Selections.from_sets([["a", "b"], ["a", "c"], ["a"], ["a", "b"]], features=list("abcd"))
OTHERS = st.Selections.from_sets([["d"], ["c"], ["a", "d"], ["b"]], features=list("abcd"))


def test_selections_draw_their_frequencies_and_any_picture_of_selections():
    assert RUNS.plot(top=2).data.equals(st.plot.selection_frequencies(RUNS, top=2).data)
    assert RUNS.plot("runs_by_features").data.equals(st.plot.runs_by_features(RUNS).data)


def test_a_result_of_several_selectors_asks_whose_runs():
    consensus = st.consensus({"one": RUNS, "two": OTHERS})
    one = consensus.plot("runs_by_features", selector="one")
    assert one.data.equals(st.plot.runs_by_features(RUNS).data)
    with pytest.raises(st.InputError, match="selector must be one of one, two"):
        consensus.plot("runs_by_features")


def test_a_result_without_a_picture_of_its_own_says_so():
    with pytest.raises(st.InputError, match="no picture made for int"):
        st.plot.picture_of(3)


def test_a_picture_that_cannot_show_a_result_says_what_it_needs():
    st.plot.register_picture("mine", st.plot.selection_frequencies, title="Mine", needs=("front",))
    with pytest.raises(st.InputError, match="mine cannot show this Selections: it needs front"):
        RUNS.plot("mine")


def test_results_are_drawn_though_they_import_no_picture():
    code = "import sys, steadyset as st; st.Selections; assert 'steadyset.plots' not in sys.modules"
    code += "; print(len(st.Selections.from_sets([[0], [0]], n_features=2).plot().data))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "1\n"
