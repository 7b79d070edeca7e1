"""Lists in the lines of a text file: in blocks, below headings, behind labels, or with separators of their own.

blocks      `>Golub` above its names, as in FASTA files; `[Golub]` or `Golub:` above them, or `# Golub` if somebody
            says so; blank lines between the lists; a list of vectors as R prints it
labelled    `Golub: CD33, ZYX` or `Golub - CD33, ZYX`, one list a line
mixed       one list a line, some with commas and some with semicolons
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from itertools import chain
from textwrap import shorten
from typing import NamedTuple

from steadyset.foundation.errors import Argument, InputError, either
from steadyset.io.formats import headings
from steadyset.io.labels import several, some_names
from steadyset.io.lists import BLOCKS, COLUMNS, ROWS
from steadyset.io.lists.entries import ReadOptions
from steadyset.io.lists.layouts import LINE_SHOWN, NO_NAMES, SEPARATORS, TORN, Lists, labelled, printed_names

STRONG = (" /// ", ";", ",", "\t", "|")  # what hardly stands in a name
MARKED = {
    "'>'": re.compile(r">\s*(.+)"),
    "brackets": re.compile(r"\[([^\[\]]*[^\[\]0-9][^\[\]]*)\]"),
    "a colon": re.compile(r"([^:]*[^:\s]):"),
    "dashes around them": re.compile(r"(?P<line>-{2,}|={2,}|\*{2,}|~{2,})\s*([^-=*~].*?)\s*(?P=line)"),
    "'#'": re.compile(r"#+\s*(.+)"),  # the last one, as there may be comments beside all others
}
LABEL = re.compile(r"([^:,;|\t\"'\[\]{}]*[^:,;|\t\"'\[\]{}\s]):(?:\s+(.*))?")
DASHED = re.compile(r"([^,;|\t\"'\[\]{}]*[^,;|\t\"'\[\]{}\s])\s+[-\u2013\u2014=]\s+([^,;]+[,;].*)")
R_HEAD = re.compile(r"\[\[([0-9]+)\]\]|\$(.+)")
R_LINE = re.compile(r"\s*\[[0-9]+\]\s+(.*)")
R_NAME = re.compile(r'"((?:[^"\\]|\\.)*)"|(\S+)')
R_NONE = ("character(0)", "integer(0)", "numeric(0)", "factor(0)", "logical(0)", "NULL")
MIN_SYMBOLS = 3  # in a line, on average, of which no name consists
QUOTED_LINE = re.compile(r'"(?:[^"]|"")*"')
R_ESCAPED = re.compile(r"\\(.)")


class Block(NamedTuple):
    """The lines of one list; the label is None where none was recognised."""

    label: str | None
    lines: list[str]


def lists_in_lines(lines: Sequence[str], reading: ReadOptions) -> Lists | None:
    """Return the lists that stand in lines rather than in cells of a table; None for any other file."""
    stripped = [line.strip() for line in lines]
    if reading.layout in (None, BLOCKS):
        for find in (_printed_by_r, _marked, _parted):
            if (found := find(stripped, reading)) is not None:
                return found._replace(notes=(*found.notes, *_comments_told(stripped, found)))
    if reading.layout == BLOCKS:
        told = "The file has no blocks: lists that stand below '>name' or between blank lines. Choose another layout: "
        raise InputError(told, *either("layout", COLUMNS, ROWS), ".")
    if reading.layout in (None, ROWS):
        rows = [line for line in stripped if line and not headings.is_comment(line)]
        ends = [line.strip(" \r\n") for line in lines if line.strip() and not headings.is_comment(line.strip())]
        found = _labelled(rows, reading) or _mixed(rows, ends, reading) or _slashed(rows, reading)
        return None if found is None else found._replace(notes=(*found.notes, *_comments_told(stripped, found)))
    return None


def _comments_told(lines: Sequence[str], found: Lists) -> list[str]:
    """A note on the lines that are comments; none where these are headings."""
    known = {*chain.from_iterable(found.lists), *(found.labels or ())}
    comments = [shorten(line, LINE_SHOWN, placeholder=" ...") for line in lines if headings.is_comment(line)]
    if not comments or any(line.lstrip("# ") in known for line in comments):
        return []
    return [f"{several(len(comments), 'line')} beginning with # left out ({some_names(comments)})"]


def may_be_lists_in_lines(lines: Sequence[str]) -> bool:
    """Whether the first lines of a file may be those of blocks, of labelled or of mixed rows."""
    stripped = [line.strip() for line in lines]
    filled = [line for line in stripped if line]
    if len(filled) < 2:
        return False
    first = filled[0]
    if R_HEAD.fullmatch(first) or any(pattern.fullmatch(first) for pattern in MARKED.values()):
        return True
    rows = [line for line in filled if not headings.is_comment(line)]
    marks = [{mark for mark in STRONG if mark in row} for row in rows]
    kinds = set.union(*marks) if marks else set()
    if rows and (_labels_in(rows) or (len(kinds) > 1 and all(len(some) < 2 for some in marks))):
        return True
    if rows and kinds <= {" /// "} and 2 * sum("/" in row for row in rows) >= len(rows):
        return True
    return len(list(_groups(stripped))) > 1 and 2 * sum(map(bool, marks)) < len(rows)


# ---- blocks --------------------------------------------------------------------------------------------------------


def _marked(lines: Sequence[str], reading: ReadOptions) -> Lists | None:
    """Headings with a mark of their own: several of them, the first of which comes before all names.

    Lines that begin with # may be comments on one list as well, so that somebody has to say that they are headings.
    """
    filled = [line for line in lines if line]
    for mark, pattern in MARKED.items():
        comments = mark == "'#'"
        body = filled if comments else [line for line in filled if not headings.is_comment(line)]
        found = list(map(pattern.fullmatch, body))
        if not found or found[0] is None or sum(map(bool, found)) < 2:
            continue
        blocks: list[Block] = []
        for match, line in zip(found, body, strict=True):
            if match is None:
                blocks[-1].lines.append(line)
            else:
                blocks.append(Block(match[match.re.groups].strip(), []))
        labels = [block.label for block in blocks]
        if len(set(labels)) < len(labels) or not any(block.lines for block in blocks):
            continue
        if comments and not (all(block.lines for block in blocks) and _begin_groups(lines)):
            continue
        if comments and reading.layout != BLOCKS:
            # Comments above and between the rows of any other file are no headings.
            rows = list(chain.from_iterable(block.lines for block in blocks))
            parted = sum(any(mark in row for mark in STRONG) for row in rows)
            if not _share([block.lines for block in blocks]) or 2 * parted >= len(rows):
                continue
            shown = some_names([str(label) for label in labels])
            told = f"The lines beginning with # ({shown}) may be headings of lists or comments on one list; "
            ways = Argument("layout", BLOCKS), "; for comments give ", Argument("layout", COLUMNS)
            raise InputError(f"{told}for headings give ", *ways, ".")
        return _lists_of(blocks, f"headings with {mark}", reading)
    return None


def _begin_groups(lines: Sequence[str]) -> bool:
    """Whether all lines between blank ones begin with a line with #, if there are blank ones."""
    groups = list(_groups(lines))
    inside = any(headings.is_comment(line) for group in groups for line in group[1:])
    heads = [group for group in groups if headings.is_comment(group[0])]
    return len(groups) < 2 or (not inside and 2 * len(heads) >= len(groups))


