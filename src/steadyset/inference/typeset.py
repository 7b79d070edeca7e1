"""Tables as Markdown and LaTeX; what people call their procedures is escaped."""

from __future__ import annotations

from collections.abc import Sequence

LATEX = {
    "\\": r"\textbackslash{}",
    "{": r"\{",
    "}": r"\}",
    "$": r"\$",
    "&": r"\&",
    "#": r"\#",
    "%": r"\%",
    "_": r"\_",
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
    "<": r"\textless{}",
    ">": r"\textgreater{}",
}
MARKDOWN = str.maketrans({character: f"\\{character}" for character in "\\`*_{}[]<>#|"} | {"\n": " ", "\r": " "})


def markdown_table(header: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """A pipe table with aligned columns; numbers to the right."""
    cells = [[text.translate(MARKDOWN) for text in row] for row in rows]
    titles = [text.translate(MARKDOWN) for text in header]
    widths = [max(len(row[c]) for row in [titles, *cells]) for c in range(len(titles))]
    right = [all(_is_number(row[c]) for row in cells) for c in range(len(titles))]
    lines = ["| " + " | ".join(text.ljust(width) for text, width in zip(titles, widths, strict=True)) + " |"]
    lines.append(
        "|" + "|".join("-" * (width + 1) + (":" if r else "-") for width, r in zip(widths, right, strict=True)) + "|"
    )
    lines += [
        "| " + " | ".join(x.rjust(w) if r else x.ljust(w) for x, w, r in zip(row, widths, right, strict=True)) + " |"
        for row in cells
    ]
    return "\n".join(lines)


def latex_table(header: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """A tabular with the rules of booktabs."""
    right = [all(_is_number(row[c]) for row in rows) for c in range(len(header))]
    lines = [f"\\begin{{tabular}}{{{''.join('r' if r else 'l' for r in right)}}}", "\\toprule"]
    lines += [_latex_row(header), "\\midrule", *(_latex_row(row) for row in rows), "\\bottomrule", "\\end{tabular}"]
    return "\n".join(lines)


def latex_escaped(text: str) -> str:
    return "".join(LATEX.get(character, character) for character in text.replace("\n", " ").replace("\r", " "))


def _latex_row(row: Sequence[str]) -> str:
    return " & ".join(latex_escaped(text) for text in row) + r" \\"


def _is_number(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return True
