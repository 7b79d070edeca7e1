"""The report as a Word document, written as the zip archive of XML that it is; pictures are in it as PNG."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from html import escape

from steadyset._version import __version__
from steadyset.findings import Findings
from steadyset.findings.box import question
from steadyset.findings.sections import Answer, Block, Bullets, Heading, TableBlock, Terms, Text
from steadyset.findings.tables import ReportTable
from steadyset.foundation.text import shown_name
from steadyset.io.formats.spreadsheet import NOT_IN_XML, OFFICE, PACKAGE, office_package, relations
from steadyset.plots.drawing import converter
from steadyset.plots.picture import Picture, extent
from steadyset.reports import Drawings, document_of

WORD = "http://schemas.openxmlformats.org/wordprocessingml/2006/main"
DRAWING = "http://schemas.openxmlformats.org/drawingml/2006"
KIND = "application/vnd.openxmlformats-officedocument.wordprocessingml"
ROOM, PIXEL = 5_760_000, 9_525  # widths in the units of the format: of the text, and of a pixel
SIZES = {"Title": 36, "Heading1": 28, "Heading2": 24, "Heading3": 22, "Small": 17}  # half points


def docx_of(found: Findings, parts: Collection[str] | None = None) -> bytes:
    """The document, or only the parts of these names, as the content of a .docx file."""
    pictures: list[bytes] = []
    body = [_paragraph(question(found), "Title"), _paragraph(found.about, "Small")] if parts is None else []
    for part in document_of(found, parts):
        body += [_paragraph(part.title, "Heading1")] if part.title else []
        for block in part.blocks:
            body += _drawn(block, found, pictures) if isinstance(block, Drawings) else _written(block)
    body.append(_paragraph(f"Made by steadyset {__version__}.", "Small"))
    links = [(f"{OFFICE}/styles", "styles.xml"), *((f"{OFFICE}/image", f"media/{i}.png") for i in range(len(pictures)))]
    names = f'xmlns:w="{WORD}" xmlns:r="{OFFICE}" xmlns:a="{DRAWING}/main" xmlns:pic="{DRAWING}/picture" '
    names += f'xmlns:wp="{DRAWING}/wordprocessingDrawing"'
    return office_package(
        {
            "[Content_Types].xml": f'<Types xmlns="{PACKAGE}/content-types">'
            '<Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/>'
            '<Default Extension="png" ContentType="image/png"/>'
            f'<Override PartName="/word/document.xml" ContentType="{KIND}.document.main+xml"/>'
            f'<Override PartName="/word/styles.xml" ContentType="{KIND}.styles+xml"/></Types>',
            "_rels/.rels": relations([(f"{OFFICE}/officeDocument", "word/document.xml")]),
            "word/_rels/document.xml.rels": relations(links),
            "word/styles.xml": _styles(),
            "word/document.xml": f"<w:document {names}><w:body>{''.join(body)}</w:body></w:document>",
            **{f"word/media/{i}.png": content for i, content in enumerate(pictures)},
        }
    )


def _styles() -> str:
    base = '<w:rPr><w:rFonts w:ascii="Calibri" w:hAnsi="Calibri"/><w:sz w:val="21"/></w:rPr>'
    every = []
    for place, (name, size) in enumerate(SIZES.items()):
        outline = f'<w:keepNext/><w:outlineLvl w:val="{place - 1}"/>' if name.startswith("Heading") else ""
        look = '<w:color w:val="55616D"/>' if name == "Small" else "<w:b/>"
        every.append(
            f'<w:style w:type="paragraph" w:styleId="{name}"><w:name w:val="{name.replace("Heading", "heading ")}"/>'
            f'<w:pPr>{outline}<w:spacing w:before="160" w:after="60"/></w:pPr>'
            f'<w:rPr>{look}<w:sz w:val="{size}"/></w:rPr></w:style>'
        )
    normal = '<w:pPrDefault><w:pPr><w:spacing w:after="100"/></w:pPr></w:pPrDefault>'
    defaults = f"<w:docDefaults><w:rPrDefault>{base}</w:rPrDefault>{normal}</w:docDefaults>"
    return f'<w:styles xmlns:w="{WORD}">{defaults}{"".join(every)}</w:styles>'


def _paragraph(text: str, style: str = "", *, bold: bool = False) -> str:
    named = f'<w:pPr><w:pStyle w:val="{style}"/></w:pPr>' if style else ""
    look = "<w:rPr><w:b/></w:rPr>" if bold else ""
    return f'<w:p>{named}<w:r>{look}<w:t xml:space="preserve">{_text(text)}</w:t></w:r></w:p>'


def _text(text: str) -> str:
    return escape(NOT_IN_XML.sub("", shown_name(text)), quote=False)


def _written(block: Block) -> Iterator[str]:
    match block:
        case Heading(text):
            yield _paragraph(text, "Heading2")
        case Text(_, small):
            yield _paragraph(str(block), "Small" if small else "")
        case Bullets(items) | Terms(items):
            yield from (_paragraph(f"• {item}") for item in items)
        case TableBlock(table):
            if block.heading:
                yield _paragraph(table.caption, "Heading3")
            yield _table(table, block.most)
            yield _paragraph(block.more, "Small")
        case Answer(box):
            headline, *lines = box.lines()
            yield _paragraph(headline, "Heading1")
            yield from (_paragraph(f"• {line}") for line in lines)


def _table(table: ReportTable, most: int | None) -> str:
    lines = "".join(f'<w:{side} w:val="single" w:sz="4" w:color="DDE3E9"/>' for side in ("top", "bottom", "insideH"))
    rows = [[column.title for column in table.columns], *table.texts(most)]
    written = (
        "".join(f"<w:tc>{_paragraph(cell, 'Small' if place else '', bold=not place)}</w:tc>" for cell in row)
        for place, row in enumerate(rows)
    )
    look = f'<w:tblPr><w:tblW w:w="5000" w:type="pct"/><w:tblBorders>{lines}</w:tblBorders></w:tblPr>'
    grid = f"<w:tblGrid>{'<w:gridCol/>' * len(table.columns)}</w:tblGrid>"
    return f"<w:tbl>{look}{grid}{''.join(f'<w:tr>{cells}</w:tr>' for cells in written)}</w:tbl>"


def _drawn(block: Drawings, found: Findings, pictures: list[bytes]) -> Iterator[str]:
    for name, picture in block.record.of(found).items():
        if name and len(found.selections) > 1:
            yield _paragraph(name, "Heading3")
        yield _picture(picture, len(pictures))
        pictures.append(bytes(converter().vegalite_to_png(picture.specification(), scale=2)))


def _picture(picture: Picture, place: int) -> str:
    width, height = (side * PIXEL for side in extent(picture.svg()))
    scale = min(1.0, ROOM / width)
    size = f'cx="{width * scale:.0f}" cy="{height * scale:.0f}"'
    # The styles are the first relation, and pictures follow.
    shape = (
        f'<pic:pic><pic:nvPicPr><pic:cNvPr id="{place + 1}" name="picture {place + 1}"/><pic:cNvPicPr/></pic:nvPicPr>'
        f'<pic:blipFill><a:blip r:embed="rId{place + 2}"/><a:stretch><a:fillRect/></a:stretch></pic:blipFill>'
        f'<pic:spPr><a:xfrm><a:off x="0" y="0"/><a:ext {size}/></a:xfrm><a:prstGeom prst="rect"><a:avLst/>'
        "</a:prstGeom></pic:spPr></pic:pic>"
    )
    described = escape(NOT_IN_XML.sub("", shown_name(picture.description)))
    return (
        f'<w:p><w:r><w:drawing><wp:inline><wp:extent {size}/><wp:docPr id="{place + 1}" name="picture {place + 1}" '
        f'descr="{described}"/><a:graphic><a:graphicData uri="{DRAWING}/picture">{shape}</a:graphicData></a:graphic>'
        "</wp:inline></w:drawing></w:r></w:p>"
    )
