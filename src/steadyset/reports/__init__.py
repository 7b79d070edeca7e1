"""The report: one self-contained HTML page that can be sent to a colleague."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from steadyset._version import __version__
from steadyset.assessment import Assessment, words
from steadyset.errors import InputError, MissingExtraError
from steadyset.files import written_beside
from steadyset.plots import runs_by_features, selection_frequencies

__all__ = ["report"]


def report(assessment: Assessment | str | Path, path: str | Path) -> Path:
    """Write the report of an assessment, or of a run folder, to an .html file."""
    target = Path(path)
    if target.suffix.lower() not in (".html", ".htm"):
        raise InputError(f"{target} has an unknown ending; wanted is .html.")
    recorded = assessment if isinstance(assessment, Assessment) else Assessment.open(assessment)
    page = _template().render(**_content(recorded))
    with written_beside(target) as beside:
        beside.write_text(page, encoding="utf-8")
    return target


def _content(assessment: Assessment) -> dict[str, Any]:
    settings = assessment.settings
    return {
        "version": __version__,
        "settings": settings,
        "n_runs": max((sel.n_runs for sel in assessment.selections.values()), default=0),
        "answer": words.answer(assessment),
        "scores": settings["scoring"],
        "summary": words.summary_rows(assessment),
        "scale": words.SCALE,
        "differences": words.differences(assessment),
        "core": assessment.core(),
        "failures": words.failures(assessment),
        "frequencies": selection_frequencies(assessment.selections).svg() if assessment.selections else "",
        "runs": {name: runs_by_features(sel).svg() for name, sel in assessment.selections.items() if sel.sizes.any()},
    }


def _template() -> Any:
    try:
        from jinja2 import Environment, PackageLoader, select_autoescape
    except ImportError:
        raise MissingExtraError('The report needs jinja2: pip install "steadyset[report]".') from None
    environment = Environment(
        loader=PackageLoader("steadyset.reports", "."),
        autoescape=select_autoescape(["html.j2"], default=True),
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters["number"] = lambda value, digits=2: "–" if value != value else f"{value:.{digits}f}"
    return environment.get_template("page.html.j2")
