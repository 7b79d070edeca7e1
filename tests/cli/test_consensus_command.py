"""`steadyset consensus`: files or the selectors of a run folder, as a table, csv or json."""

import csv
import io
import json

import numpy as np
import pytest

import steadyset as st
from steadyset.cli import run

NAMES = [f"g{i}" for i in range(30)]
LASSO = st.Selections.from_sets([["g1", "g2"], ["g1", "g3"], ["g1", "g2"]], features=NAMES)
FOREST = st.Selections.from_sets([["g1", "g5"], ["g1", "g2", "g5"]], features=NAMES)


@pytest.fixture
def files(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    LASSO.write(tmp_path / "lasso.csv")
    FOREST.write(tmp_path / "forest.csv")
    return ["lasso.csv", "forest.csv"]


def test_the_table_says_what_is_backed_and_what_chance_gives(files, capsys):
    assert run(["consensus", *files]) == 0
    told = capsys.readouterr().out
    assert "Both methods back 2 features: g1, g2. Random sets of the same sizes would have 0.2 in common" in told
    assert "features are ranked by mean selection frequency" in told
    assert "lasso and forest" in told


def test_csv_has_every_feature_and_json_the_findings(files, capsys):
    assert run(["consensus", *files, "--aggregate", "borda", "--format", "csv"]) == 0
    rows = list(csv.DictReader(io.StringIO(capsys.readouterr().out)))
    expected = st.consensus({"lasso": LASSO, "forest": FOREST}, aggregate="borda").features
    assert [row["feature"] for row in rows] == expected["feature"].tolist()
    assert [float(row["score"]) for row in rows] == pytest.approx(expected["score"].tolist())
    assert run(["consensus", *files, "--format", "json"]) == 0
    told = json.loads(capsys.readouterr().out)
    assert told["kind"] == "consensus"
    assert told["backed"][0]["features"] == 2
    assert told["ranking"][0]["frequencies"] == {"lasso": 1.0, "forest": 1.0}


def test_the_selectors_of_a_run_folder_are_methods(tmp_path, capsys):
    random = np.random.default_rng(0)
    y = np.repeat([0, 1], 20)
    X = random.normal(size=(40, 6)) + 2 * np.outer(y, [1, 0, 0, 0, 0, 0])
    result = st.assess(["anova:k=2", "auc:k=1"], X, y, resampling=st.Bootstrap(5), out=tmp_path / "runs", scoring=[])
    assert run(["consensus", str(tmp_path / "runs"), "--format", "json"]) == 0
    told = json.loads(capsys.readouterr().out)
    assert [row["name"] for row in told["summary"]] == list(result.selectors)
    assert (told["ranking"][0]["feature"], told["ranking"][0]["direction"]) == ("x0", "higher in 1")


def test_lists_of_one_run_each_are_methods(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "one.txt").write_text("tp53\nbrca1\nmyc\n", encoding="utf-8")
    (tmp_path / "two.txt").write_text("tp53\nmyc\nkras\n", encoding="utf-8")
    assert run(["consensus", "one.txt", "two.txt", "--features", "1000"]) == 0
    told = capsys.readouterr()
    assert "Both methods back 2 features: tp53, myc" in told.out
    assert "0.009 in common" in told.out
    assert run(["consensus", "one.txt", "two.txt"]) == 0
    assert "give --features N or --universe FILE" in capsys.readouterr().out


def test_each_list_of_one_file_can_be_a_method(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "lists.gmt").write_text(
        "Anna\tna\ttp53\tmyc\nBen\tna\ttp53\tkras\nEva\tna\ttp53\tmyc\n", encoding="utf-8"
    )
    assert run(["consensus", "lists.gmt", "--each-list", "--features", "50"]) == 0
    told = capsys.readouterr().out
    assert "All 3 methods back 1 feature: tp53." in told
    assert told.count("3 runs from 3 GMT lines") == 1
    assert told.count("Anna, Ben and Eva: one run alone agrees with nothing.") == 1
    assert run(["consensus", "lists.gmt", "--each-list", "--format", "json"]) == 0
    findings = json.loads(capsys.readouterr().out)
    assert [row["name"] for row in findings["summary"]] == ["Anna", "Ben", "Eva"]


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (
            ["lasso.csv"],
            "lasso.csv is the only method; give --each-list if each of its 3 lists is",
        ),
        (["lasso.csv", "lasso.csv"], "The same file is given twice"),
        (["lasso.csv", "forest.csv", "--aggregate", "best"], "--aggregate must be one of top_frequency, mean_rank"),
        (["lasso.csv", "forest.csv", "--backing", "2"], "--backing must be a share of the runs"),
        (["lasso.csv", "forest.csv", "-m", "nogueira"], "nogueira does not compare two sets"),
    ],
)
def test_refusals_are_one_sentence(files, arguments, sentence, capsys):
    assert run(["consensus", *arguments]) == 2
    assert sentence in capsys.readouterr().err


def test_a_consensus_has_a_report(tmp_path):
    found = st.consensus({"lasso": LASSO, "<b>forest": FOREST})
    page = st.report(found, tmp_path / "page.html").read_text(encoding="utf-8")
    assert "Features by consensus" in page
    assert "<td>2 of 2</td>" in page
    assert "<b>forest" not in page
