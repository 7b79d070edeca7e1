"""A file is opened once and recognised once, whatever it holds and whoever reads it."""

from __future__ import annotations

import os
import sys

import pytest

import steadyset as st
from steadyset.io.formats import csv_files

CONTENTS = {
    "data.csv": "a,b,y\n1,2,u\n2,1,v\n3,1,u\n4,2,v\n",
    "decimal.csv": "a;b;y\n1,5;2,5;u\n2;1,25;v\n3;1,5;u\n4;2,5;v\n",
    "long.csv": "run,feature\n1,a\n1,b\n2,a\n2,c\n",
    "wide.csv": "a,b,c\n1,0,1\n1,1,0\n0,1,1\n1,1,1\n",
    "lists.csv": "TP53,MYC,EGFR\nMYC,TP53\nEGFR,MYC\nTP53\n",
    "lists.gmt": "one\tabout\tTP53\tMYC\ntwo\tabout\tMYC\n",
    "lists.json": '[["TP53", "MYC"], ["MYC"]]',
}
WATCHED: set[str] = set()  # hooks stay until the process ends, so there is one for all tests
OPENED: list[str] = []


def _noted(event, arguments):
    if WATCHED and event == "open" and isinstance(arguments[0], str | bytes | os.PathLike):
        name = os.fsdecode(arguments[0])
        if name in WATCHED:
            OPENED.append(name)


@pytest.fixture(scope="module", autouse=True)
def hook():
    sys.addaudithook(_noted)


@pytest.fixture
def watched(tmp_path, monkeypatch):
    """Writes a file whose openings and recognitions are counted."""
    recognised: list[str] = []
    recognise = csv_files._recognised
    monkeypatch.setattr(csv_files, "_recognised", lambda *arguments: recognised.append("") or recognise(*arguments))

    def write(name):
        path = tmp_path / name
        path.write_text(CONTENTS[name], encoding="utf-8")
        OPENED.clear()
        WATCHED.clear()
        WATCHED.add(str(path))
        return path, lambda: (len(OPENED), len(recognised))

    yield write
    WATCHED.clear()


@pytest.mark.parametrize("name", ["data.csv", "decimal.csv"])
def test_data_are_opened_once_and_recognised_once(watched, name):
    path, counts = watched(name)
    assert st.load_data(path, "y").X.shape == (4, 2)
    assert counts() == (1, 1)


@pytest.mark.parametrize("name", [name for name in CONTENTS if name not in ("data.csv", "decimal.csv")])
def test_recorded_selections_are_opened_once_and_recognised_at_most_once(watched, name):
    path, counts = watched(name)
    assert st.Selections.read(path).n_runs >= 2
    assert counts() == (1, 0 if name.endswith("json") else 1)


@pytest.mark.parametrize("name", CONTENTS)
def test_what_was_inspected_is_not_opened_again(watched, name):
    path, counts = watched(name)
    found = st.inspect(path)
    if found.holds == "data":
        assert st.load_data(found, "y").X.shape == (4, 2)
    else:
        assert st.Selections.read(found).n_runs == found.n_rows
    assert counts() == (1, 0 if name.endswith("json") else 1)


@pytest.fixture
def parsed(monkeypatch):
    """How often Arrow parses a text."""
    from pyarrow import csv

    counted: list[int] = []
    parse = csv.read_csv
    monkeypatch.setattr(csv, "read_csv", lambda *a, **options: counted.append(1) or parse(*a, **options))
    return counted


def test_data_that_were_inspected_are_not_parsed_again(tmp_path, parsed):
    path = tmp_path / "data.csv"
    path.write_text(CONTENTS["data.csv"], encoding="utf-8")
    found = st.inspect(path)
    assert st.load_data(found, "y").X.tolist() == [[1, 2], [2, 1], [3, 1], [4, 2]]
    assert len(parsed) == 1


