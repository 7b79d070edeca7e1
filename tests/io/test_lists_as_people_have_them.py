"""Files of lists as people and programs write them, each with the sets that were written by hand."""

from __future__ import annotations

import numpy as np
import openpyxl
import pytest

from steadyset import InputError, Selections

LABELS = ("Golub", "Alon", "Singh")
LISTS = (["CD33", "ZYX", "CST3"], ["CD33", "ZYX", "MYC"], ["ZYX", "CST3", "LYN"])
SETS = dict(zip(LABELS, map(set, LISTS), strict=True))


def save(path, text):
    path.write_text(text, encoding="utf-8")
    return path


def by_label(found):
    return dict(zip(found.labels, found.sets(), strict=True))


@pytest.mark.parametrize("outer", [",", "\t"])
@pytest.mark.parametrize("inner", [";", "|", "; ", " | "])
def test_a_label_before_names_with_separators_of_their_own(tmp_path, outer, inner):
    rows = [f"{label}{outer}{inner.join(names)}" for label, names in zip(LABELS, LISTS, strict=True)]
    assert by_label(Selections.read(save(tmp_path / "lists.csv", "\n".join(rows)))) == SETS


def test_a_label_before_identifiers_that_are_numbers(tmp_path):
    lists = {"Golub": {"1053", "945", "7791"}, "Alon": {"945", "1053", "4609"}, "Singh": {"7791", "945"}}
    rows = [f"{label},{';'.join(sorted(names))}" for label, names in lists.items()]
    assert by_label(Selections.read(save(tmp_path / "lists.csv", "\n".join(rows)))) == lists


@pytest.mark.parametrize("inner", [" + ", " & "])
def test_signs_between_names_are_no_names(tmp_path, inner):
    rows = [f"{label},{inner.join(names)}" for label, names in zip(LABELS, LISTS, strict=True)]
    path = save(tmp_path / "lists.csv", "\n".join(["study,genes", *rows]))
    assert by_label(Selections.read(path)) == SETS


@pytest.mark.parametrize("dash", ["-", "\u2013", "="])
def test_a_dash_behind_the_label(tmp_path, dash):
    rows = [f"{label} {dash} {', '.join(names)}" for label, names in zip(LABELS, LISTS, strict=True)]
    assert by_label(Selections.read(save(tmp_path / "lists.txt", "\n".join(rows)))) == SETS


@pytest.mark.parametrize(
    "rows",
    [
        [
            "TP53 - tumor protein p53, cellular",
            "EGFR - growth factor receptor, HER1",
            "MYC - proto-oncogene, bHLH",
        ],
        ["Glucose - fasting, plasma", "Insulin - basal, serum"],
    ],
)
def test_descriptions_behind_a_dash_are_asked_about(tmp_path, rows):
    path = save(tmp_path / "lists.txt", "\n".join(rows))
    with pytest.raises(InputError, match='layout="rows"'):
        Selections.read(path)
    told = Selections.read(path, layout="rows")
    assert by_label(told) == {label: set(names.split(", ")) for label, names in (row.split(" - ") for row in rows)}
    quoted = save(path, "\n".join(f'"{row}"' for row in rows))
    assert Selections.read(quoted, layout="columns", header=False).sets() == [set(rows)]
    symbols = save(tmp_path / "symbols.txt", "Golub - CD33, ZYX\nAlon - TP53, MYC")  # no name in common
    assert by_label(Selections.read(symbols)) == {"Golub": {"CD33", "ZYX"}, "Alon": {"TP53", "MYC"}}


@pytest.mark.parametrize("heading", ["--- {} ---", "=== {} ===", "**{}**"])
def test_headings_with_dashes_around_them(tmp_path, heading):
    rows = [line for label, names in SETS.items() for line in (heading.format(label), *names)]
    assert by_label(Selections.read(save(tmp_path / "lists.txt", "\n".join(rows)))) == SETS


