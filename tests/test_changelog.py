"""Changelog fragments: whoever changes something writes a file, and a release collects them."""

import re

import pytest
from tests.documentation import script

make_changelog = script("make_changelog")

BEFORE = """# Changelog

## Unreleased

### Added
- A picture.

### Fixed
- A sentence.

### Added
- A reader.

## 0.1.0 (2026-01-01)

- First version.
"""
AFTER = """# Changelog

## Unreleased

## 0.2.0 (2026-02-02)

### Added
- A picture.
- A reader.
- A filter
  ([how](docs/x.md)).

### Removed
- The old name.

### Fixed
- A sentence.

## 0.1.0 (2026-01-01)

- First version.
"""


@pytest.fixture
def project(tmp_path):
    (tmp_path / "CHANGELOG.md").write_text(BEFORE, encoding="utf-8")
    (tmp_path / "changelog.d").mkdir()
    (tmp_path / "changelog.d" / "README.md").write_text("How to write one.", encoding="utf-8")
    return tmp_path


def test_the_fragments_of_this_project_are_in_order():
    make_changelog.main(["--check"])


def test_a_release_collects_the_fragments_by_kind_and_starts_anew(project, monkeypatch):
    monkeypatch.setattr(make_changelog, "WIDTH", 18)
    (project / "changelog.d" / "a-filter.added.md").write_text("A filter ([how](docs/x.md)).\n", encoding="utf-8")
    (project / "changelog.d" / "old-name.removed.md").write_text("The old name.\n", encoding="utf-8")
    make_changelog.main(["0.2.0", "2026-02-02"], project)
    assert (project / "CHANGELOG.md").read_text(encoding="utf-8") == AFTER
    assert [path.name for path in (project / "changelog.d").iterdir()] == ["README.md"]


@pytest.mark.parametrize(
    ("name", "text"), [("filter.new.md", "A filter."), ("filter.md", "A filter."), ("x.fixed.md", " \n")]
)
def test_a_fragment_without_a_kind_or_a_sentence_is_refused(project, name, text):
    (project / "changelog.d" / name).write_text(text, encoding="utf-8")
    with pytest.raises(SystemExit, match=rf"changelog\.d/{name} must hold a sentence and be called NAME\.KIND\.md"):
        make_changelog.main(["0.2.0"], project)
    assert (project / "CHANGELOG.md").read_text(encoding="utf-8") == BEFORE


@pytest.mark.parametrize("dash", ["-", "*", "+"])
def test_a_fragment_that_brings_its_own_dash_is_refused(project, dash):
    (project / "changelog.d" / "x.fixed.md").write_text(f"{dash} A sentence.\n", encoding="utf-8")
    with pytest.raises(SystemExit, match=r"changelog\.d/x\.fixed\.md must begin with a word"):
        make_changelog.main(["--check"], project)


@pytest.mark.parametrize(
    ("there", "instead", "told"),
    [
        ("\n### Added\n- A picture", "\n- A picture", "put a heading such as ### Fixed above '- A picture.'"),
        ("### Fixed", "### Improved", "### Improved must be one of Added, Changed, "),
        ("### Fixed", "### Fixed in part", "### Fixed in part must be one of Added, Changed, "),
        ("## Unreleased\n", "## Next\n", "must have a section ## Unreleased."),
    ],
)
@pytest.mark.parametrize("words", [["--check"], ["0.2.0"]])
def test_unreleased_entries_that_a_release_would_lose_are_refused(project, there, instead, told, words):
    changelog = BEFORE.replace(there, instead, 1)
    (project / "CHANGELOG.md").write_text(changelog, encoding="utf-8")
    with pytest.raises(SystemExit, match=re.escape(told)):
        make_changelog.main(words, project)
    assert (project / "CHANGELOG.md").read_text(encoding="utf-8") == changelog


@pytest.mark.parametrize(("words", "told"), [([], "Which version"), (["soon"], "Which"), (["0.1.0"], "already")])
def test_a_release_needs_a_version_of_its_own(project, words, told):
    with pytest.raises(SystemExit, match=told):
        make_changelog.main(words, project)
    assert (project / "CHANGELOG.md").read_text(encoding="utf-8") == BEFORE
