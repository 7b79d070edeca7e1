"""Under a limit of addresses, as clusters set it, a command works, or ends with one sentence."""

from __future__ import annotations

import errno
import re
import subprocess
import sys

import numpy as np
import pyarrow as pa
import pytest

from steadyset.cli import run
from steadyset.foundation import memory

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="only Linux limits the addresses of a process")
LIMITED = """
import resource, sys
limit = int(sys.argv.pop(1))
resource.setrlimit(resource.RLIMIT_AS, (limit, limit))
from steadyset.__main__ import main
main()
"""


def run_limited(limit, *arguments, folder):
    command = [sys.executable, "-c", LIMITED, str(limit), *arguments]
    return subprocess.run(command, cwd=folder, capture_output=True, encoding="utf-8", timeout=120)


def one_sentence(done):
    lines = done.stderr.strip().splitlines()
    return done.returncode == 2 and not done.stdout and len(lines) == 1 and lines[0].startswith("steadyset: ")


@pytest.fixture
def table(tmp_path):
    X = np.random.default_rng(0).normal(size=(40, 5)).round(3)
    rows = [",".join([*map(str, row), "yes" if row[0] > 0 else "no"]) for row in X]
    (tmp_path / "data.csv").write_text("\n".join(["a,b,c,d,e,sick", *rows]) + "\n", encoding="utf-8")
    return tmp_path


@pytest.mark.parametrize("command", ["measure", "assess", "shortlist", "tune", "replicate", "why", "report", "serve"])
def test_too_low_a_limit_is_one_sentence_before_anything_is_loaded_or_written(table, command):
    done = run_limited(800_000 * 1024, command, "data.csv", folder=table)
    assert one_sentence(done)
    assert "1.4 GB" in done.stderr
    assert "0.8 GB" in done.stderr
    assert [path.name for path in table.iterdir()] == ["data.csv"]


@pytest.mark.slow
def test_the_limit_of_4_gb_that_clusters_set_is_enough_and_pictures_are_refused_in_a_sentence(table):
    limit = 4_000_000 * 1024
    done = run_limited(limit, "assess", "data.csv", "--target", "sick", "-s", "t_test:k=2", "--runs", "5", folder=table)
    assert (done.returncode, done.stderr) == (0, "")
    refused = run_limited(limit, "report", "data-runs", "--out", "r.html", folder=table)
    assert refused.returncode == 2
    assert "t_test:k=2" in refused.stdout  # the answer of the report comes before its pictures
    assert refused.stderr.count("\n") == 1
    assert "--format md" in refused.stderr
    assert not (table / "r.html").exists()
    written = run_limited(limit, "report", "data-runs", "--format", "md", "--out", "r.md", folder=table)
    assert written.returncode == 0
    assert (table / "r.md").read_text(encoding="utf-8")


@pytest.mark.parametrize(
    "error",
    [
        MemoryError(),
        pa.ArrowMemoryError("malloc of size 64 failed"),
        OSError(errno.ENOMEM, "Cannot allocate memory"),
        RuntimeError("can't start new thread"),
        ImportError("libx.so: failed to map segment from shared object"),
    ],
)
def test_libraries_report_a_lack_of_memory_in_several_kinds_of_errors(error):
    assert memory.is_lack_of_memory(error)


def test_a_lack_of_memory_that_led_to_another_error_is_recognized():
    first = MemoryError()
    second = ValueError("no table")
    second.__cause__ = first
    assert memory.is_lack_of_memory(second)
    assert not memory.is_lack_of_memory(FileNotFoundError(2, "No such file"))


def test_a_command_that_runs_out_of_memory_says_so_in_one_sentence(table, monkeypatch, capsys):
    monkeypatch.setattr("steadyset.io.data.data_table.load_data", lambda *_, **__: np.empty(2**55))
    assert run(["assess", str(table / "data.csv"), "--target", "sick"]) == 2
    printed = capsys.readouterr()
    assert not printed.out
    assert printed.err.startswith("steadyset: There is not enough memory.")
    assert printed.err.count("\n") == 1


@pytest.mark.parametrize("limit", [1_350_000_000, 1_390_000_000, 1_399_999_999])
def test_a_limit_just_too_low_is_not_told_as_what_is_needed(limit, monkeypatch):
    monkeypatch.setattr(memory, "memory_limit", lambda: limit)
    told = memory.refusal_of_little_memory()
    needed, limited = map(float, re.findall(r"([\d.]+) GB", told))
    assert needed == 1.4
    assert limited == limit / 1e9
