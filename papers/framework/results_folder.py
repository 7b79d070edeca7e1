"""The folder of one item and version: what is finished of it, its rows, tables and figures."""

from __future__ import annotations

import csv
import io
import re
import shutil
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from papers.framework.files import json_text, plain, read_json, write_file
from papers.framework.text import markdown_table
from steadyset import InputError, MissingExtraError

if TYPE_CHECKING:
    import pandas as pd

    from steadyset.plot import Picture

SETTINGS, RESULT, COMPARISON, PIECES = "settings.json", "result.json", "comparison", "pieces"
PIECE_NAME = re.compile(r"[\w.,=+-]+")


@dataclass(frozen=True)
class ResultsFolder:
    """The folder, with the settings that decide its results."""

    path: Path
    settings: Mapping[str, Any]

    def begin(self, *, resume: bool) -> None:
        """An empty folder; with `resume`, what an interrupted run with the same settings left."""
        if resume and self._fits():
            return
        if self.path.exists():
            self._refuse_foreign()
            shutil.rmtree(self.path)
        write_file(self.path / SETTINGS, json_text(self.settings))

    def finished(self) -> Any:
        """The result, where the same settings gave one."""
        file = self.path / RESULT
        return read_json(file) if file.exists() and self._fits() else None

    def finish(self, result: Mapping[str, Any], rows: list[dict[str, str]]) -> None:
        """Write the comparison as csv and Markdown, and the result that says that the item is finished."""
        header = list(rows[0]) if rows else []
        cells = [list(row.values()) for row in rows]
        comparison = io.StringIO(newline="")
        csv.writer(comparison, lineterminator="\n").writerows([header, *cells])
        write_file(self.path / f"{COMPARISON}.csv", comparison.getvalue())
        write_file(self.path / f"{COMPARISON}.md", markdown_table(header, cells) + "\n")
        write_file(self.path / RESULT, json_text(result))

    def has_piece(self, name: str) -> bool:
        """Whether a part of the work is finished."""
        return self._piece_file(name).exists()

    def piece(self, name: str, compute: Callable[[], Any]) -> Any:
        """A part of the work by its name; computed once."""
        file = self._piece_file(name)
        if not file.exists():
            write_file(file, json_text(compute()))
        return read_json(file)

    def _piece_file(self, name: str) -> Path:
        if not PIECE_NAME.fullmatch(name):
            raise InputError(f"A piece of work is named by letters, digits and . , = + - (got {name!r}).")
        return self.path / PIECES / f"{name}.json"

    def write_table(self, frame: pd.DataFrame, name: str) -> None:
        """A frame as csv."""
        write_file(self.path / f"{name}.csv", frame.to_csv(index=not _is_plain_index(frame)))

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
        return file.exists() and read_json(file) == plain(dict(self.settings))

    def _refuse_foreign(self) -> None:
        if not (self.path / SETTINGS).exists() and any(self.path.iterdir()):
            raise InputError(f"{self.path} holds other files; choose another folder.")


def _is_plain_index(frame: pd.DataFrame) -> bool:
    return frame.index.name is None and frame.index.nlevels == 1 and list(frame.index) == list(range(len(frame)))