def test_lines_of_symbols_below_headings_hold_several_names(tmp_path):
    rows = [line for label, names in zip(LABELS, LISTS, strict=True) for line in (f">{label}", " ".join(names))]
    found = Selections.read(save(tmp_path / "lists.txt", "\n".join(rows)))
    assert by_label(found) == SETS
    assert any("separated by spaces" in note for note in found.notes)
    clinical = Selections.read(save(tmp_path / "lists.txt", ">a\nmean radius\nworst area\n>b\nmean radius\nT cells\n"))
    assert clinical.sets() == [{"mean radius", "worst area"}, {"mean radius", "T cells"}]


@pytest.mark.parametrize("mark", ["\t", ";"])
def test_a_comma_in_a_name_of_each_row_separates_nothing(tmp_path, mark):
    rows = [
        ["age", "sex", "T cells, activated"],
        ["BMI", "sex", "T cells, activated", "age"],
        ["sex", "poly(x, 2)", "age", "T cells, activated"],
    ]
    path = save(tmp_path / "lists.txt", "\n".join(map(mark.join, rows)))
    assert Selections.read(path, layout="rows", header=False).sets() == list(map(set, rows))


def test_lines_that_are_one_name_each_keep_their_commas(tmp_path):
    for number, name in enumerate(["T cells, CD4+", "age", "poly(x, 2)", "BMI", "sex"]):
        save(tmp_path / f"run{number}.txt", f"{name}\n")
    found = Selections.read(tmp_path)
    assert found.sets() == [{"T cells, CD4+"}, {"age"}, {"poly(x, 2)"}, {"BMI"}, {"sex"}]
    assert any("'T cells, CD4+'" in note for note in found.notes)
    for number, names in enumerate(["age, sex", "age, BMI", "sex"]):
        save(tmp_path / f"run{number}.txt", f"{names}\n")
    for number in (3, 4):
        (tmp_path / f"run{number}.txt").unlink()
    assert Selections.read(tmp_path).sets() == [{"age", "sex"}, {"age", "BMI"}, {"sex"}]


@pytest.mark.parametrize("names", [["sp|P04637|P53_HUMAN", "sp|P01106|MYC_HUMAN"], ["P04637;P04638", "P01106;Q9Y6K9"]])
def test_names_of_proteins_are_read_if_somebody_says_that_each_line_is_a_name(tmp_path, names):
    for number in range(2):
        save(tmp_path / f"run{number}.txt", "\n".join(names))
    with pytest.raises(InputError, match='layout="columns"'):
        Selections.read(tmp_path)
    assert Selections.read(tmp_path, layout="columns").sets() == [set(names)] * 2


def test_the_index_of_a_frame_is_no_run(tmp_path):
    path = save(tmp_path / "importances.csv", ",feature,importance\n0,TP53,0.5\n1,MYC,0.1\n2,ALK,0.3\n")
    found = Selections.read(path, top=2)
    assert found.sets() == [{"TP53", "ALK"}]
    assert any("counts the rows" in note for note in found.notes)
    assert Selections.read(save(path, ",feature\n0,TP53\n1,MYC\n")).sets() == [{"TP53", "MYC"}]
    runs = Selections.read(save(path, ",feature\nr1,TP53\nr1,MYC\nr2,TP53\n"))  # an index of runs
    assert by_label(runs) == {"r1": {"TP53", "MYC"}, "r2": {"TP53"}}
    both = Selections.read(save(path, ",run,feature\n0,r1,TP53\n1,r1,MYC\n2,r2,TP53\n"))
    assert by_label(both) == {"r1": {"TP53", "MYC"}, "r2": {"TP53"}}


RESULTS = "baseMean,log2FoldChange,lfcSE,stat,pvalue,padj"  # of DESeq2


