"""Writes the answers in which-measure.md anew: python docs/make_which_measure.py"""

from __future__ import annotations

import itertools
import re
from pathlib import Path

import steadyset as st

PAGE = Path(__file__).with_name("which-measure.md")
BLOCK = re.compile(r"(<!-- answers -->\n).*?(<!-- end -->)", re.DOTALL)
SIZES = {"fixed": "all runs select the same number of features", "vary": "the number of features varies"}
HEADER = ("Similar features count as alike?", "Importances count?", "Same size in every run: take", "Sizes vary: take")


def advised() -> list[tuple[st.Advice, list[str]]]:
    """Every answer, with the answers to the questions that lead to it."""
    found: dict[str, tuple[st.Advice, list[str]]] = {}
    for importances, correlated, sizes in itertools.product((False, True), (False, True), SIZES):
        advice = st.which_measure(sizes=sizes, correlated=correlated, importances=importances)
        told = [SIZES[sizes], "similar features count as alike"] if correlated else [SIZES[sizes]]
        told += ["importances count"] if importances else []
        found.setdefault(str(advice), (advice, []))[1].append(", ".join(told))
    return list(found.values())


def answers() -> str:
    """The table of the questions, and a section for each answer."""
    return f"{_guide()}\n{_sections()}"


def _guide() -> str:
    lines = [f"| {' | '.join(HEADER)} |", f"|{'---|' * len(HEADER)}"]
    for correlated, importances in itertools.product((False, True), (False, True)):
        cells = ["yes" if answer else "no" for answer in (correlated, importances)]
        for sizes in SIZES:
            advice = st.which_measure(sizes=sizes, correlated=correlated, importances=importances)
            others = ", ".join(f"`{name}`" for name in advice.instead)
            cells.append(f"**`{advice.measure}`**; beside it {others}")
        lines.append(f"| {' | '.join(cells)} |")
    return "\n".join([*lines, ""])


def _sections() -> str:
    """A section for each answer, under the answers to the questions that lead to it."""
    lines: list[str] = []
    for advice, (first, *others) in advised():
        lines += [f"### {advice.measure}: {first}", ""]
        lines += [line for case in others for line in (f"Also where {case}.", "")]
        lines += ["Why:", ""]
        lines += [*(f"- {reason}" for reason in advice.because), "", "Instead, or beside it:", ""]
        lines += [*(f"- `{name}`: {when}" for name, when in advice.instead.items()), ""]
    return "\n".join(lines)


def main() -> None:
    page = PAGE.read_text(encoding="utf-8")
    PAGE.write_text(BLOCK.sub(lambda found: f"{found[1]}{answers()}{found[2]}", page), encoding="utf-8")


if __name__ == "__main__":
    main()
