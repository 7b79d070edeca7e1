"""References and texts that cite them: paragraphs as text, Markdown, LaTeX and plain data, and BibTeX and CSL-JSON.

References stand in one file of CSL-JSON. Records name what they follow as authors and years, such as "Jaccard 1901;
Kalousis et al. 2005"; `cited` finds the entries. A text that no entry fits, such as that of a measure of your own,
stays as it is.
"""

from __future__ import annotations

import json
import re
import unicodedata
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import Any

from steadyset._version import __version__
from steadyset.inference.table import MARKDOWN, latex_escaped

FORMATS = ("text", "markdown", "latex", "json", "bibtex", "csl")
TRIPOD, CHECKLIST = "collins2024", "Items of TRIPOD+AI that each sentence serves"
BEGINNING = 70  # characters of a sentence that stand for it
FILE = "references.json"
MOST_AUTHORS, FIRST_AUTHORS = 10, 6  # of a list of references
CITATION = re.compile(r"(?P<names>.+?),? \(?(?P<year>\d{4})\)?(?:,.*)?")
MARKUP = re.compile(r"(?:^|\s)\.\. \[|:[\w-]+:`|`__?(?:\W|$)")  # of reStructuredText
BEGIN_CITED, BETWEEN_CITED, END_CITED = "\ufdd0", "\ufdd1", "\ufdd2"  # characters that Unicode keeps out of texts
CITED = re.compile(f"{BEGIN_CITED}([^{END_CITED}]*){END_CITED}")
SOFTWARE = "steadyset"
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
    def mark(self) -> str:
        """What stands for it in a sentence, from which `cited` finds it again: its key, or the text of a note."""
        if self.key == SOFTWARE:
            return f"{SOFTWARE}@{self.item['version']}"
        return self.key if self.key in _entries() else str(self.item["note"])

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
    if text.startswith(f"{SOFTWARE}@"):
        return (this_software(text.removeprefix(f"{SOFTWARE}@")),)
    known, parts = _entries(), [part.strip() for part in text.split(";")]
    return tuple(known.get(part) or _named(part) or _note(part) for part in parts if part)


