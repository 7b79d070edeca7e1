"""Workbooks of Excel and OpenDocument: cells as others wrote them, and files that would fill the memory."""

import datetime
import re
import struct
import sys
import zipfile
from pathlib import Path

import numpy as np
import openpyxl
import pandas as pd
import pytest
from openpyxl.styles import Font

from steadyset.foundation.errors import InputError, MissingExtraError
from steadyset.io.data.data_table import load_data
from steadyset.io.files import OLE
from steadyset.io.formats.tables import TableFile, read_sheet, sheet_names

WRITTEN = Path(__file__).parent / "written"
CONTENT_TYPES = b'<?xml version="1.0"?><Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types"/>'
MAIN = b"http://schemas.openxmlformats.org/spreadsheetml/2006/main"
RELATIONS = b"http://schemas.openxmlformats.org/officeDocument/2006/relationships"
BOOK = b'<workbook xmlns="%s" xmlns:r="%s"><sheets><sheet name="s" sheetId="1" r:id="r1"/></sheets></workbook>' % (
    MAIN,
    RELATIONS,
)
TARGETS = (
    b'<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships">'
    b'<Relationship Id="r1" Type="%s/worksheet" Target="worksheets/sheet1.xml"/>'
    b'<Relationship Id="r2" Type="%s/sharedStrings" Target="sharedStrings.xml"/></Relationships>'
    % (RELATIONS, RELATIONS)
)
ROOT = (
    b'<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships">'
    b'<Relationship Id="r0" Type="%s/officeDocument" Target="xl/workbook.xml"/></Relationships>' % RELATIONS
)


def xlsx(path, rows, texts=b""):
    """A workbook of one sheet, from its XML."""
    parts = {
        "[Content_Types].xml": CONTENT_TYPES,
        "_rels/.rels": ROOT,
        "xl/workbook.xml": BOOK,
        "xl/_rels/workbook.xml.rels": TARGETS,
        "xl/worksheets/sheet1.xml": b'<worksheet xmlns="%s"><sheetData>%s</sheetData></worksheet>' % (MAIN, rows),
        "xl/sharedStrings.xml": b'<sst xmlns="%s">%s</sst>' % (MAIN, texts),
    }
    return archive(path, parts)


def archive(path, parts):
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as packed:
        for name, part in parts.items():
            packed.writestr(name, part)
    return path


@pytest.mark.parametrize("name", ["odfpy.ods", "xlwt.xls"])
def test_what_other_programs_write_comes_back_to_the_last_bit(name):
    draw = np.random.default_rng(0).normal(size=(6, 3))
    draw[2, 0] = np.nan
    read = TableFile(WRITTEN / name).columns(apart=["y"])
    assert read.names == ["a", "b c", "größe", "n", "y"]
    np.testing.assert_array_equal(read.X, np.column_stack([draw, np.arange(1.0, 7)]))
    assert read.whole.tolist() == [False, False, False, True]
    assert read.others[4].to_pylist() == ["no", "yes"] * 3


def test_a_workbook_is_read_as_pandas_reads_it(tmp_path):
    frame = pd.DataFrame(np.random.default_rng(1).normal(size=(9, 4)) * 10.0 ** np.arange(-9, 0)[:, None])
    frame = frame.set_axis(["a", "b", "c", "d"], axis=1).assign(flag=[True, False, True] * 3, y=list("xyzxyzxyz"))
    frame.loc[4, "b"] = np.nan
    frame.to_excel(tmp_path / "x.xlsx", index=False)
    known = pd.read_excel(tmp_path / "x.xlsx", engine="openpyxl")
    data = load_data(tmp_path / "x.xlsx", "y", impute="median")
    np.testing.assert_array_equal(data.X, known.drop(columns="y").to_numpy(dtype=float))
    assert data.y.tolist() == known["y"].tolist()


def test_genes_that_became_dates_are_told_with_their_cell():
    sheet = read_sheet(WRITTEN / "xlsxwriter_genes.xlsx")
    assert [row[0] for row in sheet.rows] == ["gene", "TP53", "MYC", "KRAS", "EGFR", "2-Mar", "1-Sep", "BRAF", "X1"]
    assert [row[1] for row in sheet.rows[5:]] == ["0.5", "#N/A", "", "TRUE"]  # a formula that failed has no value
    assert sheet.notes == (
        "2 names are dates ('2-Mar' in A6), which a spreadsheet may have made of a gene such as MARCH2: "
        "check the source",
    )


