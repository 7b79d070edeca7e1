"""Where a table begins, and what its headings tell: titles above it, short headers, words for runs and features."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from itertools import chain
from typing import NamedTuple

from steadyset.io.formats.columns import ERRORS, NULLS

COMMENT = "#"
FORMULA_ERRORS = tuple(error for error in ERRORS if error)  # they begin with the same character
TextRows = Sequence[Sequence[str]]
NUMBER = re.compile(r"\s*[+-]?([0-9]+[.,]?[0-9]*|[.,][0-9]+)([eE][+-]?[0-9]+)?\s*")
ZERO_ONE = frozenset(["0", "1"])
REGULAR = 0.8  # share of the rows that have the usual number of cells in a table that is one
WHOLE_NUMBER = re.compile(r"-?[0-9]+")
NUMBERED = re.compile(r"x?[0-9]+")  # what columns without names are called
CALLED_RUN = re.compile(
    r"(?i)(run|rep|repetition|replicate|boot|bootstrap|fold|resample|resampling|subsample|iter|iteration|split|seed|"
    r"unlabelled|trial|draw|list|set|signature)[ _.:-]*[0-9]+"
)
RUN_LIKE = re.compile(rf"{CALLED_RUN.pattern}|[A-Za-z]?[ _.-]*[0-9]+([ _./-][0-9]+)*")
RUN_WORDS = frozenset(
    [
        *("run", "runs", "fold", "folds", "rep", "repeat", "repetition", "replicate", "boot", "bootstrap"),
        *("resample", "resampling", "subsample", "iter", "iteration", "split", "seed", "trial", "draw", "list"),
        *("listname", "set", "geneset", "signature", "study", "cohort", "method"),
    ]
)
FEATURE_WORDS = frozenset(
    [
        *("feature", "features", "featurename", "variablename", "probename", "gene", "genes", "genename"),
        *("geneid", "genesymbol", "symbol", "symbols", "hgnc", "hgncsymbol", "entrez", "entrezid", "entrezgene"),
        *("ensembl", "ensemblid", "probe", "probes", "probeid", "probeset", "probesetid", "protein", "proteins"),
        *("variable", "variables", "predictor", "predictors", "marker", "markers", "biomarker", "biomarkers"),
        *("metabolite", "snp", "snps", "variant", "rsid", "taxon", "otu", "asv", "transcript", "cpg"),
        *("covariate", "covariates", "mirna", "peptide"),
    ]
)
P_WORD = r"(?:adj(?:usted)?[._ -]*)?p(?:[._ -]*val(?:ue)?s?)?(?:[._ -]*adj(?:usted)?)?|fdr|q(?:[._ -]*val(?:ue)?s?)?"
P_VALUE = re.compile(rf"(?i)(?:{P_WORD})(?:[._ :(-].*)?|.*[._ :-](?:{P_WORD})\)?")
NUMBERED_P = re.compile(r"(?i)[pq][ ._:-]*[0-9]+([ ._:-][0-9]+)*")  # p_1 and q-3 are names of features, too
UNADJUSTED = re.compile(r"(?i)p[._ -]*(?:val(?:ue)?s?)?")
LIKE_FEATURES = re.compile(r"[xXvVgGpP][._-]?[0-9]+")  # names that programs make up for columns of data
LIST_WORDS = frozenset(  # that stand above each of several lists, and are names of features above one alone
    ["x", "name", "names", "id", "ids", "selected", "selectedgenes", "selectedfeatures", "genelist", "featurenames"]
)
ROW_NUMBER_WORDS = frozenset(["", "unnamed0", "index", "rank", "no", "nr", "n", "row", "position", "pos"])
WORDS = re.compile(r"[a-z ]")
SYMBOL = re.compile(r"(?=.*[A-Za-z])[A-Z0-9][A-Z0-9._@-]*(orf[0-9]+)?|[A-Z][a-z]+[0-9][A-Za-z0-9.-]*")
SURE = 0.01  # so rarely would first cells that are names like the others occur nowhere else
SURE_AMONG_SIMILAR = 0.0001  # the same for first cells that look like names
ACCESSION = re.compile(r"(GSE|GDS|PMID:?|SRP|ERP|PRJ[A-Z]+|E-[A-Z]{4}-)[0-9]+")  # what studies are called by
LETTERS = re.compile(r"[A-Za-z]+")


class Heading(NamedTuple):
    """How many rows stand above the header, and how the header differs from what it should be."""

    above: int  # rows that are not part of the table
    titles: int  # those of them that hold words
    short: bool  # the header has no name for the first column, as R writes it
    commented: bool  # the header begins with #
    open_end: bool  # rows end with a delimiter that the header does not have


TOP = Heading(0, 0, False, False, False)


def find_heading(rows: TextRows, comments: Sequence[bool]) -> Heading:
    """Look for the header in the first rows of a table, some of which are written like comments."""
    filled = [row for row in rows if any(row)]
    usual = usual_width([len(row) for row in filled])
    body = [row for row in filled[-max(1, len(filled) // 2) :] if len(row) == usual]
    # The columns with nothing but numbers and marks for what is missing.
    known = [[cell for cell in cells if cell not in NULLS] for cells in zip(*body, strict=True)]
    numeric = [column for column, cells in enumerate(known) if cells and all(map(is_number, cells))]
    above = titles = 0
    for place, row in enumerate(rows[:-1]):
        if any(row) and not comments[place]:
            below = rows[place + 1 :]
            if not (_is_title(row, below, usual, numeric) if numeric else _is_title_of_lists(row, below, usual)):
                break
            titles += 1
        above = place + 1
    commented = above > 0 and comments[above - 1] and _is_commented_header(rows[above - 1], rows[above], usual, numeric)
    above -= commented
    short = open_end = False
    if above < len(rows) - 1:
        # Every row ends with an empty cell that the header has no name for.
        ends = [row for row in rows[above + 1 :] if any(row)]
        open_end = bool(ends) and all(len(row) == len(rows[above]) + 1 and not row[-1] for row in ends)
        short = not open_end and _is_short_header(rows[above], rows[above + 1 :], usual, numeric)
    return Heading(above, titles, short, commented, open_end)


def is_comment(first_cell: str) -> bool:
    """Whether a row that begins so is a comment, unless quotes say that it is not."""
    return first_cell.startswith(COMMENT) and not first_cell.startswith(FORMULA_ERRORS)


def usual_width(widths: Sequence[int]) -> int:
    """The number of cells that most rows have; the larger of two that are equally common."""
    counts = Counter(widths)
    return max(counts, key=lambda width: (counts[width], width), default=0)


def is_number(cell: str) -> bool:
    """Whether a cell reads as a number, with a point or a comma."""
    return NUMBER.fullmatch(cell) is not None


def number_of(cell: str) -> float:
    """The number that a cell reads as."""
    return float(cell.replace(",", "."))


def _is_title(row: Sequence[str], below: TextRows, usual: int, numeric: Sequence[int]) -> bool:
    """Words above the header of a table with numbers: what stands directly above data is the header."""
    after, *rest = [row for row in below if any(row)] or [()]
    if usual < 2 or _is_data(row, usual, numeric):
        return False
    if _is_data(after, usual, numeric):
        alone = [cell for cell in row if cell]
        title = len(alone) == 1 and usual > 2 and not is_number(alone[0])
        return title and _is_numbered_header(after, [row for row in rest if len(row) == usual], numeric)
    named = sum(bool(row[f]) for f in numeric) if len(row) == usual else 0
    return sum(bool(cell) for cell in row) == 1 or 2 * named < len(numeric)


def _is_numbered_header(row: Sequence[str], below: TextRows, numeric: Sequence[int]) -> bool:
    """Whether numbers are names: beside a word above numbers or classes, or identifiers above fractions or 0/1."""
    if len(below) < 2 or not all(row) or len(set(row)) < len(row):
        return False
    if any(row[f] not in NULLS and not is_number(row[f]) for f in numeric):
        return True
    for f in set(range(len(row))).difference(numeric):
        cells = Counter(other[f] for other in below)
        if row[f] not in cells and min(cells.values()) > 1:
            return True
    values = {other[f] for other in below for f in numeric}
    codes = all(row[f].isdecimal() for f in numeric) and not {row[f] for f in numeric} <= ZERO_ONE
    return codes and (values <= ZERO_ONE or not any(value.isdecimal() for value in values))


def _is_title_of_lists(row: Sequence[str], below: TextRows, usual: int) -> bool:
    """A sentence, or a word with an empty row below it; lists have many lengths, so that a short row may be one."""
    words = [cell.strip() for cell in row if cell.strip()]
    return usual > 1 and len(words) == 1 and (not any(below[0]) or (" " in words[0] and bool(row[0])))


def _is_data(row: Sequence[str], usual: int, numeric: Sequence[int]) -> bool:
    """Whether a row has a number, or a mark for none, where columns have numbers."""
    return len(row) == usual and any((row[f] and row[f] in NULLS) or is_number(row[f]) for f in numeric)


def _is_short_header(row: Sequence[str], below: TextRows, usual: int, numeric: Sequence[int]) -> bool:
    """A name for each column but the first, directly above data; all rows have one cell more, and the first differs."""
    filled = [after for after in below if any(after)]
    return (
        len(row) == usual - 1 > 0
        and all(row)
        and any(below[0])
        and _is_data(filled[0], usual, numeric)
        and all(len(after) == usual for after in filled)
        and 1 < len(filled) == len({after[0] for after in filled})
    )


def _is_commented_header(comment: Sequence[str], after: Sequence[str], usual: int, numeric: Sequence[int]) -> bool:
    """A last comment with a name for each column, above a row of data."""
    table = 2 <= usual == len(comment) == len(after) and any(comment)
    return table and any(is_number(after[f]) for f in numeric) and not any(is_number(comment[f]) for f in numeric)


def unnamed_in_r(columns: Sequence[object]) -> bool:
    """Whether columns are V1, V2, ... to the last: what R writes where a matrix, such as that of sapply, names its rows
    only."""
    return [str(name) for name in columns] == [f"V{i}" for i in range(1, len(columns) + 1)]


def is_run_word(heading: str) -> bool:
    """Whether a heading says that the column below it names runs."""
    return _word(heading) in RUN_WORDS


def is_feature_word(heading: str) -> bool:
    """Whether a heading says that the column below it names features."""
    return _word(heading) in FEATURE_WORDS


def is_p_value(heading: str) -> bool:
    """Whether a heading says that p-values or false discovery rates stand below it: p, padj_lasso, FDR; not p_1."""
    return P_VALUE.fullmatch(heading.strip()) is not None and not is_numbered_p(heading)


def is_numbered_p(heading: str) -> bool:
    """Whether a heading is p or q with a number: p-values of a run, or a feature that is called so."""
    return NUMBERED_P.fullmatch(heading.strip()) is not None


def is_list_word(heading: str) -> bool:
    """Whether a heading that stands above each of several lists names none of their features; R writes x."""
    return _word(heading) in LIST_WORDS


def may_head_names(heading: str) -> bool:
    """Whether numbers below a heading may be names of rows: id, name, X, or the empty one of an index."""
    return is_list_word(heading) or _word(heading) in ROW_NUMBER_WORDS


def is_symbol(word: str) -> bool:
    """Whether a word is written like a gene symbol: TP53, C1orf112, Trp53."""
    return SYMBOL.fullmatch(word) is not None


def is_row_of_marks(row: Sequence[str]) -> bool:
    """Whether a first row is a name with 0 and 1 behind it rather than a heading (which may end with 0 and 1)."""
    first, cells = row[0], list(row[1:])
    if not first or WHOLE_NUMBER.fullmatch(first) or is_run_word(first) or is_feature_word(first):
        return False
    return len(cells) > 0 and set(cells) <= {"0", "1"} and cells != ["0", "1"]


def are_called_runs(names: Sequence[str]) -> bool:
    """Whether all names are those of runs, such as fold 1 and fold 2."""
    return all(CALLED_RUN.fullmatch(str(name)) for name in names)


def are_row_numbers(cells: Sequence[str], heading: str | None) -> bool:
    """Whether a column counts its rows, from 0 or 1."""
    if heading is not None and _word(heading) not in ROW_NUMBER_WORDS:
        return False
    return len(cells) > 1 and any(list(cells) == [str(i + first) for i in range(len(cells))] for first in (0, 1))


def is_heading(lists: Sequence[Sequence[str]], called: Sequence[str] | None = None) -> bool | None:
    """Whether the first cell of each list is its label rather than one of its names; None: nobody can tell.

    A label occurs in no list. It is recognised by a word for runs or features, because it is what the list is `called`
    elsewhere (its file, its sheet), because it is written unlike all names, or because the names recur so often that
    first names which never do are hardly names.
    """
    firsts = [cells[0] if cells else "" for cells in lists]
    bodies = [cells[1:] for cells in lists]
    names = set(chain.from_iterable(bodies))
    apart = names.isdisjoint(firsts)
    if apart and firsts and all(map(is_feature_word, firsts)):
        return True
    if not apart or "" in firsts or len(set(firsts)) < len(firsts):
        return False
    if called is not None and all(_word(first) == _word(label) for first, label in zip(firsts, called, strict=True)):
        return True
    are_runs = all(CALLED_RUN.fullmatch(first) or is_run_word(first) for first in firsts)
    if are_runs and not any(map(CALLED_RUN.fullmatch, names)):
        return True
    if _unlike(firsts, names):
        return True
    if are_row_numbers(firsts, None):
        return True if len(firsts) > 2 else None
    if names and all(map(ACCESSION.fullmatch, firsts)) and not any(map(ACCESSION.fullmatch, names)):
        return True
    if len(lists) == 1:
        return False
    if _of_one_kind([*firsts, *names]) and not firsts[0].isdigit():
        # S1 and S2 above rs123, rs345 and others that begin alike
        return None if len(_beginnings(names)) == 1 and _beginnings(names).isdisjoint(_beginnings(firsts)) else False
    sure = SURE_AMONG_SIMILAR if look_alike(firsts, names) else SURE
    return True if chance_of_lone_firsts(lists) < sure else None


def chance_of_lone_firsts(lists: Sequence[Sequence[str]]) -> float:
    """Return the probability that first names, drawn like the others, all occur in no other list."""
    bodies = [cells[1:] for cells in lists]
    counts = Counter(chain.from_iterable(set(body) for body in bodies))
    cells = [name for body in bodies for name in body]
    alone = (1 + sum(counts[name] == 1 for name in cells)) / (1 + len(cells))  # few names tell little
    return float(alone ** len(lists))


def _word(heading: str) -> str:
    return re.sub(r"[\W_]+", "", heading).lower()


def _unlike(firsts: Sequence[str], names: set[str]) -> bool:
    """Whether first cells are words with small letters above symbols, or anything above identifiers of one shape."""
    if len(names) < 2 or (any(map(is_number, firsts)) and any(map(is_number, names))):  # 1e5 is no word above 12
        return False
    # C1orf112 and Trp53 have small letters, too.
    if all(map(WORDS.search, firsts)) and not any(map(is_symbol, firsts)):
        words = sum(map(bool, map(WORDS.search, names)))  # few, such as C1orf112 among symbols
        rare = ((1 + words) / (1 + len(names))) ** len(firsts) < SURE
        if not words or (rare and _shapes(names).isdisjoint(_shapes(firsts))):
            return True
    return _of_one_kind(names) and not look_alike(firsts, names)


def look_alike(firsts: Sequence[str], names: set[str]) -> bool:
    """Whether a first cell has the shape of a name, is a symbol as names are, or has letters in common with one.

    So does 117_at, above 1007_s_at and 1053_s_at.
    """
    if not _shapes(names).isdisjoint(_shapes(firsts)) or (any(map(is_symbol, firsts)) and any(map(is_symbol, names))):
        return True
    numbered = [first for first in firsts if re.search("[0-9]", first)]
    parts = set(chain.from_iterable(LETTERS.findall(name) for name in names))
    return any(not parts.isdisjoint(LETTERS.findall(first)) for first in numbered)


def _beginnings(names: Sequence[str] | set[str]) -> set[str]:
    """The letters before the first digit of each name."""
    return {re.split("[0-9]", name)[0] for name in names}


def _of_one_kind(names: Sequence[str] | set[str]) -> bool:
    """Whether names are identifiers of one shape, such as those of Ensembl."""
    shapes = _shapes(names)
    return len(shapes) == 1 and "9" in min(shapes)


def _shapes(names: Sequence[str] | set[str]) -> set[str]:
    """What names look like, letters and digits apart: TP53 is A9, fold_1 is a_9."""
    shape = re.compile(r"([A-Z]+)|([a-z]+)|([0-9]+)")
    return {shape.sub(lambda found: "A" if found[1] else "a" if found[2] else "9", name) for name in names}
