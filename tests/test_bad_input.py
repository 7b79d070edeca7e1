"""Bad input: one clear sentence that names what was found and what is expected."""

from __future__ import annotations

import gzip
import json
import subprocess
import sys

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from pyarrow import parquet
from scipy import sparse
from tests.peak import PEAK, needs_peak

import steadyset as st
from steadyset import InputError, Selections


def sentence_of(call, *arguments, **options):
    """The one sentence that the call is refused with."""
    with pytest.raises(InputError) as caught:
        call(*arguments, **options)
    sentence = str(caught.value)
    assert "\n" not in sentence
    assert sentence.endswith((".", "?"))
    assert caught.value.__cause__ is None
    return sentence


MATRICES = [
    ([[0, 1], [np.nan, 1]], "Z holds nan for run 2, feature 0; a 0/1 matrix holds only 0, 1, True and False"),
    ([[0, 0.5], [1, 1]], "Z holds 0.5 for run 1, feature 1;"),
    ([[0, 2], [1, 1]], "Z holds 2 for run 1, feature 1;"),
    ([[0, -1], [1, 1]], "Z holds -1 for run 1, feature 1;"),
    ([[0, np.inf], [1, 1]], "Z holds inf for run 1"),
    ([["a", "b"], ["c", "d"]], "Z holds text; expected numbers."),
    ([["1", "0"], ["0", "1"]], "Z holds text; expected numbers."),
    (np.array([[1j, 0]]), "Z holds complex numbers; expected numbers."),
    (np.array([["1", 0], [{}, 1]], dtype=object), "Z holds the text '1'; expected numbers."),
    ([[0, 1], [1]], "Z has rows of different lengths."),
    ([0, 1, 1], "Z has 1 dimension(s); expected 2: one row per run, one column per feature."),
    (np.zeros((2, 2, 2)), "Z has 3 dimension(s); expected 2"),
    (np.zeros((3, 0)), "Z has no features (its shape is (3, 0)); at least one is needed."),
    (np.zeros((0, 3)), "Z has no runs (its shape is (0, 3)); at least one is needed."),
    ([], "Z has 1 dimension(s)"),
    (sparse.csr_array((2, 0)), "Z has no features"),
    (sparse.coo_array(np.array([1, 0])), "Z has 1 dimension(s)"),
    (sparse.csr_array([[0.5, 0], [1, 1]]), "Z holds 0.5 for run 1, feature 0;"),
    (sparse.csr_array([[np.nan, 0], [1, 1]]), "Z holds nan for run 1, feature 0;"),
    (np.ma.masked_array([[1, 0], [0, 1]], [[0, 0], [1, 0]]), "Z holds nan for run 2, feature 0;"),
    ("selections.csv", "Z is a str; expected an array with one row per run, a sparse matrix, or a pandas, polars"),
    (None, "Z is a NoneType; expected"),
    ({"a": [1, 0]}, "Z is a dict; expected"),
    (pl.LazyFrame({"a": [1, 0]}), "Z is a LazyFrame; expected"),
    (pd.Series([1, 0]), "Z is a Series; expected"),
    (pd.DataFrame({"a": [1, 0], "b": ["x", "y"]}), "Z has the column 'b' of type String; expected numbers or bools."),
    (pd.DataFrame({"a": [1.0, np.nan]}), "Z holds nan for run 2, feature 'a';"),
    (pl.DataFrame({"a": [1, None]}), "Z holds nan for run 2, feature 'a';"),
    (pa.table({"a": pa.array([True, None])}), "Z holds nan for run 2, feature 'a';"),
    (pd.DataFrame([[1, 0]], columns=["a", "a"]), "Z has two columns called 'a'; names must be distinct."),
    (pd.DataFrame([[1, 0, 1, 0]], columns=list("baaa")), "Z has 3 columns called 'a'; names must be distinct."),
    (pd.DataFrame({"a": []}), "Z has no rows; expected one row per run."),
    (pd.DataFrame({"run": ["u", "v"]}), "Z has no features; expected one column per feature."),
    (pl.DataFrame({"run": ["u", None], "a": [1, 0]}), "Z has no value for run 2 in the column 'run'."),
    (pd.DataFrame({"run": ["u", "u"], "a": [1, 0]}), "The run label 'u' occurs twice; labels must be distinct."),
]


