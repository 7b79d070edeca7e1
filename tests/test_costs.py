"""tests/README.md has a row for every folder, and its numbers come from the results of a run."""

from tests.costs import README, Cost, costs, folders, row_of, with_costs

RESULTS = """<testsuites><testsuite>
<testcase classname="tests.io.test_sheets" name="test_a"><properties>
<property name="seconds" value="1.25"/><property name="slow" value="False"/></properties></testcase>
<testcase classname="tests.io.test_sheets" name="test_b[1]"><properties>
<property name="seconds" value="2.5"/><property name="slow" value="True"/></properties></testcase>
<testcase classname="tests.test_docs" name="test_c"/>
<testcase classname="src.steadyset.selections" name="steadyset.selections.Selections"/>
</testsuite></testsuites>"""


def test_every_folder_has_a_row_that_says_what_it_protects():
    rows = [line.strip("|").split("|") for line in README.read_text(encoding="utf-8").splitlines() if line[:3] == "| `"]
    assert [cells[0].strip() for cells in rows] == folders()
    assert all(cells[1].strip() for cells in rows)


def test_results_are_counted_by_folder(tmp_path):
    (tmp_path / "results.xml").write_text(RESULTS, encoding="utf-8")
    found = costs([tmp_path / "results.xml"])
    assert found == {"`io/`": Cost(1, 1.25, 1, 2.5), "`test_*.py`": Cost(1), "`src/`": Cost(1)}
    written = with_costs("| `io/` | files | 9 | 9 | 9 | 9 |\n| all | | 0 | 0 | 0 | 0 |\n", found)
    assert written == "| `io/` | files | 1 | 1 | 1 | 2 |\n| all |  | 3 | 1 | 1 | 2 |\n"


def test_rows_are_named_after_folders():
    assert row_of("tests.selectors.models.test_every_model") == "`selectors/`"
