"""Data files: what cannot be used is said, with the argument that handles it."""

import gzip
import re

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from pyarrow import feather

from steadyset.foundation.errors import InputError
from steadyset.io.data.data_table import load_data


@pytest.fixture
def frame():
    random = np.random.default_rng(0)
    return pd.DataFrame(random.standard_normal((8, 3)), columns=["a", "b c", "d"]).assign(y=["no", "yes"] * 4)


def written(frame, path):
    if path.suffix == ".parquet":
        frame.to_parquet(path)
    elif path.suffix == ".feather":
        feather.write_feather(frame, str(path))
    elif path.suffix == ".arrow":
        table = pa.Table.from_pandas(frame)
        with pa.ipc.new_stream(path, table.schema) as stream:
            stream.write_table(table, max_chunksize=3)
    elif path.suffix == ".gz":
        path.write_bytes(gzip.compress(frame.to_csv(index=False).encode()))
    else:
        frame.to_csv(path, index=False, sep="\t" if path.suffix == ".tsv" else ",")
    return path


@pytest.mark.parametrize("name", ["x.csv", "x.tsv", "x.csv.gz", "x.parquet", "x.feather", "x.arrow"])
def test_every_kind_of_file_gives_the_same_numbers(frame, tmp_path, name):
    data = load_data(written(frame, tmp_path / name), "y")
    assert data.features == ("a", "b c", "d")
    np.testing.assert_allclose(data.X, frame[["a", "b c", "d"]].to_numpy())
    assert data.y.tolist() == frame["y"].tolist()
    assert data.notes == ()


def test_dropped_columns_and_missing_values_are_noted(frame, tmp_path):
    holes = frame.copy()
    holes.loc[2, "a"] = np.nan
    data = load_data(written(holes, tmp_path / "x.csv"), "y", drop=["d"], impute="median")
    assert np.isnan(data.X[2, 0])
    assert data.notes == (
        "left out: 'd'",
        "1 value is missing, in 1 of 2 columns ('a'); each run fills them by the medians of its training rows",
    )


@pytest.mark.parametrize(
    ("change", "options", "sentence"),
    [
        ({"name": list("abcdabcd")}, {}, "1 column is not numeric .'name' holds 'a'.; .* with drop=..name"),
        ({"first name": list("abcdabcd"), "z": "q"}, {}, '2 columns are not numeric .* drop=."first name", "z"'),
        ({"dose": [f"{i}.5 mg" for i in range(8)]}, {}, "1 column is not numeric .'dose' holds '0.5 mg'"),
        (
            {"patient_id": range(8)},
            {},
            "'patient_id' looks like an identifier .*drop=..patient_id.., .*keep=..patient_id",
        ),
        ({"a": np.nan}, {"impute": "median"}, "'a' has no value at all"),
        ({"a": [np.nan, *range(7)]}, {}, "1 value is missing, in 1 of 3 columns .*impute=.median."),
        ({"a": [np.inf, *range(7)]}, {"impute": "median"}, "infinite in 1 of 3 columns .'a'.; replace"),
        ({"y": [None, *["yes"] * 7]}, {}, "target 'y' is missing in 1 row; remove it"),
        ({"y": [np.nan, np.nan, *range(6)]}, {}, "target 'y' is missing in 2 rows; remove them"),
        ({}, {"drop": ["B C"]}, "has no column 'B C'; did you mean 'b c'?"),
        ({}, {"drop": ["e"]}, "has no column 'e'; it has 'a', 'b c', 'd' and 1 more"),
        ({}, {"drop": ["a", "b c", "d"]}, "has no columns left"),
        ({}, {"impute": "mean"}, "impute must be .*got 'mean'"),
    ],
)
def test_what_cannot_be_used_is_one_sentence(frame, tmp_path, change, options, sentence):
    path = written(frame.assign(**change), tmp_path / "x.parquet")
    with pytest.raises(InputError, match=sentence):
        load_data(path, "y", **options)


@pytest.mark.parametrize("name", ["uric_acid", "Lipid", "thyroid", "synovial fluid"])
def test_a_quantity_whose_name_ends_like_an_identifier_is_a_feature(frame, tmp_path, name):
    data = load_data(written(frame.assign(**{name: range(8)}), tmp_path / "x.csv"), "y")
    assert name in data.features


@pytest.mark.parametrize("name", ["userid", "sampleId", "uid", "lab-nr"])
def test_an_identifier_is_no_feature(frame, tmp_path, name):
    with pytest.raises(InputError, match=f"{name!r} looks like an identifier"):
        load_data(written(frame.assign(**{name: range(8)}), tmp_path / "x.csv"), "y")


