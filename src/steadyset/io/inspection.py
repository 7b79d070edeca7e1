"""What is in a file: data or recorded selections, how large it is, what may be predicted; found by reading it once."""

from __future__ import annotations

import textwrap
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING

from steadyset.foundation.display import Record
from steadyset.foundation.errors import InputError
from steadyset.io.disk import file_path
from steadyset.io.files import MAX_GB, File, enough_memory_to_read
from steadyset.io.formats.columns import FEATURE, RUN
from steadyset.io.formats.record import ANNOTATED, LISTS, TABLE, format_of
from steadyset.io.labels import several, some_names

if TYPE_CHECKING:
    from steadyset.io.data.follow_up import FollowUp

DATA, SELECTIONS = "data", "recorded selections"
FOLDER = "folder of lists"
WIDTH = 80  # of a terminal


@dataclass(frozen=True, repr=False)
class Inspection(Record):
    r"""What `inspect` found in a file; `load_data` and `Selections.read` take it in place of the path.

    They then use what was read already, so that the file is opened once.

    Attributes
    ----------
    path : Path
        The file.
    format : str
        The name of its format.
    holds : str
        "data" or "recorded selections".
    layout : str
        How it is laid out, in words.
    n_rows : int or None
        The number of observations of data, or of runs; None where the file does not say before a target is chosen.
    n_columns : int or None
        The number of columns of data, or of features of recorded selections.
    columns : tuple of str
        The names of the columns, or of the features.
    targets : dict of str to int
        The columns that may be predicted, each with its number of distinct values; those with few values first.
    notes : tuple of str
        What was understood, and what to mind.
    times : dict of str to tuple of str
        The columns that hold a time to an event, each with the ways to give `event`: two of them if the coding of
        censored rows is not clear.
    file : File
        The content of the file and what was recognised of it, for those who read on.

    Examples
    --------
    >>> import tempfile
    >>> from pathlib import Path
    >>> import steadyset as st
    >>> file = Path(tempfile.mkdtemp()) / "patients.csv"
    >>> _ = file.write_text("dose,marker,status\n1.0,0.3,ill\n2.0,0.1,well\n1.5,0.4,ill\n0.5,0.2,well\n")
    >>> found = st.inspect(file)
    >>> found.holds, found.n_rows, found.targets
    ('data', 4, {'status': 2})
    >>> st.load_data(found, "status").X.shape
    (4, 2)
    """

    path: Path
    format: str
    holds: str
    layout: str
    n_rows: int | None = None
    n_columns: int | None = None
    columns: tuple[str, ...] = ()
    targets: Mapping[str, int] = field(default_factory=dict)
    notes: tuple[str, ...] = ()
    times: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    file: File = field(kw_only=True, repr=False, compare=False)

    def __str__(self) -> str:
        rows, columns = ("run", "feature") if self.holds == SELECTIONS else ("row", "column")
        sizes = [several(n, word) for n, word in ((self.n_rows, rows), (self.n_columns, columns)) if n is not None]
        lines = [f"{self.path.name}: {', '.join([self.holds, self.format, *sizes])}"]
        if self.layout:
            lines.append(f"layout: {self.layout}")
        if self.columns:
            lines.append(f"{columns}s: {some_names(self.columns)}")
        if self.targets and self.holds == DATA:
            from steadyset.io.data.sources import candidates_in_words

            lines.append(f"may be predicted: {candidates_in_words(self.targets)}")
        for time, events in self.times.items() if self.holds == DATA else ():
            lines.append(f"time to event: time={time!r} and event={' or '.join(map(repr, events))}")
        return "\n".join(
            part for line in [*lines, *self.notes] for part in textwrap.wrap(line, WIDTH, subsequent_indent="  ")
        )


