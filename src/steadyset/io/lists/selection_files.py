"""Selections in files of any kind and layout, in folders of lists, and written; and the universe from a file."""

from __future__ import annotations

import json
import re
from collections.abc import Collection, Iterable, Sequence
from contextlib import closing
from dataclasses import replace
from itertools import chain, islice, zip_longest
from pathlib import Path
from textwrap import shorten
from typing import TYPE_CHECKING, Any, NamedTuple

from steadyset.foundation.arguments import check_choice, check_flag
from steadyset.foundation.errors import Argument, InputError, after, warn_caller
from steadyset.io.data.sources import as_written
from steadyset.io.disk import DATABASE, SETTINGS, explained, write_durably, written_durably
from steadyset.io.files import BYTES_A_NAME, File, first_line, readable, refuse_size
from steadyset.io.formats import csv_files, record
from steadyset.io.formats.columns import FEATURE, NULLS, RUN, Columns, is_numeric
from steadyset.io.formats.headings import (
    CALLED_RUN,
    TOP,
    is_comment,
    is_feature_word,
    is_number,
    is_p_value,
    is_row_of_marks,
)
from steadyset.io.formats.record import LISTS as LISTS_OF_RUNS
from steadyset.io.formats.spreadsheet import BYTES_A_TEXT_CELL, MADE, cell_text, formulas_told, spreadsheet_safe
from steadyset.io.formats.tables import (
    Sheet,
    TableFile,
    empty_sheets,
    read_json_file,
    read_sheet,
    sheet_names,
    written_format,
)
from steadyset.io.labels import Names, UnionOfNames, several, some_names
from steadyset.io.lists import BLOCKS, CELLS, COLUMNS, GMT, GMX, LISTS, LONG, ROWS, WIDE
from steadyset.io.lists.blocks import lists_in_lines, may_be_lists_in_lines
from steadyset.io.lists.entries import (
    Entries,
    ReadOptions,
    entries_of_sets,
    reordered,
    universe_in_words,
    with_rankings,
    with_ties,
    with_weights,
)
from steadyset.io.lists.layouts import (
    LINE_SHOWN,
    NO_NAMES,
    TORN,
    Lists,
    SingleList,
    columns_of,
    entries_of_lists,
    entries_of_rows,
    lists_in_cells,
    one_list,
    table_of_tests,
    with_ranking,
    without_headings,
)
from steadyset.io.lists.long import entries_of_long, headings_say, long_columns
from steadyset.io.lists.r_layouts import may_be_of_r
from steadyset.io.lists.wide import (
    LAYOUTS,
    Wide,
    entries_of_numbers,
    may_name_rows,
    refuse_unnamed_first_column,
    wide_columns,
    wide_numbers,
    wide_table,
)

if TYPE_CHECKING:
    import pyarrow as pa

BYTES_A_BYTE = 10  # a name of five letters takes about so many times its length in memory
BEGINNING = 1 << 17  # letters that tell whether a file holds lists in lines
NEW_SHEET = re.compile(r"(?i)(sheet|tabelle|feuil|hoja|foglio|blad|planilha|ark) ?[0-9]+")
SKIPPED = " skipped"  # in a note on titles and comments
R_EMPTY_VECTOR = b'"","x"'  # what write.csv makes of a vector without names
TOP_OF_TESTS = Argument("top", 20)
FEW = 3  # columns, among which text means a layout other than wide


def lists_in_folder(folder: Path, reading: ReadOptions) -> Lists:
    """The lists of all files that end alike (.txt before others), in the order of their names: run2 before run10."""
    try:
        files = sorted((file for file in folder.iterdir() if not file.name.startswith(".")), key=_natural)
    except OSError as error:
        raise InputError(f"{folder} cannot be read: {error.strerror or error}.") from None
    if any(file.name == SETTINGS for file in files):
        raise InputError(f"{folder} is the run folder of an assessment; Assessment.open gives the selections in it.")
    kinds = _list_endings()
    kind = next((ending for ending in kinds if any(_is_list(file, ending) for file in files)), None)
    if kind is None:
        raise InputError(f"{folder} is a folder; expected a file, or a folder of {kinds[0]} files with one list each.")
    chosen = [file for file in files if _is_list(file, kind)]
    others = [file.name for file in files if file not in chosen]
    notes = [f"not read: {some_names(others)}"] if others else []
    refuse_size(folder, BYTES_A_BYTE * sum(file.stat().st_size for file in chosen), reading.max_gb)
    found = [_list(file, reading) for file in chosen]
    labels = [file.stem for file in chosen]
    singles, joined = _single_lines_as_elsewhere([one for one, _ in found])
    lists, headed = without_headings(singles, labels, "file", reading.header)
    notes += [f"each line is one name, also with a comma in it ({some_names(joined)})"] if joined else []
    comments = [comment for _, skipped in found for comment in skipped]
    if comments:
        notes.append(f"{several(len(comments), 'line')} beginning with # left out ({some_names(comments)})")
    found_lists = Lists(lists, labels, several(len(chosen), f"{kind} file"), (*headed, *notes))
    return with_ranking(found_lists, singles)


