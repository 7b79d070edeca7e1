"""What papers print: every file is well formed, every item has its numbers, and mistakes are told with their place."""

import json
from pathlib import Path

import pytest

from papers.framework import all_items, all_papers, chosen_items, item, load_paper, register_paper, unregister_paper
from papers.framework.published_numbers import FOLDER, PublishedItem, paper_of, read_paper
from papers.framework.summary import DIGESTS, digests_of
from papers.framework.verdicts import Verdict
from steadyset import InputError
from steadyset.findings.citations import cited

PAGE = Path(__file__).parents[2] / "docs" / "reproduction"
ITEM = {"title": "A table", "digits": 2, "cells": [{"row": "a", "column": "b", "value": 0.5}]}


def with_item(**parts):
    return {"paper": "An example", "items": {"table-1": ITEM | parts}}


def test_every_published_item_is_reproduced_and_every_reproduction_has_its_numbers():
    printed = {f"{paper.name}/{name}" for paper in map(read_paper, FOLDER.glob("*.json")) for name in paper.items}
    assert printed == {one.name for one in all_items() if (FOLDER / f"{one.paper}.json").exists()}


def test_no_result_on_the_page_expects_a_verdict_that_nobody_computed():
    kept = [json.loads(file.read_text(encoding="utf-8")) for file in PAGE.glob("*.json")]
    assert kept
    told = [(one["item"], row["what"]) for one in kept for row in one["rows"] if never_computed(row)]
    assert told == []


def test_the_page_has_a_row_for_everything_that_is_published_now():
    for one in [each for each in all_items() if (FOLDER / f"{each.paper}.json").exists()]:
        for file in (PAGE / f"{one.paper}-{one.item}-{version}.json" for version in one.versions()):
            if file.exists() or file.name.endswith("-fast.json"):
                rows = json.loads(file.read_text(encoding="utf-8"))["rows"]
                assert {row["what"] for row in rows} == {part.what for part in one.published.parts()}, file.name


def test_results_that_took_hours_are_those_that_were_computed():
    digests = (PAGE / DIGESTS).read_text(encoding="utf-8")
    assert digests.count("\n") == len(list(PAGE.glob("*-full.json"))) + len(list(PAGE.glob("*-large.json"))) > 10
    assert digests == digests_of(PAGE)


def never_computed(row):
    return not Verdict(row["verdict"]).decided and Verdict(row["expected"]).decided


def test_every_paper_cites_a_reference_that_the_list_has():
    for paper in all_papers().values():
        assert cited(paper.reference), paper.name


def test_a_cell_may_have_its_own_digits_and_words_have_none():
    cells = [
        {"row": "a", "column": "b", "value": 0.5},
        {"row": "a", "column": "c", "value": 3, "digits": 0},
        {"row": "a", "column": "d", "value": "yes"},
    ]
    found = paper_of("example", with_item(cells=cells), "example").items["table-1"]
    assert isinstance(found, PublishedItem)
    assert [cell.text for cell in found.cells] == ["0.50", "3", "yes"]
    assert [cell.digits for cell in found.cells] == [2, 0, None]


@pytest.mark.parametrize(
    ("contents", "sentence"),
    [
        ([], "example must be an object with names"),
        ({"items": {}}, "example lacks paper"),
        ({"paper": "x", "items": {}, "tables": 1}, "unknown key 'tables'; known are items, left_out, paper, reference"),
        (with_item(cells=[]), "table-1 has neither cells nor claims"),
        (with_item(cells=5), "table-1: cells must be a list (got 5)"),
        (with_item(cells=[{"row": "a", "column": "b"}]), "cell 1 lacks value"),
        (with_item(cells=[{"row": "a", "column": "b", "value": None}]), "value must be a number or a text (got None)"),
        (with_item(cells=[{"row": "a", "column": "b", "value": True}]), "value must be a number or a text (got True)"),
        (with_item(cells=ITEM["cells"] * 2), "the cell 'a / b' occurs twice"),
        (with_item(digits=-1), "digits must be a whole number of at least 0 (got -1)"),
        (with_item(page="iv"), "page must be a whole number of at least 0 (got 'iv')"),
        (with_item(claims=[{"claim": "x"}]), "claim 1 lacks text"),
        (with_item(expected=[{"row": "z", "verdict": "refuted", "reason": "x"}]), "expected 1 fits no cell"),
        (with_item(expected=[{"verdict": "wrong", "reason": "x"}]), "verdict must be one of reproduced"),
        (with_item(expected=[{"verdict": "refuted"}]), "expected 1 lacks reason"),
        (with_item(expected=[{"verdict": "refuted", "reason": "x", "version": "slow"}]), "must be fast, large or full"),
    ],
)
def test_what_is_not_well_formed_is_told_with_its_place(contents, sentence):
    with pytest.raises(InputError) as error:
        paper_of("example", contents, "example")
    assert sentence in str(error.value)


@pytest.mark.parametrize(
    ("text", "sentence"),
    [("{", "is not well-formed JSON"), ('{"paper": "a", "paper": "b"}', "The key 'paper' occurs twice")],
)
def test_a_file_that_is_not_json_is_named(tmp_path, text, sentence):
    file = tmp_path / "broken.json"
    file.write_text(text, encoding="utf-8")
    with pytest.raises(InputError, match=sentence) as error:
        read_paper(file)
    assert str(file) in str(error.value)


def test_a_paper_of_your_own_is_one_file_and_its_json(tmp_path):
    (tmp_path / "mine-2026.json").write_text(json.dumps(with_item()), encoding="utf-8")
    (tmp_path / "mine.py").write_text(
        "from papers.framework import item\n\n"
        "@item('mine-2026', 'table-1')\n"
        "def table_1(run):\n"
        "    yield run.row(run.published.cell('a', 'b'), 0.5)\n",
        encoding="utf-8",
    )
    try:
        assert [one.name for one in load_paper(tmp_path / "mine.py")] == ["mine-2026/table-1"]
        assert [one.name for one in chosen_items(["mine-2026"])] == ["mine-2026/table-1"]
    finally:
        unregister_paper("mine-2026")


def test_an_item_without_numbers_is_refused_and_names_are_taken_once():
    register_paper("example-2026", with_item())
    try:
        with pytest.raises(InputError, match="have no item called 'table-9'"):
            item("example-2026", "table-9")(lambda run: [])
        item("example-2026", "table-1")(lambda run: [])
        with pytest.raises(InputError, match="example-2026/table-1 is registered already"):
            item("example-2026", "table-1")(lambda run: [])
        with pytest.raises(InputError, match="A paper called 'example-2026' exists already"):
            register_paper("example-2026", with_item())
    finally:
        unregister_paper("example-2026")