def test_a_wide_table_of_0_and_1_is_parsed_once_to_see_what_it_is_and_to_read_it(tmp_path, parsed):
    path = tmp_path / "wide.csv"
    path.write_text(CONTENTS["wide.csv"], encoding="utf-8")
    found = st.inspect(path)
    assert (found.holds, st.Selections.read(found).n_runs) == ("recorded selections", 4)
    assert len(parsed) == 1


def test_a_target_of_numbers_is_read_as_it_is_written_also_after_an_inspection(tmp_path):
    path = tmp_path / "codes.csv"
    path.write_text("a,code\n1.5,01\n2.5,02\n3.5,01\n4.5,02\n", encoding="utf-8")
    found = st.inspect(path)
    assert found.targets == {"code": 2}
    assert st.load_data(found, "code").y.tolist() == st.load_data(path, "code").y.tolist() == ["01", "02", "01", "02"]


def test_what_one_gets_of_an_inspected_table_with_many_columns_is_one_s_own(tmp_path):
    path = tmp_path / "many.csv"
    names = [f"g{i}" for i in range(1_200)]
    rows = [",".join([*map(str, range(i, i + 1_200)), state]) for i, state in enumerate("uvuv")]
    path.write_text("\n".join([",".join([*names, "y"]), *rows]), encoding="utf-8")
    found = st.inspect(path)
    first = st.load_data(found, "y")
    first.X[:] = -1
    assert st.load_data(found, "y").X[0, :3].tolist() == [0, 1, 2]


def test_the_page_opens_an_upload_once_from_its_first_look_to_the_order(watched):
    from steadyset.serve.sandboxed import checked, understood

    path, counts = watched("data.csv")
    for reading in ({}, {"target": "y"}):
        told = understood(str(path), reading, None)
        assert (told["candidates"], counts()[0]) == ({"b": 2, "y": 2}, 1)
    asked = {"selector": ["anova"], "resampling": "kfold:n_splits=2"}
    assert checked([str(path)], {"target": "y"}, asked) == {"runs": None}  # the resampling says how many
    assert counts() == (1, 1)


def test_an_upload_that_changes_is_read_again(watched):
    from steadyset.serve.sandboxed import understood

    path, _ = watched("data.csv")
    understood(str(path), {}, None)
    path.write_text(CONTENTS["data.csv"].replace("y", "z"), encoding="utf-8")
    os.utime(path, ns=(1, 1))
    assert understood(str(path), {}, None)["candidates"] == {"b": 2, "z": 2}


@pytest.mark.parametrize(
    "content",
    [
        CONTENTS["data.csv"],
        "a;b;y;\n1,5;2,5;u;\n2;1,25;v;\n3;1,5;u;\n4;2,5;v;\n",  # rows end with a delimiter
        "A title\n\nx,y\n" + "".join(f"{i},{'uv'[i % 2]}\n" for i in range(9)),
        "a b y\n1 1 2 u\n2 2 3 v\n3 4 5 u\n4 6 7 v\n",  # as R writes it
    ],
)
def test_the_page_shows_the_first_cells_of_a_table_without_reading_all_of_them_again(tmp_path, monkeypatch, content):
    from steadyset.io.formats.tables import read_sheet
    from steadyset.serve import sandboxed

    path = tmp_path / "data.txt"
    path.write_text(content, encoding="utf-8")
    header, *body = read_sheet(path).rows
    monkeypatch.setattr(sandboxed, "read_sheet", lambda *_, **__: pytest.fail("all cells are read again"))
    told = sandboxed.understood(str(path), {}, None)
    shown, candidates = told["preview"], list(told["candidates"])
    assert candidates
    names = [*candidates, *(name for name in header if name not in candidates)]  # what may be the target is ahead
    rows = [[row[header.index(name)] for name in names] for row in body[:6]]
    assert (shown["header"], shown["body"], shown["n_rows"]) == (names, rows, len(body))
    assert (shown["columns"], shown["n_columns"]) == (header, len(header))
