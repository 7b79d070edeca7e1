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
from pathlib import Path
from typing import Any, TypeVar

from steadyset._version import __version__
from steadyset.foundation.errors import InputError
from steadyset.inference.table import MARKDOWN, latex_escaped
from steadyset.io import beneath
from steadyset.io.disk import RECORDED_METHODS, write_durably

T = TypeVar("T")
FORMATS = ("text", "markdown", "latex", "json", "bibtex", "csl")
SCHEMA = "steadyset.methods"
TRIPOD, CHECKLIST = "collins2024", "Items of TRIPOD+AI that each sentence serves"
BEGINNING = 70  # characters of a sentence that stand for it
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
class Citation:
    """References in brackets, at their place in a sentence."""

    references: tuple[Reference, ...]


Part = str | Citation


@dataclass(frozen=True)
class Sentence:
    """A sentence with its citations, and the items of TRIPOD+AI to which it gives (part of) what they ask for."""

    parts: tuple[Part, ...]
    items: tuple[str, ...] = ()


Paragraph = tuple[Sentence, ...]


@dataclass(frozen=True)
class Methods:
    """What was done, in paragraphs for a paper, what came of it in one more, and what they cite.

    `text`, `markdown` and `latex` give the paragraphs followed by the references and the items of TRIPOD+AI that each
    sentence serves; with `keys` they cite the keys of `bibtex` and `csl_json`, and leave the list to who reads these
    files.
    """

    paragraphs: tuple[Paragraph, ...]
    results: Paragraph = ()

    @property
    def references(self) -> tuple[Reference, ...]:
        """What is cited, each once, by author and year."""
        parts = [part for sentence in self._sentences() for part in sentence.parts]
        every = {one.key: one for part in parts if isinstance(part, Citation) for one in part.references}
        return tuple(sorted(every.values(), key=lambda one: (one.short.lower(), one.key)))

    def texts(self) -> list[str]:
        """The paragraphs on what was done as plain text, with authors and years."""
        return [_written(paragraph, _as_text) for paragraph in self.paragraphs]

    def results_text(self) -> str:
        """The paragraph on what came of it, as plain text; "" where there is none."""
        return _written(self.results, _as_text)

    def checklist(self) -> list[tuple[str, str]]:
        """For each sentence the items of TRIPOD+AI that it serves, "" where none asks for it, and the sentence."""
        return [(", ".join(one.items), _written((one,), _as_text)) for one in self._sentences()]

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
        written = [_written(paragraph, lambda part: _as_markdown(part, keys)) for paragraph in self.paragraphs]
        if self.results:
            written += ["## Results", _written(self.results, lambda part: _as_markdown(part, keys))]
        if not keys:
            written.append("\n".join(["## References", "", *(f"- {_markdown(one.text)}" for one in self.references)]))
        lines = [f"- {_markdown(line)}" for line in self._checklist_lines()]
        written.append("\n".join([f"## {CHECKLIST}", "", _markdown(reference(TRIPOD).text), "", *lines]))
        return "\n\n".join(written) + "\n"

    def latex(self, *, keys: bool = False) -> str:
        r"""LaTeX; the list is a thebibliography, with keys that of \bibliography, and the items are comments."""
        written = [_written(paragraph, _as_latex) for paragraph in self.paragraphs]
        if self.results:
            written += [r"\section*{Results}", _written(self.results, _as_latex)]
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
        """One line per sentence, which its beginning stands for."""
        return [f"{items or 'no item'}: {_beginning(words)}" for items, words in self.checklist()]

    def written(self, form: str, *, keys: bool = False) -> str:
        """One of FORMATS."""
        if form == "json":
            return json.dumps(self.to_dict(), indent=2, ensure_ascii=False) + "\n"
        if form in ("markdown", "latex"):
            return self.markdown(keys=keys) if form == "markdown" else self.latex(keys=keys)
        return {"bibtex": self.bibtex, "csl": self.csl_json}.get(form, self.text)()

    def bibtex(self) -> str:
        """The references as a .bib file."""
        return bibtex(self.references)

    def csl_json(self) -> str:
        """The references as CSL-JSON."""
        return csl_json(self.references)

    def to_dict(self) -> dict[str, Any]:
        """Plain data: the paragraphs as text and with keys, the items that sentences serve, references as CSL-JSON."""
        return {
            "paragraphs": self.texts(),
            "results": self.results_text(),
            "with_keys": [_written(one, _keyed) for one in (*self.paragraphs, self.results) if one],
            "tripod_ai": [
                {"items": items.split(", ") if items else [], "sentence": s} for items, s in self.checklist()
            ],
            "references": [dict(one.item) for one in self.references],
        }


