"""The one way from anything to numbers: what is not a number is refused; X, y and groups as given in memory."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import narwhals.stable.v2 as nw
import numpy as np
from narwhals.exceptions import DuplicateError
from numpy.typing import NDArray

from steadyset.foundation.arguments import check_choice
from steadyset.foundation.errors import InputError, about, warn_caller
from steadyset.io.files import machine_bytes
from steadyset.io.labels import some_names
from steadyset.kernels.arrays import Floats
from steadyset.tasks import columns_of, read_columns

if TYPE_CHECKING:
    import pyarrow as pa

NUMERIC = "biuf"
CELLS_AT_ONCE = 1 << 22
ARROW_NUMBERS = {f"{sign}int{bits}": f"{sign}int{bits}" for sign in ("", "u") for bits in (8, 16, 32, 64)}
ARROW_NUMBERS |= {"float": "float32", "double": "float64"}
WORDS = {"c": "complex numbers", "M": "dates", "m": "durations", "S": "text", "U": "text", "T": "text", "V": "records"}
MEDIAN, LEAVE = "median", "leave"


def number_array(values: Any, what: str) -> NDArray[Any]:
    """An array of whole numbers, floats or bools as it is, or of floats where it has to become one; masked is nan.

    Text is refused even where it would read as numbers, and so are complex numbers, whose imaginary part would be lost,
    and dates.
    """
    if isinstance(values, np.ma.MaskedArray) and np.ma.is_masked(values):
        known = number_array(values.filled(values.dtype.type()), what).astype(np.float64)
        known[np.ma.getmaskarray(values)] = np.nan
        return known
    try:
        array = np.asarray(values)
    except ValueError:
        raise InputError(f"{what} has rows of different lengths.") from None
    try:
        if array.dtype.kind == "O":
            _refuse_text(array, what)
            array = array.astype(np.float64)
    except OverflowError:
        raise InputError(f"{what} holds a number beyond those of double precision (about 1.8e308).") from None
    except InputError:
        raise
    except (TypeError, ValueError):
        raise InputError(f"{what} holds something other than numbers.") from None
    if array.dtype.kind not in NUMERIC:
        raise InputError(f"{what} holds {WORDS.get(array.dtype.kind, array.dtype)}; expected numbers.")
    return array


def numbers(values: Any, what: str) -> Floats:
    """The same in double precision, always an array of its own."""
    return np.array(number_array(values, what), dtype=np.float64)


def dense_array(matrix: Any, what: str) -> Floats:
    """A scipy sparse matrix as an array in double precision, filled a block of rows at a time.

    What would not fit into the memory of the machine is refused before.
    """
    if matrix.ndim != 2:
        raise InputError(f"{what} has the shape {matrix.shape}; expected one row per observation.")
    n_rows, n_columns = matrix.shape
    if matrix.dtype.kind not in NUMERIC:
        raise InputError(f"{what} holds {WORDS.get(matrix.dtype.kind, matrix.dtype)}; expected numbers.")
    limit = machine_bytes()
    if limit is not None and 8 * n_rows * n_columns > limit:
        raise InputError(
            f"{what} is sparse and would take {8 * n_rows * n_columns / 2**30:,.0f} GB as the dense array that "
            f"selectors need, of {limit / 2**30:,.0f} GB in this machine; keep fewer columns, such as the most "
            "variable ones, or fewer rows."
        )
    by_row = matrix.tocsr()
    array = np.empty((n_rows, n_columns))
    step = max(1, CELLS_AT_ONCE // max(1, n_columns))
    for start in range(0, n_rows, step):
        array[start : start + step] = by_row[start : start + step].toarray()
    return array


def number_frame(table: Any, what: str) -> tuple[NDArray[Any], list[str]]:
    """The numbers of a frame, and the names of its columns."""
    frame = as_frame(table, what)
    plain = _plain_columns(frame)
    kinds = [(name, kind) for name, kind in frame.schema.items() if name not in plain]
    bad = [name for name, kind in kinds if not kind.is_numeric() and kind != nw.Boolean]
    if bad:
        name, *others = bad
        held = _kind_in_words(frame[name])
        more = f", and others that hold no numbers ({some_names(others)})" if others else ""
        raise InputError(f"{what} has the column {name!r} {held}{more}; expected numbers or bools.")
    return number_array(_values(frame, plain), what), [str(name) for name in frame.columns]


def text_columns(table: Any, what: str) -> list[str]:
    """Return the names of the columns of a frame that hold text, in place of numbers."""
    frame = as_frame(table, what)
    texts = (nw.String, nw.Categorical, nw.Enum)
    held = [name for name, kind in frame.schema.items() if kind in texts or kind == nw.Object]
    return [
        str(name)
        for name in held
        if frame[name].null_count() < len(frame)
        and (frame.schema[name] != nw.Object or isinstance(frame[name].drop_nulls()[0], str))
    ]


def _plain_columns(frame: nw.DataFrame[Any]) -> dict[str, Floats]:
    """As floats: the columns of numbers that only NumPy knows as such (sparse or long ones), and of bools with gaps.

    They are not put back into the frame, since pandas makes no new frame with half a character in a name.
    """
    plain: dict[str, Floats] = {}
    for name, kind in frame.schema.items():
        if kind == nw.Unknown and frame[name].null_count() < len(frame):
            values = np.asarray(frame[name].to_native())
            if values.dtype.kind in NUMERIC:
                plain[name] = values.astype(np.float64)
        elif kind == nw.Boolean and frame[name].null_count() > 0:
            plain[name] = frame[name].cast(nw.Float64).to_numpy()
    return plain


def _kind_in_words(column: nw.Series[Any]) -> str:
    """What a column holds in place of numbers."""
    if column.null_count() == len(column):
        return "without any value"
    if column.dtype == nw.Unknown:  # of a type that narwhals does not know, such as complex numbers and periods
        native = column.to_native().dtype
        return f"of {WORDS.get(getattr(native, 'kind', ''), f'type {native}')}"
    objects = column.dtype == nw.Object
    return f"of Python objects, such as {column.drop_nulls()[0]!r}" if objects else f"of type {column.dtype}"


def _values(frame: nw.DataFrame[Any], plain: Mapping[str, Floats]) -> NDArray[Any]:
    """The numbers of a frame, of which some columns are known as plain ones.

    Those of an Arrow table are taken from its buffers: its own way would import pandas.
    """
    if plain:
        return np.column_stack([plain[name] if name in plain else frame[name].to_numpy() for name in frame.columns])
    native = frame.to_native()
    if type(native).__module__.split(".")[0] != "pyarrow":
        return np.asarray(frame.to_numpy())
    columns = [_buffer(column.combine_chunks()) for column in native.columns]
    return np.column_stack(columns) if columns else np.empty((len(frame), 0))


def _buffer(array: pa.Array) -> NDArray[Any]:
    kind = ARROW_NUMBERS.get(str(array.type))
    if kind is None or array.null_count:
        return np.asarray(array.to_numpy(zero_copy_only=False))
    return np.frombuffer(array.buffers()[1], dtype=kind)[array.offset : array.offset + len(array)]


def as_frame(table: Any, what: str) -> nw.DataFrame[Any]:
    """A frame of any library through narwhals; a sentence for what is none, or has two columns of one name."""
    try:
        frame = nw.from_native(table, eager_only=True, pass_through=True)
        list(frame.columns) if isinstance(frame, nw.DataFrame) else ()
    except DuplicateError:
        names = [str(name) for name in getattr(table, "column_names", table.columns)]
        shared = next(name for name in names if names.count(name) > 1)
        often = "two" if names.count(shared) == 2 else names.count(shared)
        raise InputError(f"{what} has {often} columns called {shared!r}; names must be distinct.") from None
    if not isinstance(frame, nw.DataFrame):
        raise InputError(
            f"{what} is a {type(table).__name__}; expected an array with one row per run, a sparse matrix, "
            "or a pandas, polars or pyarrow table."
        )
    return frame


def is_frame(table: Any) -> bool:
    """Whether it is a pandas, polars, pyarrow or other frame that narwhals knows."""
    try:
        return isinstance(nw.from_native(table, eager_only=True, pass_through=True), nw.DataFrame)
    except DuplicateError:  # a frame all the same, of which `as_frame` says what is wrong
        return True


def _refuse_text(array: NDArray[Any], what: str) -> None:
    for value in array.ravel():
        if isinstance(value, (str, bytes)):
            raise InputError(f"{what} holds the text {value!r}; expected numbers.")
        if isinstance(value, (np.datetime64, np.timedelta64)):
            raise InputError(f"{what} holds the date {value!s}; expected numbers.")
        if isinstance(value, (list, tuple, np.ndarray)):
            raise InputError(f"{what} has rows of different lengths, or lists in place of numbers.")


def aligned_rows(X: Any, values: Any, what: str) -> Any:
    """`values` in the order of the rows of X, where both have a pandas index.

    Indices that differ are refused; where only the order differs, the rows of `values` follow those of X with a
    warning. What has no index is taken by position.
    """
    rows, own = _index(X), _index(values)
    if rows is None or own is None or len(rows) != len(own) or rows.equals(own):
        return values
    by_position = f"align them, or pass {what}.to_numpy() to go by position"
    if not rows.is_unique or not own.is_unique:
        raise InputError(f"X and {what} have different pandas indices with repeated entries; {by_position}.")
    missing = rows.difference(own, sort=False)
    if len(missing):
        raise InputError(
            f"X and {what} have different pandas indices ({missing[0]!r} is in that of X only); {by_position}."
        )
    warn_caller(f"{what} has the rows of X in another order: matched by their pandas index.")
    return values.reindex(rows)


def target_values(y: Any, n_rows: int | None) -> NDArray[Any]:
    """One known value for each row: numbers, or labels as text."""
    if y is None:
        raise InputError("y is missing: give the outcome of each row, or a table from load_data, which knows it.")
    columns = columns_of(y)
    if columns is not None:  # a task with several values per row
        return _columns(columns, n_rows)
    target = _vector(y, "y", n_rows)
    if target.dtype.kind in "OT":
        target = _labels_or_numbers(target, "y")
    if target.dtype.kind not in "biufUS":
        number_array(target, "y")  # dates, complex numbers, records: the sentence is there
    if target.dtype.kind == "f" and not np.isfinite(target).all():
        raise InputError("y has missing or infinite values; drop those rows.")
    if len(np.unique(target)) < 2:
        raise InputError("y has one distinct value only; there is nothing to predict.")
    return target


def _columns(columns: Mapping[str, Any], n_rows: int | None) -> NDArray[Any]:
    """Several values for each row, such as a time and whether the event took place."""
    found = len(next(iter(columns.values())))
    if n_rows not in (None, found):
        raise InputError(
            f"y has {found} rows of {len(columns)} values; expected one for each of the {n_rows} rows of X."
        )
    with about(f"y has {len(columns)} values per row ({', '.join(columns)})"):
        target = number_array(read_columns(columns), "y")
        if not np.isfinite(target).all():
            raise InputError("some are missing or infinite; drop those rows.")
    return target


def group_values(groups: Any, n_rows: int | None, *, what: str = "groups", each: str = "row") -> NDArray[Any]:
    """The group of each row (or feature): labels of one kind, none of them missing."""
    array = _vector(groups, what, n_rows, each)
    if array.dtype.kind in "OT":
        array = _labels_or_numbers(array, what, each)
    if array.dtype.kind in "cV":
        number_array(array, what)
    if (array.dtype.kind == "f" and np.isnan(array).any()) or (array.dtype.kind in "mM" and np.isnat(array).any()):
        raise InputError(f"{what} has missing values; drop those {each}s.")
    return array


def check_impute(value: Any) -> str | None:
    """How missing values are filled: None (not at all, also where they are to be left) or "median"."""
    check_choice("impute", value, (MEDIAN, LEAVE), or_none=True)
    return MEDIAN if value == MEDIAN else None


def _index(values: Any) -> Any:
    """The pandas index of a frame or a series; None for everything else."""
    index = getattr(values, "index", None)
    return index if type(values).__module__.split(".")[0] == "pandas" and hasattr(index, "equals") else None


def _vector(values: Any, what: str, n_rows: int | None, each: str = "row") -> NDArray[Any]:
    expected = f"expected one value for each {each if n_rows is None else f'of the {n_rows} {each}s'} of X"
    if isinstance(values, (str, bytes, Mapping, set, frozenset)) or values is None or callable(values):
        raise InputError(f"{what} is a {type(values).__name__}; {expected}.")
    if isinstance(values, np.ma.MaskedArray) and np.ma.is_masked(values):
        raise InputError(f"{what} has missing values; drop those {each}s.")
    try:
        array = np.asarray(values)
    except ValueError:
        raise InputError(f"{what} holds lists of different lengths; {expected}.") from None
    if isinstance(values, Sequence) and array.dtype.kind == "U" and not all(isinstance(v, str) for v in values):
        array = np.asarray(values, dtype=object)  # numpy has made text of numbers, of None and of nan
    if array.ndim == 2 and array.shape[1] == 1:  # a frame of one column
        array = array[:, 0]
    if array.ndim != 1 or n_rows not in (None, len(array)):
        raise InputError(f"{what} has the shape {array.shape}; {expected}.")
    return array


def _labels_or_numbers(values: NDArray[Any], what: str, each: str = "row") -> NDArray[Any]:
    """Python objects as numbers where all are, else as text where all are; bools are labels."""
    kinds = {_kind(value) for value in values}
    if "missing" in kinds:
        raise InputError(f"{what} has missing values; drop those {each}s.")
    if kinds == {"number"}:
        return number_array(values, what)
    if "number" in kinds and "text" in kinds:
        raise InputError(f"{what} mixes text and numbers; give labels of one kind.")
    if "other" in kinds:
        odd = next(value for value in values if _kind(value) == "other")
        raise InputError(f"{what} holds {odd!r}; expected numbers or labels.")
    return values.astype(str)


def _kind(value: Any) -> str:
    if isinstance(value, (str, bytes, bool, np.bool_)):
        return "text"
    if value is None or type(value).__name__ in ("NAType", "NaTType"):
        return "missing"
    try:
        return "missing" if value != value else "number" if float(value) == float(value) else "missing"
    except (TypeError, ValueError, OverflowError):
        return "other" if isinstance(value, (list, tuple, Mapping, set, np.ndarray, complex)) else "text"
