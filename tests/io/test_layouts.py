"""Recorded lists in every layout in which people keep them: the same lists give the same Selections, or a sentence."""

from __future__ import annotations

import csv
import json
import re
from itertools import zip_longest

import openpyxl
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as some

from steadyset import InputError, Selections

SYMBOLS = ["TP53", "MYC", "KRAS", "EGFR", "BRCA1", "HLA-A", "C1orf112", "CD4", "PTEN", "RB1", "ALK", "ERBB2"]
IDENTIFIERS = [f"ENSG{i:05}" for i in range(12)]
NUMBERS = [str(7157 + 31 * i) for i in range(12)]
WORDS = ["age", "sex", "stage", "body mass", "smoker", "x1", "x2", "creatinine", "no", "yes", "Na", "T cells"]
LABELS = [
    [f"fold{i}" for i in range(6)],
    ["Smith", "Jones", "Lee", "Ann", "Bob", "Eve"],
    ["lasso", "forest", "svm", "u-test", "mrmr", "relief"],
    ["1", "2", "3", "4", "5", "6"],
    ["A", "B", "C", "D", "E", "F"],
]


@some.composite
def recorded(draw, least=1):
    """Labels, lists of distinct names in an order, and the universe that they are from."""
    universe = draw(some.sampled_from([SYMBOLS, IDENTIFIERS, NUMBERS, WORDS]))
    M = draw(some.integers(2, 6))
    lists = [draw(some.permutations(universe))[: draw(some.integers(least, 9))] for _ in range(M)]
    return draw(some.sampled_from(LABELS))[:M], lists, universe


def in_columns(labels, lists, heading):
    return [*([labels] if heading else []), *map(list, zip_longest(*lists, fillvalue=""))]


def in_rows(labels, lists, heading):
    return [[*([label] if heading else []), *names] for label, names in zip(labels, lists, strict=True)]


def as_pairs(labels, lists, heading):
    pairs = [[label, name] for label, names in zip(labels, lists, strict=True) for name in names]
    return [*([heading] if heading else []), *pairs]


def as_marks(labels, lists, universe, yes="x", no="", first="gene"):
    rows = [[name, *(yes if name in names else no for names in lists)] for name in universe]
    return [[first, *labels], *rows]


def as_gmt(labels, lists, description="na"):
    return [[label, description, *names] for label, names in zip(labels, lists, strict=True)]


def save(path, rows, delimiter=","):
    with path.open("w", newline="", encoding="utf-8") as sink:
        csv.writer(sink, delimiter=delimiter).writerows(rows)
    return path


def expected(labels, lists, universe):
    return Selections.from_sets(lists, universe, labels=labels)


@settings(max_examples=20)
@given(recorded())
def test_the_same_lists_in_every_layout_are_equal(tmp_path_factory, runs):
    labels, lists, universe = runs
    place = tmp_path_factory.mktemp("layouts")
    wanted = expected(labels, lists, universe)
    written = {
        "columns": (in_columns(labels, lists, True), {"header": True}),
        "rows": (in_rows(labels, lists, True), {"header": True}),
        "long": (as_pairs(labels, lists, ["colleague", "thing"]), {"runs": "colleague"}),
        "wide": (as_marks(labels, lists, universe), {"transpose": True}),
        "gmt": (as_gmt(labels, lists), {}),
        "gmx": (map(list, zip_longest(*as_gmt(labels, lists), fillvalue="")), {}),
    }
    for layout, (rows, options) in written.items():
        path = save(place / f"{layout}.txt", rows, ";")
        found = Selections.read(path, universe, layout=layout, **options)
        numbered = layout == "wide" and labels[0] == "1"  # columns called 1, 2, ... have no names
        assert found == (Selections.from_sets(lists, universe) if numbered else wanted), layout
    folder = place / "lists"
    folder.mkdir()
    for number, (label, names) in enumerate(zip(labels, lists, strict=True)):
        (folder / f"{number} {label}.txt").write_text(
            "# a comment\r\n\r\n" + "\r\n".join(names) + "\r\n", encoding="utf-8"
        )
    found = Selections.read(folder, universe, header=False)
    assert found.labels == tuple(f"{number} {label}" for number, label in enumerate(labels))
    assert found.sets() == wanted.sets()


