"""Collects changelog.d into CHANGELOG.md at a release: python docs/make_changelog.py VERSION [DATE], or --check."""

from __future__ import annotations

import datetime
import re
import sys
import textwrap
from pathlib import Path

ROOT = Path(__file__).parents[1]
KINDS = ["Added", "Changed", "Deprecated", "Removed", "Fixed", "Security"]
NAME = re.compile(rf"[\w-]+\.({'|'.join(kind.lower() for kind in KINDS)})\.md")
UNRELEASED = "## Unreleased\n"
WIDTH = 128


def main(words: list[str], root: Path = ROOT) -> None:
    found, page = fragments(root), root / "CHANGELOG.md"
    if words == ["--check"]:
        unreleased(page.read_text(encoding="utf-8"))
        return
    if not words or not re.fullmatch(r"\d+\.\d+\.\d+\w*", words[0]):
        raise SystemExit("Which version is released? make changelog VERSION=0.2.0")
    date = words[1] if len(words) > 1 else datetime.date.today().isoformat()
    page.write_text(released(page.read_text(encoding="utf-8"), found, words[0], date), encoding="utf-8")
    for path in found:
        path.unlink()
    print(f"CHANGELOG.md has a section {words[0]} with {len(found)} fragments.")


def fragments(root: Path) -> dict[Path, str]:
    """The files of changelog.d by name, each with its kind; what would not become one entry of its kind is refused."""
    found: dict[Path, str] = {}
    for path in sorted((root / "changelog.d").iterdir()):
        if path.name == "README.md":
            continue
        named, text = NAME.fullmatch(path.name), path.read_text(encoding="utf-8").strip()
        if not named or not text:
            raise SystemExit(f"changelog.d/{path.name} must hold a sentence and be called NAME.KIND.md.")
        if re.match(r"[-*+]\s", text):
            raise SystemExit(f"changelog.d/{path.name} must begin with a word; a release puts the dash in front.")
        found[path] = named[1].capitalize()
    return found


def released(changelog: str, found: dict[Path, str], version: str, date: str) -> str:
    """The changelog with what was unreleased, and the fragments by kind, under the version."""
    if f"## {version} " in changelog:
        raise SystemExit(f"CHANGELOG.md has a section {version} already.")
    before, sections, older = unreleased(changelog)
    for path, kind in found.items():
        sections.setdefault(kind, []).append(_entry(path.read_text(encoding="utf-8")))
    ordered = sorted(sections, key=KINDS.index)
    body = "\n\n".join("\n".join([f"### {kind}", *sections[kind]]) for kind in ordered)
    return f"{before}{UNRELEASED}\n## {version} ({date})\n\n{body}\n{older}"


def unreleased(changelog: str) -> tuple[str, dict[str, list[str]], str]:
    """What stands before the unreleased section, its entries by kind, and what stands after it."""
    before, heading, rest = changelog.partition(UNRELEASED)
    if not heading:
        raise SystemExit(f"CHANGELOG.md must have a section {UNRELEASED.strip()}.")
    text, older, more = rest.partition("\n## ")
    lost, *parts = re.split(r"^### *(.*)$", text, flags=re.MULTILINE)
    if lost.strip():
        raise SystemExit(f"CHANGELOG.md: put a heading such as ### Fixed above {lost.strip().splitlines()[0]!r}.")
    sections: dict[str, list[str]] = {}
    for kind, entries in zip(parts[::2], parts[1::2], strict=True):
        if kind not in KINDS:
            raise SystemExit(f"CHANGELOG.md: ### {kind} must be one of {', '.join(KINDS)}.")
        sections.setdefault(kind, []).append(entries.strip())
    return before, sections, older + more


def _entry(text: str) -> str:
    """A fragment as one entry of a list, in lines of the usual width; words and links stay whole."""
    lines = textwrap.TextWrapper(WIDTH, "- ", "  ", break_long_words=False, break_on_hyphens=False)
    return lines.fill(text)


if __name__ == "__main__":
    main(sys.argv[1:])
