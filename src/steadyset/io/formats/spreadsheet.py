"""Spreadsheets: what they do with names, and what a workbook holds, told as JSON by a process with limits.

Genes become dates, and names that look like formulas are run. An .xlsx or .ods file is a zip archive of XML. Its parts
are unpacked once, and what they unfold to is known before the reader of workbooks sees them: two cells far apart span a
rectangle of which it keeps every cell, and a cell may be repeated a million times, so that a few bytes of XML can fill
the memory. An .xls file can ask it for any amount of memory or for a chain of sectors without end, which only the
limits of the process stop; they hold for all workbooks. `main` is what that process runs.
"""

from __future__ import annotations

import csv
import datetime
import io
import json
import math
import posixpath
import re
import sys
import zipfile
import zlib
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from itertools import pairwise
from pathlib import Path
from typing import Any, NamedTuple
from xml.etree import ElementTree
from xml.sax.saxutils import escape

from steadyset.foundation.errors import InputError
from steadyset.foundation.text import shown_name
from steadyset.io.files import OLE, ZIP, first_line, refuse_claim, refuse_size

MONTHS = ("Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec")
STEMS = {"Mar": "MARCH", "Sep": "SEPT"}  # how genes are called, where that is more than the month
DATE = re.compile(rf"([0-9]{{1,2}})-({'|'.join(MONTHS)})|({'|'.join(MONTHS)})-([0-9]{{1,2}})", re.IGNORECASE)
MADE = "which a spreadsheet may have made of a gene"
LONGEST = 6  # characters of such a date

Places = Mapping[tuple[int, int], str]
# What OWASP lists. LibreOffice runs = also behind a null character; Excel takes full-width forms in East Asia.
FORMULA_STARTS = ("=", "+", "-", "@", "\t", "\r", "\n", "\0", "＝", "＋", "－", "＠")
AS_TEXT = "'"


def dates_in_texts(rows: Sequence[Sequence[str]]) -> dict[tuple[int, int], str]:
    """The cells that hold a day and a month, by row and column."""
    return {
        (r, c): cell
        for r, row in enumerate(rows)
        for c, cell in enumerate(row)
        if 3 < len(cell) <= LONGEST and "-" in cell and DATE.fullmatch(cell)
    }


def among_names(rows: Sequence[Sequence[str]], dates: Places) -> dict[tuple[int, int], str]:
    """Those of the dates that stand among names: in the header, or in a column with more words than dates."""
    columns = {c for _, c in dates}
    per_column = Counter(c for _, c in dates)
    words = {c: sum(c < len(row) and _is_word(row[c]) for row in rows) for c in columns}
    in_header = sum(r == 0 for r, _ in dates)
    header_words = sum(map(_is_word, rows[0])) if rows else 0
    found = {}
    for (r, c), date in dates.items():
        of_column = 2 * per_column[c] < words[c] and per_column[c] + 1 < words[c]
        if of_column or (r == 0 and 2 * in_header < header_words):
            found[r, c] = date
    return found


def gene_dates_told(date: str, where: str, count: int) -> str:
    """What is to be said of dates among names, the first of which is at a place."""
    day, month = sorted(date.split("-"))  # digits come before letters
    gene = f"{STEMS.get(month.capitalize(), month.upper())}{int(day)}"
    names = "1 name is a date" if count == 1 else f"{count} names are dates"
    return f"{names} ({date!r} {where}), {MADE} such as {gene}: check the source"


def gene_dates_in(names: Sequence[str], where: str = "in the header") -> tuple[str, ...]:
    """The same for a list of names."""
    dates = [name for name in names if 3 < len(name) <= LONGEST and "-" in name and DATE.fullmatch(name)]
    if not dates or 2 * len(dates) > len(names):
        return ()
    return (gene_dates_told(dates[0], where, len(dates)),)


def _is_word(cell: str) -> bool:
    return any(character.isalpha() for character in cell)


