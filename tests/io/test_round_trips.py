"""Known collections of real names come back from every layout as they were written, or somebody is asked."""

from __future__ import annotations

import os
from collections import Counter
from pathlib import Path
from time import process_time

import numpy as np
import pytest
from pyarrow import parquet
from tests.io.round_trips import (
    ASKED,
    DIFFERENT,
    LAYOUTS,
    NOTED,
    REFUSED,
    SAME,
    collections,
    outcome,
    pools,
)

from steadyset import InputError, Selections
from steadyset.io.lists.long import _smallest

DATA = os.environ.get("STEADYSET_DATA")
MOST_REFUSED = 0.02  # of what is read, without an option that helps


def verdicts(n, place, names=None, seed=0):
    """How many collections came back as they were, and what is told of those that did not."""
    counts, different = Counter(), []
    writers = list(LAYOUTS.values())
    for number, found in enumerate(collections(n, seed, names)):
        write = writers[number % len(writers)]
        folder = place / str(number)
        folder.mkdir()
        got = outcome(found, write, folder)
        if got is not None:
            counts[got.verdict] += 1
        if got is not None and got.verdict == DIFFERENT:
            different.append((write.__name__, number, found.kind, found.shape, got.told))
    return counts, different


def test_a_sample_of_collections_comes_back_from_every_layout(tmp_path):
    counts, different = verdicts(2 * len(LAYOUTS), tmp_path, seed=1)
    assert different == []
    assert counts[SAME] + counts[NOTED] > 4 * counts[ASKED]
    assert counts[REFUSED] <= max(1, MOST_REFUSED * counts.total())


@pytest.mark.slow
def test_5000_collections_come_back_from_every_layout(tmp_path):
    counts, different = verdicts(5_000, tmp_path, seed=2)
    assert different == []
    assert counts[REFUSED] < MOST_REFUSED * counts.total()


@pytest.mark.slow
@pytest.mark.skipif(DATA is None, reason="STEADYSET_DATA names no folder with data sets")
def test_names_of_real_data_sets_come_back_from_folders(tmp_path):
    """Each data set is a pool of names: a folder of files loses and gains none of them."""
    headers = {path.stem: parquet.read_schema(path).names[:-1] for path in sorted(Path(DATA).glob("*.parquet"))}
    draw = np.random.default_rng(0)
    known = {
        name: list(draw.choice(columns, min(60, len(columns)), replace=False)) for name, columns in headers.items()
    }
    for number, found in enumerate(collections(300, 3, known)):
        folder = tmp_path / str(number)
        folder.mkdir()
        got = outcome(found, LAYOUTS["folder"], folder)
        assert got.verdict in (SAME, ASKED), (found.kind, got.told)


def files(folder, *texts, ending="txt"):
    folder.mkdir(exist_ok=True)
    for number, text in enumerate(texts, 1):
        (folder / f"run{number}.{ending}").write_text(text, encoding="utf-8")
    return folder


def test_identical_files_that_begin_with_an_open_reading_frame_are_identical_sets(tmp_path):
    text = "C1orf112\nTP53\nMYC\nKRAS\nEGFR\n"
    found = Selections.read(files(tmp_path / "same", text, text, text), n_features=100)
    assert found.sets() == [{"C1orf112", "TP53", "MYC", "KRAS", "EGFR"}] * 3


@pytest.mark.parametrize("ending", ["txt", "csv"])
def test_first_names_that_only_one_list_has_are_no_headings(tmp_path, ending):
    texts = [f"{first}\nTP53\nMYC\nKRAS\n" for first in ("C1orf112", "C14orf132", "C2orf68")]
    found = Selections.read(files(tmp_path / "own", *texts, ending=ending), n_features=100)
    assert found.sizes.tolist() == [4, 4, 4]