@pytest.mark.parametrize("called", [lambda row: row, lambda row: f"P{row:03}"], ids=["numbers", "texts"])
@pytest.mark.parametrize("name", ["patient", "subject#", "Donor ID", "mouse_nr", "id"])
def test_patients_that_repeat_are_no_feature(frame, tmp_path, name, called):
    twice = pd.concat([frame, frame.assign(a=frame["a"] + 0.5)]).assign(**{name: [*map(called, range(8))] * 2})
    path = written(twice, tmp_path / "x.csv")
    with pytest.raises(InputError, match=f"{name!r} says whose rows they are .*groups=.{name}., .*drop=.*keep="):
        load_data(path, "y")
    assert len(set(load_data(path, "y", groups=name).groups)) == 8
    assert name not in load_data(path, "y", drop=[name]).features
    assert name in load_data(path, "y", keep=[name], prepare="scale").features
    with pytest.raises(InputError, match="says whose rows they are"):  # also where texts are encoded
        load_data(path, "y", prepare="scale")


@pytest.mark.parametrize(
    ("name", "values"), [("mouse_weight", range(8)), ("patient", [0, 1] * 4), ("case", [1, 2] * 4)]
)
def test_codes_and_amounts_of_patients_are_features(frame, tmp_path, name, values):
    assert name in load_data(written(frame.assign(**{name: values}), tmp_path / "x.csv"), "y").features


def test_everything_that_is_wrong_is_told_at_once_a_line_each(frame, tmp_path):
    bad = frame.assign(y="same", name="q", place="p", a=[np.nan, *range(7)], d=np.nan, case_id=range(8))
    with pytest.raises(InputError) as caught:
        load_data(written(bad, tmp_path / "x.csv"), "y")
    heading, *lines = str(caught.value).splitlines()
    assert heading == f"{tmp_path / 'x.csv'} cannot be used as it is:"
    assert [line.startswith("- ") for line in lines] == [True] * 5
    for line, words in zip(
        lines,
        [
            "'y' has one distinct value only, 'same'",
            "2 columns are not numeric ('name' holds 'q', 'place' holds 'p'); encode them in each run with prepare, "
            'keep beside the features with force=["name", "place"], or leave out with drop=["name", "place"].',
            "'case_id' looks like an identifier",
            "'d' has no value at all; leave out with drop=[\"d\"]",
            "1 value is missing, in 1 of 4 columns",
        ],
        strict=True,
    ):
        assert words in line


def test_every_unknown_column_is_told_at_once(frame, tmp_path):
    with pytest.raises(InputError, match=r"(?s)no column 'z'; it has .*no column 'A'; did you mean 'a'"):
        load_data(written(frame, tmp_path / "x.csv"), "z", drop=["A"])


def test_columns_that_never_change_are_noted(frame, tmp_path):
    data = load_data(written(frame.assign(d=1.5), tmp_path / "x.csv"), "y")
    assert data.notes == ("the same value in every row, so nothing to learn from: 'd'",)


@pytest.mark.parametrize(("delimiter", "decimal"), [(";", ","), (";", "."), ("|", "."), ("tab", "."), (" ", ",")])
def test_a_delimiter_may_be_given(frame, tmp_path, delimiter, decimal):
    separator = "\t" if delimiter == "tab" else delimiter
    frame.to_csv(tmp_path / "x.csv", index=False, sep=separator, decimal=decimal)
    data = load_data(tmp_path / "x.csv", "y", delimiter=delimiter)
    np.testing.assert_allclose(data.X, frame[["a", "b c", "d"]].to_numpy())


@pytest.mark.parametrize(
    ("name", "delimiter", "sentence"),
    [
        ("x.csv", "::", r"delimiter must be one character.* \(got '::'\)"),
        ("x.parquet", ";", "is not a text table"),
        ("x.csv", ";", "separated by commas; give delimiter=.,."),
    ],
)
def test_a_bad_delimiter_is_one_sentence(frame, tmp_path, name, delimiter, sentence):
    with pytest.raises(InputError, match=sentence):
        load_data(written(frame, tmp_path / name), "y", delimiter=delimiter)


@pytest.mark.parametrize("mark", ["?", "-", ".", "NA", "N/A", "null", "NULL", "nan", "#N/A", "#DIV/0!", ""])
def test_a_mark_for_missing_values_is_one_in_columns_of_numbers_only(frame, tmp_path, mark):
    marked = frame.assign(a=["1.5", "2", mark, *"12345"], y=["-", "+"] * 4)
    data = load_data(written(marked, tmp_path / "x.csv"), "y", impute="median")
    assert np.flatnonzero(np.isnan(data.X[:, 0])).tolist() == [2]
    assert data.y.tolist() == ["-", "+"] * 4


