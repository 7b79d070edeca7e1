"""Run folders and files that somebody made on purpose; nothing large is kept, everything is made when it is needed."""

from __future__ import annotations

import json
import os
import random
import sqlite3
import struct
import zipfile
from pathlib import Path

import numpy as np
import pyarrow as pa
from pyarrow import feather, parquet

import steadyset as st

VICTIM = "years of work that no run folder may touch"
FILES = ("assessment.json", "cells.json", "alike.json", "features.csv", "report.html", "said.txt", "held", "lock")
ENDLESS = (
    "create view {} as with recursive c(x) as (select 1 union all select x + 1 from c) select x as {}, 1 as {} from c"
)


def finished(path: Path, seed: int = 0) -> Path:
    """A folder as an assessment leaves it."""
    rng = np.random.default_rng(seed)
    X, y = rng.normal(size=(24, 4)), np.arange(24) % 2
    st.assess(["anova:k=2"], X, y, resampling=st.KFold(4), out=path, n_jobs=1, execution=st.Execution(progress=False))
    return path


def ordered(path: Path, victim: Path, options: object = None, **changed: object) -> Path:
    """A folder that brings an order along, which reads a file elsewhere and whose log leads to another."""
    path.mkdir()
    given = options or {"file": str(victim), "target": "y", "out": "x"}
    order = {"command": "assess", "options": given, "page": {"state": "waiting", **changed}}
    (path / "job.json").write_text(json.dumps(order), encoding="utf-8")
    os.symlink(victim, path / "said.txt")
    return path


def linked(path: Path, name: str, victim: Path) -> Path:
    """A finished folder in which one file is a link."""
    finished(path)
    (path / name).unlink(missing_ok=True)
    os.symlink(victim, path / name)
    return path


def linked_folder(path: Path, elsewhere: Path) -> Path:
    """A finished folder whose folder of single cells is another one, with files that look like cells."""
    finished(path)
    for old in (path / "finished").iterdir():
        old.unlink()
    (path / "finished").rmdir()
    os.symlink(elsewhere, path / "finished")
    return path


def nested(path: Path, depth: int = 200_000) -> Path:
    """Brackets within brackets."""
    path.mkdir()
    for name in ("assessment.json", "job.json", "findings.json"):
        (path / name).write_text("[" * depth + "]" * depth, encoding="utf-8")
    return path


def of_other_kinds(path: Path, seed: int) -> Path:
    """Settings whose entries are of other kinds than a reader expects."""
    draw = random.Random(seed)
    odd = [None, True, 1e308, -1, "x", [], [[]], {}, {"a": {"b": []}}, "9" * 400]
    finished(path)
    content = json.loads((path / "assessment.json").read_text(encoding="utf-8"))
    details = {name: draw.choice(odd) for name in ("n_runs", "automatic", "job", "selectors", "resampling")}
    content |= {name: draw.choice(odd) for name in ("selectors", "features", "task", "scoring", "n_rows", "seed")}
    content["details"] = draw.choice([details, {**details, "automatic": {"width": "x", "max_runs": []}}, *odd])
    (path / "assessment.json").write_text(json.dumps(content), encoding="utf-8")
    return path


def fifo(path: Path, name: str) -> Path:
    """A file that never answers."""
    finished(path)
    (path / name).unlink(missing_ok=True)
    os.mkfifo(path / name)
    return path


def endless_database(path: Path) -> Path:
    """The database of a tuning whose tables are views without an end."""
    path.mkdir()
    with sqlite3.connect(path / "trials.db") as database:
        database.execute(ENDLESS.format("trials", "state", "number"))
        database.execute(ENDLESS.format("study_user_attributes", "key", "value_json"))
    database.close()
    return path


def computed_columns(path: Path) -> Path:
    """The database of a tuning whose rows compute texts of hundreds of megabytes when they are read."""
    path.mkdir()
    with sqlite3.connect(path / "trials.db") as database:
        database.execute("create table trials (number integer primary key)")
        database.execute("create table study_user_attributes (key)")
        database.executemany("insert into trials (number) values (?)", [(number,) for number in range(10_000)])
        for table, column in (("trials", "state"), ("study_user_attributes", "value_json")):
            heavy = (
                "generated always as (hex(zeroblob(200000000))) virtual"  # after the rows, for each of which it counts
            )
            database.execute(f"alter table {table} add column {column} text {heavy}")
    database.close()
    return path