def test_headings_of_one_kind_are_left_out_and_told(tmp_path):
    gene = Selections.read(files(tmp_path / "gene", "gene\nTP53\nMYC\n", "gene\nTP53\nALK\n"), n_features=100)
    assert gene.sets() == [{"TP53", "MYC"}, {"TP53", "ALK"}]
    assert "the first line of each file ('gene') is a heading and not a feature" in gene.notes
    own = Selections.read(files(tmp_path / "own", "run 1\nTP53\nMYC\n", "run 2\nTP53\nALK\n"), n_features=100)
    assert own.sets() == gene.sets()
    assert "the first line of each file ('run 1', 'run 2') is a heading and not a feature" in own.notes
    with pytest.raises(InputError, match=r"first line of 1 file of 2 .*reads as a heading.*header=False"):
        Selections.read(files(tmp_path / "one", "gene\nTP53\nMYC\n", "TP53\nALK\n"))


def test_comments_in_lists_are_told(tmp_path):
    found = Selections.read(files(tmp_path / "odd", "TP53\n#tag\nMYC\n", "TP53\nMYC\n"), n_features=100)
    assert "1 line beginning with # left out ('#tag')" in found.notes


@pytest.mark.parametrize(
    ("first", "second", "word"),
    [("TP53", "tp53", "case"), ("HLA-A", "HLA.A", "dashes"), ("NKX2-1", "NKX2\u20111", "dashes")],
)
def test_names_that_differ_by_case_or_dash_alone_are_told(tmp_path, first, second, word):
    found = Selections.read(files(tmp_path / "alike", f"{first}\nMYC\n", f"{second}\nMYC\n"), n_features=100)
    assert any(f"differ only in {word}" in note and repr(second) in note for note in found.notes)


def test_names_that_differ_in_a_number_are_not_alike(tmp_path):
    found = Selections.read(files(tmp_path / "numbers", "x1.1\nMYC\n", "x11\nMYC\n"), n_features=100)
    assert not any("differ only" in note for note in found.notes)


BLOCKS = [
    ">Golub\nCD33\nZYX\n>Alon\nCD33\nMYC\n",
    "Golub:\nCD33\nZYX\n\nAlon:\nCD33\nMYC\n",
    "[Golub]\nCD33\nZYX\n[Alon]\nCD33\nMYC\n",
    "Golub\n\nCD33\nZYX\n\nAlon\n\nCD33\nMYC\n",
    '$Golub\n[1] "CD33" "ZYX" \n\n$Alon\n[1] "CD33" "MYC" \n\n',
    "Golub: CD33, ZYX\nAlon: CD33; MYC\n",
    "Golub\tCD33 /// ZYX\nAlon\tCD33 /// MYC\n",
    "study,genes\nGolub,CD33/ZYX\nAlon,CD33/MYC\n",
    "study,genes\nGolub,CD33|ZYX\nAlon,CD33|MYC\n",
    "study,genes\nGolub,CD33 ZYX\nAlon,CD33 MYC\n",
]


@pytest.mark.parametrize("text", BLOCKS)
def test_blocks_and_several_names_in_a_cell(tmp_path, text):
    path = tmp_path / "lists.txt"
    path.write_text(text, encoding="utf-8")
    found = Selections.read(path, n_features=100)
    assert dict(zip(found.labels, found.sets(), strict=True)) == {"Golub": {"CD33", "ZYX"}, "Alon": {"CD33", "MYC"}}


