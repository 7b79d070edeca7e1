"""The report as a PDF of A4 pages, made without a browser.

Each page is drawn as SVG and converted: pictures stay vectors, text stays text, every alphabet that has a font on the
machine is set, and fonts are embedded.
"""

from __future__ import annotations

import io
from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from html import escape
from itertools import accumulate
from typing import Any

from steadyset._version import __version__
from steadyset.findings import Findings
from steadyset.findings.box import question
from steadyset.findings.sections import Answer, Block, Bullets, Heading, TableBlock, Terms, Text
from steadyset.findings.tables import ReportTable, TableCell, bar_scale
from steadyset.foundation.errors import MissingExtraError
from steadyset.foundation.text import shown_name
from steadyset.plots.catalogue import RegisteredPicture
from steadyset.plots.drawing import converter, slim_svg, text_width, wrapped
from steadyset.plots.picture import INK, MUTED, POINTS_A_PIXEL, RULE, STEADY, extent
from steadyset.reports import Drawings, Part, document_of

WIDE, HIGH, MARGIN = 595.0, 842.0, 54.0  # points
ROOM, TALLEST = WIDE - 2 * MARGIN, HIGH - 2 * MARGIN
TEXT, SMALL, LINE = 9.5, 7.5, 1.35  # sizes of letters, and of a line in letters
HEADINGS = {1: 20.0, 2: 13.0, 3: 10.5}
GAP, INDENT = 6.0, 10.0
NARROWEST = 34.0  # a column of a table; those for which there is no room are left out
BAR = 46.0  # the bar of an interval
FONT = "Helvetica, Arial, 'Liberation Sans', sans-serif"


@dataclass(frozen=True)
class Box:
    """Something of a height. With `keep` what follows stands on the same page; `head` is repeated on a new one."""

    height: float
    draw: Callable[[float], str] = lambda y: ""
    keep: bool = False
    head: Box | None = None
    outline: str = ""


def pdf_of(found: Findings, parts: Collection[str] | None = None) -> bytes:
    """The document with its pictures, or only the parts of these names, as PDF."""
    writer = _writer()
    boxes = [*_heading(question(found), 1), *_paragraph(shown_name(found.about))] if parts is None else []
    boxes += [box for part in document_of(found, parts) for box in _boxes_of(part, found)]
    pages = _paginated([*boxes, *_paragraph(f"Made by steadyset {__version__}.")])
    for place, boxes in enumerate(pages):
        drawn = converter().svg_to_pdf(_page(boxes, place + 1, len(pages)))
        writer.append(io.BytesIO(drawn), import_outline=False)
        for box in boxes:
            if box.outline:
                writer.add_outline_item(box.outline, place)
    writer.add_metadata({"/Title": question(found), "/Creator": f"steadyset {__version__}"})
    content = io.BytesIO()
    writer.write(content)
    return content.getvalue()


def _writer() -> Any:
    try:
        from pypdf import PdfWriter
    except ImportError:
        raise MissingExtraError('A report as PDF needs pypdf: pip install "steadyset[report]".') from None
    return PdfWriter()


def _paginated(boxes: Sequence[Box]) -> list[list[Box]]:
    """Boxes on pages. Those that are kept together move together, if a page has room for them."""
    pages: list[list[Box]] = [[]]
    used, place = 0.0, 0
    while place < len(boxes):
        end = place
        while boxes[end].keep and end + 1 < len(boxes):
            end += 1
        together = boxes[place : end + 1]
        height = sum(box.height for box in together)
        if used and used + height > TALLEST:
            pages.append([])
            used = 0.0
            head = together[0].head
            if head is not None:
                pages[-1].append(head)
                used = head.height
        pages[-1] += together
        used += height
        place = end + 1
    return pages


def _page(boxes: Sequence[Box], number: int, n_pages: int) -> str:
    places = accumulate((box.height for box in boxes), initial=MARGIN)
    drawn = "".join(box.draw(y) for y, box in zip(places, boxes, strict=False))
    foot = HIGH - MARGIN / 2
    today = datetime.now(UTC).strftime("%Y-%m-%d")
    made = _text(MARGIN, foot, f"steadyset {__version__}, {today}", SMALL, MUTED)
    paged = _text(WIDE - MARGIN, foot, f"page {number} of {n_pages}", SMALL, MUTED, end=True)
    root = f'<svg xmlns="http://www.w3.org/2000/svg" width="{WIDE:g}" height="{HIGH:g}" viewBox="0 0 {WIDE:g} {HIGH:g}"'
    return f'{root} font-family="{FONT}">{drawn}{made}{paged}</svg>'