@settings(max_examples=50)
@given(recorded(least=2), some.sampled_from([None, ["colleague", "gene"], ["who", "what"]]), some.booleans())
def test_what_is_recognised_is_right_or_refused(tmp_path_factory, runs, heading, headed):
    """Without a word about the layout, no file is read as other sets than those that it holds."""
    labels, lists, universe = runs
    path = tmp_path_factory.getbasetemp() / "unknown.csv"
    sets = [frozenset(names) for names in lists]
    for rows in (
        in_columns(labels, lists, headed),
        in_rows(labels, lists, headed),
        as_pairs(labels, lists, heading),
        as_marks(labels, lists, universe),
        as_marks(labels, lists, universe, "1", "0", "name"),
        as_marks(labels, lists, universe, "+", "-", ""),
        as_gmt(labels, lists, "http://example.org/set"),
        as_gmt(labels, lists, "http://example.org" if universe is WORDS else "words that no name has"),
    ):
        found, refusal = read_or_refused(save(path, rows))
        if found is not None:
            assert found.sets() == sets, rows
        else:
            assert re.search(r"layout=|header=|runs=|transpose=|run and feature|call the column run", refusal)


def read_or_refused(path):
    try:
        return Selections.read(path), ""
    except InputError as error:
        return None, str(error)


def read(tmp_path, text, name="lists.csv", **options):
    (tmp_path / name).write_bytes(text if isinstance(text, bytes) else text.encode())
    return Selections.read(tmp_path / name, **options)


THREE = "Smith,Jones,Lee\nTP53,BRCA1,TP53\nBRCA1,EGFR,KRAS\nEGFR,,MYC\n"
SETS = [{"TP53", "BRCA1", "EGFR"}, {"BRCA1", "EGFR"}, {"TP53", "KRAS", "MYC"}]


@pytest.mark.parametrize(
    ("text", "name"),
    [
        (THREE, "lists.csv"),
        (THREE.replace(",", ";"), "lists.csv"),
        (THREE.replace(",", "\t"), "lists.txt"),
        (THREE.replace("\n", "\r\n"), "lists.csv"),
        (THREE.encode("utf-16"), "lists.csv"),
        (THREE.replace(",,", ",NA,"), "lists.csv"),
        (THREE.replace("TP53,BRCA1,TP53", "TP53 ,  BRCA1,TP53"), "lists.csv"),
        (",Smith,Jones,Lee\n1,TP53,BRCA1,TP53\n2,BRCA1,EGFR,KRAS\n3,EGFR,,MYC\n", "lists.csv"),
        ("Table S3. Selected genes,,\n,,\n" + THREE, "lists.csv"),
        ("Smith,TP53,BRCA1,EGFR\nJones,BRCA1,EGFR\nLee,TP53,KRAS,MYC\n", "lists.csv"),
        ("Smith\tna\tTP53\tBRCA1\tEGFR\nJones\tna\tBRCA1\tEGFR\nLee\tna\tTP53\tKRAS\tMYC\n", "lists.gmt"),
        ("Smith\tJones\tLee\nna\tna\tna\nTP53\tBRCA1\tTP53\nBRCA1\tEGFR\tKRAS\nEGFR\t\tMYC\n", "lists.gmx"),
        ("gene;Smith;Jones;Lee\nTP53;x;;x\nBRCA1;x;x;\nEGFR;X;x;\nKRAS;;;x\nMYC;;;X\n", "lists.csv"),
        (
            "Symbol,Smith,Jones,Lee\nTP53,yes,no,yes\nBRCA1,yes,yes,no\nEGFR,yes,yes,no\nKRAS,no,no,yes\nMYC,no,no,yes\n",
            "a.csv",
        ),
        ('{"Smith": ["TP53", "BRCA1", "EGFR"], "Jones": ["BRCA1", "EGFR"], "Lee": ["TP53", "KRAS", "MYC"]}', "l.json"),
    ],
)
def test_ways_to_keep_the_same_three_lists(tmp_path, text, name):
    found = read(tmp_path, text, name)
    assert found.labels == ("Smith", "Jones", "Lee")
    assert found.sets() == SETS
    assert found.notes[0].startswith("3 runs from 3 ")


