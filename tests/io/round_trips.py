"""Known collections of lists, written in every layout that is read: what is read back is the same, or is asked about.

    python -m tests.io.round_trips 5000        counts of what comes back, by layout, with the first that differ

A collection is what a study may hold: runs of one procedure that mostly agree, lists with nothing in common, copies of
one list, lists of one name, empty lists. Its names are real: gene symbols (C1orf112, MARCH1, SEP7), probes of
Affymetrix, identifiers of Ensembl and Entrez, headings of clinical tables, terms with blanks, commas and quotes, Greek
letters, dates that a spreadsheet made of genes, and words that some programs take for a missing value.
"""

from __future__ import annotations

import csv
import json
import random
import shutil
import sys
import tempfile
import warnings
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from itertools import zip_longest
from pathlib import Path
from typing import Any, NamedTuple

import openpyxl
from openpyxl.cell import WriteOnlyCell

from steadyset import InputError, Selections

SYMBOLS = (
    "TP53 MYC KRAS EGFR BRCA1 BRCA2 HLA-A HLA-DRB1 C1orf112 C14orf132 CD4 CD8A PTEN RB1 ALK ERBB2 MARCH1 MARC2 SEP7 "
    "SEPT9 DEC1 NKX2-1 MT-CO1 H2AFZ ZYX CD33 CST3 APLP2 LYN MGST1 TCF3 CCND3 PSMB8 SNRPD1 MB FAH LEPR IL8 IL7R PTX3 "
    "CFD TACC2 AGER RBM17 DYT1 GAP43 CUL7 B4GALT1 ACTC1 KIAA0141 KIAA1549L LOC100129 RP11-34P13.7 AC012.1 ORF1 T NAT1 "
    "MKI67 AURKA BIRC5 CCNB1 MYBL2 GRB7 ESR1 PGR BCL2 MMP11 BAG1 FOXA1 TOP2A CENPA NEK2 BUB1B HOXB13 IL17RB UBE2C"
)
MOUSE = (
    "Trp53 Myc Kras Egfr Brca1 H2-Ab1 Cd4 Cd8a Pten Rb1 Actb Gapdh Sox2 Pou5f1 Nanog Klf4 Tbx21 Gata3 Foxp3 Rorc Il4 "
    "Il17a Ifng Tnf 1700001C19Rik Gm1992 mt-Co1 Xkr4 Rp1 Sox17 Mrpl15 Lypla1 Tcea1 Rgs20 Atp6v1h Oprk1 Rb1cc1"
)
PROBES = (
    "1007_s_at 1053_at 117_at 121_at 1255_g_at 1294_at 211743_s_at 211744_s_at 211745_x_at AFFX-BioB-5_at "
    "AFFX-BioB-M_at AFFX-BioC-3_at U66052_at U66059_cds7_at U66075_at M23197_at X95735_at D14811_at L09209_s_at "
    "M27891_at M84526_at U50136_rna1_at Y12670_at M16038_at M55150_at 32385_at 1000_at 1001_at 1002_f_at 1003_s_at"
)
CLINICAL = (
    "age|sex|stage|body mass index|smoker|creatinine|mean radius|worst area|concave points error|"
    "resting_blood_pressure|"
    "MDVP:Fo(Hz)|MDVP:Jitter(Abs)|Shimmer:APQ5|Jitter->F0_abs_dif|handicapped-infants|mx-missile|PERCENT_PUB_DATA|"
    "chest|thal|oldpeak|slope|vitamin D|T cells, activated|CD4+ (naive)|NHR|HNR|ptratio|crim|zn|tax|rad|medv|make|"
    "address|all|our"
)
ODD = (
    'IFN-γ|β-catenin|interleukin 6|T cells, CD4+|5\'-UTR|poly(x, 2)|say "yes"|HLA-A*02:01|p(HER2)|α-SMA|naïve|Größe|'
    "漢字|"
    "2-Sep|1-Mar|4-Dec|007157|1e5|#1|#tag|NaN1|N.A.|T|F|TRUE|X1|gene7|no.|50%|a/b|CD3/CD28|[Na+]|{x}|=SUM|+1|@home|a&b"
)
MISSING = "NA|NaN|nan|null|None|-|?|N/A|.|#N/A"