def _boxes_of(part: Part, found: Findings) -> Iterator[Box]:
    boxes = [*_heading(shown_name(part.title), 2)] if part.title else []
    for block in part.blocks:
        if isinstance(block, Drawings):  # the heading and the caption stay with the first picture
            boxes += _drawings(block.record, found, sum(box.height for box in boxes))
        else:
            boxes += _boxes(block, found, keep=part.is_drawn)
    yield from boxes


def _boxes(block: Block, found: Findings, *, keep: bool) -> Iterator[Box]:
    match block:
        case Heading(text):
            yield from _heading(shown_name(text), 3)
        case Text(_, small):
            style = (SMALL, MUTED) if small else (TEXT, INK)
            yield from _paragraph(shown_name(str(block)), *style, keep=keep)
        case Bullets(items) | Terms(items):
            for item in items:
                yield from _paragraph(shown_name(str(item)), bullet=True)
        case TableBlock(table):
            if block.heading:
                yield from _heading(shown_name(table.caption), 3)
            yield from _table(table, block.most, bar_scale(found.summary))
            if block.more:
                yield from _paragraph(block.more, SMALL, MUTED)
        case Answer(box):
            headline, *lines = box.lines()
            yield from _heading(shown_name(headline), 2)
            for said in lines:
                yield from _paragraph(shown_name(said), bullet=True)


def _heading(text: str, level: int) -> Iterator[Box]:
    size = HEADINGS[level]
    above = 0.0 if level == 1 else 1.2 * size
    for place, line in enumerate(wrapped(text, ROOM, size, bold=True)):
        before = above if place == 0 else 0.0
        outline = text if place == 0 and level == 2 else ""
        yield Box(before + LINE * size, _line(line, size, INK, down=before, bold=True), keep=True, outline=outline)
    yield Box(2.0, keep=True)


def _paragraph(
    text: str, size: float = TEXT, colour: str = INK, *, bullet: bool = False, keep: bool = False
) -> Iterator[Box]:
    indent = INDENT if bullet else 0.0
    lines = wrapped(text, ROOM - indent, size)
    for place, line in enumerate(lines):
        first, last = place == 0, place == len(lines) - 1
        mark = "•" if bullet and first else ""
        draw = _line(line, size, colour, right=indent, mark=mark)
        below = (2.0 if bullet else GAP) if last else 0.0
        alone = (first or place == len(lines) - 2) and not last  # no line of a paragraph stands alone on a page
        yield Box(LINE * size + below, draw, keep=keep or alone)


def _line(
    text: str, size: float, colour: str, *, right: float = 0.0, down: float = 0.0, bold: bool = False, mark: str = ""
) -> Callable[[float], str]:
    def draw(y: float) -> str:
        base = y + down + size
        marked = _text(MARGIN, base, mark, size, colour) if mark else ""
        return marked + _text(MARGIN + right, base, text, size, colour, bold=bold)

    return draw


def _text(x: float, y: float, text: str, size: float, colour: str, *, bold: bool = False, end: bool = False) -> str:
    style = ' font-weight="bold"' if bold else ""
    anchor = ' text-anchor="end"' if end else ""
    place = f'x="{x:.1f}" y="{y:.1f}" font-size="{size:g}" fill="{colour}"'
    return f"<text {place}{style}{anchor}>{escape(text)}</text>"


