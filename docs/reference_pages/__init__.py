"""The pages of the reference that are made of the code, as an extension of Sphinx: written before every build.

Each module has a function `pages()` that gives texts by their paths in docs/reference; none of them is committed.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

from reference_pages import api, catalogues, commands, docstrings, links, mathml, measures, signatures

if TYPE_CHECKING:
    from sphinx.application import Sphinx

Pages = Iterator[tuple[str, str]]
PARTS: tuple[Callable[[], Pages], ...] = (api.pages, commands.pages, measures.pages, catalogues.pages)


def write_pages(folder: Path) -> None:
    """Write every page that is new or has changed, and remove what the code no longer has."""
    written = set()
    for part in PARTS:
        for name, text in part():
            page = folder / name
            page.parent.mkdir(parents=True, exist_ok=True)
            if not page.is_file() or page.read_text(encoding="utf-8") != text:
                page.write_text(text, encoding="utf-8")
            written.add(page)
    for page in folder.glob("*/**/*.*"):
        if page.is_file() and page not in written:
            page.unlink()


def setup(app: Sphinx) -> dict[str, Any]:
    app.add_html_math_renderer(
        mathml.RENDERER,
        inline_renderers=(mathml.inline, None),
        block_renderers=(mathml.block, None),
    )
    app.connect("autodoc-process-signature", signatures.readable, priority=100)
    app.connect("autodoc-process-docstring", docstrings.as_plain_text, priority=900)
    app.connect("autodoc-skip-member", docstrings.is_foreign)
    app.connect("doctree-resolved", links.link_names)
    app.connect("missing-reference", links.link_types)
    app.connect("builder-inited", lambda app: write_pages(Path(app.srcdir) / "reference"), priority=100)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
