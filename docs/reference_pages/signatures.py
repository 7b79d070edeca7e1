"""Signatures as they are written in the code: short names of types, and choices instead of the names of their lists."""

from __future__ import annotations

import inspect
import re
import types
import typing
from typing import Any

import numpy as np
from sphinx.util.inspect import stringify_signature
from sphinx.util.typing import stringify_annotation

NAME = re.compile(r"(?<![\w.'\"])[A-Za-z_]\w*(?![\w.'\"])")
CHOICES = (typing.Literal, typing.Union, types.UnionType)


def readable(
    app: Any, what: str, name: str, thing: Any, options: Any, arguments: str | None, result: str | None
) -> tuple[str, str] | None:
    """What autodoc shows behind a name; None leaves that to others."""
    if arguments is None or what not in ("function", "method", "class", "exception"):
        return None
    try:
        given = inspect.signature(thing)
    except (TypeError, ValueError):
        return None
    names = _known_names(thing)
    parameters = [
        one.replace(annotation=_written(one.annotation, names))
        for one in given.parameters.values()
        if one.name != "self" and not one.name.startswith("_")
    ]
    shown = stringify_signature(inspect.Signature(parameters), unqualified_typehints=True, short_literals=True)
    if what in ("class", "exception") or given.return_annotation in (inspect.Signature.empty, None, "None"):
        return shown, ""
    return shown, str(_written(given.return_annotation, names))


def _known_names(thing: Any) -> dict[str, Any]:
    function = inspect.unwrap(getattr(thing, "__init__", thing) if inspect.isclass(thing) else thing)
    return getattr(function, "__globals__", None) or vars(inspect.getmodule(thing) or types.ModuleType("none"))


def _written(annotation: Any, names: dict[str, Any]) -> Any:
    """An annotation as a text; names of choices and of arrays are replaced by what they stand for."""
    if annotation is inspect.Signature.empty:
        return annotation
    text = annotation if isinstance(annotation, str) else _of_type(annotation)
    text = NAME.sub(lambda found: _stands_for(found[0], names.get(found[0])), text)
    return text.replace("'", '"')  # Sphinx takes single quotes at both ends for those of an annotation as text


def _stands_for(name: str, value: Any) -> str:
    if typing.get_origin(value) is np.ndarray or typing.get_origin(value) in CHOICES:
        return _of_type(value)
    return name


def _of_type(kind: Any) -> str:
    if typing.get_origin(kind) is np.ndarray:
        return "np.ndarray"
    if typing.get_origin(kind) in CHOICES[1:]:
        return " | ".join(_of_type(one) for one in typing.get_args(kind))
    return stringify_annotation(kind, "smart", short_literals=True)