def csv_text(rows: Sequence[Mapping[Any, Any]], *, safe: bool = False) -> str:
    """Rows that share their keys as csv; with `safe`, no cell of it is a formula to a spreadsheet."""
    shown = [{key: _cell(value) for key, value in row.items()} for row in rows]
    if safe:
        shown = [{key: spreadsheet_safe(value) for key, value in row.items()} for row in shown]
    columns = list(rows[0]) if rows else []
    # Python leaves a carriage return bare, where readers end the line, unless it quotes all texts.
    returns = any("\r" in value for row in shown for value in row.values() if isinstance(value, str))
    text = io.StringIO(newline="")
    writer = csv.writer(text, lineterminator="\n", quoting=csv.QUOTE_NONNUMERIC if returns else csv.QUOTE_MINIMAL)
    writer.writerow([spreadsheet_safe(column) for column in columns] if safe else columns)
    writer.writerows([row[column] for column in columns] for row in shown)
    return text.getvalue()


SHEET = "http://schemas.openxmlformats.org/spreadsheetml/2006/main"
OFFICE = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
PACKAGE = "http://schemas.openxmlformats.org/package/2006"
BEGINNING = '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>'
NOT_IN_XML = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


def xlsx_bytes(rows: Sequence[Mapping[Any, Any]]) -> bytes:
    """The same as a workbook of one sheet, in which names are text: no spreadsheet makes dates or formulas of them."""
    header = list(rows[0]) if rows else []
    lines = [header, *([row[key] for key in header] for row in rows)]
    cells = "".join(f"<row>{''.join(map(_sheet_cell, line))}</row>" for line in lines)
    main = "application/vnd.openxmlformats-officedocument.spreadsheetml"
    parts = {
        "[Content_Types].xml": f'<Types xmlns="{PACKAGE}/content-types"><Default Extension="rels" '
        'ContentType="application/vnd.openxmlformats-package.relationships+xml"/>'
        f'<Override PartName="/xl/workbook.xml" ContentType="{main}.sheet.main+xml"/>'
        f'<Override PartName="/xl/sheet.xml" ContentType="{main}.worksheet+xml"/></Types>',
        "_rels/.rels": relations([(f"{OFFICE}/officeDocument", "xl/workbook.xml")]),
        "xl/_rels/workbook.xml.rels": relations([(f"{OFFICE}/worksheet", "sheet.xml")]),
        "xl/workbook.xml": f'<workbook xmlns="{SHEET}" xmlns:r="{OFFICE}"><sheets><sheet name="features" sheetId="1" '
        'r:id="rId1"/></sheets></workbook>',
        "xl/sheet.xml": f'<worksheet xmlns="{SHEET}"><sheetData>{cells}</sheetData></worksheet>',
    }
    return office_package(parts)


def office_package(parts: Mapping[str, str | bytes]) -> bytes:
    """The parts of an office file, XML as text, as the zip archive that it is."""
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in parts.items():
            entry = zipfile.ZipInfo(name)  # without the time: the same content makes the same file
            written = content if isinstance(content, bytes) else f"{BEGINNING}{content}".encode()
            archive.writestr(entry, written, zipfile.ZIP_DEFLATED)
    return packed.getvalue()


def relations(links: Sequence[tuple[str, str]]) -> str:
    """The part that names what another part refers to, by kind and target: rId1, rId2 and so on."""
    each = (f'<Relationship Id="rId{i}" Type="{kind}" Target="{target}"/>' for i, (kind, target) in enumerate(links, 1))
    return f'<Relationships xmlns="{PACKAGE}/relationships">{"".join(each)}</Relationships>'


def _sheet_cell(value: Any) -> str:
    shown = _cell(value)
    if isinstance(shown, int | float) and not isinstance(shown, bool) and math.isfinite(shown):
        return f"<c><v>{float(shown):.17g}</v></c>"
    text = escape(NOT_IN_XML.sub(lambda found: ascii(found[0])[1:-1], str(shown)))
    return f'<c t="inlineStr"><is><t xml:space="preserve">{text}</t></is></c>' if text else "<c/>"


