"""What notebooks show of a result: one small table in HTML that takes its colours from the page around it."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from html import escape
from typing import Any

from steadyset.io.labels import shown_name
from steadyset.wording import number

MOST_ROWS = 10
MOST_LETTERS, MOST_LETTERS_OF_WORDS = 200, 2_000  # of a name, which comes from a stranger, and of sentences
# Lines and tracks are half transparent and the blue is of middle lightness: both are seen on white and on black.
# The class is written twice so that the rules of notebooks for all tables are overruled.
STYLE = """
<style>
.steadyset.steadyset { display: inline-block; max-width: 100%; box-sizing: border-box; overflow-x: auto; color: inherit;
  padding: .6em .9em; border: 1px solid rgba(128, 128, 128, .4); border-radius: 6px; line-height: 1.4;
  font-variant-numeric: tabular-nums; }
.steadyset.steadyset p { margin: 0; max-width: 60em; }
.steadyset.steadyset .quiet { opacity: .75; font-size: .92em; }
.steadyset.steadyset table { margin: .4em 0; border: 0; border-collapse: collapse; font-size: .95em; }
.steadyset.steadyset table thead th { opacity: .75; font-weight: normal;
  border-bottom: 1px solid rgba(128, 128, 128, .4); }
.steadyset.steadyset table tbody tr, .steadyset.steadyset table tbody tr:hover { background: none; color: inherit; }
.steadyset.steadyset table tr > * { padding: .15em 1.2em .15em 0; border-width: 0; text-align: left;
  vertical-align: top; max-width: 30em; overflow: hidden; text-overflow: ellipsis; white-space: nowrap; }
.steadyset.steadyset table tr > .figure { text-align: right; }
.steadyset.steadyset table tr > .words { white-space: normal; }
.steadyset.steadyset .track { display: inline-block; position: relative; width: 8em; height: .7em; border-radius: 2px;
  background: rgba(128, 128, 128, .25); }
.steadyset.steadyset .track i { position: absolute; top: 0; bottom: 0; min-width: 2px; border-radius: 2px;
  background: #2a8fbd; }
.steadyset.steadyset .track .mark { background: currentColor; }
.steadyset.steadyset .track .range { opacity: .5; }
</style>
"""


@dataclass(frozen=True)
class Bar:
    """A number as a bar from 0, or as a mark within its interval."""

    value: float
    low: float | None = None
    high: float | None = None

    @property
    def numbers(self) -> list[float]:
        """What has to be on the scale."""
        given = (self.value, self.low, self.high)
        return [one for one in given if one is not None and math.isfinite(one)]


@dataclass(frozen=True)
class Words:
    """A sentence in a cell, which goes over several lines where it has to; other texts stay on one."""

    text: str


@dataclass(frozen=True)
class Figure:
    """A number that is written in its own way."""

    text: str


def card(
    kind: str,
    summary: str,
    header: Sequence[str] = (),
    rows: Sequence[Sequence[Any]] = (),
    *,
    more: str = "",
    notes: Sequence[str] = (),
) -> str:
    """The HTML of one result: what it is, a summary, a table, what the table leaves out, and notes.

    Cells are texts, Words, whole numbers, other numbers (with three decimals, a dash where undefined), Figures or Bars.
    Every text is escaped here, and nowhere else.
    """
    parts = [f"<p><b>{escape(kind)}</b> {_text(summary, MOST_LETTERS_OF_WORDS)}</p>"]
    if rows:
        columns = list(zip(*rows, strict=True))
        scales = [_scale(column) for column in columns]
        figures = [all(_is_figure(cell) for cell in column) for column in columns]
        titles = "".join(
            f'<th scope="col"{" class=figure" if figure else ""}>{_text(title)}</th>'
            for title, figure in zip(header, figures, strict=True)
        )
        body = "".join(f"<tr>{''.join(map(_cell, row, scales))}</tr>" for row in rows)
        parts.append(f"<table><thead><tr>{titles}</tr></thead><tbody>{body}</tbody></table>")
    parts += [f'<p class="quiet">{_text(note, MOST_LETTERS_OF_WORDS)}</p>' for note in (more, *notes) if note]
    return framed("".join(parts))


def framed(inner: str) -> str:
    """HTML in the look that all results share; formulas in it are not typeset, since a name may look like one."""
    return f'<div class="steadyset tex2jax_ignore mathjax_ignore">{STYLE}{inner}</div>'


def track(
    value: float, low: float | None = None, high: float | None = None, scale: tuple[float, float] = (0, 1)
) -> str:
    """A bar from 0 to a value, or an interval with a mark at the value."""
    start, end = scale

    def place(one: float) -> float:
        return 100 * (one - start) / (end - start)

    if not math.isfinite(value):
        return ""
    marks = f'<i style="left:{place(min(value, 0)):.1f}%;width:{abs(place(value) - place(0)):.1f}%"></i>'
    if low is not None and high is not None and math.isfinite(low) and math.isfinite(high):
        width = place(high) - place(low)
        # The mark is 2 pixels wide: at the right end it stands within the track.
        marks = (
            f'<i class="range" style="left:{place(low):.1f}%;width:{width:.1f}%"></i>'
            f'<i class="mark" style="left:min({place(value):.1f}%, 100% - 2px);width:2px"></i>'
        )
    return f'<span class="track" aria-hidden="true">{marks}</span>'


def _cell(cell: Any, scale: tuple[float, float]) -> str:
    if isinstance(cell, Bar):
        return f"<td>{track(cell.value, cell.low, cell.high, scale)}</td>"
    if isinstance(cell, Words):
        return f'<td class="words">{_text(cell.text, MOST_LETTERS_OF_WORDS)}</td>'
    if _is_figure(cell):
        return f'<td class="figure">{_figure(cell)}</td>'
    return f'<td title="{_escaped(str(cell), MOST_LETTERS)}">{_text(str(cell))}</td>'


def _is_figure(cell: Any) -> bool:
    return isinstance(cell, int | float | Figure)


def _figure(value: float | Figure) -> str:
    if isinstance(value, Figure):
        return _escaped(value.text, MOST_LETTERS)
    return f"{value:,}" if isinstance(value, int) else number(value, 3)


def _scale(column: Sequence[Any]) -> tuple[float, float]:
    """From 0 to 1, wider where a value is beyond."""
    values = [one for cell in column if isinstance(cell, Bar) for one in cell.numbers]
    return min(0.0, *values, 0.0), max(1.0, *values, 1.0)


def _text(text: str, most: int = MOST_LETTERS) -> str:
    """A text with a direction of its own: one from right to left turns nothing else."""
    return f"<bdi>{_escaped(text, most)}</bdi>"


def _escaped(text: str, most: int) -> str:
    shown = shown_name(text[:most])
    return escape(shown if len(text) <= most else f"{shown}…")
