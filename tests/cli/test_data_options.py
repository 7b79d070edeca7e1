"""`assess` on data that is not one table: what was understood is one line, and sentences speak of options."""

import numpy as np
import pandas as pd
import pytest

from steadyset.cli import run

NAMES = [f"S-{i}" for i in range(20)]


@pytest.fixture
def place(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    genes = pd.DataFrame(np.random.default_rng(0).normal(size=(6, 20)), index=list("abcdef"), columns=NAMES)
    genes.to_csv("genes.csv")
    pd.concat([pd.DataFrame([["ill", "well"] * 10], index=["class"], columns=NAMES), genes]).to_csv("rows.csv")
    known = pd.DataFrame({"sample": NAMES, "outcome": ["ill", "well"] * 10, "age": range(20)})
    known.to_csv("known.csv", index=False)
    return tmp_path


def test_genes_in_rows_with_a_file_of_samples(place, capsys):
    words = ["assess", "genes.csv", "--samples", "known.csv", "--target", "outcome", "-s", "anova:k=2"]
    assert run([*words, "--runs", "3", "--jobs", "1", "--out", "runs"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[:4] == [
        "genes.csv: 20 rows, 6 features (genes in rows), target 'outcome' from known.csv, joined by 'sample'",
        "features named by the first column",
        "not used as features: 'age' of known.csv",
        "outcome: 2 classes (ill 10, well 10)",
    ]


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (
            ["genes.csv", "--samples", "known.csv"],
            "give --target (known.csv has these candidates: 'outcome' (2 values)",
        ),
        (["rows.csv", "--target", "class"], "a row of that name; if rows are features, give --transpose."),
        (["genes.csv", "--target", "outcome"], "If it is in another file, give --samples."),
        (["genes.csv", "--target", "x", "--layer", "raw"], "is no .h5ad file, for which --layer means nothing"),
        (["genes.csv", "-t", "x", "--samples-sheet", "2"], "--samples-sheet belongs to --samples, which is not given"),
        (["genes.csv", "--samples", "known.csv", "-t", "outcome", "--no-transpose"], "leave out --no-transpose"),
    ],
)
@pytest.mark.parametrize("command", ["assess", "tune"])
def test_sentences_speak_of_options(place, capsys, command, words, sentence):
    assert run([command, *words]) == 2
    assert sentence in capsys.readouterr().err
