"""The required paths use nothing that only POSIX systems have: what Windows lacks is hidden here."""

import ast
import subprocess
import sys
from pathlib import Path

import steadyset

SOURCES = sorted(Path(steadyset.__file__).parent.rglob("*.py"))
POSIX_ONLY = {"fcntl", "grp", "posix", "pty", "pwd", "resource", "syslog", "termios", "tty"}
# What Python on Windows does not have; the modules are made impossible to import.
WITHOUT_POSIX = f"""
import os, signal, sys
for name in {sorted(POSIX_ONLY - {"posix"})!r}:
    sys.modules[name] = None
for name in ("pthread_sigmask", "SIGHUP", "SIGKILL", "SIGUSR1", "SIGALRM", "alarm", "setitimer"):
    delattr(signal, name)
for name in ("geteuid", "getuid", "getpgid", "setsid", "killpg", "sysconf"):
    delattr(os, name)
"""
AN_ASSESSMENT = """
import numpy as np
from steadyset import Bootstrap, assess
rng = np.random.default_rng(0)
X, y = rng.normal(size=(40, 6)), np.arange(40) % 2
found = assess("anova:k=2", X, y, resampling=Bootstrap(3), out="runs", n_jobs=1)
more = assess("anova:k=2", X, y, resampling=Bootstrap(5), out="runs", n_jobs=1, resume=True)
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
    """What stands in a `try` that expects an ImportError."""
    tries = [
        node
        for node in ast.walk(tree)
        if isinstance(node, ast.Try)
        and any("ImportError" in ast.unparse(handler.type) for handler in node.handlers if handler.type is not None)
    ]
    return {inner for node in tries for statement in node.body for inner in ast.walk(statement)}


def imported(node: ast.AST) -> set[str]:
    if isinstance(node, ast.Import):
        return {alias.name.split(".")[0] for alias in node.names}
    return {(node.module or "").split(".")[0]} if isinstance(node, ast.ImportFrom) else set()


def test_modules_of_posix_are_imported_only_where_their_absence_is_expected():
    found = {}
    for path in SOURCES:
        tree = ast.parse(path.read_text(encoding="utf-8"))
        unguarded = set(ast.walk(tree)) - guarded(tree)
        found[path.name] = set().union(*map(imported, unguarded)) & POSIX_ONLY
    assert not {name: modules for name, modules in found.items() if modules}


def test_an_assessment_runs_and_resumes_without_what_only_posix_has(tmp_path):
    done = masked(AN_ASSESSMENT, tmp_path)
    assert done.returncode == 0, done.stderr
    assert done.stdout.split() == ["3", "5"]


def test_the_command_runs_without_what_only_posix_has(tmp_path):
    (tmp_path / "lists.csv").write_text("run,feature\n1,a\n1,b\n2,a\n2,c\n3,a\n3,b\n")
    done = masked(A_COMMAND, tmp_path)
    assert done.returncode == 0, done.stderr
    assert "nogueira" in done.stdout
