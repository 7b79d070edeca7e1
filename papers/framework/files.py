"""Files of results: JSON in and out, and texts that are written whole or not at all."""

from __future__ import annotations

import dataclasses
import json
import math
import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from steadyset import InputError


def read_json(path: Path) -> Any:
    """What a JSON file holds; a key that occurs twice in an object is an error."""
    try:
        return json.loads(path.read_text(encoding="utf-8"), object_pairs_hook=_distinct)
    except ValueError as error:
        raise InputError(f"{path} is not well-formed JSON: {error}") from None


def _distinct(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    for key in found:
        if sum(key == other for other, _ in pairs) > 1:
            raise ValueError(f"The key {key!r} occurs twice.")
    return found


def json_text(value: Any) -> str:
    """Any result as the text of a JSON file."""
    return json.dumps(plain(value), indent=1, allow_nan=False, ensure_ascii=False) + "\n"


def plain(value: Any) -> Any:
    """Any result as what JSON knows; None for nan and infinities."""
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        return {part.name: plain(getattr(value, part.name)) for part in dataclasses.fields(value)}
    if isinstance(value, Mapping):
        return {str(key): plain(one) for key, one in value.items()}
    if isinstance(value, (list, tuple)):
        return [plain(one) for one in value]
    if hasattr(value, "item"):  # a number of NumPy
        value = value.item()
    return None if isinstance(value, float) and not math.isfinite(value) else value


def write_file(path: Path, text: str) -> None:
    """Write a text beside the file and rename it: an interrupted run leaves the old file or the new one."""
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        beside = path.with_name(f"{path.name}.{os.getpid()}")
        beside.write_text(text, encoding="utf-8")
        beside.replace(path)
    except OSError as error:
        raise InputError(f"{path} cannot be written: {error.strerror}.") from None