@pytest.mark.parametrize(("table", "sentence"), MATRICES)
def test_matrices_that_are_not_zeros_and_ones(table, sentence):
    assert sentence in sentence_of(Selections.from_matrix, table)


SETS = [
    (
        [["a", "b"], ["c"]],
        {"n_features": 2},
        "The runs select 3 distinct names, more than the 2 that n_features allows.",
    ),
    (
        [["a"], [1]],
        {"n_features": 2},
        "Run 2 selects the index 1 while others are selected by name; give the names of all features",
    ),
    ([["a", ""]], {"n_features": 2}, "The name of feature 1 is empty; every feature needs a name."),
    ([["a", "z"]], {"features": ["a", "b"]}, "Run 1 selects 'z', which is not among the features."),
    ([[0], [3]], {"n_features": 3}, "Run 2 selects the index 3; expected indices from 0 to 2."),
    ([[0], [-1]], {"n_features": 3}, "Run 2 selects the index -1; expected indices from 0 to 2."),
    ([[10**30]], {"n_features": 3}, f"Run 1 selects the index {10**30}; expected indices from 0 to 2."),
    ([np.array([0, 7])], {"n_features": 3}, "Run 1 selects the index 7; expected indices from 0 to 2."),
    ([["a"], ["b", "a", "b"]], {"features": ["a", "b"]}, "Run 2 lists feature 'b' twice."),
    ([[1, 0, 1]], {"n_features": 3}, "Run 1 lists feature 1 twice."),
    ([["a", 0]], {"features": ["a", "b"]}, "Run 1 lists feature 'a' twice."),
    ([["a"]], {"features": ["a", "b", "a"]}, "The feature name 'a' occurs twice; names must be distinct."),
    ([["a"]], {"features": ["a", ""]}, "The name of feature 1 is empty; every feature needs a name."),
    ([["a"]], {"features": "abc"}, "features must be a list of names (got 'abc')."),
    ([["a"]], {"features": 3}, "features must be a list of names (got 3)."),
    ([["a"]], {"features": []}, "features is empty; at least one is needed."),
    ([["a"]], {"features": ["a", "b"], "n_features": 3}, "2 feature names are given for 3 features;"),
    ([[0]], {}, "from_sets does not say how many features there were to choose from; give features or n_features."),
    ([[0]], {"n_features": -1}, "n_features must be at least 1 (got -1)."),
    ([[]], {"n_features": 0}, "n_features must be at least 1 (got 0)."),
    ([[0]], {"n_features": 2.5}, "n_features must be a whole number (got 2.5)."),
    ([[0]], {"n_features": "3"}, "n_features must be a whole number (got '3')."),
    ([[0]], {"n_features": 10**12}, "n_features must be at most 2147483647 (got 1000000000000)."),
    ([], {"n_features": 3}, "There are no runs; at least one is needed."),
    (["ab", "b"], {"features": ["a", "b"]}, "Run 1 is 'ab'; expected a collection of feature names or indices."),
    ([[0], None], {"n_features": 3}, "Run 2 is None; expected a collection"),
    ([{"a": 0.5}], {"features": ["a"]}, "Run 1 is {'a': 0.5}; expected a collection"),
    (5, {"n_features": 3}, "sets must be a collection of runs, each a collection of features (got 5)."),
    ("ab", {"n_features": 3}, "sets must be a collection of runs, each a collection of features (got 'ab')."),
    ([[1.0]], {"n_features": 3}, "Run 1 holds 1.0; expected feature names (text) or 0-based indices (integers)."),
    ([[True]], {"n_features": 3}, "Run 1 holds True; expected feature names"),
    ([np.array([True, False])], {"n_features": 3}, "expected feature names"),
    ([[0], [1]], {"n_features": 3, "labels": ["u"]}, "1 labels are given for 2 runs; expected one label per run."),
    ([[0], [1]], {"n_features": 3, "labels": ["u", "u"]}, "The run label 'u' occurs twice; labels must be"),
    ([[0], [1]], {"n_features": 3, "labels": ["u", ""]}, "The label of run 2 is empty; every run needs a label."),
    ([[0], [1]], {"n_features": 3, "labels": "uv"}, "labels must be a list with one label per run (got 'uv')."),
]