def test_a_table_of_tests_with_identifiers_and_symbols_is_one_list(tmp_path):
    rows = [
        "ENSG00000141510.1,9.1,1.2,0.3,4,0.001,0.002,TP53",
        "ENSG00000136997.2,8.0,0.2,0.3,1,0.4,NA,MYC",
        "ENSG00000171094.3,7.7,2.2,0.3,5,0.0001,0.0003,ALK",
        "ENSG00000165731.4,1.7,0.0,NA,NA,NA,NA,RET",
    ]
    found = Selections.read(save(tmp_path / "results.csv", "\n".join([f'"",{RESULTS},symbol', *rows])), top=2)
    assert found.sets() == [{"TP53", "ALK"}]
    assert any("names from the column 'symbol'" in note for note in found.notes)


def test_tables_of_tests_in_a_folder_lead_to_top(tmp_path):
    for number in range(2):
        save(tmp_path / f"fold{number}.csv", f'"",{RESULTS}\nTP53,9,1,1,4,0.001,0.01\nMYC,9,1,1,4,0.2,0.3\n')
    with pytest.raises(InputError, match="top=20"):
        Selections.read(tmp_path)
    found = Selections.read(tmp_path, top=1)
    assert found.sets() == [{"TP53"}, {"TP53"}]
    assert any("ranked by the p-values of 'pvalue'" in note for note in found.notes)
    assert not any("sorted best first" in note for note in found.notes)


def test_tables_of_tests_of_the_same_features_hold_the_universe(tmp_path):
    head = "Gene,Score(d),q-value(%)"
    save(tmp_path / "fold0.csv", f"{head}\nTP53,9,0.1\nMYC,2,7.5\nALK,1,31\nRET,0,60\n")
    save(tmp_path / "fold1.csv", f"{head}\nMYC,9,0.1\nTP53,5,0.5\nRET,1,22\nALK,0,60\n")
    found = Selections.read(tmp_path, top=2)
    assert found.sets() == [{"TP53", "MYC"}, {"TP53", "MYC"}]
    assert set(found.features) == {"TP53", "MYC", "ALK", "RET"}
    assert "universe: 4 features" in found.notes[0]
    save(tmp_path / "fold1.csv", f"{head}\nMYC,9,0.1\nTP53,5,0.5\nEGFR,1,22\n")  # cut, as topTable cuts
    assert Selections.read(tmp_path, top=2).n_features == 2
    assert Selections.read(tmp_path, top=2, n_features=100).n_features == 100


def test_a_feature_without_a_p_value_in_one_table_belongs_to_the_universe(tmp_path):
    random = np.random.default_rng(0)
    tables = [[[f"G{f}", f"{p:.6f}"] for f, p in enumerate(random.random(30))] for _ in range(3)]
    largest = max(range(30), key=lambda f: float(tables[1][f][1]))

    def read():
        for number, table in enumerate(tables):
            save(tmp_path / f"fold{number}.csv", "\n".join(["gene,pvalue", *map(",".join, table)]))
        return Selections.read(tmp_path, top=5)

    complete = read()
    tables[1][largest][1] = "NA"  # a p-value that no list had
    gap = read()
    assert gap.n_features == complete.n_features == 30
    assert gap.sets() == complete.sets()

    book = openpyxl.Workbook()
    book.remove(book.active)
    for number, table in enumerate(tables):
        sheet = book.create_sheet(f"fold {number}")
        for row in (["gene", "pvalue"], *table):
            sheet.append(row)
    book.save(tmp_path / "tests.xlsx")
    assert Selections.read(tmp_path / "tests.xlsx", top=5).n_features == 30


def test_features_without_a_p_value_are_not_selected(tmp_path):
    rows = ["TP53,0.001,NA", "MYC,0.2,0.01", "ALK,NA,0.02", "RET,0.03,NA"]
    for first in ("", "gene"):
        path = save(tmp_path / "p.csv", "\n".join([f"{first},padj_lasso,padj_forest", *rows]))
        found = Selections.read(path, top=2)
        assert by_label(found) == {"padj_lasso": {"TP53", "RET"}, "padj_forest": {"MYC", "ALK"}}
        assert any("3 cells without a p-value" in note for note in found.notes)
        every = Selections.read(path, top=4)
        assert by_label(every) == {"padj_lasso": {"TP53", "RET", "MYC"}, "padj_forest": {"MYC", "ALK"}}