def virtual_tables(path: Path) -> Path:
    """The database of a tuning with a table that a module of SQLite computes."""
    path.mkdir()
    with sqlite3.connect(path / "trials.db") as database:
        database.execute("create virtual table trials using fts5(state)")
    database.close()
    return path


def prepared_journal(path: Path, victim: Path) -> Path:
    """The database of a tuning with the journal of a transaction that was cut off, which names another file.

    SQLite rolls such a transaction back, and removes the file that the journal names.
    """
    path.mkdir()
    database = sqlite3.connect(path / "trials.db")
    database.execute("create table trials (state)")
    database.close()
    magic, page = bytes.fromhex("d9d505f920a163d7"), (path / "trials.db").read_bytes()[:4096]
    header = magic + struct.pack(">IIIII", 1, 0, 2, 512, len(page))
    record = struct.pack(">I", 1) + page + struct.pack(">I", sum(page[len(page) - 200 :: -200]))
    name = str(victim).encode()
    further = struct.pack(">I", (1 << 30) // len(page) + 1) + name + struct.pack(">II", len(name), sum(name)) + magic
    (path / "trials.db-journal").write_bytes(header.ljust(512, b"\0") + record + further)
    return path


def unfolding_feather(path: Path, megabytes: int = 800) -> Path:
    """A Feather file of some kilobytes that unfolds to much more."""
    zeros = pa.array(np.zeros(1 << 20))
    batch = pa.record_batch({"x": zeros, "y": zeros})
    with (
        pa.OSFile(str(path), "wb") as sink,
        pa.ipc.new_file(sink, batch.schema, options=pa.ipc.IpcWriteOptions(compression="zstd")) as writer,
    ):
        for _ in range(megabytes // 16):
            writer.write_batch(batch)
    assert path.stat().st_size < 1 << 20
    return path


def unfolding_parquet(path: Path, rows: int = 20_000_000) -> Path:
    """A Parquet file of some kilobytes that unfolds to much more."""
    parquet.write_table(pa.table({"x": pa.array(np.zeros(rows)), "y": pa.array(np.zeros(rows))}), path)
    return path


def repeating_parquet(path: Path, rows: int = 2_000) -> Path:
    """A Parquet file that claims few megabytes; each of its rows is the same text of a megabyte, kept once."""
    texts = pa.DictionaryArray.from_arrays(pa.array(np.zeros(rows, np.int32)), pa.array(["x" * 1_000_000]))
    parquet.write_table(pa.table({"x": pa.array(np.zeros(rows)), "y": texts}), path, store_schema=False)
    assert path.stat().st_size < 1 << 20
    return path


def many_rows_of_zeros(path: Path, rows: int = 300_000_000) -> Path:
    """A Parquet file whose columns of small zeros become columns of large ones."""
    zeros = pa.array(np.zeros(rows, np.int8))
    parquet.write_table(pa.table({"x": zeros, "y": zeros}), path, compression="zstd")
    assert path.stat().st_size < 4 << 20
    return path


def unwritten_h5ad(path: Path, shape: tuple[int, int] = (20_000, 20_000)) -> Path:
    """An .h5ad file whose values were never written: each is the one that stands for all."""
    h5py = __import__("h5py")
    with h5py.File(path, "w") as file:
        file.create_dataset("X", shape=shape, dtype="f4", chunks=(1000, 1000))
        for name, count in zip(("obs", "var"), shape, strict=True):
            group = file.create_group(name)
            group.attrs["_index"] = "names"
            names = np.array([f"{name}{i}" for i in range(count)], dtype=object)
            group.create_dataset("names", data=names, dtype=h5py.string_dtype())
        file["obs"].create_dataset("y", data=np.arange(shape[0]) % 2)
    return path


def listed_parquet(path: Path, values: int = 80_000_000) -> Path:
    """A Parquet file of one row that holds very many values."""
    lists = pa.ListArray.from_arrays([0, values], pa.array(np.zeros(values, np.int8)))
    parquet.write_table(pa.table({"x": lists, "y": [1.0]}), path, compression="zstd")
    assert path.stat().st_size < 1 << 20
    return path


def unpacking_workbook(path: Path, megabytes: int = 1_000) -> Path:
    """An archive of some megabytes, whose sheet is a comment of gigabytes."""
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as packed:
        name = "content.xml" if path.suffix == ".ods" else "xl/worksheets/sheet1.xml"
        with packed.open(name, "w", force_zip64=True) as part:
            part.write(b"<worksheet><!--")
            for _ in range(megabytes):
                part.write(b" " * (1 << 20))
            part.write(b"--></worksheet>")
    assert path.stat().st_size < 4 << 20
    return path


def sparse_workbook(path: Path, sheets: int = 16) -> Path:
    """An .xls file of some kilobytes, each of whose sheets has a cell in its last row and column."""
    stream = _biff(sheets)
    path.write_bytes(_compound(stream))
    return path


def _record(kind: int, content: bytes = b"") -> bytes:
    return struct.pack("<HH", kind, len(content)) + content


def _biff(sheets: int) -> bytes:
    """A workbook of format BIFF8 with a number in the first and in the last cell of each sheet."""
    start = _record(0x0809, struct.pack("<HHHHII", 0x0600, 0x0005, 0, 0, 0, 0x0600))
    sheet = _record(0x0809, struct.pack("<HHHHII", 0x0600, 0x0010, 0, 0, 0, 0x0600))
    for row, column in ((0, 0), (65535, 255)):
        sheet += _record(0x0203, struct.pack("<HHHd", row, column, 0, 1.0))
    sheet += _record(0x000A)
    names = [f"s{i}".encode() for i in range(sheets)]
    length = len(start) + sum(4 + 8 + len(name) for name in names) + 4
    bounds = b""
    for i, name in enumerate(names):
        place = length + i * len(sheet)
        bounds += _record(0x0085, struct.pack("<IBBBB", place, 0, 0, len(name), 0) + name)
    return start + bounds + _record(0x000A) + sheet * sheets


def _compound(stream: bytes) -> bytes:
    """A compound file with one stream, called Workbook, in sectors of 512 bytes."""
    size = 512
    stream += bytes(-len(stream) % size) if len(stream) >= 4096 else bytes(4096 - len(stream))
    n = len(stream) // size
    end, free, table = 0xFFFFFFFE, 0xFFFFFFFF, 0xFFFFFFFD
    chain = [table, end, *range(3, n + 2), end]  # sector 0: this table, 1: the directory, then the stream
    fat = struct.pack(f"<{len(chain)}I", *chain) + struct.pack("<I", free) * (size // 4 - len(chain))
    header = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + bytes(16) + struct.pack("<HHHHH6x", 0x3E, 3, 0xFFFE, 9, 6)
    header += struct.pack("<IIIIIIIII", 0, 1, 1, 0, 4096, end, 0, end, 0) + struct.pack("<I", 0)
    header += struct.pack("<I", free) * 108
    entries = _entry("Root Entry", 5, end, 0, child=1) + _entry("Workbook", 2, 2, len(stream)) + _entry("", 0, 0, 0) * 2
    return header + fat + entries + stream


def _entry(name: str, kind: int, sector: int, length: int, child: int = 0xFFFFFFFF) -> bytes:
    text = (name + "\0").encode("utf-16-le") if name else b""
    head = text.ljust(64, b"\0") + struct.pack("<HBBIII", len(text), kind, 1, 0xFFFFFFFF, 0xFFFFFFFF, child)
    return head + bytes(16 + 4 + 8 + 8) + struct.pack("<IQ", sector, length)


def looping_h5ad(path: Path) -> Path | None:
    """An .h5ad file whose heap of texts points to itself, where h5py is there to make one."""
    h5py = __import__("h5py")
    with h5py.File(path, "w") as file:
        file.create_dataset("X", data=np.zeros((4, 2)))
        group = file.create_group("obs")
        group.attrs["_index"] = "names"
        group.create_dataset("names", data=np.array([f"r{i}" * 20 for i in range(4)], dtype=h5py.string_dtype()))
    content = bytearray(path.read_bytes())
    place = content.find(b"GCOL")
    content[place + 16 : place + 32] = struct.pack("<HHIQ", 1, 1, 0, (1 << 64) - 16)  # an object that never ends
    path.write_bytes(content)
    return path


def feather_of(path: Path) -> Path:
    """An honest one."""
    feather.write_feather(pa.table({"x": [1.0, 2.0, 3.0, 4.0], "y": ["a", "b", "a", "b"]}), path)
    return path
