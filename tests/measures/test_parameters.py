"""Parameters of measures: typed after a colon, in Python, in the command and on the page, and named so in tables."""

import json
from math import isclose

import numpy as np
import pytest

import steadyset as st
from steadyset.cli import run

# Nine selections of four distinct features in three runs of size 3: the mean frequency of a selected feature is 9/12.
RUNS = st.Selections.from_sets([["a", "b", "c"], ["a", "b", "d"], ["a", "b", "c"]], n_features=10)


@pytest.mark.parametrize(
    ("text", "value"), [("davis", 9 / 12), ("davis:alpha=1", 9 / 12 - 3 / 10), ("SMD-0:alpha=9", 0)]
)
def test_davis_with_a_typed_alpha_is_the_formula_by_hand(text, value):
    assert isclose(st.stability(RUNS, text), value, abs_tol=1e-12)


def test_a_typed_parameter_is_the_parameter_of_the_call():
    ranked = st.Selections.from_rankings([[1, 2, 3, 4], [2, 1, 4, 3], [1, 3, 2, 4]])
    assert st.stability(ranked, "canberra:top=2,relative=True") == st.stability(
        ranked, "canberra", top=2, relative=True
    )
    C = np.array([[1, 0.8, 0], [0.8, 1, 0], [0, 0, 1]])
    sel, similar = st.Selections.from_sets([[0, 2], [1, 2], [0, 2]], n_features=3), st.FeatureSimilarity.from_matrix(C)
    typed = [st.stability(sel, f"sechidis:thresholded={one}", similarity=similar) for one in (True, False)]
    assert typed == [st.stability(sel, "sechidis", similarity=similar, thresholded=one) for one in (True, False)]
    assert typed[0] != typed[1]


def test_a_parameter_of_the_call_comes_after_a_typed_one():
    assert st.stability(RUNS, "davis:alpha=9", alpha=0) == st.stability(RUNS, "davis")


def test_a_name_holds_the_parameters_that_differ_from_their_defaults():
    named = {text: st.get_measure(text).specification for text in ("SMD-0", "davis:alpha=0", "davis:alpha=1.0")}
    assert named == {"SMD-0": "davis", "davis:alpha=0": "davis", "davis:alpha=1.0": "davis:alpha=1"}
    several = st.get_measure("canberra:relative=True,top=3").specification
    assert several == "canberra:top=3,relative=True"
    assert st.get_measure(several) == st.get_measure("canberra:relative=True,top=3")


def test_tables_and_comparisons_name_the_parameters():
    asked = ["davis", "davis:alpha=1"]
    assert list(st.stability_table(RUNS, asked).index) == asked
    assert list(st.stability_table(RUNS, "davis", params={"davis": {"alpha": 1}}).index) == asked[1:]
    assert st.compare({"one": RUNS, "two": RUNS}, "davis:alpha=1").measure == "davis:alpha=1"
    assert st.plot.stability_by_measure(RUNS, measures=asked).data["measure"].tolist() == asked


@pytest.mark.parametrize("text", ["davis:beta=1", "davis:alpha=x", "davis:alpha=-1", "jaccard:alpha=1", "davis:alpha"])
def test_what_is_no_parameter_of_a_measure_is_refused(text):
    with pytest.raises(st.InputError):
        st.stability(RUNS, text)


def test_every_parameter_has_a_meaning_and_is_taken_with_its_default():
    for name, row in st.list_measures().iterrows():
        assert set(row["meanings"]) == set(row["parameters"])
        assert "a parameter of the formula" not in row["meanings"].values()
        typed = ",".join(f"{key}={value}" for key, value in row["parameters"].items())
        assert st.get_measure(f"{name}:{typed}").specification == name


def test_a_registered_measure_takes_its_parameters_by_name():
    def tversky(r, ki, kj, d, *, alpha=1.0):
        """Tversky's ratio, which is jaccard for alpha = 1 and dice for alpha = 0.5.

        Parameters
        ----------
        alpha : float, default=1.0
            The weight of features that one run alone selects.
        """
        return r / (r + alpha * (ki + kj - 2 * r))

    st.register_measure("tversky", tversky, params={"alpha": 1.0})
    try:
        assert isclose(st.stability(RUNS, "tversky:alpha=0.5"), st.stability(RUNS, "dice"), rel_tol=1e-12)
        assert isclose(st.stability(RUNS, "tversky"), st.stability(RUNS, "jaccard"), rel_tol=1e-12)
        assert st.list_measures().loc["tversky", "meanings"] == {
            "alpha": "the weight of features that one run alone selects"
        }
        assert st.get_measure("tversky:alpha=0.5").specification == "tversky:alpha=0.5"
    finally:
        st.unregister_measure("tversky")


def test_the_command_takes_and_shows_parameters(tmp_path, capsys):
    RUNS.write(tmp_path / "runs.json")
    command = ["measure", str(tmp_path / "runs.json"), "-m", "davis:alpha=1", "-m", "davis", "--format", "json"]
    assert run(command) == 0
    rows = json.loads(capsys.readouterr().out)["measures"]
    assert [(row["measure"], round(row["estimate"], 12)) for row in rows] == [("davis:alpha=1", 0.45), ("davis", 0.75)]
    assert run(["measures", "davis"]) == 0
    assert "  alpha=0.0: the weight of the penalty on the median size, at least 0" in capsys.readouterr().out
    assert run(["measure", str(tmp_path / "runs.json"), "-m", "davis:beta=1"]) == 2
    assert "davis has no parameter 'beta'; it takes alpha." in capsys.readouterr().err
