"""Tables in files, whatever the format: as cells of text, as columns; and JSON files of any content."""

from __future__ import annotations

import json
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from steadyset.foundation.errors import Argument, InputError, MissingExtraError, either
from steadyset.io.files import BYTES_A_CELL, MAX_GB, File, check_max_gb, read_limited, readable, refuse_size
from steadyset.io.formats import csv_files, spreadsheet
from steadyset.io.formats.columns import Columns, from_arrow, is_text
from steadyset.io.formats.csv_files import TextTable
from steadyset.io.formats.headings import find_heading, is_comment, is_number, usual_width
from steadyset.io.formats.record import TABLE, Format, endings_in_words, format_of, is_typed, is_workbook
from steadyset.io.labels import several, some_names, trimmed_name

if TYPE_CHECKING:
    import pyarrow as pa

MIN_TABLE_ROWS = 2  # a header and a row
SHOWN_ROWS = 60  # in which the header is looked for


@dataclass(frozen=True)
class Cells:
    """The cells of a sheet from A1 on as texts, which of them are dates, what was understood, and what to say."""

    rows: list[list[str]]
    dates: dict[tuple[int, int], str]
    words: Sequence[str] = ()
    notes: Sequence[str] = ()


@dataclass(frozen=True)
class Workbook:
    """The sheets of a workbook, and the cells of those that were read and hold any."""

    path: File
    names: Sequence[str]
    hidden: Sequence[str]
    filled: dict[str, Cells]

    def chosen(self, sheet: str | int | None) -> tuple[Cells, tuple[str, ...]]:
        """One sheet, with what is to be said of the choice: the one that is asked for, or the only one with cells."""
        if sheet is not None:
            name = spreadsheet.sheet_called(self.names, sheet)
            if name is None:
                other = Argument("sheet", self.names[0]) if self.names else "one with cells"
                told = f"{self.path} has no sheet {sheet!r}; it has {some_names(self.names)}; give "
                raise InputError(told, other, ", or a number from 1.")
            return self.filled.get(name, Cells([], {})), ()
        shown = self.shown or list(self.filled)
        if not shown:
            raise InputError(f"{self.path} is empty.")
        if len(shown) > 1:
            told = f"{self.path} has {len(shown)} sheets with cells ({some_names(shown)}); choose one with "
            raise InputError(told, *either("sheet", *(self.tables or shown[:1])), ".")
        notes = [f"sheet {shown[0]!r}"] if len(self.names) > 1 else []
        if unread := [name for name in self.filled if name != shown[0]]:
            notes.append(f"hidden and not read: {some_names(unread)}")
        return self.filled[shown[0]], tuple(notes)

    @property
    def shown(self) -> list[str]:
        """The sheets with cells that are not hidden."""
        return [name for name in self.filled if name not in self.hidden]

    @property
    def tables(self) -> list[str]:
        """The visible sheets that hold a table, those with most numbers first."""
        numbers = {name: n_numbers_in_table(self.filled[name].rows) for name in self.shown}
        found = [name for name, count in numbers.items() if count is not None]
        return sorted(found, key=lambda name: -(numbers[name] or 0))


def n_numbers_in_table(rows: Sequence[Sequence[str]]) -> int | None:
    """Return how many numbers the rows of a table hold; None if they are no table, such as lines of notes."""
    filled = [[cell for cell in row if cell] for row in rows if any(row)]
    usual = usual_width([len(row) for row in filled])
    regular = [row for row in filled if len(row) >= 2 and 2 * len(row) >= usual]
    if usual < 2 or len(regular) < MIN_TABLE_ROWS or 2 * len(regular) < len(filled):
        return None
    return sum(is_number(cell) for row in regular[1:] for cell in row)


def read_workbook(path: File, max_gb: float, sheet: str | int | None = None) -> Workbook:
    """A workbook, or of it the one sheet that is asked for, read by a process with limits of memory and time."""
    if (Workbook, None) in path.found:  # with all its sheets
        sheet = None
    return path.known((Workbook, sheet), lambda: _read_workbook(path, max_gb, sheet))