def test_lines_with_a_hash_are_headings_or_comments_as_somebody_says(tmp_path):
    path = tmp_path / "lists.txt"
    path.write_text("# Golub\nCD33\nZYX\n# Alon\nCD33\nMYC\n", encoding="utf-8")
    with pytest.raises(InputError, match='headings give layout="blocks"; for comments give layout="columns"'):
        Selections.read(path, n_features=100)
    found = Selections.read(path, n_features=100, layout="blocks")
    assert dict(zip(found.labels, found.sets(), strict=True)) == {"Golub": {"CD33", "ZYX"}, "Alon": {"CD33", "MYC"}}
    path.write_text("# 2019 signature\nTP53\nMYC\n# checked twice\nALK\nTP53\n# end\nRET\n", encoding="utf-8")
    with pytest.raises(InputError, match=r"'2019 signature', 'checked twice', 'end'.* comments on one list"):
        Selections.read(path, n_features=100)
    one = Selections.read(path, n_features=100, layout="columns", header=False)
    assert one.sets() == [{"TP53", "MYC", "ALK", "RET"}]
    path.write_text("# Golub\nCD33\n# Alon\nMYC\n", encoding="utf-8")  # no name comes back
    assert Selections.read(path, n_features=100, layout="blocks").sets() == [{"CD33"}, {"MYC"}]
    path.write_text("# mine\n[Golub]\nCD33\n# checked\n[Alon]\nCD33\nMYC\n", encoding="utf-8")
    assert Selections.read(path, n_features=100).labels == ("Golub", "Alon")
    path.write_text("# fold 1\n1,0,1\n# fold 2\n1,0,1\n", encoding="utf-8")
    assert Selections.read(path, layout="wide").n_runs == 2


def test_rows_with_labels_are_the_same_with_and_without_the_option(tmp_path):
    path = tmp_path / "lists.txt"
    path.write_text("Golub: CD33, ZYX\nAlon: MYC, CD33\nSingh: CD33\n", encoding="utf-8")
    assert Selections.read(path, n_features=100) == Selections.read(path, n_features=100, layout="rows")
    path.write_text("CD33, ZYX, MYC\nCD33; MYC\nZYX\n", encoding="utf-8")
    mixed = Selections.read(path, n_features=100, layout="rows", header=False)
    assert mixed.sets() == [{"CD33", "ZYX", "MYC"}, {"CD33", "MYC"}, {"ZYX"}]
    assert "names separated by semicolons and by commas" in mixed.notes


def test_blocks_that_share_no_name_are_asked_about(tmp_path):
    path = tmp_path / "lists.txt"
    path.write_text("CD33\nZYX\n\nMYC\nALK\n", encoding="utf-8")
    with pytest.raises(InputError, match='layout="blocks", for one layout="columns"'):
        Selections.read(path)
    assert Selections.read(path, layout="blocks", header=False, n_features=100).n_runs == 2
    assert Selections.read(path, layout="columns", header=False, n_features=100).sets() == [
        {"CD33", "ZYX", "MYC", "ALK"}
    ]


def read_or_asked(path, **options):
    try:
        return Selections.read(path, **options), ""
    except InputError as error:
        return None, str(error)


METHODS = ["lasso", "forest", "svm", "mrmr", "relief", "anova"]


def table_of(path, kind, names, columns, heading=""):
    """200 genes x 6 methods that agree on ten genes: importances, ranks or p-values; and the best ten of each."""
    draw = np.random.default_rng(0)
    strength = draw.normal(size=200)
    strength[:10] += 4
    importances = np.abs(strength + draw.normal(scale=0.7, size=(6, 200)))
    ranks = np.argsort(np.argsort(-importances, axis=1), axis=1) + 1
    values = {"importances": importances, "ranks": ranks, "p": (ranks / 201) ** 2}[kind]
    rows = [",".join([name, *(f"{cell:.6g}" for cell in cells)]) for name, cells in zip(names, values.T, strict=True)]
    path.write_text("\n".join([",".join([heading, *columns]), *rows]), encoding="utf-8")
    return [{names[f] for f in np.flatnonzero(row <= 10)} for row in ranks]


NAMES = {
    "g": [f"g{i:03}" for i in range(200)],
    "symbols": [f"ABC{i}D" for i in range(200)],
    "probes": [f"{1000 + i}_at" for i in range(200)],
    "Entrez": [str(7000 + 3 * i) for i in range(200)],
    "V": [f"V{i}" for i in range(1, 201)],
    "numbers of rows": [str(i) for i in range(1, 201)],
}


