"""The required paths use nothing that only POSIX systems have: what Windows lacks is hidden here."""

import ast
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

import steadyset
from steadyset.foundation.errors import InputError
from steadyset.io import beneath, disk
from steadyset.serve import serve

SOURCES = sorted(Path(steadyset.__file__).parent.rglob("*.py"))
TESTS = sorted(Path(__file__).parent.rglob("*.py"))
PAGE = Path(steadyset.__file__).parent / "serve"  # which refuses other systems
POSIX_ONLY = {"fcntl", "grp", "posix", "pty", "pwd", "resource", "syslog", "termios", "tty"}
# What Python on Windows does not have; the modules are made impossible to import. psutil, which joblib uses where it is
# there, is that for Linux here, and so is asyncio, which from Python 3.12 on needs what is hidden.
WITHOUT_POSIX = f"""
import asyncio, os, signal, sys
for name in {sorted(POSIX_ONLY - {"posix"} | {"psutil"})!r}:
    sys.modules[name] = None
for name in ("pthread_sigmask", "SIGHUP", "SIGKILL", "SIGUSR1", "SIGALRM", "alarm", "setitimer"):
    vars(signal).pop(name, None)
for name in ("geteuid", "getuid", "getpgid", "setsid", "killpg", "sysconf"):
    vars(os).pop(name, None)
"""
AN_ASSESSMENT = """
import numpy as np
from steadyset import Bootstrap, assess
rng = np.random.default_rng(0)
X, y = rng.normal(size=(40, 6)), np.arange(40) % 2
found = assess("anova:k=2", X, y, resampling=Bootstrap(3), out="runs", n_jobs=1)
more = assess("anova:k=2", X, y, resampling=Bootstrap(5), out="runs", n_jobs=1, execution={"resume": True})
print(found.selections["anova:k=2"].n_runs, more.selections["anova:k=2"].n_runs)
"""

A_COMMAND = """
from steadyset.__main__ import main
sys.argv = ["steadyset", "measure", "lists.csv", "--features", "9"]
sys.exit(main())
"""


def masked(script: str, folder: Path) -> "subprocess.CompletedProcess[str]":
    return subprocess.run(
        [sys.executable, "-c", WITHOUT_POSIX + script], cwd=folder, capture_output=True, text=True, check=False
    )


def guarded(tree: ast.AST) -> set[ast.AST]:
    """What stands where an ImportError is expected."""
    expecting = [node for node in ast.walk(tree) if any("ImportError" in told for told in expected(node))]
    return {inner for node in expecting for statement in node.body for inner in ast.walk(statement)}


def expected(node: ast.AST) -> list[str]:
    """The exceptions that a `try`, or a `with suppress(...)`, is for."""
    if isinstance(node, ast.Try):
        return [ast.unparse(handler.type) for handler in node.handlers if handler.type is not None]
    contexts = [ast.unparse(item.context_expr) for item in node.items] if isinstance(node, ast.With) else []
    return [told for told in contexts if told.startswith("suppress(")]


def imported(node: ast.AST) -> set[str]:
    if isinstance(node, ast.Import):
        return {alias.name.split(".")[0] for alias in node.names}
    return {(node.module or "").split(".")[0]} if isinstance(node, ast.ImportFrom) else set()


def test_modules_of_posix_are_imported_only_where_their_absence_is_expected():
    found = {}
    for path in SOURCES:
        text = path.read_text(encoding="utf-8")
        if path.parent == PAGE or not any(name in text for name in POSIX_ONLY):
            continue
        tree = ast.parse(text)
        unguarded = set(ast.walk(tree)) - guarded(tree)
        found[path] = set().union(*map(imported, unguarded)) & POSIX_ONLY
    assert not {path: modules for path, modules in found.items() if modules}


def reads_text_as_the_system_does(call: ast.Call) -> bool:
    """Whether a call opens a text file in whatever encoding the machine uses: on Windows that is not UTF-8."""
    name = getattr(call.func, "attr", getattr(call.func, "id", ""))
    if name not in ("open", "read_text", "write_text"):
        return False
    said = [ast.unparse(argument) for argument in (*call.args, *call.keywords)]
    if name in ("read_text", "write_text"):
        return len(said) < {"read_text": 1, "write_text": 2}[name]
    binary = any(re.fullmatch(r"(mode=)?'\w*b\w*\+?'", text) for text in said)
    return isinstance(call.func, ast.Name) and name == "open" and not binary and "encoding" not in str(said)


def test_text_files_are_read_and_written_in_a_stated_encoding():
    found = []
    for path in [*SOURCES, *TESTS]:
        text = path.read_text(encoding="utf-8")
        if not any(f"{name}(" in text for name in ("open", "read_text", "write_text")):
            continue
        calls = [node for node in ast.walk(ast.parse(text)) if isinstance(node, ast.Call)]
        found += [f"{path.name}:{call.lineno}" for call in calls if reads_text_as_the_system_does(call)]
    assert not found


def test_a_file_that_somebody_reads_on_windows_is_replaced_as_soon_as_it_is_free(tmp_path, monkeypatch):
    replace, refused = os.replace, [PermissionError(13, "in use")] * 3

    def busy(*paths, **folders):
        if refused:
            raise refused.pop()
        replace(*paths, **folders)

    monkeypatch.setattr(beneath.os, "replace", busy)
    monkeypatch.setattr(beneath, "PAUSES", (0, 0, 0, 0))
    path = tmp_path / "cells.json"
    path.write_text("before", encoding="utf-8")
    with pytest.raises(PermissionError):  # elsewhere it means that the folder is read-only
        disk.write_durably(path, b"after")
    assert path.read_text(encoding="utf-8") == "before"
    monkeypatch.setattr(beneath, "ANCHORED", False)  # Windows opens no folders
    disk.write_durably(path, b"after")
    assert path.read_text(encoding="utf-8") == "after"
    assert list(tmp_path.iterdir()) == [path]


def test_the_page_which_needs_a_posix_system_says_so_on_windows(tmp_path, monkeypatch):
    with monkeypatch.context() as windows:
        windows.setattr("steadyset.serve.os.name", "nt")
        with pytest.raises(InputError, match="needs Linux or macOS"):
            serve(tmp_path)


def test_an_assessment_runs_and_resumes_without_what_only_posix_has(tmp_path):
    done = masked(AN_ASSESSMENT, tmp_path)
    assert done.returncode == 0, done.stderr
    assert done.stdout.split() == ["3", "5"]


def test_the_command_runs_without_what_only_posix_has(tmp_path):
    (tmp_path / "lists.csv").write_text("run,feature\n1,a\n1,b\n2,a\n2,c\n3,a\n3,b\n", encoding="utf-8")
    done = masked(A_COMMAND, tmp_path)
    assert done.returncode == 0, done.stderr
    assert "nogueira" in done.stdout