def cite(*texts: str | Reference) -> Citation:
    """A citation of what records name, such as "Jaccard 1901; Kalousis et al. 2005", and of references themselves."""
    found = [one for text in texts for one in (cited(text) if isinstance(text, str) else (text,))]
    return Citation(tuple({one.key: one for one in found}.values()))


def told(items: str, parts: Sequence[Part]) -> Sentence:
    """A sentence that serves the items of TRIPOD+AI named, such as "12a 12c"; without parts there is none."""
    return Sentence(tuple(parts), tuple(items.split()))


def sentences(*written: Sentence) -> Paragraph:
    """Sentences one after the other; empty ones are left out."""
    return tuple(one for one in written if one.parts)


def joined(items: Sequence[Sequence[Part]], between: str = "; ", last: str = "; and ") -> list[Part]:
    """Items of a list, each a sequence of parts."""
    parts: list[Part] = []
    for i, item in enumerate(items):
        parts += [*([] if i == 0 else [last if i == len(items) - 1 else between]), *item]
    return parts


def record_methods(methods: Methods, folder: Path) -> None:
    """Put the methods into a folder that holds no more than results, such as that of a tuning."""
    from steadyset.assessment.written import write_json

    content = {"schema": SCHEMA, "schema_version": 2, **recorded_form(methods)}
    write_durably(folder / RECORDED_METHODS, write_json(content))


def recorded_methods(folder: Path) -> Methods | None:
    """What `record_methods` put down; None where nothing was."""
    from steadyset.assessment.written import DamagedError

    def read(content: Mapping[str, Any]) -> Methods:
        if content["schema"] != SCHEMA:
            raise DamagedError(f"it does not follow the schema {SCHEMA}")
        return methods_from(content)

    return read_recorded(folder, RECORDED_METHODS, read)


def read_recorded(folder: Path, name: str, read: Callable[[dict[str, Any]], T]) -> T | None:
    """What `read` makes of a JSON file in a folder; None where there is none, and a sentence where it is damaged."""
    from steadyset.assessment.written import read_json

    path = folder / name
    if not path.exists():
        return None
    try:
        return read(read_json(beneath.read(folder, name)))
    except (OSError, ValueError, KeyError, TypeError, AttributeError, RecursionError, InputError) as error:
        raise InputError(f"{path} is damaged: {error}; make it again by the command that wrote it.") from None


def methods_from(content: Mapping[str, Any]) -> Methods:
    """What `recorded_form` was made of."""
    references = {str(item["id"]): Reference(item) for item in content["references"]}

    def part(written: str | list[str]) -> Part:
        return written if isinstance(written, str) else Citation(tuple(references[key] for key in written))

    def read(paragraph: Sequence[Mapping[str, Any]]) -> Paragraph:
        return tuple(Sentence(tuple(map(part, one["parts"])), tuple(map(str, one["items"]))) for one in paragraph)

    return Methods(tuple(map(read, content["paragraphs"])), read(content["results"]))


def recorded_form(methods: Methods) -> dict[str, Any]:
    """The paragraphs for a file, where a citation is a list of keys."""

    def part(given: Part) -> str | list[str]:
        return given if isinstance(given, str) else [one.key for one in given.references]

    def written(paragraph: Paragraph) -> list[dict[str, Any]]:
        return [{"parts": list(map(part, one.parts)), "items": list(one.items)} for one in paragraph]

    return {
        "paragraphs": [written(paragraph) for paragraph in methods.paragraphs],
        "results": written(methods.results),
        "references": [dict(one.item) for one in methods.references],
    }


def _written(paragraph: Paragraph, form: Callable[[Part], str]) -> str:
    return " ".join("".join(map(form, sentence.parts)) for sentence in paragraph)


def _beginning(words: str) -> str:
    """A sentence, or as many of its first words as tell which one it is."""
    return words if len(words) <= BEGINNING else f"{words[:BEGINNING].rsplit(' ', 1)[0]} ..."


def _as_text(part: Part) -> str:
    if isinstance(part, str):
        return part
    return f" ({'; '.join(one.short for one in part.references)})" if part.references else ""


def _keyed(part: Part) -> str:
    if isinstance(part, str):
        return part
    return f" [{'; '.join(f'@{one.key}' for one in part.references)}]" if part.references else ""


def _as_markdown(part: Part, keys: bool) -> str:
    if isinstance(part, Citation) and keys:
        return _keyed(part)
    return _markdown(_as_text(part))


def _markdown(text: str) -> str:
    return text.translate(MARKDOWN)


def _as_latex(part: Part) -> str:
    if isinstance(part, str):
        return latex_escaped(part)
    return f"~\\cite{{{','.join(one.key for one in part.references)}}}" if part.references else ""
