"""Series matrices of GEO: read as R's GEOquery reads them; what is cut off or has no values says what to download.

The file was written for these tests in GEO's form; GEOquery 2.66.0 read from it what TRUTH holds.
"""

import gzip
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from steadyset.foundation.errors import InputError
from steadyset.io.data.data_table import load_data
from steadyset.io.data.readers import Phenotypes
from steadyset.io.files import File
from steadyset.io.formats.series_matrix import read_series_header, read_series_matrix

FILE = Path(__file__).parent / "geo" / "GSE999_series_matrix.txt"
SAMPLES = [f"GSM10{i}" for i in range(8)]
TRUTH = {
    "age:ch1": [40, 41, 42, 43, 44, 45, 46, 47],
    "gender:ch1": ["male", "male", "male", "female", "male", "male", "male", "male"],
    "time:ch1": [None, "01:30", "02:30", "03:30", None, "05:30", "06:30", "07:30"],
    "tissue:ch1": ["normal", "tumour"] * 4,
}
EXPRESSION = [
    [7.25, 7.75, 8.25, 8.75, 9.25, 9.75, 10.25, 10.75],
    [8.25, 8.75, 9.25, 9.75, 10.25, 10.75, 11.25, 11.75],
    [9.25, 9.75, 10.25, 10.75, np.nan, 11.75, 12.25, 12.75],
    [10.25, 10.75, 11.25, 11.75, 12.25, 12.75, 13.25, 13.75],
    [11.25, 11.75, 12.25, 12.75, 13.25, 13.75, 14.25, 14.75],
]


def test_characteristics_are_those_of_geoquery_also_where_lines_are_shifted():
    known = Phenotypes(read_series_header(File(FILE), 1))
    for name, values in TRUTH.items():
        assert known[name] == values
        assert known[name.removesuffix(":ch1")] == values


@pytest.mark.parametrize("packed", [False, True])
def test_values_are_those_of_geoquery(tmp_path, packed):
    path = tmp_path / f"GSE999_series_matrix.txt{'.gz' if packed else ''}"
    path.write_bytes(gzip.compress(FILE.read_bytes()) if packed else FILE.read_bytes())
    data = load_data(path, "tissue", groups="description", impute="median")
    np.testing.assert_array_equal(data.X, np.transpose(EXPRESSION))
    assert data.features == ("1007_at", "1008_at", "1009_at", "1010_at", "1011_at")
    assert list(data.rows) == SAMPLES
    assert data.y.tolist() == TRUTH["tissue:ch1"]
    assert data.understood == (
        "8 rows, 5 features (genes in rows), target 'tissue' from its header, 4 groups by 'description'"
    )


def test_columns_of_the_table_may_have_another_order_than_the_header(tmp_path):
    begin = "!series_matrix_table_begin\n"
    head, table = FILE.read_text(encoding="utf-8").split(begin)
    lines = [line.split("\t") for line in table.splitlines()[:-1]]
    turned = ["\t".join([first, *reversed(rest)]) for first, *rest in lines]
    (tmp_path / "x.txt").write_text(head + begin + "\n".join([*turned, "!series_matrix_table_end"]), encoding="utf-8")
    data = load_data(tmp_path / "x.txt", "age", impute="median")
    assert list(data.rows) == SAMPLES[::-1]
    assert data.y.tolist() == TRUTH["age:ch1"][::-1]
    np.testing.assert_array_equal(data.X, np.transpose(EXPRESSION)[::-1])


def test_samples_without_the_target_are_left_out_and_told():
    data = load_data(FILE, "time")
    assert len(data.y) == 6
    assert data.notes == ("left out: 2 samples without 'time'",)


def test_without_a_target_the_candidates_are_told_with_their_numbers_of_values():
    with pytest.raises(
        InputError,
        match=r"'tissue' \(2 values\), 'gender' \(2 values\), .*'age' \(8 values\)",
    ):
        load_data(FILE)


def test_another_file_may_hold_the_target(tmp_path):
    pd.DataFrame({"gsm": SAMPLES, "grade": [1, 2] * 4}).to_csv(tmp_path / "p.csv", index=False)
    data = load_data(FILE, "grade", samples=tmp_path / "p.csv", impute="median")
    assert data.y.tolist() == [1, 2] * 4
    assert "target 'grade' from p.csv, joined by 'gsm'" in data.understood


def without_values(text):
    head, _, rest = text.partition('"1007_at"')
    return head + rest[rest.index("!series_matrix_table_end") :]


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        (
            without_values,
            "holds no values.*supplementary files of GSE999 at GEO.*samples=.GSE999_series_matrix.txt",
        ),
        (lambda text: text[:-40], "ends before its table does; download it again"),
        (lambda text: text[: text.index("!series_matrix")], "has no line !series_matrix_table_begin"),
        (lambda text: text.replace("!Sample_geo_accession", "!Sample_x"), "no line !Sample_geo_accession"),
        (
            lambda text: text.replace('\t"GPL570"\n!Sample_data', "\n!Sample_data"),
            "another number of values in",
        ),
        (
            lambda text: text.replace('"ID_REF"\t"GSM100"', '"ID_REF"\t"GSM1"'),
            "2 samples in its header or its table",
        ),
        (lambda text: text.replace('"ID_REF"\t"GSM100"', '"ID_REF"\t"GSM101"'), "two columns of one sample"),
        (lambda text: text.replace("\t8.25\t", "\thigh\t", 1), "not a well-formed series matrix"),
        (lambda text: "^DATABASE = GeoMiame\n" + text, "is a SOFT file of GEO; download the series matrix"),
    ],
)
def test_damaged_files_are_one_sentence(tmp_path, change, sentence):
    path = tmp_path / FILE.name
    path.write_text(change(FILE.read_text(encoding="utf-8")), encoding="utf-8")
    with pytest.raises(InputError, match=sentence):
        load_data(path, "tissue", impute="median")


def test_a_file_without_values_tells_the_samples_of_another(tmp_path):
    header = tmp_path / FILE.name
    header.write_text(without_values(FILE.read_text(encoding="utf-8")), encoding="utf-8")
    counts = pd.DataFrame(
        {name: range(i, i + 30) for i, name in enumerate(SAMPLES)}, index=[f"g{i}" for i in range(30)]
    )
    counts.to_csv(tmp_path / "counts.csv")
    data = load_data(tmp_path / "counts.csv", "tissue", samples=header)
    np.testing.assert_array_equal(data.X, counts.to_numpy().T)
    assert any("look like raw counts" in note for note in data.notes)


def test_two_channels_have_characteristics_of_their_own(tmp_path):
    line = "\t".join(["!Sample_characteristics_ch2", *(f'"tissue: pool{i % 2}"' for i in range(8))])
    text = FILE.read_text(encoding="utf-8").replace("!Sample_molecule_ch1", line + "\n!Sample_molecule_ch1")
    (tmp_path / "x.txt").write_text(text, encoding="utf-8")
    known = Phenotypes(read_series_header(File(tmp_path / "x.txt"), 1))
    assert known["tissue"] == TRUTH["tissue:ch1"]
    assert known["tissue:ch2"] == ["pool0", "pool1"] * 4


def test_a_file_that_unpacks_to_more_than_allowed_is_refused(tmp_path):
    path = tmp_path / "x.txt.gz"
    path.write_bytes(gzip.compress(b"!Series_title\t" + b"x" * 30_000_000))
    with pytest.raises(InputError, match=r"more than 0\.01 GB"):
        read_series_matrix(File(path), 0.01)
