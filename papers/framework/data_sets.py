"""The real data sets of the papers: one Parquet file each, with a column `target`, in a folder of the user's.

What was downloaded (`papers.framework.downloads`) lies in such a folder, too. data_sets.json says how the sets of
the papers are recognised, and nothing else is used under their names: `sha256` is that of the numbers of the set that
the results here were computed with (`numbers_checksum`); sets that nobody here has are recognised by their shape and by
the share of their largest class, which the papers print.
"""

from __future__ import annotations

import hashlib
import json
import os
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from papers.framework.text import listed
from steadyset import InputError

if TYPE_CHECKING:
    import pandas as pd

VARIABLE = "STEADYSET_DATA"
TARGET = "target"
RECORDS = Path(__file__).with_name("data_sets.json")


class MissingDataError(InputError):
    """A data set that is not at hand; what needs it cannot be decided here."""


class DataSet(NamedTuple):
    """A data set by its name: one row per observation, one column per feature, and the target."""

    name: str
    X: pd.DataFrame
    y: pd.Series


@dataclass(frozen=True)
class DataFolder:
    """The folders where data sets are looked for, the first first."""

    paths: tuple[Path, ...] = ()

    def holds(self, name: str) -> bool:
        """Whether a data set is at hand, and is that of the papers."""
        file = self._file(name)
        return file is not None and not _difference(name, file, file.stat().st_mtime_ns)

    def read(self, name: str) -> DataSet:
        """A data set."""
        file = self._file(name)
        if file is None or not self.holds(name):
            raise self.missing([name])
        frame = _frame(file)
        return DataSet(name, frame.drop(columns=TARGET), frame[TARGET])

    def missing(self, names: Sequence[str]) -> MissingDataError:
        """The error for data sets that are not at hand."""
        absent = [name for name in names if self._file(name) is None]
        told = f"It needs the data of {listed(absent)}, which {'are' if absent[1:] else 'is'} not here."
        others = [(name, file) for name in names if (file := self._file(name)) is not None]
        different = [
            f"{file.name} is not the set of the papers: {_difference(name, file, file.stat().st_mtime_ns)}."
            for name, file in others
        ]
        return MissingDataError(" ".join([*([told] if absent else []), *different]))

    def _file(self, name: str) -> Path | None:
        files = (path / f"{name}.parquet" for path in self.paths)
        return next((file for file in files if file.is_file()), None)


def _frame(file: Path) -> pd.DataFrame:
    import pandas as pd

    frame = pd.read_parquet(file)
    if TARGET not in frame.columns:
        raise InputError(f"{file} has no column {TARGET}; expected the features and, last, the {TARGET}.")
    return frame


@cache
def _difference(name: str, file: Path, changed: int) -> str:
    """What tells the data of a file from the set of the papers; empty where nothing does, or where none is known.

    Each file is read for it once, as long as it is not `changed`.
    """
    record = known_sets().get(name)
    return "" if record is None else what_differs(_frame(file), record)


@cache
def known_sets() -> Mapping[str, Mapping[str, Any]]:
    """What is known of each data set of the papers."""
    found: Mapping[str, Mapping[str, Any]] = json.loads(RECORDS.read_text("utf-8"))
    return found


def what_differs(frame: pd.DataFrame, record: Mapping[str, Any]) -> str:
    """What tells data from the set of a record; empty where nothing does."""
    shape = (len(frame), frame.shape[1] - 1)
    if shape != (record["rows"], record["features"]):
        return f"it has {shape[0]} rows and {shape[1]} features"
    if frame.isna().any(axis=None):
        return "it has missing values"
    if "labels" in record and set(frame[TARGET]) != set(record["labels"]):
        return f"its classes are {listed(sorted(map(str, set(frame[TARGET]))))}"
    if "largest_share" in record:
        share = frame[TARGET].value_counts(normalize=True).iloc[0]
        if round(share, 2) != record["largest_share"]:
            return f"its largest class has the share {share:.2f}"
    if "sha256" in record and numbers_checksum(frame) != record["sha256"]:
        return "its numbers are others"
    return ""


def numbers_checksum(frame: pd.DataFrame) -> str:
    """A checksum of the numbers of a set, which the order of its rows and the names in it do not change.

    Each row is written as its features with 6 significant digits and its class, numbered by how frequent it is; the
    rows are sorted.
    """
    import numpy as np

    y = frame[TARGET]
    if y.dtype.kind == "f":
        target = [f"{value:.6g}" for value in y]
    else:
        sizes = y.astype(str).value_counts()
        order = sorted(sizes.index, key=lambda label: (-sizes[label], label))
        target = [str(order.index(label)) for label in y.astype(str)]
    values = frame.drop(columns=TARGET).to_numpy(dtype=np.float64) + 0.0  # no negative zero
    rows = sorted(
        ",".join([*(f"{value:.6g}" for value in row), label]) for row, label in zip(values, target, strict=True)
    )
    return hashlib.sha256("\n".join(rows).encode()).hexdigest()


def data_folder(given: str | os.PathLike[str] | None = None) -> DataFolder:
    """The folder that was given, else that of the environment variable STEADYSET_DATA; then that of downloads."""
    told = os.fspath(given) if given is not None else os.environ.get(VARIABLE, "")
    if not told:
        return DataFolder((downloads_folder(),))
    path = Path(told).expanduser()
    if not path.is_dir():
        where = "--data" if given is not None else VARIABLE
        raise InputError(f"There is no folder {path}; {where} must name the folder with the data sets.")
    return DataFolder((path, downloads_folder()))


def downloads_folder() -> Path:
    """Where downloaded data sets are kept: in the user's folder for what can be had again."""
    if sys.platform == "win32":
        usual = os.environ.get("LOCALAPPDATA") or Path.home() / "AppData" / "Local"
    else:
        usual = os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache"
    return Path(usual) / "steadyset" / "data"