def pools() -> dict[str, list[str]]:
    """The names that collections are made of, by kind."""
    entrez = [str(7157 + 31 * i) for i in range(40)]
    ensembl = [f"ENSG{i:011}" for i in range(141_510, 141_560)]
    numbered = [f"x{i:04}" for i in range(1, 60)]
    masses = [f"{1000 + 37.25 * i:.4f}" for i in range(40)]
    methylation = [f"{gene}_{end}" for gene in SYMBOLS.split()[:20] for end in ("E63_R", "P519_F")]
    return {
        "symbols": SYMBOLS.split(),
        "mouse": MOUSE.split(),
        "probes": PROBES.split(),
        "clinical": CLINICAL.split("|"),
        "odd": ODD.split("|"),
        "symbols and odd": [*SYMBOLS.split()[:40], *ODD.split("|")],
        "with missing": [*SYMBOLS.split()[:30], *MISSING.split("|")],
        "cases": [*SYMBOLS.split()[:20], *(name.lower() for name in SYMBOLS.split()[:6])],
        "entrez": entrez,
        "ensembl": ensembl,
        "numbered": numbered,
        "V": [f"V{i}" for i in range(1, 61)],
        "masses": masses,
        "methylation": methylation,
    }


LABELS = (
    lambda m: [f"fold {i + 1}" for i in range(m)],
    lambda m: [f"run{i + 1}" for i in range(m)],
    lambda m: [f"boot_{i + 1}" for i in range(m)],
    lambda m: ["Smith", "Jones", "Lee", "Ann", "Bob", "Eve", "Golub", "Alon", "Singh", "Pomeroy", "Shipp", "Armstrong"][
        :m
    ],
    lambda m: ["lasso", "forest", "svm", "u-test", "mrmr", "relief", "ridge", "enet", "knn", "boost", "rfe", "chi2"][
        :m
    ],
    lambda m: [
        "GSE2034",
        "GSE7390",
        "TCGA",
        "METABRIC",
        "GSE11121",
        "NKI",
        "UPP",
        "VDX",
        "MAINZ",
        "TRANSBIG",
        "UNT",
        "EMC",
    ][:m],
)


class Collection(NamedTuple):
    """What a study recorded: lists of names, best first, with a label each."""

    kind: str
    shape: str
    labels: list[str]
    lists: list[list[str]]
    universe: list[str]
    draw: random.Random

    @property
    def sets(self) -> list[frozenset[str]]:
        return [frozenset(names) for names in self.lists]


SHAPES = ("core", "core", "core", "disjoint", "copies", "single", "empty", "mixed")


def collections(n: int, seed: int = 0, names: dict[str, list[str]] | None = None) -> Iterator[Collection]:
    """Draw `n` collections; the same for the same seed."""
    known = names or pools()
    for number in range(n):
        draw = random.Random(seed * 1_000_003 + number)
        kind = draw.choice(sorted(known))
        universe = list(dict.fromkeys(known[kind]))
        draw.shuffle(universe)
        shape = draw.choice(SHAPES)
        m = draw.randint(2, 12)
        yield Collection(kind, shape, draw.choice(LABELS)(m), _lists(shape, universe, m, draw), universe, draw)


