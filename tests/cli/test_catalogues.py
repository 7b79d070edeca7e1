"""`steadyset selectors` and `steadyset resamplings`: what there is, told in full and as it is used."""

import json

import pytest

import steadyset as st
from steadyset.cli import run
from steadyset.resampling import resampling_by_name
from steadyset.selectors.catalogue import selector_by_name, selector_names, why_unable

OWN = """
import steadyset as st
from sklearn.feature_selection import SelectKBest

class EverySecond(st.Subsample):
    "Every second row."

st.register_selector("best", SelectKBest(k=3), summary="what scores best", reference="Anonymous 2026")
st.register_resampling("every_second", EverySecond)
"""


@pytest.mark.parametrize(
    ("command", "catalogue"), [("selectors", st.list_selectors), ("resamplings", st.list_resamplings)]
)
def test_every_format_lists_what_the_library_lists(command, catalogue, capsys):
    names = list(catalogue().index)
    assert run([command, "--format", "json"]) == 0
    assert [row["name"] for row in json.loads(capsys.readouterr().out)] == names
    assert run([command, "--format", "csv"]) == 0
    assert len(capsys.readouterr().out.splitlines()) == len(names) + 1
    assert run([command]) == 0
    table = capsys.readouterr().out
    assert [name for name in names if f" {name} " not in table] == []


def test_every_parameter_of_every_selector_has_a_meaning_and_is_taken_with_its_default():
    for name, row in st.list_selectors().iterrows():
        unexplained = [key for key in row["parameters"] if not row["meanings"].get(key)]
        assert unexplained == [], (name, unexplained)
        task = "number" if row["target"] == "number" else "classes"
        typed = ",".join(f"{key}={value}" for key, value in row["parameters"].items() if value is not None)
        selector_by_name(f"{name}:{typed}", task)


def test_every_parameter_of_every_resampling_has_a_meaning():
    for name, row in st.list_resamplings().iterrows():
        assert set(row["parameters"]) == set(resampling_by_name(str(name)).get_params())
        assert {key for key in row["parameters"] if not row["meanings"].get(key)} == set(), name


def test_targets_are_those_that_a_selector_runs_on():
    told = st.list_selectors()["target"]
    for name in selector_names():
        if told[name] != "none":
            assert ("number" in told[name]) == (not why_unable(name, "number", 2)), name
            assert (told[name].startswith("classes")) == (not why_unable(name, "classes", 3)), name


def test_one_selector_is_shown_in_full(capsys):
    assert run(["selectors", "elastic_net"]) == 0
    said = capsys.readouterr().out
    assert "target: classes or number" in said
    assert "reference: Zou and Hastie 2005" in said
    assert "  l1_ratio=0.5: the share of the L1 penalty" in said


def test_options_of_a_filter_are_parameters_of_its_name():
    assert selector_by_name("relieff:k=3,n_neighbors=5", "classes").get_params()["params"] == {"n_neighbors": 5}
    with pytest.raises(st.InputError, match=r"has no parameter 'neighbours'; it takes .*n_neighbors"):
        selector_by_name("relieff:neighbours=5", "classes")


def test_what_a_file_registers_is_listed(tmp_path, capsys):
    (tmp_path / "mine.py").write_text(OWN, encoding="utf-8")
    assert run(["selectors", "best", "--load", str(tmp_path / "mine.py")]) == 0
    said = capsys.readouterr().out
    assert "summary: what scores best" in said
    assert "reference: Anonymous 2026" in said
    assert "  k=3" in said
    assert run(["resamplings", "every_second"]) == 0
    assert "summary: Every second row" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("command", "sentence"),
    [
        (["selectors", "laso"], "did you mean 'lasso'?"),
        (["selectors", "zzz"], "`steadyset selectors` lists them."),
        (["resamplings", "bootstrop"], "did you mean 'bootstrap'?"),
        (["resamplings", "zzz"], "known are bootstrap, subsample"),
    ],
)
def test_unknown_names_get_a_sentence_that_helps(command, sentence, capsys):
    assert run(command) == 2
    assert sentence in capsys.readouterr().err