@pytest.mark.parametrize("names", NAMES.values(), ids=NAMES)
@pytest.mark.parametrize("kind", ["importances", "ranks", "p"])
def test_genes_in_rows_are_recognised_or_asked_about(tmp_path, kind, names):
    path = tmp_path / "imp.csv"
    layout = {"p": "p-values"}.get(kind, kind)
    for heading in ("", "gene", "id"):
        truth = table_of(path, kind, names, METHODS, heading)
        found, told = read_or_asked(path, top=10)
        if found is None:
            assert "transpose=True" in told or f'layout="{layout}"' in told
            found = Selections.read(path, top=10, transpose=True, layout=layout)
        assert found.n_runs == 6
        if names is not NAMES["numbers of rows"]:  # which are left out
            assert found.sets() == truth


@pytest.mark.parametrize("words", ["p_{}", "pval.{}", "{} p_value", "padj_{}", "FDR {}", "q.{}"])
def test_p_values_by_their_headings_are_best_when_small(tmp_path, words):
    path = tmp_path / "p.csv"
    truth = table_of(path, "p", NAMES["symbols"], [words.format(name) for name in METHODS])
    found = Selections.read(path, top=10)
    assert found.sets() == truth
    assert "p-values, of which small ones are good" in found.notes[0]
    assert "the smallest: 10" in found.notes[0]


@pytest.mark.parametrize("name", ["p_{}", "p.{}", "q-{}", "Q {}"])
@pytest.mark.parametrize("labelled", [True, False])
def test_features_called_p_and_a_number_are_no_p_values(tmp_path, name, labelled):
    marks = np.tile([[1, 0, 0, 1, 0, 1], [0, 1, 0, 1, 1, 0]], (3, 2))[:5]
    names = [name.format(f) for f in range(12)]
    path = tmp_path / "marks.csv"
    wanted = [{names[f] for f in np.flatnonzero(row)} for row in marks]

    def save(values):
        rows = [[*([str(i)] if labelled else []), *map(str, row)] for i, row in enumerate(values.tolist(), 1)]
        head = [*(["run"] if labelled else []), *names]
        path.write_text("\n".join(map(",".join, [head, *rows])), encoding="utf-8")

    save(marks)
    assert Selections.read(path).sets() == wanted
    importances = np.random.default_rng(0).permuted(np.tile(np.linspace(0.02, 0.98, 12), (5, 1)), axis=1)
    save(importances)
    with pytest.raises(InputError, match='layout="importances" or layout="p-values"'):
        Selections.read(path, top=3)
    found = Selections.read(path, top=3, layout="importances")
    assert found.sets() == [{names[f] for f in np.argsort(-row)[:3]} for row in importances]


def test_marks_below_headings_of_p_values_are_not_turned(tmp_path):
    path = tmp_path / "marks.csv"
    path.write_text("p_a,p_b,q_c\n1,0,1\n0,1,1\n1,1,0\n1,0,0\n", encoding="utf-8")
    assert Selections.read(path).sets() == [{"p_a", "q_c"}, {"p_b", "q_c"}, {"p_a", "p_b"}, {"p_a"}]


def test_runs_that_a_heading_names_stay_runs(tmp_path):
    path = tmp_path / "p.csv"
    path.write_text("fold,p_A,p_B,p_C\n1,0.01,0.2,0.9\n2,0.8,0.02,0.6\n3,0.03,0.5,0.7\n4,0.04,0.1,0.7\n", "utf-8")
    found = Selections.read(path, top=1)
    assert found.labels == ("1", "2", "3", "4")
    assert found.sets() == [{"p_A"}, {"p_B"}, {"p_A"}, {"p_A"}]


def test_p_and_a_number_above_runs_is_asked_about(tmp_path):
    path = tmp_path / "p.csv"
    path.write_text("gene,p_1,p_2\nTP53,0.01,0.02\nMYC,0.2,0.04\nALK,0.04,0.3\n", encoding="utf-8")
    with pytest.raises(InputError, match='layout="importances" or layout="p-values"'):
        Selections.read(path, top=1)
    assert Selections.read(path, top=1, layout="p-values").sets() == [{"TP53"}, {"TP53"}]