def _parted(lines: Sequence[str], reading: ReadOptions) -> Lists | None:
    """Blocks between blank lines: the same names come back from block to block, or each begins with its label."""
    filled = [line for line in lines if not headings.is_comment(line)]
    groups = list(_groups(filled))
    n_lines = sum(map(len, groups))
    parted = sum(any(mark in line for mark in STRONG) for line in chain.from_iterable(groups))
    if len(groups) < 2 or (2 * parted >= n_lines and reading.layout != BLOCKS):
        return None
    how = "blank lines between them"
    alternate = len(groups) >= 4 and len(groups) % 2 == 0 and all(len(group) == 1 for group in groups[::2])
    if alternate and any(len(group) > 1 for group in groups[1::2]):
        names = set(chain.from_iterable(groups[1::2]))
        labels = [group[0].rstrip(":") for group in groups[::2]]
        if names.isdisjoint(labels) and len(set(labels)) == len(labels):
            return _lists_of([Block(*pair) for pair in zip(labels, groups[1::2], strict=True)], how, reading)
    headed = reading.header
    if headed is None:
        headed = headings.is_heading(groups)
    share = _share(groups) and all(len(set(group)) == len(group) for group in groups)
    if not share and headed is not True and reading.layout != BLOCKS:
        if len(groups) == 2 and len(groups[0]) == 1 < len(groups[1]):  # a title above one list
            return None
        told = f"Blank lines part the names into {len(groups)} blocks, which may be as many lists or one; "
        ways = Argument("layout", BLOCKS), ", for one ", Argument("layout", COLUMNS)
        raise InputError(f"{told}for lists give ", *ways, ".")
    if headed is None:
        firsts = [group[0] for group in groups]
        told = f"The first line of each block ({some_names(firsts)}) may be a heading or the name of a feature; "
        ways = Argument("header", True), "; if it is a feature, give ", Argument("header", False)
        raise InputError(f"{told}if it is a heading, give ", *ways, ".")
    blocks = [Block(group[0], group[1:]) if headed else Block(None, group) for group in groups]
    return _lists_of(blocks, how, reading)