def test_without_top_all_features_with_a_p_value_are_selected(tmp_path):
    found = Selections.read(save(tmp_path / "p.csv", ",p_a,p_b\nCD33,0,0.2\nZYX,NA,0.04\nTP53,0.5,\n"))
    assert by_label(found) == {"p_a": {"CD33", "TP53"}, "p_b": {"CD33", "ZYX"}}
    assert "selected: all features with a p-value" in found.notes[0]
    assert "not 0" not in found.notes[0]


def test_names_of_studies_above_identifiers_are_headings(tmp_path):
    rows = ["GSE2034,GSE7390", "ENSG00000141510,ENSG00000141511", "ENSG00000141512,ENSG00000141510"]
    found = Selections.read(save(tmp_path / "lists.csv", "\n".join(rows)), layout="columns")
    assert by_label(found) == {
        "GSE2034": {"ENSG00000141510", "ENSG00000141512"},
        "GSE7390": {"ENSG00000141510", "ENSG00000141511"},
    }


def test_a_first_run_of_one_feature_is_no_heading_unless_somebody_says_so(tmp_path):
    more = [f"{run},{name}" for run in ("GSE7390", "GSE1456") for name in ("MYC", "ALK", "TP53", "RET", "EGFR")]
    path = save(tmp_path / "pairs.csv", "\n".join(["GSE2034,CD4", *more]))
    with pytest.raises(InputError, match="header=True or header=False"):
        Selections.read(path)
    every = {"MYC", "ALK", "TP53", "RET", "EGFR"}
    assert by_label(Selections.read(path, header=False)) == {"GSE2034": {"CD4"}, "GSE7390": every, "GSE1456": every}
    assert by_label(Selections.read(path, header=True)) == {"GSE7390": every, "GSE1456": every}
    save(path, "\n".join(["who,what", *more]))
    assert by_label(Selections.read(path)) == {"GSE7390": every, "GSE1456": every}


def test_masses_in_columns_are_asked_about(tmp_path):
    rows = ["lasso,forest", "1000.25,1037.50", "1037.50,1111.75", "1223.25,1000.25"]
    book = openpyxl.Workbook()
    for row in rows:
        book.active.append(row.split(","))
    book.save(tmp_path / "masses.xlsx")
    with pytest.raises(InputError, match='layout="columns"'):
        Selections.read(tmp_path / "masses.xlsx")
    found = Selections.read(tmp_path / "masses.xlsx", layout="columns", header=True)
    assert by_label(found)["forest"] == {"1037.50", "1111.75", "1000.25"}


@pytest.mark.parametrize(
    "rows",
    [
        ["age,bmi,crp", "-0.12,0.30,0.55", "0.31,-0.12,1.55"],
        ["coefficient", "-0.12", "0.31", "1.55"],
    ],
)
def test_signed_coefficients_are_no_names(tmp_path, rows):
    found = Selections.read(save(tmp_path / "weights.csv", "\n".join(rows)))
    assert set(found.features) == set(rows[0].split(","))
    assert found.n_runs == len(rows) - 1
    assert "of importances" in found.notes[0]


def test_an_empty_sheet_beside_one_list_is_a_run_without_features(tmp_path):
    book = openpyxl.Workbook()
    book.active.title = "fold 1"
    for name in ("TP53", "MYC"):
        book["fold 1"].append([name])
    book.create_sheet("fold 2")
    book.save(tmp_path / "lists.xlsx")
    assert by_label(Selections.read(tmp_path / "lists.xlsx")) == {"fold 1": {"TP53", "MYC"}, "fold 2": set()}


