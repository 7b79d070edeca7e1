"""Files of data beyond one table: a file of samples beside the values, GEO series matrices, AnnData."""

from __future__ import annotations

import gzip
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path

import numpy as np
import pandas as pd

from steadyset.io.data.data_table import Data, load_data

HERE = Path(__file__).parents[1] / "io"
N = 12


def data_kinds(place: Path) -> Iterator[tuple[str, bytes, Callable[[Path], object]]]:
    """Names, whole contents, and how they are read; in a pair of files, the other one stays whole."""
    random_ = np.random.default_rng(0)
    names = [f"S-{i}" for i in range(N)]
    genes = pd.DataFrame(random_.normal(size=(5, N)).round(3), index=list("vwxyz"), columns=names)
    known = pd.DataFrame(
        {"sample": names, "class": ["ill", "well"] * (N // 2), "patient": [f"p{i // 2}" for i in range(N)]}
    )
    genes.to_csv(place / "genes.csv")
    known.to_csv(place / "known.csv", index=False)
    table = genes.to_csv().encode()
    for ending, content in {
        "csv": table,
        "txt": genes.to_csv(sep="\t").encode("utf-16"),
        "csv.gz": gzip.compress(table),
    }.items():
        yield f"genes.{ending}", content, partial(_sound, samples=place / "known.csv", groups="patient")
    for ending, content in {"csv": known.to_csv(index=False).encode(), "txt": known.to_csv(sep="\t").encode()}.items():
        yield f"known.{ending}", content, partial(_sound_beside, place / "genes.csv")
    rows = pd.concat([known.set_index("sample").T, genes]).to_csv().encode()
    yield "rows.csv", rows, partial(_sound, transpose=True, groups="patient")
    series = (HERE / "geo" / "GSE999_series_matrix.txt").read_bytes()
    for ending, content in {"txt": series, "txt.gz": gzip.compress(series)}.items():
        yield f"GSE_series_matrix.{ending}", content, partial(_sound, target="tissue", impute="median")
    for name in ("0.7-csr", "0.7-dense", "0.12-csc", "0.12-dense"):
        content = gzip.decompress((HERE / "h5ad" / f"{name}.h5ad.gz").read_bytes())
        yield "cells.h5ad", content, partial(_sound, target="state", groups="donor", max_gb=0.5)
        yield "cells.h5ad", content, partial(_sound, target="free", layer="raw", max_gb=0.5)


def _sound_beside(values: Path, samples: Path) -> None:
    _checked(load_data(values, "class", samples=samples, groups="patient"))


def _sound(path: Path, target: str = "class", **options: object) -> None:
    _checked(load_data(path, target, **options))  # type: ignore[arg-type]


def _checked(data: Data) -> None:
    """Data that was read obeys its own rules, whatever the file."""
    assert data.X.shape == (len(data.y), len(data.features))
    assert len(set(data.features)) == len(data.features)
    assert not np.isinf(data.X).any()
    assert len(set(data.y.tolist())) > 1
    assert data.rows is None or len(data.rows) == len(data.y)
    assert data.groups is None or len(data.groups) == len(data.y)
