"""How long and in how much memory wide data files are read, over three numbers of columns: against pandas and, for
Parquet, against Arrow's `read_table`, which gives a table of Arrow instead of one array of numbers.

`memory` is what reading takes in addition, in multiples of the size of the file. Of the time for 100 x 20,000 in
Parquet about two thirds are Arrow's: listing the columns of the file and decoding them one by one. A csv file of very
many columns and two rows is mostly names, each of which is a text of Python's in the end.
"""

from __future__ import annotations

import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.timing import PEAK

TITLE = "Reading data files"
ROWS = 100
COLUMNS, WIDEST = (5_000, 10_000, 20_000), 400_000
READ = f"""{PEAK}
import sys, time
import pandas as pd
from steadyset.io.data.data_table import load_data
from pyarrow import parquet
readers = {{
    "steadyset": lambda path: load_data(path, "y"),
    "pandas": pd.read_parquet if sys.argv[2].endswith("parquet") else pd.read_csv,
    "Arrow": parquet.read_table,
}}
readers[sys.argv[1]](sys.argv[3])
before, start = peak(), time.process_time()
readers[sys.argv[1]](sys.argv[2])
print(time.process_time() - start, (peak() - before) * 1024**3)
"""


def write(folder: Path, columns: int, name: str, rows: int = ROWS) -> Path:
    import pandas as pd

    X = np.random.default_rng(columns).normal(size=(rows, columns)).round(6)
    frame = pd.DataFrame(X, columns=[f"g{i}" for i in range(columns)]).assign(y=np.arange(rows) % 2)
    path = folder / name
    frame.to_parquet(path) if name.endswith("parquet") else frame.to_csv(path, index=False)
    return path


def measured(reader: str, path: Path, small: Path) -> tuple[float, float]:
    """Processor seconds and bytes of additional memory, in a process of its own that has read a small file before."""
    done = subprocess.run([sys.executable, "-c", READ, reader, path, small], capture_output=True, text=True, check=True)
    seconds, memory = done.stdout.split()
    return float(seconds), float(memory)


def rows() -> list[dict[str, Any]]:
    """One row per format and number of columns."""
    table = []
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        for ending in ("csv", "parquet"):
            small = write(folder, 5, f"small.{ending}")
            for columns in COLUMNS:
                path = write(folder, columns, f"wide{columns}.{ending}")
                own, memory = measured("steadyset", path, small)
                for other in ("pandas",) if ending == "csv" else ("pandas", "Arrow"):
                    theirs, _ = measured(other, path, small)
                    row = {"case": f"read {ending} ({other})", "size": f"{ROWS} x {columns}", "ours_s": own}
                    row |= {"theirs_s": theirs, "ratio": theirs / own, "memory": memory / path.stat().st_size}
                    table.append(row)
        path = write(folder, WIDEST, "widest.csv", rows=2)
        own, memory = measured("steadyset", path, folder / "small.csv")
        row = {"case": "read csv", "size": f"2 x {WIDEST}", "ours_s": own, "theirs_s": None, "ratio": None}
        table.append(row | {"memory": memory / path.stat().st_size})
    return table