def test_the_line_says_what_was_understood(tmp_path):
    line = "3 runs from 3 columns with a heading; 5 distinct names; universe: "
    assert read(tmp_path, THREE).notes == (f"{line}those names",)
    assert read(tmp_path, THREE, n_features=20_000).notes == (f"{line}20,000 features",)
    assert read(tmp_path, THREE).n_features == 5
    universe = [*SYMBOLS, "TTN"]
    assert read(tmp_path, THREE, features=universe).features == tuple(universe)
    with pytest.raises(InputError, match="The run 'Lee' names 'MYC', which the universe of 12 features does not have"):
        read(tmp_path, THREE, features=[name for name in universe if name != "MYC"])


@pytest.mark.parametrize(
    ("text", "note"),
    [
        (
            "r1,r2\nTP53,TP53\nMYC,tp53\n",
            "names that differ only in case count as different features: 'TP53' and 'tp53'",
        ),
        ("fold1,fold2\nTP53,TP53\nMYC,-\n", "1 cell with '-' count as empty"),
        ("fold1,TP53,MYC,TP53\nfold2,TP53\nfold3,TP53,MYC\n", "1 repeated name within a list dropped (such as 'TP53')"),
    ],
)
def test_what_was_changed_is_told(tmp_path, text, note):
    layout = "rows" if "fold3" in text else "columns"
    assert note in read(tmp_path, text, layout=layout, header=True).notes


@pytest.mark.parametrize(
    ("text", "options"),
    [
        ("TP53,MYC\nMYC,KRAS\n", 'layout="columns" or layout="rows"'),  # neither lists twice what the other does
        ("symbol,ensembl\nTP53,ENSG1\nMYC,ENSG2\n", 'layout="columns" or layout="rows"'),  # a table of synonyms
        ("patient,sex,stage\np1,m,I\np2,f,II\np3,m,I\n", 'layout="rows"'),  # a table of patients
        ("who,what\na,p\nb,q\na,q\nb,p\n", 'runs="who" or runs="what"'),
        (
            "2,3\n5,7\n3,2\n",
            'header=True or header=False, or for lists of identifiers layout="columns" or layout="rows"',
        ),
        ("a,b\n2,3\n5,7\n3,2\n", 'layout="ranks", layout="importances", layout="columns" or layout="rows"'),
        ("id,a,b\n7157,1,0\n672,0,1\n", "numbers in its first column 'id' ('7157', '672'); if these are the features,"),
        ("a,b,c\n1,2,3\n2,3,1\n3,1,2\n", 'layout="ranks", layout="importances", layout="columns" or layout="rows"'),
        ("name,u,v\nTP53,1,0\nMYC,0,1\n", "transpose=True; if they are the runs, call the column run"),
        ("age,bmi\nsex,age\nbmi,sex\n", 'layout="columns" or layout="rows"'),
        (
            "a,b,c,d\n1,1,3,4\n2,1,2,4\n",
            'layout="ranks", layout="importances", layout="columns" or layout="rows"',
        ),  # ties?
        (
            "a,b,c,d\n0,1,2,3\n0,3,2,1\n",
            'layout="ranks", layout="importances", layout="columns" or layout="rows"',
        ),  # from 0?
        ("TP53 MYC\nTP53 ALK\n", 'separated by spaces, or single names.*layout="rows", in the second layout="columns"'),
        ("TP53 EGFR MYC\nKRAS BRAF ALK\nRB1 C1orf112 Trp53\n", 'separated by spaces, or single names.*layout="rows"'),
        ("TP53,1,0\nMYC,1,1\n", "('TP53', 'MYC'); if these are the features, give transpose=True"),
        ("gene,fold1,fold2\nTP53,1,1\nMYC,2,\n", "Row 3 holds no number in column 3; expected one in every cell"),
        ("a,b\n1,0\n0.5,1\n", 'for importances give layout="importances"'),
    ],
)
def test_two_plausible_readings_are_refused_with_the_options_that_choose(tmp_path, text, options):
    with pytest.raises(InputError) as refused:
        read(tmp_path, text)
    assert options in str(refused.value) or re.search(options, str(refused.value))