def inspect(
    path: str | Path,
    *,
    samples: str | Path | None = None,
    transpose: bool | None = None,
    sheet: str | int | None = None,
    samples_sheet: str | int | None = None,
    layer: str | None = None,
    delimiter: str | None = None,
    max_gb: float = MAX_GB,
) -> Inspection:
    """Say what is in a file, before anything is chosen.

    Parameters
    ----------
    path : str or Path
        The file, or a folder of lists.
    samples : str, Path or None, default=None
        A second file of data with what is known of the samples.
    transpose : bool or None, default=None
        True says that the file has one column per observation.
    sheet : str, int or None, default=None
        The sheet of a workbook, by name or by number from 1.
    samples_sheet : str, int or None, default=None
        The sheet of the workbook `samples`.
    layer : str or None, default=None
        Other values of an .h5ad file than X.
    delimiter : str or None, default=None
        What separates the columns of a text file; None recognises it.
    max_gb : float, default=8.0
        A file that would take more gigabytes of memory is refused.

    Returns
    -------
    Inspection
        What it holds; printed, it is a few lines for people.

    Raises
    ------
    InputError
        Where the file is neither a table nor recorded selections; the message says why.

    Examples
    --------
    >>> import tempfile
    >>> from pathlib import Path
    >>> import steadyset as st
    >>> file = Path(tempfile.mkdtemp()) / "lists.csv"
    >>> _ = file.write_text("run,feature\\n1,TP53\\n1,MYC\\n2,TP53\\n")
    >>> print(st.inspect(file))
    lists.csv: recorded selections, csv, 2 runs, 2 features
    layout: 2 runs from the column 'run'; 2 distinct names; universe: those names
    features: 'TP53', 'MYC'
    """
    from steadyset.io.data.data_table import Asked, possible_targets, table_of
    from steadyset.io.data.sources import Roles

    file = File(file_path(path))
    where = None if samples is None else File(file_path(samples))
    asked = Asked(file, Roles(), where, transpose, sheet, samples_sheet, layer, delimiter, max_gb)
    known = format_of(file.name)
    kind = FOLDER if file.is_dir() else known.name if known is not None else "text"
    if kind == FOLDER or (known is not None and not {TABLE, ANNOTATED} & set(known.holds)):
        return _recorded(file, kind, sheet, max_gb)
    try:
        with enough_memory_to_read(file):
            table = table_of(asked)
            possible = possible_targets(asked, table)
    except InputError:
        if samples is None and not transpose and layer is None and known is not None and LISTS in known.holds:
            with suppress(InputError):
                return _recorded(file, kind, sheet, max_gb)
        raise
    if table is None:  # the numbers are read when a target is chosen
        layout, targets, times = possible.layout, possible.targets, _ways(possible.follow_ups)
        return Inspection(file.path, kind, DATA, layout, targets=targets, times=times, file=file)
    # A table may be one of selections that names runs and features, has no numbers, or 0 and 1 alone.
    named = {RUN, FEATURE} <= set(table.names) or not len(table.numeric)
    if named or (len(table.others) <= 1 and ((table.X == 0) | (table.X == 1)).all()):
        with suppress(InputError):
            return replace(_recorded(file, kind, sheet, max_gb), targets=possible.targets)
    names = tuple(table.names)
    sizes = table.n_rows, len(names)
    targets, times = possible.targets, _ways(possible.follow_ups)
    return Inspection(file.path, kind, DATA, possible.layout, *sizes, names, targets, table.notes, times, file=file)


def _ways(found: Sequence[FollowUp]) -> dict[str, tuple[str, ...]]:
    return {one.time: one.events for one in found}


def _recorded(file: File, kind: str, sheet: str | int | None, max_gb: float) -> Inspection:
    """The recorded selections of a file; a sentence where it holds none."""
    from steadyset.io.lists.entries import ReadOptions
    from steadyset.io.lists.selection_files import read_selections

    entries = read_selections(file, ReadOptions(sheet=sheet, max_gb=max_gb))
    layout, *notes = entries.notes or ("one row per run, one column per feature",)
    sizes, names = (entries.n_runs, entries.n_features), tuple(entries.names or ())
    return Inspection(file.path, kind, SELECTIONS, layout, *sizes, names, notes=tuple(notes), file=file)
