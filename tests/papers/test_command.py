"""`python -m papers`: lists, runs, compares with the record, resumes, and writes a page."""

import json
import os
import signal

import pytest

from papers.__main__ import main
from papers.framework import chosen_items, item, register_paper, unregister_paper

PAPER = "example-2026"
ITEM = {"title": "A table", "digits": 2, "cells": [{"row": str(i), "column": "x", "value": i} for i in range(3)]}


@pytest.fixture
def example(tmp_path, monkeypatch):
    """A paper with three cells, which `ours` computes."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    monkeypatch.delenv("STEADYSET_DATA", raising=False)
    register_paper(PAPER, {"paper": "An example", "reference": "", "items": {f"table-{i}": ITEM for i in (1, 2, 3)}})
    ours = {i: i for i in range(3)}

    @item(PAPER, "table-1")
    def table_1(run):
        for cell in run.published.cells:
            yield run.row(cell, run.kept(cell.row, lambda cell=cell: ours[int(cell.row)]))

    @item(PAPER, "table-2", data=("nowhere",), full_seconds=7200)
    def table_2(run):
        for cell in run.published.cells:
            yield run.row(cell, len(run.data("nowhere").X))

    yield ours
    unregister_paper(PAPER)


def test_without_a_name_everything_is_listed(example, capsys):
    assert main(["--format", "json"]) == 0
    rows = [row for row in json.loads(capsys.readouterr().out) if row["paper"] == PAPER]
    assert [row["item"] for row in rows] == ["table-1", "table-2"]
    assert (rows[1]["data"], rows[1]["time"]) == (["nowhere"], "1 s, full: 2 h 0 min")


def test_verdicts_as_recorded_end_with_0(example, capsys):
    assert main([f"{PAPER}/table-1"]) == 0
    assert "3 reproduced." in capsys.readouterr().out


def test_a_verdict_that_is_not_the_recorded_one_ends_with_1(example, capsys):
    example[1] = 1.1
    assert main([f"{PAPER}/table-1"]) == 1
    told = capsys.readouterr()
    assert "2 reproduced and 1 refuted." in told.out
    assert told.err == f"{PAPER}/table-1, 1, x: refuted, but recorded is reproduced.\n"


def test_missing_data_are_told_and_do_not_fail(example, capsys):
    assert main([f"{PAPER}/table-2"]) == 0
    out = capsys.readouterr().out
    assert "It needs the data of nowhere, which is not here." in out
    assert "3 data missing." in out
    assert "--data DIR names a folder with the data of nowhere, --download fetches what OpenML has." in out


@pytest.mark.parametrize(
    ("name", "sentence"),
    [
        ("example-2062", "did you mean 'example-2026'?"),
        ("tabel-4.1", "did you mean 'table-4.1'?"),
        ("nogueira-2018/table-4.11", "did you mean 'nogueira-2018/table-4.1'?"),
        ("xyz", "`python -m papers` lists them."),
        ("table-1", "'table-1' occurs in several papers; choose"),
    ],
)
def test_unknown_names_suggest(example, capsys, name, sentence):
    assert main([name]) == 2
    assert sentence in capsys.readouterr().err


def test_a_name_that_one_paper_has_needs_no_paper(example):
    assert [one.name for one in chosen_items(["theorem-2"])] == ["nogueira-brown-2016/theorem-2"]


def test_a_folder_that_does_not_exist_is_one_sentence(example, capsys):
    assert main([PAPER, "--data", "nowhere"]) == 2
    assert capsys.readouterr().err == (
        "papers: There is no folder nowhere; --data must name the folder with the data sets.\n"
    )


@pytest.mark.posix
def test_ctrl_c_keeps_what_is_finished_and_resume_continues(example, capsys, monkeypatch):
    class Interrupting(dict):
        asked = 0

        def __getitem__(self, key):
            self.asked += 1
            return super().__getitem__(key)

    values = Interrupting(example)
    interrupted = []

    @item(PAPER, "table-3")
    def table_3(run):
        for cell in run.published.cells:
            yield run.row(cell, run.kept(cell.row, lambda cell=cell: values[int(cell.row)]))
            if cell.row == "1" and not interrupted:
                interrupted.append(True)
                os.kill(os.getpid(), signal.SIGINT)

    command = [f"{PAPER}/table-3"]
    assert main(command) == 128 + signal.SIGINT
    kept = "what is finished is in reproduction, and the same command with --resume continues."
    assert kept in capsys.readouterr().err
    assert main([*command, "--resume"]) == 0
    assert values.asked == 3


def test_the_page_holds_new_and_earlier_results(example, tmp_path):
    page = tmp_path / "page.md"
    assert main([f"{PAPER}/table-1", "--summary", str(page)]) == 0
    assert main([f"{PAPER}/table-2", "--summary", str(page)]) == 0
    text = page.read_text(encoding="utf-8")
    assert "### Table 1: A table" in text
    assert "| 0 | 0.00 / 0.0000 |" in text
    assert "- Data missing: all cells. It needs the data of nowhere, which is not here." in text


def test_programs_get_every_comparison(example, capsys):
    assert main([f"{PAPER}/table-1", "--format", "json"]) == 0
    rows = json.loads(capsys.readouterr().out)
    assert [(row["item"], row["published"], row["verdict"]) for row in rows] == [
        (f"{PAPER}/table-1", f"{i}.00", "reproduced") for i in range(3)
    ]