def test_genes_that_became_dates_are_told_in_text_and_in_headers_too(tmp_path):
    (tmp_path / "x.txt").write_text("TP53\nMYC\nKRAS\n1-Dec\n", encoding="utf-8")
    assert "('1-Dec' in row 4, column 1)" in read_sheet(tmp_path / "x.txt").notes[0]
    (tmp_path / "x.csv").write_text("TP53,7-Sep,MYC,y\n1,2,3,0\n3,1,2,1\n", encoding="utf-8")
    assert "('7-Sep' in the header)" in load_data(tmp_path / "x.csv", "y").notes[0]
    book = openpyxl.Workbook()
    book.active.append(["TP53", "MYC", datetime.date(2024, 9, 7), "y"])
    book.active.append([1, 2, 3, 0])
    book.save(tmp_path / "x.xlsx")
    assert read_sheet(tmp_path / "x.xlsx").rows[0] == ["TP53", "MYC", "7-Sep", "y"]


def test_dates_stay_dates_and_are_no_numbers():
    assert read_sheet(WRITTEN / "xlsxwriter_dates.xlsx").rows[1] == ["p0", "2024-03-01", "0"]
    assert read_sheet(WRITTEN / "xlsxwriter_dates.xlsx").notes == ()
    with pytest.raises(InputError, match="'visit' holds '2024-03-01'"):
        load_data(WRITTEN / "xlsxwriter_dates.xlsx", "x")


def test_merged_cells_count_for_each_row_and_hidden_sheets_are_left(tmp_path):
    sheet = read_sheet(WRITTEN / "xlsxwriter_merged.xlsx")
    assert [row[:2] for row in sheet.rows[1:]] == [["run1", x] for x in "abc"] + [["run2", x] for x in "ab"]
    assert sheet.notes == (
        "read as: sheet 'm', hidden and not read: 'hid', 1 title row skipped, 1 empty or comment row skipped, "
        "merged cells count for each of their rows",
    )
    assert sheet_names(WRITTEN / "xlsxwriter_merged.xlsx") == ["m"]
    assert read_sheet(WRITTEN / "xlsxwriter_merged.xlsx", sheet="hid").rows == [["secret"]]


def test_a_formula_that_nobody_computed_is_told(tmp_path):
    book = openpyxl.Workbook()
    for row in (["a", "b"], [1, "=A2*2"], [2, "=A3*2"]):
        book.active.append(row)
    book.save(tmp_path / "x.xlsx")
    sheet = read_sheet(tmp_path / "x.xlsx")
    assert sheet.rows == [["a", "b"], ["1", ""], ["2", ""]]
    assert sheet.notes == ("2 formulas without a stored result read as empty ('B2', 'B3'): save the file in Excel",)
    computed = xlsx(tmp_path / "y.xlsx", b'<row r="1"><c r="A1"><f>1+1</f><v>2</v></c></row>')
    assert read_sheet(computed).rows == [["2"]]
    assert read_sheet(computed).notes == ()


def test_text_that_is_called_xls_is_text(tmp_path):
    (tmp_path / "x.xls").write_text("gene\tp\nTP53\t0.5\nMYC\t0.1\n", encoding="utf-8")
    assert read_sheet(tmp_path / "x.xls").rows == [["gene", "p"], ["TP53", "0.5"], ["MYC", "0.1"]]


def test_a_sheet_of_a_text_file_and_a_delimiter_of_a_workbook_are_refused(tmp_path):
    (tmp_path / "x.csv").write_text("a,y\n1,2\n", encoding="utf-8")
    with pytest.raises(InputError, match="is a text file; leave sheet out"):
        load_data(tmp_path / "x.csv", "y", sheet="data")
    with pytest.raises(InputError, match="is a workbook; leave delimiter out"):
        load_data(WRITTEN / "xlwt.xls", "y", delimiter=";")
    with pytest.raises(InputError, match="is not a workbook; leave sheet out"):
        load_data(tmp_path / "x.parquet", "y", sheet=1)


def test_without_the_reader_of_workbooks_it_is_said_what_to_install(monkeypatch):
    monkeypatch.setitem(sys.modules, "python_calamine", None)
    with pytest.raises(MissingExtraError, match=r'needs python-calamine: pip install "steadyset\[excel\]"'):
        read_sheet(WRITTEN / "xlwt.xls")


def test_two_cells_far_apart_are_refused_before_all_between_them_are_kept(tmp_path):
    far = xlsx(tmp_path / "far.xlsx", b'<row r="1"><c r="A1"><v>1</v></c><c r="XFD1048576"><v>2</v></c></row>')
    with pytest.raises(InputError, match=r"claims 1,048,576 rows in .* bytes; it is damaged or forged"):
        read_sheet(far)
    book = openpyxl.Workbook()
    book.active["A1"] = 1
    book.active["XFD1048576"].font = Font(bold=True)  # formatted, but empty
    book.save(tmp_path / "formatted.xlsx")
    assert read_sheet(tmp_path / "formatted.xlsx").rows == [["1"]]