def _groups(lines: Sequence[str]) -> Iterator[list[str]]:
    """The runs of lines between blank ones."""
    group: list[str] = []
    for line in (*lines, ""):
        if line:
            group.append(line)
        elif group:
            yield group
            group = []


def _share(groups: Sequence[Sequence[str]]) -> bool:
    """Whether some line stands in several groups."""
    counts = Counter(chain.from_iterable(map(set, groups)))
    return any(count > 1 for count in counts.values())


def _lists_of(blocks: Sequence[Block], how: str, reading: ReadOptions) -> Lists:
    """The names of blocks: one a line, or several where most lines have separators."""
    lines = [line for block in blocks for line in block.lines]
    parted = [line for line in lines if any(mark in line for mark in STRONG) and not _is_single(line)]
    notes = [f"blocks of names, with {how}"]
    if not parted and _hold_symbols(lines, len(blocks)):
        lists = [list(chain.from_iterable(map(str.split, block.lines))) for block in blocks]
        notes.append("the lines of a block hold several names, separated by spaces")
    elif 2 * len(parted) > len(lines):
        _refuse_unclear(lines, parted)
        lists = [list(chain.from_iterable(map(_split_or_single, block.lines))) for block in blocks]
        notes.append("the lines of a block hold several names, separated by commas or the like")
    else:
        lists = [[_unquoted(line) for line in block.lines] for block in blocks]
        if parted:
            notes.append(f"each line is one name, also with a separator in it ({some_names(parted)})")
    labels = [block.label for block in blocks]
    known = [label for label in labels if label is not None]
    if known:
        notes.append(f"headings of the blocks: {some_names(known)}")
    return Lists(lists, known if len(known) == len(labels) else None, several(len(blocks), "block"), tuple(notes))


def _is_single(line: str) -> bool:
    """Return whether a line is one name, because of quotes around it or of a comma within brackets."""
    return QUOTED_LINE.fullmatch(line) is not None or any(TORN.fullmatch(part) for part in line.split(", "))


def _split_or_single(line: str) -> list[str]:
    return [_unquoted(line)] if _is_single(line) else _split(line)


def _refuse_unclear(lines: Sequence[str], parted: Sequence[str]) -> None:
    """Refuse pairs with a comma such as "T cells, CD4+", of which no part occurs in another line."""
    pairs = [[part.strip() for part in line.split(",")] for line in dict.fromkeys(parted)]
    other_marks = any(mark in line for mark in STRONG if mark != "," for line in parted)
    if other_marks or any(len(parts) != 2 for parts in pairs):
        return
    counts = Counter(chain(chain.from_iterable(pairs), set(lines).difference(parted)))
    if max(counts.values()) == 1 and any(" " in part for part in chain.from_iterable(pairs)):
        raise InputError(
            f"The lines of the blocks ({some_names(list(dict.fromkeys(parted)))}) may hold two names "
            "each, or one. Put quotes around a line that is one name, or separate two names with a "
            "semicolon."
        )


