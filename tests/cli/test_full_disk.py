"""A full disk, under the output or under a database, is one sentence, and what was finished is kept."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import numpy as np
import pytest

import steadyset as st
from steadyset.cli import run
from steadyset.tuning import search

FULL = Path("/dev/full")


@pytest.mark.skipif(not FULL.exists(), reason="only Linux has a device that is always full")
@pytest.mark.parametrize(
    "arguments",
    [["--version"], ["measures"], ["measures", "--format", "json"], ["measure", "lists.json"]],
    ids=" ".join,
)
def test_output_to_a_full_device_is_one_sentence(tmp_path, monkeypatch, capfd, arguments):
    (tmp_path / "lists.json").write_text('[["a", "b"], ["a", "c"]]', encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    with FULL.open("w", encoding="utf-8") as full:
        monkeypatch.setattr(sys, "stdout", full)
        assert run([*arguments, *(["--features", "9"] if arguments[0] == "measure" else [])]) == 2
    error = capfd.readouterr().err
    assert error.startswith(f"steadyset: The output cannot be written: {os.strerror(28)}.")
    assert error.count("\n") == 1


@pytest.fixture
def data():
    X = np.random.default_rng(0).normal(size=(40, 4))
    return X, (X[:, 0] > 0).astype(int)


def tune(data, folder):
    quiet = st.Execution(progress=False)
    return st.tune(None, *data, n_trials=2, resampling=st.KFold(3), out=folder, execution=quiet)


@pytest.mark.parametrize("pages", [5, 27])
def test_a_full_disk_under_the_database_of_a_tuning_is_one_sentence(tmp_path, monkeypatch, data, pages):
    connect = search.connect_to_database

    def connect_with_little_room(folder):
        connection = connect(folder)
        connection.execute(f"pragma max_page_count = {pages}")  # SQLite reports a full disk beyond them
        return connection

    monkeypatch.setattr(search, "connect_to_database", connect_with_little_room)
    with pytest.raises(st.InputError, match="is full") as caught:
        tune(data, tmp_path / "tuning")
    assert str(tmp_path) in str(caught.value)


def test_a_full_disk_is_recognized_behind_other_errors():
    error = AssertionError("An exception is raised during the commit.")
    error.__cause__ = RuntimeError("commit failed")
    error.__cause__.__cause__ = OSError(28, os.strerror(28))
    assert search._is_full(search._first_lines(error))
    assert not search._is_full(search._first_lines(RuntimeError("database is locked")))
