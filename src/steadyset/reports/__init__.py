"""The report: one self-contained HTML page that can be sent to a colleague, or its parts for a paper."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

from steadyset.findings import Findings, findings_of
from steadyset.foundation.arguments import check_choice, wrong_argument
from steadyset.foundation.conventions import REPORT_ENDINGS, REPORT_FORMATS
from steadyset.foundation.errors import Argument, InputError, MissingExtraError
from steadyset.foundation.text import listed
from steadyset.io.disk import explained, file_path, write_durably
from steadyset.reports.document import check_paper_folder, markdown_of, write_paper_folder
from steadyset.reports.pdf import pdf_of

if TYPE_CHECKING:
    from steadyset.findings.parts import ResultLike

__all__ = ["report"]

REPORT_FILES = listed([f".{name}" for name in REPORT_FORMATS[:-1]], last=" or ")


def report(
    result: ResultLike,
    path: str | Path,
    *,
    core: float | None = None,
    level: float | None = None,
    margin: float | None = None,
    format: str | None = None,
) -> Path:
    """Write what a result says: as a page, as PDF, Markdown or JSON, or as a folder of pictures and tables for a paper.

    Parameters
    ----------
    result : Assessment, Comparison, Consensus, Tuning, Selections, Findings, Mapping, str or Path
        What to report; several results are given by name. A path is that of a run folder or of a file with selections.
    path : str or Path
        The file to write, whose ending (.html, .pdf, .md or .json) says what it is; or the folder.
    core : float or None, default=None
        The share of the runs from which a feature belongs to the steady core; None is 0.9.
    level : float or None, default=None
        The confidence of intervals and tests; None is 0.95.
    margin : float or None, default=None
        The loss in the score that counts as none when a selector is preferred; None is 0.02. See `findings_of`.
    format : str or None, default=None
        "html", "pdf", "md" or "json", which the ending says as well; "folder" has every picture as SVG and PDF and
        every table as csv, with the page and the findings. None goes by the ending.

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
    target, form = _target(path, format)
    found = findings_of(result, core=core, level=level, margin=margin)
    if form == "folder":
        write_paper_folder(found, target, _page_of(found))
        return target
    writers: dict[str, Callable[[Findings], str | bytes]]
    writers = {"html": _page_of, "pdf": pdf_of, "md": markdown_of, "json": _json_of}
    content = writers[form](found)
    with explained(target):
        write_durably(target, content if isinstance(content, bytes) else content.encode())
    return target


def _page_of(found: Findings) -> str:
    try:
        import jinja2  # noqa: F401
    except ImportError:
        raise MissingExtraError('The report needs jinja2: pip install "steadyset[report]".') from None
    from steadyset.reports.html import page_of

    return page_of(found)


def _json_of(found: Findings) -> str:
    return found.to_json() + "\n"


def _target(path: str | Path, form: str | None) -> tuple[Path, str]:
    """Where the report goes, and as what, checked before any work."""
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
