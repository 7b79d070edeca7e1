"""A section of a result is one record: every format shows it, in one order."""

import io
import json
import re

import pytest
from pypdf import PdfReader

import steadyset as st
from steadyset.findings import sections
from steadyset.findings.other_tables import shortened
from steadyset.findings.sections import Bullets, Section, Text
from steadyset.findings.tables import column, table_of
from steadyset.reports import document_of

RUNS = st.Selections.from_sets([["a", "b"], ["a", "b"], ["a", "c"]] * 4, features=list("abcdef"))
SAID = "Half of it was found again."


@pytest.fixture
def found():
    return st.findings_of({"one": RUNS, "two": RUNS})


def replication(found):
    yield Text((SAID,))
    yield Text(("An explanation.",), small=True)
    yield Bullets(("first study", "second study"))


def test_one_record_is_a_section_in_every_format(found, monkeypatch, tmp_path):
    record = Section("replication", "Replication", replication, needs=("summary",), brief="Replication in short")
    monkeypatch.setattr(sections, "SECTIONS", (*sections.SECTIONS, record))
    html, markdown = (st.report(found, tmp_path / f"r.{form}").read_text(encoding="utf-8") for form in ("html", "md"))
    assert '<section id="replication">\n<h2>Replication</h2>' in html
    assert f"<p>{SAID}</p>" in html
    assert f"## Replication\n\n{SAID}\n\nAn explanation.\n\n- first study\n- second study" in markdown
    pdf = PdfReader(io.BytesIO(st.report(found, tmp_path / "r.pdf").read_bytes()))
    assert "Replication" in [one.title for one in pdf.outline]
    told = {one["name"]: one for one in json.loads(found.to_json())["sections"]}
    assert told["replication"] == {
        "name": "replication",
        "title": "Replication",
        "parts": ["summary"],
        "sentences": [SAID, "first study", "second study"],
    }
    assert f"Replication in short:\n  {SAID}\n  first study" in str(found)
    assert "Replication in short" in found._repr_html_()
    assert "An explanation" not in str(found)


def test_a_section_is_left_out_where_what_it_needs_is_empty(found, monkeypatch):
    record = Section("replication", "Replication", replication, needs=("front",), brief="Replication")
    monkeypatch.setattr(sections, "SECTIONS", (*sections.SECTIONS, record))
    assert "replication" not in [part.name for part in document_of(found)]
    assert "Replication" not in str(found)


def test_all_formats_have_the_sections_in_the_same_order(found, tmp_path):
    html, markdown = (st.report(found, tmp_path / f"r.{form}").read_text(encoding="utf-8") for form in ("html", "md"))
    parts = [part for part in document_of(found) if part.title and not part.is_drawn]
    titles = [part.title for part in parts]
    assert [line.removeprefix("## ") for line in markdown.splitlines() if line.startswith("## ")] == titles
    places = [re.search(rf'<(?:section|details) id="{part.name}">', html).start() for part in parts]
    assert places == sorted(places)
    assert [one["title"] for one in found.to_dict()["sections"] if one["title"]] == titles


def test_needs_are_parts_of_findings(found):
    assert all(hasattr(found, part) for section in sections.SECTIONS for part in section.needs)
    names = [section.name for section in sections.SECTIONS]
    assert len(set(names)) == len(names)


def test_findings_of_measures_have_a_report(tmp_path):
    from steadyset.findings import of_measures

    rows = [{"measure": "jaccard", "estimate": 0.5, "note": ""}]
    written = st.report(of_measures([("one", rows)], None), tmp_path / "r.md").read_text(encoding="utf-8")
    assert "## Stability by many measures" in written
    assert "jaccard" in written


def test_a_terminal_counts_the_rows_that_it_leaves_out():
    table = table_of("names", "Names", [column("name", "name", of=lambda one: (one,))], ["a", "b", "c"])
    assert [shortened(table, "Names", most).more for most in (None, 2, 1)] == ["", "1 more row.", "2 more rows."]
