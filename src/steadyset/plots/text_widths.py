"""How wide a text is before it is drawn: where its lines break, and where it ends if there is no room."""

from __future__ import annotations

import unicodedata
from functools import cache

# In Liberation Sans, which has the widths of Helvetica and Arial, in hundredths of the size of the letters.
WIDTHS = {
    19: "'", 22: "ijl", 26: "|", 28: " !,./:;I[\\]ft", 33: "()-`r{}", 35: '"', 39: "*", 47: "^", 50: "Jcksvxyz",
    56: "#$0123456789?L_abdeghnopqu", 58: "+<=>~", 61: "FTZ", 67: "&ABEKPSVXY", 72: "CDHNRUw", 78: "GOQ", 83: "Mm",
    89: "%", 94: "W", 102: "@",
}  # fmt: skip
LETTERS = {letter: width / 100 for width, letters in WIDTHS.items() for letter in letters}
ROUNDING, ELLIPSIS = 1e-6, "…"
BOLD = 1.08  # times as wide, as a rule


def text_width(text: str, size: float, *, bold: bool = False) -> float:
    """The width of a text; that of other alphabets is a careful guess."""
    return sum(map(_letter, text)) * size * (BOLD if bold else 1)


def wrapped(text: str, width: float, size: float, *, bold: bool = False) -> list[str]:
    """Lines that are no wider than that: broken between words, and within a word that is wider."""
    lines, line, used = [], "", 0.0
    space = text_width(" ", size, bold=bold)
    for word in text.split():
        needed = text_width(word, size, bold=bold)
        if line and used + space + needed <= width + ROUNDING:
            line, used = f"{line} {word}", used + space + needed
            continue
        if line:
            lines.append(line)
        *full, line = _pieces(word, width, size, bold)
        lines += full
        used = text_width(line, size, bold=bold)
    return [*lines, line] if line or not lines else lines


def shortened(text: str, width: float, size: float, *, bold: bool = False) -> str:
    """A text that is no wider than that: the end of a longer one is left out."""
    if text_width(text, size, bold=bold) <= width:
        return text
    kept = _pieces(text, width - text_width(ELLIPSIS, size, bold=bold), size, bold)[0]
    return kept.rstrip() + ELLIPSIS


def _pieces(word: str, width: float, size: float, bold: bool) -> list[str]:
    """A word in pieces that are no wider than that; a mark stays with the letter that carries it."""
    pieces, piece, used = [], "", 0.0
    for letter in word:
        needed = text_width(letter, size, bold=bold)
        if piece and needed and used + needed > width + ROUNDING:
            pieces.append(piece)
            piece, used = "", 0.0
        piece, used = piece + letter, used + needed
    return [*pieces, piece]


@cache
def _letter(letter: str) -> float:
    if letter in LETTERS:
        return LETTERS[letter]
    if unicodedata.combining(letter):
        return 0.0
    if unicodedata.east_asian_width(letter) in "WF":
        return 1.0
    return 0.8 if letter.isupper() else 0.65