def is_formula(value: Any) -> bool:
    """Whether a spreadsheet that opens a csv file may run this value instead of showing it."""
    return isinstance(value, str) and value.startswith(FORMULA_STARTS)


def spreadsheet_safe(value: Any) -> Any:
    """The value with an apostrophe in front where a spreadsheet may run it, else as it is.

    What has that apostrophe already gets another one, so that different names stay different.

    Examples
    --------
    >>> [spreadsheet_safe(value) for value in ("=cmd()", "TP53", "5'-UTR", -1.5)]
    ["'=cmd()", 'TP53', "5'-UTR", -1.5]
    """
    return AS_TEXT + value if isinstance(value, str) and is_formula(value.lstrip(AS_TEXT)) else value


def formulas_told(values: Iterable[Any], where: str, remedy: str) -> str | None:
    """A sentence that says how many names a spreadsheet may run, and what to do; None where there are none."""
    risky = list(dict.fromkeys(value for value in values if is_formula(value)))
    if not risky:
        return None
    names = "1 name" if len(risky) == 1 else f"{len(risky)} names"
    first = shown_name(risky[0])
    return f"{where}: {names} would be run as a formula by a spreadsheet, the first is {first!r}; {remedy}"


def _cell(value: Any) -> Any:
    if isinstance(value, float) and math.isnan(value):
        return ""
    return " ".join(str(x) for x in value) if isinstance(value, tuple) else value


BYTES_A_TEXT_CELL = 100  # of a cell as it is read and then as text
WHOLE = 2.0**53
BYTES_A_CELL = 32  # as the reader of workbooks keeps it
PIECE = 1 << 22
ATTRIBUTES = rb"(?:[^>\"']|\"[^\"]*\"|'[^']*')*"
CELL = re.compile(rb"<(?:\w+:)?c[\s/>]")
ROW = re.compile(rb"<(?:\w+:)?row[\s/>]")
REFERENCE = re.compile(rb"r\s*=\s*[\"']\s*([A-Za-z]{1,9})([0-9]{1,9})")
ROW_NUMBER = re.compile(rb"r\s*=\s*[\"']\s*([0-9]{1,9})")
FILLED_CELL = re.compile(rb"<(?:\w+:)?c\s" + ATTRIBUTES + rb"(?<!/)>")
SHARED_TEXT = re.compile(rb"<(?:\w+:)?si[\s>]")
TEXT_CELL = re.compile(rb"t\s*=\s*[\"']s[\"']")
VALUE = re.compile(rb"<(?:\w+:)?v[^>]*>\s*([0-9]{1,9})\s*<")
ODS_TAG = re.compile(rb"<(/?)(?:\w+:)?(table|table-row|table-cell|covered-table-cell)([\s/]" + ATTRIBUTES + rb")?>")
ODS_REPEATED = re.compile(rb"number-(?:rows|columns)-repeated\s*=\s*[\"']\s*([0-9]{1,12})")
PARTS = (".xml", ".rels")  # the others are pictures, macros and settings of printers
ENCRYPTED = "EncryptedPackage".encode("utf-16-le")
MIMETYPE, ODS_CONTENT = "mimetype", "content.xml"
XLSX_TEXTS = "xl/sharedstrings.xml"
WORKBOOK, RELATIONS = "xl/workbook.xml", "xl/_rels/workbook.xml.rels"
RELATION_ID = "{http://schemas.openxmlformats.org/officeDocument/2006/relationships}id"
UNCALCULATED = re.compile(
    rb"<c\s[^>]*?r=\"([A-Z]+[0-9]+)\"[^>]*>\s*<f(?:\s[^>]*)?(?:/>|>[^<]*</f>)\s*(?:<v\s*/>|<v>\s*</v>)?\s*</c>"
)


