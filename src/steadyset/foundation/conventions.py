"""The numbers behind every answer that a person may choose, each with the value that it has otherwise."""

from __future__ import annotations

from typing import Final

from steadyset.foundation.arguments import check_number, is_number, wrong_argument

LEVEL = 0.95  # the confidence of intervals and tests
CORE = 0.9  # the share of the runs from which a feature belongs to the steady core
MARGIN = 0.02  # the loss in the score that a steadier selector may cost
ALIKE = 0.9  # the similarity from which two features count as alike
ALIKE_BY: Final = "pearson"  # what that similarity is: the absolute correlation
# What the ending of a file says that a report is; a folder holds a report for a paper.
REPORT_ENDINGS = {".html": "html", ".htm": "html", ".pdf": "pdf", ".md": "md", ".json": "json"}
REPORT_FORMATS = (*dict.fromkeys(REPORT_ENDINGS.values()), "folder")
FIRST_RUNS, MAX_RUNS = 30, 1000  # of an assessment that goes on until its intervals are narrow


def check_level(level: float) -> None:
    """Refuse what is no confidence level."""
    if not (is_number(level) and 0 < level < 1):
        raise wrong_argument("level", f"a number between 0 and 1, such as {LEVEL}", level)


def check_core(core: float) -> None:
    """Refuse what is no share of the runs."""
    if not (is_number(core) and 0 < core <= 1):
        raise wrong_argument("core", f"a share of the runs above 0 and at most 1, such as {CORE}", core)


def check_margin(margin: float) -> None:
    """Refuse what is no loss in a score."""
    check_number("margin", margin, or_equal=True)
