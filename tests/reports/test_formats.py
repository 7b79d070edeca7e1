"""The report as Markdown, JSON and a folder: the same findings, and the same tables."""

import csv
import json

import pytest

import steadyset as st

HOSTILE = ["=cmd()", "<b>bold</b>", "a|b", "plain"]
RUNS = st.Selections.from_sets([[0, 1], [0, 1], [0, 2]] * 3, features=HOSTILE)


def test_json_is_that_of_the_findings(tmp_path):
    path = st.report(RUNS, tmp_path / "report.json", core=0.6)
    assert json.loads(path.read_text(encoding="utf-8")) == st.findings_of(RUNS, core=0.6).to_dict()


def test_markdown_has_the_answer_and_the_tables_and_escapes_names(tmp_path):
    text = st.report(RUNS, tmp_path / "report.md").read_text(encoding="utf-8")
    assert st.findings_of(RUNS).answer[0] in text
    assert "| \\<b\\>bold\\</b\\> " in text
    assert "<b>" not in text
    first = ["## The list", "## How steady, in one number", "## Settings"]
    assert [line for line in text.splitlines() if line in first] == first


def test_a_folder_holds_every_picture_and_table(tmp_path):
    folder = st.report({"first": RUNS, "a/b": RUNS}, tmp_path / "paper", format="folder")
    files = {path.relative_to(folder).as_posix() for path in folder.rglob("*") if path.is_file()}
    assert {"report.html", "findings.json", "methods.md", "tables/summary.csv", "tables/features-1.csv"} <= files
    figures = {name for name in files if name.startswith("figures/")}
    assert {"figures/selection_frequencies.svg", "figures/runs_by_features-2-a_b.pdf"} <= figures
    assert {name[:-4] for name in figures if name.endswith(".svg")} == {n[:-4] for n in figures if n.endswith(".pdf")}
    with (folder / "tables/features-2.csv").open(encoding="utf-8") as lines:
        rows = list(csv.DictReader(lines))
    table = st.features_table(RUNS)
    assert [float(row["frequency"]) for row in rows] == table["frequency"].tolist()
    assert rows[0]["feature"] == "'=cmd()"


@pytest.mark.parametrize(
    ("path", "form", "sentence"),
    [
        ("full", "folder", "is not empty; choose another"),
        ("full/file.txt", "folder", "is a file"),
        ("page.md", "html", "ends like md, but format=.html. is asked for"),
        ("page.html", "pdf", "ends like html, but format=.pdf. is asked for"),
        ("page.html", "odt", "format must be"),
        ("page", None, "unknown ending; expected .html, .pdf, .docx, .md or .json"),
    ],
)
def test_what_cannot_be_written_is_one_sentence(path, form, sentence, tmp_path):
    (tmp_path / "full").mkdir()
    (tmp_path / "full/file.txt").write_text("", encoding="utf-8")
    with pytest.raises(st.InputError, match=sentence):
        st.report(RUNS, tmp_path / path, format=form)