@pytest.mark.parametrize(("sets", "options", "sentence"), SETS)
def test_sets_that_do_not_fit_the_features(sets, options, sentence):
    assert sentence in sentence_of(Selections.from_sets, sets, **options)


def test_weights_and_rankings_that_cannot_be():
    two = Selections.from_sets([[0], [0, 1]], n_features=2)
    assert "W holds nan for run 1, feature 1; weights are finite" in sentence_of(Selections.from_weights, [[1, np.nan]])
    assert "W holds -inf" in sentence_of(Selections.from_weights, [[1, -np.inf]])
    assert "R holds 0.0 for run 1, feature 1; ranks start at 1" in sentence_of(
        Selections.from_rankings, np.array([[1, 0]])
    )
    assert "R holds nan" in sentence_of(Selections.from_rankings, [[1, np.nan]])
    assert "top must be a whole number from 0 to 2, the number of features (got 3)" in sentence_of(
        Selections.from_rankings, [[1, 2]], top=3
    )
    assert "top must be a whole number from 0 to 2, the number of features (got 1.5)." in sentence_of(
        Selections.from_rankings, [[1, 2]], top=1.5
    )
    assert "Run 1 lists feature 'a' twice" in sentence_of(Selections.from_rankings, [["a", "a"]], ["a", "b"])
    assert "one weight for each feature" in sentence_of(two.with_weights, [[1], [1]])
    assert "rows holds text" in sentence_of(two.with_weights, [[1], ["x", 2]])
    assert "not finite" in sentence_of(two.with_weights, [[1], [np.nan, 2]])
    assert "R has the shape (1, 2); expected (2, 2)." in sentence_of(two.with_rankings, [[1, 2]])
    assert "rows of different lengths" in sentence_of(two.with_rankings, [[1, 2], [1]])
    assert "hold no weights" in sentence_of(two.to_matrix, weights=True)
    assert "run must be a number from 0 to 1 (got 2)." in sentence_of(two.selected, 2)
    assert "layout must be one of wide, long (got 'x')." in sentence_of(two.to_frame, layout="x")
    assert 'backend must be "pandas" or "polars" (got \'r\').' in sentence_of(two.to_frame, backend="r")


LONG = [
    ({"run": [1], "gene": ["a"]}, {}, "The long table has no column 'feature'; it has run, gene."),
    ({"run": [], "feature": []}, {}, "The long table has no rows; expected one row for each selected feature."),
    ({"run": [1, 2], "feature": ["a", "b"]}, {}, "names 2 features but not how many there were to choose from;"),
    ({"run": [1, 2], "feature": ["a", "b"]}, {"n_features": 1}, "names 2 features, more than the 1 that n_features"),
    ({"run": [1, 2], "feature": ["a", "z"]}, {"features": ["a", "b"]}, "selects 'z', which is not among the features."),
    ({"run": [1, 2], "feature": [0, 5]}, {"n_features": 5}, "the feature index 5; expected indices from 0 to 4."),
    ({"run": [1, 2], "feature": [0, -1]}, {"n_features": 5}, "the feature index -1; expected indices from 0 to 4."),
    ({"run": [1, 1], "feature": ["a", "a"]}, {"n_features": 5}, "Run 1 lists feature 'a' twice."),
    ({"run": [None, None], "feature": ["a", "b"]}, {}, "There are no runs; at least one is needed."),
    (
        {"run": [1], "feature": ["a"], "weight": ["x"]},
        {"n_features": 2},
        "'weight' holds something other than numbers.",
    ),
    (
        {"run": [1], "feature": ["a"], "weight": [np.inf]},
        {"n_features": 2},
        "'weight' has a missing or infinite value.",
    ),
    ({"run": [1, 2], "feature": ["a", "b"], "weight": [1, None]}, {"n_features": 2}, "missing or infinite value."),
    ({"run": [1], "feature": [0], "rank": [1]}, {"n_features": 10**9}, "has 1 ranks for 1 runs and 1000000000"),
    (
        {"run": [1, 1], "feature": [0, 0], "rank": [1, 1], "selected": [0, 0]},
        {"n_features": 2},
        "Run 1 has no rank for",
    ),
]