def _lists(shape: str, universe: list[str], m: int, draw: random.Random) -> list[list[str]]:
    size = draw.randint(2, min(20, len(universe) // 2))
    core, others = universe[:size], universe[size:]
    if shape == "copies":
        return [list(core) for _ in range(m)]
    if shape == "disjoint":
        width = max(1, len(universe) // m)
        return [universe[i * width : (i + 1) * width] for i in range(m)]
    if shape == "single":
        return [[draw.choice(core)] for _ in range(m)]
    found = []
    for _ in range(m):
        names = [name for name in core if draw.random() < 0.8] + draw.sample(
            others, draw.randint(0, min(4, len(others)))
        )
        draw.shuffle(names)
        found.append(names or [core[0]])
    if shape == "empty":
        found[draw.randrange(m)] = []
    if shape == "mixed":
        found[draw.randrange(m)] = [draw.choice(core)]
    return found


# ---- the layouts ---------------------------------------------------------------------------------------------------

Reading = dict[str, object]
Written = tuple[Path, Reading] | None  # None: this layout cannot hold the collection
LAYOUTS: dict[str, Callable[[Collection, Path], Written]] = {}


def layout(writer: Callable[[Collection, Path], Written]) -> Callable[[Collection, Path], Written]:
    LAYOUTS[writer.__name__] = writer
    return writer


def save(path: Path, rows: Sequence[Sequence[object]], delimiter: str = ",") -> Path:
    with path.open("w", newline="", encoding="utf-8") as sink:
        csv.writer(sink, delimiter=delimiter).writerows(rows)
    return path


def lines(path: Path, rows: Sequence[str]) -> Path:
    path.write_text("".join(f"{row}\n" for row in rows), encoding="utf-8")
    return path


def in_columns(lists: Sequence[Sequence[str]]) -> list[list[str]]:
    return [list(row) for row in zip_longest(*lists, fillvalue="")]


def are_numbers(found: Collection) -> bool:
    """Whether a table of the names alone could as well be one of importances."""
    return found.kind == "masses" and found.shape in ("single", "disjoint", "copies")


def has(found: Collection, *marks: str) -> bool:
    return any(mark in name for name in found.universe for mark in marks)


def without_empty(found: Collection) -> bool:
    return all(found.lists)


@layout
def folder(found: Collection, place: Path) -> Written:
    for label, names in zip(found.labels, found.lists, strict=True):
        lines(place / f"{label}.txt", names)
    return place, {}


@layout
def folder_headed_gene(found: Collection, place: Path) -> Written:
    word = found.draw.choice(["gene", "Symbol", "feature", "Gene Symbol", "probe", "x", '"x"'])
    for label, names in zip(found.labels, found.lists, strict=True):
        lines(place / f"{label}.txt", [word, *names])
    return place, {}


@layout
def folder_headed_by_labels(found: Collection, place: Path) -> Written:
    for label, names in zip(found.labels, found.lists, strict=True):
        lines(place / f"{label}.txt", [label, *names])
    return place, {}


@layout
def folder_of_csv(found: Collection, place: Path) -> Written:
    for label, names in zip(found.labels, found.lists, strict=True):
        save(place / f"{label}.csv", [[name] for name in names])
    return place, {}


@layout
def folder_of_r(found: Collection, place: Path) -> Written:
    for label, names in zip(found.labels, found.lists, strict=True):
        rows = ['"","x"', *(f'"{i}","{name.replace(chr(34), chr(34) * 2)}"' for i, name in enumerate(names, 1))]
        lines(place / f"{label}.csv", rows)
    return place, {}


@layout
def columns_headed(found: Collection, place: Path) -> Written:
    if are_numbers(found):
        return None
    rows = [found.labels, *in_columns(found.lists)]
    return save(place / "lists.csv", rows, found.draw.choice(",;\t")), {}


@layout
def columns_bare(found: Collection, place: Path) -> Written:
    if are_numbers(found):
        return None
    if not without_empty(found):
        return None
    return save(place / "lists.csv", in_columns(found.lists), found.draw.choice(",;\t")), {}


@layout
def columns_said_to_be_headed(found: Collection, place: Path) -> Written:
    rows = [found.labels, *in_columns(found.lists)]
    return save(place / "lists.csv", rows), {"layout": "columns", "header": True}


@layout
def columns_said_to_be_bare(found: Collection, place: Path) -> Written:
    if not without_empty(found):
        return None
    return save(place / "lists.csv", in_columns(found.lists)), {"layout": "columns", "header": False}


@layout
def columns_in_a_sheet(found: Collection, place: Path) -> Written:
    if are_numbers(found):
        return None
    book = openpyxl.Workbook()
    for row in [found.labels, *in_columns(found.lists)]:
        book.active.append([_cell(cell, book.active) for cell in row])
    book.save(place / "lists.xlsx")
    return place / "lists.xlsx", {}


@layout
def sheets(found: Collection, place: Path) -> Written:
    headed = found.draw.random() < 0.5
    book = openpyxl.Workbook()
    book.remove(book.active)
    for label, names in zip(found.labels, found.lists, strict=True):
        sheet = book.create_sheet(label)
        for name in [*(["Gene"] if headed else []), *names]:
            sheet.append([_cell(name, sheet)])
    book.save(place / "lists.xlsx")
    return place / "lists.xlsx", {}


def _cell(text: str, sheet: Any) -> Any:
    """A cell of text, also where it begins like a formula."""
    if not text:
        return None
    cell = WriteOnlyCell(sheet, text)
    cell.data_type = "s"
    return cell


@layout
def rows_headed(found: Collection, place: Path) -> Written:
    if are_numbers(found):
        return None
    rows = [[label, *names] for label, names in zip(found.labels, found.lists, strict=True)]
    return save(place / "lists.csv", rows, found.draw.choice(",;\t")), {}


@layout
def rows_bare(found: Collection, place: Path) -> Written:
    if found.shape == "single":
        return None
    if are_numbers(found):
        return None
    if not without_empty(found):
        return None
    return save(place / "lists.csv", found.lists, found.draw.choice(",;\t")), {}


@layout
def rows_said(found: Collection, place: Path) -> Written:
    if found.shape == "single":
        return None
    if not without_empty(found):
        return None
    return save(place / "lists.csv", found.lists), {"layout": "rows", "header": False}


@layout
def rows_said_to_be_headed(found: Collection, place: Path) -> Written:
    rows = [[label, *names] for label, names in zip(found.labels, found.lists, strict=True)]
    return save(place / "lists.csv", rows), {"layout": "rows", "header": True}


@layout
def rows_with_spaces(found: Collection, place: Path) -> Written:
    if has(found, " ", ",", '"', "'") or not without_empty(found):
        return None
    return lines(place / "lists.txt", [" ".join(names) for names in found.lists]), {"layout": "rows", "header": False}


@layout
def rows_with_colons(found: Collection, place: Path) -> Written:
    if are_numbers(found):
        return None
    if has(found, ", ", ": ", '"') or not without_empty(found):
        return None
    rows = [f"{label}: {', '.join(names)}" for label, names in zip(found.labels, found.lists, strict=True)]
    reading = found.draw.choice([{}, {"layout": "rows"}])
    return lines(place / "lists.txt", rows), dict(reading)


@layout
def rows_of_mixed_marks(found: Collection, place: Path) -> Written:
    if are_numbers(found):
        return None
    if has(found, ",", ";", ": ", '"') or not without_empty(found):
        return None
    marks = [found.draw.choice([", ", "; "]) for _ in found.lists]
    rows = [f"{label}: {m.join(names)}" for m, label, names in zip(marks, found.labels, found.lists, strict=True)]
    reading = found.draw.choice([{}, {"layout": "rows"}])
    return lines(place / "lists.txt", rows), dict(reading)


@layout
def pairs(found: Collection, place: Path) -> Written:
    if not without_empty(found):
        return None
    heading = found.draw.choice([["run", "feature"], ["fold", "gene"], ["study", "symbol"], ["method", "Gene Symbol"]])
    rows = [[label, name] for label, names in zip(found.labels, found.lists, strict=True) for name in names]
    return save(place / "lists.csv", [heading, *rows]), {}


@layout
def pairs_bare(found: Collection, place: Path) -> Written:
    if not without_empty(found):
        return None
    rows = [[label, name] for label, names in zip(found.labels, found.lists, strict=True) for name in names]
    return save(place / "lists.csv", rows), {}


@layout
def marks_runs_in_rows(found: Collection, place: Path) -> Written:
    head = found.draw.choice(["run", "fold", "seed"])
    rows = [
        [label, *(int(f in names) for f in found.universe)]
        for label, names in zip(found.labels, found.lists, strict=True)
    ]
    return save(place / "lists.csv", [[head, *found.universe], *rows]), {}


@layout
def marks_genes_in_rows(found: Collection, place: Path) -> Written:
    head, yes, no = found.draw.choice(
        [("gene", "1", "0"), ("Symbol", "x", ""), ("feature", "yes", "no"), ("probe", "TRUE", "FALSE")]
    )
    rows = [[f, *(yes if f in names else no for names in found.lists)] for f in found.universe]
    return save(place / "lists.csv", [[head, *found.labels], *rows]), {}


@layout
def marks_genes_in_rows_unnamed(found: Collection, place: Path) -> Written:
    rows = [[f, *(int(f in names) for names in found.lists)] for f in found.universe]
    return save(place / "lists.csv", [["", *found.labels], *rows]), {}


def _scores(found: Collection) -> list[dict[str, float]]:
    """Importances by which the lists are the best features of their runs, no two equal."""
    scores = []
    for names in found.lists:
        rest = [name for name in found.universe if name not in names]
        found.draw.shuffle(rest)
        order = [*names, *rest]
        scores.append({name: (len(order) - i) * 0.37 + 0.11 for i, name in enumerate(order)})
    return scores


def _best(found: Collection) -> int | None:
    sizes = {len(names) for names in found.lists}
    return sizes.pop() if len(sizes) == 1 and 0 not in sizes else None


@layout
def importances_runs_in_rows(found: Collection, place: Path) -> Written:
    top = _best(found)
    if top is None:
        return None
    rows = [
        [label, *(round(one[f], 4) for f in found.universe)]
        for label, one in zip(found.labels, _scores(found), strict=True)
    ]
    return save(place / "lists.csv", [["run", *found.universe], *rows]), {"top": top}


@layout
def importances_genes_in_rows(found: Collection, place: Path) -> Written:
    top = _best(found)
    if top is None:
        return None
    head = found.draw.choice(["gene", "", "Symbol", "feature"])
    scores = _scores(found)
    rows = [[f, *(round(one[f], 4) for one in scores)] for f in found.universe]
    return save(place / "lists.csv", [[head, *found.labels], *rows]), {"top": top}


@layout
def coefficients_genes_in_rows(found: Collection, place: Path) -> Written:
    head = found.draw.choice(["gene", "Symbol", "feature"])
    rows = [
        [f, *(round(found.draw.gauss(0, 1) + 0.01, 3) if f in names else 0 for names in found.lists)]
        for f in found.universe
    ]
    if any((f in names) != (cell != 0) for f, *cells in rows for names, cell in zip(found.lists, cells, strict=True)):
        return None
    return save(place / "lists.csv", [[head, *found.labels], *rows]), {}


@layout
def ranks_runs_in_rows(found: Collection, place: Path) -> Written:
    top = _best(found)
    if top is None:
        return None
    ranks = _ranks(found)
    rows = [[label, *(one[f] for f in found.universe)] for label, one in zip(found.labels, ranks, strict=True)]
    return save(place / "lists.csv", [["run", *found.universe], *rows]), {"top": top}


@layout
def ranks_genes_in_rows(found: Collection, place: Path) -> Written:
    top = _best(found)
    if top is None:
        return None
    ranks = _ranks(found)
    head = found.draw.choice(["gene", "", "Symbol"])
    rows = [[f, *(one[f] for one in ranks)] for f in found.universe]
    return save(place / "lists.csv", [[head, *found.labels], *rows]), {"top": top}


def _ranks(found: Collection) -> list[dict[str, int]]:
    ranks = []
    for one in _scores(found):
        order = sorted(one, key=lambda name: -one[name])
        ranks.append({name: i for i, name in enumerate(order, 1)})
    return ranks


@layout
def p_values_genes_in_rows(found: Collection, place: Path) -> Written:
    top = _best(found)
    if top is None:
        return None
    n = len(found.universe) + 1
    rows = [[f, *(round((one[f] / n) ** 2, 6) for one in _ranks(found))] for f in found.universe]
    prefix = found.draw.choice(["p_", "pval.", "padj ", "FDR_"])
    return save(place / "lists.csv", [["gene", *(prefix + label for label in found.labels)], *rows]), {"top": top}


@layout
def cells(found: Collection, place: Path) -> Written:
    mark = found.draw.choice([";", "; ", "|", ", ", " /// ", "/", " "])
    if has(found, *mark, *mark.split()) or not without_empty(found) or found.shape == "single":
        return None
    rows = [[label, mark.join(names)] for label, names in zip(found.labels, found.lists, strict=True)]
    head = found.draw.choice([["fold", "genes"], ["study", "selected genes"], ["method", "features"]])
    return save(place / "lists.csv", [head, *rows], found.draw.choice(",\t")), {}


@layout
def cells_bare(found: Collection, place: Path) -> Written:
    if are_numbers(found):
        return None
    mark = found.draw.choice([";", "; ", "|", " /// ", "/"])
    if has(found, *mark, *mark.split(), ",", '"') or not without_empty(found) or found.shape == "single":
        return None
    return lines(place / "lists.txt", [mark.join(names) for names in found.lists]), {}


@layout
def printed_by_python(found: Collection, place: Path) -> Written:
    rows = [[label, repr(names)] for label, names in zip(found.labels, found.lists, strict=True)]
    return save(place / "lists.csv", [["fold", "genes"], *rows]), {}


@layout
def printed_by_r(found: Collection, place: Path) -> Written:
    """What R prints for a list of vectors, ten names a line."""
    text = []
    named = found.draw.random() < 0.5
    for number, (label, names) in enumerate(zip(found.labels, found.lists, strict=True), 1):
        simple = label.replace(".", "").replace("_", "").isalnum()
        text.append((f"${label}" if simple else f"$`{label}`") if named else f"[[{number}]]")
        if not names:
            text.append("character(0)")
        width = max((len(_of_r(name)) for name in names), default=0)
        for start in range(0, len(names), 5):
            head = f"[{start + 1}]".rjust(len(f"[{len(names)}]"))
            text.append(" ".join([head, *(_of_r(name).ljust(width) for name in names[start : start + 5])]).rstrip())
        text.append("")
    return lines(place / "lists.txt", text), {}


def _of_r(name: str) -> str:
    return '"' + name.replace("\\", "\\\\").replace('"', '\\"') + '"'


@layout
def blocks_like_fasta(found: Collection, place: Path) -> Written:
    text = [line for label, names in zip(found.labels, found.lists, strict=True) for line in (f">{label}", *names)]
    return lines(place / "lists.txt", text), {}


@layout
def blocks_between_blank_lines(found: Collection, place: Path) -> Written:
    if not without_empty(found):
        return None
    headed = found.draw.random() < 0.5
    text = []
    for label, names in zip(found.labels, found.lists, strict=True):
        text += [*([f"{label}:"] if headed else []), *names, ""]
    return lines(place / "lists.txt", text[:-1]), {}


@layout
def gene_sets(found: Collection, place: Path) -> Written:
    rows = [
        [label, found.draw.choice(["na", "http://example.org"]), *names]
        for label, names in zip(found.labels, found.lists, strict=True)
    ]
    return lines(place / "lists.gmt", ["\t".join(row) for row in rows]), {}


@layout
def gene_sets_in_columns(found: Collection, place: Path) -> Written:
    rows = in_columns([[label, "na", *names] for label, names in zip(found.labels, found.lists, strict=True)])
    return lines(place / "lists.gmx", ["\t".join(row) for row in rows]), {}


@layout
def json_lists(found: Collection, place: Path) -> Written:
    path = place / "lists.json"
    content = dict(zip(found.labels, found.lists, strict=True)) if found.draw.random() < 0.5 else found.lists
    path.write_text(json.dumps(content), encoding="utf-8")
    return path, {}


@layout
def our_own(found: Collection, place: Path) -> Written:
    path = place / f"lists.{found.draw.choice(['csv', 'tsv', 'parquet', 'json', 'csv.gz'])}"
    runs = Selections.from_sets(found.lists, found.universe, labels=found.labels)
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", message=".*formula by a spreadsheet")
        runs.write(path, layout=found.draw.choice([None, "long", "wide"]))
    return path, {}


# ---- what comes back -----------------------------------------------------------------------------------------------

SAME, NOTED, ASKED, REFUSED, DIFFERENT = "same", "noted", "asked", "refused", "different"
# What whoever wrote a layout answers where two readings are plausible.
ANSWERS: dict[str, Reading] = {
    "folder": {"header": False},
    "folder_headed_gene": {"header": True},
    "folder_headed_by_labels": {"header": True},
    "columns_headed": {"layout": "columns", "header": True},
    "columns_bare": {"layout": "columns", "header": False},
    "columns_in_a_sheet": {"layout": "columns", "header": True},
    "rows_headed": {"layout": "rows", "header": True},
    "rows_bare": {"layout": "rows", "header": False},
    "rows_with_colons": {"layout": "rows"},
    "rows_of_mixed_marks": {"layout": "rows"},
    "pairs_bare": {"layout": "long", "header": False},
    "marks_genes_in_rows": {"transpose": True},
    "marks_genes_in_rows_unnamed": {"transpose": True},
    "importances_runs_in_rows": {"layout": "importances"},
    "importances_genes_in_rows": {"layout": "importances", "transpose": True},
    "coefficients_genes_in_rows": {"layout": "importances", "transpose": True},
    "ranks_runs_in_rows": {"layout": "ranks"},
    "ranks_genes_in_rows": {"layout": "ranks", "transpose": True},
    "p_values_genes_in_rows": {"layout": "p-values", "transpose": True},
    "cells": {"layout": "cells"},
    "cells_bare": {"layout": "rows", "header": False},
    "blocks_between_blank_lines": {"layout": "blocks", "header": False},
}


class Outcome(NamedTuple):
    """What came of one collection in one layout."""

    verdict: str
    told: str


def outcome(found: Collection, write: Callable[[Collection, Path], Written], place: Path) -> Outcome | None:
    """Read what a layout holds; None where it cannot hold the collection."""
    written = write(found, place)
    if written is None:
        return None
    path, reading = written
    try:
        return judged(found, Selections.read(path, **reading))
    except InputError as error:
        told = str(error)
    # The sentence names the options that decide, and with them the sets are those that were written.
    answer = {key: value for key, value in ANSWERS.get(write.__name__, {}).items() if key not in reading}
    if answer and any(f"{key}={value!r}".replace("'", '"') in told for key, value in answer.items()):
        try:
            answered = judged(found, Selections.read(path, **reading, **answer))
        except InputError as error:
            return Outcome(REFUSED, f"{told} | {error}")
        return Outcome(ASKED, told) if answered.verdict in (SAME, NOTED) else answered
    return Outcome(REFUSED, told)


def judged(found: Collection, read: Selections) -> Outcome:
    """The same sets; or those sets without what a note names; else different."""
    sets, notes = read.sets(), " | ".join(read.notes)
    if read.labels is not None and set(read.labels) == set(found.labels):  # files come in the order of their names
        sets = [sets[read.labels.index(label)] for label in found.labels]
    if sets == found.sets:
        return Outcome(SAME, notes)
    if len(sets) == len(found.sets):
        lost = [before - after for before, after in zip(found.sets, sets, strict=True)]
        gained = [after - before for before, after in zip(found.sets, sets, strict=True)]
        missing = Counter(name for names in lost for name in names)
        if not any(gained) and all(_is_told(name, notes) for name in missing):
            return Outcome(NOTED, notes)
        return Outcome(DIFFERENT, f"lost {_first(lost)}, gained {_first(gained)} | {notes}")
    if set(sets) <= set(found.sets) and "beginning with #" in notes:
        return Outcome(NOTED, notes)
    return Outcome(DIFFERENT, f"{len(sets)} runs for {len(found.sets)} | {notes}")


def _is_told(name: str, notes: str) -> bool:
    """Whether a note names what was left out, or says that a row behind # was."""
    return repr(name) in notes or ("beginning with #" in notes) or (name.startswith("#") and "comment row" in notes)


def _first(sets: Sequence[frozenset[str]]) -> str:
    return next((str(sorted(names)[:4]) for names in sets if names), "nothing")


def main(n: int, only: Sequence[str]) -> None:
    table: dict[str, Counter[str]] = {}
    shown: Counter[tuple[str, str]] = Counter()
    for number, found in enumerate(collections(n)):
        names = only or list(LAYOUTS)
        for name in names if only else [names[number % len(names)]]:
            place = Path(tempfile.mkdtemp(prefix="round"))
            try:
                got = outcome(found, LAYOUTS[name], place)
                if got is None:
                    continue
                table.setdefault(name, Counter())[got.verdict] += 1
                key = (name, got.verdict)
                if got.verdict in (DIFFERENT, REFUSED) and shown[key] < (40 if only else 2):
                    shown[key] += 1
                    told = got.told.replace(str(place), "")
                    print(
                        f"{name} {number} {got.verdict} [{found.kind}, {found.shape}, {len(found.lists)}] {told[:330]}"
                    )
            finally:
                shutil.rmtree(place)
    total: Counter[str] = Counter()
    for name, counts in table.items():
        print(f"{name:34}", dict(counts))
        total += counts
    print("all", dict(total))


if __name__ == "__main__":
    main(int(sys.argv[1]), sys.argv[2:])
