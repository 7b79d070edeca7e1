"""Small files that claim or unfold to much: refused, with memory and time that follow the size of the file."""

import json
import re
import subprocess
import sys
import time
from pathlib import Path

import pytest
from tests.hostile import made
from tests.waiting import until

import steadyset as st
from steadyset.cli import run

pytestmark = pytest.mark.posix
READING = """
import json, resource, sys
import numpy, pandas, pyarrow.parquet, pyarrow.ipc
import steadyset as st

path, options = sys.argv[1], json.loads(sys.argv[2])
before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
told = {"python": "nothing was refused"}
try:
    st.load_data(path, "y", **options)
except st.SteadysetError as error:
    told["python"] = str(error)
told["grown"] = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before
told["children"] = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss
print(json.dumps(told))
"""
FILES = {
    "x.feather": (made.unfolding_feather, {"max_gb": 0.05}),
    "x.parquet": (made.unfolding_parquet, {"max_gb": 0.05}),
    "repeating.parquet": (made.repeating_parquet, {}),
    "listed.parquet": (made.listed_parquet, {"max_gb": 0.05}),
    "x.xls": (made.sparse_workbook, {}),
    "x.xlsx": (made.unpacking_workbook, {}),
    "x.ods": (made.unpacking_workbook, {}),
    "x.h5ad": (made.looping_h5ad, {}),
    "zeros.parquet": (made.many_rows_of_zeros, {}),
    "unwritten.h5ad": (made.unwritten_h5ad, {}),
}


LARGE = ("listed.parquet", "zeros.parquet", "x.xlsx", "x.ods", "x.h5ad")  # those that take seconds to make or to refuse


@pytest.mark.parametrize("name", [pytest.param(one, marks=[pytest.mark.slow] if one in LARGE else []) for one in FILES])
def test_a_small_file_that_unfolds_is_refused_before_it_is_read(tmp_path, name):
    """In a process of its own, because the peak of this one may be that of another test."""
    make, options = FILES[name]
    path = make(tmp_path / name)
    begin = time.monotonic()
    done = subprocess.run([sys.executable, "-c", READING, path, json.dumps(options)], capture_output=True, check=True)
    told = json.loads(done.stdout)
    assert re.search(r"GB of memory|than its size allows|does not return from it", told["python"])
    assert time.monotonic() - begin < 60
    assert told["grown"] < 300 << 10  # kilobytes
    assert told["children"] < 2 << 20


def test_a_process_that_reads_ends_by_itself_when_nobody_is_left_to_end_it(tmp_path):
    """Whoever waits for it may be killed before its time is over."""
    (tmp_path / "any").write_text("x", encoding="utf-8")
    pid = tmp_path / "pid"
    loop = f"import os; open({str(pid)!r}, 'w').write(str(os.getpid()))\nwhile True: pass"
    call = "from steadyset.io.files import run_limited; from pathlib import Path; "
    call += f"run_limited('', {loop!r}, Path({str(tmp_path / 'any')!r}), n_bytes=1 << 30, seconds=1.0, instead='')"
    reader = subprocess.Popen([sys.executable, "-c", call])
    until(lambda: pid.exists() and pid.read_text(encoding="utf-8") != "")
    reader.kill()
    reader.wait()
    until(lambda: not Path("/proc", pid.read_text(encoding="utf-8")).exists())


def test_the_command_and_the_page_refuse_it_too(tmp_path, client, folder, capsys):
    path = made.sparse_workbook(folder / "gift.xls")
    assert run(["assess", str(path), "--target", "y", "--out", str(tmp_path / "runs")]) == 2
    assert "than its size allows" in capsys.readouterr().err
    page = client.get("/data", params={"file": "gift.xls"})
    assert (page.status_code, "than its size allows" in page.text) == (200, True)


def test_an_honest_file_of_each_kind_is_read(tmp_path):
    data = st.load_data(made.feather_of(tmp_path / "x.feather"), "y")
    assert data.X.shape == (4, 1)
