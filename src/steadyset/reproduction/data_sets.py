"""The real data sets of the papers: one Parquet file each, with a column `target`, in a folder of the user's."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from steadyset.errors import Argument, InputError

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
    """Where data sets are looked for; None: nowhere."""

    path: Path | None = None

    def holds(self, name: str) -> bool:
        """Whether a data set is at hand."""
        return self._file(name) is not None

    def read(self, name: str) -> DataSet:
        """A data set."""
        import pandas as pd

        file = self._file(name)
        if file is None:
            raise self.missing([name])
        frame = pd.read_parquet(file)
        if TARGET not in frame.columns:
            raise InputError(f"{file} has no column {TARGET}; expected the features and, last, the {TARGET}.")
        return DataSet(name, frame.drop(columns=TARGET), frame[TARGET])

    def missing(self, names: list[str]) -> MissingDataError:
        """The error for data sets that are not at hand."""
        needed = f"Needs the data of {', '.join(names)}"
        if self.path is None:
            return MissingDataError(f"{needed}; ", Argument("data"), f" or {VARIABLE} names their folder.")
        return MissingDataError(f"{needed}, which {self.path} does not hold.")

    def _file(self, name: str) -> Path | None:
        file = None if self.path is None else self.path / f"{name}.parquet"
        return file if file is not None and file.is_file() else None


def data_folder(given: str | os.PathLike[str] | None = None) -> DataFolder:
    """The folder that was given, else that of the environment variable STEADYSET_DATA."""
    told = os.fspath(given) if given is not None else os.environ.get(VARIABLE)
    if not told:
        return DataFolder()
    path = Path(told).expanduser()
    if not path.is_dir():
        where = Argument("data") if given is not None else VARIABLE
        raise InputError("There is no folder ", str(path), "; ", where, " must name the folder with the data sets.")
    return DataFolder(path)