def holds_lists(folder: Path) -> bool:
    """Whether a folder has files that may be lists, and nothing that a program of ours recorded in it."""
    names = [file.name for file in folder.iterdir()]
    recorded = any(name.endswith((*record.FORMATS["json"].endings, Path(DATABASE).suffix)) for name in names)
    return not recorded and any(_is_list(folder / name, ending) for name in names for ending in _list_endings())


def _list_endings() -> list[str]:
    """The endings of files with one list each; that of text, which says nothing else, comes before those of tables."""
    plain = record.FORMATS["text"].endings[0]
    return sorted(record.endings(lambda one: record.ONE_LIST in one.holds), key=lambda ending: ending != plain)


def _is_list(file: Path, ending: str) -> bool:
    return file.suffix.lower() == ending and file.is_file()


def _single_lines_as_elsewhere(found: Sequence[SingleList]) -> tuple[list[SingleList], list[str]]:
    """The lists, and the names with a comma in them that are the only line of a file.

    A line such as "T cells, CD4+" holds several names if other files hold names of it, or if most files are one line
    of several names; else it is one name, as in the other files.
    """
    filled = [one for one in found if one.cells]
    lines = [one for one in filled if one.one_line]
    if 2 * len(lines) > len(filled):
        return list(found), []
    names = {name for one in filled if not one.one_line for name in one.cells}
    lists, joined = [], []
    for one in found:
        whole = ", ".join(one.cells)
        torn = any(map(TORN.fullmatch, one.cells))
        if one.one_line and (whole in names or torn or names.isdisjoint(one.cells)):
            joined.append(whole)
            lists.append(SingleList([whole], one.headed))
        else:
            lists.append(one)
    return lists, joined


def _natural(file: Path) -> list[tuple[bool, int, str]]:
    """Digits compare as numbers; other signs that count as digits (²) are text."""
    parts = re.split(r"([0-9]+)", file.name)  # every second one is digits
    return [(bool(i % 2), int(part) if i % 2 else 0, part) for i, part in enumerate(parts)]


def _list(path: Path, reading: ReadOptions) -> tuple[SingleList, list[str]]:
    """The names in one file, and the lines in it that are comments; a file without any is a list of none."""
    file = File(path)
    with csv_files.opened(file) as source:
        start = source.read(1 << 16)
    first_lines = start.splitlines()
    stripped = [line.decode(errors="replace").strip() for line in first_lines]
    blank = (not line or is_comment(line) for line in stripped)
    if len(start) < 1 << 16 and all(blank):
        return SingleList([]), _comments(start)
    if len(start) < 1 << 16 and first_lines[0].strip() == R_EMPTY_VECTOR and not any(map(bytes.strip, first_lines[1:])):
        return SingleList([]), []
    names = _names_with_separators(file, reading)
    if names is not None:
        return SingleList(names), _comments(start)
    rows = [[cell.strip() for cell in row] for row in read_sheet(file, max_gb=reading.max_gb).rows]
    filled = [row for row in rows if any(row)]
    found = one_list([row for row in filled if not is_comment(row[0])])
    quoted = [row[0] for row in filled if is_comment(row[0])]
    if found is None and reading.top is not None:
        found = table_of_tests(rows, reading.top)
    if found is None:
        width = max(map(len, rows))
        told = f"{file} has {width} columns; in a folder of lists each file holds one list, with a name in each line."
        if reading.top is None and table_of_tests(rows, 1) is not None:
            raise InputError(
                f"{told} For the features with the smallest p-values of each table give ", TOP_OF_TESTS, "."
            )
        raise InputError(
            f"{told} If each line is one name with separators in it, give ", Argument("layout", COLUMNS), "."
        )
    return found, list(dict.fromkeys([*_comments(start), *quoted]))