def test_a_first_row_that_may_be_labels_or_names_is_asked_about(tmp_path):
    text = "lasso,forest\nage,sex\nsex,bmi\nage2,age\n"
    with pytest.raises(InputError, match=r"'lasso', 'forest'.*header=True; if not, header=False"):
        read(tmp_path, text, layout="columns")
    assert read(tmp_path, text, layout="columns", header=True).labels == ("lasso", "forest")
    assert read(tmp_path, text, layout="columns", header=False).sizes.tolist() == [4, 4]


@pytest.mark.parametrize(
    ("text", "run_column"),
    [
        ("colleague,gene\nAnn,TP53\nAnn,MYC\nBob,TP53\n", "colleague"),
        ("gene,colleague\nTP53,Ann\nMYC,Ann\nTP53,Bob\n", "colleague"),
        ("fold,entrez\n1,7157\n1,4609\n2,7157\n", "fold"),
        ("colleague,gene\nAnn,7157\nAnn,4609\nBob,7157\n", "colleague"),
        ("colleague,gene\n1,7157\n1,4609\n2,7157\n", "colleague"),
        ("who;what\nAnn;TP53\nAnn;MYC\nAnn;KRAS\nBob;TP53\nBob;ALK\n", "who"),
        (",fold,Gene Symbol\n1,1,TP53\n2,1,MYC\n3,2,TP53\n", "fold"),
    ],
)
def test_long_tables_with_headings_of_their_own(tmp_path, text, run_column):
    found = read(tmp_path, text)
    assert f"2 runs from the column {run_column!r}" in found.notes[0]
    assert found.sets()[1] <= {"TP53", "7157", "ALK"}
    assert found.n_features == len(set().union(*found.sets()))


def test_numbers_that_are_identifiers_stay_names(tmp_path):
    found = read(tmp_path, "fold,entrez\n1,7157\n1,4609\n2,007157\n", n_features=20_000)
    assert found.sets() == [{"7157", "4609"}, {"007157"}]
    columns = "fold1,fold2\n7157,4609\n672,7157\n1956,\n"
    assert read(tmp_path, columns).sets() == [{"7157", "672", "1956"}, {"4609", "7157"}]


def test_ranks_and_importances(tmp_path):
    ranks = read(tmp_path, "a,b,c,d\n1,2,3,4\n1,3,2,4\n1,2,4,3\n", top=2)
    assert ranks.sets() == [{"a", "b"}, {"a", "c"}, {"a", "b"}]
    assert ranks.rankings.tolist() == [[1, 2, 3, 4], [1, 3, 2, 4], [1, 2, 4, 3]]
    text = "a,b,c,d\n0.5,0,-1,0.1\n0,0.2,-1,0\n"
    assert read(tmp_path, text) == Selections.from_weights([[0.5, 0, -1, 0.1], [0, 0.2, -1, 0]], list("abcd"))
    assert read(tmp_path, text, top=2).sets() == [{"a", "c"}, {"b", "c"}]
    assert "the largest in absolute value: 2" in read(tmp_path, text, top=2).notes[0]
    with pytest.raises(
        InputError, match=r"several importances of 0\.5 at the border of its 1 largest; give another top"
    ):
        read(tmp_path, "a,b,c\n0.5,-0.5,0.1\n0.2,0,0\n", top=1)
    tied = read(tmp_path, "a,b,c\n1.5,1.5,3\n1,2,3\n", top=1)
    assert tied.sets() == [set(), {"a"}]
    lists = read(tmp_path, THREE, top=1)
    assert lists.sets() == [{"TP53"}, {"BRCA1"}, {"TP53"}]
    long = "fold,gene,coef\n1,TP53,0.5\n1,MYC,-2\n2,TP53,-0.2\n2,MYC,0\n"
    assert read(tmp_path, long).sets() == [{"TP53", "MYC"}, {"TP53"}]
    assert read(tmp_path, long, top=1).sets() == [{"MYC"}, {"TP53"}]
    with pytest.raises(InputError, match="top=1 needs ranks or importances"):
        read(tmp_path, "a,b\n1,0\n0,1\n", top=1)


