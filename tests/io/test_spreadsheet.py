"""Names that a spreadsheet would run as formulas: every csv that is written tells of them, or makes them text."""

import csv
import io
import shutil
import subprocess
import xml.etree.ElementTree as ET

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as some

import steadyset as st
from steadyset.io.formats.spreadsheet import FORMULA_STARTS, csv_text, is_formula, spreadsheet_safe

NAMES = [f"{start}1+1" for start in FORMULA_STARTS]
OFFICE = shutil.which("soffice")
FORMULA = "{urn:oasis:names:tc:opendocument:xmlns:table:1.0}formula"


@given(some.text(alphabet=some.sampled_from("'=+-@\t\r\n\0＝a1")))
def test_safe_text_is_no_formula_and_differs_in_an_apostrophe(text):
    safe = spreadsheet_safe(text)
    assert not is_formula(safe)
    assert safe in (text, f"'{text}")
    assert (safe == text) == (not is_formula(text.lstrip("'")))


def test_different_names_stay_different_when_they_are_made_safe():
    names = ["=a", "'=a", "''=a", "a", "'a"]
    assert [spreadsheet_safe(name) for name in names] == ["'=a", "''=a", "'''=a", "a", "'a"]


def test_numbers_are_never_made_text():
    assert csv_text([{"-x": -1.5, "y": float("nan"), "z": -2}], safe=True) == "'-x,y,z\n-1.5,,-2\n"


@pytest.mark.parametrize("layout", ["wide", "long"])
@pytest.mark.parametrize("ending", ["csv", "tsv", "csv.gz"])
def test_selections_for_a_spreadsheet_have_no_formula_in_any_cell(tmp_path, ending, layout):
    sel = st.Selections.from_sets([["=a", "b"], ["-c"]], features=["=a", "b", "-c", "'=a"], labels=["@1", "2"])
    path = tmp_path / f"runs.{ending}"
    sel.write(path, layout=layout, spreadsheet_safe=True)
    back = st.Selections.read(path)
    assert back.features == ("'=a", "b", "'-c", "''=a")
    assert back.labels == ("'@1", "2")
    assert back.counts.tolist() == sel.counts.tolist()


def test_writing_selections_warns_of_formulas_and_keeps_the_names(tmp_path):
    sel = st.Selections.from_sets([["=a", "b"], ["-c"]], features=["=a", "b", "-c"])
    with pytest.warns(UserWarning, match="2 names would be run as a formula by a spreadsheet, the first is '=a'"):
        sel.write(tmp_path / "runs.csv")
    assert st.Selections.read(tmp_path / "runs.csv") == sel
    sel.write(tmp_path / "runs.parquet")  # no spreadsheet runs what is in these
    sel.write(tmp_path / "runs.json")


def test_every_command_with_csv_output_can_write_it_for_a_spreadsheet():
    from steadyset.cli import COMMANDS
    from steadyset.options import options_of

    known = {name: options_of(name) for name in COMMANDS}
    writing = {name for name, options in known.items() if "format" in options and "csv" in options["format"].choices}
    assert {"assess", "tune", "measure", "compare", "measures", "certify"} <= writing
    assert {name for name, options in known.items() if "spreadsheet_safe" in options} == writing


@pytest.mark.skipif(OFFICE is None, reason="LibreOffice (soffice) is not installed")
def test_libreoffice_finds_no_formula_in_what_is_made_safe(tmp_path):
    for safe in (False, True):
        path = tmp_path / f"names{safe:d}.csv"
        path.write_text(csv_text([{"name": name} for name in NAMES], safe=safe), encoding="utf-8", newline="")
    profile = (tmp_path / "profile").as_uri()
    subprocess.run(
        [OFFICE, f"-env:UserInstallation={profile}", "--headless", "--convert-to", "fods", "names0.csv", "names1.csv"],
        cwd=tmp_path,
        check=True,
        capture_output=True,
        timeout=120,
    )
    assert [_formulas(tmp_path / f"names{safe}.fods") for safe in (0, 1)] == [["of:=1+1"], []]


def _formulas(path):
    return [cell.get(FORMULA) for cell in ET.parse(path).iter() if cell.get(FORMULA) is not None]


def test_csv_with_carriage_returns_and_quotes_is_read_back():
    names = ["a\rb", 'c,"d"\n', "e"]
    text = csv_text([{"name": name, "value": 1.5} for name in names])
    assert [row["name"] for row in csv.DictReader(io.StringIO(text, newline=""))] == names


def test_the_table_of_features_follows_the_options_of_the_command(tmp_path, capsys, monkeypatch):
    from steadyset.cli import run

    monkeypatch.chdir(tmp_path)
    rng = np.random.default_rng(0)
    values = rng.normal(size=(30, 4)).round(3)
    rows = [{"=a": a, "b": b, "-c": c, "d": d, "y": int(a + d > 0)} for a, b, c, d in values.tolist()]
    (tmp_path / "data.csv").write_text(csv_text(rows), encoding="utf-8")
    command = ["assess", "data.csv", "--target=y", "--selector=anova:k=2", "--runs=5", "--format=json", "--out"]
    assert run([*command, "plain"]) == 0
    assert "plain/features.csv: " in capsys.readouterr().err
    assert run([*command, "safe", "--spreadsheet-safe", "--core=0.2", "--level=0.5"]) == 0
    assert "formula" not in capsys.readouterr().err
    plain, safe = (pd.read_csv(f"{name}/features.csv").set_index("feature") for name in ("plain", "safe"))
    assert [spreadsheet_safe(name) for name in plain.index] == list(safe.index)
    assert list(safe["core"]) == [float(share >= 0.2) for share in safe["frequency"]]
    assert (safe["high"] <= plain["high"].to_numpy()).all()


def test_a_workbook_keeps_names_as_text_and_numbers_as_numbers():
    from io import BytesIO

    import openpyxl

    from steadyset.io.formats.spreadsheet import xlsx_bytes

    names = ["MARCH1", "=1+1", "SEPT-2", "<&\x01>", " a ", "007", "1e5"]
    rows = [{"feature": name, "share": i / 3, "n": i, "note": float("nan")} for i, name in enumerate(names)]
    sheet = openpyxl.load_workbook(BytesIO(xlsx_bytes(rows))).active
    read = [[cell.value for cell in row] for row in sheet.iter_rows()]
    assert read[0] == ["feature", "share", "n", "note"]
    assert [row[0] for row in read[1:]] == ["MARCH1", "=1+1", "SEPT-2", "<&\\x01>", " a ", "007", "1e5"]
    assert [row[1] for row in read[1:]] == [i / 3 for i in range(len(names))]
    assert all(cell.data_type != "f" for row in sheet.iter_rows() for cell in row[:1])
    assert xlsx_bytes(rows) == xlsx_bytes(rows)