def _table(table: ReportTable, most: int | None, scale: tuple[float, float]) -> Iterator[Box]:
    """A table whose columns share the width of the page: the widest give way, and their texts break."""
    rows = table.rows[:most]
    titles = [shown_name(column.title) for column in table.columns]
    natural = [
        GAP + max([text_width(title, SMALL, bold=True), *(_cell_width(row.cells[place]) for row in rows)])
        for place, title in enumerate(titles)
    ]
    shown = min(len(titles), int(ROOM // NARROWEST))
    widths = _shared_out(natural[:shown])
    starts = list(accumulate(widths, initial=MARGIN))
    right = [not column.is_text and place > 0 for place, column in enumerate(table.columns)]

    def row_box(cells: Sequence[TableCell], *, bold: bool, colour: str, head: Box | None) -> Box:
        lines = [
            wrapped(cell.text, width - GAP - (BAR + GAP if cell.bar else 0), SMALL, bold=bold)
            for cell, width in zip(cells, widths, strict=False)
        ]
        height = max(map(len, lines)) * LINE * SMALL + 4.0

        def draw(y: float) -> str:
            parts = [_rule(y + height - 1.0, starts[-1])]
            for place, (cell, told) in enumerate(zip(cells, lines, strict=False)):
                at_end = right[place]
                x = starts[place] + (widths[place] - GAP if at_end else 0.0)
                for number, line in enumerate(told):
                    base = y + 2.0 + number * LINE * SMALL + SMALL
                    parts.append(_text(x, base, line, SMALL, colour, bold=bold, end=at_end))
                if cell.bar is not None:
                    parts.append(_bar(starts[place], y + 2.0 + SMALL * 0.7, cell.bar, scale))
            return "".join(parts)

        return Box(height, draw, keep=bold, head=head)

    heads = [TableCell(title, ()) for title in titles]
    head = row_box(heads, bold=True, colour=MUTED, head=None)
    yield head
    for row in rows:
        yield row_box(row.cells, bold=False, colour=MUTED if row.is_baseline else INK, head=head)
    if shown < len(titles):
        yield from _paragraph(f"{len(titles) - shown} more columns in the page and in the csv files.", SMALL, MUTED)
    yield Box(GAP)


def _cell_width(cell: TableCell) -> float:
    return text_width(cell.text, SMALL) + (BAR + GAP if cell.bar else 0)


def _shared_out(natural: Sequence[float]) -> list[float]:
    """The widths of columns; where the page is too narrow for all, the widest get the same."""
    if sum(natural) <= ROOM:
        return list(natural)
    left, widths = ROOM, dict[int, float]()
    order = sorted(range(len(natural)), key=natural.__getitem__)
    for place, column in enumerate(order):
        widths[column] = min(natural[column], left / (len(order) - place))
        left -= widths[column]
    return [widths[column] for column in range(len(natural))]


def _rule(y: float, end: float) -> str:
    return f'<line x1="{MARGIN:g}" x2="{end:.1f}" y1="{y:.1f}" y2="{y:.1f}" stroke="{RULE}" stroke-width="0.5"/>'


def _bar(x: float, y: float, ends: tuple[float, float, float], scale: tuple[float, float]) -> str:
    low, estimate, high = (x + BAR * (end - scale[0]) / (scale[1] - scale[0]) for end in ends)
    return (
        f'<line x1="{x:.1f}" x2="{x + BAR:.1f}" y1="{y:.1f}" y2="{y:.1f}" stroke="{RULE}"/>'
        f'<line x1="{low:.1f}" x2="{high:.1f}" y1="{y:.1f}" y2="{y:.1f}" stroke="{STEADY}" stroke-width="2"/>'
        f'<circle cx="{estimate:.1f}" cy="{y:.1f}" r="2.2" fill="{STEADY}"/>'
    )


def _drawings(record: RegisteredPicture, found: Findings, above: float) -> Iterator[Box]:
    """The pictures of a kind, each with the name of its procedure; `above` is the height of what stands above all."""
    for place, (name, picture) in enumerate(record.of(found).items()):
        heads = [*_heading(shown_name(name), 3)] if name and len(found.selections) > 1 else []
        yield from heads
        svg = slim_svg(picture.svg(), f"{record.name}-{place}", record.title)
        yield _picture(svg, TALLEST - above - sum(box.height for box in heads))
        above = 0.0


def _picture(svg: str, most: float) -> Box:
    width, height = extent(svg)
    scale = min(POINTS_A_PIXEL, ROOM / width, (most - GAP) / height)
    inner = svg[svg.index(">") + 1 :]
    size = f'width="{width * scale:.2f}" height="{height * scale:.2f}" viewBox="0 0 {width:g} {height:g}"'

    def draw(y: float) -> str:
        return f'<svg x="{MARGIN:g}" y="{y:.2f}" {size}>{inner}'

    return Box(height * scale + GAP, draw)