def test_a_wide_table_may_have_fewer_features_than_there_were(tmp_path):
    text = "a,b\n1,0\n1,1\n"
    assert read(tmp_path, text, n_features=10).n_features == 10
    assert read(tmp_path, text, features=["z", "b", "a"]).sets() == [{"a"}, {"a", "b"}]
    with pytest.raises(InputError, match="has 'b', which the universe of 3 features does not have"):
        read(tmp_path, text, features=["a", "y", "z"])


def test_a_table_without_a_header_keeps_its_first_row(tmp_path):
    found = read(tmp_path, "TP53,1,0\nMYC,1,1\nALK,0,1\n", transpose=True)
    assert found.features == ("TP53", "MYC", "ALK")
    assert found.sets() == [{"TP53", "MYC"}, {"MYC", "ALK"}]


def test_numbers_of_rows_are_no_feature(tmp_path):
    found = read(tmp_path, "id,a,b,c\n1,1,0,1\n2,0,1,1\n3,1,1,0\n")
    assert found.features == ("a", "b", "c")
    assert "the first column 'id' names the rows" in found.notes
    assert read(tmp_path, "seed,a,b\n42,0.5,0\n7,0,0.5\n").labels == ("42", "7")


def test_signs_that_only_look_like_digits_are_text_in_names_of_files(tmp_path):
    for name in ("1²2", "10", "2"):
        (tmp_path / f"{name}.txt").write_text("A\nB\n", encoding="utf-8")
    assert Selections.read(tmp_path, header=False).labels == ("1²2", "2", "10")


def test_the_files_of_a_folder_count_together_for_the_limit(tmp_path):
    for number in range(20):
        (tmp_path / f"{number}.txt").write_text("\n".join(f"gene{i}" for i in range(1000)), encoding="utf-8")
    with pytest.raises(InputError, match=r"more than 0\.001 GB"):
        Selections.read(tmp_path, header=False, max_gb=0.001)
    assert Selections.read(tmp_path, header=False, max_gb=0.01).n_runs == 20


def test_a_folder_of_lists(tmp_path):
    folder = tmp_path / "lists"
    folder.mkdir()
    for number, text in {10: "TP53\nMYC\n", 2: "# by hand\r\nTP53\r\n\r\n KRAS \r\n", 1: ""}.items():
        (folder / f"run{number}.txt").write_bytes(text.encode())
    (folder / "README.md").write_text("notes", encoding="utf-8")
    (folder / ".hidden.txt").write_text("X", encoding="utf-8")
    found = Selections.read(folder)
    assert found.labels == ("run1", "run2", "run10")
    assert found.sets() == [set(), {"TP53", "KRAS"}, {"TP53", "MYC"}]
    assert "not read: 'README.md'" in found.notes
    assert "1 list without a name, so that nothing was selected" in found.notes
    (folder / "run3.txt").write_text("TP53\tMYC\nA\tB\n", encoding="utf-8")
    with pytest.raises(InputError, match=r"run3\.txt has 2 columns; in a folder of lists each file holds one list"):
        Selections.read(folder)
    assert one_more(folder) == {"TP53", "ALK"}
    (folder / "assessment.json").write_text("{}", encoding="utf-8")
    with pytest.raises(InputError, match=r"is the run folder of an assessment; Assessment\.open gives"):
        Selections.read(folder)