def _hold_symbols(lines: Sequence[str], n_blocks: int) -> bool:
    """Whether most lines hold several words, all of which are symbols: rather lists than names of several words."""
    words = [line.split() for line in lines]
    several_words = [some for some in words if len(some) > 1]
    symbols = all(map(headings.is_symbol, chain.from_iterable(several_words)))
    n_words = sum(map(len, several_words))
    long = n_words >= MIN_SYMBOLS * len(several_words) or len(lines) <= n_blocks
    return bool(several_words) and 2 * len(several_words) > len(lines) and symbols and long


def _unquoted(line: str) -> str:
    quoted = len(line) > 1 and line[0] == line[-1] == '"'
    return line[1:-1].replace('""', '"') if quoted else line


def _printed_by_r(lines: Sequence[str], reading: ReadOptions) -> Lists | None:
    """What R prints for a list of vectors: `[[1]]` or `$name`, and lines that begin with `[1]`."""
    filled = [line for line in lines if line]
    if len(filled) < 2 or not R_HEAD.fullmatch(filled[0]):
        return None
    if not (R_LINE.fullmatch(filled[1]) or filled[1] in R_NONE):
        return None
    blocks: list[Block] = []
    in_levels = False
    for line in lines:
        head = R_HEAD.fullmatch(line)
        if head is not None:
            blocks.append(Block(None if head[2] is None else head[2].strip("`"), []))
        elif not line or line in R_NONE:
            in_levels = False
        elif in_levels or re.match(r"([0-9]+ )?Levels:", line):
            in_levels = True  # of a factor, which go on to the next blank line
        elif (row := R_LINE.fullmatch(line)) is not None:
            blocks[-1].lines.extend(_names_of_r(row[1]))
        else:
            shown = repr(shorten(line, LINE_SHOWN, placeholder=" ..."))
            raise InputError(
                f"The line {shown} stands in a list that R printed, and holds no names. Write the lists with one name "
                "in each line, in a file for each list."
            )
    labels = [block.label for block in blocks]
    known = [label for label in labels if label is not None]
    given = known if len(known) == len(labels) and len(set(known)) == len(known) else None
    return Lists([block.lines for block in blocks], given, several(len(blocks), "vector"), ("a list as R prints it",))


def _names_of_r(text: str) -> list[str]:
    """The names of a line of a printed vector, in quotes or without."""
    found = R_NAME.findall(text)
    return [bare or R_ESCAPED.sub(r"\1", quoted) for quoted, bare in found]


# ---- one list a line -----------------------------------------------------------------------------------------------


def _labelled(rows: Sequence[str], reading: ReadOptions) -> Lists | None:
    """One list in each line, a label and a colon or a dash before its first name."""
    found = _labels_in(rows)
    labels = [match[1].strip() for match in found]
    if len(rows) < 2 or not found or len(set(labels)) < len(labels):
        return None
    lists, marks = _split_rows([match[2] or "" for match in found])
    longer = sum(len(names) > 1 for names in lists)
    called = all(headings.CALLED_RUN.fullmatch(label) for label in labels)
    names = set(chain.from_iterable(lists))
    if not names.isdisjoint(labels):
        return None
    mark = "colon" if found[0].re is LABEL else "dash"
    # A dash also stands before a description: TP53 - tumor protein p53, cellular.
    described = mark == "dash" and not _share(lists) and not all(map(headings.is_symbol, names))
    if described and not called and reading.layout != ROWS:
        lines = f"The lines ({some_names(rows)}) may have a label and names after the dash, or be one name each."
        raise InputError(f"{lines} For labels give ", Argument("layout", ROWS), "; for names put quotes around lines.")
    if 2 * longer < len(lists) and not called and reading.layout != ROWS:
        told = f"The lines ({some_names(rows)}) may hold a label and a name after the {mark}, or one name each; "
        ways = Argument("layout", ROWS), "; for one name in each line give ", Argument("layout", COLUMNS)
        raise InputError(f"{told}for labels give ", *ways, ".")
    notes = (f"the label of each row stands before a {mark}", *marks)
    return Lists(lists, labels, several(len(lists), "row"), notes)


