"""A folder of text files with one list each: one run per file, called by the name of the file."""

from __future__ import annotations

import re
from pathlib import Path

from steadyset.foundation.errors import InputError
from steadyset.io.labels import several, some_names
from steadyset.io.limits import refuse_size
from steadyset.io.name_lists import Lists, one_list
from steadyset.io.reading_options import Reading
from steadyset.io.run_files import SETTINGS
from steadyset.io.sheets import read_sheet
from steadyset.io.text_forms import opened

BYTES_A_BYTE = 10  # a name of five letters takes about so many times its length in memory
LIST_ENDINGS = (".txt", ".csv", ".tsv", ".lst", ".list", ".grp")


def lists_in_folder(folder: Path, reading: Reading) -> Lists:
    """The lists of all files that end alike (.txt before others), in the order of their names: run2 before run10."""
    try:
        files = sorted((file for file in folder.iterdir() if not file.name.startswith(".")), key=_natural)
    except OSError as error:
        raise InputError(f"{folder} cannot be read: {error.strerror or error}.") from None
    if any(file.name == SETTINGS for file in files):
        raise InputError(f"{folder} is the run folder of an assessment; Assessment.open gives the selections in it.")
    kinds = [ending for ending in LIST_ENDINGS if any(_is_list(file, ending) for file in files)]
    if not kinds:
        raise InputError(f"{folder} is a folder; expected a file, or a folder of .txt files with one list each.")
    chosen = [file for file in files if _is_list(file, kinds[0])]
    others = [file.name for file in files if file not in chosen]
    notes = (f"not read: {some_names(others)}",) if others else ()
    refuse_size(folder, BYTES_A_BYTE * sum(file.stat().st_size for file in chosen), reading.max_gb)
    lists = [_list(file, reading) for file in chosen]
    return Lists(lists, [file.stem for file in chosen], f"{several(len(chosen), f'{kinds[0]} file')}", notes)


def holds_lists(folder: Path) -> bool:
    """Whether a folder has files that may be lists, and nothing that a program of ours recorded in it."""
    names = [file.name for file in folder.iterdir()]
    recorded = any(name.endswith((".json", ".db")) for name in names)
    return not recorded and any(_is_list(folder / name, ending) for name in names for ending in LIST_ENDINGS)


def _is_list(file: Path, ending: str) -> bool:
    return file.suffix.lower() == ending and file.is_file()


def _natural(file: Path) -> list[tuple[bool, int, str]]:
    """Digits compare as numbers; other signs that count as digits (²) are text."""
    parts = re.split(r"([0-9]+)", file.name)  # every second one is digits
    return [(bool(i % 2), int(part) if i % 2 else 0, part) for i, part in enumerate(parts)]


def _list(file: Path, reading: Reading) -> list[str]:
    """The names in one file; one without any is a list of none."""
    if _is_blank(file):
        return []
    rows = [[cell.strip() for cell in row] for row in read_sheet(file, max_gb=reading.max_gb).rows]
    names = one_list([row for row in rows if any(row)], reading.header)
    if names is None:
        width = max(map(len, rows))
        raise InputError(
            f"{file} has {width} columns; in a folder of lists each file holds one list, with a name in each line."
        )
    return names


def _is_blank(file: Path) -> bool:
    """Whether a file holds nothing but white space and comments."""
    if file.stat().st_size == 0:
        return True
    with opened(file) as source:
        start = source.read(1 << 16)
    lines = start.splitlines()
    return len(start) < 1 << 16 and all(not line.strip() or line.lstrip().startswith(b"#") for line in lines)