def one_more(folder):
    (folder / "run3.txt").write_text(
        '"","x"\n"1","TP53"\n"2","ALK"\n', encoding="utf-8"
    )  # R's write.csv of a character vector
    return Selections.read(folder).sets()[2]


def test_workbooks_have_a_table_or_a_list_in_each_sheet(tmp_path):
    book = openpyxl.Workbook()
    book.active.title = "Smith"
    for row in (["Gene"], ["TP53"], ["BRCA1"], ["EGFR"]):
        book.active.append(row)
    other = book.create_sheet("Jones")
    for row in (["BRCA1"], ["EGFR"]):
        other.append(row)
    book.save(tmp_path / "lists.xlsx")
    with pytest.raises(InputError, match="first line of 1 sheet of 2 \\('Gene'\\) reads as a heading"):
        Selections.read(tmp_path / "lists.xlsx")
    other.insert_rows(1)
    other["A1"] = "Symbol"
    book.save(tmp_path / "lists.xlsx")
    found = Selections.read(tmp_path / "lists.xlsx")
    assert "the first line of each sheet ('Gene', 'Symbol') is a heading and not a feature" in found.notes
    assert found.labels == ("Smith", "Jones")
    assert found.sets() == SETS[:2]
    table = book.create_sheet("all")
    for row in csv.reader(THREE.splitlines()):
        table.append([cell or None for cell in row])
    book.save(tmp_path / "lists.xlsx")
    with pytest.raises(
        InputError, match=r"3 sheets \('Smith', 'Jones', 'all'\), and 'all' is not a single list.*sheet="
    ):
        Selections.read(tmp_path / "lists.xlsx")
    for sheet in ("all", 3, "3"):
        assert Selections.read(tmp_path / "lists.xlsx", sheet=sheet).sets() == SETS
    with pytest.raises(InputError, match="sheet must be the name of a sheet, or its number from 1"):
        Selections.read(tmp_path / "lists.xlsx", sheet=2.5)


def test_notes_follow_the_selections_into_another_process(tmp_path):
    import pickle

    found = read(tmp_path, THREE)
    assert pickle.loads(pickle.dumps(found)).notes == found.notes
    assert found == Selections.from_sets(SETS, found.features, labels=["Smith", "Jones", "Lee"])
    assert found.take([0, 1]).notes == ()


def test_a_list_of_all_that_was_selected_is_not_a_set_for_json_of_places(tmp_path):
    with pytest.raises(InputError, match="n_features"):
        read(tmp_path, json.dumps([[0, 1], [1]]), "places.json")
    assert read(tmp_path, json.dumps([["a", "b"], ["b"]]), "names.json").n_features == 2


@settings(max_examples=15)
@given(recorded(), some.data())
def test_blanks_within_lists_do_not_matter(tmp_path_factory, runs, data):
    labels, lists, universe = runs
    assume(universe is not WORDS)
    spaced = [
        [name for pair in ((x, "") if data.draw(some.booleans()) else (x,) for x in names) for name in pair]
        for names in lists
    ]
    path = save(tmp_path_factory.getbasetemp() / "spaced.csv", in_columns(labels, spaced, True))
    assert Selections.read(path, universe, layout="columns", header=True) == expected(labels, lists, universe)


def test_genes_that_became_dates_are_told_of_in_lists(tmp_path):
    path = tmp_path / "lists.csv"
    path.write_text("run 1,run 2\nTP53,2-Sep\nEGFR,TP53\nMYC,EGFR\n", encoding="utf-8")
    notes = Selections.read(path).notes
    assert "1 name is a date ('2-Sep' among the names), which a spreadsheet may have made of a gene such as SEPT2" in (
        " ".join(notes)
    )