@pytest.mark.parametrize("odd", ["5%", "12 kg", "1,234.5", "<0.1"])
def test_a_unit_is_shown(frame, tmp_path, odd):
    marked = frame.assign(a=["1.5", "-", odd, *"12345"])
    with pytest.raises(InputError, match=re.escape(f"'a' holds {odd!r}")):
        load_data(written(marked, tmp_path / "x.csv"), "y")


def test_any_text_file_is_read_with_a_delimiter(frame, tmp_path):
    frame.to_csv(tmp_path / "x.txt", index=False, sep="|")
    assert load_data(tmp_path / "x.txt", "y", delimiter="|").features == ("a", "b c", "d")


@pytest.mark.parametrize("place", [0, 2])
def test_texts_that_differ_in_every_row_name_the_rows(frame, tmp_path, place):
    names = [f"S{i}" for i in range(8)]
    frame.insert(place, "who", names)
    data = load_data(written(frame, tmp_path / "x.csv"), "y")
    assert data.features == ("a", "b c", "d")
    assert list(data.rows) == names
    assert data.notes == ("the column 'who' names the rows, as every row has its own text there; it is no feature",)


def test_without_a_target_the_candidates_are_told(frame, tmp_path):
    with pytest.raises(InputError, match=r"give target .*x.csv has these candidates: 'y' \(2 values\)\)"):
        load_data(written(frame, tmp_path / "x.csv"))


def test_na_among_words_is_no_class(frame, tmp_path):
    path = tmp_path / "x.csv"
    frame.assign(y=["ill", "well", "NA", *["ill"] * 5]).to_csv(path, index=False)
    with pytest.raises(InputError, match="target 'y' is missing in 1 row"):
        load_data(path, "y")


def test_a_column_of_groups_is_no_feature(frame, tmp_path):
    path = written(frame.assign(patient=[1, 1, 2, 2, 3, 3, 4, 4]), tmp_path / "x.csv")
    data = load_data(path, "y", groups="patient")
    assert data.features == ("a", "b c", "d")
    assert data.groups.tolist() == ["1", "1", "2", "2", "3", "3", "4", "4"]
    with pytest.raises(InputError, match="'y' is the target and cannot name the groups too"):
        load_data(path, "y", groups="y")


def test_an_identifier_can_be_kept(frame, tmp_path):
    path = written(frame.assign(sample_no=range(8)), tmp_path / "x.csv")
    assert "sample_no" in load_data(path, "y", keep=["sample_no"]).features


@pytest.mark.parametrize(
    ("name", "content", "sentence"),
    [
        ("x.csv", None, "does not exist"),
        ("x.csv", b"", "is empty"),
        ("x.feather", b"not feather", "not a Feather file"),
        ("x.parquet", b"PAR1", "not a readable Parquet file"),
        ("x.xlsx", b"?", "not a readable workbook"),
        ("x.docx", b"?", "unknown ending; expected .csv, .tsv, .txt, .tab or .gct"),
        ("x.csv", b"a,a,y\n1,2,0\n3,4,1\n", "2 columns called 'a'; rename them, or leave them all out with drop=..a"),
        ("x.csv", b"a,y\n", "has no rows below its header"),
        ("x.csv", b"a,y\n1,1\n", "has one row only below its header"),
        ("x.csv", b"1.5,0\n2.5,1\n", "its first line holds numbers .'1.5', '0'.; expected one with the names"),
        ("x.csv", b"a,y\n1,1,1\n0,1,1\n0,2,2\n", "Expected 2 columns, got 3"),
        ("x.csv", b"a,y\n1,\xe9\n2,\x00", "is not a text file; expected one in UTF-8, UTF-16 or Latin-1"),
        ("x.csv", "é,ü,ö,y\n".encode() + b"1,2,3,\xe9\n", "UTF-8 text with 1 damaged character"),
        ("x.csv", b"PK\x03\x04", "perhaps a workbook; name it .xlsx"),
        ("x.xls", b"<html><table></table></html>", "a web page or XML rather than a table"),
        ("x.json", b"[[1, 2]]", "is a json file; expected .csv"),
        (".", None, "is a folder"),
    ],
)
def test_bad_files_are_one_sentence(tmp_path, name, content, sentence):
    if content is not None:
        (tmp_path / name).write_bytes(content)
    with pytest.raises(InputError, match=sentence):
        load_data(tmp_path / name, "y")