def told_workbook(path: Path, asked: str | int | None, max_gb: float) -> dict[str, Any]:
    """The sheets of a workbook and their cells as text; of one sheet alone, where one is asked for."""
    from python_calamine import CalamineWorkbook

    content, parts = checked_archive(path, max_gb)
    with explained_workbook(path):
        book = CalamineWorkbook.from_filelike(io.BytesIO(content))
    tables = [about for about in book.sheets_metadata if str(about.typ).endswith("WorkSheet")]
    names = [about.name for about in tables]
    wanted = sheet_called(names, asked)
    sheets, n_cells = {}, 0
    for name in names if asked is None else [wanted]:
        if name is None:  # whoever asked says so
            break
        with explained_workbook(path):
            sheet = book.get_sheet_by_name(name)
            n_cells += sheet.height * sheet.width
            refuse_size(path, BYTES_A_TEXT_CELL * n_cells, max_gb)
            if sheet.start is not None:
                sheets[name] = _cells(sheet) | {"formulas": uncalculated(parts, name)}
    hidden = [about.name for about in tables if not str(about.visible).endswith(".Visible")]
    return {"names": names, "hidden": hidden, "sheets": sheets}


def sheet_called(names: Sequence[str], asked: str | int | None) -> str | None:
    """The sheet of a name, or of a number from 1; None where there is none."""
    if isinstance(asked, str) and asked in names:
        return asked
    by_number = dict(enumerate(names, 1)) | {str(i): name for i, name in enumerate(names, 1)}
    key = asked.strip() if isinstance(asked, str) else asked
    return None if key is None or isinstance(key, bool) else by_number.get(key)


def _cells(sheet: Any) -> dict[str, Any]:
    """The cells of a sheet from A1 on as texts, which of them are dates, and which are merged over rows."""
    seen: dict[str, str] = {}  # a text that repeats is kept once
    rows, dates = [], []
    for r, values in enumerate(sheet.iter_rows()):
        texts = [value if type(value) is str else cell_text(value) for value in values]
        rows.append([seen.setdefault(text, text) for text in texts])
        days = [(c, value) for c, value in enumerate(values) if isinstance(value, datetime.date)]
        dates += [(r, c, f"{day.day}-{MONTHS[day.month - 1]}") for c, day in days]  # as a gene that became one is shown
    merged = [(top, bottom, column) for (top, column), (bottom, _) in sheet.merged_cell_ranges or () if bottom > top]
    return {"rows": rows, "dates": dates, "merged": merged}


@contextmanager
def explained_workbook(path: Path) -> Iterator[None]:
    """Say what is wrong with a workbook in a sentence, whatever the library makes of it."""
    try:
        yield
    except (InputError, OSError, KeyboardInterrupt, SystemExit, GeneratorExit):
        raise
    except BaseException as error:  # a panic of the library is no Exception
        if type(error).__name__ == "PasswordError":
            raise InputError(f"{path} is protected by a password; save it without one.") from None
        raise _unreadable(path, first_line(error)) from None


def _unreadable(path: Path, why: str) -> InputError:
    return InputError(f"{path} is not a readable workbook: {why}; save it again as .xlsx or .csv.")


def cell_text(value: Any) -> str:
    """A cell as one would type it."""
    if isinstance(value, float):
        return str(int(value)) if value.is_integer() and abs(value) < WHOLE else repr(value)
    if isinstance(value, bool):
        return "TRUE" if value else "FALSE"
    if isinstance(value, datetime.datetime):
        midnight = value.time() == datetime.time()
        return value.date().isoformat() if midnight else value.isoformat(sep=" ")
    return str(value)


