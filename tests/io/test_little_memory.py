"""Reading asks for as much memory as a file has bytes, and too little memory is one sentence."""

from __future__ import annotations

import subprocess
import sys
import tracemalloc

import numpy as np
import pandas as pd
import pytest

from steadyset.io import beneath
from steadyset.io.files import KEPT, STEP, File

LIMITED = """
import resource, sys
import steadyset as st
import pandas, pyarrow.parquet
from pyarrow import csv
from steadyset.io.data import data_table
with open("/proc/self/statm") as sizes:
    limit = int(sizes.read().split()[0]) * resource.getpagesize() + int(sys.argv[2])
resource.setrlimit(resource.RLIMIT_AS, (limit, limit))
try:
    st.load_data(sys.argv[1], "y")
except st.InputError as error:
    print(error)
"""


def peak_of(call):
    tracemalloc.start()
    try:
        call()
        return tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()


def test_a_small_file_asks_for_little_memory_although_a_large_one_may_be_read(tmp_path):
    (tmp_path / "small").write_bytes(b"x" * 2_000)
    assert peak_of(lambda: beneath.read(tmp_path, "small")) < 100_000 < beneath.MAX_BYTES
    assert peak_of(lambda: File(tmp_path / "small").content) < 100_000 < KEPT


class Growing:
    """What `os.fstat` tells of a file before something is appended to it."""

    def __init__(self, path, fstat):
        self.path, self.fstat, self.calls = path, fstat, 0

    def __call__(self, file):
        found = self.fstat(file)
        self.calls += 1
        if self.calls == 2:  # the first call asks whether it is a plain file
            with self.path.open("ab") as more:
                more.write(b"y" * (2 * STEP))
        return found


def test_a_file_that_grows_while_it_is_read_is_read_to_its_end(tmp_path, monkeypatch):
    path = tmp_path / "growing"
    path.write_bytes(b"x" * 10)
    monkeypatch.setattr(beneath.os, "fstat", Growing(path, beneath.os.fstat))
    assert beneath.read(tmp_path, "growing") == b"x" * 10 + b"y" * (2 * STEP)


def test_more_bytes_than_allowed_are_refused(tmp_path):
    (tmp_path / "large").write_bytes(b"x" * 11)
    assert beneath.read(tmp_path, "large", most=11) == b"x" * 11
    with pytest.raises(OSError, match="more than 10 bytes"):
        beneath.read(tmp_path, "large", most=10)


@pytest.mark.slow
@pytest.mark.skipif(sys.platform != "linux", reason="only Linux limits the addresses of a process")
@pytest.mark.parametrize("ending", ["csv", "parquet"])
def test_too_little_memory_for_a_table_is_a_sentence_and_not_called_damage(tmp_path, ending):
    path = tmp_path / f"large.{ending}"
    values = np.arange(2_000_000.0).reshape(20_000, 100)
    frame = pd.DataFrame(values, columns=[f"g{f}" for f in range(100)])
    frame["y"] = np.tile(["a", "b"], len(frame) // 2)
    frame.to_csv(path, index=False) if ending == "csv" else frame.to_parquet(path)
    command = [sys.executable, "-c", LIMITED, str(path), str(30 << 20)]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    assert "needs more memory than the " in done.stdout
    assert "damaged" not in done.stdout
    assert "well-formed" not in done.stdout