def _names_with_separators(file: File, reading: ReadOptions) -> list[str] | None:
    """The lines of a file where at least half hold one name, and some a comma within theirs; None for any other.

    The same of any file whose lines somebody says are one name each.
    """
    form = csv_files.checked_form(file, None, reading.max_gb, bytes_a_cell=BYTES_A_TEXT_CELL)
    rows = [row for row in csv_files.text_rows(file, replace(form, heading=TOP), comments=True) if any(row)]
    rows = [row for row in rows if not is_comment(row[0])]
    single = sum(bool(row[0]) and not any(row[1:]) for row in rows)
    if reading.layout != COLUMNS and not 0 < single < len(rows) <= 2 * single:
        return None
    separator = (
        form.delimiter if form.delimiter == csv_files.TAB else f"{form.delimiter} " * form.padded or form.delimiter
    )
    return [separator.join(cell for cell in row if cell).strip() for row in rows]


def _comments(start: bytes) -> list[str]:
    lines = start.decode("utf-8", errors="replace").splitlines()
    return [shorten(line.strip(), LINE_SHOWN, placeholder=" ...") for line in lines if is_comment(line.lstrip())]


def read_selections(path: File, reading: ReadOptions) -> Entries:
    """See Selections.read."""
    if path.is_dir():
        with after(f"{path}: "):
            return entries_of_lists(lists_in_folder(path.path, reading), reading)
    known = record.format_of(path.name)
    if known is not None and known.read_lists is not None:
        return known.read_lists(path, reading)
    if record.is_workbook(path):
        return _from_workbook(path, reading)
    if known is not None and known.layout:
        reading = replace(reading, layout=reading.layout or known.layout)
    elif (found := _in_lines(path, reading)) is not None:
        with after(f"{path}: "):
            return entries_of_lists(found, reading)
    elif (reading.layout not in (*LISTS, CELLS) or record.is_typed(path.name)) and reading.runs is None:
        entries = _from_table(path, reading)
        if entries is not None:
            return entries
    return _from_sheet(path, reading)


def _in_lines(path: File, reading: ReadOptions) -> Lists | None:
    """The lists of a text file that stand in its lines, in blocks or behind labels; None for a table."""
    known = record.format_of(path.name)
    if known is None or not known.text or reading.layout not in (None, ROWS, BLOCKS) or reading.runs is not None:
        return None
    with readable(path):
        with closing(csv_files.text_lines(path, reading.max_gb)) as lines:
            if reading.layout is None and not may_be_lists_in_lines(_beginning(lines)):
                return None
        refuse_size(path, BYTES_A_BYTE * path.stat().st_size, reading.max_gb)
        with after(f"{path}: "):
            return lists_in_lines(list(csv_files.text_lines(path, reading.max_gb)), reading)


def _beginning(lines: Iterable[str]) -> list[str]:
    """The first lines, of which a wide table has few and a file of lists many."""
    first = []
    n_letters = 0
    for line in lines:
        first.append(line)
        n_letters += len(line)
        if n_letters > BEGINNING:
            break
    return first


def _from_table(path: File, reading: ReadOptions) -> Entries | None:
    """A long table, or a wide one of numbers, read without a text for each cell; None for any other layout."""
    file = TableFile(path, max_gb=reading.max_gb)
    try:
        found = file.many_columns(labels=True)
        table, notes = file.arrow() if found is None else (None, found.notes)
    except InputError:
        if record.is_typed(path.name):
            raise
        return None  # the reader of cells takes more, and says what is wrong where it does not
    if table is not None and table.num_columns and str(table.schema.field(0).type).startswith(("date", "time")):
        # The first column may name runs or features, which happen to read as dates or times.
        table, notes = file.arrow(apart=table.column_names[:1])
    with after(f"{path}: "):
        entries = _entries_of_table(path, found, table, reading)
    return None if entries is None else entries._replace(notes=(*entries.notes, *notes))


def _entries_of_table(
    path: File, found: Columns | None, table: pa.Table | None, reading: ReadOptions
) -> Entries | None:
    """The same of a table with many columns, or of one as Arrow has it."""
    features_named = table is not None and any(map(is_feature_word, table.column_names))
    if table is not None and features_named and _has_unnamed_first_column(path, table, reading):
        # An index without a heading, as pandas writes it, names rows rather than runs.
        cells = _as_text(table)
        return entries_of_rows([["", *cells[0][1:]], *cells[1:]], reading)
    pairs = table is not None and headings_say(table.column_names) is not None
    if table is not None and pairs and reading.top is not None and any(map(is_p_value, table.column_names)):
        return entries_of_rows(_as_text(table), reading)
    if table is not None and {RUN, FEATURE} <= set(table.column_names) and reading.layout != WIDE:
        within = None
        if reading.layout in (None, CELLS) and len(table.column(RUN).unique()) == table.num_rows:
            rows = _as_text(table)
            within = lists_in_cells(
                rows, columns_of(rows), certain=reading.layout == CELLS
            )  # one row per run, each with its whole list in a cell
        return _from_long(table, reading) if within is None else entries_of_lists(within, reading)
    if reading.layout != LONG and found is not None and not may_be_of_r(found.names, (), reading):
        return _from_numbers(path, wide_numbers(found, reading.transpose), reading)
    if reading.layout != LONG and table is not None and _is_wide(table, reading):
        return _from_numbers(path, wide_table(table, "The table", reading.transpose), reading)
    return entries_of_rows(_as_text(table), reading) if table is not None and record.is_typed(path.name) else None