@pytest.mark.parametrize("transpose", [None, True])
@pytest.mark.parametrize("content", [b"\0,", b",\0", b"\0,\0,\0\n", b",,\n,,\n", b'"",""\n'])
def test_cells_without_content_are_an_empty_file(tmp_path, content, transpose):
    (tmp_path / "x.csv").write_bytes(content)
    with pytest.raises(InputError, match=r"is empty|has no rows below its titles"):
        load_data(tmp_path / "x.csv", "y", transpose=transpose)


@pytest.mark.parametrize("title", ["Study of 2024\n", "Study\n\nof 2024\n", "Study,,,\n"])
@pytest.mark.parametrize("target", [["ill", "well"], ["0", "1"]])
@pytest.mark.parametrize("names", [["101", "102", "103"], ["1", "2", "3"], ["00123", "2.7", "1e5"]])
def test_a_title_may_stand_above_names_that_are_numbers(tmp_path, title, names, target):
    rows = [["0.1", "0.2", str(i), target[i % 2]] for i in range(6)]
    (tmp_path / "x.csv").write_text(title + "\n".join(map(",".join, [[*names, "y"], *rows])), encoding="utf-8")
    assert load_data(tmp_path / "x.csv", "y").features == tuple(names)


def test_a_title_above_numbers_makes_none_of_them_a_header(tmp_path):
    (tmp_path / "x.csv").write_text("Study\n0.5,0.25,3\n0.75,0.1,2\n0.3,0.2,5\n", encoding="utf-8")
    with pytest.raises(InputError, match="Expected 1 columns, got 3"):
        load_data(tmp_path / "x.csv", "3")


def test_an_empty_cell_of_a_csv_is_a_missing_target_and_not_a_class(frame, tmp_path):
    path = written(frame.assign(y=[None, *["yes", "no", "yes"] * 2, "no"]), tmp_path / "x.csv")
    with pytest.raises(InputError, match="target 'y' is missing in 1 row"):
        load_data(path, "y")


def test_the_row_names_of_a_frame_are_no_feature(frame, tmp_path):
    frame.to_csv(tmp_path / "x.csv")
    data = load_data(tmp_path / "x.csv", "y")
    assert data.features == ("a", "b c", "d")
    assert data.notes == ("left out: the first column, which has no name",)


def test_a_feature_may_be_called_run(frame, tmp_path):
    data = load_data(written(frame.rename(columns={"a": "run", "d": "feature"}), tmp_path / "x.csv"), "y")
    assert data.features == ("run", "b c", "feature")


@pytest.mark.parametrize("decimal", [".", ","])
@pytest.mark.parametrize("encoding", ["utf-8", "utf-16", "latin-1"])
@pytest.mark.parametrize("separator", [";", "\t", "|"])
def test_what_a_spreadsheet_in_another_country_writes_is_understood(frame, tmp_path, separator, decimal, encoding):
    frame = frame.rename(columns={"b c": "größe"})
    frame.to_csv(tmp_path / "x.txt", index=False, sep=separator, decimal=decimal, encoding=encoding)
    data = load_data(tmp_path / "x.txt", "y")
    assert data.features == ("a", "größe", "d")
    np.testing.assert_array_equal(data.X, frame[["a", "größe", "d"]].to_numpy())
    told = " ".join(data.notes)
    assert ("decimal commas" in told, "UTF-16" in told, "Latin-1" in told) == (
        decimal == ",",
        encoding == "utf-16",
        encoding == "latin-1",
    )


def test_decimal_commas_beside_decimal_points_are_refused(frame, tmp_path):
    mixed = frame.assign(a=["0,5"] * 8)
    mixed.to_csv(tmp_path / "x.csv", index=False, sep=";")
    with pytest.raises(InputError, match=r"decimal commas \('0,5' in 'a'\) and points .* in 'b c'\); save it with one"):
        load_data(tmp_path / "x.csv", "y")


@pytest.mark.parametrize("thousands", ["1.234,56", "1.234", "1 234,5"])
def test_separators_of_thousands_are_never_decimal_points(frame, tmp_path, thousands):
    frame = frame.assign(a=[thousands, *["0,5"] * 7], **{"b c": "1,5", "d": ["2,5"] * 8})
    frame.to_csv(tmp_path / "x.csv", index=False, sep=";")
    with pytest.raises(InputError, match=f"'a' holds '{thousands}'"):
        load_data(tmp_path / "x.csv", "y")