def test_numbers_from_0_to_1_without_a_word_for_them_are_importances_or_asked_about(tmp_path):
    path = tmp_path / "values.csv"
    truth = table_of(path, "p", NAMES["symbols"], METHODS, "gene")
    with pytest.raises(InputError, match='layout="importances" or layout="p-values"'):
        Selections.read(path, top=10)
    found = Selections.read(path, top=10, layout="p-values")
    assert found.sets() == truth
    assert "p-values, of which small ones are good" in found.notes[0]
    scaled = np.random.default_rng(3).uniform(0, 1, size=(5, 6000)) ** 4  # many small ones
    scaled = scaled / scaled.max(axis=1, keepdims=True) + 1e-6
    scaled[scaled > 1] = 1
    rows = [",".join([f"fold {i}", *(f"{cell:.9f}" for cell in cells)]) for i, cells in enumerate(scaled, 1)]
    path.write_text("\n".join([",".join(["run", *(f"ABC{f}D" for f in range(6000))]), *rows]), encoding="utf-8")
    with pytest.raises(InputError, match='layout="importances" or layout="p-values"'):
        Selections.read(path, top=10)
    frequencies = np.random.default_rng(2).uniform(0.05, 1, size=(50, 6))
    rows = [",".join([f"ABC{f}D", *(f"{cell:.4f}" for cell in cells)]) for f, cells in enumerate(frequencies)]
    path.write_text("\n".join([",".join(["gene", *METHODS]), *rows]), encoding="utf-8")
    with pytest.raises(InputError, match='layout="importances" or layout="p-values"'):
        Selections.read(path, top=10)
    draw = np.random.default_rng(1)
    shares = draw.dirichlet(np.full(50, 0.2), size=6)  # importances of forests add up to 1
    rows = [",".join([f"ABC{f}D", *(f"{cell:.8f}" for cell in cells)]) for f, cells in enumerate(shares.T)]
    path.write_text("\n".join([",".join(["gene", *METHODS]), *rows]), encoding="utf-8")
    assert "of importances" in Selections.read(path, top=5).notes[0]


TESTS = {
    "limma": (
        "logFC,AveExpr,t,P.Value,adj.P.Val,B",
        ["1.2,5,4,0.001,0.02,3", "0.2,5,1,0.3,0.4,-3", "-2,5,-6,0.0001,0.01,6"],
    ),
    "edgeR": ("logFC,logCPM,F,PValue,FDR", ["1.2,5,4,0.001,0.02", "0.2,5,1,0.3,0.4", "-2,5,-6,0.0001,0.01"]),
    "DESeq2": (
        "baseMean,log2FoldChange,lfcSE,stat,pvalue,padj",
        ["10,1.2,1,4,0.001,0.02", "5,0.2,1,NA,NA,NA", "7,-2,1,-6,0.0001,0.01"],
    ),
    "other": ("effect,p", ["1.2,0.001", "0.2,0.3", "-2,0.0001"]),
}


@pytest.mark.parametrize(("heading", "rows"), TESTS.values(), ids=TESTS)
def test_tables_of_tests_are_ranked_lists_with_top(tmp_path, heading, rows):
    body = "\n".join(f"{name},{row}" for name, row in zip(["TP53", "MYC", "KRAS"], rows, strict=True))
    path = tmp_path / "tests.csv"
    for first in ('""', "gene"):
        path.write_text(f"{first},{heading}\n{body}\n", encoding="utf-8")
        assert Selections.read(path, top=2, n_features=100).sets() == [{"KRAS", "TP53"}]
        with pytest.raises(InputError, match="top=20"):
            Selections.read(path)
    folder = files(tmp_path / "tables", f"gene,{heading}\n{body}\n", f"gene,{heading}\n{body}\n", ending="csv")
    assert Selections.read(folder, top=1, n_features=100).sets() == [{"KRAS"}, {"KRAS"}]