def _from_sheet(path: File, reading: ReadOptions) -> Entries:
    """A table of text cells in any layout."""
    known, workbook = record.format_of(path.name), record.is_workbook(path)
    if not workbook and (known is None or not known.text or LISTS_OF_RUNS not in known.holds):
        with readable(path):  # what does not exist has no wrong ending
            raise InputError(f"{path} has an unknown ending; expected {record.endings_in_words(LISTS_OF_RUNS)}.")
    if workbook or reading.sheet is not None:
        sheet = read_sheet(path, sheet=reading.sheet, max_gb=reading.max_gb)
        rows, form = sheet.rows, None
    else:
        rows, form, comments, titles = _text_cells(path, reading)
        told = [shorten(" ".join(filter(None, row)), LINE_SHOWN, placeholder=" ...") for row in comments]
        skipped = []
        if told:
            count = several(len(told), "row")
            skipped.append(f"{count} beginning with # left out ({some_names(told)})")
        if titles:
            skipped.append(f"left out as {several(len(titles), 'title')}: {some_names(titles)}")
        sheet = Sheet(rows, (*csv_files.read_as(form.words), *skipped))
    short = form is not None and form.heading.short
    with after(f"{path}: "):
        entries = entries_of_rows(rows, reading, short=short)
    placed = any(MADE in note for note in sheet.notes)  # a workbook says in which cells
    return entries._replace(notes=(*(note for note in entries.notes if not placed or MADE not in note), *sheet.notes))


def _text_cells(
    path: File, reading: ReadOptions
) -> tuple[list[list[str]], csv_files.TextForm, list[list[str]], list[str]]:
    """Return the cells of a text file as they stand, the comments among them and the titles.

    A row with several cells is a list rather than a title, and so is a cell that recurs further down.
    """
    known = record.format_of(path.name)
    delimiter = "tab" if known is not None and known.layout and known.layout == reading.layout else None
    with readable(path):
        form = csv_files.checked_form(path, delimiter, reading.max_gb, bytes_a_cell=BYTES_A_TEXT_CELL)
        rows = list(csv_files.text_rows(path, replace(form, heading=TOP), comments=True))
    if reading.layout in (COLUMNS, ROWS) and reading.header is False and form.lists_left_out:
        # Somebody says that these are rows of names.
        return [row for row in rows if any(row)], replace(form, heading=TOP, lists_left_out=()), [], []
    above = [row for row in rows[: form.heading.above] if any(row) and not is_comment(row[0])]
    below = set(chain.from_iterable(rows[form.heading.above :]))
    lists = [row for row in above if _is_list_above(row, below)]
    if lists or reading.layout in (ROWS, GMT, GMX):
        form = replace(form, heading=TOP)
        above = []
    header = rows[form.heading.above] if form.heading.above < len(rows) else []
    if form.heading.commented:
        header = csv_files.repaired_header(header, replace(form, heading=form.heading._replace(short=False)))
    kept = [] if header and is_comment(header[0]) else [header] if header else []
    comments = [row for row in rows[: form.heading.above] if row and is_comment(row[0])]
    if form.lists_left_out:  # which the words of the form name
        comments = [row for row in comments if len(row) != len(header)]
    comments += [] if kept or not header else [header]
    for row in rows[form.heading.above + 1 :]:
        (comments if row and is_comment(row[0]) else kept).append(row)
    return kept, form, comments, [next(filter(None, row)) for row in above]


def _is_list_above(row: Sequence[str], below: Collection[str]) -> bool:
    """Return whether a row above lists is one of them: several cells, a run, or a name that recurs."""
    filled = [cell for cell in row if cell]
    return len(filled) > 1 or bool(CALLED_RUN.fullmatch(row[0].strip())) or filled[0] in below


