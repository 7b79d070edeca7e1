"""Writes the table of selectors-filters.md anew: python docs/make_filters.py"""

from __future__ import annotations

import re
from pathlib import Path

from steadyset.selectors.catalogue import selector_entry
from steadyset.selectors.filters import Filter, get_filter, list_filters

PAGE = Path(__file__).with_name("selectors-filters.md")
BAR = r"\|"  # within a table
BLOCK = re.compile(r"(<!-- filters -->\n).*?(<!-- end -->)", re.DOTALL)


def rows() -> str:
    """One row per filter: the formula of its score, the target, the bins of features, and the weights that it takes."""
    lines = ["| filter | score of feature X | target | bins | weights |", "|---|---|---|---|---|"]
    lines += map(_row, map(get_filter, list_filters().index))
    return "\n".join([*lines, ""])


def _row(record: Filter) -> str:
    weights = "counts of rows" if record.stochastic else "any, batched" if record.batched else "any"
    bins = f"`{record.needs_discrete}`" if record.needs_discrete else ""
    target = selector_entry(record.name)["target"]
    return f"| `{record.name}` | {record.formula.replace('|', BAR)} | {target} | {bins} | {weights} |"


def main() -> None:
    page = PAGE.read_text(encoding="utf-8")
    PAGE.write_text(BLOCK.sub(lambda found: f"{found[1]}{rows()}{found[2]}", page), encoding="utf-8")


if __name__ == "__main__":
    main()
