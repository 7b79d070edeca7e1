"""Files: what is written is read back equal, and a failure leaves what was there."""

from __future__ import annotations

import gzip
import json
import os
import re

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as some
from pyarrow import parquet

from steadyset import InputError, Selections

ENDINGS = ["csv", "tsv", "csv.gz", "tsv.gz", "parquet", "json"]
ODD = [
    "run",
    "feature",
    "weight",
    "a,b",
    'say "x"',
    "tab\there",
    "two\nlines",
    "cr\rhere",
    "é ñ 漢 🧬",
    " spaces ",
    "0",
    "1",
]
ODD += ["007", "1e3", "true", "NA", "null", "nan", "None", "f0", "f1", "x1", "-", "'", "=1+1", "#", "\ufeffbom", "a;b"]
ODD += ["\0", "a\r\nb", "\x1b[31m", "\x85", "\u2028", "\u202e", "\x7f", "\uffff"]

names = some.sampled_from(ODD) | some.text(some.characters(codec="utf-8"), min_size=1)
numbers = some.floats(allow_nan=False, allow_infinity=False, width=64).filter(lambda x: x != 0)


@some.composite
def any_selections(draw, weights=None):
    """Any Selections: odd names or none, labels or none, empty runs, features never selected, weights, rankings."""
    d, M = draw(some.integers(1, 6)), draw(some.integers(1, 5))
    features = draw(some.none() | some.lists(names, min_size=d, max_size=d, unique=True))
    labels = draw(some.none() | some.lists(names, min_size=M, max_size=M, unique=True))
    sets = draw(some.lists(some.sets(some.integers(0, d - 1)), min_size=M, max_size=M))
    selections = Selections.from_sets(sets, features, n_features=d, labels=labels)
    if draw(some.booleans()) if weights is None else weights:
        rows = [draw(some.lists(numbers | some.just(0.0), min_size=k, max_size=k)) for k in selections.sizes.tolist()]
        selections = selections.with_weights(rows)
    if draw(some.booleans()) if weights is None else weights:
        ranks = some.lists(some.floats(1, 9), min_size=d, max_size=d)
        selections = selections.with_rankings(draw(some.lists(ranks, min_size=M, max_size=M)))
    return selections


@pytest.mark.filterwarnings("ignore:.*formula by a spreadsheet")
@pytest.mark.parametrize("ending", ENDINGS)
@settings(max_examples=60)
@given(selections=any_selections())
@example(selections=Selections.from_sets([[0], [0, 1]], ODD, labels=["run", "2"]))
@example(selections=Selections.from_sets([[], []], ["1", "0"]))
@example(selections=Selections.from_sets([[], [1]], ["0", "1"], labels=["01", "1"]))
@example(selections=Selections.from_sets([[0]], ["0"]))
@example(selections=Selections.from_sets([[0], []], ["f0", "f1"]))
def test_what_is_written_is_read_back(tmp_path_factory, ending, selections):
    path = tmp_path_factory.getbasetemp() / f"selections.{ending}"
    selections.write(path)
    assert Selections.read(path) == selections
    selections.write(path, layout="long")
    assert Selections.read(path) == selections


@pytest.mark.filterwarnings("ignore:.*formula by a spreadsheet")
@pytest.mark.parametrize("ending", ENDINGS)
@settings(max_examples=30)
@given(selections=any_selections(weights=False))
def test_the_wide_layout_is_read_back_or_refused(tmp_path_factory, ending, selections):
    path = tmp_path_factory.getbasetemp() / f"wide.{ending}"
    if ending != "json" and {"run", "feature"} & set(selections.features):
        with pytest.raises(InputError, match="which wide files reserve"):
            selections.write(path, layout="wide")
    else:
        selections.write(path, layout="wide")
        assert Selections.read(path) == selections


def test_many_features_are_written_long_and_read_back(tmp_path):
    selections = Selections.from_sets([[0, 77_777], [99_999]], n_features=100_000)
    for ending in ENDINGS:
        selections.write(tmp_path / f"s.{ending}")
        assert Selections.read(tmp_path / f"s.{ending}") == selections


def test_wide_rows_longer_than_the_block_that_a_reader_takes(tmp_path):
    """More than a megabyte a row, which gzip makes a few kilobytes."""
    d = 5_000
    with gzip.open(tmp_path / "s.csv.gz", "wt", encoding="utf-8") as sink:
        sink.write("\n".join([",".join(f"x{f}" for f in range(d)), *[",".join(["1." + 250 * "0"] * d)] * 2]))
    assert Selections.read(tmp_path / "s.csv.gz").sizes.tolist() == [d, d]


def read_text(tmp_path, text, name="s.csv", **options):
    (tmp_path / name).write_bytes(text.encode() if isinstance(text, str) else text)
    return Selections.read(tmp_path / name, **options)


