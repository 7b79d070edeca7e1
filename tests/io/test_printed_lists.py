"""Lists in cells and lines, as programs print them."""

import csv

import pytest

from steadyset.foundation.errors import InputError
from steadyset.selections import Selections

PRINTED = {  # what print() and deparse() give for the lists TP53 MYC; TP53; none; KRAS MYC
    "python": ["['TP53', 'MYC']", "['TP53']", "[]", "['KRAS', 'MYC']"],
    "python, missing": ["['TP53', 'MYC']", "['TP53']", "None", "['KRAS', 'MYC']"],
    "tuples": ["('TP53', 'MYC')", "('TP53',)", "()", "('KRAS', 'MYC')"],
    "sets": ["{'MYC', 'TP53'}", "{'TP53'}", "set()", "{'KRAS', 'MYC'}"],
    "frozen sets": ["frozenset({'MYC', 'TP53'})", "frozenset({'TP53'})", "frozenset()", "frozenset({'KRAS', 'MYC'})"],
    "numpy": ["['TP53' 'MYC']", "['TP53']", "[]", "['KRAS' 'MYC']"],
    "numpy, repr": [
        "array(['TP53', 'MYC'], dtype='<U4')",
        "array(['TP53'], dtype='<U4')",
        "array([], dtype=object)",
        "array(['KRAS', 'MYC'], dtype=object)",
    ],
    "numpy, names": [
        "[np.str_('TP53'), np.str_('MYC')]",
        "[np.str_('TP53')]",
        "[]",
        "[np.str_('KRAS'), np.str_('MYC')]",
    ],
    "pandas": [
        "Index(['TP53', 'MYC'], dtype='object')",
        "Index(['TP53'], dtype='object', name='gene')",
        "Index([], dtype='object')",
        "Index(['KRAS', 'MYC'], dtype='str', name='gene', length=2)",
    ],
    "json": ['["TP53", "MYC"]', '["TP53"]', "[]", '["KRAS", "MYC"]'],
    "R": ['c("TP53", "MYC")', "TP53", "character(0)", 'c("KRAS", "MYC")'],
    "R, null": ['c("TP53", "MYC")', "TP53", "NULL", 'c("KRAS", "MYC")'],
    "by hand": ["['TP53', MYC]", "['TP53']", "[]", "[KRAS, 'MYC']"],
}


@pytest.mark.parametrize("cells", PRINTED.values(), ids=PRINTED)
def test_lists_are_read_as_programs_print_them(tmp_path, cells):
    path = tmp_path / "lists.csv"
    with path.open("w", newline="", encoding="utf-8") as file:
        csv.writer(file).writerows([["fold", "genes"], *enumerate(cells, 1)])
    runs = Selections.read(path, n_features=50)
    assert runs.sets() == [{"TP53", "MYC"}, {"TP53"}, set(), {"KRAS", "MYC"}]
    assert runs.labels == ("1", "2", "3", "4")
    assert "each cell of 'genes' is a list: names in brackets" in runs.notes


@pytest.mark.parametrize(
    ("cells", "sets"),
    [
        (["[1 5 7]", "[ 1 12  9]"], [{"1", "5", "7"}, {"1", "12", "9"}]),  # numpy
        (["c(1, 5)", "2:4", "7"], [{"1", "5"}, {"2", "3", "4"}, {"7"}]),  # R
        (["[1, 5]", "[7]"], [{"1", "5"}, {"7"}]),
    ],
)
def test_numbers_are_read_as_programs_print_them(tmp_path, cells, sets):
    path = tmp_path / "lists.csv"
    with path.open("w", newline="", encoding="utf-8") as file:
        csv.writer(file).writerows([["fold", "places"], *enumerate(cells, 1), ["last", "[1, 5]"]])
    assert Selections.read(path, n_features=50).sets()[:-1] == sets


@pytest.mark.parametrize(
    "lines",
    [
        ["['TP53', 'MYC']", "['TP53', 'EGFR', 'KRAS']"],
        ['c("TP53", "MYC")', 'c("TP53", "EGFR", "KRAS")'],
        ["{TP53, MYC}", "{TP53, EGFR, KRAS}"],
        ["lasso: ['TP53', 'MYC']", "forest: ['TP53', 'EGFR', 'KRAS']"],
    ],
)
def test_lines_are_printed_lists(tmp_path, lines):
    path = tmp_path / "lists.txt"
    path.write_text("\n".join(lines), encoding="utf-8")
    runs = Selections.read(path, n_features=50)
    assert runs.sets() == [{"TP53", "MYC"}, {"TP53", "EGFR", "KRAS"}]
    assert runs.labels == (("lasso", "forest") if ": " in lines[0] else None)


@pytest.mark.parametrize(
    ("cells", "sentence"),
    [
        (["['a', 'b', ...]", "['a', 'c', ...]"], "holds a list that was cut short when it was printed"),
        (["['a' 'b' ... 'z']", "['a' 'c' ... 'z']"], "holds a list that was cut short when it was printed"),
        (["{'a': 'up'}", "{'a': 'down'}"], "looks like a printed list, but it is not one of names"),
        (['c("a", NA)', 'c("a", "b")'], "looks like a printed list, but it is not one of names"),
        (["[['a', 'b'], ['c']]", "[['a'], ['c']]"], "looks like a printed list, but it is not one of names"),
    ],
)
def test_what_is_printed_but_no_whole_list_of_names_is_refused(tmp_path, cells, sentence):
    path = tmp_path / "lists.csv"
    with path.open("w", newline="", encoding="utf-8") as file:
        csv.writer(file).writerows([["fold", "genes"], *enumerate(cells, 1)])
    with pytest.raises(InputError, match=sentence):
        Selections.read(path, n_features=50)