def test_empty_rows_and_columns_around_a_table_are_no_data(frame, tmp_path):
    lines = [f"{line},," for line in frame.to_csv(index=False).splitlines()]
    (tmp_path / "x.csv").write_text("\n".join([*lines, ",,,,,", ",,,,,"]) + "\n", encoding="utf-8")
    np.testing.assert_array_equal(load_data(tmp_path / "x.csv", "y").X, frame[["a", "b c", "d"]].to_numpy())
    open_end = [lines[0][:-2], *(line[:-1] for line in lines[1:])]  # rows end with a comma, the header does not
    (tmp_path / "x.csv").write_text("\n".join(open_end) + "\n", encoding="utf-8")
    np.testing.assert_array_equal(load_data(tmp_path / "x.csv", "y").X, frame[["a", "b c", "d"]].to_numpy())
    (tmp_path / "x.csv").write_text("a,y,\n1,2,3\n4,5,6\n", encoding="utf-8")
    with pytest.raises(InputError, match="no name for column 3, which holds 3; name each column"):
        load_data(tmp_path / "x.csv", "y")


def test_a_header_one_name_short_is_that_of_r_only_above_distinct_row_names(tmp_path):
    path = tmp_path / "x.txt"
    path.write_text("a y\nr1 0.5 0\nr2 0.7 1\n", encoding="utf-8")
    assert load_data(path, "y").X.tolist() == [[0.5], [0.7]]
    rows = "".join(f"r{i} 0.5 {i % 2}\n" for i in range(100))
    path.write_text(f"a y\n{rows}r7 0.5 1\n", encoding="utf-8")
    with pytest.raises(InputError, match="holds 'r7' more than once; give each column a name"):
        load_data(path, "y")


def test_a_column_of_dates_is_not_numeric(frame, tmp_path):
    path = written(frame.assign(day="2024-03-02"), tmp_path / "x.csv")
    with pytest.raises(InputError, match="'day' holds '2024-03-02'"):
        load_data(path, "y")


def test_commas_that_may_separate_thousands_are_asked_about(frame, tmp_path):
    for columns in (frame, pd.concat([frame, pd.DataFrame({f"g{i}": range(8) for i in range(1100)})], axis=1)):
        columns.assign(**{"a": ["1,234", "12"] * 4, "b c": 3, "d": 4}).to_csv(tmp_path / "x.csv", index=False, sep=";")
        with pytest.raises(
            InputError, match="'1,234' in 'a', which may have a decimal comma or a separator of thousands"
        ):
            load_data(tmp_path / "x.csv", "y")
    frame.assign(**{"a": ["1,234", "0,125"] * 4, "b c": 3, "d": 4}).to_csv(tmp_path / "x.csv", index=False, sep=";")
    assert load_data(tmp_path / "x.csv", "y").X[:2, 0].tolist() == [1.234, 0.125]


def test_a_space_after_each_comma_is_part_of_no_name(tmp_path):
    (tmp_path / "x.csv").write_text("a, b, y\n1, 2, no\n3, 4, yes\n", encoding="utf-8")
    data = load_data(tmp_path / "x.csv", "y")
    assert data.features == ("a", "b")
    assert data.y.tolist() == ["no", "yes"]
    (tmp_path / "x.csv").write_text('"a"," b","y"\n1,2,no\n3,4,yes\n', encoding="utf-8")
    assert load_data(tmp_path / "x.csv", "y").features == ("a", "b")


def test_a_comma_in_a_heading_and_in_each_name_separates_nothing(tmp_path):
    path = tmp_path / "patients.csv"
    rows = [f"Nachname{row}, Vorname{row};{40 + row};{70 + row % 3};{row % 2}" for row in range(12)]
    path.write_text("\n".join(["Name, Vorname;Alter;Gewicht;Status", *rows]), encoding="utf-8")
    data = load_data(path, target="Status", drop=["Name, Vorname"])
    assert list(data.features) == ["Alter", "Gewicht"]
    assert np.array_equal(np.asarray(data.X)[:, 0], np.arange(40, 52))


def test_a_compressed_file_may_have_any_ending(frame, tmp_path):
    (tmp_path / "x.csv").write_bytes(gzip.compress(frame.to_csv(index=False).encode()))
    np.testing.assert_array_equal(load_data(tmp_path / "x.csv", "y").X, frame[["a", "b c", "d"]].to_numpy())


def test_a_line_below_a_table_is_told(tmp_path):
    (tmp_path / "x.csv").write_text("a,y\n1,2\n3,4\nSource: somebody\n", encoding="utf-8")
    with pytest.raises(InputError, match="Expected 2 columns, got 1: Source: somebody; each row needs a cell"):
        load_data(tmp_path / "x.csv", "y")
