"""Runs the examples of pages, and writes into the pages what they print: python docs/make_outputs.py PAGE ...

A page runs from top to bottom. Blocks of python run as they stand; the block `output` right after one holds what it
prints. In a block `console` each line `$ steadyset ...` is a command, and the lines below it are what it prints. A line
`...` stands for any lines. Commands find the files of the folder that STEADYSET_DATA names.
"""

from __future__ import annotations

import contextlib
import io
import os
import re
import shlex
import sys
import tempfile
import textwrap
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from steadyset.cli import run

WIDTH = 100
LEFT_OUT = "..."
BLOCK = re.compile(
    r"^```python\n(?P<python>.*?)^```\n(?:\n```output\n(?P<output>.*?)^```\n)?|^```console\n(?P<console>.*?)^```\n",
    re.DOTALL | re.MULTILINE,
)
# A slow machine says now and then how far it is, a fast one does not.
PROGRESS = re.compile(r"This takes about .*|[\d,]+ of [\d,]+ [\w ]+ after .*")
COMMAND = re.compile(r"^\$ (?P<command>(?:.*\\\n)*.*)\n(?P<output>(?:(?!\$ ).*\n)*)", re.MULTILINE)


def with_outputs(text: str, name: str, smaller: Mapping[str, str] = {}) -> str:
    """The page with what its examples print now; `smaller` replaces words of its python before that is run."""
    names: dict[str, Any] = {}

    def block(found: re.Match[str]) -> str:
        if found["console"] is not None:
            return f"```console\n{COMMAND.sub(_answered, found['console'])}```\n"
        code = found["python"]
        for words, instead in smaller.items():
            code = code.replace(words, instead)
        with contextlib.redirect_stdout(io.StringIO()) as said:
            exec(compile(code, name, "exec"), names)
        if found["output"] is None:
            return found[0]
        return f"```python\n{found['python']}```\n\n```output\n{_kept(found['output'], said.getvalue())}```\n"

    return BLOCK.sub(block, text)


def _answered(found: re.Match[str]) -> str:
    program, *words = shlex.split(found["command"].replace("\\\n", " "))
    if program != "steadyset":
        raise ValueError(f"a console block runs steadyset alone (got {program}); show other commands in a bash block")
    before = os.environ.get("COLUMNS")
    os.environ["COLUMNS"] = str(WIDTH)
    try:
        with contextlib.redirect_stdout(io.StringIO()) as said, contextlib.redirect_stderr(said):
            run(words)
    finally:
        os.environ.pop("COLUMNS") if before is None else os.environ.update(COLUMNS=before)
    return f"$ {found['command']}\n{_kept(found['output'], said.getvalue())}"


def _kept(shown: str, said: str) -> str:
    """What a page shows where that is what was said, lines left out apart; else what was said."""
    lines = [line.rstrip() for line in said.strip("\n").splitlines() if not PROGRESS.fullmatch(line.strip())]
    now = "".join(f"{part}\n" for line in lines for part in _wrapped(line))
    parts = re.split(rf"^{re.escape(LEFT_OUT)}\n", shown, flags=re.MULTILINE)
    fits = re.fullmatch("(?:.*\n)*?".join(map(re.escape, parts)), now)
    return shown if fits else now


def _wrapped(line: str) -> list[str]:
    indent = line[: len(line) - len(line.lstrip())]
    return textwrap.wrap(line, WIDTH, subsequent_indent=indent, break_on_hyphens=False) if len(line) > WIDTH else [line]


def main() -> None:
    for page in map(Path.resolve, map(Path, sys.argv[1:])):
        with tempfile.TemporaryDirectory() as folder, contextlib.chdir(folder):
            for file in Path(os.environ["STEADYSET_DATA"]).glob("*.parquet") if "STEADYSET_DATA" in os.environ else ():
                Path(file.name).symlink_to(file)
            page.write_text(with_outputs(page.read_text(encoding="utf-8"), page.name), encoding="utf-8")


if __name__ == "__main__":
    main()