def _read_workbook(path: File, max_gb: float, sheet: str | int | None) -> Workbook:
    try:
        import python_calamine  # noqa: F401
    except ImportError:
        raise MissingExtraError(f'{path} needs python-calamine: pip install "steadyset[excel]".') from None
    refuse_size(path, path.stat().st_size, max_gb)
    imports = "import python_calamine; from steadyset.io.formats.spreadsheet import main"
    asked = json.dumps(sheet if isinstance(sheet, str | int) else None)
    call = "main(*sys.argv[1:])"
    printed = read_limited(imports, call, path, asked, str(max_gb), max_gb=max_gb, instead="save it as .csv")
    if printed is None:
        raise InputError(
            f"{path} is not a readable workbook, or takes far more memory or time than its size allows; "
            "save it again as .xlsx or .csv."
        )
    told = json.loads(printed.decode("utf-8", "surrogatepass"))
    if "refused" in told:
        parts = told["refused"]
        raise InputError(*(part if isinstance(part, str) else Argument(part["argument"], ...) for part in parts))
    filled = {name: _cells(**found) for name, found in told["sheets"].items()}
    return Workbook(path, told["names"], told["hidden"], filled)


def _cells(rows: list[list[str]], dates: list[Any], merged: list[Any], formulas: list[str]) -> Cells:
    words = ["merged cells count for each of their rows"] if _filled_down(rows, merged) else []
    told = f"{several(len(formulas), 'formula')} without a stored result read as empty ({some_names(formulas)})"
    notes = [f"{told}: save the file in Excel"] if formulas else []
    return Cells(rows, {(r, c): date for r, c, date in dates}, words, notes)


def cell_name(row: int, column: int) -> str:
    """The address of a cell as spreadsheets show it: A1 for the first."""
    letters, column = "", column + 1
    while column:
        column, letter = divmod(column - 1, 26)
        letters = chr(ord("A") + letter) + letters
    return f"{letters}{row + 1}"


def _filled_down(rows: list[list[str]], merged: Sequence[tuple[int, int, int]]) -> bool:
    """Put what is in the first of cells that are merged over several rows into the others; whether there are any."""
    spans = [(top, min(bottom, len(rows) - 1), column) for top, bottom, column in merged]
    if sum(bottom - top for top, bottom, _ in spans) > sum(map(len, rows)):  # they overlap, which no program writes
        return False
    filled = False
    for top, bottom, column in spans:
        if top < len(rows) and column < len(rows[top]) and rows[top][column]:
            for row in rows[top + 1 : bottom + 1]:
                row[column], filled = row[column] or rows[top][column], True
    return filled


@dataclass(frozen=True)
class Sheet:
    """The rows of a table from its header on, "" where a cell is empty, and what was understood to read them so.

    Rows may have different lengths. Empty rows and columns around the table are left out.
    """

    rows: list[list[str]]
    notes: tuple[str, ...]


def read_sheet(
    path: Path | File, *, sheet: str | int | None = None, delimiter: str | None = None, max_gb: float = MAX_GB
) -> Sheet:
    """The table of a text file or of one sheet of a workbook.

    `sheet` is a name or a number from 1; without it, a workbook has one sheet with cells. A `delimiter` is a character
    or tab. A file that would take more than `max_gb` gigabytes is refused.
    """
    path = File.of(path)
    with readable(path):
        read = workbook_sheet if is_workbook(path) else _from_text
        found = read(path, sheet, delimiter, max_gb)
    if not found.rows:
        raise InputError(f"{path} is empty.")
    return found


def first_rows(path: File, delimiter: str | None, max_gb: float, count: int) -> list[list[str]]:
    """The header of a text table and the first rows below it, "" where a cell is empty."""
    form = csv_files.checked_form(path, delimiter, max_gb, bytes_a_cell=BYTES_A_CELL)
    rows = list(islice((row for row in csv_files.text_rows(path, form) if any(row)), count))
    named = max(place for place, name in enumerate(rows[0], 1) if name)  # rows may end with a delimiter
    rows[0] = [trimmed_name(name) for name in rows[0]]
    return [row[:named] for row in rows]


def sheet_names(path: Path | File, max_gb: float = MAX_GB) -> list[str]:
    """The names of the sheets of a workbook that are visible and hold cells."""
    with readable(path):
        return read_workbook(File.of(path), max_gb).shown


def empty_sheets(path: File, max_gb: float = MAX_GB) -> list[str]:
    """The names of the sheets of a workbook that are visible and hold no cells."""
    with readable(path):
        book = read_workbook(path, max_gb)
    return [name for name in book.names if name not in book.filled and name not in book.hidden]


