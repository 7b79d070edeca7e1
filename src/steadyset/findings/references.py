"""References: one file of CSL-JSON, from which citations, lists of references and BibTeX are made.

Records name what they follow as authors and years, such as "Jaccard 1901; Kalousis et al. 2005"; `cited` finds the
entries. A text that no entry fits, such as that of a measure of your own, stays as it is.
"""

from __future__ import annotations

import json
import re
import unicodedata
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import Any

from steadyset._version import __version__
from steadyset.inference.typeset import latex_escaped

FILE = "references.json"
MOST_AUTHORS, FIRST_AUTHORS = 10, 6  # of a list of references
CITATION = re.compile(r"(?P<names>.+?),? \(?(?P<year>\d{4})\)?(?:,.*)?")
MARKUP = re.compile(r"(?:^|\s)\.\. \[|:[\w-]+:`|`__?(?:\W|$)")  # of reStructuredText
DOI = re.compile(r"10\.\d{4,}/[^\s`<>]+[^\s`<>.,;]")
BIBTEX_TYPES = {
    "article-journal": "article",
    "paper-conference": "inproceedings",
    "book": "book",
    "thesis": "phdthesis",
    "report": "techreport",
}
CONTAINER = {"article": "journal", "inproceedings": "booktitle"}
PUBLISHER = {"phdthesis": "school", "techreport": "institution"}
BIBTEX_FIELDS = {
    "collection-title": "series",
    "volume": "volume",
    "issue": "number",
    "number": "number",
    "edition": "edition",
    "page": "pages",
    "publisher-place": "address",
    "DOI": "doi",
    "URL": "url",
    "note": "note",
}


@dataclass(frozen=True)
class Reference:
    """A CSL-JSON item."""

    item: Mapping[str, Any]

    @property
    def key(self) -> str:
        """What cites it in BibTeX, LaTeX and Pandoc."""
        return str(self.item["id"])

    @property
    def year(self) -> str:
        """The year, where there is one."""
        return str(self.item["issued"]["date-parts"][0][0]) if "issued" in self.item else ""

    @property
    def authors(self) -> list[str]:
        """The names by which the authors are cited."""
        return [name.get("family") or name["literal"] for name in self.item.get("author", ())]

    @property
    def short(self) -> str:
        """How a text cites it: "Kira and Rendell 1992"; with more than two authors "Davis et al. 2006"."""
        names = self.authors
        if not names:
            return str(self.item.get("note") or self.item["title"])
        who = f"{names[0]} et al." if len(names) > 2 else " and ".join(names)
        return f"{who} {self.year}".strip()

    @property
    def text(self) -> str:
        """The entry of a list of references, as plain text."""
        item = self.item
        if not self.authors:
            return f"{self.short}."
        names = [_with_initials(name) for name in item["author"]]
        who = ", ".join(names if len(names) <= MOST_AUTHORS else [*names[:FIRST_AUTHORS], "et al."])
        parts = [f"{who} ({self.year})" if self.year else who, str(item["title"])]
        parts += [text for text in (_place(item), str(item.get("publisher", "")) or "") if text]
        if "version" in item:
            parts.append(f"Version {item['version']}")
        told = ". ".join(parts)
        end = f". https://doi.org/{item['DOI']}" if "DOI" in item else "."
        return f"{told}{end}"

    @property
    def bibtex(self) -> str:
        """The entry of a .bib file, in UTF-8."""
        item = self.item
        kind = BIBTEX_TYPES.get(str(item["type"]), "misc")
        fields = {
            "author": " and ".join(map(_bibtex_name, item.get("author", ()))),
            "title": _protected(str(item.get("title", ""))),
            CONTAINER.get(kind, "howpublished"): str(item.get("container-title", "")),
            PUBLISHER.get(kind, "publisher"): str(item.get("publisher", "")),
            "year": self.year,
            **{field: str(item[key]) for key, field in BIBTEX_FIELDS.items() if key in item},
        }
        if "version" in item:
            fields["note"] = f"Version {item['version']}"
        fields["pages"] = fields.get("pages", "").replace("–", 2 * "-")  # as LaTeX writes a range
        lines = [f"  {name} = {{{_bibtex_value(name, value)}}}," for name, value in fields.items() if value]
        return "\n".join([f"@{kind}{{{self.key},", *lines, "}"])


def reference(key: str) -> Reference:
    """The entry with a key."""
    return _entries()[key]


