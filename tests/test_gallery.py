"""The gallery: every picture that there is, drawn small enough to be kept."""

import pytest
from tests.documentation import DOCS, script

from steadyset.plots import catalogue

NAMES = sorted(path.stem for path in (DOCS / "gallery").glob("*.svg"))


@pytest.fixture(scope="module")
def make():
    return script("make_gallery")


def test_the_gallery_shows_pictures_that_there_are():
    assert len(NAMES) > 15
    assert set(NAMES) <= set(catalogue.PICTURES)


def test_the_page_says_what_the_pictures_say(make):
    assert (DOCS / "gallery" / "README.md").read_text(encoding="utf-8") == make.page(NAMES)


def test_the_pictures_are_small_and_ask_nothing_of_other_places(make):
    drawn = [(DOCS / "gallery" / f"{name}.svg").read_text(encoding="utf-8") for name in NAMES]
    assert all(text.startswith("<svg") for text in drawn)
    assert max(map(len, drawn)) <= make.MOST_BYTES
    assert sum(map(len, drawn)) <= 2_000_000
    assert not [text for text in drawn if "href=" in text or "<script" in text]


def test_examples_are_those_of_registered_pictures(make):
    assert set(make.EXAMPLES) <= set(NAMES)
