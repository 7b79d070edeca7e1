"""Writes the table of formats of files.md anew: python docs/make_formats.py"""

from __future__ import annotations

import re
from pathlib import Path

from steadyset.foundation.text import listed
from steadyset.io.formats.record import FORMATS, KINDS, PACKED, Format

PAGE = Path(__file__).with_name("files.md")
BLOCK = re.compile(r"(<!-- formats -->\n).*?(<!-- end -->)", re.DOTALL)


def rows() -> str:
    """One row per format: its endings, what is read, whether Selections are written to it, and what it needs."""
    lines = ["| format | endings | what is read | written | needs |", "|---|---|---|---|---|"]
    return "\n".join([*lines, *map(_row, FORMATS.values()), ""])


def _row(known: Format) -> str:
    endings = ", ".join(known.endings) + (f", also with {PACKED}" if known.text else "")
    holds = listed([KINDS.get(kind, kind) for kind in known.holds], last=" or ")
    needs = f'`pip install "steadyset[{known.extra}]"`' if known.extra else ""
    return f"| {known.name} | {endings} | {holds} | {'yes' if known.write is not None else ''} | {needs} |"


def main() -> None:
    page = PAGE.read_text(encoding="utf-8")
    PAGE.write_text(BLOCK.sub(lambda found: f"{found[1]}{rows()}{found[2]}", page), encoding="utf-8")


if __name__ == "__main__":
    main()