@pytest.mark.parametrize(
    "text",
    [
        "a,b,c\n1,1,0\n0,1,0\n",
        "a,b,c\r\n1,1,0\r\n0,1,0",
        "\ufeffa,b,c\n1,1,0\n0,1,0\n",
        "a,b,c\n\n1,1,0\n0,1,0\n\n",
        '"a","b","c"\n1,1,0\n0,1,0\n',
        "a,b,c\nTrue,True,False\nFalse,True,False\n",
        "a,b,c\n1.0,1,0\n0.0,1,0\n",
    ],
)
def test_ways_to_write_the_same_csv(tmp_path, text):
    assert read_text(tmp_path, text) == Selections.from_sets([["a", "b"], ["b"]], ["a", "b", "c"])


@pytest.mark.parametrize(
    "text",
    [
        "run,a,b,c\n1,1,1,0\n2,0,1,0\n",
        ",a,b,c\n1,1,1,0\n2,0,1,0\n",
        "run,feature\n,a\n,b\n,c\n1,a\n1,b\n2,b\n",
        ",run,feature\n0,,a\n1,,b\n2,,c\n3,1,a\n4,1,b\n5,2,b\n",
    ],
)
def test_ways_to_write_the_same_csv_with_labels(tmp_path, text):
    assert read_text(tmp_path, text) == Selections.from_sets([["a", "b"], ["b"]], ["a", "b", "c"], labels=["1", "2"])


def test_a_first_line_of_zeros_and_ones_is_a_run(tmp_path):
    assert read_text(tmp_path, "0,1,1\n1,0,0\n") == Selections.from_matrix([[0, 1, 1], [1, 0, 0]])
    assert read_text(tmp_path, "0,1,1\n1,0,0\n", features=["a", "b", "c"]).features == ("a", "b", "c")


def test_a_wide_file_may_have_a_feature_called_feature(tmp_path):
    assert read_text(tmp_path, "feature,b\n1,0\n1,1\n").counts.tolist() == [2, 1]


def test_long_files_may_hold_indices_and_weights(tmp_path):
    got = read_text(tmp_path, "run,feature,weight\n1,0,0.5\n1,2,1\n2,2,-1\n", n_features=4)
    assert got == Selections.from_weights([[0.5, 0, 1, 0], [0, 0, -1, 0]], labels=["1", "2"])


@pytest.mark.parametrize("text", ['[["a", "b"], ["b"]]', '{"r": ["a", "b"], "s": ["b"]}', "[[0, 1], [1]]"])
def test_plain_json_lists_need_only_the_features(tmp_path, text):
    got = read_text(tmp_path, text, "s.json", features=["a", "b", "c"])
    labels = ["r", "s"] if text.startswith("{") else None
    assert got == Selections.from_sets([["a", "b"], ["b"]], ["a", "b", "c"], labels=labels)


def test_frames_written_by_pandas_are_read(tmp_path):
    frame = pd.DataFrame({"a": [1, 0], "b": [1, 1]}, index=["u", "v"])
    wanted = Selections.from_sets([["a", "b"], ["b"]], ["a", "b"], labels=["u", "v"])
    frame.to_csv(tmp_path / "wide.csv")
    frame.reset_index(names="run").to_parquet(tmp_path / "wide.parquet")
    assert Selections.read(tmp_path / "wide.csv") == wanted
    assert Selections.read(str(tmp_path / "wide.parquet")) == wanted


def test_json_states_its_schema_and_version(tmp_path):
    Selections.from_sets([[0]], n_features=2).write(tmp_path / "s.json")
    content = json.loads((tmp_path / "s.json").read_text(encoding="utf-8"))
    assert (content["schema"], content["schema_version"]) == ("steadyset.selections", 1)


@pytest.mark.parametrize("ending", ENDINGS)
@pytest.mark.parametrize("failure", ["in the middle", "at the end"])
def test_a_failed_write_leaves_the_old_file_and_nothing_else(tmp_path, monkeypatch, ending, failure):
    path = tmp_path / f"s.{ending}"
    old, new = Selections.from_sets([[0], [1]], n_features=2), Selections.from_sets([[1], [1]], n_features=2)
    old.write(path)

    def fail(*_, **__):
        raise OSError(28, "No space left on device")

    writers = {"json": "os.fsync", "parquet": "pyarrow.parquet.write_table"}
    target = "os.replace" if failure == "at the end" else writers.get(ending, "pyarrow.csv.write_csv")
    with monkeypatch.context() as patch:
        patch.setattr(target, fail)
        with pytest.raises(InputError, match="cannot be written: No space left on device"):
            new.write(path)
    assert Selections.read(path) == old
    assert os.listdir(tmp_path) == [path.name]


@pytest.mark.parametrize("ending", ENDINGS)
def test_places_that_cannot_be_written(tmp_path, ending):
    selections = Selections.from_sets([[0], [1]], n_features=2)
    (tmp_path / "file").write_text("", encoding="utf-8")
    (tmp_path / f"folder.{ending}").mkdir()
    for place in ("nowhere/s", "file/s", "folder"):
        with pytest.raises(InputError, match="cannot be written"):
            selections.write(tmp_path / f"{place}.{ending}")
    assert sorted(os.listdir(tmp_path)) == ["file", f"folder.{ending}"]


