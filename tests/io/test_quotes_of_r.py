"""Quotes and backslashes as R writes them: `write.csv` doubles a quote, `write.table` puts a backslash before it."""

from __future__ import annotations

import shutil
from pathlib import Path

import pandas as pd
import pytest

import steadyset as st
from steadyset.io.formats.tables import TableFile

HERE = Path(__file__).parent / "written"
NAMES = ['a"b', "plain", '5" nail', 'say "x"']  # the values in R


def column(path, name):
    read = TableFile(path).columns(apart=[name])
    return read.others[read.names.index(name)].to_pylist()


@pytest.mark.parametrize("file", ["r_escape.csv", "r_escape.tsv", "r_escape.txt", "r_rownames.txt"])
def test_escaped_quotes_are_those_of_r(file):
    assert column(HERE / file, "name") == NAMES
    data = st.load_data(HERE / file, "y", drop=[] if file == "r_rownames.txt" else ["name"], prepare="scale")
    assert data.y.tolist() == list("pqpq")
    assert any("backslashes before quotes removed" in note for note in data.notes)


def test_a_backslash_at_the_end_of_a_cell_escapes_nothing():
    assert column(HERE / "r_backslash_double.csv", "name") == [*NAMES, "C:\\dir\\"]


def test_quotes_that_are_escaped_far_below_are_found(tmp_path):
    path = tmp_path / "long.csv"
    rows = [f'"gene {i}",{i}.5\n' for i in range(20_000)]
    path.write_text('"name","x"\n' + "".join(rows) + '"5\\" end",1.5\n', encoding="utf-8")
    assert column(path, "name")[-1] == '5" end'


def test_a_first_name_that_loses_its_mark_is_told_and_names_that_all_have_one_keep_it(tmp_path):
    alone = st.load_data(HERE / "r_hash.csv", "y")
    assert alone.features == ("1", "b")
    assert any("the first name '#1' without its mark #" in note for note in alone.notes)
    every = TableFile(HERE / "r_hashes.csv").columns()
    assert every.names == ["#1", "#2", "#3"]
    assert every.notes == ()
    quoted = tmp_path / "quoted.csv"
    pd.DataFrame({"#1": [1.5, 2.5], "b": [2.5, 1.5], "y": ["p", "q"]}).to_csv(quoted, index=False, quoting=1)
    assert st.load_data(quoted, "y").features == ("#1", "b")
    shutil.copy(HERE / "r_hash.csv", tmp_path / "wide.txt")
    assert st.load_data(tmp_path / "wide.txt", "y").features == ("1", "b")
