"""How big the house is, and how far one walks in it: lines, files and imports, and the files that a task touches."""

from __future__ import annotations

import ast
import io
import json
import os
import re
import socket
import subprocess
import sys
import tempfile
import time
import tokenize
from collections import Counter
from collections.abc import Iterator
from itertools import chain
from pathlib import Path
from urllib.parse import urlencode
from urllib.request import HTTPCookieProcessor, Request, build_opener

ROOT = Path(__file__).parents[1]
SOURCE = ROOT / "src" / "steadyset"
MOST_LINES, MOST_FILES, MOST_IMPORTS, MOST_IN_FOLDER = 30_000, 260, 6.0, 15
PATIENCE = 300  # seconds for an assessment of four runs
QUIET = (tokenize.NL, tokenize.NEWLINE, tokenize.INDENT, tokenize.DEDENT, tokenize.ENDMARKER)


def lines_of(text: str) -> Counter[str]:
    """Lines of code (without imports, docstrings, comments and blank lines), of imports, of docstrings, of comments."""
    documented: set[int] = set()
    imported: set[int] = set()
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.Import | ast.ImportFrom):
            imported |= set(range(node.lineno, (node.end_lineno or node.lineno) + 1))
        elif isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef) and node.body:
            first = node.body[0]
            if (
                isinstance(first, ast.Expr)
                and isinstance(first.value, ast.Constant)
                and isinstance(first.value.value, str)
            ):
                documented |= set(range(first.lineno, (first.end_lineno or first.lineno) + 1))
    lines: set[int] = set()
    comments = 0
    for token in tokenize.generate_tokens(io.StringIO(text).readline):
        if token.type == tokenize.COMMENT:
            comments += token.line.strip().startswith("#")
        elif token.type not in QUIET:
            lines |= set(range(token.start[0], token.end[0] + 1))
    return Counter(
        code=len(lines - documented - imported),
        imports=len(imported),
        docstrings=len(documented),
        comments=comments,
        all=text.count("\n"),
    )


def size_lines() -> Iterator[str]:
    """Each part with its lines of code and files, and the whole beside what it may be."""
    parts: dict[str, Counter[str]] = {}
    for file in sorted(SOURCE.rglob("*.py")):
        inner = file.relative_to(SOURCE).parts
        counted = parts.setdefault(inner[0] if len(inner) > 1 else "(root)", Counter())
        counted.update(lines_of(file.read_text(encoding="utf-8")))
        counted["files"] += 1
    for name, counted in sorted(parts.items(), key=lambda one: -one[1]["code"]):
        yield f"{counted['code']:7,d} lines of code in {counted['files']:3d} files  {name}"
    whole = sum(parts.values(), Counter())
    imports = 100 * whole["imports"] / whole["all"]
    yield (
        f"{whole['code']:7,d} lines of code (at most {MOST_LINES:,}) in {whole['files']} files (at most {MOST_FILES}); "
        f"imports {imports:.1f}% of the lines (below {MOST_IMPORTS:g}%), docstrings "
        f"{100 * whole['docstrings'] / whole['all']:.0f}%, whole-line comments "
        f"{100 * whole['comments'] / whole['all']:.1f}%"
    )
    inside = Counter(file.parent for file in SOURCE.rglob("*.py") if file.name != "__init__.py")
    full = [f"{folder.relative_to(SOURCE)} {n}" for folder, n in inside.items() if n > MOST_IN_FOLDER]
    yield f"folders with more than {MOST_IN_FOLDER} files: {', '.join(full) or 'none'}"


# What a Python process runs first: it notes each file of the package in which a function runs, in the folder NOTES.
# Imports do not count, nor what runs while a module is imported; `python -m steadyset` is where a walk begins.
TRACER = """
import os, sys, threading
folder, source = os.environ["STEADYSET_NOTES"], os.environ["STEADYSET_SOURCE"]
seen, importing = set(), threading.local()

def follow(frame, event, argument):
    code = frame.f_code
    if event not in ("call", "return") or not code.co_filename.startswith(source):
        return
    if code.co_name == "<module>":
        if not code.co_filename.endswith("__main__.py"):
            importing.depth = getattr(importing, "depth", 0) + (1 if event == "call" else -1)
    elif event == "call" and code.co_filename not in seen and not getattr(importing, "depth", 0):
        seen.add(code.co_filename)
        with open(os.path.join(folder, str(os.getpid())), "a", encoding="utf-8") as notes:
            print(code.co_filename, file=notes)

threading.setprofile(follow)
sys.setprofile(follow)
"""

ASSESS = """
import numpy as np, steadyset as st
X = np.random.default_rng(0).normal(size=(40, 6))
quiet = st.Execution(engine="serial", progress=False)
st.assess("anova:k=2", X, X[:, 0] > 0, resampling=st.Bootstrap(4), out="runs", execution=quiet)
"""