def all_references() -> list[Reference]:
    """Every entry, by key."""
    return list(_entries().values())


def cited(text: str) -> tuple[Reference, ...]:
    """The entries that a text such as "Jaccard 1901; Kalousis et al. 2005" names; what no entry fits becomes a note.

    A text with markup, as docstrings of other packages hold, is no note for a paper: it stands for the entries with its
    DOIs.
    """
    if MARKUP.search(text):
        found = {one.item["DOI"].lower(): one for one in _entries().values() if "DOI" in one.item}
        return tuple(found[doi] for doi in dict.fromkeys(map(str.lower, DOI.findall(text))) if doi in found)
    parts = [part.strip() for part in text.split(";")]
    return tuple(_named(part) or _note(part) for part in parts if part)


def this_software(version: str = __version__) -> Reference:
    """steadyset itself, in the version that did the work."""
    return Reference(
        {
            "id": "steadyset",
            "type": "software",
            "author": [{"literal": "The steadyset developers"}],
            "title": "steadyset: the stability of feature selection",
            "version": version,
        }
    )


def bibtex(references: Iterable[Reference]) -> str:
    """A .bib file."""
    return "\n\n".join(one.bibtex for one in references) + "\n"


def csl_json(references: Iterable[Reference]) -> str:
    """A file of CSL-JSON."""
    return json.dumps([one.item for one in references], indent=1, ensure_ascii=False) + "\n"


@cache
def _entries() -> dict[str, Reference]:
    items = json.loads(files("steadyset.findings").joinpath(FILE).read_text(encoding="utf-8"))
    return {item["id"]: Reference(item) for item in items}


def _named(text: str) -> Reference | None:
    """The one entry that fits: the names in their order and the year; "et al." stands for two or more names."""
    found = CITATION.fullmatch(text)
    if found is None:
        return None
    several = found["names"].endswith(" et al.")
    names = [_plain(name) for name in re.split(r", | and ", found["names"].removesuffix(" et al."))]
    fitting = []
    for one in _entries().values():
        if one.year != found["year"]:
            continue
        authors = [_plain(name) for name in one.authors]
        if authors == names or (several and len(authors) > 2 and authors[: len(names)] == names):
            fitting.append(one)
    return fitting[0] if len(fitting) == 1 else None


def _note(text: str) -> Reference:
    key = re.sub(r"[^a-z0-9]+", "-", _plain(text)).strip("-")[:40]
    return Reference({"id": key or "reference", "type": "document", "note": text})


def _plain(name: str) -> str:
    """Without capitals and accents, as a name is typed; ue and u for ü are the same."""
    folded = unicodedata.normalize("NFKD", name.replace("ø", "o").replace("ß", "ss"))
    return "".join(c for c in folded if not unicodedata.combining(c)).lower()


def _with_initials(name: Mapping[str, str]) -> str:
    if "literal" in name:
        return name["literal"]
    initials = "".join(part[0] for part in re.split(r"[\s-]+", name["given"]) if part)
    return f"{name['family']} {initials}"


def _place(item: Mapping[str, Any]) -> str:
    """Where it appeared: journal, volume, issue and pages; or what kind of work it is."""
    where = str(item.get("container-title") or item.get("genre", ""))
    if "collection-title" in item and "volume" in item:
        where += f" ({item['collection-title']} {item['volume']})"
    elif "volume" in item:
        where += f" {item['volume']}" + (f"({item['issue']})" if "issue" in item else "")
    if "number" in item:
        where += f" {item['number']}"
    return f"{where}: {item['page']}" if "page" in item and where else where


def _bibtex_name(name: Mapping[str, str]) -> str:
    return (
        f"{{{latex_escaped(name['literal'])}}}"
        if "literal" in name
        else latex_escaped(f"{name['family']}, {name['given']}")
    )


def _protected(title: str) -> str:
    """Capitals within a title in braces, which keep styles from making them small."""
    first, *others = title.split(" ")
    kept = [first if first[1:].islower() or len(first) == 1 else _braced(first), *map(_braced, others)]
    return " ".join(kept)


def _braced(word: str) -> str:
    return f"{{{latex_escaped(word)}}}" if any(c.isupper() for c in word) else latex_escaped(word)


def _bibtex_value(name: str, value: str) -> str:
    return value if name in ("author", "title", "doi", "url") else latex_escaped(value)