def _from_workbook(path: File, reading: ReadOptions) -> Entries:
    """One sheet of a workbook, or all of them where each holds a list."""
    names = [] if reading.sheet is not None else sheet_names(path, reading.max_gb)
    empty = empty_sheets(path, reading.max_gb) if names else []
    if len(names) < 2 and not _is_list_beside_empty_ones(path, [*names, *empty], reading):
        return _from_sheet(path, reading)
    has = f"{path} has {several(len(names), 'sheet')} ({some_names(names)})"
    sheets: list[SingleList] = []
    columns: dict[str, str] = {}
    notes: list[str] = []
    for name in names:
        sheet = read_sheet(path, sheet=name, max_gb=reading.max_gb)
        notes += [f"sheet {name!r}: {note}" for note in sheet.notes if SKIPPED in note]
        cells = [[cell.strip() for cell in row] for row in sheet.rows]
        rows = [row for row in cells if any(row)]
        found = one_list(rows)
        if found is None and reading.top is not None:
            found = table_of_tests(rows, reading.top)
        if found is None:
            columns[name], cells_below = _column_of_names(rows)
            found = None if cells_below is None else SingleList([columns[name], *cells_below], True)
        if found is None:
            told = f"{has}, and {name!r} is not a single list; choose one with "
            raise InputError(told, Argument("sheet", names[0]), ", or keep one list in the first column of each.")
        sheets.append(found)
    # Sheets that nobody named come with every new workbook; a sheet that somebody named is a list of none.
    unread = [name for name in empty if NEW_SHEET.fullmatch(name)]
    if unread:
        notes.append(f"not read: {'empty sheet' if len(unread) == 1 else 'empty sheets'} {some_names(unread)}")
    named = [name for name in empty if name not in unread]
    sheets += [SingleList([])] * len(named)
    names = [*names, *named]
    lists, headed = without_headings(sheets, names, "sheet", None if columns else reading.header)
    if columns and len({frozenset(found) for found in lists}) == 1:
        told = f"{has} with the same names, as tables of all features have; keep those that were selected."
        raise InputError(told)
    notes = [*headed, *notes]
    if columns:
        notes.append(f"of the sheets only the column {some_names(sorted(set(columns.values())))} is used")
    found_lists = with_ranking(Lists(lists, names, several(len(names), "sheet"), tuple(notes)), sheets)
    with after(f"{path}: "):
        return entries_of_lists(found_lists, reading)


def _is_list_beside_empty_ones(path: File, names: Sequence[str], reading: ReadOptions) -> bool:
    """Whether the only sheet with cells holds one list, and all sheets have names that somebody gave them."""
    if len(names) < 2 or any(map(NEW_SHEET.fullmatch, names)) or reading.layout is not None:
        return False
    cells = [[cell.strip() for cell in row] for row in read_sheet(path, sheet=names[0], max_gb=reading.max_gb).rows]
    return one_list([row for row in cells if any(row)]) is not None


def _column_of_names(rows: Sequence[Sequence[str]]) -> tuple[str, list[str] | None]:
    """The one column whose heading is a word for features, beside columns that tell something of them."""
    places = [f for f, heading in enumerate(rows[0]) if is_feature_word(heading)]
    if len(places) != 1:
        return "", None
    place = places[0]
    return rows[0][place], [row[place] for row in rows[1:] if place < len(row) and row[place]]


def _from_long(table: pa.Table, reading: ReadOptions) -> Entries:
    universe, union = (reading.features, reading.n_features), not reading.declared
    entries = entries_of_long(table, *universe, None, top=reading.top, union=union)
    if not isinstance(entries.names, UnionOfNames):
        return entries
    line = f"{several(entries.n_runs, 'run')} from the column {RUN!r}; {several(entries.n_features, 'distinct name')}"
    return entries._replace(notes=(f"{line}; {universe_in_words(entries.names)}",))


def _from_numbers(path: File, wide: Wide, reading: ReadOptions) -> Entries:
    """A wide table of numbers; names of its rows that read as such are read anew as they are written."""
    if may_name_rows(wide, reading.transpose) and wide.features is not None:
        table, _ = TableFile(path, max_gb=reading.max_gb).arrow(apart=[wide.features[0]])
        wide = wide._replace(written=as_written(table.column(0).to_pylist()))
    known = record.format_of(path.name)
    text = known is not None and known.text
    if text and reading.transpose is None and wide.labels is not None:
        wide = wide._replace(first=_first_heading(path, reading))  # an empty one is called run by then
        if not wide.first:
            refuse_unnamed_first_column(wide)
    return entries_of_numbers(wide, reading)