def this_software(version: str = __version__) -> Reference:
    """steadyset itself, in the version that did the work."""
    return Reference(
        {
            "id": SOFTWARE,
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
    if "literal" in name:
        return f"{{{latex_escaped(name['literal'])}}}"
    return latex_escaped(f"{name['family']}, {name['given']}")


def _protected(title: str) -> str:
    """Capitals within a title in braces, which keep styles from making them small."""
    first, *others = title.split(" ")
    kept = [first if first[1:].islower() or len(first) == 1 else _braced(first), *map(_braced, others)]
    return " ".join(kept)


def _braced(word: str) -> str:
    return f"{{{latex_escaped(word)}}}" if any(c.isupper() for c in word) else latex_escaped(word)


def _bibtex_value(name: str, value: str) -> str:
    return value if name in ("author", "title", "doi", "url") else latex_escaped(value)


@dataclass(frozen=True)
class Sentence:
    """A sentence with its citations, and the items of TRIPOD+AI to which it gives (part of) what they ask for."""

    text: str
    items: tuple[str, ...] = ()


Paragraph = tuple[Sentence, ...]


@dataclass(frozen=True)
class Methods:
    """What was done, in paragraphs for a paper, what came of it in one more, and what they cite.

    `text`, `markdown` and `latex` give the paragraphs followed by the references and the items of TRIPOD+AI that each
    sentence serves; with `keys` they cite the keys of BibTeX and CSL-JSON, and leave the list to who reads these files.
    """

    paragraphs: tuple[Paragraph, ...]
    results: Paragraph = ()

    @property
    def references(self) -> tuple[Reference, ...]:
        """What is cited, each once, by author and year."""
        marked = [found for sentence in self._sentences() for found in CITED.findall(sentence.text)]
        every = {one.key: one for found in marked for one in _references(found)}
        return tuple(sorted(every.values(), key=lambda one: (one.short.lower(), one.key)))

    def texts(self) -> list[str]:
        """The paragraphs on what was done as plain text, with authors and years."""
        return [_written(paragraph) for paragraph in self.paragraphs]

    def results_text(self) -> str:
        """The paragraph on what came of it, as plain text; "" where there is none."""
        return _written(self.results)

    def checklist(self) -> list[tuple[str, str]]:
        """For each sentence the items of TRIPOD+AI that it serves, "" where none asks for it, and the sentence."""
        return [(", ".join(one.items), _written((one,))) for one in self._sentences()]

    def text(self) -> str:
        """Plain text."""
        blocks = self.texts()
        if self.results:
            blocks.append(f"Results\n{self.results_text()}")
        blocks.append("\n".join(["References", *(one.text for one in self.references)]))
        blocks.append("\n".join([f"{CHECKLIST}: {reference(TRIPOD).text}", *self._checklist_lines()]))
        return "\n\n".join(blocks) + "\n"

    def markdown(self, *, keys: bool = False) -> str:
        """Markdown; with keys as Pandoc and Quarto cite them."""
        form = (_markdown, _keyed if keys else lambda found: _markdown(_named_in_text(found)))
        written = [_written(paragraph, *form) for paragraph in self.paragraphs]
        if self.results:
            written += ["## Results", _written(self.results, *form)]
        if not keys:
            written.append("\n".join(["## References", "", *(f"- {_markdown(one.text)}" for one in self.references)]))
        lines = [f"- {_markdown(line)}" for line in self._checklist_lines()]
        written.append("\n".join([f"## {CHECKLIST}", "", _markdown(reference(TRIPOD).text), "", *lines]))
        return "\n\n".join(written) + "\n"

    def latex(self, *, keys: bool = False) -> str:
        r"""LaTeX; the list is a thebibliography, with keys that of \bibliography, and the items are comments."""
        form = (latex_escaped, lambda found: f"~\\cite{{{','.join(one.key for one in found)}}}")
        written = [_written(paragraph, *form) for paragraph in self.paragraphs]
        if self.results:
            written += [r"\section*{Results}", _written(self.results, *form)]
        if not keys:
            items = [
                f"\\bibitem[{latex_escaped(one.short)}]{{{one.key}}} {latex_escaped(one.text)}"
                for one in self.references
            ]
            written.append("\n".join([r"\begin{thebibliography}{99}", *items, r"\end{thebibliography}"]))
        told = [f"{CHECKLIST}: {reference(TRIPOD).text}", *self._checklist_lines()]
        written.append("\n".join(f"% {latex_escaped(line)}" for line in told))
        return "\n\n".join(written) + "\n"

    def _sentences(self) -> list[Sentence]:
        return [sentence for paragraph in (*self.paragraphs, self.results) for sentence in paragraph]

    def _checklist_lines(self) -> list[str]:
        """One line per sentence, for which as many of its first words stand as tell which one it is."""
        lines = []
        for items, words in self.checklist():
            shown = words if len(words) <= BEGINNING else f"{words[:BEGINNING].rsplit(' ', 1)[0]} ..."
            lines.append(f"{items or 'no item'}: {shown}")
        return lines

    def written(self, form: str, *, keys: bool = False) -> str:
        """One of FORMATS."""
        if form in ("bibtex", "csl"):
            return (bibtex if form == "bibtex" else csl_json)(self.references)
        if form == "json":
            return json.dumps(self.to_dict(), indent=2, ensure_ascii=False) + "\n"
        if form == "text":
            return self.text()
        return self.markdown(keys=keys) if form == "markdown" else self.latex(keys=keys)

    def to_dict(self) -> dict[str, Any]:
        """Plain data: the paragraphs as text and with keys, the items that sentences serve, references as CSL-JSON."""
        return {
            "paragraphs": self.texts(),
            "results": self.results_text(),
            "with_keys": [_written(one, str, _keyed) for one in (*self.paragraphs, self.results) if one],
            "tripod_ai": [
                {"items": items.split(", ") if items else [], "sentence": s} for items, s in self.checklist()
            ],
            "references": [dict(one.item) for one in self.references],
        }


def cite(*texts: str) -> str:
    """A citation of what records name, such as "Jaccard 1901; Kalousis et al. 2005", and of keys, for a sentence.

    It stands in the sentence as the keys of the references, between marks that no text has; the formats write it out.
    """
    marks = dict.fromkeys(one.mark for text in texts for one in cited(text))
    return f"{BEGIN_CITED}{BETWEEN_CITED.join(marks)}{END_CITED}" if marks else ""


def _references(found: str) -> list[Reference]:
    """The references of a citation."""
    return [one for key in found.split(BETWEEN_CITED) for one in cited(key)]


def told(items: str, text: str) -> Sentence:
    """A sentence that serves the items of TRIPOD+AI named, such as "12a 12c"; without a text there is none."""
    return Sentence(text, tuple(items.split()))


def sentences(*written: Sentence) -> Paragraph:
    """Sentences one after the other; empty ones are left out."""
    return tuple(one for one in written if one.text)


def _named_in_text(found: Sequence[Reference]) -> str:
    return f" ({'; '.join(one.short for one in found)})"


def _keyed(found: Sequence[Reference]) -> str:
    return f" [{'; '.join(f'@{one.key}' for one in found)}]"


def _written(
    paragraph: Paragraph,
    escaped: Callable[[str], str] = str,
    citation: Callable[[Sequence[Reference]], str] = _named_in_text,
) -> str:
    """A paragraph in a format, which says how text is escaped and how references are cited."""
    return " ".join(
        "".join(
            citation(_references(part)) if place % 2 else escaped(part)
            for place, part in enumerate(CITED.split(sentence.text))
        )
        for sentence in paragraph
    )


def _markdown(text: str) -> str:
    return text.translate(MARKDOWN)
