"""The report: one self-contained HTML page that can be sent to a colleague, or its parts for a paper.

Every format walks the same document, section by section; Markdown and the folder for a paper are written here.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from steadyset._version import __version__
from steadyset.findings import Findings, findings_of, sections
from steadyset.findings.box import question
from steadyset.findings.sections import FOLDED, Answer, Block, Bullets, Heading, Section, TableBlock, Terms, Text
from steadyset.findings.tables import ReportTable
from steadyset.foundation.arguments import REPORT_ENDINGS, REPORT_FORMATS, check_choice, wrong_argument
from steadyset.foundation.errors import Argument, InputError, MissingExtraError
from steadyset.foundation.text import listed, shown_name
from steadyset.inference.table import MARKDOWN, markdown_table
from steadyset.io.disk import explained, file_path, write_durably
from steadyset.io.formats.spreadsheet import csv_text
from steadyset.plots import pictures_for
from steadyset.plots.catalogue import RegisteredPicture

if TYPE_CHECKING:
    from steadyset.findings.parts import ResultLike

__all__ = ["report"]

REPORT_FILES = listed([f".{name}" for name in REPORT_FORMATS[:-1]], last=" or ")
PICTURES = (".svg", ".pdf")
PAPER = ("methods", "references")  # the parts that a paper takes
LONGEST = 60  # characters of a procedure's name in the name of a file


def report(
    result: ResultLike,
    path: str | Path,
    *,
    core: float | None = None,
    level: float | None = None,
    margin: float | None = None,
    format: str | None = None,
    replication: ResultLike | None = None,
) -> Path:
    """Write what a result says: as a page, PDF, Word, Markdown or JSON, or as a folder of pictures and tables.

    A folder is for a paper.

    Parameters
    ----------
    result : Assessment, Shortlist, Comparison, Consensus, Tuning, Selections, Findings, Mapping, str or Path
        What to report; several results are given by name. A path is that of a run folder or of a file with selections.
    path : str or Path
        The file to write, whose ending (.html, .pdf, .docx, .md or .json) says what it is; or the folder.
    core : float or None, default=None
        The share of the runs from which a feature belongs to the steady core; None is 0.9.
    level : float or None, default=None
        The confidence of intervals and tests; None is 0.95.
    margin : float or None, default=None
        The loss in the score that counts as none when a selector is preferred; None is 0.02. See `findings_of`.
    format : str or None, default=None
        "html", "pdf", "docx" (Word), "md" or "json", which the ending says as well; "folder" has every picture as SVG
        and PDF and every table as csv, with the page and the findings. None goes by the ending.
    replication : Replication, Findings, str, Path or None, default=None
        What the next study would select again, joined with what an Assessment says. See `findings_of`.

    Returns
    -------
    Path
        What was written.

    Raises
    ------
    MissingExtraError
        Where pictures are wanted and what draws them is not installed.

    Examples
    --------
    >>> import tempfile
    >>> from pathlib import Path
    >>> import steadyset as st
    >>> sel = st.Selections.from_sets([["a", "b"], ["a", "b"], ["a", "c"]] * 4, features=list("abcdef"))
    >>> page = st.report(sel, Path(tempfile.mkdtemp()) / "steadiness.md")
    >>> page.read_text(encoding="utf-8").startswith("#")
    True
    """
    target, form = checked_target(path, format)
    found = findings_of(result, core=core, level=level, margin=margin, replication=replication)
    if form == "folder":
        write_paper_folder(found, target, _page_of(found))
        return target
    if form in ("pdf", "docx"):
        write_document(found, target, form)
    else:
        content = {"html": _page_of, "md": markdown_of, "json": _json_of}[form](found)
        with explained(target):
            write_durably(target, content.encode())
    return target


def write_document(found: Findings, path: Path, form: str, parts: Collection[str] | None = None) -> None:
    """Write the document, or only its parts of these names, as "pdf" or "docx"."""
    if form == "pdf":
        from steadyset.reports.pdf import pdf_of as content_of
    else:
        from steadyset.reports.docx import docx_of as content_of
    with explained(path):
        write_durably(path, content_of(found, parts))


def _page_of(found: Findings) -> str:
    try:
        import jinja2  # noqa: F401
    except ImportError:
        raise MissingExtraError('The report needs jinja2: pip install "steadyset[report]".') from None
    from steadyset.reports.html import page_of

    return page_of(found)


def _json_of(found: Findings) -> str:
    return found.to_json() + "\n"


def checked_target(path: str | Path, form: str | None) -> tuple[Path, str]:
    """Return the path and the format of a report, before any work; raise InputError if it cannot be written."""
    if form is not None:
        check_choice("format", form, REPORT_FORMATS)
    if not isinstance(path, (str, Path)):
        raise wrong_argument("path", f"the name of an {REPORT_FILES} file, or of a folder", path)
    if "\0" in str(path):
        raise InputError(f"path holds a null character: {str(path)!r}.")
    target = file_path(path)
    ending = REPORT_ENDINGS.get(target.suffix.lower())
    if not target.parent.is_dir():
        raise InputError(f"The folder {target.parent} of the report does not exist.")
    if form == "folder":
        check_paper_folder(target)
        return target, form
    if ending is None:
        raise InputError(f"{target} has an unknown ending; expected {REPORT_FILES}.")
    if form not in (None, ending):
        raise InputError(f"{target} ends like {ending}, but ", Argument("format", form), " is asked for.")
    if target.is_dir():
        raise InputError(f"{target} is a folder; the report needs the name of a file.")
    return target, ending


# ---- the document, and as Markdown ---------------------------------------------------------------------------------


@dataclass(frozen=True)
class Drawings:
    """A kind of picture, which is drawn only where there is room for pictures."""

    record: RegisteredPicture


@dataclass(frozen=True)
class Part:
    """A section or a kind of picture with its blocks; the one without a title is the answer."""

    name: str
    title: str
    blocks: Sequence[Block | Drawings]
    place: int = 0

    @property
    def is_folded(self) -> bool:
        """Whether it is for specialists, who open it."""
        return self.place >= FOLDED

    @property
    def is_drawn(self) -> bool:
        """Whether it is a kind of picture."""
        return isinstance(self.blocks[-1], Drawings)


def document_of(found: Findings, parts: Collection[str] | None = None) -> list[Part]:
    """Everything that findings say, or only the parts of these names, in the order in which every format writes it."""
    records: list[Section | RegisteredPicture] = [*sections.SECTIONS, *pictures_for(found)]
    if parts is not None:
        records = [one for one in records if one.name in parts]
    return [part for record in sorted(records, key=lambda one: one.place) if (part := _part(record, found)).blocks]


def _part(record: Section | RegisteredPicture, found: Findings) -> Part:
    if isinstance(record, Section):
        return Part(record.name, record.heading(found), record.blocks(found), record.place)
    caption = [Text((record.caption,), small=True)] if record.caption else []
    return Part(record.name, record.title, [*caption, Drawings(record)], record.place)


def tables_in(document: Sequence[Part]) -> dict[str, ReportTable]:
    """The tables of a document, by name."""
    tables = [block.table for part in document for block in part.blocks if isinstance(block, TableBlock)]
    return {table.name: table for table in tables}


def markdown_of(found: Findings) -> str:
    """The document as Markdown, for a notebook, a wiki or a supplement; pictures are left to the other formats."""
    written = [f"# {_escaped(question(found))}", _escaped(found.about)]
    for part in document_of(found):
        if part.is_drawn:
            continue
        if part.title:
            written.append(f"## {_escaped(part.title)}")
        written += [text for block in part.blocks for text in _markdown(block)]
    return "\n\n".join([*written, f"Made by steadyset {__version__}."]) + "\n"


def _markdown(block: Block | Drawings) -> Iterator[str]:
    match block:
        case Heading(text):
            yield f"### {_escaped(text)}"
        case Text():
            yield _escaped(str(block))
        case Bullets(items) | Terms(items):
            yield "\n".join(f"- {_escaped(str(item))}" for item in items)
        case TableBlock(table):
            if block.heading:
                yield f"### {_escaped(table.caption)}"
            yield markdown_table([shown_name(column.title) for column in table.columns], table.texts(block.most))
            if block.more:
                yield block.more
        case Answer(box):
            headline, *said = box.lines()
            yield f"**{_escaped(headline)}**"
            yield "\n".join(f"- {_escaped(line)}" for line in said)


def _escaped(text: str) -> str:
    return shown_name(text).translate(MARKDOWN)


def check_paper_folder(folder: Path) -> None:
    """Refuse a place where something else is."""
    if folder.is_file():
        raise InputError(f"{folder} is a file; the format folder needs the name of a folder.")
    if folder.is_dir() and any(folder.iterdir()):
        raise InputError(f"The folder {folder} is not empty; choose another one for the report.")


def write_paper_folder(found: Findings, folder: Path, page: str) -> None:
    """Write everything; names that a spreadsheet would run as formulas have an apostrophe in front."""
    figures, tables = folder / "figures", folder / "tables"
    with explained(folder):
        for one in (folder, figures, tables):
            one.mkdir(exist_ok=True)
        write_durably(folder / "report.html", page.encode())
        write_durably(folder / "findings.json", _json_of(found).encode())
        if found.methods is not None:
            write_durably(folder / "methods.md", found.methods.markdown().encode("utf-8", "backslashreplace"))
        for table in tables_in(document_of(found)).values():
            text = csv_text(table.records(), safe=True)
            write_durably(tables / f"{table.name}.csv", text.encode("utf-8", "backslashreplace"))
    for record in pictures_for(found):
        drawn = record.of(found)
        for place, (name, picture) in enumerate(drawn.items(), 1):
            stem = record.name if len(drawn) == 1 else f"{record.name}-{place}-{_file_name(name)}"
            for ending in PICTURES:
                picture.save(figures / f"{stem}{ending}")


def _file_name(name: str) -> str:
    """What every disk takes of a name."""
    return re.sub(r"[^A-Za-z0-9._=-]+", "_", name)[:LONGEST].strip("._") or "unnamed"