def _has_unnamed_first_column(path: File, table: pa.Table, reading: ReadOptions) -> bool:
    """Whether a first column that is called run by now has no heading in a text file, and names each row."""
    known = record.format_of(path.name)
    if known is None or not known.text or reading.layout == WIDE or table.column_names[:1] != [RUN]:
        return False
    heading = _heading(path, reading)
    return heading[0] == "" and RUN not in heading and len(table.column(0).unique()) == table.num_rows


def _first_heading(path: File, reading: ReadOptions) -> str:
    """The heading of the first column as it stands in a text file."""
    return _heading(path, reading)[0]


def _heading(path: File, reading: ReadOptions) -> list[str]:
    """The headings of a text file as they stand in it."""
    form = csv_files.text_form(path, None, reading.max_gb)
    return [cell.strip() for cell in next(csv_files.text_rows(path, form), [""])]


def _is_wide(table: pa.Table, reading: ReadOptions) -> bool:
    """Whether a table is one of numbers, but for what names its rows; blanks are none, and may be marks or ends."""
    names = table.column_names
    texts = [f for f, field in enumerate(table.schema) if not is_numeric(field.type)]
    first = list(map(str, table.column(0).to_pylist())) if 0 in texts else []
    if table.num_rows == 0 or may_be_of_r(names, first, reading):
        return False
    if table.num_columns <= FEW and (headings_say(names) is not None or _recurs(table, texts)):
        return False
    if 0 in texts and is_row_of_marks(names):
        return False
    others = [f for f in texts if f > 0 and names[f] != RUN]
    numbers = table.select([f for f in range(table.num_columns) if f not in texts])
    if not numbers.num_columns or (others and 2 * numbers.num_columns < table.num_columns):
        return False
    if any(column.null_count for column in numbers.columns):
        # Missing values rather than marks, where 0 stands for what is not selected.
        return {0.0} <= _values(numbers) <= {0.0, 1.0}
    zero_one = not (others or all(map(is_number, names))) or _values(numbers) <= {0.0, 1.0}
    return zero_one and (not others or table.num_columns > FEW)


def _recurs(table: pa.Table, texts: Sequence[int]) -> bool:
    """Whether a first column of names holds one twice, as that of the runs in a long table does."""
    first, (name, *others) = table.column(0), table.column_names
    if name == RUN or len(first.unique()) == len(first):
        return False
    return 0 in texts or (any(map(is_feature_word, others)) and not _values(table) <= {0.0, 1.0})


def _values(table: pa.Table) -> set[Any]:
    return {value for column in table.columns for value in column.unique().to_pylist() if value is not None}


def _as_text(table: pa.Table) -> list[list[str]]:
    """The cells of an Arrow table as text, below the names of its columns."""
    columns = [["" if value is None else cell_text(value) for value in column.to_pylist()] for column in table.columns]
    return [list(table.column_names), *map(list, zip(*columns, strict=True))]


LOOKED_AT = 20  # rows of the data that tell which columns hold text


class Universe(NamedTuple):
    """The names, where in the file they stand, and the names of columns that are no features."""

    names: tuple[str, ...]
    where: str
    left_out: tuple[str, ...] = ()


def read_universe(path: Path, used: Collection[str], *, max_gb: float, target: str | None = None) -> Universe:
    """All names of a file: one in each line, those of a first column, or a header; whichever holds those in use.

    In the header of data, `target` and columns of text beside numbers are no features, unless they are in use.
    """
    with readable(path):
        heading, column, texts = _edges(File(path), max_gb)
    header = _distinct(heading)
    if target is not None and target not in header:
        raise InputError(f"{path} has no column {target!r}.")
    left_out = {target} | (set() if len(texts) == len(header) else set(texts)) - set(used)
    features = tuple(name for name in header if name not in left_out)
    others = tuple(name for name in header if name in left_out)
    where = "first column" if len(heading) > 1 else "lines"
    found = [Universe(_distinct(column), where), Universe(features, "header", others)]
    fitting = [one for one in found if len(one.names) > 0 and set(used) <= set(one.names)]
    if fitting:
        return max(fitting, key=lambda one: len(one.names))
    nearest = max(found, key=lambda one: len(set(used).intersection(one.names)))
    missing = sorted(set(used).difference(nearest.names))
    raise InputError(
        f"{path} does not name {some_names(missing)}, which the runs select; its {nearest.where} "
        f"{'have' if nearest.where == 'lines' else 'has'} {len(nearest.names):,} names."
    )


