"""Tables as text: whatever the encoding, the delimiter, the rows above the header or the kind of workbook."""

import gzip

import openpyxl
import pytest

from steadyset.foundation.errors import InputError
from steadyset.io.formats.tables import read_sheet, sheet_names

TABLE = [["gene", "a", "b"], ["TP53", "1.5", "2"], ["MYC", "3", "4"]]


def lines(separator, *above):
    return "\n".join([*above, *(separator.join(row) for row in TABLE)]) + "\n"


def read(tmp_path, content, name="x.csv", **options):
    path = tmp_path / name
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return read_sheet(path, **options)


@pytest.mark.parametrize("separator", [",", ";", "\t", "|", " ", "   "])
@pytest.mark.parametrize("name", ["x.csv", "x.txt", "x.tsv", "x.tab"])
def test_the_delimiter_is_found_whatever_the_ending(tmp_path, separator, name):
    assert read(tmp_path, lines(separator), name).rows == TABLE


@pytest.mark.parametrize(
    ("encoding", "note"),
    [
        ("utf-8", ()),
        ("utf-8-sig", ()),
        ("utf-16", ("read as: UTF-16",)),
        ("utf-16-le", ("read as: UTF-16",)),
        ("utf-16-be", ("read as: UTF-16",)),
        ("cp1252", ("read as: Windows-1252 (Latin-1)",)),
        ("latin-1", ("read as: Windows-1252 (Latin-1)",)),
    ],
)
def test_the_encoding_is_found_and_told_unless_it_is_utf_8(tmp_path, encoding, note):
    sheet = read(tmp_path, "gène,größe\nx,1\n".encode(encoding))
    assert sheet.rows == [["gène", "größe"], ["x", "1"]]
    assert sheet.notes == note


@pytest.mark.parametrize(
    ("above", "note"),
    [
        (["sep=,"], ()),
        (["Table S1. Selected genes, by rank"], ("read as: 1 title row skipped",)),
        (["Results", ""], ("read as: 1 title row skipped, 1 empty or comment row skipped",)),
        (["Results,,", ",,"], ("read as: 1 title row skipped, 1 empty or comment row skipped",)),
        (["# written by a tool", "# on a day"], ("read as: 2 empty or comment rows skipped",)),
        (['"A title, quoted', 'over two lines"'], ("read as: 1 title row skipped",)),
    ],
)
def test_what_stands_above_the_header_is_skipped_and_told(tmp_path, above, note):
    sheet = read(tmp_path, lines(",", *above))
    assert sheet.rows == TABLE
    assert sheet.notes == note


def test_a_header_that_begins_with_a_hash_is_a_header(tmp_path):
    sheet = read(tmp_path, "# from a tool\n#gene\ta\nTP53\t1\nMYC\t2\n", "x.txt")
    assert sheet.rows == [["gene", "a"], ["TP53", "1"], ["MYC", "2"]]


@pytest.mark.parametrize("count", [59, 60, 61, 20_000])
def test_comments_above_a_table_may_be_many(tmp_path, count):
    comments = [f'##info=<"{i}>' for i in range(count)]
    sheet = read(tmp_path, lines("\t", *comments).replace("gene", "#gene"), "x.txt")
    assert sheet.rows == TABLE
    assert sheet.notes == (f"read as: {count:,} empty or comment rows skipped",)


def test_a_sign_for_inches_in_a_title_is_no_quote(tmp_path):
    assert read(tmp_path, lines(",", 'Trees of 5" and more')).rows == TABLE


def test_the_header_of_r_gets_its_missing_name(tmp_path):
    sheet = read(tmp_path, '"a" "b"\n"row 1" 1.5 2\n"row 2" 3 NA\n', "x.txt")
    assert sheet.rows == [["", "a", "b"], ["row 1", "1.5", "2"], ["row 2", "3", "NA"]]
    assert sheet.notes == ("read as: spaces, the first column, which has no name in the header, names the rows",)


@pytest.mark.parametrize(
    ("content", "rows"),
    [
        ("worst radius\nmean area\n", [["worst radius"], ["mean area"]]),  # names with spaces
        ("MYC\nTP53,MYC,KRAS\nTP53,MYC,EGFR\n", [["MYC"], ["TP53", "MYC", "KRAS"], ["TP53", "MYC", "EGFR"]]),
        ("a,b\nx,y\nz\n", [["a", "b"], ["x", "y"], ["z"]]),
        ("run1\tTP53\nrun2\tMYC\tKRAS\tEGFR\n", [["run1", "TP53"], ["run2", "MYC", "KRAS", "EGFR"]]),
    ],
)
def test_lists_keep_their_lengths_and_short_ones_are_no_titles(tmp_path, content, rows):
    assert read(tmp_path, content, "x.txt").rows == rows


def test_a_decimal_comma_below_one_name_is_asked_about(tmp_path):
    with pytest.raises(InputError, match='decimal comma, give delimiter=";"'):
        read(tmp_path, "x\n0,5\n1,7\n")
    assert read(tmp_path, "x\n0,5\n1,7\n", delimiter=";").rows == [["x"], ["0,5"], ["1,7"]]


def test_a_delimiter_that_is_named_wins(tmp_path):
    assert read(tmp_path, "a;b,c\n1;2,3\n", delimiter=",").rows == [["a;b", "c"], ["1;2", "3"]]


def test_compressed_text_is_text(tmp_path):
    assert read(tmp_path, gzip.compress(lines(";").encode()), "x.txt.gz").rows == TABLE


def test_old_line_ends_and_empty_ends_are_no_cells(tmp_path):
    assert read(tmp_path, lines(",").replace("\n", "\r")).rows == TABLE
    assert read(tmp_path, "gene,a,b,,\nTP53,1.5,2,,\nMYC,3,4,,\n,,,,\n,,,,\n").rows == TABLE


def workbook(path, **sheets):
    book = openpyxl.Workbook()
    book.remove(book.active)
    for name, rows in sheets.items():
        sheet = book.create_sheet(name)
        for row in rows:
            sheet.append(row)
    book.save(path)
    return path


def test_a_sheet_is_the_only_one_with_cells_or_the_one_that_is_named(tmp_path):
    first, second = [["gene", "a"], ["TP53", 1.5]], [["x"], [True]]
    one = workbook(tmp_path / "one.xlsx", data=first, empty=[])
    assert read_sheet(one).rows == [["gene", "a"], ["TP53", "1.5"]]
    assert read_sheet(one).notes == ("read as: sheet 'data'",)
    both = workbook(tmp_path / "both.xlsx", data=first, more=second, empty=[])
    assert sheet_names(both) == ["data", "more"]
    assert read_sheet(both, sheet="more").rows == read_sheet(both, sheet=2).rows == [["x"], ["TRUE"]]
    with pytest.raises(InputError, match=r"2 sheets with cells \('data', 'more'\); choose one with sheet=\"data\""):
        read_sheet(both)
    with pytest.raises(InputError, match="no sheet 'none'; it has 'data', 'more', 'empty'"):
        read_sheet(both, sheet="none")
