"""The report: one self-contained HTML page that can be sent to a colleague."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from steadyset import wording
from steadyset._version import __version__
from steadyset.arguments import wrong_argument
from steadyset.conventions import check_core, check_level
from steadyset.errors import InputError, MissingExtraError
from steadyset.findings import Findings, findings_of
from steadyset.io.disk import explained, file_path, write_durably
from steadyset.io.labels import shown_name
from steadyset.plots import pictures_for

__all__ = ["report"]

ENDINGS = (".html", ".htm")
MOST_FEATURES = 25  # rows of the table of features


def report(result: Any, path: str | Path, *, core: float | None = None, level: float | None = None) -> Path:
    """Write what a result says to an .html file.

    Parameters
    ----------
    result : an Assessment, a Comparison, a Consensus, a Tuning, Selections, several of them by name, or Findings; a
        path is that of a run folder or of a file with selections
    path : the page to write
    core : the share of the runs from which a feature belongs to the steady core (0.9)
    level : the confidence of intervals and tests (0.95)
    """
    target = _target(path)
    if core is not None:
        check_core(core)
    if level is not None:
        check_level(level)
    template = _template()
    page = template.render(**_content(findings_of(result, core=core, level=level)))
    with explained(target):
        write_durably(target, page.encode())
    return target


def _target(path: str | Path) -> Path:
    """Where the page goes, checked before any work."""
    if not isinstance(path, (str, Path)):
        raise wrong_argument("path", "the name of an .html file", path)
    if "\0" in str(path):
        raise InputError(f"path holds a null character: {str(path)!r}.")
    target = file_path(path)
    if target.suffix.lower() not in ENDINGS:
        raise InputError(f"{target} has an unknown ending; expected .html.")
    if target.is_dir():
        raise InputError(f"{target} is a folder; the report needs the name of a file.")
    if not target.parent.is_dir():
        raise InputError(f"The folder {target.parent} of the report does not exist.")
    return target


def _content(found: Findings) -> dict[str, Any]:
    from markupsafe import Markup

    pictures = [
        {
            "title": record.title,
            "caption": record.caption,
            "drawn": {name: Markup(one.svg()) for name, one in record.of(found).items()},
        }
        for record in pictures_for(found)
    ]
    return {"version": __version__, "found": found, "pictures": pictures, "several": len(found.summary) > 1}


def _template() -> Any:
    try:
        from jinja2 import Environment, PackageLoader, select_autoescape
    except ImportError:
        raise MissingExtraError('The report needs jinja2: pip install "steadyset[report]".') from None
    from steadyset.findings.answer import SCALE
    from steadyset.findings.cores import core_words
    from steadyset.inference.stand_ins import stand_ins_words

    environment = Environment(
        loader=PackageLoader("steadyset.reports", "."),
        autoescape=select_autoescape(["html.j2"], default=True),
        trim_blocks=True,
        lstrip_blocks=True,
        # Names come from strangers: control characters and halves of characters are written out.
        finalize=lambda value: shown_name(value) if type(value) is str else value,
    )
    environment.filters |= {
        "number": wording.number,
        "span": wording.span,
        "amount": wording.amount,
        "percent": wording.percent,
        "counted": wording.counted,
        "expected_count": wording.expected_count,
        "core": core_words,
    }
    environment.filters["stand_ins"] = stand_ins_words
    environment.globals |= {"scale": SCALE, "most_features": MOST_FEATURES}
    return environment.get_template("page.html.j2")