@pytest.mark.parametrize(("columns", "options", "sentence"), LONG)
def test_long_tables_that_do_not_say_what_they_have_to(columns, options, sentence):
    assert sentence in sentence_of(Selections.from_long, pl.DataFrame(columns, strict=False), **options)
    assert sentence in sentence_of(Selections.from_long, pd.DataFrame(columns), **options)


TEXTS = [
    ("s.csv", b"", "is empty."),
    ("s.csv", b"\n\n", "is empty."),
    ("s.csv.gz", gzip.compress(b"", mtime=0), "is empty."),
    ("s.csv", b"a,b\n", "The table has no rows; expected one row per run."),
    ("s.csv", b"run,feature\n", "The long table has no rows"),
    ("s.csv", b"a,b\n1,0\n0.5,1\n", "The table holds 0.5 for run 2, feature 'a';"),
    ("s.csv", b"a,b\n1,0\n,1\n", "The table holds nan for run 2, feature 'a';"),
    ("s.csv", b"a,b\n1,0\nx,1\n", "The table has the column 'a' of type String; expected numbers or bools."),
    ("s.csv", b"a,a\n1,0\n", "The table has two columns called 'a'; names must be distinct."),
    ("s.csv", b"a,b,\n1,0,1\n", "The name of feature 2 is empty; every feature needs a name."),
    ("s.csv", b"run,a\nu,1\nu,0\n", "The run label 'u' occurs twice; labels must be distinct."),
    ("s.csv", b"run,a\nu,1\n,0\n", "The label of run 2 is empty; every run needs a label."),
    ("s.csv", b"run,feature\n,a\n1,a\n1,a\n", "Run 1 lists feature 'a' twice."),
    ("s.csv", "a,b\n1,0\n".encode("utf-16") + b"\n", "begins as UTF-16 text, but is damaged further down"),
    ("s.csv", "é,b\n1,0\n0,".encode() + b"\xe2", "is UTF-8 text with 1 damaged character; save it again as UTF-8."),
    ("s.csv.gz", b"a,b\n1,0\n", "cannot be read: Not a gzipped file"),
    ("s.csv.gz", gzip.compress(b"a,b\n1,0\n" * 99, mtime=0)[:-20], "is not a well-formed gzip file."),
    ("s.csv.gz", gzip.compress(b"a,b\n1,0\n" * 99, mtime=0)[:15] + b"xxxxxxxxxxxx", "gzip file."),
    ("s.json", b"", "is empty."),
    ("s.json", b'{"features": ["a", "b"], "runs": ["a"]}', 'steadyset.selections, but "schema" is missing'),
    ("s.json", b"[[0, 1]", "is not well-formed JSON: "),
    ("s.json", b"[" * 100_000, "is not well-formed JSON: "),
    ("s.json", "[['gène']]".encode("latin-1"), "is not UTF-8 text; save it as UTF-8."),
    ("s.json", b"3", "holds a int; expected a list of runs, each a list of features."),
    ("s.json", b"[[0], [1]]", "give features or n_features"),
    ("s.json", b'{"u": ["a"], "u": ["b"]}', "The key 'u' occurs twice; expected distinct keys."),
    (
        "s.json",
        b'{"schema": "steadyset.selections"}',
        "does not follow the steadyset.selections schema: 'schema_version'",
    ),
    (
        "s.json",
        b'{"schema": "steadyset.selections", "schema_version": 9}',
        "schema_version is 9; this version reads 1.",
    ),
    ("s.parquet", b"", "is empty."),
    ("s.parquet", b"run,feature\n1,a\n", "is not a readable Parquet file: "),
    ("s.parquet", b"PAR1" + b"\xff" * 40 + b"PAR1", "is not a readable Parquet file: "),
    ("s.pdf", b"a,b\n1,0\n", "has an unknown ending; expected .csv, .tsv, .txt, .tab, .gmt, .gmx, .lst, .list or .grp"),
    ("s.json.gz", b"[]", "has an unknown ending;"),
    ("selections", b"[]", "has an unknown ending;"),
]


