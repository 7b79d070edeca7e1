"""Paragraphs with citations, and what they become: text, Markdown, LaTeX, and plain data."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from steadyset.errors import InputError
from steadyset.inference.typeset import MARKDOWN, latex_escaped
from steadyset.io import beneath
from steadyset.io.disk import write_durably
from steadyset.io.run_files import RECORDED_METHODS
from steadyset.references import Reference, bibtex, cited, csl_json

FORMATS = ("text", "markdown", "latex", "json", "bibtex", "csl")
RECORDED, SCHEMA = RECORDED_METHODS, "steadyset.methods"


@dataclass(frozen=True)
class Citation:
    """References in brackets, at their place in a sentence."""

    references: tuple[Reference, ...]


Part = str | Citation
Paragraph = tuple[Part, ...]


@dataclass(frozen=True)
class Methods:
    """What was done, in paragraphs for a paper, and what they cite.

    `text`, `markdown` and `latex` give the paragraphs followed by the references; with `keys` they cite the keys of
    `bibtex` and `csl_json`, and leave the list to who reads these files.
    """

    paragraphs: tuple[Paragraph, ...]

    @property
    def references(self) -> tuple[Reference, ...]:
        """What is cited, each once, by author and year."""
        every = {
            one.key: one for paragraph in self.paragraphs for part in _citations(paragraph) for one in part.references
        }
        return tuple(sorted(every.values(), key=lambda one: (one.short.lower(), one.key)))

    def texts(self) -> list[str]:
        """The paragraphs as plain text, with authors and years."""
        return ["".join(map(_as_text, paragraph)) for paragraph in self.paragraphs]

    def text(self) -> str:
        """Plain text."""
        return "\n\n".join([*self.texts(), "\n".join(["References", *(one.text for one in self.references)])]) + "\n"

    def markdown(self, *, keys: bool = False) -> str:
        """Markdown; with keys as Pandoc and Quarto cite them."""
        written = ["".join(_as_markdown(part, keys) for part in paragraph) for paragraph in self.paragraphs]
        if not keys:
            written.append("\n".join(["## References", "", *(f"- {_markdown(one.text)}" for one in self.references)]))
        return "\n\n".join(written) + "\n"

    def latex(self, *, keys: bool = False) -> str:
        r"""LaTeX; the list is a thebibliography, with keys that of \bibliography."""
        written = ["".join(_as_latex(part) for part in paragraph) for paragraph in self.paragraphs]
        if not keys:
            items = [
                f"\\bibitem[{latex_escaped(one.short)}]{{{one.key}}} {latex_escaped(one.text)}"
                for one in self.references
            ]
            written.append("\n".join([r"\begin{thebibliography}{99}", *items, r"\end{thebibliography}"]))
        return "\n\n".join(written) + "\n"

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
        """Plain data: the paragraphs as text and with keys, and the references as CSL-JSON."""
        return {
            "paragraphs": self.texts(),
            "with_keys": [
                "".join(part if isinstance(part, str) else _keyed(part) for part in paragraph)
                for paragraph in self.paragraphs
            ],
            "references": [dict(one.item) for one in self.references],
        }


def cite(*texts: str | Reference) -> Citation:
    """A citation of what records name, such as "Jaccard 1901; Kalousis et al. 2005", and of references themselves."""
    found = [one for text in texts for one in (cited(text) if isinstance(text, str) else (text,))]
    return Citation(tuple({one.key: one for one in found}.values()))


def sentences(*written: Sequence[Part]) -> Paragraph:
    """Sentences, each a sequence of parts, one after the other; empty ones are left out."""
    parts: list[Part] = []
    for sentence in written:
        if sentence:
            parts += [" ", *sentence] if parts else [*sentence]
    return tuple(parts)


def joined(items: Sequence[Sequence[Part]], between: str = "; ", last: str = "; and ") -> list[Part]:
    """Items of a list, each a sequence of parts."""
    parts: list[Part] = []
    for i, item in enumerate(items):
        parts += [*([] if i == 0 else [last if i == len(items) - 1 else between]), *item]
    return parts


def record_methods(methods: Methods, folder: Path) -> None:
    """Put the methods into a folder that holds no more than results, such as that of a tuning."""
    from steadyset.assessment.written import write_json

    write_durably(folder / RECORDED, write_json({"schema": SCHEMA, "schema_version": 1, **recorded_form(methods)}))


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
    paragraphs = [
        tuple(part if isinstance(part, str) else Citation(tuple(references[key] for key in part)) for part in parts)
        for parts in content["paragraphs"]
    ]
    return Methods(tuple(paragraphs))


def recorded_form(methods: Methods) -> dict[str, Any]:
    """The paragraphs for a file, where a citation is a list of keys."""
    return {
        "paragraphs": [
            [part if isinstance(part, str) else [one.key for one in part.references] for part in paragraph]
            for paragraph in methods.paragraphs
        ],
        "references": [dict(one.item) for one in methods.references],
    }


def _citations(paragraph: Paragraph) -> Iterator[Citation]:
    return (part for part in paragraph if isinstance(part, Citation))


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
