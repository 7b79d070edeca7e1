"""Damaged files of every format for every reader: selections, data tables with groups, similarities, spaces."""

from __future__ import annotations

import gzip
import itertools
import json
import random
import tempfile
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from tests.fuzz.contract import Example
from tests.fuzz.data_files import data_kinds
from tests.fuzz.hostile import damaged, damaged_archive, short, stopped_clock
from tests.fuzz.list_files import list_kinds

import steadyset as st
from steadyset.io.data.data_table import load_data

ROWS = 12
WRITTEN = Path(__file__).parents[1] / "io" / "written"  # what programs of others write
R_FILES = Path(__file__).parents[1] / "io" / "r_files"  # what R packages write


def examples(seed: int, count: int) -> Iterator[Example]:
    """Files of every kind, damaged again and again."""
    random_ = random.Random(seed)
    with tempfile.TemporaryDirectory() as folder:
        place = Path(folder)
        with stopped_clock():
            kinds = list(_kinds(place))
        for number, (name, content, read) in zip(range(count), itertools.cycle(kinds), strict=False):
            changed = (damaged_archive if content.startswith(b"PK") else damaged)(content, random_)
            path = place / f"{number}-{name}"
            yield Example(f"{name} {short(changed)}", partial(_read, path, changed, read))


def _read(path: Path, content: bytes, read: Callable[[Path], object]) -> None:
    path.write_bytes(content)
    try:
        read(path)
    finally:
        path.unlink()


def _kinds(place: Path) -> Iterator[tuple[str, bytes, Callable[[Path], object]]]:
    """Names, whole contents, and how they are read."""
    random_ = np.random.default_rng(0)
    sets = [random_.permutation(6)[: 2 + i % 3].tolist() for i in range(5)]
    sel = st.Selections.from_sets(sets, features=list("abcdef"))
    weighted = sel.with_weights([random_.normal(size=k).tolist() for k in sel.sizes])
    for what, runs in (("sets", sel), ("weights", weighted)):
        for ending in ("csv", "tsv", "csv.gz", "parquet", "json"):
            whole = place / f"whole-{what}.{ending}"
            runs.write(whole)
            yield f"{what}.{ending}", whole.read_bytes(), _measured
    yield from list_kinds(place, _measured)
    for file in sorted(R_FILES.iterdir()):
        yield file.name, file.read_bytes(), _measured
    frame = pd.DataFrame(random_.normal(size=(ROWS, 4)).round(3), columns=["p", "q", "r", "s"])
    frame["patient"] = [f"p{i // 2}" for i in range(ROWS)]
    frame["class"] = ["ill", "well"] * (ROWS // 2)
    for ending, content in _tables(frame, place).items():
        yield f"data.{ending}", content, lambda path: load_data(path, "class", groups="patient")
        yield f"data.{ending}", content, lambda path: st.FeatureSimilarity.from_data(_numbers(path))
    for name, content in _forms(frame, place).items():
        yield name, content, lambda path: load_data(path, "class", groups="patient")
    for file in sorted(WRITTEN.glob("*.*s*")):
        yield file.name, file.read_bytes(), lambda path: load_data(path, "y", impute="median")
        yield file.name, file.read_bytes(), _measured
    yield from data_kinds(place)
    matrix = pd.DataFrame(np.corrcoef(frame[["p", "q", "r", "s"]].T).round(3), columns=["p", "q", "r", "s"])
    for ending, content in _tables(matrix, place).items():
        yield f"similarity.{ending}", content, st.FeatureSimilarity.read
    groups = {"filter": ["anova"], "fraction": [0.5], "model": {"lasso": {"penalty": [0.1]}}}
    from steadyset.tuning.space import read_space

    yield "space.json", json.dumps(groups).encode(), lambda path: read_space(path, "classes")


def _tables(frame: pd.DataFrame, place: Path) -> dict[str, bytes]:
    text = frame.to_csv(index=False).encode()
    frame.to_parquet(place / "whole.parquet")
    frame.to_feather(place / "whole.feather")
    return {
        "csv": text,
        "tsv": frame.to_csv(index=False, sep="\t").encode(),
        "csv.gz": gzip.compress(text),
        "parquet": (place / "whole.parquet").read_bytes(),
        "feather": (place / "whole.feather").read_bytes(),
    }


def _forms(frame: pd.DataFrame, place: Path) -> dict[str, bytes]:
    """The same table in forms that have to be recognised."""
    frame.to_excel(place / "whole.xlsx", index=False, startrow=2)
    return {
        "data.xlsx": (place / "whole.xlsx").read_bytes(),
        "utf16.csv": frame.to_csv(index=False).encode("utf-16"),
        "semicolons.txt": b"Table 1\n\n" + frame.to_csv(index=False, sep=";", decimal=",").encode("latin-1"),
        "spaces.txt": frame.to_csv(sep=" ", index_label=False).encode(),
        "named.txt.gz": gzip.compress(b"sep=|\n" + frame.to_csv(index=False, sep="|").encode()),
    }


def _numbers(path: Path) -> object:
    data = load_data(path, "class", groups="patient")
    return pd.DataFrame(data.X, columns=list(data.features))


def _measured(path: Path, **options: Any) -> None:
    """Selections that were read obey their own rules, whatever the file."""
    sel = st.Selections.read(path, **options)
    assert all("\n" not in note for note in sel.notes)
    assert sel.n_runs >= 1
    assert sel.n_features >= 1
    assert len(set(sel.features)) == sel.n_features if sel.n_features < 10_000 else True
    assert ((sel.indices >= 0) & (sel.indices < sel.n_features)).all()
    assert sel.sizes.sum() == len(sel.indices)
    if sel.n_runs > 1:
        value = st.stability(sel, "jaccard")
        assert np.isnan(value) or 0 <= value <= 1