class Walks:
    """Commands in a folder of their own, and the files of the package that they touch, in all their processes."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        notes, tracer = folder / "notes", folder / "tracer"
        notes.mkdir()
        tracer.mkdir()
        (tracer / "sitecustomize.py").write_text(TRACER, encoding="utf-8")
        self.notes = notes
        self.environment = {
            **os.environ,
            "PYTHONPATH": os.pathsep.join([str(tracer), str(SOURCE.parent)]),
            "XDG_STATE_HOME": str(folder),
            "STEADYSET_NOTES": str(notes),
            "STEADYSET_SOURCE": str(SOURCE),
        }
        rows = [f"{i % 2},{(7 * i) % 11},{(5 * i + i % 2) % 13},{(3 * i) % 7}" for i in range(40)]
        (folder / "data.csv").write_text("\n".join(["class,a,b,c", *rows]) + "\n", encoding="utf-8")
        lists = [f"{run},{name}" for run, names in enumerate(("ab", "ab", "ac", "bc")) for name in names]
        (folder / "lists.csv").write_text("\n".join(["run,feature", *lists]) + "\n", encoding="utf-8")

    def python(self, *words: str) -> int:
        """How many files a Python process touches."""
        self._begin()
        line = [sys.executable, *words]
        subprocess.run(line, env=self.environment, cwd=self.folder, check=True, capture_output=True)
        return self._files()

    def page(self) -> int:
        """How many files are touched from the upload of a table on the page to the report of its assessment."""
        self._begin()
        (self.folder / "page").mkdir()
        line = [sys.executable, "-m", "steadyset", "serve", "page", "--port", str(_free_port()), "--no-open"]
        with subprocess.Popen(line, env=self.environment, cwd=self.folder, stdout=subprocess.PIPE, text=True) as server:
            try:
                self._upload_to_report(server)
            finally:
                server.terminate()
        return self._files()

    def _upload_to_report(self, server: subprocess.Popen[str]) -> None:
        assert server.stdout is not None
        link = next(found[0] for line in server.stdout if (found := re.search(r"http://\S+", line)))
        base = link.partition("/enter")[0].rstrip("/")
        browser = build_opener(HTTPCookieProcessor())
        browser.open(link)
        home = browser.open(f"{base}/").read().decode()
        said = dict(re.findall(r'<meta name="(change-\w+)" content="([^"]*)"', home))
        headers = {"Origin": base, said["change-header"]: said["change-token"]}

        def sent(method: str, path: str, content: bytes) -> str:
            request = Request(f"{base}{path}", content, headers, method=method)
            return str(browser.open(request).read().decode())

        name = json.loads(sent("PUT", "/files?name=data.csv", (self.folder / "data.csv").read_bytes()))["name"]
        asked = {"kind": "assess", "file": name, "target": "class"}
        browser.open(f"{base}/data?{urlencode(asked)}").read()
        form = {
            **asked,
            "selector": "anova",
            "resampling": "bootstrap",
            "runs": "4",
            "jobs": "1",
            "seed": "0",
            "out": "walked",
        }
        sent("POST", "/runs", urlencode(form).encode())
        finished, last = self.folder / "page" / "walked" / "features.csv", time.monotonic() + PATIENCE
        while not finished.exists():
            if time.monotonic() > last:
                raise SystemExit("The assessment on the page does not end.")
            time.sleep(0.5)
        browser.open(f"{base}/runs/walked/report").read()

    def _begin(self) -> None:
        for file in self.notes.iterdir():
            file.unlink()

    def _files(self) -> int:
        touched = {line for file in self.notes.iterdir() for line in file.read_text(encoding="utf-8").splitlines()}
        return sum("__pycache__" not in file for file in touched)  # compiled kernels are no files of the package


def _free_port() -> int:
    with socket.socket() as server:
        server.bind(("127.0.0.1", 0))
        return int(server.getsockname()[1])


def walk_lines() -> Iterator[str]:
    """How many files of the package each walk touches, beside what it may."""
    with tempfile.TemporaryDirectory() as place:
        walks = Walks(Path(place))
        for what, most, walk in (
            ("measure of four lists", 30, lambda: walks.python("-m", "steadyset", "measure", "lists.csv")),
            ("assess", 50, lambda: walks.python("-c", ASSESS)),
            ("report", 60, lambda: walks.python("-m", "steadyset", "report", "runs", "--out", "page.html")),
            ("upload to report", 110, walks.page),
        ):
            yield f"{walk():7d} files touched by {what} (at most {most})"


def tell() -> None:
    """Print the sizes, then each walk when it is counted."""
    for line in chain(size_lines(), walk_lines()):
        print(line, flush=True)


if __name__ == "__main__":
    tell()