def workbook_sheet(path: File, sheet: str | int | None, delimiter: str | None, max_gb: float) -> Sheet:
    """One sheet of a workbook."""
    if delimiter is not None:
        raise InputError(f"{path} is a workbook; leave ", Argument("delimiter"), " out.")
    cells, notes = read_workbook(path, max_gb, sheet).chosen(sheet)
    rows, dates = cells.rows, cells.dates
    first = rows[:SHOWN_ROWS]
    heading = find_heading(first, [bool(row) and is_comment(row[0]) for row in first])
    below = {(r - heading.above, c): date for (r, c), date in dates.items() if r >= heading.above}
    rows = rows[heading.above :]
    genes = spreadsheet.among_names(rows, below | spreadsheet.dates_in_texts(rows))
    for (r, c), date in genes.items():
        rows[r][c] = date
    form = csv_files.TextForm("utf-8", ",", heading=heading)
    told = _genes_told(genes, lambda r, c: cell_name(r + heading.above, c))
    words = csv_files.read_as((*notes, *form.words, *cells.words))
    return Sheet(_trimmed(rows), (*words, *cells.notes, *told))


def _from_text(path: File, sheet: str | int | None, delimiter: str | None, max_gb: float) -> Sheet:
    if sheet is not None:
        raise InputError(f"{path} is a text file; leave ", Argument("sheet"), " out.")
    form = csv_files.checked_form(path, delimiter, max_gb, bytes_a_cell=spreadsheet.BYTES_A_TEXT_CELL)
    rows = _trimmed(list(csv_files.text_rows(path, form)))
    told = _genes_told(
        spreadsheet.among_names(rows, spreadsheet.dates_in_texts(rows)), lambda r, c: f"row {r + 1}, column {c + 1}"
    )
    return Sheet(rows, (*csv_files.read_as(form.words), *told))


def _genes_told(genes: Mapping[tuple[int, int], str], place: Callable[[int, int], str]) -> tuple[str, ...]:
    if not genes:
        return ()
    first = min(genes)
    return (spreadsheet.gene_dates_told(genes[first], f"in {place(*first)}", len(genes)),)


def _trimmed(rows: list[list[str]]) -> list[list[str]]:
    """Without empty cells at the ends of all rows, and without rows that hold nothing."""
    filled = [row for row in rows if any(row)]
    width = max((place for row in filled for place, cell in enumerate(row, 1) if cell), default=0)
    return [row[:width] for row in filled]


T = TypeVar("T")
JSON_SHARE = 8  # what is read from json takes about so many times its size


def read_json_file(path: Path | File, max_gb: float = MAX_GB) -> Any:
    """What a json file holds."""
    with readable(path):
        refuse_size(path, JSON_SHARE * path.stat().st_size, max_gb)
        text = File.of(path).open().read()
    try:
        return json.loads(text.decode("utf-8-sig"), object_pairs_hook=_distinct_keys)
    except UnicodeDecodeError:
        raise InputError(f"{path} is not UTF-8 text; save it as UTF-8.") from None
    except InputError as error:
        raise error.after(f"{path}: ") from None
    except (json.JSONDecodeError, RecursionError) as error:
        raise InputError(f"{path} is not well-formed JSON: {error}.") from None
    except ValueError:  # Python reads whole numbers of at most some 4,300 digits
        raise InputError(f"{path} holds a whole number with thousands of digits; expected shorter ones.") from None


