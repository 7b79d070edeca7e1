"""The folder of one item and version: what is finished of it, its rows, tables and figures."""

from __future__ import annotations

import json
import re
import shutil
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from steadyset.findings.parts import plain
from steadyset.foundation.errors import InputError, MissingExtraError
from steadyset.inference.typeset import markdown_table
from steadyset.io.disk import explained, write_durably
from steadyset.io.json_files import read_json_file
from steadyset.io.spreadsheet import csv_text

if TYPE_CHECKING:
    import pandas as pd

    from steadyset.plots import Picture

SETTINGS, RESULT, COMPARISON, PIECES = "settings.json", "result.json", "comparison", "pieces"
PIECE_NAME = re.compile(r"[\w.,=+-]+")


@dataclass(frozen=True)
class ResultsFolder:
    """The folder, with the settings that decide its results."""

    path: Path
    settings: Mapping[str, Any]

    def begin(self, *, resume: bool) -> None:
        """An empty folder; with `resume`, what an interrupted run with the same settings left."""
        with explained(self.path):
            if resume and self._fits():
                return
            if self.path.exists():
                self._refuse_foreign()
                shutil.rmtree(self.path)
            self.path.mkdir(parents=True)
            self._write(SETTINGS, _json(self.settings))

    def finished(self) -> Any:
        """The result, where the same settings gave one."""
        file = self.path / RESULT
        return read_json_file(file) if file.exists() and self._fits() else None

    def finish(self, result: Mapping[str, Any], rows: list[dict[str, str]]) -> None:
        """Write the comparison as csv and Markdown, and the result that says that the item is finished."""
        header = list(rows[0]) if rows else []
        self._write(f"{COMPARISON}.csv", csv_text(rows))
        self._write(f"{COMPARISON}.md", markdown_table(header, [list(row.values()) for row in rows]) + "\n")
        self._write(RESULT, _json(result))

    def has_piece(self, name: str) -> bool:
        """Whether a part of the work is finished."""
        return self._piece_file(name).exists()

    def piece(self, name: str, compute: Callable[[], Any]) -> Any:
        """A part of the work by its name; computed once."""
        file = self._piece_file(name)
        if not file.exists():
            self._write(f"{PIECES}/{file.name}", _json(compute()))
        return read_json_file(file)

    def _piece_file(self, name: str) -> Path:
        if not PIECE_NAME.fullmatch(name):
            raise InputError(f"A piece of work is named by letters, digits and . , = + - (got {name!r}).")
        return self.path / PIECES / f"{name}.json"

    def write_table(self, frame: pd.DataFrame, name: str) -> None:
        """A frame as csv."""
        self._write(f"{name}.csv", frame.to_csv(index=not _is_plain_index(frame)))

    def write_figure(self, picture: Picture, name: str) -> str:
        """A picture as .svg and .html, with its data; a sentence where nothing draws."""
        self.write_table(picture.data, name)
        try:
            picture.save(self.path / f"{name}.svg")
            picture.save(self.path / f"{name}.html")
        except MissingExtraError as error:
            return str(error)
        return ""

    def _fits(self) -> bool:
        file = self.path / SETTINGS
        return file.exists() and read_json_file(file) == plain(dict(self.settings))

    def _refuse_foreign(self) -> None:
        if not (self.path / SETTINGS).exists() and any(self.path.iterdir()):
            raise InputError(f"{self.path} holds other files; choose another folder.")

    def _write(self, name: str, text: str) -> None:
        file = self.path / name
        with explained(file, resumable=True):
            file.parent.mkdir(parents=True, exist_ok=True)
            write_durably(file, text.encode())


def _json(value: Any) -> str:
    return json.dumps(plain(value), indent=1, allow_nan=False, ensure_ascii=False) + "\n"


def _is_plain_index(frame: pd.DataFrame) -> bool:
    return frame.index.name is None and frame.index.nlevels == 1 and list(frame.index) == list(range(len(frame)))