@pytest.mark.parametrize(("name", "content", "sentence"), TEXTS)
def test_files_that_are_not_selections(tmp_path, name, content, sentence):
    (tmp_path / name).write_bytes(content)
    said = sentence_of(Selections.read, tmp_path / name)
    assert said.startswith(str(tmp_path / name))
    assert sentence in said


@pytest.mark.parametrize("ending", ["csv", "parquet", "json"])
def test_files_that_are_not_there_or_are_folders(tmp_path, ending):
    assert sentence_of(Selections.read, tmp_path / f"s.{ending}") == f"{tmp_path / f's.{ending}'} does not exist."
    (tmp_path / f"s.{ending}").mkdir()
    expected = "is a folder; expected a file, or a folder of .txt files with one list each."
    assert expected in sentence_of(Selections.read, tmp_path / f"s.{ending}")


@pytest.mark.parametrize("change", [{"n_features": -3}, {"runs": [[9]]}, {"runs": 4}, {"weights": [["x"]]}])
def test_json_with_the_schema_is_checked_like_anything_else(tmp_path, change):
    Selections.from_weights([[2.0, 0]]).write(tmp_path / "s.json")
    content = json.loads((tmp_path / "s.json").read_text(encoding="utf-8"))
    (tmp_path / "s.json").write_text(json.dumps(content | change), encoding="utf-8")
    assert str(tmp_path / "s.json") in sentence_of(Selections.read, tmp_path / "s.json")


@pytest.mark.parametrize("ending", ["csv", "json"])
def test_announced_features_have_to_fit_the_file(tmp_path, ending):
    path = tmp_path / f"s.{ending}"
    Selections.from_sets([[0], [1]], ["a", "b"]).write(path)
    assert "has 2 feature" in sentence_of(Selections.read, path, n_features=1)
    assert "1 feature names are given for 2 features" in sentence_of(Selections.read, path, features=["a"])
    assert Selections.read(path, features=["u", "v"], n_features=2).features == ("u", "v")


