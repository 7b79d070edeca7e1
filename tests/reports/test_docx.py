"""The report as a Word document: parts that fit each other, words as text, pictures within."""

import io
import re
import zipfile
from xml.etree import ElementTree

import pytest

import steadyset as st
from steadyset.findings.box import box_of
from steadyset.reports import PAPER
from steadyset.reports.docx import WORD, docx_of

HOSTILE = "<b>&\x00\x1b]]>"
RUNS = st.Selections.from_sets([[0, 1], [0, 1], [0, 2]] * 4, features=[HOSTILE, "CD33", "MYC", "TP53"])


@pytest.fixture(scope="module")
def archive(tmp_path_factory):
    path = st.report(RUNS, tmp_path_factory.mktemp("docx") / "report.docx")
    return zipfile.ZipFile(io.BytesIO(path.read_bytes()))


def words(archive):
    return "".join(
        one.text or "" for one in ElementTree.fromstring(archive.read("word/document.xml")).iter(f"{{{WORD}}}t")
    )


def test_every_relation_leads_to_a_part_and_every_picture_is_used(archive):
    names = set(archive.namelist())
    assert archive.testzip() is None
    links = ElementTree.fromstring(archive.read("word/_rels/document.xml.rels"))
    targets = {one.get("Id"): f"word/{one.get('Target')}" for one in links}
    assert set(targets.values()) <= names
    used = re.findall(r'r:embed="(rId\d+)"', archive.read("word/document.xml").decode())
    assert used
    assert {targets[one] for one in used} == {name for name in names if name.startswith("word/media/")}
    assert all(archive.read(targets[one]).startswith(b"\x89PNG") for one in used)


def test_the_answer_comes_first_and_names_stay_text(archive):
    text = words(archive)
    headline = box_of(st.findings_of(RUNS)).headline
    assert text.index(headline.replace("\x00", "\\x00").replace("\x1b", "\\x1b")) < text.index("The list")
    assert "<b>&\\x00\\x1b]]>" in text


def test_the_paragraphs_for_a_paper_are_a_document_of_their_own():
    found = st.findings_of(RUNS)
    text = words(zipfile.ZipFile(io.BytesIO(docx_of(found, PAPER))))
    assert found.methods.results_text() in text
    assert all(one in text for one in found.methods.texts())
    assert "The list" not in text