def _edges(path: File, max_gb: float) -> tuple[Sequence[str], Sequence[str], Collection[str]]:
    """The first row of a table, the first column below it, and the columns that hold text rather than numbers.

    A first cell that is the name of a feature is part of both.
    """
    if record.is_typed(path.name):
        table, _ = TableFile(path, max_gb=max_gb).arrow()
        return table.column_names, [], [field.name for field in table.schema if not is_numeric(field.type)]
    rows: Iterable[Sequence[str]]
    if record.is_workbook(path):
        rows = read_sheet(path, max_gb=max_gb).rows
    else:
        rows = csv_files.text_rows(path, csv_files.text_form(path, None, max_gb))
    filled = (row for row in rows if row)
    heading = next(filled, [])
    first = list(islice(filled, LOOKED_AT))
    column = [row[0] for row in (heading, *first) if row]
    for row in filled:
        column.append(row[0])
        if len(column) % 100_000 == 0:
            refuse_size(path, BYTES_A_NAME * len(column), max_gb)
    headed = len(heading) > 1 or bool(column and is_feature_word(column[0].strip()))
    texts = []
    for name, cells in zip(heading, zip_longest(*first, fillvalue=""), strict=False):
        known = [cell for cell in cells if cell.strip() not in NULLS]
        if known and not any(map(is_number, known)):
            texts.append(name.strip())
    return heading, column[headed:], texts


def _distinct(cells: Iterable[str]) -> tuple[str, ...]:
    names = dict.fromkeys(cell.strip() for cell in cells)
    return tuple(name for name in names if name and name not in NO_NAMES)


BOTH_HALVES = re.compile("[\ud800-\udbff][\udc00-\udfff]")
SCHEMA = "steadyset.selections"
SCHEMA_VERSION = 1
OWN_KEYS = {"features", "runs"}  # no labels of runs
MOST_CLAIMED = 10_000_000  # features that a file may claim without naming them
WIDE_CELLS, WIDE_COLUMNS = 5_000_000, 10_000


def read_selection_json(path: File, reading: ReadOptions) -> Entries:
    """The runs of a json file."""
    content = read_json_file(path, reading.max_gb)
    try:
        if isinstance(content, dict) and content.get("schema") == SCHEMA:
            return _from_schema(content, reading.features, reading.n_features)
        if isinstance(content, dict) and content.keys() >= OWN_KEYS:
            raise InputError(
                f'The keys are those of {SCHEMA}, but "schema" is missing; '
                "write such files with Selections.write, or give the runs alone, as a list of lists of features."
            )
        if isinstance(content, (list, dict)):
            runs, labels = (list(content.values()), list(content)) if isinstance(content, dict) else (content, None)
            # Lists of names, rather than of places of features.
            texts = all(isinstance(run, list) and all(isinstance(name, str) for name in run) for run in runs)
            if texts and any(runs) and (reading.top is not None or not reading.declared):
                return entries_of_lists(Lists(runs, labels, several(len(runs), "list")), reading)
            return entries_of_sets(content, reading.features, reading.n_features, None)
    except InputError as error:
        raise error.after(f"{path}: ") from None
    except (KeyError, TypeError, ValueError) as error:
        raise InputError(f"{path} does not follow the {SCHEMA} schema: {first_line(error)}.") from None
    raise InputError(f"{path} holds a {type(content).__name__}; expected a list of runs, each a list of features.")


def _from_schema(content: dict[str, Any], features: Names, n_features: int | None) -> Entries:
    if content["schema_version"] != SCHEMA_VERSION:
        raise InputError(f"schema_version is {content['schema_version']!r}; this version reads {SCHEMA_VERSION}.")
    count, names, labels, runs = content["n_features"], content["features"], content["labels"], content["runs"]
    if n_features not in (None, count):
        raise InputError(f"The file has {count} features, but {n_features} were announced.")
    if n_features is None and names is None and isinstance(count, int) and count > MOST_CLAIMED:
        told = f"The file claims {count:,} features; if that is so, give "
        raise InputError(told, Argument("n_features", count), ".")
    names = features if names is None else names
    sets = entries_of_sets(runs, names, count, labels)
    if content.get("weights") is not None:
        sets = _with_weights_as_listed(sets, runs, content["weights"])
    if content.get("rankings") is not None:
        sets = with_rankings(sets, content["rankings"])
    if content.get("tied") is not None:
        sets = with_ties(sets, content["tied"])
    return sets if features is None else reordered(sets, features, "The file")


def _with_weights_as_listed(sets: Entries, runs: Sequence[Any], weights: Sequence[Any]) -> Entries:
    """The weights of a file, which stand in the order in which the file lists the features of each run."""
    if len(weights) != len(runs) or any(len(w) != len(run) for w, run in zip(weights, runs, strict=True)):
        raise InputError("weights must hold one list per run with one weight for each feature that the run selected.")
    place = {name: f for f, name in enumerate(sets.features)}
    orders = [sorted(range(len(run)), key=[place.get(f, f) for f in run].__getitem__) for run in runs]
    return with_weights(sets, [[w[i] for i in order] for w, order in zip(weights, orders, strict=True)])


