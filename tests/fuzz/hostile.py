"""Values that nobody meant to pass, texts that nobody meant to type, and bytes that were damaged on their way."""

from __future__ import annotations

import datetime
import io
import random
import re
import zipfile
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any
from unittest import mock

import numpy as np
import pandas as pd

TEXTS = (
    *("", " ", "nan", "None", "-1", "0", "1e400", "\x00", "a\x00b", "é\ud800", "\u202e", "x" * 5000, "../..", "/", "~"),
    *("=1+1", "<script>", "%s%n", "{}", "[]", "1,2", "a:b=c", "lasso:k=", ":", "a=b", "9" * 400, "٣", "\n", "-", "--"),
)


def values() -> list[Any]:
    """Hostile values for any argument, made anew each time, since some of them can be used up or changed."""
    return [
        *(None, True, False, 0, 1, -1, 2, 10**30, -(10**30), 0.5, 1.5, -0.1, 1e-300, 1e300),
        *(float("nan"), float("inf"), -float("inf"), 1j, *TEXTS, b"", b"abc"),
        *(
            [],
            (),
            {},
            set(),
            [None],
            [[]],
            [[], [1]],
            {"a": None},
            {1: 2},
            [1, "a"],
            ["a", "a"],
            [float("nan")],
            object,
        ),
        *(object(), len, lambda *_: None, iter([1, 2]), range(0), range(3), ..., NotImplemented, Exception("x")),
        *(np.array([]), np.array(1.0), np.zeros((0, 3)), np.zeros((3, 0)), np.zeros((2, 2, 2)), np.array([None, 1])),
        *(np.array(["a", "b"]), np.array([1 + 2j]), np.full((3, 3), np.nan), np.array([2**63], dtype=np.uint64)),
        *(np.ma.masked_array([1.0, 2.0], mask=[True, False]), np.array(["2020-01-01"], dtype="datetime64[D]")),
        *(np.float32(0.5), np.int8(3), np.bool_(True), np.str_("a"), datetime.date(2020, 1, 1), slice(3)),
        *(pd.DataFrame(), pd.DataFrame({"a": [1, 2], "b": ["x", None]}), pd.Series([1.0, None]), pd.NA, pd.NaT),
        *(pd.Series([], dtype=object), pd.DataFrame([[1, 2], [3, 4]], columns=["a", "a"]), pd.Categorical(["a", "b"])),
    ]


def short(value: Any) -> str:
    """A value in a line."""
    try:
        text = f"{type(value).__name__} {value!r}"
    except Exception:
        text = type(value).__name__
    return " ".join(text.split())[:150].encode("ascii", "backslashreplace").decode()


WHEN_WRITTEN = re.compile(rb"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ")
TOKENS = (
    *(b"", b",", b'"', b"\n", b"\r\n", b"\x00", b"\xff\xfe", b"\xef\xbb\xbf", b"nan", b"inf", b"-1", b"1e400", b"2.5"),
    *(
        b"9" * 30,
        b"9" * 5000,
        b"null",
        b"[]",
        b"{}",
        b"[" * 300,
        b"true",
        b"\\ud800",
        b"\xed\xa0\x80",
        b"run",
        b"feature",
    ),
)


def damaged(content: bytes, random_: random.Random) -> bytes:
    """The content after one to three accidents: flipped bits, cuts, repeats, swaps, things put in."""
    for _ in range(random_.randint(1, 3)):
        if not content:
            return random_.choice(TOKENS)
        start = random_.randrange(len(content))
        end = min(len(content), start + random_.choice((1, 4, 30, 400)))
        kind = random_.randrange(6)
        if kind == 0:
            content = flipped(content, start * 8 + random_.randrange(8))
        elif kind == 1:
            content = content[:start]
        elif kind == 2:
            content = content[:start] + content[end:]
        elif kind == 3:
            content = content[:end] + content[start:end] + content[end:]
        elif kind == 4:
            content = content[:start] + random_.choice(TOKENS) + content[start:]
        else:
            content = content[:start] + random_.choice(TOKENS) + content[end:]
    return content


def damaged_archive(content: bytes, random_: random.Random) -> bytes:
    """A zip archive after an accident to one of its parts, or to the archive itself: its directory may lie."""
    with zipfile.ZipFile(io.BytesIO(content)) as packed:
        parts = {name: WHEN_WRITTEN.sub(b"2001-01-01T00:00:00Z", packed.read(name)) for name in packed.namelist()}
    if random_.random() < 0.3:
        return damaged(_archive(parts), random_)
    name = random_.choice(list(parts))
    parts[name] = random_.choice((damaged, _renumbered))(parts[name], random_)
    return _archive(parts)


def _archive(parts: dict[str, bytes]) -> bytes:
    """A zip archive that does not tell when it was made."""
    made = io.BytesIO()
    with zipfile.ZipFile(made, "w") as packed:
        for name, content in parts.items():
            packed.writestr(zipfile.ZipInfo(name), content, zipfile.ZIP_DEFLATED)
    return made.getvalue()


def _renumbered(content: bytes, random_: random.Random) -> bytes:
    """The content with one of its numbers replaced: a reference to a cell, an index, a size."""
    numbers = list(re.finditer(rb"[0-9]+", content))
    if not numbers:
        return content
    one = random_.choice(numbers)
    number = random_.choice((b"0", b"1", b"16384", b"1048576", b"4294967296", b"-1", b"9" * 25))
    return content[: one.start()] + number + content[one.end() :]


def flipped(content: bytes, bit: int) -> bytes:
    """The content with one bit turned over."""
    changed = bytearray(content)
    changed[bit // 8] ^= 1 << bit % 8
    return bytes(changed)


@contextmanager
def stopped_clock() -> Iterator[None]:
    """Files that are written within it are the same each time: the date in a gzip archive, the seconds of a run."""
    with mock.patch.multiple("time", time=lambda: 1e9, perf_counter=lambda: 1e9):
        yield