def _labels_in(rows: Sequence[str]) -> list[re.Match[str]]:
    """The label and the names of each row; none if a row has no label."""
    for pattern in (LABEL, DASHED):
        found = [match for match in map(pattern.fullmatch, rows) if match is not None]
        if len(found) == len(rows):
            return found
    return []


def _mixed(rows: Sequence[str], ends: Sequence[str], reading: ReadOptions) -> Lists | None:
    """One list in each line, of which some have other separators than the rest.

    `ends`: the same lines with the tabs at their ends, which are those of empty cells.
    """
    marks = [{mark for mark in STRONG if mark in row} for row in ends]
    if len(rows) < 2 or any(len(some) > 1 for some in marks) or len(set.union(*marks)) < 2:
        return None
    if any('"' in row or "'" in row for row in rows):
        return None
    lists, told = _split_rows(rows)
    if not _share(lists) and reading.layout != ROWS:
        return None
    return labelled(lists, reading.header, "row", told)


def _slashed(rows: Sequence[str], reading: ReadOptions) -> Lists | None:
    """One list in each line, with slashes between the names."""
    marks = {mark for row in rows for mark in STRONG if mark in row}
    if len(rows) < 2 or marks - {" /// "}:
        return None
    split = " /// " if marks else "/"
    lists = [[row] if row in NO_NAMES else [name.strip() for name in row.split(split)] for row in rows]
    longer = sum(len(names) > (1 if marks or reading.layout == ROWS else 2) for names in lists)
    spaced = not marks and any(" " in name for names in lists for name in names)
    if 2 * longer < len(rows) or spaced or not all(map(all, lists)):
        return None
    return labelled(lists, reading.header, "row", ("names separated by slashes",))


def _split_rows(rows: Sequence[str]) -> tuple[list[list[str]], tuple[str, ...]]:
    """The names of each row by its own separators, and a note where these differ."""
    printed = [printed_names(row) if row[:1] in "[({c" else None for row in rows]
    if all(names is not None for names in printed):
        return [names or [] for names in printed], ()
    used = {mark for row in rows for mark in STRONG if mark in row}
    words = {**SEPARATORS, "\t": "tabs"}
    if not used:
        spaced: list[list[str]] = []
        for split in (_slashes, str.split):
            spaced = [split(row) for row in rows]
            if _all_names(spaced, split):
                kind = "slashes" if split is _slashes else "spaces"
                return spaced, (f"names separated by {kind}",) if any(len(one) > 1 for one in spaced) else ()
        return [[row] if row else [] for row in rows], ()
    notes: tuple[str, ...] = ()
    if len(used) > 1:
        kinds = [words[mark] for mark in STRONG if mark in used]
        notes = (f"names separated by {' and by '.join(kinds)}",)
    return [_split(row) for row in rows], notes


def _slashes(row: str) -> list[str]:
    return [row] if row in NO_NAMES else [name.strip() for name in row.split("/")]


def _all_names(lists: Sequence[Sequence[str]], split: Callable[[str], list[str]]) -> bool:
    """Whether words are names: symbols, or names that come back in other rows."""
    words = list(chain.from_iterable(lists))
    if split is _slashes:
        return sum(len(one) > 1 for one in lists) * 2 >= len(lists) and all(words) and _share(lists)
    alone = [word for word, count in Counter(words).items() if count == 1 and not headings.is_symbol(word)]
    return 2 * len(alone) <= len(set(words))


def _split(row: str) -> list[str]:
    """The names of one row; where semicolons and commas separate words of several parts, the semicolons do."""
    names = [row]
    for mark in STRONG:
        parted = [part for name in names for part in name.split(mark)]
        if mark == "," and len(names) > 1 and any(" " in part.strip() for part in parted):
            continue
        names = parted
    return [_unquoted(name.strip()) for name in names if name.strip()]
