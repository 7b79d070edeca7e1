"""The page on extending, through the command: each of its blocks is a file for --load, and its name then works."""

import re
import shlex

import pytest
from sklearn.datasets import load_breast_cancer
from tests.documentation import DOCS

from papers.framework import unregister_paper
from steadyset.cli import run
from steadyset.measures import record

PAGE = (DOCS / "extending.md").read_text(encoding="utf-8")
BLOCKS = re.findall(r"^```python\n(.*?)^```$", PAGE, re.DOTALL | re.MULTILINE)
ASSESS = "assess table.csv --target class --runs 4 --jobs 1 --out out"
COMMANDS = {  # of each block: a text that it alone has, the command, and what that prints of the registered thing
    'register_measure("simpson"': ("measure sets.csv --measure simpson", "simpson"),
    'register_measure("same_sign"': ("measure weights.csv --measure same_sign", "same_sign"),
    "def medians_apart": (f"{ASSESS} --selector medians_apart:k=5", "medians_apart:k=5"),
    "class LateRows": (f"{ASSESS} --resampling late_rows:share=0.7 --selector anova:k=5", "anova:k=5"),
    'register_selector(\n    "k_best"': (f"{ASSESS} --selector k_best:k=5", "k_best:k=5"),
    "def furthest_apart": (f"{ASSESS} --selector furthest_apart", "furthest_apart"),
    "def exchangeable": (f"{ASSESS} --selector stability_selection:rule=exchangeable,q=5", "rule=exchangeable"),
    "class Majority": (f"{ASSESS} --selector stability_selection:rule=majority", "rule=majority"),
    "def sizes_against_scores": (f"{ASSESS} --selector anova:k=5 --selector anova:k=9", "anova:k=9"),
    "class MostCorrelated": (f"{ASSESS} --selector most_correlated:k=4", "most_correlated:k=4"),
    "import item, register_paper": ("measures", "nogueira"),  # papers have no command: the file is loaded
}


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """A folder with a table, recorded selections and weights, that the commands run in."""
    monkeypatch.setattr(record, "_families", dict(record._families))
    monkeypatch.chdir(tmp_path)
    X, y = load_breast_cancer(return_X_y=True, as_frame=True)
    X.assign(**{"class": y})[::4].to_csv("table.csv", index=False)
    (tmp_path / "sets.csv").write_text("run,feature\n1,a\n1,b\n2,a\n3,a\n3,c\n", encoding="utf-8")
    (tmp_path / "weights.csv").write_text(
        "run,feature,weight\n1,a,1\n1,b,-2\n2,a,0.5\n2,b,1\n3,a,2\n3,c,-1\n", encoding="utf-8"
    )
    yield tmp_path
    unregister_paper("doe-2026")


def test_every_block_of_the_page_has_a_command():
    assert [sum(words in block for words in COMMANDS) for block in BLOCKS] == [1] * len(BLOCKS)


@pytest.mark.slow
@pytest.mark.parametrize("words", COMMANDS)
def test_a_block_of_the_page_that_is_loaded_works_by_its_name_in_the_command(words, folder, capsys):
    """Buys: what the page promises of --load, for every kind of addition."""
    command, expected = COMMANDS[words]
    (folder / "mine.py").write_text(next(block for block in BLOCKS if words in block), encoding="utf-8")
    assert run([*shlex.split(command), "--load", "mine.py"]) == 0, capsys.readouterr().err
    printed = capsys.readouterr().out
    assert expected in printed
    assert "failed" not in printed
    if "sizes_against_scores" in words:
        assert run(["report", "out", "--load", "mine.py", "--out", "report.html"]) == 0
        assert "Size and accuracy" in (folder / "report.html").read_text(encoding="utf-8")


SELECTOR = """
import steadyset as st


def last(X, y, size=2):
    \"\"\"The last columns.\"\"\"
    return list(X.columns[-size:])


st.register_selector("last", last)
"""


SLOWER = [pytest.param(command, marks=pytest.mark.slow) for command in ("replicate", "why")]


@pytest.mark.parametrize("command", ["assess", *SLOWER])
def test_a_function_works_by_its_name_in_every_command_that_takes_selectors(command, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    rows = (f"{row},{row * 7 % 11},{row * 5 % 13},{'ab'[row % 2]}" for row in range(60))
    (tmp_path / "table.csv").write_text("\n".join(["x,y,z,class", *rows]), encoding="utf-8")
    (tmp_path / "mine.py").write_text(SELECTOR, encoding="utf-8")
    runs = {"assess": ["--runs", "2", "--jobs", "1", "--score", "accuracy"]}.get(command, ["--jobs", "1"])
    given = ["--target", "class", "--load", "mine.py", "--selector", "last:size=1", *runs]
    assert run([command, "table.csv", *given]) == 0, capsys.readouterr().err
    assert run([command, "table.csv", *given, "--selector", "last:length=1"]) == 2
    assert "has no parameter 'length'; it takes size." in capsys.readouterr().err


@pytest.mark.slow
def test_a_function_is_tuned_by_its_name_over_its_own_arguments(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    rows = (f"{row},{row * 7 % 11},{row * 5 % 13},{'ab'[row % 2]}" for row in range(60))
    (tmp_path / "table.csv").write_text("\n".join(["x,y,z,class", *rows]), encoding="utf-8")
    (tmp_path / "mine.py").write_text(SELECTOR, encoding="utf-8")
    (tmp_path / "space.json").write_text('{"model": {"last": {"size": [1, 2]}}}', encoding="utf-8")
    search = "--space space.json --trials 4 --resampling kfold:n_splits=3 --jobs 1 --out out"
    assert run(["tune", "table.csv", "--target", "class", "--load", "mine.py", *search.split()]) == 0
    assert "none, last, size=" in capsys.readouterr().out
    assert run(["report", "out", "--load", "mine.py", "--out", "report.html"]) == 0
