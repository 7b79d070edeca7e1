"""Writes the computed parts of properties.md anew: python docs/make_properties.py"""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path

import steadyset as st
from steadyset.certificates.properties import AGAINST, PROPERTIES, SIGNS, definition, markdown_disagreements

PAGE = Path(__file__).with_name("properties.md")
RESULTS = Path(__file__).with_name("reproduction")
ROOT = Path(__file__).parents[1]
HOLDS = "reproduced"
PLACE = re.compile(r"(Theorem|Lemma|Corollary|Property|Equation|Section|Table|Appendix) ?[A-Z0-9]")


def main() -> None:
    certificates = [st.certify(str(name)) for name in st.list_measures().index]
    parts = {
        "definitions": markdown_definitions(),
        "conventions": markdown_conventions(),
        "table": markdown_table(certificates),
        "statements": markdown_statements(),
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


def markdown_table(certificates: Sequence[st.Certificate]) -> list[str]:
    """One row per measure and one column per property; ≠ marks where a paper says otherwise."""
    head = ["measure", *(name.replace("_", " ") for name in PROPERTIES)]
    return [_row(head), _row(["---"] * len(head)), *map(markdown_row, certificates)]


def markdown_row(certificate: st.Certificate) -> str:
    against = certificate.disagreements()
    cells = [
        SIGNS[verdict.holds] + (AGAINST if name in against else "") for name, verdict in certificate.properties.items()
    ]
    return _row([certificate.measure, *cells])


def markdown_definitions() -> list[str]:
    return [_row(["property", "what is checked"]), _row(["---", "---"])] + [
        _row([name.replace("_", " "), definition(name)]) for name in PROPERTIES
    ]


def markdown_conventions() -> list[str]:
    """One row per measure whose source states a value where the formula has none."""
    records = [st.get_measure(str(name)) for name in st.list_measures().index]
    lines = [_row(["measure", "undefined here", "value in the source"]), _row(["---"] * 3)]
    return lines + [_row([one.name, one.undefined, one.convention]) for one in records if one.convention]


def markdown_statements() -> list[str]:
    """One table per paper: each statement with its page, its verdict, and the condition or counter-example."""
    if str(ROOT) not in sys.path:
        sys.path.append(str(ROOT))  # where the reproductions lie
    from papers.framework import all_papers
    from papers.statements import STATEMENTS

    lines: list[str] = []
    papers = all_papers()
    for paper, items in STATEMENTS.items():
        rows = [
            (named_statement(one, row["what"]), row) for one in items for row in _results(f"{paper}-{one}-fast.json")
        ]
        table = [_row([escaped(cell) for cell in (text, row["verdict"], _because(row))]) for text, row in rows]
        title = papers[paper].title.split(":")[0]
        lines += [f"### {title}", "", _row(["statement", "verdict", "computed"]), _row(["---"] * 3), *table, ""]
    return lines[:-1]


def named_statement(item: str, text: str) -> str:
    """Return the text of a statement with the place in the paper, unless it begins with one."""
    place = item.replace("-", " ").capitalize()
    return text if PLACE.match(text) else f"{place}: {text}"


def _because(row: Mapping[str, str]) -> str:
    """Return what was seen, and the condition under which a corrected statement holds."""
    found = row["ours"]
    return found if row["verdict"] == HOLDS else f"{row['reason']} Computed: {found}."


def _results(name: str) -> list[dict[str, str]]:
    return list(json.loads((RESULTS / name).read_text(encoding="utf-8"))["rows"])


def escaped(text: str) -> str:
    return re.sub(r"([|*_<>{}\[\]`])", r"\\\1", text)


def _row(cells: Sequence[str]) -> str:
    return "| " + " | ".join(cells) + " |"


if __name__ == "__main__":
    main()
