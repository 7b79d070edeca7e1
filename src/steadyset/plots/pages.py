"""A picture as a page of its own: one file that opens without a network and asks nothing of anybody."""

from __future__ import annotations

import json
from collections.abc import Mapping
from functools import cache
from typing import Any

from steadyset.foundation.errors import MissingExtraError

PAGE = """<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>steadyset</title>
<style>body {{ margin: 1rem; background: white; }} #picture {{ max-width: 100%; overflow-x: auto; }}</style>
</head>
<body>
<div id="picture"></div>
<script>{library}</script>
<script>
vegaEmbed("#picture", {specification}, {{renderer: "svg", ast: true, actions: {{export: true, source: false, compiled: false, editor: false}}}});
</script>
</body>
</html>
"""  # noqa: E501


def converter() -> Any:
    """vl-convert, or a sentence on how to get it."""
    try:
        import vl_convert
    except ImportError:
        raise MissingExtraError('Saving pictures needs vl-convert: pip install "steadyset[report]".') from None
    return vl_convert


@cache
def drawing_library() -> str:
    """The JavaScript of Vega, Vega-Lite and Vega-Embed: it sets vegaEmbed, vega and vegaLite, and may stand in a page.

    Putting it together takes seconds, so it is done once.
    """
    return f"(() => {{{converter().javascript_bundle()}\n}})();"  # its own names stay within


def script_json(value: Any) -> str:
    """JSON that may stand within a script: names in it cannot end the script."""
    text = json.dumps(value, allow_nan=False)
    return text.replace("<", "\\u003c").replace(">", "\\u003e").replace("&", "\\u0026")


def page(specification: Mapping[str, Any]) -> str:
    """A specification of Vega-Lite as HTML."""
    return PAGE.format(library=drawing_library(), specification=script_json(specification))