def checked_archive(path: Path, max_gb: float) -> tuple[bytes, dict[str, bytes]]:
    """The content of a workbook as the reader of workbooks gets it, and the parts of the archive, if it is one."""
    refuse_size(path, path.stat().st_size, max_gb)
    content = path.read_bytes()
    if content.startswith(OLE) and ENCRYPTED in content:
        raise InputError(f"{path} is protected by a password; save it without one.")
    if not content.startswith(ZIP):  # .xls is not compressed
        return content, {}
    try:
        with zipfile.ZipFile(io.BytesIO(content)) as packed:
            every = packed.infolist()
            wanted = [one for one in every if one.filename.lower().endswith(PARTS) or one.filename == MIMETYPE]
            refuse_size(path, 2 * sum(one.file_size for one in wanted), max_gb)  # the copy takes as much again
            parts = {one.filename: packed.read(one) for one in wanted}
    except InputError:
        raise
    # zipfile raises NotImplementedError for ways of packing that it does not know, RuntimeError for passwords.
    except (zipfile.BadZipFile, zlib.error, EOFError, NotImplementedError, RuntimeError, OSError, ValueError) as error:
        raise _unreadable(path, first_line(error)) from None
    _refuse_extents(path, parts, max_gb)
    copy = io.BytesIO()
    with zipfile.ZipFile(copy, "w", zipfile.ZIP_STORED) as plain:
        for name, part in parts.items():
            plain.writestr(name, part)
    return copy.getvalue(), parts


def _refuse_extents(path: Path, parts: Mapping[str, bytes], max_gb: float) -> None:
    texts = [length for name, part in parts.items() if name.lower() == XLSX_TEXTS for length in shared_texts(part)]
    for name, part in parts.items():  # a sheet may be in any part
        if b"\0" in part[:4]:
            raise _unreadable(path, f"{name} is not UTF-8")
        if b"<!ENTITY" in part:  # texts that unfold to others, which no spreadsheet program writes
            raise InputError(f"{path} defines entities in {name}, which are not read; it is forged.")
        extent = ods_extent(part) if name == ODS_CONTENT else xlsx_extent(part, texts, max_gb * 2**30)
        refuse_claim(path, extent.n_rows, extent.n_columns)
        refuse_size(path, extent.n_bytes, max_gb)


class Extent(NamedTuple):
    """A rectangle of cells, and the bytes of their texts."""

    n_rows: int
    n_columns: int
    text: int = 0

    @property
    def n_bytes(self) -> int:
        return BYTES_A_CELL * self.n_rows * self.n_columns + self.text


def xlsx_extent(sheet: bytes, texts: list[int], bearable: float) -> Extent:
    """The extent of a worksheet of Excel whose cells refer to texts of these lengths.

    Formatted cells without a value count only where the sheet is of `bearable` size with them.
    """
    n_rows, n_columns, without_reference = 0, 0, 0
    for piece in _pieces(sheet):
        references = REFERENCE.findall(piece)
        rows, columns = _corner(references)
        n_rows, n_columns = max(n_rows, rows), max(n_columns, columns)
        without_reference += len(CELL.findall(piece)) - len(references)
    if without_reference > 0:  # these cells follow each other
        n_rows = max(n_rows, max(map(int, ROW_NUMBER.findall(sheet)), default=0)) + len(ROW.findall(sheet))
        n_columns += max(len(CELL.findall(row)) for row in ROW.split(sheet))
    elif BYTES_A_CELL * n_rows * n_columns > bearable:
        filled = [reference for tag in FILLED_CELL.finditer(sheet) for reference in REFERENCE.findall(tag[0])]
        n_rows, n_columns = _corner(filled)
    return Extent(n_rows, n_columns, _text(sheet, texts, bearable))


def shared_texts(strings: bytes) -> list[int]:
    """The lengths of the texts that cells refer to, at most."""
    starts = [match.start() for match in SHARED_TEXT.finditer(strings)]
    return [end - start for start, end in pairwise([*starts, len(strings)])]


