"""Writes the computed parts of properties.md anew: python docs/make_properties.py"""

from __future__ import annotations

import re
from pathlib import Path

import steadyset as st
from steadyset.certificates.properties import markdown_definitions, markdown_disagreements, markdown_table

PAGE = Path(__file__).with_name("properties.md")


def main() -> None:
    certificates = [st.certify(str(name)) for name in st.list_measures().index]
    parts = {
        "definitions": markdown_definitions(),
        "table": markdown_table(certificates),
        "disagreements": [line for certificate in certificates for line in markdown_disagreements(certificate)],
    }
    page = PAGE.read_text(encoding="utf-8")
    for name, lines in parts.items():
        inner = "\n".join(["", *lines, ""])
        page = re.sub(
            rf"(<!-- {name} -->\n).*?(<!-- end -->)",
            lambda found, inner=inner: found[1] + inner.lstrip("\n") + found[2],
            page,
            flags=re.DOTALL,
        )
    PAGE.write_text(page, encoding="utf-8")


if __name__ == "__main__":
    main()
