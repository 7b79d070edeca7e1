"""The examples of the documentation: each page runs as it stands, from top to bottom."""

import re
from pathlib import Path

import pytest

from steadyset.measures import record
from steadyset.plots import catalogue as pictures
from steadyset.selectors.filters import registry

ROOT = Path(__file__).parents[1]
BLOCK = re.compile(r"^```python\n(.*?)^```", re.DOTALL | re.MULTILINE)
SLOW = {
    "properties.md": {},
    "tuning.md": {"n_trials=200": "n_trials=2", "as_frame=True)\n": "as_frame=True)\nX, y = X[::8], y[::8]\n"},
}
PAGES = sorted(page for page in (ROOT / "README.md", *(ROOT / "docs").glob("*.md")) if BLOCK.search(page.read_text()))


@pytest.fixture(autouse=True)
def _forget_what_a_page_registers(monkeypatch, tmp_path, forgotten_registrations):
    monkeypatch.setattr(registry, "_filters", dict(registry._filters))
    monkeypatch.setattr(pictures, "_pictures", dict(pictures._pictures))
    monkeypatch.setattr(record, "_registry", dict(record._registry))
    monkeypatch.setattr(record, "_names", dict(record._names))
    monkeypatch.setattr(record, "_families", dict(record._families))
    monkeypatch.chdir(tmp_path)


def run(page, smaller):
    names = {}
    for block in BLOCK.findall(page.read_text()):
        for words, instead in smaller.items():
            block = block.replace(words, instead)
        exec(compile(block, page.name, "exec"), names)


@pytest.mark.parametrize("page", [page for page in PAGES if page.name not in SLOW], ids=lambda page: page.name)
def test_the_examples_of_a_page_run(page):
    run(page, {})


@pytest.mark.slow
@pytest.mark.parametrize("page", [page for page in PAGES if page.name in SLOW], ids=lambda page: page.name)
def test_the_examples_of_a_page_that_take_long_run(page):
    """Buys: the certificates of all measures, and a tuning, made smaller."""
    run(page, SLOW[page.name])


@pytest.mark.parametrize(
    ("words", "number"),
    [
        (r"(\d+) published measures", lambda: len(record.all_measures())),
        (r"(\d+) filters\b(?! x)", lambda: len(registry.list_filters())),
        (r"(\d+) pairwise and", lambda: _of_families("pairwise")),
        (r"and (\d+) frequency measures", lambda: _of_families("frequency", "patterns")),
    ],
)
def test_counts_in_words_are_those_of_the_catalogues(words, number):
    told = {
        (page.name, int(count))
        for page in (ROOT / "README.md", ROOT / "CHANGELOG.md", *(ROOT / "docs").glob("*.md"))
        for count in re.findall(words, page.read_text())
    }
    assert told
    assert {count for _, count in told} == {number()}, told


def _of_families(*names):
    return sum(measure.family in names for measure in record.all_measures())


def test_every_family_of_measures_stands_in_the_page_on_extending():
    page = (ROOT / "docs" / "extending.md").read_text()
    assert [name for name in record._families if f"| `{name}` |" not in page] == []