def test_descriptions_that_are_left_out_are_told(tmp_path):
    rows = ["Golub\tfrom a paper\tCD33\tZYX", "Alon\tfrom a paper\tCD33\tMYC"]
    found = Selections.read(save(tmp_path / "lists.gmt", "\n".join(rows)))
    assert by_label(found) == {"Golub": {"CD33", "ZYX"}, "Alon": {"CD33", "MYC"}}
    assert any("'from a paper'" in note for note in found.notes)


def test_rows_that_begin_with_a_hash_are_told_or_kept_if_somebody_says_so(tmp_path):
    path = save(tmp_path / "lists.csv", "#tag,MYC\nTP53,#tag\nALK,TP53\n")
    told = Selections.read(path, layout="columns")
    assert any("beginning with #" in note and "#tag,MYC" in note for note in told.notes)
    assert Selections.read(path, layout="columns", header=False).sets() == [
        {"#tag", "TP53", "ALK"},
        {"MYC", "#tag", "TP53"},
    ]


@pytest.mark.parametrize("mark", ["/", ";", "|"])
def test_lines_all_of_which_have_a_separator_are_asked_about(tmp_path, mark):
    path = save(tmp_path / "lists.txt", f"PTEN{mark}TP53\nCD4{mark}MYC\nALK{mark}RET\n")
    with pytest.raises(InputError, match=r'layout="(rows|columns)"'):
        Selections.read(path)
    found = Selections.read(path, layout="rows", header=False)
    assert found.sets() == [{"PTEN", "TP53"}, {"CD4", "MYC"}, {"ALK", "RET"}]


def test_words_for_missing_values_may_be_names_of_rows(tmp_path):
    rows = ["fold 1,NA,?,TP53,MYC", "fold 2,TP53,nan,MYC,ALK,RET"]
    found = Selections.read(save(tmp_path / "lists.csv", "\n".join(rows)), layout=None)
    assert by_label(found) == {"fold 1": {"TP53", "MYC"}, "fold 2": {"TP53", "MYC", "ALK", "RET"}}
    assert any("count as empty" in note for note in found.notes)


def test_spaces_within_names_separate_nothing_where_commas_do(tmp_path):
    rows = ["fold 1,TP53,1e5,poly(x),007157,MYC,ALK", "fold 2,1-Mar,TP53,RET,12,MYC"]
    found = Selections.read(save(tmp_path / "lists.csv", "\n".join(rows)), layout="rows", header=True)
    assert by_label(found)["fold 1"] == {"TP53", "1e5", "poly(x)", "007157", "MYC", "ALK"}


def test_lines_with_one_slash_are_split_if_somebody_says_so(tmp_path):
    path = save(tmp_path / "lists.txt", "PTEN/TP53\nN/A\nPTEN/MYC\n")
    assert Selections.read(path, layout="rows", header=False).sets() == [{"PTEN", "TP53"}, set(), {"PTEN", "MYC"}]


def test_slashes_between_names_are_no_names_beside_a_single_name(tmp_path):
    path = save(
        tmp_path / "lists.csv", "fold,genes\nfold 1,TP53_E63_R /// MYC_P519_F /// ALK_E63_R\nfold 2,RET_E63_R\n"
    )
    assert Selections.read(path, layout="cells").sets() == [{"TP53_E63_R", "MYC_P519_F", "ALK_E63_R"}, {"RET_E63_R"}]


@pytest.mark.parametrize("mark", [";", "\t"])
def test_names_with_a_comma_are_whole_in_rows_that_begin_with_one(tmp_path, mark):
    path = tmp_path / "names.csv"
    rows = [
        ["age", "T cells, CD4+", "sex", "stage"],
        ["T cells, CD4+", "age", "rad", "sex"],
        ["poly(x, 2)", "sex", "tax"],
    ]
    path.write_text("\n".join(map(mark.join, [*rows, ["T cells, CD4+"]])), encoding="utf-8")
    found = Selections.read(path)
    assert found.sets() == [*map(set, rows), {"T cells, CD4+"}]