def test_cells_without_references_are_counted_too(tmp_path):
    rows = b"<row>" + b"<c><v>1</v></c>" * 1000 + b"</row>" + b"<row><c><v>2</v></c></row>" * 1000
    sheet = read_sheet(xlsx(tmp_path / "x.xlsx", rows))
    assert [len(row) for row in sheet.rows] == [1000] * 1001
    with pytest.raises(InputError, match=r"more than 0\.02 GB"):
        read_sheet(tmp_path / "x.xlsx", max_gb=0.02)  # a million cells in 5 KB


def test_a_long_text_that_many_cells_share_is_refused(tmp_path):
    cells = b"".join(b'<row r="%d"><c r="A%d" t="s"><v>0</v></c></row>' % (r, r) for r in range(1, 1001))
    path = xlsx(tmp_path / "x.xlsx", cells, b"<si><t>" + b"x" * 1_000_000 + b"</t></si><si><t>y</t></si>")
    with pytest.raises(InputError, match=r"more than 0\.5 GB"):
        read_sheet(path, max_gb=0.5)
    path = xlsx(
        tmp_path / "x.xlsx",
        cells.replace(b"<v>0<", b"<v>1<"),
        b"<si><t>" + b"x" * 1_000_000 + b"</t></si><si><t>y</t></si>",
    )
    assert read_sheet(path, max_gb=0.5).rows == [["y"]] * 1000


@pytest.mark.parametrize(("rows", "columns"), [(1_048_576, 999), (1, 100_000_000), (50_000, 16_384)])
def test_repeated_rows_and_cells_of_open_documents_count_as_often(tmp_path, rows, columns):
    with zipfile.ZipFile(WRITTEN / "odfpy.ods") as packed:
        parts = {name: packed.read(name) for name in packed.namelist()}
    repeated_rows = b'<table:table-row table:number-rows-repeated="%d">'
    repeated_cells = b'<table:table-cell table:number-columns-repeated="%d" '
    content = parts["content.xml"].replace(b"<table:table-row>", repeated_rows % rows)
    content = content.replace(b"<table:table-cell ", repeated_cells % columns)
    path = archive(tmp_path / "x.ods", parts | {"content.xml": content})
    with pytest.raises(InputError, match=r"it is damaged or forged"):
        read_sheet(path)
    empty_end = repeated_rows % 1_048_000 + repeated_cells % 16_384 + b"/></table:table-row></table:table>"
    content = parts["content.xml"].replace(b"</table:table>", empty_end)  # as LibreOffice writes
    assert len(read_sheet(archive(path, parts | {"content.xml": content})).rows) == 7


def test_an_archive_that_unpacks_to_much_or_lies_about_it_is_refused(tmp_path):
    path = xlsx(tmp_path / "x.xlsx", b'<row r="1"><c r="A1"><v>1</v></c></row>' + b" " * 30_000_000)
    assert path.stat().st_size < 50_000
    with pytest.raises(InputError, match=r"more than 0\.02 GB"):
        read_sheet(path, max_gb=0.02)
    with zipfile.ZipFile(path) as packed:
        size = struct.pack("<I", packed.getinfo("xl/worksheets/sheet1.xml").file_size)
    path.write_bytes(path.read_bytes().replace(size, struct.pack("<I", 500)))  # in the directory and beside the entry
    with pytest.raises(InputError, match="not a readable workbook: Bad CRC-32"):
        read_sheet(path, max_gb=0.02)


def test_entities_that_unfold_to_others_are_refused(tmp_path):
    bomb = b'<!DOCTYPE x [<!ENTITY a "ha"><!ENTITY b "&a;&a;">]><workbook>&b;</workbook>'
    with zipfile.ZipFile(xlsx(tmp_path / "x.xlsx", b"")) as packed:
        parts = {name: packed.read(name) for name in packed.namelist()}
    with pytest.raises(InputError, match=r"x\.xlsx defines entities in xl/workbook\.xml, which are not read"):
        read_sheet(archive(tmp_path / "x.xlsx", parts | {"xl/workbook.xml": bomb}))


def test_a_workbook_behind_a_password_gets_a_sentence(tmp_path):
    (tmp_path / "x.xlsx").write_bytes(OLE + bytes(500) + "EncryptedPackage".encode("utf-16-le"))
    with pytest.raises(InputError, match="protected by a password; save it without one"):
        read_sheet(tmp_path / "x.xlsx")


@pytest.mark.parametrize("name", ["odfpy.ods", "xlwt.xls", "xlsxwriter_merged.xlsx"])
def test_half_a_workbook_gets_a_sentence(tmp_path, name):
    path = tmp_path / name
    path.write_bytes((WRITTEN / name).read_bytes()[:-700])
    with pytest.raises(InputError, match=re.escape(f"{path} is not a readable workbook")):
        read_sheet(path)