def test_a_parquet_file_cut_short(tmp_path):
    Selections.from_sets([[0], [1]], ["a", "b"]).write(tmp_path / "s.parquet")
    whole = (tmp_path / "s.parquet").read_bytes()
    for length in (5, len(whole) // 2, len(whole) - 1):
        (tmp_path / "s.parquet").write_bytes(whole[:length])
        assert "s.parquet" in sentence_of(Selections.read, tmp_path / "s.parquet")


def varint(n):
    digits = []
    while n > 127:
        digits.append(n & 127 | 128)
        n >>= 7
    return bytes([*digits, n])


def forged_parquet(path, claimed_rows):
    """A file of three rows whose footer claims more: field 3 (num_rows) of the file, and of its row group."""
    parquet.write_table(pa.table({"run": [1, 1, 2], "feature": ["a", "b", "a"]}), path)
    whole = path.read_bytes()
    length = int.from_bytes(whole[-8:-4], "little")
    footer = whole[-8 - length : -8]
    true, false = b"\x16" + varint(2 * 3), b"\x16" + varint(2 * claimed_rows)
    assert true + b"\x19" in footer
    footer = footer.replace(true, false)
    path.write_bytes(whole[: -8 - length] + footer + len(footer).to_bytes(4, "little") + b"PAR1")
    assert parquet.ParquetFile(path).metadata.num_rows == claimed_rows


READ_WITHIN = (
    PEAK
    + """
import sys
import pyarrow.parquet, steadyset
from steadyset.io.lists.long import entries_of_long
before = peak()
try:
    steadyset.Selections.read(sys.argv[1], n_features=5)
except steadyset.InputError as error:
    print(error)
print(peak() - before)
"""
)


@needs_peak
def test_two_billion_rows_claimed_by_a_tiny_parquet_file_are_not_allocated(tmp_path):
    path = tmp_path / "s.parquet"
    forged_parquet(path, 2_000_000_000)
    said, gigabytes = subprocess.run(
        [sys.executable, "-c", READ_WITHIN, str(path)], capture_output=True, text=True, check=True
    ).stdout.splitlines()
    assert "claims 2,000,000,000 rows in" in said
    assert "it is damaged or forged." in said
    assert float(gigabytes) < 0.05


def test_a_wrong_row_count_below_the_limit_makes_up_no_rows(tmp_path):
    path = tmp_path / "s.parquet"
    for claimed, sets in ((2, [{"a", "b"}]), (1_000_000, [{"a", "b"}, {"a"}])):
        forged_parquet(path, claimed)
        assert Selections.read(path, n_features=5).sets() == sets
    forged_parquet(path, 0)
    assert "The long table has no rows" in sentence_of(Selections.read, path, n_features=5)


def test_one_run_is_not_enough_to_measure(tmp_path):
    (tmp_path / "s.csv").write_text("a,b\n1,0\n", encoding="utf-8")
    one = Selections.read(tmp_path / "s.csv")
    for call in (st.stability, st.stability_table):
        assert sentence_of(call, one) == "Stability compares runs: at least 2 are needed, found 1."
    (tmp_path / "names.txt").write_text("TP53\nEGFR\n", encoding="utf-8")
    for universe in (None, 100):
        one = Selections.read(tmp_path / "names.txt", layout="columns", n_features=universe)
        assert sentence_of(st.stability, one) == "Stability compares lists: at least 2 are needed, found 1."


def test_measures_and_options_that_do_not_exist():
    two = Selections.from_sets([[0], [0, 1]], n_features=3)
    assert "There is no measure called 'jacard'; did you mean 'jaccard'?" in sentence_of(st.stability, two, "jacard")
    assert "list_measures() lists them." in sentence_of(st.stability, two, "qqqqqq")
    assert "jaccard has no parameter 'alpha'; it takes none." in sentence_of(st.stability, two, "jaccard", alpha=1)
    assert "davis has no parameter 'beta'; it takes alpha." in sentence_of(st.stability, two, "davis", beta=1)
    assert "alpha must be a number of at least 0 (got -1)" in sentence_of(st.stability, two, "davis", alpha=-1)
    assert "alpha must be a finite number (got nan)" in sentence_of(st.stability, two, "davis", alpha=float("nan"))
    assert 'undefined must be "nan", "raise", "paper" or a finite number (got \'zero\').' in sentence_of(
        st.stability, two, undefined="zero"
    )
    assert 'undefined must be "nan", "raise", "paper" or a finite number (got True).' in sentence_of(
        st.stability, two, undefined=True
    )
    assert "expectation must be one of auto, exact, monte_carlo, none (got 'no')." in sentence_of(
        st.stability, two, expectation="no"
    )
    draws = "n_draws must be a whole number from 2 to 1,000,000,000"
    assert f"{draws} (got 1)." in sentence_of(st.stability, two, n_draws=1)
    assert f"{draws} (got 2.5)." in sentence_of(st.stability, two, n_draws=2.5)
    assert "random_state must be None or a whole number of at least 0 (got -1)." in sentence_of(
        st.stability, two, random_state=-1
    )
    assert "random_state must be None or a whole number of at least 0 (got 'x')." in sentence_of(
        st.stability, two, random_state="x"
    )
    assert "selections must be Selections, or an array" in sentence_of(st.stability, "file.csv")
