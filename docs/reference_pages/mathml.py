"""Formulas as MathML, which browsers draw themselves: no script, and nothing from the network."""

from __future__ import annotations

from typing import Any

from docutils import nodes
from docutils.utils.math import latex2mathml

RENDERER = "mathml"


def inline(writer: Any, node: nodes.math) -> None:
    writer.body.append(f'<span class="math">{_drawn(node.astext(), as_block=False)}</span>')
    raise nodes.SkipNode


def block(writer: Any, node: nodes.math_block) -> None:
    writer.body.append(writer.starttag(node, "div", CLASS="math"))
    writer.body.append(_drawn(node.astext(), as_block=True))
    writer.body.append("</div>\n")
    raise nodes.SkipNode


def _drawn(tex: str, *, as_block: bool) -> str:
    return latex2mathml.tex2mathml(tex, as_block=as_block)