def test_copies_of_a_row_that_begins_with_a_comma_in_a_name_have_no_label(tmp_path):
    path = tmp_path / "names.csv"
    path.write_text("poly(x, 2);age;sex\npoly(x, 2);age;sex\n", encoding="utf-8")
    assert Selections.read(path, layout="rows", header=False).sets() == [{"poly(x, 2)", "age", "sex"}] * 2


def test_commas_within_names_between_slashes_separate_nothing(tmp_path):
    path = tmp_path / "cells.csv"
    lists = [["age", "rad", "T cells, activated", "sex"], ["T cells, activated", "zn", "age"], ["sex", "age", "tax"]]
    rows = [f"fold {i}\t{'/'.join(names)}" for i, names in enumerate(lists, 1)]
    path.write_text("\n".join(["fold\tgenes", *rows]), encoding="utf-8")
    assert Selections.read(path).sets() == [*map(set, lists)]


def test_the_slash_of_missing_values_separates_no_names(tmp_path):
    path = tmp_path / "cells.csv"
    path.write_text("fold\tgenes\n1\tTP53 #N/A MYC\n2\tMYC N/A ALK\n3\tTP53 #N/A ALK\n", encoding="utf-8")
    found = Selections.read(path)
    assert found.sets() == [{"TP53", "MYC"}, {"MYC", "ALK"}, {"TP53", "ALK"}]
    assert any("'#N/A', 'N/A' count as empty" in note for note in found.notes)


@pytest.mark.parametrize("cell", ["all/slope", "AFFX-BioB-M_at U66052_at"])
def test_one_row_per_run_below_a_plural_is_asked_about(tmp_path, cell):
    path = tmp_path / "cells.csv"
    path.write_text(f"method,features\nlasso,{cell}\nforest,{cell}\n", encoding="utf-8")
    with pytest.raises(InputError, match='layout="cells"; for one name in each cell give layout="long"'):
        Selections.read(path)
    assert Selections.read(path, layout="long").sets() == [{cell}] * 2
    assert Selections.read(path, layout="cells").sets() == [set(cell.replace("/", " ").split())] * 2


def test_words_for_missing_values_may_be_names_in_columns_and_rows(tmp_path):
    path = tmp_path / "lists.csv"
    columns = "Smith,Jones,Lee\nMT-CO1,APLP2,BRCA2\n-,None,C14\nZYX,?,-\nC14,H2AFZ,ZYX\nH2AFZ,MT-CO1,\nnull,CST3,\n"
    path.write_text(columns, encoding="utf-8")
    with pytest.raises(InputError, match="header=True; if not, header=False"):  # of columns
        Selections.read(path)
    assert Selections.read(path, header=True).sets() == [
        {"MT-CO1", "ZYX", "C14", "H2AFZ"},
        {"APLP2", "H2AFZ", "MT-CO1", "CST3"},
        {"BRCA2", "C14", "ZYX"},
    ]
    rows = "fold 1,CD33,BRCA2,MARC2,CST3,HLA-A\nfold 2,MARC2,CST3,BRCA2\nfold 3,CD8A,HLA-A,MARC2,None,BRCA2\n"
    path.write_text(rows, encoding="utf-8")
    found = Selections.read(path)
    assert found.labels == ("fold 1", "fold 2", "fold 3")
    assert any("'None' count as empty" in note for note in found.notes)


def test_the_word_that_is_the_description_of_each_gene_set_is_named(tmp_path):
    path = tmp_path / "lists.csv"
    path.write_text("A\tnull\tMYC\tTP53\nB\tnull\tMYC\tTP53\nC\tnull\tMYC\tALK\n", encoding="utf-8")
    found = Selections.read(path)
    assert found.sets() == [{"MYC", "TP53"}, {"MYC", "TP53"}, {"MYC", "ALK"}]
    assert "descriptions in the second column left out ('null')" in found.notes
    path.write_text("A\t-\tMYC\tTP53\tRET\nB\tN/A\tMYC\tALK\nC\tnull\tRET\tALK\n", encoding="utf-8")
    with pytest.raises(InputError, match=r"The first column .* may hold the labels"):
        Selections.read(path)


