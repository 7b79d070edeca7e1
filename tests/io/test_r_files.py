"""Tables as R writes them: write.table, write.csv, write.csv2 and print."""

from pathlib import Path

import numpy as np
import pytest

from steadyset.io.data.data_table import load_data
from steadyset.io.formats.tables import TableFile

WRITTEN = Path(__file__).parent / "written"
A = [-0.626453810742332, 0.183643324222082, -0.835628612410047, 1.59528080213779, 0.329507771815361]  # set.seed(1)
B = [1.5, np.nan, -2e-7, 4, 5]
NAMES = "the first column, which has no name in the header, names the rows"


@pytest.mark.parametrize(
    ("name", "row_names", "understood"),
    [
        ("r_table.txt", True, f"spaces, {NAMES}"),
        ("r_table.tab", True, NAMES),
        ("r_table_named.csv", True, ""),
        ("r_write.csv", True, ""),
        ("r_write2.csv", True, "semicolons, decimal commas"),
        ("r_write_utf16.csv", False, "UTF-16"),
        ("r_write2_latin1.csv", False, "Windows-1252 (Latin-1), semicolons, decimal commas"),
    ],
)
def test_the_numbers_of_r_come_back(name, row_names, understood):
    read = TableFile(WRITTEN / name).columns(apart=["y"])
    np.testing.assert_array_equal(read.X, np.column_stack([A, B, np.arange(1.0, 6)]))
    assert read.notes == ((f"read as: {understood}",) if understood else ())
    if row_names:
        assert read.others[0].to_pylist() == ["s1", "s2", "s3", "s4", "s5"]
    first = "größe" if name == "r_write2_latin1.csv" else "a"
    assert load_data(WRITTEN / name, "y", impute="median").features == (first, "b", "n")


def test_what_r_prints_is_a_table_too():
    read = TableFile(WRITTEN / "r_printed.txt").columns(apart=["y"])
    assert read.names == ["", "größe", "b", "n", "y"]
    np.testing.assert_allclose(read.X, np.column_stack([A, B, np.arange(1.0, 6)]), rtol=1e-6)
