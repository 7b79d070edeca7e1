"""From data to numbers and a target: files, tables that were read before, and AnnData in memory.

What cannot be used is said, with the argument that handles it.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence, Sized
from dataclasses import dataclass, replace
from pathlib import Path, PurePath
from typing import TYPE_CHECKING, Any, cast

import narwhals.stable.v2 as nw
import numpy as np
import numpy.typing as npt

from steadyset.foundation.arguments import Column, Estimator, Labels, TableLike, check_flag, wrong_argument
from steadyset.foundation.errors import Argument, Complaints, InputError, MissingTargetError, warn_caller
from steadyset.foundation.text import listed, shown_name
from steadyset.io.data import readers, sources
from steadyset.io.data.feature_groups import check_feature_groups, read_feature_groups
from steadyset.io.data.follow_up import FollowUp, follow_ups, is_event, is_time, may_be_event, may_be_time
from steadyset.io.data.genes_in_rows import genes_in_rows
from steadyset.io.data.sources import Roles, Source
from steadyset.io.disk import file_path
from steadyset.io.files import MAX_GB, File, enough_memory_to_read
from steadyset.io.formats.columns import NULLS, Columns
from steadyset.io.formats.h5ad import read_h5ad
from steadyset.io.formats.record import PACKED, annotated_format, format_of
from steadyset.io.formats.series_matrix import read_series_matrix
from steadyset.io.formats.spreadsheet import MADE, gene_dates_in
from steadyset.io.formats.tables import TableFile
from steadyset.io.inspection import Inspection
from steadyset.io.labels import SHOWN, several, some_names, trimmed_name
from steadyset.io.numbers import LEAVE, MEDIAN, aligned_rows, check_impute, dense_array, number_array
from steadyset.kernels.arrays import Bools, Floats, Ints
from steadyset.tasks import TASKS, read_columns, task_of
from steadyset.tasks.survival import coding_told, event_states

if TYPE_CHECKING:
    import pyarrow as pa

FEWEST_BODIES = 5  # different values from which a column of that name is taken for patients, not for codes
MAX_STATES = 4  # of a status: more values are classes
FEW_LABELS = 10  # of a column that may well be a covariate, such as a stage
GENES_AND_SAMPLES = "genes in rows and samples in columns, by their names"
MOST_COMPARED = 100_000  # names among which a similar one is looked for


@dataclass(frozen=True)
class Data:
    r"""A data set: what `load_data` reads, or X and y with what else is known of them, for `assess` and `tune`.

    Parameters
    ----------
    X : array-like, frame, scipy sparse matrix or AnnData
        The values, one row per observation and one column per feature.
    y : array-like of shape (n_samples,) or (n_samples, n_targets), str or None, default=None
        The target, or the name of a column of X; with an AnnData, of its obs.
    features : tuple of str, default=()
        The names of the columns of X; empty where X has them, or nobody knows them.
    notes : tuple of str, default=()
        What was done to the table, one sentence each.
    groups : array-like, str or None, default=None
        Which rows belong together, such as those of one patient; resamplings keep or leave them as a whole. A text
        names a column of X; with an AnnData, of its obs.
    rows : tuple of str or None, default=None
        The names of the rows, where the file has them.
    understood : str, default=""
        What was read, in one line.
    target : str, default=""
        The name of the target; empty where it has none.
    task : str or None, default=None
        "classes" or "number", where the rule would decide otherwise: numbers with fractions, and more than 20 distinct
        whole ones, are a number, everything else is classes. None follows the rule.
    impute : str or None, default=None
        "median" fills missing values within each run, by the medians of its training rows. With None or "leave" they
        reach the estimators, all of which have to take them.
    prepare : str, transformer or None, default=None
        What each run fits to its training rows and applies to all its rows: a text of steps in their order, such as
        "impute=knn, log2=1, scale, variance=2000", which also takes columns of text; or a transformer of scikit-learn.
        None leaves the values as they are.
    strata : array-like, str or None, default=None
        Rows whose targets `shortlist` may exchange, such as those of one batch or hospital; a text as with groups.
    force : str, sequence of str, frame, Mapping or None, default=None
        Covariates that stay in every model and are never selected, such as the age and the stage: names of columns of X
        (of an AnnData, of its obs), or their values by name. Selectors are adjusted for them, predictors have them
        beside what is selected, and scores are compared with those of the covariates alone. Rows in which a covariate
        is missing are left out.
    block : array-like, str or None, default=None
        Which rows were measured together, such as a batch: selectors are adjusted for it. A text names a column.
    n_incomplete : int, default=0
        The number of rows that were left out because a covariate is missing in them. `load_data`, and each function
        that takes covariates, leave such rows out and count them here.
    sample_weight : array-like of shape (n_samples,) or None, default=None
        How much each row counts, for `assess` alone: selectors and the predictor are fitted with the weights, and the
        left-out rows are scored with them. A row of weight 2 counts as two rows, and one of weight 0 as none. A
        selector, a predictor or a score that takes no weights is refused. The directions of features, and which of them
        are alike, are those of the rows without weights.
    feature_groups : Mapping, array-like or None, default=None
        The group of each feature, such as its pathway, for selectors that select whole groups (`group_lasso`): labels
        by the names of the features, or one label per column. Columns that a preparation makes of a feature are in its
        group. None makes no groups.

    Examples
    --------
    >>> import tempfile
    >>> from pathlib import Path
    >>> import steadyset as st
    >>> file = Path(tempfile.mkdtemp()) / "patients.csv"
    >>> _ = file.write_text("dose,marker,status\n1.0,0.3,ill\n2.0,0.1,well\n1.5,0.4,ill\n0.5,0.2,well\n")
    >>> data = st.load_data(file, "status")
    >>> data.features, data.y.tolist()
    (('dose', 'marker'), ['ill', 'well', 'ill', 'well'])

    Samples of one patient stay together:

    >>> st.Data([[1.0, 0.3], [2.0, 0.1], [1.5, 0.4], [0.5, 0.2]], [0, 1, 0, 1], groups=["ann", "ann", "bob", "cem"])
    Data(4 rows)
    """

    X: TableLike
    y: Labels = None
    features: Sequence[str] = ()
    notes: tuple[str, ...] = ()
    groups: Labels = None
    rows: tuple[str, ...] | None = None
    understood: str = ""
    target: str = ""
    task: str | None = None
    impute: str | None = None
    prepare: str | Estimator | None = None
    strata: Labels = None
    force: str | Sequence[str] | Mapping[str, Labels] | TableLike | None = None
    block: Labels = None
    n_incomplete: int = 0
    sample_weight: Column = None
    feature_groups: Mapping[str, Any] | npt.ArrayLike | None = None

    def __repr__(self) -> str:
        X: Any = self.X
        n_rows = X.shape[0] if hasattr(X, "shape") else len(X)
        return f"Data({self.understood or f'{n_rows} rows'})"

    def __str__(self) -> str:
        if not self.understood:
            return repr(self)
        y = np.asarray(self.y)
        if y.ndim == 2 and all(task.n_columns != y.shape[1] for task in TASKS.every()):
            return "\n".join([self.understood, *self.notes])  # no task has a target of so many columns
        task = TASKS[task_of(y, self.task)]
        other = task.other(y) if self.task is None else None
        words = task.describe(y) + (f'; task="{other}" takes it otherwise' if other else "")
        return "\n".join([self.understood, *self.notes, f"outcome: {words}"])


def load_data(
    path: str | Path | Inspection,
    target: str | Sequence[str] | None = None,
    *,
    time: str | None = None,
    event: str | None = None,
    samples: str | Path | None = None,
    transpose: bool | None = None,
    sheet: str | int | None = None,
    samples_sheet: str | int | None = None,
    layer: str | None = None,
    drop: Sequence[str] = (),
    keep: Sequence[str] = (),
    impute: str | None = None,
    prepare: str | Estimator | None = None,
    task: str | None = None,
    delimiter: str | None = None,
    groups: str | None = None,
    strata: str | None = None,
    known_only: bool = False,
    force: str | Sequence[str] | None = None,
    block: str | None = None,
    feature_groups: str | Path | Mapping[str, Any] | None = None,
    max_gb: float = MAX_GB,
) -> Data:
    """Read a table of samples with a target; everything that is wrong with the values is told at once.

    Files are csv, tsv and other text, xlsx, ods, parquet, feather, h5ad and series matrices of GEO.

    Parameters
    ----------
    path : str, Path or Inspection
        The file, or what `inspect` found in it.
    target : str, sequence of str or None, default=None
        The column to predict; several columns, such as a time and an event, for a task whose target has so many. None
        refuses the file and says which columns there are to choose from.
    time : str or None, default=None
        Instead of a target, the column that says how long each row was followed, for the time to an event.
    event : str or None, default=None
        With `time`, the column that holds 1 or True where the event took place, 0 or False where a row was censored;
        "status=dead" names the one of two other values that is the event.
    samples : str, Path or None, default=None
        A second file with the target and what else is known of the samples, joined by their names. Genes may then be in
        rows, which is recognised. A series matrix of GEO and an .h5ad file know their samples themselves.
    transpose : bool or None, default=None
        True says that the file has one column per observation; without `samples` the target is then a row.
    sheet : str, int or None, default=None
        The sheet of a workbook, by name or by number from 1.
    samples_sheet : str, int or None, default=None
        The sheet of the workbook `samples`.
    layer : str or None, default=None
        Other values of an .h5ad file than X.
    drop : sequence of str, default=()
        Columns to leave out.
    keep : sequence of str, default=()
        Columns to use as features although they look like identifiers, patients, centers, batches, or a time to the
        event that is predicted.
    impute : str or None, default=None
        "median" lets missing values pass: each run of `assess` and `tune` fills them by its medians. "leave" leaves
        them to selectors that take them, such as the filter limma. None refuses them.
    prepare : str, transformer or None, default=None
        What each run of `assess` and `tune` does to its rows, as in `Data`; columns of text and missing values then
        pass. None does nothing.
    task : str or None, default=None
        What the target is taken for, "classes" or "number"; None decides by its values.
    delimiter : str or None, default=None
        What separates the columns of a text file; None recognises it.
    groups : str or None, default=None
        The column that says which rows belong together, such as those of one patient.
    strata : str or None, default=None
        The column within whose values `shortlist` may exchange targets, such as the batch or the hospital.
    known_only : bool, default=False
        Whether rows whose target is missing are left out; False refuses them in a table of one piece.
    force : str, sequence of str or None, default=None
        Columns that stay in every model and are never selected, as in `Data`; one text may name several, with commas.
        Rows in which one of them is missing are left out, and the notes say how many.
    block : str or None, default=None
        The column of batches, as in `Data`.
    feature_groups : str, Path, Mapping or None, default=None
        A table with the columns feature and group, or labels by the names of the features, as in `Data`. Columns of the
        file that are left out may be among them.
    max_gb : float, default=8.0
        A file that would take more gigabytes of memory is refused.

    Returns
    -------
    Data
        The values, the target, the names, and notes on what was done.

    Raises
    ------
    InputError
        Where the file cannot be read as a table of numbers; the message says which columns and rows, and what to give.

    Examples
    --------
    >>> import tempfile
    >>> from pathlib import Path
    >>> from sklearn.datasets import load_breast_cancer
    >>> import steadyset as st
    >>> file = Path(tempfile.mkdtemp()) / "tumours.csv"
    >>> load_breast_cancer(as_frame=True).frame.to_csv(file, index=False)
    >>> st.load_data(file, "target", drop=["mean radius"]).X.shape
    (569, 29)
    """
    check_impute(impute)
    check_flag("transpose", transpose, or_none=True)
    check_flag("known_only", known_only)
    where = None if samples is None else File(file_path(samples))
    beside = sources.column_names("force", force)
    event, _, happened = event.partition("=") if isinstance(event, str) else (event, "", "")
    time, event, happened = _trimmed(time), _trimmed(event), trimmed_name(happened)
    targets = _targets(target, time, event)
    for argument, name in (("groups", groups), ("strata", strata), ("block", block)):
        if name is not None and not isinstance(name, str):
            raise wrong_argument(argument, "the name of a column", name)
    groups, strata, block = _trimmed(groups), _trimmed(strata), _trimmed(block)
    drop, keep = [_trimmed(name) for name in drop], [_trimmed(name) for name in keep]
    roles = Roles(targets, groups, strata, beside, block)
    file = path.file if isinstance(path, Inspection) else File(file_path(path))
    path = path.path if isinstance(path, Inspection) else path
    asked = Asked(file, roles, where, transpose, sheet, samples_sheet, layer, delimiter, max_gb)
    with enough_memory_to_read(file):
        source = read_source(asked, drop, keep)
    # Whoever reads without a target has said what there is to choose from.
    for name in roles.targets:
        source = _without_unknown(source, name, path, asked=known_only)
    n_before, before = len(source.X), (*source.features, *source.texts)
    source = _without_incomplete(source, roles.forced, path)
    n_incomplete = n_before - len(source.X)
    source = _without_empty(_without(source, drop, path))
    X, names = source.X, source.features
    namesakes = [note for name in roles.targets for note in _namesake(source, name, path)]
    notes = [*source.notes, *namesakes]
    if source.whole is None:  # the features are the rows of a table, or the variables of an AnnData
        told = any(MADE in note for note in notes)  # by the reader of a workbook
        notes += [*(() if told else gene_dates_in(source.features, "among the features")), *sources.counts_note(X)]
    wrong = Complaints(f"{path} cannot be used as it is")
    with wrong.collected():
        if event is not None:
            cells = sources.as_written(_known_target(source, event))
            states = event_states(event, cells, happened)
            source = replace(source, columns={**source.columns, event: states})
            notes += filter(None, [coding_told(event, cells, happened)])
        y = _target(source, roles.targets)
    with wrong.collected():
        members = _labels(source, groups, "the group")
    with wrong.collected():
        within = _labels(source, strata, "the stratum")
    texts = source.texts if prepare is not None else {}
    asked_about = _complain_of_somebody(wrong, source, X, names, keep)
    asked_about |= _complain_of_places(wrong, source, X, names, keep)
    asked_about |= _complain_of_times(wrong, source, roles.targets, keep)
    if prepare is None:
        others = {name: cells for name, cells in source.texts.items() if name not in asked_about}
        _complain_of_text(wrong, others)
    if source.whole is not None:
        _complain_of_identifiers(wrong, X, names, source.whole, keep)
    known = np.isfinite(X)
    if empty := [names[f] for f in np.flatnonzero(~known.any(axis=0)).tolist()]:
        have = f"the column {empty[0]!r} has" if len(empty) == 1 else f"the columns {some_names(empty)} have"
        wrong.add(f"{have} no value at all; leave out with ", _columns_of("drop", empty), ".")
    notes += _gaps(wrong, X, known, names, impute, texts, prepared=prepare is not None)
    wrong.tell(before=f"{path}: ")
    constant = [names[f] for f in np.flatnonzero(np.nanmax(X, axis=0) == np.nanmin(X, axis=0))]
    if constant:
        notes.append(f"the same value in every row, so nothing to learn from: {some_names(constant)}")
    # Columns that stay beside the features are numbers where all cells are, else labels.
    written = {name: sources.as_written(source.columns[name]) for name in roles.forced}
    covariates = {name: sources.labels_or_numbers(cells, name)[0] for name, cells in written.items()}
    batches: Any = _labels(source, block, "the block")
    if batches is not None:
        import pandas as pd

        batches = pd.Series(batches, name=block)
    rows = None if source.rows is None else tuple(source.rows)
    table, names = _with_texts(np.ascontiguousarray(X), names, texts)
    groups_of = _groups_of(feature_groups, names, (*before, *drop), max_gb)
    understood, called = _understood(source, len(names), roles, members, within), " and ".join(roles.targets)
    said = tuple(notes), members, rows, understood, called, task
    beside_rows = within, covariates or None, batches, n_incomplete
    return Data(table, y, tuple(names), *said, impute, prepare, *beside_rows, feature_groups=groups_of)


def _groups_of(
    given: str | Path | Mapping[str, Any] | None, names: Sequence[str], before: Collection[str], max_gb: float
) -> dict[str, Any] | None:
    """Return the group of each feature by its name; None without groups.

    Columns that were there `before` features were left out may be in the groups too.
    """
    if given is None:
        return None
    by_name = dict(given) if isinstance(given, Mapping) else read_feature_groups(given, max_gb=max_gb)
    check_feature_groups(by_name, names, left_out=before)
    return {name: by_name[name] for name in names}


def _with_texts(X: Floats, names: list[str], texts: Mapping[str, pa.ChunkedArray]) -> tuple[Any, list[str]]:
    """The numbers, and a frame with the columns of text behind them where there are any."""
    if not texts:
        return X, names
    import pandas as pd

    columns = {name: [str(v) if sources.is_known(v) else None for v in texts[name].to_pylist()] for name in texts}
    frame = pd.concat([pd.DataFrame(X, columns=names), pd.DataFrame(columns, dtype=object)], axis=1)
    return frame, [*names, *texts]


def _labels(source: Source, name: str | None, what: str) -> npt.NDArray[Any] | None:
    """A column that stands beside the target, as it is written."""
    return None if name is None else np.asarray(sources.as_written(_known(source.columns[name], f"{what} {name!r}")))


def _trimmed(name: Any) -> Any:
    """Return the name of a column as it is compared: headings have no blanks at their ends."""
    return trimmed_name(name) if isinstance(name, str) else name


def _targets(target: str | Sequence[str] | None, time: str | None, event: str | None) -> tuple[str, ...]:
    """The columns to predict: the target, which may be several columns, or a time and an event."""
    if (time is None) != (event is None):
        given, other = ("event", "time") if time is None else ("time", "event")
        raise InputError(Argument(given), " is given without ", Argument(other, ...), "; a time to event needs both.")
    if time is not None and event is not None:
        if target is not None:
            raise InputError(Argument("target"), " is given beside ", Argument("time"), "; leave one of them out.")
        target = (time, event)
    if target is None:
        return ()
    columns = (target,) if isinstance(target, str) else tuple(target)
    if not columns or not all(isinstance(name, str) for name in columns):
        raise wrong_argument("target", "the name of a column, or several names that differ", target)
    names = tuple(trimmed_name(name) for name in columns)
    if len(set(names)) < len(names):
        raise wrong_argument("target", "the name of a column, or several names that differ", target)
    return names


def _namesake(source: Source, target: str, path: str | Path) -> list[str]:
    """A feature that is called like a target from elsewhere: the target itself in a table, perhaps a gene in rows."""
    if target not in source.features or not source.joined:
        return []
    if source.whole is not None:
        told = f"{path} has a column {target!r} too, which may give the target away; leave it out with "
        raise InputError(told, _columns_of("drop", [target]), ".")
    return [f"a feature is called {target!r} like the target; leave it out if it is the same"]


def _understood(
    source: Source, d: int, roles: Roles, members: npt.NDArray[Any] | None, within: npt.NDArray[Any] | None
) -> str:
    """What was read, in one line; `d` features, columns of text that are prepared among them."""
    n = len(source.X)
    layout = f" ({source.layout})" if source.layout else ""
    together = "" if members is None else f", {len(set(members)):,} groups by {roles.groups!r}"
    together += "" if within is None else f", {len(set(within)):,} strata by {roles.strata!r}"
    target = " and ".join(map(repr, roles.targets))
    return f"{n:,} rows, {several(d, 'feature')}{layout}, target {target}{source.joined}{together}"


def _without(source: Source, drop: Sequence[str], path: str | Path) -> Source:
    """The features that are left after those that are dropped."""
    gone = [name for name in dict.fromkeys(drop) if name not in source.dropped]
    if not gone:
        return source
    there = {*source.features, *source.texts}
    for name in gone:
        if name not in there:
            near = sources.close_name(name, list(there)) if len(there) < MOST_COMPARED else None
            mean = f"; did you mean {near!r}?" if near else "."
            raise InputError(f"{path} has no feature {name!r}, which was to be left out{mean}")
    kept = [f for f, name in enumerate(source.features) if name not in gone]
    if not kept:
        raise InputError(f"{path} has no features left to select from.")
    texts = {name: column for name, column in source.texts.items() if name not in gone}
    return replace(source.with_features(kept, f"left out: {some_names(gone)}"), texts=texts)


def _without_unknown(source: Source, target: str, path: str | Path, *, asked: bool) -> Source:
    """Without samples whose target is not known, where that stands apart from their values; half of them have to be.

    In a table of one piece such a row may be a mistake, and is refused unless it was `asked` to be left out.
    """
    known = [row for row, value in enumerate(source.columns[target]) if sources.is_known(value)]
    n = len(source.X)
    if not (source.joined or asked) or len(known) in (0, n):
        return source
    if len(known) < max(2, sources.LEAST_SHARE * n):
        raise InputError(
            f"{path} has {n} samples, and the target {target!r} is known for {len(known)}, fewer than half."
        )
    return source.with_rows(known, f"left out: {several(n - len(known), 'sample')} without {target!r}")


def _without_incomplete(source: Source, forced: Sequence[str], path: str | Path) -> Source:
    """Leave out samples in which a covariate is missing."""
    known = _complete_rows({name: source.columns[name] for name in forced}, len(source.X), f"{path}: ")
    n_missing = len(source.X) - len(known)
    if not n_missing:
        return source
    return source.with_rows(known.tolist(), incomplete_note(forced, n_missing))


def row_names_of(X: Any, n_rows: int) -> list[str]:
    """Return the names in the index of a frame, or the numbers of the rows from 1 on."""
    index = getattr(X, "index", None)
    if index is None or callable(index) or type(index).__name__ == "RangeIndex":
        return [str(row + 1) for row in range(n_rows)]
    return [str(name) for name in index]


def incomplete_note(covariates: Sequence[str], n_rows: int) -> str:
    """Return the note about rows that were left out because a covariate is missing."""
    names = listed([shown_name(name) for name in covariates], SHOWN)
    which = f"the covariate {names}" if len(covariates) == 1 else f"one of the covariates {names}"
    return f"left out: {several(n_rows, 'sample')} in which {which} is missing"


def _complete_rows(covariates: Mapping[str, Any], n_rows: int, before: str = "") -> Ints:
    """Return the rows in which no covariate is missing; refuse covariates that are missing in most rows.

    A row with a value that was filled in would keep what the covariate explains; a column that marks the gaps would not
    change that.
    """
    complete = np.ones(max(n_rows, 0), np.bool_)
    for values in covariates.values():
        if _length(values) == n_rows:  # others are refused later
            complete &= np.array([sources.is_known(value) for value in values], dtype=np.bool_)
    n_left = int(complete.sum())
    if n_left < sources.LEAST_SHARE * n_rows:
        names = list(covariates)
        raise InputError(
            f"{before}{some_names(names)} {'is' if len(names) == 1 else 'are'} known in {n_left} of {n_rows} rows, "
            "fewer than half. Rows without a covariate are left out; give other covariates with ",
            Argument("force", ..., of="Data"),
            ".",
        )
    return np.flatnonzero(complete)


def _without_empty(source: Source) -> Source:
    """Genes that have no value in any sample are nothing to choose from; a column of a table may be a mistake."""
    if source.whole is not None:
        return source
    empty: Bools = np.isnan(source.X).all(axis=0).reshape(-1)
    if not empty.any() or empty.all():
        return source
    names = [source.features[f] for f in np.flatnonzero(empty).tolist()]
    what = "1 feature has" if len(names) == 1 else f"{len(names):,} features have"
    told = f"left out: {what} no value in any sample ({some_names(names)})"
    return source.with_features(np.flatnonzero(~empty).tolist(), told)


def _target(source: Source, targets: Sequence[str]) -> npt.NDArray[Any]:
    """The target: one column as it is, or several columns as the task reads them that takes so many."""
    known = {name: _known_target(source, name) for name in targets}
    if len(known) > 1:
        return read_columns(known)
    [(target, found)] = known.items()
    if len(set(found)) < 2:
        value = f", {found[0]!r}" if found else ""
        raise InputError(f"the target {target!r} has one distinct value only{value}; there is nothing to predict.")
    array = np.asarray(found)
    return array.astype(str) if array.dtype.kind in "bO" else array


def _known_target(source: Source, name: str) -> list[Any]:
    return _known(source.columns[name], f"the target {name!r}", Argument("known_only", True))


def _known(values: Sequence[Any], what: str, way: Argument | None = None) -> list[Any]:
    """The values of a column in which none may be missing; `way` leaves such rows out."""
    n_missing = sum(not sources.is_known(value) for value in values)
    if n_missing:
        rows = "1 row; remove it" if n_missing == 1 else f"{n_missing} rows; remove them"
        raise InputError(f"{what} is missing in {rows}", *(() if way is None else (", or leave out with ", way)), ".")
    return list(values)


def _complain_of_text(wrong: Complaints, text: Mapping[str, pa.ChunkedArray]) -> None:
    if text:
        them, columns = ("it", "1 column is") if len(text) == 1 else ("them", f"{len(text)} columns are")
        shown = ", ".join(f"{name!r} holds {readers.first_text(text[name])!r}" for name in list(text)[:SHOWN])
        ways: list[Any] = ["or leave out with ", _columns_of("drop", list(text)), "."]
        if all(len(cells.unique()) <= FEW_LABELS for cells in text.values()):
            ways = ["keep beside the features with ", _columns_of("force", list(text)), ", ", *ways]
        told = f"{columns} not numeric ({shown}); encode {them} in each run with "
        wrong.add(told, Argument("prepare", ...), ", ", *ways)


def _complain_of_identifiers(
    wrong: Complaints, X: Floats, names: Sequence[str], whole: Bools, keep: Sequence[str]
) -> None:
    suspects = [f for f, name in enumerate(names) if whole[f] and readers.IDENTIFIER.match(name) and name not in keep]
    found = [names[f] for f in suspects if len(X) > 1 and len(np.unique(X[:, f])) == len(X)]
    if found:
        look = f"column {found[0]!r} looks like an identifier"
        if len(found) > 1:
            look = f"columns {some_names(found)} look like identifiers"
        ways = _columns_of("drop", found), ", or use with ", _columns_of("keep", found), "."
        wrong.add(f"the {look} (every row has its own); leave out with ", *ways)


def _complain_of_somebody(
    wrong: Complaints, source: Source, X: Floats, names: Sequence[str], keep: Sequence[str]
) -> set[str]:
    """Patients that repeat, by name: as a feature they mislead, and rows of one patient are no independent rows."""
    values = {name: len(cells.unique()) for name, cells in source.texts.items()}
    if source.whole is not None:
        numbers = [f for f, name in enumerate(names) if source.whole[f] and readers.SOMEBODY.match(name)]
        values |= {names[f]: len(np.unique(X[:, f])) for f in numbers}
    found = {
        name: n_values
        for name, n_values in values.items()
        if FEWEST_BODIES <= n_values < len(X) and readers.SOMEBODY.match(name) and name not in keep
    }
    for name, n_values in found.items():
        told = f"the column {name!r} says whose rows they are ({n_values} values in {len(X)} rows), it seems; "
        ways = Argument("groups", name), ", leave it out with ", Argument("drop", (name,)), ", or use it with "
        wrong.add(f"{told}keep rows of one together with ", *ways, Argument("keep", (name,)), ".")
    return set(found)


def _complain_of_places(
    wrong: Complaints, source: Source, X: Floats, names: Sequence[str], keep: Sequence[str]
) -> set[str]:
    """Add a question for each column of centers, batches or plates: as features their numbers have no order."""
    if source.whole is None:
        return set()
    values = {name: len(cells.unique()) for name, cells in source.texts.items() if readers.is_place(name)}
    for f in np.flatnonzero(source.whole).tolist():
        if readers.is_place(names[f]) and X[:, f].min() >= 0 and X[:, f].max() <= readers.MAX_PLACE:
            values[names[f]] = len(np.unique(X[:, f]))
    found = {name: n for name, n in values.items() if 2 <= n <= len(X) / 2 and name not in keep}
    for name, n_values in found.items():
        told = f"the column {name!r} seems to say where or in which batch rows were measured "
        told += f"({n_values} values in {len(X)} rows). Adjust for it with "
        ways = (
            Argument("block", name),
            ", leave it out with ",
            Argument("drop", (name,)),
            ", or use it as a feature with ",
        )
        wrong.add(told, *ways, Argument("keep", (name,)), ".")
    return set(found)


def _complain_of_times(wrong: Complaints, source: Source, targets: Sequence[str], keep: Sequence[str]) -> set[str]:
    """Add a question for each time or event beside a target that is one of both: as a feature it gives it away."""
    if source.whole is None or not targets:
        return set()
    places: dict[str, int] = {}

    def values_of(name: str) -> Sequence[Any]:
        if name in source.columns:
            return source.columns[name]
        return list(source.X[:, places[name]].tolist() if name in places else source.texts[name].to_pylist())

    written = {name: sources.as_written(source.columns[name]) for name in targets}
    is_state = any(may_be_event(name) and 2 <= len(set(cells) - NULLS) <= MAX_STATES for name, cells in written.items())
    about_time = any(is_time(name, cells) for name, cells in written.items())
    if not (is_state or about_time):
        return set()
    # A file may have a million features: only those whose name is telling are remembered.
    places |= {
        name: f
        for f, name in enumerate(source.features)
        if name not in keep and (may_be_time(name) or may_be_event(name))
    }
    others = [*places, *(name for name in source.texts if name not in keep)]
    times = [name for name in others if may_be_time(name) and is_time(name, values_of(name))]
    events = [name for name in others if name not in times and may_be_event(name) and is_event(name, values_of(name))]
    # A status among the features says nothing of another status: it may be one of the patient at the start.
    found = [*times, *(events if about_time else ())]
    if not found:
        return set()
    pairs = follow_ups([*targets, *found], values_of) if len(targets) == 1 else []
    pair = next((one for one in pairs if targets[0] in (one.time, one.event)), None)
    they, seem = (f"the column {found[0]!r}", "seems") if len(found) == 1 else (some_names(found), "seem")
    if not set(found) & set(events):
        what = f"{seem} to hold a time to an event"
    elif not set(found) & set(times):
        what = f"{seem} to say whether an event took place"
    else:
        what = f"{seem} to hold times to events and whether these took place"
    told = f"{they} {what}, which gives the target away as a feature. "
    predicted: list[str | Argument] = ["Leave "]
    if pair is not None:
        predicted = ["Predict the time to the event with ", *pair.ways, " in place of the target, leave "]
    it = "it" if len(found) == 1 else "them"
    ways = f"{it} out with ", _columns_of("drop", found), f", or use {it} with ", _columns_of("keep", found), "."
    wrong.add(told, *predicted, *ways)
    return set(found)


def _gaps(
    wrong: Complaints,
    X: Floats,
    known: Bools,
    features: Sequence[str],
    impute: str | None,
    texts: Mapping[str, pa.ChunkedArray],
    *,
    prepared: bool,
) -> list[str]:
    """Missing values pass where the runs fill them, which is said; infinite ones never do.

    `texts` are the columns of text that a preparation encodes and fills.
    """
    endless = [features[f] for f in np.flatnonzero(np.isinf(X).any(axis=0)).tolist()]
    if endless:
        wrong.add(f"values are infinite in {_columns(endless, features)}; replace them, or leave columns out.")
        return []
    gaps = np.flatnonzero(known.any(axis=0) & ~known.all(axis=0)).tolist()
    missing = {name: sum(not sources.is_known(value) for value in cells.to_pylist()) for name, cells in texts.items()}
    names = [*(features[f] for f in gaps), *(name for name, count in missing.items() if count)]
    if not names:
        return []
    count = int((~known[:, gaps]).sum()) + sum(missing.values())
    are = "1 value is missing" if count == 1 else f"{count} values are missing"
    told = f"{are}, in {_columns(names, [*features, *texts])}; "
    if prepared:
        return [f"{told}the preparation of each run is to fill them"]
    if impute is None:
        ways = Argument("impute", MEDIAN), ", or leave columns out with ", Argument("drop", ...), "."
        wrong.add(f"{told}fill with ", *ways)
    if impute == LEAVE:
        return [f"{told}they are left to the selectors"]
    return [f"{told}each run fills them by the medians of its training rows"]


def _columns(names: Sequence[str], features: Sequence[str]) -> str:
    return f"{len(names)} of {len(features)} columns ({some_names(names)})"


def _columns_of(argument: str, names: Sequence[str]) -> Argument:
    """An argument that lists columns, with the first few names."""
    return Argument(argument, tuple(names[:SHOWN]))


@dataclass(frozen=True)
class Asked:
    """The file, and how it is to be understood; None where nobody said."""

    path: File
    roles: Roles
    samples: File | None
    transpose: bool | None
    sheet: str | int | None
    samples_sheet: str | int | None
    layer: str | None
    delimiter: str | None
    max_gb: float

    @property
    def table(self) -> TableFile:
        """The file as one that holds a table."""
        return TableFile(self.path, self.delimiter, self.sheet, self.max_gb)

    def known(self) -> readers.Phenotypes | None:
        """What the file of samples knows of them, if there is one."""
        if self.samples is None:
            return None
        known = readers.read_phenotypes(self.samples, sheet=self.samples_sheet, max_gb=self.max_gb)
        return known.turned(self.roles.names) if self.roles.names else known

    def refuse(self, what: str, *arguments: str) -> None:
        """Refuse arguments that mean nothing for a file of this kind."""
        for name in arguments:
            if getattr(self, name) is not None:
                raise InputError(f"{self.path} is {what}, for which ", Argument(name), " means nothing; leave it out.")


def read_source(asked: Asked, drop: Sequence[str], keep: Sequence[str]) -> Source:
    """The data of a file, as one of the readers understands it."""
    path, roles = asked.path, asked.roles
    named = ((roles.groups, "name the groups"), (roles.strata, "name the strata"), (roles.block, "name the blocks"))
    for name, word in (*named, *((one, "stay as a covariate") for one in roles.forced)):
        if name in roles.targets:
            raise InputError(f"{name!r} is the target and cannot {word} too.")
    if asked.samples is None and asked.samples_sheet is not None:
        raise InputError(Argument("samples_sheet"), " belongs to ", Argument("samples"), ", which is not given.")
    inner = format_of(PurePath(path.name).stem) if path.suffix == PACKED else None
    if inner is not None and inner.load is not None and not inner.text:
        raise InputError(f"{path} is compressed as a whole; unpack it first.")
    annotated = annotated_format(path)
    if annotated is not None and annotated.load is not None:
        return annotated.load(asked)
    asked.refuse("no .h5ad file", "layer")
    known = asked.known()
    if known is not None and asked.samples is not None:
        return readers.join_table(asked.table.columns(), known, path, asked.samples, roles, transpose=asked.transpose)
    if asked.transpose:
        return readers.read_transposed(asked.table, roles)
    return readers.read_plain(asked.table, roles, drop, keep)


def load_h5ad(asked: Asked) -> Source:
    """The values and samples of an AnnData file."""
    asked.refuse("an .h5ad file", "samples", "transpose", "sheet", "delimiter")
    return read_h5ad(asked.path, asked.roles, layer=asked.layer, max_gb=asked.max_gb)


def load_series(asked: Asked) -> Source:
    """The values of a series matrix of GEO, whose samples its own header or another file knows."""
    asked.refuse("no .h5ad file", "layer")
    asked.refuse("a series matrix of GEO", "sheet", "delimiter")
    if asked.transpose is False:
        raise InputError(
            f"{asked.path} has genes in rows, as every series matrix; leave out ", Argument("transpose"), "."
        )
    source, header = read_series_matrix(asked.path, asked.max_gb)
    known = asked.known()
    if known is None or asked.samples is None:
        return readers.join_own_header(source, readers.Phenotypes(header), asked.path, asked.roles)
    return readers.join_series(source, known, asked.path, asked.samples, asked.roles)


def table_of(asked: Asked) -> Columns | None:
    """The table of a file that holds everything in rows and columns; None for the others."""
    apart = asked.samples is not None or asked.transpose or annotated_format(asked.path) is not None
    return None if apart else asked.table.columns()


@dataclass(frozen=True)
class Possible:
    """What may be predicted: columns with their numbers of distinct values, times to events; and the layout."""

    targets: dict[str, int]
    follow_ups: tuple[FollowUp, ...]
    layout: str


def possible_targets(asked: Asked, table: Columns | None) -> Possible:
    """Return what may be predicted in a file, and its layout in words."""
    if table is not None:
        if genes_in_rows(table) is not None:
            return Possible({}, (), GENES_AND_SAMPLES)
        every = readers.all_columns(table)
        times = follow_ups(list(every), every.__getitem__)
        return Possible(
            sources.candidate_counts(readers.possible_columns(table)), tuple(times), "one row per observation"
        )
    try:
        read_source(asked, (), ())
    except MissingTargetError as error:
        layout = "one column per observation" if asked.transpose else "values, and what is known of the samples"
        found = Possible(dict(error.candidates), tuple(error.follow_ups), layout)
    return found


def is_annotated(X: Any) -> bool:
    """Whether X is an AnnData, or something that has its parts."""
    return not isinstance(X, type) and all(hasattr(X, part) for part in ("X", "obs", "var_names", "obs_names"))


def as_data(X: Any, y: Any = None, *, strata: Any = None) -> Data:
    """The data of a call as a record: with its target, and an AnnData as numbers with names.

    Of an AnnData, `y`, `groups` and `strata` may be names of columns of obs, of a frame those of its own columns, which
    are then no features. Repeated names of variables and raw counts are warned of.
    """
    wide = len(getattr(y, "shape", ())) == 2 and y.shape[1] > 1
    if isinstance(y, Data) or is_annotated(y) or (wide and len(getattr(X, "shape", ())) == 1):
        raise InputError("X and y are swapped: X holds one value per row and y a table; give the table first.")
    data = X if isinstance(X, Data) else Data(X, y)
    if data is X and y is not None:
        if data.y is not None:
            raise InputError(f"y is given beside data that hold their target {data.target!r}; leave y out.")
        data = replace(data, y=y)
    if strata is not None:
        if data.strata is not None:
            raise InputError("strata are given beside data that hold theirs; leave one of them out.")
        data = replace(data, strata=strata)
    if data.force is not None or data.block is not None:
        data = _without_beside(data)
    X, y = data.X, data.y
    data = replace(data, target=data.target or (y if isinstance(y, str) else str(getattr(y, "name", None) or "")))
    if not is_annotated(X):
        X, (y, groups, strata) = _of_frame(X, y, data.groups, data.strata)
        return _of_complete_rows(replace(data, X=X, y=y, groups=groups, strata=strata))
    if X.X is None:
        raise InputError("The AnnData has no X; put one of its layers there.")
    values = X.X.to_memory() if hasattr(X.X, "to_memory") else X.X  # sparse and still in a file
    table = dense_array(values, "X") if hasattr(values, "toarray") else number_array(values, "X")
    notes, features = sources.counts_note(table) if table.ndim == 2 else [], data.features
    if not len(features):
        features, renamed = sources.distinct_names([str(name) for name in X.var_names])
        notes += renamed
    for note in notes:
        warn_caller(f"AnnData: {note}.")
    beside = {name: getattr(data, name) for name in ("groups", "strata")}
    beside = {name: None if one is None else _of_rows(X, one, name) for name, one in beside.items()}
    return _of_complete_rows(replace(data, X=table, y=_of_rows(X, y, "y"), features=tuple(features), **beside))


def _of_complete_rows(data: Data) -> Data:
    """Return the data without the rows in which a covariate is missing; they are counted."""
    X, covariates, n_rows = data.X, cast("Mapping[str, Any]", data.force or {}), _length(data.X)
    known = _complete_rows(covariates, n_rows)
    if len(known) == n_rows:
        return data
    beside: dict[str, Any] = {
        name: None if values is None else _rows_of(aligned_rows(X, values, name), known, n_rows)
        for name, values in (("y", data.y), ("groups", data.groups), ("strata", data.strata), ("block", data.block))
    }
    force = {name: _rows_of(values, known, n_rows) for name, values in covariates.items()}
    rows = None if data.rows is None else tuple(data.rows[row] for row in known)
    n_incomplete = data.n_incomplete + n_rows - len(known)
    return replace(data, X=_rows_of(X, known, n_rows), force=force, rows=rows, n_incomplete=n_incomplete, **beside)


def _length(values: Any) -> int:
    """Return the number of rows, or -1 for what has none, which is refused later."""
    if getattr(values, "shape", ()):
        return int(values.shape[0])
    return len(values) if isinstance(values, Sized) and not hasattr(values, "shape") else -1


def _rows_of(values: Any, rows: Ints, n_rows: int) -> Any:
    """Return these rows of a table or of a column of any library; values of another length are left for the checks."""
    if _length(values) != n_rows:
        return values
    table = nw.from_native(values, eager_only=True, allow_series=True, pass_through=True)
    if isinstance(table, nw.DataFrame | nw.Series):
        return table[rows.tolist()].to_native()
    if hasattr(values, "tocsr"):
        return values.tocsr()[rows]
    return values[rows] if hasattr(values, "shape") else [values[row] for row in rows.tolist()]


def _without_beside(data: Data) -> Data:
    """The data with covariates and blocks by their values; columns that hold them are no features."""
    X: Any = data.X
    force: Any = data.force
    by_value = isinstance(force, Mapping) or hasattr(force, "columns")
    forced = () if by_value else sources.column_names("force", force)
    named = (*forced, *([data.block] if isinstance(data.block, str) else []))
    columns = sources.columns_by_name(X.obs if is_annotated(X) else X, data.features)
    for name in named:
        sources.role_values(columns, name, "X")  # says which there are
    if isinstance(force, Mapping):
        force = {str(name): values for name, values in force.items()}
    elif force is not None:
        force = sources.columns_by_name(force, ()) if by_value else {name: columns[name] for name in forced}
    if force is not None and not is_annotated(X):
        force = {name: aligned_rows(X, values, f"force[{name!r}]") for name, values in force.items()}
    block = columns[data.block] if isinstance(data.block, str) else data.block
    features = [name for name in data.features if name not in named]
    if named and not is_annotated(X):
        kept = [f for f, name in enumerate(columns) if name not in named]
        X = X[[X.columns[f] for f in kept]] if hasattr(X, "columns") else np.asarray(X)[:, kept]
    return replace(data, X=X, features=tuple(features), force=force, block=block)


def _of_frame(X: Any, *roles: Any) -> tuple[Any, tuple[Any, ...]]:
    """Columns of a frame by their names; nobody selects the target, or who belongs together, as a feature."""
    named = [name for name in roles if isinstance(name, str)]
    if not named or not hasattr(X, "columns"):
        return X, roles
    place = {str(name): name for name in X.columns}
    for name in named:
        if name not in place:
            sources.role_values({text: X[one] for text, one in place.items()}, name, "X")  # says which there are
    rest = X[[one for text, one in place.items() if text not in named]]
    return rest, tuple(X[place[given]] if isinstance(given, str) else given for given in roles)


def _of_rows(X: Any, values: Any, what: str) -> Any:
    if not isinstance(values, str):
        return aligned_rows(X.obs, values, what)
    sources.role_values({str(name): X.obs[name] for name in X.obs.columns}, values, "obs")
    return X.obs[values]