def selection_content(entries: Entries) -> dict[str, Any]:
    """What a json file holds."""
    split, weights, rows = entries.indptr, entries.weights, range(entries.n_runs)
    return {
        "schema": SCHEMA,
        "schema_version": SCHEMA_VERSION,
        "n_features": entries.n_features,
        "features": None if entries.names is None else list(entries.names),
        "labels": None if entries.labels is None else list(entries.labels),
        "runs": [entries.selected(i).tolist() for i in rows],
        "weights": None if weights is None else [weights[split[i] : split[i + 1]].tolist() for i in rows],
        "rankings": None if entries.rankings is None else entries.rankings.tolist(),
        **({} if entries.tied is None else {"tied": entries.tied.tolist()}),
    }


def write_json(entries: Entries, layout: str | None, path: Path) -> None:
    """All that is known of the runs; json has one layout."""
    content = selection_content(entries)
    text = json.dumps(content, ensure_ascii=False, allow_nan=False)
    if BOTH_HALVES.search(text):
        why = "a name holds the two halves of a character one by one, which json joins; rename it."
        raise InputError(f"{path} cannot be written: {why}")
    try:
        written = text.encode()
    except UnicodeEncodeError:  # half of a character, which json writes out
        written = json.dumps(content, allow_nan=False).encode()
    write_durably(path, written + b"\n")


def write_selections(entries: Entries, path: Path, *, layout: str | None, safe: bool = False) -> None:
    """See Selections.write."""
    form = written_format(path)
    assert form.write is not None
    check_choice("layout", layout, LAYOUTS, or_none=True)
    check_flag("spreadsheet_safe", safe)
    if form.text:
        entries = _for_spreadsheets(entries, path, safe=safe)
    try:
        with explained(path):
            form.write(entries, layout, path)
    except UnicodeEncodeError as error:
        raise InputError(
            f"{path} cannot be written: {error.object!r} holds half of a character, which UTF-8 does not have; "
            "rename it, or write .json."
        ) from None


def _for_spreadsheets(entries: Entries, path: Path, *, safe: bool) -> Entries:
    """The entries with names that no spreadsheet runs; unless that is asked for, as they are, with a warning."""
    names, labels = entries.names or (), entries.labels
    if not safe:
        remedy = "spreadsheet_safe=True writes such names with an apostrophe in front."
        told = formulas_told((*names, *(labels or ())), str(path), remedy)
        if told is not None:
            warn_caller(told)
        return entries
    return entries._replace(
        names=entries.names and tuple(spreadsheet_safe(name) for name in names),
        labels=labels and tuple(spreadsheet_safe(label) for label in labels),
    )


def _as_table(entries: Entries, layout: str | None) -> pa.Table:
    import pyarrow as pa

    plain = entries.weights is None and entries.rankings is None
    if layout == "wide" and not plain:
        raise InputError("The wide layout holds 0/1 only; write weights or rankings as long, or as json.")
    taken = {RUN, FEATURE}.intersection(entries.features)
    if layout == "wide" and taken:
        told = f"A feature is called {min(taken)!r}, which wide files reserve; write the long layout instead."
        raise InputError(told)
    small = entries.n_runs * entries.n_features <= WIDE_CELLS and entries.n_features <= WIDE_COLUMNS
    wide = layout == "wide" or (layout is None and plain and small and not taken)
    return pa.table(wide_columns(entries) if wide else long_columns(entries, declare=True))


def write_parquet(entries: Entries, layout: str | None, path: Path) -> None:
    """A table of typed columns."""
    from pyarrow import parquet

    table = _as_table(entries, layout)
    with written_durably(path) as beside:
        parquet.write_table(table, beside, compression="snappy")  # what it unfolds to is bounded by its size


def write_text(entries: Entries, layout: str | None, path: Path, *, delimiter: str) -> None:
    """A table of text, packed where the name of the file says so."""
    import pyarrow as pa
    from pyarrow import csv as arrow_csv

    table = _as_table(entries, layout)
    options = arrow_csv.WriteOptions(delimiter=delimiter, quoting_style="needed")
    packing = "gzip" if path.suffix.lower() == record.PACKED else None
    with written_durably(path) as beside, pa.output_stream(str(beside), compression=packing) as sink:
        arrow_csv.write_csv(table, sink, options)