def test_p_values_of_long_tables(tmp_path):
    path = tmp_path / "long.csv"
    rows = ["1,TP53,0.01", "1,MYC,0.2", "1,ALK,0.5", "2,TP53,0.7", "2,MYC,0.02", "2,ALK,0.3"]
    for heading in ("fold,gene,p", "run,feature,pval"):
        path.write_text("\n".join([heading, *rows]), encoding="utf-8")
        assert Selections.read(path, top=1, n_features=100).sets() == [{"TP53"}, {"MYC"}]


def test_rows_of_long_tables_without_a_p_value_are_not_selected(tmp_path):
    path = tmp_path / "long.csv"
    rows = ["1,TP53,0.01", "1,MYC,0.2", "1,ALK,NA", "2,TP53,NA", "2,MYC,0.02", "2,ALK,", "3,TP53,NA", "3,MYC,NA"]
    for heading in ("fold,gene,p", "run,feature,pvalue"):
        path.write_text("\n".join([heading, *rows]), encoding="utf-8")
        found = Selections.read(path, top=2, n_features=100)
        assert found.sets() == [{"TP53", "MYC"}, {"MYC"}, set()]


def test_the_best_of_each_run_of_a_long_table_in_any_order(tmp_path):
    draw = np.random.default_rng(0)
    places = np.argsort(draw.random((30, 40)), axis=1)  # runs x features, the best from 0
    names = [f"ABC{f}D" for f in range(40)]
    wanted = {f"r{i}": {names[f] for f in np.flatnonzero(row < 3)} for i, row in enumerate(places)}
    path = tmp_path / "long.csv"
    for heading, values in {"p": (places + 1) / 41, "importance": 40 - places}.items():
        rows = [f"r{i},{name},{x}" for i, row in enumerate(values) for name, x in zip(names, row, strict=True)]
        path.write_text("\n".join([f"fold,gene,{heading}", *draw.permutation(rows)]), encoding="utf-8")
        found = Selections.read(path, top=3)
        assert dict(zip(found.labels, found.sets(), strict=True)) == wanted


def test_p_values_of_many_runs_take_no_scan_of_all_rows_for_each():
    runs, p_values = [str(i % 2000) for i in range(200_000)], np.random.default_rng(0).random(200_000).tolist()
    began = process_time()
    marks = _smallest(runs, p_values, 10)
    assert process_time() - began < 5  # 200,000 rows for each of 2,000 runs took half a minute
    assert marks.count("1") == 2000 * 10


def test_as_many_features_as_there_are_leads_to_the_other_way_round(tmp_path):
    path = tmp_path / "imp.csv"
    rows = [f"study {i},0.{i + 1},0.5,-0.{9 - i}" for i in range(8)]
    path.write_text("\n".join(["run,a,b,c", *rows]), encoding="utf-8")
    with pytest.raises(InputError, match=r"top=5 is all of the 3 features of each of 8 runs.*transpose=True"):
        Selections.read(path, top=5)


def test_the_pools_hold_what_went_wrong():
    """The harness keeps the names that were lost once."""
    names = set().union(*pools().values())
    assert {"C1orf112", "MARCH1", "SEP7", "NA", "1007_s_at", "#1", "2-Sep", "T cells, CD4+", "007157"} <= names


def test_a_comma_in_a_name_separates_nothing_between_semicolons(tmp_path):
    names = tmp_path / "names.csv"
    rows = (
        "age;sex;rad;T cells, activated",
        "stage;T cells, activated;sex;rad;age",
        "stage;sex;rad;T cells, activated;age",
    )
    names.write_text("\n".join(rows), encoding="utf-8")
    read = Selections.read(names, layout="rows", header=False)
    assert read.counts[read.features.index("T cells, activated")] == 3