@pytest.mark.posix
@pytest.mark.skipif(os.name == "posix" and os.geteuid() == 0, reason="the superuser may write everywhere")
def test_a_folder_without_write_permission(tmp_path):
    tmp_path.chmod(0o500)
    with pytest.raises(InputError, match="Permission denied"):
        Selections.from_sets([[0], [1]], n_features=2).write(tmp_path / "s.csv")


def test_names_that_utf8_does_not_have(tmp_path):
    selections = Selections.from_sets([[0], [1]], ["a", "\ud800"])
    for ending in (ending for ending in ENDINGS if ending != "json"):
        path = tmp_path / f"s.{ending}"
        said = f"{path} cannot be written: '\\ud800' holds half of a character, which UTF-8 does not have; "
        with pytest.raises(InputError, match=re.escape(f"{said}rename it, or write .json.")):
            selections.write(path)
    assert os.listdir(tmp_path) == []


def test_json_keeps_half_of_a_character_and_refuses_both_halves_one_by_one(tmp_path):
    half = Selections.from_sets([[0], [1]], ["a\udc00\ud800", "😀"], labels=["r\udfff", "r2"])
    half.write(tmp_path / "half.json")
    assert Selections.read(tmp_path / "half.json") == half
    both = Selections.from_sets([[0], [1]], ["\ud83d\ude00", "😀"])
    with pytest.raises(InputError, match="a name holds the two halves of a character one by one, which json joins"):
        both.write(tmp_path / "both.json")
    assert os.listdir(tmp_path) == ["half.json"]


def test_frames_hold_any_name():
    names = ["half \ud800", *(name for name in ODD if name != "run")]
    selections = Selections.from_sets([[0, 3], [13]], names, labels=["r\udfff", "r2"])
    wide = selections.to_frame()
    assert Selections.from_matrix(wide) == selections
    wide[names[1]] = pd.arrays.SparseArray(wide[names[1]].to_numpy())
    assert Selections.from_matrix(wide) == selections
    long = selections.to_frame(layout="long")
    assert long["feature"].tolist() == [names[0], names[3], names[13]]
    with pytest.raises(InputError, match="with half of a character; rename it, or give a wide table"):
        Selections.from_long(long, features=names)
    for layout in ("wide", "long"):
        with pytest.raises(InputError, match="which has half of a character; rename it, or take pandas"):
            selections.to_frame(layout=layout, backend="polars")


def test_a_parquet_file_with_a_name_that_is_no_utf8_is_refused(tmp_path):
    path = tmp_path / "s.parquet"
    parquet.write_table(pa.table({"abcd": [0, 1], "e": [1, 0]}), path, store_schema=False)
    path.write_bytes(path.read_bytes().replace(b"abcd", b"a\xed\xa0\x80"))
    with pytest.raises(InputError, match=r"s\.parquet is not a readable Parquet file: 'utf-8' codec"):
        Selections.read(path)


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        ({"layout": "tall"}, "layout must be one of wide, long, None (got 'tall')."),
        ({"layout": "wide"}, "The wide layout holds 0/1 only; write weights or rankings as long, or as json."),
    ],
)
def test_layouts_that_do_not_fit(tmp_path, options, sentence):
    with pytest.raises(InputError) as caught:
        Selections.from_weights(np.eye(2)).write(tmp_path / "s.csv", **options)
    assert str(caught.value) == sentence


@pytest.mark.parametrize("n_features", [5, 1500])  # files with more than 1,000 columns have a reader of their own
def test_a_first_column_of_text_is_understood_alike_in_narrow_and_wide_files(tmp_path, n_features):
    path = tmp_path / "s.csv"
    features = [f"g{f}" for f in range(n_features)]
    cells = [["1"] * n_features, ["0"] * n_features]

    def read(head, names, **options):
        rows = [[head, *features], *([name, *row] for name, row in zip(names, cells, strict=True))]
        path.write_text("\n".join(",".join(row) for row in rows), encoding="utf-8")
        return Selections.read(path, **options)

    asked = "The table has text in its first column 'name' ('BRCA1', 'TP53'); if these are the features, give "
    with pytest.raises(
        InputError, match=re.escape(f"{asked}transpose=True; if they are the runs, call the column run.")
    ):
        read("name", ["BRCA1", "TP53"])
    assert read("gene", ["BRCA1", "TP53"]) == read("gene", ["BRCA1", "TP53"], transpose=True)
    no_number = "The table has the column 'gene' of type String; expected numbers or bools."
    with pytest.raises(InputError, match=re.escape(no_number)):
        read("gene", ["BRCA1", "TP53"], transpose=False)
    assert read("gene", ["BRCA1", "TP53"], transpose=True).features == ("BRCA1", "TP53")
    assert read("run", ["BRCA1", "TP53"]).labels == ("BRCA1", "TP53")
    with pytest.raises(InputError, match="The table has the column 'note' of type String; expected numbers or bools"):
        read("note,run", ["a,r1", "b,r2"])
