"""The report as PDF: text stays text in any alphabet, pictures stay vectors, fonts are inside, pages are numbered."""

import io
import re

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as some
from pypdf import PdfReader

import steadyset as st
from steadyset.findings.sections import Text
from steadyset.foundation.text import shown_name
from steadyset.plots.drawing import text_width, wrapped
from steadyset.reports import document_of

HOSTILE = [
    "<script>alert(1)</script>",
    "]]>&amp;{{7*7}}",
    "جين",
    "基因",
    "a\x00\x1bb\ufffe",
    "n" * 300,
    "\U0001f9ec",
    "é Ω Я",
]


@pytest.fixture(scope="module")
def found():
    random = np.random.default_rng(0)
    names = [*HOSTILE, *(f"gene {i}" for i in range(12))]
    runs = {
        name: st.Selections.from_matrix((random.random((12, len(names))) < share).astype(int), features=names)
        for name, share in (("<b>one</b>", 0.6), ("two", 0.2))
    }
    return st.findings_of(runs)


@pytest.fixture(scope="module")
def pdf(found, tmp_path_factory):
    path = st.report(found, tmp_path_factory.mktemp("pdf") / "report.pdf")
    return PdfReader(io.BytesIO(path.read_bytes()))


@pytest.fixture(scope="module")
def texts(pdf):
    """The text of each page, which takes a second to read."""
    return [page.extract_text() for page in pdf.pages]


def letters(text):
    return re.sub(r"\s", "", text)


def test_the_words_of_the_report_are_text(found, texts):
    text = re.sub(r"steadyset[\d.]+,\d{4}-\d\d-\d\dpage\d+of\d+", "", letters("".join(texts)))
    said = [block for part in document_of(found) for block in part.blocks if isinstance(block, Text)]
    assert len(said) > 5
    for block in said:
        assert letters(shown_name(str(block))) in text


def test_names_stay_text(pdf, texts):
    text = letters("".join(texts))
    for name in ("<script>alert(1)</script>", "]]>&amp;{{7*7}}", "<b>one</b>", "a\\x00\\x1bb\\ufffe", "éΩЯ"):
        assert name in text
    assert "/JavaScript" not in str(pdf.trailer["/Root"])


def test_every_page_is_a4_has_its_number_and_its_fonts(pdf, texts):
    for number, (page, text) in enumerate(zip(pdf.pages, texts, strict=True), start=1):
        assert [float(side) for side in page.mediabox] == [0, 0, 595, 842]
        assert f"page {number} of {len(pdf.pages)}" in text
        for font in page["/Resources"].get("/Font", {}).values():
            inner = font.get_object()["/DescendantFonts"][0].get_object()["/FontDescriptor"].get_object()
            assert {"/FontFile2", "/FontFile3"} & set(inner)


def test_pictures_are_vectors_and_headings_are_in_the_outline(found, pdf):
    assert not any(page.images for page in pdf.pages)
    titles = [one.title for one in pdf.outline]
    shown = [record.title for record in st.plot.pictures_for(found)]
    assert shown
    assert set(shown) <= set(titles)
    assert titles[-1] == "Settings"


@given(some.text(max_size=80), some.floats(20, 200), some.booleans())
def test_lines_are_no_wider_than_they_may_be_and_lose_no_letter(text, width, bold):
    lines = wrapped(text, width, 8, bold=bold)
    assert letters("".join(lines)) == letters(text)
    assert all(text_width(line, 8, bold=bold) <= width + 1e-3 for line in lines)
