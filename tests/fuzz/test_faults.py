"""Faults from outside: a disk that is full, a folder that goes away. Kills are in tests/assessment and tests/cli."""

import os
import shutil

import numpy as np
import pytest

import steadyset as st
from steadyset.foundation.errors import SteadysetError

X, Y = np.random.default_rng(0).normal(size=(30, 6)), [0, 1] * 15


def test_a_folder_that_is_removed_during_the_work_is_one_sentence(tmp_path):
    out = tmp_path / "runs"

    def remove(done, total):
        if done == 5:
            shutil.rmtree(out)

    with pytest.raises(SteadysetError, match="runs cannot be written: No such file or directory"):
        st.assess(
            ["anova:k=2"],
            X,
            Y,
            resampling=st.Bootstrap(20),
            out=out,
            execution=st.Execution(engine="serial", progress=remove),
        )


def test_everything_that_writes_says_so_when_the_disk_is_full(small_disk):
    (small_disk / "filling").write_bytes(os.urandom(400_000))
    with pytest.raises(OSError, match="No space"):
        (small_disk / "rest").write_bytes(os.urandom(400_000))
    runs = st.Selections.from_sets([["a"], ["a", "b"]], features=list("abc"))
    calls = {
        "assess": lambda: st.assess(["anova:k=2"], X, Y, resampling=st.KFold(3), out=small_disk / "runs"),
        "csv": lambda: runs.write(small_disk / "runs.csv"),
        "parquet": lambda: runs.write(small_disk / "runs.parquet"),
        "json": lambda: runs.write(small_disk / "runs.json"),
        "report": lambda: st.report(runs, small_disk / "page.html"),
        "picture": lambda: st.plot.runs_by_features(runs).save(small_disk / "page.svg"),
    }
    for name, call in calls.items():
        with pytest.raises(SteadysetError) as told:
            call()
        assert "\n" not in str(told.value), name
    assert {path.name for path in small_disk.iterdir()} <= {"filling", "rest", "runs"}
