"""Pictures as data: what is kept of each, and how two are compared.

Each picture NAME of steadyset has a test file `test_NAME.py` here, whose function `small()` builds it from a small
input that never changes. Its frame and its specification stand in `golden/NAME.json`.
"""

from __future__ import annotations

import importlib
import json
import math
import re
from functools import cache
from pathlib import Path
from typing import Any

from steadyset.findings.parts import plain
from steadyset.plots import Picture, catalogue

FOLDER = Path(__file__).parent / "golden"
NAMES = tuple(catalogue.PICTURES)  # before any test adds its own
KEPT = tuple(sorted(path.stem for path in FOLDER.iterdir()))  # those that somebody looked at and kept
SIGNIFICANT = 10  # digits that are kept
COUNTED = re.compile(r"\b(data|param|view|concat|layer|hconcat|vconcat)[-_][0-9a-f]+\b")  # names that Altair numbers


@cache
def small(name: str) -> Picture:
    """The picture of a small input, built and drawn once for all tests."""
    return importlib.import_module(f"tests.plots.test_{name}").small()


def content(picture: Picture) -> dict[str, Any]:
    """What is kept of a picture; versions and what Altair assumes on its own are not."""
    spec = json.loads(_renumbered(json.dumps(picture.specification())))
    spec.pop("$schema")
    spec["config"].pop("view", None)
    frame = {str(name): plain([*picture.data[name]]) for name in picture.data.columns}
    return _rounded({"frame": frame, "note": picture.note, "specification": spec})


def path(name: str) -> Path:
    return FOLDER / f"{name}.json"


def write(name: str) -> None:
    path(name).write_text(
        json.dumps(content(small(name)), indent=1, ensure_ascii=True, sort_keys=True) + "\n", encoding="utf-8"
    )


def difference(found: Any, kept: Any, where: str = "") -> str:
    """The first place in which two contents differ; empty where there is none."""
    if isinstance(found, dict) and isinstance(kept, dict):
        if found.keys() != kept.keys():
            return f"{where}: {sorted(found.keys() ^ kept.keys())}"
        return next(filter(None, (difference(found[key], kept[key], f"{where}/{key}") for key in kept)), "")
    if isinstance(found, list) and isinstance(kept, list):
        if len(found) != len(kept):
            return f"{where}: {len(found)} instead of {len(kept)}"
        pairs = enumerate(zip(found, kept, strict=True))
        return next(filter(None, (difference(x, y, f"{where}/{i}") for i, (x, y) in pairs)), "")
    if _is_number(found) and _is_number(kept):
        same = math.isclose(found, kept, rel_tol=1e-6, abs_tol=1e-9)
    else:
        same = type(found) is type(kept) and found == kept
    return "" if same else f"{where}: {found!r} instead of {kept!r}"


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def _renumbered(text: str) -> str:
    """Numbers of charts and sums of data in the order in which they occur."""
    seen: dict[str, str] = {}
    return COUNTED.sub(lambda found: seen.setdefault(found[0], f"{found[1]} {len(seen) + 1}"), text)


def _rounded(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _rounded(one) for key, one in value.items()}
    if isinstance(value, list):
        return [_rounded(one) for one in value]
    return float(f"{value:.{SIGNIFICANT}g}") if isinstance(value, float) else value