def _distinct_keys(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for key, value in pairs:
        if key in found:
            raise InputError(f"The key {key!r} occurs twice; expected distinct keys.")
        found[key] = value
    return found


class TableFile:
    """A file that holds one table: text in any usual form, a sheet of a workbook, or columns with types.

    A `delimiter` is a character, or tab; without it, it is found. A `sheet` is a name, or a number from 1. A file that
    would take more than `max_gb` gigabytes is refused.
    """

    def __init__(
        self, file: Path | File, delimiter: str | None = None, sheet: str | int | None = None, max_gb: float = MAX_GB
    ) -> None:
        self.file, self.delimiter, self.sheet, self.max_gb = File.of(file), delimiter, sheet, max_gb

    def arrow(self, *, labels: bool = True, apart: Sequence[str] = ()) -> tuple[pa.Table, tuple[str, ...]]:
        """The table, and what was understood to read the file so.

        With `labels`, a first column without a name is called run, and the columns run and feature stay text; columns
        called `apart` stay as they are written.
        """
        text = self._text(trimmed=not labels)
        with readable(self.file):
            return (self._typed(), ()) if text is None else self._parsed(csv_files.read_csv, text, labels, apart)[:2]

    def columns(self, *, labels: bool = False, apart: Sequence[str] = ()) -> Columns:
        """The data as one array of numbers and the other columns.

        `apart` are never among the numbers: in a text or a workbook they stay as they are written, 01 is not 1.
        """
        read = self._columns(labels, apart)
        # A workbook has told in which cells.
        notes = read.notes if is_workbook(self.file) else (*read.notes, *spreadsheet.gene_dates_in(read.names))
        return replace(read, notes=notes, again=lambda more: self._columns(labels, (*apart, *more)))

    def many_columns(self, *, labels: bool, apart: Sequence[str] = ()) -> Columns | None:
        """A text table with many columns; None where it has few, or is not as regular as that."""
        text = self._text(trimmed=not labels)
        with readable(self.file):
            return None if text is None else self._parsed(csv_files.read_many_columns, text, labels, apart)

    def _columns(self, labels: bool, apart: Sequence[str]) -> Columns:
        many = self.many_columns(labels=labels, apart=apart)
        if many is not None:
            return many
        text, known = self._text(trimmed=not labels), format_of(self.file.name)
        with readable(self.file):
            if text is not None:
                table, notes, decimal = self._parsed(csv_files.read_csv, text, labels, apart)
                return replace(from_arrow(table, apart), notes=notes, decimal=decimal, alike=text.alike)
            if known is not None and known.read_columns is not None:
                return known.read_columns(self.file, apart, self.max_gb)
            return from_arrow(self._typed(), apart)

    def _parsed(
        self, parse: Callable[[TextTable, bool, Sequence[str]], T], text: TextTable, labels: bool, apart: Sequence[str]
    ) -> T:
        """What is parsed from a text; of a small file what was parsed before, if all that is `apart` was text then.

        Whoever inspects a file does not know yet which column is the target, and reads it with none apart.
        """
        labels = labels and text.may_have_labels()
        key = (parse, self.delimiter, self.sheet, labels)
        found: T | None = self.file.found.get(key)
        if found is not None and _are_texts(found, apart):
            # Arrow tables cannot be changed; arrays can, and whoever gets one may do so.
            return replace(found, X=found.X.copy()) if isinstance(found, Columns) else found
        found = parse(text, labels, apart)
        if not apart and self.file.content is not None:
            self.file.found[key] = found
        return found

    def _typed(self) -> pa.Table:
        """The table of a file whose columns have types."""
        known = format_of(self.file.name)
        if known is None or known.read is None:
            raise _unknown_ending(self.file, endings_in_words(TABLE))
        return known.read(self.file, self.max_gb)

    def _text(self, *, trimmed: bool) -> TextTable | None:
        """What is read as text: text files and workbooks; None for columns with types.

        The names of the columns of data are `trimmed`; recorded selections are read back with the names they have.
        """
        check_max_gb(self.max_gb)
        key = TextTable, self.delimiter, self.sheet, self.max_gb, trimmed
        return self.file.known(key, lambda: self._recognised(trimmed))

    def _recognised(self, trimmed: bool) -> TextTable | None:
        file, known = self.file, format_of(self.file.name)
        if is_typed(file.name):
            if self.delimiter is not None:
                raise InputError(f"{file} is not a text table; leave ", Argument("delimiter"), " out.")
            if self.sheet is not None:
                raise InputError(f"{file} is not a workbook; leave ", Argument("sheet"), " out.")
            if known is not None and known.read is None:
                raise InputError(f"{file} is a {known.name} file; expected {endings_in_words(TABLE)}.")
            return None
        with readable(file):
            workbook = is_workbook(file)
            if self.delimiter is not None:
                csv_files.separator_of(self.delimiter)
            elif known is None or TABLE not in known.holds:
                raise _unknown_ending(file, endings_in_words(TABLE))
            if workbook:
                read = workbook_sheet(file, self.sheet, self.delimiter, self.max_gb)
                return csv_files.rows_table(file, read.rows, read.notes, trimmed=trimmed)
            if self.sheet is not None:
                raise InputError(f"{file} is a text file; leave ", Argument("sheet"), " out.")
            return csv_files.text_table(file, self.delimiter, self.max_gb, trimmed=trimmed)


def _are_texts(found: Any, names: Collection[str]) -> bool:
    """Whether all columns of these names in what was parsed are as they are written."""
    if isinstance(found, Columns):
        kinds = [(name, found.others[f].type if f in found.others else None) for f, name in enumerate(found.names)]
    else:
        kinds = [(field.name, field.type) for field in found[0].schema]
    return all(kind is not None and is_text(kind) for name, kind in kinds if name in names)


def written_format(path: Path) -> Format:
    """The format in which a file is written, by its ending; a sentence where there is none."""
    found = format_of(path.name)
    if found is None or found.write is None:
        raise _unknown_ending(path, endings_in_words(wanted=lambda one: one.write is not None))
    return found


def _unknown_ending(path: Path | File, endings: str) -> InputError:
    if path.is_dir():
        return InputError(f"{path} is a folder; expected a file.")
    return InputError(f"{path} has an unknown ending; expected {endings}.")
