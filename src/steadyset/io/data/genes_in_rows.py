"""Tables with one row per gene and one column per sample, recognized by the names of their rows and columns.

Rows of samples with columns of genes are written the same way. So the names have to speak for both: those of the rows
for genes or other features, and those of the columns for samples.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from steadyset.foundation.errors import Argument
from steadyset.io.data.sources import as_written
from steadyset.io.formats.columns import NULLS, Columns
from steadyset.io.formats.headings import is_feature_word, is_number, is_symbol
from steadyset.io.labels import some_names

MIN_ROWS, MIN_SAMPLES = 3, 2
MOST = 0.8  # of the names or cells, that have to be of one kind
MAX_FACTS, MAX_ASIDE = 5, 3  # rows above the genes that hold text; columns such as a description of each gene
MAX_LOOKED_AT = 2_000  # names
MIN_PEOPLE = 5
# Identifiers of one database, which no sample is called by.
IDENTIFIED = re.compile(
    r"(?i)(ENS[A-Z]*[GTP][0-9]{6,}(\.[0-9]+)?|[0-9A-Z_]+_at|ILMN_[0-9]+|A_[0-9]+_P[0-9]+|cg[0-9]{6,}|rs[0-9]{3,}|"
    r"[NX][MRP]_[0-9]+(\.[0-9]+)?|(hsa|mmu)-(mir|let)-?[0-9a-z-]+|LOC[0-9]+|"
    r"(gene|probe|protein|metabolite|feature)[ _.-]?[0-9]+|(sp|tr)\|.+|[kdpcofgs]__.+)"
)
# Accessions of UniProt, the digits of which may also number patients: P04637.
PROTEIN = re.compile(r"([OPQ][0-9][0-9A-Z]{3}[0-9]|[A-NR-Z][0-9]([A-Z][0-9A-Z]{2}[0-9]){1,2})(-[0-9]+)?")
MIN_LETTERS = 0.2  # of the accessions, that have a letter beside their first
SAMPLED = re.compile(
    r"(?i)(GSM|SRR|ERR|DRR|SAM[NED]A?)[0-9]+|TCGA[-.].+|"
    r"(sample|samp|patient|pat|subject|subj|case|control|ctrl|tumou?r|normal|donor|participant|specimen|array|chip|"
    r"sid|pid|pt|s|p|n|t|c|x)[ _.-]?[0-9]+([ _.-]?[a-z0-9]{1,3})?"
)


@dataclass(frozen=True)
class GenesInRows:
    """What speaks for genes in rows: names of rows, names of columns, and rows of text that may be the target."""

    genes: tuple[str, ...]
    samples: tuple[str, ...]
    facts: tuple[str, ...]

    def told(self, path: object) -> list[str | Argument]:
        """Return the sentences that say what was recognized and offer how to read it, in parts."""
        rows, columns = some_names(self.genes), some_names(self.samples)
        parts: list[str | Argument] = [
            f"{path} seems to have genes in rows: the names of its rows look like genes ({rows}), and those of its "
            f"columns like samples ({columns}). "
        ]
        if self.facts:
            turn, target = Argument("transpose", True), Argument("target", self.facts[0])
            return [*parts, "Predict a row of it with ", turn, " and ", target, "."]
        return [*parts, "Give the file that has the target of each sample with ", Argument("samples", ...), "."]


def genes_in_rows(table: Columns) -> GenesInRows | None:
    """Return what speaks for genes in the rows of a table; None if its names do not."""
    if 0 not in table.others or table.n_rows < MIN_ROWS:
        return None
    facts: list[str] = []
    names = as_written(table.others[0][:MAX_LOOKED_AT].to_pylist())
    numeric = set(table.numeric.tolist())
    samples = [name for f, name in enumerate(table.names) if f in numeric]
    others = [f for f in table.others if f != 0]
    if not samples:  # rows of text, such as a class of each sample, make all columns texts
        facts = _rows_of_text(table, others, names)
        samples = [table.names[f] for f in others] if facts else []
        others = []
    genes = [name for name in names if name not in facts and name not in NULLS]
    if len(samples) < MIN_SAMPLES or len(others) > MAX_ASIDE or not genes:
        return None
    first_samples = samples[:MAX_LOOKED_AT]
    if _are_identified(genes) and _are_people(first_samples):
        return GenesInRows(tuple(genes), tuple(samples), tuple(facts))
    if not (_are_genes(genes) or is_feature_word(table.names[0])) or not _are_samples(first_samples):
        return None
    return GenesInRows(tuple(genes), tuple(samples), tuple(facts))


def _rows_of_text(table: Columns, places: Sequence[int], names: Sequence[str]) -> list[str]:
    """The names of the few rows whose cells are words, where all other cells are numbers."""
    cells = [as_written(table.others[f][:MAX_LOOKED_AT].to_pylist()) for f in places[:MAX_LOOKED_AT]]
    facts = []
    for row, name in enumerate(names):
        if not all(is_number(column[row]) or column[row] in NULLS for column in cells):
            facts.append(name)
    enough = len(names) - len(facts) >= MIN_ROWS
    return facts if cells and enough and len(facts) <= MAX_FACTS else []


def _are_genes(names: Sequence[str]) -> bool:
    if len(set(names)) < MOST * len(names):
        return False
    firsts = _first_parts(names)
    symbols = sum(is_symbol(first) and SAMPLED.fullmatch(first) is None for first in firsts)
    # Samples are numbered and share one form; symbols have many.
    return _are_identified(names) or (symbols >= MOST * len(names) and _n_forms(firsts) > 2)


def _are_identified(names: Sequence[str]) -> bool:
    """Whether names are identifiers of databases of genes and proteins."""
    firsts = _first_parts(names)
    known = sum(IDENTIFIED.fullmatch(name) is not None for name in names)
    known_firsts = sum(IDENTIFIED.fullmatch(first) is not None for first in firsts)
    proteins = [first for first in firsts if PROTEIN.fullmatch(first)]
    lettered = sum(re.search("[A-Z]", protein[1:]) is not None for protein in proteins)
    are_proteins = lettered >= MIN_LETTERS * len(proteins)
    return max(known, known_firsts, len(proteins) if are_proteins else 0) >= MOST * len(names)


def _first_parts(names: Sequence[str]) -> list[str]:
    """The first of several names in one: of P04637;P04638, and of TP53|7157."""
    return [re.split(r"(?<=.)[;|]", name)[0] for name in names]


def _are_samples(names: Sequence[str]) -> bool:
    if any(IDENTIFIED.fullmatch(name) for name in names) or len(set(names)) < len(names):
        return False
    if sum(SAMPLED.fullmatch(name) is not None for name in names) >= MOST * len(names):
        return True
    numbered = all(re.search("[0-9]", name) for name in names)
    return numbered and len(names) > 2 and _n_forms(names) <= 2 < len(names)


def _are_people(names: Sequence[str]) -> bool:
    """Whether many columns have names of one capitalized word each, such as Anna or Bert."""
    return len(names) >= MIN_PEOPLE and all(re.fullmatch("[A-Z][a-z]+", name) for name in names)


def _n_forms(names: Sequence[str]) -> int:
    """How many forms names have whose numbers are left out: S1 and S2 have one."""
    return len({re.sub("[0-9]+", "9", name) for name in names})