def test_lines_of_names_that_spaces_separate_are_lists_where_rows_are_asked_for(tmp_path):
    path = tmp_path / "lists.txt"
    path.write_text("TP53 EGFR MYC\nKRAS TP53 ALK\nEGFR PTEN\n", encoding="utf-8")
    found = Selections.read(path, layout="rows", header=False)
    assert found.sets() == [{"TP53", "EGFR", "MYC"}, {"KRAS", "TP53", "ALK"}, {"EGFR", "PTEN"}]
    assert "names separated by spaces" in found.notes
    path.write_text(
        "interleukin 6\ntumour necrosis factor\nvitamin D\n", encoding="utf-8"
    )  # names of several words, as one list
    assert Selections.read(path).sets() == [{"interleukin 6", "tumour necrosis factor", "vitamin D"}]


def test_headings_are_told_from_symbols_among_which_few_have_small_letters(tmp_path):
    path = tmp_path / "lists.csv"
    names = [f"G{chr(65 + i)}{i}" for i in range(14)]
    rows = [["Anna", "Ben", "Carla"], ["C1orf112", names[0], names[1]]]
    rows += [[names[i], names[i + 1], names[i + 4]] for i in range(2, 10)]
    path.write_text("\n".join(map(",".join, rows)), encoding="utf-8")
    assert Selections.read(path).labels == ("Anna", "Ben", "Carla")
    mice = [["Trp53", "Myc", "Actb"], ["Kras", "Egfr", "Trp63"], ["Egfr", "Alk", "Kras"]]  # names, or people
    path.write_text("\n".join(map(",".join, mice)), encoding="utf-8")
    with pytest.raises(InputError, match="header=True"):
        Selections.read(path, layout="columns")


def test_sheets_of_symbols_beside_numbers_are_lists_of_these_symbols(tmp_path):
    book = openpyxl.Workbook()
    book.remove(book.active)
    for name, symbols in {"Smith": ["TP53", "MYC"], "Jones": ["TP53", "KRAS", "ALK"]}.items():
        sheet = book.create_sheet(name)
        for row in (["Gene symbol", "logFC"], *([symbol, 1.5] for symbol in symbols)):
            sheet.append(row)
    path = tmp_path / "results.xlsx"
    book.save(path)
    found = Selections.read(path)
    assert found.labels == ("Smith", "Jones")
    assert found.sets() == [{"TP53", "MYC"}, {"TP53", "KRAS", "ALK"}]
    assert "of the sheets only the column 'Gene symbol' is used" in found.notes
    book["Jones"].delete_rows(3, 2)
    book["Jones"].append(["MYC", 0.1])  # now both name the same: results for all features rather than a list
    book.save(path)
    with pytest.raises(InputError, match="the same names, as tables of all features have"):
        Selections.read(path)


@settings(max_examples=60)
@given(recorded(), some.sampled_from([";", "; ", "|", ", "]), some.sampled_from(["fold", "seed", "method"]))
def test_a_whole_list_in_a_cell_is_a_run(tmp_path_factory, found, mark, heading):
    labels, lists, _ = found
    sets = [frozenset(names) for names in lists]
    assume(sum(len(names) > 1 for names in lists) > 1 and len(frozenset.union(*sets)) < sum(map(len, set(sets))))
    assume(not any(name in set("".join(mark).split()) for names in lists for name in names))
    path = tmp_path_factory.mktemp("lists") / "lists.csv"
    with path.open("w", newline="", encoding="utf-8") as file:
        rows = [[label, mark.join(names)] for label, names in zip(labels, lists, strict=True)]
        csv.writer(file).writerows([[heading, "selected genes"], *rows])
    runs = Selections.read(path, n_features=50)
    assert [set(names) for names in runs.sets()] == sets
    assert list(runs.labels) == labels
    assert "each cell of 'selected genes' is a list" in " ".join(runs.notes)