def test_an_error_of_a_formula_is_no_comment(tmp_path):
    folder = tmp_path / "lists"
    folder.mkdir()
    (folder / "1.txt").write_text("#N/A\n", encoding="utf-8")
    (folder / "2.txt").write_text("DEC1\n", encoding="utf-8")
    found = Selections.read(folder, n_features=10)
    assert found.sets() == [set(), {"DEC1"}]
    assert any("'#N/A' count as empty" in note for note in found.notes)
    path = tmp_path / "rows.csv"
    path.write_text("#N/A\tMYC\tALK\n#N/A\tMYC\tALK\n", encoding="utf-8")
    assert Selections.read(path, layout="rows", header=False).sets() == [{"MYC", "ALK"}] * 2


def test_titles_and_comments_above_lists_are_named(tmp_path):
    path = tmp_path / "rows.csv"
    path.write_text("CD4+ (naive)\nthal,age,smoker,CD4+ (naive)\nage,make\nCD4+ (naive),age,thal\n", encoding="utf-8")
    assert Selections.read(path).n_runs == 4  # the first cell recurs, so it is a name
    path.write_text("My own lists\nthal,age,smoker,chest\nage,make\nchest,age,thal\n", encoding="utf-8")
    assert any("left out as 1 title: 'My own lists'" in note for note in Selections.read(path).notes)
    path.write_text("#tag,MYC\nthal,age,smoker,chest\nage,make\nchest,age,thal\n", encoding="utf-8")
    assert any("beginning with # left out ('#tag MYC')" in note for note in Selections.read(path).notes)


def test_lines_of_blocks_that_may_be_one_name_or_two(tmp_path):
    path = tmp_path / "lists.txt"
    blocks = "lasso:\n{0}\n\nforest:\nX1\n\nsvm:\n{0}\n"
    path.write_text(blocks.format("T cells, CD4+"), encoding="utf-8")
    with pytest.raises(InputError, match=r"quotes around a line that is one name.*with a semicolon"):
        Selections.read(path)
    path.write_text(blocks.format('"T cells, CD4+"'), encoding="utf-8")
    assert Selections.read(path).sets() == [{"T cells, CD4+"}, {"X1"}, {"T cells, CD4+"}]
    path.write_text(blocks.format("T cells; CD4+"), encoding="utf-8")
    assert Selections.read(path).sets() == [{"T cells", "CD4+"}, {"X1"}, {"T cells", "CD4+"}]
    path.write_text(blocks.format("poly(x, 2)"), encoding="utf-8")
    assert Selections.read(path).sets() == [{"poly(x, 2)"}, {"X1"}, {"poly(x, 2)"}]


def test_a_last_block_of_one_name_is_no_title(tmp_path):
    path = tmp_path / "lists.txt"
    path.write_text("TP53\nMYC\nALK\n\nRET\n", encoding="utf-8")
    with pytest.raises(InputError, match='layout="blocks", for one layout="columns"'):
        Selections.read(path)
    assert Selections.read(path, layout="blocks", header=False).sets() == [{"TP53", "MYC", "ALK"}, {"RET"}]


def test_spaces_in_a_name_do_not_separate_rows_of_many_names(tmp_path):
    path = tmp_path / "lists.csv"
    rows = [["F", "APLP2", "PTX3", "+1"], ["p(HER2)", "+1", "APLP2", "PTEN", "PTX3", "interleukin 6"], ["PTEN"]]
    for mark in (",", ";"):
        path.write_text("\n".join(map(mark.join, rows)), encoding="utf-8")
        assert Selections.read(path).sets() == [*map(set, rows)]
