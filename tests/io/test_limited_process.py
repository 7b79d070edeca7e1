"""Files that are read in a process with limits: what it may take, what it finds, and what happens without one."""

from __future__ import annotations

import sys

import pytest

from steadyset.foundation.errors import InputError
from steadyset.io.files import SPARE, run_limited
from steadyset.io.formats.tables import read_sheet


def printed(script, path, n_bytes=0, seconds=20.0, instead="save it"):
    return run_limited("import sys", script, path, "more", n_bytes=n_bytes, seconds=seconds, instead=instead)


def test_a_script_gets_the_path_and_the_arguments_as_they_are(tmp_path):
    path = tmp_path / "-c it's; $(a) b.h5ad"
    assert printed("print(sys.argv[1:])", path) == f"{[str(path), 'more']}\n".encode()


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux holds a process to a limit of addresses")
def test_memory_beyond_the_limit_ends_the_process_and_not_this_one(tmp_path):
    take = f"print(len(bytearray({SPARE} + (64 << 20))))"
    assert printed(take, tmp_path) is None
    assert printed(take, tmp_path, n_bytes=256 << 20) == f"{SPARE + (64 << 20)}\n".encode()


def test_a_script_that_does_not_end_is_ended(tmp_path):
    assert printed("while True: pass", tmp_path, seconds=0.5) is None


def test_modules_are_those_of_this_process_and_none_of_the_folder_it_is_called_in(tmp_path, monkeypatch):
    (tmp_path / "own").mkdir()
    (tmp_path / "own" / "added_later.py").write_text("NAME = 'mine'", encoding="utf-8")
    (tmp_path / "json.py").write_text("raise SystemExit('a stranger')", encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(str(tmp_path / "own"))
    assert printed("import json, added_later; print(json.dumps(added_later.NAME))", tmp_path) == b'"mine"\n'


@pytest.mark.parametrize("executable", ["", None, "/nowhere/python"])
def test_without_a_python_to_start_the_sentence_says_so(tmp_path, monkeypatch, executable):
    path = tmp_path / "x.xls"
    path.write_bytes(b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + bytes(600))
    monkeypatch.setattr(sys, "executable", executable)
    with pytest.raises(InputError, match=r"x\.xls is read by a Python process of its own.*save it as \.csv"):
        read_sheet(path)