@pytest.mark.parametrize(
    "text",
    [
        "fold,genes,auc\n1,\"['TP53', 'MYC']\",0.9\n2,\"['TP53', 'EGFR', 'KRAS']\",0.8\n3,[],0.7\n",  # pandas
        "fold,genes\n1,\"['TP53' 'MYC']\"\n2,\"['TP53' 'EGFR' 'KRAS']\"\n3,[]\n",  # numpy
        'run,feature\n1,"c(""TP53"", ""MYC"")"\n2,"c(""TP53"", ""EGFR"", ""KRAS"")"\n3,c()\n',  # R
        "Fold\tGenes\n1\tTP53 MYC\n2\tTP53 EGFR KRAS\n3\t\n",
        "1: TP53, MYC\n2: TP53, EGFR, KRAS\n",
        "1: TP53 MYC\n2: TP53 EGFR KRAS\n",
    ],
)
def test_lists_as_programs_and_people_write_them_into_cells(tmp_path, text):
    path = tmp_path / ("lists.tsv" if "\t" in text else "lists.txt" if ": " in text else "lists.csv")
    path.write_text(text, encoding="utf-8")
    runs = Selections.read(path, n_features=50)
    assert [set(names) for names in runs.sets()][:2] == [{"TP53", "MYC"}, {"TP53", "EGFR", "KRAS"}]
    assert list(runs.labels) == ["1", "2", "3"][: runs.n_runs]


def test_seed_and_fold_name_a_run_together(tmp_path):
    path = tmp_path / "lists.csv"
    path.write_text(
        "seed,fold,genes,auc\n1,1,TP53;MYC,0.71\n1,2,TP53;EGFR,0.82\n2,1,TP53;KRAS,0.73\n", encoding="utf-8"
    )
    runs = Selections.read(path, n_features=50)
    assert runs.labels == ("1 1", "1 2", "2 1")
    assert runs.sizes.tolist() == [2, 2, 2]
    assert {"runs named by 'seed', 'fold'", "not used: 'auc'"} <= set(runs.notes)


@pytest.mark.parametrize(
    ("text", "sizes"),
    [
        ("run,feature\n1,HLA-A;HLA-B\n1,HLA-C\n2,HLA-A;HLA-C\n2,HLA-B\n", [2, 2]),  # probes of several genes
        ("run\tfeature\n1\tTP53|7157\n2\tTP53|7157\n3\tMYC|4609\n", [1, 1, 1]),  # names of TCGA
        ('run,feature\n1,(Intercept)\n2,"poly(x, 2)"\n3,"poly(x, 3)"\n', [1, 1, 1]),  # terms of R
        ("run,feature\n1,5'-UTR;x\n2,x;y\n", [2, 2]),
    ],
)
def test_names_that_hold_separators_stay_whole(tmp_path, text, sizes):
    path = tmp_path / "runs.csv"
    path.write_text(text, encoding="utf-8")
    assert Selections.read(path, n_features=50).sizes.tolist() == sizes


def test_columns_of_names_with_separators_are_not_taken_for_lists_and_labels_of_runs(tmp_path):
    path = tmp_path / "lists.csv"
    path.write_text("lasso,forest\nP1;P2,P3\nP2;P4,P1;P2\nP5,P6\n", encoding="utf-8")
    runs = Selections.read(path, n_features=50)
    assert runs.labels == ("lasso", "forest")
    assert runs.sizes.tolist() == [3, 3]
    path.write_text("lasso,forest\nIL2 A,IL6 B\nIL6 A,IL2 A\nIL6 B,MYC A\n", encoding="utf-8")
    with pytest.raises(InputError, match=r"may be lists in columns .* or in rows"):
        Selections.read(path, n_features=50)


def test_a_single_identifier_of_digits_is_a_list_of_one_beside_longer_lists(tmp_path):
    path = tmp_path / "lists.csv"
    path.write_text("fold,selected genes\na,7157\nb,7188\nc,7157;7188\nd,7157;7219\n", encoding="utf-8")
    runs = Selections.read(path, n_features=50)
    assert runs.labels == ("a", "b", "c", "d")
    assert runs.sizes.tolist() == [1, 1, 2, 2]
