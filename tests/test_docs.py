"""The examples of the documentation: each page runs as it stands, from top to bottom."""

import os
import re
import shlex
from pathlib import Path

import pytest
from tests.documentation import DOCS, script, written_pages

import steadyset.plot  # noqa: F401 - only registries that exist before a page runs are as before after it
from papers.framework import unregister_paper
from steadyset.cli import run
from steadyset.measures import record
from steadyset.selectors.filters import registry

ROOT = Path(__file__).parents[1]
make_outputs = script("make_outputs")
# The examples of pages that are made when the site is built run then.
TEXTS = {page: page.read_text(encoding="utf-8") for page in (ROOT / "README.md", *written_pages())}
SLOW = {
    "shortlist.md": {},
    "replication.md": {},
    "properties.md": {"st.certificate_table()": 'st.certificate_table(["wald", "yu"])'},
    "tuning.md": {
        "n_trials=200": "n_trials=2",
        "as_frame=True)\n": "as_frame=True)\nX, y = X[::8], y[::8]\n",
    },
}
REAL = {"array.md": "golub.parquet"}  # pages whose examples read a file of the folder that STEADYSET_DATA names
FOLDER = os.environ.get("STEADYSET_DATA")
PAGES = sorted(page for page, text in TEXTS.items() if make_outputs.BLOCK.search(text))


@pytest.fixture(autouse=True)
def _forget_what_a_page_registers(monkeypatch, tmp_path):
    monkeypatch.setattr(record, "_families", dict(record._families))
    monkeypatch.chdir(tmp_path)
    yield
    unregister_paper("doe-2026")  # of extending.md


def name_of(page):
    return str(page.relative_to(DOCS if page.is_relative_to(DOCS) else ROOT))


@pytest.mark.parametrize("page", [page for page in PAGES if page.name not in {*SLOW, *REAL}], ids=name_of)
def test_the_examples_of_a_page_run_and_print_what_it_shows(page):
    """`python docs/make_outputs.py PAGE` writes what they print now."""
    assert make_outputs.with_outputs(TEXTS[page], page.name) == TEXTS[page]


@pytest.mark.slow
@pytest.mark.parametrize("page", [page for page in PAGES if page.name in SLOW], ids=name_of)
def test_the_examples_of_a_page_that_take_long_run(page):
    """Buys: the certificates of measures, and a tuning, made smaller; a shortlist and replications, as shown."""
    smaller = SLOW[page.name]
    assert all(words in TEXTS[page] for words in smaller)
    assert make_outputs.with_outputs(TEXTS[page], page.name, smaller) == TEXTS[page] or smaller


@pytest.mark.slow
@pytest.mark.data
@pytest.mark.skipif(FOLDER is None, reason="STEADYSET_DATA names no folder with golub.parquet")
@pytest.mark.parametrize("page", [page for page in PAGES if page.name in REAL], ids=name_of)
def test_the_examples_of_a_page_on_real_data_print_what_it_shows(page):
    """Buys: a list and its paragraphs from an array, as shown."""
    file = REAL[page.name]
    Path(file).symlink_to(Path(FOLDER) / file)
    assert make_outputs.with_outputs(TEXTS[page], page.name) == TEXTS[page]


def test_an_output_that_is_no_longer_printed_is_replaced():
    page = "```python\nprint(1 + 1, 'and more')\nprint(3)\n```\n\n```output\n{}\n```\n"
    assert make_outputs.with_outputs(page.format("3"), "page") == page.format("2 and more\n3")
    assert make_outputs.with_outputs(page.format("...\n3"), "page") == page.format("...\n3")
    assert make_outputs.with_outputs(page.format("2 and more\n..."), "page") == page.format("2 and more\n...")
    assert make_outputs.with_outputs(page.format("2 and less\n..."), "page") == page.format("2 and more\n3")


def test_a_command_is_run_and_what_it_says_compared():
    page = "```console\n$ steadyset measure \\\n    nowhere.csv\n{}\n```\n"
    said = make_outputs.with_outputs(page.format("...\n2 runs"), "page")
    assert said == page.format("steadyset: nowhere.csv does not exist.")
    with pytest.raises(ValueError, match="a console block runs steadyset alone"):
        make_outputs.with_outputs("```console\n$ rm -r runs\n```\n", "page")


SHOWN = [
    line.partition("#")[0].rstrip()
    for page in sorted(TEXTS)
    for block in re.findall(r"^```bash\n(.*?)^```$", TEXTS[page], re.DOTALL | re.MULTILINE)
    for line in block.replace("\\\n", " ").splitlines()
    if line.startswith("steadyset ")
]


@pytest.mark.parametrize("command", SHOWN)
def test_a_command_that_is_shown_without_being_run_lacks_nothing_but_its_files(command, capsys):
    assert run(shlex.split(command)[1:]) == 2
    said = capsys.readouterr().err
    assert re.search(r"^steadyset: \S+ (does not exist|cannot be loaded: No such file|is not a run folder)", said), said


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
        for page, text in (TEXTS | {ROOT / "CHANGELOG.md": (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")}).items()
        for count in re.findall(words, text)
    }
    assert told
    assert {count for _, count in told} == {number()}, told


def _of_families(*names):
    return sum(measure.family in names for measure in record.all_measures())


def test_every_family_of_measures_stands_in_the_page_on_extending():
    page = (DOCS / "extending.md").read_text(encoding="utf-8")
    assert [name for name in record._families if f"| `{name}` |" not in page] == []
