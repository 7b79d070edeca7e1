"""The real data sets of the papers: one Parquet file each, with a column `target`, in a folder of the user's.

What was downloaded (`steadyset.reproduction.downloads`) lies in such a folder, too.
"""

from __future__ import annotations

import os
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from steadyset.errors import Argument, InputError
from steadyset.io.limits import readable
from steadyset.wording import listed

if TYPE_CHECKING:
    import pandas as pd

VARIABLE = "STEADYSET_DATA"
TARGET = "target"


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
        """Whether a data set is at hand."""
        return self._file(name) is not None

    def read(self, name: str) -> DataSet:
        """A data set."""
        import pandas as pd

        file = self._file(name)
        if file is None:
            raise self.missing([name])
        with readable(file):
            frame = pd.read_parquet(file)
        if TARGET not in frame.columns:
            raise InputError(f"{file} has no column {TARGET}; expected the features and, last, the {TARGET}.")
        return DataSet(name, frame.drop(columns=TARGET), frame[TARGET])

    def missing(self, names: list[str]) -> MissingDataError:
        """The error for data sets that are not at hand."""
        return MissingDataError(f"It needs the data of {listed(names)}, which {'are' if names[1:] else 'is'} not here.")

    def _file(self, name: str) -> Path | None:
        files = (path / f"{name}.parquet" for path in self.paths)
        return next((file for file in files if file.is_file()), None)


def data_folder(given: str | os.PathLike[str] | None = None) -> DataFolder:
    """The folder that was given, else that of the environment variable STEADYSET_DATA; then that of downloads."""
    told = os.fspath(given) if given is not None else os.environ.get(VARIABLE, "")
    if not told:
        return DataFolder((downloads_folder(),))
    path = Path(told).expanduser()
    if not path.is_dir():
        where = Argument("data") if given is not None else VARIABLE
        raise InputError(f"There is no folder {path}; ", where, " must name the folder with the data sets.")
    return DataFolder((path, downloads_folder()))


def downloads_folder() -> Path:
    """Where downloaded data sets are kept: in the user's folder for what can be had again."""
    if sys.platform == "win32":
        usual = os.environ.get("LOCALAPPDATA") or Path.home() / "AppData" / "Local"
    else:
        usual = os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache"
    return Path(usual) / "steadyset" / "data"
