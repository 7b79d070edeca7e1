"""Paragraphs with citations, and what they become: text, Markdown, LaTeX, and plain data."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from steadyset.findings.references import Reference, bibtex, cited, csl_json, reference
from steadyset.foundation.errors import InputError
from steadyset.inference.typeset import MARKDOWN, latex_escaped
from steadyset.io import beneath
from steadyset.io.disk import write_durably
from steadyset.io.run_files import RECORDED_METHODS

FORMATS = ("text", "markdown", "latex", "json", "bibtex", "csl")
RECORDED, SCHEMA = RECORDED_METHODS, "steadyset.methods"
TRIPOD, CHECKLIST = "collins2024", "Items of TRIPOD+AI that each sentence serves"
BEGINNING = 70  # characters of a sentence that stand for it


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
        match form:
            case "markdown":
                return self.markdown(keys=keys)
            case "latex":
                return self.latex(keys=keys)
            case "json":
                return json.dumps(self.to_dict(), indent=2, ensure_ascii=False) + "\n"
            case "bibtex":
                return self.bibtex()
            case "csl":
                return self.csl_json()
        return self.text()

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
            "with_keys": [_written(one, _with_keys) for one in (*self.paragraphs, self.results) if one],
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

    write_durably(folder / RECORDED, write_json({"schema": SCHEMA, "schema_version": 2, **recorded_form(methods)}))


def recorded_methods(folder: Path) -> Methods | None:
    """What `record_methods` put down; None where nothing was."""
    from steadyset.assessment.written import read_json

    path = folder / RECORDED
    if not path.exists():
        return None
    try:
        return _read(read_json(beneath.read(folder, RECORDED)))
    except (OSError, ValueError, KeyError, TypeError, AttributeError, RecursionError) as error:
        raise InputError(f"{path} is damaged: {error}; make it again by the command that wrote it.") from None


def _read(content: Mapping[str, Any]) -> Methods:
    from steadyset.assessment.written import DamagedError

    if content["schema"] != SCHEMA:
        raise DamagedError(f"it does not follow the schema {SCHEMA}")
    return methods_from(content)


def methods_from(content: Mapping[str, Any]) -> Methods:
    """What `recorded_form` was made of."""
    references = {str(item["id"]): Reference(item) for item in content["references"]}

    def read(paragraph: Sequence[Mapping[str, Any]]) -> Paragraph:
        return tuple(
            Sentence(
                tuple(
                    part if isinstance(part, str) else Citation(tuple(references[key] for key in part))
                    for part in sentence["parts"]
                ),
                tuple(map(str, sentence["items"])),
            )
            for sentence in paragraph
        )

    return Methods(tuple(map(read, content["paragraphs"])), read(content["results"]))


def recorded_form(methods: Methods) -> dict[str, Any]:
    """The paragraphs for a file, where a citation is a list of keys."""

    def written(paragraph: Paragraph) -> list[dict[str, Any]]:
        return [
            {
                "parts": [part if isinstance(part, str) else [r.key for r in part.references] for part in one.parts],
                "items": list(one.items),
            }
            for one in paragraph
        ]

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


def _with_keys(part: Part) -> str:
    return part if isinstance(part, str) else _keyed(part)


def _as_text(part: Part) -> str:
    if isinstance(part, str):
        return part
    return f" ({'; '.join(one.short for one in part.references)})" if part.references else ""


def _keyed(part: Citation) -> str:
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