def ods_extent(content: bytes) -> Extent:
    """The largest extent of the tables of an OpenDocument workbook, whose rows and cells may be repeated."""
    largest = current = Extent(0, 0)
    rows = columns = row_times = cell_times = start = 0
    for tag in ODS_TAG.finditer(content):
        closing, name, attributes = tag[1], tag[2], tag[3] or b""
        times = max(map(int, ODS_REPEATED.findall(attributes)), default=1)
        if name == b"table":
            largest = max(largest, current, key=lambda extent: extent.n_bytes)
            current, rows = Extent(0, 0), 0
        elif name == b"table-row":
            if not closing:
                rows, columns, row_times = rows + times, 0, times
        elif closing:
            current = current._replace(text=current.text + row_times * cell_times * (tag.start() - start))
        else:
            columns, cell_times, start = columns + times, times, tag.start()
            if not attributes.endswith(b"/") or b"value" in attributes:
                text = current.text + row_times * cell_times * len(attributes)
                current = Extent(rows, max(current.n_columns, columns), text)
    return max(largest, current, key=lambda extent: extent.n_bytes)


def _pieces(xml: bytes) -> Iterator[bytes]:
    """Parts that end before a tag."""
    start = 0
    while start < len(xml):
        end = xml.rfind(b"<", start + 1, start + PIECE) if len(xml) - start > PIECE else len(xml)
        end = end if end > start else len(xml)
        yield xml[start:end]
        start = end


def _corner(references: Sequence[tuple[bytes, bytes]]) -> tuple[int, int]:
    """The last row and column that references such as B12 name."""
    letters, digits = (set(parts) for parts in zip(*references, strict=True)) if references else (set(), set())
    columns = [
        sum((ord(c) - 64) * 26**place for place, c in enumerate(reversed(word.decode().upper()))) for word in letters
    ]
    return max(map(int, digits), default=0), max(columns, default=0)


def _text(sheet: bytes, texts: list[int], bearable: float) -> int:
    """The bytes of the texts that cells refer to; counted one by one where the longest for each would be too much."""
    cells = sum(len(TEXT_CELL.findall(piece)) for piece in _pieces(sheet))
    longest = max(texts, default=0)
    if cells * longest <= bearable:
        return 0
    numbers = [int(number) for number in VALUE.findall(sheet)]
    known = sum(texts[number] for number in numbers if number < len(texts))
    return known + max(0, cells - len(numbers)) * longest


def uncalculated(parts: Mapping[str, bytes], sheet: str) -> list[str]:
    """The cells of a sheet with a formula but no value."""
    part = parts.get(_part(parts, sheet), b"")
    return [cell.decode() for cell in UNCALCULATED.findall(part)] if b"<f" in part else []


def _part(parts: Mapping[str, bytes], sheet: str) -> str:
    """Where in the archive a sheet is; nowhere, if the archive is no Excel file or does not say."""
    try:
        sheets = ElementTree.fromstring(parts[WORKBOOK]).iter()
        relations = ElementTree.fromstring(parts[RELATIONS]).iter()
    except (LookupError, ValueError, ElementTree.ParseError):
        return ""
    identity = next((one.get(RELATION_ID) for one in sheets if one.get("name") == sheet and one.get(RELATION_ID)), None)
    target = next((one.get("Target", "") for one in relations if one.get("Id") == identity), "")
    return target.lstrip("/") if target.startswith("/") else posixpath.normpath(posixpath.join("xl", target))


def main(path: str, asked: str, max_gb: str) -> None:
    """Print what a workbook holds, or the sentence that refuses it."""
    try:
        told: dict[str, Any] = told_workbook(Path(path), json.loads(asked), float(max_gb))
    except InputError as error:
        told = {"refused": [part if isinstance(part, str) else {"argument": part.name} for part in error.args]}
    sys.stdout.buffer.write(json.dumps(told, ensure_ascii=False).encode("utf-8", "surrogatepass"))
