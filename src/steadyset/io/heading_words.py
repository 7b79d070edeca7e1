"""What headings tell: which words stand for runs and which for features, and whether first cells are labels."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from itertools import chain

from steadyset.io.headings import is_number

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
ROW_NUMBER_WORDS = frozenset(["", "unnamed0", "index", "rank", "no", "nr", "n", "row", "position", "pos"])
WORDS = re.compile(r"[a-z ]")
SYMBOL = re.compile(r"(?=.*[A-Za-z])[A-Z0-9][A-Z0-9._@-]*(orf[0-9]+)?|[A-Z][a-z]+[0-9][A-Za-z0-9.-]*")
SURE = 0.01  # so rarely would first cells that are names like the others occur nowhere else


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


def is_heading(lists: Sequence[Sequence[str]]) -> bool | None:
    """Whether the first cell of each list is its label rather than one of its names; None: nobody can tell.

    A label occurs in no list. It is recognised by a word for runs, because it is written unlike all names, or because
    the names recur so often that first names which never do are hardly names.
    """
    firsts = [cells[0] if cells else "" for cells in lists]
    bodies = [cells[1:] for cells in lists]
    names = set(chain.from_iterable(bodies))
    if all(map(is_feature_word, firsts)):
        return True
    if "" in firsts or len(set(firsts)) < len(firsts) or not names.isdisjoint(firsts):
        return False
    if all(CALLED_RUN.fullmatch(first) or is_run_word(first) for first in firsts):
        return True
    if _unlike(firsts, names):
        return True
    if are_row_numbers(firsts, None):
        return True if len(firsts) > 2 else None
    if len(lists) == 1 or (_of_one_kind([*firsts, *names]) and not firsts[0].isdigit()):
        return False
    counts = Counter(chain.from_iterable(set(body) for body in bodies))
    cells = [name for body in bodies for name in body]
    alone = (1 + sum(counts[name] == 1 for name in cells)) / (1 + len(cells))  # few names tell little
    return True if alone ** len(firsts) < SURE else None


def _word(heading: str) -> str:
    return re.sub(r"[\W_]+", "", heading).lower()


def _unlike(firsts: Sequence[str], names: set[str]) -> bool:
    """Whether first cells are words with small letters above symbols, or anything above identifiers of one shape."""
    if len(names) < 2 or (any(map(is_number, firsts)) and any(map(is_number, names))):  # 1e5 is no word above 12
        return False
    if all(map(WORDS.search, firsts)):
        words = sum(map(bool, map(WORDS.search, names)))  # few, such as C1orf112 among symbols
        rare = ((1 + words) / (1 + len(names))) ** len(firsts) < SURE
        if not words or (rare and _shapes(names).isdisjoint(_shapes(firsts))):
            return True
    return _of_one_kind(names) and _shapes(names).isdisjoint(_shapes(firsts))


def _of_one_kind(names: Sequence[str] | set[str]) -> bool:
    """Whether names are identifiers of one shape, such as those of Ensembl."""
    shapes = _shapes(names)
    return len(shapes) == 1 and "9" in min(shapes)


def _shapes(names: Sequence[str] | set[str]) -> set[str]:
    """What names look like, letters and digits apart: TP53 is A9, fold_1 is a_9."""
    shape = re.compile(r"([A-Z]+)|([a-z]+)|([0-9]+)")
    return {shape.sub(lambda found: "A" if found[1] else "a" if found[2] else "9", name) for name in names}
